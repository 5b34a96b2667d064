"""The exact form of each item as columns of an engine: the same powers of two and ten as in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from steadyrank.engines.exact_sums import (
    EXACT,
    NO_DECIMALS,
    SINGLE_DIGITS,
    TO_WHOLE,
    fit_as_decimals,
    form_of_items,
)
from steadyrank.engines.lazy_columns import are_decimals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steadyrank._typing import FloatArray
    from steadyrank.engines.source import Frame

TENS = [10.0**places for places in range(NO_DECIMALS)]


def ranges_of_items(frame: Frame, dtype: Any) -> Frame:
    """Return for each item how large its values are, and the fewest places that write them all."""
    value, single = nw.col("value"), dtype == nw.Float32
    wide, marks = value.cast(nw.Float64), {}
    for places in range(NO_DECIMALS if dtype.is_float() else 1):  # whole numbers need no places
        alike = are_decimals(value, places, single=single) if dtype.is_float() else ~value.is_null()
        marks[f"alike {places}"] = alike.cast(nw.Int64)
    grouped = frame.select("item", size=wide.abs(), **marks).group_by("item")
    found = grouped.agg(nw.col("size").max(), *(nw.col(name).min() for name in marks))
    fewest: Any = nw.lit(NO_DECIMALS)
    for places in reversed(range(len(marks))):
        most = (SINGLE_DIGITS if single and places else EXACT) / TENS[places]
        fits = (nw.col(f"alike {places}") == 1) & (nw.col("size") < most)
        fewest = nw.when(fits).then(nw.lit(places)).otherwise(fewest)
    return found.select("item", "size", places=fewest)


def with_forms(ranges: Frame, largest: FloatArray, addends: int) -> Frame:
    """Return for each item the scale of its exact form and what rounds to its halves.

    ``largest`` are the sizes of all items, from which the powers of two that occur are known.
    """
    exponents = np.unique(np.frexp(largest)[1])
    tops = np.ldexp(0.5, exponents)  # the least size with each exponent
    split = form_of_items(np.full(len(tops), NO_DECIMALS), tops, (0.0, 0.0), addends)
    tens: Any = nw.lit(1.0)
    for places, ten in enumerate(TENS):
        tens = nw.when(nw.col("places") == places).then(nw.lit(ten)).otherwise(tens)
    sized = ranges.with_columns(tens=tens)
    decimal = fit_as_decimals(nw.col("places"), nw.col("size") * nw.col("tens"), addends)
    sized = sized.with_columns(decimal=decimal)

    def chosen(whole: Any, numbers: Any) -> Any:
        return nw.when(nw.col("decimal")).then(whole).otherwise(_by_size(tops, numbers))

    return sized.select(
        "item",
        scale=chosen(nw.col("tens"), split.scale),
        tens=chosen(nw.col("tens"), np.ones(len(tops))),
        coarse=chosen(nw.lit(TO_WHOLE), split.coarse),
        fine=chosen(nw.lit(TO_WHOLE), split.fine),
    )


def _by_size(tops: FloatArray, numbers: Sequence[float]) -> Any:
    """Return the number that belongs to the largest of the ``tops`` which a size reaches."""
    if len(tops) == 1 or len(set(numbers)) == 1:
        return nw.lit(float(numbers[0]))
    half = len(tops) // 2  # halves, not a chain, so that many sizes do not nest deeply
    below = nw.col("size") < float(tops[half])
    return (
        nw.when(below)
        .then(_by_size(tops[:half], numbers[:half]))
        .otherwise(_by_size(tops[half:], numbers[half:]))
    )

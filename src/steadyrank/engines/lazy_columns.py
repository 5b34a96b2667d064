"""Columns of a lazy table, checked and brought to one type, all inside the engine.

Here are also the ranges of values and their decimal places, told by the same steps as in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from steadyrank import errors
from steadyrank.arrays import EXACT, most_digits, not_exact
from steadyrank.errors import NO_BLANKS, shorten
from steadyrank.sums.exact import NO_DECIMALS
from steadyrank.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from steadyrank.engines.frame import Frame, Source

TENS = [10.0**places for places in range(NO_DECIMALS)]


def how_many(condition: nw.Expr) -> nw.Expr:
    """Count where a condition holds; not every engine adds up truth values."""
    return condition.cast(nw.Int64).sum()


def with_labels(source: Source, frame: Frame, parts: Mapping[str, str]) -> Frame:
    """Return the frame with label columns in one of few types, as they are in memory.

    Parameters
    ----------
    source : Source
        Where the frame lives.
    frame : lazy frame
    parts : mapping
        From the columns to what they hold, for messages: ``{"item": "items"}``. None may be missing.
    """
    schema = source.schema(frame)
    asked = {"rows": nw.len()}
    for part in parts:
        asked[f"{part} gone"] = how_many(_is_gone(nw.col(part), schema[part]))
        if part in source.unsigned or schema[part] == nw.UInt64:
            asked[f"{part} top"] = nw.col(part).max()
    found = source.numbers(frame.select(**asked), "checks of the labels")
    if not found["rows"]:
        raise source.empty()
    casts = []
    for part, what in parts.items():
        if gone := int(found[f"{part} gone"] or 0):
            raise errors.InvalidLabelError(
                f"{what} must not be missing or blank, but there is None "
                f"({gone:,} of {counted(int(found['rows']), 'row')})",
                subject=what.removesuffix("s"),
                way_out=NO_BLANKS,
            )
        casts.append(_label(part, what, schema[part], found.get(f"{part} top")))
    return frame.with_columns(*casts)


def _is_gone(column: nw.Expr, dtype: Any) -> nw.Expr:
    """Tell where a value is missing; NaN is in memory, so it is here."""
    return column.is_null() | _is_nan(column) if dtype.is_float() else column.is_null()


def _is_nan(column: nw.Expr) -> nw.Expr:
    """Tell where a number is NaN, by what it is not.

    DuckDB believes what a Parquet file states as its lowest and highest value, which NaN is never
    among, and answers the plain question with no for the whole file.
    """
    return ~column.is_finite() & (column != np.inf) & (column != -np.inf)


def _label(part: str, what: str, dtype: Any, top: Any) -> nw.Expr:
    """Return a column of labels as 64-bit numbers, truth values or text."""
    label = nw.col(part)
    if top is not None and int(top) >= 2**63 and dtype == nw.UInt64:
        return label
    if dtype.is_integer() or (top is not None and int(top) < 2**63):
        return label.cast(nw.Int64)
    if dtype.is_float():
        return label.cast(nw.Float64) + 0.0  # 0 and -0 are one label
    if dtype == nw.Boolean:
        return label
    if dtype in {nw.String, nw.Categorical} or isinstance(dtype, nw.Enum):
        return label.cast(nw.String)
    raise errors.InvalidLabelError(
        f"{what} must be numbers of up to 64 bits or text in an engine, but are {dtype}",
        way_out="Turn the column into text first.",
    )


def with_numbers(source: Source, frame: Frame, part: str, what: str) -> Frame:
    """Return the frame with a numeric column, null where a number is missing."""
    dtype, column = source.schema(frame)[part], nw.col(part)
    if dtype == nw.Boolean:
        return frame.with_columns(column.cast(nw.Int8))
    if not dtype.is_numeric():
        found = source.example(
            frame.filter(~column.is_null()), part, "checks of the numbers"
        )
        raise errors.NotANumberError(
            f"{what} must be numbers, but there is {shorten(found[0]) if found else dtype}",
            way_out="Turn them into numbers, or name another column.",
        )
    if dtype == nw.Decimal:
        return frame.with_columns(column.cast(nw.Float64))
    return (
        frame.with_columns(nw.when(~_is_nan(column)).then(column))
        if dtype.is_float()
        else frame
    )


def check_numbers(
    source: Source,
    frame: Frame,
    part: str,
    what: str,
    *,
    missing: bool = False,
    exact: bool = False,
) -> None:
    """Complain about numbers that are infinite or, where they must not be, missing or too long."""
    value, dtype = nw.col(part), source.schema(frame)[part]
    asked = {"rows": nw.len(), "gone": how_many(value.is_null())}
    asked |= {"lowest": value.min(), "highest": value.max()}
    if dtype.is_float():
        asked["odd"] = how_many(~value.is_finite())
    found = source.numbers(frame.select(**asked), "checks of the numbers")
    rows, gone, odd = (int(found.get(name) or 0) for name in ("rows", "gone", "odd"))
    if not rows:
        raise source.empty()
    if odd:
        infinite = found["highest"] if np.isinf(found["highest"]) else found["lowest"]
        raise errors.NotANumberError(
            f"{what} must be finite, but there is {infinite} ({odd:,} of {counted(rows, 'row')})",
            subject=what,
            way_out="Remove these rows, or give the numbers that you mean.",
        )
    if gone and not missing:
        places = f"({gone:,} of {counted(rows, 'row')})"
        raise errors.MissingValuesError(
            f"{what} has missing values {places}", subject=what, way_out=NO_BLANKS
        )
    for end in (
        (found["lowest"], found["highest"]) if exact and dtype.is_integer() else ()
    ):
        if abs(int(end)) > EXACT:
            raise not_exact(end, (), what)


def are_decimals(value: nw.Expr, places: int, *, single: bool) -> nw.Expr:
    """Tell which values are what decimals of so many places are read as, by the steps of memory."""
    wide = value.cast(nw.Float64)
    meant = (wide * TENS[places]).round(0) / TENS[places]
    return meant.cast(nw.Float32) == value if single else meant == wide


def ranges_of_items(frame: Frame, dtype: Any) -> Frame:
    """Return for each item the range of its values, and which numbers of places write them all.

    The columns ``alike 0`` and so on tell the latter; whole numbers need no places.
    """
    value, single = nw.col("value"), dtype == nw.Float32
    marks = {"alike 0": ~value.is_null()}
    if dtype.is_float():
        marks = {
            f"alike {n}": are_decimals(value, n, single=single)
            for n in range(NO_DECIMALS)
        }
    wide = value.cast(nw.Float64)
    kept = frame.select(
        "item",
        lowest=wide,
        highest=wide,
        **{n: m.cast(nw.Int64) for n, m in marks.items()},
    )
    return kept.group_by("item").agg(
        nw.col("highest").max(), nw.col("lowest", *marks).min()
    )


def places_for_all(found: Mapping[str, Any], top: float, *, single: bool) -> int:
    """Return the fewest places that write the values of all items, the largest of them of this size."""
    for places in range(NO_DECIMALS):
        alike = found.get(f"alike {places}")
        if (
            alike is not None
            and alike.all()
            and top * TENS[places] < most_digits(places, single=single)
        ):
            return places
    return NO_DECIMALS


def repeated_pair(source: Source, frame: Frame) -> tuple[int, object, object] | None:
    """Return how many rows repeat a unit and an item, and the first such two; None if there is none.

    The most expensive check of all: every pair is shuffled once.
    """
    step, times = "checks for repeated pairs", nw.col("times")
    doubled = frame.group_by("unit", "item").agg(times=nw.len()).filter(times > 1)
    found = source.numbers(doubled.select(pairs=nw.len(), rows=times.sum()), step)
    if not int(found["pairs"]):
        return None
    first = source.numbers(
        doubled.select("unit", "item").sort("unit", "item").head(1), step
    )
    return int(found["rows"]) - int(found["pairs"]), first["unit"], first["item"]

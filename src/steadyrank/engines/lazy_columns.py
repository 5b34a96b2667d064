"""Columns of a lazy table, checked and brought to one type, all inside the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw

from steadyrank.engines.exact_sums import EXACT, MOST_DECIMALS, SINGLE_DIGITS
from steadyrank.errors import (
    EmptyDataError,
    InvalidLabelError,
    MissingValuesError,
    NotANumberError,
    shorten,
)
from steadyrank.reading.text_columns import MISSING_WORDS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from steadyrank.engines.source import Frame, Source

WHOLE = r"^(0|-?[1-9][0-9]{0,18})$"
"""Text that is exactly what a whole number prints as, of up to 19 digits."""
LARGEST, SMALLEST = str(2**63 - 1), str(-(2**63))
PLAIN_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def how_many(condition: nw.Expr) -> nw.Expr:
    """Count where a condition holds; not every engine adds up truth values."""
    return condition.cast(nw.Int64).sum()


def picked(source: Source, columns: Mapping[str, str]) -> Frame:
    """Return the named columns under the names of the parts they play."""
    return source.frame.select(**{part: nw.col(name) for part, name in columns.items()})


def with_labels(
    source: Source, frame: Frame, parts: Mapping[str, str], results: Collection[str] = ()
) -> Frame:
    """Return the frame with label columns as whole numbers or text, as they are in memory.

    Parameters
    ----------
    source : Source
        Where the frame lives.
    frame : lazy frame
    parts : mapping
        From the columns to what they hold, for messages: ``{"item": "items"}``. None may be missing.
    results : collection of str
        Columns of results, which may be missing or of any type: the class judges them.
    """
    schema = source.schema(frame)
    tests = [how_many(nw.col(part).is_null()).alias(f"{part} gone") for part in parts]
    if source.text:
        tests += [_is_whole(nw.col(part)).all().alias(f"{part} whole") for part in (*parts, *results)]
    found = source.numbers(frame.select(nw.len().alias("rows"), *tests), "checks of the labels")
    if not found["rows"]:
        raise EmptyDataError("there are no rows", way_out="At least one is needed.")
    casts = []
    for part, what in parts.items():
        if gone := int(found[f"{part} gone"] or 0):
            raise InvalidLabelError(
                f"{what} must not be missing, but {gone:,} of {int(found['rows']):,} are",
                way_out="Remove these rows, or give the label that you mean.",
            )
        casts.append(_label(part, what, schema[part], whole=bool(found.get(f"{part} whole"))))
    casts += [nw.col(part).cast(nw.Int64) for part in results if found.get(f"{part} whole")]
    return frame.with_columns(*casts)


def _is_whole(text: nw.Expr) -> nw.Expr:
    """Tell whether text is a 64-bit whole number; of 19 digits, the order of text is that of numbers."""
    too_large = (text.str.len_chars() == len(LARGEST)) & ~text.str.starts_with("-") & (text > LARGEST)
    too_small = (text.str.len_chars() == len(SMALLEST)) & (text > SMALLEST)
    return text.str.contains(WHOLE) & ~too_large & ~too_small


def _label(part: str, what: str, dtype: Any, *, whole: bool) -> nw.Expr:
    if whole or dtype.is_integer():
        return nw.col(part).cast(nw.Int64)
    if dtype in {nw.String, nw.Categorical} or isinstance(dtype, nw.Enum):
        return nw.col(part).cast(nw.String)
    raise InvalidLabelError(
        f"{what} must be whole numbers or text in an engine, but are {dtype}",
        way_out="Turn the column into text first.",
    )


def with_numbers(source: Source, frame: Frame, part: str, what: str) -> Frame:
    """Return the frame with a numeric column; text of a file is read as numbers."""
    dtype = source.schema(frame)[part]
    if source.text:
        return _numbers_of_text(source, frame, part, what)
    if dtype == nw.Boolean:
        return frame.with_columns(nw.col(part).cast(nw.Int8))
    if not dtype.is_numeric():
        raise NotANumberError(
            f"{what} must be numbers, but the column is {dtype}",
            way_out="Turn them into numbers, or name another column.",
        )
    if dtype == nw.Decimal:
        return frame.with_columns(nw.col(part).cast(nw.Float64))
    return frame


def _numbers_of_text(source: Source, frame: Frame, part: str, what: str) -> Frame:
    text = nw.col(part).str.strip_chars()
    gone = text.str.to_lowercase().is_in(sorted(MISSING_WORDS))
    frame = frame.with_columns(nw.when(~gone).then(text).alias(part))
    wrong = frame.filter(~nw.col(part).str.contains(PLAIN_NUMBER))
    if found := source.example(wrong, part, "checks of the numbers"):
        raise NotANumberError(
            f"{what} must be numbers, but there is {shorten(found[0])}",
            way_out="Correct these rows, or name another column.",
        )
    return frame.with_columns(nw.col(part).cast(nw.Float64))


def decimal_range(source: Source, frame: Frame, what: str) -> tuple[int, float, float]:
    """Return what the exact form of the column ``value`` depends on, from one pass.

    This is the fewest decimal places that write all values (one more than the most allowed if none
    do), the lowest value and the highest.
    """
    dtype = source.schema(frame)["value"]
    value, single = nw.col("value"), dtype == nw.Float32
    wide = value.cast(nw.Float64)
    ends = {"lowest": wide.min(), "highest": wide.max()}
    asked = {"rows": nw.len(), "gone": how_many(value.is_null()), **ends}
    if dtype.is_float():
        asked["odd"] = how_many(~value.is_finite())
        for places in range(MOST_DECIMALS + 1):
            asked[f"places {places}"] = are_decimals(value, places, single=single).all()
    found = source.numbers(frame.select(**asked), "checks of the numbers")
    _check_values(found, what)
    lowest, highest = float(found["lowest"]), float(found["highest"])
    if not dtype.is_float():
        return 0, lowest, highest
    top = max(abs(lowest), abs(highest))
    for places in range(MOST_DECIMALS + 1):
        limit = SINGLE_DIGITS if single and places else EXACT
        if top * 10.0**places < limit and bool(found[f"places {places}"]):
            return places, lowest, highest
    return MOST_DECIMALS + 1, lowest, highest


def are_decimals(value: nw.Expr, places: int, *, single: bool) -> nw.Expr:
    """Tell which values are what decimals of so many places are read as, by the steps of memory."""
    wide = value.cast(nw.Float64)
    # Polars divides by a constant by multiplying with its inverse, which rounds twice.
    scale = wide * 0.0 + 10.0**places
    meant = (wide * 10.0**places).round(0) / scale
    return meant.cast(nw.Float32) == value if single else meant == wide


def _check_values(found: dict[str, Any], what: str) -> None:
    rows, gone, odd = (int(found.get(name) or 0) for name in ("rows", "gone", "odd"))
    if not rows:
        raise EmptyDataError(f"there are no {what}", way_out="At least one is needed.")
    if gone:
        raise MissingValuesError(
            f"{gone:,} of {rows:,} {what} are missing", way_out="Remove these rows, or fill them in."
        )
    if odd:
        raise NotANumberError(
            f"{what} must be finite, but {odd:,} of {rows:,} are not",
            way_out="Remove these rows, or give the number that you mean.",
        )


def repeated_pairs(
    source: Source, frame: Frame, one: str, two: str
) -> tuple[int, tuple[object, object] | None]:
    """Return how many rows repeat a pair of labels, and one such pair.

    The most expensive check of all: every pair is shuffled once. Whole numbers are packed into one
    key, which takes a third of the time of two.
    """
    packing = _packing(source, frame, one, two)
    keyed, names = frame, [one, two]
    if packing is not None:
        key = (nw.col(one) - packing[0]) * packing[2] + (nw.col(two) - packing[1])
        keyed, names = frame.select(key.alias("pair")), ["pair"]
    doubled = keyed.group_by(*names).agg(times=nw.len()).filter(nw.col("times") > 1)
    step = "checks for repeated pairs"
    found = source.numbers(doubled.select(pairs=nw.len(), rows=nw.col("times").sum()), step)
    if not int(found["pairs"]):
        return 0, None
    example = source.numbers(doubled.select(*names).head(1), step)
    extra = int(found["rows"]) - int(found["pairs"])
    if packing is None:
        return extra, (example[one], example[two])
    first, second = divmod(int(example["pair"]), packing[2])
    return extra, (packing[0] + first, packing[1] + second)


def _packing(source: Source, frame: Frame, one: str, two: str) -> tuple[int, int, int] | None:
    """Return the lowest labels, and how many the second column may have; None if that is too many."""
    schema = source.schema(frame)
    if schema[one] != nw.Int64 or schema[two] != nw.Int64:
        return None
    first, second = nw.col(one), nw.col(two)
    ends = {"low": first.min(), "high": first.max(), "least": second.min(), "most": second.max()}
    found = source.numbers(frame.select(**ends), "checks of the labels")
    low, high, least, most = (int(found[name]) for name in ends)
    width = most - least + 1
    return None if (high - low + 1) * width >= 2**62 else (low, least, width)

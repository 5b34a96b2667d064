"""From a lazy table to what is added up in its engine: entries (unit, item, value), or equal rows.

Votes for the same item are equal rows, and so are battles with the same two items and result. One
group-by leaves so few of them that the rest is done in memory, by the very code that reads files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import narwhals as nw

from steadyrank import errors
from steadyrank._typing import AnyArray
from steadyrank.arrays import as_counts
from steadyrank.engines import lazy_columns
from steadyrank.engines.frame import Frame, Source
from steadyrank.engines.lazy_entries import (
    MAX_UNITS,
    LazyEntries,
    item_labels,
    unit_keys,
)
from steadyrank.errors import MOST_COUNTED, shorten
from steadyrank.text import counted_are

MAX_DISTINCT = 20_000_000
"""How many distinct rows are brought back at most."""
HALF = 2**32
FEWER_ROWS = "Group by a column with fewer values, or add the counts up before."
NUMBERS = {"left_score", "right_score", "weight"}
"""Roles whose columns hold numbers."""


def scan_scores(
    source: Source, roles: Mapping[str, str], what: str, *, lower_is_better: bool
) -> tuple[LazyEntries, list[str]]:
    """Return scores of units as entries, and what to say of them.

    Parameters
    ----------
    source : Source
    roles : mapping
        The columns of the unit, the item and the value.
    what : str
        What the values are called: scores, ratings.
    lower_is_better : bool
    """
    name = roles["value"]
    frame = source.picked(roles)
    frame = lazy_columns.with_numbers(source, frame, "value", name)
    lazy_columns.check_numbers(source, frame, "value", name, exact=True)
    frame = lazy_columns.with_labels(source, frame, {"unit": "units", "item": "items"})
    if lower_is_better:
        frame = frame.with_columns(nw.col("value") * -1)
    keys = unit_keys(source, frame, "units", MAX_UNITS)
    entries = LazyEntries(source, frame, *keys, what=what)
    if source.in_strict_order():
        return entries, [
            "the files are in order of unit and item, so no value is repeated"
        ]
    if twice := lazy_columns.repeated_pair(source, frame):
        again, unit, item = twice
        raise errors.InvalidDataError(
            f"{counted_are(again, what.removesuffix('s'), 'repeated')}: unit {shorten(unit)} has "
            f"{shorten(item)} more than once, and an engine adds up one value of each",
            way_out=errors.IN_MEMORY,
        )
    return entries, []


def counted_rows(source: Source, roles: Mapping[str, Any]) -> dict[str, AnyArray]:
    """Group a lazy table by the columns of its roles, and return each distinct row with its count.

    The counts are in a column of their own, or in that of the role ``count``.
    """
    parts = _parts(roles)
    counts = [part for part in parts if part == "count"]
    numbers = [part for part in parts if part in NUMBERS]
    labels = {part: part for part in parts if part not in NUMBERS | {"count"}}
    frame = source.picked(parts)
    for part in (*counts, *numbers):
        frame = lazy_columns.with_numbers(source, frame, part, parts[part])
        lazy_columns.check_numbers(source, frame, part, parts[part])
    frame = lazy_columns.with_labels(source, frame, labels)
    for part in counts:
        frame = _whole_counts(source, frame, part, labels)
    _check_total(source, frame, counts, source.holds)
    sums = [nw.col(part).sum() for part in counts] or [nw.len().alias("count")]
    grouped = frame.group_by(*labels, *numbers).agg(*sums)
    if counts:  # DuckDB adds up in 128 bits, which would come back as floats
        grouped = grouped.with_columns(nw.col(part).cast(nw.Int64) for part in counts)
    answer = source.collect_up_to(grouped, "distinct rows", MAX_DISTINCT, FEWER_ROWS)
    names = {**parts, "count": parts.get("count") or free_name(source.columns)}
    return {name: answer[part] for part, name in names.items()}


def _parts(roles: Mapping[str, Any]) -> dict[str, str]:
    """Return a name for each column that has a role: the role, numbered where it has several."""
    parts: dict[str, str] = {}
    for role, name in roles.items():
        if isinstance(name, str):
            parts[role] = name
        else:
            parts |= {f"{role} {place}": column for place, column in enumerate(name)}
    return parts


def free_name(names: Iterable[str]) -> str:
    """Return a name for the counts of rows that no column has."""
    name = "number of rows"
    while name in names:
        name += "_"
    return name


def _whole_counts(
    source: Source, frame: Frame, part: str, labels: Iterable[str]
) -> Frame:
    count = nw.col(part)
    wide = count.cast(nw.Float64)
    fine = (wide >= 0) & (wide.round(0) == wide)
    if source.schema(frame)[part] != nw.Int64:
        fine = fine & (wide < 2.0**63)
    if wrong := source.example(frame.filter(~fine), part, "checks of the counts"):
        for label in labels:
            item_labels(
                source, frame.select(item=nw.col(label))
            )  # complains about blank ones
        as_counts(wrong, len(wrong))  # complains, as it does in memory
    return frame.with_columns(count.cast(nw.Int64))


def _check_total(source: Source, frame: Frame, counts: list[str], what: str) -> None:
    """Refuse counts whose total 64 bits do not hold, by sums of their halves, which do."""
    total = 0
    for part in counts:
        low = nw.col(part) % HALF
        halves = frame.select(
            low=low, high=((nw.col(part) - low) / HALF).cast(nw.Int64)
        )
        found = source.numbers(
            halves.select(nw.all().sum().cast(nw.Int64)), "the total"
        )
        total += int(found["low"] or 0) + int(found["high"] or 0) * HALF
    if total >= MOST_COUNTED:
        raise errors.counts_too_large(what, total)

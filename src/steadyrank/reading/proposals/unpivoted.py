"""Ballots whose cells are to be rows: places that columns give to items, or names that they list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from steadyrank._typing import FloatArray, IntArray
from steadyrank.reading.profile import Column, Profile
from steadyrank.reading.proposals.long import NAMES
from steadyrank.reading.readings import quoted
from steadyrank.reading.words import known

LEAST = 3
"""The fewest columns that are ballots, or items."""
MOST_COLUMNS, MOST_CELLS = 500, 300_000
RANKED = 0.85
"""The share of ballots that must hold places for cells to be ranks."""
AGAIN = 0.5
"""The largest share of names that may be new in a cell."""
NEARLY = 0.98
"""The share of items that must be named once for a column to give each one place."""
POINTS = 7.0


class Way(NamedTuple):
    """A way to read the cells of some columns, which still have to be unpivoted."""

    columns: list[str]
    kind: str
    roles: dict[str, str]
    options: dict[str, Any]
    why: str


def ways(profile: Profile) -> Iterator[Way]:
    """Yield what cells may be: ranks of items in rows or in columns, or names in the order of rows."""
    if len(profile.columns) > MOST_COLUMNS or profile.share * MOST_CELLS < profile.rows * LEAST:
        return
    columns = [c for c in profile if not (c.counts_rows or c.is_time or c.type == "list")]
    whole = [c for c in columns if c.whole and c.some.min(initial=1) >= 1]
    whole = [c for c in whole if not {*c.words[:1], c.noun} & {*known("facts_of_items")}]
    texts = [c for c in columns if c.type == "text"]
    if len(whole) >= LEAST:
        yield from _ranks(profile, [c.name for c in whole], texts)
    for those in (texts, whole if not texts else []):
        if names := _lists(profile, those):
            order = next((c.name for c in profile if _counts(c) and c.name not in names), "row")
            roles = {"user": "column", "item": "value", "rank": order}
            told = f"{quoted(*names)} each list names, none twice: a ballot for each"
            yield Way(names, "ballots", roles, {}, told)


def _ranks(profile: Profile, names: list[str], texts: Sequence[Column]) -> Iterator[Way]:
    matrix = np.column_stack([profile[name].numbers for name in names])
    labels = sorted(texts, key=lambda c: (10 * c.distinct < 9 * max(t.distinct for t in texts),
                                          c.simple not in NAMES, -c.distinct))  # fmt: skip
    gaps = bool(np.isnan(matrix).any())
    for label in labels[:1]:
        repeats = label.distinct < NEARLY * label.present
        others = [c.name for c in profile if c.name not in {label.name, *names} and _groups(profile, c)]
        groups = profile.joint(others) if repeats else np.zeros(profile.rows, dtype=np.int64)
        ranked = [name for name in names if _hold_places(profile[name].numbers, groups)]
        if len(ranked) >= LEAST and 2 * len(ranked) > len(names) and (gaps or repeats):
            told = f"{quoted(*ranked)} each give places to {quoted(label.name)}: 1 is best"
            if not repeats:
                roles = {"user": "column", "item": label.name, "rank": "value"}
                yield Way(ranked, "ballots", roles, {}, told)
            roles = {"row": "column", "item": label.name, "score": "value"}
            means = {"lower_is_better": "all", "missing": "available"}
            means |= {"duplicates": "mean"} if repeats else {}
            yield Way(ranked, "scores", roles, means, told)
    rows = matrix[np.isfinite(matrix).sum(axis=1) > 1]
    if gaps and len(rows) > LEAST and np.mean([_are_places(row) for row in rows[:1000]]) >= RANKED:
        users = [c.name for c in profile if c.unique and c.name not in names and not c.blanks]
        roles = {"user": users[0] if users else "row", "item": "column", "rank": "value"}
        yield Way(names, "ballots", roles, {}, "the numbers of each row are places: 1 is best")


def _groups(profile: Profile, column: Column) -> bool:
    return (column.type == "text" or column.is_time) and 4 * column.distinct < profile.rows


def _hold_places(numbers: FloatArray, groups: IntArray) -> bool:
    there = np.isfinite(numbers)
    parts = [numbers[there & (groups == group)] for group in np.unique(groups[there])[:50]]
    several = [part for part in parts if len(part) > 1]
    return bool(several) and float(np.mean([_are_places(part) for part in several])) >= RANKED


def _are_places(numbers: FloatArray) -> bool:
    """Tell whether numbers are places, of which some may be left out: from 1 on, hardly one twice."""
    some = np.sort(numbers[np.isfinite(numbers)])
    few = len(np.unique(some)) >= 0.9 * len(some)
    return bool(few and some[0] <= LEAST and some[-1] <= 2 * len(some))


def _lists(profile: Profile, columns: Sequence[Column]) -> list[str]:
    """Return the columns that each list names of one set, none twice."""
    once = [c for c in columns if c.present == c.distinct > 2]
    held = sum(c.present for c in once)
    every = frozenset().union(*(c.values for c in once))
    some = [c for c in once if 2 * c.present > profile.rows]
    return [c.name for c in some] if len(some) >= LEAST and len(every) <= AGAIN * held else []


def _counts(column: Column) -> bool:
    return column.whole and np.array_equal(column.numbers, np.arange(1, len(column.numbers) + 1))

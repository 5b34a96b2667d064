"""Which columns of numbers belong together: parts of a whole, one stem, one scale, ranks of each row.

Nothing here decides: a table of scores, or of ranks, is proposed by what these facts say of its columns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, islice

import numpy as np

from steadyrank._typing import BoolArray, FloatArray
from steadyrank.reading.profile import SCALE, Column, Profile
from steadyrank.reading.readings import Asked
from steadyrank.reading.words import known

LOOKED_AT = 1000
"""How many names and columns are looked at."""
LEAST = 3
"""The fewest columns of scores that are taken as such without being named."""
ALIKE = 40.0
"""How many times as far as others some columns of one sort may reach: large parties and small."""
SPREAD = 0.15
"""How far the sums of rows that are parts of a whole may spread, as a share of their mean."""
MOST_PARTS, TOTALS, SEEN = 60, 40, 100
"""How many neighbours are looked at as parts of a whole, how many totals, and in how many rows."""
TALLIES = {*known("tallies")}
SHARES = {*known("percentages")}
OF_ITEMS = {*known("shares", "measures", "points", "less_is_better"), "per", "count", "num", "n"}
"""Words beside the name of an item that say what its column counts or measures."""
FEW_RANKS = 4
"""Of so few items, numbers from 1 to how many there are may be answers on a scale."""
PERMUTED = 0.85
"""The share of rows (or columns) of the numbers 1, 2, 3... from which on a table holds ranks."""


def blocks(asked: Asked, values: Sequence[str], way: str) -> Iterator[list[str]]:
    """Yield columns that belong together: parts of a whole, of one stem, neighbours of one scale."""
    profile = asked.profile
    if "items" in asked.named or len(values) > LOOKED_AT or [*values] in profile.families:
        return
    held = [n for n in values if len(profile[n].some)]
    usable = {n for n in held if not is_no_score(profile[n])}
    runs = list(_neighbours(profile, usable))
    amounts = {n for n in held if not is_no_score(profile[n], amounts=True)}  # may be parts of a whole
    parts = [_parts(profile, run) for run in _neighbours(profile, amounts)]
    families = sorted(_families(profile, usable), key=lambda f: (-profile[f[0]].is_measure, -len(f)))
    scaled = [part for run in runs for part in _on_one_scale(profile, run)]
    every = [*parts, *families, *(r for r in runs if are_counts(profile, r)), *scaled[:1]]
    votes = [[n for n in block if way == "rows" or not is_tally(profile[n])] for block in every]
    few = [*parts, *(f for f in families if way == "columns" and is_of(profile, f))]
    least = [2 if block in few else LEAST for block in every]  # of a whole, two may be left
    distinct = {tuple(v): v for v, size in zip(votes, least, strict=True) if len(v) >= size}
    yield from distinct.values()


def is_tally(column: Column) -> bool:
    """Tell whether a column is called like a count of all votes, or like a difference of two."""
    return not TALLIES.isdisjoint([column.simple, *column.words])


def is_of(profile: Profile, names: Sequence[str]) -> bool:
    """Tell whether names say of what they are votes or shares: votes_left, votes_right."""
    shared = {*profile[names[0]].words}.intersection(*(profile[name].words for name in names))
    numbered = {*names} <= profile.of_families  # 10_time, 100_time
    return len(names) > 1 and not shared.isdisjoint(OF_ITEMS) and not numbered


def _families(profile: Profile, usable: Collection[str]) -> Iterator[list[str]]:
    """Yield columns whose names begin, or end, with the same word."""
    for end in (0, -1):
        found: dict[str, list[str]] = {}
        for column in profile:
            words = [word for word in column.words if not word.isdecimal()]
            if len(column.words) > 1 and words and column.name in usable:
                found.setdefault(words[end], []).append(column.name)
        yield from found.values()


def _neighbours(profile: Profile, usable: Collection[str]) -> Iterator[list[str]]:
    """Yield columns of numbers that stand side by side; one of shares stands apart from counts."""
    for _, run in groupby(profile, lambda c: (c.name in usable, not SHARES.isdisjoint(c.words))):
        if len(names := [column.name for column in run if column.name in usable]) >= LEAST:
            yield names


def _on_one_scale(profile: Profile, run: Sequence[str]) -> list[list[str]]:
    """Return the neighbours of one scale and type, the most first."""
    found: list[list[str]] = [[]]
    low, high = np.inf, 0.0
    for name in run:
        column, reach = profile[name], profile[name].reach
        low, high = min(low, reach), max(high, reach)
        alike = all(column.whole == profile[one].whole for one in found[-1][-1:])
        if not alike or high > SCALE * low:
            found.append([])
            low = high = reach
        found[-1].append(name)
    return sorted(found, key=len, reverse=True)


def are_alike(profile: Profile, names: Sequence[str]) -> bool:
    """Tell whether columns are all scores, all whole or none, and reach about as far."""
    columns = [profile[name] for name in names[:LOOKED_AT]]
    even = len({c.whole for c in columns}) == 1 and len(columns) >= LEAST
    return even and profile.on_one_scale(names[:LOOKED_AT], ALIKE) and not any(map(is_no_score, columns))


def are_counts(profile: Profile, names: Sequence[str]) -> bool:
    """Tell whether columns count something: whole numbers, no shares, most of them from 0 on."""
    columns = [profile[name] for name in names]
    from_zero = sum(column.some.min(initial=1.0) == 0 for column in columns)
    if 2 * from_zero <= len(columns) or any(not SHARES.isdisjoint(c.words) for c in columns):
        return False
    return all(c.whole and c.some.min(initial=0.0) >= 0 for c in columns)


def _parts(profile: Profile, run: Sequence[str]) -> list[str]:
    """Return the stretch of neighbours that are parts of a whole; totals may stand beside them."""
    names = list(run[:MOST_PARTS])
    before = np.cumsum([np.zeros(min(SEEN, profile.rows)), *first_rows(profile, names)], axis=0)
    sums = before[None, :] - before[:, None]
    far = _from_whole(profile, names, sums)
    places = np.arange(len(names) + 1)
    size = places[None, :] - places[:, None]
    far[size < LEAST] = np.inf
    start, end = np.unravel_index(np.lexsort((-size.ravel(), far.round(2).ravel()))[0], far.shape)
    return names[start:end] if far[start, end] < SPREAD else []


def are_parts(profile: Profile, values: Sequence[str]) -> bool:
    """Tell whether columns are parts of a whole, by themselves or with the tallies beside them."""
    every = [c.name for c in profile if c.name in values or (c.type == "number" and is_tally(c))]
    runs = [run for run in (values, every) if len(run) >= LEAST]
    return any({*values} <= {*_parts(profile, run)} for run in runs)


def first_rows(profile: Profile, names: Sequence[str]) -> FloatArray:
    """Return what the first rows hold in some columns, 0 where they are blank."""
    return np.nan_to_num([profile[name].numbers[:SEEN] for name in names])


def _are_close(values: FloatArray, numbers: FloatArray) -> BoolArray:
    return np.asarray(np.abs(values - numbers) <= 1e-8 + 0.01 * np.abs(numbers))


def _from_whole(profile: Profile, names: Sequence[str], sums: FloatArray) -> FloatArray:
    """Return how far sums are from a whole: from 1, from 100, or from what another column holds."""
    least = min(profile[name].some.min(initial=0.0) for name in names)
    if profile.rows < LEAST or least < 0:
        return np.full(sums.shape[:-1], np.inf)
    apart = np.min([abs(sums / whole - 1.0) for whole in (1.0, 100.0)], axis=0)
    far: FloatArray = np.quantile(apart, PERMUTED, axis=-1)  # some rows may be something else
    totals = (c for c in profile if c.type == "number" and len(np.unique(c.numbers[:SEEN])) > LEAST)
    starts, ends = np.ogrid[: len(names) + 1, : len(names) + 1]
    first = first_rows(profile, names)
    some = int((1 - PERMUTED) * sums.shape[-1]) + 2  # of which one must fit where nearly all do
    for numbers in first_rows(profile, [column.name for column in islice(totals, TOTALS)]):
        fits = np.array(_are_close(sums[..., :some], numbers[:some]).any(axis=-1))
        fits[fits] = _are_close(sums[fits], numbers).mean(axis=-1) >= PERMUTED
        alike = _are_close(first, numbers).mean(axis=1) > 0.5 if fits.any() else np.zeros(0)
        for place in np.flatnonzero(alike):  # a total is none of its parts
            fits &= ~((starts <= place) & (place < ends))
        far = np.asarray(np.where(fits, 0.0, far))
    return far


def are_ranks(profile: Profile, values: Sequence[str], way: str) -> bool:
    """Tell whether each row, or each column of items in rows, holds ranks."""
    if len(values) > LOOKED_AT or not all(profile[name].whole for name in values):
        return False
    columns = np.array([profile[name].numbers for name in values])
    vectors = columns if way == "rows" else columns.T[:LOOKED_AT]
    several = vectors[np.isfinite(vectors).sum(axis=1) > 1]  # one rank tells nothing
    if len(several) < 2 or vectors.shape[1] < LEAST:
        return False
    up_to_all = np.nanmax(several) == vectors.shape[1] > FEW_RANKS and np.nanmin(several) == 1
    ranked = (several == 1).any(axis=1) if up_to_all else _are_ranked(several)
    return float(np.mean(ranked)) >= PERMUTED


def _are_ranked(rows: FloatArray) -> BoolArray:
    """Mark the rows whose numbers are 1, 2, 3..., as far as they go; equal ones share a rank.

    They share the first of their places, the last one, as what nobody ranked does, or one for all.
    """
    ordered = np.sort(np.where(np.isfinite(rows), rows, np.nan), axis=1)
    gone, new = np.isnan(ordered), np.diff(ordered, axis=1, prepend=np.nan) != 0
    steps, places = new.cumsum(axis=1), np.where(new, np.arange(1, rows.shape[1] + 1), 0)
    dense = ((ordered == steps) | gone).all(axis=1)
    dense &= 2 * (new & ~gone).sum(axis=1) >= (~gone).sum(axis=1)
    first = ordered == np.maximum.accumulate(places, axis=1)
    ends = np.where(
        np.diff(ordered, axis=1, append=np.nan) != 0, np.arange(1, rows.shape[1] + 1), np.inf
    )
    last = ordered == np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(dense | (first | gone).all(axis=1) | (last | gone).all(axis=1))


def is_no_score(column: Column, *, amounts: bool = False) -> bool:
    """Tell whether a column can hardly hold scores; amounts may be asked for."""
    odd = column.counts_rows or column.is_id or column.is_time or column.type == "flag"
    odd |= column.noun in known("coordinates")
    return odd or (column.is_amount and not amounts)

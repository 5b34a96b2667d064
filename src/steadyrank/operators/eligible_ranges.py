"""How far eligibility reaches from *every* rank on, in O(L log L).

Section by section of the sorted scores one would have to sum anew. Instead, sums over runs of 1, 2, 4,
8... scores are tabulated for every start, and each start takes the longest runs that still fit, as
in binary lifting. Two neighbouring runs are joined by

    D = D_1 + n_1 h + D_2,      G = G_1 + 2 h D_1 + n_1 h^2 + G_2,

with h the distance between their last scores. All terms are nonnegative: nothing cancels, which
differences of prefix sums would do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.operators.boundary import C, doubt, effective_eps, swap_eps
from steadyrank.operators.inflation import entered, reach

CHUNK = 1 << 18
"""Starts handled at once, to bound the memory of the tables."""

SETTLED = 1 << 17
"""Scores looked at together where a boundary is too close for a shortcut."""


class _Sums(NamedTuple):
    """Sums over runs of scores, relative to the last score of each run (in units of eps)."""

    total: FloatArray
    square: FloatArray

    def joined(self, count: IntArray | int, apart: FloatArray, after: _Sums) -> _Sums:
        step = count * apart
        return _Sums(
            self.total + step + after.total, self.square + apart * (2 * self.total + step) + after.square
        )

    def fit(self, eps: FloatArray) -> BoolArray:
        return self.total * self.total + self.square < eps * eps

    def at(self, places: IntArray) -> _Sums:
        return _Sums(self.total[places], self.square[places])


def eligible_ends(ranked: FloatArray, eps: float, chunk: int = CHUNK) -> IntArray:
    """Return, for each place p of descending scores, where eligibility among ``ranked[p:]`` ends.

    The items eligible for place p, once all before it are placed, are ``ranked[p:ends[p]]``.
    ``ends`` never decreases. ``chunk`` places are handled at once.

    Examples
    --------
    >>> eligible_ends(np.array([1.0, 0.5, 0.0]), 1.0)
    array([2, 3, 3])
    """
    ends = np.empty(len(ranked), dtype=np.int64)
    for start in range(0, len(ranked), chunk):
        stop = min(start + chunk, len(ranked))
        ends[start:stop] = start + _chunk_ends(ranked[start:], stop - start, eps)
    np.maximum.accumulate(ends, out=ends)
    return ends


def _chunk_ends(ranked: FloatArray, starts: int, eps: float) -> IntArray:
    """Return the ends for the first ``starts`` places."""
    # What lies eps or more below the last start is out of reach for all of them.
    ranked = ranked[: max(starts, int(_count_reaching(ranked, ranked[starts - 1] - eps)))]
    tight = effective_eps(eps, ranked[:starts]) / eps
    tables = _tables(ranked, eps)
    place = np.arange(starts)
    count = np.ones(starts, dtype=np.int64)
    sums = _Sums(np.zeros(starts), np.zeros(starts))
    for level in reversed(range(len(tables))):
        run = 1 << level
        able = np.flatnonzero(place + count + run <= len(ranked))
        following = place[able] + count[able]
        apart = _apart(ranked, following - 1, following + run - 1, eps)
        longer = sums.at(able).joined(count[able], apart, tables[level].at(following))
        fits = longer.fit(tight[able])
        taken = able[fits]
        sums.total[taken], sums.square[taken] = longer.total[fits], longer.square[fits]
        count[taken] += run
    depth = _apart(ranked, place, place + count - 1, eps)
    limit = reach(depth, count.astype(np.float64), sums, tight)
    unsure = doubt(count.astype(np.float64), eps)
    ends = _ends_within(ranked, place, (limit - unsure) * eps)
    beyond = ranked[:starts] - ranked[np.minimum(ends, len(ranked) - 1)]
    in_doubt = np.flatnonzero((ends < len(ranked)) & (beyond < (limit + unsure) * eps))
    if len(in_doubt):
        furthest = _ends_within(ranked, in_doubt, ((limit + unsure) * eps)[in_doubt])
        ends[in_doubt] = _settled_ends(ranked, in_doubt, furthest, eps)
    return ends


def _settled_ends(ranked: FloatArray, place: IntArray, furthest: IntArray, eps: float) -> IntArray:
    """Return where eligibility from these places ends, by the rule itself; ``furthest`` bounds it."""
    ends = np.empty(len(place), dtype=np.int64)
    step = max(1, SETTLED // int((furthest - place).max()))
    for start in range(0, len(place), step):
        begin, stop = place[start : start + step], furthest[start : start + step]
        window = begin[:, np.newaxis] + np.arange(int((stop - begin).max()))
        known = window < stop[:, np.newaxis]
        best = ranked[begin]
        below = best[:, np.newaxis] - ranked[np.where(known, window, 0)]
        ends[start : start + step] = begin + entered(np.where(known, below, np.inf), best, eps)
    return ends


def swap_ends(ranked: FloatArray, eps: float) -> IntArray:
    """Return, for each place of descending scores, how many scores it is not certainly above.

    All scores above it count, too.
    """
    places, depth = np.arange(len(ranked)), C * effective_eps(eps, ranked)
    return _ends(ranked, places, depth, lambda apart: swap_eps(apart, ranked) < eps)


def _ends_within(ranked: FloatArray, place: IntArray, depth: FloatArray) -> IntArray:
    """Return, for each place, how many scores lie above it or less than ``depth`` below it."""
    return _ends(ranked, place, depth, lambda apart: apart < depth)


def _ends(
    ranked: FloatArray, place: IntArray, depth: FloatArray, inside: Callable[[FloatArray], BoolArray]
) -> IntArray:
    """Return, for each place, how many scores are above it or so little below it as to be inside.

    ``depth`` tells about how far that reaches; the distances themselves decide, since a floor is
    rounded, which matters where scores are huge.
    """
    top, following = ranked[place], np.append(ranked, -np.inf)
    ends = _count_above(ranked, top - depth)
    while len(more := np.flatnonzero(inside(top - following[ends]))):
        ends[more] = _count_reaching(ranked, ranked[ends[more]])
    while len(less := np.flatnonzero((ends > place + 1) & ~inside(top - ranked[ends - 1]))):
        ends[less] = _count_above(ranked, ranked[ends[less] - 1])
    return np.maximum(ends, place + 1)


def _count_above(ranked: FloatArray, floor: FloatArray) -> IntArray:
    return np.asarray(len(ranked) - np.searchsorted(ranked[::-1], floor, side="right"))


def _count_reaching(ranked: FloatArray, floor: FloatArray) -> IntArray:
    return np.asarray(len(ranked) - np.searchsorted(ranked[::-1], floor, side="left"))


def _tables(ranked: FloatArray, eps: float) -> list[_Sums]:
    """Return the sums over runs of 1, 2, 4... scores, up to the longest that fits anywhere."""
    tables = [_Sums(np.zeros(len(ranked)), np.zeros(len(ranked)))]
    run = 1
    while 2 * run <= len(ranked):
        known = tables[-1]
        places = np.arange(len(ranked) - 2 * run + 1)
        apart = _apart(ranked, places + run - 1, places + 2 * run - 1, eps)
        doubled = known.at(places).joined(run, apart, known.at(places + run))
        if not doubled.fit(np.ones(len(places))).any():
            break
        tables.append(doubled)
        run *= 2
    return tables


def _apart(ranked: FloatArray, above: IntArray, under: IntArray, eps: float) -> FloatArray:
    """Return distances in units of eps; beyond 2 nothing is eligible, so that is the most."""
    return np.minimum((ranked[above] - ranked[under]) / eps, 2.0)

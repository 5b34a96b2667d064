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

CHUNK = 1 << 13
"""Starts handled at once, unless more are in reach of each other: few enough to stay in the cache."""

LARGEST = 1 << 18
"""Starts handled at once at most, to bound the memory of the tables."""

SETTLED = 1 << 17
"""Scores looked at together where a boundary is too close for a shortcut."""


class _Sums(NamedTuple):
    """Sums over runs of scores, relative to the last score of each run (in units of eps)."""

    total: FloatArray
    square: FloatArray

    def joined(self, count: FloatArray | int, apart: FloatArray, after: _Sums) -> _Sums:
        total = count * apart
        total += self.total
        square = total + self.total
        square *= apart
        square += self.square
        total += after.total
        square += after.square
        return _Sums(total, square)

    def fit(self, eps_squared: FloatArray | float) -> BoolArray:
        needed = self.total * self.total
        needed += self.square
        return needed < eps_squared

    def at(self, places: IntArray) -> _Sums:
        return _Sums(self.total.take(places, mode="clip"), self.square.take(places, mode="clip"))

    def between(self, start: int, stop: int) -> _Sums:
        return _Sums(self.total[start:stop], self.square[start:stop])


def eligible_ends(ranked: FloatArray, eps: float, chunk: int = CHUNK) -> IntArray:
    """Return, for each place p of descending scores, where eligibility among ``ranked[p:]`` ends.

    The items eligible for place p, once all before it are placed, are ``ranked[p:ends[p]]``.
    ``ends`` never decreases. About ``chunk`` places are handled at once.

    Examples
    --------
    >>> eligible_ends(np.array([1.0, 0.5, 0.0]), 1.0)
    array([2, 3, 3])
    """
    ends = _by_chunks(_chunk_ends, ranked, eps, chunk)
    return np.maximum.accumulate(ends, out=ends)


def swap_ends(ranked: FloatArray, eps: float, chunk: int = CHUNK) -> IntArray:
    """Return, for each place of descending scores, how many scores it is not certainly above.

    All scores above it count, too.
    """
    return _by_chunks(_chunk_swaps, ranked, eps, chunk)


def _by_chunks(
    ends_of: Callable[[FloatArray, int, float], IntArray], ranked: FloatArray, eps: float, chunk: int
) -> IntArray:
    """Return the ends for all places: of each chunk from its starts and the scores in their reach."""
    ends, start = np.empty(len(ranked), dtype=np.int64), 0
    while start < len(ranked):
        within = int(_count_reaching(ranked, ranked[start] - eps)) - start
        stop = min(start + max(chunk, min(within, LARGEST)), len(ranked))
        # What lies eps or more below the last start is out of reach for all of them.
        reached = max(stop, int(_count_reaching(ranked, ranked[stop - 1] - eps)))
        ends[start:stop] = ends_of(ranked[start:reached], stop - start, eps)
        ends[start:stop] += start
        start = stop
    return ends


def _chunk_swaps(ranked: FloatArray, starts: int, eps: float) -> IntArray:
    """Return the swap ends for the first ``starts`` places."""
    top = ranked[:starts]
    depth = C * effective_eps(eps, top)
    return _ends(ranked, np.arange(starts), depth, lambda apart: swap_eps(apart, top) < eps)


def _chunk_ends(ranked: FloatArray, starts: int, eps: float) -> IntArray:
    """Return the ends of eligibility for the first ``starts`` places."""
    place, top = np.arange(starts), ranked[:starts]
    tight = effective_eps(eps, top) / eps
    square = tight * tight
    last, at, count, sums = place, top, np.ones(starts), _Sums(np.zeros(starts), np.zeros(starts))
    for level, table in reversed(list(enumerate(_tables(ranked, eps)))):
        run = 1 << level
        further = last + run
        under = ranked.take(further, mode="clip")
        longer = sums.joined(count, _apart(at, under, eps), table.at(last + 1))
        fits = longer.fit(square)
        fits &= further < len(ranked)
        last, at = np.where(fits, further, last), np.where(fits, under, at)
        sums = _Sums(*(np.where(fits, new, old) for new, old in zip(longer, sums, strict=True)))
        count += run * fits
    limit = reach(_apart(top, at, eps), count, sums, tight)
    unsure = doubt(count, eps)
    ends = _ends_within(ranked, place, (limit - unsure) * eps)
    furthest = (limit + unsure) * eps
    beyond = top - ranked.take(ends, mode="clip")
    in_doubt = np.flatnonzero((ends < len(ranked)) & (beyond < furthest))
    if len(in_doubt):
        within = _ends_within(ranked, in_doubt, furthest[in_doubt])
        ends[in_doubt] = _settled_ends(ranked, in_doubt, within, eps)
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
        known, pairs = tables[-1], len(ranked) - 2 * run + 1
        apart = _apart(ranked[run - 1 : run - 1 + pairs], ranked[2 * run - 1 :], eps)
        doubled = known.between(0, pairs).joined(run, apart, known.between(run, run + pairs))
        if not doubled.fit(1.0).any():
            break
        tables.append(doubled)
        run *= 2
    return tables


def _apart(above: FloatArray, under: FloatArray, eps: float) -> FloatArray:
    """Return distances in units of eps; beyond 2 nothing is eligible, so that is the most."""
    apart = above - under
    apart /= eps
    return np.minimum(apart, 2.0, out=apart)

"""Rank intervals, the common order and tiers of an inflated ranking, without any permutation.

The best rank of an item is the first k whose inflated top-k holds it; its worst
rank is the number of items above ``w_j - c``; i comes before j in every ranking exactly if
``w_i - w_j >= c``. All are attained: see the theory page of the documentation for the proofs.

How far eligibility reaches from *every* rank on is found in O(L log L). Section by section of the sorted
scores one would have to sum anew. Instead, sums over runs of 1, 2, 4, 8... scores are tabulated for
every start, and each start takes the longest runs that still fit, as in binary lifting. Two neighbouring
runs are joined by

    D = D_1 + n_1 h + D_2,      G = G_1 + 2 h D_1 + n_1 h^2 + G_2,

with h the distance between their last scores. All terms are nonnegative: nothing cancels, which
differences of prefix sums would do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.operators.checks import check_eps, check_scores, check_size
from steadyrank.operators.inflation import (
    UNIT,
    C,
    doubt,
    effective_eps,
    entered,
    reach,
    swap_eps,
)
from steadyrank.operators.topk_sets import best_first

CHUNK = 1 << 15
"""Starts handled at once, unless more are in reach of each other: few enough to stay in the cache."""

LARGEST = 1 << 18
"""Starts handled at once at most, to bound the memory of the tables."""

SETTLED = 1 << 17
"""Scores looked at together where a boundary is too close for a shortcut."""


@np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
def rank_intervals(scores: ArrayLike, eps: float) -> tuple[IntArray, IntArray]:
    """Return the best and the worst rank (1 = first) of each item over the inflated ranking.

    Both are attained by some ranking of the set. Time grows as that of a sort.

    Examples
    --------
    >>> best, worst = rank_intervals([1.0, 0.5, 0.0], eps=1.0)
    >>> best, worst
    (array([1, 1, 2]), array([2, 3, 3]))
    """
    values = check_scores(scores)
    eps = check_eps(eps)
    order, ranked = best_first(values)
    best, worst = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    known = 0  # of so many, best first, the best rank is known: how often eligibility has ended by then
    for part, eligible, swaps in rank_ranges(ranked, eps):
        worst[order[part]] = swaps
        ended = np.bincount(eligible - known)
        ended[0] += part.start
        best[order[known : eligible[-1]]] = ended.cumsum()[:-1] + 1
        known = eligible[-1]
    return best, worst


@np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
def certainly_above(scores: ArrayLike, eps: float) -> BoolArray:
    """Return the common order, as a matrix: entry (i, j) is True if i is above j in every ranking.

    Examples
    --------
    >>> certainly_above([1.0, 0.5, 0.0], eps=1.0)[0]
    array([False, False,  True])
    """
    values, eps = check_scores(scores), check_eps(eps)
    check_size(
        len(values) ** 2,
        f"the order of {len(values):,} items",
        "Ask for fewer of them.",
    )
    above, below = values[:, np.newaxis], values
    return np.asarray((above > below) & (eps <= swap_eps(above - below, above)))


def tiers(scores: ArrayLike, eps: float) -> list[IntArray]:
    """Return the blocks of items that no ranking of the set mixes, best block first.

    A new tier begins wherever neighbours in the sorted order differ by at least c.

    Examples
    --------
    >>> tiers([5.0, 1.0, 4.9, 0.8], eps=1.0)
    [array([0, 2]), array([1, 3])]
    """
    values = check_scores(scores)
    eps = check_eps(eps)
    order, ranked = best_first(values)
    return np.split(order, tier_starts(ranked, eps))


def tier_starts(ranked: FloatArray, eps: float) -> IntArray:
    """Return the places, after the first, at which a tier of descending scores begins."""
    return 1 + np.flatnonzero(eps <= tier_eps(ranked))


@np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
def tier_eps(ranked: FloatArray) -> FloatArray:
    """Return, for each of descending scores but the first, the eps above which no tier begins there."""
    return swap_eps(ranked[:-1] - ranked[1:], ranked[:-1])


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
        square += after.square
        total += after.total
        return _Sums(total, square)

    def fit(self, eps_squared: FloatArray | float) -> BoolArray:
        both = self.total * self.total
        both += self.square
        return both < eps_squared

    def where(self, fits: BoolArray, shorter: _Sums) -> _Sums:
        """Return these sums, overwritten by the shorter ones where they do not fit.

        Sums only grow, so that the larger one is right: a branch at every place would take longer.
        """
        kept = fits.astype(np.float64)
        for longer, less in zip(self, shorter, strict=True):
            np.maximum(np.multiply(longer, kept, out=longer), less, out=longer)
        return self

    def at(self, places: IntArray) -> _Sums:
        return _Sums(
            self.total.take(places, mode="clip"), self.square.take(places, mode="clip")
        )

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
    return np.concatenate([ends for _, ends, _ in rank_ranges(ranked, eps, chunk)])


def swap_ends(ranked: FloatArray, eps: float, chunk: int = CHUNK) -> IntArray:
    """Return, for each place of descending scores, how many scores it is not certainly above.

    All scores above it count, too.
    """
    return np.concatenate([swaps for _, _, swaps in rank_ranges(ranked, eps, chunk)])


def rank_ranges(
    ranked: FloatArray, eps: float, chunk: int = CHUNK
) -> Iterator[tuple[slice, IntArray, IntArray]]:
    """Yield some places, where eligibility from them ends, and their swap ends."""
    furthest = 0
    for first, depths, starts in _chunks(ranked, eps, chunk):
        ends = first + _chunk_ends(depths, starts, eps)
        ends[0] = max(
            ends[0], furthest
        )  # they never decrease by theory; now also after rounding
        furthest = np.maximum.accumulate(ends, out=ends)[-1]
        yield (
            slice(first, first + starts),
            ends,
            first + _chunk_swaps(depths, starts, eps),
        )


def _chunks(
    ranked: FloatArray, eps: float, chunk: int
) -> Iterator[tuple[int, FloatArray, int]]:
    """Yield the first of some places, the depths from there as far as they reach, and their number.

    Depths are scores with their sign changed: they ascend, and after the last comes infinity.
    """

    def reaching(floor: float) -> int:
        return len(ranked) - int(np.searchsorted(ranked[::-1], floor, side="left"))

    start = 0
    while start < len(ranked):
        within = reaching(ranked[start] - eps) - start
        stop = min(start + max(chunk, min(within, LARGEST)), len(ranked))
        # What lies eps or more below the last start is out of reach for all of them.
        reached = max(stop, reaching(ranked[stop - 1] - eps))
        depths = np.append(ranked[start:reached], -np.inf)
        yield start, np.negative(depths, out=depths), stop - start
        start = stop


def _chunk_swaps(depths: FloatArray, starts: int, eps: float) -> IntArray:
    """Return the swap ends for the first ``starts`` places.

    A depth tells about where they are; the distances themselves decide, since a sum is rounded,
    which matters where scores are huge.
    """
    place, top = np.arange(starts), depths[:starts]

    def inside(places: IntArray) -> BoolArray:
        return swap_eps(depths.take(places, mode="clip") - top, top) < eps

    ends = depths.searchsorted(top + C * effective_eps(eps, top))
    while len(more := np.flatnonzero(inside(ends))):
        ends[more] = depths.searchsorted(depths[ends[more]], side="right")
    while len(less := np.flatnonzero((ends > place + 1) & ~inside(ends - 1))):
        ends[less] = depths.searchsorted(depths[ends[less] - 1])
    return np.maximum(ends, place + 1)


def _chunk_ends(depths: FloatArray, starts: int, eps: float) -> IntArray:
    """Return the ends of eligibility for the first ``starts`` places."""
    top = depths[:starts]
    tight = effective_eps(eps, top) / eps
    past, count, sums = _longest_runs(depths, starts, tight * tight, eps)
    limit = reach(_apart(top, depths.take(past - 1), eps), count, sums, tight)
    # Where a depth ends is rounded, too: a search among large scores cannot tell it to the last digit.
    unsure = doubt(count, eps) + 4 * UNIT * np.abs(top) / eps
    ends = np.maximum(
        depths.searchsorted(top + (limit - unsure) * eps), np.arange(1, starts + 1)
    )
    limit = (limit + unsure) * eps
    in_doubt = np.flatnonzero(depths.take(ends) - top < limit)
    if len(in_doubt):
        furthest = depths.searchsorted(top[in_doubt] + limit[in_doubt], side="right")
        ends[in_doubt] = _settled_ends(depths, in_doubt, furthest, eps)
    return ends


def _longest_runs(
    depths: FloatArray, starts: int, most: FloatArray, eps: float
) -> tuple[IntArray, FloatArray, _Sums]:
    """Return, for each start, where its longest run that fits ends, its length and its sums."""
    ends, count, sums = (
        np.arange(starts),
        np.zeros(starts),
        _Sums(np.zeros(starts), np.zeros(starts)),
    )
    for level, table in reversed(list(enumerate(_tables(depths, eps)))):
        run = 1 << level
        above, under = (depths.take(ends + more, mode="clip") for more in (-1, run - 1))
        longer = sums.joined(count, _apart(above, under, eps), table.at(ends))
        fits = longer.fit(most)
        sums = longer.where(fits, sums)
        grown = run * fits
        ends += grown
        count += grown
    return ends, count, sums


def _settled_ends(
    depths: FloatArray, place: IntArray, furthest: IntArray, eps: float
) -> IntArray:
    """Return where eligibility from these places ends, by the rule itself; ``furthest`` bounds it."""
    ends = np.empty(len(place), dtype=np.int64)
    step = max(1, SETTLED // int((furthest - place).max()))
    for start in range(0, len(place), step):
        begin, stop = place[start : start + step], furthest[start : start + step]
        window = begin[:, np.newaxis] + np.arange(int((stop - begin).max()))
        top, known = depths[begin], window < stop[:, np.newaxis]
        below = np.where(
            known, depths.take(window, mode="clip") - top[:, np.newaxis], np.inf
        )
        ends[start : start + step] = begin + entered(below, -top, eps)
    return ends


def _tables(depths: FloatArray, eps: float) -> list[_Sums]:
    """Return the sums over runs of 1, 2, 4... scores, up to the longest that fits anywhere."""
    tables = [_Sums(np.zeros(len(depths)), np.zeros(len(depths)))]
    run = 1
    while 2 * run <= len(depths):
        known, pairs = tables[-1], len(depths) - 2 * run + 1
        apart = _apart(depths[run - 1 : run - 1 + pairs], depths[2 * run - 1 :], eps)
        doubled = known.between(0, pairs).joined(
            run, apart, known.between(run, run + pairs)
        )
        if not doubled.fit(1.0).any():
            break
        tables.append(doubled)
        run *= 2
    return tables


def _apart(above: FloatArray, under: FloatArray, eps: float) -> FloatArray:
    """Return distances in units of eps; beyond 2 nothing is eligible, so that is the most."""
    apart = under - above
    apart /= eps
    return np.minimum(apart, 2.0, out=apart)

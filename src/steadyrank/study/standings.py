r"""Where items stand when each unit is left out in turn: facts about the data, with no eps in them.

Two passes over the left-out scores tell all of it. The first looks at the items that can be among the k
best at all, and tells who is, without each unit. The second looks at the items that can ever be ahead of
one that is shown, and tells the ranks of those. In both, a unit that leaves the order as it is costs a
comparison of neighbours and no sorting.

The standings of every k follow from the ranks: an item is *sure* if its worst rank is k or better, and a
*contender* if k lies between its best rank and its worst.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from steadyrank.reading.arrays import frozen
from steadyrank.scorers.base import LeaveOneOut, Sketched
from steadyrank.scorers.sums import SumsOut
from steadyrank.sums.blocks import DenseBlock, SparseBlock, Wanted
from steadyrank.sums.model import Entries
from steadyrank.sums.points import Points

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.study.facts import Facts

Standing = Literal["sure", "contender", "out"]

ALL_ITEMS = 4_000_000
"""Distinct units times items up to which all items have their ranks."""

NEIGHBOURS = 25
"""Of larger data, so many items beyond the list have theirs, too."""

FITTED = 4_000_000
"""Distinct units times items from which ranks of fitted scores rest on bounds."""

NEAR_RANKS = (
    "ranks: no single removal goes beyond those shown; some ranges may be too wide, as exact ones would "
    "take longer than all the rest"
)

THIN = 32
"""From so many scores for each value on, ranks come from what units touch and not from whole rows."""

RIVALS = 2_000
"""If more items than this can be ahead of those neighbours, they have none."""


@dataclass(frozen=True)
class Ranks:
    """The best and the worst plain rank of the first items, over the data and all single deletions.

    Attributes
    ----------
    best, worst : int arrays
        Their ranks, in the order of the plain ranking.
    exact : bool
        Whether these are reached, and not only never left.
    """

    best: IntArray
    worst: IntArray
    exact: bool = True

    def __len__(self) -> int:
        return len(self.best)

    def at_cut(self, k: int, inside: IntArray, total: int) -> Ranks:
        """Return ranks that cross the cut after rank k for contenders alone, whom deletions told.

        ``inside``: without how many of the units, ``total`` in all, each is among the k best.
        """
        first = np.arange(len(self)) < k
        sure, out = first & (inside == total), ~first & (inside == 0)
        best = np.where(out, np.maximum(self.best, k + 1), self.best)
        worst = np.where(sure, np.minimum(self.worst, k), self.worst)
        return Ranks(frozen(best), frozen(worst), self.exact)


def upto_which(facts: Facts, size: int) -> int:
    """Return how many of the first items get their ranks, if a list holds ``size`` of them."""
    items = len(facts.items)
    if len(facts.units) * items <= ALL_ITEMS:
        return items
    wanted = min(items, size + NEIGHBOURS)
    return wanted if len(_rivals(facts, wanted)) <= RIVALS else size


def rank_ranges(facts: Facts, upto: int) -> Ranks:
    """Return the best and the worst rank of each of the first ``upto`` items.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> found = rank_ranges(Study(Votes(["ann"] * 3 + ["bob"] * 2 + ["cyd"] * 2)).facts, 3)
    >>> found.best, found.worst
    (array([1, 2, 2]), array([1, 3, 3]))
    """
    rivals, loo = _rivals(facts, upto), facts.leave_one_out
    added, scores, blocks = loo.added if isinstance(loo, SumsOut) else None, loo.scores, None
    rows = len(loo.units) * len(rivals)
    if isinstance(added, Entries) and rows > THIN * int(added.observed[rivals].sum()):
        blocks = loo.touching(rivals)
    elif isinstance(added, Points) and rows > THIN * len(added.listed):
        left, scores = added.totals_left(), added.totals[0].astype(np.float64)
        blocks = None if left is None else iter([left.among(Wanted.of(scores, rivals))])
    if blocks is not None:  # units touch few items, and all others keep their scores
        return _ranges_of_touched(scores, rivals, upto, blocks)
    return _ranges(loo, rivals, np.searchsorted(rivals, facts.order[:upto]))


def _ranges_of_touched(
    scores: FloatArray, items: IntArray, upto: int, blocks: Iterator[SparseBlock]
) -> Ranks:
    r"""Return the ranges of the first ``upto`` of these items, from what units touch among them alone.

    Let ``a`` be the place that the new score of a touched item has in the plain ranking. Without the
    unit, an item that it does not touch goes down by one for each ``a`` up to its place, and up by one
    for each touched item that was ahead of it: between these places all go up or down by the same.
    """
    order = items[np.lexsort((items, -scores[items]))]
    place, size = np.empty(len(scores), dtype=np.int64), len(order)
    place[order] = np.arange(size)
    best, worst = np.arange(1, size + 1), np.arange(1, size + 1)
    ups, downs = np.zeros((2, upto), dtype=np.int64)
    for block in blocks:
        owner, old = block.owners() * (size + 1), place[block.items]
        first = np.repeat(block.indptr[:-1], np.diff(block.indptr))
        # Equal scores are in the order of their items: one search for both, in ranks of them.
        _, level = np.unique(np.concatenate([-scores[order], -block.scores]), return_inverse=True)
        keys = level * np.int64(len(scores)) + np.concatenate([order, block.items])
        new = np.searchsorted(keys[:size], keys[size:])
        among = np.empty(len(new), dtype=np.int64)
        among[np.lexsort((keys[size:], owner))] = np.arange(len(new))
        gone = np.searchsorted(np.sort(owner + old), owner + new)
        rank = 1 + new - (gone - first) + (among - first)
        np.minimum.at(best, old, rank)
        np.maximum.at(worst, old, rank)
        ends = np.concatenate([owner + new, owner + old, owner + old + 1])
        steps = np.repeat([1, 0, -1], len(new))
        by_place = np.argsort(ends, kind="stable")
        ends, change = ends[by_place], np.cumsum(steps[by_place])
        moved, begin = (ends[:-1] < ends[1:]) & (change[:-1] != 0), ends[:-1] % (size + 1)
        moved &= begin < upto
        moved[np.searchsorted(ends, owner + old, side="right") - 1] = False  # touched: seen above
        begin, end, change = begin[moved], (begin + np.diff(ends))[moved], change[:-1][moved]
        _widen(ups, begin, end, -change)
        _widen(downs, begin, end, change)
    here = np.arange(1, upto + 1)
    np.minimum(best[:upto], here - ups, out=best[:upto])
    np.maximum(worst[:upto], here + downs, out=worst[:upto])
    return Ranks(frozen(best[:upto]), frozen(worst[:upto]))


def _widen(most: IntArray, begin: IntArray, end: IntArray, number: IntArray) -> None:
    """Raise what the places from ``begin`` to before ``end`` have to a number, as far as there are some.

    Few numbers occur: of all spans that have one, ends are counted together.
    """
    for one in np.unique(number[number > 0]).tolist():
        same, size = number == one, len(most)
        steps = np.bincount(begin[same], minlength=size)
        steps -= np.bincount(np.minimum(end[same], size), minlength=size + 1)[:size]
        inside = np.cumsum(steps) > 0
        most[inside] = np.maximum(most[inside], one)


def near_rank_ranges(facts: Facts, upto: int) -> Ranks:
    """Return ranks that no deletion takes one of the first items beyond, for what a column is worth.

    Of large data whose scores are fitted anew without each unit, nearby scores tell them; ranks may
    then be wider than the exact ones. Of all other data they are exact.
    """
    loo = facts.leave_one_out
    if not isinstance(loo, Sketched) or len(loo.units) * len(loo.scores) <= FITTED:
        return facts.ranks(upto)
    rivals = _rivals(facts, upto)
    columns = np.searchsorted(rivals, facts.order[:upto])
    best = worst = np.arange(1, upto + 1)
    for _, rows, errors in loo.nearby(rivals):
        for low, high in zip(rows - errors, rows + errors, strict=True):
            better, worse = _possible_ranks(low, high, columns)
            best, worst = np.minimum(best, better), np.maximum(worst, worse)
    return Ranks(frozen(best), frozen(worst), exact=False)


def place_ranges(facts: Facts, items: IntArray) -> Ranks:
    """Return the best and the worst place of items among themselves, equal scores in either order.

    As ranks, these are over the data and all single deletions, but they are in the order of ``items``.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> facts = Study(Votes(["ann"] * 3 + ["bob"] * 2 + ["cyd"] * 2)).facts
    >>> found = place_ranges(facts, np.array([2, 0]))
    >>> found.best, found.worst
    (array([1, 1]), array([2, 2]))
    """
    return _ranges(facts.leave_one_out, items, np.arange(len(items)), equals=True)


def _ranges(loo: LeaveOneOut, items: IntArray, columns: IntArray, *, equals: bool = False) -> Ranks:
    """Return the best and the worst rank of those in some columns of these items, among all of them."""
    base = loo.scores[items]
    by_plain = np.argsort(-base, kind="stable")
    best, worst = (ranks[0, columns] for ranks in _ranks(base[np.newaxis], equals=equals))

    def settled(rows: FloatArray, errors: FloatArray) -> BoolArray:
        low, high = rows - errors, rows + errors
        fine = np.asarray((low[:, by_plain[:-1]] > high[:, by_plain[1:]]).all(axis=1))
        low, high = low[~fine], high[~fine]
        mine, yours = high[:, columns], low[:, columns]
        lows, highs = (np.sort(part, axis=1)[:, ::-1] for part in (low, high))
        # Whatever the exact scores are, these ranks are reached, and those between them are nothing new.
        reached = (lows[:, worst - 1] > mine) | (highs[:, best - 1] < yours)
        for number in np.flatnonzero(reached.any(axis=1)).tolist():
            better, worse = _possible_ranks(low[number], high[number], columns)
            np.minimum(best, worse, out=best)
            np.maximum(worst, better, out=worst)
        further = (best > 1) & (lows[:, best - 2] <= mine)
        further |= (worst < len(items)) & (highs[:, np.minimum(worst, len(items) - 1)] >= yours)
        fine[~fine] = ~further.any(axis=1)
        return fine

    for _, rows in loo.columns(items, None, settled):
        moved = DenseBlock(0, rows).reordered(base, by_plain)
        if equals:
            moved |= (rows[:, by_plain[:-1]] == rows[:, by_plain[1:]]).any(axis=1)
        if moved.any():
            high, low = _ranks(rows[moved], equals=equals)
            np.minimum(best, high[:, columns].min(axis=0), out=best)
            np.maximum(worst, low[:, columns].max(axis=0), out=worst)
    return Ranks(frozen(best), frozen(worst))


def _rivals(facts: Facts, upto: int) -> IntArray:
    """Return the items that may ever be ahead of one of the first ``upto``, these included."""
    lowest, highest = facts.outer_bounds
    return np.flatnonzero(highest >= lowest[facts.order[:upto]].min(initial=np.inf))


def _ranks(rows: FloatArray, *, equals: bool) -> tuple[IntArray, IntArray]:
    """Return the best and the worst rank of each item in each row; of equals, in either order."""
    every = np.arange(rows.shape[1])
    if equals:
        best, worst = zip(*(_possible_ranks(row, row, every) for row in rows), strict=True)
        return np.array(best), np.array(worst)
    order = np.argsort(-rows, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, 1 + every[np.newaxis], axis=1)
    return ranks, ranks


def _possible_ranks(low: FloatArray, high: FloatArray, columns: IntArray) -> tuple[IntArray, IntArray]:
    """Return the best and the worst rank that some items may have, from bounds of all scores."""
    best = len(low) - np.searchsorted(np.sort(low), high[columns], side="right") + 1
    return best, len(high) - np.searchsorted(np.sort(high), low[columns], side="left")

r"""Where items stand when each unit is left out in turn: facts about the data, with no eps in them.

Two passes over the left-out scores tell all of it. The first looks at the items that can be among the k
best at all, and tells who is, without each unit. The second looks at the items that can ever be ahead of
one that is shown, and tells the ranks of those. In both, a unit that leaves the order as it is costs a
comparison of neighbours and no sorting.

The standings of every k follow from the ranks: an item is *sure* if its worst rank is k or better, and a
*contender* if k lies between its best rank and its worst.

Which items can matter at all? Usually k and a few more. Bound the score of every item over D and all
D\i by ``lowest`` and ``highest``. Then no k-th best score is below ``theta``, the k-th largest lowest
score, nor above the k-th largest highest score. An item that never comes within c of theta is in no
answer and in no window; an item that never falls to the k-th best is in every answer. What is left,
the *active* items, decides.

Bounds of single items let thousands of them fall at once, which no unit makes happen that touches few.
A unit that touches t items leaves the order of all others as it is. Let ``u_1, u_2, ...`` be those
others, best first. At most t items pass ``u_m``, so ``u_1 .. u_(k - t - 1)`` stay among the k - 1 best,
and what is k-th best is decided by ``u_(k - t) .. u_k`` and the t touched items alone: at most 2 t + 1
scores, however many items are tied there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from steadyrank._typing import frozen
from steadyrank.operators.inflation import ROUNDING, STEEPEST, C, critical_eps
from steadyrank.operators.topk_sets import member_cut, windows_from
from steadyrank.scorers.base import LeaveOneOut, Sketched
from steadyrank.scorers.sums import SumsOut
from steadyrank.sums.blocks import DenseBlock, SparseBlock, Wanted
from steadyrank.sums.model import Entries
from steadyrank.sums.points import Points

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.study.facts import Facts

Members: TypeAlias = "Callable[[FloatArray, FloatArray, int], BoolArray]"
"""From score rows, what they hold from a rank on, and that rank to membership, row by row."""

FEW_UNITS = 1 << 12
"""Up to so many units, all are looked at sooner than it is known which of them cannot matter."""

MARGIN = 1 + 1e-9
"""Items on the edge are kept: rounding must not prune."""

SMALLEST = float(np.finfo(np.float64).smallest_subnormal)
"""Any move at all is at least as far."""

MANY = 512
"""Up to so many items that decide an answer, rows of all of them are quicker for every unit."""

FEW = 32
"""Units that touch more of the items near rank k are looked at in rows of all of these."""

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


def plain_members(rows: FloatArray, window: FloatArray, places: int) -> BoolArray:
    """Return the plain top-k of score rows; the smaller index wins a tie.

    Examples
    --------
    >>> plain_members(np.array([[1.0, 3.0, 1.0]]), np.array([[1.0, 1.0]]), 2)
    array([[ True,  True, False]])
    """
    kth = window[:, :1]
    inside: BoolArray = rows >= kth
    tied = np.flatnonzero((window[:, 1:2] == kth).any(axis=1))
    if len(tied):  # the last of those that are equal stay outside
        equal = rows[tied] == kth[tied]
        first = equal.sum(axis=1) - (inside[tied].sum(axis=1) - places)
        inside[tied] &= ~equal | (np.cumsum(equal, axis=1) <= first[:, np.newaxis])
    return inside


def inflated_members(eps: float) -> Members:
    """Return the inflated top-k as a function of score rows."""

    @np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
    def members(rows: FloatArray, window: FloatArray, places: int) -> BoolArray:
        return np.asarray(rows >= member_cut(rows, window, places, eps)[:, np.newaxis])

    return members


@dataclass(frozen=True)
class Active:
    """The items that decide a top-k audit.

    Attributes
    ----------
    k : int
        How many items are wanted.
    items : int array
        The active items, in the order of their indices (which settles ties).
    always_in : int
        How many other items are among the k - 1 best of every answer.
    """

    k: int
    items: IntArray
    always_in: int

    @property
    def places(self) -> int:
        """How many of the k places the active items compete for."""
        return self.k - self.always_in

    def answer(self, members: Members, scores: FloatArray) -> BoolArray:
        """Return which of the active items are members by these scores of all items."""
        return np.asarray(self.answers(members, scores[self.items][np.newaxis])[0])

    def answers(self, members: Members, rows: FloatArray) -> BoolArray:
        """Return which of the active items are members by each row of their scores."""
        return members(rows, windows_from(rows, self.places), self.places)


Part: TypeAlias = "tuple[Active, IntArray, FloatArray]"
"""Active items, units, and the scores of these items without each of those units."""


def active_items(
    lowest: FloatArray, highest: FloatArray, k: int, depth: float
) -> Active:
    """Return the items that decide the audit of a top k if answers reach so far below the k-th best.

    Examples
    --------
    >>> low, high = np.array([9.0, 4.0, 3.0, 0.0]), np.array([9.5, 5.0, 4.5, 0.5])
    >>> active_items(low, high, 2, 0.1)
    Active(k=2, items=array([1, 2]), always_in=1)
    """
    # Python's numbers: a difference beyond all floats is infinite.
    theta, ceiling = (np.partition(end, -k)[-k].item() for end in (lowest, highest))
    return _active_between(lowest, highest, k, theta - depth * MARGIN, ceiling)


def _active_between(
    lowest: FloatArray, highest: FloatArray, k: int, floor: float, ceiling: float
) -> Active:
    """Return the items that can reach the floor, less those that never fall to the ceiling."""
    never_kth = lowest > ceiling
    return Active(
        k, np.flatnonzero((highest >= floor) & ~never_kth), int(never_kth.sum())
    )


@np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
def least_move(scores: FloatArray, places: int, eps: float | None) -> float:
    """Return a positive number: if no score moves as far, the plain and the inflated top-k stay.

    Of the k-th best score and the next one, neither passes the other before one moves by half their
    distance; a critical eps moves at most ``STEEPEST`` times as far as the scores.

    Examples
    --------
    >>> round(least_move(np.array([5.0, 3.0, 1.0]), 1, None), 6)
    1.0
    """
    ranked = np.sort(scores)[::-1]
    kept = (
        float(ranked[places - 1] - ranked[places]) / 2
        if places < len(ranked)
        else np.inf
    )
    if eps is not None:
        apart = float(np.abs(critical_eps(scores, places) - eps).min())
        rounding = ROUNDING * (eps + float(np.abs(scores).max()))
        kept = min(kept, (apart - 4 * rounding) / STEEPEST)
    return max(kept / MARGIN, SMALLEST)


class TopKRows:
    """Scores without each unit wherever they may change a top-k answer, for several k at once.

    Parameters
    ----------
    facts : Facts
        Scores with and without each unit.
    eps : mapping
        The values of k, and the inflation up to which answers are asked for of each.
    """

    def __init__(self, facts: Facts, eps: Mapping[int, float]) -> None:
        self._facts = facts
        self._loo = facts.leave_one_out
        self._eps = eps
        self._depth = {k: C * each for k, each in eps.items()}
        bounds = facts.outer_bounds
        self._active = {
            k: active_items(*bounds, k, depth) for k, depth in self._depth.items()
        }

    def changed_rows(
        self, *, inflated: bool, every: bool = False, wanted: BoolArray | None = None
    ) -> Iterator[Part]:
        """Yield (active, units, their scores of the active items) wherever an answer may change.

        Who is in the plain top k is exact; who is in the inflated one, if that is asked for. With
        ``every``, all units that change a score, for answers of which nothing else is known. With
        ``wanted``, a mask of the distinct units, the others are passed over.
        """
        for actives, among in self._looks:
            asked = (
                among if wanted is None else wanted if among is None else wanted & among
            )
            yield from self._changed_rows(
                actives, asked, inflated=inflated, every=every
            )

    @cached_property
    def _looks(self) -> list[tuple[list[Active], BoolArray | None]]:
        """The active items, and the units that they decide for; None stands for all units.

        Where most units touch few items, the k-th best score without them is known, and few items come
        near it; all that the bounds allow are looked at for the other units alone.
        """
        looks: list[tuple[list[Active], BoolArray | None]] = []
        rest, (lowest, highest) = [], self._facts.outer_bounds
        for k, active in self._active.items():
            known = (
                kth_range(self._loo, highest, k) if len(active.items) > MANY else None
            )
            if known is None:
                rest.append(active)
                continue
            theta, ceiling, many = known
            near = _active_between(
                lowest, highest, k, theta - self._depth[k] * MARGIN, ceiling
            )
            looks += [
                ([one], among)
                for one, among in ((near, ~many), (active, many))
                if among.any()
            ]
        return [*looks, (rest, None)] if rest else looks

    def _changed_rows(
        self,
        actives: list[Active],
        among: BoolArray | None,
        *,
        inflated: bool,
        every: bool,
    ) -> Iterator[Part]:
        """Yield (active, units, scores of the active items) for units that may change an answer."""
        union = np.unique(np.concatenate([active.items for active in actives]))
        where = [np.searchsorted(union, active.items) for active in actives]
        bases = [self._loo.scores[active.items] for active in actives]
        leasts = [SMALLEST] * len(actives)
        if not every and len(self._loo.units) > FEW_UNITS:
            eps = [self._eps[active.k] if inflated else None for active in actives]
            leasts = list(
                map(least_move, bases, [active.places for active in actives], eps)
            )

        def apart(rows: FloatArray, errors: FloatArray) -> BoolArray:
            fine = np.ones(len(rows), dtype=np.bool_)
            for active, columns in zip(actives, where, strict=True):
                fine &= _best_apart(rows[:, columns], errors[:, columns], active.places)
            return fine

        def settled(rows: FloatArray, errors: FloatArray) -> BoolArray:
            reach = STEEPEST * errors.max(axis=1, keepdims=True)
            fine = np.ones(len(rows), dtype=np.bool_)
            for active, columns in zip(actives, where, strict=True):
                critical = critical_eps(rows[:, columns], active.places)
                for eps in (0.0, self._eps[active.k]):
                    sure = np.maximum(
                        (critical < eps - reach).sum(axis=1), active.places
                    )
                    fine &= sure == (critical <= eps + reach).sum(axis=1)
            return fine

        for units, rows in self._loo.columns(
            union, among, settled if inflated else apart
        ):
            for active, columns, base, least in zip(
                actives, where, bases, leasts, strict=True
            ):
                scores = rows.take(columns, axis=1)
                with np.errstate(
                    over="ignore"
                ):  # what moves beyond all floats moves far enough
                    moved = np.flatnonzero((np.abs(scores - base) >= least).any(axis=1))
                if len(moved):
                    yield active, units[moved], scores[moved]


def plain_changes(
    facts: Facts, k: int, wanted: BoolArray | None = None
) -> Iterator[tuple[Active, IntArray, BoolArray, BoolArray]]:
    """Yield active items, units that change the plain top k, who was in it, and who is without each.

    With ``wanted``, a mask of the distinct units, the others are passed over.
    """
    for active, units, rows in TopKRows(facts, {k: 0.0}).changed_rows(
        inflated=False, wanted=wanted
    ):
        old, new = (
            active.answer(plain_members, facts.scores),
            active.answers(plain_members, rows),
        )
        moved = np.flatnonzero((new != old).any(axis=1))
        if len(moved):
            yield active, units[moved], old, new[moved]


def _best_apart(rows: FloatArray, errors: FloatArray, places: int) -> BoolArray:
    """Tell in which rows so many scores are above all others, however far each of them is off."""
    if places >= rows.shape[1]:
        return np.ones(len(rows), dtype=np.bool_)
    order = np.argpartition(-rows, places - 1, axis=1)
    low, high = (
        np.take_along_axis(ends, order, axis=1)
        for ends in (rows - errors, rows + errors)
    )
    return np.asarray(low[:, :places].min(axis=1) > high[:, places:].max(axis=1))


def blocks_near(
    loo: LeaveOneOut, highest: FloatArray, k: int, few: int
) -> Iterator[SparseBlock] | None:
    """Yield what units change among the items that can reach the rank ``few`` below the k-th.

    All other items are behind ``u_k``, with and without a unit that touches few. None where units may
    touch all items, or where there are hardly more.

    Parameters
    ----------
    loo : LeaveOneOut
        The scores with and without each unit.
    highest : float array (items,)
        The highest score of each item, with and without each unit.
    k, few : int
        The rank, and how many items may be touched.
    """
    rank = len(highest) - k - few
    if rank < 0:
        return None
    floor = np.partition(loo.scores, rank)[rank]
    return loo.touching(np.flatnonzero(highest >= floor))


def near_rows(
    loo: LeaveOneOut, block: SparseBlock, k: int, few: int
) -> Iterator[tuple[IntArray, IntArray, FloatArray, int]]:
    """Yield (units, items, scores of these, places) for units of the block that touch 1 to ``few``.

    The items are those that a unit touches, then the others near rank k; the k-th best score of all is
    that of rank ``places`` among them.
    """
    order = np.argsort(-loo.scores, kind="stable")
    rank = np.argsort(order)
    touched = np.diff(block.indptr)
    for number in np.unique(touched[(touched > 0) & (touched <= few)]).tolist():
        place = np.flatnonzero(touched == number)
        entries = block.indptr[place][:, np.newaxis] + np.arange(number)
        items, units = block.items[entries], place + block.start
        first = max(0, k - number - 1)
        others = order[_untouched(np.sort(rank[items], axis=1), first, k)]
        kept = block.untouched(place, others, loo.scores)
        scores = np.concatenate([block.scores[entries], kept], axis=1)
        yield units, np.concatenate([items, others], axis=1), scores, k - first


def kth_range(
    loo: LeaveOneOut, highest: FloatArray, k: int, few: int = FEW
) -> tuple[float, float, BoolArray] | None:
    """Return the least and the largest k-th best score, and which units touch too many items to tell.

    None where that is unknown of all units.
    """
    blocks = blocks_near(loo, highest, k, few)
    if blocks is None:
        return None
    kth = np.argsort(-loo.scores, kind="stable")[k - 1 : k]
    ends = [float(loo.scores[kth[0]])]
    many = np.zeros(len(loo.units), dtype=np.bool_)
    for block in blocks:
        touched = np.diff(block.indptr)
        many[block.start + np.flatnonzero(touched > few)] = True
        untouched = np.flatnonzero(touched == 0)
        same = np.repeat(kth[np.newaxis], len(untouched), axis=0)
        found = [block.untouched(untouched, same, loo.scores)]
        found += [
            np.partition(rows, -places, axis=1)[:, -places]
            for _, _, rows, places in near_rows(loo, block, k, few)
        ]
        ends += [
            float(end(part)) for part in found if part.size for end in (np.min, np.max)
        ]
    return min(ends), max(ends), many


def _untouched(ranks: IntArray, first: int, last: int) -> IntArray:
    """Return the ranks of ``u_(first + 1) .. u_last``, given those that each unit touches, in order."""
    found = np.repeat(np.arange(first, last)[np.newaxis], len(ranks), axis=0)
    for touched in ranks.T:
        found += touched[:, np.newaxis] <= found
    return found


@dataclass(frozen=True)
class TopKDeletions:
    """The plain top k without each unit.

    Attributes
    ----------
    inside : int array (items,)
        How many units can be left out, one at a time, so that the item is among the k best.
    reach : int array (distinct units,)
        How many places, down the plain ranking, hold the plain top k without the unit.
    changing : int array
        The distinct units without which the plain top k is another set.
    counts : int array (distinct units,)
        How often each distinct unit occurs.
    """

    inside: IntArray
    reach: IntArray
    changing: IntArray
    counts: IntArray

    def changing_units(self) -> int:
        """Return the number of units without which the plain top k is another set."""
        return int(self.counts[self.changing].sum())

    def uncovered_units(self, size: int) -> int:
        """Return the number of units without which an item beyond the first ``size`` is in the top k."""
        return int(self.counts[self.reach > size].sum())

    def listed(self, order: IntArray, k: int) -> IntArray:
        """Return all items that are in the top k of the data, or of the data without some unit."""
        return frozen(
            np.concatenate([order[:k], order[k:][self.inside[order[k:]] > 0]])
        )


def topk_deletions(facts: Facts, k: int) -> TopKDeletions:
    """Return who is among the k best without each unit.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> found = topk_deletions(Study(Votes(["ann"] * 3 + ["bob"] * 2 + ["cyd"] * 2)).facts, 2)
    >>> found.inside, found.changing
    (array([7, 5, 2]), array([1]))
    """
    counts = facts.leave_one_out.units.counts  # first: it makes the scores, too
    place = 1 + np.argsort(facts.order)
    inside = np.zeros(len(place), dtype=np.int64)
    inside[facts.order[:k]] = facts.units.total
    reach, changing = np.full(len(counts), k), [np.empty(0, dtype=np.int64)]
    for active, units, old, new in plain_changes(facts, k):
        # Counts beyond 2^53 are not exact as floats, which would be multiplied faster.
        inside[active.items] += counts[units] @ (new.astype(np.int64) - old)
        reach[units] = np.where(new, place[active.items], k).max(axis=1)
        changing.append(units)
    every = frozen(np.sort(np.concatenate(changing)))
    return TopKDeletions(frozen(inside), frozen(reach), every, counts)


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
    added, scores, blocks = (
        loo.added if isinstance(loo, SumsOut) else None,
        loo.scores,
        None,
    )
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
        _, level = np.unique(
            np.concatenate([-scores[order], -block.scores]), return_inverse=True
        )
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
        moved, begin = (
            (ends[:-1] < ends[1:]) & (change[:-1] != 0),
            ends[:-1] % (size + 1),
        )
        moved &= begin < upto
        moved[np.searchsorted(ends, owner + old, side="right") - 1] = (
            False  # touched: seen above
        )
        begin, end, change = (
            begin[moved],
            (begin + np.diff(ends))[moved],
            change[:-1][moved],
        )
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


def _ranges(
    loo: LeaveOneOut, items: IntArray, columns: IntArray, *, equals: bool = False
) -> Ranks:
    """Return the best and the worst rank of those in some columns of these items, among all of them."""
    base = loo.scores[items]
    by_plain = np.argsort(-base, kind="stable")
    best, worst = (
        ranks[0, columns] for ranks in _ranks(base[np.newaxis], equals=equals)
    )

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
        further |= (worst < len(items)) & (
            highs[:, np.minimum(worst, len(items) - 1)] >= yours
        )
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
        best, worst = zip(
            *(_possible_ranks(row, row, every) for row in rows), strict=True
        )
        return np.array(best), np.array(worst)
    order = np.argsort(-rows, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, 1 + every[np.newaxis], axis=1)
    return ranks, ranks


def _possible_ranks(
    low: FloatArray, high: FloatArray, columns: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the best and the worst rank that some items may have, from bounds of all scores."""
    best = len(low) - np.searchsorted(np.sort(low), high[columns], side="right") + 1
    return best, len(high) - np.searchsorted(np.sort(high), low[columns], side="left")

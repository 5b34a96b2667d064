"""The exact eps at which two ranking sets begin to meet, and at which a set begins to hold a ranking.

The set of rankings grows with eps. Let ``m_j(S)`` be the larger of the critical eps of item j among the
items S by the one scores and by the other. From all items, place again and again one with the smallest
``m_j(S)``. The largest of these minima, r, is the eps at which the two sets begin to share a ranking:

- placed in this order, every item costs at most r under both scores, so at any eps > r they share it;
- let b be what the dearest step of any common ranking costs. At the items S left, let y be the first of
  S in that ranking, which placed y when all of S was left and perhaps more. By heredity y costs at
  most b in S, so the cheapest item of S does: no minimum exceeds b.

Hence any item that costs no more than the r so far may be placed at once, in any order. Where the heads
of two orders hold the same items, nothing below matters above: the pieces between such cuts are looked
at one by one, and two items that change places cost the cheaper of the two swaps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.operators.checks import check_permutation, check_same_items, check_scores
from steadyrank.operators.inflation import CHUNK, FULL_DIGITS, critical_below, swap_eps
from steadyrank.operators.unplaced import Unplaced, place_together

ROOT = float(np.sqrt(2))

STEEPEST_COVER = 3.42
"""A set holds the ranking by scores that moved by less than eps over this, 2 + sqrt(2) and a bit."""

LARGEST = float(np.nextafter(np.finfo(np.float64).max, 0))
"""The largest cost that some eps exceeds."""

FEW = 32
"""Up to so many items greedy goes the shortest way at once."""

SLACK = 1e-5
"""More than what rounding and the allowance for it add to a cost, relatively."""

APPROACHES = 4
"""How often a bound of a cost is made better."""

STRIDES = (0.5, 0.05, 0.002, 0.0)
"""By how much more than needed each pass over many items allows."""


def meeting_eps(first: ArrayLike, second: ArrayLike) -> float:
    """Return the eps above which the inflated rankings by two score vectors share a ranking.

    ``inflated_ranking(first, eps).intersects(inflated_ranking(second, eps))`` is
    ``eps > meeting_eps(first, second)``, for every eps, this very number included. It is 0 where
    no two items are in strictly opposite order.

    Examples
    --------
    >>> round(meeting_eps([1.0, 0.5, 0.0], [0.9, 0.2, 0.3]), 5)
    0.14142
    """
    scores, others = check_scores(first), check_scores(second)
    check_same_items(len(scores), len(others), "score vectors hold")
    return _meeting(scores, others)


def covering_eps(scores: ArrayLike, ranking: ArrayLike) -> float:
    """Return the eps above which the inflated ranking holds a given ranking, best item first.

    ``ranking in inflated_ranking(scores, eps)`` is ``eps > covering_eps(scores, ranking)``, for
    every eps, this very number included.

    Examples
    --------
    >>> round(covering_eps([1.0, 0.5, 0.0], [1, 2, 0]), 5)
    1.41421
    """
    values = check_scores(scores)
    position = np.argsort(check_permutation(ranking, len(values)))
    order = np.argsort(-values, kind="stable")
    return float(_coverings(values[order], position[np.newaxis, order])[0])


class Rival:
    """Scores that other scores of the same items are compared with, often: sorted once."""

    def __init__(self, scores: FloatArray) -> None:
        self.scores = scores
        self.order = np.argsort(-scores, kind="stable")
        self._place = np.argsort(self.order)
        self._rising = -scores[self.order]

    def meeting(self, others: FloatArray) -> float:
        """Return the eps above which both sets meet."""
        items = self._in_question(others)
        return _meeting(self.scores[items], others[items])

    def covering(self, others: FloatArray) -> float:
        """Return the eps above which this set holds the ranking by others."""
        items = self._in_question(others)
        return float(Rival(self.scores[items]).coverings(others[np.newaxis, items])[0])

    def coverings(self, rows: FloatArray, floor: float = 0.0) -> FloatArray:
        """Return the same for each row of others, the floor where that is more."""
        position = np.argsort(np.argsort(-rows, axis=1, kind="stable"), axis=1)
        return _coverings(-self._rising, position[:, self.order], floor)

    @np.errstate(over="ignore")  # likewise
    def covering_bounds(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return two bounds of the eps above which this set holds the ranking by each row of others.

        The item that is furthest behind one that it overtakes costs that swap at least, and no item
        costs more than it would to overtake as many as any does, all of them as far ahead.
        """
        order = np.argsort(-rows, axis=1, kind="stable")
        scores = self.scores[order]
        furthest = np.maximum.accumulate(scores[:, ::-1], axis=1)[:, ::-1]
        gap = (furthest - scores).max(axis=1)
        number = np.maximum((self._place[order] - np.arange(rows.shape[1])).max(axis=1), 1)
        lower, upper = ROOT * gap * (1 - 1e-9), gap * _dearest_overtaking(number)
        sure = (gap == 0) | (gap > FULL_DIGITS)  # floats near 0 have few digits
        return np.where(sure, lower, 0.0), np.where(sure, upper, 4 * FULL_DIGITS)

    @np.errstate(over="ignore", invalid="ignore")  # what overflows is settled by nothing
    def meeting_bounds(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return two bounds of the eps above which both sets meet, for each row of other scores.

        Items in strictly opposite order cost at least the cheaper of their two swaps: those are looked
        at that the item passes which rises most, and those that pass the one which falls most. And by
        Theorem 8 a piece between two cuts costs no more than the length of its move, which is at most
        the sum of all the moves in it; two items cost the cheaper swap.
        """
        mine, theirs = -self._rising, rows[:, self.order]
        moves, each = theirs - mine, np.arange(len(rows))[:, np.newaxis]
        lower = np.zeros(len(rows))
        for sign in (1.0, -1.0):
            item = np.argmax(sign * moves, axis=1)[:, np.newaxis]
            passed = np.minimum(sign * (mine - mine[item]), sign * (theirs[each, item] - theirs))
            np.maximum(lower, passed.max(axis=1), out=lower)
        begins = np.ones(theirs.shape, dtype=np.bool_)
        lowest = np.minimum.accumulate(theirs, axis=1)
        highest = np.maximum.accumulate(theirs[:, ::-1], axis=1)[:, ::-1]
        begins[:, 1:] = lowest[:, :-1] >= highest[:, 1:]
        starts = np.flatnonzero(begins)
        lengths = np.add.reduceat(np.abs(moves).reshape(-1), starts)
        sizes = np.diff(starts, append=begins.size)
        lengths[sizes == 1] = 0.0
        row, place = np.divmod(starts[sizes == 2], theirs.shape[1])
        swaps = theirs[row, place + 1] - theirs[row, place]
        lengths[sizes == 2] = ROOT * np.minimum(mine[place] - mine[place + 1], swaps)
        firsts = np.searchsorted(starts, each[:, 0] * theirs.shape[1])
        return lower * ROOT, np.maximum.reduceat(lengths, firsts)

    def _in_question(self, others: FloatArray) -> IntArray:
        """Return the items whose score has changed or was passed by one that has; others are cuts."""
        moved = np.flatnonzero(others != self.scores)
        place = self._place[moved]
        ahead = np.searchsorted(self._rising, -others[moved], side="left")
        upto = np.searchsorted(self._rising, -others[moved], side="right")
        passed = np.zeros(len(self.scores) + 1, dtype=np.int64)
        np.add.at(passed, np.minimum(place, ahead), 1)
        np.add.at(passed, np.maximum(place + 1, upto), -1)
        return np.sort(self.order[np.cumsum(passed[:-1]) > 0])


@np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
def _meeting(scores: FloatArray, others: FloatArray) -> float:
    order = np.lexsort((-others, -scores))
    mine, theirs = scores[order], others[order]
    lowest, highest = np.minimum.accumulate(theirs), np.maximum.accumulate(theirs[::-1])[::-1]
    cuts = np.concatenate([[0], 1 + np.flatnonzero(lowest[:-1] >= highest[1:]), [len(order)]])
    sizes = np.diff(cuts)
    pairs = cuts[:-1][sizes == 2]
    swaps = np.minimum(
        swap_eps(mine[pairs] - mine[pairs + 1], mine[pairs]),
        swap_eps(theirs[pairs + 1] - theirs[pairs], theirs[pairs + 1]),
    )
    dearest = float(swaps.max(initial=0.0))
    for piece in np.flatnonzero(sizes > 2):
        part = slice(cuts[piece], cuts[piece + 1])
        dearest = _dearest_step(mine[part], theirs[part], dearest)
    return dearest


def _dearest_step(scores: FloatArray, others: FloatArray, dearest: float) -> float:
    """Return what the dearest step of the cheapest common ranking costs, or ``dearest`` if more.

    Where greedy is stuck, each common ranking has a step as dear as the cheapest there, by whatever
    steps greedy came. So among many items it may allow more than that for a while, and come back with
    what it has learnt, until it is stuck no more.
    """
    order, places = np.argsort(-others, kind="stable"), np.arange(len(scores))
    for stride in STRIDES if len(scores) > FEW else (0.0,):
        learnt, allowed, left = dearest, dearest, len(scores)
        mine, theirs = Unplaced(places, scores, 1.0), Unplaced(order, others[order], 1.0)
        while dearest <= LARGEST and (left := left - _placed(mine, theirs, left, allowed)):
            # Who is behind the best one of either scores costs no less than that one.
            first, second = mine.critical_down_to(theirs.best()), theirs.critical_down_to(mine.best())
            dearest = min(max(first[item], second[item]) for item in first.keys() & second.keys())
            allowed = min(dearest * (1 + stride), LARGEST)
        if learnt == dearest:
            break
    return dearest


def _placed(mine: Unplaced, theirs: Unplaced, left: int, allowed: float) -> int:
    """Place what costs no more than is allowed, and return how many items that are."""
    eps = np.nextafter(allowed, np.inf)
    mine.inflate(eps)
    theirs.inflate(eps)
    return len(place_together(mine, theirs, left))


@np.errstate(over="ignore", invalid="ignore")  # likewise
def _coverings(ranked: FloatArray, position: IntArray, floor: float = 0.0) -> FloatArray:
    """Place rankings step by step: an item costs what it takes to overtake better ones that come later.

    Scores are given best first, and the ``position`` (rankings, items) that each ranking has for them.
    Whoever is overtaken by a worse item costs no more than that one, which overtakes the same items
    and more. Of the others, only those may be the dearest that are by what they cost at most.
    """
    found, size = np.full(len(position), floor), len(ranked)
    apart = np.cumsum(np.diff(ranked, prepend=np.inf) != 0) * size
    position = np.sort(position + apart, axis=1) - apart  # equal ones overtake nobody of them
    row, item = np.nonzero(position < np.arange(size))
    first_of_rest = np.minimum.accumulate(position[:, ::-1], axis=1)[:, ::-1]
    some = position[row, item] == first_of_rest[row, item]
    row, item, each = row[some], item[some], np.arange(len(position))[:, np.newaxis] * size
    furthest = np.maximum.accumulate(position, axis=1) + each
    best = np.searchsorted(furthest.reshape(-1), position[row, item] + row * size, side="right")
    steps = Steps(row, item, best - row * size, item - position[row, item])
    lead, one = ranked[steps.best] - ranked[item], steps.number == 1
    np.maximum.at(found, row[one], swap_eps(lead[one], ranked[steps.best[one]]))
    # One of t equal items, all as far ahead as the furthest, would be the dearest to overtake.
    most = lead * _dearest_overtaking(steps.number)
    left = np.flatnonzero(~one)
    left = left[np.argsort(-most[left], kind="stable")]
    at_once = max(1, CHUNK // int((item - steps.best).max(initial=1)))
    for start in range(0, len(left), at_once):
        some = left[start : start + at_once]
        some = some[(most[some] > found[row[some]]) | (most[some] <= FULL_DIGITS)]
        costs = steps.part(some)
        bound = costs.bounds(ranked, position)
        while len(bound):
            dearest = np.zeros(len(found))
            np.maximum.at(dearest, costs.row, bound)
            now = bound >= dearest[costs.row] * (1 - SLACK)
            np.maximum.at(found, costs.row[now], costs.part(now).exact(ranked, position))
            rest = ~now & (bound > found[costs.row])
            costs, bound = costs.part(rest), bound[rest]
    return found


class Steps(NamedTuple):
    """Steps of rankings: which ranking, the place by scores of its item, and of the best it overtakes.

    It overtakes a ``number`` of items, all that are better and come later.
    """

    row: IntArray
    item: IntArray
    best: IntArray
    number: IntArray

    def part(self, some: IntArray | BoolArray) -> Steps:
        """Return some of them."""
        return Steps._make(column[some] for column in self)

    def overtaken(self, position: IntArray) -> tuple[IntArray, BoolArray]:
        """Return places from the best item on, and which of them are overtaken, for each step."""
        places = self.best[:, np.newaxis] + np.arange((self.item - self.best).max(initial=1))
        inside = places < self.item[:, np.newaxis]
        places = np.minimum(places, self.item[:, np.newaxis])
        row, own = self.row[:, np.newaxis], position[self.row, self.item]
        return places, inside & (position[row, places] > own[:, np.newaxis])

    def bounds(self, ranked: FloatArray, position: IntArray) -> FloatArray:
        """Return what the steps cost at most, hardly more than they do.

        By any y from 0 on that is ``sqrt(2) (y + sqrt(2 y^2 + sum_l (gap_l - y)+^2))``; the best y of
        those gaps that exceed the last y comes ever closer to the best one of all.
        """
        places, overtaken = self.overtaken(position)
        own, lead = ranked[self.item], ranked[self.best] - ranked[self.item]
        gaps = np.where(overtaken, (ranked[places] - own[:, np.newaxis]) / lead[:, np.newaxis], 0.0)
        y = np.zeros(len(own))
        for _ in range(APPROACHES):
            beyond = np.maximum(gaps - y[:, np.newaxis], 0.0)
            m, s, q = (beyond > 0).sum(axis=1), beyond.sum(axis=1), np.einsum("ij,ij->i", beyond, beyond)
            s, q = s + m * y, q + y * (2 * s + m * y)
            c = (s + np.sqrt(s * s + (m + 2) * np.maximum((m + 1) * q - s * s, 0.0))) / (m + 2)
            y = np.maximum(s - c, 0.0) / (m + 1)
        beyond = np.maximum(gaps - y[:, np.newaxis], 0.0)
        found = y + np.sqrt(2 * y * y + np.einsum("ij,ij->i", beyond, beyond))
        found *= ROOT * lead * (1 + SLACK)
        return np.where(found > FULL_DIGITS, found, np.inf)  # floats near 0 have few digits

    def exact(self, ranked: FloatArray, position: IntArray) -> FloatArray:
        """Return what the steps cost."""
        places, overtaken = self.overtaken(position)
        each, (step, place) = np.arange(len(self.row)), np.nonzero(overtaken)
        below = np.full((len(each), int(self.number.max()) + 1), np.inf)
        among = np.arange(len(step)) - np.repeat(np.cumsum(self.number) - self.number, self.number)
        best = ranked[self.best]
        below[step, among] = best[step] - ranked[places[step, place]]
        below[each, self.number] = best - ranked[self.item]
        return np.asarray(critical_below(below, best)[each, self.number])


def _dearest_overtaking(number: IntArray) -> FloatArray:
    """Return what it costs to overtake so many equal items, in units of their lead; a little more."""
    return np.asarray(ROOT / (ROOT * np.sqrt(1 + 1 / number) - 1) * (1 + SLACK))

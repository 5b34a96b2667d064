"""The exact eps at which two ranking sets begin to meet.

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

import numpy as np
from numpy.typing import ArrayLike

from steadyrank._typing import FloatArray, IntArray
from steadyrank.operators.checks import check_same_items, check_scores
from steadyrank.operators.inflation import swap_eps
from steadyrank.operators.unplaced import Unplaced, place_together

ROOT = float(np.sqrt(2))

LARGEST = float(np.nextafter(np.finfo(np.float64).max, 0))
"""The largest cost that some eps exceeds."""

FEW = 32
"""Up to so many items greedy goes the shortest way at once."""

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

    @np.errstate(
        over="ignore", invalid="ignore"
    )  # what overflows is settled by nothing
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
            passed = np.minimum(
                sign * (mine - mine[item]), sign * (theirs[each, item] - theirs)
            )
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
    lowest, highest = (
        np.minimum.accumulate(theirs),
        np.maximum.accumulate(theirs[::-1])[::-1],
    )
    cuts = np.concatenate(
        [[0], 1 + np.flatnonzero(lowest[:-1] >= highest[1:]), [len(order)]]
    )
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
        mine, theirs = (
            Unplaced(places, scores, 1.0),
            Unplaced(order, others[order], 1.0),
        )
        while dearest <= LARGEST and (
            left := left - _placed(mine, theirs, left, allowed)
        ):
            # Who is behind the best one of either scores costs no less than that one.
            first, second = (
                mine.critical_down_to(theirs.best()),
                theirs.critical_down_to(mine.best()),
            )
            dearest = min(
                max(first[item], second[item]) for item in first.keys() & second.keys()
            )
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

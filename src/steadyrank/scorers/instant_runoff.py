"""Instant-runoff: who comes last, round by round; without each ballot, counted for all of them at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.data.observations import repeated_spans
from steadyrank.engines.blocks import slices
from steadyrank.scorers.base import RowsOut, Scorer, check_left, size_of_all
from steadyrank.scorers.mean_points import check_first_choices, first_choices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.data.ballots import Ballots
    from steadyrank.data.observations import Observations
    from steadyrank.scorers.base import LeaveOneOut
    from steadyrank.scorers.mean_points import Points

ROOM = 1 << 22
"""How many votes of folds are compared at a time: 32 MB."""


@dataclass(frozen=True)
class InstantRunoff(Scorer):
    """The round of an instant-runoff count in which an item is eliminated; the winner's is the last.

    In each round every ballot votes for the best of the items that are still in, and the item with the
    fewest votes is eliminated. Items that tie for the fewest are eliminated together, so that nothing
    depends on names or on the order of items; where all that are still in tie, they win together.
    Items that tie on a ballot share its vote equally. A ballot that lists none of those still in
    is exhausted and votes for nobody. The count goes on until one is left: a majority wins anyway.

    Ask for the top 1: all possible winners when one ballot leaves. Without a ballot the count is held
    anew, for all distinct ballots at once: those that have come to the same items still in share its
    votes. There is no proved rule, for a single ballot can change every round.

    Examples
    --------
    >>> from steadyrank.data import Ballots
    >>> ballots = Ballots([["x", "y"], ["y", "x"], ["z", "y", "x"]], counts=[4, 3, 2])
    >>> InstantRunoff().score(ballots)  # z is out first, then x, who has 4 votes against 5
    array([2., 3., 1.])
    >>> next(InstantRunoff().leave_one_out(ballots).blocks()).scores
    array([[2., 3., 1.],
           [2., 1., 1.],
           [2., 2., 1.]])
    """

    takes = ("ballots",)
    name = "instant-runoff round"

    def check(self, data: object) -> None:
        """Complain unless the data are ballots with first choices."""
        super().check(data)
        check_first_choices(data, "InstantRunoff")

    def score(self, data: Any) -> FloatArray:
        """Return the round in which each item is eliminated."""
        self._rest(data)
        return np.asarray(_counted(data, np.array([len(data.units)]))[0][0])

    def leave_one_out(self, data: Any) -> LeaveOneOut:
        """Return the rounds without each distinct unit."""
        check_left(data, self._rest(data))
        rounds, course = _counted(data, np.arange(len(data.units) + 1))
        return RowsOut(rounds[course[-1]], data.units, lambda units: rounds[course[units]])

    def _rest(self, data: Any) -> IntArray:
        self.check(data)
        sizes = first_choices(data, np.ones(data.n_items, dtype=np.bool_)).sizes
        return size_of_all(data, sizes) - sizes

    def output_radius_squared(self, data: Observations) -> float:
        """Return that of the box of rounds: from 1 to the number of items."""
        return data.n_items * (data.n_items - 1) ** 2 / 4


def _counted(data: Ballots, folds: IntArray) -> tuple[FloatArray, IntArray]:
    """Hold the count without one of each of some units, or of nobody (the number after the last).

    Returns the courses that counts take, as the round of each item, and which of them each fold takes.
    """
    courses: list[FloatArray] = []
    course = np.empty(len(folds), dtype=np.int64)
    pending = {(True,) * data.n_items: [(np.zeros(data.n_items), np.arange(len(folds)))]}
    while pending:
        # The most items first: then all folds that come to the same items still in are there.
        stay = np.array(state := max(pending, key=sum))
        points = first_choices(data, stay)
        for rounds, places in pending.pop(state):
            reached = rounds + stay
            for last, those in _lasts(points, stay, data.units.counts, folds[places]):
                if len(last) == stay.sum():
                    course[places[those]] = len(courses)
                    courses.append(reached)
                else:
                    left = stay.copy()
                    left[last] = False
                    pending.setdefault(tuple(left.tolist()), []).append((reached, places[those]))
    return np.array(courses), course


def _lasts(
    points: Points, stay: BoolArray, counts: IntArray, folds: IntArray
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the items that come last in a round, and in which of the folds they do."""
    items, column = np.flatnonzero(stay), np.cumsum(stay) - 1
    totals = points.totals(counts, len(stay))[items]
    given_by = np.append(points.indptr, points.indptr[-1])  # nobody gives nothing
    lasts = []
    for part in slices(len(folds), ROOM, len(items)):
        indptr, given = repeated_spans(given_by, folds[part])
        votes = np.repeat(totals[np.newaxis], len(indptr) - 1, axis=0)
        fold = np.repeat(np.arange(len(votes)), np.diff(indptr))
        votes[fold, column[points.listed[given]]] -= points.given[given]
        lasts.append(np.packbits(votes == votes.min(axis=1, keepdims=True), axis=1))
    found, which = np.unique(np.vstack(lasts), axis=0, return_inverse=True)
    for number, packed in enumerate(found):
        last = np.unpackbits(packed, count=len(items)).astype(np.bool_)
        yield items[last], np.flatnonzero(which.ravel() == number)

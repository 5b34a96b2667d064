"""Scores from the table of wins: win rates, PageRank and its eigenvector.

*Win rates* are the share of its battles that an item wins.

*PageRank and eigenvector scores*: to beat somebody who is good counts for more. Losers vote for those
who beat them. Both scores are the eigenvector without a negative entry of a matrix A, scaled to sum 1,
and column l of A is what the votes of l make: the votes themselves, or for PageRank their shares,
damped. There is only one such vector where chains of positive entries join any two items (Perron and
Frobenius). Without a unit the scores are computed anew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from steadyrank._typing import FloatArray
from steadyrank.data.battles import Battles
from steadyrank.data.observations import Observations
from steadyrank.errors import FEW_DATA, ONE_GROUP, Option, SteadyrankError
from steadyrank.operators.checks import Range, setting
from steadyrank.scorers.base import Scorer, snapped
from steadyrank.scorers.bradley_terry.scorer import check_connected, win_counts
from steadyrank.scorers.means import ROUNDING
from steadyrank.scorers.sensitivity import Sensitivity, same_people
from steadyrank.scorers.sums import EntrySums
from steadyrank.sums.model import Entries


@dataclass(frozen=True)
class WinRate(EntrySums):
    """The share of its battles that each item wins; a tie is half a win for each side.

    It is a mean of points (1, a half or 0), exact, with and without any unit: of the items, only
    those of the battles that leave change. Weights count battles as so many. Whom an item met does not
    matter, so an item that met only weak ones does well; Bradley-Terry allows for that. An item
    without a battle has no win rate, and that is an error, in the data and once a unit is gone, unless
    ``empty`` says what to do.

    Parameters
    ----------
    empty : float, optional
        What an item without a battle scores: less than 0, so that it is last.

    Examples
    --------
    >>> from steadyrank.data import Battles
    >>> battles = Battles(["x", "y", "x", "y"], ["y", "z", "z", "z"], ["left", "tie", "left", "left"])
    >>> WinRate().score(battles)
    array([1.        , 0.5       , 0.16666667])
    >>> WinRate().leave_one_out(battles).shifts().round(4)  # without x > y, x > z, y = z or y > z
    array([0.25  , 0.0833, 0.1667, 0.2635])
    """

    takes = ("battles",)
    value_range = (0.0, 1.0)
    way_out = (*FEW_DATA, ", or use ", Option("scorer", "win-rate:empty=-1"))
    _called = "win rate"

    empty: float | None = setting(None, Range(optional=True))

    def bound(self, data: Any, entries: Entries, lowest: float, highest: float) -> Sensitivity:
        r"""Return the most that one unit can move the win rates, whoever wins.

        Let a unit hold c of the N battles of an item (their weights, where they have some). With m the
        mean of its points in those, ``w - w\i = (c / N) (m - w\i)``: at most c / N. So no unit moves
        the scores by more than the root of the sum of ``(c / N)^2`` over its items, which for one
        battle is ``sqrt(1/N_a^2 + 1/N_b^2)``. It is reached where the one that wins it lost all its
        other battles, and the one that loses it won all its others.

        No bound for *all* battles goes down with their number: the two may have met nobody else. So
        this one takes as given who met whom, and holds for any results.
        """
        eps = math.sqrt(entries.largest_squared_reach(0.0, lowest, highest)) * ROUNDING
        scope = "results of these battles" + same_people(data)
        return Sensitivity.of(data, eps, rule=self.name, moved="win rates", scope=scope)


STEPS, SETTLED = 200, 1e-9
"""A step of this size leaves an error of about its square."""
INSTEAD = ("Use ", Option("scorer", "pagerank"), *ONE_GROUP)


def wins_of(data: Battles) -> FloatArray:
    """Return how often each item beat each other one, a tie as half a win each way."""
    return win_counts(data)[0]


def perron(matrix: FloatArray) -> FloatArray:
    """Return the positive eigenvector of a matrix, with sum 1, by Noda's iteration.

    For x > 0 let r be the largest of ``(A x)_i / x_i``; then ``(r - A)^-1 x``, scaled, is positive
    again, and these steps settle from any start, in the end quadratically.

    Examples
    --------
    >>> perron(np.array([[0.0, 4.0], [1.0, 0.0]])).round(4)  # to beat the better one counts double
    array([0.6667, 0.3333])
    """
    scores = np.full(len(matrix), 1.0 / len(matrix))
    for _ in range(STEPS):
        # A little above the eigenvalue, so that the matrix is never singular.
        shift = (matrix @ scores / scores).max() * (1 + 1e-13)
        found = np.linalg.solve(shift * np.eye(len(matrix)) - matrix, scores)
        before, scores = scores, found / found.sum()
        if np.abs(scores - before).sum() <= SETTLED:
            return np.asarray(scores)
    raise SteadyrankError(
        "the eigenvector does not settle: groups of items hardly ever met, or one hardly ever won",
        way_out=INSTEAD,
    )


@dataclass(frozen=True)
class PageRank(Scorer):
    """PageRank: where somebody is who goes from item to item, each time to one that beat the last.

    With probability ``damping`` the next item is one that beat the present one, in proportion to its
    wins; otherwise, or if nobody beat it, any item is as likely as any other. The scores are the
    shares of time, and sum to 1; an item without battles, or groups that never met, are no
    difficulty. Scores without each unit are those of the table without it. Scores closer than the
    resolution, 1e-12 over 1 - damping, are equal: rounding is far below that. One battle
    that is all that an item lost changes where all its votes go, so nothing is proved that does not go
    without saying.

    Parameters
    ----------
    damping : float
        From 0 to below 1.

    Examples
    --------
    >>> from steadyrank.data import Battles
    >>> battles = Battles(["x", "x", "y", "z"], ["y", "z", "z", "x"], ["left"] * 4)
    >>> PageRank().score(battles).round(4)
    array([0.3974, 0.2148, 0.3878])
    """

    takes = ("battles",)
    _called = "PageRank (damping {0.damping:g})"

    damping: float = setting(0.85, Range(0.0, 1.0, below=True))

    @property
    def resolution(self) -> float:
        """How close scores are equal."""
        return 1e-12 / (1 - self.damping)

    def output_radius_squared(self, data: Observations) -> float:
        """Return that of the simplex, shrunk: everybody has ``(1 - damping) / L`` for certain."""
        return self.damping**2 * (1.0 - 1.0 / data.n_items)

    def score(self, data: Battles) -> FloatArray:
        """Return the shares of time; who never lost votes for everybody."""
        wins = wins_of(self.prepared(data))
        size, lost = len(wins), wins.sum(axis=0)
        shares = np.where(lost > 0, wins / np.where(lost > 0, lost, 1.0), 1.0 / size)
        return snapped(perron(self.damping * shares + (1.0 - self.damping) / size), self.resolution)


@dataclass(frozen=True)
class Eigenvector(Scorer):
    """The eigenvector of the table of wins: a win counts as much as the score of the one who was beaten.

    Each score is, up to one common factor, the sum over an item's wins (a tie is half a win) of the
    scores of those whom it beat; they sum to 1. More battles mean more wins: items should have met
    about equally often. The scores exist where every two items are joined by chains of wins (or ties)
    in both directions, on all the data and without each unit; anything else is refused with an
    error that lists the groups of items. Scores closer than 1e-10 are equal.

    Examples
    --------
    >>> from steadyrank.data import Battles
    >>> battles = Battles(["x", "x", "y", "z"], ["y", "z", "z", "x"], ["left"] * 4)
    >>> Eigenvector().score(battles).round(4)
    array([0.4302, 0.2451, 0.3247])
    """

    takes = ("battles",)
    name = "eigenvector of wins"
    resolution = 1e-10

    def output_radius_squared(self, data: Observations) -> float:
        """Return that of the simplex, around its centre."""
        return 1.0 - 1.0 / data.n_items

    def score(self, data: Battles) -> FloatArray:
        """Return the eigenvector; complain unless chains of wins join every two items."""
        wins = wins_of(self.prepared(data))
        check_connected(wins > 0, data, scores="eigenvector scores", way_out=INSTEAD)
        return snapped(perron(wins), self.resolution)

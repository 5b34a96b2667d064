r"""Elo ratings: matches in their order, each of which moves the ratings of its two items.

Before a match the left item, ahead by d, is expected to get ``E(d) = 1 / (1 + base^(-d / scale))``
points; it gets s of them (1, a half or 0), and its rating goes up by ``K (s - E(d))`` while the
other's goes down by as much. *Deleting* a match means that it is skipped: all later ones are played
again, with the ratings as they then are.

*How far one unit can move the ratings.* A match leaves the sum of the two ratings as it is and takes
their difference d to ``f(d) = d + 2 K (s - E(d))``. The slope of E lies between 0 and ``ln(base) / (4
scale)``, so that of f between ``1 - K ln(base) / (2 scale)`` and 1. If ``K ln(base) <= 4 scale``, that
is never below -1: f brings no two differences further apart, and as half the square of the sum and
half that of the difference make up the squares of both ratings, *the match brings no two vectors of
ratings further apart*. Now play all matches, once with and once without those of a unit. Matches that
both play do not lengthen the distance between the two. A match that only the first plays moves its
ratings by ``sqrt(2) K |s - E(d)|``, less than ``sqrt(2) K``. So at the end

    ||w - w\i|| < sqrt(2) K m

for a unit of m matches, whatever the matches, their results and their order. A match of weight w has K
times w for its K: the m of the bound is then a sum of weights, and the condition is about the
heaviest. One upset, after all others were won by the one that loses it, comes as near as its chance
comes to 0. With a larger K nothing is proved: then a match can throw near ratings apart, and more of
them further.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from steadyrank._typing import AnyArray, FloatArray
from steadyrank.data.battles import Battles
from steadyrank.operators.checks import Range, setting
from steadyrank.scorers.base import (
    LeaveOneOut,
    RowsOut,
    Scorer,
    check_several,
    noted,
    snapped,
)
from steadyrank.scorers.sensitivity import Sensitivity, same_people

REPLAYED = "matches are played in the order of their rows; without one, all later ones are played again"
ROUNDING = 1 + 1e-9
"""More than what rounding adds to the distance of two replays of many million matches, relatively."""


@dataclass(frozen=True)
class Elo(Scorer):
    """Elo ratings after all battles, played in the order of their rows.

    Every battle is a unit of its own, also one that is equal to another: what it does depends on its
    place. Without it, all later ones are played with the ratings as they then are; without a group (a
    judge), all of its battles are skipped. Battles that were counted have lost their order and are
    refused. The scores are exact replays, all folds at once, in a time that grows with the square of
    the number of battles. Scores closer than 1e-9 of ``scale`` are equal: rounding adds up to less over
    a million battles.

    Parameters
    ----------
    k : float
        How many points a match moves at most. A battle with a weight has ``k`` times its weight.
    initial : float
        The rating that all start with.
    scale, base : float
        An item that is ahead by ``scale`` wins with odds of ``base`` to 1.

    Examples
    --------
    >>> from steadyrank.data import Battles
    >>> battles = Battles(["x", "y", "x"], ["y", "x", "y"], ["left", "left", "left"])
    >>> Elo(k=32).score(battles).round(2)
    array([1014.67,  985.33])
    >>> Elo(k=32).leave_one_out(battles).shifts().round(2)
    array([18.66, 22.44, 22.82])
    """

    takes = ("battles",)
    _called = "Elo (K = {0.k:g})"

    k: float = setting(4.0, Range(0.0, above=True))
    initial: float = setting(1000.0, Range())
    scale: float = setting(400.0, Range(0.0, above=True))
    base: float = setting(10.0, Range(1.0, above=True))

    @property
    def resolution(self) -> float:
        """How close ratings are equal."""
        return 1e-9 * self.scale

    def prepared(self, data: Battles) -> Battles:
        """Return the battles each as a unit of its own, in their order."""
        found: Battles = noted(super().prepared(data).in_order(), REPLAYED)
        return found

    def score(self, data: Battles) -> FloatArray:
        """Return the ratings after all battles."""
        return np.asarray(self._rows(self.prepared(data), slice(0, 0))[0])

    def leave_one_out(self, data: Battles) -> LeaveOneOut:
        """Return the ratings without each battle, or without each group."""
        data = self.prepared(data)
        check_several(data)
        scores, rows = self.score(data), lambda units: self._rows(data, units)[1:]
        return RowsOut(scores, data.units, rows, 2_000_000, kept_numbers=8_000_000)

    def _rows(self, data: Battles, units: slice) -> FloatArray:
        """Return the ratings after all battles, and below it those without each of some units."""
        moved = replayed(
            data, self._steps(data), math.log(self.base) / self.scale, units
        )
        return np.asarray(snapped(moved, self.resolution) + self.initial)

    def _steps(self, data: Battles) -> FloatArray:
        """Return how far a match of each row can move a rating."""
        return self.k * (
            np.ones(len(data.counts)) if data.weights is None else data.weights
        )

    def sensitivity(self, data: Battles) -> Sensitivity | None:
        """Return the most that one unit can move the ratings, or None where K is too large.

        It is ``sqrt(2) K`` for each match of the unit, if ``K ln(base) <= 4 scale``; the argument is
        in :mod:`steadyrank.scorers.elo`. It does not go down with the number of battles.
        """
        rows = self.prepared(data)
        steps = self._steps(rows)
        if float(steps.max()) * math.log(self.base) > 4 * self.scale:
            return None
        moved = float(np.bincount(np.asarray(rows.unit), steps * rows.counts).max())
        # A chain of equal scores has fewer than L links, each of them no longer than the resolution.
        eps = math.sqrt(2) * moved * ROUNDING + self.resolution * data.n_items**1.5
        scope = f"battles in any order{same_people(data)}"
        said = {
            "rule": "Elo",
            "moved": "ratings",
            "units": "battles" if data.unit is None else "",
        }
        return Sensitivity.of(rows, eps, **said, scope=scope, numbers={"k": self.k})


def replayed(
    data: Battles, steps: FloatArray, slope: float, units: slice
) -> FloatArray:
    """Return how far ratings are from the start: after all matches, and without each of some units.

    A fold is played from its first difference on; until then it is what all matches give.

    Parameters
    ----------
    data : Battles
        In their order; a row that occurs several times is played as often in succession.
    steps : float array
        How far a match of each row can move a rating.
    slope : float
        The odds of an item that is ahead by d are ``exp(slope d)``.
    units : slice
        The units that leave, each in turn.
    """
    from scipy.special import expit

    rows = np.repeat(np.arange(len(data.counts)), data.counts)
    unit, points = np.asarray(data.unit)[rows], (data.outcome[rows] + 1) / 2
    matches = (data.left[rows], data.right[rows], points, steps[rows])
    if units.stop <= units.start:
        return played(matches, slope, data.n_items)
    begins = np.full(len(data.units), len(rows), dtype=np.int64)
    np.minimum.at(begins, unit, np.arange(len(rows)))
    chosen = np.arange(len(begins))[units]
    order = np.argsort(begins[chosen], kind="stable")
    place = np.zeros(
        len(begins), dtype=np.int64
    )  # of those not chosen: where all matches are played
    place[chosen[order]] = np.arange(len(order)) + 1
    begun = 1 + np.searchsorted(
        begins[chosen][order], np.arange(len(rows)), side="right"
    )
    ratings, before = np.zeros((data.n_items, 1 + len(order))), 1
    parts = (part.tolist() for part in (*matches, place[unit], begun))
    for left, right, won, step, skips, upto in zip(*parts, strict=True):
        if upto > before:
            ratings[:, before:upto] = ratings[:, :1]
            before = upto
        one, two = ratings[left, :upto], ratings[right, :upto]
        moves = step * (won - expit(slope * (one - two)))
        if skips:
            moves[skips] = 0.0
        one += moves
        two -= moves
    ratings[:, before:] = ratings[:, :1]
    return np.asarray(ratings[:, np.append(0, 1 + np.argsort(order))].T)


def played(matches: tuple[AnyArray, ...], slope: float, items: int) -> FloatArray:
    """Return how far ratings are from the start after all matches, (1, items): one number at a time.

    Python's own numbers are faster at that than arrays of one.
    """
    left, right, points, steps = matches
    equal = (
        steps[0] if (steps == steps[0]).all() else None
    )  # as they are without weights
    each = steps.tolist() if equal is None else repeat(float(equal), len(steps))
    ratings, exp = [0.0] * items, math.exp
    for first, second, won, step in zip(
        left.tolist(), right.tolist(), points.tolist(), each, strict=True
    ):
        one, two = ratings[first], ratings[second]
        try:
            move = step * (won - 1.0 / (1.0 + exp(slope * (two - one))))
        except OverflowError:  # a chance of 0, as far as floats tell
            move = step * won
        ratings[first], ratings[second] = one + move, two - move
    return np.array([ratings])

"""Win rate: the share of its battles that an item wins, over all of them or opponent by opponent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from steadyrank._typing import FloatArray
from steadyrank.errors import FEW_DATA
from steadyrank.scorers.base import LeaveOneOut, RowsOut, snapped
from steadyrank.scorers.bradley_terry.scorer import Removals
from steadyrank.scorers.means import ROUNDING
from steadyrank.scorers.sensitivity import Sensitivity, same_people
from steadyrank.scorers.settings import setting
from steadyrank.scorers.sums import EntrySums
from steadyrank.sums.model import Entries

RESOLUTION = 1e-12
"""How close means over opponents are equal: far more than their rounding."""


@dataclass(frozen=True)
class WinRate(EntrySums):
    """The share of its battles that each item wins; a tie is half a win for each side.

    It is a mean of points (1, a half or 0), exact, with and without any unit: of the items, only
    those of the battles that leave change. Weights count battles as so many. Whom an item met does not
    matter, so an item that met only weak ones does well; Bradley-Terry allows for that. An item
    without a battle has no win rate, and that is an error, in the data and once a unit is gone.

    Parameters
    ----------
    over : {"battles", "opponents"}
        ``"opponents"`` gives the mean, over all whom an item met, of the share won against each: who met
        one of them often counts no more for that. Means closer than 1e-12 are then equal.

    Examples
    --------
    >>> from steadyrank.data import Battles
    >>> battles = Battles(["x", "y", "x", "y"], ["y", "z", "z", "z"], ["left", "tie", "left", "left"])
    >>> WinRate().score(battles)
    array([1.        , 0.5       , 0.16666667])
    >>> WinRate().leave_one_out(battles).shifts().round(4)  # without x > y, x > z, y = z or y > z
    array([0.25  , 0.0833, 0.1667, 0.2635])
    >>> WinRate(over="opponents").score(battles)  # y lost to x, and won 3 of 4 points against z
    array([1.   , 0.375, 0.125])
    """

    takes = ("battles",)
    value_range = (0.0, 1.0)
    way_out = FEW_DATA

    over: str = setting("battles", ("battles", "opponents"))

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return "win rate" if self.over == "battles" else "mean win rate over opponents"

    @property
    def resolution(self) -> float:
        """How close scores are equal."""
        return 0.0 if self.over == "battles" else RESOLUTION

    def score(self, data: Any) -> FloatArray:
        """Return the win rate of each item."""
        found = super().score(data)
        return found if self.over == "battles" else Opponents(data).scores

    def leave_one_out(self, data: Any) -> LeaveOneOut:
        """Return the win rates without each unit."""
        out = super().leave_one_out(data)
        if self.over == "battles":
            return out
        opponents = Opponents(data)
        return RowsOut(opponents.scores, data.units, opponents.rows, opponents.room)

    def bound(self, data: Any, entries: Entries, lowest: float, highest: float) -> Sensitivity:
        r"""Return the most that one unit can move the win rates, whoever wins.

        Let a unit hold c of the N battles of an item (their weights, where they have some). With m the
        mean of its points in those, ``w - w\i = (c / N) (m - w\i)``: at most c / N. So no unit moves
        the scores by more than the root of the sum of ``(c / N)^2`` over its items, which for one
        battle is ``sqrt(1/N_a^2 + 1/N_b^2)``. It is reached where the one that wins it lost all its
        other battles, and the one that loses it won all its others.

        No bound for *all* battles goes down with their number: the two may have met nobody else. So
        this one takes as given who met whom, and holds for any results.

        *Over opponents*: let an item have k, and let a unit hold the share ``s_j`` of its battles
        with the j-th. Where none of these is left, put the new score ``w\i`` in the place of the rate
        against that one, which changes no mean. Then ``k (w - w\i)`` is a sum over the opponents of what
        each rate changes by, which is at most ``s_j``.
        """
        eps = math.sqrt(entries.largest_squared_reach(0.0, lowest, highest)) * ROUNDING
        if self.over == "opponents":
            eps = Opponents(data).largest_move() * ROUNDING + RESOLUTION * data.n_items**1.5
        scope = "results of these battles" + same_people(data)
        return Sensitivity.of(data, eps, rule=self.name, moved="win rates", scope=scope)


class Opponents:
    """Shares won against each opponent, and what becomes of them without units."""

    def __init__(self, data: Any) -> None:
        self._removals, self._items = Removals.of(data), data.n_items
        self._wins = self._removals.wins(data.units.counts, data.n_items)
        self._means = means(self._wins, self._wins.T)
        self.scores = snapped(self._means, RESOLUTION)
        touched = 2 * int(np.bincount(self._removals.owner, minlength=1).max())
        self.room = (1 << 22) // min(data.n_items, max(1, touched))

    def rows(self, units: slice) -> FloatArray:
        """Return the scores without each of some units, of which the items that they hold change."""
        taken = self._removals.some(np.arange(units.start, units.stop))
        sides = np.stack([taken.winner, taken.loser])
        touched, place = np.unique(taken.owner * self._items + sides, return_inverse=True)
        won, lost = place.reshape(sides.shape)
        unit, item = np.divmod(touched, self._items)
        mine, theirs = self._wins[item], self._wins.T[item]
        np.subtract.at(mine, (won, taken.loser), taken.weight)
        np.subtract.at(theirs, (lost, taken.winner), taken.weight)
        found = np.repeat(self._means[np.newaxis], units.stop - units.start, axis=0)
        found[unit, item] = means(mine, theirs)
        return snapped(found, RESOLUTION)

    def largest_move(self) -> float:
        """Return how far a unit can move the scores at most, whoever wins."""
        owner, pairs = self._removals.by_pair
        met = self._wins + self._wins.T
        share = pairs.battles / met[pairs.first, pairs.second]
        sides = np.stack([pairs.first, pairs.second])
        touched, place = np.unique(owner * self._items + sides, return_inverse=True)
        moves = np.bincount(place.ravel(), (share / (met > 0).sum(axis=1)[sides]).ravel())
        return math.sqrt(np.bincount(touched // self._items, moves**2).max())


def means(won: FloatArray, lost: FloatArray) -> FloatArray:
    """Return the means over those whom items met of the share won against each; at least one was met."""
    met = won + lost
    share = np.divide(won, met, out=np.zeros(met.shape), where=met > 0)
    return np.asarray(share.sum(axis=-1) / (met > 0).sum(axis=-1))

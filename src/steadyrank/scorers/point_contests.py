"""Contests of points: plurality, approval and Borda: every unit gives whole points to all items."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.scorers.contests import SharedContests
from steadyrank.scorers.stuffing import StuffedContests, any_size

if TYPE_CHECKING:
    from steadyrank._typing import IntArray
    from steadyrank.scorers.contests import Contests
    from steadyrank.scorers.mean_points import MeanPointsOut


class PointContests(SharedContests):
    """Contests of mean points.

    Parameters
    ----------
    out : MeanPointsOut
        What each unit gives, and what all of them give together.
    """

    def __init__(self, out: MeanPointsOut) -> None:
        super().__init__(out.units.counts, out.divisor)
        self._points, self._totals, self._out = out.points, out.totals, out

    def gaps(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Return the differences of the totals."""
        return np.asarray(self._totals[ahead] - self._totals[behind])

    def most(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Return the most that a unit gives to one item, less the least that one gives to the other."""
        least, most = self._extremes
        return np.asarray(most[ahead] - least[behind])

    def differences(self, ahead: int, behind: int) -> tuple[IntArray, IntArray]:
        """Look at the units that list one of the two: all others give both the same."""
        places = np.concatenate([self._listings(ahead), self._listings(behind)])
        sign = np.repeat([1, -1], [len(self._listings(ahead)), len(self._listings(behind))])
        owner = self._owners[places]
        units, place = np.unique(owner, return_inverse=True)
        extra = sign * (self._points.given[places] - self._points.others[owner])
        given = np.zeros(len(units), dtype=np.int64)
        np.add.at(given, place, extra)
        return units, given

    def sizes(self) -> IntArray:
        """Return what each unit takes off the divisor."""
        return self._points.sizes

    def lower(self, ahead: int, behind: int) -> int:
        """Count the units, unless they have all the weight: without them there is no order."""
        number = super().lower(ahead, behind)
        leaving = self.attack(ahead, behind).first(number, len(self.counts))
        return self.total if leaving @ self._points.sizes == self.divisor else number

    def stuffed(self, *, changing: bool) -> Contests:
        """Add units that give the one the most points, and the other the fewest."""
        if self._points.widest is None:
            raise any_size("people")
        return StuffedContests(self, self._points.widest, changing=changing)

    @cached_property
    def _owners(self) -> IntArray:
        return self._points.owners()

    @cached_property
    def _by_item(self) -> tuple[IntArray, IntArray]:
        """The listings sorted by item, and where each item's begin."""
        order = np.argsort(self._points.listed, kind="stable")
        sizes = np.bincount(self._points.listed, minlength=len(self._totals))
        return order, np.append(0, np.cumsum(sizes))

    def _listings(self, item: int) -> IntArray:
        order, begins = self._by_item
        return order[begins[item] : begins[item + 1]]

    @cached_property
    def _extremes(self) -> tuple[IntArray, IntArray]:
        """The least and the most points that a unit gives to each item, or bounds of them."""
        points, items = self._points, len(self._totals)
        found = self._out.least_and_most()
        if found is not None:
            return found
        values = np.concatenate([points.given, points.others])
        return np.full(items, values.min()), np.full(items, values.max())

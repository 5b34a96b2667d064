"""Contests of points: plurality, approval and Borda: every unit gives whole points to all items."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.margins.added import StuffedContests, any_size
from steadyrank.margins.pairs import SharedContests

if TYPE_CHECKING:
    from steadyrank._typing import IntArray
    from steadyrank.margins.pairs import Contests
    from steadyrank.sums.points import Points


class ListedContests(SharedContests):
    """Contests of sums to which few units give anything that sets one apart from another."""

    sums: IntArray

    @abstractmethod
    def listed(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return for which sum, by which unit, and how much is given."""

    def gaps(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Return the differences of the sums."""
        return np.asarray(self.sums[ahead] - self.sums[behind])

    def differences(self, ahead: int, behind: int) -> tuple[IntArray, IntArray]:
        """Look at the units that list one of the two: all others give both the same."""
        begins, unit, given = self._by_sum
        one, other = (slice(*begins[number : number + 2]) for number in (ahead, behind))
        units, place = np.unique(np.append(unit[one], unit[other]), return_inverse=True)
        found = np.zeros(len(units), dtype=np.int64)
        np.add.at(found, place, np.append(given[one], -given[other]))
        return units, found

    @cached_property
    def _by_sum(self) -> tuple[IntArray, IntArray, IntArray]:
        """Where what is given to each sum begins, and all that is given, sum by sum."""
        number, unit, given = self.listed()
        order = np.argsort(number, kind="stable")
        begins = np.append(0, np.cumsum(np.bincount(number, minlength=len(self.sums))))
        return begins, unit[order], given[order]


class PointContests(ListedContests):
    """Contests of mean points.

    Parameters
    ----------
    points : Points
        What each unit gives.
    """

    def __init__(self, points: Points) -> None:
        super().__init__(points.copies, points.divisor)
        self._points, (self.sums,) = points, points.totals

    def listed(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return what units give to the items that they list, beyond what they give to the others."""
        points, owners = self._points, self._points.owners
        return points.listed, owners, points.given - points.others[owners]

    def most(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Return the most that a unit gives to one item, less the least that one gives to the other."""
        least, most = self._extremes
        return np.asarray(most[ahead] - least[behind])

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
    def _extremes(self) -> tuple[IntArray, IntArray]:
        """The least and the most points that a unit gives to each item, or bounds of them."""
        points, items = self._points, len(self.sums)
        found = points.least_and_most()
        if found is not None:
            return found
        values = np.concatenate([points.given, points.others])
        return np.full(items, values.min()), np.full(items, values.max())

"""Contests of worst margins: how few ballots must leave before a Condorcet winner is passed.

One item passes another only if its worst margin is then at least as large. The worst margin of the one
ahead, a, is that over some rival o; so over this o it is no more than any margin of the one behind, b,
over any p. For one o and one p that is a contest of sums, and the fewest units that settle it are known
exactly. So the least over o of the largest over p, or over some p, is a number below which nothing
happens. For a Condorcet winner, with p = a, it says that a majority must go, over o or over b: no fewer
ballots than the smallest lead, as long as each counts once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.margins.pairs import MANY, Attack, Contests
from steadyrank.margins.points import ListedContests
from steadyrank.sums.blocks import slices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from steadyrank._typing import IntArray

ROOM = 1 << 22
"""How many margins of units are computed at a time: 32 MB."""


@dataclass(frozen=True)
class Compared:
    """What units say of pairs of items, in whole parts of a person.

    Parameters
    ----------
    sizes, counts : int arrays (units,)
        How large each distinct unit is, and how many of it there are.
    items, most : int
        How many items there are, and how many of them a unit compares at most.
    margins : callable
        From a range of units to the items that each compares, (units, items, their margins over all).
    """

    sizes: IntArray
    counts: IntArray
    items: int
    most: int
    margins: Callable[[slice], tuple[IntArray, IntArray, IntArray]]

    def parts(self) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
        """Yield the margins of all units, so many at a time as there is room for."""
        for units in slices(len(self.sizes), ROOM, self.most * self.items):
            unit, item, given = self.margins(units)
            yield unit + units.start, item, given

    @cached_property
    def totals(self) -> IntArray:
        """The margins of all units together."""
        from scipy.sparse import csr_array

        found = np.zeros((self.items, self.items), dtype=np.int64)
        for unit, item, given in self.parts():
            ends = item, np.arange(len(item))
            chosen = csr_array((self.counts[unit], ends), shape=(self.items, len(item)))
            found += np.asarray(chosen @ given)
        return found


class SumContests(ListedContests):
    """Contests of margins, one for each ordered pair of items."""

    def __init__(self, compared: Compared) -> None:
        super().__init__(compared.counts, 1.0)
        self._compared, self.sums = compared, compared.totals.ravel()

    def listed(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return what units give to margins."""
        found = []
        for unit, item, given in self._compared.parts():
            row, other = np.nonzero(given)
            found.append((item[row] * self._compared.items + other, unit[row], given[row, other]))
        margin, unit, given = (np.concatenate(part) for part in zip(*found, strict=True))
        return margin, unit, given

    def most(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Return twice the largest number of all."""
        return np.full(np.broadcast(ahead, behind).shape, 2 * self._largest)

    @cached_property
    def _largest(self) -> int:
        return int(np.abs(self._by_sum[2]).max(initial=1))


class MarginContests(Contests):
    """Contests of worst margins.

    Parameters
    ----------
    compared : Compared
        The margins that each distinct unit gives.
    """

    rule = "certified by pairs of margins; the units that favour the leader most leave first"

    def __init__(self, compared: Compared) -> None:
        items, self._given = compared.items, SumContests(compared)
        margins = compared.totals + np.diag([MANY] * items)
        self._columns = np.arange(items**2).reshape(items, items)
        self._worst = self._columns[range(items), margins.argmin(axis=1)]

    def at_least(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Divide the gap by twice the most that one unit moves any margin, so any worst margin."""
        return self._given.at_least(self._worst[ahead], self._worst[behind])

    def lower(self, ahead: int, behind: int) -> int:
        """Return the least, over rivals of the one, of the larger number for two rivals of the other."""
        return self._settled(ahead, behind)[0]

    def attack(self, ahead: int, behind: int) -> Attack:
        """Take away first what settles that contest."""
        return self._given.attack(*self._settled(ahead, behind)[1:])

    def _settled(self, ahead: int, behind: int) -> tuple[int, int, int]:
        """Return that number, and the margins, as columns of all, that it is about.

        Rivals are asked in the order of a quick bound, as long as that is below what is found.
        """
        own = np.delete(self._columns[ahead], ahead)
        others = np.unique([self._columns[behind, ahead], self._worst[behind]])
        quick = self._given.at_least(own[:, np.newaxis], others).max(axis=1)
        found = (MANY, 0, 0)
        for place in np.argsort(quick, kind="stable").tolist():
            if quick[place] >= found[0]:
                break
            one = int(own[place])
            found = min(found, max((self._fewest(one, other), one, other) for other in others.tolist()))
        return found

    def _fewest(self, one: int, other: int) -> int:
        """Return how few units bring one margin down to the other: 1 where it is there already."""
        gap = int(self._given.gaps(np.array([one]), np.array([other]))[0])
        return 1 if gap < 0 or (gap == 0 and other < one) else self._given.lower(one, other)

"""Contests of worst margins: how few ballots must leave before a Condorcet winner is passed.

One item passes another only if its worst margin is then at least as large. The worst margin of the one
ahead, a, is that over some rival o; so over this o it is no more than any margin of the one behind, b,
over any p. For one o and one p that is a contest of sums, and the fewest units that settle it are known
exactly. So the least over o of the largest over p, or over some p, is a number below which nothing
happens. For a Condorcet winner, with p = a, it says that a majority must go, over o or over b: no fewer
ballots than the smallest lead, as long as each counts once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.scorers.contests import MANY, Attack, Contests, SharedContests

if TYPE_CHECKING:
    from steadyrank._typing import IntArray


class SumContests(SharedContests):
    """Contests of sums of whole numbers, one for each column of a table with a row for each unit."""

    def __init__(self, given: IntArray, counts: IntArray) -> None:
        super().__init__(counts, 1.0)
        self._given, self._sums = given, counts @ given
        self._most = 2 * max(1, int(np.abs(given).max()))

    def gaps(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Return the differences of the sums."""
        return np.asarray(self._sums[ahead] - self._sums[behind])

    def most(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Return twice the largest number of all."""
        return np.full(np.broadcast(ahead, behind).shape, self._most)

    def differences(self, ahead: int, behind: int) -> tuple[IntArray, IntArray]:
        """Look at all units."""
        return np.arange(len(self.counts)), self._given[:, ahead] - self._given[:, behind]


class MarginContests(Contests):
    """Contests of worst margins.

    Parameters
    ----------
    given : int array (units, items, items)
        The margins that each distinct unit gives.
    counts : int array (units,)
        How many of each there are.
    """

    rule = "certified by pairs of margins; the units that favour the leader most leave first"

    def __init__(self, given: IntArray, counts: IntArray) -> None:
        items, self._given = given.shape[1], SumContests(given.reshape(len(given), -1), counts)
        margins = np.tensordot(counts, given, axes=1) + np.diag([MANY] * items)
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
        """Return that number, and the margins, as columns of all, that it is about."""
        own = np.delete(self._columns[ahead], ahead).tolist()
        others = {int(self._columns[behind, ahead]), int(self._worst[behind])}
        return min(max((self._fewest(one, other), one, other) for other in others) for one in own)

    def _fewest(self, one: int, other: int) -> int:
        """Return how few units bring one margin down to the other: 1 where it is there already."""
        gap = int(self._given.gaps(np.array([one]), np.array([other]))[0])
        return 1 if gap < 0 or (gap == 0 and other < one) else self._given.lower(one, other)

"""Lists that hold the top k against any m removals: all items that bounds of pairs let enter it.

An item enters the top k only if fewer than k of the items ahead of it are certain to stay ahead. The
list holds the top k and all such items, so that whoever is removed, the new plain top k is inside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.margins.search import PAIRS, MarginSearch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import BoolArray, IntArray

CLOSELY = 5_000
"""How many pairs are looked at closely; of others quick bounds are used."""

FIRST = 32
"""How many pairs are made ready at first; twice as many each time, as long as answers are wanted."""


class Withstanding:
    """Which items may be in the top k after any removal of at most so many units.

    Places are plain ranks, from 0 on.
    """

    def __init__(self, search: MarginSearch, removals: int) -> None:
        self._removals, self._search, self._order = removals, search, search.order
        self._left = CLOSELY

    def listed(self, k: int) -> IntArray:
        """Return the places of the top k and of all items that may enter it."""
        below, start = np.arange(k, len(self._order)), 0
        stay = np.zeros(len(self._order), dtype=np.int64)
        while len(below) and start < below[-1]:
            ahead = np.arange(start, min(start + max(1, PAIRS // len(below)), below[-1]))
            stay[below] += (~self._near(ahead, below) & (ahead[:, np.newaxis] < below)).sum(axis=0)
            below, start = below[stay[below] < k], start + len(ahead)
        entering = [place for place in below[::-1].tolist() if self._may_enter(place, k)]
        return np.array([*range(k), *entering[::-1]])

    def _near(self, ahead: IntArray, behind: IntArray) -> BoolArray:
        """Return which pairs of places, ahead by behind, may turn by the quick bounds."""
        near: BoolArray = ahead[:, np.newaxis] < behind
        first, second = np.nonzero(near)
        pairs = self._order[ahead[first]], self._order[behind[second]]
        near[first, second] = self._search.pairs.at_least(*pairs, most=self._removals) <= self._removals
        return near

    def _may_enter(self, place: int, k: int) -> bool:
        others = np.flatnonzero(self._near(np.arange(place), np.array([place]))[:, 0])
        stay, most = place - len(others), place
        for stays in self._stay(others, place):  # the best first: the likeliest to stay
            stay, most = stay + stays, most - (not stays)
            if stay >= k or most < k:
                break
        return stay < k

    def _stay(self, others: IntArray, place: int) -> Iterator[bool]:
        """Tell of places whether they are certain to stay ahead of another, more and more at a time."""
        item, start, few = int(self._order[place]), 0, FIRST
        while start < len(others) and self._left > 0:
            stop = min(start + min(few, self._left), len(others))
            pairs = [(other, item) for other in self._order[others[start:stop]].tolist()]
            for number in self._search.fewest(pairs, self._removals):
                self._left -= 1
                yield number > self._removals
            start, few = stop, 2 * few
        yield from [False] * (len(others) - start)

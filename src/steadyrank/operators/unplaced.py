"""The items not yet placed while one ranking is built, in pure Python: one step costs microseconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from steadyrank._typing import FloatArray, IntArray
from steadyrank.operators.inflation import critical_below, eligible_of_few


class Unplaced:
    """Items not yet placed, best first, as a linked list over the sorted order.

    Parameters
    ----------
    order : int array
        The items, best first.
    ranked : float array
        Their scores, in that order.
    eps : float
        The inflation.
    """

    def __init__(self, order: IntArray, ranked: FloatArray, eps: float) -> None:
        n_items = len(order)
        self._item: list[int] = order.tolist()
        self._ranked, self._score = ranked, ranked.tolist()
        self.inflate(eps)
        # Place ``n_items`` is the end of the list: its successor is the best item left.
        self._next: list[int] = [*range(1, n_items + 1), 0]
        self._previous: list[int] = [n_items, *range(n_items)]
        self._place = {item: place for place, item in enumerate(self._item)}
        self._end = n_items

    def inflate(self, eps: float) -> None:
        """Decide by another eps from now on."""
        self._eps = eps

    def best(self) -> int:
        """Return the best item left."""
        return self._item[self._next[self._end]]

    def remove(self, item: int) -> None:
        """Take an item out, since it has been placed."""
        place = self._place[item]
        before, after = self._previous[place], self._next[place]
        self._next[before] = after
        self._previous[after] = before

    def restore(self, item: int) -> None:
        """Put an item back; the last one removed must be restored first."""
        place = self._place[item]
        self._next[self._previous[place]] = place
        self._previous[self._next[place]] = place

    def eligible(self) -> list[int]:
        """Return the items eligible for the next place, best first."""
        place, found = self._next[self._end], []
        top = self._score[place]
        while place != self._end and top - self._score[place] < self._eps:  # none below is eligible
            found.append(place)
            place = self._next[place]
        number, _ = eligible_of_few(self._ranked[found], self._eps)
        return [self._item[place] for place in found[:number]]

    def critical_down_to(self, item: int) -> dict[int, float]:
        """Return the critical eps for the next place of the items left, best first, up to this one."""
        places = [self._next[self._end]]
        while self._item[places[-1]] != item:
            places.append(self._next[places[-1]])
        scores = self._ranked[places]
        critical = critical_below((scores[0] - scores)[np.newaxis], scores[:1])[0].tolist()
        return {self._item[place]: eps for place, eps in zip(places, critical, strict=True)}


def contains(unplaced: Unplaced, order: list[int]) -> bool:
    """Tell whether each item of ``order`` is eligible when its turn comes."""
    for item in order:
        if item != unplaced.best() and item not in unplaced.eligible():
            return False
        unplaced.remove(item)
    return True


def common_order(
    first: IntArray, second: IntArray, unplaced: Callable[[slice], tuple[Unplaced, Unplaced]]
) -> IntArray | None:
    """Return a ranking that both sets hold, or None, given the plain ranking and parts of each.

    Cut both plain rankings wherever their heads hold the same items. Eligibility of an item depends
    only on the items left *above* it, so what lies below a cut never matters above it, and
    the sets share a ranking exactly if they do between each two cuts.

    There greedy is exact. Let pi be in both sets and let greedy stand at the items S left. The first
    item of pi within S was eligible under both when pi placed it, with all of S left and perhaps more;
    by heredity it is eligible in S. So greedy gets stuck only where no common ranking exists.
    """
    place = np.empty_like(second)
    place[second] = np.arange(len(second))
    furthest = np.maximum.accumulate(place[first])
    cuts = np.append(0, 1 + np.flatnonzero(furthest == np.arange(len(first))))
    order = first.copy()
    wide = np.flatnonzero(np.diff(cuts) > 1)
    for start, stop in zip(cuts[wide].tolist(), cuts[wide + 1].tolist(), strict=True):
        piece = place_together(*unplaced(slice(start, stop)), stop - start)
        if len(piece) < stop - start:
            return None
        order[start:stop] = piece
    return order


def place_together(mine: Unplaced, theirs: Unplaced, left: int) -> list[int]:
    """Place what both allow, again and again, of so many items left; return them in that order."""
    order: list[int] = []
    while len(order) < left:
        best = mine.best()
        if best == theirs.best():
            found = [best]
        else:
            eligible = set(theirs.eligible())
            found = [item for item in mine.eligible() if item in eligible]
        if not found:
            break
        for item in found:  # all of them: the later ones stay eligible as the first are placed
            mine.remove(item)
            theirs.remove(item)
        order += found
    return order


def all_orders(unplaced: Unplaced, n_items: int) -> Iterator[list[int]]:
    """Yield every ranking of the set, the plain one first, then in the order of a depth-first walk.

    Nothing is kept of the branches above but the item taken there: which one comes next is found
    again on the way back, so that memory stays linear however many items are eligible.
    """
    order: list[int] = []
    item: int | None = unplaced.best()
    while True:
        while item is not None:
            unplaced.remove(item)
            order.append(item)
            item = unplaced.best() if len(order) < n_items else None
        if len(order) == n_items:
            yield list(order)
        if not order:
            return
        last = order.pop()
        unplaced.restore(last)
        eligible = unplaced.eligible()
        following = eligible.index(last) + 1
        item = eligible[following] if following < len(eligible) else None

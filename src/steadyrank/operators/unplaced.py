"""The items not yet placed while one ranking is built, in pure Python: one step costs microseconds."""

from __future__ import annotations

from steadyrank._typing import FloatArray, IntArray
from steadyrank.operators.inflation import eligible_of_few


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
        self._eps = eps
        # Place ``n_items`` is the end of the list: its successor is the best item left.
        self._next: list[int] = [*range(1, n_items + 1), 0]
        self._previous: list[int] = [n_items, *range(n_items)]
        self._place = {item: place for place, item in enumerate(self._item)}
        self._end = n_items

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
        while (
            place != self._end and top - self._score[place] < self._eps
        ):  # none below is eligible
            found.append(place)
            place = self._next[place]
        number, _ = eligible_of_few(self._ranked[found], self._eps)
        return [self._item[place] for place in found[:number]]


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
        for (
            item
        ) in found:  # all of them: the later ones stay eligible as the first are placed
            mine.remove(item)
            theirs.remove(item)
        order += found
    return order

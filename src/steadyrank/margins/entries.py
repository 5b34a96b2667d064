"""What units give to the items of sums over counts, fetched when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.margins.pairs import narrowed
from steadyrank.sums.exact import of_items, together

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.margins.pairs import Pairs
    from steadyrank.sums.model import Entries, ItemSums, Parts

    Ends = tuple[FloatArray, FloatArray]
    """The least and the largest value of each item."""

ROOM = 8_000_000
"""How many values are held at a time: about 200 MB."""


def sums_of(sums: ItemSums, parts: Parts) -> FloatArray:
    """Return sums in exact form as floats: whole numbers where one scale makes them so."""
    return together(parts) if sums.form.whole else together(parts) / sums.form.scale


@dataclass(frozen=True)
class Given:
    """What units give to one item.

    Parameters
    ----------
    units : int array
        The distinct units that give something, in order.
    sums, counts : float arrays
        What each of them gives in all, and in how many values.
    total, denominator : float
        What all of them give together, and the shrinkage plus their number of values.
    each : float
        What one value counts in denominators.
    """

    units: IntArray
    sums: FloatArray
    counts: FloatArray
    total: float
    denominator: float
    each: float = 1.0
    _known: dict[tuple[int, int], float] = field(default_factory=dict, repr=False)

    @property
    def score(self) -> float:
        """The score of the item."""
        return self.total / self.denominator

    @cached_property
    def single(self) -> bool:
        """Whether no unit has several values of the item."""
        return bool((self.counts <= self.each).all())

    def extreme(self, m: int, sign: int) -> float:
        """Return a bound of how far the score can rise (sign 1) or fall (-1) when m units leave.

        It reaches t exactly if ``sign (S - t D)`` plus the m largest ``sign (t c - s)`` is not negative.
        """
        if (m, sign) not in self._known:
            found = self._extreme_of_units if self.single else self._extreme_of_groups
            self._known[m, sign] = found(m, sign)
        return self._known[m, sign]

    def _extreme_of_units(self, m: int, sign: int) -> float:
        left = np.arange(min(m, len(self.sums)) + 1)
        taken = upto(np.sort(sign * self.sums)[: left[-1]])
        below = self.denominator - self.each * left
        fits = below > 0
        return sign * float(((sign * self.total - taken)[fits] / below[fits]).max())

    def _extreme_of_groups(self, m: int, sign: int) -> float:
        def reached(t: float) -> bool:
            terms = t * self.counts - sign * self.sums
            return sign * self.total - t * self.denominator + top_sum(terms, m) >= 0

        near, furthest = sign * self.score, float((sign * self.sums / self.counts).max())
        return sign * narrowed(reached, near, max(near, furthest, 0.0), halvings=40)


class ItemGiven:
    """What units give to each item, fetched when it is first asked for."""

    def __init__(self, entries: Entries, sums: ItemSums, distinct: IntArray | None = None) -> None:
        self._entries, self.sums, self._distinct = entries, sums, distinct
        self.resolution = entries.resolution
        self._counts: list[int] = entries.observed.tolist()
        self._known: dict[int, Given] = {}

    def batches(self, pairs: Pairs) -> Iterator[Pairs]:
        """Cut pairs into batches that there is room for, and fetch the items of each at once."""
        batch: Pairs = []
        items: set[int] = set()
        size = 0
        for pair in pairs:
            size += self._size(set(pair) - items)
            if batch and size > ROOM:
                self._fetch(items)
                yield batch
                batch, items, size = [], set(), self._size(set(pair))
            batch.append(pair)
            items.update(pair)
        self._fetch(items)
        yield batch

    def of(self, items: Iterable[int]) -> list[Given]:
        """Return what units give to each of some items."""
        wanted = list(items)
        self._fetch(set(wanted))
        return [self._known[item] for item in wanted]

    def _fetch(self, items: set[int]) -> None:
        """Fetch items that are not known yet, in one pass; without room for them, forget others."""
        wanted = np.array(sorted(items.difference(self._known)), dtype=np.int64)
        if not len(wanted):
            return
        if self._size(items.union(self._known)) > ROOM:
            self._known = {item: given for item, given in self._known.items() if item in items}
        unit, place, parts, counts = self._entries.values_of(wanted)
        order = np.lexsort((unit, place))
        order = order[counts[order] > 0]  # what has no weight gives nothing
        unit, place, counts = unit[order], place[order], counts[order]
        new = (np.diff(unit, prepend=-1) != 0) | (np.diff(place, prepend=-1) != 0)
        start = np.flatnonzero(new)  # of what a unit gives to an item
        amount = together(tuple(np.add.reduceat(part[order], start) for part in parts))
        unit, place, counts = unit[start], place[start], np.add.reduceat(counts, start)
        if not self.sums.form.whole:
            amount /= of_items(self.sums.form.scale, wanted[place])
        cuts, share = np.searchsorted(place, np.arange(len(wanted) + 1)), self.sums.prior.share
        for number, item in enumerate(wanted.tolist()):
            part = slice(cuts[number], cuts[number + 1])
            sums, number_of_values = amount[part], counts[part]
            denominator = self.sums.prior.weight + share * float(number_of_values.sum())
            taken = number_of_values.astype(np.float64) * share
            total = float(sums.sum()) * share
            self._known[item] = Given(unit[part], sums * share, taken, total, denominator, share)

    def distinct(self, units: IntArray) -> IntArray:
        """Return the distinct units that some units are, where equal ones are given one by one."""
        return units if self._distinct is None else self._distinct[units]

    def _size(self, items: set[int]) -> int:
        return sum(self._counts[item] for item in items)


def upto(values: FloatArray) -> FloatArray:
    """Return the sums of the first 0, 1, 2... values."""
    return np.append(0.0, np.cumsum(values))


def top_sum(values: FloatArray, m: int) -> float:
    """Return the sum of the m largest values, or of all positive ones where that is more.

    Examples
    --------
    >>> top_sum(np.array([3.0, -1.0, 2.0]), 2), top_sum(np.array([3.0, -1.0]), 2)
    (5.0, 3.0)
    """
    if m < len(values):
        values = np.partition(values, len(values) - m)[len(values) - m :]
    return float(values[values > 0].sum())

"""Contests of sums over counts: who asks which pairs, and what units give to their items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.margins.added import NewValues, StuffedContests
from steadyrank.margins.pairs import SharedContests
from steadyrank.margins.ratios import Given, RatioContests
from steadyrank.sums.exact import of_items, together

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.data.units import Units
    from steadyrank.margins.pairs import Bounded, Contests, OnePair
    from steadyrank.sums.model import Entries, ItemSums, Parts

    Ends = tuple[FloatArray, FloatArray]
    """The least and the largest value of each item."""

ROOM = 8_000_000
"""How many values are held at a time: about 200 MB."""

ROUNDING = 1e-13
"""More than what rounding of a sum over units amounts to, relative to the sum of sizes."""


class ItemGiven:
    """What units give to each item, fetched when it is first asked for."""

    def __init__(self, entries: Entries, sums: ItemSums, distinct: IntArray | None = None) -> None:
        self._entries, self.sums, self._distinct = entries, sums, distinct
        self._counts: list[int] = entries.observed.tolist()
        self._known: dict[int, Given] = {}

    def runs(self, pairs: Iterable[OnePair]) -> Iterator[Bounded]:
        """Cut pairs into runs that there is room for, and fetch the items of each at once."""
        run: Bounded = []
        items: set[int] = set()
        size = 0
        for bounded in pairs:
            new = set(bounded[1]) - items
            size += self._size(new)
            if run and size > ROOM:
                self.fetch(items)
                yield run
                run, items, new = [], set(), set(bounded[1])
                size = self._size(new)
            run.append(bounded)
            items |= new
        self.fetch(items)
        yield run

    def __call__(self, one: int, other: int) -> tuple[Given, Given]:
        """Return what units give to two items."""
        self.fetch({one, other})
        return self._known[one], self._known[other]

    def fetch(self, items: set[int]) -> None:
        """Fetch items that are not known yet, in one pass; without room for them, forget others."""
        wanted = np.array(sorted(items.difference(self._known)), dtype=np.int64)
        if not len(wanted):
            return
        if self._size(items.union(self._known)) > ROOM:
            self._known = {item: given for item, given in self._known.items() if item in items}
        unit, place, parts, counts = self._entries.values_of(wanted)
        order = np.lexsort((unit, place))
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


def entry_contests(
    entries: Entries, sums: ItemSums, units: Units, value_range: tuple[float, float] | None
) -> Contests:
    """Return the contests of sums over counts: by sums alone where all counts are the same."""
    apart = entries.apart()
    given = ItemGiven(entries, sums) if apart is None else ItemGiven(apart[0], sums, apart[1])
    least, most = (np.where(sums.counts > 0, _amount(sums, end), 0.0) for end in entries.extremes)
    most_at_once = int(entries.most_leaving.max())
    scale = float(sums.form.scale) if sums.form.whole else 1.0
    new = NewValues(value_range, scale, sums.form.whole, most_at_once > 1 or entries.weighted)
    if not entries.gaps and apart is None:
        return SameCounts(given, (least, most), most_at_once, units.counts, new)
    return RatioContests(given, (least, most), entries.most_leaving, units.total, new)


def _amount(sums: ItemSums, parts: Parts) -> FloatArray:
    return together(parts) if sums.form.whole else together(parts) / sums.form.scale


class SameCounts(SharedContests):
    """Contests of items that all have the same number of values, so that only sums matter."""

    def __init__(
        self, given: ItemGiven, ends: Ends, largest_unit: int, counts: IntArray, new: NewValues
    ) -> None:
        sums, self._share = given.sums, given.sums.prior.share
        denominator = sums.prior.weight / self._share + float(sums.counts.max())
        super().__init__(counts, denominator * new.scale)
        self._given, self._ends, self._largest_unit, self._new = given, ends, largest_unit, new
        self._totals = _amount(sums, sums.totals)
        if not sums.form.whole:
            sizes = np.maximum(abs(ends[0]), abs(ends[1])).max(initial=0.0)
            self.rounding = ROUNDING * float(sizes) * float(sums.counts.max(initial=0))

    def runs(self, pairs: Iterable[OnePair]) -> Iterator[Bounded]:
        """Fetch the items of many pairs at once."""
        return self._given.runs(pairs)

    def stuffed(self, *, changing: bool) -> Contests:
        """Add rows with the highest value for the one and the lowest for the other."""
        low, high = self._new.scaled()
        return StuffedContests(self, high - low, self._new.stated(), changing=changing)

    def gaps(self, ahead: IntArray, behind: IntArray) -> FloatArray:
        """Return the differences of the sums."""
        return np.asarray(self._totals[ahead] - self._totals[behind])

    def most(self, ahead: IntArray, behind: IntArray) -> FloatArray:
        """Return what the largest unit could take away with the most favourable values."""
        least, most = self._ends
        return np.asarray(self._largest_unit * (most[ahead] - least[behind]))

    def differences(self, ahead: int, behind: int) -> tuple[IntArray, FloatArray]:
        """Subtract what each unit gives to the two: every unit gives to both."""
        first, second = self._given(ahead, behind)
        return first.units, (first.sums - second.sums) / self._share

    def sizes(self) -> FloatArray:
        """Return how many values each unit has of any item, on the scale of the sums."""
        given, found = self._given(0, 0)[0], np.zeros(len(self.counts))
        found[given.units] = given.counts * (self._new.scale / self._share)
        return found

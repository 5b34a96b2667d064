"""Contests of sums over counts: who asks which pairs, and what units give to their items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.engines.exact_sums import together
from steadyrank.scorers.contests import SharedContests
from steadyrank.scorers.ratio_contests import Given, RatioContests

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.data.units import Units
    from steadyrank.engines.item_sums import Entries, ItemSums, Parts
    from steadyrank.scorers.contests import Contests

    Ends = tuple[FloatArray, FloatArray]
    """The least and the largest value of each item."""

ROUNDING = 1e-13
"""More than what rounding of a sum over units amounts to, relative to the sum of sizes."""


class ItemGiven:
    """What units give to each item, fetched when it is first asked for."""

    def __init__(self, entries: Entries, sums: ItemSums, units: Units) -> None:
        self._entries, self._sums, self._units = entries, sums, units
        self._known: dict[int, Given] = {}

    def fetch(self, items: IntArray) -> None:
        """Fetch several items at once, those that are not known yet."""
        wanted = np.array([item for item in items.tolist() if item not in self._known], dtype=np.int64)
        if not len(wanted):
            return
        unit, place, value = self._entries.values_of(wanted)
        order = np.lexsort((unit, place))
        unit, place, amount = unit[order], place[order], self._amounts(value[order])
        cuts = np.searchsorted(place, np.arange(len(wanted) + 1))
        for number, item in enumerate(wanted.tolist()):
            part = slice(cuts[number], cuts[number + 1])
            self._known[item] = self._one(unit[part], amount[part])

    def __call__(self, item: int) -> Given:
        """Return what units give to one item."""
        self.fetch(np.array([item]))
        return self._known[item]

    def _amounts(self, values: FloatArray) -> FloatArray:
        form = self._sums.form
        return together(form.parts(values)) if form.whole else np.asarray(values, dtype=np.float64)

    def _one(self, unit: IntArray, amount: FloatArray) -> Given:
        prior = self._sums.prior
        units, start, counts = np.unique(unit, return_index=True, return_counts=True)
        sums = np.add.reduceat(amount, start) if len(start) else amount
        copies = self._units.counts[units]
        if (copies > 1).any():
            units, sums, counts = (np.repeat(part, copies) for part in (units, sums, counts))
        denominator = prior.weight + prior.share * float(counts.sum())
        total = float(sums.sum()) * prior.share
        taken = counts.astype(np.float64) * prior.share
        return Given(units, sums * prior.share, taken, total, denominator, prior.share)


def entry_contests(entries: Entries, sums: ItemSums, units: Units) -> Contests:
    """Return the contests of sums over counts: by sums alone where all counts are the same."""
    given = ItemGiven(entries, sums, units)
    least, most = entries.extremes
    ends = _amount(sums, least), _amount(sums, most)
    if not entries.gaps:
        return SameCounts(given, sums, units, ends, int(entries.most_leaving.max()))
    share = sums.prior.share
    denominators = np.asarray((sums.prior.weight + share * sums.counts) / share, dtype=np.float64)
    return RatioContests(
        units.counts, given, ends, sums.scores, denominators, entries.most_leaving, _scale(sums)
    )


def _scale(sums: ItemSums) -> float:
    """Return what values are multiplied by, so that their sums are whole where that is possible."""
    return float(sums.form.scale) if sums.form.whole else 1.0


def _amount(sums: ItemSums, parts: Parts) -> FloatArray:
    return together(parts) if sums.form.whole else together(parts) / sums.form.scale


class SameCounts(SharedContests):
    """Contests of items that all have the same number of values, so that only sums matter."""

    def __init__(
        self, given: ItemGiven, sums: ItemSums, units: Units, ends: Ends, largest_unit: int
    ) -> None:
        self._share, self._scale = sums.prior.share, _scale(sums)
        denominator = sums.prior.weight / self._share + float(sums.counts.max())
        super().__init__(units.counts, denominator * self._scale)
        self._given, self._ends, self._largest_unit = given, ends, largest_unit
        self._totals = _amount(sums, sums.totals)
        if not sums.form.whole:
            sizes = np.maximum(abs(ends[0]), abs(ends[1])).max(initial=0.0)
            self.rounding = ROUNDING * float(sizes) * float(sums.counts.max(initial=0))

    def gaps(self, ahead: IntArray, behind: IntArray) -> FloatArray:
        """Return the differences of the sums."""
        return np.asarray(self._totals[ahead] - self._totals[behind])

    def most(self, ahead: IntArray, behind: IntArray) -> FloatArray:
        """Return what the largest unit could take away with the most favourable values."""
        least, most = self._ends
        return np.asarray(self._largest_unit * (most[ahead] - least[behind]))

    def differences(self, ahead: int, behind: int) -> tuple[IntArray, FloatArray]:
        """Subtract what each unit gives to the two: every unit gives to both."""
        first, second = self._given(ahead), self._given(behind)
        return first.units, (first.sums - second.sums) / self._share

    def sizes(self, ahead: int) -> FloatArray:
        """Return how many values each unit has of an item, on the scale of the sums."""
        return np.asarray(self._given(ahead).counts * (self._scale / self._share))

    def fetch(self, items: IntArray) -> None:
        """Fetch what units give to the items."""
        self._given.fetch(items)

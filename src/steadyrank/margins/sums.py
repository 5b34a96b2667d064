"""Margins of means over one and the same number of units: points, and matrices without gaps."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.margins.entries import sums_of
from steadyrank.margins.pairs import MANY, PairMargins, Removal
from steadyrank.sums.blocks import slices

if TYPE_CHECKING:
    from collections.abc import Callable

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.margins.added import NewValues
    from steadyrank.margins.entries import Ends, ItemGiven
    from steadyrank.margins.pairs import Pairs
    from steadyrank.sums.points import Points

ROOM = 1 << 20
"""How many numbers are sorted at a time: 8 MB."""

ROUNDING = 1e-13
"""More than what rounding of a sum over units amounts to, relative to the sum of sizes."""

SURELY = 1 + 1e-12
"""Makes a lead larger than what rounding of it amounts to."""


class SumMargins(PairMargins):
    """Margins of means over one and the same number of units, or of rows.

    Write d for what a unit gives to the item ahead minus what it gives to the one behind. As both
    sums are over the same number, the order turns exactly when the d that are left sum to less than 0
    (or to 0 where the one behind has the smaller index), and taking away the largest d is best. So the
    numbers are exact, and found for many pairs at once.
    """

    rule = "exact: the units that favour the leader most leave first"

    rounding: float = 0.0
    """What sums of d may be off by; 0 where they are whole numbers."""

    def __init__(self, counts: IntArray, divisor: float) -> None:
        """Take how often each distinct unit occurs, and what turns sums of d into scores."""
        self.counts = counts
        self.total = int(counts.sum())
        self.divisor = divisor

    @abstractmethod
    def gaps(self, ahead: IntArray, behind: IntArray) -> FloatArray | IntArray:
        """Return the sums of d."""

    @abstractmethod
    def most(self, ahead: IntArray, behind: IntArray) -> FloatArray | IntArray:
        """Return something that no d exceeds."""

    @abstractmethod
    def differences(self, ahead: IntArray, behind: IntArray) -> FloatArray | IntArray:
        """Return the d of each distinct unit for each pair, (units, pairs)."""

    @property
    @abstractmethod
    def sizes(self) -> FloatArray | IntArray | None:
        """What each distinct unit takes off the divisor; None where as many come as leave."""

    def contributions(self, one: int, other: int) -> FloatArray:
        """Return what each distinct unit adds to the gap of the scores: its d, over the divisor.

        Let the value of a set of units be the sum of their d. Whoever joined before, a unit adds its d,
        so that this is its Shapley value, and those of all units add up to the gap.
        """
        return np.asarray(self._of_pair(one, other) / self.divisor)

    def at_least(
        self,
        ahead: IntArray,
        behind: IntArray,
        *,
        most: int = MANY,  # noqa: ARG002 (all are told apart)
        closely: bool = False,
    ) -> IntArray:
        """Divide the gap by the most that one unit takes out of it; closely, count the largest d."""
        found = np.empty(len(ahead), dtype=np.int64)
        if closely:
            for part in slices(len(ahead), ROOM, len(self.counts)):
                found[part] = self._counted(ahead[part], behind[part])
            return found
        gap, each = self.gaps(ahead, behind) - self.rounding, self.most(ahead, behind)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            needed = np.where(each > 0, np.ceil(gap / each * (1 - 1e-12)), self.total)
        if not self.rounding:  # a tie is not enough
            needed = needed + ((ahead < behind) & (needed * each == gap))
        return np.clip(needed, 1, self.total).astype(np.int64)

    def _counted(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Count the units whose d, the largest first, use the gaps up."""
        given = self.differences(ahead, behind)
        order = np.argsort(-given, axis=0, kind="stable")
        given, copies = np.maximum(np.take_along_axis(given, order, axis=0), 0), self.counts[order]
        gap, together = self.gaps(ahead, behind) - self.rounding, given * copies
        upto = np.cumsum(together, axis=0)
        tie = np.asarray((ahead > behind) | bool(self.rounding))  # it is enough
        used = (upto > gap) | ((upto == gap) & tie)
        last = used.argmax(axis=0), np.arange(len(gap))
        left, each = gap - (upto - together)[last], np.where(given[last] > 0, given[last], 1)
        more = left // each
        more = np.clip(more + (~tie | (more * each < left)), 1, copies[last])
        never = ~used.any(axis=0)
        if self.sizes is not None:  # those who have all the weight: without them there is no order
            sizes = self.sizes[order]
            taken = (np.cumsum(sizes * copies, axis=0) - sizes * copies)[last] + more * sizes[last]
            never |= taken >= (self.counts @ self.sizes) * (1 - 1e-12)
        number = (np.cumsum(copies, axis=0) - copies)[last] + more
        return np.where(never, self.total, number).astype(np.int64)

    def _of_pair(self, one: int, other: int) -> Any:
        """Return the d of each distinct unit for one pair."""
        return self.differences(np.array([one]), np.array([other]))[:, 0]

    def remove(self, ahead: int, behind: int) -> Removal:
        """Take the largest d away first."""
        given = self._of_pair(ahead, behind)
        favours = np.flatnonzero(given > 0)
        units = favours[np.argsort(-given[favours], kind="stable")]
        return Removal(units, self.counts[units])

    def leads(self, removals: int, pairs: Pairs, upto: list[float]) -> list[float]:  # noqa: ARG002
        """Return leads that are reached."""
        return [self._lead(removals, *pair) for pair in pairs]

    def _lead(self, removals: int, ahead: int, behind: int) -> float:
        """Raise a lead t to what the units with the largest ``d + t * size`` leave, until it stays.

        A set of units leaves more than t exactly if its ``d + t * size`` sum to more than the gap plus t
        times the divisor: where the largest do not, t is the most, and else they leave more.
        """
        copies = np.minimum(self.counts, removals)
        own: tuple[Any, Any] = self._of_pair(ahead, behind), self.sizes
        favour, taken = (np.repeat(part, copies) for part in own)
        gap = self.gaps(np.array([ahead]), np.array([behind]))[0] - self.rounding
        lead, reached = -1.0, 0.0
        while reached > lead:
            lead = reached
            worth = favour + lead * taken
            best = np.argpartition(-worth, removals - 1)[:removals]
            best = best[worth[best] > 0]
            left = self.divisor - taken[best].sum()
            if left <= 0:  # whoever is left has no weight
                return math.inf
            reached = float((favour[best].sum() - gap) / left)
        return lead * SURELY


def apart(given_to: Callable[[IntArray], Any], ahead: IntArray, behind: IntArray) -> Any:
    """Return what each unit gives to items ahead minus what it gives to those behind, (units, pairs)."""
    items, places = np.unique([ahead, behind], return_inverse=True)
    given, (first, second) = given_to(items), places.reshape(2, -1)
    return given[:, first] - given[:, second]


class PointMargins(SumMargins):
    """Margins of mean points: plurality, approval and Borda.

    Parameters
    ----------
    points : Points
        What each unit gives, and what all of them give together.
    """

    def __init__(self, points: Points) -> None:
        super().__init__(points.copies, points.divisor)
        self._points, (self._totals,), self.widest = points, points.totals, points.widest

    @property
    def sizes(self) -> IntArray:
        """What each unit takes off the divisor."""
        return self._points.sizes

    def gaps(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Return the differences of the sums."""
        return np.asarray(self._totals[ahead] - self._totals[behind])

    def most(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Return the most that a unit gives to one item, less the least that one gives to the other."""
        least, most = self._extremes
        return np.asarray(most[ahead] - least[behind])

    def differences(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Subtract what units give to the two items."""
        return np.asarray(apart(self._given_to, ahead, behind))

    def _given_to(self, items: IntArray) -> IntArray:
        """Look at the units that list an item, and what they give beyond what they give to others."""
        begins, unit, given = self._by_item
        found = np.zeros((len(self.counts), len(items)), dtype=np.int64)
        for column, item in enumerate(items.tolist()):
            listed = slice(begins[item], begins[item + 1])
            found[unit[listed], column] = given[listed]
        return found

    @cached_property
    def _by_item(self) -> tuple[IntArray, IntArray, IntArray]:
        """Where the units that list each item begin, and all of these with what they give."""
        points, owners = self._points, self._points.owners
        order = np.argsort(points.listed, kind="stable")
        begins = np.append(0, np.cumsum(np.bincount(points.listed, minlength=len(self._totals))))
        return begins, owners[order], (points.given - points.others[owners])[order]

    @cached_property
    def _extremes(self) -> tuple[IntArray, IntArray]:
        """The least and the most points that a unit gives to each item, or bounds of them."""
        points, items = self._points, len(self._totals)
        found = points.least_and_most()
        if found is not None:
            return found
        values = np.concatenate([points.given, points.others])
        return np.full(items, values.min()), np.full(items, values.max())


class RowMargins(SumMargins):
    """Margins of items that all have the same number of values, so that only sums matter."""

    def __init__(
        self, given: ItemGiven, ends: Ends, largest_unit: int, counts: IntArray, new: NewValues
    ) -> None:
        sums, self._share = given.sums, given.sums.prior.share
        denominator = sums.prior.weight / self._share + float(sums.counts.max())
        super().__init__(counts, denominator * new.scale)
        self._given, self._ends, self._largest_unit, self.new = given, ends, largest_unit, new
        self._totals = sums_of(sums, sums.totals)
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

    def differences(self, ahead: IntArray, behind: IntArray) -> FloatArray:
        """Subtract what units give to the two items."""
        return np.asarray(apart(self._given_to, ahead, behind))

    def _given_to(self, items: IntArray) -> FloatArray:
        """Return the sums of each unit's values: every unit has some of all items."""
        found = np.zeros((len(self.counts), len(items)))
        for column, given in enumerate(self._given.of(items.tolist())):
            found[given.units, column] = given.sums / self._share
        return found

    def fewest(self, pairs: Pairs, most: int = MANY) -> list[int]:
        """Fetch the items of many pairs at once."""
        return [
            n for some in self._given.batches(pairs) for n in super(RowMargins, self).fewest(some, most)
        ]

    @cached_property
    def sizes(self) -> FloatArray:
        """How many values each unit has of any item, on the scale of the sums."""
        (given,), found = self._given.of([0]), np.zeros(len(self.counts))
        found[given.units] = given.counts * (self.new.scale / self._share)
        return found

"""What units give to items, and margins of means over one and the same number of units.

Such means are points, and values of matrices without gaps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.margins.pairs import PairMargins, Removal, in_parts
from steadyrank.sums.exact import of_items, together

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.margins.pairs import Pairs
    from steadyrank.sums.model import Entries, ItemSums, Parts
    from steadyrank.sums.points import Points

    Ends = tuple[FloatArray, FloatArray]
    """The least and the largest value of each item."""

ROUNDING = 1e-13
"""More than what rounding of a sum over units amounts to, relative to the sum of sizes."""

HELD = 8_000_000
"""How many values are held at a time: about 200 MB."""


@dataclass(frozen=True, eq=False)
class SumMargins(PairMargins):
    """Margins of means over one and the same number of units, or of rows.

    Write d for what a unit gives to the item ahead minus what it gives to the one behind. As both
    sums are over the same number, the order turns exactly when the d that are left sum to less than 0
    (or to 0 where the one behind has the smaller index), and taking away the largest d is best. So the
    numbers are exact, and found for many pairs at once.

    Parameters
    ----------
    counts : int array (units,)
        How often each distinct unit occurs.
    totals, ends : arrays (items,)
        What all units give to each item, and the least and the most that one of them does.
    divisor : float
        What turns totals into scores.
    given_to : callable
        From items to what each distinct unit gives to them, (units, items).
    sizes : callable
        Returns what each distinct unit takes off the divisor.
    rounding : float
        What sums of d may be off by; 0 where they are whole numbers.
    """

    counts: IntArray
    totals: FloatArray | IntArray
    ends: tuple[Any, Any]
    divisor: float
    given_to: Callable[[IntArray], Any]
    sizes: Callable[[], Any]
    rounding: float = 0.0
    rule: str = "exact: the units that favour the leader most are removed first"

    @property
    def total(self) -> int:
        """The number of units."""
        return int(self.counts.sum())

    def contributions(self, one: int, other: int) -> FloatArray:
        """Return what each distinct unit adds to the gap of the scores: its d, over the divisor.

        Let the value of a set of units be the sum of their d. Whoever joined before, a unit adds its d,
        so that this is its Shapley value, and those of all units add up to the gap.
        """
        return np.asarray(
            self.differences(np.array([one]), np.array([other]))[:, 0] / self.divisor
        )

    def differences(self, ahead: IntArray, behind: IntArray) -> Any:
        """Return the d of each distinct unit for each pair, (units, pairs)."""
        items, places = np.unique([ahead, behind], return_inverse=True)
        given, (first, second) = self.given_to(items), places.reshape(2, -1)
        return given[:, first] - given[:, second]

    def _gaps(self, ahead: IntArray, behind: IntArray) -> Any:
        """Return the sums of d, or what rounding makes a little smaller."""
        return self.totals[ahead] - self.totals[behind] - self.rounding

    def _quick(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Divide the gap by the most that one unit takes out of it."""
        gap, each = (
            self._gaps(ahead, behind),
            self.ends[1][ahead] - self.ends[0][behind],
        )
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            needed = np.where(each > 0, np.ceil(gap / each * (1 - 1e-12)), self.total)
        if not self.rounding:  # a tie is not enough
            needed = needed + ((ahead < behind) & (needed * each == gap))
        return np.clip(needed, 1, self.total).astype(np.int64)

    def _closely(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Count the units whose d, the largest first, use the gaps up."""
        return in_parts(self._counted, ahead, behind, len(self.counts))

    def _counted(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Count them for so many pairs as there is room for."""
        given = self.differences(ahead, behind)
        some = np.append(
            0, np.flatnonzero(given[1:].any(axis=1)) + 1
        )  # others change no order
        order = np.argsort(-given[some], axis=0, kind="stable")
        given, order = (
            np.maximum(np.take_along_axis(given[some], order, axis=0), 0),
            some[order],
        )
        copies = self.counts[order]
        gap, together = self._gaps(ahead, behind), given * copies
        upto = np.cumsum(together, axis=0)
        tie = np.asarray((ahead > behind) | bool(self.rounding))  # it is enough
        used = (upto > gap) | ((upto == gap) & tie)
        last = used.argmax(axis=0), np.arange(len(gap))
        left, each = (
            gap - (upto - together)[last],
            np.where(given[last] > 0, given[last], 1),
        )
        more = left // each
        more = np.clip(more + (~tie | (more * each < left)), 1, copies[last])
        never = ~used.any(axis=0)
        # Units that have all the weight: without them there is no order.
        own = self.sizes()[order]
        whole = float(self.counts @ self.sizes()) or math.inf
        before = (np.cumsum(own * copies, axis=0) - own * copies)[last]
        never |= before + more * own[last] >= whole * (1 - 1e-12)
        number = (np.cumsum(copies, axis=0) - copies)[last] + more
        return np.where(never, self.total, number).astype(np.int64)

    def remove(self, ahead: int, behind: int) -> Removal:
        """Take the largest d away first."""
        given = self.differences(np.array([ahead]), np.array([behind]))[:, 0]
        favours = np.flatnonzero(given > 0)
        units = favours[np.argsort(-given[favours], kind="stable")]
        return Removal(units, self.counts[units])


def sums_of_points(points: Points) -> SumMargins:
    """Return the margins of points, their means or totals: plurality, approval, Borda, leagues."""

    @cache
    def by_item() -> tuple[IntArray, IntArray, IntArray]:
        """Return where the units that list each item begin, and all of these with what they give."""
        order = np.argsort(points.listed, kind="stable")
        begins = np.append(
            0, np.cumsum(np.bincount(points.listed, minlength=points.items))
        )
        beyond = (
            points.given - points.others[points.owners]
        )  # what all others get changes no order
        return begins, points.owners[order], beyond[order]

    def given_to(items: IntArray) -> IntArray:
        (begins, unit, given), found = (
            by_item(),
            np.zeros((len(points.copies), len(items)), np.int64),
        )
        for column, item in enumerate(items.tolist()):
            listed = slice(begins[item], begins[item + 1])
            found[unit[listed], column] = given[listed]
        return found

    ends = points.least_and_most()
    if ends is None:
        values = np.concatenate([points.given, points.others])
        ends = np.full(points.items, values.min()), np.full(points.items, values.max())
    (totals,), sizes = points.totals, lambda: points.sizes
    return SumMargins(points.copies, totals, ends, points.divisor, given_to, sizes)


def sums_of_rows(
    given: ItemGiven, ends: Ends, counts: IntArray, totals: FloatArray, scale: float
) -> SumMargins:
    """Return the margins of items that all have the same number of values, so that only sums matter."""
    prior, number, form = (
        given.sums.prior,
        float(given.sums.counts.max()),
        given.sums.form,
    )
    width = max(float(np.abs(end).max()) for end in ends)

    def given_to(items: IntArray) -> FloatArray:
        found = np.zeros((len(counts), len(items)))
        for column, each in enumerate(given.of(items.tolist())):
            found[each.units, column] = each.sums / prior.share
        return found

    @cache
    def sizes() -> FloatArray:
        (first,), found = given.of([0]), np.zeros(len(counts))
        found[first.units] = first.counts * (scale / prior.share)
        return found

    divisor = (prior.weight / prior.share + number) * scale
    # Scores of so many items, one close to the next, may become equal.
    fine = given.resolution * len(totals)
    rounding = 0.0 if form.whole else max(ROUNDING * width, fine) * number
    return SumMargins(counts, totals, ends, divisor, given_to, sizes, rounding)


def sums_of(sums: ItemSums, parts: Parts) -> FloatArray:
    """Return sums in exact form as floats: whole numbers where one scale makes them so."""
    return np.asarray(together(parts) / (1.0 if sums.form.whole else sums.form.scale))


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

        near, furthest = (
            sign * self.score,
            float((sign * self.sums / self.counts).max()),
        )
        beyond = max(near, furthest, 0.0)
        for _ in range(40):  # halvings
            middle = (near + beyond) / 2
            near, beyond = (middle, beyond) if reached(middle) else (near, middle)
        return sign * beyond


class ItemGiven:
    """What units give to each item, fetched when it is first asked for."""

    def __init__(
        self, entries: Entries, sums: ItemSums, distinct: IntArray | None = None
    ) -> None:
        self._entries, self.sums, self._distinct = entries, sums, distinct
        self.resolution = entries.resolution
        self.of_empty = (sums.prior.empty or 0.0) * (
            float(sums.form.scale) if sums.form.whole else 1.0
        )
        self._counts: list[int] = entries.observed.tolist()
        self._known: dict[int, Given] = {}

    def each(self, pairs: Pairs) -> Iterator[tuple[int, int]]:
        """Yield pairs; the items of as many as there is room for are fetched at once."""
        begin, items, size = 0, set[int](), 0
        for place, pair in enumerate(pairs):
            size += self._size(set(pair) - items)
            if size > HELD and place > begin:
                self._fetch(items)
                yield from pairs[begin:place]
                begin, items, size = place, set(), self._size(set(pair))
            items.update(pair)
        self._fetch(items)
        yield from pairs[begin:]

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
        if self._size(items.union(self._known)) > HELD:
            self._known = {
                item: given for item, given in self._known.items() if item in items
            }
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
        cuts, share = (
            np.searchsorted(place, np.arange(len(wanted) + 1)),
            self.sums.prior.share,
        )
        for number, item in enumerate(wanted.tolist()):
            part = slice(cuts[number], cuts[number + 1])
            sums, number_of_values = amount[part], counts[part]
            denominator = self.sums.prior.weight + share * float(number_of_values.sum())
            taken = number_of_values.astype(np.float64) * share
            total = float(sums.sum()) * share
            if not denominator:  # as if it had one such value, which never leaves
                total, denominator = self.of_empty, 1.0
            self._known[item] = Given(
                unit[part], sums * share, taken, total, denominator, share
            )

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

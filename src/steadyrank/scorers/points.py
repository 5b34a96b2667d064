"""Mean points for each unit, and what follows from totals: scores, and those without each unit.

Every unit gives whole points to every item: its own points to the items that it lists, and
one and the same number to all others. The score of an item is its total over the number of
units. Without a unit both the total and that number change, so every score moves a little:
the leave-one-out scores are dense, but known in closed form from the totals alone.

A unit may be a person with a weight, or a group of persons: it then gives whole parts of points, and has
a size, which it takes off the number of units that totals are divided by.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steadyrank.data.observations import Observations
from steadyrank.data.people import ROOM
from steadyrank.data.rows import check_total
from steadyrank.errors import NOBODY_COUNTS, EmptyDataError
from steadyrank.scorers.base import LeaveOneOut, RunningTotals, Scorer, check_several
from steadyrank.scorers.sensitivity import Sensitivity, same_people
from steadyrank.sums.blocks import DenseBlock, Rows, SparseBlock, Wanted, segment_sums, slices
from steadyrank.sums.exact import EXACT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
    from steadyrank.data.counted_rows import CountedRows
    from steadyrank.data.units import Units


@dataclass(frozen=True)
class Points:
    """What each distinct unit gives to each item, in whole parts of a point.

    Parameters
    ----------
    indptr : int array (units + 1,)
        Unit u lists ``listed[indptr[u]:indptr[u + 1]]``, no item twice.
    listed, given : int arrays
        The items that a unit lists, and the parts it gives to them.
    others : int array (units,)
        The parts that a unit gives to each item that it does not list.
    sizes : int array (units,)
        The parts that a unit takes off the divisor; 1 of each where a point is one part.
    widest : int, optional
        The most parts by which a unit can put one item ahead of another, if it has no weight.
    """

    indptr: IntArray
    listed: IntArray
    given: IntArray
    others: IntArray
    sizes: IntArray
    widest: int | None = None

    @classmethod
    def for_listed(cls, indptr: IntArray, listed: IntArray, given: Any = 1, point: int = 1) -> Points:
        """Return so many parts of a point for each listed item, and none for the others."""
        nothing = np.zeros(len(indptr) - 1, dtype=np.int64)
        each = np.broadcast_to(np.asarray(given, dtype=np.int64), listed.shape)
        return cls(indptr, listed, each, nothing, nothing + point, widest=point)

    def of_units(self, data: CountedRows) -> Points:
        """Return the points of units from those of their rows: equal ones, some with weights, groups."""
        (_, unit, times), size, items = data.members, len(data.units), data.n_items
        most = max(int(part.max(initial=0)) for part in (self.given, self.others, self.sizes))
        every = times if data.unit is not None else times * data.units.counts
        check_total(every, f"points of an item (up to {most / self.sizes[0]:g} a unit)", most)
        if data.weights is None and data.unit is None:
            return self
        others, sizes = np.zeros((2, size), dtype=np.int64)
        np.add.at(others, unit, times * self.others)
        np.add.at(sizes, unit, times * self.sizes)
        row = self.owners()
        keys, which = np.unique(unit[row] * items + self.listed, return_inverse=True)
        owner, listed = np.divmod(keys, items)
        given = others[owner]
        np.add.at(given, which, times[row] * (self.given - self.others[row]))
        return Points(np.searchsorted(owner, np.arange(size + 1)), listed, given, others, sizes)

    def owners(self) -> IntArray:
        """Return the unit of each listed item."""
        return np.repeat(np.arange(len(self.others)), np.diff(self.indptr))

    @cached_property
    def equal_sizes(self) -> bool:
        """Whether all units have one size, as persons without weights have."""
        return bool((self.sizes == self.sizes[0]).all())

    def totals(self, counts: IntArray, items: int) -> IntArray:
        """Return the parts that each item gets from all units together."""
        totals = np.full(items, int(counts @ self.others), dtype=np.int64)
        owners = self.owners()
        np.add.at(totals, self.listed, counts[owners] * (self.given - self.others[owners]))
        return totals


@dataclass(frozen=True)
class PointTotals(RunningTotals):
    """The parts of points that each item gets, and what they are divided by.

    Parameters
    ----------
    scores, totals, divisor
        As of :class:`MeanPointsOut`.
    each : int
        The divisor of a unit of weight 1.
    scorer : MeanPoints
        What gives the points.
    """

    scores: FloatArray
    totals: IntArray
    divisor: int
    each: int
    scorer: MeanPoints

    def plus(self, new: Any, places: IntArray) -> PointTotals | None:
        """Add what new units give, where sums stay exact and items that are new change no points."""
        more = self.scorer.running_totals(new)
        each = math.lcm(self.each, more.each)
        mine, its = each // self.each, each // more.each
        divisor = self.divisor * mine + more.divisor * its
        inexact = divisor * new.n_items >= EXACT or 10 * divisor >= ROOM  # weights stay by a digit
        if inexact or (self.scorer.ranks_all and new.n_items > len(places)):
            return None
        totals = more.totals * its
        totals[places] += self.totals * mine
        return PointTotals(totals / divisor, totals, divisor, each, self.scorer)


def size_of_all(data: Observations, sizes: IntArray) -> int:
    """Return the sizes of all units together; complain where nobody counts."""
    total = check_total(sizes, data.kind.name, data.units.counts)
    if not total:
        raise EmptyDataError(NOBODY_COUNTS)
    return total


def size_of_others(data: Observations, sizes: IntArray) -> IntArray:
    """Return the sizes of all units but each; complain where nothing is left without one."""
    check_several(data)
    return size_of_all(data, sizes) - sizes


class UnitShares(Scorer):
    """Scores that a unit moves by at most its share of all units times a diameter."""

    rule: ClassVar[str]
    scope: ClassVar[str] = "{kind} over {items:,} items"
    moved: ClassVar[str] = "shares"

    @abstractmethod
    def sizes(self, data: Any) -> IntArray:
        """Return the size of each distinct unit, in whole parts of a person."""

    @abstractmethod
    def squared_diameter(self, items: int) -> tuple[Fraction, str]:
        """Return that of what a person may say, and its root as a formula."""

    def sensitivity(self, data: Any) -> Sensitivity | None:
        """Return the most that one unit can move the scores: the diameter of points, times its share.

        The share is 1/n, or of persons with weights, or of groups, the largest; see
        :mod:`steadyrank.scorers.sensitivity`.
        """
        self.check(data)
        sizes = self.sizes(data)
        largest, share = Fraction(int(sizes.max()), size_of_all(data, sizes)), "/n"
        if data.weights is not None or data.unit is not None:
            share = " times the largest share of a unit"
        square, formula = self.squared_diameter(data.n_items)
        return Sensitivity.of(
            data,
            square * largest**2,
            rule=self.rule,
            units=data.kind.name if data.unit is None else f"{data.unit_kind} units",
            moved=self.moved,
            scope=self.scope.format(kind=data.kind.name, items=data.n_items) + same_people(data),
            formula=formula and formula + share,
            numbers={} if share == "/n" else {"largest_share": float(largest)},
        )

    def output_radius_squared(self, data: Observations) -> float:
        """Return that of what a unit may say, which lies around a centre as a box does."""
        return float(self.squared_diameter(data.n_items)[0] / 4)


class MeanPoints(UnitShares):
    """The mean over all units of the points that each gives to each item."""

    ranks_all: ClassVar[bool] = False
    """Whether points depend on how many items there are."""

    @abstractmethod
    def points(self, data: Any) -> Points:
        """Return the points that each distinct unit gives."""

    def sizes(self, data: Any) -> IntArray:
        """Return what each unit takes off the divisor."""
        return self.points(data).sizes

    def score(self, data: Any) -> FloatArray:
        """Return the mean points of each item."""
        self.check(data)
        return self._out(data).scores

    def running_totals(self, data: Any) -> PointTotals:
        """Return the totals, and what they are divided by."""
        self.check(data)
        out, (parts, scale) = self._out(data), data.weight_parts
        each = out.divisor * scale // int((parts * data.counts).sum())
        return PointTotals(out.scores, out.totals, out.divisor, each, self)

    def leave_one_out(self, data: Any) -> LeaveOneOut:
        """Return the mean points without each unit; equal units are one distinct unit."""
        self.check(data)
        out = self._out(data)
        size_of_others(data, out.points.sizes)
        return out

    def _out(self, data: Observations) -> MeanPointsOut:
        points, units = self.points(data), data.units
        totals, divisor = points.totals(units.counts, data.n_items), size_of_all(data, points.sizes)
        return MeanPointsOut(totals / divisor, units, points, totals, divisor)


@dataclass(frozen=True)
class MeanPointsOut(LeaveOneOut):
    """Leave-one-out scores ``(total - points of the unit) / (divisor - size of the unit)``.

    Parameters
    ----------
    scores, units
        As for any of them.
    points : Points
        What each unit gives.
    totals : int array (items,)
        What all of them give together, in the same parts.
    divisor : int
        The sizes of all units together.
    block_numbers : int
        How many leave-one-out scores one block holds: few enough to stay in the cache.
    table_numbers : int
        How large a table of levels and items may be.
    exact_squares : int
        Sums of squares up to here, and their differences, are exact in 64-bit whole numbers.
    """

    scores: FloatArray
    units: Units
    points: Points
    totals: IntArray
    divisor: int
    block_numbers: int = 1 << 18
    table_numbers: int = 1 << 22
    exact_squares: int = 2**60

    def blocks(self) -> Iterator[DenseBlock]:
        """Yield dense blocks of distinct units."""
        for part in self._parts(self._everything):
            yield DenseBlock(part.start, self._rows(part, self._everything))

    def columns(self, items: IntArray, among: BoolArray | None = None) -> Iterator[Rows]:
        """Yield the scores of ``items`` without each unit; every unit changes the denominator."""
        wanted = Wanted.of(self.scores, items, among)
        for part in self._parts(wanted):
            yield from wanted.part(part.start, self._rows(part, wanted))

    def reordered(self, order: IntArray) -> IntArray:
        """Compare the listed items with their neighbours: all others keep their order.

        What a unit gives to the others is added to all its scores, which changes no order.
        """
        points = self.points
        if int(self.totals.max(initial=0)) + int(points.others.max(initial=0)) >= EXACT:
            return super().reordered(order)
        left = self.totals[points.listed] - points.given + points.others[points.owners()]
        block = SparseBlock(0, points.indptr, points.listed, left.astype(np.float64))
        return np.flatnonzero(block.reordered(self.totals.astype(np.float64), order))

    def touching(self, items: IntArray) -> Iterator[SparseBlock]:
        """Yield what units give to those of these items that they list; the others keep their order."""
        points, wanted = self.points, Wanted.of(self.scores, items)
        kept = np.flatnonzero(wanted.place[points.listed] >= 0)
        listed = points.listed[kept]
        scores = (self.totals[listed] - points.given[kept]) / self.rest[points.owners()[kept]]
        yield SparseBlock(0, np.searchsorted(kept, points.indptr), listed, scores)

    def unchanged(self, units: IntArray, items: IntArray) -> FloatArray:
        """Return the scores of items that a unit does not list, a row for each unit."""
        left = self.totals[items] - self.points.others[units][:, np.newaxis]
        return np.asarray(left / self.rest[units][:, np.newaxis])

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest scores, from the most and least that one unit gives."""
        spread = self.least_and_most() if self.points.equal_sizes else None
        if spread is None:
            return super().bounds()
        least, most = spread
        lowest = (self.totals - most) / self.rest[0]
        highest = (self.totals - least) / self.rest[0]
        return np.minimum(lowest, self.scores), np.maximum(highest, self.scores)

    def shifts(self) -> FloatArray:
        r"""Return ``||w - w\i||``, from ``w - w\i = (n z_i - s_i total) / (n (n - s_i))``.

        Sizes s, and n, their sum, are taken in the largest unit in which they are whole.
        """
        points, unit = self.points, int(np.gcd.reduce(self.points.sizes))
        sizes, n = points.sizes // unit, self.divisor // unit
        given = int(max(points.given.max(initial=0), points.others.max(initial=0)))
        largest = max(int(np.abs(self.totals).max(initial=0)) * int(sizes.max()), n * given)
        # In Python's whole numbers, which do not overflow, wherever 64 bits might.
        number = np.int64 if len(self.totals) * largest**2 < self.exact_squares else np.object_
        squares = self._squares(sizes.astype(number), n, number)
        return np.asarray(np.sqrt(squares) / (self.rest.astype(np.float64) * n))

    @cached_property
    def rest(self) -> IntArray:
        """What is left of the divisor without each unit."""
        return self.divisor - self.points.sizes

    @property
    def _everything(self) -> Wanted:
        return Wanted.of(self.scores, np.arange(len(self.scores)))

    def _parts(self, wanted: Wanted) -> Iterator[slice]:
        return slices(len(self.units), self.block_numbers, len(wanted.items))

    def _rows(self, units: slice, wanted: Wanted) -> FloatArray:
        """Take away the parts that some units give to the wanted items."""
        points = self.points
        given = np.repeat(points.others[units, np.newaxis], len(wanted.items), axis=1)
        pointers = points.indptr[units.start : units.stop + 1]
        entries = slice(int(pointers[0]), int(pointers[-1]))
        column = wanted.place[points.listed[entries]]
        kept = column >= 0
        rows = np.repeat(np.arange(len(given)), np.diff(pointers))
        given[rows[kept], column[kept]] = points.given[entries][kept]
        return np.asarray((self.totals[wanted.items] - given) / self.rest[units][:, np.newaxis])

    def _squares(self, sizes: AnyArray, n: int, number: Any) -> FloatArray:
        """Sum the squares as if no item were listed, then put the listed ones right."""
        points, total, owners = self.points, self.totals.astype(number), self.points.owners()
        unlisted = n * points.others.astype(number)
        squares = unlisted**2 * len(total) - 2 * unlisted * sizes * int(total.sum())
        squares += sizes**2 * int((total**2).sum())
        expected = total[points.listed] * sizes[owners]
        as_listed = (n * points.given.astype(number) - expected) ** 2
        as_unlisted = (unlisted[owners] - expected) ** 2
        squares += segment_sums(as_listed - as_unlisted, points.indptr)
        return np.asarray(squares, dtype=np.float64)

    def least_and_most(self) -> tuple[IntArray, IntArray] | None:
        """Return the fewest and most parts that a unit gives to each item, if a table is small."""
        points, items = self.points, len(self.scores)
        levels, level = np.unique(points.others, return_inverse=True)
        if len(levels) * items > self.table_numbers:
            return None
        codes = level[points.owners()] * items + points.listed
        lists_it = np.bincount(codes, minlength=len(levels) * items).reshape(len(levels), items)
        leaves_it: BoolArray = lists_it < np.bincount(level)[:, np.newaxis]
        huge = np.iinfo(np.int64).max
        least = np.where(leaves_it, levels[:, np.newaxis], huge).min(axis=0)
        most = np.where(leaves_it, levels[:, np.newaxis], -huge).max(axis=0)
        np.minimum.at(least, points.listed, points.given)
        np.maximum.at(most, points.listed, points.given)
        return least, most

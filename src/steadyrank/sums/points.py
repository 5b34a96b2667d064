"""Whole points that every unit gives to every item: NumPy as the engine that adds them up.

A unit gives its own points to the items that it lists, and one and the same number to all others. The
score of an item is its total over the number of units. Without a unit both the total and that number
change, so every score moves a little: the leave-one-out scores are dense, but known in closed form from
the totals alone.

A unit may be a person with a weight, or a group of persons: it then gives whole parts of points, and has
a size, which it takes off the number of units that totals are divided by. Totals themselves are those
over one point, whoever leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
from steadyrank.sums.blocks import (
    DenseBlock,
    Rows,
    SparseBlock,
    Wanted,
    segment_sums,
    slices,
)
from steadyrank.sums.exact import EXACT, ExactForm
from steadyrank.sums.model import ItemSums, Sums, sparse


@dataclass(frozen=True)
class ListedBlock(SparseBlock):
    """What units give to items that they list; all others lose the same, and the divisor its part.

    Parameters
    ----------
    totals, others, rest : int arrays (items,) and (units,)
        What all units give, what each gives to the others, and what is left of the divisor without it.
    """

    totals: IntArray
    others: IntArray
    rest: IntArray

    def untouched(
        self,
        numbers: IntArray,
        items: IntArray,
        base: FloatArray,  # noqa: ARG002
    ) -> FloatArray:
        """Return the scores of items that a unit does not list, a row for each unit."""
        left = self.totals[items] - self.others[numbers][:, np.newaxis]
        return np.asarray(left / self.rest[numbers][:, np.newaxis])


@dataclass(frozen=True, eq=False)
class Points(Sums):
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
        The parts that a unit takes off the divisor; 1 of each where a point is one part, 0 of totals.
    copies : int array (units,)
        How often each unit occurs.
    items : int
        The number of items.
    over : int
        What totals are divided by, whoever leaves; 0 for the sizes of all units.
    block_numbers : int
        How many leave-one-out scores one block holds: few enough to stay in the cache.
    table_numbers : int
        How large a table of levels and items may be.
    exact_squares : int
        Sums of squares up to here, and their differences, are exact in 64-bit whole numbers.

    Examples
    --------
    >>> one = np.array([0, 1])
    >>> votes = Points(np.arange(3), one, one**0, 0 * one, one**0, copies=np.array([3, 1]), items=2)
    >>> votes.totals, votes.divisor, votes.least_and_most()
    ((array([3, 1]),), 4, (array([0, 0]), array([1, 1])))
    """

    indptr: IntArray
    listed: IntArray
    given: IntArray
    others: IntArray
    sizes: IntArray
    copies: IntArray
    items: int
    over: int = 0
    block_numbers: int = 1 << 18
    table_numbers: int = 1 << 22
    exact_squares: int = 2**60

    form = ExactForm(1.0, 1.0, whole=True)

    @cached_property
    def divisor(self) -> int:
        """What totals are divided by."""
        return self.over or int(self.copies @ self.sizes)

    @cached_property
    def counts(self) -> IntArray:
        """The divisor, the same of each item."""
        return np.full(self.items, self.divisor)

    @cached_property
    def totals(self) -> tuple[IntArray]:  # type: ignore[override]  # whole numbers stay whole
        """The parts that each item gets from all units together."""
        totals = np.full(self.items, int(self.copies @ self.others), dtype=np.int64)
        owners = self.owners
        np.add.at(
            totals,
            self.listed,
            self.copies[owners] * (self.given - self.others[owners]),
        )
        return (totals,)

    @cached_property
    def owners(self) -> IntArray:
        """The unit of each listed item."""
        return np.repeat(np.arange(len(self.others)), np.diff(self.indptr))

    @cached_property
    def rest(self) -> IntArray:
        """What is left of the divisor without each unit."""
        return self.divisor - self.sizes

    def blocks(self, sums: ItemSums) -> Iterator[DenseBlock]:
        """Yield dense blocks of distinct units."""
        everything = Wanted.of(sums.scores, np.arange(self.items))
        for part in slices(len(self.others), self.block_numbers, self.items):
            yield DenseBlock(part.start, self._rows(part, everything))

    def columns(self, sums: ItemSums, wanted: Wanted) -> Iterator[Rows]:  # noqa: ARG002 (totals will do)
        """Yield the scores of the wanted items without each unit; every unit changes the divisor."""
        for part in slices(len(self.others), self.block_numbers, len(wanted.items)):
            yield from wanted.part(part.start, self._rows(part, wanted))

    def reordered(self, sums: ItemSums, order: IntArray) -> IntArray:
        """Compare the listed items with their neighbours: all others keep their order."""
        block = self.totals_left()
        if block is None:
            return super().reordered(sums, order)
        return np.flatnonzero(block.reordered(self.totals[0].astype(np.float64), order))

    def totals_left(self) -> SparseBlock | None:
        """Return the totals of listed items without each unit, beside which all others keep theirs.

        What a unit gives to the others is added to all its scores, which changes no order. None where
        floats do not hold them.
        """
        (totals,) = self.totals
        if int(totals.max(initial=0)) + int(self.others.max(initial=0)) >= EXACT:
            return None
        left = totals[self.listed] - self.given + self.others[self.owners]
        return SparseBlock(0, self.indptr, self.listed, left.astype(np.float64))

    def touching(self, sums: ItemSums, wanted: Wanted) -> Iterator[ListedBlock]:  # noqa: ARG002 (likewise)
        """Yield what units give to those items that they list; the others keep their order."""
        kept, (totals,) = np.flatnonzero(wanted.place[self.listed] >= 0), self.totals
        listed = self.listed[kept]
        scores = (totals[listed] - self.given[kept]) / self.rest[self.owners[kept]]
        pointers = np.searchsorted(kept, self.indptr)
        yield ListedBlock(0, pointers, listed, scores, totals, self.others, self.rest)

    def of_copies(self, copies: IntArray) -> tuple[tuple[FloatArray], IntArray]:
        """Return the points of so many copies of each unit, and the divisors."""
        beyond, number = (
            self.given - self.others[self.owners],
            copies.astype(np.float64),
        )
        given = number @ sparse(
            beyond, self.owners, self.listed, (copies.shape[1], self.items)
        )
        divisors = copies @ self.sizes + self.over
        return (given + (number @ self.others)[:, np.newaxis],), divisors[:, np.newaxis]

    def bounds(self, sums: ItemSums) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest scores, from the most and least that one unit gives."""
        same = bool(
            (self.rest == self.rest[0]).all()
        )  # as persons without weights have
        spread = self.least_and_most() if same else None
        if spread is None:
            return super().bounds(sums)
        ends = [(self.totals[0] - given) / self.rest[0] for given in spread]
        return np.minimum(ends[1], sums.scores), np.maximum(ends[0], sums.scores)

    def shifts(self, sums: ItemSums) -> FloatArray:  # noqa: ARG002 (likewise)
        r"""Return ``||w - w\i||``, from ``w - w\i = (n z_i - s_i total) / (n (n - s_i))``.

        Sizes s, and n, their sum, are taken in the largest unit in which they are whole.
        """
        unit = int(np.gcd.reduce(self.sizes, initial=self.divisor))
        sizes, n = self.sizes // unit, self.divisor // unit
        given = int(max(self.given.max(initial=0), self.others.max(initial=0)))
        largest = max(
            int(np.abs(self.totals[0]).max(initial=0)) * int(sizes.max()), n * given
        )
        # In Python's whole numbers, which do not overflow, wherever 64 bits might.
        number = (
            np.int64 if self.items * largest**2 < self.exact_squares else np.object_
        )
        squares = self._squares(sizes.astype(number), n, number)
        return np.asarray(np.sqrt(squares) / (self.rest.astype(np.float64) * n))

    def least_and_most(self) -> tuple[IntArray, IntArray] | None:
        """Return the fewest and most parts that a unit gives to each item, if a table is small."""
        levels, level = np.unique(self.others, return_inverse=True)
        if len(levels) * self.items > self.table_numbers:
            return None
        codes = level[self.owners] * self.items + self.listed
        lists_it = np.bincount(codes, minlength=len(levels) * self.items).reshape(
            len(levels), -1
        )
        leaves_it: BoolArray = lists_it < np.bincount(level)[:, np.newaxis]
        huge = np.iinfo(np.int64).max
        least = np.where(leaves_it, levels[:, np.newaxis], huge).min(axis=0)
        most = np.where(leaves_it, levels[:, np.newaxis], -huge).max(axis=0)
        np.minimum.at(least, self.listed, self.given)
        np.maximum.at(most, self.listed, self.given)
        return least, most

    def _rows(self, units: slice, wanted: Wanted) -> FloatArray:
        """Take away the parts that some units give to the wanted items."""
        given = np.repeat(self.others[units, np.newaxis], len(wanted.items), axis=1)
        pointers = self.indptr[units.start : units.stop + 1]
        entries = slice(int(pointers[0]), int(pointers[-1]))
        column = wanted.place[self.listed[entries]]
        kept = column >= 0
        rows = np.repeat(np.arange(len(given)), np.diff(pointers))
        given[rows[kept], column[kept]] = self.given[entries][kept]
        return np.asarray(
            (self.totals[0][wanted.items] - given) / self.rest[units][:, np.newaxis]
        )

    def _squares(self, sizes: AnyArray, n: int, number: Any) -> FloatArray:
        """Sum the squares as if no item were listed, then put the listed ones right."""
        total, owners = self.totals[0].astype(number), self.owners
        unlisted = n * self.others.astype(number)
        squares = unlisted**2 * len(total) - 2 * unlisted * sizes * int(total.sum())
        squares += sizes**2 * int((total**2).sum())
        expected = total[self.listed] * sizes[owners]
        as_listed = (n * self.given.astype(number) - expected) ** 2
        as_unlisted = (unlisted[owners] - expected) ** 2
        squares += segment_sums(as_listed - as_unlisted, self.indptr)
        return np.asarray(squares, dtype=np.float64)

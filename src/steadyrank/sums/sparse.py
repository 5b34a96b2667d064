"""Ratings and scores in memory: NumPy as the engine that adds them up."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
from steadyrank.sums import blocks, exact
from steadyrank.sums.blocks import Block, DenseBlock, SparseBlock, Wanted
from steadyrank.sums.exact import ExactForm
from steadyrank.sums.model import Entries, Given, ItemSums, Parts, reach

BLOCK_ENTRIES = 1 << 19
"""How many entries one block of leave-one-out scores covers."""
SCAN = 1 << 18
"""How many ratings one pass handles at a time: few enough to stay in the cache."""


@dataclass(eq=False)
class SparseEntries(Entries):
    """Values by unit and item, where pairs may be without one.

    Parameters
    ----------
    indptr : int array (units + 1,)
        Unit u has the entries ``indptr[u]:indptr[u + 1]``, by item, none of them twice.
    rated, values : arrays
        For each entry, its item and its value.
    items : int
        The number of items.
    addends : int
        How many values of an item enter one sum; by default one of each unit.
    what : str
        What the values are called.
    parts : int
        A number of parts of 1 that all values are whole numbers of, where that is known.
    resolution : float
        How close scores are equal, where the values are no short decimals.
    block_entries, scan : int
        How much is handled at a time.

    Examples
    --------
    >>> entries = SparseEntries(np.array([0, 2, 3]), np.array([0, 1, 1]), np.array([4, 5, 3]), 2)
    >>> entries.counts, entries.totals
    (array([1, 2]), (array([4., 8.]),))
    """

    indptr: IntArray
    rated: AnyArray
    values: AnyArray
    items: int
    addends: int = 0
    what: str = "ratings"
    parts: int = 1
    resolution: float = 0.0
    block_entries: int = BLOCK_ENTRIES
    scan: int = SCAN

    def __post_init__(self) -> None:
        self.rows = len(self.indptr) - 1
        step = len(self.values) if self.values.dtype.kind in "iu" else self.scan
        chunks = (self.values[part] for part in blocks.slices(len(self.values), step))
        self.addends = self.addends or self.rows
        self.form = exact.exact_form(chunks, addends=self.addends, parts=self.parts)
        if self.form.whole:
            self.resolution = 0.0
        else:
            self.form = self._form_of_items()

    def _form_of_items(self) -> ExactForm:
        least, largest = np.full(self.items, np.inf), np.zeros(self.items)
        for part in blocks.slices(len(self.values), self.scan):
            exact.widen_sizes(least, largest, self.rated[part], self.values[part])
        places = np.zeros(self.items, dtype=np.int64)
        for part in blocks.slices(len(self.values), max(self.scan, self.items)):
            needed = exact.places_of_items(self.rated[part], self.values[part], largest)
            np.maximum(places, needed, out=places)
        ends = self.form.lowest, self.form.highest
        parts = exact.parts_for(least, largest, self.addends)
        return exact.form_of_items(places, largest, ends, self.addends, parts)

    @cached_property
    def counts(self) -> IntArray:
        """How many values each item has."""
        return np.bincount(self.rated, minlength=self.items)

    @cached_property
    def totals(self) -> Parts:
        """The sums of each item's values."""
        totals = tuple(
            np.zeros(self.items) for _ in range(max(1, len(self.form.steps)))
        )
        for part in blocks.slices(len(self.values), self.block_entries):
            rated = self.rated[part]
            for total, addends in zip(
                totals, self.form.parts(self.values[part], rated), strict=True
            ):
                np.add(total, np.bincount(rated, addends, self.items), out=total)
        return totals

    @cached_property
    def extremes(self) -> tuple[Parts, Parts]:
        """The least and the largest value of each item."""
        ends = (
            self.form.highest,
            self.form.lowest,
        )  # of one type with the values: else 30 times slower
        least, most = (
            np.full(self.items, end, dtype=self.values.dtype) for end in ends
        )
        np.minimum.at(least, self.rated, self.values)
        np.maximum.at(most, self.rated, self.values)
        return self.form.parts(least), self.form.parts(most)

    def blocks(self, sums: ItemSums) -> Iterator[Block]:
        """Yield the scores without each unit, as a matrix where some units have values of all items."""
        for first, entries, pointers in self._ranges(self.block_entries):
            scores = self._without(sums, entries)
            if len(scores) == (len(pointers) - 1) * self.items:
                yield DenseBlock(first, scores.reshape(-1, self.items))
            else:
                yield SparseBlock(first, pointers, self.rated[entries], scores)

    def _without(self, sums: ItemSums, entries: slice | IntArray) -> FloatArray:
        """Return the scores of the items of some entries, each without its entry."""
        return np.asarray(sums.without(self.rated[entries], *self._given(entries)))

    def touching(self, sums: ItemSums, wanted: Wanted) -> Iterator[SparseBlock]:
        """Yield the scores of the wanted items alone."""
        mask = wanted.place >= 0
        for first, entries, pointers in self._ranges(self.block_entries):
            found = self._entries_of(mask, entries.start, entries.stop)
            kept, places = wanted.of_units(found, pointers + entries.start, first)
            yield SparseBlock(
                first, places, self.rated[kept], self._without(sums, kept)
            )

    def _entries_of(self, mask: BoolArray, start: int, stop: int) -> IntArray:
        """Return the entries of masked items between two places."""
        step = self.scan
        found = [
            np.flatnonzero(
                mask.take(self.rated[at : min(at + step, stop)], mode="clip")
            )
            + at
            for at in range(start, stop, step)
        ]
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)

    def shifts(self, sums: ItemSums) -> FloatArray:
        """Return how far each unit moves the scores."""
        found = [
            blocks.lengths(
                sums.moves(self.rated[entries], self._given(entries)[0]), pointers
            )
            for _, entries, pointers in self._ranges(self.scan)
        ]
        return np.concatenate(found)

    def values_of(self, items: IntArray, among: IntArray | None = None) -> Given:
        """Look for the entries of the items in one pass, or among those of some units."""
        place = np.full(self.items, -1, dtype=np.int64)
        place[items] = np.arange(len(items))
        if among is None:
            found = self._entries_of(place >= 0, 0, len(self.rated))
        else:
            found = blocks.repeated_spans(self.indptr, among)[1]
            found = found[place[self.rated[found]] >= 0]
        unit = np.searchsorted(self.indptr, found, side="right") - 1
        return unit, place[self.rated[found]], *self._given(found)

    def _given(self, entries: slice | IntArray) -> tuple[Parts, IntArray]:
        """Return what some entries give, in exact form, and in how many values."""
        parts = self.form.parts(self.values[entries], self.rated[entries])
        return parts, np.ones(len(parts[0]), dtype=np.int64)

    def largest_squared_reach(
        self, shrinkage: float, lowest: float, highest: float
    ) -> float:
        """Return the most that a unit's values can move the scores, squared."""
        rated = np.maximum(self.counts, 1)  # no unit touches the others
        squares = reach(1, rated, shrinkage, (lowest, highest), np.maximum) ** 2
        return max(
            float(blocks.segment_sums(squares[self.rated[entries]], pointers).max())
            for _, entries, pointers in self._ranges(self.block_entries)
        )

    def _ranges(self, entries: int) -> Iterator[tuple[int, slice, IntArray]]:
        """Yield the first of some units, about so many entries of them, and their pointers from 0."""
        for first, last in unit_ranges(self.indptr, entries):
            pointers = self.indptr[first : last + 1]
            yield (
                first,
                slice(int(pointers[0]), int(pointers[-1])),
                pointers - pointers[0],
            )


class MergedEntries(SparseEntries):
    """Values of units that hold several values of an item, or parts of some: groups, and weights.

    Parameters
    ----------
    entries : (int array, int array, array)
        Units, items and values, in any order.
    times : int array
        How many parts of a value each counts as; those that count as none are left out.
    sizes : (int, int)
        How many units and items there are.
    rows, scale, weighted
        As for all entries.
    copies : int array, optional
        How often each unit occurs; once each by default.
    named
        What they are called, their parts and their resolution, as above.

    Attributes
    ----------
    indptr, rated
        As above, where one entry stands for all that a unit gives to an item.
    given, times : tuple of float arrays, and int array
        What each entry gives, in exact form, and how many parts of a value it counts as.
    """

    grouped = True

    def __init__(
        self,
        entries: tuple[IntArray, AnyArray, AnyArray],
        times: IntArray,
        sizes: tuple[int, int],
        *,
        rows: int,
        scale: int,
        weighted: bool,
        copies: IntArray | None = None,
        **named: Any,
    ) -> None:
        self.copies = np.ones(sizes[0], dtype=np.int64) if copies is None else copies
        order = np.lexsort(entries[1::-1])
        order = order[times[order] > 0]
        owner, rated, values = (part[order] for part in entries)
        one_unit = np.array([0, len(rated)])
        super().__init__(
            one_unit, rated, values, sizes[1], addends=max(1, rows), **named
        )
        self.rows, self.scale, self.weighted = rows, scale, weighted
        self.observed, self.extremes = (
            np.bincount(entries[1], minlength=sizes[1]),
            self.extremes,
        )
        start = np.flatnonzero(np.diff(owner, prepend=-1) | np.diff(rated, prepend=-1))
        parts = self.form.parts(values, rated)
        self.given = tuple(
            np.add.reduceat(part * times[order], start) for part in parts
        )
        self.times = np.add.reduceat(times[order], start)
        self.indptr, self.rated = (
            np.searchsorted(owner[start], np.arange(sizes[0] + 1)),
            rated[start],
        )

    @cached_property
    def counts(self) -> IntArray:
        """How many values each item has, in parts."""
        return np.bincount(self.rated, self.times * self._occurs, self.items).astype(
            np.int64
        )

    @cached_property
    def totals(self) -> Parts:
        """The sums of each item's values."""
        addends = (part * self._occurs for part in self.given)
        return tuple(
            np.bincount(self.rated, part, self.items).astype(np.float64)
            for part in addends
        )

    @cached_property
    def _occurs(self) -> IntArray:
        return np.repeat(self.copies, np.diff(self.indptr))

    @cached_property
    def most_leaving(self) -> IntArray:
        """The most values of each item that leave with one unit, in parts."""
        most = np.ones(self.items, dtype=np.int64)
        np.maximum.at(most, self.rated, self.times)
        return most

    def apart(self) -> tuple[MergedEntries, IntArray] | None:
        """Return the same with equal units one by one."""
        if (self.copies == 1).all():
            return None
        which = np.repeat(np.arange(len(self.copies)), self.copies)
        found = copy(self)
        found.indptr, entries = blocks.repeated_spans(self.indptr, which)
        found.rated, (found.given, found.times) = (
            self.rated[entries],
            self._given(entries),
        )
        found.observed = np.bincount(found.rated, minlength=self.items)
        return found, which

    def shifts(self, sums: ItemSums) -> FloatArray:
        """Return how far each unit moves the scores."""
        return Entries.shifts(self, sums)

    def largest_squared_reach(
        self, shrinkage: float, lowest: float, highest: float
    ) -> float:
        """Return the most that a unit's values can move the scores, squared."""
        counts, ends = self.counts[self.rated], (lowest, highest)
        moves = reach(self.times, counts, shrinkage * self.scale, ends, np.maximum)
        return float(blocks.segment_sums(moves**2, self.indptr).max())

    def _given(self, entries: slice | IntArray) -> tuple[Parts, IntArray]:
        return tuple(part[entries] for part in self.given), self.times[entries]


def unit_ranges(indptr: IntArray, entries: int) -> Iterator[tuple[int, int]]:
    """Cut the units into ranges of about ``entries`` entries, no unit in two of them.

    Examples
    --------
    >>> list(unit_ranges(np.array([0, 3, 4, 4, 9]), 4))
    [(0, 3), (3, 4)]
    """
    marks = (
        np.searchsorted(indptr, np.arange(0, int(indptr[-1]), entries), side="right")
        - 1
    )
    marks[0] = 0
    cuts = np.append(np.unique(marks), len(indptr) - 1)
    yield from zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)

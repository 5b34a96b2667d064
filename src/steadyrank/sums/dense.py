"""A matrix of values in memory, gaps as NaN: NumPy as the engine that adds up its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from steadyrank._typing import FloatArray, IntArray
from steadyrank.errors import shorten
from steadyrank.sums.blocks import DenseBlock, Rows, Wanted, segment_sums, slices
from steadyrank.sums.exact import ExactForm, exact_form, form_of_items, places_of_items
from steadyrank.sums.model import Entries, Given, ItemSums, Parts, reach
from steadyrank.sums.sparse import unit_ranges

BLOCK_NUMBERS = 1 << 18
"""How many numbers one block holds: few enough to stay in the cache."""
EVERYTHING = slice(None)
"""All items; of a matrix this is a view, not a copy."""


class DenseEntries(Entries):
    """Values by row and item, where a unit is a row or a group of rows.

    Parameters
    ----------
    values : float array (rows, items)
        The matrix, NaN where a value is missing.
    unit : int array (rows,), optional
        The unit of each row; by default each row is one.
    weights : (int array (rows,), int), optional
        How many parts of a value the values of each row count as, and how many make one; by default
        each is a whole one.
    labels : two sequences
        What to call rows and items in an error.
    parts : int, optional
        A number of parts of 1 that all values are whole numbers of, where that is known.
    block_numbers : int
        How many numbers are handled at a time.

    Examples
    --------
    >>> entries = DenseEntries(np.array([[1.0, 0.5], [np.nan, 1.0]]))
    >>> entries.counts, entries.totals, entries.gaps
    (array([1, 2]), (array([10., 15.]),), True)
    """

    what = "values"

    def __init__(
        self,
        values: FloatArray,
        unit: IntArray | None = None,
        weights: tuple[IntArray, int] | None = None,
        labels: tuple[Sequence[object], Sequence[object]] = ((), ()),
        *,
        parts: int = 1,
        block_numbers: int = BLOCK_NUMBERS,
    ) -> None:
        self.values = values
        self._rows, self._items = values.shape
        self._times: IntArray | None
        self._times, self.scale = weights or (None, 1)
        self.weighted = weights is not None
        self.rows = self._rows if self._times is None else int(self._times.sum())
        self.grouped = unit is not None or self.weighted
        self._labels = labels
        self._block_numbers = block_numbers
        # Unit u has the rows order[pointers[u]:pointers[u + 1]].
        self._order = None if unit is None else np.argsort(unit, kind="stable")
        sizes = np.ones(self._rows, dtype=np.int64) if unit is None else np.bincount(unit)
        self._pointers = np.append(0, np.cumsum(sizes))
        self._holes = bool((self.observed < self._rows).any())
        present = (chunk[~np.isnan(chunk)] if self._holes else chunk for chunk in self._chunks())
        self.form = exact_form(present, addends=self.rows, parts=parts)
        if not self.form.whole:
            self.form = self._form_of_columns()

    def _form_of_columns(self) -> ExactForm:
        least, most = self._ends
        largest = np.nan_to_num(np.maximum(abs(least), abs(most)))
        in_columns: Any = partial(np.any, axis=0)
        places = [places_of_items(chunk, largest, in_columns) for chunk in self._chunks()]
        ends = float(np.nanmin(least)), float(np.nanmax(most))
        return form_of_items(np.max(places, axis=0), largest, ends, self.rows)

    @cached_property
    def counts(self) -> IntArray:
        """How many values each column has, in parts."""
        if self._times is None:
            return self.observed
        return np.asarray(self._times @ (~np.isnan(self.values)).astype(np.int64))

    @cached_property
    def observed(self) -> IntArray:
        """How many values each column has, whatever their weights."""
        missing = np.zeros(self._items, dtype=np.int64)
        for chunk in self._chunks():
            missing += np.isnan(chunk).sum(axis=0)
        return np.asarray(self._rows - missing)

    @cached_property
    def totals(self) -> Parts:
        """The sums of the columns."""
        totals: Parts = ()
        for first, last in self._ranges(self._items):
            sums = tuple(part.sum(axis=0) for part in self._unit_parts(first, last, EVERYTHING))
            totals = tuple(map(np.add, totals, sums)) if totals else sums
        return totals

    @property
    def extremes(self) -> tuple[Parts, Parts]:
        """The least and the largest value of each column."""
        least, most = self._ends
        return self.form.parts(least), self.form.parts(most)

    @cached_property
    def _ends(self) -> tuple[FloatArray, FloatArray]:
        return np.fmin.reduce(self.values, axis=0), np.fmax.reduce(self.values, axis=0)

    @cached_property
    def most_leaving(self) -> IntArray:
        """The most values of each column that leave with one unit."""
        if not self.grouped:
            return super().most_leaving
        found = (self._leaving(first, last, EVERYTHING) for first, last in self._ranges(self._items))
        most = np.max([np.max(leaving, axis=0) for leaving in found], axis=0)
        return np.broadcast_to(most, (self._items,))

    def blocks(self, sums: ItemSums) -> Iterator[DenseBlock]:
        """Yield the scores without each unit."""
        for first, last in self._ranges(self._items):
            yield DenseBlock(first, self._without(sums, first, last, EVERYTHING))

    def columns(self, sums: ItemSums, wanted: Wanted) -> Iterator[Rows]:
        """Yield the scores of the wanted items without each unit: it may change them all."""
        for first, last in self._ranges(len(wanted.items)):
            yield from wanted.part(first, self._without(sums, first, last, wanted.items))

    def values_of(self, items: IntArray, among: IntArray | None = None) -> Given:
        """Return the columns, without their gaps."""
        unit = np.arange(self._rows)
        if self._order is not None:
            unit[self._order] = np.repeat(np.arange(len(self._pointers) - 1), np.diff(self._pointers))
        rows = np.arange(self._rows) if among is None else np.flatnonzero(np.isin(unit, among))
        if self._times is not None:
            rows = rows[self._times[rows] > 0]
        row, place = np.nonzero(~np.isnan(self.values[np.ix_(rows, items)]))
        row = rows[row]
        parts = self.form.parts(self.values[row, items[place]], items[place])
        times = np.ones_like(place) if self._times is None else self._times[row]
        return unit[row], place, tuple(part * times for part in parts), times

    def largest_squared_reach(self, shrinkage: float, lowest: float, highest: float) -> float:
        """Return the most that a unit's values can move the scores, squared."""
        most = 0.0
        for first, last in self._ranges(self._items):
            leaving = self._leaving(first, last, EVERYTHING)
            moves = reach(leaving, self.counts, shrinkage, (lowest, highest), np.maximum)
            most = max(most, float((moves**2).sum(axis=-1).max()))
        return most

    def first_outside(self, lowest: float, highest: float) -> str:
        """Say where the first value outside a range stands."""
        outside = (self.values < lowest) | (self.values > highest)
        row, item = (int(place) for place in np.argwhere(outside)[0])
        rows, items = self._labels
        return (
            f"; the first is {self.values[row, item]:g} in row {shorten(rows[row])}, "
            f"item {shorten(items[item])}"
        )

    def _without(self, sums: ItemSums, first: int, last: int, items: IntArray | slice) -> FloatArray:
        """Return the scores of ``items`` without each of the units ``first .. last - 1``."""
        parts = self._unit_parts(first, last, items)
        if self._order is not None:
            parts = tuple(segment_sums(part, self._starts(first, last)) for part in parts)
        return sums.without(items, parts, self._leaving(first, last, items))

    def _leaving(self, first: int, last: int, items: IntArray | slice) -> int | IntArray:
        """Return how many values of ``items`` leave with each of these units."""
        if not self.gaps and not self.weighted:
            return np.diff(self._starts(first, last))[:, np.newaxis] if self.grouped else 1
        present: IntArray = (~np.isnan(self._unit_rows(first, last, items))).astype(np.int64)
        present = present * self._row_times(first, last)
        grouped = self._order is not None
        return np.asarray(segment_sums(present, self._starts(first, last)) if grouped else present)

    def _starts(self, first: int, last: int) -> IntArray:
        """Return where the rows of each of these units start among them."""
        return np.asarray(self._pointers[first : last + 1] - self._pointers[first])

    def _unit_rows(self, first: int, last: int, items: IntArray | slice) -> FloatArray:
        """Return the rows of the units ``first .. last - 1``, only the columns ``items``."""
        return self.values[self._span(first, last)][:, items]

    def _span(self, first: int, last: int) -> slice | IntArray:
        span = slice(self._pointers[first], self._pointers[last])
        return span if self._order is None else self._order[span]

    def _row_times(self, first: int, last: int) -> IntArray | int:
        """Return how many parts of a value the rows of these units count as, as a column."""
        return 1 if self._times is None else self._times[self._span(first, last)][:, np.newaxis]

    def _unit_parts(self, first: int, last: int, items: IntArray | slice) -> Parts:
        """Return what the rows of these units give, in exact form."""
        rows = self._unit_rows(first, last, items)
        parts = self.form.parts(np.where(np.isnan(rows), 0.0, rows) if self._holes else rows, items)
        if self._times is None:
            return parts
        return tuple(part * self._row_times(first, last) for part in parts)

    def _ranges(self, width: int) -> Iterator[tuple[int, int]]:
        """Cut the units into ranges whose rows, ``width`` numbers each, make up one block."""
        return unit_ranges(self._pointers, max(1, self._block_numbers // max(1, width)))

    def _chunks(self) -> Iterator[FloatArray]:
        for part in slices(self._rows, self._block_numbers, self._items):
            yield self.values[part]

"""A matrix of values in memory, gaps as NaN: NumPy as the engine that adds up its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from steadyrank._typing import FloatArray, IntArray
from steadyrank.errors import shorten
from steadyrank.sums.blocks import DenseBlock, Rows, Wanted, segment_sums, slices
from steadyrank.sums.exact import ExactForm, exact_form, form_of_items, parts_for, places_of_items
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
    resolution : float
        How close means are equal, where the values are no short decimals.
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
        resolution: float = 0.0,
        block_numbers: int = BLOCK_NUMBERS,
    ) -> None:
        self.values = values
        self._rows, self._items = values.shape
        self.weighted, self.grouped = weights is not None, not (unit is None and weights is None)
        self._times, self.scale = weights or (np.ones(self._rows, dtype=np.int64), 1)
        self.rows = int(self._times.sum())
        self._labels = labels
        self._block_numbers = block_numbers
        self._holes = bool((self.observed < self._rows).any())
        present = (chunk[~np.isnan(chunk)] if self._holes else chunk for chunk in self._chunks())
        self.form = exact_form(present, addends=self.rows, parts=parts)
        if not self.form.whole:
            self.form, self.resolution = self._form_of_columns(), resolution
        self._unit = np.arange(self._rows) if unit is None else unit
        self._units = int(self._unit.max()) + 1

    @cached_property
    def _merged(self) -> tuple[Parts, IntArray] | None:
        """What each unit gives, and in how many values, of each item or of all; None of single rows."""
        if not self.grouped:
            return None
        order = np.argsort(self._unit, kind="stable")
        pointers = np.append(0, np.cumsum(np.bincount(self._unit)))
        sums: list[Parts] = []
        counts = []
        for first, last in unit_ranges(pointers, max(1, self._block_numbers // max(1, self._items))):
            rows = order[pointers[first] : pointers[last]]
            starts, values = pointers[first : last + 1] - pointers[first], self.values[rows]
            each = self._times[rows][:, np.newaxis]
            sums.append(tuple(segment_sums(part, starts) for part in self._exact(values, times=each)))
            counts.append(segment_sums(each * ~np.isnan(values) if self._holes else each, starts))
        return tuple(map(np.concatenate, zip(*sums, strict=True))), np.concatenate(counts)

    def _form_of_columns(self) -> ExactForm:
        least, largest = np.full(self._items, np.inf), np.zeros(self._items)
        for chunk in map(np.abs, self._chunks()):
            np.fmax(largest, np.fmax.reduce(chunk, axis=0), out=largest)
            np.fmin(least, np.fmin.reduce(np.where(chunk > 0, chunk, np.inf), axis=0), out=least)
        in_columns: Any = partial(np.any, axis=0)
        places = [places_of_items(chunk, largest, in_columns) for chunk in self._chunks()]
        ends, parts = (self.form.lowest, self.form.highest), parts_for(least, largest, self.rows)
        return form_of_items(np.max(places, axis=0), largest, ends, self.rows, parts)

    @cached_property
    def counts(self) -> IntArray:
        """How many values each column has, in parts."""
        return np.asarray(self._times @ ~np.isnan(self.values)) if self.weighted else self.observed

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
        found = []
        for rows in slices(self._rows, self._block_numbers, self._items):
            given = self._exact(self.values[rows], times=self._times[rows, np.newaxis])
            found.append([part.sum(axis=0) for part in given])
        return tuple(np.sum(part, axis=0) for part in zip(*found, strict=True))

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
        if self._merged is None:
            return super().most_leaving
        return np.broadcast_to(self._merged[1].max(axis=0), (self._items,))

    def blocks(self, sums: ItemSums) -> Iterator[DenseBlock]:
        """Yield the scores without each unit."""
        for units in self._ranges(self._items):
            yield DenseBlock(units.start, self._without(sums, units, EVERYTHING))

    def columns(self, sums: ItemSums, wanted: Wanted) -> Iterator[Rows]:
        """Yield the scores of the wanted items without each unit: it may change them all."""
        for units in self._ranges(len(wanted.items)):
            yield from wanted.part(units.start, self._without(sums, units, wanted.items))

    def values_of(self, items: IntArray, among: IntArray | None = None) -> Given:
        """Return what units give to the columns, where they have some values of them."""
        units = np.arange(self._units) if among is None else np.unique(among)
        leaving = np.broadcast_to(self._leaving(units, items), (len(units), len(items)))
        unit, place = np.nonzero(leaving)
        parts = tuple(part[unit, place] for part in self._given(units, items))
        return units[unit], place, parts, leaving[unit, place]

    def largest_squared_reach(self, shrinkage: float, lowest: float, highest: float) -> float:
        """Return the most that a unit's values can move the scores, squared."""
        most = 0.0
        for units in self._ranges(self._items):
            leaving = self._leaving(units, EVERYTHING)
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

    def _without(self, sums: ItemSums, units: slice, items: IntArray | slice) -> FloatArray:
        """Return the scores of ``items`` without each of some units."""
        return np.asarray(sums.without(items, self._given(units, items), self._leaving(units, items)))

    def _given(self, units: IntArray | slice, items: IntArray | slice) -> Parts:
        """Return what units give to ``items``, in exact form."""
        if self._merged is None:
            return self._exact(self.values[units][:, items], items)
        return tuple(part[units][:, items] for part in self._merged[0])

    def _leaving(self, units: IntArray | slice, items: IntArray | slice) -> int | IntArray:
        """Return how many values of ``items`` leave with each of these units."""
        if self._merged is None:
            return (~np.isnan(self.values[units][:, items])).astype(np.int64) if self._holes else 1
        counts = self._merged[1][units]
        return counts[:, items] if counts.shape[1] == self._items else counts

    def _exact(
        self, values: FloatArray, items: IntArray | slice = EVERYTHING, times: Any = None
    ) -> Parts:
        """Return values of some items in exact form, gaps as nothing, each as often as it counts."""
        values = np.where(np.isnan(values), 0.0, values) if self._holes else values
        parts = self.form.parts(values, items)
        return tuple(part * times for part in parts) if self.weighted and times is not None else parts

    def _ranges(self, width: int) -> Iterator[slice]:
        """Cut the units into ranges that make up one block, of so many numbers each."""
        return slices(self._units, self._block_numbers, width)

    def _chunks(self) -> Iterator[FloatArray]:
        for part in slices(self._rows, self._block_numbers, self._items):
            yield self.values[part]

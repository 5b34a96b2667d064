"""Sums and counts of the columns of a matrix, and what becomes of them without a unit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.engines.exact_sums import ExactForm, difference, exact_form, together

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import AnyArray, FloatArray, IntArray
    from steadyrank.data.score_matrix import ScoreMatrix

BLOCK_NUMBERS = 1 << 18
"""How many numbers one block holds: few enough to stay in the cache."""


@dataclass(frozen=True)
class ColumnSums:
    """Exact sums of the columns.

    Parameters
    ----------
    values : float array (rows, items)
        The matrix, NaN where a value is missing.
    pointers, order : int arrays or None
        Unit u has the rows ``order[pointers[u]:pointers[u + 1]]``; None where each row is one.
    gaps : bool
        Whether any value is missing.
    form : ExactForm
        How the values are written.
    totals : one or two float arrays (items,)
        The sums, in that form.
    counts : int array (items,)
        How many values each column has.
    """

    values: FloatArray
    pointers: IntArray | None
    order: IntArray | None
    gaps: bool
    form: ExactForm
    totals: tuple[FloatArray, ...]
    counts: IntArray

    @classmethod
    def of(cls, data: ScoreMatrix) -> ColumnSums:
        """Add up the columns of a score matrix."""
        values = data.values
        pointers = order = None
        if data.unit is not None:
            order = np.argsort(data.unit, kind="stable")
            sizes = np.bincount(data.unit, minlength=data.n_units)
            pointers = np.concatenate([[0], np.cumsum(sizes)])
        chunks = list(_row_chunks(values))
        missing = sum((np.isnan(chunk).sum(axis=0) for chunk in chunks), np.zeros(data.n_items))
        gaps = bool(missing.any())
        present = (chunk[~np.isnan(chunk)] if gaps else chunk for chunk in chunks)
        form = exact_form(present, addends=len(values))
        totals: tuple[FloatArray, ...] = ()
        for chunk in chunks:
            sums = tuple(part.sum(axis=0) for part in _parts(form, chunk, gaps=gaps))
            totals = tuple(map(np.add, totals, sums)) if totals else sums
        counts = len(values) - missing.astype(np.int64)
        return cls(values, pointers, order, gaps, form, totals, counts)

    def scores(self) -> FloatArray:
        """Return the means."""
        return np.asarray(together(self.totals) / (self.form.scale * self.counts))

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.values)

    @cached_property
    def largest_unit(self) -> int:
        """The most rows that any unit has."""
        return 1 if self.pointers is None else int(np.diff(self.pointers).max())

    def unit_ranges(self, width: int) -> Iterator[tuple[int, int]]:
        """Cut the units into ranges whose rows, ``width`` numbers each, make up one block."""
        step = max(1, BLOCK_NUMBERS // max(1, width))
        if self.pointers is None:
            cuts = np.append(np.arange(0, self.rows, step), self.rows)
        else:
            marks = np.arange(0, self.rows, step)
            found = np.unique(np.searchsorted(self.pointers, marks, side="right") - 1)
            found[0] = 0
            cuts = np.append(found, len(self.pointers) - 1)
        yield from zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)

    def without(self, first: int, last: int, items: IntArray) -> FloatArray:
        """Return the means of ``items`` without each of the units ``first .. last - 1``."""
        rows = self._unit_rows(first, last, items)
        parts = _parts(self.form, rows, gaps=self.gaps)
        leaving: AnyArray = ~np.isnan(rows) if self.gaps else np.ones((len(rows), 1), np.bool_)
        leaving = leaving.astype(np.int64)
        if self.pointers is not None:
            starts = self.pointers[first : last + 1] - self.pointers[first]
            parts = tuple(_group_sums(part, starts) for part in parts)
            leaving = _group_sums(leaving, starts)
        left = difference(tuple(total[items] for total in self.totals), parts)
        return np.asarray(left / (self.form.scale * (self.counts[items] - leaving)))

    def without_one(self, values: FloatArray) -> FloatArray:
        """Return the mean of each column without one of its values."""
        left = difference(self.totals, self.form.parts(values))
        return np.asarray(left / (self.form.scale * (self.counts - 1)))

    def sole_units(self) -> IntArray:
        """Return, for each column, the unit that has all of its values, or -1."""
        sole = np.full(len(self.counts), -1, dtype=np.int64)
        for first, last in self.unit_ranges(len(self.counts)) if self.gaps else ():
            unit, item = np.nonzero(self._leaving(first, last) == self.counts)
            sole[item] = unit + first
        return sole

    def largest_squared_share(self) -> float:
        """Return the largest sum over columns of the squared share of a unit in the values."""
        everything = self.unit_ranges(len(self.counts))
        shares = (self._leaving(first, last) / self.counts for first, last in everything)
        return max(float((share**2).sum(axis=1).max()) for share in shares)

    def _leaving(self, first: int, last: int) -> IntArray:
        """Return how many values of each column leave with each of these units."""
        present = ~np.isnan(self._unit_rows(first, last, np.arange(len(self.counts))))
        leaving = present.astype(np.int64)
        if self.pointers is None:
            return leaving
        return _group_sums(leaving, self.pointers[first : last + 1] - self.pointers[first])

    def _unit_rows(self, first: int, last: int, items: IntArray) -> FloatArray:
        """Return the rows of the units ``first .. last - 1``, only the columns ``items``."""
        whole = len(items) == self.values.shape[1] and bool((np.diff(items) == 1).all())
        if self.pointers is None or self.order is None:
            rows = self.values[first:last]
        else:
            rows = self.values[self.order[self.pointers[first] : self.pointers[last]]]
        return rows if whole else rows[:, items]


def _row_chunks(values: FloatArray) -> Iterator[FloatArray]:
    step = max(1, BLOCK_NUMBERS // max(1, values.shape[1]))
    for start in range(0, len(values), step):
        yield values[start : start + step]


def _parts(form: ExactForm, rows: FloatArray, *, gaps: bool) -> tuple[FloatArray, ...]:
    return form.parts(np.where(np.isnan(rows), 0.0, rows) if gaps else rows)


def _group_sums(rows: AnyArray, starts: IntArray) -> AnyArray:
    """Sum consecutive rows; a group without rows gives zeros."""
    sums = np.zeros((len(starts) - 1, rows.shape[1]), dtype=rows.dtype)
    filled = np.flatnonzero(np.diff(starts))
    if len(filled):
        sums[filled] = np.add.reduceat(rows, starts[filled], axis=0)
    return sums

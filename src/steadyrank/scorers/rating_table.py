"""Ratings on a short scale, through a table with one cell for each item and rating.

There are often few possible ratings (one to five stars), so the score of an item without one of
its ratings takes few values. One pass counts the cells; scores and bounds then follow without
looking at the ratings again, and every other question is one look-up for each rating.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.scorers.rating_sums import SCAN, Prior, RatingSums

if TYPE_CHECKING:
    from steadyrank._typing import AnyArray, FloatArray, IntArray
    from steadyrank.data.ratings import Ratings
    from steadyrank.engines.exact_sums import ExactForm

TABLE_CELLS = 1 << 22


@dataclass(frozen=True)
class Scale:
    """The possible ratings ``first, first + 1, ..., first + width - 1``, in whole parts."""

    form: ExactForm
    first: int
    width: int

    @classmethod
    def of(cls, form: ExactForm, data: Ratings) -> Scale | None:
        """Return the scale of the ratings, or None where the table would be too big."""
        if not form.whole:
            return None
        first, last = int(form.lowest), int(form.highest)
        if 0 < first <= last // 2:
            first = 0  # a few empty cells cost less than a subtraction for each rating
        cells = (last - first + 1) * data.n_items
        if cells > TABLE_CELLS or cells > 4 * len(data.values) + SCAN:
            return None
        return cls(form, first, last - first + 1)

    def cells(self, rated: AnyArray, values: AnyArray) -> AnyArray:
        """Return the table cell of each rating."""
        cells = np.multiply(rated, self.width, dtype=np.int32)
        if values.dtype.kind == "i" and values.dtype.itemsize <= 2 and self.form.scale == 1.0:
            cells += values
            if self.first:
                cells -= self.first
            return cells
        (whole,) = self.form.parts(values)
        whole -= self.first
        cells += whole.astype(np.int32)
        return cells


@dataclass(frozen=True)
class RatingTable:
    """How often each item got each rating.

    Parameters
    ----------
    scale : Scale
        The columns of the table.
    histogram : int array (items, width)
        The counts.
    """

    scale: Scale
    histogram: IntArray

    @classmethod
    def of(cls, scale: Scale, data: Ratings) -> RatingTable:
        """Count the ratings in one pass."""
        cells = data.n_items * scale.width
        histogram = np.zeros(cells, dtype=np.int64)
        step = max(SCAN, 2 * cells)
        for start in range(0, len(data.values), step):
            part = slice(start, start + step)
            found = scale.cells(data.rated[part], data.values[part])
            histogram += np.bincount(found, minlength=cells)
        return cls(scale, histogram.reshape(data.n_items, scale.width))

    @cached_property
    def stars(self) -> FloatArray:
        """The rating that each column stands for, in whole parts."""
        return self.scale.first + np.arange(self.scale.width, dtype=np.float64)

    def sums(self, prior: Prior) -> RatingSums:
        """Return sums and counts of each item's ratings."""
        counts = self.histogram.sum(axis=1)
        return RatingSums(self.scale.form, prior, counts, (self.histogram @ self.stars,))

    def without(self, sums: RatingSums) -> FloatArray:
        """Return the score of each item without each rating; empty cells have the score itself."""
        full = np.repeat(sums.scores()[:, np.newaxis], self.scale.width, axis=1)
        items, column = np.nonzero(self.histogram)
        full[items, column] = sums.without(items, (self.stars[column],))
        return full

    def squared_moves(self, sums: RatingSums) -> FloatArray:
        """Return the square of the change of each score without each rating."""
        squares = np.zeros(self.histogram.shape)
        items, column = np.nonzero(self.histogram)
        squares[items, column] = sums.moves(items, (self.stars[column],)) ** 2
        return squares

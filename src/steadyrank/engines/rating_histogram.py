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

from steadyrank.engines.item_sums import ItemSums

if TYPE_CHECKING:
    from steadyrank._typing import AnyArray, FloatArray, IntArray
    from steadyrank.engines.exact_sums import ExactForm
    from steadyrank.engines.item_sums import Parts

MOST_CELLS = 1 << 22
SCAN = 1 << 18
"""How many ratings one pass handles at a time: few enough to stay in the cache."""


@dataclass(frozen=True)
class RatingScale:
    """The possible ratings ``first, first + 1, ..., first + width - 1``, in whole parts."""

    form: ExactForm
    first: int
    width: int

    @classmethod
    def of(cls, form: ExactForm, items: int, ratings: int, most: int = MOST_CELLS) -> RatingScale | None:
        """Return the scale of the ratings, or None where the table would be too big."""
        if not form.whole:
            return None
        first, last = int(form.lowest), int(form.highest)
        if 0 < first <= last // 2:
            first = 0  # a few empty cells cost less than a subtraction for each rating
        cells = (last - first + 1) * items
        if cells > most or cells > 4 * ratings + SCAN:
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
class RatingHistogram:
    """How often each item got each rating.

    Parameters
    ----------
    scale : RatingScale
        The columns of the table.
    cells : int array (items, width)
        The counts.
    """

    scale: RatingScale
    cells: IntArray

    @classmethod
    def of(cls, scale: RatingScale, items: int, rated: AnyArray, values: AnyArray) -> RatingHistogram:
        """Count the ratings in one pass."""
        size = items * scale.width
        cells = np.zeros(size, dtype=np.int64)
        step = max(SCAN, 2 * size)
        for start in range(0, len(values), step):
            part = slice(start, start + step)
            cells += np.bincount(scale.cells(rated[part], values[part]), minlength=size)
        return cls(scale, cells.reshape(items, scale.width))

    @cached_property
    def stars(self) -> FloatArray:
        """The rating that each column stands for, in whole parts."""
        return self.scale.first + np.arange(self.scale.width, dtype=np.float64)

    @property
    def extremes(self) -> tuple[Parts, Parts]:
        """The least and the largest rating of each item, in whole parts."""
        given = self.cells > 0
        least, most = given.argmax(axis=1), self.scale.width - 1 - given[:, ::-1].argmax(axis=1)
        return (self.stars[least],), (self.stars[most],)


@dataclass(frozen=True)
class HistogramSums(ItemSums):
    """Sums of ratings whose effects are looked up in the table, not computed again."""

    histogram: RatingHistogram

    @cached_property
    def _scores_without(self) -> FloatArray:
        """The score of each item without each rating; empty cells have the score itself."""
        full = np.repeat(self.scores[:, np.newaxis], self.histogram.scale.width, axis=1)
        items, column = np.nonzero(self.histogram.cells)
        full[items, column] = self.without(items, (self.histogram.stars[column],))
        return full.reshape(-1)

    @cached_property
    def _squares(self) -> FloatArray:
        squares = np.zeros(self.histogram.cells.shape)
        items, column = np.nonzero(self.histogram.cells)
        moves = self.moves(items, (self.histogram.stars[column],))
        squares[items, column] = (moves / self.unit) ** 2
        return squares.reshape(-1)

    def without_values(self, items: AnyArray, values: AnyArray) -> FloatArray:
        """Return the scores of ``items`` when each loses one of its ratings."""
        return self._scores_without.take(self.histogram.scale.cells(items, values), mode="clip")

    def squared_moves(self, items: AnyArray, values: AnyArray) -> FloatArray:
        """Return the squares of how far these scores then move."""
        return self._squares.take(self.histogram.scale.cells(items, values), mode="clip")

"""Data in rows that occur so many times each, where equal rows are equal units: votes and battles."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steadyrank.data.observations import Observations, check_total, remaining_groups, shared_out
from steadyrank.data.units import LazyLabels, Units

if TYPE_CHECKING:
    from steadyrank._typing import AnyArray, IntArray

SPARE = 1 << 16


class CountedRows(Observations):
    """What such data have in common; a row has a weight, and may belong to a group.

    Two rows are equal units where they say the same with the same weight.
    """

    columns: ClassVar[tuple[str, ...]]
    """The fields that hold one entry for each row."""
    counts: IntArray

    @property
    @abstractmethod
    def _keys(self) -> IntArray:
        """A number for each row, the same where rows say the same."""

    @abstractmethod
    def _describe(self, row: int) -> object:
        """Return what a row says."""

    @cached_property
    def _distinct(self) -> tuple[IntArray, IntArray]:
        """A row of each distinct unit, and for each row that occurs the place of its unit."""
        keys, rows = self._keys, np.flatnonzero(self.counts)
        if self.weights is not None:
            weights, code = np.unique(self.weights, return_inverse=True)
            keys = keys * len(weights) + code
        keys = keys[rows]
        if (size := int(keys.max()) + 1) <= 4 * len(keys) + SPARE:  # no need to sort
            which = (np.cumsum(np.bincount(keys, minlength=size) > 0) - 1)[keys]
        else:
            which = np.unique(keys, return_inverse=True)[1]
        first = np.empty(int(which.max()) + 1, dtype=np.int64)
        first[which[::-1]] = rows[::-1]
        return first, which

    @cached_property
    def units(self) -> Units:
        """The distinct rows, or the groups."""
        if self.unit_labels is not None:
            return Units(self.unit_kind, np.ones(len(self.unit_labels), np.int64), self.unit_labels)
        first, which = self._distinct
        counts = np.zeros(len(first), dtype=np.int64)
        np.add.at(counts, which, self.counts[self.counts > 0])
        return Units(self.kind.unit, counts, LazyLabels(len(first), self._label))

    def _label(self, unit: int) -> object:
        row = int(self._distinct[0][unit])
        weight = self.weight_of(row)
        return f"{self._describe(row)}, {weight}" if weight else self._describe(row)

    @property
    def row_parts(self) -> IntArray:
        """What each row gives in all, in parts of a weight of 1; of equal units, one of them does."""
        parts = self.weight_parts[0]
        return np.broadcast_to(parts, self.counts.shape) if self.unit is None else parts * self.counts

    def _copied(self, copies: IntArray) -> dict[str, Any]:
        counts = self.counts.copy()
        if self.unit is None:
            counts[counts > 0] = shared_out(self._distinct[1], counts[counts > 0], copies)
        else:
            check_total(counts, self.kind.name, copies[self.unit])
            counts *= copies[self.unit]
        groups = remaining_groups(self.unit, self.unit_labels, counts > 0, copies > 0)
        return self._rows(np.flatnonzero(counts), counts=counts) | groups

    def _rows(self, rows: IntArray, **changed: AnyArray) -> dict[str, Any]:
        """Return some rows of the columns, of which a few may have changed."""
        columns = {name: getattr(self, name) for name in (*self.columns, "counts", "weights")}
        kept = {name: column for name, column in (columns | changed).items() if column is not None}
        return {name: column[rows] for name, column in kept.items()}

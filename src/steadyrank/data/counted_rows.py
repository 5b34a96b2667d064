"""Data in rows that occur so many times each, where equal rows are equal units: votes and battles."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from steadyrank._typing import BoolArray, IntArray
from steadyrank.data.observations import Observations, set_fields
from steadyrank.data.people import People, of_people, remaining_groups, renumbered
from steadyrank.data.rows import check_total, row_counts, shared_out
from steadyrank.data.units import LazyLabels, Units
from steadyrank.errors import listing
from steadyrank.text import counted

SPARE = 1 << 16


class CountedRows(Observations):
    """What such data have in common; a row has a weight, and may belong to a group.

    Two rows are equal units where they say the same with the same weight.
    """

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
        if self.unit is not None:
            return super().units
        first, which = self._distinct
        counts = np.zeros(len(first), dtype=np.int64)
        np.add.at(counts, which, self.counts[self.counts > 0])
        return Units(self.kind.unit, counts, LazyLabels(len(first), self._label))

    def _label(self, unit: int) -> object:
        row = int(self._distinct[0][unit])
        told, weight = self._describe(row), self.weight_of(row)
        return f"{told}, {weight}" if weight else told

    def said(self, units: Sequence[int], items: Sequence[Sequence[int]]) -> list[str | None]:
        """Return what rows say of the items, and their weights; of groups, how often they are named."""
        if self.unit is not None:
            return [self._said_together(unit, those) for unit, those in zip(units, items, strict=True)]
        found = []
        for row, those in zip(self._distinct[0][list(units)].tolist(), items, strict=True):
            told, weight = self._said(row, those), self.weight_of(row)
            found.append(f"{told}; {weight}" if told and weight else told)
        return found

    @abstractmethod
    def _said(self, row: int, those: Sequence[int]) -> str | None:
        """Return what a row says of some items."""

    def _said_together(self, unit: int, those: Sequence[int]) -> str | None:
        """Return how many observations of a group name each item."""
        rows = self._rows(np.flatnonzero(self.unit == unit))
        group = self._changed(rows | {"weights": None})  # how often, also where all weights are 0
        numbers = group.item_counts
        named = [f"{self._named(item)} in {numbers[item]:,}" for item in those if numbers[item]]
        size = counted(int(group.counts.sum()), self.kind.observation)
        return f"{listing(named)} of {size}" if named else None

    @cached_property
    def members(self) -> tuple[IntArray, IntArray, IntArray]:
        """Rows, the distinct unit of each, and how many parts of a weight it adds to one of them."""
        parts = np.broadcast_to(self.weight_parts[0], self.counts.shape)
        if self.unit is not None:
            return np.arange(len(parts)), self.unit, parts * self.counts
        rows = self._distinct[0]
        return rows, np.arange(len(rows)), parts[rows]

    def _copied(self, copies: IntArray) -> dict[str, Any]:
        counts = self.counts.copy()
        if self.unit is None:
            counts[counts > 0] = shared_out(self._distinct[1], counts[counts > 0], copies)
        else:
            check_total(counts, self.kind.name, copies[self.unit])
            counts *= copies[self.unit]
        rows = np.flatnonzero(counts)
        groups = remaining_groups(self.unit, self.unit_labels, rows, copies > 0)
        return self._rows(rows, counts=counts) | groups

    def _of_items(self, kept: BoolArray) -> dict[str, Any]:
        named = {name: getattr(self, name) for name in self.item_fields}
        rows = np.flatnonzero(np.all([kept[items] for items in named.values()], axis=0))
        return self._rows(rows, **{name: renumbered(kept)[items] for name, items in named.items()})

    def _anew(self, people: People) -> Self:
        times = row_counts(self.counts, self.n_rows, self.kind.name)
        return set_fields(self, **of_people(times, self.kind.unit, **people))

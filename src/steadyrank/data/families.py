"""Two families of data: rows that occur so many times each, and units that give values to items."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from steadyrank._typing import AnyArray, BoolArray, IntArray
from steadyrank.arrays import sorted_codes
from steadyrank.data.observations import Observations
from steadyrank.data.rows import check_total, shared_out
from steadyrank.data.units import LazyLabels, Shares, Units, renumbered, whole_parts
from steadyrank.errors import listing
from steadyrank.sums.exact import together
from steadyrank.sums.model import Entries
from steadyrank.sums.sparse import MergedEntries, SparseEntries
from steadyrank.text import counted


class CountedRows(Observations):
    """Votes, ballots and battles; a row occurs, has a weight, and may belong to a group.

    Two rows are equal units where they say the same with the same weight.
    """

    counts: IntArray
    indptr: IntArray  # of ballots alone

    @property
    @abstractmethod
    def _keys(self) -> IntArray:
        """A number for each row, the same where rows say the same."""

    @abstractmethod
    def _describe(self, row: int) -> object:
        """Return what a row says."""

    @cached_property
    def item_counts(self) -> IntArray:
        """How many votes, ballots or battles name each item."""
        found = np.zeros(self.n_items, dtype=np.int64)
        times = (
            np.repeat(self.counts, np.diff(self.indptr))
            if self._entry_fields
            else self.counts
        )
        for name in self._item_fields:
            np.add.at(found, getattr(self, name), times)
        return found

    @cached_property
    def _most_of_one(self) -> IntArray:
        most = np.ones(self.n_items, dtype=np.int64)  # no row names an item twice
        if self.unit is None:
            return most
        rows = np.arange(self._n_rows)
        if self._entry_fields:
            rows = np.repeat(rows, np.diff(self.indptr))
        unit, times = self.unit[rows] * self.n_items, self.counts[rows]
        fields = [getattr(self, name) for name in self._item_fields]
        cells = np.concatenate([unit + items for items in fields])
        cell, which = np.unique(cells, return_inverse=True)
        named = np.zeros(len(cell), dtype=np.int64)
        np.add.at(named, which, np.tile(times, len(fields)))
        np.maximum.at(most, cell % self.n_items, named)
        return most

    @cached_property
    def _distinct(self) -> tuple[IntArray, IntArray]:
        """The first row of each distinct unit, and for each row the place of its unit."""
        keys = self._keys
        if self.weights is not None:
            weights, code = np.unique(self.weights, return_inverse=True)
            keys = keys * len(weights) + code
        which, distinct = sorted_codes(keys)
        first = np.empty(len(distinct), dtype=np.int64)
        first[which[::-1]] = np.arange(len(which))[::-1]
        return first, which

    @cached_property
    def units(self) -> Units:
        """The distinct rows, or the groups."""
        if self.unit is not None:
            return super().units
        first, which = self._distinct
        counts = np.zeros(len(first), dtype=np.int64)
        np.add.at(counts, which, self.counts)
        return Units(self.kind.unit, counts, LazyLabels(len(first), self._label))

    def _label(self, unit: int) -> object:
        row = int(self._distinct[0][unit])
        return self._weighted(self._describe(row), row, ", ")

    def said(
        self, units: Sequence[int], items: Sequence[Sequence[int]]
    ) -> list[str | None]:
        """Return what rows say of the items, and their weights; of groups, how often they are named."""
        if self.unit is not None:
            return [
                self._said_together(unit, those)
                for unit, those in zip(units, items, strict=True)
            ]
        rows = self._distinct[0][list(units)].tolist()
        asked = zip(rows, items, strict=True)
        return [self._weighted(self._said(row, those), row) for row, those in asked]

    @abstractmethod
    def _said(self, row: int, those: Sequence[int]) -> str | None:
        """Return what a row says of some items."""

    def _said_together(self, unit: int, those: Sequence[int]) -> str | None:
        """Return how many observations of a group name each item."""
        group = self._changed(self._rows(np.flatnonzero(self.unit == unit)))
        numbers = group.item_counts
        named = [
            f"{self._named(item)} in {numbers[item]:,}"
            for item in those
            if numbers[item]
        ]
        size = counted(int(group.counts.sum()), self.kind.observation)
        return f"{listing(named)} of {size}" if named else None

    @cached_property
    def _shares(self) -> Shares:
        """What rows add to the distinct units, for scorers."""
        shares = super()._shares
        if self.unit is not None:
            return replace(shares, parts=shares.parts * self.counts)
        rows = self._distinct[0]
        return replace(
            shares, rows=rows, unit=np.arange(len(rows)), parts=shares.parts[rows]
        )

    def _copied(self, copies: IntArray) -> dict[str, Any]:
        if self.unit is None:
            counts = shared_out(self._distinct[1], self.counts, copies)
        else:
            check_total(self.counts, self.kind.name, copies[self.unit])
            counts = self.counts * copies[self.unit]
        return self._rows(np.flatnonzero(counts), counts=counts)

    def _of_items(self, kept: BoolArray) -> dict[str, Any]:
        named = {name: getattr(self, name) for name in self._item_fields}
        rows = np.flatnonzero(np.all([kept[items] for items in named.values()], axis=0))
        return self._rows(
            rows, **{name: renumbered(kept)[items] for name, items in named.items()}
        )


class EntryObservations(Observations):
    """Ratings and scores, in memory or in an engine: what they say from their entries."""

    @property
    def _entries(self) -> Entries:
        entries: Entries = self.entries  # type: ignore[attr-defined]  # each has its own kind of them
        return entries

    def _added_up(
        self, indptr: IntArray, rated: AnyArray, values: AnyArray, **named: Any
    ) -> SparseEntries:
        """Return the values of each row as values that units give, with the weights of the rows."""
        if self.weights is None and self.unit is None:
            return SparseEntries(indptr, rated, values, self.n_items, **named)
        (parts, scale), sizes = whole_parts(self.weights), np.diff(indptr)
        times = np.broadcast_to(parts, sizes.shape)
        owner = np.arange(len(sizes)) if self.unit is None else self.unit
        return MergedEntries(
            (np.repeat(owner, sizes), rated, values),
            np.repeat(times, sizes),
            (len(self.units), self.n_items),
            rows=int(times.sum()),
            scale=scale,
            weighted=self.weights is not None,
            **named,
        )

    @property
    def item_counts(self) -> IntArray:
        """How many values each item has."""
        return self._entries.observed

    @property
    def _most_of_one(self) -> IntArray:
        entries, most = self._entries, super()._most_of_one
        if self.unit is None:
            return most
        if not entries.weighted:
            return entries.most_leaving
        # Weights hide how many values a unit gives, but not whether it gives all.
        alone = entries.most_leaving == entries.counts
        return np.asarray(np.minimum(most, entries.observed - ~alone))

    def said(
        self, units: Sequence[int], items: Sequence[Sequence[int]]
    ) -> list[str | None]:
        """Return the values that units give to items; the mean where a unit gives several."""
        asked = np.unique([item for those in items for item in those]).astype(np.int64)
        if not len(asked):
            return [None] * len(units)
        unit, place, parts, times = self._entries.values_of(asked, np.unique(units))
        pairs, which = np.unique(
            np.stack([unit, asked[place]], axis=1), axis=0, return_inverse=True
        )
        numbers = np.bincount(which.ravel(), times).astype(np.int64)
        sums = np.bincount(which.ravel(), together(parts)).astype(np.float64)
        means = self._entries.form.ratio(sums, 1.0, numbers, pairs[:, 1])
        told = {
            (unit, item): f"{mean:.6g}{self._how_many(number)}"
            for (unit, item), mean, number in zip(
                pairs.tolist(), means, numbers, strict=True
            )
        }
        found = []
        for asker, those in zip(units, items, strict=True):
            given = [item for item in those if (asker, item) in told]
            values = (
                listing(f"{self._named(item)} {told[asker, item]}" for item in given)
                or None
            )
            found.append(
                values if self.unit is not None else self._weighted(values, asker)
            )
        return found

    def _how_many(self, number: int) -> str:
        if self.weights is None:
            return f" (mean of {number:,})" if number > 1 else ""
        return "" if self.unit is None else " (weighted mean)"  # of a number of parts

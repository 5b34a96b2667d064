"""Data whose units give values to items: ratings and scores, in memory or in an engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steadyrank._typing import IntArray
from steadyrank.data.observations import Observations
from steadyrank.errors import listing
from steadyrank.sums.exact import together
from steadyrank.sums.model import Entries


class EntryObservations(Observations):
    """What all such data say from their entries, whoever adds these up."""

    @property
    def _entries(self) -> Entries:
        entries: Entries = self.entries  # type: ignore[attr-defined]  # each has its own kind of them
        return entries

    @property
    def item_counts(self) -> IntArray:
        """How many values each item has."""
        return self._entries.observed

    def said(self, units: Sequence[int], items: Sequence[Sequence[int]]) -> list[str | None]:
        """Return the values that units give to items; the mean where a unit gives several."""
        asked = np.unique([item for those in items for item in those]).astype(np.int64)
        if not len(asked):
            return [None] * len(units)
        unit, place, parts, times = self._entries.values_of(asked, np.unique(units))
        pairs, which = np.unique(np.stack([unit, asked[place]], axis=1), axis=0, return_inverse=True)
        numbers = np.bincount(which.ravel(), times).astype(np.int64)
        sums = np.bincount(which.ravel(), together(parts)).astype(np.float64)
        means = self._entries.form.ratio(sums, 1.0, numbers, pairs[:, 1])
        told = {
            (unit, item): f"{mean:.6g}{self._how_many(number)}"
            for (unit, item), mean, number in zip(pairs.tolist(), means, numbers, strict=True)
        }
        found = []
        for asker, those in zip(units, items, strict=True):
            given = [item for item in those if (asker, item) in told]
            values = listing(f"{self._named(item)} {told[asker, item]}" for item in given) or None
            weight = "" if self.unit is not None else self.weight_of(asker)
            found.append(f"{values}; {weight}" if values and weight else values)
        return found

    def _how_many(self, number: int) -> str:
        if self.weights is None:
            return f" (mean of {number:,})" if number > 1 else ""
        return "" if self.unit is None else " (weighted mean)"  # of a number of parts

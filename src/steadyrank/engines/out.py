"""Leave-one-out scores whose data stay in an engine."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.engines.exact_sums import difference
from steadyrank.scorers.base import LeaveOneOut, SparseBlock
from steadyrank.scorers.rating_sums import RatingSums

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.data.units import Units
    from steadyrank.engines.entries import Batch, Entries

COLUMN_NUMBERS = 1 << 20
"""How many scores of chosen items are handed out at a time."""


class GroupSums(RatingSums):
    """Sums of which a unit may take away several values at once."""

    def without_some(
        self, items: IntArray, parts: tuple[FloatArray, ...], leaving: IntArray
    ) -> FloatArray:
        """Return the scores of ``items`` without ``leaving`` values that sum to ``parts``."""
        left = difference(tuple(total[items] for total in self.totals), parts)
        return self._ratio(left, self.counts[items] - leaving)


class EngineOut(LeaveOneOut):
    """Scores and bounds from the item table; shifts and the scores of chosen items from the engine.

    Parameters
    ----------
    entries : Entries
        What the units gave to the items.
    units : Units
        The units.
    sums : GroupSums
        Sums and counts of the items.
    plainly : bool
        How shifts are computed; see :meth:`Entries.shifts`.
    """

    def __init__(self, entries: Entries, units: Units, sums: GroupSums, *, plainly: bool) -> None:
        self.scores = sums.scores()
        self.units = units
        self._entries = entries
        self._sums = sums
        self._plainly = plainly

    @cached_property
    def _shifts(self) -> FloatArray:
        return self._entries.shifts(self._sums, plainly=self._plainly)

    @cached_property
    def _bounds(self) -> tuple[FloatArray, FloatArray]:
        if self._entries.grouped:
            return self._entries.extreme_scores(self._sums)
        # A score without one value goes down as that value goes up: the extreme ones suffice.
        table, lowest, highest = self._entries.table, self.scores.copy(), self.scores.copy()
        items = np.flatnonzero(table.counts)
        for extreme in (table.least[items], table.most[items]):
            without = self._sums.without(items, self._sums.form.parts(extreme))
            lowest[items] = np.minimum(lowest[items], without)
            highest[items] = np.maximum(highest[items], without)
        return lowest, highest

    def shifts(self) -> FloatArray:
        """Return how far each unit moves the scores: one number for each unit leaves the engine."""
        return self._shifts

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest scores, from the item table alone."""
        return self._bounds

    def blocks(self) -> Iterator[SparseBlock]:
        """Yield all leave-one-out scores; this brings everything back, a batch at a time."""
        for first, last, batch in self._entries.everything():
            pointers = np.searchsorted(batch.units, np.arange(first, last + 1))
            yield SparseBlock(first, pointers, batch.items, self._without(batch))

    def columns(
        self, items: IntArray, among: BoolArray | None = None
    ) -> Iterator[tuple[IntArray, FloatArray]]:
        """Yield the scores of ``items`` without each unit that touches one of them."""
        place = np.zeros(len(self.scores), dtype=np.int64)
        place[items] = np.arange(len(items))
        base = self.scores[items]
        step = max(1, COLUMN_NUMBERS // max(1, len(items)))
        chosen = None if among is None else np.flatnonzero(among)
        for batch in self._entries.of_items(items, chosen):
            without = self._without(batch)
            units, starts = np.unique(batch.units, return_index=True)
            starts = np.append(starts, len(batch.units))
            for first in range(0, len(units), step):
                mine = units[first : first + step]
                span = slice(int(starts[first]), int(starts[first + len(mine)]))
                rows = np.repeat(np.arange(len(mine)), np.diff(starts[first : first + len(mine) + 1]))
                scores = np.repeat(base[np.newaxis, :], len(mine), axis=0)
                scores[rows, place[batch.items[span]]] = without[span]
                yield mine, scores

    def _without(self, batch: Batch) -> FloatArray:
        return self._sums.without_some(batch.items, batch.parts, batch.leaving)

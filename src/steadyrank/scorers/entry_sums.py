"""Scores that are sums over counts: what mean ratings and column means have in common.

The data know their entries (values that units give to items) and who adds them up, NumPy or a
dataframe engine; here is what follows, the same for all of them.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from steadyrank.engines.blocks import Wanted
from steadyrank.errors import SHOWN, ItemWithoutDataError, ValueRangeError, shorten
from steadyrank.scorers.base import LeaveOneOut, Scorer, check_several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.data.ratings import Ratings
    from steadyrank.data.scanned import ScannedEntries
    from steadyrank.data.score_matrix import ScoreMatrix
    from steadyrank.data.units import Units
    from steadyrank.engines.blocks import Block, Rows
    from steadyrank.engines.item_sums import Entries, ItemSums, Prior
    from steadyrank.errors import WayOut
    from steadyrank.scorers.sensitivity import Sensitivity

    EntryData: TypeAlias = Ratings | ScoreMatrix | ScannedEntries
    """Data that know their entries."""


class EntrySums(Scorer):
    """Scores ``sum / (shrinkage + count)`` over the values that units give to each item."""

    value_range: tuple[float, float] | None

    @property
    @abstractmethod
    def prior(self) -> Prior:
        """The shrinkage."""

    @property
    @abstractmethod
    def way_out(self) -> WayOut:
        """What to do about items without data."""

    @abstractmethod
    def bound(self, data: EntryData, lowest: float, highest: float) -> Sensitivity:
        """Return the most that one unit can move the scores, for values in this range."""

    def score(self, data: EntryData) -> FloatArray:
        """Return the score of each item."""
        return self._sums(data).scores

    def leave_one_out(self, data: EntryData) -> LeaveOneOut:
        """Return the scores without each unit."""
        sums = self._sums(data)
        self._check_left(data, sums)
        return EntriesOut(sums.scores, data.units, data.entries, sums)

    def sensitivity(self, data: EntryData) -> Sensitivity | None:
        """Return the most that one unit can move the scores, or None without a ``value_range``."""
        sums = self._sums(data)
        if self.value_range is None:
            return None
        self._check_left(data, sums)
        return self.bound(data, *self.value_range)

    def _sums(self, data: EntryData) -> ItemSums:
        self.check(data)
        self._check_range(data.entries)
        sums = data.entries.sums(self.prior)
        self._check_some(data, sums.counts == 0)
        return sums

    def _check_range(self, entries: Entries) -> None:
        if self.value_range is None:
            return
        form, (lowest, highest) = entries.form, self.value_range
        least, most = form.lowest / form.scale, form.highest / form.scale
        if least < lowest or most > highest:
            raise ValueRangeError(
                f"{entries.what} go from {least:g} to {most:g} and leave the stated value_range="
                f"{self.value_range}{entries.first_outside(lowest, highest)}",
                way_out=f"State the range that {entries.what} can have.",
            )

    def _check_left(self, data: EntryData, sums: ItemSums) -> None:
        """Complain about a single unit, and about items that lose all their values with one."""
        check_several(data)
        self._check_some(data, sums.counts == data.entries.most_leaving, lost=True)

    def _check_some(self, data: EntryData, empty: BoolArray, *, lost: bool = False) -> None:
        if self.prior.weight or not empty.any():
            return
        items, without = np.flatnonzero(empty), ""
        if lost:
            unit = data.units.labels[int(data.entries.units_of(int(items[0]))[0])]
            without = f"the only {data.units.kind} that has some ({shorten(unit)} for the first)"
        names = [data.items[item] for item in items[:SHOWN]]
        raise ItemWithoutDataError(names, len(items), without=without, way_out=self.way_out)


@dataclass(frozen=True)
class EntriesOut(LeaveOneOut):
    """Leave-one-out scores of sums over counts, whoever adds them up."""

    scores: FloatArray
    units: Units
    entries: Entries
    sums: ItemSums

    @cached_property
    def _bounds(self) -> tuple[FloatArray, FloatArray]:
        return self.entries.bounds(self.sums)

    @cached_property
    def _shifts(self) -> FloatArray:
        return self.entries.shifts(self.sums)

    def blocks(self) -> Iterator[Block]:
        """Yield blocks that cover all distinct units in order."""
        return self.entries.blocks(self.sums)

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest scores; asked of an engine once."""
        return self._bounds

    def shifts(self) -> FloatArray:
        """Return how far each unit moves the scores; asked of an engine once."""
        return self._shifts

    def columns(self, items: IntArray, among: BoolArray | None = None) -> Iterator[Rows]:
        """Yield the scores of ``items`` without each unit that changes one of them."""
        return self.entries.columns(self.sums, Wanted.of(self.scores, items, among))

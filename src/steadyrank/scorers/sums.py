"""Scores that are sums over counts, whatever is added up: points, ratings, values of a matrix.

A scorer says once what each unit adds (``sums``); its scores, and those without each unit, follow here,
the same for all of them. Data know their entries (values that units give to items) and who adds them up,
NumPy or a dataframe engine.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steadyrank import errors
from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.data.observations import Observations
from steadyrank.data.units import Units
from steadyrank.errors import listing, shorten
from steadyrank.scorers.base import LeaveOneOut, Scorer, Settled, check_several, snapped
from steadyrank.sums.blocks import Block, DenseBlock, Rows, SparseBlock, Wanted
from steadyrank.sums.model import Entries, ItemSums, Prior, Sums

if TYPE_CHECKING:
    from steadyrank.scorers.sensitivity import Sensitivity


class SumScorer(Scorer):
    """Scores ``sum / (shrinkage + count)`` of what units add."""

    prior: Prior = Prior(0.0, 1.0)
    """The shrinkage as a ratio."""

    @abstractmethod
    def added(self, data: Any) -> Sums:
        """Return what each unit adds to each item's numerator and denominator, or complain."""

    def prior_of(self, added: Any) -> Prior:  # noqa: ARG002 (entries are looked at)
        """Return the shrinkage, and what an item scores that has nothing."""
        return self.prior

    def sums(self, data: Any) -> Sums | None:
        """Return what each unit adds to each item's numerator and denominator, if scores are that."""
        return self.added(data)

    def score(self, data: Any) -> FloatArray:
        """Return the score of each item."""
        added = self.added(data)
        return snapped(added.sums(self.prior_of(added)).scores, added.resolution)

    def leave_one_out(self, data: Any) -> LeaveOneOut:
        """Return the scores without each unit; equal units may be one distinct unit."""
        added = self.added(data)
        self._check_left(data, added)
        sums = added.sums(self.prior_of(added))
        made = RoundedOut if added.resolution else SumsOut
        scores = snapped(sums.scores, added.resolution)
        return made(scores, data.units, added, sums)

    def _check_left(self, data: Observations, added: Any) -> None:  # noqa: ARG002 (entries are looked at)
        """Complain about a single unit."""
        check_several(data)


@dataclass(frozen=True)
class SumsOut(LeaveOneOut):
    """Leave-one-out scores of sums over counts, whoever adds them up."""

    scores: FloatArray
    units: Units
    added: Sums
    sums: ItemSums

    def blocks(self) -> Iterator[Block]:
        """Yield blocks that cover all distinct units in order."""
        return self.added.blocks(self.sums)

    def bounds(self, *, outer: bool = False) -> tuple[FloatArray, FloatArray]:  # noqa: ARG002 (exact ones)
        """Return the lowest and highest scores."""
        return self.added.bounds(self.sums)

    def shifts(self, settled: Settled | None = None) -> FloatArray:  # noqa: ARG002 (likewise)
        """Return how far each unit moves the scores."""
        return self.added.shifts(self.sums)

    def columns(
        self,
        items: IntArray,
        among: BoolArray | None = None,
        settled: Settled | None = None,
    ) -> Iterator[Rows]:
        """Yield the scores of ``items`` without each unit that changes one of them."""
        del settled  # all rows are exact
        return self.added.columns(self.sums, Wanted.of(self.scores, items, among))

    def reordered(self, order: IntArray) -> IntArray:
        """Return the units without which the plain ranking is another."""
        return self.added.reordered(self.sums, order)

    def touching(self, items: IntArray) -> Iterator[SparseBlock] | None:
        """Yield what units change among these items; all others keep their order."""
        return self.added.touching(self.sums, Wanted.of(self.scores, items))


class RoundedOut(SumsOut):
    """Sums of rounded values, of which scores closer than their resolution are equal."""

    def blocks(self) -> Iterator[Block]:
        """Yield blocks of scores, equal ones as one number."""
        for block in super().blocks():
            rows = block.dense(self.sums.scores)
            yield DenseBlock(block.start, snapped(rows, self.added.resolution))

    # All that follows from the blocks is asked of them.
    bounds, shifts, columns = (
        LeaveOneOut.bounds,
        LeaveOneOut.shifts,
        LeaveOneOut.columns,
    )
    reordered, touching = LeaveOneOut.reordered, LeaveOneOut.touching


def scores_without(out: LeaveOneOut, leaving: IntArray) -> FloatArray | None:
    """Return what scoring anew gives without some distinct units of an engine, in one pass over these.

    Exact sums of those that leave are taken from the exact sums of all. None where scores are no such
    sums, or the data are in memory: they are soon scored anew.
    """
    if not isinstance(out, SumsOut) or not out.sums.exact:
        return None
    gone = out.added.given_by(np.flatnonzero(leaving))
    if gone is None or not (out.sums.prior.always or (gone[1] < out.sums.counts).all()):
        return None
    return np.asarray(out.sums.without(slice(None), *gone))


def scores_of_copies(scorer: Scorer, data: Any, copies: IntArray) -> FloatArray | None:
    """Return what scoring so many copies of each distinct unit gives, a row for each row of copies.

    NaN where an item has nothing left; None where scores are no sums.
    """
    if (added := scorer.sums(data)) is None:
        return None
    sums = added.sums(scorer.prior)  # type: ignore[attr-defined]  # who has sums has one
    parts, counts = added.of_copies(copies)
    with np.errstate(invalid="ignore", divide="ignore"):
        return snapped(sums.of_sums(parts, counts), added.resolution)


class EntrySums(SumScorer):
    """Sums of the values that units give to items, over how many there are."""

    pulled_to: tuple[float, ...] = ()
    """A value that scores are pulled to, if any."""
    value_range: tuple[float, float] | None = None
    shrinkage: float = 0.0
    empty: float | None = None
    """What an item scores that has no value, or none left; else less than all values."""
    needs_values: ClassVar[bool] = False
    """Whether an item without any value, or with none left, is an error."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shrinkage and self.empty is not None:
            raise errors.InvalidSettingError(
                "with a shrinkage an item without data scores 0, whatever empty says",
                way_out="Give shrinkage=0, or leave empty out.",
            )
        if self.empty is not None:
            object.__setattr__(self, "empty", float(self.empty))
            object.__setattr__(self, "prior", Prior(0.0, 1.0, self.empty))
        if self.shrinkage:
            object.__setattr__(self, "shrinkage", float(self.shrinkage))
            object.__setattr__(self, "prior", Prior.of(self.shrinkage))
            object.__setattr__(self, "pulled_to", (0.0,))
        if self.value_range is not None:
            object.__setattr__(self, "value_range", checked_range(self.value_range))

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return super().name + (
            "" if self.empty is None else f", {self.empty:g} for items without data"
        )

    @abstractmethod
    def bound(
        self, data: Any, entries: Entries, lowest: float, highest: float
    ) -> Sensitivity:
        """Return the most that one unit can move the scores, for values in this range."""

    def prior_of(self, added: Any) -> Prior:
        """Return what items without a value score: less than all values, so that they are last."""
        if self.prior.always:
            return self.prior
        return Prior(0.0, 1.0, below(added.form.lowest))

    def remarks_on(self, data: Any) -> list[str]:
        """Return which items have no value, or none without one of the units."""
        entries = self.entries(data)
        if self.shrinkage:
            return []
        remarks = []
        without = np.flatnonzero(entries.counts == 0)
        if len(without):
            names = listing(
                (shorten(data.items[item]) for item in without), len(without)
            )
            remarks.append(f"without data, and so last: {names}")
        sole = np.flatnonzero(
            (entries.counts > 0) & (entries.counts == entries.most_leaving)
        )
        if len(sole):
            names = listing((shorten(data.items[item]) for item in sole), len(sole))
            unit = data.units.kind
            remarks.append(
                f"with data from one {unit} alone, and last without that {unit}: {names}"
            )
        return remarks

    def entries(self, data: Any) -> Entries:
        """Return what units give to the items: the values of the data."""
        return data.entries  # type: ignore[no-any-return]

    def ends(self, data: Observations) -> tuple[float, float] | None:  # noqa: ARG002 (ranks look at them)
        """Return the least and the largest value that units could give, where that is known."""
        return self.value_range

    def added(self, data: Any) -> Entries:
        """Return the values; complain of those outside the range, and of items without any."""
        entries = self.entries(self.prepared(data))
        form, stated = entries.form, self.value_range
        if stated is not None and (form.lowest < stated[0] or form.highest > stated[1]):
            raise errors.InvalidSettingError(
                f"{entries.what} go from {form.lowest:g} to {form.highest:g} and leave the stated "
                f"value_range={stated}",
                way_out=f"State the range that {entries.what} can have.",
            )
        if self.empty is not None and self.empty >= form.lowest:
            raise errors.InvalidSettingError(
                f"empty={self.empty:g} is not below all {entries.what}: items without data must be last",
                way_out=f"Give a number below {form.lowest:g}.",
            )
        empty = entries.counts == 0
        if empty.all():
            raise errors.UndefinedScoresError(
                f"no item has any {entries.what}", way_out=errors.FEW_DATA
            )
        self._check_some(data, entries, empty)
        return entries

    def sensitivity(self, data: Any) -> Sensitivity | None:
        """Return the most that one unit can move the scores, or None without a ``value_range``."""
        entries, ends = self.added(data), self.ends(data)
        if ends is None or (
            not self.shrinkage and (entries.counts <= entries.most_leaving).any()
        ):
            return (
                None  # an item whose only values leave falls as far as its score goes
            )
        self._check_left(data, entries)
        return self.bound(data, entries, *ends)

    def output_radius_squared(self, data: Observations) -> float | None:
        """Return that of the box of the values' range, and of what scores are pulled to."""
        if (stated := self.ends(data)) is None:
            return None
        ends = (*stated, *self.pulled_to, *([] if self.empty is None else [self.empty]))
        if not self.prior.always and self.entries(data).gaps:
            ends = (*ends, below(stated[0]))
        square = self.squared_diameter(data, (max(ends) - min(ends)) / 2.0)
        return square if math.isfinite(square) else None

    def squared_diameter(self, data: Any, width: Any) -> Any:
        """Return how far apart two units without gaps can be, squared, for values in so wide a range."""
        return data.n_items * width * width  # products, not powers, become infinite

    def _check_left(self, data: Any, added: Entries) -> None:
        """Complain about items that lose all their values with one unit, too."""
        super()._check_left(data, added)
        self._check_some(data, added, added.counts == added.most_leaving, lost=True)

    def _check_some(
        self, data: Any, entries: Entries, empty: BoolArray, *, lost: bool = False
    ) -> None:
        if not self.needs_values or not empty.any():
            return
        items, without = np.flatnonzero(empty), ""
        if lost:
            unit = data.units.labels[int(entries.values_of(items[:1])[0].min())]
            first = f"({shorten(unit)} for the first)"
            without = f" without the only {data.units.kind} that has some {first}"
        names = listing((shorten(data.items[item]) for item in items), len(items))
        problem = f"these items have no data{without}, so no score: {names}"
        raise errors.UndefinedScoresError(problem, way_out=errors.FEW_DATA)


def below(lowest: float) -> float:
    """Return a number less than all values, from the least of them."""
    return lowest - max(1.0, abs(lowest))


def checked_range(value_range: tuple[float, float]) -> tuple[float, float]:
    """Return the stated range as two floats, or complain."""
    try:
        lowest, highest = (float(end) for end in value_range)
        fine = lowest < highest and math.isfinite(highest - lowest)
    except (TypeError, ValueError):
        fine = False
    if not fine:
        rule = (
            "two finite numbers, the smaller one first, at most the largest float apart"
        )
        raise errors.InvalidSettingError(
            f"value_range must be {rule}, but is {shorten(value_range)}."
        )
    return lowest, highest

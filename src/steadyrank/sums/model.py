"""One model of sums and counts: ``sum / (shrinkage + count)``, and what a unit takes out of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from steadyrank._typing import AnyArray, FloatArray, IntArray
from steadyrank.sums import blocks
from steadyrank.sums.blocks import Block, Rows, SparseBlock, Wanted
from steadyrank.sums.exact import (
    EXACT,
    ExactForm,
    either,
    exact_form,
    of_items,
    together,
)

Parts: TypeAlias = "tuple[FloatArray, ...]"
"""Values in exact form; see :class:`~steadyrank.sums.exact.ExactForm`."""

Given: TypeAlias = "tuple[IntArray, IntArray, Parts, IntArray]"
"""Units, the places of items among those asked for, sums of values, and how many values."""


@dataclass(frozen=True)
class Prior:
    """The shrinkage as a ratio ``weight / share`` of whole numbers where it is a short decimal.

    With it ``sum / (shrinkage + count)`` is one division of whole numbers, correctly rounded:
    0.1 is one tenth here, not the binary number next to it. Without a shrinkage, nothing over nothing is
    what ``empty`` says.
    """

    weight: float
    share: float
    empty: float | None = None

    @property
    def always(self) -> bool:
        """Whether items without any value have a score, too."""
        return self.weight > 0 or self.empty is not None

    @classmethod
    def of(cls, shrinkage: float) -> Prior:
        """Write a shrinkage as a ratio.

        Examples
        --------
        >>> Prior.of(1.0), Prior.of(0.1)
        (Prior(weight=1.0, share=1.0, empty=None), Prior(weight=1.0, share=10.0, empty=None))
        """
        form = exact_form([np.array([shrinkage])], addends=1)
        if not form.whole:
            return cls(shrinkage, 1.0)
        return cls(float(form.parts(np.array([shrinkage]))[0][0]), float(form.scale))


@dataclass(frozen=True)
class ItemSums:
    """The sum and the count of each item's values, and the scores that follow.

    All of them may be columns of an engine, one row for each entry: the same steps, so the same floats.

    Parameters
    ----------
    form : ExactForm
        How the values are written.
    prior : Prior
        The shrinkage.
    counts : int array (items,)
        How many values each item has.
    totals : one or more float arrays (items,)
        Their exact sums, in that form.
    """

    form: ExactForm
    prior: Prior
    counts: Any
    totals: tuple[Any, ...]

    @cached_property
    def scores(self) -> FloatArray:
        """The scores ``sum / (shrinkage + count)``."""
        return np.asarray(self._ratio(together(self.totals), self.counts, slice(None)))

    def without(self, items: Any, parts: tuple[Any, ...], leaving: Any = 1) -> Any:
        """Return the scores of ``items`` when each loses ``leaving`` values that sum to ``parts``."""
        left = (
            of_items(total, items) - part
            for total, part in zip(self.totals, parts, strict=True)
        )
        return self._ratio(
            together(tuple(left)), of_items(self.counts, items) - leaving, items
        )

    def of_sums(self, parts: Parts, counts: IntArray) -> FloatArray:
        """Return the scores of other sums and counts, a row of them for each."""
        return np.asarray(self._ratio(together(parts), counts, slice(None)))

    @property
    def exact(self) -> bool:
        """Whether each score is one division of whole numbers, which no other form would round else."""
        sums = float(np.abs(self.totals[0]).max()) * self.prior.share
        below = self.prior.weight + self.prior.share * float(self.counts.max())
        whole = self.form.whole and self.prior.weight % 1 == 0
        return whole and max(sums, below * float(self.form.tens)) < EXACT

    def moves(self, items: Any, parts: tuple[Any, ...]) -> Any:
        r"""Return ``w - w\i`` of ``items`` when each loses one value, given in its parts.

        From ``(shrinkage + count) w = (shrinkage + count - 1) w\i + value`` follows
        ``w - w\i = (value - w\i) / (shrinkage + count)``, which does not cancel.
        """
        share, value = (
            self.prior.share,
            together(parts) / of_items(self.form.scale, items),
        )
        below = of_items(self.counts, items) * share + self.prior.weight
        return (value - self.without(items, parts)) * (share / below)

    def _ratio(self, sums: Any, counts: Any, items: Any) -> Any:
        share, empty = self.prior.share, self.prior.empty
        if empty is None:
            return self.form.ratio(
                sums, share, counts * share + self.prior.weight, items
            )
        with np.errstate(invalid="ignore", divide="ignore"):
            return either(
                counts > 0, self.form.ratio(sums, share, counts * share, items), empty
            )


class Sums(ABC):
    """What each unit adds to the numerator and the denominator of each item, and who adds it up.

    Scores, those without each unit and how far they move follow from it, whatever the scorer.

    Attributes
    ----------
    form : ExactForm
        How what is added is written so that its sums are exact.
    scale : int
        How many parts make one in the denominators.
    resolution : float
        How close scores are equal; 0 where they are exact.
    """

    form: ExactForm
    scale: int = 1
    resolution: float = 0.0

    @property
    @abstractmethod
    def counts(self) -> IntArray:
        """The denominator of each item, in parts: how many values it has, or how many units."""

    @property
    @abstractmethod
    def totals(self) -> Parts:
        """The numerator of each item, in exact form."""

    @abstractmethod
    def blocks(self, sums: ItemSums) -> Iterator[Block]:
        """Yield the scores without each unit."""

    def sums(self, prior: Prior) -> ItemSums:
        """Return the sums and counts under a shrinkage, of which as many parts make a value."""
        prior = replace(prior, weight=prior.weight * self.scale)
        return ItemSums(self.form, prior, self.counts, self.totals)

    def touching(self, sums: ItemSums, wanted: Wanted) -> Iterator[SparseBlock] | None:  # noqa: ARG002
        """Yield the scores of the wanted items alone without each unit that has a value of them."""
        return None

    def columns(self, sums: ItemSums, wanted: Wanted) -> Iterator[Rows]:
        """Yield the scores of the wanted items without each unit that changes one of them."""
        for block in self.touching(sums, wanted) or ():
            yield from wanted.filled(block)

    def reordered(self, sums: ItemSums, order: IntArray) -> IntArray:
        """Return the units whose plain ranking differs from ``order``, that of all."""
        return blocks.reordered_of(self.blocks(sums), sums.scores, order)

    def shifts(self, sums: ItemSums) -> FloatArray:
        """Return how far each unit moves the scores."""
        return blocks.shifts_of(self.blocks(sums), sums.scores)

    def bounds(self, sums: ItemSums) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest score of each item, with and without each unit."""
        return blocks.bounds_of(self.blocks(sums), sums.scores)

    @abstractmethod
    def of_copies(self, copies: IntArray) -> tuple[Parts, IntArray]:
        """Return sums and counts of so many copies of each distinct unit, (draws, units) of them."""

    def given_by(self, units: IntArray) -> tuple[Parts, IntArray] | None:  # noqa: ARG002 (some know)
        """Return the sums and counts of what some units, one of each, give to items, in an engine."""
        return None


class Entries(Sums):
    """Values that units give to items, each of which counts: NumPy adds them up, or a dataframe engine.

    Attributes
    ----------
    what : str
        What the values are called.
    rows : int
        How many values an item without gaps has.
    grouped : bool
        Whether a unit may hold several values of an item, which leave together.
    weighted : bool
        Whether values have weights. One of weight w then counts as w of them, in whole parts.
    """

    what: str
    rows: int
    grouped: bool = False
    weighted: bool = False

    @cached_property
    def observed(self) -> IntArray:
        """How many values each item has, whatever their weights."""
        return self.counts

    @property
    @abstractmethod
    def extremes(self) -> tuple[Parts, Parts]:
        """The least and the largest value of each item, in exact form."""

    @abstractmethod
    def values_of(self, items: IntArray, among: IntArray | None = None) -> Given:
        """Return all that units, or at least those given, give to some items, in any order."""

    def of_copies(self, copies: IntArray) -> tuple[Parts, IntArray]:
        """Return sums and counts of so many copies of each distinct unit, (draws, units) of them."""
        unit, place, parts, counts = self.values_of(np.arange(len(self.counts)))
        number, table = copies.astype(np.float64), (copies.shape[1], len(self.counts))
        sums = tuple(number @ sparse(part, unit, place, table) for part in parts)
        return sums, np.rint(number @ sparse(counts, unit, place, table)).astype(
            np.int64
        )

    def apart(self) -> tuple[Entries, IntArray] | None:
        """Return the same with equal units one by one, and of each which one it is, if there are any."""
        return None

    @abstractmethod
    def largest_squared_reach(
        self, shrinkage: float, lowest: float, highest: float
    ) -> float:
        """Return the most that a unit's values, anywhere in the range, can move the scores, squared."""

    @cached_property
    def gaps(self) -> bool:
        """Whether some item lacks a value that others have."""
        return bool((self.counts < self.rows).any())

    @property
    def most_leaving(self) -> IntArray:
        """The most values of each item that leave with one unit."""
        return np.ones_like(self.counts)

    def bounds(self, sums: ItemSums) -> tuple[FloatArray, FloatArray]:
        """Return the bounds; a score without one value goes down as it goes up: extreme ones suffice."""
        if self.grouped:
            return super().bounds(sums)
        lowest, highest = sums.scores.copy(), sums.scores.copy()
        items = np.flatnonzero(self.counts)
        for extreme in self.extremes:
            without = sums.without(items, tuple(part[items] for part in extreme))
            lowest[items] = np.minimum(lowest[items], without)
            highest[items] = np.maximum(highest[items], without)
        return lowest, highest


def sparse(
    values: AnyArray, rows: IntArray, columns: IntArray, shape: tuple[int, int]
) -> Any:
    """Return a table with these values, added up where a place occurs again, and 0 elsewhere."""
    from scipy.sparse import csr_array  # loads longer than a small file takes

    return csr_array((values.astype(np.float64), (rows, columns)), shape=shape)


def reach(
    leaving: Any,
    counts: Any,
    shrinkage: float,
    ends: tuple[float, float],
    maximum: Callable[..., Any],
) -> Any:
    r"""Return how far ``leaving`` of ``counts`` values can move a score, all of them in a range.

    Write s for the shrinkage, N for the number of an item's values and c for how many leave. With m
    their mean, ``w - w\i = c (m - w\i) / (s + N)``, and ``w\i`` lies between a and b times
    ``(N - c) / (s + N - c)``. The arguments may be arrays, or columns of an engine.
    """
    lowest, highest = ends
    others = counts - leaving
    pull = others / (others + shrinkage)
    widest = maximum(highest - pull * lowest, pull * highest - lowest)
    return widest * leaving / (counts + shrinkage)

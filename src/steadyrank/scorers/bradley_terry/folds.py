"""Bradley-Terry scores without each unit: sketched where that settles a question, else refitted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.scorers.base import RowsOut, Settled, Sketched
from steadyrank.scorers.bradley_terry.curves import TOLERANCE, Curves
from steadyrank.scorers.bradley_terry.fit import CHUNK_NUMBERS, Chords, strengths
from steadyrank.scorers.bradley_terry.sketch import Sketch
from steadyrank.sums.blocks import DenseBlock, Rows, differences, lengths, slices

if TYPE_CHECKING:
    from steadyrank.scorers.bradley_terry.scorer import Removals

SKETCH_NUMBERS = 1 << 18
"""Numbers sketched at once: few enough to stay in the cache."""
DIGITS = 1e-11
"""Ten times the error of exact scores, in log odds."""


@dataclass(frozen=True)
class BattleFolds:
    """Units of one pair by its curve where that is accurate, all others by Newton's method."""

    scores: FloatArray
    wins: FloatArray
    removals: Removals
    ridge: float
    tolerance: float = TOLERANCE
    scale: tuple[float, float] = (0.0, 1.0)
    """Where log odds of 0 are among the scores that are asked for, and how much log odds of 1 are."""

    @cached_property
    def curves(self) -> Curves:
        """The fit, expanded."""
        return Curves(self.wins, self.scores, self.ridge, self.tolerance)

    @cached_property
    def _owners(self) -> IntArray:
        return np.unique(self.removals.owner)

    @cached_property
    def sketch(self) -> tuple[IntArray, Sketch]:
        """The units of one pair, and scores near those without them."""
        units, folds = self.removals.one_pair
        return units, Sketch(self.curves, folds, self.scale[1])

    def rows(self, units: slice | IntArray) -> FloatArray:
        """Return the scores without each of some units, given in order."""
        if isinstance(units, slice):
            units = np.arange(units.start, units.stop)
        single, folds = self.removals.one_pair
        one = np.isin(units, single, assume_unique=True)
        # The others are units of several pairs, and units that take nothing away.
        found, sound = np.repeat(self.scores[np.newaxis], len(units), axis=0), np.zeros_like(one)
        if self.curves.steady and one.any():
            cut = folds.part(np.searchsorted(single, units[one]))
            found[one], sound[one] = self.curves.solve(cut)
        rest = np.flatnonzero(~sound & np.isin(units, self._owners, assume_unique=True))
        if self.curves.steady and len(rest):
            for part in slices(len(rest), CHUNK_NUMBERS, len(self._chords.first)):
                some = rest[part]
                found[some], sound[some] = self._chords.solve(self.removals.some(units[some]), len(some))
        rest = rest[~sound[rest]]
        for part in slices(len(rest), CHUNK_NUMBERS, len(self.scores) ** 2):
            found[rest[part]] = self._refit(units[rest[part]])
        return found

    @cached_property
    def _chords(self) -> Chords:
        return Chords(self.curves, self.wins, self.ridge)

    def _refit(self, chosen: IntArray) -> FloatArray:
        wins, taken = np.repeat(self.wins[np.newaxis], len(chosen), axis=0), self.removals.some(chosen)
        wins[taken.owner, taken.winner, taken.loser] -= taken.weight
        return strengths(wins, self.ridge, self.scores)


class Near(NamedTuple):
    """Linear functions of the scores: G times each, their values, how far an energy of 1 moves them.

    G is on the scale of the scores.
    """

    table: FloatArray
    base: FloatArray
    heights: FloatArray

    def some(self, chosen: BoolArray) -> Near:
        """Return some of them."""
        return Near(self.table[:, chosen], self.base[chosen], self.heights[chosen])


@dataclass(frozen=True)
class BattlesOut(RowsOut, Sketched):
    """Scores without each unit of battles.

    Parameters
    ----------
    folds : BattleFolds
        The fit, and how it is refitted.
    resolution : float
        Scores closer than this are equal.
    """

    folds: BattleFolds = field(kw_only=True)
    resolution: float = field(kw_only=True)

    @cached_property
    def _fitted(self) -> FloatArray:
        offset, factor = self.folds.scale
        return np.asarray(offset + factor * self.folds.scores)

    @property
    def _digits(self) -> float:
        return DIGITS * self.folds.scale[1]

    @cached_property
    def _linked(self) -> FloatArray:
        """How far at most links of scores that become equal move a score, for each unit of one pair.

        Scores that are linked are close to each other. All but two of them have moved by little, so they
        were close before, and of such there are few.
        """
        items, ranked = len(self.scores), np.sort(self._fitted)
        spans = self.resolution * items + 2 * (self._digits + self.folds.sketch[1].wandering)
        widths, which = np.unique(np.exp2(np.ceil(np.log2(spans))), return_inverse=True)
        ends = (np.searchsorted(ranked, ranked + width, side="right") for width in widths)
        close = np.array([(end - np.arange(items)).max() + 2 for end in ends])
        return np.asarray(self.resolution * np.minimum(close, items)[which])

    def exact(self, units: IntArray) -> FloatArray:
        """Return all scores without each of some units, given in order; refit none twice where few."""
        if len(self.units) * len(self.scores) > self.kept_numbers:
            return self.rows(units)  # type: ignore[arg-type]  # these take any units
        rows, known = self._refitted
        new = units[~known[units]]
        rows[new], known[new] = self.rows(new), True  # type: ignore[arg-type]  # likewise
        return np.asarray(rows[units])

    @cached_property
    def _refitted(self) -> tuple[FloatArray, BoolArray]:
        return np.empty((len(self.units), len(self.scores))), np.zeros(len(self.units), dtype=np.bool_)

    def bounds(self, *, outer: bool = False) -> tuple[FloatArray, FloatArray]:
        """Return bounds of each item's score with and without each unit; outer ones are of sketches."""
        if self._kept or not outer:
            return super().bounds()
        units, sketch = self.folds.sketch
        lowest, highest = np.zeros((2, len(self.scores)))
        sound = np.isfinite(sketch.first.missed)
        for folds in self._parts(np.flatnonzero(sound), SKETCH_NUMBERS):
            moves, missed = sketch.linear(folds, sketch.table)
            error = np.outer(missed, sketch.heights) + (self._digits + self._linked[folds, np.newaxis])
            np.minimum(lowest, (moves - error).min(axis=0), out=lowest)
            np.maximum(highest, (moves + error).max(axis=0), out=highest)
        lowest = np.minimum(self._fitted + lowest, self.scores)
        highest = np.maximum(self._fitted + highest, self.scores)
        for others in self._parts(np.setdiff1d(np.arange(len(self.units)), units[sound])):
            DenseBlock(0, self.exact(others)).widen(lowest, highest)
        return lowest, highest

    def columns(
        self, items: IntArray, among: BoolArray | None = None, settled: Settled | None = None
    ) -> Iterator[Rows]:
        """Yield sketches, to first or second order, that settle the question, and else exact rows."""
        if self._kept or settled is None:
            yield from super().columns(items, among)
            return
        asked = np.ones(len(self.units), dtype=np.bool_) if among is None else among.copy()
        sketch = self.folds.sketch[1]
        near = Near(sketch.table[:, items], self._fitted[items], sketch.heights[items])
        for second in (False, True):
            yield from self._sketched(near, second, asked, settled)
        for rest in self._parts(np.flatnonzero(asked)):
            yield rest, self.exact(rest)[:, items]

    def nearby(self, items: IntArray) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
        """Yield rows to second order, and exact ones of units that no sketch serves."""
        units, sketch = self.folds.sketch
        table, fitted, heights = sketch.table[:, items], self._fitted[items], sketch.heights[items]
        bent, sound = sketch.bent(table), np.isfinite(sketch.first.missed)
        for folds in self._parts(np.flatnonzero(sound), SKETCH_NUMBERS):
            moves, missed = sketch.quadratic(folds, table, bent)
            fine = np.isfinite(missed)
            errors = np.outer(missed[fine], heights) + self._digits
            errors += self._linked[folds[fine], np.newaxis]
            yield units[folds[fine]], moves[fine] + fitted, errors
            sound[folds[~fine]] = False
        for rest in self._parts(np.setdiff1d(np.arange(len(self.units)), units[sound])):
            rows = self.exact(rest)[:, items]
            yield rest, rows, np.zeros_like(rows)

    @cached_property
    def _sketched_shifts(self) -> tuple[FloatArray, FloatArray]:
        """Shifts and their errors, as far as they are known; they become exact where somebody asks."""
        units, sketch = self.folds.sketch
        values, errors = np.zeros(len(self.units)), np.full(len(self.units), np.inf)
        values[units], errors[units] = sketch.shifts()
        linked = np.sqrt(len(self.scores)) * self._linked
        errors[units] += self._digits + linked + lengths((self.scores - self._fitted)[np.newaxis])
        return values, errors

    def shifts(self, settled: Settled | None = None) -> FloatArray:
        """Return shifts to first or second order where these settle the question, else exact ones."""
        if self._kept or settled is None:
            return super().shifts()
        values, errors = self._sketched_shifts
        units, sketch = self.folds.sketch
        bent = sketch.bent(sketch.table)
        open_folds = (~settled(values, errors) & (errors > 0))[units] & np.isfinite(sketch.first.missed)
        for folds in self._parts(np.flatnonzero(open_folds), SKETCH_NUMBERS):
            moves, missed = sketch.quadratic(folds, sketch.table, bent)
            rows, chosen = moves + self._fitted, units[folds]
            # So many scores may be linked to another, and none of them moves further than all links.
            close = self.resolution + 2 * (self._digits + missed[:, np.newaxis] * sketch.heights.max())
            links = (np.diff(np.sort(rows, axis=1), axis=1) <= close).sum(axis=1)
            found = missed * sketch.longest + self._digits + self.resolution * links**1.5
            better = found < errors[chosen]
            values[chosen[better]] = lengths(*differences(rows[better], self.scores))
            errors[chosen[better]] = found[better]
        for rest in self._parts(np.flatnonzero(~settled(values, errors) & (errors > 0))):
            values[rest] = lengths(*differences(self.exact(rest), self.scores))
            errors[rest] = 0.0
        return values.copy()

    def reordered(self, order: IntArray) -> IntArray:
        """Look at the gaps of neighbours: in sketches, and where these leave some open in exact rows."""
        if self._kept:
            return super().reordered(order)
        sketch, above, below = self.folds.sketch[1], order[:-1], order[1:]
        near = Near(
            sketch.table[:, above] - sketch.table[:, below],
            self._fitted[above] - self._fitted[below],
            self.folds.scale[1] * np.sqrt(sketch.curves.resistance(above, below)),
        )
        doubtful = np.zeros(len(above), dtype=np.bool_)

        def settled(gaps: FloatArray, errors: FloatArray) -> BoolArray:
            holds = gaps > errors
            fine = (gaps < -errors).any(axis=1) | holds.all(axis=1)
            doubtful[:] |= ~holds[~fine].all(axis=0)
            return np.asarray(fine)

        asked, changed = np.ones(len(self.units), dtype=np.bool_), [np.empty(0, np.int64)]
        for second in (False, True):
            for units, gaps in self._sketched(near, second, asked, settled):
                changed.append(units[(gaps < 0).any(axis=1)])
            if not second:
                near, doubtful = near.some(doubtful), doubtful[doubtful]
        changed += [
            rest[DenseBlock(0, self.exact(rest)).reordered(self.scores, order)]
            for rest in self._parts(np.flatnonzero(asked))
        ]
        return np.sort(np.concatenate(changed))

    def _sketched(self, near: Near, second: bool, asked: BoolArray, settled: Settled) -> Iterator[Rows]:
        """Yield the units asked for whose sketch settles the question, and ask for them no more."""
        units, sketch = self.folds.sketch
        # What first order says nothing about stays in doubt: it tells at what second order looks.
        left = np.flatnonzero(asked[units] & np.isfinite(sketch.first.missed))
        width = len(self.scores) if second else len(near.base)
        tables = (near.table, sketch.bent(near.table)) if second and len(left) else (near.table,)
        for part in slices(len(left), SKETCH_NUMBERS, width):
            folds = left[part]
            values, missed = (sketch.quadratic if second else sketch.linear)(folds, *tables)
            values += near.base
            fine = np.isfinite(missed)
            errors = np.outer(missed[fine], near.heights)
            errors += self._digits + self._linked[folds[fine], np.newaxis]
            fine[fine] = settled(values[fine], errors)
            asked[units[folds[fine]]] = False
            yield units[folds[fine]], values[fine]

    def _parts(self, chosen: IntArray, numbers: int | None = None) -> Iterator[IntArray]:
        numbers = self.block_numbers if numbers is None else numbers
        return (chosen[part] for part in slices(len(chosen), numbers, len(self.scores)))

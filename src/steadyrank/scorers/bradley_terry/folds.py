"""Bradley-Terry scores without each unit: sketched where that settles a question, else refitted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.progress import tell
from steadyrank.scorers.base import RowsOut, Settled, Sketched, known
from steadyrank.scorers.bradley_terry.chords import Chords, Look
from steadyrank.scorers.bradley_terry.fit import CHUNK_NUMBERS, FullFit, strengths
from steadyrank.scorers.bradley_terry.sketch import Sketch
from steadyrank.sums.blocks import Rows, lengths, slices

if TYPE_CHECKING:
    from steadyrank.scorers.bradley_terry.scorer import Removals

Told: TypeAlias = "tuple[IntArray, FloatArray, FloatArray]"
"""Units, for each of them a row of scores, and how far these are off at most."""

TOLERANCE = 1e-12
"""The largest error, in range, of scores that are refitted by steps."""
SKETCH_NUMBERS = 1 << 18
"""Numbers sketched at once: few enough to stay in the cache."""
FEW = 4
"""Second order is looked at from the so manieth part of the items on, in units that are left."""
APPROACHES = 6
"""Steps towards the scores of a fold, after each of which a question may be settled."""
ROUGH, FINE = 0.25, 1e-4
"""Which part of its move a sketch may miss before steps are worth their price: for bounds, for ranks."""
FARTHEST = 4.0
"""What moves a pair further than this is no place to start from."""
SPRING_STEPS = 12
REACHED_NUMBERS = 1 << 25
"""At most so many numbers, of 4 bytes, are kept of the ways that questions went."""
DIGITS = 1e-11
"""Ten times the error of exact scores, in log odds."""


@dataclass(frozen=True)
class BattleFolds:
    """Refits without each unit, by certified steps from the full fit or else by Newton's method."""

    scores: FloatArray
    wins: FloatArray
    removals: Removals
    ridge: float
    tolerance: float = TOLERANCE
    scale: tuple[float, float] = (0.0, 1.0)
    """Where log odds of 0 are among the scores that are asked for, and how much log odds of 1 are."""

    @cached_property
    def full(self) -> FullFit:
        """The fit on all the data."""
        return FullFit(self.wins, self.scores, self.ridge)

    @cached_property
    def owners(self) -> IntArray:
        """The units that take something away."""
        return np.unique(self.removals.owner)

    @cached_property
    def sketch(self) -> tuple[IntArray, Sketch]:
        """The units of one pair, and scores near those without them."""
        units, folds = self.removals.one_pair
        return units, Sketch(self.full, folds, self.scale[1])

    @cached_property
    @np.errstate(all="ignore")  # what is no number is no start
    def starts(self) -> FloatArray:
        """How far to go from the fit, in terms of ``G (e_i - e_j)``, for each unit of one pair.

        The pair itself is taken as it is, and all others together as a spring of constant strength,
        ``1/R - c``, where c is the information of the pair. From where this is too far, it is 0.
        """
        sketch, (first, second, battles, wins) = (
            self.sketch[1],
            self.removals.one_pair[1],
        )
        chance, resistance = self.full.win_chance[first, second], sketch.resistance
        spring = np.maximum(
            1.0 / resistance - self.full.information[first, second], 0.0
        )
        had, odds = (self.wins + self.wins.T)[first, second], (1.0 - chance) / chance
        gap = np.zeros(len(chance))
        for _ in range(SPRING_STEPS):
            now = 1.0 / (1.0 + odds * np.exp(-gap))
            force = had * chance - wins - (had - battles) * now - spring * gap
            slope = (had - battles) * now * (1.0 - now) + spring
            gap += np.clip(force / slope, -1.0, 1.0)
        return np.where(np.abs(gap) < FARTHEST, gap / resistance, 0.0)

    def begun(self, units: IntArray) -> FloatArray:
        """Return scores from where the way to those without each of some units is short."""
        scores = np.repeat(self.scores[np.newaxis], len(units), axis=0)
        single, pairs = self.removals.one_pair
        one = np.flatnonzero(np.isin(units, single, assume_unique=True))
        fold, inverse = np.searchsorted(single, units[one]), self.full.inverse
        between = inverse[pairs.first[fold]] - inverse[pairs.second[fold]]
        scores[one] += self.starts[fold, np.newaxis] * between
        return scores

    @cached_property
    def reached(self) -> tuple[FloatArray, BoolArray]:
        """How far units got from the fit on the way to an answer, and which of them.

        The next question begins there. Of data that are too large for that there is none.
        """
        units = int(self.owners.max(initial=-1)) + 1
        units = units if units * len(self.scores) <= REACHED_NUMBERS else 0
        return np.zeros((units, len(self.scores)), dtype=np.float32), np.zeros(
            units, dtype=np.bool_
        )

    def rows(self, units: slice | IntArray) -> FloatArray:
        """Return the scores without each of some units, given in order."""
        if isinstance(units, slice):
            units = np.arange(units.start, units.stop)
        found, sound = (
            np.repeat(self.scores[np.newaxis], len(units), axis=0),
            np.zeros(len(units), bool),
        )
        rest = np.flatnonzero(np.isin(units, self.owners, assume_unique=True))
        if self.full.steady:
            for some in self.chords.at_once(rest):
                begun = self.begun(units[some])
                found[some], sound[some] = self.chords.solve(
                    self.removals, units[some], begun
                )
        rest = rest[~sound[rest]]
        for part in slices(len(rest), CHUNK_NUMBERS, len(self.scores) ** 2):
            found[rest[part]] = self.refit(units[rest[part]])
        return found

    @cached_property
    def chords(self) -> Chords:
        """The fit, and the way from it to that without any units."""
        return Chords(self.full, self.tolerance)

    def refit(self, chosen: IntArray) -> FloatArray:
        """Return the scores without each of some units, by Newton's method."""
        wins, taken = (
            np.repeat(self.wins[np.newaxis], len(chosen), axis=0),
            self.removals.some(chosen),
        )
        wins[taken.owner, taken.winner, taken.loser] -= taken.weight
        return strengths(wins, self.ridge, self.scores)


class Near(NamedTuple):
    """Scores of some items on all the data, and how far an energy of 1 moves each.

    The ``table`` is the inverse G of the Hessian, on the scale of the scores.
    """

    table: FloatArray
    base: FloatArray
    heights: FloatArray
    items: IntArray


class Underway:
    """Scores (log odds) of all items on the way from the full fit to those without each of some units.

    Attributes
    ----------
    units : int array
        The units.
    scores : float array (units, items)
        How far they got.
    look : Look
        Where they go on to, and how much they miss at most.
    """

    def __init__(self, folds: BattleFolds, units: IntArray) -> None:
        self._folds, self.units = folds, units
        self.scores, (moves, known) = folds.begun(units), folds.reached
        if len(known):
            before = known[units]
            self.scores[before] = folds.scores + moves[units[before]]
        self._look()
        # No question is settled by scores that have not moved.
        still = (self.scores == folds.scores).all(axis=1)
        self.look.missed[still] = self.look.off[still] = np.inf

    def _look(self) -> None:
        taken = self._folds.removals.some(self.units)
        self.look: Look = self._folds.chords.look(taken, self.scores)
        moves, known = self._folds.reached
        if len(known):
            moves[self.units] = self.scores + self.look.steps - self._folds.scores
            known[self.units] = True

    def arrived(self) -> tuple[BoolArray, FloatArray]:
        """Tell which units one more step takes to their exact scores, and return these."""
        folds, rows = self._folds, self.scores + self.look.steps
        with np.errstate(all="ignore"):
            done = folds.chords.arrived(rows, self.look)
        return done, rows[done] - rows[done].mean(axis=1, keepdims=True)

    def step(self, chosen: BoolArray) -> None:
        """Go a step further, with some of the units alone."""
        self.units = self.units[chosen]
        self.scores = self.scores[chosen] + self.look.steps[chosen]
        self._look()


@dataclass(frozen=True)
class BattlesOut(RowsOut, Sketched):
    """Scores without each unit of battles.

    Parameters
    ----------
    folds : BattleFolds
        The fit, and how it is refitted.
    resolution : float
        Scores closer than this are equal.
    placed : callable
        From log odds to scores, of which those that are closer are made equal.
    """

    folds: BattleFolds = field(kw_only=True)
    resolution: float = field(kw_only=True)
    placed: Callable[[FloatArray], FloatArray] = field(kw_only=True)

    @cached_property
    def _fitted(self) -> FloatArray:
        return self._on_scale(self.folds.scores)

    def _on_scale(self, log_odds: FloatArray) -> FloatArray:
        offset, factor = self.folds.scale
        return np.asarray(offset + factor * log_odds)

    @property
    def _digits(self) -> float:
        return DIGITS * self.folds.scale[1]

    @cached_property
    def _linked(self) -> FloatArray:
        """How far at most links of scores that become equal move a score, for each unit.

        Scores that are linked are close to each other. All but two of them have moved by little, so they
        were close before, and of such there are few.
        """
        items, ranked = len(self.scores), np.sort(self._fitted)
        spans = self.resolution * items + 2 * (
            self._digits + self.folds.sketch[1].wandering
        )
        widths, which = np.unique(np.exp2(np.ceil(np.log2(spans))), return_inverse=True)
        ends = (
            np.searchsorted(ranked, ranked + width, side="right") for width in widths
        )
        close = np.array([(end - np.arange(items)).max() + 2 for end in ends])
        found = np.full(len(self.units), items)
        found[self.folds.sketch[0]] = np.minimum(close, items)[which]
        return np.asarray(self.resolution * found)

    def _errors(
        self,
        units: IntArray,
        missed: FloatArray,
        near: Near,
        off: FloatArray | float = np.inf,
    ) -> FloatArray:
        """Return how far at most scores are off that miss so much energy, and no log odds more."""
        reach = np.minimum(np.outer(missed, near.heights), self.folds.scale[1] * off)
        return np.asarray(reach + (self._digits + self._linked[units, np.newaxis]))

    def _exact(self, units: IntArray) -> FloatArray:
        """Return all scores without each of some units, given in order."""
        return self.placed(self.folds.rows(units))

    def bounds(self, *, outer: bool = False) -> tuple[FloatArray, FloatArray]:
        """Return bounds of each item's score with and without each unit; outer ones are of sketches."""
        if self._kept or not outer:
            return super().bounds()
        (units, sketch), items = self.folds.sketch, np.arange(len(self.scores))
        near, fine = self._near(items), np.zeros(len(self.units), dtype=np.bool_)
        moved = np.abs(sketch.first.amount) * np.sqrt(sketch.resistance)
        fine[units] = sketch.first.missed <= ROUGH * moved
        rest, (lowest, highest) = ~fine, np.repeat(self.scores[np.newaxis], 2, axis=0)
        for _, rows, errors in chain(
            self._sketched(near, False, fine, known),
            self._approached(near, rest, self._enough(ROUGH)),
            self._exactly(items, rest),
        ):
            np.minimum(lowest, (rows - errors).min(axis=0, initial=np.inf), out=lowest)
            np.maximum(
                highest, (rows + errors).max(axis=0, initial=-np.inf), out=highest
            )
        return lowest, highest

    def columns(
        self,
        items: IntArray,
        among: BoolArray | None = None,
        settled: Settled | None = None,
    ) -> Iterator[Rows]:
        """Yield sketches, to first or second order, that settle the question, and else exact rows."""
        if self._kept or settled is None:
            yield from super().columns(items, among)
            return
        asked = (
            np.ones(len(self.units), dtype=np.bool_) if among is None else among.copy()
        )
        near = self._near(items)
        for units, rows, _ in chain(
            self._sketched(near, False, asked, settled),
            self._sketched(near, True, asked, settled),
            self._approached(near, asked, settled),
            self._exactly(items, asked),
        ):
            yield units, rows

    def nearby(self, items: IntArray) -> Iterator[Told]:
        """Yield rows to second order, those after a few steps, and exact ones where neither serves."""
        asked, every = (
            np.ones(len(self.units), dtype=np.bool_),
            self._near(np.arange(len(self.scores))),
        )
        yield from self._sketched(self._near(items), True, asked, known)
        for units, rows, errors in self._approached(every, asked, self._enough(FINE)):
            yield units, rows[:, items], errors[:, items]
        yield from self._exactly(items, asked)

    def _near(self, items: IntArray) -> Near:
        sketch = self.folds.sketch[1]
        return Near(
            sketch.table[:, items], self._fitted[items], sketch.heights[items], items
        )

    def _enough(self, part: float) -> Settled:
        """Return what tells which scores of all items are known to such a part of their moves."""
        floor = self._digits + self.resolution * len(self.scores)

        def enough(rows: FloatArray, errors: FloatArray) -> BoolArray:
            far = np.ptp(rows - self._fitted, axis=1)
            return np.asarray(errors.max(axis=1, initial=0.0) <= part * far + floor)

        return enough

    @cached_property
    def _sketched_shifts(self) -> tuple[FloatArray, FloatArray]:
        """Shifts and their errors, as far as they are known; they become exact where somebody asks."""
        units, sketch = self.folds.sketch
        values, errors = np.zeros(len(self.units)), np.full(len(self.units), np.inf)
        values[units], errors[units] = sketch.shifts()
        linked = np.sqrt(len(self.scores)) * self._linked[units]
        errors[units] += (
            self._digits + linked + lengths((self.scores - self._fitted)[np.newaxis])
        )
        return values, errors

    def shifts(self, settled: Settled | None = None) -> FloatArray:
        """Return shifts to first or second order where these settle the question, else exact ones."""
        if self._kept or settled is None:
            return super().shifts()
        values, errors = self._sketched_shifts
        units, sketch = self.folds.sketch
        bent = sketch.bent(sketch.table)
        open_folds = (~settled(values, errors) & (errors > 0))[units] & np.isfinite(
            sketch.first.missed
        )
        for folds in self._parts(np.flatnonzero(open_folds), SKETCH_NUMBERS):
            moves, missed = sketch.quadratic(folds, sketch.table, bent)
            rows, chosen = moves + self._fitted, units[folds]
            # So many scores may be linked to another, and none of them moves further than all links.
            close = self.resolution + 2 * (
                self._digits + missed[:, np.newaxis] * sketch.heights.max()
            )
            links = (np.diff(np.sort(rows, axis=1), axis=1) <= close).sum(axis=1)
            found = (
                missed * sketch.longest + self._digits + self.resolution * links**1.5
            )
            better = found < errors[chosen]
            values[chosen[better]] = lengths(rows[better] - self.scores)
            errors[chosen[better]] = found[better]
        for rest in self._parts(
            np.flatnonzero(~settled(values, errors) & (errors > 0))
        ):
            values[rest] = lengths(self._exact(rest) - self.scores)
            errors[rest] = 0.0
        return values.copy()

    def reordered(self, order: IntArray) -> IntArray:
        """Look at the gaps of neighbours until one has turned for sure, or none has."""
        later, changed = order[1:] < order[:-1], [np.empty(0, np.int64)]

        def settled(rows: FloatArray, errors: FloatArray) -> BoolArray:
            gaps, reach = rows[:, :-1] - rows[:, 1:], errors[:, :-1] + errors[:, 1:]
            return np.asarray((gaps < -reach).any(axis=1) | (gaps > reach).all(axis=1))

        for units, rows in self.columns(order, None, settled):
            one, other = rows[:, :-1], rows[:, 1:]
            changed.append(
                units[((one < other) | ((one == other) & later)).any(axis=1)]
            )
        return np.sort(np.concatenate(changed))

    def _sketched(
        self, near: Near, second: bool, asked: BoolArray, settled: Settled
    ) -> Iterator[Told]:
        """Yield the units asked for whose sketch settles the question, and ask for them no more."""
        units, sketch = self.folds.sketch
        # What first order says nothing about stays in doubt: it tells at what second order looks.
        left = np.flatnonzero(asked[units] & np.isfinite(sketch.first.missed))
        if second and FEW * len(left) < len(self.scores):
            return  # what second order takes of all items costs more than steps of these
        width = len(self.scores) if second else len(near.base)
        tables = (
            (near.table, sketch.bent(near.table))
            if second and len(left)
            else (near.table,)
        )
        for part in slices(len(left), SKETCH_NUMBERS, width):
            folds = left[part]
            values, missed = (sketch.quadratic if second else sketch.linear)(
                folds, *tables
            )
            if second:
                fine = np.isfinite(missed)
                folds, values, missed = folds[fine], values[fine], missed[fine]
            values += near.base
            errors = self._errors(units[folds], missed, near)
            fine = settled(values, errors)
            told = slice(None) if fine.all() else fine  # which copies nothing
            asked[units[folds[told]]] = False
            yield units[folds[told]], values[told], errors[told]

    def _approached(
        self, near: Near, asked: BoolArray, settled: Settled
    ) -> Iterator[Told]:
        """Yield the units asked for that a few steps towards their scores settle, and ask no more."""
        folds, told = self.folds, 0
        units = np.intersect1d(np.flatnonzero(asked), folds.owners, assume_unique=True)
        for some in folds.chords.at_once(units) if folds.full.steady else ():
            way = Underway(folds, some)
            for _ in range(APPROACHES):
                values, look = self._on_scale(way.scores)[:, near.items], way.look
                errors = self._errors(
                    way.units, look.missed, near, look.off[:, np.newaxis]
                )
                fine = np.asarray(np.isfinite(errors).all(axis=1))
                fine[fine] = settled(values[fine], errors[fine])
                done, exact = way.arrived()
                exact = self.placed(exact[~fine[done]])
                done &= ~fine
                values[done], errors[done] = exact[:, near.items], 0.0
                fine |= done
                asked[way.units[fine]] = False
                yield way.units[fine], values[fine], errors[fine]
                if fine.all():
                    break
                way.step(~fine)
            told += len(some)
            tell(told, len(units), "refits")

    def _exactly(self, items: IntArray, asked: BoolArray) -> Iterator[Told]:
        """Yield exact scores of all units that are still asked for."""
        for rest in self._parts(np.flatnonzero(asked)):
            rows = self._exact(rest)[:, items]
            yield rest, rows, np.zeros_like(rows)

    def _parts(
        self, chosen: IntArray, numbers: int | None = None
    ) -> Iterator[IntArray]:
        numbers = self.block_numbers if numbers is None else numbers
        return (chosen[part] for part in slices(len(chosen), numbers, len(self.scores)))

"""Bradley-Terry fits without units, that go on from the full fit with one matrix for all of them.

Each step takes the gradient without the unit, over the pairs that have battles alone, times the inverse
Hessian G of the full fit, and then mends what G does not know: where a unit leaves, or an item has gone
far, a few pairs have another information than in the full fit. For pairs ``U = [u_1 ... u_p]`` that have
d less of it the Hessian is ``H - U D U'``, whose inverse has ``G U (1 - D U'GU)^-1 D U'G`` beyond G.

How far scores are from those of their fold is known in two ways. The Hessian of the fold is at least
``(1 - q) e^-y`` of the full one, where q is the sum of the resistances of the pairs of the unit,
weighted with the information taken away, and y the most that a pair has moved; so the error is at most a
step over that. Underway, a gradient g has the size ``m = sqrt(g'Gg)``, and as in ``sketch.py`` what is
missed has an energy ``h <= K / (1 - e K r)`` with ``K = m e^y / (1 - q)``. This serves as long as
nothing goes far. With a ridge there is a bound that holds anywhere: the rows of every Hessian, and of
their mean between two points, add up to the ridge, with nothing positive off the diagonal. Nothing in
the inverse of such a matrix is negative, and its rows add up to 1 / ridge. Hence no score is off by more
than the largest pull on an item over the ridge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.scorers.bradley_terry.fit import CHUNK_NUMBERS, FullFit, shortened
from steadyrank.sums.blocks import repeated_spans, slices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank.scorers.bradley_terry.scorer import Removals
    from steadyrank.scorers.bradley_terry.sketch import PairFolds

STEPS = 80
PAIRS_AT_ONCE = 2048
"""Pairs whose forces, on some folds each, stay in the cache."""
STIRRED = 0.1
"""Pairs of items that have moved so far may have another information than in the full fit."""
MATTERS, MOST = 0.02, 16
"""What part of a resistance hangs on a pair that is looked after, and how many of these a fold has."""
PULLED = 2.0
"""How many tolerances a score may be off by its pulls: these are sums, and have their own rounding."""
LEAST_KEPT = 1e-6
"""A unit that leaves less than this part of some information leaves nothing that rounding lets see."""


class Look(NamedTuple):
    """Where folds lead from some scores, and how far they are from their own.

    ``steps`` are the next ones. What the scores miss has an energy of ``missed`` at most, and no score
    misses more than ``off``; once the steps are taken, a range of ``range_left`` at most, but for how
    far the scores have moved.
    """

    steps: FloatArray
    missed: FloatArray
    off: FloatArray
    range_left: FloatArray


class Chords:
    """The full fit, and its pairs.

    Parameters
    ----------
    full : FullFit
        The fit on all the data.
    tolerance : float
        The largest error, in range, of scores that have arrived.
    """

    def __init__(self, full: FullFit, tolerance: float) -> None:
        from scipy.sparse import csr_array

        self.full, self._tolerance, wins = full, tolerance, full.wins
        self.first, self.second = full.graph.first, full.graph.second
        self._keys = self.first * len(wins) + self.second
        won, lost = full.graph.of_pairs(wins)
        self._battles = won + lost
        both = np.append(self.first, self.second)
        self._of_item = np.argsort(both, kind="stable") % len(self.first)
        self._begins = np.append(0, np.cumsum(np.bincount(both, minlength=len(wins))))
        self._parts = []
        for part in slices(len(self.first), PAIRS_AT_ONCE):
            each = np.arange(len(self.first[part]))
            ends = (
                np.concatenate([self.first[part], self.second[part]]),
                np.concatenate([each, each]),
            )
            signs = csr_array(
                (np.repeat([1.0, -1.0], len(each)), ends), shape=(len(wins), len(each))
            )
            self._parts.append(
                (part, signs, (won[part, np.newaxis], lost[part, np.newaxis]))
            )

    def at_once(self, units: IntArray) -> Iterator[IntArray]:
        """Cut units into parts whose scores and forces, of so many pairs at a time, are held at once."""
        width = max(len(self.full.scores), 4 * PAIRS_AT_ONCE)
        return (units[part] for part in slices(len(units), CHUNK_NUMBERS, width))

    @np.errstate(over="ignore", invalid="ignore")  # what is no number is not sound
    def solve(
        self, removals: Removals, units: IntArray, begun: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        """Return the scores without each of some units, from others, and which of these are sound."""
        scores = begun.copy()
        sound, active = np.zeros(len(units), dtype=np.bool_), np.arange(len(units))
        for _ in range(STEPS):
            if not len(active):
                break
            look = self.look(removals.some(units[active]), scores[active])
            scores[active] += look.steps
            done = self.arrived(scores[active], look)
            sound[active[done]] = True
            active = active[~done & np.isfinite(np.minimum(look.range_left, look.off))]
        return scores - scores.mean(axis=1, keepdims=True), sound

    def arrived(self, scores: FloatArray, look: Look) -> BoolArray:
        """Tell which scores, after a step, are within the tolerance of those of their folds."""
        further = np.exp(np.ptp(scores - self.full.scores, axis=1))
        near = look.range_left * further <= self._tolerance
        return np.asarray(near | (look.off <= PULLED * self._tolerance))

    @np.errstate(all="ignore")  # what is no number is not sound
    def look(self, taken: Removals, scores: FloatArray) -> Look:
        """Look where folds lead from given scores, each without what its unit takes away."""
        full, powers, (fold, gone) = self.full, np.exp(scores.T), taken.by_pair
        pair = np.searchsorted(self._keys, gone.first * len(full.scores) + gone.second)
        forces = self._forces(powers, fold, pair, gone) - full.ridge * scores.T
        plain = full.solved(forces).T
        chance = full.win_chance[gone.first, gone.second]
        share = (
            gone.battles
            * chance
            * (1.0 - chance)
            * full.resistance(gone.first, gone.second)
        )
        kept = 1.0 - np.bincount(fold, share, minlength=len(scores))
        kept[kept < LEAST_KEPT] = 0.0
        strained = np.exp(np.ptp(scores - full.scores, axis=1)) / kept
        energy = np.sqrt(np.einsum("lf,fl->f", forces, plain)) * strained
        left = 1.0 - np.e * energy * full.widest
        missed = np.where(
            left > 0, energy / left, np.inf
        )  # where that is no number, too
        off = (
            np.abs(forces).max(axis=0) / full.ridge
            if full.ridge
            else np.full(len(scores), np.inf)
        )
        steps = plain + self._mended(
            plain, self._changed(scores, powers, fold, pair, gone.battles)
        )
        steps *= shortened(np.ptp(steps, axis=1))[:, np.newaxis]
        return Look(steps, missed, off, np.ptp(plain, axis=1) / kept)

    def _forces(
        self, powers: FloatArray, fold: IntArray, pair: IntArray, gone: PairFolds
    ) -> FloatArray:
        """Return how the battles that are left pull each item, in each fold."""
        forces = np.zeros_like(powers)
        for part, ends, (won, lost) in self._parts:
            one, two = powers[self.first[part]], powers[self.second[part]]
            here = np.flatnonzero((pair >= part.start) & (pair < part.stop))
            row, column = pair[here] - part.start, fold[here]
            # What is left pulls, not all less what leaves: rounding of much would pull, too.
            left_won = won[row, 0] - gone.wins[here]
            left_lost = lost[row, 0] - (gone.battles - gone.wins)[here]
            left = left_won * two[row, column] - left_lost * one[row, column]
            both = one + two
            two *= won
            one *= lost
            two -= one
            two[row, column] = left
            two /= both
            forces += ends @ two
        return forces

    def _changed(
        self,
        scores: FloatArray,
        powers: FloatArray,
        taken_fold: IntArray,
        taken_pair: IntArray,
        taken: FloatArray,
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return folds with pairs that have less information than in the full fit, and how much less.

        A fold's pairs stand together, those that matter most first.
        """
        full, pairs = self.full, len(self.first)
        fold, item = np.nonzero(np.abs(scores - full.scores) > STIRRED)
        pointers, place = repeated_spans(self._begins, item)
        mine = taken_fold * pairs + taken_pair
        stirred = np.repeat(fold, np.diff(pointers)) * pairs + self._of_item[place]
        keys = np.unique(np.append(stirred, mine))
        fold, pair = np.divmod(keys, pairs)
        gone = np.bincount(np.searchsorted(keys, mine), taken, minlength=len(keys))
        i, j = self.first[pair], self.second[pair]
        one, two = powers[i, fold], powers[j, fold]
        less = (
            full.information[i, j]
            - (self._battles[pair] - gone) * one * two / (one + two) ** 2
        )
        matter = np.abs(less) * full.resistance(i, j)
        order = np.lexsort((-matter, fold))
        order = order[matter[order] > MATTERS]
        return fold[order], pair[order], less[order]

    def _mended(
        self, steps: FloatArray, changed: tuple[IntArray, IntArray, FloatArray]
    ) -> FloatArray:
        """Return what Newton's steps have beyond those of the full fit where pairs have changed."""
        (fold, pair, less), inverse = changed, self.full.inverse
        number = np.arange(len(fold)) - np.searchsorted(fold, fold)
        kept = number < MOST
        fold, pair, less, number = fold[kept], pair[kept], less[kept], number[kept]
        shape = len(steps), int(number.max(initial=-1)) + 1
        i, j = np.zeros((2, *shape), dtype=np.int64)
        lost = np.zeros(shape)
        i[fold, number], j[fold, number], lost[fold, number] = (
            self.first[pair],
            self.second[pair],
            less,
        )
        down, across = np.s_[:, :, np.newaxis], np.s_[:, np.newaxis, :]
        between = inverse[i[down], i[across]] - inverse[i[down], j[across]]
        between += inverse[j[down], j[across]] - inverse[j[down], i[across]]
        row = np.arange(len(steps))[:, np.newaxis]
        pulls = lost * (steps[row, i] - steps[row, j])
        try:
            solved = np.linalg.solve(
                np.eye(shape[1]) - lost[down] * between, pulls[down]
            )[:, :, 0]
        except (
            np.linalg.LinAlgError
        ):  # rounding has left nothing: steps of the full fit have to do
            return np.zeros_like(steps)
        more = np.zeros_like(steps)
        for slot in range(shape[1]):
            some = fold[number == slot]
            one, two = inverse[i[some, slot]], inverse[j[some, slot]]
            more[some] += solved[some, slot, np.newaxis] * (one - two)
        return more

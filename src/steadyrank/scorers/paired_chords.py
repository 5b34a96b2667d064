"""Bradley-Terry fits of folds with one matrix for all: Newton's method on the Hessian of all the data.

Each step takes the gradient without the unit, over the pairs that have battles alone, times the inverse
Hessian of the full fit. As long as a unit is a small part of the data that converges, by the same factor
each time. The Hessian of the fold is at least ``(1 - q) e^-y`` of the full one, where q is the sum of
the resistances of the pairs of the unit, weighted with the information taken away, and y the most that a
pair has moved; so the error is at most a step over that. Folds that do not get there are handed back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.scorers.paired_fit import STEEPEST

if TYPE_CHECKING:
    from steadyrank._typing import BoolArray, FloatArray
    from steadyrank.scorers.bradley_terry import Removals
    from steadyrank.scorers.paired_curves import Curves

STEPS = 80


class Chords:
    """The full fit, and its pairs.

    Parameters
    ----------
    curves : Curves
        The fit on all the data.
    wins : float array (L, L)
        Win counts, ties as half wins.
    ridge : float
        The ridge of that fit.
    """

    def __init__(self, curves: Curves, wins: FloatArray, ridge: float) -> None:
        from scipy.sparse import csr_array

        self.curves, self._ridge = curves, ridge
        self.first, self.second = np.nonzero(np.triu(wins + wins.T))
        self._keys = self.first * len(wins) + self.second
        self._wins = np.stack([wins[self.first, self.second], wins[self.second, self.first]])
        each = np.arange(len(self.first))
        ends = np.concatenate([self.first, self.second]), np.concatenate([each, each])
        signs = np.repeat([1.0, -1.0], len(each))
        self._ends = csr_array((signs, ends), shape=(len(wins), len(each)))

    @np.errstate(over="ignore", invalid="ignore")  # what is no number is not sound
    def solve(self, taken: Removals, folds: int) -> tuple[FloatArray, BoolArray]:
        """Return the scores of folds, each without what its unit takes away, and which are sound."""
        place, winner, loser, weight = taken.owner, taken.winner, taken.loser, taken.weight
        curves, low, high = self.curves, np.minimum(winner, loser), np.maximum(winner, loser)
        pair = np.searchsorted(self._keys, low * len(curves.scores) + high)
        wins = np.repeat(self._wins[:, np.newaxis], folds, axis=1)
        wins[(winner > loser).astype(np.int64), place, pair] -= weight
        chance = curves.win_chance[low, high]
        share = weight * chance * (1.0 - chance) * curves.resistance(low, high)
        kept = 1.0 - np.bincount(place, share, minlength=folds)
        scores = np.repeat(curves.scores[np.newaxis], folds, axis=0)
        sound, active = np.zeros(folds, dtype=np.bool_), np.flatnonzero(kept > 0)
        wins = wins[:, active]
        for _ in range(STEPS):
            if not len(active):
                break
            now = scores[active]
            gaps = np.clip(now[:, self.first] - now[:, self.second], -STEEPEST, STEEPEST)
            odds = np.exp(gaps)
            force = (wins[0] - wins[1] * odds) / (1.0 + odds)
            steps = ((self._ends @ force.T).T - self._ridge * now) @ curves.inverse
            now += steps
            scores[active] = now
            further = np.exp(np.ptp(now - curves.scores, axis=1)) / kept[active]
            done = np.ptp(steps, axis=1) * further <= curves.tolerance
            sound[active[done]] = True
            active, wins = active[~done], wins[:, ~done]
        return scores - scores.mean(axis=1, keepdims=True), sound

"""Bradley-Terry with covariates of the battles, fitted together with the strengths.

The left item wins with the log odds ``s_left - s_right + x.c``, where x are the covariates of the battle
and c their coefficients; the scores are the s alone, the log odds where covariates are 0. The ridge is
on s, and none is on c, so that units in which covariates are measured change nothing. Newton's method
as in ``fit.py``, with R the most that a step moves the log odds of a battle. Fits without units go on
from the full one with its Hessian for all of them, and one by one with their own where that does not
settle soon.
"""

from __future__ import annotations

import numpy as np

from steadyrank._typing import FloatArray, IntArray
from steadyrank.data.battles import Battles
from steadyrank.data.observations import shares_of
from steadyrank.errors import SteadyrankError
from steadyrank.scorers.bradley_terry.fit import FULL_STEP_RANGE, STEPS
from steadyrank.sums.blocks import slices

NUMBERS, CHORDS, NEAR, SETTLED = 4_000_000, 20, 1e-12, 1e-8
FLATTEST = 1e12
"""Beyond this condition number coefficients have no digits to rely on."""


class ContextFit:
    """The fit to all battles, and to those without units.

    Parameters
    ----------
    data : Battles
        Battles with covariates.
    ridge : float
        The ridge on the strengths.

    Attributes
    ----------
    scores : float array (items,)
        The strengths, with mean 0.
    coefficients : float array
        Those of the covariates.
    """

    def __init__(self, data: Battles, ridge: float) -> None:
        from scipy.sparse import csr_array, hstack

        shares = shares_of(data)
        rows, self._owner, self._each = shares.rows, shares.unit, shares.parts / shares.scale
        self._weight = self._each * data.units.counts[self._owner]
        self._points, given = (data.outcome[rows] + 1) / 2, data.covariates[rows]
        sizes = np.sqrt((given**2).mean(axis=0))
        sizes[sizes == 0] = 1.0
        ends = np.tile(np.arange(len(rows)), 2), np.concatenate([data.left[rows], data.right[rows]])
        signs = np.repeat([1.0, -1.0], len(rows))
        sides = csr_array((signs, ends), shape=(len(rows), data.n_items))
        self._design = hstack([sides, csr_array(given / sizes)]).tocsr()
        self._items, self._penalty = data.n_items, np.repeat([ridge, 0.0], [data.n_items, len(sizes)])
        self._full, hessian = self._newton(self._weight, np.zeros(len(self._penalty)))
        self._inverse = np.linalg.inv(hessian)
        self.scores, self.coefficients = self._strengths(self._full), self._full[self._items :] / sizes

    def _strengths(self, fits: FloatArray) -> FloatArray:
        found = fits[..., : self._items]
        return np.asarray(found - found.mean(axis=-1, keepdims=True))

    def _newton(self, weight: FloatArray, fit: FloatArray) -> tuple[FloatArray, FloatArray]:
        from scipy.special import expit

        design, items = self._design, self._items
        for _ in range(STEPS):
            chance = expit(design @ fit)
            slope = weight * chance * (1.0 - chance)
            weighed = design.multiply(slope[:, np.newaxis])
            hessian = (design.T @ weighed).toarray() + np.diag(self._penalty)
            # The constant matters to no step, since gradients of strengths sum to zero.
            hessian[:items, :items] += slope.sum() / items**2
            if not np.linalg.cond(hessian) < FLATTEST:
                break
            downhill = design.T @ (weight * (self._points - chance)) - self._penalty * fit
            step = np.linalg.solve(hessian, downhill)
            moved = float(np.abs(design @ step).max())
            fit = fit + step * (np.log1p(moved) / moved if moved > FULL_STEP_RANGE else 1.0)
            if moved <= SETTLED:
                return fit, hessian
        raise SteadyrankError(
            "the covariates have no single finite coefficients: items or other covariates determine "
            "them, or with the items they tell winners from losers nearly without fail",
            way_out="Leave some covariates out.",
        )

    def rows(self, units: slice) -> FloatArray:
        """Return the strengths without each of some units."""
        parts = slices(units.stop - units.start, NUMBERS, len(self._weight))
        chosen = np.arange(units.start, units.stop)
        return np.concatenate([self._without(chosen[part]) for part in parts])

    def _without(self, units: IntArray) -> FloatArray:
        from scipy.special import expit

        gone = np.flatnonzero(np.isin(self._owner, units))
        fold, each = np.searchsorted(units, self._owner[gone]), self._each[gone]
        fits, penalty = np.tile(self._full[:, np.newaxis], len(units)), self._penalty[:, np.newaxis]
        points, weight = self._points[:, np.newaxis], self._weight[:, np.newaxis]
        for _ in range(CHORDS):
            missed = points - expit(self._design @ fits)
            forces = weight * missed
            forces[gone, fold] -= each * missed[gone, fold]
            steps = self._inverse @ (self._design.T @ forces - penalty * fits)
            fits += steps
            near = np.abs(steps).max(axis=0) <= NEAR
            if near.all():
                break
        for unsettled in np.flatnonzero(~near):
            left, mine = self._weight.copy(), fold == unsettled
            left[gone[mine]] -= each[mine]
            fits[:, unsettled] = self._newton(left, self._full)[0]
        return self._strengths(fits.T)

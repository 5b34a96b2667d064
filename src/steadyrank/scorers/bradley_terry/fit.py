"""Bradley-Terry maximum likelihood on win counts, by Newton's method.

``wins[i, j]`` is how often i beat j, a tie being half a win each way. The negative log
likelihood is convex, and along a direction v its third derivative is at most the range
``max v - min v`` times its second. Hence a Newton step of range R decreases it for certain if
shortened to ``log(1 + R) / R``, and also unshortened where R is at most 1.5: no line search is
needed, and the last steps are full ones, so convergence is quadratic.

Fits without units go on from the full fit with one matrix for all of them (:class:`Chords`): each step
takes the gradient without the unit, over the pairs that have battles alone, times the inverse
Hessian of the full fit. As long as a unit is a small part of the data that converges, by the same factor
each time. The Hessian of the fold is at least ``(1 - q) e^-y`` of the full one, where q is the sum of
the resistances of the pairs of the unit, weighted with the information taken away, and y the most that a
pair has moved; so the error is at most a step over that. Folds that do not get there are handed back.

*With covariates*, fitted together with the strengths (:class:`ContextFit`), the left item wins with the
log odds ``s_left - s_right + x.c``, where x are the covariates of the battle and c their coefficients;
the scores are the s alone, the log odds where covariates are 0. The ridge is on s, and none is on c, so
that units in which covariates are measured change nothing. Newton's method as above, with R the most
that a step moves the log odds of a battle. Fits without units go on from the full one with its
Hessian for all of them, and one by one with their own where that does not settle soon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.data.battles import Battles
from steadyrank.errors import RIDGE, SteadyrankError
from steadyrank.sums.blocks import slices

if TYPE_CHECKING:
    from steadyrank.scorers.bradley_terry.curves import Curves
    from steadyrank.scorers.bradley_terry.scorer import Removals

FULL_STEP_RANGE = 1.5
SETTLED = 1e-12
"""How large the step after the last would be at most."""
STEPS, CHORD_STEPS = 1000, 80
STEEPEST = 700.0
"""Beyond this difference of scores the exponential would overflow; the odds are 1 : 10^304."""
CHUNK_NUMBERS = 1_000_000
CONTEXT_NUMBERS, CONTEXT_CHORDS, NEAR, CONTEXT_SETTLED = 4_000_000, 20, 1e-12, 1e-8
FLATTEST = 1e12
"""Beyond this condition number coefficients have no digits to rely on."""


def strengths(wins: FloatArray, ridge: float = 0.0, start: FloatArray | None = None) -> FloatArray:
    """Return the Bradley-Terry scores, natural log odds with mean 0.

    Parameters
    ----------
    wins : float array (L, L) or (m, L, L)
        Win counts, for one dataset or for many. Without a ridge every pair of items must be
        joined by a chain of wins in both directions; this is not checked here.
    ridge : float
        Adds ``ridge / 2 * ||scores||^2`` to the negative log likelihood.
    start : float array (L,) or (m, L), optional
        Where Newton's method starts.

    Examples
    --------
    >>> strengths(np.array([[0.0, 3.0], [1.0, 0.0]])).round(4)  # odds 3 : 1, so log(3) apart
    array([ 0.5493, -0.5493])
    """
    batch = wins[np.newaxis] if wins.ndim == 2 else wins
    scores = np.zeros(batch.shape[:2])
    if start is not None:
        scores += start
    for part in slices(len(scores), CHUNK_NUMBERS, batch.shape[1] ** 2):
        scores[part] = _newton(batch[part], ridge, scores[part])
    return scores[0] if wins.ndim == 2 else scores


def _newton(wins: FloatArray, ridge: float, scores: FloatArray) -> FloatArray:
    active, before = np.arange(len(wins)), np.ones(len(wins))
    for _ in range(STEPS):
        steps = _newton_steps(wins, ridge, scores[active])
        ranges = steps.max(axis=1) - steps.min(axis=1)
        long = ranges > FULL_STEP_RANGE
        if long.any():
            steps[long] *= (np.log1p(ranges[long]) / ranges[long])[:, np.newaxis]
        scores[active] += steps
        # Quadratic but for the rounding of the Hessian: the next step shrinks as this one did, at least.
        moving = ranges * np.minimum(ranges / before, 1.0) > SETTLED
        active, wins, before = active[moving], wins[moving], ranges[moving]
        if not len(active):
            return np.asarray(scores - scores.mean(axis=1, keepdims=True))
    raise _unsettled(f"Newton's method did not settle in {STEPS:,} steps")


def _unsettled(what: str) -> SteadyrankError:
    return SteadyrankError(
        f"{what}: the comparisons are so close to separable that the scores have no usable finite value",
        way_out=["Use a ridge, for example ", RIDGE, "."],
    )


def _newton_steps(wins: FloatArray, ridge: float, scores: FloatArray) -> FloatArray:
    upset = lost_odds(scores[:, :, np.newaxis] - scores[:, np.newaxis, :])
    surprise = wins * upset
    # Wins of the weaker count whole, less what was expected of them: no rounding when lopsided. And pair
    # by pair: what rounding takes from one item it gives to the other, so that no group drifts away, as
    # long as sums do not round, in which much may cancel and little be left for those outside.
    behind = upset > 0.5
    whole = np.where(behind, wins, 0.0)
    forces = np.where(behind, -wins * np.swapaxes(upset, 1, 2), surprise)
    leading, rest = in_two(forces - np.swapaxes(forces, 1, 2), scores.shape[1])
    wholly = (whole - np.swapaxes(whole, 1, 2)).sum(axis=2)
    gradient = wholly + leading.sum(axis=2) + rest.sum(axis=2)
    hessian = laplacian(surprise, upset)
    if ridge:
        gradient -= ridge * scores
        hessian = invertible(hessian, ridge)
    else:  # the item of which most is known stays where it is, and no row of little loses it to rounding
        known = np.einsum("fii->fi", hessian)
        known[np.arange(len(known)), known.argmax(axis=1)] *= 2.0
    try:
        return np.asarray(np.linalg.solve(hessian, gradient[:, :, np.newaxis])[:, :, 0])
    except np.linalg.LinAlgError:
        raise _unsettled("some battles are lost in rounding beside others") from None


def in_two(values: FloatArray, terms: int) -> tuple[FloatArray, FloatArray]:
    """Split numbers into leading digits, so few that sums of so many are exact, and what is left.

    Examples
    --------
    >>> large, small = in_two(np.array([1e16, 1.0, -1e16]), 3)
    >>> (large.sum() + small.sum()).item()
    1.0
    """
    beyond = 4.0 * terms * np.abs(values).max(initial=0.0)
    leading = (values + beyond) - beyond
    return leading, values - leading


def lost_odds(differences: FloatArray) -> FloatArray:
    """Return the probability ``1 / (1 + exp(d))`` that the one ahead by d loses."""
    return np.asarray(1.0 / (1.0 + np.exp(np.clip(differences, -STEEPEST, STEEPEST))))


def laplacian(surprise: FloatArray, upset: FloatArray) -> FloatArray:
    """Return the Hessian, without a ridge.

    ``surprise`` is wins times ``upset``; the information of a pair is the number of its
    battles times ``upset`` times ``upset`` transposed.
    """
    flow = surprise * np.swapaxes(upset, -1, -2)
    flow = flow + np.swapaxes(flow, -1, -2)
    hessian = -flow
    np.einsum("...ii->...i", hessian)[:] = flow.sum(axis=-1)
    return hessian


def invertible(hessian: FloatArray, ridge: float) -> FloatArray:
    """Return the Hessian with its ridge, and with a constant that does for what moves all scores alike.

    The constant matters to no step, since gradients sum to zero, only to the conditioning.
    """
    items = hessian.shape[-1]
    constant = np.trace(hessian, axis1=-2, axis2=-1) / items**2
    return np.asarray(hessian + constant[..., np.newaxis, np.newaxis] + ridge * np.eye(items))


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
        wins, own = wins[:, active], np.full(folds, -1)
        own[place] = pair
        own[np.unique(place[pair != own[place]])] = -1  # units of several pairs
        for _ in range(CHORD_STEPS):
            if not len(active):
                break
            now = scores[active]
            gaps = np.clip(now[:, self.first] - now[:, self.second], -STEEPEST, STEEPEST)
            odds = np.exp(gaps)
            force = (wins[0] - wins[1] * odds) / (1.0 + odds)
            steps = ((self._ends @ force.T).T - self._ridge * now) @ curves.inverse
            now += steps + self._of_own_pair(steps, own[active], wins, odds)
            scores[active] = now
            further = np.exp(np.ptp(now - curves.scores, axis=1)) / kept[active]
            done = np.ptp(steps, axis=1) * further <= curves.tolerance
            sound[active[done]] = True
            active, wins = active[~done], wins[:, ~done]
        return scores - scores.mean(axis=1, keepdims=True), sound

    def _of_own_pair(
        self, steps: FloatArray, own: IntArray, wins: FloatArray, odds: FloatArray
    ) -> FloatArray:
        """Return what Newton's steps have beyond those of the full fit where one pair has changed.

        A pair ``u = e_i - e_j`` has less information, by some d, so the Hessian is ``H - d u u'``,
        whose inverse has ``d G u u' G / (1 - d u' G u)`` beyond G.
        """
        row, pair = np.arange(len(own)), np.maximum(own, 0)
        i, j, now = self.first[pair], self.second[pair], odds[row, pair]
        information = wins.sum(axis=0)[row, pair] * now / (1.0 + now) ** 2
        less = np.where(own >= 0, self.curves.information[i, j] - information, 0.0)
        left = 1.0 - less * self.curves.resistance(i, j)
        factor = np.where(left > 0, less / left, 0.0) * (steps[row, i] - steps[row, j])
        return np.asarray(factor[:, np.newaxis] * (self.curves.inverse[i] - self.curves.inverse[j]))


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

        shares = data.shares
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
            if moved <= CONTEXT_SETTLED:
                return fit, hessian
        raise SteadyrankError(
            "the covariates have no single finite coefficients: items or other covariates determine "
            "them, or with the items they tell winners from losers nearly without fail",
            way_out="Leave some covariates out.",
        )

    def rows(self, units: slice) -> FloatArray:
        """Return the strengths without each of some units."""
        parts = slices(units.stop - units.start, CONTEXT_NUMBERS, len(self._weight))
        chosen = np.arange(units.start, units.stop)
        return np.concatenate([self._without(chosen[part]) for part in parts])

    def _without(self, units: IntArray) -> FloatArray:
        from scipy.special import expit

        gone = np.flatnonzero(np.isin(self._owner, units))
        fold, each = np.searchsorted(units, self._owner[gone]), self._each[gone]
        fits, penalty = np.tile(self._full[:, np.newaxis], len(units)), self._penalty[:, np.newaxis]
        points, weight = self._points[:, np.newaxis], self._weight[:, np.newaxis]
        for _ in range(CONTEXT_CHORDS):
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

"""Which ranks true scores may have, if the scores are estimates of them: arrays in, ranks out.

After Mogstad, Romano, Shaikh and Wilhelm (2023). The difference of each pair in question is taken in its
own standard deviations. A pair is decided where that is more than the quantile, over draws of the noise,
of the largest such number among the pairs; then again among those that are left, until none is decided
any more. An item ranks behind all that are decided to be above it, and before all that are decided to be
below. *Simultaneous* ranks ask for all pairs at once, so that all of them hold together; *marginal* ones
for the pairs of one item, so that the ranks of that item hold.

*Two-sided*, a question is whether two true scores are equal, and a pair that is decided is done with.
That no equal ones are told apart is then certain enough; that unequal ones are never put the wrong way
round is not proved of the later steps. *One-sided*, each pair is two questions, whether one is above the
other and whether the other is above it. When the first is decided, the second is still in question. Of
all questions whose answer is no, the first to be answered wrongly is answered while all of them are in
question, so by noise above their own quantile: that covers wrong ways round, too, and costs some width.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.engines.blocks import slices

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray, IntArray

BLOCK_NUMBERS = 1_000_000
"""How many numbers a block of pairs and draws holds (8 MB)."""

NEVER = 1e-12
"""A variance that is less than this part of those it is made of is rounding, and so is such a gap."""


@dataclass(frozen=True)
class Noise:
    """Scores, and what the noise in them is like.

    Parameters
    ----------
    scores : float array (items,)
        The estimates.
    covariance : float array (items, items)
        That of the noise in them.
    draws : float array (items, draws)
        Draws of the noise.

    Examples
    --------
    >>> draws = np.random.default_rng(0).standard_normal((3, 999))
    >>> Noise(np.array([0.0, 1.0, 9.0]), np.eye(3), draws).simultaneous(0.95)
    (array([2, 2, 1]), array([3, 3, 1]))
    """

    scores: FloatArray
    covariance: FloatArray
    draws: FloatArray

    def simultaneous(self, level: float, *, one_sided: bool = False) -> tuple[IntArray, IntArray]:
        """Return the best and the worst rank of each item: in large samples all hold together."""
        number = len(self.scores)
        one, other = np.triu_indices(number, 1)
        lead = self._lead(one, other, level, one_sided=one_sided)
        ahead, behind = np.where(lead > 0, (one, other), (other, one))[:, lead != 0]
        return 1 + np.bincount(behind, minlength=number), number - np.bincount(ahead, minlength=number)

    def marginal(self, level: float) -> tuple[IntArray, IntArray]:
        """Return the best and the worst rank of each item, which hold for each by itself."""
        number = len(self.scores)
        best, worst = np.empty((2, number), dtype=np.int64)
        for item in range(number):
            others = np.delete(np.arange(number), item)
            lead = self._lead(np.full(number - 1, item), others, level)
            best[item], worst[item] = 1 + (lead < 0).sum(), number - (lead > 0).sum()
        return best, worst

    def _lead(
        self, one: IntArray, other: IntArray, level: float, *, one_sided: bool = False
    ) -> FloatArray:
        """Return 1 for each pair in which one is decided to be above the other, -1 for below, else 0.

        A difference that never varies is known: it is decided unless it is 0.
        """
        gaps, own = self.scores[one] - self.scores[other], np.diag(self.covariance)
        both = own[one] + own[other]
        variances = both - 2 * self.covariance[one, other]
        varies = variances > NEVER * both
        decided = ~varies & (np.abs(gaps) > NEVER * np.abs(self.scores).max())
        errors, left = np.sqrt(np.where(varies, variances, 1.0)), np.flatnonzero(varies)
        over, against = varies, np.zeros(self.draws.shape[1])
        while over.any():
            largest = self._largest(one[left], other[left], errors[left])
            limit = upper_quantile(np.maximum(against, largest), level)
            over = np.abs(gaps[left]) > limit * errors[left]
            new, left = left[over], left[~over]
            decided[new] = True
            if one_sided:  # whether the one below is above is still in question
                turned = -np.sign(gaps[new]) * errors[new]
                np.maximum(
                    against, self._largest(one[new], other[new], turned, np.positive), out=against
                )
        return np.where(decided, np.sign(gaps), 0.0)

    def _largest(
        self, one: IntArray, other: IntArray, errors: FloatArray, size: np.ufunc = np.absolute
    ) -> FloatArray:
        """Return for each draw the largest difference of these pairs, in standard deviations, or 0."""
        largest = np.zeros(self.draws.shape[1])
        for part in slices(len(one), BLOCK_NUMBERS, len(largest)):
            moved = (self.draws[one[part]] - self.draws[other[part]]) / errors[part, np.newaxis]
            np.maximum(largest, size(moved, out=moved).max(axis=0), out=largest)
        return largest


def upper_quantile(draws: FloatArray, level: float) -> float:
    """Return what one more draw exceeds with a probability of at most 1 - level: one of the draws.

    Examples
    --------
    >>> upper_quantile(np.arange(1.0, 100.0), 0.95)
    95.0
    """
    place = min(len(draws), math.ceil(round(level * (len(draws) + 1), 9)))
    return float(np.partition(draws, place - 1)[place - 1])


def normal_draws(covariance: FloatArray, draws: int, seed: int) -> FloatArray:
    """Draw (draws, items) from the normal distribution with this covariance, which may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    # The one root that is itself symmetric: whoever finds the vectors, in any order, finds this.
    root: FloatArray = (vectors * np.sqrt(values.clip(0.0))) @ vectors.T
    return np.asarray(np.random.default_rng(seed).standard_normal((draws, len(root))) @ root)

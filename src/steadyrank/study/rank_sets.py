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

Noise that comes from drawn *units* is itself an estimate, and decides less, for two reasons. A
difference that never varies is no knowledge, as an error of 0 that was given is: units that were not
seen may differ, so the pair is undecided. And draws of n units have n - 1 directions, however many pairs
there are, and deviations that n units can only estimate: the quantile of the largest is too low, by far
with few units. So it is never taken to be less than what keeps the promise whatever the directions are:
Student's quantile for n units, with the probability shared out among the questions (Bonferroni, and step
by step Holm). For means of normal units that is exact for one question, and safe for all together.

Scores that *jump*, such as rounds of elimination or majorities, have no such limits: near a tie nearly
all draws may be the same, and a deviation is no measure. So the draws must agree, too. No larger share
of them than that probability may put the pair the other way round, or equal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.progress import counting
from steadyrank.sums.blocks import slices

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
    units : float, optional
        How many units of equal weight each draw drew; without it the covariance is known, as that of
        given errors is.

    Examples
    --------
    >>> draws = np.random.default_rng(0).standard_normal((3, 999))
    >>> Noise(np.array([0.0, 1.0, 9.0]), np.eye(3), draws).simultaneous(0.95)
    (array([2, 2, 1]), array([3, 3, 1]))
    """

    scores: FloatArray
    covariance: FloatArray
    draws: FloatArray
    units: float | None = None

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
        for item in counting(range(number), number, "items"):
            others = np.delete(np.arange(number), item)
            lead = self._lead(np.full(number - 1, item), others, level)
            best[item], worst[item] = 1 + (lead < 0).sum(), number - (lead > 0).sum()
        return best, worst

    def _lead(
        self, one: IntArray, other: IntArray, level: float, *, one_sided: bool = False
    ) -> FloatArray:
        """Return 1 for each pair in which one is decided to be above the other, -1 for below, else 0.

        A difference that never varies is decided if it is known, unless it is 0.
        """
        gaps, errors = self._differences(one, other)
        decided = (errors == 0) & (gaps != 0) & (self.units is None)
        left = np.flatnonzero(errors)
        over, against = errors > 0, np.zeros(self.draws.shape[1])
        contrary = np.zeros(len(one)) if self.units is None else self._contrary(one, other, gaps)
        while left.size and over.any():
            largest = self._largest(one[left], other[left], errors[left])
            limit, tail = upper_quantile(np.maximum(against, largest), level), 1.0
            if self.units is not None:
                in_question = 2 * len(one) - (1 if one_sided else 2) * np.count_nonzero(decided)
                tail = (1 - level) / in_question
                limit = max(limit, student(tail, self.units))
            over = (np.abs(gaps[left]) > limit * errors[left]) & (contrary[left] <= tail)
            new, left = left[over], left[~over]
            decided[new] = True
            if one_sided:  # whether the one below is above is still in question
                turned = -np.sign(gaps[new]) * errors[new]
                opposite = self._largest(one[new], other[new], turned, np.positive)
                against = np.maximum(against, opposite)
        return np.where(decided, np.sign(gaps), 0.0)

    def unvaried(self) -> int:
        """Return how many pairs of different scores have a difference that never varies."""
        gaps, errors = self._differences(*np.triu_indices(len(self.scores), 1))
        return int(np.count_nonzero((errors == 0) & (gaps != 0)))

    def _differences(self, one: IntArray, other: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the difference of each pair, and its standard deviation: 0 if it never varies."""
        gaps, sizes = self.scores[one] - self.scores[other], np.abs(self.scores)
        both = self.covariance[one, one] + self.covariance[other, other]
        variances = both - 2 * self.covariance[one, other]
        # Scores of drawn units are sums: in another order they are rounded otherwise, and do not vary.
        rounding = 0.0 if self.units is None else NEVER * np.maximum(sizes[one], sizes[other])
        varies = variances > np.maximum(NEVER * both, rounding**2)
        gaps[~varies & (np.abs(gaps) <= NEVER * sizes.max())] = 0.0
        return gaps, np.sqrt(np.where(varies, variances, 0.0))

    def _contrary(self, one: IntArray, other: IntArray, gaps: FloatArray) -> FloatArray:
        """Return which share of the draws puts each pair the other way round, or equal."""
        shares = np.zeros(len(one))
        for part in slices(len(one), BLOCK_NUMBERS, self.draws.shape[1]):
            moved = (self.draws[other[part]] - self.draws[one[part]]).T * np.sign(gaps[part])
            shares[part] = (moved >= (1 - NEVER) * np.abs(gaps[part])).mean(axis=0)
        return shares

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


def student(tail: float, units: float) -> float:
    """Return what a mean of normal units exceeds with this probability, in deviations of its draws.

    Draws of n units deviate by less than their mean does, by the root of n - 1 over n.

    Examples
    --------
    >>> round(student(0.025, 10), 3), round(student(0.025, 10**9), 3)
    (2.385, 1.96)
    """
    from scipy.special import stdtrit  # loads longer than a small file takes

    return float(-stdtrit(units - 1, tail)) * math.sqrt(units / (units - 1))


def normal_draws(covariance: FloatArray, draws: int, seed: int) -> FloatArray:
    """Draw (draws, items) from the normal distribution with this covariance, which may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    # The one root that is itself symmetric: whoever finds the vectors, in any order, finds this.
    root: FloatArray = (vectors * np.sqrt(values.clip(0.0))) @ vectors.T
    return np.asarray(np.random.default_rng(seed).standard_normal((draws, len(root))) @ root)

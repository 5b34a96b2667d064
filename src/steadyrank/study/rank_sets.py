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

A score hangs on the units that say something of its item: a film with five ratings has five, however
many users there are. So Student's quantile of a pair is that of the item with fewer of them.

Draws on which a scorer has no answer are *silent*: each counts as one in which every pair may be the
other way round, by any distance. So they leave more open; to pass over them would bias the rest.

Scores that *jump*, such as rounds of elimination or majorities, have no such limits: near a tie nearly
all draws may be the same, and a deviation is no measure. So the draws must agree, too. No larger share
of them than that probability may put the pair the other way round, or equal.

*How large differences are found among many pairs.* A quantile matters only beyond Student's, so only
draws that move a pair by more than some floor are looked for. Write s for the deviation of an item's
draws and z for a draw in these, after the mean over all items, which changes no difference, is taken
away. A pair moves by at most ``sqrt(s_i^2 + s_j^2) sqrt(z_i^2 + z_j^2)``. So where its deviation is at
least ``sqrt(kept (s_i^2 + s_j^2))``, it moves by more than the floor only if ``z_i^2 + z_j^2 > kept
floor^2``, and in a draw whose z are sorted such pairs stand together. The few pairs that deviate by less
are looked at one by one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steadyrank.progress import counting
from steadyrank.sums.blocks import slices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import FloatArray, IntArray

    Pairs = tuple[IntArray, IntArray, FloatArray]
    """Pairs of items, and how much their differences deviate."""

BLOCK_NUMBERS = 1_000_000
"""How many numbers a block of pairs and draws holds (8 MB)."""

FEW_NUMBERS = 50_000_000
"""Up to so many numbers of pairs and draws are looked at one by one."""
CLOSE = 0.002
"""The share of pairs that may deviate by less than the others."""

NEVER = 1e-12
"""A variance that is less than this part of those it is made of is rounding, and so is such a gap."""


class Peaks(NamedTuple):
    """Draws that move a pair by more than ``floor`` deviations: the pair, the draw, and by how many."""

    floor: float
    pair: IntArray
    draw: IntArray
    moved: FloatArray


@dataclass(frozen=True, eq=False)
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
    units : float array (items,), optional
        How many units of equal weight tell each score; without it the covariance is known, as that of
        given errors is.
    silent : int
        How many more draws there were, on which there are no scores.

    Examples
    --------
    >>> draws = np.random.default_rng(0).standard_normal((3, 999))
    >>> Noise(np.array([0.0, 1.0, 9.0]), np.eye(3), draws).simultaneous(0.95)
    (array([2, 2, 1]), array([3, 3, 1]))
    """

    scores: FloatArray
    covariance: FloatArray
    draws: FloatArray
    units: FloatArray | None = None
    silent: int = 0
    few_numbers: int = FEW_NUMBERS
    _known: dict[float, Peaks] = field(default_factory=dict, init=False)

    def simultaneous(self, level: float, *, one_sided: bool = False) -> tuple[IntArray, IntArray]:
        """Return the best and the worst rank of each item: in large samples all hold together."""
        number = len(self.scores)
        one, other = np.triu_indices(number, 1)
        lead = self._lead(one, other, level, self._peaks(level), one_sided=one_sided)
        ahead, behind = np.where(lead > 0, (one, other), (other, one))[:, lead != 0]
        return 1 + np.bincount(behind, minlength=number), number - np.bincount(ahead, minlength=number)

    def marginal(self, level: float) -> tuple[IntArray, IntArray]:
        """Return the best and the worst rank of each item, which hold for each by itself."""
        number = len(self.scores)
        best, worst = np.empty((2, number), dtype=np.int64)
        floor, pair, draw, moved = self._peaks(level)
        first, second = (side[pair] for side in np.triu_indices(number, 1))
        item, opponent = np.concatenate([first, second]), np.concatenate([second, first])
        draw, moved = np.tile(draw, 2), np.concatenate([moved, -moved])
        order = np.argsort(item, kind="stable")
        ends = np.searchsorted(item[order], np.arange(number + 1))
        for own in counting(range(number), number, "items"):
            mine, others = order[ends[own] : ends[own + 1]], np.delete(np.arange(number), own)
            place = opponent[mine] - (opponent[mine] > own)
            peaks = Peaks(floor, place, draw[mine], moved[mine])
            lead = self._lead(np.full(number - 1, own), others, level, peaks)
            best[own], worst[own] = 1 + (lead < 0).sum(), number - (lead > 0).sum()
        return best, worst

    def _lead(
        self, one: IntArray, other: IntArray, level: float, peaks: Peaks, *, one_sided: bool = False
    ) -> FloatArray:
        """Return 1 for each pair in which one is decided to be above the other, -1 for below, else 0.

        A difference that never varies is decided if it is known, unless it is 0.
        """
        gaps, errors = self._differences(one, other)
        decided = (errors == 0) & (gaps != 0) & (self.units is None)
        # In which direction a pair is in question: 0 for both, NaN for none.
        asked, over = np.where(errors > 0, 0.0, np.nan), errors > 0
        while over.any() and (left := np.flatnonzero(asked == 0)).size:
            in_question = 2 * len(one) - (1 if one_sided else 2) * np.count_nonzero(decided)
            tail, needed = (1 - level) / in_question, np.zeros(1)
            if self.units is not None:
                needed = self._student(tail, one[left], other[left])
            limit = self._limit((one, other, errors), asked, level, peaks, float(needed.min()))
            over = np.abs(gaps[left]) > np.maximum(limit, needed) * errors[left]
            if self.units is not None:
                over[over] = self._contrary((one, other, errors), gaps, left[over], peaks) <= tail
            new = left[over]
            decided[new] = True
            # One-sided, whether the one below is above is still in question.
            asked[new] = -np.sign(gaps[new]) if one_sided else np.nan
        return np.where(decided, np.sign(gaps), 0.0)

    @cached_property
    def _variances(self) -> FloatArray:
        return np.diag(self.covariance).copy()

    @cached_property
    def _numbers_of_units(self) -> tuple[FloatArray, IntArray]:
        """The numbers of units that items have, in order, and which of them each has."""
        numbers, which = np.unique(np.asarray(self.units), return_inverse=True)
        return numbers, which

    def _student(self, tail: float, one: IntArray, other: IntArray) -> FloatArray:
        """Return what the difference of each pair must exceed, by the item that fewer units tell."""
        numbers, which = self._numbers_of_units
        found = student(tail, numbers)
        return found if len(found) == 1 else found[np.minimum(which[one], which[other])]

    def _limit(
        self, pairs: Pairs, asked: FloatArray, level: float, peaks: Peaks, enough: float
    ) -> float:
        """Return the quantile of the largest difference in question; less, where ``enough`` is more."""
        largest = np.zeros(self.draws.shape[1])
        np.fmax.at(largest, peaks.draw, one_way(peaks.moved, asked[peaks.pair]))
        found = upper_quantile(largest, level, self.silent)
        if found > peaks.floor or enough >= peaks.floor:
            return found
        for some in self._parts(np.flatnonzero(~np.isnan(asked))):
            moved = one_way(self._moved(pairs, some), asked[some, np.newaxis])
            np.maximum(largest, moved.max(axis=0), out=largest)
        return upper_quantile(largest, level, self.silent)

    def _contrary(self, pairs: Pairs, gaps: FloatArray, chosen: IntArray, peaks: Peaks) -> FloatArray:
        """Return which share of the draws puts some pairs the other way round, or equal."""
        ways, far = -np.sign(gaps), (1 - NEVER) * np.abs(gaps) / np.where(pairs[2] > 0, pairs[2], np.inf)
        if len(chosen) and far[chosen].min() > peaks.floor:
            turned = peaks.moved * ways[peaks.pair] >= far[peaks.pair]
            times = np.bincount(peaks.pair[turned], minlength=len(gaps))[chosen]
        else:
            times = np.zeros(len(gaps), dtype=np.int64)
            for some in self._parts(chosen):
                moved = self._moved(pairs, some) * ways[some, np.newaxis]
                times[some] = (moved >= far[some, np.newaxis]).sum(axis=1)
            times = times[chosen]
        return np.asarray((times + self.silent) / (self.draws.shape[1] + self.silent))

    def _moved(self, pairs: Pairs, some: IntArray) -> FloatArray:
        """Return by how many deviations each draw moves some of the pairs."""
        one, other, errors = (part[some] for part in pairs)
        return np.asarray((self.draws[one] - self.draws[other]) / errors[:, np.newaxis])

    def _parts(self, chosen: IntArray) -> Iterator[IntArray]:
        return (chosen[part] for part in slices(len(chosen), BLOCK_NUMBERS, self.draws.shape[1]))

    def _peaks(self, level: float) -> Peaks:
        """Return the draws that move any pair by more than those of one item are decided by, if many."""
        nothing = np.empty(0, dtype=np.int64)
        if len(self.scores) ** 2 * self.draws.shape[1] <= self.few_numbers:
            return Peaks(math.inf, nothing, nothing, np.empty(0))
        # A little less: pairs that are decided leave fewer in question, and quantiles may be smaller.
        units = np.inf if self.units is None else self.units.max()
        floor = (0.85 if self.units is None else 1.0) * float(
            student(4 * (1 - level) / len(self.scores), units)
        )
        if floor not in self._known:
            self._known[floor] = self._beyond(floor)
        return self._known[floor]

    def _beyond(self, floor: float) -> Peaks:
        number = len(self.scores)
        pairs = (*np.triu_indices(number, 1), np.empty(0))
        one, other = pairs[:2]
        errors = self._differences(one, other)[1]
        pairs, found = (one, other, errors), []
        centred = self.draws - self.draws.mean(axis=0)
        sizes = centred.std(axis=1)
        sizes = np.maximum(sizes, 1e-9 * sizes.max())
        share = np.where(errors > 0, errors**2 / (sizes[one] ** 2 + sizes[other] ** 2), np.inf)
        kept = float(np.partition(share, int(CLOSE * len(share)))[int(CLOSE * len(share))])
        for some in self._parts(np.flatnonzero(share < kept)):
            moved = self._moved(pairs, some)
            place, draw = np.nonzero(np.abs(moved) > floor)
            found.append((some[place], draw, moved[place, draw]))
        squares = (centred / sizes[:, np.newaxis]).T ** 2
        for which, row in enumerate(squares):
            order = np.argsort(-row)
            ranked = row[order]
            high = np.flatnonzero(ranked > kept * floor**2 / 2)
            ends = np.searchsorted(-ranked, ranked[high] - kept * floor**2)
            times = np.maximum(ends - high - 1, 0)
            first = np.repeat(high, times)
            second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(times) - times, times)
            low, top = np.sort([order[first], order[second]], axis=0)
            pair = low * (2 * number - low - 1) // 2 + top - low - 1  # its place among all of them
            pair, low, top = (
                part[(share[pair] >= kept) & (errors[pair] > 0)] for part in (pair, low, top)
            )
            moved = (self.draws[low, which] - self.draws[top, which]) / errors[pair]
            far = np.abs(moved) > floor
            found.append((pair[far], np.full(int(far.sum()), which), moved[far]))
        return Peaks(floor, *(np.concatenate(column) for column in zip(*found, strict=True)))

    def unvaried(self) -> int:
        """Return how many pairs of different scores have a difference that never varies."""
        gaps, errors = self._differences(*np.triu_indices(len(self.scores), 1))
        return int(np.count_nonzero((errors == 0) & (gaps != 0)))

    def _differences(self, one: IntArray, other: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the difference of each pair, and its standard deviation: 0 if it never varies."""
        gaps, sizes, own = self.scores[one] - self.scores[other], np.abs(self.scores), self._variances
        both = own[one] + own[other]
        variances = both - 2 * self.covariance[one, other]
        # Scores of drawn units are sums: in another order they are rounded otherwise, and do not vary.
        rounding = 0.0 if self.units is None else NEVER * np.maximum(sizes[one], sizes[other])
        varies = variances > np.maximum(NEVER * both, rounding**2)
        gaps[~varies & (np.abs(gaps) <= NEVER * sizes.max())] = 0.0
        return gaps, np.sqrt(np.where(varies, variances, 0.0))


def one_way(moved: FloatArray, asked: FloatArray) -> FloatArray:
    """Return how far moves go in the direction that is asked for: 0 for both, NaN for none."""
    return np.where(asked == 0, np.abs(moved), asked * moved)


def upper_quantile(draws: FloatArray, level: float, silent: int = 0) -> float:
    """Return what one more draw exceeds with a probability of at most 1 - level: one of the draws.

    As many more draws as are ``silent`` are beyond all others.

    Examples
    --------
    >>> upper_quantile(np.arange(1.0, 100.0), 0.95), upper_quantile(np.arange(1.0, 96.0), 0.95, silent=4)
    (95.0, 95.0)
    """
    number = len(draws) + silent
    place = min(number, math.ceil(round(level * (number + 1), 9)))
    return float(np.partition(draws, place - 1)[place - 1]) if place <= len(draws) else math.inf


def student(tail: float, units: Any) -> FloatArray:
    """Return what a mean of normal units exceeds with this probability, in deviations of its draws.

    Draws of n units deviate by less than their mean does, by the root of n - 1 over n. One unit tells
    nothing.

    Examples
    --------
    >>> student(0.025, np.array([1, 10, 10**9])).round(3)
    array([  inf, 2.385, 1.96 ])
    """
    from scipy.special import stdtrit  # loads longer than a small file takes

    units = np.asarray(units, dtype=np.float64)
    more = np.maximum(units, 1.5)
    found = -stdtrit(more - 1, tail) * np.sqrt(1 / (1 - 1 / more))
    return np.where(units > 1, found, np.inf)


def normal_draws(covariance: FloatArray, draws: int, seed: int) -> FloatArray:
    """Draw (draws, items) from the normal distribution with this covariance, which may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    # The one root that is itself symmetric: whoever finds the vectors, in any order, finds this.
    root: FloatArray = (vectors * np.sqrt(values.clip(0.0))) @ vectors.T
    return np.asarray(np.random.default_rng(seed).standard_normal((draws, len(root))) @ root)

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
difference that never varies is no knowledge: units that were not seen may differ, so the pair is
undecided. And draws of n units have n - 1 directions, however many pairs
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
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steadyrank.progress import counting
from steadyrank.sums.blocks import slices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import AnyArray, FloatArray, IntArray

BLOCK_NUMBERS = 1_000_000
"""How many numbers a block of pairs and draws holds (8 MB)."""

FEW_NUMBERS = 50_000_000
"""Up to so many numbers of pairs and draws are looked at one by one."""
CLOSE = 0.002
"""The share of pairs that may deviate by less than the others."""

BOTH = 2
"""What says that a pair is in question in both directions."""

NEVER = 1e-12
"""A variance that is less than this part of those it is made of is rounding, and so is such a gap."""


class Pairs(NamedTuple):
    """Pairs of items, the gaps between their scores, and how much these deviate."""

    one: AnyArray
    other: AnyArray
    gaps: FloatArray
    errors: FloatArray


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
    units : float array (items,)
        How many units of equal weight tell each score.
    silent : int
        How many more draws there were, on which there are no scores.

    Examples
    --------
    >>> draws = np.random.default_rng(0).standard_normal((3, 999))
    >>> Noise(np.array([0.0, 1.0, 9.0]), np.eye(3), draws, np.full(3, 99.0)).simultaneous(0.95)
    (array([2, 2, 1]), array([3, 3, 1]))
    """

    scores: FloatArray
    covariance: FloatArray
    draws: FloatArray
    units: FloatArray
    silent: int = 0
    few_numbers: int = FEW_NUMBERS
    _known: dict[float, Peaks] = field(default_factory=dict, init=False)
    _quantiles: dict[float, FloatArray] = field(default_factory=dict, init=False)

    def simultaneous(
        self, level: float, *, one_sided: bool = False
    ) -> tuple[IntArray, IntArray]:
        """Return the best and the worst rank of each item: in large samples all hold together."""
        number, pairs = len(self.scores), self._every
        lead = self._lead(
            pairs, len(pairs.gaps), level, self._peaks(level), one_sided=one_sided
        )
        ahead, behind = np.zeros((2, number), dtype=np.int64)
        for own, start, end in self._spans():
            above, below = lead[start:end] > 0, lead[start:end] < 0
            ahead[own] += np.count_nonzero(above)
            behind[own] += np.count_nonzero(below)
            ahead[own + 1 :] += below
            behind[own + 1 :] += above
        return 1 + behind, number - ahead

    def marginal(self, level: float) -> tuple[IntArray, IntArray]:
        """Return the best and the worst rank of each item, which hold for each by itself."""
        number = len(self.scores)
        best, worst = np.empty((2, number), dtype=np.int64)
        floor, pair, draw, moved = self._peaks(level)
        first, second = self._every.one[pair], self._every.other[pair]
        item, opponent = (
            np.concatenate([first, second]),
            np.concatenate([second, first]),
        )
        # Short numbers are sorted by counting.
        order = np.argsort(item.astype(np.min_scalar_type(number)), kind="stable")
        opponent, draw, moved = (
            opponent[order],
            np.tile(draw, 2)[order],
            np.append(moved, -moved)[order],
        )
        ends = np.searchsorted(item[order], np.arange(number + 1))
        for own in counting(range(number), number, "items"):
            mine = slice(ends[own], ends[own + 1])
            peaks = Peaks(floor, opponent[mine], draw[mine], moved[mine])
            # With itself an item is no pair: neither gap nor deviation.
            lead = self._lead(
                self._row(own, slice(0, number)), number - 1, level, peaks
            )
            best[own], worst[own] = 1 + (lead < 0).sum(), number - (lead > 0).sum()
        return best, worst

    @np.errstate(
        invalid="ignore"
    )  # what never varies is not compared with what is never exceeded
    def _lead(
        self,
        pairs: Pairs,
        number: int,
        level: float,
        peaks: Peaks,
        *,
        one_sided: bool = False,
    ) -> AnyArray:
        """Return 1 for each pair in which one is decided to be above the other, -1 for below, else 0."""
        gaps, errors, left = pairs.gaps, pairs.errors, pairs.errors > 0
        decided, sizes = np.zeros_like(left), np.abs(gaps)
        asked = left * np.int8(BOTH)
        which = self._fewer_units(pairs)
        while left.any():
            in_question = 2 * number - (1 if one_sided else 2) * np.count_nonzero(
                decided
            )
            tail = (1 - level) / in_question
            needed = self._student(tail)
            least = needed if len(needed) == 1 else needed[which]
            new = np.flatnonzero(left & (sizes > least * errors))
            new = new[self._contrary(pairs, new, peaks) <= tail]
            if len(new):
                far = float((sizes[new] / errors[new]).max())
                limit = self._limit(
                    pairs, asked, level, peaks, float(needed.min()), far
                )
                new = new[sizes[new] > limit * errors[new]]
            if not len(new):
                break
            decided[new], left[new] = True, False
            # One-sided, whether the one below is above is still in question.
            asked[new] = -np.sign(gaps[new]) if one_sided else 0
        return np.asarray(
            (gaps > 0).view(np.int8) * decided - (gaps < 0).view(np.int8) * decided
        )

    @cached_property
    def _variances(self) -> FloatArray:
        return np.diag(self.covariance).copy()

    @cached_property
    def _numbers_of_units(self) -> tuple[FloatArray, IntArray]:
        """The numbers of units that items have, in order, and which of them each has."""
        numbers, which = np.unique(np.asarray(self.units), return_inverse=True)
        return numbers, which

    def _student(self, tail: float) -> FloatArray:
        """Return Student's quantile for each of these numbers: many items ask for the same."""
        if tail not in self._quantiles:
            self._quantiles[tail] = student(tail, self._numbers_of_units[0])
        return self._quantiles[tail]

    def _fewer_units(self, pairs: Pairs) -> IntArray:
        """Return which of these numbers the item has, of each pair, that fewer units tell."""
        numbers, which = self._numbers_of_units
        return (
            which
            if len(numbers) == 1
            else np.minimum(which[pairs.one], which[pairs.other])
        )

    def _limit(
        self,
        pairs: Pairs,
        asked: AnyArray,
        level: float,
        peaks: Peaks,
        enough: float,
        far: float,
    ) -> float:
        """Return the quantile of the largest difference in question, or less where it is not enough.

        It may be more where a pair is ``far`` beyond it: what that one leaves open is asked again.
        """
        largest, floor = np.zeros(self.draws.shape[1]), max(peaks.floor, enough)
        some = np.flatnonzero(np.abs(peaks.moved) > floor)
        np.maximum.at(
            largest,
            peaks.draw[some],
            one_way(peaks.moved[some], asked[peaks.pair[some]]),
        )
        above = largest[largest > floor]
        found = upper_quantile(above, level, self.silent, len(largest) - len(above))
        if found > floor or enough >= peaks.floor:
            return found
        if far > floor * (1 + NEVER):
            return floor
        chosen = np.flatnonzero(asked)
        for part in self._slices(len(chosen)):
            some = chosen[part]
            moved = one_way(self._moved(pairs, some), asked[some, np.newaxis])
            np.maximum(largest, moved.max(axis=0), out=largest)
        return upper_quantile(largest, level, self.silent)

    def _contrary(self, pairs: Pairs, chosen: IntArray, peaks: Peaks) -> FloatArray:
        """Return which share of the draws puts some pairs, which all vary, the other way, or equal."""
        gaps = pairs.gaps[chosen]
        far, way = (1 - NEVER) * np.abs(gaps) / pairs.errors[chosen], -np.sign(gaps)
        if len(chosen) and far.min() > peaks.floor:
            marked = np.zeros(len(pairs.gaps), dtype=np.bool_)
            marked[chosen] = True
            some = np.flatnonzero(marked[peaks.pair])
            place = np.searchsorted(chosen, peaks.pair[some])
            turned = peaks.moved[some] * way[place] >= far[place]
            times = np.bincount(place[turned], minlength=len(chosen))
        else:
            times = np.zeros(len(chosen), dtype=np.int64)
            for part in self._slices(len(chosen)):
                moved = self._moved(pairs, chosen[part]) * way[part, np.newaxis]
                times[part] = (moved >= far[part, np.newaxis]).sum(axis=1)
        return np.asarray((times + self.silent) / (self.draws.shape[1] + self.silent))

    def _moved(self, pairs: Pairs, some: IntArray) -> FloatArray:
        """Return by how many deviations each draw moves some of the pairs."""
        moved = self.draws[pairs.one[some]]
        moved -= self.draws[pairs.other[some]]
        moved /= pairs.errors[some, np.newaxis]
        return moved

    def _slices(self, number: int) -> Iterator[slice]:
        return slices(number, BLOCK_NUMBERS, self.draws.shape[1])

    def _peaks(self, level: float) -> Peaks:
        """Return the draws that move any pair by more than those of one item are decided by, if many."""
        nothing = np.empty(0, dtype=np.int64)
        if len(self.scores) ** 2 * self.draws.shape[1] <= self.few_numbers:
            return Peaks(math.inf, nothing, nothing, np.empty(0))
        # A little less: pairs that are decided leave fewer in question, and quantiles may be smaller.
        floor = float(student(4 * (1 - level) / len(self.scores), self.units.max()))
        if floor not in self._known:
            self._known[floor] = self._beyond(floor)
        return self._known[floor]

    @np.errstate(invalid="ignore")  # likewise
    def _beyond(self, floor: float) -> Peaks:
        pairs, number, found = self._every, len(self.scores), []
        centred = self.draws - self.draws.mean(axis=0)
        sizes = centred.std(axis=1)
        sizes = np.maximum(sizes, 1e-9 * sizes.max())
        share, squares = np.full(len(pairs.errors), np.inf), sizes**2
        for own, start, end in self._spans():
            np.divide(
                pairs.errors[start:end] ** 2,
                squares[own] + squares[own + 1 :],
                out=share[start:end],
                where=pairs.errors[start:end] > 0,
            )
        kept = float(
            np.partition(share, int(CLOSE * len(share)))[int(CLOSE * len(share))]
        )
        close = np.flatnonzero(share < kept)
        for part in self._slices(len(close)):
            some = close[part]
            moved = self._moved(pairs, some)
            place, draw = np.nonzero(np.abs(moved) > floor)
            found.append((some[place], draw, moved[place, draw]))
        alone, least = self._variances, floor**2 * (1 - 1e-6)
        high = (centred**2 > (kept * least / 2) * squares[:, np.newaxis]).T.copy()
        for which, draw in enumerate(np.ascontiguousarray(self.draws.T)):
            for part in slices(
                len(some := np.flatnonzero(high[which])), BLOCK_NUMBERS, number
            ):
                one = some[part]
                variances = self.covariance[one] * -2
                variances += alone
                variances += alone[one, np.newaxis]
                variances *= least
                place, other = np.nonzero(
                    (draw[one, np.newaxis] - draw) ** 2 > variances
                )
                once = (one[place] < other) | ~high[
                    which, other
                ]  # both may be high, and see each other
                first, second = one[place[once]], other[once]
                low, top = np.minimum(first, second), np.maximum(first, second)
                pair = (
                    low * (2 * number - low - 1) // 2 + top - low - 1
                )  # its place among all of them
                known = (share[pair] >= kept) & (share[pair] < np.inf)
                pair, low, top = pair[known], low[known], top[known]
                moved = (draw[low] - draw[top]) / pairs.errors[pair]
                far = np.abs(moved) > floor
                found.append(
                    (pair[far], np.full(np.count_nonzero(far), which), moved[far])
                )
        return Peaks(
            floor, *(np.concatenate(column) for column in zip(*found, strict=True))
        )

    def unvaried(self) -> bool:
        """Tell whether some pair of different scores has a difference that never varies."""
        _, _, gaps, errors = self._every
        return bool(((errors == 0) & (gaps != 0)).any())

    def _spans(self) -> Iterator[tuple[int, int, int]]:
        """Yield each item with the place of its pairs with later ones, among all pairs."""
        ends = np.cumsum(np.arange(len(self.scores) - 1, 0, -1)).tolist()
        return (
            (own, start, end) for own, (start, end) in enumerate(pairwise([0, *ends]))
        )

    @cached_property
    def _every(self) -> Pairs:
        """All pairs of items, row by row: what lies side by side is read side by side."""
        number = len(self.scores)
        one, other = np.empty((2, number * (number - 1) // 2), dtype=np.int32)
        gaps, errors = np.empty((2, len(one)))
        for own, start, end in self._spans():
            some = slice(start, end)
            one[some], other[some], gaps[some], errors[some] = self._row(
                own, slice(own + 1, number)
            )
        return Pairs(one, other, gaps, errors)

    def _row(self, one: int, others: slice) -> Pairs:
        """Return an item with others: the gaps, and how much they deviate, 0 if they never vary."""
        scores, own = self.scores, self._variances
        gaps, both = scores[one] - scores[others], own[one] + own[others]
        variances = both - 2 * self.covariance[one, others]
        # Scores of drawn units are sums: in another order they are rounded otherwise, and do not vary.
        sizes = np.abs(scores)
        rounding = NEVER * np.maximum(sizes[one], sizes[others])
        varies = variances > np.maximum(NEVER * both, rounding**2)
        gaps[~varies & (np.abs(gaps) <= NEVER * sizes.max())] = 0.0
        errors = np.sqrt(np.where(varies, variances, 0.0))
        places = np.arange(len(scores))[others]
        return Pairs(np.full(len(places), one), places, gaps, errors)


def one_way(moved: FloatArray, asked: AnyArray) -> FloatArray:
    """Return how far moves go in the direction that is asked for: 1, -1 or both, or 0 for none."""
    return np.where(asked == BOTH, np.abs(moved), asked * moved)


def upper_quantile(
    draws: FloatArray, level: float, silent: int = 0, below: int = 0
) -> float:
    """Return what one more draw exceeds with a probability of at most 1 - level: one of the draws.

    As many more draws as are ``silent`` are beyond all others, and so many more ``below`` them all: 0
    where it is one of these.

    Examples
    --------
    >>> upper_quantile(np.arange(1.0, 100.0), 0.95), upper_quantile(np.arange(1.0, 96.0), 0.95, silent=4)
    (95.0, 95.0)
    """
    number = len(draws) + silent + below
    place = min(number, math.ceil(round(level * (number + 1), 9))) - below
    if not 1 <= place <= len(draws):
        return 0.0 if place < 1 else math.inf
    return float(np.partition(draws, place - 1)[place - 1])


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

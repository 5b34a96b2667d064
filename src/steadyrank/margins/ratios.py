r"""Margins of scores ``sum / (shrinkage + count)`` where items have different counts.

One removal set moves two ratios, each with a denominator of its own, so no single threshold settles who
passes whom. Two steps do.

*A bound for any units.* Let v be the scores, D the denominators, and let a unit take sums s and counts
c out of both. If j is ahead of i after a removal, then some t lies between the new scores of both, and
there ``S_j' - t D_j' >= 0 >= S_i' - t D_i'``. Divide by the old denominators and subtract:

    v_i - v_j <= sum over the units that left of  (t c_j - s_j) / D_j + (s_i - t c_i) / D_i.

For m units the right side is at most the sum of the m largest terms, a convex function of t: on the
interval that t can lie in it is largest at an end. So m units cannot suffice where both ends stay below
the gap.

*The exact number, where a unit has at most one value of an item.* Fix how many units leave that have a
value of j alone, of i alone, and of both: p, q and r. The denominators are then constants, and what
remains is linear: remove the p lowest of the first, the q highest of the second, and of the third the r
with the largest ``x_i D_j - x_j D_i``. Sorted prefix sums bound a triple at once, so that few of them
are looked at closely. That is done for a pair that somebody asks about, as far as the work is bounded;
a column of a table has the bound alone, for all items together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.margins.pairs import MANY, PairMargins, Removal, in_parts, last_true
from steadyrank.margins.sums import Given, top_sum, upto
from steadyrank.sums.exact import EXACT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.margins.pairs import Pairs
    from steadyrank.margins.sums import Ends, ItemGiven

WORK = 4_000_000
"""How many numbers are looked at for one pair before its exact number is given up for an interval."""

CALL = 1_000
"""How many numbers are looked at in the time that one look takes before it begins."""

SPLIT = "exact: every way to split the removals between the two"
BOUNDED = "certified by what so many units can do at most to the two scores; seen by an attack"
"""What numbers rest on."""

ROUNDING = 1e-11
"""More than what rounding of sums over units amounts to, relative to their size."""


class RatioMargins(PairMargins):
    """Margins of sums over counts.

    Parameters
    ----------
    given : ItemGiven
        What units give to items; many are fetched at once.
    ends : (float array, float array)
        The least and the largest value of each item.
    most_leaving : int array (items,)
        The most values of an item that leave with one unit.
    total : int
        The number of units.
    scale : float
        What makes sums of values whole.
    """

    def __init__(
        self,
        given: ItemGiven,
        ends: Ends,
        most_leaving: IntArray,
        total: int,
        scale: float,
    ) -> None:
        self._given, self._leaving, self.total = given, most_leaving, total
        self._chosen: dict[tuple[int, int], IntArray | None] = {}
        self._least, self._most = ends
        self.scores, prior = given.sums.scores * scale, given.sums.prior
        # What denominators have beyond the number of values.
        self._shrinkage = prior.weight / prior.share
        counts = np.asarray(given.sums.counts, dtype=np.float64)
        self.denominators = self._shrinkage + np.where(
            counts + self._shrinkage > 0, counts, 1.0
        )
        # An item that loses all it has falls below all others, where it has a score then.
        self._emptied = np.full(len(counts), MANY)
        if prior.empty is not None:
            few = np.ceil(counts / np.maximum(most_leaving, 1)).astype(np.int64)
            self._emptied = np.where(counts > 0, few, MANY)
        # Where a unit has several values of an item, or a weight, there is the bound alone.
        self.rule = SPLIT if most_leaving.max() <= 1 else BOUNDED

    def _quick(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Let the item behind lose its lowest value, and the one ahead its highest, again and again."""
        low = np.minimum(self._least[behind], self.scores[behind])
        high = np.maximum(self._most[ahead], self.scores[ahead])
        over, under = self.denominators[ahead], self.denominators[behind]
        total, sums = self.scores[ahead] * over, self.scores[behind] * under
        # The scores meet where a m^2 + b m + c = 0, with c < 0 now.
        a, b, c = (
            low - high,
            total + high * under - sums - low * over,
            sums * over - total * under,
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            root = -2 * c / (b + np.sqrt(np.maximum(b * b - 4 * a * c, 0.0)))
        meets = np.isfinite(root) & (root >= 0)
        leaving = np.maximum(self._leaving[ahead], self._leaving[behind])
        needed = (
            np.where(meets, np.ceil(root * (1 - ROUNDING)), np.minimum(over, under))
            // leaving
        )
        return np.asarray(np.clip(needed, 1, self.total), dtype=np.int64)

    def at_least(
        self,
        ahead: IntArray,
        behind: IntArray,
        *,
        most: int = MANY,
        closely: bool = False,
    ) -> IntArray:
        """Return the same, and more than ``most`` where so many units leave the scores apart."""
        found = super().at_least(ahead, behind, closely=closely)
        if most < self.total:
            apart = self._reach(ahead, most)[0] > self._reach(behind, most)[1]
            found[apart] = np.maximum(found[apart], most + 1)
        return np.asarray(np.minimum(found, self._emptied[ahead]))

    def _closely(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Return the bound for any units, so many pairs at once as there is room for."""
        return in_parts(self._bounded, ahead, behind, self.total)

    def _reach(
        self, items: IntArray, removals: IntArray | int
    ) -> tuple[FloatArray, FloatArray]:
        """Return scores that items do not fall below or rise above when so many units leave.

        Take the lowest values away, or the highest, until only the opposite ones can be left. Without t
        of n values, none below a or above b, a sum S is at most ``S - t a`` and ``(n - t) b``. Over
        ``D - t`` both are monotone, so that the smaller is largest at an end or where they meet.
        """
        below, number = (
            self.denominators[items],
            self.denominators[items] - self._shrinkage,
        )
        sums, ends = self.scores[items] * below, []
        gone = np.minimum(
            removals * self._leaving[items], number - (0 if self._shrinkage else 1)
        )
        least, largest = self._least[items], self._most[items]
        for sign, low, high in ((-1, -largest, -least), (1, least, largest)):
            with np.errstate(divide="ignore", invalid="ignore"):
                meets = np.nan_to_num((high * number - sign * sums) / (high - low))
            found = np.full(len(sums), -np.inf)
            for t in (np.zeros(len(sums)), np.clip(meets, 0, gone), gone):
                left = np.minimum(sign * sums - t * low, (number - t) * high)
                found = np.maximum(found, left / (below - t))
            ends.append(sign * found)
        slack = ROUNDING * (np.abs(ends[0]) + np.abs(ends[1]))
        return ends[0] - slack, ends[1] + slack

    def _bounded(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Return the bound for any units, for many pairs at once.

        A number of units is tried, the fewest that would do at the middle of the scores: whatever fewer
        are ruled out at both ends of the interval that t has for so many. Then one nearer to those.
        """
        items, places = np.unique([ahead, behind], return_inverse=True)
        sums, counts = np.zeros((2, self.total, len(items)))
        for column, given in enumerate(self._given.of(items.tolist())):
            sums[given.units, column] = given.sums / given.denominator
            counts[given.units, column] = given.counts / given.denominator
        i, j = places.reshape(2, -1)
        fixed, moving = sums[:, i] - sums[:, j], counts[:, j] - counts[:, i]
        gap, both = (
            self.scores[ahead] + sign * self.scores[behind] for sign in (-1, 1)
        )

        def fewest(t: FloatArray, slack: FloatArray | float) -> IntArray:
            effects = np.sort(-np.maximum(fixed + t * moving, 0.0), axis=0)
            enough = -np.cumsum(effects, axis=0) >= gap - slack
            return np.where(enough.any(axis=0), 1 + enough.argmax(axis=0), self.total)

        tried = fewest(both / 2, 0.0)
        found = np.ones(len(gap), dtype=np.int64)
        for _ in range(2):
            low, high = self._reach(ahead, tried)[0], self._reach(behind, tried)[1]
            slack = ROUNDING * (np.abs(low) + np.abs(high) + np.abs(gap) + np.abs(both))
            apart = low > high + slack
            held = np.minimum(fewest(low, slack), fewest(high, slack))
            found = np.maximum(
                found, np.where(apart, tried + 1, np.minimum(held, tried + 1))
            )
            tried = (tried + found) // 2
        return np.minimum(found, self.total)

    def fewest(self, pairs: Pairs, most: int = MANY) -> list[int]:
        """Return the exact numbers where a unit has one value of an item, as far as work is bounded."""
        ahead, behind = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        found: list[int] = self.at_least(ahead, behind, most=most).tolist()
        near = [place for place, number in enumerate(found) if number <= most]
        for place, pair in zip(
            near, self._given.each([pairs[place] for place in near]), strict=True
        ):
            found[place] = max(found[place], self._of_pair(*pair, most))
        return found

    def _of_pair(self, ahead: int, behind: int, most: int) -> int:
        """Return the number of one pair if it is not larger than ``most``, else a larger one."""
        one, other = self._given.of([ahead, behind])
        most = min(most, self.total - 1)
        meet = meeting(one, other, most) is not None
        if not meet and self._emptied[ahead] > most:
            return most + 1
        pair, units = _Pair(one, other, tie=behind < ahead), None
        lower = pair.bound(most) if meet else None
        if lower is not None and one.single and other.single:
            lower, units = pair.exact(lower, most)
        found = most + 1 if lower is None else lower
        if self._emptied[ahead] < MANY and pair.outlives and len(one.units) < found:
            found, units = len(one.units), one.units
        if found <= most:
            self._chosen[ahead, behind] = units
        return found

    def remove(self, ahead: int, behind: int) -> Removal:
        """Return the units of the exact answer, or those with the largest first-order effect."""
        if (ahead, behind) not in self._chosen:
            self.fewest([(ahead, behind)])
        pair = _Pair(*self._given.of([ahead, behind]), tie=behind < ahead)
        units, chosen = pair.by_effect(), self._chosen.get((ahead, behind))
        if chosen is not None:  # and more, where a tie within rounding did not turn
            units = np.concatenate(
                [chosen, np.setdiff1d(units, chosen, assume_unique=True)]
            )
        if self._emptied[ahead] < MANY:  # until nothing is left
            units = np.concatenate(
                [units, np.setdiff1d(pair.ahead.units, units, assume_unique=True)]
            )
        return Removal(self._given.distinct(units), np.ones(len(units), dtype=np.int64))


class _Pair:
    """Two items, and what each unit that has values of one of them gives to both.

    A ``tie`` is enough where the item behind has the smaller index.
    """

    def __init__(self, ahead: Given, behind: Given, *, tie: bool) -> None:
        self.ahead, self.behind, self.tie = ahead, behind, tie
        self.units = np.union1d(ahead.units, behind.units)
        self.sums, self.counts = (
            tuple(part) for part in np.zeros((2, 2, len(self.units)))
        )
        for side, given in enumerate((ahead, behind)):
            place = np.searchsorted(self.units, given.units)
            self.sums[side][place], self.counts[side][place] = given.sums, given.counts

    @property
    def outlives(self) -> bool:
        """Whether the item behind is above once the other one has lost all it had."""
        return self.tie or len(np.setdiff1d(self.behind.units, self.ahead.units)) > 0

    def effects(self, t: float) -> FloatArray:
        """Return the most that each unit can do for the item behind, at a meeting point t."""
        (s_i, s_j), (c_i, c_j) = self.sums, self.counts
        effects: FloatArray = (t * c_j - s_j) / self.behind.denominator
        effects += (s_i - t * c_i) / self.ahead.denominator
        return effects

    def by_effect(self) -> IntArray:
        """Return the units that help, at the present scores, the most helpful first."""
        effects = self.effects((self.ahead.score + self.behind.score) / 2)
        helpful = np.flatnonzero(effects > 0)
        return self.units[helpful[np.argsort(-effects[helpful], kind="stable")]]

    def bound(self, most: int) -> int | None:
        """Return the smallest number of units that the bound does not rule out, if up to ``most``."""
        most = min(most, len(self.units))
        return (
            1 + last_true(lambda m: not self._possible(m), most)
            if self._possible(most)
            else None
        )

    def _possible(self, m: int) -> bool:
        """Tell whether the bound allows m units to let both meet, at some t."""
        met = meeting(self.ahead, self.behind, m)
        if met is None:
            return False
        slack, low, high = met
        needed = self.ahead.score - self.behind.score - slack
        return any(top_sum(self.effects(t), m) >= needed for t in (low, high))

    def exact(self, lower: int, most: int) -> tuple[int | None, IntArray | None]:
        """Try every split of ever more units; return their number and the first that turns the pair."""
        splits, left = _Splits(self), WORK
        for m in range(lower, most + 1):
            some = False
            for split in splits.of(m):
                some, left = True, left - CALL - len(self.units)
                if left <= 0:
                    return m, None
                chosen = splits.turned(*split)
                if chosen is not None:
                    return m, self.units[chosen]
            if not some:
                break
        return None, None


class _Splits:
    """Units by which of the two items they have a value of, sorted, with prefix sums."""

    def __init__(self, pair: _Pair) -> None:
        (s_i, s_j), (c_i, c_j) = pair.sums, pair.counts
        self._pair = pair
        only_behind, only_ahead = np.flatnonzero(c_i == 0), np.flatnonzero(c_j == 0)
        self._both = np.flatnonzero((c_i > 0) & (c_j > 0))
        self._lowest = only_behind[np.argsort(s_j[only_behind], kind="stable")]
        self._highest = only_ahead[np.argsort(-s_i[only_ahead], kind="stable")]
        self._low_sums, self._high_sums = (
            upto(s_j[self._lowest]),
            upto(s_i[self._highest]),
        )
        size = (
            abs(pair.ahead.total) + float(np.abs(s_i).sum())
        ) * pair.behind.denominator
        size += (
            abs(pair.behind.total) + float(np.abs(s_j).sum())
        ) * pair.ahead.denominator
        sums = np.concatenate([s_i, s_j, [pair.ahead.total, pair.behind.total]])
        whole = bool((sums == np.rint(sums)).all())
        self._slack = 0.0 if whole and size < EXACT else ROUNDING * size

    def of(self, m: int) -> Iterator[tuple[int, int, int]]:
        """Yield all (p, q, r) with p + q + r = m that leave both items a denominator."""
        behind, ahead = len(self._lowest), len(self._highest)
        for r in range(max(0, m - behind - ahead), min(m, len(self._both)) + 1):
            for p in range(max(0, m - r - ahead), min(m - r, behind) + 1):
                if min(self._denominators(p, m - r - p, r)) > 0:
                    yield p, m - r - p, r

    def turned(self, p: int, q: int, r: int) -> IntArray | None:
        """Return the units of a split that turn the pair, or None."""
        over, under = self._denominators(p, q, r)
        s_i, s_j = (sums[self._both] for sums in self._pair.sums)
        values = s_i * under - s_j * over
        chosen = (
            np.argpartition(-values, r - 1)[:r] if r else np.zeros(0, dtype=np.int64)
        )
        # The cross product of the ratios that are left.
        behind = self._pair.behind.total - self._low_sums[p]
        ahead = self._pair.ahead.total - self._high_sums[q]
        reached = float(behind * over - ahead * under + values[chosen].sum())
        # What rounding decides is not ruled out.
        if reached < -self._slack or (
            reached == 0.0 and not self._pair.tie and not self._slack
        ):
            return None
        return np.concatenate([self._lowest[:p], self._highest[:q], self._both[chosen]])

    def _denominators(self, p: int, q: int, r: int) -> tuple[float, float]:
        ahead, behind = self._pair.ahead, self._pair.behind
        return ahead.denominator - ahead.each * (
            q + r
        ), behind.denominator - ahead.each * (p + r)


def meeting(ahead: Given, behind: Given, m: int) -> tuple[float, float, float] | None:
    """Return between which scores two items can meet when at most m units leave, after their slack.

    None where they cannot meet.
    """
    low, high = ahead.extreme(m, -1), behind.extreme(m, 1)
    slack = ROUNDING * (abs(ahead.score) + abs(behind.score) + abs(low) + abs(high))
    return None if high < low - slack else (slack, low, high)

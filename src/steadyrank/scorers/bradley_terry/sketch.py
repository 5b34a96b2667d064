r"""Bradley-Terry scores without one battle to first and second order, and how far off they can be.

Most answers do not hang on the last digits of a score, and most battles change none of them: a sketch of
the scores with a proved error settles those, and only the others are refitted. Let F(d) be the change
of the likelihood equations when the scores move by d from the full fit. Without some battles of the pair
``u = e_i - e_j`` they move by the d where ``F(d) = t u``; the number t depends on the outcome, so all
folds of a pair lie on one curve ``d(t) = a_1 t + a_2 t^2 + ...``. The sketch is ``d' = a_1 t`` or
``a_1 t + a_2 t^2``, with the t that fits it; ``a_1 = G u``, where G is the inverse of the Hessian H, and
``R = u'Gu``.

Write ``|x|`` for the energy norm of H, and ``|f|`` for the root of ``sum f_e^2 c_e`` over all pairs e
with battles, c_e being their information: forces ``f_e c_e`` on these pairs have ``|G force| <= |f|``,
as no flow has less energy than the electric one. Scores of a pair differ by at most ``|x| sqrt(R_e)``,
and none exceeds ``|x| sqrt(G_pp)``. No derivative of the logistic function up to the third exceeds its
first, which changes by at most a factor ``e^y`` over a distance y. Hence:

- ``|a_1 t| = |t| sqrt(R) =: s``. The pair itself, of information c, moves by ``b = |t| R``, all others
  by at most some B, which is about b/2: a_1 is the difference of two rows of G, which are small off the
  diagonal. So the moves d1 of the pairs have ``|d1^n|^2 <= P_n^2 := c b^(2n) + B^(2n-2) (s^2 - c b^2)``.
  The second part of the move, of size ``n2 <= P_2 / 2``, moves no pair by more than ``b2 = n2 r``, with
  r^2 the largest R_e;
- the gradient without the battles, at the sketch, is ``F(d') - t u``: forces of at most ``e^b d1^2 / 2``
  on each pair, to second order ``|d2 (d1 + d2/2)| + e^(b + b2) |d1 + d2|^3 / 6``. Its size m is at most
  ``e^b P_2 / 2``, or, by Minkowski's inequality for sixth powers, ``n2 (sqrt(B^2 + c b^2 R) + b2/2) +
  e^(b + b2) (P_3^(1/3) + (b2^2 n2)^(1/3))^3 / 6``;
- the Hessian without the battles, anywhere near, is at least ``(1 - v R) e^(-b - b2 - y)`` times H,
  where v is the information taken away and y the most that a pair still has to move. So what is missed,
  of size h, has ``h <= K e^(h r)``, with ``K = m e^(b + b2) / (1 - v R)``. It grows continuously as the
  gradient is let go, hence ``h <= K / (1 - e K r)`` where that is positive. QED
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.scorers.bradley_terry.fit import FullFit, across

ROUNDING = 1e-9
"""More than what rounding does to a sketch, relative to how far the scores move."""
SCALAR_STEPS = 20


class PairFolds(NamedTuple):
    """Units that are left out and touch one pair of items each.

    ``battles`` are theirs in number, of which ``first`` has won ``wins`` (a tie is half a win).
    """

    first: IntArray
    second: IntArray
    battles: FloatArray
    wins: FloatArray

    def part(self, chosen: IntArray) -> PairFolds:
        """Return some of them."""
        return PairFolds._make(column[chosen] for column in self)


class Terms(NamedTuple):
    """The amounts t of some folds, and how much energy the rest of their move has at most."""

    amount: FloatArray
    missed: FloatArray


class Sketch:
    """Scores near those without each of some units of one pair.

    Parameters
    ----------
    full : FullFit
        The fit on all the data.
    folds : PairFolds
        The units.
    factor : float
        How much log odds of 1 are on the scale of the scores that are asked for.
    """

    def __init__(self, full: FullFit, folds: PairFolds, factor: float) -> None:
        self.full, self.folds, self.factor = full, folds, factor
        self.inverse, self.table = full.inverse, factor * full.inverse
        self.resistance = full.resistance(folds.first, folds.second)
        self._chance = full.win_chance[folds.first, folds.second]
        own = np.einsum("ii->i", self.inverse)
        self.heights = factor * np.sqrt(own)
        """How far an energy of 1 can lift each item."""
        self._others, self._bystanders = self._reach_of_others()

    def _reach_of_others(self) -> tuple[FloatArray, FloatArray]:
        """Return what bounds the moves of all other pairs and of all other items, for t = 1."""
        off, (i, j) = self.inverse.copy(), self.folds[:2]
        own = np.einsum("ii->i", off).copy()
        np.fill_diagonal(off, np.inf)
        least = off.min(axis=1)
        np.fill_diagonal(off, -np.inf)
        most, between = off.max(axis=1), self.inverse[i, j]
        low, high = least[i] - most[j], most[i] - least[j]
        pairs = np.max(
            [own[i] - between - low, high - between + own[j], high - low], axis=0
        )
        return pairs, np.maximum(high, -low)

    @cached_property
    def first(self) -> Terms:
        """All folds to first order."""
        return self._terms(np.arange(len(self.resistance)), None)

    @cached_property
    def wandering(self) -> FloatArray:
        """How far at most all items but the two of a fold move."""
        terms = self.first
        direct = self.factor * np.abs(terms.amount) * self._bystanders
        return np.asarray(direct + terms.missed * self.heights.max())

    @cached_property
    def longest(self) -> float:
        """How long at most a move of energy 1 is: no eigenvalue exceeds the largest absolute row sum."""
        return self.factor * float(np.sqrt(np.abs(self.inverse).sum(axis=1).max()))

    def shifts(self) -> tuple[FloatArray, FloatArray]:
        """Return how far the scores move to first order, and by how much that may be off."""
        square, folds = self.table @ self.table, self.folds
        lengths = across(square, folds.first, folds.second)
        moved = np.abs(self.first.amount) * np.sqrt(np.maximum(lengths, 0.0))
        return moved, self.first.missed * self.longest

    def linear(
        self, folds: IntArray, table: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return how far linear functions move to first order, and the energy that is missed.

        The ``table`` has one column for each function: G times its coefficients.
        """
        found = table[self.folds.first[folds]]
        found -= table[self.folds.second[folds]]
        found *= self.first.amount[folds, np.newaxis]
        return found, self.first.missed[folds]

    @cached_property
    def _second(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The second Taylor coefficients T of all pairs, their sums S over opponents, and ``G T``."""
        taylor = self.full.information * (self.full.win_chance - 0.5)
        return taylor, taylor.sum(axis=0), self.inverse @ taylor

    def bent(self, table: FloatArray) -> FloatArray:
        """Return what second order takes of the functions besides their table."""
        taylor, sums, _ = self._second
        return np.asarray(taylor @ table + sums[:, np.newaxis] * table)

    def quadratic(
        self, folds: IntArray, table: FloatArray, bent: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the same to second order."""
        first, second = self.folds.first[folds], self.folds.second[folds]
        _, sums, turned_all = self._second
        a = self.inverse[first] - self.inverse[second]
        turned = turned_all[first] - turned_all[second]
        square = a * a
        # The second term of F is ``a^2 S - 2 a (T a) + T a^2``, with T antisymmetric and S its sums.
        bend = np.einsum("fl,fl->f", square, 3.0 * turned - a * sums)
        amount, missed = self._terms(folds, bend)
        curved = square @ bent
        curved -= 2.0 * (a * turned) @ table
        t = amount[:, np.newaxis]
        return (table[first] - table[second]) * t - curved * t**2, missed

    @np.errstate(all="ignore")  # what is no number is not sound
    def _terms(self, folds: IntArray, bend: FloatArray | None) -> Terms:
        """Solve for the amounts, where the gap of the pair grows by ``R t + bend t^2``."""
        resistance, chance = self.resistance[folds], self._chance[folds]
        battles, wins = self.folds.battles[folds], self.folds.wins[folds]
        t, settled = _amounts(
            resistance, 0.0 if bend is None else bend, chance, battles, wins
        )
        size, reach = np.abs(t) * np.sqrt(resistance), np.abs(t) * resistance
        others = np.minimum(np.abs(t) * self._others[folds], reach)
        own = (
            self.full.information[self.folds.first[folds], self.folds.second[folds]]
            * reach**2
        )
        rest = np.maximum(size**2 - own, 0.0)
        squares, cubes = (np.sqrt(own * reach**n + rest * others**n) for n in (2, 4))
        missed = np.exp(reach) / 2 * squares
        if bend is not None:
            more = squares / 2
            extra = more * self.full.widest
            missed = more * (np.sqrt(others**2 + own * resistance) + extra / 2)
            reach = reach + extra
            missed += (
                np.exp(reach) / 6 * (np.cbrt(cubes) + np.cbrt(extra**2 * more)) ** 3
            )
        kept = 1.0 - battles * chance * (1.0 - chance) * resistance
        energy = missed * np.exp(reach) / kept
        left = 1.0 - np.e * energy * self.full.widest
        sound: BoolArray = settled & (kept > 0) & (left > 0) & self.full.steady
        return Terms(t, np.where(sound, energy / left + ROUNDING * size, np.inf))


def _amounts(
    resistance: FloatArray,
    bend: FloatArray | float,
    chance: FloatArray,
    battles: FloatArray,
    wins: FloatArray,
) -> tuple[FloatArray, BoolArray]:
    """Solve ``t = battles * chance(t) - wins`` for every fold, by Newton's method."""
    odds = (1.0 - chance) / chance
    t = battles * chance - wins
    for _ in range(SCALAR_STEPS):
        gap, rate = (resistance + bend * t) * t, resistance + 2.0 * bend * t
        now = 1.0 / (1.0 + odds * np.exp(-np.clip(gap, -1.0, 1.0)))
        slope = 1.0 - battles * now * (1.0 - now) * rate
        step = (t - battles * now + wins) / np.where(slope > 0.5, slope, 1.0)
        t = t - step
        if np.abs(step).max(initial=0.0) < 1e-10:
            break
    return t, (np.abs(step) < 1e-10) & (slope > 0.5)

r"""Bradley-Terry without one battle, for all pairs of items at once.

Let F(d) be the change of the likelihood equations when the scores move by d from the full fit.
Leaving out battles of one pair (i, j) asks for F(d) = t (e_i - e_j), where the number t depends
on the outcome: all folds of a pair lie on *one* curve d(t). Its power series

    d(t) = a_1 t + a_2 t^2 + ...,    a_1 = H^-1 (e_i - e_j)

follows order by order: the r-th Taylor term of F is a sum over opponents m of
``N_lm s^(r) / r! (d_l - d_m)^r``, and multiplied out it is a handful of products of a
(pairs, items) matrix with an (items, items) one. What remains for each fold is the scalar
equation for t.

How many terms are enough is not guessed. Measure vectors by their range, max minus min. Let
``k_r`` bound the range of H^-1 applied to forces on the pairs that are no larger than their r-th
Taylor coefficients, and ``k`` that for the first coefficients; the r-th are at most
``1/2 3^(2-r)`` of the first, so ``k_r <= k/2 3^(2-r)``. If the range of ``a_m T^m`` is at most
``b g^(m-1)`` for all terms in hand, then p terms miss the equations at order m > p by at most
``sum_r k_r binom(m-1, r-1) b^r g^(m-r)``, and with q = g + b/3 at all orders m > p together by

    k b^2/2 q^(p-1) (p - (p-1) q) / (1-q)^2.

The first bound serves for m = p + 1, the second for the rest. The curve itself is off by hardly
more, since the step it comes from is a contraction. Folds that cannot meet the tolerance so are handed
back, to be solved by Newton's method.
"""

from __future__ import annotations

from functools import cached_property
from math import comb
from typing import NamedTuple

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.scorers.bradley_terry.fit import chances, invertible
from steadyrank.scorers.bradley_terry.graph import Graph
from steadyrank.sums.blocks import slices

TOLERANCE = 1e-12
STEADY = 1e6
"""How much more is known of a difference than of a score before rounding tells: it is so many times
as large as that of a float."""
MOST_TERMS = 7
PAIRS_AT_ONCE = 256
"""Small enough for a block's matrices to stay in the cache."""
SLOTS = 3
"""Folds of a pair that are evaluated together: a win, a tie and a loss."""
LARGEST_RANGE = 0.1
"""Beyond it the bound on the Taylor coefficients was not checked; it is far from the tolerance."""
SCALAR_STEPS = 20
FLOW_NUMBERS = 1 << 20
"""Numbers at once where something is asked of all pairs and all items."""


def across(matrix: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """Return ``u' matrix u`` with ``u = e_i - e_j`` for pairs of items."""
    own = np.einsum("ii->i", matrix)
    return np.asarray(own[first] + own[second] - 2.0 * matrix[first, second])


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


class Order(NamedTuple):
    """The Taylor coefficients of one order: what a block is multiplied with."""

    taylor: FloatArray
    sums: FloatArray
    first_products: FloatArray
    """Products of the first term are differences of rows of these, whatever the pair."""


class Curves:
    """The fit on all the data, expanded so that folds can be read off.

    Parameters
    ----------
    wins : float array (L, L)
        Win counts, ties as half wins.
    scores : float array (L,)
        Their Bradley-Terry fit.
    ridge : float
        The ridge of that fit.
    tolerance : float
        The largest error, in range, that a truncated series may have.
    """

    def __init__(
        self, wins: FloatArray, scores: FloatArray, ridge: float, tolerance: float = TOLERANCE
    ) -> None:
        self.scores, self.tolerance = scores, tolerance
        upset, self.win_chance = chances(scores[:, np.newaxis] - scores[np.newaxis, :])
        self.information, self.graph = (wins + wins.T) * upset * self.win_chance, Graph.of(wins)
        information = self.information[self.graph.first, self.graph.second]
        self._in_band = self.graph.solved_in_band(information, ridge)
        self.inverse, self.steady = self._inverted(information, ridge)
        self._polynomials = _logistic_derivatives()
        # Threads may share this: an order is made whole before it is kept, by any of them alike.
        self._orders: dict[int, Order] = {}

    def _inverted(self, information: FloatArray, ridge: float) -> tuple[FloatArray, bool]:
        """Return the inverse, and whether its rounding is harmless: scaled, it is well conditioned."""
        items, total = len(self.scores), 2.0 * float(information.sum())
        hessian = invertible(self.graph.laplacian(information[np.newaxis])[0], ridge)
        if self._in_band is not None:
            inverse = self._in_band(np.eye(items) - 1.0 / items)
            inverse += 1.0 / (total + items * ridge)  # what the constant makes of it
        else:
            try:
                inverse = np.asarray(np.linalg.inv(hessian), dtype=np.float64)
            except np.linalg.LinAlgError:  # none at all: whatever stands here, nothing is read off it
                return np.eye(items), False
        known = np.sqrt(np.diag(hessian))
        return inverse, bool((np.abs(inverse) * np.outer(known, known)).max() < STEADY)

    def solved(self, forces: FloatArray) -> FloatArray:
        """Return how far forces on the items, which add up to 0, move them: the inverse times these."""
        return self.inverse @ forces if self._in_band is None else self._in_band(forces)

    @cached_property
    def spreads(self) -> FloatArray:
        """How far forces on the pairs can go that are as large as the r-th coefficients, from r = 1."""
        found = np.zeros((len(self._polynomials), len(self.scores)))
        edges = np.argwhere(np.triu(self.information, 1))
        for part in slices(len(edges), FLOW_NUMBERS, len(self.scores)):
            first, second = edges[part].T
            chance, information = self.win_chance[first, second], self.information[first, second]
            sizes = [np.abs(polynomial(chance)) * information for polynomial in self._polynomials]
            found += np.array(sizes) @ np.abs(self.inverse[first] - self.inverse[second])
        return np.asarray(2.0 * found.max(axis=1))

    @cached_property
    def widest(self) -> float:
        """The root of the largest resistance of a pair that has battles."""
        own = np.einsum("ii->i", self.inverse)
        apart = own[:, np.newaxis] + own - 2.0 * self.inverse
        return float(np.sqrt(apart.max(where=self.information > 0, initial=0.0)))

    def order(self, r: int) -> Order:
        """Return the matrix of ``N s^(r)(d) / r!``, r from 2, transposed."""
        if r not in self._orders:
            table = self.information * self._polynomials[r - 1](self.win_chance)
            taylor = np.ascontiguousarray(table.T)
            self._orders[r] = Order(taylor, taylor.sum(axis=0), self.inverse @ taylor)
        return self._orders[r]

    def resistance(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return the range of a_1, which is its value at i minus that at j."""
        return across(self.inverse, first, second)

    def solve(self, folds: PairFolds) -> tuple[FloatArray, BoolArray]:
        """Return the scores without each unit, and which of these rows meet the tolerance."""
        scores = np.empty((len(folds.first), len(self.scores)))
        sound = np.empty(len(scores), dtype=np.bool_)
        units = _units_by_pair(folds, len(self.scores))
        first, second = folds.first[units[:, 0]], folds.second[units[:, 0]]
        resistance = self.resistance(first, second)
        # Similar pairs together, so that a block stops at the order that all of it needs.
        order = np.argsort(-resistance, kind="stable")
        for part in slices(len(order), PAIRS_AT_ONCE):
            pairs = order[part]
            places = units[pairs]
            used = places >= 0
            block = _Block(self, first[pairs], second[pairs], resistance[pairs])
            taken = (np.where(used, part[places], 0.0) for part in (folds.battles, folds.wins))
            values, fine = block.evaluate(*taken)
            scores[places[used]], sound[places[used]] = values[used], fine[used]
        return scores, sound


class _Block:
    """The curves of a few pairs."""

    def __init__(
        self, curves: Curves, first: IntArray, second: IntArray, resistance: FloatArray
    ) -> None:
        self.curves = curves
        self.first, self.second = first, second
        self.resistance = resistance
        self.chance = curves.win_chance[first, second][:, np.newaxis]
        linear = curves.inverse[first] - curves.inverse[second]
        self.terms = np.empty((len(first), MOST_TERMS, linear.shape[1]))
        self.terms[:, 0] = linear
        self.order = 1
        # powers[s, k]: the coefficient of t^k in d(t)^s; products[r, s, k]: that times table r.
        self.powers: dict[tuple[int, int], FloatArray] = {(1, 1): linear}
        self.products: dict[tuple[int, int, int], FloatArray] = {}
        self.growth = np.zeros(len(first))

    @np.errstate(divide="ignore", invalid="ignore", over="ignore")  # what is no number is not sound
    def evaluate(self, battles: FloatArray, wins: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return the scores of each pair's folds, and which are sound."""
        pull = np.abs(battles * self.chance - wins)
        tolerance = self.curves.tolerance
        reach = (pull * (1.0 + battles * self.resistance[:, np.newaxis])).max(axis=1)
        error = np.full(len(reach), np.inf)
        possible = self.resistance * reach < LARGEST_RANGE
        while self.order < MOST_TERMS and (error[possible] > tolerance).any():
            self._add_term(reach)
            error = self._error(reach)
        amounts, settled = self._amounts(battles, wins, reach)
        powers = np.empty((*amounts.shape, self.order))
        powers[:] = amounts[:, :, np.newaxis]
        np.cumprod(powers, axis=2, out=powers)
        values = np.matmul(powers, self.terms[:, : self.order])
        values += self.curves.scores
        return values, np.asarray(settled & (error <= tolerance)[:, np.newaxis])

    def _add_term(self, reach: FloatArray) -> None:
        self.order += 1
        k = self.order
        for s in range(2, k + 1):
            power = self.powers[1, 1] * self.powers[s - 1, k - 1]
            for j in range(2, k - s + 2):
                power += self.powers[1, j] * self.powers[s - 1, k - j]
            self.powers[s, k] = power
        force = self._taylor_term(2, k)
        for r in range(3, k + 1):
            force += self._taylor_term(r, k)
        term = -(force @ self.curves.inverse)
        self.powers[1, k] = term
        self.terms[:, k - 1] = term
        size = term.max(axis=1) - term.min(axis=1)
        # The growth g: the range of term m is at most b g^(m-1) for every term so far.
        root = (size * reach ** (k - 1) / self.resistance) ** (1.0 / (k - 1))
        np.maximum(self.growth, root, out=self.growth)

    def _taylor_term(self, r: int, k: int) -> FloatArray:
        """Return the coefficient of t^k in the r-th Taylor term, by the binomial theorem."""
        force = self.powers[r, k] * self.curves.order(r).sums
        for s in range(1, r):
            part = self.powers[r - s, k - s] * self._product(r, s, s)
            for j in range(s + 1, k - r + s + 1):
                part += self.powers[r - s, k - j] * self._product(r, s, j)
            part *= (-1) ** s * comb(r, s)
            force += part
        (np.subtract if r % 2 else np.add)(force, self._product(r, r, k), out=force)
        return force

    def _product(self, r: int, s: int, k: int) -> FloatArray:
        found = self.products.get((r, s, k))
        if found is None:
            if (s, k) == (1, 1):
                rows = self.curves.order(r).first_products
                found = rows[self.first] - rows[self.second]
            else:
                found = self.powers[s, k] @ self.curves.order(r).taylor
            self.products[r, s, k] = found
        return found

    def _error(self, reach: FloatArray) -> FloatArray:
        """Bound the range by which the truncated curve is off, for |t| up to ``reach``."""
        p, base = self.order, self.resistance * reach
        ratio = np.minimum(self.growth + base / 3.0, 0.5)
        tail = ratio**p * (p + 1 - p * ratio) / (1.0 - ratio) ** 2
        missed = self.curves.spreads[0] * base**2 / 2.0 * tail
        for r in range(2, p + 2):
            missed += self.curves.spreads[r - 1] * comb(p, r - 1) * base**r * self.growth ** (p + 1 - r)
        ball = 2.0 * base / (1.0 - ratio)
        contraction = self.curves.spreads[0] * ball / (1.0 - ball / 3.0) ** 2
        fine = (ball < LARGEST_RANGE) & (contraction <= 0.5) & (missed <= base) & (ratio < 0.5)
        return np.where(fine, missed / (1.0 - np.minimum(contraction, 0.5)), np.inf)

    def _amounts(
        self, battles: FloatArray, wins: FloatArray, reach: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        rows = np.arange(len(self.first))
        terms = self.terms[:, : self.order]
        gaps = terms[rows, :, self.first] - terms[rows, :, self.second]
        t, settled = amounts([*gaps.T[:, :, np.newaxis]], self.chance, battles, wins)
        settled &= np.abs(t) <= reach[:, np.newaxis]
        return t, np.asarray(settled | (battles == 0))


def amounts(
    gaps: list[FloatArray], chance: FloatArray, battles: FloatArray, wins: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Solve ``t = battles * chance(t) - wins`` for every fold, by Newton's method.

    The gap of the pair grows by a polynomial in t with the coefficients ``gaps``, from that of t on.
    """
    odds = (1.0 - chance) / chance
    t = battles * chance - wins
    for _ in range(SCALAR_STEPS):
        gap, rate = gaps[-1], np.zeros(t.shape)
        for coefficient in (*gaps[-2::-1], np.zeros(())):
            rate = rate * t + gap
            gap = gap * t + coefficient
        now = 1.0 / (1.0 + odds * np.exp(-np.clip(gap, -1.0, 1.0)))
        slope = 1.0 - battles * now * (1.0 - now) * rate
        step = (t - battles * now + wins) / np.where(slope > 0.5, slope, 1.0)
        t = t - step
        if np.abs(step).max(initial=0.0) < 1e-10:
            break
    return t, (np.abs(step) < 1e-10) & (slope > 0.5)


def _logistic_derivatives() -> list[np.polynomial.Polynomial]:
    """Return the Taylor coefficients of the logistic function s, over its slope, as polynomials in s."""
    slope, found = np.polynomial.Polynomial([0.0, 1.0, -1.0]), [np.polynomial.Polynomial([1.0])]
    for r in range(2, MOST_TERMS + 2):
        found.append((found[-1] * slope.deriv() + found[-1].deriv() * slope) / r)
    return found


def _units_by_pair(folds: PairFolds, items: int) -> IntArray:
    """Return rows of up to SLOTS units of the same pair, -1 where a slot is free."""
    code = folds.first * items + folds.second
    order = np.argsort(code, kind="stable")
    ordered = code[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    number = np.arange(len(code)) - np.repeat(begins, np.diff(np.append(begins, len(code))))
    row = np.cumsum(number % SLOTS == 0) - 1
    units = np.full((row[-1] + 1, SLOTS), -1)
    units[row, number % SLOTS] = order
    return units

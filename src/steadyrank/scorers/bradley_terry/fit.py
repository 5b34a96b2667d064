"""Bradley-Terry maximum likelihood on win counts, by Newton's method.

``wins[i, j]`` is how often i beat j, a tie being half a win each way. The negative log
likelihood is convex, and along a direction v its third derivative is at most the range
``max v - min v`` times its second. Hence a Newton step of range R decreases it for certain if
shortened to ``log(1 + R) / R``, and also unshortened where R is at most 1.5: no line search is
needed, and the last steps are full ones, so convergence is quadratic.

The Hessian is the Laplacian of the graph of the pairs that have battles: each pair pulls its two items
together with its information, and a ridge pulls each to 0. Where the graph is *thin*, as a chain of
items is, the items have an order in which all pairs are close, and the equations are solved in a band
around the diagonal: in a time that grows with the items alone. Otherwise matrices are full. What pushes
pairs apart adds up to 0, so a constant in the solution is of no account: it is left out, or one item is
held. *Conjugate gradients* solve them without any matrix of all items where each is a few steps from any
other, which is what random pairs make of a graph. They do not tell when something small is missed, so
that they serve to come near.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.errors import RIDGE, SteadyrankError
from steadyrank.sums.blocks import slices

FULL_STEP_RANGE = 1.5
SETTLED = 1e-12
"""How large the step after the last would be at most."""
STEPS = 1000
STEEPEST = 700.0
"""Beyond this difference of scores the exponential would overflow; the odds are 1 : 10^304."""
CHUNK_NUMBERS = 1_000_000
MANY = 300
"""From so many items on, one fit comes near by steps that cost less before it goes all the way."""
FAR = 1e-3
"""A step of this range that is nearly right leaves so little that one more is the last."""
STEADY = 1e6
"""How much more is known of a difference than of a score before rounding tells: it is so many times
as large as that of a float."""
THIN = 20
"""A band is used where it is so many times as narrow as the matrix."""
NEAR, GRADIENTS = 1e-3, 40
"""Which part of its equations a step may miss, and how many gradients it may take."""

Solve = Callable[[FloatArray], FloatArray]
"""From forces on the items, (items,) or (items, several), to how far they move."""


def strengths(
    wins: FloatArray, ridge: float = 0.0, start: FloatArray | None = None
) -> FloatArray:
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
    batch, graph = wins[np.newaxis] if wins.ndim == 2 else wins, Graph.of(wins)
    scores = np.zeros(batch.shape[:2])
    if start is not None:
        scores += start
    for part in slices(len(scores), CHUNK_NUMBERS, batch.shape[1] ** 2):
        pairs = Won(graph, *graph.of_pairs(batch[part]), ridge)
        if (
            start is None
            and len(scores) == 1
            and graph.items >= MANY
            and graph.band is None
        ):
            scores[part] = _near(pairs, scores[part])
        scores[part] = _newton(pairs, scores[part])
    return scores[0] if wins.ndim == 2 else scores


class Won(NamedTuple):
    """Wins of the first and of the second item of each pair, for some datasets, and their ridge."""

    graph: Graph
    first: FloatArray
    second: FloatArray
    ridge: float

    def some(self, chosen: BoolArray) -> Won:
        """Return those of some of the datasets."""
        return self._replace(first=self.first[chosen], second=self.second[chosen])

    def slopes(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return how the likelihood pulls each item, and the information of each pair."""
        graph = self.graph
        lost, won = chances(scores[:, graph.first] - scores[:, graph.second])
        # Wins of the weaker count whole, less what was expected of them: no rounding when lopsided. And
        # pair by pair: what rounding takes from one item it gives to the other, so that no group drifts
        # away, as long as sums do not round, in which much may cancel and little be left outside.
        behind, ahead = lost > 0.5, won > 0.5
        whole = np.where(behind, self.first, 0.0) - np.where(ahead, self.second, 0.0)
        forces = self.first * np.where(behind, -won, lost)
        forces -= self.second * np.where(ahead, -lost, won)
        leading, rest = in_two(forces, graph.items)
        pulled = (
            graph.sums(whole) + graph.sums(leading) + graph.sums(rest)
        )  # large ones cancel first
        return pulled - self.ridge * scores, (self.first + self.second) * lost * won


def _near(pairs: Won, scores: FloatArray) -> FloatArray:
    """Come near to the fit, as far as conjugate gradients lead there; no accuracy is promised."""
    first, second, sums = pairs.first, pairs.second, pairs.graph.sums
    # As if all were against equals: log odds of wins less losses, of one battle more than there were.
    near = scores + 2.0 * np.arctanh(
        sums(first - second) / (sums(first + second, sign=1.0) + 1.0)
    )
    for _ in range(STEPS):
        forces, information = pairs.slopes(near)
        steps = pairs.graph.nearly_solved(information[0], pairs.ridge)(forces[0])
        moved = float(np.ptp(steps))
        if not np.isfinite(moved):
            return scores
        near += steps * shortened(moved)
        if moved <= FAR:
            return near
    return scores


def shortened(ranges: Any) -> Any:
    """Return how much of steps of such ranges is surely downhill."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(ranges > FULL_STEP_RANGE, np.log1p(ranges) / ranges, 1.0)


def _newton(pairs: Won, scores: FloatArray) -> FloatArray:
    active, before = np.arange(len(scores)), np.ones(len(scores))
    for _ in range(STEPS):
        steps = _newton_steps(pairs, scores[active])
        ranges = np.ptp(steps, axis=1)
        scores[active] += steps * shortened(ranges)[:, np.newaxis]
        # Quadratic but for the rounding of the Hessian: the next step shrinks as this one did, at least.
        moving = ranges * np.minimum(ranges / before, 1.0) > SETTLED
        active, pairs, before = active[moving], pairs.some(moving), ranges[moving]
        if not len(active):
            return np.asarray(scores - scores.mean(axis=1, keepdims=True))
    raise _unsettled(f"Newton's method did not settle in {STEPS:,} steps")


def _unsettled(what: str) -> SteadyrankError:
    return SteadyrankError(
        f"{what}: the comparisons are so close to separable that the scores have no usable finite value",
        way_out=["Use a ridge, for example ", RIDGE, "."],
    )


def _newton_steps(pairs: Won, scores: FloatArray) -> FloatArray:
    (forces, information), graph, ridge = pairs.slopes(scores), pairs.graph, pairs.ridge
    if (
        len(scores) == 1
        and (solve := graph.solved_in_band(information[0], ridge)) is not None
    ):
        return solve(forces[0])[np.newaxis]
    hessian = graph.laplacian(information)
    if ridge:
        hessian = invertible(hessian, ridge)
    else:  # the item of which most is known stays where it is, and no row of little loses it to rounding
        known = np.einsum("fii->fi", hessian)
        known[np.arange(len(known)), known.argmax(axis=1)] *= 2.0
    if len(scores) == 1 and graph.items >= MANY:
        found = _by_cholesky(hessian[0], forces[0])
        if found is not None:
            return found[np.newaxis]
    try:
        return np.asarray(np.linalg.solve(hessian, forces[:, :, np.newaxis])[:, :, 0])
    except np.linalg.LinAlgError:
        raise _unsettled("some battles are lost in rounding beside others") from None


def _by_cholesky(hessian: FloatArray, forces: FloatArray) -> FloatArray | None:
    """Solve in half the time; None where rounding leaves the Hessian not positive."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    try:
        factor = cho_factor(hessian, check_finite=False)
    except LinAlgError:
        return None
    return np.asarray(cho_solve(factor, forces, check_finite=False))


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


def chances(ahead: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how likely the one ahead by d loses, ``1 / (1 + exp(d))``, and wins."""
    odds = np.exp(np.clip(ahead, -STEEPEST, STEEPEST))
    lost = 1.0 / (1.0 + odds)
    return lost, odds * lost


def invertible(hessian: FloatArray, ridge: float) -> FloatArray:
    """Return the Hessian with its ridge, and with a constant that does for what moves all scores alike.

    The constant matters to no step, since gradients sum to zero, only to the conditioning.
    """
    items = hessian.shape[-1]
    constant = np.trace(hessian, axis1=-2, axis2=-1) / items**2
    return np.asarray(
        hessian + constant[..., np.newaxis, np.newaxis] + ridge * np.eye(items)
    )


class FullFit:
    """The fit on all the data, and what its Hessian says of fits nearby.

    Parameters
    ----------
    wins : float array (L, L)
        Win counts, ties as half wins.
    scores : float array (L,)
        Their Bradley-Terry fit.
    ridge : float
        The ridge of that fit.
    """

    def __init__(self, wins: FloatArray, scores: FloatArray, ridge: float) -> None:
        self.wins, self.scores, self.ridge = wins, scores, ridge
        upset, self.win_chance = chances(scores[:, np.newaxis] - scores[np.newaxis, :])
        self.information, self.graph = (
            (wins + wins.T) * upset * self.win_chance,
            Graph.of(wins),
        )
        information = self.information[self.graph.first, self.graph.second]
        self._in_band = self.graph.solved_in_band(information, ridge)
        self.inverse, self.steady = self._inverted(information, ridge)

    def _inverted(
        self, information: FloatArray, ridge: float
    ) -> tuple[FloatArray, bool]:
        """Return the inverse, and whether its rounding is harmless: scaled, it is well conditioned."""
        items, total = len(self.scores), 2.0 * float(information.sum())
        hessian = invertible(self.graph.laplacian(information[np.newaxis])[0], ridge)
        if self._in_band is not None:
            inverse = self._in_band(np.eye(items) - 1.0 / items)
            inverse += 1.0 / (total + items * ridge)  # what the constant makes of it
        else:
            try:
                inverse = np.asarray(np.linalg.inv(hessian), dtype=np.float64)
            except (
                np.linalg.LinAlgError
            ):  # none at all: whatever stands here, nothing is read off it
                return np.eye(items), False
        known = np.sqrt(np.diag(hessian))
        return inverse, bool((np.abs(inverse) * np.outer(known, known)).max() < STEADY)

    def solved(self, forces: FloatArray) -> FloatArray:
        """Return how far forces on the items, which add up to 0, move them: the inverse times these."""
        return self.inverse @ forces if self._in_band is None else self._in_band(forces)

    @cached_property
    def widest(self) -> float:
        """The root of the largest resistance of a pair that has battles."""
        own = np.einsum("ii->i", self.inverse)
        apart = own[:, np.newaxis] + own - 2.0 * self.inverse
        return float(np.sqrt(apart.max(where=self.information > 0, initial=0.0)))

    def resistance(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return how far a force of 1 that pushes two items apart moves one from the other."""
        return across(self.inverse, first, second)


def across(matrix: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """Return ``u' matrix u`` with ``u = e_i - e_j`` for pairs of items."""
    own = np.einsum("ii->i", matrix)
    return np.asarray(own[first] + own[second] - 2.0 * matrix[first, second])


@dataclass(frozen=True)
class Graph:
    """Pairs of items, each once, the smaller number first, in order."""

    first: IntArray
    second: IntArray
    items: int

    @classmethod
    def of(cls, wins: FloatArray) -> Graph:
        """Return the pairs with any wins, of one table (items, items) of them or of many.

        Examples
        --------
        >>> Graph.of(np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])).first
        array([0, 1])
        """
        some: BoolArray = wins > 0 if wins.ndim == 2 else np.any(wins > 0, axis=0)
        first, second = np.nonzero(np.triu(some | some.T, 1))
        return cls(first, second, len(some))

    def of_pairs(self, wins: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the wins of the first and of the second item of each pair."""
        return wins[..., self.first, self.second], wins[..., self.second, self.first]

    def sums(self, values: FloatArray, *, sign: float = -1.0) -> FloatArray:
        """Return for each item the sum over its pairs, with that sign where it is the second one."""
        rows = np.arange(len(values))[:, np.newaxis] * self.items
        shape, flat = (len(values), self.items), values.reshape(-1)
        ends = ((rows + end).reshape(-1) for end in (self.first, self.second))
        one, two = (
            np.bincount(end, flat, minlength=shape[0] * shape[1]) for end in ends
        )
        return np.asarray(one + sign * two, dtype=np.float64).reshape(shape)

    def laplacian(self, information: FloatArray) -> FloatArray:
        """Return the matrices, full, of some rows of information of the pairs."""
        full = np.zeros((len(information), self.items, self.items))
        full[:, self.first, self.second] = full[
            :, self.second, self.first
        ] = -information
        np.einsum("fii->fi", full)[:] = self.sums(information, sign=1.0)
        return full

    @cached_property
    def band(self) -> IntArray | None:
        """The items in an order in which all pairs are close; None if there is none."""
        if len(self.first) * THIN > self.items**2:
            return None
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import reverse_cuthill_mckee

        ends = np.append(self.first, self.second), np.append(self.second, self.first)
        joined = csr_array(
            (np.ones(len(ends[0])), ends), shape=(self.items, self.items)
        )
        order = reverse_cuthill_mckee(joined, symmetric_mode=True).astype(np.int64)
        place = np.argsort(order)
        width = np.abs(place[self.first] - place[self.second]).max(initial=0)
        return order if width * THIN <= self.items else None

    def solved_in_band(self, information: FloatArray, ridge: float) -> Solve | None:
        """Return what solves the equations, up to a constant, in a band; None where there is none.

        Without a ridge the item of which most is known is held.
        """
        if (order := self.band) is None:
            return None
        from scipy.linalg import LinAlgError, cho_solve_banded, cholesky_banded

        place, known = (
            np.argsort(order),
            self.sums(information[np.newaxis], sign=1.0)[0] + ridge,
        )
        if not ridge:
            known[known.argmax()] *= 2.0
        one, two = place[self.first], place[self.second]
        band = np.zeros((int(np.abs(one - two).max(initial=0)) + 1, self.items))
        band[0] = known[order]
        band[np.abs(one - two), np.minimum(one, two)] = -information
        try:
            factor = cholesky_banded(band, lower=True)
        except LinAlgError:
            return None
        return lambda forces: _centred(
            cho_solve_banded((factor, True), forces[order])[place]
        )

    def nearly_solved(self, information: FloatArray, ridge: float) -> Solve:
        """Return what solves the equations nearly, or gives NaN where that takes long."""
        from scipy.sparse import csr_array

        known = self.sums(information[np.newaxis], sign=1.0)[0] + ridge
        ends = np.searchsorted(self.first, np.arange(self.items + 1))
        upper = csr_array(
            (information, self.second, ends), shape=(self.items, self.items)
        )
        lower = upper.T

        def solve(forces: FloatArray) -> FloatArray:
            moved, left = np.zeros(self.items), forces.copy()
            way = left / known
            size = enough = float(left @ way)
            if not enough:  # nothing pulls: all items are where they belong
                return moved
            for _ in range(GRADIENTS):
                pulled = known * way - upper @ way - lower @ way
                part = size / float(way @ pulled)
                moved += part * way
                left -= part * pulled
                next_way = left / known
                size, before = float(left @ next_way), size
                if size <= NEAR**2 * enough:
                    return moved
                way = next_way + size / before * way
            return np.full(self.items, np.nan)

        return solve


def _centred(moved: FloatArray) -> FloatArray:
    return np.asarray(moved - moved.mean(axis=0))

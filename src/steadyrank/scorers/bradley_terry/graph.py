"""The graph of the pairs that have battles, and linear equations with its Laplacian.

Each pair pulls its two items together with its information, and a ridge pulls each to 0. Where the graph
is *thin*, as a chain of items is, the items have an order in which all pairs are close, and the
equations are solved in a band around the diagonal: in a time that grows with the items alone. Otherwise
matrices are full. What pushes pairs apart adds up to 0, so a constant in the solution is of no account:
it is left out, or one item is held.

*Conjugate gradients* solve them without any matrix of all items where each is a few steps from any
other, which is what random pairs make of a graph. They do not tell when something small is missed, so
that they serve to come near.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray

THIN = 20
"""A band is used where it is so many times as narrow as the matrix."""
NEAR, MOST = 1e-3, 40
"""Which part of its equations a step may miss, and how many gradients it may take."""

Solve = Callable[[FloatArray], FloatArray]
"""From forces on the items, (items,) or (items, several), to how far they move."""


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
        one, two = (np.bincount(end, flat, minlength=shape[0] * shape[1]) for end in ends)
        return np.asarray(one + sign * two, dtype=np.float64).reshape(shape)

    def laplacian(self, information: FloatArray) -> FloatArray:
        """Return the matrices, full, of some rows of information of the pairs."""
        full = np.zeros((len(information), self.items, self.items))
        full[:, self.first, self.second] = full[:, self.second, self.first] = -information
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
        joined = csr_array((np.ones(len(ends[0])), ends), shape=(self.items, self.items))
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

        place, known = np.argsort(order), self.sums(information[np.newaxis], sign=1.0)[0] + ridge
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
        return lambda forces: _centred(cho_solve_banded((factor, True), forces[order])[place])

    def nearly_solved(self, information: FloatArray, ridge: float) -> Solve:
        """Return what solves the equations nearly, or gives NaN where that takes long."""
        from scipy.sparse import csr_array

        known = self.sums(information[np.newaxis], sign=1.0)[0] + ridge
        ends = np.searchsorted(self.first, np.arange(self.items + 1))
        upper = csr_array((information, self.second, ends), shape=(self.items, self.items))
        lower = upper.T

        def solve(forces: FloatArray) -> FloatArray:
            moved, left = np.zeros(self.items), forces.copy()
            way = left / known
            size = enough = float(left @ way)
            if not enough:  # nothing pulls: all items are where they belong
                return moved
            for _ in range(MOST):
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

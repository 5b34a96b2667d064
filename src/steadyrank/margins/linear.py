r"""Contests of linear models: a certified number of rows below which no order turns.

The scores are absolute coefficients. With the sign s of b_i, the feature j passes i only if one of the
contrasts ``s b_i - b_j`` and ``s b_i + b_j``, which are positive, falls to 0. Write ``A = X'X + t I``, r
for the residuals and h for the leverages ``x' A^-1 x``; rows S leave; e is the sum of the m largest
leverages, and a norm with index m that of the m largest entries.

*Without a bound on the norm* the fall of a contrast c is ``a_S' (1 - H)^-1 r_S`` with ``a = X A^-1 c``
and H the part of the hat matrix that belongs to S, whose norm is at most its trace. So it is at most

    the m largest a r + |a|_m |r|_m e / (1 - e).

*With the bound* ``||b|| <= radius``, whose multiplier t moves: let d be the change of b. Both solutions
are best in the ball, and with their gradients ``|X_k d|^2 + (t/2) |d|^2 <= -d' X_S' r_S``, where X_k has
the rows that are kept (the gradient at b is -t b, and ``b'd <= -|d|^2 / 2`` if b is on the sphere). In
the norm of ``B = X'X + (t/2) I``, with leverages from B, it follows that ``|d| <= sqrt(e) |r|_m / (1 -
e)``, and that times the length of c in the dual norm bounds the fall. The same holds without the bound
on the norm, with B = A: it is the quick bound there.

Where e comes close to 1 nothing is known.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.margins.pairs import LeftOutContests
from steadyrank.scorers.least_squares.folds import RESOLUTION, RowFolds

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.scorers.base import LeaveOneOut

SURE = 1 + 1e-6
"""Makes what rows can do larger than its rounding errors, of designs that nearly lose their rank too."""

KNOWN = 1 - 1e-5
"""Up to this sum of leverages something is said."""


class LinearContests(LeftOutContests):
    """Contests of absolute coefficients.

    Parameters
    ----------
    out : LeaveOneOut
        The scores without each row.
    fit : RowFolds
        The fit on all rows.
    """

    rule = "certified by leverages and residuals; seen by an attack on the rows that narrow the gap most"
    assumed = ()
    dear = False
    several = True
    slow = True

    def __init__(self, out: LeaveOneOut, fit: RowFolds) -> None:
        super().__init__(out)
        # Whether nothing but a penalty holds the coefficients back.
        self._free = not np.isfinite(fit.radius)
        self._coefficients, squares = fit.coefficients, fit.sizes**2
        spread = 1.0 / (squares + (fit.shift if self._free else fit.shift / 2))
        self._inverse = (fit.right * spread) @ fit.right.T  # of B
        self._loads = (fit.left * (fit.sizes * spread)) @ fit.right.T  # X times that
        self._residuals = fit.y - fit.left @ (fit.sizes * (fit.coefficients @ fit.right))
        leverages = fit.left**2 @ (squares * spread) + (1.0 - fit.freedom)
        widest = (fit.right**2 @ (spread if self._free else 1.0 / squares)).max(initial=0.0)
        width = RESOLUTION * float(np.linalg.norm(fit.y) * np.sqrt(widest))
        # Equal ones may be linked one to the next, and rows that leave take what holds them apart.
        self._slack = width * len(self._coefficients) / np.sqrt(1 - KNOWN)
        together = np.cumsum(np.sort(leverages)[::-1]) * SURE
        self._together = together[: int(np.searchsorted(together, KNOWN))]
        self._missed = self._largest(self._residuals)
        # How far all coefficients move at most, in the norm of B, when 1, 2, ... rows leave.
        self._moves = np.sqrt(self._together) * self._missed / (1.0 - self._together)

    def _largest(self, values: FloatArray) -> FloatArray:
        """Return the norms of the 1, 2, ... largest values, as far as anything is known."""
        squares = np.sort(values**2)[::-1][: len(self._together)]
        return np.asarray(np.sqrt(np.cumsum(squares)) * SURE)

    def at_least(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Let all coefficients move as far as they can, in the direction of the contrast."""
        needed = np.full(len(ahead), np.inf)
        for other in (-1.0, 1.0):
            length = self._length(ahead, behind, other)
            gap = self._contrast(ahead, behind, other)
            with np.errstate(divide="ignore", invalid="ignore"):
                # Features that always move together never swap, unless they are equal from the start.
                needed = np.minimum(
                    needed, np.where(length > 0, gap / length, np.where(gap > 0, np.inf, 0))
                )
        return np.minimum(1 + np.searchsorted(self._moves, needed), len(self._residuals))

    def lower(self, ahead: int, behind: int) -> int:
        """Return the bound, or 2 where it says 1 and no single row turns the order."""
        pair = np.array([ahead]), np.array([behind])
        number = int(self.at_least(*pair)[0])
        if self._free:
            refined = [
                1 + int(np.searchsorted(self._falls(*pair, other), self._contrast(*pair, other)[0]))
                for other in (-1.0, 1.0)
            ]
            number = max(number, min(*refined, len(self._residuals)))
        return number if number > 1 else super().lower(ahead, behind)

    def gain(self, removals: int, ahead: int, behind: int, upto: float) -> float:  # noqa: ARG002
        """Return by how much more than its size a contrast can fall: |b_j| is b_j or -b_j."""
        if removals > len(self._moves):
            return math.inf
        pair, lead = (np.array([ahead]), np.array([behind])), 0.0
        for other in (-1.0, 1.0):
            fall = self._moves[removals - 1] * float(self._length(*pair, other)[0])
            if self._free:
                fall = min(fall, self._falls(*pair, other)[removals - 1])
            size = np.abs(self._coefficients[ahead]) + other * self._coefficients[behind]
            lead = max(lead, float(fall - size + self._slack))
        return lead

    def _length(self, ahead: IntArray, behind: IntArray, other: float) -> FloatArray:
        """Return the lengths of contrasts in the dual norm."""
        own = np.einsum("ii->i", self._inverse)
        sign = np.where(self._coefficients[ahead] < 0, -1.0, 1.0)
        cross = 2.0 * sign * self._inverse[ahead, behind]
        return np.asarray(np.sqrt(np.maximum(own[ahead] + own[behind] + other * cross, 0.0)) * SURE)

    def _contrast(self, ahead: IntArray, behind: IntArray, other: float) -> FloatArray:
        """Return how far a contrast must fall at least for a tie to become possible."""
        found = np.abs(self._coefficients[ahead]) + other * self._coefficients[behind]
        return np.asarray(np.maximum(found - self._slack, 0.0))

    def _falls(self, ahead: IntArray, behind: IntArray, other: float) -> FloatArray:
        """Return how far a contrast falls at most when 1, 2, ... rows leave."""
        sign = -1.0 if self._coefficients[ahead[0]] < 0 else 1.0
        pulls = sign * self._loads[:, ahead[0]] + other * self._loads[:, behind[0]]
        gains = np.sort(pulls * self._residuals)[::-1][: len(self._together)]
        direct = np.cumsum(np.maximum(gains, 0.0)) * SURE
        rest = self._largest(pulls) * self._missed * self._together / (1.0 - self._together)
        return np.asarray(direct + rest)

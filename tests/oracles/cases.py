"""Generated scores and inflations that floats and the exact oracle see alike."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from oracles.exact import ExactEps, Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

FINE = 10_007  # a prime: fine scores are on no coarse grid, and ties are rare


@dataclass(frozen=True)
class Case:
    """Scores ``counts / unit`` and an eps of ``steps / unit``, or that times sqrt(2)."""

    counts: tuple[int, ...]
    unit: int
    steps: int
    times_root: bool

    @cached_property
    def scores(self) -> Scores:
        return tuple(Fraction(count, self.unit) for count in self.counts)

    @cached_property
    def exact_eps(self) -> ExactEps:
        size = Fraction(self.steps, self.unit)
        return ExactEps(root=size) if self.times_root else ExactEps(rational=size)

    @property
    def w(self) -> NDArray[np.float64]:
        """The scores as a user has them: divided in floating point."""
        return np.array(self.counts, dtype=np.float64) / self.unit

    @property
    def eps(self) -> float:
        factor = math.sqrt(2) if self.times_root else 1.0
        return factor * self.steps / self.unit

    @property
    def items(self) -> int:
        return len(self.counts)


def _counts(least: int, most: int, top: int) -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(st.integers(0, top), min_size=least, max_size=most).map(tuple)


def cases(least: int = 1, most: int = 6) -> st.SearchStrategy[Case]:
    """Half of the cases lie on a coarse grid (ties, and distances of exactly eps), half do not."""
    coarse = st.builds(
        Case,
        _counts(least, most, 5),
        st.integers(1, 60),
        st.sampled_from([1, 1, 2, 3, 4]),
        st.sampled_from([True, True, True, False]),
    )
    fine_steps = st.one_of(st.integers(1, FINE // 4), st.integers(1, FINE))
    fine = st.builds(
        Case, _counts(least, most, FINE), st.just(FINE), fine_steps, st.booleans()
    )
    return st.one_of(coarse, fine)


@st.composite
def close_pairs(draw: st.DrawFn, least: int = 1, most: int = 6) -> tuple[Case, Case]:
    """Two score vectors with one eps, their distance below it, often only just."""
    first = draw(cases(least, most))
    reach = max(first.counts) // 2 + 1
    moves = st.lists(
        st.integers(-reach, reach), min_size=first.items, max_size=first.items
    )
    counts = tuple(c + move for c, move in zip(first.counts, draw(moves), strict=True))
    square = sum((a - b) ** 2 for a, b in zip(first.counts, counts, strict=True))
    # The smallest number of steps with (steps * factor)^2 > square, sometimes one or two more.
    least_steps = math.isqrt(square // (2 if first.times_root else 1)) + 1
    steps = least_steps + draw(st.integers(0, 2))
    return (
        Case(first.counts, first.unit, steps, first.times_root),
        Case(counts, first.unit, steps, first.times_root),
    )

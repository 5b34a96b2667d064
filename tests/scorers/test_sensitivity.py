"""Proved bounds as numbers: rounded up, and strict where they must be."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given, strategies as st

from steadyrank.data import Votes
from steadyrank.scorers import Plurality
from steadyrank.scorers.sensitivity import root_rounded_up


@given(st.fractions(min_value=0, max_value=10**6))
def test_roots_are_rounded_up_and_tight(square: Fraction) -> None:
    root = root_rounded_up(square)
    assert Fraction(root) ** 2 >= square
    assert root == 0 or Fraction(math.nextafter(root, 0)) ** 2 < square


@given(st.integers(1, 10**9))
def test_the_bound_is_the_first_float_that_is_not_below_it(n: int) -> None:
    bound = Plurality().sensitivity(Votes(["a", "b"], counts=[n, 1]))
    square = Fraction(2, (n + 1) ** 2)
    assert Fraction(bound.eps) ** 2 >= square
    assert Fraction(math.nextafter(bound.eps, 0)) ** 2 < square


def test_one_item_cannot_move() -> None:
    bound = Plurality().sensitivity(Votes(["a"], counts=[5]))
    assert bound.eps == 0
    assert bound.sentence.endswith("moves the shares by at most 0, for any votes.")

"""Scores exactly on the boundary, as votes put them there: the exact oracle must be obeyed."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest

from oracles import exact
from oracles.cases import Case
from steadyrank.operators.inflation import just_above
from steadyrank.operators.rankings import inflated_ranking
from steadyrank.operators.topk_sets import inflated_topk, inflated_topk_mask


@lru_cache
def boundary_counts(steps: int, items: int, top: int) -> list[tuple[int, ...]]:
    """Return descending counts where an item is exactly at distance eps = steps sqrt(2)."""
    eps = exact.ExactEps(root=Fraction(steps))
    found = []
    for counts in itertools.combinations_with_replacement(range(top, -1, -1), items):
        if counts[-1] == 0:  # shifts of one another are the same case
            scores = tuple(Fraction(count) for count in counts)
            if exact.boundary_items(scores, eps):
                found.append(counts)
    return found


def ways_to_compute(steps: int, n: int) -> set[float]:
    """Return eps = steps sqrt(2) / n in the ways in which a user may round it."""
    root = math.sqrt(2)
    return {
        steps * root / n,
        steps / n * root,
        root / n * steps,
        math.sqrt(2 * steps**2) / n,
        math.sqrt(2 * (steps / n) ** 2),
        math.hypot(steps / n, steps / n),
    }


def check(counts: tuple[int, ...], n: int, steps: int) -> None:
    case = Case(counts, n, steps, times_root=True)
    for k in range(1, len(counts) + 1):
        expected = exact.inflated_topk(case.scores, k, case.exact_eps)
        for eps in ways_to_compute(steps, n):
            assert set(inflated_topk(case.w, k, eps).indices.tolist()) == expected
            assert (
                set(np.flatnonzero(inflated_topk_mask(case.w, k, eps)).tolist())
                == expected
            )


@pytest.mark.parametrize("n", range(2, 61))
def test_votes_with_eps_root_two_over_n(n: int) -> None:
    """Every split of n votes in up to four, near the top, where one vote decides."""
    random = np.random.default_rng(n)
    for items in (2, 3, 4, 5):
        for _ in range(8):
            votes = tuple(random.multinomial(n, np.full(items, 1 / items)).tolist())
            check(votes, n, 1)
    for lead in range(1, min(n, 6)):
        check((n - lead, lead), n, 1)
        check((n, n - 1, n - 1, n - lead), n, 1)


@pytest.mark.parametrize(
    ("steps", "items", "top"), [(1, 5, 3), (2, 4, 6), (3, 4, 7), (7, 3, 16)]
)
def test_every_small_boundary_case(steps: int, items: int, top: int) -> None:
    """All counts where an item is exactly at distance eps, at many sample sizes."""
    found = boundary_counts(steps, items, top)
    assert found
    for counts in found:
        for n in (1, 3, 7, 10, 49, 1000, 12_345, 10**7 + 1):
            check(counts, n, steps)


def test_boundary_cases_beyond_a_single_gap_exist() -> None:
    """The search above also finds items on the boundary that are third or later in the window."""
    third = []
    for steps in range(1, 14):
        eps = exact.ExactEps(root=Fraction(steps))
        third += [
            (counts, steps)
            for counts in boundary_counts(steps, 3, 2 * steps)
            if exact.gap_sign(Fraction(counts[0] - counts[1]), eps) < 0
        ]
    assert third
    for counts, steps in third:
        for n in range(2, 61):
            check(counts, n, steps)


@pytest.mark.parametrize("offset", [0.0, 1.0, -1.0, 1000.0, -3e6, 2.0**20])
def test_boundary_cases_far_from_zero(offset: float) -> None:
    """Scores carry the rounding of their size: the same case with a large constant added."""
    for n in (3, 7, 10, 49):
        w = offset + np.array([5.0, 4.0, 4.0, 1.0]) / n
        assert inflated_topk(w, 1, math.sqrt(2) / n).indices.tolist() == [0]
        assert inflated_topk(w, 2, math.sqrt(2) / n).indices.tolist() == [0, 1, 2]


@pytest.mark.parametrize("n", [10, 1000, 10**6, 10**9])
def test_one_vote_more_than_the_boundary_is_in(n: int) -> None:
    """The allowance for rounding does not swallow a real difference: eps for n - 1 votes."""
    w = np.array([0.5 + 1 / n, 0.5])
    assert inflated_topk(w, 1, math.sqrt(2) / n).size == 1
    assert inflated_topk(w, 1, math.sqrt(2) / n * (1 + 2e-6)).size == 2
    assert (
        inflated_topk(w, 1, math.sqrt(2) / max(n - 1, 1) if n < 10**5 else 2 / n).size
        == 2
    )


@pytest.mark.parametrize("n", [10**power for power in range(1, 10)])
@pytest.mark.parametrize("offset", [0.0, 0.5, -3.0])
def test_just_above_a_distance_the_promise_of_theorems_4_and_8_holds(
    n: int, offset: float
) -> None:
    """Two items exchange a lead of one vote in n: an eps taken from that distance must suffice."""
    w = offset + np.array([1.0, 0.0]) / n
    v = w[::-1]
    eps = just_above(math.dist(w, v))
    assert inflated_topk(w, 1, eps).size == inflated_topk(v, 1, eps).size == 2
    assert inflated_ranking(w, eps).intersects(inflated_ranking(v, eps))
    assert eps <= math.dist(w, v) * (1 + 1e-5)


def test_just_above_holds_for_any_pair_at_that_distance() -> None:
    random = np.random.default_rng(1)
    for _ in range(200):
        items, size = int(random.integers(2, 8)), 10.0 ** random.integers(-9, 1)
        w = random.normal() + size * random.integers(0, 4, items)
        v = w + size * random.integers(-2, 3, items)
        if (w == v).all():
            continue
        eps = just_above(math.dist(w, v))
        for k in range(1, items + 1):
            shared = inflated_topk_mask(w, k, eps) & inflated_topk_mask(v, k, eps)
            assert shared.sum() >= k
        assert inflated_ranking(w, eps).intersects(inflated_ranking(v, eps))

"""Exact counts against a plain dictionary of states, and where they are known in closed form."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from oracles.projection import inflated_argmax
from steadyrank.operators.rankings import inflated_ranking


def count_of_sets(scores: list[float], eps: float) -> int:
    """Count over all remaining sets, each eligibility by projection: nothing is assumed."""
    counts = {frozenset(range(len(scores))): 1}
    for _ in scores:
        following: Counter[frozenset[int]] = Counter()
        for left, number in counts.items():
            rest = sorted(left)
            for place in inflated_argmax([scores[j] for j in rest], eps):
                following[left - {rest[place]}] += number
        counts = dict(following)
    return counts[frozenset()]


def eligible_number(ranked: list[float], eps: float) -> int:
    """Return how many of the descending scores are eligible: the closed form, step by step."""
    d = g = 0.0
    r = 1
    while r < len(ranked):
        gap = (ranked[r - 1] - ranked[r]) / eps
        d_next, g_next = d + r * gap, g + 2 * gap * d + r * gap * gap
        if d_next**2 + g_next >= 1:
            break
        d, g, r = d_next, g_next, r + 1
    below = d / r + math.sqrt(0.5) - math.sqrt((r + 1) / r * (1 - (g - d * d / r)))
    tau = ranked[r - 1] + eps * below
    return max(r, sum(score > tau for score in ranked))


def count_of_states(scores: list[float], eps: float) -> int:
    """Count over (best item left, which ones below it are gone), in Python integers."""
    ranked = sorted(scores, reverse=True)
    states = {(0, frozenset[int]()): 1}
    for _ in ranked:
        following: Counter[tuple[int, frozenset[int]]] = Counter()
        for (first, gone), number in states.items():
            near = [
                j
                for j in range(first, len(ranked))
                if ranked[first] - ranked[j] < eps and j not in gone
            ]
            for j in near[: eligible_number([ranked[i] for i in near], eps)]:
                taken = gone | {j}
                start = next(i for i in range(first, len(ranked) + 1) if i not in taken)
                following[start, frozenset(i for i in taken if i > start)] += number
        states = dict(following)
    return sum(states.values())


@pytest.mark.parametrize("seed", range(4))
def test_count_of_nine_items_is_that_over_all_remaining_sets(seed: int) -> None:
    random = np.random.default_rng(seed)
    scores = random.random(9) if seed % 2 else random.integers(0, 30, 9) / 29
    for eps in (0.1, 0.35):
        expected = count_of_sets(scores.tolist(), eps)
        assert inflated_ranking(scores, eps).count() == expected
        assert count_of_states(scores.tolist(), eps) == expected


@pytest.mark.parametrize(
    ("items", "within"), [(30, 1.5), (40, 4.0), (60, 3.0), (90, 4.5), (150, 2.5)]
)
@pytest.mark.parametrize("tied", [False, True])
def test_long_counts_are_those_of_a_dictionary_of_states(
    items: int, within: float, tied: bool
) -> None:
    """Counts of many digits, ties included, with about ``within`` items within c of each other."""
    random = np.random.default_rng(items)
    scores = random.integers(0, items, items) / items if tied else random.random(items)
    eps = math.sqrt(2) * within / items * 1.000123  # on no boundary of the grid
    assert inflated_ranking(scores, eps).count() == count_of_states(
        scores.tolist(), eps
    )


def test_counts_of_ties_are_factorials_of_any_size() -> None:
    assert inflated_ranking(np.zeros(1000), 1e-6).count() == math.factorial(1000)
    three = np.repeat([3.0, 2.0, 1.0], [40, 1, 300])
    assert inflated_ranking(three, 1.0).count() == math.factorial(40) * math.factorial(
        300
    )


def test_two_blocks_of_near_ties_by_the_product_rule() -> None:
    """A count that is known in closed form, though no two scores are equal."""
    scores = np.concatenate([1e-9 * np.arange(12), 5 + 1e-9 * np.arange(10)])
    assert inflated_ranking(scores, 1.0).count() == math.factorial(12) * math.factorial(
        10
    )


def test_a_thousand_scores_with_ten_of_them_within_c() -> None:
    scores = np.random.default_rng(0).random(1000)
    rankings = inflated_ranking(scores, 0.015)
    number = rankings.count()
    assert isinstance(number, int)
    assert number > 10**700

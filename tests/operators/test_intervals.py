"""Rank intervals, certain order and tiers against enumeration by the exact oracle."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given

from oracles import enumeration, exact
from oracles.cases import Case, cases
from steadyrank.operators.intervals import (
    certainly_above,
    eligible_ends,
    rank_intervals,
    tiers,
)
from steadyrank.operators.topk_sets import inflated_topk_mask


def slow_intervals(scores: np.ndarray, eps: float) -> tuple[list[int], list[int]]:
    """One inflated top-k for each k, and one difference for each pair."""
    masks = np.array(
        [inflated_topk_mask(scores, k, eps) for k in range(1, len(scores) + 1)]
    )
    order = certainly_above(scores, eps)
    return (1 + masks.argmax(axis=0)).tolist(), (
        len(scores) - order.sum(axis=1)
    ).tolist()


@given(cases(most=5))
def test_intervals_are_those_of_the_enumerated_rankings(case: Case) -> None:
    orders = enumeration.exact_rankings(case.scores, case.exact_eps)
    best, worst = rank_intervals(case.w, case.eps)
    assert (best.tolist(), worst.tolist()) == enumeration.rank_ranges(orders)


@given(cases(most=40))
def test_intervals_are_those_of_one_topk_for_each_k(case: Case) -> None:
    best, worst = rank_intervals(case.w, case.eps)
    assert (best.tolist(), worst.tolist()) == slow_intervals(case.w, case.eps)


@pytest.mark.parametrize("items", [1, 2, 3, 64, 257, 700])
def test_intervals_at_many_widths_of_window(items: int) -> None:
    random = np.random.default_rng(items)
    for scores in (
        random.random(items),
        random.integers(0, 8, items) / 7,
        np.ones(items),
    ):
        for eps in (1e-9, 0.5 / items, 0.02, 0.3, 3.0):
            best, worst = rank_intervals(scores, eps)
            assert (best.tolist(), worst.tolist()) == slow_intervals(scores, eps)


def test_eligible_ranges_do_not_depend_on_chunks() -> None:
    ranked = -np.sort(-np.random.default_rng(1).integers(0, 300, 400) / 299)
    whole = eligible_ends(ranked, 0.05)
    for chunk in (1, 7, 64, 399, 400):
        np.testing.assert_array_equal(eligible_ends(ranked, 0.05, chunk), whole)


@pytest.mark.parametrize("offset", [1e15, -1e15])
def test_intervals_of_large_scores(offset: float) -> None:
    """Multiples of 1/8 at 1e15 are exact, so that their gaps are, and so must be the answer."""
    random = np.random.default_rng(2)
    for _ in range(50):
        scores = random.integers(0, 40, 7) / 8
        eps = float(random.uniform(0.2, 4))
        np.testing.assert_array_equal(
            rank_intervals(scores + offset, eps), rank_intervals(scores, eps)
        )
        np.testing.assert_array_equal(
            certainly_above(scores + offset, eps), certainly_above(scores, eps)
        )


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1.0, 1e200, 1e300])
def test_magnitude_does_not_matter(size: float) -> None:
    w = np.array([1.0, 0.5, 0.0, 0.9, 0.5])
    for eps in (0.05, 0.5, 1.0, 2.0):
        np.testing.assert_array_equal(
            rank_intervals(w * size, eps * size), rank_intervals(w, eps)
        )
        assert _lists(tiers(w * size, eps * size)) == _lists(tiers(w, eps))


@pytest.mark.parametrize(
    ("scores", "eps"), [([1.0, 0.0, 0.5], 1e-200), ([1e308, -1e308, 0.0], 1.0)], ids=str
)
def test_scores_far_apart_do_not_overflow(scores: list[float], eps: float) -> None:
    best, worst = rank_intervals(scores, eps)
    assert best.tolist() == worst.tolist() == [1, 3, 2]
    assert _lists(tiers(scores, eps)) == [[0], [2], [1]]
    assert certainly_above(scores, eps).sum() == 3


@given(cases(most=7))
def test_the_certain_order_is_a_gap_of_at_least_c(case: Case) -> None:
    order = certainly_above(case.w, case.eps)
    for i in range(case.items):
        for j in range(case.items):
            gap = case.scores[i] - case.scores[j]
            expected = exact.gap_sign(gap, case.exact_eps) >= 0
            assert order[i, j] == expected


@given(cases(most=30))
def test_tiers_split_at_gaps_of_at_least_c_and_hold_every_item_once(case: Case) -> None:
    ranked = exact.plain_ranking(case.scores)
    expected = [[ranked[0]]]
    for above, below in itertools.pairwise(ranked):
        gap = case.scores[above] - case.scores[below]
        if exact.gap_sign(gap, case.exact_eps) >= 0:
            expected.append([])
        expected[-1].append(below)
    assert _lists(tiers(case.w, case.eps)) == expected


def test_section_9_rank_intervals_by_hand() -> None:
    best, worst = rank_intervals([1.0, 0.5, 0.0], 1.0)
    assert best.tolist() == [1, 1, 2]
    assert worst.tolist() == [2, 3, 3]


def test_a_long_vector() -> None:
    """A million scores: the bounds are consistent with each other and with the plain ranks."""
    scores = np.random.default_rng(3).random(1_000_000)
    best, worst = rank_intervals(scores, 3e-6)
    plain = np.empty(len(scores), np.int64)
    plain[np.argsort(-scores, kind="stable")] = 1 + np.arange(len(scores))
    assert (best <= plain).all()
    assert (plain <= worst).all()
    assert 1 < (worst - best).mean() < 10


def _lists(blocks: list[np.ndarray]) -> list[list[int]]:
    return [block.tolist() for block in blocks]


def test_a_pair_further_apart_than_any_float_is_certain_without_a_warning():
    order = certainly_above([1.5e308, -1.5e308], 1.0)
    assert order[0, 1]
    assert not order[1, 0]

"""What the documentation proves about cover (docs/research/cover.md), one test each."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from oracles.cases import Case, close_pairs
from steadyrank.operators import critical_eps, inflated_ranking, inflated_topk, topk

FACTOR = 2 + math.sqrt(2)


@given(close_pairs(most=7))
def test_close_scores_have_their_plain_top_k_in_the_list_at_the_factor(
    pair: tuple[Case, Case],
) -> None:
    """If ||w - v|| < eps, the plain top k of v lies in the inflated top-k of w at (2 + sqrt 2) eps."""
    first, second = pair
    for k in range(1, first.items + 1):
        listed = inflated_topk(first.w, k, FACTOR * first.eps).indices
        assert set(topk(second.w, k).tolist()) <= set(listed.tolist())


@given(close_pairs(most=7))
def test_close_scores_have_their_plain_ranking_in_the_set_at_the_factor(
    pair: tuple[Case, Case],
) -> None:
    first, second = pair
    ranking = np.argsort(-second.w, kind="stable")
    assert ranking in inflated_ranking(first.w, FACTOR * first.eps)


@pytest.mark.parametrize("above", [1, 2, 10, 1000])
def test_the_factor_is_sharp_for_equal_scores_above_an_item(above: int) -> None:
    """To pass so many equal scores takes little more than d, and the list needs a multiple of that."""
    scores, last = np.array([1.0] * above + [0.0]), above
    tie = math.sqrt(above / (above + 1))
    ratio = math.sqrt(2) / (math.sqrt(2) - tie)
    assert float(critical_eps(scores, 1)[last]) == pytest.approx(ratio * tie)
    assert FACTOR * (1 - 2 / above) < ratio < FACTOR

    passed = np.full(above + 1, above / (above + 1))
    passed[last] += 1e-6
    eps = float(np.linalg.norm(scores - passed)) * (1 + 1e-6)
    assert topk(passed, 1).tolist() == [last]
    assert last in inflated_topk(scores, 1, FACTOR * eps)
    assert last not in inflated_topk(scores, 1, 0.999 * ratio * eps)


def test_one_item_above_needs_twice_the_distance() -> None:
    assert float(critical_eps([1.0, 0.0], 1)[-1]) == pytest.approx(2 * math.sqrt(1 / 2))

"""The ball's list: the slow twin, a search over the ball, and the factor of cover."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from oracles.ball import squared_distances
from steadyrank import (
    ball_topk,
    critical_eps,
    inflated_ranking,
    inflated_topk,
    topk,
)
from steadyrank.operators import topk_sets
from steadyrank.operators.inflation import just_above
from steadyrank.operators.topk_sets import _ball_distances, cover_factor


def distances_of(scores, k):
    return _ball_distances(np.asarray(scores, dtype=np.float64), k)


def whole_scores():
    """Yield small scores, with ties of every kind."""
    for items in range(1, 5):
        yield from product(range(4), repeat=items)
    rng = np.random.default_rng(26)
    for _ in range(60):
        yield tuple(rng.integers(0, 12, rng.integers(5, 7)).tolist())


@cache
def exact_squares():
    """Return scores, a k, and the squared distances of all items by the slow twin: for every case."""
    return [
        (scores, k, squared_distances(scores, k))
        for scores in whole_scores()
        for k in range(1, len(scores) + 1)
    ]


def test_distances_are_those_of_the_slow_twin() -> None:
    for scores, k, squares in exact_squares():
        exact = [float(square) ** 0.5 for square in squares]
        np.testing.assert_allclose(
            distances_of(scores, k), exact, rtol=1e-12, atol=1e-12
        )


def test_a_distance_on_the_boundary_is_out_and_ties_are_in_at_every_eps() -> None:
    for scores, k, squares in exact_squares():
        for eps in (0.5, 1.0, 2.0):
            inside = {
                item
                for item, square in enumerate(squares)
                if square < Fraction(eps) ** 2
            }
            assert set(ball_topk(scores, k, eps).tolist()) == inside
        order = topk(scores, len(scores)).tolist()
        tied = [
            item
            for item in order
            if item in order[:k] or scores[item] == scores[order[k - 1]]
        ]
        assert ball_topk(scores, k, 1e-9).tolist() == tied


def nearest_scores(scores, k, item):
    """Return the scores at the distance of an item, a hair beyond: the item is then in the top k."""
    order = topk(scores, len(scores))
    window = [
        other for other in order[k - 1 :].tolist() if scores[other] > scores[item]
    ]
    level = float(scores[item])
    for number in range(len(window), 0, -1):
        mean = (scores[item] + sum(scores[other] for other in window[:number])) / (
            number + 1
        )
        if all(scores[other] >= mean for other in window[:number]):
            level = mean
            break
    found = scores.copy()
    found[[other for other in window if scores[other] > level]] = level
    found[item] = level + 1e-9
    return found


def test_no_scores_in_the_ball_leave_the_list_and_each_member_is_reached() -> None:
    rng = np.random.default_rng(17)
    for _ in range(300):
        items = int(rng.integers(2, 8))
        scores = (
            rng.integers(0, 9, items) / 8 if rng.random() < 0.4 else rng.random(items)
        )
        k, eps = int(rng.integers(1, items + 1)), float(rng.choice([0.05, 0.2, 0.5]))
        listed = set(ball_topk(scores, k, eps).tolist())
        distances = distances_of(scores, k)
        for item in range(items):
            found = nearest_scores(scores, k, item)
            reached = np.linalg.norm(found - scores)
            assert reached == pytest.approx(distances[item], abs=1e-8)
            assert item in topk(found, k)
            assert (item in listed) == (distances[item] < eps)
        moves = rng.normal(size=(200, items))
        moves *= (eps * rng.random(200) ** (1 / items) / np.linalg.norm(moves, axis=1))[
            :, np.newaxis
        ]
        for moved in scores + moves * (1 - 1e-12):
            assert set(topk(moved, k).tolist()) <= listed


def test_the_list_is_inside_every_inflated_list_that_covers() -> None:
    rng = np.random.default_rng(18)
    shorter = 0
    for _ in range(300):
        items = int(rng.integers(2, 30))
        scores, eps = rng.random(items), float(rng.choice([0.01, 0.1, 0.3]))
        k = int(rng.integers(1, items + 1))
        ours = set(ball_topk(scores, k, eps).tolist())
        covering = inflated_topk(scores, k, cover_factor(items - k) * eps)
        assert ours <= set(covering)
        shorter += len(ours) < len(covering)
    assert shorter > 50
    votes = np.array([100, 97, 96, 60]) / 353
    eps = just_above(np.sqrt(2) / 353)
    assert ball_topk(votes, 1, eps).tolist() == [0]
    assert len(inflated_topk(votes, 1, (2 + np.sqrt(2)) * eps)) == 2


@pytest.mark.parametrize("window", range(1, 9))
def test_the_factor_is_reached_and_never_passed(window: int) -> None:
    scores = np.array([1.0] * window + [0.0])
    distance, critical = distances_of(scores, 1)[-1], critical_eps(scores, 1)[-1]
    assert critical == pytest.approx(cover_factor(window) * distance, rel=1e-9)
    rng = np.random.default_rng(window)
    for _ in range(200):
        k = int(rng.integers(1, 4))
        scores = rng.random(window + k) ** rng.choice([0.2, 1, 3])
        most = cover_factor(window) * distances_of(scores, k)
        assert (critical_eps(scores, k) <= most * (1 + 1e-9)).all()


def test_rankings_are_covered_at_the_factor_of_their_length() -> None:
    rng = np.random.default_rng(3)
    for _ in range(150):
        scores = rng.random(int(rng.integers(2, 7)))
        move = rng.normal(size=len(scores))
        moved = scores + move * (0.3 * rng.random() / np.linalg.norm(move))
        eps = just_above(float(np.linalg.norm(moved - scores)))
        order = np.argsort(-moved, kind="stable")
        assert order in inflated_ranking(scores, cover_factor(len(scores) - 1) * eps)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_neither_the_scale_nor_a_shift_decides(scale: float) -> None:
    scores = np.array([1.0, 0.97, 0.96, 0.6, 0.6, 0.1])
    for k in (1, 2, 5, 6):
        expected = scale * distances_of(scores, k)
        np.testing.assert_allclose(distances_of(scale * scores, k), expected, rtol=1e-9)
        np.testing.assert_allclose(
            distances_of(scores + 2.0**20, k),
            distances_of(scores, k),
            rtol=1e-6,
            atol=1e-6,
        )


def test_what_is_far_below_changes_nothing_and_the_largest_floats_are_far_apart() -> (
    None
):
    scores = np.array([3e-250, 2e-250, 2e-250, 0.0])
    expected = distances_of(scores, 1)
    np.testing.assert_array_equal(distances_of([*scores, -1e200], 1)[:4], expected)
    np.testing.assert_allclose(
        expected[1:] * 1e250, [0.70711, 0.70711, 2.17945], rtol=1e-5
    )
    top = np.finfo(np.float64).max
    assert distances_of([top, -top], 1)[1] > 1e308
    assert ball_topk([top, -top], 1, 1.0).tolist() == [0]


@pytest.mark.parametrize("fault", ["one too few moved", "not halved by their number"])
def test_a_planted_fault_is_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if fault == "one too few moved":
        real = np.searchsorted
        monkeypatch.setattr(
            np,
            "searchsorted",
            lambda *a, **how: np.maximum(real(*a, **how) - 1, 0),
            raising=True,
        )
    else:
        monkeypatch.setattr(
            topk_sets, "entry_eps", lambda distance, best: distance * 1.01
        )
    with pytest.raises(AssertionError):
        test_distances_are_those_of_the_slow_twin()

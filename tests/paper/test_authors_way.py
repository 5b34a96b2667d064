"""The straightforward baselines must be right before anything is compared with them."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import authors_way
from oracles.projection import distances, inflated_argmax, inflated_topk
from paper.in_a_ball import constrained_coefficients
from paper.regression import regression_trials

if TYPE_CHECKING:
    from paper.lookalike import Lookalike

SCORE = st.integers(0, 6).map(float) | st.floats(0, 6)
SCORES = st.lists(SCORE, min_size=1, max_size=6)
FEW_SCORES = st.lists(SCORE, min_size=1, max_size=4)
EPS = st.floats(0.3, 5.0)


def is_clear(scores: np.ndarray, eps: float) -> bool:
    """Floats decide no distance of exactly eps; the operators' own tests do."""
    order = np.argsort(-scores, kind="stable")
    return all(
        np.all(np.abs(distances(scores[order[k:]], eps) - eps) > 1e-9)
        for k in range(len(scores))
    )


@given(SCORES, EPS)
def test_inflated_top_k_is_that_of_the_definition(
    values: list[float], eps: float
) -> None:
    scores = np.array(values)
    assume(is_clear(scores, eps))
    for k in range(1, len(scores) + 1):
        assert authors_way.inflated_top_k(scores, k, eps) == inflated_topk(
            scores, k, eps
        )
        assert len(authors_way.top_k(scores, k)) == k
        assert authors_way.top_k(scores, k) <= authors_way.inflated_top_k(
            scores, k, eps
        )


@settings(max_examples=30)
@given(FEW_SCORES, EPS)
def test_inflated_rankings_are_those_of_the_definition(
    values: list[float], eps: float
) -> None:
    scores = np.array(values)
    places = range(len(scores))
    allowed_first = {}
    for rest in (rest for size in places for rest in combinations(places, size + 1)):
        left = scores[list(rest)]
        assume(np.all(np.abs(distances(left, eps) - eps) > 1e-9))
        allowed_first[rest] = {rest[place] for place in inflated_argmax(left, eps)}
    expected = {
        ranking
        for ranking in permutations(places)
        if all(
            ranking[place] in allowed_first[tuple(sorted(ranking[place:]))]
            for place in places
        )
    }
    assert authors_way.inflated_rankings(scores, eps) == expected


def test_the_small_case_of_the_paper() -> None:
    rankings = authors_way.inflated_rankings(np.array([1.0, 0.5, 0.0]), 1.0)
    assert rankings == {(0, 1, 2), (1, 0, 2), (0, 2, 1)}


def test_bisection_agrees_with_the_secular_equation() -> None:
    simulated = regression_trials(trials=20, features=4, rows=12)
    inside = []
    for X, y in zip(simulated.X, simulated.y, strict=True):
        found = authors_way.coefficients_by_bisection(X, y)
        assert found == pytest.approx(
            constrained_coefficients(X.T @ X, X.T @ y), abs=1e-10
        )
        inside.append(np.linalg.norm(found) < 1 - 1e-6)
    assert any(inside)
    assert not all(inside)


def test_ratings_are_audited_user_by_user() -> None:
    # Movie 0: 5, 5; movie 1: 5, 4; movie 2: 4. Scores 10/3, 3, 2; ties only once a user is gone.
    indptr, rated, values = [0, 2, 3, 5], [0, 1, 0, 1, 2], [5, 5, 5, 4, 4]
    frame = authors_way.ratings_frame(
        *(np.array(part) for part in (indptr, rated, values))
    )
    assert authors_way.mean_ratings(frame, 4) == pytest.approx([10 / 3, 3.0, 2.0, 0.0])
    # Without user 0: 5/2, 4/2, 4/2. Without 1: 5/2, 9/3, 4/2. Without 2: 10/3, 5/2, 0.
    result = authors_way.audit_ratings(frame, 4, [1, 2], eps=0.1)
    assert result[1]["top-k"] == authors_way.MethodResult(
        pytest.approx(1 / 3), pytest.approx(2 / 3), 1
    )
    assert result[2]["top-k"] == authors_way.MethodResult(0.0, 1.0, 2)
    # Without user 0 movies 1 and 2 tie, so both are in the inflated top 2.
    assert result[2]["inflated top-k"].jaccard == pytest.approx((1 + 1 + 2 / 3) / 3)


def test_one_user_of_a_look_alike_trial(small: Lookalike) -> None:
    trial = small.trial(0, n=60)
    frame = authors_way.ratings_frame(trial.indptr, trial.rated, trial.values)
    sums = np.bincount(trial.rated, trial.values, trial.n_items)
    counts = np.bincount(trial.rated, minlength=trial.n_items)
    assert authors_way.mean_ratings(frame, trial.n_items) == pytest.approx(
        sums / (1 + counts)
    )
    left_out = sums.copy()
    mine = slice(trial.indptr[7], trial.indptr[8])
    left_out[trial.rated[mine]] -= trial.values[mine]
    fewer = counts.copy()
    fewer[trial.rated[mine]] -= 1
    before, after = (
        authors_way.top_k(w, 100) for w in (sums / (1 + counts), left_out / (1 + fewer))
    )
    audited = authors_way.audit_ratings(
        frame, trial.n_items, [100], eps=0.01, users=[7]
    )
    assert audited[100]["top-k"].jaccard == len(before & after) / len(before | after)


def test_a_regression_trial_against_counting_by_hand() -> None:
    simulated = regression_trials(trials=1)
    X, y = simulated.X[0], simulated.y[0]
    result = authors_way.audit_regression(X, y, eps=0.05)

    def order(rows: list[int]) -> list[int]:
        part = X[rows]
        return np.argsort(
            -np.abs(constrained_coefficients(part.T @ part, part.T @ y[rows]))
        ).tolist()

    everything = list(range(50))
    changed = [
        order([r for r in everything if r != row]) != order(everything)
        for row in everything
    ]
    assert result["ranking"].delta == np.mean(changed)
    assert result["inflated ranking"].delta <= result["ranking"].delta

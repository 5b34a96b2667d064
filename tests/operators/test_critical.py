"""The critical eps against membership on a grid, a bisection, and the formula of the theory notes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from oracles import projection
from oracles.cases import Case, cases
from steadyrank.operators.inflation import critical_below, critical_eps, critical_rows
from steadyrank.operators.topk_sets import inflated_topk_mask


def by_bisection(scores: np.ndarray, k: int) -> np.ndarray:
    """Halve an interval of eps for every item on membership by projection."""
    order = np.argsort(-scores, kind="stable")
    rest = scores[order[k - 1 :]]
    found = np.zeros(len(scores))
    for place in range(1, len(rest)):
        low, high = 0.0, 4 * float(rest[0] - rest[-1]) + 1
        for _ in range(50):
            eps = (low + high) / 2
            nearest = projection.projection(rest, place, eps)
            low, high = (low, eps) if math.dist(nearest, rest) < eps else (eps, high)
        found[order[k - 1 + place]] = high
    return found


def by_formula(scores: np.ndarray, k: int) -> np.ndarray:
    """sqrt(2) min over y >= 0 of [ y + sqrt(2 y^2 + sum (x_l - x_j - y)+^2) ], by golden section."""
    from scipy.optimize import minimize_scalar

    order = np.argsort(-scores, kind="stable")
    rest = scores[order[k - 1 :]]
    found = np.zeros(len(scores))
    for place in range(1, len(rest)):
        above = rest - rest[place]

        def value(y: float, above: np.ndarray = above) -> float:
            return y + math.sqrt(2 * y * y + (np.maximum(above - y, 0) ** 2).sum())

        top = max(float(above[0]), 1e-300)
        best = minimize_scalar(
            value, bounds=(0, top), method="bounded", options={"xatol": 1e-12}
        )
        found[order[k - 1 + place]] = math.sqrt(2) * min(
            best.fun, value(0.0), value(top)
        )
    return found


@given(cases(most=5))
@settings(max_examples=15)  # a bisection of bisections is slow
def test_critical_eps_is_where_a_bisection_finds_it(case: Case) -> None:
    for k in range(1, case.items + 1):
        assert critical_eps(case.w, k) == pytest.approx(
            by_bisection(case.w, k), rel=1e-6, abs=1e-9
        )


@given(cases(most=7))
def test_critical_eps_is_that_of_the_formula(case: Case) -> None:
    for k in range(1, case.items + 1):
        assert critical_eps(case.w, k) == pytest.approx(
            by_formula(case.w, k), rel=1e-6, abs=1e-9
        )


@given(cases(most=8))
def test_membership_is_a_comparison_with_the_critical_eps(case: Case) -> None:
    """On a grid of eps, at the eps of the case (often a boundary) and at the critical values."""
    for k in range(1, case.items + 1):
        critical_values = critical_eps(case.w, k)
        for eps in (
            case.eps,
            *(np.arange(1, 30) * 0.11 / case.unit),
            *np.geomspace(1e-3, 10, 13),
        ):
            expected = inflated_topk_mask(case.w, k, eps)
            assert ((critical_values < eps) == expected).all()
        for value in critical_values[critical_values > 0]:
            at_value = inflated_topk_mask(case.w, k, value)
            assert ((critical_values < value) == at_value).all()
            inside = critical_values <= value
            assert (inflated_topk_mask(case.w, k, value * (1 + 1e-9)) >= inside).all()
            outside = critical_values >= value
            assert not (
                inflated_topk_mask(case.w, k, value * (1 - 1e-9)) & outside
            ).any()


@given(cases(least=2, most=8))
def test_plain_top_k_and_ties_with_it_are_zero_and_the_next_is_root_two_times_the_gap(
    case: Case,
) -> None:
    order = np.argsort(-case.w, kind="stable")
    ranked = case.w[order]
    for k in range(1, case.items + 1):
        values = critical_eps(case.w, k)
        assert ((values == 0) == (case.w >= ranked[k - 1])).all()
        assert (np.diff(values[order]) >= -1e-12).all()
        if k < case.items:
            gap = ranked[k - 1] - ranked[k]
            assert values[order[k]] == pytest.approx(
                math.sqrt(2) * gap, rel=1e-6, abs=1e-12
            )


def test_section_9_critical_eps_by_hand() -> None:
    assert critical_eps([1.0, 0.5, 0.0], 1) == pytest.approx(
        [0, 0.70711, 1.54583], abs=5e-6
    )


@pytest.mark.parametrize("items", [1, 2, 31, 32, 33, 34, 200])
def test_a_batch_is_its_rows(items: int) -> None:
    random = np.random.default_rng(items)
    batch = np.concatenate(
        [
            random.random((3, items)),
            random.integers(0, 6, (3, items)) / 5,
            np.ones((1, items)),
        ]
    )
    for k in {1, items // 2 + 1, items}:
        whole = critical_eps(batch, k)
        assert whole.shape == batch.shape
        for row, values in zip(batch, whole, strict=True):
            np.testing.assert_allclose(critical_eps(row, k), values, rtol=1e-14, atol=0)
        cube = critical_eps(batch[:6].reshape(2, 3, items), k)
        np.testing.assert_array_equal(cube.reshape(6, items), whole[:6])


def test_rows_do_not_depend_on_the_chunk_they_fall_into() -> None:
    batch = np.random.default_rng(5).integers(0, 50, (23, 9)) / 49
    whole = critical_eps(batch, 4)
    for chunk in (1, 8, 9, 10, 27, 23 * 9):
        np.testing.assert_array_equal(critical_rows(batch, 4, chunk), whole)


def test_narrow_and_wide_rows_count_alike() -> None:
    tails = -np.sort(-np.random.default_rng(6).integers(0, 9, (20, 25)) / 8, axis=1)
    below, best = tails[:, :1] - tails, tails[:, 0]
    narrow, wide = (critical_below(below, best, narrow=width) for width in (25, 0))
    np.testing.assert_array_equal(narrow, wide)


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1.0, 1e15, 1e150, 1e300])
def test_magnitude_scales_the_critical_eps(size: float) -> None:
    w = np.array([1.0, 0.5, 0.0, 0.9, 0.9])
    for k in range(1, 6):
        expected = critical_eps(w, k) * size
        assert critical_eps(w * size, k) == pytest.approx(expected, rel=1e-12, abs=0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=10), st.floats(1e-6, 1e6))
def test_membership_is_the_comparison_for_any_floats(
    values: list[float], eps: float
) -> None:
    scores = np.array(values)
    for k in range(1, len(values) + 1):
        e = critical_eps(scores, k)
        np.testing.assert_array_equal(e < eps, inflated_topk_mask(scores, k, eps))


def test_empty_batches_and_k_equal_to_the_number_of_items() -> None:
    assert critical_eps(np.empty((0, 4)), 2).shape == (0, 4)
    assert critical_eps([3.0, 1.0, 2.0], 3).tolist() == [0, 0, 0]

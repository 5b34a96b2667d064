"""The oracles agree with each other and with a general solver, so that they may judge."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from oracles import enumeration, exact, projection
from oracles.cases import Case, cases, close_pairs
from oracles.leaving_out import left_out
from steadyrank import Ballots, Battles, Votes

NEAR = 1e-9  # distances this close to eps (relative to it) are left to the exact oracle


@given(st.integers(-400, 400), st.integers(-300, 300))
def test_sign_of_a_plus_b_root_two(a: int, b: int) -> None:
    value = a + b * math.sqrt(2)  # no such number but 0 is within 1e-4 of 0
    assert exact.sign(a, b) == (0 if abs(value) < 1e-4 else math.copysign(1, value))


@given(cases())
def test_exact_and_projected_distances_agree(case: Case) -> None:
    distance = projection.distances(case.w, case.eps)
    for item in range(case.items):
        sign = exact.distance_sign(case.scores, item, case.exact_eps)
        if abs(distance[item] - case.eps) > NEAR * case.eps:
            assert sign == math.copysign(1, distance[item] - case.eps)
        # The reverse is not asserted: a fine case may be near the boundary and not on it.


@given(cases(least=2, most=5))
def test_projection_lands_in_the_region_and_no_other_point_is_nearer(
    case: Case,
) -> None:
    """The region is convex: v is nearest iff (w - v) . (u - v) <= 0 for all u in the region."""
    w, c = case.w, case.eps / math.sqrt(2)
    random = np.random.default_rng(0)
    for item in range(case.items):
        v = projection.projection(w, item, case.eps)
        assert v[item] >= np.delete(v, item).max() + c - 1e-12
        for _ in range(5):
            u = v + random.normal(size=case.items) * case.eps
            u[item] = max(u[item], np.delete(u, item).max() + c)
            assert (w - v) @ (u - v) <= 1e-9 * (1 + case.eps**2 + w @ w)


@pytest.mark.parametrize("seed", range(6))
def test_projection_is_that_of_a_general_solver(seed: int) -> None:
    from scipy.optimize import LinearConstraint, minimize

    random = np.random.default_rng(seed)
    w, eps = random.random(5), 0.8
    for item in range(5):
        rows = np.array([np.eye(5)[item] - np.eye(5)[l] for l in range(5) if l != item])  # noqa: E741
        found = minimize(
            lambda v: ((v - w) ** 2).sum(),
            w + 2 * np.eye(5)[item],
            jac=lambda v: 2 * (v - w),
            method="SLSQP",
            constraints=[LinearConstraint(rows, eps / math.sqrt(2), np.inf)],
            options={"ftol": 1e-14},
        )
        assert projection.projection(w, item, eps) == pytest.approx(found.x, abs=1e-6)


def test_two_items_on_the_boundary_are_seen_as_such() -> None:
    eps = exact.ExactEps(root=Fraction(1, 7))
    scores = (Fraction(4, 7), Fraction(3, 7))
    assert exact.distance_sign(scores, 1, eps) == 0
    assert exact.inflated_argmax(scores, eps) == {0}


def test_the_generated_cases_reach_boundaries_ties_and_both_kinds_of_eps() -> None:
    """Without these the comparisons below would not test what they claim to test."""
    seen = {"boundary": 0, "ties": 0, "inflated": 0, "root": 0, "all": 0}

    @given(cases())
    def look(case: Case) -> None:
        seen["all"] += 1
        seen["boundary"] += bool(exact.boundary_items(case.scores, case.exact_eps))
        seen["ties"] += len(set(case.counts)) < case.items
        seen["inflated"] += (
            1 < len(exact.inflated_argmax(case.scores, case.exact_eps)) < case.items
        )
        seen["root"] += case.times_root

    look()
    assert seen["all"] >= 90
    assert seen["ties"] >= 20
    assert min(seen["boundary"], seen["inflated"], seen["root"]) >= 5


@given(close_pairs())
def test_generated_pairs_are_closer_than_eps(pair: tuple[Case, Case]) -> None:
    first, second = pair
    assert exact.closer_than(first.scores, second.scores, first.exact_eps)


@given(cases(most=4))
def test_enumerations_agree_away_from_boundaries(case: Case) -> None:
    for size in range(1, case.items + 1):
        for rest in itertools.combinations(range(case.items), size):
            distance = projection.distances(case.w[list(rest)], case.eps)
            if (abs(distance - case.eps) <= NEAR * case.eps).any():
                return
    exactly = enumeration.exact_rankings(case.scores, case.exact_eps)
    assert exactly == enumeration.projected_rankings(case.w.tolist(), case.eps)


def test_an_eps_with_two_parts_is_refused() -> None:
    with pytest.raises(ValueError, match="one part must be 0"):
        exact.ExactEps(Fraction(1), Fraction(1))


def test_the_oracle_takes_single_votes_and_ballots_away() -> None:
    votes = [
        (copies, rest.tally.tolist())
        for copies, rest in left_out(Votes(["a", "b", "a", "c"]))
    ]
    assert sum(copies for copies, _ in votes) == 4
    assert sorted({tuple(tally) for _, tally in votes}) == [
        (1, 1, 1),
        (2, 0, 1),
        (2, 1, 0),
    ]
    ballots = Ballots([["x", "y"], ["y", {"x", "z"}]], counts=[2, 1])
    rests = [
        (copies, list(rest.units.labels), rest.counts.tolist())
        for copies, rest in left_out(ballots)
    ]
    assert rests == [(2, ["x > y", "y > x = z"], [1, 1]), (1, ["x > y"], [2])]


def test_the_oracle_takes_whole_groups_of_battles_away() -> None:
    outcomes = ["left", "tie", "right"]
    battles = Battles(
        ["a", "a", "b"],
        ["b", "c", "c"],
        outcomes,
        counts=[2, 1, 3],
        units=["u", "v", "u"],
    )
    first, second = (rest for _, rest in left_out(battles))
    assert (first.left.tolist(), first.right.tolist(), first.outcome.tolist()) == (
        [0],
        [2],
        [0],
    )
    assert (second.outcome.tolist(), second.counts.tolist()) == ([1, -1], [2, 3])
    assert first.items == second.items == battles.items

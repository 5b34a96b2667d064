"""Facts about the inflated argmax and top-k that hold for all scores, floats of any size included."""

from __future__ import annotations

import itertools
import math

import numpy as np
from hypothesis import given, strategies as st

from oracles import exact, projection
from oracles.cases import Case, cases
from steadyrank.operators.topk_sets import (
    inflated_argmax,
    inflated_topk,
    inflated_topk_mask,
    topk,
)

NEAR = 1e-9


@st.composite
def float_scores(draw: st.DrawFn) -> tuple[np.ndarray, float]:
    """Scores and an eps of any magnitude, the spread of the scores comparable with eps."""
    eps = draw(st.floats(1e-200, 1e200))
    multiples = draw(st.lists(st.floats(-3, 3), min_size=1, max_size=8))
    return np.array(multiples) * eps, eps


@given(float_scores())
def test_membership_is_that_of_the_projection(drawn: tuple[np.ndarray, float]) -> None:
    w, eps = drawn
    # The oracle squares: give it the same problem in units of eps.
    for k in range(1, len(w) + 1):
        order = np.argsort(-w, kind="stable")
        rest = order[k - 1 :]
        distance = projection.distances((w[rest] - w[rest[0]]) / eps, 1.0)
        mask = inflated_topk_mask(w, k, eps)
        assert mask[order[: k - 1]].all()
        assert mask[rest[distance < 1 - NEAR]].all()
        assert not mask[rest[distance > 1 + NEAR]].any()


@given(cases(most=8))
def test_members_are_those_of_the_exact_oracle_boundary_included(case: Case) -> None:
    for k in range(1, case.items + 1):
        expected = exact.inflated_topk(case.scores, k, case.exact_eps)
        found = inflated_topk(case.w, k, case.eps)
        assert set(found.indices.tolist()) == expected
        assert (
            set(np.flatnonzero(inflated_topk_mask(case.w, k, case.eps)).tolist())
            == expected
        )
        assert found.size == len(found) == len(found.indices)


@given(cases(most=8))
def test_members_are_a_prefix_of_the_sorted_order_and_ties_enter_together(
    case: Case,
) -> None:
    order = topk(case.w, case.items)
    assert order.tolist() == exact.plain_ranking(case.scores)
    for k in range(1, case.items + 1):
        found = inflated_topk(case.w, k, case.eps)
        assert found.indices.tolist() == order[: found.size].tolist()
        assert topk(case.w, k).tolist() == order[:k].tolist()
        inside = set(found.indices.tolist())
        lowest = min(case.counts[j] for j in inside)
        assert inside == {j for j in range(case.items) if case.counts[j] >= lowest}


@given(cases(most=8), st.integers(1, 50))
def test_the_set_grows_with_eps(case: Case, more: int) -> None:
    wider = Case(case.counts, case.unit, case.steps + more, case.times_root)
    for k in range(1, case.items + 1):
        smaller = inflated_topk_mask(case.w, k, case.eps)
        assert (smaller <= inflated_topk_mask(case.w, k, wider.eps)).all()


@given(cases(most=8))
def test_the_set_grows_with_k(case: Case) -> None:
    masks = [inflated_topk_mask(case.w, k, case.eps) for k in range(1, case.items + 1)]
    assert all((a <= b).all() for a, b in itertools.pairwise(masks))
    assert masks[-1].all()


@given(cases(most=8), st.integers(1, 1000), st.integers(-1000, 1000))
def test_scale_and_shift_change_nothing(case: Case, scale: int, shift: int) -> None:
    """argmax_{a eps}(a w + b) = argmax_eps(w), boundary cases included."""
    moved = np.array([scale * c + shift for c in case.counts], dtype=float) / case.unit
    for k in range(1, case.items + 1):
        expected = inflated_topk_mask(case.w, k, case.eps)
        assert (inflated_topk_mask(moved, k, scale * case.eps) == expected).all()


@given(cases(most=8))
def test_members_of_the_argmax_are_less_than_c_below_the_best(case: Case) -> None:
    best = max(case.scores)
    for item in inflated_argmax(case.w, case.eps).tolist():
        assert exact.gap_sign(best - case.scores[item], case.exact_eps) < 0


@given(cases(least=2, most=8))
def test_the_argmax_is_a_singleton_iff_the_lead_is_at_least_c(case: Case) -> None:
    first, second = sorted(case.scores, reverse=True)[:2]
    alone = len(inflated_argmax(case.w, case.eps)) == 1
    assert alone == (exact.gap_sign(first - second, case.exact_eps) >= 0)


@given(cases(least=2, most=7), st.data())
def test_heredity_an_eligible_item_stays_eligible_when_others_go(
    case: Case, data: st.DataObject
) -> None:
    kept = sorted(data.draw(st.sets(st.integers(0, case.items - 1), min_size=1)))
    before = set(inflated_argmax(case.w, case.eps).tolist())
    after = {kept[place] for place in inflated_argmax(case.w[kept], case.eps).tolist()}
    assert before & set(kept) <= after


@given(cases(least=1, most=7))
def test_certain_members_are_in_every_ranking_s_top_k(case: Case) -> None:
    """Certain iff fewer than k items are above w_j - c besides j (see the attained upper rank)."""
    for k in range(1, case.items + 1):
        found = inflated_topk(case.w, k, case.eps)
        worst = [
            sum(
                exact.gap_sign(mine - other, case.exact_eps) < 0
                for other in case.scores
            )
            for mine in case.scores
        ]
        assert set(found.always_indices.tolist()) == {
            j for j in range(case.items) if worst[j] <= k
        }
        assert (
            found.always_indices.tolist() + found.sometimes_indices.tolist()
            == found.indices.tolist()
        )


@given(st.integers(2, 12), st.integers(0, 30), st.integers(1, 60))
def test_a_clear_leader_is_alone_at_any_scale(
    items: int, power: int, unit: int
) -> None:
    """A lead of exactly c over many tied followers is a boundary case at every magnitude."""
    step = 2.0**power
    w = np.zeros(items)
    w[-1] = step / unit
    assert inflated_argmax(w, math.sqrt(2) * step / unit).tolist() == [items - 1]

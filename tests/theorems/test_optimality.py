"""Propositions 5 and 9 against rivals: rules with the same guarantee (docs/research/baselines.md)."""

from __future__ import annotations

import itertools
import math
from random import Random  # noqa: TC003
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from oracles import exact
from oracles.cases import Case, cases, close_pairs
from paper.rivals import (
    BALL,
    INFLATED,
    MARGIN,
    TOP_K_RULES,
    LinearExtensions,
    ranking_distance,
)
from steadyrank.operators import certainly_above, inflated_ranking, inflated_topk, topk

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

RIVALS = (BALL, MARGIN)
Order: TypeAlias = tuple[int, ...]


def chosen(rule: str, case: Case, k: int) -> set[int]:
    return set(np.flatnonzero(TOP_K_RULES[rule](case.w, k) < case.eps).tolist())


def ours(case: Case, k: int) -> set[int]:
    return set(inflated_topk(case.w, k, case.eps).indices.tolist())


def relabelled(case: Case, random: Random) -> tuple[Case, list[int]]:
    labels = list(range(case.items))
    random.shuffle(labels)
    counts = tuple(case.counts[label] for label in labels)
    return Case(counts, case.unit, case.steps, case.times_root), labels


# ------------------------------------------------------------------------------ top-k


@pytest.mark.parametrize("rule", RIVALS)
@given(pair=close_pairs(most=7))
def test_a_rival_has_the_guarantee_close_scores_share_k_items(
    rule: str, pair: tuple[Case, Case]
) -> None:
    for k in range(1, pair[0].items + 1):
        assert len(chosen(rule, pair[0], k) & chosen(rule, pair[1], k)) >= k


@pytest.mark.parametrize("rule", RIVALS)
@given(case=cases(most=7), random=st.randoms(use_true_random=False))
@settings(max_examples=settings.default.max_examples // 3)
def test_a_rival_holds_the_plain_top_k_and_is_permutation_invariant(
    rule: str, case: Case, random: Random
) -> None:
    moved, labels = relabelled(case, random)
    for k in range(1, case.items + 1):
        found = chosen(rule, case, k)
        assert set(topk(case.w, k).tolist()) <= found
        assert {labels[item] for item in chosen(rule, moved, k)} == found


@given(cases(most=8))
@settings(max_examples=settings.default.max_examples // 3)
def test_proposition_5_rivals_have_k_items_only_where_the_inflated_top_k_has_the_same(
    case: Case,
) -> None:
    """The paper's form: if |R(w)| = k, the inflated top-k of w is R(w)."""
    for rule, k in itertools.product(RIVALS, range(1, case.items + 1)):
        found = chosen(rule, case, k)
        assert len(found) > k or found == ours(case, k)


@given(cases(most=8))
def test_beyond_proposition_5_the_rivals_are_nested_around_the_inflated_top_k(
    case: Case,
) -> None:
    for k in range(1, case.items + 1):
        assert chosen(INFLATED, case, k) == ours(case, k)
        assert ours(case, k) <= chosen(BALL, case, k) <= chosen(MARGIN, case, k)


def test_beyond_proposition_5_the_inclusions_are_strict() -> None:
    w, eps = np.array([1.0, 1.0, 1.0, 0.25, 0.1]), math.sqrt(2)  # c = 1
    sizes = [int((rule(w, 1) < eps).sum()) for rule in TOP_K_RULES.values()]
    assert sizes == [3, 4, 5]


@given(cases(least=2, most=6))
@settings(max_examples=settings.default.max_examples // 3)
def test_beyond_proposition_5_a_smaller_margin_breaks_the_guarantee(case: Case) -> None:
    """The margin rule with less than c is no rule of the kind: two close scores swap, and k - 1 stay."""
    gap = case.eps / math.sqrt(2) * 0.99
    w, v = np.array([gap, 0.0]), np.array([0.0, gap])
    assert np.linalg.norm(w - v) < case.eps
    narrow = [
        set(np.flatnonzero(scores > scores.max() - gap).tolist()) for scores in (w, v)
    ]
    assert not narrow[0] & narrow[1]


# ---------------------------------------------------------------------------- rankings


def plain(case: Case) -> set[Order]:
    return {tuple(np.argsort(-case.w, kind="stable").tolist())}


def inflated(case: Case) -> set[Order]:
    return {tuple(order.tolist()) for order in inflated_ranking(case.w, case.eps)}


def extensions(case: Case) -> set[Order]:
    found = LinearExtensions(case.w, case.eps)
    return {
        order for order in itertools.permutations(range(case.items)) if order in found
    }


def ball(case: Case) -> set[Order]:
    """The rankings of all scores nearer than eps/2, by more than rounding."""
    radius = case.eps / 2 * (1 - 1e-9)
    every = itertools.permutations(range(case.items))
    return {
        order for order in every if ranking_distance(case.w, np.array(order)) < radius
    }


def always_before(orders: set[Order], i: int, j: int) -> bool:
    return all(order.index(i) < order.index(j) for order in orders)


RANKING_RIVALS = (inflated, extensions, ball)


@pytest.mark.parametrize("rule", RANKING_RIVALS)
@given(pair=close_pairs(most=4))
@settings(max_examples=settings.default.max_examples // 3)
def test_a_rival_has_the_guarantee_close_scores_share_a_ranking(
    rule: Callable[[Case], set[Order]], pair: tuple[Case, Case]
) -> None:
    first, second = pair
    wider = (
        first.steps + 1 if rule is ball else first.steps
    )  # its radius above is a little short
    assert rule(Case(first.counts, first.unit, wider, first.times_root)) & rule(
        Case(second.counts, second.unit, wider, second.times_root)
    )


@pytest.mark.parametrize("rule", RANKING_RIVALS)
@given(case=cases(least=2, most=4), random=st.randoms(use_true_random=False))
@settings(max_examples=settings.default.max_examples // 3)
def test_proposition_9_in_the_paper_s_form_whoever_a_rival_puts_first_for_certain_we_do(
    rule: Callable[[Case], set[Order]], case: Case, random: Random
) -> None:
    """Hypotheses: it follows a permutation of the items and holds the plain ranking. Then the claim."""
    theirs, mine = rule(case), inflated(case)
    moved, labels = relabelled(case, random)
    assert {tuple(labels[item] for item in order) for order in rule(moved)} == theirs
    assert plain(case) <= theirs
    for i, j in itertools.permutations(range(case.items), 2):
        assert always_before(mine, i, j) or not always_before(theirs, i, j)


@given(cases(least=2, most=5))
@settings(max_examples=settings.default.max_examples // 3)
def test_proposition_9_the_plain_ranking_is_certain_of_more_and_has_no_guarantee(
    case: Case,
) -> None:
    """The hypotheses are needed: sorting claims every pair, and a swap of two close scores breaks it."""
    order = exact.plain_ranking(case.scores)
    for i, j in itertools.pairwise(order):
        if always_before(inflated(case), i, j):
            continue
        swapped = list(case.counts)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        other = Case(tuple(swapped), case.unit, case.steps, case.times_root)
        assert exact.closer_than(case.scores, other.scores, case.exact_eps)
        assert not plain(case) & plain(other) or case.counts[i] == case.counts[j]


def test_proposition_9_if_a_rival_gives_one_ranking_so_do_we() -> None:
    spread = Case((9, 6, 3, 0), 1, 3, times_root=True)  # gaps of exactly c
    for rule in RANKING_RIVALS:
        assert rule(spread) == plain(spread)


@given(cases(least=2, most=5))
@settings(max_examples=settings.default.max_examples // 3)
def test_proposition_9_corollary_a_separated_top_block_stays_separated(
    case: Case,
) -> None:
    """If all rankings of a rival start with the same k items, so do all of ours."""
    theirs, ours = extensions(case), inflated(case)
    blocks = [
        k
        for k in range(1, case.items)
        if len({frozenset(order[:k]) for order in theirs}) == 1
    ]
    assume(blocks)
    assert all(len({frozenset(order[:k]) for order in ours}) == 1 for k in blocks)


@given(cases(most=5))
@settings(max_examples=settings.default.max_examples // 3)
def test_beyond_proposition_9_the_linear_extensions_contain_the_inflated_ranking(
    case: Case,
) -> None:
    theirs = extensions(case)
    assert inflated(case) <= theirs
    assert LinearExtensions(case.w, case.eps).count() == len(theirs)
    above = certainly_above(case.w, case.eps)
    for i, j in itertools.permutations(range(case.items), 2):
        assert (
            always_before(theirs, i, j)
            == above[i, j]
            == always_before(inflated(case), i, j)
        )


@given(close_pairs(most=5))
@settings(max_examples=settings.default.max_examples // 3)
def test_linear_extensions_meet_exactly_if_a_common_one_is_listed(
    pair: tuple[Case, Case],
) -> None:
    tight = [
        Case(case.counts, case.unit, max(1, case.steps // 3), case.times_root)
        for case in pair
    ]
    for one, other in (pair, tight):
        sets = LinearExtensions(one.w, one.eps), LinearExtensions(other.w, other.eps)
        assert sets[0].intersects(sets[1]) == bool(extensions(one) & extensions(other))


def test_beyond_proposition_9_the_ball_and_the_inflated_ranking_contain_neither_the_other() -> (
    None
):
    """Optimal means: certain of every pair that can be. It does not mean: the smallest set."""

    def both(w: NDArray[np.float64]) -> tuple[set[Order], set[Order]]:
        orders = itertools.permutations(range(len(w)))
        near = {order for order in orders if ranking_distance(w, np.array(order)) < 0.5}
        return {tuple(order.tolist()) for order in inflated_ranking(w, 1.0)}, near

    mine, near = both(
        np.array([10.6, 10.0, 0.6, 0.0])
    )  # two pairs, each less than c = 0.707 apart
    assert near < mine
    assert mine - near == {(1, 0, 3, 2)}
    mine, near = both(np.array([0.7, 0.35, 0.0]))
    assert mine < near
    assert {order[0] for order in near - mine} >= {2}

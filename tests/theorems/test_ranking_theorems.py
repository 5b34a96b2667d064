"""The paper's statements about the inflated full ranking, and the facts that go beyond it."""

from __future__ import annotations

import itertools
import math
from random import Random  # noqa: TC003

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from oracles import enumeration, exact
from oracles.cases import Case, cases, close_pairs
from steadyrank.operators.inflation import critical_eps
from steadyrank.operators.intervals import certainly_above, rank_intervals, tiers
from steadyrank.operators.rankings import RankingSet, inflated_ranking
from steadyrank.operators.topk_sets import inflated_topk


def ranking_set(case: Case) -> RankingSet:
    return inflated_ranking(case.w, case.eps)


def listed(case: Case) -> set[tuple[int, ...]]:
    return {tuple(order.tolist()) for order in ranking_set(case)}


@given(cases(most=5))
def test_definition_7_members_are_the_permutations_eligible_at_every_position(
    case: Case,
) -> None:
    expected = enumeration.exact_rankings(case.scores, case.exact_eps)
    rankings = ranking_set(case)
    assert listed(case) == set(expected)
    for order in itertools.permutations(range(case.items)):
        assert (order in rankings) == (order in set(expected))


@given(close_pairs(most=7))
def test_theorem_8_key_property_close_scores_share_a_ranking(
    pair: tuple[Case, Case],
) -> None:
    """If ||w - v|| < eps, the two inflated rankings share a permutation, and a witness is given."""
    first, second = map(ranking_set, pair)
    common = first.common_ranking(second)
    assert common is not None
    assert common in first
    assert common in second


@given(close_pairs(most=5))
def test_theorem_8_key_property_by_enumeration(pair: tuple[Case, Case]) -> None:
    first, second = (
        set(enumeration.exact_rankings(c.scores, c.exact_eps)) for c in pair
    )
    assert first & second


@given(cases(least=2, most=5), st.data())
def test_theorem_8_score_stability_bounds_ranking_instability(
    case: Case, data: st.DataObject
) -> None:
    """The share of units whose rankings are disjoint is at most the share that moves by eps."""
    row = st.lists(st.integers(-3, 3), min_size=case.items, max_size=case.items)
    moves = data.draw(st.lists(row, min_size=1, max_size=8))
    rankings = ranking_set(case)
    moved = broken = 0
    for move in moves:
        counts = tuple(c + m for c, m in zip(case.counts, move, strict=True))
        left_out = Case(counts, case.unit, case.steps, case.times_root)
        moved += not exact.closer_than(case.scores, left_out.scores, case.exact_eps)
        broken += not rankings.intersects(ranking_set(left_out))
    assert broken <= moved


def test_theorem_8_is_sharp_at_a_distance_of_exactly_eps() -> None:
    for n in range(2, 61):
        eps = math.sqrt(2) / n
        first = inflated_ranking(np.array([1.0, 0.0]) / n, eps)
        assert not first.intersects(inflated_ranking(np.array([0.0, 1.0]) / n, eps))


@given(cases(least=2, most=5))
def test_proposition_9_full_ranking_optimality_no_rule_is_certain_of_more_pairs(
    case: Case,
) -> None:
    """The inflated ranking orders for certain every pair that any rule of its kind can.

    Statement: let f give sets of rankings that (i) follow a permutation of the items and (ii) share
    a ranking whenever ||w - v|| < eps. If all rankings of f(w) put i before j, then either all of
    the inflated ranking do, or w_j > w_i.

    Proof, and what is tested. Swap the scores of i and j: the distance is sqrt(2) |w_i - w_j|. If
    |w_i - w_j| < c it is below eps, and f of the swapped scores puts j before i in every ranking:
    nothing is shared, against (ii). So f is certain only where |w_i - w_j| >= c, and the
    inflated ranking is certain, and right, about all of these pairs.
    """
    orders = enumeration.exact_rankings(case.scores, case.exact_eps)
    certain = certainly_above(case.w, case.eps)
    for i, j in itertools.permutations(range(case.items), 2):
        gap = case.scores[i] - case.scores[j]
        always = all(order.index(i) < order.index(j) for order in orders)
        assert certain[i, j] == always == (exact.gap_sign(gap, case.exact_eps) >= 0)
        swapped = list(case.scores)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        near = exact.gap_sign(abs(gap), case.exact_eps) < 0
        assert exact.closer_than(case.scores, swapped, case.exact_eps) == near
        assert near == (not certain[i, j] and not certain[j, i])


@given(cases(most=7))
def test_the_plain_ranking_is_in_the_inflated_one(case: Case) -> None:
    """Said after Definition 7; with ties whichever way they are broken."""
    rankings = ranking_set(case)
    assert exact.plain_ranking(case.scores) in rankings
    assert sorted(range(case.items), key=lambda j: (-case.scores[j], -j)) in rankings


@given(cases(least=1, most=6))
def test_proposition_9_a_single_ranking_wherever_any_rule_can_give_one(
    case: Case,
) -> None:
    """The set is a singleton iff all neighbours differ by at least c."""
    ranked = sorted(case.scores, reverse=True)
    apart = all(
        exact.gap_sign(a - b, case.exact_eps) >= 0
        for a, b in itertools.pairwise(ranked)
    )
    assert (ranking_set(case).count() == 1) == apart


@given(cases(most=5))
def test_proposition_10_rank_range_bounds_every_ranking(case: Case) -> None:
    best, worst = rank_intervals(case.w, case.eps)
    for order in enumeration.exact_rankings(case.scores, case.exact_eps):
        for rank, item in enumerate(order, start=1):
            assert best[item] <= rank <= worst[item]


@given(cases(most=5))
def test_proposition_10_rank_range_is_the_first_topk_and_the_number_above_w_minus_c(
    case: Case,
) -> None:
    best, worst = rank_intervals(case.w, case.eps)
    for item, mine in enumerate(case.scores):
        first = next(
            k
            for k in range(1, case.items + 1)
            if item in exact.inflated_topk(case.scores, k, case.exact_eps)
        )
        above = sum(
            exact.gap_sign(mine - other, case.exact_eps) < 0 for other in case.scores
        )
        assert (best[item], worst[item]) == (first, above)


@given(cases(most=5))
def test_beyond_proposition_10_every_rank_of_the_interval_s_ends_is_attained(
    case: Case,
) -> None:
    orders = enumeration.exact_rankings(case.scores, case.exact_eps)
    best, worst = rank_intervals(case.w, case.eps)
    assert (best.tolist(), worst.tolist()) == enumeration.rank_ranges(orders)


@given(cases(most=7))
def test_beyond_proposition_10_the_attaining_ranking_of_the_proof_is_a_member(
    case: Case,
) -> None:
    """Items above j in order, then, best first, those less than c below it, then j, then the rest."""
    order = exact.plain_ranking(case.scores)
    rankings = ranking_set(case)
    _, worst = rankings.rank_intervals()
    for item in range(case.items):
        mine = case.scores[item]
        near = [
            j
            for j in order
            if j != item and exact.gap_sign(mine - case.scores[j], case.exact_eps) < 0
        ]
        witness = [*near, item, *(j for j in order if j != item and j not in near)]
        assert witness in rankings
        assert witness.index(item) + 1 == worst[item]


@given(cases(most=5))
def test_proposition_11_topk_is_the_union_of_the_rankings_top_k(case: Case) -> None:
    orders = listed(case)
    for k in range(1, case.items + 1):
        union = {item for order in orders for item in order[:k]}
        assert set(inflated_topk(case.w, k, case.eps).indices.tolist()) == union


@given(cases(most=5))
def test_proposition_11_certain_members_are_the_intersection_of_the_rankings_top_k(
    case: Case,
) -> None:
    orders = listed(case)
    for k in range(1, case.items + 1):
        common = set(range(case.items)).intersection(*(order[:k] for order in orders))
        assert set(inflated_topk(case.w, k, case.eps).always_indices.tolist()) == common


def with_each_entry_in_its_top_k(case: Case) -> set[tuple[int, ...]]:
    """Return the R(w) of Proposition 12: permutations whose k-th entry is in the top-k, for every k."""
    tops = [
        set(inflated_topk(case.w, k, case.eps).indices.tolist())
        for k in range(1, case.items + 1)
    ]
    return {
        order
        for order in itertools.permutations(range(case.items))
        if all(item in top for item, top in zip(order, tops, strict=True))
    }


@given(cases(most=5))
def test_proposition_12_the_inflated_ranking_is_inside_the_permutations_with_pi_k_in_the_top_k(
    case: Case,
) -> None:
    assert listed(case) <= with_each_entry_in_its_top_k(case)


def test_proposition_12_strict_inclusion() -> None:
    """In the paper's example 231 has its k-th entry in each inflated top-k, and is no member."""
    case = Case((2, 1, 0), 2, 2, times_root=False)  # w = (1, 1/2, 0), eps = 1
    assert [inflated_topk(case.w, k, case.eps).indices.tolist() for k in (1, 2, 3)] == [
        [0, 1],
        [0, 1, 2],
        [0, 1, 2],
    ]
    assert listed(case) == {(0, 1, 2), (0, 2, 1), (1, 0, 2)}
    assert (1, 2, 0) in with_each_entry_in_its_top_k(case) - listed(case)


@given(cases(most=5))
def test_proposition_12_every_ranking_has_its_first_k_items_in_the_topk(
    case: Case,
) -> None:
    orders = listed(case)
    for k in range(1, case.items + 1):
        members = set(inflated_topk(case.w, k, case.eps).indices.tolist())
        assert all(members.issuperset(order[:k]) for order in orders)


@given(cases(most=5), st.randoms(use_true_random=False))
def test_permutation_invariance_relabelled_scores_give_the_relabelled_rankings(
    case: Case, random: Random
) -> None:
    """Item j of the relabelled scores is item ``relabel[j]`` of the original ones."""
    relabel = list(range(case.items))
    random.shuffle(relabel)
    moved = inflated_ranking(case.w[relabel], case.eps)
    assert {tuple(relabel[j] for j in order.tolist()) for order in moved} == listed(
        case
    )
    assert moved.count() == ranking_set(case).count()


@given(cases(most=6))
@example(Case((9, 6, 3, 0), 1, 3, times_root=True))  # a chain: each c above the next
def test_beyond_the_paper_the_certain_order_is_a_semiorder(case: Case) -> None:
    """Irreflexive; a>b and c>d give a>d or c>b; a>b>c gives a>d or d>c for every d."""
    above = certainly_above(case.w, case.eps)
    items = range(case.items)
    assert not above.diagonal().any()
    pairs = [(a, b) for a in items for b in items if above[a, b]]
    for (a, b), (c, d) in itertools.product(pairs, repeat=2):
        assert above[a, d] or above[c, b]
        assert b != c or all(above[a, other] or above[other, d] for other in items)


@given(cases(most=6))
def test_beyond_the_paper_heredity_an_eligible_item_stays_eligible(case: Case) -> None:
    everyone = range(case.items)
    for size in range(1, case.items + 1):
        for rest in itertools.combinations(everyone, size):
            eligible = _eligible(case, rest)
            for gone in rest:
                fewer = tuple(j for j in rest if j != gone)
                assert not fewer or eligible - {gone} <= _eligible(case, fewer)


def _eligible(case: Case, rest: tuple[int, ...]) -> set[int]:
    found = exact.inflated_argmax(tuple(case.scores[j] for j in rest), case.exact_eps)
    return {rest[place] for place in found}


@st.composite
def two_cases(draw: st.DrawFn) -> tuple[Case, Case]:
    """Two score vectors of the same items, with an eps each, at any distance."""
    first = draw(cases(least=2, most=5))
    counts = st.lists(
        st.integers(0, max(first.counts) + 1),
        min_size=first.items,
        max_size=first.items,
    )
    steps = draw(
        st.sampled_from([first.steps, first.steps + 1, max(1, first.steps // 2)])
    )
    return first, Case(tuple(draw(counts)), first.unit, steps, draw(st.booleans()))


@given(two_cases())
def test_beyond_the_paper_greedy_intersection_is_that_of_the_enumerated_sets(
    pair: tuple[Case, Case],
) -> None:
    """Different eps included; greedy places any common item and never has to go back."""
    first, second = pair
    both = set(enumeration.exact_rankings(first.scores, first.exact_eps)) & set(
        enumeration.exact_rankings(second.scores, second.exact_eps)
    )
    one, other = ranking_set(first), ranking_set(second)
    assert one.intersects(other) == other.intersects(one) == bool(both)
    common = one.common_ranking(other)
    assert (tuple(common.tolist()) in both) if both else (common is None)


@given(cases(least=2, most=5))
def test_beyond_the_paper_the_set_is_a_product_over_tiers(case: Case) -> None:
    blocks = [block.tolist() for block in tiers(case.w, case.eps)]
    parts = [
        [
            tuple(block[j] for j in order.tolist())
            for order in inflated_ranking(case.w[block], case.eps)
        ]
        for block in blocks
    ]
    product = {tuple(itertools.chain(*choice)) for choice in itertools.product(*parts)}
    assert product == listed(case)


@given(cases(least=2, most=5), st.integers(1, 3))
def test_beyond_the_paper_the_set_grows_with_eps(case: Case, more: int) -> None:
    wider = Case(case.counts, case.unit, case.steps + more, case.times_root)
    assert listed(case) <= listed(wider)


@given(cases(least=2, most=5))
def test_beyond_the_paper_the_set_is_inside_the_linear_extensions_of_the_certain_order(
    case: Case,
) -> None:
    above = certainly_above(case.w, case.eps)
    for order in listed(case):
        for earlier, later in itertools.combinations(order, 2):
            assert not above[later, earlier]


def test_beyond_the_paper_the_set_may_be_smaller_than_the_linear_extensions() -> None:
    """No pair is certain, so every order is a linear extension; item 3 is never first."""
    w, eps = [0.7, 0.35, 0.0], 1.0
    assert not certainly_above(w, eps).any()
    assert inflated_ranking(w, eps).count() < math.factorial(3)
    assert all(order[0] != 2 for order in inflated_ranking(w, eps))


@given(close_pairs(most=6))
def test_section_6_a_unit_stops_being_a_problem_before_eps_reaches_its_shift(
    pair: tuple[Case, Case],
) -> None:
    """b_i, the k-th smallest over j of max(e_j, e_j^i), is at most the distance of the scores."""
    first, second = pair
    shift = math.dist(first.w, second.w)
    for k in range(1, first.items + 1):
        both = np.maximum(critical_eps(first.w, k), critical_eps(second.w, k))
        assert np.sort(both)[k - 1] <= shift * (1 + 1e-5) + 1e-12


def test_section_9_equal_scores_give_all_rankings() -> None:
    for m in range(1, 7):
        rankings = inflated_ranking([0.25] * m, 1e-9)
        assert rankings.count() == math.factorial(m)
        best, worst = rankings.rank_intervals()
        assert best.tolist() == [1] * m
        assert worst.tolist() == [m] * m


@pytest.mark.parametrize(("votes", "items"), [(2, 2), (4, 3), (6, 3)])
def test_definition_2_and_theorem_8_hold_for_every_dataset_of_n_votes(
    votes: int, items: int
) -> None:
    """delta = 0 at any eps above sqrt(2)/n: every tally of so many votes, every voter."""
    eps = math.sqrt(2) / votes * (1 + 1e-5)
    for tally in itertools.product(range(votes + 1), repeat=items):
        for item in np.flatnonzero(tally) if sum(tally) == votes else ():
            left = np.array(tally)
            left[item] -= 1
            full, without = np.array(tally) / votes, left / (votes - 1)
            assert inflated_ranking(full, eps).intersects(
                inflated_ranking(without, eps)
            )

"""The paper's statements about the inflated argmax and the inflated top-k, one test each.

Where a statement compares a distance with eps, the generated scores are rational and that
comparison is made exactly; the operator under test sees floats.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from random import Random  # noqa: TC003

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from oracles import exact, projection
from oracles.cases import Case, cases, close_pairs
from steadyrank import Study, Votes
from steadyrank.operators.topk_sets import (
    inflated_argmax,
    inflated_topk,
    inflated_topk_mask,
    topk,
)

NEAR = 1e-9


def members(case: Case, k: int) -> set[int]:
    return set(inflated_topk(case.w, k, case.eps).indices.tolist())


@given(close_pairs(most=7))
def test_theorem_4_key_property_close_scores_share_k_items(
    pair: tuple[Case, Case],
) -> None:
    """If ||w - v|| < eps, the inflated top-k sets of w and v share at least k items."""
    first, second = pair
    for k in range(1, first.items + 1):
        assert len(members(first, k) & members(second, k)) >= k


@given(cases(least=2, most=5), st.data())
def test_theorem_4_score_stability_bounds_topk_instability(
    case: Case, data: st.DataObject
) -> None:
    """The share of units that break the top-k is at most the share that moves the scores by eps.

    The leave-one-out scores are arbitrary: the theorem assumes nothing about the scorer.
    """
    k = data.draw(st.integers(1, case.items))
    row = st.lists(st.integers(-3, 3), min_size=case.items, max_size=case.items)
    moves = data.draw(st.lists(row, min_size=1, max_size=8))
    left_out = [
        Case(
            tuple(c + m for c, m in zip(case.counts, move, strict=True)),
            case.unit,
            case.steps,
            case.times_root,
        )
        for move in moves
    ]
    moved = [
        not exact.closer_than(case.scores, v.scores, case.exact_eps) for v in left_out
    ]
    broken = [len(members(case, k) & members(v, k)) < k for v in left_out]
    assert sum(broken) <= sum(moved)
    assert all(m for m, b in zip(moved, broken, strict=True) if b)


@pytest.mark.parametrize("n", range(2, 61))
def test_theorem_4_is_sharp_at_a_distance_of_exactly_eps(n: int) -> None:
    """One vote of n changes sides: the distance is eps, and nothing need be shared any more."""
    eps = math.sqrt(2) / n
    w, v = np.array([1.0, 0.0]) / n, np.array([0.0, 1.0]) / n
    assert inflated_argmax(w, eps).tolist() == [0]
    assert inflated_argmax(v, eps).tolist() == [1]


@given(cases(least=2, most=6))
def test_proposition_5_topk_optimality_no_rule_gives_exactly_k_more_often(
    case: Case,
) -> None:
    """The inflated top-k has exactly k items wherever any rule of its kind can have k.

    Statement: let f give sets that (i) contain a plain top-k, (ii) follow a permutation of the
    items and (iii) share at least k items whenever ||w - v|| < eps. If f(w) has k items, then so
    has the inflated top-k of w, and the two are equal.

    Proof, and what is tested. Let g be the gap between ranks k and k + 1. If g < c, swap the two
    scores: the swapped vector is at distance sqrt(2) g < eps, and by (ii) the set of k items
    has exchanged one of them, so that k - 1 are shared, against (iii). Hence f(w) has k items only
    where g >= c; and there the inflated top-k is the plain one.
    """
    order = exact.plain_ranking(case.scores)
    for k in range(1, case.items):
        inner, outer = order[k - 1], order[k]
        gap = case.scores[inner] - case.scores[outer]
        separated = exact.gap_sign(gap, case.exact_eps) >= 0
        assert (members(case, k) == set(order[:k])) == separated
        swapped = list(case.scores)
        swapped[inner], swapped[outer] = swapped[outer], swapped[inner]
        assert exact.closer_than(case.scores, swapped, case.exact_eps) != separated
        smallest, exchanged = set(order[:k]), set(order[: k - 1]) | {outer}
        assert len(smallest & exchanged) == k - 1  # a rule of size k breaks here


@given(cases(least=2, most=6))
def test_beyond_proposition_5_no_member_of_the_inflated_argmax_can_be_left_out(
    case: Case,
) -> None:
    """For each member j there are scores within eps whose inflated argmax is {j} alone.

    So no smaller answer at w is compatible with the inflated argmax everywhere else.
    """
    looked = 0
    for item in members(case, 1):
        nearest = projection.projection(case.w, item, case.eps)
        distance = math.dist(nearest, case.w)
        assert distance < case.eps
        # Step a little deeper into the region, as far as rounding asks for: j is c ahead there.
        nearest[item] += 1e-12 * max(1.0, case.eps)
        within = math.dist(nearest, case.w) < case.eps
        looked += within
        assert inflated_argmax(nearest, case.eps).tolist() == [item] or not within
    assume(looked)  # fails where no case at all was looked at


def test_the_51_49_example_a_small_move_turns_the_plain_answer_round_and_not_the_inflated_one() -> (
    None
):
    """Said before Definition 3: scores (0.51, 0.49) and (0.49, 0.51)."""
    first, second = np.array([0.51, 0.49]), np.array([0.49, 0.51])
    apart = math.dist(first, second)
    assert topk(first, 1).tolist() != topk(second, 1).tolist()
    for eps in (apart * (1 + 1e-5), 0.1, 1.0):
        assert (
            set(inflated_argmax(first, eps))
            == set(inflated_argmax(second, eps))
            == {0, 1}
        )
    for eps in (
        apart * (1 - 1e-5),
        1e-9,
    ):  # below their distance inflation promises nothing
        assert inflated_argmax(first, eps).tolist() == [0]
        assert inflated_argmax(second, eps).tolist() == [1]


@given(cases(most=7))
def test_proposition_6_computation_top_k_minus_1_and_the_inflated_argmax_of_the_rest(
    case: Case,
) -> None:
    for k in range(1, case.items + 1):
        order = topk(case.w, case.items)
        rest = order[k - 1 :]
        composed = set(order[: k - 1].tolist()) | set(
            rest[inflated_argmax(case.w[rest], case.eps)].tolist()
        )
        assert members(case, k) == composed
        assert members(case, k) == exact.inflated_topk(case.scores, k, case.exact_eps)


@given(cases(least=1, most=5))
def test_definition_3_and_proposition_6_member_iff_near_scores_put_it_c_above_rank_k_plus_1(
    case: Case,
) -> None:
    """j is a member iff some v within eps has v_j >= v_(k+1) + c: measured by brute force."""
    for k in range(1, case.items + 1):
        distance = projection.topk_distances(case.w, k, case.eps)
        inside = inflated_topk_mask(case.w, k, case.eps)
        assert inside[distance < case.eps * (1 - NEAR)].all()
        assert not inside[distance > case.eps * (1 + NEAR)].any()


def union_over(case: Case, sizes: range) -> set[int]:
    """Return the union of argmax_eps(w_S) over all S of these sizes."""
    union: set[int] = set()
    for kept in itertools.chain(
        *(itertools.combinations(range(case.items), size) for size in sizes)
    ):
        found = exact.inflated_argmax(
            tuple(case.scores[j] for j in kept), case.exact_eps
        )
        union |= {kept[place] for place in found}
    return union


@given(cases(most=6))
def test_lemma_13_topk_is_the_union_of_the_inflated_argmax_over_subvectors(
    case: Case,
) -> None:
    """As the paper has it: over all subvectors of every size l from L - k + 1 to L."""
    for k in range(1, case.items + 1):
        fewest = case.items - k + 1
        assert members(case, k) == union_over(case, range(fewest, case.items + 1))


@given(cases(least=2, most=6))
def test_lemma_13_the_smallest_size_alone_gives_the_union(case: Case) -> None:
    """By heredity larger subvectors add nothing; smaller ones would add too much."""
    for k in range(1, case.items + 1):
        fewest = case.items - k + 1
        assert members(case, k) == union_over(case, range(fewest, fewest + 1))
    for k in range(1, case.items):
        assert members(case, k) <= union_over(
            case, range(case.items - k, case.items - k + 1)
        )


@given(cases(most=7))
def test_the_plain_top_k_is_in_the_inflated_one(case: Case) -> None:
    """Said after Definition 3; with ties whichever k best are taken."""
    for k in range(1, case.items + 1):
        assert members(case, k) >= set(exact.plain_ranking(case.scores)[:k])
        last_wins = sorted(range(case.items), key=lambda j: (-case.scores[j], -j))
        assert members(case, k) >= set(last_wins[:k])


@given(cases(least=1, most=4))
def test_definition_3_as_the_paper_writes_it_with_the_order_statistic_v_k_plus_1(
    case: Case,
) -> None:
    """j is a member iff dist(w, C) < eps for C = { v : v_j >= v_(k+1) + c }, v_(L+1) = -infinity.

    The nearest point is searched for among all points where the items of some set are lowered to a
    common level and j is raised c above it; the order statistic tells whether such a point is in C.
    """
    c = case.eps / math.sqrt(2)
    for k, item in itertools.product(range(1, case.items + 1), range(case.items)):
        others = [j for j in range(case.items) if j != item]
        nearest = math.inf
        for size in range(len(others) + 1):
            for lowered in itertools.combinations(others, size):
                part = case.w[list(lowered)]
                level = (part.sum() + case.w[item] - c) / (size + 1)
                v = case.w.copy()
                v[list(lowered)] = np.minimum(part, level)
                v[item] = max(v[item], level + c) if size else v[item]
                above = np.append(np.sort(v)[::-1], -np.inf)[k]
                if v[item] >= above + c - NEAR:
                    nearest = min(nearest, math.dist(v, case.w))
        # Exactly at eps rounding decides; the numbers 1 -+ 1e-6 allow for no more than that.
        near = 1 + 1e-6 if item in members(case, k) else 1 - 1e-6
        assert (nearest < near * case.eps) == (item in members(case, k))


@given(cases(most=7), st.randoms(use_true_random=False))
def test_permutation_invariance_relabelled_scores_give_the_relabelled_topk(
    case: Case, random: Random
) -> None:
    """Ties included: membership never depends on the index of an item."""
    relabel = list(range(case.items))
    random.shuffle(relabel)
    for k in range(1, case.items + 1):
        mask = inflated_topk_mask(case.w, k, case.eps)
        assert (inflated_topk_mask(case.w[relabel], k, case.eps) == mask[relabel]).all()


def test_section_9_three_items_by_hand() -> None:
    w = [1.0, 0.5, 0.0]
    assert [inflated_topk(w, k, 1.0).indices.tolist() for k in (1, 2, 3)] == [
        [0, 1],
        [0, 1, 2],
        [0, 1, 2],
    ]


@given(st.integers(0, 40), st.integers(1, 40), st.integers(1, 60))
def test_section_9_two_items_the_second_enters_iff_the_gap_is_below_c(
    gap: int, steps: int, unit: int
) -> None:
    case = Case((gap, 0), unit, steps, times_root=True)
    assert (1 in members(case, 1)) == (gap < steps)


@given(st.integers(1, 30), st.floats(1e-9, 1e9), st.floats(-1e6, 1e6))
def test_section_9_equal_scores_all_enter(items: int, eps: float, score: float) -> None:
    for k in {1, (items + 1) // 2, items}:
        assert inflated_topk(np.full(items, score), k, eps).size == items


def test_section_9_no_pair_is_certain_yet_the_last_is_no_contender_for_the_first_place() -> (
    None
):
    w = (Fraction(7, 10), Fraction(7, 20), Fraction(0))
    eps = exact.ExactEps(rational=Fraction(1))
    assert exact.gap_sign(w[0] - w[2], eps) < 0
    assert exact.inflated_argmax(w, eps) == {0, 1}
    assert inflated_argmax([0.7, 0.35, 0.0], 1.0).tolist() == [0, 1]


def datasets(votes: int, items: int) -> list[tuple[int, ...]]:
    """Return every tally of so many votes: all datasets of this size, up to the order of voters."""
    tallies = itertools.product(range(votes + 1), repeat=items)
    return [tally for tally in tallies if sum(tally) == votes]


def broken_votes(tally: tuple[int, ...], k: int, eps: float) -> int:
    """Return for how many voters the inflated top-k of shares changes too much (Definition 1)."""
    votes = sum(tally)
    full = set(inflated_topk(np.array(tally) / votes, k, eps).indices.tolist())
    broken = 0
    for item, count in enumerate(tally):
        if count:
            left = np.array(tally)
            left[item] -= 1
            without = set(inflated_topk(left / (votes - 1), k, eps).indices.tolist())
            broken += count * (len(full & without) < k)
    return broken


@pytest.mark.parametrize(("votes", "items"), [(2, 2), (3, 3), (4, 3), (6, 3), (5, 4)])
def test_definition_1_and_theorem_4_hold_for_every_dataset_of_n_votes(
    votes: int, items: int
) -> None:
    """delta = 0 at any eps above sqrt(2)/n: checked on all datasets of this size, not on a sample."""
    eps = math.sqrt(2) / votes * (1 + 1e-5)
    for tally, k in itertools.product(datasets(votes, items), range(1, items + 1)):
        assert broken_votes(tally, k, eps) == 0


@pytest.mark.parametrize("votes", [2, 3, 5, 10])
def test_voting_is_stable_for_every_eps_above_root_2_over_n_and_not_at_it(
    votes: int,
) -> None:
    """Where we differ from the paper: at eps = sqrt(2)/n itself one vote against n - 1 reaches eps.

    Score stability counts moves of eps or more. Without the one vote the shares move by exactly
    sqrt(2)/n, a share of 1/n of the voters (n >= 3), so delta = 0 holds above that eps only.
    """
    shares, without = np.array([votes - 1, 1]) / votes, np.array([1.0, 0.0])
    moved = Fraction(1, votes) ** 2 * 2  # squared: both shares move by 1/n
    assert np.linalg.norm(shares - without) == pytest.approx(math.sqrt(moved))
    assert moved == exact.ExactEps(root=Fraction(1, votes)).squared
    exactly = (
        [Fraction(votes - 1, votes), Fraction(1, votes)],
        [Fraction(1), Fraction(0)],
    )
    assert not exact.closer_than(*exactly, exact.ExactEps(root=Fraction(1, votes)))
    assert exact.closer_than(
        *exactly, exact.ExactEps(root=Fraction(1001, 1000 * votes))
    )
    study = Study(Votes(["a"] * (votes - 1) + ["b"]))
    at = study.audit(1, eps=math.sqrt(2) / votes).share_reaching_eps
    assert at == (
        1 / votes if votes > 2 else 1.0
    )  # of two, either is one against the other
    assert study.audit(1, eps=math.sqrt(2) / votes * (1 + 1e-5)).share_reaching_eps == 0

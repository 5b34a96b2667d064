"""RankingSet against enumeration, and at sizes that nothing could list."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given

from oracles import enumeration
from oracles.cases import Case, cases
from steadyrank import errors
from steadyrank.operators.rankings import RankingSet, inflated_ranking

THREE = [1.0, 0.5, 0.0]


def brute(case: Case) -> list[tuple[int, ...]]:
    return enumeration.exact_rankings(case.scores, case.exact_eps)


@given(cases(most=5))
def test_count_and_iteration_are_those_of_the_enumeration(case: Case) -> None:
    expected = brute(case)
    rankings = inflated_ranking(case.w, case.eps)
    found = [tuple(order.tolist()) for order in rankings]
    assert len(found) == len(set(found)) == len(expected) == rankings.count()
    assert set(found) == set(expected)
    assert list(found[0]) == rankings.plain.tolist()
    assert found[0] == tuple(np.argsort(-case.w, kind="stable").tolist())


@given(cases(most=6))
def test_six_items(case: Case) -> None:
    expected = brute(case)
    rankings = inflated_ranking(case.w, case.eps)
    assert rankings.count() == len(expected)
    assert {tuple(order.tolist()) for order in rankings} == set(expected)


def test_membership_of_a_long_ranking() -> None:
    scores = np.random.default_rng(4).random(5000)
    rankings = inflated_ranking(scores, 0.003)
    plain = rankings.plain
    assert plain in rankings
    assert plain.tolist() in rankings
    best, worst = rankings.rank_intervals()
    item = int(np.argmax(worst - best))
    place = int(np.flatnonzero(plain == item)[0])
    down = np.insert(np.delete(plain, place), worst[item] - 1, item)
    up = np.insert(np.delete(plain, place), best[item] - 1, item)
    assert down in rankings
    assert up in rankings
    assert np.insert(np.delete(plain, place), worst[item], item) not in rankings
    assert np.insert(np.delete(plain, place), best[item] - 2, item) not in rankings
    assert plain[::-1] not in rankings


def test_iteration_is_lazy_and_can_be_begun_again() -> None:
    rankings = inflated_ranking(np.zeros(1000), 1.0)
    first = list(itertools.islice(rankings, 3))
    assert first[0].tolist() == list(range(1000))
    again = list(itertools.islice(rankings, 3))
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    one, other = (
        iter(rankings),
        iter(rankings),
    )  # two walks at once do not disturb each other
    next(one)
    next(one)
    assert next(other).tolist() == list(range(1000))


def test_the_first_rankings_of_many_ties_cost_no_more_than_a_walk() -> None:
    """100,000 items, all eligible at every position: what is kept must not be all of that."""
    first, second = itertools.islice(inflated_ranking(np.zeros(100_000), 1.0), 2)
    assert (first == np.arange(100_000)).all()
    assert first[-2:].tolist() == second[-2:][::-1].tolist()


def test_a_yielded_ranking_belongs_to_the_caller() -> None:
    rankings = inflated_ranking([0.0, 0.0, 0.0], 1.0)
    found = []
    for order in rankings:
        found.append(tuple(order.tolist()))
        order[:] = -1
    assert sorted(found) == sorted(itertools.permutations(range(3)))


@pytest.mark.parametrize(
    ("scores", "eps", "text"),
    [
        (
            np.zeros(100_000),
            1.0,
            "100,000 items, eps=1, 1 tier; the plain ranking and others",
        ),
        (
            np.arange(100_000.0),
            0.5,
            "100,000 items, eps=0.5, 100,000 tiers; only the plain ranking",
        ),
        ([1.0], 0.25, "1 item, eps=0.25, 1 tier; only the plain ranking"),
    ],
    ids=["ties", "apart", "one"],
)
def test_the_repr_never_enumerates(scores: list[float], eps: float, text: str) -> None:
    assert repr(inflated_ranking(scores, eps)) == f"RankingSet({text})"


def test_the_repr_counts_as_the_set_does() -> None:
    assert "only" in repr(inflated_ranking([2.0, 1.0, 0.0], 1.0))
    assert "others" in repr(inflated_ranking([2.0, 1.5, 0.0], 1.0))


def test_one_item_has_one_ranking() -> None:
    rankings = inflated_ranking([3.0], 0.1)
    assert rankings.count() == 1
    assert [order.tolist() for order in rankings] == [[0]]

    assert rankings.intersects(inflated_ranking([5.0], 1.0))


def test_count_does_not_depend_on_scale_shift_or_labels() -> None:
    random = np.random.default_rng(5)
    scores = random.random(40)
    expected = inflated_ranking(scores, 0.1).count()
    assert inflated_ranking(scores * 1e-150, 0.1 * 1e-150).count() == expected
    assert inflated_ranking(scores * 1e150, 0.1 * 1e150).count() == expected
    assert inflated_ranking(scores[random.permutation(40)], 0.1).count() == expected
    assert inflated_ranking(scores + 7, 0.1).count() == expected


def test_count_with_ties_is_the_count_with_the_ties_broken_by_a_hair() -> None:
    random = np.random.default_rng(6)
    tied = random.integers(0, 20, 16) / 19
    broken = tied + 1e-9 * np.arange(16)
    assert inflated_ranking(tied, 0.2).count() == inflated_ranking(broken, 0.2).count()


@pytest.mark.parametrize("eps", [1e-18, 1e-200, 5e-324])
def test_an_eps_below_the_rounding_of_the_scores_leaves_only_ties(eps: float) -> None:
    rankings = inflated_ranking([1.0, 0.5, 1.0, 0.25], eps)
    assert rankings.count() == 2
    assert [order.tolist() for order in rankings] == [[0, 2, 1, 3], [2, 0, 1, 3]]
    best, worst = rankings.rank_intervals()
    assert best.tolist() == [1, 3, 1, 4]
    assert worst.tolist() == [2, 3, 2, 4]


def test_large_scores_are_ranked_by_their_gaps() -> None:
    """Multiples of 1/8 at 1e15 are exact, so that their gaps are, and so must be the answer."""
    random = np.random.default_rng(7)
    for _ in range(30):
        scores = random.integers(0, 40, 6) / 8
        eps = float(random.uniform(0.2, 4))
        near, far = inflated_ranking(scores, eps), inflated_ranking(scores + 1e15, eps)
        assert far.count() == near.count()
        assert {tuple(order) for order in far} == {tuple(order) for order in near}


def test_the_limit_is_an_argument_and_its_error_says_what_still_works() -> None:
    rankings = inflated_ranking(np.random.default_rng(0).random(300), 0.06)
    with pytest.raises(errors.TooLargeError) as caught:
        rankings.count(max_states=1000)
    text = str(caught.value)
    assert "max_states=1,000" in text
    assert "of 300 positions" in text
    assert re.search(r"up to 10\^\d+\.\d states", text)
    assert "A smaller eps or a larger max_states makes this call possible" in text
    for name in ("Membership", "iteration", "rank intervals", "tiers", "intersects"):
        assert name in text
    assert rankings.plain in rankings
    assert rankings.intersects(rankings)
    assert next(iter(rankings)).tolist() == rankings.plain.tolist()


def test_a_window_that_no_limit_could_hold_is_refused_at_once() -> None:
    """200 distinct scores within c: the bound is astronomic, and the error says so."""
    rankings = inflated_ranking(np.linspace(0, 1e-9, 200), 1.0)
    with pytest.raises(errors.TooLargeError) as caught:
        rankings.count(max_states=10**15)
    assert "no max_states would do" in str(caught.value)
    assert "up to 10^60." in str(caught.value)
    assert "larger max_states" not in str(caught.value)


def test_counting_within_the_limit_is_not_refused() -> None:
    """The three-item graph has 1 + 2 + 3 + 1 states or fewer."""
    assert inflated_ranking(THREE, 1.0).count(max_states=7) == 3


def test_intersects_ten_thousand_items() -> None:
    random = np.random.default_rng(8)
    scores = random.random(10_000)
    move = random.normal(size=10_000)
    eps = 0.01
    near = inflated_ranking(scores + move / np.linalg.norm(move) * eps * 0.99, eps)
    first = inflated_ranking(scores, eps)
    common = first.common_ranking(near)
    assert common is not None
    assert common in first
    assert common in near
    assert not first.intersects(inflated_ranking(-scores, eps))
    assert first.common_ranking(inflated_ranking(-scores, eps)) is None


def test_intersection_of_sets_with_different_eps() -> None:
    wide, narrow = inflated_ranking([1, 2, 3], 10), inflated_ranking([3, 2, 1], 0.1)
    assert wide.common_ranking(narrow).tolist() == [0, 1, 2]  # type: ignore[union-attr]
    assert narrow.intersects(wide)


def test_what_cannot_be_intersected_is_refused() -> None:
    rankings = inflated_ranking(THREE, 1.0)
    with pytest.raises(errors.InvalidScoresError, match="numbers of items: 3 and 2"):
        rankings.intersects(inflated_ranking([1.0, 2.0], 1.0))
    with pytest.raises(errors.InvalidValueError, match="RankingSet is needed"):
        rankings.common_ranking([0, 1, 2])  # type: ignore[arg-type]


def test_the_set_remembers_its_settings_and_its_scores_are_read_only() -> None:
    rankings = inflated_ranking(THREE, 1)
    assert isinstance(rankings, RankingSet)
    assert (rankings.n_items, rankings.eps) == (3, 1.0)
    assert rankings.scores.tolist() == THREE
    with pytest.raises(ValueError, match="read-only"):
        rankings.scores[0] = 5
    assert rankings.plain.tolist() == [0, 1, 2]

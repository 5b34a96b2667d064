"""Mean ratings against adding up again without the user."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from oracles.refitting import all_rows, assert_answers_agree
from steadyrank.data import Ratings, Votes
from steadyrank.errors import (
    InvalidSettingError,
    TooFewUnitsError,
    WrongDataError,
)
from steadyrank.scorers import Mean
from steadyrank.scorers.sums import SumsOut
from steadyrank.sums.sparse import SparseEntries

MOST_ITEMS = 6
STARS = {
    "stars": st.integers(1, 5),
    "signed": st.integers(-3, 3),
    "far from 0": st.integers(1000, 1003),
    "half stars": st.integers(1, 10).map(lambda half: half / 2),
    "hundredths": st.integers(-995, 1000).map(lambda part: part / 100),
    "huge": st.integers(10**15, 10**15 + 3),
}
SHRINKAGES = st.sampled_from([0.5, 1.0, 1.0, 2.0, 0.1, 10.0])
User = dict[int, float]


def users(values: st.SearchStrategy[float]) -> st.SearchStrategy[list[User]]:
    """Draw users, each with a rating for at least one item."""
    one = st.dictionaries(st.integers(0, MOST_ITEMS - 1), values, min_size=1)
    return st.lists(one, min_size=2, max_size=7)


exact_users = st.sampled_from(sorted(STARS)).flatmap(lambda kind: users(STARS[kind]))
any_users = users(
    st.floats(-100, 100).map(lambda value: value if abs(value) > 1e-110 else 0.0)
)


def ratings_of(people: list[User], dtype: type | None = None) -> Ratings:
    rows = [
        (user, item, value)
        for user, rated in enumerate(people)
        for item, value in rated.items()
    ]
    values = np.array([value for _, _, value in rows], dtype=dtype)
    return Ratings(
        [user for user, _, _ in rows],
        [item for _, item, _ in rows],
        values,
        items=range(MOST_ITEMS),
    )


def out_with(ratings: Ratings, **sizes: int) -> SumsOut:
    """Leave users out with other sizes of what is handled at a time."""
    entries = SparseEntries(
        ratings.indptr, ratings.rated, ratings.values, ratings.n_items, **sizes
    )
    sums = entries.sums(Mean(1.0).prior)
    return SumsOut(sums.scores, ratings.units, entries, sums)


def refitted(people: list[User], scorer: Mean, dtype: type | None = None) -> np.ndarray:
    others = (people[:user] + people[user + 1 :] for user in range(len(people)))
    return np.array([scorer.score(ratings_of(rest, dtype)) for rest in others])


def exact_scores(people: list[User], shrinkage: Fraction, parts: int) -> list[float]:
    """Score with fractions, taking each value as so many parts."""
    scores = []
    for item in range(MOST_ITEMS):
        given = [
            Fraction(round(rated[item] * parts), parts)
            for rated in people
            if item in rated
        ]
        total = sum(given, Fraction(0))
        scores.append(float(total / (shrinkage + len(given))))
    return scores


@given(exact_users, SHRINKAGES, st.integers(0, 10**6))
def test_leave_one_out_is_adding_up_again(
    people: list[User], shrinkage: float, seed: int
) -> None:
    scorer = Mean(shrinkage)
    ratings = ratings_of(people)
    out = scorer.leave_one_out(ratings)
    np.testing.assert_array_equal(out.scores, scorer.score(ratings))
    np.testing.assert_array_equal(all_rows(out), refitted(people, scorer))
    assert_answers_agree(out, np.random.default_rng(seed))


@given(any_users, SHRINKAGES, st.integers(0, 10**6))
def test_any_floats_agree_with_adding_up_again(
    people: list[User], shrinkage: float, seed: int
) -> None:
    scorer = Mean(shrinkage)
    out = scorer.leave_one_out(ratings_of(people))
    largest = max(abs(value) for rated in people for value in rated.values())
    again = refitted(people, scorer)
    np.testing.assert_allclose(all_rows(out), again, rtol=1e-15, atol=4e-15 * largest)
    assert_answers_agree(out, np.random.default_rng(seed))


@pytest.mark.parametrize(
    ("kind", "parts"), [("stars", 1), ("half stars", 2), ("hundredths", 100)]
)
@given(data=st.data())
def test_scores_are_correctly_rounded_fractions(
    data: st.DataObject, kind: str, parts: int
) -> None:
    people = data.draw(users(STARS[kind]))
    shrinkage = data.draw(
        st.sampled_from([Fraction(1), Fraction(1, 10), Fraction(5, 2)])
    )
    found = Mean(float(shrinkage)).score(ratings_of(people))
    assert found.tolist() == exact_scores(people, shrinkage, parts)


@given(users(STARS["hundredths"]))
def test_single_precision_means_the_same_decimals(people: list[User]) -> None:
    single, double = ratings_of(people, np.float32), ratings_of(people, np.float64)
    assert single.values.dtype == np.float32
    one, two = Mean(1.0).leave_one_out(single), Mean(1.0).leave_one_out(double)
    np.testing.assert_array_equal(one.scores, two.scores)
    np.testing.assert_array_equal(all_rows(one), all_rows(two))


@given(exact_users, st.integers(1, 4), st.integers(0, 10**6))
def test_small_blocks_change_nothing(people: list[User], size: int, seed: int) -> None:
    whole = all_rows(Mean(1.0).leave_one_out(ratings_of(people)))
    out = out_with(ratings_of(people), block_entries=size, scan=size)
    np.testing.assert_array_equal(all_rows(out), whole)
    assert_answers_agree(out, np.random.default_rng(seed))


def test_users_without_ratings_change_nothing() -> None:
    ratings = Ratings(["b", "b", "d"], ["x", "y", "x"], [1, 2, 3], users=list("abcde"))
    out = Mean(1.0).leave_one_out(ratings)
    rows = all_rows(out)
    for user in (0, 2, 4):
        np.testing.assert_array_equal(rows[user], out.scores)
        assert out.shifts()[user] == 0
    assert_answers_agree(out, np.random.default_rng(0))


def test_equal_means_of_different_counts_are_equal_numbers() -> None:
    # One third and two sixths, in tenths: 0.1 / 3 and 0.2 / 6 tie only if nothing is rounded twice.
    people = [{0: 0.1, 1: 0.1}, {1: 0.1}] + [{0: 0.0, 1: 0.0}] + [{1: 0.0}] * 2
    scores = Mean(1.0).score(ratings_of(people))
    assert scores[0] == scores[1] == 1 / 30


def test_an_item_that_loses_its_last_rating_has_score_0() -> None:
    out = Mean(1.0).leave_one_out(ratings_of([{0: 5, 1: 3}, {1: 4}]))
    assert all_rows(out)[0, :2].tolist() == [0.0, 2.0]


def test_without_shrinkage_an_item_without_a_rating_is_last() -> None:
    scores = Mean().score(ratings_of([{0: 5, 1: 3}, {1: 4}]))
    assert scores.tolist() == [5.0, 3.5, 0.0, 0.0, 0.0, 0.0]
    ratings = Ratings(["u", "u", "v"], ["x", "y", "y"], [5, 3, 4])
    assert Mean().score(ratings).tolist() == [5.0, 3.5]
    assert all_rows(Mean().leave_one_out(ratings))[0].tolist() == [0.0, 4.0]
    negative = Ratings(["u", "u", "v"], ["x", "y", "y"], [-5, -3, -4])
    assert all_rows(Mean().leave_one_out(negative))[0].tolist() == [-10.0, -4.0]
    both = Ratings(["u", "u", "v", "v"], ["x", "y", "x", "y"], [5, 3, 4, 4])
    assert all_rows(Mean(0).leave_one_out(both)).tolist() == [
        [4.0, 4.0],
        [5.0, 3.0],
    ]


@pytest.mark.parametrize("shrinkage", [-1, math.nan, math.inf, "much", None])
def test_shrinkage_must_be_a_number_from_0_on(shrinkage: object) -> None:
    with pytest.raises(
        InvalidSettingError, match="shrinkage must be a finite number from 0 to"
    ):
        Mean(shrinkage)  # type: ignore[arg-type]


def test_a_single_user_and_other_data() -> None:
    with pytest.raises(TooFewUnitsError, match=r"only one unit \(a user\)"):
        Mean(1.0).leave_one_out(Ratings(["u"], ["x"], [1]))
    with pytest.raises(
        WrongDataError, match="Mean needs scores or ratings, but was given votes"
    ):
        Mean(1.0).score(Votes(["a"]))  # type: ignore[arg-type]


@given(exact_users)
def test_inputs_are_left_alone(people: list[User]) -> None:
    ratings = ratings_of(people)
    before = ratings.values.copy(), ratings.rated.copy(), ratings.indptr.copy()
    assert_answers_agree(Mean(1.0).leave_one_out(ratings), np.random.default_rng(0))
    for kept, array in zip(
        before, (ratings.values, ratings.rated, ratings.indptr), strict=True
    ):
        np.testing.assert_array_equal(kept, array)


@given(users(STARS["signed"]), st.sampled_from([0.5, 1.0, 3.0]))
def test_no_user_moves_more_than_the_proved_bound(
    people: list[User], shrinkage: float
) -> None:
    ratings = ratings_of(people)
    scorer = Mean(shrinkage, value_range=(-3, 3))
    bound = scorer.sensitivity(ratings)
    assert bound is not None
    assert scorer.leave_one_out(ratings).shifts().max() <= bound.eps


@given(
    users(STARS["stars"]),
    st.sampled_from([0.5, 1.0, 3.0]),
    st.sampled_from([(0, 5), (2, 3)]),
)
def test_some_ratings_by_the_same_users_reach_the_bound(
    people: list[User], shrinkage: float, ends: tuple[int, int]
) -> None:
    bound = Mean(shrinkage, value_range=ends).sensitivity(
        ratings_of([dict.fromkeys(rated, ends[0]) for rated in people])
    )
    assert bound is not None
    # For each user and item: the user at one end, all others at the other, whichever moves more.
    reached = 0.0
    for rated in people:
        moves = []
        for item in rated:
            count = sum(item in other for other in people)
            moves.append(
                max(
                    abs(
                        (own + other * (count - 1)) / (shrinkage + count)
                        - other * (count - 1) / (shrinkage + count - 1)
                    )
                    for own, other in (ends, ends[::-1])
                )
            )
        reached = max(reached, math.hypot(*moves))
    assert bound.eps == pytest.approx(reached, rel=1e-10)


def test_a_proof_needs_a_stated_range_that_holds() -> None:
    ratings = Ratings(["u", "v"], ["x", "x"], [1, 5])
    assert Mean(1.0).sensitivity(ratings) is None
    with pytest.raises(
        InvalidSettingError, match="ratings go from 1 to 5 and leave the stated"
    ):
        Mean(1.0, value_range=(1, 4)).score(ratings)
    for wrong in [(5, 1), (1, 1), (1, math.inf), (1,), "ab", 3]:
        with pytest.raises(InvalidSettingError, match="value_range must be two"):
            Mean(1.0, value_range=wrong)  # type: ignore[arg-type]

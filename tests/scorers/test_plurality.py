"""Plurality against counting again without the vote."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from oracles.refitting import all_rows, assert_answers_agree
from steadyrank.data import Ratings, Votes
from steadyrank.errors import TooFewUnitsError, WrongDataError
from steadyrank.scorers import Plurality
from steadyrank.scorers.sensitivity import root_rounded_up

tallies = st.lists(st.integers(0, 6), min_size=1, max_size=8).filter(
    lambda tally: sum(tally) > 1
)


def votes_of(tally: list[int]) -> Votes:
    return Votes(range(len(tally)), counts=tally, items=range(len(tally)))


@given(tallies, st.integers(0, 10**6))
def test_leave_one_out_is_counting_again(tally: list[int], seed: int) -> None:
    votes = votes_of(tally)
    out = Plurality().leave_one_out(votes)
    np.testing.assert_array_equal(out.scores, Plurality().score(votes))
    refitted = []
    for item, count in enumerate(tally):
        if count:
            fewer = tally.copy()
            fewer[item] -= 1
            refitted.append(Plurality().score(votes_of(fewer)))
    np.testing.assert_array_equal(all_rows(out), refitted)
    assert_answers_agree(out, np.random.default_rng(seed))


@given(tallies)
def test_score_is_the_share(tally: list[int]) -> None:
    shares = [count / sum(tally) for count in tally]
    assert Plurality().score(votes_of(tally)).tolist() == shares


def test_rows_of_votes_and_counts_are_the_same() -> None:
    one_by_one = Votes(["b", "a", "b", "c", "b"])
    counted = Votes(["a", "b", "c"], counts=[1, 3, 1])
    np.testing.assert_array_equal(
        Plurality().score(one_by_one), Plurality().score(counted)
    )
    np.testing.assert_array_equal(
        all_rows(Plurality().leave_one_out(one_by_one)),
        all_rows(Plurality().leave_one_out(counted)),
    )


def test_blocks_are_small_and_cover_everything() -> None:
    votes = votes_of([3, 0, 1, 5, 2, 2, 1])
    whole = all_rows(Plurality().leave_one_out(votes))
    out = Plurality().leave_one_out(votes)
    out = replace(out, added=replace(out.added, block_numbers=15))
    assert [len(block.scores) for block in out.blocks()] == [2, 2, 2]
    np.testing.assert_array_equal(all_rows(out), whole)
    assert_answers_agree(out, np.random.default_rng(0))


def test_numbers_too_big_for_exact_squares_still_give_the_shifts() -> None:
    n = 3 * 10**9
    out = Plurality().leave_one_out(Votes(["a", "b"], counts=[n - 1, 1]))
    np.testing.assert_allclose(
        out.shifts(), [math.sqrt(2) / n / (n - 1), math.sqrt(2) / n], 1e-12
    )


def test_a_single_vote_leaves_nothing() -> None:
    votes = Votes(["ann"], items=["ann", "bob"])
    assert Plurality().score(votes).tolist() == [1.0, 0.0]
    with pytest.raises(TooFewUnitsError, match=r"only one unit \(a vote\)"):
        Plurality().leave_one_out(votes)


def test_other_data_are_refused() -> None:
    with pytest.raises(
        WrongDataError, match="Plurality needs votes or ballots, but was given ratings"
    ):
        Plurality().score(Ratings(["u"], ["i"], [1]))  # type: ignore[arg-type]


@given(tallies)
def test_no_vote_moves_more_than_the_proved_bound(tally: list[int]) -> None:
    votes = votes_of(tally)
    bound = Plurality().sensitivity(votes)
    assert Plurality().leave_one_out(votes).shifts().max() <= bound.eps * (1 + 1e-12)
    assert Fraction(bound.eps) ** 2 >= Fraction(
        2 if len(votes.items) > 1 else 0, votes.n_units**2
    )


@pytest.mark.parametrize("n", [2, 3, 10, 1001])
def test_one_vote_against_the_rest_reaches_the_bound(n: int) -> None:
    votes = Votes(["a", "b"], counts=[n - 1, 1])
    bound = Plurality().sensitivity(votes)
    assert bound.eps == root_rounded_up(Fraction(2, n * n))
    assert Plurality().leave_one_out(votes).shifts()[1] == pytest.approx(
        bound.eps, rel=1e-14
    )
    assert bound.eps > math.sqrt(2) / n * (1 - 1e-15)

"""Approval shares against counting again without the ballot."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from oracles.refitting import all_rows, assert_answers_agree
from steadyrank.data import Ballots, Votes
from steadyrank.errors import TooFewUnitsError, WrongDataError
from steadyrank.scorers import Approval

ITEMS = list("abcde")
approval_sets = st.lists(st.frozensets(st.sampled_from(ITEMS)), min_size=2, max_size=9)


def ballots_of(sets: list[frozenset[str]]) -> Ballots:
    return Ballots(sets, items=ITEMS, approval=True)


def shares(sets: list[frozenset[str]]) -> list[float]:
    return [sum(item in ballot for ballot in sets) / len(sets) for item in ITEMS]


@given(approval_sets, st.integers(0, 10**6))
def test_leave_one_out_is_counting_again(sets: list[frozenset[str]], seed: int) -> None:
    ballots = ballots_of(sets)
    out = Approval().leave_one_out(ballots)
    assert out.scores.tolist() == shares(sets) == Approval().score(ballots).tolist()
    distinct = list(Counter(sets))
    refitted = []
    for ballot in distinct:
        fewer = sets.copy()
        fewer.remove(ballot)
        refitted.append(Approval().score(ballots_of(fewer)))
    np.testing.assert_array_equal(all_rows(out), refitted)
    assert out.units.counts.tolist() == [sets.count(ballot) for ballot in distinct]
    assert_answers_agree(out, np.random.default_rng(seed))


def test_a_single_ballot_leaves_nothing() -> None:
    with pytest.raises(TooFewUnitsError, match=r"only one unit \(a ballot\)"):
        Approval().leave_one_out(ballots_of([frozenset("ab")]))


def test_orders_are_refused() -> None:
    with pytest.raises(
        WrongDataError, match="needs ballots that approve, but was given orders"
    ):
        Approval().score(Ballots([["a", "b"]]))
    with pytest.raises(
        WrongDataError, match="Approval needs ballots, but was given votes"
    ):
        Approval().leave_one_out(Votes(["a"]))  # type: ignore[arg-type]


@given(approval_sets)
def test_no_ballot_moves_more_than_the_proved_bound(sets: list[frozenset[str]]) -> None:
    ballots = ballots_of(sets)
    bound = Approval().sensitivity(ballots)
    assert Approval().leave_one_out(ballots).shifts().max() <= bound.eps * (1 + 1e-12)


def test_everything_against_nothing_reaches_the_bound() -> None:
    ballots = ballots_of([frozenset(ITEMS), *[frozenset()] * 6])
    bound = Approval().sensitivity(ballots)
    assert bound.eps == pytest.approx(math.sqrt(5) / 7, rel=1e-15)
    assert Approval().leave_one_out(ballots).shifts()[0] == pytest.approx(
        bound.eps, rel=1e-14
    )
    assert bound.numbers == {"n": 7, "L": 5}
    assert "7 ballots" in bound.sentence

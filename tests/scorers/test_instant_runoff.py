"""Instant-runoff: the rules of the count, winners without a ballot, refusals."""

from __future__ import annotations

import pytest

from steadyrank import Ballots, InstantRunoff, Study, Votes
from steadyrank.errors import (
    EmptyDataError,
    NoProofError,
    TooFewUnitsError,
    WrongDataError,
)


def test_the_last_are_eliminated_together_and_ballots_are_exhausted() -> None:
    ballots = Ballots([["a"], ["b"], ["c", "b"], ["d", "b"]], counts=[4, 3, 1, 1])
    assert InstantRunoff().score(ballots).tolist() == [2.0, 3.0, 1.0, 1.0]
    exhausted = Ballots([["a"], ["b"], ["c"], ["d"]], counts=[4, 3, 1, 1])
    assert InstantRunoff().score(exhausted).tolist() == [3.0, 2.0, 1.0, 1.0]


def test_all_that_tie_win_together() -> None:
    assert InstantRunoff().score(Ballots([["a"], ["b"], ["c"]])).tolist() == [
        1.0,
        1.0,
        1.0,
    ]
    assert InstantRunoff().score(Ballots([["a"], ["a"]])).tolist() == [1.0]
    assert InstantRunoff().score(
        Ballots([["a"], ["a"]], items=["a", "b"])
    ).tolist() == [2.0, 1.0]


def test_items_that_tie_on_a_ballot_share_its_vote() -> None:
    ballots = Ballots([[("a", "b", "c")], [("b", "c")], ["a"]])
    # 4/3, 5/6, 5/6: b and c are out together.
    assert InstantRunoff().score(ballots).tolist() == [2.0, 1.0, 1.0]


def test_plurality_and_instant_runoff_may_differ() -> None:
    ballots = Ballots([["a"], ["b", "c"], ["c", "b"]], counts=[4, 3, 2])
    assert Study(ballots, "plurality").topk(1).members[0] == "a"
    assert Study(ballots, "instant-runoff").topk(1).members[0] == "b"


def test_who_wins_without_one_ballot_is_on_the_list() -> None:
    """c and b are one vote apart for the last place, and who is out decides who wins."""
    ballots = Ballots([["a", "b"], ["b", "a"], ["c", "a"]], counts=[5, 4, 3])
    study = Study(ballots, InstantRunoff())
    assert study.topk(1).members == ("a",)
    close = Ballots([["a", "c"], ["b", "c"], ["c", "b"]], counts=[6, 4, 5])
    answer = Study(close, "instant-runoff").topk(1)
    assert answer.members == ("c", "a")


def test_nothing_is_proved() -> None:
    ballots = Ballots([["a", "b"], ["b", "a"], ["a", "b"]])
    assert InstantRunoff().sensitivity(ballots) is None
    assert InstantRunoff().output_radius_squared(ballots) == 0.5
    with pytest.raises(NoProofError):
        Study(ballots, "instant-runoff").topk(1, proved=True)


def test_refusals() -> None:
    with pytest.raises(
        WrongDataError, match="InstantRunoff needs votes or orders, which have a first"
    ):
        InstantRunoff().score(Ballots([{"a"}, {"b"}], approval=True))
    with pytest.raises(
        WrongDataError, match="InstantRunoff needs ballots, but was given votes"
    ):
        InstantRunoff().score(Votes(["a", "b"]))
    with pytest.raises(TooFewUnitsError):
        InstantRunoff().leave_one_out(Ballots([["a", "b"]]))
    with pytest.raises(TooFewUnitsError):
        InstantRunoff().leave_one_out(Ballots([["a", "b"], ["b", "a"]], weights=[1, 0]))
    with pytest.raises(EmptyDataError):
        InstantRunoff().score(Ballots([["a", "b"], ["b", "a"]], weights=[0, 0]))

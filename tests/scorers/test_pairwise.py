"""Copeland and Condorcet: what counts as a comparison, notes, refusals, and what is proved."""

from __future__ import annotations

import numpy as np
import pytest

from steadyrank import Ballots, Battles, Condorcet, Copeland, Study, Votes
from steadyrank.errors import EmptyDataError, TooFewUnitsError, WrongDataError

BOTH = pytest.mark.parametrize(
    "scorer", [Copeland(), Condorcet()], ids=["copeland", "condorcet"]
)
CYCLE = Ballots([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]])


def test_unlisted_items_are_behind_and_tied_with_each_other() -> None:
    ballots = Ballots([["a"], ["b", "a"]], items=["a", "b", "c", "d"])
    assert Copeland().score(ballots).tolist() == [2.5, 2.5, 0.5, 0.5]
    assert Condorcet().score(ballots).tolist() == [0.0, 0.0, -1.0, -1.0]


def test_pairs_that_never_met_are_ties() -> None:
    battles = Battles(
        ["a", "b"], ["b", "c"], ["left", "left"], items=["a", "b", "c", "d"]
    )
    assert Copeland().score(battles).tolist() == [2.0, 1.5, 1.0, 1.5]
    assert Condorcet().score(battles).tolist() == [0.0, -0.5, -0.5, 0.0]


def test_approval_ballots_have_two_tiers() -> None:
    ballots = Ballots([{"a", "b"}, {"a"}, set()], approval=True, items=["a", "b", "c"])
    assert Copeland().score(ballots).tolist() == [2.0, 1.0, 0.0]


@BOTH
def test_a_single_item(scorer) -> None:
    study = Study(Ballots([["a"], ["a"]]), scorer)
    assert study.scores.tolist() == [0.0 if scorer == Copeland() else 1.0]
    assert study.facts.shifts.tolist() == [0.0]
    assert scorer == Copeland() or scorer.sensitivity(study.data).eps == 0.0


def test_a_cycle_has_no_condorcet_winner_and_the_answer_says_so() -> None:
    answer = Study(CYCLE, "condorcet").topk(1)
    note = (
        "there is no Condorcet winner: every item loses to another one, or ties with it"
    )
    assert note in answer.notes
    assert note not in Study(CYCLE, "copeland").topk(1).notes
    won = Ballots([["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]])
    assert note not in Study(won, "condorcet").topk(1).notes


def test_one_ballot_can_end_a_condorcet_winner() -> None:
    ballots = Ballots(
        [["b", "a", "c"], ["a", "c", "b"]], counts=[3, 2], items=["a", "b", "c"]
    )
    study = Study(ballots, "condorcet")
    assert study.scores.tolist() == pytest.approx([-0.2, 0.2, -1.0])
    assert study.topk(1).members == (
        "b",
        "a",
    )  # without a ballot for b the two tie, and a is named first


def test_what_is_proved() -> None:
    orders = Ballots([["a", "b", "c"], ["c", "b", "a"]], counts=[3, 2])
    told = Condorcet().sensitivity(orders).sentence
    assert (
        "moves the worst margins by at most 0.69282, for any ballots over 3 items"
        in told
    )
    assert Copeland().sensitivity(orders) is None
    grouped = Ballots([["a", "b"], ["b", "a"], ["a", "b"]], units=["x", "x", "y"])
    bound = Condorcet().sensitivity(grouped)
    assert bound.numbers["largest_share"] == 2 / 3
    assert bound.eps == pytest.approx(2 * np.sqrt(2) * 2 / 3)


@BOTH
def test_outputs_lie_in_the_ball(scorer) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        ballots = Ballots(
            [rng.permutation(4)[:3].tolist() for _ in range(3)], items=range(4)
        )
        centre = 1.5 if scorer == Copeland() else 0.0
        square = ((scorer.score(ballots) - centre) ** 2).sum()
        assert square <= scorer.output_radius_squared(ballots) + 1e-12


@BOTH
def test_refusals(scorer) -> None:
    with pytest.raises(
        WrongDataError, match="needs ballots or battles, but was given votes"
    ):
        scorer.score(Votes(["a", "b"]))
    with pytest.raises(TooFewUnitsError):
        scorer.leave_one_out(Ballots([["a", "b"]]))
    with pytest.raises(TooFewUnitsError):
        scorer.leave_one_out(Ballots([["a", "b"], ["b", "a"]], weights=[1, 0]))
    with pytest.raises(EmptyDataError, match="nobody counts"):
        scorer.score(Ballots([["a", "b"], ["b", "a"]], weights=[0, 0]))

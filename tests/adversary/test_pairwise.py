"""Copeland scores and worst margins against dictionaries and fractions, counted again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from oracles.counting_again import compare, copeland, floats, worst_margins
from oracles.refitting import all_rows
from oracles.weighing import WAYS, Person, a_case
from steadyrank import Ballots, Battles, Condorcet, Copeland, SteadyrankError, Study
from steadyrank.scorers.pairwise import of_battles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]

SCORERS = pytest.mark.parametrize(
    ("scorer", "twin"),
    [(Copeland(), copeland), (Condorcet(), worst_margins)],
    ids=["copeland", "worst"],
)
KINDS = pytest.mark.parametrize("kind", ["ballots", "approvals", "battles"])


def drawn(
    rng: np.random.Generator,
    kind: str,
    *,
    weighted: bool = False,
    grouped: bool = False,
):
    sizes = {
        "people": int(rng.integers(2, 9)),
        "items": int(rng.integers(1 + (kind == "battles"), 6)),
    }
    return a_case(rng, kind, weighted=weighted, grouped=grouped, **sizes)


@SCORERS
@KINDS
@WAYS
def test_scores_with_and_without_each_unit(
    scorer, twin, kind: str, weighted: bool, grouped: bool, cases: Cases
) -> None:
    whole = 0
    for rng in cases(8):
        whole += compare(
            drawn(rng, kind, weighted=weighted, grouped=grouped), scorer, twin, rng
        )
    assert whole > 1


@KINDS
@pytest.mark.parametrize("grouped", [False, True])
def test_no_unit_moves_scores_further_than_proved(
    kind: str, grouped: bool, cases: Cases
) -> None:
    scorer, reached = Condorcet(), 0.0
    for rng in cases(15):
        case = drawn(rng, kind, grouped=grouped)
        try:
            study = Study(case.data(), scorer)
            shifts = study.facts.shifts
        except SteadyrankError:
            continue
        proved = scorer.sensitivity(study.data)
        assert shifts.max() <= proved.eps
        reached = max(reached, shifts.max() / proved.eps if proved.eps else 0.0)
    assert reached > 0.3


def test_some_ballots_reach_the_bound(cases: Cases) -> None:
    for rng in cases(10):
        items, half = int(rng.integers(2, 6)), int(rng.integers(1, 5))
        order = rng.permutation(items).tolist()
        study = Study(Ballots([order, order[::-1]], counts=[1, half + 1]), Condorcet())
        proved = Condorcet().sensitivity(study.data).eps
        assert study.facts.shifts.max() == pytest.approx(proved, rel=1e-12)


def test_a_positive_score_is_a_condorcet_winner_and_no_other_is(cases: Cases) -> None:
    for rng in cases(40):
        case = drawn(rng, ("ballots", "battles")[int(rng.integers(2))])
        study = Study(case.data(), "condorcet")
        wins = copeland(case.items, case.people)
        winners = [item for item in range(case.items) if wins[item] == case.items - 1]
        # All wins without a tie: nothing else sums to as much.
        assert np.flatnonzero(study.scores > 0).tolist() == winners
        said = any("no Condorcet winner" in note for note in study.facts.notes)
        assert said == (not winners)


@SCORERS
def test_battles_of_many_items_are_looked_at_two_at_a_time(
    scorer, twin, cases: Cases
) -> None:
    """What is computed grows with the battles, not with all pairs of items for each of them."""
    for rng in cases(2):
        items, size = 12, 60
        left = rng.integers(items, size=size)
        right = (left + rng.integers(1, items, size=size)) % items
        results = rng.choice(["left", "right", "tie"], size=size)
        data = Battles(left, right, results, items=range(items))
        rows, compared = all_rows(scorer.leave_one_out(data)), of_battles(data)
        assert compared.most == 2
        assert len(compared.margins(slice(0, len(data.units)))[1]) == 2 * len(
            data.units
        )
        people = [
            Person(says)
            for says in zip(left.tolist(), right.tolist(), results, strict=True)
        ]
        for person in rng.integers(size, size=2).tolist():
            exact = floats(twin(items, people[:person] + people[person + 1 :]))
            assert floats(rows[data._distinct[1][person]]) == exact

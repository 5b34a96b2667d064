"""Instant-runoff counts against a dictionary of votes, and counted again without each unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oracles.counting_again import compare, runoff_rounds
from oracles.weighing import WAYS, a_case
from steadyrank import Ballots, InstantRunoff, Study

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np

    Cases = Callable[[int], Iterator[np.random.Generator]]


@WAYS
def test_rounds_with_and_without_each_unit(
    weighted: bool, grouped: bool, cases: Cases
) -> None:
    whole = 0
    for rng in cases(20):
        sizes = {"people": int(rng.integers(2, 10)), "items": int(rng.integers(1, 7))}
        case = a_case(rng, "first choices", weighted=weighted, grouped=grouped, **sizes)
        whole += compare(case, InstantRunoff(), runoff_rounds, rng)
    assert whole > 8


def test_more_items_than_people(cases: Cases) -> None:
    for rng in cases(2):
        case = a_case(
            rng, "first choices", weighted=False, grouped=False, people=8, items=20
        )
        assert compare(case, InstantRunoff(), runoff_rounds, rng)


def test_neither_names_nor_the_order_of_items_matter(cases: Cases) -> None:
    for rng in cases(20):
        items = int(rng.integers(2, 7))
        case = a_case(
            rng, "first choices", weighted=False, grouped=False, people=9, items=items
        )
        other = rng.permutation(items)
        renamed = [
            [[int(other[item]) for item in tier] for tier in person.says]
            for person in case.people
        ]
        scores = InstantRunoff().score(case.data())
        again = InstantRunoff().score(Ballots(renamed, items=range(items)))
        assert again[other].tolist() == scores.tolist()


def test_the_answer_lists_all_possible_winners(cases: Cases) -> None:
    """Whoever wins alone or first among equals without some ballot is on the list."""
    for rng in cases(12):
        items = int(rng.integers(2, 6))
        case = a_case(
            rng, "first choices", weighted=False, grouped=False, people=8, items=items
        )
        answer = Study(case.data(), "instant-runoff").topk(1)
        for person in case.people:
            rounds = runoff_rounds(items, case.without([person]))
            assert rounds.index(max(rounds)) in answer.members
        study = Study(case.data(), InstantRunoff())
        assert study.scores.max() == max(runoff_rounds(items, case.people))

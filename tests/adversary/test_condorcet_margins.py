"""How few units must leave before the best worst margin is somebody else's: all ways are tried."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from adversary.test_pairwise import drawn
from oracles.counting_again import margin, worst_margins
from oracles.weighing import Person
from steadyrank import Ballots, Study
from steadyrank.errors import InvalidCountError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]


def best(items: int, people: list[Person], k: int = 1) -> set[int] | None:
    scores = worst_margins(items, people)
    return scores and set(sorted(range(items), key=lambda item: (-scores[item], item))[:k])


def fewest_leaving(case, k: int) -> int | None:
    """Leave out every set of units that leaves some weight."""
    before, units, found = best(case.items, case.people, k), case.units(), None
    for gone in product([False, True], repeat=len(units)):
        if all(gone) or (found is not None and sum(gone) >= found):
            continue
        rest = [one for unit, leaves in zip(units, gone, strict=True) for one in unit if not leaves]
        after = best(case.items, rest, k)
        if after is not None and after != before:
            found = sum(gone)
    return found


@pytest.mark.parametrize("kind", ["ballots", "approvals", "battles"])
@pytest.mark.parametrize(("weighted", "grouped"), [(False, False), (True, False), (False, True)])
def test_margins_hold_the_fewest(kind: str, weighted: bool, grouped: bool, cases: Cases) -> None:
    exact = asked = 0
    for rng in cases(8):
        case = drawn(rng, kind, weighted=weighted, grouped=grouped)
        if len(case.units()) < 2 or case.items < 2:
            continue
        k = 1 if rng.random() < 0.7 else int(rng.integers(1, case.items))
        study = Study(case.data(), "condorcet")
        try:
            found = study.margin(k)
        except InvalidCountError:  # without one unit nothing is left
            continue
        asked, fewest = asked + 1, fewest_leaving(case, k)
        if fewest is None:
            assert found.upper is None
            continue
        assert found.lower <= fewest
        assert found.upper is None or found.upper >= fewest
        exact += found.lower == found.upper
    assert asked > 2
    assert exact


def test_a_majority_must_go_before_a_condorcet_winner_is_passed(cases: Cases) -> None:
    """Elections of many ballots: the smallest lead is certified, and mostly one more is seen to do."""
    reached = won = 0
    for rng in cases(8):
        items = int(rng.integers(2, 6))
        worth = rng.permutation(items) * 0.2
        orders = [np.argsort(-(worth + rng.gumbel(size=items))).tolist() for _ in range(80)]
        people = [Person([{item} for item in order]) for order in orders]
        scores = worst_margins(items, people)
        if max(scores) <= 0:
            continue
        winner = scores.index(max(scores))
        lead = min(margin(people, winner, other) for other in range(items) if other != winner)
        found = Study(Ballots(orders, items=range(items)), "condorcet").margin(1)
        assert found.lower >= lead
        won, reached = won + 1, reached + (found.upper == found.lower)
    assert reached > won / 2 > 1

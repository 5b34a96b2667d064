"""How few units must leave before the best worst margin is somebody else's: all ways are tried."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from adversary.test_pairwise import drawn
from oracles.counting_again import worst_margins
from steadyrank import Study
from steadyrank.errors import InvalidCountError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np

    from oracles.weighing import Person

    Cases = Callable[[int], Iterator[np.random.Generator]]


def best(items: int, people: list[Person], k: int = 1) -> set[int] | None:
    scores = worst_margins(items, people)
    return scores and set(
        sorted(range(items), key=lambda item: (-scores[item], item))[:k]
    )


def fewest_leaving(case, k: int) -> int | None:
    """Leave out every set of units that leaves some weight."""
    before, units, found = best(case.items, case.people, k), case.units(), None
    for gone in product([False, True], repeat=len(units)):
        if all(gone) or (found is not None and sum(gone) >= found):
            continue
        rest = [
            one
            for unit, leaves in zip(units, gone, strict=True)
            for one in unit
            if not leaves
        ]
        after = best(case.items, rest, k)
        if after is not None and after != before:
            found = sum(gone)
    return found


@pytest.mark.parametrize("kind", ["ballots", "approvals", "battles"])
@pytest.mark.parametrize(
    ("weighted", "grouped"), [(False, False), (True, False), (False, True)]
)
def test_margins_hold_the_fewest(
    kind: str, weighted: bool, grouped: bool, cases: Cases
) -> None:
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
        assert found.lower == min(fewest, 2)
        assert found.upper is None or found.upper >= fewest
        exact += found.lower == found.upper
    assert asked > 2
    assert exact

"""The small form of the coverage simulation: seeded, and able to fail."""

from __future__ import annotations

import numpy as np
import pytest

from simulations.coverage import (
    FEW_LEVEL,
    TRIALS,
    covered,
    covered_by_few,
    few_trial,
    fewest,
    sparse_trial,
)
from steadyrank.study import confidence, rank_sets

SOME = {name: 12 if name in ("300 votes", "100 rows") else 100 for name in TRIALS}


@pytest.mark.parametrize("name", TRIALS)
def test_confidence_covers_the_true_ranks(name: str) -> None:
    found = covered(TRIALS[name], SOME[name])
    assert min(found.values()) >= fewest(SOME[name]), found


@pytest.mark.parametrize("units", [2, 5, 10])
def test_few_units_hold_what_they_promise(
    units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = few_trial("normal", units, items=8, draws=60)
    assert covered_by_few(trial, 40)[0] >= fewest(40, FEW_LEVEL)
    # Without Student's share for each question, as if the noise were known, it is found out.
    monkeypatch.setattr(
        rank_sets, "student", lambda tail, units: np.zeros(np.shape(units))
    )
    assert covered_by_few(trial, 40)[0] < fewest(40, FEW_LEVEL)


def test_items_of_few_ratings_hold_what_they_promise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trial = sparse_trial(100, 50, 2)
    found = covered(trial, 40, FEW_LEVEL)
    assert min(found["simultaneous"], found["marginal"]) >= fewest(40, FEW_LEVEL), found
    # As if all users told the score of every film, it is found out.
    monkeypatch.setattr(
        confidence, "units_behind", lambda data: np.full(data.n_items, data.n_units)
    )
    assert covered(trial, 40, FEW_LEVEL)["simultaneous"] < fewest(40, FEW_LEVEL)

"""The small form of the coverage simulation: seeded, and able to fail."""

from __future__ import annotations

import pytest

from simulations.coverage import TRIALS, TRUTHS, covered, fewest, normal_trial

SOME = {name: 100 if name.startswith("normal") else 12 for name in TRIALS}


@pytest.mark.parametrize("name", TRIALS)
def test_confidence_covers_the_true_ranks(name: str) -> None:
    found = covered(TRIALS[name], SOME[name])
    assert min(found.values()) >= fewest(SOME[name]), found


def test_understated_errors_are_found_out() -> None:
    found = covered(normal_trial(TRUTHS["all equal"], shrunk=0.7), 100)
    assert found["simultaneous"] < fewest(100)
    assert found["marginal"] < fewest(100)

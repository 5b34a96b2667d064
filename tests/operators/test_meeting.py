"""The eps at which ranking sets begin to meet: by hand, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steadyrank import errors, inflated_ranking, meeting_eps
from steadyrank.operators.unplaced import Unplaced

ROOT = math.sqrt(2)


def test_two_items_cost_the_cheaper_swap() -> None:
    assert meeting_eps([1.0, 0.0], [0.0, 0.25]) == pytest.approx(ROOT * 0.25)
    assert meeting_eps([1.0, 0.0], [0.0, 4.0]) == pytest.approx(ROOT)


def test_what_agrees_meets_at_every_eps() -> None:
    assert meeting_eps([3, 2, 1], [9, 5, 0]) == 0
    assert (
        meeting_eps([1, 1, 0], [2, 3, 2]) == 0
    )  # ties: no two items are in strictly opposite order
    assert meeting_eps([7.0], [-7.0]) == 0


def test_the_largest_swap_alone_is_only_a_lower_bound() -> None:
    """Whoever comes first overtakes two at once, though each pair alone would swap at sqrt(2)."""
    assert meeting_eps([1, 1, 0, 0], [0, 0, 1, 1]) == pytest.approx(
        ROOT / (math.sqrt(3) - 1)
    )


def test_distances_beyond_all_floats_are_never_met() -> None:
    far = np.array([1.7e308, -1.7e308])
    assert meeting_eps(far, far[::-1]) == math.inf
    scores = np.array([1.7e308, 0.0, -1.0, -2.0, -3.0, -1.7e308])
    assert meeting_eps(scores, scores[[5, 3, 2, 4, 1, 0]]) == math.inf
    far_first = np.array([1.7e308, -1e308, -1.1e308, -1.2e308, -1.3e308])
    assert meeting_eps(far_first, far_first[[1, 0, 4, 2, 3]]) == math.inf
    assert not inflated_ranking(far, 1.7e308).intersects(
        inflated_ranking(far[::-1], 1.7e308)
    )


def test_arguments_are_checked() -> None:
    with pytest.raises(errors.InvalidScoresError, match="3 and 2"):
        meeting_eps([1, 2, 3], [1, 2])
    with pytest.raises(errors.InvalidScoresError):
        meeting_eps([1, 2], [1, math.nan])


def test_one_item_that_falls_past_many_takes_few_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it may cost grows with every item passed; greedy does not stop at each of them."""
    looks = 0
    look = Unplaced.critical_down_to

    def counted(self: Unplaced, item: int) -> dict[int, float]:
        nonlocal looks
        looks += 1
        return look(self, item)

    monkeypatch.setattr(Unplaced, "critical_down_to", counted)
    for items in (100, 400, 1600):
        scores = np.linspace(1, 0, items)
        looks = 0
        eps = meeting_eps(scores, np.append(-0.5, scores[1:]))
        assert 0.5 < eps < 2
        assert looks < 200

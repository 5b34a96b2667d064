"""How far scores may move before an answer can change, against answers to scores that move so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.operators.topk_sets import inflated_topk_mask
from steadyrank.stability.topk_audit import least_move

if TYPE_CHECKING:
    from conftest import Cases


def plain(scores: np.ndarray, places: int) -> set[int]:
    return set(sorted(range(len(scores)), key=lambda item: (-scores[item], item))[:places])


def test_nothing_changes_while_no_score_moves_so_far(cases: Cases) -> None:
    """Ties and scores on the edge included: they allow next to no move."""
    kept = 0
    for rng in cases(300):
        items = int(rng.integers(1, 9))
        scores = rng.integers(0, 6, items) / 6 if rng.random() < 0.4 else rng.random(items)
        places = int(rng.integers(1, items + 1))
        eps = float(rng.choice([0.05, 0.2, np.sqrt(2) / 6, 1.0]))
        asked = eps if rng.random() < 0.7 else None
        least = least_move(scores, places, asked)
        assert least > 0
        kept += least > 1e-6
        for _ in range(6):
            how = rng.choice([-1.0, 1.0], items) if rng.random() < 0.7 else rng.uniform(-1, 1, items)
            moved = scores + how * min(least, 10.0) * (1 - 1e-12)
            if (np.abs(moved - scores) >= least).any():
                continue  # rounded up
            assert plain(moved, places) == plain(scores, places)
            if asked is not None:
                before, after = inflated_topk_mask(np.stack([scores, moved]), places, eps)
                np.testing.assert_array_equal(before, after)
    assert kept > 100

"""How far scores may move before an answer can change, against answers to scores that move so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank import Ratings, ScoreMatrix, Study
from steadyrank.operators.topk_sets import inflated_topk_mask
from steadyrank.study import standings as topk_audit
from steadyrank.study.standings import least_move

if TYPE_CHECKING:
    import pytest

    from conftest import Cases


def plain(scores: np.ndarray, places: int) -> set[int]:
    return set(
        sorted(range(len(scores)), key=lambda item: (-scores[item], item))[:places]
    )


def test_nothing_changes_while_no_score_moves_so_far(cases: Cases) -> None:
    """Ties and scores on the edge included: they allow next to no move."""
    kept = 0
    for rng in cases(300):
        items = int(rng.integers(1, 9))
        scores = (
            rng.integers(0, 6, items) / 6 if rng.random() < 0.4 else rng.random(items)
        )
        places = int(rng.integers(1, items + 1))
        eps = float(rng.choice([0.05, 0.2, np.sqrt(2) / 6, 1.0]))
        asked = eps if rng.random() < 0.7 else None
        least = least_move(scores, places, asked)
        assert least > 0
        kept += least > 1e-6
        for _ in range(6):
            how = (
                rng.choice([-1.0, 1.0], items)
                if rng.random() < 0.7
                else rng.uniform(-1, 1, items)
            )
            moved = scores + how * min(least, 10.0) * (1 - 1e-12)
            if (np.abs(moved - scores) >= least).any():
                continue  # rounded up
            assert plain(moved, places) == plain(scores, places)
            if asked is not None:
                before, after = inflated_topk_mask(
                    np.stack([scores, moved]), places, eps
                )
                np.testing.assert_array_equal(before, after)
    assert kept > 100


def some_data(rng: np.random.Generator) -> Ratings | ScoreMatrix:
    """Return ratings or a matrix, with many equal values: ties, and scores on the edge."""
    units, items = int(rng.integers(2, 40)), int(rng.integers(2, 8))
    values = rng.integers(1, 6, (units, items))
    if rng.random() < 0.3:
        return ScoreMatrix(values)
    given = rng.random((units, items)) < 0.5
    given[:2] = True
    user, item = np.nonzero(given)
    return Ratings(user, item, values[given])


def test_an_audit_is_the_same_however_its_parts_are_cut(
    cases: Cases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether units that move too little are left out first, or not."""
    broken = 0
    for rng in cases(30):
        data = some_data(rng)
        eps, ks = float(rng.choice([0.01, 0.05, 0.3])), range(1, data.n_items + 1)
        found = []
        for few in (99, 0):
            monkeypatch.setattr(topk_audit, "FEW_UNITS", few)
            found.append(
                Study(data)
                .audit(k=ks, eps=eps, methods=("topk", "inflated_topk"))
                .table
            )
        for rows in zip(*found, strict=True):
            first = rows[0]
            for row in rows[1:]:
                assert (row.delta, row.size) == (first.delta, first.size)
                np.testing.assert_allclose(
                    row.jaccard, first.jaccard, rtol=0, atol=1e-12
                )
                np.testing.assert_array_equal(row.broken, first.broken)
            broken += first.delta > 0
    assert broken > 40

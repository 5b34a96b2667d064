"""The share of units that move the scores where it can matter, against leaving out every unit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from paper.local_shares import local_share
from paper.regression import regression_trials
from paper.regression_folds import furthest_pieces, trial_scores
from steadyrank import Ratings, Regression, ScoreMatrix, Study, Votes, critical_eps
from steadyrank.scorers import ConstrainedLeastSquares

if TYPE_CHECKING:
    from steadyrank.data import Observations


def some_data(rng: np.random.Generator) -> Observations:
    items, units = int(rng.integers(2, 9)), int(rng.integers(2, 12))
    match int(rng.integers(3)):
        case 0:
            return Votes(rng.integers(0, items, units).tolist(), items=range(items))
        case 1:
            return ScoreMatrix(
                rng.integers(0, 4, (units, items)) * rng.choice([1.0, 0.25])
            )
        case _:
            rated = rng.random((units, items)) < 0.6
            rated[:, 0] = True
            user, item = np.nonzero(rated)
            return Ratings(
                user.tolist(),
                item.tolist(),
                rng.integers(1, 6, len(user)),
                items=range(items),
            )


def near(w: np.ndarray, v: np.ndarray, k: int, c: float) -> list[int]:
    kth = sorted(w)[-k], sorted(v)[-k]
    pairs = list(zip(w, v, strict=True))
    return [
        item
        for item, pair in enumerate(pairs)
        if max(pair) > min(kth) - c and not min(pair) > max(kth)
    ]


def pieces(w: np.ndarray, v: np.ndarray) -> list[list[int]]:
    orders = [
        sorted(range(len(w)), key=lambda item, s=s: (-s[item], item)) for s in (w, v)
    ]
    found, start = [], 0
    for stop in range(1, len(w) + 1):
        if set(orders[0][:stop]) == set(orders[1][:stop]):
            found.append(orders[0][start:stop])
            start = stop
    return found


def test_local_shares_are_those_of_leaving_out_every_unit_and_bound_delta() -> None:
    smaller = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        data = some_data(rng)
        study = Study(data)
        w, counts = study.scores, study.units.counts
        without = [Study(data.without([unit])).scores for unit in range(len(counts))]
        # Not on a boundary: whether a move of eps up to rounding counts is another test's business.
        moved = float(rng.choice([math.dist(w, v) for v in without]))
        eps = moved * float(rng.choice([0.3, 0.7, 1.1])) + 1e-4 * rng.random()
        audit = study.audit(range(1, len(w) + 1), eps=eps)
        for k in range(1, len(w) + 1):
            parts = [near(w, v, k, eps / math.sqrt(2)) for v in without]
            reach = [
                math.dist(w[part], v[part])
                for part, v in zip(parts, without, strict=True)
            ]
            if any(abs(each - eps) < 1e-6 * eps for each in reach):
                continue
            share = float(counts[np.array(reach) >= eps].sum() / counts.sum())
            assert local_share(study, k, eps) == share
            assert (
                audit.row("inflated_topk", k).delta <= share <= audit.share_reaching_eps
            )
            smaller += share < audit.share_reaching_eps
    assert smaller > 20


def test_the_share_at_exactly_eps_still_bounds_delta() -> None:
    """eps is one of the shifts themselves, or a critical value: rounding must not let delta escape."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        study = Study(some_data(rng))
        k = int(rng.integers(1, len(study.items) + 1))
        eps = float(rng.choice([*study.facts.shifts, *critical_eps(study.scores, k)]))
        if eps > 0:
            delta = study.audit(k, eps=eps, methods="inflated_topk").table[0].delta
            assert delta <= local_share(study, k, eps)


def test_the_furthest_piece_is_that_of_cutting_both_orders_and_bounds_delta() -> None:
    trials, radius, eps = regression_trials(trials=12), 1.0, 0.05
    furthest = furthest_pieces(trial_scores(trials, radius=radius))
    for X, y, moves in zip(trials.X, trials.y, furthest, strict=True):
        study = Study(Regression(X, y), ConstrainedLeastSquares(radius=radius))
        out, w = study.facts.leave_one_out, study.scores
        rows = np.concatenate([block.dense(w) for block in out.blocks()])
        reach = [
            max(
                (math.dist(w[part], v[part]) for part in pieces(w, v) if len(part) > 1),
                default=0.0,
            )
            for v in rows
        ]
        np.testing.assert_allclose(moves, reach, atol=1e-9)
        delta = study.audit(1, eps=eps, methods="inflated_ranking").table[0].delta
        assert delta <= np.mean(moves >= eps)

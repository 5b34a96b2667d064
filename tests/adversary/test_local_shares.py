"""The share of units that move the scores where it can matter, against leaving out every unit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from paper.regression import regression_trials
from paper.regression_folds import furthest_pieces, trial_scores
from steadyrank import Ratings, Regression, ScoreMatrix, Study, Votes
from steadyrank.scorers import ConstrainedLeastSquares

if TYPE_CHECKING:
    from conftest import Cases
    from steadyrank.data import Observations


def some_data(rng: np.random.Generator) -> Observations:
    items, units = int(rng.integers(2, 9)), int(rng.integers(2, 12))
    match int(rng.integers(3)):
        case 0:
            return Votes(rng.integers(0, items, units).tolist(), items=range(items))
        case 1:
            return ScoreMatrix(rng.integers(0, 4, (units, items)) * rng.choice([1.0, 0.25]))
        case _:
            rated = rng.random((units, items)) < 0.6
            rated[:, 0] = True
            user, item = np.nonzero(rated)
            return Ratings(
                user.tolist(), item.tolist(), rng.integers(1, 6, len(user)), items=range(items)
            )


def near(w: np.ndarray, v: np.ndarray, k: int, c: float) -> list[int]:
    kth = sorted(w)[-k], sorted(v)[-k]
    pairs = list(zip(w, v, strict=True))
    return [
        item for item, pair in enumerate(pairs) if max(pair) > min(kth) - c and not min(pair) > max(kth)
    ]


def pieces(w: np.ndarray, v: np.ndarray) -> list[list[int]]:
    orders = [sorted(range(len(w)), key=lambda item, s=s: (-s[item], item)) for s in (w, v)]
    found, start = [], 0
    for stop in range(1, len(w) + 1):
        if set(orders[0][:stop]) == set(orders[1][:stop]):
            found.append(orders[0][start:stop])
            start = stop
    return found


def test_local_shares_are_those_of_leaving_out_every_unit_and_bound_delta(cases: Cases) -> None:
    smaller = 0
    for rng in cases(60):
        data = some_data(rng)
        study = Study(data)
        w, counts = study.scores, study.units.counts
        without = [Study(data.without([unit])).scores for unit in range(len(counts))]
        # Not on a boundary: whether a move of eps up to rounding counts is another test's business.
        eps = float(rng.choice(study.shifts) * rng.choice([0.3, 0.7, 1.1]) + 1e-4 * rng.random())
        audit = study.audit(range(1, len(w) + 1), eps=eps)
        for k in (*range(1, len(w) + 1), None):
            reach = [
                max(
                    math.dist(w[part], v[part])
                    for part in ([near(w, v, k, eps / math.sqrt(2))] if k else pieces(w, v))
                    if k or len(part) > 1
                )
                if k or any(len(part) > 1 for part in pieces(w, v))
                else 0.0
                for v in without
            ]
            if any(abs(each - eps) < 1e-6 * eps for each in reach):
                continue
            share = float(counts[np.array(reach) >= eps].sum() / counts.sum())
            assert audit.local_share(k) == share
            delta = audit.row("inflated_topk" if k else "inflated_ranking", k).delta
            assert delta <= share <= audit.share_reaching_eps
            smaller += share < audit.share_reaching_eps
    assert smaller > 20


def test_the_share_at_exactly_eps_still_bounds_delta(cases: Cases) -> None:
    """eps is one of the shifts themselves, or a critical value: rounding must not let delta escape."""
    for rng in cases(60):
        study = Study(some_data(rng))
        k = int(rng.integers(1, len(study.items) + 1))
        eps = float(rng.choice([*study.shifts, *study.critical_eps(k)]))
        if eps > 0:
            audit = study.audit(k, eps=eps)
            assert audit.row("inflated_topk", k).delta <= audit.local_share(k)
            assert audit.row("inflated_ranking").delta <= audit.local_share()


def test_the_paper_s_own_arithmetic_gives_the_same_share() -> None:
    trials = regression_trials(trials=12)
    furthest = furthest_pieces(trial_scores(trials, radius=1.0))
    for X, y, moves in zip(trials.X, trials.y, furthest, strict=True):
        audit = Study(Regression(X, y), ConstrainedLeastSquares(radius=1.0)).audit(
            1, eps=0.05, methods=[]
        )
        assert audit.local_share() == np.mean(moves >= 0.05)

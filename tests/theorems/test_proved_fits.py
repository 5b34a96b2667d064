"""The proved rules of fits: an adversary looks for data that move the scores further.

The fits of the search are made here by normal equations and Newton's method, not by the scorers; what it
finds is then given to the scorers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from steadyrank import Battles, Regression, Study
from steadyrank.errors import NoProofError
from steadyrank.scorers import BradleyTerry, ConstrainedLeastSquares

if TYPE_CHECKING:
    Rows = tuple[np.ndarray, np.ndarray]


@pytest.mark.parametrize("n", [2, 5, 100, 10_000])
def test_without_curvature_one_row_of_any_number_moves_a_fit_across_the_ball(
    n: int,
) -> None:
    radius, tiny = 2.0, 1e-4
    X = np.zeros((n, 3))
    X[1:, 0], X[0, 1] = tiny * tiny / n, tiny
    data = Regression(X, np.full(n, 0.7))
    scorer, widest = ConstrainedLeastSquares(radius), math.sqrt(2) * radius
    assert (
        0.999 * widest < scorer.leave_one_out(data).shifts()[0] <= widest * (1 + 1e-9)
    )
    assert scorer.sensitivity(data) is None
    with pytest.raises(NoProofError):
        Study(data, scorer).topk(1, proved=True)


def results(wins: np.ndarray, ties: np.ndarray) -> Battles:
    """Return the battles of a matrix of wins and one of ties."""
    said = [
        ("left", *pair, int(count)) for pair, count in np.ndenumerate(wins) if count
    ]
    said += [
        ("tie", *pair, int(count)) for pair, count in np.ndenumerate(ties) if count
    ]
    result, pairs, counts = zip(
        *((who, pair, count) for who, *pair, count in said), strict=True
    )
    return Battles(
        [pair[0] for pair in pairs], [pair[1] for pair in pairs], result, counts=counts,
        items=range(len(wins)),
    )  # fmt: skip


def fitted(wins: np.ndarray, ridge: float) -> np.ndarray:
    """Return the strengths by Newton's method on the whole space, with halved steps."""
    scores = np.zeros(len(wins))

    def value(s: np.ndarray) -> float:
        gaps = s[:, None] - s[None, :]
        return float((wins * np.logaddexp(0, -gaps)).sum() + ridge / 2 * (s @ s))

    for _ in range(100):
        lost = 1 / (1 + np.exp(scores[:, None] - scores[None, :]))
        pull = wins * lost
        gradient = ridge * scores - pull.sum(axis=1) + pull.sum(axis=0)
        weight = (wins + wins.T) * lost * lost.T
        hessian = np.diag(weight.sum(axis=1)) - weight + ridge * np.eye(len(wins))
        step = np.linalg.solve(hessian, gradient)
        while value(scores - step) > value(scores) + 1e-12:
            step = step / 2
        scores = scores - step
        if np.abs(step).max() < 1e-12:
            break
    return scores


@pytest.mark.parametrize(
    ("ridge", "near"), [(0.05, 0.1), (0.5, 0.35), (3.0, 0.6), (100.0, 0.95)]
)
def test_no_battle_moves_ridged_strengths_further_and_some_come_near(
    ridge: float, near: float
) -> None:
    rng, ratios = np.random.default_rng(4), []
    for n, items in ((2, 2), (4, 3), (12, 3), (60, 4)):
        best, extreme = 0.0, None
        lead = np.zeros((items, items))
        lead[1, 0] = n - 1  # all others say the opposite of the one
        for start in range(3):
            wins = lead if not start else drawn(rng, n - 1, items)
            for _ in range(25):
                tried = np.maximum(
                    0, wins + rng.integers(-2, 3, wins.shape) * (rng.random() < 0.9)
                )
                np.fill_diagonal(tried, 0)
                tried *= tried.sum() <= n - 1
                one = np.zeros_like(lead)
                one[0, 1] = 1
                found = np.linalg.norm(
                    fitted(tried + one, ridge) - fitted(tried, ridge)
                )
                if found > best:
                    best, extreme, wins = found, tried + one, tried
        left = n - extreme.sum()
        data = results(
            extreme,
            left * np.eye(items, k=1) * (np.arange(items) == items - 2)[:, None],
        )
        scorer = BradleyTerry(ridge)
        bound = scorer.sensitivity(data)
        assert data.n_units == n
        assert best <= bound.eps
        assert scorer.leave_one_out(data).shifts().max() <= bound.eps
        ratios.append(best / bound.eps)
    assert max(ratios) >= near


def drawn(rng: np.random.Generator, battles: int, items: int) -> np.ndarray:
    wins = np.zeros((items, items))
    for _ in range(battles):
        wins[tuple(rng.choice(items, 2, replace=False))] += 1
    return wins


def test_a_heavy_ridge_is_reached_and_a_tie_moves_less() -> None:
    one = Battles(["x", "x"], ["y", "y"], ["left", "tie"])
    bound = BradleyTerry(1e4).sensitivity(one)
    assert bound.eps == pytest.approx(math.sqrt(0.5) / 1e4, rel=1e-3)
    win, tie = sorted(BradleyTerry(1e4).leave_one_out(one).shifts())[::-1]
    assert 0.999 * bound.eps < win <= bound.eps
    assert tie < 0.01 * win


def test_nothing_is_proved_of_groups_of_battles_or_without_a_ridge() -> None:
    pairs = (["x", "y", "x"], ["y", "x", "y"], ["left", "left", "left"])
    assert BradleyTerry().sensitivity(Battles(*pairs)) is None
    assert (
        BradleyTerry(1.0).sensitivity(Battles(*pairs)).rule
        == "Bradley-Terry with a ridge"
    )
    assert BradleyTerry(1.0).sensitivity(Battles(*pairs, units=["u", "u", "v"])) is None

"""The proved rules of fits: an adversary looks for data that move the scores further.

The fits of the search are made here by normal equations and Newton's method, not by the scorers; what it
finds is then given to the scorers.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.optimize import brentq

from steadyrank import Battles, Regression, critical_eps, stable_ranking, stable_topk
from steadyrank.errors import InvalidSettingError, NoProofError
from steadyrank.scorers import BradleyTerry, ConstrainedLeastSquares, OrdinaryLeastSquares, Ridge

if TYPE_CHECKING:
    from collections.abc import Callable

    Rows = tuple[np.ndarray, np.ndarray]

LONG, LARGE = 1.5, 0.7
"""The bounds of the rows' features and responses in all searches."""


def penalised(rows: Rows, penalty: float, intercept: bool) -> np.ndarray:
    X, y = rows
    if intercept:
        X, y = X - X.mean(axis=0), y - y.mean()
    return np.linalg.solve(X.T @ X + penalty * np.eye(X.shape[1]), X.T @ y)


def in_ball(rows: Rows, radius: float, intercept: bool) -> np.ndarray:
    """Return the coefficients of least norm, or on the sphere those at the root of its equation."""
    X, y = rows
    if intercept:
        X, y = X - X.mean(axis=0), y - y.mean()
    free = np.linalg.pinv(X) @ y
    if np.linalg.norm(free) <= radius:
        return free

    def over(t: float) -> float:
        return float(np.linalg.norm(penalised((X, y), t, intercept=False))) - radius

    most = float(np.linalg.norm(X.T @ y)) / radius + 1.0
    return penalised((X, y), brentq(over, 1e-13, most, xtol=1e-14), intercept=False)


def shift(fit: Callable[[Rows], np.ndarray], rows: Rows) -> float:
    """Return how far the scores move when the first row leaves."""
    return float(np.linalg.norm(np.abs(fit(rows)) - np.abs(fit((rows[0][1:], rows[1][1:])))))


def kept_in(X: np.ndarray, y: np.ndarray) -> Rows:
    size = np.linalg.norm(X, axis=1, keepdims=True)
    return X * np.minimum(1.0, LONG / np.maximum(size, 1e-300)), np.clip(y, -LARGE, LARGE)


def ascended(rng: np.random.Generator, rows: Rows, worth: Callable[[Rows], float], steps: int) -> Rows:
    """Change some rows a little, or one at all, as long as that moves the scores further."""
    best = worth(rows)
    for step in range(steps):
        size = 0.5 * 0.98**step
        X, y = (
            part + size * rng.normal(size=part.shape) * (rng.random(part.shape) < 0.5) for part in rows
        )
        tried = kept_in(X, y)
        if (found := worth(tried)) > best:
            rows, best = tried, found
    return rows


def one_feature(n: int, spread: float, own: float, features: int) -> Rows:
    """Return N equal rows whose features have squares of this sum, and one that says the opposite."""
    X = np.zeros((n, features))
    X[1:, 0], X[0, 0] = min(LONG, math.sqrt(spread / max(n - 1, 1))), min(own, LONG)
    return X, np.r_[-LARGE, np.full(n - 1, LARGE)]


def starts(rng: np.random.Generator, n: int, features: int, penalty: float) -> list[Rows]:
    made = [kept_in(rng.normal(size=(n, features)) * 2, rng.choice([-LARGE, LARGE], n))]
    for spread in (0.0, 0.3, 1.0, 3.0):
        made += [one_feature(n, spread * penalty, own, features) for own in (LONG, math.sqrt(penalty))]
    return made


@pytest.mark.parametrize("intercept", [False, True])
def test_no_row_moves_a_ridge_regression_further_and_some_come_near(intercept: bool) -> None:
    rng, ratios = np.random.default_rng(1), []
    for penalty in (0.02, 0.5, 2.0, 20.0, 1000.0):
        for n, features in ((2, 1), (3, 2), (6, 2), (30, 3)):
            scorer = Ridge(penalty, intercept, feature_bound=LONG, response_bound=LARGE)
            fit = partial(penalised, penalty=penalty, intercept=intercept)
            bound = scorer.sensitivity(Regression(*one_feature(n, 0.0, 1.0, features))).eps
            rows = max(starts(rng, n, features, penalty), key=partial(shift, fit))
            rows = ascended(rng, rows, partial(shift, fit), 40)
            found = shift(fit, rows)
            assert found <= bound
            shifts = scorer.leave_one_out(Regression(*rows)).shifts()
            assert shifts[0] == pytest.approx(found, rel=1e-6, abs=1e-9)
            assert shifts.max() <= bound
            ratios.append(found / bound)
    assert min(ratios) >= (0.25 if intercept else 0.5)  # docs/research/bounds.md says so
    assert max(ratios) >= 0.98


@pytest.mark.parametrize("intercept", [False, True])
def test_no_row_moves_a_fit_in_a_ball_further_than_its_curvature_allows(intercept: bool) -> None:
    rng, ratios = np.random.default_rng(2), []
    for radius in (0.2, 1.0):
        for n, features in ((6, 1), (10, 2), (30, 3)):
            fit = partial(in_ball, radius=radius, intercept=intercept)

            def worth(rows: Rows, fit: Callable[[Rows], np.ndarray] = fit) -> float:
                return shift(fit, rows) * curvature(rows[0], intercept)

            rows = kept_in(rng.normal(size=(n, features)), rng.choice([-LARGE, LARGE], n))
            rows[0][0] = LONG * np.eye(features)[0]  # a long row in one direction
            rows = ascended(rng, rows, worth, 90)
            flattest = curvature(rows[0], intercept)
            stated = {"feature_bound": LONG, "response_bound": LARGE, "curvature": flattest}
            scorer, data = ConstrainedLeastSquares(radius, intercept, **stated), Regression(*rows)
            bound = scorer.sensitivity(data)
            assert scorer.leave_one_out(data).shifts().max() <= bound.eps
            factor = 4 * (n - 1) / n if intercept else 1.0
            ratios.append(worth(rows) / (factor * LONG * (LARGE + LONG * radius)))
    assert max(ratios) <= 1
    assert max(ratios) >= (0.4 if intercept else 0.95)


def curvature(X: np.ndarray, intercept: bool) -> float:
    centred = X - X.mean(axis=0) if intercept else X
    return float(np.linalg.eigvalsh(centred.T @ centred)[0])


@pytest.mark.parametrize("n", [2, 5, 100, 10_000])
def test_without_curvature_one_row_of_any_number_moves_a_fit_across_the_ball(n: int) -> None:
    radius, tiny = 2.0, 1e-4
    X = np.zeros((n, 3))
    X[1:, 0], X[0, 1] = tiny * tiny / n, tiny
    data = Regression(X, np.full(n, LARGE))
    scorer = ConstrainedLeastSquares(radius)
    bound = scorer.sensitivity(data)
    assert bound.eps == pytest.approx(math.sqrt(2) * radius, rel=1e-6)
    assert 0.999 * bound.eps < scorer.leave_one_out(data).shifts()[0] <= bound.eps
    asked = {"claim": "proved", "guarantee": "overlap", "scorer": scorer}
    for answer in (stable_topk(data, 1, **asked), stable_ranking(data, **asked)):
        assert answer.certificate.vacuous
        assert "vacuous" in answer.certificate.sentence


def test_above_the_size_of_the_ball_every_item_is_in_every_answer() -> None:
    rng = np.random.default_rng(3)
    for _ in range(100):
        scores = np.abs(rng.normal(size=rng.integers(1, 7))) * rng.integers(0, 2)
        scores *= 1 / max(np.linalg.norm(scores), 1e-300)
        assert critical_eps(scores, 1).max() <= math.sqrt(2) * (1 + 1e-12)
    # One feature at the rim, the other at 0: no smaller number would do.
    assert critical_eps([1.0, 0.0], 1)[1] == pytest.approx(math.sqrt(2))


def results(wins: np.ndarray, ties: np.ndarray) -> Battles:
    """Return the battles of a matrix of wins and one of ties."""
    said = [("left", *pair, int(count)) for pair, count in np.ndenumerate(wins) if count]
    said += [("tie", *pair, int(count)) for pair, count in np.ndenumerate(ties) if count]
    result, pairs, counts = zip(*((who, pair, count) for who, *pair, count in said), strict=True)
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


@pytest.mark.parametrize(("ridge", "near"), [(0.05, 0.1), (0.5, 0.35), (3.0, 0.6), (100.0, 0.95)])
def test_no_battle_moves_ridged_strengths_further_and_some_come_near(ridge: float, near: float) -> None:
    rng, ratios = np.random.default_rng(4), []
    for n, items in ((2, 2), (4, 3), (12, 3), (60, 4)):
        best, extreme = 0.0, None
        lead = np.zeros((items, items))
        lead[1, 0] = n - 1  # all others say the opposite of the one
        for start in range(3):
            wins = lead if not start else drawn(rng, n - 1, items)
            for _ in range(25):
                tried = np.maximum(0, wins + rng.integers(-2, 3, wins.shape) * (rng.random() < 0.9))
                np.fill_diagonal(tried, 0)
                tried *= tried.sum() <= n - 1
                one = np.zeros_like(lead)
                one[0, 1] = 1
                found = np.linalg.norm(fitted(tried + one, ridge) - fitted(tried, ridge))
                if found > best:
                    best, extreme, wins = found, tried + one, tried
        left = n - extreme.sum()
        data = results(extreme, left * np.eye(items, k=1) * (np.arange(items) == items - 2)[:, None])
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


def test_proved_lists_of_fits_hold_without_every_row() -> None:
    rng = np.random.default_rng(5)
    X = kept_in(rng.normal(size=(400, 4)), np.zeros(400))[0]
    y = np.clip(X @ [0.4, 0.2, 0.1, 0.0] + 0.05 * rng.normal(size=400), -LARGE, LARGE)
    data, stated = Regression(X, y), {"feature_bound": LONG, "response_bound": LARGE}
    flat = curvature(X, intercept=False)
    for scorer in (Ridge(100.0, **stated), ConstrainedLeastSquares(0.4, **stated, curvature=flat)):
        answer = stable_topk(data, 1, claim="proved", scorer=scorer, guarantee="overlap")
        certificate, full = answer.certificate, answer.study.facts.leave_one_out
        assert (certificate.status, certificate.delta, certificate.vacuous) == ("proved", 0.0, False)
        assert certificate.numbers["feature_bound"] == LONG
        assert "||x|| <= 1.5 and |y| <= 0.7" in certificate.sentence
        assert len(answer) < data.n_items
        assert full.shifts().max() <= certificate.numbers["bound"] < answer.eps
    bound = Ridge(100.0, True, **stated).sensitivity(data).eps
    assert Ridge(100.0, True).leave_one_out(data).shifts().max() <= bound
    twice, again = (Ridge(100.0 * m, **stated).sensitivity(copied(data, m)).eps for m in (1, 16))
    assert again == pytest.approx(twice / 16, rel=1e-3)  # a penalty that grows with n gives 1/n


def copied(data: Regression, times: int) -> Regression:
    return data.with_copies([times] * data.n_units)


def test_nothing_is_proved_unless_it_is_stated_and_holds() -> None:
    data = Regression([[3.0, 4.0], [0.6, 0.8]], [1.0, -2.0], rows=["p", "q"])
    for scorer in (Ridge(1.0), Ridge(1.0, feature_bound=5.0), OrdinaryLeastSquares()):
        assert scorer.sensitivity(data) is None
        with pytest.raises(NoProofError):
            stable_topk(data, 1, claim="proved", scorer=scorer)
    assert Ridge(1.0, feature_bound=5.0, response_bound=2.0).sensitivity(data).numbers["n"] == 2
    short, small = {"feature_bound": 4.9}, {"response_bound": 1.5}
    for ask in (Ridge(1.0, **short).score, ConstrainedLeastSquares(**short).sensitivity):
        with pytest.raises(
            InvalidSettingError, match=r"1 of 2 rows leave the stated feature_bound=4.9.*'p'"
        ):
            ask(data)
    with pytest.raises(InvalidSettingError, match=r"response_bound=1.5; the first is row 'q'"):
        Ridge(1.0, **small).leave_one_out(data)
    flat = ConstrainedLeastSquares(feature_bound=5.0, response_bound=2.0, curvature=0.1)
    with pytest.raises(InvalidSettingError, match="smallest eigenvalue"):
        flat.sensitivity(data)
    for setting in ({"feature_bound": 0.0}, {"response_bound": math.nan}, {"feature_bound": "1"}):
        with pytest.raises(InvalidSettingError, match="must be a finite number"):
            Ridge(1.0, **setting)


def test_nothing_is_proved_of_groups_of_battles_or_without_a_ridge() -> None:
    pairs = (["x", "y", "x"], ["y", "x", "y"], ["left", "left", "left"])
    assert BradleyTerry().sensitivity(Battles(*pairs)) is None
    assert BradleyTerry(1.0).sensitivity(Battles(*pairs)).rule == "Bradley-Terry with a ridge"
    assert BradleyTerry(1.0).sensitivity(Battles(*pairs, units=["u", "u", "v"])) is None

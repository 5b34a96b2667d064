"""Bradley-Terry with covariates against scikit-learn, long numbers and refits."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.refitting import all_rows
from steadyrank import Battles, BradleyTerry, Study, WinRate
from steadyrank.errors import (
    InvalidDataError,
    InvalidScoresError,
    MissingValuesError,
    SteadyrankError,
)
from steadyrank.scorers.bradley_terry.scorer import ContextFit


def some_battles(
    size: int = 120, items: int = 4, seed: int = 0, **people: object
) -> Battles:
    """Draw battles that lengths and places decide, too; lengths are coarse, so that some are equal."""
    rng = np.random.default_rng(seed)
    left = rng.integers(items, size=size)
    right = (left + rng.integers(1, items, size=size)) % items
    beside = np.column_stack(
        [rng.integers(-3, 4, size=size) * 100.0, rng.integers(2, size=size)]
    )
    odds = (left - right) / 3 + beside @ [0.004, 0.5]
    won = np.where(rng.random(size) < 1 / (1 + np.exp(-odds)), "left", "right")
    outcome = np.where(rng.random(size) < 0.15, "tie", won)
    return Battles(
        left, right, outcome, covariates=beside, items=range(items), **people
    )  # type: ignore[arg-type]


def long_fit(data: Battles, ridge: float) -> np.ndarray:
    """Newton's method in long numbers, row by row, all strengths free but for a pull on their sum."""
    rows, items, p = len(data.left), data.n_items, data.covariates.shape[1]
    design = np.zeros((rows, items + p), dtype=np.longdouble)
    design[np.arange(rows), data.left] += 1
    design[np.arange(rows), data.right] -= 1
    design[:, items:] = data.covariates / 100
    weight = data.counts * (1.0 if data.weights is None else data.weights)
    fit = np.zeros(items + p, dtype=np.longdouble)
    for _ in range(60):
        chance = 1 / (1 + np.exp(-design @ fit))
        pull = np.append(ridge * fit[:items] + fit[:items].sum(), np.zeros(p))
        gradient = design.T @ (weight * ((data.outcome + 1) / 2 - chance)) - pull
        hessian = (design.T * (weight * chance * (1 - chance))) @ design
        hessian[:items, :items] += ridge * np.eye(items) + 1
        fit = fit + np.linalg.solve(hessian.astype(float), gradient.astype(float))
    return np.asarray(fit[:items] - fit[:items].mean(), dtype=float)


def test_agrees_with_scikit_learn() -> None:
    from sklearn.linear_model import LogisticRegression

    data = some_battles()
    rows, items = len(data.left), data.n_items
    design = np.zeros((rows, items))
    design[np.arange(rows), data.left] += 1
    design[np.arange(rows), data.right] -= 1
    design = np.hstack([design[:, 1:], data.covariates / [100, 1]])
    points = (data.outcome + 1) / 2
    weight = np.concatenate([points, 1 - points])
    model = LogisticRegression(
        C=np.inf, fit_intercept=False, tol=1e-12, solver="newton-cholesky"
    )
    answers = np.repeat([1, 0], rows)
    model.fit(
        np.vstack([design, design])[weight > 0], answers[weight > 0], weight[weight > 0]
    )
    found = np.append(0.0, model.coef_[0][: items - 1])
    fit = ContextFit(data, 0.0)
    assert fit.scores == pytest.approx(found - found.mean(), abs=1e-9)
    assert fit.coefficients * [100, 1] == pytest.approx(
        model.coef_[0][items - 1 :], abs=1e-9
    )


@pytest.mark.parametrize("ridge", [0.0, 0.5])
@pytest.mark.parametrize("units", [None, np.arange(120) % 9], ids=["battles", "judges"])
@pytest.mark.parametrize(
    "weights", [None, np.arange(120) % 3 + 0.5], ids=["alike", "weighted"]
)
def test_leaving_one_out_is_fitting_anew(
    ridge: float, units: object, weights: object
) -> None:
    data = some_battles(units=units, weights=weights)
    out = BradleyTerry(ridge).leave_one_out(data)
    assert out.scores == pytest.approx(long_fit(data, ridge), abs=1e-9)
    rows = all_rows(out)
    for unit in range(0, len(data.units), 9):
        rest = data.without(unit)
        assert rows[unit] == pytest.approx(long_fit(rest, ridge), abs=1e-9)
        assert rows[unit] == pytest.approx(BradleyTerry(ridge).score(rest), abs=1e-9)


def test_units_that_are_most_of_the_data_are_fitted_by_themselves() -> None:
    data = some_battles(60, 3, units=np.repeat([0, 1, 2], [40, 10, 10]))
    rows = all_rows(BradleyTerry(ridge=0.2).leave_one_out(data))
    for unit in range(3):
        assert rows[unit] == pytest.approx(long_fit(data.without(unit), 0.2), abs=1e-9)


def test_covariates_in_other_units_change_nothing() -> None:
    data = some_battles()
    scores = BradleyTerry().score(data)
    words = np.array(["right", "tie", "left"])[data.outcome + 1]
    for scale in ([1e6, 1.0], [1.0, -1e-5]):
        again = Battles(
            data.left,
            data.right,
            words,
            covariates=data.covariates * scale,
            items=data.items,
        )
        assert BradleyTerry().score(again) == pytest.approx(scores, abs=1e-9)
    plain = Battles(data.left, data.right, words, items=data.items)
    assert BradleyTerry().score(plain) != pytest.approx(scores, abs=1e-3)
    assert WinRate().score(plain).tolist() == WinRate().score(data).tolist()


def test_equal_battles_with_other_covariates_are_other_units() -> None:
    data = Battles(
        ["x", "y", "x", "x"],
        ["y", "x", "y", "y"],
        ["left", "right", "left", "tie"],
        covariates=[[2.0], [-2.0], [1.0], [0.0]],
    )
    assert list(data.units.labels) == [
        "x ties y at 0",
        "x beats y at 1",
        "x beats y at 2",
    ]
    assert data.units.counts.tolist() == [1, 1, 2]
    assert data.without(2).covariates.tolist() == [[2.0], [1.0], [0.0]]
    assert data.with_copies([0, 3, 1]).units.counts.tolist() == [3, 1]
    assert data.keeping(["x", "y"]).covariates.shape == (4, 1)


def test_a_study_says_so_and_certifies_nothing_beyond_one_unit() -> None:
    data = some_battles()
    study = Study(data, "bradley-terry:ridge=0.5,scale=arena")
    assert (
        "the scores are strengths with the covariates of battles (2) held at 0"
        in study.facts.notes
    )
    for other in ("win-rate", "elo", "copeland", "condorcet"):
        assert any(
            "(2) are not used" in note for note in Study(data, other).facts.notes
        ), other
    assert study.scorer.sensitivity(study.data) is None
    assert study.margin(1).lower <= 2
    assert not any("strengths" in note for note in Study(data, "win-rate").facts.notes)


def test_what_cannot_be_fitted_is_refused() -> None:
    left, right = ["x", "y", "x", "y"], ["y", "x", "y", "x"]
    outcome = ["left", "left", "right", "right"]
    with pytest.raises(SteadyrankError, match="no single finite coefficients"):
        BradleyTerry().score(
            Battles(left, right, outcome, covariates=[[1.0], [1.0], [-1.0], [-1.0]])
        )
    same = [[1.0], [-1.0], [1.0], [-1.0]]  # who is on the left says it already
    with pytest.raises(SteadyrankError, match="Leave some covariates out"):
        BradleyTerry().score(Battles(left, right, outcome, covariates=same))
    with pytest.raises(MissingValuesError, match="covariates"):
        Battles(left, right, outcome, covariates=[[1.0], [np.nan], [1.0], [1.0]])
    with pytest.raises(InvalidScoresError, match="covariates"):
        Battles(left, right, outcome, covariates=np.zeros((3, 1)))
    with pytest.raises(InvalidDataError, match=r"\[:, None\]"):
        Battles(left, right, outcome, covariates=np.zeros(4))

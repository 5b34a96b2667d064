"""Data of every kind, with unusual names, and the scorers that take them."""

from __future__ import annotations

import numpy as np

from steadyrank import Ballots, Battles, Ratings, Regression, ScoreMatrix, Votes
from steadyrank.scorers import (
    Approval,
    Bagged,
    Borda,
    BradleyTerry,
    ConstrainedLeastSquares,
    Mean,
    OrdinaryLeastSquares,
    Plurality,
    Refit,
    Ridge,
)

MODELS = ("Ärger", "模型", "gpt 4", "z")


def votes():
    return Votes(["Ärger"] * 7 + ["模型"] * 6 + ["gpt 4"] * 6 + ["z"] * 2, items=MODELS)


def ballots():
    orders = [[1, 2, 3, 4], [2, (1, 3)], [3, 1], [(1, 2), 4], [4, 3, 2, 1]]
    return Ballots(orders, counts=[3, 2, 2, 1, 2])


def approvals():
    return Ballots(
        [{"x", "y"}, {"y"}, set(), {"z", "x"}], counts=[4, 3, 1, 3], approval=True
    )


def ratings():
    rng = np.random.default_rng(1)
    pairs = [
        (user, film) for user in range(9) for film in range(6) if rng.random() < 0.6
    ]
    users, films = zip(*pairs, strict=True)
    return Ratings(users, films, rng.integers(1, 6, len(pairs)))


def battles(units=None):
    rng = np.random.default_rng(2)
    left = rng.integers(0, 4, 60)
    right = (left + rng.integers(1, 4, 60)) % 4
    outcome = np.where(
        rng.random(60) < 0.15, 0.5, rng.random(60) < 0.5 + 0.1 * (left - right)
    )
    groups = (
        None
        if units is None
        else [f"worker {code}" for code in rng.integers(0, 12, 60)]
    )
    names = np.array(MODELS)
    return Battles(names[left], names[right], outcome, units=groups, unit_kind="worker")


def matrix(**settings):
    rng = np.random.default_rng(3)
    return ScoreMatrix(rng.random((12, 5)), items=list("abcde"), **settings)


def gappy():
    rng = np.random.default_rng(4)
    values = rng.integers(0, 4, (10, 5)).astype(float)
    values[rng.random((10, 5)) < 0.2] = np.nan
    return ScoreMatrix(values, missing="available")


def regression():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(14, 4))
    return Regression(X, X @ [0.4, 0.3, 0.25, 0.0] + rng.normal(size=14), items=MODELS)


def medians(data):
    return np.median(data.values, axis=0)


CASES = {
    "votes": (votes, Plurality()),
    "ballots": (ballots, Borda()),
    "approvals": (approvals, Approval()),
    "approvals by Borda": (approvals, Borda()),
    "ratings": (ratings, Mean(1.0)),
    "ratings, shrinkage 3": (ratings, Mean(shrinkage=3.0)),
    "battles": (battles, BradleyTerry(ridge=0.01)),
    "workers": (lambda: battles("worker"), BradleyTerry(ridge=0.5)),
    "matrix": (matrix, Mean()),
    "groups of rows": (
        lambda: matrix(units=[0, 1, 1, 2, 2, 2, 3, 4, 4, 5, 6, 7]),
        Mean(),
    ),
    "matrix with gaps": (gappy, Mean()),
    "constrained": (regression, ConstrainedLeastSquares()),
    "ridge": (regression, Ridge(penalty=1.0)),
    "least squares": (regression, OrdinaryLeastSquares()),
    "refit": (matrix, Refit(medians)),
    "bagged": (votes, Bagged(Plurality(), bags=30, seed=1)),
}

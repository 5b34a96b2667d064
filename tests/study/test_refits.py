"""Refits and bags through the whole audit: equal to closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from steadyrank import Ballots, Ratings, Regression, ScoreMatrix, Study, Votes
from steadyrank.errors import RefitError
from steadyrank.scorers import (
    Bagged,
    Borda,
    ColumnMeans,
    MeanRating,
    OrdinaryLeastSquares,
    Plurality,
    Refit,
    Ridge,
)

DATA = ScoreMatrix(np.random.default_rng(0).random((12, 5)))


def medians(data):
    return np.median(data.values, axis=0)


def table(result):
    return [
        (row.method, row.k, row.delta, row.jaccard, row.size) for row in result.table
    ]


def test_a_refit_that_fails_is_named():
    bad = DATA.values[7]

    def picky(data):
        if not (data.values == bad).all(axis=1).any():
            raise ValueError("I need that row")
        return medians(data)

    with pytest.raises(RefitError, match=r"without row 7.*I need that row"):
        Study(DATA, Refit(picky)).audit(k=1, eps=0.05)


def column_means(data):
    return data.values.mean(axis=0)


def shares(data):
    return np.bincount(data.choices, data.counts, data.n_items) / data.n_units


def mean_ratings(data):
    sums = np.bincount(data.rated, data.values, data.n_items)
    return sums / (1 + np.bincount(data.rated, minlength=data.n_items))


def ridge(data):
    gram = data.X.T @ data.X + np.eye(data.n_items)
    return np.abs(np.linalg.solve(gram, data.X.T @ data.y))


def by_library(scorer):
    """A callable that the library itself could be."""

    def score(data):
        return scorer.score(data)

    return score


def regression():
    rng = np.random.default_rng(1)
    return Regression(rng.normal(size=(15, 4)), rng.normal(size=15))


@pytest.mark.parametrize(
    ("data", "function", "closed"),
    [
        (DATA, column_means, ColumnMeans()),
        (
            ScoreMatrix(DATA.values, units=np.arange(12) // 3),
            column_means,
            ColumnMeans(),
        ),
        (Votes([0, 1, 2], counts=[5, 4, 1]), shares, Plurality()),
        (
            Ratings([1, 1, 2, 2, 3], [0, 1, 1, 2, 0], [5, 3, 4, 5, 1]),
            mean_ratings,
            MeanRating(),
        ),
        (
            Ballots([[0, 1, 2], [2, 1], [(0, 2)]], counts=[2, 3, 1]),
            by_library(Borda()),
            Borda(),
        ),
        (regression(), ridge, Ridge(penalty=1.0)),
    ],
    ids=["matrix", "groups", "votes", "ratings", "ballots", "ridge"],
)
def test_a_refit_equals_the_closed_form(data, function, closed):
    for eps in (0.03, 0.3):
        refitted = Study(data, Refit(function)).audit(k=[1, 2], eps=eps)
        expected = Study(data, closed).audit(k=[1, 2], eps=eps)
        np.testing.assert_allclose(
            refitted.shifts, expected.shifts, rtol=1e-9, atol=1e-12
        )
        for one, two in zip(refitted.table, expected.table, strict=True):
            assert (one.method, one.k, one.size) == (two.method, two.k, two.size)
            assert one.delta == pytest.approx(two.delta, abs=1e-12)
    one, two = (
        Study(data, scorer).audit(k=2, eps=0.1).curve(2)
        for scorer in (Refit(function), closed)
    )
    np.testing.assert_allclose(one.breaking_eps, two.breaking_eps, rtol=1e-6, atol=1e-9)


def test_an_estimator_equals_the_closed_form():
    linear_model = pytest.importorskip("sklearn.linear_model")
    data = regression()
    estimator = Refit(linear_model.LinearRegression(fit_intercept=False))
    one, two = (
        Study(data, s).audit(k=[1, 2], eps=0.05)
        for s in (estimator, OrdinaryLeastSquares())
    )
    np.testing.assert_allclose(one.shifts, two.shifts, rtol=1e-8)
    assert [row.delta for row in one.table] == [row.delta for row in two.table]


def test_a_bagged_audit_is_the_same_twice_and_another_seed_is_another():
    votes = Votes([0, 1, 2], counts=[6, 5, 3])
    results = [
        Study(votes, Bagged(Plurality(), bags=7, seed=seed)).audit(k=[1, 2], eps=0.05)
        for seed in (5, 5, 6)
    ]
    assert table(results[0]) == table(results[1])
    np.testing.assert_array_equal(results[0].shifts, results[1].shifts)
    assert not np.array_equal(results[0].shifts, results[2].shifts)


def test_a_bagged_audit_is_that_of_fresh_bags_without_each_unit():
    """The slow twin: the unit leaves first, then bags are drawn; here of everything that is left."""
    votes = Votes([0, 1, 2], counts=[3, 2, 1])
    scorer = Bagged(Plurality(), bags=1, size=5, seed=0)
    result = Study(votes, scorer).audit(k=1, eps=0.05, methods=["topk"])
    base = scorer.score(votes)
    left = [Plurality().score(votes.without(unit)) for unit in range(3)]
    np.testing.assert_allclose(
        result.shifts, [np.linalg.norm(base - other) for other in left]
    )

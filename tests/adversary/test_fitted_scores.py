"""Fitted scores against exact twins: any scales, exact ties, more features than rows, many threads."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from operator import add
from threading import Barrier

import numpy as np
import pytest

from oracles.decimals import DecimalBradleyTerry, win_counts
from oracles.leaving_out import brute_audit, differences
from oracles.rational import linear_fit
from oracles.refitting import all_rows
from steadyrank import Ballots, Battles, Ratings, Regression, ScoreMatrix, Study, Votes
from steadyrank.errors import InvalidValueError, UndefinedScoresError
from steadyrank.scorers import (
    Bagged,
    BradleyTerry,
    ConstrainedLeastSquares,
    OrdinaryLeastSquares,
    Refit,
    Ridge,
    as_scorer,
    least_squares as row_folds,
)
from steadyrank.scorers.base import snapped


class RationalModel:
    """The slow twin of a linear scorer, in rational numbers: equal coefficients are equal floats."""

    def __init__(self, scorer):
        self.how = {}
        if isinstance(scorer, Ridge):
            self.how["penalty"] = scorer.penalty
        elif isinstance(scorer, ConstrainedLeastSquares):
            self.how["radius"] = scorer.radius

    def score(self, data):
        return np.array([float(abs(value)) for value in self.fit(data)[0]])

    def fit(self, data):
        return linear_fit(data.X, data.y, **self.how)


def linear_scorer(rng, *, bounded):
    if bounded:
        return ConstrainedLeastSquares(float(rng.choice([0.1, 1.0, 3.0])))
    if rng.integers(3) == 0:
        return OrdinaryLeastSquares()
    return Ridge(float(rng.choice([1e-9, 0.5, 1e6])))


def wild_regression(rng):
    """Scales of columns, of rows and of y that have nothing to do with each other."""
    rows, items = int(rng.integers(2, 8)), int(rng.integers(1, 5))
    X = rng.normal(size=(rows, items))
    y = rng.normal(size=rows) * 10.0 ** rng.integers(-8, 9)
    if rng.integers(2):
        X = X * 10.0 ** rng.integers(-12, 13, size=items)
    if (
        rng.integers(3) == 0
    ):  # but not so far that rounding makes columns depend on each other
        X = X * 10.0 ** rng.integers(-3, 4, size=(rows, 1))
    elif rng.integers(3) == 0:
        X[rng.integers(rows)] *= 10.0 ** rng.integers(-7, 8)
    if rng.integers(3) == 0:
        y = y * 10.0 ** rng.integers(-9, 10, size=rows)
    return Regression(X, y)


def tied_regression(rng):
    """Small whole numbers, with columns that are others again, reversed, scaled, added up or empty."""
    rows, items = int(rng.integers(3, 8)), int(rng.integers(1, 4))
    X = base = rng.integers(-2, 3, size=(rows, items)).astype(float)
    extra = {
        "same": lambda: base[:, 0],
        "reversed": lambda: -base[:, -1],
        "scaled": lambda: base[:, 0] * 2.0 ** rng.integers(-8, 9),
        "sum": lambda: base.sum(axis=1),
        "empty": lambda: np.zeros(rows),
    }
    for kind in rng.choice(list(extra), size=int(rng.integers(1, 3))):
        X = np.column_stack([X, extra[kind]()])
    X = X[:, rng.permutation(X.shape[1])]
    return Regression(X, rng.integers(-3, 4, size=rows).astype(float))


def without(data, row):
    return Regression(np.delete(data.X, row, axis=0), np.delete(data.y, row))


@pytest.mark.parametrize(("bounded", "number"), [(False, 40), (True, 6)])
def test_coefficients_are_those_of_rational_numbers_whatever_the_scales(
    cases, bounded, number
):
    for rng in cases(number):
        data, scorer = wild_regression(rng), linear_scorer(rng, bounded=bounded)
        twin = RationalModel(scorer)
        try:
            out = scorer.leave_one_out(data)
        except UndefinedScoresError as error:
            folds = (
                [data]
                if not error.rows
                else [without(data, row) for row in range(len(data.y))]
            )
            assert min(twin.fit(fold)[1] for fold in folds) < data.n_items
            continue
        fits = [(data, out.scores)]
        fits += [(without(data, row), found) for row, found in enumerate(all_rows(out))]
        for fold, found in fits:
            exact = twin.score(fold)
            how = {name: getattr(scorer, name) for name in ("penalty", "radius")}
            fit = row_folds.RowFolds(fold.X, fold.y, **how)
            widths = fit.widths(np.array([fit.shift]))
            # What is allowed: a fiftieth of the resolution, or 0 for what is below the resolution.
            allowed = 0.02 * widths + 1e-9 * exact
            zeroed = (found == 0) & (exact <= 1.01 * widths)
            assert ((np.abs(found - exact) <= allowed) | zeroed).all(), (
                scorer,
                found,
                exact,
            )


@pytest.mark.parametrize(("bounded", "number"), [(False, 30), (True, 4)])
def test_audits_with_exact_ties_of_coefficients(cases, bounded, number):
    for rng in cases(number):
        data, scorer = tied_regression(rng), linear_scorer(rng, bounded=bounded)
        if isinstance(
            scorer, Ridge
        ):  # not so small that it parts coefficients by less than means anything
            scorer = Ridge(0.5)
        k, eps = int(rng.integers(1, data.n_items + 1)), float(rng.choice([0.01, 0.3]))
        try:
            found = Study(data, scorer).audit(k, eps=eps)
        except UndefinedScoresError:
            continue
        expected = brute_audit(data, RationalModel(scorer), [k], eps)
        assert not differences(found, expected), (data.X, data.y, scorer)


def league(rng):
    """Everybody meets everybody, often equally often, and sometimes they tie."""
    items = int(rng.integers(2, 6))
    left, right = np.triu_indices(items, 1)
    games = (
        rng.integers(2, 5) if rng.integers(4) else rng.integers(2, 6, size=len(left))
    )
    ties = (
        rng.integers(0, 2, size=len(left))
        if rng.integers(2)
        else np.zeros(len(left), dtype=int)
    )
    wins = rng.binomial(games, 0.5, size=len(left))
    return Battles.from_pairs(left, right, wins, games - wins, ties=ties)


def test_audits_of_leagues_with_exact_ties(cases):
    compared = 0
    for rng in cases(15):
        data, ridge = league(rng), float(rng.choice([0.0, 0.0, 0.5]))
        k, eps = int(rng.integers(1, data.n_items + 1)), float(rng.choice([0.01, 0.2]))
        try:
            found = Study(data, BradleyTerry(ridge)).audit(k, eps=eps)
        except UndefinedScoresError:
            continue
        expected = brute_audit(data, DecimalBradleyTerry(ridge), [k], eps)
        assert not differences(found, expected), win_counts(data)
        compared += 1
    assert compared > 6


def test_items_with_the_same_record_have_the_same_strength(cases):
    """By symmetry, at sizes beyond the slow twin: two copies of a league, and a league turned round."""
    for rng in cases(60):
        items = int(rng.integers(3, 12))
        wins = rng.integers(1, 10 ** rng.integers(1, 7), size=(items, items))
        twice = np.block([[wins, wins], [wins, wins]])
        left, right = np.triu_indices(2 * items, 1)
        data = Battles.from_pairs(left, right, twice[left, right], twice[right, left])
        scores = BradleyTerry().score(data)
        assert (scores[:items] == scores[items:]).all()
        # Who leaves out a battle among others leaves every other pair of twins equal.
        rows, pairs = all_rows(BradleyTerry().leave_one_out(data)), data.unit_pairs
        for unit in rng.integers(len(rows), size=5):
            touched = {pairs.winner[unit] % items, pairs.loser[unit] % items}
            others = [item for item in range(items) if item not in touched]
            assert (
                rows[unit][others] == rows[unit][np.array(others, dtype=int) + items]
            ).all()


def test_scores_are_snapped_as_by_hand(cases):
    for rng in cases(300):
        scores = rng.integers(0, 12, size=(3, int(rng.integers(1, 8)))) / 4.0
        widths = rng.choice([0.0, 0.25, 0.5], size=scores.shape[1])
        found = snapped(scores, widths)
        for row, snap in zip(scores, found, strict=True):
            order = sorted(range(len(row)), key=lambda j: -row[j])
            level = row[order[0]]
            for above, item in zip([order[0], *order], order, strict=False):
                if row[above] - row[item] > min(widths[above], widths[item]):
                    level = row[item]
                assert snap[item] == level
        assert (snapped(scores[0], widths) == found[0]).all()


def data_of_every_kind(rng):
    rows = 40
    values = rng.integers(0, 5, size=(rows, 6))
    yield Votes(rng.integers(5, size=rows), items=range(5)), "plurality"
    yield Ballots([rng.permutation(5).tolist() for _ in range(rows)]), "borda"
    yield (
        Ballots([[int(rng.integers(4))] for _ in range(rows)], approval=True),
        "approval",
    )
    users = np.repeat(np.arange(rows), 6)
    yield Ratings(users, np.tile(np.arange(6), rows), values.ravel()), "mean-rating"
    yield ScoreMatrix(values), "column-means"
    regression = Regression(rng.normal(size=(rows, 6)), rng.normal(size=rows))
    wide = Regression(rng.normal(size=(12, 60)), rng.normal(size=12))
    for name in (
        "constrained-least-squares:radius=0.3",
        "ridge:penalty=1",
        "ordinary-least-squares",
    ):
        yield regression, name
    yield wide, "constrained-least-squares:radius=0.3"
    left, right = np.triu_indices(9, 1)
    wins = rng.integers(1, 400, size=(3, len(left)))
    yield (
        Battles.from_pairs(left, right, wins[0], wins[1], ties=wins[2]),
        "bradley-terry",
    )
    few = np.minimum(wins, 4)
    yield (
        Battles.from_pairs(left, right, few[0], few[1], ties=few[2]),
        "bradley-terry:ridge=0.1",
    )
    yield ScoreMatrix(values[:8]), Refit(lambda data: np.median(data.values, axis=0))
    yield ScoreMatrix(values[:8]), Bagged("column-means", bags=5)


def asked(out, start):
    start.wait()
    return out.shifts(), *out.bounds(), all_rows(out)


def test_one_leave_one_out_may_be_shared_between_threads(cases):
    threads = 6
    with ThreadPoolExecutor(threads) as pool:
        for rng in cases(3):
            for data, scorer in data_of_every_kind(rng):
                alone = asked(as_scorer(scorer).leave_one_out(data), Barrier(1))
                shared, start = as_scorer(scorer).leave_one_out(data), Barrier(threads)
                for found in pool.map(asked, [shared] * threads, [start] * threads):
                    for mine, other in zip(alone, found, strict=True):
                        np.testing.assert_array_equal(mine, other, err_msg=str(scorer))


@pytest.mark.parametrize(
    "scorer", [ConstrainedLeastSquares(0.1), ConstrainedLeastSquares(9.0), Ridge(1.0)]
)
@pytest.mark.parametrize("shape", [(12, 900), (900, 12)])
def test_work_is_done_in_the_space_of_the_smaller_side(monkeypatch, scorer, shape):
    """One decomposition serves all folds, and nothing is as large as the square of the longer side."""
    rng = np.random.default_rng(1)
    data = Regression(rng.normal(size=shape), rng.normal(size=shape[0]))
    calls, true = [], row_folds.decomposed
    monkeypatch.setattr(
        row_folds, "decomposed", lambda X: calls.append(X.shape) or true(X)
    )
    scorer.score(data)  # SciPy is imported
    calls.clear()
    tracemalloc.start()
    rows = all_rows(scorer.leave_one_out(data))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(calls) == 1
    assert peak < 8 * max(shape) ** 2 / 2
    for row in rng.integers(shape[0], size=3):
        exact = scorer.score(without(data, row))
        np.testing.assert_allclose(rows[row], exact, rtol=0, atol=1e-12)


class TestExamples:
    def test_a_feature_of_another_scale_keeps_its_coefficient(self):
        z = np.random.default_rng(0).normal(size=(30, 2))
        X = np.column_stack([1e10 * z[:, 0], z[:, 1]])
        data = Regression(
            X, 0.3 * z[:, 1] + 0.2 * z[:, 0], items=["population", "rate"]
        )
        for scorer in (ConstrainedLeastSquares(), OrdinaryLeastSquares(), Ridge(1e-12)):
            assert scorer.score(data) == pytest.approx([2e-11, 0.3], rel=1e-12)
            rows = all_rows(scorer.leave_one_out(data))
            assert rows == pytest.approx(np.tile([2e-11, 0.3], (30, 1)), rel=1e-12)
        assert Study(data).topk(1).sure == ("rate",)

    def test_scales_beyond_the_range_of_squares_are_refused(self):
        data = Regression(
            [[1.0, 1e-200], [1.0, 3e-200], [2.0, 1e-200]], [1.0, 2.0, 3.0]
        )
        with pytest.raises(InvalidValueError, match=r"more than 1e\+140 apart"):
            ConstrainedLeastSquares().score(data)

    def test_three_teams(self):
        data = Battles.from_pairs(
            ["A", "A", "B"], ["B", "C", "C"], [2, 1, 1], [1, 2, 2]
        )
        found = Study(data).audit(1, eps=0.1)
        assert found.row("topk", 1).delta == pytest.approx(2 / 9)
        assert not differences(
            found, brute_audit(data, DecimalBradleyTerry(), [1], 0.1)
        )

    def test_a_function_of_your_own_has_the_resolution_you_say(self):
        data = ScoreMatrix([[0.1, 0.3], [0.2, 0.3], [0.3, 0.0]])

        def sums(data):
            return np.array([reduce(add, column) for column in data.values.T.tolist()])

        assert len(set(Refit(sums).score(data))) == 2
        scorer = Refit(sums, resolution=1e-9)
        assert len(set(scorer.score(data))) == 1
        assert len(set(scorer.leave_one_out(data).scores)) == 1

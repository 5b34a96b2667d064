"""Refitting without each unit: the right data, once each, whoever works."""

from __future__ import annotations

import functools
import sys

import joblib
import numpy as np
import pytest

from oracles.medians import MATRIX, column_medians, fails_on_seven
from oracles.refitting import all_rows
from steadyrank.data import Battles, Regression, ScoreMatrix, Votes
from steadyrank.errors import (
    MissingPackageError,
    RefitError,
    TooFewUnitsError,
    WrongDataError,
)
from steadyrank.scorers.bradley_terry.scorer import BradleyTerry
from steadyrank.scorers.least_squares import OrdinaryLeastSquares
from steadyrank.scorers.refit import Refit


class TestRefit:
    def test_scores_are_those_of_the_remaining_rows(self):
        out = Refit(column_medians).leave_one_out(MATRIX)
        assert (out.scores == column_medians(MATRIX)).all()
        for row in range(8):
            expected = np.median(np.delete(MATRIX.values, row, axis=0), axis=0)
            assert (all_rows(out)[row] == expected).all()

    def test_agrees_with_the_closed_forms(self):
        battles = Battles.from_pairs(
            [0, 0, 1], [1, 2, 2], [5, 7, 3], [4, 3, 6], ties=[2, 0, 1]
        )
        exact = all_rows(BradleyTerry().leave_one_out(battles))
        again = all_rows(Refit(BradleyTerry().score).leave_one_out(battles))
        assert again == pytest.approx(exact, abs=1e-12)
        rng = np.random.default_rng(0)
        data = Regression(rng.normal(size=(15, 3)), rng.normal(size=15))
        exact = all_rows(OrdinaryLeastSquares().leave_one_out(data))
        again = all_rows(Refit(OrdinaryLeastSquares().score).leave_one_out(data))
        assert again == pytest.approx(exact, abs=1e-12)

    def test_equal_units_are_fitted_once(self):
        calls = []

        def shares(data):
            calls.append(data.n_units)
            return data.tally / data.n_units

        out = Refit(shares).leave_one_out(Votes(["a"] * 50 + ["b"] * 30))
        assert len(calls) == 3
        assert out.units.counts.tolist() == [50, 30]

    @pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
    def test_any_backend_of_the_caller(self, backend):
        alone = all_rows(Refit(column_medians).leave_one_out(MATRIX))
        with joblib.parallel_config(backend, n_jobs=2):
            assert (
                all_rows(Refit(column_medians).leave_one_out(MATRIX)) == alone
            ).all()

    def test_number_of_workers(self):
        alone = all_rows(Refit(column_medians).leave_one_out(MATRIX))
        with joblib.parallel_config("threading"):
            assert (
                all_rows(Refit(column_medians, n_jobs=3).leave_one_out(MATRIX)) == alone
            ).all()

    def test_a_failing_refit_names_its_unit(self):
        values = np.array([[1.0], [7.0], [2.0]])
        data = ScoreMatrix(values, rows=["a", "the seven", "c"])
        for n_jobs in (1, 2):
            with pytest.raises(
                RefitError, match=r"without row 'the seven' .*no seven here"
            ):
                Refit(fails_on_seven, n_jobs=n_jobs).leave_one_out(data)

    @pytest.mark.parametrize(
        ("scores", "why"),
        [([1.0, 2.0], r"shape \(2,\)"), ([1.0, np.nan, 2.0], "score of item 1 is nan")],
    )
    def test_unusable_scores(self, scores, why):
        with pytest.raises(RefitError, match=why):
            Refit(lambda data: scores).score(MATRIX)

    def test_one_unit(self):
        with pytest.raises(TooFewUnitsError):
            Refit(column_medians).leave_one_out(ScoreMatrix([[1.0, 2.0]]))

    def test_missing_joblib_says_what_to_install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "joblib", None)
        with pytest.raises(
            MissingPackageError, match=r'pip install "steadyrank\[refit\]"'
        ):
            Refit(column_medians).leave_one_out(MATRIX)

    def test_seed_is_the_same_for_every_refit(self):
        def noisy(data, seed):
            return np.random.default_rng(seed).normal(size=data.n_items)

        out = Refit(noisy, seed=5).leave_one_out(MATRIX)
        assert (all_rows(out) == out.scores).all()
        assert (Refit(noisy, seed=6).score(MATRIX) != out.scores).all()

    def test_what_a_cached_function_found_is_kept(self, tmp_path):
        """As a run would find it that was cut off: the same data are not scored again."""
        calls = []

        def model(data):
            calls.append(len(data.values))
            return column_medians(data)

        known = Refit(joblib.Memory(tmp_path, verbose=0).cache(model))
        first = known.leave_one_out(MATRIX)
        assert len(calls) == 9
        again = known.leave_one_out(ScoreMatrix(MATRIX.values, rows=list("abcdefgh")))
        assert len(calls) == 9
        assert (all_rows(first) == all_rows(again)).all()

    def test_names(self):
        assert Refit(column_medians).name == "refit of column_medians"
        assert (
            Refit(functools.partial(column_medians)).name == "refit of column_medians"
        )
        assert Refit(column_medians, label="medians").name == "medians"


class TestEstimators:
    @pytest.fixture
    def data(self):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(20, 3))
        return Regression(X, X @ [1.0, -2.0, 0.0] + rng.normal(size=20))

    def test_coefficients(self, data):
        from sklearn.linear_model import LinearRegression, Ridge
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        ours = all_rows(OrdinaryLeastSquares().leave_one_out(data))
        plain = Refit(LinearRegression(fit_intercept=False)).leave_one_out(data)
        assert all_rows(plain) == pytest.approx(ours)
        rest = [np.delete(np.arange(20), row) for row in range(20)]
        centred = [
            (X - X.mean(axis=0), y - y.mean())
            for X, y in ((data.X[r], data.y[r]) for r in rest)
        ]
        expected = np.abs([np.linalg.lstsq(X, y, rcond=None)[0] for X, y in centred])
        found = all_rows(
            Refit(LinearRegression()).leave_one_out(data)
        )  # which has a constant
        assert found == pytest.approx(expected)
        pipe = Refit(make_pipeline(StandardScaler(), Ridge()))
        assert pipe.score(data).argmax() == 1

    def test_importances_and_a_fixed_random_state(self, data):
        from sklearn.ensemble import RandomForestRegressor

        forest = RandomForestRegressor(n_estimators=5)
        first, second = (
            Refit(forest, seed=3).score(data),
            Refit(forest, seed=3).score(data),
        )
        assert (first == second).all()
        assert (first != Refit(forest, seed=4).score(data)).any()
        assert forest.random_state is None
        given = RandomForestRegressor(
            n_estimators=5, random_state=np.random.RandomState(3)
        )
        assert (Refit(given).score(data) == Refit(given).score(data)).all()

    def test_no_scores(self, data):
        from sklearn.neighbors import KNeighborsRegressor

        with pytest.raises(RefitError, match="neither coef_ nor feature_importances_"):
            Refit(KNeighborsRegressor()).score(data)

    def test_other_data(self):
        from sklearn.linear_model import LinearRegression

        with pytest.raises(
            WrongDataError,
            match="LinearRegression needs regression, but was given scores",
        ):
            Refit(LinearRegression()).score(MATRIX)

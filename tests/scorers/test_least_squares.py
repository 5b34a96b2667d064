"""The linear scorers against plain refits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from steadyrank.data import Regression, Votes
from steadyrank.errors import (
    InvalidSettingError,
    TooFewUnitsError,
    UndefinedScoresError,
    WrongDataError,
)
from steadyrank.scorers.least_squares import (
    ConstrainedLeastSquares,
    OrdinaryLeastSquares,
    Ridge,
)


def by_bisection(X, y, radius):
    """Halve an interval that holds the multiplier until nothing is left of it."""
    shortest = np.linalg.lstsq(X, y, rcond=None)[0]
    if np.linalg.norm(shortest) <= radius:
        return shortest
    gram, moment = X.T @ X, X.T @ y

    def at(shift):
        return np.linalg.solve(gram + shift * np.eye(len(gram)), moment)

    low, high = 0.0, np.linalg.norm(moment) / radius + 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if np.linalg.norm(at(middle)) > radius:
            low = middle
        else:
            high = middle
    return at(high)


def rows_without(data, scorer):
    blocks = list(scorer.leave_one_out(data).blocks())
    assert [block.start for block in blocks] == list(
        np.cumsum([0] + [len(block.scores) for block in blocks])[:-1]
    )
    return np.concatenate([block.scores for block in blocks])


def deleted(data, row):
    return Regression(np.delete(data.X, row, axis=0), np.delete(data.y, row))


@st.composite
def regressions(draw, extra_rows=0):
    items = draw(st.integers(1, 5))
    rows = draw(st.integers(2 + extra_rows * items, 9 + extra_rows * items))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        X = rng.integers(-1, 2, size=(rows, items)).astype(float)
    else:
        X = rng.normal(size=(rows, items))
    return Regression(
        X, rng.normal(size=rows) * draw(st.sampled_from([0.1, 1.0, 30.0]))
    )


class TestConstrained:
    @given(regressions(), st.sampled_from([0.1, 1.0, 3.0]))
    def test_score_is_the_bisection_twin(self, data, radius):
        expected = np.abs(by_bisection(data.X, data.y, radius))
        found = ConstrainedLeastSquares(radius).score(data)
        assert found == pytest.approx(expected, abs=1e-9)
        assert np.linalg.norm(found) <= radius * (1 + 1e-12)

    @given(regressions(), st.sampled_from([0.1, 1.0, 3.0]))
    def test_leave_one_out_is_refitting(self, data, radius):
        found = rows_without(data, ConstrainedLeastSquares(radius))
        for row in range(len(data.y)):
            X, y = np.delete(data.X, row, axis=0), np.delete(data.y, row)
            assert found[row] == pytest.approx(
                np.abs(by_bisection(X, y, radius)), abs=1e-9
            )

    def test_agrees_with_a_general_optimiser(self):
        from scipy.optimize import minimize

        rng = np.random.default_rng(1)
        X, y = rng.normal(size=(50, 5)), rng.normal(size=50) * 3
        y += X @ np.arange(5)
        found = minimize(
            lambda b: ((y - X @ b) ** 2).sum() / 100,
            np.zeros(5),
            jac=lambda b: X.T @ (X @ b - y) / 50,
            constraints={
                "type": "ineq",
                "fun": lambda b: 1 - b @ b,
                "jac": lambda b: -2 * b,
            },
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 500},
        )
        score = ConstrainedLeastSquares().score(Regression(X, y))
        assert score == pytest.approx(np.abs(found.x), abs=1e-6)

    def test_more_features_than_rows_gives_the_shortest_solution(self):
        data = Regression([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.4, 0.1])
        assert ConstrainedLeastSquares().score(data) == pytest.approx([0.2, 0.2, 0.1])
        assert rows_without(data, ConstrainedLeastSquares()) == pytest.approx(
            np.array([[0, 0, 0.1], [0.2, 0.2, 0]])
        )

    def test_chunks_do_not_matter(self):
        rng = np.random.default_rng(3)
        X, y = rng.normal(size=(30, 4)), rng.normal(size=30)
        out = ConstrainedLeastSquares(0.1).leave_one_out(Regression(X, y))
        (whole,) = out.blocks()
        parts = list(replace(out, block_numbers=28).blocks())
        assert len(parts) == 5
        found = np.concatenate([part.scores for part in parts])
        assert found == pytest.approx(whole.scores, abs=1e-14)

    def test_huge_and_tiny_values(self):
        rng = np.random.default_rng(4)
        X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
        plain = rows_without(Regression(X, y), ConstrainedLeastSquares(0.01))
        for size in (1e15, 1e-15):
            scaled = rows_without(
                Regression(X * size, y * size), ConstrainedLeastSquares(0.01)
            )
            assert scaled == pytest.approx(plain, rel=1e-9)

    def test_zero_response(self):
        data = Regression(np.eye(3), np.zeros(3))
        assert (ConstrainedLeastSquares().score(data) == 0).all()
        assert (rows_without(data, ConstrainedLeastSquares()) == 0).all()

    @pytest.mark.parametrize("radius", [0.0, -1.0, np.nan, np.inf])
    def test_bad_radius(self, radius):
        with pytest.raises(
            InvalidSettingError,
            match=r"radius must be a finite number above 0, .*ordinary",
        ):
            ConstrainedLeastSquares(radius)


class TestRidge:
    @given(regressions(), st.sampled_from([1e-9, 0.1, 5.0]))
    def test_leave_one_out_is_refitting(self, data, penalty):
        scorer = Ridge(penalty)
        found = rows_without(data, scorer)
        for row in range(len(data.y)):
            # The smallest penalty leaves the twin, not the fold, with few digits.
            assert found[row] == pytest.approx(
                self.plain(deleted(data, row), scorer), abs=2e-6
            )
        assert scorer.score(data) == pytest.approx(self.plain(data, scorer), abs=2e-6)

    @staticmethod
    def plain(data, scorer):
        pull = np.sqrt(scorer.penalty) * np.eye(data.X.shape[1])
        y = np.append(data.y, np.zeros(len(pull)))
        return np.abs(np.linalg.lstsq(np.vstack([data.X, pull]), y, rcond=1e-14)[0])

    def test_well_conditioned_folds_are_exact(self):
        rng = np.random.default_rng(5)
        data = Regression(rng.normal(size=(40, 6)), rng.normal(size=40))
        found = rows_without(data, Ridge(0.5))
        plain = [self.plain(deleted(data, i), Ridge(0.5)) for i in range(40)]
        assert found == pytest.approx(np.array(plain), abs=1e-13)

    @pytest.mark.parametrize("penalty", [0.0, -1.0, np.nan])
    def test_bad_penalty(self, penalty):
        with pytest.raises(
            InvalidSettingError, match='use scorer="ordinary-least-squares"'
        ):
            Ridge(penalty)


class TestOrdinary:
    @given(regressions(extra_rows=4))
    def test_leave_one_out_is_refitting_or_a_named_error(self, data):
        scorer = OrdinaryLeastSquares()
        folds = [deleted(data, row) for row in range(len(data.y))]
        if any(np.linalg.matrix_rank(fold.X) < fold.X.shape[1] for fold in folds):
            with pytest.raises(UndefinedScoresError):
                scorer.leave_one_out(data)
            return
        found = rows_without(data, scorer)
        for row, fold in enumerate(folds):
            assert found[row] == pytest.approx(self.plain(fold), abs=1e-9)

    @staticmethod
    def plain(data):
        return np.abs(np.linalg.lstsq(data.X, data.y, rcond=None)[0])

    def test_singular_design_says_rank_and_way_out(self):
        data = Regression([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]], [1.0, 2.0, 3.0])
        with pytest.raises(
            UndefinedScoresError, match="rank 1 for 2 coefficients"
        ) as caught:
            OrdinaryLeastSquares().score(data)
        assert 'Use scorer="ridge:penalty=1"' in str(caught.value)

    def test_a_row_that_alone_carries_a_feature_is_named(self):
        X = [[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]
        data = Regression(X, [1.0, 2.0, 3.0], rows=["a", "b", "the one"])
        assert OrdinaryLeastSquares().score(data) == pytest.approx([1.0, 3.0])
        with pytest.raises(
            UndefinedScoresError, match=r"without row the one .* rank 1"
        ):
            OrdinaryLeastSquares().leave_one_out(data)

    def test_leverage_near_one_is_refitted(self):
        X = np.array([[1.0, 0.0], [2.0, 1e-5], [0.0, 1.0], [1.0, -1e-5]])
        data = Regression(X, [1.0, 2.0, 3.0, 1.5])
        found = rows_without(data, OrdinaryLeastSquares())
        plain = [self.plain(deleted(data, row)) for row in range(4)]
        assert found == pytest.approx(np.array(plain), rel=1e-9)


@pytest.mark.parametrize(
    "scorer", [ConstrainedLeastSquares(), Ridge(1.0), OrdinaryLeastSquares()]
)
class TestAll:
    def test_one_row(self, scorer):
        data = Regression([[2.0]], [1.0])
        assert len(scorer.score(data)) == 1
        with pytest.raises(TooFewUnitsError):
            scorer.leave_one_out(data)

    def test_other_data_is_refused(self, scorer):
        with pytest.raises(
            WrongDataError, match="needs regression, but was given votes"
        ):
            scorer.score(Votes(["a", "b"]))

    @given(hnp.arrays(np.float64, (6, 2), elements=st.integers(-2, 2)))
    def test_input_is_not_changed(self, scorer, X):
        X = np.vstack([X, np.eye(2), np.eye(2)])
        y = X.sum(axis=1)
        data = Regression(X, y)
        before = data.X.copy(), data.y.copy()
        rows_without(data, scorer)
        assert (before[0] == data.X).all()
        assert (data.y == before[1]).all()

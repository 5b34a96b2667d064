from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import sqrtm

from paper import regression
from steadyrank.errors import InvalidValueError


def test_draws_come_in_the_order_of_the_script() -> None:
    generator = np.random.RandomState(5)
    sigma = 0.3 ** np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    simulated = regression.regression_trials(
        trials=3, rows=6, features=4, correlation=0.3, seed=5, beta="text"
    )
    for X, y in zip(simulated.X, simulated.y, strict=True):
        expected = generator.randn(6, 4) @ np.real(sqrtm(sigma))
        assert pytest.approx(expected, abs=1e-12) == X
        assert y == pytest.approx(
            expected @ simulated.beta + generator.randn(6), abs=1e-12
        )


def test_features_have_the_stated_correlation() -> None:
    simulated = regression.regression_trials(trials=1, rows=60_000, features=4, seed=3)
    expected = 0.5 ** np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    assert np.cov(simulated.X[0].T) == pytest.approx(expected, abs=0.02)
    noise = simulated.y[0] - simulated.X[0] @ simulated.beta
    assert noise.std() == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("features", [2, 5, 500])
def test_coefficients_have_length_one_and_equal_steps(features: int) -> None:
    for start, first in (("script", 0.0), ("text", 1.0)):
        beta = regression.true_coefficients(features, start=start)
        assert np.linalg.norm(beta) == pytest.approx(1.0)
        step = beta[1] - beta[0]
        assert np.diff(beta) == pytest.approx(np.full(features - 1, step))
        assert beta[0] == pytest.approx(first * step)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: regression.true_coefficients(5, start="both"), "but is 'both'"),
        (lambda: regression.true_coefficients(1), "at least 2, but is 1"),
        (
            lambda: regression.regression_trials(correlation=1.0),
            "between -1 and 1, but is 1.0",
        ),
    ],
)
def test_wrong_requests_are_named(call, message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        call()

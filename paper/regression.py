"""The paper's regression experiment: simulated designs whose features are to be ranked.

In each trial the rows of X are normal with correlation ``rho ** |i - j|`` between features,
``y = X beta + noise`` with standard normal noise, and ``beta`` has length 1 and entries in
arithmetic progression. The paper's text starts the progression at 1, the authors' script,
and so the printed table, at 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from paper.array_types import FloatArray

AUTHORS_SEED = 1_234_567_891
ROWS, FEATURES, TRIALS = 50, 5, 1000
CORRELATION = 0.5
EPS = 0.05
RADIUS = 1.0

BetaStart = Literal["script", "text"]


@dataclass(frozen=True)
class RegressionTrials:
    """Simulated regression data: ``X`` (trials, rows, features), ``y`` (trials, rows)."""

    X: FloatArray
    y: FloatArray
    beta: FloatArray


def true_coefficients(features: int, *, start: BetaStart = "script") -> FloatArray:
    """Return coefficients proportional to 0, 1, 2... or to 1, 2, 3..., of length 1.

    Examples
    --------
    >>> true_coefficients(3).round(3)
    array([0.   , 0.447, 0.894])
    >>> true_coefficients(3, start="text").round(3)
    array([0.267, 0.535, 0.802])
    """
    if start not in get_args(BetaStart):
        raise InvalidValueError(f"start must be 'script' or 'text', but is {start!r}.")
    if features < 2:
        raise InvalidValueError(f"features must be at least 2, but is {features!r}.")
    steps = np.arange(features, dtype=np.float64) + (start == "text")
    return np.asarray(steps / np.linalg.norm(steps))


def regression_trials(
    *,
    trials: int = TRIALS,
    rows: int = ROWS,
    features: int = FEATURES,
    correlation: float = CORRELATION,
    beta: BetaStart = "script",
    seed: int = AUTHORS_SEED,
) -> RegressionTrials:
    """Simulate the paper's regression data, by default number for number.

    Parameters
    ----------
    trials, rows, features : int
        How much of it.
    correlation : float
        Correlation of neighbouring features, between -1 and 1.
    beta : {"script", "text"}
        Whether the coefficients are proportional to 0, 1, 2... or to 1, 2, 3...
    seed : int
        Of NumPy's legacy generator, which the published table was made with.

    Examples
    --------
    >>> simulated = regression_trials(trials=2)
    >>> simulated.X.shape, simulated.y.shape
    ((2, 50, 5), (2, 50))
    """
    if not -1 < correlation < 1:
        raise InvalidValueError(
            f"correlation must be between -1 and 1, but is {correlation!r}."
        )
    coefficients = true_coefficients(features, start=beta)
    root = _correlation_root(features, correlation)
    # The published digits depend on this very generator and on the order of its draws.
    generator = np.random.RandomState(seed)
    X, noise = np.empty((trials, rows, features)), np.empty((trials, rows))
    for trial in range(trials):
        X[trial] = generator.randn(rows, features) @ root
        noise[trial] = generator.randn(rows)
    return RegressionTrials(X, X @ coefficients + noise, coefficients)


def _correlation_root(features: int, correlation: float) -> FloatArray:
    """Return the symmetric square root of the matrix ``correlation ** |i - j|``."""
    places = np.arange(features)
    matrix = float(correlation) ** np.abs(places[:, np.newaxis] - places)
    sizes, directions = np.linalg.eigh(matrix)
    return np.asarray((directions * np.sqrt(sizes)) @ directions.T)

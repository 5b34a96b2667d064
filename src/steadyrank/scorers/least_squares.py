"""Linear models on regression data: the scores are the absolute values of the coefficients.

There is no intercept and no centring unless ``intercept=True``: with it the coefficients are
those of the model with an unpenalised constant, whose value is not a score.

Leaving out a row subtracts one outer product from ``X'X``; with an intercept the mean moves
too, and the centred ``X'X`` loses ``n/(n-1)`` times the outer product of the centred row. So
both cases are the same rank-one downdate, of rows that carry the factor ``sqrt(n/(n-1))``.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from steadyrank.errors import InvalidSettingError, Option, SingularDesignError
from steadyrank.scorers.base import RowsOut, Scorer, check_several
from steadyrank.scorers.norm_ball import (
    CANCELLED,
    checked_radius,
    constrained_coefficients,
    leave_one_row_out,
)

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray
    from steadyrank.data.observations import Observations
    from steadyrank.data.regression import Regression
    from steadyrank.data.units import Units
    from steadyrank.scorers.base import LeaveOneOut

    _Solver: TypeAlias = "_BallSolver | _HatSolver"


@dataclass(frozen=True)
class _Design:
    """What the coefficients depend on: X and y, centred where there is an intercept."""

    X: FloatArray
    y: FloatArray
    growth: float
    """The factor on a row's outer product when it leaves."""

    @classmethod
    def of(cls, data: Regression, *, intercept: bool) -> _Design:
        if not intercept:
            return cls(data.X, data.y, 1.0)
        rows = len(data.y)
        growth = rows / (rows - 1) if rows > 1 else 1.0
        return cls(data.X - data.X.mean(axis=0), data.y - data.y.mean(), growth)


class LinearModel(Scorer):
    """Scores ``|b|`` of a linear model, from whoever solves it."""

    takes = ("regression",)
    intercept: bool

    @abstractmethod
    def solver(self, design: _Design) -> _Solver:
        """Return what solves this model."""

    def score(self, data: Regression) -> FloatArray:
        """Return the absolute coefficients."""
        return np.abs(self._solved(data).coefficients)

    def leave_one_out(self, data: Regression) -> LeaveOneOut:
        """Return the absolute coefficients without each row."""
        solver = self._solved(data)
        check_several(data)
        solver.check_rows(data.units)
        scores = np.abs(solver.coefficients)
        return RowsOut(scores, data.units, lambda rows: np.abs(solver.without(rows)))

    def _solved(self, data: Regression) -> _Solver:
        self.check(data)
        return self.solver(_Design.of(data, intercept=self.intercept))


@dataclass(frozen=True)
class ConstrainedLeastSquares(LinearModel):
    """Least squares with ``||b|| <= radius``; scores ``|b|``, as in the paper's experiment.

    The bound stays the same when a row leaves; the multiplier that enforces it moves, and is
    solved for again in every fold. Where the data do not determine ``b`` (more features than
    rows, say) it is the solution of smallest norm.

    Parameters
    ----------
    radius : float
        The bound on the Euclidean norm of the coefficients.
    intercept : bool
        Whether the model has a constant; it is outside the bound. Default: no.

    Examples
    --------
    >>> from steadyrank.data import Regression
    >>> data = Regression([[1.0, 0.0], [0.0, 1.0]], [3.0, -4.0])
    >>> ConstrainedLeastSquares().score(data).round(3)
    array([0.6, 0.8])
    """

    radius: float = 1.0
    intercept: bool = False

    def __post_init__(self) -> None:
        checked_radius(self.radius)

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return f"least squares, norm at most {self.radius:g}" + _with(intercept=self.intercept)

    def solver(self, design: _Design) -> _Solver:
        """Solve by the secular equation."""
        return _BallSolver(design, self.radius)

    def output_radius_squared(self, data: Observations) -> float:  # noqa: ARG002 (the ball is given)
        """Return that of the ball."""
        return float(self.radius) ** 2


class _BallSolver:
    def __init__(self, design: _Design, radius: float) -> None:
        self.design = design
        self.radius = radius
        self.gram = design.X.T @ design.X
        self.moment = design.X.T @ design.y
        self.coefficients = constrained_coefficients(self.gram, self.moment, radius=radius)

    def check_rows(self, units: Units) -> None:
        """Accept any row's leaving."""

    def without(self, rows: slice) -> FloatArray:
        root = np.sqrt(self.design.growth)
        left, responses = root * self.design.X[rows], root * self.design.y[rows]
        return leave_one_row_out(self.gram, self.moment, left, responses, self.radius)


@dataclass(frozen=True)
class Ridge(LinearModel):
    """Least squares with ``penalty * ||b||^2`` added; scores ``|b|``.

    Parameters
    ----------
    penalty : float
        Positive. It stays the same when a row leaves.
    intercept : bool
        Whether the model has an unpenalised constant. Default: no.

    Examples
    --------
    >>> from steadyrank.data import Regression
    >>> data = Regression([[1.0, 0.0], [0.0, 1.0]], [2.0, -4.0])
    >>> Ridge(1.0).score(data)
    array([1., 2.])
    """

    penalty: float
    intercept: bool = False

    def __post_init__(self) -> None:
        if not (np.isfinite(self.penalty) and self.penalty > 0):
            raise InvalidSettingError(
                f"penalty must be a positive, finite number, but is {self.penalty!r}",
                way_out=["For no penalty use ", Option("scorer", "ordinary-least-squares"), "."],
            )

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return f"ridge regression, penalty {self.penalty:g}" + _with(intercept=self.intercept)

    def solver(self, design: _Design) -> _Solver:
        """Solve by singular values."""
        return _HatSolver(design, self.penalty)


@dataclass(frozen=True)
class OrdinaryLeastSquares(LinearModel):
    """Least squares without bound or penalty; scores ``|b|``.

    A design matrix without full column rank, or one that loses it when some row leaves, is
    refused with a named error: the answer would depend on the software, not on the data.

    Parameters
    ----------
    intercept : bool
        Whether the model has a constant. Default: no.

    Examples
    --------
    >>> from steadyrank.data import Regression
    >>> data = Regression([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]], [2.0, -4.0, -8.0])
    >>> OrdinaryLeastSquares().score(data).round(12)
    array([2., 4.])
    """

    intercept: bool = False

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return "ordinary least squares" + _with(intercept=self.intercept)

    def solver(self, design: _Design) -> _Solver:
        """Solve by singular values."""
        return _HatSolver(design, 0.0)


class _HatSolver:
    """Ridge or ordinary least squares through the singular values of X and its hat matrix."""

    def __init__(self, design: _Design, penalty: float) -> None:
        self.design = design
        self.penalty = penalty
        left, sizes, right = np.linalg.svd(design.X, full_matrices=False)
        none = sizes.max(initial=0.0) * max(design.X.shape) * np.finfo(np.float64).eps
        rank = int((sizes > none).sum())
        if penalty == 0.0 and rank < design.X.shape[1]:
            raise SingularDesignError(rank, design.X.shape[1])
        damped = np.where(sizes > 0, sizes / np.where(sizes > 0, sizes**2 + penalty, 1.0), 0.0)
        self.coefficients: FloatArray = right.T @ (damped * (left.T @ design.y))
        self.residuals = design.y - design.X @ self.coefficients
        # Rows of X (X'X + penalty)^-1: by how much each row pulls each coefficient.
        self.pulls: FloatArray = (left * damped) @ right
        leverages = (left**2 * (damped * sizes)).sum(axis=1)
        self.left_over = 1.0 - design.growth * leverages

    def without(self, rows: slice) -> FloatArray:
        cancelled = self.left_over[rows] <= CANCELLED
        left_over = np.where(cancelled, 1.0, self.left_over[rows])
        weight = self.design.growth * self.residuals[rows] / left_over
        found = self.coefficients - weight[:, np.newaxis] * self.pulls[rows]
        for row in np.flatnonzero(cancelled):
            found[row] = self._refit_without(rows.start + row)
        return np.asarray(found)

    def _refit_without(self, row: int) -> FloatArray:
        """Solve one fold by itself: its leverage is too close to 1 for the closed form."""
        X, y = self._kept(row)
        padded = np.vstack([X, np.sqrt(self.penalty) * np.eye(X.shape[1])])
        return np.asarray(np.linalg.lstsq(padded, np.append(y, np.zeros(X.shape[1])))[0])

    def _kept(self, row: int) -> tuple[FloatArray, FloatArray]:
        X, y = np.delete(self.design.X, row, axis=0), np.delete(self.design.y, row)
        if self.design.growth == 1.0:
            return X, y
        return X - X.mean(axis=0), y - y.mean()

    def check_rows(self, units: Units) -> None:
        """Without a penalty, complain about rows that alone carry a direction."""
        if self.penalty:
            return
        close = np.flatnonzero(self.left_over <= CANCELLED).tolist()
        ranks = {row: int(np.linalg.matrix_rank(self._kept(row)[0])) for row in close}
        full = self.design.X.shape[1]
        if names := [units.labels[row] for row, rank in ranks.items() if rank < full]:
            raise SingularDesignError(min(ranks.values()), full, names, len(names))


def _with(*, intercept: bool) -> str:
    return " (with intercept)" if intercept else ""

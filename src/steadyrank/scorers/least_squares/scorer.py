r"""Linear models on regression data: the scores are the absolute values of the coefficients.

There is no intercept and no centring. Models of scikit-learn have a constant, and are refitted without
each row: ``Refit(LinearRegression())``.

No rule bounds what one row can do to them, whatever the others are: in a ball around the origin n - 1
rows with tiny features along one axis, and one with less tiny features along another, move the fit
across it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steadyrank._typing import FloatArray
from steadyrank.data.observations import Observations
from steadyrank.data.regression import Regression
from steadyrank.errors import InvalidSettingError, Option, singular_design
from steadyrank.operators.checks import Range, setting
from steadyrank.scorers.base import LeaveOneOut, RowsOut, Scorer, check_several
from steadyrank.scorers.least_squares.folds import RESOLUTION, RowFolds

UNHELD = Option("scorer", "ordinary-least-squares")
PENALTY = Range(0.0, above=True, way_out=("For no penalty use ", UNHELD, "."))
RADIUS = Range(0.0, above=True, way_out=("For no bound at all use ", UNHELD, "."))


class LinearModel(Scorer):
    """Scores ``|b|`` of a linear model.

    Coefficients closer than the resolution of 1e-10 are equal, and one that is closer to 0 is 0. The
    unit is how large the coefficient could be for any responses of the same length, so that it goes
    with the units of X and y; of two features the smaller one counts. Put differently, coefficients are
    equal if a change of the responses in the tenth digit could make them so. The error of a fit is about
    1e-15 in that unit, in folds up to 1e-12, unless features nearly depend on each other; those that
    depend on others up to rounding, whatever their scales, are taken to depend on them.
    """

    takes = ("regression",)
    resolution = RESOLUTION
    penalty: float = 0.0
    radius: float = math.inf
    determined: ClassVar[bool] = False
    """Whether data that leave a choice of coefficients are refused."""

    def score(self, data: Regression) -> FloatArray:
        """Return the absolute coefficients."""
        return self._fitted(data).scores

    def leave_one_out(self, data: Regression) -> LeaveOneOut:
        """Return the absolute coefficients without each row, or without each group of rows."""
        fit, unit = self._fitted(data), data.unit
        check_several(data)
        which = fit.outweighing().tolist() if unit is None else range(len(data.units))
        gone = {each: each if unit is None else unit == each for each in which}
        with in_reach():
            apart = {each: fit.refitted_without(rows) for each, rows in gone.items()}
        if self.determined:
            lost = [row for row, other in apart.items() if other.rank < fit.rank]
            every = unit is None and fit.independent
            rows = [data.units.labels[row] for row in (range(len(data.y)) if every else lost)]
            if rows:
                raise singular_design(fit.rank - 1, fit.rank, rows)
        scores = {row: other.scores for row, other in apart.items()}
        steady = np.delete(np.arange(len(data.units)), list(scores))

        def without(part: slice) -> FloatArray:
            found = np.empty((part.stop - part.start, data.n_items))
            rows = steady[slice(*np.searchsorted(steady, [part.start, part.stop]))]
            with in_reach():
                found[rows - part.start] = fit.without(rows)
            for row in scores.keys() & range(part.start, part.stop):
                found[row - part.start] = scores[row]
            return found

        return RowsOut(fit.scores, data.units, without)

    def _fitted(self, data: Regression) -> RowFolds:
        data = self.prepared(data)
        with in_reach():
            fit = RowFolds(data.X, data.y, penalty=self.penalty, radius=self.radius)
        if self.determined and fit.rank < data.n_items:
            raise singular_design(fit.rank, data.n_items)
        return fit


@contextmanager
def in_reach() -> Iterator[None]:
    """Refuse by name what no fit in double precision reaches; what vanishes beside the rest may."""
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            yield
    except ArithmeticError:
        raise InvalidSettingError(
            "the numbers of this regression are so far apart in size that no float holds a fit",
            way_out="Write features and responses in units that make them of similar size.",
        ) from None


@dataclass(frozen=True)
class ConstrainedLeastSquares(LinearModel):
    """Least squares with ``||b|| <= radius``; scores ``|b|``, as in the paper's experiment.

    The bound stays the same when a row leaves; the multiplier that enforces it moves, and is
    solved for again in every fold. Where the data do not determine ``b`` (more features than
    rows, say) it is the solution of smallest norm, with and without each row.

    Parameters
    ----------
    radius : float
        The bound on the Euclidean norm of the coefficients.

    Examples
    --------
    >>> from steadyrank.data import Regression
    >>> data = Regression([[1.0, 0.0], [0.0, 1.0]], [3.0, -4.0])
    >>> ConstrainedLeastSquares().score(data).round(3)
    array([0.6, 0.8])
    """

    _called = "least squares, norm at most {0.radius:g}"
    radius: float = setting(1.0, RADIUS)

    def output_radius_squared(self, data: Observations) -> float:  # noqa: ARG002 (the ball is given)
        """Return that of the ball."""
        return float(self.radius) ** 2


@dataclass(frozen=True)
class Ridge(LinearModel):
    """Least squares with ``penalty * ||b||^2`` added; scores ``|b|``.

    Parameters
    ----------
    penalty : float
        Positive. It stays the same when a row leaves.

    Examples
    --------
    >>> from steadyrank.data import Regression
    >>> data = Regression([[1.0, 0.0], [0.0, 1.0]], [2.0, -4.0])
    >>> Ridge(1.0).score(data)
    array([1., 2.])
    """

    _called = "ridge regression, penalty {0.penalty:g}"
    penalty: float = setting(allowed=PENALTY)


@dataclass(frozen=True)
class OrdinaryLeastSquares(LinearModel):
    """Least squares without bound or penalty; scores ``|b|``.

    A design matrix without full column rank, or one that loses it when some row leaves, is
    refused with a named error: the answer would depend on the software, not on the data.

    Examples
    --------
    >>> from steadyrank.data import Regression
    >>> data = Regression([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]], [2.0, -4.0, -8.0])
    >>> OrdinaryLeastSquares().score(data).round(12)
    array([2., 4.])
    """

    _called, determined = "ordinary least squares", True

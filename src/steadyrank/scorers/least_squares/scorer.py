r"""Linear models on regression data: the scores are the absolute values of the coefficients.

There is no intercept and no centring unless ``intercept=True``: with it the coefficients are
those of the model with an unpenalised constant, whose value is not a score.

*How far one row can move a fit* that a penalty or curvature holds: the proved rules.

Scores of linear models are ``|b|``. Absolute values bring no two numbers further apart, so what bounds
``||b - b\i||`` bounds the shift of the scores.

*Ridge.* Let N = n - 1 rows stay, with ``G = X'X + penalty I``, and let (x, y) be the row that leaves.
With ``h = G^-1 x`` the coefficients differ by ``h (y - x.b\i) / (1 + x.h)``. The others' responses say
``x.b\i = (X h).y\i``, at most ``B_y sqrt(N) ||X h||``, and ``||X h||^2 = x.h - penalty ||h||^2``. Write
s for ``||h||``; then ``x.h <= B_x s``, and since no square is negative ``s <= B_x / penalty``. So the
shift is at most ``B_y s (1 + sqrt(N (B_x s - penalty s^2)))``, and each term at its largest gives

    B_x B_y / penalty * (1 + sqrt(27)/16 * B_x sqrt(N / penalty)).

Another bound does not ask how long rows are. With ``d = ||X h||^2`` what stands below the line is ``1 +
d + penalty s^2``, at least ``2 s sqrt(penalty (1 + d))``, and ``1 + sqrt(N d)`` is at most ``sqrt(n (1
+ d))``: the shift is at most ``B_y sqrt(n) / (2 sqrt(penalty))``. The smaller one counts. One feature
and N equal rows come near to it.

*With an intercept* all is about centred rows, and the row that leaves acts as ``sqrt(N/n)`` times its
difference from the others' mean, with bounds twice as large. So f = 4 N/n takes the place of 1, as a
factor of the first bound, and in n = N + 1 of the second.

*Least squares with* ``||b|| <= R``. Let no eigenvalue of X'X be below the curvature. The squares of all
rows have a gradient at ``b\i`` that points uphill into the ball but for what the one row adds to it,
which has size ``2 ||x|| |y - x.b\i|``, and their slope grows by at least twice the curvature with each
step. So the shift is at most ``f B_x (B_y + B_x R) / curvature``. Without curvature nothing is left but
the size of the ball: scores are not negative, so any two are at most ``sqrt(2) R`` apart. No smaller
number would do, whatever n is: N rows with tiny features along the first axis give ``b\i = R e_1``, and
one with less tiny features along the second gives b near ``R e_2``. And at an eps above ``sqrt(2) R``
every item is in every answer: ``eps/sqrt(2)`` in place of one score and 0 in place of the others puts
that item ahead, at a distance of at most ``sqrt(R^2 + eps^2/2)``, which is below eps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from steadyrank._typing import FloatArray
from steadyrank.data.observations import Observations
from steadyrank.data.regression import Regression
from steadyrank.errors import InvalidSettingError, Option, shorten, singular_design
from steadyrank.scorers.base import LeaveOneOut, RowsOut, Scorer, check_several
from steadyrank.scorers.least_squares.folds import RESOLUTION, RowFolds
from steadyrank.scorers.sensitivity import Sensitivity, each_alone
from steadyrank.scorers.settings import Range, setting

STATED = Range(0.0, above=True, optional=True)
UNHELD = Option("scorer", "ordinary-least-squares")
PENALTY = Range(0.0, above=True, way_out=("For no penalty use ", UNHELD, "."))
RADIUS = Range(0.0, above=True, way_out=("For no bound at all use ", UNHELD, "."))
WITHIN = 1e-9
"""Rows longer than the stated bound by less than this share of it are taken to keep to it."""
ROUNDING = 1 + 4 * WITHIN
"""The bounds are at most of degree three in what is stated."""


class Rows(NamedTuple):
    """What is stated of rows: ``||x|| <= features`` and ``|y| <= responses``."""

    features: float
    responses: float

    def __str__(self) -> str:
        return f"rows with ||x|| <= {float(self.features)!r} and |y| <= {float(self.responses)!r}"


def ridge_bound(n: int, penalty: float, rows: Rows, *, intercept: bool) -> float:
    """Return the most that one row moves the coefficients of a ridge regression.

    Examples
    --------
    >>> round(ridge_bound(100, 50.0, Rows(1.0, 1.0), intercept=False), 4)
    0.0291
    """
    features, responses = (float(bound) / math.sqrt(penalty) for bound in rows)
    factor = 4 * (n - 1) / n if intercept else 1.0
    short = factor * features * responses * (1 + math.sqrt(27 * (n - 1)) / 16 * features)
    return min(short, math.sqrt(n - 1 + factor) * responses / 2) * ROUNDING


def ball_bound(n: int, radius: float, curvature: float, rows: Rows, *, intercept: bool) -> float:
    """Return the most that one row moves the coefficients in a ball, by the curvature of the squares."""
    steepest = rows.features * (rows.responses + rows.features * radius)
    return (4 * (n - 1) / n if intercept else 1.0) * steepest / curvature * ROUNDING


def check_rows(data: Regression, features: float | None, responses: float | None) -> None:
    """Complain about the first row that does not keep to what was stated."""
    with np.errstate(over="ignore"):  # a row beyond all floats is beyond the bound
        sizes = np.hypot.reduce(data.X, axis=1, initial=0.0), np.abs(data.y)
    for what, bound, found in zip(("feature", "response"), (features, responses), sizes, strict=True):
        over = np.flatnonzero(found > (math.inf if bound is None else bound * (1 + WITHIN)))
        if len(over):
            row = shorten(data.row_labels[int(over[0])])
            raise InvalidSettingError(
                f"{len(over):,} of {len(found):,} rows leave the stated {what}_bound={bound:g}; "
                f"the first is row {row}, with {found[over[0]]:g}",
                way_out="State what rows can have.",
            )


def check_curvature(data: Regression, curvature: float, *, intercept: bool) -> None:
    """Complain if the squares of these rows are flatter than was stated."""
    X = data.X - data.X.mean(axis=0) if intercept else data.X
    smallest = float(np.linalg.svd(X, compute_uv=False)[-1]) ** 2 if len(X) >= data.n_items else 0.0
    if smallest < curvature * (1 - WITHIN):
        raise InvalidSettingError(
            f"the smallest eigenvalue of X'X is {smallest:g}, below the stated curvature={curvature:g}",
            way_out="State one that the features reach, or none.",
        )


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
    intercept: bool
    penalty: float = 0.0
    radius: float = math.inf
    feature_bound: float | None = None
    response_bound: float | None = None
    determined: ClassVar[bool] = False
    """Whether data that leave a choice of coefficients are refused."""

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return super().name + (" (with intercept)" if self.intercept else "")

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
                raise singular_design(fit.rank - 1, fit.rank, rows, len(rows))
        scores = {row: other.scores for row, other in apart.items()}
        steady = np.setdiff1d(np.arange(len(data.units)), list(scores))

        def without(part: slice) -> FloatArray:
            found = np.empty((part.stop - part.start, data.n_items))
            rows = steady[slice(*np.searchsorted(steady, [part.start, part.stop]))]
            with in_reach():
                found[rows - part.start] = fit.without(rows)
            for row in scores.keys() & range(part.start, part.stop):
                found[row - part.start] = scores[row]
            return found

        return RowsOut(fit.scores, data.units, without)

    def _stated_rows(self, data: Regression) -> Rows | None:
        """Return what is stated of rows, which these data keep to, if that is enough for a rule."""
        data = self.prepared(data)
        check_rows(data, self.feature_bound, self.response_bound)
        if not (self.feature_bound and self.response_bound and each_alone(data)):
            return None
        return Rows(self.feature_bound, self.response_bound)

    def _bounded(
        self, data: Regression, eps: float, widest: float, *, rule: str, scope: str
    ) -> Sensitivity:
        """Return a bound on exact coefficients, with what making scores equal can add to it.

        ``widest`` is the largest unit of the resolution; a chain of equal scores has fewer than L links.
        """
        eps += self.resolution * data.n_items**1.5 * widest
        stated = {name: value for name, value in vars(self).items() if name != "intercept"}
        numbers = {name: float(value) for name, value in stated.items() if value is not None}
        return Sensitivity.of(
            data, eps, rule=rule, units="rows", moved="scores", scope=scope, numbers=numbers
        )

    def _fitted(self, data: Regression) -> RowFolds:
        data = self.prepared(data)
        check_rows(data, self.feature_bound, self.response_bound)
        with in_reach():
            held = partial(RowFolds, penalty=self.penalty, radius=self.radius)
            fit = held(data.X, data.y, intercept=self.intercept)
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
    intercept : bool
        Whether the model has a constant; it is outside the bound. Default: no.
    feature_bound, response_bound : float, optional
        The Euclidean norm of a row's features and the size of its response never exceed these, whatever
        the data: for a proved rule. Data that do are refused.
    curvature : float, optional
        No eigenvalue of X'X (of centred features, with an intercept) is below this: for a proved rule.

    Examples
    --------
    >>> from steadyrank.data import Regression
    >>> data = Regression([[1.0, 0.0], [0.0, 1.0]], [3.0, -4.0])
    >>> ConstrainedLeastSquares().score(data).round(3)
    array([0.6, 0.8])
    """

    _called = "least squares, norm at most {0.radius:g}"
    radius: float = setting(1.0, RADIUS)
    intercept: bool = False
    feature_bound: float | None = setting(None, STATED)
    response_bound: float | None = setting(None, STATED)
    curvature: float | None = setting(None, STATED)

    def output_radius_squared(self, data: Observations) -> float:  # noqa: ARG002 (the ball is given)
        """Return that of the ball."""
        return float(self.radius) ** 2

    def sensitivity(self, data: Regression) -> Sensitivity:
        r"""Return the most that one row can move the scores: what the curvature allows, or the ball.

        With ``||x|| <= B_x``, ``|y| <= B_y`` and curvature c it is ``B_x (B_y + B_x radius) / c``, with
        an intercept ``4 (n-1)/n`` times that. Otherwise it is ``sqrt(2) radius`` (one feature: radius),
        which is the best that can be proved and says nothing: above it every item is in every answer.
        The arguments are in :mod:`steadyrank.scorers.least_squares.scorer`.
        """
        ball, rows = self.radius * math.sqrt(min(data.n_items, 2)), self._stated_rows(data)
        if rows is None or self.curvature is None:
            return self._bounded(data, ball, self.radius, rule="size of the ball", scope="data")
        n, curvature, intercept = data.n_units, float(self.curvature), self.intercept
        check_curvature(data, curvature, intercept=intercept)
        eps = ball_bound(n, self.radius, curvature, rows, intercept=intercept)
        centred = " of centred features" if intercept else ""
        scope = f"{rows}, and X'X{centred} with no eigenvalue below {curvature!r}"
        widest = math.sqrt(n / curvature) * rows.responses
        return self._bounded(data, min(eps, ball), widest, rule="curvature in a ball", scope=scope)


@dataclass(frozen=True)
class Ridge(LinearModel):
    """Least squares with ``penalty * ||b||^2`` added; scores ``|b|``.

    Parameters
    ----------
    penalty : float
        Positive. It stays the same when a row leaves.
    intercept : bool
        Whether the model has an unpenalised constant. Default: no.
    feature_bound, response_bound : float, optional
        The Euclidean norm of a row's features and the size of its response never exceed these, whatever
        the data: for a proved rule. Data that do are refused.

    Examples
    --------
    >>> from steadyrank.data import Regression
    >>> data = Regression([[1.0, 0.0], [0.0, 1.0]], [2.0, -4.0])
    >>> Ridge(1.0).score(data)
    array([1., 2.])
    """

    _called = "ridge regression, penalty {0.penalty:g}"
    penalty: float = setting(allowed=PENALTY)
    intercept: bool = False
    feature_bound: float | None = setting(None, STATED)
    response_bound: float | None = setting(None, STATED)

    def sensitivity(self, data: Regression) -> Sensitivity | None:
        r"""Return the most that one row can move the scores, or None unless both bounds are stated.

        For ``||x|| <= B_x`` and ``|y| <= B_y`` it is the smaller one of
        ``B_x B_y / penalty * (1 + sqrt(27)/16 * B_x sqrt((n-1) / penalty))`` and
        ``B_y sqrt(n) / (2 sqrt(penalty))``; with an intercept 4 (n-1)/n times the first, and n-1 +
        4 (n-1)/n in place of n in the second. The argument is in
        :mod:`steadyrank.scorers.least_squares.scorer`.
        """
        rows, n = self._stated_rows(data), data.n_units
        if rows is None:
            return None
        eps = ridge_bound(n, self.penalty, rows, intercept=self.intercept)
        widest = math.sqrt(n / self.penalty) * rows.responses / 2
        return self._bounded(data, eps, widest, rule="ridge of bounded rows", scope=str(rows))


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
    _called, determined = "ordinary least squares", True

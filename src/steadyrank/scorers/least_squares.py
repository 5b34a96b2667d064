r"""Linear models on regression data: the scores are the absolute values of the coefficients.

There is no intercept and no centring. Models of scikit-learn have a constant, and are refitted without
each row: ``Refit(LinearRegression())``.

No rule bounds what one row can do to them, whatever the others are: in a ball around the origin n - 1
rows with tiny features along one axis, and one with less tiny features along another, move the fit
across it.

*Fits without each row* come from one decomposition of X, all of them. Let ``X = U S V'`` be that in
singular values s, and z = U'y. The coefficients with
``t ||b||^2`` added to the squares are ``V g`` with ``g = s / (s^2 + t) z``. Without row i, whose row
of U is u, they are the same with ``z - q u`` in place of z: q is how far the response of the row lies
from what the others say of it, and

    q = (m + sum u z t/(s^2+t)) / (o + sum u^2 t/(s^2+t)),

where o and m are the parts of e_i that the columns of U leave over, and of y in its direction. Every
sum is over positive terms or as accurate as the data. If the rows are independent (more features than
rows, say) o and m are 0, the t above the lines cancel, and what is left holds for t = 0, too: it is
the solution of smallest norm. So no fold has to be decomposed, but for the few where a single row
outweighs all others, in X or in y, and the difference would cancel.

``X'X`` is never formed: it squares all ratios of scales. Scaled to length one, the columns tell which of
them depend on others, whatever their units are. What is left is a triangle whose rows are of very
different sizes; one-sided Jacobi rotations, unlike other methods, find its small singular values and
the small parts of its vectors to as many digits as the large ones.

Coefficients inside a ball, ``||b|| <= radius``, are ``b(t)`` with the smallest ``t >= 0`` that brings
them there. As a function of t, ``1 / ||b(t)||`` is increasing and concave, so Newton's method started at
or left of the root climbs to it without ever passing it, and one started to the right jumps to the left
first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from steadyrank import errors
from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.data.observations import Observations
from steadyrank.data.regression import Regression
from steadyrank.operators.checks import Range, setting
from steadyrank.scorers.base import LeaveOneOut, RowsOut, Scorer, check_several, snapped

UNHELD = errors.Option("scorer", "ordinary-least-squares")
PENALTY = Range(0.0, above=True, way_out=("For no penalty use ", UNHELD, "."))
RADIUS = Range(0.0, above=True, way_out=("For no bound at all use ", UNHELD, "."))

RESOLUTION = 1e-10
"""How close coefficients are equal, in units of how large responses of this length could make them."""
OUTWEIGHED = 1e-4
"""Where the rows that are left have no more than this share of a square, their fit is made by itself."""

STEPS = 100
"""Newton needs about five; the limit only ends a loop that rounding keeps alive."""
SETTLED = 32 * float(np.finfo(np.float64).eps)
ROWS_SCALED = 2
"""Of the ways of LAPACK's dgejsv, the one that keeps the digits of scaled columns and rows."""
SMALLEST = 1e-140
"""Squares of smaller singular values vanish."""


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
            rows = [
                data.units.labels[row]
                for row in (range(len(data.y)) if every else lost)
            ]
            if rows:
                raise errors.singular_design(fit.rank - 1, fit.rank, rows)
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
            raise errors.singular_design(fit.rank, data.n_items)
        return fit


@contextmanager
def in_reach() -> Iterator[None]:
    """Refuse by name what no fit in double precision reaches; what vanishes beside the rest may."""
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            yield
    except ArithmeticError:
        raise errors.InvalidSettingError(
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


class RowFolds:
    """The scores ``|b|`` of a linear model on all rows, and without each of them.

    Parameters
    ----------
    X, y : float arrays (rows, features) and (rows,)
        The data.
    penalty, radius : float
        What holds the coefficients back: ``penalty * ||b||^2``, or the bound ``||b|| <= radius``. Both
        stay the same when a row leaves.

    Attributes
    ----------
    left, sizes, right, y : float arrays
        The decomposition and the responses, in units that keep their squares ordinary.
    radius : float
        What bounds the norm of the coefficients, in those units.
    rank : int
        How many features, each scaled to length one, do not depend on others.
    shift : float
        The penalty, or the multiplier that keeps all rows' coefficients in the ball.
    scores : float array (features,)
        The absolute coefficients; where the data leave a choice, those of smallest norm.
    """

    def __init__(
        self, X: FloatArray, y: FloatArray, *, penalty: float, radius: float
    ) -> None:
        self._data, self._again = (
            (X, y),
            partial(RowFolds, penalty=penalty, radius=radius),
        )
        x_unit, y_unit = _safe_unit(X), _safe_unit(y)
        self.y = y / y_unit
        self.left, self.sizes, self.right = decomposed(X / x_unit)
        if self.sizes.min(initial=1.0) < SMALLEST:
            raise errors.InvalidValueError(
                f"the scales of the features are more than {1 / SMALLEST:g} apart",
                way_out="Measure them in other units.",
            )
        self._moments = self.left.T @ self.y
        self.rank = len(self.sizes)
        self._unit = y_unit / x_unit
        self._penalty = penalty / x_unit / x_unit
        self.radius = radius / self._unit
        nothing, one = np.zeros((1, self.rank)), np.ones(1)
        found, shifts = self._solved(nothing, one, 0 * one, np.full(1, self._penalty))
        self.shift = shifts[0]
        self.scores: FloatArray = self._scores(found, shifts)[0]

    @property
    def independent(self) -> bool:
        """Whether each row has a direction of its own, so that none can leave without a loss of rank."""
        return self.rank == len(self.y)

    def without(self, rows: IntArray) -> FloatArray:
        """Return the scores without each of some rows, none of which outweighs the others."""
        left = self.left[rows]
        over, missed = np.zeros((2, len(left)))
        if not self.independent:
            over = 1.0 - (left**2).sum(axis=1)
            missed = self.y[rows] - left @ self._moments
        return self._scores(
            *self._solved(left, over, missed, np.full(len(left), self.shift))
        )

    def outweighing(self) -> IntArray:
        """Return the rows beside which the others have little weight, in X or in y."""
        squares = self.y**2
        heavy: BoolArray = squares > (1 - OUTWEIGHED) * squares.sum()
        if not self.independent:
            return np.flatnonzero(
                heavy | (1.0 - (self.left**2).sum(axis=1) <= OUTWEIGHED)
            )
        for shift in (0.0, self.shift):
            heavy |= self._carrying(shift)
        return np.flatnonzero(heavy)

    def _carrying(self, shift: float) -> BoolArray:
        """Return which independent rows carry a coefficient, or so little that rounding would show.

        What row l adds to the coefficients for each unit of its response is ``P e_l``, and without row i
        ``P e_l - P e_i K_il / K_ii``, with K the inverse of ``XX' + t I``.
        """
        total = self.sizes**2 + shift
        pulls = self.right * (self.sizes / total)
        own, twice = self.left @ pulls.T, (self.left / total) @ pulls.T
        inverse, square = (self.left**2 @ (1.0 / power) for power in (total, total**2))
        move = own / inverse[:, np.newaxis]
        before = (pulls**2).sum(axis=1)
        after = before - 2.0 * move * twice + move**2 * square[:, np.newaxis]
        little = inverse < OUTWEIGHED * (1.0 / total).sum()
        return np.asarray(little | (after < OUTWEIGHED * before).any(axis=1))

    def refitted_without(self, rows: int | BoolArray) -> RowFolds:
        """Return the model of all other rows, by itself."""
        X, y = (np.delete(part, rows, axis=0) for part in self._data)
        return self._again(X, y)

    def _scores(self, found: FloatArray, shifts: FloatArray) -> FloatArray:
        sizes, widths = np.abs(found @ self.right.T) * self._unit, self.widths(shifts)
        return snapped(np.where(sizes > widths, sizes, 0.0), widths)

    def widths(self, shifts: FloatArray) -> FloatArray:
        """Return how close coefficients are equal, for each t, or once where all are the same."""
        t = shifts[:, np.newaxis] if np.isfinite(self.radius) else self._penalty
        squares = (self.sizes / (self.sizes**2 + t)) ** 2 @ (self.right**2).T
        return np.asarray(
            RESOLUTION * self._unit * np.sqrt((self.y**2).sum() * squares)
        )

    def _solved(
        self, left: FloatArray, over: FloatArray, missed: FloatArray, shifts: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return g and t of each fold: t as given, or where that is needed to stay in the ball."""
        if not np.isfinite(self.radius):
            return self._at(left, over, missed, shifts)[0], shifts
        found, active = np.empty(left.shape), np.arange(len(left))
        for _ in range(STEPS):
            found[active], slope = self._at(
                left[active], over[active], missed[active], shifts[active]
            )
            shifts[active], moving = secular_step(
                shifts[active], found[active], slope, self.radius
            )
            active = active[moving]
            if not len(active):
                break
        return found, shifts

    def _at(
        self, left: FloatArray, over: FloatArray, missed: FloatArray, shifts: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return g of each fold at its t, and ``-1/2 d||g||^2 / dt``."""
        squares = self.sizes**2
        total, t = squares + shifts[:, np.newaxis], shifts[:, np.newaxis]
        kernel, change = (1.0, -1.0) if self.independent else (t, squares)
        over = over + (left**2 * kernel / total).sum(axis=1)
        missed = (missed + (left * self._moments * kernel / total).sum(axis=1)) / over
        rest = self._moments - missed[:, np.newaxis] * left
        found = self.sizes / total * rest
        rate = (left * rest * change / total**2).sum(axis=1) / over
        along = (found * self.sizes * left / total).sum(axis=1)
        return found, (found**2 / total).sum(axis=1) + rate * along


def secular_step(
    shift: FloatArray, coefficients: FloatArray, slope: FloatArray, radius: float
) -> tuple[FloatArray, BoolArray]:
    """Make one Newton step on ``1/||b(t)|| = 1/radius``, and tell which ones still move.

    ``slope`` is ``b' (X'X + t I)^-1 b``, half the rate at which ``||b||^2`` falls.
    """
    norm = np.sqrt((coefficients**2).sum(axis=1))
    safe = np.where(slope > 0, slope, 1.0)
    step = np.where(slope > 0, norm**2 * (norm - radius) / (radius * safe), 0.0)
    moved = np.maximum(0.0, shift + step)
    # Where t is small beside the eigenvalues only the norm can settle to full precision.
    moving = (np.abs(moved - shift) > SETTLED * moved) & (
        np.abs(norm - radius) > SETTLED * radius
    )
    return moved, moving


def _safe_unit(values: FloatArray) -> float:
    """Return 1, or a power of two near values whose squares would overflow or vanish."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0 or 1e-100 < largest < 1e100:
        return 1.0
    return float(2.0 ** (np.frexp(largest)[1] - 1))


def decomposed(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return U, s and V with ``X = U diag(s) V'``, without directions that X has by rounding only.

    A column depends on others if nothing but rounding is left of it, each scaled to length one.

    Examples
    --------
    >>> U, s, V = decomposed(np.array([[1e20, 0.0, 0.0], [0.0, 1.0, 2.0], [0.0, 2.0, 4.0]]))
    >>> (s / [1e20, 1]).round(3).tolist(), (U * s @ V.T).round(6).tolist()[1:]
    ([1.0, 5.0], [[0.0, 1.0, 2.0], [0.0, 2.0, 4.0]])
    """
    if not X.size:
        return np.zeros((len(X), 0)), np.zeros(0), np.zeros((X.shape[1], 0))
    # Columns that are multiples of one another are taken as one: they share its part, exactly.
    peaks = np.take_along_axis(X, np.abs(X).argmax(axis=0, keepdims=True), axis=0)[0]
    shapes = (
        X / np.where(peaks == 0, 1.0, peaks) + 0.0
    )  # no -0, which has other bytes than 0
    number: dict[bytes, int] = {}
    which = np.array(
        [number.setdefault(column.tobytes(), len(number)) for column in shapes.T]
    )
    shapes, largest = (
        shapes[:, np.unique(which, return_index=True)[1]],
        np.zeros(len(number)),
    )
    np.maximum.at(largest, which, np.abs(peaks))
    shares = peaks / np.where(largest == 0, 1.0, largest)[which]
    totals = np.sqrt(np.bincount(which, shares**2))
    left, sizes, right = _of_columns(shapes * (largest * totals))
    shares /= np.where(totals == 0, 1.0, totals)[which]
    return left, sizes, right[which] * shares[:, np.newaxis]


def _of_columns(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    from scipy.linalg.lapack import dgejsv

    scales = lengths(X)
    left, part, pivots = _sorted_qr(X / scales)
    rank = int(
        (
            pivots > pivots.max(initial=0.0) * max(X.shape) * np.finfo(np.float64).eps
        ).sum()
    )
    if not rank:
        return np.zeros((len(X), 0)), np.zeros(0), np.zeros((X.shape[1], 0))
    right, square, _ = _sorted_qr((part[:rank] * scales).T)
    sizes, turned, vectors, *_, info = dgejsv(
        np.asfortranarray(square.T), joba=ROWS_SCALED
    )
    if info:
        raise errors.SteadyrankError(
            f"singular values of the features did not settle (dgejsv: {info})"
        )
    return left[:, :rank] @ turned, sizes, right @ vectors


def lengths(X: FloatArray) -> FloatArray:
    """Return the lengths of the columns, and 1 for those without any; squares alone could vanish."""
    peaks = np.abs(X).max(axis=0, initial=0.0)
    peaks[peaks == 0] = 1.0
    found = peaks * np.sqrt(((X / peaks) ** 2).sum(axis=0))
    return np.where(found > 0, found, 1.0)


def _sorted_qr(matrix: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return Q, R with its columns in their old order, and the pivots.

    Rows come in the order of their size, so that small ones keep their digits.
    """
    from scipy.linalg import qr

    order = np.argsort(-np.abs(matrix).max(axis=1), kind="stable")
    turned, triangle, pivoted = qr(
        matrix[order], mode="economic", pivoting=True, check_finite=False
    )
    left, part = np.empty(turned.shape), np.empty(triangle.shape)
    left[order], part[:, pivoted] = turned, triangle
    return left, part, np.asarray(np.abs(np.diag(triangle)), dtype=np.float64)

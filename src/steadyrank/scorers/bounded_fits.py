r"""How far one observation can move a fit, if a penalty or curvature holds it: the proved rules of fits.

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

*Bradley-Terry with a ridge.* One battle's gradient has size ``sqrt(2) p``, with p the probability, by
the scores of all battles, that the one who won would lose; a tie's is below ``sqrt(2)/2``. The ridge
makes the rest of the function strongly convex, so the scores move by at most ``sqrt(2) p / ridge``.
Each of the other battles adds less than 2 to ``ridge`` times a difference of scores, and the battle
itself only draws its winner ahead, so ``p < 1 / (1 + exp(-2 N / ridge))``. The scores have mean 0 of
themselves.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steadyrank.errors import InvalidSettingError, ValueRangeError, shorten

if TYPE_CHECKING:
    from steadyrank.data.regression import Regression

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


def battle_bound(n: int, ridge: float) -> float:
    """Return the most that one battle moves the strengths.

    Examples
    --------
    >>> battle_bound(10**6, 2.0) == math.sqrt(0.5) * ROUNDING
    True
    """
    return math.sqrt(2) / ridge / (1 + math.exp(-2 * (n - 1) / ridge)) * ROUNDING


def each_alone(data: Any) -> bool:
    """Tell whether each unit is one observation that counts once: the rules are about such data."""
    return all(getattr(data, name, None) is None for name in ("unit", "weights"))


def check_stated(scorer: object, *names: str) -> None:
    """Complain about a stated bound that is no positive, finite number."""
    for name in names:
        value = getattr(scorer, name)
        number = isinstance(value, int | float | np.number)
        if value is not None and not (number and 0 < value < math.inf):
            raise InvalidSettingError(f"{name} must be positive and finite, but is {shorten(value)}")


def check_rows(data: Regression, features: float | None, responses: float | None) -> None:
    """Complain about the first row that does not keep to what was stated."""
    with np.errstate(over="ignore"):  # a row beyond all floats is beyond the bound
        sizes = np.hypot.reduce(data.X, axis=1, initial=0.0), np.abs(data.y)
    for what, bound, found in zip(("feature", "response"), (features, responses), sizes, strict=True):
        over = np.flatnonzero(found > (math.inf if bound is None else bound * (1 + WITHIN)))
        if len(over):
            row = shorten(data.row_labels[int(over[0])])
            raise ValueRangeError(
                f"{len(over):,} of {len(found):,} rows leave the stated {what}_bound={bound:g}; "
                f"the first is row {row}, with {found[over[0]]:g}",
                way_out="State what rows can have.",
            )


def check_curvature(data: Regression, curvature: float, *, intercept: bool) -> None:
    """Complain if the squares of these rows are flatter than was stated."""
    X = data.X - data.X.mean(axis=0) if intercept else data.X
    smallest = float(np.linalg.svd(X, compute_uv=False)[-1]) ** 2 if len(X) >= data.n_items else 0.0
    if smallest < curvature * (1 - WITHIN):
        raise ValueRangeError(
            f"the smallest eigenvalue of X'X is {smallest:g}, below the stated curvature={curvature:g}",
            way_out="State one that the features reach, or none.",
        )

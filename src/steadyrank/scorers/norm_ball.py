"""Least squares inside a ball around the origin, by the secular equation.

Minimising ``||y - X b||^2`` subject to ``||b|| <= radius`` gives ``b(t) = (X'X + t I)^-1 X'y``
with the smallest ``t >= 0`` that brings ``b(t)`` into the ball. As a function of ``t``,
``1 / ||b(t)||`` is increasing and concave, so Newton's method started at or left of the root
climbs to it without ever passing it, and one started to the right jumps to the left first.
Everything here speaks of Gram matrices and moments only, for any leading batch shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.engines.blocks import slices
from steadyrank.errors import InvalidSettingError, Option, SizeMismatchError

if TYPE_CHECKING:
    from steadyrank._typing import BoolArray, FloatArray

STEPS = 100
"""Newton needs about five; the limit only ends a loop that rounding keeps alive."""
SETTLED = 4 * float(np.finfo(np.float64).eps)
CANCELLED = 1e-6
"""A downdate denominator below this has lost too many digits: decompose that fold instead."""
CHUNK_NUMBERS = 4_000_000
"""How many numbers of a batch of matrices are held at a time (32 MB)."""


def constrained_coefficients(gram: FloatArray, moment: FloatArray, *, radius: float = 1.0) -> FloatArray:
    """Return the least squares coefficients inside a ball around the origin, of many fits at once.

    `ConstrainedLeastSquares` scores one dataset by their absolute values. A simulation with thousands
    of small datasets of one size costs mostly overhead when they come one after the other: here the
    leading axes are a batch that is solved together.

    Parameters
    ----------
    gram : float array (..., L, L)
        ``X'X``, symmetric and positive semidefinite; it may be singular.
    moment : float array (..., L)
        ``X'y``.
    radius : float
        The radius of the ball.

    Returns
    -------
    float array (..., L)
        The minimiser. Where several exist (a singular ``gram`` whose solutions reach into the
        ball) it is the one of smallest norm.

    Examples
    --------
    >>> constrained_coefficients(np.eye(2), np.array([3.0, 4.0]), radius=1.0)
    array([0.6, 0.8])
    >>> constrained_coefficients(np.diag([1.0, 0.0]), np.array([0.5, 0.0]), radius=1.0)
    array([0.5, 0. ])
    """
    gram, moment = np.asarray(gram, dtype=np.float64), np.asarray(moment, dtype=np.float64)
    radius = checked_radius(radius)
    items = moment.shape[-1] if moment.ndim else 0
    if gram.shape != (*moment.shape, items):
        raise SizeMismatchError(
            f"gram must have the shape of moment and one more axis of the same length, "
            f"but they have {gram.shape} and {moment.shape}."
        )
    grams, moments = gram.reshape(-1, items, items), moment.reshape(-1, items)
    found = np.empty(moments.shape)
    for part in slices(len(found), CHUNK_NUMBERS, items * items):
        found[part] = _by_eigenvectors(grams[part], moments[part], radius)
    return found.reshape(moment.shape)


def checked_radius(radius: float) -> float:
    """Return ``radius`` as a float, or refuse it."""
    if not (np.isfinite(radius) and radius > 0):
        raise InvalidSettingError(
            f"radius must be a positive, finite number, but is {radius!r}",
            way_out=["For no bound at all use ", Option("scorer", "ordinary-least-squares"), "."],
        )
    return float(radius)


def _by_eigenvectors(grams: FloatArray, moments: FloatArray, radius: float) -> FloatArray:
    values, vectors = np.linalg.eigh(grams)
    rotated = np.einsum("fij,fi->fj", vectors, moments)
    # Directions without data: the moment has nothing there but rounding.
    dead = values <= values[:, -1:] * values.shape[-1] * np.finfo(np.float64).eps
    values = np.where(dead, 1.0, values)
    rotated = np.where(dead, 0.0, rotated)
    # No single coordinate leaves the ball at the root, which bounds it from below.
    shift = np.maximum(0.0, (np.abs(rotated) / radius - values).max(axis=1, initial=0.0))
    active = np.arange(len(shift))
    for _ in range(STEPS):
        divided = rotated[active] / (values[active] + shift[active, np.newaxis])
        slope = (divided**2 / (values[active] + shift[active, np.newaxis])).sum(axis=1)
        shift[active], moving = secular_step(shift[active], divided, slope, radius)
        active = active[moving]
        if not len(active):
            break
    coefficients = np.einsum("fij,fj->fi", vectors, rotated / (values + shift[:, np.newaxis]))
    return np.asarray(coefficients)


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
    moving = (np.abs(moved - shift) > SETTLED * moved) & (np.abs(norm - radius) > SETTLED * radius)
    return moved, moving


def leave_one_row_out(
    gram: FloatArray,
    moment: FloatArray,
    rows: FloatArray,
    responses: FloatArray,
    radius: float,
    chunk_numbers: int = CHUNK_NUMBERS,
) -> FloatArray:
    """Return the constrained coefficients without each of the ``rows``.

    One eigendecomposition serves all folds: in its basis a fold's Gram matrix is a diagonal
    minus one outer product, so each Newton step costs O(L) by the Sherman-Morrison formula.
    Folds where that formula cancels (a row that alone carries a direction) are decomposed.

    Parameters
    ----------
    gram, moment : float arrays (L, L) and (L,)
        ``X'X`` and ``X'y`` of all the data.
    rows, responses : float arrays (m, L) and (m,)
        What each fold subtracts: ``gram - row row'`` and ``moment - response row``.
    radius : float
        The radius of the ball.
    chunk_numbers : int
        How many numbers of matrices that are decomposed are held at a time.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([0.2, 0.4, 0.3])
    >>> leave_one_row_out(X.T @ X, X.T @ y, X, y, 1.0).round(3)
    array([[-0.1,  0.4],
           [ 0.2,  0.1],
           [ 0.2,  0.4]])
    """
    values, vectors = np.linalg.eigh(gram)
    turned = rows @ vectors
    moments = moment @ vectors - responses[:, np.newaxis] * turned
    floor = values[-1] * len(values) * float(np.finfo(np.float64).eps)
    if values[0] > floor:
        found, sound = _by_downdates(values, turned, moments, radius)
    else:
        found, sound = np.zeros(rows.shape), np.zeros(len(rows), dtype=np.bool_)
    found = found @ vectors.T
    left = np.flatnonzero(~sound)
    for chunk in slices(len(left), chunk_numbers, len(values) ** 2):
        part = left[chunk]
        grams = gram - rows[part, :, np.newaxis] * rows[part, np.newaxis, :]
        folds = moment - responses[part, np.newaxis] * rows[part]
        found[part] = _by_eigenvectors(grams, folds, radius)
    return np.asarray(found)


def _by_downdates(
    values: FloatArray, turned: FloatArray, moments: FloatArray, radius: float
) -> tuple[FloatArray, BoolArray]:
    """Solve every fold in the eigenbasis; the second result tells which ones are sound."""
    found = np.zeros(turned.shape)
    sound = np.ones(len(turned), dtype=np.bool_)
    shift = np.zeros(len(turned))
    active = np.arange(len(turned))
    for _ in range(STEPS):
        fold = _Downdate(values + shift[active, np.newaxis], turned[active])
        fine = fold.left_over[:, 0] > CANCELLED
        if not fine.all():
            sound[active[~fine]] = False
            active = active[fine]
            fold = _Downdate(values + shift[active, np.newaxis], turned[active])
        found[active] = fold.solve(moments[active])
        slope = (found[active] * fold.solve(found[active])).sum(axis=1)
        shift[active], moving = secular_step(shift[active], found[active], slope, radius)
        active = active[moving]
        if not len(active):
            break
    return found, sound


class _Downdate:
    """Many matrices ``diag(d) - v v'``, inverted by the Sherman-Morrison formula."""

    def __init__(self, diagonals: FloatArray, rows: FloatArray) -> None:
        self.diagonals = diagonals
        self.rows = rows
        self.scaled = rows / diagonals
        self.left_over = 1.0 - (rows * self.scaled).sum(axis=1, keepdims=True)

    def solve(self, right: FloatArray) -> FloatArray:
        plain = right / self.diagonals
        along = (self.rows * plain).sum(axis=1, keepdims=True)
        return np.asarray(plain + self.scaled * (along / self.left_over))

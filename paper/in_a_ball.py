"""Least squares inside a ball around the origin, of very many small datasets at once.

The same as `steadyrank.scorers.ConstrainedLeastSquares` gives for one dataset, from Gram matrices: a
simulation with thousands of small datasets of one size costs mostly overhead when they come one after
the other. The multiplier t of ``b(t) = (X'X + t I)^-1 X'y`` solves ``||b(t)|| = radius``; as a function
of t, ``1 / ||b(t)||`` is increasing and concave, so Newton's method started left of the root climbs to
it without ever passing it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import InvalidScoresError, InvalidValueError

if TYPE_CHECKING:
    from paper.array_types import FloatArray

STEPS = 100
"""Newton needs about five; the limit only ends a loop that rounding keeps alive."""
SETTLED = 32 * float(np.finfo(np.float64).eps)
WIDEST = 1e5
"""A Gram matrix has squares: features of scales further apart have too few digits left in it."""
CHUNK_NUMBERS = 4_000_000
"""How many numbers of a batch of matrices are held at a time (32 MB)."""


def constrained_coefficients(
    gram: FloatArray, moment: FloatArray, *, radius: float = 1.0
) -> FloatArray:
    """Return the least squares coefficients inside a ball around the origin, of many fits at once.

    The leading axes are a batch that is solved together. A Gram matrix squares all ratios, so features
    whose scales are more than 1e5 apart are refused; the scorer, which never makes one, takes them. Nor
    are scores made equal here, as the scorer does.

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
    gram, moment = (
        np.asarray(gram, dtype=np.float64),
        np.asarray(moment, dtype=np.float64),
    )
    items = moment.shape[-1] if moment.ndim else 0
    if gram.shape != (*moment.shape, items):
        raise InvalidScoresError(
            f"gram must have the shape of moment and one more axis of the same length, "
            f"but they have {gram.shape} and {moment.shape}."
        )
    _check_scales(gram)
    grams, moments = gram.reshape(-1, items, items), moment.reshape(-1, items)
    found = np.empty(moments.shape)
    step = max(1, CHUNK_NUMBERS // max(1, items * items))
    for start in range(0, len(found), step):
        part = slice(start, start + step)
        found[part] = _by_eigenvectors(grams[part], moments[part], radius)
    return found.reshape(moment.shape)


def _check_scales(gram: FloatArray) -> None:
    squares = np.einsum("...ii->...i", gram)
    scales = np.sqrt(squares, where=squares > 0, out=np.ones(squares.shape))
    largest = np.where(squares > 0, scales, 0.0).max(axis=-1, initial=0.0)
    smallest = np.where(squares > 0, scales, np.inf).min(axis=-1, initial=np.inf)
    wide = largest > WIDEST * smallest
    if wide.any():
        where = tuple(int(place) for place in np.argwhere(wide)[0])
        raise InvalidValueError(
            f"the scales of the features in gram{list(where) if where else ''} go from "
            f"{smallest[where]:.3g} to {largest[where]:.3g}; a Gram matrix has their squares, and too "
            "few digits for the small ones",
            way_out="Scale the features, or use ConstrainedLeastSquares on the data.",
        )


def _by_eigenvectors(
    grams: FloatArray, moments: FloatArray, radius: float
) -> FloatArray:
    values, vectors = np.linalg.eigh(grams)
    rotated = np.einsum("fij,fi->fj", vectors, moments)
    # Directions without data: the moment has nothing there but rounding.
    dead = values <= values[:, -1:] * values.shape[-1] * np.finfo(np.float64).eps
    values = np.where(dead, 1.0, values)
    rotated = np.where(dead, 0.0, rotated)
    # No single coordinate leaves the ball at the root, which bounds it from below.
    shift = np.maximum(
        0.0, (np.abs(rotated) / radius - values).max(axis=1, initial=0.0)
    )
    active = np.arange(len(shift))
    for _ in range(STEPS):
        now = shift[active]
        divided = rotated[active] / (values[active] + now[:, np.newaxis])
        slope = (divided**2 / (values[active] + now[:, np.newaxis])).sum(axis=1)
        norm, safe = np.sqrt((divided**2).sum(axis=1)), np.where(slope > 0, slope, 1.0)
        step = np.where(slope > 0, norm**2 * (norm - radius) / (radius * safe), 0.0)
        shift[active] = moved = np.maximum(0.0, now + step)
        # Where t is small beside the eigenvalues only the norm can settle to full precision.
        settled = (np.abs(moved - now) <= SETTLED * moved) | (
            np.abs(norm - radius) <= SETTLED * radius
        )
        active = active[~settled]
        if not len(active):
            break
    coefficients = np.einsum(
        "fij,fj->fi", vectors, rotated / (values + shift[:, np.newaxis])
    )
    return np.asarray(coefficients)

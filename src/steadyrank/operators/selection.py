"""The m best scores, at the price of about two passes over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray, IntArray

STRIDE = 64
"""How many scores share one maximum when a floor under the m-th best is looked for."""


def best_indices(scores: FloatArray, m: int) -> IntArray:
    """Return the indices of the m best scores, best first; the smaller index wins a tie.

    Examples
    --------
    >>> best_indices(np.array([0.1, 0.9, 0.5, 0.9]), 3)
    array([1, 3, 2])
    """
    if m >= len(scores):
        return np.argsort(-scores, kind="stable")
    return reaching_indices(scores, _floor(scores, m))[:m]


def reaching_indices(scores: FloatArray, floor: float) -> IntArray:
    """Return the indices of the scores that reach ``floor``, best first, smaller index first."""
    few = np.flatnonzero(scores >= floor)
    return few[np.argsort(-scores[few], kind="stable")]


def _floor(scores: FloatArray, m: int) -> float:
    """Return a value that at least m scores reach, and usually not many more.

    The m-th largest of column maxima is such a value: the columns are disjoint. Maxima over
    columns take one fast pass; a selection among all scores would take several.
    """
    columns = len(scores) // STRIDE
    if columns < 2 * m:
        return float(np.partition(scores, len(scores) - m)[len(scores) - m])
    maxima = scores[: STRIDE * columns].reshape(STRIDE, columns).max(axis=0)
    return float(np.partition(maxima, columns - m)[columns - m])


def best_windows(rows: FloatArray, m: int) -> FloatArray:
    """Return at least the m best scores of each row, best first, padded with minus infinity."""
    width = rows.shape[1]
    columns = width // STRIDE
    if columns >= 2 * m:
        maxima = rows[:, : STRIDE * columns].reshape(-1, STRIDE, columns).max(axis=1)
        floor = np.partition(maxima, columns - m, axis=1)[:, columns - m]
        return reaching_windows(rows, floor)
    best = np.partition(rows, width - m, axis=1)[:, width - m :] if m < width else rows
    return -np.sort(-best, axis=1)


def reaching_windows(rows: FloatArray, floor: FloatArray) -> FloatArray:
    """Return the scores of each row that reach its floor, as :func:`best_windows` does."""
    width = rows.shape[1]
    row, column = np.divmod(np.flatnonzero(rows >= floor[:, np.newaxis]), width)
    number = np.bincount(row, minlength=len(rows))
    place = np.arange(len(row)) - np.repeat(np.cumsum(number) - number, number)
    window = np.full((len(rows), int(number.max())), np.inf)
    window[row, place] = -rows[row, column]
    window.sort(axis=1)
    return -window

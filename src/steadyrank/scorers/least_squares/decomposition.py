"""The singular values of a design matrix, whatever the scales of its columns and rows.

``X'X`` is never formed: it squares all ratios of scales. Scaled to length one, the columns tell which of
them depend on others, whatever their units are. What is left is a triangle whose rows are of very
different sizes; one-sided Jacobi rotations, unlike other methods, find its small singular values and
the small parts of its vectors to as many digits as the large ones.
"""

from __future__ import annotations

import numpy as np

from steadyrank._typing import FloatArray
from steadyrank.errors import SteadyrankError

ROWS_SCALED = 2
"""Of the ways of LAPACK's dgejsv, the one that keeps the digits of scaled columns and rows."""


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
    shapes = X / np.where(peaks == 0, 1.0, peaks) + 0.0  # no -0, which has other bytes than 0
    number: dict[bytes, int] = {}
    which = np.array([number.setdefault(column.tobytes(), len(number)) for column in shapes.T])
    shapes, largest = shapes[:, np.unique(which, return_index=True)[1]], np.zeros(len(number))
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
    rank = int((pivots > pivots.max(initial=0.0) * max(X.shape) * np.finfo(np.float64).eps).sum())
    if not rank:
        return np.zeros((len(X), 0)), np.zeros(0), np.zeros((X.shape[1], 0))
    right, square, _ = _sorted_qr((part[:rank] * scales).T)
    sizes, turned, vectors, *_, info = dgejsv(np.asfortranarray(square.T), joba=ROWS_SCALED)
    if info:
        raise SteadyrankError(f"the singular values of the features did not settle (dgejsv: {info}).")
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
    turned, triangle, pivoted = qr(matrix[order], mode="economic", pivoting=True, check_finite=False)
    left, part = np.empty(turned.shape), np.empty(triangle.shape)
    left[order], part[:, pivoted] = turned, triangle
    return left, part, np.asarray(np.abs(np.diag(triangle)), dtype=np.float64)


class Contrasts:
    """Each row minus the mean of the rows before it, scaled: n - 1 orthonormal ways to differ.

    That is to subtract the mean, but a row of another size comes last and leaves the digits of the
    others alone.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [6.0]])
    >>> contrasts = Contrasts(X)
    >>> contrasts.of(X).round(3).tolist(), contrasts.back(contrasts.of(X)).round(3).tolist()
    ([[0.707], [3.674]], [[-2.0], [-1.0], [3.0]])
    """

    def __init__(self, X: FloatArray) -> None:
        self.order = np.argsort(np.abs(X / lengths(X)).max(axis=1), kind="stable")
        self.before = np.arange(1.0, len(X))[:, np.newaxis]

    def of(self, values: FloatArray) -> FloatArray:
        """Return the contrasts of columns."""
        rows = values[self.order]
        means = np.cumsum(rows, axis=0)[:-1] / self.before
        return np.asarray((rows[1:] - means) * np.sqrt(self.before / (self.before + 1.0)))

    def back(self, contrasts: FloatArray) -> FloatArray:
        """Return the columns of mean 0 that have these contrasts."""
        shares = contrasts / np.sqrt(self.before * (self.before + 1.0))
        rows = np.zeros((len(self.order), contrasts.shape[1]))
        rows[self.order[1:]] = shares * (self.before + 1.0)
        rows[self.order] -= np.cumsum(np.pad(shares, ((1, 0), (0, 0)))[::-1], axis=0)[::-1]
        return rows

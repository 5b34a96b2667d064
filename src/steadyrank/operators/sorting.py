"""From scores to a plain ranking."""

from __future__ import annotations

import numpy as np

from steadyrank._typing import FloatArray, IntArray

LONG = 1 << 14
"""From so many scores on, sorting whole numbers beats sorting indices."""

THINNEST = 2.0**-900
"""Scores that differ by less are not divided by their difference."""


def best_first(scores: FloatArray, long: int = LONG) -> IntArray:
    """Return the items from the best score to the worst; the smaller index wins a tie.

    NumPy sorts numbers several times as fast as it sorts indices by them. So the distances from the
    best score are rounded to whole numbers, which have their index in the lower bits. Rounding keeps the
    order of all that it does not make equal, and a merge sort of what is then almost in order, which
    takes next to no time, puts the others right.

    Examples
    --------
    >>> best_first(np.array([0.1, 0.9, 0.5, 0.9]))
    array([1, 3, 2, 0])
    """
    best, size = float(scores.max()), len(scores)
    width = best - float(scores.min())
    if size < long or not THINNEST < width < np.inf:
        return np.argsort(-scores, kind="stable")
    bits = (size - 1).bit_length()
    below = best - scores
    below *= 2.0 ** (63 - bits) * (1 - 2.0**-40) / width  # a little below what would overflow
    keys = below.astype(np.int64)
    keys <<= bits
    keys |= np.arange(size)
    keys.sort()
    keys &= (1 << bits) - 1
    ranked = scores[keys]
    if (ranked[:-1] < ranked[1:]).any():
        keys = keys[np.argsort(-ranked, kind="stable")]
    return keys

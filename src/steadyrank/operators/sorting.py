"""From scores to a plain ranking."""

from __future__ import annotations

import numpy as np

from steadyrank._typing import FloatArray, IntArray

LONG = 1 << 14
"""From so many scores on, sorting whole numbers beats sorting indices."""

PART = 1 << 16
"""Keys made at once: few enough to stay in the cache."""

THINNEST = 2.0**-900
"""Scores that differ by less are not divided by their difference."""


def best_first(scores: FloatArray, long: int = LONG) -> tuple[IntArray, FloatArray]:
    """Return the items from best to worst, the smaller index first in a tie, and their scores.

    NumPy sorts numbers several times as fast as it sorts indices by them. So the distances from the
    best score are rounded to whole numbers, which have their index in the lower bits. Rounding keeps the
    order of all that it does not make equal; of those, usually few, the scores themselves decide.

    Examples
    --------
    >>> best_first(np.array([0.1, 0.9, 0.5, 0.9]))
    (array([1, 3, 2, 0]), array([0.9, 0.9, 0.5, 0.1]))
    """
    best, size = float(scores.max()), len(scores)
    width = best - float(scores.min())
    if size < long or not THINNEST < width < np.inf:
        order = np.argsort(-scores, kind="stable")
        return order, scores[order]
    bits = (size - 1).bit_length()
    step = 2.0 ** (63 - bits) * (1 - 2.0**-40) / width  # a little less than what would overflow
    keys = np.empty(size, dtype=np.int64)
    for start in range(0, size, PART):
        part = keys[start : start + PART]
        below = best - scores[start : start + PART]
        part[:] = np.multiply(below, step, out=below)
        part <<= bits
        part |= np.arange(start, start + len(part))
    keys.sort()
    crowded = np.zeros(size, dtype=np.bool_)
    for start in range(0, size, PART):
        cells = keys[start : start + PART + 1] >> bits
        crowded[start + 1 : start + len(cells)] = cells[1:] == cells[:-1]
    keys &= (1 << bits) - 1
    crowded[:-1] |= crowded[1:]
    places = np.flatnonzero(crowded)
    items = keys[places]
    keys[places] = items[np.argsort(-scores[items], kind="stable")]
    return keys, scores[keys]

"""Equal scores of fits: an exact tie must not be decided by the rounding of a solver.

A fit is computed to some digits, so scores that are equal by symmetry (teams with the same record, the
same feature twice) come out a few units of the last digit apart, one way on all the data and another
without some unit. A scorer that fits therefore states a *resolution*, far above the error of its solver
and far below what means anything, and passes all its scores through :func:`snapped`: its scores on the
data and every row without a unit, always whole rows. So nothing later has to know of it, and which
columns somebody asks for cannot change what they hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray


def snapped(scores: FloatArray, width: float | FloatArray) -> FloatArray:
    """Return the scores with those that are closer than ``width`` made equal.

    In each row neighbours in the order of the scores are linked where they differ by no more than the
    width, and all scores that are linked, one to the next, become the largest of them. Scores that are
    not linked stay as they are, and no two scores change places.

    Parameters
    ----------
    scores : float array (items,) or (rows, items)
        The scores.
    width : float or float array (items,)
        How close is equal, for all items or for each; of two items the smaller width counts.

    Examples
    --------
    >>> snapped(np.array([0.30000000000000004, 0.1, 0.3]), 1e-9).tolist()
    [0.30000000000000004, 0.1, 0.30000000000000004]
    """
    widest = float(np.max(width, initial=0.0))
    if widest == 0.0 or scores.shape[-1] < 2:
        return scores
    rows = np.atleast_2d(scores)
    close = (np.diff(np.sort(rows, axis=1), axis=1) <= widest).any(axis=1)
    if not close.any():
        return scores
    found = rows.copy()
    found[close] = _linked(rows[close], np.broadcast_to(width, rows.shape[1:]))
    return found.reshape(scores.shape)


def _linked(rows: FloatArray, widths: FloatArray) -> FloatArray:
    order = np.argsort(-rows, axis=1, kind="stable")
    ranked, wide = np.take_along_axis(rows, order, axis=1), widths[order]
    apart = ranked[:, :-1] - ranked[:, 1:] > np.minimum(wide[:, :-1], wide[:, 1:])
    first = np.zeros(rows.shape, dtype=np.int64)
    first[:, 1:] = np.where(apart, np.arange(1, rows.shape[1]), 0)
    np.maximum.accumulate(first, axis=1, out=first)
    found = np.empty(rows.shape)
    np.put_along_axis(found, order, np.take_along_axis(ranked, first, axis=1), axis=1)
    return found

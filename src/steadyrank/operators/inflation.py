"""Which items stay eligible for a place: the closed form behind every inflated operator.

The inflated argmax of scores ``w`` holds the items j whose distance from ``w`` to the region

    C_j = { v : v_j >= v_l + c for all other l },      c = eps / sqrt(2)

is *strictly* below eps. Sort the scores and let ``x_1 = 0 <= x_2 <= ...`` be the distances below
the best one. With ``N`` the number, ``m`` the mean and ``V`` the sum of squares about the mean of
the first ``r`` of them, item j is eligible exactly if it is one of these r, or if

    x_j < m - c + sqrt( (N + 1) / N * (eps^2 - V) ),

where r is the largest number for which ``D^2 + G < eps^2``, with ``D`` and ``G`` the sums of
``x_r - x_l`` and of ``(x_r - x_l)^2`` over l <= r. Both only grow with r, hence two cumulative
sums and a count. The eligible items are always a prefix of the sorted order.

These sums give a shortcut for one eps. Where it comes so close to a boundary that rounding could
decide, the critical eps does instead, which is the rule (see :mod:`steadyrank.operators.boundary`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from steadyrank._typing import FloatArray, IntArray
from steadyrank.operators.boundary import C, doubt, effective_eps
from steadyrank.operators.critical import critical_below, spread_sums


def eligible_prefix(below: FloatArray, best: FloatArray, eps: float) -> tuple[IntArray, FloatArray]:
    """Return how many leading columns of each row are eligible, and how deep eligibility reaches.

    Parameters
    ----------
    below : float array (rows, columns)
        Distances below the best score, nondecreasing along a row, the first one 0.
        Rows may be padded at the end with infinity.
    best : float array (rows,)
        The best score itself (it sets the size of the rounding slack).
    eps : float
        The inflation, positive.

    Returns
    -------
    prefix : int array (rows,)
        The number of leading columns whose distance is eligible; at least 1.
    depth : float array (rows,)
        No item further below the best than this is eligible, *whatever other items there are*:
        more items can only lower the reach, since an eligible item stays so when others go.

    Examples
    --------
    >>> prefix, depth = eligible_prefix(np.array([[0.0, 0.5, 1.0]]), np.array([1.0]), 1.0)
    >>> prefix, depth.round(4)
    (array([2]), array([0.6885]))
    """
    tight = effective_eps(eps, best)
    # In units of eps; beyond 2 nothing is eligible, and clipping there avoids overflow.
    x = np.minimum(below / tight[:, np.newaxis], 2.0)
    number, total, square = spread_sums(x)
    last = (total * total + square < 1).sum(axis=1) - 1
    row = np.arange(len(x))
    limit = reach(x[row, last], number[last], (total[row, last], square[row, last]))
    unsure = doubt(last + 1.0, eps)
    prefix = (x < (limit - unsure)[:, np.newaxis]).sum(axis=1)
    after = x[row, np.minimum(prefix, x.shape[1] - 1)]
    in_doubt = np.flatnonzero((prefix < x.shape[1]) & (after < limit + unsure))
    if len(in_doubt):
        prefix[in_doubt] = entered(below[in_doubt], best[in_doubt], eps)
    return prefix, (limit + unsure) * tight


def eligible_of_few(scores: FloatArray, eps: float) -> tuple[int, float]:
    """Return the same of one short row of descending scores, in pure Python: calls cost more than sums.

    Examples
    --------
    >>> eligible_of_few(np.array([1.0, 0.5, 0.0]), 1.0)[0]
    2
    """
    top, *lower = scores.tolist()
    tight = float(effective_eps(eps, top))
    number, total, square, at = 1, 0.0, 0.0, 0.0
    for score in lower:
        depth = (top - score) / tight
        wider = total + number * (depth - at)
        larger = square + (depth - at) * (wider + total)
        if wider * wider + larger >= 1:
            break
        number, total, square, at = number + 1, wider, larger, depth
    mean, about_mean = at - total / number, square - total * total / number
    limit = mean - C + math.sqrt((number + 1) / number * (1 - about_mean))
    unsure = doubt(float(number), eps)
    prefix = 1 + sum((top - score) / tight < limit - unsure for score in lower)
    if prefix <= len(lower) and (top - lower[prefix - 1]) / tight < limit + unsure:
        prefix = int(entered((top - scores)[np.newaxis], scores[:1], eps)[0])
    return prefix, (limit + unsure) * tight


def entered(below: FloatArray, best: FloatArray, eps: float) -> IntArray:
    """Return how many leading columns of each row ``eps`` has passed the critical eps of: the rule."""
    return np.asarray((critical_below(below, best) < eps).sum(axis=1))


def reach(
    depth: FloatArray, number: FloatArray, sums: Iterable[FloatArray], eps: float | FloatArray = 1.0
) -> FloatArray:
    """Return the depth above which items are eligible, given x, N and the sums D and G at r."""
    total, square = sums
    mean = depth - total / number
    about_mean = square - total * total / number
    reach: FloatArray = mean - C * eps + np.sqrt((number + 1) / number * (eps * eps - about_mean))
    return reach

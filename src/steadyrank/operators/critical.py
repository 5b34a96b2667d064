"""The critical eps of each item: the whole eps-path of an inflated top-k as one vector.

The inflated top-k grows with eps, so each item has one number ``e_j``: it is a member exactly
if ``eps > e_j``. Let ``x_1 = 0 <= x_2 <= ...`` be the distances of the scores from rank k on below
the k-th best. If m of the items above j are clipped in the projection, with ``S`` and ``Q`` the sums
of ``x_j - x_l`` and of its square over these m, the distance to the region of j is eps exactly if

    (m + 2) c^2 - 2 S c - ((m + 1) Q - S^2) = 0,      c = eps / sqrt(2).

The number m itself is the count of r with ``x_r + D_r - sqrt((D_r^2 + G_r) / 2) <= x_j`` (D and G as
in :mod:`steadyrank.operators.inflation`): the left side is how deep the inflation reaches at the eps
at which the r-th item becomes clipped, and it grows with r.

The float ``e_j`` depends on the scores from the k-th best down to that of j and on nothing else: not on
items further down, nor on the batch or chunk they come in. That is what lets every operator, audit and
curve agree on it to the last bit. Nor does it change when items go that are not clipped, those on the
very edge of it among them: heredity (who is eligible stays so when others go) holds for floats, too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from steadyrank._typing import FloatArray, IntArray
from steadyrank.operators.boundary import C, entry_eps, swap_eps
from steadyrank.operators.checks import check_k, check_score_batch

CHUNK = 1 << 17
"""Scores of a batch handled at once."""

NARROW = 32
"""Up to this width, counting by comparing all pairs beats a search in each row."""

TINY, HUGE = 2.0**-400, 2.0**400
"""Distances between these can be squared and summed as they are."""

SCALES = (2.0**800, 2.0**-600)
"""What tiny and what huge distances are multiplied with, exactly, to be squared and summed."""

STEEPEST = 2 * (2 + float(np.sqrt(2))) * (1 + 1e-9)
"""A critical eps moves at most so many times as far as the scores: gaps move twice as far, for which a
larger y makes up in ``sqrt(2) min_y (y + sqrt(2 y^2 + sum_l (gap_l - y)+^2))``, which is that eps."""

NOT_YET_CLIPPED = 1 - 2.0**-28
"""An item on the edge of being clipped counts as not clipped: the difference is below all digits."""


@np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
def critical_eps(scores: ArrayLike, k: int) -> FloatArray:
    """Return for each item the eps above which it is in the inflated top-k.

    Works along the last axis of a batch of any shape. Items of the plain top-k, and those tied
    with the k-th, get 0. ``inflated_topk_mask(scores, k, eps)`` is ``eps > critical_eps(scores, k)``
    for every eps, these very numbers included (the allowance for rounding is in them).

    Examples
    --------
    >>> critical_eps([1.0, 0.5, 0.0], k=1).round(5)
    array([0.     , 0.70711, 1.54583])
    """
    values = check_score_batch(scores)
    k = check_k(k, values.shape[-1])
    return critical_rows(values.reshape(-1, values.shape[-1]), k).reshape(values.shape)


def critical_rows(rows: FloatArray, k: int, chunk: int = CHUNK) -> FloatArray:
    """Return the critical eps of each item of each row, ``chunk`` scores at a time."""
    critical = np.zeros(rows.shape)
    step = max(1, chunk // rows.shape[1])
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        order = np.argsort(-part, axis=1, kind="stable")[:, k - 1 :]
        tail = np.take_along_axis(part, order, axis=1)
        found = critical_below(tail[:, :1] - tail, tail[:, 0])
        np.put_along_axis(critical[start : start + step], order, found, axis=1)
    return critical


@np.errstate(over="ignore", invalid="ignore")  # what overflows at one scale is taken from another
def critical_below(below: FloatArray, best: FloatArray, narrow: int = NARROW) -> FloatArray:
    """Return the critical eps for rows of distances below the best score, the first 0, ascending.

    A distance that is infinite, between huge scores or as padding, is never reached.
    """
    c, padded = _region_gaps(below, narrow), np.isinf(below)
    for odd, scale in zip(((below > 0) & (below < TINY), (below > HUGE) & ~padded), SCALES, strict=True):
        rows = odd.any(axis=1)
        if rows.any():
            scaled = _region_gaps(below[rows] * scale, narrow) / scale
            c[rows] = np.where(odd[rows], scaled, c[rows])
    c[padded] = np.inf
    entry, swap = entry_eps(c / C, best[:, np.newaxis]), swap_eps(below, best[:, np.newaxis])
    # Theory that holds to the last bit, too: nobody enters before swapping with the best (the second
    # best just then) nor before the better ones; equal distances enter together.
    np.maximum(entry, swap, out=entry)
    entry[:, :2] = swap[:, :2]
    entry[:, 1:][below[:, 1:] == below[:, :-1]] = 0.0
    return np.maximum.accumulate(entry, axis=1, out=entry)


def _region_gaps(x: FloatArray, narrow: int) -> FloatArray:
    """Return for each distance the c whose eps it takes to reach that item."""
    number, total, square = spread_sums(x)
    reached = x + total - C * np.sqrt(total * total + square)
    np.maximum.accumulate(reached, axis=1, out=reached)  # grows by theory; now also after rounding
    clipped = _counts_up_to(reached, x * NOT_YET_CLIPPED, narrow)
    last = np.minimum(clipped, np.arange(1, x.shape[1] + 1)) - 1
    m, (d, g, x_last) = number[last], (np.take_along_axis(part, last, 1) for part in (total, square, x))
    drop = x - x_last
    s = d + m * drop
    q = g + 2 * drop * d + m * drop * drop
    spread = np.maximum(m * g - d * d, 0.0)  # m Q - S^2, which does not depend on the drop
    gaps: FloatArray = (s + np.sqrt(s * s + (m + 2) * (q + spread))) / (m + 2)
    return gaps


def _counts_up_to(reached: FloatArray, x: FloatArray, narrow: int) -> IntArray:
    """Count, for each entry of a row of x, the entries of the same row of ``reached`` up to it."""
    if x.shape[1] <= narrow:
        return np.asarray((reached[:, np.newaxis, :] <= x[:, :, np.newaxis]).sum(axis=2))
    return np.stack([np.searchsorted(r, v, side="right") for r, v in zip(reached, x, strict=True)])


def spread_sums(x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return N, and D and G of each row, of :mod:`steadyrank.operators.inflation`, for every prefix.

    They are sums of gaps, never differences of sums of scores, so that nothing cancels and a
    constant added to all scores changes nothing.
    """
    number = np.arange(1.0, x.shape[1] + 1)
    gap = x[:, 1:] - x[:, :-1]
    step = number[:-1] * gap
    total = np.zeros(x.shape)
    square = np.zeros(x.shape)
    step.cumsum(axis=1, out=total[:, 1:])
    (gap * (2 * total[:, 1:] - step)).cumsum(axis=1, out=square[:, 1:])
    return number, total, square

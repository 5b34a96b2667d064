"""Which items stay eligible for a place, and from which eps on: the mathematics behind every operator.

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
decide, the critical eps does instead, which is the rule.

The critical eps
----------------
The inflated top-k grows with eps, so each item has one number ``e_j``: it is a member exactly
if ``eps > e_j``. Let ``x_1 = 0 <= x_2 <= ...`` be the distances of the scores from rank k on below
the k-th best. If m of the items above j are clipped in the projection, with ``S`` and ``Q`` the sums
of ``x_j - x_l`` and of its square over these m, the distance to the region of j is eps exactly if

    (m + 2) c^2 - 2 S c - ((m + 1) Q - S^2) = 0,      c = eps / sqrt(2).

The number m itself is the count of r with ``x_r + D_r - sqrt((D_r^2 + G_r) / 2) <= x_j`` (D and G as
above): the left side is how deep the inflation reaches at the eps at which the r-th item becomes
clipped, and it grows with r.

The float ``e_j`` depends on the scores from the k-th best down to that of j and on nothing else: not on
items further down, nor on the batch or chunk they come in. That is what lets every operator, audit and
curve agree on it to the last bit. Nor does it change when items go that are not clipped, those on the
very edge of it among them: heredity (who is eligible stays so when others go) holds for floats, too.

How a boundary case is decided
------------------------------
An item is eligible exactly if its distance from the scores is *strictly* below eps. Boundaries are
ordinary: votes are multiples of 1/n, and eps = sqrt(2)/n puts a one-vote lead exactly on one. There the
definition says *out*, but neither 1/n nor sqrt(2) is a float, so that rounding would decide at random.

Therefore every item has one float, its *entry eps*: its distance, raised by a little more than what
rounding of the scores and of the sums can amount to (:func:`entry_eps`), and

    an item is in exactly if  eps > entry eps,

as a comparison of two floats. A case on the boundary up to rounding is then out, for every n; cases that
differ from it by more are decided as the exact inequality decides them. The critical eps that users get
are these floats. Routines that answer for one eps take shortcuts with :func:`effective_eps`, which is
the same rule up to rounding, and ask for the entry eps itself wherever that could matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from steadyrank._typing import FloatArray, IntArray
from steadyrank.operators.checks import check_k, check_score_batch

Number = TypeVar("Number", float, "FloatArray")

UNIT = float(np.finfo(np.float64).eps)
FULL_DIGITS = float(np.finfo(np.float64).tiny) / UNIT
"""Above this, a float and a share of it have all their digits."""

ROUNDING = 64 * UNIT
"""Rounding allowed for, relative to the size of the scores."""

MOST_OF_EPS = 1e-6
"""The slack never takes more than this share of eps, however large the scores are."""

C = float(np.sqrt(0.5))
"""The gap c for eps = 1: two items that differ by less than ``C * eps`` may swap."""

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


def entry_eps(distance: FloatArray, best: FloatArray | float) -> FloatArray:
    """Return the eps above which an item at this distance is in.

    ``best`` is the best score among the items in question: it tells how large rounding may be.
    """
    rounded = (distance + ROUNDING * np.abs(best)) / (1 - ROUNDING)
    return np.minimum(rounded, distance / (1 - MOST_OF_EPS))


def swap_eps(gap: FloatArray, better: FloatArray | float) -> FloatArray:
    """Return the eps above which two items this far apart may swap; ``better`` is the better score."""
    return entry_eps(gap / C, better)


def effective_eps(eps: float | FloatArray, best: float | FloatArray) -> FloatArray:
    """Return the eps that a distance has to stay below: the inverse of :func:`entry_eps`, rounded."""
    slack = np.minimum(
        ROUNDING * np.abs(best) + ROUNDING * eps, MOST_OF_EPS * np.asarray(eps)
    )
    return np.asarray(eps - slack)


def doubt(clipped: Number, eps: float) -> Number:
    """Return what rounding may do to a shortcut, in units of eps, with so many scores summed.

    Where eps is so small that floats near it have few digits left, anything may be in doubt.
    """
    return 32 * UNIT * (clipped + 4) + (4.0 if eps < FULL_DIGITS else 0.0)


def just_above(eps: Number) -> Number:
    """Return an eps that exceeds the given one by more than any slack, and by next to nothing.

    Scores at a distance of ``eps`` from each other are then surely closer than the effective eps,
    however large they are: what Theorems 4 and 8 promise holds after rounding, too.
    """
    return eps * (1 + 2 * MOST_OF_EPS) + float(np.finfo(np.float64).tiny)


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


@np.errstate(
    over="ignore", invalid="ignore"
)  # what overflows at one scale is taken from another
def critical_below(
    below: FloatArray, best: FloatArray, narrow: int = NARROW
) -> FloatArray:
    """Return the critical eps for rows of distances below the best score, the first 0, ascending.

    A distance that is infinite, between huge scores or as padding, is never reached.
    """
    c, padded = _region_gaps(below, narrow), np.isinf(below)
    for odd, scale in zip(
        ((below > 0) & (below < TINY), (below > HUGE) & ~padded), SCALES, strict=True
    ):
        rows = odd.any(axis=1)
        if rows.any():
            scaled = _region_gaps(below[rows] * scale, narrow) / scale
            c[rows] = np.where(odd[rows], scaled, c[rows])
    c[padded] = np.inf
    entry, swap = (
        entry_eps(c / C, best[:, np.newaxis]),
        swap_eps(below, best[:, np.newaxis]),
    )
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
    np.maximum.accumulate(
        reached, axis=1, out=reached
    )  # grows by theory; now also after rounding
    clipped = _counts_up_to(reached, x * NOT_YET_CLIPPED, narrow)
    last = np.minimum(clipped, np.arange(1, x.shape[1] + 1)) - 1
    m, (d, g, x_last) = (
        number[last],
        (np.take_along_axis(part, last, 1) for part in (total, square, x)),
    )
    drop = x - x_last
    s = d + m * drop
    q = g + 2 * drop * d + m * drop * drop
    spread = np.maximum(
        m * g - d * d, 0.0
    )  # m Q - S^2, which does not depend on the drop
    gaps: FloatArray = (s + np.sqrt(s * s + (m + 2) * (q + spread))) / (m + 2)
    return gaps


def _counts_up_to(reached: FloatArray, x: FloatArray, narrow: int) -> IntArray:
    """Count, for each entry of a row of x, the entries of the same row of ``reached`` up to it."""
    if x.shape[1] <= narrow:
        return np.asarray(
            (reached[:, np.newaxis, :] <= x[:, :, np.newaxis]).sum(axis=2)
        )
    return np.stack(
        [np.searchsorted(r, v, side="right") for r, v in zip(reached, x, strict=True)]
    )


def spread_sums(x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return N, and D and G of each row, for every prefix.

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


def eligible_prefix(
    below: FloatArray, best: FloatArray, eps: float
) -> tuple[IntArray, FloatArray]:
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
    depth: FloatArray,
    number: FloatArray,
    sums: Iterable[FloatArray],
    eps: float | FloatArray = 1.0,
) -> FloatArray:
    """Return the depth above which items are eligible, given x, N and the sums D and G at r."""
    total, square = sums
    mean = depth - total / number
    about_mean = square - total * total / number
    reach: FloatArray = (
        mean - C * eps + np.sqrt((number + 1) / number * (eps * eps - about_mean))
    )
    return reach

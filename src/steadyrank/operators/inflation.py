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

How a boundary case is decided
------------------------------
Boundaries are ordinary: votes are multiples of 1/n, and eps = sqrt(2)/n puts a one-vote lead
exactly on one. There the definition says *out* (the inequality is strict), but neither 1/n nor
sqrt(2) is a float, so that rounding would decide at random. We therefore ask for the strict
inequality with ``eps`` lowered (:func:`effective_eps`) by a little more than what rounding of the
scores and of these sums can amount to: a case that is on the boundary up to rounding counts as
on the boundary, and is out, for every n. Cases that differ from the boundary by more are decided
as the exact inequality decides them. This file is the only place where that choice is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray

Number = TypeVar("Number", float, "FloatArray")

ROUNDING = 64 * float(np.finfo(np.float64).eps)
"""Rounding allowed for, relative to the size of the scores."""

MOST_OF_EPS = 1e-6
"""The slack never takes more than this share of eps, however large the scores are."""

C = float(np.sqrt(0.5))
"""The gap c for eps = 1: two items that differ by less than ``C * eps`` may swap."""


def effective_eps(eps: float | FloatArray, best: float | FloatArray) -> FloatArray:
    """Return the eps to compare with, strictly: ``eps`` less a slack for rounding.

    ``best`` is the best score among the items in question.
    """
    slack = np.minimum(ROUNDING * (np.abs(best) + eps), MOST_OF_EPS * np.asarray(eps))
    return np.asarray(eps - slack)


def entry_eps(distance: FloatArray, best: FloatArray | float) -> FloatArray:
    """Return the smallest e with ``effective_eps(eps, best) > distance`` for every eps > e."""
    rounded = (distance + ROUNDING * np.abs(best)) / (1 - ROUNDING)
    return np.minimum(rounded, distance / (1 - MOST_OF_EPS))


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
    limit = reach(x[row, last], number[row, last], total[row, last], square[row, last])
    prefix = np.maximum(last + 1, (x < limit[:, np.newaxis]).sum(axis=1))
    return prefix, np.maximum(limit, x[row, last]) * tight


def eligible_columns(depth: FloatArray, counts: AnyArray) -> Iterator[BoolArray]:
    """Yield, column by column, which states have an eligible item there; stop where none has.

    The same as :func:`eligible_prefix` for very many states with few columns, all in units of the
    effective eps; ``counts`` tells how many items are left at each depth, and may be 0 but in the
    first column. The arrays have one row for each *column* and one column for each state, so that
    every sum runs over long contiguous rows.
    """
    number, at = counts[0].copy(), depth[0].copy()
    total, square = np.zeros((2, len(at)))
    for next_depth, next_count in zip(depth[1:], counts[1:], strict=True):
        gap = next_depth - at
        wider = total + number * gap
        larger = square + gap * (wider + total)
        inside = wider * wider + larger < 1
        if not inside.any():
            break
        # A state once outside stays so: its sums are kept, and only gaps widen from there.
        for kept, grown in ((total, wider), (square, larger), (at, next_depth)):
            np.copyto(kept, grown, where=inside)
        np.add(number, next_count, out=number, where=inside)
    # What the sums hold is eligible; rounding of the reach must not exclude it.
    limit = np.maximum(reach(at, number, total, square), np.nextafter(at, np.inf))
    for column in depth:
        eligible = column < limit
        if not eligible.any():
            return
        yield eligible


def spread_sums(x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return N, D and G of the module docstring, for every prefix of every row.

    They are sums of gaps, never differences of sums of scores, so that nothing cancels and a
    constant added to all scores changes nothing.
    """
    number = np.broadcast_to(np.arange(1.0, x.shape[1] + 1), x.shape)
    gap = x[:, 1:] - x[:, :-1]
    step = number[:, :-1] * gap
    total = np.zeros(x.shape)
    square = np.zeros(x.shape)
    step.cumsum(axis=1, out=total[:, 1:])
    (gap * (2 * total[:, 1:] - step)).cumsum(axis=1, out=square[:, 1:])
    return number, total, square


def reach(
    depth: FloatArray,
    number: FloatArray,
    total: FloatArray,
    square: FloatArray,
    eps: float | FloatArray = 1.0,
) -> FloatArray:
    """Return the depth above which items are eligible, given the sums over the first r."""
    mean = depth - total / number
    about_mean = square - total * total / number
    reach: FloatArray = mean - C * eps + np.sqrt((number + 1) / number * (eps * eps - about_mean))
    return reach


def just_above(eps: Number) -> Number:
    """Return an eps that exceeds the given one by more than any slack, and by next to nothing.

    Scores at a distance of ``eps`` from each other are then surely closer than the effective eps,
    however large they are: what Theorems 4 and 8 promise holds after rounding, too.
    """
    return eps * (1 + 2 * MOST_OF_EPS) + float(np.finfo(np.float64).tiny)

r"""The ball's list: every item that scores closer than eps could put into the top k.

If leaving out a unit moves the scores ``w`` by less than eps, the new plain top k lies in the union of
the plain top k's of all ``v`` with ``|v - w| < eps``, and no shorter list that is made from ``w`` alone
holds it for every such ``v``. Item j is in that union exactly if ``d_j < eps``, with ``d_j`` the
distance from ``w`` to the scores by which at most k - 1 items are ahead of j.

The cheapest such scores let the k - 1 best items be and bring j and m of the others to one level. With
``g_1 >= g_2 >= ...`` how far the items from rank k on are ahead of j, that level is
``(g_1 + ... + g_m) / (m + 1)`` above j, m being the largest number with
``g_m > (g_1 + ... + g_(m-1)) / m``, so that

    d_j^2 = g_1^2 + ... + g_m^2 - (g_1 + ... + g_m)^2 / (m + 1).

Written with drops ``y`` below the k-th best, the condition is
``y_j > m y_m - (y_1 + ... + y_(m-1))``. The right side grows with m, so that one search in a sorted
array finds m for all items.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from steadyrank._typing import FloatArray, IntArray
from steadyrank.operators.boundary import entry_eps
from steadyrank.operators.checks import check_eps, check_k, check_scores
from steadyrank.operators.sorting import best_first

HUGE, SMALLER = 2.0**900, 2.0**-100
"""Where scores are beyond the first, sums of them may overflow: they are multiplied with the other."""


def ball_topk(scores: ArrayLike, k: int, eps: float) -> IntArray:
    """Return the items that scores closer than ``eps`` could put into the plain top k, best first.

    Boundary cases are out, as for every operator; equal scores enter together.

    Examples
    --------
    >>> [ball_topk([1.0, 0.97, 0.96, 0.6], k=1, eps=eps).tolist() for eps in (0.02, 0.03)]
    [[0], [0, 1, 2]]
    """
    values = check_scores(scores)
    inside = ball_distances(values, k) < check_eps(eps)
    order, _ = best_first(values)
    return order[inside[order]]


@np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
def ball_distances(scores: ArrayLike, k: int) -> FloatArray:
    """Return for each item the eps above which it is in the ball's list: 0 in the plain top k.

    One vector serves every eps, as that of the critical eps does.

    Examples
    --------
    >>> ball_distances([1.0, 0.5, 0.0], k=1).round(5)
    array([0.     , 0.35355, 0.70711])
    """
    values = check_scores(scores)
    k = check_k(k, len(values))
    order, ranked = best_first(values)
    scale = SMALLER if np.abs(ranked[[0, -1]]).max() > HUGE else 1.0
    drops = (scale * ranked[k - 1]) - (scale * ranked[k - 1 :])
    sums, roots = np.cumsum(drops), np.hypot.accumulate(drops)
    numbers = np.arange(1, len(drops) + 1)
    begins = np.maximum.accumulate(numbers * drops - (sums - drops))  # rounding must not let it fall
    moved = np.searchsorted(begins, drops, side="left")
    last, below = np.maximum(moved, 1) - 1, np.where(moved > 0, drops, 1.0)
    # In units of the item's own drop: its square may be beyond all floats.
    ahead = moved - sums[last] / below
    squared = moved - 2 * (sums[last] / below) + (roots[last] / below) ** 2 - ahead**2 / (moved + 1)
    apart = np.where(moved > 0, drops, 0.0) * np.sqrt(np.maximum(squared, 0.0)) / scale
    distances = np.zeros(len(values))
    distances[order[k - 1 :]] = entry_eps(apart, ranked[k - 1]) * (moved > 0)
    return distances


def cover_factor(window: int) -> float:
    r"""Return how many eps to inflate by, so that scores closer than eps have their answer inside.

    If ``|w - v| < eps``, the plain top k by ``v`` is in the inflated top k of ``w`` at ``factor * eps``,
    for ``window = L - k``, and the ranking by ``v`` is in the inflated ranking, for ``window = L - 1``.
    No smaller factor serves all scores of so many items: equal ones above a single one need all of it.

    Examples
    --------
    >>> [round(cover_factor(window), 3) for window in (0, 1, 2, 3, 4, 10**9)]
    [1.0, 2.0, 2.366, 2.58, 2.721, 3.414]
    """
    root = math.sqrt(2)
    return root / (root - math.sqrt(window / (window + 1))) * (1 + 1e-12)

"""Thresholds of eps at which answers change, for many k at once: what a live view compares with.

By theory the eps above which an item joins the inflated top-k grows with its rank, so for each k only
the items just below rank k matter up to a given eps: a short window. The same holds for the eps above
which two items may swap. A view that moves eps or k then needs comparisons and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.operators.boundary import C, swap_eps
from steadyrank.operators.critical import critical_eps

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray, IntArray

BUDGET = 15_000
"""How many numbers each of the two families of thresholds may hold."""


@np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
def thresholds(
    scores: FloatArray, order: IntArray, *, k: int, eps: float, limit: float, budget: int = BUDGET
) -> dict[str, Any]:
    """Return the critical and the swap eps for each k, as the findings hold them.

    Parameters
    ----------
    scores : float array (items,)
        The scores.
    order : int array (items,)
        The items by plain rank.
    k, eps : int, float
        What was asked for; always covered.
    limit : float
        The largest eps that a view would like to reach.
    budget : int
        How many numbers each family may hold; ``limit`` and then the range of ranks give way.

    Examples
    --------
    >>> found = thresholds(np.array([1.0, 0.5, 0.0]), np.array([0, 1, 2]), k=1, eps=1.0, limit=1.6)
    >>> [[round(value, 5) for value in part] for part in found["enters"]]
    [[0.70711, 1.54583], [0.70711], []]
    """
    ranked = scores[order]
    limit = _affordable_limit(ranked, eps, limit, budget)
    sizes = _sizes(ranked, limit)
    first, last = _affordable_ranks(sizes, k, budget)
    enters, swaps = [], []
    for place in range(first, last):
        part = ranked[place : place + int(sizes[place]) + 1]
        enters.append(_up_to(limit, critical_eps(part, 1)[1:]))
        swaps.append(_up_to(limit, swap_eps(part[0] - part[1:], part[0])))
    return {"limit": limit, "first_k": first + 1, "last_k": last, "enters": enters, "swaps": swaps}


def _up_to(limit: float, values: FloatArray) -> list[float]:
    found: list[float] = values[values < limit].tolist()
    return found


def _sizes(ranked: FloatArray, limit: float) -> IntArray:
    """Return how many items below each place could pass it, at most, up to ``limit``."""
    with np.errstate(over="ignore"):
        floor = ranked - C * limit * (1 + 1e-9)  # rounding must not cut off the last one
    within = len(ranked) - np.searchsorted(ranked[::-1], floor, side="left")
    return np.asarray(within - np.arange(1, len(ranked) + 1))


def _affordable_limit(ranked: FloatArray, eps: float, limit: float, budget: int) -> float:
    """Return the largest limit, of a halving sequence, that keeps to the budget."""
    least = min(1.25 * eps, float(np.finfo(np.float64).max))
    limit = max(limit, least)
    while limit > least and int(_sizes(ranked, limit).sum()) > budget:
        limit = least + (limit - least) / 2 if limit > 1.01 * least else least
    return limit


def _affordable_ranks(sizes: IntArray, k: int, budget: int) -> tuple[int, int]:
    """Return the places (from, to) that keep to the budget: k itself, all above, then those below."""
    upward, downward = np.arange(k - 1, -1, -1), np.arange(k, len(sizes))
    spent = np.cumsum(sizes[np.append(upward, downward)])
    taken = max(1, int(np.searchsorted(spent, budget, side="right")))
    return (k - taken, k) if taken < k else (0, taken)

"""The operators from their definition: project onto C_j, slowly, and measure the distance.

Floating point, so that nothing here decides a boundary case; :mod:`oracles.exact` does that.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

HALVINGS = 120


def projection(scores: Sequence[float], item: int, eps: float) -> NDArray[np.float64]:
    """Return the point of ``C_item = { v : v_item >= v_l + c }`` that is nearest to ``scores``.

    Its other entries are lowered to a common level y, the item is lifted to y + c. The squared
    distance is convex in y: halve an interval on the sign of its slope.
    """
    c = eps / math.sqrt(2)
    w = np.array(scores, dtype=np.float64)
    others = np.delete(w, item)
    if len(others) == 0 or w[item] >= others.max() + c:
        return w
    low, high = w[item] - c, float(others.max())
    for _ in range(HALVINGS):
        level = (low + high) / 2
        slope = (level + c - w[item]) - np.maximum(others - level, 0).sum()
        low, high = (level, high) if slope < 0 else (low, level)
    nearest = np.minimum(w, low)
    nearest[item] = max(w[item], low + c)
    return nearest


def distances(scores: Sequence[float], eps: float) -> NDArray[np.float64]:
    """Return the distance from ``scores`` to every C_j."""
    w = np.array(scores, dtype=np.float64)
    return np.array([math.dist(w, projection(w, j, eps)) for j in range(len(w))])


def inflated_argmax(scores: Sequence[float], eps: float) -> set[int]:
    """Return the items j with ``dist(scores, C_j) < eps``."""
    return set(np.flatnonzero(distances(scores, eps) < eps).tolist())


def inflated_topk(scores: Sequence[float], k: int, eps: float) -> set[int]:
    """Return the top k - 1 items and the inflated argmax of the others (Prop. 6)."""
    order = np.argsort(-np.asarray(scores), kind="stable")
    rest = order[k - 1 :]
    chosen = inflated_argmax(np.asarray(scores)[rest].tolist(), eps)
    return set(order[: k - 1].tolist()) | {int(rest[place]) for place in chosen}


def topk_distances(scores: Sequence[float], k: int, eps: float) -> NDArray[np.float64]:
    """Return the distance of ``scores`` to every ``{ v : v_j >= v_(k+1) + c }``.

    ``v_j`` is c above the (k+1)-th best exactly if it is c above all others once some k - 1
    items are taken away, and those need not move: the least distance over all such removals.
    """
    w = np.array(scores, dtype=np.float64)
    nearest = np.full(len(w), np.inf)
    for kept in combinations(range(len(w)), len(w) - k + 1):
        nearest[list(kept)] = np.minimum(
            nearest[list(kept)], distances(w[list(kept)], eps)
        )
    return nearest

"""Rules that keep the paper's promise, too: the rivals that Propositions 5 and 9 speak about.

For a top k a rule is told by the eps above which it admits each item, so that it knows its answer for
every eps at once. ``docs/research/baselines.md`` proves that each has the guarantee and how they are
nested.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank import certainly_above, critical_eps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from paper.array_types import BoolArray, FloatArray, IntArray

ROUNDING = 2.0**-47


def margin_critical(scores: FloatArray, k: int) -> FloatArray:
    """Return the eps from which on the margin rule admits each item: all less than c below the k-th.

    Examples
    --------
    >>> margin_critical(np.array([1.0, 0.5, 0.0]), 1).round(3)
    array([0.   , 0.707, 1.414])
    """
    kth = np.partition(scores, len(scores) - k)[len(scores) - k]
    return _raised(math.sqrt(2) * np.maximum(kth - scores, 0.0), scores)


def ball_critical(scores: FloatArray, k: int) -> FloatArray:
    """Return the eps from which on the union of the top k over a ball of radius eps/2 has each item.

    An item is in the top k of some scores nearer than eps/2 exactly if the nearest scores at which it
    draws level are. To draw level with the items from rank k on that are ahead by ``g_1 >= g_2 >= ...``,
    it rises by y and those further ahead come down to meet it: y = (g_1 + ... + g_m) / (m + 1).

    Examples
    --------
    >>> ball_critical(np.array([1.0, 0.5, 0.0]), 1).round(3)
    array([0.   , 0.707, 1.414])
    >>> ball_critical(np.array([1.0, 1.0, 0.0]), 1).round(3)
    array([0.   , 0.   , 1.633])
    """
    order = np.argsort(-scores, kind="stable")
    found = np.zeros(len(scores))
    for place in range(k, len(scores)):
        gaps = scores[order[k - 1 : place]] - scores[order[place]]
        sums, numbers = np.cumsum(gaps), np.arange(1, len(gaps) + 1)
        down = int((gaps > (sums - gaps) / numbers).sum())
        if down:
            square = np.dot(gaps[:down], gaps[:down]) - sums[down - 1] ** 2 / (down + 1)
            found[order[place]] = 2 * math.sqrt(max(square, 0.0))
    return _raised(found, scores)


def _raised(critical: FloatArray, scores: FloatArray) -> FloatArray:
    """Return critical values above what rounding may take from them: on a boundary means out."""
    return np.where(critical > 0, critical + ROUNDING * np.abs(scores).max(), 0.0)


INFLATED, BALL, MARGIN = "inflated top-k", "ball of eps/2", "margin eps/√2"
TOP_K_RULES: dict[str, Callable[[FloatArray, int], FloatArray]] = {
    INFLATED: critical_eps,
    BALL: ball_critical,
    MARGIN: margin_critical,
}
"""From the smallest answer to the largest."""


def top_k_operator(rule: str, eps: float) -> Callable[[FloatArray, int], BoolArray]:
    """Return a rule at an eps as a function from scores and k to a mask of the items."""
    return lambda scores, k: TOP_K_RULES[rule](scores, k) < eps


class LinearExtensions:
    """All rankings that keep the certain order: whoever is c or more ahead comes first.

    Examples
    --------
    >>> LinearExtensions(np.array([0.7, 0.35, 0.0]), 1.0).count()
    6
    """

    def __init__(self, scores: FloatArray, eps: float) -> None:
        above = certainly_above(scores, eps)
        self._above = [
            sum(1 << i for i in np.flatnonzero(column).tolist()) for column in above.T
        ]
        """For each item those that must come before it, as a bit mask."""

    def _free(self, left: int) -> list[int]:
        """Return which of the items left may come next."""
        return [
            item
            for item, above in enumerate(self._above)
            if left >> item & 1 and not above & left
        ]

    def __contains__(self, ranking: Iterable[Any]) -> bool:
        """Tell whether no item comes before one that must precede it."""
        placed = 0
        for item in map(int, ranking):
            if self._above[item] & ~placed:
                return False
            placed |= 1 << item
        return True

    def intersects(self, other: LinearExtensions) -> bool:
        """Tell whether the two sets share a ranking: what is free once stays free, so place anything."""
        left = (1 << len(self._above)) - 1
        while left:
            common = set(self._free(left)) & set(other._free(left))
            if not common:
                return False
            left &= ~sum(1 << item for item in common)
        return True

    def count(self) -> int:
        """Return the exact number of rankings, set by set of the items that are left."""

        @cache
        def orders(left: int) -> int:
            return (
                sum(orders(left & ~(1 << item)) for item in self._free(left))
                if left
                else 1
            )

        return orders((1 << len(self._above)) - 1)


def ranking_distance(scores: FloatArray, ranking: IntArray) -> float:
    """Return the distance to the nearest scores in this order: their isotonic regression.

    Rankings nearer than eps/2 are those of the ball of that radius.

    Examples
    --------
    >>> ranking_distance(np.array([1.0, 0.5, 0.0]), np.array([1, 0, 2])) == math.sqrt(0.125)
    True
    """
    blocks: list[list[float]] = []
    for score in scores[ranking].tolist():
        blocks.append([score])
        while len(blocks) > 1 and np.mean(blocks[-2]) < np.mean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    level = np.concatenate([np.full(len(block), np.mean(block)) for block in blocks])
    return float(np.linalg.norm(scores[ranking] - level))

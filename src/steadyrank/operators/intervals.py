"""Rank intervals, the common order and tiers of an inflated ranking, without any permutation.

The best rank of an item is the first k whose inflated top-k holds it; its worst
rank is the number of items above ``w_j - c``; i comes before j in every ranking exactly if
``w_i - w_j >= c``. All are attained: see the theory page of the documentation for the proofs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.operators.boundary import swap_eps
from steadyrank.operators.checks import check_eps, check_scores, check_square
from steadyrank.operators.eligible_ranges import rank_ranges
from steadyrank.operators.sorting import best_first


@np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
def rank_intervals(scores: ArrayLike, eps: float) -> tuple[IntArray, IntArray]:
    """Return the best and the worst rank (1 = first) of each item over the inflated ranking.

    Both are attained by some ranking of the set. Time grows as that of a sort.

    Examples
    --------
    >>> best, worst = rank_intervals([1.0, 0.5, 0.0], eps=1.0)
    >>> best, worst
    (array([1, 1, 2]), array([2, 3, 3]))
    """
    values = check_scores(scores)
    eps = check_eps(eps)
    order, ranked = best_first(values)
    best, worst = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    known = 0  # of so many, best first, the best rank is known: how often eligibility has ended by then
    for part, eligible, swaps in rank_ranges(ranked, eps):
        worst[order[part]] = swaps
        ended = np.bincount(eligible - known)
        ended[0] += part.start
        best[order[known : eligible[-1]]] = ended.cumsum()[:-1] + 1
        known = eligible[-1]
    return best, worst


@dataclass(frozen=True, eq=False)
class CertainOrder:
    """The pairs that every ranking of the set orders the same way: a semiorder with threshold c.

    Ask ``order(i, j)`` (or ``order[i, j]``, or ``(i, j) in order``) whether i is above j in every
    ranking; ``order.matrix()`` answers for all pairs at once, and is what NumPy gets of it.
    """

    scores: FloatArray
    eps: float

    def __call__(self, i: int, j: int) -> bool:
        """Tell whether item i comes before item j in every ranking of the set."""
        return bool(_certain(self.scores[i], self.scores[j], self.eps))

    def __getitem__(self, pair: tuple[int, int]) -> bool:
        """Tell whether the first item of the pair is certainly above the second."""
        return self(*pair)

    __contains__ = __getitem__

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.scores)

    def matrix(self) -> BoolArray:
        """Return the order as a boolean matrix: entry (i, j) is True if i is certainly above j."""
        check_square(
            len(self), 1, f"the matrix of {len(self):,} items", "Ask for single pairs, order(i, j)."
        )
        return _certain(self.scores[:, np.newaxis], self.scores[np.newaxis, :], self.eps)

    def __array__(self, dtype: object = None, copy: bool | None = None) -> BoolArray:
        """Return :meth:`matrix`, so that ``numpy.asarray(order)`` works."""
        if copy is False:
            raise ValueError("the matrix of a CertainOrder is always made anew")
        return self.matrix().astype(dtype or np.bool_, copy=False)  # type: ignore[call-overload, no-any-return]


def certainly_above(scores: ArrayLike, eps: float) -> CertainOrder:
    """Return the common order: which item is above which in every ranking of the set.

    Examples
    --------
    >>> order = certainly_above([1.0, 0.5, 0.0], eps=1.0)
    >>> order(0, 2), order(0, 1)
    (True, False)
    """
    values = np.array(check_scores(scores))
    values.setflags(write=False)
    return CertainOrder(values, check_eps(eps))


def tiers(scores: ArrayLike, eps: float) -> list[IntArray]:
    """Return the blocks of items that no ranking of the set mixes, best block first.

    A new tier begins wherever neighbours in the sorted order differ by at least c.

    Examples
    --------
    >>> tiers([5.0, 1.0, 4.9, 0.8], eps=1.0)
    [array([0, 2]), array([1, 3])]
    """
    values = check_scores(scores)
    eps = check_eps(eps)
    order, ranked = best_first(values)
    return np.split(order, tier_starts(ranked, eps))


def tier_starts(ranked: FloatArray, eps: float) -> IntArray:
    """Return the places, after the first, at which a tier of descending scores begins."""
    return 1 + np.flatnonzero(eps <= tier_eps(ranked))


@np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
def tier_eps(ranked: FloatArray) -> FloatArray:
    """Return, for each of descending scores but the first, the eps above which no tier begins there."""
    return swap_eps(ranked[:-1] - ranked[1:], ranked[:-1])


@np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
def _certain(above: FloatArray, below: FloatArray, eps: float) -> BoolArray:
    """Tell where the first score leads the second so far that they never swap."""
    return np.asarray((above > below) & (eps <= swap_eps(above - below, above)))

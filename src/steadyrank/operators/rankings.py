"""The inflated full ranking: a set of permutations that is never listed unless asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from steadyrank._typing import FloatArray, IntArray
from steadyrank.errors import InvalidValueError, shorten
from steadyrank.operators.checks import check_eps, check_permutation, check_same_items, check_scores
from steadyrank.operators.intervals import rank_intervals, tier_starts
from steadyrank.operators.states import MAX_STATES, StateGraph
from steadyrank.operators.topk_sets import best_first
from steadyrank.operators.unplaced import Unplaced, all_orders, common_order, contains


def inflated_ranking(scores: ArrayLike, eps: float) -> RankingSet:
    """Return the set of rankings that cannot be told from the plain one.

    A ranking belongs to it if, position by position, the item placed is in the inflated argmax of
    the items not yet placed. If two score vectors are closer than ``eps``, their sets share a ranking.

    Examples
    --------
    >>> rankings = inflated_ranking([1.0, 0.5, 0.0], eps=1.0)
    >>> rankings
    RankingSet(3 items, eps=1, 1 tier; the plain ranking and others)
    >>> [ranking.tolist() for ranking in rankings]
    [[0, 1, 2], [0, 2, 1], [1, 0, 2]]
    >>> rankings.count()
    3
    >>> [1, 2, 0] in rankings
    False
    """
    return RankingSet(scores, eps)


class RankingSet:
    """All rankings (item indices, best first) that the data cannot tell from the plain one.

    Membership, iteration, intersection and rank intervals work for any number of items.
    Counting walks through the states that rankings pass through; where there are more than
    ``max_states`` of them, it raises :class:`~steadyrank.errors.TooLargeError`.
    """

    def __init__(self, scores: ArrayLike, eps: float) -> None:
        self._scores = np.array(check_scores(scores))
        self._scores.setflags(write=False)
        self._eps = check_eps(eps)

    @property
    def scores(self) -> FloatArray:
        """The scores, read-only."""
        return self._scores

    @property
    def eps(self) -> float:
        """The inflation."""
        return self._eps

    @property
    def n_items(self) -> int:
        """The number of items that each ranking orders."""
        return len(self._scores)

    @cached_property
    def plain(self) -> IntArray:
        """The plain ranking: items by score, the smaller index first among equal ones."""
        return best_first(self._scores)[0]

    @cached_property
    def _ranked(self) -> FloatArray:
        return self._scores[self.plain]

    def _unplaced(self, part: slice = slice(None)) -> Unplaced:
        return Unplaced(self.plain[part], self._ranked[part], self._eps)

    def __contains__(self, ranking: ArrayLike) -> bool:
        """Tell whether a permutation of the items belongs to the set."""
        return contains(self._unplaced(), check_permutation(ranking, self.n_items).tolist())

    def __iter__(self) -> Iterator[IntArray]:
        """Yield the rankings one at a time, the plain one first."""
        return (np.array(order) for order in all_orders(self._unplaced(), self.n_items))

    def __repr__(self) -> str:
        """Describe the set without listing or counting it."""
        blocks = 1 + len(tier_starts(self._ranked, self._eps))
        content = "the plain ranking and others" if blocks < self.n_items else "only the plain ranking"
        return (
            f"RankingSet({self.n_items:,} item{'s' * (self.n_items > 1)}, eps={self._eps:.6g}, "
            f"{blocks:,} tier{'s' * (blocks > 1)}; {content})"
        )

    def count(self, *, max_states: int = MAX_STATES) -> int:
        """Return the exact number of rankings, as a Python integer of any size.

        Examples
        --------
        >>> inflated_ranking([0.5] * 30, eps=0.1).count()
        265252859812191058636308480000000
        """
        return StateGraph(self._ranked, self._eps).count(max_states)

    def rank_intervals(self) -> tuple[IntArray, IntArray]:
        """Return the best and the worst rank of each item over the set (1 = first)."""
        return rank_intervals(self._scores, self._eps)

    def intersects(self, other: RankingSet) -> bool:
        """Tell whether the two sets share a ranking.

        Examples
        --------
        >>> inflated_ranking([1.0, 0.5], eps=0.1).intersects(inflated_ranking([0.5, 1.0], eps=0.1))
        False
        """
        return self.common_ranking(other) is not None

    def common_ranking(self, other: RankingSet) -> IntArray | None:
        """Return a ranking that both sets hold, or None where there is none.

        Examples
        --------
        >>> inflated_ranking([1, 2], eps=2).common_ranking(inflated_ranking([2, 1], eps=0.1))
        array([0, 1])
        """
        if not isinstance(other, RankingSet):
            raise InvalidValueError(f"a RankingSet is needed to compare with, not {shorten(other)}.")
        check_same_items(self.n_items, other.n_items, "ranking sets order")
        return common_order(
            self.plain, other.plain, lambda part: (self._unplaced(part), other._unplaced(part))
        )

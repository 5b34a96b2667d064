"""The inflated full ranking: a set of permutations that is never listed unless asked for.

Rankings are counted by *the states that they can pass through*, position by position. A ranking is built
by placing eligible items one after the other. What matters for the future is only which items are left:
the best one left, and which of the items less than c below it are gone (no others can be, since they are
not eligible before it is placed). Equal scores are interchangeable, so a state holds *how many* items of
each distinct score are gone. Layer t holds all states with t items placed, and a step to layer t + 1
places one item of some score. The rankings are the paths through all layers, times the orders of equal
items.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadyrank._typing import AnyArray, FloatArray, IntArray
from steadyrank.errors import InvalidValueError, shorten, too_many_states
from steadyrank.operators.checks import (
    check_eps,
    check_permutation,
    check_same_items,
    check_scores,
)
from steadyrank.operators.inflation import eligible_prefix
from steadyrank.operators.intervals import (
    eligible_ends,
    rank_intervals,
    swap_ends,
    tier_starts,
)
from steadyrank.operators.topk_sets import best_first
from steadyrank.operators.unplaced import Unplaced, place_together

MAX_STATES = 10_000_000
"""How many states are visited before the search is given up, unless the caller says otherwise."""

WORD = 64
"""Bits for what is gone: where the scores within c need more, no limit allows for all the states."""

CELLS = 1 << 17
"""Items of states that are looked at together, and steps that may wait for their equals."""


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
        unplaced = self._unplaced()
        for item in check_permutation(
            ranking, self.n_items
        ).tolist():  # eligible when its turn comes?
            if item != unplaced.best() and item not in unplaced.eligible():
                return False
            unplaced.remove(item)
        return True

    def __iter__(self) -> Iterator[IntArray]:
        """Yield the rankings one at a time, the plain one first, then depth first.

        Nothing is kept of the branches above but the item taken there: which one comes next is found
        again on the way back, so that memory stays linear however many items are eligible.
        """
        unplaced, order = self._unplaced(), list[int]()
        item: int | None = unplaced.best()
        while True:
            while item is not None:
                unplaced.remove(item)
                order.append(item)
                item = unplaced.best() if len(order) < self.n_items else None
            if len(order) == self.n_items:
                yield np.array(order)
            if not order:
                return
            last = order.pop()
            unplaced.restore(last)
            eligible = unplaced.eligible()
            following = eligible.index(last) + 1
            item = eligible[following] if following < len(eligible) else None

    def __repr__(self) -> str:
        """Describe the set without listing or counting it."""
        blocks = 1 + len(tier_starts(self._ranked, self._eps))
        content = (
            "the plain ranking and others"
            if blocks < self.n_items
            else "only the plain ranking"
        )
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

        Cut both plain rankings wherever their heads hold the same items. Eligibility of an item depends
        only on the items left *above* it, so what lies below a cut never matters above it, and
        the sets share a ranking exactly if they do between each two cuts.

        There greedy is exact. Let pi be in both sets and let greedy stand at the items S left. The first
        item of pi within S was eligible under both when pi placed it, with all of S left and perhaps
        more; by heredity it is eligible in S. So greedy gets stuck only where no common ranking exists.

        Examples
        --------
        >>> inflated_ranking([1, 2], eps=2).common_ranking(inflated_ranking([2, 1], eps=0.1))
        array([0, 1])
        """
        if not isinstance(other, RankingSet):
            raise InvalidValueError(
                f"a RankingSet is needed to compare with, not {shorten(other)}."
            )
        check_same_items(self.n_items, other.n_items, "ranking sets order")
        furthest = np.maximum.accumulate(np.argsort(other.plain)[self.plain])
        cuts = np.append(0, 1 + np.flatnonzero(furthest == np.arange(self.n_items)))
        order = self.plain.copy()
        wide = np.flatnonzero(np.diff(cuts) > 1)
        for start, stop in zip(
            cuts[wide].tolist(), cuts[wide + 1].tolist(), strict=True
        ):
            part = slice(start, stop)
            piece = place_together(
                self._unplaced(part), other._unplaced(part), stop - start
            )
            if len(piece) < stop - start:
                return None
            order[part] = piece
        return order


class Layer(NamedTuple):
    """States with equally many items placed."""

    first: IntArray
    """The best score left."""
    gone: NDArray[np.uint64]
    """How many items of each score from there on are gone, packed into one word."""
    paths: AnyArray
    """How many ways lead to each state, as Python integers, where equal items are not told apart."""


class StateGraph:
    """The layers of states for descending scores.

    Parameters
    ----------
    ranked : float array
        The scores in descending order.
    eps : float
        The inflation.
    """

    @np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
    def __init__(self, ranked: FloatArray, eps: float) -> None:
        self._ranked, self._eps = ranked, eps
        self._begin = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
        self._values = ranked[self._begin]
        self._sizes = np.diff(self._begin, append=len(ranked))
        # The scores less than c below each one: only these can be touched before it is gone.
        self._ends = np.maximum.accumulate(swap_ends(self._values, eps))
        _, bits = np.frexp(self._sizes)
        self._offset = np.append(0, np.cumsum(bits))
        self._full = (np.uint64(1) << bits.astype(np.uint64)) - np.uint64(1)

    def bound_log10(self) -> float:
        """Return the decimal logarithm of an upper bound of the number of states."""
        return _log10_sum(self._logs[self._ends] - self._logs[:-1])

    @np.errstate(over="ignore")  # likewise
    def least_log10(self) -> float:
        """Return the decimal logarithm of a lower bound of the number of states, without any of them.

        Once all better items are placed, the items eligible beside the best one left stay so whatever
        is placed among them: any number of each score may be gone, and of the best one all but one.
        """
        last = np.searchsorted(
            self._begin, eligible_ends(self._ranked, self._eps)[self._begin]
        )
        return _log10_sum(np.log10(self._sizes) + self._logs[last] - self._logs[1:])

    @cached_property
    def _logs(self) -> FloatArray:
        return np.append(0.0, np.cumsum(np.log10(self._sizes + 1.0)))

    def count(self, max_states: int) -> int:
        """Return the number of rankings, exactly.

        Where all rankings pass through one state, its count is a factor and the next ones begin anew, so
        that they stay short.
        """
        product = math.prod(map(math.factorial, self._sizes.tolist()))
        for layer in self.layers(max_states):
            if (
                len(layer.paths) == 1
            ):  # as it is after the last layer, with every item placed
                product *= layer.paths[0]
                layer.paths[0] = 1
        return product

    def layers(self, max_states: int = MAX_STATES) -> Iterator[Layer]:
        """Yield the layers after the first, in order; stop with an error after ``max_states`` states.

        Where there are surely more, before any of them. Steps to the same state are joined time and
        again, so that memory grows with the states of one layer, not with the steps to them.
        """
        self._check(max_states)
        n_items, visited = len(self._ranked), 0
        layer = Layer(
            np.zeros(1, np.int64), np.zeros(1, np.uint64), np.ones(1, dtype=object)
        )
        stops = np.append(self._begin, n_items)[self._ends]
        at_once = max(1, CELLS // int((stops - self._begin).max()))
        for placed in range(1, n_items + 1):
            found: list[Layer] = []
            waiting = joined = 0
            for start in range(0, len(layer.first), at_once):
                some = Layer._make(part[start : start + at_once] for part in layer)
                found.append(self._steps(some))
                waiting += len(found[-1].first)
                if waiting > CELLS + joined or start + at_once >= len(layer.first):
                    found = [_joined(found)]
                    waiting, joined = 0, len(found[0].first)
                    if visited + joined > max_states:
                        bound = self.bound_log10()
                        raise too_many_states(
                            max_states, visited + joined, placed, n_items, bound
                        )
            (layer,) = found
            visited += joined
            yield layer

    def _check(self, max_states: int) -> None:
        """Refuse a graph that is surely too large: every score is the best one left in some state."""
        too_wide = bool((self._offset[self._ends] - self._offset[:-1]).max() > WORD)
        bound, limit = self.bound_log10(), np.log10(max_states)
        if bound <= limit and not too_wide:
            return
        least = np.inf if too_wide else self.least_log10()
        if least > limit + 1e-9:
            raise too_many_states(
                max_states, 0, 0, len(self._ranked), bound, least_log10=least
            )

    @np.errstate(over="ignore")  # likewise
    def _steps(self, states: Layer) -> Layer:
        """Return where some states lead, for each score of which an item may be placed next."""
        first, gone, paths = states
        best, ends = self._values[first], self._ends[first]
        score = first[:, np.newaxis] + np.arange(int((ends - first).max()))
        inside = score < ends[:, np.newaxis]
        score = np.where(inside, score, first[:, np.newaxis])
        shift = (self._offset[score] - self._offset[first, np.newaxis]).astype(
            np.uint64
        )
        taken = (gone[:, np.newaxis] >> shift & self._full[score]).astype(np.int64)
        left = inside * (self._sizes[score] - taken)
        upto = np.cumsum(left, axis=1)
        below = np.full((len(first), int(upto[:, -1].max())), np.inf)
        known = np.arange(below.shape[1]) < upto[:, -1:]
        below[known] = np.repeat(
            best[:, np.newaxis] - self._values[score], left.reshape(-1)
        )
        eligible, _ = eligible_prefix(below, best, self._eps)
        some = left > 0
        state, step = np.nonzero(some & (upto - left < eligible[:, np.newaxis]))
        word = gone[state] + (np.uint64(1) << shift[state, step])
        last = (step == 0) & (
            left[state, 0] == 1
        )  # of the best score, so that another is the best now
        some[:, 0] = False
        after = np.where(some.any(axis=1), first + some.argmax(axis=1), ends)
        following = np.where(last, after[state], first[state])
        passed = self._offset[following] - self._offset[first[state]]
        return Layer(following, word >> passed.astype(np.uint64), paths[state])


def _joined(parts: list[Layer]) -> Layer:
    """Return each state of the parts once, in order, with all the ways that lead to it."""
    first, gone, paths = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.lexsort((gone, first))
    first, gone = first[order], gone[order]
    new = np.flatnonzero(
        np.append(True, (first[1:] != first[:-1]) | (gone[1:] != gone[:-1]))
    )
    return Layer(first[new], gone[new], np.add.reduceat(paths[order], new))


def _log10_sum(logs: FloatArray) -> float:
    """Return the decimal logarithm of a sum from those of its terms, which may be beyond any float."""
    largest = float(logs.max())
    return largest + float(np.log10(np.sum(10.0 ** (logs - largest))))

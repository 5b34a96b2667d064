"""The states that a ranking of the set can pass through, position by position.

A ranking is built by placing eligible items one after the other. What matters for the future is
only which items are left: the best one left, and which of the items less than c below it are gone
(no others can be, since they are not eligible before it is placed). Equal scores are
interchangeable, so a state holds *how many* items of each distinct score are gone. Layer t holds all
states with t items placed, and a step to layer t + 1 places one item of some score. The rankings are
the paths through all layers, times the orders of equal items.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steadyrank._typing import AnyArray, FloatArray, IntArray
from steadyrank.errors import too_many_states
from steadyrank.operators.inflation import eligible_prefix
from steadyrank.operators.intervals import eligible_ends, swap_ends

MAX_STATES = 10_000_000
"""How many states are visited before the search is given up, unless the caller says otherwise."""

WORD = 64
"""Bits for what is gone: where the scores within c need more, no limit allows for all the states."""

CELLS = 1 << 17
"""Items of states that are looked at together, and steps that may wait for their equals."""


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
        last = np.searchsorted(self._begin, eligible_ends(self._ranked, self._eps)[self._begin])
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
            if len(layer.paths) == 1:  # as it is after the last layer, with every item placed
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
        layer = Layer(np.zeros(1, np.int64), np.zeros(1, np.uint64), np.ones(1, dtype=object))
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
                        raise too_many_states(max_states, visited + joined, placed, n_items, bound)
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
            raise too_many_states(max_states, 0, 0, len(self._ranked), bound, least_log10=least)

    @np.errstate(over="ignore")  # likewise
    def _steps(self, states: Layer) -> Layer:
        """Return where some states lead, for each score of which an item may be placed next."""
        first, gone, paths = states
        best, ends = self._values[first], self._ends[first]
        score = first[:, np.newaxis] + np.arange(int((ends - first).max()))
        inside = score < ends[:, np.newaxis]
        score = np.where(inside, score, first[:, np.newaxis])
        shift = (self._offset[score] - self._offset[first, np.newaxis]).astype(np.uint64)
        taken = (gone[:, np.newaxis] >> shift & self._full[score]).astype(np.int64)
        left = inside * (self._sizes[score] - taken)
        upto = np.cumsum(left, axis=1)
        below = np.full((len(first), int(upto[:, -1].max())), np.inf)
        known = np.arange(below.shape[1]) < upto[:, -1:]
        below[known] = np.repeat(best[:, np.newaxis] - self._values[score], left.reshape(-1))
        eligible, _ = eligible_prefix(below, best, self._eps)
        some = left > 0
        state, step = np.nonzero(some & (upto - left < eligible[:, np.newaxis]))
        word = gone[state] + (np.uint64(1) << shift[state, step])
        last = (step == 0) & (left[state, 0] == 1)  # of the best score, so that another is the best now
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
    new = np.flatnonzero(np.append(True, (first[1:] != first[:-1]) | (gone[1:] != gone[:-1])))
    return Layer(first[new], gone[new], np.add.reduceat(paths[order], new))


def _log10_sum(logs: FloatArray) -> float:
    """Return the decimal logarithm of a sum from those of its terms, which may be beyond any float."""
    largest = float(logs.max())
    return largest + float(np.log10(np.sum(10.0 ** (logs - largest))))

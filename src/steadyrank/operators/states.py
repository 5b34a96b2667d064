"""The states that a ranking of the set can pass through, position by position.

A ranking is built by placing eligible items one after the other. What matters for the future is
only which items are left: the best one left, and which of the items less than c below it are gone
(no others can be, since they are not eligible before it is placed). Equal scores are
interchangeable, so a state holds *how many* items of each distinct score are gone. Layer t holds all
states with t items placed; an edge to layer t + 1 places one item of some score, in as many ways as
there are items left of it. Exact counts are read off this graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from steadyrank._typing import AnyArray, FloatArray, IntArray
from steadyrank.errors import too_many_states
from steadyrank.operators.intervals import eligible_ends
from steadyrank.operators.sweep import DistinctScores, Layer, Places, Sweep

Digits: TypeAlias = "NDArray[np.uint64]"

MAX_STATES = 10_000_000
"""How many states are visited before the search is given up, unless the caller says otherwise."""

WORD = 64
"""Bits for what is gone: where the scores within c need more, no limit allows for all the states."""


BLOCK = 1 << 20
"""Words that are added up at once, few enough to stay near the processor."""


class Exact:
    """Whole numbers as rows of digits of so few bits that ``terms`` of them can be added up.

    A number is a row of machine words, the lowest digits first: to add up numbers along edges is then to
    add up a few long rows. The bits that digits leave free take up the carries of one layer. That takes
    a fraction of the time of as many Python integers.
    """

    def __init__(self, terms: int) -> None:
        self._bits = 62 - terms.bit_length()
        self._top_bits = max(0, self._bits - terms.bit_length())
        # After so many rounds of carries digits are at most twice as large as they have to be.
        self._rounds = -(-64 // self._bits) - 1

    def with_room(self, digits: Digits) -> Digits:
        """Return the same numbers with as many digits as a sum of them may need."""
        while digits.shape[-1] > 1 and not digits[..., -1].any():
            digits = digits[..., :-1]
        if not int(digits[..., -1].max()) >> self._top_bits:
            return np.ascontiguousarray(digits)
        more = np.zeros((*digits.shape[:-1], self._rounds), dtype=np.uint64)
        return np.concatenate([digits, more], axis=-1)

    def sums(self, layer: Layer, along: Callable[[IntArray], Digits], shape: tuple[int, ...]) -> Digits:
        """Return for each target the sum of numbers with room, digits of this shape along each edge."""
        sums = np.empty((len(layer.number), *shape), dtype=np.uint64)
        for some, folded in layer.folds(along, np.add, 1 + BLOCK // math.prod(shape)):
            sums[some] = self._carried(folded)
        return sums

    def _carried(self, digits: Digits) -> Digits:
        """Return the same numbers with digits that are small enough to be added up again."""
        bits = np.uint64(self._bits)
        for _ in range(self._rounds):
            carry = digits[..., :-1] >> bits
            digits[..., :-1] &= (np.uint64(1) << bits) - np.uint64(1)
            digits[..., 1:] += carry
        return digits

    def numbers(self, digits: Digits) -> AnyArray:
        """Return the Python integers that rows of digits stand for."""
        found = np.zeros(digits.shape[:-1], dtype=object)
        for digit in np.moveaxis(digits, -1, 0)[::-1]:
            found = (found << self._bits) + digit.astype(object)
        return found


class StateGraph:
    """The layers of states for descending scores.

    Parameters
    ----------
    ranked : float array
        The scores in descending order.
    eps : float
        The inflation.
    """

    def __init__(self, ranked: FloatArray, eps: float) -> None:
        self.n_items = len(ranked)
        self._scores = DistinctScores(ranked, eps)
        self.values, self.sizes = self._scores.values, self._scores.sizes
        self._single = len(self.values) == self.n_items

    def bound_log10(self) -> float:
        """Return the decimal logarithm of an upper bound of the number of states."""
        return _log10_sum(self._logs[self._scores.ends] - self._logs[:-1])

    @np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
    def least_log10(self) -> float:
        """Return the decimal logarithm of a lower bound of the number of states, without any of them.

        Once all better items are placed, the items eligible beside the best one left stay so whatever
        is placed among them: any number of each score may be gone, and of the best one all but one.
        """
        begins = self._scores.begin
        ends = eligible_ends(np.repeat(self.values, self.sizes), self._scores.eps)[begins]
        last = np.searchsorted(begins, ends)
        return _log10_sum(np.log10(self.sizes) + self._logs[last] - self._logs[1:])

    @cached_property
    def _logs(self) -> FloatArray:
        return np.append(0.0, np.cumsum(np.log10(self.sizes + 1.0)))

    def layers(self, max_states: int = MAX_STATES) -> Iterator[Layer]:
        """Yield the layers in order; stop with an error after ``max_states`` states.

        Where there are surely more, before the first layer, which then takes no memory at all.
        """
        self._check(max_states)
        sweep, visited = Sweep(self._scores), 0
        for score, placed in enumerate(self._scores.begin.tolist()):
            visited += sweep.narrow(score)
            if visited > max_states:
                raise too_many_states(max_states, visited, placed, self.n_items, self.bound_log10())
            sweep.widen(score)
            yield from sweep.layers()
        yield from sweep.layers(self.n_items)

    def _check(self, max_states: int) -> None:
        """Refuse a graph that is surely too large: every score is the best one left in some state."""
        too_wide, limit = bool(self._scores.bits.max() > WORD), np.log10(max_states)
        bound = self.bound_log10()
        if bound <= limit and not too_wide:
            return
        least = np.inf if too_wide else self.least_log10()
        if least > limit + 1e-9:
            raise too_many_states(max_states, 0, 0, self.n_items, bound, least_log10=least)

    def count(self, max_states: int) -> int:
        """Return the number of rankings, exactly.

        Where all rankings pass through one state, its count is a factor and the next ones begin anew, so
        that they stay short.
        """
        exact, one = Exact(self.n_items), np.ones((1, 1), dtype=np.uint64)
        product, counts = 1, one
        for layer in self.layers(max_states):
            counts = exact.with_room(counts)
            counts = exact.sums(layer, self._paths_along(layer, counts), counts.shape[1:])
            if len(counts) == 1:  # as it is after the last layer, with every item placed
                product *= exact.numbers(counts)[0]
                counts = one
        return product

    def _paths_along(self, layer: Layer, counts: Digits) -> Callable[[IntArray], Digits]:
        """Return the number of paths along edges of the layer, given that to each source."""
        if self._single:
            return lambda edges: counts.take(layer.source.take(edges), axis=0)
        ways = self._ways(layer).astype(np.uint64)
        return lambda edges: counts.take(layer.source.take(edges), axis=0) * ways[edges, np.newaxis]

    def _ways(self, layer: Layer) -> Places:
        """Return how many interchangeable items each edge of a layer can place.

        Where the best score left changes, its last item was placed; else two words differ by one item.
        """
        target = layer.target()
        first, gone = layer.before.first[layer.source], layer.before.gone[layer.source]
        same = layer.after.first[target] == first
        score = self._scores.of_bit(first, np.where(same, layer.after.gone[target] - gone, 1))
        return self._scores.left(score, first, gone)


def _log10_sum(logs: FloatArray) -> float:
    """Return the decimal logarithm of a sum from those of its terms, which may be beyond any float."""
    largest = float(logs.max())
    return largest + float(np.log10(np.sum(10.0 ** (logs - largest))))

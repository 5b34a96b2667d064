"""The states that a ranking of the set can pass through, position by position.

A ranking is built by placing eligible items one after the other. What matters for the future is
only which items are left: the best one left, and which of the items less than c below it are gone
(no others can be, since they are not eligible before it is placed). Equal scores are
interchangeable, so a state holds *how many* items of each distinct score are gone. Layer t holds all
states with t items placed; an edge to layer t + 1 places one item of some score, in as many ways as
there are items left of it. Exact counts, distances, uniform samples and position shares are read off
this graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from steadyrank._typing import AnyArray, FloatArray, IntArray
from steadyrank.errors import too_many_states
from steadyrank.operators.intervals import eligible_ends
from steadyrank.operators.sweep import DistinctScores, Layer, Places, Sweep, order_of

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


@dataclass(frozen=True)
class Edges:
    """What the edges of a layer place, and between which states they lead; by target."""

    source: Places
    target: Places
    score: Places
    """The number of the distinct score that each edge places an item of."""
    ways: Places
    """How many interchangeable items there are to choose from."""

    @cached_property
    def above(self) -> IntArray:
        """How many items with better scores are left as each edge places its own.

        Every score with items left above an eligible one is eligible, too: it has an edge of its own.
        """
        order = np.lexsort((self.score, self.source))
        source, ways = self.source[order], self.ways[order]
        upto = np.cumsum(ways) - ways
        begins = np.append(True, source[1:] != source[:-1])
        above = np.empty(len(order), dtype=np.int64)
        above[order] = upto - np.maximum.accumulate(np.where(begins, upto, 0))
        return above

    def inversions_along(self, sums: Digits, edges: IntArray) -> Digits:
        """Return the number of paths along edges and their inversions, given those of each source."""
        values = sums[self.source[edges]]
        values[:, 1] += values[:, 0] * self.above[edges, np.newaxis].astype(np.uint64)
        return np.asarray(values * self.ways[edges, np.newaxis, np.newaxis].astype(np.uint64))


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

    def edges(self, layer: Layer) -> Edges:
        """Return the edges of a layer with the score that each places and its number of ways.

        Where the best score left changes, its last item was placed; else two words differ by one item.
        """
        target = layer.target().astype(np.int32)
        first, gone = layer.before.first[layer.source], layer.before.gone[layer.source]
        same = layer.after.first[target] == first
        score = self._scores.of_bit(first, np.where(same, layer.after.gone[target] - gone, 1))
        ways = np.broadcast_to(np.int32(1), score.shape)
        if not self._single:
            ways = self._scores.left(score, first, gone)
        return Edges(layer.source, target, score, ways)

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
        ways = self.edges(layer).ways.astype(np.uint64)
        return lambda edges: counts.take(layer.source.take(edges), axis=0) * ways[edges, np.newaxis]

    def inversions(self, max_states: int) -> tuple[int, Fraction]:
        """Return the largest and the mean number of pairs that a ranking orders against the scores.

        Pairs with equal scores are not among them.
        """
        exact = Exact(2 * self.n_items**2)
        none = np.zeros(1, dtype=np.int64)
        one_path = np.array([[[1], [0]]], dtype=np.uint64)  # of a state: paths to it, their inversions
        most, mean, largest, sums = 0, Fraction(0), none, one_path
        for layer in self.layers(max_states):
            edges = self.edges(layer)
            begins = np.cumsum(layer.number) - layer.number
            largest = np.maximum.reduceat(largest[edges.source] + edges.above, begins)
            sums = exact.with_room(sums)
            sums = exact.sums(layer, partial(edges.inversions_along, sums), sums.shape[1:])
            if len(sums) == 1:
                paths, inversions = exact.numbers(sums[0])
                most, mean = most + int(largest[0]), mean + Fraction(inversions, paths)
                largest, sums = none, one_path
        return most, mean

    def sample(self, size: int, rng: np.random.Generator, max_states: int) -> IntArray:
        """Return ``size`` uniform rankings as (size, items) numbers of distinct scores."""
        layers = self._layers_and_ways_on(max_states)
        state = np.zeros(size, dtype=np.int32)
        drawn = np.empty((size, self.n_items), dtype=np.int64)
        for place, (layer, onward) in enumerate(layers):
            order = order_of(layer.source)
            upto = np.cumsum((layer.ways * onward[layer.target])[order])
            first = np.searchsorted(layer.source[order], np.arange(layer.source.max() + 2))
            before = np.append(0.0, upto)[first]
            spot = before[state] + rng.random(size) * (before[state + 1] - before[state])
            edge = np.searchsorted(upto, spot, side="right")
            # Rounding may put a spot on the far end of its interval.
            edge = order[np.clip(edge, first[state], first[state + 1] - 1)]
            drawn[:, place] = layer.score[edge]
            state = layer.target[edge]
        return drawn

    def shares(self, max_states: int) -> FloatArray:
        """Return (distinct scores, ranks): the share of rankings with an item of that score there."""
        shares, arrived = np.zeros((len(self.values), self.n_items)), np.ones(1)
        for place, (layer, onward) in enumerate(self._layers_and_ways_on(max_states)):
            along = layer.ways * arrived[layer.source]
            flow = along * onward[layer.target]
            shares[:, place] = np.bincount(layer.score, flow / flow.sum(), minlength=len(shares))
            onto = np.bincount(layer.target, weights=along)
            arrived = onto / onto.max()
        return shares

    def _layers_and_ways_on(self, max_states: int) -> list[tuple[Edges, FloatArray]]:
        """Return the layers, and the number of ways to go on from each target, up to a factor."""
        found: list[tuple[Edges, FloatArray]] = []
        onward = np.ones(1)
        for layer in reversed([self.edges(layer) for layer in self.layers(max_states)]):
            found.append((layer, onward))
            ways = np.bincount(layer.source, weights=layer.ways * onward[layer.target])
            onward = ways / ways.max()
        return found[::-1]


def _log10_sum(logs: FloatArray) -> float:
    """Return the decimal logarithm of a sum from those of its terms, which may be beyond any float."""
    largest = float(logs.max())
    return largest + float(np.log10(np.sum(10.0 ** (logs - largest))))

"""The states that a ranking of the set can pass through, position by position.

A ranking is built by placing eligible items one after the other. What matters for the future is
only which items are left: the best one left, and which of the items less than c below it are gone
(no others can be, since they are not eligible before it is placed). Equal scores are
interchangeable, so a state holds *how many* items of each distinct score are gone, packed
into one 64-bit word that begins at the best score left. Layer t holds all states with t items
placed; an edge to layer t + 1 places one item of some score, in as many ways as items are left there.
Exact counts, uniform samples and position shares are read off this graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from steadyrank.errors import StateLimitError
from steadyrank.operators.boundary import effective_eps
from steadyrank.operators.eligible_ranges import eligible_ends, swap_ends
from steadyrank.operators.inflation import eligible_columns, entered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray

Words: TypeAlias = "NDArray[np.uint64]"
one = np.uint64(1)

WORD = 57
"""Bits for what is gone; the other bits of a word tell the best score left, within a layer.

A window of scores that needs more bits has far more states than any limit allows.
"""
WORD_BITS = np.uint64(WORD)
LOWER = np.uint64((1 << WORD) - 1)

MAX_STATES = 10_000_000
"""How many states are visited before the search is given up, unless the caller says otherwise."""


@dataclass(frozen=True)
class Layer:
    """The edges between the states with t items placed and those with t + 1.

    Edge e leads from state ``source[e]`` of layer t to a state of layer t + 1 by placing an item with
    the ``column[e]``-th distinct score from the best one left on. Edges are sorted by target:
    those to state s of layer t + 1 are ``starts[s]`` to ``starts[s + 1] - 1``.
    """

    source: IntArray
    column: NDArray[np.uint8]
    starts: IntArray
    first: IntArray
    """The best distinct score left in each state of layer t."""
    ways: Words | None
    """How many interchangeable items each edge has to choose from; None where it is one for all."""

    def score(self) -> IntArray:
        """Return the number of the distinct score that each edge places."""
        return np.asarray(self.first[self.source] + self.column)

    def targets(self) -> IntArray:
        """Return the state that each edge leads to."""
        lengths = np.diff(np.append(self.starts, len(self.source)))
        return np.repeat(np.arange(len(self.starts)), lengths)

    def times_ways(self, values: AnyArray) -> AnyArray:
        """Multiply a value for each edge by the number of items to choose from."""
        return values if self.ways is None else values * self.ways


@dataclass(frozen=True)
class _States:
    """States of one layer, as sorted words.

    The upper bits tell how far the best distinct score left lies beyond ``base``, the lower ones
    how many items are gone of each distinct score from there on.
    """

    base: int
    words: Words

    @cached_property
    def first(self) -> IntArray:
        return self.base + (self.words >> WORD_BITS).astype(np.int64)

    @cached_property
    def gone(self) -> Words:
        return self.words & LOWER


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
        self.n_items, self._eps = len(ranked), eps
        starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
        self.values = ranked[starts]
        self.sizes = np.diff(np.append(starts, len(ranked)))
        # The scores less than c below each one: only these can be touched before it is gone.
        ends = swap_ends(self.values, eps)
        self._window = ends - np.arange(len(self.values))
        bits = np.array([int(size).bit_length() for size in self.sizes])
        self._offset = np.append(0, np.cumsum(bits))
        self._bits = self._offset[ends] - self._offset[:-1]
        self._single = len(self.values) == len(ranked)
        self._tabulate(eps)

    def _tabulate(self, eps: float) -> None:
        """Make what expansions look up: row j, column f is for the j-th distinct score from f on."""
        width = min(int(self._window.max()), WORD)
        first = np.arange(len(self.values))
        j = np.arange(width)[:, np.newaxis]
        inside = j < self._window
        score = np.where(inside, first + j, first)
        # Outside the window: too deep to be eligible, and nothing there to place.
        depth = (self.values[first] - self.values[score]) / effective_eps(eps, self.values)
        full = (one << np.diff(self._offset).astype(np.uint64)) - one
        shift = np.minimum(self._offset[score] - self._offset[first], 63)
        self._depth: FloatArray = np.where(inside, depth, 2.0)
        self._shift = shift.astype(np.uint64)
        self._item: Words = one << self._shift
        self._size = np.where(inside, self.sizes[score], 0).astype(np.float64)
        self._full = np.where(inside, full[score], 0).astype(np.uint64)

    def bound_log10(self) -> float:
        """Return the decimal logarithm of an upper bound of the number of states."""
        logs, first = self._logs, np.arange(len(self.values))
        return _log10_sum(logs[first + self._window] - logs[first])

    @np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
    def least_log10(self) -> float:
        """Return the decimal logarithm of a lower bound of the number of states, without any of them.

        Once all better items are placed, the items eligible beside the best one left stay so whatever
        is placed among them: any number of each score may be gone, and of the best one all but one.
        """
        begins = np.cumsum(self.sizes) - self.sizes
        ends = eligible_ends(np.repeat(self.values, self.sizes), self._eps)[begins]
        logs, first = self._logs, np.arange(len(self.values))
        last = np.searchsorted(begins, ends)
        return _log10_sum(np.log10(self.sizes) + logs[last] - logs[first + 1])

    @cached_property
    def _logs(self) -> FloatArray:
        return np.append(0.0, np.cumsum(np.log10(self.sizes + 1.0)))

    def layers(self, max_states: int = MAX_STATES) -> Iterator[Layer]:
        """Yield the layers in order; stop with an error after ``max_states`` states.

        Where there are surely more, before the first layer, which then takes no memory at all.
        """
        self._check(max_states)
        states = _States(0, np.zeros(1, np.uint64))
        visited = 1
        for placed in range(self.n_items):
            if visited > max_states:
                raise StateLimitError(max_states, visited, placed, self.n_items, self.bound_log10())
            layer, states = self._expand(states)
            visited += len(states.words)
            yield layer

    def _check(self, max_states: int) -> None:
        """Refuse a graph that is surely too large: every score is the best one left in some state."""
        bound, limit, too_wide = self.bound_log10(), np.log10(max_states), self._bits.max() > WORD
        if bound <= limit and not too_wide:
            return
        least = np.inf if too_wide else self.least_log10()
        if least > limit + 1e-9:
            raise StateLimitError(max_states, 0, 0, self.n_items, bound, least_log10=least)

    def _expand(self, states: _States) -> tuple[Layer, _States]:
        """Place every eligible item in every state, and merge the states that are equal."""
        first = states.first
        width = int(self._window[first].max())
        left = self._left(states, width)
        depth = self._depth[:width].take(first, axis=1)
        filled = left > 0
        chosen = [
            np.flatnonzero(eligible & some)
            for eligible, some in zip(self._eligible(first, depth, left), filled, strict=False)
        ]
        # The best score left is eligible in every state: words[0] has an entry for each of them.
        words = [states.words[edge] + self._item[j].take(first[edge]) for j, edge in enumerate(chosen)]
        words[0] = self._move_on(states, words[0], left[0] == 1, filled[1:])
        order, merged, starts = _merge(np.concatenate(words), states.base)
        column = np.repeat(np.arange(len(chosen), dtype=np.uint8), [len(edge) for edge in chosen])
        ways = None
        if not self._single:
            ways = np.concatenate([left[j, edge] for j, edge in enumerate(chosen)])[order]
            ways = ways.astype(np.uint64)
        source = np.concatenate(chosen)[order]
        return Layer(source, column[order], starts, first, ways), merged

    def _eligible(self, first: IntArray, depth: FloatArray, left: FloatArray) -> Iterator[BoolArray]:
        """Yield, score by score from the best one left on, the states in which it is eligible."""

        def settle(states: IntArray) -> IntArray:
            return np.array([self._settled(int(first[state]), left[:, state]) for state in states])

        return eligible_columns(depth, left, self._eps, settle)

    def _settled(self, first: int, left: FloatArray) -> int:
        """Return how many of the distinct scores from ``first`` on are eligible, by the rule itself."""
        window = int(self._window[first])
        number = left[:window].astype(np.int64)
        scores = np.repeat(self.values[first : first + len(number)], number)
        (items,) = entered((scores[0] - scores)[np.newaxis], scores[:1], self._eps)
        return int(np.searchsorted(np.cumsum(number), items)) + 1

    def _left(self, states: _States, width: int) -> FloatArray:
        """Return how many items are left of each of the next distinct scores (rows), by state.

        As floats, since sums over them are floats too. Beyond a window it may be any number: no
        score is eligible there.
        """
        first = states.first
        if self._single:  # one bit for each score: no need to look up where its bits are
            places = np.arange(width, dtype=np.uint64)[:, np.newaxis]
            return (~states.gone >> places & one).astype(np.float64)
        taken = states.gone >> self._shift[:width].take(first, axis=1)
        taken &= self._full[:width].take(first, axis=1)
        return np.asarray(self._size[:width].take(first, axis=1) - taken)

    def _move_on(self, states: _States, words: Words, emptied: BoolArray, filled: BoolArray) -> Words:
        """Where the best score has just lost its last item, begin at the next with items left.

        ``filled`` tells for each of the scores below whether it has some. Scores beyond the window
        are untouched, so the search ends there at the latest.
        """
        first = states.first
        skip = emptied.astype(np.uint8)
        for some in filled:
            emptied = emptied > some  # and this score is empty, too
            skip += emptied
        skip = np.minimum(skip, self._window[first])
        drop = np.minimum(self._offset[first + skip] - self._offset[first], 63).astype(np.uint64)
        upper = (first + skip - states.base).astype(np.uint64) << WORD_BITS
        return np.asarray((words & LOWER) >> drop | upper)

    def count(self, max_states: int) -> int:
        """Return the number of rankings, exactly.

        Counts are Python integers, of any size. Adding them up takes about a third of the time where
        layers hold thousands of states with counts of hundreds of digits, and next to none where layers
        are small: the rest goes into the layers. Where all rankings pass through one state, its count
        is a factor and the next ones begin anew, so that they stay short.
        """
        product = 1
        counts = np.ones(1, dtype=object)
        for layer in self.layers(max_states):
            counts = np.add.reduceat(layer.times_ways(counts[layer.source]), layer.starts)
            if len(counts) == 1:  # as it is after the last layer, with every item placed
                product *= counts[0]
                counts = np.ones(1, dtype=object)
        return product

    def sample(self, size: int, rng: np.random.Generator, max_states: int) -> IntArray:
        """Return ``size`` uniform rankings as (size, items) numbers of distinct scores."""
        layers = list(self.layers(max_states))
        weights = _weights_onward(layers)
        state = np.zeros(size, dtype=np.int64)
        drawn = np.empty((size, len(layers)), dtype=np.int64)
        for place, (layer, onward) in enumerate(zip(layers, weights[1:], strict=True)):
            target = layer.targets()
            order = np.argsort(layer.source, kind="stable")
            weight = layer.times_ways(onward[target])[order]
            upto = np.cumsum(weight)
            first = np.searchsorted(layer.source[order], np.arange(layer.source.max() + 2))
            before = np.append(0.0, upto)[first]
            spot = before[state] + rng.random(size) * (before[state + 1] - before[state])
            edge = np.searchsorted(upto, spot, side="right")
            # Rounding may put a spot on the far end of its interval.
            edge = order[np.clip(edge, first[state], first[state + 1] - 1)]
            drawn[:, place] = layer.score()[edge]
            state = target[edge]
        return drawn

    def shares(self, max_states: int) -> FloatArray:
        """Return (distinct scores, ranks): the share of rankings with an item of that score there."""
        layers = list(self.layers(max_states))
        shares = np.zeros((len(self.values), len(layers)))
        for place, (score, flow) in enumerate(_flows(layers)):
            shares[:, place] = np.bincount(score, weights=flow, minlength=len(shares))
        return shares


def _log10_sum(logs: FloatArray) -> float:
    """Return the decimal logarithm of a sum from those of its terms, which may be beyond any float."""
    largest = float(logs.max())
    return largest + float(np.log10(np.sum(10.0 ** (logs - largest))))


def _merge(words: Words, base: int) -> tuple[IntArray, _States, IntArray]:
    """Return the order that sorts the words, the distinct states, and where each begins."""
    order = np.argsort(words, kind="stable")  # each column is sorted already, and timsort knows
    ordered = words[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    distinct = ordered[starts]
    ahead = distinct[0] >> WORD_BITS
    return order, _States(base + int(ahead), distinct - (ahead << WORD_BITS)), starts


def _weights_onward(layers: Sequence[Layer]) -> list[FloatArray]:
    """Return for each layer the number of ways to go on from each state, up to a factor."""
    weights = [np.ones(1)]
    for layer in reversed(layers):
        along = layer.times_ways(weights[-1][layer.targets()])
        onward = np.bincount(layer.source, weights=along)
        weights.append(onward / onward.max())
    return weights[::-1]


def _flows(layers: Sequence[Layer]) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield for each layer the score that each edge places, and the share of rankings along it."""
    weights = _weights_onward(layers)
    arrived = np.ones(1)
    for layer, onward in zip(layers, weights[1:], strict=True):
        along = layer.times_ways(arrived[layer.source])
        flow = along * onward[layer.targets()]
        yield layer.score(), flow / flow.sum()
        arrived = np.add.reduceat(along, layer.starts)
        arrived /= arrived.max()

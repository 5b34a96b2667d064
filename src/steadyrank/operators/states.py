"""The states that a ranking of the set can pass through, position by position.

A ranking is built by placing eligible items one after the other. What matters for the future is
only which items are left: the best one left, and which of the items less than c below it are gone
(no others can be, since they are not eligible before it is placed). Equal scores are
interchangeable, so a state holds *how many* items of each distinct score are gone, packed
into one 64-bit word that begins at the best score left. Layer t holds all states with t items
placed; an edge to layer t + 1 places one item of some score, in as many ways as items are left there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from steadyrank.errors import StateLimitError
from steadyrank.operators.eligible_ranges import ends_within
from steadyrank.operators.inflation import effective_eps, eligible_columns
from steadyrank.operators.intervals import certain_gap

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        self.n_items = len(ranked)
        starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
        self.values = ranked[starts]
        self.sizes = np.diff(np.append(starts, len(ranked)))
        # The scores less than c below each one: only these can be touched before it is gone.
        ends = ends_within(self.values, len(self.values), certain_gap(self.values, eps))
        self._window = ends - np.arange(len(self.values))
        bits = np.array([int(size).bit_length() for size in self.sizes])
        self._offset = np.append(0, np.cumsum(bits))
        self._bits = self._offset[ends] - self._offset[:-1]
        self._single = len(self.values) == len(ranked)
        self._tables = _Tables.make(self.values, self.sizes, self._offset, self._window, eps)

    def bound_log10(self) -> float:
        """Return the decimal logarithm of an upper bound of the number of states."""
        logs = np.append(0.0, np.cumsum(np.log10(self.sizes + 1.0)))
        first = np.arange(len(self.values))
        parts = logs[first + self._window] - logs[first]
        largest = float(parts.max())
        return largest + float(np.log10(np.sum(10.0 ** (parts - largest))))

    def layers(self, max_states: int = MAX_STATES) -> Iterator[Layer]:
        """Yield the layers in order; stop with an error after ``max_states`` states."""
        states = _States(0, np.zeros(1, np.uint64))
        visited = 1
        for placed in range(self.n_items):
            too_wide = bool(self._bits[states.first].max() > WORD)
            if too_wide or visited > max_states:
                bound = self.bound_log10()
                raise StateLimitError(
                    max_states, visited, placed, self.n_items, bound, too_wide=too_wide
                )
            layer, states = self._expand(states)
            visited += len(states.words)
            yield layer

    def _expand(self, states: _States) -> tuple[Layer, _States]:
        """Place every eligible item in every state, and merge the states that are equal."""
        first = states.first
        width = int(self._window[first].max())
        left = self._left(states, width)
        depth = self._tables.depth[:width].take(first, axis=1)
        filled = left > 0
        chosen = [
            np.flatnonzero(eligible & some)
            for eligible, some in zip(eligible_columns(depth, left), filled, strict=False)
        ]
        # The best score left is eligible in every state: words[0] has an entry for each of them.
        words = [
            states.words[edge] + self._tables.item[j].take(first[edge]) for j, edge in enumerate(chosen)
        ]
        words[0] = self._move_on(states, words[0], left[0] == 1, filled[1:])
        order, merged, starts = _merge(np.concatenate(words), states.base)
        column = np.repeat(np.arange(len(chosen), dtype=np.uint8), [len(edge) for edge in chosen])
        ways = None
        if not self._single:
            ways = np.concatenate([left[j, edge] for j, edge in enumerate(chosen)])[order]
            ways = ways.astype(np.uint64)
        source = np.concatenate(chosen)[order]
        return Layer(source, column[order], starts, first, ways), merged

    def _left(self, states: _States, width: int) -> FloatArray:
        """Return how many items are left of each of the next distinct scores (rows), by state.

        As floats, since sums over them are floats too. Beyond a window it may be any number: no
        score is eligible there.
        """
        tables, first = self._tables, states.first
        if self._single:  # one bit for each score: no need to look up where its bits are
            places = np.arange(width, dtype=np.uint64)[:, np.newaxis]
            return (~states.gone >> places & one).astype(np.float64)
        taken = states.gone >> tables.shift[:width].take(first, axis=1)
        taken &= tables.full[:width].take(first, axis=1)
        return np.asarray(tables.size[:width].take(first, axis=1) - taken)

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


def _merge(words: Words, base: int) -> tuple[IntArray, _States, IntArray]:
    """Return the order that sorts the words, the distinct states, and where each begins."""
    order = np.argsort(words, kind="stable")  # each column is sorted already, and timsort knows
    ordered = words[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    distinct = ordered[starts]
    ahead = distinct[0] >> WORD_BITS
    return order, _States(base + int(ahead), distinct - (ahead << WORD_BITS)), starts


@dataclass(frozen=True)
class _Tables:
    """What the expansion of a state looks up: row j, column f is for the j-th score from f on."""

    depth: FloatArray
    shift: Words
    item: Words
    size: FloatArray
    full: Words

    @classmethod
    def make(
        cls, values: FloatArray, sizes: IntArray, offset: IntArray, window: IntArray, eps: float
    ) -> _Tables:
        width = min(int(window.max()), WORD)
        first = np.arange(len(values))
        j = np.arange(width)[:, np.newaxis]
        inside = j < window
        score = np.where(inside, first + j, first)
        # Outside the window: too deep to be eligible, and nothing there to place.
        depth = (values[first] - values[score]) / effective_eps(eps, values)
        bits = np.diff(offset).astype(np.uint64)
        full = (one << bits) - one
        shift = np.minimum(offset[score] - offset[first], 63)
        return cls(
            np.where(inside, depth, 2.0),
            shift.astype(np.uint64),
            one << shift.astype(np.uint64),
            np.where(inside, sizes[score], 0).astype(np.float64),
            np.where(inside, full[score], 0).astype(np.uint64),
        )

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
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from steadyrank.errors import StateLimitError
from steadyrank.operators.inflation import effective_eps, eligible_columns
from steadyrank.operators.intervals import certain_gap
from steadyrank.operators.prefixes import ends_within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from steadyrank._typing import FloatArray, IntArray

Words: TypeAlias = "NDArray[np.uint64]"
one = np.uint64(1)

WORD = 57
"""Bits for what is gone; the other bits of a word tell the best score left, within a layer.

A window of scores that needs more bits has far more states than any limit allows.
"""

MAX_STATES = 10_000_000
"""How many states are visited before the search is given up, unless the caller says otherwise."""


@dataclass(frozen=True)
class Layer:
    """The edges between the states with t items placed and those with t + 1.

    Edge e leads from state ``source[e]`` of layer t to a state of layer t + 1 by placing one of
    ``ways[e]`` interchangeable items with the ``score[e]``-th best distinct score. Edges are sorted
    by target: those to state s of layer t + 1 are ``starts[s]`` to ``starts[s + 1] - 1``.
    """

    source: IntArray
    score: IntArray
    ways: IntArray
    starts: IntArray

    def targets(self) -> IntArray:
        """Return the state that each edge leads to."""
        lengths = np.diff(np.append(self.starts, len(self.source)))
        return np.repeat(np.arange(len(self.starts)), lengths)


@dataclass(frozen=True)
class _States:
    """States of one layer: the best distinct score left, and what is gone from there on."""

    first: IntArray
    gone: Words


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
        self.items = len(ranked)
        starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
        self.values = ranked[starts]
        self.sizes = np.diff(np.append(starts, len(ranked)))
        # The scores less than c below each one: only these can be touched before it is gone.
        ends = ends_within(self.values, len(self.values), certain_gap(self.values, eps))
        self._window = ends - np.arange(len(self.values))
        bits = np.array([int(size).bit_length() for size in self.sizes])
        self._offset = np.append(0, np.cumsum(bits))
        self._bits = self._offset[ends] - self._offset[:-1]
        self._tables = _Tables.make(self.values, self.sizes, self._offset, self._window, eps)

    def bound_log10(self) -> float:
        """Return the decimal logarithm of an upper bound of the number of states."""
        logs = np.append(0.0, np.cumsum(np.log10(self.sizes + 1.0)))
        first = np.arange(len(self.values))
        parts = logs[first + self._window] - logs[first]
        largest = float(parts.max())
        return largest + float(np.log10(np.sum(10.0 ** (parts - largest))))

    def most_ways(self) -> int:
        """Return the largest number of items that can be placed from or into one state."""
        items = np.append(0, np.cumsum(self.sizes))
        return int((items[np.arange(len(self.values)) + self._window] - items[:-1]).max())

    def layers(self, max_states: int = MAX_STATES) -> Iterator[Layer]:
        """Yield the layers in order; stop with an error after ``max_states`` states."""
        states = _States(np.zeros(1, np.int64), np.zeros(1, np.uint64))
        visited = 1
        for placed in range(self.items):
            too_wide = bool(self._bits[states.first].max() > WORD)
            if too_wide or visited > max_states:
                bound = self.bound_log10()
                raise StateLimitError(max_states, visited, placed, self.items, bound, too_wide=too_wide)
            layer, states = self._expand(states)
            visited += len(states.first)
            yield layer

    def _expand(self, states: _States) -> tuple[Layer, _States]:
        """Place every eligible item in every state, and merge the states that are equal."""
        tables, first = self._tables, states.first
        width = int(self._window[first].max())
        shift = tables.shift[:width, first]
        left = tables.size[:width, first] - (states.gone >> shift & tables.full[:width, first])
        depth = tables.depth[:width, first]
        chosen = [
            np.flatnonzero(eligible & (remaining > 0))
            for eligible, remaining in zip(eligible_columns(depth, left), left, strict=False)
        ]
        reached = [
            _States(first[edge], states.gone[edge] + (one << shift[j, edge]))
            for j, edge in enumerate(chosen)
        ]
        reached[0] = self._move_on(reached[0], left[:, chosen[0]])
        merged, order, starts = _merge(reached)
        source = np.concatenate(chosen)[order]
        score = np.concatenate([first[edge] + j for j, edge in enumerate(chosen)])[order]
        ways = np.concatenate([left[j][edge] for j, edge in enumerate(chosen)])[order]
        return Layer(source, score, ways.astype(np.int64), starts), merged

    def _move_on(self, states: _States, left: Words) -> _States:
        """Where the best score has just lost its last item, begin at the next with items left.

        ``left`` tells what was left before. Scores beyond the window are untouched, so the
        search ends there at the latest.
        """
        skip = self._window[states.first]
        for j in reversed(range(1, len(left))):
            skip = np.where((left[j] > 0) & (j < skip), j, skip)
        skip = np.where(left[0] == 1, skip, 0)
        first = states.first + skip
        drop = self._offset[first] - self._offset[states.first]
        return _States(first, states.gone >> np.minimum(drop, 63).astype(np.uint64))


def _merge(parts: list[_States]) -> tuple[_States, IntArray, IntArray]:
    """Return the distinct states, the order that sorts the given ones, and where each begins."""
    first = np.concatenate([part.first for part in parts])
    gone = np.concatenate([part.gone for part in parts])
    base = first.min()
    key = (first - base).astype(np.uint64) << np.uint64(WORD) | gone
    order = np.argsort(key, kind="stable")  # each part is sorted already, and timsort knows
    key = key[order]
    starts = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    merged = order[starts]
    return _States(first[merged], gone[merged]), order, starts


@dataclass(frozen=True)
class _Tables:
    """What the expansion of a state looks up: row j, column f is for the j-th score from f on."""

    depth: FloatArray
    shift: Words
    size: Words
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
            np.where(inside, sizes[score], 0).astype(np.uint64),
            np.where(inside, full[score], 0).astype(np.uint64),
        )

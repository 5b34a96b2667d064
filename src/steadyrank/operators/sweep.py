"""All states of a ranking set and the steps between them, found in one sweep over the scores.

Whether a score is eligible depends on the items left *above* it alone. So states need not be searched
for position by position: go through the distinct scores, best first, and let each state found so far
decide how many items of the next score are gone. None, always; some, if the score is eligible. If it is
not, no lower one is, and the state is complete. Every eligible score makes a new state, so that there
is about one test of eligibility for each state, not one for each score in its window.

The steps come the same way. If placing an item leads from p to q, and both lose as many items of a lower
score, it leads from the one result to the other; and p leads to p with one more of that score gone. So
each state knows all states that lead to it when it is made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
from steadyrank.operators.inflation import doubt, effective_eps, entered, reach
from steadyrank.operators.intervals import swap_ends

Words: TypeAlias = "NDArray[np.uint64]"
Places: TypeAlias = "NDArray[np.int32]"

FIRST, PLACED, NAME = range(3)
"""Of a state: its best score left, how many items are gone, and its number among the states with as many
gone."""

NUMBER, TOTAL, SQUARE, AT, LIMIT = range(5)
"""Sums over the items left, as in :mod:`steadyrank.operators.inflation`, the depth that they refer to,
and how deep eligibility reaches."""

SETTLED = 1 << 17
"""Scores looked at together where a boundary is too close for a shortcut."""


@dataclass(frozen=True)
class States:
    """The states of one layer."""

    first: Places
    """The best score left."""
    gone: Words
    """How many items of each score from there on are gone, packed into one word."""


@dataclass(frozen=True)
class Layer:
    """The edges between the states with t items placed and those with t + 1, by target."""

    source: Places
    """The state of layer t that each edge comes from."""
    number: IntArray
    """How many edges lead to each state of layer t + 1; none is without."""
    before: States
    after: States

    def target(self) -> IntArray:
        """Return the state of layer t + 1 that each edge leads to."""
        return np.repeat(np.arange(len(self.number)), self.number)

    def folds(
        self, along: Callable[[IntArray], AnyArray], join: np.ufunc, block: int
    ) -> Iterator[tuple[IntArray, AnyArray]]:
        """Join what ``along`` returns for the edges to each target; yield so many targets at once.

        The targets with most edges come first, so that the first edges of all, then the second ones of
        those that have two and so on are joined in one go each.
        """
        ranked = order_of(self.number.max() - self.number)
        begin = (np.cumsum(self.number) - self.number).take(ranked)
        longer = (len(ranked) - np.cumsum(np.bincount(self.number))).tolist()
        for start in range(0, len(ranked), block):
            edges = begin[start : start + block]
            folded = along(edges)
            for nth, targets in enumerate(longer[1:-1], 1):
                some = folded[: max(targets - start, 0)]
                if not len(some):
                    break
                join(some, along(edges[: len(some)] + nth), out=some)
            yield ranked[start : start + block], folded


def order_of(numbers: AnyArray) -> IntArray:
    """Return the order that sorts numbers from 0 on, equal ones as they stand.

    NumPy is fast where they fit two bytes, so that longer ones are sorted two bytes at a time.
    """
    largest = int(numbers.max())
    order = np.argsort(numbers.astype(np.uint8 if largest < 256 else np.uint16), kind="stable")
    return order.take(order_of((numbers >> 16).take(order))) if largest >> 16 else order


class DistinctScores:
    """The distinct values of descending scores, best first, and what the states look up about them.

    How many items of each score are gone in a state is packed into one 64-bit word that begins
    at the best score left.
    """

    @np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
    def __init__(self, ranked: FloatArray, eps: float) -> None:
        self.eps = eps
        self.begin = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
        self.values = ranked[self.begin]
        self.sizes = np.diff(np.append(self.begin, len(ranked)))
        self.tight = effective_eps(eps, self.values)
        # The scores less than c below each one: only these can be touched before it is gone.
        self.ends = swap_ends(self.values, eps)
        bits = np.array([int(size).bit_length() for size in self.sizes])
        offset = np.append(0, np.cumsum(bits))
        self.bits = offset[self.ends] - offset[:-1]
        self._offset = offset
        self._full = (np.uint64(1) << bits.astype(np.uint64)) - np.uint64(1)

    def shift(self, first: Places, score: AnyArray | int) -> Words:
        """Return where the bits of a score are in the words of states with this best score left."""
        return np.asarray(self._offset.take(score) - self._offset.take(first), dtype=np.uint64)

    def of_bit(self, first: Places, bit: Words) -> Places:
        """Return the score whose number of items gone this one bit of a word is the lowest bit of."""
        _, length = np.frexp(bit.astype(np.float64))
        place = self._offset.take(first) + length
        return np.searchsorted(self._offset, place, side="left").astype(np.int32) - np.int32(1)

    def left(self, score: AnyArray, first: Places, gone: Words) -> Places:
        """Return how many items of a score are left in states with this best score and word."""
        taken = gone >> self.shift(first, score) & self._full.take(score)
        return np.asarray(self.sizes.take(score) - taken.astype(np.int64), dtype=np.int32)

    def settled(self, score: int, first: Places, gone: Words) -> BoolArray:
        """Tell for states in doubt whether the score is eligible, by the rule itself."""
        above = first[:, np.newaxis] + np.arange(score - first.min())
        inside = above < score
        above = np.where(inside, above, first[:, np.newaxis])
        left = inside * self.left(above, first[:, np.newaxis], gone[:, np.newaxis])
        number = left.sum(axis=1) + 1
        best = self.values[first]
        below = np.full((len(first), int(number.max())), np.inf)
        known = np.arange(below.shape[1]) < number[:, np.newaxis] - 1
        below[known] = np.repeat(best[:, np.newaxis] - self.values[above], left.ravel())
        below[np.arange(len(first)), number - 1] = best - self.values[score]
        return np.asarray(entered(below, best, self.eps) == number)


class Sweep:
    """The states in which lower scores may still be eligible, and the layers that are complete.

    For each score in turn, :meth:`narrow` leaves out the states in which it is not eligible, and
    :meth:`widen` makes the new ones. The last state is always that with nothing left so far: it begins
    at the next score.
    """

    def __init__(self, scores: DistinctScores) -> None:
        self._scores = scores
        self._who = np.zeros((3, 1), dtype=np.int32)
        self._gone = np.zeros(1, dtype=np.uint64)
        self._sums = np.array([[0.0], [0.0], [0.0], [0.0], [np.inf]])
        # How many of the states here lead to each, and their places, one group after the other.
        self._number = np.zeros(1, dtype=np.int64)
        self._sources = np.zeros(0, dtype=np.int32)
        self._layer_sizes = np.zeros(int(scores.sizes.sum()) + 1, dtype=np.int64)
        self._layer_sizes[0] = 1
        self._made: defaultdict[int, list[tuple[AnyArray, ...]]] = defaultdict(list)
        self._before = States(self._who[FIRST].copy(), self._gone.copy())
        self._next_layer = 0

    def narrow(self, score: int) -> int:
        """Leave out the states in which the score is not eligible; return how many new ones it makes."""
        depth, eligible = self._decide(score)
        stay = self._narrow_sources(eligible)
        self._gone = self._gone.take(stay)
        self._who, self._sums = self._who.take(stay, axis=1), self._sums.take(stay, axis=1)
        self._depth, self._eligible = depth.take(stay), eligible.take(stay)
        return len(stay) * int(self._scores.sizes[score])

    def _decide(self, score: int) -> tuple[FloatArray, BoolArray]:
        """Return how deep the score lies in each state, and whether it is eligible."""
        scores, first = self._scores, self._who[FIRST]
        with np.errstate(over="ignore"):  # a distance that overflows is infinite, and far enough
            depth = (scores.values.take(first) - scores.values[score]) / scores.tight.take(first)
        slack = self._sums[LIMIT] - depth
        unsure = doubt(float(self._sums[NUMBER].max()), scores.eps)
        eligible = slack > unsure
        in_doubt = np.flatnonzero(np.abs(slack) <= unsure)
        in_doubt = in_doubt[scores.ends[first[in_doubt]] > score]
        items = int(scores.sizes[int(first.min()) : score + 1].sum())
        step = max(1, SETTLED // items)
        for start in range(0, len(in_doubt), step):
            some = in_doubt[start : start + step]
            eligible[some] = scores.settled(score, first[some], self._gone[some])
        return depth, eligible

    def _narrow_sources(self, staying: BoolArray) -> IntArray:
        """Keep which states that stay lead to which; return the states that stay.

        Where a state stays, so do those that it leads to, since an item once eligible stays so. Where
        rounding says otherwise, they stay without being able to place the score themselves.
        """
        ends, upto = np.cumsum(self._number), np.zeros(len(self._sources) + 1, dtype=np.int32)
        while True:
            goes_on = staying.take(self._sources)
            np.cumsum(goes_on, out=upto[1:])
            number = np.diff(upto.take(ends), prepend=0)
            if not number[~staying].any():
                break
            staying = staying | (number > 0)
        stay = np.flatnonzero(staying)
        place = np.empty(len(staying), dtype=np.int32)
        place[stay] = np.arange(len(stay))
        self._number = number.take(stay)
        self._sources = place.take(self._sources.compress(goes_on))
        return stay

    def widen(self, score: int) -> None:
        """Make the states in which items of the score are gone, block by block: none, one, two..."""
        size, n_states = int(self._scores.sizes[score]), len(self._gone)
        gone = np.arange(size + 1, dtype=np.int32)[:, np.newaxis]
        shift = self._scores.shift(self._who[FIRST], score)
        self._gone = (self._gone + (gone.astype(np.uint64) << shift)).ravel()
        who = np.repeat(self._who[:, np.newaxis], size + 1, axis=1)
        who[PLACED] += gone
        self._who = who.reshape(3, -1)
        self._who[FIRST, -1], self._gone[-1] = score + 1, 0
        self._sums = self._wider_sums(size)
        self._widen_sources(size)
        self._hand_over(n_states)

    def _widen_sources(self, size: int) -> None:
        """Add what leads to the new states: as before, in the same block, and one item less gone."""
        n_states, n_known = len(self._number), len(self._sources)
        able = np.flatnonzero(self._eligible)
        number = self._number + self._eligible
        own = np.cumsum(number).take(able) - 1
        others = np.ones(n_known + len(able), dtype=np.bool_)
        others[own] = False
        sources = np.empty(n_known + size * len(others), dtype=np.int32)
        sources[:n_known] = self._sources
        blocks = sources[n_known:].reshape(size, -1)
        blocks[0][others] = self._sources + np.int32(n_states)
        blocks[0][own] = able
        for block in range(1, size):
            np.add(blocks[0], np.int32(block * n_states), out=blocks[block])
        self._sources = sources
        self._number = np.concatenate([self._number, np.tile(number, size)])

    def _wider_sums(self, size: int) -> FloatArray:
        """Return the sums of the states in all blocks; the last has nothing to add."""
        number, total, square, at, _ = self._sums
        gap = self._depth - at
        grown = total + number * gap
        larger = square + gap * (grown + total)
        # A state once outside stays so: its sums are kept, and only gaps widen from there.
        inside = grown * grown + larger < 1
        sums = np.empty((5, size + 1, len(number)))
        sums[:, -1] = self._sums
        left = sums[:, :-1]
        left[NUMBER] = number + np.arange(size, 0.0, -1)[:, np.newaxis] * inside
        left[TOTAL] = np.where(inside, grown, total)
        left[SQUARE] = np.where(inside, larger, square)
        left[AT] = np.where(inside, self._depth, at)
        left[LIMIT] = reach(left[AT], left[NUMBER], left[TOTAL : SQUARE + 1])
        if not self._eligible.all():
            left[LIMIT, :, ~self._eligible] = -np.inf
        return sums.reshape(5, -1)

    def _hand_over(self, n_known: int) -> None:
        """Give the states after the known ones their numbers, and their layers what leads to them."""
        placed = self._who[PLACED, n_known:]
        start = int(placed.min())
        order = order_of(placed - start)
        states = order + n_known
        new = np.bincount(placed - start)
        stops = np.cumsum(new)
        known = self._layer_sizes[start : start + len(new)]
        self._who[NAME, states] = np.arange(len(states)) + np.repeat(known - stops + new, new)
        known += new
        number = self._number.take(states)
        edges = np.cumsum(number)
        begin = (np.cumsum(self._number) - self._number).take(states)
        cells = np.repeat((begin - edges + number).astype(np.int32), number)
        cells += np.arange(len(cells), dtype=np.int32)
        source = self._who[NAME].take(self._sources.take(cells))
        first, gone = self._who[FIRST].take(states), self._gone.take(states)
        state = edge = 0
        for layer, stop in enumerate(stops.tolist(), start):
            if stop > state:
                last = int(edges[stop - 1])
                made = (number[state:stop], source[edge:last], first[state:stop], gone[state:stop])
                self._made[layer].append(made)
                state, edge = stop, last

    def layers(self, upto: int | None = None) -> Iterator[Layer]:
        """Yield the layers that are complete: those up to that of any state that is still here."""
        upto = int(self._who[PLACED].min()) if upto is None else upto
        for layer in range(self._next_layer, upto):
            made = zip(*self._made.pop(layer + 1), strict=True)
            number, source, first, gone = (np.concatenate(part) for part in made)
            after = States(first, gone)
            yield Layer(source, number, self._before, after)
            self._before = after
        self._next_layer = upto

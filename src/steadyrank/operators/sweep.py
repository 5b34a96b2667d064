"""All states of a ranking set and the steps between them, found in one sweep over the scores.

Whether a score is eligible depends on the items left *above* it alone. So states need not be searched
for position by position: go through the distinct scores, best first, and let each state found so far
decide how many items of the next score are gone. None, always; some, if the score is eligible. If it is
not, no lower one is, and the state is complete. Every eligible score makes a new state, so that there
is about one test of eligibility for each state, not one for each score in its window.

The steps come the same way. If placing an item leads from p to q, and both lose as many items of a lower
score, it leads from the one result to the other; and p leads to p with one more of that score gone.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.operators.boundary import doubt, effective_eps
from steadyrank.operators.eligible_ranges import swap_ends
from steadyrank.operators.folds import Layer, order_of
from steadyrank.operators.inflation import entered, reach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
    from steadyrank.operators.folds import Places, Words

FIRST, PLACED, NAME, DEGREE = range(4)
"""Of a state: its best score left, how many items are gone, its number among the states with as many
gone, and how many scores are eligible. These are the first so many scores that have items left."""

NUMBER, TOTAL, SQUARE, AT, LIMIT = range(5)
"""Sums over the items left, as in :mod:`steadyrank.operators.inflation`, the depth that they refer to,
and how deep eligibility reaches."""

SETTLED = 1 << 17
"""Scores looked at together where a boundary is too close for a shortcut."""


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
        self._offset = offset.astype(np.uint64)
        self._full = (np.uint64(1) << bits.astype(np.uint64)) - np.uint64(1)

    def shift(self, first: Places, score: AnyArray | int) -> Words:
        """Return where the bits of a score are in the words of states with this best score left."""
        return np.asarray(self._offset.take(score) - self._offset.take(first))

    def left(self, first: Places, gone: Words, width: int) -> IntArray:
        """Return (states, width): how many items are left of each score from the best one on.

        Beyond what can be touched it may be any number.
        """
        score = np.minimum(first[:, np.newaxis] + np.arange(width), len(self.values) - 1)
        shift = np.minimum(self.shift(first[:, np.newaxis], score), np.uint64(63))
        taken = gone[:, np.newaxis] >> shift & self._full[score]
        return np.asarray(self.sizes[score] - taken.astype(np.int64))

    def settled(self, score: int, first: Places, gone: Words) -> BoolArray:
        """Tell for states in doubt whether the score is eligible, by the rule itself."""
        width = int(score - first.min())
        above = np.where(np.arange(width) < (score - first)[:, np.newaxis], 1, 0)
        above *= self.left(first, gone, width)
        number = above.sum(axis=1) + 1
        best = self.values[first]
        lower = np.minimum(first[:, np.newaxis] + np.arange(width), score)
        below = np.full((len(first), int(number.max())), np.inf)
        inner = np.arange(below.shape[1]) < number[:, np.newaxis] - 1
        below[inner] = np.repeat(best[:, np.newaxis] - self.values[lower], above.ravel())
        below[np.arange(len(first)), number - 1] = best - self.values[score]
        return np.asarray(entered(below, best, self.eps) == number)


class Sweep:
    """The states in which lower scores may still be eligible, and the layers that are complete.

    For each score in turn, :meth:`narrow` completes the states in which it is not eligible, and
    :meth:`widen` makes the new ones. The last state is always that with nothing left so far: it is the
    one that begins at the next score.
    """

    def __init__(self, scores: DistinctScores) -> None:
        self._scores = scores
        self._who = np.zeros((4, 1), dtype=np.int32)
        self._gone = np.zeros(1, dtype=np.uint64)
        self._sums = np.array([[0.0], [0.0], [0.0], [0.0], [np.inf]])
        # Row s: the places of the states that s leads to, the best score first, then its own place.
        self._targets = np.zeros((1, 1), dtype=np.int32)
        self._layer_sizes = np.zeros(int(scores.sizes.sum()) + 1, dtype=np.int64)
        self._layer_sizes[0] = 1
        self._complete: defaultdict[int, list[tuple[AnyArray, ...]]] = defaultdict(list)
        self._next_layer = 0

    def narrow(self, score: int) -> int:
        """Complete the states in which the score is not eligible; return how many new ones it makes."""
        self._who[FIRST, -1], self._gone[-1] = score, 0
        depth, eligible = self._decide(score)
        stay, place, targets = self._staying(eligible)
        self._finish(np.flatnonzero(place < 0))
        self._targets, self._gone = targets, self._gone.take(stay)
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

    def _staying(self, staying: BoolArray) -> tuple[IntArray, Places, Places]:
        """Return the states that stay, the place each state gets among them (or -1), and the targets.

        Where a state stays, so do those that it leads to, since an item once eligible stays so. Where
        rounding says otherwise, they stay without being able to place the score themselves.
        """
        while True:
            stay = np.flatnonzero(staying)
            place = np.full(len(staying), -1, dtype=np.int32)
            place[stay] = np.arange(len(stay), dtype=np.int32)
            led_to = self._targets.take(stay, axis=0)
            targets = place.take(led_to)
            if targets.min() >= 0:
                return stay, place, targets
            staying = staying.copy()
            staying[led_to] = True

    def widen(self, score: int) -> None:
        """Make the states in which items of the score are gone, block by block: none, one, two..."""
        size, n_states = int(self._scores.sizes[score]), len(self._gone)
        gone = np.arange(size + 1, dtype=np.int32)[:, np.newaxis]
        shift = self._scores.shift(self._who[FIRST], score)
        self._gone = (self._gone + (gone.astype(np.uint64) << shift)).ravel()
        self._targets = self._wider_targets(size)
        who = np.repeat(self._who[:, np.newaxis], size + 1, axis=1)
        who[PLACED] += gone
        who[DEGREE, :-1] += self._eligible
        self._who = who.reshape(4, -1)
        self._who[NAME, n_states:] = self._names(self._who[PLACED, n_states:])
        self._sums = self._wider_sums(size)

    def _wider_targets(self, size: int) -> Places:
        """Return the targets of the states in all blocks: those so far, and one item more gone."""
        n_states, width = self._targets.shape
        degree = self._who[DEGREE]
        wider = int(degree.max()) + 1
        shift = n_states * np.arange(size + 1, dtype=np.int32)[:, np.newaxis]
        targets = np.empty((size + 1, n_states, wider), dtype=np.int32)
        kept = targets[:, :, :width]
        np.add(self._targets[:, :wider], shift[:, :, np.newaxis], out=kept)
        own = np.arange(n_states, dtype=np.int32) + shift
        targets[:, :, width:] = own[:, :, np.newaxis]
        able = np.flatnonzero(self._eligible)
        cells = able * wider + degree.take(able)
        targets.reshape(size + 1, -1)[:-1, cells] = own[1:, able]
        return targets.reshape(-1, wider)

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
        left[LIMIT] = reach(left[AT], left[NUMBER], left[TOTAL], left[SQUARE])
        if not self._eligible.all():
            left[LIMIT, :, ~self._eligible] = -np.inf
        return sums.reshape(5, -1)

    def _names(self, placed: Places) -> Places:
        """Return the numbers of new states within their layers."""
        start = int(placed.min())
        new = np.bincount(placed - start)
        known = self._layer_sizes[start : start + len(new)]
        names = np.empty_like(placed)
        before = known - np.cumsum(new) + new
        names[order_of(placed - start)] = np.arange(len(placed)) + np.repeat(before, new)
        known += new
        return names

    def _finish(self, states: IntArray) -> None:
        """Hand states that are complete, and their edges, to their layers."""
        if not len(states):
            return
        placed = self._who[PLACED].take(states)
        start = int(placed.min())
        states = states.take(order_of(placed - start))
        who, gone = self._who.take(states, axis=1), self._gone.take(states)
        edges = np.cumsum(who[DEGREE])
        cells = np.repeat(states * self._targets.shape[1] - edges + who[DEGREE], who[DEGREE])
        cells += np.arange(len(cells))
        target = self._who[NAME].take(self._targets.take(cells))
        stops = np.cumsum(np.bincount(placed - start))
        state = edge = 0
        for layer, (stop, last) in enumerate(
            zip(stops.tolist(), edges.take(stops - 1).tolist(), strict=True), start
        ):
            if stop > state:
                self._complete[layer].append((who[:, state:stop], gone[state:stop], target[edge:last]))
            state, edge = stop, last

    def layers(self) -> Iterator[Layer]:
        """Yield the layers that have become complete."""
        upto = int(self._who[PLACED].min())
        for layer in range(self._next_layer, upto):
            who, gone, target = (
                np.concatenate(part, axis=-1) for part in zip(*self._complete.pop(layer), strict=True)
            )
            n_targets = int(self._layer_sizes[layer + 1])
            yield Layer(who[NAME], who[DEGREE], target, n_targets, who[FIRST], gone)
        self._next_layer = upto

    def end(self) -> None:
        """Complete all states but the last one, in which nothing is left."""
        self._finish(np.arange(len(self._gone) - 1))
        self._who = self._who[:, -1:]

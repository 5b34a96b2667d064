"""The layers of a graph, and sums over the paths through them in whole numbers of any size.

A number is a row of machine words, the lowest digits first, each digit with a fixed number of bits: to
add up numbers along edges is then to add up a few long rows. The bits that digits leave free take up the
carries of one layer. That takes a fraction of the time of as many Python integers.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from steadyrank._typing import AnyArray, IntArray

Words: TypeAlias = "NDArray[np.uint64]"
Digits: TypeAlias = "NDArray[np.uint64]"
Places: TypeAlias = "NDArray[np.int32]"

HELD = 32
"""Edges that are held back to be counted from the far end, as a multiple of those of one layer."""

BLOCK = 1 << 18
"""Words that are added up at once, few enough to stay near the processor."""


@dataclass(frozen=True)
class Layer:
    """The edges between the states with t items placed and those with t + 1.

    The edges of one state stand together, the best score that it may place first.
    """

    name: Places
    """The states of layer t, numbered from 0 on, in the order in which their edges stand."""
    degree: Places
    """How many edges each of them has."""
    target: Places
    """The state of layer t + 1 that each edge leads to."""
    n_targets: int
    first: Places
    """The best score left in each state of layer t."""
    gone: Words
    """How many items of each score from there on are gone, packed into one word."""

    def source(self) -> Places:
        """Return the state that each edge comes from."""
        return np.repeat(self.name, self.degree)


def order_of(numbers: AnyArray) -> IntArray:
    """Return the order that sorts numbers from 0 on, equal ones as they stand.

    NumPy is fast where they fit two bytes, so that longer ones are sorted two bytes at a time.
    """
    largest = int(numbers.max())
    order = np.argsort(numbers.astype(np.uint8 if largest < 256 else np.uint16), kind="stable")
    return order.take(order_of((numbers >> 16).take(order))) if largest >> 16 else order


class Groups:
    """Edges in groups, the largest group first.

    So the first edges of all groups, then the second ones of those that have two and so on are
    folded in one go each.
    """

    def __init__(self, begin: IntArray, number: IntArray, order: IntArray | None = None) -> None:
        self._ranked = order_of(number.max() - number)
        self._begin, self._order = begin.take(self._ranked), order
        self._longer = (len(number) - np.cumsum(np.bincount(number))).tolist()

    @classmethod
    def of(cls, group: AnyArray, n_groups: int) -> Groups:
        """Return the edges by the group that each belongs to."""
        number = np.bincount(group, minlength=n_groups)
        return cls(np.cumsum(number) - number, number, order_of(group))

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self._ranked)

    def folds(
        self, along: Callable[[IntArray], AnyArray], join: np.ufunc, block: int
    ) -> Iterator[tuple[IntArray, AnyArray]]:
        """Join what ``along`` returns for the edges of each group; yield so many groups at once."""
        for start in range(0, len(self), block):
            begin = self._begin[start : start + block]
            folded = along(self._edges(begin))
            for number, longer in enumerate(self._longer[1:-1], 1):
                some = folded[: max(longer - start, 0)]
                if not len(some):
                    break
                join(some, along(self._edges(begin[: len(some)] + number)), out=some)
            yield self._ranked[start : start + block], folded

    def _edges(self, places: IntArray) -> IntArray:
        return places if self._order is None else self._order.take(places)


class Exact:
    """Whole numbers as rows of digits of so few bits that ``terms`` of them can be added up."""

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

    def sums(
        self, groups: Groups, along: Callable[[IntArray], Digits], shape: tuple[int, ...]
    ) -> Digits:
        """Return the sums over groups of numbers with room, digits of this shape along each edge."""
        sums = np.empty((len(groups), *shape), dtype=np.uint64)
        for some, folded in groups.folds(along, np.add, 1 + BLOCK // math.prod(shape)):
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


class PathCount:
    """How many paths lead from a single state to a single state.

    Counts grow longer layer by layer. So later layers are held back, as many as take about the memory
    that one step takes, and are counted from the far end: the counts of both ends stay shorter.
    """

    def __init__(self, terms: int) -> None:
        self._exact = Exact(terms)
        self._held: deque[tuple[Layer, Places | None]] = deque()
        self._n_held = self._widest = 0
        self._counts = np.ones((1, 1), dtype=np.uint64)

    def add(self, layer: Layer, ways: Places | None, *, late: bool) -> None:
        """Go on by one layer, with so many ways along each edge (None: one)."""
        slim = replace(layer, first=np.empty(0, np.int32), gone=np.empty(0, np.uint64))
        self._held.append((slim, ways))
        self._n_held += len(layer.target)
        self._widest = max(self._widest, len(layer.target))
        while self._held and (not late or self._n_held > HELD * self._widest):
            early, its_ways = self._held.popleft()
            self._n_held -= len(early.target)
            groups = Groups.of(early.target, early.n_targets)
            self._counts = self._step(self._counts, groups, early.source(), its_ways)

    def _step(self, counts: Digits, groups: Groups, other_end: Places, ways: Places | None) -> Digits:
        counts = self._exact.with_room(counts)

        def along(edges: IntArray) -> AnyArray:
            values = counts.take(other_end.take(edges), axis=0)
            return values if ways is None else values * ways[edges, np.newaxis].astype(np.uint64)

        return self._exact.sums(groups, along, counts.shape[1:])

    def number(self) -> int:
        """Return the number of paths."""
        onward = np.ones((1, 1), dtype=np.uint64)
        for layer, ways in reversed(self._held):
            begin, number = np.empty((2, len(layer.name)), dtype=np.int64)
            begin[layer.name] = np.cumsum(layer.degree) - layer.degree
            number[layer.name] = layer.degree
            onward = self._step(onward, Groups(begin, number), layer.target, ways)
        return int(np.dot(self._exact.numbers(self._counts), self._exact.numbers(onward)))

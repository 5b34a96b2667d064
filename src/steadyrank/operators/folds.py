"""The layers of a graph, and sums over the paths through them in whole numbers of any size.

A number is a row of machine words, the lowest digits first, each digit with a fixed number of bits: to
add up numbers along edges is then to add up a few long rows. The bits that digits leave free take up the
carries of one layer. That takes a fraction of the time of as many Python integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from steadyrank._typing import AnyArray, IntArray

Words: TypeAlias = "NDArray[np.uint64]"
Digits: TypeAlias = "NDArray[np.uint64]"
Places: TypeAlias = "NDArray[np.int32]"

BLOCK = 1 << 20
"""Words that are added up at once, few enough to stay near the processor."""


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

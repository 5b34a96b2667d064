"""Folding over the edges of a layer: sums of whole numbers of any size, and largest ones.

A number is a row of machine words, the lowest digits first, each digit with a fixed number of bits: a
sum over edges is then a few additions of long rows. The bits that digits leave free take up
the carries of one layer. That takes a fraction of the time of as many Python integers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from steadyrank._typing import AnyArray, IntArray

Digits: TypeAlias = "NDArray[np.uint64]"


def order_of(numbers: AnyArray) -> IntArray:
    """Return the order that sorts numbers from 0 on; NumPy is fast where they fit a short type."""
    return np.argsort(numbers.astype(np.min_scalar_type(int(numbers.max()))), kind="stable")


class ByTarget:
    """The edges of a layer by target, the targets with most edges first.

    So the first edges of all targets, then the second ones of those that have two and so on are
    added in one go each. ``place`` tells where each target stands in the results.
    """

    def __init__(self, target: IntArray, n_targets: int) -> None:
        number = np.bincount(target, minlength=n_targets)
        ranked = order_of(number.max() - number)
        self.place = np.empty(n_targets, dtype=np.int64)
        self.place[ranked] = np.arange(n_targets)
        self._order = order_of(target)
        self._begin = (np.cumsum(number) - number).take(ranked)
        self._with_more = (n_targets - np.cumsum(np.bincount(number))).tolist()

    def fold(self, along: Callable[[IntArray], AnyArray], join: np.ufunc = np.add) -> AnyArray:
        """Join what ``along`` returns for the edges to each target."""
        folded = along(self._order.take(self._begin))
        for number, targets in enumerate(self._with_more[1:-1], 1):
            some = folded[:targets]
            join(some, along(self._order.take(self._begin[:targets] + number)), out=some)
        return folded


class Exact:
    """Whole numbers as rows of digits of so few bits that ``terms`` of them can be added up."""

    def __init__(self, terms: int) -> None:
        self._bits = 63 - terms.bit_length()

    def of(self, *numbers: int) -> Digits:
        """Return small numbers as one digit each."""
        return np.array(numbers, dtype=np.uint64)[:, np.newaxis]

    def carried(self, digits: Digits) -> Digits:
        """Return the same numbers with digits that leave room for the next sum."""
        bits = np.uint64(self._bits)
        carry = digits >> bits
        if carry[..., -1].any():
            longer = (*digits.shape[:-1], 1)
            digits = np.concatenate([digits, np.zeros(longer, dtype=np.uint64)], axis=-1)
        digits[..., : carry.shape[-1]] &= (np.uint64(1) << bits) - np.uint64(1)
        digits[..., 1:] += carry[..., : digits.shape[-1] - 1]
        return digits

    def number(self, digits: Digits) -> int:
        """Return the Python integer that one row of digits stands for."""
        return sum(digit << self._bits * place for place, digit in enumerate(digits.tolist()))

"""How few units must leave before one item passes another: what is known about pairs of items.

Every question of that kind (does the top k change, does an item enter it, does a ranking hold) comes
down to pairs: one item that is *ahead* and one that is *behind*. Of a pair two things are known: a
certified number of units below which nothing can happen, and in which order units should leave to make
it happen. Whether it does happen is never taken from here: who asks removes the units and scores anew.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from steadyrank.scorers.base import LeaveOneOut, gaps_without, turning
from steadyrank.sums.blocks import slices

if TYPE_CHECKING:
    from collections.abc import Callable

    from steadyrank._typing import IntArray

    Pairs = list[tuple[int, int]]
    """Pairs of items: the one ahead, the one behind."""

MANY = 1 << 62
"""More units than there ever are."""

ROOM = 1 << 20
"""How many numbers are sorted at a time: 8 MB."""


@dataclass(frozen=True)
class Removal:
    """Units in the order in which they should leave for one item to pass another.

    Parameters
    ----------
    units, copies : int arrays
        Distinct units, and how many of each may leave, first the most effective.
    """

    units: IntArray
    copies: IntArray

    @property
    def largest(self) -> int:
        """How many units may leave in all."""
        return int(self.copies.sum())

    def first(self, number: int, distinct: int) -> IntArray:
        """Return how many of each of all distinct units leave when ``number`` do."""
        before = np.cumsum(self.copies) - self.copies
        leaving = np.clip(number - before, 0, self.copies)
        return np.bincount(self.units, leaving, minlength=distinct).astype(np.int64)


class PairMargins(ABC):
    """What is known about pairs of items when units leave.

    Items are given by index. ``ahead`` is above ``behind`` in the plain ranking of all the data; the
    smaller index is above where scores are equal, and so it is once units are gone.

    Attributes
    ----------
    rule : str
        What the numbers rest on, in a few words.
    certified : bool
        Whether the numbers say anything beyond one unit: only then can a list hold against several.
    """

    rule: str
    certified: ClassVar[bool] = True

    def at_least(
        self,
        ahead: IntArray,
        behind: IntArray,
        *,
        most: int = MANY,  # noqa: ARG002 (some stop there)
        closely: bool = False,
    ) -> IntArray:
        """Return for many pairs a number of units below which the order holds for certain: quickly.

        Numbers beyond ``most`` need not be told apart. ``closely``: the units are looked at, as far as
        that takes no longer than leaving each out.
        """
        found = self._quick(ahead, behind)
        return np.maximum(found, self._closely(ahead, behind)) if closely else found

    @abstractmethod
    def _quick(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Return such a number without a look at the units."""

    def _closely(self, ahead: IntArray, behind: IntArray) -> IntArray | int:  # noqa: ARG002 (some know)
        """Return such a number from what the units say."""
        return 1

    def fewest(self, pairs: Pairs, most: int = MANY) -> list[int]:
        """Return the best such number of each pair; that of all units where its order always holds.

        Numbers beyond ``most`` need not be told apart.
        """
        ahead, behind = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        found: list[int] = self.at_least(
            ahead, behind, most=most, closely=True
        ).tolist()
        return found

    @abstractmethod
    def remove(self, ahead: int, behind: int) -> Removal:
        """Return the units to remove, the most effective first."""


def in_parts(
    look: Callable[[IntArray, IntArray], IntArray],
    ahead: IntArray,
    behind: IntArray,
    width: int,
) -> IntArray:
    """Look at so many pairs at a time as there is room for, with so many numbers of each."""
    found = [
        look(ahead[part], behind[part]) for part in slices(len(ahead), ROOM, width)
    ]
    return np.concatenate([np.empty(0, dtype=np.int64), *found])


@dataclass(eq=False)
class LeftOutMargins(PairMargins):
    """Margins of any scorer, from its scores without each unit.

    Whether one unit suffices is known exactly, so two are certified where it does not; nothing is
    known about more. The units whose leaving narrows the gap most go first.
    """

    rule = "at least 2 where no single unit does it; units that narrow the gap most are removed first"
    certified = False

    out: LeaveOneOut

    def _quick(self, ahead: IntArray, behind: IntArray) -> IntArray:  # noqa: ARG002
        """Return 1: a better answer takes a pass over the units."""
        return np.ones(len(ahead), dtype=np.int64)

    def _closely(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Return 1 for pairs that some unit alone turns, else 2, unless that is everybody."""
        alone = np.zeros(len(ahead), dtype=np.bool_)
        for _, turned in turning(self.out, ahead, behind):
            alone |= turned.any(axis=0)
        return np.where(alone, 1, min(2, self.out.units.total))

    def remove(self, ahead: int, behind: int) -> Removal:
        """Put the units first without which the gap is smallest."""
        gaps = gaps_without(
            self.out, ahead, behind, nearly=True
        )  # what they do will be seen
        scores = self.out.scores
        helpful = np.flatnonzero(gaps < scores[ahead] - scores[behind])
        order = helpful[np.argsort(gaps[helpful], kind="stable")]
        return Removal(order, self.out.units.counts[order])


def last_true(holds: Callable[[int], bool], most: int, first: int = 1) -> int:
    """Return the last number up to which something holds, asked from ``first`` on; one less if never.

    Examples
    --------
    >>> last_true(lambda number: number < 700, 1000), last_true(lambda number: True, 5)
    (699, 5)
    """
    known, asked = first - 1, first
    while asked <= most and holds(asked):
        known, asked = asked, min(2 * asked, most) if asked < most else most + 1
    while asked - known > 1:
        middle = (known + asked) // 2
        known, asked = (middle, asked) if holds(middle) else (known, middle)
    return known

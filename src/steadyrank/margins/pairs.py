"""How few units must leave before one item passes another: what a scorer knows beyond one unit.

Every question of that kind (does the top k change, does an item enter it, does a ranking hold) comes
down to pairs: one item that is *ahead* and one that is *behind*. A scorer answers two questions about a
pair: a certified number of units below which nothing can happen, and in which order units should leave
to make it happen. Whether it does happen is never taken from here: who asks removes the units and
scores anew.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from steadyrank.errors import InvalidSettingError
from steadyrank.scorers.base import gaps_without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.margins.added import Favour
    from steadyrank.scorers.base import LeaveOneOut

    OnePair = tuple[int, tuple[int, int]]
    """A pair (ahead, behind) after a number of units below which it holds."""
    Bounded = list[OnePair]

MANY = 1 << 62
"""No more units than this are ever added."""

SURELY = 1 + 1e-12
"""Makes a lead larger than what rounding of it amounts to."""


@dataclass(frozen=True)
class Attack:
    """Units in the order in which they should leave for one item to pass another.

    Parameters
    ----------
    units, copies : int arrays
        Distinct units, and how many of each may leave, first the most effective.
    favour : Favour, optional
        A unit that is added for each that leaves; where none leave, as often as is asked for.
    """

    units: IntArray
    copies: IntArray
    favour: Favour | None = None

    @property
    def largest(self) -> int:
        """How many units may leave, or be added, in all."""
        return MANY if self.favour is not None and not len(self.units) else int(self.copies.sum())

    def first(self, number: int, distinct: int) -> IntArray:
        """Return how many of each of all distinct units leave when ``number`` do."""
        before = np.cumsum(self.copies) - self.copies
        leaving = np.clip(number - before, 0, self.copies)
        return np.bincount(self.units, leaving, minlength=distinct).astype(np.int64)


class Contests(ABC):
    """What a scorer knows about pairs of items when units leave.

    Items are given by index. ``ahead`` is above ``behind`` in the plain ranking of all the data; the
    smaller index is above where scores are equal, and so it is once units are gone.

    Attributes
    ----------
    rule : str
        What the numbers rest on, in a few words.
    assumed : tuple of str
        What is taken for granted, in plain words.
    dear : bool
        Whether scoring anew may take long, so that it is not done unless asked for.
    several : bool
        Whether the numbers say anything beyond one unit: only then can a list hold against several.
    slow : bool
        Whether the best number for a pair takes long, so that views are content with the quick one.
    """

    rule: str
    dear: ClassVar[bool] = False
    assumed: ClassVar[tuple[str, ...]] = ()
    several: ClassVar[bool] = False
    slow: ClassVar[bool] = False

    @abstractmethod
    def at_least(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Return for many pairs a number of units below which the order holds for certain: quickly."""

    def lower(self, ahead: int, behind: int) -> int:
        """Return the best such number for one pair; that of all units where it always holds."""
        return int(self.at_least(np.array([ahead]), np.array([behind]))[0])

    @abstractmethod
    def attack(self, ahead: int, behind: int) -> Attack:
        """Return the units to remove, the most effective first."""

    def gain(self, removals: int, ahead: int, behind: int, upto: float) -> float:  # noqa: ARG002
        """Return a lead of the one behind, 0 or more, that no removal of at most so many units exceeds.

        Leads from ``upto`` on need not be told apart. Where nothing is known, infinity is never wrong.
        """
        return math.inf

    def spans(self, removals: int) -> tuple[FloatArray, FloatArray] | None:  # noqa: ARG002 (some know)
        """Return scores that no item falls below or rises above when so many units leave: quickly."""
        return None

    def lower_upto(self, ahead: int, behind: int, most: int) -> int | None:  # noqa: ARG002 (some stop)
        """Return that number, or None where it is larger than ``most`` and nobody worked it out."""
        return self.lower(ahead, behind)

    def runs(self, pairs: Iterable[OnePair]) -> Iterator[Bounded]:
        """Cut pairs into runs that are asked about together, and get what is needed for each."""
        return ([pair] for pair in pairs)

    def stuffed(self, *, changing: bool) -> Contests:  # noqa: ARG002 (others tell them apart)
        """Return the same questions about units that are added, or that change."""
        raise InvalidSettingError(
            "nothing bounds what a unit that is added or changed could do to these scores",
            way_out="Ask about units that leave.",
        )


class SharedContests(Contests):
    """Contests of means over one and the same number of units, or of rows.

    Write d for what a unit gives to the item ahead minus what it gives to the one behind. As both
    sums are over the same number, the order turns exactly when the d that are left sum to less than 0
    (or to 0 where the one behind has the smaller index), and taking away the largest d is best. So the
    numbers are exact.
    """

    rule = "exact: the units that favour the leader most leave first"
    several = True

    rounding: float = 0.0
    """What sums of d may be off by; 0 where they are whole numbers."""

    def __init__(self, counts: IntArray, divisor: float) -> None:
        """Take how often each distinct unit occurs, and what turns sums of d into scores."""
        self.counts = counts
        self.total = int(counts.sum())
        self.divisor = divisor

    @abstractmethod
    def gaps(self, ahead: IntArray, behind: IntArray) -> FloatArray | IntArray:
        """Return the sums of d."""

    @abstractmethod
    def most(self, ahead: IntArray, behind: IntArray) -> FloatArray | IntArray:
        """Return something that no d exceeds."""

    @abstractmethod
    def differences(self, ahead: int, behind: int) -> tuple[IntArray, FloatArray | IntArray]:
        """Return the units that may have a d other than 0, and their d."""

    def sizes(self) -> FloatArray | IntArray:
        """Return what each distinct unit takes off the divisor."""
        return np.full(len(self.counts), self.divisor / self.total)

    def contributions(self, one: int, other: int) -> FloatArray:
        """Return what each distinct unit adds to the gap of the scores: its d, over the divisor.

        Let the value of a set of units be the sum of their d. Whoever joined before, a unit adds its d,
        so that this is its Shapley value, and those of all units add up to the gap.
        """
        units, given = self.differences(one, other)
        found = np.zeros(len(self.counts))
        found[units] = given
        return found / self.divisor

    def at_least(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Divide the gap by the most that one unit takes out of it."""
        gap, most = self.gaps(ahead, behind) - self.rounding, self.most(ahead, behind)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            needed = np.where(most > 0, np.ceil(gap / most * (1 - 1e-12)), self.total)
        return np.clip(needed, 1, self.total).astype(np.int64)

    def lower(self, ahead: int, behind: int) -> int:
        """Count the units whose d, the largest first, use the gap up."""
        _, given, copies = self._favouring(ahead, behind)
        gap = self.gaps(np.array([ahead]), np.array([behind]))[0] - self.rounding
        closes = np.greater if ahead < behind and not self.rounding else np.greater_equal
        upto = np.cumsum(given * copies)
        last = int(np.argmax(np.append(closes(upto, gap), True)))
        if last == len(given):
            return self.total
        before = int(copies[:last].sum())
        left, each = gap - (upto[last] - given[last] * copies[last]), given[last]
        if left <= 0:  # within rounding
            return before + 1
        more = int(copies[last] if left >= each * copies[last] else left // each)
        return max(1, before + (more if more and closes(more * each, left) else more + 1))

    def gain(self, removals: int, ahead: int, behind: int, upto: float) -> float:  # noqa: ARG002
        """Raise a lead t to what the units with the largest ``d + t * size`` leave, until it stays.

        A set of units leaves more than t exactly if its ``d + t * size`` sum to more than the gap plus t
        times the divisor: where the largest do not, t is the most, and else they leave more.
        """
        units, given = self.differences(ahead, behind)
        copies = np.minimum(self.counts, removals)
        favour = np.repeat(np.bincount(units, given, minlength=len(self.counts)), copies)
        taken = np.repeat(self.sizes(), copies)
        gap = self.gaps(np.array([ahead]), np.array([behind]))[0] - self.rounding
        lead, reached = -1.0, 0.0
        while reached > lead:
            lead = reached
            worth = favour + lead * taken
            best = np.argpartition(-worth, removals - 1)[:removals]
            best = best[worth[best] > 0]
            left = self.divisor - taken[best].sum()
            if left <= 0:  # whoever is left has no weight
                return math.inf
            reached = float((favour[best].sum() - gap) / left)
        return lead * SURELY

    def attack(self, ahead: int, behind: int) -> Attack:
        """Take the largest d away first."""
        units, _, copies = self._favouring(ahead, behind)
        return Attack(units, copies)

    def _favouring(self, ahead: int, behind: int) -> tuple[IntArray, FloatArray | IntArray, IntArray]:
        """Return the units with a positive d, the largest first, their d and their numbers."""
        units, given = self.differences(ahead, behind)
        favours: BoolArray = given > 0
        units, given = units[favours], given[favours]
        order = np.argsort(-given, kind="stable")
        return units[order], given[order], self.counts[units[order]]


def smallest(possible: Callable[[int], bool], most: int) -> int | None:
    """Return the smallest number that is possible, if one up to ``most`` is; larger ones then are."""
    if not possible(most):
        return None
    failed, number = 0, 1
    while not possible(number):
        failed, number = number, min(2 * number, most)
    while number - failed > 1:
        middle = (failed + number) // 2
        failed, number = (failed, middle) if possible(middle) else (middle, number)
    return number


def narrowed(possible: Callable[[float], bool], reached: float, beyond: float, halvings: int) -> float:
    """Return the upper end of the interval that the largest possible number lies in, halved so often."""
    for _ in range(halvings):
        middle = (reached + beyond) / 2
        reached, beyond = (middle, beyond) if possible(middle) else (reached, middle)
    return beyond


@dataclass(eq=False)
class LeftOutContests(Contests):
    """Contests of any scorer, from its scores without each unit.

    Whether one unit suffices is known exactly, so two are certified where it does not; nothing is
    known about more. The units whose leaving narrows the gap most go first.
    """

    rule = "at least 2 where no single unit does it; units that narrow the gap most leave first"
    dear = True
    assumed: ClassVar[tuple[str, ...]] = ("beyond one unit nothing bounds the number from below",)

    out: LeaveOneOut

    def at_least(self, ahead: IntArray, behind: IntArray) -> IntArray:  # noqa: ARG002
        """Return 1: a better answer takes a pass over the units."""
        return np.ones(len(ahead), dtype=np.int64)

    def lower(self, ahead: int, behind: int) -> int:
        """Return 1 where some unit alone turns the order, else 2."""
        gaps = gaps_without(self.out, ahead, behind)
        turned = gaps <= 0 if behind < ahead else gaps < 0
        return 1 if turned.any() else 2

    def attack(self, ahead: int, behind: int) -> Attack:
        """Put the units first without which the gap is smallest."""
        gaps = gaps_without(self.out, ahead, behind, nearly=True)  # what they do will be seen
        scores = self.out.scores
        helpful = np.flatnonzero(gaps < scores[ahead] - scores[behind])
        order = helpful[np.argsort(gaps[helpful], kind="stable")]
        return Attack(order, self.out.units.counts[order])

"""Margins when units are added, as in ballot stuffing, or replaced by others.

What a unit can say is bounded: a vote goes to one item, a ballot gives one item the most points and
another the fewest, values have a stated range. So there is a unit that serves best to lift one item over
another, and as many of it as are needed are added, or put in the places of those that leave.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import InvalidSettingError, Option
from steadyrank.margins.bradley_terry import BradleyTerryMargins
from steadyrank.margins.pairs import MANY, Favour, PairMargins, Removal
from steadyrank.margins.ratios import RatioMargins
from steadyrank.margins.sums import PointMargins, RowMargins, SumMargins
from steadyrank.sums.exact import EXACT

if TYPE_CHECKING:
    from steadyrank._typing import BoolArray, FloatArray, IntArray

    Ends = tuple[float | None, float | None]
    """The least and the largest value that a unit can give; None where it gives points."""

MOST_ADDED = 1 << 40
"""No more units than this are ever added: what so many give is still a 64-bit number."""

STATED = "NAME:value_range=LOWEST..HIGHEST"
"""How a range of values is stated, wherever a scorer is named."""

NOBODY = Removal(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
"""None of the units leaves."""


@dataclass(frozen=True)
class NewValues:
    """The values that a unit could give which was not there; the scale makes sums of them whole."""

    value_range: tuple[float, float] | None
    scale: float
    whole: bool
    grouped: bool

    def stated(self) -> tuple[float, float]:
        """Return the range as it was stated, or complain that nothing bounds what units could say."""
        if self.grouped:
            raise any_size("rows")
        if self.value_range is None:
            raise InvalidSettingError(
                "nothing says which values a unit could give that is added or changed",
                way_out=["If the scorer has it, state it with ", Option("scorer", STATED)],
            )
        return self.value_range

    def scaled(self) -> tuple[float, float]:
        """Return the range in the unit of the sums."""
        low, high = self.stated()
        return low * self.scale, high * self.scale


def any_size(members: str) -> InvalidSettingError:
    """Return the error about units that nobody bounds, since they are not there."""
    return InvalidSettingError(
        f"a group that is added or changed could hold any number of {members}, a unit have any weight",
        way_out="Ask about units that leave, or read the data without weights and groups.",
    )


def with_new_units(known: PairMargins, *, changing: bool) -> PairMargins:
    """Return what is known about pairs when units are added, or change, from when they leave."""
    if isinstance(known, PointMargins):
        if known.widest is None:
            raise any_size("people")
        return NewInSums(known, known.widest, changing=changing)
    if isinstance(known, RowMargins):
        low, high = known.new.scaled()
        return NewInSums(known, high - low, known.new.stated(), changing=changing)
    if isinstance(known, RatioMargins):
        if changing:
            others = "" if known.new.grouped else ", or that are added"
            raise InvalidSettingError(
                "how many units must change is not known where units have values of some items only",
                way_out=f"Ask about units that leave{others}.",
            )
        return NewInRatios(known)
    if isinstance(known, BradleyTerryMargins):
        if not known.plain:
            raise any_size("battles")
        return NewBattles(known, changing)
    raise InvalidSettingError(
        "nothing bounds what a unit that is added or changed could do to these scores",
        way_out="Ask about units that leave.",
    )


class NewInSums(SumMargins):
    """Margins of means over one number of units, to which some are added or in which some change.

    Parameters
    ----------
    inner : SumMargins
        The same when units leave.
    widest : number
        The most that a unit can give to one item beyond what it gives to another.
    ends : (float, float) or (None, None)
        The least and the largest value that a unit can give, where it gives values.
    changing : bool
        Whether units that were there make room.
    """

    sizes = None

    def __init__(
        self, inner: SumMargins, widest: float, ends: Ends = (None, None), *, changing: bool
    ) -> None:
        super().__init__(inner.counts if changing else np.array([MOST_ADDED]), inner.divisor)
        self._inner, self._widest, self._ends, self._changing = inner, widest, ends, changing
        self.rounding = inner.rounding
        self.rule = "exact: " + (
            "the units that favour the leader most change to favour its rival"
            if changing
            else "all units that are added favour the rival as much as a unit can"
        )

    def gaps(self, ahead: IntArray, behind: IntArray) -> FloatArray | IntArray:
        """Return the differences of the sums."""
        return self._inner.gaps(ahead, behind)

    def most(self, ahead: IntArray, behind: IntArray) -> FloatArray | IntArray:
        """Return something that no unit takes out of a gap and puts into it exceeds."""
        leaving = self._inner.most(ahead, behind) if self._changing else np.zeros(len(ahead))
        return np.asarray(leaving + self._widest)

    def differences(self, ahead: IntArray, behind: IntArray) -> FloatArray | IntArray:
        """Return what each unit does that changes, or the one that is added."""
        if not self._changing:
            return np.full((1, len(ahead)), self._widest)
        return np.asarray(self._inner.differences(ahead, behind) + self._widest)

    def remove(self, ahead: int, behind: int) -> Removal:
        """Return those that make room, and the unit that is put in."""
        gone = super().remove(ahead, behind) if self._changing else NOBODY
        return replace(gone, favour=Favour(ahead, behind, *self._ends))


class NewInRatios(PairMargins):
    """Margins of sums over counts, when units with values in a range are added.

    A new unit gives the item behind the highest value and the one ahead the lowest, unless that would
    do the opposite: scores that shrinkage holds outside the range come nearer to it with every value.

    Parameters
    ----------
    inner : RatioMargins
        The same when units leave.
    """

    rule = "exact: all units that are added favour the rival as much as a unit can"

    def __init__(self, inner: RatioMargins) -> None:
        self._scores, self._denominators, new = inner.scores, inner.denominators, inner.new
        self._ends, self._stated = new.scaled(), new.stated()
        self._whole = new.whole and all(float(end).is_integer() for end in self._ends)

    def at_least(
        self,
        ahead: IntArray,
        behind: IntArray,
        *,
        most: int = MANY,  # noqa: ARG002 (all are told apart)
        closely: bool = False,  # noqa: ARG002 (it is exact)
    ) -> IntArray:
        """Find the number at which the scores meet, by halving."""
        failed, number = np.zeros(len(ahead), dtype=np.int64), np.full(len(ahead), MOST_ADDED)
        while (number - failed > 1).any():
            middle = (failed + number) // 2
            met = self._met(ahead, behind, middle)
            failed, number = np.where(met, failed, middle), np.where(met, middle, number)
        return number

    def _met(self, ahead: IntArray, behind: IntArray, number: IntArray) -> BoolArray:
        low, high = self._ends
        down, over = self._with(ahead, np.where(self._scores[ahead] > low, number, 0), low)
        up, under = self._with(behind, np.where(self._scores[behind] < high, number, 0), high)
        # Cross products, which are exact where sums are whole; what rounding decides is tried.
        more, less = up * over, down * under
        size = np.abs(more) + np.abs(less)
        slack = np.where(self._whole & (size < EXACT), 0.0, 1e-12 * size)
        return np.asarray((more - less > -slack) | ((more == less) & (behind < ahead)))

    def _with(self, items: IntArray, number: IntArray, value: float) -> tuple[FloatArray, FloatArray]:
        """Return the sums and denominators of items with so many more values, all the same."""
        below = self._denominators[items]
        sums = self._scores[items] * below
        return (np.rint(sums) if self._whole else sums) + number * value, below + number

    def remove(self, ahead: int, behind: int) -> Removal:
        """Return the unit that is added, with the values that help."""
        low = self._stated[0] if self._scores[ahead] > self._ends[0] else None
        high = self._stated[1] if self._scores[behind] < self._ends[1] else None
        return replace(NOBODY, favour=Favour(ahead, behind, low, high))


@dataclass(frozen=True)
class NewBattles(PairMargins):
    """Margins of Bradley-Terry scores, when battles are added or changed.

    The bound by the resistance alone holds for battles that are added as well, and to change one is to
    take one away and to add another.

    Parameters
    ----------
    inner : BradleyTerryMargins
        The same when battles leave.
    changing : bool
        Whether battles that were there make room.
    """

    rule = "certified by effective resistances; seen with wins of the rival over the leader"

    inner: BradleyTerryMargins
    changing: bool

    def at_least(
        self,
        ahead: IntArray,
        behind: IntArray,
        *,
        most: int = MANY,  # noqa: ARG002 (all are told apart)
        closely: bool = False,  # noqa: ARG002 (nothing more is known)
    ) -> IntArray:
        """Return how many battles it takes to move the gap."""
        needed = self.inner.needed(ahead, behind) * (1 - 1e-9) / (2 if self.changing else 1)
        return np.maximum(np.ceil(needed), 1).astype(np.int64)

    def remove(self, ahead: int, behind: int) -> Removal:
        """Return those that make room, and the battle that is put in."""
        gone = self.inner.remove(ahead, behind) if self.changing else NOBODY
        return replace(gone, favour=Favour(ahead, behind))

"""What is known about pairs of items when units leave, are added or change: who knows most is asked.

What a unit can say is bounded: a vote goes to one item, a ballot gives one item the most points and
another the fewest, values have a stated range. So there is a unit that serves best to lift one item over
another, and as many of it as are needed are added, or put in the places of those that leave.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from steadyrank.errors import InvalidSettingError, Option
from steadyrank.margins.pairs import Favour, LeftOutMargins, PairMargins, Removal
from steadyrank.margins.ratios import RatioMargins
from steadyrank.margins.sums import (
    ItemGiven,
    SumMargins,
    sums_of,
    sums_of_points,
    sums_of_rows,
)
from steadyrank.scorers.base import LeaveOneOut, Sketched
from steadyrank.scorers.sums import SumsOut
from steadyrank.sums.exact import EXACT
from steadyrank.sums.model import Entries

if TYPE_CHECKING:
    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.margins.bradley_terry import BradleyTerryMargins
    from steadyrank.sums.points import Points

LEAST = 1e-120
"""What is divided by a shrinkage from here on is a float."""

MOST_ADDED = 1 << 40
"""No more units than this are ever added: what so many give is still a 64-bit number."""

STATED = "NAME:value_range=LOWEST..HIGHEST"
"""How a range of values is stated, wherever a scorer is named."""

COMING = "exact: all units that are added favour the rival as much as a unit can"
"""What numbers rest on."""

NOBODY = Removal(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
"""None of the units leaves."""


def pair_margins(out: LeaveOneOut, by: str = "remove") -> PairMargins:
    """Return what is known about pairs of items when units leave, are added or change.

    Whole points, sums over counts and Bradley-Terry fits have bounds of their own; of all other scores
    it is known what leaving each unit out says.
    """
    known: PairMargins
    if isinstance(out, SumsOut) and not isinstance(out.added, Entries):
        points = cast("Points", out.added)  # sums without entries
        known = sums_of_points(
            points, NewUnits("people", points.widest is None, points.widest)
        )
    elif isinstance(out, SumsOut) and isinstance(out.added, Entries) and _in_reach(out):
        known = _of_entries(out.added, out)
    elif isinstance(out, Sketched):
        from steadyrank.margins.bradley_terry import (
            BradleyTerryMargins,
        )  # whom only battles need

        known = BradleyTerryMargins(out)  # type: ignore[arg-type]  # battles alone are sketched
    else:
        known = LeftOutMargins(out)
    return known if by == "remove" else with_new_units(known, changing=by == "change")


def _in_reach(out: SumsOut) -> bool:
    """Tell whether floats hold what margins divide by, and equal scores are equal sums."""
    prior, counts = out.sums.prior, out.sums.counts
    uneven = bool(out.added.resolution and (counts < counts.max()).any())
    return not uneven and (not prior.weight or prior.weight / prior.share > LEAST)


def _of_entries(entries: Entries, out: SumsOut) -> PairMargins:
    """Return the margins of sums over counts: by sums alone where all counts are the same."""
    sums, apart = out.sums, entries.apart()
    given = (
        ItemGiven(entries, sums)
        if apart is None
        else ItemGiven(apart[0], sums, apart[1])
    )
    some = sums.counts > 0
    least, most = (
        np.where(some, sums_of(sums, end), given.of_empty) for end in entries.extremes
    )
    leaving = entries.most_leaving
    scale, several = (
        float(sums.form.scale) if sums.form.whole else 1.0,
        int(leaving.max()),
    )
    grouped, whole = several > 1 or entries.weighted, sums.form.whole
    new = NewUnits(
        "rows", grouped, value_range=out.value_range, scale=scale, whole=whole
    )
    if not entries.gaps and apart is None:
        ends, totals = (several * least, several * most), sums_of(sums, sums.totals)
        return sums_of_rows(given, ends, out.units.counts, totals, new)
    return RatioMargins(given, (least, most), leaving, out.units.total, new)


@dataclass(frozen=True)
class NewUnits:
    """The units that could be there and are not.

    Parameters
    ----------
    members : str
        What a group could hold any number of.
    grouped : bool
        Whether units are groups, or have weights: then nothing bounds what one could be.
    widest : int, optional
        The most points that one gives to one item beyond another; None where it gives values.
    value_range : (float, float), optional
        The values that it could give, as stated.
    scale, whole
        What makes sums of values whole, and whether it does.
    """

    members: str
    grouped: bool
    widest: int | None = None
    value_range: tuple[float, float] | None = None
    scale: float = 1.0
    whole: bool = True

    def stated(self) -> tuple[float, float]:
        """Return the range as it was stated, or complain that nothing bounds what units could say."""
        self.check_bounded()
        if self.value_range is None:
            raise InvalidSettingError(
                "the values that an added or changed unit could give are not known",
                way_out=[
                    "If the scorer has it, state it with ",
                    Option("scorer", STATED),
                ],
            )
        return self.value_range

    def breadth(self) -> tuple[float, tuple[float | None, float | None]]:
        """Return the most that a unit gives to one item beyond another, and its values, if any."""
        if self.widest is not None:
            return self.widest, (None, None)
        low, high = self.stated()
        return (high - low) * self.scale, (low, high)

    def check_bounded(self) -> None:
        """Complain about units that nobody bounds, since they are not there."""
        if self.grouped:
            could = f"could hold any number of {self.members}, a unit have any weight"
            raise InvalidSettingError(
                f"a group that is added or changed {could}",
                way_out="Ask about removals, or read the data without weights and groups.",
            )


def with_new_units(known: PairMargins, *, changing: bool) -> PairMargins:
    """Return what is known about pairs when units are added, or change, from when they leave."""
    if isinstance(known, SumMargins):
        return _new_in_sums(known, changing=changing)
    if isinstance(known, RatioMargins):
        if known.without_data:
            problem = "what an added unit does to items without any data is not known"
            raise InvalidSettingError(problem, way_out="Ask about removals.")
        if changing:
            others = "" if known.new.grouped else ", or that are added"
            raise InvalidSettingError(
                "how many units must change is not known where units have values of some items only",
                way_out=f"Ask about removals{others}.",
            )
        return NewInRatios(known)
    if known.certified:
        battles = cast("BradleyTerryMargins", known)
        NewUnits("battles", not battles.plain).check_bounded()
        return NewBattles(battles, changing)
    raise InvalidSettingError(
        "nothing bounds what a unit that is added or changed could do to these scores",
        way_out="Ask about removals.",
    )


def _new_in_sums(known: SumMargins, *, changing: bool) -> SumMargins:
    """Let the units that favour the leader most change to favour its rival, or let such come."""
    widest, stated = known.new.breadth()
    if changing:
        rule = "exact: the units that favour the leader most change to favour its rival"
        return replace(known, sizes=None, widest=widest, stated=stated, rule=rule)
    nothing = np.zeros_like(known.totals)
    return replace(
        known,
        counts=np.array([MOST_ADDED]),
        ends=(nothing, nothing),
        given_to=lambda items: nothing[np.newaxis, items],
        sizes=None,
        widest=widest,
        stated=stated,
        leave=False,
        rule=COMING,
    )


class NewInRatios(PairMargins):
    """Margins of sums over counts, when units with values in a range are added.

    A new unit gives the item behind the highest value and the one ahead the lowest, unless that would
    do the opposite: scores that shrinkage holds outside the range come nearer to it with every value.

    Parameters
    ----------
    inner : RatioMargins
        The same when units leave.
    """

    rule = COMING

    def __init__(self, inner: RatioMargins) -> None:
        self._scores, self._denominators, new = (
            inner.scores,
            inner.denominators,
            inner.new,
        )
        self._stated = low, high = new.stated()
        self._ends = low * new.scale, high * new.scale
        self._whole = new.whole and all(float(end).is_integer() for end in self._ends)

    def _quick(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Find the number at which the scores meet, by halving."""
        failed, number = (
            np.zeros(len(ahead), dtype=np.int64),
            np.full(len(ahead), MOST_ADDED),
        )
        while (number - failed > 1).any():
            middle = (failed + number) // 2
            met = self._met(ahead, behind, middle)
            failed, number = (
                np.where(met, failed, middle),
                np.where(met, middle, number),
            )
        return number

    def _met(self, ahead: IntArray, behind: IntArray, number: IntArray) -> BoolArray:
        low, high = self._ends
        down, over = self._with(
            ahead, np.where(self._scores[ahead] > low, number, 0), low
        )
        up, under = self._with(
            behind, np.where(self._scores[behind] < high, number, 0), high
        )
        # Cross products, which are exact where sums are whole; what rounding decides is tried.
        more, less = up * over, down * under
        size = np.abs(more) + np.abs(less)
        slack = np.where(self._whole & (size < EXACT), 0.0, 1e-12 * size)
        return np.asarray((more - less > -slack) | ((more == less) & (behind < ahead)))

    def _with(
        self, items: IntArray, number: IntArray, value: float
    ) -> tuple[FloatArray, FloatArray]:
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

    def _quick(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Return how many battles it takes to move the gap."""
        needed = (
            self.inner.needed(ahead, behind) * (1 - 1e-9) / (2 if self.changing else 1)
        )
        return np.maximum(np.ceil(needed), 1).astype(np.int64)

    def remove(self, ahead: int, behind: int) -> Removal:
        """Return those that make room, and the battle that is put in."""
        gone = self.inner.remove(ahead, behind) if self.changing else NOBODY
        return replace(gone, favour=Favour(ahead, behind))

"""Win rate: the share of its battles that an item wins."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from steadyrank.engines.item_sums import Prior
from steadyrank.scorers.base import UNUSED
from steadyrank.scorers.entry_sums import ROUNDING, EntrySums
from steadyrank.scorers.sensitivity import Sensitivity, same_people

if TYPE_CHECKING:
    from steadyrank.engines.item_sums import Entries
    from steadyrank.scorers.entry_sums import EntryData


@dataclass(frozen=True)
class WinRate(EntrySums):
    """The share of its battles that each item wins; a tie is half a win for each side.

    It is a mean of points (1, a half or 0), exact, with and without any unit: of the items, only
    those of the battles that leave change. Weights count battles as so many. Whom an item met does not
    matter, so an item that met only weak ones does well; Bradley-Terry allows for that. An item
    without a battle has no win rate, and that is an error, in the data and once a unit is gone.

    Examples
    --------
    >>> from steadyrank.data import Battles
    >>> battles = Battles(["x", "y", "x", "y"], ["y", "z", "z", "z"], ["left", "tie", "left", "left"])
    >>> WinRate().score(battles)
    array([1.        , 0.5       , 0.16666667])
    >>> WinRate().leave_one_out(battles).shifts().round(4)  # without x > y, x > z, y = z or y > z
    array([0.25  , 0.0833, 0.1667, 0.2635])
    """

    takes = ("battles",)
    covariates = UNUSED
    name = "win rate"
    prior = Prior(0.0, 1.0)
    value_range = (0.0, 1.0)
    way_out = "Leave such items out, those with few battles by a minimum count."

    def bound(self, data: EntryData, entries: Entries, lowest: float, highest: float) -> Sensitivity:
        r"""Return the most that one unit can move the win rates, whoever wins.

        Let a unit hold c of the N battles of an item (their weights, where they have some). With m the
        mean of its points in those, ``w - w\i = (c / N) (m - w\i)``: at most c / N. So no unit moves
        the scores by more than the root of the sum of ``(c / N)^2`` over its items, which for one
        battle is ``sqrt(1/N_a^2 + 1/N_b^2)``. It is reached where the one that wins it lost all its
        other battles, and the one that loses it won all its others.

        No bound for *all* battles goes down with their number: the two may have met nobody else. So
        this one takes as given who met whom, and holds for any results.
        """
        eps = math.sqrt(entries.largest_squared_reach(0.0, lowest, highest)) * ROUNDING
        return Sensitivity.of(
            data,
            eps,
            rule="win rate",
            units="battles" if data.unit is None else f"{data.units.kind} units",
            moved="win rates",
            scope="results of these battles" + same_people(data),
        )

"""Points as leagues, contests and critics' lists publish them: totals, for results or for places.

Totals, and not means: without a unit, exactly what it gave is gone. Means over all units have the same
order, with and without any unit, so lists, ranks and margins are those of either.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from steadyrank._typing import IntArray
from steadyrank.data.ballots import Ballots
from steadyrank.data.battles import Battles
from steadyrank.data.observations import shares_of
from steadyrank.errors import InvalidSettingError, Option, counts_too_large
from steadyrank.operators.checks import FROM_0, check_setting, setting
from steadyrank.scorers.sums import SumScorer
from steadyrank.scorers.voting import Given, places
from steadyrank.sums.exact import EXACT
from steadyrank.sums.points import Points


@dataclass(frozen=True)
class TotalPoints(SumScorer):
    """The total of an item's points: for wins and draws in battles, or for its places on ballots.

    Totals are exact, with and without any unit; a weight counts a battle or a ballot as so many. Points
    are the same at home and away. An item without a battle, or on no ballot, has 0.

    *Ballots*: an item gets the points of its place. Places beyond those that have points give 0, and so
    does a ballot to items that it leaves out. Tied items share equally the points of the places that
    they take together; the items of an approval ballot are tied for the first place.

    Parameters
    ----------
    win, draw, loss : float
        The points for the result of a battle.
    places : sequence of float
        The points for the first place of a ballot, the second...; by name ``"points:5,4,3,2,1"``.

    Examples
    --------
    >>> from steadyrank.data import Ballots, Battles
    >>> battles = Battles(["x", "y", "x"], ["y", "z", "z"], ["left", "tie", "left"])
    >>> TotalPoints().score(battles), TotalPoints(win=2, loss=1).score(battles)
    (array([6., 1., 1.]), array([4., 2., 2.]))
    >>> TotalPoints().leave_one_out(battles).shifts().round(4)  # without x > y, x > z or y = z
    array([3.    , 3.    , 1.4142])
    >>> TotalPoints(places=(12, 10, 8)).score(Ballots([["x", "y"], [("y", "z"), "x"]]))
    array([20., 21., 11.])
    """

    takes = ("ballots", "battles")
    _shares = False
    listed = "places"

    win: float = setting(3.0)
    draw: float = setting(1.0)
    loss: float = setting(0.0)
    places: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = self.places if np.iterable(self.places) else (self.places,)
        object.__setattr__(self, "places", tuple(given))
        for number in self.places:
            check_setting("places", number, FROM_0)

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        results = f"win {self.win:g}, draw {self.draw:g}, loss {self.loss:g}"
        return f"points ({', '.join(f'{each:g}' for each in self.places) or results})"

    def prepared(self, data: Any) -> Any:
        """Complain of ballots without points of places, and of battles with some."""
        data = super().prepared(data)
        if bool(self.places) == isinstance(data, Battles):
            example = "points:win=3,draw=1,loss=0" if self.places else "points:5,4,3,2,1"
            problem = f"points of {data.kind.name} are not known"
            raise InvalidSettingError(problem, way_out=("Give them: ", Option("scorer", example)))
        return data

    def added(self, data: Any) -> Points:
        """Return the points that each distinct unit gives."""
        data = self.prepared(data)
        return (self._results if isinstance(data, Battles) else self._ballots)(data).of_units(data)

    def _results(self, data: Battles) -> Given:
        point, (win, draw, loss) = whole([self.win, self.draw, self.loss])
        rows, most = shares_of(data).rows, max(win, draw, loss)
        sides = np.stack([data.left[rows], data.right[rows]], axis=1).ravel()
        of_sides = np.array([[draw, draw], [win, loss], [loss, win]])  # the last where right won, -1
        given = of_sides[data.outcome[rows]].ravel()
        return Given(np.arange(len(rows) + 1) * 2, sides, given, 0, point, most, total=True)

    def _ballots(self, data: Ballots) -> Given:
        ahead, tied = places(data)
        point, each = whole(self.places, np.append(tied[ahead < len(self.places)], 1))
        upto = np.append(0, np.cumsum(each))
        first, last = np.minimum([ahead, ahead + tied], len(each))
        # The points of the places that tied items take are whole, and so is the share of each.
        given = (upto[last] - upto[first]) // tied
        return Given(data.indptr, data.ranked, given, 0, point, int(max(each)), total=True)


def whole(numbers: Sequence[float], shared: Sequence[int] | IntArray = (1,)) -> tuple[int, list[int]]:
    """Return how many parts make a point, and numbers in parts that so many items can share.

    Examples
    --------
    >>> whole([1, 0.5]), whole([12, 10], np.array([2, 3]))
    ((2, [2, 1]), (6, [72, 60]))
    """
    exact = [Fraction(str(number)) for number in numbers]
    point = math.lcm(*(each.denominator for each in exact)) * math.lcm(*np.unique(shared).tolist())
    if point * max(exact) >= EXACT:
        raise counts_too_large("parts of a point that ties share", point)
    return point, [int(each * point) for each in exact]

"""Mean ratings, win rates and column means: declarations of what is added up, and proved bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from steadyrank.errors import FEW_DATA, Option
from steadyrank.operators.checks import Range, setting
from steadyrank.scorers.sensitivity import Sensitivity, root_rounded_up, same_people
from steadyrank.scorers.sums import EntrySums
from steadyrank.sums.exact import EXACT
from steadyrank.sums.model import Entries

ROUNDING = 1 + 2.0**-40
"""Makes a bound that was computed in floating point larger than its rounding errors."""


@dataclass(frozen=True)
class MeanRating(EntrySums):
    """The sum of an item's ratings over ``shrinkage`` plus their number.

    It is the mean rating pulled towards 0, as if every item had ``shrinkage`` more ratings of
    0, so that one enthusiast does not make a best seller. Without a user only the items that
    the user rated change. An item without any rating has score 0; with ``shrinkage=0`` it has
    what ``empty`` says, or none, and that is an error, both in the data and once a user is gone.

    Ratings that are short decimals (whole stars, half stars, 9.95) are added without rounding
    as what they are meant to be, so that equal scores are equal numbers, with and without any user.

    Parameters
    ----------
    shrinkage : float
        From 0 to 2^53. The paper's value is 1.
    value_range : (float, float), optional
        The lowest and the highest rating that anybody could give; needed only for a proved
        bound, and checked against the data.
    empty : float, optional
        What an item without any rating scores: less than any rating, so that it is last.

    Examples
    --------
    >>> from steadyrank.data import Ratings
    >>> ratings = Ratings(["u", "v", "u"], ["film", "film", "book"], [5, 3, 4])
    >>> ratings.items, MeanRating().score(ratings).round(4)
    (('book', 'film'), array([2.    , 2.6667]))
    >>> without_u = next(MeanRating().leave_one_out(ratings).blocks())
    >>> without_u.items, without_u.scores, without_u.indptr
    (array([0, 1, 1], dtype=int32), array([0. , 1.5, 2.5]), array([0, 2, 3]))
    """

    takes = ("ratings",)
    _called = "mean rating (shrinkage {0.shrinkage:g})"
    pulled_to = (0.0,)
    way_out = ("Use ", Option("scorer", "mean-rating:shrinkage=1"), ", or leave such items out.")

    shrinkage: float = setting(1.0, Range(0.0, EXACT, way_out="The paper's value is 1."))
    value_range: tuple[float, float] | None = None
    empty: float | None = setting(None, Range(optional=True))

    def bound(self, data: Any, entries: Entries, lowest: float, highest: float) -> Sensitivity:
        r"""Return the most that one user can move the scores.

        Write s for the shrinkage and N for the number of an item's ratings. Without a rating r
        the score changes by ``w - w\i = (r - w\i) / (s + N)``, and ``w\i`` lies between a and b
        times ``(N - 1) / (s + N - 1)`` if ratings lie in [a, b]. So one rating moves the score
        by at most

            max(b - a (N-1)/(s+N-1), b (N-1)/(s+N-1) - a) / (s + N),

        and a user by at most the root of the sum of squares over the items they rated. Each
        item's bound is reached, all of them at once.

        For a user of weight w, or a group, ``w`` and N are the weights of the ratings of an item that
        leave and of all, and ``w - w\i = (w / (s + N)) (r - w\i)`` with r their mean: the same bound,
        with ``N - w`` for ``N - 1``, times w.

        No bound for *all* ratings by n users goes down with n: everybody else may rate nothing,
        and one user everything. So this bound takes as given who rated what, and holds for any
        ratings in the range that these users give to these items.
        """
        unit = 2.0 ** math.frexp(max(abs(lowest), abs(highest)) / 2)[1]  # so that squares are ordinary
        most = entries.largest_squared_reach(self.shrinkage, lowest / unit, highest / unit)
        given = f"ratings from {lowest:g} to {highest:g} that these users{same_people(data)} give"
        said = {"rule": "mean rating of bounded ratings", "moved": "scores"}
        units = "users" if data.unit is None else f"{data.units.kind} units"
        numbers = {"lowest": lowest, "highest": highest, "shrinkage": self.shrinkage}
        scope, eps = f"{given} to the items they rated", math.sqrt(most) * ROUNDING * unit
        return Sensitivity.of(data, eps, **said, scope=scope, units=units, numbers=numbers)


@dataclass(frozen=True)
class WinRate(EntrySums):
    """The share of its battles that each item wins; a tie is half a win for each side.

    It is a mean of points (1, a half or 0), exact, with and without any unit: of the items, only
    those of the battles that leave change. Weights count battles as so many. Whom an item met does not
    matter, so an item that met only weak ones does well; Bradley-Terry allows for that. An item
    without a battle has no win rate, and that is an error, in the data and once a unit is gone, unless
    ``empty`` says what to do.

    Parameters
    ----------
    empty : float, optional
        What an item without a battle scores: less than 0, so that it is last.

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
    value_range = (0.0, 1.0)
    way_out = (*FEW_DATA, ", or use ", Option("scorer", "win-rate:empty=-1"))
    _called = "win rate"

    empty: float | None = setting(None, Range(optional=True))

    def bound(self, data: Any, entries: Entries, lowest: float, highest: float) -> Sensitivity:
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
        scope = "results of these battles" + same_people(data)
        return Sensitivity.of(data, eps, rule=self.name, moved="win rates", scope=scope)


class RowMeans(EntrySums):
    """Scores of a matrix, where a row is what one task says of the items."""

    takes = ("scores",)
    way_out = (*FEW_DATA, ", or use ", Option("missing", "drop"))
    rule: ClassVar[str]
    moved: ClassVar[str] = "scores"
    scope: ClassVar[str] = "values from {lowest:g} to {highest:g}"
    """For which rows the bound holds."""

    def largest_move(self, data: Any, entries: Entries, width: Fraction) -> Any:
        """Return how far a unit can move the scores, or exactly the square of that."""
        if entries.gaps:
            return float(width) * math.sqrt(entries.largest_squared_reach(0.0, 0.0, 1.0)) * ROUNDING
        share = Fraction(int(entries.most_leaving.max()), entries.rows)
        return self.squared_diameter(data, width) * share**2

    def bound(self, data: Any, entries: Entries, lowest: float, highest: float) -> Sensitivity:
        r"""Return the most that one unit can move the means.

        Let a unit hold c of the N values of a column, all in [a, b]. With m the mean of those c
        values, ``N w = (N - c) w\i + c m``, so ``w - w\i = (c / N) (m - w\i)``: at most
        ``(c / N) (b - a)``, which is reached where the unit has one end of the range and all
        others have the other end. Over L columns this gives

            sqrt(L) (b - a) / n     for n rows without gaps, each a unit,

        ``sqrt(L) (b - a) g / N`` for groups of at most g of the N rows, and with gaps the largest
        ``(b - a) sqrt(sum over columns of (c / N)^2)`` over the units. The last takes as given
        which values are there, the second how large the groups are. Rows with weights count as so
        many rows, in parts. Where rows without gaps can only be so far apart, that takes the place of
        ``sqrt(L) (b - a)``.
        """
        scope = self.scope.format(lowest=lowest, highest=highest)
        sizes: dict[str, float] = {}
        if entries.gaps:
            scope += " where there is one now"
        if entries.grouped:
            scope += ("," if data.weights is None else "") + same_people(data)
            largest, scale = int(entries.most_leaving.max()), entries.scale
            sizes = {"rows": entries.rows / scale, "largest_unit": largest / scale}
        eps = self.largest_move(data, entries, Fraction(highest) - Fraction(lowest))
        if entries.resolution:  # a chain of equal scores has fewer than L links
            eps = root_rounded_up(eps) if isinstance(eps, Fraction) else eps
            eps = eps * ROUNDING + entries.resolution * data.n_items**1.5
        said = {"rule": self.rule, "moved": self.moved, "units": f"{data.units.kind} units"}
        numbers = {"lowest": lowest, "highest": highest, **sizes}
        return Sensitivity.of(data, eps, **said, scope=scope, numbers=numbers)


@dataclass(frozen=True)
class ColumnMeans(RowMeans):
    """The mean of each column, over the rows where it is available.

    Without a unit (a row, or a group of rows) the means are those of the rows that are left.
    Where values may be missing, an item whose values all belong to one unit would have no mean
    without that unit; that is an error which names both, unless ``empty`` says what to do. Values that
    are short decimals (0 and 1, percentages with two places) are added without rounding, as what they
    are meant to be, so that equal means are equal numbers, with and without any unit.

    Parameters
    ----------
    value_range : (float, float), optional
        The lowest and the highest value that could occur; needed only for a proved bound, since
        the range that did occur proves nothing. Checked against the data.
    empty : float, optional
        What an item without any value scores: less than any value, so that it is last.

    Examples
    --------
    >>> from steadyrank.data import ScoreMatrix
    >>> matrix = ScoreMatrix([[1, 0], [1, 1], [0, 1]], items=["x", "y"])
    >>> ColumnMeans().score(matrix).round(4)
    array([0.6667, 0.6667])
    >>> next(ColumnMeans().leave_one_out(matrix).blocks()).scores
    array([[0.5, 1. ],
           [0.5, 0.5],
           [1. , 0.5]])
    """

    _called = "column means"
    rule, moved = "column means of bounded values", "means"

    value_range: tuple[float, float] | None = None
    empty: float | None = setting(None, Range(optional=True))

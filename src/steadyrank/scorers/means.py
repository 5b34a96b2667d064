"""Means, win rates, ranks and medians: what is added up, and proved bounds.

Ranks and win rates within rows are points that a row gives by its own order alone; their means are
means of these. Medians and trimmed means leave values out at the ends of each column.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from steadyrank._typing import FloatArray
from steadyrank.data.matrices import all_observations, compared_rows
from steadyrank.data.ratings import Ratings
from steadyrank.data.score_matrix import ScoreMatrix
from steadyrank.errors import InvalidDataError, Option
from steadyrank.operators.checks import Range, setting
from steadyrank.scorers.base import LeaveOneOut, RowsOut, snapped
from steadyrank.scorers.sensitivity import Sensitivity, root_rounded_up, same_people
from steadyrank.scorers.sums import EntrySums
from steadyrank.sums.exact import EXACT, together
from steadyrank.sums.model import Entries
from steadyrank.text import plural

ROUNDING = 1 + 2.0**-40
"""Makes a bound that was computed in floating point larger than its rounding errors."""


@dataclass(frozen=True)
class WinRate(EntrySums):
    """The share of its battles that each item wins; a tie is half a win for each side.

    It is a mean of points (1, a half or 0), exact, with and without any unit: of the items, only
    those of the battles that leave change. Weights count battles as so many. Whom an item met does not
    matter, so an item that met only weak ones does well; Bradley-Terry allows for that. An item
    without a battle, in the data or once a unit is gone, is last.

    Parameters
    ----------
    empty : float, optional
        What an item without a battle scores, if not some number less than 0.

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
    _called = "win rate"

    empty: float | None = setting(None, Range(optional=True))

    def bound(
        self, data: Any, entries: Entries, lowest: float, highest: float
    ) -> Sensitivity:
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


class BoundedMeans(EntrySums):
    """Means of values that units give to items."""

    takes = ("scores", "ratings")
    rule: ClassVar[str]
    moved: ClassVar[str] = "scores"
    scope: ClassVar[str] = "values from {lowest:g} to {highest:g}"
    """For which rows the bound holds."""

    def largest_move(self, data: Any, entries: Entries, width: Fraction) -> Any:
        """Return how far a unit can move the scores, or exactly the square of that."""
        if entries.gaps:
            return (
                float(width)
                * math.sqrt(entries.largest_squared_reach(0.0, 0.0, 1.0))
                * ROUNDING
            )
        share = Fraction(int(entries.most_leaving.max()), entries.rows)
        return self.squared_diameter(data, width) * share**2

    def bound(
        self, data: Any, entries: Entries, lowest: float, highest: float
    ) -> Sensitivity:
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
        said = {
            "rule": self.rule,
            "moved": self.moved,
            "units": f"{data.units.kind} units",
        }
        numbers = {"lowest": lowest, "highest": highest, **sizes}
        return Sensitivity.of(data, eps, **said, scope=scope, numbers=numbers)


@dataclass(frozen=True)
class Mean(BoundedMeans):
    """The sum of an item's values over ``shrinkage`` plus their number: by default the plain mean.

    A shrinkage pulls means towards 0, as if every item had ``shrinkage`` more values of 0, so that one
    enthusiast does not make a best seller; the paper scores ratings with a shrinkage of 1. An item
    without any value, in the data or once a unit is gone, then has score 0; with ``shrinkage=0`` it is
    last.

    Values that are short decimals (whole stars, 0 and 1, percentages with two places) are added without
    rounding as what they are meant to be, so that equal means are equal numbers, with and without any
    unit.

    Parameters
    ----------
    shrinkage : float
        From 0 to 2^53.
    value_range : (float, float), optional
        The lowest and the highest value that could occur; needed only for a proved bound, since
        the range that did occur proves nothing. Checked against the data.
    empty : float, optional
        What an item without any value scores, if not some number less than all values.

    Examples
    --------
    >>> from steadyrank.data import Ratings, ScoreMatrix
    >>> ratings = Ratings(["u", "v", "u"], ["film", "film", "book"], [5, 3, 4])
    >>> ratings.items, Mean(shrinkage=1).score(ratings).round(4)
    (('book', 'film'), array([2.    , 2.6667]))
    >>> without_u = next(Mean(shrinkage=1).leave_one_out(ratings).blocks())
    >>> without_u.items, without_u.scores, without_u.indptr
    (array([0, 1, 1], dtype=int32), array([0. , 1.5, 2.5]), array([0, 2, 3]))
    >>> Mean().score(ScoreMatrix([[1, 0], [1, 1], [0, 1]])).round(4)
    array([0.6667, 0.6667])
    """

    rule, moved = "means of bounded values", "means"
    shrinkage: float = setting(
        0.0, Range(0.0, EXACT, way_out="The paper's value for ratings is 1.")
    )
    value_range: tuple[float, float] | None = None
    empty: float | None = setting(None, Range(optional=True))

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        shrunk = f"mean (shrinkage {self.shrinkage:g})" if self.shrinkage else "mean"
        if self.empty is None:
            return shrunk
        return f"{shrunk}, {self.empty:g} for items without data"

    def bound(
        self, data: Any, entries: Entries, lowest: float, highest: float
    ) -> Sensitivity:
        r"""Return the most that one unit can move the means.

        Without gaps and without shrinkage that is the bound of :class:`BoundedMeans`. Else write s for
        the shrinkage and N for the number of an item's values. Without a value r the score changes by
        ``w - w\i = (r - w\i) / (s + N)``, and ``w\i`` lies between a and b
        times ``(N - 1) / (s + N - 1)`` if values lie in [a, b]. So one value moves the score
        by at most

            max(b - a (N-1)/(s+N-1), b (N-1)/(s+N-1) - a) / (s + N),

        and a unit by at most the root of the sum of squares over the items that it has values of. Each
        item's bound is reached, all of them at once.

        For a unit of weight w, or a group, ``w`` and N are the weights of the values of an item that
        leave and of all, and ``w - w\i = (w / (s + N)) (r - w\i)`` with r their mean: the same bound,
        with ``N - w`` for ``N - 1``, times w.

        No bound for *all* values of n units goes down with n: all others may give none,
        and one unit every one. So this bound takes as given which units give values to which items,
        and holds for any values in the range.
        """
        if not self.shrinkage and (data.kind.name == "scores" or entries.resolution):
            return super().bound(data, entries, lowest, highest)
        # A power of two near the largest value, so that squares are ordinary numbers.
        unit = 2.0 ** math.frexp(max(abs(lowest), abs(highest)) / 2)[1]
        most = entries.largest_squared_reach(
            self.shrinkage, lowest / unit, highest / unit
        )
        eps = math.sqrt(most) * ROUNDING * unit
        eps += entries.resolution * data.n_items**1.5
        values = data.kind.observation + "s"
        units = plural(data.units.kind)
        return Sensitivity.of(
            data,
            eps,
            rule=self.rule,
            moved=self.moved,
            scope=f"{values} from {lowest:g} to {highest:g} that these "
            f"{units}{same_people(data)} give to the items they rated",
            units=units if data.unit is None else f"{data.units.kind} units",
            numbers={
                "lowest": lowest,
                "highest": highest,
                "shrinkage": self.shrinkage,
            },
        )


class TaskMeans(BoundedMeans):
    """Means of what each row (task) says of the items: its ranks, say, or its values in the middle."""

    def prepared(self, data: Any) -> Any:
        """Return the data as a matrix, one value for each row and item."""
        data = super().prepared(data)
        if isinstance(data, Ratings):
            return self.matrix(data)
        return data

    def matrix(self, data: Ratings) -> ScoreMatrix:
        """Return scores in long form as a matrix of all observations."""
        return all_observations(data)


def ranks_within_rows(values: FloatArray) -> FloatArray:
    """Return the rank of each value in its row, 1 for the least; equal values share the middle rank.

    Examples
    --------
    >>> ranks_within_rows(np.array([[1.0, 2.0, np.nan], [10.0, 10.0, 40.0]])).tolist()
    [[1.0, 2.0, nan], [1.5, 1.5, 3.0]]
    """
    from scipy.stats import rankdata  # takes longer to load than a small file

    ranks = rankdata(values, axis=1, nan_policy="omit")
    return np.asarray(ranks, dtype=np.float64)


class TaskPoints(TaskMeans):
    """Means of points that depend on the order within a row."""

    value_range = None
    scope = "scores"

    def matrix(self, data: Ratings) -> ScoreMatrix:
        """Return scores in long form as a matrix of the rows within which they compare."""
        return compared_rows(data)

    @abstractmethod
    def points(self, ranks: FloatArray, present: Any) -> FloatArray:
        """Return the points for ranks, the worst 1, among so many items that a row has."""

    def entries(self, data: Any) -> Any:
        """Return the points, which are whole numbers of common parts; NaN where there are none."""
        ranks = ranks_within_rows(data.values)
        present = np.sum(~np.isnan(ranks), axis=1, keepdims=True)
        parts = 2 * math.lcm(*np.unique(np.maximum(present - 1, 1)).tolist())
        with np.errstate(invalid="ignore"):  # no others at all: no rate
            return data.entries_of(self.points(ranks, present), parts)

    def ends(self, data: Any) -> Any:
        """Return the fewest and the most points."""
        return self.points(np.array([1.0, data.n_items]), data.n_items).tolist()

    def squared_diameter(self, data: Any, width: Any) -> Any:
        """Return ``L (L + 1) / (3 (L - 1))`` times the squared range of the points.

        A row without gaps and without ties gives a permutation of L evenly spaced points, and one with
        ties the mean over all ways to break them: a point in the convex hull of the permutations. As
        for Borda points, two of these are at most ``L (L^2 - 1) / 3`` apart, squared, in units of
        the space between two points, which is the range over ``L - 1``. One row against n - 1 rows in
        the opposite order reaches it. Where values are missing, points only lie in a box.
        """
        box, hull = super().squared_diameter(data, width), Fraction(data.n_items + 1, 3)
        return (
            box
            if np.isnan(data.values).any()
            else box * hull / max(1, data.n_items - 1)
        )


@dataclass(frozen=True)
class MeanRank(TaskPoints):
    """Minus the mean rank of an item over the rows (tasks): -1 is the best that there is.

    The best of a row has rank 1, and items that tie share the middle of their ranks. The sign is
    changed since bigger scores are better. Where values are missing, ranks are among the items that
    the row has, and the mean is over the rows that have the item: rank 2 of 2 is then as good
    as rank 2 of 20, which no win rate is. Ranks are halves, and sums of them exact.

    Examples
    --------
    >>> from steadyrank.data import ScoreMatrix
    >>> matrix = ScoreMatrix([[0.9, 0.8, 0.1], [0.5, 0.5, 0.7], [0.9, 0.2, 0.3]])
    >>> MeanRank().score(matrix)  # ranks 1, 2, 3 and 2.5, 2.5, 1 and 1, 3, 2
    array([-1.5, -2.5, -2. ])
    >>> next(MeanRank().leave_one_out(matrix).blocks()).scores
    array([[-1.75, -2.75, -1.5 ],
           [-1.  , -2.5 , -2.5 ],
           [-1.75, -2.25, -2.  ]])
    """

    name = "minus the mean rank"
    rule, moved = "mean ranks", "mean ranks"

    def points(self, ranks: FloatArray, present: Any) -> FloatArray:
        """Count ranks from the best, with a minus."""
        return np.asarray(ranks - (present + 1.0))


@dataclass(frozen=True)
class MeanWinRate(TaskPoints):
    """The mean over the rows (tasks) of the share of the other items that an item beats, as in HELM.

    A tie counts half. Where values are missing, the others are those that the row has, and the mean is
    over the rows that have the item and another one: a row with a single value compares nothing and
    is passed over. Rates are added as whole numbers of their common parts, so that equal means are
    equal numbers. Only where rows have so many different numbers of items that these parts do
    not fit into 53 bits are they added as the doubles next to them: means closer than 1e-12 are then
    equal.

    Examples
    --------
    >>> from steadyrank.data import ScoreMatrix
    >>> matrix = ScoreMatrix([[0.9, 0.8, 0.1], [0.5, 0.5, 0.7], [0.9, 0.2, 0.3]])
    >>> MeanWinRate().score(matrix)  # 1 + 1/4 + 1, 1/2 + 1/4 + 0, 0 + 1 + 1/2, each over 3
    array([0.75, 0.25, 0.5 ])
    >>> next(MeanWinRate().leave_one_out(matrix).blocks()).scores
    array([[0.625, 0.125, 0.75 ],
           [1.   , 0.25 , 0.25 ],
           [0.625, 0.375, 0.5  ]])
    """

    name = "mean win rate"
    rule, moved = "mean win rates", "win rates"

    def points(self, ranks: FloatArray, present: Any) -> FloatArray:
        """Divide the number of items behind by that of all others."""
        return np.asarray((ranks - 1.0) / (present - 1))


class MiddleMeans(TaskMeans):
    """The mean of the values in the middle of each column, over the rows where it is available."""

    needs_values = True

    @abstractmethod
    def trimmed(self, values: int) -> int:
        """Return how many of so many values are left out at each end; some stay."""

    def prepared(self, data: Any) -> Any:
        """Complain unless the data are scores in memory that all count the same."""
        data = super().prepared(data)
        if data.weights is not None:
            raise InvalidDataError(
                f"rows have weights, but a {self.name} counts all of them alike",
                way_out=(
                    "Read them without weights, or use ",
                    Option("scorer", "mean"),
                    ".",
                ),
            )
        return data

    def sums(self, data: Any) -> None:
        """Return None: what is left out at the ends is no part of a sum."""

    def score(self, data: Any) -> FloatArray:
        """Return the score of each item."""
        data = self.prepared(data)
        self.added(data)  # complains about what has no score
        return np.asarray(self._without(data)(np.empty((1, 0), dtype=np.int64))[0])

    def leave_one_out(self, data: Any) -> LeaveOneOut:
        """Return the scores without each unit: rows at once, groups of rows one after the other."""
        data = self.prepared(data)
        scores, without = self.score(data), self._without(data)
        self._check_left(data, data.entries)
        if data.unit is None:
            return RowsOut(scores, data.units, lambda rows: without(np.c_[rows]))
        ends = np.cumsum(np.bincount(data.unit))[:-1]
        groups = [
            part[np.newaxis]
            for part in np.split(np.argsort(data.unit, kind="stable"), ends)
        ]
        return RowsOut(
            scores, data.units, lambda units: np.vstack([*map(without, groups[units])])
        )

    def _without(self, data: Any) -> Any:
        """Return a function from rows (folds, leaving) to scores (folds, items) without them.

        Columns are sorted, and added up from the least value on: what rows take away is looked up.
        Values that are left out whoever leaves are brought nearer, so that sums are as fine as the rest.
        """
        present, item = data.item_counts, np.arange(data.n_items)
        order = np.argsort(data.values, axis=0, kind="stable")  # gaps come last
        places, values = (
            np.argsort(order, axis=0),
            np.take_along_axis(data.values, order, axis=0),
        )
        ends = [
            self.trimmed(max(1, n))
            for n in (present - data.entries.most_leaving).tolist()
        ]
        values = np.nan_to_num(
            np.clip(values, values[ends, item], values[present - 1 - ends, item])
        )
        form = data.entries_of(values).form
        upto = [
            np.cumsum(np.pad(part, ((1, 0), (0, 0))), axis=0)
            for part in form.parts(values)
        ]

        def without(rows: Any) -> FloatArray:
            gone = np.sort(places[rows], axis=1)
            left = present - (gone < present).sum(axis=1)
            numbers, which = np.unique(left, return_inverse=True)
            cut = np.array([self.trimmed(each) for each in numbers.tolist()])[
                which.reshape(left.shape)
            ]
            # What leaves from place p, itself the i-th to leave, is behind p - i values that stay.
            behind = gone - np.arange(gone.shape[1])[:, np.newaxis]

            def first(sums: FloatArray, number: Any) -> FloatArray:
                among = behind < number[:, np.newaxis]
                taken = np.where(
                    among, sums[gone + 1, item] - sums[gone, item], 0.0
                ).sum(axis=1)
                return np.asarray(sums[number + among.sum(axis=1), item] - taken)

            middle = together(
                tuple(first(sums, left - cut) - first(sums, cut) for sums in upto)
            )
            found = form.ratio(middle, 1.0, left - 2 * cut, slice(None))
            return snapped(found, data.entries.resolution)

        return without

    def largest_move(self, data: Any, entries: Any, width: Fraction) -> float:  # noqa: ARG002
        r"""Return the root of the sum of squares over the columns, a step for each value that leaves.

        Let q of the m values of a column, all in [a, b], be in the middle and t left out at each end,
        and let one leave. If t stays, the middle loses a value x: ``q w = (q - 1) w\i + x``, so
        ``w - w\i = (x - w\i) / q``. If t goes down by one, the middle gains a value x beside it, so
        ``w\i - w = (x - w) / (q + 1)``; or, where a value z of the middle left, it gains x below and y
        above, and ``(q + 1) (w\i - w) = (x - z) + (y - w)``: a number that is not positive and one that
        is not negative, neither larger than ``y - x``. So a value moves a column by at most ``b - a``
        over the larger of two numbers, those in the middle of m and of m - 1 values. For a median this
        is half the range, and one of two values reaches it. Several leave one after the other, and no
        score leaves the range. How many values a column has, and how many leave together, is taken as
        given.
        """
        total = 0.0
        for values, leaving in zip(
            entries.counts.tolist(), entries.most_leaving.tolist(), strict=True
        ):
            middle = [
                left - 2 * self.trimmed(left)
                for left in range(values - leaving, values + 1)
            ]
            total += (
                min(1.0, math.fsum(1 / max(pair) for pair in pairwise(middle))) ** 2
            )
        return float(width) * math.sqrt(total) * ROUNDING


@dataclass(frozen=True)
class Median(MiddleMeans):
    """The median of each column, over the rows where it is available.

    Of an even number of values it is the middle between two. Short decimals are taken as what they are
    meant to be, as for means, so that equal medians are equal numbers.

    Parameters
    ----------
    value_range : (float, float), optional
        The lowest and the highest value that could occur, for a proved bound; checked against the data.

    Examples
    --------
    >>> from steadyrank.data import ScoreMatrix
    >>> matrix = ScoreMatrix([[1, 5], [2, 0], [9, 1], [3, 3]])
    >>> Median().score(matrix)
    array([2.5, 2. ])
    >>> next(Median().leave_one_out(matrix).blocks()).scores
    array([[3., 1.],
           [3., 3.],
           [2., 3.],
           [2., 1.]])
    """

    name = "median"
    rule = "medians of bounded values"

    value_range: tuple[float, float] | None = None

    def trimmed(self, values: int) -> int:
        """Leave out all but the one or two in the middle."""
        return (values - 1) // 2


@dataclass(frozen=True)
class TrimmedMean(MiddleMeans):
    """The mean of each column without its least and largest values, over the rows where it is available.

    Of m values of a column, the ``floor(share m)`` least and as many of the largest are left out. The
    share is taken as the decimal that it is written as. Sums are exact, as for means.

    Parameters
    ----------
    share : float
        The share that is left out at each end, from 0 to less than 0.5.
    value_range : (float, float), optional
        The lowest and the highest value that could occur, for a proved bound; checked against the data.

    Examples
    --------
    >>> from steadyrank.data import ScoreMatrix
    >>> matrix = ScoreMatrix([[1, 5], [2, 0], [9, 1], [3, 3]])
    >>> TrimmedMean(0.25).score(matrix)
    array([2.5, 2. ])
    >>> next(TrimmedMean(0.25).leave_one_out(matrix).blocks()).scores.round(4)
    array([[4.6667, 1.3333],
           [4.3333, 3.    ],
           [2.    , 2.6667],
           [4.    , 2.    ]])
    """

    _called, rule = (
        "mean without {0.share:g} at each end",
        "trimmed means of bounded values",
    )

    share: float = setting(0.1, Range(0.0, 0.5, below=True))
    value_range: tuple[float, float] | None = None

    def trimmed(self, values: int) -> int:
        """Leave out the share, rounded down."""
        return math.floor(Fraction(str(float(self.share))) * values)

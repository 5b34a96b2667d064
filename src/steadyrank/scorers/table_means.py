"""Scores of a matrix beyond column means: ranks and win rates within rows, medians, trimmed means.

Ranks and win rates are points that a row gives by its own order alone; their means are column means.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from steadyrank._typing import FloatArray
from steadyrank.errors import InvalidDataError, Option
from steadyrank.operators.checks import Range, setting
from steadyrank.reading.scales import on_one_scale
from steadyrank.scorers.base import LeaveOneOut, RowsOut, snapped
from steadyrank.scorers.means import ROUNDING, RowMeans
from steadyrank.sums.exact import together


class TaskPoints(RowMeans):
    """Column means of points that depend on the order within a row."""

    value_range = None
    scope = "scores"

    @abstractmethod
    def points(self, ranks: FloatArray, present: Any) -> FloatArray:
        """Return the points for ranks, the worst 1, among so many items that a row has."""

    def entries(self, data: Any) -> Any:
        """Return the points, which are whole numbers of common parts; NaN where there are none."""
        ranks = on_one_scale(data.values, "ranks")
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
        return box if np.isnan(data.values).any() else box * hull / max(1, data.n_items - 1)


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


class MiddleMeans(RowMeans):
    """The mean of the values in the middle of each column, over the rows where it is available."""

    @abstractmethod
    def trimmed(self, values: int) -> int:
        """Return how many of so many values are left out at each end; some stay."""

    def prepared(self, data: Any) -> Any:
        """Complain unless the data are scores in memory that all count the same."""
        data = super().prepared(data)
        if data.weights is not None:
            raise InvalidDataError(
                f"rows have weights, but a {self.name} counts all of them alike",
                way_out=("Read them without weights, or use ", Option("scorer", "column-means"), "."),
            )
        return data

    def sums(self, data: Any) -> None:
        """Return None: what is left out at the ends is no part of a sum."""

    def score(self, data: Any) -> FloatArray:
        """Return the score of each item."""
        self.added(data)  # complains about what has no score
        return np.asarray(self._without(data)(np.empty((1, 0), dtype=np.int64))[0])

    def leave_one_out(self, data: Any) -> LeaveOneOut:
        """Return the scores without each unit: rows at once, groups of rows one after the other."""
        scores, without = self.score(data), self._without(data)
        self._check_left(data, data.entries)
        if data.unit is None:
            return RowsOut(scores, data.units, lambda rows: without(np.c_[rows]))
        ends = np.cumsum(np.bincount(data.unit))[:-1]
        groups = [part[np.newaxis] for part in np.split(np.argsort(data.unit, kind="stable"), ends)]
        return RowsOut(scores, data.units, lambda units: np.vstack([*map(without, groups[units])]))

    def _without(self, data: Any) -> Any:
        """Return a function from rows (folds, leaving) to scores (folds, items) without them.

        Columns are sorted, and added up from the least value on: what rows take away is looked up.
        Values that are left out whoever leaves are brought nearer, so that sums are as fine as the rest.
        """
        present, item = data.item_counts, np.arange(data.n_items)
        order = np.argsort(data.values, axis=0, kind="stable")  # gaps come last
        places, values = np.argsort(order, axis=0), np.take_along_axis(data.values, order, axis=0)
        ends = [self.trimmed(max(1, n)) for n in (present - data.entries.most_leaving).tolist()]
        values = np.nan_to_num(np.clip(values, values[ends, item], values[present - 1 - ends, item]))
        form = data.entries_of(values).form
        upto = [np.cumsum(np.pad(part, ((1, 0), (0, 0))), axis=0) for part in form.parts(values)]

        def without(rows: Any) -> FloatArray:
            gone = np.sort(places[rows], axis=1)
            left = present - (gone < present).sum(axis=1)
            numbers, which = np.unique(left, return_inverse=True)
            cut = np.array([self.trimmed(each) for each in numbers.tolist()])[which.reshape(left.shape)]
            # What leaves from place p, itself the i-th to leave, is behind p - i values that stay.
            behind = gone - np.arange(gone.shape[1])[:, np.newaxis]

            def first(sums: FloatArray, number: Any) -> FloatArray:
                among = behind < number[:, np.newaxis]
                taken = np.where(among, sums[gone + 1, item] - sums[gone, item], 0.0).sum(axis=1)
                return np.asarray(sums[number + among.sum(axis=1), item] - taken)

            middle = together(tuple(first(sums, left - cut) - first(sums, cut) for sums in upto))
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
        for values, leaving in zip(entries.counts.tolist(), entries.most_leaving.tolist(), strict=True):
            middle = [left - 2 * self.trimmed(left) for left in range(values - leaving, values + 1)]
            total += min(1.0, math.fsum(1 / max(pair) for pair in pairwise(middle))) ** 2
        return float(width) * math.sqrt(total) * ROUNDING


@dataclass(frozen=True)
class Median(MiddleMeans):
    """The median of each column, over the rows where it is available.

    Of an even number of values it is the middle between two. Short decimals are taken as what they are
    meant to be, as for column means, so that equal medians are equal numbers.

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
    share is taken as the decimal that it is written as. Sums are exact, as for column means.

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

    _called, rule = "mean without {0.share:g} at each end", "trimmed means of bounded values"

    share: float = setting(0.1, Range(0.0, 0.5, below=True))
    value_range: tuple[float, float] | None = None

    def trimmed(self, values: int) -> int:
        """Leave out the share, rounded down."""
        return math.floor(Fraction(str(float(self.share))) * values)

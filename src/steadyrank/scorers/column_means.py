"""Column means of a score matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import (
    SHOWN,
    ItemWithoutDataError,
    NothingLeftError,
    ValueRangeError,
    shorten,
)
from steadyrank.scorers.base import DenseBlock, LeaveOneOut, checked_kind, chosen_rows
from steadyrank.scorers.column_sums import ColumnSums
from steadyrank.scorers.rating_sums import Prior, RatingSums
from steadyrank.scorers.scanned import ScannedMatrix
from steadyrank.scorers.sensitivity import (
    ROUNDING,
    Sensitivity,
    checked_range,
    root_rounded_up,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.data.score_matrix import ScoreMatrix
    from steadyrank.data.units import Units


@dataclass(frozen=True)
class ColumnMeans:
    """The mean of each column, over the rows where it is available.

    Without a unit (a row, or a group of rows) the means are those of the rows that are left.
    Where values may be missing, an item whose values all belong to one unit would have no mean
    without that unit; that is an error which names both. Values that are short decimals (0 and
    1, percentages with two places) are added without rounding, as what they are meant to be, so
    that equal means are equal numbers, with and without any unit.

    Parameters
    ----------
    value_range : (float, float), optional
        The lowest and the highest value that could occur; needed only for a proved bound, since
        the range that did occur proves nothing. Checked against the data.

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

    value_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "value_range", checked_range(self.value_range))

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return "column means"

    def score(self, data: ScoreMatrix | ScannedMatrix) -> FloatArray:
        """Return the mean of each column."""
        if isinstance(data, ScannedMatrix):
            return self._scanned_sums(data).scores()
        return self._sums(data).scores()

    def leave_one_out(self, data: ScoreMatrix | ScannedMatrix) -> LeaveOneOut:
        """Return the means without each unit."""
        if isinstance(data, ScannedMatrix):
            added = self._scanned_sums(data)
            _check_left_scanned(data, added)
            return data.leave_one_out(added)
        sums = self._sums(data)
        if data.n_units < 2:
            raise NothingLeftError(data.units.kind)
        _check_left(data, sums)
        return _ColumnsOut(sums.scores(), data.units, sums)

    def sensitivity(self, data: ScoreMatrix | ScannedMatrix) -> Sensitivity | None:
        r"""Return the most that one unit can move the means, or None without a ``value_range``.

        Let a unit hold c of the N values of a column, all in [a, b]. With m the mean of those c
        values, ``N w = (N - c) w\i + c m``, so ``w - w\i = (c / N) (m - w\i)``: at most
        ``(c / N) (b - a)``, which is reached where the unit has one end of the range and all
        others have the other end. Over L columns this gives

            sqrt(L) (b - a) / n     for n rows without gaps, each a unit,

        ``sqrt(L) (b - a) g / N`` for groups of at most g of the N rows, and with gaps the largest
        ``(b - a) sqrt(sum over columns of (c / N)^2)`` over the units. The last takes as given
        which values are there, the second how large the groups are.
        """
        if isinstance(data, ScannedMatrix):
            return self._scanned_sensitivity(data)
        sums = self._sums(data)
        if self.value_range is None:
            return None
        if data.n_units < 2:
            raise NothingLeftError(data.units.kind)
        _check_left(data, sums)
        shares = None if not sums.gaps else sums.largest_squared_share()
        return _bounded(data, self.value_range, sums.rows, sums.largest_unit, shares)

    def _scanned_sensitivity(self, data: ScannedMatrix) -> Sensitivity | None:
        added = self._scanned_sums(data)
        if self.value_range is None:
            return None
        _check_left_scanned(data, added)
        shares = None if not data.gaps else data.largest_squared_share()
        return _bounded(data, self.value_range, data.rows, data.largest_unit(), shares)

    def _scanned_sums(self, data: ScannedMatrix) -> RatingSums:
        form = data.form
        lowest, highest = form.lowest / form.scale, form.highest / form.scale
        stated = self.value_range
        if stated is not None and (lowest < stated[0] or highest > stated[1]):
            raise ValueRangeError(
                f"values go from {lowest:g} to {highest:g} and leave the stated "
                f"value_range={self.value_range}. State the range that values can have."
            )
        return data.sums(Prior(0.0, 1.0))

    def _sums(self, data: ScoreMatrix) -> ColumnSums:
        from steadyrank.data.score_matrix import ScoreMatrix

        checked_kind(data, ScoreMatrix, scorer="ColumnMeans")
        self._check_range(data)
        return ColumnSums.of(data)

    def _check_range(self, data: ScoreMatrix) -> None:
        if self.value_range is None:
            return
        outside = (data.values < self.value_range[0]) | (data.values > self.value_range[1])
        if outside.any():
            row, item = (int(place) for place in np.argwhere(outside)[0])
            raise ValueRangeError(
                f"{int(outside.sum()):,} values leave the stated value_range={self.value_range}: "
                f"the first is {data.values[row, item]:g} in row {shorten(data.row_labels[row])}, "
                f"item {shorten(data.items[item])}. State the range that values can have."
            )


def _check_left(data: ScoreMatrix, sums: ColumnSums) -> None:
    """Complain about items that lose all their values with one unit."""
    owner = sums.sole_units()
    lost = np.flatnonzero(owner >= 0)
    if len(lost):
        label = data.units.labels[int(owner[lost[0]])]
        raise ItemWithoutDataError(
            [data.items[item] for item in lost[:SHOWN]],
            len(lost),
            without=f"the only {data.units.kind} that has some ({shorten(label)} for the first)",
            way_out="Leave these columns away, or use missing='drop' to drop rows with gaps.",
        )


def _check_left_scanned(data: ScannedMatrix, sums: RatingSums) -> None:
    """Complain about items that lose all their values with one unit, and about a single unit."""
    if data.n_units < 2:
        raise NothingLeftError(data.units.kind)
    lost = np.flatnonzero(sums.counts == data.most_in_a_unit())
    if len(lost):
        raise ItemWithoutDataError(
            [data.items[item] for item in lost[:SHOWN]],
            len(lost),
            without=f"the only {data.units.kind} that has some",
            way_out="Leave these columns away, or use missing='drop' to drop rows with gaps.",
        )


def _bounded(
    data: ScoreMatrix | ScannedMatrix,
    value_range: tuple[float, float],
    rows: int,
    largest: int,
    largest_squared_share: float | None,
) -> Sensitivity:
    """Bound the shift; the shares count where there are gaps, else the rows and largest unit do."""
    kind, items, n = data.units.kind, data.n_items, data.n_units
    lowest, highest = value_range
    values = f"any values from {lowest:g} to {highest:g}"
    numbers: dict[str, float] = {"n": n, "L": items, "lowest": lowest, "highest": highest}
    if largest_squared_share is not None:
        eps = (highest - lowest) * math.sqrt(largest_squared_share) * ROUNDING
        square = Fraction(eps) ** 2
        scope = f"{values} where there is one now"
    else:
        width = Fraction(highest) - Fraction(lowest)
        square = items * (width * Fraction(largest, rows)) ** 2
        eps = root_rounded_up(square)
        scope = values
    if data.grouped if isinstance(data, ScannedMatrix) else data.unit is not None:
        scope += f", in {kind} units of the same sizes"
        numbers |= {"rows": rows, "largest_unit": largest}
    return Sensitivity(
        eps=eps,
        rule="column means of bounded values",
        numbers=numbers,
        scope=scope,
        sentence=(
            f"Leaving out one of {n:,} {kind} units moves the means by at most {eps:.6g}, for {scope}."
        ),
        squared=square,
    )


@dataclass(frozen=True)
class _ColumnsOut(LeaveOneOut):
    scores: FloatArray
    units: Units
    sums: ColumnSums

    def blocks(self) -> Iterator[DenseBlock]:
        everything = np.arange(len(self.scores))
        for first, rows in self._rows(everything):
            yield DenseBlock(first, rows)

    def columns(
        self, items: IntArray, among: BoolArray | None = None
    ) -> Iterator[tuple[IntArray, FloatArray]]:
        for first, rows in self._rows(items):
            yield from chosen_rows(np.arange(first, first + len(rows)), rows, among)

    def _rows(self, items: IntArray) -> Iterator[tuple[int, FloatArray]]:
        for first, last in self.sums.unit_ranges(len(items)):
            yield first, self.sums.without(first, last, items)

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Use that a mean without z goes down as z goes up: the extreme values suffice."""
        if self.sums.pointers is not None:
            return super().bounds()
        lowest, highest = self.scores, self.scores
        values = self.sums.values
        for extreme in (np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)):
            without = self.sums.without_one(extreme)
            lowest, highest = np.minimum(lowest, without), np.maximum(highest, without)
        return lowest, highest

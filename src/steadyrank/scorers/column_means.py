"""Column means of a score matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from steadyrank.engines.item_sums import Prior
from steadyrank.errors import Option
from steadyrank.scorers.base import box_radius_squared
from steadyrank.scorers.entry_sums import EntrySums
from steadyrank.scorers.sensitivity import ROUNDING, Sensitivity, checked_range, root_rounded_up

if TYPE_CHECKING:
    from steadyrank.data.observations import Observations
    from steadyrank.scorers.entry_sums import EntryData


@dataclass(frozen=True)
class ColumnMeans(EntrySums):
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

    takes = ("scores",)
    name = "column means"
    prior = Prior(0.0, 1.0)
    way_out = ("Leave these columns out, or use ", Option("missing", "drop"), " to drop rows with gaps.")

    value_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "value_range", checked_range(self.value_range))

    def bound(self, data: EntryData, lowest: float, highest: float) -> Sensitivity:
        r"""Return the most that one unit can move the means.

        Let a unit hold c of the N values of a column, all in [a, b]. With m the mean of those c
        values, ``N w = (N - c) w\i + c m``, so ``w - w\i = (c / N) (m - w\i)``: at most
        ``(c / N) (b - a)``, which is reached where the unit has one end of the range and all
        others have the other end. Over L columns this gives

            sqrt(L) (b - a) / n     for n rows without gaps, each a unit,

        ``sqrt(L) (b - a) g / N`` for groups of at most g of the N rows, and with gaps the largest
        ``(b - a) sqrt(sum over columns of (c / N)^2)`` over the units. The last takes as given
        which values are there, the second how large the groups are.
        """
        entries, kind = data.entries, data.units.kind
        largest = int(entries.most_leaving.max())
        scope = f"values from {lowest:g} to {highest:g}"
        sizes: dict[str, float] = {}
        if entries.gaps:
            share = entries.largest_squared_reach(0.0, 0.0, 1.0)
            eps = (highest - lowest) * math.sqrt(share) * ROUNDING
            scope += " where there is one now"
        else:
            width = Fraction(highest) - Fraction(lowest)
            eps = root_rounded_up(data.n_items * (width * Fraction(largest, entries.rows)) ** 2)
        if entries.grouped:
            scope += f", in {kind} units of the same sizes"
            sizes = {"rows": entries.rows, "largest_unit": largest}
        return Sensitivity.of(
            data,
            eps,
            rule="column means of bounded values",
            units=f"{kind} units",
            moved="means",
            scope=scope,
            numbers={"lowest": lowest, "highest": highest, **sizes},
        )

    def output_radius_squared(self, data: Observations) -> float | None:
        """Return that of the box of the values' range."""
        return None if self.value_range is None else box_radius_squared(data.n_items, *self.value_range)

"""Scores that are sums over counts: mean ratings with shrinkage, and column means.

The data know their entries (values that units give to items) and who adds them up, NumPy or a
dataframe engine; here is what follows, the same for all of them.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from steadyrank import errors
from steadyrank.data.people import ROOM
from steadyrank.errors import SHOWN, Option, shorten
from steadyrank.scorers.base import LeaveOneOut, RunningTotals, Scorer, check_several
from steadyrank.scorers.sensitivity import Sensitivity, same_people
from steadyrank.sums.blocks import Block, Rows, SparseBlock, Wanted
from steadyrank.sums.exact import EXACT, is_single
from steadyrank.sums.model import Entries, ItemSums, Parts, Prior

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.data.observations import Observations
    from steadyrank.data.ratings import Ratings
    from steadyrank.data.scanned import ScannedEntries
    from steadyrank.data.score_matrix import ScoreMatrix
    from steadyrank.data.units import Units
    from steadyrank.errors import WayOut

    EntryData: TypeAlias = Ratings | ScoreMatrix | ScannedEntries
    """Data that know their entries."""

ROUNDING = 1 + 2.0**-40
"""Makes a bound that was computed in floating point larger than its rounding errors."""


class EntrySums(Scorer):
    """Scores ``sum / (shrinkage + count)`` over the values that units give to each item."""

    prior: Prior
    """The shrinkage as a ratio."""
    way_out: ClassVar[WayOut]
    """What to do about items without data."""
    pulled_to: ClassVar[tuple[float, ...]] = ()
    """A value that scores are pulled to, if any."""
    value_range: tuple[float, float] | None

    def __post_init__(self) -> None:
        if self.value_range is not None:
            object.__setattr__(self, "value_range", checked_range(self.value_range))

    @abstractmethod
    def bound(self, data: EntryData, entries: Entries, lowest: float, highest: float) -> Sensitivity:
        """Return the most that one unit can move the scores, for values in this range."""

    def entries(self, data: Any) -> Entries:
        """Return what units give to the items: the values of the data."""
        self.check(data)
        return data.entries  # type: ignore[no-any-return]

    def ends(self, data: Observations) -> tuple[float, float] | None:  # noqa: ARG002 (ranks look at them)
        """Return the least and the largest value that units could give, where that is known."""
        return self.value_range

    def score(self, data: EntryData) -> FloatArray:
        """Return the score of each item."""
        return self._sums(data)[1].scores

    def running_totals(self, data: EntryData) -> RunningTotals | None:
        """Return the sums and counts; none of single precision, nor of values that need a look each."""
        single = not hasattr(data, "values") or is_single(data.values)
        if single or self.value_range is not None:
            return None
        sums = Entries.sums(data.entries, self.prior)
        return EntryTotals(self.score(data), sums, data.entries.rows, data.entries.scale)

    def leave_one_out(self, data: EntryData) -> LeaveOneOut:
        """Return the scores without each unit."""
        entries, sums = self._sums(data)
        self._check_left(data, entries)
        return EntriesOut(sums.scores, data.units, entries, sums, self.value_range)

    def sensitivity(self, data: EntryData) -> Sensitivity | None:
        """Return the most that one unit can move the scores, or None without a ``value_range``."""
        entries, _ = self._sums(data)
        if (ends := self.ends(data)) is None:
            return None
        self._check_left(data, entries)
        return self.bound(data, entries, *ends)

    def output_radius_squared(self, data: Observations) -> float | None:
        """Return that of the box of the values' range, and of what scores are pulled to."""
        if (stated := self.ends(data)) is None:
            return None
        ends = (*stated, *self.pulled_to)
        square = self.squared_diameter(data, (max(ends) - min(ends)) / 2.0)
        return square if math.isfinite(square) else None

    def squared_diameter(self, data: Any, width: Any) -> Any:
        """Return how far apart two units without gaps can be, squared, for values in so wide a range."""
        return data.n_items * width * width  # products, not powers, become infinite

    def _sums(self, data: EntryData) -> tuple[Entries, ItemSums]:
        entries = self.entries(data)
        self._check_range(entries)
        sums = entries.sums(self.prior)
        self._check_some(data, entries, sums.counts == 0)
        return entries, sums

    def _check_range(self, entries: Entries) -> None:
        if self.value_range is None:
            return
        form, (lowest, highest) = entries.form, self.value_range
        least, most = form.lowest, form.highest
        if least < lowest or most > highest:
            raise errors.ValueRangeError(
                f"{entries.what} go from {least:g} to {most:g} and leave the stated value_range="
                f"{self.value_range}{entries.first_outside(lowest, highest)}",
                way_out=f"State the range that {entries.what} can have.",
            )

    def _check_left(self, data: EntryData, entries: Entries) -> None:
        """Complain about a single unit, and about items that lose all their values with one."""
        check_several(data)
        self._check_some(data, entries, entries.counts == entries.most_leaving, lost=True)

    def _check_some(self, data: Any, entries: Entries, empty: BoolArray, *, lost: bool = False) -> None:
        if self.prior.weight or not empty.any():
            return
        items, without = np.flatnonzero(empty), ""
        if lost:
            unit = data.units.labels[int(entries.values_of(items[:1])[0].min())]
            without = f"the only {data.units.kind} that has some ({shorten(unit)} for the first)"
        names = [data.items[item] for item in items[:SHOWN]]
        raise errors.ItemWithoutDataError(names, len(items), without=without, way_out=self.way_out)


@dataclass(frozen=True)
class EntryTotals(RunningTotals):
    """The exact sums and counts of each item, to which the values of new units are added.

    The form of the sums depends on all values: how many decimals they have, how large they are, for odd
    ones also between which powers of two their number is. Where new values need another form all are
    added up anew: of odd values that is when there are twice as many.

    Parameters
    ----------
    scores, sums
        The sums and counts, and the scores that follow.
    rows, scale : int
        How many values, in parts, an item without gaps has, and how many parts make one.
    """

    scores: FloatArray
    sums: ItemSums
    rows: int
    scale: int

    def plus(self, new: Any, places: IntArray) -> EntryTotals | None:
        """Add the values of new units, where the form of the sums stays as it is."""
        (owner, item, values), (each, scale), form = new.cells, new.weight_parts, self.sums.form
        if self.scale % scale or is_single(values) or not (form.whole or new.n_items == len(places)):
            return None
        times = np.broadcast_to(each * (self.scale // scale), new.n_rows)
        rows = self.rows + int(times.sum())
        if 10 * rows > ROOM or not form.serves(values, item, (self.rows, rows)):
            return None
        known: Parts = self.sums.counts.astype(np.float64), *self.sums.totals
        parts: Parts = np.ones(len(values)), *form.parts(values, item)
        found: list[Any] = [np.bincount(item, part * times[owner], new.n_items) for part in parts]
        for more, before in zip(found, known, strict=True):
            more[places] += before
        sums = replace(self.sums, counts=found[0].astype(np.int64), totals=tuple(found[1:]))
        some = self.sums.prior.weight or found[0].all()
        return EntryTotals(sums.scores, sums, rows, self.scale) if some else None


def checked_range(value_range: tuple[float, float]) -> tuple[float, float]:
    """Return the stated range as two floats, or complain."""
    try:
        lowest, highest = (float(end) for end in value_range)
    except (TypeError, ValueError):
        raise _range_error("be two numbers (lowest, highest)", value_range) from None
    if not (math.isfinite(lowest) and math.isfinite(highest) and lowest < highest):
        raise _range_error("be two finite numbers, the smaller one first", value_range)
    if not math.isfinite(highest - lowest):
        raise _range_error("not be wider than the largest float", value_range)
    return lowest, highest


def _range_error(rule: str, given: object) -> errors.ValueRangeError:
    return errors.ValueRangeError(f"value_range must {rule}, but is {shorten(given)}.")


@dataclass(frozen=True)
class EntriesOut(LeaveOneOut):
    """Leave-one-out scores of sums over counts, whoever adds them up."""

    scores: FloatArray
    units: Units
    entries: Entries
    sums: ItemSums
    value_range: tuple[float, float] | None = None

    def blocks(self) -> Iterator[Block]:
        """Yield blocks that cover all distinct units in order."""
        return self.entries.blocks(self.sums)

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest scores."""
        return self.entries.bounds(self.sums)

    def shifts(self) -> FloatArray:
        """Return how far each unit moves the scores."""
        return self.entries.shifts(self.sums)

    def scores_without(self, leaving: IntArray) -> FloatArray | None:
        """Take the exact sums of those that leave from the exact sums of all."""
        units = np.repeat(np.arange(len(leaving)), leaving)
        gone = self.entries.given_by(units) if self.sums.exact else None
        if gone is None or not (self.sums.prior.weight or (gone[1] < self.sums.counts).all()):
            return None
        return self.sums.without(slice(None), *gone)

    def columns(self, items: IntArray, among: BoolArray | None = None) -> Iterator[Rows]:
        """Yield the scores of ``items`` without each unit that changes one of them."""
        return self.entries.columns(self.sums, Wanted.of(self.scores, items, among))

    def touching(self, items: IntArray) -> Iterator[SparseBlock] | None:
        """Yield what units change among these items; all others keep their score."""
        return self.entries.touching(self.sums, Wanted.of(self.scores, items))


@dataclass(frozen=True)
class MeanRating(EntrySums):
    """The sum of an item's ratings over ``shrinkage`` plus their number.

    It is the mean rating pulled towards 0, as if every item had ``shrinkage`` more ratings of
    0, so that one enthusiast does not make a best seller. Without a user only the items that
    the user rated change. An item without any rating has score 0; with ``shrinkage=0`` it has
    none, and that is an error, both in the data and once a user is gone.

    Ratings that are short decimals (whole stars, half stars, 9.95) are added without rounding
    as what they are meant to be, so that equal scores are equal numbers, with and without any user.

    Parameters
    ----------
    shrinkage : float
        From 0 to 2^53. The paper's value is 1.
    value_range : (float, float), optional
        The lowest and the highest rating that anybody could give; needed only for a proved
        bound, and checked against the data.

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
    small_counts: ClassVar[str] = "A larger shrinkage pulls means of few ratings down."
    pulled_to = (0.0,)
    way_out = ("Use ", Option("scorer", "mean-rating:shrinkage=1"), ", or leave such items out.")

    shrinkage: float = 1.0
    value_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        try:
            shrinkage = float(self.shrinkage)
        except (TypeError, ValueError):
            shrinkage = math.nan
        if not 0 <= shrinkage <= EXACT:
            raise errors.InvalidSettingError(
                "shrinkage must be a finite number from 0 on, and at most 2^53, "
                f"but is {shorten(self.shrinkage)}. The paper's value is 1."
            )
        object.__setattr__(self, "shrinkage", shrinkage)
        object.__setattr__(self, "prior", Prior.of(shrinkage))
        super().__post_init__()

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return f"mean rating (shrinkage {self.shrinkage:g})"

    def bound(self, data: EntryData, entries: Entries, lowest: float, highest: float) -> Sensitivity:
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
        return Sensitivity.of(
            data,
            math.sqrt(most) * ROUNDING * unit,
            rule="mean rating of bounded ratings",
            units="users" if data.unit is None else f"{data.units.kind} units",
            moved="scores",
            scope=(
                f"ratings from {lowest:g} to {highest:g} that these users"
                f"{same_people(data)} give to the items they rated"
            ),
            numbers={"lowest": lowest, "highest": highest, "shrinkage": self.shrinkage},
        )


class RowMeans(EntrySums):
    """Scores of a matrix, where a row is what one task says of the items."""

    takes = ("scores",)
    prior = Prior(0.0, 1.0)
    way_out = (*errors.FEW_DATA, ", or use ", Option("missing", "drop"))
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

    def bound(self, data: EntryData, entries: Entries, lowest: float, highest: float) -> Sensitivity:
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
        return Sensitivity.of(
            data,
            self.largest_move(data, entries, Fraction(highest) - Fraction(lowest)),
            rule=self.rule,
            units=f"{data.units.kind} units",
            moved=self.moved,
            scope=scope,
            numbers={"lowest": lowest, "highest": highest, **sizes},
        )


@dataclass(frozen=True)
class ColumnMeans(RowMeans):
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

    name = "column means"
    rule, moved = "column means of bounded values", "means"

    value_range: tuple[float, float] | None = None

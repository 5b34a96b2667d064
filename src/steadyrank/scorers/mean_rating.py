"""Mean rating with shrinkage: the paper's ``sum / (shrinkage + count)``."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import (
    SHOWN,
    InvalidSettingError,
    ItemWithoutDataError,
    NothingLeftError,
    ValueRangeError,
    shorten,
)
from steadyrank.scorers.base import LeaveOneOut, SparseBlock, checked_kind, safe_unit, segment_sums
from steadyrank.scorers.rating_sums import SCAN, Prior, RatingSums, scan_form, user_ranges
from steadyrank.scorers.rating_table import RatingTable, Scale
from steadyrank.scorers.scanned import ScannedRatings
from steadyrank.scorers.sensitivity import ROUNDING, Sensitivity, checked_range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
    from steadyrank.data.ratings import Ratings
    from steadyrank.data.units import Units
    from steadyrank.engines.exact_sums import ExactForm

BLOCK_RATINGS = 1 << 19
"""How many ratings one block of leave-one-out scores covers."""
COLUMN_NUMBERS = 1 << 18
"""How many scores of chosen items are handed out at a time: few enough to stay in the cache."""


@dataclass(frozen=True)
class MeanRating:
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
        Not negative. The paper's value is 1.
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

    shrinkage: float = 1.0
    value_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        try:
            shrinkage = float(self.shrinkage)
        except (TypeError, ValueError):
            shrinkage = math.nan
        if not (math.isfinite(shrinkage) and shrinkage >= 0):
            raise InvalidSettingError(
                "shrinkage must be a finite number from 0 on, "
                f"but is {shorten(self.shrinkage)}. The paper's value is 1."
            )
        object.__setattr__(self, "shrinkage", shrinkage)
        object.__setattr__(self, "value_range", checked_range(self.value_range))

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return f"mean rating (shrinkage {self.shrinkage:g})"

    def score(self, data: Ratings | ScannedRatings) -> FloatArray:
        """Return the score of each item."""
        sums, _ = self._sums(data)
        return sums.scores()

    def leave_one_out(self, data: Ratings | ScannedRatings) -> LeaveOneOut:
        """Return the scores without each user."""
        sums, table = self._sums(data)
        if data.n_units < 2:
            raise NothingLeftError(data.units.kind)
        self._check_rated(data, sums.counts == 1, "the only user who rated them")
        if isinstance(data, ScannedRatings):
            return data.leave_one_out(sums)
        if table is None:
            return _DirectOut(sums.scores(), data.units, data, sums)
        return _TableOut(sums.scores(), data.units, data, sums, table)

    def sensitivity(self, data: Ratings | ScannedRatings) -> Sensitivity | None:
        r"""Return the most that one user can move the scores, or None without a ``value_range``.

        Write s for the shrinkage and N for the number of an item's ratings. Without a rating r
        the score changes by ``w - w\i = (r - w\i) / (s + N)``, and ``w\i`` lies between a and b
        times ``(N - 1) / (s + N - 1)`` if ratings lie in [a, b]. So one rating moves the score
        by at most

            max(b - a (N-1)/(s+N-1), b (N-1)/(s+N-1) - a) / (s + N),

        and a user by at most the root of the sum of squares over the items they rated. Each
        item's bound is reached, all of them at once.

        No bound for *all* ratings by n users goes down with n: everybody else may rate nothing,
        and one user everything. So this bound takes as given who rated what, and holds for any
        ratings in the range that these users give to these items.
        """
        sums, _ = self._sums(data)
        if self.value_range is None:
            return None
        self._check_rated(data, sums.counts == 1, "the only user who rated them")
        lowest, highest = self.value_range
        if isinstance(data, ScannedRatings):
            most = data.largest_squared_reach(self.shrinkage, lowest, highest)
        else:
            reach = _reach(sums.counts, self.shrinkage, lowest, highest) ** 2
            most = max(
                float(segment_sums(reach[data.rated[entries]], pointers).max())
                for entries, pointers in _ranges(data.indptr, BLOCK_RATINGS)
            )
        eps = math.sqrt(most) * ROUNDING
        return Sensitivity(
            eps=eps,
            rule="mean rating of bounded ratings",
            numbers={
                "n": data.n_units,
                "L": data.n_items,
                "lowest": lowest,
                "highest": highest,
                "shrinkage": self.shrinkage,
            },
            scope="any ratings in the range, by the same users of the same items",
            sentence=(
                f"Leaving out one of {data.n_units:,} users moves the scores by at most {eps:.6g}, "
                f"for any ratings from {lowest:g} to {highest:g} that these users give to the "
                "items they rated."
            ),
            squared=Fraction(eps) ** 2,
        )

    def _sums(self, data: Ratings | ScannedRatings) -> tuple[RatingSums, RatingTable | None]:
        from steadyrank.data.ratings import Ratings

        if isinstance(data, ScannedRatings):
            self._check_range(data.form)
            added = data.sums(Prior.of(self.shrinkage))
            self._check_rated(data, added.counts == 0, "")
            return added, None
        checked_kind(data, Ratings, scorer="MeanRating")
        prior, form = Prior.of(self.shrinkage), scan_form(data)
        self._check_range(form)
        scale = Scale.of(form, data)
        if scale is None:
            sums, table = _add_up(data, form, prior), None
        else:
            table = RatingTable.of(scale, data)
            sums = table.sums(prior)
        self._check_rated(data, sums.counts == 0, "")
        return sums, table

    def _check_range(self, form: ExactForm) -> None:
        if self.value_range is None:
            return
        lowest, highest = form.lowest / form.scale, form.highest / form.scale
        if lowest < self.value_range[0] or highest > self.value_range[1]:
            raise ValueRangeError(
                f"ratings go from {lowest:g} to {highest:g} and leave the stated "
                f"value_range={self.value_range}. State the range that ratings can have."
            )

    def _check_rated(self, data: Ratings | ScannedRatings, unrated: BoolArray, without: str) -> None:
        if self.shrinkage == 0 and unrated.any():
            places = np.flatnonzero(unrated)
            raise ItemWithoutDataError(
                [data.items[place] for place in places[:SHOWN]],
                len(places),
                without=without,
                way_out="Use a shrinkage above 0, or leave such items away.",
            )


def _add_up(data: Ratings, form: ExactForm, prior: Prior) -> RatingSums:
    items = data.n_items
    counts = np.zeros(items, dtype=np.int64)
    totals = tuple(np.zeros(items) for _ in form.parts(data.values[:0]))
    for start in range(0, len(data.values), BLOCK_RATINGS):
        part = slice(start, start + BLOCK_RATINGS)
        counts += np.bincount(data.rated[part], minlength=items)
        for addends, total in zip(form.parts(data.values[part]), totals, strict=True):
            np.add(total, np.bincount(data.rated[part], addends, items), out=total)
    return RatingSums(form, prior, counts, totals)


def _reach(counts: IntArray, shrinkage: float, lowest: float, highest: float) -> FloatArray:
    """Return how far one rating can move the score of an item with that many ratings."""
    others = np.maximum(counts - 1, 0)
    pull = others / np.where(others + shrinkage > 0, others + shrinkage, 1.0)
    widest = np.maximum(highest - lowest * pull, highest * pull - lowest)
    return np.asarray(widest / np.maximum(counts + shrinkage, 1e-300))


def _ranges(indptr: IntArray, entries: int) -> Iterator[tuple[slice, IntArray]]:
    """Yield the ratings of some users at a time, and their pointers from 0 on."""
    for first, last in user_ranges(indptr, entries):
        pointers = indptr[first : last + 1]
        yield slice(int(pointers[0]), int(pointers[-1])), pointers - pointers[0]


@dataclass(frozen=True)
class _RatingsOut(LeaveOneOut):
    scores: FloatArray
    units: Units
    data: Ratings
    sums: RatingSums

    @abstractmethod
    def _without(self, entries: slice | IntArray) -> FloatArray:
        """Return, for each of these ratings, the score of its item without it."""

    @abstractmethod
    def _squared_moves(self, entries: slice) -> FloatArray:
        """Return, for each of these ratings, the square of the change without it (in units)."""

    @property
    def _unit(self) -> float:
        """What changes are measured in, so that their squares neither overflow nor vanish."""
        return 1.0

    def blocks(self) -> Iterator[SparseBlock]:
        first = 0
        for entries, pointers in _ranges(self.data.indptr, BLOCK_RATINGS):
            yield SparseBlock(first, pointers, self.data.rated[entries], self._without(entries))
            first += len(pointers) - 1

    def shifts(self) -> FloatArray:
        squares = [
            segment_sums(self._squared_moves(entries), pointers)
            for entries, pointers in _ranges(self.data.indptr, SCAN)
        ]
        return np.asarray(np.sqrt(np.concatenate(squares)) * self._unit)

    def columns(
        self, items: IntArray, among: BoolArray | None = None
    ) -> Iterator[tuple[IntArray, FloatArray]]:
        wanted = np.zeros(len(self.scores), dtype=np.bool_)
        wanted[items] = True
        place = np.zeros(len(self.scores), dtype=np.int64)
        place[items] = np.arange(len(items))
        base = self.scores[items]
        step = max(1, COLUMN_NUMBERS // max(1, len(items)))
        for first in range(0, len(self.units), step):
            pointers = self.data.indptr[first : first + step + 1]
            kept = self._entries_of(wanted, int(pointers[0]), int(pointers[-1]))
            per_user = np.diff(np.searchsorted(kept, pointers))
            if among is not None:
                kept = kept[np.repeat(among[first : first + step], per_user)]
                per_user = per_user * among[first : first + step]
            if not len(kept):
                continue
            users = np.flatnonzero(per_user)
            scores = np.repeat(base[np.newaxis, :], len(users), axis=0)
            rows = np.repeat(np.arange(len(users)), per_user[users])
            scores[rows, place[self.data.rated[kept]]] = self._without(kept)
            yield users + first, scores

    def _entries_of(self, wanted: BoolArray, start: int, stop: int) -> IntArray:
        """Return the ratings of wanted items between two places."""
        rated = self.data.rated
        found = [
            np.flatnonzero(wanted.take(rated[at : min(at + SCAN, stop)], mode="clip")) + at
            for at in range(start, stop, SCAN)
        ]
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class _TableOut(_RatingsOut):
    """Ratings on a short scale: everything is looked up."""

    table: RatingTable

    @cached_property
    def _scores_without(self) -> FloatArray:
        return self.table.without(self.sums).reshape(-1)

    @cached_property
    def _squares(self) -> FloatArray:
        return self.table.squared_moves(self.sums).reshape(-1)

    def _cells(self, entries: slice | IntArray) -> AnyArray:
        return self.table.scale.cells(self.data.rated[entries], self.data.values[entries])

    def _without(self, entries: slice | IntArray) -> FloatArray:
        return self._scores_without.take(self._cells(entries), mode="clip")

    def _squared_moves(self, entries: slice) -> FloatArray:
        return self._squares.take(self._cells(entries), mode="clip")

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        cells = self._scores_without.reshape(len(self.scores), -1)
        return np.minimum(cells.min(axis=1), self.scores), np.maximum(cells.max(axis=1), self.scores)


@dataclass(frozen=True)
class _DirectOut(_RatingsOut):
    """Ratings on a long scale: every rating is computed with."""

    def _without(self, entries: slice | IntArray) -> FloatArray:
        return self.sums.without(self.data.rated[entries], self._parts(entries))

    def _squared_moves(self, entries: slice) -> FloatArray:
        return (self.sums.moves(self.data.rated[entries], self._parts(entries)) / self._unit) ** 2

    @cached_property
    def _unit(self) -> float:
        return safe_unit(self.scores)

    def _parts(self, entries: slice | IntArray) -> tuple[FloatArray, ...]:
        return self.sums.form.parts(self.data.values[entries])

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Use that a score without r goes down as r goes up: the extreme ratings suffice."""
        rated, values = self.data.rated, self.data.values
        lowest, highest = self.scores.copy(), self.scores.copy()
        items = np.flatnonzero(self.sums.counts)
        least = np.full(len(self.scores), values.max())
        most = np.full(len(self.scores), values.min())
        np.minimum.at(least, rated, values)
        np.maximum.at(most, rated, values)
        for extreme in (least[items], most[items]):
            without = self.sums.without(items, self.sums.form.parts(extreme))
            lowest[items] = np.minimum(lowest[items], without)
            highest[items] = np.maximum(highest[items], without)
        return lowest, highest

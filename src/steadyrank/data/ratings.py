"""Ratings: users give numbers to items. A user leaves with all their ratings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self, Unpack

import numpy as np

from steadyrank import errors
from steadyrank._typing import AnyArray, BoolArray, IntArray
from steadyrank.arrays import as_scores, check_length, compact
from steadyrank.data.families import EntryObservations
from steadyrank.data.kinds import RATINGS, SCORES
from steadyrank.data.observations import set_fields
from steadyrank.data.rows import check_some, check_spans, in_strict_order
from steadyrank.data.units import People, agreed, of_people, renumbered
from steadyrank.errors import shorten
from steadyrank.labels import encode, unique_labels
from steadyrank.sums.exact import together
from steadyrank.sums.sparse import SparseEntries
from steadyrank.text import counted, counted_are

MERGED = ("error", "last", "mean")
"""What may be done about repeated ratings."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Ratings(EntryObservations):
    """Who rated what, and how. The unit is the user with all their ratings, or a group of users.

    Parameters
    ----------
    user, item : array, series or iterable
        For each rating, the label of its user and of its item.
    score : array, series or iterable
        The ratings. Whole numbers and float32 keep a small type; the rest becomes float64.
    duplicates : {"error", "last", "mean"}
        What to do where a user rated an item more than once.
    items, users : iterable, optional
        The full lists, in order, also of those without a rating.
    weights : iterable of float, optional
        For each rating, how much its user counts, from 0 on; 1 each by default.
    units : array, series or iterable, optional
        For each rating, the label of its user's group (household, region); a group leaves together.
    unit_kind : str
        What one such group is, in the singular.

    Attributes
    ----------
    indptr : int64 array
        The ratings of user u are at ``indptr[u]:indptr[u + 1]``, sorted by item.
    rated : int32 array
        For each rating, the place of its item in ``items``.
    values : array
        The ratings.
    user_labels : sequence
    weights, unit
        As for all observations, of each user.

    Examples
    --------
    >>> ratings = Ratings(["u", "v", "u"], ["film", "film", "book"], [5, 3, 4])
    >>> ratings
    <Ratings: 2 users, 2 items: 'book', 'film'>
    >>> ratings.indptr, ratings.rated, ratings.values
    (array([0, 2, 3]), array([0, 1, 1], dtype=int32), array([4, 5, 3], dtype=int8))
    """

    kind = RATINGS

    _row_fields: ClassVar[tuple[str, ...]] = ("user_labels",)
    _entry_fields, _item_fields = ("rated", "values"), ("rated",)
    user_labels: Sequence[object]
    indptr: IntArray
    rated: AnyArray
    values: AnyArray

    def __init__(
        self,
        user: Any,
        item: Any,
        score: Any,
        *,
        duplicates: str = "error",
        items: Iterable[object] | None = None,
        users: Iterable[object] | None = None,
        **people: Unpack[People],
    ) -> None:
        if duplicates not in MERGED:
            raise errors.not_a_choice("duplicates", duplicates, MERGED)
        stars = compact(as_scores(score, "score"))
        user_codes, all_users = encode(user, known=users, what="users")
        item_codes, all_items = encode(item, known=items, what="items")
        check_some(len(stars), "ratings")
        check_length(user_codes, len(stars), "user")
        check_length(item_codes, len(stars), "item")
        by_user = agreed(people, user_codes, len(all_users), "user")
        alone = (
            people.get("unit_kind", "user") if people.get("units") is None else "user"
        )
        fields = of_people(np.ones(len(all_users), dtype=np.int64), alone, **by_user)
        if not in_strict_order(user_codes, item_codes):
            cells = user_codes.astype(np.int64) * len(all_items) + item_codes
            order = np.argsort(cells, kind="stable")
            user_codes, item_codes, stars = (
                user_codes[order],
                item_codes[order],
                stars[order],
            )
            same = (user_codes[1:] == user_codes[:-1]) & (
                item_codes[1:] == item_codes[:-1]
            )
            again = np.append(False, same)  # sorted entries: the one before is the same
            if again.any():
                if duplicates == "error":
                    first = np.flatnonzero(again)[0]
                    user, item = (
                        all_users[user_codes[first]],
                        all_items[item_codes[first]],
                    )
                    raise _duplicates(user, item, order[again])
                starts = np.flatnonzero(~again)
                rated = item_codes
                user_codes, item_codes = user_codes[starts], item_codes[starts]
                stars = merged_values(stars, starts, rated, len(all_items), duplicates)
                how = (
                    "the last one kept" if duplicates == "last" else "their mean taken"
                )
                said = f"{counted(int(again.sum()), 'repeated rating')} of an item by a user: {how}"
                fields["notes"] = (*fields["notes"], said)
        indptr = np.searchsorted(
            user_codes, np.arange(len(all_users) + 1, dtype=user_codes.dtype)
        )
        made = {"indptr": indptr.astype(np.int64), "rated": item_codes, "values": stars}
        self._filled(items=all_items, user_labels=all_users, **made, **fields)

    @cached_property
    def entries(self) -> SparseEntries:
        """The ratings as values that units give to items, with their sums."""
        return self._added_up(self.indptr, self.rated, self.values)

    def _of_items(self, kept: BoolArray) -> dict[str, Any]:
        entry, before = kept[self.rated], np.diff(self.indptr)
        indptr = np.append(0, np.cumsum(entry))[self.indptr]
        rated = renumbered(kept)[self.rated[entry]].astype(np.int32)
        left = {"indptr": indptr, "rated": rated, "values": compact(self.values[entry])}
        users = np.flatnonzero((np.diff(indptr) > 0) | (before == 0))
        return self._changed(left)._rows(users)  # noqa: SLF001 (one of us)

    @classmethod
    def from_csr(
        cls,
        indptr: Any,
        rated: Any,
        values: Any,
        *,
        items: Iterable[object] | int | None = None,
        users: Sequence[object] | None = None,
    ) -> Self:
        """Take ratings that are already grouped by user, without copying them.

        Parameters
        ----------
        indptr, rated, values : array
            As the attributes. Within a user, items must go up strictly.
        items : iterable or int, optional
            The labels of the items, or their number; by default they are called 0, 1, 2...
        users : sequence, optional
            The labels of the users; by default 0, 1, 2...

        Examples
        --------
        >>> Ratings.from_csr([0, 2, 3], [0, 1, 1], [4, 5, 3], items=["book", "film"])
        <Ratings: 2 users, 2 items: 'book', 'film'>
        """
        pointers = np.asarray(indptr).astype(np.int64, copy=False)
        codes = np.asarray(rated)
        stars = compact(as_scores(values, "values"))
        check_some(len(stars), "ratings")
        named = int(codes.max()) + 1 if items is None else items
        labels = tuple(range(named)) if isinstance(named, int) else unique_labels(named)
        check_length(stars, len(codes), "values")
        check_spans(pointers, codes, len(labels))
        falls = codes[1:] <= codes[:-1]
        falls[pointers[(pointers > 0) & (pointers < len(codes))] - 1] = (
            False  # a user may start anew
        )
        if falls.any():
            raise errors.InvalidDataError(
                "the items of each user must be in increasing order, each once",
                rows=np.flatnonzero(falls) + 1,
                way_out="Sort them, or use Ratings(user, item, score).",
            )
        people: Sequence[object] = range(len(pointers) - 1) if users is None else users
        if len(people) != len(pointers) - 1:
            raise errors.InvalidScoresError(
                f"users has {len(people):,} labels for {len(pointers) - 1:,} users in indptr."
            )
        return set_fields(
            cls.__new__(cls),
            items=labels,
            user_labels=people
            if isinstance(people, range)
            else unique_labels(people, "users"),
            indptr=pointers,
            rated=codes.astype(np.int32, copy=False),
            values=stars,
        )


@dataclass(frozen=True, init=False, eq=False, repr=False)
class LongScores(Ratings):
    """Scores in long form, one row per score: read by the role ``score``, and scored by the mean."""

    kind = SCORES


@dataclass(frozen=True, init=False, eq=False, repr=False)
class RowScores(LongScores):
    """Scores of rows (tasks) within which scorers may compare items.

    Each score is a user of its own here, so that the unit can be anything.

    Attributes
    ----------
    row : int array
        For each score, the place of its row in ``row_names``.
    row_names : sequence
    """

    _row_fields: ClassVar[tuple[str, ...]] = ("row", "user_labels")
    row: IntArray
    row_names: Sequence[object]


def merged_values(
    values: AnyArray, starts: AnyArray, rated: AnyArray, items: int, duplicates: str
) -> AnyArray:
    """Return one value for the repeated ratings from each start to the next."""
    ends = np.append(starts[1:], len(values))
    if duplicates == "last":
        return np.asarray(values[ends - 1])
    times = ends - starts
    one_user = np.array([0, len(values)])
    form = SparseEntries(one_user, rated, values, items, addends=int(times.max())).form
    totals = tuple(np.add.reduceat(part, starts) for part in form.parts(values, rated))
    means = form.ratio(together(totals), 1.0, times, rated[starts])
    return np.where(times == 1, values[starts], means)


def _duplicates(user: object, item: object, rows: AnyArray) -> errors.InvalidDataError:
    return errors.InvalidDataError(
        f"{counted_are(len(rows), 'rating', 'repeated')}: user {shorten(user)} rated {shorten(item)} "
        "more than once",
        rows=rows,
        way_out='Keep the last with duplicates="last", or average with duplicates="mean".',
    )

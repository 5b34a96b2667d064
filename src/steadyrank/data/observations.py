"""What all kinds of observations have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import compress
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np

from steadyrank import errors
from steadyrank._typing import BoolArray, FloatArray, IntArray, frozen
from steadyrank.arrays import as_counts, is_hashable
from steadyrank.data.kinds import Kind
from steadyrank.data.rows import check_total, some_of
from steadyrank.data.units import Shares, Units, remaining_groups, whole_parts
from steadyrank.errors import Option, listing, shorten
from steadyrank.operators.checks import check_whole
from steadyrank.sums.blocks import repeated_spans
from steadyrank.text import counted, html_of, noun_of, plural, shortened

NAME_COLUMNS = 40
"""How much of a name is shown in what a unit said."""


class Origin(NamedTuple):
    """Where data come from, if they were read: what was said, and what follows from that.

    Parameters
    ----------
    reading : dict, optional
        The header that was taken, the column of each role, and what was skipped.
    scorer : str
        The usual scorer of the role that holds the values, if it is not that of the kind.
    library : str, optional
        The library of a dataframe.
    """

    reading: dict[str, Any] | None = None
    scorer: str = ""
    library: str | None = None


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Observations(ABC):
    """A frozen set of observations about a fixed list of items.

    Attributes
    ----------
    items : tuple
        The labels of the items. Codes in the other fields are places in this tuple.
    notes : tuple of str
        What was skipped and which policies were applied, in plain words.
    weights : float array or None
        How much each row counts (each user, of ratings); None where all count the same.
    unit : int array or None
        For each row (each user), the place of its group in ``units``; None without groups.
    """

    kind: ClassVar[Kind]
    _item_fields: ClassVar[tuple[str, ...]] = ()
    """The fields of places of items, or with a column for each item."""
    _row_fields: ClassVar[tuple[str, ...]] = ()
    """The fields with an entry for each row, or user; the last one names or counts them."""
    _entry_fields: ClassVar[tuple[str, ...]] = ()
    """The fields whose entries of a row are at ``indptr[row]:indptr[row + 1]``."""
    items: tuple[object, ...]
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    _origin: Origin = field(default=Origin(), kw_only=True)
    weights: FloatArray | None = field(default=None, kw_only=True)
    unit: IntArray | None = field(default=None, kw_only=True)
    _unit_labels: Sequence[object] | None = field(default=None, kw_only=True)
    _unit_kind: str = field(default="", kw_only=True)
    _least: int = field(default=0, kw_only=True)
    """How many observations an item had to have to be one of the items."""

    @cached_property
    def _shares(self) -> Shares:
        """What rows add to the distinct units, for scorers."""
        parts, scale = whole_parts(self.weights)
        rows = np.arange(self._n_rows)
        unit = rows if self.unit is None else self.unit
        return Shares(
            rows, unit, np.broadcast_to(parts, rows.shape), scale, self.units.counts
        )

    @cached_property
    def units(self) -> Units:
        """The distinct units that can be left out, with their counts: the rows, or their groups."""
        labels = (
            getattr(self, self._row_fields[-1])
            if self._unit_labels is None
            else self._unit_labels
        )
        counts = np.ones(len(labels), dtype=np.int64)
        return Units(
            self._unit_kind or self.kind.unit, counts, labels, self.unit is not None
        )

    @property
    @abstractmethod
    def item_counts(self) -> IntArray:
        """How many votes, ballots, ratings, battles, scores or rows stand behind each item."""

    @property
    def _most_of_one(self) -> IntArray:
        """The most observations of each item that leave with one unit, or a bound of it."""
        rows = 1 if self.unit is None else int(np.bincount(self.unit).max())
        return np.full(self.n_items, rows)

    @property
    def n_items(self) -> int:
        """The number L of items."""
        return len(self.items)

    @property
    def n_units(self) -> int:
        """The number n of units, equal ones counted as often as they occur."""
        return self.units.total

    @property
    def _n_rows(self) -> int:
        """How many rows, or users, there are."""
        return len(getattr(self, self._row_fields[-1]))

    def _weighted(self, told: object, row: int, mark: str = "; ") -> Any:
        """Return what a row says with its weight, where it says something and not all count the same."""
        if told is None or self.weights is None:
            return told
        weight = f"weight {self.weights[row]:.6g}"
        return f"{told}{mark}{weight}"

    def __repr__(self) -> str:
        units, items = (
            counted(self.n_units, self.units.kind),
            counted(self.n_items, "item"),
        )
        shown = listing(map(shorten, self.items), self.n_items)
        return f"<{type(self).__name__}: {units}, {items}: {shown}>"

    def _repr_html_(self) -> str:
        """Show the first items in a notebook, with how many observations each has."""
        units, items = (
            counted(self.n_units, self.units.kind),
            counted(self.n_items, "item"),
        )
        counts = {plural(self.kind.observation): self.item_counts.tolist()}
        return html_of(
            f"{type(self).__name__}: {units}, {items}", {"item": self.items, **counts}
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:  # noqa: B027 (most data have nothing to close)
        """Give up what was opened for the data; those in memory have nothing open."""

    def _filled(self, **made: Any) -> Self:
        """Fill in the fields of new data; rows that count for nothing are not there."""
        set_fields(self, **made)
        heavy = (
            np.ones(self._n_rows, dtype=bool)
            if self.weights is None
            else self.weights > 0
        )
        there = heavy & (vars(self).get("counts", heavy) > 0)
        if there.all():
            return self
        light = int((~heavy).sum())
        row = "row" if "counts" in vars(self) else self.kind.unit
        note = (f"{counted(light, row)} of weight 0 left out",) if light else ()
        return set_fields(
            self, **self._rows(np.flatnonzero(there)), notes=(*self.notes, *note)
        )

    def without(self, units: int | Iterable[int]) -> Self:
        """Return the data without some units; the list of items stays as it is.

        Parameters
        ----------
        units : int or iterable of int
            The numbers of distinct units in ``self.units``. A number that occurs again takes
            another copy of that unit away.

        Examples
        --------
        >>> from steadyrank.data import Votes
        >>> votes = Votes(["ann", "bob", "ann"])
        >>> votes.without(1).units.counts, votes.without([0, 0]).units.counts
        (array([2]), array([1]))
        """
        given = list(units) if isinstance(units, Iterable) else [units]
        copies = np.array(self.units.counts, dtype=np.int64)
        for unit in given:
            if not 0 <= unit < len(copies) or not copies[unit]:
                raise errors.InvalidValueError(
                    f"units must be numbers from 0 to {len(copies) - 1:,} (the distinct units), each at "
                    f"most as often as it occurs, but there is {shorten(unit)}"
                )
            copies[unit] -= 1
        if not copies.any():
            raise errors.nothing_left(self.units.kind)
        return self.with_copies(copies)

    def with_copies(self, copies: Any) -> Self:
        """Return data that hold ``copies[u]`` copies of each distinct unit u, all else unchanged.

        Rows keep their order. Copies of a user, a row or a group are units of their own where each
        row is a unit; copies of a group of battles count as one group of as many times its battles.

        Parameters
        ----------
        copies : int array
            One number for each distinct unit of ``self.units``.

        Examples
        --------
        >>> from steadyrank.data import Regression
        >>> data = Regression([[1.0], [2.0], [3.0]], [4.0, 5.0, 6.0])
        >>> data.with_copies([2, 0, 1]).y
        array([4., 4., 6.])
        """
        numbers = as_counts(copies, len(self.units), "copies")
        check_total(numbers, "copies")
        return self._changed(self._copied(numbers))

    def _changed(self, changes: dict[str, Any]) -> Self:
        """Return the data with some fields changed: a new object, which takes over nothing cached."""
        kept = {
            each.name: vars(self)[each.name]
            for each in fields(self)
            if each.name in vars(self)
        }
        return set_fields(object.__new__(type(self)), **kept | changes)

    def _copied(self, copies: IntArray) -> dict[str, Any]:
        """Return the fields that change when there are ``copies`` of each distinct unit."""
        times = copies if self.unit is None else copies[self.unit]
        return self._rows(np.repeat(np.arange(len(times)), times))

    def _rows(self, rows: IntArray, **changed: Any) -> dict[str, Any]:
        """Return the fields of some rows, of which a few may have changed, and who is behind them."""
        columns = {name: getattr(self, name) for name in self._row_fields} | changed
        found = {name: some_of(column, rows) for name, column in columns.items()}
        if self._entry_fields:
            found["indptr"], entries = repeated_spans(vars(self)["indptr"], rows)
            found |= {name: getattr(self, name)[entries] for name in self._entry_fields}
        left = None if self.weights is None else self.weights[rows]
        return (
            found
            | {"weights": left}
            | remaining_groups(self.unit, self._unit_labels, rows)
        )

    def _numbers(self, units: Iterable[int]) -> tuple[int, ...]:
        """Return numbers of units so that :meth:`without` knows whose they are."""
        return tuple(units)

    def keeping(self, items: Iterable[object]) -> Self:
        """Return the data about some items alone, as if nothing had been said of the others.

        Votes for the others go, battles with them, their ratings and columns; ballots keep the order of
        the rest. A unit that had nothing else is no unit any more, as in a file without its rows. Who
        approves of none of the items still voted, and a user in the list who rated nothing stays
        there. Rows that were dropped for their gaps do not come back.

        Parameters
        ----------
        items : iterable
            The labels of the items that stay; their order stays as it is.

        Examples
        --------
        >>> from steadyrank.data import Votes
        >>> votes = Votes(["ann", "bob", "ann", "cyd"]).keeping(["cyd", "ann"])
        >>> votes, votes.notes
        (<Votes: 3 votes, 2 items: 'ann', 'cyd'>, ("left out: 'bob'; 1 vote had nothing else",))
        """
        wanted = [items] if isinstance(items, str | bytes) else list(items)
        known = set(self.items)
        unknown = [
            label for label in wanted if not is_hashable(label) or label not in known
        ]
        if unknown:
            raise errors.InvalidLabelError(
                f"there is no item {shorten(unknown[0])}",
                way_out=f"The items are {listing(map(shorten, self.items), self.n_items)}.",
            )
        stay = set(wanted)
        kept = np.array([label in stay for label in self.items])
        gone = [shorten(label) for label in self.items if label not in stay]
        return self._with_items(kept, f"left out: {listing(gone)}")

    def with_min_count(self, least: int) -> Self:
        """Return the data about the items that have at least so many observations.

        The others are left out once, as by :meth:`keeping`: what is left may have fewer then.

        Parameters
        ----------
        least : int
            The fewest that an item may have, of what ``item_counts`` count.

        Examples
        --------
        >>> from steadyrank.data import Battles
        >>> battles = Battles(["x", "y", "x"], ["y", "x", "z"], ["left", "right", "tie"])
        >>> battles.with_min_count(2).notes[0]
        '1 item with fewer than 2 battles is left out; 1 battle had nothing else'
        """
        kept = self.item_counts >= check_whole(
            f"the fewest {plural(self.kind.observation)}", least, 1
        )
        few = f"fewer than {counted(int(least), self.kind.observation)}"
        gone = int((~kept).sum())
        note = f"{counted(gone, 'item')} with {few} {'is' if gone == 1 else 'are'} left out"
        made = copy(self._with_items(kept, note))  # what is cached stays true
        return set_fields(made, _least=int(least))

    def _with_items(self, kept: BoolArray, note: str) -> Self:
        if kept.all():
            return self
        # Battles need both of their items, so some may have had only others.
        labels = {"items": tuple(compress(self.items, kept))}
        some = self.item_counts[kept].any()
        made = self._changed(self._of_items(kept) | labels) if some else None
        if made is None or not made.item_counts.any():
            what = plural(self.kind.observation)
            raise errors.EmptyDataError(
                f"no {what} are left: {note}", way_out="Keep more items."
            )
        silent = self.n_units - made.n_units
        more = (
            f"; {counted(silent, self.units.kind)} had nothing else" if silent else ""
        )
        return with_notes(made, note + more)

    def _of_items(self, kept: BoolArray) -> dict[str, Any]:  # noqa: ARG002 (always refused)
        """Return the fields that change when only the marked items stay, but the labels."""
        raise errors.InvalidDataError(
            f"no item can be left out of {self.kind.name}: all of them make up its scores together",
            way_out=[
                "Name the columns that should be in it as ",
                Option("features", several=True),
            ],
        )

    def said(
        self,
        units: Sequence[int],
        items: Sequence[Sequence[int]],  # noqa: ARG002
    ) -> list[str | None]:
        """Return what some distinct units said about some items, in short, for people.

        Parameters
        ----------
        units : sequence of int
            The numbers of distinct units in ``self.units``.
        items : sequence of sequences of int
            For each of these units, the places of the items in question in ``self.items``.

        Returns
        -------
        list of str or None
            None where a unit says nothing of its items. Numbers have six digits; names are safe to show.

        Examples
        --------
        >>> from steadyrank.data import Ratings
        >>> ratings = Ratings(["u", "v", "u"], ["film", "film", "book"], [5, 3, 4])
        >>> ratings.said([0, 1], [(1, 0), (0,)])
        ['film 5, book 4', None]
        """
        return [None] * len(units)

    def _named(self, item: int) -> str:
        return shortened(self.items[item], NAME_COLUMNS)


Data = TypeVar("Data", bound=Observations)


def set_fields(data: Data, **fields: Any) -> Data:
    """Fill in the fields of a frozen class, arrays as views that nobody can write to; return it."""
    for name, value in fields.items():
        kept = frozen(value) if isinstance(value, np.ndarray) else value
        object.__setattr__(data, name, kept)
    return data


def with_notes(data: Data, *notes: str, first: bool = False) -> Data:
    """Return the data with further notes: last, or first, before those about policies."""
    every = (*notes, *data.notes) if first else (*data.notes, *notes)
    return data._changed({"notes": every})  # noqa: SLF001 (one of us)


def must_keep(data: Observations, removals: int) -> str:
    """Return what each item must keep to be one without so many units; "" where it surely does.

    An item that nothing is said of stays: it is in the list of items for another reason.
    """
    least, counts = data._least, data.item_counts  # noqa: SLF001 (one of us)
    left = counts - removals * data._most_of_one  # noqa: SLF001
    if least > 1:
        few = (left < least).any()
        return f"at least {counted(least, data.kind.observation)}" if few else ""
    return "some data" if ((left < 1) & (counts > 0)).any() else ""


def numbers_of(data: Observations, units: Iterable[int]) -> tuple[int, ...]:
    """Return numbers of units for ``without``, also of the data that ``data`` were prepared from."""
    return data._numbers(units)  # noqa: SLF001 (one of us)


def shares_of(data: Observations) -> Shares:
    """Return what rows add to the distinct units, for scorers."""
    return data._shares  # noqa: SLF001 (one of us)


def origin_of(data: Observations) -> Origin:
    """Return where data come from."""
    return data._origin  # noqa: SLF001 (study and report say it)


def item_noun(data: Observations) -> str:
    """Return what one item is called: as its column, if that is a word and no unit's name."""
    roles = (origin_of(data).reading or {"roles": {}})["roles"]
    column = roles.get("item") or roles.get("choice")
    noun = noun_of(column) if isinstance(column, str) else ""
    return noun if noun and noun != data.units.kind else "item"


def usual_scorer(data: Observations) -> str:
    """Return how data are scored unless said, as on the command line."""
    approval = "approval" if getattr(data, "approval", False) else ""
    return origin_of(data).scorer or approval or data.kind.scorer


def nearly_equal(items: Sequence[object]) -> list[str]:
    """Return a note of items that differ only in blanks and case: one thing, perhaps, typed twice."""
    alike: dict[str, list[object]] = {}
    for item in items:
        if isinstance(item, str):
            alike.setdefault("".join(item.split()).casefold(), []).append(item)
    twice = [those for those in alike.values() if len(those) > 1]
    shown = listing(
        (" and ".join(map(shorten, those)) for those in twice), between="; "
    )
    return (
        [f"items that differ only in blanks or case are kept apart: {shown}"]
        if twice
        else []
    )

"""Ballots: each voter puts some items in order, or approves some."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, Self, Unpack

import numpy as np

from steadyrank import errors
from steadyrank._typing import AnyArray, BoolArray, IntArray
from steadyrank.data.families import CountedRows
from steadyrank.data.kinds import BALLOTS
from steadyrank.data.observations import set_fields
from steadyrank.data.rows import check_some, repeated_cells, row_counts
from steadyrank.data.units import People, agreed, of_people, renumbered, said_of
from steadyrank.errors import NO_BLANKS, Option, listing, shorten
from steadyrank.reading.arrays import as_counts, is_missing, numbered, objects
from steadyrank.reading.labels import BETWEEN, encode, marks_between, parted
from steadyrank.reading.roles import Resolved
from steadyrank.reading.table import Column, Guess, Table, simplify
from steadyrank.reading.text_columns import TextColumn, labels_of
from steadyrank.reading.words import known
from steadyrank.text import counted

TIED = (list, tuple, set, frozenset, np.ndarray)


class BallotArrays(NamedTuple):
    """Entries of all ballots, one after the other, as item codes."""

    indptr: IntArray
    ranked: IntArray
    levels: IntArray

    def canonical(
        self, items: Sequence[object], *, approval: bool
    ) -> dict[str, IntArray]:
        """Sort each ballot by level and item, with levels 0, 1, 2...; refuse an item named twice."""
        indptr, ranked, levels = self
        rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        again = repeated_cells(rows, ranked)
        if len(again):
            raise errors.InvalidDataError(
                f"a ballot names {shorten(items[ranked[again[0]]])} twice",
                rows=np.unique(rows[again]),
                way_out="Correct these ballots.",
            )
        order = np.lexsort((ranked, levels, rows))
        ranked, levels = ranked[order], levels[order]
        if approval or not len(ranked):
            return {"indptr": indptr, "ranked": ranked, "levels": np.zeros_like(levels)}
        new_tier = np.zeros(len(levels), dtype=np.int64)
        new_tier[1:] = (levels[1:] != levels[:-1]) | (rows[1:] != rows[:-1])
        tiers = np.cumsum(new_tier)
        return {
            "indptr": indptr,
            "ranked": ranked,
            "levels": tiers - tiers[indptr[rows]],
        }


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Ballots(CountedRows):
    """Orders of some items, ties allowed, or sets of approved items. The unit is the ballot, or a group.

    Equal ballots (of one weight, in one group) are kept once, with the sum of their counts, in order of
    first appearance.

    Parameters
    ----------
    ballots : iterable
        Each ballot is a sequence, best first, whose entries are a label or a list, tuple or set
        of tied labels. With ``approval`` each is a collection of the approved labels.
    counts : iterable of int, optional
        How many equal ballots each row stands for.
    items : iterable, optional
        The list of items, in order, also those on no ballot.
    approval : bool
        Whether ballots are sets of approved items instead of orders.
    weights : iterable of float, optional
        How much each ballot of a row counts, from 0 on; 1 each by default.
    units : array, series or iterable, optional
        For each row, the label of the group (region, household) that leaves together.
    unit_kind : str
        What one such group is, in the singular.

    Attributes
    ----------
    indptr : int64 array
        The entries of distinct ballot b are at ``indptr[b]:indptr[b + 1]``, best first.
    ranked : int64 array
        For each entry, the place of its item in ``items``.
    levels : int64 array
        For each entry, its tier on the ballot, 0 the best; all 0 with ``approval``.
    counts : int64 array
        How often each distinct ballot occurs.
    approval : bool
    weights, unit
        As for all observations; a row is a distinct ballot.

    Examples
    --------
    >>> ballots = Ballots([["x", "y"], ["y", {"x", "z"}], ["x", "y"]])
    >>> ballots
    <Ballots: 3 ballots, 3 items: 'x', 'y', 'z'>
    >>> list(ballots.units.labels), ballots.counts
    (['x > y', 'y > x = z'], array([2, 1]))
    """

    kind = BALLOTS

    _row_fields, _entry_fields, _item_fields = (
        ("counts",),
        ("ranked", "levels"),
        ("ranked",),
    )
    indptr: IntArray
    ranked: IntArray
    levels: IntArray
    counts: IntArray
    approval: bool

    def __init__(
        self,
        ballots: Iterable[Any],
        *,
        counts: Any = None,
        items: Iterable[object] | None = None,
        approval: bool = False,
        **people: Unpack[People],
    ) -> None:
        indptr, entries, levels = flatten(ballots, approval=approval)
        with errors.rows_among(np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))):
            codes, labels = encode(entries, known=items, what="items")
        arrays = BallotArrays(indptr, codes.astype(np.int64), levels)
        self._set(arrays, counts, labels, approval=approval, **people)

    def _set(
        self,
        arrays: BallotArrays,
        counts: Any,
        labels: tuple[object, ...],
        *,
        approval: bool,
        **people: Unpack[People],
    ) -> Self:
        size = len(arrays.indptr) - 1
        check_some(size, "ballots")
        if not labels:
            raise errors.EmptyDataError(
                "no ballot names an item",
                way_out=["Give the list as ", Option("items", several=True)],
            )
        times = row_counts(counts, size, "ballots")
        fields = {
            **arrays.canonical(labels, approval=approval),
            **of_people(times, "ballot", **people),
        }
        self._filled(items=labels, approval=approval, counts=times, **fields)
        return set_fields(self, **self._merged())

    @property
    def _keys(self) -> IntArray:
        return np.arange(len(self.counts))  # equal ballots are one row

    def _describe(self, ballot: int) -> str:
        span = slice(self.indptr[ballot], self.indptr[ballot + 1])
        names = [str(self.items[code]) for code in self.ranked[span]]
        return (
            "{" + ", ".join(names) + "}"
            if self.approval
            else _order(names, self.levels[span])
        )

    def _said(self, ballot: int, those: Sequence[int]) -> str | None:
        span = np.arange(self.indptr[ballot], self.indptr[ballot + 1])
        span = span[np.isin(self.ranked[span], those)]
        if not len(span):
            return None
        ranked = self.ranked[span].tolist()
        names = [self._named(item) for item in ranked]
        absent = listing([self._named(item) for item in those if item not in ranked])
        told = (
            f"approves {listing(names)}"
            if self.approval
            else _order(names, self.levels[span])
        )
        return f"{told}; not {absent}" if absent else told

    def _of_items(self, kept: BoolArray) -> dict[str, Any]:
        entry = kept[self.ranked]
        indptr = np.append(0, np.cumsum(entry))[self.indptr]
        left = BallotArrays(
            indptr, renumbered(kept)[self.ranked[entry]], self.levels[entry]
        )
        ballots = left.canonical(self.items, approval=self.approval)
        voted = self.approval | (
            np.diff(indptr) > 0
        )  # who approves of none of them still voted
        made = self._changed({**ballots, "counts": self.counts * voted})
        return made._merged()  # noqa: SLF001 (one of us)

    def _merged(self) -> dict[str, Any]:
        """Return the fields of these ballots once some may be equal: by weight and group, each once.

        Each stands where the first one of its kind stood.
        """
        rows, said = (
            np.flatnonzero(self.counts),
            np.stack([self.ranked, self.levels], axis=1),
        )
        spans = zip(self.indptr[rows], self.indptr[rows + 1], strict=True)
        keys: list[Any] = [said[one:end].tobytes() for one, end in spans]
        for people in (self.weights, self.unit):
            if people is not None:
                keys = list(zip(keys, people[rows].tolist(), strict=True))
        codes, distinct = numbered(keys)
        totals = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(totals, codes, self.counts[rows])
        return self._rows(rows[np.unique(codes, return_index=True)[1]]) | {
            "counts": totals
        }

    @classmethod
    def _from_columns(cls, found: Resolved) -> Self:
        approval = _is_approval(found)
        if "user" not in found.columns:
            return cls._of_orders(found, approval=approval)
        voters, voting = encode(found.values("user"), what="users")
        codes, labels = encode(found.values("item"), known=found.settings.get("items"))
        ranks = np.zeros(len(codes)) if approval else found.values("rank")
        _, levels = np.unique(np.asarray(ranks), return_inverse=True)
        order = np.lexsort((levels, voters))
        if found.settings.get("repeats") == "skip":
            later = repeated_cells(voters[order], codes[order])
            _say_again(found.table, len(np.unique(voters[order[later]])))
            order = np.delete(order, later)
        indptr = np.searchsorted(voters[order], np.arange(len(voting) + 1))
        arrays = BallotArrays(indptr, codes[order].astype(np.int64), levels[order])
        people = agreed(found.people(), voters, len(voting), "user")
        self = cls.__new__(cls)
        return self._set(arrays, None, labels, approval=approval, **people)

    @classmethod
    def _of_orders(cls, found: Resolved, *, approval: bool) -> Self:
        """Take orders without the entries that are no answers, and without repeats if these are skipped.

        An order that has nothing else is none any more.
        """
        orders = _orders_of(found, approval=approval)
        dropping, blank = (
            found.reading["drop"],
            "" in found.reading["drop"].texts and not approval,
        )
        indptr, entries, levels = flatten(orders, approval=approval, empty=blank)
        counts, sizes = (
            as_counts(found.values("count"), len(found.table)),
            np.diff(indptr),
        )
        kept, owner = np.arange(len(entries)), np.repeat(np.arange(len(sizes)), sizes)
        if dropping.texts:
            kept = np.array(
                [place for place in kept if dropping.keeps(entries[place])],
                dtype=np.int64,
            )
        with errors.rows_among(owner[kept]):
            codes, labels = encode(
                entries[kept], known=found.settings.get("items"), what="items"
            )
        if (
            found.settings.get(
                "repeats", "skip" if "ranks" in found.columns else "error"
            )
            == "skip"
        ):
            later = repeated_cells(owner[kept], codes)
            _say_again(found.table, int(counts[np.unique(owner[kept[later]])].sum()))
            kept, codes = np.delete(kept, later), np.delete(codes, later)
        left = np.bincount(owner[kept], minlength=len(sizes))
        gone = (left == 0) & ((sizes > 0) | blank)
        dropping.met[""] += int((gone & (sizes == 0)).sum())
        dropping.rows += int(gone.sum())
        stay = np.flatnonzero(~gone)
        arrays = BallotArrays(
            np.append(0, np.cumsum(left[stay])), codes.astype(np.int64), levels[kept]
        )
        people, self = said_of(found.people(), stay, len(sizes)), cls.__new__(cls)
        with errors.rows_among(stay):
            return self._set(arrays, counts[stay], labels, approval=approval, **people)

    @classmethod
    def _settled(cls, found: Resolved) -> Resolved:
        settled, columns = super()._settled(found), found.columns
        if "ranks" in columns:
            names = columns["ranks"]
            read = map(objects, _choices([found.table.columns[name] for name in names]))
            return settled.reading_as(dict(zip(names, read, strict=True)))
        if "ballot" not in columns:
            return settled
        approval = settled.settings["approval"] = _is_approval(found)
        return settled.reading_as(
            {columns["ballot"]: objects(_orders_of(found, approval=approval))}
        )


def flatten(
    ballots: Iterable[Any], *, approval: bool, empty: bool = False
) -> tuple[IntArray, AnyArray, IntArray]:
    """Lay the ballots out: where each begins, and the labels and levels of all entries.

    Of approvals, and if ``empty`` says so, a ballot may name nothing.

    Examples
    --------
    >>> indptr, labels, levels = flatten([["x", ["y", "z"]], ["z"]], approval=False)
    >>> indptr, labels.tolist(), levels
    (array([0, 3, 4]), ['x', 'y', 'z', 'z'], array([0, 1, 1, 0]))
    """
    if not _is_list(ballots):
        raise errors.InvalidDataError(
            f"ballots must be a list of orders, but is {shorten(ballots)}"
        )
    labels: list[object] = []
    levels: list[int] = []
    ends = [0]
    for row, ballot in enumerate(ballots):
        _check_ballot(ballot, row, approval=approval)
        for level, entry in enumerate(ballot):
            tied = list(entry) if isinstance(entry, TIED) and not approval else [entry]
            labels += tied
            levels += [0 if approval else level] * len(tied)
        if not (approval or empty) and len(labels) == ends[-1]:
            raise errors.InvalidDataError(
                "an empty order", rows=[row], way_out=NO_BLANKS
            )
        ends.append(len(labels))
    plain = objects(
        label.item() if isinstance(label, np.generic) else label for label in labels
    )
    return np.array(ends), plain, np.array(levels, dtype=np.int64)


def _is_list(value: object) -> bool:
    is_frame = hasattr(
        value, "columns"
    )  # which is a list of its columns, not of its rows
    return isinstance(value, Iterable) and not (
        is_frame or isinstance(value, str | bytes | Mapping)
    )


def _check_ballot(ballot: object, row: int, *, approval: bool) -> None:
    if not _is_list(ballot):
        raise errors.InvalidDataError(
            f"a ballot must be a list of labels, but one is {shorten(ballot)}",
            rows=[row],
            way_out='Split text first, for example text.split(">").',
        )
    if isinstance(ballot, AbstractSet) and not approval:
        raise errors.InvalidDataError(
            f"{shorten(ballot)} has no order",
            rows=[row],
            way_out="Use a list, best first; or approval=True for sets of approved items.",
        )


def _is_approval(found: Resolved) -> bool:
    """Tell whether ballots are sets: as was said, or as the column is called, which is noted."""
    given, name = found.settings.get("approval"), found.columns.get("ballot", "")
    if given is not None or simplify(name) not in known("approval_columns"):
        return bool(given)
    if any(isinstance(cell, str) and ">" in cell for cell in found.table.cells(name)):
        return False
    brief = f"{shorten(name)} as approved items, in no order"
    found.table.notes.append(Guess(brief, brief, Option("approval", flag=True)))
    return True


def _say_again(table: Table, ballots: int) -> None:
    said = f"{counted(ballots, 'ballot')} with an item twice: its first place counts (repeats)"
    table.notes += [said] if ballots else []


def _order(names: list[str], levels: IntArray) -> str:
    """Write a sorted order out, as in a > b = c."""
    steps = np.diff(levels, prepend=0)
    marks = [
        "" if place == 0 else " > " if step else " = "
        for place, step in enumerate(steps)
    ]
    return "".join(mark + name for mark, name in zip(marks, names, strict=True))


def _orders_of(found: Resolved, *, approval: bool) -> list[Any]:
    """Return the order of each row, or the items that it approves."""
    table, columns = found.table, found.columns
    if "ranks" in columns:
        return _orders_of_choices(table, columns["ranks"])
    if "ranked" in columns:
        found.settings.setdefault("items", columns["ranked"])
        return _orders_of_items(table, columns["ranked"])
    name = columns["ballot"]
    cells = table.cells(name)
    if not any(isinstance(cell, str) for cell in cells):
        return cells
    gone = [
        row
        for row, cell in enumerate(cells)
        if not isinstance(cell, str) or not (cell.strip() or approval)
    ]
    if gone:
        raise errors.InvalidDataError(
            "a ballot is missing or is no text",
            rows=gone,
            column=name,
            way_out=NO_BLANKS,
        )
    orders, how = parse_orders(cells, approval=approval)
    table.notes.append(how)
    return orders


def parse_orders(
    texts: Sequence[str], *, approval: bool
) -> tuple[list[list[Any]], str]:
    """Read orders written as text; return them with a note of how they were read.

    Examples
    --------
    >>> parse_orders(["a > b = c", "b"], approval=False)[0]
    [['a', ['b', 'c']], ['b']]
    >>> parse_orders(["1,3,2"], approval=False)[0]
    [[1, 3, 2]]
    >>> parse_orders(["a; b", ""], approval=True)[0]
    [['a', 'b'], []]
    """
    if all(text.lstrip().startswith("[") for text in texts):
        with suppress(ValueError, SyntaxError):
            return [
                literal_eval(text.strip()) for text in texts
            ], "orders read as lists"
    if approval:
        marks = marks_between(texts)
        tiers = [[parted(text, marks)] if text.strip() else [] for text in texts]
        how = f"approved items separated by {' or '.join(BETWEEN[mark] for mark in marks)}"
    elif any(">" in text or "=" in text for text in texts):
        tiers = [[tier.split("=") for tier in text.split(">")] for text in texts]
        how = "orders read as a > b = c"
    else:
        marks = marks_between(texts)
        mark = marks if len(marks) == 1 else ","
        braced = [
            row for row, text in enumerate(texts) if mark == "," and {*"{}"} & {*text}
        ]
        if braced:
            told = f"ties in braces are not read, such as {shorten(texts[braced[0]])}"
            raise errors.InvalidDataError(
                told, rows=braced, way_out="Write ties as in a > b = c."
            )
        tiers = [[[label] for label in parted(text, mark)] for text in texts]
        how = f"orders separated by {BETWEEN[mark]}"
    flat = [label.strip() for ballot in tiers for tier in ballot for label in tier]
    labels = iter(labels_of(flat).tolist())
    named = [[[next(labels) for _ in tier] for tier in ballot] for ballot in tiers]
    if approval:
        return [[label for tier in ballot for label in tier] for ballot in named], how
    return [
        [tier if len(tier) > 1 else tier[0] for tier in ballot] for ballot in named
    ], how


def _orders_of_choices(table: Table, ranks: Sequence[str]) -> list[list[object]]:
    """Return the choices of each row in order, without gaps and words for no vote."""
    columns = _choices([table.columns[name] for name in ranks])
    is_no_vote = cache(lambda text: simplify(text) in known("no_vote"))
    orders: list[list[object]] = []
    skipping = spoilt = 0
    for row in zip(*columns, strict=True):
        ranked = [place for place, label in enumerate(row) if not is_missing(label)]
        skipping += ranked != list(range(len(ranked)))
        orders.append(
            [row[place] for place in ranked if not is_no_vote(str(row[place]))]
        )
        spoilt += len(orders[-1]) < len(ranked)
    for number, verb, verbs, what in (
        (skipping, "skips", "skip", "a rank: later choices moved up"),
        (spoilt, "has", "have", "an undervote or overvote: left out"),
    ):
        said = f"{counted(number, 'ballot')} {verb if number == 1 else verbs} {what}"
        table.notes += [said] if number else []
    return orders


def _orders_of_items(table: Table, names: Sequence[str]) -> list[list[list[str]]]:
    """Return the items of each row by the ranks in their columns; equal ranks tie."""
    orders = []
    for row in table.matrix(names, missing=True).tolist():
        tiers: dict[float, list[str]] = {}
        given = (
            both for both in zip(row, names, strict=True) if not is_missing(both[0])
        )
        for rank, name in sorted(given):
            tiers.setdefault(rank, []).append(name)
        orders.append([*tiers.values()])
    return orders


def _choices(columns: Sequence[Column]) -> list[list[object]]:
    """Return columns of labels; of a text file, all of them are whole numbers, or none."""
    texts = [column for column in columns if isinstance(column, TextColumn)]
    if len(texts) < len(columns):
        return [column.labels().tolist() for column in columns]
    words = list({word for column in texts for word in column.words} - {""})
    known: dict[str, object] = dict(zip(words, labels_of(words).tolist(), strict=True))
    labels = (objects(known.get(word) for word in column.words) for column in texts)
    return [
        named[column.codes].tolist()
        for named, column in zip(labels, texts, strict=True)
    ]

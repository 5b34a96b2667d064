"""Ballots: each voter puts some items in order, or approves some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, Unpack

import numpy as np

from steadyrank import errors
from steadyrank._typing import AnyArray, BoolArray, IntArray
from steadyrank.arrays import numbered, objects
from steadyrank.data.families import CountedRows
from steadyrank.data.kinds import BALLOTS
from steadyrank.data.observations import set_fields
from steadyrank.data.rows import check_some, repeated_cells, row_counts
from steadyrank.data.units import People, of_people, renumbered
from steadyrank.errors import NO_BLANKS, Option, listing, shorten
from steadyrank.labels import encode

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
                way_out=["Give the list as ", Option("catalogue")],
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


def _order(names: list[str], levels: IntArray) -> str:
    """Write a sorted order out, as in a > b = c."""
    steps = np.diff(levels, prepend=0)
    marks = [
        "" if place == 0 else " > " if step else " = "
        for place, step in enumerate(steps)
    ]
    return "".join(mark + name for mark, name in zip(marks, names, strict=True))

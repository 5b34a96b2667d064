"""Ballots: each voter puts some items in order, or approves some."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steadyrank.data.ballot_columns import ballots_from_table
from steadyrank.data.observations import Observations, check_some, fill, repeated_spans
from steadyrank.data.orders import Entries, canonical, distinct_ballots, flatten
from steadyrank.data.units import LazyLabels, Units
from steadyrank.errors import EmptyDataError, InvalidBallotError, InvalidDataError
from steadyrank.reading.arrays import as_counts
from steadyrank.reading.kinds import Kind
from steadyrank.reading.labels import encode, unique_labels
from steadyrank.reading.table import as_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

    from steadyrank._typing import IntArray
    from steadyrank.reading.files import Source


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Ballots(Observations):
    """Orders of some items, ties allowed, or sets of approved items. The unit is the ballot.

    Equal ballots are kept once, with the sum of their counts, in order of first appearance.

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

    Examples
    --------
    >>> ballots = Ballots([["x", "y"], ["y", {"x", "z"}], ["x", "y"]])
    >>> ballots
    <Ballots: 3 ballot units, 3 items>
    >>> list(ballots.units.labels), ballots.counts
    (['x > y', 'y > x = z'], array([2, 1]))
    """

    kind: ClassVar[Kind] = Kind("ballots", "ballot", "borda")

    items: tuple[object, ...]
    indptr: IntArray
    ranked: IntArray
    levels: IntArray
    counts: IntArray
    approval: bool
    notes: tuple[str, ...]

    def __init__(
        self,
        ballots: Iterable[Any],
        *,
        counts: Any = None,
        items: Iterable[object] | None = None,
        approval: bool = False,
    ) -> None:
        flat = flatten(ballots, approval=approval)
        codes, labels = _encode_entries(flat, items)
        entries = Entries(flat.indptr, codes.astype(np.int64), flat.levels)
        _fill(self, entries, counts, labels, approval=approval)

    @cached_property
    def units(self) -> Units:
        """The distinct ballots."""
        return Units("ballot", self.counts, LazyLabels(len(self.counts), self._describe))

    def _describe(self, ballot: int) -> str:
        span = slice(self.indptr[ballot], self.indptr[ballot + 1])
        names = [str(self.items[code]) for code in self.ranked[span]]
        if self.approval:
            return "{" + ", ".join(names) + "}"
        steps = np.diff(self.levels[span], prepend=0)
        marks = ["" if place == 0 else " > " if step else " = " for place, step in enumerate(steps)]
        return "".join(mark + name for mark, name in zip(marks, names, strict=True))

    def _copied(self, copies: IntArray) -> dict[str, Any]:
        kept = np.flatnonzero(copies)
        indptr, entries = repeated_spans(self.indptr, kept)
        return {
            "indptr": indptr,
            "ranked": self.ranked[entries],
            "levels": self.levels[entries],
            "counts": copies[kept],
        }

    @classmethod
    def from_csr(
        cls,
        indptr: Any,
        ranked: Any,
        levels: Any,
        *,
        counts: Any = None,
        items: Iterable[object],
        approval: bool = False,
    ) -> Self:
        """Take ballots that are already numbers.

        Parameters
        ----------
        indptr, ranked, levels : int array
            As the attributes; equal ballots may occur again and levels may skip numbers.
        counts, items, approval
            As for the class.

        Examples
        --------
        >>> Ballots.from_csr([0, 2, 3], [1, 0, 1], [0, 1, 0], items=["x", "y"]).units.labels[0]
        'y > x'
        """
        labels = unique_labels(items)
        arrays = [np.array(part, dtype=np.int64) for part in (indptr, ranked, levels)]
        entries = Entries(*arrays)
        _check_csr(entries, len(labels))
        ballots = cls.__new__(cls)
        _fill(ballots, entries, counts, labels, approval=approval)
        return ballots

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        ballot: str | None = None,
        ranks: Sequence[str] | None = None,
        voter: str | None = None,
        item: str | None = None,
        rank: str | None = None,
        count: str | None = None,
        items: Iterable[object] | None = None,
        approval: bool = False,
    ) -> Self:
        """Take ballots from a dataframe, in one of three forms.

        Parameters
        ----------
        frame : dataframe of any library, or mapping from names to columns
        ballot : str, optional
            One row a ballot: a column of lists, or of text such as ``a > b = c`` (for approval
            ``a, c``). Guessed from common names where not given.
        ranks : sequence of str, optional
            One row a ballot: the columns of the first choice, the second choice...
        voter, item, rank : str, optional
            One row an entry: whose ballot, which item, at which rank (1 is best, equal ranks
            tie; not needed for approval).
        count : str, optional
            The column of counts, for the forms with one row a ballot.
        items, approval
            As for the class.

        Examples
        --------
        >>> ballots = Ballots.from_frame({"order": ["x > y", "y"], "count": [3, 2]})
        >>> ballots.n_units, list(ballots.units.labels)
        (5, ['x > y', 'y'])
        """
        return ballots_from_table(
            cls, as_table(frame), ballot, ranks, (voter, item, rank), count, items, approval
        )

    @classmethod
    def read(  # noqa: PLR0913 (each names a column or a policy)
        cls,
        source: Source,
        *,
        format: str | None = None,  # noqa: A002 (the word users know from other readers)
        encoding: str = "utf-8",
        ballot: str | None = None,
        ranks: Sequence[str] | None = None,
        voter: str | None = None,
        item: str | None = None,
        rank: str | None = None,
        count: str | None = None,
        items: Iterable[object] | None = None,
        approval: bool | None = None,
    ) -> Self:
        """Read ballots from a PrefLib file (.soc .soi .toc .toi .cat) or from a table.

        Parameters
        ----------
        source : path or binary stream
        format : {"csv", "tsv", "parquet", "jsonl", "preflib"}, optional
            Told from the content where not given.
        encoding : str
            Of a text file.
        ballot, ranks, voter, item, rank, count, items, approval
            As for :meth:`from_frame`. PrefLib files need none of them; of a .cat file the first
            category is the approved one.
        """
        from steadyrank.reading.files import open_source
        from steadyrank.reading.formats import detect, table_from
        from steadyrank.reading.preflib import read_preflib

        with closing(open_source(source, encoding=encoding)) as file:
            if detect(file, format) == "preflib":
                if (ballot, ranks, voter, item, rank, count, items) != (None,) * 7:
                    raise InvalidDataError(f"{file.name} is a PrefLib file and needs no columns")
                return read_preflib(cls, file, approval=approval)
            table = table_from(file, format)
        return cls.from_frame(
            table,
            ballot=ballot,
            ranks=ranks,
            voter=voter,
            item=item,
            rank=rank,
            count=count,
            items=items,
            approval=bool(approval),
        )


def _fill(
    ballots: Ballots, entries: Entries, counts: Any, labels: tuple[object, ...], *, approval: bool
) -> None:
    size = len(entries.indptr) - 1
    check_some(size, "ballots")
    if not labels:
        raise EmptyDataError("no ballot names an item", way_out="Give the list as items=[...].")
    weights = as_counts(counts, size)
    if not weights.sum():
        raise EmptyDataError("all counts are 0, so there are no ballots")
    kept, totals = distinct_ballots(canonical(entries, labels, approval=approval), weights)
    fill(
        ballots,
        items=labels,
        indptr=kept.indptr,
        ranked=kept.ranked,
        levels=kept.levels,
        counts=totals,
        approval=approval,
        notes=(),
    )


def _encode_entries(flat: Any, items: Iterable[object] | None) -> tuple[Any, tuple[object, ...]]:
    try:
        return encode(flat.labels, known=items, what="items")
    except InvalidDataError as error:
        if not error.placed:
            error.renumber(np.searchsorted(flat.indptr, error.rows, side="right") - 1)
        raise


def _check_csr(entries: Entries, size: int) -> None:
    indptr, ranked, levels = entries.indptr, entries.ranked, entries.levels
    fits = len(indptr) > 1 and indptr[0] == 0 and indptr[-1] == len(ranked) == len(levels)
    if not fits or (np.diff(indptr) < 0).any():
        raise InvalidBallotError("indptr must go up from 0 to the number of entries in ranked")
    wrong = np.flatnonzero((ranked < 0) | (ranked >= size))
    if len(wrong):
        raise InvalidBallotError(
            f"ranked must name items 0 to {size - 1:,}, but there is {ranked[wrong[0]]}",
            rows=np.searchsorted(indptr, wrong[:5], side="right") - 1,
            total=len(wrong),
        )

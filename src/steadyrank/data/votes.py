"""Votes: each voter names one item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self, Unpack

import numpy as np

from steadyrank._typing import IntArray
from steadyrank.data.families import CountedRows
from steadyrank.data.kinds import VOTES
from steadyrank.data.rows import row_counts
from steadyrank.data.units import People, of_people
from steadyrank.errors import InvalidDataError, Option, shorten
from steadyrank.reading.labels import encode
from steadyrank.reading.roles import Resolved
from steadyrank.reading.table import simplify

TOTALS = {"total", "totals", "grandtotal", "totalvotes", "sum"}


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Votes(CountedRows):
    """One choice for each voter. The unit left out is the vote, or a group of votes.

    Parameters
    ----------
    choices : array, series or iterable
        The label of the item that each row votes for.
    counts : iterable of int, optional
        How many votes each row stands for; 1 each by default.
    items : iterable, optional
        The list of items, in order, also those without a vote.
    weights : iterable of float, optional
        How much each vote of a row counts, from 0 on; 1 each by default.
    units : array, series or iterable, optional
        For each row, the label of the group (region, household) that leaves together.
    unit_kind : str
        What one such group is, in the singular.

    Attributes
    ----------
    choices : int64 array
        For each row, the place of its item in ``items``.
    counts : int64 array
        For each row, its number of votes.
    weights, unit
        As for all observations.

    Examples
    --------
    >>> votes = Votes(["ann", "bob", "ann"])
    >>> votes
    <Votes: 3 votes, 2 items: 'ann', 'bob'>
    >>> votes.items, votes.units.counts
    (('ann', 'bob'), array([2, 1]))
    """

    kind = VOTES

    _row_fields, _item_fields = ("choices", "counts"), ("choices",)
    choices: IntArray
    counts: IntArray

    def __init__(
        self,
        choices: Any,
        *,
        counts: Any = None,
        items: Iterable[object] | None = None,
        **people: Unpack[People],
    ) -> None:
        codes, labels = encode(choices, known=items, what="choices")
        times, codes = row_counts(counts, len(codes), "votes"), codes.astype(np.int64)
        self._filled(
            items=labels,
            choices=codes,
            counts=times,
            **of_people(times, "vote", **people),
        )

    @property
    def tally(self) -> IntArray:
        """The number of votes for each item."""
        return self.item_counts

    @classmethod
    def _from_columns(cls, found: Resolved) -> Self:
        data = super()._from_columns(found)
        for item, label in enumerate(data.items):
            if simplify(label) in TOTALS and 2 * data.tally[item] >= data.tally.sum():
                raise InvalidDataError(
                    f"{shorten(data.items[item])}, with as many votes as all others, looks like a sum",
                    rows=np.flatnonzero(data.choices == item),
                    subject="choice",
                    way_out=[
                        "Leave it out with ",
                        Option("drop", str(data.items[item])),
                    ],
                )
        return data

    @property
    def _keys(self) -> IntArray:
        return self.choices

    def _describe(self, row: int) -> object:
        return self.items[self.choices[row]]

    def _said(self, row: int, those: Sequence[int]) -> str | None:
        item = int(self.choices[row])
        return f"voted for {self._named(item)}" if item in those else None

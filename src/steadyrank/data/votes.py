"""Votes: each voter names one item."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Unpack

import numpy as np

from steadyrank.data.observations import (
    COUNT,
    ITEM_LIST,
    Observations,
    renumbered,
    row_counts,
    set_fields,
    shared_out,
)
from steadyrank.data.units import Units
from steadyrank.reading.kinds import Form, Kind, ReadingArguments, Role
from steadyrank.reading.labels import encode
from steadyrank.reading.table import Table, as_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from steadyrank._typing import BoolArray, IntArray
    from steadyrank.data.observations import Ends
    from steadyrank.reading.kinds import Columns

CHOICE = Role(
    "the item voted for",
    (
        "choice", "vote", "candidate", "pick", "selected", "selection", "option", "answer", "party",
        "favourite", "favorite", "item",
    ),
    argument="choices",
    takes_the_rest=True,
    answer=True,
)  # fmt: skip


class VotesArguments(ReadingArguments, total=False):
    """What :meth:`Votes.from_frame`, ``read`` and ``scan`` can be told."""

    choice: Annotated[str | None, CHOICE]
    count: Annotated[str | None, COUNT]
    items: Annotated[Iterable[object] | None, ITEM_LIST]


def _is_no_matrix(table: Table, columns: Columns) -> bool:
    """Tell whether a table with a column of choices is not a wide table of scores after all.

    A leaderboard has a column of candidates, too, but each stands there once.
    """
    if len(table.names) <= 2:
        return True
    first, others = table.names[0], [name for name in table.names if name != columns["choice"]]
    numbers = [name for name in others if table.is_numeric(name)]
    if first == columns["choice"] and len(numbers) == len(others):
        return False
    choices = table.labels(columns["choice"]).tolist()
    once = len(set(choices)) == len(choices) > 1
    return not (once and numbers) or "count" in columns


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Votes(Observations):
    """One choice for each voter. The unit left out is the vote.

    Parameters
    ----------
    choices : array, series or iterable
        The label of the item that each row votes for.
    counts : iterable of int, optional
        How many votes each row stands for; 1 each by default.
    items : iterable, optional
        The list of items, in order, also those without a vote.

    Attributes
    ----------
    choices : int64 array
        For each row, the place of its item in ``items``.
    counts : int64 array
        For each row, its number of votes.

    Examples
    --------
    >>> votes = Votes(["ann", "bob", "ann"])
    >>> votes
    <Votes: 3 votes, 2 items: 'ann', 'bob'>
    >>> votes.items, votes.units.counts
    (('ann', 'bob'), array([2, 1]))
    """

    kind: ClassVar[Kind] = Kind(
        name="votes",
        unit="vote",
        scorer="plurality",
        arguments=VotesArguments,
        forms=(Form("one row a vote", ("choice",), may=("count",), recognised=_is_no_matrix),),
        on_engine="counted",
    )

    choices: IntArray
    counts: IntArray

    def __init__(
        self, choices: Any, *, counts: Any = None, items: Iterable[object] | None = None
    ) -> None:
        codes, labels = encode(choices, known=items, what="choices")
        times = row_counts(counts, len(codes), "votes")
        set_fields(self, items=labels, choices=codes.astype(np.int64), counts=times)

    @cached_property
    def tally(self) -> IntArray:
        """The number of votes for each item."""
        tally = np.zeros(self.n_items, dtype=np.int64)
        np.add.at(tally, self.choices, self.counts)
        return tally

    @cached_property
    def unit_items(self) -> IntArray:
        """For each distinct unit, the item it votes for."""
        return np.flatnonzero(self.tally)

    @cached_property
    def units(self) -> Units:
        """The votes; those for the same item are equal."""
        voted = self.unit_items
        labels = tuple(self.items[item] for item in voted)
        return Units("vote", self.tally[voted], labels)

    @property
    def item_counts(self) -> IntArray:
        """The number of votes for each item."""
        return self.tally

    def said(self, units: Sequence[int], items: Sequence[Sequence[int]]) -> list[str | None]:
        """Return whom the votes are for."""
        voted = self.unit_items[list(units)].tolist()
        return [
            f"voted for {self._named(item)}" if item in those else None
            for item, those in zip(voted, items, strict=True)
        ]

    def _of_items(self, kept: BoolArray) -> dict[str, Any]:
        rows = kept[self.choices]
        return {"choices": renumbered(kept)[self.choices[rows]], "counts": self.counts[rows]}

    def _copied(self, copies: IntArray) -> dict[str, Any]:
        wanted = np.zeros(self.n_items, dtype=np.int64)
        wanted[self.unit_items] = copies
        given = shared_out(self.choices, self.counts, wanted)
        kept = np.flatnonzero(given)
        return {"choices": self.choices[kept], "counts": given[kept]}

    def _added(self, unit: Any, times: int) -> dict[str, Any]:
        return self._joined(Votes([unit], counts=[times], items=self.items), "choices", "counts")

    def favouring(self, behind: int, ahead: int, ends: Ends) -> Any:  # noqa: ARG002 (nobody else gains)
        """Return a vote for the one behind."""
        return self.items[behind]

    @classmethod
    def from_frame(cls, frame: Any, **arguments: Unpack[VotesArguments]) -> Self:
        """Take votes from a dataframe: a column of choices and, if there is one, of counts.

        Parameters
        ----------
        frame : dataframe of any library, or mapping from names to columns
        choice, count : str, optional
            The names of the columns; guessed from common names where not given.
        items : iterable, optional
            As for the class.

        Examples
        --------
        >>> votes = Votes.from_frame({"candidate": ["x", "y"], "votes": [7, 5]})
        >>> votes.n_units, votes.notes
        (12, ("column 'candidate' taken as the choice", "column 'votes' taken as the count"))
        """
        return cls.from_table(as_table(frame), arguments)

"""Battles: two items meet, and one wins or they tie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeAlias, Unpack

import numpy as np

from steadyrank import errors
from steadyrank._typing import AnyArray, FloatArray, IntArray
from steadyrank.arrays import as_counts, check_length, objects
from steadyrank.data.families import CountedRows
from steadyrank.data.kinds import BATTLES
from steadyrank.data.results import LEFT, PLACES, RIGHT, TIE, read_results
from steadyrank.data.rows import check_some, check_total, row_counts
from steadyrank.data.units import LazyLabels, People, of_people, said_of, whole_parts
from steadyrank.errors import shorten
from steadyrank.labels import encode
from steadyrank.sums.sparse import MergedEntries

Sides: TypeAlias = "tuple[IntArray, IntArray, tuple[object, ...]]"


@dataclass(frozen=True, eq=False)
class UnitPairs:
    """The battles of each distinct unit, added up by pair.

    The entries of unit u are at ``indptr[u]:indptr[u + 1]``. An entry says that ``winner`` beat
    ``loser`` ``wins`` times and that the two tied ``ties`` times, times the weights. Ties stand in the
    entry whose ``winner`` has the lower code. Who took a share of 0.7 won 0.4 of a battle, and 0.6 of it
    were a tie. No ordered pair occurs twice within a unit.
    """

    indptr: IntArray
    winner: IntArray
    loser: IntArray
    wins: FloatArray
    ties: FloatArray


class RowNumbers(tuple[int, ...]):
    """Numbers of battles that count in their order: of rows, where equal ones are not one unit."""

    __slots__ = ()


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Battles(CountedRows):
    """Pairs of items and who won. The unit left out is the battle, or a group of battles.

    Parameters
    ----------
    left, right : array, series or iterable
        The labels of the two items of each battle.
    winner : array, series or iterable
        ``"left"``, ``"right"`` or ``"tie"``, a common spelling of these (``model_a``, ``a``,
        ``draw``, ``tie (bothbad)``, 1 / 0 / 0.5), or the label of the item that won. Or all are
        numbers from 0 to 1: the share of the battle that the left item won.
    counts : iterable of int, optional
        How many equal battles each row stands for.
    items : iterable, optional
        The list of items, in order, also those without a battle.
    weights : iterable of float, optional
        How much each battle of a row counts in the likelihood, from 0 on; 1 each by default.
    units : array, series or iterable, optional
        For each row, the label of the group (worker, prompt) that leaves together.
    unit_kind : str
        What one such group is, in the singular.

    Attributes
    ----------
    left, right : int64 array
        For each row, the places of its items in ``items``.
    outcome : int8 array
        +1 where the left item won, 0 for a tie, -1 where the right item won. Of shares a float64 array,
        twice the share minus 1.
    counts : int64 array
    ordered : bool
        Whether the rows are the battles in their order: those that came counted have lost it.
    weights, unit
        As for all observations.

    Examples
    --------
    >>> battles = Battles(["x", "y", "y"], ["y", "x", "x"], ["left", "right", "tie"])
    >>> battles
    <Battles: 3 battles, 2 items: 'x', 'y'>
    >>> list(battles.units.labels), battles.units.counts
    (['x ties y', 'x beats y'], array([1, 2]))
    """

    kind = BATTLES

    _row_fields = ("left", "right", "outcome", "counts")
    _item_fields = ("left", "right")
    left: IntArray
    right: IntArray
    outcome: AnyArray
    counts: IntArray
    ordered: bool

    def __init__(
        self,
        left: Any,
        right: Any,
        winner: Any,
        *,
        counts: Any = None,
        items: Iterable[object] | None = None,
        **people: Unpack[People],
    ) -> None:
        sides = _check_met(_encode_sides({"left": left, "right": right}, items))
        self._set(sides, read_results(winner, *sides), counts, **people)

    def _set(
        self,
        sides: Sides,
        outcome: AnyArray,
        counts: Any = None,
        **people: Unpack[People],
    ) -> Self:
        left, right, items = sides
        times = row_counts(counts, len(left), "battles")
        fields = of_people(times, "battle", **people) | {"ordered": counts is None}
        return self._filled(
            items=items, left=left, right=right, outcome=outcome, counts=times, **fields
        )

    @property
    def fineness(self) -> int:
        """In how many parts of a battle results are told: 1, or of shares a million."""
        return 1 if self.outcome.dtype.kind == "i" else 10**PLACES

    @cached_property
    def _winner_first(self) -> tuple[IntArray, IntArray]:
        """Winner and loser of each row; of a tie, the lower and the higher code."""
        turned = (self.outcome < 0) | ((self.outcome == 0) & (self.left > self.right))
        return np.where(turned, self.right, self.left), np.where(
            turned, self.left, self.right
        )

    @property
    def _keys(self) -> IntArray:
        winner, loser = self._winner_first
        lead = np.rint(np.abs(self.outcome) * self.fineness).astype(np.int64)
        return np.asarray((winner * self.n_items + loser) * (self.fineness + 1) + lead)

    @cached_property
    def unit_pairs(self) -> UnitPairs:
        """What one copy of each distinct unit takes away once it leaves."""
        shares, rows, size = self._shares, self._shares.rows, self.n_items
        winner, loser = (side[rows] for side in self._winner_first)
        keys, which = np.unique(
            (shares.unit * size + winner) * size + loser, return_inverse=True
        )
        won = shares.parts * np.abs(self.outcome[rows])
        wins, ties = np.zeros((2, len(keys)), dtype=won.dtype)
        np.add.at(wins, which, won)
        np.add.at(ties, which, shares.parts - won)
        owner, pair = np.divmod(keys, size * size)
        indptr = np.searchsorted(owner, np.arange(len(self.units) + 1))
        return UnitPairs(
            indptr, *np.divmod(pair, size), wins / shares.scale, ties / shares.scale
        )

    def win_parts(self) -> tuple[FloatArray, int]:
        """Return how often each item beat each other one, (items, items), ties as half a win each way.

        In whole parts, of which so many make a battle of weight 1.
        """
        (winner, loser), (each, scale) = self._winner_first, whole_parts(self.weights)
        tied = np.rint((1 - np.abs(self.outcome)) * self.fineness)
        times, size = each * self.counts, self.n_items
        rows = np.flatnonzero(tied)
        forth, back = winner * size + loser, loser[rows] * size + winner[rows]
        won = np.bincount(
            forth, times * (2 * self.fineness - tied), minlength=size * size
        )
        won += np.bincount(back, (times * tied)[rows], minlength=size * size)
        return won.astype(np.float64, copy=False).reshape(
            size, size
        ), 2 * scale * self.fineness

    @cached_property
    def entries(self) -> MergedEntries:
        """The points of items: 1 for a win, a half for a tie, 0 for a loss, or the share that it won."""
        shares, rows = self._shares, self._shares.rows
        unit, times = shares.unit, shares.parts
        lost = ((1 - np.abs(self.outcome[rows])) / 2).round(PLACES)
        sides = np.concatenate([side[rows] for side in self._winner_first])
        return MergedEntries(
            (
                np.tile(unit, 2),
                sides,
                np.concatenate([(1.0 - lost).round(PLACES), lost]),
            ),
            np.tile(times, 2),
            (len(self.units), self.n_items),
            rows=check_total(times, "battles", self.units.counts[unit]),
            scale=shares.scale,
            weighted=self.weights is not None,
            copies=self.units.counts,
        )

    def _describe(self, row: int) -> str:
        winner, loser = (self.items[side[row]] for side in self._winner_first)
        return f"{winner} {self._verb(row, 'ties', 'beats')} {loser}"

    def _verb(self, row: int, tied: str, won: str) -> str:
        """Return what a row says of the first and the second of its items."""
        lead = abs(float(self.outcome[row]))
        return {0.0: tied, 1.0: won}.get(lead, f"took {(1 + lead) / 2:.6g} against")

    def _said(self, row: int, those: Sequence[int]) -> str | None:
        winner, loser = (int(side[row]) for side in self._winner_first)
        if winner not in those and loser not in those:
            return None
        return f"{self._named(winner)} {self._verb(row, 'tied with', 'beat')} {self._named(loser)}"

    def in_order(self) -> Self:
        """Return the battles with each row a unit of its own, in order; groups stay groups.

        Examples
        --------
        >>> list(Battles(["x", "x"], ["y", "y"], ["left", "left"]).in_order().units.labels)
        ['1: x beats y', '2: x beats y']
        """
        if not self.ordered:
            raise errors.WrongDataError(
                "these battles were counted, so the order in which they took place is lost",
                way_out="Give one row for each battle, in order and in memory, or use another scorer.",
            )
        if self.unit is not None:
            return self
        rows = np.arange(len(self.counts))
        labels = LazyLabels(len(rows), self._numbered)
        return self._changed(
            {"unit": rows, "_unit_labels": labels, "_unit_kind": self.kind.unit}
        )

    def without(self, units: int | Iterable[int]) -> Self:
        """Return the battles without some units, or without some rows, if these are their numbers."""
        held = self.in_order() if isinstance(units, RowNumbers) else self
        return super(Battles, held).without(units)

    def _numbers(self, units: Iterable[int]) -> tuple[int, ...]:
        by_row = isinstance(self._unit_labels, LazyLabels)
        return RowNumbers(units) if by_row else tuple(units)

    def _numbered(self, row: int) -> str:
        return f"{row + 1}: {self._describe(row)}"

    @classmethod
    def from_pairs(
        cls,
        left: Any,
        right: Any,
        wins_left: Any,
        wins_right: Any,
        *,
        ties: Any = None,
        items: Iterable[object] | None = None,
        **people: Unpack[People],
    ) -> Self:
        """Take battles that were already counted, one row for each pair.

        Parameters
        ----------
        left, right : array, series or iterable
            The labels of the pair.
        wins_left, wins_right, ties : array, series or iterable
            How often the left one won, the right one won, and nobody won.
        items, weights, units, unit_kind
            As for the class.

        Examples
        --------
        >>> Battles.from_pairs(["x"], ["y"], [7], [2], ties=[1])
        <Battles: 10 battles, 2 items: 'x', 'y'>
        """
        one, two, labels = _check_met(
            _encode_sides({"left": left, "right": right}, items)
        )
        size = len(one)
        won, lost = (
            as_counts(wins_left, size, "wins_left"),
            as_counts(wins_right, size, "wins_right"),
        )
        tied = as_counts(np.zeros(size) if ties is None else ties, size, "ties")
        times = row_counts(np.concatenate([won, lost, tied]), 3 * size, "battles")
        happened = np.flatnonzero(times)
        rows = happened % size
        sides = one[rows], two[rows], labels
        results = np.repeat(np.array([LEFT, RIGHT, TIE], dtype=np.int8), size)[happened]
        self = cls.__new__(cls)
        return self._set(sides, results, times[happened], **said_of(people, rows, size))


def _check_met(sides: Sides) -> Sides:
    """Return sides of which no item meets itself."""
    one, two, labels = sides
    same = one == two
    if same.any():
        raise errors.InvalidDataError(
            f"{shorten(labels[one[same][0]])} meets itself",
            rows=same,
            way_out="A battle needs two items: remove these rows.",
        )
    return sides


def _encode_sides(given: dict[str, Any], items: Iterable[object] | None) -> Sides:
    """Return the items on both sides of each battle, and the labels of the items."""
    known = None if items is None else tuple(items)
    (one, left_labels), (two, right_labels) = (
        encode(side, known=known, what=name) for name, side in given.items()
    )
    check_some(len(one), "battles")
    check_length(two, len(one), list(given)[1])
    labels = left_labels
    if known is None:
        place, labels = encode(objects((*left_labels, *right_labels)))
        one, two = place[: len(left_labels)][one], place[len(left_labels) :][two]
    return one.astype(np.int64), two.astype(np.int64), labels

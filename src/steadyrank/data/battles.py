"""Battles: two items meet, and one wins or they tie."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steadyrank.data.battle_columns import battles_from_table
from steadyrank.data.games import Games, battle_keys, group_games, pair_games, row_keys
from steadyrank.data.observations import Observations, check_some, fill, remaining_groups, shared_out
from steadyrank.data.outcomes import LEFT, RIGHT, TIE, read_outcomes
from steadyrank.data.units import LazyLabels, Units
from steadyrank.errors import EmptyDataError, InvalidDataError, shorten
from steadyrank.reading.arrays import as_counts, check_length, places
from steadyrank.reading.kinds import Kind
from steadyrank.reading.labels import encode
from steadyrank.reading.table import as_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

    from steadyrank._typing import AnyArray, IntArray
    from steadyrank.engines.settings import Engine
    from steadyrank.reading.files import Source


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Battles(Observations):
    """Pairs of items and who won. The unit left out is the battle, or a group of battles.

    Parameters
    ----------
    left, right : array, series or iterable
        The labels of the two items of each battle.
    outcome : array, series or iterable
        ``"left"``, ``"right"`` or ``"tie"``, a common spelling of these (``model_a``, ``a``,
        ``draw``, ``tie (bothbad)``, 1 / 0 / 0.5), or the label of the item that won.
    counts : iterable of int, optional
        How many equal battles each row stands for.
    items : iterable, optional
        The list of items, in order, also those without a battle.
    units : array, series or iterable, optional
        For each row, the label of the group (worker, prompt) that leaves together.
    unit_kind : str
        What one such group is, in the singular.

    Attributes
    ----------
    left, right : int64 array
        For each row, the places of its items in ``items``.
    outcome : int8 array
        +1 where the left item won, 0 for a tie, -1 where the right item won.
    counts : int64 array
    unit : int64 array or None
        For each row, the place of its group in ``unit_labels``.
    unit_labels : tuple or None

    Examples
    --------
    >>> battles = Battles(["x", "y", "y"], ["y", "x", "x"], ["left", "right", "tie"])
    >>> battles
    <Battles: 3 battle units, 2 items>
    >>> list(battles.units.labels), battles.units.counts
    (['x ties y', 'x beats y'], array([1, 2]))
    """

    kind: ClassVar[Kind] = Kind("battles", "battle", "bradley-terry")

    items: tuple[object, ...]
    left: IntArray
    right: IntArray
    outcome: AnyArray
    counts: IntArray
    unit: IntArray | None
    unit_labels: tuple[object, ...] | None
    unit_kind: str
    notes: tuple[str, ...]

    def __init__(
        self,
        left: Any,
        right: Any,
        outcome: Any,
        *,
        counts: Any = None,
        items: Iterable[object] | None = None,
        units: Any = None,
        unit_kind: str = "group",
    ) -> None:
        one, two, labels = _encode_sides(left, right, items)
        result, by_label = read_outcomes(outcome, one, two, labels)
        notes = ("outcomes read as the label of the item that won",) if by_label else ()
        weights = as_counts(counts, len(one))
        if not weights.sum():
            raise EmptyDataError("all counts are 0, so there are no battles")
        unit, unit_labels = None, None
        if units is not None:
            codes, unit_labels = encode(units, what="units")
            check_length(codes, len(one), "units")
            unit = codes.astype(np.int64)
        fill(
            self,
            items=labels,
            left=one,
            right=two,
            outcome=result,
            counts=weights,
            unit=unit,
            unit_labels=unit_labels,
            unit_kind="battle" if unit is None else unit_kind,
            notes=notes,
        )

    @cached_property
    def _distinct(self) -> tuple[Games, IntArray]:
        if self.unit is None or self.unit_labels is None:
            return pair_games(self.left, self.right, self.outcome, self.counts, self.n_items)
        groups = len(self.unit_labels)
        games = group_games(
            self.left, self.right, self.outcome, self.counts, self.n_items, self.unit, groups
        )
        return games, np.ones(groups, dtype=np.int64)

    @property
    def unit_games(self) -> Games:
        """What one copy of each distinct unit takes away once it leaves."""
        return self._distinct[0]

    @cached_property
    def units(self) -> Units:
        """The battles, equal ones once whichever side an item was on; or the groups."""
        games, counts = self._distinct
        if self.unit_labels is not None:
            return Units(self.unit_kind, counts, self.unit_labels)

        def describe(unit: int) -> str:
            winner, loser = self.items[games.winner[unit]], self.items[games.loser[unit]]
            return f"{winner} {'beats' if games.wins[unit] else 'ties'} {loser}"

        return Units("battle", counts, LazyLabels(len(counts), describe))

    def _copied(self, copies: IntArray) -> dict[str, Any]:
        if self.unit is not None and self.unit_labels is not None:
            counts = self.counts * copies[self.unit]
            groups = remaining_groups(self.unit[counts > 0], self.unit_labels, copies > 0)
        else:
            wanted = np.zeros(2 * self.n_items**2, dtype=np.int64)
            wanted[battle_keys(self.unit_games, self.n_items)] = copies
            mine = row_keys(self.left, self.right, self.outcome, self.n_items)
            counts, groups = shared_out(mine, self.counts, wanted), {}
        kept = np.flatnonzero(counts)
        rows = {name: getattr(self, name)[kept] for name in ("left", "right", "outcome")}
        return rows | {"counts": counts[kept]} | groups

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
    ) -> Self:
        """Take battles that were already counted, one row for each pair.

        Parameters
        ----------
        left, right : array, series or iterable
            The labels of the pair.
        wins_left, wins_right, ties : array, series or iterable
            How often the left one won, the right one won, and nobody won.
        items : iterable, optional
            As for the class.

        Examples
        --------
        >>> Battles.from_pairs(["x"], ["y"], [7], [2], ties=[1])
        <Battles: 10 battle units, 2 items>
        """
        one, two, labels = _encode_sides(left, right, items)
        won = as_counts(wins_left, len(one), "wins_left")
        lost = as_counts(wins_right, len(one), "wins_right")
        tied = as_counts(np.zeros(len(one)) if ties is None else ties, len(one), "ties")
        weights = np.concatenate([won, lost, tied])
        if not weights.sum():
            raise EmptyDataError("all counts are 0, so there are no battles")
        happened = np.flatnonzero(weights)
        results = np.repeat(np.array([LEFT, RIGHT, TIE], dtype=np.int8), len(one))
        battles = cls.__new__(cls)
        fill(
            battles,
            items=labels,
            left=np.tile(one, 3)[happened],
            right=np.tile(two, 3)[happened],
            outcome=results[happened],
            counts=weights[happened],
            unit=None,
            unit_labels=None,
            unit_kind="battle",
            notes=(),
        )
        return battles

    @classmethod
    def from_frame(  # noqa: PLR0913 (each names a column or a policy)
        cls,
        frame: Any,
        *,
        left: str | None = None,
        right: str | None = None,
        outcome: str | None = None,
        count: str | None = None,
        wins_left: str | None = None,
        wins_right: str | None = None,
        ties: str | Sequence[str] | None = None,
        units: str | None = None,
        items: Iterable[object] | None = None,
    ) -> Self:
        """Take battles from a dataframe, one row for each battle or for each counted pair.

        Parameters
        ----------
        frame : dataframe of any library, or mapping from names to columns
        left, right, outcome, count : str, optional
            The names of the columns; guessed from common names where not given.
        wins_left, wins_right : str, optional
            For counted pairs, the columns of wins.
        ties : str or sequence of str, optional
            For counted pairs, the columns of ties; several are added up.
        units : str, optional
            The column whose equal values leave together (worker, prompt).
        items : iterable, optional
            As for the class.

        Examples
        --------
        >>> frame = {"model_a": ["x"], "model_b": ["y"], "wins_a": [3], "wins_b": [4]}
        >>> Battles.from_frame(frame).n_units
        7
        """
        table = as_table(frame)
        return battles_from_table(
            cls, table, (left, right), outcome, count, (wins_left, wins_right), ties, units, items
        )

    @classmethod
    def read(  # noqa: PLR0913 (each names a column or a policy)
        cls,
        source: Source,
        *,
        format: str | None = None,  # noqa: A002 (the word users know from other readers)
        encoding: str = "utf-8",
        left: str | None = None,
        right: str | None = None,
        outcome: str | None = None,
        count: str | None = None,
        wins_left: str | None = None,
        wins_right: str | None = None,
        ties: str | Sequence[str] | None = None,
        units: str | None = None,
        items: Iterable[object] | None = None,
    ) -> Self:
        """Read battles from a CSV, TSV, Parquet or JSON-lines file, plain or gzipped.

        Parameters
        ----------
        source : path or binary stream
        format : {"csv", "tsv", "parquet", "jsonl"}, optional
            Told from the content where not given.
        encoding : str
            Of a text file.
        left, right, outcome, count, wins_left, wins_right, ties, units, items
            As for :meth:`from_frame`.
        """
        from steadyrank.reading.formats import read_table

        return cls.from_frame(
            read_table(source, format=format, encoding=encoding),
            left=left,
            right=right,
            outcome=outcome,
            count=count,
            wins_left=wins_left,
            wins_right=wins_right,
            ties=ties,
            units=units,
            items=items,
        )

    @classmethod
    def scan(  # noqa: PLR0913 (each names a column or a policy)
        cls,
        source: Any,
        *,
        left: str | None = None,
        right: str | None = None,
        outcome: str | None = None,
        count: str | None = None,
        wins_left: str | None = None,
        wins_right: str | None = None,
        ties: str | None = None,
        units: str | None = None,
        items: Iterable[object] | None = None,
        engine: str | Engine | None = None,
    ) -> Self:
        """Count battles in an engine; each distinct battle is brought back once, with its count.

        Parameters
        ----------
        source : lazy frame or path
            A polars LazyFrame, DuckDB relation or PySpark DataFrame; or Parquet, CSV or TSV files
            by a path with wildcards.
        left, right, outcome, count, wins_left, wins_right, ties, units, items
            As for :meth:`from_frame`.
        engine : {"duckdb", "polars", "spark"} or an engine of steadyrank.engines, optional
            What reads the files; DuckDB by default. A frame runs where it is.

        Examples
        --------
        >>> import polars
        >>> rows = {"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["a", "b"]}
        >>> list(Battles.scan(polars.LazyFrame(rows)).units.labels)
        ['x beats y']
        """
        from steadyrank.engines.counted import scan_battles

        return scan_battles(
            cls,
            source,
            left=left,
            right=right,
            outcome=outcome,
            count=count,
            wins_left=wins_left,
            wins_right=wins_right,
            ties=ties,
            units=units,
            items=items,
            engine=engine,
        )


def _encode_sides(
    left: Any, right: Any, items: Iterable[object] | None
) -> tuple[IntArray, IntArray, tuple[object, ...]]:
    known = None if items is None else tuple(items)
    one, left_labels = encode(left, known=known, what="left")
    two, right_labels = encode(right, known=known, what="right")
    check_some(len(one), "battles")
    check_length(two, len(one), "right")
    if known is None:
        place, labels = encode(np.fromiter((*left_labels, *right_labels), dtype=object))
        one, two = place[: len(left_labels)][one], place[len(left_labels) :][two]
    else:
        labels = left_labels
    same = one == two
    if same.any():
        first = labels[one[np.flatnonzero(same)[0]]]
        raise InvalidDataError(
            f"{shorten(first)} meets itself",
            **places(same),
            way_out="A battle needs two items: remove these rows.",
        )
    return one.astype(np.int64), two.astype(np.int64), labels

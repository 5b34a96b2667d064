"""Battles: two items meet, and one wins or they tie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypedDict, Unpack

import numpy as np

from steadyrank.data.battle_results import LEFT, RIGHT, TIE, read_results
from steadyrank.data.common_roles import COUNT, ITEM_LIST, UNIT
from steadyrank.data.games import Games, battle_keys, group_games, pair_games, row_keys
from steadyrank.data.observations import (
    Observations,
    check_some,
    remaining_groups,
    set_fields,
    shared_out,
)
from steadyrank.data.units import LazyLabels, Units
from steadyrank.errors import EmptyDataError, InvalidDataError, shorten
from steadyrank.reading.arrays import as_counts, check_length, places
from steadyrank.reading.kinds import Form, Kind, Role
from steadyrank.reading.labels import encode
from steadyrank.reading.roles import simplify
from steadyrank.reading.table import as_table

if TYPE_CHECKING:
    from typing import Self

    from steadyrank._typing import AnyArray, IntArray
    from steadyrank.reading.roles import Resolved

COMPARED = ("model", "player", "team", "item", "system", "option")
SIDES = (
    ("left", "right"),
    *((f"{what}a", f"{what}b") for what in COMPARED),
    *((f"{what}1", f"{what}2") for what in COMPARED),
    *((f"{what}x", f"{what}y") for what in ("model", "item", "system")),
    ("home", "away"),
    ("hometeam", "awayteam"),
    ("white", "black"),
    ("first", "second"),
    ("a", "b"),
)
"""Names of the two sides of a battle, best first."""

WINS = (
    ("winsa", "winsb"),
    ("wins1", "wins2"),
    ("winsleft", "winsright"),
    ("leftwins", "rightwins"),
    ("winsx", "winsy"),
    ("awins", "bwins"),
)
"""Names of the two columns of wins in a table of pairs, best first."""

WINNER = Role(
    "the result: left, right or tie, or the label of the item that won",
    ("winner", "outcome", "result", "verdict", "preference", "preferred", "win"),
    holds="results",
    argument="outcome",
)
TIES = Role(
    "how often nobody won, in counted battles; several columns are added up",
    ("ties", "tie", "draws", "draw", "tiesbothbad", "tiebothbad", "bothbad"),
    holds="counts",
    several=True,
)


def _paired(side: int, means: str, pairs: Sequence[tuple[str, str]], **how: Any) -> Role:
    return Role(means, tuple(pair[side] for pair in pairs), **how)


class BattlesArguments(TypedDict, total=False):
    """What :meth:`Battles.from_frame`, ``read`` and ``scan`` can be told."""

    left: Annotated[str | None, _paired(0, "one side", SIDES)]
    right: Annotated[str | None, _paired(1, "the other side", SIDES)]
    winner: Annotated[str | None, WINNER]
    loser: Annotated[str | None, Role("the item that lost, beside the one that won", ("loser",))]
    wins_left: Annotated[str | None, _paired(0, "wins of the left side", WINS, holds="counts")]
    wins_right: Annotated[str | None, _paired(1, "wins of the right side", WINS, holds="counts")]
    ties: Annotated[str | Sequence[str] | None, TIES]
    count: Annotated[str | None, COUNT]
    unit: Annotated[str | None, UNIT]
    items: Annotated[Iterable[object] | None, ITEM_LIST]


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
    <Battles: 3 battles, 2 items: 'x', 'y'>
    >>> list(battles.units.labels), battles.units.counts
    (['x ties y', 'x beats y'], array([1, 2]))
    """

    kind: ClassVar[Kind] = Kind(
        name="battles",
        unit="battle",
        scorer="bradley-terry",
        arguments=BattlesArguments,
        forms=(
            Form(
                "one row a counted pair",
                ("left", "right", "wins_left", "wins_right"),
                may=("ties",),
                pairs=(("left", "right"), ("wins_left", "wins_right")),
            ),
            Form(
                "one row a battle",
                ("left", "right", "winner"),
                may=("count",),
                named=("unit",),
                pairs=(("left", "right"),),
                usual=True,
            ),
            Form(
                "one row a win",
                ("winner", "loser"),
                may=("count",),
                named=("unit",),
                pairs=(("winner", "loser"),),
            ),
        ),
        on_engine="counted",
    )

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
        _set_battles(
            self, left, right, outcome, counts=counts, items=items, units=units, unit_kind=unit_kind
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
        <Battles: 10 battles, 2 items: 'x', 'y'>
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
        set_fields(
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
    def from_frame(cls, frame: Any, **arguments: Unpack[BattlesArguments]) -> Self:
        """Take battles from a dataframe: one row for each battle, win or counted pair.

        Parameters
        ----------
        frame : dataframe of any library, or mapping from names to columns
        left, right, winner, count : str, optional
            The names of the columns; guessed from common names where not given. The winner is a side
            (left, right, tie and their common spellings) or the label of the item that won.
        winner, loser : str, optional
            Instead of two sides: the columns of the items that won and lost.
        wins_left, wins_right : str, optional
            For counted pairs, the columns of wins.
        ties : str or sequence of str, optional
            For counted pairs, the columns of ties; several are added up.
        unit : str, optional
            The column whose equal values leave together (worker, prompt).
        items : iterable, optional
            As for the class.

        Examples
        --------
        >>> frame = {"model_a": ["x"], "model_b": ["y"], "wins_a": [3], "wins_b": [4]}
        >>> Battles.from_frame(frame).n_units
        7
        """
        return cls.from_table(as_table(frame), arguments)

    @classmethod
    def _from_columns(cls, found: Resolved) -> Self:
        if "wins_left" in found.columns:
            return cls.from_pairs(**_counted_pairs(found), **found.settings)
        columns = found.arguments()
        if "loser" in found.columns:
            found.table.notes.append("each row is a win of its winner")
            winners = columns.pop("outcome")
            columns |= {"left": winners, "right": columns.pop("loser"), "outcome": np.ones(len(winners))}
            return cls._made(**columns, sides=("winner", "loser"))
        # In a column called winner, a number that could be a side or a label is a label.
        return cls._made(**columns, labels_first=simplify(found.columns["winner"]) == "winner")

    @classmethod
    def _made(cls, *columns: Any, **settings: Any) -> Self:
        battles = cls.__new__(cls)
        _set_battles(battles, *columns, **settings)
        return battles


def _counted_pairs(found: Resolved) -> dict[str, Any]:
    parts = {role: found.values(role) for role in ("left", "right", "wins_left", "wins_right")}
    names = found.columns.get("ties") or []
    if not names:
        found.table.notes.append("no column of ties found: no battle was a tie")
        return parts
    tied = [as_counts(found.table.numbers(name), len(found.table), "ties") for name in names]
    return parts | {"ties": sum(tied)}


def _set_battles(  # noqa: PLR0913 (the arguments of the class, and how to read them)
    battles: Battles,
    left: Any,
    right: Any,
    outcome: Any,
    *,
    counts: Any = None,
    items: Iterable[object] | None = None,
    units: Any = None,
    unit_kind: str = "group",
    labels_first: bool = False,
    sides: tuple[str, str] = ("left", "right"),
) -> None:
    one, two, labels = _encode_sides(left, right, items, sides)
    result, by_label = read_results(outcome, one, two, labels, labels_first=labels_first)
    weights = as_counts(counts, len(one))
    if not weights.sum():
        raise EmptyDataError("all counts are 0, so there are no battles")
    unit, unit_labels = None, None
    if units is not None:
        codes, unit_labels = encode(units, what="units")
        check_length(codes, len(one), "units")
        unit = codes.astype(np.int64)
    set_fields(
        battles,
        items=labels,
        left=one,
        right=two,
        outcome=result,
        counts=weights,
        unit=unit,
        unit_labels=unit_labels,
        unit_kind="battle" if unit is None else unit_kind,
        notes=("outcomes read as the label of the item that won",) if by_label else (),
    )


def _encode_sides(
    left: Any, right: Any, items: Iterable[object] | None, sides: tuple[str, str] = ("left", "right")
) -> tuple[IntArray, IntArray, tuple[object, ...]]:
    known = None if items is None else tuple(items)
    one, left_labels = encode(left, known=known, what=sides[0])
    two, right_labels = encode(right, known=known, what=sides[1])
    check_some(len(one), "battles")
    check_length(two, len(one), sides[1])
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

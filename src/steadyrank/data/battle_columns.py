"""Which columns of a table make battles: one row a battle, or one row a counted pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from steadyrank.data.observations import said_first
from steadyrank.errors import shorten
from steadyrank.reading.roles import SIDES, WINS, guess, guess_pair, simplify

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from steadyrank._typing import AnyArray
    from steadyrank.data.battles import Battles
    from steadyrank.reading.table import Table

    Kind = TypeVar("Kind", bound=Battles)

Pair: TypeAlias = "tuple[str | None, str | None]"


def battles_from_table(
    kind: type[Kind],
    table: Table,
    sides: Pair,
    outcome: str | None,
    count: str | None,
    wins: Pair,
    ties: str | Sequence[str] | None,
    units: str | None,
    items: Iterable[object] | None,
) -> Kind:
    """Build battles from the columns given, or guessed where they are not."""
    left, right = _both(table, sides, SIDES, ("left", "right"))
    counted = _wins(table, wins, outcome, units)
    if counted is not None:
        return _counted_pairs(kind, table, (left, right), counted, ties, items)
    names = {"left": left, "right": right}
    if units is not None:
        table.check_column("units", units)
    if outcome is None and (simplify(left), simplify(right)) == ("winner", "loser"):
        table.notes.append("each row is a win of its winner")
        results: AnyArray = np.ones(len(table), dtype=np.int8)
    else:
        given = {"left": left, "right": right, "outcome": outcome}
        names = table.names_for(given, optional={"count": count})
        results = table.labels(names["outcome"])
    with table.errors({**names, "counts": names.get("count"), "units": units}):
        battles = kind(
            table.labels(left),
            table.labels(right),
            results,
            counts=table.optional(names.get("count", count)),
            items=items,
            units=None if units is None else table.labels(units),
            unit_kind=units or "battle",
        )
    return said_first(battles, table.notes)


def _both(
    table: Table, given: Pair, common: Sequence[tuple[str, str]], parts: tuple[str, str]
) -> tuple[str, str]:
    """Return two columns that belong together: both given, or both guessed."""
    for part, name in zip(parts, given, strict=True):
        if name is not None:
            table.check_column(part, name)
    one, two = given
    if one is not None and two is not None:
        return one, two
    found = guess_pair(common, table.names) if one is None and two is None else None
    if found is None:
        raise table.not_found(parts[0] if one is None else parts[1])
    for part, name in zip(parts, found, strict=True):
        table.notes.append(f"column {shorten(name)} taken as the {part}")
    return found


def _wins(table: Table, given: Pair, outcome: str | None, units: str | None) -> tuple[str, str] | None:
    parts = ("wins_left", "wins_right")
    if given != (None, None):
        return _both(table, given, (), parts)
    if outcome is not None or units is not None or guess_pair(WINS, table.names) is None:
        return None
    return _both(table, given, WINS, parts)


def _counted_pairs(
    kind: type[Kind],
    table: Table,
    sides: tuple[str, str],
    wins: tuple[str, str],
    ties: str | Sequence[str] | None,
    items: Iterable[object] | None,
) -> Kind:
    tie_columns = _tie_columns(table, ties)
    columns = {
        "left": sides[0], "right": sides[1], "wins_left": wins[0], "wins_right": wins[1]
    }  # fmt: skip
    with table.errors(columns):
        tied = [table.counts(name) for name in tie_columns]
        battles = kind.from_pairs(
            table.labels(sides[0]),
            table.labels(sides[1]),
            table.numbers(wins[0]),
            table.numbers(wins[1]),
            ties=sum(tied) if tied else None,
            items=items,
        )
    return said_first(battles, table.notes)


def _tie_columns(table: Table, given: str | Sequence[str] | None) -> list[str]:
    if given is not None:
        names = [given] if isinstance(given, str) else list(given)
        for name in names:
            table.check_column("ties", name)
        return names
    found = [guess(part, table.names) for part in ("ties", "ties_bothbad")]
    names = [name for name in found if name is not None]
    if names:
        table.notes.append(f"counted as ties: {', '.join(map(shorten, names))}")
    else:
        table.notes.append("no column of ties found: no battle was a tie")
    return names

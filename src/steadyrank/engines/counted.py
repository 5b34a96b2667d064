"""Votes and battles: one group-by in the engine leaves so few rows that the rest is in memory.

Votes for the same item are equal, and so are battles with the same two items and outcome; what
comes back is each distinct one once, with its count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw

from steadyrank.data.observations import said_first
from steadyrank.engines.columns import picked, with_labels, with_numbers
from steadyrank.engines.lazy_entries import MAX_ITEMS
from steadyrank.engines.source import Source, opened
from steadyrank.errors import InvalidCountError, shorten
from steadyrank.reading.roles import SIDES, WINS, guess, guess_pair

if TYPE_CHECKING:
    from collections.abc import Iterable

    from steadyrank._typing import AnyArray
    from steadyrank.data.battles import Battles
    from steadyrank.data.votes import Votes
    from steadyrank.engines.settings import Engine
    from steadyrank.reading.table import Table

    VotesKind = TypeVar("VotesKind", bound=Votes)
    BattlesKind = TypeVar("BattlesKind", bound=Battles)

FEWER_ROWS = "Group by a column with fewer values, or add the counts up before."
MAX_DISTINCT = 20_000_000
"""How many distinct battles, with the groups they belong to, are brought back at most."""


def scan_votes(
    kind: type[VotesKind],
    given: Any,
    *,
    choice: str | None,
    count: str | None,
    items: Iterable[object] | None,
    engine: str | Engine | None,
) -> VotesKind:
    """Count the votes for each item in an engine; ``Votes.scan`` explains the parameters."""
    with opened(given, engine) as source:
        table = source.table()
        names = table.names_for({"choice": choice}, optional={"count": count}, only="choice")
        parts: dict[str, str] = {part: names[part] for part in ("choice", "count") if part in names}
        frame = with_labels(source, picked(source, parts), {"choice": "choices"})
        found = _counted(source, frame, ["choice"], ["count"] if "count" in parts else [], MAX_ITEMS)
        votes = kind(found["choice"], counts=found["count"], items=items)
        return said_first(votes, [*table.notes, source.traffic.sentence(source.engine)])


def scan_battles(  # noqa: PLR0913 (each names a column or a policy)
    kind: type[BattlesKind],
    given: Any,
    *,
    left: str | None,
    right: str | None,
    outcome: str | None,
    count: str | None,
    wins_left: str | None,
    wins_right: str | None,
    ties: str | None,
    units: str | None,
    items: Iterable[object] | None,
    engine: str | Engine | None,
) -> BattlesKind:
    """Count the distinct battles in an engine; ``Battles.scan`` explains the parameters."""
    with opened(given, engine) as source:
        table = source.table()
        sides = _pair(table, left, right)
        wins = _wins(table, wins_left, wins_right, outcome, units)
        if wins is not None:
            columns = {"left": sides[0], "right": sides[1], **wins}
            tie = ties or guess("ties", table.names)
            if tie is not None:
                table.check_column("ties", tie)
                columns["ties"] = tie
            battles = _pairs(kind, source, columns, items)
        else:
            given_parts = {"left": sides[0], "right": sides[1], "outcome": outcome}
            names = table.names_for(given_parts, optional={"count": count})
            if units is not None:
                table.check_column("units", units)
                names["units"] = units
            battles = _battles(kind, source, names, items)
        return said_first(battles, [*table.notes, source.traffic.sentence(source.engine)])


def _battles(
    kind: type[BattlesKind], source: Source, names: dict[str, str], items: Iterable[object] | None
) -> BattlesKind:
    keys: list[str] = [part for part in ("left", "right", "outcome", "units") if part in names]
    labels: dict[str, str] = {part: part for part in ("left", "right", "units") if part in names}
    frame = with_labels(source, picked(source, names), labels)
    counts = ["count"] if "count" in names else []
    found = _counted(source, frame, keys, counts, MAX_DISTINCT)
    return kind(
        found["left"],
        found["right"],
        found["outcome"],
        counts=found["count"],
        items=items,
        units=found.get("units"),
        unit_kind=names.get("units", "battle"),
    )


def _pairs(
    kind: type[BattlesKind], source: Source, columns: dict[str, str], items: Iterable[object] | None
) -> BattlesKind:
    frame = with_labels(source, picked(source, columns), {"left": "left", "right": "right"})
    sums = [part for part in columns if part not in {"left", "right"}]
    found = _counted(source, frame, ["left", "right"], sums, MAX_DISTINCT)
    return kind.from_pairs(
        found["left"],
        found["right"],
        found["wins_left"],
        found["wins_right"],
        ties=found.get("ties"),
        items=items,
    )


def _counted(
    source: Source, frame: nw.LazyFrame[Any], keys: list[str], counts: list[str], bound: int
) -> dict[str, AnyArray]:
    """Group by the keys; add up the columns of counts, or count the rows where there is none."""
    for part in counts:
        frame = _whole_counts(source, with_numbers(source, frame, part, "counts"), part)
    sums = [nw.col(part).sum() for part in counts] or [nw.len().alias("count")]
    return source.collect_up_to(frame.group_by(*keys).agg(*sums), "distinct rows", bound, FEWER_ROWS)


def _whole_counts(source: Source, frame: nw.LazyFrame[Any], part: str) -> nw.LazyFrame[Any]:
    count = nw.col(part)
    wide = count.cast(nw.Float64)
    fine = (wide >= 0) & (wide < 2.0**53) & (wide.round(0) == wide)
    wrong = frame.filter(count.is_null() | ~fine).select(part).head(1)
    found = source.collect(wrong, "checks of the counts")[part]
    if len(found):
        raise InvalidCountError(
            f"counts must be whole numbers from 0 on, but there is {found[0]}",
            way_out="Correct these rows.",
        )
    return frame.with_columns(count.cast(nw.Int64))


def _pair(table: Table, left: str | None, right: str | None) -> tuple[str, str]:
    for part, name in (("left", left), ("right", right)):
        if name is not None:
            table.check_column(part, name)
    if left is not None and right is not None:
        return left, right
    found = guess_pair(SIDES, table.names) if left is None and right is None else None
    if found is None:
        raise table.not_found("left" if left is None else "right")
    table.notes += [
        f"column {shorten(name)} taken as the {part}"
        for part, name in zip(("left", "right"), found, strict=True)
    ]
    return found


def _wins(
    table: Table, left: str | None, right: str | None, outcome: str | None, units: str | None
) -> dict[str, str] | None:
    if left is not None and right is not None:
        table.check_column("wins_left", left)
        table.check_column("wins_right", right)
        return {"wins_left": left, "wins_right": right}
    found = guess_pair(WINS, table.names)
    if outcome is not None or units is not None or found is None:
        return None
    table.notes += [f"columns {shorten(found[0])} and {shorten(found[1])} taken as the wins"]
    return {"wins_left": found[0], "wins_right": found[1]}

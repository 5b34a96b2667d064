"""Which columns of a table make ballots: one row a ballot, or one row an entry of a ballot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from steadyrank.data.observations import said_first
from steadyrank.data.orders import parse_orders
from steadyrank.errors import InvalidBallotError
from steadyrank.reading.arrays import check_length, is_missing
from steadyrank.reading.labels import encode
from steadyrank.reading.roles import guess_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from steadyrank.data.ballots import Ballots
    from steadyrank.reading.table import Table

    Kind = TypeVar("Kind", bound=Ballots)

LONG_FORM = ("voter", "item", "rank")
LongNames: TypeAlias = "tuple[str | None, str | None, str | None]"


def ballots_from_table(
    kind: type[Kind],
    table: Table,
    ballot: str | None,
    ranks: Sequence[str] | None,
    long_names: LongNames,
    count: str | None,
    items: Iterable[object] | None,
    approval: bool,
) -> Kind:
    """Build ballots from the columns given, or guessed where they are not."""
    named = any(name is not None for name in long_names)
    if named or (ballot is None and ranks is None and guess_all(LONG_FORM, table.names)):
        return _long(kind, table, long_names, items, approval=approval)
    if ranks is not None:
        for name in ranks:
            table.check_column("ranks", name)
        counts = table.names_for({}, optional={"count": count}).get("count")
        orders = _wide_orders(table, ranks)
    else:
        names = table.names_for({"ballot": ballot}, optional={"count": count}, only="ballot")
        ballot, counts = names["ballot"], names.get("count")
        orders = _orders_of(table, ballot, approval=approval)
    with table.errors({"items": ballot, "counts": counts}):
        ballots = kind(orders, counts=table.optional(counts), items=items, approval=approval)
    return said_first(ballots, table.notes)


def _orders_of(table: Table, name: str, *, approval: bool) -> list[Any]:
    cells = table.cells(name)
    if any(isinstance(cell, str) for cell in cells):
        gone = [row for row, cell in enumerate(cells) if not isinstance(cell, str)]
        if not approval:
            gone += [row for row, cell in enumerate(cells) if isinstance(cell, str) and not cell]
        with table.errors():
            if gone:
                raise InvalidBallotError(
                    "a ballot is missing or is no text", rows=gone, column=name,
                    way_out="Remove these rows.",
                )  # fmt: skip
        orders, how = parse_orders(cells, approval=approval)
        table.notes.append(how)
        return orders
    return list(cells)


def _wide_orders(table: Table, ranks: Sequence[str]) -> list[list[object]]:
    columns = [table.labels(name).tolist() for name in ranks]
    orders: list[list[object]] = []
    skipped = 0
    for row in zip(*columns, strict=True):
        named = [label for label in row if not is_missing(label)]
        last = max((place for place, label in enumerate(row) if not is_missing(label)), default=-1)
        skipped += last + 1 > len(named)
        orders.append(named)
    if skipped:
        table.notes.append(f"{skipped:,} ballots skip a rank: later choices moved up")
    return orders


def _long(
    kind: type[Kind],
    table: Table,
    given: LongNames,
    items: Iterable[object] | None,
    *,
    approval: bool,
) -> Kind:
    voter, item, rank = given
    required = {"voter": voter, "item": item}
    names = table.names_for(required if approval else {**required, "rank": rank})
    with table.errors({"voters": names["voter"], "items": names["item"]}):
        voters, people = encode(table.labels(names["voter"]), what="voters")
        codes, labels = encode(table.labels(names["item"]), known=items, what="items")
        levels = np.zeros(len(codes)) if approval else table.numbers(names["rank"])
        check_length(levels, len(codes), "rank")
        whole = np.unique(levels, return_inverse=True)[1]
        order = np.argsort(voters, kind="stable")
        indptr = np.searchsorted(voters[order], np.arange(len(people) + 1))
        ballots = kind.from_csr(indptr, codes[order], whole[order], items=labels, approval=approval)
    return said_first(ballots, table.notes)

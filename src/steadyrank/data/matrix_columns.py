"""Which columns of a table make a score matrix: wide, or long (row, item, value)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from steadyrank.data.observations import said_first
from steadyrank.errors import ColumnError, InvalidDataError, listing, shorten
from steadyrank.reading.labels import encode
from steadyrank.reading.roles import guess_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steadyrank._typing import AnyArray
    from steadyrank.data.score_matrix import ScoreMatrix
    from steadyrank.reading.table import Table

    Kind = TypeVar("Kind", bound=ScoreMatrix)


LONG_FORM = ("row", "item", "value")


def matrix_from_table(
    kind: type[Kind],
    table: Table,
    items: Sequence[str] | None,
    row: str | None,
    item: str | None,
    value: str | None,
    units: str | None,
    missing: str,
) -> Kind:
    """Build a score matrix from the columns given, or guessed where they are not."""
    for part, name in (("row", row), ("item", item), ("value", value), ("units", units)):
        if name is not None:
            table.check_column(part, name)
    if item is not None or value is not None or (items is None and is_long(table, row, units)):
        return _long(kind, table, row, item, value, units, missing)
    row = row if row is not None else _first_text(table, items, units)
    names = list(items) if items is not None else _number_columns(table, row, units)
    for name in names:
        table.check_column("items", name)
    matrix = np.empty((len(table), len(names)))
    for place, name in enumerate(names):
        matrix[:, place] = table.numbers(name, missing=True)
    with table.errors({"rows": row, "units": units}):
        scores = kind(
            matrix,
            items=names,
            rows=None if row is None else table.labels(row),
            units=None if units is None else table.labels(units),
            unit_kind=units or "row",
            missing=missing,
        )
    return said_first(scores, table.notes)


def is_long(table: Table, row: str | None = None, units: str | None = None) -> bool:
    """Tell whether a table has a column of rows, one of item labels, one of values, and no more.

    Columns of numbers are never taken for item labels here: they could be items themselves.
    """
    found = guess_all(LONG_FORM, table.names, {"row": row})
    if found is None or set(table.names) - {*found, units}:
        return False
    return len(table) > 0 and not table.is_numeric(found[1])


def _first_text(table: Table, items: Sequence[str] | None, units: str | None) -> str | None:
    if not table.names or table.names[0] == units or table.names[0] in (items or ()):
        return None
    first = table.names[0]
    if not len(table) or table.is_numeric(first):
        return None
    table.notes.append(f"the first column, {shorten(first)}, taken as the row labels")
    return first


def _number_columns(table: Table, row: str | None, units: str | None) -> list[str]:
    names = [name for name in table.names if name not in {row, units}]
    text = [name for name in names if len(table) and not table.is_numeric(name)]
    if text:
        raise ColumnError(
            f"columns that hold something else than numbers: {listing(map(shorten, text))}",
            way_out="Name the columns of the items as items=[...], or correct these columns.",
        )
    return names


def _long(
    kind: type[Kind],
    table: Table,
    row: str | None,
    item: str | None,
    value: str | None,
    units: str | None,
    missing: str,
) -> Kind:
    names = table.names_for({"row": row, "item": item, "value": value})
    with table.errors({"rows": names["row"], "items": names["item"]}):
        row_codes, rows = encode(table.labels(names["row"]), what="rows")
        item_codes, items = encode(table.labels(names["item"]), what="items")
        values = table.numbers(names["value"], missing=True)
        cells = row_codes.astype(np.int64) * len(items) + item_codes
        _check_once(cells, rows, items)
        matrix = np.full(len(rows) * len(items), np.nan)
        matrix[cells] = values
        groups = None if units is None else _group_of_rows(table, units, row_codes, len(rows))
        scores = kind(
            matrix.reshape(len(rows), len(items)),
            items=items,
            rows=rows,
            units=groups,
            unit_kind=units or "row",
            missing=missing,
        )
    return said_first(scores, table.notes)


def _check_once(cells: AnyArray, rows: Sequence[object], items: Sequence[object]) -> None:
    order = np.argsort(cells, kind="stable")
    again = order[1:][cells[order][1:] == cells[order][:-1]]
    if len(again):
        row, item = divmod(int(cells[again[0]]), len(items))
        raise InvalidDataError(
            f"{shorten(items[item])} has more than one value in row {shorten(rows[row])}",
            rows=np.sort(again)[:5],
            total=len(again),
            way_out="Keep one of them, or name another column as row=...",
        )


def _group_of_rows(table: Table, units: str, row_codes: AnyArray, size: int) -> AnyArray:
    """Return the group of each row; all entries of a row must agree on it."""
    codes, labels = encode(table.labels(units), what="units")
    group = np.zeros(size, dtype=np.int64)
    group[row_codes] = codes
    differ = np.flatnonzero(group[row_codes] != codes)
    if len(differ):
        raise InvalidDataError(
            f"entries of one row name different {shorten(units)}", rows=differ[:5], total=len(differ)
        )
    return np.fromiter((labels[code] for code in group), dtype=object)

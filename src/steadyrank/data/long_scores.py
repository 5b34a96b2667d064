"""Long tables of scores (row, item, value) laid out as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import InvalidDataError, Option, shorten
from steadyrank.reading.labels import encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steadyrank._typing import AnyArray
    from steadyrank.reading.roles import Resolved


def matrix_of(found: Resolved) -> dict[str, Any]:
    """Return the arguments of a score matrix; a pair that does not occur is NaN."""
    row_codes, rows = encode(found.values("row"), what="rows")
    item_codes, items = encode(found.values("item"), subject="item")
    values = found.table.numbers(found.columns["score"], missing=True)
    cells = row_codes.astype(np.int64) * len(items) + item_codes
    _check_once(cells, rows, items)
    matrix = np.full(len(rows) * len(items), np.nan)
    matrix[cells] = values
    made: dict[str, Any] = {
        "values": matrix.reshape(len(rows), len(items)),
        "items": items,
        "rows": rows,
    }
    units = found.units()
    if units:
        units["units"] = _group_of_rows(units["units"], units["unit_kind"], row_codes, len(rows))
    return made | units


def _check_once(cells: AnyArray, rows: Sequence[object], items: Sequence[object]) -> None:
    order = np.argsort(cells, kind="stable")
    again = order[1:][cells[order][1:] == cells[order][:-1]]
    if len(again):
        row, item = divmod(int(cells[again[0]]), len(items))
        raise more_than_one_value(rows[row], items[item], rows=np.sort(again)[:5], total=len(again))


def more_than_one_value(row: object, item: object, **places: Any) -> InvalidDataError:
    """Return the error that an item has two values in one row."""
    return InvalidDataError(
        f"{shorten(item)} has more than one value in row {shorten(row)}",
        **places,
        way_out=["Keep one of them, or name another column as ", Option("row")],
    )


def _group_of_rows(labels: AnyArray, name: str, row_codes: AnyArray, size: int) -> AnyArray:
    """Return the group of each row; all entries of a row must agree on it."""
    codes, groups = encode(labels, what="units")
    group = np.zeros(size, dtype=np.int64)
    group[row_codes] = codes
    differ = np.flatnonzero(group[row_codes] != codes)
    if len(differ):
        raise InvalidDataError(
            f"entries of one row name different {shorten(name)}", rows=differ[:5], total=len(differ)
        )
    return np.fromiter((groups[code] for code in group), dtype=object)

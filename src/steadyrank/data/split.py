"""A table read once, whole and in parts: one for each value of a column, all of them read alike."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from steadyrank._typing import IntArray
from steadyrank.data.kinds import KINDS
from steadyrank.data.observations import (
    Observations,
    class_of,
    decision_on,
    made_of,
    set_fields,
)
from steadyrank.data.read import check_kind, table_of
from steadyrank.errors import ColumnError, InvalidDataError, SteadyrankError, shorten
from steadyrank.reading.deciding import Check, as_they_are
from steadyrank.reading.roles import Resolved, as_list, column_error
from steadyrank.reading.table import Column, Dropping, Table
from steadyrank.reading.text_columns import plain_number
from steadyrank.text import counted

MOST = 50
"""The most categories; a column of more values is rather one of ids."""


def read_split(
    source: Any,
    column: str,
    *,
    kind: str | None = None,
    check: Check = as_they_are,
    **arguments: Any,
) -> tuple[Observations, dict[str, Any], tuple[str, ...]]:
    """Read a file or a frame once; return the data of all rows, those of each category, and notes.

    The column of the categories is set aside; the others get their roles, and their numbers and labels,
    from all rows. Where a category makes no data, there is the error instead. The rest is as for
    :func:`steadyrank.read_any`.
    """
    layout = {name: arguments.pop(name, None) for name in ("format", "encoding")}
    check_kind(kind)
    table = table_of(source, arguments, **layout)
    by = _column(table, column, arguments)
    found = decision_on(_without(table, column), kind, arguments, check).taken()
    labels = found.reading.pop("labels", None)
    whole = made_of(_own(found, found.table))
    named = whole if labels is None else whole.with_labels(labels)
    names = dict(zip(whole.items, named.items, strict=True))
    beside = replace(found.table, columns={**found.table.columns, column: by})
    kept = Dropping(found.reading.get("drop"), found.answers).kept(beside)
    alike = class_of(found.kind)._settled(_own(found, _without(kept, column)))  # noqa: SLF001
    alike.reading["part"] = column
    rows, notes = _categories(kept.columns[column], column)
    parts: dict[str, Any] = {}
    for name, chosen in rows.items():
        try:
            data = made_of(_own(alike, alike.table.taken(chosen)))
            parts[name] = set_fields(
                data, items=tuple(names[item] for item in data.items)
            )
        except SteadyrankError as error:
            parts[name] = error
    return named, parts, notes


def _without(table: Table, column: str) -> Table:
    """Return a table without a column."""
    rest = {name: one for name, one in table.columns.items() if name != column}
    return replace(table, columns=rest)


def _own(found: Resolved, table: Table) -> Resolved:
    """Return the same roles over a table, with settings and notes that nobody else changes."""
    own = replace(table, notes=list(table.notes))
    return replace(
        found, table=own, settings=dict(found.settings), reading=dict(found.reading)
    )


def _column(table: Table, name: str, arguments: dict[str, Any]) -> Column:
    """Return the column of the split; refuse one that is not there, or that plays another role."""
    roles = (
        () if table.kind is None else KINDS[table.kind].roles
    )  # whose columns the format makes
    beside = {one: column for one, column in table.columns.items() if one not in roles}
    if name not in beside:
        told = f"there is no column {shorten(name)} for the split"
        told = told if beside else f"{table.format} files have no column to split by"
        raise column_error(replace(table, columns=beside), told, "split")
    for role in {
        role for known in KINDS.values() for role in known.roles
    } & arguments.keys():
        if name in as_list(arguments[role]):
            raise ColumnError(
                f"the column {shorten(name)} cannot be both the split and the {role}"
            )
    return beside[name]


def _categories(
    column: Column, name: str
) -> tuple[dict[str, IntArray], tuple[str, ...]]:
    """Return the rows of each value, numbers first; rows without one are a category of their own."""
    codes, words = column.written()
    used = np.bincount(codes, minlength=len(words)) > 0
    texts = sorted({word for word, there in zip(words, used, strict=True) if there})
    texts.sort(
        key=lambda text: inf if (number := plain_number(text)) is None else number
    )
    if len(texts) > MOST:
        told = f"the column {shorten(name)} has {len(texts):,} values, more than the {MOST} categories"
        raise InvalidDataError(
            f"{told} of a split", way_out="Split by a column with fewer values."
        )
    same = {text: np.array([word == text for word in words]) for text in texts}
    rows = {text: np.flatnonzero(those[codes]) for text, those in same.items()}
    if "" not in rows:
        return rows, ()
    blank = f"no {name}"
    while blank in rows:
        blank = f"({blank})"
    without = rows.pop("")
    note = f"{counted(len(without), 'row')} without a {name}: the category {shorten(blank)}"
    return {**rows, blank: without}, (note,)

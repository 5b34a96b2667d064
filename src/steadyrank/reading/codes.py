"""Labels become codes within DuckDB, so that a large table never becomes Python objects."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from steadyrank import errors
from steadyrank._typing import AnyArray
from steadyrank.arrays import objects
from steadyrank.errors import shorten
from steadyrank.reading.cells import INTEGERS, first_row, label, trimmed
from steadyrank.reading.query import literal

if TYPE_CHECKING:
    from steadyrank.reading.table import Table

ORDER = "try_cast(label as hugeint) nulls last, label"  # '7' before '10' before 'a'


def label_cells(
    table: Table, columns: Sequence[str], catalogue: Sequence[str] | None = None
) -> list[str]:
    """Return expressions of labels that are compared with each other, and so of one type."""
    cells = [label(table, column) for column in columns]
    whole = {table.types[column] for column in columns} <= INTEGERS
    if catalogue is not None:
        whole = whole and all(map(_is_whole, catalogue))
    kind = "BIGINT" if whole else "VARCHAR"
    return [
        cell if table.types[column] == kind else f"{cell}::{kind}"
        for cell, column in zip(cells, columns, strict=True)
    ]


def _is_whole(name: str) -> bool:
    """Tell whether a name is a whole number of 64 bits, as one writes it."""
    digits = name.removeprefix("-")
    return digits.isdecimal() and len(digits) < 19 and name == str(int(name))


def number_labels(
    table: Table, codes: str, cells: str, catalogue: Sequence[str] | None = None
) -> AnyArray:
    """Make the table ``codes`` of labels and their numbers, and return the labels.

    Parameters
    ----------
    codes : str
        Its name; its columns are ``label`` and ``code``. Blank cells have no label.
    cells : str
        A query of two columns: ``row`` and ``label``.
    catalogue : sequence of str, optional
        All labels that exist, in order; a cell with any other is refused.
    """
    blank = f"(label is null or {trimmed('label::varchar')} = '')"
    if catalogue is None:
        # Blanks come last and go after numbering: a filter would be moved below "distinct",
        # to look at all rows instead of a few labels.
        numbered = (
            f"select label, (row_number() over (order by {blank}, {ORDER}) - 1)::integer "
            f"as code from (select distinct label from ({cells})) qualify not {blank}"
        )
    else:
        names = ", ".join(map(literal, catalogue))
        unknown = first_row(
            table,
            f"select row, label::varchar from ({cells}) where not {blank} "
            f"and label::varchar not in ({names}) order by row limit 1",
        )
        if unknown:
            row, name = unknown
            raise _not_in_catalogue(table, row, name, catalogue)
        kind, *_ = first_row(table, f"select any_value(typeof(label)) from ({cells})")
        numbered = (
            f"select name::{kind or 'VARCHAR'} as label, code::integer as code from "
            f"(select unnest([{names}]) as name, unnest(range({len(catalogue)})) as code)"
        )
    table.con.execute(f"create or replace temp table {codes} as {numbered}")
    query = f"select label from {codes} order by code"
    labels = table.con.execute(query).fetchnumpy()["label"]
    return objects(np.asarray(labels).tolist())


def _not_in_catalogue(
    table: Table, row: int, label: str, catalogue: Sequence[str]
) -> errors.InvalidLabelError:
    near = get_close_matches(label, catalogue, n=1)
    meant = f"; did you mean {shorten(near[0])}?" if near else ""
    return errors.InvalidLabelError(
        f"{table.place(row)}: {shorten(label)} is not in the catalogue{meant}",
        source="",
        way_out=[
            "List all items in ",
            errors.Option("catalogue"),
            ", or leave it out.",
        ],
    )

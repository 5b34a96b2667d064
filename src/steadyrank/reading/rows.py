"""The rows of a table that have no blanks: codes of labels, numbers, and what is skipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank import errors
from steadyrank._typing import AnyArray
from steadyrank.arrays import Coded
from steadyrank.errors import Option
from steadyrank.reading.cells import (
    LARGEST,
    ROW,
    cell_of,
    check_cell,
    check_numbers,
    first_row,
    is_blank,
    number,
    stacked,
)
from steadyrank.reading.codes import label_cells, number_labels
from steadyrank.reading.query import quoted
from steadyrank.reading.roles import ROLES, Reading, Skipped

if TYPE_CHECKING:
    from steadyrank.reading.table import Table

PLACE = "place of the row"  # no role is called that


class Rows:
    """Collects what a form reads of each row, and fetches it in one query.

    Values are read of every row of ``held``. Where a row holds several (ranks, cells), they
    are read of every row of the table ``entries``, whose column ``row`` says of which row.
    """

    def __init__(
        self, table: Table, roles: Mapping[str, Any], catalogue: Sequence[str] | None
    ) -> None:
        self.table = table
        self.roles = roles
        self.catalogue = catalogue
        self.n_rows = 0
        self._source = "held"
        self._values: dict[str, str] = {PLACE: "held.rowid"}
        self._joins: list[str] = []
        self._labels: dict[str, AnyArray] = {}
        self._needed: list[str] = []
        self._blank: list[tuple[str, Sequence[str], str]] = []

    def keep(self, columns: Sequence[str] = ()) -> None:
        """Materialise the columns that were said, and others that the form reads."""
        names = [*columns]
        for role, value in self.roles.items():
            if ROLES[role].takes == "column":
                names.append(value)
            elif ROLES[role].takes == "columns":
                names.extend(value)
        self.table.keep(list(dict.fromkeys(names)))
        if "rowid" in map(str.casefold, self.table.columns):
            rename = Option("sql", "SELECT * RENAME (rowid AS row_id) FROM data")
            raise errors.ColumnError(
                f"{self.table.source} has a column 'rowid', as DuckDB calls its rows",
                source="",
                way_out=["Rename it with ", rename, "."],
            )
        (self.n_rows,) = first_row(self.table, "select count(*) from held")

    def set_entries(self, query: str) -> None:
        """Read values of entries, several of a row, instead of rows.

        Parameters
        ----------
        query : str
            Of their table, whose column ``row`` is the row of an entry.
        """
        self.table.con.execute(f"create or replace temp table entries as {query}")
        self._source = "entries join held on held.rowid = entries.row"

    def others(self) -> tuple[str, ...]:
        """Return the columns that were not said."""
        said = {
            value for role, value in self.roles.items() if ROLES[role].takes == "column"
        }
        return tuple(name for name in self.table.columns if name not in said)

    def add_items(self, columns: Mapping[str, str]) -> None:
        """Read labels of items: of one column, or of two sides that share them.

        Parameters
        ----------
        columns : mapping
            Under which name each column is fetched.
        """
        self._add_labels(columns, self.catalogue)

    def add_units(self) -> None:
        """Read the unit, the row, the weight and the count of each row, where said."""
        for role in ("unit", "row"):
            if role in self.roles:
                self._add_labels({role: self.roles[role]}, None)
        for role in ("weight", "count"):
            if role in self.roles:
                self.add_number(role)
                self._check_amount(role)

    def _add_labels(
        self, columns: Mapping[str, str], catalogue: Sequence[str] | None
    ) -> None:
        codes = f"codes_{len(self._labels)}"
        cells = label_cells(self.table, [*columns.values()], catalogue)
        every = (
            f"select held.rowid as row, {cell} as label from held" for cell in cells
        )
        labels = number_labels(self.table, codes, " union all ".join(every), catalogue)
        for (key, column), cell in zip(columns.items(), cells, strict=True):
            self.add_codes(key, codes, cell, labels)
            role = next(r for r, said in self.roles.items() if said == column)
            self.need([key], role, [column])

    def add_codes(self, key: str, codes: str, cell: str, labels: AnyArray) -> None:
        """Read the codes of labels, which the table ``codes`` holds."""
        alias = f"labels_{len(self._labels)}"
        self._joins.append(f"left join {codes} {alias} on {alias}.label = {cell}")
        self._labels[key] = labels
        self._values[key] = f"{alias}.code"

    def add_number(self, role: str) -> None:
        """Read a column of numbers; a cell that holds anything else is refused."""
        column = self.roles[role]
        check_numbers(self.table, [column])
        self.add_value(role, self.number(column))
        self.need([role], role, [column])

    def add_value(self, key: str, expression: str) -> None:
        """Read the value of an expression."""
        self._values[key] = expression

    def need(
        self, keys: Sequence[str], role: str, columns: Sequence[str], blank: str = ""
    ) -> None:
        """Leave out the rows that have a value under none of the keys.

        Parameters
        ----------
        keys : sequence of str
        role : str
            What is blank then.
        columns : sequence of str
            Its columns.
        blank : str, optional
            The condition that such a row has no value; that any of its cells is blank
            unless said.
        """
        values = ", ".join(map(quoted, keys))
        self._needed.append(f"coalesce({values}) is not null")
        self._blank.append((role, columns, blank))

    def number(self, column: str) -> str:
        """Return the expression of the numbers in a column."""
        return number(cell_of(column), self.table.types[column])

    def is_blank(self, column: str) -> str:
        """Return the condition that a cell of a column is blank."""
        return is_blank(cell_of(column), self.table.types[column])

    def columns_of(self, role: str) -> tuple[str, ...]:
        """Return the columns of a role."""
        said = self.roles[role]
        return said if isinstance(said, tuple) else (said,)

    def _check_amount(self, role: str) -> None:
        column = self.roles[role]
        amount = self.number(column)
        check_cell(self.table, column, f"{amount} < 0", f"is negative, and a {role}")
        if role == "count":
            whole = f"{amount} <> floor({amount}) or {amount} > {LARGEST}"
            check_cell(self.table, column, whole, "is no whole number, and a count")

    def fetch(self) -> dict[str, Any]:
        """Return the arrays of the rows that lack nothing, in the order of the table."""
        values = ", ".join(
            f"{expression} as {quoted(key)}" for key, expression in self._values.items()
        )
        query = f"select {values} from {self._source} {' '.join(self._joins)}"
        if self._needed:
            query = f"select * from ({query}) where {' and '.join(self._needed)}"
        if self._source != "held":
            query = f"{query} order by all"  # the row comes first
        arrays = self.table.con.execute(query).fetchnumpy()
        rows = arrays[PLACE]
        order: Any = slice(None)
        if (rows[1:] < rows[:-1]).any():
            # DuckDB promises no order of joined rows. Large tables lose it.
            order = np.argsort(rows, kind="stable")
        columns: dict[str, Any] = {}
        for key in self._values:
            array = arrays.pop(key)[order]
            if key in self._labels:
                codes = array.astype(np.int32, copy=False)
                columns[key] = Coded(codes, self._labels[key])
            elif array.dtype.kind == "f":
                columns[key] = np.ma.filled(array, np.nan)
            else:
                columns[key] = np.asarray(array)
        if "count" in columns:
            columns["count"] = columns["count"].astype(np.int64)
        if len(rows) < self.n_rows or self._source != "held":
            self._drop_unused(columns)
        return columns

    def _drop_unused(self, columns: dict[str, Any]) -> None:
        """Leave out labels that only skipped rows have, unless a catalogue lists them."""
        for labels in {id(labels): labels for labels in self._labels.values()}.values():
            keys = [key for key in self._labels if self._labels[key] is labels]
            used = np.zeros(len(labels), dtype=np.bool_)
            for key in keys:
                used[columns[key].codes] = True
            if used.all() or (self.catalogue and keys[0] not in {"unit", "row"}):
                continue
            new_codes = np.cumsum(used, dtype=np.int32) - np.int32(1)
            for key in keys:
                codes = new_codes[columns[key].codes]
                columns[key] = Coded(codes, labels[used])

    def reading(
        self,
        form: str,
        columns: dict[str, Any],
        items: Sequence[object],
        *,
        cells: tuple[int, int] | None = None,
    ) -> Reading:
        """Return what was read, and what was skipped.

        Parameters
        ----------
        cells : pair of int, optional
            How many cells have a value, and how many cells a row has, of tables whose
            cells are skipped one by one.
        """
        rows = columns.pop(PLACE)
        n_rows = self.n_rows
        if not len(rows):
            roles = ", ".join(dict.fromkeys(role for role, *_ in self._blank))
            problem = f"there are no rows in {self.table.source}"
            if n_rows:
                problem = f"no row of {self.table.source} has all of {roles}"
            raise errors.EmptyDataError(problem, source="")
        if cells is None:
            n_kept = 1 + int(np.count_nonzero(rows[1:] != rows[:-1]))
            n_total, what = n_rows, "rows"
        else:
            n_kept, n_total, what = cells[0], cells[1] * n_rows, "cells"
        skipped = None
        if n_kept < n_total:
            role, column, place = self._first_blank()
            number = n_total - n_kept
            skipped = Skipped(number, n_total, role, column, place, what)
        return Reading("", form, dict(self.roles), tuple(items), columns, rows, skipped)

    def _first_blank(self) -> tuple[str, str, str]:
        """Return the role, the column and the place of the first blank."""
        firsts: list[tuple[int, str, str]] = []
        for role, columns, blank in self._blank:
            for kind, names, cells in stacked(self.table, columns):
                query = (
                    f"select row, place from ({cells}) where {is_blank('cell', kind)}"
                )
                if blank:  # in all cells of a row together
                    query = f"select {ROW} as row, 0 as place from held where {blank}"
                first = first_row(self.table, f"{query} order by row, place limit 1")
                if first:
                    firsts.append((first[0], role, names[first[1]]))
        row, role, column = min(firsts, key=lambda first: first[0])
        return role, column, self.table.place(row)

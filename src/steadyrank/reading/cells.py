"""What cells hold: numbers and labels as SQL expressions, and refusals that name a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from steadyrank import errors
from steadyrank.errors import NotANumberError, shorten
from steadyrank.reading.query import literal, quoted

if TYPE_CHECKING:
    from steadyrank.reading.table import Table

BLANKS = " \t\n\v\f\r\x85\xa0\u2000\u2002\u2003\u2009\u202f\u3000"
LARGEST = 2**53  # whole numbers beyond are not all told apart as floats
LARGEST_DIGITS = 16
WHOLE = r"\s*[+-]?\d+(\.0*)?\s*"
FLOATS = {"FLOAT", "DOUBLE"}
INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}
INTEGERS |= {f"U{name}" for name in INTEGERS}
LARGE_INTEGERS = {"HUGEINT", "UHUGEINT"}
NESTED = ("STRUCT", "MAP", "UNION", "BLOB", "BIT", "VARIANT")


def cell_of(column: str) -> str:
    """Return the cells of a column, whatever else is called like it in a query."""
    return f"held.{quoted(column)}"


def trimmed(cell: str) -> str:
    """Return the expression of a text without the blanks around it."""
    return f"trim({cell}, {literal(BLANKS)})"


def is_blank(table: Table, column: str) -> str:
    """Return the condition that a cell is empty, holds blanks alone, or is NULL."""
    cell = cell_of(column)
    if table.types[column] != "VARCHAR":
        return f"({cell} is null)"
    return f"({cell} is null or {trimmed(cell)} = '')"


def is_numeric(kind: str) -> bool:
    """Tell whether DuckDB's type of a column holds numbers, or truth values (1 and 0)."""
    whole = INTEGERS | LARGE_INTEGERS
    return kind in FLOATS | whole | {"BOOLEAN"} or kind.startswith("DECIMAL")


def number(table: Table, column: str) -> str:
    """Return the expression of a number; NULL where the cell is blank or holds none."""
    cell = cell_of(column)
    kind = table.types[column]
    if kind == "VARCHAR":
        return f"try_cast({cell} as double)"
    if kind == "FLOAT":
        # What the shortest decimals say: 0.1 in single precision is 0.1.
        return f"cast({cell}::varchar as double)"
    if is_numeric(kind):
        return f"cast({cell} as double)"
    return "cast(null as double)"


def is_no_number(table: Table, column: str) -> str:
    """Return the condition that a cell is not blank, and no finite number."""
    cell = cell_of(column)
    kind = table.types[column]
    value = number(table, column)
    if kind in FLOATS or kind == "BOOLEAN":
        return f"coalesce(not isfinite({value}), false)"
    if is_numeric(kind):
        return f"coalesce(abs({cell}::hugeint) > {LARGEST}, false)"
    if kind != "VARCHAR":
        return f"({cell} is not null)"
    exact = f"coalesce(abs(try_cast({cell} as hugeint)) <= {LARGEST}, false)"
    return (
        f"case when {value} is null then not {is_blank(table, column)} "
        f"when not isfinite({value}) or contains({cell}, '_') then true "
        f"when length({cell}) < {LARGEST_DIGITS} then false "
        f"else regexp_full_match({cell}, {literal(WHOLE)}) and not {exact} end"
    )


def check_cells(
    table: Table, wrong: Mapping[str, str], problem: str, way_out: errors.WayOut = ()
) -> None:
    """Refuse the first column with wrong cells: its first one, and how many there are.

    Parameters
    ----------
    wrong : mapping
        Of each column the condition that a cell is wrong.
    problem : str
        What is wrong with it, as in "is not a number".
    """
    if not wrong:
        return
    counts = ", ".join(f"count(*) filter ({condition})" for condition in wrong.values())
    *numbers, n_rows = first_row(table, f"select {counts}, count(*) from held")
    for (column, condition), n_wrong in zip(wrong.items(), numbers, strict=True):
        if n_wrong:
            row, value = first_row(
                table,
                f"select held.rowid, {cell_of(column)} from held where {condition} "
                "order by held.rowid limit 1",
            )
            raise NotANumberError(
                f"{table.place(row)}, column {shorten(column)}: {shorten(value)} "
                f"{problem} ({n_wrong:,} of {n_rows:,} rows)",
                source="",
                way_out=way_out,
            )


def first_row(table: Table, query: str) -> tuple[Any, ...]:
    """Return the first row of a query."""
    return table.con.execute(query).fetchone() or ()


def check_numbers(
    table: Table, columns: tuple[str, ...], way_out: errors.WayOut = ()
) -> None:
    """Refuse cells that should be numbers and are none."""
    wrong = {column: is_no_number(table, column) for column in columns}
    usual = "Correct the cell, or leave the row out or turn it into a number with "
    check_cells(
        table,
        wrong,
        "is not a number",
        way_out or [usual, errors.Option("sql")],
    )


def label(table: Table, column: str) -> str:
    """Return the expression of a label: text to the letter, or a whole number."""
    cell = cell_of(column)
    kind = table.types[column]
    if kind in FLOATS or kind.endswith("]") or kind.startswith(NESTED):
        name = quoted(column)
        replace = f"{name}::{'BIGINT' if kind in FLOATS else 'VARCHAR'}"
        statement = f"SELECT * REPLACE ({replace} AS {name}) FROM data"
        raise errors.InvalidLabelError(
            f"column {shorten(column)} holds values of the type {kind}, which name nothing",
            source="",
            way_out=["Turn them into names with ", errors.Option("sql", statement)],
        )
    if kind == "VARCHAR" or kind in INTEGERS:
        return cell
    return f"{cell}::varchar"

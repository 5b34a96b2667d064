"""What cells hold: numbers and labels as SQL expressions, and refusals that name a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from steadyrank import errors
from steadyrank.errors import NotANumberError, shorten
from steadyrank.reading.query import literal, quoted

if TYPE_CHECKING:
    from steadyrank.reading.table import Table

BLANKS = " \t\n\v\f\r\x85\xa0\u2000\u2002\u2003\u2009\u202f\u3000"
ROW = "held.rowid"
LARGEST = 2**53  # whole numbers beyond are not all told apart as floats
LARGEST_DIGITS = 16
WHOLE = r"\s*[+-]?\d+(\.0*)?\s*"
FLOATS = {"FLOAT", "DOUBLE"}
INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}
INTEGERS |= {"UTINYINT", "USMALLINT", "UINTEGER"}
LARGE_INTEGERS = {"UBIGINT", "HUGEINT", "UHUGEINT"}  # beyond 64 bits with a sign
NESTED = ("STRUCT", "MAP", "UNION", "BLOB", "BIT", "VARIANT")


def cell_of(column: str) -> str:
    """Return the cells of a column, whatever else is called like it in a query."""
    return f"held.{quoted(column)}"


def trimmed(cell: str) -> str:
    """Return the expression of a text without the blanks around it."""
    return f"trim({cell}, {literal(BLANKS)})"


def is_blank(cell: str, kind: str) -> str:
    """Return the condition that a cell is empty, holds blanks alone, or is NULL.

    Parameters
    ----------
    cell : str
        The expression of the cell.
    kind : str
        DuckDB's type of it.
    """
    if kind != "VARCHAR":
        return f"({cell} is null)"
    # Most cells begin with a character that is seen: nothing is trimmed for these.
    blank = f"{cell} is null or {trimmed(cell)} = ''"
    return f"(case when {cell} between '!' and '~' then false else {blank} end)"


def is_numeric(kind: str) -> bool:
    """Tell whether DuckDB's type of a column holds numbers, or truth values (1 and 0)."""
    whole = INTEGERS | LARGE_INTEGERS
    return kind in FLOATS | whole | {"BOOLEAN"} or kind.startswith("DECIMAL")


def number(cell: str, kind: str) -> str:
    """Return the expression of a number; NULL where the cell is blank or holds none."""
    if kind == "VARCHAR":
        return f"try_cast({cell} as double)"
    if kind == "FLOAT":
        # What the shortest decimals say: 0.1 in single precision is 0.1.
        return f"cast({cell}::varchar as double)"
    if is_numeric(kind):
        return f"cast({cell} as double)"
    return "cast(null as double)"


def is_no_number(cell: str, kind: str) -> str:
    """Return the condition that a cell is not blank, and no finite number."""
    value = number(cell, kind)
    if kind in FLOATS or kind == "BOOLEAN":
        return f"coalesce(not isfinite({value}), false)"
    if is_numeric(kind):
        return f"coalesce(abs({cell}::hugeint) > {LARGEST}, false)"
    if kind != "VARCHAR":
        return f"({cell} is not null)"
    exact = f"coalesce(abs(try_cast({cell} as hugeint)) <= {LARGEST}, false)"
    return (
        f"case when {value} is null then not {is_blank(cell, kind)} "
        f"when not isfinite({value}) or regexp_matches({cell}, '_|[+]-') then true "
        f"when length({cell}) < {LARGEST_DIGITS} then false "
        f"else regexp_full_match({cell}, {literal(WHOLE)}) and not {exact} end"
    )


def stacked(
    table: Table, columns: Sequence[str], *, source: str = "held", row: str = ROW
) -> Iterator[tuple[str, list[str], str]]:
    """Yield queries of the cells of columns, one below the other: ``row, place, cell``.

    Thousands of columns are one short statement then. Each query comes with the type of
    its cells and its columns, of which ``place`` is the number.
    """
    by_kind: dict[str, list[str]] = {}
    for column in columns:
        by_kind.setdefault(table.types[column], []).append(column)
    for kind, names in by_kind.items():
        cells = ", ".join(map(cell_of, names))
        place = "0"
        if len(names) > 1:
            cells = f"unnest([{cells}])"
            place = f"unnest(range({len(names)}))"
        query = f"select {row} as row, {place} as place, {cells} as cell from {source}"
        yield kind, names, query


def check_numbers(
    table: Table, columns: Sequence[str], way_out: errors.WayOut = ()
) -> None:
    """Refuse cells that should be numbers and are none."""
    usual = "Correct the cell, or leave the row out or turn it into a number with "
    for kind, names, cells in stacked(table, columns):
        wrong = is_no_number("cell", kind)
        order = "order by place, row limit 1"
        first = first_row(table, f"select place from ({cells}) where {wrong} {order}")
        if first:
            column = names[first[0]]
            condition = is_no_number(cell_of(column), kind)
            way_out = way_out or [usual, errors.Option("sql")]
            check_cell(table, column, condition, "is not a number", way_out)


def check_cell(
    table: Table, column: str, wrong: str, problem: str, way_out: errors.WayOut = ()
) -> None:
    """Refuse a column with wrong cells: its first one, and how many there are.

    Parameters
    ----------
    wrong : str
        The condition that a cell is wrong.
    problem : str
        What is wrong with it, as in "is not a number".
    """
    cell = cell_of(column)
    query = f"select {ROW}, {cell} from held where {wrong} order by {ROW} limit 1"
    first = first_row(table, query)
    if not first:
        return
    row, value = first
    counts = f"select count(*) filter ({wrong}), count(*) from held"
    n_wrong, n_rows = first_row(table, counts)
    raise NotANumberError(
        f"{table.place(row)}, column {shorten(column)}: {shorten(value)} {problem} "
        f"({n_wrong:,} of {n_rows:,} rows)",
        source="",
        way_out=way_out,
    )


def first_row(table: Table, query: str) -> tuple[Any, ...]:
    """Return the first row of a query, or nothing."""
    return table.con.execute(query).fetchone() or ()


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

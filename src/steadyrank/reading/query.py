"""SQL: how steadyrank talks to DuckDB, and the fence around a query of the user."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import duckdb

from steadyrank.errors import InvalidDataError, InvalidSettingError, shorten

SETTINGS: dict[str, Any] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    # Or try_cast(cell AS DOUBLE) moves into the reader of text, and fails there.
    "disabled_optimizers": "type_pushdown,scalar_fn_pushdown",
    "python_enable_replacements": False,  # FROM x is never a variable of Python
}
QUERIES = {"SELECT", "MULTI"}  # DuckDB parses PIVOT as several statements
EXAMPLE = 'for example "SELECT * FROM data"'


def connect(folder: str, memory_limit: str | None) -> duckdb.DuckDBPyConnection:
    """Return a database in memory, which spills to a folder beyond ``memory_limit``."""
    con = duckdb.connect(config={**SETTINGS, "temp_directory": folder})
    if memory_limit is not None:
        try:
            con.execute(f"SET memory_limit = {literal(memory_limit)}")
        except duckdb.Error:
            raise InvalidSettingError(
                f"memory_limit is {shorten(memory_limit)}, which is no size",
                way_out="Give a number with its unit, such as 1GB or 500MB.",
            ) from None
    return con


def quoted(name: str) -> str:
    """Return a name as SQL wants it.

    Examples
    --------
    >>> print(quoted('the "best" of'))
    "the ""best"" of"
    """
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as SQL wants it.

    Examples
    --------
    >>> print(literal("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"


def names_of(con: duckdb.DuckDBPyConnection, relation: str) -> dict[str, str]:
    """Return the columns of a table, view or query with their types."""
    rows = con.execute(f"DESCRIBE {relation}").fetchall()
    return {name: kind for name, kind, *_ in rows}


def named(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of columns: those that are blank become column1 by their place.

    Examples
    --------
    >>> named(["item", " "])
    ('item', 'column2')
    """
    return tuple(
        name if name.strip() else f"column{place}"
        for place, name in enumerate(names, 1)
    )


def check_names(source: str, names: Iterable[str]) -> None:
    """Refuse columns that are called alike; SQL does not tell ``item`` from ``Item``."""
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            pair = f"{shorten(seen[name.lower()])} and {shorten(name)}"
            raise InvalidDataError(
                f"{source} has columns {pair}, which SQL does not tell apart",
                way_out="Rename one of them.",
            )
        seen[name.lower()] = name


def one_query(con: duckdb.DuckDBPyConnection, sql: str) -> str:
    """Return the one statement in the SQL of a user, which must be a query."""
    try:
        statements = con.extract_statements(sql)
    except duckdb.Error as error:
        raise refused(sql, error) from None
    kinds = [statement.type.name for statement in statements]
    if len(kinds) != 1 or kinds[0] not in QUERIES:
        found = " and ".join(kinds) or "no statement"
        raise InvalidSettingError(
            f"sql must be one SELECT, and is {found}: {shorten(sql)}",
            way_out=f"Write one query over the table data, {EXAMPLE}.",
        )
    return statements[0].query.strip().rstrip(";")


def fence(con: duckdb.DuckDBPyConnection, paths: Iterable[str], folder: str) -> None:
    """Let a query see the files that were opened, and nothing else of the machine.

    One thread keeps the order of rows, and the sums of floats the same from run to run.
    """
    con.execute("SET threads = 1")
    con.execute(f"SET allowed_paths = [{', '.join(map(literal, paths))}]")
    con.execute(f"SET allowed_directories = [{literal(folder)}]")
    con.execute("SET enable_external_access = false")


def refused(sql: str, error: duckdb.Error) -> InvalidSettingError:
    """Return what DuckDB says of a query in one line, and where, without its advice."""
    place = re.search(r"^LINE (\d+): (.*)\n( *)\^", str(error), re.MULTILINE)
    where = f": {shorten(sql)}"
    if place is not None:
        column = len(place[3]) - len(f"LINE {place[1]}: ")
        rest = place[2][column:].removesuffix("...")
        where = f", line {place[1]}, at {shorten(rest, 40)}"
    problem = f"the SQL does not work: {first_line(error)}{where}"
    return InvalidSettingError(problem, way_out=f"Correct the query, {EXAMPLE}.")


def first_line(error: Exception) -> str:
    """Return what a library complains about, without the kind of error and advice.

    Examples
    --------
    >>> first_line(ValueError("Binder Error: no column x! Perhaps y?"))
    'no column x'
    """
    line = str(error).strip().partition("\n")[0]
    line = re.sub(r"^(?:[A-Z][A-Za-z]* ){1,4}Error: ", "", line)
    line = re.sub(r"(?:[!.] | - ).*", "", line)
    return line.rstrip("!. ")


def tables_of(con: duckdb.DuckDBPyConnection, sql: str | None) -> set[str]:
    """Return the tables that a query names; none where it cannot be parsed."""
    try:
        names = set() if sql is None else con.get_table_names(sql)
        return {name.lower() for name in names}
    except duckdb.Error:
        return set()

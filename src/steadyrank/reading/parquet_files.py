"""Parquet files: the columns and types that they declare."""

from __future__ import annotations

from pathlib import Path

import duckdb

from steadyrank.errors import InvalidDataError, UnreadableFileError
from steadyrank.reading.query import check_names, first_line, names_of
from steadyrank.reading.written import Part, pattern


def open_parquet(con: duckdb.DuckDBPyConnection, path: Path, name: str) -> Part:
    """Open a Parquet file, whose columns keep their types."""
    query = f"FROM read_parquet({pattern(path)})"
    try:
        names = tuple(names_of(con, query))
        ((n_rows,),) = con.execute(f"SELECT count(*) {query}").fetchall()
        schema = con.execute(
            f"SELECT name FROM parquet_schema({pattern(path)})"
        ).fetchall()
    except duckdb.Error as error:
        raise UnreadableFileError(
            f"{name} is no sound Parquet file: {first_line(error)}",
            way_out="Get or write it again.",
        ) from None
    as_written = {column for (column,) in schema}
    if "" in as_written:
        raise InvalidDataError(
            f"{name} has a column without a name", way_out="Give it one."
        )
    if not as_written.issuperset(names):  # DuckDB calls a second "a" "a_1"
        check_names(name, as_written)
        raise InvalidDataError(f"{name} has two columns of the same name")
    return Part(name, names, query, n_rows, lambda row: f"{name}, row {row + 1:,}")

"""Parquet files: the columns and types that they declare."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from steadyrank.errors import InvalidDataError, UnreadableFileError
from steadyrank.reader.query import check_names, first_line, literal, names_of
from steadyrank.reader.written import pattern


@dataclass
class ParquetFile:
    """A Parquet file."""

    name: str
    names: tuple[str, ...]
    query: str
    n_rows: int

    @classmethod
    def open(cls, con: duckdb.DuckDBPyConnection, path: str, name: str) -> ParquetFile:
        """Read which columns there are."""
        place = literal(pattern(path))
        query = f"FROM read_parquet({place})"
        try:
            names = tuple(names_of(con, query))
            counted = con.execute(f"SELECT count(*) {query}").fetchall()
            schema = con.execute(f"SELECT name FROM parquet_schema({place})").fetchall()
        except duckdb.Error as error:
            raise UnreadableFileError(
                f"{name} is no sound Parquet file: {first_line(error)}",
                way_out="Get or write it again.",
            ) from None
        written = {column for (column,) in schema}
        if not written.issuperset(names):  # DuckDB calls a second "a" "a_1"
            check_names(name, written)
            raise InvalidDataError(f"{name} has two columns of the same name")
        return cls(name, names, query, counted[0][0])

    def place(self, row: int) -> str:
        """Return where a row, counted from 0, is in the file."""
        return f"{self.name}, row {row + 1:,}"

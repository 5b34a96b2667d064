"""Everything that can be read becomes one table, ``data``, in DuckDB.

Cells of text files are text, letter by letter, and a blank cell is '', never NULL. What
cannot be read to the letter is refused with its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

import duckdb

from steadyrank.errors import (
    InvalidSettingError,
    Option,
    UnreadableFileError,
    listing,
)
from steadyrank.reading import query
from steadyrank.reading.query import quoted
from steadyrank.reading.sources import Opener, together
from steadyrank.reading.written import Part

FURTHER = Option("tables", "NAME=FILE", python='tables={"NAME": ...}')


@dataclass
class Table:
    """The table ``data`` of a database, and where its rows came from.

    Use it as a context manager, or ``close`` it: that removes temporary files.

    Parameters
    ----------
    con : duckdb.DuckDBPyConnection
    source : str
        What messages call it: 'ratings.csv', 'standard input', 'the dataframe'.
    library : str or None
        The library of a dataframe, such as 'pandas'.
    said, catalogue, notes
        What a grammar proves: roles of columns, and the names of all items; and what else
        a reader should know.
    """

    con: duckdb.DuckDBPyConnection
    source: str
    parts: Sequence[Part]
    folder: TemporaryDirectory[str]
    library: str | None = None
    said: Mapping[str, str] = field(default_factory=dict)
    catalogue: tuple[str, ...] = ()
    notes: Sequence[str] = ()
    columns: tuple[str, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    _shaped: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database, and remove temporary files."""
        self.con.close()
        self.folder.cleanup()

    def shape(self, sql: str, paths: Sequence[str], parts: Sequence[Part]) -> None:
        """Replace ``data`` by what a query of the user gives, over these files."""
        statement = query.one_query(self.con, sql)
        for part in parts:
            self._check_size([part], f"({part.query})")
        query.fence(self.con, paths, self.folder.name)
        with _reading(parts, statement):
            described = self.con.execute(f"DESCRIBE ({statement}\n)").fetchall()
            query.check_names("the query", [name for name, *_ in described])
            self.con.execute(f"CREATE TEMP TABLE shaped AS ({statement}\n)")
        self.con.execute("RESET threads")
        self._shaped = True
        self.said = {}
        self.view("FROM shaped")

    def view(self, statement: str) -> None:
        """Let ``data`` be what a query gives."""
        self.con.execute(f"CREATE OR REPLACE TEMP VIEW data AS {statement}")
        self.types = query.names_of(self.con, "data")
        self.columns = tuple(self.types)
        enums = [name for name, kind in self.types.items() if kind.startswith("ENUM")]
        if enums:  # categories of pandas are texts, some of which may be blank
            texts = (f"{quoted(name)}::VARCHAR AS {quoted(name)}" for name in enums)
            self.view(f"SELECT * REPLACE ({', '.join(texts)}) FROM ({statement})")

    def keep(self, columns: Sequence[str]) -> None:
        """Hold these columns as the table ``held``, where ``rowid`` counts rows from 0.

        ``data`` reads from it from now on.
        """
        if self._shaped:
            self.con.execute("ALTER TABLE shaped RENAME TO held")
        else:
            shown = ", ".join(map(quoted, dict.fromkeys(columns)))
            with _reading(self.parts):
                self.con.execute(f"CREATE TEMP TABLE held AS SELECT {shown} FROM data")
            self._check_size(self.parts, "held")
        self.view("FROM held")

    def _check_size(self, parts: Sequence[Part], relation: str) -> None:
        """Refuse a table of which the database lost rows; it has a history of that."""
        with _reading(parts):
            counted = self.con.execute(f"SELECT count(*) FROM {relation}").fetchall()
        n_rows = sum(part.n_rows for part in parts)
        if counted[0][0] != n_rows:
            raise UnreadableFileError(
                f"{self.source} has {n_rows:,} rows, of which DuckDB read {counted[0][0]:,}",
                way_out="This is a bug in steadyrank or DuckDB: please report it.",
            )

    def examples(self, n: int = 3) -> dict[str, list[str]]:
        """Return the first values of each column, as text."""
        cells = ", ".join(f"{quoted(name)}::VARCHAR" for name in self.columns)
        with _reading(self.parts):
            rows = self.con.execute(f"SELECT {cells} FROM data LIMIT {n}").fetchall()
        values = zip(*rows, strict=True) if rows else [()] * len(self.columns)
        return {
            name: [cell or "" for cell in cells]
            for name, cells in zip(self.columns, values, strict=True)
        }

    def place(self, row: int) -> str:
        """Return where a row of ``held`` is, for messages, such as 'ratings.csv, line 14'."""
        if self._shaped:
            return f"row {row + 1:,} of the query"
        for part in self.parts[:-1]:
            if row < part.n_rows:
                return part.place(row)
            row -= part.n_rows
        return self.parts[-1].place(row)


@contextmanager
def _reading(parts: Sequence[Part], statement: str | None = None) -> Iterator[None]:
    """Say what DuckDB stumbles over as a fault of a line, or else of the user's query."""
    try:
        yield
    except duckdb.OutOfMemoryException:  # a matter of the machine, not of the file
        raise
    except duckdb.Error as error:
        if "CSV Error" in str(error) or statement is None:
            for part in parts:
                part.check()
        if statement is not None:
            raise query.refused(statement, error) from None
        names = " and ".join(part.name for part in parts[:3])
        raise UnreadableFileError(
            f"{names} cannot be read: {query.first_line(error)}",
            way_out="Get or write it again.",
        ) from None


def open_table(
    source: Any,
    *,
    sql: str | None = None,
    tables: Mapping[str, Any] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    memory_limit: str | None = None,
) -> Table:
    """Open a file, several, a stream or a dataframe as the table ``data``.

    Parameters
    ----------
    source : path, pattern, folder, list of paths, binary stream, dataframe or columns
    sql : str, optional
        One query over ``data``; or over ``lines``, the lines of a text file in the column
        ``line``.
    tables : mapping, optional
        Other sources that the query may use, by their names.
    delimiter, encoding, sheet : str, optional
        How text is written, and which sheet of a workbook to take.
    memory_limit : str, optional
        Such as "1GB"; what needs more goes to disk.

    Examples
    --------
    >>> with open_table({"item": ["A", "B"], "score": [1, 2]}) as table:
    ...     table.columns
    ('item', 'score')
    """
    folder = TemporaryDirectory(prefix="steadyrank-")
    try:
        con = query.connect(folder.name, memory_limit)
        opener = Opener(con, folder.name, delimiter, encoding, sheet)
        return _open(opener, folder, source, sql, tables)
    except BaseException:
        folder.cleanup()
        raise


def _open(
    opener: Opener,
    folder: TemporaryDirectory[str],
    source: Any,
    sql: str | None,
    tables: Mapping[str, Any] | None,
) -> Table:
    lowered = [name.lower() for name in tables or ()]
    others = dict(zip(lowered, (tables or {}).values(), strict=True))
    used = query.tables_of(opener.con, sql) - {*others}
    parts = opener.lines(source) if "lines" in used else opener.parts(source)
    table = Table(opener.con, opener.called, parts, folder, opener.library)
    if opener.grammar is not None and len(parts) == 1:
        table.said = opener.grammar.said
        table.catalogue = opener.grammar.catalogue
        table.notes = opener.grammar.notes
    statement = _together(opener.con, parts)
    if "lines" in used:
        opener.con.execute(f"CREATE TEMP VIEW lines AS {statement}")
    else:
        table.view(statement)
    for name in sorted({"data", "shaped"} & {*others}):
        raise InvalidSettingError(
            f"a further table is called {name}, as one of steadyrank's is",
            way_out=["Give it another name: ", FURTHER, "."],
        )
    if len(others) < len(lowered):
        raise InvalidSettingError(
            f"two further tables have the same name: {listing(sorted(lowered))}",
            way_out=["Give each a name of its own: ", FURTHER, "."],
        )
    if sql is None:
        if others:
            raise InvalidSettingError(
                f"no query uses the further tables {', '.join(others)}",
                way_out=["Say how to join them, as ", Option("sql"), "."],
            )
        return table
    every = list(parts)
    for name, other in others.items():
        found = opener.parts(other)
        every += found
        statement = _together(opener.con, found)
        opener.con.execute(f"CREATE TEMP VIEW {quoted(name)} AS {statement}")
    table.shape(sql, opener.paths, every)
    for name in others:  # or a name of theirs could be that of a table of ours
        opener.con.execute(f"DROP VIEW {quoted(name)}")
    return table


def _together(con: duckdb.DuckDBPyConnection, parts: Sequence[Part]) -> str:
    if len(parts) == 1:
        return parts[0].query
    types = [query.names_of(con, f"({part.query})") for part in parts]
    return together(parts, types)

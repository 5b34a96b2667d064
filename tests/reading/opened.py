"""What a table holds after it was opened, for tests."""

from __future__ import annotations

from typing import Any

from steadyrank.reading.table import open_table


def read(source: Any, **said: Any) -> tuple[list[str], list[list[Any]]]:
    """Return the columns and the rows, as they are held."""
    with open_table(source, **said) as table:
        table.keep(table.columns)
        rows = table.con.execute("FROM held ORDER BY rowid").fetchall()
        return list(table.columns), [list(row) for row in rows]


def cells(text: str) -> tuple[list[str], list[list[str]]]:
    """Return what a line of header and lines of cells between blanks stand for."""
    header, *rows = [line.split() for line in text.split("/")]
    return header, [["" if cell == "~" else cell for cell in row] for row in rows]

"""Rows of text, written so that DuckDB cannot misunderstand them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from steadyrank.reader.query import literal, quoted

Chunks = Iterator[list[list[str]]]
CHUNK = 1 << 12  # rows per block: some 300 kB of usual text
SEPARATOR = "\x1f"  # the unit separator of ASCII, which hardly any text holds
LONGEST_LINE = 1 << 24  # bytes
BUFFER = 1 << 25  # bytes; DuckDB would take 32 times the longest line
HEADER = "header\n"  # or a byte order mark in the first cell would be lost
NO_TEXT = "\n\n"  # no cell is two line ends, so no cell is NULL


def scan(path: str, names: Sequence[str], dialect: str) -> str:
    """Return a query over a text file, all of whose columns are text."""
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(names)))
    shown = ", ".join(f"c{place} AS {quoted(name)}" for place, name in enumerate(names))
    return (
        f"SELECT {shown} FROM read_csv({literal(pattern(path))}, auto_detect=false, "
        f"columns={{{columns}}}, strict_mode=true, null_padding=false, "
        f"nullstr={literal(NO_TEXT)}, allow_quoted_nulls=false, "
        f"max_line_size={LONGEST_LINE}, buffer_size={BUFFER}, {dialect})"
    )


def pattern(path: str) -> str:
    """Return a path as a pattern that only this file fits, for DuckDB.

    Examples
    --------
    >>> pattern("votes [2024].csv")
    'votes [[]2024].csv'
    """
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)


def written(
    chunks: Callable[[], Chunks], names: Sequence[str], path: Path
) -> tuple[str, int]:
    """Write rows of equal length to a file, and return a query over them, and how many.

    Cells that hold neither a line end nor the separator need no quotes, and DuckDB reads
    them in parallel. All others are quoted, and read from front to end.
    """
    n_rows = _write_plain(chunks(), len(names), path)
    if n_rows is not None:
        dialect = f"delim={literal(SEPARATOR)}, quote='', escape=''"
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.write(HEADER)
            writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
            n_rows = 0
            for rows in chunks():
                writer.writerows(rows)
                n_rows += len(rows)
        dialect = "delim=',', quote='\"', escape='\"', parallel=false"
    dialect += ", header=true, compression='none', new_line='\\n'"
    return scan(str(path), names, dialect), n_rows


def _write_plain(chunks: Chunks, n_columns: int, path: Path) -> int | None:
    """Return how many rows were written; None where a cell needs quotes."""
    n_rows = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(HEADER)
        for rows in chunks:
            text = "\n".join(map(SEPARATOR.join, rows)) + "\n"
            separators = len(rows) * (n_columns - 1)
            if text.count(SEPARATOR) != separators or text.count("\n") != len(rows):
                return None
            if "\r" in text or (n_columns == 1 and [""] in rows):
                return None
            file.write(text)
            n_rows += len(rows)
    return n_rows

"""Rows of text, written so that DuckDB cannot misunderstand them."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from steadyrank.reading.query import check_names, literal, named, quoted

Record = dict[str, str]  # cells by the names of their columns
Chunks = Iterator[list[list[str]]]
CHUNK = 1 << 12  # rows per block: some 300 kB of usual text
SEPARATOR = "\x1f"  # the unit separator of ASCII, which hardly any text holds
LONGEST_LINE = 1 << 24  # bytes
BUFFER = 1 << 25  # bytes; DuckDB would take 32 times the longest line
HEADER = "header\n"  # or a byte order mark in the first cell would be lost
NO_TEXT = "\n\n"  # no cell is two line ends, so no cell is NULL


def no_fault() -> None:
    """Find no fault that DuckDB does not find."""


@dataclass
class Part:
    """One file or frame of a table.

    Parameters
    ----------
    name : str
        What messages call it.
    names : tuple of str
        Its columns.
    query : str
        Gives its rows.
    n_rows : int
    place : callable
        Returns where a row, counted from 0, is: 'ratings.csv, line 14'.
    check : callable
        Raises the error about the first wrong line, after DuckDB found one.
    """

    name: str
    names: tuple[str, ...]
    query: str
    n_rows: int
    place: Callable[[int], str]
    check: Callable[[], None] = no_fault


def recorded(
    name: str,
    records: Callable[[], Iterator[tuple[str, Record]]],
    copy: Path,
    columns: Sequence[str] = (),
) -> Part:
    """Return records as a part: they are written to the free path ``copy``.

    ``records`` yields where each is, such as 'line 14', and its cells; its columns are
    ``columns`` and those that it names, a blank cell where it names none.
    """
    keys = dict.fromkeys(columns)

    def chunks() -> Chunks:
        found = (record for _, record in records())
        while block := list(islice(found, CHUNK)):
            for record in block:
                keys.update(dict.fromkeys(record))
            yield [[record.get(key, "") for key in keys] for record in block]

    def place(row: int) -> str:
        where, _ = next(islice(records(), row, None))
        return f"{name}, {where}"

    n_known = -1
    while n_known < len(keys):  # again where later records have other columns
        n_known = len(keys)
        dialect, n_rows = written(chunks, copy)
    names = named(keys)
    check_names(name, names)
    return Part(name, names, scan(copy, names, dialect), n_rows, place)


def written(chunks: Callable[[], Chunks], path: Path) -> tuple[str, int]:
    """Write rows of equal length to a file, and return how, for DuckDB, and how many.

    Cells that hold neither a line end nor the separator need no quotes, and DuckDB reads
    them in parallel. All others are quoted, and read from front to end.
    """
    dialect = f"delim={literal(SEPARATOR)}, quote='', escape=''"
    n_rows = _write_plain(chunks(), path)
    if n_rows is None:
        dialect = "delim=',', quote='\"', escape='\"', parallel=false"
        n_rows = _write_quoted(chunks(), path)
    return f"{dialect}, header=true, compression='none', new_line='\\n'", n_rows


def _write_plain(chunks: Chunks, path: Path) -> int | None:
    """Return how many rows were written; None where a cell needs quotes."""
    n_rows = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(HEADER)
        for rows in chunks:
            text = "\n".join(map(SEPARATOR.join, rows)) + "\n"
            separators = len(rows) * (len(rows[0]) - 1)
            if text.count(SEPARATOR) != separators or text.count("\n") != len(rows):
                return None
            if "\r" in text or [""] in rows:
                return None
            file.write(text)
            n_rows += len(rows)
    return n_rows


def _write_quoted(chunks: Chunks, path: Path) -> int:
    n_rows = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(HEADER)
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        for rows in chunks:
            writer.writerows(rows)
            n_rows += len(rows)
    return n_rows


def scan(path: Path, names: Sequence[str], dialect: str) -> str:
    """Return a query over a text file, all of whose columns are text."""
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(names)))
    shown = ", ".join(f"c{place} AS {quoted(name)}" for place, name in enumerate(names))
    return (
        f"SELECT {shown} FROM read_csv({pattern(path)}, auto_detect=false, "
        f"columns={{{columns}}}, strict_mode=true, null_padding=false, "
        f"nullstr={literal(NO_TEXT)}, allow_quoted_nulls=false, "
        f"max_line_size={LONGEST_LINE}, buffer_size={BUFFER}, {dialect})"
    )


def pattern(path: Path) -> str:
    """Return a path for DuckDB, as the pattern that this file alone fits.

    Examples
    --------
    >>> print(pattern(Path("votes [2024].csv")))
    'votes [[]2024].csv'
    """
    return literal(re.sub(r"([*?[])", r"[\1]", str(path)))

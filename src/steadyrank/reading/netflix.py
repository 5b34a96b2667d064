"""The Netflix Prize files: ``combined_data_*.txt`` and ``mv_*.txt``, or a folder of them.

A line ``123:`` opens a movie; the lines below it are ``customer,rating,date``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import EmptyDataError, NotRecognisedError, Option, UnreadableFileError, shorten
from steadyrank.reading.arrays import compact
from steadyrank.reading.files import open_source
from steadyrank.reading.table import Table
from steadyrank.reading.text_columns import WholeColumn

if TYPE_CHECKING:
    from steadyrank._typing import AnyArray, IntArray
    from steadyrank.reading.files import OpenFile

NEWLINE, COMMA, COLON, MINUS, ZERO = 10, 44, 58, 45, 48
MOST_DIGITS = 18  # all of them fit into 64 bits
MOVIE = re.compile(rb"\d+:\s*\Z")
RATING = re.compile(rb"[1-9]\d*,\d+,[^,]*\Z")


class _Places:
    """The file and line of each rating, from the rows at which movies start."""

    def __init__(self) -> None:
        self._rows: list[int] = []
        self._lines: list[int] = []
        self._files: list[str] = []

    def add(self, row: int, line: int, file: str) -> None:
        self._rows.append(row)
        self._lines.append(line)
        self._files.append(file)

    def __len__(self) -> int:
        return self._rows[-1] + 1 if self._rows else 0

    def __getitem__(self, row: int) -> str:
        at = bisect_right(self._rows, row) - 1
        return f"{self._lines[at] + row - self._rows[at]} ({self._files[at]})"


class _Collected:
    """The ratings of all blocks so far."""

    def __init__(self) -> None:
        self.movies: list[AnyArray] = []
        self.customers: list[AnyArray] = []
        self.ratings: list[AnyArray] = []
        self.places = _Places()
        self.rows = 0

    def table(self, source: str) -> Table:
        if not self.rows:
            raise EmptyDataError(f"{source} holds no ratings")
        columns = {
            name: WholeColumn(np.concatenate(parts))
            for name, parts in (
                ("movie", self.movies), ("customer", self.customers), ("rating", self.ratings)
            )
        }  # fmt: skip
        notes = ["read as Netflix Prize ratings: movie, customer, rating; dates left out"]
        return Table(columns, source, self.places, notes)


def looks_like_netflix(first_line: bytes) -> bool:
    """Tell whether a line opens a movie.

    Examples
    --------
    >>> looks_like_netflix(b"1:"), looks_like_netflix(b"3: 1,2")
    (True, False)
    """
    return bool(MOVIE.match(first_line))


def read_netflix(file: OpenFile) -> Table:
    """Read one file, or all ``combined_data_*.txt`` or ``mv_*.txt`` of a folder."""
    found = _Collected()
    if not file.is_folder:
        _read_one(file, found)
        return found.table(file.name)
    paths = _files_in(file)
    for path in paths:
        with closing(open_source(path, encoding=file.encoding)) as part:
            _read_one(part, found)
    table = found.table(file.name)
    table.notes.append(f"{len(paths):,} files of the folder read, {paths[0].name} the first")
    return table


def _files_in(folder: OpenFile) -> list[Path]:
    where = folder.path or Path()
    for pattern in ("combined_data_*.txt*", "mv_*.txt*"):
        paths = sorted(where.glob(pattern))
        if paths:
            return paths
    raise NotRecognisedError(
        f"{folder.name} is a folder without combined_data_*.txt or mv_*.txt",
        way_out="Give the path of a file.",
    )


def _read_one(file: OpenFile, found: _Collected) -> None:
    movie = -1  # none open yet
    line = 1
    for block in file.blocks():
        plain = plain_lines(block.rstrip(b"\r\n"))
        if plain is None:
            raise UnreadableFileError(f"{file.name} has odd line ends near line {line}")
        movie = _read_block(plain, movie, line, file.name, found)
        line += block.count(b"\n")


def _read_block(plain: bytes, movie: int, line: int, name: str, found: _Collected) -> int:
    """Take in a block and return the movie that is open at its end."""
    data = np.frombuffer(plain, dtype=np.uint8)
    ends = np.flatnonzero(data == NEWLINE)
    starts = np.concatenate([[0], ends[:-1] + 1])
    opens = data[np.maximum(ends - 1, 0)] == COLON
    commas = np.flatnonzero(data == COMMA)
    rated = np.flatnonzero(~opens)
    movies = whole_numbers(data, starts[opens], ends[opens] - 1)
    columns = None if movies is None else _ratings(data, starts[rated], ends[rated], commas)
    orphan = movie < 0 and not opens[0]
    if movies is None or columns is None or orphan:
        raise _wrong_line(plain, line, name, orphan=orphan)
    which = np.cumsum(opens)[rated]
    customers, stars = columns
    heads = np.flatnonzero(opens)
    rows = found.rows + heads - np.arange(len(heads))
    if not opens[0]:
        found.places.add(found.rows, line, name)
    for row, head in zip(rows.tolist(), heads.tolist(), strict=True):
        found.places.add(row, line + head + 1, name)
    known = np.concatenate([[max(movie, 0)], movies])
    found.movies.append(compact(known[which]))
    found.customers.append(compact(customers))
    found.ratings.append(compact(stars))
    found.rows += len(rated)
    return int(known[-1]) if len(movies) else movie


def _ratings(
    data: AnyArray, starts: AnyArray, ends: AnyArray, commas: AnyArray
) -> tuple[AnyArray, AnyArray] | None:
    """Return customers and ratings of lines with two commas each, or None."""
    if len(commas) != 2 * len(starts):
        return None
    first, second = commas.reshape(-1, 2).T
    if (first < starts).any() or (second > ends).any():
        return None
    if not len(starts):
        return starts, starts
    customers = whole_numbers(data, starts, first)
    stars = whole_numbers(data, first + 1, second)
    return None if customers is None or stars is None else (customers, stars)


def _wrong_line(plain: bytes, line: int, name: str, *, orphan: bool) -> UnreadableFileError:
    numbered = list(enumerate(plain.splitlines(), start=line))
    wrong = (pair for pair in numbered if not (MOVIE.match(pair[1]) or RATING.match(pair[1])))
    number, text = numbered[0] if orphan else next(wrong, numbered[0])
    why = "comes before the first movie" if orphan else "is neither movie: nor customer,rating,date"
    return UnreadableFileError(
        f"line {number} of {name} {why}: {shorten(text.decode())}",
        way_out=["Correct this line, or name the format, for example ", Option("format", "csv")],
    )


def plain_lines(block: bytes) -> bytes | None:
    r"""Return the block with ``\n`` line ends and one at its end; None where that is not certain.

    Examples
    --------
    >>> plain_lines(b"a\r\nb"), plain_lines(b"a\rb")
    (b'a\nb\n', None)
    """
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
        if b"\r" in block:
            return None
    return block if block.endswith(b"\n") else block + b"\n"


def whole_numbers(data: AnyArray, starts: IntArray, ends: IntArray) -> IntArray | None:
    """Return the fields as numbers; None unless each is exactly what a whole number prints as.

    Examples
    --------
    >>> data = np.frombuffer(b"12,-7,007", dtype=np.uint8)
    >>> whole_numbers(data, np.array([0, 3]), np.array([2, 5]))
    array([12, -7])
    >>> whole_numbers(data, np.array([6]), np.array([9])) is None
    True
    """
    if not len(starts):
        return np.zeros(0, dtype=np.int64)
    if (ends <= starts).any():
        return None
    minus = data[starts] == MINUS
    first = starts + minus
    digits = ends - first
    most = int(digits.max())
    leading = data[np.minimum(first, len(data) - 1)]
    odd = (digits < 1) | ((leading == ZERO) & ((digits > 1) | minus))
    if most > MOST_DIGITS or odd.any():
        return None
    values = np.zeros(len(starts), dtype=np.int64)
    for place in range(most):
        inside = digits > place
        digit = data[np.where(inside, ends - 1 - place, starts)] - np.uint8(ZERO)
        if (digit[inside] > 9).any():
            return None
        values += np.where(inside, digit, 0) * np.int64(10**place)
    return np.where(minus, -values, values)

"""The Netflix Prize files: ``combined_data_*.txt`` and ``mv_*.txt``, or a folder of them.

A line ``123:`` opens a movie; the lines below it are ``customer,rating,date``. Polars reads a block
of sound lines at once; line by line goes what it cannot take, or all where it is not installed.
"""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from steadyrank.errors import EmptyDataError, NotRecognisedError, Option, UnreadableFileError, shorten
from steadyrank.reading.arrays import compact
from steadyrank.reading.delimited import plain_whole_numbers, polars_works
from steadyrank.reading.files import MARK, open_source
from steadyrank.reading.table import Lines, Table, WholeColumn

if TYPE_CHECKING:
    from pathlib import Path

    from steadyrank._typing import AnyArray, BoolArray
    from steadyrank.reading.files import OpenFile

MOVIE = re.compile(rb"(0|[1-9]\d{0,17}):\s*\Z")
IN_FOLDERS = ("combined_data_*.txt*", "mv_*.txt*")
RATING = re.compile(rb"([1-9]\d{0,17}),(\d{1,18}),[^,]*\Z")


class _Parsed(NamedTuple):
    """Lines of a file: which open a movie, the movies they open, and the ratings of the others."""

    opens: BoolArray
    movies: AnyArray
    customers: AnyArray
    stars: AnyArray


class _Collected:
    """The ratings of all blocks so far."""

    def __init__(self) -> None:
        self.columns: dict[str, list[AnyArray]] = {"movie": [], "customer": [], "rating": []}
        self.lines = Lines()
        self.rows = 0

    def add(self, found: _Parsed, movie: int, line: int, file: str) -> int:
        """Take in lines that follow those of ``movie``, and return the movie that is open at the end."""
        rated = np.flatnonzero(~found.opens)
        heads = np.flatnonzero(found.opens)
        if not found.opens[0]:
            self.lines.add(self.rows, line, file)
        for row, head in zip((heads - np.arange(len(heads))).tolist(), heads.tolist(), strict=True):
            self.lines.add(self.rows + row, line + head + 1, file)
        known = np.concatenate([[movie], found.movies])
        parts = (known[np.cumsum(found.opens)[rated]], found.customers, found.stars)
        for column, part in zip(self.columns.values(), parts, strict=True):
            column.append(compact(part))
        self.rows += len(rated)
        return int(known[-1])

    def table(self, source: str) -> Table:
        if not self.rows:
            raise EmptyDataError(f"{source} holds no ratings")
        columns = {
            name: WholeColumn(np.concatenate(parts), name) for name, parts in self.columns.items()
        }
        notes = ["read as Netflix Prize ratings: movie, customer, rating; dates left out"]
        return Table(columns, source, self.lines, notes)


def looks_like_netflix(first_line: bytes) -> bool:
    """Tell whether a line opens a movie.

    Examples
    --------
    >>> looks_like_netflix(b"1:"), looks_like_netflix(b"3: 1,2")
    (True, False)
    """
    return bool(MOVIE.match(first_line))


def read_netflix(file: OpenFile, *, polars: bool = True) -> Table:
    """Read one file, or all ``combined_data_*.txt`` or ``mv_*.txt`` of a folder."""
    found = _Collected()
    fast = polars and polars_works()
    if not file.is_folder:
        _read_one(file, found, fast=fast)
        return found.table(file.name)
    paths = _files_in(file)
    for path in paths:
        with closing(open_source(path, encoding=file.encoding)) as part:
            _read_one(part, found, fast=fast)
    table = found.table(file.name)
    if file.path is not None:
        table.notes.append(f"{len(paths):,} files of the folder read, {paths[0].name} the first")
    return table


def _files_in(folder: OpenFile) -> list[Path]:
    if folder.path is None:
        return list(folder.several)
    for pattern in IN_FOLDERS:
        if paths := sorted(folder.path.glob(pattern)):
            return paths
    raise NotRecognisedError(
        f"{folder.name} is a folder without combined_data_*.txt or mv_*.txt",
        way_out="Give the path of a file.",
    )


def _read_one(file: OpenFile, found: _Collected, *, fast: bool) -> None:
    movie, line = -1, 1  # none is open yet
    blank = b""  # lines at the end of a block, which are no fault at the end of the file
    for block in file.blocks():
        text = blank + block.replace(b"\r\n", b"\n")
        filled = text.rstrip(b"\n")
        blank = text[len(filled) + 1 :] if filled else text
        if filled:
            lines = _parsed(filled) if fast else None
            if lines is None or (movie < 0 and not lines.opens[0]):
                lines = _parsed_line_by_line(filled, line, file.name, orphans=movie < 0)
            movie = found.add(lines, movie, line, file.name)
            line += filled.count(b"\n") + 1


def _parsed(text: bytes) -> _Parsed | None:
    """Return lines as polars reads them; None unless all numbers are just that."""
    import polars as pl

    names = ["first", "stars", "date"]
    if text.startswith(MARK) or b"\r" in text:
        return None  # polars would drop these
    try:
        frame = pl.read_csv(
            text,
            has_header=False,
            schema=dict.fromkeys(names, pl.String),
            quote_char=None,
            empty_string_is_null=False,
        )
    except pl.exceptions.PolarsError:
        return None
    opens = frame["first"].str.ends_with(":")
    if any((frame[name].is_null() != opens).any() for name in names[1:]):
        return None
    rated = frame.filter(~opens)
    texts = (frame["first"].filter(opens).str.strip_suffix(":"), rated["first"], rated["stars"])
    movies, customers, stars = map(plain_whole_numbers, texts)
    if movies is None or customers is None or stars is None:
        return None
    every = np.concatenate([movies, customers - 1, stars])
    if text.count(b",") != 2 * len(rated) or ((every < 0) | (every >= 10**18 - 1)).any():
        return None  # these go by the patterns above
    return _Parsed(opens.to_numpy(), movies, customers, stars)


def _parsed_line_by_line(text: bytes, line: int, name: str, *, orphans: bool) -> _Parsed:
    opens: list[bool] = []
    movies: list[int] = []
    ratings: list[tuple[int, int]] = []
    for number, content in enumerate(text.split(b"\n"), start=line):
        movie, rating = MOVIE.match(content), RATING.match(content)
        if rating is not None and orphans and not movies:
            raise _wrong_line(number, name, "comes before the first movie", content)
        if movie is not None:
            movies.append(int(movie[1]))
        elif rating is not None:
            ratings.append((int(rating[1]), int(rating[2])))
        else:
            raise _wrong_line(number, name, "is neither movie: nor customer,rating,date", content)
        opens.append(movie is not None)
    customers, stars = np.array(ratings, dtype=np.int64).reshape(-1, 2).T
    return _Parsed(np.array(opens), np.array(movies, dtype=np.int64), customers, stars)


def _wrong_line(number: int, name: str, why: str, content: bytes) -> UnreadableFileError:
    return UnreadableFileError(
        f"line {number} of {name} {why}: {shorten(content.decode())}",
        way_out=["Correct this line, or name the format, for example ", Option("format", "csv")],
    )

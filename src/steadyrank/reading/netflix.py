"""The Netflix Prize files: ``combined_data_*.txt`` and ``mv_*.txt``, or a folder of them.

A line ``123:`` opens a movie; the lines below it are ``customer,rating,date``. One pattern knows which
lines there may be, for a whole block at once; then commas and digits stand where they must.
"""

from __future__ import annotations

import re

import numpy as np

from steadyrank._typing import AnyArray, IntArray
from steadyrank.errors import EmptyDataError, NotRecognisedError, Option, UnreadableFileError, shorten
from steadyrank.reading.arrays import compact
from steadyrank.reading.files import OpenFile
from steadyrank.reading.table import Lines, Table, WholeColumn

MOVIE = re.compile(rb"(?:0|[1-9]\d{0,17}):[^\S\n]*")
RATING = re.compile(rb"[1-9]\d{0,17},\d{1,18},[^,\n]*")
OPENS = re.compile(rb"%b\Z" % MOVIE.pattern)
LINES = re.compile(rb"(?:(?:%b|%b)(?:\n|\Z))*+" % (MOVIE.pattern, RATING.pattern))
IN_FOLDERS = ("combined_data_*.txt*", "mv_*.txt*")


class _Collected:
    """The ratings of all blocks so far."""

    def __init__(self) -> None:
        self.columns: dict[str, list[AnyArray]] = {"movie": [], "customer": [], "rating": []}
        self.lines = Lines()
        self.rows = 0

    def add(self, text: bytes, movie: int, line: int, file: str) -> int:
        """Take in sound lines that follow those of ``movie``; return the one that is open at the end."""
        data = np.frombuffer(text + b"\n", dtype=np.uint8)
        ends, commas = (np.flatnonzero(data == ord(mark)) for mark in "\n,")
        starts = np.append(0, ends[:-1] + 1)
        opens = np.ones(len(starts), dtype=bool)
        opens[np.searchsorted(ends, commas[::2])] = False  # a rating has two commas, a movie none
        heads = np.flatnonzero(opens)
        if not opens[0]:
            self.lines.add(self.rows, line, file)
        for row, head in zip((heads - np.arange(len(heads))).tolist(), heads.tolist(), strict=True):
            self.lines.add(self.rows + row, line + head + 1, file)
        movies = np.append(movie, _numbers_at(data, starts[opens]))
        of_rows = movies[np.cumsum(opens)[~opens]]
        parts = (of_rows, _numbers_at(data, starts[~opens]), _numbers_at(data, commas[::2] + 1))
        for column, part in zip(self.columns.values(), parts, strict=True):
            column.append(compact(part))
        self.rows += len(of_rows)
        return int(movies[-1])

    def table(self, source: str) -> Table:
        if not self.rows:
            raise EmptyDataError(f"{source} holds no ratings")
        columns = {
            name: WholeColumn(np.concatenate(parts), name) for name, parts in self.columns.items()
        }
        notes = ["read as Netflix Prize ratings: movie, customer, rating; dates left out"]
        return Table(columns, source, self.lines, notes)


def _numbers_at(data: AnyArray, starts: IntArray) -> IntArray:
    """Return the whole numbers whose digits begin at these places, one digit of all at a time."""
    found = np.zeros(len(starts), dtype=np.int64)
    rows, places = np.arange(len(starts)), starts
    while len(rows):
        digits = data[places] - np.uint8(ord("0"))  # what is none wraps round to more than 9
        rows, places, digits = rows[digits <= 9], places[digits <= 9] + 1, digits[digits <= 9]
        found[rows] = 10 * found[rows] + digits
    return found


def read_netflix(file: OpenFile) -> Table:
    """Read one file, or all ``combined_data_*.txt`` or ``mv_*.txt`` of a folder."""
    found, folder = _Collected(), file.path if file.is_folder else None
    if folder is not None:
        every = (sorted(folder.glob(pattern)) for pattern in IN_FOLDERS)
        file.several = next(filter(None, every), [])
        if not file.several:
            raise NotRecognisedError(
                f"{file.name} is a folder without combined_data_*.txt or mv_*.txt",
                way_out="Give the path of a file.",
            )
    for part in file.parts():
        _read_one(part, found)
    table = found.table(file.name)
    if folder is not None:
        read, first = len(file.several), file.several[0].name
        table.notes.append(f"{read:,} files of the folder read, {first} the first")
    return table


def _read_one(file: OpenFile, found: _Collected) -> None:
    movie, line = -1, 1  # none is open yet
    blank = b""  # lines at the end of a block, which are no fault at the end of the file
    for block in file.blocks():
        text = blank + block.replace(b"\r\n", b"\n")
        filled = text.rstrip(b"\n")
        blank = text[len(filled) + 1 :] if filled else text
        if filled:
            _check_lines(filled, line, file.name, first=movie < 0)
            movie = found.add(filled, movie, line, file.name)
            line += filled.count(b"\n") + 1


def _check_lines(text: bytes, line: int, name: str, *, first: bool) -> None:
    """Complain about the first line that is none of these, or is a rating of no movie."""
    sound = LINES.match(text)
    end, why = (sound.end() if sound else 0), "is neither movie: nor customer,rating,date"
    if first and end and not MOVIE.match(text):
        end, why = 0, "comes before the first movie"
    elif end == len(text):
        return
    number, content = line + text.count(b"\n", 0, end), text[end:].partition(b"\n")[0]
    raise UnreadableFileError(
        f"line {number} of {name} {why}: {shorten(content.decode())}",
        way_out=["Correct this line, or name the format, for example ", Option("format", "csv")],
    )

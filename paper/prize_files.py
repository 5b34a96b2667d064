"""The Netflix Prize files: ``combined_data_*.txt`` and ``mv_*.txt``, or a folder of them.

A line ``123:`` opens a movie; the lines below it are ``customer,rating,date``. One pattern knows which
lines there may be, for a whole block at once; then commas and digits stand where they must.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from steadyrank import Ratings
from steadyrank.errors import EmptyDataError, UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from paper.array_types import IntArray

PARTS = ("combined_data_*.txt", "mv_*.txt")
"""How the files of ratings are called; the first of these that a folder has are read."""

BLOCK = 1 << 26
MOVIE = re.compile(rb"(?:0|[1-9]\d{0,17}):[^\S\n]*")
RATING = re.compile(rb"[1-9]\d{0,17},\d{1,2},[^,\n]*")
LINES = re.compile(rb"(?:(?:%b|%b)\n)*+" % (MOVIE.pattern, RATING.pattern))


def read_prize(source: Path, *, block: int = BLOCK) -> Ratings:
    """Read one file, or all ``combined_data_*.txt`` or ``mv_*.txt`` of a folder.

    Parameters
    ----------
    source : Path
    block : int
        How many bytes are taken in at a time.
    """
    paths = prize_files(source)
    parts = [part for path in paths for part in _parts_of(path, block)]
    if not sum(len(part[0]) for part in parts):
        raise EmptyDataError(f"{source.name} holds no ratings")
    customer, movie, rating = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    return Ratings(customer, movie, rating)


def prize_files(source: Path) -> list[Path]:
    """Return the file itself, or those of a folder, by name."""
    if not source.is_dir():
        return [source]
    paths = next(filter(None, (sorted(source.glob(part)) for part in PARTS)), [])
    if not paths:
        raise UnreadableFileError(
            f"{source.name} is a folder without {' or '.join(PARTS)}"
        )
    return paths


def _parts_of(path: Path, block: int) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Yield customers, movies and ratings of one file, a block of whole lines at a time."""
    movie, line = -1, 1  # none is open yet
    for text in _blocks(path, block):
        _check_lines(text, line, path.name, first=movie < 0)
        customers, movies, ratings, movie = _numbers_of(text, movie)
        line += text.count(b"\n") + 1
        yield customers, movies, ratings


def _blocks(path: Path, size: int) -> Iterator[bytes]:
    """Yield blocks of whole lines, without the line end of the last one; blank lines may end a file."""
    waiting = b""
    with path.open("rb") as file:
        while chunk := file.read(size):
            text = waiting + chunk
            # Line ends at the end wait: they are blank lines, unless something follows.
            filled = text.rstrip(b"\r\n")
            cut = filled.rfind(b"\n")
            if cut >= 0:
                yield text[:cut].replace(b"\r\n", b"\n").removesuffix(b"\r")
            waiting = text[cut + 1 :]
    if last := waiting.replace(b"\r\n", b"\n").rstrip(b"\n"):
        yield last


def _numbers_of(text: bytes, movie: int) -> tuple[IntArray, IntArray, IntArray, int]:
    """Return the numbers of sound lines after those of ``movie``, and the movie that is open then."""
    data = np.frombuffer(text + b"\n", dtype=np.uint8)
    ends, commas = (np.flatnonzero(data == ord(mark)) for mark in "\n,")
    starts = np.append(0, ends[:-1] + 1)
    opens = np.ones(len(starts), dtype=bool)
    opens[np.searchsorted(ends, commas[::2])] = (
        False  # a rating has two commas, a movie none
    )
    movies = np.append(movie, _numbers_at(data, starts[opens]))
    of_rows = movies[np.cumsum(opens)[~opens]]
    customers, ratings = (
        _numbers_at(data, starts[~opens]),
        _numbers_at(data, commas[::2] + 1),
    )
    return customers, of_rows, ratings.astype(np.int8), int(movies[-1])


def _numbers_at(data: NDArray[np.uint8], starts: IntArray) -> IntArray:
    """Return the whole numbers whose digits begin at these places, one digit of all at a time."""
    found = np.zeros(len(starts), dtype=np.int64)
    rows, places = np.arange(len(starts)), starts
    while len(rows):
        digits = data[places] - np.uint8(
            ord("0")
        )  # what is none wraps round to more than 9
        rows, places, digits = (
            rows[digits <= 9],
            places[digits <= 9] + 1,
            digits[digits <= 9],
        )
        found[rows] = 10 * found[rows] + digits
    return found


def _check_lines(text: bytes, line: int, name: str, *, first: bool) -> None:
    """Complain about the first line that is none of these, or is a rating of no movie."""
    text += b"\n"
    sound = LINES.match(text)
    end, why = (
        (sound.end() if sound else 0),
        "is neither movie: nor customer,rating,date",
    )
    if first and end and not MOVIE.match(text):
        end, why = 0, "comes before the first movie"
    elif end == len(text):
        return
    number, content = line + text.count(b"\n", 0, end), text[end:].partition(b"\n")[0]
    raise UnreadableFileError(
        f"line {number} of {name} {why}: {content.decode(errors='replace')!r}"
    )

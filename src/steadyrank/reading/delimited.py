"""CSV, TSV and MovieLens: polars where the text is sound, else Python's csv module.

Both give the same columns of text. Polars reads a block of lines if it can be checked that its reading
is the only one possible: quotes stand where they belong, and there are as many delimiters and line
ends as the fields it found account for. The first block that fails, and all after it, go to the csv
module, which knows blank lines and odd quotes and complains with the line number.
"""

from __future__ import annotations

import csv
import itertools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from steadyrank import errors
from steadyrank._typing import IntArray
from steadyrank.errors import UnreadableFileError, listing, shorten
from steadyrank.reading.arrays import compact
from steadyrank.reading.files import MARK, OpenFile, times
from steadyrank.reading.headers import LOOKED_AT, find_header
from steadyrank.reading.table import Column, Table, WholeColumn
from steadyrank.reading.text_columns import SeriesColumn, is_plain_whole
from steadyrank.text import counted

BATCH = 1 << 14
"""How many rows the csv module reads before they are laid out as columns."""

BEGINNING = 1 << 18
"""How many bytes of the text, at least its first line, are looked at for the header."""

WIDE = 64
"""Polars needs a while for each column: a block with more columns, but not more lines, is not for it."""

NEEDS_QUOTES = "Correct this line; a field that holds the delimiter needs quotes."
QUOTE, NEWLINE, RETURN = b'"', b"\n", b"\r"


def read_delimited(
    blocks: Iterable[bytes],
    delimiter: str,
    *,
    source: str = "the text",
    names: Sequence[str] | None = None,
    header: int | None = None,
    referee: bool = False,
    take: Callable[[Table], None] | None = None,
) -> Table:
    r"""Read a table from blocks of whole lines of UTF-8 text.

    Parameters
    ----------
    blocks : iterable of bytes
    delimiter : str
        One character.
    source : str
        The name of the file.
    names : sequence of str, optional
        The names of the columns of a file without a header.
    header : {0, 1, 2}, optional
        How many lines the header has; told by the first rows where not given.
    referee : bool
        Whether the csv module reads all of it; the result is the same.
    take : callable, optional
        Gets each stretch of rows as a table of its own; what is returned has no rows then.

    Examples
    --------
    >>> table = read_delimited([b"a,b\n1,x\n", b'2,"y z"\n'], ",")
    >>> table.labels("a").tolist(), table.labels("b").tolist()
    ([1, 2], ['x', 'y z'])
    """
    if find_spec("polars") is None:
        raise errors.MissingPackageError(f"to read {source}, polars is needed", "cli")
    fast, called = not (referee or any(_FORKED_WITH_POLARS)), None if names is None else list(names)
    return _Reader(delimiter, source, called, take, fast, header).read(_whole_records(blocks))


_FORKED_WITH_POLARS: list[bool] = []
if hasattr(os, "register_at_fork"):
    # The threads of polars are not copied with the process, and it would wait for them for ever.
    os.register_at_fork(after_in_child=lambda: _FORKED_WITH_POLARS.append("polars" in sys.modules))


def _whole_records(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Join blocks that were cut inside a quoted field."""
    waiting: list[bytes] = []
    odd = 0
    for block in blocks:
        waiting.append(block)
        odd ^= block.count(QUOTE) & 1
        if not odd:
            yield b"".join(waiting)
            waiting = []
    if waiting:
        yield b"".join(waiting)


@dataclass
class _Reader:
    delimiter: str
    source: str
    names: list[str] | None
    take: Callable[[Table], None] | None
    fast: bool
    header: int | None = None
    whole: list[int] | None = None  # the columns that may be whole numbers; later fewer
    next_line: int = 1
    lines: list[IntArray] = field(default_factory=list)
    parts: list[Sequence[Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    spaced: bool = False  # a blank stands before every field but the first
    ended: bool = True  # by a line end
    blank: int = 0
    long: int = 0
    short: list[tuple[int, int]] = field(default_factory=list)
    below: list[tuple[int, str]] = field(default_factory=list)

    def read(self, blocks: Iterator[bytes]) -> Table:
        for block in blocks:
            rest = block if self.names is not None else self._take_header(block)
            if self.names is None and not block.strip():
                self.next_line += times(block, NEWLINE)
            elif self.names is None or not (self.fast and self._parsed(rest, len(self.names))):
                self._read_slowly(itertools.chain([rest], blocks))
                break
        if self.names is None:
            raise errors.EmptyDataError(f"{self.source} holds no header and no rows")
        self._say_what_is_odd()
        parts = zip(*self.parts, strict=True) if self.parts else [()] * len(self.names)
        return self._table(map(_joined, parts), self.lines)

    def _table(self, parts: Iterable[Any], lines: list[IntArray]) -> Table:
        columns: dict[str, Column] = {
            name: SeriesColumn(part) if _is_text(part) else WholeColumn(part, name)
            for name, part in zip(self.names or (), parts, strict=True)
        }
        placed = np.concatenate([np.empty(0, dtype=np.int32), *lines])
        return Table(columns, self.source, placed, self.notes)

    def _add(self, columns: Sequence[Any], lines: Any) -> None:
        """Take in a stretch of rows, which start on these lines."""
        if self.spaced:
            columns = [part.str.strip_chars_start(" ") if _is_text(part) else part for part in columns]
        lines = np.asarray(lines, dtype=np.int32)
        if self.take is None:
            self.lines.append(lines)
            self.parts.append(columns)
        else:
            self.take(self._table(columns, [lines]))

    def _take_header(self, block: bytes) -> bytes:
        """Find the header in the first rows of the text, and return what comes after it."""
        lines, rows, ends = self._first_rows(block[: block.find(NEWLINE, BEGINNING) + 1 or None])
        if not rows:  # a header that takes many lines, in quotes, or one that is said to be wrong later
            lines, rows, ends = self._first_rows(block)
        if not rows:
            return block
        header = find_header(rows, self.header)
        used = ends[header.before + header.size]
        self.names, self.next_line = header.names, self.next_line + used
        self.notes += header.notes
        self.blank += sum(not line.strip() for line in lines[:used])
        beside = [field for row in rows[header.before :] for field in row[1:]]
        self.spaced = bool(beside) and all(field.startswith(" ") for field in beside)
        self.notes += ["blanks before the fields left out"] if self.spaced else []
        some = zip(*rows[header.before + header.size :], strict=False)
        self.whole = [place for place, fields in enumerate(some) if all(map(is_plain_whole, fields))]
        return block[sum(map(len, lines[:used])) :]

    def _first_rows(self, text: bytes) -> tuple[list[bytes], list[list[str]], list[int]]:
        """Return lines, the first rows on them, and how many lines have been used before each row."""
        lines, rows, ends = text.splitlines(keepends=True), list[list[str]](), [0]
        reader = csv.reader(map(bytes.decode, lines), delimiter=self.delimiter, strict=True)
        with _long_fields(), suppress(csv.Error):  # which is said once they are read in earnest
            for row in itertools.islice(filter(_is_row, reader), LOOKED_AT):
                rows.append(row)
                ends.append(reader.line_num)
        return lines, rows, ends

    def _parsed(self, block: bytes, width: int) -> bool:
        """Take in a block as polars reads it, unless that reading is not certain to be the right one."""
        marks = {mark: times(block, mark) for mark in (NEWLINE, RETURN, QUOTE, self.delimiter.encode())}
        if not block:
            return True
        if (
            marks[RETURN] != (block.count(b"\r\n") if marks[RETURN] else 0)
            or (marks[QUOTE] and not self._sound_quotes(block))
            or block.startswith(MARK)  # polars would drop it, but it belongs to the first field here
            or width > WIDE >= marks[NEWLINE]
            or (frame := self._frame(block, width, marks)) is None
        ):
            return False
        starts = np.arange(self.next_line, self.next_line + frame.height, dtype=np.int32)
        if marks[NEWLINE] + (not block.endswith(NEWLINE)) > frame.height:
            inside = _inside(frame, NEWLINE)
            starts = starts + np.cumsum(inside) - inside
        self._add([_column(series) for series in frame], starts)
        self.next_line += marks[NEWLINE] + (not block.endswith(NEWLINE))
        return True

    def _frame(self, block: bytes, width: int, marks: dict[bytes, int]) -> Any:
        """Return a block as a polars frame of text and whole numbers, None where that may be wrong.

        Numbers are read as such where they print as so many letters, in all, as the text has: every
        other way to write a whole number takes more.
        """
        read = partial(_read, block, self.delimiter, width, marks)
        if self.whole and (frame := read(self.whole)) is not None:
            return frame
        if (frame := read([])) is None:
            return None
        tried = range(width) if self.whole is None else self.whole
        self.whole = [place for place in tried if _are_plain_whole(frame.to_series(place))]
        return frame.with_columns(frame.to_series(place).cast(int) for place in self.whole)

    def _sound_quotes(self, block: bytes) -> bool:
        """Tell whether quotes open right after and close right before a delimiter or a line end."""
        data = np.frombuffer(NEWLINE + block + NEWLINE, dtype=np.uint8)
        places = np.flatnonzero(data == ord(QUOTE))
        if len(places) % 2:
            return False
        marks = np.array([ord(self.delimiter), *NEWLINE, *RETURN], dtype=np.uint8)
        opens, closes = places[::2], places[1::2]
        # Two quotes in a row within a field close it and open it again.
        again = closes[:-1] + 1 == opens[1:]
        begun = np.isin(data[opens - 1], marks)
        begun[1:] |= again
        ended = np.isin(data[closes + 1], marks)
        ended[:-1] |= again
        return bool(begun.all() and ended.all())

    def _read_slowly(self, blocks: Iterator[bytes]) -> None:
        rows = self._rows(blocks)
        while batch := list(itertools.islice(rows, BATCH)):
            lines, fields = zip(*batch, strict=True)
            self._add([_texts(column) for column in zip(*fields, strict=True)], lines)

    def _rows(self, blocks: Iterator[bytes]) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows as the csv module reads them, with the line on which each starts."""
        offset, waiting, width = self.next_line - 1, 0, len(self.names or ())
        reader = csv.reader(self._lines(blocks), delimiter=self.delimiter, strict=True)
        start = offset + 1
        try:
            with _long_fields():
                for row in reader:
                    here, start = start, offset + reader.line_num + 1
                    # A blank line of a single column is a field without a value.
                    if not _is_row(row) and not (row and width == 1):
                        waiting += 1
                        continue
                    self.blank, waiting, self.next_line = self.blank + waiting, 0, here
                    yield from self._fitted(here, row, width)
        except csv.Error as error:
            problem = f"{self.source} is not proper CSV on line {start}: {error}"
            raise UnreadableFileError(problem, way_out="Correct the quotes on this line.") from None

    def _lines(self, blocks: Iterator[bytes]) -> Iterator[str]:
        for block in blocks:
            self.ended = block.endswith((NEWLINE, RETURN))
            yield from (line.decode() for line in block.splitlines(keepends=True))

    def _fitted(self, line: int, row: list[str], width: int) -> Iterator[tuple[int, list[str]]]:
        """Yield a row with as many fields as there are columns.

        At its end, a row may lack fields, which are blank then, or have more that are; a lonely field
        may be a remark below the table. What else differs is refused.
        """
        for place, text in self.below if len(row) > 1 else ():
            raise self._ragged(place, [text], width)
        if len(row) == 1 < width - 1:
            self.below.append((line, row[0]))
            return
        rest = row[width:]
        broken = self.short and self.short[-1] == (line - 1, width - len(row) + 1)
        if any(field.strip() for field in rest) or broken or (len(row) == 1 < width):
            raise self._ragged(line, row, width)
        if len(row) < width:
            self.short.append((line, len(row)))
        self.long += bool(rest)
        yield line, row[:width] + [""] * (width - len(row))

    def _ragged(self, line: int, row: list[str], width: int) -> UnreadableFileError:
        told = f"line {line} of {self.source} has {len(row)} fields instead of {width}: "
        return UnreadableFileError(told + shorten(self.delimiter.join(row)), way_out=NEEDS_QUOTES)

    def _say_what_is_odd(self) -> None:
        """Note what of the text is in no row as it stands there; refuse an end that is cut off."""
        width = len(self.names or ())
        for line, text in self.below:
            if " " not in text.strip():
                raise self._ragged(line, [text], width)
        if len(self.short) == 1 and not self.ended and self.short[0][0] == self.next_line:
            told = f"the last line of {self.source} has {self.short[-1][1]} fields instead of {width}"
            raise UnreadableFileError(told, way_out="It may be cut short: get the file again.")
        short, below = listing(str(line) for line, _ in self.short), (text for _, text in self.below)
        said = {
            f"blank fields beyond the last column left out on {counted(self.long, 'line')}": self.long,
            f"{self.blank:,} blank lines skipped": self.blank,
            f"fewer fields than columns, the last ones read as blank, on line {short}": self.short,
            f"left out below the table: {listing(map(shorten, below))}": self.below,
        }
        self.notes += [note for note, some in said.items() if some]


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let the csv module read fields of any length."""
    longest = csv.field_size_limit(sys.maxsize)  # of the whole process, so it is given back
    try:
        yield
    finally:
        csv.field_size_limit(longest)


def _is_row(row: list[str]) -> bool:
    """Tell whether a line holds fields: blank lines do not."""
    return len(row) > 1 or bool(row and row[0].strip())


def _read(block: bytes, delimiter: str, width: int, marks: dict[bytes, int], whole: list[int]) -> Any:
    """Return a block as a polars frame, some columns as whole numbers, or None where it reads none.

    The fields and the marks between them must be the block, byte for byte.
    """
    import polars as pl

    types: dict[str, Any] = {str(place): pl.String for place in range(width)}
    types |= {str(place): pl.Int64 for place in whole}
    how: dict[str, Any] = {"schema": types, "empty_string_is_null": False, "glob": False}
    try:
        frame = pl.read_csv(block, has_header=False, separator=delimiter, **how)
    except pl.exceptions.PolarsError:
        return None
    if marks[QUOTE]:
        marks = {
            mark: times and times - int(_inside(frame, mark).sum()) for mark, times in marks.items()
        }
    rows, between = marks[NEWLINE] + (not block.endswith(NEWLINE)), marks[delimiter.encode()]
    if (rows, between) != (frame.height, (width - 1) * frame.height):
        return None
    blank = width == 1 and not whole and (frame["0"] == "").any()
    if blank or any(frame.null_count().row(0)):
        return None
    texts = frame.select(pl.col(pl.String).str.len_bytes().sum())
    letters = sum(texts.row(0) if texts.width else ()) + sum(marks.values())
    return frame if letters + sum(_letters(frame[str(place)]) for place in whole) == len(block) else None


def _inside(frame: Any, mark: bytes) -> IntArray:
    """Return how often a mark stands inside the fields of each row."""
    import polars as pl

    texts = frame.select(pl.col(pl.String).str.count_matches(mark.decode(), literal=True))
    found = texts.sum_horizontal() if texts.width else np.zeros(frame.height)
    return np.asarray(found, dtype=np.int64)


def _letters(series: Any) -> int:
    """Return how many bytes whole numbers take in all, once they are printed."""
    found = compact(series.to_numpy())
    sizes = found if found.min(initial=0) >= 0 else np.abs(found.astype(np.int64)).view(np.uint64)
    more = (np.count_nonzero(sizes >= 10**digits) for digits in range(1, len(str(sizes.max(initial=0)))))
    return int(len(found) + np.count_nonzero(found < 0) + sum(more))


def _are_plain_whole(series: Any) -> bool:
    """Tell whether texts of a polars series are what whole numbers print as."""
    if len(series) and not is_plain_whole(series[0]):
        return False
    printed = series.cast(int, strict=False).cast(str)
    return bool((printed == series).fill_null(value=False).all())


def _column(series: Any) -> Any:
    """Return whole numbers as an array, texts as they are."""
    return compact(series.to_numpy()) if series.dtype.is_integer() else series


def _is_text(part: Any) -> bool:
    return not isinstance(part, np.ndarray)


def _texts(fields: Sequence[object]) -> Any:
    import polars as pl

    return pl.Series(values=fields, dtype=pl.String)


def _joined(parts: Sequence[Any]) -> Any:
    """Return the parts of a column together: an array of whole numbers if all are, else texts."""
    if len(parts) == 1:
        return parts[0]
    if parts and not any(map(_is_text, parts)):
        return np.concatenate(parts)
    import polars as pl

    texts = [part if _is_text(part) else pl.Series(part).cast(str) for part in parts]
    return pl.concat([_texts([]), *(text.rename("") for text in texts)])


MOVIELENS_NAMES = ("user", "movie", "rating", "timestamp")
# The first line of their files without a header, u.data and ratings.dat; ratings.csv is a plain table.
TABBED = re.compile(rb"\d+\t\d+\t\d{1,2}\t\d{8,}\s*\Z")
COLONS = re.compile(rb"\d+::\d+::\d+(\.\d+)?::\d+\s*\Z")


def read_movielens(file: OpenFile) -> Table:
    """Read ``u.data`` (tabs) or ``ratings.dat`` (``::``), both without a header."""
    blocks = file.blocks()
    if COLONS.match(file.first_line):
        blocks = (block.replace(b"::", b"\t") for block in blocks)
    table = read_delimited(blocks, "\t", source=file.name, names=MOVIELENS_NAMES)
    table.notes.append("read as MovieLens ratings: user, movie, rating, timestamp")
    return table

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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from steadyrank._typing import AnyArray, IntArray
from steadyrank.errors import (
    ColumnError,
    EmptyDataError,
    MissingPackageError,
    UnreadableFileError,
    shorten,
)
from steadyrank.reading.arrays import compact
from steadyrank.reading.files import LONGEST_LINE, MARK, OpenFile, times
from steadyrank.reading.table import Column, Lines, Table, WholeColumn
from steadyrank.reading.text_columns import TextColumn, join_columns

BATCH = 1 << 21
"""How many fields the csv module reads before they are laid out as columns."""

LONGEST_FIELD = LONGEST_LINE
WIDE = 64
"""Polars needs a while for each column: a block with more columns, but not more lines, is not for it."""

MOST_WORDS = 1 << 16
"""How many words of a column the blocks that follow go on with; beyond it each has its own list."""

QUOTE, NEWLINE, RETURN = b'"', b"\n", b"\r"


def read_delimited(
    blocks: Iterable[bytes],
    delimiter: str,
    *,
    source: str = "",
    names: Sequence[str] | None = None,
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
        raise MissingPackageError(f"to read {source or 'text'}, polars is needed", "cli")
    fast, called = not (referee or _FORKED_WITH_POLARS), None if names is None else list(names)
    return _Reader(delimiter, source, called, take, fast).read(_whole_records(blocks, source))


_FORKED_WITH_POLARS: list[bool] = []


def _note_fork() -> None:
    # The threads of polars are not copied with the process, and it would wait for them for ever.
    if "polars" in sys.modules:
        _FORKED_WITH_POLARS.append(True)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


def header_names(fields: Sequence[str], source: str) -> tuple[list[str], list[str]]:
    """Return the names of the columns of a file from the fields of its header, and what to note."""
    names, notes = [field.strip() for field in fields], []
    for place, name in enumerate(names):
        if not name:
            names[place] = f"column_{place + 1}"
            notes.append(f"column {place + 1} has no name and is called {names[place]!r}")
    doubled = sorted(name for name, times in Counter(names).items() if times > 1)
    if doubled:
        raise ColumnError(
            f"the header names {shorten(doubled[0])} more than once",
            source=source,
            way_out="Rename one of these columns.",
        )
    return names, notes


def _whole_records(blocks: Iterable[bytes], source: str) -> Iterator[bytes]:
    """Join blocks that were cut inside a quoted field."""
    waiting: list[bytes] = []
    odd = held = 0
    line = 1
    for block in blocks:
        waiting.append(block)
        odd ^= block.count(QUOTE) & 1
        held = held + len(block) if odd else 0
        if held > LONGEST_FIELD:
            raise UnreadableFileError(
                f"a quote of {source or 'the text'} that opens after line {line} does not close within "
                f"{LONGEST_FIELD:,} bytes, the most that a field may have",
                way_out="Close it, or double the quotes that belong to the text.",
            )
        if not odd:
            joined = b"".join(waiting)
            line += times(joined, NEWLINE)
            yield joined
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
    whole: list[int] | None = None  # the columns that may be whole numbers; later fewer
    words: dict[int, list[str]] = field(default_factory=dict)  # of each other column, those seen so far
    next_line: int = 1
    rows: int = 0
    lines: Lines = field(default_factory=Lines)
    parts: list[Sequence[TextColumn | AnyArray]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def read(self, blocks: Iterator[bytes]) -> Table:
        for block in blocks:
            rest = self._take_header(block) if self.fast else block
            if not self.fast or self.names is None or not self._parsed(rest, len(self.names)):
                self._read_slowly(itertools.chain([rest], blocks))
                break
        if self.names is None:
            raise EmptyDataError(f"{self.source or 'the text'} holds no header and no rows")
        parts = zip(*self.parts, strict=True) if self.parts else [()] * len(self.names)
        return self._table(map(join_columns, parts), self.lines)

    def _table(self, parts: Iterable[TextColumn | AnyArray], lines: Lines) -> Table:
        columns: dict[str, Column] = {
            name: part if isinstance(part, TextColumn) else WholeColumn(part, name)
            for name, part in zip(self.names or (), parts, strict=True)
        }
        return Table(columns, self.source, lines, self.notes)

    def _add(self, columns: Sequence[TextColumn | AnyArray], lines: int | IntArray) -> None:
        """Take in a stretch of rows that start on these lines, or from this line on one by one."""
        if self.take is not None:
            stretch = Lines()
            stretch.add(0, lines)
            self.take(self._table(columns, stretch))
            return
        self.lines.add(self.rows, lines)
        self.rows += len(columns[0])
        self.parts.append(columns)

    def _take_header(self, block: bytes) -> bytes:
        """Take in a plain header on the first line of the text, and return what comes after it."""
        if self.names is not None:
            return block
        line, _, rest = block.partition(NEWLINE)
        if not line.strip() or QUOTE in line or RETURN in line.removesuffix(RETURN):
            return block
        self._set_header(line.removesuffix(RETURN).decode().split(self.delimiter))
        self.next_line = 2
        return rest

    def _set_header(self, fields: Sequence[str]) -> None:
        self.names, notes = header_names(fields, self.source)
        self.notes += notes

    def _parsed(self, block: bytes, width: int) -> bool:
        """Take in a block as polars reads it, unless that reading is not certain to be the right one."""
        marks = {mark: times(block, mark) for mark in (NEWLINE, RETURN, QUOTE, self.delimiter.encode())}
        if marks[RETURN] and marks[RETURN] != block.count(b"\r\n"):
            return False
        if marks[QUOTE] and not self._sound_quotes(block):
            return False
        if not block:
            return True
        if block.startswith(MARK) or width > WIDE >= marks[NEWLINE]:
            return False  # polars would drop the mark, which belongs to the first field here
        frame = self._frame(block, width, marks)
        if frame is None:
            return False
        lines = _inside(frame, NEWLINE) + 1 if marks[QUOTE] else np.ones(1, dtype=np.int64)
        starts = self.next_line + np.cumsum(lines) - lines if marks[QUOTE] else self.next_line
        self._add([self._column(place, series) for place, series in enumerate(frame)], starts)
        self.next_line += marks[NEWLINE] + (not block.endswith(NEWLINE))
        return True

    def _frame(self, block: bytes, width: int, marks: dict[bytes, int]) -> Any:
        """Return a block as a polars frame of text and whole numbers, None where that may be wrong.

        Numbers are read as such where they print as so many letters, in all, as the text has: every
        other way to write a whole number takes more.
        """
        read = partial(_read, block, self.delimiter, width)
        if self.whole:
            frame = read(self.whole)
            if _accounts_for(frame, block, marks):
                return frame
        frame = read()
        if not _accounts_for(frame, block, marks):
            return None
        tried = range(width) if self.whole is None else self.whole
        self.whole = [place for place in tried if _are_plain_whole(frame.to_series(place))]
        return frame.with_columns(frame.to_series(place).cast(int) for place in self.whole)

    def _column(self, place: int, series: Any) -> TextColumn | AnyArray:
        """Return whole numbers as they are, of text each distinct one once."""
        import polars as pl

        if series.dtype == pl.Int64:
            return compact(series.to_numpy())
        words = self.words.get(place, [])
        if self.take is not None or len(words) > MOST_WORDS:
            words = []
        coded = series.cast(pl.Enum(words), strict=False)
        if coded.null_count():
            words += series.filter(coded.is_null()).unique(maintain_order=True).to_list()
            coded = series.cast(pl.Enum(words))
        self.words[place] = words
        return TextColumn(coded.to_physical().to_numpy().astype(np.int32), words)

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
        offset = self.next_line - 1
        lines = (line.decode() for block in blocks for line in block.splitlines(keepends=True))
        longest = csv.field_size_limit(LONGEST_FIELD)  # of the whole process, so it is given back
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        batch: list[list[str]] = []
        starts: list[int] = []
        start = offset + 1
        blank, pending_blank = 0, 0
        try:
            for row in reader:
                here, start = start, offset + reader.line_num + 1
                if not row or (len(row) == 1 and not row[0].strip() and self._ignores_blank()):
                    pending_blank += 1
                    continue
                blank, pending_blank = blank + pending_blank, 0
                if self.names is None:
                    self._set_header(row)
                    continue
                self._check_width(row, here)
                batch.append(row)
                starts.append(here)
                if len(batch) * len(row) >= BATCH:
                    self._flush(batch, starts)
        except csv.Error as error:
            raise UnreadableFileError(
                f"{self.source or 'the text'} is not proper CSV on line {start}: {error}",
                way_out="Correct the quotes on this line.",
            ) from None
        finally:
            csv.field_size_limit(longest)
        self._flush(batch, starts)
        if blank:
            self.notes.append(f"{blank:,} blank lines skipped")

    def _ignores_blank(self) -> bool:
        return self.names is None or len(self.names) > 1

    def _check_width(self, row: list[str], line: int) -> None:
        width = len(self.names or ())
        if len(row) != width:
            raise UnreadableFileError(
                f"line {line} of {self.source or 'the text'} has {len(row)} fields instead of "
                f"{width}: {shorten(self.delimiter.join(row))}",
                way_out="Correct this line; a field that holds the delimiter needs quotes.",
            )

    def _flush(self, batch: list[list[str]], starts: list[int]) -> None:
        if batch:
            self._add([TextColumn.of(fields) for fields in zip(*batch, strict=True)], np.array(starts))
        batch.clear()
        starts.clear()


def _read(block: bytes, delimiter: str, width: int, whole: Sequence[int] = ()) -> Any:
    """Return a block as a polars frame, some columns as whole numbers, or None where it reads none."""
    import polars as pl

    try:
        return pl.read_csv(
            block,
            has_header=False,
            separator=delimiter,
            schema={str(place): pl.Int64 if place in whole else pl.String for place in range(width)},
            empty_string_is_null=False,
            glob=False,
        )
    except pl.exceptions.PolarsError:
        return None


def _inside(frame: Any, mark: bytes) -> IntArray:
    """Return how often a mark stands inside the fields of each row."""
    import polars as pl

    texts = frame.select(pl.col(pl.String).str.count_matches(mark.decode(), literal=True))
    found = texts.sum_horizontal() if texts.width else np.zeros(frame.height)
    return np.asarray(found, dtype=np.int64)


def _accounts_for(frame: Any, block: bytes, marks: dict[bytes, int]) -> bool:
    """Tell whether the fields of a frame and the marks between them are a block, byte for byte."""
    import polars as pl

    if frame is None:
        return False
    if marks[QUOTE]:
        marks = {mark: times - int(_inside(frame, mark).sum()) for mark, times in marks.items()}
    ends, _, _, between = marks.values()
    if (
        ends + (not block.endswith(NEWLINE)) != frame.height
        or between != (frame.width - 1) * frame.height
    ):
        return False
    numbers = [column for column in frame if column.dtype != pl.String]
    texts = [column for column in frame if column.dtype == pl.String]
    if any(column.null_count() for column in numbers) or (
        texts and frame.width == 1 and (texts[0] == "").any()
    ):
        return False
    letters = sum(column.str.len_bytes().sum() for column in texts) + sum(map(_letters, numbers))
    return bool(sum(marks.values()) + letters == len(block))


def _letters(numbers: Any) -> int:
    """Return how many letters whole numbers take in all."""
    found = compact(numbers.to_numpy())
    sizes = found if found.min(initial=0) >= 0 else np.abs(found.astype(np.int64)).view(np.uint64)
    more = (np.count_nonzero(sizes >= 10**digits) for digits in range(1, len(str(sizes.max(initial=0)))))
    return int(len(found) + np.count_nonzero(found < 0) + sum(more))


def _are_plain_whole(series: Any) -> bool:
    """Tell whether texts of a polars series are what whole numbers print as."""
    import polars as pl

    printed = series.cast(pl.Int64, strict=False).cast(pl.String)
    return bool((printed == series).fill_null(value=False).all())


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

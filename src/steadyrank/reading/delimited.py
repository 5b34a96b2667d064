"""CSV, TSV and MovieLens: polars where the text is sound, else Python's csv module.

Both give the same columns of text, a stretch of rows at a time. Polars reads a block of lines if its
reading is the only one possible: quotes stand where they belong, and each record has as many fields as
there are columns. The first block that fails, and all after it, go to the csv module, which knows blank
lines, short ones and odd quotes, and complains with a line number.
"""

from __future__ import annotations

import csv
import io
import itertools
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np

from steadyrank import errors
from steadyrank.errors import UnreadableFileError, listing, shorten
from steadyrank.reading.files import MARK, OpenFile
from steadyrank.reading.headers import LOOKED_AT, Header, find_header
from steadyrank.reading.table import Table
from steadyrank.reading.text_columns import TextColumn
from steadyrank.text import counted

BATCH = 1 << 14
"""How many rows the csv module reads before they are laid out as columns."""

BEGINNING = 1 << 18
"""How many bytes of the text, at least its first line, are looked at for the header."""

NEEDS_QUOTES = "Correct this line; a field that holds the delimiter needs quotes."
QUOTE, NEWLINE, RETURN = b'"', b"\n", b"\r"


def stretches(
    blocks: Iterable[bytes],
    delimiter: str,
    *,
    source: str = "the text",
    names: Sequence[str] | None = None,
    header: int | None = None,
    notes: Iterable[str] = (),
    referee: bool = False,
) -> Iterator[Table]:
    r"""Yield the rows of blocks of whole lines of UTF-8 text as tables, at least an empty one.

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
    notes : iterable of str
        What is known already. All tables have the same list of notes, which is whole in the end.
    referee : bool
        Whether the csv module reads all of it; the result is the same.

    Examples
    --------
    >>> [table.labels("a").tolist() for table in stretches([b"a,b\n1,x\n", b'2,"y z"\n'], ",")]
    [[1], [2]]
    """
    fast = not (referee or any(_FORKED_WITH_POLARS))
    yield from _Reader(delimiter, source, names, header, list(notes), fast).read(
        _whole_records(blocks)
    )


def joined(parts: Iterable[Table]) -> Table:
    """Return stretches of rows as one table; where one lacks a column, its rows are blank there."""
    import polars as pl

    several = list(parts)
    if len(several) == 1:
        return several[0]
    names = dict.fromkeys(name for part in several for name in part.columns)
    frames = (pl.DataFrame([_series(part, name) for name in names]) for part in several)
    whole = reduce(
        pl.DataFrame.vstack, frames
    )  # a concat waits for threads that a fork has not
    return replace(
        several[0],
        columns=_columns(whole),
        lines=np.concatenate([part.lines for part in several]),
    )


def _series(table: Table, name: str) -> Any:
    import polars as pl

    column = table.columns.get(name)
    blank = pl.Series(name, [""]).new_from_index(0, len(table))
    return column.series if isinstance(column, TextColumn) else blank


def _columns(frame: Any) -> dict[str, TextColumn]:
    return dict(zip(frame.columns, map(TextColumn, frame.get_columns()), strict=True))


_FORKED_WITH_POLARS: list[bool] = []
if hasattr(os, "register_at_fork"):
    # The threads of polars are not copied with the process, and it would wait for them for ever.
    os.register_at_fork(
        after_in_child=lambda: _FORKED_WITH_POLARS.append("polars" in sys.modules)
    )


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
    called: Sequence[str] | None
    header: int | None
    notes: list[str]
    fast: bool
    names: Sequence[str] = ()  # none before the header is found
    next_line: int = 1
    last_row: int = 0  # the line on which it starts
    spaced: bool = False  # a blank stands before every field but the first
    ended: bool = True  # by a line end
    blank: int = 0
    long: int = 0
    short: list[tuple[int, int]] = field(default_factory=list)

    def read(self, blocks: Iterator[bytes]) -> Iterator[Table]:
        for block in blocks:
            rest = block if self.names else self._take_header(block)
            table = self._parsed(rest) if self.fast and rest and self.names else None
            if table is not None:
                yield table
            elif not (self.names or block.strip()):
                self.next_line += block.count(NEWLINE)
            elif rest:
                yield from self._read_slowly(itertools.chain([rest], blocks))
        if not self.names:
            raise errors.EmptyDataError(f"{self.source} holds no header and no rows")
        self._say_what_is_odd()
        if not self.last_row:
            yield self._of_fields([()] * len(self.names), [])

    def _table(self, frame: Any, lines: Any) -> Table:
        """Return a stretch of rows, which start on these lines."""
        import polars as pl

        if self.spaced:
            frame = frame.with_columns(pl.col(pl.String).str.strip_chars_start(" "))
        self.last_row = int(lines[-1]) if len(lines) else 0
        return Table(
            _columns(frame), self.source, np.asarray(lines, dtype=np.int32), self.notes
        )

    def _of_fields(
        self, fields: Iterable[Sequence[str]], lines: Sequence[int]
    ) -> Table:
        import polars as pl

        named = zip(self.names, fields, strict=True)
        frame = pl.DataFrame(
            [pl.Series(name, column, dtype=pl.String) for name, column in named]
        )
        return self._table(frame, lines)

    def _take_header(self, block: bytes) -> bytes:
        """Find the header in the first rows of the text, and return what comes after it."""
        lines, rows, ends = self._first_rows(
            block[: block.find(NEWLINE, BEGINNING) + 1 or None]
        )
        if not rows:  # a header that takes many lines, in quotes, or one that is said to be wrong later
            lines, rows, ends = self._first_rows(block)
        if not rows:
            return block
        header = (
            Header(0, list(self.called))
            if self.called
            else find_header(rows, self.header)
        )
        used = ends[header.size]
        self.names, self.next_line = header.names, self.next_line + used
        self.notes += header.notes
        self.blank += sum(not line.strip() for line in lines[:used])
        beside = [field for row in rows for field in row[1:]]
        self.spaced = bool(beside) and all(field.startswith(" ") for field in beside)
        self.notes += ["blanks before the fields left out"] if self.spaced else []
        return block[sum(map(len, lines[:used])) :]

    def _first_rows(
        self, text: bytes
    ) -> tuple[list[bytes], list[list[str]], list[int]]:
        """Return lines, the first rows on them, and how many lines have been used before each row."""
        lines, rows, ends = text.splitlines(keepends=True), list[list[str]](), [0]
        reader = csv.reader(
            map(bytes.decode, lines), delimiter=self.delimiter, strict=True
        )
        with (
            _long_fields(),
            suppress(csv.Error),
        ):  # which is said once they are read in earnest
            for row in itertools.islice(filter(_is_row, reader), LOOKED_AT):
                rows.append(row)
                ends.append(reader.line_num)
        return lines, rows, ends

    def _parsed(self, block: bytes) -> Table | None:
        """Return a block as polars reads it, None where that is not certain to be the right reading.

        Polars refuses records with too many fields, and fills up those with too few. The text is as
        long as the fields with a mark behind each, and quotes around them, only if there are none.
        """
        import polars as pl

        text = block if block.endswith(NEWLINE) else block + NEWLINE
        ends, returns, quotes = (
            text.count(NEWLINE),
            text.count(RETURN),
            self._enclosing(text),
        )
        lonely = returns and returns != text.count(RETURN + NEWLINE)
        # Polars would drop a byte order mark, but here it belongs to the first field.
        if quotes is None or lonely or block.startswith(MARK):
            return None
        how: dict[str, Any] = {
            "empty_string_is_null": False,
            "glob": False,
            "has_header": False,
        }
        how |= {"separator": self.delimiter, "quote_char": '"' if quotes else None}
        try:
            frame = pl.read_csv(
                text, schema=dict.fromkeys(self.names, pl.String), **how
            )
        except pl.exceptions.PolarsError:
            return None
        if (
            frame.width == 1 and (frame.to_series() == "").any()
        ):  # it may have left a line out
            return None
        lines, fields = (
            np.arange(self.next_line, self.next_line + frame.height),
            pl.all().str,
        )
        size = sum(frame.select(fields.len_bytes().sum()).row(0))
        size += frame.width * frame.height + quotes + returns
        within = 0
        if quotes and ends > frame.height:
            counts = [
                pl.sum_horizontal(fields.count_matches(mark)) for mark in ("\n", "\r")
            ]
            more, others = (
                frame.select(one).to_series().to_numpy().astype(np.int64)
                for one in counts
            )
            lines += np.cumsum(more) - more
            within, size = int(more.sum()), size - int(others.sum())
        if ends != frame.height + within or size != len(text):
            return None
        self.next_line, self.ended = (
            self.next_line + ends,
            block.endswith((NEWLINE, RETURN)),
        )
        return self._table(frame, lines)

    def _enclosing(self, text: bytes) -> int | None:
        """Return how many quotes enclose fields: none where no field begins with one.

        None where some do and some do not: those that enclose stand right after and right before a
        delimiter or a line end.
        """
        if QUOTE not in text:
            return 0
        data, ends = np.frombuffer(text, dtype=np.uint8), np.zeros(256, dtype=bool)
        places = np.flatnonzero(data == ord(QUOTE))
        ends[[ord(self.delimiter), *NEWLINE, *RETURN]] = True
        begun = ends[data[places - 1]]  # before the first byte is the last, a line end
        if not begun.any():
            return 0
        if len(places) % 2:
            return None
        # Two quotes in a row within a field close it and open it again.
        again = places[1:-1:2] + 1 == places[2::2]
        opens, closes = begun[::2], ends[data[places[1::2] + 1]]
        sound = (
            opens[0]
            and closes[-1]
            and (opens[1:] | again).all()
            and (closes[:-1] | again).all()
        )
        return len(places) - int(again.sum()) if sound else None

    def _read_slowly(self, blocks: Iterator[bytes]) -> Iterator[Table]:
        rows = self._rows(blocks)
        while batch := list(itertools.islice(rows, BATCH)):
            lines, fields = zip(*batch, strict=True)
            yield self._of_fields(zip(*fields, strict=True), lines)

    def _rows(self, blocks: Iterator[bytes]) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows as the csv module reads them, with the line on which each starts."""
        offset, waiting, width = self.next_line - 1, 0, len(self.names)
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
                    self.blank, waiting = self.blank + waiting, 0
                    yield (
                        here,
                        row if len(row) == width else self._fitted(here, row, width),
                    )
        except csv.Error as error:
            problem = f"{self.source} is not proper CSV on line {start}: {error}"
            raise UnreadableFileError(
                problem, way_out="Correct the quotes on this line."
            ) from None

    def _lines(self, blocks: Iterator[bytes]) -> Iterator[str]:
        for block in blocks:
            self.ended = block.endswith((NEWLINE, RETURN))
            yield from io.StringIO(block.decode(), newline="")

    def _fitted(self, line: int, row: list[str], width: int) -> list[str]:
        """Return a row with as many fields as there are columns.

        At its end, a row may lack fields, which are blank then, or have more that are. Of a line broken
        in two, one part has at most half of the fields, rounded up: this is refused.
        """
        rest = row[width:]
        if any(field.strip() for field in rest) or 2 * len(row) <= width + 1:
            told = f"line {line} of {self.source} has {len(row)} fields instead of {width}: "
            told += shorten(self.delimiter.join(row))
            raise UnreadableFileError(told, way_out=NEEDS_QUOTES)
        if len(row) < width:
            self.short.append((line, len(row)))
        self.long += bool(rest)
        return row[:width] + [""] * (width - len(row))

    def _say_what_is_odd(self) -> None:
        """Note what of the text is in no row as it stands there; refuse an end that is cut off."""
        width = len(self.names)
        if (
            len(self.short) == 1
            and not self.ended
            and self.short[0][0] == self.last_row
        ):
            told = f"the last line of {self.source} has {self.short[-1][1]} fields instead of {width}"
            raise UnreadableFileError(
                told, way_out="It may be cut short: get the file again."
            )
        short = listing(str(line) for line, _ in self.short)
        said = {
            f"blank fields beyond the last column left out on {counted(self.long, 'line')}": self.long,
            f"{self.blank:,} blank lines skipped": self.blank,
            f"fewer fields than columns, the last ones read as blank, on line {short}": self.short,
        }
        self.notes += [note for note, some in said.items() if some]


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let the csv module read fields of any length."""
    longest = csv.field_size_limit(
        sys.maxsize
    )  # of the whole process, so it is given back
    try:
        yield
    finally:
        csv.field_size_limit(longest)


def _is_row(row: list[str]) -> bool:
    """Tell whether a line holds fields: blank lines do not."""
    return len(row) > 1 or bool(row and row[0].strip())


MOVIELENS_NAMES = ("user", "movie", "rating", "timestamp")
# The first line of their files without a header, u.data and ratings.dat; ratings.csv is a plain table.
TABBED = re.compile(rb"\d+\t\d+\t\d{1,2}\t\d{8,}\s*\Z")
COLONS = re.compile(rb"\d+::\d+::\d+(\.\d+)?::\d+\s*\Z")


def movielens(file: OpenFile) -> Iterator[Table]:
    """Yield the rows of ``u.data`` (tabs) or ``ratings.dat`` (``::``), both without a header."""
    file.needs("cli", "polars")
    blocks = file.blocks()
    if COLONS.match(file.first_line):
        blocks = (block.replace(b"::", b"\t") for block in blocks)
    notes = ["read as MovieLens ratings: user, movie, rating, timestamp"]
    yield from stretches(
        blocks, "\t", source=file.name, names=MOVIELENS_NAMES, notes=notes
    )

"""Text with delimiters, to the letter: what cannot be read as written is refused.

Nothing is sniffed but what a strict parse proves. A plain file (UTF-8, no quote, one
kind of line end) leaves nothing to misunderstand, and DuckDB reads it with quoting off.
All others go through Python's strict reader.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from steadyrank.errors import (
    EmptyDataError,
    InvalidDataError,
    Option,
    UnreadableFileError,
    WayOut,
    shorten,
)
from steadyrank.reading.query import check_names, literal, named
from steadyrank.reading.written import (
    CHUNK,
    Chunks,
    Part,
    Record,
    recorded,
    scan,
    written,
)

DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".psv": "|"}
CANDIDATES = (",", "\t", ";", "|")
GZIP = b"\x1f\x8b"
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
BLOCK = 1 << 22  # bytes per look at a file: 4 MB
LONGEST_FIELD = 1 << 24  # characters
MISSING_PART = "Get it again: part of the data is missing."
RAGGED = (
    "Each record has a cell for each column. Correct the line, say another ",
    Option("delimiter"),
    ", or pass over titles as in docs/guides/recipes.md#titles.",
)
RULE = re.compile(r" *(?::?-+:? *)?")  # what stands below a header of Markdown
RECIPES = "docs/guides/recipes.md"
IN_LINES = Option("sql", "SELECT ... FROM lines")
MARKDOWN = ("Split its lines by ", IN_LINES, f", as in {RECIPES}#markdown.")
ENCODED = (
    "Give its encoding, such as ",
    Option("encoding", "cp1252"),
    " (Western Europe) or utf-16, or save it as UTF-8.",
)


@dataclass(frozen=True)
class Packed:
    """A file of text or JSON: where it is, what messages call it, how it is written."""

    path: Path
    name: str
    encoding: str
    gzipped: bool

    @classmethod
    def of(cls, path: Path, name: str, encoding: str | None) -> Packed:
        """Look at the first bytes, which say gzip and UTF-16."""
        with path.open("rb") as file:
            gzipped = file.read(2) == GZIP
        usual = "utf-8" if encoding is None else encoding
        packed = cls(path, name, usual, gzipped)
        if encoding is not None:
            packed._check_encoding()
        elif packed.head(2) in UTF16:
            return cls(path, name, "utf-16", gzipped)
        return packed

    def _check_encoding(self) -> None:
        try:
            "a".encode(self.encoding).decode(self.encoding, "ignore")
        except (LookupError, ValueError):
            raise InvalidDataError(
                f"there is no encoding {shorten(self.encoding)} of text",
                way_out=ENCODED,
            ) from None

    def head(self, size: int) -> bytes:
        """Return the first bytes, unpacked."""
        with self.opened() as file:
            return file.read(size)

    @contextmanager
    def opened(self) -> Iterator[io.BufferedReader]:
        """Open the file, unpacked."""
        opener: Callable[..., Any] = gzip.open if self.gzipped else open
        try:
            with opener(self.path, "rb") as file:
                yield file
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise self.wrong(
                f"is a gzip archive cut short or damaged ({error})",
                way_out=MISSING_PART,
            ) from None

    def wrong(
        self, what: str, line: int = 0, way_out: WayOut = ()
    ) -> UnreadableFileError:
        """Return the error that something is wrong with the file, or with a line."""
        place = f"{self.name}, line {line:,}:" if line else self.name
        return UnreadableFileError(f"{place} {what}", way_out=way_out)

    @contextmanager
    def lines(self) -> Iterator[Iterator[str]]:
        """Open the text: its lines with their ends, without byte order marks."""
        with (
            self.opened() as file,
            io.TextIOWrapper(file, encoding=self.encoding, newline="") as text,
        ):
            first = text.readline().lstrip("\ufeff")
            yield chain([first], text) if first else iter([])

    def look(self) -> Look:
        """Look at all of the text once; this proves an archive whole and text to be text."""
        look = Look()
        decoder = codecs.getincrementaldecoder(self.encoding)()
        line = 1
        with self.opened() as file:
            block = b" "
            while block:
                block = file.read(BLOCK)
                try:
                    text = decoder.decode(block, final=not block)
                except UnicodeError as error:
                    line += _lines_before(error, self.encoding)
                    what = f"is not text in {self.encoding.upper()}"
                    raise self.wrong(what, line, ENCODED) from None
                if "\0" in text:
                    line += text[: text.index("\0")].count("\n")
                    what = (
                        "holds a NUL, so it is binary, damaged or in another encoding"
                    )
                    raise self.wrong(what, line, ENCODED)
                line += text.count("\n")
                look.add(text)
        return look


def _lines_before(error: UnicodeError, encoding: str) -> int:
    if not isinstance(error, UnicodeDecodeError):
        return 0
    return error.object[: error.start].decode(encoding, "ignore").count("\n")


@dataclass
class Look:
    """What all of a text holds."""

    quotes: bool = False
    blank_lines: bool = False
    feeds: int = 0
    returns: int = 0
    pairs: int = 0
    last: str = "\n"

    def add(self, text: str) -> None:
        """Look at another part."""
        self.quotes = self.quotes or '"' in text
        self.feeds += text.count("\n")
        self.returns += text.count("\r")
        joint = self.last + text[:1]
        self.pairs += text.count("\r\n") + (joint == "\r\n")
        for blank in ("\n\n", "\n\r"):
            self.blank_lines = self.blank_lines or blank in text or blank == joint
        self.last = text[-1:] or self.last

    @property
    def is_plain(self) -> bool:
        """Whether there is one kind of line end, and neither quotes nor blank lines."""
        one_end = self.returns in {0, self.pairs} and self.pairs in {0, self.feeds}
        return one_end and not self.quotes and not self.blank_lines

    @property
    def n_lines(self) -> int:
        """How many lines a plain text has."""
        return self.feeds + (self.last != "\n")


@dataclass
class TextFile:
    """A text file with a header line; its rows are the records below."""

    file: Packed
    delimiter: str
    names: tuple[str, ...] = ()

    @classmethod
    def open(cls, file: Packed, ending: str, delimiter: str | None, copy: Path) -> Part:
        """Read the header, and prepare a query over the rows; ``copy`` is a free path."""
        look = file.look()
        found = cls(file, delimiter or "")
        if delimiter is None:
            found.delimiter = found._proved_delimiter(ending)
        elif len(delimiter) != 1 or delimiter in '"\r\n':
            raise InvalidDataError(
                f"delimiter must be one letter, and is {shorten(delimiter)}",
                way_out=(
                    "Split lines by ",
                    IN_LINES,
                    f", as in {RECIPES}#double-colon.",
                ),
            )
        first = list(islice(found.records(), 2))
        line, header = first[0] if first else (0, [])
        if not header:
            raise EmptyDataError(
                f"{file.name} is empty", way_out="It needs a header line and rows."
            )
        found.names = named(header)
        if found.delimiter == "|" and all(map(RULE.fullmatch, first[-1][1])):
            raise file.wrong("the rule of a Markdown table", first[-1][0], MARKDOWN)
        check_names(f"line {line} of {file.name}", found.names)
        plain = (
            look.is_plain and line == 1 and codecs.lookup(file.encoding).name == "utf-8"
        )
        if plain:
            packing = "gzip" if file.gzipped else "none"
            dialect = (
                f"delim={literal(found.delimiter)}, quote='', escape='', header=true, "
                f"compression='{packing}'"  # where new_line='\\r\\n', all rows get lost
            )
            path, n_rows = file.path, look.n_lines - 1
        else:
            path = copy
            dialect, n_rows = written(found.chunks, copy)
        query = scan(path, found.names, dialect)
        return Part(file.name, found.names, query, n_rows, found.place, found.check)

    def _proved_delimiter(self, ending: str) -> str:
        """Return the one delimiter that splits the header, that of the ending first."""
        splits = [mark for mark in CANDIDATES if self._splits_header(mark)]
        usual = DELIMITERS.get(ending, ",")
        if usual in splits and ending in DELIMITERS:
            return usual
        if len(splits) > 1:
            shown = " and ".join(map(repr, splits))
            raise InvalidDataError(
                f"the header line of {self.file.name} can be split by {shown}",
                way_out=("Say which as ", Option("delimiter", splits[0])),
            )
        return splits[0] if splits else usual

    def _splits_header(self, delimiter: str) -> bool:
        attempt = TextFile(self.file, delimiter)
        try:
            _, header = next(attempt.records(), (0, []))
        except UnreadableFileError:
            return False
        return len(header) > 1

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield each record with the line where it begins; blank lines are none."""
        with self.file.lines() as lines, _long_fields():
            reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
            line = 1
            try:
                for record in reader:
                    if record:
                        self._check_length(record, line)
                        yield line, record
                    line = reader.line_num + 1
            except csv.Error as error:
                what = "the quote is never closed"
                if "end of data" not in str(error):
                    what = str(error)
                raise self.file.wrong(what, line, RAGGED) from None

    def _check_length(self, record: list[str], line: int) -> None:
        n_columns = len(self.names)
        if n_columns and len(record) != n_columns:
            cells = "1 cell" if len(record) == 1 else f"{len(record)} cells"
            columns = "1 column" if n_columns == 1 else f"{n_columns} columns"
            what = f"{cells}, but the header has {columns}"
            raise self.file.wrong(what, line, RAGGED)

    def chunks(self) -> Chunks:
        """Yield the rows below the header in blocks."""
        lengths = {len(self.names)}
        with self.file.lines() as lines, _long_fields():
            reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
            try:
                next(filter(None, reader))
                while rows := list(islice(reader, CHUNK)):
                    if {*map(len, rows)} != lengths:
                        rows = [row for row in rows if row]
                    if {*map(len, rows)} - lengths:
                        self.check()
                    if rows:
                        yield rows
            except csv.Error:
                self.check()

    def check(self) -> None:
        """Refuse the first record that is not as long as the header."""
        for _ in self.records():
            pass

    def place(self, row: int) -> str:
        """Return where a row, counted from 0, begins."""
        line, _ = next(islice(self.records(), row + 1, None))
        return f"{self.file.name}, line {line:,}"


def open_lines(file: Packed, copy: Path) -> Part:
    """Open the lines of a text as a table with the column ``line``, for SQL to split."""
    file.look()

    def records() -> Iterator[tuple[str, Record]]:
        with file.lines() as lines:
            for number, line in enumerate(lines, 1):
                yield f"line {number:,}", {"line": line.rstrip("\r\n")}

    return recorded(file.name, records, copy, ("line",))


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let Python's reader take long cells; its limit holds for the whole process."""
    limit = csv.field_size_limit(LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(limit)

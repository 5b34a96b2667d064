"""CSV and TSV: a scan of bytes where the text allows it, Python's csv module where it does not.

Both give the same columns. The scan takes blocks in which no quote occurs and every line has
the right number of fields; the first block that is different, and all after it, go to the csv
module, which knows quotes and blank lines and complains with the line number.
"""

from __future__ import annotations

import csv
import itertools
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import ColumnError, EmptyDataError, UnreadableFileError, shorten
from steadyrank.reading.arrays import compact
from steadyrank.reading.bytescan import (
    field_bounds,
    join_columns,
    plain_lines,
    texts,
    whole_numbers,
)
from steadyrank.reading.table import Table
from steadyrank.reading.text_columns import TextColumn, WholeColumn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from steadyrank._typing import AnyArray

BATCH = 100_000


class Lines:
    """The line of each row: one after the other at first, then as the csv module found them."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._plain = 0
        self._found: list[int] = []

    def add_plain(self, rows: int) -> None:
        """Count rows of one line each."""
        self._plain += rows

    def add(self, line: int) -> None:
        """Add one row that starts on ``line``."""
        self._found.append(line)

    def next_line(self) -> int:
        """Return the line after the plain rows."""
        return self._first + self._plain

    def __len__(self) -> int:
        return self._plain + len(self._found)

    def __getitem__(self, row: int) -> int:
        return self._first + row if row < self._plain else self._found[row - self._plain]


def read_delimited(
    blocks: Iterable[bytes],
    delimiter: str,
    *,
    source: str = "",
    names: Sequence[str] | None = None,
    scan: bool = True,
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
    scan : bool
        Whether the quick scan may be used; the result is the same.

    Examples
    --------
    >>> table = read_delimited([b"a,b\n1,x\n", b'2,"y z"\n'], ",")
    >>> table.labels("a").tolist(), table.labels("b").tolist()
    ([1, 2], ['x', 'y z'])
    """
    return _Reader(delimiter, source, names, scan=scan).read(iter(blocks))


class _Reader:
    def __init__(self, delimiter: str, source: str, names: Sequence[str] | None, *, scan: bool) -> None:
        self.delimiter = delimiter
        self.source = source
        self.names = None if names is None else list(names)
        self.scan = scan
        self.lines = Lines(1)
        self.parts: list[list[TextColumn | AnyArray]] = []
        self.notes: list[str] = []
        self.blank = 0

    def read(self, blocks: Iterator[bytes]) -> Table:
        for block in blocks:
            rest = self._scan(block)
            if rest is not None:
                self._read_slowly(itertools.chain([rest], blocks))
                break
        if self.names is None:
            raise EmptyDataError(f"{self.source or 'the text'} holds no header and no rows")
        if self.blank:
            self.notes.append(f"{self.blank:,} blank lines skipped")
        joined = [join_columns(parts) for parts in self.parts] or [TextColumn.of([])] * len(self.names)
        columns = [
            column if isinstance(column, TextColumn) else WholeColumn(column) for column in joined
        ]
        return Table(dict(zip(self.names, columns, strict=True)), self.source, self.lines, self.notes)

    def _scan(self, block: bytes) -> bytes | None:
        """Take in a block, or return what of it the csv module has to read."""
        plain = plain_lines(block) if self.scan and b'"' not in block else None
        if plain is None:
            return block
        if self.names is None:
            header, _, plain = plain.partition(b"\n")
            if not header.strip():
                return block
            self._set_header(header.decode().split(self.delimiter))
            self.lines = Lines(2)
        width = len(self.names or ())
        if not plain:
            return None
        data = np.frombuffer(plain, dtype=np.uint8)
        bounds = field_bounds(data, ord(self.delimiter), width)
        if bounds is None or (width == 1 and (bounds[0] == bounds[1]).any()):
            return plain
        starts, ends = bounds
        columns: list[TextColumn | AnyArray] = []
        for place in range(width):
            first, last = starts[:, place], ends[:, place]
            numbers = whole_numbers(data, first, last)
            found = texts(plain, data, first, last) if numbers is None else compact(numbers)
            columns.append(found)
        self._add(columns)
        self.lines.add_plain(len(starts))
        return None

    def _add(self, columns: Sequence[TextColumn | AnyArray]) -> None:
        if not self.parts:
            self.parts = [[] for _ in columns]
        for parts, column in zip(self.parts, columns, strict=True):
            parts.append(column)

    def _set_header(self, fields: list[str]) -> None:
        names = [field.strip() for field in fields]
        for place, name in enumerate(names):
            if not name:
                names[place] = f"column_{place + 1}"
                self.notes.append(f"column {place + 1} has no name and is called {names[place]!r}")
        doubled = {name for name in names if names.count(name) > 1}
        if doubled:
            error = ColumnError(
                f"the header names {shorten(min(doubled))} more than once",
                way_out="Rename one of these columns.",
            )
            error.place_in(self.source, None)
            raise error
        self.names = names

    def _read_slowly(self, blocks: Iterator[bytes]) -> None:
        offset = self.lines.next_line() - 1
        lines = (line.decode() for block in blocks for line in block.splitlines(keepends=True))
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        batch: list[list[str]] = []
        start = offset + 1
        pending_blank = 0
        try:
            for row in reader:
                here, start = start, offset + reader.line_num + 1
                if not row or (len(row) == 1 and not row[0].strip() and self._ignores_blank()):
                    pending_blank += 1
                    continue
                self.blank, pending_blank = self.blank + pending_blank, 0
                if self.names is None:
                    self._set_header(row)
                    continue
                self._check_width(row, here)
                self.lines.add(here)
                batch.append(row)
                if len(batch) == BATCH:
                    self._flush(batch)
        except csv.Error as error:
            raise UnreadableFileError(
                f"{self.source or 'the text'} is not proper CSV on line {start}: {error}",
                way_out="Correct the quotes on this line.",
            ) from None
        self._flush(batch)

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

    def _flush(self, batch: list[list[str]]) -> None:
        if batch:
            self._add([TextColumn.of(fields) for fields in zip(*batch, strict=True)])
            batch.clear()

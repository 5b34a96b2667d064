"""CSV and TSV: polars where the text is sound and polars is there, else Python's csv module.

Both give the same columns of text. Polars reads a block of lines if it can be checked that its reading
is the only one possible: quotes stand where they belong, and there are as many delimiters and line
ends as the fields it found account for. The first block that fails, and all after it, go to the csv
module, which knows blank lines and odd quotes and complains with the line number.
"""

from __future__ import annotations

import csv
import itertools
from bisect import bisect_right
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import ColumnError, EmptyDataError, UnreadableFileError, shorten
from steadyrank.reading.arrays import compact
from steadyrank.reading.table import Table
from steadyrank.reading.text_columns import TextColumn, WholeColumn, is_plain_whole, join_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from steadyrank._typing import AnyArray, IntArray

BATCH = 100_000
QUOTE, NEWLINE, RETURN = b'"', b"\n", b"\r"


class Lines:
    """The line on which each row starts, from the rows at which blocks do."""

    def __init__(self, first: int) -> None:
        self.next_line = first
        self._rows: list[int] = []
        self._starts: list[IntArray | int] = []
        self._total = 0

    def add(self, rows: int, lines: int, inside: IntArray | None = None) -> None:
        """Add rows that take up so many lines; ``inside`` are the line ends within each of them."""
        starts = self.next_line
        if inside is None:
            self._starts.append(starts)
        else:
            self._starts.append(starts + np.cumsum(inside + 1) - (inside + 1))
        self._rows.append(self._total)
        self._total += rows
        self.next_line += lines

    def __len__(self) -> int:
        return self._total

    def __getitem__(self, row: int) -> int:
        block = bisect_right(self._rows, row) - 1
        starts, place = self._starts[block], row - self._rows[block]
        return starts + place if isinstance(starts, int) else int(starts[place])


def read_delimited(
    blocks: Iterable[bytes],
    delimiter: str,
    *,
    source: str = "",
    names: Sequence[str] | None = None,
    polars: bool = True,
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
    polars : bool
        Whether polars may be used, if it is installed; the result is the same.

    Examples
    --------
    >>> table = read_delimited([b"a,b\n1,x\n", b'2,"y z"\n'], ",")
    >>> table.labels("a").tolist(), table.labels("b").tolist()
    ([1, 2], ['x', 'y z'])
    """
    fast = polars and find_spec("polars") is not None
    return _Reader(delimiter, source, names, fast=fast).read(_whole_records(blocks))


def header_names(fields: Sequence[str], source: str) -> tuple[list[str], list[str]]:
    """Return the names of the columns of a file from the fields of its header, and what to note."""
    names, notes = [field.strip() for field in fields], []
    for place, name in enumerate(names):
        if not name:
            names[place] = f"column_{place + 1}"
            notes.append(f"column {place + 1} has no name and is called {names[place]!r}")
    seen: set[str] = set()
    doubled = sorted({name for name in names if name in seen or seen.add(name)})  # type: ignore[func-returns-value]
    if doubled:
        error = ColumnError(
            f"the header names {shorten(doubled[0])} more than once",
            way_out="Rename one of these columns.",
        )
        error.place_in(source, None)
        raise error
    return names, notes


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


class _Reader:
    def __init__(self, delimiter: str, source: str, names: Sequence[str] | None, *, fast: bool) -> None:
        self.delimiter = delimiter
        self.source = source
        self.names = None if names is None else list(names)
        self.fast = fast
        self.lines = Lines(1)
        self.parts: list[list[TextColumn | AnyArray]] = []
        self.notes: list[str] = []
        self.blank = 0

    def read(self, blocks: Iterator[bytes]) -> Table:
        for block in blocks:
            rest = self._take_header(block) if self.fast else block
            columns = self._parsed(rest) if self.fast and self.names is not None else None
            if columns is None:
                self._read_slowly(itertools.chain([rest], blocks))
                break
            self._add(columns)
        if self.names is None:
            raise EmptyDataError(f"{self.source or 'the text'} holds no header and no rows")
        if self.blank:
            self.notes.append(f"{self.blank:,} blank lines skipped")
        joined = [join_columns(parts) for parts in self.parts] or [TextColumn.of([])] * len(self.names)
        columns_of = [part if isinstance(part, TextColumn) else WholeColumn(part) for part in joined]
        return Table(dict(zip(self.names, columns_of, strict=True)), self.source, self.lines, self.notes)

    def _take_header(self, block: bytes) -> bytes:
        """Take in a plain header on the first line of the text, and return what comes after it."""
        if self.names is not None:
            return block
        line, _, rest = block.partition(NEWLINE)
        if not line.strip() or QUOTE in line or RETURN in line.removesuffix(RETURN):
            return block
        self._set_header(line.removesuffix(RETURN).decode().split(self.delimiter))
        self.lines.next_line = 2
        return rest

    def _set_header(self, fields: Sequence[str]) -> None:
        self.names, notes = header_names(fields, self.source)
        self.notes += notes

    def _parsed(self, block: bytes) -> list[TextColumn | AnyArray] | None:
        """Return the columns of a block as polars reads them; None if that is not certain."""
        width = len(self.names or ())
        quoted = QUOTE in block
        if block.count(RETURN) != block.count(b"\r\n") or (quoted and not self._sound_quotes(block)):
            return None
        if not block:
            return [TextColumn.of([])] * width
        frame = _frame(block, self.delimiter, width)
        if frame is None:
            return None
        ends = block.count(NEWLINE) + (not block.endswith(NEWLINE))
        inside = _inside(frame, "\n") if quoted else None
        within = int(_inside(frame, self.delimiter).sum()) if quoted else 0
        fields = block.count(self.delimiter.encode()) - within
        if ends != frame.height + (0 if inside is None else int(inside.sum())):
            return None
        if fields != (width - 1) * frame.height or (width == 1 and (frame.to_series() == "").any()):
            return None
        self.lines.add(frame.height, ends, inside)
        return [_column(series) for series in frame]

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

    def _add(self, columns: Sequence[TextColumn | AnyArray]) -> None:
        if not self.parts:
            self.parts = [[] for _ in columns]
        for parts, column in zip(self.parts, columns, strict=True):
            parts.append(column)

    def _read_slowly(self, blocks: Iterator[bytes]) -> None:
        offset = self.lines.next_line - 1
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
                self.lines.next_line = here
                self.lines.add(1, 1)
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


def _frame(block: bytes, delimiter: str, width: int) -> Any:
    """Return a block as a polars frame of text, or None where polars does not read it."""
    import polars as pl

    try:
        frame = pl.read_csv(
            block,
            has_header=False,
            separator=delimiter,
            infer_schema=False,
            empty_string_is_null=False,
            glob=False,
        )
    except pl.exceptions.PolarsError:
        return None
    return frame if frame.width == width else None


def _inside(frame: Any, mark: str) -> IntArray:
    """Return how often a mark stands inside the fields of each row."""
    import polars as pl

    counts = frame.select(pl.sum_horizontal(pl.all().str.count_matches(mark, literal=True)))
    return np.asarray(counts.to_series().to_numpy(), dtype=np.int64)


def _column(series: Any) -> TextColumn | AnyArray:
    """Return whole numbers where all fields are just that, else each distinct text once."""
    import polars as pl

    if is_plain_whole(series[0]):
        numbers = series.cast(pl.Int64, strict=False)
        if (numbers.cast(pl.String) == series).fill_null(value=False).all():
            return compact(numbers.to_numpy())
    words = series.unique(maintain_order=True)
    codes = series.cast(pl.Enum(words)).to_physical().to_numpy()
    return TextColumn(codes.astype(np.int32), words.to_list())

"""Files whose values have types: JSON lines and Parquet. Text stays text, numbers stay numbers."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from steadyrank.errors import (
    EmptyDataError,
    MissingPackageError,
    SteadyrankError,
    UnreadableFileError,
    shorten,
)
from steadyrank.reading.table import GivenColumn, Table, as_table

if TYPE_CHECKING:
    from steadyrank.reading.files import OpenFile

CELLS_FREELY = 1 << 20
MOST_HOLES = 100
"""Beyond the first million cells, how many may be empty for each that a line fills."""


def read_json_lines(file: OpenFile) -> Table:
    r"""Read one object on each line; a name that a line lacks is a missing value.

    Examples
    --------
    >>> import io
    >>> from steadyrank.reading.files import open_source
    >>> table = read_json_lines(open_source(io.BytesIO(b'{"a": "007"}\n{"a": "8", "b": 1}\n')))
    >>> table.labels("a").tolist(), table.labels("b").tolist()
    (['007', '8'], [None, 1])
    """
    texts = (text for block in file.blocks() for text in block.splitlines())
    rows = {line: _object(text, line, file.name) for line, text in enumerate(texts, 1) if text.strip()}
    if not rows:
        raise EmptyDataError(f"{file.name} holds no rows")
    names = dict.fromkeys(name for row in rows.values() for name in row)
    _check_holes(len(rows) * len(names), sum(map(len, rows.values())), len(names), file.name)
    columns = {name: GivenColumn([row.get(name) for row in rows.values()], name) for name in names}
    return Table(columns, file.name, list(rows))


def _check_holes(cells: int, filled: int, names: int, source: str) -> None:
    if cells > max(CELLS_FREELY, MOST_HOLES * filled):
        raise UnreadableFileError(
            f"the lines of {source} use {names:,} names, so that less than one in {MOST_HOLES} cells of "
            f"the table would hold a value: {filled:,} of {cells:,}",
            way_out="Write one value on each line, such as "
            '{"row": 1, "item": "x", "score": 2}, or leave out names that are not needed.',
        )


def _object(text: bytes, line: int, source: str) -> dict[str, Any]:
    try:
        found = json.loads(text.decode(), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        why = str(error)
    else:
        if isinstance(found, dict):
            return found
        why = f"there is {shorten(found)} instead of an object"
    raise UnreadableFileError(
        f"line {line} of {source} is not one JSON object: {why}",
        way_out='Write one object on each line, such as {"choice": "x"}.',
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise ValueError(f"{shorten(min(name for name in times if times[name] > 1))} is named twice")
    return found


def read_parquet(file: OpenFile, library: str = "pyarrow") -> Table:
    """Read a Parquet file with pyarrow, or say how to install it.

    Other readers take a damaged file for their own fault and end the whole process.
    """
    content = file.read_all()
    if find_spec(library) is None:
        raise MissingPackageError(f"to read the Parquet file {file.name}, {library} is needed", "frames")
    from pyarrow import BufferReader, parquet  # type: ignore[import-untyped,unused-ignore]

    try:
        opened = partial(parquet.ParquetFile, page_checksum_verification=True, pre_buffer=False)
        whole = opened(BufferReader(content))
        cells = whole.metadata.num_rows * whole.metadata.num_columns
        file.check_unpacked(8 * cells, len(content), "Scan it with an engine, which counts equal rows.")
        texts = [part.name for part in whole.schema_arrow if str(part.type).endswith("string")]
        # Threads that still read when a file proves damaged can abort the process as it ends.
        try:
            found = opened(BufferReader(content), read_dictionary=texts).read(use_threads=False)
        except OSError:  # damaged, or text is stored in a way that cannot be read as codes
            found = whole.read(use_threads=False)
        table = as_table(found)
    except SteadyrankError:
        raise
    except Exception as error:  # some of these are pyarrow's own, others Python's
        raise UnreadableFileError(
            f"{file.name} is not a sound Parquet file: {shorten(str(error), 120)}",
            way_out="Get or write it again.",
        ) from None
    table.source = file.name
    return table

"""Files whose values have types: JSON lines and Parquet. Text stays text, numbers stay numbers."""

from __future__ import annotations

import io
import json
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from steadyrank.errors import EmptyDataError, MissingPackageError, UnreadableFileError, shorten
from steadyrank.reading.table import GivenColumn, Table, as_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steadyrank.reading.files import OpenFile

LIBRARIES = ("polars", "pyarrow")
"""What can read Parquet, the first that is installed."""


def read_json_lines(file: OpenFile) -> Table:
    r"""Read one object on each line; a name that a line lacks is a missing value.

    Examples
    --------
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
    columns = {name: GivenColumn([row.get(name) for row in rows.values()], name) for name in names}
    return Table(columns, file.name, list(rows))


def _object(text: bytes, line: int, source: str) -> dict[str, Any]:
    try:
        found = json.loads(text, object_pairs_hook=_once)
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
        names = [name for name, _ in pairs]
        raise ValueError(f"{min(n for n in names if names.count(n) > 1)!r} is named twice")
    return found


def read_parquet(file: OpenFile, libraries: Sequence[str] = LIBRARIES) -> Table:
    """Read a Parquet file with polars or pyarrow, or say how to install them."""
    content = io.BytesIO(file.read_all())
    library = next((name for name in libraries if find_spec(name) is not None), None)
    if library is None:
        raise MissingPackageError(
            f"to read the Parquet file {file.name}, polars or pyarrow is needed", "frames"
        )
    try:
        frame = _frame(library, content)
    except Exception as error:  # each library has errors of its own for damaged files
        raise UnreadableFileError(
            f"{file.name} is not a sound Parquet file: {shorten(str(error), 120)}",
            way_out="Get or write it again.",
        ) from None
    table = as_table(frame)
    table.source = file.name
    return table


def _frame(library: str, content: io.BytesIO) -> Any:
    if library == "polars":
        import polars as pl

        return pl.read_parquet(content)
    from pyarrow import parquet  # type: ignore[import-untyped,unused-ignore]

    return parquet.read_table(content)

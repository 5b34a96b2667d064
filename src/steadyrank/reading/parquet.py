"""Parquet, through whichever dataframe library is installed."""

from __future__ import annotations

import io
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from steadyrank.errors import MissingPackageError, UnreadableFileError, shorten
from steadyrank.reading.table import Table, as_table

if TYPE_CHECKING:
    from steadyrank.reading.files import OpenFile

LIBRARIES = ("polars", "pyarrow")


def read_parquet(file: OpenFile) -> Table:
    """Read a Parquet file with polars or pyarrow, or say how to install them."""
    content = file.read_all()
    library = next((name for name in LIBRARIES if find_spec(name) is not None), None)
    if library is None:
        raise MissingPackageError(
            f"to read the Parquet file {file.name}, polars or pyarrow is needed", "frames"
        )
    try:
        frame = _read(library, content)
    except Exception as error:  # each library has errors of its own for damaged files
        raise UnreadableFileError(
            f"{file.name} is not a sound Parquet file: {shorten(str(error), 120)}",
            way_out="Get or write it again.",
        ) from None
    table = as_table(frame)
    table.source = file.name
    return table


def _read(library: str, content: bytes) -> Any:
    if library == "polars":
        import polars as pl

        return pl.read_parquet(io.BytesIO(content))
    from pyarrow import parquet  # type: ignore[import-untyped,unused-ignore]

    return parquet.read_table(io.BytesIO(content))

"""Dataframes and columns in memory; whatever narwhals takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb
import numpy as np

from steadyrank.errors import EmptyDataError, InvalidDataError, listing, shorten
from steadyrank.reading.query import check_names, named
from steadyrank.reading.written import Part

SOURCES = "Give a path, a binary stream, a dataframe, or columns: {'item': [...]}."


def open_frame(
    con: duckdb.DuckDBPyConnection, source: Any, called: str
) -> tuple[Part, str | None]:
    """Hand a dataframe, or a mapping of columns, to the database, with its library."""
    library = None
    if isinstance(source, Mapping):
        name = "the columns"
        names = named(map(str, source))
        native, n_rows = _columns(dict(zip(names, source.values(), strict=True)))
    else:
        name = "the dataframe"
        native, n_rows, names, library = _native(source)
    if not names:
        raise EmptyDataError(f"{name} has no columns", way_out=SOURCES)
    check_names(name, names)
    con.register(called, native)

    def place(row: int) -> str:
        return f"row {row + 1:,} of {name}"

    return Part(name, tuple(names), f"FROM {called}", n_rows, place), library


def is_lazy(source: Any) -> bool:
    """Whether a source is a dataframe that an engine of its own has yet to compute."""
    if isinstance(source, str | Mapping | list | tuple):
        return False
    import narwhals as nw

    return isinstance(nw.from_native(source, pass_through=True), nw.LazyFrame)


class _Stream:
    """A dataframe as nothing but an Arrow stream, which DuckDB takes without pyarrow."""

    def __init__(self, frame: Any) -> None:
        self.__arrow_c_stream__ = frame.__arrow_c_stream__


def _native(source: Any) -> tuple[Any, int, tuple[str, ...], str]:
    """Return what DuckDB reads, its number of rows, its columns, and the library."""
    import narwhals as nw

    try:
        frame = nw.from_native(source, eager_only=True)
    except TypeError:
        raise InvalidDataError(
            f"{shorten(source)} is nothing that can be read", way_out=SOURCES
        ) from None
    library = frame.implementation.value
    names = named(map(str, frame.columns))
    if "" in frame.columns:  # DuckDB would take another name
        frame = frame.rename({"": names[frame.columns.index("")]})
    if library in {"polars", "pyarrow"}:
        return _Stream(frame.to_native()), len(frame), names, library
    return frame.to_pandas(), len(frame), names, library


def _columns(source: Mapping[Any, Any]) -> tuple[dict[str, np.ndarray[Any, Any]], int]:
    columns = {str(name): _column(name, values) for name, values in source.items()}
    lengths = {name: len(column) for name, column in columns.items()}
    if len({*lengths.values()}) > 1:
        shown = listing(
            f"{shorten(name)}: {length}" for name, length in lengths.items()
        )
        raise InvalidDataError(f"the columns differ in length: {shown}")
    return columns, next(iter(lengths.values()), 0)


def _column(name: object, values: Any) -> np.ndarray[Any, Any]:
    """Return values as an array; texts as objects, which no other type can change."""
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise InvalidDataError(
            f"column {shorten(name)} is {shorten(values)}, and no list", way_out=SOURCES
        )
    array = np.asarray(values) if hasattr(values, "dtype") else None
    if array is None or array.dtype.kind in "US":
        texts = np.empty(len(values), dtype=object)
        texts[:] = list(values)
        return texts
    if array.ndim != 1:
        raise InvalidDataError(f"column {shorten(name)} has {array.ndim} dimensions")
    return array

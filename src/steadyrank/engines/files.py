"""Several files as one dataset: which ones, and whether they go together."""

from __future__ import annotations

import csv
import glob
import gzip
import io
import os
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steadyrank.errors import (
    FileNotThereError,
    InvalidDataError,
    MissingPackageError,
    SchemaDiffersError,
    UnreadableFileError,
    listing,
    shorten,
)
from steadyrank.reading.files import open_source
from steadyrank.reading.formats import format_of, text_layout

PROBE_ROWS = 1 << 16
ORDER_ROWS = 1 << 18


@dataclass(frozen=True)
class Files:
    """Files of one format with the same columns.

    Parameters
    ----------
    paths : tuple of str
        In the order of their names.
    columns : tuple of str
        The names of the columns.
    delimiter : str, optional
        What stands between the fields of text; without it the files are Parquet.
    """

    paths: tuple[str, ...]
    columns: tuple[str, ...]
    delimiter: str | None = None

    @property
    def text(self) -> bool:
        """Whether all values are still text."""
        return self.delimiter is not None

    @property
    def size(self) -> int:
        """The bytes of all files together."""
        return sum(Path(path).stat().st_size for path in self.paths)

    def in_strict_order(self, one: str, two: str) -> bool:
        """Tell whether all rows go up by two columns of whole numbers, in either order of the two.

        It stops at the first row that does not. A file that cannot be read is not in order.
        """
        if self.text:
            return False
        try:
            return _goes_up(self.paths, one, two)
        except (OSError, ValueError):
            return False

    def damaged(self) -> tuple[str, str] | None:
        """Read every file to its end; return the first that fails and why, or None."""
        for path in self.paths:
            try:
                _read_through(path, self)
            except Exception as error:
                return path, " ".join(f"{type(error).__name__}: {error}".split())
        return None


def _goes_up(paths: tuple[str, ...], one: str, two: str) -> bool:
    last: tuple[Any, Any] | None = None
    possible = {(0, 1), (1, 0)}
    for path in paths:
        file = _pyarrow_parquet().ParquetFile(path)
        for batch in file.iter_batches(batch_size=ORDER_ROWS, columns=[one, two]):
            columns = [batch.column(batch.schema.get_field_index(name)) for name in (one, two)]
            if any(column.null_count or not _whole(column.type) for column in columns):
                return False
            pair = [column.to_numpy(zero_copy_only=False) for column in columns]
            possible = {way for way in possible if _rises([pair[place] for place in way])}
            if last is not None and batch.num_rows:
                heads = [np.array([last[place], pair[place][0]]) for place in (0, 1)]
                possible = {way for way in possible if _rises([heads[place] for place in way])}
            if not possible:
                return False
            if batch.num_rows:
                last = (pair[0][-1], pair[1][-1])
    return True


def _whole(kind: Any) -> bool:
    return str(kind).lstrip("u").startswith("int")


def _rises(columns: list[Any]) -> bool:
    """Tell whether rows go up strictly by the first column, and where that is equal by the second."""
    first, second = columns
    equal = first[1:] == first[:-1]
    return bool(((first[1:] > first[:-1]) | (equal & (second[1:] > second[:-1]))).all())


def find_files(pattern: str | os.PathLike[str]) -> Files:
    """Return the files that a path, a folder or a glob names, after looking at their columns.

    Only what the files say about themselves is read: the footer of Parquet, the header of text.
    """
    paths = _matching(os.fspath(pattern))
    layouts = {path: _layout(path) for path in paths}
    delimiters = {layout.delimiter for layout in layouts.values()}
    if len(delimiters) > 1:
        raise InvalidDataError(
            f"{shorten(os.fspath(pattern))} matches files of several formats: "
            f"{listing(sorted(map(_format_name, delimiters)))}",
            way_out="Name the files of one format, for example with *.parquet.",
        )
    first = paths[0]
    for path in paths[1:]:
        if layouts[path].columns != layouts[first].columns:
            raise _differs(first, layouts[first].columns, path, layouts[path].columns)
    return Files(tuple(paths), tuple(layouts[first].columns), delimiters.pop())


def named(path: str) -> str:
    """Return a path for a message, whole: its end is what tells files apart."""
    return shorten(path, 1000)


def _matching(pattern: str) -> list[str]:
    if Path(pattern).is_dir():
        pattern = str(Path(pattern) / "*.parquet")
    if Path(pattern).is_file():
        return [pattern]
    found = sorted(
        path
        for path in glob.glob(pattern, recursive=True)  # noqa: PTH207 (relative or not, as given)
        if Path(path).is_file()
    )
    if not found:
        raise FileNotThereError(f"no file matches {shorten(pattern)}.")
    return found


@dataclass(frozen=True)
class _Layout:
    """What one file says about itself: its columns with their types, and what parts its fields."""

    columns: dict[str, str]
    delimiter: str | None


def _format_name(delimiter: str | None) -> str:
    return "parquet" if delimiter is None else f"text separated by {delimiter!r}"


def _layout(path: str) -> _Layout:
    """Look at a file as reading it would: its format is told by its content."""
    with closing(open_source(path)) as file:
        found = format_of(file)
        if found.on_engine == "delimited":
            layout = text_layout(file, found)
            return _Layout(dict.fromkeys(layout.names, "text"), layout.delimiter)
    if found.on_engine is None or path.lower().endswith(".gz"):
        raise InvalidDataError(
            f"{named(path)} is not a file that can be scanned",
            way_out="Engines scan Parquet, CSV and TSV (text may be gzipped). Read other formats into "
            "memory with read(...).",
        )
    return _Layout(_parquet_schema(path), None)


def _parquet_schema(path: str) -> dict[str, str]:
    parquet = _pyarrow_parquet()
    try:
        schema = parquet.read_schema(path)
    except (OSError, ValueError) as error:  # the second is what a damaged footer makes of it
        raise UnreadableFileError(
            f"{named(path)} cannot be read as Parquet: {error}",
            way_out="Replace this file, or leave it out of the pattern.",
        ) from error
    return {field.name: str(field.type) for field in schema}


def _text(path: str) -> io.TextIOBase:
    if path.lower().endswith(".gz"):
        return io.TextIOWrapper(gzip.open(path), encoding="utf-8-sig", newline="")
    return Path(path).open(encoding="utf-8-sig", newline="")


def _differs(
    first: str, expected: dict[str, str], path: str, found: dict[str, str]
) -> SchemaDiffersError:
    if list(expected) != list(found):
        problem = f"{named(path)} has the columns {listing(map(shorten, found))}, but "
        problem += f"{named(first)} has {listing(map(shorten, expected))}"
    else:
        name = next(name for name in expected if expected[name] != found[name])
        problem = f"column {shorten(name)} is {found[name]} in {named(path)}, but "
        problem += f"{expected[name]} in {named(first)}"
    return SchemaDiffersError(
        problem, way_out="Write the files again with equal columns, or scan them apart."
    )


def _read_through(path: str, files: Files) -> None:
    if not files.text:
        for batch in _pyarrow_parquet().ParquetFile(path).iter_batches(batch_size=PROBE_ROWS):
            batch.validate()
        return
    with _text(path) as file:
        for number, row in enumerate(csv.reader(file, delimiter=files.delimiter or ",", strict=True)):
            if row and len(row) != len(files.columns):
                problem = f"record {number + 1} has {len(row)} fields instead of {len(files.columns)}"
                raise ValueError(problem)


def _pyarrow_parquet() -> Any:
    try:
        import pyarrow.parquet  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingPackageError("reading Parquet needs pyarrow, which is missing", "duckdb") from error
    return pyarrow.parquet

"""Several files as one dataset: which ones, and whether they go together."""

from __future__ import annotations

import csv
import glob
import io
import os
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.engines.settings import needed
from steadyrank.errors import (
    FileNotThereError,
    InvalidDataError,
    SchemaDiffersError,
    UnreadableFileError,
    listing,
    shorten,
)
from steadyrank.reading.files import open_source
from steadyrank.reading.formats import format_of, text_layout

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = 1 << 18
"""How many rows of a Parquet file are looked at together."""


@dataclass(frozen=True)
class Files:
    """Files of one format with the same columns.

    Parameters
    ----------
    paths : tuple of str
        In the order of their names.
    columns : dict
        From the names of the columns to their types: in text, to their places.
    delimiter : str, optional
        What stands between the fields of text; without it the files are Parquet.
    """

    paths: tuple[str, ...]
    columns: dict[str, str]
    delimiter: str | None = None

    @property
    def text(self) -> bool:
        """Whether all values are still text."""
        return self.delimiter is not None

    def in_strict_order(self, one: str, two: str) -> bool:
        """Tell whether all rows go up by two columns of whole numbers, in either order of the two.

        It stops at the first row that does not. A file that cannot be read is not in order.
        """
        try:
            return not self.text and self._goes_up([one, two])
        except (OSError, ValueError):
            return False

    def _goes_up(self, names: list[str]) -> bool:
        before: list[Any] = []
        possible = {(0, 1), (1, 0)}
        for path in self.paths:
            for batch in _batches(path, names):
                columns = [batch.column(batch.schema.get_field_index(name)) for name in names]
                whole = all(str(column.type).lstrip("u").startswith("int") for column in columns)
                if not whole or any(column.null_count for column in columns):
                    return False
                pair = [column.to_numpy(zero_copy_only=False) for column in columns]
                pieces = [pair]
                if before:  # the first row follows the last one of what came before
                    pieces.append([np.append(a, b[:1]) for a, b in zip(before, pair, strict=True)])
                possible = {way for way in possible if all(_rises(piece, way) for piece in pieces)}
                if not possible:
                    return False
                before = [column[-1:] for column in pair] if batch.num_rows else before
        return True

    def damaged(self) -> tuple[str, str] | None:
        """Read every file to its end; return the first that fails and why, or None."""
        for path in self.paths:
            try:
                self._read_through(path)
            except Exception as error:
                return path, " ".join(f"{type(error).__name__}: {error}".split())
        return None

    def _read_through(self, path: str) -> None:
        if self.delimiter is None:
            for batch in _batches(path):
                batch.validate()
            return
        with closing(open_source(path)) as file:
            blocks = (io.StringIO(block.decode(), newline="") for block in file.blocks())
            lines = (line for block in blocks for line in block)
            for number, row in enumerate(csv.reader(lines, delimiter=self.delimiter, strict=True)):
                if row and len(row) != len(self.columns):
                    problem = f"has {len(row)} fields instead of {len(self.columns)}"
                    raise ValueError(f"record {number + 1} {problem}")


def _rises(columns: list[Any], way: tuple[int, int]) -> bool:
    """Tell whether rows go up strictly by one column, and where that is equal by the other."""
    first, second = (columns[place] for place in way)
    equal = first[1:] == first[:-1]
    return bool(((first[1:] > first[:-1]) | (equal & (second[1:] > second[:-1]))).all())


def find_files(pattern: str | os.PathLike[str]) -> Files:
    """Return the files that a path, a folder or a glob names, after looking at their columns.

    Only what the files say about themselves is read: the footer of Parquet, the header of text.
    """
    pattern = os.fspath(pattern)
    every = [_file(path) for path in _matching(pattern)]
    formats = {f"text separated by {file.delimiter!r}" if file.text else "parquet" for file in every}
    if len(formats) > 1:
        raise InvalidDataError(
            f"{shorten(pattern)} matches files of several formats: {listing(sorted(formats))}",
            way_out="Name the files of one format, for example with *.parquet.",
        )
    for file in every:
        if file.columns != every[0].columns:
            raise SchemaDiffersError(
                _difference(every[0], file),
                way_out="Write the files again with equal columns, or scan them apart.",
            )
    return replace(every[0], paths=tuple(path for file in every for path in file.paths))


def named(path: str) -> str:
    """Return a path for a message, whole: its end is what tells files apart."""
    return shorten(path, 1000)


def _matching(pattern: str) -> list[str]:
    if Path(pattern).is_dir():
        pattern = str(Path(pattern) / "*.parquet")
    if Path(pattern).is_file():
        return [pattern]
    found = glob.glob(pattern, recursive=True)  # noqa: PTH207 (relative or not, as given)
    files = sorted(path for path in found if Path(path).is_file())
    if not files:
        raise FileNotThereError(f"no file matches {shorten(pattern)}.")
    return files


def _file(path: str) -> Files:
    """Look at a file as reading it would: its format is told by its content."""
    with closing(open_source(path)) as file:
        found = format_of(file)
        if found.on_engine == "delimited":
            layout = text_layout(file, found)
            # Engines tell columns of text by their places, so these must agree as types must.
            places = {name: f"text in place {place}" for place, name in enumerate(layout.names)}
            return Files((path,), places, layout.delimiter)
    if found.on_engine is None or path.lower().endswith(".gz"):
        raise InvalidDataError(
            f"{named(path)} is not a file that can be scanned",
            way_out="Engines scan Parquet, CSV and TSV (text may be gzipped). Read other formats into "
            "memory with read(...).",
        )
    try:
        schema = _parquet().read_schema(path)
    except (OSError, ValueError) as error:  # the second is what a damaged footer makes of it
        raise UnreadableFileError(
            f"{named(path)} cannot be read as Parquet: {error}",
            way_out="Replace this file, or leave it out of the pattern.",
        ) from error
    return Files((path,), {field.name: str(field.type) for field in schema})


def _difference(first: Files, other: Files) -> str:
    here, there = named(other.paths[0]), named(first.paths[0])
    found, expected = other.columns, first.columns
    if list(expected) != list(found):
        columns, wanted = (listing(map(shorten, names)) for names in (found, expected))
        return f"{here} has the columns {columns}, but {there} has {wanted}"
    name = next(name for name in expected if expected[name] != found[name])
    return f"column {shorten(name)} is {found[name]} in {here}, but {expected[name]} in {there}"


def _batches(path: str, columns: list[str] | None = None) -> Iterator[Any]:
    """Yield the rows of a Parquet file, many at a time."""
    yield from _parquet().ParquetFile(path).iter_batches(batch_size=ROWS, columns=columns)


def _parquet() -> Any:
    return needed("pyarrow.parquet", "reading Parquet needs pyarrow", "duckdb")

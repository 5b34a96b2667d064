"""Several Parquet files as one dataset: which ones, and whether they go together.

Parquet says what its columns hold. Of text, every engine has a reader of its own, each with its own
idea of quotes, line ends, missing values and numbers: it is read into memory, by one reader.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from steadyrank import errors
from steadyrank.engines.backends import needed
from steadyrank.errors import InvalidDataError, listing, shorten

ROWS = 1 << 18
"""How many rows of a Parquet file are looked at together."""
PARQUET = b"PAR1"
EQUAL_COLUMNS = (
    "Write them again with equal columns, or read "
    "duckdb.read_parquet(..., union_by_name=True)."
)
NOT_PARQUET = "Write it as Parquet, or read it into memory, without an engine."


@dataclass(frozen=True, eq=False)
class Files:
    """Parquet files with the same columns.

    Parameters
    ----------
    paths : tuple of str
        In the order of their names.
    columns : dict
        From the names of the columns to their types.
    """

    paths: tuple[str, ...]
    columns: dict[str, str]

    @property
    def plain(self) -> bool:
        """Whether every engine reads the columns of these files as memory does."""
        names = {
            name.casefold() for name in self.columns
        }  # some engines do not tell x from X
        return "" not in names and len(names) == len(self.columns)

    def put_down(self, columns: Mapping[str, str], folder: Path) -> Iterator[str]:
        """Write some columns anew under names that every engine knows; yield the paths.

        The columns are given from the names that they get to those that they have.
        """
        arrow = needed("pyarrow", "reading Parquet needs pyarrow", "duckdb")
        parquet = needed("pyarrow.parquet", "reading Parquet needs pyarrow", "duckdb")
        batches = (batch for path in self.paths for batch in _batches(path))
        for number, batch in enumerate(batches):
            rows = arrow.table(
                [batch.column(name) for name in columns.values()], list(columns)
            )
            path = str(folder / f"part-{number}.parquet")
            # Only what Parquet itself says: to some readers Arrow's notes make text categories.
            parquet.write_table(rows, path, store_schema=False)
            yield path

    def first(self, n: int) -> dict[str, list[Any]]:
        """Return the first values of each column."""
        empty, *batches = islice(_batches(self.paths[0], rows=n), 2)
        rows: dict[str, list[Any]] = (batches or [empty])[0].to_pydict()
        return rows

    def damaged(self) -> tuple[str, str] | None:
        """Read every file to its end; return the first that fails and why, or None."""
        for path in self.paths:
            try:
                for batch in _batches(path):
                    batch.validate()
            except Exception as error:
                return path, " ".join(f"{type(error).__name__}: {error}".split())
        return None


def in_strict_order(paths: Iterable[str], one: str, two: str) -> bool:
    """Tell whether rows of Parquet files go up by two columns of whole numbers: then no pair repeats."""
    before: tuple[Any, Any] | None = None
    for path in paths:
        for batch in _batches(path, [one, two]):
            columns = [batch.column(name) for name in (one, two)]
            if any(
                "int" not in str(column.type) or column.null_count for column in columns
            ):
                return False
            first, second = (column.to_numpy() for column in columns)
            if before is not None:
                first, second = (
                    np.append(before[0], first),
                    np.append(before[1], second),
                )
            level = (first[1:] == first[:-1]) & (second[1:] > second[:-1])
            if not (level | (first[1:] > first[:-1])).all():
                return False
            before = first[-1:], second[-1:]
    return True


def find_files(pattern: str | os.PathLike[str]) -> Files:
    """Return the files that a path, a folder or a glob names, after looking at their columns.

    Only their beginnings are read, and what Parquet says about itself.
    """
    first, *others = every = [_file(path) for path in _matching(os.fspath(pattern))]
    for other in others:
        if other.columns != first.columns:
            raise errors.UnreadableFileError(
                _difference(first, other), way_out=EQUAL_COLUMNS
            )
    return replace(first, paths=tuple(path for file in every for path in file.paths))


def named(path: str) -> str:
    """Return a path for a message, whole: its end is what tells files apart."""
    return shorten(path, 1000)


def _matching(pattern: str) -> list[str]:
    if Path(pattern).is_file():
        return [pattern]
    if Path(pattern).is_dir():
        pattern = str(Path(glob.escape(pattern)) / "*.parquet")
    elif Path(pattern).exists():
        raise InvalidDataError(
            f"{named(pattern)} is a pipe or a device, and an engine looks at its files more than once",
            way_out="Write it to a file first, or read it into memory.",
        )
    found = glob.glob(pattern, recursive=True)  # noqa: PTH207 (relative or not, as given)
    files = sorted(path for path in found if Path(path).is_file())
    if not files:
        raise errors.FileNotThereError(f"no file matches {shorten(pattern)}.")
    return files


def _file(path: str) -> Files:
    """Look at what a Parquet file says of its columns."""
    with Path(path).open("rb") as file:
        begins = file.read(len(PARQUET))
    if begins != PARQUET:
        raise InvalidDataError(
            f"engines scan Parquet files, and {named(path)} is none",
            way_out=NOT_PARQUET,
        )
    try:
        empty = next(_batches(path))
    except (OSError, ValueError) as error:  # the second of a damaged footer
        raise errors.UnreadableFileError(
            f"{named(path)} cannot be read as Parquet: {' '.join(str(error).split())}",
            way_out="Replace this file, or leave it out of the pattern.",
        ) from error
    return Files((path,), {part.name: str(part.type) for part in empty.schema})


def _difference(first: Files, other: Files) -> str:
    here, there = named(other.paths[0]), named(first.paths[0])
    found, expected = other.columns, first.columns
    if expected.keys() != found.keys():
        columns, wanted = (listing(map(shorten, names)) for names in (found, expected))
        return f"{here} has the columns {columns}, but {there} has {wanted}"
    name = next(name for name in expected if expected[name] != found[name])
    return f"column {shorten(name)} is {found[name]} in {here}, but {expected[name]} in {there}"


def _batches(
    path: str, columns: list[str] | None = None, rows: int = ROWS
) -> Iterator[Any]:
    """Yield the rows of a Parquet file as Arrow tables, many at a time, at least an empty one."""
    arrow = needed("pyarrow", "reading Parquet needs pyarrow", "duckdb")
    parquet = needed("pyarrow.parquet", "reading Parquet needs pyarrow", "duckdb")
    with Path(path).open("rb") as file:  # Arrow itself does not open every name
        opened = parquet.ParquetFile(file)
        yield opened.schema_arrow.empty_table()
        for batch in opened.iter_batches(batch_size=rows, columns=columns):
            yield arrow.Table.from_batches([batch])

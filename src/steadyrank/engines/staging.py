"""Files put down again as plain Parquet, so that every engine finds in them what memory reads.

Every engine has a reader of text of its own, each with its own idea of quotes, line ends, missing
values and numbers. None of them is used: memory's reader reads the text, a stretch of rows at a time,
and the columns that are needed go into the engine's temporary folder with the types that they have
in memory.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from steadyrank._typing import AnyArray
from steadyrank.engines.backends import needed
from steadyrank.engines.paths import Files
from steadyrank.errors import EmptyDataError, InvalidDataError
from steadyrank.reading.arrays import Coded
from steadyrank.reading.dropping import Dropping
from steadyrank.reading.table import Table
from steadyrank.reading.text_columns import PLAIN, Spelling

WIDER = ("int64", "double", "string")
"""Types that the stretches of one column of text may have; all get the last of those that occur."""
PLAIN_PATH = re.compile(r"([A-Za-z]:)?(/[A-Za-z0-9][A-Za-z0-9._ +-]*)+\Z")
"""Paths in which no engine sees a pattern, a partition or a hidden file."""


@dataclass
class Stage:
    """What has been put down so far.

    Parameters
    ----------
    folder : Path
        Where.
    columns : mapping
        From the names that the columns get to those that they have in the files.
    numbers : collection of str
        Which of them are numbers; the others are labels.
    dropping : Dropping
        The rows of text that are not put down.
    empty : callable
        What to complain where there are no others.

    Attributes
    ----------
    paths : list of str
    wrong : dict
        Of columns that are no numbers after all, the first refusal: other columns may be refused
        before it.
    """

    folder: Path
    columns: Mapping[str, str]
    numbers: Collection[str]
    dropping: Dropping
    empty: Callable[[], EmptyDataError]
    paths: list[str] = field(default_factory=list)
    wrong: dict[str, InvalidDataError] = field(default_factory=dict)
    _schema: Any = None
    _writer: Any = None

    def __post_init__(self) -> None:
        self._arrow = needed("pyarrow", "scanning text needs pyarrow", "duckdb")
        self._parquet = needed("pyarrow.parquet", "scanning text needs pyarrow", "duckdb")

    def put(self, files: Files, spellings: Mapping[str, tuple[Spelling, ...]]) -> list[str]:
        """Put the columns of all files down, and return what to say of them.

        Nearly all numbers are spelt plainly; where they are not, all rows together say how they are.
        """
        self._spellings: dict[str, tuple[Spelling, ...]] = {"": (PLAIN,)}
        plain = PLAIN in spellings[""]
        notes = self._put(files) if plain else []
        if files.text and (self.wrong or not plain):
            names = [self.columns[part] for part in self.numbers]
            found = files.spellings(names, self.dropping.kept)
            found = {
                name: tuple(one for one in left if one in spellings.get(name, spellings[""]))
                for name, left in found.items()
            }
            wrong = {part: error for part, error in self.wrong.items() if not found[self.columns[part]]}
            self._spellings, self.wrong, self.paths, self._schema = found | {"": ()}, wrong, [], None
            notes = self._put(files)
        if not self.paths:
            raise self.empty()
        for part in self.columns:
            self._widen(part)
        return notes

    def _put(self, files: Files) -> list[str]:
        self.dropping.begin()
        notes: list[str] = []
        try:
            if files.text:
                notes = files.hand_over(self._take)
            else:
                self._rename(files)
        finally:
            self._end_file()
        return notes

    def _take(self, table: Table) -> None:
        table = replace(self.dropping.kept(table), spellings=self._spellings)
        if not len(table):
            return
        arrays = {
            part: self._numbers(table, part) if part in self.numbers else self._labels(table, part)
            for part in self.columns
        }
        self._write(self._arrow.table(arrays))

    def _rename(self, files: Files) -> None:
        """Put columns of Parquet down as they are, under their new names."""
        for batch in files.batches():
            columns = [batch.column(name) for name in self.columns.values()]
            self._write(self._arrow.table(columns, list(self.columns)))

    def _write(self, rows: Any) -> None:
        if rows.schema != self._schema:
            self._end_file()
            self._schema = rows.schema
            self.paths.append(str(self.folder / f"part-{len(self.paths)}.parquet"))
            # Only what Parquet itself says: to some readers Arrow's notes make text categories.
            self._writer = self._parquet.ParquetWriter(self.paths[-1], rows.schema, store_schema=False)
        self._writer.write_table(rows)

    def _end_file(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._writer = None

    def _numbers(self, table: Table, part: str) -> Any:
        """Return a column of numbers; missing ones become null."""
        try:
            values = table.numbers(self.columns[part], missing=True)
        except InvalidDataError as error:
            self.wrong.setdefault(part, error)
            values = np.full(len(table), np.nan)
        return self._arrow.array(_wide(values), from_pandas=True)

    def _labels(self, table: Table, part: str) -> Any:
        """Return a column of labels; missing ones become null."""
        found = table.columns[self.columns[part]].coded()
        if isinstance(found, Coded):
            gone = np.array([label is None for label in found.distinct], dtype=bool)
            codes = self._arrow.array(found.codes, mask=gone[found.codes])
            words = self._arrow.array([label or "" for label in found.distinct], "string")
            return self._arrow.DictionaryArray.from_arrays(codes, words)
        return self._arrow.array(_wide(found))

    def _widen(self, part: str) -> None:
        """Give a column whose stretches differ in type the widest of these everywhere."""
        types = {path: str(self._parquet.read_schema(path).field(part).type) for path in self.paths}
        if len(set(types.values())) == 1:
            return
        widest = max(types.values(), key=WIDER.index)
        for path in (path for path, found in types.items() if found != widest):
            self._cast(path, part, widest)

    def _cast(self, path: str, part: str, wanted: str) -> None:
        aside = f"{path}.aside"
        before = self._parquet.ParquetFile(path)
        place = before.schema_arrow.get_field_index(part)
        schema = before.schema_arrow.set(place, self._arrow.field(part, wanted))
        with self._parquet.ParquetWriter(aside, schema, store_schema=False) as writer:
            for batch in before.iter_batches():
                column = batch.column(place).cast(wanted, safe=False)  # rounded as memory rounds
                writer.write_batch(batch.set_column(place, part, column).cast(schema))
        Path(aside).replace(path)


def _wide(values: AnyArray) -> AnyArray:
    """Return values in a type that does not depend on how large they are."""
    return values.astype(np.int64 if values.dtype.kind == "i" else np.float64, copy=False)


def plain_paths(paths: Iterable[str], folder: Path) -> list[str]:
    """Return the paths as every engine takes them literally: odd ones by a link in a folder."""
    found = []
    for number, path in enumerate(paths):
        whole = Path(os.path.abspath(path))  # noqa: PTH100 (links stay as they are)
        if PLAIN_PATH.match(whole.as_posix()) is None:
            link = folder / f"file-{number}.parquet"
            try:
                link.symlink_to(whole)
            except OSError:  # not every system lets everybody make links
                shutil.copyfile(whole, link)
            whole = link
        found.append(str(whole))
    return found

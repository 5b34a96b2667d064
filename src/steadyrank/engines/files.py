"""Several files as one dataset: which ones, whether they go together, and text put down as Parquet.

Every engine has a reader of text of its own, each with its own idea of quotes, line ends, missing
values and numbers. None of them is used: memory's reader reads the text, a stretch of rows at a time,
and the columns that are needed go into the engine's temporary folder with the types that they have
in memory.
"""

from __future__ import annotations

import glob
import gzip
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from steadyrank import errors
from steadyrank._typing import AnyArray
from steadyrank.engines.backends import needed
from steadyrank.errors import EmptyDataError, InvalidDataError, listing, shorten
from steadyrank.reading import profile
from steadyrank.reading.arrays import Coded
from steadyrank.reading.declarations import Columns
from steadyrank.reading.files import open_source
from steadyrank.reading.formats import delimiter_of, format_of
from steadyrank.reading.roles import taken_by
from steadyrank.reading.table import Dropping, Table, as_table
from steadyrank.reading.text_columns import PLAIN, SPELLINGS, Spelling

ROWS, BEGINNING = 1 << 18, 1 << 23
"""How many rows of a Parquet file are looked at together, and how many bytes of text at first."""
NUMERIC = ("int", "uint", "float", "double", "halffloat", "bool")
PARQUET = "parquet"
WIDER = ("int64", "double", "string")
"""Types that the stretches of one column of text may have; all get the last of those that occur."""


@dataclass
class FirstRows(Table):
    """The first rows of a dataset, by which columns get their roles; what they hold, all rows tell."""

    numeric: Callable[[str, tuple[Spelling, ...]], bool] = field(kw_only=True)

    def is_numeric(self, name: str) -> bool:
        """Tell whether a column holds numbers and missing values only, in all rows."""
        return self.numeric(name, self.spelt(name))


@dataclass(frozen=True, eq=False)
class Files:
    """Files of one format; columns that play no role may differ.

    Parameters
    ----------
    paths : tuple of str
        In the order of their names.
    columns : dict
        From the names of the columns to their types: in text, to their places.
    layout : str
        ``"parquet"``, or what stands between the fields of text.
    first : Table
        The first rows of the first file.
    format : str, optional
        As the user called it; told by the content where not given.
    encoding, header : str, optional
        Of text, and how many lines its header has; told by the content where not given.
    others : tuple of Files
        Those among them whose columns differ, or stand in another order.
    """

    paths: tuple[str, ...]
    columns: dict[str, str]
    layout: str
    first: Table
    format: str | None = None
    encoding: str | None = None
    header: str | None = None
    others: tuple[Files, ...] = ()

    @property
    def common(self) -> list[str]:
        """The columns that all files have."""
        return [name for name in self.columns if all(name in other.columns for other in self.others)]

    def check_roles(self, roles: Callable[[Table], Columns]) -> None:
        """Complain about a file in which other columns play roles than in the first, or other types."""
        expected = roles(self.first_rows())
        types = {} if self.text else {name: self.columns[name] for name in taken_by(expected)}
        for other in self.others:
            with suppress(InvalidDataError):
                if roles(other.first_rows()) == expected and types.items() <= other.columns.items():
                    continue
            raise errors.UnreadableFileError(
                _difference(self, other),
                way_out="Write the files again with equal columns, or scan them apart.",
            )

    @property
    def text(self) -> bool:
        """Whether all values are still text."""
        return self.layout != PARQUET

    @property
    def plain(self) -> bool:
        """Whether every engine reads the columns of these files as memory does."""
        names = {name.casefold() for name in self.columns}  # some engines do not tell x from X
        odd = self.text or self.others or "" in names
        return not odd and len(names) == len(self.columns)

    def first_rows(self) -> FirstRows:
        """Return the first rows as a table of its own, which takes up notes."""
        first = self.first
        knows = ("header",) if self.text else ()
        return FirstRows(
            first.columns, first.source, format=first.format, answers_to=knows, numeric=self._is_numeric
        )

    def _is_numeric(self, name: str, among: tuple[Spelling, ...]) -> bool:
        if not self.text:
            return self.columns[name].startswith(NUMERIC)
        if any(name not in other.columns for other in self.others):  # said where it plays a role
            return self.first.columns[name].is_numeric(among)
        left = self._spellings[name]  # a column without any number might be spelt in all ways
        return left != SPELLINGS and not set(left).isdisjoint(among)

    @cached_property
    def _spellings(self) -> dict[str, tuple[Spelling, ...]]:
        return self.spellings(self.columns)

    def spellings(
        self, names: Iterable[str], kept: Callable[[Table], Table] = lambda table: table
    ) -> dict[str, tuple[Spelling, ...]]:
        """Return how the numbers of columns of text may be spelt, in all rows that are kept."""
        found = dict.fromkeys(names, SPELLINGS)

        def look(table: Table) -> None:
            columns = kept(table).columns
            for name, left in found.items():
                found[name] = columns[name].spellings(left) if left and name in columns else ()

        self.hand_over(look)
        return found

    def hand_over(self, take: Callable[[Table], None]) -> list[str]:
        """Read files of text as memory does, hand each stretch of rows on, and return what to say."""
        notes: dict[str, None] = {}
        for path in self.paths:
            with closing(open_source(path, encoding=self.encoding)) as file:
                file.given, read = {"header": self.header}, format_of(file, self.format).stretches
                said: list[str] = []
                for table in read(file) if read else ():
                    take(table)
                    said = table.notes
                notes |= dict.fromkeys(said)
        return list(notes)

    def damaged(self) -> tuple[str, str] | None:
        """Read every Parquet file to its end; return the first that fails and why, or None."""
        for path in () if self.text else self.paths:
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
            if any("int" not in str(column.type) or column.null_count for column in columns):
                return False
            first, second = (column.to_numpy() for column in columns)
            if before is not None:
                first, second = np.append(before[0], first), np.append(before[1], second)
            level = (first[1:] == first[:-1]) & (second[1:] > second[:-1])
            if not (level | (first[1:] > first[:-1])).all():
                return False
            before = first[-1:], second[-1:]
    return True


def find_files(
    pattern: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002 (the word users know from other readers)
    encoding: str | None = None,
    header: str | None = None,
) -> Files:
    """Return the files that a path, a folder or a glob names, after looking at their columns.

    Only their beginnings are read, and what Parquet says about itself.
    """
    pattern = os.fspath(pattern)
    every = [_file(path, format, encoding, header) for path in _matching(pattern)]
    layouts = {file.layout for file in every}
    if len(layouts) > 1:
        raise InvalidDataError(
            f"{shorten(pattern)} matches files of several formats: {listing(sorted(layouts))}",
            way_out="Name the files of one format, for example with *.parquet.",
        )
    others = tuple(file for file in every if file.columns != every[0].columns)
    return replace(every[0], paths=tuple(path for file in every for path in file.paths), others=others)


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


def _file(path: str, name: str | None, encoding: str | None, header: str | None) -> Files:
    """Look at a file as reading it would: its format is told by its content."""
    with closing(open_source(path, encoding=encoding)) as file:
        file.given, file.block, found = {"header": header}, BEGINNING, format_of(file, name)
        if found.stretches and not file.is_folder:
            between = "\t" if found.name == "tsv" else delimiter_of(file)
            first = next(found.stretches(file))
            first.format = found.name
            places = {name: f"text in place {place}" for place, name in enumerate(first.names)}
            layout = f"text separated by {between!r}"
            return Files((path,), places, layout, first, name, encoding, header)
        if found.name != PARQUET or isinstance(file.stream, gzip.GzipFile):
            raise InvalidDataError(
                f"{named(path)} is not a file that can be scanned",
                way_out="Engines scan Parquet, CSV and TSV (text may be gzipped). Read other formats "
                "into memory with read(...).",
            )
    try:
        empty, *some = islice(_batches(path, rows=profile.ROWS), 2)
        first = as_table(some[0] if some else empty)
    except (OSError, ValueError) as error:  # the second is what a damaged footer makes of it
        raise errors.UnreadableFileError(
            f"{named(path)} cannot be read as Parquet: {' '.join(str(error).split())}",
            way_out="Replace this file, or leave it out of the pattern.",
        ) from error
    first.source, first.format = Path(path).name, found.name
    types = {field.name: str(field.type) for field in empty.schema}
    return Files((path,), types, PARQUET, first)


def _difference(first: Files, other: Files) -> str:
    here, there = named(other.paths[0]), named(first.paths[0])
    found, expected = other.columns, first.columns
    if list(expected) != list(found):
        columns, wanted = (listing(map(shorten, names)) for names in (found, expected))
        return f"{here} has the columns {columns}, but {there} has {wanted}"
    name = next(name for name in expected if expected[name] != found[name])
    return f"column {shorten(name)} is {found[name]} in {here}, but {expected[name]} in {there}"


def _batches(path: str, columns: list[str] | None = None, rows: int = ROWS) -> Iterator[Any]:
    """Yield the rows of a Parquet file as Arrow tables, many at a time, at least an empty one."""
    arrow = needed("pyarrow", "reading Parquet needs pyarrow", "duckdb")
    parquet = needed("pyarrow.parquet", "reading Parquet needs pyarrow", "duckdb")
    with Path(path).open("rb") as file:  # Arrow itself does not open every name
        opened = parquet.ParquetFile(file)
        yield opened.schema_arrow.empty_table()
        for batch in opened.iter_batches(batch_size=rows, columns=columns):
            yield arrow.Table.from_batches([batch])


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
            self._spellings, self.wrong, self.paths = found | {"": ()}, wrong, []
            notes = self._put(files)
        if not self.paths:
            raise self.empty()
        if files.text:
            self._widen()
        return notes

    def _put(self, files: Files) -> list[str]:
        self.dropping.begin()
        if files.text:
            return files.hand_over(self._take)
        for batch in (batch for path in files.paths for batch in _batches(path)):
            columns = [batch.column(name) for name in self.columns.values()]
            self._write(self._arrow.table(columns, list(self.columns)))
        return []

    def _take(self, table: Table) -> None:
        table = replace(self.dropping.kept(table), spellings=self._spellings)
        if len(table):
            made = {part: (self._labels, self._numbers)[part in self.numbers] for part in self.columns}
            self._write(self._arrow.table({part: make(table, part) for part, make in made.items()}))

    def _write(self, rows: Any) -> None:
        self.paths.append(str(self.folder / f"part-{len(self.paths)}.parquet"))
        # Only what Parquet itself says: to some readers Arrow's notes make text categories.
        self._parquet.write_table(rows, self.paths[-1], store_schema=False)

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

    def _widen(self) -> None:
        """Give columns whose stretches differ in type the widest of these everywhere."""
        found = {path: self._parquet.read_schema(path) for path in self.paths}
        types = {part: {str(one.field(part).type) for one in found.values()} for part in self.columns}
        widest = self._arrow.schema((part, max(some, key=WIDER.index)) for part, some in types.items())
        for path in (path for path, schema in found.items() if schema != widest):
            rows = self._parquet.read_table(path).cast(widest, safe=False)  # rounded as memory rounds
            self._parquet.write_table(rows, path, store_schema=False)


def _wide(values: AnyArray) -> AnyArray:
    """Return values in a type that does not depend on how large they are."""
    return values.astype(np.int64 if values.dtype.kind == "i" else np.float64, copy=False)

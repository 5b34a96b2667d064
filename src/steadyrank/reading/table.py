"""Tables: named columns from a dataframe, a mapping or a file, and rows that leave them.

The only door to dataframes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Self, TypeAlias

import numpy as np

from steadyrank import arrays, errors
from steadyrank._typing import AnyArray, FloatArray
from steadyrank.errors import InvalidDataError, Option, listing, shorten
from steadyrank.reading.text_columns import (
    SPELLINGS,
    Spelling,
    TextColumn,
    is_missing_word,
)
from steadyrank.text import counted

Column: TypeAlias = "GivenColumn | TextColumn"
"""A column, whatever it was read from: it gives its fields as labels, numbers or cells."""

ITEMS = Option("items", several=True)
NAME_THEM = ("Name the columns of the items as ", ITEMS, ", or correct these columns.")
FRAMES = "Pass a pandas, polars, pyarrow or DuckDB frame, or a dict of columns."
COLLECT = 'Collect it first: frame.collect(). Or give its files to DuckDB: scan("data/*.parquet").'


class Guess(str):
    """A note of something that was guessed.

    Parameters
    ----------
    note : str
        What was guessed, in full.
    brief : str
        The same in a few words, to stand first; empty where the data say it themselves.
    option : Option
        What changes it.

    Examples
    --------
    >>> Guess("recognised as votes by the column 'choice'", "votes", Option("kind")).option.typed()
    '--kind ...'
    """

    brief: str
    option: Option

    def __new__(cls, note: str, brief: str, option: Option) -> Self:
        """Make the note."""
        made = super().__new__(cls, note)
        made.brief, made.option = brief, option
        return made

    def __getnewargs__(self) -> tuple[str, str, Option]:  # type: ignore[override]
        return str(self), self.brief, self.option


class GivenColumn:
    """A column of a dataframe or a mapping: values that already have their types.

    Parameters
    ----------
    values : array, series or iterable
    name : str
    is_index : bool
        Whether it is a level of a dataframe's index, which names rows: never a score or a feature.
    """

    def __init__(self, values: Any, name: str, *, is_index: bool = False) -> None:
        self._given = (
            values
            if isinstance(values, arrays.Coded)
            else arrays.as_column(values, name)
        )
        self.is_index = is_index

    @cached_property
    def _values(self) -> AnyArray:
        return arrays.as_column(self._given, "")

    @property
    def is_whole(self) -> bool:
        """Whether all values are whole numbers."""
        return isinstance(self._given, np.ndarray) and self._given.dtype.kind in "iu"

    def __len__(self) -> int:
        return len(self._given)

    def labels(self) -> AnyArray:
        """Return the values."""
        return self._values

    def coded(self) -> AnyArray | arrays.Coded:
        """Return the values, text as codes where it came so."""
        return self._given

    def numbers(self, *_: Any) -> AnyArray:  # how they are spelt is no question here
        """Return the values, which the table checks."""
        return self._values

    def written(self) -> tuple[AnyArray, list[str]]:
        """Return a code for each row, and the texts that they stand for, without blanks around them."""
        if self._values.dtype == object:
            return arrays.numbered(
                [arrays.written(value) for value in self._values.tolist()]
            )
        codes, distinct = arrays.sorted_codes(self._values)
        return codes, [arrays.written(value) for value in distinct]

    def taken(self, rows: AnyArray | slice) -> GivenColumn:
        """Return some rows."""
        return GivenColumn(self._values[rows], "", is_index=self.is_index)

    def cells(self) -> list[Any]:
        """Return the values as a list."""
        listed: list[Any] = self._values.tolist()
        return listed

    def is_numeric(self, *_: Any) -> bool:
        """Tell whether all values are numbers or missing, and at least one is a number."""
        values = (
            self._given.distinct
            if isinstance(self._given, arrays.Coded)
            else self._given
        )
        if self.is_index or values.dtype != object:
            return not self.is_index
        kinds = {type(value) for value in values if not arrays.is_missing(value)}
        return bool(kinds) and all(issubclass(kind, int | float) for kind in kinds)

    def share_of_numbers(self) -> float:
        """Return which share of the values that are there are numbers."""
        there = [
            value
            for value in self.cells()
            if not (self.is_index or arrays.is_missing(value))
        ]
        return sum(isinstance(value, int | float) for value in there) / max(
            1, len(there)
        )


def simplify(name: object) -> str:
    """Return a name without case, spaces and punctuation.

    Examples
    --------
    >>> simplify("User_ID"), simplify("ties (bothbad)")
    ('userid', 'tiesbothbad')
    """
    text = str(name).casefold()
    return text if text.isalnum() else "".join(filter(str.isalnum, text))


@dataclass
class Table:
    """Named columns of equal length, with the place that each row has in its file.

    Parameters
    ----------
    columns : dict
        From names to columns.
    source : str
        The name of the file, empty where there is none.
    lines : sequence, optional
        For each row, its line in the file, or another place.
    notes : list of str
        What was guessed so far.
    kind : str, optional
        The kind of data, where the format of the file says it.
    settings : dict
        Settings of that kind that the file says, too.
    guessed : dict
        What was chosen about the file where there was a choice, which commands are to say.
    format : str, optional
        The format of the file, where it came from one.
    spellings : mapping
        How the numbers of text may be spelt, for some columns; under "", for all others.
    answers_to : tuple of str
        Those arguments for some formats alone that this format knows.
    lead : str
        What stands before the place of a row in a message.
    library : str, optional
        That of the dataframe, where it came from one.
    """

    columns: Mapping[str, Column]
    source: str = ""
    lines: AnyArray | Sequence[object] | None = None
    notes: list[str] = field(default_factory=list)
    kind: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    guessed: dict[str, Any] = field(default_factory=dict)
    format: str | None = None
    spellings: Mapping[str, tuple[Spelling, ...]] = field(
        default_factory=lambda: {"": SPELLINGS}
    )
    answers_to: tuple[str, ...] = ()
    lead: str = "on line"
    library: str | None = None

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        return list(self.columns)

    @cached_property
    def by_simple_name(self) -> dict[str, list[str]]:
        """The names of the columns by their simple names; a file may have very many columns."""
        found: dict[str, list[str]] = {}
        for name in self.columns:
            found.setdefault(simplify(name), []).append(name)
        return found

    @property
    def index(self) -> list[str]:
        """The names of the columns that were levels of a dataframe's index."""
        return [
            name
            for name in self.names
            if getattr(self.columns[name], "is_index", False)
        ]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def taken(self, rows: AnyArray | slice) -> Table:
        """Return the table of some rows; what is said about it is said about this one, too."""
        columns = {name: column.taken(rows) for name, column in self.columns.items()}
        if self.lines is None:
            lines = np.arange(len(self))[rows]
            return replace(self, columns=columns, lines=lines, lead="at index")
        return replace(self, columns=columns, lines=np.asarray(self.lines)[rows])

    def labels(self, name: str) -> AnyArray:
        """Return a column as labels."""
        return self.columns[name].labels()

    def cells(self, name: str) -> list[Any]:
        """Return a column as it is: text of a file unread, lists of a dataframe as lists."""
        return self.columns[name].cells()

    def numbers(self, name: str, *, missing: bool = False) -> AnyArray:
        """Return a column as numbers, NaN where a value is missing and may be."""
        with self.errors():
            found = self.columns[name].numbers(name, self.spelt(name), self.notes)
            return arrays.as_numbers(found, name, missing=missing)

    def matrix(self, names: Sequence[str], *, missing: bool = False) -> FloatArray:
        """Return columns of numbers side by side."""
        if not names:
            return np.empty((len(self), 0))
        with self.errors():
            columns = {name: self.numbers(name, missing=missing) for name in names}
            found = [
                arrays.as_scores(one, name, missing=missing)
                for name, one in columns.items()
            ]
            return arrays.as_doubles(np.column_stack(found))

    def is_numeric(self, name: str) -> bool:
        """Tell whether a column holds numbers and missing values only, and some number."""
        return self.columns[name].is_numeric(self.spelt(name))

    def spelt(self, name: str) -> tuple[Spelling, ...]:
        """Return how the numbers of a column of text may be spelt."""
        return self.spellings.get(name, self.spellings[""])

    def number_columns(self, apart: Collection[str | None]) -> list[str]:
        """Return the columns that are items where the user named none: all that are not set apart."""
        names = [name for name in self.names if name not in apart]
        text = [name for name in names if len(self) and not self.is_numeric(name)]
        if text:
            told = f"columns that hold something else than numbers: {listing(map(shorten, text))}"
            raise errors.ColumnError(told, way_out=NAME_THEM)
        return names

    def check_header(
        self, name: str, labels: Collection[object], *, droppable: bool = True
    ) -> None:
        """Refuse labels of a text file among which the name of their column is.

        Then the first line is no header, or files were joined with theirs.
        """
        if self.format in {"csv", "tsv"} and name in labels:
            again = [
                ", or, where it is repeated, leave it out with ",
                Option("drop", name),
            ]
            called = f"{shorten(name)} is the name and a value"
            told = f"the first line is not a header, or is repeated: {called}"
            rows = [row for row, cell in enumerate(self.labels(name)) if cell == name]
            none = ["If there is none, say ", Option("header", "0")]
            way_out = [*none, *(again if droppable else [])]
            raise errors.InvalidLabelError(
                told, rows=rows, column=name, way_out=way_out
            )

    @contextmanager
    def errors(self, columns: Mapping[str, Any] | None = None) -> Iterator[None]:
        """Say errors in terms of this table: its columns, and lines of its file.

        Parameters
        ----------
        columns : mapping, optional
            From what an error may be about to the column it came from.
        """
        try:
            yield
        except InvalidDataError as error:
            if error.column is None and columns and error.subject is not None:
                found = columns.get(error.subject)
                error.column = found if isinstance(found, str) else None
            if not error.placed:
                lines = (
                    None
                    if self.lines is None
                    else np.asarray(self.lines)[error.rows].tolist()
                )
                error.place_in(self.source, lines, self.lead)
            raise


class Dropping:
    """Which answers are none, and how often each was met so far.

    Parameters
    ----------
    values : iterable, text or None
        What they are called; an empty text, or None in a list, stands for blank cells.
    columns : mapping
        The columns of answers, each with whether it holds numbers.

    Attributes
    ----------
    texts : tuple of str
    met : Counter
        For each text, how many rows, or entries of ballots, have it.
    rows : int
        How many rows left.
    """

    def __init__(self, values: Any, columns: Mapping[str, bool]) -> None:
        several = isinstance(values, Iterable) and not isinstance(values, str)
        listed = list(values) if several else [] if values is None else [values]
        self.texts = tuple(dict.fromkeys(map(arrays.written, listed)))
        self.columns = columns
        self.met: Counter[str] = Counter()
        self.rows = 0

    def kept(self, table: Table) -> Table:
        """Return a table without the rows that have one of these answers."""
        gone = np.zeros(len(table), dtype=bool)
        hits = {text: gone.copy() for text in self.texts}
        for name in self.columns if self.texts else ():
            if (
                self.texts == ("",) and table.columns[name].is_whole
            ):  # which has no blanks
                continue
            codes, answers = table.columns[name].written()
            for text in self.texts:
                gap = not text and self.columns[name]
                same = [
                    one == text or (gap and is_missing_word(one)) for one in answers
                ]
                hits[text] |= np.array(same, dtype=bool)[codes]
        for text, hit in hits.items():
            self.met[text] += int(hit.sum())
            gone |= hit
        self.rows += int(gone.sum())
        return table.taken(np.flatnonzero(~gone)) if gone.any() else table

    def blanked(self, table: Table, names: Iterable[str]) -> Table:
        """Return a table whose columns of scores are blank where they have one of these answers."""
        columns = dict(table.columns)
        for name in names if any(self.texts) else ():
            codes, answers = columns[name].written()
            hits = [
                place for place, one in enumerate(answers) if one and one in self.texts
            ]
            for place in hits:
                self.met[answers[place]] += int((codes == place).sum())
                answers[place] = ""
            if hits:
                if find_spec("polars") is None:
                    told = "to drop words among numbers, polars is needed"
                    raise errors.MissingPackageError(told, "cli")
                columns[name] = TextColumn.of(answers[code] for code in codes.tolist())
        return replace(table, columns=columns)

    def keeps(self, answer: object) -> bool:
        """Tell whether an entry of a ballot stays."""
        text = arrays.written(answer) if self.texts else ""
        found = text != "" and text in self.texts
        self.met[text] += found
        return not found

    def said(self) -> list[str]:
        """Return what to say; complain about an answer that nobody gave."""
        for text in self.texts:
            if text and not self.met[text]:
                raise errors.InvalidLabelError(
                    f"no answer is {shorten(text)}, which you asked to drop"
                )
        named = {text: shorten(text) if text else "blank" for text in self.texts}
        each = ", ".join(f"{name} {self.met[text]:,}" for text, name in named.items())
        what = "row" if self.rows or not any(self.met.values()) else "value"
        size = self.rows if what == "row" else self.met.total()
        return [f"{counted(size, what)} left out by drop: {each}"] if self.texts else []


def is_frame(given: Any) -> bool:
    """Tell whether something is a dataframe of any library, or a mapping of columns."""
    import narwhals as nw  # takes as long to load as a small file to read, which needs none

    return (
        isinstance(given, Mapping)
        or nw.from_native(given, pass_through=True) is not given
    )


def as_table(frame: Any) -> Table:
    """Return a table for a dataframe of any library, a mapping of columns, or a table itself.

    DuckDB relations are collected. An index of pandas that has a name, or is not of
    whole numbers, comes first, as columns that hold names.

    Examples
    --------
    >>> as_table({"a": [1, 2]}).names
    ['a']
    """
    if isinstance(frame, Table):
        return frame
    if isinstance(frame, Mapping):
        columns = {
            str(name): GivenColumn(values, str(name)) for name, values in frame.items()
        }
    else:
        columns = _columns_of_frame(frame)
    sizes = {name: len(column) for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        raise errors.ColumnError(f"the columns differ in length: {sizes}")
    library = (
        None if isinstance(frame, Mapping) else type(frame).__module__.partition(".")[0]
    )
    return Table(columns, library=library)


def _columns_of_frame(frame: Any) -> dict[str, GivenColumn]:
    import narwhals as nw

    try:
        found, levels = wrapped(frame)
    except TypeError:
        told = f"{shorten(type(frame).__name__)} is not a dataframe that can be read"
        raise InvalidDataError(told, way_out=FRAMES) from None
    eager = found.collect() if isinstance(found, nw.LazyFrame) else found
    columns: dict[str, GivenColumn] = {}
    for place, name in enumerate(eager.columns):
        try:
            values = arrays.coded(eager.get_column(name))
            columns[name] = GivenColumn(values, name, is_index=place < levels)
        except ValueError as error:  # such as text that is not UTF-8
            told = f"column {shorten(name)} cannot be read: {shorten(str(error), 120)}"
            raise errors.UnreadableFileError(
                told, way_out="Get or write it again."
            ) from None
    return columns


def wrapped(frame: Any) -> tuple[Any, int]:
    """Return a frame for narwhals, and how many of its first columns were an index of pandas.

    Whole numbers without a name tell nothing: they are left over from sorting and filtering.
    """
    import narwhals as nw

    if nw.dependencies.is_polars_lazyframe(frame):
        raise InvalidDataError("a polars LazyFrame holds no rows yet", way_out=COLLECT)
    index: Any = frame.index if nw.dependencies.is_pandas_dataframe(frame) else None
    told = index is not None and (
        index.dtype.kind not in "iu" or index.names[0] is not None
    )
    levels = len(index.names) if told else 0
    try:
        return nw.from_native(
            frame.reset_index(allow_duplicates=True) if levels else frame
        ), levels
    except Exception as error:
        if type(error).__name__ != "DuplicateError":
            raise
        raise errors.ColumnError(f"two columns have the same name: {error}") from None

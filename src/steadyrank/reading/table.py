"""Tables: named columns from a dataframe, a mapping or a file. The only door to dataframes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import narwhals as nw

from steadyrank.errors import ColumnError, InvalidDataError, listing, shorten
from steadyrank.reading.arrays import as_column, as_counts, as_numbers, is_missing
from steadyrank.reading.roles import COMMON_NAMES, guess
from steadyrank.reading.text_columns import TextColumn, WholeColumn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import AnyArray, IntArray


class Lines(Protocol):
    """For each row, its place in the file; a list will do."""

    def __getitem__(self, row: int, /) -> object:
        """Return the line of a row."""
        ...


@dataclass
class Table:
    """Named columns of equal length, with the place that each row has in its file.

    Parameters
    ----------
    columns : dict
        From names to text columns, arrays or series.
    source : str
        The name of the file, empty where there is none.
    lines : sequence, optional
        For each row, its line in the file.
    notes : list of str
        What was guessed so far.
    """

    columns: dict[str, Any]
    source: str = ""
    lines: Lines | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        return list(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def labels(self, name: str) -> AnyArray:
        """Return a column as labels."""
        column = self.columns[name]
        if isinstance(column, TextColumn | WholeColumn):
            return column.labels()
        return as_column(column, name)

    def cells(self, name: str) -> list[Any]:
        """Return a column as it is: text of a file unread, lists of a dataframe as lists."""
        column = self.columns[name]
        if isinstance(column, TextColumn):
            return [column.words[code] for code in column.codes]
        if isinstance(column, WholeColumn):
            return [str(value) for value in column.values.tolist()]
        listed: list[Any] = as_column(column, name).tolist()
        return listed

    def numbers(self, name: str, *, missing: bool = False) -> AnyArray:
        """Return a column as numbers, NaN where a value is missing and may be."""
        column = self.columns[name]
        if isinstance(column, TextColumn | WholeColumn):
            column = column.numbers(name)
        with self.errors():
            return as_numbers(column, name, missing=missing)

    def optional(self, name: str | None) -> AnyArray | None:
        """Return a column as numbers, or None where there is no such column."""
        return None if name is None else self.numbers(name)

    def counts(self, name: str) -> IntArray:
        """Return a column as whole numbers from 0 on."""
        with self.errors({"counts": name}):
            return as_counts(self.numbers(name), len(self))

    def is_numeric(self, name: str) -> bool:
        """Tell whether a column holds numbers and missing values only, and some number."""
        column = self.columns[name]
        if isinstance(column, TextColumn | WholeColumn):
            return column.is_numeric()
        values = as_column(column, name)
        if values.dtype != object:
            return True
        kinds = {type(value) for value in values if not is_missing(value)}
        return bool(kinds) and all(issubclass(kind, int | float) for kind in kinds)

    def names_for(
        self,
        required: Mapping[str, str | None],
        *,
        optional: Mapping[str, str | None] | None = None,
        only: str | None = None,
    ) -> dict[str, str]:
        """Return the column of each part, as given or else guessed; note each guess.

        Parameters
        ----------
        required, optional : mapping
            From the parts to the names that the user gave, or None.
        only : str, optional
            The part that a table's only remaining column plays, whatever its name.
        """
        found = self._given({**required, **(optional or {})})
        for part in [*required, *(optional or {})]:
            name = None if part in found else guess(part, self.names, found.values())
            if name is not None:
                found[part] = name
                self.notes.append(f"column {shorten(name)} taken as the {part}")
        rest = [name for name in self.names if name not in found.values()]
        if only is not None and only not in found and len(rest) == 1:
            found[only] = rest[0]
            self.notes.append(f"the only column left, {shorten(rest[0])}, taken as the {only}")
        for part in required:
            if part not in found:
                raise self.not_found(part)
        return found

    def _given(self, parts: Mapping[str, str | None]) -> dict[str, str]:
        given = {part: name for part, name in parts.items() if name is not None}
        for part, name in given.items():
            self.check_column(part, name)
        return given

    def check_column(self, part: str, name: object) -> None:
        """Complain unless the table has a column of this name."""
        if name not in self.columns:
            raise self._column_error(f"there is no column {shorten(name)} for the {part}", part)

    def not_found(self, part: str) -> ColumnError:
        """Return the error that no column can be guessed for ``part``."""
        tried = listing(COMMON_NAMES[part]) if part in COMMON_NAMES else ""
        text = f"no column looks like the {part}"
        return self._column_error(f"{text} (tried {tried})" if tried else text, part)

    def _column_error(self, problem: str, part: str) -> ColumnError:
        shown = [shorten(name, 30) for name in self.names]
        error = ColumnError(
            f"{problem}; the columns are {listing(shown) if shown else 'none'}",
            way_out=f"Give the name of the column as {part}=...",
        )
        error.place_in(self.source, None)
        return error

    @contextmanager
    def errors(self, columns: Mapping[str, str | None] | None = None) -> Iterator[None]:
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
                error.column = columns.get(error.subject)
            if not error.placed:
                lines = None if self.lines is None else [self.lines[row] for row in error.rows]
                error.place_in(self.source, lines)
            raise


def as_table(frame: Any) -> Table:
    """Return a table for a dataframe of any library, a mapping of columns, or a table itself.

    Lazy frames and DuckDB relations are collected.

    Examples
    --------
    >>> as_table({"a": [1, 2]}).names
    ['a']
    """
    if isinstance(frame, Table):
        return frame
    if isinstance(frame, Mapping):
        table = Table({str(name): as_column(column, str(name)) for name, column in frame.items()})
    else:
        table = Table(_columns_of_frame(frame))
    sizes = {name: len(column) for name, column in table.columns.items()}
    if len(set(sizes.values())) > 1:
        raise ColumnError(f"the columns differ in length: {sizes}")
    return table


def _columns_of_frame(frame: Any) -> dict[str, Any]:
    try:
        wrapped = nw.from_native(frame)
    except TypeError:
        raise InvalidDataError(
            f"{shorten(type(frame).__name__)} is not a dataframe that can be read",
            way_out="Pass a pandas, polars, pyarrow or DuckDB frame, or a dict of columns.",
        ) from None
    except Exception as error:
        if type(error).__name__ != "DuplicateError":
            raise
        raise ColumnError(f"two columns have the same name: {error}") from None
    eager = wrapped.collect() if isinstance(wrapped, nw.LazyFrame) else wrapped
    return {name: eager.get_column(name) for name in eager.columns}

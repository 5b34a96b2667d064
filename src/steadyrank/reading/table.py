"""Tables: named columns from a dataframe, a mapping or a file. The only door to dataframes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import narwhals as nw

from steadyrank.errors import ColumnError, InvalidDataError, shorten
from steadyrank.reading.arrays import as_column, as_numbers, is_missing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import AnyArray


class Column(Protocol):
    """A column, whatever it was read from."""

    def __len__(self) -> int: ...

    def labels(self) -> AnyArray:
        """Return the fields as labels, None where one is missing."""
        ...

    def numbers(self, what: str) -> AnyArray:
        """Return the fields as numbers; an error calls the column ``what``."""
        ...

    def cells(self) -> list[Any]:
        """Return the fields as they are."""
        ...

    def is_numeric(self) -> bool:
        """Tell whether all fields are numbers or missing, and at least one is a number."""
        ...


class GivenColumn:
    """A column of a dataframe or a mapping: values that already have their types."""

    def __init__(self, values: Any, name: str) -> None:
        self._values = as_column(values, name)

    def __len__(self) -> int:
        return len(self._values)

    def labels(self) -> AnyArray:
        """Return the values."""
        return self._values

    def numbers(self, what: str) -> AnyArray:  # noqa: ARG002 (the call of every column)
        """Return the values, which the caller checks."""
        return self._values

    def cells(self) -> list[Any]:
        """Return the values as a list."""
        listed: list[Any] = self._values.tolist()
        return listed

    def is_numeric(self) -> bool:
        """Tell whether all values are numbers or missing, and at least one is a number."""
        if self._values.dtype != object:
            return True
        kinds = {type(value) for value in self._values if not is_missing(value)}
        return bool(kinds) and all(issubclass(kind, int | float) for kind in kinds)


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
        From names to columns.
    source : str
        The name of the file, empty where there is none.
    lines : sequence, optional
        For each row, its line in the file.
    notes : list of str
        What was guessed so far.
    kind : str, optional
        The kind of data, where the format of the file says it.
    settings : dict
        Settings of that kind that the file says, too.
    """

    columns: Mapping[str, Column]
    source: str = ""
    lines: Lines | None = None
    notes: list[str] = field(default_factory=list)
    kind: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        return list(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def labels(self, name: str) -> AnyArray:
        """Return a column as labels."""
        return self.columns[name].labels()

    def cells(self, name: str) -> list[Any]:
        """Return a column as it is: text of a file unread, lists of a dataframe as lists."""
        return self.columns[name].cells()

    def numbers(self, name: str, *, missing: bool = False) -> AnyArray:
        """Return a column as numbers, NaN where a value is missing and may be."""
        with self.errors():
            return as_numbers(self.columns[name].numbers(name), name, missing=missing)

    def is_numeric(self, name: str) -> bool:
        """Tell whether a column holds numbers and missing values only, and some number."""
        return self.columns[name].is_numeric()

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
        table = Table({str(name): GivenColumn(column, str(name)) for name, column in frame.items()})
    else:
        table = Table(_columns_of_frame(frame))
    sizes = {name: len(column) for name, column in table.columns.items()}
    if len(set(sizes.values())) > 1:
        raise ColumnError(f"the columns differ in length: {sizes}")
    return table


def _columns_of_frame(frame: Any) -> dict[str, Column]:
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
    return {name: GivenColumn(eager.get_column(name), name) for name in eager.columns}

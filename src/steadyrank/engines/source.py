"""A lazy table in an engine: the only door through which anything leaves it.

Everything that is brought back passes :meth:`Source.collect`, which counts it, so that what left
the engine can be reported, and says in plain words what went wrong there.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals as nw
import numpy as np

from steadyrank.engines.files import Files, find_files, named
from steadyrank.engines.settings import engine_of
from steadyrank.errors import (
    EngineError,
    InvalidDataError,
    InvalidValueError,
    Option,
    SpillError,
    SteadyrankError,
    TooMuchBroughtBackError,
    UnreadableFileError,
    shorten,
)
from steadyrank.reading.arrays import objects
from steadyrank.reading.table import Column, GivenColumn, Table
from steadyrank.reading.text_columns import TextColumn

if TYPE_CHECKING:
    from typing import Self

    from steadyrank._typing import AnyArray
    from steadyrank.engines.settings import Closer, Engine

Frame: TypeAlias = nw.LazyFrame[Any]

LOOKED_AT = 1000
"""How many rows are brought back to tell what the columns hold."""

FULL_DISK = ("max_temp_directory_size", "no space left", "disk full", "enospc", "offload")
OTHER_DISK = ", or more room: max_spill=..., or spill=... on another disk, of DuckDB(...)."
MORE_ROOM = ("Give it more memory with ", Option("memory_limit"), OTHER_DISK)
OUT_OF_MEMORY = ("out of memory", "outofmemory", "java heap space", "failed to allocate")
MORE_MEMORY = ("Raise ", Option("memory_limit"), ", or use fewer threads.")
MOST_SAID = 300
"""How much of an engine's own message is repeated."""


@dataclass
class Traffic:
    """What left an engine so far: for each step, how often, how many rows, how many bytes of arrays."""

    steps: dict[str, tuple[int, int, int]] = field(default_factory=dict)

    def add(self, step: str, rows: int, size: int) -> None:
        """Count one answer of the engine."""
        times, rows_so_far, size_so_far = self.steps.get(step, (0, 0, 0))
        self.steps[step] = (times + 1, rows_so_far + rows, size_so_far + size)

    def sentence(self, engine: str) -> str:
        """Say what left the engine."""
        parts = [
            f"{step} ({rows:,} rows{f' in {times} batches' if times > 1 else ''})"
            for step, (times, rows, _) in self.steps.items()
        ]
        size = sum(size for _, _, size in self.steps.values())
        return f"brought back from {engine}: {', '.join(parts)}; {size / 1e6:,.1f} MB in all"


class Source:
    """A lazy table, the engine it lives in, and what has left it so far.

    Parameters
    ----------
    given : lazy frame, DuckDB relation, PySpark DataFrame, dataframe, or path
        A path may hold wildcards; a folder stands for the Parquet files in it.
    engine : str or engine, optional
        Which engine reads the files; frames run where they are.
    """

    def __init__(self, given: Any, engine: str | Engine | None = None) -> None:
        self.traffic = Traffic()
        self.files: Files | None = None
        self._close: Closer = lambda: None
        if isinstance(given, str | os.PathLike):
            self.files = files = find_files(given)
            chosen = engine_of(engine)
            self.engine = chosen.name
            given, self._close = self.guarded(lambda: chosen.open(files))
        elif engine is not None:
            raise InvalidValueError(
                f"engine={shorten(engine)} goes with a path; a frame runs in the engine it belongs to."
            )
        self.frame = _lazy(given)
        self.engine = str(self.frame.implementation).rpartition(".")[2].lower()

    @property
    def text(self) -> bool:
        """Whether all columns are text of a file that still has to become numbers."""
        return self.files is not None and self.files.text

    def first_rows(self) -> Table:
        """Return the first rows as a table, by which columns get their roles as they do in memory."""
        where = "" if self.files is None else Path(self.files.paths[0]).name
        return Table(self._first_columns, source=where)

    @cached_property
    def _first_columns(self) -> dict[str, Column]:
        rows = self.collect(self.frame.head(LOOKED_AT), "the first rows")
        if not self.text:
            return {name: GivenColumn(column, name) for name, column in rows.items()}
        return {
            name: TextColumn.of(str(word or "") for word in column.tolist())
            for name, column in rows.items()
        }

    def close(self) -> None:
        """Close what was opened for this source, and remove its temporary files."""
        self._close()
        self._close = lambda: None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def collect(self, frame: Frame, step: str) -> dict[str, AnyArray]:
        """Run a query and return its columns as arrays."""
        options: dict[str, Any] = {"engine": "streaming"} if self.engine == "polars" else {}
        eager = self.guarded(lambda: frame.collect(**options))
        columns = {name: _array(eager.get_column(name)) for name in eager.columns}
        rows = len(next(iter(columns.values()))) if columns else 0
        self.traffic.add(step, rows, sum(column.nbytes for column in columns.values()))
        return columns

    def collect_up_to(self, frame: Frame, step: str, bound: int, way_out: str) -> dict[str, AnyArray]:
        """Run a query whose answer may have at most ``bound`` rows."""
        columns = self.collect(frame.head(bound + 1), step)
        if len(next(iter(columns.values()))) > bound:
            raise TooMuchBroughtBackError(step, bound, way_out)
        return columns

    def numbers(self, frame: Frame, step: str) -> dict[str, Any]:
        """Run a query that gives one row, and return its values."""
        return {name: column[0] for name, column in self.collect(frame, step).items()}

    def example(self, frame: Frame, name: str, step: str) -> list[Any]:
        """Return one value of a column, or none if there are no rows."""
        found: list[Any] = self.collect(frame.select(name).head(1), step)[name].tolist()
        return found

    def schema(self, frame: Frame) -> nw.Schema:
        """Return the types of the columns; some engines run a query to tell them."""
        schema: nw.Schema = self.guarded(frame.collect_schema)
        return schema

    def guarded(self, action: Any) -> Any:
        """Run something in the engine; if it fails, say why in our words."""
        try:
            return action()
        except SteadyrankError:
            raise
        except Exception as error:
            if "query interrupted" in str(error).lower():  # what DuckDB makes of control-C
                raise KeyboardInterrupt from error
            raise self._explained(error) from error

    def _explained(self, error: Exception) -> Exception:
        said = f"{type(error).__name__}: {error}"
        words = " ".join(said.split())
        short = words if len(words) <= MOST_SAID else words[: MOST_SAID - 3] + "..."
        if any(sign in said.lower() for sign in FULL_DISK):
            return SpillError(
                f"{self.engine} ran out of room for temporary files: {short}", way_out=MORE_ROOM
            )
        damaged = None if self.files is None else self.files.damaged()
        if damaged is not None:
            return UnreadableFileError(
                f"{named(damaged[0])} cannot be read to its end: {damaged[1]}",
                way_out="Replace this file, or leave it out of the pattern.",
            )
        if any(sign in said.lower() for sign in OUT_OF_MEMORY):
            return SpillError(f"{self.engine} ran out of memory: {short}", way_out=MORE_MEMORY)
        return EngineError(f"{self.engine} could not finish this step: {short}")


def opened(given: Any, engine: str | Engine | None = None) -> Source:
    """Return a source for a lazy frame or a path; one that is open already stays as it is."""
    return given if isinstance(given, Source) else Source(given, engine)


def _lazy(native: Any) -> Frame:
    try:
        wrapped = nw.from_native(native)
    except TypeError:
        raise InvalidDataError(
            f"{shorten(type(native).__name__)} is not something that can be scanned",
            way_out="Pass a polars LazyFrame, a DuckDB relation, a PySpark DataFrame, or a path.",
        ) from None
    return wrapped.lazy()  # type: ignore[no-any-return]


def _array(series: nw.Series[Any]) -> AnyArray:
    plain = series.dtype.is_numeric() or series.dtype == nw.Boolean
    if plain and series.dtype != nw.Decimal and series.null_count() == 0:
        return np.asarray(series.to_numpy())
    return objects(series.to_list())

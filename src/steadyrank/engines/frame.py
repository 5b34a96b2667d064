"""A lazy table in an engine: the only door through which anything leaves it.

Everything that is brought back passes :meth:`Source.collect`, which counts it, so that what left
the engine can be reported, and says in plain words what went wrong there.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import narwhals as nw
import numpy as np

from steadyrank import errors
from steadyrank._typing import AnyArray
from steadyrank.arrays import objects
from steadyrank.engines.backends import PREFIX, Engine, engine_of, plain_paths
from steadyrank.engines.files import (
    Files,
    find_files,
    in_strict_order,
    named,
)
from steadyrank.errors import Option, shorten

Frame: TypeAlias = nw.LazyFrame[Any]
Answer = TypeVar("Answer")

MORE_ROOM = (
    "Where memory or disk ran out, raise ",
    Option("memory_limit"),
    ", use fewer threads, or give more room: max_spill=... of DuckDB(...), or spill=... of any engine.",
)
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
        found = ", ".join(parts)
        return f"brought back from {engine} while scanning: {found}; {size / 1e6:,.1f} MB in all"


class Source:
    """A lazy table, the engine it lives in, and what has left it so far.

    Parameters
    ----------
    given : DuckDB relation, PySpark DataFrame, or path
        A path may hold wildcards; a folder stands for the Parquet files in it.
    engine : str or engine, optional
        Which engine reads the files; frames run where they are.

    Attributes
    ----------
    unsigned : set of str
        Columns that the files say are whole numbers up to ``2**64``, which not every engine knows.
    holds : str
        What its rows are, such as votes.
    """

    def __init__(self, given: Any, engine: str | Engine | None = None) -> None:
        self.traffic = Traffic()
        self.files: Files | None = None
        self._paths: list[str] = []
        self.unsigned: set[str] = set()
        self.holds = "rows"
        self.source = "the frame"  # what messages call it
        self.said: Mapping[str, str] = {}  # no grammar proves what its columns are
        self.types: Mapping[str, str] = {}  # and no value is looked at for it
        self._opened = ExitStack()
        if isinstance(given, str | os.PathLike):
            self._chosen = engine_of(engine)
            self.files = find_files(given)
            self.source = str(given)
            self.engine = self._chosen.name
            return
        if engine is not None:
            raise errors.InvalidValueError(
                f"the engine {shorten(engine)} goes with a path; a frame runs in the engine that it "
                "belongs to, and a stream is read into memory."
            )
        self._take_frame(given)

    def _take_frame(self, native: Any) -> None:
        """Take the columns under names of our own where an engine sees more in a name than a name."""
        frame = _lazy(native)
        self.engine = str(frame.implementation).rpartition(".")[2].lower()
        names = self.guarded(lambda: frame.columns)
        doubled = [name for name in names if names.count(name) > 1]
        if doubled:
            raise errors.ColumnError(
                f"two columns have the same name: {shorten(doubled[0])}",
                way_out="Rename one of them.",
            )
        self._names = {name: name for name in names}
        if (
            frame.implementation.is_spark_like()
        ):  # to which dots and backticks are syntax
            self._names = {name: f"column {place}" for place, name in enumerate(names)}
            frame = _lazy(frame.to_native().toDF(*self._names.values()))
        self.frame: Frame = frame

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        names = self._names if self.files is None else self.files.columns
        return tuple(names)

    def examples(self, n: int = 3) -> dict[str, list[str]]:
        """Return the first values of each column, as text."""
        if self.files is not None:
            rows = self.files.first(n)
            return {name: [*map(str, column)] for name, column in rows.items()}
        found = self.collect(self.frame.head(n), "the first rows")
        return {
            name: [*map(str, found[inner].tolist())]
            for name, inner in self._names.items()
        }

    def picked(self, columns: Mapping[str, str]) -> Frame:
        """Return the named columns under the names of the parts they play."""
        if self.files is not None:
            self.guarded(lambda: self._open(columns))
        staged = self.files is not None and not self.files.plain
        self._parts = {part: part if staged else name for part, name in columns.items()}
        return self.frame.select(
            **{part: nw.col(self._names[name]) for part, name in self._parts.items()}
        )

    def empty(self) -> errors.EmptyDataError:
        """Return the complaint that there is nothing, in the words of memory."""
        return errors.EmptyDataError(
            f"there are no {self.holds}", way_out="At least one is needed."
        )

    def _open(self, columns: Mapping[str, str]) -> None:
        """Let the engine open the files, those that it may read otherwise than memory put down anew."""
        assert self.files is not None  # noqa: S101 (asked before)
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self._chosen.spill))
        # Removed when this is closed or forgotten, and at the end of the program.
        self._opened.callback(
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        )
        files, types = self.files, self.files.columns
        paths = files.paths if files.plain else files.put_down(columns, folder)
        self._paths = plain_paths(paths, folder)
        self._take_frame(self._chosen.open(self._paths, folder, self._opened))
        self.unsigned = {
            part for part, name in columns.items() if types[name] == "uint64"
        }

    def in_strict_order(self) -> bool:
        """Tell whether the files that the engine reads go up by unit and item: then no pair repeats."""
        parts = self._parts["unit"], self._parts["item"]
        return bool(self._paths) and self.guarded(
            lambda: in_strict_order(self._paths, *parts)
        )

    def close(self) -> None:
        """Close what was opened for this source, and remove its temporary files."""
        self._opened.close()

    def collect(self, frame: Frame, step: str) -> dict[str, AnyArray]:
        """Run a query and return its columns as arrays."""
        eager = self.guarded(frame.collect)
        columns = {name: _array(eager.get_column(name)) for name in eager.columns}
        rows = len(next(iter(columns.values()))) if columns else 0
        self.traffic.add(step, rows, sum(column.nbytes for column in columns.values()))
        return columns

    def collect_up_to(
        self, frame: Frame, step: str, bound: int, way_out: str
    ) -> dict[str, AnyArray]:
        """Run a query whose answer may have at most ``bound`` rows."""
        columns = self.collect(frame.head(bound + 1), step)
        if len(next(iter(columns.values()))) > bound:
            most = (
                f"there are more than {bound:,} {step}, the most that is brought back"
            )
            raise errors.EngineError(f"{most} from an engine", way_out=way_out)
        return columns

    def numbers(self, frame: Frame, step: str) -> dict[str, Any]:
        """Run a query that gives one row, and return its values."""
        return {
            name: column[:1].tolist()[0]
            for name, column in self.collect(frame, step).items()
        }

    def example(self, frame: Frame, name: str, step: str) -> list[Any]:
        """Return one value of a column, or none if there are no rows."""
        found: list[Any] = self.collect(frame.select(name).head(1), step)[name].tolist()
        return found

    def schema(self, frame: Frame) -> nw.Schema:
        """Return the types of the columns; some engines run a query to tell them."""
        return self.guarded(frame.collect_schema)

    def guarded(self, action: Callable[[], Answer]) -> Answer:
        """Run something in the engine; if it fails, say why in our words."""
        try:
            return action()
        except errors.SteadyrankError:
            raise
        except Exception as error:
            if (
                "query interrupted" in str(error).lower()
            ):  # what DuckDB makes of control-C
                raise KeyboardInterrupt from error
            raise self._explained(error) from error

    def _explained(self, error: Exception) -> Exception:
        words = " ".join(f"{type(error).__name__}: {error}".split())
        short = words if len(words) <= MOST_SAID else words[: MOST_SAID - 3] + "..."
        damaged = None if self.files is None else self.files.damaged()
        if damaged is not None:
            return errors.UnreadableFileError(
                f"{named(damaged[0])} cannot be read to its end: {damaged[1]}",
                way_out="Replace this file, or leave it out of the pattern.",
            )
        return errors.EngineError(
            f"{self.engine} could not finish this step: {short}", way_out=MORE_ROOM
        )


def _lazy(native: Any) -> Frame:
    frame = nw.from_native(native, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        engine = frame.implementation
        if engine.is_duckdb() or engine.is_spark_like():
            return frame
    raise errors.InvalidDataError(
        f"{shorten(type(native).__name__)} is not something that can be scanned",
        way_out="Give a DuckDB relation, a PySpark DataFrame or a path of Parquet files; or "
        "leave engine out, and it is read into memory.",
    )


def _is_plain_number(dtype: Any) -> bool:
    """Tell whether all values of a type are numbers to memory, to which decimals are objects."""
    return bool((dtype.is_numeric() and dtype != nw.Decimal) or dtype == nw.Boolean)


def _array(series: nw.Series[Any]) -> AnyArray:
    if _is_plain_number(series.dtype) and series.null_count() == 0:
        return np.asarray(series.to_numpy())
    return objects(series.to_list())

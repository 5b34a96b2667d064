"""Which engine runs over files, and what it may use."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from steadyrank.errors import InvalidSettingError, InvalidValueError, MissingPackageError, shorten

if TYPE_CHECKING:
    from steadyrank.engines.files import Files

Closer: TypeAlias = Callable[[], None]

PREFIX = "steadyrank-spill-"


def needed(module: str, why: str, extra: str) -> Any:
    """Return an optional package, or say how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackageError(f"{why}, which is missing", extra) from error


@dataclass(frozen=True)
class DuckDB:
    """DuckDB inside this process: one machine, data larger than its memory.

    Parameters
    ----------
    memory_limit : str, optional
        The most memory the engine takes, such as ``"2GB"``; its own default is 80% of the machine's.
    threads : int, optional
        How many threads it uses; all cores by default.
    spill : str or path, optional
        Where to make the temporary folder for what does not fit in memory.
    max_spill : str, optional
        The most that may be written there, such as ``"50GB"``.

    Examples
    --------
    >>> DuckDB(memory_limit="2GB").name
    'duckdb'
    """

    memory_limit: str | None = None
    threads: int | None = None
    spill: str | os.PathLike[str] | None = None
    max_spill: str | None = None

    name = "duckdb"

    def open(self, files: Files) -> tuple[Any, Closer]:
        """Return a relation over the files, and what closes it."""
        duckdb = needed("duckdb", "scanning files needs DuckDB", "duckdb")
        with ExitStack() as opened:
            folder = SpillFolder(self.spill)
            opened.callback(folder.close)
            try:
                connection = opened.enter_context(duckdb.connect(config=self._config(folder)))
                if self.max_spill is not None:
                    # Given to connect(), the limit is shown but not kept; it must be set afterwards.
                    limit = str(self.max_spill).replace("'", "''")
                    connection.execute(f"SET max_temp_directory_size = '{limit}'")
            except (duckdb.Error, ValueError) as error:
                raise InvalidSettingError(f"DuckDB does not take these settings: {error}") from error
            return self._relation(connection, files), opened.pop_all().close

    def _config(self, folder: SpillFolder) -> dict[str, Any]:
        limits = {"memory_limit": self.memory_limit, "threads": self.threads}
        return {
            "temp_directory": str(folder.path),
            "preserve_insertion_order": False,  # no answer depends on it, and it costs memory
            **{name: limit for name, limit in limits.items() if limit is not None},
        }

    @staticmethod
    def _relation(connection: Any, files: Files) -> Any:
        paths, names = list(files.paths), list(files.columns)
        if not files.text:
            return connection.read_parquet(paths)
        return connection.read_csv(
            paths, sep=files.delimiter, header=True, names=names, all_varchar=True, quotechar='"'
        )


@dataclass(frozen=True)
class Polars:
    """Polars' streaming engine inside this process.

    Examples
    --------
    >>> Polars().name
    'polars'
    """

    name = "polars"

    def open(self, files: Files) -> tuple[Any, Closer]:
        """Return a lazy frame over the files, and what closes it."""
        pl = needed("polars", "this engine needs polars", "frames")
        paths, names = list(files.paths), list(files.columns)
        if not files.text:
            return pl.scan_parquet(paths), _nothing
        frame = pl.scan_csv(paths, separator=files.delimiter, infer_schema=False, new_columns=names)
        return frame, _nothing


@dataclass(frozen=True)
class Spark:
    """Spark: many machines, or this one for a try.

    A session that is already there is used as it is, and left running. For files that only a cluster
    can see, scan a Spark DataFrame instead of a path.

    Parameters
    ----------
    master : str
        Where to run if there is no session yet.

    Examples
    --------
    >>> Spark(master="local[2]").name
    'spark'
    """

    master: str = "local[*]"

    name = "spark"

    def open(self, files: Files) -> tuple[Any, Closer]:
        """Return a Spark DataFrame over the files, and what closes it."""
        sessions = needed("pyspark.sql", "this engine needs pyspark", "spark").SparkSession
        running = sessions.getActiveSession()
        session = running or sessions.builder.master(self.master).appName("steadyrank").getOrCreate()
        reader = session.read
        paths = [os.path.abspath(path) for path in files.paths]  # noqa: PTH100 (text for Java)
        if files.text:
            reader = reader.option("header", True).option("sep", files.delimiter).option("escape", '"')
            frame = reader.csv(paths).toDF(*files.columns)
        else:
            frame = reader.parquet(*paths)
        return frame, _nothing if running is not None else session.stop


Engine: TypeAlias = "DuckDB | Polars | Spark"
ENGINES: dict[str, type[DuckDB | Polars | Spark]] = {"duckdb": DuckDB, "polars": Polars, "spark": Spark}


def engine_of(engine: str | Engine | None) -> Engine:
    """Return the settings of an engine, its usual ones where only its name is given.

    Examples
    --------
    >>> engine_of("polars"), engine_of(None).name
    (Polars(), 'duckdb')
    """
    if engine is None:
        return DuckDB()
    if not isinstance(engine, str):
        return engine
    if engine not in ENGINES:
        raise InvalidValueError(
            f"there is no engine called {shorten(engine)}; known are: {', '.join(ENGINES)}."
        )
    return ENGINES[engine]()


def _nothing() -> None:
    """Close what needs no closing."""


class SpillFolder:
    """A folder for what an engine writes when memory runs out.

    It is removed by :meth:`close`, when nobody holds this object any more, and at the end of the
    program, also one that was interrupted. A program that was killed cannot clean up; the next
    folder made in the same place removes what it left.

    Parameters
    ----------
    parent : str or path, optional
        Where to make it; by default where the system keeps temporary files.

    Examples
    --------
    >>> folder = SpillFolder()
    >>> folder.path.is_dir()
    True
    >>> folder.close()
    >>> folder.path.exists()
    False
    """

    def __init__(self, parent: str | os.PathLike[str] | None = None) -> None:
        place = Path(tempfile.gettempdir() if parent is None else parent)
        remove_left_behind(place)
        self.path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=place))
        self._remove = weakref.finalize(self, _remove_own, self.path, os.getpid())

    def close(self) -> None:
        """Remove the folder and all that is in it."""
        self._remove()


def remove_left_behind(place: Path) -> None:
    """Remove the folders of programs that do not run any more."""
    for folder in place.glob(f"{PREFIX}*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdigit() and not _runs(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _remove_own(path: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked child must not remove what its parent still uses
        shutil.rmtree(path, ignore_errors=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError as error:  # any other one: it runs, and belongs to somebody else
        return not isinstance(error, ProcessLookupError)
    return True

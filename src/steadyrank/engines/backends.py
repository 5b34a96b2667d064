"""Which engine runs over files, and what it may use."""

from __future__ import annotations

import glob
import os
import re
import shutil
import tempfile
import weakref
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from steadyrank import errors
from steadyrank.errors import Option, shorten
from steadyrank.operators.checks import check_whole

PREFIX = "steadyrank-spill-"
LOCK = "owner.lock"
SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(?:[KMGT]i?)B\s*\Z", re.IGNORECASE)
"""A size as DuckDB takes it, and with a unit that makes it large enough to be meant."""


def needed(module: str, why: str, extra: str) -> Any:
    """Return an optional package, or say how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise errors.MissingPackageError(f"{why}, which is missing", extra) from error


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
        Where to make the temporary folder for what does not fit in memory, and for text.
    max_spill : str, optional
        The most that DuckDB may write there, such as ``"50GB"``.

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

    def __post_init__(self) -> None:
        for name in ("memory_limit", "max_spill"):
            _check_size(name, getattr(self, name))
        if self.threads is not None:
            check_whole("threads", self.threads, 1, error=errors.InvalidSettingError)

    def open(self, paths: list[str], folder: Path, opened: ExitStack) -> Any:
        """Return a relation over Parquet files; ``opened`` gets what is to be closed."""
        duckdb = needed("duckdb", "scanning files needs DuckDB", "duckdb")
        try:
            connection = opened.enter_context(duckdb.connect(config=self._config(folder)))
            if self.max_spill is not None:
                # Given to connect(), the limit is shown but not kept; it must be set afterwards.
                connection.execute(f"SET max_temp_directory_size = '{self.max_spill}'")
        except (duckdb.Error, ValueError) as error:
            raise errors.InvalidSettingError(f"DuckDB does not take these settings: {error}") from error
        literal = [glob.escape(path) for path in paths]
        return connection.read_parquet(literal, hive_partitioning=False)

    def _config(self, folder: Path) -> dict[str, Any]:
        limits = {"memory_limit": self.memory_limit, "threads": self.threads}
        return {
            "temp_directory": str(folder),
            "preserve_insertion_order": False,  # no answer depends on it, and it costs memory
            **{name: limit for name, limit in limits.items() if limit is not None},
        }


@dataclass(frozen=True)
class Spark:
    """Spark: many machines, or this one for a try.

    A session that is already there is used as it is, and left running. For files that only a cluster
    can see, scan a Spark DataFrame instead of a path.

    Parameters
    ----------
    master : str
        Where to run if there is no session yet.
    spill : str or path, optional
        Where to make the temporary folder for text: for a cluster, a place that all machines see.

    Examples
    --------
    >>> Spark(master="local[2]").name
    'spark'
    """

    master: str = "local[*]"
    spill: str | os.PathLike[str] | None = None

    name = "spark"

    def open(self, paths: list[str], folder: Path, opened: ExitStack) -> Any:  # noqa: ARG002 (as others)
        """Return a Spark DataFrame over Parquet files; ``opened`` gets what is to be closed."""
        sessions = needed("pyspark.sql", "this engine needs pyspark", "spark").SparkSession
        running = sessions.getActiveSession()
        session = running or sessions.builder.master(self.master).appName("steadyrank").getOrCreate()
        literal = [re.sub(r"([][{}*?\\])", r"\\\1", path) for path in paths]
        if running is None:
            opened.callback(session.stop)
        return session.read.option("recursiveFileLookup", True).parquet(*literal)


def _check_size(name: str, given: object) -> None:
    """Complain unless a limit is a size above 0: to DuckDB a negative one is none at all."""
    found = SIZE.match(str(given))
    if given is not None and (found is None or float(found[1]) == 0.0):
        raise errors.InvalidSettingError(
            f"DuckDB does not take these settings: {name} must be a size above 0, but is {given!r}",
            way_out=["Give a number and a unit, such as 500MB, 2GB or 1.5GiB, as ", Option(name)],
        )


Engine: TypeAlias = "DuckDB | Spark"
ENGINES: dict[str, type[DuckDB | Spark]] = {"duckdb": DuckDB, "spark": Spark}


def engine_of(engine: str | Engine | None) -> Engine:
    """Return the settings of an engine, its usual ones where only its name is given.

    Examples
    --------
    >>> engine_of("spark").name, engine_of(None).name
    ('spark', 'duckdb')
    """
    if engine is None:
        return DuckDB()
    if not isinstance(engine, str):
        return engine
    if engine not in ENGINES:
        raise errors.InvalidValueError(
            f"there is no engine called {shorten(engine)}; known are: {', '.join(ENGINES)}."
        )
    return ENGINES[engine]()


class SpillFolder:
    """A folder for what an engine writes when memory runs out, and for text that was read for it.

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
        if not place.is_dir():
            raise errors.InvalidSettingError(
                f"there is no folder {str(place)!r} for temporary files",
                way_out=["Make it, or give another one as ", Option("spill")],
            )
        remove_left_behind(place)
        # Under its name for all to see once the lock is held, lest somebody else takes it first.
        new = Path(tempfile.mkdtemp(prefix=f".{PREFIX}", dir=place))
        lock = _locked(new / LOCK, os.O_CREAT)
        self.path = new.rename(place / new.name[1:])
        self._remove = weakref.finalize(self, _remove_own, self.path, lock, os.getpid())

    def close(self) -> None:
        """Remove the folder and all that is in it."""
        self._remove()


def remove_left_behind(place: Path) -> None:
    """Remove the folders whose owners do not run any more: nobody holds their locks.

    The number of a process would not tell: it means another one in another container, or later.
    """
    for folder in place.glob(f"{PREFIX}*"):
        lock = _locked(folder / LOCK)
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _locked(path: Path, flags: int = 0) -> int | None:
    """Open and lock a file for as long as this program runs; None where that is not possible."""
    try:
        lock = os.open(path, os.O_RDWR | flags, 0o600)
    except OSError:  # no lock in it, or not ours: none of our folders
        return None
    try:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):  # some systems and file systems have no locks
        os.close(lock)
        return None
    return lock


def _remove_own(path: Path, lock: int | None, owner: int) -> None:
    if os.getpid() == owner:  # a forked child must not remove what its parent still uses
        shutil.rmtree(path, ignore_errors=True)
        if lock is not None:
            os.close(lock)

"""Which engine runs over files, and what it may use."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from steadyrank import errors
from steadyrank.errors import shorten
from steadyrank.operators.checks import check_whole

PREFIX = "steadyrank-spill-"
PLAIN_PATH = re.compile(r"([A-Za-z]:)?(/[A-Za-z0-9][A-Za-z0-9._ +-]*)+\Z")
"""Paths in which no engine sees a pattern, a partition or a hidden file."""


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
        Where to make the temporary folder for what does not fit in memory.
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
            if "-" in str(
                size := getattr(self, name)
            ):  # which would be no limit at all
                told = f"{name} must be a size above 0, but is {size!r}"
                raise errors.InvalidSettingError(
                    told, way_out=f"Give a size such as 2GB as {name}."
                )
        if self.threads is not None:
            check_whole("threads", self.threads, 1)

    def open(self, paths: list[str], folder: Path, opened: ExitStack) -> Any:
        """Return a relation over Parquet files; ``opened`` gets what is to be closed."""
        duckdb = needed("duckdb", "scanning files needs DuckDB", "duckdb")
        try:
            connection = opened.enter_context(
                duckdb.connect(config=self._config(folder))
            )
            if self.max_spill is not None:
                # Given to connect(), the limit is shown but not kept; it must be set afterwards.
                connection.execute(f"SET max_temp_directory_size = '{self.max_spill}'")
        except (duckdb.Error, ValueError) as error:
            said = " ".join(str(error).split())
            raise errors.InvalidSettingError(
                f"DuckDB does not take these settings: {said}"
            ) from error
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
        Where to make the temporary folder: for a cluster, a place that all machines see.

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
        sessions = needed(
            "pyspark.sql", "this engine needs pyspark", "spark"
        ).SparkSession
        running = sessions.getActiveSession()
        session = (
            running
            or sessions.builder.master(self.master).appName("steadyrank").getOrCreate()
        )
        literal = [re.sub(r"([][{}*?\\])", r"\\\1", path) for path in paths]
        if running is None:
            opened.callback(session.stop)
        return session.read.option("recursiveFileLookup", True).parquet(*literal)


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


def plain_paths(paths: Iterable[str], folder: Path) -> list[str]:
    """Return the paths as every engine takes them literally: odd ones by a link in a folder."""
    found = [Path(path).absolute() for path in paths]
    for number, path in enumerate(found):
        if PLAIN_PATH.match(path.as_posix()) is None:
            found[number] = folder / f"file-{number}.parquet"
            found[number].symlink_to(path)
    return [str(path) for path in found]

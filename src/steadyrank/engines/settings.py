"""Which engine runs over files, and what it may use."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from steadyrank.engines.spill import SpillFolder
from steadyrank.errors import InvalidSettingError, InvalidValueError, MissingPackageError, shorten

if TYPE_CHECKING:
    from steadyrank.engines.files import Files

Closer: TypeAlias = Callable[[], None]


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
        try:
            import duckdb
        except ImportError as error:
            raise MissingPackageError(
                "scanning files needs DuckDB, which is missing", "duckdb"
            ) from error
        folder = SpillFolder(self.spill)
        try:
            connection = duckdb.connect(config=self._config(folder))
            if self.max_spill is not None:
                # Given to connect(), the limit is shown but not kept; it must be set afterwards.
                limit = str(self.max_spill).replace("'", "''")
                connection.execute(f"SET max_temp_directory_size = '{limit}'")
        except (duckdb.Error, ValueError) as error:
            folder.close()
            raise InvalidSettingError(f"DuckDB does not take these settings: {error}") from error

        def close() -> None:
            connection.close()
            folder.close()

        try:
            return _relation(connection, files), close
        except BaseException:
            close()
            raise

    def _config(self, folder: SpillFolder) -> dict[str, Any]:
        config: dict[str, Any] = {
            "temp_directory": str(folder.path),
            "preserve_insertion_order": False,  # no answer depends on it, and it costs memory
        }
        if self.memory_limit is not None:
            config["memory_limit"] = self.memory_limit
        if self.threads is not None:
            config["threads"] = self.threads
        return config


def _relation(connection: Any, files: Files) -> Any:
    paths = list(files.paths)
    if files.text:
        return connection.read_csv(
            paths,
            sep=files.delimiter,
            header=True,
            names=list(files.columns),
            all_varchar=True,
            quotechar='"',
        )
    return connection.read_parquet(paths)


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
        try:
            import polars as pl
        except ImportError as error:
            raise MissingPackageError("this engine needs polars, which is missing", "frames") from error
        paths = list(files.paths)
        if files.text:
            frame = pl.scan_csv(
                paths,
                separator=files.delimiter or ",",
                infer_schema=False,
                new_columns=list(files.columns),
            )
        else:
            frame = pl.scan_parquet(paths)
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
        try:
            from pyspark.sql import SparkSession
        except ImportError as error:
            raise MissingPackageError("this engine needs pyspark, which is missing", "spark") from error
        running = SparkSession.getActiveSession()
        session = running or SparkSession.builder.master(self.master).appName("steadyrank").getOrCreate()
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
    if isinstance(engine, str):
        if engine not in ENGINES:
            raise InvalidValueError(
                f"there is no engine called {shorten(engine)}; known are: {', '.join(ENGINES)}."
            )
        return ENGINES[engine]()
    return engine


def _nothing() -> None:
    """Close what needs no closing."""

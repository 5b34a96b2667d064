"""Frames of each engine from the same columns."""

from __future__ import annotations

import importlib.util
import os

import pytest

from steadyrank import read

SPARK_SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # For queries of a few rows the second compiler of Java costs more than all that it speeds up.
    **{
        f"spark.{process}.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        for process in ("driver", "executor")
    },
}


RATED = {"item": "item", "rating": "rating", "unit": "user"}


def scan_ratings(source, engine=None, *, batch_rows=None, **said):
    """Leave ratings where they are: frames have an engine, files are DuckDB's here."""
    if isinstance(source, str | os.PathLike) and engine is None:
        engine = "duckdb"
    return in_batches(read(source, engine=engine, **RATED | said), batch_rows)


def in_batches(data, batch_rows):
    """Return the same data, of which so many rows come back at once."""
    if batch_rows is not None:
        data.entries.batch_rows = batch_rows
    return data


def maker(engine, session=None):
    """Return a function from a dict of columns to a frame of the engine."""

    def make(columns):
        if engine == "duckdb":
            import pandas as pd

            return relation(pd.DataFrame(columns))
        import pyarrow as pa

        return session.createDataFrame(pa.table(columns))

    return make


def relation(frame):
    """Return a DuckDB relation over a dataframe, or over a dict of columns."""
    import duckdb
    import pyarrow as pa

    if hasattr(frame, "to_arrow"):
        return duckdb.connect().from_arrow(frame.to_arrow())
    if isinstance(frame, dict):
        return duckdb.connect().from_arrow(pa.table(frame))
    return duckdb.connect().from_df(frame)


def need(package, in_ci):
    """Skip where a package is missing; in CI that is a failure."""
    if importlib.util.find_spec(package) is None:
        if in_ci:
            pytest.fail(f"{package} must be installed in CI")
        pytest.skip(f"{package} is not installed")

"""Engines for the tests: each makes its own kind of lazy frame from the same columns."""

from __future__ import annotations

import importlib.util
import os

import pytest

SPARK = pytest.mark.spark
DASK = pytest.mark.dask


def need(package, in_ci):
    """Skip where a package is missing; in CI that is a failure."""
    if importlib.util.find_spec(package) is None:
        if in_ci:
            pytest.fail(f"{package} must be installed in CI")
        pytest.skip(f"{package} is not installed")


@pytest.fixture(scope="session")
def spark_session():
    """Return one Spark session for all tests, on two cores of this machine."""
    need("pyspark", os.environ.get("CI", "").lower() in {"1", "true"})
    from pyspark.sql import SparkSession

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(params=["pandas", "polars", "duckdb", pytest.param("spark", marks=SPARK)])
def lazily(request, in_ci):
    """Return a function from a dict of columns to a frame of the engine."""
    engine = request.param
    if engine == "spark":
        session = request.getfixturevalue("spark_session")
    else:
        need(engine, in_ci)

    def make(columns):
        import pandas as pd

        frame = pd.DataFrame(columns)
        if engine == "pandas":
            return frame
        if engine == "polars":
            import polars as pl

            return pl.from_pandas(frame).lazy()
        if engine == "duckdb":
            import duckdb

            return duckdb.connect().from_df(frame)
        return session.createDataFrame(frame)

    make.engine = engine
    return make

"""Engines for the tests: each makes its own kind of lazy frame from the same columns."""

from __future__ import annotations

import importlib.util
import os

import pytest

from engine_makers import maker

# All Spark tests share one session, hence one process where tests run in several.
SPARK = (pytest.mark.spark, pytest.mark.xdist_group("spark"))


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


HERE = ["pandas", "polars", "duckdb"]


@pytest.fixture(params=HERE)
def lazily_here(request, in_ci):
    """Make frames of an engine inside this process."""
    need(request.param, in_ci)
    return maker(request.param)


@pytest.fixture(params=[*HERE, pytest.param("spark", marks=SPARK)])
def lazily(request, in_ci):
    """Make frames of any engine."""
    if request.param == "spark":
        return maker("spark", request.getfixturevalue("spark_session"))
    need(request.param, in_ci)
    return maker(request.param)

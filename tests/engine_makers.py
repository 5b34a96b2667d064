"""Frames of each engine from the same columns."""

from __future__ import annotations

import importlib.util

import pytest


def maker(engine, session=None):
    """Return a function from a dict of columns to a frame of the engine."""

    def make(columns):
        import pandas as pd

        if engine == "pandas":
            return pd.DataFrame(columns)
        if engine == "polars":
            import polars as pl

            return pl.from_pandas(pd.DataFrame(columns)).lazy()
        if engine == "duckdb":
            import duckdb

            return duckdb.connect().from_df(pd.DataFrame(columns))
        import pyarrow as pa

        return session.createDataFrame(pa.table(columns))

    return make


def need(package, in_ci):
    """Skip where a package is missing; in CI that is a failure."""
    if importlib.util.find_spec(package) is None:
        if in_ci:
            pytest.fail(f"{package} must be installed in CI")
        pytest.skip(f"{package} is not installed")

"""Engines for the tests: each makes its own kind of lazy frame from the same columns."""

from __future__ import annotations

import pytest

from engine_makers import maker, need


@pytest.fixture
def lazily_here(in_ci):
    """Make frames of an engine inside this process."""
    need("duckdb", in_ci)
    return maker("duckdb")


@pytest.fixture(params=["duckdb", pytest.param("spark", marks=pytest.mark.spark)])
def lazily(request, in_ci):
    """Make frames of any engine."""
    if request.param == "spark":
        return maker("spark", request.getfixturevalue("spark_session"))
    need(request.param, in_ci)
    return maker(request.param)

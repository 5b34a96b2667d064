"""Fixtures that several parts of the tests share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

# A noisy machine must not turn a slow example into a failure; examples are the same in each run, and
# `make fuzz` asks for many more of them.
settings.register_profile(
    "house",
    max_examples=100 * int(os.environ.get("STEADYRANK_FUZZ", "1")),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")

# Of the workflow that runs the tests; what they check is not its summary.
os.environ.pop("GITHUB_STEP_SUMMARY", None)


@pytest.fixture
def shared_data() -> Path:
    """Return the folder of real open data beside the checkout, or skip where there is none."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the folder of real data is not beside this checkout")
    return SHARED_DATA


@pytest.fixture
def in_ci() -> bool:
    """Tell whether this is CI, where a missing browser or engine is a failure, not a skip."""
    return os.environ.get("CI", "").lower() in {"1", "true"}


@pytest.fixture(scope="session")
def spark_session() -> Iterator[Any]:
    """Return one Spark session for all tests, on two cores of this machine."""
    from engine_makers import SPARK_SETTINGS, need

    need("pyspark", os.environ.get("CI", "").lower() in {"1", "true"})
    from pyspark.sql import SparkSession

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    session = (
        SparkSession.builder.master("local[2]").config(map=SPARK_SETTINGS).getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


COSTLY = ("spark", "browser", "paper")
"""Marks and folders of tests that share something costly: Spark, a browser, Table 2."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let those that share something costly come first, one sort after the other.

    With ``--dist worksteal`` a worker begins at the front of its part of the list, and others take from
    the end of it: what stands together at the front stays in one worker, and long tests are not last.
    """

    def place(item: pytest.Item) -> int:
        named = (*item.keywords, item.path.parent.name)
        return next(
            (number for number, name in enumerate(COSTLY) if name in named), len(COSTLY)
        )

    items.sort(key=place)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail in CI what would be skipped for a missing part: there, all parts are installed."""
    report = yield
    in_ci = os.environ.get("CI", "").lower() in {"1", "true"}
    if (
        in_ci
        and report.skipped
        and not hasattr(report, "wasxfail")
        and "shared_data" not in getattr(item, "fixturenames", ())
    ):
        report.outcome = "failed"
        report.longrepr = (
            f"skipped in CI, where nothing may be missing: {report.longrepr}"
        )
    return report

"""Generated cases: a short form for every run, a long one for ``make fuzz``.

Every case is drawn from a generator seeded by the name of its test and its number, so that a failure
comes back, and a number of cases, never a time, bounds a run.
"""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]

TIMES = int(os.environ.get("STEADYRANK_FUZZ", "1"))
"""How many times the cases of the short form are tried; ``make fuzz`` sets it."""


@pytest.fixture
def cases(
    request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> Iterator[Cases]:
    """Return a function that yields one seeded generator for each case: ``for rng in cases(200)``.

    It may be called once in a test. The number of cases is recorded, and the last one is printed where
    the test fails.
    """
    name = request.node.nodeid
    tried = 0

    def draw(short: int) -> Iterator[np.random.Generator]:
        nonlocal tried
        for tried in range(1, short * TIMES + 1):
            yield np.random.default_rng([zlib.crc32(name.encode()), tried])

    yield draw
    record_property("cases", tried)
    print(f"the last case was number {tried}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many cases were drawn."""
    reports = [report for found in terminalreporter.stats.values() for report in found]
    drawn = [
        int(value)
        for report in reports
        if getattr(report, "when", None) == "teardown"
        for name, value in report.user_properties
        if name == "cases"
    ]
    if drawn:
        terminalreporter.write_line(
            f"generated cases: {sum(drawn):,} in {len(drawn):,} tests"
        )

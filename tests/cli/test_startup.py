"""The help is quick because it loads nothing but the table of options."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    "numpy", "scipy", "narwhals", "duckdb", "polars", "pandas", "pyarrow",
    "steadyrank.data", "steadyrank.study", "steadyrank.report.text", "steadyrank.reading.table",
}  # fmt: skip

PROBE = """
import contextlib, io, json, sys
from steadyrank.cli import main
with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")):
    code = main(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]))
"""


def modules_after(*words: str) -> tuple[int, set[str]]:
    found = subprocess.run(
        [sys.executable, "-c", PROBE, *words],
        capture_output=True,
        text=True,
        check=True,
    )
    code, names = json.loads(found.stdout)
    return code, set(names)


@pytest.mark.parametrize(
    "words", [(), ("--help",), ("--version",), ("topk", "--help"), ("rank", "-h")]
)
def test_the_help_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    code, names = modules_after(*words)
    assert code == 0
    assert HEAVY & names == set()


def test_a_refused_option_loads_nothing_heavy() -> None:
    code, names = modules_after("topk", "x.csv", "--itme", "x")
    assert code == 2
    assert HEAVY & names == set()


def test_the_probe_sees_what_is_loaded() -> None:
    _, names = modules_after("topk", "no-such-file.csv", "-k", "3")
    assert {"numpy", "steadyrank.study"} <= names

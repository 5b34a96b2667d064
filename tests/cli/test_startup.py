"""The overview starts fast because it loads nothing but the parser of options."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ("rich", "numpy", "scipy", "narwhals", "polars", "pandas", "altair", "steadyrank.data",
         "steadyrank.study", "steadyrank.report.html")  # fmt: skip

PROBE = """
import contextlib, io, json, sys
from steadyrank.cli import main
with contextlib.redirect_stdout(io.StringIO()):
    code = main(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]))
"""


def _modules_after(*arguments: str) -> tuple[int, list[str]]:
    found = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    code, names = json.loads(found.stdout)
    return code, names


def _modules_of_typer() -> list[str]:
    code = "import json, sys, typer; print(json.dumps(sorted(sys.modules)))"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    names: list[str] = json.loads(found.stdout)
    return names


@pytest.mark.parametrize("arguments", [("--help",), ("-h",), (), ("--version",)])
def test_the_overview_loads_nothing_heavy(arguments: tuple[str, ...]) -> None:
    code, names = _modules_after(*arguments)
    assert code == 0
    # Older versions of Typer load Rich themselves; that is their time, not ours.
    ours = set(names) - set(_modules_of_typer())
    loaded = {
        name for name in HEAVY for module in ours if f"{module}.".startswith(f"{name}.")
    }
    assert loaded == set()


def test_the_help_of_a_command_loads_declarations_and_no_analysis() -> None:
    _, names = _modules_after("topk", "--help")
    assert "steadyrank.data.kinds" in names
    assert not {
        "scipy",
        "polars",
        "pandas",
        "steadyrank.study",
        "steadyrank.report",
    } & set(names)


def test_the_probe_sees_what_is_loaded() -> None:
    _, names = _modules_after("topk", "no-such-file", "-k", "3")
    assert "numpy" in names

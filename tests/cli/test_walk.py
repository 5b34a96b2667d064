"""The walk of a file, in numbers: modules that are loaded, and calls from one package into another."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "walk.py"

PROBE = """
import contextlib, io, json, runpy, sys
walk = runpy.run_path(sys.argv[1])
with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")):
    code, changes, modules = walk["walked"](walk["COMMAND"])
packages = sorted({name.partition(".")[0] for name in sys.modules})
print(json.dumps([code, changes.changes.total(), modules, packages]))
"""

MODULES, CHANGES = 90, 145
"""As many as there are now: they may become fewer. What is wanted stands in the script."""


def script() -> Any:
    found = importlib.util.spec_from_file_location("walk", SCRIPT)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_the_main_command_loads_and_calls_little() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, SCRIPT],
        capture_output=True,
        text=True,
        check=True,
    )
    code, changes, modules, packages = json.loads(done.stdout)
    assert code == 0
    assert {
        "steadyrank.cli.commands",
        "steadyrank.reading.table",
        "steadyrank.data.ratings",
        "steadyrank.report.text",
    } <= set(modules)
    assert len(modules) <= MODULES, modules
    assert changes <= CHANGES
    assert {"numpy", "duckdb"} <= set(packages)
    others = {"polars", "pandas", "pyarrow", "scipy", "narwhals", "sqlite3"}
    assert not others & set(packages)


def test_calls_into_another_package_are_counted() -> None:
    """What is planted is found: two calls from one package into another, and one within it."""
    walk = script().Walk()

    def module(name: str, source: str, **known: Any) -> dict[str, Any]:
        names = {"__name__": name, **known}
        exec(compile(source, name, "exec"), names)
        return names

    helper = module("steadyrank.text", "def word(): return 1")
    inner = module(
        "steadyrank.data.rows", "def row(): return word()", word=helper["word"]
    )
    outer = module(
        "steadyrank.study.study",
        "def ask(): return helped() + row() + row()\ndef helped(): return word()",
        row=inner["row"],
        word=helper["word"],
    )
    sys.setprofile(walk)
    try:
        outer["ask"]()
    finally:
        sys.setprofile(None)
    assert dict(walk.changes) == {("", "study"): 1, ("study", "data"): 2}

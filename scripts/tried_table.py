"""The table of generated cases in docs/tried.md, printed from the tests themselves."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parents[1] / "tests" / "adversary"
FUZZ_TIMES = 25
"""What ``make fuzz`` multiplies the numbers with; a test compares it with the Makefile."""
SORTS = "by sort"
"""Stands for a number that depends on what a test is run with."""


class Tried(NamedTuple):
    """A test: its file, what it says, and how many cases the short form draws, if any."""

    file: str
    says: str
    cases: int | str | None


def tried(path: Path) -> list[Tried]:
    """Return the tests of a file, in order."""
    found = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            drawn = [
                getattr(call.args[0], "value", SORTS)
                for call in ast.walk(node)
                if isinstance(call, ast.Call)
                and isinstance(call.func, ast.Name)
                and call.func.id == "cases"
            ]
            says = node.name.removeprefix("test_").replace("_", " ")
            found.append(Tried(path.name, says, drawn[0] if drawn else None))
    return found


def table() -> list[str]:
    """Return the lines of the table; a test compares them with the page."""
    lines = ["| what is tried | cases in each run | in `make fuzz` |", "|---|---|---|"]
    for path in sorted(TESTS.glob("test_*.py")):
        says = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        lines.append(f"| **{says.splitlines()[0]}** `{path.name}` | | |")
        lines += [f"| {one.says} | {' | '.join(_numbers(one.cases))} |" for one in tried(path)]
    return lines


def _numbers(cases: int | str | None) -> tuple[str, str]:
    if isinstance(cases, int):
        return f"{cases:,}", f"{cases * FUZZ_TIMES:,}"
    return ("fixed", "the same") if cases is None else (cases, f"{FUZZ_TIMES} times")


if __name__ == "__main__":
    sys.stdout.write("\n".join(table()) + "\n")

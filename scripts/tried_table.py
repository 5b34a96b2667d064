"""The table of generated cases in docs/tried.md, printed from the tests themselves."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parents[1] / "tests" / "adversary"
FUZZ_TIMES = 25
"""What ``make fuzz`` multiplies the numbers with; a test compares it with the Makefile."""


class Tried(NamedTuple):
    """A test: its file, what it says, and how many cases the short form draws; None if none."""

    file: str
    says: str
    cases: int | None


def tried(path: Path) -> list[Tried]:
    """Return the tests of a file, in order."""
    found = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            drawn = [
                call.args[0].value
                for call in ast.walk(node)
                if isinstance(call, ast.Call)
                and isinstance(call.func, ast.Name)
                and call.func.id == "cases"
                and isinstance(call.args[0], ast.Constant)
            ]
            says = node.name.removeprefix("test_").replace("_", " ")
            found.append(Tried(path.name, says, int(drawn[0]) if drawn else None))  # type: ignore[arg-type]
    return found


def table() -> list[str]:
    """Return the lines of the table; a test compares them with the page."""
    lines = ["| what is tried | cases in each run | in `make fuzz` |", "|---|---|---|"]
    for path in sorted(TESTS.glob("test_*.py")):
        says = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        lines.append(f"| **{says.splitlines()[0]}** `{path.name}` | | |")
        for one in tried(path):
            short = "fixed" if one.cases is None else f"{one.cases:,}"
            long = "the same" if one.cases is None else f"{one.cases * FUZZ_TIMES:,}"
            lines.append(f"| {one.says} | {short} | {long} |")
    return lines


if __name__ == "__main__":
    sys.stdout.write("\n".join(table()) + "\n")

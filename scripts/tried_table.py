"""Write the table of generated tests into docs/research/tried.md, from the tests themselves.

Run from anywhere: ``python scripts/tried_table.py``.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

from pages import DOCS, put

TESTS = Path(__file__).resolve().parents[1] / "tests" / "adversary"
PAGE = DOCS / "research" / "tried.md"
FUZZ_TIMES = 25
"""What ``make fuzz`` multiplies the numbers with; a test compares it with the Makefile."""


class Tried(NamedTuple):
    """A file of tests: what it says, how many tests, how many cases they draw, and whether more."""

    file: str
    says: str
    tests: int
    cases: int
    more: bool


def tried(path: Path) -> Tried:
    """Return what a file of tests tries."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    says = (ast.get_docstring(tree) or "").splitlines()[0].rstrip(".")
    tests = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    drawn = [
        getattr(call.args[0], "value", None)
        for test in tests
        for call in ast.walk(test)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "cases"
    ]
    known = [number for number in drawn if isinstance(number, int)]
    return Tried(path.name, says, len(tests), sum(known), len(known) < len(drawn))


def table() -> list[str]:
    """Return the lines of the table; a test compares them with the page."""
    found = [tried(path) for path in sorted(TESTS.glob("test_*.py"))]
    lines = ["| what is tried | file | tests | cases |", "|---|---|--:|--:|"]
    for one in found:
        cases = f"{one.cases:,}{'+' * one.more}" if one.cases or one.more else "fixed"
        lines.append(f"| {one.says} | `{one.file}` | {one.tests} | {cases} |")
    sums = sum(one.tests for one in found), sum(one.cases for one in found)
    return [*lines, f"| **in all** | {len(found)} files | {sums[0]:,} | {sums[1]:,}+ |"]


if __name__ == "__main__":
    put("\n".join(table()), PAGE, "tried_table")

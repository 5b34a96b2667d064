"""Print the lines of code in ``src/``, room by room: no docstrings, comments or blank lines.

``make lint`` runs it. The budget is for everything that the package does.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "steadyrank"
BUDGET = 18_000
LAYOUT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER,
}  # fmt: skip
"""Tokens that are no code."""


def code_lines(source: str) -> int:
    """Return how many lines of a module hold code."""
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in LAYOUT:
            code.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        value = node.value if isinstance(node, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            code.difference_update(range(value.lineno, (value.end_lineno or value.lineno) + 1))
    return len(code)


def rooms(source: Path = SOURCE) -> dict[str, tuple[int, int]]:
    """Return for each package the number of its files and of its lines of code, the largest first."""
    files, lines = Counter[str](), Counter[str]()
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).parts
        room = parts[0] if len(parts) > 1 else "(top)"
        files[room] += 1
        lines[room] += code_lines(path.read_text(encoding="utf-8"))
    return {room: (files[room], number) for room, number in lines.most_common()}


def main() -> int:
    """Print the table; complain if the house is heavier than its budget."""
    found = rooms()
    for room, (files, lines) in found.items():
        sys.stdout.write(f"{room:12}{files:5} files{lines:8,} lines of code\n")
    total = sum(lines for _, lines in found.values())
    sys.stdout.write(
        f"{'src':12}{sum(files for files, _ in found.values()):5} files{total:8,} of {BUDGET:,}\n"
    )
    return int("--strict" in sys.argv and total > BUDGET)


if __name__ == "__main__":
    sys.exit(main())

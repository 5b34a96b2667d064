"""Print the tokens and lines of code in ``src/``, room by room: no docstrings, comments or blank lines.

``make lint`` runs it. Tokens are what counts: packing a line saves none.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "steadyrank"
TOKENS = 125_000  # the budget of the house, in tokens
LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


@dataclass
class Size:
    """How much code there is in a file, a room or the house."""

    files: int = 0
    lines: int = 0
    tokens: int = 0

    def add(self, other: Size) -> None:
        """Count another file or room, too."""
        self.files += other.files
        self.lines += other.lines
        self.tokens += other.tokens


def size_of(source: str) -> Size:
    """Return how many lines and tokens of a module are code."""
    docstring_lines: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        value = node.value if isinstance(node, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            last = value.end_lineno or value.lineno
            docstring_lines.update(range(value.lineno, last + 1))
    lines: set[int] = set()
    tokens = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in LAYOUT or token.start[0] in docstring_lines:
            continue
        tokens += 1
        lines.update(range(token.start[0], token.end[0] + 1))
    return Size(1, len(lines), tokens)


def rooms(source: Path = SOURCE) -> dict[str, Size]:
    """Return the size of each package, the largest first."""
    found: defaultdict[str, Size] = defaultdict(Size)
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).parts
        room = parts[0] if len(parts) > 1 else "(top)"
        found[room].add(size_of(path.read_text(encoding="utf-8")))
    return dict(sorted(found.items(), key=lambda pair: -pair[1].tokens))


def main() -> int:
    """Print the table; with ``--strict``, fail if the house is heavier than its budget."""
    house = Size()
    for room, size in rooms().items():
        house.add(size)
        sys.stdout.write(_row(room, size))
    sys.stdout.write(_row("src", house).rstrip() + f" of {TOKENS:,}\n")
    return int("--strict" in sys.argv and house.tokens > TOKENS)


def _row(name: str, size: Size) -> str:
    density = size.tokens / max(1, size.lines)
    return (
        f"{name:12}{size.files:5} files{size.lines:8,} lines"
        f"{density:6.1f} a line{size.tokens:9,} tokens\n"
    )


if __name__ == "__main__":
    sys.exit(main())

"""List every sentence that the program prints, for proof-reading: `python scripts/sentences.py`.

Takes the literal texts of all modules, with `{...}` where a value is filled in, and the texts of the
report's page. A text is a literal with two words or more that is no docstring, no note of a type and no
pattern. The list lies in tests/release/recorded/sentences.txt; a test holds it to the program.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "steadyrank"
LIST = ROOT / "tests" / "release" / "recorded" / "sentences.txt"

WORDS = re.compile(r"[A-Za-z{}]['\w{}]*[,:;.]? +\(?[A-Za-z{}-]")
"""Two words beside each other: what a person reads, other than a name."""

CODE = re.compile(r"\\[sdwb(\[]|\(\?|^SELECT |[<>=]=|^\w+\[.*\]$|</?\w|[{;]\s*[\w-]+:\s*[^;]+;")
"""Patterns, notes of types, queries and markup."""


def main() -> None:
    """Write the list."""
    LIST.write_text(listed(), encoding="utf-8")


def listed() -> str:
    """Return the whole list: the texts of each module under its path, in the order of the source."""
    made = []
    for path in sorted([*SOURCE.rglob("*.py"), *SOURCE.rglob("*.js"), *SOURCE.rglob("*.html")]):
        texts = list(dict.fromkeys(sentences(path)))
        if texts:
            made.append("\n".join([path.relative_to(SOURCE.parent).as_posix(), *texts]))
    return "\n\n".join(made) + "\n"


def sentences(path: Path) -> Iterator[str]:
    """Yield the texts of one file."""
    text = path.read_text(encoding="utf-8")
    found = literals(ast.parse(text)) if path.suffix == ".py" else pieces(text)
    for one in found:
        said = " ".join(one.split())
        if WORDS.search(said) and not CODE.search(said):
            yield f"    {said}"


def literals(tree: ast.AST) -> Iterator[str]:
    """Yield every literal text of a module, in its order, with `{...}` where a value is filled in."""
    silent = set(silenced(tree))
    if id(tree) in silent:
        return
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        yield tree.value
    elif isinstance(tree, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "{...}" for part in tree.values)
        inside = (part for part in tree.values if isinstance(part, ast.FormattedValue))
        for part in inside:
            yield from literals(part.value)
    else:
        for child in ast.iter_child_nodes(tree):
            if id(child) not in silent:
                yield from literals(child)


def silenced(node: ast.AST) -> Iterator[int]:
    """Yield the parts of a statement that nobody reads: docstrings and notes of types."""
    for child in getattr(node, "body", ()) if not isinstance(node, ast.Lambda | ast.IfExp) else ():
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            yield id(child)
    for name in ("annotation", "returns"):
        if getattr(node, name, None) is not None:
            yield id(getattr(node, name))


def pieces(text: str) -> Iterator[str]:
    """Yield the texts of a page or a script: between tags, and between quotes."""
    for part in re.findall(r">([^<>{}]+)<|\"([^\"\n]+)\"|'([^'\n]+)'|`([^`]+)`", text):
        yield re.sub(r"\$\{[^}]*\}", "{...}", "".join(part))


if __name__ == "__main__":
    main()

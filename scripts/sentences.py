"""List every sentence that the program prints, for proof-reading: `python scripts/sentences.py`.

Takes the literal texts of all modules, with `{...}` where a value is filled in, the help of the command
line, and the texts of the report's page. A text is a literal of two words or more that is no docstring,
note of a type, pattern or markup. The list lies in tests/release/recorded/sentences.txt; a test holds it
to the program.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "steadyrank"
LIST = ROOT / "tests" / "release" / "recorded" / "sentences.txt"

SLOT = "{...}"
HELP = ("cli/commands.py", "cli/options.py")
"""Modules whose docstrings are the help."""

WORDS = re.compile(r"[A-Za-z]\w+\W* +\W*\w|\w\W* +\W*[A-Za-z]\w+")
"""Two things beside each other, of which one is a word."""

CODE = re.compile(
    r"\\[sdwb(\[]|\(\?|\b(SELECT|PRAGMA|SET) |[<>=!]=|&&|=>|</?\w|^\w+\[.*\]$|[\w-]+: [\w#(-]+;"
    r"|^[\w-]+=|^[a-z]+( [a-z]+)?$(?<![.:])|-serif|^MIT |src '"
)
"""Patterns, notes of types, queries, markup and styles; and names of one or two words."""

SKIPPED = re.compile(
    r"//.*|/\*[\s\S]*?\*/|(?<=[(,=!:] |.[(!])/(?:\\.|\[[^]]*\]|[^/\n])+/\w*"
)
QUOTED = re.compile(r"""(["'])(?:\\.|(?!\1)[^\\\n])*\1""")
"""Of scripts: comments and patterns, and texts."""


def main() -> None:
    """Write the list."""
    LIST.write_text(listed(), encoding="utf-8")


def listed() -> str:
    """Return the whole list: the texts of each module under its path, in the order of the source."""
    made = []
    for path in sorted(
        path for path in SOURCE.rglob("*") if {path.suffix, path.name} & {*FOUND}
    ):
        texts = list(dict.fromkeys(sentences(path)))
        if texts:
            made.append("\n".join([path.relative_to(SOURCE.parent).as_posix(), *texts]))
    return "\n\n".join(made) + "\n"


def sentences(path: Path) -> Iterator[str]:
    """Yield the texts of one file."""
    told = FOUND[path.name if path.name in FOUND else path.suffix](
        path.read_text("utf-8"), path
    )
    for one in told:
        said = " ".join(one.split())
        if WORDS.search(said.replace(SLOT, "x")) and (
            said.endswith(".") or not CODE.search(said)
        ):
            yield f"    {said}"


def literals(text: str, path: Path) -> Iterator[str]:
    """Yield every literal text of a module, in its order, with a slot where a value is filled in."""
    yield from _within(ast.parse(text), shows_help=path.as_posix().endswith(HELP))


def _within(node: ast.AST, *, shows_help: bool) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(
            part.value if isinstance(part, ast.Constant) else SLOT
            for part in node.values
        )
        filled = (
            part.value for part in node.values if isinstance(part, ast.FormattedValue)
        )
        for value in filled:
            yield from _within(value, shows_help=shows_help)
    else:
        if (
            shows_help
            and isinstance(node, ast.ClassDef | ast.FunctionDef)
            and node.name[0] != "_"
        ):
            yield from (ast.get_docstring(node) or "").split("\n\n")
        for name, child in ast.iter_fields(node):
            for one in child if isinstance(child, list) else [child]:
                if isinstance(one, ast.AST) and not _is_silent(name, one):
                    yield from _within(one, shows_help=shows_help)


def _is_silent(name: str, node: ast.AST) -> bool:
    """Tell whether nobody reads this: a docstring or a note of a type."""
    alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    noted = name in {"annotation", "returns"}
    return alone or (
        noted and not any(isinstance(one, ast.Call) for one in ast.walk(node))
    )


def script(text: str, _: Path) -> Iterator[str]:
    """Yield the texts of a script: between quotes, and templates with a slot for each value."""
    found: list[str] = []
    _read(text, 0, "", found)
    yield from found


def _read(text: str, place: int, end: str, found: list[str]) -> int:
    """Read code up to its end, collect its texts, and return the place after it."""
    depth = 0
    while place < len(text):
        if skipped := SKIPPED.match(text, place):
            place = skipped.end()
        elif quoted := QUOTED.match(text, place):
            found.append(quoted[0][1:-1])
            place = quoted.end()
        elif text[place] == "`":
            place = _template(text, place + 1, found)
        elif text[place] == end and not depth:
            return place + 1
        else:
            depth += {"{": 1, "}": -1}.get(text[place], 0)
            place += 1
    return place


def _template(text: str, place: int, found: list[str]) -> int:
    """Read a template, whose values may hold templates, and return the place after it."""
    said, own = "", len(found)
    while text[place] != "`":
        if text.startswith("${", place):
            place, said = _read(text, place + 2, "}", found), said + SLOT
        else:
            place, said = place + 1, said + text[place]
    found.insert(own, said)
    return place + 1


def page(text: str, _: Path) -> Iterator[str]:
    """Yield the texts of a page: between the tags that part paragraphs, and in labels."""
    bare = re.sub(r"</?(?:em|b|bdi|cite|code|span|a)\b[^>]*>", "", text)
    yield from re.findall(r'aria-label="([^"]+)"', text)
    yield from (re.sub(r"@@\w+@@", SLOT, part) for part in re.split(r"<[^>]*>", bare))


def tour(text: str, _: Path) -> Iterator[str]:
    """Yield what the demonstration says."""
    parts = tomllib.loads(text)
    for part in (parts, *parts["stops"]):
        yield from (value for value in part.values() if isinstance(value, str))
    yield from parts["more"]


FOUND = {".py": literals, ".js": script, ".html": page, "tour.toml": tour}


if __name__ == "__main__":
    main()

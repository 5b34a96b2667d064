"""Wrap the prose of Markdown pages at one width; tables, headings, code and formulas stay as they are.

``python scripts/docs_wrap.py FILE ...`` writes the pages anew; without a file, README.md and docs/.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 100
FENCE = re.compile(r"\s*(```|~~~|\$\$)")
APART = re.compile(r"\s*$|\||#|<|:::|--8<--|!!!|\?\?\?|    \S")
"""Lines that are no prose: blank ones, tables, headings, HTML, directives, indented code."""
ITEM = re.compile(r"(\s*(?:[-*] |\d+\. ))\S")
WHOLE = re.compile(r"(?<!\\)\$[^$\n]+\$|`[^`]+`")
"""Formulas and code, which stay on one line."""
MARK = re.compile(r" (?=(?:[-+*>#|]|\d+\.)(?: |$))")
"""Blanks before a sign that would begin a list, a heading or a table if it began a line."""


def pages() -> list[Path]:
    """Return the pages that are held to the width."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def wrapped(text: str) -> str:
    r"""Return a page with its prose wrapped.

    Examples
    --------
    >>> print(wrapped("- " + "word " * 25 + "\n| a table | of any width |\n"), end="")
    - word word word word word word word word word word word word word word word word word word word
      word word word word word word
    | a table | of any width |
    """
    return "".join(
        f"{line}\n" for block in _blocks(text.splitlines()) for line in block
    )


def too_long(text: str) -> list[str]:
    r"""Return the lines of a page that wrapping would shorten.

    Examples
    --------
    >>> too_long("short\n"), too_long("a" * 101 + "\n"), len(too_long("word " * 30))
    ([], [], 1)
    """
    kept = set(wrapped(text).splitlines())
    return [
        line for line in text.splitlines() if len(line) > WIDTH and line not in kept
    ]


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Yield a page in parts: a paragraph or an item of a list, wrapped, or a line that stays."""
    prose: list[str] = []
    inside = ""
    for line in lines:
        fence = FENCE.match(line)
        item = ITEM.match(line)
        stays = (
            inside
            or fence
            or (APART.match(line) and not (prose and line.startswith("    ")))
        )
        if prose and (stays or item):
            yield _filled(prose)
            prose = []
        if not stays:
            prose.append(line)
            continue
        yield [line]
        if fence and not (inside == "" and line.strip().count("$$") == 2):
            inside = (
                "" if inside == line.strip() else inside or fence[1]
            )  # a named one ends nothing
    if prose:
        yield _filled(prose)


def _filled(prose: list[str]) -> list[str]:
    item = ITEM.match(prose[0])
    lead = item[1] if item else prose[0][: len(prose[0]) - len(prose[0].lstrip())]
    text = " ".join(line.strip() for line in prose)[len(lead.lstrip()) :]
    text = WHOLE.sub(lambda found: found[0].replace(" ", "\0"), text)
    text = MARK.sub("\0", text)
    filled = textwrap.wrap(
        text,
        WIDTH,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\0", " ") for line in filled]


def main() -> None:
    """Wrap the pages that are named, or all but the one that ``make paper`` fills into a template."""
    every = [path for path in pages() if path.name != "paper.md"]
    for path in [Path(name) for name in sys.argv[1:]] or every:
        text = path.read_text(encoding="utf-8")
        if wrapped(text) != text:
            path.write_text(wrapped(text), encoding="utf-8")
            sys.stdout.write(f"wrapped {path.name}\n")


if __name__ == "__main__":
    main()

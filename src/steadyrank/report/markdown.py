"""Findings as Markdown for GitHub: a verdict, tables, and the words of the text view.

Names stand in code spans and sentences in a fenced block, where nothing is interpreted: no HTML, no
link, no mention of a person. What the log of a workflow obeys (``::`` where a line begins, and ``##[``)
is written as an escape.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from steadyrank.report.audit_text import METHODS, verdict
from steadyrank.report.export import names_of, rows_of
from steadyrank.report.sharing import head_of
from steadyrank.report.terminal import Terminal
from steadyrank.report.text import plain_text
from steadyrank.text import LONGEST, readable, rounded_up, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from steadyrank.report.terminal import Findings, Row

ROWS = 100
"""Rows of a table that are written unless all are wanted: GitHub takes a summary of 1 MiB at most."""

SHARES = frozenset({"delta", "uncovered"})
"""Columns of shares that the text tells, too."""

OBEYED = re.compile(r"^(\s*)(:)(?=:)|()(#)(?=#\[)", re.MULTILINE)


def to_markdown(findings: Findings, terminal: Terminal | None = None) -> str:
    r"""Return any findings as Markdown, in which no name can be anything but text.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> found = Study(Votes(["@ann"] * 3 + ["b|c"] * 2)).check(1).findings()
    >>> print("\n".join(to_markdown(found).splitlines()[:5]))
    ### STABLE: top 1
    <BLANKLINE>
    ```text
    STABLE: top 1
    0 of the 5 votes change it when removed: a share of 0 (0 allowed).
    """
    page, document = terminal or Terminal(), findings["document"]
    title = verdict(findings) if document == "check" else document.capitalize()
    if findings.get("of") == "check":
        title = findings["headline"].removesuffix(".")  # which has no names in it
    source = "" if findings["source"] is None else f", {code(findings['source'])}"
    parts = [f"### {title}{source}"]
    most = None if page.everything else ROWS
    if document != "check":  # whose one row is told in words
        rows, names = list(rows_of(findings)), names_of(findings)
        columns = [_told(name, [row[n] for row in rows[:most]]) for n, name in enumerate(names)]
        parts.append(_table([head_of(name) for name in names], zip(*columns, strict=True), len(rows)))
    elif findings["method"] == "topk" and findings["flips"]["plain"]["listed"]:
        plain = findings["flips"]["plain"]
        listed = [_flip_cells(flip) for flip in plain["listed"][:most]]
        heads = ("without", "times", "drops out", "comes in")
        parts.append(_table(heads, listed, plain["distinct_units"]))
    text = plain_text(findings, page).rstrip()
    fence = "`" * max(3, _longest_run(text) + 1)
    told = "\n\n".join([*parts, f"{fence}text\n{text}\n{fence}\n"])
    return OBEYED.sub(lambda found: f"{found[1] or ''}\\x{ord(found[2] or found[4]):02x}", told)


def code(name: object) -> str:
    """Return a name as a code span.

    Examples
    --------
    >>> code("a|b"), code("`tick`")
    ('`a|b`', '`` `tick` ``')
    """
    text = shortened(name, LONGEST)
    around = "`" * (_longest_run(text) + 1)
    # One blank at each end is taken away again; without it, a name of ticks or blanks would lose some.
    pad = " " if not text.strip(" ") or {text[0], text[-1]} & {"`", " "} else ""
    return f"{around}{pad}{text}{pad}{around}"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _flip_cells(flip: Row) -> list[str]:
    moved = (", ".join(map(str, flip[way])) for way in ("leaves", "enters"))
    return [_named(str(flip["unit"])), f"{flip['count']:,}", *map(_named, moved)]


def _table(names: Sequence[str], rows: Iterable[Sequence[str]], number: int) -> str:
    """Return a table, and how many rows of it are not shown."""
    cells = [names, ["---"] * len(names), *rows]
    table = "\n".join(f"| {' | '.join(row)} |" for row in cells)
    more = number + 2 - len(cells)
    return f"{table}\n\n{more:,} more not shown." if more else table


def _told(name: str, cells: Sequence[Any]) -> list[str]:
    """Return a column as people read it: shares with the digits of the text below, names as names."""
    if name in SHARES:
        return ["" if share is None else rounded_up(share) for share in cells]
    if name == "category":
        return ["all rows" if one is None else _named(one) for one in cells]
    if name == "method":
        return [METHODS.get(method) or (_named(method) if method else "") for method in cells]
    texts = zip(cells, readable(cells), strict=True)
    return [_named(value) if isinstance(value, str) else text for value, text in texts]


def _named(name: str) -> str:
    # A table, and it alone, takes \| for a bar, whatever stands before it.
    return code(name).replace("|", "\\|")

"""Findings as Markdown for GitHub: a verdict, tables, and the words of the text view.

Names stand in code spans and sentences in a fenced block, where nothing is interpreted: no HTML, no
link, no mention of a person. What the log of a workflow obeys (``::`` where a line begins, and ``##[``)
is written as an escape.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from steadyrank.report.audit_text import verdict
from steadyrank.report.export import cell, names_of, rows_of
from steadyrank.report.sharing import LONGEST
from steadyrank.report.terminal import Terminal
from steadyrank.report.text import plain_text
from steadyrank.text import rounded_up, shortened

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
    | k | method | eps | delta | breaking_units | size | max_delta | stable |
    | --- | --- | --- | --- | --- | --- | --- | --- |
    | 1 | `topk` |  | 0.0 | 0 | 1 | 0.0 | true |
    """
    page, document = terminal or Terminal(), findings["document"]
    title = verdict(findings) if document == "check" else document.capitalize()
    source = "" if findings["source"] is None else f", {code(findings['source'])}"
    parts = [f"### {title}{source}"]
    rows, most = list(rows_of(findings)), None if page.everything else ROWS
    names = names_of(findings)
    cells = [[_told(*one) for one in zip(names, row, strict=True)] for row in rows[:most]]
    parts.append(_table(names, cells, len(rows)))
    if document == "check" and findings["method"] == "topk" and findings["flips"]["plain"]["listed"]:
        plain = findings["flips"]["plain"]
        listed = [_flip_cells(flip) for flip in plain["listed"][:most]]
        parts.append(_table(("without", "count", "leaves", "enters"), listed, plain["distinct_units"]))
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


def _flip_cells(flip: Row) -> list[object]:
    moved = (", ".join(map(str, flip[way])) for way in ("leaves", "enters"))
    return [str(flip["unit"]), flip["count"], *moved]


def _table(names: Sequence[str], rows: Iterable[Sequence[object]], number: int) -> str:
    """Return a table, and how many rows of it are not shown."""
    cells = [names, ["---"] * len(names), *([cell(value, _named) for value in row] for row in rows)]
    table = "\n".join(f"| {' | '.join(row)} |" for row in cells)
    more = number + 2 - len(cells)
    return f"{table}\n\n{more:,} more not shown." if more else table


def _told(name: str, value: object) -> object:
    """Return a share with the digits that the text below has, and all else as it is."""
    return float(rounded_up(value)) if name in SHARES and isinstance(value, float) else value


def _named(name: str) -> str:
    # A table, and it alone, takes \| for a bar, whatever stands before it.
    return code(name).replace("|", "\\|")

"""Findings as Markdown for GitHub: a verdict, tables, and the words of the text view.

Names stand in code spans and sentences in a fenced block, where nothing is interpreted: no HTML, no
link, no mention of a person. What the log of a workflow obeys (``::`` where a line begins, and ``##[``)
is written as an escape.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from steadyrank.report.tables import METHODS, WHOLE, split_tables, table
from steadyrank.report.terminal import Terminal
from steadyrank.report.text import plain_text, said
from steadyrank.text import LONGEST, MOVES, RANK_STANDINGS, STANDINGS, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steadyrank.report.terminal import Findings
    from steadyrank.text import Column

ROWS = 100
"""Rows of a table that are written unless all are wanted: GitHub takes a summary of 1 MiB at most."""

OURS = frozenset(
    {*METHODS.values(), *STANDINGS, *RANK_STANDINGS.values(), *MOVES, WHOLE}
)
"""Words of our own in columns of names: harmless, whoever wrote them."""

PLAIN = re.compile("[A-Za-z0-9 %,]+")
"""A title in which nothing is interpreted; some are names of columns."""

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
    0 of the 5 votes change the top 1 when removed: a share of 0 (0 allowed).
    """
    page, document = terminal or Terminal(), findings["document"]
    title = said(findings)[0] if document == "check" else document.capitalize()
    if findings.get("of") == "check":
        title = findings["headline"].removesuffix(".")  # which has no names in it
    source = "" if findings["source"] is None else f", {code(findings['source'])}"
    parts = [f"### {title}{source}"]
    if document == "split":
        parts += [_table(columns) for columns, _ in split_tables(findings, page)]
    else:
        columns, hidden = table(findings, page, None if page.everything else ROWS)
        parts += filter(None, [_table(columns), hidden] if columns else [])
    text = plain_text(findings, page).rstrip()
    fence = "`" * max(3, _longest_run(text) + 1)
    told = "\n\n".join([*parts, f"{fence}text\n{text}\n{fence}\n"])
    return OBEYED.sub(
        lambda found: f"{found[1] or ''}\\x{ord(found[2] or found[4]):02x}", told
    )


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


def _table(columns: Sequence[Column]) -> str:
    titles = [
        one.title if PLAIN.fullmatch(one.title) else _named(one.title)
        for one in columns
    ]
    heads = titles, ["---" if one.names else "---:" for one in columns]
    cells = [[*map(_named, one.cells)] if one.names else one.cells for one in columns]
    return "\n".join(
        f"| {' | '.join(row)} |" for row in (*heads, *zip(*cells, strict=True))
    )


def _named(name: str) -> str:
    if not name or name in OURS:
        return name
    # A table, and it alone, takes \| for a bar, whatever stands before it.
    return code(name).replace("|", "\\|")

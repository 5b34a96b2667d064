"""Findings as Markdown for GitHub: a verdict, and the text view.

Names stand in a code span or in a fenced block, where nothing is interpreted: no HTML, no
link, no mention of a person. What the log of a workflow obeys (``::`` where a line begins, and ``##[``)
is written as an escape.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from steadyrank.report.audit_text import verdict
from steadyrank.report.terminal import Terminal
from steadyrank.report.text import plain_text
from steadyrank.text import LONGEST, shortened

if TYPE_CHECKING:
    from steadyrank.report.terminal import Findings

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
    title = verdict(findings) if document == "check" else document.capitalize()
    if findings.get("of") == "check":
        title = findings["headline"].removesuffix(".")  # which has no names in it
    source = "" if findings["source"] is None else f", {code(findings['source'])}"
    text = plain_text(findings, page).rstrip()
    fence = "`" * max(3, _longest_run(text) + 1)
    told = f"### {title}{source}\n\n{fence}text\n{text}\n{fence}\n"
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

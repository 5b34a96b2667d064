"""Findings as tables for pages and notebooks. No script; names are text alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyrank.report.tables import rows_shown, table
from steadyrank.report.terminal import Terminal
from steadyrank.report.text import said
from steadyrank.text import ROWS, counted, html_table

if TYPE_CHECKING:
    from steadyrank.report.terminal import Findings

COLOURS = {"sure": "#0072B2", "contender": "#D55E00", "out": "#7F8894"}
"""After Okabe and Ito; the page and the plots have the same, each with a shape of its own."""


def title_of(findings: Findings) -> str:
    """Return the title of a page or picture that nobody gave one."""
    if findings["document"] != "top-k":
        return "What moved"
    return f"Stable top {findings['k']:,} of {counted(findings['n_items'], findings['item_name'])}"


def table_fragment(findings: Findings) -> str:
    """Return any findings as small HTML, for pages and notebooks: no script, no style sheet.

    What was found stands above the table, and what may be claimed below it.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> answer = Study(Votes(["<b>"] * 5 + ["c"] * 3)).topk(k=1, delta=0)
    >>> "&lt;b&gt;" in table_fragment(answer.findings())
    True
    """
    last = max(
        (row["rank"] for row in rows_shown(findings)[0] if row.get("listed")), default=0
    )
    columns, hidden = table(findings, Terminal(), max(ROWS, min(last + 5, 4 * ROWS)))
    title, *foot = said(findings)
    return html_table(title, columns, " ".join(filter(None, [hidden, *foot])))

"""Findings to pass on: tables for pages and notebooks, and a badge. No script; names are text alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyrank.report.tables import rows_shown, table
from steadyrank.report.terminal import Terminal
from steadyrank.report.text import said
from steadyrank.text import ROWS, as_markup, counted, html_table

if TYPE_CHECKING:
    from steadyrank.report.terminal import Findings

COLOURS = {"sure": "#0072B2", "contender": "#D55E00", "out": "#7F8894"}
"""After Okabe and Ito; the page and the plots have the same, each with a shape of its own."""


def badge_svg(findings: Findings) -> str:
    """Return a badge such as ``top 5 | 4 sure · margin 3``.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> badge_svg(stable_topk(Votes(["a"] * 9 + ["b"] * 2), 1).findings())[:22]
    '<svg xmlns="http://www'
    """
    left, right, colour = f"top {findings['k']:,}", "not audited", COLOURS["out"]
    sure, margin = findings["summary"]["sure"], findings["margin"]
    if sure is not None and margin is not None:
        number = f"{'' if margin['exact'] else '≥ '}{margin['lower']:,}"
        right = f"{sure:,} sure · margin {'never' if margin['never'] else number}"
        colour = COLOURS["contender" if findings["summary"]["contenders"] else "sure"]
    first, both = 7 * len(left) + 14, 7 * (len(left) + len(right)) + 28
    text = as_markup(f"{left}: {right}. {findings['headline']}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{both}" height="20" role="img" '
        f'aria-label="{text}"><title>{text}</title>'
        f'<rect width="{both}" height="20" rx="3" fill="{colour}"/>'
        f'<path d="M3 0h{first - 3}v20h-{first - 3}a3 3 0 0 1-3-3v-14a3 3 0 0 1 3-3z" fill="#444"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" '
        f'font-size="11"><text x="{first / 2}" y="14" textLength="{7 * len(left)}">{left}</text>'
        f'<text x="{(first + both) / 2}" y="14" textLength="{7 * len(right)}">{right}</text></g></svg>\n'
    )


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
    >>> from steadyrank import Votes, stable_topk
    >>> answer = stable_topk(Votes(["<b>"] * 5 + ["c"] * 3), k=1, delta=0)
    >>> "&lt;b&gt;" in table_fragment(answer.findings())
    True
    """
    last = max(
        (row["rank"] for row in rows_shown(findings)[0] if row.get("listed")), default=0
    )
    columns, hidden = table(findings, Terminal(), max(ROWS, min(last + 5, 4 * ROWS)))
    title, *foot = said(findings)
    return html_table(title, columns, " ".join(filter(None, [hidden, *foot])))

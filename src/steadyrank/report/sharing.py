"""Findings to pass on: tables for pages and notebooks, and a badge. No script; names are text alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyrank.report.audit_text import audit_columns, verdict
from steadyrank.report.export import names_of, rows_of
from steadyrank.report.terminal import Column, Terminal
from steadyrank.report.text import item_columns
from steadyrank.text import RANK_STANDINGS, ROWS, as_markup, counted, eps_in_words, html_of, html_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steadyrank.report.terminal import Findings

COLOURS = {"sure": "#0072B2", "contender": "#D55E00", "out": "#7F8894"}
"""After Okabe and Ito; the page and the plots have the same, each with a shape of its own."""

HEADS = {
    "away": "to flip",
    "share": "in the top",
    "critical_eps": "enters at eps",
    "listed": "in the list",
}
"""Columns whose names are not what people call them."""


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


def table_of(findings: Findings) -> str:
    """Return any findings as small HTML, for notebooks: a table, with what is claimed below it.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> answer = stable_topk(Votes(["<b>"] * 5 + ["c"] * 3), k=1, delta=0)
    >>> "&lt;b&gt;" in table_of(answer.findings())
    True
    """
    if findings["document"] in {"top-k", "ranking"}:
        return table_fragment(findings)
    if findings["document"] != "audit":
        return _plain_table(findings)
    eps = "" if findings["eps"] is None else f", eps = {eps_in_words(findings['eps'])}"
    units = counted(findings["n_units"], findings["unit"])
    title = f"Audit: {units} removed one at a time, {findings['scorer']}{eps}"
    return _html(title, audit_columns(findings["audit"], findings, Terminal()))


def _plain_table(findings: Findings) -> str:
    """Return the table that every document has, under its sentence and above the words of its claim."""
    title = findings.get("headline") or findings.get("sentence") or verdict(findings)
    rows, names = list(rows_of(findings)), names_of(findings)
    columns = {head_of(name): [row[place] for row in rows] for place, name in enumerate(names)}
    told = (findings.get(name) for name in ("stability", "top_sentence"))
    return html_of(title, columns, " ".join(filter(None, told)))


def head_of(name: str) -> str:
    """Return the heading of a column for people."""
    return HEADS.get(name, name.replace("_", " "))


def table_fragment(findings: Findings, *, rows: int = ROWS) -> str:
    """Return the answer as a table that can stand in any page: no script, no style sheet.

    What is not known has no column.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> "&lt;b&gt;" in table_fragment(stable_topk(Votes(["<b>"] * 5 + ["c"] * 3), 1).findings())
    True
    """
    last = max((row["rank"] for row in findings["rows"] if row.get("listed")), default=0)
    listed = findings["rows"][: max(rows, min(last + 5, 4 * rows))]
    words = {name: name for name in COLOURS} if "size" in findings else RANK_STANDINGS
    standings = [words.get(row["standing"], "") for row in listed]
    item, score, *rest = item_columns(listed, findings, Terminal(), findings.get("k"))
    ranks = Column("rank", [f"{row['rank']:,}" for row in listed], 9)
    foot = [findings["certificate"]["sentence"]]
    if hidden := findings["n_items"] - len(listed):
        foot.append(f"{counted(hidden, 'more item')} {'is' if hidden == 1 else 'are'} not shown.")
    if findings["confidence"] is not None:
        foot.append(findings["confidence"]["sentence"])
    columns = [ranks, item, score, Column("standing", standings, 9, names=True), *rest]
    return _html(findings["headline"], columns, " ".join(foot))


def _html(title: str, columns: Sequence[Column], foot: str = "") -> str:
    """Return the columns that tell something as a small table."""
    kept = [column for column in columns if any(column.cells)]
    return html_table(title, [(column.title, column.cells, column.names) for column in kept], foot)

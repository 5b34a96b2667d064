"""Findings as small HTML tables, for notebooks. Names come from strangers and are escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from steadyrank.report.audit_text import audit_cells
from steadyrank.report.sharing import html_table, item_table, table_fragment
from steadyrank.report.text import plain_text
from steadyrank.text import RANK_STANDINGS, counted, ranks_in_words

if TYPE_CHECKING:
    from steadyrank.report.lines import Findings

ROWS = 25
"""How many items of a ranking a table shows."""


def table_of(findings: Findings) -> str:
    """Return any findings as an HTML table, with what is claimed below it.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> answer = stable_topk(Votes(["<b>"] * 5 + ["c"] * 3), k=1, delta=0)
    >>> "&lt;b&gt;" in table_of(answer.findings())
    True
    """
    views = {"top-k": table_fragment, "ranking": _ranking, "audit": _audit}
    if findings["document"] in views:
        return views[findings["document"]](findings)
    return f"<pre>{escape(plain_text(findings))}</pre>"


def _audit(findings: Findings) -> str:
    eps = "" if findings["eps"] is None else f", eps = {findings['eps']:.4g}"
    units = counted(findings["n_units"], findings["unit"])
    rows = []
    for row in findings["audit"]:
        k, jaccard, size = audit_cells(row)
        uncovered = "" if row["uncovered"] is None else f"{row['uncovered']:.4g}"
        rows.append((row["method"], k, f"{row['delta']:.4g}", uncovered, jaccard, size))
    title = f"Audit: {units} left out one at a time, {findings['scorer']}{eps}"
    names = ("method", "k", "delta", "uncovered", "Jaccard", "size")
    return html_table(title, names, rows, numbers={1, 2, 3, 4, 5})


def _ranking(findings: Findings) -> str:
    listed = findings["rows"][:ROWS]
    sets: list[list[str]] = [[] for _ in listed]
    if findings["eps"] is not None:
        sets = [[ranks_in_words(row["inflated_best"], row["inflated_worst"])] for row in listed]
    titles = ["inflated ranks"] * (findings["eps"] is not None)
    return item_table(findings, listed, RANK_STANDINGS, titles, sets)

"""Findings as small HTML tables, for notebooks. Names come from strangers and are escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from steadyrank.report.audit_text import audit_cells
from steadyrank.report.text import plain_text
from steadyrank.safe_text import shortened, shown
from steadyrank.wording import RANK_STANDINGS, STANDINGS, counted, ranks_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Findings = Mapping[str, Any]

ROWS = 25
"""How many items a table shows."""

LONGEST = 80


def table_of(findings: Findings) -> str:
    """Return any findings as an HTML table, with what is claimed below it.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> answer = stable_topk(Votes(["<b>"] * 5 + ["c"] * 3), k=1, delta=0)
    >>> "&lt;b&gt;" in table_of(answer.findings())
    True
    """
    if findings["document"] in {"top-k", "ranking"}:
        return _answer(findings)
    if findings["document"] == "audit":
        return _audit(findings)
    return f"<pre>{escape(plain_text(findings))}</pre>"


def _audit(findings: Findings) -> str:
    title = (
        f"Audit: {counted(findings['n_units'], findings['unit'])} left out one at a time, "
        f"{findings['scorer']}, eps = {findings['eps']:.4g}"
    )
    rows = []
    for row in findings["audit"]:
        k, jaccard, size = audit_cells(row)
        rows.append((row["method"], k, f"{row['delta']:.4g}", jaccard, size))
    return _table(title, ("method", "k", "delta", "Jaccard", "size"), rows, numbers={1, 2, 3, 4})


def _answer(findings: Findings) -> str:
    if findings["document"] == "top-k":
        size, certain = findings["summary"]["size"], findings["summary"]["certain"]
        title = f"Stable top {findings['k']:,}: {size:,} items, {certain:,} surely in"
        limit, words = max(ROWS, min(size + 5, 4 * ROWS)), STANDINGS
    else:
        title = f"Stable ranking of {findings['n_items']:,} items in {len(findings['tiers']):,} tiers"
        limit, words = ROWS, RANK_STANDINGS
    title += f" (eps = {findings['eps']:.4g})"
    rows = []
    for row in findings["rows"][:limit]:
        name = shortened(row["item"], LONGEST)
        interval = ranks_in_words(row["best_rank"], row["worst_rank"])
        rows.append((f"{row['rank']:,}", name, f"{row['score']:.5g}", words[row["standing"]], interval))
    more = findings["n_items"] - len(rows)
    foot = findings["certificate"]["sentence"] + (f" {more:,} more items are not shown." if more else "")
    names = ("rank", "item", "score", "standing", "rank interval")
    return _table(title, names, rows, numbers={0, 2, 4}, foot=foot)


def _table(
    title: str, names: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: set[int], foot: str = ""
) -> str:
    sides = ["right" if place in numbers else "left" for place in range(len(names))]
    head = _row("th", "{}", names, sides)
    body = "".join(_row("td", "<bdi>{}</bdi>", row, sides) for row in rows)
    below = f'<p style="max-width:50em">{_safe(foot)}</p>' if foot else ""
    return (
        f'<div><table><caption style="text-align:left">{_safe(title)}</caption>'
        f"<thead>{head}</thead><tbody>{body}</tbody></table>{below}</div>"
    )


def _row(tag: str, inside: str, cells: Sequence[str], sides: Sequence[str]) -> str:
    made = (
        f'<{tag} style="text-align:{side}">{inside.format(_safe(cell))}</{tag}>'
        for cell, side in zip(cells, sides, strict=True)
    )
    return f"<tr>{''.join(made)}</tr>"


def _safe(text: str) -> str:
    return escape(shown(text))

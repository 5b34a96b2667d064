"""Results as small HTML tables, for notebooks. Names come from strangers and are escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from steadyrank.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from steadyrank.stability.answers import Answer, StableRanking, StableTopK
    from steadyrank.stability.audit import Audit

ROWS = 25
"""How many items a table shows."""

LONGEST = 80
WORDS = {"certain": "surely in", "contender": "contender", "out": "out"}
RANKING_WORDS = {"certain": "fixed", "contender": "may move"}


def topk_html(answer: StableTopK) -> str:
    """Return a stable top-k as an HTML table with its certificate.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> "&lt;b&gt;" in topk_html(stable_topk(Votes(["<b>"] * 5 + ["c"] * 3), k=1, delta=0))
    True
    """
    title = (
        f"Stable top {answer.k:,}: {answer.size:,} items, {len(answer.certain):,} surely in "
        f"(eps = {answer.eps:.4g})"
    )
    limit = max(ROWS, min(answer.size + 5, 4 * ROWS))
    return _answer_html(title, answer, limit, WORDS)


def ranking_html(answer: StableRanking) -> str:
    """Return a stable ranking as an HTML table with its certificate.

    Examples
    --------
    >>> from steadyrank import Votes, stable_ranking
    >>> answer = stable_ranking(Votes(["ann"] * 50 + ["bob"] * 30), delta=0)
    >>> "2 tiers" in ranking_html(answer)
    True
    """
    title = (
        f"Stable ranking of {len(answer.items):,} items in {len(answer.tiers):,} tiers "
        f"(eps = {answer.eps:.4g})"
    )
    return _answer_html(title, answer, ROWS, RANKING_WORDS)


def audit_html(audit: Audit) -> str:
    """Return an audit as an HTML table.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, audit
    >>> result = audit(ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]]), k=2, eps=0.5)
    >>> audit_html(result).count("<tr>")
    5
    """
    title = (
        f"Audit: {counted(audit.units.total, audit.units.kind)} left out one at a time, {audit.scorer}, "
        f"eps = {audit.eps:.4g}"
    )
    rows = [
        (
            row.method,
            "" if row.k is None else f"{row.k:,}",
            f"{row.delta:.4g}",
            "" if row.jaccard is None else f"{row.jaccard:.4f}",
            _size(row.size, row.log10_size),
        )
        for row in audit.table
    ]
    return _table(title, ("method", "k", "delta", "Jaccard", "size"), rows, numbers={1, 2, 3, 4})


def _size(size: int | None, log10: float | None) -> str:
    if size is None or log10 is None:
        return "not counted"
    return f"{size:,}" if log10 < 9 else f"about 10^{log10:.2f}"


def _answer_html(title: str, answer: Answer, limit: int, words: dict[str, str]) -> str:
    rows = [
        (
            f"{row.rank:,}",
            _short(row.item),
            f"{row.score:.5g}",
            words[row.standing],
            f"{row.lowest:,}–{row.highest:,}",
        )
        for row in answer.rows(limit)
    ]
    more = len(answer.items) - len(rows)
    foot = answer.certificate.sentence + (f" {more:,} more items are not shown." if more else "")
    names = ("rank", "item", "score", "standing", "rank interval")
    return _table(title, names, rows, numbers={0, 2, 4}, foot=foot)


def _short(item: object) -> str:
    text = str(item)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _table(
    title: str,
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: set[int],
    foot: str = "",
) -> str:
    align = ["right" if place in numbers else "left" for place in range(len(names))]
    head = "".join(
        f'<th style="text-align:{side}">{escape(name)}</th>'
        for name, side in zip(names, align, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:{side}"><bdi>{_safe(cell)}</bdi></td>'
            for cell, side in zip(row, align, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    below = f'<p style="max-width:50em">{_safe(foot)}</p>' if foot else ""
    return (
        f'<div><table><caption style="text-align:left">{_safe(title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}</div>"
    )


def _safe(text: str) -> str:
    """Escape text; what UTF-8 cannot hold becomes a question mark."""
    return escape(text.encode("utf-8", "replace").decode("utf-8"))

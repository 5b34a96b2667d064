"""Results as a few lines of plain text: what ``print`` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyrank.wording import counted, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from steadyrank.stability.answers import AnswerRow, StableRanking, StableTopK
    from steadyrank.stability.audit import Audit
    from steadyrank.stability.outcomes import Outcome

SHOWN = 20
"""How many rows are shown before the rest is only counted."""

WIDEST = 40
"""Longer labels are cut."""


def topk_text(answer: StableTopK) -> str:
    """Return the members of a stable top-k and its certificate."""
    head = (
        f"Stable top {answer.k} of {counted(len(answer.items), 'item')} by {answer.scorer}: "
        f"{counted(answer.size, 'member')}, eps = {answer.eps:.6g}"
    )
    if answer.size == len(answer.items) > answer.k:
        head += " (every item is a member)"
    shown = list(answer.rows(min(answer.size, SHOWN)))
    return "\n".join([head, *_answer_table(shown), *_rest(answer.size), "", str(answer.certificate)])


def ranking_text(answer: StableRanking) -> str:
    """Return the first places of a stable ranking and its certificate."""
    head = (
        f"Stable ranking of {counted(len(answer.items), 'item')} by {answer.scorer}: "
        f"{counted(len(answer.tiers), 'tier')}, eps = {answer.eps:.6g}"
    )
    lines = [head, *_answer_table(list(answer.rows(SHOWN))), *_rest(len(answer.items))]
    return "\n".join([*lines, "", str(answer.certificate)])


def audit_text(audit: Audit) -> str:
    """Return the table of an audit."""
    head = (
        f"{counted(audit.units.total, audit.units.kind)} left out in turn: "
        f"{counted(len(audit.items), 'item')}, {audit.scorer}, eps = {audit.eps:.6g}"
    )
    names = ("method", "k", "delta", "jaccard", "size")
    rows = [_outcome_cells(row) for row in audit.table]
    share = f"{audit.share_reaching_eps:.4g}"
    moved = f"share of {plural(audit.units.kind)} that move the scores by eps or more: {share}"
    return "\n".join([head, *_table(names, rows), moved])


def _outcome_cells(row: Outcome) -> tuple[str, ...]:
    k = "" if row.k is None else f"{row.k}"
    jaccard = "-" if row.jaccard is None else f"{row.jaccard:.4f}"
    return row.method, k, f"{row.delta:.4g}", jaccard, row.size_in_words


def _answer_table(rows: Sequence[AnswerRow]) -> list[str]:
    names = ("rank", "item", "score", "ranks", "standing")
    cells = [
        (
            f"{row.rank}",
            _label(row.item),
            f"{row.score:.6g}",
            f"{row.lowest}" if row.lowest == row.highest else f"{row.lowest}-{row.highest}",
            row.standing,
        )
        for row in rows
    ]
    return _table(names, cells)


def _label(label: object) -> str:
    """Return a label on one line: characters that would move the cursor are written out."""
    text = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in str(label))
    return text if len(text) <= WIDEST else text[: WIDEST - 3] + "..."


def _rest(total: int) -> list[str]:
    return [f"  ... and {total - SHOWN:,} more"] if total > SHOWN else []


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [tuple(names), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]

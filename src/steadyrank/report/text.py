"""Findings as lines of text: what ``print``, a terminal and a log show of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyrank.report.answer_text import comparison_lines, confidence_lines, ranking_lines, topk_lines
from steadyrank.report.audit_text import audit_lines, check_lines
from steadyrank.report.lines import heading, notes
from steadyrank.report.margin_text import explanation_lines, margin_lines, needed_lines
from steadyrank.report.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from steadyrank.report.lines import Findings, Line

VIEWS: dict[str, Callable[[Findings, Terminal], Iterator[Line]]] = {
    "top-k": topk_lines,
    "ranking": ranking_lines,
    "audit": audit_lines,
    "check": check_lines,
    "margin": margin_lines,
    "confidence": confidence_lines,
    "random-audit": audit_lines,
    "explanation": explanation_lines,
    "needed": needed_lines,
    "comparison": comparison_lines,
}
"""What stands between the heading and the notes of each document."""


def plain_text(findings: Findings, terminal: Terminal | None = None) -> str:
    """Return the lines without colours, by default for 80 columns."""
    return "\n".join(line.text for line in lines(findings, terminal or Terminal()))


def lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of any findings; long tables are shortened unless the terminal wants all."""
    if findings["document"] != "check":  # whose verdict comes first
        yield from heading(findings, terminal)
    yield from VIEWS[findings["document"]](findings, terminal)
    yield from notes(findings, terminal)

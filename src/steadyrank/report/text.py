"""Findings as lines of text: what ``print``, a terminal and a log show of a result.

Answers and audits have modules of their own; margins, explanations and what it would take stand here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyrank.report.answer_text import comparison_lines, confidence_lines, ranking_lines, topk_lines
from steadyrank.report.audit_text import audit_lines, check_lines
from steadyrank.report.lines import FAINT, NEXT_IN_LINE, Line, heading, notes, paragraph
from steadyrank.report.terminal import Terminal
from steadyrank.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from steadyrank.report.lines import Findings

FEW_NEIGHBOURS = 20
"""Neighbours of a ranking of which it is said how well they hold."""


def plain_text(findings: Findings, terminal: Terminal | None = None) -> str:
    """Return the lines without colours, by default for 80 columns."""
    return "\n".join(line.text for line in lines(findings, terminal or Terminal()))


def lines(findings: Findings, terminal: Terminal) -> list[Line]:
    """Return the lines of any findings; long tables are shortened unless the terminal wants all."""
    # The verdict of a check comes first.
    first = [] if findings["document"] == "check" else heading(findings, terminal)
    return [*first, *VIEWS[findings["document"]](findings, terminal), *notes(findings, terminal)]


def margin_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield how many units must leave, which ones, and what then happens."""
    yield from paragraph(findings["sentence"], terminal)
    removed = findings["units_removed"]
    if findings["upper"] is not None:
        leaves, enters = (", ".join(map(terminal.safe, findings[name])) for name in ("leaves", "enters"))
        told = f"{terminal.safe(findings['passing'])} then passes {terminal.safe(findings['passed'])}"
        told += f"; out of the top: {leaves}; into it: {enters}" if leaves or enters else ""
        unit = findings["unit_added"]
        added = "" if unit is None else f" with {terminal.safe(unit)}"
        yield from paragraph(f"Tried{added} and seen: {told}", terminal)
        shown = removed["listed"][: None if terminal.everything else NEXT_IN_LINE]
        for unit in shown:
            yield Line(f"   {unit['count']:,} x {terminal.safe(unit['unit'])}", FAINT)
        if hidden := removed["distinct_units"] - len(shown):
            yield Line(f"   and {counted(hidden, 'more kind')}", FAINT)
    yield from _distance_lines(findings, terminal)
    for text in (f"rule: {findings['rule']}", *findings["assumed"]):
        yield from paragraph(f"{text[0].upper()}{text[1:]}.", terminal, style=FAINT)


def _distance_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield how far items are from crossing the border, or from being passed by the next."""
    units, near = findings["units"], findings.get("distances")
    rows = [
        (row["lower"], f"{row['item']} before {row['next']} passes it") for row in findings["neighbours"]
    ]
    if near is not None:
        ways = {True: "leaves", False: "enters"}
        rows = [
            (row["lower"], f"{row['rank']:,}. {row['item']} {ways[row['rank'] <= near['k']]}")
            for row in near["items"]
        ]
    if rows:
        yield Line("")
        yield Line(f"So many {units} must leave, at least:", "bold")
    for lower, told in rows if terminal.everything else rows[: 2 * FEW_NEIGHBOURS]:
        never = lower >= findings["n_units"]
        yield Line(f"   {'all' if never else f'{lower:,}':>9}  {terminal.safe(told)}")
    if near is not None and len(near["items"]) < findings["n_items"]:
        yield Line(f"   {near['beyond']:>9,}  any other item crosses the border", FAINT)
    if rows:
        yield Line("")


def explanation_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield an item's rivals, and the units for and against it."""
    yield from paragraph(findings["sentence"], terminal)
    top = f"the top {findings['k']:,}"
    if findings["away"] is not None:
        border = f"{'leaves' if findings['inside'] else 'enters'} {top}"
        number, units = findings["away"], counted(findings["n_units"], findings["unit"])
        told = f"At least {number:,} of {units} must leave before it {border}."
        if number >= findings["n_units"]:
            told = f"Whoever of the {units} leaves, it never {border}."
        yield from paragraph(told, terminal)
    yield Line("Rivals", "bold")
    for rival in findings["rivals"]:
        told = f"{rival['item']} (rank {rival['rank']:,}), difference {rival['gap']:+.4g}"
        yield from paragraph(f"{told}: {rival['sentence']}", terminal, bullet=terminal.sign("·", "-"))
    titles = (f"Hold it in {top}", "Work against it"), ("Work for it", f"Keep it out of {top}")
    sides = zip(titles[not findings["inside"]], ("units_for", "units_against"), (1, -1), strict=True)
    for title, number, sign in sides:
        rows = [row for row in findings["rows"] if row["contribution"] * sign > 0]
        shown = rows if terminal.everything else rows[:NEXT_IN_LINE]
        yield Line(f"{title}: {counted(findings[number], terminal.safe(findings['unit']))}", "bold")
        for row in shown:
            numbers = f"{row['contribution']:+.4g} each, without one {row['gap_without']:+.4g}"
            said = f" ({row['said']})" if row["said"] else ""
            unit = f"{numbers}: {row['count']:,} x {row['unit']}{said}"
            yield from paragraph(unit, terminal, bullet=" ")
        if len(rows) > len(shown):
            yield Line(f"   and {counted(len(rows) - len(shown), 'more kind')}", FAINT)


def needed_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield how many units a model says it would take."""
    yield from paragraph(findings["sentence"], terminal)
    yield from paragraph(f"Computed from {findings['basis']}.", terminal, style=FAINT)


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

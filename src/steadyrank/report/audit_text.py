"""Audits, checks, margins and explanations as lines of text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from steadyrank.report.terminal import FAINT, NEXT_IN_LINE, Column, Layout, Line, guessed, paragraph
from steadyrank.text import counted, eps_in_words, in_words, rounded_up, size_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from steadyrank.report.terminal import Findings, Row, Terminal

METHODS = {
    "topk": "plain top-k",
    "inflated_topk": "inflated top-k",
    "ranking": "plain ranking",
    "inflated_ranking": "inflated ranking",
}

ADDED = 5
"""Items that a remedy adds and that are named."""

FLIPS = 3
"""Units that change the top k and that are shown."""

SHOWN = 40
"""Items of which it is said how far they are from a border."""


def audit_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of an audit, of every unit or of random sets."""
    units, unit = findings["units"], findings["unit"]
    told = f"We removed each of the {counted(findings['n_units'], unit)} in turn."
    legend = [
        "Broken by: {} whose removal leaves fewer than k items (rankings: no ranking) in common.",
        "Uncovered: {} whose removal puts the new plain answer outside this one.",
    ]
    if findings["document"] == "random-audit":
        told, units, unit = findings["sentence"], "random sets", "random set"
        legend.append("Limits: of the share among all such removals, each row alone (Clopper-Pearson).")
    yield from paragraph(f"{told} {_inflated_how(findings)}", terminal)
    yield Line("")
    rows = sorted(findings["audit"], key=lambda row: (row["k"] is None, row["k"]))
    title, *table = Layout(audit_columns(rows, findings, terminal), terminal).lines()
    yield Line(title, "bold")
    for text, row in zip(table, rows, strict=True):
        yield Line(text, "green" if row["method"].startswith("inflated") else "")
    for text in legend:
        if text.partition(":")[0].lower() in title:  # there was room for the column
            yield from paragraph(text.format(units), terminal, style=FAINT)
    yield Line("")
    for flips in findings["flips"]:
        yield from _flip_lines(flips, unit, terminal)


def _inflated_how(findings: Findings) -> str:
    """Return where the eps of inflated answers comes from."""
    if findings["eps"] is not None:
        eps, share = eps_in_words(findings["eps"]), rounded_up(findings["share_reaching_eps"])
        return (
            f"Inflated at eps = {eps}. A share {share} of them moves the scores by eps or more; no "
            "inflated answer breaks more often than that."
        )
    allowed = f" for all but a share {findings['delta']:g} of the {findings['units']}"
    holds = (
        "the plain answer without a unit is inside it"
        if findings["guarantee"] == "cover"
        else "the inflated answer without a unit shares k items (a ranking) with it"
    )
    kept = allowed if findings["delta"] else ""
    return f"Each inflated answer is the smallest known where {holds}{kept}."


def audit_columns(rows: Sequence[Row], findings: Findings, terminal: Terminal) -> list[Column]:
    """Return what is told of audited methods, for every view of them."""
    number = findings.get("samples", findings["n_units"])
    names = [METHODS.get(row["method"]) or str(row["method"]) for row in rows]
    sizes = [size_in_words(row["size"], row["log10_size"]) for row in rows]
    last = Column("Jaccard", _numbers(rows, "jaccard", "{:.4f}"), 2)
    if findings["document"] == "random-audit":
        limits = [_limits(row["lower"], row["upper"]) for row in rows]
        last = Column(f"{findings['confidence']:.0%} limits", limits, 7)
    columns = [
        Column("answer", names, 9, names=True, least=max(map(len, METHODS.values()))),
        Column("k", _numbers(rows, "k", "{:,}"), 8),
        Column("broken by", _numbers(rows, "delta", "{:,.0f}", number), 7),
        Column("uncovered", _numbers(rows, "uncovered", "{:,.0f}", number), 6),
        Column("delta", _numbers(rows, "delta", "{:.4f}"), 3),
        last,
        Column("size", sizes, 5),
    ]
    if terminal.verbose:
        given = findings["eps"] is not None
        told = [row["eps"] and eps_in_words(row["eps"], given=given) for row in rows]
        columns.append(Column("eps", [eps or "" for eps in told], 4))
    return columns


def _numbers(rows: Sequence[Row], name: str, form: str, times: int = 1) -> list[str]:
    """Return numbers as text, shares as numbers of so many; blank where there is none."""
    return ["" if row[name] is None else form.format(times * row[name]) for row in rows]


def _limits(lower: float, upper: float) -> str:
    """Return limits rounded outward, so that they hold as they are printed."""
    return f"{math.floor(lower * 1e4) / 1e4:.4f} to {math.ceil(upper * 1e4) / 1e4:.4f}"


def check_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield whether a top-k is stable enough, and what would be."""
    passed, margin = findings["stable"], findings["margin"]
    told = [_checked(findings), margin["sentence"]]
    if (fewest := findings["min_margin"]) is not None:
        held = "enough" if margin["never"] or margin["lower"] >= fewest else "too few"
        how = "No removal does it" if margin["never"] else f"The margin is at least {margin['lower']:,}"
        told.append(f"{how}; {fewest:,} asked for: {held}.")
    yield from paragraph(verdict(findings), terminal, style="bold green" if passed else "bold red")
    yield from guessed(findings, terminal)
    for text in told:
        yield from paragraph(text, terminal)
    for warning in findings["warnings"]:
        yield from paragraph(warning, terminal, bullet="!", style="yellow")
    if findings["uncovered"] > findings["max_delta"]:
        yield from paragraph(_remedy(findings, terminal), terminal)
    yield Line("")
    if not passed and findings["method"] == "topk":
        yield from _flip_lines(findings["flips"], findings["unit"], terminal)


def verdict(findings: Findings) -> str:
    """Return in a few words, none of them from the data, what was checked and how that ended."""
    what = f"top {findings['k']:,}"
    if findings["eps"] is not None:
        what = f"inflated top {findings['k']:,} at eps = {eps_in_words(findings['eps'])}"
    return f"{'STABLE' if findings['stable'] else 'UNSTABLE'}: {what}"


def _checked(findings: Findings) -> str:
    number = round(findings["uncovered"] * findings["n_units"])
    change, bring = ("change", "bring") if number != 1 else ("changes", "brings")
    lacking = f"{bring} an item that it lacks into the top {findings['k']:,}"
    does = f"{change} it" if findings["method"] == "topk" else lacking
    units = counted(findings["n_units"], findings["unit"])
    share, allowed = rounded_up(findings["uncovered"]), eps_in_words(findings["max_delta"])
    return f"{number:,} of the {units} {does} when removed: a share of {share} ({allowed} allowed)."


def _remedy(findings: Findings, terminal: Terminal) -> str:
    remedy, k = findings["remedy"], findings["k"]
    more = remedy["size"] - k - ADDED
    added = ", ".join(map(str, remedy["items"][k:][:ADDED])) + (f" and {more:,} more" * (more > 0))
    added += f", or the inflated top {k:,} at eps = {rounded_up(remedy['eps'])}" * terminal.verbose
    does = "pass" if findings["min_margin"] is None else "keep within the share allowed"
    return f"A list of {counted(remedy['size'], 'item')} would {does}, with {added}."


def _flip_lines(flips: Row, unit: str, terminal: Terminal) -> Iterator[Line]:
    """Yield the first units that change the plain top-k, and what they change."""
    plain = flips["plain"]
    if not plain["units"]:
        return
    number = counted(plain["units"], terminal.safe(unit))
    yield Line(f"Removing one of these changes the top {flips['k']:,}: {number}", "bold")
    for flip in plain["listed"][:FLIPS]:
        leaves, enters = (", ".join(map(str, flip[way])) for way in ("leaves", "enters"))
        times = f" ({flip['count']:,} times)" if flip["count"] > 1 else ""
        space = max(12, (terminal.width - 30) // 3)
        parts = [terminal.fit(part, space).rstrip() for part in (flip["unit"], leaves, enters)]
        yield Line(f"   without {parts[0]}{times}: {parts[1]} {terminal.sign('→', '->')} {parts[2]}")
    if (more := plain["distinct_units"] - FLIPS) > 0:
        yield Line(f"   and {more:,} more{terminal.hint('--json lists them')}", FAINT)
    yield Line("")


def margin_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield how many units it takes, which ones, and what then happens."""
    yield from paragraph(findings["sentence"], terminal)
    if findings["upper"] is not None:
        leaves, enters = (", ".join(map(str, findings[name])) for name in ("leaves", "enters"))
        passed, passing = str(findings["passed"]), str(findings["passing"])
        told = f"{_example(findings)}, {passing} overtakes {passed}"
        if (leaves, enters) not in {("", ""), (passed, passing)}:
            told += f"; out of the top: {leaves}; into it: {enters}"
        yield from paragraph(f"Example: {told}.", terminal)
        removed = findings["units_removed"]
        shown = removed["listed"][: None if terminal.everything else NEXT_IN_LINE]
        for unit in shown:
            yield Line(f"   {unit['count']:,} x {terminal.safe(unit['unit'])}", FAINT)
        yield from _more_kinds(removed["distinct_units"] - len(shown))
    yield from _distance_lines(findings, terminal)
    for text in (f"rule: {findings['rule']}", *findings["assumed"]):
        yield from paragraph(f"{text[0].upper()}{text[1:]}.", terminal, style=FAINT)


def _example(findings: Findings) -> str:
    """Return what was done with units to see the answer change."""
    number, added = findings["upper"], findings["unit_added"]
    units = findings["unit"] if number == 1 else f"{in_words(number)} {findings['units']}"
    these = f"{'this' if number == 1 else 'these'} {units}"
    if findings["by"] == "remove":
        return f"without {these}"
    if findings["by"] == "change":
        return f"with {these} changed to {added}"
    return f"with {in_words(number)} more {findings['units' if number > 1 else 'unit']} ({added})"


def _more_kinds(hidden: int) -> Iterator[Line]:
    """Yield how many different units are not shown, if any."""
    if hidden:
        yield Line(f"   and {hidden:,} more", FAINT)


def _distance_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield how far items are from crossing the border, or from being passed by the next."""
    near, rows = findings.get("distances"), findings["neighbours"]
    told = [f"{row['next']} overtakes {row['item']}" for row in rows]
    if near is not None:
        rows, ways = near["items"], {True: "drops out", False: "comes in"}
        told = [f"{row['rank']:,}. {row['item']} {ways[row['rank'] <= near['k']]}" for row in rows]
    if not rows:
        return
    yield Line("")
    yield Line(f"{findings['units'].capitalize()} to flip, at least:", "bold")
    for row, text in list(zip(rows, told, strict=True))[: None if terminal.everything else SHOWN]:
        number = "never" if row["lower"] >= findings["n_units"] else f"{row['lower']:,}"
        yield Line(f"   {number:>9}  {terminal.safe(text)}")
    if near is not None and len(rows) < findings["n_items"]:
        yield Line(f"   {near['beyond']:>9,}  any other item", FAINT)
    yield Line("")


def explanation_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield an item's rivals, and the units for and against it."""
    yield from paragraph(findings["sentence"], terminal)
    top = f"the top {findings['k']:,}"
    if findings["away"] is not None:
        way, stays = ("Bringing it into", "out of")
        if findings["inside"]:
            way, stays = "Pushing it out of", "in"
        number, units = findings["away"], counted(findings["n_units"], findings["unit"])
        told = f"{way} {top} takes the removal of {'at least ' * (number > 1)}{number:,} of the {units}."
        if number >= findings["n_units"]:
            told = f"It stays {stays} {top}, however many of the {units} are removed."
        yield from paragraph(told, terminal)
    yield Line("Rivals", "bold")
    for rival in findings["rivals"]:
        told = f"{rival['item']} (rank {rival['rank']:,}), difference {rival['gap']:+.4g}"
        yield from paragraph(f"{told}: {rival['sentence']}", terminal, bullet=terminal.sign("·", "-"))
    titles = (f"Keep it in {top}", "Work against it"), ("Work for it", f"Keep it out of {top}")
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
        yield from _more_kinds(len(rows) - len(shown))


def needed_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield how many units a model says it would take."""
    yield from paragraph(findings["sentence"], terminal)
    yield from paragraph(f"Computed from {findings['basis']}.", terminal, style=FAINT)


VIEWS: dict[str, Callable[[Findings, Terminal], Iterator[Line]]] = {
    "audit": audit_lines,
    "check": check_lines,
    "margin": margin_lines,
    "random-audit": audit_lines,
    "explanation": explanation_lines,
    "needed": needed_lines,
}
"""What stands between the heading and the notes of each document."""

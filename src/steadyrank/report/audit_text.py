"""Audits and checks as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from steadyrank.report.lines import FAINT, Column, Layout, Line, guessed, paragraph
from steadyrank.text import counted, rounded_up, size_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from steadyrank.report.lines import Findings, Row
    from steadyrank.report.terminal import Terminal

METHODS = {
    "topk": "plain top-k",
    "inflated_topk": "inflated top-k",
    "ranking": "plain ranking",
    "inflated_ranking": "inflated ranking",
}

ADDED = 5
"""Items that a remedy adds and that are named."""


def audit_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of an audit, of every unit or of random sets."""
    units, number, unit = findings["units"], findings["n_units"], findings["unit"]
    told = f"Each of the {counted(number, unit)} was left out in turn."
    if findings["document"] == "random-audit":
        told, units, unit = findings["sentence"], "random sets", "random set"
    yield from paragraph(f"{told} {_inflated_how(findings)}", terminal)
    yield Line("")
    rows = sorted(findings["audit"], key=lambda row: (row["k"] is None, row["k"]))
    table = Layout(_audit_columns(rows, findings, terminal), terminal).lines()
    yield Line(table[0], "bold")
    for text, row in zip(table[1:], rows, strict=True):
        yield Line(text, "green" if row["method"].startswith("inflated") else "")
    for told in _legend(findings, units):
        if told.partition(":")[0].lower() in table[0]:  # there was room for the column
            yield from paragraph(told, terminal, style=FAINT)
    yield Line("")
    for flips in findings["flips"]:
        yield from flip_lines(flips, unit, terminal)


def _inflated_how(findings: Findings) -> str:
    """Return where the eps of inflated answers comes from."""
    if findings["eps"] is not None:
        share = rounded_up(findings["share_reaching_eps"])
        return (
            f"Inflated at eps = {findings['eps']:.4g}; a share {share} of them moves the scores by eps "
            "or more, and no inflated answer can break more often than that."
        )
    allowed = f" for all but a share {findings['delta']:g} of the {findings['units']}"
    holds = (
        "the plain answer without a unit is inside it"
        if findings["guarantee"] == "cover"
        else "the inflated answer without a unit shares k items (a ranking) with it"
    )
    kept = allowed if findings["delta"] else ""
    return f"Each inflated answer is the tightest known where {holds}{kept}."


def _audit_columns(rows: Sequence[Row], findings: Findings, terminal: Terminal) -> list[Column]:
    number = findings.get("samples", findings["n_units"])
    names = [METHODS.get(row["method"]) or str(row["method"]) for row in rows]
    ks, jaccards, sizes = zip(*(audit_cells(row) for row in rows), strict=True)
    columns = [
        Column("answer", names, 9, names=True, least=max(map(len, METHODS.values()))),
        Column("k", ks, 8),
        Column("broken by", [_units(row["delta"], number) for row in rows], 7),
        Column("uncovered", [_units(row["uncovered"], number) for row in rows], 6),
        Column("delta", [f"{row['delta']:.4f}" for row in rows], 3),
        Column("Jaccard", jaccards, 2),
        Column("size", sizes, 5),
    ]
    if findings["document"] == "random-audit":
        limits = [_limits(row["lower"], row["upper"]) for row in rows]
        columns[5] = Column(f"{findings['confidence']:.0%} limits", limits, 7)
    if terminal.verbose:
        shown = ["" if row["eps"] is None else rounded_up(row["eps"]) for row in rows]
        columns.append(Column("eps", shown, 4))
    return columns


def _units(share: float | None, number: int) -> str:
    return "" if share is None else f"{round(share * number):,}"


def _limits(lower: float, upper: float) -> str:
    """Return limits rounded outward, so that they hold as they are printed."""
    return f"{math.floor(lower * 1e4) / 1e4:.4f} to {math.ceil(upper * 1e4) / 1e4:.4f}"


def _legend(findings: Findings, units: str) -> Iterator[str]:
    yield f"Broken by: {units} without which fewer than k items (rankings: no ranking) stay in common."
    yield f"Uncovered: {units} without which the plain answer is not inside this one."
    if findings["document"] == "random-audit":
        told = "of the share among all removals of so many, each row by itself (Clopper-Pearson)"
        yield f"Limits: {told}."


def audit_cells(row: Row) -> tuple[str, str, str]:
    """Return the k, the Jaccard similarity and the size of an audited method, as far as they apply."""
    k = "" if row["k"] is None else f"{row['k']:,}"
    jaccard = "" if row["jaccard"] is None else f"{row['jaccard']:.4f}"
    return k, jaccard, size_in_words(row["size"], row["log10_size"])


def check_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield whether a top-k is stable enough, and what would be."""
    passed, plain = findings["stable"], findings["method"] == "topk"
    yield from paragraph(verdict(findings), terminal, style="bold green" if passed else "bold red")
    yield from guessed(findings, terminal)
    yield from paragraph(_checked(findings, plain=plain), terminal)
    yield from paragraph(findings["margin"]["sentence"], terminal)
    if findings["min_margin"] is not None:
        lower, never = findings["margin"]["lower"], findings["margin"]["never"]
        held = "enough" if never or lower >= findings["min_margin"] else "too few"
        told = "However many leave, it never happens" if never else f"At least {lower:,} must leave"
        yield from paragraph(f"{told}, {findings['min_margin']:,} asked for: {held}.", terminal)
    for warning in findings["warnings"]:
        yield from paragraph(warning, terminal, bullet="!", style="yellow")
    if findings["uncovered"] > findings["max_delta"]:
        yield from paragraph(_remedy(findings, terminal), terminal)
    yield Line("")
    if not passed and plain:
        yield from flip_lines(findings["flips"], findings["unit"], terminal)


def verdict(findings: Findings) -> str:
    """Return in a few words, none of them from the data, what was checked and how that ended."""
    k, inflated = findings["k"], findings["method"] != "topk"
    what = f"inflated top {k:,} at eps = {findings['eps']:.4g}" if inflated else f"plain top {k:,}"
    return f"{'STABLE' if findings['stable'] else 'UNSTABLE'}: {what}"


def _checked(findings: Findings, *, plain: bool) -> str:
    number = round(findings["uncovered"] * findings["n_units"])
    verb = ("change", "put") if number != 1 else ("changes", "puts")
    lacking = f"{verb[1]} an item into the plain top {findings['k']:,} that it lacks"
    does = f"{verb[0]} it" if plain else lacking
    return (
        f"{number:,} of the {counted(findings['n_units'], findings['unit'])}, each left out alone, "
        f"{does}: a share of {rounded_up(findings['uncovered'])}, allowed {findings['max_delta']:.4g}."
    )


def _remedy(findings: Findings, terminal: Terminal) -> str:
    remedy, k = findings["remedy"], findings["k"]
    more = remedy["size"] - k - ADDED
    added = ", ".join(map(str, remedy["items"][k:][:ADDED])) + (f" and {more:,} more" * (more > 0))
    added += f", or the inflated top {k:,} at eps = {rounded_up(remedy['eps'])}" * terminal.verbose
    does = "pass" if findings["min_margin"] is None else "keep to the share allowed"
    return f"What would {does}: a list of {counted(remedy['size'], 'item')}, with {added}."


def flip_lines(flips: Row, unit: str, terminal: Terminal) -> Iterator[Line]:
    """Yield the first units that change the plain top-k, and what they change."""
    plain = flips["plain"]
    if not plain["units"]:
        return
    number = counted(plain["units"], terminal.safe(unit))
    yield Line(f"Who changes the plain top {flips['k']:,}: {number}", "bold")
    for flip in plain["listed"][:3]:
        leaves, enters = (", ".join(map(str, flip[way])) for way in ("leaves", "enters"))
        times = f" ({flip['count']:,} times)" if flip["count"] > 1 else ""
        space = max(12, (terminal.width - 30) // 3)
        parts = [terminal.fit(part, space).rstrip() for part in (flip["unit"], leaves, enters)]
        yield Line(f"   without {parts[0]}{times}: {parts[1]} {terminal.sign('→', '->')} {parts[2]}")
    if plain["distinct_units"] > 3:
        hint = terminal.hint("--json lists them")
        yield Line(f"   and {plain['distinct_units'] - 3:,} more{hint}", FAINT)
    yield Line("")

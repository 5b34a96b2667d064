"""Audits, checks, margins, explanations and comparisons as lines of text, and the tables of each."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from steadyrank.report.terminal import (
    FAINT,
    LONG,
    NEXT_IN_LINE,
    Column,
    Layout,
    Line,
    guessed,
    paragraph,
)
from steadyrank.text import (
    counted,
    eps_in_words,
    in_words,
    ranks_in_words,
    readable,
    rounded_up,
    size_in_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from steadyrank.report.terminal import Findings, Row, Terminal

METHODS = {
    "topk": "plain top-k",
    "inflated_topk": "inflated top-k",
    "ranking": "plain ranking",
    "inflated_ranking": "inflated ranking",
}

TITLES = {
    "comparison": (
        ("new_rank", "rank", 9), ("item", "item", 8), ("old_rank", "was", 4), ("new_place", "place", 6),
        ("old_place", "from", 5), ("range", "range", 7), ("verdict", "verdict", 10),
    ),
    "explanation": (
        ("unit", "without", 9), ("count", "times", 6), ("contribution", "contribution", 8),
        ("gap_without", "difference then", 7), ("said", "said", 5),
    ),
    "margin": (("unit", "removed", 9), ("count", "times", 8)),
    "check": (
        ("unit", "without", 9), ("count", "times", 6), ("leaves", "drops out", 8),
        ("enters", "comes in", 7),
    ),
    "needed": (
        ("ahead", "ahead", 9), ("behind", "behind", 8), ("gap", "difference", 7),
        ("confidence", "probability", 6), ("needed", "needed in all", 5), ("n_units", "seen", 4),
    ),
}  # fmt: skip
"""The columns of some documents: what each holds, its title, and how much it is needed."""

VERDICTS = {"beyond": "yellow", "inside": "cyan", "new": "green", "gone": FAINT}

ADDED = 5
"""Items that a remedy adds and that are named."""

FLIPS = 3
"""Units that change the top k and that are shown."""

SHOWN = 40
"""Items of which it is said how far they are from a border."""


def audit_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of an audit, of every unit or of random sets."""
    yield from paragraph(f"{audited(findings)} {inflated_how(findings)}", terminal)
    yield Line("")
    rows = sorted(findings["audit"], key=lambda row: (row["k"] is None, row["k"]))
    title, *table = Layout(audit_columns(rows, findings, terminal), terminal).lines()
    yield Line(title, "bold")
    for text, row in zip(table, rows, strict=True):
        yield Line(text, "green" if row["method"].startswith("inflated") else "")
    for text in legend(findings):
        if text.partition(":")[0].lower() in title:  # there was room for the column
            yield from paragraph(text, terminal, style=FAINT)
    yield Line("")
    unit = "random set" if findings["document"] == "random-audit" else findings["unit"]
    for flips in findings["flips"]:
        yield from _flip_lines(flips, unit, terminal)


def audited(findings: Findings) -> str:
    """Return what was removed."""
    told = f"We removed each of the {counted(findings['n_units'], findings['unit'])} in turn."
    return findings.get("sentence") or told


def legend(findings: Findings) -> list[str]:
    """Return what the columns of an audit mean."""
    sets = findings["document"] == "random-audit"
    units = "random sets" if sets else findings["units"]
    limits = "Limits: for the share among all such removals, each row by itself (Clopper-Pearson)."
    return [
        f"Broken by: {units} whose removal leaves fewer than k items, or no ranking, in both answers.",
        f"Uncovered: {units} whose removal puts the new plain answer outside this one.",
        *([limits] if sets else []),
    ]


def inflated_how(findings: Findings) -> str:
    """Return where the eps of inflated answers comes from."""
    if findings["eps"] is not None:
        eps, share = eps_in_words(findings["eps"]), rounded_up(findings["share_reaching_eps"])
        return (
            f"Inflated at eps = {eps}. A share {share} of them moves the scores by eps or more; no "
            "inflated answer breaks more often than that."
        )
    holds = "holds the new plain answer"
    if findings["guarantee"] != "cover":
        holds = "shares k items (or a ranking) with the new inflated answer"
    kept = f"whichever {findings['unit']} is removed"
    if findings["delta"]:
        kept = f"for all but a share {findings['delta']:g} of the {findings['units']}"
    return f"Each inflated answer is the smallest one known that {holds}, {kept}."


def check_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield whether a top-k is stable enough, and what would be."""
    passed = findings["stable"]
    yield from paragraph(verdict(findings), terminal, style="bold green" if passed else "bold red")
    yield from guessed(findings, terminal)
    for text in checked(findings):
        yield from paragraph(text, terminal)
    for warning in findings["warnings"]:
        yield from paragraph(warning, terminal, bullet="!", style="yellow")
    yield Line("")
    if not passed:
        yield from _flip_lines(findings["flips"], findings["unit"], terminal)


def checked(findings: Findings) -> Iterator[str]:
    """Yield what a check found, and what would pass it."""
    margin = findings["margin"]
    yield _checked(findings)
    yield margin["sentence"]
    if (fewest := findings["min_margin"]) is not None:
        held = "enough" if margin["never"] or margin["lower"] >= fewest else "too few"
        how = (
            "No removal changes it" if margin["never"] else f"The margin is at least {margin['lower']:,}"
        )
        yield f"{how}; {fewest:,} asked for: {held}."
    if findings["uncovered"] > findings["max_delta"]:
        yield _remedy(findings)


def verdict(findings: Findings) -> str:
    """Return in a few words, none of them from the data, what was checked and how that ended."""
    return f"{'STABLE' if findings['stable'] else 'UNSTABLE'}: top {findings['k']:,}"


def _checked(findings: Findings) -> str:
    number = round(findings["uncovered"] * findings["n_units"])
    units = counted(findings["n_units"], findings["unit"])
    does = f"change{'s' * (number == 1)} the top {findings['k']:,}"
    share, allowed = rounded_up(findings["uncovered"]), eps_in_words(findings["max_delta"])
    return f"{number:,} of the {units} {does} when removed: a share of {share} ({allowed} allowed)."


def _remedy(findings: Findings) -> str:
    remedy, k = findings["remedy"], findings["k"]
    more = remedy["size"] - k - ADDED
    added = ", ".join(map(str, remedy["items"][k:][:ADDED])) + (f" and {more:,} more" * (more > 0))
    does = "pass" if findings["min_margin"] is None else "keep within the share allowed"
    return f"A list of {counted(remedy['size'], 'item')} would {does}: add {added}."


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
        yield from paragraph(exampled(findings), terminal)
        removed = findings["units_removed"]
        yield from _unit_lines(removed["listed"], removed["distinct_units"], findings, terminal)
    yield from _distance_lines(findings, terminal)
    for text in rested(findings):
        yield from paragraph(text, terminal, style=FAINT)
    yield Line("")


def exampled(findings: Findings) -> str:
    """Return what happens without the units that were tried, or with them; nothing if none were."""
    if findings["upper"] is None:
        return ""
    leaves, enters = (", ".join(map(str, findings[name])) for name in ("leaves", "enters"))
    passed, passing = str(findings["passed"]), str(findings["passing"])
    told = f"{_example(findings)}, {passing} overtakes {passed}"
    if (leaves, enters) not in {("", ""), (passed, passing)}:
        told += f"; out of the top: {leaves}; into it: {enters}"
    return f"Example: {told}."


def rested(findings: Findings) -> Iterator[str]:
    """Yield what a margin rests on."""
    for text in (f"rule: {findings['rule']}", *findings["assumed"]):
        yield f"{text[0].upper()}{text[1:]}."


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


def _unit_lines(
    rows: Sequence[Row], number: int, findings: Findings, terminal: Terminal
) -> Iterator[Line]:
    """Yield the first of some units, as a table, and how many more there are."""
    shown = rows if terminal.everything else rows[:NEXT_IN_LINE]
    narrow = replace(terminal, width=terminal.width - 3)
    for text in Layout(titled_columns(shown, findings, narrow), narrow).lines() if shown else ():
        yield Line(f"   {text}", FAINT)
    if hidden := number - len(shown):
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
    yield from paragraph(flipped(findings), terminal)
    top = f"the top {findings['k']:,}"
    yield Line("")
    yield Line("Rivals", "bold")
    for rival in findings["rivals"]:
        told = f"{rival['item']} (rank {rival['rank']:,}), difference {rival['gap']:+.4g}"
        yield from paragraph(f"{told}: {rival['sentence']}", terminal, bullet=terminal.sign("·", "-"))
    yield Line("")
    titles = (f"Keep it in {top}", "Work against it"), ("Work for it", f"Keep it out of {top}")
    sides = zip(titles[not findings["inside"]], ("units_for", "units_against"), (1, -1), strict=True)
    for title, number, sign in sides:
        rows = [row for row in findings["rows"] if row["contribution"] * sign > 0]
        yield Line(f"{title}: {counted(findings[number], terminal.safe(findings['unit']))}", "bold")
        yield from _unit_lines(rows, len(rows), findings, terminal)
        yield Line("")


def flipped(findings: Findings) -> str:
    """Return how many units it takes to flip an explained item; nothing where that is not known."""
    top, number = f"the top {findings['k']:,}", findings["away"]
    if number is None:
        return ""
    way, stays = ("Pushing it out of", "in") if findings["inside"] else ("Bringing it into", "out of")
    units = counted(findings["n_units"], findings["unit"])
    if number >= findings["n_units"]:
        return f"It stays {stays} {top}, however many of the {units} are removed."
    return f"{way} {top} takes the removal of {'at least ' * (number > 1)}{number:,} of the {units}."


def needed_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield how many units a model says it would take."""
    yield from paragraph(findings["sentence"], terminal)
    yield from paragraph(f"Computed from {findings['basis']}.", terminal, style=FAINT)
    yield Line("")


def comparison_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of a comparison; of a long one, the items that did not move stay away."""
    yield from paragraph(findings["headline"], terminal, style="bold")
    for warning in findings["warnings"]:
        yield from paragraph(warning, terminal, bullet="!", style="yellow")
    yield Line("")
    for sentence in findings["sentences"]:
        yield from paragraph(sentence, terminal)
    if findings["sentences"]:
        yield Line("")
    rows = findings["rows"]
    moved = [row for row in rows if row["verdict"] != "same"][:LONG]
    listed = rows if terminal.everything or len(rows) <= LONG else moved
    if listed:
        styles = ["bold", *(VERDICTS.get(row["verdict"], "") for row in listed)]
        columns = titled_columns(listed, findings, terminal)
        yield from map(Line, Layout(columns, terminal).lines(), styles)
        if hidden := len(rows) - len(listed):
            yield Line(f"   and {hidden:,} more{terminal.hint('--all shows them')}", FAINT)
    else:
        hint = terminal.hint("--all shows them")
        yield Line(f"   {len(rows):,} items that did not move{hint}", FAINT)
    yield from (Line(""), *paragraph(findings["rule"], terminal, style=FAINT), Line(""))


def titled_columns(rows: Sequence[Row], findings: Findings, terminal: Terminal) -> list[Column]:
    """Return the columns that ``TITLES`` has; how often a unit occurs is told where some are alike."""
    columns = []
    for name, title, need in TITLES[findings["document"]]:
        values = [_range(row, terminal) if name == "range" else row[name] for row in rows]
        told = [", ".join(map(str, value)) if isinstance(value, list) else value for value in values]
        if name != "count" or {*told} != {1}:
            names = any(isinstance(value, str) for value in told)
            columns.append(Column(title, readable(told), need, names and name != "range"))
    if findings.get("by") == "change":
        columns[0] = replace(columns[0], title="changed")
    return columns


def _range(row: Row, terminal: Terminal) -> str | None:
    return ranks_in_words(row["old_best"], row["old_worst"], terminal.sign("–", "-")) or None


def audit_columns(rows: Sequence[Row], findings: Findings, terminal: Terminal) -> list[Column]:
    """Return what is told of audited methods."""
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


VIEWS: dict[str, Callable[[Findings, Terminal], Iterator[Line]]] = {
    "audit": audit_lines,
    "check": check_lines,
    "margin": margin_lines,
    "random-audit": audit_lines,
    "explanation": explanation_lines,
    "needed": needed_lines,
    "comparison": comparison_lines,
}
"""What stands between the heading and the notes of each document."""

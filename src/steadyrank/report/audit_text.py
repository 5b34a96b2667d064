"""Audits, checks, margins, explanations, comparisons and splits as lines of text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from steadyrank.report.tables import columns_shown, name_of, remarks, rows_shown, split_tables
from steadyrank.report.terminal import FAINT, GAP, LONG, NEXT_IN_LINE, Line, laid_out
from steadyrank.report.text import guessed, lines, more, warned
from steadyrank.text import counted, eps_in_words, in_words, rounded_up, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from steadyrank.report.terminal import Findings, Row, Terminal
    from steadyrank.text import Column

VERDICTS = {"beyond": "yellow", "inside": "cyan", "new": "green", "gone": FAINT}

ADDED = 5
"""Items that a remedy adds and that are named."""

FLIPS = 3
"""Units that change the top k and that are shown."""

LONGEST = 240
"""Columns of a reason why there is no answer, unless all is wanted."""


def said(findings: Findings) -> list[str]:  # noqa: PLR0911 (one for each document)
    """Return the sentences of a document, what was found first."""
    match findings["document"]:
        case "audit" | "random-audit":
            return [*_audited(findings)]
        case "check":
            return [*_checked(findings)]
        case "margin":
            rests = f"rule: {findings['rule']}", *findings["assumed"]
            told = [f"{text[0].upper()}{text[1:]}." for text in rests]
            return [findings["sentence"], _exampled(findings), *told]
        case "explanation":
            return [findings["sentence"], _flipped(findings)]
        case "needed":
            return [findings["sentence"], f"Computed from {findings['basis']}."]
        case "comparison":
            return [findings["headline"], *findings["sentences"], findings["rule"]]
        case "confidence":
            return [findings["sentence"], findings["stability"], findings["top_sentence"] or ""]
        case _:
            return [findings["headline"], findings["certificate"]["promise"]]


def audit_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of an audit, of every unit or of random sets."""
    removed, inflated, *legend = said(findings)
    yield Line(f"{removed} {inflated}")
    yield GAP
    rows = sorted(findings["audit"], key=lambda row: (row["k"] is None, row["k"]))
    styles = ["green" if row["method"].startswith("inflated") else "" for row in rows]
    title, *table = _table(columns_shown(rows, findings, terminal), terminal, styles)
    yield from (title, *table)
    # What is explained is a column that there was room for.
    yield from (Line(text, FAINT) for text in legend if text.partition(":")[0].lower() in title.text)
    yield GAP
    for flips in findings.get("flips", ()):
        yield from _flip_lines(flips, findings["unit"], terminal)


def _table(columns: Sequence[Column], terminal: Terminal, styles: Sequence[str] = ()) -> Iterator[Line]:
    """Yield a table; of its rows, the first so many have a style."""
    title, *rows = laid_out(columns, terminal)
    yield Line(title, "bold")
    yield from map(Line, rows, [*styles, *[""] * len(rows)])


def _audited(findings: Findings) -> Iterator[str]:
    """Yield what was removed, where the eps of inflated answers comes from, and what columns mean."""
    sets, units = findings["document"] == "random-audit", findings["units"]
    every = f"We removed each of the {counted(findings['n_units'], findings['unit'])} in turn."
    yield findings.get("sentence") or every
    if findings["eps"] is not None:
        eps, share = eps_in_words(findings["eps"]), rounded_up(findings["share_reaching_eps"])
        yield (
            f"Inflated at eps = {eps}. A share {share} of them moves the scores by eps or more; no "
            "inflated answer breaks more often than that."
        )
    else:
        kept = f"whichever {findings['unit']} is removed"
        if findings["delta"]:
            kept = f"for all but a share {findings['delta']:g} of the {units}"
        shares = "Each inflated top k has the smallest eps at which it shares k items with the new one"
        yield f"{shares}, {kept}."
    units = "random sets" if sets else units
    yield f"Broken by: {units} whose removal leaves fewer than k items, or no ranking, in both answers."
    if sets:
        yield "Limits: for the share among all such removals, each row by itself (Clopper-Pearson)."


def check_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield whether a top-k is stable enough, and what would be."""
    verdict, *reasons = said(findings)
    yield Line(verdict, "bold green" if findings["stable"] else "bold red")
    yield Line(guessed(findings, terminal), FAINT)
    yield from (*map(Line, reasons), *warned(findings), GAP)
    if not findings["stable"]:
        yield from _flip_lines(findings["flips"], findings["unit"], terminal)


def _checked(findings: Findings) -> Iterator[str]:
    """Yield the verdict, with no name of the data in it, what was found, and what would pass."""
    k, margin, fewest = findings["k"], findings["margin"], findings["min_margin"]
    yield f"{'STABLE' if findings['stable'] else 'UNSTABLE'}: top {k:,}"
    number = findings["breaking_units"]
    units = counted(findings["n_units"], findings["unit"])
    does = f"change{'s' * (number == 1)} the top {k:,}"
    share, allowed = rounded_up(findings["delta"]), eps_in_words(findings["max_delta"])
    yield f"{number:,} of the {units} {does} when removed: a share of {share} ({allowed} allowed)."
    yield margin["sentence"]
    if fewest is not None:
        held = "enough" if margin["never"] or margin["lower"] >= fewest else "too few"
        how = f"The margin is at least {margin['lower']:,}"
        yield f"{'No removal changes it' if margin['never'] else how}; {fewest:,} asked for: {held}."
    if findings["delta"] > findings["max_delta"]:
        remedy = findings["remedy"]
        further = remedy["size"] - k - ADDED
        added = ", ".join(map(str, remedy["items"][k:][:ADDED]))
        added += f" and {further:,} more" * (further > 0)
        does = "pass" if fewest is None else "keep within the share allowed"
        yield f"A list of {counted(remedy['size'], 'item')} would {does}: add {added}."


def _flip_lines(flips: Row, unit: str, terminal: Terminal) -> Iterator[Line]:
    """Yield the first units that change the plain top-k, and what they change."""
    plain = flips["plain"]
    if not plain["units"]:
        return
    number = counted(plain["units"], unit)
    yield Line(f"Removing one of these changes the top {flips['k']:,}: {number}", "bold")
    for flip in plain["listed"][:FLIPS]:
        leaves, enters = (", ".join(map(str, flip[way])) for way in ("leaves", "enters"))
        times = f" ({flip['count']:,} times)" if flip["count"] > 1 else ""
        space = max(12, (terminal.width - 30) // 3)
        parts = [terminal.fit(part, space).rstrip() for part in (flip["unit"], leaves, enters)]
        yield Line(f"   without {parts[0]}{times}: {parts[1]} {terminal.sign('→', '->')} {parts[2]}")
    yield more(plain["distinct_units"] - FLIPS, terminal.hint("--json lists them"))
    yield GAP


def margin_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield how many units it takes, which ones, and what then happens."""
    sentence, example, *rests = said(findings)
    yield from map(Line, (sentence, example))
    if example:
        yield from _unit_lines(*rows_shown(findings), findings, terminal)
    yield from (*(Line(text, FAINT) for text in rests), GAP)


def _exampled(findings: Findings) -> str:
    """Return what happens without the units that were tried, or with them; nothing if none were."""
    number, added = findings["upper"], findings["unit_added"]
    if number is None:
        return ""
    leaves, enters = (", ".join(map(str, findings[name])) for name in ("leaves", "enters"))
    passed, passing = str(findings["passed"]), str(findings["passing"])
    units = findings["unit"] if number == 1 else f"{in_words(number)} {findings['units']}"
    these = f"{'this' if number == 1 else 'these'} {units}"
    how = {
        "remove": f"without {these}",
        "change": f"with {these} changed to {added}",
        "add": f"with {in_words(number)} more {findings['units' if number > 1 else 'unit']} ({added})",
    }
    told = f"{how[findings['by']]}, {passing} overtakes {passed}"
    if (leaves, enters) not in {("", ""), (passed, passing)}:
        told += f"; out of the top: {leaves}; into it: {enters}"
    return f"Example: {told}."


def _unit_lines(
    rows: Sequence[Row], number: int, findings: Findings, terminal: Terminal
) -> Iterator[Line]:
    """Yield the first of some units, as a table, and how many more there are."""
    shown = rows if terminal.everything else rows[:NEXT_IN_LINE]
    narrow = replace(terminal, width=terminal.width - 3)
    table = laid_out(columns_shown(shown, findings, narrow), narrow) if shown else ()
    yield from (Line(f"   {text}", FAINT) for text in table)
    yield more(number - len(shown))


def explanation_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield an item's rivals, and the units for and against it."""
    yield from (*map(Line, said(findings)), GAP, Line("Rivals", "bold"))
    for rival in findings["rivals"]:
        told = f"{rival['item']} (rank {rival['rank']:,}), difference {rival['gap']:+.4g}"
        yield Line(f"{told}: {rival['sentence']}", bullet=terminal.sign("·", "-"))
    yield GAP
    top = f"the top {findings['k']:,}"
    titles = (f"Keep it in {top}", "Work against it"), ("Work for it", f"Keep it out of {top}")
    sides = zip(titles[not findings["inside"]], ("units_for", "units_against"), (1, -1), strict=True)
    for title, number, sign in sides:
        rows = [row for row in findings["rows"] if row["contribution"] * sign > 0]
        yield Line(f"{title}: {counted(findings[number], findings['unit'])}", "bold")
        yield from (*_unit_lines(rows, len(rows), findings, terminal), GAP)


def _flipped(findings: Findings) -> str:
    """Return how many units it takes to flip an explained item; nothing where that is not known."""
    top, number = f"the top {findings['k']:,}", findings["away"]
    if number is None:
        return ""
    way, stays = ("Pushing it out of", "in") if findings["inside"] else ("Bringing it into", "out of")
    units = counted(findings["n_units"], findings["unit"])
    if number >= findings["n_units"]:
        return f"It stays {stays} {top}, however many of the {units} are removed."
    return f"{way} {top} takes the removal of {'at least ' * (number > 1)}{number:,} of the {units}."


def needed_lines(findings: Findings, _: Terminal) -> Iterator[Line]:
    """Yield how many units a model says it would take."""
    sentence, basis = said(findings)
    yield from (Line(sentence), Line(basis, FAINT), GAP)


def comparison_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of a comparison; of a long one, the items that did not move stay away."""
    headline, *sentences, rule = said(findings)
    yield from (Line(headline, "bold"), *warned(findings), GAP, *map(Line, sentences))
    if sentences:
        yield GAP
    rows, hint = findings["rows"], terminal.hint("--all shows them")
    moved = [row for row in rows if row["verdict"] != "same"][:LONG]
    listed = rows if terminal.everything or len(rows) <= LONG else moved
    if listed:
        styles = [VERDICTS.get(row["verdict"], "") for row in listed]
        yield from _table(columns_shown(listed, findings, terminal), terminal, styles)
        yield more(len(rows) - len(listed), hint)
    else:
        yield Line(f"   {len(rows):,} items that did not move{hint}", FAINT)
    yield from (GAP, Line(rule, FAINT), GAP)


def split_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield what holds for all rows and in each category; the tables of each where all is wanted."""
    answered = [one for one in findings["categories"] if one["findings"] is not None]
    every = counted(len(findings["categories"]) - 1, "category")
    source = f"{findings['source']}: " if findings["source"] else ""
    yield Line(f"{source}{every} by {findings['split']}", FAINT)
    yield Line(guessed(answered[0]["findings"], terminal), FAINT)
    style = {True: "bold green", False: "bold red", None: "bold"}[findings["stable"]]
    yield from (Line(findings["headline"], style), GAP)
    for columns, foot in split_tables(findings, terminal):
        title, *rest = _table(columns, terminal)
        seen = columns[-1].title in title.text  # there was room for the signs
        yield from (title, *rest, Line(foot if seen else "", FAINT), GAP)
    for remark in remarks(findings):
        yield Line(remark if terminal.everything else shortened(remark, LONGEST), "yellow", "!")
    for one in answered if terminal.everything else ():
        yield from (GAP, Line(name_of(one), "bold"), *lines(one["findings"], terminal))


VIEWS: dict[str, Callable[[Findings, Terminal], Iterator[Line]]] = {
    "audit": audit_lines,
    "check": check_lines,
    "margin": margin_lines,
    "random-audit": audit_lines,
    "explanation": explanation_lines,
    "needed": needed_lines,
    "comparison": comparison_lines,
    "split": split_lines,
}
"""What stands between the heading and the notes of each document."""

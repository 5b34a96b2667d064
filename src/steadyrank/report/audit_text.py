"""Audits, checks, margins, explanations, comparisons and splits as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyrank.report.tables import name_of, remarks, split_tables, table
from steadyrank.report.terminal import FAINT, GAP, LONG, Line, laid_out
from steadyrank.report.text import guessed, lines, warned
from steadyrank.text import counted, eps_in_words, in_words, rounded_up, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from steadyrank.report.terminal import Findings, Row, Terminal
    from steadyrank.text import Column

ADDED = 5
"""Items that a remedy adds and that are named."""

FLIPS = 3
"""Units that change the top k and that are named."""

NAME = 40
"""Columns of a unit, or of the items that it moves, in a sentence."""

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
            return [findings["sentence"], _flipped(findings), *map(_rival, findings["rivals"])]
        case "needed":
            return [findings["sentence"], f"Computed from {findings['basis']}."]
        case "comparison":
            return [findings["headline"], *findings["sentences"], findings["rule"]]
        case "confidence":
            told = [findings["sentence"], findings["stability"], findings["top_sentence"] or ""]
            return [*told, "Interval: each item by itself, not all at once."]
        case _:
            return [findings["headline"], findings["certificate"]["promise"]]


def told_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the sentences of a document, what was found first, then its table."""
    first, *rest = said(findings)
    verdict = {True: "bold green", False: "bold red", None: "bold"}
    yield Line(first, verdict[findings.get("stable")])
    if findings["document"] == "check":  # which has no heading
        yield Line(guessed(findings, terminal), FAINT)
    yield from (*map(Line, rest), *warned(findings), GAP)
    columns, hidden = table(findings, terminal, None if terminal.everything else LONG)
    yield from (*(_table(columns, terminal) if columns else ()), Line(hidden, FAINT), GAP)


def _table(columns: Sequence[Column], terminal: Terminal) -> Iterator[Line]:
    title, *rows = laid_out(columns, terminal)
    yield from (Line(title, "bold"), *map(Line, rows))


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
    for flips in findings.get("flips", ()):
        yield from _flips(flips)


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


def _flips(flips: Row) -> Iterator[str]:
    """Yield what the first units that change the plain top k change."""
    for flip in flips["plain"]["listed"][:FLIPS]:
        leaves, enters = (", ".join(map(str, flip[way])) for way in ("leaves", "enters"))
        unit, gone, new = (shortened(name, NAME) for name in (flip["unit"], leaves, enters))
        yield f"Top {flips['k']:,} without {unit}: {gone} drops out, {new} comes in."


def _exampled(findings: Findings) -> str:
    """Return what happens without the units that were tried, or with them; nothing if none were."""
    number, added = findings["upper"], findings["unit_added"]
    if number is None:
        return ""
    units = f"{in_words(number)} {findings['unit' if number == 1 else 'units']}"
    how = {"change": f"with {units} changed to {added}", "add": f"with {units} added ({added})"}
    told = how.get(findings["by"], f"without {units}")
    told += f", {findings['passing']} overtakes {findings['passed']}"
    leaves, enters = (", ".join(map(str, findings[name])) for name in ("leaves", "enters"))
    if (leaves, enters) not in {("", ""), (str(findings["passed"]), str(findings["passing"]))}:
        told += f"; out of the top: {leaves}; into it: {enters}"
    return f"Example: {told}."


def _rival(rival: Row) -> str:
    told = f"{rival['item']} (rank {rival['rank']:,}), difference {rival['gap']:+.4g}"
    return f"Rival {told}: {rival['sentence']}"


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

"""Findings as lines of text: what ``print``, a terminal and a log show of a result.

Lines are pairs of a text and a style such as ``"bold green"``. Whoever has colours draws them; names
are shown as text whatever they hold.
"""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from steadyrank.report.terminal import RankAxis, Terminal
from steadyrank.wording import counted, ranks_in_words, size_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Findings = Mapping[str, Any]
    Row = Mapping[str, Any]

LONG = 40
"""Rows of one section that are shown in full; of longer ones the first and last half of that."""

NEXT_IN_LINE = 5
"""Items that are out and shown all the same."""

FEW_NEIGHBOURS = 20
"""Neighbours of a ranking of which it is said how well they hold."""

FAINT = "bright_black"
STYLES = {"certain": "green", "contender": "yellow", "out": FAINT}
HEADINGS = {"certain": "bold green", "contender": "bold yellow", "out": "bold"}
SIGNS = {"certain": ("●", "*"), "contender": ("◐", "?"), "out": ("○", " ")}
METHODS = {
    "topk": "plain top-k",
    "inflated_topk": "inflated top-k",
    "ranking": "plain ranking",
    "inflated_ranking": "inflated ranking",
}
AUDIT_LINE = "{:<18}{:>6}{:>14}{:>9}{:>10}{:>15}"


class Line(NamedTuple):
    """A line of text and how to draw it, if colours can be drawn."""

    text: str
    style: str = ""


def plain_text(findings: Findings, terminal: Terminal | None = None) -> str:
    """Return the lines without colours, by default for 80 columns."""
    return "\n".join(line.text for line in lines(findings, terminal or Terminal()))


def lines(findings: Findings, terminal: Terminal, *, everything: bool = False) -> Iterator[Line]:
    """Yield the lines of any findings; long tables are shortened unless everything is asked for."""
    return VIEWS[findings["document"]](findings, terminal, everything)


def verdict(findings: Findings) -> str:
    """Return what the findings of a top-k say, in one or two sentences.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> votes = Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 3)
    >>> print(verdict(stable_topk(votes, 2).findings()))  # doctest: +NORMALIZE_WHITESPACE
    Top 2 of 3 items: 1 surely in, 2 items contend for the last place. Of 11 votes, 3 change the
    plain answer when left out; 0 break this one.
    """
    summary, k = findings["summary"], findings["k"]
    certain, contenders = summary["certain"], summary["contenders"]
    last = _places(k - certain)
    if not contenders:
        told = f"all {k:,} surely in, no other item comes close enough."
    elif not certain:
        told = f"none is surely in, {contenders:,} items contend for it."
    else:
        told = f"{certain:,} surely in, {contenders:,} items contend for the last {last}."
    plain, inflated = summary["plain_breaking_units"], summary["inflated_breaking_units"]
    if plain is not None and inflated is not None:
        units = counted(findings["n_units"], findings["unit"])
        told += f" Of {units}, {plain:,} change the plain answer when left out; {inflated:,} break"
        told += " this one."
    return f"Top {k:,} of {findings['n_items']:,} items: {told}"


def _places(number: int) -> str:
    return "place" if number == 1 else f"{number:,} places"


def _topk_lines(findings: Findings, terminal: Terminal, everything: bool) -> Iterator[Line]:
    yield from _heading(findings, terminal)
    yield from paragraph(verdict(findings), terminal)
    yield from _margin_line(findings["margin"], terminal)
    yield Line("")
    yield from topk_table(findings, terminal, everything=everything)
    yield Line("")
    yield from _claims(findings, terminal)


def topk_table(
    findings: Findings, terminal: Terminal, *, everything: bool = False, following: int = NEXT_IN_LINE
) -> Iterator[Line]:
    """Yield the items of a top-k by standing, with so many that are next in line."""
    rows, k, certain = findings["rows"], findings["k"], findings["summary"]["certain"]
    contending = f"{findings['summary']['contenders']:,} for the {'last ' if certain else ''}"
    every = {standing: [row for row in rows if row["standing"] == standing] for standing in STYLES}
    listed = {name: _ends_of(part, everything=everything) for name, part in every.items()}
    listed["out"] = list(every["out"] if everything else every["out"][:following])
    table = _Table([row for part in listed.values() for row in part if row], terminal, cut=k, eps=True)
    yield table.header()
    for standing, title in (
        ("certain", f"Surely in the top {k:,}"),
        ("contender", f"Contenders: {contending}{_places(k - certain)}"),
        ("out", "Next in line"),
    ):
        if listed[standing]:
            yield Line(title, HEADINGS[standing])
            yield from map(table.row, listed[standing])
    hidden = findings["n_items"] - findings["size"] - len(listed["out"])
    if hidden:
        yield Line(f"   and {hidden:,} more further down{terminal.hint('--all shows them')}", FAINT)


def _ranking_lines(findings: Findings, terminal: Terminal, everything: bool) -> Iterator[Line]:
    listed = _ends_of(findings["rows"], everything=everything)
    table = _Table([row for row in listed if row is not None], terminal, cut=None, eps=False)
    tiers = findings["tiers"]
    fixed = sum(row["best_rank"] == row["worst_rank"] for row in findings["rows"])
    yield from _heading(findings, terminal)
    yield from paragraph(
        f"{fixed:,} of {counted(findings['n_items'], 'item')} have one possible rank; "
        + ("all in one tier." if len(tiers) == 1 else f"{len(tiers):,} tiers that do not mix."),
        terminal,
    )
    yield from _margin_line(findings["margin"], terminal)
    yield Line("")
    yield table.header()
    few = len(tiers) <= findings["n_items"] // 2
    ends = set(accumulate(len(tier) for tier in tiers[:-1])) if few else set()
    for row in listed:
        yield table.row(row)
        if row is not None and row["rank"] in ends:
            yield Line("   " + terminal.sign("─", "-") * (table.width - 3), FAINT)
    yield Line("")
    yield from _claims(findings, terminal)


def _audit_lines(findings: Findings, terminal: Terminal, _everything: bool) -> Iterator[Line]:
    units, number, unit = findings["units"], findings["n_units"], findings["unit"]
    told, last = f"Each of the {number:,} {units} was left out in turn.", "Jaccard"
    if findings["document"] == "random-audit":
        told, last = findings["sentence"], f"{findings['confidence']:.0%} limits".rjust(18)
        units, number, unit = "random sets", findings["samples"], "random set"
    yield from _heading(findings, terminal)
    yield from paragraph(
        f"{told} At eps = {findings['eps']:.4g}, a share {findings['share_reaching_eps']:.4g} of them "
        "moves the scores by eps or more; no inflated answer can break more often than that.",
        terminal,
    )
    yield Line("")
    yield Line(AUDIT_LINE.format("answer", "k", "broken by", "delta", last, "size"), "bold")
    for row in sorted(findings["audit"], key=lambda row: (row["k"] is None, row["k"])):
        yield _audit_line(row, number, terminal)
    yield from paragraph(
        f"Broken by: {units} without which fewer than k items (rankings: no ranking) stay in common.",
        terminal,
        style=FAINT,
    )
    if unit != findings["unit"]:
        told = "of the share among all removals of so many, each row by itself (Clopper-Pearson)"
        yield from paragraph(f"Limits: {told}.", terminal, style=FAINT)
    yield Line("")
    for flips in findings["flips"]:
        yield from _flip_lines(flips, unit, terminal)
    yield from _notes(findings, terminal)


def _audit_line(row: Row, units: int, terminal: Terminal) -> Line:
    k, jaccard, size = audit_cells(row)
    if "lower" in row:  # rounded outward, so that the limits as they are printed hold
        lower, upper = math.floor(row["lower"] * 1e4) / 1e4, math.ceil(row["upper"] * 1e4) / 1e4
        jaccard = f"{lower:.4f} to {upper:.4f}".rjust(18)
    name = METHODS.get(row["method"]) or terminal.safe(row["method"])
    broken, delta = f"{round(row['delta'] * units):,}", f"{row['delta']:.4f}"
    style = "green" if row["method"].startswith("inflated") else ""
    return Line(AUDIT_LINE.format(name, k, broken, delta, jaccard, size), style)


def audit_cells(row: Row) -> tuple[str, str, str]:
    """Return the k, the Jaccard similarity and the size of an audited method, as far as they apply."""
    k = "" if row["k"] is None else f"{row['k']:,}"
    jaccard = "" if row["jaccard"] is None else f"{row['jaccard']:.4f}"
    return k, jaccard, size_in_words(row["size"], row["log10_size"])


def _check_lines(findings: Findings, terminal: Terminal, _everything: bool) -> Iterator[Line]:
    passed, k = findings["stable"], findings["k"]
    plain = findings["method"] == "topk"
    what = f"plain top {k:,}" if plain else f"inflated top {k:,} at eps = {findings['eps']:.4g}"
    yield Line(f"{'STABLE' if passed else 'UNSTABLE'}: {what}", "bold green" if passed else "bold red")
    yield from paragraph(
        f"{findings['breaking_units']:,} of the {findings['n_units']:,} {findings['units']}, each left "
        f"out alone, leave fewer than {k:,} items in common: delta = {findings['delta']:.4g}, "
        f"allowed {findings['max_delta']:.4g}.",
        terminal,
    )
    yield from _margin_line(findings["margin"], terminal)
    if findings["min_margin"] is not None:
        held = "enough" if findings["margin"]["lower"] >= findings["min_margin"] else "too few"
        told = (
            f"At least {findings['margin']['lower']:,} is certain, {findings['min_margin']:,} asked for"
        )
        yield from paragraph(f"{told}: {held}.", terminal)
    if findings["delta"] > findings["max_delta"]:
        remedy = findings["remedy"]
        yield from paragraph(
            f"What would pass: the inflated top {k:,} at eps = {remedy['eps']:.4g}, "
            f"{remedy['size']:,} items (delta = {remedy['delta']:.4g}).",
            terminal,
        )
    yield Line("")
    if not passed and plain:
        yield from _flip_lines(findings["flips"], findings["unit"], terminal)
    yield from _notes(findings, terminal)


def _margin_line(margin: Findings | None, terminal: Terminal) -> Iterator[Line]:
    """Yield how many units must leave, where that was asked."""
    if margin is not None:
        yield from paragraph(terminal.safe(margin["sentence"]), terminal)


def _margin_lines(findings: Findings, terminal: Terminal, everything: bool) -> Iterator[Line]:
    yield from _heading(findings, terminal)
    yield from paragraph(findings["sentence"], terminal)
    removed = findings["units_removed"]
    if findings["upper"] is not None:
        leaves, enters = (", ".join(map(terminal.safe, findings[name])) for name in ("leaves", "enters"))
        told = f"{terminal.safe(findings['passing'])} then passes {terminal.safe(findings['passed'])}"
        told += f"; out of the top: {leaves}; into it: {enters}" if leaves or enters else ""
        unit = findings["unit_added"]
        added = "" if unit is None else f" with {terminal.safe(unit)}"
        yield from paragraph(f"Tried{added} and seen: {told}", terminal)
        for unit in removed["listed"][: None if everything else NEXT_IN_LINE]:
            yield Line(f"   {unit['count']:,} x {terminal.safe(unit['unit'])}", FAINT)
        hidden = removed["distinct_units"] - len(
            removed["listed"][: None if everything else NEXT_IN_LINE]
        )
        if hidden:
            yield Line(f"   and {hidden:,} more kinds", FAINT)
    yield from _distance_lines(findings, terminal, everything)
    for text in (f"Rule: {findings['rule']}", *findings["assumed"]):
        yield from paragraph(f"{text}.", terminal, style=FAINT)
    yield from _notes(findings, terminal)


def _distance_lines(findings: Findings, terminal: Terminal, everything: bool) -> Iterator[Line]:
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
    for lower, told in rows if everything else rows[: 2 * FEW_NEIGHBOURS]:
        never = lower >= findings["n_units"]
        yield Line(f"   {'all' if never else f'{lower:,}':>9}  {terminal.safe(told)}")
    if near is not None and len(near["items"]) < findings["n_items"]:
        yield Line(f"   {near['beyond']:>9,}  any other item crosses the border", FAINT)
    if rows:
        yield Line("")


def _explanation_lines(findings: Findings, terminal: Terminal, everything: bool) -> Iterator[Line]:
    yield from _heading(findings, terminal)
    yield from paragraph(findings["sentence"], terminal)
    top = f"the top {findings['k']:,}"
    yield Line("Rivals", "bold")
    for rival in findings["rivals"]:
        told = f"{rival['item']} (rank {rival['rank']:,}), difference {rival['gap']:+.4g}"
        yield from paragraph(f"{told}: {rival['sentence']}", terminal, bullet=terminal.sign("·", "-"))
    titles = (f"Hold it in {top}", "Work against it"), ("Work for it", f"Keep it out of {top}")
    sides = zip(titles[not findings["inside"]], ("units_for", "units_against"), (1, -1), strict=True)
    for title, number, sign in sides:
        rows = [row for row in findings["rows"] if row["contribution"] * sign > 0]
        shown = rows if everything else rows[:NEXT_IN_LINE]
        yield Line(f"{title}: {counted(findings[number], terminal.safe(findings['unit']))}", "bold")
        for row in shown:
            numbers = f"{row['contribution']:+.4g} each, without one {row['gap_without']:+.4g}"
            yield Line(f"   {numbers}: {row['count']:,} x {terminal.safe(row['unit'])}")
        if len(rows) > len(shown):
            yield Line(f"   and {len(rows) - len(shown):,} more kinds", FAINT)
    yield from _notes(findings, terminal)


def _needed_lines(findings: Findings, terminal: Terminal, _everything: bool) -> Iterator[Line]:
    yield from _heading(findings, terminal)
    yield from paragraph(findings["sentence"], terminal)
    yield from paragraph(f"Computed from {findings['basis']}.", terminal, style=FAINT)
    yield from _notes(findings, terminal)


VIEWS: dict[str, Callable[[Findings, Terminal, bool], Iterator[Line]]] = {
    "top-k": _topk_lines,
    "ranking": _ranking_lines,
    "audit": _audit_lines,
    "check": _check_lines,
    "margin": _margin_lines,
    "random-audit": _audit_lines,
    "explanation": _explanation_lines,
    "needed": _needed_lines,
}


def _heading(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    source = "standard input" if findings["source"] == "-" else findings["source"]
    items, units = (counted(findings["n_items"], "item"), counted(findings["n_units"], findings["unit"]))
    size = f"{findings['kind']}, {items}, {units}"
    yield from paragraph(f"{source}: {size}" if source else size, terminal, style="bold")


def _claims(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the certificate in one sentence, eps and delta, and what was guessed."""
    certificate = findings["certificate"]
    delta = "nothing claimed" if certificate["delta"] is None else f"delta = {certificate['delta']:.4g}"
    if certificate["removals"] > 1:
        delta += f" for any {counted(certificate['removals'], 'removal')}"
    yield from paragraph(
        f"Certificate ({certificate['status']}): eps = {findings['eps']:.4g}, {delta}; "
        f"rule: {certificate['rule']}",
        terminal,
        style="bold",
    )
    yield from paragraph(certificate["sentence"], terminal)
    yield Line("")
    yield from _notes(findings, terminal)


def _notes(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield what was recognised, guessed and decided."""
    yield Line("Recognised, guessed and decided", FAINT)
    for note in (f"scores: {findings['scorer']}", *findings["notes"]):
        yield from paragraph(note, terminal, bullet=terminal.sign("·", "-"), style=FAINT)


def paragraph(text: str, terminal: Terminal, *, bullet: str = "", style: str = "") -> Iterator[Line]:
    """Yield a text wrapped at words, safe to show, with a bullet and a hanging indent if given."""
    lead = f" {bullet} " if bullet else ""
    rest = " " * len(lead)
    safe = terminal.safe(text)
    for part in terminal.wrapped(safe, lead, rest):
        yield Line(part, style)


def _ends_of(rows: Sequence[Row], *, everything: bool) -> list[Row | None]:
    """Return all rows, or the first and last of very many, with None for the gap."""
    if everything or len(rows) <= LONG:
        return list(rows)
    half = LONG // 2
    return [*rows[:half], None, *rows[-half:]]


def _flip_lines(flips: Row, unit: str, terminal: Terminal) -> Iterator[Line]:
    plain = flips["plain"]
    if not plain["units"]:
        return
    number = counted(plain["units"], terminal.safe(unit))
    yield Line(f"Who changes the plain top {flips['k']:,}: {number}", "bold")
    for flip in plain["listed"][:3]:
        leaves, enters = (", ".join(map(str, flip[way])) for way in ("leaves", "enters"))
        times = f" ({flip['count']:,} times)" if flip["count"] > 1 else ""
        space = (terminal.width - 30) // 3
        parts = [terminal.fit(part, space).rstrip() for part in (flip["unit"], leaves, enters)]
        yield Line(f"   without {parts[0]}{times}: {parts[1]} {terminal.sign('→', '->')} {parts[2]}")
    if plain["distinct_units"] > 3:
        hint = terminal.hint("--json lists them")
        yield Line(f"   and {plain['distinct_units'] - 3:,} more{hint}", FAINT)
    yield Line("")


class _Table:
    """The columns of items: sign, rank, name, score, ranks, bar, and the eps of entry."""

    def __init__(self, rows: Sequence[Row], terminal: Terminal, *, cut: int | None, eps: bool) -> None:
        self._terminal = terminal
        self._eps = eps
        self._decimals = _decimals([row["score"] for row in rows])
        self._rank = max((len(f"{row['rank']:,}") for row in rows), default=1)
        self._score = max((5, *(len(self._number(row["score"])) for row in rows)))
        self._ranks = max((5, *(len(self._interval(row)) for row in rows)))
        fixed = 3 + self._rank + 2 + 2 + self._score + 2 + self._ranks + 2
        room = max(20, terminal.width - fixed - (15 if eps else 0))
        self._name = max(4, terminal.widest((row["item"] for row in rows), room * 3 // 5))
        best = min((row["best_rank"] for row in rows), default=1)
        worst = max((row["worst_rank"] for row in rows), default=1)
        self._axis = RankAxis.around(best, worst, max(7, min(48, room - self._name - 1)), cut)
        self.width = fixed + self._name + self._axis.width

    def header(self) -> Line:
        eps = "enters at eps" if self._eps else ""
        return self._line(" ", ("", "item", "score", "ranks", "", eps), "bold")

    def row(self, row: Row | None) -> Line:
        terminal = self._terminal
        if row is None:
            return Line(f"   {terminal.sign('…', '...')}{terminal.hint('--all shows every row')}", FAINT)
        bar = self._axis.bar(row["best_rank"], row["worst_rank"], row["rank"], terminal)
        eps = f"{row['critical_eps']:.3g}" if self._eps and row["critical_eps"] else ""
        score, ranks = self._number(row["score"]), self._interval(row)
        style = STYLES[row["standing"]] if self._eps else ""
        sign = terminal.sign(*SIGNS[row["standing"]])
        return self._line(sign, (f"{row['rank']:,}", row["item"], score, ranks, bar, eps), style)

    def _line(self, sign: str, cells: Sequence[str], style: str) -> Line:
        rank, item, score, ranks, bar, eps = cells
        name = self._terminal.fit(item, self._name)
        numbers = f"{score:>{self._score}}  {ranks:>{self._ranks}}  {bar:<{self._axis.width}}"
        return Line(f" {sign} {rank:>{self._rank}}  {name}  {numbers}  {eps:>13}".rstrip(), style)

    def _interval(self, row: Row) -> str:
        return ranks_in_words(row["best_rank"], row["worst_rank"], self._terminal.sign("–", "-"))

    def _number(self, score: float) -> str:
        if score and not 1e-6 < abs(score) < 1e9:
            return f"{score:.6g}"
        return f"{score:.{self._decimals}f}"


def _decimals(scores: Sequence[float]) -> int:
    """Return how many decimals tell different scores apart: from two to six."""
    different = len(set(scores))
    for decimals in range(2, 6):
        if len({f"{score:.{decimals}f}" for score in scores}) == different:
            return decimals
    return 6

"""Findings as lines of text: what ``print``, a terminal and a log show of a result.

Of answers the sentence comes first, then the table, then the promise. All other documents say their
sentences, then show their table.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from steadyrank.report.tables import (
    item_columns,
    name_of,
    problems,
    split_tables,
    table,
)
from steadyrank.report.terminal import (
    FAINT,
    GAP,
    LONG,
    Line,
    Terminal,
    laid_out,
    rank_axis,
    rank_bar,
)
from steadyrank.text import (
    Column,
    columns_of,
    counted,
    eps_in_words,
    fitted,
    in_words,
    rounded_up,
    shortened,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from steadyrank.report.terminal import Findings, Row

NEXT_IN_LINE = 5
"""Items that are out of a list and shown all the same."""

STYLES = {"sure": "green", "contender": "yellow", "out": FAINT, None: ""}
SIGNS = {"sure": "●*", "contender": "◐?", "out": "○ ", None: "  "}
"""Of each standing two signs: the better one, and one that every terminal has."""

VERDICTS = {True: "bold green", False: "bold red", None: "bold"}
"""How a verdict is drawn, or what is none."""

MEANING = {
    "sure": "in the top {k:,}, no matter which {unit} is removed",
    "contender": "in or out, depending on which {unit} is removed",
}


ADDED = 5
"""Items that a remedy adds and that are named."""

FLIPS = 3
"""Units that change the top k and that are named."""

NAME = 40
"""Columns of a unit, or of the items that it moves, in a sentence."""

LONGEST = 240
"""Columns of a reason why there is no answer, unless all is wanted."""


def plain_text(findings: Findings, terminal: Terminal | None = None) -> str:
    """Return the lines without colours, by default for 80 columns."""
    page = terminal or Terminal()
    return "\n".join(line.text for line in page.fitting(lines(findings, page)))


def lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield what any findings say; long tables are shortened unless the terminal wants all."""
    kind = findings["document"]
    if terminal.quiet:
        yield from answer_alone(findings, terminal)
        return
    if kind == "split":
        yield from split_lines(findings, terminal)
        return
    if kind != "check":  # of which the verdict comes first
        yield from heading(findings, terminal)
    view = {"top-k": topk_lines, "ranking": ranking_lines}.get(kind, told_lines)
    yield from (*view(findings, terminal), *notes(findings, terminal))


def answer_alone(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the sentence of an answer, and its table."""
    most = None if terminal.everything else LONG
    match findings["document"]:
        case "split":
            yield Line(findings["headline"], VERDICTS[findings["stable"]])
            for columns, _ in split_tables(findings, terminal):
                yield from _table(columns, terminal)
        case "top-k":
            yield Line(findings["headline"], "bold")
            yield from (*warned(findings), *topk_table(findings, terminal))
        case "ranking":
            yield from (Line(findings["headline"], "bold"), *warned(findings))
            yield from _item_lines(findings["rows"][:most], findings, terminal, {})
        case _:
            yield Line(said(findings)[0], VERDICTS[findings.get("stable")])
            yield from warned(findings)
            columns, hidden = table(findings, terminal, most)
            yield from _table(columns, terminal) if columns else ()
            yield Line(hidden, FAINT)


def heading(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield where the data come from, and how much of it there is."""
    source = "standard input" if findings["source"] == "-" else findings["source"]
    items, units = (
        counted(findings["n_items"], findings["item_name"]),
        counted(findings["n_units"], findings["unit"]),
    )
    size = f"{findings['kind']}, {items}, {units}, scored by {findings['scorer']}"
    yield Line(f"{source}: {size}" if source else size, FAINT)
    yield Line(how_read(findings), FAINT)
    if "new" in findings:  # a comparison, of which the old data come first
        yield from heading(findings["new"], terminal)


def how_read(findings: Findings) -> str:
    """Return which known header was taken, if one was, and what was skipped; "" if nothing."""
    reading = findings["reading"] or {"header": None, "skipped": None}
    sentences = []
    if reading["header"] is not None:
        roles = _roles_in_words(reading)
        sentences.append(f"Read by its header ({reading['header']}): {roles}.")
    if reading["skipped"] is not None:
        skipped = reading["skipped"]
        why = "with a blank cell" if skipped["what"] == "rows" else "that are blank"
        sentences.append(
            f"Skipped {skipped['number']:,} of {skipped['of']:,} {skipped['what']} {why}, "
            f"the first in {skipped['first']}."
        )
    return " ".join(sentences)


def _roles_in_words(reading: Mapping[str, Any]) -> str:
    parts = []
    for role, value in reading["roles"].items():
        columns = value if isinstance(value, list) else [value]
        name = role.replace("_", " ")
        parts.append(" ".join([name, ", ".join(map(str, columns))]))
    return ", ".join(part.removesuffix(" True") for part in parts)


def notes(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield what was decided about the data."""
    yield Line("How this file was read", FAINT)
    if terminal.verbose and findings["reading"] is not None:
        roles = f"columns: {_roles_in_words(findings['reading'])}"
        yield from remarks([roles], terminal)
    yield from remarks(findings["notes"], terminal)
    if (
        new := findings.get("new")
    ) is not None:  # a comparison, which has told of the old data
        known = {*findings["notes"]}
        yield from remarks(
            [f"new: {note}" for note in new["notes"] if note not in known], terminal
        )


def remarks(notes: Iterable[str], terminal: Terminal) -> Iterator[Line]:
    """Yield notes, each on lines of its own."""
    return (Line(note, FAINT, terminal.sign("·", "-")) for note in notes)


def claims(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield what is promised; the numbers behind it where they are wanted."""
    certificate = findings["certificate"]
    yield Line(certificate["promise"])
    if terminal.verbose:
        eps, share = findings["eps"], rounded_up(certificate["delta"])
        given = certificate["guarantee"] == "overlap"
        words = "none" if eps is None else eps_in_words(eps, given=given)
        told = f"eps = {words}, delta = {share}, removals = {certificate['removals']:,}"
        yield Line(
            f"Certificate ({certificate['status']}): {told}; rule: {certificate['rule']}",
            "bold",
        )
        yield Line(certificate["sentence"])
    yield GAP


def topk_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of a top-k."""
    yield from (*_first(findings), *topk_table(findings, terminal), GAP)
    for standing, meaning in MEANING.items():
        if any(row["standing"] == standing for row in findings["rows"]):
            sign = f"{terminal.sign(*SIGNS[standing])} {standing}:"
            yield Line(meaning.format(**findings), STYLES[standing], sign)
    yield GAP
    yield from claims(findings, terminal)


def _first(findings: Findings) -> Iterator[Line]:
    """Yield what an answer says first: its sentence, the margin, and what a reader must know."""
    yield Line(findings["headline"], "bold")
    yield Line((findings["margin"] or {}).get("sentence", ""))
    yield from warned(findings)
    yield GAP


def warned(findings: Findings) -> Iterator[Line]:
    """Yield what a reader must know."""
    return (Line(warning, "yellow", "!") for warning in findings.get("warnings", ()))


def topk_table(
    findings: Findings, terminal: Terminal, following: int = NEXT_IN_LINE
) -> Iterator[Line]:
    """Yield the items of the list by rank, so many that are next in line, and where each stands."""
    rows, k = findings["rows"], findings["k"]
    last = max((row["rank"] for row in rows if row["listed"]), default=k)
    first = next((row["rank"] for row in rows if not row["listed"]), len(rows) + 1)
    shown = rows if terminal.everything else rows[: first - 1 + following][:LONG]
    beyond = (
        row
        for row in rows[len(shown) :]
        if row["listed"] or row["standing"] == "contender"
    )
    far = [row for row in beyond if row["standing"] != "sure"][:LONG]
    ends = {k: f"top {k:,}"} | {last: "end of the list"}
    if last == k:
        ends = {k: f"top {k:,}, and end of the list"}
    yield from _item_lines(
        [*shown, None, *far] if far else shown, findings, terminal, ends, k
    )
    hidden = findings["n_items"] - len(shown) - len(far)
    yield more(hidden, terminal.hint(f"--all shows {'it' if hidden == 1 else 'them'}"))


def more(number: int, where: str = "") -> Line:
    """Return how many rows are not shown, if any."""
    return Line(f"   and {number:,} more{where}" if number > 0 else "", FAINT)


def ranking_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of a full ranking."""
    listed, tiers = (
        findings["rows"][: None if terminal.everything else LONG],
        findings["tiers"],
    )
    few = len(tiers) <= findings["n_items"] // 2
    ends = (
        dict.fromkeys(accumulate(len(tier) for tier in tiers[:-1]), "") if few else {}
    )
    yield from _first(findings)
    yield from _item_lines(listed, findings, terminal, ends)
    yield more(findings["n_items"] - len(listed), terminal.hint("--all shows them"))
    if ends:
        yield Line(
            f"Lines separate {len(tiers):,} tiers: no ranking of the set mixes them.",
            FAINT,
        )
    yield GAP
    yield from claims(findings, terminal)


def _item_lines(
    listed: Sequence[Row | None],
    findings: Findings,
    terminal: Terminal,
    ends: Mapping[int, str],
    cut: int | None = None,
) -> Iterator[Line]:
    """Yield items as a table, with a line after each rank that something ends at, and bars of ranks."""
    rows = [row for row in listed if row is not None]
    wide = max((len(f"{row['rank']:,}") for row in rows), default=1)
    signs = [
        terminal.sign(*SIGNS[row["standing"] if cut is not None else None])
        for row in rows
    ]
    places = [
        f" {sign} {row['rank']:>{wide},}" for sign, row in zip(signs, rows, strict=True)
    ]
    columns = [Column("", places, 9), *item_columns(rows, findings, terminal, cut)]
    title, *texts = laid_out(columns, terminal)
    width = max(map(columns_of, (title, *texts)))
    bars = _bars(rows, terminal.width - width - 3, terminal, cut)
    left = (
        f"{fitted(text, width)}  {bar}" for text, bar in zip(texts, bars, strict=True)
    )
    yield Line(title, "bold")
    for row in listed:
        if row is None:
            yield Line(f"   {terminal.sign('…', '...')}", FAINT)
            continue
        yield Line(next(left), STYLES[row["standing"]] if cut is not None else "")
        if row["rank"] in ends and row is not rows[-1]:
            told = f" {ends[row['rank']]}".rstrip()
            rule = terminal.sign("─", "-") * max(
                3, min(24, terminal.width - 6 - len(told))
            )
            yield Line(f"   {rule}{told}", FAINT)
    if any(row.get("coverage") for row in rows):
        few = f"In brackets: {findings['counted_as']} of the item, of the most that any item has."
        yield Line(few, FAINT)


def _bars(
    rows: Sequence[Row], cells: int, terminal: Terminal, cut: int | None
) -> list[str]:
    """Return the ranks of each item as a bar; nothing where there is no room or no rank."""
    known = [row[end] for row in rows for end in ("best_rank", "worst_rank")]
    ranks = [rank for rank in known if rank is not None]
    if not ranks or cells < 7:
        return [""] * len(rows)
    axis = rank_axis(min(ranks), max(ranks), min(48, cells), cut)
    every = ((row["best_rank"], row["worst_rank"], row["rank"]) for row in rows)
    return [rank_bar(axis, one, cut, terminal) for one in every]


def said(findings: Findings) -> list[str]:  # noqa: PLR0911 (one for each document)
    """Return the sentences of a document, what was found first."""
    match findings["document"]:
        case "audit":
            return [*_audited(findings)]
        case "check":
            return [*_checked(findings)]
        case "margin":
            rests = f"rule: {findings['rule']}", *findings["assumed"]
            told = [f"{text[0].upper()}{text[1:]}." for text in rests]
            return [findings["sentence"], _exampled(findings), *told]
        case "explanation":
            return [
                findings["sentence"],
                _flipped(findings),
                *map(_rival, findings["rivals"]),
            ]
        case "comparison":
            return [findings["headline"], *findings["sentences"], findings["rule"]]
        case "confidence":
            told = [
                findings["sentence"],
                findings["stability"],
                findings["top_sentence"] or "",
            ]
            return [*told, "Interval: each item by itself, not all at once."]
        case _:
            return [findings["headline"], findings["certificate"]["promise"]]


def told_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the sentences of a document, what was found first, then its table."""
    first, *rest = said(findings)
    yield Line(first, VERDICTS[findings.get("stable")])
    if findings["document"] == "check":  # which has no heading
        yield Line(how_read(findings), FAINT)
    yield from (*map(Line, rest), *warned(findings), GAP)
    columns, hidden = table(findings, terminal, None if terminal.everything else LONG)
    yield from (
        *(_table(columns, terminal) if columns else ()),
        Line(hidden, FAINT),
        GAP,
    )


def _table(columns: Sequence[Column], terminal: Terminal) -> Iterator[Line]:
    title, *rows = laid_out(columns, terminal)
    yield from (Line(title, "bold"), *map(Line, rows))


def _audited(findings: Findings) -> Iterator[str]:
    """Yield what was removed, where the eps of inflated answers comes from, and what columns mean."""
    units = findings["units"]
    yield f"We removed each of the {counted(findings['n_units'], findings['unit'])} in turn."
    if findings["eps"] is not None:
        eps, share = (
            eps_in_words(findings["eps"]),
            rounded_up(findings["share_reaching_eps"]),
        )
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
    yield f"Broken by: {units} whose removal leaves fewer than k items, or no ranking, in both answers."
    for flips in findings["flips"]:
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
        leaves, enters = (
            ", ".join(map(str, flip[way])) for way in ("leaves", "enters")
        )
        unit, gone, new = (
            shortened(name, NAME) for name in (flip["unit"], leaves, enters)
        )
        yield f"Top {flips['k']:,} without {unit}: {gone} drops out, {new} comes in."


def _exampled(findings: Findings) -> str:
    """Return what happens without the units that were tried; nothing if none were."""
    number = findings["upper"]
    if number is None:
        return ""
    units = f"{in_words(number)} {findings['unit' if number == 1 else 'units']}"
    told = f"without {units}, {findings['passing']} overtakes {findings['passed']}"
    leaves, enters = (
        ", ".join(map(str, findings[name])) for name in ("leaves", "enters")
    )
    if (leaves, enters) not in {
        ("", ""),
        (str(findings["passed"]), str(findings["passing"])),
    }:
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
    way, stays = (
        ("Pushing it out of", "in")
        if findings["inside"]
        else ("Bringing it into", "out of")
    )
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
    yield Line(how_read(answered[0]["findings"]), FAINT)
    yield from (Line(findings["headline"], VERDICTS[findings["stable"]]), GAP)
    for columns, foot in split_tables(findings, terminal):
        title, *rest = _table(columns, terminal)
        seen = columns[-1].title in title.text  # there was room for the signs
        yield from (title, *rest, Line(foot if seen else "", FAINT), GAP)
    for problem in problems(findings):
        yield Line(
            problem if terminal.everything else shortened(problem, LONGEST),
            "yellow",
            "!",
        )
    for one in answered if terminal.everything else ():
        yield from (GAP, Line(name_of(one), "bold"), *lines(one["findings"], terminal))

"""Findings as lines of text: what ``print``, a terminal and a log show of a result.

Answers stand here: the sentence first, then the table, then the promise. All other documents have a
module of their own, which is loaded for them.
"""

from __future__ import annotations

from importlib import import_module
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from steadyrank.report.terminal import FAINT, GAP, LONG, NEXT_IN_LINE, Line, RankAxis, Terminal, laid_out
from steadyrank.text import (
    Column,
    away_in_words,
    columns_of,
    confidence_title,
    counted,
    eps_in_words,
    fitted,
    number_format,
    ranks_in_words,
    rounded_up,
    share_in_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from steadyrank.report.terminal import Findings, Row

STYLES = {"sure": "green", "contender": "yellow", "out": FAINT, None: ""}
SIGNS = {"sure": "●*", "contender": "◐?", "out": "○ ", None: "  "}
"""Of each standing two signs: the better one, and one that every terminal has."""

MEANING = {
    "sure": "in the top {k:,}, no matter which {unit} is removed",
    "contender": "in or out, depending on which {unit} is removed",
}


def plain_text(findings: Findings, terminal: Terminal | None = None) -> str:
    """Return the lines without colours, by default for 80 columns."""
    page = terminal or Terminal()
    return "\n".join(line.text for line in page.fitting(lines(findings, page)))


def lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield what any findings say; long tables are shortened unless the terminal wants all."""
    kind: str = findings["document"]
    view: Any = VIEWS.get(kind)
    if view is None:  # loaded where it is wanted
        others = import_module("steadyrank.report.audit_text")
        view = others.split_lines if kind == "split" else others.told_lines
    if kind not in {"check", "split"}:  # of these, the verdict or all categories come first
        yield from heading(findings, terminal)
    yield from view(findings, terminal)
    if kind != "split":
        yield from notes(findings, terminal)


def heading(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield where the data come from, and how much of it there is."""
    source = "standard input" if findings["source"] == "-" else findings["source"]
    items, units = (counted(findings["n_items"], "item"), counted(findings["n_units"], findings["unit"]))
    size = f"{findings['kind']}, {items}, {units}"
    yield Line(f"{source}: {size}" if source else size, FAINT)
    yield Line(guessed(findings, terminal), FAINT)
    if "new" in findings:  # a comparison, of which the old data come first
        yield from heading(findings["new"], terminal)


def guessed(findings: Findings, terminal: Terminal) -> str:
    """Return what was guessed, and the options that change it where they can be typed; "" if nothing."""
    guesses = findings["guesses"]
    if not guesses:
        return ""
    lead = "Read as" if guesses[0]["option"] == "--kind" else "Guessed:"
    hints = [f"change with {guesses[0]['option']}", *(one["option"] for one in guesses[1:])]
    told = [one["text"] + terminal.hint(hint) for one, hint in zip(guesses, hints, strict=True)]
    return f"{lead} {'; '.join(told)}"


def notes(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield what was recognised and decided, but for what was said first."""
    yield Line("How this file was read", FAINT)
    yield from remarks([f"scores: {findings['scorer']}", *findings["notes"]], findings, terminal)
    if (new := findings.get("new")) is not None:  # a comparison, which has told of the old data
        said = {*findings["notes"], *(one["note"] for one in new["guesses"])}
        yield from remarks([f"new: {note}" for note in new["notes"] if note not in said], new, terminal)


def remarks(notes: Iterable[str], findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield notes, each on lines of its own, but for what was said first."""
    said = {one["note"] for one in findings["guesses"]}
    return (Line(note, FAINT, terminal.sign("·", "-")) for note in notes if note not in said)


def claims(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield what is promised; the numbers behind it where they are wanted."""
    certificate = findings["certificate"]
    yield Line(certificate["promise"])
    if terminal.verbose:
        eps, delta = findings["eps"], certificate["delta"]
        words = "none" if eps is None else eps_in_words(eps, given=certificate["given"])
        share = "none" if delta is None else rounded_up(delta)
        told = f"eps = {words}, delta = {share}, removals = {certificate['removals']:,}"
        yield Line(f"Certificate ({certificate['status']}): {told}; rule: {certificate['rule']}", "bold")
        yield Line(certificate["sentence"])
    yield GAP
    for suggestion in findings["suggestions"]:
        option = terminal.hint(suggestion["option"])
        yield Line(f"{suggestion['text']}{option}", bullet=terminal.sign("→", ">"))
    if findings["suggestions"]:
        yield GAP


def topk_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of a top-k."""
    yield from _first(findings)
    yield from topk_table(findings, terminal)
    yield GAP
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


def topk_table(findings: Findings, terminal: Terminal, following: int = NEXT_IN_LINE) -> Iterator[Line]:
    """Yield the items of the list by rank, so many that are next in line, and where each stands."""
    rows, k = findings["rows"], findings["k"]
    last = max((row["rank"] for row in rows if row["listed"]), default=k)
    first = next((row["rank"] for row in rows if not row["listed"]), len(rows) + 1)
    shown = rows if terminal.everything else rows[: first - 1 + following][:LONG]
    beyond = (row for row in rows[len(shown) :] if row["listed"] or row["standing"] == "contender")
    far = [row for row in beyond if row["standing"] != "sure"][:LONG]
    listed = [*shown, None, *far] if far else shown
    ends = {k: f"top {k:,}"} | {last: "end of the list"}
    if last == k:
        ends = {k: f"top {k:,}, and end of the list"}
    yield from _item_lines(listed, findings, terminal, cut=k, ends=ends)
    hidden = findings["n_items"] - len(shown) - len(far)
    yield more(hidden, terminal.hint(f"--all shows {'it' if hidden == 1 else 'them'}"))


def more(number: int, where: str = "") -> Line:
    """Return how many rows are not shown, if any."""
    return Line(f"   and {number:,} more{where}" if number > 0 else "", FAINT)


def ranking_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of a full ranking."""
    listed, tiers = _first_of(findings, terminal), findings["tiers"]
    few = len(tiers) <= findings["n_items"] // 2
    ends = dict.fromkeys(accumulate(len(tier) for tier in tiers[:-1]), "") if few else {}
    yield from _first(findings)
    yield from _item_lines(listed, findings, terminal, ends=ends)
    yield more(findings["n_items"] - len(listed), terminal.hint("--all shows them"))
    if ends:
        yield Line(f"Lines separate {len(tiers):,} tiers: no ranking of the set mixes them.", FAINT)
    yield GAP
    yield from claims(findings, terminal)


def _item_lines(
    listed: Sequence[Row | None],
    findings: Findings,
    terminal: Terminal,
    *,
    cut: int | None = None,
    ends: Mapping[int, str] | None = None,
) -> Iterator[Line]:
    """Yield items as a table, with a line after each rank that something ends at, and bars of ranks."""
    rows = [row for row in listed if row is not None]
    wide = max((len(f"{row['rank']:,}") for row in rows), default=1)
    signs = [terminal.sign(*SIGNS[row["standing"] if cut is not None else None]) for row in rows]
    places = [f" {sign} {row['rank']:>{wide},}" for sign, row in zip(signs, rows, strict=True)]
    columns = [Column("", places, 9), *item_columns(rows, findings, terminal, cut)]
    title, *texts = laid_out(columns, terminal)
    width = max(map(columns_of, (title, *texts)))
    bars = _bars(rows, terminal.width - width - 3, terminal, cut)
    both = zip((fitted(text, width) for text in texts), bars, strict=True)
    texts = [f"{text}  {bar}" for text, bar in both]
    yield Line(title, "bold")
    left = iter(texts)
    for row in listed:
        if row is None:
            yield Line(f"   {terminal.sign('…', '...')}", FAINT)
            continue
        yield Line(next(left), STYLES[row["standing"]] if cut is not None else "")
        if ends and row["rank"] in ends and row is not rows[-1]:
            told = f" {ends[row['rank']]}".rstrip()
            rule = terminal.sign("─", "-") * max(3, min(24, terminal.width - 6 - len(told)))
            yield Line(f"   {rule}{told}", FAINT)
    if any(row.get("coverage") for row in rows):
        few = f"In brackets: {findings['counted_as']} of the item, of the most that any item has."
        yield Line(few, FAINT)


def _bars(rows: Sequence[Row], cells: int, terminal: Terminal, cut: int | None) -> list[str]:
    """Return the ranks of each item as a bar; nothing where there is no room or no rank."""
    known = [row[end] for row in rows for end in ("best_rank", "worst_rank")]
    ranks = [rank for rank in known if rank is not None]
    if not ranks or cells < 7:
        return [""] * len(rows)
    axis = RankAxis.around(min(ranks), max(ranks), min(48, cells), cut)
    return [axis.bar(row["best_rank"], row["worst_rank"], row["rank"], terminal) for row in rows]


def item_columns(
    rows: Sequence[Row], findings: Findings, terminal: Terminal, cut: int | None
) -> list[Column]:
    """Return what is told of items, from their names on, as far as it is known and differs.

    Every view of items has these columns; each says rank and standing in its own way.
    """
    number, room = number_format([row["score"] for row in rows]), max(8, terminal.width * 2 // 5)
    given = [[row[end] for end in ("score_low", "score_high")] for row in rows if "error" in row]
    lengths = ["unknown" if low is None else f"{number(low)} to {number(high)}" for low, high in given]
    columns = [
        Column("item", [_named(row) for row in rows], 8, names=True, most=room),
        Column("score", [number(row["score"]) for row in rows], 3),
        Column("interval", lengths, 2),
        _ranks("ranks", "{}_rank", rows, terminal, 7),
    ]
    if cut is not None:
        least = terminal.sign("≥", ">=")
        away = [away_in_words(row["away"], findings["n_units"], least) for row in rows]
        columns.append(Column(f"in top {cut:,}", [share_in_words(row["share"]) for row in rows], 6))
        columns.append(Column("to flip", away, 5))
    if "level" in findings:
        title = confidence_title(findings["level"])
        columns.append(_ranks(title, "confidence_{}", rows, terminal, 7))
    if len({row.get("count") for row in rows} - {None}) > 1:
        columns.append(Column(findings["counted_as"], [f"{row['count']:,}" for row in rows], 2))
    if terminal.verbose and cut is not None:
        columns.append(Column("enters at eps", [f"{row['critical_eps'] or 0:.3g}" for row in rows], 1))
    return [column for column in columns if any(column.cells)]


def _named(row: Row) -> str:
    """Return the name of an item, with how few observations it has where others have far more."""
    few = row.get("coverage")
    return f"{row['item']} ({few})" if few else str(row["item"])


def _ranks(title: str, ends: str, rows: Sequence[Row], terminal: Terminal, need: int) -> Column:
    """Return a column of the ranks that each item may have; blank where they are not known."""
    best, worst = (ends.format(end) for end in ("best", "worst"))
    dash = terminal.sign("–", "-")
    return Column(title, [ranks_in_words(row.get(best), row.get(worst), dash) for row in rows], need)


def _first_of(findings: Findings, terminal: Terminal) -> Sequence[Row]:
    """Return all rows, or the first of very many."""
    rows: Sequence[Row] = findings["rows"]
    return rows if terminal.everything else rows[:LONG]


VIEWS: dict[str, Callable[[Findings, Terminal], Iterator[Line]]] = {
    "top-k": topk_lines,
    "ranking": ranking_lines,
}
"""What stands between the heading and the notes of each document."""

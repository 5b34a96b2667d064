"""Findings as lines of text: what ``print``, a terminal and a log show of a result.

Answers stand here: the sentence first, then the table, then the promise. All other documents have a
module of their own, which is loaded for them.
"""

from __future__ import annotations

from importlib import import_module
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from steadyrank.report.terminal import (
    FAINT,
    LONG,
    NEXT_IN_LINE,
    Column,
    Layout,
    Line,
    RankAxis,
    Terminal,
    claims,
    heading,
    notes,
    paragraph,
)  # fmt: skip
from steadyrank.text import (
    away_in_words,
    columns_of,
    confidence_title,
    number_format,
    ranks_in_words,
    share_in_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

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
    return "\n".join(line.text for line in lines(findings, terminal or Terminal()))


def lines(findings: Findings, terminal: Terminal) -> list[Line]:
    """Return the lines of any findings; long tables are shortened unless the terminal wants all."""
    kind: str = findings["document"]
    if kind == "split":
        return list(import_module("steadyrank.report.split_text").split_lines(findings, terminal))
    views: Any = VIEWS if kind in VIEWS else import_module("steadyrank.report.audit_text").VIEWS
    # The verdict of a check comes first.
    first = [] if kind == "check" else heading(findings, terminal)
    return [*first, *views[kind](findings, terminal), *notes(findings, terminal)]


def topk_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of a top-k."""
    yield from _first(findings, terminal)
    yield from topk_table(findings, terminal)
    yield Line("")
    for standing, meaning in MEANING.items():
        if any(row["standing"] == standing for row in findings["rows"]):
            sign = f"{terminal.sign(*SIGNS[standing])} {standing}:"
            told = meaning.format(**findings)
            yield from paragraph(told, terminal, bullet=sign, style=STYLES[standing])
    yield Line("")
    yield from claims(findings, terminal)


def _first(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield what an answer says first: its sentence, the margin, and what a reader must know."""
    yield from paragraph(findings["headline"], terminal, style="bold")
    if findings["margin"] is not None:
        yield from paragraph(findings["margin"]["sentence"], terminal)
    for warning in findings["warnings"]:
        yield from paragraph(warning, terminal, bullet="!", style="yellow")
    yield from _confidence_said(findings.get("confidence") or {}, terminal)
    yield Line("")


def topk_table(findings: Findings, terminal: Terminal, following: int = NEXT_IN_LINE) -> Iterator[Line]:
    """Yield the items of the list by rank, so many that are next in line, and where each stands."""
    rows, k = findings["rows"], findings["k"]
    last = max((row["rank"] for row in rows if row["listed"]), default=k)
    first = next((row["rank"] for row in rows if not row["listed"]), len(rows) + 1)
    shown = rows if terminal.everything else rows[: first - 1 + following]
    listed = _ends_of(shown, everything=terminal.everything, middle=k)
    far = [row for row in rows[len(shown) :] if row["listed"] or row["standing"] == "contender"]
    listed += [None, *far[:LONG]] if far else []
    ends = {k: f"top {k:,}"} | {last: "end of the list"}
    if last == k:
        ends = {k: f"top {k:,}, and end of the list"}
    yield from _item_lines(listed, findings, terminal, cut=k, ends=ends)
    yield from _hidden(findings["n_items"] - len(shown) - len(far), terminal, " further down")


def ranking_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of a full ranking."""
    listed = _ends_of(findings["rows"], everything=terminal.everything)
    tiers = findings["tiers"]
    few = len(tiers) <= findings["n_items"] // 2
    ends = dict.fromkeys(accumulate(len(tier) for tier in tiers[:-1]), "") if few else {}
    yield from _first(findings, terminal)
    yield from _item_lines(listed, findings, terminal, ends=ends)
    if ends:
        told = f"Lines separate {len(tiers):,} tiers: no ranking of the set mixes them."
        yield from paragraph(told, terminal, style=FAINT)
    yield Line("")
    yield from claims(findings, terminal)


def _hidden(number: int, terminal: Terminal, where: str = "") -> Iterator[Line]:
    """Yield how many rows are not shown, if any."""
    if number:
        hint = terminal.hint(f"--all shows {'it' if number == 1 else 'them'}")
        yield Line(f"   and {number:,} more{where}{hint}", FAINT)


def confidence_lines(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield which ranks the true scores may have."""
    listed = _ends_of(findings["rows"], everything=terminal.everything)
    yield from _confidence_said(findings, terminal)
    yield Line("")
    title, *rows = _item_lines(listed, {**findings, "confidence": findings}, terminal)
    yield from (title, *rows)
    if alone := [name for name in ("interval", "bootstrap", "draws") if name in title.text]:
        told = f"{' and '.join(alone).capitalize()}: each item by itself, not all at once."
        yield from paragraph(told, terminal, style=FAINT)
    yield Line("")


def _confidence_said(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield what confidence answers and what stability does, and who may be among the best."""
    for name in ("sentence", "stability", "top_sentence"):
        if findings.get(name) is not None:
            yield from paragraph(findings[name], terminal)


def _item_lines(
    listed: Sequence[Row | None],
    findings: Findings,
    terminal: Terminal,
    *,
    cut: int | None = None,
    ends: Mapping[int, str] | None = None,
) -> Iterator[Line]:
    """Yield items as a table, with a line after each rank that something ends at, and bars of ranks.

    Bars are stability; beside ranks of a confidence they would be taken for these.
    """
    rows = [row for row in listed if row is not None]
    wide = max((len(f"{row['rank']:,}") for row in rows), default=1)
    signs = [terminal.sign(*SIGNS[row["standing"] if cut is not None else None]) for row in rows]
    places = [f" {sign} {row['rank']:>{wide},}" for sign, row in zip(signs, rows, strict=True)]
    layout = Layout([Column("", places, 9), *item_columns(rows, findings, terminal, cut)], terminal)
    barred = rows if findings["confidence"] is None else []
    axis = RankAxis.beside(layout.width, barred, terminal, cut)
    title, *texts = layout.lines()
    yield Line(title, "bold")
    left = iter(texts)
    for row in listed:
        if row is None:
            hint = terminal.hint("--all shows every row")
            yield Line(f"   {terminal.sign('…', '...')}{hint}", FAINT)
            continue
        text = next(left)
        if axis is not None:
            bar = axis.bar(row["best_rank"], row["worst_rank"], row["rank"], terminal)
            text = f"{text}{' ' * (layout.width + 2 - columns_of(text))}{bar}".rstrip()
        yield Line(text, STYLES[row["standing"]] if cut is not None else "")
        if ends and row["rank"] in ends and row is not rows[-1]:
            told = f" {ends[row['rank']]}".rstrip()
            rule = terminal.sign("─", "-") * max(3, min(24, terminal.width - 6 - len(told)))
            yield Line(f"   {rule}{told}", FAINT)
    if any(row.get("coverage") for row in rows):
        told = f"In brackets: {findings['counted_as']} of the item, of the most that any item has."
        yield from paragraph(told, terminal, style=FAINT)


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
    if cut is None:
        columns.append(_ranks("in the set", "inflated_{}", rows, terminal, 4))
    else:
        least = terminal.sign("≥", ">=")
        away = [away_in_words(row["away"], findings["n_units"], least) for row in rows]
        columns.append(Column(f"in top {cut:,}", [share_in_words(row["share"]) for row in rows], 6))
        columns.append(Column("to flip", away, 5))
    if findings["confidence"] is not None:
        drawn = "bootstrap" if findings["n_units"] else "draws"
        title = confidence_title(findings["confidence"]["level"])
        columns.append(_ranks(drawn, "bootstrap_{}", rows, terminal, 1))
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


def _ends_of(rows: Sequence[Row], *, everything: bool, middle: int = 0) -> list[Row | None]:
    """Return all rows, or the first and last of very many, with None for the gap.

    Those around a rank in the middle stay, too.
    """
    if everything or len(rows) <= LONG:
        return list(rows)
    half = LONG // 4
    kept = {*range(2 * half), *range(middle - half, middle + half), *range(len(rows) - half, len(rows))}
    found: list[Row | None] = []
    for place in sorted(place for place in kept if 0 <= place < len(rows)):
        if found and found[-1] is not None and found[-1]["rank"] < place:
            found.append(None)
        found.append(rows[place])
    return found


VIEWS: dict[str, Callable[[Findings, Terminal], Iterator[Line]]] = {
    "top-k": topk_lines,
    "ranking": ranking_lines,
    "confidence": confidence_lines,
}
"""What stands between the heading and the notes of each document."""

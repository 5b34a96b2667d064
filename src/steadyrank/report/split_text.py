"""All rows and each category side by side: a line for each, and who stands where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyrank.report.terminal import FAINT, Column, Layout, Line, guessed, paragraph
from steadyrank.report.text import lines
from steadyrank.text import counted, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from steadyrank.report.terminal import Findings, Row, Terminal

WHOLE = "all rows"
ROWS, LONGEST = 20, 240
"""Items, and columns of a reason, that are shown unless all are wanted."""
SIGNS = ("●*", "◐?", "○-", "○-", "○-")
"""Of each standing, what matters most first: the better sign, and one that every terminal has."""


def name_of(one: Row) -> str:
    """Return what a category is called."""
    return WHOLE if one["category"] is None else str(one["category"])


def tables(found: Findings, terminal: Terminal) -> Iterator[tuple[list[Column], str]]:
    """Yield a table of the categories and one of the items, each with what stands below it."""
    told = [_cells(one["findings"], terminal) for one in found["categories"]]
    names = Column(found["split"], [name_of(one) for one in found["categories"]], 9, names=True)
    cells = {title: [row.get(title, "") for row in told] for title in max(told, key=len)}
    yield [names, *(Column(title, cells[title], 8 - n) for n, title in enumerate(cells))], ""
    if rows := found["rows"]:
        yield _items(rows if terminal.everything else rows[:ROWS], found, terminal)


def _cells(one: Findings | None, terminal: Terminal) -> dict[str, str]:
    """Return what is told of a category, by title."""
    if one is None:
        return {"items": "no answer"}
    told = {"items": one["n_items"], one["units"]: one["n_units"]}
    if one["document"] == "comparison":
        verdicts = [row["verdict"] for row in one["rows"]]
        told |= {kind: verdicts.count(kind) for kind in ("beyond", "inside", "same", "new", "gone")}
    elif one["document"] == "check":
        told["verdict"] = "stable" if one["stable"] else "UNSTABLE"
    else:
        told |= {name: one["summary"][name] for name in ("sure", "contenders")}
    if (margin := one["margin"]) is not None:
        least = "" if margin["exact"] else f"{terminal.sign('≥', '>=')} "
        told["margin"] = "never" if margin["never"] else f"{least}{margin['lower']:,}"
    return {name: f"{value:,}" if type(value) is int else value or "" for name, value in told.items()}


def _items(rows: Sequence[Row], found: Findings, terminal: Terminal) -> tuple[list[Column], str]:
    """Return in how many categories items stand so or so, how in each of them, and what signs mean."""
    names = [one["category"] for one in found["categories"][1:]]
    signs = {kind: terminal.sign(*pair) for kind, pair in zip(list(rows[0])[2:], SIGNS, strict=False)}
    first, second, *_ = signs
    told = [{name: signs[kind] for kind in signs for name in row[kind]} for row in rows]
    each = ["".join(row.get(name, terminal.sign("◌", ".")) for name in names) for row in told]
    columns = [
        Column("item", [str(row["item"]) for row in rows], 9, names=True),
        *(
            Column(kind, [f"{len(row[kind]):,} of {len(names):,}" for row in rows], 7)
            for kind in (first, second)
        ),
        Column(WHOLE, [row["whole"] or "" for row in rows], 6),
        Column("each", each, 5),
    ]
    more = len(found["rows"]) - len(rows)
    cut = f"{more:,} more{terminal.hint('--all shows them')}. " if more else ""
    legend = f"({signs[first]} {first}, {signs[second]} {second})"
    return columns, f"{cut}Each: one sign for each category, in the order above {legend}."


def remarks(found: Findings) -> list[str]:
    """Return why there is no answer, where there is none, and what was decided about the categories."""
    failed = [one for one in found["categories"] if one["problem"] is not None]
    return [*(f"no answer for {name_of(one)}: {one['problem']}" for one in failed), *found["notes"]]


def split_lines(found: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield what holds for all rows and in each category; the tables of each where all is wanted."""
    answered = [one for one in found["categories"] if one["findings"] is not None]
    every = counted(len(found["categories"]) - 1, "category")
    source = f"{found['source']}: " if found["source"] else ""
    yield from paragraph(f"{source}{every} by {found['split']}", terminal, style=FAINT)
    yield from guessed(answered[0]["findings"], terminal)
    style = {True: "bold green", False: "bold red", None: "bold"}[found["stable"]]
    yield from (*paragraph(found["headline"], terminal, style=style), Line(""))
    for columns, foot in tables(found, terminal):
        title, *rest = Layout(columns, terminal).lines()
        yield from (Line(title, "bold"), *map(Line, rest))
        told = foot if columns[-1].title in title else ""  # there was no room for the signs
        yield from (*paragraph(told, terminal, style=FAINT), Line(""))
    for remark in remarks(found):
        told = remark if terminal.everything else shortened(remark, LONGEST)
        yield from paragraph(told, terminal, bullet="!", style="yellow")
    for one in answered if terminal.everything else ():
        yield from (Line(""), *paragraph(name_of(one), terminal, style="bold"))
        yield from lines(one["findings"], terminal)

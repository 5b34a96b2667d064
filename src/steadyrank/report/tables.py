"""The table of any document, declared once for every view: its rows, and its columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from steadyrank.text import (
    MOVES,
    RANK_STANDINGS,
    STANDINGS,
    Column,
    away_in_words,
    column_of,
    confidence_title,
    eps_in_words,
    number_format,
    ranks_in_words,
    share_in_words,
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
}  # fmt: skip
"""The columns of some documents: what each holds, its title, and how much it is needed."""

FIRST: dict[str, Callable[[Row], float]] = {
    "audit": lambda row: row["k"] or math.inf,
    "comparison": lambda row: row["verdict"] == "same",
    "explanation": lambda row: -abs(row["contribution"]),
}
"""Of some documents, which rows come first: a small k, items that moved, units that contribute most."""

WHOLE = "all rows"
ROWS = 20
"""Items of a split that are shown unless all are wanted."""

SIGNS = ("●*", "◐?", "○-", "○-", "○-")
"""Of each standing, what matters most first: the better sign, and one that every terminal has."""


def rows_shown(findings: Findings) -> tuple[Sequence[Row], int]:
    """Return the rows of a document's table, as far as it has them, and how many there are in all."""
    document = findings["document"]
    if document in {"margin", "check"}:
        found = (
            findings["units_removed"]
            if document == "margin"
            else findings["flips"]["plain"]
        )
        return found["listed"], found["distinct_units"]
    rows = next(
        (findings[name] for name in ("rows", "audit") if name in findings), [findings]
    )
    if document in FIRST:
        rows = sorted(rows, key=FIRST[document])
    ranked = any("score" in row for row in rows[:1])
    return rows, findings["n_items"] if ranked else len(rows)


def table(
    findings: Findings, terminal: Terminal, most: int | None
) -> tuple[list[Column], str]:
    """Return a document's table, of so many rows at most, and how many more there are, in words."""
    rows, number = rows_shown(findings)
    listed = rows[:most]
    hint = terminal.hint("--all shows them") if number == len(rows) else ""
    hidden = (
        f"{number - len(listed):,} more not shown{hint}."
        if number > len(listed)
        else ""
    )
    return columns_shown(listed, findings, terminal) if listed else [], hidden


def columns_shown(
    rows: Sequence[Row], findings: Findings, terminal: Terminal
) -> list[Column]:
    """Return the columns of some rows of a document's table; what tells nothing has no column."""
    document = findings["document"]
    if document in TITLES:
        columns = _titled(rows, findings, terminal)
    elif document == "audit":
        columns = _audited(rows, findings, terminal)
    else:
        words = STANDINGS if "size" in findings else RANK_STANDINGS
        standings = [words.get(str(row.get("standing")), "") for row in rows]
        ranks = Column("rank", [f"{row['rank']:,}" for row in rows], 9)
        cut = findings.get("size") and findings["k"]
        item, score, *rest = item_columns(rows, findings, terminal, cut)
        columns = [
            ranks,
            item,
            score,
            Column("standing", standings, 9, names=True),
            *rest,
        ]
    return [column for column in columns if any(column.cells)]


def item_columns(
    rows: Sequence[Row], findings: Findings, terminal: Terminal, cut: int | None
) -> list[Column]:
    """Return what is told of items, from their names on, as far as it is known and differs.

    Every view of items has these columns; each says rank and standing in its own way.
    """
    number, room = (
        number_format([row["score"] for row in rows]),
        max(8, terminal.width * 2 // 5),
    )
    given = [
        [row[end] for end in ("score_low", "score_high")]
        for row in rows
        if "error" in row
    ]
    lengths = [
        "unknown" if low is None else f"{number(low)} to {number(high)}"
        for low, high in given
    ]
    columns = [
        Column("item", [_named(row) for row in rows], 8, names=True, most=room),
        Column("score", [number(row["score"]) for row in rows], 3),
        Column("interval", lengths, 2),
        _ranks("ranks", "{}_rank", rows, terminal),
    ]
    if cut is not None:
        least = terminal.sign("≥", ">=")
        away = [away_in_words(row["away"], findings["n_units"], least) for row in rows]
        columns.append(
            Column(f"in top {cut:,}", [share_in_words(row["share"]) for row in rows], 6)
        )
        columns.append(Column("to flip", away, 5))
    if "level" in findings:
        title = confidence_title(findings["level"])
        columns.append(_ranks(title, "confidence_{}", rows, terminal))
    if len({row.get("count") for row in rows} - {None}) > 1:
        columns.append(
            Column(findings["counted_as"], [f"{row['count']:,}" for row in rows], 2)
        )
    if terminal.verbose and cut is not None:
        columns.append(
            Column(
                "enters at eps", [f"{row['critical_eps'] or 0:.3g}" for row in rows], 1
            )
        )
    return [column for column in columns if any(column.cells)]


def _named(row: Row) -> str:
    """Return the name of an item, with how few observations it has where others have far more."""
    few = row.get("coverage")
    return f"{row['item']} ({few})" if few else str(row["item"])


def _ranks(title: str, ends: str, rows: Sequence[Row], terminal: Terminal) -> Column:
    """Return a column of the ranks that each item may have; blank where they are not known."""
    best, worst = (ends.format(end) for end in ("best", "worst"))
    dash = terminal.sign("–", "-")
    return Column(
        title, [ranks_in_words(row.get(best), row.get(worst), dash) for row in rows], 7
    )


def split_tables(
    found: Findings, terminal: Terminal
) -> Iterator[tuple[list[Column], str]]:
    """Yield a table of the categories and one of the items, each with what stands below it."""
    told = [_cells(one["findings"], terminal) for one in found["categories"]]
    names = Column(
        found["split"], [name_of(one) for one in found["categories"]], 9, names=True
    )
    cells = {
        title: [row.get(title, "") for row in told] for title in max(told, key=len)
    }
    yield (
        [names, *(Column(title, cells[title], 8 - n) for n, title in enumerate(cells))],
        "",
    )
    if rows := found["rows"]:
        yield _items(rows if terminal.everything else rows[:ROWS], found, terminal)


def _cells(one: Findings | None, terminal: Terminal) -> dict[str, str]:
    """Return what is told of a category, by title."""
    if one is None:
        return {"items": "no answer"}
    told = {"items": one["n_items"], one["units"]: one["n_units"]}
    if one["document"] == "comparison":
        verdicts = [row["verdict"] for row in one["rows"]]
        told |= {kind: verdicts.count(kind) for kind in MOVES}
    elif one["document"] == "check":
        told["verdict"] = "stable" if one["stable"] else "UNSTABLE"
    else:
        told |= {name: one["summary"][name] for name in ("sure", "contenders")}
    if (margin := one["margin"]) is not None:
        least = "" if margin["exact"] else f"{terminal.sign('≥', '>=')} "
        told["margin"] = "never" if margin["never"] else f"{least}{margin['lower']:,}"
    return {
        name: f"{value:,}" if type(value) is int else value or ""
        for name, value in told.items()
    }


def _items(
    rows: Sequence[Row], found: Findings, terminal: Terminal
) -> tuple[list[Column], str]:
    """Return in how many categories items stand so or so, how in each of them, and what signs mean."""
    names = [one["category"] for one in found["categories"][1:]]
    signs = {
        kind: terminal.sign(*pair)
        for kind, pair in zip(list(rows[0])[2:], SIGNS, strict=False)
    }
    first, second, *_ = signs
    told = [{name: signs[kind] for kind in signs for name in row[kind]} for row in rows]
    each = [
        "".join(row.get(name, terminal.sign("◌", ".")) for name in names)
        for row in told
    ]
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
    return (
        columns,
        f"{cut}Each: one sign for each category, in the order above {legend}.",
    )


def _titled(
    rows: Sequence[Row], findings: Findings, terminal: Terminal
) -> list[Column]:
    """Return the columns that ``TITLES`` has; how often a unit occurs is told where some are alike."""
    dash, columns = terminal.sign("–", "-"), []
    for name, title, need in TITLES[findings["document"]]:
        if name == "range":
            ranges = [
                ranks_in_words(row["old_best"], row["old_worst"], dash) for row in rows
            ]
            columns.append(Column(title, ranges, need))
        elif name != "count" or {row["count"] for row in rows} != {1}:
            values = [row[name] for row in rows]
            told = [
                ", ".join(map(str, one)) if isinstance(one, list) else one
                for one in values
            ]
            columns.append(column_of(title, told, need))
    return columns


def _audited(
    rows: Sequence[Row], findings: Findings, terminal: Terminal
) -> list[Column]:
    """Return what is told of audited methods."""
    names = [METHODS.get(row["method"]) or str(row["method"]) for row in rows]
    sizes = [size_in_words(row["size"], row["log10_size"]) for row in rows]
    columns = [
        Column("answer", names, 9, names=True, least=max(map(len, METHODS.values()))),
        Column("k", _numbers(rows, "k", "{:,}"), 8),
        Column("broken by", _numbers(rows, "delta", "{:,.0f}", findings["n_units"]), 7),
        Column("delta", _numbers(rows, "delta", "{:.4f}"), 3),
        Column("Jaccard", _numbers(rows, "jaccard", "{:.4f}"), 2),
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


def name_of(one: Row) -> str:
    """Return what a category is called."""
    return WHOLE if one["category"] is None else str(one["category"])


def problems(findings: Findings) -> list[str]:
    """Return why there is no answer, where there is none, and what was decided about the categories."""
    failed = [one for one in findings["categories"] if one["problem"] is not None]
    return [
        *(f"no answer for {name_of(one)}: {one['problem']}" for one in failed),
        *findings["notes"],
    ]

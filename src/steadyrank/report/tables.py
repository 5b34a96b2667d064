"""The table of each document, as people read it: in terminals, notebooks, pages and Markdown alike."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from steadyrank.report.terminal import Column
from steadyrank.text import (
    RANK_STANDINGS,
    STANDINGS,
    away_in_words,
    confidence_title,
    eps_in_words,
    number_format,
    ranks_in_words,
    readable,
    share_in_words,
    size_in_words,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def rows_shown(findings: Findings) -> tuple[Sequence[Row], int]:
    """Return the rows of a document's table, as far as it has them, and how many there are in all."""
    listed = {"margin": "units_removed", "check": "flips"}.get(findings["document"])
    if listed is None:
        rows = next((findings[name] for name in ("rows", "audit") if name in findings), [findings])
        return rows, findings["n_items"] if "score" in rows[0] else len(rows)
    found = findings[listed]
    if listed == "flips":  # of an inflated answer, what changes the plain one is no matter
        found = found["plain"] if findings["method"] == "topk" else {"listed": [], "distinct_units": 0}
    return found["listed"], found["distinct_units"]


def columns_shown(rows: Sequence[Row], findings: Findings, terminal: Terminal) -> list[Column]:
    """Return the columns of some rows of a document's table; what tells nothing has no column."""
    document = findings["document"]
    if document in TITLES:
        columns = titled_columns(document, rows, terminal)
        if findings.get("by") == "change":
            columns[0] = replace(columns[0], title="changed")
    elif document in {"audit", "random-audit"}:
        columns = audit_columns(rows, findings, terminal)
    else:
        words = STANDINGS if "size" in findings else RANK_STANDINGS
        standings = [words.get(str(row.get("standing")), "") for row in rows]
        ranks = Column("rank", [f"{row['rank']:,}" for row in rows], 9)
        beside = findings if document == "confidence" else findings["confidence"]
        told = {**findings, "confidence": beside}
        item, score, *rest = item_columns(rows, told, terminal, findings.get("size") and findings["k"])
        columns = [ranks, item, score, Column("standing", standings, 9, names=True), *rest]
    return [column for column in columns if any(column.cells)]


def titled_columns(document: str, rows: Sequence[Row], terminal: Terminal) -> list[Column]:
    """Return the columns that ``TITLES`` has; how often a unit occurs is told where some are alike."""
    columns = []
    for name, title, need in TITLES[document]:
        values = [_range(row, terminal) if name == "range" else row[name] for row in rows]
        told = [", ".join(map(str, value)) if isinstance(value, list) else value for value in values]
        if name != "count" or {*told} != {1}:
            names = any(isinstance(value, str) for value in told)
            columns.append(Column(title, readable(told), need, names and name != "range"))
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

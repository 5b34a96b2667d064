"""Findings of a top-k to pass on: a table to embed and a badge. No script, and names as text alone."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from steadyrank.text import (
    away_in_words,
    confidence_title,
    counted,
    ranks_in_words,
    share_in_words,
    shortened,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from steadyrank.report.lines import Findings, Row

COLOURS = {"sure": "#0072B2", "contender": "#D55E00", "out": "#7F8894"}
"""After Okabe and Ito; the page and the plots have the same, each with a shape of its own."""

LONGEST = 80
ITEM_TITLES = ("rank", "item", "score", "standing", "ranks")


def ends_in_words(row: Row, n_units: int) -> tuple[str, str]:
    """Return the end of an item's row: its share, and how many units it is away, at least.

    Examples
    --------
    >>> ends_in_words({"share": 0.8, "away": 4}, 9), ends_in_words({"share": None, "away": None}, 9)
    (('80.0%', '≥ 4'), ('', ''))
    """
    share = row["share"]
    return "" if share is None else share_in_words(share), away_in_words(row["away"], n_units)


def badge_svg(findings: Findings) -> str:
    """Return a badge such as ``top 5 | 4 sure · margin 3``.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> badge_svg(stable_topk(Votes(["a"] * 9 + ["b"] * 2), 1).findings())[:22]
    '<svg xmlns="http://www'
    """
    left, right, colour = f"top {findings['k']:,}", "not audited", COLOURS["out"]
    sure, margin = findings["summary"]["sure"], findings["margin"]
    if sure is not None and margin is not None:
        number = f"{'' if margin['exact'] else '≥ '}{margin['lower']:,}"
        right = f"{sure:,} sure · margin {'never' if margin['never'] else number}"
        colour = COLOURS["contender" if findings["summary"]["contenders"] else "sure"]
    first, both = 7 * len(left) + 14, 7 * (len(left) + len(right)) + 28
    text = as_markup(f"{left}: {right}. {findings['headline']}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{both}" height="20" role="img" '
        f'aria-label="{text}"><title>{text}</title>'
        f'<rect width="{both}" height="20" rx="3" fill="{colour}"/>'
        f'<path d="M3 0h{first - 3}v20h-{first - 3}a3 3 0 0 1-3-3v-14a3 3 0 0 1 3-3z" fill="#444"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" '
        f'font-size="11"><text x="{first / 2}" y="14" textLength="{7 * len(left)}">{left}</text>'
        f'<text x="{(first + both) / 2}" y="14" textLength="{7 * len(right)}">{right}</text></g></svg>\n'
    )


def table_fragment(findings: Findings, *, rows: int = 25) -> str:
    """Return the answer as a table that can stand in any page: no script, no style sheet.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> "&lt;b&gt;" in table_fragment(stable_topk(Votes(["<b>"] * 5 + ["c"] * 3), 1).findings())
    True
    """
    last = max((row["rank"] for row in findings["rows"] if row["listed"]), default=0)
    listed, n_units = findings["rows"][: max(rows, min(last + 5, 4 * rows))], findings["n_units"]
    names = (f"in top {findings['k']:,}", f"{findings['units']} away")
    ends = [ends_in_words(row, n_units) for row in listed]
    return item_table(findings, listed, {name: name for name in COLOURS}, names, ends)


def item_table(
    findings: Findings, rows: Sequence[Row], words: Mapping[str, str], titles: Sequence[str], ends: Any
) -> str:
    """Return items of an answer as a table: what all say of one, and their ends; unknown is blank."""
    cells, names, foot = [], [*ITEM_TITLES, *titles], [findings["certificate"]["sentence"]]
    for row, end in zip(rows, ends, strict=True):
        ranks = ranks_in_words(row["best_rank"], row["worst_rank"])
        about = (shortened(row["item"], LONGEST), f"{row['score']:.5g}", words.get(row["standing"], ""))
        cells.append([f"{row['rank']:,}", *about, ranks, *end])
    if hidden := findings["n_items"] - len(cells):
        foot.append(f"{counted(hidden, 'more item')} {'is' if hidden == 1 else 'are'} not shown.")
    if (beside := findings["confidence"]) is not None:
        names, foot = [*names, confidence_title(beside["level"])], [*foot, beside["sentence"]]
        for row, told in zip(rows, cells, strict=True):
            told.append(ranks_in_words(row["confidence_best"], row["confidence_worst"]))
    numbers = {*range(len(names))} - {1, 3}
    return html_table(findings["headline"], names, cells, numbers=numbers, foot=" ".join(foot))


def html_table(
    title: str, names: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: set[int], foot: str = ""
) -> str:
    """Return a small table, everything in it escaped."""
    sides = ["right" if place in numbers else "left" for place in range(len(names))]
    head = _row("th", "{}", names, sides)
    body = "".join(_row("td", "<bdi>{}</bdi>", row, sides) for row in rows)
    below = f'<p style="max-width:50em">{as_markup(foot)}</p>' if foot else ""
    return (
        f'<div><table><caption style="text-align:left">{as_markup(title)}</caption>'
        f"<thead>{head}</thead><tbody>{body}</tbody></table>{below}</div>"
    )


def _row(tag: str, inside: str, cells: Sequence[str], sides: Sequence[str]) -> str:
    made = (
        f'<{tag} style="text-align:{side};padding:2px 8px">{inside.format(as_markup(cell))}</{tag}>'
        for cell, side in zip(cells, sides, strict=True)
    )
    return f"<tr>{''.join(made)}</tr>"


def as_markup(text: str) -> str:
    """Return text escaped for HTML and SVG; what would steer or reorder it is shown instead."""
    return escape(shown(text))

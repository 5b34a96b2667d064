"""Findings as JSON, and their table as CSV that no spreadsheet takes for formulas.

In CSV, a text cell gets one apostrophe in front if it begins with an apostrophe or with something
invisible other than a blank, or if ``= + - @`` or a sign that looks like one of them is the first thing
to be seen in it. To undo it, take one leading apostrophe away from every cell that has one: no other
cell begins with it, so nothing is lost. Numbers are written as numbers.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from steadyrank.text import is_blank, is_unsafe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

GUARD = "'"
QUOTE = '"'
SEPARATORS = (",", ";", "\t", QUOTE)
FORMULA = ("=", "+", "-", "@", "\u2212")
"""What begins a formula, in its plain form; the last is the minus sign of mathematics."""

COLUMNS = {
    "top-k": (
        "rank", "item", "score", "best_rank", "worst_rank", "share", "listed", "standing", "away",
        "count", "critical_eps",
    ),
    "ranking": (
        "rank", "item", "score", "best_rank", "worst_rank", "standing", "count",
    ),
    "audit": ("method", "k", "delta", "jaccard", "size"),
    "explanation": ("unit", "number", "count", "contribution", "gap_without"),
    "confidence": (
        "rank", "item", "score", "error", "score_low", "score_high", "confidence_best",
        "confidence_worst", "marginal_best", "marginal_worst",
    ),
    "margin": ("k", "item", "lower", "upper", "exact", "n_units", "passed", "passing", "rule"),
    "comparison": (
        "item", "verdict", "old_rank", "new_rank", "old_place", "new_place", "old_best", "old_worst",
        "old_score", "new_score", "standing",
    ),
    "check": ("k", "delta", "breaking_units", "max_delta", "stable"),
}  # fmt: skip
"""The columns of the table of each document, for dataframes and CSV."""


def to_json(
    findings: Mapping[str, Any] | Sequence[Any], *, indent: int | None = 2
) -> str:
    r"""Return findings as JSON text that can stand anywhere.

    It is ASCII, so that no name can steer a terminal, and holds no ``<``, ``>`` or ``&``, so that none
    can end the ``script`` element of a page that carries it.

    Examples
    --------
    >>> to_json({"item": "</script>"}, indent=None)
    '{"item": "\\u003c/script\\u003e"}'
    """
    text = json.dumps(findings, indent=indent, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def to_csv(findings: Mapping[str, Any]) -> str:
    """Return the table of any findings as CSV: items, audited methods, or the one row of a check.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> print(to_csv(Study(Votes(["=a"] * 3 + ["b"] * 2)).topk(1).findings()).splitlines()[1])
    1,'=a,0.6,1,1,1.0,true,sure,2,3,0.0
    """
    return csv_text(names_of(findings), rows_of(findings))


def rows_of(findings: Mapping[str, Any]) -> Iterator[list[object]]:
    """Yield the rows of the table of any findings, as :func:`names_of` names their cells."""
    if findings["document"] == "split":
        return (
            row
            for one in findings["categories"]
            for row in _rows_in(one, len(names_of(findings)))
        )
    rows = next(
        (findings[name] for name in ("rows", "audit") if name in findings), [findings]
    )
    return ([row[name] for name in names_of(findings)] for row in rows)


def _rows_in(one: Mapping[str, Any], size: int) -> Iterator[list[object]]:
    """Yield the rows of a category behind its name; one blank row where there is no answer."""
    rows = (
        rows_of(one["findings"])
        if one["findings"] is not None
        else [[None] * (size - 1)]
    )
    return ([one["category"], *row] for row in rows)


def names_of(findings: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the columns of the table of any findings."""
    if findings["document"] == "split":
        inner = next(
            one["findings"]
            for one in findings["categories"]
            if one["findings"] is not None
        )
        return ("category", *names_of(inner))
    return COLUMNS[findings["document"]]


def guarded(text: str) -> str:
    """Return a cell that a spreadsheet shows as the text it is.

    Examples
    --------
    >>> guarded("=1+1"), guarded(" =1+1"), guarded("'quoted"), guarded("plain")
    ("'=1+1", "' =1+1", "''quoted", 'plain')
    """
    seen = next((letter for letter in text if not is_blank(letter)), "")
    risky = is_unsafe(seen) or normalize("NFKC", seen).startswith(FORMULA)
    return GUARD + text if risky or text.startswith(GUARD) else text


def csv_text(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Return a table as CSV with a header; None is an empty cell, floats keep all their digits.

    Examples
    --------
    >>> csv_text(["item", "score"], [("=x", 0.1), ("a,b", None)])
    'item,score\n\'=x,0.1\n"a,b",\n'
    """
    lines = (",".join(map(_cell, row)) for row in (names, *rows))
    return "".join(f"{line or 2 * QUOTE}\n" for line in lines)


def _cell(value: object) -> str:
    """Return what a table holds: nothing for None, numbers with all their digits, text made safe.

    Text is quoted if it holds a separator of any kind, or a blank at an end, which some readers drop.
    """
    if value is None:
        return ""
    if isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else repr(value)
    text = guarded(str(value))
    marks = any(mark in text for mark in SEPARATORS) or len(f"{text}.".splitlines()) > 1
    return (
        f'"{text.replace(QUOTE, 2 * QUOTE)}"' if marks or text != text.strip() else text
    )

"""Tables as CSV that no spreadsheet takes for formulas, and back.

A text cell that begins with one of ``= + - @``, their full-width forms, a tab, a line end or an
apostrophe gets one apostrophe in front. To undo it, take one leading apostrophe away from every cell
that has one: no other cell begins with it, so nothing is lost. Numbers are written as numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GUARD = "'"
QUOTE = '"'
EMPTY = 2 * QUOTE
NEED_QUOTES = (",", QUOTE, "\r", "\n")
RISKY = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", GUARD)

GUARD_NOTE = (
    "cells of text that begin with = + - @ or an apostrophe have one apostrophe in front; "
    "take it away to get the name back"
)


def guarded(text: str) -> str:
    """Return a cell that a spreadsheet shows as the text it is.

    Examples
    --------
    >>> guarded("=1+1"), guarded("'quoted"), guarded("plain")
    ("'=1+1", "''quoted", 'plain')
    """
    return GUARD + text if text.startswith(RISKY) else text


def unguarded(cell: str) -> str:
    """Return the text of a cell that :func:`guarded` made.

    Examples
    --------
    >>> unguarded(guarded("=1+1"))
    '=1+1'
    """
    return cell.removeprefix(GUARD)


def csv_text(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Return a table as CSV with a header; None is an empty cell, floats keep all their digits.

    Examples
    --------
    >>> csv_text(["item", "score"], [("=x", 0.1), ("a,b", None)])
    'item,score\n\'=x,0.1\n"a,b",\n'
    """
    lines = (",".join(_quoted(_cell(value)) for value in row) for row in (names, *rows))
    return "".join(f"{line or EMPTY}\n" for line in lines)


def _quoted(cell: str) -> str:
    """Quote a cell that needs it; the csv module of older Pythons forgets lone carriage returns."""
    return f'"{cell.replace(QUOTE, 2 * QUOTE)}"' if any(mark in cell for mark in NEED_QUOTES) else cell


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    return guarded(str(value))

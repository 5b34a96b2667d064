"""Findings as JSON, their table as CSV that no spreadsheet takes for formulas, and files of either.

In CSV, a text cell that begins with one of ``= + - @``, their full-width forms, a tab, a line end or an
apostrophe gets one apostrophe in front. To undo it, take one leading apostrophe away from every cell
that has one: no other cell begins with it, so nothing is lost. Numbers are written as numbers.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyrank.stability.findings import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

GUARD = "'"
QUOTE = '"'
EMPTY = 2 * QUOTE
NEED_QUOTES = (",", QUOTE, "\r", "\n")
RISKY = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", GUARD)

GUARD_NOTE = (
    "cells of text that begin with = + - @ or an apostrophe have one apostrophe in front; "
    "take it away to get the name back"
)


def to_json(findings: Mapping[str, Any], *, indent: int | None = 2) -> str:
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
    >>> from steadyrank import Votes, stable_topk
    >>> print(to_csv(stable_topk(Votes(["=a"] * 3 + ["b"] * 2), 1).findings()).splitlines()[1])
    1,'=a,0.6,1,1,certain,0.0
    """
    document = findings["document"]
    rows = [findings] if document == "check" else findings["audit" if document == "audit" else "rows"]
    names = COLUMNS[document]
    return csv_text(names, ([row[name] for name in names] for row in rows))


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


def write_whole(text: str, path: str | os.PathLike[str]) -> Path:
    """Write a text file so that nobody ever sees half of it."""
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}-", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return target


def _umask() -> int:
    """Return the mask of new files, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask

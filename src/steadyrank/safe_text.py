"""Names from strangers, made safe to show: control characters as escapes, nothing interpreted."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import accumulate

JOINERS = "\u200c\u200d"
"""Invisible, but emoji and several scripts are spelt with them; they steer nothing."""

UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that steer a terminal or reorder a line, or that have no meaning."""

COMBINING = frozenset({"Mn", "Me", "Cf"})
"""Categories of characters that take no column of their own."""


def shown(name: object, encoding: str = "utf-8") -> str:
    r"""Return a name as text that a terminal of this encoding shows and does not obey.

    Examples
    --------
    >>> print(shown("red\x1b[31m\n"), shown("café", "ascii"))
    red\x1b[31m\n caf\xe9
    """
    text = str(name)
    if not text.isascii() or not text.isprintable():
        text = "".join(c.encode("unicode_escape").decode() if is_unsafe(c) else c for c in text)
    return text.encode(encoding, "backslashreplace").decode(encoding)


def shortened(name: object, most: int, *, encoding: str = "utf-8", more: str = "…") -> str:
    """Return a name as safe text of at most so many columns: its start, ``more``, and its end.

    Names that differ often do so at their ends. Nothing that belongs together is cut: no escape, no
    letter from its accents, no picture of several joined ones.

    Examples
    --------
    >>> shortened("a rather long name", 10), shortened("短い名前", 5)
    ('a rat…name', '短…前')
    """
    text, reach = str(name), 4 * most + 4
    if len(text) <= 2 * reach:
        whole = shown(text, encoding)
        if columns_of(whole) <= most:
            return whole
        first = last = _letters(text, encoding)
    else:  # of a name so long, what is far from both ends is not even looked at
        first, last = _letters(text[:reach], encoding), _letters(text[-reach:], encoding)[1:]
    room = most - len(more)
    start, end = _fitting(first, room - room // 2), _fitting(last[::-1], room // 2)
    return "".join([*start, more[:most], *end[::-1]])


def fitted(name: object, width: int, *, encoding: str = "utf-8", more: str = "…") -> str:
    """Return a name as safe text that takes exactly ``width`` columns.

    Examples
    --------
    >>> fitted("ann", 5), fitted("annabel", 5)
    ('ann  ', 'an…el')
    """
    text = shortened(name, width, encoding=encoding, more=more)
    return text + " " * (width - columns_of(text))


def cut(text: str, width: int) -> tuple[str, str]:
    """Return the start of a safe text that takes at most so many columns, and the rest.

    Examples
    --------
    >>> cut("abc", 2), cut("漢字", 3)
    (('ab', 'c'), ('漢', '字'))
    """
    start = "".join(_fitting(_letters(text, "utf-8"), width))
    return start, text[len(start) :]


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    Examples
    --------
    >>> columns_of("cafe"), columns_of("cafe\u0301"), columns_of("模型")
    (4, 4, 4)
    """
    return len(text) if text.isascii() else sum(_columns(text))


def _columns(text: str) -> Iterator[int]:
    before = ""
    for character in text:
        if unicodedata.category(character) in COMBINING:
            yield 0
        elif unicodedata.east_asian_width(character) in "WF":
            yield 0 if before == "\u200d" else 2  # joined to the emoji before, it is part of its picture
        else:
            yield 1
        before = character


def _letters(name: str, encoding: str) -> list[str]:
    """Return the safe text of a name in parts that belong together: what takes no column is no part."""
    parts = [""]
    for character, columns in zip(name, _columns(name), strict=True):
        safe = shown(character, encoding)
        if columns or len(safe) > 1:
            parts.append(safe)
        else:
            parts[-1] += safe
    return parts


def _fitting(parts: list[str], width: int) -> list[str]:
    """Return the first parts, as many as fit."""
    widths = accumulate(map(columns_of, parts))
    return [part for part, columns in zip(parts, widths, strict=True) if columns <= width]


def is_unsafe(character: str) -> bool:
    r"""Tell whether a character is not shown as it is; having none is safe.

    Examples
    --------
    >>> is_unsafe("\u2028"), is_unsafe("a"), is_unsafe("")
    (True, False, False)
    """
    return character != "" and unicodedata.category(character) in UNSAFE and character not in JOINERS


def is_blank(character: str) -> bool:
    """Tell whether a character is nothing to be seen, but harmless: a blank or a joiner."""
    return unicodedata.category(character) == "Zs" or character in JOINERS

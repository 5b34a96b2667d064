"""Names from strangers, made safe to show: control characters as escapes, nothing interpreted."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        text = "".join(map(_visible, text))
    return text.encode(encoding, "backslashreplace").decode(encoding)


def shortened(name: object, most: int, *, encoding: str = "utf-8", more: str = "…") -> str:
    """Return a name as safe text of at most so many columns; ``more`` says that it was cut.

    Examples
    --------
    >>> shortened("a rather long name", 10), shortened("短い名前", 5)
    ('a rather …', '短い…')
    """
    # No letter takes more than two columns, nor less than none: few beyond the last can matter.
    text = shown(str(name)[: 4 * most + 4], encoding)
    return text if columns_of(text) <= most else _cut(text, most - len(more)) + more[:most]


def fitted(name: object, width: int, *, encoding: str = "utf-8", more: str = "…") -> str:
    """Return a name as safe text that takes exactly ``width`` columns.

    Examples
    --------
    >>> fitted("ann", 5), fitted("annabel", 5)
    ('ann  ', 'anna…')
    """
    text = shortened(name, width, encoding=encoding, more=more)
    return text + " " * (width - columns_of(text))


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


def _cut(text: str, width: int) -> str:
    taken = 0
    for place, columns in enumerate(_columns(text)):
        taken += columns
        if taken > width:
            return text[:place]
    return text


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


def _visible(character: str) -> str:
    return character.encode("unicode_escape").decode() if is_unsafe(character) else character

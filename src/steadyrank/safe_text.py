"""Names from strangers, made safe to show: control characters as escapes, nothing interpreted."""

from __future__ import annotations

import unicodedata

JOINERS = "\u200c\u200d"
"""Invisible, but emoji and several scripts are spelt with them; they steer nothing."""

UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that steer a terminal or reorder a line, or that have no meaning."""


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


def _visible(character: str) -> str:
    if unicodedata.category(character) in UNSAFE and character not in JOINERS:
        return character.encode("unicode_escape").decode()
    return character

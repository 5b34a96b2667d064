"""Which encoding text may be in that is not UTF-8: told by whether its words make sense.

A word makes sense if it holds letters of one alphabet alone, and capitals where one writes them. That
parts most encodings; those that are left differ in how common their letters are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

LATIN, CYRILLIC = "éèêàçäöüßáíóúñåøæãõëïôîûâ", "оеаинтсрвл"
ALPHABETS = {
    "cp1252": ("LATIN", LATIN),
    "cp1250": ("LATIN", "áéíóöüčěřšžýłąęćńśżźőűăâîúůďşţ"),
    "cp1254": ("LATIN", "ışğöüçâ"),
    "mac_roman": ("LATIN", LATIN),
    "cp1251": ("CYRILLIC", CYRILLIC),
    "koi8-r": ("CYRILLIC", CYRILLIC),
    "cp866": ("CYRILLIC", CYRILLIC),
    "cp1253": ("GREEK", "αοιετσνηρκ"),
    "cp1255": ("HEBREW", "יוהלארמתשב"),
    "cp1256": ("ARABIC", "اليمونرتبع"),
    "shift_jis": ("CJK HIRAGANA KATAKANA", ""),
    "euc_kr": ("HANGUL", ""),
    "gb2312": ("CJK", ""),
    "euc_jp": ("CJK HIRAGANA KATAKANA", ""),
    "big5": ("CJK", ""),
}
"""The encodings that are looked at: the alphabet of each, and its most common letters beyond ASCII."""
WESTERN = tuple(name for name, (alphabet, _) in ALPHABETS.items() if alphabet == "LATIN")
WRITTEN = {"gb2312": "gb18030", "euc_kr": "cp949"}
"""What is read in place of an encoding: one that holds it, and more."""
WORD = re.compile(r"(?:[A-Za-z]|[^\x00-\x7f])+")
BEYOND = re.compile(rb"[\x80-\xff]+")
MARKS = "«»“”„‘’–—…·•\u3000、。（）"
"""What may stand beside a word."""
SENSE, COMMON = 0.8, 0.35
"""The shares of words that must make sense, and of letters that must be common ones."""
LOOKED_AT = 20_000
"""How many bytes tell."""


def likely_encoding(text: bytes) -> str | None:
    """Return the encoding in which bytes make most sense, None where they do in none.

    Examples
    --------
    >>> likely_encoding("Москва и Париж".encode("cp1251")), likely_encoding("Québec".encode("cp1252"))
    ('cp1251', 'cp1252')
    >>> likely_encoding("ירושלים".encode("cp1255")), likely_encoding(bytes(range(128, 256)))
    ('cp1255', None)
    """
    lines = [line for line in text[:LOOKED_AT].splitlines() if not line.isascii()]
    found = {name: _sense(b"\n".join(lines), name) for name in ALPHABETS}
    best = max(found, key=lambda name: round(found[name], 2))
    if found[best] > 0:
        return WRITTEN.get(best, best)
    runs = BEYOND.findall(text)  # signs, or single letters within words
    return WESTERN[0] if 2 * sum(len(run) > 2 for run in runs) <= len(runs) else None


def _sense(text: bytes, encoding: str) -> float:
    """Return how much sense bytes make in an encoding, 0 for hardly any."""
    alphabet, common = ALPHABETS[encoding]
    words = [word.strip(MARKS) for word in WORD.findall(text.decode(encoding, "replace"))]
    words = [word for word in words if not word.isascii()]
    letters = [letter for word in words for letter in word if not letter.isascii()]
    sense = sum(_is_word(word, alphabet.split()) for word in words) / max(1, len(words))
    usual = sum(letter.lower() in common for letter in letters) / max(1, len(letters))
    if sense < SENSE or (common and usual < COMMON):
        return 0.0
    return sense + (usual if common else COMMON)


def _is_word(word: str, alphabet: Sequence[str]) -> bool:
    """Tell whether a word holds letters of one alphabet, and capitals only where words have them."""
    latin = "LATIN" in alphabet
    names = [unicodedata.name(letter, "").split(" ")[0] for letter in word if not letter.isascii()]
    own = all(name in alphabet for name in names) and word.isalpha()
    mixed = any(map(str.isascii, word)) != latin and len(word) > 1 + latin
    return own and not mixed and (word[1:] == word[1:].lower() or word == word.upper())

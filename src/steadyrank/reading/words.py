"""Words in the names of columns, rows and measures; ``words.toml`` lists those that tell something."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

SENTENCE = 5
"""Names of more words are sentences or titles, in which single words mean nothing."""
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\da-zA-Z_]+")


def words_of(name: str) -> list[str]:
    """Return the words of a name, in lower case and without accents.

    Examples
    --------
    >>> words_of("testLoss_2 (mean)"), words_of("Gültige Stimmen")
    (['test', 'loss', '2', 'mean'], ['gultige', 'stimmen'])
    """
    plain = str(name)
    if not plain.isascii():
        plain = "".join(
            c
            for c in unicodedata.normalize("NFD", plain)
            if not unicodedata.combining(c)
        )
    return [word.lower() for word in WORD.findall(plain)]


def measured_words(name: object) -> list[str]:
    """Return the words that say what is measured: not what it is divided by, nor those of a sentence.

    Examples
    --------
    >>> measured_words("ms / token"), measured_words("How much time did it take you")
    (['ms'], ['you'])
    """
    words = words_of(re.split(r"/| per |_per_", str(name), maxsplit=1)[0] or str(name))
    return words if len(words) <= SENTENCE else words[-1:]


def in_seconds(words: list[str]) -> bool:
    """Tell whether the last word of a name is a unit of time; by itself it may be anything."""
    return len(words) > 1 and words[-1] in known("seconds")


@cache
def known(*lists: str) -> tuple[str, ...]:
    """Return the words of some lists, in their order.

    Examples
    --------
    >>> known("ids", "trials")
    ('hash', 'id', 'uid', 'uuid', 'code', 'run', 'runid', 'i')
    """
    every = _every_list()
    return tuple(word for name in lists for word in every[name].split())


@cache
def _every_list() -> dict[str, str]:
    import tomllib

    return tomllib.loads(
        Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
    )


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return a list of patterns as one, in which case does not count."""
    return re.compile("|".join(known(name)), re.IGNORECASE)

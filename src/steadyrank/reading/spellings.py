"""How the numbers of a column may be spelt: in percent, with a decimal comma or marks between thousands.

A column has one spelling, which all its fields share. Each field allows some of ``SPELLINGS``; those
that all fields allow are left, whatever the order of the rows. Two that are left can differ only where
a comma or a point may stand before decimals or between thousands, and then nobody guesses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

MISSING_WORDS = {"", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "-", "--", "–", "—"}
TRUTH = {"true": 1, "false": 0}
WHOLE = re.compile(r"[+-]?[0-9]+\Z")
NUMBER = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?\Z")
INFINITE = re.compile(r"[+-]?inf(inity)?\Z", re.IGNORECASE)
LONGEST_WHOLE = 19  # the digits of 2**63
MOST_DIGITS = 310  # no float has more; int() of a hostile field of a million digits is slow
SAME_MARKS = str.maketrans({"’": "'", "\u00a0": " ", "\u2009": " ", "\u202f": " "})
MARKS = {",": "commas", ".": "points", " ": "blanks", "'": "apostrophes"}


class Spelling(NamedTuple):
    """One way to write numbers: what ends them, stands before decimals, and between thousands."""

    end: str = ""
    decimal: str = "."
    thousands: str = ""

    def __str__(self) -> str:
        """Say how a column was read that is spelt so."""
        if self.end == "true":
            return "true and false read as 1 and 0"
        marks = [f"{MARKS[self.thousands]} between thousands"] if self.thousands else []
        marks += ["a comma before decimals"] if self.decimal == "," else []
        marks += ["percent: the number before the sign is taken"] if self.end else []
        return f"numbers read with {', '.join(marks)}"

    def value(self, word: str) -> int | float | None:
        """Return the number that a word stands for, None if it is not spelt so; it has no blank ends."""
        if self.end == "true":
            return TRUTH.get(word.casefold())
        body = word.translate(SAME_MARKS)
        if self.end:
            if not body.endswith(self.end):
                return None
            body = body[:-1].rstrip()
        if self.thousands and self.thousands in body:
            whole, mark, rest = body.partition(self.decimal)
            if GROUPED[self.thousands].match(whole) is None:
                return None
            body = whole.replace(self.thousands, "") + mark + rest
        if self.decimal == ",":
            body = body.replace(".", " ").replace(",", ".")  # a point is no decimal mark here
        return plain_number(body)


GROUPED = {
    mark: re.compile(rf"[+-]?[1-9][0-9]{{0,2}}(?:{re.escape(mark)}[0-9]{{3}})+\Z") for mark in MARKS
}
PLAIN = Spelling()
SPELLINGS = (
    *(
        Spelling(end, decimal, thousands)
        for end in ("", "%")
        for decimal, other in ((".", ","), (",", "."))
        for thousands in ("", other, " ", "'")
    ),
    Spelling("true"),
)
"""Every spelling, the simplest first."""


def plain_number(word: str) -> int | float | None:
    """Return the number that a word without blank ends stands for in plain notation, or None."""
    if len(word) <= MOST_DIGITS and WHOLE.match(word):
        return int(word)
    return float(word) if NUMBER.match(word) or INFINITE.match(word) else None


def is_missing_word(word: str) -> bool:
    """Tell whether a field of a column of numbers stands for a missing one."""
    return word.strip().casefold() in MISSING_WORDS


def shared(words: Iterable[str], among: tuple[Spelling, ...] = SPELLINGS) -> tuple[Spelling, ...]:
    """Return the spellings, of those given, in which all words are numbers or missing.

    Examples
    --------
    >>> {left.decimal for left in shared(["1,234"])} == {".", ","}
    True
    >>> {left.decimal for left in shared(["1,234", "0,5"])}, shared(["45%", "0.45"])
    ({','}, ())
    """
    for word in map(str.strip, words):
        if WHOLE.match(word):  # it fits all spellings that end with nothing
            among = tuple(one for one in among if not one.end)
        elif not is_missing_word(word):
            among = tuple(one for one in among if one.value(word) is not None)
        if not among:
            break
    return among


def with_decimal(mark: str | None) -> tuple[Spelling, ...]:
    """Return the spellings that have this decimal mark; all of them where none is told."""
    return tuple(one for one in SPELLINGS if mark in {None, one.decimal} or one.end == "true")

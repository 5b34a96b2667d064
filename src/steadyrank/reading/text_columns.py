"""Columns of a text file, and the one rule by which text becomes numbers.

A column of *labels* becomes whole numbers only where writing the numbers out again gives back
the very same text in every row; so ``7`` and ``-12`` do, ``007``, ``+7``, ``1.0`` and ``1e3`` stay
text, and one such field keeps the whole column text. An empty field is a missing label, but
``NA`` and ``None`` are labels like any other.

A column of *numbers* takes decimal and scientific notation with a point, blanks around it
allowed. An empty field, NA, N/A, NaN, null and None (in any case) are missing values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import NotANumberError, shorten
from steadyrank.reading.arrays import Coded, numbered, objects

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from steadyrank._typing import AnyArray

MISSING_WORDS = {"", "na", "n/a", "#n/a", "nan", "null", "none"}
WHOLE = re.compile(r"[+-]?[0-9]+\Z")
NUMBER = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?\Z")
INFINITE = re.compile(r"[+-]?inf(inity)?\Z", re.IGNORECASE)
LONGEST_WHOLE = 19  # the digits of 2**63; int() of a hostile field of a million digits is slow


@dataclass(frozen=True, eq=False)
class TextColumn:
    """Fields of a file, each distinct text kept once.

    Parameters
    ----------
    codes : int32 array
        For each row, the place of its text in ``words``.
    words : sequence of str
        The distinct texts, exactly as in the file.
    """

    codes: AnyArray
    words: Sequence[str]

    @classmethod
    def of(cls, fields: Iterable[str]) -> TextColumn:
        """Build a column from the fields, row by row.

        Examples
        --------
        >>> TextColumn.of(["a", "b", "a"]).codes.tolist()
        [0, 1, 0]
        """
        return cls(*numbered(list(fields)))

    def __len__(self) -> int:
        return len(self.codes)

    def labels(self) -> AnyArray:
        """Return labels: whole numbers where that loses nothing, else the text, None if empty.

        Examples
        --------
        >>> TextColumn.of(["7", "12"]).labels(), TextColumn.of(["007", "12", ""]).labels()
        (array([ 7, 12]), array(['007', '12', None], dtype=object))
        """
        if self.words and all(map(is_plain_whole, self.words)):
            return np.array([int(word) for word in self.words], dtype=np.int64)[self.codes]
        return objects(word or None for word in self.words)[self.codes]

    def coded(self) -> AnyArray | Coded:
        """Return labels, text as codes: nobody need look at a million equal words again."""
        if self.words and all(map(is_plain_whole, self.words)):
            return self.labels()
        return Coded(self.codes, objects(word or None for word in self.words))

    def numbers(self, what: str) -> AnyArray:
        """Return numbers: int64 where all are whole, else float64 with NaN for missing.

        Examples
        --------
        >>> TextColumn.of(["1", "2.5", "NA"]).numbers("rating")
        array([1. , 2.5, nan])
        """
        values = [_number(word) for word in self.words]
        wrong = np.array([value is None for value in values], dtype=bool)[self.codes]
        if wrong.any():
            first = self.words[self.codes[np.flatnonzero(wrong)[0]]]
            raise NotANumberError(
                f"{shorten(first)} is not a number",
                rows=wrong,
                column=what,
                way_out="Correct these rows, or name another column.",
            )
        whole = all(isinstance(value, int) for value in values)
        return np.array(values, dtype=np.int64 if whole else np.float64)[self.codes]

    def cells(self) -> list[str]:
        """Return the texts, row by row."""
        return [self.words[code] for code in self.codes.tolist()]

    def is_numeric(self) -> bool:
        """Tell whether all fields are numbers or missing, and at least one is a number."""
        values = [_number(word) for word in self.words]
        return None not in values and any(value == value for value in values)  # noqa: PLR0124

    def share_of_numbers(self) -> float:
        """Return which share of the fields that are not missing are numbers."""
        values = [_number(word) for word in self.words]
        there = np.array([value is None or value == value for value in values])[self.codes]  # noqa: PLR0124
        wrong = np.array([value is None for value in values])[self.codes]
        return 1.0 - float(wrong.sum()) / max(1, int(there.sum()))


def is_plain_whole(word: str) -> bool:
    """Tell whether a text is exactly what a 64-bit whole number prints as.

    Examples
    --------
    >>> [is_plain_whole(word) for word in ("12", "-3", "007", "+1", "1.0", "", "٣")]
    [True, True, False, False, False, False, False]
    """
    if len(word) > LONGEST_WHOLE + 1 or not WHOLE.match(word):
        return False
    number = int(word)
    return str(number) == word and -(2**63) <= number < 2**63


def _number(word: str) -> int | float | None:
    word = word.strip()
    if len(word) <= LONGEST_WHOLE and WHOLE.match(word):
        number = int(word)
        return number if -(2**63) <= number < 2**63 else float(number)
    if NUMBER.match(word) or INFINITE.match(word):
        return float(word)
    return float("nan") if word.casefold() in MISSING_WORDS else None


def join_columns(parts: Sequence[TextColumn | AnyArray]) -> TextColumn | AnyArray:
    """Join the parts of a column: whole numbers if all parts are, else text.

    Examples
    --------
    >>> join_columns([np.array([7]), TextColumn.of(["x"])]).words
    ['7', 'x']
    """
    arrays = [part for part in parts if not isinstance(part, TextColumn)]
    texts = [part for part in parts if isinstance(part, TextColumn)]
    if not texts:
        return np.concatenate(arrays) if arrays else TextColumn.of([])
    if not arrays and all(part.words is texts[0].words for part in texts):
        return TextColumn(np.concatenate([part.codes for part in texts]), texts[0].words)
    index: dict[str, int] = {}
    codes = []
    for part in parts:
        if isinstance(part, TextColumn):
            words, inside = part.words, part.codes
        else:
            distinct, inside = np.unique(part, return_inverse=True)
            words = [str(number) for number in distinct.tolist()]
        to_joint = [index.setdefault(word, len(index)) for word in words]
        codes.append(np.array(to_joint, dtype=np.int32)[inside])
    return TextColumn(np.concatenate(codes), list(index))

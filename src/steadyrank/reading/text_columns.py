"""Columns of a text file, and the one rule by which text becomes numbers.

A column of *labels* becomes whole numbers only where writing the numbers out again gives back
the very same text in every row; so ``7`` and ``-12`` do, ``007``, ``+7``, ``1.0`` and ``1e3`` stay
text, and one such field keeps the whole column text. An empty field is a missing label, but
``NA`` and ``None`` are labels like any other.

A column of *numbers* takes decimal and scientific notation with a point, blanks around it allowed, or
has another spelling in all its fields: in percent, with a decimal comma or marks between thousands. An
empty field, NA, N/A, NaN, null and None (in any case) are missing values. Each field allows some of
``SPELLINGS``; those that all fields allow are left, whatever the order of the rows. Two that are left
can differ only where a comma or a point may stand before decimals or between thousands, and then
nobody guesses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from steadyrank import arrays
from steadyrank._typing import AnyArray
from steadyrank.errors import NotANumberError, Option, WayOut, shorten

CORRECT = "Correct these rows, or name another column."
DECIMALS = (
    "Say what comes before decimals: ",
    Option("decimal", "."),
    " or ",
    Option("decimal", ","),
)
MISSING_WORDS = {
    "".join(letters)
    for word in (
        "",
        "na",
        "n/a",
        "#n/a",
        "<na>",
        "nan",
        "null",
        "none",
        "-",
        "--",
        "–",
        "—",
    )
    for letters in product(*zip(word, word.upper(), strict=True))
}
"""What a missing number is written as, in any case."""
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()  # noqa: SIM905
TRUTH = {"true": 1, "false": 0}
"""Words that stand for numbers."""
WHOLE = re.compile(r"[+-]?[0-9]+\Z")
NUMBER = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?\Z")
INFINITE = re.compile(r"[+-]?inf(inity)?\Z", re.IGNORECASE)
SHARED = (
    r"(?:(?<=\.\d)|(?<=\.\d\d)|(?<=\.\d{3})|(?<=\.\d{4}))/\d++"  # no date, no fraction
)
BEHIND = rf"(?:±|\+/?-)\s*+[\d.,]++ ?%?|\([^()]*+\)|\[[^\[\]]*+\]|{SHARED}|[*†‡§★☆✓✔]++"
WITH_ERROR = re.compile(rf"[$€£¥~≈]?\s*+(.*?\d ?%?)\s*+(?:{BEHIND})?\Z")
NUMERAL = re.compile(r"[+-]?[\d.,' ]+(?:[eE][+-]?\d+)?%?\Z")
NAN = float("nan")
FEW = 4000
FIRST = 50
"""So many first fields tell that a column holds no numbers."""
LONGEST_WHOLE = 19  # the digits of 2**63
MOST_DIGITS = (
    310  # no float has more; int() of a hostile field of a million digits is slow
)
PLAIN_BEGINS, NUMBER_BEGINS = {*"0123456789+-.iI"}, {*"0123456789+-−.,$€£¥~≈"}
MAY_BEGIN = PLAIN_BEGINS | NUMBER_BEGINS
ERROR_ENDS = {*"0123456789%)]*†‡§★☆✓✔"}
SAME_MARKS = str.maketrans(
    {"’": "'", "−": "-", "\u00a0": " ", "\u2009": " ", "\u202f": " "}
)
ERRORS_CUT = "of a number with its error after ±, a remark or a sign behind it, the number is taken"
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
            body = body.replace(".", " ").replace(
                ",", "."
            )  # a point is no decimal mark here
        return plain_number(body)


GROUPED = {
    mark: re.compile(rf"[+-]?[1-9][0-9]{{0,2}}(?:{re.escape(mark)}[0-9]{{3}})+\Z")
    for mark in MARKS
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
    if word[:1] not in PLAIN_BEGINS:
        return None
    if len(word) <= MOST_DIGITS and WHOLE.match(word):
        return int(word)
    return float(word) if NUMBER.match(word) or INFINITE.match(word) else None


def without_error(word: str) -> str:
    """Return the number of a field that has its error or a remark behind it; any other field as it is.

    Examples
    --------
    >>> [without_error(word) for word in ("95.1 ± 0.2", "12% (3)", "$7", "0.4 ★", "GPT (4)")]
    ['95.1', '12%', '7', '0.4', 'GPT (4)']
    """
    found = WITH_ERROR.match(word.strip()) if word.rstrip()[-1:] in ERROR_ENDS else None
    bare = word if found is None else found[1].rstrip()
    return word if bare == word.strip() else bare


def number_in(field: str) -> int | float | None:
    """Return the number that a field by itself may stand for, None if it is none."""
    word = field.strip()
    plain = plain_number(word)
    if plain is not None or word[:1] not in NUMBER_BEGINS:
        return plain
    word = without_error(word)
    if NUMERAL.match(word.translate(SAME_MARKS)) is None:
        return None
    return next(
        (value for one in SPELLINGS if (value := one.value(word)) is not None), None
    )


def is_missing_word(word: str) -> bool:
    """Tell whether a field of a column of numbers stands for a missing one."""
    return word.strip() in MISSING_WORDS


def shared(
    words: Iterable[str], among: tuple[Spelling, ...] = SPELLINGS
) -> tuple[Spelling, ...]:
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
            text = word[:1] not in MAY_BEGIN and word.casefold() not in TRUTH
            among = (
                ()
                if text
                else tuple(one for one in among if one.value(word) is not None)
            )
        if not among:
            break
    return among


@cache
def with_decimal(mark: str | None) -> tuple[Spelling, ...]:
    """Return the spellings that have this decimal mark; all of them where none is told."""
    return tuple(
        one for one in SPELLINGS if mark in {None, one.decimal} or one.end == "true"
    )


class TextColumn:
    """Fields of a file: polars codes and parses them, and Python does where it may read them otherwise.

    Parameters
    ----------
    series : polars.Series
        The texts, exactly as in the file.
    """

    def __init__(self, series: Any) -> None:
        self.series = series

    @staticmethod
    def of(fields: Iterable[str]) -> TextColumn:
        """Build a column from the fields, row by row.

        Examples
        --------
        >>> TextColumn.of(["a", "b", "a"]).codes.tolist()
        [0, 1, 0]
        """
        import polars as pl

        return TextColumn(pl.Series(values=list(fields), dtype=pl.String))

    def __len__(self) -> int:
        return len(self.series)

    @cached_property
    def first(self) -> list[str]:
        """The first fields."""
        return self.series.head(FIRST).to_list()  # type: ignore[no-any-return]

    @cached_property
    def _whole(self) -> AnyArray | None:
        """The numbers that the fields are, where all print as they are written; else None."""
        import polars as pl

        if not len(self) or not all(map(is_plain_whole, self.first)):
            return None
        found = self.series.cast(pl.Int64, strict=False)
        # Every other way to write a number takes more letters than it prints as.
        if (
            found.null_count()
            or letters(found.to_numpy()) != self.series.str.len_bytes().sum()
        ):
            return None
        return arrays.compact(found.to_numpy())

    @property
    def is_whole(self) -> bool:
        """Whether all fields are plain whole numbers."""
        return self._whole is not None

    @cached_property
    def _listed(self) -> tuple[AnyArray, list[str]]:
        if self._whole is not None:
            codes, numbers = arrays.sorted_codes(self._whole)
            return codes, [str(number) for number in numbers]
        if len(self) <= FEW:  # where setting out takes longer than the way
            return arrays.numbered(self.series.to_list())
        import polars as pl

        words = self.series.unique(maintain_order=True)
        codes = self.series.cast(pl.Enum(words)).to_physical().to_numpy()
        return codes.astype(np.int32), words.to_list()

    @property
    def codes(self) -> AnyArray:
        """For each row, the place of its text in ``words``."""
        return self._listed[0]

    @property
    def words(self) -> list[str]:
        """The distinct texts."""
        return self._listed[1]

    @cached_property
    def _bare(self) -> list[str]:
        """The words without the errors of numbers."""
        return [*map(without_error, self.words)]

    def labels(self) -> AnyArray:
        """Return labels: whole numbers where that loses nothing, else the text, None if empty.

        Examples
        --------
        >>> TextColumn.of(["7", "12"]).labels(), TextColumn.of(["007", "12", ""]).labels()
        (array([ 7, 12], dtype=int8), array(['007', '12', None], dtype=object))
        """
        return arrays.as_column(self.coded(), "")

    def coded(self) -> AnyArray | arrays.Coded:
        """Return labels, text as codes: nobody need look at a million equal words again."""
        return (
            arrays.Coded(self.codes, labels_of(self.words))
            if self._whole is None
            else self._whole
        )

    @cached_property
    def _parsed(self) -> AnyArray | None:
        """Plain numbers, NaN for missing; None where polars may not read what is written as we do."""
        import polars as pl

        if self._whole is not None:
            return self._whole
        found: AnyArray = self.series.cast(pl.Float64, strict=False).to_numpy()
        odd = np.flatnonzero(np.isnan(found))
        if 2 * len(odd) > len(found) and not self._may_be_numbers:
            return None
        missing = not len(odd) or all(
            map(is_missing_word, self.series[odd].unique().to_list())
        )
        if not missing or (np.abs(found) > arrays.EXACT).any():
            return None
        whole = not len(odd) and (found == np.floor(found)).all()
        return (
            found.astype(np.int64)
            if whole and not self.series.str.contains("[.eE]").any()
            else found
        )

    @cached_property
    def _may_be_numbers(self) -> bool:
        return bool(shared(map(without_error, self.first)))

    def numbers(
        self,
        what: str,
        among: tuple[Spelling, ...] = SPELLINGS,
        notes: list[str] | None = None,
    ) -> AnyArray:
        """Return numbers: int64 where all are whole, else float64 with NaN for missing.

        Parameters
        ----------
        what : str
            What the column is called in an error.
        among : tuple of Spelling
            How the numbers may be spelt.
        notes : list of str, optional
            Takes up how they are, unless plainly.

        Examples
        --------
        >>> TextColumn.of(["1", "2.5", "NA"]).numbers("rating"), TextColumn.of(["3,5"]).numbers("r")
        (array([1. , 2.5, nan]), array([3.5]))
        """
        if (plain := self._plainly(among)) is not None:
            return plain
        spelling = self._spelling(what, among)
        values = self._values(spelling)
        said = [str(spelling)] * (spelling != PLAIN) + [ERRORS_CUT] * (
            self._bare != self.words
        )
        if notes is not None:
            new = (f"column {shorten(what)}: {told}" for told in said)
            notes += [note for note in new if note not in notes]
        whole = all(isinstance(value, int) for value in values)
        most = (
            2**63 - 1 if whole else arrays.EXACT
        )  # whoever needs floats looks at whole numbers again
        large = [
            code
            for code, one in enumerate(values)
            if isinstance(one, int) and abs(one) > most
        ]
        if large:
            raise arrays.not_exact(
                self.words[large[0]], np.isin(self.codes, large), what
            )
        return np.array(values, dtype=np.int64 if whole else np.float64)[self.codes]

    def _plainly(self, among: tuple[Spelling, ...]) -> AnyArray | None:
        """Return the numbers as polars reads them, where plain ones may be meant."""
        return self._parsed if PLAIN in among or self.is_whole else None

    def _spelling(self, what: str, among: tuple[Spelling, ...]) -> Spelling:
        """Return the one spelling of all fields, or complain about the first that has another."""
        left = among
        for word in self._bare:
            before, left = left, shared([word], left)
            if not left:
                how = (
                    "is written unlike the rest"
                    if shared([word])
                    else "is not a number"
                )
                wrong = [
                    code
                    for code, other in enumerate(self._bare)
                    if not shared([other], before)
                ]
                raise self._wrong(f"{shorten(word)} {how}", wrong, what, CORRECT)
        plain = [one for one in left if one.decimal == "." and not one.thousands]
        best, *others = plain[:1] or left
        each = zip(*map(self._values, (best, *others)), strict=True)
        differ = [code for code, values in enumerate(each) if len({*values}) > 1]
        if differ:
            word = shorten(self.words[differ[0]])
            told = f"{word} may have a mark between thousands or before decimals"
            raise self._wrong(told, differ, what, DECIMALS)
        return best

    def _values(self, spelling: Spelling) -> list[int | float | None]:
        """Return the numbers that the words stand for, NaN for missing ones."""
        words = map(str.strip, self._bare)
        return [
            NAN if word in MISSING_WORDS else spelling.value(word) for word in words
        ]

    def _wrong(
        self, told: str, codes: list[int], what: str, way_out: WayOut
    ) -> NotANumberError:
        rows = np.isin(self.codes, codes)
        return NotANumberError(told, rows=rows, column=what, way_out=way_out)

    def written(self) -> tuple[AnyArray, list[str]]:
        """Return a code for each row, and the texts that they stand for, without blanks around them."""
        return self.codes, list(map(str.strip, self.words))

    def taken(self, rows: AnyArray | slice) -> TextColumn:
        """Return some rows."""
        return TextColumn(self.series[rows])

    def cells(self) -> list[str]:
        """Return the texts, row by row."""
        listed: list[str] = self.series.to_list()
        return listed

    def is_numeric(self, among: tuple[Spelling, ...] = SPELLINGS) -> bool:
        """Tell whether all fields are numbers or missing, and at least one is a number."""
        if (plain := self._plainly(among)) is not None:
            return not np.isnan(plain).all()
        left = shared(self._bare, among) if self._may_be_numbers else ()
        return bool(left) and not all(map(is_missing_word, self.words))

    def share_of_numbers(self) -> float:
        """Return which share of the first fields that are not missing are numbers."""
        there = [
            word
            for word in self.series.head(1000).to_list()
            if not is_missing_word(word)
        ]
        return sum(number_in(word) is not None for word in there) / max(1, len(there))


def labels_of(words: Sequence[str]) -> AnyArray:
    """Return texts as labels: whole numbers where that loses nothing, else the text, None if empty."""
    if words and all(map(is_plain_whole, words)):
        return np.array([int(word) for word in words], dtype=np.int64)
    return arrays.objects(word or None for word in words)


def letters(numbers: AnyArray) -> int:
    """Return how many bytes whole numbers take in all, once they are printed.

    Examples
    --------
    >>> letters(np.array([7, -12]))
    4
    """
    sizes = np.abs(numbers).view(
        np.uint64
    )  # also of the least one, whose size int64 does not hold
    more = (
        np.count_nonzero(sizes >= 10**digits)
        for digits in range(1, len(str(sizes.max(initial=0))))
    )
    return int(numbers.size + np.count_nonzero(numbers < 0) + sum(more))


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

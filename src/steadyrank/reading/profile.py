"""What a table looks like: facts about its columns, and about pairs of them, each found out once.

Nothing here decides. The proposals of each kind of data weigh these facts, and :mod:`deciding` takes a
reading or refuses. At most ``ROWS`` rows are looked at: a file of any size is profiled in the same time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from itertools import compress, takewhile
from typing import Any, TypeVar

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.arrays import as_numbers
from steadyrank.errors import SteadyrankError
from steadyrank.reading.table import Table, simplify
from steadyrank.reading.text_columns import (
    MISSING_WORDS,
    ORDINALS,
    TextColumn,
    number_in,
    with_decimal,
)
from steadyrank.reading.words import in_seconds, known, measured_words, words_of

Found = TypeVar("Found")

ROWS = 6_000
"""How many rows are looked at."""
CELLS = 500_000
"""How many cells are looked at, where there are very many columns."""
FEW = 9
"""In so few rows, numbers that go up by one may do so by chance."""
YEARS, SECONDS = (1700, 2100), (6e8, 2.1e9)
"""Whole numbers that say when: years, and seconds since 1970 in this century."""
NEARLY = 0.5
"""The share of numbers from which on a column is one of numbers with faults."""
DETERMINED = 0.98
"""The share of rows from which on one column says what another holds."""
DENSE = 1 << 17
"""Up to so many pairs of values are counted in a table of all of them."""
SCALE = 5.0
"""How many times as far one column may reach as another on the same scale."""
LARGEST = 1e300
STANDING_FOR_NONE = {-1.0, -9.0, -99.0, -999.0}
SCORES_AT_LEAST = 4
"""Beside so many values and no more, a number below 0 may be an answer: against, neither, for."""
SHORTEST_NAMES = 3
"""Among names of so few letters, NA is one: Namibia, or North America."""
LONGEST_NAME = 100
"""Letters of a name that is looked at; patterns go over longer ones again and again."""

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}.*"
    r"|([01]?\d|2[0-3]):[0-5]\d.*"
    rf"|(?=.*\d).{{0,20}}\b({MONTHS.replace(' ', '|')})[a-z]{{0,6}}\b.{{0,20}}",
    re.IGNORECASE,
)
NUMBERED = re.compile(
    rf"(?<!\d)(\d{{1,3}})(?!\d)(?:st|nd|rd|th)?|({'|'.join(ORDINALS)})"
)
UNNAMED = re.compile(r"column_\d+")
"""What columns without a name are called."""
YES_NO = [
    {"0", "1"},
    {"yes", "no"},
    {"true", "false"},
    {"true"},
    {"false"},
    {"y", "n"},
    {"t", "f"},
]


def kept(method: Callable[..., Found]) -> Callable[..., Found]:
    """Keep what a method returns for the same arguments, as long as its object lives."""

    @wraps(method)
    def looked_up(self: Any, *asked: Any) -> Found:
        held: dict[Any, Found] = vars(self).setdefault("_kept", {})
        if (method.__name__, *asked) not in held:
            held[method.__name__, *asked] = method(self, *asked)
        return held[method.__name__, *asked]

    return looked_up


class Column:
    """One column: what it is called, and what the rows that are looked at hold."""

    def __init__(self, table: Table, name: str) -> None:
        self._table, self.name, self._rows = table, name, len(table)
        self._column = table.columns[name]

    @cached_property
    def words(self) -> list[str]:
        """The words of its name."""
        return words_of(str(self.name)[:LONGEST_NAME])

    @cached_property
    def simple(self) -> str:
        """Its name without case, spaces and punctuation."""
        return simplify(self.name)

    @cached_property
    def bare(self) -> str:
        """The same without id or name behind it."""
        return self.simple.removesuffix("id").removesuffix("name")

    @cached_property
    def noun(self) -> str:
        """What it is a column of: the last word but for id, name and number, in the singular."""
        beside = known("ids", "names_and_numbers", "numberings")
        before = list(
            takewhile(lambda word: word != "of", self.words)
        )  # the age of a team is no team
        words = before if {*before} - {*beside} else list(self.words)
        while len(words) > 1 and (words[-1] in beside or words[-1].isdecimal()):
            words.pop()
        last = words[-1] if words else ""
        return last.removesuffix("s") if len(last) > len("pos") else last

    @cached_property
    def type(self) -> str:
        """One of number, flag (yes or no), date, list, text, and empty."""
        if not isinstance(self._column, TextColumn):
            first = [
                cell for cell in self._column.labels()[:200] if not _is_blank(cell)
            ]
            if first and all(
                isinstance(cell, list | tuple | np.ndarray | dict) for cell in first
            ):
                return "list"
        numeric = bool(self._rows) and self._table.is_numeric(self.name)
        if numeric and len(self.some) and ((self.some != 0) & (self.some != 1)).any():
            return "number"  # to list what it holds would take longer
        if not self.distinct and not numeric:
            return "empty"
        values = {label.casefold() for label in self.labels[:3]}
        if values in YES_NO:
            return "flag"
        if numeric or self._column.share_of_numbers() >= NEARLY:
            return "number"
        some = self.labels[:50]
        dates = sum(DATE.fullmatch(label) is not None for label in some)
        return "date" if 10 * dates > 9 * len(some) else "text"

    @cached_property
    def is_number(self) -> bool:
        """Whether it holds numbers, or 0 and 1."""
        if not self._rows:
            return True  # nothing speaks against it
        return self.type == "number" or (
            self.type == "flag" and self._table.is_numeric(self.name)
        )

    @cached_property
    def _coded(self) -> tuple[IntArray, list[str]]:
        codes, labels = self._column.written()
        if MISSING_WORDS.isdisjoint(labels):
            return np.asarray(codes, dtype=np.int64), labels
        there = np.array([label not in MISSING_WORDS for label in labels])
        place = np.where(there, np.cumsum(there) - 1, -1)
        return place[codes].astype(np.int64), [*compress(labels, there)]

    @property
    def missing_words(self) -> list[str]:
        """What it holds that stands for nothing: NA, unless names are as short as that."""
        words = self._column.written()[1] if self.letters > SHORTEST_NAMES else []
        return [word for word in words if word and word in MISSING_WORDS]

    @property
    def codes(self) -> IntArray:
        """For each row, the place of what it holds in ``labels``, -1 where it is blank."""
        return self._coded[0]

    @property
    def labels(self) -> list[str]:
        """What it holds, each once, as text."""
        return self._coded[1]

    @cached_property
    def letters(self) -> float:
        """How many letters its first values have, on average."""
        some = self.labels[:100]
        return sum(map(len, some)) / max(1, len(some))

    @cached_property
    def values(self) -> frozenset[str]:
        """The same as a set."""
        return frozenset(self.labels)

    @cached_property
    def places(self) -> dict[str, int]:
        """The code of each value."""
        return {label: code for code, label in enumerate(self.labels)}

    @property
    def distinct(self) -> int:
        """How many different values it holds."""
        return len(self.labels)

    @cached_property
    def present(self) -> int:
        """How many rows are not blank."""
        if self._table.is_numeric(self.name):
            return self._rows - int(np.isnan(self.numbers).sum())
        return int((self.codes >= 0).sum())

    @property
    def blanks(self) -> int:
        """How many rows are."""
        return self._rows - self.present

    @property
    def repeats(self) -> bool:
        """Whether some value comes again."""
        return self.distinct < self.present

    @property
    def further(self) -> int:
        """How many rows hold what another holds already."""
        return self.present - self.distinct

    @property
    def unique(self) -> bool:
        """Whether every row has a value of its own."""
        return self.distinct == len(self.codes) > 0

    @cached_property
    def numbers(self) -> FloatArray:
        """Its numbers, NaN where there is none; a comma that may be either parts thousands."""
        if not self._table.is_numeric(self.name):
            values = [number_in(label) for label in self.labels]
            return np.array([*map(_or_nan, values), np.nan], dtype=np.float64)[
                self.codes
            ]
        for spelt in (self._table.spelt(self.name), with_decimal(".")):
            with suppress(SteadyrankError):
                found = self._column.numbers(self.name, spelt, [])
                return as_numbers(found, self.name, missing=True).astype(
                    np.float64, copy=False
                )
        return np.full(self._rows, np.nan)

    @cached_property
    def some(self) -> FloatArray:
        """The numbers that are there and finite."""
        finite = np.isfinite(self.numbers)
        return self.numbers if finite.all() else self.numbers[finite]

    @cached_property
    def odd_words(self) -> list[str]:
        """What is no number in a column of numbers, where this is not much."""
        if not self._rows or self._table.is_numeric(self.name) or self.type != "number":
            return []
        odd = [label for label in self.labels if number_in(label) is None]
        return odd if len(odd) <= FEW else []

    @cached_property
    def whole(self) -> bool:
        """Whether all its numbers are whole."""
        return (
            self.is_number
            and len(self.some) > 0
            and bool((self.some == np.floor(self.some)).all())
        )

    @cached_property
    def no_value(self) -> str:
        """The only number below 0, if it is one that often stands for no value: -1 or -99."""
        below = self.some[self.some < 0]
        if (
            not len(below)
            or below.min() != below.max()
            or below[0] not in STANDING_FOR_NONE
        ):
            return ""
        told = len(np.unique(self.some)) > SCORES_AT_LEAST
        return (
            next(one for one in self.labels if number_in(one) == below[0])
            if told
            else ""
        )

    @cached_property
    def reach(self) -> float:
        """How far its numbers reach from 0, but for the most extreme ones."""
        return _quantile(np.abs(self.some), 0.95) if len(self.some) else 0.0

    @cached_property
    def counts_rows(self) -> bool:
        """Whether it only counts rows: 1, 2, 3..."""
        steps = (
            np.diff(self.numbers)
            if self.whole and len(self.numbers) > FEW
            else np.zeros(0)
        )
        return (
            bool(len(steps))
            and bool((steps == 1).all())
            and self.numbers[0] in {0.0, 1.0}
        )

    @cached_property
    def is_id(self) -> bool:
        """Whether it is called like something that is numbered, or only counts rows."""
        last = self.words[-1:] and self.words[-1] in known("ids", "numberings")
        if self.words[-1:] == ["no"]:  # which is no number beside yes
            last = [*self.words[:-1], "yes"] not in map(words_of, self._table.names)
        coded = len(self.words) > 1 and self.words[0] in known("codes")
        called = bool(last) or coded or "id" in self.words
        if self.counts_rows or self.simple in {"rownames", "unnamed0", "rowname"}:
            return True
        return called and (self.type != "number" or self.whole)

    @property
    def holds_numbers(self) -> bool:
        """Whether some value is a number, though others may be mistyped."""
        return any(number_in(label) is not None for label in self.labels[:50])

    @property
    def counts_things(self) -> bool:
        """Whether it holds numbers and is called in the plural: models counts models."""
        return self.is_number and not self.is_id and self.words[-1:] != [self.noun]

    @cached_property
    def is_measure(self) -> bool:
        """Whether it is called like something that is measured to compare."""
        called = {self.noun, *self.words[-1:]}  # wis is no plural
        listed = known("measures", "points", "less_is_better", "shares")
        return "%" in str(self.name) or not called.isdisjoint(listed) or self.lasts

    @cached_property
    def lasts(self) -> bool:
        """Whether it says how long something took: by its unit, or as times with decimals."""
        words = measured_words(self.name) if self.type == "number" else []
        timed = not {*known("durations")}.isdisjoint(words) and not self.whole
        return timed or in_seconds(words)

    @cached_property
    def is_amount(self) -> bool:
        """Whether it is called like how much, how many or how old something is."""
        words = {*self.words} if not self.is_measure else {self.noun}
        return not words.isdisjoint(known("amounts"))

    @cached_property
    def is_time(self) -> bool:
        """Whether it says when: dates, or numbers that are called so or look like years."""
        none = self.lasts or (self.type == "number" and self.some.min(initial=0) < 0)
        words = [] if none or self.is_measure else measured_words(self.name)
        noun = [] if none else [self.noun]
        if self.type == "date" or any(word in known("times") for word in words + noun):
            return True
        if not self.whole or self.type != "number" or self.distinct < 2:
            return False
        unnamed = (
            self.simple == f"column{self.simple[6:]}" and self.simple[6:].isdecimal()
        )
        ranges = (
            (YEARS, SECONDS) if unnamed else (YEARS,)
        )  # a name would say that it is a time
        return any(
            low <= self.some.min() and self.some.max() <= high for low, high in ranges
        )

    @property
    def is_label(self) -> bool:
        """Whether it can name something: text, or whole numbers that are called an id or a thing."""
        return self.type in {"text", "empty"} or (
            self.type in {"flag", "number"} and self.whole
        )

    def describe(self) -> str:
        """Return what it holds, in a few words."""
        if self.type in {"empty", "list"}:
            return {"empty": "nothing", "list": "lists"}[self.type]
        gaps = f", {self.blanks:,} blank" if self.blanks else ""
        if self.counts_rows:
            return "counts the rows"
        if self.type == "number" and len(self.some):
            what = "whole numbers" if self.whole else "numbers"
            return f"{what} from {self.some.min():g} to {self.some.max():g}{gaps}"
        what = {"flag": "yes or no", "date": "dates"}.get(self.type, "text")
        times = "each once" if self.unique else f"{self.distinct:,} different"
        return f"{what}, {times}{gaps}"


def _quantile(values: FloatArray, share: float) -> float:
    """Return what ``np.quantile`` does, which takes ten times as long for a few values."""
    low, part = divmod(share * (len(values) - 1), 1)
    places = [int(low), min(int(low) + 1, len(values) - 1)]
    one, two = map(float, np.partition(values, places)[places])
    return two - (two - one) * (1 - part) if part >= 0.5 else one + (two - one) * part


def _or_nan(value: float | None) -> float:
    return np.nan if value is None or abs(value) > LARGEST else float(value)


def _is_blank(cell: object) -> bool:
    return (
        cell is None
        or isinstance(cell, str)
        or (isinstance(cell, float) and cell != cell)  # noqa: PLR0124
    )


@dataclass
class Profile:
    """The facts about a table, by a share of its rows; those of pairs are kept once found."""

    table: Table
    columns: dict[str, Column] = field(default_factory=dict)
    share: float = 1.0

    @classmethod
    def of(cls, table: Table) -> Profile:
        """Profile a table by its first rows; its own notes stay as they are."""
        most = min(ROWS, max(FEW + 1, CELLS // max(1, len(table.columns))))
        some = table.taken(slice(most)) if len(table) > most else table
        looked = replace(some, notes=[])
        columns = {name: Column(looked, name) for name in looked.names}
        return cls(looked, columns, len(looked) / max(1, len(table)))

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns.values())

    @property
    def rows(self) -> int:
        """How many rows were looked at."""
        return len(self.table)

    @cached_property
    def by_name(self) -> dict[str, set[str]]:
        """The columns by their simple names, and by these without id or name behind them."""
        found: dict[str, set[str]] = {}
        for column in self:
            found.setdefault(column.simple, set()).add(column.name)
            found.setdefault(column.bare, set()).add(column.name)
        return found

    @cached_property
    def by_noun(self) -> dict[str, set[str]]:
        """The columns by what they are columns of."""
        found: dict[str, set[str]] = {}
        for column in self:
            found.setdefault(column.noun, set()).add(column.name)
        return found

    def called(self, *simple: str) -> list[Column]:
        """Return the columns of these names, simplified, in the order of the names."""
        found = self.table.by_simple_name
        return [self[name] for one in simple for name in found.get(one, ())]

    @kept
    def pairs(self, one: str, two: str) -> tuple[IntArray, IntArray, IntArray]:
        """Return the different pairs of two columns, codes counted from 1, and how often each comes."""
        if str(one) > str(two):
            first, second, times = self.pairs(two, one)
            return second, first, times
        width = self[two].distinct + 1
        cells = (self[one].codes + 1) * width + self[two].codes + 1
        if (self[one].distinct + 1) * width <= DENSE:
            counts = np.bincount(cells)
            found = np.flatnonzero(counts)
            return (*np.divmod(found, width), counts[found])
        found, counts = np.unique(cells, return_counts=True)
        return (*np.divmod(found, width), counts)

    def repeated(self, one: str, two: str) -> float:
        """Return which share of rows comes again in two columns."""
        return 1.0 - len(self.pairs(one, two)[2]) / max(1, self.rows)

    @kept
    def alone(self, name: str, within: str) -> float:
        """Return which share of the values of a column come with one value of another alone."""
        others = np.bincount(self.pairs(name, within)[0])[1:]
        return float((others[others > 0] == 1).mean()) if others.any() else 1.0

    @kept
    def determined(self, name: str, by: str) -> bool:
        """Tell whether a column says what another one holds; unique rows say nothing."""
        groups, _, times = self.pairs(by, name)
        most = np.zeros(self[by].distinct + 1, dtype=np.int64)
        np.maximum.at(most, groups, times)
        return bool(most.sum() >= DETERMINED * max(1, self.rows))

    def shared(self, one: str, two: str) -> float:
        """Return which share of the names of the smaller column is in the other."""
        first, second = self[one].values, self[two].values
        return len(first & second) / max(1, min(len(first), len(second)))

    def across(self, one: str, two: str) -> IntArray:
        """Return the place of each value of one column among those of another, and -3 for a blank."""
        place = self[two].places
        return np.array([place.get(label, -2) for label in self[one].labels] + [-3])

    def same(self, one: str, two: str) -> BoolArray:
        """Mark the rows in which one column holds what another does."""
        return np.asarray(self.across(one, two)[self[one].codes] == self[two].codes)

    def equal(self, one: str, two: str) -> tuple[float, float]:
        """Return the share of rows in which two columns are equal, and how many rows chance makes so."""
        first, second, across = self[one], self[two], self.across(one, two)
        there = max(1, int(((first.codes >= 0) & (second.codes >= 0)).sum()))
        left = np.bincount(first.codes[first.codes >= 0], minlength=first.distinct)
        right = np.bincount(second.codes[second.codes >= 0], minlength=second.distinct)
        matched = [
            (left[code], right[to]) for code, to in enumerate(across[:-1]) if to >= 0
        ]
        chance = sum(float(one) * float(two) for one, two in matched) / there
        return float(self.same(one, two).sum()) / there, chance

    @cached_property
    def series(self) -> list[list[str]]:
        """Columns that have one stem and are numbered 1, 2, 3...; each list in that order."""
        found: dict[tuple[str, str], dict[int, str]] = {}
        for column in self:
            short = len(str(column.name)) <= LONGEST_NAME and not UNNAMED.fullmatch(
                str(column.name)
            )
            for match in NUMBERED.finditer(column.simple) if short else ():
                digits, word = match.groups()
                place = int(digits) if digits else ORDINALS.index(word) + 1
                stem = column.simple[: match.start()], column.simple[match.end() :]
                found.setdefault(stem, {}).setdefault(place, column.name)
        return [
            [those[place] for place in sorted(those)]
            for those in found.values()
            if len(those) > 1 and sorted(those) == [*range(1, len(those) + 1)]
        ]

    @cached_property
    def families(self) -> list[list[str]]:
        """Columns, three or more, whose names differ only in numbers: week1_judge2, candidate_0..."""
        found: dict[str, list[str]] = {}
        for column in self:
            stem = re.sub(r"\d+", "0", str(column.name)[:LONGEST_NAME])
            if (stem != column.name or "0" in stem) and not UNNAMED.fullmatch(stem):
                found.setdefault(stem, []).append(column.name)
        return [names for names in found.values() if len(names) > 2]

    @cached_property
    def of_families(self) -> frozenset[str]:
        """The columns that are in such a family."""
        return frozenset(name for names in self.families for name in names)

    @cached_property
    def sides(self) -> list[tuple[str, str, tuple[str, str]]]:
        """Pairs of columns whose names differ only in which side they speak of, with these two words.

        Where there is a third of them, they are no sides of anything.
        """
        found: dict[tuple[str, str], tuple[str, str]] = {}
        for column in self:
            for pair in SIDES:
                twins = (
                    [*self._twins(column, *pair)] if pair[0] in column.simple else []
                )
                if (
                    twins
                    and pair[1] in THIRD
                    and [*self._twins(column, pair[0], THIRD[pair[1]])]
                ):
                    continue
                for twin in twins:
                    found.setdefault((column.name, twin), pair)
        return [(one, two, pair) for (one, two), pair in found.items()]

    def differing(self, left: str, right: str) -> list[tuple[str, str]]:
        """Return the pairs of columns whose names differ only in these two words."""
        return [
            (column.name, twin)
            for column in self
            for twin in self._twins(column, left, right)
        ]

    def _twins(self, column: Column, left: str, right: str) -> Iterator[str]:
        if len(str(column.name)) <= LONGEST_NAME:
            for turned in _turned(column, left, right):
                yield from self.table.by_simple_name.get(turned, ())[:1]

    def on_one_scale(self, names: Iterable[str], apart: float = SCALE) -> bool:
        """Tell whether columns of numbers reach about as far, at most so many times as far."""
        reaches = [
            reach for name in names if (reach := self[name].reach)
        ]  # 0 is on any scale
        return not reaches or max(reaches) <= apart * min(reaches)


SIDES: list[tuple[str, str]] = [tuple(pair.split("/")) for pair in known("sides")]  # type: ignore[misc]
THIRD = {"b": "c", "1": "2", "2": "3", "y": "z", "two": "three", "second": "third"}


def _turned(column: Column, left: str, right: str) -> Iterator[str]:
    """Yield a name with one word changed to another.

    A letter counts at the ends or by itself only, and a digit not within a number.
    """
    words, name = column.words, column.simple
    if len(left) == 1 and left in words[1:-1]:
        place = words.index(left, 1)
        yield "".join([*words[:place], right, *words[place + 1 :]])
    start = name.find(left)
    while start >= 0:
        end = start + len(left)
        inside = left.isdecimal() and any(
            map(str.isdecimal, name[:start][-1:] + name[end : end + 1])
        )
        if not inside and (
            len(left) > 1 or start == 0 or end == len(name) or left.isdecimal()
        ):
            yield name[:start] + right + name[end:]
        start = name.find(left, start + 1)

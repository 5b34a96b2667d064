"""Where the header of a table is, and what it calls the columns: told by the first rows alone.

It is the first row, or two where the upper says some things twice, as pivots do. A first row of numbers
above numbers is data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from steadyrank.errors import Option, UnreadableFileError, listing, shorten
from steadyrank.reading.declarations import HEADER
from steadyrank.reading.table import Guess
from steadyrank.reading.text_columns import is_missing_word, number_in

LOOKED_AT = 40
"""So many rows tell where the header is."""
FEWEST = 3
"""With fewer rows below it, a first line of numbers is taken for a header."""
LARGEST_NAME = 10_000
"""No single number from here on is the name of a column."""
CODE = re.compile(r"[A-Za-z]{1,3}[ ._]?\d+(_\d+)*")
"""What questions are numbered like."""
TITLED = (
    "Delete this line if it is a title, or say ",
    Option("header", "1"),
    " if it is the header.",
)
Row = Sequence[str]


@dataclass
class Header:
    """Where the header is.

    Parameters
    ----------
    size : int
        How many rows it takes.
    names : list of str
        What it calls the columns.
    notes : list of str
        What is to be said about it.
    """

    size: int
    names: list[str]
    notes: list[str] = field(default_factory=list)


def header_size(given: Mapping[str, Any]) -> int | None:
    """Return how many rows the header has as the user said, None where nobody did."""
    asked = given.get("header")
    if asked is None:
        return None
    HEADER.check("header", str(asked))
    return int(asked)


def find_header(rows: Sequence[Row], size: int | None = None) -> Header:
    """Return the header of a table, of which these are the first rows.

    Parameters
    ----------
    rows : sequence of rows
        Of texts; at least one.
    size : {0, 1, 2}, optional
        How many rows the header has, if somebody said so.

    Examples
    --------
    >>> find_header([["", "acc", "acc"], ["", "mean", "sd"], ["x", "7", "1"]]).names
    ['column_1', 'acc mean', 'acc sd']
    """
    fields, *below = rows
    longer = {len(row) for row in below} == {len(fields) + 1}
    if (
        longer
        and len(fields) > 1 < len(below)
        and any(_filled(row[-1:]) for row in below)
    ):
        fields = ["", *fields]  # as R writes names of rows
    if size == 0 or (size is None and _is_data(fields, below)):
        names = [f"column_{place}" for place in range(1, len(fields) + 1)]
        brief = f"the first line is data: the columns are called {listing(names[:2], len(names))}"
        note = brief if size == 0 else Guess(brief, "no header", Option("header", "1"))
        return Header(0, names, [note])
    if (
        size is None
        and _filled(fields) == _filled(fields[:1]) < len(fields)
        and any(_filled(row[1:]) for row in below)
    ):
        told = f"the first line, {shorten(fields[0])}, names {_filled(fields)} of {len(fields)} columns"
        raise UnreadableFileError(told, way_out=TITLED)
    fields, size = (
        (fields, 1) if size == 1 else _joined(fields, below, surely=size == 2)
    )
    names, notes = header_names(fields)
    if size > 1:
        brief = f"{size} lines read as one header, such as {shorten(fields[-1])}"
        notes = [
            Guess(brief, "a header of several lines", Option("header", "1")),
            *notes,
        ]
    elif all(map(_is_number, fields)):
        notes = [
            "the first line, all numbers, read as the names of the columns",
            *notes,
        ]
    return Header(size, names, notes)


def header_names(fields: Row) -> tuple[list[str], list[str]]:
    """Return a name of its own for each column, and what is to be noted about them."""
    given = [field.strip() for field in fields]
    times, taken, names = Counter(given), {*given}, list(given)
    for place, name in enumerate(given):
        if not name or times[name] > 1:
            names[place] = f"{name or 'column'}_{place + 1}"
            while names[place] in taken:
                names[place] += "_"
            taken.add(names[place])
    made = [
        shorten(name) for name, old in zip(names, given, strict=True) if name != old
    ]
    told = (
        f"columns without a name, or with that of another, are called {listing(made)}"
    )
    return names, [told] if made else []


def _numbers_below(first: Row, below: Sequence[Row]) -> list[int]:
    """Return the columns in which all that stands below the first row are numbers."""
    found = []
    for place in range(len(first)):
        cells = [
            row[place]
            for row in below
            if len(row) > place and not is_missing_word(row[place])
        ]
        if cells and all(map(_is_number, cells)):
            found.append(place)
    return found


def _joined(first: Row, below: Sequence[Row], *, surely: bool) -> tuple[Row, int]:
    """Return the names that some rows make together, and how many; the first alone may be the header."""
    upper, last, under = (
        [field.strip() for row in some for field in row]
        for some in ([first], below[:1], below[1:2])
    )
    if len(upper) != len(last):
        return upper, 1
    if not surely and not _belong_together(upper, last, below[1:]):
        return _asked(upper, last, below[1:])
    over = upper[:2]
    for name in upper[2:]:  # a name stands over those without one on its right
        over.append(name or over[-1])
    names = [
        " ".join(filter(None, dict.fromkeys(both)))
        for both in zip(over, last, strict=True)
    ]
    # Pandas names the index there.
    if under and under[0] and not upper[0] and _filled(under) == 1:
        return [under[0], *names[1:]], 3
    return (names, 2) if surely or len({*names}) == len(names) else (upper, 1)


def _asked(codes: Row, questions: Row, below: Sequence[Row]) -> tuple[Row, int]:
    """Return the questions that survey tools write below Q1, Q2..., above numbers or a line of JSON."""
    tool = {field[:1] + field[-1:] for row in below[:1] for field in row if field} == {
        "{}"
    }
    coded = {at for at, code in enumerate(codes) if CODE.fullmatch(code)}
    above_numbers = coded & {*_numbers_below(questions, below)}
    asked = not any(_is_number(one) or is_missing_word(one) for one in questions)
    if not tool and not (2 * len(above_numbers) > len(codes) and asked):
        return codes, 1
    distinct = len({*questions}) == len(questions) and all(questions)
    return questions if distinct else codes, 2 + tool


def _belong_together(upper: Row, last: Row, below: Sequence[Row]) -> bool:
    """Tell whether the upper of two rows says things twice or leaves gaps, above numbers."""
    said = [name for name in upper[1:] if name]
    if not said or len({*said}) >= len(last) - 1 or any(map(_is_number, last)):
        return False
    return any(
        not is_missing_word(last[place]) for place in _numbers_below(last, below)
    )


def _is_data(first: Row, below: Sequence[Row]) -> bool:
    """Tell whether a first row is one of the data: numbers above numbers, and no years or counters."""
    if len(below) < FEWEST or _come_again(first, below):
        return len(below) >= FEWEST
    if not any(map(_is_number, first)):
        return False
    codes = all(map(_is_number, first)) and {*first} <= {
        cell for row in below for cell in row
    }
    if codes and not _may_be_names([number_in(cell) or 0 for cell in first]):
        return True  # though others that come below are no numbers
    numeric = _numbers_below(first, below)
    above = [
        first[place].strip() for place in numeric if not is_missing_word(first[place])
    ]
    if not above or not all(map(_is_number, above)):
        return False
    values = [number_in(cell) or 0 for cell in above]
    texts = [
        place
        for place in range(len(first))
        if place not in numeric and first[place].strip()
    ]
    again = [
        place
        for place in texts
        if any(row[place : place + 1] == [first[place]] for row in below)
    ]
    return bool(again) if _may_be_names(values) else True


def _come_again(first: Row, below: Sequence[Row]) -> bool:
    """Tell whether most fields of a row come again below, each in its column, and not all together."""
    texts = [
        place
        for place, field in enumerate(first)
        if field.strip() and not _is_number(field)
    ]
    same = [
        [at for at in texts if at < len(row) and row[at] == first[at]] for row in below
    ]
    again = {place for places in same if len(places) < len(texts) for place in places}
    return 2 * len(again) > len(texts) > 1 < len(again)


def _may_be_names(values: Sequence[float]) -> bool:
    """Tell whether numbers may name columns: a single one below 10,000, counters, years or quantiles."""
    steps = {two - one for one, two in pairwise(values)}
    if len(values) == 1 or min(steps) <= 0:
        return len(values) == 1 and abs(values[0]) < LARGEST_NAME
    even = len(steps) == 1 and (steps == {1} or values[0] % min(steps) == 0)
    return (
        even
        or values[0] >= 1800 >= values[-1] - 300
        or 0 <= values[0] <= values[-1] <= 1
    )


def _filled(row: Row) -> int:
    return sum(map(bool, map(str.strip, row)))


def _is_number(field: str) -> bool:
    return number_in(field) is not None

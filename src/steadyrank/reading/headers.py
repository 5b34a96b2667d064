"""Where the header of a table is, and what it calls the columns: told by the first rows alone.

Lines before it are left out only where numbers below prove that it is one. Several rows make a header
where all but the last say some things twice, as pivots do. A first row of numbers above numbers is data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any

from steadyrank.errors import Option, listing, shorten
from steadyrank.reading.declarations import HEADER
from steadyrank.reading.table import Guess
from steadyrank.reading.text_columns import is_missing_word, number_in

LOOKED_AT = 40
"""So many rows tell where the header is."""
MOST_NAMED = 5
"""So many columns that got another name are named one by one."""
MOST_LINES = 4
"""A header has at most so many lines."""
FEWEST = 3
"""With fewer rows below it, a first line of numbers is taken for a header."""
REMARKS = ("#", "%", "//")
CODE = re.compile(r"[A-Za-z]{1,3}[ ._]?\d+(_\d+)*")
"""What questions are numbered like."""
Row = Sequence[str]


@dataclass
class Header:
    """Where the header is.

    Parameters
    ----------
    before, size : int
        How many rows stand before it, and how many it takes.
    names : list of str
        What it calls the columns.
    notes : list of str
        What is to be said about it.
    """

    before: int
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
    >>> find_header([["Our results", ""], ["model", "score"], ["x", "7"], ["y", "9"]]).before
    1
    >>> find_header([["", "acc", "acc"], ["", "mean", "sd"], ["x", "7", "1"]]).names
    ['column_1', 'acc mean', 'acc sd']
    """
    before = _lines_before(rows)
    shown = listing(_shown(row) for row in rows[:before])
    notes: list[str] = [f"left out before the header: {shown}"] if before else []
    first, *below = rows[before:]
    fields, longer = list(first), {len(row) for row in below} == {len(first) + 1}
    if longer and len(fields) > 1 < len(below) and any(_filled(row[-1:]) for row in below):
        fields = ["", *fields]  # as R writes names of rows
    joined = _joined(fields, below, surely=size == 2) if size in {None, 2} else None
    if size == 0 or (size is None and _is_data(fields, below)):
        names = [f"column_{place}" for place in range(1, len(fields) + 1)]
        brief = f"the first line is data: the columns are called {listing(names[:2], len(names))}"
        notes += [brief] if size == 0 else [Guess(brief, "no header", Option("header", "1"))]
        return Header(before, 0, names, notes)
    if joined is not None:
        fields, size = joined
        brief = f"{size} lines read as one header, such as {shorten(fields[-1])}"
        notes.append(Guess(brief, "a header of several lines", Option("header", "1")))
    elif all(_is_number(name) for name in fields):
        notes.append("the first line, all numbers, read as the names of the columns")
    names, more = header_names(fields)
    return Header(before, 1 if joined is None else joined[1], names, notes + more)


def header_names(fields: Row) -> tuple[list[str], list[str]]:
    """Return a name of its own for each column, and what is to be noted about them."""
    given = [field.strip() for field in fields]
    times, taken = Counter(given), set(given)
    names, made = list(given), dict[str, list[str]]()
    for place, name in enumerate(given):
        if not name or times[name] > 1:
            new = f"{name or 'column'}_{place + 1}"
            while new in taken:
                new += "_"
            taken.add(new)
            names[place] = new
            made.setdefault(name, []).append(new)
    unnamed = made.pop("", [])
    few = unnamed if len(unnamed) <= MOST_NAMED else []
    notes = [f"column {names.index(new) + 1} has no name and is called {new!r}" for new in few]
    if len(unnamed) > MOST_NAMED:
        notes = [f"{len(unnamed):,} columns without a name are called {listing(map(shorten, unnamed))}"]
    for name, called in islice(made.items(), MOST_NAMED):
        shown = listing(map(shorten, called))
        notes.append(f"several columns are called {shorten(name)}: read as {shown}")
    if len(made) > MOST_NAMED:
        notes.append(f"and {len(made) - MOST_NAMED:,} more names of several columns")
    return names, notes


def _lines_before(rows: Sequence[Row]) -> int:
    """Return how many rows are remarks or a title, before a row that is surely a header."""
    width = max((len(row), _filled(row)) for row in rows)[0]
    for place, row in enumerate(rows):
        remark = row and row[0].startswith(REMARKS) and len(row) < width
        if not remark and _filled(row) > 1:
            if not place:
                break
            told = all(one[0].startswith(REMARKS) for one in rows[:place] if _filled(one))
            below = rows[place + 1 :]
            told_below = (_numbers_below(row, below[at:]) for at in range(MOST_LINES))
            titled = all(len(one) == 1 or " " in _shown(one) for one in rows[:place])
            even = len(below) >= FEWEST and {*map(len, below)} == {_filled(row)}
            sure = any(told_below) or (titled and even and not _come_again(row, below))
            header = sure and not any(map(_is_number, row))
            return place if header or told else 0
    return 0


def _numbers_below(first: Row, below: Sequence[Row]) -> list[int]:
    """Return the columns in which all that stands below the first row are numbers."""
    found = []
    for place in range(len(first)):
        cells = [row[place] for row in below if len(row) > place and not is_missing_word(row[place])]
        if cells and all(map(_is_number, cells)):
            found.append(place)
    return found


def _joined(first: Row, below: Sequence[Row], *, surely: bool) -> tuple[list[str], int] | None:
    """Return the names that rows make together, and how many rows; None where one is the header."""
    rows = [[field.strip() for field in row] for row in (first, *below[: MOST_LINES - 1])]
    if not surely and (described := _described(rows, below)) is not None:
        return described
    sizes = [size for size in range(2, len(rows) + 1) if {*map(len, rows[:size])} == {len(first)}]
    if not surely:
        sizes = [size for size in sizes if _belong_together(rows[:size], below[size - 1 :])]
    if not sizes:
        return None
    size, whole = sizes[0], [[""] * len(first)]
    for row in rows[: size - 1]:
        filled = row[:2]
        for place, name in enumerate(row[2:], 2):  # a name stands over those without one on its right
            same = whole[-1][place] == whole[-1][place - 1]
            filled.append(name or (filled[-1] if same else ""))
        whole.append(filled)
    columns = zip(*whole, rows[size - 1], strict=True)
    names = [" ".join(filter(None, dict.fromkeys(column))) for column in columns]
    under = [field.strip() for field in below[size - 1]] if len(below) >= size else []
    # Pandas names the index there.
    if under and under[0] and not first[0].strip() and _filled(under) == 1:
        return [under[0], *names[1:]], size + 1
    return (names, size) if surely or len({*names}) == len(names) else None


def _described(rows: Sequence[Row], below: Sequence[Row]) -> tuple[list[str], int] | None:
    """Return the names in the last line of a header that begins with codes, and how many lines it has.

    Survey tools write questions below Q1, Q2... and codes of their own, as JSON, below these; texts
    above nothing but numbers are no answers either.
    """
    first, second = rows[0], [*rows[1:2], []][0]
    tool = [at for at, row in enumerate(rows) if {f[:1] + f[-1:] for f in row if f} == {"{}"}][:1]
    codes = {at for at, name in enumerate(first) if CODE.fullmatch(name)}
    numeric = codes.intersection(_numbers_below(second, below[1:]))
    if tool == [0] or not (tool or (2 * len(numeric) > len(first) and not any(map(_is_number, second)))):
        return None
    last = rows[tool[0] - 1 if tool else 1]
    distinct = len({*last}) == len(last) == len(first) and all(last)
    return list(last if distinct else first), tool[0] + 1 if tool else 2


def _belong_together(rows: Sequence[Row], below: Sequence[Row]) -> bool:
    """Tell whether all rows but the last say things twice or leave gaps, and numbers are below them."""
    *upper, last = rows
    said = [[name for name in row[1:] if name] for row in upper]
    partial = all(names and len({*names}) < len(last) - 1 for names in said)
    if not partial or any(_is_number(field) for row in rows[1:] for field in row):
        return False
    return any(not is_missing_word(last[place]) for place in _numbers_below(last, below))


def _is_data(first: Row, below: Sequence[Row]) -> bool:
    """Tell whether a first row is one of the data: numbers above numbers, and no years or counters."""
    if len(below) < FEWEST or _come_again(first, below):
        return len(below) >= FEWEST
    if not any(map(_is_number, first)):
        return False
    codes = all(map(_is_number, first)) and {*first} <= {cell for row in below for cell in row}
    if codes and not _may_be_names([number_in(cell) or 0 for cell in first]):
        return True  # though others that come below are no numbers
    numeric = _numbers_below(first, below)
    above = [first[place].strip() for place in numeric if not is_missing_word(first[place])]
    if not above or not all(map(_is_number, above)):
        return False
    values = [number_in(cell) or 0 for cell in above]
    texts = [place for place in range(len(first)) if place not in numeric and first[place].strip()]
    again = [place for place in texts if any(row[place : place + 1] == [first[place]] for row in below)]
    return bool(again) if _may_be_names(values) else True


def _come_again(first: Row, below: Sequence[Row]) -> bool:
    """Tell whether most fields of a row come again below, each in its column, and not all together."""
    texts = [place for place, field in enumerate(first) if field.strip() and not _is_number(field)]
    same = [[at for at in texts if at < len(row) and row[at] == first[at]] for row in below]
    again = {place for places in same if len(places) < len(texts) for place in places}
    return 2 * len(again) > len(texts) > 1 < len(again)


def _may_be_names(values: Sequence[float]) -> bool:
    """Tell whether numbers may name columns: a single one, counters, years or quantiles."""
    steps = {two - one for one, two in pairwise(values)}
    if len(values) == 1 or min(steps) <= 0:
        return len(values) == 1
    even = len(steps) == 1 and (steps == {1} or values[0] % min(steps) == 0)
    return even or values[0] >= 1800 >= values[-1] - 300 or 0 <= values[0] <= values[-1] <= 1


def _filled(row: Row) -> int:
    return sum(map(bool, map(str.strip, row)))


def _is_number(field: str) -> bool:
    return number_in(field) is not None


def _shown(row: Row) -> str:
    return shorten(" ".join(filter(None, (field.strip() for field in row))), 60)

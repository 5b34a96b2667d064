"""Where the header of a table is, and what it calls the columns: told by the first rows alone.

Lines before it are left out only where numbers below prove that it is one. Two rows make a header where
the first says some things twice, as pivots do. A first row of numbers above numbers is data.
"""

from __future__ import annotations

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
FEWEST = 3
"""With fewer rows below it, a first line of numbers is taken for a header."""
REMARKS = ("#", "%", "//")
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
            header = not any(map(_is_number, row)) and any(
                _numbers_below(row, below[at:]) for at in (0, 1)
            )
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
    """Return the names that two rows make together, and how many rows; None where one is the header."""
    names = [field.strip() for field in first]
    said = [name for name in names[1:] if name]
    partial = len(set(said)) < len(said) or len(said) < len(names) - 1
    second = [field.strip() for field in below[0]] if below else []
    if len(second) != len(names):
        return None
    if not surely and (not said or not partial or any(map(_is_number, second))):
        return None
    named = (not is_missing_word(second[place]) for place in _numbers_below(second, below[1:]))
    if not surely and not any(named):
        return None
    whole = names[:2]
    for name in names[2:]:
        whole.append(name or whole[-1])
    both = [" ".join(filter(None, dict.fromkeys(pair))) for pair in zip(whole, second, strict=True)]
    third = [field.strip() for field in below[1]] if len(below) > 1 else []
    if third and third[0] and not names[0] and _filled(third) == 1:  # pandas names the index there
        return [third[0], *both[1:]], 3
    return (both, 2) if surely or len(set(both)) == len(both) else None


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
    same = [[place for place in texts if row[place : place + 1] == [first[place]]] for row in below]
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

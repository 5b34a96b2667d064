"""Text for people: names from strangers made safe to show, and small words said the same way everywhere.

Control characters are shown as escapes and nothing is interpreted; plurals, sizes and shares are spelt
here once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from html import escape
from itertools import accumulate
from math import floor, log10
from typing import Any

JOINERS = "\u200c\u200d"
"""Invisible, but emoji and several scripts are spelt with them; they steer nothing."""

UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that steer a terminal or reorder a line, or that have no meaning."""

COMBINING = frozenset({"Mn", "Me", "Cf"})
"""Categories of characters that take no column of their own."""


STANDINGS = {"sure": "sure", "contender": "contender", "out": "out"}
RANK_STANDINGS = {"sure": "keeps its rank", "contender": "moves"}
"""Where an item stands in a top k, and in a full ranking."""

MOVES = ("beyond", "inside", "same", "new", "gone")
"""What may be said of an item in two versions, what matters most first."""

ROWS = 25
"""Rows of a table for pages and notebooks, unless a list is longer."""

LONGEST = 80
"""Columns of a name in a table for pages and notebooks."""

EXACT_SIZES = 10**9
"""Sizes from here on are told by their logarithm."""


@dataclass(frozen=True)
class Column:
    """One column of a table, for every view.

    Parameters
    ----------
    title : str
        What stands above it.
    cells : sequence of str
        Its texts, from the first row on.
    need : int
        The larger, the longer it stays where room is short.
    names : bool
        Whether it holds names, which stand on the left and are shortened first.
    least, most : int
        How many characters of names are left at least, and shown at most.
    """

    title: str
    cells: Sequence[str]
    need: int = 0
    names: bool = False
    least: int = 8
    most: int | None = None


LISTED = re.compile(r'(?:\A|,)\s*(?:"((?:[^"]|"")*)"|([^,]*?))\s*(?=,|\Z)')
"""A name in a list that is typed: with quotes around it where it holds a comma."""


def typed_list(names: Sequence[object]) -> str:
    """Return names as one word of a command, with commas between them.

    Examples
    --------
    >>> typed_list(["a", "b, c", 3])
    'a,"b, c",3'
    """
    told = map(str, names)
    odd = re.compile(r'[,"]|\A\s|\s\Z').search
    return ",".join(
        '"' + name.replace('"', '""') + '"' if odd(name) else name for name in told
    )


def names_in(text: str) -> list[str]:
    """Return the names of a list as it was typed.

    Examples
    --------
    >>> names_in('a, b,"c, d"'), names_in("")
    (['a', 'b', 'c, d'], [''])
    """
    return [
        quoted.replace('""', '"') or plain for quoted, plain in LISTED.findall(text)
    ]


def shown(name: object, encoding: str = "utf-8") -> str:
    r"""Return a name as text that a terminal of this encoding shows and does not obey.

    Examples
    --------
    >>> print(shown("red\x1b[31m\n"), shown("café", "ascii"))
    red\x1b[31m\n caf\xe9
    """
    text = str(name)
    if not text.isascii() or not text.isprintable():
        text = "".join(
            c.encode("unicode_escape").decode() if is_unsafe(c) else c for c in text
        )
    return text.encode(encoding, "backslashreplace").decode(encoding)


def shortened(
    name: object, most: int, *, encoding: str = "utf-8", more: str = "…"
) -> str:
    """Return a name as safe text of at most so many columns: its start, ``more``, and its end.

    Names that differ often do so at their ends. Nothing that belongs together is cut: no escape, no
    letter from its accents, no picture of several joined ones.

    Examples
    --------
    >>> shortened("a rather long name", 10), shortened("短い名前", 5)
    ('a rat…name', '短…前')
    """
    text, reach = str(name), 4 * most + 4
    if len(text) <= 2 * reach:
        whole = shown(text, encoding)
        if columns_of(whole) <= most:
            return whole
        first = last = _letters(text, encoding)
    else:  # of a name so long, what is far from both ends is not even looked at
        first, last = (
            _letters(text[:reach], encoding),
            _letters(text[-reach:], encoding)[1:],
        )
    room = most - len(more)
    start, end = _fitting(first, room - room // 2), _fitting(last[::-1], room // 2)
    return "".join([*start, more[:most], *end[::-1]])


def fitted(
    name: object, width: int, *, encoding: str = "utf-8", more: str = "…"
) -> str:
    """Return a name as safe text that takes exactly ``width`` columns.

    Examples
    --------
    >>> fitted("ann", 5), fitted("annabel", 5)
    ('ann  ', 'an…el')
    """
    text = shortened(name, width, encoding=encoding, more=more)
    return text + " " * (width - columns_of(text))


def cut(text: str, width: int) -> tuple[str, str]:
    """Return the start of a safe text that takes at most so many columns, and the rest.

    Examples
    --------
    >>> cut("abc", 2), cut("漢字", 3)
    (('ab', 'c'), ('漢', '字'))
    """
    start = "".join(_fitting(_letters(text, "utf-8"), width))
    return start, text[len(start) :]


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    Examples
    --------
    >>> columns_of("cafe"), columns_of("cafe\u0301"), columns_of("模型")
    (4, 4, 4)
    """
    return len(text) if text.isascii() else sum(_columns(text))


def _columns(text: str) -> Iterator[int]:
    before = ""
    for character in text:
        if unicodedata.category(character) in COMBINING:
            yield 0
        elif unicodedata.east_asian_width(character) in "WF":
            yield (
                0 if before == "\u200d" else 2
            )  # joined to the emoji before, it is part of its picture
        else:
            yield 1
        before = character


def _letters(name: str, encoding: str) -> list[str]:
    """Return the safe text of a name in parts that belong together: what takes no column is no part."""
    parts = [""]
    for character, columns in zip(name, _columns(name), strict=True):
        safe = shown(character, encoding)
        if columns or len(safe) > 1:
            parts.append(safe)
        else:
            parts[-1] += safe
    return parts


def _fitting(parts: list[str], width: int) -> list[str]:
    """Return the first parts, as many as fit."""
    widths = accumulate(map(columns_of, parts))
    return [
        part for part, columns in zip(parts, widths, strict=True) if columns <= width
    ]


def is_unsafe(character: str) -> bool:
    r"""Tell whether a character is not shown as it is; having none is safe.

    Examples
    --------
    >>> is_unsafe("\u2028"), is_unsafe("a"), is_unsafe("")
    (True, False, False)
    """
    return (
        character != ""
        and unicodedata.category(character) in UNSAFE
        and character not in JOINERS
    )


def is_blank(character: str) -> bool:
    """Tell whether a character is nothing to be seen, but harmless: a blank or a joiner."""
    return unicodedata.category(character) == "Zs" or character in JOINERS


def plural(noun: str) -> str:
    """Return the plural of a unit's name, which may be that of a column.

    Examples
    --------
    >>> plural("vote"), plural("country"), plural("class"), plural("day"), plural("judge_id")
    ('votes', 'countries', 'classes', 'days', 'judge_ids')
    """
    lower = noun.lower()
    if lower.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    if lower.endswith("y") and lower[-2:-1] not in {"", "a", "e", "i", "o", "u"}:
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def noun_of(column: str) -> str:
    """Return what a column calls one of its entries; "" where its name is no plain word.

    Examples
    --------
    >>> [noun_of(name) for name in ("model_name", "movieId", "Restaurants", "q1", "")]
    ['model', 'movie', 'restaurant', '', '']
    """
    word = (
        re.sub(r"([_ ](id|name)|(?<=[a-z])(Id|ID|Name))$", "", column)
        .replace("_", " ")
        .lower()
    )
    word = word[:-1] if re.search("[^s]s$", word) else word
    return word if re.fullmatch("[a-z]{3,}( [a-z]{3,})?", word) else ""


def today() -> str:
    """Return the date where this runs."""
    return datetime.now().astimezone().date().isoformat()


def counted(number: int, noun: str) -> str:
    """Return a number and its noun, singular or plural.

    Examples
    --------
    >>> counted(1, "item"), counted(1200, "item")
    ('1 item', '1,200 items')
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def counted_are(number: int, noun: str, how: str) -> str:
    """Return how many are so.

    Examples
    --------
    >>> counted_are(1, "value", "missing"), counted_are(2, "value", "missing")
    ('1 value is missing', '2 values are missing')
    """
    return f"{counted(number, noun)} {'is' if number == 1 else 'are'} {how}"


def in_words(number: int) -> str:
    """Return a small number as a word.

    Examples
    --------
    >>> in_words(3), in_words(1200)
    ('three', '1,200')
    """
    words = [
        "no",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
    ]
    return words[number] if number < len(words) else f"{number:,}"


def ranks_in_words(best: int | None, worst: int | None, dash: str = "–") -> str:
    """Return the ranks that an item may have; nothing where they are not known.

    Examples
    --------
    >>> ranks_in_words(2, 2), ranks_in_words(2, 5, "-"), ranks_in_words(None, None)
    ('2', '2-5', '')
    """
    ends = [f"{rank:,}" for rank in (best, worst) if rank is not None]
    return dash.join(dict.fromkeys(ends))


def share_in_words(share: float | None) -> str:
    """Return a share in percent; only all is 100% and only none is 0%, and nothing is not known.

    Examples
    --------
    >>> share_in_words(1.0), share_in_words(0.99999), share_in_words(0.5), share_in_words(1e-9)
    ('100%', '>99.9%', '50.0%', '<0.1%')
    """
    if share is None:
        return ""
    if share in {0.0, 1.0}:
        return f"{share:.0%}"
    return (
        ">99.9%"
        if share > 0.999
        else "<0.1%"
        if share < 0.001
        else f"{100 * share:.1f}%"
    )


def away_in_words(away: int | None, n_units: int, least: str = "≥") -> str:
    """Return how many units it takes to flip an item: a lower number, unless it is 1.

    Examples
    --------
    >>> [away_in_words(away, 9) for away in (None, 1, 4, 9)]
    ['', '1', '≥ 4', 'never']
    """
    if away is None:
        return ""
    return "never" if away >= n_units else "1" if away == 1 else f"{least} {away:,}"


def ends_in_words(row: Mapping[str, Any], n_units: int) -> tuple[str, str]:
    """Return the end of an item's row: its share, and how many units it is away, at least.

    Examples
    --------
    >>> ends_in_words({"share": 0.8, "away": 4}, 9), ends_in_words({"share": None, "away": None}, 9)
    (('80.0%', '≥ 4'), ('', ''))
    """
    return share_in_words(row["share"]), away_in_words(row["away"], n_units)


def confidence_title(level: float) -> str:
    """Return the name of a column of ranks that nobody takes for one of stability."""
    return f"ranks, {percent(level)} confidence"


def percent(level: float) -> str:
    """Return a level of confidence in percent, with all its digits.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{round(100 * level, 9):.12g}%"


def size_in_words(size: int | None, log10_size: float | None) -> str:
    """Return how many items or rankings an answer holds; very many by their logarithm.

    Examples
    --------
    >>> size_in_words(1200, 3.08), size_in_words(None, 12.34), size_in_words(None, None)
    ('1,200', 'about 10^12.3', 'not counted')
    """
    if size is not None and size < EXACT_SIZES:
        return f"{size:,}"
    return "not counted" if log10_size is None else f"about 10^{log10_size:.1f}"


def eps_in_words(eps: float, *, given: bool = True) -> str:
    """Return an eps: one that was given so that it reads back, one that was chosen rounded up.

    Examples
    --------
    >>> eps_in_words(0.10101525), eps_in_words(0.10101525, given=False), eps_in_words(2.0)
    ('0.10101525', '0.1011', '2')
    """
    return repr(float(eps)).removesuffix(".0") if given else rounded_up(eps)


def rounded_up(value: float) -> str:
    """Return a number with four digits that is not smaller, for what must be reached.

    Examples
    --------
    >>> rounded_up(0.123416), rounded_up(0.5), rounded_up(4.80771e-17)
    ('0.1235', '0.5', '4.808e-17')
    """
    return _rounded(value, 4, ROUND_CEILING)


def rounded_down(value: float, digits: int = 4) -> str:
    """Return a number with so many digits that is not larger, for what is promised.

    Examples
    --------
    >>> rounded_down(0.99996, 3), rounded_down(1.0)
    ('0.999', '1')
    """
    return _rounded(value, digits, ROUND_FLOOR)


def _rounded(value: float, digits: int, way: str) -> str:
    return f"{float(Context(digits, way).create_decimal(Decimal(repr(float(value))))):.{digits}g}"


def as_markup(text: str) -> str:
    """Return text escaped for HTML and SVG; what would steer or reorder it is shown instead."""
    return escape(shown(text))


def html_of(title: str, columns: Mapping[str, Sequence[object]]) -> str:
    """Return a table of any values as small HTML: how things show themselves in a notebook."""
    told = {name: values[:ROWS] for name, values in columns.items()}
    kept = {
        name: values
        for name, values in told.items()
        if any(value is not None for value in values)
    }
    made = [column_of(name, values) for name, values in kept.items()]
    hidden = max(map(len, columns.values()), default=0) - ROWS
    return html_table(title, made, f"{hidden:,} more not shown." if hidden > 0 else "")


def html_table(title: str, columns: Sequence[Column], foot: str = "") -> str:
    """Return a small table, all of it escaped."""
    rows = [
        f"<tr>{''.join(row)}</tr>"
        for row in zip(*map(_html_cells, columns), strict=True)
    ]
    heads, body = "".join(rows[:1]), "".join(rows[1:])
    table = (
        f'<table style="margin:0"><thead>{heads}</thead><tbody>{body}</tbody></table>'
    )
    above = (
        f'<p style="max-width:50em;font-weight:bold">{as_markup(title)}</p>'
        if title
        else ""
    )
    below = f'<p style="max-width:50em">{as_markup(foot)}</p>' if foot else ""
    return f"<div>{above}{table if columns else ''}{below}</div>"


def _html_cells(column: Column) -> list[str]:
    style = f'style="text-align:{"left" if column.names else "right"};padding:2px 8px"'
    head, *cells = (
        as_markup(shortened(cell, LONGEST)) for cell in (column.title, *column.cells)
    )
    return [
        f"<th {style}>{head}</th>",
        *(f"<td {style}><bdi>{cell}</bdi></td>" for cell in cells),
    ]


def column_of(title: str, values: Sequence[object], need: int = 0) -> Column:
    """Return a column of any values as people read them, with names on the left."""
    numbers = all(isinstance(value, int | float) or value is None for value in values)
    return Column(title, readable(values), need, names=not numbers)


def readable(values: Sequence[object]) -> list[str]:
    """Return a column as people read it: numbers with the same decimals, nothing for None.

    Examples
    --------
    >>> readable([0.5, 1 / 3, None]), readable([1200, True, "x"])
    (['0.500', '0.333', ''], ['1,200', 'yes', 'x'])
    """
    floats = [value for value in values if isinstance(value, float)]
    smallest = min((abs(value) for value in floats if value), default=1.0)
    number = number_format(floats, min(4, max(2, 2 - floor(log10(smallest)))))
    told: list[str] = []
    for value in values:
        text = (
            ""
            if value is None
            else number(value)
            if isinstance(value, float)
            else str(value)
        )
        text = ("no", "yes")[value] if isinstance(value, bool) else text
        told.append(f"{value:,}" if type(value) is int else text)
    return told


def number_format(values: Sequence[float], fewest: int = 2) -> Callable[[float], str]:
    """Return how to write numbers so that different ones look different: with two to six decimals.

    What is as small as the rounding of the others, as a fit may leave of 0, is written as 0.
    """
    ways = (
        {f"{value:.{decimals}f}" for value in values} for decimals in range(fewest, 6)
    )
    different, rounding = len(set(values)), 1e-12 * max(map(abs, values), default=0.0)
    decimals = next(
        (fewest + place for place, texts in enumerate(ways) if len(texts) == different),
        6,
    )
    return lambda value: (
        f"{value:.6g}"
        if abs(value) > rounding and not 1e-6 < abs(value) < 1e9
        else f"{value:z.{decimals}f}"
    )

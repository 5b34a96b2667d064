"""Small words for sentences: plurals, standings and sizes, said the same way everywhere."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

RANK_STANDINGS = {"sure": "holds its rank", "contender": "moves"}
"""Where an item stands in a full ranking."""

EXACT_SIZES = 10**9
"""Sizes from here on are told by their logarithm."""


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
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
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


def share_in_words(share: float) -> str:
    """Return a share in percent; only all is 100% and only none is 0%.

    Examples
    --------
    >>> share_in_words(1.0), share_in_words(0.99999), share_in_words(0.5), share_in_words(1e-9)
    ('100%', '>99.9%', '50.0%', '<0.1%')
    """
    if share in {0.0, 1.0}:
        return f"{share:.0%}"
    return ">99.9%" if share > 0.999 else "<0.1%" if share < 0.001 else f"{100 * share:.1f}%"


def away_in_words(away: int | None, n_units: int, least: str = "≥") -> str:
    """Return how many units an item is away from crossing a border: a lower number, unless it is 1.

    Examples
    --------
    >>> [away_in_words(away, 9) for away in (None, 1, 4, 9)]
    ['', '1', '≥ 4', 'all']
    """
    if away is None:
        return ""
    return "all" if away >= n_units else "1" if away == 1 else f"{least} {away:,}"


def confidence_title(level: float) -> str:
    """Return the name of a column of ranks that nobody takes for one of stability."""
    return f"ranks, {percent(level)} confidence"


def percent(level: float) -> str:
    """Return a level of confidence in percent, with all its digits.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{round(100 * level, 9):.12g} %"


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


def rounded_up(value: float, digits: int = 4) -> str:
    """Return a number with so many digits that is not smaller, for what must be reached.

    Examples
    --------
    >>> rounded_up(0.123416), rounded_up(0.5), rounded_up(4.80771e-17)
    ('0.1235', '0.5', '4.808e-17')
    """
    return _rounded(value, digits, ROUND_CEILING)


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

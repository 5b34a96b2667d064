"""Small words for sentences: plurals, standings and sizes, said the same way everywhere."""

from __future__ import annotations

STANDINGS = {"certain": "surely in", "contender": "contender", "out": "out"}
"""Where an item stands in a top-k."""

RANK_STANDINGS = {"certain": "fixed", "contender": "may move"}
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


def ranks_in_words(best: int, worst: int, dash: str = "–") -> str:
    """Return the ranks that an item may have.

    Examples
    --------
    >>> ranks_in_words(2, 2), ranks_in_words(2, 5, "-")
    ('2', '2-5')
    """
    return f"{best:,}" if best == worst else f"{best:,}{dash}{worst:,}"


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

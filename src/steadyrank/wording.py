"""Small words for sentences: plurals of whatever a unit is called."""

from __future__ import annotations


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

"""Columns that could be the unit and were not asked for: judges, prompts, sessions, regions...

An answer depends on what leaves together more than on anything else, so what a table offers is
remembered. A column is offered for its name, and only if the very same table could be read with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from steadyrank.errors import InvalidDataError
from steadyrank.reading.labels import encode
from steadyrank.reading.roles import Resolved, taken_by
from steadyrank.reading.words import known, words_of

Candidates = tuple[tuple[str, int], ...]
"""Columns that could be the unit, each with the number of its values."""


def sounds_like_a_unit(name: str) -> bool:
    """Tell whether a column is called what units are often called.

    Examples
    --------
    >>> [sounds_like_a_unit(name) for name in ("judge", "Worker_ID", "promptId", "question_hash")]
    [True, True, True, True]
    >>> [sounds_like_a_unit(name) for name in ("user_rating", "grid", "question 1", "id")]
    [False, False, False, True]
    """
    words = words_of(name)
    is_id = words[-1:] and words[-1] in known("ids")
    while words and words[-1] in known("ids", "names_and_numbers"):
        words.pop()
    return bool(is_id or (words and words[-1].removesuffix("s") in known("units")))


def names_for_the_unit(found: Resolved) -> list[str]:
    """Return the columns that are called like units, where the table has none and could have one."""
    if (
        "unit" not in found.form.roles
        or "unit" in found.columns
        or found.settings.get("items_in") == "rows"
    ):
        return []
    taken = taken_by({role: names for role, names in found.columns.items() if role != "row"})
    return [name for name in found.table.names if name not in taken and sounds_like_a_unit(name)]


def what_is_whole(found: Resolved) -> str | None:
    """Return the role whose equal values must be in one unit, where a row is only a part of a unit."""
    return next((role for role in ("row", "user") if role in found.form.needs), None)


def number_of_units(labels: Any, rows: Any, size: int) -> int:
    """Return how many units these labels would make; 0 if they cannot be the unit.

    None may be missing, and there must be several, but fewer than rows.

    Parameters
    ----------
    labels : array, series or iterable
        What each entry says of its unit.
    rows : array, series or iterable, or None
        The row, or user, of each entry, where several may make one: they must agree.
    size : int
        The number of entries.
    """
    try:
        codes, distinct = encode(labels, what="units")
        if rows is not None:
            row_codes, names = encode(rows, what="rows")
            size = len(names)
            if len(np.unique(row_codes.astype(np.int64) * len(distinct) + codes)) > size:
                return 0
    except InvalidDataError:
        return 0
    alike = {type(label) for label in distinct} in ({int}, {str})
    return len(distinct) if alike and 1 < len(distinct) < size else 0


def unit_candidates(found: Resolved) -> Candidates:
    """Return the columns of a table in memory that could be the unit, in order."""
    names = names_for_the_unit(found)
    whole = what_is_whole(found)
    rows = found.values(whole) if names and whole else None
    columns = {name: found.table.columns[name].coded() for name in names}
    offered = ((name, number_of_units(column, rows, len(column))) for name, column in columns.items())
    return tuple((name, number) for name, number in offered if number)

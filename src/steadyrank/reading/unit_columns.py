"""Columns that could be the unit and were not asked for: judges, prompts, sessions, regions...

An answer depends on what leaves together more than on anything else, so what a table offers is
remembered. A column is offered for its name, and only if the very same table could be read with it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import InvalidDataError
from steadyrank.reading.labels import encode

if TYPE_CHECKING:
    from steadyrank.reading.roles import Resolved

Candidates = tuple[tuple[str, int], ...]
"""Columns that could be the unit, each with the number of its values."""

KNOWN = {
    "annotator", "assessor", "batch", "category", "city", "coder", "conversation", "country", "county",
    "customer", "dataset", "day", "district", "document", "domain", "evaluator", "event", "expert",
    "grader", "group", "household", "judge", "labeler", "labeller", "language", "member", "month",
    "participant", "patient", "person", "poll", "precinct", "problem", "prompt", "query", "question",
    "rater", "region", "respondent", "reviewer", "round", "school", "season", "session", "site", "state",
    "student", "subject", "survey", "task", "thread", "topic", "tournament", "tourney", "user", "voter",
    "week", "worker", "year",
}  # fmt: skip
"""What a unit is often called, in the singular."""

IDS = {"hash", "id", "uid", "uuid"}
"""Last words that tell by themselves that equal values belong together."""

NUMBERS = {*IDS, "code", "key", "name", "no", "nr", "number"}
"""Last words of something that is called by a number or a name."""

WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


def sounds_like_a_unit(name: str) -> bool:
    """Tell whether a column is called what units are often called.

    Examples
    --------
    >>> [sounds_like_a_unit(name) for name in ("judge", "Worker_ID", "promptId", "question_hash")]
    [True, True, True, True]
    >>> [sounds_like_a_unit(name) for name in ("user_rating", "grid", "question 1", "id")]
    [False, False, False, True]
    """
    words = [word.lower() for word in WORD.findall(name)]
    known = words[-1:] and words[-1] in IDS
    while words and words[-1] in NUMBERS:
        words.pop()
    return bool(known or (words and words[-1].removesuffix("s") in KNOWN))


def names_for_the_unit(found: Resolved) -> list[str]:
    """Return the columns that are called like units, where the table has none and could have one."""
    if "unit" not in found.form.roles or "unit" in found.columns:
        return []
    taken = {name for role, name in found.columns.items() if role != "row" and isinstance(name, str)}
    taken |= {
        name for several in found.columns.values() if isinstance(several, list) for name in several
    }
    return [name for name in found.table.names if name not in taken and sounds_like_a_unit(name)]


def could_be_the_unit(values: Any, rows: int) -> int:
    """Return how many units these labels would make of so many rows; 0 if they cannot.

    There must be some to leave and some to stay, fewer than rows, and none may be missing.
    """
    try:
        _, labels = encode(values, what="units")
    except InvalidDataError:
        return 0
    alike = {type(label) for label in labels} in ({int}, {str})
    return len(labels) if alike and 1 < len(labels) < rows else 0


def unit_candidates(found: Resolved) -> Candidates:
    """Return the columns of a table in memory that could be the unit, in order."""
    values = {name: found.table.columns[name].coded() for name in names_for_the_unit(found)}
    if not values or "row" not in found.form.needs:
        counted = {name: could_be_the_unit(column, len(column)) for name, column in values.items()}
        return tuple((name, number) for name, number in counted.items() if number)
    # Several entries make a row: all of them must name the same unit.
    rows, _ = encode(found.values("row"), what="rows")
    offered = []
    for name, column in values.items():
        number = could_be_the_unit(column, int(rows.max(initial=-1)) + 1)
        if number:
            pairs = rows.astype(np.int64) * number + encode(column)[0]
            if len(np.unique(pairs)) == rows.max() + 1:
                offered.append((name, number))
    return tuple(offered)

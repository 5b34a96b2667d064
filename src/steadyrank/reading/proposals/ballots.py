"""Ballots: an order in a cell, a column for each choice, or one row per entry."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from steadyrank._typing import BoolArray
from steadyrank.labels import marks_between, parted
from steadyrank.reading.profile import Column, Profile
from steadyrank.reading.proposals.long import places
from steadyrank.reading.proposals.votes import counted_or_not
from steadyrank.reading.proposals.wide import are_ranks
from steadyrank.reading.readings import EXACT, NOTHING, Asked, Reading, quoted
from steadyrank.reading.table import simplify
from steadyrank.reading.text_columns import ORDINALS, number_in
from steadyrank.reading.words import known

CHOICES = re.compile("choice|preference|pref|rank|pick|priority|vote")
ORDINAL = re.compile(rf"\d{{1,2}}(st|nd|rd|th)|{'|'.join(ORDINALS)}")
MARKS = re.compile(r"[>{,;|\n]")
"""What stands between names in a cell."""
SEVERAL, SOME = 0.3, 200
"""The share of cells that list several names, and of how many."""
LONGEST = 80
"""How many letters a name within an order has at most."""
LONGEST_NO_VOTE = 20
FIRST = 4
"""Before the choices, so many columns may say who made them."""
MANY = 100
"""Among so many ballots the same names come again."""
SHORT = 5
"""In so few ballots names need not come again."""
TWICE = 0.1
"""The largest share of ballots, or of their entries, that may name an item twice."""
ALIKE = 0.5
"""The least share of its names that each column of choices has in common with the others."""


def ballots(asked: Asked) -> Iterator[Reading]:
    """Propose ballots in each form."""
    yield from places(asked)
    yield from _choices(asked)
    yield from _ranked(asked)
    yield from _orders(asked)


def _orders(asked: Asked) -> Iterator[Reading]:
    """Propose a column that holds whole orders, or lists of what was approved."""
    if not asked.allows("ballot", "count"):
        return
    free = [c for c in asked.profile if c.name not in asked.apart]
    free = [c for c in free if asked.named.get("ballot", c.name) == c.name]
    called = asked.candidates("ballot", lambda _: True)
    form = _is_form(asked.profile)
    by_shape = {
        c.name: found for c in free if (found := _parted(c, TWICE * form)) is not None
    }
    only = [c.name for c in free if len(free) == 1]
    words = [c.name for c in asked.profile if c.type == "text"]
    for name in dict.fromkeys([*called, *by_shape, *only]):
        column, level = asked.profile[name], asked.level("ballot", name)
        mark = by_shape.get(name, "")
        lists, ordered = column.type == "list", mark == ">"
        listed = _listed(column.labels if lists or mark else [], mark or ",")
        again = (
            {}
            if all(len({*one}) == len(one) for one in listed)
            else {"repeats": "skip"}
        )
        texts = column.labels[:SOME] if column.type in {"text", "date"} else []
        several = [MARKS.search(label) is not None for label in texts] or [lists]
        marked = sum(several) / len(several)
        beside = asked.beside(("count", "weights"), [name]).items()
        fit = {
            role: one for role, one in beside if role in asked.named or one not in words
        }
        reading = asked.reading({"ballot": name, **fit})
        reading.firm = level > NOTHING or name in only
        reading.points = (
            2.0 * level + 4 * ordered + 2 * (marked > 0.2) - 2 - 5 * column.is_number
        )
        alone = lists or (marked > 0 and not asked.unexplained(reading.roles.values()))
        reading.strong = ordered or (level >= EXACT and alone)
        reading.support += [f"{quoted(name)} is named like a ballot"] * bool(level)
        reading.support += [f"{quoted(name)} holds several names in a cell"] * bool(
            marked
        )
        if lists:
            reading.points += 2.0 * (name in by_shape)
            reading.mend |= again
        elif mark and not ordered and not level and "approval" not in asked.settings:
            liked = not {*column.words}.isdisjoint(known("liked")) or bool(
                CHOICES.search(column.simple)
            )
            reading.strong, reading.mend = False, {"drop": [""], **again}
            reading.points = 0.25 + 2.25 * liked + 4 * form  # else perhaps genres
            reading.options = {**reading.options, "approval": True}
        if level or lists or marked > 0.5 or mark or "approval" in asked.settings:
            yield from counted_or_not(asked, reading)


def _parted(column: Column, twice: float) -> str | None:
    """Return what parts the names that cells list; None where they list none.

    Several cells list several names, which are short and come again in other cells, and at most a share
    of them twice in one.
    """
    written = column.type == "list"  # with texts in quotes
    if column.type not in {"text", "list"}:
        return None
    labels = column.labels[:SOME]
    ordered = not written and 2 * sum(">" in label for label in labels) > len(labels)
    marks = ">" if ordered else "," if written else marks_between(labels)
    lists = _listed(labels, marks)
    names = [name for one in lists for name in one if name]
    if not written and 2 * sum(
        number_in(name) is not None for name in names[:SOME]
    ) > len(names[:SOME]):
        return None  # measurements
    several = sum(len(one) > 1 for one in lists) > SEVERAL * len(lists) > 0
    again = 3 * len({*names}) <= 2 * len(names) or (ordered and len(lists) <= SHORT)
    if (
        not several
        or not again
        or max(map(len, names)) > LONGEST
        or any("<" in n for n in names)
    ):
        return None
    seldom = sum(len({*one}) for one in lists) >= (1 - twice) * sum(map(len, lists))
    named = 2 * sum(n[0] in "'\"" for n in names) > len(names) if written else seldom
    return marks if named or ordered else None


def _is_form(profile: Profile) -> bool:
    """Tell whether each row holds the answers of somebody to a form: it begins with when they came."""
    times = [
        c
        for c in itertools.islice(profile, 1)
        if c.type == "date" and ":" in c.labels[0]
    ]
    return any(10 * c.distinct > 9 * profile.rows for c in times)


def _listed(labels: Sequence[str], marks: str) -> list[list[str]]:
    return [[name.strip(" []") for name in parted(label, marks)] for label in labels]


def _choices(asked: Asked) -> Iterator[Reading]:
    """Propose a column for each choice: one set of names, and nobody named twice."""
    if not asked.allows("ranks", "count"):
        return
    profile = asked.profile
    said = asked.named.get("ranks")
    series = [said] if said else [*profile.series, *_neighbours(profile)]
    distinct = {frozenset(names): names for names in reversed(series)}
    weighed = [_weighed(asked, names) for names in reversed(distinct.values())]
    weighed = [one for one in weighed if one.points > 0]
    for reading in sorted(weighed, key=lambda one: -one.points)[:2]:
        reading.strong &= sum(one.firm for one in weighed) == 1
        yield from counted_or_not(asked, reading)


def _ranked(asked: Asked) -> Iterator[Reading]:
    """Propose a column for each item that holds its rank, some blank; full ones are scores, too."""
    if not asked.allows("ranked", "count"):
        return
    profile, names = asked.profile, asked.named.get("ranked", [])
    if not names:
        free = [c for c in profile if c.is_number and c.name not in asked.apart]
        free = [c for c in free if not (c.is_id or c.is_time)]
        gaps = any(c.blanks or c.odd_words for c in free)
        names = [c.name for c in free] if gaps else []
    if "ranked" in asked.named or (names and are_ranks(profile, names, "columns")):
        reading = asked.reading(
            {"ranked": names, **asked.beside(("count", "weights"), names)}
        )
        reading.weigh(True, 5, "ranks: 1 is best, and what is blank was not ranked")
        reading.firm = "ranked" in asked.named
        if np.isnan([profile[name].numbers for name in names]).all(axis=0).any():
            reading.mend["drop"] = [""]
        yield reading


def _neighbours(profile: Profile) -> list[list[str]]:
    """Return three or more columns of text side by side that share one set of names."""
    apart = itertools.groupby(profile, lambda column: column.type == "text")
    runs = [[c.name for c in run] for text, run in apart if text]
    shorter = (run[start:] for run in runs for start in range(min(FIRST, len(run) - 2)))
    linked = (
        run
        for run in shorter
        if all(profile.shared(*two) for two in pairwise(run[:12]))
    )
    return [run for run in linked if _alike(profile, run)][:1]


def _weighed(asked: Asked, names: Sequence[str]) -> Reading:
    profile = asked.profile
    reading = asked.reading(
        {"ranks": list(names), **asked.beside(("count", "weights"), names)}
    )
    columns = [profile[name] for name in names]
    bare = len(names) > 2 and all(column.simple.isdecimal() for column in columns)
    ordinal = all(ORDINAL.fullmatch(column.simple) for column in columns)
    called = ordinal or CHOICES.search(columns[0].simple) is not None
    said = "ranks" in asked.named
    texts = all(column.type in {"text", "empty", "flag"} for column in columns)
    alike = (
        (called or said or len(names) > 2)
        and texts
        and _alike(profile, names, bare=bare)
    )
    reading.weigh(said, 6)
    reading.weigh(called, 2, f"{quoted(*names)} are called first, second... choice")
    reading.weigh(
        alike, 3, "these columns share one set of names, none twice on a ballot"
    )
    choice = f"({CHOICES.pattern})"
    plain = ordinal or re.fullmatch(
        f"{choice}(1|first)|(1st|first|1){choice}", columns[0].simple
    )
    named = said or (plain and _seldom_twice(profile, names))
    reading.weigh(
        not texts and not said, 0 if named else -9, f"{quoted(names[0])} holds numbers"
    )
    if (
        reading.points > 0
        and not np.any([_names(profile, name) for name in names], axis=0).all()
    ):
        reading.mend["drop"] = [""]
    reading.firm = called or said
    fits = (alike or profile.rows <= 20) and bool(texts or plain)
    reading.strong = called and not reading.mend and fits
    return reading


def _alike(profile: Profile, names: Sequence[str], *, bare: bool = False) -> bool:
    """Tell whether columns hold one set of names, and seldom one twice in a row.

    Where they are called 1, 2, 3... it is enough that names come again in any of them.
    """
    some = [name for name in names[:12] if profile[name].distinct > 1]
    if profile.rows > MANY and any(
        2 * profile[name].distinct > profile.rows for name in some
    ):
        held = sum(profile[name].present for name in some)
        if (
            not bare
            or 2 * len(frozenset().union(*(profile[name].values for name in some)))
            > held
        ):
            return False  # what hardly comes again is no choice
    every = [{v for v in profile[name].values if not _is_no_vote(v)} for name in some]
    times = Counter(name for one in every for name in one)
    again = (sum(times[name] > 1 for name in one) >= ALIKE * len(one) for one in every)
    return len(some) > 1 and _seldom_twice(profile, some) and all(again)


def _seldom_twice(profile: Profile, names: Sequence[str]) -> bool:
    """Tell whether hardly a ballot names an item twice."""
    again = (
        (profile.same(*two) & _names(profile, two[0])) for two in pairwise(names[:12])
    )
    return all(both.sum() <= TWICE * max(1, profile.rows) for both in again)


def _names(profile: Profile, name: str) -> BoolArray:
    """Mark the rows in which a column names somebody."""
    column = profile[name]
    return np.array([*(not _is_no_vote(label) for label in column.labels), False])[
        column.codes
    ]


def _is_no_vote(label: str) -> bool:
    return len(label) <= LONGEST_NO_VOTE and simplify(label) in known("no_vote")

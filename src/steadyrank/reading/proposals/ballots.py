"""Ballots: an order in a cell, a column for each choice, or one row per entry."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.reading.labels import marks_between, parted
from steadyrank.reading.profile import Column, Profile
from steadyrank.reading.proposals.long import NAMES, places
from steadyrank.reading.proposals.votes import counted_or_not
from steadyrank.reading.readings import EXACT, NOTHING, Asked, Reading, quoted
from steadyrank.reading.table import simplify
from steadyrank.reading.words import known

CHOICES = re.compile("choice|preference|pref|rank|pick|priority|vote")
MARKS = re.compile(r"[>{,;|\n]")
"""What stands between names in a cell."""
SEVERAL, TURNED, SOME = 0.3, 0.2, 200
"""The share of cells that list several names, that of pairs of names in both orders, and of how many."""
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

LEAST = 3
"""The fewest columns that are ballots, or items."""
MOST_COLUMNS, MOST_CELLS = 500, 300_000
RANKED = 0.85
"""The share of ballots that must hold places for cells to be ranks."""
AGAIN = 0.5
"""The largest share of names that may be new in a cell."""
NEARLY = 0.98
"""The share of items that must be named once for a column to give each one place."""
POINTS = {"ballots": 7.0, "scores": 6.0, "votes": 3.0}
"""What cells that become rows are worth."""


def ballots(asked: Asked) -> Iterator[Reading]:
    """Propose ballots in each form."""
    yield from places(asked)
    yield from _choices(asked)
    yield from _orders(asked)


def _orders(asked: Asked) -> Iterator[Reading]:
    """Propose a column that holds whole orders, or lists of what was approved."""
    if not asked.allows("ballot", "count"):
        return
    free = [c for c in asked.profile if c.name not in asked.apart]
    free = [c for c in free if asked.named.get("ballot", c.name) == c.name]
    called = asked.candidates("ballot", lambda _: True)
    form = _is_form(asked.profile)
    by_shape = {c.name: found for c in free if (found := _parted(c, TWICE * form)) is not None}
    only = [c.name for c in free if len(free) == 1]
    words = [c.name for c in asked.profile if c.type == "text"]
    for name in dict.fromkeys([*called, *by_shape, *only]):
        column, level = asked.profile[name], asked.level("ballot", name)
        mark, turned = by_shape.get(name, ("", False))
        lists, ordered = column.type == "list", mark == ">"
        listed = _listed(column.labels if lists or mark else [], mark or ",")
        again = {} if all(len({*one}) == len(one) for one in listed) else {"repeats": "skip"}
        texts = column.labels[:SOME] if column.type in {"text", "date"} else []
        several = [MARKS.search(label) is not None for label in texts] or [lists]
        marked = sum(several) / len(several)
        beside = asked.beside(("count", "weights"), [name]).items()
        fit = {role: one for role, one in beside if role in asked.named or one not in words}
        reading = asked.reading({"ballot": name, **fit})
        reading.firm = level > NOTHING or name in only
        reading.points = 2.0 * level + 4 * ordered + 2 * (marked > 0.2) - 2 - 5 * column.is_number
        alone = lists or (marked > 0 and not asked.unexplained(reading.roles.values()))
        reading.strong = ordered or (level >= EXACT and alone)
        reading.support += [f"{quoted(name)} is named like a ballot"] * bool(level)
        reading.support += [f"{quoted(name)} holds several names in a cell"] * bool(marked)
        if lists:
            reading.points += 2.0 * (name in by_shape)
            reading.mend |= again
        elif mark and not ordered and not level and "approval" not in asked.settings:
            liked = not {*column.words}.isdisjoint(known("liked")) or bool(CHOICES.search(column.simple))
            reading.strong, reading.mend = False, {"drop": [""], **again}
            reading.points = 0.25 + 2.25 * liked + 4 * form  # else perhaps genres
            if turned:
                ranked = replace(reading, points=reading.points + 0.5)
                ranked.support = [*reading.support, "names stand in more than one order"]
                yield from counted_or_not(asked, ranked)
            reading.options = {**reading.options, "approval": True}
        if level or lists or marked > 0.5 or mark or "approval" in asked.settings:
            yield from counted_or_not(asked, reading)


def _parted(column: Column, twice: float) -> tuple[str, bool] | None:
    """Return what parts the names that cells list, and whether these stand in more than one order.

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
    several = sum(len(one) > 1 for one in lists) > SEVERAL * len(lists) > 0
    again = 3 * len({*names}) <= 2 * len(names) or (ordered and len(lists) <= SHORT)
    if not several or not again or max(map(len, names)) > LONGEST or any("<" in n for n in names):
        return None
    seldom = sum(len({*one}) for one in lists) >= (1 - twice) * sum(map(len, lists))
    named = 2 * sum(n[0] in "'\"" for n in names) > len(names) if written else seldom
    before = {pair for one in lists for pair in itertools.combinations(one, 2)}
    turned = sum((two, one) in before for one, two in before) > TURNED * len(before)
    return (marks, turned) if named or ordered else None


def _is_form(profile: Profile) -> bool:
    """Tell whether each row holds the answers of somebody to a form: it begins with when they came."""
    times = [c for c in itertools.islice(profile, 1) if c.type == "date" and ":" in c.labels[0]]
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


def _neighbours(profile: Profile) -> list[list[str]]:
    """Return three or more columns of text side by side that share one set of names."""
    apart = itertools.groupby(profile, lambda column: column.type == "text")
    runs = [[c.name for c in run] for text, run in apart if text]
    shorter = (run[start:] for run in runs for start in range(min(FIRST, len(run) - 2)))
    linked = (run for run in shorter if all(profile.shared(*two) for two in pairwise(run[:12])))
    return [run for run in linked if _alike(profile, run)][:1]


def _weighed(asked: Asked, names: Sequence[str]) -> Reading:
    profile = asked.profile
    reading = asked.reading({"ranks": list(names), **asked.beside(("count", "weights"), names)})
    columns = [profile[name] for name in names]
    bare = len(names) > 2 and all(column.simple.isdecimal() for column in columns)
    called = CHOICES.search(columns[0].simple) is not None
    said = "ranks" in asked.named
    texts = all(column.type in {"text", "empty", "flag"} for column in columns)
    alike = (called or said or len(names) > 2) and texts and _alike(profile, names, bare=bare)
    reading.weigh(said, 6)
    reading.weigh(called, 2, f"{quoted(*names)} are called first, second... choice")
    reading.weigh(alike, 3, "these columns share one set of names, none twice on a ballot")
    choice = f"({CHOICES.pattern})"
    plain = re.fullmatch(f"{choice}(1|first)|(1st|first|1){choice}", columns[0].simple)
    named = said or (plain and _seldom_twice(profile, names))
    reading.weigh(not texts and not said, 0 if named else -9, f"{quoted(names[0])} holds numbers")
    if reading.points > 0 and not np.any([_names(profile, name) for name in names], axis=0).all():
        reading.mend["drop"] = [""]
    reading.firm = called or said
    fits = (alike or profile.rows <= 20) and (texts or plain is not None)
    reading.strong = called and not reading.mend and fits
    return reading


def _alike(profile: Profile, names: Sequence[str], *, bare: bool = False) -> bool:
    """Tell whether columns hold one set of names, and seldom one twice in a row.

    Where they are called 1, 2, 3... it is enough that names come again in any of them.
    """
    some = [name for name in names[:12] if profile[name].distinct > 1]
    if profile.rows > MANY and any(2 * profile[name].distinct > profile.rows for name in some):
        held = sum(profile[name].present for name in some)
        if not bare or 2 * len(frozenset().union(*(profile[name].values for name in some))) > held:
            return False  # what hardly comes again is no choice
    every = [{v for v in profile[name].values if not _is_no_vote(v)} for name in some]
    times = Counter(name for one in every for name in one)
    again = (sum(times[name] > 1 for name in one) >= ALIKE * len(one) for one in every)
    return len(some) > 1 and _seldom_twice(profile, some) and all(again)


def _seldom_twice(profile: Profile, names: Sequence[str]) -> bool:
    """Tell whether hardly a ballot names an item twice."""
    again = ((profile.same(*two) & _names(profile, two[0])) for two in pairwise(names[:12]))
    return all(both.sum() <= TWICE * max(1, profile.rows) for both in again)


def _names(profile: Profile, name: str) -> BoolArray:
    """Mark the rows in which a column names somebody."""
    column = profile[name]
    return np.array([*(not _is_no_vote(label) for label in column.labels), False])[column.codes]


def _is_no_vote(label: str) -> bool:
    return len(label) <= LONGEST_NO_VOTE and simplify(label) in known("no_vote")


class Way(NamedTuple):
    """A way to read the cells of some columns, which still have to be unpivoted."""

    columns: list[str]
    kind: str
    roles: dict[str, str]
    options: dict[str, Any]
    why: str


def ways(profile: Profile) -> Iterator[Way]:
    """Yield what cells may be: ranks of items in rows or in columns, or names in the order of rows."""
    if len(profile.columns) > MOST_COLUMNS or profile.share * MOST_CELLS < profile.rows * LEAST:
        return
    columns = [c for c in profile if not (c.counts_rows or c.is_time or c.type == "list")]
    whole = [c for c in columns if c.whole and c.some.min(initial=1) >= 1]
    whole = [c for c in whole if not {*c.words[:1], c.noun} & {*known("facts_of_items")}]
    texts = [c for c in columns if c.type == "text"]
    if len(whole) >= LEAST:
        yield from _ranks(profile, [c.name for c in whole], texts)
    asked = _questions(c for c in columns if c.is_number)
    for names in asked or [[c.name for c in whole]]:
        yield from _by_voters(profile, names, len(asked))
    yield from _crosses([c for c in columns if c.distinct == 1])
    for those in (texts, whole if not texts else []):
        if names := _lists(profile, those):
            order = next((c.name for c in profile if _counts(c) and c.name not in names), "row")
            roles = {"user": "column", "item": "value", "rank": order}
            told = f"{quoted(*names)} each list names, hardly one twice: a ballot for each"
            again = any(profile[name].repeats for name in names)
            yield Way(names, "ballots", roles, {"repeats": "skip"} if again else {}, told)


def _crosses(columns: Sequence[Column]) -> Iterator[Way]:
    """Yield the marks of those who were chosen: a cross in their column, or their name."""
    marks = {c.labels[0] for c in columns if c.blanks}
    names = [c.name for c in columns if c.blanks or marks == {c.labels[0]}]
    often = sum(10 * c.blanks >= len(c.codes) for c in columns)
    if 2 * often > len(names) >= LEAST and len(marks) in {1, len(names)}:
        what = "column" if len(marks) == 1 else "value"
        told = f"{quoted(*names)} are marked with {quoted(*sorted(marks))}, or blank"
        yield Way(names, "votes", {"choice": what, "unit": "row"}, {}, told)


def _ranks(profile: Profile, names: list[str], texts: Sequence[Column]) -> Iterator[Way]:
    matrix = np.column_stack([profile[name].numbers for name in names])
    labels = sorted(texts, key=lambda c: (10 * c.distinct < 9 * max(t.distinct for t in texts),
                                          c.simple not in NAMES, -c.distinct))  # fmt: skip
    gaps = bool(np.isnan(matrix).any())
    for label in labels[:1]:
        repeats = label.distinct < NEARLY * label.present
        others = [c.name for c in profile if c.name not in {label.name, *names} and _groups(profile, c)]
        groups = profile.joint(others) if repeats else np.zeros(profile.rows, dtype=np.int64)
        ranked = [name for name in names if _hold_places(profile[name].numbers, groups)]
        if len(ranked) >= LEAST and 2 * len(ranked) > len(names) and (gaps or repeats):
            told = f"{quoted(*ranked)} each give places to {quoted(label.name)}: 1 is best"
            if not repeats:
                roles = {"user": "column", "item": label.name, "rank": "value"}
                yield Way(ranked, "ballots", roles, {}, told)
            roles = {"row": "column", "item": label.name, "score": "value"}
            means = {"lower_is_better": "all", "missing": "available"}
            means |= {"duplicates": "mean"} if repeats else {}
            yield Way(ranked, "scores", roles, means, told)


def _questions(columns: Iterable[Column]) -> list[list[str]]:
    """Return the columns of each question of a form: their names end with an answer in brackets."""
    named = (str(c.name) for c in columns)
    runs = itertools.groupby(named, lambda name: name.endswith("]") and name.rpartition("[")[0])
    return [names for asked, run in runs if asked and len(names := [*run]) >= LEAST]


def _by_voters(profile: Profile, names: list[str], asked: int) -> Iterator[Way]:
    """Yield cells as places that somebody gives in a row, or as answers to one of several questions."""
    matrix = np.array([profile[name].numbers for name in names]).T
    held = np.isfinite(matrix)
    rows, gaps = matrix[held.sum(axis=-1) > 1], not held.all()
    users = [c.name for c in profile if c.unique and c.name not in names and not c.blanks]
    user = users[0] if users else "row"
    if len(names) < LEAST or len(rows) <= LEAST:
        return
    if (gaps or asked) and np.mean([_are_places(row) for row in rows[:1000]]) >= RANKED:
        roles = {"user": user, "item": "column", "rank": "value"}
        yield Way(names, "ballots", roles, {}, "the numbers of each row are places: 1 is best")
    elif asked > 1:
        roles = {"row": user, "item": "column", "score": "value"}
        means = {"missing": "available"} if gaps else {}
        yield Way(names, "scores", roles, means, f"{quoted(*names)} are one question of several")


def _groups(profile: Profile, column: Column) -> bool:
    return (column.type == "text" or column.is_time) and 4 * column.distinct < profile.rows


def _hold_places(numbers: FloatArray, groups: IntArray) -> bool:
    there = np.isfinite(numbers)
    parts = [numbers[there & (groups == group)] for group in np.unique(groups[there])[:50]]
    several = [part for part in parts if len(part) > 1]
    return bool(several) and float(np.mean([_are_places(part) for part in several])) >= RANKED


def _are_places(numbers: FloatArray) -> bool:
    """Tell whether numbers are places, of which some may be left out: from 1 on, hardly one twice."""
    some = np.sort(numbers[np.isfinite(numbers)])
    few = len(np.unique(some)) >= 0.9 * len(some)
    return bool(few and some[0] <= LEAST and some[-1] <= 2 * len(some))


def _lists(profile: Profile, columns: Sequence[Column]) -> list[str]:
    """Return the columns that each list names of one set, hardly one twice."""
    once = [c for c in columns if c.present - (TWICE * c.present >= 1) <= c.distinct > 2]
    held = sum(c.present for c in once)
    every = frozenset().union(*(c.values for c in once))
    some = [c for c in once if 2 * c.present > profile.rows]
    return [c.name for c in some] if len(some) >= LEAST and len(every) <= AGAIN * held else []


def _counts(column: Column) -> bool:
    return column.whole and np.array_equal(column.numbers, np.arange(1, len(column.numbers) + 1))

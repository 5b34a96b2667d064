"""Wide tables of scores: what the rows are called, which columns hold scores, and where the items are.

Leaderboards put a model on each row and a benchmark in each column; tables of experiments put a task on
each row and a method in each column. A table looks the same both ways, and the two answers have nothing
in common: both are proposed, and names decide between them or nothing does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from steadyrank.errors import Option, listing, shorten
from steadyrank.reading.profile import SCALE, Column, Profile
from steadyrank.reading.proposals.long import MEASURES
from steadyrank.reading.readings import SAID, Asked, Reading, quoted
from steadyrank.reading.scales import less_is_better
from steadyrank.reading.table import Guess, simplify
from steadyrank.reading.unit_columns import sounds_like_a_unit
from steadyrank.reading.words import known, pattern, words_of
from steadyrank.text import counted

COUNTING = re.compile(r"[A-Za-z_#-]{0,12}[ _-]?\d+\Z")
"""Names that only count: q17, task_3, 42."""
LOOKED_AT = 1000
"""How many names and columns are looked at."""
LEAST = 3
"""The fewest columns of scores that are taken as such without being named."""
PERMUTED = 0.85
"""The share of rows (or columns) of the numbers 1, 2, 3... from which on a table holds ranks."""
WAYS = {
    "rows": "a row for each item, a column for each task",
    "columns": "a column for each item, a row for each task",
}
"""The orientations of a wide table."""


def wide(asked: Asked) -> Iterator[Reading]:
    """Propose a table of scores both ways round."""
    if {"score"} & asked.named.keys() or not asked.allows("items", "row", "item"):
        return
    way = asked.settings.get("items_in")
    if way is None and ("row" in asked.named or "items" in asked.named):
        way = "columns"  # who names the rows, or the columns as items, says so
    label = _label(asked)
    if label is not None and "item" in asked.named and way != "rows":
        return
    for one in ("rows", "columns") if way is None else (way,):
        if one == "columns" or label is not None:
            values, left_out = score_columns(asked, label, one)
            yield from _weighed(asked, one, label, values, left_out)
            block = _block(asked, values) if one == "columns" or label is not None else []
            if LEAST <= len(block) < len(values):
                rest = [name for name in values if name not in block]
                for reading in _weighed(asked, one, label, block, []):
                    reading.against.append(f"{quoted(*rest)} would not be used")
                    reading.implied, reading.firm, reading.strong = frozenset(), False, False
                    reading.points -= 0.5
                    yield reading


def _label(asked: Asked) -> str | None:
    """Return the column that names the rows: as said, one called so, the first text, or one of ids."""
    named = asked.named.get("row") or asked.named.get("item")
    if named is not None:
        return str(named)
    free = [
        c
        for c in asked.profile
        if c.name not in asked.apart and c.name not in asked.named.get("items", ())
    ]
    if "items" in asked.named:
        first = free[0] if free else None
        return first.name if first is not None and not first.is_number else None
    texts = [c for c in free if not c.is_number and c.type not in {"list", "empty"}]
    called = (c.name for c in texts if asked.level("item", c.name) or asked.level("row", c.name))
    ids = (c.name for c in free if c.is_id and c.is_number)
    return next(called, None) or next((c.name for c in texts), None) or next(ids, None)


def score_columns(asked: Asked, label: str | None, way: str) -> tuple[list[str], list[str]]:
    """Return the columns of scores, and those of numbers that are none: ids, years, sums, errors."""
    if "items" in asked.named:
        return list(asked.named["items"]), []
    weights = [c.name for c in asked.profile.called(*asked.kind.roles["weights"].names)]
    apart = {label, *asked.apart, *weights}
    numbers = [c for c in asked.profile if c.name not in apart and c.is_number]
    facts, spreads = known("facts_of_items"), known("spreads")
    out = {c.name for c in numbers if c.is_id or _numbers_rows(asked, c)}
    if way == "rows":
        about = {c.name for c in numbers if c.words and (c.words[0] in facts or c.words[-1] in spreads)}
        out |= about if len(about | out) < len(numbers) else set()
    return [c.name for c in numbers if c.name not in out], [c.name for c in numbers if c.name in out]


def _numbers_rows(asked: Asked, column: Column) -> bool:
    """Tell whether whole numbers are called like runs, rows or units, which they then only number."""
    alone = len(column.words) == 1 and sounds_like_a_unit(column.name)
    a_row = asked.kind.roles["row"].names
    return column.whole and (column.simple in {*known("trials"), *a_row} or alone)


def _block(asked: Asked, values: Sequence[str]) -> list[str]:
    """Return the longest run of neighbouring columns that may be scores of one scale."""
    if "items" in asked.named or len(values) > LOOKED_AT:
        return []
    profile = asked.profile
    best: list[str] = []
    run: list[str] = []
    low = high = 0.0
    places = {name: place for place, name in enumerate(profile.columns)}
    for name in values:
        if _is_no_score(profile[name]) or "," in name:
            run = []
            continue
        near = bool(run) and places[name] == places[run[-1]] + 1
        alike = near and profile[name].whole == profile[run[-1]].whole
        reach = profile[name].reach
        low, high = (min(low, reach), max(high, reach)) if alike else (reach, reach)
        if not alike or high > SCALE * low:
            run, low, high = [], reach, reach
        run.append(name)
        best = run if len(run) > len(best) else best
    return best


def _weighed(
    asked: Asked, way: str, label: str | None, values: list[str], left_out: list[str]
) -> Iterator[Reading]:
    profile = asked.profile
    if not values:
        made = asked.reading({"items": [], **({} if label is None else {"row": label})}, items_in=way)
        made.firm = way == "columns"  # where the kind is said, it is said what is wrong with the columns
        made.points = -9.0
        yield made
        return
    role = "item" if way == "rows" else "row"
    roles: dict[str, Any] = {"items": values} | ({} if label is None else {role: label})
    if way == "columns":
        roles |= asked.beside(("weights",), [*values, label])
    roles |= {role: asked.named[role] for role in ("unit", "weights") if role in asked.named}
    reading = asked.reading(roles, items_in=way)
    reading.implied = frozenset({"items"} if "items" not in asked.named else set())
    told, why = _orientation(asked, label, values)
    settled = asked.settings.get("items_in") is not None or {"row", "items", "item"} & asked.named.keys()
    reading.firm = bool(settled) or way in told or (label is None and len(told) < 1)
    reading.points = 1.5 + 2 * (way in told) - (2 if told and way not in told else 0)
    if way in told:
        reading.support.append(f"{WAYS[way]}, by {why[way]}")
    if len(told) > 1:
        reading.firm = bool(settled)
        reading.against.append("names speak for both ways round")
    _weigh_columns(asked, reading, values, label)
    plain = told.get(way) is True and len(told) == 1
    if not plain and any("hardly" in one or "differ" in one for one in reading.against):
        reading.points -= 3
    reading.strong = plain and len(values) >= LEAST and not reading.against
    if way in told and not settled:
        brief, which = reading.support[0], "items" if way == "rows" else "rows"
        other = Option("items_in", "columns" if way == "rows" else "rows")
        note = f"{quoted(str(label))} read as names of the {which}: {brief}"
        reading.remarks.append(Guess(note, brief, other))
    if left_out:
        note = f"not read as scores, but as {_why_left(way)}: {quoted(*left_out)}"
        brief = f"{quoted(*left_out)} left out"
        reading.remarks.append(Guess(note, brief, Option("items", several=True)))
    if np.isnan(np.column_stack([profile[n].numbers for n in values[:LOOKED_AT]])).any():
        reading.mend["missing"] = "available"
    yield from _directed(asked, reading, way, label, values)


def _why_left(way: str) -> str:
    return "ids, sums or facts of the items" if way == "rows" else "ids"


def _orientation(
    asked: Asked, label: str | None, values: Sequence[str]
) -> tuple[dict[str, bool], dict[str, str]]:
    """Return the ways that names speak for, each with whether that is plain, and why."""
    if "unit" in asked.named:  # items in rows have none
        return {"columns": True}, {"columns": "its units"}
    if label is None:
        return {}, {}
    item, row = asked.level("item", label) % SAID, asked.level("row", label) % SAID
    unit = sounds_like_a_unit(label)
    if bool(item) != bool(row or unit):
        way, noun = "rows" if item else "columns", asked.profile[label].noun
        scored = noun in known("methods") or _mostly(values, _is_measure)
        plain = scored if item else noun in {*asked.kind.roles["row"].names, *known("user_columns")}
        return {way: plain}, {way: f"the column {shorten(label)}"}
    rows = asked.profile[label].labels[:LOOKED_AT]
    is_model = pattern("models").search
    signs = {}
    if _mostly(values, _is_measure) or _mostly(rows, is_model):
        signs["rows"] = "names of tasks and measures" if _mostly(values, _is_measure) else "model names"
    numbered = _mostly(rows, COUNTING.match) and not _mostly(rows, is_model)
    repeated = asked.profile[label].repeats
    if repeated or numbered or _mostly(rows, _is_measure) or _mostly(values, is_model):
        signs["columns"] = "repeated rows" if repeated else "the names in it"
    plain = _mostly(rows, _is_benchmark) or (_mostly(values, _is_measure) and _mostly(rows, is_model))
    return dict.fromkeys(signs, plain), signs


def _is_measure(name: str) -> bool:
    return any(word in known("measures") for word in words_of(name)) or _is_benchmark(name)


def _is_benchmark(name: str) -> bool:
    return pattern("benchmarks").match(simplify(name)) is not None


def _mostly(names: Sequence[str], test: Callable[[str], Any]) -> bool:
    shown = names[:LOOKED_AT]
    return bool(shown) and 2 * sum(bool(test(str(name))) for name in shown) > len(shown)


def _weigh_columns(asked: Asked, reading: Reading, values: Sequence[str], label: str | None) -> None:
    """Weigh whether the columns are scores of one scale, and whether rows have one name."""
    profile = asked.profile
    columns = [profile[name] for name in values[:LOOKED_AT]]
    odd = [c.name for c in columns if _is_no_score(c)]
    if odd:
        reading.against.append(f"{quoted(*odd)} {'is' if len(odd) == 1 else 'are'} hardly a score")
        brief = f"{quoted(*odd)} as {'items' if reading.options['items_in'] == 'columns' else 'scores'}"
        reading.remarks.append(
            Guess(f"{brief}, though hardly a score", brief, Option("items", several=True))
        )
        reading.points -= 1
    if len(columns) < LEAST:
        reading.points -= 1
        reading.against.append(f"only {counted(len(columns), 'column')} of numbers")
    elif profile.on_one_scale(values[:LOOKED_AT]):
        reading.support.append(f"{len(values):,} columns of numbers on one scale")
        reading.points += 1
    else:
        low, high = (pick(columns, key=lambda c: c.reach) for pick in (min, max))
        reading.against.append(
            f"scales differ: {shorten(low.name)} reaches {low.reach:.3g}, "
            f"{shorten(high.name)} {high.reach:.3g}"
        )
        reading.points -= 1
    if reading.options["items_in"] == "columns" and _mostly(values, COUNTING.match):
        reading.against.append("the columns are only numbered, not named")
        reading.points -= 1
    if reading.options["items_in"] == "columns" and label is not None:
        looks: dict[str, Callable[[str], Any]] = {
            "benchmarks or measures": _is_measure,
            "ids": COUNTING.match,
        }
        for what in [what for what, test in looks.items() if _mostly(values, test)][:1]:
            brief = f"the items look like {what}: {listing(map(shorten, values))}"
            reading.remarks.append(Guess(brief, brief, Option("items_in", "rows")))
    texts = [c for c in profile if c.type == "text" and c.name != label and c.name not in asked.apart]
    many = bool(texts) or reading.options["items_in"] == "rows"
    if label is not None and profile[label].repeats and many:
        reading.against.append(f"{quoted(label)} repeats")
        reading.points -= 2
    for column in texts:
        winner = column.simple in {"winner", "loser"} and not column.values <= {*profile.columns}
        if winner:
            reading.against.append(f"{quoted(column.name)} says who won or lost")
            reading.points -= 4
            reading.firm = False
    if label is not None and len(values) > 1 and profile[label].values == {*values}:
        reading.against.append("rows and columns have the same names: counted wins are battles")
        reading.firm = reading.firm and asked.settings.get("items_in") is not None


def _is_no_score(column: Column) -> bool:
    called = any(word in known("times", "amounts") for word in column.words)
    return column.counts_rows or column.is_id or column.is_time or column.type == "flag" or called


def _directed(
    asked: Asked, reading: Reading, way: str, label: str | None, values: Sequence[str]
) -> Iterator[Reading]:
    """Propose a reading with what is best; ranks could be best at either end, so both ways."""
    if "lower_is_better" in asked.settings:
        yield reading
        return
    names = list(values) if way == "rows" else []
    if way == "columns" and label is not None and asked.profile[label].noun in MEASURES:
        names = asked.profile[label].labels
    less = [name for name in names if less_is_better(name)]
    if way == "columns" and not names and all(map(less_is_better, values)):
        less = ["all"]
    if less:
        reading.options["lower_is_better"] = "all" if less in (["all"], names) else less
        reading.support.append(
            f"less is better in {listing(map(shorten, less if less != ['all'] else values))}"
        )
        yield reading
    elif _are_ranks(asked.profile, values, way):
        for which, told in (("all", "ranks: 1 is best"), ("none", "points: more is better")):
            made = asked.reading(reading.roles, **reading.options, lower_is_better=which)
            made.support, made.against = [*reading.support, told], [*reading.against]
            made.points, made.implied = reading.points + (which == "all") / 2 + 1, reading.implied
            made.mend = reading.mend
            yield made
    else:
        yield reading


def _are_ranks(profile: Profile, values: Sequence[str], way: str) -> bool:
    """Tell whether each row, or each column of items in rows, holds the numbers 1, 2, 3... once."""
    if len(values) > LOOKED_AT:
        return False
    matrix = np.column_stack([profile[name].numbers for name in values])
    matrix = matrix.T if way == "rows" else matrix
    rows, items = matrix.shape
    if rows < 2 or items < 3:
        return False
    whole = (np.sort(matrix, axis=1) == np.arange(1, items + 1)).all(axis=1)
    return bool(whole.mean() >= PERMUTED)

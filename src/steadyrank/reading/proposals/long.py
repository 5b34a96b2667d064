"""Long tables, one row a value: ratings of users, scores of tasks, places on somebody's list.

Which column names the items, which says what leaves together, and which holds the values is told by
names and by shape. Items come again in several units, and values differ within them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, product
from typing import Any

import numpy as np

from steadyrank.errors import Option
from steadyrank.reading.profile import DETERMINED, FEW, Column
from steadyrank.reading.readings import (
    EXACT,
    NOTHING,
    NOUN,
    SAID,
    Asked,
    Reading,
    quoted,
)
from steadyrank.reading.scales import less_is_better, told_by_file
from steadyrank.reading.table import Guess
from steadyrank.reading.words import known

UNITS, ITEMS, VALUES = 6, 6, 5
"""How many columns are tried as units, as items and as values."""
KEPT = 2
"""How many of the units are proposed for each column of items."""
NUMBERS = 60
"""How many columns of numbers are looked at for units."""
FEWEST = 5
"""What has fewer values hardly says what leaves together."""
AGREE = 4
"""So many further rows of the items must agree before a value counts as a fact of the item."""
REPEATED = 0.02
"""The share of repeated pairs from which on a pair is no key."""
MEASURES = ("metric", "measure")
"""What a column is called whose rows are measures; their names may say that less is better."""
NAMES = (
    "name",
    "title",
    "label",
    "fullname",
    "displayname",
    "nom",
    "nombre",
    "nome",
    "naam",
    "navn",
)
"""What a column of names is called that does not say of what."""
PLACES = (
    "rank",
    "rk",
    "ranking",
    "place",
    "position",
    "pos",
    "placement",
    "standing",
    "finish",
)
"""Nouns of columns that hold places: 1 is best."""
EACH_ROW = "no column says who rated: each row counts by itself"
PLAIN = "mean-rating:shrinkage=0"
"""How values are scored that nobody calls ratings: by their mean."""
SCALE = 21
"""At most so many different values are a scale of ratings where no name says so."""
CELLS = 5_000_000
"""The largest matrix that is proposed."""


def ratings(asked: Asked) -> Iterator[Reading]:
    """Propose who rated what, and how; where nothing is called like a user, each row is one."""
    yield from _long(asked, "user", "score")
    yield from _by_numbers(asked)
    said = {"item", "score"} <= asked.named.keys() and "ignore" not in asked.settings
    if asked.allows("item", "score") and (said or not _users(asked)):
        once = [
            c.name
            for c in asked.label_columns
            if c.unique and "item" not in asked.named
        ]
        items = list(dict.fromkeys([*_items(asked), *once[:1]]))
        pairs = product(items, _values(asked, "score")[:VALUES])
        ways = [
            {"item": item, "score": value} for item, value in pairs if item != value
        ]
        found = [_weighed(asked, way, "score") for way in ways]
        found += [
            turned(
                one,
                "all",
                f"the table is sorted by {quoted(score)}, the least first",
                2.0,
            )
            for one in found
            if _sorts_rows(
                asked, one.roles["item"], score := one.roles["score"], least=True
            )
        ]
        yield from sorted(found, key=lambda reading: -reading.points)[:6]


def _users(asked: Asked) -> list[str]:
    """Return the columns that may say who rated; one who rated everything cannot leave."""
    called = asked.candidates("user", partial(_may_name, asked))
    return [
        name
        for name in called
        if asked.profile[name].distinct > 1 or "user" in asked.named
    ]


def _by_numbers(asked: Asked) -> Iterator[Reading]:
    """Propose ratings told by shape alone: two columns of ids, and one of few values."""
    columns = [c for c in asked.profile if not c.is_time]
    if asked.named or len(columns) != 3 or not all(c.type == "number" for c in columns):
        return
    first, second, value = columns
    key = not asked.profile.repeated(first.name, second.name)
    ids = all(
        c.whole and not c.unique and (key or c.distinct > value.distinct)
        for c in (first, second)
    )
    if ids and (first.repeats or second.repeats) and 2 < value.distinct <= SCALE:
        for user, item in ((first, second), (second, first)):
            reading = asked.reading(
                {"user": user.name, "item": item.name, "score": value.name}
            )
            reading.answer["scorer"] = PLAIN
            ranked = quoted(user.name, item.name)
            reading.weigh(
                True, 3, f"{ranked} hold whole numbers, {quoted(value.name)} few values"
            )
            reading.weigh(user is first, 1)  # as most people write them
            reading.weigh(True, 0, "nothing says which of the two rated the other")
            if asked.profile.repeated(user.name, item.name):
                reading.mend["duplicates"] = "mean"
            yield reading


def scores(asked: Asked) -> Iterator[Reading]:
    """Propose what each item scored in each row."""
    if asked.settings.get("items_in") is None:
        yield from _long(asked, "row", "score")


def places(asked: Asked) -> Iterator[Reading]:
    """Propose lists of people, one row per entry, with the place of each item."""
    yield from _long(asked, "user", None if asked.settings.get("approval") else "rank")


def _long(asked: Asked, who: str, what: str | None) -> Iterator[Reading]:
    roles = (who, "item", *([what] if what else []))
    if not asked.allows(*roles):
        return
    values: Sequence[str | None] = (
        [None] if what is None else _values(asked, what)[:VALUES]
    )
    for item in _items(asked):
        units = sorted(
            _units(asked, who), key=lambda unit: -_fits(asked, who, unit, item)
        )
        for way in product(
            [unit for unit in units if unit != item][:KEPT], [item], values
        ):
            if len({*way}) == 3:
                yield _weighed(asked, dict(zip(roles, way, strict=False)), what)


def _fits(asked: Asked, who: str, unit: str, item: str) -> float:
    """Return how well a column says what leaves together beside one of items."""
    reading = asked.reading({who: unit, "item": item})
    levels = {role: asked.level(role, name) for role, name in reading.roles.items()}
    _weigh_unit(asked, reading, levels, unit, item)
    return reading.points + levels[who]


def _units(asked: Asked, role: str) -> list[str]:
    """Return the columns that may say what leaves together: called so, dates, texts, ids."""
    named = asked.named.get(role)
    if named is not None:
        return [named]
    called = asked.candidates(role, lambda column: _may_name(asked, column))
    told = asked.named.get("unit")
    if told is not None:
        # Who calls the users the unit has said who they are.
        plain = {name: column for name, column in asked.named.items() if name != "unit"}
        level = Asked(asked.kind, asked.profile, plain, asked.settings).level(
            role, told
        )
        if max(
            (asked.level(role, one) for one in called if one != told), default=0
        ) < max(level, 1):
            return [told]
    free = [c for c in asked.profile if c.name not in {*called, *asked.apart}]
    texts = [
        c
        for c in free
        if c.type == "text" and c.repeats and 10 * c.distinct < 9 * c.present
    ]
    texts = sorted((c for c in texts if c.distinct > 1), key=lambda c: -c.distinct)
    times = [
        c
        for c in free
        if (c.type == "date" or (c.is_time and c.whole)) and c.distinct > 1
    ]
    # To list what a column holds takes a while, so not all of a thousand are looked at.
    numbers = islice(
        (c for c in free if c.type == "number" and not c.is_measure), NUMBERS
    )
    sizes = islice(
        (
            c
            for c in numbers
            if c.distinct > 1 and (3 - c.whole) * c.distinct <= c.present
        ),
        2,
    )
    others = [
        *times,
        *texts[:4],
        *sizes,
        *[c for c in free if c.is_id and c.unique][:1],
    ]
    every = [*called, *dict.fromkeys(c.name for c in others)]
    return every[: max(UNITS, len(called))]


def _items(asked: Asked) -> list[str]:
    """Return the columns that may name the items: called so, then texts that repeat."""
    if "item" in asked.named:
        return [asked.named["item"]]
    called = asked.candidates("item", lambda column: _may_name(asked, column))
    texts = [c for c in asked.label_columns if c.repeats and c.name not in called]
    ids = [
        c.name
        for c in asked.profile
        if c.is_id and c.is_number and c.repeats and c.distinct > 2
    ]
    texts.sort(key=lambda c: c.simple not in NAMES)
    labels = asked.label_columns or [c for c in asked.profile if c.is_id]
    once = [c.name for c in labels if c.unique and not (texts or called or ids)]
    every = (
        called
        + [c.name for c in texts[:ITEMS]]
        + [n for n in ids if n not in called][:2]
    )
    return every + once[:1]


def _may_name(asked: Asked, column: Column) -> bool:
    if column.is_number and column.name in asked.profile.of_families:
        return False
    return (column.is_label or column.type == "date") and not column.counts_things


def _values(asked: Asked, role: str) -> list[str]:
    """Return the columns that may hold the values: called so, measures by their words, other numbers."""
    if role in asked.named:
        return [asked.named[role]]
    called = asked.candidates(role, lambda column: column.is_number)
    free = [
        c
        for c in asked.profile
        if c.name not in {*called, *asked.apart} and c.is_number
    ]
    families = (
        asked.profile.of_families
    )  # which are measures together, not one of them alone
    ranks = [
        c for c in free if c.noun in PLACES and c.counts_rows
    ]  # as a list of results numbers them
    called = [n for n in called if n not in families and not asked.profile[n].is_id]
    free = [c for c in free if not (c.whole and c.noun in known("replicates"))]
    free = [
        c
        for c in free
        if c.name not in families and (c in ranks or not (c.is_id or c.is_time))
    ]
    if role == "rank":
        places = [c.name for c in free if c.noun in PLACES]
        others = [
            c.name
            for c in free
            if c.whole and c.some.min(initial=2) in {0, 1} and not _is_amount(c)
        ]
        return list(dict.fromkeys([*called, *places])) or others
    free = [c for c in free if c.type == "number" or c.is_measure]
    listed = any(c.unique for c in asked.label_columns[:2])
    in_order = [c for c in free if listed and sorts(c)]
    return called + [
        c.name
        for c in sorted(free, key=lambda c: (c not in in_order, *_how_unlikely(c)))
    ]


def _how_unlikely(column: Column) -> tuple[bool, bool, bool]:
    """Return how unlikely it is that values are meant: amounts are, and how long something took."""
    of_all = not {*known("of_all")}.isdisjoint(column.words)
    return _is_amount(column), not (column.is_measure or of_all), column.lasts


def _is_amount(column: Column) -> bool:
    words = {*column.words} if not column.is_measure else {*column.words[-1:]}
    return column.is_amount or not words.isdisjoint(known("facts_of_items", "spreads"))


def _weighed(asked: Asked, roles: dict[str, Any], what: str | None) -> Reading:
    profile, kind = asked.profile, asked.kind.name
    unit = next((name for role, name in roles.items() if role in {"user", "row"}), None)
    item, value = roles["item"], roles[what] if what else None
    reading = asked.reading({**roles, **asked.beside(("weights",), roles.values())})
    if reading.roles.get("unit") == unit:
        reading.roles.pop("unit", None)
    if kind == "ratings" and unit is not None:
        reading.answer["scorer"] = PLAIN
    levels = {role: asked.level(role, name) for role, name in roles.items()}
    reading.points = -1.0
    named = [roles[role] for role, level in levels.items() if level]
    fits = "has a name that fits" if len(named) == 1 else "have names that fit"
    reading.weigh(named, sum(levels.values()), f"{quoted(*named)} {fits}")
    doubtful = False
    if value is not None:
        doubtful = _weigh_value(asked, reading, levels[str(what)], value, unit)
        if (blank := profile[value].blanks) and kind == "scores":
            reading.mend["missing"] = "available"
        elif blank:
            reading.mend["drop"] = [""]
            reading.weigh(True, 0, f"rows without {quoted(value)} are left out")
    rest = asked.unexplained(roles.values(), *filter(None, (unit, item)))
    reading.weigh(rest, 0, f"{quoted(*rest)} would not be used")
    if value is not None and (none := profile[value].no_value):
        reading.mend |= asked.without(reading, none)
    _weigh_item(asked, reading, levels["item"], unit, item)
    if unit is None:
        _weigh_rows(asked, reading, item, str(value))
        return reading
    _weigh_unit(asked, reading, levels, unit, item)
    repeated = profile.repeated(unit, item)
    reading.weigh(
        repeated >= REPEATED,
        0,
        f"pairs of {quoted(unit, item)} repeat: their mean is taken",
    )
    if repeated and kind in {"ratings", "scores"}:
        reading.mend["duplicates"] = "mean"
        again = [c.name for c in profile if c.noun in known("replicates")]
        again = [name for name in again if name not in roles.values()]
        if again and kind == "scores" and "duplicates" not in asked.settings:
            reading.options["duplicates"] = (
                "mean"  # which is said, with how many were averaged
            )
            reading.support.append(
                f"{quoted(*again)} numbers repeats, which are averaged"
            )
    one = profile[unit].distinct < 2 and profile.rows > FEW  # which cannot leave
    reading.firm = all(levels.values()) and not doubtful and not one
    plain = all(level >= EXACT for level in levels.values())
    keyed = not repeated if kind == "ballots" else plain or repeated < REPEATED
    against = len(reading.against) - (
        repeated >= REPEATED
    )  # that pairs repeat is weighed in keyed
    reading.strong = reading.firm and not rest and keyed and not against
    return reading


def _weigh_rows(asked: Asked, reading: Reading, item: str, value: str) -> None:
    """Weigh rows that count by themselves; a table of results has one for each item."""
    column, of = asked.profile[value], asked.profile[item]
    users = _users(asked)
    by_itself = (
        f"each row counts by itself, not each {quoted(*users[:1])}"
        if users
        else EACH_ROW
    )
    if alone := [] if users else asked.candidates("user", partial(_may_name, asked)):
        by_itself = f"all rows have one {quoted(alone[0])}: each counts by itself"
    reading.weigh(True, 0, by_itself)
    reading.options |= {"ignore": users} if users else {}
    named = (
        of.simple in NAMES or asked.level("item", item) or of in asked.label_columns[:1]
    )
    reading.weigh(
        not of.repeats, -0.5 if named else -2, f"each {quoted(item)} has only one row"
    )
    reading.weigh(
        _sorts_rows(asked, item, value),
        1 + (column.noun not in PLACES),
        f"the table is sorted by {quoted(value)}",
    )
    reading.firm = {"item", "score"} <= asked.named.keys() and not users
    reading.remarks.append(Guess(by_itself, "each row by itself", Option("user")))


def _sorts_rows(asked: Asked, item: str, value: str, *, least: bool = False) -> bool:
    """Tell whether a list, in which hardly an item comes twice, stands in the order of a column."""
    column, of = asked.profile[value], asked.profile[item]
    ordered = not column.counts_rows and sorts(column, least=least)
    return (
        ordered
        and of.distinct >= DETERMINED * of.present
        and not (least and less_is_better(value))
    )


def sorts(column: Column, *, least: bool = False) -> bool:
    """Tell whether rows stand in the order of a column, the best first."""
    values = -column.some if least or less_is_better(column.name) else column.some
    before, after = values[:-1], values[1:]
    enough = column.present > FEWEST and np.count_nonzero(before != after) >= FEWEST - 1
    return bool(enough and not column.is_amount and (before >= after).all())


def turned(reading: Reading, which: str, why: str, points: float) -> Reading:
    """Return a reading with what is best said; nothing tells that for sure."""
    made = replace(
        reading, options={**reading.options, "lower_is_better": which}, firm=False
    )
    made.support, made.against = [*reading.support, why], [*reading.against]
    made.strong, made.points = False, reading.points + points
    return made


def _weigh_unit(
    asked: Asked, reading: Reading, levels: dict[str, int], unit: str, item: str
) -> None:
    """Weigh whether a column says what leaves together, and whether these are ratings or scores."""
    profile, kind, who = asked.profile, asked.kind.name, next(iter(levels))
    column, cells = profile[unit], profile[unit].distinct * profile[item].distinct
    one, two, _ = profile.pairs(unit, item)
    if kind == "scores" and np.count_nonzero(one * two) < cells:  # 0 is a blank
        reading.mend["missing"] = "available"
    # Of rows that are not looked at, both may have other names.
    reading.weigh(kind == "scores" and cells > CELLS * profile.share**2, -9)
    unknown = not levels[who]
    repeated = profile.repeated(unit, item)
    again = repeated >= REPEATED
    reading.weigh(kind in {"ratings", "ballots"} and unknown, -2)
    called = asked.level(who, item)
    reading.weigh(called > levels["item"], -2 if called >= EXACT else -0.5)
    crossed = column.repeats and profile[item].repeats
    seen = f"each pair of {quoted(unit, item)} appears once" * (
        profile.share == 1
    )  # below, perhaps not
    reading.weigh(crossed and not again, 1.5, seen)
    if profile.rows > FEW and min(levels.values()) < EXACT:
        once = profile.alone(item, unit)
        cost = -4 * max(0.0, once - 0.5) - 8 * max(0.0, once - 0.75)
        reading.weigh(
            once > 0.5, cost, f"most {quoted(item)} have only one {quoted(unit)}"
        )
        single = profile.alone(unit, item) if crossed else 0.0
        reading.weigh(
            column.unique, -4, f"each {quoted(unit)} has only one {quoted(item)}"
        )
        told = f"most {quoted(unit)} have only one {quoted(item)}"
        reading.weigh(single > 0.8 and not column.unique, 10 * (0.8 - single), told)


def _weigh_item(
    asked: Asked, reading: Reading, level: int, unit: str | None, item: str
) -> None:
    """Weigh whether a column names what is ranked, or only describes it."""
    profile, column = asked.profile, asked.profile[item]
    if not level:
        reading.weigh(column.simple in NAMES, 1.5)
        reading.weigh(column.noun in known("attributes", "occasions"), -1)
    reading.weigh(
        level and column.is_number and not column.is_id and asked.label_columns, -1.5
    )
    reading.weigh(asked.is_spelt_out(item), -0.75)  # there are names for these ids
    of = [
        c.name
        for c in asked.label_columns[:12]
        if _has_one(asked, c, item) and c.name != unit
    ]
    of = of if level < SAID else []
    reading.weigh(of, -1.5, f"each {quoted(*of[:1])} has one {quoted(item)}")
    none = (
        column.is_time
        or column.counts_rows
        or (column.distinct < 2 < profile.rows and level < EXACT)
    )
    reading.weigh(none, -4, f"{quoted(item)} names no items to rank")
    reading.weigh(column.type == "flag", -3)
    if asked.key is not None:
        several = 10 * column.distinct < 9 * column.present
        reading.weigh(several, -2.5, f"each row is another {quoted(asked.key)}")
        reading.weigh(not several, 1.5)


def _weigh_value(
    asked: Asked, reading: Reading, level: int, value: str, unit: str | None
) -> bool:
    """Weigh the column of values; tell whether another, or another direction, could be meant."""
    profile, kind, item = asked.profile, asked.kind.name, reading.roles["item"]
    column, role, by = (
        profile[value],
        "rank" if kind == "ballots" else "score",
        unit or item,
    )
    rivals = list(
        asked.candidates(role, lambda c: c.is_number, [value, *reading.roles.values()])
    )
    rivals = [] if role in asked.named else rivals
    reading.weigh(rivals, 0, f"{quoted(*rivals)} could be the {role}, too")
    listed = _are_places(asked, by, value)
    places = f"places: from 1, none twice for a {quoted(by)}"
    if kind == "ballots":
        reading.weigh(listed, 2, f"{quoted(value)} are {places}")
        reading.weigh(not listed and level < EXACT, -9)
        reading.weigh(level == NOTHING and column.noun not in PLACES, -2)
        return bool(rivals)
    reading.weigh(
        listed and level < EXACT and unit, -2, f"{quoted(value)} may be {places}"
    )
    alone, by_file = (
        kind == "ratings" and unit is None,
        "",
    )  # rows of measurements, not of people
    if (kind == "scores" or alone) and "lower_is_better" not in asked.settings:
        measures = (
            profile[by].labels if profile[by].noun in MEASURES and not alone else []
        )
        placed = column.noun in PLACES and column.whole and not measures
        less = [name for name in measures or [value] if placed or less_is_better(name)]
        named = less or measures or not {*known("measures")}.isdisjoint(column.words)
        by_file = "" if named else told_by_file(profile.table.source)
        if less or by_file:
            reading.options["lower_is_better"] = less if measures else "all"
            reading.support.append(
                by_file or f"{quoted(*less)} says that less is better"
            )
    reading.points += 0.5 * column.is_measure - 0.5 * (level == NOTHING)
    reading.points += 0.25 * (not {*known("of_all")}.isdisjoint(column.words))
    reading.points -= 0.25 * (
        not {*known("stale", "spreads", "of_some")}.isdisjoint(column.words)
    )
    for of in filter(None, (item, unit)):
        same = (
            profile[item].further >= AGREE
            and profile[of].repeats
            and profile.determined(value, of)
        )
        reading.weigh(
            same, -3, f"{quoted(value)} is the same for all rows of a {quoted(of)}"
        )
    amount = level <= NOUN and _is_amount(column) and not column.counts_rows
    reading.weigh(amount, -0.75, f"{quoted(value)} looks like an amount, not a score")
    return bool(rivals or by_file)


def _are_places(asked: Asked, by: str, value: str) -> bool:
    """Tell whether a column numbers what belongs together, from 0 or 1 on, none twice for a unit."""
    profile, column = asked.profile, asked.profile[value]
    listed = column.whole and column.distinct > 1 and column.some.min() in {0, 1}
    listed = listed and profile[by].repeats and profile.repeated(by, value) < REPEATED
    return listed and not column.counts_rows  # through all lists


def _has_one(asked: Asked, column: Column, item: str) -> bool:
    """Tell whether names that come again and again have one item each: players and their clubs."""
    again = (
        column.distinct > asked.profile[item].distinct
        and 2 * column.distinct < column.present
    )
    return again and not column.is_id and asked.profile.determined(item, column.name)

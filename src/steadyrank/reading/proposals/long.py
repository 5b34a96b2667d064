"""Long tables, one row a value: ratings of users, scores of tasks, places on somebody's list."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import numpy as np

from steadyrank.reading.profile import FEW, Column, Profile
from steadyrank.reading.readings import EXACT, NOTHING, NOUN, Asked, Reading, quoted
from steadyrank.reading.scales import less_is_better
from steadyrank.reading.words import known

LABELS, VALUES = 8, 6
"""How many columns are tried as names, and as values."""
WEIGHED = 12
"""How many combinations of them are weighed."""
REPEATED = 0.02
"""The share of repeated pairs from which on a pair is no key."""
MEASURES = ("metric", "measure")
"""What a column is called whose rows are measures; their names may say that less is better."""
SPARSE = 0.5
"""Below this share of pairs a table without plain names is rather one of ratings than one of tasks."""


def ratings(asked: Asked) -> Iterator[Reading]:
    """Propose who rated what, and how."""
    yield from _long(asked, "user", "score")


def scores(asked: Asked) -> Iterator[Reading]:
    """Propose what each item scored in each row."""
    if asked.settings.get("items_in") is None:
        yield from _long(asked, "row", "score")


def places(asked: Asked) -> Iterator[Reading]:
    """Propose lists of people, one row an entry, with the place of each item."""
    if asked.settings.get("approval"):
        yield from _long(asked, "user", None)
    else:
        yield from _long(asked, "user", "rank")


def _long(asked: Asked, who: str, what: str | None) -> Iterator[Reading]:
    roles = (who, "item", *([what] if what else []))
    if not asked.allows(*roles):
        return
    values: list[str | None] = [None] if what is None else [*_values(asked, what)]
    units, items = _names(asked, who), _names(asked, "item")
    if (told := asked.named.get("unit")) is not None and who not in asked.named:
        # Who calls the users the unit has said who they are.
        others = {name: column for name, column in asked.named.items() if name != "unit"}
        plain = Asked(asked.kind, asked.profile, others, asked.settings).level(who, told)
        called = [asked.level(who, name) for name in units if name != told]
        units = [told] if max(called, default=0) < max(plain, 1) else units
    ways = [
        dict(zip(roles, way, strict=False))
        for way in product(units[:LABELS], items[:LABELS], values[:VALUES])
        if len({*way}) == 3
    ]
    # What names tell is told at once; shape takes a while, so it is looked at for the best of these.
    ways.sort(key=lambda way: -sum([asked.level(role, name) for role, name in way.items()]))
    found = [_weighed(asked, way, what) for way in ways[:WEIGHED]]
    kept = sorted((one for one in found if one.points > 0), key=lambda one: -one.points)
    yield from kept[:4]


def _names(asked: Asked, role: str) -> list[str]:
    """Return the columns that may name users, rows or items: those called so, then some that repeat."""
    if role in asked.named:
        return [asked.named[role]]
    trials = known("trials") if asked.kind.name == "scores" and role == "item" else ()
    called = asked.candidates(role, _may_name)
    called = [n for n in called if not (asked.profile[n].simple in trials and asked.profile[n].whole)]
    mute = [c.name for c in asked.label_columns if c.repeats and c.name not in called and c.distinct > 1]
    return called + mute[: max(0, 5 - len(called))]


def _may_name(column: Column) -> bool:
    return column.is_label or column.type == "date"


def _values(asked: Asked, role: str) -> list[str]:
    """Return the columns that may hold the values: those called so, then other numbers."""
    if role in asked.named:
        return [asked.named[role]]
    called = asked.candidates(role, lambda column: column.is_number)
    others = (
        c.name
        for c in asked.profile
        if c.name not in {*called, *asked.apart} and c.type == "number" and not (c.is_id or c.is_time)
    )
    return [*called, *islice(others, VALUES)]


def _weighed(asked: Asked, roles: dict[str, Any], what: str | None) -> Reading:
    profile, kind = asked.profile, asked.kind.name
    unit, item = next(iter(roles.values())), roles["item"]
    value = roles[what] if what else None
    reading = asked.reading({**roles, **asked.beside(("weights",), roles.values())})
    if reading.roles.get("unit") == unit:
        del reading.roles["unit"]
    levels = {role: asked.level(role, name) for role, name in roles.items()}
    plain = all(level >= EXACT for level in levels.values())
    reading.points = sum(levels.values()) - 1.0
    named = [roles[role] for role, level in levels.items() if level]
    if named:
        reading.support.append(f"{quoted(*named)} {'is' if len(named) == 1 else 'are'} called so")
    repeated = _weigh_pairs(reading, profile, unit, item, plain=plain)
    if value is not None:
        _weigh_value(asked, reading, levels[str(what)], unit, value)
    rest = asked.unexplained(roles.values(), unit, item)
    if rest:
        reading.against.append(f"{quoted(*rest)} would not be used")
        reading.points -= 0.5 * min(4, len(rest))
    _weigh_names(asked, reading, levels, unit, item)
    if repeated and kind in {"ratings", "scores"}:
        reading.mend["duplicates"] = "mean"
        again = [
            c.name for c in profile if c.noun in known("replicates") and c.name not in roles.values()
        ]
        if again and kind == "scores" and "duplicates" not in asked.settings:
            reading.options["duplicates"] = "mean"  # which is said, with how many were averaged
            reading.support.append(f"{quoted(*again)} numbers repeats, which are averaged")
    if value is not None and profile[value].blanks and kind != "scores":
        reading.mend["drop"] = [""]
    reading.firm = all(levels.values()) and not any("could be" in one for one in reading.against)
    keyed = plain or repeated < REPEATED
    reading.strong = reading.firm and not rest and keyed and not _speaks_against(reading)
    return reading


def _weigh_pairs(reading: Reading, profile: Profile, unit: str, item: str, *, plain: bool) -> float:
    """Weigh whether units and items cross, each pair once; return the share of repeated pairs."""
    repeated = profile.repeated(unit, item)
    crossed = profile[unit].repeats and profile[item].repeats
    if repeated < REPEATED and crossed:
        reading.support.append(f"each pair of {quoted(unit, item)} comes once")
        reading.points += 2
    elif not crossed and profile.rows > FEW and not plain:
        alone = item if profile[item].unique else unit
        reading.against.append(f"each {quoted(alone)} comes once, so that nothing is compared")
        reading.points -= 3
    elif repeated >= REPEATED:
        reading.against.append(f"pairs of {quoted(unit, item)} come again: their mean is taken")
    _say_nested(reading, profile, unit, item)
    return repeated


def _weigh_names(asked: Asked, reading: Reading, levels: dict[str, int], unit: str, item: str) -> None:
    """Weigh what may name items, and whether so many pairs are rather ratings or scores."""
    profile, kind, who = asked.profile, asked.kind.name, next(iter(levels))
    pairs = len(np.unique(profile.joint([unit, item])))
    cells = profile[unit].distinct * profile[item].distinct
    if not levels[who] and (pairs >= SPARSE * cells) != (kind == "scores") and kind != "ballots":
        reading.points -= 2
    if kind == "scores" and pairs < cells:
        reading.mend["missing"] = "available"
    if profile[unit].noun in known("replicates"):
        reading.points -= 1
    single = profile[item].distinct < 2 < profile.rows and levels["item"] < EXACT
    if profile[item].is_time or profile[item].counts_rows or single:
        reading.against.append(f"{quoted(item)} names no items to rank")
        reading.points -= 4
    if profile[item].type == "flag" or (profile[item].is_number and not levels["item"]):
        reading.points -= 3


def _speaks_against(reading: Reading) -> bool:
    return any("come again" not in reason for reason in reading.against)


def _say_nested(reading: Reading, profile: Profile, unit: str, item: str) -> None:
    """Say that each item is in one unit only, or the reverse: then nothing is compared."""
    if profile[item].repeats and profile.rows > 5 and profile.determined(unit, item):
        reading.against.append(f"each {quoted(item)} has only one {quoted(unit)}")
        reading.points -= 3
    elif profile[unit].repeats and profile.rows > 5 and profile.determined(item, unit):
        reading.against.append(f"each {quoted(unit)} has only one {quoted(item)}")
        reading.points -= 3


def _weigh_value(asked: Asked, reading: Reading, level: int, unit: str, value: str) -> None:
    profile, kind = asked.profile, asked.kind.name
    column, role = profile[value], "rank" if kind == "ballots" else "score"
    rivals = list(asked.candidates(role, lambda c: c.is_number, [value, *reading.roles.values()]))
    if rivals and role not in asked.named:
        reading.against.append(f"{quoted(*rivals)} could be the {role}, too")
    listed = (
        column.whole and len(column.some) and column.some.min() == 1 and _once_in(profile, unit, value)
    )
    if kind == "ballots":
        if listed:
            reading.support.append(
                f"{quoted(value)} are places: from 1, none twice for a {quoted(unit)}"
            )
            reading.points += 2
        if not listed and level < EXACT:
            reading.points -= 9
        if not asked.level("user", unit):
            reading.points -= 2
    elif listed and level < EXACT and profile.repeated(unit) > REPEATED:
        reading.against.append(f"{quoted(value)} may be places: from 1, none twice for a {quoted(unit)}")
        reading.points -= 2
    if kind == "scores" and "lower_is_better" not in asked.settings:
        measures = profile[unit].labels if profile[unit].noun in MEASURES else []
        less = [name for name in measures or [value] if less_is_better(name)]
        if less:
            reading.options["lower_is_better"] = less if measures else "all"
            reading.support.append(f"{quoted(*less)} says that less is better")
    if not level and column.type != "number":
        reading.points -= 3
    if level == NOTHING:
        reading.points -= 0.5
    if level <= NOUN and any(word in known("amounts") for word in column.words):
        reading.against.append(f"{quoted(value)} looks like an amount, not a score")
        reading.points -= 1


def _once_in(profile: Profile, unit: str, value: str) -> bool:
    """Tell whether no number comes twice for one unit, and units have several."""
    return profile[unit].repeats and profile.repeated(unit, value) < REPEATED

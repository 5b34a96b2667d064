"""Votes and regressions: told by names more than by shape, so the names must be plain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product

import numpy as np

from steadyrank.reading.profile import FEW, Column
from steadyrank.reading.proposals.long import REPEATED
from steadyrank.reading.readings import EXACT, NOTHING, SAID, Asked, Reading, quoted
from steadyrank.reading.roles import sounds_like_a_unit, taken_by
from steadyrank.reading.words import known, words_of

COUNTED = known("counted_votes")
"""How names of columns end that count what rows stand for, though they are called more than that."""
RATED = {"rating", "score", "star"}
VALUES = {*known("rating_columns"), "rank", "position", "place"}
"""Nouns of columns that say more of an item than that it was chosen."""
ELECTED = known("elected")
VOTES = {*known("counted_votes"), "vote", "voto", "en", "in"}
NOBODY = {*known("tallies", "no_vote")} - {"total", "totals"}
"""Words of votes that are nobody's: blank, null, votos en blanco. Totals are refused by name."""
LOOKED_AT = 1000
"""How many names of choices are looked at for such words, and for several names in one."""
ANSWERS = {"-1", "0", "1"}
"""Against, neither and for."""
LISTED = re.compile(r"[^;|>]+[;|>]")
WON = {"points", "pts", "pnt", *known("counted_votes")}
"""Words of columns that hold what is added up."""
FEATURES = 2
"""The fewest features that a regression is taken with, without being named."""


def votes(asked: Asked) -> Iterator[Reading]:
    """Propose a column of choices, with how often each was made."""
    if not asked.allows("choice", "count"):
        return
    profile = asked.profile
    names = asked.label_columns
    called = asked.candidates("choice", _may_be_chosen)
    # Beside names, numbers called votes say how many there were.
    totals = [
        c.name
        for c in profile
        if c.whole and names and asked.level("count", c.name) > NOTHING
    ]
    may = (
        "choice" in asked.named or not names
    )  # numbers are chosen only where nothing else is
    fit = (name for name in called if may or _may_be_chosen(profile[name]))
    called = [name for name in fit if name not in totals]
    texts = [
        c
        for c in names
        if c.name not in called and (2 * c.distinct <= c.present or totals)
    ]
    unlikely = {*known("attributes", "occasions", "awards")}
    texts.sort(key=lambda c: sounds_like_a_unit(c.name) or c.noun in unlikely)
    texts.sort(
        key=lambda c: c.noun not in known("place_columns")
    )  # countries win medals
    alone = [c.name for c in texts]
    rest = [c.name for c in profile if c.name not in asked.apart and c.type != "list"]
    alone = rest if len(rest) == 1 else [] if "choice" in asked.named else alone
    for place, name in enumerate(list(dict.fromkeys([*called[:2], *alone[:3]]))[:3]):
        for reading in _of_choice(asked, name, only=len(rest) == 1):
            reading.points -= place / 4  # earlier names are usual ones
            yield reading


def _may_be_chosen(column: Column) -> bool:
    return column.type in {"text", "flag", "date"} or column.whole


def _of_choice(asked: Asked, name: str, *, only: bool) -> Iterator[Reading]:
    profile, level, column = (
        asked.profile,
        asked.level("choice", name),
        asked.profile[name],
    )
    beside = asked.beside(("count", "weights"), [name])
    reading = asked.reading({"choice": name, **beside})
    others = [c for c in profile if c.name not in {name, *map(str, beside.values())}]
    numbers = [
        c for c in others if c.type == "number" and not c.is_id and not c.is_time
    ]
    counted, said = "count" in beside, level == SAID and not asked.loosely
    reading.points = float(only)
    reading.weigh(level, (0, 2, 3, 4)[level], f"{quoted(name)} is named like a choice")
    reading.weigh(counted, 2, f"{quoted(str(beside.get('count')))} counts votes")
    reading.weigh(
        counted and column.unique,
        2,
        f"each {quoted(name)} appears once, with its total",
    )
    rated = [c.name for c in numbers if c.noun in RATED]
    reading.weigh(
        counted and rated, -3, f"{quoted(*rated)} may be what {quoted(name)} is rated"
    )
    flag = not said and (
        column.type == "flag" or (column.is_number and column.values <= ANSWERS)
    )
    reading.weigh(flag, -9, f"{quoted(name)} holds answers, yes or no, not names")
    more = [c for c in others if not c.is_time] if column.is_number and not said else []
    reading.weigh(
        len(more) > 1, -1, f"{quoted(name)} holds numbers, which may be answers"
    )
    once = column.unique and not counted and profile.rows > 1 and not said
    once &= bool(numbers) or (column.is_id and bool(others))
    beside_it = quoted(*(c.name for c in others))
    reading.weigh(once, -3, f"each {quoted(name)} appears once, beside {beside_it}")
    hardly = (
        not (counted or said or column.unique)
        and 10 * column.distinct > 9 * column.present > 9 * FEW
    )
    reading.weigh(hardly, -1, f"hardly a {quoted(name)} comes up again")
    voters = [c for c in others if c.noun in {"voter", "respondent", "user", "person"}]
    whole = not others or column.unique or column.noun in ELECTED
    elected = counted and level >= EXACT and whole
    alone = elected or (voters and voters[0].unique)
    rest = [] if alone else asked.unexplained([name, *beside.values()], flags=False)
    rest += [c.name for c in others if c.noun in VALUES and c.name not in rest]
    if not (rest or counted or voters or said):
        rest = [c.name for c in numbers]
    reading.weigh(rest, 0 if counted else -0.5, f"{quoted(*rest)} would not be used")
    some = column.labels[:LOOKED_AT] if column.type == "text" else []
    several = 2 * sum(LISTED.match(label) is not None for label in some) > len(some)
    reading.weigh(
        several and not said, -9, f"{quoted(name)} holds several names in a cell"
    )
    nobody = (
        column.missing_words + _for_nobody(column)
        if "drop" not in asked.settings
        else []
    )
    if reading.weigh(
        nobody,
        0,
        f"votes for {quoted(*nobody)} seem to be for nobody: they are left out",
    ):
        reading.mend["drop"] = nobody
    plain = level > NOTHING or only or len(asked.label_columns) == 1
    reading.firm = plain and not asked.loosely
    named = [c for c in others if c.type == "text" and c.noun not in known("units")]
    answer = column.noun in {"answer", "option", "item"} and not counted
    answer |= column.noun in ELECTED and bool(named) and not counted and not voters
    reading.strong = level >= EXACT and not (reading.against or answer or asked.loosely)
    yield from counted_or_not(asked, reading)


def _for_nobody(column: Column) -> list[str]:
    """Return the choices that name nobody, by words that say so and nothing else but votes."""
    some = {name: {*words_of(name)} - {*VOTES} for name in column.labels[:LOOKED_AT]}
    return [
        name
        for name, words in some.items()
        if column.type == "text" and set() < words <= NOBODY
    ]


def counted_or_not(asked: Asked, reading: Reading) -> Iterator[Reading]:
    """Propose both where a column seems to count: rows count as often as it says, or once each."""
    out = taken_by(reading.roles) | asked.apart
    whole = [c for c in asked.profile if c.is_number and c.whole and c.name not in out]
    whole = [c for c in whole if not c.is_id and not c.is_time]
    called = [c.name for c in whole if c.simple.endswith(COUNTED)]
    tallied = reading.kind.name == "votes" and "drop" in reading.mend
    alone = [c.name for c in whole if tallied and len(whole) == 1 and not c.unique]
    count = next(iter(called + alone), None)
    if count is None or "count" in {**reading.roles, **asked.named}:
        yield reading
        return
    ways = [
        ({"count": count}, {}, f"rows count as often as {quoted(count)} says"),
        ({}, {"ignore": called or alone}, "each row counts once"),
    ]
    for roles, options, told in ways[: 1 if "ignore" in asked.settings else 2]:
        made = replace(
            reading,
            roles={**reading.roles, **roles},
            options={**reading.options, **options},
        )
        sure = 1 + 2 * tallied if roles else 0  # nothing but votes has blank ones
        made.points, made.support = reading.points + sure, [*reading.support, told]
        made.strong = made.firm = False
        yield made


def given(asked: Asked) -> Iterator[Reading]:
    """Propose points that givers gave to takers: these are counted, and what leaves is a giver."""
    profile = asked.profile
    texts = sorted(
        (c for c in profile if c.type == "text" and c.repeats), key=lambda c: c.is_id
    )
    ends = [
        [c for c in texts if {*c.words[:1]} & {*known(end)}]
        for end in ("givers", "takers")
    ]
    points = [c for c in profile if c.noun == "point" and c.whole and c.some.min() >= 0]
    points.sort(key=lambda c: "total" not in c.words)
    for giver, taker in product(*ends):
        if (
            points
            and giver.words[1:] == taker.words[1:]
            and asked.allows("choice", "count")
        ):
            roles = {"choice": taker.name, "count": points[0].name, "unit": giver.name}
            reading = asked.reading({**roles, **asked.named})
            gave = f"{quoted(giver.name)} gave {quoted(points[0].name)} to {quoted(taker.name)}"
            reading.weigh(True, 9, f"{gave}, and their totals are published")
            again = profile.repeated(giver.name, taker.name)
            reading.weigh(again, 0, f"pairs of {quoted(giver.name, taker.name)} repeat")
            rest = asked.unexplained(roles.values())
            reading.weigh(rest, 0, f"{quoted(*rest)} would not be used")
            reading.firm, reading.strong = True, not reading.against
            yield reading


def totals(asked: Asked) -> Iterator[Reading]:
    """Propose totals of points that voters gave, or that were won on occasions; one of these leaves."""
    profile, allowed = asked.profile, asked.allows("choice", "count", "unit")
    if asked.candidates("choice", lambda c: c.type == "text"):
        return  # who chose something gave no points to anything else
    points = (
        c
        for c in profile
        if c.type == "number" and c.whole and not WON.isdisjoint(c.words)
    )
    points = (c for c in points if allowed and c.some.min(initial=0) >= 0)
    voters = [c for c in profile if c.noun in known("user_columns") and c.repeats]
    there = voters or [
        c for c in profile if c.noun in known("occasions") and c.repeats and c.is_label
    ]
    for point, giver in product(islice(points, 1), there[:1]):
        takers = (
            c
            for c in asked.label_columns
            if 3 * c.distinct < 2 * c.present and c is not giver
        )
        takers = (c for c in takers if profile.repeated(giver.name, c.name) < REPEATED)
        for taker in islice(takers, 2):
            roles = {"choice": taker.name, "count": point.name, "unit": giver.name}
            reading = asked.reading({**roles, **asked.named})
            called = 1 + 2 * (taker.noun in known("item_columns"))
            told = f"{quoted(point.name)} can be added up for each {quoted(taker.name)}"
            reading.weigh(True, 3 if voters else called, told)
            yield reading


def regression(asked: Asked) -> Iterator[Reading]:
    """Propose a response beside features, by its name alone."""
    profile = asked.profile
    responses = asked.candidates("response", lambda column: column.is_number)
    if not asked.allows("response", "items", "row"):
        return
    if not responses:
        yield from _at_the_end(asked)
        return
    name = responses[0]
    roles = {
        role: asked.named[role]
        for role in ("items", "row", "unit")
        if role in asked.named
    }
    used = {name, *map(str, roles.values()), *asked.apart}
    index = asked.profile.table.index
    features = [c for c in profile if c.name not in used and c.name not in index]
    numeric = [c for c in features if c.is_number and not c.is_id]
    reading = asked.reading({"response": name, **roles})
    reading.firm, reading.points = True, 1.0 + asked.level("response", name)
    if any(column.blanks for column in [*numeric, profile[name]]):
        reading.mend["missing"] = "drop"
    reading.support.append(f"{quoted(name)} is named like a response")
    odd = [c.name for c in features if c not in numeric or c.is_time]
    reading.weigh(odd, 0, f"{quoted(*odd)} cannot be a feature")
    texts = [
        c
        for c in features
        if not c.is_number and not c.is_id and "items" not in asked.named
    ]
    reading.weigh(texts, -4)
    bare = profile[name].simple == "y" and not all(c.simple[:1] == "x" for c in numeric)
    reading.weigh(bare, 0, "beside names other than x1, x2..., y could be anything")
    named = asked.level("response", name) >= EXACT
    reading.strong = named and not reading.against and len(numeric) >= FEATURES
    if not texts and numeric and "items" not in asked.named:
        reading.roles["items"] = [column.name for column in numeric]
        reading.implied = frozenset({"items"})
    yield reading


def _at_the_end(asked: Asked) -> Iterator[Reading]:
    """Propose the last column of numbers alone, on scales of their own, as the response."""
    profile = asked.profile
    texts = [c.name for c in profile if not c.is_number]
    if asked.named or len(texts) > 1 or profile.table.names[-1:] == texts:
        return
    free = (c for c in profile if c.name not in {*asked.apart, *texts} and not c.is_id)
    names = [c.name for c in free if len(c.some) and np.ptp(c.some)]
    few = len(names) <= FEATURES or profile.rows <= 3 * len(names)
    if few or profile.on_one_scale(names):
        return
    reading = asked.reading({"response": names[-1], "items": names[:-1]})
    reading.weigh(
        True, 1, f"numbers on scales of their own; {quoted(names[-1])} is at their end"
    )
    reading.against.append("no name says that it is the response")
    reading.weigh(texts, -2, f"{quoted(*texts)} cannot be a feature")
    if any(profile[name].blanks for name in names):
        reading.mend["missing"] = "drop"
    yield reading

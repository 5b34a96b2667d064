"""Battles, by shape: two columns that share their names and are never equal, and who won."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np

from steadyrank._typing import BoolArray
from steadyrank.reading.profile import FEW, Column, Profile
from steadyrank.reading.readings import EXACT, NOTHING, SAID, Asked, Reading, quoted
from steadyrank.reading.results import LEFT, MOSTLY, RIGHT, SPELLINGS, TIE, UNKNOWN, has_points, verdict
from steadyrank.reading.table import simplify
from steadyrank.reading.words import known

EQUAL = 0.02
"""The largest share of rows in which the two sides may be equal."""
SHARED, SOME = 0.5, 0.1
BY_CHANCE = 1.5
"""How many rows must be expected to be equal by chance, before none being so tells anything."""
UNDERSTOOD = 0.7
EACH_SIDE = 0.05
TEXTS = 12
"""How many columns of text are paired with each other."""
MOST = 40
FEWEST = 8
"""How many different words results are written with at most, where nothing calls them results."""

WON = {("winner", "loser"), ("winning", "losing"), ("won", "lost"), ("win", "lose"), ("w", "l")}
WON_WORDS = re.compile(r"\b(won|wins?|beat|beats|defeats?|defeated|draw|drawn|tie|tied|better)\b")
SOME_LABELS = 50
WHO = {"winner", "preferred", "preference", "choice", "chosen", "selected", "best", "better", "pick"}
"""Words of columns that say which of two it was: 0 may be the first one, or not the first one."""
NO_POINTS = {*known("less_is_better", "stale"), "elo", "rating", "seed", "odds"}
"""Words of numbers that each side has before it plays."""
SPELLED = frozenset(word for family in SPELLINGS.values() for word in family)


THINGS = {name.removesuffix("id") for name in known("item_columns")} | {"left", "right", "p"}
"""What columns that name items are called, so that their numbers are names, too."""


class Pair(NamedTuple):
    """Two columns that may be the sides of a battle; the words that tell them apart, if any."""

    left: str
    right: str
    words: tuple[str, str] | None
    level: int


def battles(asked: Asked) -> Iterator[Reading]:
    """Propose games, battles, wins and counted pairs."""
    found = [reading for pair in _pairs(asked)[:MOST] for reading in _of_pair(asked, pair)]
    yield from sorted(found, key=lambda one: -one.points)[:8]


def _pairs(asked: Asked) -> list[Pair]:
    """Return the pairs of columns that may be two sides: as said, by their names, or by their shape."""
    profile, named = asked.profile, asked.named
    said = [named.get(role) for role in ("left", "right")]
    if "loser" in named or ("winner" in named and "left" not in named and "points_left" not in named):
        said = [named.get("winner"), named.get("loser")] if "loser" in named else said
    if all(said):
        return [Pair(str(said[0]), str(said[1]), _words(profile, *map(str, said)), SAID)]
    by_name = [
        Pair(one, two, words, EXACT)
        for one, two, words in profile.sides
        if _may_name(profile[one]) and _may_name(profile[two]) and not {one, two} & asked.apart
    ]
    texts = [
        p
        for p in by_name
        if profile[p.left].type == "text" and 2 * profile[p.left].blanks < profile.rows
    ]
    by_name = [p for p in by_name if profile[p.left].type == "text" or not _twin_of_text(p, texts)]
    known_pairs = {frozenset(pair[:2]) for pair in by_name}
    some = asked.label_columns[:TEXTS]
    by_shape = [
        Pair(one.name, two.name, _difference(one.words, two.words), NOTHING)
        for one, two in combinations(some, 2)
        if frozenset((one.name, two.name)) not in known_pairs
        and _never_equal(profile, one.name, two.name)
    ]
    both = by_name + by_shape or _pairs_of_ids(profile)
    fixed = {name for name in said if name}
    return [pair for pair in both if fixed <= set(pair[:2])] if fixed else both


def _pairs_of_ids(profile: Profile) -> list[Pair]:
    """Return pairs of whole numbers of which a third column always repeats one: who met, and who won."""
    ids = [column.name for column in islice(profile, TEXTS) if column.whole and not column.counts_rows]
    pairs = [Pair(one, two, None, NOTHING) for one, two in combinations(ids, 2)]
    return [
        pair
        for pair in pairs
        if _never_equal(profile, *pair[:2])
        and any(_names_sides(profile, name, pair) == 1 for name in {*ids} - {*pair[:2]})
    ]


def _words(profile: Profile, one: str, two: str) -> tuple[str, str] | None:
    return next((words for a, b, words in profile.sides if (a, b) == (one, two)), None)


def _difference(one: list[str], two: list[str]) -> tuple[str, str] | None:
    """Return the one word in which two names differ, None where they differ otherwise."""
    found = [both for both in zip(one, two, strict=False) if both[0] != both[1]]
    return found[0] if len(one) == len(two) and len(found) == 1 else None


def _may_name(column: Column) -> bool:
    """Tell whether a column may name the items of one side: numbers only if called an id or a thing."""
    if column.type in {"text", "empty"}:
        return True
    if not column.is_number or _are_points(column) or column.counts_rows:
        return False
    thing = column.noun in THINGS or (column.words and column.words[0] in THINGS)
    return bool(thing) or (column.is_id and column.whole)


def _twin_of_text(pair: Pair, texts: list[Pair]) -> bool:
    """Tell whether columns of text name the same sides, so that these numbers are something else."""
    return any(other.words == pair.words or pair.words is not None for other in texts)


def _never_equal(profile: Profile, one: str, two: str) -> bool:
    if profile.shared(one, two) < SHARED:
        return False
    equal, chance = profile.equal(one, two)
    return equal <= EQUAL and chance >= BY_CHANCE


def _of_pair(asked: Asked, pair: Pair) -> Iterator[Reading]:
    """Propose what two sides make with each result that there is for them."""
    profile = asked.profile
    won = pair.words in WON and asked.allows("winner", "loser", "count", "covariate")
    if won or "loser" in asked.named:
        # W and L may count wins and losses.
        if pair.words != ("w", "l") or profile[pair.left].type == "text" or "loser" in asked.named:
            roles = {"winner": pair.left, "loser": pair.right}
            yield _weighed(asked, pair, roles, ("count",), "one column names who won, one who lost")
        return
    sides = {"left": pair.left, "right": pair.right}
    counted = _numbers_of(asked, pair, ("wins_left", "wins_right"), known("wins_columns"), wins=True)
    if counted and asked.allows(*sides, "wins_left", "wins_right", "ties"):
        roles = {**sides, "wins_left": counted[0], "wins_right": counted[1]}
        yield _weighed(asked, pair, roles, ("ties",), f"{quoted(*counted)} count wins of both")
        return
    points = _numbers_of(asked, pair, ("points_left", "points_right"), POINT_PAIRS)
    winners = _winners(asked, pair)
    placed = None if points or winners else _numbers_beside(profile, pair)
    both = points or placed
    if both and asked.allows(*sides, "points_left", "points_right", "winner", "count", "covariate"):
        yield _by_points(asked, pair, both, winners, placed=placed is not None)
        if "winner" not in asked.named:
            return
    if asked.allows(*sides, "winner", "count", "covariate"):
        for reading in (_by_result(asked, pair, name, winners) for name in winners[:3]):
            yield from _numbered(asked, pair, reading)


def _by_points(
    asked: Asked, pair: Pair, points: tuple[str, str], winners: list[str], *, placed: bool
) -> Reading:
    """Propose games with the points of both sides, and a result beside them that agrees."""
    profile = asked.profile
    roles = {"left": pair.left, "right": pair.right, "points_left": points[0], "points_right": points[1]}
    exact = winners and asked.level("winner", winners[0]) == EXACT
    if "winner" in asked.named or (exact and _agrees(profile, winners[0], points, pair)):
        roles["winner"] = winners[0]
    reading = _weighed(asked, pair, roles, ("count",), f"{quoted(*points)} are the points of both")
    fixed = profile.rows > FEW and profile[pair.left].repeats
    fixed = fixed and profile.determined(points[0], pair.left)
    reading.strong &= not (placed or fixed)
    reading.weigh(fixed, -4, f"{quoted(points[0])} is the same in all games of a side")
    reading.weigh(placed, 0, "only names or positions say that these belong to the two sides")
    return reading


def _numbered(asked: Asked, pair: Pair, reading: Reading) -> Iterator[Reading]:
    """Yield a reading, and where 0 and 1 say who won, that in which 0 is the first of the two."""
    column = asked.profile[reading.roles["winner"]]
    counted = column.values == {"0", "1"} and not WHO.isdisjoint(column.words)
    if counted and not {"left", "right"} & asked.named.keys():
        other = replace(reading, roles={**reading.roles, "left": pair.right, "right": pair.left})
        other.support = [*reading.support, f"0 is {quoted(pair.left)}, 1 is {quoted(pair.right)}"]
        reading.against.append(f"1 is {quoted(pair.left)}, 0 is {quoted(pair.right)}")
        reading.strong = other.strong = False
        other.points += 0.5
        yield other
    yield reading


def _by_result(asked: Asked, pair: Pair, name: str, winners: list[str]) -> Reading:
    """Propose games with a column that says who won."""
    profile, column, level = asked.profile, asked.profile[name], asked.level("winner", name)
    roles = {"left": pair.left, "right": pair.right, "winner": name}
    reading = _weighed(asked, pair, roles, ("count",), f"{quoted(name)} says who won")
    rivals = [other for other in winners if other != name and _differ(profile, name, other)]
    called = level == SAID or (column.simple.startswith("winner") and not column.simple[-1].isdecimal())
    scored, fully = _are_results(column), level == SAID or profile.rows <= FEW
    fully = fully or _results(profile, name, pair) >= UNDERSTOOD
    odd = [column.labels[code] for code in np.unique(column.codes[~_read(profile, name, pair)])]
    if reading.weigh(0 < len(odd) <= FEWEST, 0, f"no results: {quoted(*odd)}"):
        reading.mend["drop"] = ["", *odd]
    reading.strong &= fully and not (scored and odd) and (called or not rivals)
    reading.strong &= level > NOTHING or scored or _names_sides(profile, name, pair) >= UNDERSTOOD
    reading.weigh(rivals, 0 if called else -1, f"{quoted(*rivals)} could say it, too")
    reading.weigh(not fully, -3, f"{quoted(name)} says other things, too")
    reading.weigh(level == NOTHING, -1)
    return reading


def _weighed(
    asked: Asked, pair: Pair, roles: dict[str, str], may: tuple[str, ...], result: str
) -> Reading:
    profile, sides = asked.profile, quoted(*pair[:2])
    reading = asked.reading({**roles, **asked.beside((*may, "weights"), roles.values())})
    if "covariate" in asked.named:
        reading.roles["covariate"] = asked.named["covariate"]
    shares, called = profile.shared(pair.left, pair.right), pair.level >= EXACT
    apart = _never_equal(profile, *pair[:2])
    thing = any(word in THINGS for word in profile[pair.left].words)
    reading.points = 4.0 + thing
    reading.weigh(called, 2, f"{sides} are named like two sides")
    reading.weigh(apart, 2, f"{sides} share their names and are never equal in a row")
    reading.weigh(shares < SHARED and profile.rows > 20, -3, f"{sides} hardly share a name")
    reading.support.append(result)
    blank = [c for c in roles.values() if profile[c].blanks]
    answers = [c for c in blank if c not in pair[:2] or "loser" in roles]
    have = f"{quoted(*blank)} {'has' if len(blank) == 1 else 'have'} blank cells"
    if reading.weigh(blank and (answers or len(blank) == 2), 0, have):
        reading.mend["drop"] = [""]
    odd = [word for role, c in roles.items() if role != "winner" for word in profile[c].odd_words]
    reading.weigh(odd, 0, f"no results: {quoted(*dict.fromkeys(odd))}")
    reading.firm = called or apart
    worded = thing or pair.level == SAID or (pair.words is not None and len(pair.words[0]) > 2)
    most = max(profile[side].distinct for side in pair[:2])  # of two models one may always be left
    alike = shares >= SHARED or profile.rows <= 20 or (thing and (shares >= SOME or most <= FEWEST))
    gaps = any(2 * profile[side].blanks > profile.rows for side in pair[:2])
    met = profile.equal(pair.left, pair.right)[0] <= EQUAL or profile.rows <= FEW
    reading.strong = called and alike and worded and not gaps and met and not odd
    return reading


POINT_PAIRS = (
    "fthg/ftag",
    "hg/ag",
    *(f"{h}{what}/{a}{what}" for what in known("points") for h, a in (("home", "away"), ("h", "a"))),
)


def _numbers_of(
    asked: Asked, pair: Pair, roles: tuple[str, str], names: tuple[str, ...], *, wins: bool = False
) -> tuple[str, str] | None:
    """Return two columns of numbers that belong to the two sides, by their names."""
    named = [asked.named.get(role) for role in roles]
    if all(named):
        return str(named[0]), str(named[1])
    profile = asked.profile
    for both in names:
        found = [[c.name for c in profile.called(side) if c.is_number] for side in both.split("/")]
        if all(found):
            return found[0][0], found[1][0]
    first, second = pair.words or ("", "")
    like = [(first, second), (first[:1], second[:1])] if first[:1] != second[:1] else []
    for one, two in (both for words in like for both in profile.differing(*words)):
        is_wins = any(word.startswith("win") for word in profile[one].words)
        about = is_wins if wins else _are_points(profile[one])
        if about and profile[one].is_number and profile[two].is_number:
            return one, two
    return None


def _are_points(column: Column) -> bool:
    return any(word.removesuffix("s") in POINT_WORDS for word in column.words)


POINT_WORDS = {name.removesuffix("s") for name in known("points")}


def _winners(asked: Asked, pair: Pair) -> list[str]:
    """Return the columns that may say who won, the best first."""
    if "winner" in asked.named:
        return [asked.named["winner"]]
    profile, called = asked.profile, asked.candidates("winner", lambda _: True, pair[:2])
    called = [
        n
        for n in called
        if _results(profile, n, pair) >= UNDERSTOOD or asked.level("winner", n) == EXACT
    ]
    others = [
        column.name
        for column in islice(profile, MOST)
        if column.name not in {*called, *pair[:2], *asked.apart}
        and column.type in {"text", "number"}
        and 2 * column.blanks < profile.rows
        and profile.rows > 3
        and _tells_who_won(profile, column, pair)
    ]
    found = called + others
    twins = profile.differing(*pair.words) if pair.words else []
    others = [right for left, right in twins if left in found]  # which say it of the other side
    return [name for name in found if name not in others]


def _tells_who_won(profile: Profile, column: Column, pair: Pair) -> bool:
    """Tell whether a column names a side of each row, or holds words or points of both sides."""
    if 2 * len(column.values & profile[pair.left].values) > column.distinct:
        return _names_sides(profile, column.name, pair) >= UNDERSTOOD
    if column.type != "text" or _are_results(column):
        return _are_results(column)
    if column.distinct > FEWEST:
        some = [label.casefold() for label in column.labels[:SOME_LABELS]]
        return 2 * sum(WON_WORDS.search(label) is not None for label in some) > len(some) and (
            _results(profile, column.name, pair) >= UNDERSTOOD
        )
    named = bool(pair.words) and {*(pair.words or ())} <= {simplify(label) for label in column.labels}
    told = {verdict(label.casefold(), "", "") for label in column.labels}
    both = named or {LEFT, RIGHT} <= {*map(_meant, column.labels)} or {LEFT, RIGHT} <= told
    return both and _results(profile, column.name, pair) >= UNDERSTOOD


def _meant(word: str) -> int | None:
    """Return which side a word stands for, None where it may be neither."""
    found = {family[word.casefold()] for family in SPELLINGS.values() if word.casefold() in family}
    return found.pop() if len(found) == 1 else None


def _are_results(column: Column) -> bool:
    """Tell whether cells hold the points of both sides: 2-1."""
    timed = column.type == "date" and column.noun not in {"result", "score"}
    if column.type not in {"text", "date"} or timed:
        return False
    some = column.labels[:200]
    first = sum(has_points(label.casefold()) for label in some[:10])
    hits = sum(has_points(label.casefold()) for label in some[10:]) if first else 0
    return first + hits > MOSTLY * len(some) > 1


def _numbers_beside(profile: Profile, pair: Pair) -> tuple[str, str] | None:
    """Return two columns of whole numbers whose names differ, or that stand, as the two sides do."""
    names = profile.table.names
    left, right = names.index(pair.left), names.index(pair.right)
    size = len(names) - max(left, right)
    steps = (step for step in (1, 2, 3, -1) if -min(left, right) <= step < size and left + step != right)
    near = [(names[left + step], names[right + step]) for step in steps]
    for one, two in [*(profile.differing(*pair.words) if pair.words else ()), *near]:
        if all(map(_may_count, (profile[one], profile[two]))) and profile.on_one_scale((one, two)):
            return one, two
    return None


def _may_count(column: Column) -> bool:
    """Tell whether a column may hold points, though nothing calls it so."""
    counts = column.type == "number" and column.whole and 2 * column.present > len(column.codes)
    told = column.is_id or column.is_time or column.is_amount
    return counts and not told and NO_POINTS.isdisjoint(column.words)


def _names_sides(profile: Profile, name: str, pair: Pair) -> float:
    """Return the share of results that name one of the two sides of their row, if both are named."""
    left, right = (float(profile.same(name, side).sum()) for side in pair[:2])
    there = max(1, profile[name].present)
    return (left + right) / there if min(left, right) >= EACH_SIDE * there else 0.0


def _results(profile: Profile, name: str, pair: Pair) -> float:
    """Return the share of results that are understood."""
    column = profile[name]
    there = column.codes >= 0
    understood = float((_read(profile, name, pair) & there).sum()) / max(1, int(there.sum()))
    return 1.0 if _are_results(column) else understood


def _read(profile: Profile, name: str, pair: Pair) -> BoolArray:
    """Mark the rows that are blank, name a side of theirs, or hold points or a word for a result."""
    column = profile[name]
    sides = {profile[side].simple for side in pair[:2]} | set(pair.words or ())
    if _are_results(column):
        words = [has_points(label.casefold()) or _meant(label) == TIE for label in column.labels]
    else:
        words = [label.casefold() in SPELLED or simplify(label) in sides for label in column.labels]
    hit = np.array([*words, True])[column.codes]
    hit = np.asarray(hit | profile.same(name, pair.left) | profile.same(name, pair.right))
    return hit if hit.sum() >= UNDERSTOOD * len(hit) else hit | _verdicts(profile, name, pair)


def _verdicts(profile: Profile, name: str, pair: Pair) -> BoolArray:
    """Mark the rows that say more than who won, but name a side."""
    columns = [profile[part] for part in (name, *pair[:2])]
    rows, which = np.unique(np.stack([c.codes for c in columns]), axis=1, return_inverse=True)
    texts = [[label.casefold() for label in c.labels] + [""] for c in columns]
    told = [verdict(*(texts[part][code] for part, code in enumerate(row))) for row in rows.T.tolist()]
    return np.asarray((np.array(told) != UNKNOWN)[which.ravel()])


def _differ(profile: Profile, one: str, two: str) -> bool:
    """Tell whether two results can say different things."""
    return not (profile.determined(one, two) and profile.determined(two, one))


def _agrees(profile: Profile, winner: str, points: tuple[str, str], pair: Pair) -> bool:
    """Tell whether a result is told by who has more points."""
    sign = np.sign(profile[points[0]].numbers - profile[points[1]].numbers)
    left, right = (profile.same(winner, side) for side in pair[:2])
    if (left | right).mean() > 1 - UNDERSTOOD:
        return bool(_read(profile, winner, pair).all() and ((sign > 0) == left).mean() > EQUAL)
    codes = profile[winner].codes * 3 + np.nan_to_num(sign).astype(np.int64) + 1
    return len(np.unique(codes)) == len(np.unique(profile[winner].codes))

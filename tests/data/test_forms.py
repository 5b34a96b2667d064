"""Tables as sports sites, pollsters and competitions write them; a plain count beside."""

from __future__ import annotations

import io
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from steadyrank import Ballots, Battles, Refit, Regression, Study, Votes
from steadyrank.data import read_any, scan_any
from steadyrank.data.read import as_observations
from steadyrank.errors import (
    ColumnError,
    InvalidDataError,
    InvalidLabelError,
    InvalidSettingError,
    MissingValuesError,
    NotANumberError,
    NotRecognisedError,
)
from suggested import suggested

if TYPE_CHECKING:
    from pathlib import Path

TEAMS = ["ajax", "boca", "celtic", "dinamo"]


def lines(names: str, rows: list[list[Any]]) -> bytes:
    return "\n".join([names, *(",".join(map(str, row)) for row in rows), ""]).encode()


def games(rng: np.random.Generator, number: int) -> list[tuple[str, str, int, int]]:
    pairs = [rng.choice(4, 2, replace=False) for _ in range(number)]
    return [(TEAMS[a], TEAMS[b], *map(int, rng.integers(0, 4, 2))) for a, b in pairs]


def counted(played: list[tuple[str, str, int, int]]) -> Counter[tuple[str, str, str]]:
    """Count the battles: the winner first; of a tie, the first in the alphabet."""
    found: Counter[tuple[str, str, str]] = Counter()
    for home, away, for_home, for_away in played:
        if for_home == for_away:
            found[min(home, away), "ties", max(home, away)] += 1
        elif for_home > for_away:
            found[home, "beats", away] += 1
        else:
            found[away, "beats", home] += 1
    return found


def read_so(data: Battles) -> Counter[tuple[str, ...]]:
    units = zip(data.units.labels, data.units.counts.tolist(), strict=True)
    return Counter({tuple(str(label).split()): count for label, count in units})


POINTS = [
    "HomeTeam,AwayTeam,FTHG,FTAG",
    "home,away,home_goals,away_goals",
    "home_team,away_team,home_score,away_score",
    "team1,team2,score1,score2",
    "player_1,player_2,player_1_score,player_2_score",
    "Home Team,Visitor Team,Home Points,Visitor Points",
]


@pytest.mark.parametrize("names", POINTS)
def test_games_with_points(names: str) -> None:
    played = games(np.random.default_rng(1), 60)
    data = read_any(io.BytesIO(lines(names, [list(game) for game in played])))
    assert isinstance(data, Battles)
    assert read_so(data) == counted(played)


@pytest.mark.parametrize("letters", ["HDA", "1X2", "WDL"])
def test_games_with_a_result(letters: str) -> None:
    played = games(np.random.default_rng(2), 60)
    results = [letters[1 - int(np.sign(a - b))] for _, _, a, b in played]
    rows = [
        [home, away, result]
        for (home, away, _, _), result in zip(played, results, strict=True)
    ]
    data = read_any(io.BytesIO(lines("HomeTeam,AwayTeam,FTR", rows)))
    assert read_so(data) == counted(played)  # type: ignore[arg-type]


def test_points_and_a_result_must_agree() -> None:
    text = "Div,HomeTeam,AwayTeam,FTHG,FTAG,FTR\nE0,x,y,2,1,H\nE0,y,x,1,1,{}\n"
    data = read_any(io.BytesIO(text.format("D").encode()))
    assert data.n_units == 2
    with pytest.raises(
        InvalidDataError, match=r"another result.*'FTR', on line 3.*ignore=\"FTR\""
    ):
        read_any(io.BytesIO(text.format("A").encode()))
    shootout = read_any(io.BytesIO(text.format("A").encode()), ignore=["FTR"])
    assert sorted(shootout.units.labels) == ["x beats y", "x ties y"]  # type: ignore[type-var]
    with pytest.raises(
        InvalidDataError, match=r"'2 to 1'.*points alone with ignore=\"result\""
    ):
        read_any(
            io.BytesIO(b"home,away,home_goals,away_goals,result\nx,y,2,1,2 to 1\n")
        )
    assert (
        read_any(
            io.BytesIO(b"home,away,home_goals,away_goals,result\nx,y,2,1,2-1\n")
        ).n_units
        == 1
    )


def test_games_to_come() -> None:
    text = b"home,away,home_goals,away_goals\nx,y,2,1\ny,x,,\n"
    with pytest.raises(MissingValuesError, match=r"on line 3.*drop=\"\""):
        read_any(io.BytesIO(text), kind="battles")
    with pytest.raises(NotRecognisedError) as caught:
        read_any(io.BytesIO(text))
    assert list(caught.value.readings[0].read().units.labels) == ["x beats y"]
    data = read_any(io.BytesIO(text), drop="")
    assert list(data.units.labels) == ["x beats y"]
    assert "1 row left out by drop: blank 1" in data.notes


@pytest.mark.parametrize(
    ("sides", "results", "outcomes"),
    [
        ("model_a,model_b", ["a", "draw"], [1, 0]),
        ("model_b,model_a", ["a", "draw"], [-1, 0]),
        ("home,away", ["a", "draw"], [-1, 0]),
        ("left,right", ["a", "h"], [-1, 1]),
        ("left,right", ["a", "D"], [-1, 0]),
        ("left,right", ["a", "b"], [1, -1]),
        ("white,black", ["White", "black"], [1, -1]),
        ("white,black", ["1-0", "1/2-1/2"], [1, 0]),
        ("player_1,player_2", ["player_1", "2"], [1, -1]),
        ("team1,team2", ["1", "0.5"], [1, 0]),
        ("left,right", ["True", "False"], [1, -1]),
        ("left,right", ["win", "loss"], [1, -1]),
    ],
)
def test_one_letter_means_what_the_columns_say(
    sides: str, results: list[str], outcomes: list[int]
) -> None:
    left, right = sides.split(",")
    rows = [["p", "q", result] for result in results]
    data = Battles.read(
        io.BytesIO(lines(f"{sides},result", rows)), left=left, right=right
    )
    assert data.outcome.tolist() == outcomes


@pytest.mark.parametrize(
    ("sides", "word"),
    [("left,right", "a"), ("team1,team2", "l"), ("first,second", "a")],
)
def test_a_letter_with_two_meanings_is_refused_with_both(sides: str, word: str) -> None:
    with pytest.raises(
        InvalidDataError, match=f"'{word}': left wins as .*, right wins as .*on line 2"
    ):
        Battles.read(
            io.BytesIO(lines(f"{sides},result", [["p", "q", word], ["p", "q", "draw"]]))
        )


def test_numbers_beside_names_stay_one_item() -> None:
    text = b"player1,player2,winner\n2,1,1\n2,1,draw\n1,bye,1\n"
    data = Battles.read(io.BytesIO(text))
    assert data.items == ("1", "2", "bye")
    assert data.outcome.tolist() == [-1, 0, 1]
    ids = Battles.read(io.BytesIO(b"player1,player2,winner\n2,1,1\n2,1,draw\n"))
    assert (ids.items, ids.outcome.tolist()) == ((1, 2), [-1, 0])
    with pytest.raises(InvalidDataError, match="a side and as the label"):
        Battles.read(io.BytesIO(b"player1,player2,result\n2,1,1\n2,1,draw\n"))


def test_a_loss_is_not_the_left_side() -> None:
    def read(*words: str) -> list[int]:
        found: list[int] = Battles.read(
            io.BytesIO(lines("left,right,result", [["p", "q", word] for word in words]))
        ).outcome.tolist()
        return found

    for words in (["L", "D"], ["D", "L", "D"]):
        with pytest.raises(
            InvalidDataError, match=r"'L': left wins as names of .*, right wins"
        ):
            read(*words)
    assert (read("L", "draw"), read("L", "D", "R"), read("L", "W")) == (
        [1, 0],
        [1, 0, -1],
        [-1, 1],
    )


def test_truth_values_of_python() -> None:
    frame = {"left": ["x", "x"], "right": ["y", "y"], "result": [True, False]}
    assert Battles.from_frame(frame).outcome.tolist() == [1, -1]


TENNIS = (
    "tourney_id,surface,draw_size,winner_id,winner_seed,winner_name,winner_rank,winner_age,"
    "loser_id,loser_seed,loser_name,loser_rank,score,best_of,round,w_ace,l_ace"
)


def test_winners_and_losers_among_many_columns() -> None:
    rng = np.random.default_rng(3)
    pairs = [rng.choice(4, 2, replace=False) for _ in range(30)]
    rows = [
        [
            "t",
            "Clay",
            32,
            w,
            1,
            TEAMS[w],
            5,
            20,
            x,
            2,
            TEAMS[x],
            7,
            "6-1 6-2",
            3,
            "F",
            4,
            2,
        ]
        for w, x in pairs
    ]
    data = read_any(io.BytesIO(lines(TENNIS, rows)))
    assert isinstance(data, Battles)
    assert read_so(data) == Counter((TEAMS[w], "beats", TEAMS[x]) for w, x in pairs)
    by_id = read_any(
        io.BytesIO(lines(TENNIS, rows)),
        winner="winner_id",
        loser="loser_id",
        unit="round",
    )
    assert (by_id.units.kind, sorted(by_id.items)) == (
        "round",
        sorted({int(i) for pair in pairs for i in pair}),
    )  # type: ignore[type-var]


def test_wins_and_losses_that_are_counted_are_no_names() -> None:
    assert not isinstance(suggested(io.BytesIO(b"team,W,L\nx,3,5\ny,2,4\n")), Battles)
    assert isinstance(suggested(io.BytesIO(b"date,W,L\n1,x,y\n2,y,x\n")), Battles)


@pytest.mark.parametrize(("yes", "no"), [("1", "0"), ("True", "False")])
def test_winners_in_three_columns(yes: str, no: str) -> None:
    rng = np.random.default_rng(4)
    names = "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie"
    rows, expected = [], np.zeros(3, dtype=int)
    for row in range(40):
        won = int(rng.integers(3))
        expected[won] += 1
        rows.append(
            [
                row,
                "x",
                "y",
                f"p{row % 7}",
                "r",
                "s",
                *(yes if n == won else no for n in range(3)),
            ]
        )
    data = read_any(io.BytesIO(lines(names, rows)))
    assert isinstance(data, Battles)
    wins = dict(zip(data.units.labels, data.units.counts.tolist(), strict=True))
    assert [wins["x beats y"], wins["y beats x"], wins["x ties y"]] == expected.tolist()
    grouped = read_any(io.BytesIO(lines(names, rows)), unit="prompt")
    assert (grouped.units.kind, grouped.n_units) == ("prompt", 7)


def test_seasons_of_one_competition(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    one, two = games(rng, 40), games(rng, 30)
    (tmp_path / "2023.csv").write_bytes(
        lines("Date,HomeTeam,AwayTeam,FTHG,FTAG,Referee", [["d", *g, "r"] for g in one])
    )
    (tmp_path / "2024.csv").write_bytes(
        lines(
            "AwayTeam,FTAG,HomeTeam,FTHG,Odds",
            [[a, n, h, m, 2.5] for h, a, m, n in two],
        )
    )
    paths = [tmp_path / "2023.csv", tmp_path / "2024.csv"]
    for data in (read_any(paths), as_observations(str(tmp_path / "*.csv"))):
        assert read_so(data) == counted(one) + counted(two)  # type: ignore[arg-type]
        assert (
            "columns that not all files have, blank there: 'Date', 'Referee', 'Odds'"
            in data.notes
        )
    paths.append(tmp_path / "2025.csv")
    paths[-1].write_bytes(b"HomeTeam,AwayTeam,FTHG\najax,boca,3\n")
    with pytest.raises(
        InvalidDataError, match=r"FTAG has missing values, on line 2 \(2025\.csv\)"
    ):
        read_any(paths, kind="battles", points_left="FTHG", points_right="FTAG")
    with pytest.raises(NotRecognisedError):
        read_any(paths)


CHOICES = [
    ["1st choice", "2nd choice", "3rd choice"],
    ["choice_1", "choice_2", "choice_3"],
    ["First Choice", "Second Choice", "Third Choice"],
    ["rank 1", "rank 2", "rank 3"],
    ["Preference1", "Preference2", "Preference3"],
    [
        "DEM Mayor Choice 1 of 3 (02)",
        "DEM Mayor Choice 2 of 3 (02)",
        "DEM Mayor Choice 3 of 3 (02)",
    ],
]


@pytest.mark.parametrize("names", CHOICES)
def test_a_column_for_each_choice(names: list[str]) -> None:
    rng = np.random.default_rng(6)
    votes = [
        [TEAMS[t] for t in rng.permutation(4)[: rng.integers(1, 4)]] for _ in range(50)
    ]
    order = [2, 0, 1]  # of the columns in the file
    rows = [
        [voter, *([*vote, "", ""][place] for place in order)]
        for voter, vote in enumerate(votes)
    ]
    data = read_any(
        io.BytesIO(
            lines(",".join(["voter_id", *(names[place] for place in order)]), rows)
        )
    )
    assert isinstance(data, Ballots)
    found = dict(zip(data.units.labels, data.units.counts.tolist(), strict=True))
    assert found == Counter(" > ".join(vote) for vote in votes)
    assert any(
        f"{names[0]!r}, {names[1]!r}, {names[2]!r} read as the ranks" in note
        for note in data.notes
    )


def test_choices_that_are_numbers_are_one_kind_of_label() -> None:
    data = read_any(io.BytesIO(b"choice_1,choice_2\n7,8\n8,\n"))
    assert data.items == (7, 8)


@pytest.mark.parametrize(
    "names", ["choice_2,choice_3", "choice_1,other", "page_rank_1,page_rank_2"]
)
def test_columns_that_are_no_choices(names: str) -> None:
    with pytest.raises(NotRecognisedError) as caught:
        read_any(io.BytesIO(f"{names}\n1,2\n2,1\n".encode()))
    assert not any(one.kind.name == "ballots" for one in caught.value.readings)


class TestLabels:
    MOVIES = b"movieId,title,genres\n1,Heat,Drama\n2,Heat,Crime\n3,Up,\n"
    RATINGS = b"userId,movieId,rating\n1,1,3\n2,2,4\n1,3,5\n1,9,1\n"

    def test_a_file(self, tmp_path: Path) -> None:
        duckdb, path = pytest.importorskip("duckdb"), tmp_path / "movies.csv"
        path.write_bytes(self.MOVIES)
        plain = read_any(io.BytesIO(self.RATINGS))
        (tmp_path / "ratings.csv").write_bytes(self.RATINGS)
        for data in (
            read_any(io.BytesIO(self.RATINGS), labels=path),
            scan_any(duckdb.read_csv(str(tmp_path / "ratings.csv")), labels=str(path)),
        ):
            assert data.items == ("Heat (1)", "Heat (2)", "Up", 9)
            assert any("ids without a name: 1" in note for note in data.notes)
            assert data.item_counts.tolist() == plain.item_counts.tolist()
            assert "Up" in str(Study(data).topk(1))
        told = read_any(io.BytesIO(self.RATINGS), labels=f"{path}:movieId,genres")
        assert told.items == ("Drama", "Crime", 3, 9)

    def test_a_mapping_and_a_frame(self) -> None:
        pl = pytest.importorskip("polars")
        votes = Votes(["007", "008", "007"])
        assert votes.with_labels({"007": "Bond"}).items == ("Bond", "008")
        frame = pl.DataFrame({"id": ["007", "008"], "agent": ["Bond", "Bill"]})
        assert votes.with_labels(frame).items == ("Bond", "Bill")
        with pytest.raises(InvalidLabelError, match="none of the items is among"):
            votes.with_labels({7: "Bond"})

    def test_columns_other_than_the_first_two_are_said(self, tmp_path: Path) -> None:
        path = tmp_path / "links.csv"
        path.write_text("movieId,otherId,name\n1,2,a\n2,1,b\n")
        with pytest.raises(
            ColumnError, match=r"'movieId', 'otherId' cannot be the col.*FILE:ID,NAME"
        ):
            Votes([1, 2]).with_labels(path)
        assert Votes([1, 2]).with_labels(f"{path}:otherId,name").items == ("b", "a")
        with pytest.raises(
            InvalidLabelError, match=r"none of the items is among.*FILE:ID,NAME"
        ):
            Votes(["x"]).with_labels(f"{path}:movieId,name")
        with pytest.raises(ColumnError, match="no column 'nme'"):
            Votes([1, 2]).with_labels(f"{path}:movieId,nme")
        with pytest.raises(
            ColumnError, match=r"'movieId' cannot be the columns.*FILE:ID,NAME"
        ):
            Votes([1, 2]).with_labels(f"{path}:movieId")
        path.write_text("id,name\n1,a\n1,b\n2,c\n")
        with pytest.raises(
            InvalidLabelError,
            match=r"1 has two names in column 'id', on line 2 of links",
        ):
            Votes([1, 2]).with_labels(path)


class TestRegressionTables:
    def test_gaps_are_refused_or_dropped(self) -> None:
        text = b"a,b,y\n1,2,3\n,1,2\n2,1,\n4,1,2\n"
        with pytest.raises(
            MissingValuesError, match=r"1 value is missing.*missing=\"drop\""
        ):
            Regression.read(io.BytesIO(b"a,b,y\n1,2,3\n,1,2\n"))
        data = read_any(io.BytesIO(text), missing="drop", response="y", raw=True)
        assert isinstance(data, Regression)
        assert (data.X.tolist(), data.y.tolist()) == (
            [[1.0, 2.0], [4.0, 1.0]],
            [3.0, 2.0],
        )
        assert data.notes[-1] == "2 rows with 2 missing values dropped: 1, 2"
        with pytest.raises(InvalidSettingError):
            Regression([[1.0]], [1.0], missing="available")

    def test_dataframes_keep_the_names_of_their_columns(self) -> None:
        pl = pytest.importorskip("polars")
        frame = pl.DataFrame({"age": [1.0, 2.0], "height": [3, 5]})
        data = Regression(frame, pl.Series([1.0, 2.0]))
        assert (data.items, data.X.tolist()) == (
            ("age", "height"),
            [[1.0, 3.0], [2.0, 5.0]],
        )

    def test_classifiers_take_texts(self) -> None:
        linear = pytest.importorskip("sklearn.linear_model")
        rng = np.random.default_rng(7)
        X = rng.normal(size=(30, 3))
        y = ["yes" if row[1] > 0 else "no" for row in X]
        data = Regression(X, y, items=["a", "b", "c"])
        assert data.responses.tolist() == y
        expected = np.abs(linear.LogisticRegression().fit(X, y).coef_[0])
        assert Refit(linear.LogisticRegression()).score(data) == pytest.approx(expected)
        assert Study(data, linear.LogisticRegression()).topk(1).sure == ("b",)
        for scorer in (
            None,
            "ridge:penalty=1",
            linear.LinearRegression(),
            lambda data: data.y[:3],
        ):
            with pytest.raises(
                NotANumberError, match=r"y must be numbers for .* '(yes|no)'"
            ):
                Study(data, scorer).topk(1)

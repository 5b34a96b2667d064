"""Shapes that are known by their profile: taken at once, or by the first command of the refusal."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from steadyrank import Study, read_any
from steadyrank.errors import InvalidDataError, NotRecognisedError
from suggested import suggested

LETTERS = "abcdef"


def stream(header: str, rows: list[list[Any]]) -> io.BytesIO:
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    return io.BytesIO("\n".join([*lines, ""]).encode())


def games(rng: np.random.Generator) -> list[list[Any]]:
    found = []
    for home in LETTERS:
        for away in LETTERS:
            if home != away:
                one, two = rng.integers(0, 4, size=2).tolist()
                result = "H" if one > two else "A" if one < two else "D"
                found.append(
                    [
                        "E0",
                        "1/8/20",
                        home,
                        away,
                        one,
                        two,
                        result,
                        0,
                        0,
                        "D",
                        "ref",
                        2.1,
                        3.4,
                    ]
                )
    return found


FOOTBALL = "Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR,HTHG,HTAG,HTR,Referee,B365H,B365D"


def test_games_with_goals_odds_and_many_other_columns(rng: np.random.Generator) -> None:
    data = read_any(stream(FOOTBALL, games(rng)))
    assert (data.kind.name, data.items, data.n_units) == ("battles", tuple(LETTERS), 30)


def test_classifiers_on_datasets() -> None:
    rows = [
        [f"c{i}", f"d{j}", (7 * i + 3 * j) % 10 / 10]
        for i in range(4)
        for j in range(5)
    ]
    data = read_any(stream("classifier_name,dataset_name,accuracy", rows))
    assert (data.kind.name, data.items) == ("scores", ("c0", "c1", "c2", "c3"))


def test_folds_are_averaged() -> None:
    rows = [
        [f, t, fold, 10 * fold] for f in "xyz" for t in ("s", "t") for fold in range(3)
    ]
    data = read_any(stream("framework,task,fold,result", rows))
    assert (data.items, data.values.tolist()) == (("x", "y", "z"), [[10.0] * 3] * 2)
    assert any("averaged" in note for note in data.notes)


def test_points_from_one_country_to_another() -> None:
    rows = [
        [a, b, (3 * i + 5 * j) % 12 + 1]
        for i, a in enumerate("FGIS")
        for j, b in enumerate("FGIS")
    ]
    rows = [row for row in rows if row[0] != row[1]]
    data = read_any(
        stream("from_country,to_country,points", rows)
    )  # totals are what is published
    assert (data.kind.name, data.items, data.n_units) == ("votes", tuple("FGIS"), 4)
    given = {b: sum(p for _, two, p in rows if two == b) for b in "FGIS"}
    assert dict(zip(data.items, data.item_counts.tolist(), strict=True)) == given
    parts = [[a.lower(), b.lower(), a, b, p, p // 2, p - p // 2] for a, b, p in rows]
    names = "from_id,to_id,from_country,to_country,jury_points,tele_points,total_points"
    again = suggested(stream(names, [[*row[:4], *row[5:], row[4]] for row in parts]))
    assert again.items == tuple("FGIS")
    assert again.item_counts.tolist() == data.item_counts.tolist()


def test_picks_of_critics() -> None:
    rows = [[f"c{i}", f"f{(i + j) % 7}", j + 1] for i in range(6) for j in range(5)]
    data = read_any(stream("critic,film,rank", rows))
    assert (data.kind.name, data.n_units, data.n_items) == ("ballots", 6, 7)


class TestChoicesInColumns:
    ROWS = (
        ("ann", "ann", "bob"),
        ("undervote", "bob", "ann"),
        ("cat", "overvote", "bob"),
    )

    def test_repeats_undervotes_and_overvotes(self) -> None:
        text = "vote_1,vote_2,vote_3\n" + "".join(
            f"{','.join(row)}\n" for row in self.ROWS
        )
        data = read_any(io.BytesIO(text.encode()))
        assert list(data.units.labels) == ["ann > bob", "bob > ann", "cat > bob"]
        assert (
            "1 ballot with an item twice: its first place counts (repeats)"
            in data.notes
        )
        with pytest.raises(ValueError, match="names 'ann' twice"):
            read_any(io.BytesIO(text.encode()), repeats="error")

    def test_ballots_that_name_nobody_are_dropped_by_the_command(self) -> None:
        rows = [
            [n, "A", *row] for n, row in enumerate([*self.ROWS, ("undervote",) * 3])
        ]
        names = ",".join(f"Mayor Choice {n} of 3" for n in (1, 2, 3))
        data = suggested(stream(f"Cast Vote Record,Precinct,{names}", rows))
        assert (data.kind.name, data.n_units) == ("ballots", 3)


def test_yes_and_no_are_answers_not_candidates() -> None:
    with pytest.raises(NotRecognisedError) as caught:
        read_any(stream("voter,vote", [[n, n % 2] for n in range(9)]))
    assert not caught.value.readings


@pytest.mark.parametrize(
    ("header", "way"), [("judge,x,y,z", "columns"), ("item,p,q,r", "rows")]
)
def test_ranks_in_cells_ask_which_end_is_best(header: str, way: str) -> None:
    with pytest.raises(NotRecognisedError) as caught:
        read_any(stream(header, [["u", 1, 2, 3], ["v", 2, 3, 1], ["w", 3, 1, 2]]))
    first, second = caught.value.readings[:2]
    assert [one.arguments["lower_is_better"] for one in (first, second)] == [
        "all",
        "none",
    ]
    assert first.arguments["items_in"] == way


def test_ranks_with_gaps_are_ranks_of_the_columns() -> None:
    full = [[1, 2, 3], [1, 3, 2], [2, 1, 3], [1, 2, 3]]
    with pytest.raises(NotRecognisedError) as caught:
        read_any(stream("Ann,Bob,Cat", [*full, [1, "", ""], ["", 1, 2], [2, 1, ""]]))
    ranked, *others = caught.value.readings
    assert [one.arguments["lower_is_better"] for one in others] == ["all", "none"]
    assert ranked.arguments == {"kind": "ballots", "ranked": ["Ann", "Bob", "Cat"]}
    ballots = ranked.read()
    orders = [
        "Ann",
        "Ann > Bob > Cat",
        "Ann > Bob > Cat",
        "Ann > Cat > Bob",
        "Bob > Ann",
        "Bob > Ann > Cat",
    ]
    found = zip(ballots.units.labels, ballots.units.counts, strict=True)
    assert sorted(label for label, n in found for _ in range(n)) == sorted(
        [*orders, "Bob > Cat"]
    )
    data = others[0].read()
    assert data.items[np.nanmean(data.values, axis=0).argmax()] == "Ann"


@pytest.mark.parametrize(
    "names", [("Choice A", "Choice B"), ("Ann_votes", "Bob_votes", "Cat_votes")]
)
def test_who_stays_at_home_is_no_candidate(
    names: tuple[str, ...], rng: np.random.Generator
) -> None:
    rows = rng.integers(1, 99, size=(20, 2 + len(names))).tolist()
    rows = [[f"town {n}", sum(row), *row] for n, row in enumerate(rows)]
    header = ",".join(["Town", "Registered", "Abstentions", "Null votes", *names])
    assert suggested(stream(header, rows)).items == names


def test_no_beside_yes_is_an_answer() -> None:
    rows = [[f"p{n}", 30 + 7 * n % 5, 20 + n, 40 - n] for n in range(9)]
    assert suggested(stream("precinct,other,yes,no", rows)).items == (
        "other",
        "yes",
        "no",
    )


def test_places_are_columns_called_by_numbers(rng: np.random.Generator) -> None:
    films = [f"film {n}" for n in range(150)]
    rows = [[f"critic {n}", *rng.choice(films, 5, replace=False)] for n in range(120)]
    data = suggested(stream("critic,1,2,3,4,5", rows))
    assert (data.kind.name, data.n_units) == ("ballots", 120)


def test_blank_results_are_dropped_by_the_command() -> None:
    rows = [
        [a, b, a if (i + j) % 2 else b]
        for i, a in enumerate(LETTERS)
        for j, b in enumerate(LETTERS)
    ]
    rows = [row for row in rows if row[0] != row[1]]
    rows[3][2] = ""
    data = suggested(stream("one,other,result", rows))
    assert (data.kind.name, data.n_units) == ("battles", 29)


def test_a_refusal_shows_what_it_would_rank_and_why() -> None:
    with pytest.raises(NotRecognisedError) as caught:
        read_any(stream("task,x,y", [["s", 1, 2], ["t", 2, 1]]))
    said = str(caught.value)
    assert "read_any(..., kind='scores', row='task', items_in='columns')" in said
    assert "ranks 2 items: 'x', 'y'" in said
    assert caught.value.readings[0].command("topk", "f.csv", "-k", "1") == [
        "steadyrank", "topk", "f.csv", "-k", "1", "--kind", "scores", "--row", "task",
        "--items-in", "columns",
    ]  # fmt: skip


def test_the_ends_of_an_interval_are_no_columns_to_average() -> None:
    rows = [
        [name, 80 - place, 78 - place, 82 - place, 500]
        for place, name in enumerate(LETTERS)
    ]
    header = "model,score,rating_q025,rating_q975,avg_tokens"
    with pytest.raises(NotRecognisedError) as refused:
        read_any(stream(header, rows))
    first, *others = refused.value.readings
    assert first.roles == {"item": "model", "score": "score"}
    for one in others:  # in rows, nothing but the score itself is left to average
        assert one.options.get("items_in") != "rows"


def test_points_of_both_sides_in_one_cell(rng: np.random.Generator) -> None:
    rows = [
        ["Sat Aug 19", home, f"{one}-{two}", away]
        for _, _, home, away, one, two, *_ in games(rng)
    ]
    data = read_any(stream("Date,Team 1,FT,Team 2", rows))
    given = read_any(stream(FOOTBALL, games(np.random.default_rng(7))))
    assert (data.kind.name, data.items, data.n_units) == ("battles", tuple(LETTERS), 30)
    assert data.outcome.tolist() == given.outcome.tolist()


def test_points_beside_two_sides_without_names(rng: np.random.Generator) -> None:
    rows = [
        [away, "/a", two, home, "/h", one]
        for _, _, home, away, one, two, *_ in games(rng)
    ]
    data = suggested(stream("c1x,c2x,c3x,c4x,c5x,c6x", rows))
    assert (data.kind.name, data.items, data.n_units) == ("battles", tuple(LETTERS), 30)


def test_points_that_belong_to_the_team_are_no_result(rng: np.random.Generator) -> None:
    rating = {letter: 1000 + 50 * place for place, letter in enumerate(LETTERS)}
    rows = [[row[2], row[3], rating[row[2]], rating[row[3]]] for row in games(rng)]
    with pytest.raises(NotRecognisedError):
        read_any(stream("team1,team2,team1points,team2points", rows))


def test_numbered_columns_are_measures_of_the_rows() -> None:
    rows = [
        [name, *((3 * place + 7 * n) % 10 for n in range(6))]
        for place, name in enumerate(LETTERS)
    ]
    header = ",".join(f"week{1 + n // 2}_judge{1 + n % 2}_score" for n in range(6))
    data = suggested(stream(f"celebrity,{header}", rows))
    assert (data.kind.name, data.items) == ("scores", tuple(LETTERS))


def test_parts_of_a_whole_are_items_whatever_their_sizes() -> None:
    rows = [
        [f"2020-01-{n + 1:02}", "abc"[n % 3], 40 + n % 3, 30, 22 - n % 3, 6, 2]
        for n in range(12)
    ]
    data = suggested(stream("date,house,red,blue,gold,grey,rest", rows))
    assert data.items == ("red", "blue", "gold", "grey", "rest")


def test_columns_of_two_scales_are_not_taken_for_parts_of_a_whole() -> None:
    """Rows that add up to about the same prove nothing where the items are in the rows."""
    rows = [[f"net {n}", *(7 + n % 3 / 10 for _ in range(6)), 52 + n] for n in range(8)]
    with pytest.raises(NotRecognisedError) as refused:
        read_any(stream("model,a1,a2,b1,b2,c1,c2,attack", rows))
    assert not any(
        "of a whole" in why for one in refused.value.readings for why in one.support
    )


def test_what_comes_again_is_ranked_not_what_comes_once() -> None:
    rows = [
        [y, c, f"song {y}{c}", (3 * y + 7 * n) % 11]
        for y in range(8)
        for n, c in enumerate(LETTERS)
    ]
    data = suggested(
        stream("year,country,song,points", [[2000 + y, *row] for y, *row in rows])
    )
    assert (data.kind.name, data.items) == ("scores", tuple(LETTERS))


def test_numbers_beside_a_choice_are_not_passed_over() -> None:
    rows = [
        [f"2020-01-{d + 1:02}", p, 30 + d + 5 * n]
        for d in range(9)
        for n, p in enumerate("xyz")
    ]
    data = suggested(stream("date,party,poll", rows))
    assert (data.kind.name, data.items) == ("scores", tuple("xyz"))


def test_marks_in_long_texts_are_no_orders() -> None:
    rows = [
        [f"q{n}", f"PREFIX a: <http://x{n}> SELECT ?{n} WHERE <y{n}>"] for n in range(9)
    ]
    with pytest.raises(NotRecognisedError):
        read_any(stream("query,text", rows))


def test_numbers_that_name_the_winner_of_their_row_are_battles(
    rng: np.random.Generator,
) -> None:
    one = rng.integers(1, 9, size=60)
    two = (one + rng.integers(1, 7, size=60)) % 9
    won = np.where(rng.random(60) < 0.5, one, two)
    data = suggested(
        stream("first,second,best", np.column_stack([one, two, won]).tolist())
    )
    assert (data.kind.name, len(data.items)) == ("battles", 9)


def test_numbers_called_votes_beside_names_count_them() -> None:
    data = suggested(
        stream("team,votes", [["Reds", 120], ["Blues", 80], ["Greens", 30]])
    )
    assert (data.kind.name, data.items, data.n_units) == (
        "votes",
        ("Blues", "Greens", "Reds"),
        230,
    )


def first_command(text: str) -> list[str]:
    with pytest.raises(NotRecognisedError) as refused:
        read_any(io.BytesIO(text.encode()))
    return list(refused.value.readings[0].typed)


def test_parts_of_a_whole_are_told_by_the_total_beside_them_in_any_language() -> None:
    rng = np.random.default_rng(5)
    parts = rng.integers(0, [5, 90, 400, 30], size=(40, 4))
    rows = [
        [n, "כן", 900, sum(row) + 7, sum(row), *row]
        for n, row in enumerate(parts.tolist())
    ]
    text = "\n".join(
        ",".join(map(str, row))
        for row in [["קלפי", "מצב", "א", "ב", "ג", *"דהוז"], *rows]
    )
    assert "ד,ה,ו,ז" in first_command(text)


def test_neighbouring_columns_of_counts_are_items_without_the_shares_beside_them() -> (
    None
):
    rng = np.random.default_rng(6)
    counts = rng.integers(0, [9, 200, 50, 3, 70], size=(30, 5))
    counts[0] = 0
    rows = [[f"ED {n}", 90 + n % 9, *row] for n, row in enumerate(counts.tolist())]
    text = "\n".join(
        ",".join(map(str, row)) for row in [["place", "pct_in", *"abcde"], *rows]
    )
    assert "a,b,c,d,e" in first_command(text)


def test_rows_stand_for_themselves_where_nothing_says_who_rated() -> None:
    rows = [[LETTERS[n % 4], f"r{n % 7}x{n}", 80 + n % 11] for n in range(60)]
    text = "\n".join(
        ",".join(map(str, row)) for row in [["country", "wine", "points"], *rows]
    )
    data = read_any(
        io.BytesIO(text.encode()), kind="ratings", item="country", score="points"
    )
    assert (data.n_units, data.units.kind) == (60, "row")
    assert any("each row counts by itself" in note for note in data.notes)


def test_suggestions_of_one_of_several_tables_name_it() -> None:
    one = "| Model | a | b | c |\n|---|---|---|---|\n| x | 1 | 2 | 3 |\n| y | 2 | 3 | 1 |\n"
    text = f"{one}\n\n{one}| z | 3 | 1 | 2 |\n"
    typed = first_command(text)
    assert typed[typed.index("--sheet") + 1] == "2"


def test_ranks_with_ties_may_be_best_at_either_end() -> None:
    text = "candidate,v1,v2,v3,v4\na,1,2,1,4\nb,2,2,1,1\nc,3,1,3,2\nd,3,4,4,3\n"
    with pytest.raises(NotRecognisedError) as refused:
        read_any(io.BytesIO(text.encode()))
    ends = [one.options["lower_is_better"] for one in refused.value.readings[:2]]
    assert ends == ["all", "none"]


@pytest.mark.parametrize(
    ("header", "roles"),
    [
        ("n,song1,song2,votes1,votes2", {"left": "song1", "points_left": "votes1"}),
        ("n,T1,T2,Score T1,Score T2", {"left": "T1", "points_left": "Score T1"}),
        (
            "n,blue side,orange side,orange cubes,blue cubes",
            {"points_left": "blue cubes"},
        ),
    ],
)
def test_sides_and_their_points_differ_by_the_same_word(
    rng: np.random.Generator, header: str, roles: dict[str, str]
) -> None:
    rows = [[n, *row[2:6]] for n, row in enumerate([*games(rng), *games(rng)], start=1)]
    with pytest.raises(NotRecognisedError) as caught:
        read_any(stream(header, rows))
    first = caught.value.readings[0]
    assert first.kind.name == "battles"
    assert roles.items() <= first.roles.items()


def test_points_of_sides_told_by_a_letter_count_where_a_winner_is_neither_side(
    rng: np.random.Generator,
) -> None:
    rows = [row[2:6] for row in games(rng)]
    rows = [
        [*row, row[0] if row[2] > row[3] else "nobody" if row[2] == row[3] else row[1]]
        for row in rows
    ]
    data = read_any(stream("Team A,Team B,Team A Score,Team B Score,Winner", rows))
    assert (data.kind.name, data.items) == ("battles", tuple(LETTERS))


def test_a_result_of_each_side_is_read_of_the_first_and_other_words_are_dropped(
    rng: np.random.Generator,
) -> None:
    words = {"H": "W,L", "A": "L,W", "D": "D,D"}
    rows = [[row[2], row[3], words[row[6]]] for row in games(rng)]
    rows[5][2] = "NC,NC"
    with pytest.raises(NotRecognisedError) as caught:
        read_any(stream("f1_name,f2_name,f1_result,f2_result", rows))
    first = caught.value.readings[0]
    assert (first.roles["winner"], first.options["drop"]) == ("f1_result", ["", "NC"])


@pytest.mark.parametrize("name", ["differ", "hardly", "could be", "repeat: "])
def test_no_reading_hangs_on_the_words_of_its_reasons(name: str) -> None:
    """Columns may be called what a reason against a reading says: nothing else may follow from that."""
    rows = [
        f"{'st'[n % 2]},v{n % 3},{n + 0.5},{2 * n + 0.5},{n / 2},{n % 4}"
        for n in range(12)
    ]
    found = []
    for called in (name, "zzz"):
        text = "\n".join([f"{called},other,a,b,c,d", *rows])
        with pytest.raises(NotRecognisedError) as refused:
            read_any(io.BytesIO(text.encode()))
        told = [
            (one.kind.name, one.points, one.firm, one.strong)
            for one in refused.value.readings
        ]
        found.append(told)
    assert found[0]
    assert found[0] == found[1]


@pytest.mark.parametrize("third", ["c", "3", "z"])
def test_two_of_three_sides_are_no_battle(third: str) -> None:
    one, two = {"c": "ab", "3": "12", "z": "xy"}[third]
    header = ",".join(f"team_{side},team_{side}_wins" for side in (one, two, third))
    rows = [
        ["p", 1, "q", 2, "r", 0],
        ["q", 2, "r", 1, "p", 1],
        ["r", 0, "p", 3, "q", 1],
    ] * 3
    with pytest.raises(NotRecognisedError):
        read_any(stream(header, rows))
    assert (
        read_any(stream(header.rsplit(",", 2)[0], [row[:4] for row in rows])).kind.name
        == "battles"
    )


@pytest.mark.parametrize("twice", [False, True])
def test_ratings_by_numbers_alone_are_offered_both_ways(
    rng: np.random.Generator, twice: bool
) -> None:
    pairs = {
        (int(rng.integers(0, 90)), int(rng.integers(100, 130))) for _ in range(900)
    }
    rows = [[user, item, int(rng.integers(1, 6))] for user, item in sorted(pairs)]
    head, *rest = rows + rows[:200] * twice
    with pytest.raises(NotRecognisedError) as caught:
        read_any(stream(",".join(map(str, head)), rest))
    first, second, *_ = caught.value.readings
    assert (first.roles["user"], first.roles["item"]) == ("column_1", "column_2")
    assert (second.roles["user"], second.roles["item"]) == ("column_2", "column_1")
    assert first.kind.name == second.kind.name == "ratings"
    assert (first.options.get("duplicates") == "mean") == twice


def test_only_numbers_of_many_scales_may_be_a_regression(
    rng: np.random.Generator,
) -> None:
    rows = [
        [*row, 3 * row[0] + row[1] / 100]
        for row in (rng.random((40, 3)) * [1, 500, 30]).tolist()
    ]
    data = suggested(stream("crim,tax,dis,medv", rows))
    assert (data.kind.name, data.items) == ("regression", ("crim", "tax", "dis"))


def test_what_follows_the_looked_at_rows_is_mended() -> None:
    """A pair that repeats only far below is averaged by the command, not left unproposed."""
    rows = [
        [f"race {n}", f"driver {m}", (3 * n + 7 * m) % 26]
        for n in range(700)
        for m in range(10)
    ]
    with pytest.raises(
        InvalidDataError, match="driver 9' has more than one value"
    ) as caught:
        read_any(stream("race,driver,points", [*rows, rows[-1]]))
    (only,) = caught.value.readings
    assert not any("once" in why for why in only.support)
    data = only.read()
    assert (data.kind.name, data.n_items, data.n_units) == ("scores", 10, 700)
    assert any(
        "1 repeated score of an item in a row averaged" in note for note in data.notes
    )


def test_rows_without_a_unit_can_be_dropped() -> None:
    rows = [[f"q{n // 3}" if n != 4 else "", "xyz"[n % 3], n % 5] for n in range(30)]
    text = stream("question,model,score", rows).getvalue()
    with pytest.raises(
        InvalidDataError, match=r"rows must not be missing or blank.*line 6"
    ) as caught:
        read_any(io.BytesIO(text))
    (only,) = caught.value.readings
    assert only.options == {"missing": "available", "drop": [""]}
    data = only.read()
    assert (data.kind.name, data.items, data.n_units) == ("scores", tuple("xyz"), 10)
    assert np.isnan(data.values).sum() == 1
    assert "1 row left out by drop: blank 1" in data.notes


def test_rows_of_one_item_are_averaged_where_that_is_said(
    rng: np.random.Generator,
) -> None:
    names, values = (
        rng.permutation(list("xyz") * 5),
        rng.integers(0, 9, (15, 3)).astype(float),
    )
    values[rng.random((15, 3)) < 0.2] = np.nan
    columns = {"model": names.tolist(), **{f"task {n}": values[:, n] for n in range(3)}}
    with pytest.raises(InvalidDataError, match="named once each"):
        read_any(
            columns, kind="scores", item="model", items_in="rows", missing="available"
        )
    data = read_any(
        columns,
        kind="scores",
        item="model",
        items_in="rows",
        missing="available",
        duplicates="mean",
    )
    for place, name in enumerate(data.items):
        for task in range(3):
            some = [
                v
                for v, one in zip(values[:, task], names, strict=True)
                if one == name and v == v
            ]
            expected = sum(some) / len(some) if some else np.nan
            np.testing.assert_allclose(data.values[task, place], expected, rtol=1e-14)
    assert any("12 repeated rows averaged" in note for note in data.notes)


def test_points_of_voters_are_added_up(rng: np.random.Generator) -> None:
    rows = [
        [f"song {n % 9}", f"voter {n // 9}", int(rng.integers(0, 4)), "so so"]
        for n in range(90)
    ]
    data = suggested(stream("Song URI,Voter ID,Points Assigned,Comment", rows))
    assert (data.kind.name, data.n_units) == ("votes", 10)  # of voters, not of rows
    totals = {
        f"song {n}": sum(row[2] for row in rows if row[0] == f"song {n}")
        for n in range(9)
    }
    scores = dict(zip(data.items, Study(data).scores, strict=True))
    best = max(totals.values())
    assert {s for s, total in totals.items() if total == best} == {
        s for s, score in scores.items() if score == max(scores.values())
    }


def test_a_table_of_results_is_ranked_by_what_sums_its_rows_up() -> None:
    rows = [
        [n + 1, f"club {n}", 30, 20 - n, n % 4, 10 + n, 90 - 4 * n] for n in range(9)
    ]
    data = suggested(stream("Pos,Club,J,G,N,P,Pts", rows))
    assert (data.kind.name, data.n_items) == ("ratings", 9)
    assert (
        data.items[int(np.argmax(Study(data, "mean-rating:shrinkage=0").scores))]
        == "club 0"
    )


def test_sizes_that_go_up_name_the_rows(rng: np.random.Generator) -> None:
    rows = [[100 * 2**n, *(rng.random(3) * 2**n).round(4)] for n in range(8)]
    data = suggested(stream("Size,Heap,Merge,Quick", rows))
    assert (data.items, data.n_units) == (("Heap", "Merge", "Quick"), 8)
    assert (data.values < 0).any()  # times: less is better
    taken = read_any(
        stream("Size,Heap,Merge,Quick", rows), kind="scores"
    )  # who says it gets all
    assert taken.items == ("Size", "Heap", "Merge", "Quick")


def test_names_rather_than_what_is_short_for_them() -> None:
    names = {"DEU": "Germany", "JPN": "Japan", "CHE": "Switzerland", "SWE": "Sweden"}
    rows = [
        [y, *both, (y + 7 * n) % 5]
        for y in range(2000, 2009)
        for n, both in enumerate(names.items())
    ]
    data = suggested(stream("year,abbrv,country,eci_value", rows))
    assert {*data.items} == {*names.values()}


def test_n_tells_how_large_a_sample_was() -> None:
    rows = [[f"club {n % 5}", 2000 + n // 5, n % 7, 3 * n % 40] for n in range(40)]
    with pytest.raises(NotRecognisedError) as refused:
        read_any(stream("club,year,N,points", rows))
    assert not any(one.roles.get("count") == "N" for one in refused.value.readings)
    data = read_any(stream("choice,n", [["a", 3], ["b", 2]]))
    assert (data.kind.name, data.n_units) == ("votes", 5)


def test_bounds_of_measures_are_not_averaged_with_them() -> None:
    """Where every column is a mean or its bound, the bounds still are no measures."""
    header = "model,mean_prob,prob_lower,prob_upper,mean_accuracy,accuracy_lower,accuracy_upper"
    rows = [
        [
            f"net {n}",
            *(0.1 * (n + 1) + d for d in (0, -0.1, 0.1)),
            *(0.9 - 0.1 * n,) * 3,
        ]
        for n in range(6)
    ]
    with pytest.raises(NotRecognisedError) as refused:
        read_any(stream(header, rows))
    for one in refused.value.readings:
        if one.options.get("items_in") == "rows":
            assert one.roles["items"] == ["mean_prob", "mean_accuracy"]


def test_the_better_of_two_choices_is_shown_first() -> None:
    """That the other one is not in doubt does not make it the one that is meant."""
    rows = [
        [f"s{n // 4}", "abc"[n % 3] if n % 4 else "blank", "xy"[n % 2], 10 + n]
        for n in range(24)
    ]
    with pytest.raises(NotRecognisedError) as refused:
        read_any(stream("state,candidate,party,candidatevotes", rows))
    assert refused.value.readings[0].roles["choice"] == "candidate"


def test_times_of_single_runs_are_averaged_and_less_is_better(
    rng: np.random.Generator,
) -> None:
    for whole in (True, False):
        times = rng.integers(1, 200, 40) if whole else rng.random(40).round(3)
        rows = [["abcde"[n % 5], time] for n, time in enumerate(times.tolist())]
        data = suggested(stream("algorithm,run_time_ms", rows))
        assert (data.kind.name, data.n_units) == ("ratings", 40)
        means = {
            name: np.mean([time for one, time in rows if one == name])
            for name in "abcde"
        }
        scores = dict(
            zip(data.items, Study(data, "mean-rating:shrinkage=0").scores, strict=True)
        )
        assert sorted(means, key=means.__getitem__) == sorted(
            scores, key=lambda name: -scores[name]
        )
        assert any("less is better in 'run_time_ms'" in note for note in data.notes)
    told = {"item": ["x", "y", "x"], "score": np.array([200, 100, 250], dtype=np.uint8)}
    named = {"kind": "ratings", "item": "item", "score": "score"}
    taken = read_any(told, **named, lower_is_better="all")
    assert sorted(taken.values.tolist()) == [-250, -200, -100]
    assert read_any(told, **named, lower_is_better="none").values.max() == 250
    with pytest.raises(InvalidDataError, match="there is no measure 'loss'"):
        read_any(told, **named, lower_is_better=["loss"])


def test_items_called_metrics_are_ranked_by_times_all_the_same() -> None:
    """Names of items say nothing of whether less is better; the name of the values does."""
    rows = [["abc"[n % 3], 10 + n % 3] for n in range(12)]
    data = read_any(
        stream("metric,latency_ms", rows),
        kind="ratings",
        item="metric",
        score="latency_ms",
    )
    assert data.items == tuple("abc")
    assert np.argmax(Study(data, "mean-rating:shrinkage=0").scores) == 0

"""Games whose result is told otherwise: in other languages, on scales, on two rows, among numbers."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

from steadyrank.data.read import read_any
from steadyrank.errors import ColumnError, NotRecognisedError
from steadyrank.reading.readings import Reading

NAMES = ["Arden", "Belmont", "Corvus", "Dunmore", "Elston"]
Game = tuple[int, str, str, int, int]
GAMES: list[Game] = [
    (n, one, two, (n // 2 + len(one)) % 5, (2 * n + place) % 4)
    for n, (place, one, two) in enumerate(
        (shift, one, NAMES[(start + shift) % 5])
        for _ in range(3)
        for shift in (1, 2, 3, 4)
        for start, one in enumerate(NAMES)
    )
]
DECIDED = [game for game in GAMES if game[3] != game[4]]


def won(games: list[Game]) -> Counter[str]:
    """Return how often each one won, and how often nobody did."""
    return Counter(
        one if left > right else two if right > left else "tie"
        for _, one, two, left, right in games
    )


def found(data: Any) -> Counter[str]:
    """Return the same of data."""
    names = [*map(str, data.items)]
    told = zip(
        data.left.tolist(), data.right.tolist(), data.outcome.tolist(), strict=True
    )
    return Counter(
        names[a] if result > 0 else names[b] if result < 0 else "tie"
        for a, b, result in told
    )


def suggested(header: str, rows: list[list[object]]) -> list[Any]:
    """Return the readings that are suggested, or that which is taken."""
    text = "\n".join([header, *(",".join(map(str, row)) for row in rows)])
    try:
        return [read_any(io.BytesIO(text.encode()))]
    except NotRecognisedError as error:
        return list(error.readings)


def first(header: str, rows: list[list[object]]) -> Any:
    reading = suggested(header, rows)[0]
    return reading.read() if isinstance(reading, Reading) else reading


def result(game: Game, left: object, right: object, tie: object) -> object:
    return left if game[3] > game[4] else right if game[4] > game[3] else tie


TOLD: dict[str, tuple[str, Callable[[Game], list[object]]]] = {
    "points beside a winner": (
        "Round,Bot A,Bot B,Score A,Score B,Winner",
        lambda g: [*g, result(g, g[1], g[2], "Tie")],
    ),
    "goals among numbers of the teams": (
        "season,t1,t1_name,ft1,ft2,ht1,ht2,t2,t2_name",
        lambda g: [
            1990 + g[0] // 9,
            50040 + len(g[1]),
            g[1],
            g[3],
            g[4],
            0,
            0,
            50040 + len(g[2]),
            g[2],
        ],
    ),
    "German": ("Heim,Gast,Tore Heim,Tore Gast", lambda g: [*g[1:]]),
    "a tie in German": (
        "Heimmannschaft,Gastmannschaft,Sieger",
        lambda g: [g[1], g[2], result(g, g[1], g[2], "Unentschieden")],
    ),
    "a result in Spanish": (
        "equipo_local,equipo_visitante,resultado",
        lambda g: [g[1], g[2], result(g, "Local", "Visitante", "Empate")],
    ),
    "ties left blank beside points": (
        "mandante,visitante,vencedor,mandante_placar,visitante_placar",
        lambda g: [g[1], g[2], result(g, g[1], g[2], "-"), g[3], g[4]],
    ),
    "parts of the names of columns": (
        "prompt,output_1_model,output_2_model,preferred",
        lambda g: [f"p{g[0]}", g[1], g[2], result(g, "output_1", "output_2", "same")],
    ),
    "1, 2 and 0": (
        "q,model1,model2,vote",
        lambda g: [f"p{g[0]}", g[1], g[2], result(g, 1, 2, 0)],
    ),
    "1, -1 and 0": (
        "q,model_x,model_y,judgement",
        lambda g: [g[0], g[1], g[2], result(g, 1, -1, 0)],
    ),
    "letters in French": (
        "mc1,mc2,résultat",
        lambda g: [g[1], g[2], result(g, "V", "D", "N")],
    ),
    "letters in German": (
        "spieler_1,spieler_2,Ergebnis",
        lambda g: [*g[1:3], result(g, "S", "N", "U")],
    ),
    "letters in Dutch": (
        "speler 1,speler 2,uitslag",
        lambda g: [*g[1:3], result(g, "W", "V", "G")],
    ),
    "words in Italian": (
        "squadra1,squadra2,risultato",
        lambda g: [*g[1:3], result(g, "Vittoria", "Sconfitta", "Pareggio")],
    ),
    "names beside ids": (
        "blue id,orange id,blue name,orange name,blue goals,orange goals",
        lambda g: [f"x{ord(g[1][0])}f", f"x{ord(g[2][0])}f", *g[1:]],
    ),
    "a scale of five": (
        "rater,system_a,system_b,preference",
        lambda g: [
            f"r{g[0] % 7}",
            g[1],
            g[2],
            result(g, 1 + g[0] % 2, 4 + g[0] % 2, 3),
        ],
    ),
}


@pytest.mark.parametrize("how", TOLD)
def test_the_first_reading_knows_who_won(how: str) -> None:
    header, row = TOLD[how]
    assert found(first(header, [row(game) for game in GAMES])) == won(GAMES)


@pytest.mark.parametrize(
    ("header", "side"),
    [
        ("radiant,dire,win_radiant", 1),
        ("radiant,dire,dire_won", 2),
        ("home_team,away_team,home_win", 1),
        ("home_team,away_team,away_win", 2),
        ("team,opponent,opponent_result", 2),
        ("corner red,corner blue,blue winner", 2),
    ],
)
@pytest.mark.parametrize(
    "words", [("True", "False"), (1, 0), ("yes", "no"), ("win", "loss")]
)
def test_a_result_of_one_side_is_told_by_its_name(
    header: str, side: int, words: tuple[object, object]
) -> None:
    yes, no = words if side == 1 else words[::-1]
    rows = [[*g[1:3], result(g, yes, no, "")] for g in DECIDED]
    assert found(first(header, rows)) == won(DECIDED)


def test_a_result_of_the_other_side_is_not_that_of_the_side_that_was_named() -> None:
    rows = [[*g[1:3], result(g, "False", "True", "")] for g in DECIDED]
    text = "\n".join(
        ["home_team,away_team,away_win", *(",".join(map(str, row)) for row in rows)]
    )
    with pytest.raises(ColumnError):
        read_any(
            io.BytesIO(text.encode()),
            kind="battles",
            left="home_team",
            right="away_team",
        )
    given = {"left": "away_team", "right": "home_team"}
    for told in (given, {"winner": "away_win"}, {**given, "winner": "away_win"}):
        assert found(
            read_any(io.BytesIO(text.encode()), kind="battles", **told)
        ) == won(DECIDED)


def test_ids_that_are_named_are_kept_beside_names() -> None:
    header, row = TOLD["names beside ids"]
    text = "\n".join([header, *(",".join(map(str, row(game))) for game in GAMES)])
    data = read_any(io.BytesIO(text.encode()), kind="battles", left="blue id")
    assert data.items[0] == f"x{ord('A')}f"


@pytest.mark.parametrize(
    "named", ["13,23,17,9", "Class 19,Class 29,Class 7,Class 8", "film,song,hero,plot"]
)
def test_answers_to_several_questions_are_no_battles(named: str) -> None:
    """Two of them are never equal, and a third is always one of the two, but there is a fourth."""
    rows: list[list[object]] = [
        [*g[1:3], g[1 + (g[0] % 2)], NAMES[g[0] // 2 % 5]] for g in GAMES
    ]
    assert not any(one.kind.name == "battles" for one in suggested(named, rows))


def test_ranks_of_candidates_are_no_battles() -> None:
    rows = [
        [*first, *second]
        for first in permutations("123")
        for second in permutations("123")
    ]
    told = [row for row in rows if row[2] != row[5]] * 2
    header = "old hall,new hall,park,bus,tram,ferry"
    assert not any(one.kind.name == "battles" for one in suggested(header, told))


def test_records_are_no_sides() -> None:
    rows = [
        [g[0] % 9, f"{g[3]}-{g[4]}", f"{g[4]}-{g[3]}", f"{g[3] + 1}-{g[4]}"]
        for g in DECIDED
    ]
    found = suggested("team,home,road,record", [*rows, *rows])
    assert not any(one.kind.name == "battles" for one in found)


@pytest.mark.parametrize(
    "header", ["date,victor,vanquished", "id,chosen_model,rejected_model"]
)
def test_who_won_and_who_lost(header: str) -> None:
    rows = [
        [g[0], result(g, g[1], g[2], ""), result(g, g[2], g[1], "")] for g in DECIDED
    ]
    assert found(first(header, rows)) == won(DECIDED)


def test_scales_are_read_from_either_end() -> None:
    rows = [[g[1], g[2], result(g, -1 - g[0] % 3, 1 + g[0] % 3, 0)] for g in GAMES]
    one, two = (
        reading.read()
        for reading in suggested("left system,right system,slider", rows)[:2]
    )
    assert found(two) == won(GAMES)
    assert {*one.left.tolist()} == {*two.right.tolist()}


def test_numbers_of_a_scale_are_no_results_where_some_are_names() -> None:
    rows = [[game[0] % 4, 4 + game[0] % 3, game[0] % 4] for game in GAMES]
    rows[3][2] = 5  # which did not play
    data = read_any({name: [row[n] for row in rows] for n, name in enumerate(("left", "right"))}
                    | {"winner": ["left"] * len(rows)})  # fmt: skip
    assert data.kind.name == "battles"
    with pytest.raises(Exception, match="unknown outcome 5"):
        read_any(
            {
                n: [row[k] for row in rows]
                for k, n in enumerate(("left", "right", "winner"))
            }
        )


def test_seasons_at_home_and_away_are_told_once() -> None:
    rows = [[2020, *game[1:]] for game in GAMES[:20]] + [
        [2021, *game[1:]] for game in GAMES[20:40]
    ]
    assert found(first("season,home,away,home_goals,away_goals", rows)) == won(
        GAMES[:40]
    )


def test_an_item_that_meets_itself_says_nothing() -> None:
    rows: list[list[object]] = [[g[1], g[2], g[3], g[4]] for g in GAMES]
    data = first("home,away,home_goals,away_goals", [*rows, ["Arden", "Arden", 2, 1]])
    assert found(data) == won(GAMES)
    assert "1 battle of an item with itself left out" in data.notes


def test_points_that_say_another_result_are_read_alone() -> None:
    rows = [[g[1], g[2], g[3], g[4], result(g, g[1], g[2], "tie")] for g in GAMES]
    rows[0][4] = "tie" if rows[0][4] != "tie" else rows[0][0]
    header = "one,other,one_score,other_score,winner"
    ways = [
        reading
        for reading in suggested(header, rows)
        if reading.arguments.get("ignore")
    ]
    assert all(found(way.read()) == won(GAMES) for way in ways)


def test_what_is_no_result_and_comes_again_is_dropped_by_the_command() -> None:
    rows = [[g[1], g[2], result(g, g[1], g[2], "no result")] for g in GAMES]
    reading = suggested("Team 1,Team 2,Winner", rows)[0]
    assert reading.arguments["drop"] == ["", "no result"]
    assert found(reading.read()) == won(DECIDED)


def test_where_games_were_is_no_third_answer() -> None:
    """Without a header: teams, their goals, and the country of the ground, mostly that of the first."""
    rows = [
        [f"2001-01-{1 + g[0] % 28:02}", *g[1:5], "Fenwick" if g[0] % 4 == 0 else g[1]]
        for g in GAMES
    ]
    first = suggested("", rows)[0]
    assert first.kind.name == "battles"
    assert [*first.roles.values()] == ["column_2", "column_3", "column_4", "column_5"]

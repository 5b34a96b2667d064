"""What the shape of a table says of its columns: order, balance, facts, ranks, gaps."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from steadyrank import Ballots, Study, read_any
from steadyrank.data.observations import decision_on
from steadyrank.errors import InvalidDataError, NotANumberError, NotRecognisedError
from steadyrank.reading.formats import read_table
from steadyrank.reading.readings import Reading
from steadyrank.reading.table import as_table
from suggested import offered

TEAMS = ["Ayr", "Bude", "Corby", "Deal", "Ely", "Frome", "Goole"]


def refused(source: Any, **given: Any) -> list[Reading]:
    with pytest.raises(NotRecognisedError) as caught:
        read_any(source, **given)
    return list(caught.value.readings)


def proposed(columns: dict[str, list[Any]], **roles: str) -> list[Reading]:
    """Return all readings with these roles, the best first, before they are tried."""
    readings = decision_on(as_table(columns), None, {}).readings
    return [one for one in readings if roles.items() <= one.roles.items()]


def test_a_published_table_is_sorted_by_its_score() -> None:
    table: dict[str, list[Any]] = {
        "Country": TEAMS,
        "GP": [5, 5, 5, 5, 5, 5, 4],
        "W": [4, 4, 2, 3, 1, 1, 0],
        "TF": [31, 20, 29, 24, 13, 18, 7],
        "TA": [12, 19, 22, 30, 25, 31, 40],
        "P": [20, 18, 15, 13, 7, 6, 1],
    }
    by_points = proposed(table, item="Country", score="P")[0]
    assert "the table is sorted by 'P'" in by_points.support
    others = [
        one
        for name in ("W", "TF", "TA")
        for one in proposed(table, item="Country", score=name)
    ]
    assert by_points.points > max(one.points for one in others)
    assert not any("sorted" in reason for one in others for reason in one.support)
    table["P"][2:4] = table["P"][3:1:-1]
    again = proposed(table, item="Country", score="P")[0]
    assert again.points == by_points.points - 2


@pytest.mark.parametrize("word", ["Subject", "judge_", "Reviewer "])
def test_columns_of_people_rate_the_rows(word: str, rng: np.random.Generator) -> None:
    clips = [f"clip_{n}_24fps" for n in range(12)]
    table = {
        "": clips,
        **{f"{word}{n}": rng.integers(1, 6, 12).tolist() for n in range(1, 9)},
    }
    try:
        data = read_any(table)
    except NotRecognisedError as error:
        data = error.readings[0].read()
    assert set(data.items) == {*clips}


def test_the_only_number_below_zero_may_stand_for_none(
    rng: np.random.Generator,
) -> None:
    """As -1 in ratings of series that were seen and not rated."""
    cells = [(user, item) for user in range(12) for item in range(6)]
    stars = np.where(rng.random(72) < 0.3, -1, rng.integers(1, 11, 72)).tolist()
    table: dict[str, list[Any]] = {
        "user_id": [user for user, _ in cells],
        "item_id": [item for _, item in cells],
        "rating": stars,
    }
    first = refused(table)[0]
    assert "-1 perhaps stands for no value: left out" in first.against
    data = first.read()
    assert sorted(data.values) == sorted(star for star in stars if star > 0)
    assert len(read_any(table, kind="ratings").values) == 72
    table["rating"] = [star if star > 0 else -star - 3 for star in stars]
    assert len(read_any(table).values) == 72


def test_what_is_selected_of_a_side() -> None:
    names = ["tabu", "greedy", "exact"]
    pairs = [(a, b) for a in names for b in names if a != b] * 4
    wins = [(n * 7 + len(a)) % 3 > 0 for n, (a, _) in enumerate(pairs)]
    table: dict[str, list[Any]] = {
        "observer": [f"o{n % 4}" for n in range(24)],
        "condition_A": [a for a, _ in pairs],
        "condition_B": [b for _, b in pairs],
        "is_A_selected": [int(won) for won in wins],
    }
    try:
        data = read_any(table)
    except NotRecognisedError as error:
        data = error.readings[0].read()
    won = {
        name: sum(
            (a if w else b) == name for (a, b), w in zip(pairs, wins, strict=True)
        )
        for name in names
    }
    assert data.kind.name == "battles"
    games = {name: sum(name in pair for pair in pairs) for name in names}
    rates = dict(zip(data.items, Study(data, "win-rate").scores, strict=True))
    assert rates == pytest.approx({name: won[name] / games[name] for name in names})


def test_numbers_in_the_plural_count_and_name_nobody(rng: np.random.Generator) -> None:
    runs = [
        (case, code, n)
        for case in range(6)
        for code in ("old", "new")
        for n in (1, 2, 4, 8)
    ]
    table: dict[str, list[Any]] = {
        "case": [f"c{case}" for case, *_ in runs],
        "implementation": [code for _, code, _ in runs],
        "workers": [n for *_, n in runs],
        "speed": rng.uniform(1, 9, len(runs)).round(3).tolist(),
    }
    assert all(one.roles.get("user") != "workers" for one in offered(table))


def test_a_letter_among_many_columns_says_nothing(rng: np.random.Generator) -> None:
    table: dict[str, list[Any]] = {
        "Name": [f"p{n}" for n in range(30)],
        "Votes": list(range(90, 60, -1)),
    }
    sizes = zip(("R", "H", "G", "U", "I"), (9, 3000, 40, 700, 20000), strict=True)
    table |= {letter: rng.integers(0, size, 30).tolist() for letter, size in sizes}
    found = offered(table)
    assert all(
        "have names that fit" not in reason for one in found for reason in one.support
    )
    assert found[0].roles in (
        {"choice": "Name", "count": "Votes"},
        {"item": "Name", "score": "Votes"},
    )


def test_clubs_of_players_are_not_ranked_before_them(rng: np.random.Generator) -> None:
    archers = [f"archer {n}" for n in range(12)]
    rows = [(day, archer) for day in range(8) for archer in archers]
    table: dict[str, list[Any]] = {
        "event_date": [f"2025-10-{day + 1:02}" for day, _ in rows],
        "archer": [archer for _, archer in rows],
        "club": [TEAMS[archers.index(archer) % 4] for _, archer in rows],
        "score": rng.integers(200, 600, len(rows)).tolist(),
    }
    first, *others = offered(table)
    assert first.roles["item"] == "archer"
    assert any("each 'archer' has one 'club'" in one.against for one in others)


def test_rated_titles_are_not_ranked_by_how_many_voted(
    rng: np.random.Generator,
) -> None:
    table: dict[str, list[Any]] = {
        "Title": [f"film {n}" for n in range(12)],
        "Rating": rng.uniform(5, 9, 12).round(1).tolist(),
        "Votes": rng.integers(1000, 90000, 12).tolist(),
    }
    assert offered(table)[0].roles == {"item": "Title", "score": "Rating"}


def test_statistics_of_one_measure_are_no_items(rng: np.random.Generator) -> None:
    table: dict[str, list[Any]] = {"mode": ["jit", "interp", "native"] * 4}
    table |= {
        f"{word}_time_ms": rng.uniform(1, 9, 12).round(2).tolist()
        for word in ("avg", "min", "max")
    }
    for one in offered(table):
        if one.options.get("items_in") == "columns":
            assert "the columns are statistics, not items" in one.against


def test_different_directions_are_asked_about(rng: np.random.Generator) -> None:
    """A mean of what should be much and what should be little is not taken without being asked."""
    table: dict[str, list[Any]] = {"Model": [f"gpt-{n}" for n in range(8)]}
    table |= {
        f"{word} Rate": rng.uniform(1, 99, 8).round(1).tolist()
        for word in ("Error", "Answer", "Fact")
    }
    found = refused(table)
    mixed = [one for one in found if one.options.get("items_in") == "rows"]
    assert all(
        "in some less is better, and a mean is taken of all" in one.against
        for one in mixed
    )


def test_numbers_far_down_that_are_none_are_left_out_by_the_command(
    rng: np.random.Generator,
) -> None:
    rows = [
        (f"u{n % 800}", f"w{n % 90}", int(rng.integers(60, 99))) for n in range(9000)
    ]
    lines = [f"{user},{item},{mark}" for user, item, mark in rows]
    lines[8500] = lines[8500].rsplit(",", 1)[0] + ",90/100"
    text = "\n".join(["reviewer,whisky,rating", *lines]).encode()
    with pytest.raises(InvalidDataError) as caught:
        read_any(io.BytesIO(text))
    first = caught.value.readings[0]
    assert "90/100" in first.options["drop"]
    assert first.read().n_items == 90


@pytest.mark.parametrize("last", [True, False])
def test_places_may_tie_at_the_end(last: bool, rng: np.random.Generator) -> None:
    """Who ranks four of eleven gives the others the last place, as some forms do; or none."""
    names = [f"person{n}" for n in range(11)]
    rows = []
    for _ in range(40):
        order, known = rng.permutation(11), int(rng.integers(3, 12))
        place = dict(zip(order[:known].tolist(), range(1, known + 1), strict=True))
        rows.append([place.get(n, 11 if last else "No opinion") for n in range(11)])
    text = "\n".join(
        [",".join(names), *(",".join(map(str, row)) for row in rows)]
    ).encode()
    first = refused(io.BytesIO(text))[0]
    assert {
        "ranks: 1 is best",
        "ranks: 1 is best, and what is blank was not ranked",
    } & {*first.support}
    data = first.read()
    means = {
        name: np.mean([row[n] for row in rows if row[n] != "No opinion"])
        for n, name in enumerate(names)
    }
    if last:
        assert data.items[np.nanmean(data.values, axis=0).argmax()] == min(
            means, key=means.__getitem__
        )
    else:
        firsts = {
            name: sum(row[n] == 1 for row in rows) for n, name in enumerate(names)
        }
        assert {data.items[code]: int(n) for code, n in first_places(data).items()} == {
            name: n for name, n in firsts.items() if n
        }


def first_places(ballots: Ballots) -> dict[int, int]:
    found: dict[int, int] = {}
    for row, times in enumerate(ballots.counts.tolist()):
        code = int(ballots.ranked[ballots.indptr[row]])
        found[code] = found.get(code, 0) + times
    return found


class TestRankedColumns:
    """Ballots with a column for each item, against orders written out."""

    def test_as_orders(self, rng: np.random.Generator) -> None:
        names = ["ann", "bob", "cat", "dan"]
        for _ in range(60):
            ranks = rng.integers(0, 5, (int(rng.integers(2, 9)), 4))
            ranks[0] = [1, 2, 3, 4]
            cells = [[int(rank) or None for rank in row] for row in ranks.tolist()]
            kept = [row for row in cells if any(row)]
            orders = [
                [[name for name, rank in zip(names, row, strict=True) if rank == place]
                 for place in sorted({rank for rank in row if rank})]
                for row in kept
            ]  # fmt: skip
            frame = {name: [row[n] for row in cells] for n, name in enumerate(names)}
            found = Ballots.from_frame(frame, ranked=names, drop=[""])
            wanted = Ballots(orders, items=names)
            assert (found.items, found.n_units) == (wanted.items, wanted.n_units)
            assert dict(
                zip(found.units.labels, found.units.counts, strict=True)
            ) == dict(zip(wanted.units.labels, wanted.units.counts, strict=True))

    def test_counts_and_borda(self) -> None:
        text = b"n,ann,bob,cat\n3,1,2,\n2,,1,2\n"
        ballots = Ballots.read(
            io.BytesIO(text), ranked=["ann", "bob", "cat"], count="n"
        )
        assert ballots.n_units == 5
        scores = dict(zip(ballots.items, Study(ballots).scores, strict=True))
        # Who is not ranked shares the last places: bob has 3 * 1 + 2 * 2, ann 3 * 2, cat 2 * 1 points.
        points = {"ann": Fraction(6, 5), "bob": Fraction(7, 5), "cat": Fraction(2, 5)}
        assert scores == pytest.approx(
            {name: float(share) for name, share in points.items()}
        )

    def test_what_is_no_rank_is_refused(self) -> None:
        text = b"ann,bob\n1,2\n2,first\n"
        with pytest.raises(
            NotANumberError, match="'first' is not a number in column 'bob', on line 3"
        ):
            Ballots.read(io.BytesIO(text), ranked=["ann", "bob"])


def test_lists_by_name_are_one_table() -> None:
    found = read_any(
        io.BytesIO(
            b'{"p1": [{"model": "a", "score": 3}, {"model": "b", "score": 1}], "p2": [], '
            b'"p3": [{"model": "b", "score": 2}, {"model": "a", "score": 4}]}'
        ),
        kind="scores", row="name", item="model", score="score",
    )  # fmt: skip
    assert found.items == ("a", "b")
    assert found.row_labels == ("p1", "p3")


def test_records_in_records_keep_both_names() -> None:
    races = b'[{"name": "Rome", "result": [{"name": "x", "pos": 1}, {"name": "y", "pos": 2}]},'
    table = read_table(
        io.BytesIO(races + b' {"name": "Spa", "result": [{"name": "y", "pos": 1}]}]')
    )
    assert table.labels("name").tolist() == ["Rome", "Rome", "Spa"]
    assert table.labels("result.name").tolist() == ["x", "y", "y"]


def test_a_weighted_total_is_not_answered_by_the_mean_of_its_parts(
    rng: np.random.Generator,
) -> None:
    """Nor are degrees of latitude scores."""
    table: dict[str, list[Any]] = {"model": [f"gpt-{n}" for n in range(20)]}
    parts = rng.uniform(0, 100, (4, 20)).round(2)
    table["overall"] = (parts.T @ [0.85, 0.05, 0.05, 0.05]).round(3).tolist()
    table |= {
        f"{name} score": row.tolist() for name, row in zip("pqrs", parts, strict=True)
    }
    told = "'overall' ranks the rows otherwise"
    assert any(told in one.against for one in refused(table))
    table["overall"] = parts.mean(axis=0).round(3).tolist()
    data = read_any(table)
    assert dict(zip(data.items, Study(data).scores, strict=True)) == pytest.approx(
        dict(zip(table["model"], parts.mean(axis=0), strict=True))
    )
    places = {
        "place": TEAMS,
        "latitude": rng.uniform(-9, 9, 7),
        "longitude": rng.uniform(-9, 9, 7),
    }
    places |= {name: rng.uniform(-9, 9, 7) for name in ("calm", "safe")}
    assert not any(
        "latitude" in one.roles.get("items", ()) and not one.against
        for one in offered(places)
    )


def test_a_list_that_begins_with_the_least_is_ranked_by_less() -> None:
    table: dict[str, list[Any]] = {
        "TeamName": TEAMS,
        "Score": [0.29, 0.3, 0.31, 0.31, 0.35, 0.4, 0.9],
    }
    first = offered(table)[0]
    assert first.options["lower_is_better"] == "all"
    assert "the table is sorted by 'Score', the least first" in first.support
    data = first.read()
    assert data.items[int(Study(data, first.answer["scorer"]).scores.argmax())] == "Ayr"


def test_ordinals_are_choices_also_of_numbers() -> None:
    text = b"Votes,1st,2nd,3rd\nAlex,$700,$600,$500\nBarry,$500,$600,$700\nEric,$500,$700,$600\n"
    ballots = read_any(io.BytesIO(text))
    assert (ballots.kind.name, ballots.items, ballots.n_units) == (
        "ballots",
        ("$500", "$600", "$700"),
        3,
    )


def test_candidates_come_before_their_parties(rng: np.random.Generator) -> None:
    rows = [(county, name) for county in range(8) for name in TEAMS]
    table: dict[str, list[Any]] = {
        "County Name": [f"c{county}" for county, _ in rows],
        "Party Name": ["DR"[TEAMS.index(name) % 2] for _, name in rows],
        "Candidate Name": [name for _, name in rows],
        "Votes": rng.integers(1, 900, len(rows)).tolist(),
    }
    try:
        data = read_any(table)
    except NotRecognisedError as error:
        data = error.readings[0].read()
    assert data.items == tuple(TEAMS)


def test_players_of_one_side_are_no_sides(rng: np.random.Generator) -> None:
    games = [rng.permutation(TEAMS)[:4].tolist() for _ in range(60)]
    columns = zip(
        ("red_1", "red_2", "blue_1", "blue_2"), zip(*games, strict=True), strict=True
    )
    table: dict[str, list[Any]] = {name: list(players) for name, players in columns}
    table |= {
        f"{side}_score": rng.integers(0, 11, 60).tolist() for side in ("red", "blue")
    }
    for one in proposed(table):
        if one.kind.name == "battles":
            assert {one.roles["left"][:-2], one.roles["right"][:-2]} == {"red", "blue"}


def test_numbers_of_repeats_are_no_scores(rng: np.random.Generator) -> None:
    rows = [
        (trial, rep, name) for trial in range(6) for rep in (1, 2, 3) for name in TEAMS
    ]
    table: dict[str, list[Any]] = {
        "trial": [f"t{trial}" for trial, *_ in rows],
        "rep": [rep for _, rep, _ in rows],
        "variety": [name for *_, name in rows],
        "yield": rng.uniform(50, 90, len(rows)).round(2).tolist(),
    }
    assert not proposed(table, score="rep")
    assert offered(table)[0].roles == {
        "row": "trial",
        "item": "variety",
        "score": "yield",
    }


def test_a_name_stands_for_no_count() -> None:
    text = b"Votes,choice\nAlex,x\nBarry,y\nEric,x\nFinn,x\n"
    with pytest.raises(InvalidDataError) as caught:
        read_any(io.BytesIO(text))
    assert all(one.roles.get("count") is None for one in caught.value.readings)


def test_short_names_are_items_though_they_may_say_how_sure_a_score_is(
    rng: np.random.Generator,
) -> None:
    """SD is a party, MoE the margin of error of a poll."""
    shares = rng.dirichlet([9, 8, 7, 3], 12).round(4) * 100
    table: dict[str, list[Any]] = {
        "pollster": [f"p{n % 4}" for n in range(12)],
        "MoE": [3.5, 3.1] * 6,
    }
    table |= dict(zip(("S", "SD", "M", "C"), shares.T.tolist(), strict=True))
    assert proposed(table)[0].roles == {
        "items": ["S", "SD", "M", "C"],
        "row": "pollster",
    }

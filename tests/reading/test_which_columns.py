"""Which columns are meant, and which end of them is best: every answer is computed by hand."""

from __future__ import annotations

import io
from functools import partial
from typing import Any

import numpy as np
import pytest

from steadyrank import ScoreMatrix, read_any
from steadyrank.cli.inputs import withstanding
from steadyrank.data import scan_any
from steadyrank.data.observations import decision_on
from steadyrank.data.read import read_checked
from steadyrank.errors import InvalidDataError, NotRecognisedError
from steadyrank.reading.table import as_table
from steadyrank.scorers.registry import resolve_scorer
from suggested import Asked, offered


def test_items_of_one_row_are_kept() -> None:
    """Without their only season nine clubs have no mean: they are last then."""
    seasons = [f"s{n}" for n in range(9)]
    clubs = [[*"abc", f"guest{n}"] for n in range(9)]
    cells = [
        (season, club)
        for season, some in zip(seasons, clubs, strict=True)
        for club in some
    ]
    columns: dict[str, list[Any]] = {
        "season": [season for season, _ in cells],
        "club": [club for _, club in cells],
        "won": [
            1 + 7 * place % 11 + 3 * (club == "a")
            for place, (_, club) in enumerate(cells)
        ],
        "note": ["xyz"[place % 3] for place in range(len(cells))],
    }
    first = offered(columns)[0]
    assert (first.kind.name, first.n_items) == ("scores", 12)
    assert first.answer == {"scorer": "column-means:empty=0"}
    assert first.roles == {"row": "season", "item": "club", "score": "won"}
    assert (
        "an item counts as last, with score 0, once its only row is removed"
        in first.against
    )


def methods(rng: np.random.Generator, *names: str) -> dict[str, list[Any]]:
    values = {name: rng.normal(50, 9, 9).tolist() for name in names}
    return {"Набір": [f"x{n}" for n in range(9)], **values}


def test_either_end_may_be_best(rng: np.random.Generator) -> None:
    one, two, *_ = offered(methods(rng, "Greedy", "Tabu", "Savings", "Exact"))
    assert one.roles == two.roles
    assert (one.options.get("lower_is_better"), two.options["lower_is_better"]) == (
        None,
        "all",
    )
    np.testing.assert_array_equal(one.read().values, -two.read().values)


@pytest.mark.parametrize("name", ["phase_deviation.csv", "lap times.csv"])
def test_a_file_may_be_called_by_an_error(
    name: str, rng: np.random.Generator, tmp_path: Any
) -> None:
    columns = methods(rng, "Greedy", "Tabu", "Savings", "Exact")
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    path = tmp_path / name
    path.write_text(
        "".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8"
    )
    with pytest.raises(NotRecognisedError) as caught:
        read_any(path)
    assert [one.options["lower_is_better"] for one in caught.value.readings[:2]] == [
        "all",
        "none",
    ]


def test_the_name_of_a_file_tells_of_long_tables_too(tmp_path: Any) -> None:
    path = tmp_path / "rmse_of_methods.csv"
    path.write_text("method,overall\nx,3.5\ny,2.25\nz,4\nw,9\n", encoding="utf-8")
    with pytest.raises(NotRecognisedError) as caught:
        read_any(path)
    first = caught.value.readings[0]
    assert first.options["lower_is_better"] == "all"
    assert "the name of the file says 'rmse': less is better" in first.support


@pytest.mark.parametrize("take", [read_any, scan_any])
def test_the_name_of_a_file_never_turns_an_answer_round(
    take: Any, tmp_path: Any
) -> None:
    """The New York Times are no times: it is asked about, in memory and in engines."""
    import polars as pl

    rows = [
        (f"t{task}", model, task * n % 7)
        for task in range(9)
        for n, model in enumerate("xyz", 1)
    ]
    table = pl.DataFrame(rows, schema=["task", "model", "result"], orient="row")
    for name in ("new york times.parquet", "plain.parquet"):
        table.write_parquet(tmp_path / name)
    plain = take(tmp_path / "plain.parquet")
    assert plain.kind.name == "scores"
    with pytest.raises(NotRecognisedError) as caught:
        take(tmp_path / "new york times.parquet")
    assert caught.value.readings[0].options["lower_is_better"] == "all"
    settled = take(tmp_path / "new york times.parquet", lower_is_better="none")
    assert settled.items == plain.items


def test_words_within_names_are_none() -> None:
    """Neither a newspaper nor a model says how long something took."""
    columns: dict[str, list[Any]] = {
        "dataset": ["s", "t", "u", "v"],
        "TimesFM": [0.5, 0.25, 0.5, 0.75],
        "Theta": [0.25, 0.5, 0.75, 0.5],
        "Naive": [0.5, 0.75, 0.5, 0.75],
    }
    data = read_any(columns, kind="scores")
    assert isinstance(data, ScoreMatrix)
    assert data.values.mean(axis=0).tolist() == [0.5, 0.5, 0.625]


@pytest.mark.parametrize("stem", ["votes_{}", "{} pct", "Share {}", "{}_votes"])
@pytest.mark.parametrize("place", ["district", "Wahlkreis", "municipio"])
def test_two_parties_beside_totals_and_differences(
    stem: str, place: str, rng: np.random.Generator
) -> None:
    left, right, other = rng.integers(100, 900, size=(3, 40))
    names = [stem.format(party) for party in ("left", "right")]
    columns: dict[str, list[Any]] = {
        place: [f"d{n}" for n in range(40)],
        "ward": rng.integers(1, 12, size=40).tolist(),
        names[0]: left.tolist(),
        names[1]: right.tolist(),
        stem.format("total"): (left + right + other).tolist(),
        stem.format("diff"): (left - right).tolist(),
        "elevation": rng.normal(300, 90, 40).tolist(),
    }
    assert tuple(names) in [one.read().items for one in offered(columns)]


def test_how_long_it_took_comes_after_how_well_it_went(
    rng: np.random.Generator,
) -> None:
    cells = [(model, task) for model in "abcd" for task in range(6)] * 2
    columns: dict[str, list[Any]] = {
        "task": [f"t{task}" for _, task in cells],
        "model": [model for model, _ in cells],
        "elapsed_seconds": rng.random(48).round(3).tolist(),
        "mcc": [0.5 + 0.1 * "abcd".index(model) + 0.01 * task for model, task in cells],
        "provider": rng.choice(["x", "y"], 48).tolist(),
    }
    first = offered(columns)[0]
    assert (first.roles["item"], first.roles["score"]) == ("model", "mcc")


def test_the_age_of_athletes_names_none(rng: np.random.Generator) -> None:
    columns: dict[str, list[Any]] = {
        "Year": rng.integers(1960, 1990, 60).tolist(),
        "Name of Athlete": [f"n{n}" for n in rng.integers(9, size=60)],
        "Medal Rank": rng.integers(1, 4, 60).tolist(),
        "Age of Athlete": rng.integers(18, 40, 60).tolist(),
    }
    assert "Age of Athlete" not in [one.roles.get("item") for one in offered(columns)]


def test_no_date_is_negative(rng: np.random.Generator) -> None:
    """Who would rather befriend, or date, the person on a photo."""
    cells = [(user, photo) for user in range(12) for photo in range(5)]
    columns: dict[str, list[Any]] = {
        "id": [user for user, _ in cells],
        "photo": [f"p{photo}.jpg" for _, photo in cells],
        "befriend": rng.integers(-3, 4, 60).tolist(),
        "date": rng.integers(-3, 4, 60).tolist(),
    }
    assert "date" not in [
        one.roles.get(role) for one in offered(columns) for role in ("row", "user")
    ]


def test_rows_without_anybody_who_rated_count_by_themselves(
    rng: np.random.Generator,
) -> None:
    """Pairs with colour or shop repeat, and nothing says that these leave."""
    columns: dict[str, list[Any]] = {
        "maker": [f"m{n}" for n in rng.integers(8, size=90)],
        "colour": [f"c{n}" for n in rng.integers(4, size=90)],
        "shop": [f"s{n}" for n in rng.integers(5, size=90)],
        "rating": rng.integers(1, 6, 90).tolist(),
    }
    first = offered(columns)[0]
    assert (first.kind.name, first.roles) == (
        "ratings",
        {"item": "maker", "score": "rating"},
    )


@pytest.mark.parametrize(
    ("place", "tallies"),
    [
        ("Wahlkreis", ["Wahlberechtigte", "Wähler", "Ungültige"]),
        ("commune", ["Inscrits", "Votants", "Exprimés"]),
        ("Obec", ["Oprávnění", "Platné"]),
    ],
)
def test_parties_beside_tallies_in_other_languages(
    place: str, tallies: list[str], rng: np.random.Generator
) -> None:
    votes = rng.multinomial(1000, [0.3, 0.25, 0.2, 0.15, 0.1], 40)
    names = ["CDU", "Grüne", "ANO", "Modem", "Linke"]
    columns: dict[str, list[Any]] = {place: [f"w{n}" for n in range(40)]}
    columns |= {
        tally: (40 * k + rng.integers(0, 9, 40)).tolist()
        for k, tally in enumerate(tallies, 1)
    }
    columns |= dict(zip(names, votes.T.tolist(), strict=True))
    assert offered(columns)[0].read().items == tuple(names)


@pytest.mark.parametrize("stem", ["score_{}", "{}_score", "{} - rating"])
def test_one_measure_of_several_items_comes_before_all_of_them(
    stem: str, rng: np.random.Generator
) -> None:
    names = [stem.format(name) for name in ("alpha", "beta", "gamma")]
    columns: dict[str, list[Any]] = {"prompt_id": list(range(40))}
    columns |= {name: rng.uniform(1, 10, 40).tolist() for name in names}
    columns |= {
        f"width {name}": rng.uniform(1, 10, 40).tolist()
        for name in ("alpha", "beta", "gamma")
    }
    assert offered(columns)[0].read().items == tuple(names)


def test_what_came_off_is_the_score() -> None:
    cells = [(model, task) for model in "abcd" for task in range(9)]
    columns: dict[str, list[Any]] = {
        "model": [model for model, _ in cells],
        "task_id": [f"t{task}" for _, task in cells],
        "passed": ["abcd".index(model) >= task % 4 for model, task in cells],
        "duration_s": [0.5 + 0.25 * task for _, task in cells],
    }
    first = offered(columns)[0]
    assert first.roles == {"row": "task_id", "item": "model", "score": "passed"}
    # Of 9 tasks, 3 are passed by all, and 2 each by those of place 1, 2 and 3 at least.
    assert (first.read().values.sum(axis=0) == [3, 5, 7, 9]).all()


@pytest.mark.parametrize(
    ("award", "winner"), [("Medal", "Country"), ("Prize", "School")]
)
def test_in_a_list_of_medals_each_row_is_one(award: str, winner: str) -> None:
    columns: dict[str, list[Any]] = {
        "Year": [1924 + 4 * (n // 12) for n in range(48)],
        "Sport": [f"s{n % 4}" for n in range(48)],
        winner: [("a", "b", "a", "c", "a", "b")[n % 6] for n in range(48)],
        "Rank": [n % 3 + 1 for n in range(48)],
        award: [("gold", "silver", "bronze")[n % 3] for n in range(48)],
    }
    readings = offered(columns)
    counted = next(one for one in readings if one.kind.name == "votes")
    data = counted.read()
    assert counted.roles == {"choice": winner}
    assert dict(zip(data.items, data.item_counts.tolist(), strict=True)) == {
        "a": 24,
        "b": 16,
        "c": 8,
    }


def test_votes_for_nobody_are_asked_about(tmp_path: Any) -> None:
    """Blank and null votes are no candidates, in whatever language; a language called en is a choice."""
    rows = "candidate,votes\nVOTOS NULOS,10\nAna,5\nBen,6\nVotos en blanco,9\nen,1\n"
    (tmp_path / "acta.csv").write_text(rows, encoding="utf-8")
    with pytest.raises(NotRecognisedError) as caught:
        read_any(tmp_path / "acta.csv")
    first = caught.value.readings[0]
    assert first.options["drop"] == ["VOTOS NULOS", "Votos en blanco"]
    assert sorted(first.read().items) == ["Ana", "Ben", "en"]
    (tmp_path / "plain.csv").write_text(
        "candidate,votes\nAna,5\nBen,6\nen,1\n", encoding="utf-8"
    )
    assert sorted(read_any(tmp_path / "plain.csv").items) == ["Ana", "Ben", "en"]


def test_na_never_wins_a_vote_unasked(tmp_path: Any) -> None:
    (tmp_path / "votes.csv").write_text(
        "candidate,votes\nNA,10\nAlice,5\nBenjamin,6\n", encoding="utf-8"
    )
    with pytest.raises(NotRecognisedError) as caught:
        read_any(tmp_path / "votes.csv")
    first = caught.value.readings[0]
    assert first.options["drop"][-1] == "NA"
    assert sorted(first.read().items) == ["Alice", "Benjamin"]


def test_addresses_name_what_nothing_else_does(rng: np.random.Generator) -> None:
    """As those of riders and races; beside names they are only where these can be read about."""
    cells = [
        (f"https://a.b/rider/{n}", f"https://a.b/race/{m}", f"R{n}")
        for n in range(9)
        for m in range(6)
    ]
    riders, races, names = map(list, zip(*cells, strict=True))
    columns = {
        "rider_url": riders,
        "race_url": races,
        "result": rng.permutation(54).tolist(),
    }
    roles = {"row": "race_url", "item": "rider_url", "score": "result"}
    assert offered(columns)[0].roles == roles
    assert offered(columns | {"rider": names})[0].roles["item"] == "rider"


def test_what_stands_for_nothing_is_no_item_but_where_names_are_as_short(
    tmp_path: Any,
) -> None:
    """NA is who did not vote, as R writes it; among codes of countries it is Namibia."""
    for names, dropped in (
        (("Keith", "Sierra", "James"), ["", "NA"]),
        (("DE", "FR", "US"), None),
    ):
        votes = [(*names, "NA", names[0])[n % 5] for n in range(40)]
        path = tmp_path / f"{names[0]}.csv"
        lines = (f"{n // 9},{name},{n * n % 7}\n" for n, name in enumerate(votes))
        path.write_text("day,voted for,hours\n" + "".join(lines), encoding="utf-8")
        with pytest.raises(NotRecognisedError) as caught:
            read_any(path)
        counted = next(one for one in caught.value.readings if one.kind.name == "votes")
        assert counted.options.get("drop") == dropped
        assert counted.n_items == (4 if dropped is None else 3)
        assert {*counted.read().items} == {*names, *(["NA"] if dropped is None else [])}


def test_a_column_of_lists_that_is_named_is_taken_beside_another(tmp_path: Any) -> None:
    """What a refusal suggests of two columns of lists is read; each suggestion ranks what it says."""
    rows = [
        f'"[{a}, {b}]","[{b}, {c}]"\n'
        for a, b, c in [(1, 2, 3), (2, 1, 3), (3, 1, 2), (1, 3, 2)]
    ]
    (tmp_path / "drafts.csv").write_text(
        "pick_one,pick_two\n" + "".join(rows), encoding="utf-8"
    )
    data = read_any(tmp_path / "drafts.csv", kind="ballots", ballot="pick_two")
    assert sorted(data.items) == [1, 2, 3]
    assert data.n_units == 4


@pytest.mark.parametrize("counts", ["votes", "precinct_votes"])
def test_lists_under_vote_are_no_names(counts: str, tmp_path: Any) -> None:
    """Cells of several names are asked about, and stay approvals whatever counts them."""
    rows = f'vote,{counts}\n"a;b",3\n"a;c",2\n"b;c",4\n"a",5\n'
    (tmp_path / "ticks.csv").write_text(rows, encoding="utf-8")
    with pytest.raises(NotRecognisedError) as caught:
        read_any(tmp_path / "ticks.csv")
    first = caught.value.readings[0]
    data = first.read()
    assert (first.kind.name, first.options["approval"]) == ("ballots", True)
    assert dict(zip(data.items, data.item_counts, strict=True)) == {
        "a": 10,
        "b": 7,
        "c": 6,
    }


def test_totals_among_the_items_are_dropped(rng: np.random.Generator) -> None:
    parties = ["red", "blue", "green", "TOTAL"]
    columns: dict[str, list[Any]] = {
        "county": [f"c{n // 4}" for n in range(24)],
        "party": parties * 6,
        "turnout": rng.uniform(1, 60, 24).tolist(),
        "note": [f"remark {n % 7}" for n in range(24)],
    }
    for one in offered(columns):
        if one.roles.get("item", one.roles.get("choice")) == "party":
            assert one.options["drop"] == ["", "TOTAL"]
            assert one.n_items == 3
    assert offered(columns)[0].roles["item"] == "party"


def test_rows_that_are_named_once_come_before_columns(rng: np.random.Generator) -> None:
    values = {
        name: rng.uniform(0, 1, 8).tolist() for name in ("CAMO", "PMD", "SBU", "GSD")
    }
    first, second, *_ = offered({"": [f"w{n * n}q" for n in range(8)], **values})
    assert (first.options["items_in"], second.options["items_in"]) == (
        "rows",
        "columns",
    )


def test_columns_on_different_scales_are_hardly_items(rng: np.random.Generator) -> None:
    columns: dict[str, list[Any]] = {
        "arm": [arm for _ in range(20) for arm in "xyz"],
        "epoch": [n for n in range(20) for _ in range(3)],
        "success": rng.uniform(0, 1, 60).tolist(),
        "length": rng.uniform(500, 2000, 60).tolist(),
    }
    first = offered(columns)[0]
    assert (first.roles["item"], first.roles["score"]) == ("arm", "success")


def test_who_rated_what_is_told_by_a_key_of_numbers() -> None:
    rows = [
        (u, 100 + i, (3 * u + 5 * i) % 10 / 2)
        for u in range(1, 6)
        for i in range(1, 6)
        if (u + i) % 4
    ]
    columns = {f"column_{n}": [row[n - 1] for row in rows] for n in (1, 2, 3)}
    first = offered(columns)[0]
    assert first.roles == {"user": "column_1", "item": "column_2", "score": "column_3"}
    assert first.answer["scorer"].startswith("mean-rating:shrinkage=0")


def test_seconds_since_1970_are_no_values() -> None:
    rows = [
        (u, i, 1 + (u * i) % 5, 888_551_441 + 977 * u * i)
        for u in range(9)
        for i in range(20, 29)
    ]
    columns = {f"column_{n}": [row[n - 1] for row in rows] for n in (1, 2, 3, 4)}
    assert offered(columns)[0].roles == {
        "user": "column_1",
        "item": "column_2",
        "score": "column_3",
    }


def test_at_most_two_suggestions_rank_the_same_column(rng: np.random.Generator) -> None:
    columns: dict[str, list[Any]] = {
        "dataset": [f"d{n}" for n in range(6) for _ in range(6)],
        "model": [f"m{n % 3}" for n in range(36)],
    }
    columns |= {
        name: rng.uniform(0, 1, 36).tolist()
        for name in ("accuracy", "recall", "precision")
    }
    ranked = [one.roles.get("item") for one in offered(columns)]
    assert ranked[:2] == ["model", "model"]
    assert "model" not in ranked[2:]


def test_numbers_beside_names_and_tallies_are_votes() -> None:
    names = ["Ann", "Bob", "Cy", "BLANCO", "NULO", "ELECTORES"]
    columns: dict[str, list[Any]] = {
        "COD_CANTON": [7 + n // 6 for n in range(24)],
        "NOM_CANTON": [f"canton {n // 6}" for n in range(24)],
        "NOM_LISTA": names * 4,
        "RESULTADOS": [30 + 7 * n % 13 for n in range(24)],
    }
    first = offered(columns)[0]
    assert first.roles == {"choice": "NOM_LISTA", "count": "RESULTADOS"}
    assert first.options["drop"] == ["BLANCO", "NULO", "ELECTORES"]
    assert first.n_items == 3


def test_ids_are_ranked_where_nothing_has_a_name() -> None:
    rows = [(3 * n, 1 + 37 * n % 41 / 10, 100 + n * n) for n in range(1, 30)]
    columns = {
        name: [row[n] for row in rows]
        for n, name in enumerate(("id", "rating", "raters"))
    }
    assert offered(columns)[0].roles == {"item": "id", "score": "rating"}


def test_ids_are_no_values_and_records_no_names() -> None:
    rows = [
        (7 * n % 90, n % 5, n % 7, 1 + 3 * n % 8, f'[{{"n": {n % 6}}}]')
        for n in range(35)
    ]
    names = ("result_id", "round_id", "song_id", "points", "others")
    columns = {name: [row[n] for row in rows] for n, name in enumerate(names)}
    for one in offered(columns):
        assert one.roles.get("score") != "result_id"
        assert "others" not in one.roles.values()


def test_what_is_said_of_code_is_no_code(rng: np.random.Generator) -> None:
    """Nor are gains of about a billion times, or curls addresses."""
    marks = {
        name: rng.integers(1, 6, 30).tolist()
        for name in ("code quality", "tone", "depth")
    }
    data = read_any(
        {"model": [f"m{n}" for n in range(30)], **marks}, kind="scores", items_in="rows"
    )
    assert data.row_labels == ("code quality", "tone", "depth")
    films: dict[str, list[Any]] = {
        "curl": [f"film {n % 6}" for n in range(30)],
        "gross": (7e8 + 1e6 * rng.integers(0, 900, 30)).astype(int).tolist(),
    }
    assert any(
        one.roles == {"item": "curl", "score": "gross"} for one in offered(films)
    )


def test_where_what_is_taken_cannot_be_read_other_readings_are_shown() -> None:
    columns: dict[str, list[Any]] = {
        "candidate": [f"c{n % 4}" for n in range(24)],
        "votes": [1.5 + n % 7 for n in range(24)],
        "county": [f"county {n // 4}" for n in range(24)],
    }
    with pytest.raises(
        InvalidDataError, match=r"whole numbers from 0 on.*1\.5"
    ) as caught:
        read_checked(columns, None, None, None, {}, partial(withstanding, Asked()))  # type: ignore[arg-type]
    assert {one.roles["item"] for one in caught.value.readings} >= {"candidate"}
    for one in caught.value.readings:
        assert len(one.read().items) == one.n_items


def test_what_is_ranked_can_be_named_of_votes() -> None:
    """An item is a choice, too, but who names one has not said that rows are votes."""
    columns: dict[str, list[Any]] = {
        "When": [f"2024-01-{day:02}" for day in range(1, 10)],
        "What is your favourite fruit?": [*"abcabcaba"],
    }
    (first,) = offered(columns, item="What is your favourite fruit?")
    assert (first.kind.name, first.arguments) == ("votes", {"kind": "votes"})
    data = read_any(columns, item="What is your favourite fruit?", kind="votes")
    assert dict(zip(data.items, data.item_counts.tolist(), strict=True)) == {
        "a": 4,
        "b": 3,
        "c": 2,
    }


def test_what_is_ranked_can_be_named_of_a_leaderboard(rng: np.random.Generator) -> None:
    """As without naming it, where the table says as much."""
    scores = {
        name: rng.uniform(0, 1, 5).round(3).tolist()
        for name in ("mmlu", "gsm8k", "boolq")
    }
    columns = {"model": ["m1", "m2", "m3", "m4", "m5"], **scores}
    plain, named = read_any(columns), read_any(columns, item="model")
    assert isinstance(named, ScoreMatrix)
    assert (plain.items, named.items) == (tuple(columns["model"]),) * 2
    np.testing.assert_array_equal(plain.values, named.values)


def test_who_names_items_and_scores_is_asked_what_leaves(
    rng: np.random.Generator,
) -> None:
    """A column that may say who rated, another one, or each row by itself."""
    columns: dict[str, list[Any]] = {
        "judge": [f"j{n % 4}" for n in range(24)],
        "round": [f"r{n % 6}" for n in range(24)],
        "team": [f"t{n % 3}" for n in range(24)],
        "score": rng.uniform(0, 9, 24).round(2).tolist(),
    }
    first, *_, last = offered(columns, item="team", score="score")
    assert (first.roles["user"], last.options["ignore"]) == ("judge", ["judge"])
    assert "each row counts by itself, not each 'judge'" in last.against
    of_rows = read_any(columns, item="team", score="score", **last.arguments)
    assert of_rows.n_units == 24
    means = [np.mean(columns["score"][place::3]) for place in range(3)]
    np.testing.assert_allclose(
        resolve_scorer(last.answer.get("scorer"), of_rows).score(of_rows), means
    )


def test_what_cannot_leave_is_no_unit() -> None:
    """All rows are of one user: each counts by itself, which is noted."""
    columns: dict[str, list[Any]] = {
        "user": ["me"] * 12, "film": [f"f{n}" for n in range(12)], "rating": [n % 5 for n in range(12)],
    }  # fmt: skip
    data = read_any(columns, item="film", score="rating")
    assert (data.n_units, data.units.kind) == (12, "row")
    assert any("all rows have one 'user'" in note for note in data.notes)


def test_measurements_are_not_pulled_towards_the_best() -> None:
    """One slow run is not better than ten quick ones, though a shrinkage would halve its time."""
    columns = {
        "solver": ["slow", "slow", *["quick"] * 10],
        "seconds": [10.0, 12.0, *[7.0] * 10],
    }
    data = read_any(columns, item="solver", score="seconds", lower_is_better="all")
    scores = resolve_scorer(None, data).score(data)
    assert dict(zip(data.items, scores.tolist(), strict=True)) == {
        "slow": -11.0,
        "quick": -7.0,
    }


def test_a_given_ranking_is_suggested_by_its_ranks() -> None:
    """A rank that only counts the rows is what a published list has."""
    players = [f"p{n}" for n in range(30)]
    columns = {
        "rank": [*range(1, 31)],
        "player": players,
        "position": ["RB", "WR", "QB"] * 10,
    }
    first = offered(columns)[0]
    assert first.roles == {"item": "player", "score": "rank"}
    assert first.options["lower_is_better"] == "all"
    data = first.read()
    assert data.items[int(resolve_scorer(None, data).score(data).argmax())] == "p0"


def test_a_single_large_number_is_no_name() -> None:
    """A list of points without a header, and years that are names."""
    below = "".join(f"p{n},{9000 - 40 * n}\n" for n in range(6))
    with pytest.raises(InvalidDataError) as caught:
        read_any(io.BytesIO(f"top,10540\n{below}".encode()))
    assert caught.value.readings[0].n_items == 7
    with pytest.raises(InvalidDataError) as caught:
        read_any(io.BytesIO(f"team,2019\n{below}".encode()))
    assert caught.value.readings[0].n_items == 6


def test_a_mean_of_different_measures_is_asked_about(rng: np.random.Generator) -> None:
    """Which of them is meant, nobody knows; a mean of benchmarks is what leaderboards show."""
    models = [f"m{n}" for n in range(6)]
    measured = {
        name: rng.uniform(0, 1, 6).round(3).tolist()
        for name in ("accuracy", "recall", "mcc")
    }
    first = offered({"model": models, **measured})[0]
    assert (
        "the columns are different measures, of which a mean is taken" in first.against
    )
    tasks = {
        f"acc_{task}": values
        for task, values in zip("xyz", measured.values(), strict=True)
    }
    assert read_any({"model": models, **tasks}).items == tuple(models)


@pytest.mark.parametrize(
    ("said", "less"), [("Hallucination Rate", True), ("Drift Rate", None)]
)
def test_a_rate_of_something_bad(
    said: str, less: bool | None, rng: np.random.Generator
) -> None:
    """Less is better where the name says so; where it says nothing, it is asked."""
    columns: dict[str, list[Any]] = {"model": ["m1", "m2", "m3"]}
    columns |= {
        f"{n} tokens ({said})": rng.uniform(0, 1, 3).tolist()
        for n in (2000, 4000, 6000)
    }
    if less:
        np.testing.assert_array_less(read_any(columns).values, 0)
    else:
        assert "more may be better, or less" in offered(columns)[0].against


def test_votes_for_and_against_are_no_names() -> None:
    """As in polls of comments: -1, 0 and 1 are answers, and so may other numbers be."""
    cells = [
        (comment, voter, (comment * voter + voter // 4) % 3 - 1)
        for comment in range(5)
        for voter in range(9)
    ]
    columns = dict(
        zip(
            ("comment-id", "voter-id", "vote"),
            map(list, zip(*cells, strict=True)),
            strict=True,
        )
    )
    roles = {"user": "voter-id", "item": "comment-id", "score": "vote"}
    found = offered(columns)
    assert (found[0].kind.name, found[0].roles) == ("ratings", roles)
    assert all(one.kind.name != "votes" for one in found)
    columns["vote"] = [number + 6 for number in columns["vote"]]
    found = offered(columns)
    assert found[0].roles == roles
    assert "'vote' holds numbers, which may be answers" in found[1].against


def test_what_is_final_comes_before_its_parts(rng: np.random.Generator) -> None:
    parts = (
        "comunicacao",
        "equipe",
        "entrega",
        "iniciativa",
        "lideranca",
        "nota_final",
    )
    columns: dict[str, list[Any]] = {
        "data": [f"2024-0{1 + n % 4}-30" for n in range(40)],
        "funcionario": [f"f{n // 4}" for n in range(40)],
        **{name: rng.uniform(0, 10, 40).round(1).tolist() for name in parts},
    }
    found = offered(columns, item="funcionario")
    assert "nota_final" in {one.roles.get("score") for one in found}


def test_a_minus_sign_is_one() -> None:
    """As typesetters write it, U+2212."""
    text = "model,mmlu,gsm8k,boolq\na,−0.5,1,2\nb,0.25,−1,3\n"
    data = read_any(io.BytesIO(text.encode()), items_in="rows")
    assert data.values.T.tolist() == [[-0.5, 1, 2], [0.25, -1, 3]]


def test_a_list_of_things_ranks_them_not_what_they_have(
    rng: np.random.Generator,
) -> None:
    """Each row is another restaurant: areas and tiers only describe them."""
    columns: dict[str, list[Any]] = {
        "restaurant": [f"r{n}" for n in range(30)],
        "area": [f"a{n % 4}" for n in range(30)],
        "tier": ["gold" if n % 3 else "silver" for n in range(30)],
        "avg_rating": rng.uniform(1, 5, 30).round(2).tolist(),
    }
    first, *others = offered(columns)
    assert first.roles == {"item": "restaurant", "score": "avg_rating"}
    told = [one for one in others if one.roles.get("item") in {"area", "tier"}]
    assert all("each row is another 'restaurant'" in one.against for one in told)


def test_settings_are_no_scores() -> None:
    """A list of polls: columns of one truth value each, beside several names of the rows."""
    columns: dict[str, list[Any]] = {
        "title": ["gym", "swim", "run"], "question": ["who?", "where?", "when?"],
        "anonymous": ["false"] * 3, "several": ["false"] * 3, "active": ["true"] * 3,
    }  # fmt: skip
    text = "\n".join(
        map(",".join, [list(columns), *zip(*columns.values(), strict=True)])
    )
    with pytest.raises(NotRecognisedError):
        read_any(io.BytesIO(text.encode()))


def test_one_who_rated_all_cannot_leave(rng: np.random.Generator) -> None:
    columns: dict[str, list[Any]] = {
        "joke": [f"j{n}" for n in range(30)],
        "user": ["me"] * 30,
        "rating": rng.permutation(30).tolist(),
    }
    first = offered(columns)[0]
    assert first.roles == {"item": "joke", "score": "rating"}
    assert "all rows have one 'user': each counts by itself" in first.against
    data = read_any(columns, **first.arguments)
    assert (data.n_units, len(data.items)) == (30, 30)


def test_years_count_no_votes() -> None:
    """Nor are file names names where there are others."""
    counties = ["Blanco", "Travis", "Bexar"] * 12
    columns: dict[str, list[Any]] = {
        "map_filename": [f"{n}.png" for n in range(36)],
        "pred_year": [2012 + 4 * (n // 12) for n in range(36)],
        "county": counties,
    }
    for one in offered(columns):
        assert one.roles.get("count") is None
        assert one.roles.get("item", one.roles.get("choice")) == "county"


def test_lists_of_measurements_are_no_ballots(rng: np.random.Generator) -> None:
    times = [f"{n % 3 + 1}, {n % 4 + 0.5}, 2" for n in range(12)]
    columns = {
        "flow": [f"f{n}" for n in range(12)],
        "minutes": times,
        "rate": rng.normal(size=12).tolist(),
    }
    assert all(one.kind.name != "ballots" for one in offered(columns))


def test_times_by_size_are_of_what_the_rows_name(rng: np.random.Generator) -> None:
    sizes = {f"{10**n}_time": rng.uniform(1, 9, 6).tolist() for n in range(1, 5)}
    columns = {"sname": ["quick", "heap", "merge", "shell", "tim", "bubble"], **sizes}
    first = offered(columns)[0]
    assert (first.options["items_in"], first.options["lower_is_better"]) == (
        "rows",
        "all",
    )


@pytest.mark.parametrize("tied", [1, None])
def test_counts_in_a_list_of_columns_are_tried_like_others(tied: int | None) -> None:
    """A role that may have several columns, such as ties, has a list of them even if there is one."""
    columns = {
        "left": [*"aba"],
        "right": [*"bcc"],
        "wins_left": [3, 4, 1],
        "wins_right": [1, 2, 5],
    }
    decision = decision_on(as_table({**columns, "ties": [2, 1, tied]}), None, {})
    counted = [
        one.roles["ties"] for one in decision.considered if one.kind.name == "battles"
    ]
    assert counted == ([["ties"]] if tied else [])

"""Documents of JSON are read as the table that a person would make of them."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from steadyrank import read_any
from steadyrank.errors import InvalidDataError, NotRecognisedError
from steadyrank.reading.formats import read_table
from steadyrank.reading.table import Table


def table(document: object, **given: Any) -> Table:
    return read_table(io.BytesIO(json.dumps(document, indent=1).encode()), given=given)


def rows(found: Table) -> list[tuple[Any, ...]]:
    return list(zip(*(found.cells(name) for name in found.names), strict=True))


class TestListsOfLists:
    LAPS = (
        ["1", "ann", 125, 0.5, "red"],
        ["2", "bob", 126, 0.25, "red"],
        ["3", "cyd", 127, 0.75, "blue"],
    )

    def test_without_a_header(self) -> None:
        found = table(self.LAPS)
        assert found.names == [f"column_{place}" for place in range(1, 6)]
        assert rows(found) == [tuple(row) for row in self.LAPS]
        assert table({"title": "x", "laps": self.LAPS}).labels("column_2").tolist() == [
            "ann",
            "bob",
            "cyd",
        ]

    def test_texts_alone_are_rows_where_some_columns_are_numbers(self) -> None:
        found = table([[str(cell) for cell in row] for row in self.LAPS])
        assert found.numbers("column_1").tolist() == [1, 2, 3]
        assert found.labels("column_2").tolist() == ["ann", "bob", "cyd"]

    def test_with_a_header(self) -> None:
        found = table([["place", "who", "ms", "gap", "car"], *self.LAPS])
        assert found.names == ["place", "who", "ms", "gap", "car"]
        assert found.numbers("ms").tolist() == [125, 126, 127]
        years = table([["land", "2019", "2020"], ["x", 1, 2], ["y", 3, 4]])
        assert years.names == ["land", "2019", "2020"]

    @pytest.mark.parametrize("names", [("columns", "data"), ("fields", "rows")])
    def test_names_beside_the_rows(self, names: tuple[str, str]) -> None:
        found = table(dict(zip(names, (["who", "ms"], [["ann", 125], ["bob", 126]]), strict=True)))
        assert rows(found) == [("ann", 125), ("bob", 126)]
        assert found.names == ["who", "ms"]

    def test_names_of_columns_and_of_rows_beside_them(self) -> None:
        split = {"columns": ["t1", "t2"], "index": ["x", "y", "z"], "data": [[1, 2], [3, 4], [5, 6]]}
        assert rows(table(split)) == [("x", 1, 2), ("y", 3, 4), ("z", 5, 6)]
        assert table({**split, "index": [0, 1, 2]}).names == ["t1", "t2"]

    def test_rows_of_texts_that_come_again_are_no_ballots(self) -> None:
        games = [["x", "y", "x"], ["y", "z", "z"], ["x", "z", "x"]]
        assert table(games).names == ["column_1", "column_2", "column_3"]
        assert table([["x", "y"], ["y", "x", "z"]]).names == ["list"]

    def test_lists_of_records_in_a_list(self) -> None:
        rounds = [[{"home": "x", "away": "y"}], [{"home": "y", "away": "z"}, {"home": "z", "away": "x"}]]
        assert rows(table(rounds)) == [("1", "x", "y"), ("2", "y", "z"), ("2", "z", "x")]


class TestObjectsByName:
    def test_numbers(self) -> None:
        assert rows(table({"date": "May", "scores": {"x": 0.5, "y": 0.25, "z": 1}})) == [
            ("x", 0.5),
            ("y", 0.25),
            ("z", 1),
        ]
        assert table({"x": 3, "y": 4}).names == ["name", "value"]

    def test_numbers_beside_a_table_are_settings(self) -> None:
        config = {f"option {n}": n for n in range(9)}
        found = table(
            {"config": config, "results": [{"model": "x", "acc": 1}, {"model": "y", "acc": 2}]}
        )
        assert found.names == ["model", "acc"]

    def test_one_line(self) -> None:
        many = {f"model {n}": n / 20 for n in range(20)}
        assert len(read_table(io.BytesIO(json.dumps(many).encode()))) == 20
        row = read_table(io.BytesIO(b'{"user": 1, "item": 2, "rating": 3}'))
        assert row.names == ["user", "item", "rating"]

    def test_records_three_deep(self) -> None:
        deep = {m: {t: {"acc": a, "f1": a / 2} for t, a in (("t1", 0.5), ("t2", 1.0))} for m in "xyz"}
        found = table(deep)
        assert found.names == ["name", "t1.acc", "t1.f1", "t2.acc", "t2.f1"]
        assert found.numbers("t2.f1").tolist() == [0.5] * 3

    def test_records_four_deep(self) -> None:
        """Each experiment as a row would have a column for each season, team and figure."""
        teams = {"x": {"won": 3, "lost": 1}, "y": {"won": 1, "lost": 3}}
        found = table({"a": {"2024": teams, "2025": teams}, "b": {"2024": teams}})
        assert found.names == ["name", "key", "x.won", "x.lost", "y.won", "y.lost"]
        assert found.cells("key") == ["2024", "2025", "2024"]

    def test_few_have_the_same_names(self) -> None:
        """As ratings by user: a column for each film would be blank nearly everywhere."""
        found = table({"ann": {"f1": 5, "f2": 3}, "bob": {"f3": 4}, "cyd": {"f4": 1, "f1": 2}})
        assert found.names == ["name", "key", "value"]
        assert rows(found)[::3] == [("ann", "f1", 5), ("cyd", "f4", 1)]

    def test_lists_of_numbers_of_any_length(self) -> None:
        assert rows(table({"x": [1, 2, 3], "y": [4]})) == [("x", 1), ("x", 2), ("x", 3), ("y", 4)]

    def test_ballots_by_year_week_and_voter(self) -> None:
        orders = [["x", "y", "z"], ["y", "x", "z"], ["x", "z", "y"], ["z", "x", "x"]]
        years = {
            "2024": {"week 1": {"ann": orders[0], "bob": orders[1]}},
            "2025": {"week 2": {"ann": orders[2], "cyd": orders[3]}},
        }
        found = table(years)
        assert found.names == ["name", "key", "key_2", "list"]
        assert found.cells("list") == orders
        content = json.dumps(years).encode()
        with pytest.raises(InvalidDataError, match="names 'x' twice"):
            read_any(io.BytesIO(content), kind="ballots", ballot="list")
        data = read_any(io.BytesIO(content), kind="ballots", ballot="list", repeats="skip")
        assert sorted(data.units.labels) == ["x > y > z", "x > z > y", "y > x > z", "z > x"]
        assert "1 ballot with an item twice: its first place counts (repeats)" in data.notes

    def test_a_ballot_for_each_voter(self) -> None:
        found = table({"ann": {"ballot": ["x", "y"]}, "bob": {"ballot": ["y", "x"]}})
        assert found.names[:2] == ["name", "ballot"]
        assert found.cells("ballot") == [["x", "y"], ["y", "x"]]
        assert table({"ann": ["x", "y"], "bob": ["y"]}).names == ["name", "list"]

    def test_lists_of_names_that_come_again_are_suggested_as_ballots(self) -> None:
        orders = [["x", "y", "z"], ["y", "x"], ["z", "y", "x"], ["x", "z"]] * 3
        content = json.dumps({f"v{n}": order for n, order in enumerate(orders)}).encode()
        with pytest.raises(NotRecognisedError) as caught:
            read_any(io.BytesIO(content))
        best = caught.value.readings[0]
        assert best.typed == ["--kind", "ballots", "--ballot", "list"]
        assert (best.read().n_units, best.n_items) == (12, 3)

    def test_what_is_no_table_stays_none(self) -> None:
        for document in ({"a": 1, "b": "x"}, {"a": {"b": 1}}, {"a": {"b": 1}, "c": 2}, {"title": "x"}):
            with pytest.raises(NotRecognisedError, match="neither a list of objects"):
                table(document)


class TestListsInRecords:
    def test_numbers_of_judges(self) -> None:
        skaters = [{"who": "x", "marks": [5.5, 6.0, 5.5]}, {"who": "y", "marks": [5.0, 5.5]}]
        found = table(skaters)
        assert found.names == ["who", "marks", "marks.1", "marks.2", "marks.3"]
        assert found.cells("marks.3") == [5.5, None]

    def test_an_order_of_numbers_is_one_ballot(self) -> None:
        found = table([{"ballot": [3, 1, 2]}, {"ballot": [1, 2, 3]}])
        assert found.names == ["ballot"]

    def test_records_of_judges(self) -> None:
        judged = [{"judge": "j", "mark": 5}, {"judge": "k", "mark": 6}]
        named = {"x": {"place": 1, "results": judged}, "y": {"place": 2, "results": judged[:1]}}
        found = table(named)
        assert rows(found) == [("x", 1, "j", 5), ("x", 1, "k", 6), ("y", 2, "j", 5)]
        assert found.names == ["name", "place", "judge", "mark"]

"""Documents of JSON are read as the table that a person would make of them."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from steadyrank.errors import NotRecognisedError
from steadyrank.reading.formats import read_table
from steadyrank.reading.table import Table


def table(document: object, **given: Any) -> Table:
    return read_table(io.BytesIO(json.dumps(document, indent=1).encode()), given=given)


def rows(found: Table) -> list[tuple[Any, ...]]:
    return list(zip(*(found.cells(name) for name in found.names), strict=True))


GRID = [["ann", 125], ["bob", 126], ["cyd", 127]]


@pytest.mark.parametrize(
    "document",
    [
        GRID,
        [["who", "ms"], *GRID],
        {"columns": ["who", "ms"], "data": GRID},
        [["x", "y"], ["y", "x", "z"]],
        ["x > y", "y > x"],
        [[{"home": "x", "away": "y"}], [{"home": "y", "away": "z"}]],
        {"ann": ["x", "y"], "bob": ["y"]},
        {"x": [1, 2, 3], "y": [4]},
    ],
)
def test_other_documents_are_refused_with_an_example(document: object) -> None:
    with pytest.raises(
        NotRecognisedError, match=r"neither a list of objects.*A table in JSON looks"
    ):
        table(document)


class TestColumns:
    def test_lists_of_one_length(self) -> None:
        assert rows(table({"who": ["ann", "bob"], "ms": [125, 126]})) == [
            ("ann", 125),
            ("bob", 126),
        ]

    def test_a_frame_of_pandas(self) -> None:
        frame = {"who": {"0": "ann", "1": "bob"}, "ms": {"0": 125, "1": 126}}
        assert rows(table(frame)) == [("ann", 125), ("bob", 126)]


class TestObjectsByName:
    def test_numbers(self) -> None:
        assert rows(
            table({"date": "May", "scores": {"x": 0.5, "y": 0.25, "z": 1}})
        ) == [
            ("x", 0.5),
            ("y", 0.25),
            ("z", 1),
        ]
        assert table({"x": 3, "y": 4}).names == ["name", "value"]

    def test_numbers_beside_a_table_are_settings(self) -> None:
        config = {f"option {n}": n for n in range(9)}
        found = table(
            {
                "config": config,
                "results": [{"model": "x", "acc": 1}, {"model": "y", "acc": 2}],
            }
        )
        assert found.names == ["model", "acc"]

    def test_one_line(self) -> None:
        many = {f"model {n}": n / 20 for n in range(20)}
        assert len(read_table(io.BytesIO(json.dumps(many).encode()))) == 20
        row = read_table(io.BytesIO(b'{"user": 1, "item": 2, "rating": 3}'))
        assert row.names == ["user", "item", "rating"]

    def test_records_three_deep(self) -> None:
        deep = {
            m: {t: {"acc": a, "f1": a / 2} for t, a in (("t1", 0.5), ("t2", 1.0))}
            for m in "xyz"
        }
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
        found = table(
            {"ann": {"f1": 5, "f2": 3}, "bob": {"f3": 4}, "cyd": {"f4": 1, "f1": 2}}
        )
        assert found.names == ["name", "key", "value"]
        assert rows(found)[::3] == [("ann", "f1", 5), ("cyd", "f4", 1)]

    def test_a_ballot_for_each_voter(self) -> None:
        found = table({"ann": {"ballot": ["x", "y"]}, "bob": {"ballot": ["y", "x"]}})
        assert found.names == ["name", "ballot"]
        assert found.cells("ballot") == [["x", "y"], ["y", "x"]]

    def test_lists_of_records(self) -> None:
        weeks = {
            "1": [{"home": "x", "away": "y"}],
            "2": [{"home": "y", "away": "z"}] * 2,
        }
        assert rows(table(weeks)) == [("1", "x", "y"), ("2", "y", "z"), ("2", "y", "z")]

    def test_what_is_no_table_stays_none(self) -> None:
        for document in (
            {"a": 1, "b": "x"},
            {"a": {"b": 1}},
            {"a": {"b": 1}, "c": 2},
            {"title": "x"},
        ):
            with pytest.raises(NotRecognisedError, match="neither a list of objects"):
                table(document)


@pytest.mark.parametrize(
    "cells", [[[3, 1, 2], [1, 2, 3]], [[5.5, 6.0, 5.5], [5.0, 5.5]]]
)
def test_lists_in_records_are_cells(cells: list[Any]) -> None:
    found = table(
        [{"who": who, "given": one} for who, one in zip("xy", cells, strict=True)]
    )
    assert found.names == ["who", "given"]
    assert found.cells("given") == cells


def test_records_in_records_are_rows() -> None:
    """As standings of a season: what is beside the list comes with each of its records."""
    seasons = [
        {
            "season": season,
            "standings": [{"team": team, "points": len(team)} for team in ("x", "yy")],
        }
        for season in (7, 8)
    ]
    assert rows(table(seasons)) == [
        (7, "x", 1),
        (7, "yy", 2),
        (8, "x", 1),
        (8, "yy", 2),
    ]
    assert "what is in 'standings' read as rows" in table(seasons).notes
    assert rows(table({"made": "today", "all": seasons})) == rows(table(seasons))
    two = [{"a": [{"b": 1}, {"b": 2}], "c": [{"d": 1}]}]
    assert table(two).names == ["a", "c"]

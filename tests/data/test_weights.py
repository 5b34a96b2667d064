"""Weights: in every form of a table, what is refused, and engines that count them."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from engine_makers import relation
from steadyrank import (
    Ballots,
    Battles,
    Borda,
    Plurality,
    Ratings,
    Regression,
    ScoreMatrix,
    Study,
    Votes,
    read,
)
from steadyrank.errors import (
    EmptyDataError,
    InvalidCountError,
    InvalidDataError,
    InvalidScoresError,
    MissingValuesError,
    NotANumberError,
    TooFewUnitsError,
    WrongDataError,
)


def test_counts_and_weights_together() -> None:
    frame = {"choice": ["x", "y", "x"], "count": [3, 2, 1], "wt": [0.5, 1.5, 0.5]}
    votes = read(frame, choice="choice", count="count", weight="wt")
    assert votes.n_units == 6
    assert list(votes.units.labels) == ["x, weight 0.5", "y, weight 1.5"]
    assert votes.units.counts.tolist() == [4, 2]
    assert votes.item_counts.tolist() == [4, 2]
    assert Plurality().score(votes).tolist() == [0.4, 0.6]


@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        ([1, -0.5], InvalidCountError, "from 0 on, but there is -0.5, at index 1"),
        ([1, np.nan], MissingValuesError, "weights has missing values, at index 1"),
        ([1, np.inf], NotANumberError, "weights"),
        ([0, 0], EmptyDataError, "all weights are 0"),
        ([1e-300, 1], InvalidCountError, "too far apart"),
        ([1e300, 1], InvalidCountError, "too far apart"),
        ([1], InvalidScoresError, "weights has 1 values for 2 rows"),
    ],
)
def test_bad_weights_are_refused(
    weights: list[float], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        Votes(["x", "y"], weights=weights)
    with pytest.raises(error, match=words):
        ScoreMatrix([[1, 2], [3, 4]], weights=weights)


def test_a_bad_weight_is_named_with_its_line() -> None:
    file = io.BytesIO(b"vote,wt\nx,1\ny,-2\n")
    with pytest.raises(
        InvalidDataError, match=r"line 3, column 'wt': '-2' is negative"
    ):
        read(file, choice="vote", weight="wt")


def test_long_weights_are_rounded_and_that_is_said() -> None:
    votes = Votes(["x", "y", "x"], weights=[1 / 3, 2 / 3, 1 / 3])
    assert votes.notes == (
        "weights rounded to 12 decimal places: with more they would not add up exactly",
    )
    assert Plurality().score(votes).tolist() == [
        666666666666 / 1333333333333,
        666666666667 / 1333333333333,
    ]


def test_one_weight_for_each_user() -> None:
    with pytest.raises(
        InvalidDataError, match="entries of one user name different weights"
    ):
        Ratings(["u", "u"], ["a", "b"], [1, 2], weights=[1, 2])
    with pytest.raises(
        InvalidDataError, match="entries of one user name different 'household'"
    ):
        Ratings(["u", "u"], ["a", "b"], [1, 2], units=["h", "i"], unit_kind="household")
    frame = {"user": [1, 1], "item": ["a", "b"], "rank": [1, 2], "weight": [1, 3]}
    with pytest.raises(InvalidDataError, match=r"user 1 has two weights: 1 .* and 3"):
        read(frame, item="item", rank="rank", unit="user", weight="weight")


def test_a_unit_with_all_the_weight() -> None:
    votes = Votes(["x", "y"], weights=[1, 0])
    assert Plurality().score(votes).tolist() == [1, 0]
    assert (votes.n_units, votes.notes) == (1, ("1 row of weight 0 left out",))
    with pytest.raises(TooFewUnitsError):
        Plurality().leave_one_out(votes)


def test_regressions_take_no_weights() -> None:
    with pytest.raises(InvalidCountError, match="take no weights"):
        Regression([[1.0], [2.0]], [1.0, 2.0], weights=[1, 2])
    cars = {"weight": [1.0, 2.0, 3.0], "power": [2.0, 1.0, 5.0], "y": [1.0, 2.0, 3.0]}
    assert read(cars, response="y").items == ("weight", "power")
    with pytest.raises(InvalidCountError, match="take no weights"):
        read(cars, response="y", weight="weight")


def test_weights_in_every_form_of_a_table() -> None:
    long = {"user": [1, 1, 2], "item": ["a", "b", "b"], "rank": [1, 2, 1]}
    for ballots in (
        read(
            {**long, "mass": [0.5, 0.5, 2]},
            item="item",
            rank="rank",
            unit="user",
            weight="mass",
        ),
        read(
            {"order": ["a > b", "b"], "mass": [0.5, 2]}, ballot="order", weight="mass"
        ),
        read(
            {"one": ["a", "b"], "two": ["b", None], "mass": [0.5, 2]},
            ranks=["one", "two"],
            weight="mass",
        ),
    ):
        assert Borda().score(ballots).tolist() == [0.2, 0.8]
    wide = {"task": ["s", "t"], "x": [1, 0], "y": [0, 1], "mass": [3, 1]}
    long = {
        "task": ["s", "s", "t", "t"],
        "item": ["x", "y", "x", "y"],
        "score": [1, 0, 0, 1],
        "mass": [3, 3, 1, 1],
    }
    said = {"unit": "task", "weight": "mass"}
    for data in (
        read(wide, wide=True, **said),
        read(long, item="item", score="score", **said),
    ):
        assert data.items == ("x", "y")
        assert Study(data).scores.tolist() == [0.75, 0.25]
    named = read({"x": [1, 0], "mass": [3, 1]}, items=["x", "mass"])
    assert named.weights is None
    battles = read(
        {"winner": ["x", "y"], "loser": ["y", "x"], "mass": [0.5, 2]},
        winner="winner",
        loser="loser",
        weight="mass",
    )
    assert battles.unit_pairs.wins.tolist() == [0.5, 2]
    assert list(battles.units.labels) == [
        "x beats y, weight 0.5",
        "y beats x, weight 2",
    ]


def test_what_people_with_weights_said() -> None:
    assert Votes(["x", "y"], weights=[0.5, 2]).said([0], [(0,)]) == [
        "voted for x; weight 0.5"
    ]
    ballots = Ballots([["x", "y"], ["y"]], weights=[0.5, 2])
    assert ballots.said([0, 1], [(0, 1), (0, 1)]) == [
        "x > y; weight 0.5",
        "y; not x; weight 2",
    ]
    ratings = Ratings(
        ["u", "u", "v"], ["a", "b", "a"], [5, 4, 3], weights=[0.5, 0.5, 0]
    )
    assert ratings.said([0], [(0, 1)]) == ["a 5, b 4; weight 0.5"]
    battles = Battles(["x", "y"], ["y", "x"], ["left", "tie"], weights=[0.5, 2])
    assert battles.said([0, 1], [(0,), (0,)]) == [
        "x tied with y; weight 2",
        "x beat y; weight 0.5",
    ]


def test_first_choices_of_ballots() -> None:
    ballots = Ballots([["x", "y"], [("x", "y", "z")], [("y", "z"), "x"]])
    assert Plurality().score(ballots).tolist() == [8 / 18, 5 / 18, 5 / 18]
    assert Plurality().sensitivity(ballots).sentence == (
        "Removing one of 3 ballots moves the shares by at most 0.471405, for any ballots."
    )
    with pytest.raises(WrongDataError, match="ballots that approve, which have none"):
        Plurality().score(Ballots([{"x"}], approval=True))


class TestEngines:
    """Votes and battles are counted with their weights; values in an engine have none."""

    def test_counted_as_in_memory(self) -> None:
        polars = pytest.importorskip("polars")
        frame = polars.DataFrame(
            {
                "left": ["x", "y", "x", "z", "z", "x"],
                "right": ["y", "z", "z", "x", "x", "y"],
                "winner": ["left", "right", "tie", "left", "left", "left"],
                "mass": [0.1, 0.3, 0.2, 1.0, 1.0, 0.1],
                "judge": [1, 2, 3, 4, 4, 1],
            }
        )
        sides = {"left": "left", "right": "right", "winner": "winner", "weight": "mass"}
        for unit in ({}, {"unit": "judge"}):
            here = read(frame, **sides, **unit)
            there = read(relation(frame), **sides, **unit)
            for one, other in ((here, there), (here.without(0), there.without(0))):
                assert sorted(one.units.labels) == sorted(other.units.labels)
                assert np.allclose(
                    Study(one, "bradley-terry:ridge=1").scores,
                    Study(other, "bradley-terry:ridge=1").scores,
                )
            assert here.unit_pairs.wins.sum() == there.unit_pairs.wins.sum()
        one, other = (
            Study(source, choice="left", weight="mass")
            for source in (frame, relation(frame))
        )
        assert one.scores.tolist() == other.scores.tolist()
        assert one.facts.shifts.tolist() == other.facts.shifts.tolist()

    def test_refused_as_in_memory(self) -> None:
        polars = pytest.importorskip("polars")
        bad = polars.DataFrame({"vote": ["x", "y"], "mass": [1.0, -1.0]})
        for source in (bad, relation(bad)):
            with pytest.raises(InvalidDataError, match=r"-1\.0 is negative"):
                read(source, choice="vote", weight="mass")

    def test_values_have_no_weights_there(self) -> None:
        columns = {"user": [1, 2], "item": ["a", "a"], "rating": [1, 2], "home": [1, 1]}
        said = {"item": "item", "rating": "rating", "unit": "user"}
        for more in ({"weight": "home"}, {"row": "home"}, {"count": "home"}):
            role = next(iter(more))
            with pytest.raises(
                InvalidDataError, match=f"ratings without {role}.*in memory"
            ):
                read(relation(columns), **said, **more)


@pytest.mark.parametrize(
    "make",
    [
        lambda **said: Votes(["x"], **said),
        lambda **said: Ballots([["x"]], **said),
        lambda **said: Ratings(["u"], ["x"], [3], **said),
        lambda **said: Battles(["x"], ["y"], ["left"], **said),
        lambda **said: ScoreMatrix([[1.0, 2.0]], **said),
        lambda **said: Regression([[1.0]], [2.0], **said),
    ],
)
def test_an_argument_that_is_not_there_is_refused_by_name(make: Any) -> None:
    with pytest.raises(
        InvalidDataError, match=r"no argument called 'unit' here.* units and unit_kind"
    ):
        make(unit=["judge"])

"""The six kinds, made from arrays."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from engine_makers import relation
from steadyrank import Study
from steadyrank.data import Ballots, Battles, Regression, ScoreMatrix, Votes
from steadyrank.data.observations import shares_of
from steadyrank.errors import (
    EmptyDataError,
    InvalidCountError,
    InvalidDataError,
    InvalidLabelError,
    InvalidScoresError,
    InvalidSettingError,
    MissingValuesError,
    NotANumberError,
)

EXAMPLES = [
    Votes(["x", "y"]),
    Ballots([["x", "y"], ["y"]]),
    Battles(["x"], ["y"], ["left"]),
    ScoreMatrix([[1.0, 2.0]]),
    Regression([[1.0, 2.0]], [1.0]),
]


@pytest.mark.parametrize("data", EXAMPLES, ids=lambda data: type(data).__name__)
def test_all_kinds_are_frozen(data: Any) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.items = ("z",)
    arrays = [value for value in vars(data).values() if isinstance(value, np.ndarray)]
    assert arrays
    assert not any(array.flags.writeable for array in arrays)


def test_inputs_stay_writable_and_unchanged() -> None:
    values = np.array([[1.0, np.nan], [2.0, 3.0]])
    ScoreMatrix(values, missing="drop")
    values[0, 0] = 7.0
    counts = np.array([2, 1])
    votes = Votes(np.array([1, 2]), counts=counts)
    counts[0] = 5
    assert votes.n_units == 3


class TestVotes:
    @given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 3)), min_size=1))
    def test_units_are_the_items_with_votes(self, rows: list[tuple[str, int]]) -> None:
        tally = Counter({label: 0 for label, _ in rows})
        for label, count in rows:
            tally[label] += count
        if not sum(tally.values()):
            with pytest.raises(EmptyDataError):
                Votes([label for label, _ in rows], counts=[count for _, count in rows])
            return
        votes = Votes([label for label, _ in rows], counts=[count for _, count in rows])
        found = dict(zip(votes.units.labels, votes.units.counts.tolist(), strict=True))
        assert found == {
            label: count for label, count in sorted(tally.items()) if count
        }
        assert votes.items == tuple(sorted(tally))
        assert votes.n_units == sum(tally.values())
        assert [
            votes.items[item] for item in votes.choices[shares_of(votes).rows]
        ] == list(votes.units.labels)

    def test_an_item_without_votes_keeps_its_place(self) -> None:
        votes = Votes(["b"], items=["c", "b", "a"])
        assert votes.items == ("c", "b", "a")
        assert votes.choices.tolist() == [1]
        assert votes.tally.tolist() == [0, 1, 0]

    def test_nothing_at_all(self) -> None:
        with pytest.raises(EmptyDataError, match="no votes"):
            Votes([])

    def test_one_vote_for_one_item(self) -> None:
        votes = Votes(["x"])
        assert (votes.n_units, votes.n_items, len(votes.units)) == (1, 1, 1)

    def test_bad_counts(self) -> None:
        with pytest.raises(InvalidCountError, match="-2"):
            Votes(["x"], counts=[-2])


class TestBallots:
    def test_fields(self) -> None:
        ballots = Ballots(
            [["b", {"c", "a"}], ["c"], ["b", ("a", "c")]], counts=[1, 2, 3]
        )
        assert ballots.items == ("a", "b", "c")
        assert ballots.indptr.tolist() == [0, 3, 4]
        assert ballots.ranked.tolist() == [1, 0, 2, 2]
        assert ballots.levels.tolist() == [0, 1, 1, 0]
        assert ballots.counts.tolist() == [4, 2]
        assert list(ballots.units.labels) == ["b > a = c", "c"]

    def test_approval(self) -> None:
        ballots = Ballots([{"b", "a"}, [], ["a", "b"]], approval=True)
        assert ballots.indptr.tolist() == [0, 2, 2]
        assert ballots.levels.tolist() == [0, 0]
        assert ballots.counts.tolist() == [2, 1]
        assert list(ballots.units.labels) == ["{a, b}", "{}"]

    @given(
        st.lists(
            st.permutations("abcd").flatmap(
                lambda order: st.integers(1, 4).map(lambda size: order[:size])
            ),
            min_size=1,
        )
    )
    def test_distinct_ballots_against_a_counter(self, orders: list[list[str]]) -> None:
        ballots = Ballots(orders, items=["a", "b", "c", "d"])
        counted = Counter(" > ".join(order) for order in orders)
        labels = list(ballots.units.labels)
        assert dict(zip(labels, ballots.counts.tolist(), strict=True)) == counted
        assert labels == list(dict.fromkeys(" > ".join(order) for order in orders))

    @pytest.mark.parametrize(
        ("ballots", "match"),
        [
            ([["a", "a"]], "names 'a' twice, at index 0"),
            ([["a"], ["b", ["a", "b"]]], "names 'b' twice, at index 1"),
            ([["a"], []], "empty order, at index 1"),
            (["abc"], "must be a list of labels, but one is 'abc'"),
            ([{"a", "b"}], "has no order"),
            ([3], "must be a list of labels"),
            ("abc", "must be a list of orders"),
        ],
    )
    def test_bad_ballots(self, ballots: Any, match: str) -> None:
        with pytest.raises(InvalidDataError, match=match):
            Ballots(ballots)

    def test_a_missing_label_is_placed_by_ballot(self) -> None:
        with pytest.raises(InvalidLabelError, match="at index 2"):
            Ballots([["a", "b"], ["b"], ["a", None]])

    def test_nothing_at_all(self) -> None:
        with pytest.raises(EmptyDataError):
            Ballots([])
        with pytest.raises(EmptyDataError, match="no ballot names an item"):
            Ballots([[]], approval=True)
        with pytest.raises(EmptyDataError, match="all counts are 0"):
            Ballots([["a"]], counts=[0])

    def test_levels_are_dense(self) -> None:
        columns = {"voter": [1, 1, 1], "item": ["c", "a", "b"], "rank": [9, 4, 4]}
        ballots = Ballots.from_frame(columns)
        assert ballots.ranked.tolist() == [0, 1, 2]
        assert ballots.levels.tolist() == [0, 0, 1]


BATTLES = st.lists(
    st.tuples(
        st.permutations("abc").map(lambda order: tuple(order[:2])),
        st.sampled_from(["left", "right", "tie"]),
        st.integers(0, 2),
        st.sampled_from(["w1", "w2"]),
    ),
    min_size=1,
)


def slow_games(rows: list[Any]) -> Counter[tuple[str, str, str]]:
    pairs: Counter[tuple[str, str, str]] = Counter()
    for (left, right), outcome, count, _ in rows:
        if outcome == "tie":
            pairs[min(left, right), "ties", max(left, right)] += count
        else:
            pair = (left, right) if outcome == "left" else (right, left)
            pairs[pair[0], "beats", pair[1]] += count
    return +pairs


class TestBattles:
    @given(BATTLES)
    def test_units_against_a_counter(self, rows: list[Any]) -> None:
        if not any(row[2] for row in rows):
            return
        sides, outcomes, counts, _ = zip(*rows, strict=True)
        lefts, rights = zip(*sides, strict=True)
        battles = Battles(lefts, rights, outcomes, counts=counts)
        expected = {" ".join(game): count for game, count in slow_games(rows).items()}
        assert (
            dict(zip(battles.units.labels, battles.units.counts, strict=True))
            == expected
        )
        pairs = battles.unit_pairs
        assert (pairs.wins + pairs.ties == 1).all()
        assert (np.diff(pairs.indptr) == 1).all()

    @given(BATTLES)
    def test_groups_against_a_counter(self, rows: list[Any]) -> None:
        if not any(row[2] for row in rows):
            return
        sides, outcomes, counts, workers = zip(*rows, strict=True)
        lefts, rights = zip(*sides, strict=True)
        battles = Battles(
            lefts, rights, outcomes, counts=counts, units=workers, unit_kind="worker"
        )
        assert battles.units.kind == "worker"
        assert list(battles.units.labels) == sorted({row[3] for row in rows if row[2]})
        pairs = battles.unit_pairs
        for place, worker in enumerate(battles.units.labels):
            span = slice(pairs.indptr[place], pairs.indptr[place + 1])
            found: Counter[tuple[str, str, str]] = Counter()
            for winner, loser, wins, ties in zip(
                pairs.winner[span],
                pairs.loser[span],
                pairs.wins[span],
                pairs.ties[span],
                strict=True,
            ):
                one, two = str(battles.items[winner]), str(battles.items[loser])
                found[one, "beats", two] += int(wins)
                found[min(one, two), "ties", max(one, two)] += int(ties)
                assert not ties or winner < loser
            assert +found == slow_games([row for row in rows if row[3] == worker])

    @pytest.mark.parametrize(
        ("spelling", "meaning"),
        [
            ("left", 1), ("model_a", 1), ("A", 1), (1, 1), (1.0, 1), ("1", 1), (True, 1),
            ("RIGHT", -1), ("model_b", -1), ("b", -1), (0, -1), (False, -1), (" right ", -1),
            ("tie", 0), ("tie (bothbad)", 0), ("both bad", 0), ("Draw", 0), (0.5, 0),
            ("x", 1), ("y", -1),
        ],
    )  # fmt: skip
    def test_spellings(self, spelling: object, meaning: int) -> None:
        assert Battles(["x"], ["y"], [spelling]).outcome.tolist() == [meaning]

    @pytest.mark.parametrize(
        "strange", ["lft", 2, -1, None, float("nan"), "", "z", ["left"]]
    )
    def test_unknown_outcomes_have_their_rows(self, strange: object) -> None:
        with pytest.raises(
            InvalidDataError, match=r"unknown outcome.*at index 1, 2.*left/right"
        ):
            Battles(["x"] * 3, ["y"] * 3, ["left", strange, strange])

    def test_outcomes_by_label_and_by_side_do_not_mix_in_silence(self) -> None:
        battles = Battles(["x", "x"], ["y", "z"], ["x", "z"])
        assert battles.outcome.tolist() == [1, -1]
        assert battles.notes == ("outcomes read as the label of the item that won",)
        with pytest.raises(
            InvalidDataError, match="can be read as a side and as the label"
        ):
            Battles(["b"], ["a"], ["a"])
        with pytest.raises(InvalidDataError, match="unknown outcome 'x', at index 0"):
            Battles(["x", "x"], ["y", "z"], ["x", "left"])

    def test_numbers_as_labels_of_the_winner(self) -> None:
        assert Battles([7, 8], [8, 9], [8, 8]).outcome.tolist() == [-1, 1]

    def test_an_item_cannot_meet_itself(self) -> None:
        with pytest.raises(InvalidDataError, match="'x' meets itself, at index 1"):
            Battles(["x", "x"], ["y", "x"], ["left", "left"])

    def test_pairs(self) -> None:
        battles = Battles.from_pairs(
            ["x", "y"], ["y", "z"], [3, 0], [1, 2], ties=[0, 5]
        )
        assert battles.n_units == 11
        assert dict(zip(battles.units.labels, battles.units.counts.tolist(), strict=True)) == {
            "x beats y": 3, "y beats x": 1, "z beats y": 2, "y ties z": 5,
        }  # fmt: skip
        with pytest.raises(EmptyDataError):
            Battles.from_pairs(["x"], ["y"], [0], [0])
        with pytest.raises(InvalidCountError, match="wins_right"):
            Battles.from_pairs(["x"], ["y"], [0], [-1])

    @pytest.mark.parametrize("weights", [[1], [1, 2, 3]])
    def test_people_of_counted_pairs_are_those_of_the_rows(
        self, weights: list[int]
    ) -> None:
        with pytest.raises(
            InvalidScoresError, match=r"weights has \d values for 2 rows"
        ):
            Battles.from_pairs(["x", "x"], ["y", "z"], [1, 1], [1, 1], weights=weights)

    def test_sides_share_one_list_of_items(self) -> None:
        battles = Battles(
            ["c", "a"], ["b", "c"], ["left", "tie"], items=["a", "b", "c", "d"]
        )
        assert battles.n_items == 4
        assert (battles.left.tolist(), battles.right.tolist()) == ([2, 0], [1, 2])
        with pytest.raises(InvalidLabelError, match="'b' not in the given list"):
            Battles(["c"], ["b"], ["left"], items=["a", "c"])

    def test_lengths_must_agree(self) -> None:
        with pytest.raises(InvalidScoresError, match="right has 1 values for 2 rows"):
            Battles(["x", "x"], ["y"], ["left", "left"])
        with pytest.raises(InvalidScoresError, match="winner has 1"):
            Battles(["x", "x"], ["y", "y"], ["left"])


class TestScoreMatrix:
    GAPPY = np.array([[1.0, np.nan], [2.0, 3.0], [np.nan, np.nan]])

    def test_missing_is_an_error_that_lists_the_places(self) -> None:
        with pytest.raises(
            MissingValuesError,
            match=r"3 values are missing \(row 'p' item 'y', row 'r' item 'x'",
        ):
            ScoreMatrix(self.GAPPY, items=["x", "y"], rows=["p", "q", "r"])

    def test_drop(self) -> None:
        matrix = ScoreMatrix(self.GAPPY, rows=["p", "q", "r"], missing="drop")
        assert matrix.values.tolist() == [[2.0, 3.0]]
        assert matrix.row_labels == ("q",)
        assert matrix.notes == ("2 rows with 3 missing values dropped: 'p', 'r'",)

    def test_available(self) -> None:
        matrix = ScoreMatrix(self.GAPPY, missing="available", units=["g", "h", "g"])
        assert np.isnan(matrix.values).tolist() == [[False, True], [False, False]]
        assert matrix.notes[1] == "1 row without any value dropped"
        assert matrix.unit is not None
        assert (matrix.unit.tolist(), matrix.units.labels) == ([0, 1], ("g", "h"))

    def test_columns_of_a_table_without_any_value_are_left_out_and_named(self) -> None:
        wide = {
            "task": ["t", "u"],
            "a": [1.0, None],
            "b": [None, None],
            "c": [2.0, 3.0],
        }
        told = ScoreMatrix.from_frame(
            wide, items=["a", "b", "c"], row="task", missing="available"
        )
        assert told.items == ("a", "c")
        assert "no values at all, so left out: 'b'" in told.notes
        rows = [
            ("t", "a", 1.0),
            ("t", "b", None),
            ("t", "c", 2.0),
            ("u", "b", None),
            ("u", "c", 3.0),
        ]
        long = {
            n: [row[p] for row in rows]
            for p, n in enumerate(("task", "model", "score"))
        }
        for data in (
            ScoreMatrix.from_frame(long, missing="available"),
            ScoreMatrix.scan(relation(long), missing="available"),
        ):
            assert data.items == ("a", "c")
            assert "no values at all, so left out: 'b'" in data.notes
            assert Study(data, "column-means:empty=0").scores.tolist() == [1.0, 2.5]
        with pytest.raises(MissingValuesError, match="no values at all for 'b'"):
            ScoreMatrix.from_frame(wide, items=["b"], row="task", missing="available")

    def test_what_no_policy_can_save(self) -> None:
        with pytest.raises(MissingValuesError, match="no values at all for 1"):
            ScoreMatrix([[1.0, np.nan]], missing="available")
        with pytest.raises(MissingValuesError, match="leaves nothing"):
            ScoreMatrix([[1.0, np.nan], [np.nan, 1.0]], missing="drop")
        with pytest.raises(
            InvalidSettingError, match="'error', 'drop', 'available', but is 'no'"
        ):
            ScoreMatrix([[1.0]], missing="no")

    def test_groups_that_vanish_with_their_rows(self) -> None:
        matrix = ScoreMatrix(
            self.GAPPY, missing="drop", units=["g", "h", "g"], unit_kind="topic"
        )
        assert matrix.units.labels == ("h",)
        assert (matrix.units.kind, matrix.n_units) == ("topic", 1)

    def test_huge_values_stay(self) -> None:
        assert ScoreMatrix([[1e15, -1e15]]).values.tolist() == [[1e15, -1e15]]

    def test_doubled_items_and_wrong_sizes(self) -> None:
        with pytest.raises(InvalidLabelError, match="'x' occurs again"):
            ScoreMatrix([[1.0, 2.0]], items=["x", "x"])
        with pytest.raises(InvalidScoresError, match="3 labels for 2 columns"):
            ScoreMatrix([[1.0, 2.0]], items=["x", "y", "z"])
        with pytest.raises(InvalidScoresError, match="2 labels for 1 rows"):
            ScoreMatrix([[1.0, 2.0]], rows=["x", "y"])

    @pytest.mark.parametrize("empty", [np.empty((0, 2)), np.empty((2, 0)), []])
    def test_nothing_at_all(self, empty: Any) -> None:
        with pytest.raises(EmptyDataError):
            ScoreMatrix(empty)


class TestRegression:
    def test_fields(self) -> None:
        data = Regression([[1, 2], [3, 4]], [5, 6], items=["a", "b"], rows=["r", "s"])
        assert data.items == ("a", "b")
        assert data.X.tolist() == [[1.0, 2.0], [3.0, 4.0]]
        assert data.y.dtype == np.float64
        assert list(data.units.labels) == ["r", "s"]

    def test_bad_values(self) -> None:
        with pytest.raises(NotANumberError, match="X must be finite, but there is inf"):
            Regression([[1, np.inf]], [1])
        with pytest.raises(
            MissingValuesError, match=r"1 value is missing \(row 0 item 1\).*drop"
        ):
            Regression([[1, np.nan]], [1])
        with pytest.raises(MissingValuesError, match="y has missing"):
            Regression([[1, 2]], [None])
        with pytest.raises(InvalidScoresError, match="y has 2 values for 1 rows"):
            Regression([[1, 2]], [1, 2])
        with pytest.raises(InvalidScoresError, match="rows has 2"):
            Regression([[1, 2]], [1], rows=["a", "b"])


def test_battles_of_many_items_are_told_apart() -> None:
    items = range(65536)  # so many that 32 bits do not number their pairs
    battles = Battles([0, 32768], [1, 1], ["left"] * 2, items=items)
    assert list(battles.units.labels) == ["0 beats 1", "32768 beats 1"]


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (
            {
                "model": ["a", "b", "c"],
                "x": [1.5, 2.0, 3.0],
                "y": [2.5, 3.0, 1.0],
                "z": [np.nan, 1.5, 2.0],
            },
            "1 value is missing (column 'z' item 'a'). Drop these columns with ",
        ),
        (
            {
                "task": ["s", "s", "t", "u"],
                "model": ["a", "b", "a", "b"],
                "score": [1.0, 2.0, 3.0, 4.0],
            },
            "2 values are missing (row 't' item 'b', row 'u' item 'a'). Drop these rows with ",
        ),
        (
            {"task": ["s", "t"], "a": [1.0, 2.0], "b": [1.0, np.nan]},
            "1 value is missing (row 't' item 'b'), at index 1. Drop these rows with ",
        ),
    ],
)
def test_gaps_are_said_to_be_where_the_file_has_them(
    frame: dict[str, list[object]], said: str
) -> None:
    with pytest.raises(MissingValuesError) as found:
        ScoreMatrix.from_frame(frame)
    assert str(found.value).startswith(said)


def test_tasks_in_columns_are_dropped_as_columns() -> None:
    frame = {"model": ["a", "b"], "x": [1.0, 2.0], "y": [2.0, 3.0], "z": [np.nan, 1.0]}
    matrix = ScoreMatrix.from_frame(frame, missing="drop")
    assert matrix.notes[-1] == "1 column with 1 missing value dropped: 'z'"
    assert (matrix.row_labels, matrix.units.kind) == (("x", "y"), "column")

"""Who won a battle: every spelling, and columns that fit two of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steadyrank.reading.resolve import resolve
from steadyrank.reading.table import open_table
from written_tables import reading, refusal

SIDES = {"left": "one", "right": "two", "winner": "res"}
SPELLED = [
    "left right tie",
    "LEFT Right Tie",
    "model_a model_b tie",
    "model_a|model_b|tie (bothbad)",
    "model_a model_b both_bad",
    "a b tie",
    "A B tie",
    "A>B B>A A=B",
    "A>>B B>>A A=B",
    "leftvote rightvote tievote",
    "leftvote rightvote bothbad_vote",
    "1-0 0-1 1/2-1/2",
    "H A D",
    "white black draw",
    "1 0 0.5",
    "1.0 0.0 0.50",
    "one two tie",
    "x y tie",
]


def battles(words: list[str], pairs: str = "xy xy xy") -> str:
    """Return a file of battles with these results."""
    rows = (
        f"{left},{right},{word}\n"
        for (left, right), word in zip(pairs.split(), words, strict=True)
    )
    return "one,two,res\n" + "".join(rows)


@pytest.mark.parametrize("spelled", SPELLED)
def test_each_spelling(spelled: str) -> None:
    words = spelled.split("|") if "|" in spelled else spelled.split()
    read = reading(battles(words), **SIDES)
    assert read.columns["outcome"].tolist() == [1, -1, 0]
    assert read.columns["outcome"].dtype == np.int8


UNKNOWN = [
    ("left right win", "xy xy xy", "line 4", "'win'"),
    ("x y z", "xy xy xy", "line 4", "'z'"),  # a label, but of no side here
    ("1 0 0.7", "xy xy xy", "line 4", "'0.7'"),
    ("1 0 2", "xy xy xy", "line 4", "'2'"),
    ("1 0 -1", "xy xy xy", "line 4", "'-1'"),
    ("X y tie", "xy xy xy", "line 2", "'X'"),  # labels are labels to the letter
    ("true false true", "xy xy xy", "line 2", "'true'"),
]


@pytest.mark.parametrize(("words", "pairs", "line", "value"), UNKNOWN)
def test_an_unknown_word_is_refused(
    words: str, pairs: str, line: str, value: str
) -> None:
    told = refusal(battles(words.split(), pairs), **SIDES)
    assert f"{line}, column 'res': {value} is not a result of a battle" in told
    assert "--sql" in told


def test_results_are_spelled_in_one_way() -> None:
    told = refusal(battles(["left", "model_b", "tie"]), **SIDES)
    assert "line 3, column 'res': 'model_b' is not spelled as other results are" in told
    told = refusal(battles(["left", "right", "y"]), **SIDES)
    assert "line 4, column 'res': 'y' is not spelled as other results are" in told


TWO_WAYS = [
    # Labels that are words for sides.
    ("B A", "AB BA", "line 3, column 'res': 'A' can be read in two ways"),
    ("1 0", "01 01", "line 2, column 'res': '1' can be read in two ways"),
    # An item is called as the results of another spelling are.
    ("A A", "xA xA", "line 2, column 'res': 'A' can be read in two ways"),
    # Nothing else in the column tells whether A is a side or away.
    ("A A", "xy xy", "left wins as A/B/tie, and right wins as H/A/D"),
]


@pytest.mark.parametrize(("words", "pairs", "told"), TWO_WAYS)
def test_a_column_that_fits_two_ways_is_refused(
    words: str, pairs: str, told: str
) -> None:
    assert told in refusal(battles(words.split(), pairs), **SIDES)


def test_an_item_may_be_called_tie_where_it_does_not_matter() -> None:
    text = "one,two,res\ntie,x,left\nx,tie,right\n"
    assert reading(text, **SIDES).columns["outcome"].tolist() == [1, -1]
    told = refusal("one,two,res\ntie,x,tie\nx,y,x\n", **SIDES)
    assert "left wins as the label of a side, and a tie as a word for a tie" in told


def test_two_ways_that_agree_are_one() -> None:
    text = "A,B,res\nA,B,A\nA,B,B\nA,B,tie\n"
    read = reading(text, left="A", right="B", winner="res")
    assert read.columns["outcome"].tolist() == [1, -1, 0]


def test_columns_of_the_other_side_s_name_are_refused() -> None:
    said = {"left": "right", "right": "left", "winner": "w"}
    told = refusal("left,right,w\nx,y,left\n", **said)
    assert "can be read in two ways" in told


@pytest.mark.parametrize("kind", [np.float64, np.int64, np.float32])
def test_numbers_of_frames_are_the_share_of_the_left_side(kind: Any) -> None:
    columns = {"a": ["x", "x"], "b": ["y", "y"], "w": np.array([1, 0], dtype=kind)}
    with open_table(columns) as table:
        read = resolve(table, {"left": "a", "right": "b", "winner": "w"})
    assert read.columns["outcome"].tolist() == [1, -1]


def test_labels_that_are_numbers_win_as_labels() -> None:
    columns = {"a": np.array([7, 8]), "b": np.array([8, 7]), "w": np.array([7, 7])}
    with open_table(columns) as table:
        read = resolve(table, {"left": "a", "right": "b", "winner": "w"})
    assert read.items == (7, 8)
    assert read.columns["outcome"].tolist() == [1, -1]


def test_one_row_less_never_turns_the_others() -> None:
    rng = np.random.default_rng(11)
    words = ["A", "B", "D", "H", "x", "y", "1", "0", "tie", "left", "one", "two"]
    pairs = ["AB", "BA", "xA", "Dy", "10", "01", "xy", "tB"]
    outcomes = {}
    for _ in range(25):
        some = rng.choice(len(words), 2, replace=False)
        drawn = [(words[rng.choice(some)], str(rng.choice(pairs))) for _ in range(4)]
        for left_out in [None, 0, 3]:
            rows = [row for place, row in enumerate(drawn) if place != left_out]
            text = battles([word for word, _ in rows], " ".join(p for _, p in rows))
            try:
                outcome = reading(text, **SIDES).columns["outcome"].tolist()
            except ValueError:
                continue
            outcomes[(str(drawn), left_out)] = dict(zip(rows, outcome, strict=True))
    turned = 0
    for (drawn_text, left_out), result in outcomes.items():
        whole = outcomes.get((drawn_text, None))
        if left_out is not None and whole is not None:
            turned += any(whole[row] != outcome for row, outcome in result.items())
    assert len(outcomes) > 10
    assert turned == 0


YES = [
    ("maybe", "'maybe' is neither yes nor no"),
    ("2", "'2' is neither yes nor no"),
    ("0.5", "'0.5' is neither yes nor no"),
    ("tie", "'tie' is neither yes nor no"),
]


@pytest.mark.parametrize(("cell", "told"), YES)
def test_ties_are_yes_or_no(cell: str, told: str) -> None:
    text = f"w,l,t\na,b,no\na,b,{cell}\n"
    assert told in refusal(text, winner="w", loser="l", tie="t")


def test_truth_values_of_frames_are_ties() -> None:
    columns = {"w": ["a", "b"], "l": ["b", "a"], "t": np.array([True, False])}
    with open_table(columns) as table:
        read = resolve(table, {"winner": "w", "loser": "l", "tie": "t"})
    assert read.columns["outcome"].tolist() == [0, 1]


def test_points_must_be_numbers() -> None:
    text = "h,g,x,y\nA,B,1,0\nA,B,w/o,0\n"
    said = {"left": "h", "right": "g", "left_score": "x", "right_score": "y"}
    assert "line 3, column 'x': 'w/o' is not a number" in refusal(text, **said)

"""Numbers as people write them: one spelling for a column, or none is guessed."""

from __future__ import annotations

import io

import pytest

from steadyrank import Ratings, ScoreMatrix
from steadyrank.data import read_any
from steadyrank.errors import InvalidSettingError, NotANumberError
from steadyrank.reading.text_columns import TextColumn

READ = {
    ("45.1%", "3%", ""): [45.1, 3.0, None],
    ("45.125 %", "3 %"): [45.125, 3.0],
    ("10,234.5", "7"): [10234.5, 7.0],
    ("1,234,567", "1,234"): [1234567.0, 1234.0],
    ("1 234", "5"): [1234.0, 5.0],
    ("1\u00a0234,5", "5"): [1234.5, 5.0],
    ("1'234.5", "1’000"): [1234.5, 1000.0],
    ("3,5", "4", "NA"): [3.5, 4.0, None],
    ("1.234,5", "1.234"): [1234.5, 1234.0],
    ("0,125", "10,234"): [0.125, 10.234],
    ("true", "False", ""): [1.0, 0.0, None],
    ("-1,5", "+2,5e3"): [-1.5, 2500.0],
    ("1.234", "2.5"): [1.234, 2.5],
    ("12 (34%)", "$1,200.5", "950*"): [12.0, 1200.5, 950.0],
    ("0.53/3", "1.2/11", "-"): [0.53, 1.2, None],
}
REFUSED = [
    ("45%", "0.45"),
    ("3,5", "3.5"),
    ("true", "1"),
    ("1,23,456", "5"),
    ("1 234", "1'234"),
    ("01,234", "1,234,567"),
    ("1.5.2", "1"),
    ("%", "5%"),
    ("1/2", "7/10"),  # parts of something, or dates
    ("3/4", "0.5"),
    ("10:15", "10:45"),  # times of day, points of both sides, or minutes
    ("1:32.608", "0:01.90"),
    ("passed", "failed"),
    ("strongly agree", "agree", "neutral"),
    ("first choice", "second choice"),
]


@pytest.mark.parametrize("words", READ)
def test_what_is_read(words: tuple[str, ...]) -> None:
    column = TextColumn.of(words)
    assert column.is_numeric()
    found = [
        None if value != value else value for value in column.numbers("r").tolist()
    ]
    assert found == READ[words]


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused(words: tuple[str, ...]) -> None:
    assert not TextColumn.of(words).is_numeric()
    with pytest.raises(
        NotANumberError,
        match=r"is (not a number|written unlike the rest).*'r', at index",
    ):
        TextColumn.of(words).numbers("r")


def test_two_readings_are_refused_unless_one_is_told() -> None:
    text = b"user;item;rating\n1;a;1,234\n2;b;5\n"
    with pytest.raises(
        NotANumberError, match=r"'1,234'.*line 2.*decimal=\"\.\" or decimal=\",\""
    ):
        read_any(io.BytesIO(text))
    for mark, value, note in (
        (".", 1234, "commas between thousands"),
        (",", 1.234, "a comma before decimals"),
    ):
        data = read_any(io.BytesIO(text), decimal=mark)
        assert isinstance(data, Ratings)
        assert data.values.tolist() == [value, 5]
        assert f"column 'rating': numbers read with {note}" in data.notes
    with pytest.raises(NotANumberError, match="written unlike the rest"):
        Ratings.read(io.BytesIO(b"user,item,rating\n1,a,1.5\n"), decimal=",")
    with pytest.raises(InvalidSettingError, match="decimal must be one of"):
        Ratings.read(io.BytesIO(text), decimal=";")


def test_recognition_sees_numbers() -> None:
    data = read_any(
        io.BytesIO(b'task,x,y\nt,45.1%,"1,200.5"\nu,40%,900\n'), kind="scores"
    )
    assert isinstance(data, ScoreMatrix)
    assert data.values.tolist() == [[45.1, 1200.5], [40.0, 900.0]]
    assert (
        "column 'x': numbers read with percent: the number before the sign is taken"
        in data.notes
    )


def test_labels_are_not_touched() -> None:
    assert read_any(io.BytesIO(b"choice\n45%\n50%\n")).items == ("45%", "50%")

"""Tables with unlucky headers: a role that is said is used as said, and nothing else is."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest

from steadyrank import Study
from steadyrank.reading.resolve import resolve
from steadyrank.reading.table import open_table
from written_tables import values

# Headers that mean something to this library, to SQL, or to a known tool.
UNLUCKY = [
    *("votes", "count", "judge", "seed", "task", "model", "winner", "weight", "tie"),
    *(
        "item",
        "score",
        "rating",
        "unit",
        "row",
        "rank",
        "label",
        "code",
        "left",
        "right",
    ),
    *("userId", "movieId", "model_a", "model_b", "choice", "rank1", "rank2", "target"),
    *(
        "select",
        "from",
        "held",
        "data",
        "entries",
        "name",
        "codes_0",
        "labels_0",
        "draw",
    ),
    *("", "7", "a,b", 'say "it"', "it's", "--item", "größe", "Übung 1", "x;y", "NULL"),
    *("place of the row", "outcome", "feature 0", "item 0", "ballot", "loser", "wide"),
]
LABELS = [
    "a",
    "b",
    "B",
    "7",
    "007",
    "left",
    "1",
    "0",
    "tie",
    "NA",
    "größe",
    "a,b",
    " x",
]


class Drawn:
    """Rows of several columns, and a header of unlucky words in a random order."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.n_rows = int(self.rng.integers(2, 6))
        self.columns: dict[str, list[str]] = {}
        names = self.rng.permutation(UNLUCKY).tolist()
        self.names = [name for name in names if name != ""] + [""]

    def add(self, cells: list[str]) -> str:
        """Return the name of a new column."""
        name = self.names.pop(0)
        self.columns[name] = cells
        return name

    def labels(self, least: int = 1) -> list[str]:
        pool = self.rng.choice(LABELS, max(least, 4), replace=False)
        return [str(label) for label in self.rng.choice(pool, self.n_rows)]

    def numbers(self) -> list[str]:
        return [f"{number:g}" for number in self.rng.integers(-9, 9, self.n_rows) / 2]

    def counts(self) -> list[str]:
        return [str(number) for number in self.rng.integers(1, 5, self.n_rows)]

    def text(self) -> bytes:
        """Return the file, with columns that are not said among the others."""
        for cells in (self.labels(), self.numbers(), self.counts()):
            self.add(cells)
        order = self.rng.permutation([*self.columns]).tolist()
        file = io.StringIO()
        writer = csv.writer(file)
        writer.writerow(order)
        writer.writerows(zip(*(self.columns[name] for name in order), strict=True))
        return file.getvalue().encode()


def numbers_of(cells: list[str]) -> list[float]:
    return [float(cell) for cell in cells]


def long(drawn: Drawn) -> tuple[dict[str, Any], dict[str, Any]]:
    item, score, unit = drawn.labels(), drawn.numbers(), drawn.labels()
    role = str(drawn.rng.choice(["score", "rating"]))
    said = {
        "item": drawn.add(item),
        role: drawn.add(score),
        "unit": drawn.add(unit),
    }
    return said, {"item": item, role: numbers_of(score), "unit": unit}


def choice(drawn: Drawn) -> tuple[dict[str, Any], dict[str, Any]]:
    item, count, weight = drawn.labels(), drawn.counts(), drawn.counts()
    said = {
        "choice": drawn.add(item),
        "count": drawn.add(count),
        "weight": drawn.add(weight),
    }
    columns = {
        "choice": item,
        "count": numbers_of(count),
        "weight": numbers_of(weight),
    }
    return said, columns


def points(drawn: Drawn) -> tuple[dict[str, Any], dict[str, Any]]:
    left, right = drawn.labels(), drawn.labels()
    one, two = drawn.numbers(), drawn.numbers()
    said = {
        "left": drawn.add(left),
        "right": drawn.add(right),
        "left_score": drawn.add(one),
        "right_score": drawn.add(two),
    }
    outcome = [
        (float(x) > float(y)) - (float(x) < float(y))
        for x, y in zip(one, two, strict=True)
    ]
    return said, {"left": left, "right": right, "outcome": outcome}


def winner(drawn: Drawn) -> tuple[dict[str, Any], dict[str, Any]]:
    left, right = drawn.labels(), drawn.labels()
    outcome = drawn.rng.integers(-1, 2, drawn.n_rows).tolist()
    words = {1: "leftvote", 0: "tievote", -1: "rightvote"}
    said = {
        "left": drawn.add(left),
        "right": drawn.add(right),
        "winner": drawn.add([words[result] for result in outcome]),
    }
    return said, {"left": left, "right": right, "outcome": outcome}


def loser(drawn: Drawn) -> tuple[dict[str, Any], dict[str, Any]]:
    won, lost = drawn.labels(), drawn.labels()
    tied = drawn.rng.integers(0, 2, drawn.n_rows).tolist()
    said = {
        "winner": drawn.add(won),
        "loser": drawn.add(lost),
        "tie": drawn.add([str(tie) for tie in tied]),
    }
    return said, {"left": won, "right": lost, "outcome": [1 - tie for tie in tied]}


def ranks(drawn: Drawn) -> tuple[dict[str, Any], dict[str, Any]]:
    choices = [drawn.labels(), drawn.labels()]
    said = {"ranks": [drawn.add(cells) for cells in choices], "unit": None}
    item = [label for pair in zip(*choices, strict=True) for label in pair]
    ballots = np.repeat(np.arange(drawn.n_rows), 2).tolist()
    columns = {"item": item, "rank": [0, 1] * drawn.n_rows, "ballot": ballots}
    return said, columns


def wide(drawn: Drawn) -> tuple[dict[str, Any], dict[str, Any]]:
    scores = [drawn.numbers(), drawn.numbers(), drawn.numbers()]
    unit = drawn.labels()
    said = {"items": [drawn.add(cells) for cells in scores], "unit": drawn.add(unit)}
    return said, {"items": [numbers_of(cells) for cells in scores], "unit": unit}


def regression(drawn: Drawn) -> tuple[dict[str, Any], dict[str, Any]]:
    features, response = [drawn.numbers(), drawn.numbers()], drawn.numbers()
    said = {
        "features": [drawn.add(cells) for cells in features],
        "response": drawn.add(response),
    }
    columns = {
        "features": [numbers_of(cells) for cells in features],
        "response": numbers_of(response),
    }
    return said, columns


KINDS = [long, choice, points, winner, loser, ranks, wide, regression]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_tables_with_unlucky_headers_come_back_as_drawn(kind: Any, seed: int) -> None:
    drawn = Drawn(seed)
    said, columns = kind(drawn)
    with open_table(io.BytesIO(drawn.text()), delimiter=",") as table:
        read = resolve(table, said)
    assert {name: values(column) for name, column in read.columns.items()} == columns
    assert read.header is None
    assert read.skipped is None


@pytest.mark.parametrize("kind", [long, choice, points, winner, loser])
@pytest.mark.parametrize("seed", range(100, 104))
def test_rows_with_blanks_are_skipped_and_counted(kind: Any, seed: int) -> None:
    drawn = Drawn(seed)
    said, columns = kind(drawn)
    blank = np.zeros(drawn.n_rows, dtype=bool)
    for name in said.values():
        for row in range(1, drawn.n_rows):
            if drawn.rng.random() < 0.15:
                drawn.columns[name][row] = str(drawn.rng.choice(["", " ", "\u3000\t"]))
                blank[row] = True
    kept = np.flatnonzero(~blank).tolist()
    with open_table(io.BytesIO(drawn.text()), delimiter=",") as table:
        read = resolve(table, said)
    assert (0 if read.skipped is None else read.skipped.number) == blank.sum()
    assert read.rows.tolist() == kept
    for name, cells in columns.items():
        assert values(read.columns[name]) == [cells[row] for row in kept]
    rows_of_items = ("item", "choice", "left", "right")
    named = {
        label
        for name in rows_of_items
        if name in read.columns
        for label in values(read.columns[name])
    }
    assert {*read.items} == named  # an item of skipped rows alone is not there


NEUTRAL = {"item": "c1", "score": "c2", "rating": "c2", "unit": "c3"}


@pytest.mark.parametrize("seed", range(200, 206))
def test_answers_do_not_depend_on_the_header(seed: int) -> None:
    drawn = Drawn(seed)
    drawn.n_rows = 12
    said, columns = long(drawn)
    role = "score" if "score" in said else "rating"
    plain = {NEUTRAL[name]: cells for name, cells in columns.items()}
    neutral = {"item": "c1", role: "c2", "unit": "c3"}
    unlucky = Study(io.BytesIO(drawn.text()), **said, delimiter=",")
    answer = Study(plain, **neutral)
    assert unlucky.items == answer.items
    assert unlucky.scores.tolist() == answer.scores.tolist()
    assert list(unlucky.units.labels) == list(answer.units.labels)


def test_an_empty_header_can_be_said_by_its_place() -> None:
    with open_table(io.BytesIO(b",s\na,1\n")) as table:
        read = resolve(table, {"item": "column1", "score": "s"})
    assert values(read.columns["item"]) == ["a"]


def test_a_column_called_rowid_is_refused() -> None:
    with (
        open_table(io.BytesIO(b"rowid,s\na,1\n")) as table,
        pytest.raises(ValueError, match="as DuckDB calls its rows") as caught,
    ):
        resolve(table, {"item": "rowid", "score": "s"})
    sql = caught.value.way_out[1].value  # type: ignore[attr-defined]
    with open_table(io.BytesIO(b"rowid,s\na,1\n"), sql=sql) as table:
        assert resolve(table, {"item": "row_id", "score": "s"}).items == ("a",)

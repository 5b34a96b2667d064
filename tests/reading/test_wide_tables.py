"""Wide tables as people have them: words among numbers, totals beside candidates, scales in words."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steadyrank import read_any
from steadyrank.errors import ColumnError, NotRecognisedError, SteadyrankError
from steadyrank.reading.readings import Reading


def file_of(rows: list[list[Any]]) -> io.BytesIO:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return io.BytesIO(text.getvalue().encode())


def offered(rows: list[list[Any]]) -> list[Reading]:
    with pytest.raises(NotRecognisedError) as caught:
        read_any(file_of(rows))
    return list(caught.value.readings)


def test_words_among_numbers_are_missing_cells(rng: np.random.Generator) -> None:
    cells = rng.random((8, 4)).round(3).astype(object)
    cells[1, 2] = cells[3, 0] = "FAIL"
    cells[5, 2] = "ERR"
    rows = [
        ["formula", "ann", "bob", "cat", "dan"],
        *([f"f{n}", *row] for n, row in enumerate(cells)),
    ]
    first = offered(rows)[0]
    assert {
        "missing": "available",
        "drop": ["FAIL", "ERR"],
    }.items() <= first.options.items()
    data = read_any(file_of(rows), **first.arguments)
    assert (data.items, data.n_units) == (("ann", "bob", "cat", "dan"), 8)
    gaps = np.isnan(data.values)
    assert gaps.sum() == 3
    assert gaps[[1, 3, 5], [2, 0, 2]].all()
    assert any(
        "3 values left out by drop: 'FAIL' 2, 'ERR' 1" in note for note in data.notes
    )


def test_a_word_that_nobody_wrote_cannot_be_dropped() -> None:
    rows = [
        ["task", "x", "y", "z"],
        ["s", 1, 2, 3],
        ["t", 2, "FAIL", 9],
        ["u", 3, 7, 2],
    ]
    with pytest.raises(SteadyrankError, match="no answer is 'FAILED'"):
        read_any(
            file_of(rows),
            kind="scores",
            row="task",
            missing="available",
            drop=["FAILED", "FAIL"],
        )


def test_marks_behind_numbers_and_signs_before_them() -> None:
    rows = [
        ["model", "mmlu", "gsm8k", "arc"],
        ["a", "0.4 ★", "$1.20", "0.34[2]"],
        ["b", "0.5*", "$0.9", "0.3"],
    ]
    data = read_any(file_of(rows))
    assert data.values.tolist() == [[0.4, 0.5], [1.2, 0.9], [0.34, 0.3]]


@pytest.mark.parametrize("total", ["total_count", "sum of all, valid"])
def test_candidates_that_make_up_a_total(total: str, rng: np.random.Generator) -> None:
    votes = rng.integers(0, 900, size=(30, 4))
    votes[:, 0] += 500
    names = ["north, upper_count", "east_count", "south_count", "west_count"]
    rows = [
        ["county", *names, total],
        *([f"c{n}", *row, sum(row)] for n, row in enumerate(votes)),
    ]
    first = offered(rows)[0]
    assert first.read().items == tuple(names)
    assert any('"north, upper_count",east_count' in word for word in first.typed)


def test_percent_columns_that_sum_to_a_hundred_are_items(
    rng: np.random.Generator,
) -> None:
    shares = rng.dirichlet(np.full(4, 9.0), size=40) * 100
    rows = [
        ["POLLSTER", "DATE", "SAMPLE", "ERROR(%)", "AB(%)", "CD(%)", "EF(%)", "NONE(%)"]
    ]
    for n, row in enumerate(shares):
        rows.append(
            [
                f"p{n % 6}",
                f"{n % 28 + 1}/3/2015",
                1000 + n,
                3.1 if n % 4 else "",
                *row.round(1),
            ]
        )
    assert offered(rows)[0].read().items == ("AB(%)", "CD(%)", "EF(%)", "NONE(%)")


def test_one_measure_of_several(rng: np.random.Generator) -> None:
    times = rng.random((30, 4)) * [0.1, 1, 10, 100]
    solved = rng.integers(10, 99, size=(30, 4))
    names = ["alpha", "beta", "gamma", "delta"]
    header = [
        "file",
        *(f"{name}_solved" for name in names),
        *(f"{name}_time" for name in names),
    ]
    rows = [header, *([f"f{n}", *solved[n], *times[n].round(4)] for n in range(30))]
    timed = [
        one for one in offered(rows) if one.options.get("lower_is_better") == "all"
    ]
    assert timed[0].roles["items"] == header[5:]


def test_films_are_no_times_and_stamps_are_rows(rng: np.random.Generator) -> None:
    films = ["Joker", "Marriage Story", "Once Upon a Time in Hollywood", "Parasite"]
    stars = rng.integers(1, 6, size=(12, 4))
    rows = [
        ["Timestamp", *films],
        *([f"2/6/2021 16:34:{n:02}", *row] for n, row in enumerate(stars)),
    ]
    assert offered(rows)[0].read().items == tuple(films)


@pytest.mark.parametrize(
    "words", [("agree", "disagree", "neutral"), ("passed", "failed", "failed")]
)
def test_words_of_a_scale_are_names(words: tuple[str, ...]) -> None:
    rows = [["choice"], *([word] for word in words)]
    assert set(read_any(file_of(rows)).items) == {*words}


def test_the_first_sheet_is_taken_and_the_others_are_named(
    rng: np.random.Generator,
) -> None:
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(["candidate", "votes"])
    book.active.append(["ann", 3])
    book.active.append(["bob", 2])
    ratings = book.create_sheet("ratings")
    ratings.append(["user", "item", "rating"])
    for row in range(60):
        ratings.append([f"u{row // 6}", f"i{row % 6}", int(rng.integers(1, 6))])
    book.save(content := io.BytesIO())
    data = read_any(io.BytesIO(content.getvalue()))
    assert (data.kind.name, data.n_items) == ("votes", 2)
    assert "the sheet 'Sheet' taken of 'Sheet', 'ratings'" in data.notes
    assert read_any(io.BytesIO(content.getvalue()), sheet="ratings").n_items == 6
    with pytest.raises(
        ColumnError, match=r"no sheet 2024, but 'Sheet', 'ratings'.*sheet="
    ):
        read_any(io.BytesIO(content.getvalue()), sheet=2024)


def test_each_column_of_items_is_weighed(rng: np.random.Generator) -> None:
    header = ["model", "dataset", "encoding", "training_time", "accuracy"]
    rows: list[list[Any]] = [header]
    for model in ("one", "two"):
        for data in "pqrst":
            rows += [[model, data, code, *rng.random(2).round(3)] for code in "wxyz"]
    assert {"model", "encoding"} <= {one.roles.get("item") for one in offered(rows)}


def test_a_small_party_is_offered_beside_the_large_ones(
    rng: np.random.Generator,
) -> None:
    sizes = np.array([900_000, 500_000, 400_000, 300_000, 40_000])
    votes = (sizes * (0.5 + rng.random((16, 5)))).astype(int).tolist()
    rows = [
        ["Regions", "Dee", "Roy", "Poe", "Bina", "Sant"],
        *([f"r{n}", *row] for n, row in enumerate(votes)),
    ]
    first = offered(rows)[0]
    assert read_any(file_of(rows), **first.arguments).items == (
        "Dee",
        "Roy",
        "Poe",
        "Bina",
        "Sant",
    )
    assert any("scales differ" in reason for reason in first.against)


@pytest.mark.parametrize("name", ["wer.csv", "raw-mase.csv", "test_loss.csv"])
def test_a_file_that_is_called_by_an_error_asks_which_end_is_best(
    name: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    cells = rng.random((8, 4)).round(3).tolist()
    rows = [
        ["task", "ann", "bob", "cat", "dan"],
        *([f"f{n}", *row] for n, row in enumerate(cells)),
    ]
    for called in (name, "scores.csv"):
        (tmp_path / called).write_bytes(file_of(rows).read())
    with pytest.raises(NotRecognisedError) as caught:
        read_any(tmp_path / name)
    ends = [one.options["lower_is_better"] for one in caught.value.readings[:2]]
    assert ends == ["all", "none"]
    least = read_any(tmp_path / name, lower_is_better="all")
    assert (least.values == -read_any(tmp_path / "scores.csv").values).all()


@pytest.mark.parametrize(
    "names",
    [
        ["V1", "V2", "V3", "V1", "V2", "V1", "acid"],
        ["Precision", "Recall", "Grounding", "F1-Score", "Average Precision"],
        ["before", "after", "change"],
    ],
)
def test_numbers_of_columns_measures_and_differences_are_no_items(
    names: list[str], rng: np.random.Generator, tmp_path: Any
) -> None:
    """A table of sensory profiles, of answers judged by measures, and of a treatment."""
    rows = [[f"s{n}", *rng.integers(1, 10, len(names)).tolist()] for n in range(12)]
    path = tmp_path / "table.csv"
    text = "".join(",".join(map(str, row)) + "\n" for row in [["ID", *names], *rows])
    path.write_text(text, encoding="utf-8")
    with pytest.raises(NotRecognisedError):
        read_any(path)


def test_versions_of_models_are_names(rng: np.random.Generator) -> None:
    """Though each ends in numbers, as q1, q2 and q3 do, which are only numbered."""
    for names, numbered in (
        (["gpt_4_1", "claude_3_5", "qwen_2_5", "llama_3_1"], False),
        (["q1", "q2", "q3"], True),
    ):
        columns: dict[str, list[Any]] = {"who": [f"p{n % 7}" for n in range(9)]}
        columns |= {name: rng.integers(1, 6, 9).tolist() for name in names}
        with pytest.raises(NotRecognisedError) as caught:
            read_any(columns)
        against = [told for one in caught.value.readings for told in one.against]
        assert ("the columns are only numbered, not named" in against) == numbered

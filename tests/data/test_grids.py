"""Wide tables: which way round they are, in which columns less is better, and on what scales.

The right answers are computed by hand from the rows of the file, by code that knows nothing of tables.
"""

from __future__ import annotations

import csv
import io
import itertools
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import numpy as np
import pytest

from steadyrank import Regression, ScoreMatrix, Study, read_any
from steadyrank.errors import (
    ColumnError,
    InvalidLabelError,
    InvalidSettingError,
    NotANumberError,
    NotRecognisedError,
)
from suggested import suggested

BOARD = """rank,Model,Type,Average,MMLU,GSM8K,ARC-C
1,alpha-7b,chat,80.0,70,90,80
2,beta-13b,base,75.0,80,60,85
3,gamma,base,60.0,50,70,60
"""


def stream(text: str) -> io.BytesIO:
    return io.BytesIO(text.encode())


def scores(text: str, **given: Any) -> ScoreMatrix:
    data = read_any(stream(text), kind="scores", **given)
    assert isinstance(data, ScoreMatrix)
    return data


def board_means(text: str, label: str, columns: list[str]) -> dict[str, float]:
    rows = list(csv.DictReader(io.StringIO(text)))
    return {row[label]: fmean(float(row[name]) for name in columns) for row in rows}


def scores_of(data: ScoreMatrix) -> dict[object, float]:
    return dict(zip(data.items, data.values.mean(axis=0).tolist(), strict=True))


def briefs(data: ScoreMatrix) -> str:
    return " | ".join(note.brief for note in data.notes if hasattr(note, "brief"))


def test_models_in_rows_are_the_items() -> None:
    data = read_any(stream(BOARD))
    assert isinstance(data, ScoreMatrix)
    wanted = board_means(BOARD, "Model", ["MMLU", "GSM8K", "ARC-C"])
    assert scores_of(data) == pytest.approx(wanted)
    assert (data.units.kind, list(data.units.labels)) == (
        "column",
        ["MMLU", "GSM8K", "ARC-C"],
    )
    assert "a row for each item" in briefs(data)
    assert "'rank' and 'Average' left out" in briefs(data)
    assert "columns without numbers not used: 'Type'" in data.notes


def test_the_other_way_on_request() -> None:
    data = scores(BOARD, items_in="columns", items=["MMLU", "GSM8K"])
    assert data.items == ("MMLU", "GSM8K")


@pytest.mark.parametrize(
    ("header", "labels", "columns", "found"),
    [
        ("model", ["x", "y"], ["p", "q"], "rows"),
        ("Method", ["x", "y"], ["p", "q"], "rows"),
        ("task", ["x", "y"], ["p", "q"], "columns"),
        ("question_id", ["x", "y"], ["p", "q"], "columns"),
        ("Annotator", ["x", "y"], ["p", "q"], "columns"),
        ("name", ["x", "y"], ["mmlu", "gsm8k"], "rows"),
        ("name", ["x", "y"], ["accuracy", "f1_score"], "rows"),
        ("name", ["gpt-5", "claude-9"], ["p", "q"], "rows"),
        ("name", ["q1", "q2"], ["p", "q"], "columns"),
        ("name", ["x", "x"], ["p", "q"], "columns"),
        ("name", ["x", "y"], ["llama-7b", "gpt-5"], "columns"),
        ("name", ["x", "y"], ["p", "q"], None),
        ("country", ["x", "y"], ["math_score", "reading_score"], None),
        ("name", ["q1", "q2"], ["mmlu", "gsm8k"], None),
    ],
)
def test_what_names_say(
    header: str, labels: list[str], columns: list[str], found: str | None
) -> None:
    frame = {header: labels, columns[0]: [1.0, 2.5], columns[1]: [3.0, 2.0]}
    if (
        header == "country"
    ):  # a unit by its name, and its columns are measures: the name goes first
        assert read_any(frame, kind="scores").items == ("math_score", "reading_score")
        return
    if found is None:
        with pytest.raises(NotRecognisedError) as caught:
            read_any(frame, kind="scores")
        both = {
            one.arguments["items_in"]: one.read().items for one in caught.value.readings
        }
        assert both == {"rows": tuple(labels), "columns": tuple(columns)}
        return
    items = tuple(columns) if found == "columns" else tuple(labels)
    assert read_any(frame, kind="scores").items == suggested(frame).items == items


def test_both_ways_give_the_same_study() -> None:
    """A table and the same turned round are one and the same study."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        rows, items = rng.integers(2, 7, size=2)
        values = rng.integers(0, 4, size=(rows, items)) + rng.choice([0.0, 0.5])
        tasks, models = [f"t{n}" for n in range(rows)], [f"m{n}" for n in range(items)]
        wide = {"task": tasks} | {model: values[:, n] for n, model in enumerate(models)}
        turned = {"model": models} | {task: values[n] for n, task in enumerate(tasks)}
        long = {
            "task": np.repeat(tasks, items),
            "model": np.tile(models, rows),
            "score": values.ravel(),
        }
        studies = [
            ScoreMatrix.from_frame(frame, lower_is_better=False)
            for frame in (wide, turned, long)
        ]
        for one, other in itertools.pairwise(studies):
            assert (one.items, list(one.row_labels)) == (
                other.items,
                list(other.row_labels),
            )
            assert (one.values == other.values).all()
        answers = [Study(data).topk(1) for data in studies]
        assert len({(answer.sure, answer.members) for answer in answers}) == 1


def test_an_id_is_never_a_score() -> None:
    data = read_any(stream("run,query_id,score\na,7,0.5\na,8,0.7\nb,7,0.9\nb,8,0.2\n"))
    assert scores_of(data) == pytest.approx({"a": 0.6, "b": 0.55})
    wide = suggested(stream("x,z,session_id\n1,2,17\n3,1,18\n"))
    assert (wide.items, wide.row_labels) == (("x", "z"), (17, 18))
    numbered = suggested(stream("id,x,z\n1,1,2\n2,3,1\n"))
    assert (numbered.items, numbered.row_labels) == (("x", "z"), (1, 2))
    response = read_any(stream("id,x1,x2,y\n1,1,2,3\n2,3,1,5\n"), kind="regression")
    assert response.items == ("x1", "x2")
    seeds = scores("seed,adam_loss,sgd_loss\n1,0.5,0.6\n2,0.4,0.7\n")
    assert scores_of(seeds) == pytest.approx({"adam_loss": -0.45, "sgd_loss": -0.65})


def test_a_mistyped_number_is_no_text_column() -> None:
    with pytest.raises(
        NotANumberError, match="'3o' is not a number in column 'y', on line 3"
    ):
        read_any(stream("task,x,y\ns,1,2\nt,2,3o\nu,1,1\n"))


def test_long_tables_with_more_columns() -> None:
    text = "question,model,latency,score\nq,a,3,1\nq,b,4,0\nr,a,5,0\nr,b,6,1\n"
    assert scores_of(suggested(stream(text))) == {"a": 0.5, "b": 0.5}
    with pytest.raises(
        NotRecognisedError, match=r"(?s)score='score'.*score='accuracy'"
    ):
        read_any(
            stream(
                "question,model,accuracy,score\nq,a,3,1\nq,b,4,0\nr,a,5,0\nr,b,6,1\n"
            )
        )


def test_two_columns_of_names_and_several_of_numbers() -> None:
    text = "judge,contestant,technical,artistic\nj,x,5,6\nj,y,6,5\nk,x,5,5\nk,y,4,6\n"
    with pytest.raises(
        NotRecognisedError, match=r"(?s)user='judge', item='contestant'.*'technical'"
    ):
        read_any(stream(text))
    assert read_any(stream(text), score="artistic").items == ("x", "y")


def test_spreads_and_strange_columns_are_pointed_out() -> None:
    data = scores(
        "country_name,math_score,math_se\na,490,1.5\nb,500,2\n", items_in="rows"
    )
    assert list(data.units.labels) == ["math_score"]
    survey = scores("respondent_id,age,a,b,c\n1,50,4,5,3\n2,41,3,2,2\n")
    assert "'age' as items" in briefs(survey)
    assert survey.row_labels == (1, 2)


class TestLess:
    def test_measures_that_say_so(self) -> None:
        data = suggested(
            stream("model,accuracy,test_loss,WER\na,0.9,1.5,3\nb,0.8,1.0,1\n")
        )
        assert scores_of(data) == pytest.approx(
            {"a": (0.9 - 1.5 - 3) / 3, "b": (0.8 - 1.0 - 1) / 3}
        )
        assert "less is better in 'test_loss', 'WER'" in briefs(data)

    def test_a_score_column_that_says_so(self) -> None:
        text = "task,model,value\nt,a,2\nt,b,1\n"
        assert scores_of(read_any(stream(text))) == {"a": 2, "b": 1}
        lost = text.replace("value", "error")
        assert scores_of(read_any(stream(lost), score="error")) == {"a": -2, "b": -1}
        kept = read_any(stream(lost), score="error", lower_is_better=False)
        assert scores_of(kept) == {"a": 2, "b": 1}

    def test_rows_that_are_measures(self) -> None:
        data = suggested(stream("metric,a,b\naccuracy,3,1\nloss,3,1\n"))
        assert scores_of(data) == {"a": 0, "b": 0}

    def test_ranks_are_not_guessed(self) -> None:
        ranks = "judge,a,b,c\nj,1,2,3\nk,1,3,2\nl,2,1,3\n"
        for kind in (None, "scores"):
            with pytest.raises(NotRecognisedError) as caught:
                read_any(stream(ranks), kind=kind)
            directions = [
                one.arguments["lower_is_better"] for one in caught.value.readings[:2]
            ]
            assert directions == ["all", "none"]
        best = Study(read_any(stream(ranks), lower_is_better=True)).topk(1)
        assert best.members[0] == "a"
        assert (
            Study(read_any(stream(ranks), lower_is_better="none")).topk(1).members[0]
            == "c"
        )

    def test_named_ones(self) -> None:
        text = "model,p,q\na,1,2\nb,2,5\n"  # only tables of scores have a direction: no kind is needed
        assert scores_of(read_any(stream(text), lower_is_better=["q"])) == {
            "a": -0.5,
            "b": -1.5,
        }
        assert scores_of(read_any(stream(text), lower_is_better="q")) == {
            "a": -0.5,
            "b": -1.5,
        }
        said = "less is better in {}: the sign is changed, so that more is better"
        assert said.format("'q'") in read_any(stream(text), lower_is_better=["q"]).notes
        assert (
            said.format("all tasks")
            in read_any(stream(text), lower_is_better=True).notes
        )
        assert "less" not in " ".join(
            read_any(stream(text), lower_is_better=False).notes
        )
        with pytest.raises(InvalidLabelError, match=r"no measure 'r'.*'p', 'q'"):
            read_any(stream(text), lower_is_better=["r"])


class TestScales:
    TEXT = "model,p,elo\na,0.5,1300\nb,0.9,1200\nc,0.7,1400\n"

    def test_suggested_where_scales_differ(self) -> None:
        data = scores(self.TEXT)
        assert "values of different scales used as they are" in briefs(data)
        assert "'p' up to 0.9 and 'elo' up to 1400" in " ".join(data.notes)
        assert "scales" not in briefs(scores("model,p,q\na,1,9\nb,3,2\n"))

    @pytest.mark.parametrize("how", ["z", "ranks", "range"])
    def test_by_hand(self, how: str) -> None:
        rng = np.random.default_rng(8)
        for _ in range(30):
            values = rng.integers(0, 4, size=(3, 5)) * rng.choice(
                [1.0, 100.0], size=(3, 1)
            )
            frame = {"task": ["s", "t", "u"]} | {
                f"m{n}": values[:, n] for n in range(5)
            }
            data = ScoreMatrix.from_frame(frame, standardise=how, lower_is_better=False)
            for row, found in zip(values.tolist(), data.values.tolist(), strict=True):
                assert found == pytest.approx(by_hand(row, how))
                if how == "ranks":
                    continue
                ends = (
                    (fmean(found), pstdev(found))
                    if how == "z"
                    else (min(found), max(found))
                )
                assert ends == pytest.approx((0, 0) if len(set(row)) == 1 else (0, 1))
            words = {
                "z": "mean 0 and standard deviation 1",
                "ranks": "ranks",
                "range": "from 0 to 1",
            }
            assert any(
                words[how] in note and "each task" in note for note in data.notes
            )

    def test_gaps_stay(self) -> None:
        frame = {"task": ["s", "t"], "a": [1.0, 5.0], "b": [3.0, None], "c": [2.0, 9.0]}
        data = ScoreMatrix.from_frame(frame, standardise="range", missing="available")
        assert data.values[0].tolist() == [0.0, 1.0, 0.5]
        assert data.values[1, [0, 2]].tolist() == [0.0, 1.0]
        assert np.isnan(data.values[1, 1])

    def test_unknown(self) -> None:
        with pytest.raises(InvalidSettingError, match="'z', 'ranks', 'range'"):
            read_any(stream(self.TEXT), standardise="log")

    def test_regressions_are_standardised(self) -> None:
        rng = np.random.default_rng(3)
        X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
        frame = {
            "a": X[:, 0] * 1000 + 5,
            "b": X[:, 1],
            "c": X[:, 2] / 50,
            "y": 7 * y + 3,
        }
        data, raw = Regression.from_frame(frame), Regression.from_frame(frame, raw=True)
        assert isinstance(data, Regression)
        assert np.allclose(data.X, (raw.X - raw.X.mean(axis=0)) / raw.X.std(axis=0))
        assert np.allclose(data.y, (raw.y - raw.y.mean()) / raw.y.std())
        assert "columns standardised" in briefs(data)  # type: ignore[arg-type]
        other = Regression.from_frame({**frame, "a": frame["a"] * 3 - 2})
        assert np.allclose(Study(data).topk(1).scores, Study(other).topk(1).scores)


def by_hand(row: list[float], how: str) -> list[float]:
    if how == "z":
        spread = pstdev(row)
        return [(value - fmean(row)) / spread if spread else 0.0 for value in row]
    if how == "range":
        width = max(row) - min(row)
        return [(value - min(row)) / width if width else 0.0 for value in row]
    return [
        sum(v < value for v in row) + (sum(v == value for v in row) + 1) / 2
        for value in row
    ]


def test_no_unit_where_rows_are_items() -> None:
    with pytest.raises(ColumnError, match="does not say what is removed"):
        scores("model,p,q,worker\na,1,2,w\nb,2,1,v\n", items_in="rows", unit="worker")


def test_an_unknown_kind_in_forty_words() -> None:
    frames = (
        {"p": ["x"], "q": ["y"]},
        {"left": ["x"], "right": ["y"], "note": ["z"]},
        {f"column number {n} of many": ["x"] for n in range(9)},
        {"user": ["x"], "movie": ["y"], "remark": ["z"]},
    )
    for frame in frames:
        with pytest.raises(NotRecognisedError) as caught:
            read_any(frame)
        said = str(caught.value)
        assert len(said.split()) <= 40, said
        assert all(name[:10] in said for name in list(frame)[:3])
        assert not caught.value.readings


@pytest.mark.parametrize(
    "scorer", ["column-means", "mean-rank", "mean-win-rate", "median"]
)
def test_nobody_is_told_of_averages_that_are_not_taken(scorer: str) -> None:
    frame = {
        "task": ["easy", "hard", "long"],
        "a": [0.1, 50.0, 0.3],
        "b": [0.2, 40.0, 0.2],
    }
    found = Study(ScoreMatrix.from_frame(frame), scorer).ranking().findings()
    assert any("different scales" in guess["text"] for guess in found["guesses"])
    assert not any(
        "average" in guess["text"] + guess["note"] for guess in found["guesses"]
    )


@pytest.mark.parametrize("header", ["model", "task", "", "Agent"])
def test_a_table_of_wins_is_not_taken_for_tasks(header: str, tmp_path: Path) -> None:
    path = tmp_path / "wins.csv"
    path.write_text(f"{header},x,y,z\nz,3,4,\nx,,10,7\ny,5,,6\n")
    with pytest.raises(
        NotRecognisedError, match="rows and columns have the same names"
    ):
        read_any(path)
    taken = ScoreMatrix.read(path, items_in="rows", missing="available")
    assert (taken.items, taken.row_labels) == (("z", "x", "y"), ("x", "y", "z"))

"""Files of evaluation tools: metrics, folders, documents, leaderboards and spreadsheets."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from data.layouts.made import (
    ALDER,
    MAKERS,
    MODELS,
    RUN,
    arguments_in,
    as_json,
    changed,
    scores_of,
)
from steadyrank import read_any
from steadyrank.cli import main
from steadyrank.data import ScoreMatrix
from steadyrank.errors import (
    ColumnError,
    EmptyDataError,
    InvalidDataError,
    NotRecognisedError,
    UnreadableFileError,
)
from steadyrank.reading import files
from steadyrank.reading.formats import read_table

if TYPE_CHECKING:
    from pathlib import Path


class TestMetrics:
    def test_another_metric(self, tmp_path: Path, rng: np.random.Generator) -> None:
        made = MAKERS["lm_eval_results"](rng)
        made.write(tmp_path)
        data = read_any(tmp_path, metric="acc")
        assert scores_of(data) == {
            row: {item: score / 2 for item, score in one.items()}
            for row, one in made.scores.items()
        }
        assert "'acc,none' read as the score" in data.notes
        assert "metrics not taken: 'acc_norm,none'" in data.notes
        assert any("the group group left out" in note for note in data.notes)
        with pytest.raises(
            ColumnError,
            match=r"no metric 'acc_stderr', but 'acc,none', 'acc_norm,none'",
        ):
            read_any(tmp_path, metric="acc_stderr")

    def test_filters(self, tmp_path: Path, rng: np.random.Generator) -> None:
        made = MAKERS["lm_eval_samples"](rng)
        made.write(tmp_path)
        usual = read_any(tmp_path)
        assert scores_of(usual) == made.scores  # the first filter in the files
        assert "samples read, not the results by task beside them" in usual.notes
        other = read_any(tmp_path, metric="exact_match,flexible-extract")
        assert scores_of(other) == {
            row: {item: 1 - score for item, score in one.items()}
            for row, one in made.scores.items()
        }

    def test_less_is_better(self, tmp_path: Path) -> None:
        for model, loss in {"x": 12.5, "y": 11.0}.items():
            top = {
                "results": {
                    "wiki": {"word_perplexity,none": loss},
                    "c4": {"word_perplexity,none": loss / 2},
                },
                "higher_is_better": {
                    "wiki": {"word_perplexity": False},
                    "c4": {"word_perplexity": False},
                },
                "model_name": model,
            }
            (tmp_path / f"results_{model}.json").write_bytes(as_json(top))
        data = read_any(tmp_path)
        assert scores_of(data)["wiki"] == {"x": -12.5, "y": -11.0}
        assert (
            "less is better in 'word_perplexity': read with a minus sign" in data.notes
        )

    def test_unknown_metrics_are_not_guessed(self, tmp_path: Path) -> None:
        top = {
            "results": {"wiki": {"one,none": 1.0, "two,none": 2.0}},
            "model_name": "x",
        }
        (tmp_path / "results_x.json").write_bytes(as_json(top))
        with pytest.raises(
            ColumnError,
            match=r"no usual metric of 'wiki', but 'one,none', 'two,none'.*metric=",
        ):
            read_any(tmp_path)

    def test_tasks_without_the_metric_are_said(self, tmp_path: Path) -> None:
        tasks = {
            "a": {"acc,none": 0.5},
            "b": {"acc,none": 0.25},
            "wiki": {"bits,none": 1.0, "words,none": 2.0},
        }
        (tmp_path / "results_x.json").write_bytes(
            as_json({"results": tasks, "model_name": "x"})
        )
        data = read_any(tmp_path, metric="acc")
        assert scores_of(data) == {"a": {"x": 0.5}, "b": {"x": 0.25}}
        assert "left out, without 'acc': 'wiki'" in data.notes

    def test_default_measure_is_ndcg(
        self, tmp_path: Path, rng: np.random.Generator
    ) -> None:
        made = MAKERS["trec_runs"](rng)
        path = made.write(tmp_path)
        data = read_any(path, qrels=str(tmp_path / "judged.qrels"))
        judged: dict[str, dict[str, int]] = {}
        for line in (tmp_path / "judged.qrels").read_text().splitlines():
            query, _, document, value = line.split()
            judged.setdefault(query, {})[document] = int(value)
        for item in map(str, data.items):
            lines = [
                line.split() for line in (path / f"{item}.run").read_text().splitlines()
            ]
            for query, relevant in judged.items():
                gains = [
                    relevant.get(fields[2], 0) for fields in lines if fields[0] == query
                ][:10]
                found, best = (
                    sum(gain / np.log2(place + 2) for place, gain in enumerate(some))
                    for some in (gains, sorted(relevant.values(), reverse=True)[:10])
                )
                assert scores_of(data)[query][item] == pytest.approx(
                    found / best if best else 0.0
                )

    def test_runs_of_one_tag_are_told_apart(
        self, tmp_path: Path, rng: np.random.Generator
    ) -> None:
        made = MAKERS["trec_runs"](rng)
        path = made.write(tmp_path)
        for file in path.iterdir():
            file.write_bytes(re.sub(rb"\S+\n", b"Anserini\n", file.read_bytes()))
        data = read_any(path, **arguments_in(made, tmp_path))
        assert data.items == tuple(
            f"Anserini ({name}.run)" for name in sorted((ALDER, "birch", "cedar"))
        )

    def test_runs_need_judgements(
        self, tmp_path: Path, rng: np.random.Generator
    ) -> None:
        path = MAKERS["trec_runs"](rng).write(tmp_path)
        with pytest.raises(
            InvalidDataError,
            match=r"is a TREC run, .*Give the file of judgements as qrels=",
        ):
            read_any(path)
        for metric in ("bogus", "P", "nDCG@x", "()", "1", "a;b"):
            with pytest.raises(InvalidDataError, match="ir-measures has no"):
                read_any(path, qrels=str(tmp_path / "judged.qrels"), metric=metric)

    def test_queries_on_one_side_only(
        self, tmp_path: Path, rng: np.random.Generator
    ) -> None:
        made = MAKERS["trec_runs"](rng)
        path = made.write(tmp_path)
        run = path / "birch.run"
        run.write_bytes(re.sub(rb"(?m)^5 ", b"99 ", run.read_bytes()))
        data = read_any(path, **arguments_in(made, tmp_path))
        assert scores_of(data)["5"]["birch"] == 0
        assert "query without judgements left out" in data.notes
        assert (
            "query for which a run returns nothing, counted as the measure does"
            in data.notes
        )

    @pytest.mark.parametrize("name", ["metric", "qrels", "sheet"])
    @pytest.mark.parametrize(
        "content", [b"choice\nx\n", b'[{"choice": "x"}]', b'{"choice": "x"}\n']
    )
    def test_arguments_of_other_formats_are_refused(
        self, name: str, content: bytes
    ) -> None:
        with pytest.raises(
            InvalidDataError, match=f"{name} says nothing about (csv|jsonl?)"
        ):
            read_any(io.BytesIO(content), **{name: "x"})
        with pytest.raises(
            InvalidDataError, match=f"{name} says nothing about a table"
        ):
            ScoreMatrix.from_frame({"x": [1.0], "y": [2.0]}, **{name: "x"})  # type: ignore[arg-type]


class TestFolders:
    def test_two_tools_are_not_mixed(
        self, tmp_path: Path, rng: np.random.Generator
    ) -> None:
        MAKERS["mteb"](rng).write(tmp_path)
        MAKERS["helm"](rng).write(tmp_path)
        with pytest.raises(NotRecognisedError, match=r"is a folder of .*mteb files.*"):
            read_any(tmp_path)
        assert read_any(tmp_path, format="helm").n_items == len(MODELS)

    @pytest.mark.parametrize(
        ("files", "message"),
        [
            ({}, "is a folder of nothing"),
            (
                {"a.csv": b"choice\nx\n", "b.csv": b"choice\ny\n"},
                "is a folder of 2 csv files.*pattern",
            ),
            (
                {"a.csv": b"choice\nx\n", "b.json": b"[1]"},
                r"1 csv file \('a.csv'\), 1 json file",
            ),
            (
                {"a.json": b"", "b.json": b'[{"choice": "x"}]'},
                "1 empty file .*, 1 json file",
            ),
            ({"a.gz": b"\x1f\x8b\x08"}, "is a folder of 1 unreadable file"),
        ],
    )
    def test_what_was_seen_is_said(
        self, files: dict[str, bytes], message: str, tmp_path: Path
    ) -> None:
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        with pytest.raises(NotRecognisedError, match=message):
            read_any(tmp_path)

    def test_a_named_format_leaves_others_alone(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_bytes(b"choice\nx\n")
        (tmp_path / "b.json").write_bytes(b'[{"choice": "x"}, {"choice": "y"}]')
        data = read_any(tmp_path, format="json")
        assert data.n_units == 2
        assert "1 other file not read: 'a.csv'" in data.notes
        with pytest.raises(NotRecognisedError, match=r"is a folder of 2 other files"):
            read_any(tmp_path, format="helm")

    def test_lists(self, tmp_path: Path, rng: np.random.Generator) -> None:
        made = MAKERS["trec_eval"](rng)
        made.write(tmp_path)
        data = read_any(sorted(tmp_path.glob("*.txt"))[:2])
        assert data.n_items == 2
        assert "line about all queries together left out (4)" in data.notes
        with pytest.raises(EmptyDataError, match="list of files is empty"):
            read_any([])
        (tmp_path / "a.csv").write_bytes(b"choice\nx\n")
        (tmp_path / "b.jsonl").write_bytes(b'{"choice": "x"}\n')
        with pytest.raises(
            NotRecognisedError, match=r"a.csv and 1 more are 1 csv file .*, 1 jsonl"
        ):
            read_any([tmp_path / "a.csv", tmp_path / "b.jsonl"])
        with pytest.raises(FileNotFoundError):
            read_any([tmp_path / "nothing.json"])

    def test_patterns_on_the_command_line(
        self,
        tmp_path: Path,
        rng: np.random.Generator,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        MAKERS["lm_eval_results"](rng).write(tmp_path)
        assert (
            main(["topk", f"{tmp_path}/*/results_*.json", "-k", "1", "--metric", "acc"])
            == 0
        )
        assert (
            main(
                [
                    "topk",
                    f"{tmp_path}/*/results_*.json",
                    "-k",
                    "1",
                    "--engine",
                    "duckdb",
                ]
            )
            == 2
        )
        assert "engines scan Parquet files" in capsys.readouterr().err

    def test_one_model_is_one_item(
        self, tmp_path: Path, rng: np.random.Generator
    ) -> None:
        MAKERS["helm"](rng).write(tmp_path)
        assert read_any(tmp_path / RUN / "per_instance_stats.json").items == ("birch",)

    def test_helm_without_its_spec(
        self, tmp_path: Path, rng: np.random.Generator
    ) -> None:
        MAKERS["helm"](rng).write(tmp_path)
        content = (tmp_path / RUN / "per_instance_stats.json").read_bytes()
        (tmp_path / RUN / "run_spec.json").unlink()
        assert read_any(tmp_path / RUN / "per_instance_stats.json").items == ("birch",)
        with pytest.raises(
            InvalidDataError, match=r"does not say of which model.*run_spec.json"
        ):
            read_any(io.BytesIO(content))


class TestJson:
    def test_objects_inside_become_columns(self) -> None:
        rows = [
            {"task": "t", "scores": {"x": 1, "y": 2}},
            {"task": "u", "scores": {"x": 3, "y": 5}},
        ]
        for content in (as_json(rows), b"\n".join(as_json(row, None) for row in rows)):
            data = read_any(io.BytesIO(content), kind="scores")
            assert scores_of(data) == {
                "t": {"scores.x": 1, "scores.y": 2},
                "u": {"scores.x": 3, "scores.y": 5},
            }
            assert (
                "what is in 'scores' read as columns 'scores.x', 'scores.y'"
                in data.notes
            )

    def test_no_column_replaces_another(self) -> None:
        rows = [{"a": {"b.c": 1}, "a.b": {"c": 2}, "choice": "x"}]
        table = read_table(io.BytesIO(as_json(rows)))
        assert [table.cells(name) for name in table.names] == [[1], [{"c": 2}], ["x"]]

    def test_objects_that_differ_stay(self) -> None:
        rows = [
            {"choice": "t", "more": {"x": 1}},
            {"choice": "u", "more": {"y": 2}},
            {"choice": "u", "more.x": 0},
        ]
        assert read_table(io.BytesIO(as_json(rows))).names == [
            "choice",
            "more",
            "more.x",
        ]

    @pytest.mark.parametrize(
        ("content", "error"),
        [
            (b"[]", EmptyDataError),
            (b"[{}]", NotRecognisedError),
            (b"[{]", UnreadableFileError),
            (b'[{"a": 1}', UnreadableFileError),
            (b'[{"a": 1, "a": 2}]', UnreadableFileError),
            (b"[" * 100_000, UnreadableFileError),
            (b'{"a": ' * 100_000, UnreadableFileError),
            (b'[{"choice": "\xff"}]', UnreadableFileError),
            (b'[{"choice": "\0"}]', UnreadableFileError),
            (b"{\n}", NotRecognisedError),
            (b'{\n"a": 1}', NotRecognisedError),
            (b'[{"a": ' + b"9" * 5000 + b"}]", UnreadableFileError),
        ],
    )
    def test_hostile_json(self, content: bytes, error: type[Exception]) -> None:
        with pytest.raises(error):
            read_any(io.BytesIO(content))

    def test_one_long_line(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A list may be one line that is longer than the first look at it."""
        monkeypatch.setattr(files, "HEAD", 16)
        content = as_json([{"choice": "x" * 40} for _ in range(9)], None)
        assert len(read_table(io.BytesIO(content), format="json")) == 9


class TestLeaderboards:
    def test_the_leaderboard_is_chosen(
        self, tmp_path: Path, rng: np.random.Generator
    ) -> None:
        path = MAKERS["leaderboards"](rng).write(tmp_path)
        usual = read_any(path)
        assert scores_of(read_any(path, sheet="Verified")) == scores_of(usual)
        assert "the leaderboard 'Verified' taken of 'Lite', 'Verified'" in usual.notes
        assert any(
            "without a list of its instances left out" in note for note in usual.notes
        )
        assert scores_of(read_any(path, sheet="Lite")) == {"Lite": {"elm": 99.5}}
        with pytest.raises(
            ColumnError, match=r"no leaderboard 'Full'; .* 'Lite', 'Verified'.*sheet="
        ):
            read_any(path, sheet="Full")
        changed(
            path,
            lambda top: top["leaderboards"].append(
                {**top["leaderboards"][1], "name": "B"}
            ),
        )
        with pytest.raises(ColumnError, match=r"several leaderboards with instances"):
            read_any(path)

    def test_shares_where_nobody_lists_instances(self) -> None:
        results = [{"name": "x", "resolved": 50.5}, {"name": "y", "resolved": 40}]
        boards = [
            {"name": "Lite", "results": results},
            {"name": "Full", "results": results[::-1]},
        ]
        data = read_any(io.BytesIO(as_json({"leaderboards": boards})))
        assert scores_of(data) == {
            "Lite": {"x": 50.5, "y": 40},
            "Full": {"x": 50.5, "y": 40},
        }


class TestExcel:
    def book(self, *rows: list[Any], more: int = 0) -> io.BytesIO:
        from openpyxl import Workbook

        book = Workbook()
        for row in rows:
            book.active.append(row)
        for number in range(more):
            book.create_sheet(f"s{number}").append(["choice"])
            book[f"s{number}"].append([f"of {number}"])
        book.save(out := io.BytesIO())
        out.seek(0)
        return out

    def test_sheets(self, tmp_path: Path) -> None:
        content = self.book(["choice", "count"], ["x", 2], ["y", 1], more=2).getvalue()
        data = read_any(io.BytesIO(content))
        assert (data.items, data.tally.tolist()) == (("x", "y"), [2, 1])
        assert "the sheet 'Sheet' taken of 'Sheet', 's0', 's1'" in data.notes
        assert read_any(io.BytesIO(content), sheet="s1").items == ("of 1",)
        with pytest.raises(
            ColumnError, match=r"has no sheet 's9', but 'Sheet', 's0', 's1'.*sheet="
        ):
            read_any(io.BytesIO(content), sheet="s9")
        (tmp_path / "votes.xlsx").write_bytes(content)
        assert main(["inspect", str(tmp_path / "votes.xlsx"), "--sheet", "s0"]) == 0

    def test_whole_numbers_are_whole_where_cells_are_blank(self) -> None:
        rows = [["id", "score"], [7.0, 1], [8, 2.5], [None, None], [7, 4]]
        table = read_any(
            self.book(*rows), kind="ratings", item="id", score="score", drop=[""]
        )
        assert [repr(item) for item in table.items] == ["7", "8"]

    def test_rows_are_those_of_the_sheet(self) -> None:
        rows = self.book(
            [],
            [None, "choice", None, "count", "empty"],
            [],
            [None, "x", None, 2],
            [None, "y", None, -1],
        )
        with pytest.raises(InvalidDataError, match="on row 5 of the stream"):
            read_any(rows)

    def test_what_is_empty_is_said(self) -> None:
        data = read_any(
            self.book(
                ["choice", "count", "note", None], ["x", 2], [], [], ["y", 1, None, "z"]
            )
        )
        assert {
            "2 empty rows skipped",
            "empty columns left out: 'note'",
            "columns without a name, or with that of another, are called 'column_4'",
        } <= set(data.notes)

    def test_text_is_no_number(self) -> None:
        with pytest.raises(InvalidDataError, match="must be numbers, but there is '2'"):
            read_any(self.book(["choice", "count"], ["x", "2"], ["y", 1]), kind="votes")
        assert read_any(self.book(["x", "x"], [1, 2]), kind="scores").items == (
            "x_1",
            "x_2",
        )

    def test_dates_are_labels(self) -> None:
        from datetime import datetime

        day = datetime(2024, 1, 2)  # noqa: DTZ001 (as a sheet has it)
        book = self.book(["day", "x", "y"], [day, 1, 2], [day.replace(day=3), 2, 1])
        data = read_any(book, kind="scores")
        assert data.row_labels == (day, day.replace(day=3))

    @pytest.mark.parametrize("rows", [[], [[]], [["choice"]], [["choice"], []]])
    def test_empty_sheets(self, rows: list[list[Any]]) -> None:
        with pytest.raises(EmptyDataError, match="holds no rows"):
            read_any(self.book(*rows))

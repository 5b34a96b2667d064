"""Files in the layouts of evaluation tools are read as the scores that they were made of, or refused."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from data.layouts.made import MAKERS, MODELS, Made, alpaca, arena, as_json
from steadyrank import read_any, stable_topk
from steadyrank.cli import main
from steadyrank.data import Battles, ScoreMatrix
from steadyrank.errors import (
    ColumnError,
    EmptyDataError,
    InvalidDataError,
    MissingPackageError,
    NotRecognisedError,
    SteadyrankError,
    UnreadableFileError,
)
from steadyrank.reading.formats import FORMATS, read_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def arguments_in(made: Made, folder: Path) -> dict[str, Any]:
    return {
        name: str(folder / value) if name == "qrels" else value for name, value in made.arguments.items()
    }


def scores_of(data: Any) -> dict[Any, dict[Any, float]]:
    return {
        row: dict(zip(data.items, values, strict=True))
        for row, values in zip(data.row_labels, data.values.tolist(), strict=True)
    }


@pytest.mark.parametrize("name", MAKERS)
def test_a_layout_is_read_as_it_was_made(name: str, tmp_path: Path, rng: np.random.Generator) -> None:
    made = MAKERS[name](rng)
    path = made.write(tmp_path)
    table = read_table(path, given=arguments_in(made, tmp_path))
    assert table.format == made.format
    data = read_any(path, **arguments_in(made, tmp_path))
    assert isinstance(data, ScoreMatrix)
    found = scores_of(data)
    assert found.keys() == made.scores.keys()
    for row, scores in made.scores.items():
        assert found[row] == pytest.approx(scores)
    # The best by plain addition is ahead, too.
    sums = Counter[str]()
    for scores in made.scores.values():
        sums.update(scores)
    best = {item for item, total in sums.items() if total == pytest.approx(max(sums.values()))}
    assert stable_topk(data, 1, eps=1e-9, claim="none").members[0] in best
    if made.tasks:
        grouped = read_any(path, unit="task", **arguments_in(made, tmp_path))
        assert ("task", len(set(made.tasks.values()))) in data.unit_candidates
        assert grouped.n_units == len(set(made.tasks.values()))
        for row, unit in zip(grouped.row_labels, grouped.unit.tolist(), strict=True):
            assert grouped.unit_labels[unit] == made.tasks[row]


@pytest.mark.parametrize("name", MAKERS)
def test_the_command_line_reads_it_too(
    name: str, tmp_path: Path, rng: np.random.Generator, capsys: pytest.CaptureFixture[str]
) -> None:
    made = MAKERS[name](rng)
    path = made.write(tmp_path)
    said = [f"--{option}={value}" for option, value in arguments_in(made, tmp_path).items()]
    assert main(["inspect", str(path), "--json", *said]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["kind"], found["format"], found["problem"]) == ("scores", made.format, None)
    assert found["n_items"] == len(next(iter(made.scores.values())))
    assert main(["topk", str(path), "-k", "1", *said]) == 0


def test_every_format_of_a_tool_has_a_layout() -> None:
    made = {MAKERS[name](np.random.default_rng(0)).format for name in MAKERS}
    assert made | {"alpaca-eval"} >= {name for name, found in FORMATS.items() if found.among_others}


def test_every_format_is_documented() -> None:
    assert all(f'"{name}"' in (read_any.__doc__ or "") for name in FORMATS)


def as_sides(data: Any) -> list[tuple[str, str, str]]:
    words = {1: "left", 0: "tie", -1: "right"}
    rows = zip(data.left, data.right, data.outcome, strict=True)
    return [(data.items[left], data.items[right], words[int(result)]) for left, right, result in rows]


class TestArena:
    def test_an_array_is_battles_without_any_option(self, rng: np.random.Generator) -> None:
        content, battles = arena(rng)
        data = read_any(io.BytesIO(content))
        assert isinstance(data, Battles)
        assert as_sides(data) == battles
        assert ("judge", 7) in data.unit_candidates
        assert read_any(io.BytesIO(content), unit="judge").n_units == 7

    def test_one_line_gzip_and_json_lines_are_the_same(self, rng: np.random.Generator) -> None:
        content, battles = arena(rng)
        rows = json.loads(content)
        lines = b"".join(as_json(row, None) + b"\n" for row in rows)
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        for same in (
            as_json(rows, None),
            gzip.compress(content),
            lines,
            as_json(columns),
            b"\xef\xbb\xbf" + content,
        ):
            assert as_sides(read_any(io.BytesIO(same))) == battles
        assert (
            as_sides(read_any(io.BytesIO(content.decode().encode("utf-16")), encoding="utf-16"))
            == battles
        )

    def test_errors_give_the_index(self, rng: np.random.Generator) -> None:
        rows = json.loads(arena(rng)[0])
        rows[3]["winner"] = "model_c"
        with pytest.raises(
            InvalidDataError, match=r"'model_c' in column 'winner', at index 3 of the stream"
        ):
            read_any(io.BytesIO(as_json(rows)))

    def test_several_files_are_one(
        self, tmp_path: Path, rng: np.random.Generator, capsys: pytest.CaptureFixture[str]
    ) -> None:
        content, battles = arena(rng)
        rows = json.loads(content)
        (tmp_path / "b.json").write_bytes(as_json(rows[10:]))
        (tmp_path / "a.json").write_bytes(as_json(rows[:10]))
        (tmp_path / ".hidden").write_bytes(b"\0")
        assert as_sides(read_any(tmp_path)) == battles
        assert as_sides(read_any([tmp_path / "a.json", str(tmp_path / "b.json")])) == battles
        assert main(["inspect", f"{tmp_path}/*.json", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["rows"], found["n_units"], found["format"]) == (30, 30, "json")
        rows[12]["winner"] = 7
        (tmp_path / "b.json").write_bytes(as_json(rows[10:]))
        with pytest.raises(InvalidDataError, match=r"at index 2 \(b.json\)"):
            read_any(tmp_path)


class TestAlpaca:
    def test_preferences_are_battles(self, tmp_path: Path, rng: np.random.Generator) -> None:
        content, battles = alpaca(rng)
        (tmp_path / "annotations.json").write_bytes(content)
        (tmp_path / "leaderboard.csv").write_bytes(b"name,win_rate\nx,50\n")
        for source in (tmp_path, tmp_path / "annotations.json"):
            data = read_any(source)
            assert as_sides(data) == battles
            assert "1 annotation without a preference left out" in data.notes
            assert [name for name, _ in data.unit_candidates] == ["instruction"]

    @pytest.mark.parametrize("wrong", [3, -1, 0.5, True, "1", [1], {}, 10**400])
    def test_other_preferences_are_refused(self, wrong: Any, rng: np.random.Generator) -> None:
        rows = json.loads(alpaca(rng)[0])
        rows[4]["preference"] = wrong
        with pytest.raises(
            UnreadableFileError, match=r"instead of a preference .* at \[4\]\.preference"
        ):
            read_any(io.BytesIO(as_json(rows)))


def changed(path: Path, change: Callable[[Any], Any]) -> None:
    top = json.loads(path.read_bytes())
    path.write_bytes(as_json(change(top) or top))


def put(*way: Any) -> Callable[[Any], None]:
    """Return what puts the last of these at the way that the others say."""

    def change(top: Any) -> None:
        for step in way[:-2]:
            top = top[step]
        top[way[-2]] = way[-1]

    return change


ALDER = "north__alder-7b"
RUN = "mmlu:subject=task_1,model=birch"
BROKEN: dict[str, tuple[str, str, Any, str]] = {
    "lm_eval_results": (
        "lm_eval_results",
        "birch/results_*.json",
        put("results", "task_1", "acc_norm,none", "high"),
        r"'high', at results.task_1 \(results_",
    ),
    "lm_eval task": (
        "lm_eval_results",
        "birch/results_*.json",
        put("results", "task_1", [1]),
        r"\[1\] instead of an object at results.task_1 of results_",
    ),
    "lm_eval gap": (
        "lm_eval_results",
        "birch/results_*.json",
        lambda top: top["results"].pop("task_1") and None,
        r"1 values are missing \(row 'task_1' item 'birch'\)",
    ),
    "lm_eval nan": (
        "lm_eval_older",
        "birch/results_*.json",
        put("results", "task_1", "acc_norm", float("nan")),
        r"1 values are missing",
    ),
    "lm_eval huge": (
        "lm_eval_older",
        "birch/results_*.json",
        put("results", "task_1", "acc_norm", 10**400),
        r"must be finite, but there is inf",
    ),
    "helm": (
        "helm",
        f"{RUN}/per_instance_stats.json",
        put(1, "stats", 3),
        r"3 instead of a list at \[1\].stats of per_instance_stats.json",
    ),
    "helm spec": (
        "helm",
        f"{RUN}/run_spec.json",
        put("adapter_spec", "model", None),
        r"None instead of text at adapter_spec.model of run_spec.json",
    ),
    "helm again": (
        "helm",
        f"{RUN}/per_instance_stats.json",
        lambda top: [*top, top[0]],
        r"'birch' has more than one value in row 'mmlu:subject=task_1/id0'.* at \[4\]",
    ),
    "inspect": (
        "inspect_json",
        "logs/task_1_birch.json",
        put("samples", 2, "scores", "match", "value", "perhaps"),
        r"'perhaps', at samples\[2\]",
    ),
    "inspect header": (
        "inspect_json",
        "logs/task_1_birch.json",
        put("samples", None),
        r"None instead of the samples.* of task_1_birch.json",
    ),
    "inspect epoch": (
        "inspect_json",
        "logs/task_1_birch.json",
        put("samples", 1, "epoch", 1),
        r"another epoch.* at samples\[1\].epoch",
    ),
    "mteb": (
        "mteb",
        "results/birch/*/task_1.json",
        put("scores", "test", 0, "main_score", None),
        r"missing \(row 'task_1/test' item 'birch'\)",
    ),
    "mteb split": (
        "mteb",
        "results/birch/*/task_1.json",
        put("scores", "test", "all"),
        r"'all' instead of a list at scores.test of task_1.json",
    ),
    "mteb_older": (
        "mteb_older",
        "birch/task_1.json",
        put("mteb_dataset_name", 1.5),
        r"1.5 instead of text at mteb_dataset_name",
    ),
    "swe_reports": (
        "swe_reports",
        "logs/*/*/birch/owner__repo-1/report.json",
        put("owner__repo-1", "resolved", "yes"),
        r"'yes', at owner__repo-1 \(report.json\)",
    ),
    "swe_runs": (
        "swe_runs",
        "birch.run-1.json",
        put("resolved_ids", "all"),
        r"'all' instead of a list at resolved_ids of birch.run-1.json",
    ),
    "swe_submissions": (
        "swe_submissions",
        "evaluation/*/*birch/results/results.json",
        put("resolved", [{}]),
        r"{} instead of text at resolved\[0\]",
    ),
    "leaderboards": (
        "leaderboards",
        "leaderboards.json",
        put("leaderboards", 1, "results", 0, "name", None),
        r"None instead of text at leaderboards\[1\].results\[0\].name",
    ),
    "json": ("json_rows", "scores.json", put(1, 7), r"7 instead of an object at \[1\] of scores.json"),
    "json object": (
        "json_rows",
        "scores.json",
        lambda _: {"a": {"b": 1}},
        r"neither a list of objects .* an object of 'a'",
    ),
    "json column": (
        "json_columns",
        "scores.json",
        lambda top: top["task"].pop() and None,
        r"neither a list of objects|task",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_twin_is_refused_with_its_place(
    case: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    name, pattern, change, message = BROKEN[case]
    made = MAKERS[name](rng)
    path = made.write(tmp_path)
    (broken,) = tmp_path.glob(pattern)
    changed(broken, change)
    with pytest.raises(InvalidDataError, match=message):
        read_any(path, **arguments_in(made, tmp_path))


@pytest.mark.parametrize(
    ("name", "pattern", "old", "new", "message"),
    [
        ("trec_eval", "birch.txt", b"\t302\t", b"\t302 ", None),
        (
            "trec_eval",
            "birch.txt",
            b"\t302\t",
            b"\t",
            r"line 4 of birch.txt has 2 fields instead of metric query",
        ),
        (
            "trec_eval",
            "birch.txt",
            b"num_ret               \t302\t1000",
            b"num_ret \t302\tmany",
            r"line 4 of birch.txt has 'many'",
        ),
        (
            "trec_eval",
            "birch.txt",
            b"\t303\t",
            b"\t302\t",
            r"'birch' has more than one value in row '302'",
        ),
        (
            "trec_runs",
            "runs/birch.run",
            b"2 Q0 d1 ",
            b"2 Q0 d3 ",
            r"of birch.run names document 'd3' again",
        ),
        (
            "trec_runs",
            "runs/birch.run",
            b".5 birch\n2",
            b".5 birch too\n2",
            r"line 10 of birch.run has 7 fields",
        ),
        ("trec_runs", "judged.qrels", b"2 0 d1 ", b"2 0 d1 .", r"of judged.qrels has the relevance"),
        (
            "lm_eval_samples",
            "birch/samples_task_1_*.jsonl",
            b'{"doc_id": 1',
            b'{"doc_id": 0',
            r"more than one value in row 'task_1/0'.* at line 2",
        ),
        (
            "lm_eval_samples",
            "birch/samples_task_1_*.jsonl",
            b'"doc_id": 2',
            b'"doc_id": [2]',
            r"\[2\] instead of text at line 3.doc_id",
        ),
        (
            "lm_eval_samples",
            "birch/samples_task_1_*.jsonl",
            b'{"doc_id": 2',
            b'{{"doc_id": 2',
            r"line 3 of samples_task_1.* is not one JSON object",
        ),
    ],
)
def test_a_broken_line_is_refused_with_its_number(
    name: str,
    pattern: str,
    old: bytes,
    new: bytes,
    message: str | None,
    tmp_path: Path,
    rng: np.random.Generator,
) -> None:
    made = MAKERS[name](rng)
    path = made.write(tmp_path)
    (broken,) = tmp_path.glob(pattern)
    content = broken.read_bytes()
    assert old in content
    if new.endswith(b"."):  # a relevance with a fraction
        content = re.sub(re.escape(old) + rb"(\d)", new[:-1] + rb"\1.5", content)
    else:
        content = content.replace(old, new)
    broken.write_bytes(content)
    if message is None:
        assert read_any(path, **arguments_in(made, tmp_path)).n_items == len(MODELS)
        return
    with pytest.raises(InvalidDataError, match=message):
        read_any(path, **arguments_in(made, tmp_path))


@pytest.mark.parametrize(
    ("name", "module", "package", "extra"),
    [
        ("excel", "steadyrank.reading.adapters.excel", "fastexcel", "excel"),
        ("inspect_eval", "steadyrank.reading.adapters.inspect_logs", "inspect_ai", "inspect"),
        ("trec_runs", None, "ir_measures", "trec"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(
    name: str,
    module: str | None,
    package: str,
    extra: str,
    tmp_path: Path,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = MAKERS[name](rng)
    path = made.write(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    if module is not None:
        monkeypatch.setattr(f"{module}.find_spec", lambda _: None)
    with pytest.raises(MissingPackageError, match=rf"{package} (is|are) needed.*steadyrank\[{extra}\]"):
        read_any(path, **arguments_in(made, tmp_path))


@pytest.mark.parametrize("name", MAKERS)
def test_cut_files_are_refused(name: str, tmp_path: Path, rng: np.random.Generator) -> None:
    made = MAKERS[name](rng)
    path = made.write(tmp_path)
    for file in tmp_path.rglob("*"):
        if file.is_file() and file.suffix != ".qrels":
            file.write_bytes(file.read_bytes()[:-30])
    with pytest.raises(SteadyrankError):
        read_any(path, **arguments_in(made, tmp_path))


class TestMetrics:
    def test_another_metric(self, tmp_path: Path, rng: np.random.Generator) -> None:
        made = MAKERS["lm_eval_results"](rng)
        made.write(tmp_path)
        data = read_any(tmp_path, metric="acc")
        assert scores_of(data) == {
            row: {item: score / 2 for item, score in one.items()} for row, one in made.scores.items()
        }
        assert "'acc,none' taken as the score" in data.notes
        assert "metrics not taken: 'acc_norm,none'" in data.notes
        assert any("the group group left out" in note for note in data.notes)
        with pytest.raises(
            ColumnError, match=r"no metric 'acc_stderr', but 'acc,none', 'acc_norm,none'"
        ):
            read_any(tmp_path, metric="acc_stderr")

    def test_filters(self, tmp_path: Path, rng: np.random.Generator) -> None:
        made = MAKERS["lm_eval_samples"](rng)
        made.write(tmp_path)
        usual = read_any(tmp_path)
        assert scores_of(usual) == made.scores  # the first filter in the files
        assert "samples taken, and not the results by task beside them" in usual.notes
        other = read_any(tmp_path, metric="exact_match,flexible-extract")
        assert scores_of(other) == {
            row: {item: 1 - score for item, score in one.items()} for row, one in made.scores.items()
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
        assert "less is better in 'word_perplexity': taken with a minus sign" in data.notes

    def test_unknown_metrics_are_not_guessed(self, tmp_path: Path) -> None:
        top = {"results": {"wiki": {"one,none": 1.0, "two,none": 2.0}}, "model_name": "x"}
        (tmp_path / "results_x.json").write_bytes(as_json(top))
        with pytest.raises(
            ColumnError, match=r"no usual metric of 'wiki', but 'one,none', 'two,none'.*metric="
        ):
            read_any(tmp_path)

    def test_tasks_without_the_metric_are_said(self, tmp_path: Path) -> None:
        tasks = {
            "a": {"acc,none": 0.5},
            "b": {"acc,none": 0.25},
            "wiki": {"bits,none": 1.0, "words,none": 2.0},
        }
        (tmp_path / "results_x.json").write_bytes(as_json({"results": tasks, "model_name": "x"}))
        data = read_any(tmp_path, metric="acc")
        assert scores_of(data) == {"a": {"x": 0.5}, "b": {"x": 0.25}}
        assert "left out, without 'acc': 'wiki'" in data.notes

    def test_default_measure_is_ndcg(self, tmp_path: Path, rng: np.random.Generator) -> None:
        made = MAKERS["trec_runs"](rng)
        path = made.write(tmp_path)
        data = read_any(path, qrels=str(tmp_path / "judged.qrels"))
        judged: dict[str, dict[str, int]] = {}
        for line in (tmp_path / "judged.qrels").read_text().splitlines():
            query, _, document, value = line.split()
            judged.setdefault(query, {})[document] = int(value)
        for item in map(str, data.items):
            lines = [line.split() for line in (path / f"{item}.run").read_text().splitlines()]
            for query, relevant in judged.items():
                gains = [relevant.get(fields[2], 0) for fields in lines if fields[0] == query][:10]
                found, best = (
                    sum(gain / np.log2(place + 2) for place, gain in enumerate(some))
                    for some in (gains, sorted(relevant.values(), reverse=True)[:10])
                )
                assert scores_of(data)[query][item] == pytest.approx(found / best if best else 0.0)

    def test_runs_of_one_tag_are_told_apart(self, tmp_path: Path, rng: np.random.Generator) -> None:
        made = MAKERS["trec_runs"](rng)
        path = made.write(tmp_path)
        for file in path.iterdir():
            file.write_bytes(re.sub(rb"\S+\n", b"Anserini\n", file.read_bytes()))
        data = read_any(path, **arguments_in(made, tmp_path))
        assert data.items == tuple(
            f"Anserini ({name}.run)" for name in sorted((ALDER, "birch", "cedar"))
        )

    def test_runs_need_judgements(self, tmp_path: Path, rng: np.random.Generator) -> None:
        path = MAKERS["trec_runs"](rng).write(tmp_path)
        with pytest.raises(
            InvalidDataError, match=r"is a TREC run, .*Give the file of judgements as qrels="
        ):
            read_any(path)
        for metric in ("bogus", "P", "nDCG@x", "()", "1", "a;b"):
            with pytest.raises(InvalidDataError, match="ir-measures has no"):
                read_any(path, qrels=str(tmp_path / "judged.qrels"), metric=metric)

    def test_queries_on_one_side_only(self, tmp_path: Path, rng: np.random.Generator) -> None:
        made = MAKERS["trec_runs"](rng)
        path = made.write(tmp_path)
        run = path / "birch.run"
        run.write_bytes(re.sub(rb"(?m)^5 ", b"99 ", run.read_bytes()))
        data = read_any(path, **arguments_in(made, tmp_path))
        assert scores_of(data)["5"]["birch"] == 0
        assert "query without judgements left out" in data.notes
        assert "query for which a run returns nothing, counted as the measure does" in data.notes

    @pytest.mark.parametrize("name", ["metric", "qrels", "sheet"])
    @pytest.mark.parametrize("content", [b"choice\nx\n", b'[{"choice": "x"}]', b'{"choice": "x"}\n'])
    def test_arguments_of_other_formats_are_refused(self, name: str, content: bytes) -> None:
        with pytest.raises(InvalidDataError, match=f"{name} says nothing about (csv|jsonl?)"):
            read_any(io.BytesIO(content), **{name: "x"})
        with pytest.raises(InvalidDataError, match=f"{name} says nothing about a table"):
            ScoreMatrix.from_frame({"x": [1.0], "y": [2.0]}, **{name: "x"})  # type: ignore[arg-type]


class TestFolders:
    def test_two_tools_are_not_mixed(self, tmp_path: Path, rng: np.random.Generator) -> None:
        MAKERS["mteb"](rng).write(tmp_path)
        MAKERS["helm"](rng).write(tmp_path)
        with pytest.raises(NotRecognisedError, match=r"is a folder of .*mteb files.*"):
            read_any(tmp_path)
        assert read_any(tmp_path, format="helm").n_items == len(MODELS)

    @pytest.mark.parametrize(
        ("files", "message"),
        [
            ({}, "is a folder of nothing"),
            ({"a.csv": b"choice\nx\n", "b.csv": b"choice\ny\n"}, "is a folder of 2 csv files.*pattern"),
            ({"a.csv": b"choice\nx\n", "b.json": b'[{"choice": "x"}]'}, "1 csv file, 1 json file"),
            ({"a.json": b"", "b.json": b'[{"choice": "x"}]'}, "1 empty file, 1 json file"),
            ({"a.bz2": b"BZh91AY"}, "is a folder of 1 unreadable file"),
        ],
    )
    def test_what_was_seen_is_said(self, files: dict[str, bytes], message: str, tmp_path: Path) -> None:
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
        with pytest.raises(NotRecognisedError, match=r"a.csv and 1 more are 2 csv files"):
            read_any([tmp_path / "a.csv", tmp_path / "a.csv"])
        with pytest.raises(FileNotFoundError):
            read_any([tmp_path / "nothing.json"])

    def test_patterns_on_the_command_line(
        self, tmp_path: Path, rng: np.random.Generator, capsys: pytest.CaptureFixture[str]
    ) -> None:
        MAKERS["lm_eval_results"](rng).write(tmp_path)
        assert main(["topk", f"{tmp_path}/*/results_*.json", "-k", "1", "--metric", "acc"]) == 0
        assert main(["topk", f"{tmp_path}/*/results_*.json", "-k", "1", "--engine", "duckdb"]) == 2
        assert "is not a file that can be scanned" in capsys.readouterr().err

    def test_one_model_is_one_item(self, tmp_path: Path, rng: np.random.Generator) -> None:
        MAKERS["helm"](rng).write(tmp_path)
        assert read_any(tmp_path / RUN / "per_instance_stats.json").items == ("birch",)

    def test_helm_without_its_spec(self, tmp_path: Path, rng: np.random.Generator) -> None:
        MAKERS["helm"](rng).write(tmp_path)
        content = (tmp_path / RUN / "per_instance_stats.json").read_bytes()
        (tmp_path / RUN / "run_spec.json").unlink()
        assert read_any(tmp_path / RUN / "per_instance_stats.json").items == ("birch",)
        with pytest.raises(InvalidDataError, match=r"does not say of which model.*run_spec.json"):
            read_any(io.BytesIO(content))


class TestJson:
    def test_objects_inside_become_columns(self) -> None:
        rows = [{"task": "t", "scores": {"x": 1, "y": 2}}, {"task": "u", "scores": {"x": 3, "y": 5}}]
        for content in (as_json(rows), b"\n".join(as_json(row, None) for row in rows)):
            data = read_any(io.BytesIO(content))
            assert scores_of(data) == {
                "t": {"scores.x": 1, "scores.y": 2},
                "u": {"scores.x": 3, "scores.y": 5},
            }
            assert "objects in 'scores' read as columns 'scores.x', 'scores.y'" in data.notes

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
        assert read_table(io.BytesIO(as_json(rows))).names == ["choice", "more", "more.x"]

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

    def test_one_long_line(self) -> None:
        """A list may be one line beyond what a line of a table may have."""
        from steadyrank.reading.files import OpenFile, _unpacked

        content = as_json([{"choice": "x" * 40} for _ in range(9)], None)
        file = OpenFile("file", "utf-8", io.BytesIO(content), look_at=16, block=16, longest_line=64)
        assert len(FORMATS["json"].read(_unpacked(file))) == 9


class TestLeaderboards:
    def test_the_leaderboard_is_chosen(self, tmp_path: Path, rng: np.random.Generator) -> None:
        path = MAKERS["leaderboards"](rng).write(tmp_path)
        usual = read_any(path)
        assert scores_of(read_any(path, sheet="Verified")) == scores_of(usual)
        assert "the leaderboard 'Verified' taken of 'Lite', 'Verified'" in usual.notes
        assert any("without a list of its instances left out" in note for note in usual.notes)
        assert scores_of(read_any(path, sheet="Lite")) == {"Lite": {"elm": 99.5}}
        with pytest.raises(ColumnError, match=r"no leaderboard 'Full'; .* 'Lite', 'Verified'.*sheet="):
            read_any(path, sheet="Full")
        changed(path, lambda top: top["leaderboards"].append({**top["leaderboards"][1], "name": "B"}))
        with pytest.raises(ColumnError, match=r"several leaderboards with instances"):
            read_any(path)

    def test_shares_where_nobody_lists_instances(self) -> None:
        results = [{"name": "x", "resolved": 50.5}, {"name": "y", "resolved": 40}]
        boards = [{"name": "Lite", "results": results}, {"name": "Full", "results": results[::-1]}]
        data = read_any(io.BytesIO(as_json({"leaderboards": boards})))
        assert scores_of(data) == {"Lite": {"x": 50.5, "y": 40}, "Full": {"x": 50.5, "y": 40}}


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
        with pytest.raises(ColumnError, match=r"has no sheet 's9', but 'Sheet', 's0', 's1'.*sheet="):
            read_any(io.BytesIO(content), sheet="s9")
        (tmp_path / "votes.xlsx").write_bytes(content)
        assert main(["inspect", str(tmp_path / "votes.xlsx"), "--sheet", "s0"]) == 0

    def test_rows_are_those_of_the_sheet(self) -> None:
        rows = self.book(
            [], [None, "choice", None, "count", "empty"], [], [None, "x", None, 2], [None, "y", None, -1]
        )
        with pytest.raises(InvalidDataError, match="on row 5 of the stream"):
            read_any(rows)

    def test_what_is_empty_is_said(self) -> None:
        data = read_any(
            self.book(["choice", "count", "note", None], ["x", 2], [], [], ["y", 1, None, "z"])
        )
        assert {"2 empty rows skipped", "empty columns left out: 'note'", "column 4 has no name"} <= set(
            data.notes
        )

    def test_text_is_no_number(self) -> None:
        with pytest.raises(InvalidDataError, match="must be numbers, but there is '2'"):
            read_any(self.book(["choice", "count"], ["x", "2"], ["y", 1]), kind="votes")
        with pytest.raises(ColumnError, match="names 'x' more than once"):
            read_any(self.book(["x", "x"], [1, 2]))

    def test_dates_are_labels(self) -> None:
        from datetime import datetime

        day = datetime(2024, 1, 2)  # noqa: DTZ001 (as a sheet has it)
        data = read_any(self.book(["day", "x", "y"], [day, 1, 2], [day.replace(day=3), 2, 1]), row="day")
        assert data.row_labels == (day, day.replace(day=3))

    @pytest.mark.parametrize("rows", [[], [[]], [["choice"]], [["choice"], []]])
    def test_empty_sheets(self, rows: list[list[Any]]) -> None:
        with pytest.raises(EmptyDataError, match="holds no rows"):
            read_any(self.book(*rows))

"""A file of an evaluation tool with a fault is refused, with the place of the fault."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import pytest

from data.layouts.made import MAKERS, MODELS, RUN, arguments_in, changed
from steadyrank import read_any
from steadyrank.errors import InvalidDataError, MissingPackageError, SteadyrankError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np


def put(*way: Any) -> Callable[[Any], None]:
    """Return what puts the last of these at the way that the others say."""

    def change(top: Any) -> None:
        for step in way[:-2]:
            top = top[step]
        top[way[-2]] = way[-1]

    return change


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
        r"1 value is missing \(row 'task_1' item 'birch'\)",
    ),
    "lm_eval nan": (
        "lm_eval_older",
        "birch/results_*.json",
        put("results", "task_1", "acc_norm", float("nan")),
        r"1 value is missing",
    ),
    "lm_eval huge": (
        "lm_eval_older",
        "birch/results_*.json",
        put("results", "task_1", "acc_norm", 10**400),
        r"must be whole numbers up to 2\^53.*but there is 1000",
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
    "mteb before 1.11": (
        "mteb",
        "results/birch/*/task_1.json",
        put("scores", None),
        r"task_1.json is in the layout of MTEB before version 1.11. It is no longer read",
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
    "json": (
        "json_rows",
        "scores.json",
        put(1, 7),
        r"7 instead of an object at \[1\] of scores.json",
    ),
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
        (
            "trec_runs",
            "judged.qrels",
            b"2 0 d1 ",
            b"2 0 d1 .",
            r"of judged.qrels has '.*' where a whole number",
        ),
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
    ("name", "package", "extra"),
    [
        ("excel", "fastexcel", "excel"),
        ("inspect_eval", "inspect_ai", "inspect"),
        ("trec_runs", "ir_measures", "trec"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(
    name: str,
    package: str,
    extra: str,
    tmp_path: Path,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = MAKERS[name](rng)
    path = made.write(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr("steadyrank.reading.files.find_spec", lambda _: None)
    with pytest.raises(
        MissingPackageError, match=rf"{package} (is|are) needed.*steadyrank\[{extra}\]"
    ):
        read_any(path, **arguments_in(made, tmp_path))


@pytest.mark.parametrize("name", MAKERS)
def test_cut_files_are_refused(
    name: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    made = MAKERS[name](rng)
    path = made.write(tmp_path)
    for file in tmp_path.rglob("*"):
        if file.is_file() and file.suffix != ".qrels":
            file.write_bytes(file.read_bytes()[:-30])
    with pytest.raises(SteadyrankError):
        read_any(path, **arguments_in(made, tmp_path))

"""The command line on patterns of files: the same answers as from memory."""

from __future__ import annotations

import json

import numpy as np
import pytest

from steadyrank.cli import main


@pytest.fixture
def files(tmp_path):
    """Return a pattern of two Parquet files, and one file with the rows of both."""
    pl, rng = pytest.importorskip("polars"), np.random.default_rng(3)
    rows = [
        f"{user},{item},{rng.integers(1, 6)}" for user in range(60) for item in range(8)
    ]
    for name, part in (("part-1", rows[:200]), ("part-2", rows[200:]), ("whole", rows)):
        text = "\n".join(["user,item,rating", *part]) + "\n"
        (tmp_path / f"{name}.csv").write_text(text)
        pl.read_csv(text.encode()).write_parquet(tmp_path / f"{name}.parquet")
    return str(tmp_path / "part-*.parquet"), str(tmp_path / "whole.parquet")


def run(capsys, *words):
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


def document(capsys, *words):
    code, out, err = run(capsys, *words, "--json")
    assert code == 0, err
    return json.loads(out)


@pytest.mark.parametrize(
    "options", [[], ["--engine", "duckdb"], ["--memory-limit", "500MB"]]
)
def test_a_pattern_says_the_same_as_one_file_in_memory(capsys, files, options):
    pattern, whole = files
    mine = document(capsys, "topk", pattern, "-k", "3", "--delta", "0.05", *options)
    other = document(capsys, "topk", whole, "-k", "3", "--delta", "0.05")
    assert mine["kind"] == "ratings"
    assert mine.keys() == other.keys()
    differ = {name for name in mine if mine[name] != other[name]}
    assert differ <= {"source", "notes"}


def test_a_pattern_of_text_is_read_into_memory_as_one_table(capsys, files):
    pattern, whole = (path.replace("parquet", "csv") for path in files)
    mine, other = (
        document(capsys, "topk", path, "-k", "3") for path in (pattern, whole)
    )
    assert {name for name in mine if mine[name] != other[name]} <= {"source", "notes"}
    assert any("2 files read, 'part-1.csv' the first" in note for note in mine["notes"])
    for option in (["--engine", "duckdb"], ["--memory-limit", "1GB"]):
        code, _, err = run(capsys, "topk", pattern, "-k", "2", *option)
        assert (code, "part-1.csv' is none" in err, "use --engine memory" in err) == (
            2,
            True,
            True,
        )
    assert run(capsys, "topk", pattern, "-k", "2", "--engine", "memory")[0] == 0


def test_what_left_the_engine_is_in_the_notes(capsys, files):
    code, out, _ = run(capsys, "audit", files[0], "-k", "2", "--eps", "0.01", "--json")
    assert code == 0
    assert "brought back from duckdb" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--engine", "memory"], "there is no file"),
        (["--engine", "hadoop"], "there is no engine called 'hadoop'"),
        (
            ["--engine", "spark", "--memory-limit", "1GB"],
            "--memory-limit goes with --engine duckdb",
        ),
        (
            ["--spark-master", "local", "--engine", "duckdb"],
            "--spark-master goes with --engine spark",
        ),
        (["--memory-limit", "much"], "DuckDB does not take these settings"),
        (
            ["--memory-limit", "-5"],
            "--memory-limit must be a size above 0, but is '-5'",
        ),
        (["--memory-limit", "-1GB"], "as --memory-limit"),
        (["--memory-limit", "0"], "DuckDB does not take these settings"),
        (["--encoding", "latin-1"], "the encoding given is 'latin-1'"),
        (["--format", "csv", "--engine", "duckdb"], "the format given is 'csv'"),
        (["--drop", "3"], "engines cannot drop rows by their answers"),
        (["--kind", "ballots"], "ballots cannot be scanned in an engine"),
        (["--duplicates", "last"], "engines cannot merge repeated values"),
        (
            ["--kind", "ratings", "--lower-is-better", "all"],
            "ratings of which more is better",
        ),
    ],
)
def test_wrong_options(capsys, files, words, message):
    code, _, err = run(capsys, "topk", files[0], "-k", "2", *words)
    assert code == 2
    assert message in err


def test_standard_input_is_for_memory(capsys):
    code, _, err = run(capsys, "topk", "-", "-k", "2", "--engine", "duckdb")
    assert (code, "not on standard input" in err) == (2, True)

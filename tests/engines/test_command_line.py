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


SAID = ("--item", "item", "--rating", "rating", "--unit", "user")


@pytest.mark.parametrize(
    "options",
    [[], ["--engine", "duckdb"], ["--engine", "duckdb", "--memory-limit", "500MB"]],
)
def test_a_pattern_says_the_same_as_one_file_in_memory(capsys, files, options):
    pattern, whole = files
    asked = ("-k", "3", "--delta", "0.05", *SAID)
    mine = document(capsys, "topk", pattern, *asked, *options)
    other = document(capsys, "topk", whole, *asked)
    assert mine["kind"] == "ratings"
    assert mine.keys() == other.keys()
    differ = {name for name in mine if mine[name] != other[name]}
    assert differ <= {"source", "notes"}


def test_a_pattern_of_text_is_read_into_memory_as_one_table(capsys, files):
    pattern, whole = (path.replace("parquet", "csv") for path in files)
    mine, other = (
        document(capsys, "topk", path, "-k", "3", *SAID) for path in (pattern, whole)
    )
    assert {name for name in mine if mine[name] != other[name]} <= {"source", "notes"}
    code, _, err = run(capsys, "topk", pattern, "-k", "2", "--engine", "duckdb", *SAID)
    assert code == 2
    assert "part-1.csv' is none" in err


def test_what_left_the_engine_is_in_the_notes(capsys, files):
    asked = ("-k", "2", "--eps", "0.01", "--json", "--engine", "duckdb", *SAID)
    code, out, _ = run(capsys, "audit", files[0], *asked)
    assert code == 0
    assert "brought back from duckdb" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--engine", "hadoop"], "there is no engine called 'hadoop'"),
        (
            ["--engine", "spark", "--memory-limit", "1GB"],
            "goes with DuckDB alone",
        ),
        (
            ["--engine", "duckdb", "--memory-limit", "much"],
            "DuckDB does not take these settings",
        ),
        (
            ["--engine", "duckdb", "--encoding", "latin-1"],
            "without encoding",
        ),
    ],
)
def test_wrong_options(capsys, files, words, message):
    code, _, err = run(capsys, "topk", files[0], "-k", "2", *SAID, *words)
    assert code == 2
    assert message in err


def test_standard_input_is_for_memory(capsys):
    code, _, err = run(capsys, "topk", "-", "-k", "2", "--engine", "duckdb", *SAID)
    assert code == 2
    assert "goes with a path" in err

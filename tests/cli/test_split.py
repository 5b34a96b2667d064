"""--split: each category by itself on the command line, in every form, with exit codes that tell."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank import read_any
from steadyrank.study.study import Study

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Any]

STEADY = [("a", 9), ("b", 5), ("c", 2)]
CLOSE = [("a", 9), ("b", 5), ("c", 5)]
"""Votes for each; of the second the top 2 hangs on single votes."""


@pytest.fixture
def polls(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes the votes of some cities."""

    def write(name: str = "poll.csv", **cities: list[tuple[str, int]]) -> Path:
        rows = [(item, n, city) for city, votes in cities.items() for item, n in votes]
        path = tmp_path / name
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([("choice", "count", "city"), *rows])
        return path

    return write


@pytest.mark.parametrize(
    ("cities", "code", "word"),
    [
        ({"u": STEADY, "v": STEADY}, 0, "STABLE"),
        ({"u": STEADY, "v": CLOSE}, 1, "UNSTABLE"),
        ({"u": STEADY, "v": [("a", 3)]}, 2, "NO VERDICT"),
        ({"u": CLOSE, "v": [("a", 3)]}, 1, "UNSTABLE"),
    ],
)
def test_a_gate_tells_unstable_from_no_answer(
    run: Command, polls: Any, cities: Any, code: int, word: str
) -> None:
    path = polls(**cities)
    done = run("check", path, "-k", 2, "--split", "city")
    assert (done.code, done.err) == (code, "")
    assert done.out.splitlines()[2].startswith(f"{word}: top 2, stable in ")
    found = run("check", path, "-k", 2, "--split", "city", "--json")
    assert (found.code, found.json["stable"]) == (
        code,
        {0: True, 1: False, 2: None}[code],
    )
    table = run("check", path, "-k", 2, "--split", "city", "--csv").out.splitlines()
    assert [line.split(",")[0] for line in table] == ["category", "", "u", "v"]


def test_each_category_is_what_its_rows_alone_say(run: Command, polls: Any) -> None:
    path = polls(u=STEADY, v=CLOSE)
    found = run("topk", path, "-k", 2, "--split", "city", "--json").json
    alone = polls("alone.csv", u=CLOSE)
    expected = run("topk", alone, "-k", 2, "--ignore", "city", "--json").json
    mine = found["categories"][2]["findings"]
    differ = {name for name in expected if mine[name] != expected[name]}
    assert differ == {"source"}
    whole = run("topk", path, "-k", 2, "--ignore", "city", "--json").json
    assert found["categories"][0]["findings"] == whole


def test_what_it_says_goes_to_the_summary_of_a_step(
    run: Command, polls: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    done = run("check", polls(u=STEADY, v=CLOSE), "-k", 2, "--split", "city")
    told = (tmp_path / "summary.md").read_text()
    first = "### UNSTABLE: top 2, stable in 1 of 2 categories, stable for all rows, `poll.csv`"
    assert told.splitlines()[1] == first
    assert done.out.splitlines()[2] == f"{first[4:].partition(', `')[0]}."
    assert "| `v` | 3 | 19 | UNSTABLE | 1 |" in told
    assert "| all rows | 3 | 35 | stable | 4 |" in told


def test_the_tables_of_the_categories_come_with_all(run: Command, polls: Any) -> None:
    path = polls(u=STEADY, v=CLOSE, w=STEADY)
    short, whole = (
        run("topk", path, "-k", 2, "--split", "city", *more).out
        for more in ([], ["--all"])
    )
    assert whole.startswith(short.rstrip())
    for city in "uvw":
        assert f"\n\n{city}\npoll.csv: votes, 3 items" in whole
    assert "a is sure of the top 2 in 3 of 3 categories." in short
    words = [line.split() for line in short.splitlines()]
    assert ["a", "3", "of", "3", "0", "of", "3", "sure", "●●●"] in words
    assert ["b", "2", "of", "3", "1", "of", "3", "sure", "●◐●"] in words


def test_two_files_are_compared_category_by_category(
    run: Command, polls: Any, tmp_path: Path
) -> None:
    old, new = (
        polls("old.csv", u=STEADY, v=CLOSE),
        polls("new.csv", u=STEADY[::-1], v=STEADY, w=CLOSE),
    )
    found = run("compare", old, new, "-k", 2, "--split", "city", "--json").json
    assert [(one["category"], one["problem"]) for one in found["categories"]] == [
        (None, None), ("u", None), ("v", None), ("w", "it is not in the old data."),
    ]  # fmt: skip
    assert found["categories"][1]["findings"]["new"]["source"] == "new.csv"
    assert (
        run("compare", old, new, "--split", "city", "-o", tmp_path / "moves.html").code
        == 0
    )
    assert "Category by category" in (tmp_path / "moves.html").read_text()


def test_a_report_has_a_page_for_each_and_its_table_shows_all_rows(
    run: Command, polls: Any, tmp_path: Path
) -> None:
    path, page, table = (
        polls(u=STEADY, v=CLOSE),
        tmp_path / "page.html",
        tmp_path / "table.html",
    )
    done = run("report", path, "--split", "city", "-o", page, "--table", table)
    assert (done.code, done.err) == (0, "")
    assert page.read_text().count("<template>") == 3
    alone = tmp_path / "alone.html"
    run("report", path, "--ignore", "city", "-o", page, "--table", alone)
    assert table.read_text() == alone.read_text()


def test_an_engine_refuses_by_name(run: Command, polls: Any) -> None:
    path = polls(u=STEADY, v=CLOSE)
    done = run("topk", path, "-k", 2, "--split", "city", "--engine", "duckdb")
    assert done.code == 2
    assert (
        "engines cannot split rows by a column. This needs the data in memory"
        in done.err
    )


def test_there_is_advice_where_a_league_cannot_be_ranked(
    run: Command, tmp_path: Path
) -> None:
    rows = [
        "left,right,winner,league",
        *["x,y,left,a", "y,x,left,a", "x,z,left,a", "z,x,left,a"] * 2,
    ]
    rows += ["x,y,left,b", "y,z,left,b", "x,z,left,b"]
    path = tmp_path / "games.csv"
    path.write_text("\n".join(rows) + "\n")
    found = run("topk", path, "-k", 1, "--split", "league", "--json").json
    assert (
        "There is an answer with --scorer win-rate" in found["categories"][2]["problem"]
    )
    again = run(
        "topk", path, "-k", 1, "--split", "league", "--scorer", "win-rate", "--json"
    ).json
    assert [one["problem"] for one in again["categories"]] == [None, None, None]
    assert json.loads(json.dumps(again)) == again


def test_a_report_asks_for_the_usual_k_of_all_rows(
    run: Command, polls: Any, tmp_path: Path
) -> None:
    many = [(f"i{n}", 50 - n) for n in range(9)]
    path = polls(u=many, v=many[:7])
    assert (
        run("report", path, "--split", "city", "-o", tmp_path / "page.html").code == 0
    )
    with path.open() as file:
        rows = list(csv.DictReader(file))
    whole = Study(read_any({name: [row[name] for row in rows] for name in ("choice",)}))
    assert len(whole.items) == 9
    assert (tmp_path / "page.html").read_text().count('"k": 4,') >= 3


def test_an_empty_category_says_so_in_markdown(run: Command, polls: Any) -> None:
    told = run(
        "check", polls(u=STEADY, v=[("a", 3)]), "-k", 2, "--split", "city", "--markdown"
    )
    assert (told.code, "| `v` | no answer |  |  |  |" in told.out) == (2, True)

"""--split: each category by itself on the command line, in every form, with exit codes that tell."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Any]

STEADY = [("a", 9), ("b", 5), ("c", 2)]
BY_CITY = ("--choice", "choice", "--count", "count", "--split", "city")
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
    done = run("check", path, "-k", 2, *BY_CITY)
    assert (done.code, done.err) == (code, "")
    assert done.out.splitlines()[1].startswith(f"{word}: top 2, stable in ")
    found = run("check", path, "-k", 2, *BY_CITY, "--json")
    assert (found.code, found.json["stable"]) == (
        code,
        {0: True, 1: False, 2: None}[code],
    )
    table = run("check", path, "-k", 2, *BY_CITY, "--csv").out.splitlines()
    assert [line.split(",")[0] for line in table] == ["category", "", "u", "v"]


def test_each_category_is_what_its_rows_alone_say(run: Command, polls: Any) -> None:
    path = polls(u=STEADY, v=CLOSE)
    found = run("topk", path, "-k", 2, *BY_CITY, "--json").json
    roles = ("--choice", "choice", "--count", "count", "--json")
    alone = polls("alone.csv", u=CLOSE)
    expected = run("topk", alone, "-k", 2, *roles).json
    mine = found["categories"][2]["findings"]
    assert {name for name in expected if mine[name] != expected[name]} == {"source"}
    whole = run("topk", path, "-k", 2, *roles).json
    assert found["categories"][0]["findings"] == whole
    content = path.read_bytes()
    assert run("topk", "-", "-k", 2, *BY_CITY, "--csv", stdin=content).out == (
        run("topk", path, "-k", 2, *BY_CITY, "--csv").out
    )


def test_rows_are_chosen_by_a_query_first(run: Command, polls: Any) -> None:
    path = polls(u=STEADY, v=CLOSE, w=CLOSE)
    query = "SELECT * FROM data WHERE city <> 'w';"
    found = run("topk", path, "-k", 2, *BY_CITY, "--sql", query, "--json").json
    assert [one["category"] for one in found["categories"]] == [None, "u", "v"]


def test_a_wide_table_is_split_by_a_column_that_is_no_item(run: Command) -> None:
    rows = [f"t{n},{'de' if n % 2 else 'en'},{n % 5},{n % 3}" for n in range(20)]
    table = "\n".join(["task,lang,a,b", *rows]).encode()
    words = ("topk", "-", "--wide", "--unit", "task", "--split", "lang", "-k", 1)
    found = run(*words, "--json", stdin=table).json
    assert [one["category"] for one in found["categories"]] == [None, "de", "en"]
    for one in found["categories"]:
        scores = {row["item"]: row["score"] for row in one["findings"]["rows"]}
        mine = [
            row.split(",")
            for row in rows
            if one["category"] in {None, row.split(",")[1]}
        ]
        assert scores == {
            "a": pytest.approx(sum(int(row[2]) for row in mine) / len(mine)),
            "b": pytest.approx(sum(int(row[3]) for row in mine) / len(mine)),
        }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--split", "ctiy"), "there is no column 'ctiy' for the split. Did you mean"),
        (("--split", "choice"), "'choice' cannot be both the split and the choice"),
        (
            ("--split", "many"),
            "column 'many' has 60 values, more than the 50 categories",
        ),
    ],
)
def test_columns_that_cannot_split(
    run: Command, words: tuple[str, ...], message: str
) -> None:
    rows = [f"{'ab'[n % 2]},u,{n}" for n in range(60)]
    table = "\n".join(["choice,city,many", *rows]).encode()
    found = run("topk", "-", "-k", 1, "--choice", "choice", *words, stdin=table)
    assert (found.code, found.out) == (2, "")
    assert message in found.err


def test_numbers_come_first_and_blanks_are_a_category(run: Command) -> None:
    years = ["2021", "10", "9", "", "no year", "b"]
    rows = [f"{item},{year}" for year in years for item in "aab"]
    table = "\n".join(["choice,year", *rows]).encode()
    words = ("topk", "-", "-k", 1, "--choice", "choice", "--split", "year", "--json")
    found = run(*words, stdin=table).json
    assert [one["category"] for one in found["categories"]] == [
        None, "9", "10", "2021", "b", "no year", "(no year)",
    ]  # fmt: skip
    assert found["notes"] == ["3 rows without a year: the category '(no year)'"]


def test_what_it_says_goes_to_the_summary_of_a_step(
    run: Command, polls: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    done = run("check", polls(u=STEADY, v=CLOSE), "-k", 2, *BY_CITY)
    told = (tmp_path / "summary.md").read_text()
    first = "### UNSTABLE: top 2, stable in 1 of 2 categories, stable for all rows, `poll.csv`"
    assert told.splitlines()[1] == first
    assert done.out.splitlines()[1] == f"{first[4:].partition(', `')[0]}."
    assert "| `v` | 3 | 19 | UNSTABLE | 1 |" in told
    assert "| all rows | 3 | 35 | stable | 4 |" in told


def test_the_tables_of_the_categories_come_with_all(run: Command, polls: Any) -> None:
    path = polls(u=STEADY, v=CLOSE, w=STEADY)
    short, whole = (
        run("topk", path, "-k", 2, *BY_CITY, *more).out for more in ([], ["--all"])
    )
    assert whole.startswith(short.rstrip())
    for city in "uvw":
        assert f"\n\n{city}\npoll.csv: votes, 3 choices" in whole
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
    found = run("compare", old, new, "-k", 2, *BY_CITY, "--json").json
    assert [(one["category"], one["problem"]) for one in found["categories"]] == [
        (None, None), ("u", None), ("v", None), ("w", "it is not in the old data."),
    ]  # fmt: skip
    assert found["categories"][1]["findings"]["new"]["source"] == "new.csv"
    assert run("compare", old, new, *BY_CITY, "-o", tmp_path / "moves.html").code == 0
    assert "Category by category" in (tmp_path / "moves.html").read_text()


def test_a_report_has_a_page_for_each(run: Command, polls: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run("report", polls(u=STEADY, v=CLOSE), *BY_CITY, "-o", page)
    assert (done.code, done.err) == (0, "")
    assert page.read_text().count("<template>") == 3


def test_a_league_that_cannot_be_ranked_says_why(run: Command) -> None:
    rows = ["x,y,left,a", "y,x,left,a", "x,z,left,a", "z,x,left,a"] * 2
    rows += ["x,y,left,b", "y,z,left,b", "x,z,left,b"]
    table = "\n".join(["left,right,winner,league", *rows]).encode()
    roles = ("--left", "left", "--right", "right", "--winner", "winner")
    words = ("topk", "-", *roles, "-k", 1, "--split", "league", "--json")
    found = run(*words, stdin=table).json
    assert "--scorer" in found["categories"][2]["problem"]
    again = run(*words, "--scorer", "win-rate", stdin=table).json
    assert [one["problem"] for one in again["categories"]] == [None, None, None]


def test_each_category_has_the_usual_k_of_all_rows(run: Command, polls: Any) -> None:
    many = [(f"i{n}", 50 - n) for n in range(9)]
    found = run("topk", polls(u=many, v=many[:7]), *BY_CITY, "--json").json
    assert [one["findings"]["k"] for one in found["categories"]] == [4, 4, 4]


def test_an_empty_category_says_so_in_markdown(run: Command, polls: Any) -> None:
    told = run("check", polls(u=STEADY, v=[("a", 3)]), "-k", 2, *BY_CITY, "--markdown")
    assert (told.code, "| `v` | no answer |  |  |  |" in told.out) == (2, True)

"""Each command says what the library computes, in every form."""

from __future__ import annotations

import csv
import gzip
import io
import json
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank import Study
from steadyrank.study.study import with_names

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Any]

RATINGS = {"item": "restaurant", "rating": "stars", "unit": "reviewer"}


@pytest.fixture
def study(restaurants: Any) -> Study:
    return with_names(Study(restaurants[0], **RATINGS))


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_topk_tells_the_story(run: Command, restaurants: Any, study: Study) -> None:
    answer = study.topk(5)
    found = run("topk", *restaurants, "-k", 5)
    assert (found.code, found.err) == (0, "")
    lines = found.out.splitlines()
    assert lines[0].startswith(
        "restaurants.csv: ratings, 20 restaurants, 180 reviewers, "
    )
    for sign, names in {"●": answer.sure, "◐": answer.contenders}.items():
        rows = [line for line in lines if line.startswith(f" {sign} ")]
        told = [line for line in rows if ":" not in line]
        assert len(told) == len(names)
        assert all(str(name) in line for name, line in zip(names, told, strict=True))
    assert answer.findings()["headline"] in found.said
    assert answer.certificate.promise in found.said
    verbose = run("topk", *restaurants, "-k", 5, "-v").said
    assert answer.certificate.sentence in verbose


@pytest.mark.parametrize(
    ("n_items", "k"), [(1, 1), (2, 1), (7, 3), (19, 9), (20, 10), (45, 10)]
)
def test_without_a_k_it_is_10_or_half_of_few_items_and_the_first_line_says_so(
    run: Command, n_items: int, k: int
) -> None:
    votes = "".join(f"item {n:02}\n" * (2 * n + 2) for n in range(n_items))
    table = f"vote\n{votes}".encode()
    found = run("-", "--choice", "vote", stdin=table)
    assert (found.code, found.err) == (0, "")
    chosen = f", top {k} as no -k was given"
    assert chosen in found.said
    said = run("-", "--choice", "vote", "-k", k, stdin=table).said
    assert found.said.replace(chosen, "") == said
    document = run("topk", "-", "--choice", "vote", "--json", stdin=table).json
    assert (document["k"], document["n_items"]) == (k, n_items)


def test_rank_agrees_with_the_library(run: Command, benchmark: Path) -> None:
    answer = Study(benchmark).ranking()
    found = run("rank", benchmark)
    assert (found.code, found.err) == (0, "")
    places = [found.out.index(str(item)) for item in answer.ranking]
    assert places == sorted(places)
    assert answer.findings()["headline"] in found.said
    rows = run("rank", benchmark, "--json").json["rows"]
    assert [(row["item"], row["best_rank"], row["worst_rank"]) for row in rows] == [
        (row.item, row.best_rank, row.worst_rank) for row in answer.rows()
    ]


def test_rank_with_confidence_agrees_with_the_library(
    run: Command, benchmark: Path
) -> None:
    for words, level in (((), 0.95), ((0.8,), 0.8)):
        found = run("rank", benchmark, "--json", "--confidence", *words).json
        expected = Study(benchmark).confidence(level)
        assert found == expected.findings(source="benchmark.csv")
    assert found["document"] == "confidence"
    text = run("rank", benchmark, "--confidence").out
    assert "Stability is another question" in " ".join(text.split())


def test_audit_agrees_with_the_library(run: Command, battles: Path) -> None:
    words = ("audit", battles, "-k", "2,3", "--eps", 0.02, "--unit", "judge")
    found = run(*words, "--json").json
    expected = Study(battles, unit="judge").audit([2, 3], eps=0.02)
    names = ("method", "k", "delta", "size")
    assert [tuple(row[name] for name in names) for row in found["audit"]] == [
        tuple(getattr(row, name) for name in names) for row in expected.table
    ]
    assert found["unit"] == "judge"
    assert len(rows_of(run(*words, "--csv").out)) == len(found["audit"])


def test_audit_shows_which_units_change_the_top(run: Command, restaurants: Any) -> None:
    found = run("audit", *restaurants, "-k", "5")
    assert "Ivy Court drops out, Saltmarsh comes in." in found.said
    assert found.out.count("\nTop 5 without ") == 3
    usual = run("audit", *restaurants, "--json").json["audit"]
    assert {row["k"] for row in usual} - {None} == {10}


def test_explain_an_item_agrees_with_the_library(run: Command, benchmark: Path) -> None:
    expected = Study(benchmark).explain(2, "GaussNet")
    found = run("explain", benchmark, "GaussNet", "-k", 2)
    assert (found.code, found.err) == (0, "")
    assert expected.sentence in found.said
    rival = f"Rival {expected.rivals[0].item} (rank 2), difference"
    assert rival in found.said
    rows = rows_of(run("explain", benchmark, "GaussNet", "-k", 2, "--csv").out)
    assert [float(row["contribution"]) for row in rows] == [
        row["contribution"] for row in expected.rows()
    ]
    own = run("explain", benchmark, "GaussNet", "--json").json
    assert (own["k"], own["rank"], own["inside"]) == (4, 4, True)


def test_an_item_is_found_by_its_text(run: Command) -> None:
    table = b"vote\n7\n7\n7\n8\n8\n"
    found = run("explain", "-", "8", "--choice", "vote", "--json", stdin=table)
    assert found.json["rank"] == 2
    wrong = run("explain", "-", "9", "--choice", "vote", stdin=table)
    assert (wrong.code, wrong.out) == (2, "")
    assert "there is no item '9'. The items are 7, 8." in wrong.err


def test_a_misspelt_item_gets_the_nearest_name(run: Command, benchmark: Path) -> None:
    wrong = run("explain", benchmark, "GausNet")
    assert (wrong.code, wrong.out) == (2, "")
    assert "there is no item 'GausNet'. Did you mean GaussNet?" in wrong.err


VOTES = {"ann": 7, "bob": 5, "cyd": 3, "dee": 1}


def fewest_votes(k: int) -> int:
    """Return how many votes must go before the top k is another, by trying all ways."""
    best = set([*VOTES][:k])
    numbers = []
    for left in product(*(range(count + 1) for count in VOTES.values())):
        ranked = sorted(VOTES, key=lambda name: (-left[[*VOTES].index(name)], name))
        if any(left) and set(ranked[:k]) != best:
            numbers.append(sum(VOTES.values()) - sum(left))
    return min(numbers)


def test_explain_without_an_item_says_what_trying_everything_says(
    run: Command,
) -> None:
    rows = "".join(f"{name},{n}\n" for name, n in VOTES.items())
    words = ("explain", "-", "--choice", "choice", "--count", "count")
    table = f"choice,count\n{rows}".encode()
    for k in (1, 2, 3):
        truth = fewest_votes(k)
        found = run(*words, "-k", k, "--json", stdin=table).json
        assert (found["lower"], found["upper"], found["exact"]) == (truth, truth, True)
        assert found["units_removed"]["units"] == truth
        told = run(*words, "-k", k, stdin=table).said
        assert f"{truth} of the 16 votes" in told
        gate = ("check", *words[1:], "-k", k, "--min-margin")
        assert run(*gate, truth, "--max-delta", 0.99, stdin=table).code == 0
        assert run(*gate, truth + 1, "--max-delta", 0.99, stdin=table).code == 1
    assert run(*words, "--json", stdin=table).json["k"] == 2


@pytest.mark.parametrize(
    ("options", "code", "word"),
    [((), 1, "UNSTABLE: top 4"), (("--max-delta", 0.5), 0, "STABLE: top 4")],
)
def test_check_is_a_gate(
    run: Command, benchmark: Path, options: tuple[object, ...], code: int, word: str
) -> None:
    found = run("check", benchmark, "-k", 4, *options)
    assert found.code == code
    assert found.out.startswith(word)
    (row,) = rows_of(run("check", benchmark, "-k", 4, *options, "--csv").out)
    assert (row["k"], row["stable"]) == ("4", "false" if code else "true")


def test_an_answer_that_never_changes_has_margin_enough(
    run: Command, benchmark: Path
) -> None:
    found = run("check", benchmark, "-k", 12, "--min-margin", 1000)  # of 48 rows
    assert found.code == 0
    assert "No removal changes it; 1,000 asked for: enough." in found.out


def test_only_what_would_pass_is_said_to(run: Command, benchmark: Path) -> None:
    asked = ("check", benchmark, "-k", 4)
    kept = "A list of 5 items would keep within the share allowed: add DeepLinear."
    assert kept in run(*asked, "--min-margin", 40).out
    assert "A list of 5 items would pass: add DeepLinear." in run(*asked).out


def test_report_is_written_and_said(
    run: Command, restaurants: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "page.html"
    found = run("report", *restaurants, "-o", target, "-k", 4)
    assert found.code == 0
    told = f"Wrote the report of the top 4 of 20 restaurants to {target}"
    assert found.said == told
    assert str(target) in found.out  # whole, to be copied
    assert "<title>" in target.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("report", *restaurants, "-q").out == ""
    assert {path.name for path in tmp_path.iterdir()} == {"page.html", "report.html"}
    assert '"k": 10,' in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input(run: Command, restaurants: Any, packed: bool) -> None:
    path, *roles = restaurants
    content = path.read_bytes()
    data = gzip.compress(content) if packed else content
    found = run("topk", "-", *roles, "-k", 5, stdin=data)
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith(
        "standard input: ratings, 20 restaurants, 180 reviewers, "
    )
    named = run("topk", path, *roles, "-k", 5)
    assert found.out.splitlines()[2:] == named.out.splitlines()[2:]
    assert run("topk", "-", *roles, "--json", stdin=data).json["source"] == "-"


SETTINGS: list[dict[str, Any]] = [
    {"delta": 0},
    {"eps": 0.5},
    {"removals": 3},
    {"eps": 0.01, "delta": 0.1},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_settings_reach_the_library(
    run: Command, benchmark: Path, settings: dict[str, Any]
) -> None:
    words = [word for name, value in settings.items() for word in (f"--{name}", value)]
    found = run("topk", benchmark, "-k", 4, *words, "--json")
    if len(settings) > 1:
        assert found.code == 2
        assert "Omit --delta ... or --eps ..." in found.err
        return
    answer = Study(benchmark).topk(4, **settings)
    assert found.json["eps"] == answer.eps
    assert found.json["certificate"]["status"] == answer.certificate.status
    assert [row["item"] for row in found.json["rows"] if row["listed"]] == [
        *answer.members
    ]


def test_a_scorer_and_what_is_proved(run: Command, benchmark: Path) -> None:
    words = ("topk", benchmark, "-k", 4, "--scorer", "mean:value_range=0..1")
    found = run(*words, "--proved", "--json").json
    assert found["certificate"]["status"] == "proved"
    assert "value" in found["scorer"] or "mean" in found["scorer"]
    assert run("topk", benchmark, "-k", 4, "--proved").code == 2  # no range is known


def test_few_observations_can_be_left_out(run: Command) -> None:
    rows = ["x,y,left"] * 30 + ["y,x,left"] * 25 + ["z,y,left"] * 6 + ["y,z,left"] * 2
    table = ("left,right,winner\n" + "\n".join(rows) + "\n").encode()
    roles = ("--left", "left", "--right", "right", "--winner", "winner")
    words = ("topk", "-", *roles, "-k", 1)
    assert len(run(*words, "--json", stdin=table).json["rows"]) == 3
    kept = run(*words, "--min-count", 9, "--json", stdin=table).json
    assert [row["item"] for row in kept["rows"]] == ["x", "y"]
    note = "1 item with fewer than 9 battles is left out"
    assert any(note in one for one in kept["notes"])
    assert run(*words, "--min-count", 0, stdin=table).code == 2


def test_sql_and_another_table_reach_the_reader(run: Command, tmp_path: Path) -> None:
    votes, names = tmp_path / "votes.csv", tmp_path / "names.csv"
    votes.write_text("id,lang\n1,de\n1,de\n2,de\n2,en\n2,en\n2,en\n")
    names.write_text("id,name\n1,ann\n2,bob\n")
    query = "SELECT name FROM data JOIN names USING (id) WHERE lang = 'de'"
    words = ("--sql", query, "--table", f"names={names}", "--choice", "name")
    found = run("topk", votes, *words, "-k", 1, "--json").json
    counts = {row["item"]: row["count"] for row in found["rows"]}
    assert counts == {"ann": 2, "bob": 1}
    assert found["reading"]["roles"] == {"choice": "name"}


def test_an_engine_gives_the_same(
    run: Command, restaurants: Any, tmp_path: Path
) -> None:
    duckdb = pytest.importorskip("duckdb")
    path, *roles = restaurants
    older, newer = tmp_path / "older.parquet", tmp_path / "newer.parquet"
    rows = duckdb.read_csv(str(path))
    rows.limit(1100).write_parquet(str(older))
    rows.write_parquet(str(newer))
    for words in (("topk", newer, "-k", 5), ("compare", older, newer, "-k", 5)):
        one = run(*words, *roles, "--csv")
        other = run(*words, *roles, "--csv", "--engine", "duckdb")
        assert (one.code, other.code, other.err) == (0, 0, "")
        assert one.out == other.out


def test_what_was_skipped_is_said_in_one_line(run: Command) -> None:
    table = b"vote\nann\nann\nbob\n\nann\n"
    found = run(
        "topk", "-", "--choice", "vote", "-k", 1, stdin=b"id,vote\n1,a\n2,\n3,a\n4,b\n"
    )
    assert "Skipped 1 of 4 rows with a blank cell, the first in" in found.said
    document = run("topk", "-", "--choice", "vote", "-k", 1, "--json", stdin=table)
    assert json.dumps(document.json["reading"])

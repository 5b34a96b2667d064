"""Each command says what the library computes, and exits with the code it promises."""

from __future__ import annotations

import csv
import gzip
import io
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank import Battles, Ratings, ScoreMatrix, Study

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Any]


def test_topk_tells_the_story(run: Command, restaurants: Path) -> None:
    answer = Study(Ratings.read(restaurants)).topk(5)
    found = run("topk", restaurants, "-k", 5)
    assert (found.code, found.err) == (0, "")
    signs = {"●": answer.sure, "◐": answer.contenders}
    for sign, names in signs.items():
        lines = [
            line
            for line in found.out.splitlines()
            if line.startswith(f" {sign} ") and ":" not in line
        ]
        assert len(lines) == len(names)
        assert all(name in line for name, line in zip(names, lines, strict=True))
    assert answer.findings()["headline"] in " ".join(found.out.split())
    said = " ".join(found.out.split())
    guessed = "'reviewer' as the user (--user); 'restaurant' as the item (--item)"
    assert (
        f"Read as ratings (change with --kind); {guessed}; 'stars' as the score (--score)"
        in said
    )
    assert answer.certificate.promise in said
    verbose = " ".join(run("topk", restaurants, "-k", 5, "--verbose").out.split())
    assert answer.certificate.sentence in verbose


def test_next_in_line_shows_the_eps_of_entry(run: Command, restaurants: Path) -> None:
    answer = Study(Ratings.read(restaurants)).topk(5)
    found = run("topk", restaurants, "-k", 5, "--verbose")
    (line,) = [line for line in found.out.splitlines() if "Eleven Spoons" in line]
    entry = answer.critical_eps[answer.items.index("Eleven Spoons")]
    assert f"{entry:.3g}" in line.split()


def test_rank_shows_every_item_in_order(run: Command, benchmark: Path) -> None:
    answer = Study(ScoreMatrix.read(benchmark)).ranking()
    found = run("rank", benchmark)
    assert found.code == 0
    places = [found.out.index(str(item)) for item in answer.ranking]
    assert places == sorted(places)
    assert answer.findings()["headline"] in " ".join(found.out.split())


def test_rank_agrees_with_the_intervals(run: Command, benchmark: Path) -> None:
    rows = run("rank", benchmark, "--json").json["rows"]
    answer = Study(ScoreMatrix.read(benchmark)).ranking()
    assert [(row["item"], row["best_rank"], row["worst_rank"]) for row in rows] == [
        (row.item, row.best_rank, row.worst_rank) for row in answer.rows()
    ]


def test_audit_agrees_with_the_library(run: Command, battles: Path) -> None:
    found = run(
        "audit", battles, "-k", "2,3", "--eps", 0.02, "--unit", "judge", "--json"
    )
    expected = Study(Battles.read(battles, unit="judge")).audit(k=[2, 3], eps=0.02)
    assert [
        (row["method"], row["k"], row["delta"], row["size"])
        for row in found.json["audit"]
    ] == [(row.method, row.k, row.delta, row.size) for row in expected.table]
    assert found.json["unit"] == "judge"


def test_audit_shows_who_flips(run: Command, restaurants: Path) -> None:
    found = run("audit", restaurants, "-k", "5")
    assert "Ivy Court drops out, Saltmarsh comes in." in " ".join(found.out.split())
    assert found.out.count("\nTop 5 without ") == 3


def test_explain_agrees_with_the_library(run: Command, benchmark: Path) -> None:
    expected = Study(ScoreMatrix.read(benchmark)).explain(2, "GaussNet")
    found = run("explain", benchmark, "GaussNet", "-k", 2)
    assert (found.code, found.err) == (0, "")
    assert expected.sentence in " ".join(found.out.split())
    assert f"Rival {expected.rivals[0].item} (rank 2), difference" in " ".join(
        found.out.split()
    )
    shown = [
        line.split() for line in found.out.partition("\nwithout ")[2].splitlines()[1:41]
    ]
    sizes = [abs(float(words[2])) for words in shown]
    assert sizes == sorted(sizes, reverse=True)
    assert "8 more not shown (--all shows them)." in found.out
    rows = list(
        csv.DictReader(
            io.StringIO(run("explain", benchmark, "GaussNet", "-k", 2, "--csv").out)
        )
    )
    assert [float(row["contribution"]) for row in rows] == [
        row["contribution"] for row in expected.rows()
    ]


def test_explain_takes_the_items_own_rank_where_no_k_is_given(
    run: Command, benchmark: Path
) -> None:
    found = run("explain", benchmark, "GaussNet", "--json").json
    assert (found["k"], found["rank"], found["inside"]) == (4, 4, True)
    wrong = run("explain", benchmark, "GausNet")
    assert (wrong.code, wrong.out) == (2, "")
    assert "there is no item 'GausNet'" in wrong.err


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


def test_check_as_csv(run: Command, benchmark: Path) -> None:
    found = run("check", benchmark, "-k", 4, "--csv")
    (row,) = csv.DictReader(io.StringIO(found.out))
    assert found.code == 1
    assert (row["k"], row["stable"]) == ("4", "false")


def test_report_is_written_and_said(
    run: Command, benchmark: Path, tmp_path: Path
) -> None:
    target = tmp_path / "page.html"
    found = run("report", benchmark, "-o", target, "-k", 4, "--title", "Methods")
    assert found.code == 0
    assert (
        found.out.split()
        == f"Wrote the report of the top 4 of 12 items to {target}".split()
    )
    assert str(target) in found.out  # whole, to be copied
    assert "<title>" in target.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_text_to_a_file(run: Command, benchmark: Path, tmp_path: Path) -> None:
    target = tmp_path / "top.txt"
    shown = run("topk", benchmark, "-k", 4).out
    assert run("topk", benchmark, "-k", 4, "-o", target).out == ""
    assert target.read_text(encoding="utf-8") == shown


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input(run: Command, restaurants: Path, packed: bool) -> None:
    content = restaurants.read_bytes()
    found = run(
        "topk", "-", "-k", 5, stdin=gzip.compress(content) if packed else content
    )
    assert found.code == 0
    assert found.out.startswith("standard input: ratings, 20 items, 180 users\n")


@pytest.mark.parametrize("options", [("--delta", 0), ("--eps", 0.5)])
def test_settings_reach_the_library(
    run: Command, benchmark: Path, options: tuple[Any, ...]
) -> None:
    settings = dict(
        zip([str(name)[2:] for name in options[::2]], options[1::2], strict=True)
    )
    answer = Study(ScoreMatrix.read(benchmark)).topk(4, **settings)
    found = run("topk", benchmark, "-k", 4, *options, "--json").json
    assert found["eps"] == answer.eps
    assert found["certificate"]["status"] == answer.certificate.status


def test_a_scorer_with_settings(run: Command, benchmark: Path) -> None:
    found = run(
        "topk",
        benchmark,
        "-k",
        4,
        "--scorer",
        "column-means:value_range=0..1",
        "--proved",
    )
    assert found.code == 0
    said = " ".join(found.out.split())
    assert (
        "Proved: remove any one row, and the new plain top 4 is inside this list"
        in said
    )


def test_long_sections_are_shortened_unless_all_is_asked_for(
    run: Command, tmp_path: Path
) -> None:
    file = tmp_path / "votes.csv"
    rows = (f"item {number:03d},{1000 - 3 * number}" for number in range(120))
    file.write_text("choice,count\n" + "\n".join(rows) + "\n", encoding="utf-8")
    short = run("topk", file, "-k", 90).out
    full = run("topk", file, "-k", 90, "--all").out
    assert "item 040" not in short
    assert "and 80 more (--all shows them)" in short
    assert all(f"item {number:03d}" in full for number in range(120))
    assert "--all" not in full


def test_version_and_overview(run: Command) -> None:
    assert run("--version").out.startswith("steadyrank ")
    overview = run("--help")
    assert overview.code == 0
    assert run().out == overview.out
    for name in ("topk", "rank", "audit", "check", "report", "demo"):
        assert f"\n  {name} " in overview.out
        assert run(name, "--help").code == 0


def test_a_report_brings_a_table(
    run: Command, restaurants: Path, tmp_path: Path
) -> None:
    page, table = tmp_path / "page.html", tmp_path / "table.html"
    asked = ("report", restaurants, "-k", 5)
    assert run(*asked, "-o", page, "--table", table).code == 0
    text = table.read_text(encoding="utf-8")
    assert "Ivy Court" in text
    assert "<script" not in text
    other = tmp_path / "2.html"
    wrong = run(*asked, "--table", tmp_path / "table.txt", "-o", other)
    assert wrong.code == 2
    assert "ends in .txt, but the result is html" in wrong.err
    for path in (other, tmp_path / "none" / "table.html"):
        assert run(*asked, "-o", other, "--table", path).code == 2
    assert not other.exists()  # nothing is written where one part cannot be


def test_few_observations_are_named_and_can_be_left_out(
    run: Command, tmp_path: Path
) -> None:
    file = tmp_path / "battles.csv"
    rows = ["x,y,left"] * 30 + ["y,x,left"] * 25 + ["z,y,left"] * 6 + ["y,z,left"] * 2
    file.write_text("left,right,winner\n" + "\n".join(rows) + "\n", encoding="utf-8")
    found = run("topk", file, "-k", 1)
    said = " ".join(found.out.split())
    assert "z (8 of 63)" in said
    kept = run("topk", file, "-k", 1, "--min-count", 9, "--json").json
    assert [row["item"] for row in kept["rows"]] == ["x", "y"]
    assert kept["warnings"] == []
    assert any(
        "1 item with fewer than 9 battles is left out" in note for note in kept["notes"]
    )
    assert run("topk", file, "-k", 1, "--min-count", 0).code == 2


def test_a_column_that_could_be_the_unit_is_suggested(
    run: Command, battles: Path
) -> None:
    found = run("topk", battles, "-k", 3)
    assert "Column 'judge' (40 values) was not used." in " ".join(found.out.split())
    assert "(--unit judge)" in found.out
    assert (
        run("topk", battles, "-k", 3, "--unit", "judge", "--json").json["suggestions"]
        == []
    )


def test_an_election_by_instant_runoff(run: Command, tmp_path: Path) -> None:
    path = tmp_path / "ballots.csv"
    path.write_text(
        "ballot,count\nann > cid,6\nbob > cid,5\ncid > bob,3\ncid > ann,2\n"
    )
    found = run("topk", path, "--scorer", "instant-runoff", "-k", 1)
    assert (found.code, found.err) == (0, "")
    said = " ".join(found.out.split())
    assert "scores: instant-runoff round" in said
    told = "First place hangs on single ballots: remove any one of 7 of the 16, and bob or cid replaces"
    assert f"{told} ann." in said

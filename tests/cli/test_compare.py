"""``steadyrank compare``: two files, one way of reading, every form of the result."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank import Study
from steadyrank.demo import demo_file
from steadyrank.report.export import COLUMNS
from steadyrank.text import columns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Command = Callable[..., Any]


VOTE = ("--choice", "vote")


@pytest.fixture
def files() -> Iterator[tuple[Path, Path]]:
    with demo_file("benchmark.csv") as old, demo_file("benchmark_next.csv") as new:
        yield old, new


def test_the_first_lines_name_both_files_and_answer(
    run: Command, files: tuple[Path, Path]
) -> None:
    found = run("compare", *files, "-k", 4)
    assert (found.code, found.err) == (0, "")
    lines = found.out.splitlines()
    assert lines[0].startswith("benchmark.csv: scores, 12 items, 48 tasks")
    assert any(line.startswith("benchmark_next.csv: scores, 12") for line in lines[:5])
    said = " ".join(found.out.split())
    old, new = files
    answer = Study(old).compare(new, 4)
    assert answer.sentence in said
    assert all(sentence in said for sentence in answer.findings()["sentences"])
    assert "no test of significance" in said


@pytest.mark.parametrize("width", [40, 60, 100])
def test_it_fits_the_terminal(
    run: Command, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run("compare", *files).out.splitlines()
    assert max(map(columns_of, lines)) <= width
    assert any(re.search(r"KernelMix.* beyond", line) for line in lines)


def test_json_and_csv_hold_every_item(
    run: Command, files: tuple[Path, Path], tmp_path: Path
) -> None:
    found = run("compare", *files, "-k", 4, "--json").json
    assert (found["document"], found["source"], found["new"]["source"]) == (
        "comparison", "benchmark.csv", "benchmark_next.csv"
    )  # fmt: skip
    assert (found["n_items"], found["n_common"], len(found["rows"])) == (12, 11, 13)
    table = list(csv.DictReader(io.StringIO(run("compare", *files, "--csv").out)))
    assert list(table[0]) == list(COLUMNS["comparison"])
    assert [row["verdict"] for row in table] == [
        row["verdict"] for row in found["rows"]
    ]
    assert run("compare", *files, "-o", tmp_path / "moves.json").out == ""
    assert (
        json.loads((tmp_path / "moves.json").read_text())["headline"]
        == found["headline"]
    )


def test_a_page_is_written_by_its_ending(
    run: Command, files: tuple[Path, Path], tmp_path: Path
) -> None:
    page = tmp_path / "moves.html"
    assert run("compare", *files, "-o", page).code == 0
    assert (
        Study(files[0]).compare(files[1]).sentence.replace("'", "&#x27;")
        in page.read_text()
    )
    assert run("compare", *files, "-o", tmp_path / "moves.pdf").code == 2


def test_a_move_is_no_failure_and_the_same_file_moves_nothing(
    run: Command, files: tuple[Path, Path]
) -> None:
    found = run("compare", files[0], files[0])
    assert found.code == 0
    assert "Nothing moved: 12 shared items" in found.out
    assert "\n\n\n" not in found.out


def test_what_was_skipped_in_the_new_file_is_said(
    run: Command, files: tuple[Path, Path], tmp_path: Path
) -> None:
    first, *rows = files[0].read_text().splitlines(keepends=True)
    cells = rows[0].split(",")
    (tmp_path / "gap.csv").write_text(
        first + ",".join([cells[0], "", *cells[2:]]) + "".join(rows[1:])
    )
    found = run("compare", files[0], tmp_path / "gap.csv")
    assert found.code == 0, found.err
    assert found.said.count("Skipped 1 of 576 cells that are blank") == 1


def test_options_apply_to_both_files(
    run: Command, battles: Path, tmp_path: Path
) -> None:
    newer = tmp_path / "newer.csv"
    newer.write_text("".join(battles.read_text().splitlines(keepends=True)[:700]))
    found = run("compare", battles, newer, "--unit", "judge", "--json").json
    assert (found["unit"], found["new"]["unit"]) == ("judge", "judge")
    unjudged = tmp_path / "unjudged.csv"
    unjudged.write_text(newer.read_text().replace("judge\n", "person\n", 1))
    told = run("compare", battles, unjudged, "--unit", "judge")
    assert told.code == 2
    assert "unjudged.csv" in told.err


def test_files_of_two_kinds_are_one_message(
    run: Command, files: tuple[Path, Path], battles: Path
) -> None:
    found = run("compare", files[0], battles)
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert "of one kind" in found.err


def test_long_tables_show_those_that_moved(run: Command, tmp_path: Path) -> None:
    names = [f"item {place:02d}" for place in range(60)]
    for name, order in (("old", names), ("new", [names[1], names[0], *names[2:]])):
        votes = [
            item for place, item in enumerate(order) for _ in range(3 * (60 - place))
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["vote", *votes, ""]))
    files = (tmp_path / "old.csv", tmp_path / "new.csv")
    short, whole = (
        run("compare", *files, *VOTE, *more).out for more in ((), ("--all",))
    )
    assert "20 more not shown (--all shows them)." in short
    verdicts = [
        line.split()[-1] for line in short.partition(" verdict\n")[2].splitlines()[:40]
    ]
    assert verdicts[2:] == ["same"] * 38
    assert "same" not in verdicts[:2]
    assert all(name in whole for name in names)


def test_one_standard_input_is_not_two_files(run: Command) -> None:
    found = run("compare", "-", "-", "--choice", "vote", stdin=b"vote\nann\nann\nbob\n")
    assert found.code == 2
    assert found.err.count("\n") == 1
    assert "cannot both be standard input" in found.err


def test_what_is_wrong_with_new_is_said_of_new(run: Command, tmp_path: Path) -> None:
    paths = [tmp_path / name / "votes.csv" for name in ("old", "new")]
    for path, text in zip(paths, ("vote\nann\nann\nbob\n", ""), strict=True):
        path.parent.mkdir()
        path.write_text(text)
    assert run("compare", *paths, *VOTE).err.startswith(
        "steadyrank: NEW: votes.csv is empty"
    )
    assert "NEW" not in run("compare", *paths[::-1], *VOTE).err
    absent = run("compare", paths[0], tmp_path / "absent.csv", *VOTE)
    assert "NEW: there is no file" in absent.err
    target = tmp_path / "nowhere" / "moves.json"
    nowhere = run("compare", paths[0], paths[0], *VOTE, "-o", target)
    assert (nowhere.code, "NEW" in nowhere.err) == (2, False)


def test_names_do_not_steer_the_terminal(run: Command, tmp_path: Path) -> None:
    for name, votes in (
        ("old", "x\nx\nx\n\x1b[31mred\n"),
        ("new", "x\nx\nx\n\x1b[31mred\n\x1b[2Jnew\n"),
    ):
        (tmp_path / f"{name}.csv").write_text(f"vote\n{votes}")
    found = run("compare", tmp_path / "old.csv", tmp_path / "new.csv", *VOTE, "-k", 1)
    assert found.code == 0
    assert "\x1b" not in found.out
    assert "\\x1b[2Jnew" in found.out

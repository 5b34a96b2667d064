"""On a terminal a refusal asks which reading is meant, or for two columns; elsewhere it never does."""

from __future__ import annotations

import csv
import io
import json
import shlex
import sys
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank.cli import main

if TYPE_CHECKING:
    from pathlib import Path


class Typed(io.StringIO):
    """What somebody types on a terminal."""

    def isatty(self) -> bool:
        return True


def asked(
    file: Path,
    answer: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *more: str,
) -> tuple[int, str, Any]:
    command = ["topk", str(file), "-k", "1", *more]
    monkeypatch.setattr(sys, "stdin", Typed(f"{answer}\n"))
    monkeypatch.setattr(sys, "argv", ["steadyrank", *command])
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    code = main(command)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CI", raising=False)
    file = tmp_path / "mute.csv"
    file.write_text("name,x,y\nj,1,2\nk,3,1\nl,4,1\n")
    return file


def test_the_answer_is_taken_and_the_command_is_shown(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = asked(table, "1", monkeypatch, capsys)
    assert code == 0
    assert "Which one do you mean? 1/2" in err
    assert f"Next time: steadyrank topk {table} -k 1 --kind scores" in err
    assert "scores" in out


MANY = "lab,stage,kit,minutes,grade\n" + "".join(
    f"lab {lab},{'early' if turn < 3 else 'late'},{kit},{(5 * lab + 7 * turn + place) % 9},{place + 1}\n"
    for lab in range(4)
    for turn in range(6)
    for place, kit in enumerate(["plain", "fancy", "sturdy"])
)


@pytest.mark.parametrize(
    ("answers", "options", "best"),
    [
        ("kit\ngrade\n\n", "--item kit --score grade", "sturdy"),
        ("kit\nminutes\ny\n", "--item kit --score minutes --lower-is-better all", None),
        ("lab\n\n", "--choice lab", "lab 0"),
    ],
)
def test_two_columns_settle_what_is_ranked_and_by_what(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answers: str,
    options: str,
    best: str | None,
) -> None:
    monkeypatch.delenv("CI", raising=False)
    file = tmp_path / "kits.csv"
    file.write_text(MANY)
    code, out, err = asked(file, answers, monkeypatch, capsys)
    assert code == 0, err
    assert "or which column names what is ranked?" in err
    next_time = err.partition("Next time: steadyrank ")[2].splitlines()[0]
    assert options in next_time
    assert main(shlex.split(next_time)) == 0
    again = capsys.readouterr().out
    assert (
        again.partition("\x1b[1m")[2] == out.partition("\x1b[1m")[2]
    )  # but for what was guessed
    if best is None:  # the fewest minutes on average, counted from the text
        times: dict[str, list[int]] = {}
        for row in csv.DictReader(io.StringIO(MANY)):
            times.setdefault(row["kit"], []).append(int(row["minutes"]))
        best = min(times, key=lambda kit: sum(times[kit]) / len(times[kit]))
    assert best in out


def test_a_column_that_is_not_there_is_refused_by_name(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = asked(table, "nobody\nx\n\n", monkeypatch, capsys)
    assert (code, out) == (2, "")
    assert "'nobody'" in err


def test_anything_else_ends(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = asked(table, "", monkeypatch, capsys)
    assert (code, out) == (2, "")


@pytest.mark.parametrize("more", [("--json",), ("--csv",)])
def test_a_machine_is_never_asked(
    table: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    more: tuple[str, ...],
) -> None:
    code, _, err = asked(table, "1", monkeypatch, capsys, *more)
    assert code == 2
    assert "Which one do you mean" not in err
    monkeypatch.setenv("CI", "true")
    code, _, err = asked(table, "1", monkeypatch, capsys)
    assert (code, "Which one do you mean" in err) == (2, False)


LONELY = "year,country,seconds\n" + "".join(
    f"{year},{team},{20 + (3 * year + 7 * place) % 11}\n"
    for year in range(2000, 2010)
    for place, team in enumerate(["x", "y", "z", *(["once"] if year == 2003 else [])])
)


def test_every_suggested_command_runs_with_each_unit_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CI", raising=False)
    file = tmp_path / "tables.csv"
    file.write_text(LONELY)
    code, out, err = asked(file, "1", monkeypatch, capsys)
    assert code == 0
    assert "scores: column means, -31 for items without data" in out
    assert "an item counts as last, with score -31, once its only row is removed" in err
    commands = [
        line.partition(". ")[2] for line in err.splitlines() if line[:1].isdecimal()
    ]
    assert "--scorer column-means:empty=-31" in commands[0]
    for command in commands:
        assert main(shlex.split(command)[1:]) == 0


def test_a_league_that_falls_apart_has_an_answer_by_win_rates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "league.csv"
    rows = ["x,y,2,1", "y,x,0,1", "x,z,3,0", "z,x,0,2", "y,z,1,0", "z,y,2,1"]
    file.write_text("home_team,away_team,home_score,away_score\n" + "\n".join(rows))
    assert main(["topk", str(file), "-k", "1"]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert (
        "There is an answer with --scorer win-rate or --scorer bradley-terry:ridge=0.1."
        in told
    )
    assert main(["topk", str(file), "-k", "1", "--scorer", "win-rate"]) == 0
    capsys.readouterr()
    assert main(["inspect", str(file), "--json"]) == 0
    assert "win-rate" in json.loads(capsys.readouterr().out)["readings"][0]["command"]


def test_whoever_played_one_game_alone_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "league.csv"
    rows = [
        "x,y,2,1",
        "y,x,0,1",
        "x,z,3,0",
        "z,x,0,2",
        "y,z,1,0",
        "z,y,2,1",
        "w,x,0,1",
        "y,v,2,0",
    ]
    file.write_text("home_team,away_team,home_score,away_score\n" + "\n".join(rows))
    assert main(["topk", str(file), "-k", "1"]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert (
        "an answer with --scorer win-rate:empty=-1 or --scorer bradley-terry:ridge=0.1."
        in told
    )
    assert main(["inspect", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["readings"][:2]
    last = "an item counts as last, with score -1, once its only battle is removed"
    assert found[0]["against"][-1] == last
    assert (
        found[1]["against"][-1]
        == "a ridge, which gives every item a Bradley-Terry score"
    )
    for one in found:
        assert one["n_items"] == 5
        assert main([*one["command"][1:], "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["n_items"] == 5

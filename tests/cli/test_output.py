"""Where results go: files by their ending, a terminal with colours, a pipe without; -q and -v."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank.report.terminal import Line
from steadyrank.text import columns_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Any]

COMMANDS = [
    ("topk", "-k", 4),
    ("rank",),
    ("rank", "--confidence"),
    ("audit", "-k", 4),
    ("check", "-k", 4),
    ("explain", "-k", 4),
]
CONTROL = re.compile(r"\x1b\[[0-9;]*[mK]")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_file_holds_what_its_ending_says(
    run: Command, benchmark: Path, tmp_path: Path, command: tuple[object, ...]
) -> None:
    for ending, option in {
        ".json": "--json",
        ".CSV": "--csv",
        ".md": "--markdown",
        ".txt": "--all",
    }.items():
        file = tmp_path / f"out{ending}"
        words = (command[0], benchmark, *command[1:], "--all")
        written = run(*words, "-o", file)
        shown = run(*dict.fromkeys([*words, option]))
        assert (written.out, written.code) == ("", shown.code)
        assert file.read_text(encoding="utf-8") == shown.out
        run(*dict.fromkeys([*words, option]), "-o", tmp_path / "bare")
        assert (tmp_path / "bare").read_text(encoding="utf-8") == shown.out
    assert json.loads((tmp_path / "out.json").read_text())["schema_version"]
    table = (tmp_path / "out.CSV").read_text()
    assert len(list(csv.reader(io.StringIO(table)))) > 1


def on_a_terminal(*words: str, **environment: str) -> tuple[str, str]:
    """Run a command; return what a terminal got, and what it got on standard error."""
    pty = pytest.importorskip("pty", reason="a terminal to try it on")
    seen = []
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    for streams in ({"stdout": True}, {"stderr": True}):
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            [sys.executable, "-m", "steadyrank", *words],
            stdout=theirs if "stdout" in streams else subprocess.DEVNULL,
            stderr=theirs if "stderr" in streams else subprocess.DEVNULL,
            env={**kept, "TERM": "xterm", **environment},
        ) as process:
            os.close(theirs)
            content = b""
            try:
                while part := os.read(ours, 1 << 16):
                    content += part
            except OSError:  # the other end has closed
                pass
            process.wait()
        os.close(ours)
        seen.append(content.decode())
    return seen[0], seen[1]


def test_a_terminal_gets_colours_and_a_line_that_goes(benchmark: Path) -> None:
    out, err = on_a_terminal("topk", str(benchmark), "-k", "4", COLUMNS="80")
    assert "\x1b[32m" in out
    assert "Removing each unit in turn" in err
    assert err.endswith("\r\x1b[K")  # nothing of it stays
    assert CONTROL.sub("", err.replace("\r", "\n")).split() == [
        *("Reading", "Removing", "each", "unit", "in", "turn")
    ]


@pytest.mark.parametrize(
    ("environment", "drawn"), [({"NO_COLOR": "1"}, True), ({"TERM": "dumb"}, False)]
)
def test_no_colour_where_it_is_unwanted(
    benchmark: Path, environment: dict[str, str], drawn: bool
) -> None:
    out, err = on_a_terminal("topk", str(benchmark), "-k", "4", **environment)
    assert "\x1b" not in out
    assert "CrossNet" in out
    assert bool(err) == drawn


def test_no_colour_and_no_progress_in_a_pipe(run: Command, benchmark: Path) -> None:
    for command, *options in COMMANDS:
        found = run(command, benchmark, *options)
        assert "\x1b" not in found.out
        assert found.err == ""


def test_every_style_of_a_line_has_a_colour(
    run: Command, benchmark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steadyrank.cli.output.draws", lambda _: True)
    for command, *options in COMMANDS:
        coloured = run(command, benchmark, *options)
        assert coloured.code in {0, 1}
        monkeypatch.setenv("NO_COLOR", "1")
        assert CONTROL.sub("", coloured.out) == run(command, benchmark, *options).out
        monkeypatch.delenv("NO_COLOR")


@pytest.mark.parametrize(
    ("said", "width"), [("40", 40), ("60", 60), ("120", 120), ("0", 80), ("7", 40)]
)
def test_lines_fit(
    run: Command,
    restaurants: Any,
    monkeypatch: pytest.MonkeyPatch,
    said: str,
    width: int,
) -> None:
    monkeypatch.setenv("COLUMNS", said)
    widest = 0
    for command in (("topk", "-k", 5), ("rank",), ("check", "-k", 5)):
        lines = run(command[0], *restaurants, *command[1:]).out.splitlines()
        widest = max(widest, *map(columns_of, lines))
        assert not any(line.endswith(" ") for line in lines)
    assert width - 20 < widest <= width


def test_long_tables_are_shortened_unless_all_is_asked_for(run: Command) -> None:
    rows = "\n".join(f"item {n:03d},{1000 - 3 * n}" for n in range(120))
    table = f"choice,count\n{rows}\n".encode()
    words = ("topk", "-", "--choice", "choice", "--count", "count", "-k", 90)
    short = run(*words, stdin=table).out
    full = run(*words, "--all", stdin=table).out
    assert "item 040" not in short
    assert "and 80 more (--all shows them)" in short
    assert all(f"item {n:03d}" in full for n in range(120))
    assert "--all" not in full


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_quiet_is_a_part_of_the_usual_answer(
    run: Command, benchmark: Path, command: tuple[object, ...]
) -> None:
    words = (command[0], benchmark, *command[1:])
    usual, quiet = run(*words), run(*words, "-q")
    assert (usual.code, quiet.err) == (quiet.code, "")
    assert quiet.out.splitlines()
    assert len(quiet.out) < len(usual.out)
    assert set(quiet.out.splitlines()) - set(usual.out.splitlines()) == set()
    assert "How this file was read" not in quiet.out


def test_verbose_says_which_columns_are_what(run: Command, restaurants: Any) -> None:
    words = ("topk", *restaurants, "-k", 5)
    told = "item restaurant, rating stars, unit reviewer"
    assert told in run(*words, "-v").said
    assert told not in run(*words).said


def test_nothing_is_written_over_what_was_read(run: Command, tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("vote\nann\nann\nbob\n")
    link = tmp_path / "link"
    link.symlink_to(votes)
    for target in (votes, link):
        found = run("topk", votes, "--choice", "vote", "-k", 1, "--csv", "-o", target)
        assert found.code == 2
        assert "holds the data that were read" in found.err
        assert votes.read_text() == "vote\nann\nann\nbob\n"


def test_a_line_of_progress_is_cut_to_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from steadyrank.cli.output import draw

    monkeypatch.setenv("COLUMNS", "50")
    draw("x" * 200)
    draw("\x1b[2J")
    first, second = capsys.readouterr().err.split("\r\x1b[K")[1:]
    assert columns_of(first) == 49
    assert second == "\\x1b[2J"
    assert Line("x").style == ""

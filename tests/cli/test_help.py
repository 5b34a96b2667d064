"""Help that can be tried: every example runs, the usual options come first, shells complete."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank.cli.app import COMMANDS
from steadyrank.demo import NAMES, demo_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Any]


def examples(run: Command, name: str) -> list[str]:
    shown = run(name, "--help").out.partition("For example:")[2]
    return [line.strip() for line in shown.splitlines() if line.strip()]


@pytest.mark.parametrize("name", COMMANDS)
def test_three_examples_that_run(
    run: Command, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in NAMES:
        with demo_file(file) as path:
            shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", lambda _: True)
    monkeypatch.setenv("COLUMNS", "200")
    found = examples(run, name)
    assert len(set(found)) == len(found) == 3
    for line in found:
        program, *arguments = shlex.split(line)
        assert (program, arguments[0]) == ("steadyrank", name)
        done = run(*arguments)
        assert done.code == 0 or (name, done.code) == ("check", 1), done.err
        assert done.err == ""
        assert done.out or "-o" in arguments


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "demo"])
def test_a_short_list_of_options_comes_first(run: Command, name: str) -> None:
    text = run(name, "--help").out
    first = text.partition("─ Options ─")[2].partition("╰")[0]
    assert 0 < len(first.splitlines()) <= 20
    assert "--unit" in first
    assert "--output" in first
    assert "--encoding" not in first
    assert text.index("─ Options ─") < text.index("─ Reading the file ─")


def test_the_version_by_one_letter(run: Command) -> None:
    assert run("-V").out == run("--version").out


def completed(*words: str) -> list[str]:
    environment = {
        **os.environ,
        "_STEADYRANK_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["steadyrank", *words]),
        "COMP_CWORD": str(len(words)),
    }
    found = subprocess.run(
        [sys.executable, "-m", "steadyrank"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert found.stderr == ""
    return found.stdout.split()


def test_shells_complete_commands_and_options() -> None:
    assert completed("re") == ["report"]
    assert "--min-margin" in completed("check", "--min")
    assert "--version" in completed("--v")


@pytest.mark.parametrize("way", ["--show-completion", "--install-completion"])
def test_completion_is_set_up(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    found = run(way, "fish")
    assert (found.code, found.err) == (0, "")
    placed = [path for path in tmp_path.rglob("*") if path.is_file()]
    text = (
        found.out
        if way == "--show-completion"
        else placed[0].read_text(encoding="utf-8")
    )
    assert "_STEADYRANK_COMPLETE=complete_fish" in text


def test_a_shell_that_is_not_known_is_no_failed_check(
    run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_STEADYRANK_COMPLETE", "complete_klingon")
    assert run().code == 2

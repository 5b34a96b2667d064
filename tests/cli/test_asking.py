"""On a terminal a refusal asks which reading is meant; elsewhere it never does."""

from __future__ import annotations

import io
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
    assert "Which is meant? 1/2" in err
    assert f"Next time: steadyrank topk {table} -k 1 --kind scores" in err
    assert "scores" in out


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
    assert "Which is meant" not in err
    monkeypatch.setenv("CI", "true")
    code, _, err = asked(table, "1", monkeypatch, capsys)
    assert (code, "Which is meant" in err) == (2, False)

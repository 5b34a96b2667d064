"""Colours and widths: only a terminal gets colours, and tables fit where they can."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from rich.cells import cell_len

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Any]


def _environment(**more: str) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in {"NO_COLOR", "FORCE_COLOR"}
    }
    return {**kept, "TERM": "xterm-256color", **more}


def _on_a_terminal(*arguments: str, **environment: str) -> str:
    pty = pytest.importorskip("pty", reason="a terminal to try it on")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "steadyrank", *arguments],
        stdin=theirs, stdout=theirs, stderr=theirs, env=_environment(**environment), close_fds=True,
    ) as process:  # fmt: skip
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 1 << 16):
                seen += part
        except OSError:  # the other end has closed
            pass
        process.wait()
    os.close(ours)
    return seen.decode()


def test_no_colour_and_no_spinner_in_a_pipe(run: Command, benchmark: Path) -> None:
    for command, *options in (["topk", "-k", "4"], ["rank"], ["check", "-k", "4"]):
        there = run(command, benchmark, *options)
        assert "\x1b" not in there.out
        assert there.err == ""
    audit = [sys.executable, "-m", "steadyrank", "audit", str(benchmark), "-k", "4"]
    found = subprocess.run(audit, capture_output=True, env=_environment(), check=False)
    assert b"\x1b" not in found.stdout
    assert found.stderr == b""


def test_colour_on_a_terminal_unless_unwanted(benchmark: Path) -> None:
    assert "\x1b[32m" in _on_a_terminal("topk", str(benchmark), "-k", "4")
    plain = _on_a_terminal("topk", str(benchmark), "-k", "4", NO_COLOR="1", TERM="dumb")
    assert "\x1b[32m" not in plain
    assert "CrossNet" in plain


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_lines_fit(
    run: Command, restaurants: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for command in (("topk", "-k", 5), ("rank",), ("check", "-k", 5)):
        found = run(command[0], restaurants, *command[1:])
        assert max(map(cell_len, found.out.splitlines())) <= width
        assert not any(line.endswith(" ") for line in found.out.splitlines())


def test_a_narrow_audit_keeps_its_answers(
    run: Command, benchmark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    audited = run("audit", benchmark, "-k", 3, "--eps", 0.01).out
    assert all(
        f"\n{name} " in audited for name in ("inflated top-k", "inflated ranking")
    )


def test_a_single_row_that_is_not_shown_is_one(run: Command, battles: Path) -> None:
    assert "and 1 more (--all shows it)" in run("topk", battles, "-k", 4).out


def test_a_long_list_of_units_is_one_wide_line_at_most(
    run: Command, restaurants: Path
) -> None:
    found = run("audit", restaurants, "-k", "3,5")
    assert max(map(cell_len, found.out.splitlines())) <= 80

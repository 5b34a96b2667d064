"""The ending of a file says what it holds; one that does not fit is refused before any work."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Any]

COMMANDS = [("topk", "-k", 4), ("rank",), ("audit", "-k", 4), ("check", "-k", 4), ("margin", "-k", 4),
            ("explain", "GaussNet")]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_written_as_it_is_called(
    run: Command, benchmark: Path, tmp_path: Path, command: tuple[object, ...]
) -> None:
    for ending, option in (
        (".json", "--json"),
        (".CSV", "--csv"),
        (".txt", None),
        ("", None),
    ):
        file = tmp_path / f"out{ending}"
        written = run(command[0], benchmark, *command[1:], "-o", file)
        shown = run(command[0], benchmark, *command[1:], *([option] if option else []))
        assert (written.out, written.code) == ("", shown.code)
        assert file.read_text(encoding="utf-8") == shown.out
        if ending == ".json":
            assert json.loads(shown.out)["schema_version"]
        if ending == ".CSV":
            assert len(list(csv.reader(io.StringIO(shown.out)))) > 1


@pytest.mark.parametrize(
    ("arguments", "name", "way_out"),
    [
        (("topk", "-k", 4, "--json"), "x.csv", "end in .json, or"),
        (("topk", "-k", 4, "--csv"), "x.json", "end in .csv, or"),
        (("topk", "-k", 4, "--json"), "x.txt", "end in .json, or"),
        (("rank",), "x.html", "end in .txt or .json or .csv or .md, or"),
        (("audit", "-k", 4), "x.json.gz", "end in .txt or .json or .csv or .md, or"),
        (("inspect",), "x.csv", "end in .txt or .json, or"),
        (("report",), "x.txt", "end in .html, or"),
        (("report",), "x.json", "end in .html, or"),
    ],
)
def test_another_ending_is_refused_before_the_file_is_looked_for(
    run: Command, tmp_path: Path, arguments: tuple[object, ...], name: str, way_out: str
) -> None:
    missing = tmp_path / "no such file"
    found = run(arguments[0], missing, *arguments[1:], "-o", tmp_path / name)
    assert (found.code, found.out) == (2, "")
    assert repr(str(tmp_path / name)) in found.err
    assert way_out in found.err
    assert "there is no file" not in found.err
    assert list(tmp_path.iterdir()) == []


def test_the_demo_writes_a_page(run: Command, tmp_path: Path) -> None:
    assert "end in .html" in run("demo", "-o", tmp_path / "tour.txt").err


@pytest.mark.parametrize("option", [["--json"], ["--csv"], []])
def test_no_ending_holds_whatever_was_asked_for(
    run: Command, benchmark: Path, tmp_path: Path, option: list[str]
) -> None:
    shown = run("topk", benchmark, "-k", 4, *option).out
    run("topk", benchmark, "-k", 4, *option, "-o", tmp_path / "result")
    assert (tmp_path / "result").read_text(encoding="utf-8") == shown


def test_a_report_is_opened(
    run: Command, benchmark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, seen = tmp_path / "a page.html", tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!{sys.executable}\nimport sys\nopen({str(seen)!r}, "w").write(sys.argv[1])\n'
    )
    browser.chmod(0o755)
    monkeypatch.setattr(
        "webbrowser._tryorder", None
    )  # or the standard library has chosen already
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    assert run("report", benchmark, "-k", 4, "-o", page).err == ""
    assert not seen.exists()
    assert run("report", benchmark, "-k", 4, "-o", page, "--open").err == ""
    assert seen.read_text() == page.as_uri()


def test_no_browser_is_said(
    run: Command, benchmark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _: False)
    found = run("report", benchmark, "-k", 4, "-o", tmp_path / "x.html", "--open")
    assert found.code == 0
    assert "no browser could be opened" in found.err
    opened = run("report", benchmark, "-k", 4, "-o", os.devnull, "--open")
    assert "no browser could be opened" in opened.err

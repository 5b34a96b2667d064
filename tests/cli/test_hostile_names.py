"""Names come from strangers: they are shown as text and steer nothing, in every view."""

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

from steadyrank.text import columns_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Any]

NAMES = {
    "script": "<script>alert(1)</script>",
    "emoji": "👩‍🔬 café ☕",
    "accent": "café crème",
    "right to left": "שלום \u202eevil\u202c",
    "very long": "x" * 10_000,
    "escape": "\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "c1": "a\x9b31mb",
    "lines": "first\nsecond\r\nthird\ttab",
    "markup": "[red]bold[/red] [link=file:///]x[/link] :smile:",
    "formula": '=HYPERLINK("http://x","y")',
    "plus": "+1",
    "minus": "-1+1",
    "at": "@SUM(A1)",
    "apostrophe": "'quoted",
    "wide formula": "＝1+1",
    "quotes": '"; DROP TABLE items; --',
    "invisible": "\u2066\u200b\ufeff",
    "wide": "漢字" * 30,
}
VOTES = ("--choice", "choice", "--count", "count")
HARMFUL = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\u2028\u2029\ufeff]"
)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Votes for hostile names, all close together, in a format that can hold them."""
    file = tmp_path / "votes.jsonl"
    rows = (
        {"choice": name, "count": 100 - place}
        for place, name in enumerate([*NAMES.values(), "plain"])
    )
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "command",
    [
        ("topk", *VOTES, "-k", "6", "--all"),
        ("rank", *VOTES),
        ("audit", *VOTES, "-k", "6"),
    ],
)
def test_the_terminal_is_not_steered(
    run: Command, hostile: Path, command: tuple[str, ...]
) -> None:
    found = run(command[0], hostile, *command[1:])
    assert found.code == 0
    assert HARMFUL.search(found.out) is None
    assert HARMFUL.search(found.err) is None


@pytest.mark.parametrize(
    "command", [("topk", *VOTES, "-k", "6", "--all"), ("rank", *VOTES)]
)
def test_names_are_shown_as_text(
    run: Command,
    hostile: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    shown = run(command[0], hostile, *command[1:]).out
    assert "<script>alert(1)</script>" in shown
    assert "\\x1b[31mred\\x1b[0m" in shown
    assert "first\\nsecond\\r\\nthird\\tt" in shown
    assert "[red]bold[/red] [link=" in shown
    assert "👩‍🔬 café ☕" in shown
    assert "שלום \\u202eevil" in shown
    assert "a\\x9b31mb" in shown
    assert "xxxx…xxxx" in shown


def test_columns_stay_aligned(run: Command, hostile: Path) -> None:
    lines = run("rank", hostile, *VOTES).out.splitlines()
    rows = [line for line in lines if re.match(r" . +\d+  ", line)]
    scores = {
        columns_of(line[: re.search(r"0\.\d{3,}", line).start()]) for line in rows
    }  # type: ignore[union-attr]
    assert len(rows) == len(NAMES) + 1
    assert len(scores) == 1


def test_json_holds_the_very_names(run: Command, hostile: Path) -> None:
    found = run("topk", hostile, *VOTES, "-k", 6, "--json")
    assert found.out.isascii()
    assert HARMFUL.search(found.out) is None
    assert not set("<>&") & set(found.out)
    assert {row["item"] for row in found.json["rows"]} == {*NAMES.values(), "plain"}


def test_csv_runs_no_formula_and_loses_no_name(run: Command, hostile: Path) -> None:
    found = run("topk", hostile, *VOTES, "-k", 6, "--csv")
    cells = [row["item"] for row in csv.DictReader(io.StringIO(found.out, newline=""))]
    assert not any(
        cell.startswith(("=", "+", "-", "@", "\t", "\r", "＝")) for cell in cells
    )
    assert {cell.removeprefix("'") for cell in cells} == {*NAMES.values(), "plain"}
    assert found.err == ""


def test_hostile_columns_and_units(run: Command, tmp_path: Path) -> None:
    unit = "judge\x1b[2J[red]"
    file = tmp_path / "b.jsonl"
    pairs = [
        ("a", "b", "left"),
        ("b", "a", "left"),
        ("a", "b", "right"),
        ("a", "b", "left"),
    ]
    rows = (
        {"left": left, "right": right, "winner": winner, unit: f"j{number}\x07"}
        for number, (left, right, winner) in enumerate(pairs)
    )
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for command in (
        ("topk", "-k", 1),
        ("audit", "-k", 1, "--eps", 0.1),
        ("check", "-k", 1),
    ):
        roles = ("--left", "left", "--right", "right", "--winner", "winner")
        found = run(command[0], file, *command[1:], *roles, "--unit", unit, "-v")
        assert found.code in {0, 1}
        assert HARMFUL.search(found.out) is None
        assert "judge\\x1b[2J[red]" in found.out


def test_hostile_words_in_errors(run: Command, tmp_path: Path) -> None:
    found = run("topk", tmp_path / "\x1b[31mno\nfile[red]", "-k", 3)
    assert found.code == 2
    assert HARMFUL.search(found.err.rstrip("\n")) is None
    assert found.err.count("\n") == 1
    found = run("topk", tmp_path, "-k", "\x1b[31m[red]\n")
    assert found.code == 2
    assert HARMFUL.search(found.err) is None


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_poor_terminal_gets_plain_characters(hostile: Path, encoding: str) -> None:
    found = subprocess.run(
        [
            sys.executable,
            "-m",
            "steadyrank",
            "topk",
            str(hostile),
            *VOTES,
            "-k",
            "6",
            "--all",
        ],
        capture_output=True,
        env={
            **os.environ,
            "PYTHONIOENCODING": encoding,
            "PYTHONUTF8": "0",
            "COLUMNS": "140",
        },
        check=True,
    )
    text = found.stdout.decode(encoding)
    assert found.stderr == b""
    assert "* sure: in the top 6" in text
    assert "|" in text
    assert "xxxx...xxxx" in text
    assert ("caf\\xe9 cr\\xe8me" in text) == (encoding == "ascii")


def test_a_path_that_is_no_text_is_refused_and_its_content_read(
    run: Command, tmp_path: Path
) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv")
    try:
        with open(path, "wb") as file:  # noqa: PTH123 (as a shell would)
            file.write(b"vote\na\na\nb\n")
    except OSError:
        pytest.skip("this file system takes text alone")
    words = ("--choice", "vote", "-k", 1)
    found = run("topk", path, *words)
    assert (found.code, found.out) == (2, "")
    assert "udcff.csv' is not UTF-8." in found.err
    with open(path, "rb") as file:  # noqa: PTH123
        assert run("topk", "-", *words, stdin=file.read()).code == 0

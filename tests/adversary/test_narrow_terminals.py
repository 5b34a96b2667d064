"""Nothing is wider than the terminal, and one is one: every command, over long, wide and odd names."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from rich.cells import cell_len

from steadyrank.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.random import Generator

    from adversary.conftest import Cases

LETTERS = [
    "a",
    "Wort",
    " ",
    "漢",
    "é",
    "e\u0301",
    "👩\u200d🔬",
    "-",
    "_",
    "\x1b[0m",
    "x" * 30,
    "名前",
]
MANY = re.compile(
    r"(?<![\d.,])1 (items|users|votes|rows|battles|columns|values|units|sets|removals|more kinds)\b"
    r"|(?<![\d.,])1 of (?!the|these)\S+ (?:\w+ )?(hold|change|contend|leave)\b"
    r"|(?<![\d.,])1 \w+ (change|break|hold|are|contend|stand|leave)\b"
    r"|(?<![\d.,])([02-9]|\d{2,}) (item|user|vote|row|battle|column|value)\b(?! must)"
)
"""One of something in the plural, or several in the singular."""


def names(rng: Generator, number: int) -> list[str]:
    lengths = rng.integers(1, 12, size=number)
    made = [
        "".join(LETTERS[place] for place in rng.integers(len(LETTERS), size=n))
        for n in lengths
    ]
    return [f"{name}{place}" for place, name in enumerate(made)]


def write(rng: Generator, folder: Path) -> tuple[Path, list[str], list[str]]:
    """Write data of some kind; return the file, its items, and what its columns are."""
    items, unit = names(rng, int(rng.integers(2, 8))), names(rng, 1)[0] + " judge"
    how = int(rng.integers(3))
    units = names(rng, int(rng.integers(2, 5)))
    if how == 0:
        said = ["--choice", "choice", "--count", "count"]
        rows = [{"choice": item, "count": int(rng.integers(1, 4))} for item in items]
    elif how == 1:
        said = ["--unit", "user", "--item", "item", "--rating", "rating"]
        rows = [
            {"user": u, "item": i, "rating": int(rng.integers(6))}
            for u in units
            for i in items
        ]
    else:
        said = ["--left", "left", "--right", "right", "--winner", "winner"]
        said += ["--unit", unit]
        pairs = [(a, b) for a in items for b in items if a != b]
        rows = [
            {
                "left": a,
                "right": b,
                "winner": "left",
                unit: units[int(rng.integers(len(units)))],
            }
            for a, b in pairs
        ]
    file = folder / "data.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file, items, said


def commands(file: Path, items: list[str], said: list[str], k: int) -> list[list[str]]:
    asked = [str(file), "-k", str(k), *said]
    return [
        ["topk", *asked],
        ["topk", *asked, "--verbose", "--all"],
        ["rank", str(file), *said],
        ["audit", *asked],
        ["audit", *asked, "--eps", "0.1"],
        ["check", *asked],
        ["explain", *asked],
        ["explain", str(file), items[0], *asked[1:]],
    ]


@pytest.mark.parametrize("width", [40, 80])
def test_every_command_fits_and_counts_right(
    cases: Cases,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
    width: int,
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.chdir(tmp_path)
    shown = 0
    for rng in cases(3):
        file, items, said = write(rng, tmp_path)
        for command in commands(file, items, said, int(rng.integers(1, len(items)))):
            code = main(command)
            out = capsys.readouterr().out
            shown += code != 2
            wide = [line for line in out.splitlines() if cell_len(line) > width]
            assert not wide, (command, wide)
            cells = re.compile(r" [●◐◌○ ] *\d|.* \| ")  # rows of tables
            text = " ".join(line for line in out.split("\n") if not cells.match(line))
            assert MANY.search(" ".join(text.split())) is None, (
                command,
                MANY.search(text),
            )
    assert shown >= 18


@pytest.mark.parametrize("width", [40, 80])
def test_the_demo_fits(
    monkeypatch: pytest.MonkeyPatch, capsys: Any, tmp_path: Path, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("steadyrank.study.study.Study.report", lambda *_, **__: None)
    assert main(["demo", "-o", "x.html"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(cell_len, lines)) <= width


def test_the_words_that_are_looked_for_are_found() -> None:
    for wrong in (
        "of 1 users",
        "1 items",
        "1 of 5 users change",
        "1 user change the",
        "2 item",
        "12 vote ",
    ):
        assert MANY.search(wrong), wrong
    for right in (
        "11 users",
        "1 item",
        "1 user changes",
        "any one of 34 of the 180 users",
        "0.1 rows",
    ):
        assert not MANY.search(right), right

"""Whatever goes wrong: exit code 2, one message that says what to do, no traceback."""

from __future__ import annotations

import gzip
import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    Command = Callable[..., Any]


def assert_one_message(found: Any, *parts: str) -> None:
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("steadyrank: ")
    assert "Traceback" not in found.err
    assert "bug in steadyrank" not in found.err
    assert all(part in found.err for part in parts), (parts, found.err)


BAD_SETTINGS = [
    ("-k 99", "-k must be a whole number from 1 to 12"),
    ("-k 0", "-k must be a whole number from 1 to 12"),
    ("-k 4 --eps -1", "--eps must be a positive, finite number"),
    ("-k 4 --eps nan", "--eps must be a positive, finite number"),
    ("-k 4 --delta 2", "--delta must be a number from 0 to below 1"),
    ("-k 4 --delta 0.1 --eps 1", "either delta or eps, not both"),
    ("-k 4 --removals 2 --delta 0.1", "takes no delta", "--removals 1"),
    ("-k 4 --removals 0", "--removals must be a whole number"),
    ("-k 4 --scorer bord", "there is no scorer called 'bord'. Did you mean 'borda'?"),
    ("-k 4 --scorer bradley-terry", "needs battles, but was given"),
    ("-k 4 --scorer mean:x", "a setting is written name=value"),
    ("-k 4 --scorer mean:x=1", "has no setting 'x'"),
    ("-k 4 --encoding morse", "morse"),
    ("-k 4 --engine sparc", "sparc"),
    ("-k 4 --memory-limit much", "--memory-limit is 'much', which is no size"),
    ("-k 4 --unit tsk", "has no column 'tsk'", "Did you mean --unit task?"),
    ("-k 4 --split tsk", "no column 'tsk'", "Did you mean 'task'?"),
    ("-k 4 --left task", "--right ...", "--winner ..."),
    ("-k 4 --item task --left task", "do not go together"),
    ("-k 4 --sql 'SELECT'", "SQL"),
    ("-k 4 --table x=y.csv", "--sql"),
]


@pytest.mark.parametrize("case", BAD_SETTINGS, ids=lambda case: case[0])
def test_settings_that_cannot_be(
    run: Command, benchmark: Path, case: tuple[str, ...]
) -> None:
    options, *parts = case
    assert_one_message(run("topk", benchmark, *shlex.split(options)), *parts)


RATINGS = "--item item --rating rating --unit user"
BATTLES = "--left left --right right --winner winner"
BAD_FILES = {
    "empty.csv": (b"", RATINGS, "empty"),
    "header.csv": (b"user,item,rating\n", RATINGS, "header.csv"),
    "torn.csv": (b"user,item,rating\nann,x,5\nbob,x\n", RATINGS, "line 3"),
    "words.csv": (b"user,item,rating\nann,x,good\n", RATINGS, "'good'"),
    "odd.csv": (b"left,right,winner\nx,y,maybe\n", BATTLES, "'maybe'"),
    "latin.csv": (b"user,item,rating\nann,caf\xe9,5\n", RATINGS, "--encoding"),
    "cut.csv.gz": (gzip.compress(b"user,item,rating\n" * 5000)[:-20], RATINGS, "cut"),
    "zip.zip": (b"PK\x03\x04rest", RATINGS, "zip.zip"),
    "bad.jsonl": (b'{"user": 1, "item": 2, "rating": 3}\n{oops\n', RATINGS, "bad.jsonl"),
    "bad.parquet": (b"PAR1nonsense", RATINGS, "bad.parquet"),
    "what.csv": (b"colour,shape\nred,round\n", "", "'colour'", "--choice ..."),
    "apart.csv": (
        b"left,right,winner\na,b,left\nb,a,left\nc,d,left\nd,c,left\n",
        BATTLES,
        "--scorer bradley-terry:ridge=0.1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_FILES)
def test_files_that_cannot_be_used(run: Command, tmp_path: Path, name: str) -> None:
    content, roles, *parts = BAD_FILES[name]
    (tmp_path / name).write_bytes(content)
    found = run("topk", tmp_path / name, *roles.split(), "-k", 1)
    assert_one_message(found, *parts)
    assert not re.search(r"\b(lower_is_better|left_score|=\.\.\.)", found.err)


def test_a_refusal_shows_the_columns_and_what_can_be_said(
    run: Command, restaurants: Any
) -> None:
    path, *_ = restaurants
    found = run(path)
    assert_one_message(found, "restaurants.csv has the header of no known tool")
    lines = found.err.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == [
        "'reviewer'", "'restaurant'", "'stars'",
    ]  # fmt: skip
    assert any("--item ... --rating ..." in line for line in lines)
    assert all(len(line) < 200 for line in lines)


@pytest.mark.parametrize("command", ["topk", "rank", "audit", "check", "report"])
def test_no_such_file(run: Command, tmp_path: Path, command: str) -> None:
    found = run(command, tmp_path / "missing.csv")
    assert_one_message(found, "there is no file", "missing.csv")


def test_empty_standard_input(run: Command) -> None:
    assert_one_message(run("topk", "-", "-k", 3, stdin=b""), "empty")


@pytest.mark.parametrize("command", ["topk", "report"])
def test_places_that_cannot_be_written(
    run: Command, benchmark: Path, tmp_path: Path, command: str
) -> None:
    ending = "html" if command == "report" else "txt"
    missing = tmp_path / "no" / "such" / f"out.{ending}"
    found = run(command, benchmark, "-k", 3, "-o", missing)
    assert_one_message(found, repr(str(missing)))
    found = run(command, benchmark, "-k", 3, "-o", tmp_path)
    assert_one_message(found, "is a folder")
    assert list(tmp_path.iterdir()) == []


def test_permission_denied(
    run: Command, benchmark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal is made here, since root may write everywhere."""
    target = tmp_path / "out.json"

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(target))

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(Path, "replace", refuse)
    found = run("topk", benchmark, "-k", 3, "--json", "-o", target)
    assert_one_message(found, repr(str(target)), "permission denied")
    assert list(tmp_path.iterdir()) == []  # no half-written file is left behind


def test_a_disk_that_fills_up_leaves_the_old_file(
    run: Command, benchmark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out.json"
    target.write_text("old", encoding="utf-8")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    found = run("topk", benchmark, "-k", 3, "--json", "-o", target)
    assert_one_message(found, repr(str(target)), "The disk is full.")
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["old"]


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "interrupted.\n"),
        (MemoryError(), 2, "not enough memory for these data.\n"),
        (RuntimeError("odd"), 2, "something went wrong (RuntimeError: odd)."),
        (
            PermissionError(13, "Permission denied", "secret.csv"),
            2,
            "'secret.csv': per",
        ),
    ],
)
def test_nothing_ends_in_a_traceback(
    run: Command,
    benchmark: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    message: str,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("steadyrank.cli.inputs.read", fail)
    found = run("topk", benchmark, "-k", 3)
    assert found.code == code
    assert found.err.startswith(f"steadyrank: {message}")
    assert found.err.count("\n") == 1

"""Whatever goes wrong: exit code 2, one message on standard error that says what to do, no traceback."""

from __future__ import annotations

import gzip
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    Command = Callable[..., Any]

BAD_OPTIONS = [
    (("-k", 99), " -k must be a whole number from 1 to 12"),
    (("-k", 0), " -k must be a whole number from 1 to 12"),
    (("-k", "many"), "-k must be a whole number, but is 'many'."),
    (("-k", 4, "--eps", "wide"), "--eps must be a number, but is 'wide'."),
    (("-k", 4, "--all", "--all"), "--all was given 2 times. Give it once."),
    ((), "Missing option '-k'"),
    (("-k", 4, "--eps", -1), "eps must be a positive, finite number"),
    (("-k", 4, "--eps", "nan"), "eps must be a positive, finite number"),
    (("-k", 4, "--delta", 2), "delta must be a number from 0 to below 1"),
    (("-k", 4, "--delta", 0.1, "--eps", 1), "either delta or eps, not both"),
    (("-k", 4, "--proved"), "Omit --proved to check this dataset"),
    (("-k", 4, "--scorer", "bord"), "Did you mean 'borda'?"),
    (("-k", 4, "--scorer", "bradley-terry"), "needs battles, but was given scores"),
    (("-k", 4, "--scorer", "mean:x"), "a setting is written name=value"),
    (("-k", 4, "--scorer", "mean:x=1"), "has no setting 'x'"),
    (("-k", 4, "--kind", "poll"), "kind must be one of 'battles'"),
    (("-k", 4, "--kind", "battles"), "--left"),
    (("-k", 4, "--format", "xls"), "format must be one of 'parquet'"),
    (("-k", 4, "--encoding", "morse"), "there is no encoding 'morse'"),
    (
        ("-k", 4, "--missing", "guess"),
        "missing must be one of 'error', 'drop', 'available'",
    ),
    (("-k", 4, "--row", "nothing"), "'nothing'"),
    (("-k", 4, "--json", "--csv"), "--json and --csv cannot go together"),
    (("-k", 4, "--wrong"), "No such option: --wrong"),
    (("-k", 4, "-k", 3), "-k was given 2 times. Give it once."),
    (
        ("-k", 4, "--kind", "scores", "--kind=scores"),
        "--kind was given 2 times. Give it once.",
    ),
    (("-k", 4, "--items-in", "cells"), " --items-in must be one of 'rows', 'columns'"),
    (("-k", 4, "--removals", 0), " --removals must be a whole number"),
]


def assert_one_message(found: Any, *parts: str) -> None:
    assert found.code == 2
    assert found.out == ""
    assert found.err.startswith("steadyrank: ")
    message, *more = found.err.splitlines()
    assert not more or more[0].startswith("1. steadyrank topk")  # what would work
    assert "Traceback" not in found.err
    assert "should not" not in found.err
    for part in parts:
        assert part in message


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS)
def test_options_that_cannot_be(
    run: Command, benchmark: Path, options: tuple[object, ...], message: str
) -> None:
    assert_one_message(run("topk", benchmark, *options), message)


BAD_FILES = {
    "empty": (b"", "is empty"),
    "header.csv": (b"user,item,rating\n", "header.csv"),
    "torn.csv": (b"user,item,rating\nann,x,5\nbob,x\n", "line 3"),
    "words.csv": (b"user,item,rating\nann,x,good\n", "'good'"),
    "twice.csv": (b"user,item,rating\nann,x,5\nann,x,4\nbob,y,3\n", "--duplicates"),
    "gone.csv": (b"task,x,y,z\na,1,2,3\nb,,3,2\n", "--missing drop"),
    "odd.csv": (b"left,right,winner\nx,y,maybe\n", "'maybe'"),
    "latin.csv": (
        b"user,item,rating\nann,caf\xc3\xa9,5\nbob,caf\xe9,4\n",
        "--encoding cp1252",
    ),
    "cut.csv.gz": (gzip.compress(b"user,item,rating\n" * 5000)[:-20], "cut short"),
    "zip.zip": (b"PK\x03\x04rest", "zip archive"),
    "what.csv": (b"colour,shape\nred,round\n", "--kind ..."),
    "bad.jsonl": (b'{"user": 1, "item": 2, "rating": 3}\n{oops\n', "bad.jsonl"),
    "bad.parquet": (b"PAR1nonsense", "bad.parquet"),
    "apart.csv": (
        b"left,right,winner\na,b,left\nb,a,left\nc,d,left\nd,c,left\n",
        "ridge=0.1",
    ),
    "one.csv": (b"user,item,rating\nann,x,5\nann,y,4\n", "only one unit"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_files_that_cannot_be_used(run: Command, tmp_path: Path, name: str) -> None:
    content, message = BAD_FILES[name]
    (tmp_path / name).write_bytes(content)
    assert_one_message(run("topk", tmp_path / name, "-k", 1), message)


def test_what_would_work_is_shown_where_the_data_have_gaps(
    run: Command, tmp_path: Path
) -> None:
    for name, option in (
        ("twice.csv", "--duplicates mean"),
        ("gone.csv", "--missing available"),
    ):
        (tmp_path / name).write_bytes(BAD_FILES[name][0])
        refused = run("topk", tmp_path / name, "-k", 1)
        (command,) = [line for line in refused.err.splitlines() if line[:1].isdecimal()]
        assert option in command
        assert run(*shlex.split(command)[2:]).code == 0


@pytest.mark.parametrize("command", ["topk", "rank", "audit", "check", "report"])
def test_no_such_file(run: Command, tmp_path: Path, command: str) -> None:
    k = () if command in {"rank", "report"} else ("-k", "3")
    assert_one_message(
        run(command, tmp_path / "missing.csv", *k), "there is no file", "missing.csv"
    )


def test_a_folder_is_no_file(run: Command, tmp_path: Path) -> None:
    assert_one_message(run("topk", tmp_path, "-k", 3), "is a folder")


def test_empty_standard_input(run: Command) -> None:
    assert_one_message(run("topk", "-", "-k", 3, stdin=b""), "empty")


def test_several_k_must_be_numbers(run: Command, benchmark: Path) -> None:
    assert_one_message(run("audit", benchmark, "-k", "3,x"), "such as 5,10,20", "'3,x'")


def test_an_audit_takes_eps_or_delta(run: Command, benchmark: Path) -> None:
    assert_one_message(
        run("audit", benchmark, "-k", 3, "--eps", 1, "--delta", 0.1), "not both"
    )


@pytest.mark.parametrize("command", ["topk", "report"])
def test_places_that_cannot_be_written(
    run: Command, benchmark: Path, tmp_path: Path, command: str
) -> None:
    missing = (
        tmp_path / "no" / "such" / ("out.html" if command == "report" else "out.txt")
    )
    assert_one_message(
        run(command, benchmark, "-k", 3, "-o", missing), repr(str(missing))
    )
    assert_one_message(run(command, benchmark, "-k", 3, "-o", tmp_path), "is a folder")
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
    result = run("topk", benchmark, "-k", 3, "--json", "-o", target)
    assert_one_message(result, repr(str(target)), "permission denied")
    assert list(tmp_path.iterdir()) == []  # no half-written file is left behind


def test_an_unreadable_file_is_named(
    run: Command, benchmark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "secret.csv")

    monkeypatch.setattr(Path, "open", refuse)
    assert_one_message(
        run("topk", benchmark, "-k", 3), "'secret.csv': permission denied."
    )


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
        (KeyboardInterrupt(), 130, "steadyrank: interrupted.\n"),
        (MemoryError(), 2, "steadyrank: not enough memory for these data.\n"),
        (
            RuntimeError("odd"),
            2,
            "steadyrank: something went wrong (RuntimeError: odd).",
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
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("steadyrank.cli.inputs.load", fail)
    found = run("topk", benchmark, "-k", 3)
    assert found.code == code
    assert found.err.startswith(message)
    assert found.err.count("\n") == 1


def _shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    ready = command.replace("steadyrank ", f"{sys.executable} -m steadyrank ")
    return subprocess.run(
        ["bash", "-c", ready],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of a POSIX shell")
def test_a_reader_that_leaves_is_no_error(benchmark: Path) -> None:
    found = _shell(
        f"steadyrank check '{benchmark}' -k 4 | true; echo ${{PIPESTATUS[0]}}"
    )
    assert (found.stdout, found.stderr) == ("1\n", "")
    found = _shell(
        f"steadyrank topk '{benchmark}' -k 4 --json | head -c 10; echo ${{PIPESTATUS[0]}}"
    )
    assert found.stdout.endswith("0\n")
    assert found.stderr == ""


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="needs a device that is always full"
)
def test_standard_output_on_a_full_disk(benchmark: Path) -> None:
    found = _shell(f"steadyrank topk '{benchmark}' -k 4 > /dev/full")
    assert found.returncode == 2
    assert found.stderr == "steadyrank: no space left on device. The disk is full.\n"


def test_without_typer_the_way_to_install_it_is_said(
    run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steadyrank.cli.find_spec", lambda _: None)
    assert_one_message(run("topk"), 'pip install "steadyrank[cli]"', "typer and rich")


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (
            b"model_a,model_b,winner\na,b,model_a\nb,a,model_a\nnew,a,model_a\n",
            ["--scorer", "win-rate"],
        ),
        (b"model,x,y,z\na,1,2,3\nb,2,1,2\nnew,3,,\n", ["--missing", "available"]),
        (b"task,a,b,new\nx,1,2,3\ny,2,1,\nz,3,2,\n", ["--missing", "available"]),
    ],
)
def test_an_item_that_hangs_on_one_unit_is_left_out_by_the_option_that_is_named(
    run: Command, table: bytes, options: list[str]
) -> None:
    assert_one_message(
        run("topk", "-", "-k", 1, *options, stdin=table), "'new'", "by --min-count ..."
    )
    assert run("topk", "-", "-k", 1, *options, "--min-count", 2, stdin=table).code == 0


def test_an_item_that_hangs_on_one_unit_can_be_last(run: Command) -> None:
    asked = ("topk", "-", "-k", 1, "--missing", "available")
    table = b"task,a,b,new\nx,1,2,3\ny,2,1,\nz,3,2,\n"
    last = ("--scorer", "mean:empty=0")
    assert_one_message(
        run(*asked, stdin=table), f"There is an answer with {' '.join(last)}."
    )
    found = run(*asked, *last, "--json", stdin=table)
    assert [(row["item"], row["best_rank"], row["worst_rank"]) for row in found.json["rows"]] == [
        ("new", 1, 3), ("a", 1, 2), ("b", 2, 3),
    ]  # fmt: skip


def test_items_that_never_met_the_others_are_left_out_by_the_option_that_is_named(
    run: Command,
) -> None:
    rows = [
        f"{pair},{side}"
        for pair in ("a,b", "b,c", "c,a", "d,e")
        for side in ("left", "right") * 2
    ]
    table = "\n".join(["model_a,model_b,winner", *rows]).encode()
    asked = ("topk", "-", "-k", 1, "--scorer", "bradley-terry")
    assert_one_message(
        run(*asked, stdin=table), "[a, b, c], [d, e]", "but one out with --drop A,B,..."
    )
    assert run(*asked, "--drop", "d,e", stdin=table).code == 0


def test_a_folder_without_a_name_is_called_as_it_was_given(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.csv").write_text("a\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = run("topk", ".", "-k", 1)
    assert found.code == 2
    assert found.err.startswith("steadyrank: . is a folder of 1 csv file (")

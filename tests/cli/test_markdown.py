"""``--markdown``, and the summary of a workflow's step: the same words, after those of others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank.writing import append_whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Any]

OTHERS = "# What another step wrote, without an end of line"


@pytest.fixture
def summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "summary.md"
    file.write_text(OTHERS, encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    return file


@pytest.mark.parametrize(
    ("k", "code", "verdict"), [(3, 0, "STABLE"), (4, 1, "UNSTABLE")]
)
def test_a_check_adds_the_same_to_the_summary(
    run: Command, benchmark: Path, summary: Path, k: int, code: int, verdict: str
) -> None:
    done = run("check", benchmark, "-k", k, "--markdown")
    assert (done.code, done.err) == (code, "")
    assert done.out.startswith(f"### {verdict}: top {k}, `benchmark.csv`\n")
    assert summary.read_text(encoding="utf-8") == f"{OTHERS}\n{done.out}"
    assert run("check", benchmark, "-k", k, "--json").json["stable"] is (code == 0)
    assert summary.read_text(encoding="utf-8") == f"{OTHERS}\n{done.out}\n{done.out}"


def test_who_flips_it_stands_in_the_table(run: Command, benchmark: Path) -> None:
    text = run("check", benchmark, "-k", 4, "--markdown").out
    flips = run("check", benchmark, "-k", 4, "--json").json["flips"]["plain"]["listed"]
    assert flips
    for flip in flips:
        assert f"| `{flip['unit']}` | `GaussNet` | `DeepLinear` |" in text


def test_a_table_of_flips_says_how_many_are_missing(
    run: Command, tmp_path: Path
) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("a,b\n" + 120 * "1,0\n" + 120 * "0,1\n", encoding="utf-8")
    asked = ("check", file, "-k", 1, "--wide", "--markdown")
    distinct = run(*asked[:-1], "--json").json["flips"]["plain"]["distinct_units"]
    assert distinct == 120
    listed = run(*asked).out.partition("\n\n```")[0]
    shown = listed.partition("| without |")[2].count("| `a` | `b` |")
    assert listed.endswith(
        f"\n\n{distinct - shown:,} more not shown (--all shows them)."
    )


def test_a_margin_that_is_too_small_needs_no_table_of_flips(
    run: Command, benchmark: Path
) -> None:
    done = run("check", benchmark, "-k", 3, "--min-margin", 40, "--markdown")
    assert done.code == 1
    assert "| without |" not in done.out
    assert "40 asked for: too few." in done.out


def test_long_tables_are_cut_and_say_so(run: Command, tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text(
        "choice\n" + "".join(f"item {number}\n" for number in range(103)),
        encoding="utf-8",
    )
    asked = ("rank", file, "--choice", "choice", "--markdown")
    cut = run(*asked).out
    assert "\n\n3 more not shown (--all shows them).\n\n" in cut
    assert cut.count("| `item ") == 100
    assert run(*asked, "--all").out.count("| `item ") == 103


def test_only_a_check_that_was_carried_out_is_summarised(
    run: Command, benchmark: Path, summary: Path, tmp_path: Path
) -> None:
    assert run("topk", benchmark, "-k", 4).code == 0
    assert run("check", benchmark, "-k", 400).code == 2
    assert run("check", tmp_path / "nowhere.csv", "-k", 4).code == 2
    assert summary.read_text(encoding="utf-8") == OTHERS


@pytest.mark.parametrize(("k", "code"), [(3, 0), (4, 1)])
@pytest.mark.parametrize("place", ["folder", "no/such/folder/x.md", "the data"])
def test_a_summary_that_cannot_be_written_changes_no_verdict(
    run: Command,
    benchmark: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    k: int,
    code: int,
    place: str,
) -> None:
    (tmp_path / "folder").mkdir()
    before = benchmark.read_bytes()
    target = benchmark if place == "the data" else tmp_path / place
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(target))
    done = run("check", benchmark, "-k", k)
    assert done.code == code
    assert done.err.startswith(
        "steadyrank: note: nothing was added to $GITHUB_STEP_SUMMARY: "
    )
    assert len(done.err.splitlines()) == 1
    assert benchmark.read_bytes() == before


def test_an_empty_variable_is_none(
    run: Command, benchmark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "")
    assert (
        run("check", benchmark, "-k", 3).code,
        run("check", benchmark, "-k", 3).err,
    ) == (0, "")


def test_several_that_write_at_once_come_one_after_the_other(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    script = (
        "import sys\nfrom steadyrank.writing import append_whole\n"
        "for _ in range(20): append_whole(sys.argv[2] * 100_000 + '\\n', sys.argv[1])"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", script, file, letter])
        for letter in "abc"
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    lines = file.read_text(encoding="utf-8").splitlines()
    assert {(line[0], line.count(line[0]), len(line)) for line in lines} == {
        (letter, 100_000, 100_000) for letter in "abc"
    }
    assert len(lines) == 60


def test_a_pipe_takes_it_as_a_shell_would_write_it(tmp_path: Path) -> None:
    ends = os.pipe()
    append_whole("words\n", f"/dev/fd/{ends[1]}")
    os.close(ends[1])
    assert os.read(ends[0], 100) == b"words\n"
    os.close(ends[0])


def test_a_share_has_the_same_digits_in_table_and_text(
    run: Command, restaurants: Any
) -> None:
    found = run("check", *restaurants, "-k", 5, "--max-delta", 0.123456, "--markdown")
    assert found.code == 1
    assert "a share of 0.1889 (0.123456 allowed)." in " ".join(found.out.split())
    audited = run("audit", *restaurants, "-k", 5, "--markdown").out
    (row,) = [
        line for line in audited.splitlines() if line.startswith("| plain top-k | 5 |")
    ]
    assert "| 0.1889 |" in row


def test_tables_for_people_have_rounded_numbers_and_no_field_names(
    run: Command, restaurants: Any
) -> None:
    for command in (
        ("topk", "-k", 5), ("rank",), ("audit", "-k", 5), ("check", "-k", 5),
        ("explain", "-k", 4), ("rank", "--confidence"),
    ):  # fmt: skip
        text = run(command[0], *restaurants, *command[1:], "--markdown").out
        told = text.partition("```")[0]
        assert told.count("\n| ") > 2
        assert not re.search(
            r"\w_\w|\d\.\d{7}|True|None|n units|best|worst|lower|upper", told
        )

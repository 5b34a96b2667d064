"""Faults that were found in use, each as one row: a file, what was typed, and what it must give."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import pytest

from engine_makers import need
from steadyrank import Ballots, Study, read
from steadyrank.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from steadyrank.data import Observations

EQUAL_BALLOTS = "ballot\na > b\na > b\n"
ONE_ITEM = "vote\na\na\n"
EQUAL_RATINGS = "user,item,rating\nu,a,1\nu,b,1\nv,a,1\nv,b,1\n"
LONE_ITEM = """user,item,rating
u1,a,-1\nu1,b,-3\nu1,c,-4\nu2,a,-1\nu2,b,-3\nu2,c,-4\nu3,a,-2\nu3,b,-2\nu3,c,-3\nu4,d,5\nu4,a,-1
"""
LIGHT_TWIN = """user,item,rating,weight
u1,a,1,1\nu1,b,3,1\nu2,a,1,1\nu2,b,2,1\nu2,c,4,1\nu3,a,2,1\nu3,b,2,1\nu4,c,4,0
"""
SHARED_ITEM = "user,item,rating\nu1,a,1\nu1,b,3\nu2,a,1\nu2,b,2\n"
LONE_VOTE = "vote\n" + "a\n" * 4 + "b\n" * 2 + "c\n"
REGIONS = "item,region\na,n\na,s\nb,n\nb,s\nc,n\na,w\nb,w\n"
LONE_GAME = "left,right,winner\na,b,left\nb,a,left\na,b,tie\na,c,left\nc,a,left\n"
LONE_BALLOT = "ballot\na > b\nb > a\na > b > c\n"
LONE_SCORE = "question,item,score\n1,a,1\n1,b,0\n2,a,1\n2,b,1\n3,a,0\n3,b,1\n3,c,1\n"
WIDE = "question,a,b\n1,1,0\n2,1,1\n3,0,1\n"

SOME = "as long as every item keeps some data"
AT_LEAST = "as long as every item keeps at least 2 ratings"
KEPT = "with every item kept"
LONG_AS = "as long as"


class Row(NamedTuple):
    """A file, the command on it, its exit code, and what its one full stream says or never says."""

    text: str
    command: str
    says: tuple[str, ...]
    never: tuple[str, ...] = ()
    code: int = 0


RATED = "--item item --rating rating --unit user"
VOTED = "--choice vote"
PLAYED = "--left left --right right --winner winner"
SCORED = "--item item --score score --unit question"

PROMISES = {
    "an item of one user": Row(LONE_ITEM, f"topk FILE -k 2 {RATED}", (SOME, KEPT)),
    "the same as JSON": Row(LONE_ITEM, f"topk FILE -k 2 --json {RATED}", (SOME, KEPT)),
    "the same in Markdown": Row(
        LONE_ITEM, f"topk FILE -k 2 --markdown {RATED}", (SOME, KEPT)
    ),
    "the same as ranks": Row(LONE_ITEM, f"rank FILE --verbose {RATED}", (SOME, KEPT)),
    "at an eps": Row(LONE_ITEM, f"topk FILE -k 2 --eps 1 --verbose {RATED}", (KEPT,)),
    "by another scorer": Row(
        LONE_ITEM, f"topk FILE -k 2 --scorer mean:shrinkage=2 {RATED}", (SOME,)
    ),
    "against two at once": Row(
        LONE_ITEM, f"topk FILE -k 2 --removals 2 {RATED}", (SOME,)
    ),
    "two removals, two users": Row(
        SHARED_ITEM, f"topk FILE -k 1 {RATED}", (), (LONG_AS, KEPT)
    ),
    "a twin of weight 0": Row(
        LIGHT_TWIN, f"topk FILE -k 2 --weight weight {RATED}", (SOME,)
    ),
    "one vote": Row(LONE_VOTE, f"topk FILE -k 1 {VOTED}", (SOME, KEPT)),
    "two votes": Row(LONE_VOTE + "c\n", f"topk FILE -k 1 {VOTED}", (), (LONG_AS, KEPT)),
    "two of two votes": Row(
        LONE_VOTE + "c\n", f"topk FILE -k 1 --removals 2 {VOTED}", (SOME,)
    ),
    "approvals of one region": Row(
        REGIONS, "topk FILE -k 1 --choice item --unit region", (SOME, KEPT)
    ),
    "regions by vote": Row(
        REGIONS + "c,n\n", "topk FILE -k 1 --choice item", (), (LONG_AS, KEPT)
    ),
    "one ballot": Row(LONE_BALLOT, "topk FILE -k 1 --ballot ballot", (SOME, KEPT)),
    "two battles": Row(
        LONE_GAME, f"topk FILE -k 1 --scorer elo {PLAYED}", (), (LONG_AS, KEPT)
    ),
    "one battle": Row(
        LONE_GAME.removesuffix("c,a,left\n"),
        f"topk FILE -k 1 --scorer elo {PLAYED}",
        (SOME,),
    ),
    "one long score": Row(LONE_SCORE, f"topk FILE -k 1 {SCORED}", (SOME,)),
    "a wide table": Row(
        WIDE, "topk FILE -k 1 --wide --unit question", (), (LONG_AS, KEPT)
    ),
    "a minimum count that one removal breaks": Row(
        LONE_ITEM + "u3,d,1\n",
        f"topk FILE -k 2 --min-count 2 {RATED}",
        (AT_LEAST, KEPT),
    ),
    "a minimum count that none breaks": Row(
        LONE_ITEM, f"topk FILE -k 2 --min-count 2 {RATED}", (), (LONG_AS, KEPT)
    ),
    "a minimum count that two break": Row(
        LONE_ITEM, f"topk FILE -k 2 --min-count 2 --removals 2 {RATED}", (AT_LEAST,)
    ),
}

EXPLAINED = {
    "nothing moves": Row(
        EQUAL_BALLOTS,
        "explain FILE a -k 1 --ballot ballot --scorer instant-runoff",
        ("'a' has rank 1", "0 favour 'a' and 0 favour 'b'"),
    ),
    "nothing moves, in Markdown": Row(
        EQUAL_BALLOTS,
        "explain FILE a -k 1 --ballot ballot --scorer instant-runoff --markdown",
        ("'a' has rank 1",),
    ),
    "nothing moves, as CSV": Row(
        EQUAL_BALLOTS,
        "explain FILE a -k 1 --ballot ballot --scorer instant-runoff --csv",
        ("unit,number,count,contribution,gap_without",),
    ),
    "nothing moves, as JSON": Row(
        EQUAL_BALLOTS,
        "explain FILE a -k 1 --ballot ballot --scorer instant-runoff --json",
        ('"rows": []',),
    ),
    "equal ratings": Row(
        EQUAL_RATINGS, f"explain FILE a -k 1 {RATED}", ("level with 'b'",)
    ),
    "one item": Row(
        ONE_ITEM, f"explain FILE a -k 1 {VOTED}", ("Two items are needed.",), code=2
    ),
}

DRAWN = "winner,loser,Draw\na,b,0\nc,a,1\nb,c,0\na,c,0\n"
COUNTED = "candidate,region,votes\na,n,5\nb,n,3\na,s,1\nb,s,2\nb,t,1\n"
WINS = "--scorer win-rate"

SAID_ROLES = {
    "votes in a column called vote": Row(
        LONE_VOTE, f"topk FILE -k 1 {VOTED}", ("3 items, 7 votes",), ("3 votes",)
    ),
    "a draw that was said": Row(
        DRAWN,
        f"rank FILE {WINS} --winner winner --loser loser --tie Draw",
        ("3 items, 4 battles",),
    ),
    "a count that roles did not name": Row(
        COUNTED, "topk FILE -k 1 --choice candidate", ("2 candidates, 5 votes",)
    ),
    "a count that roles named": Row(
        COUNTED,
        "topk FILE -k 1 --choice candidate --count votes",
        ("2 candidates, 12 votes",),
    ),
    "a count of battles that roles did not name": Row(
        "left,right,winner,count\na,b,left,3\nb,a,left,1\na,b,tie,2\n",
        f"topk FILE -k 1 {WINS} {PLAYED}",
        ("2 items, 3 battles",),
    ),
}


def checked(
    row: Row, folder: Path, capsys: pytest.CaptureFixture[str], width: str = "80"
) -> str:
    """Run the command of a row, check how it ends, and return what it printed."""
    file = folder / "data.csv"
    file.write_text(row.text, encoding="utf-8")
    typed = [str(file) if part == "FILE" else part for part in row.command.split()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", width)
        code = main(typed)
    printed = capsys.readouterr()
    told, silent = (printed.err, printed.out) if row.code else printed
    assert (code, silent) == (row.code, "")
    words = " ".join(told.split())
    for part in row.says:
        assert part in words
    for part in row.never:
        assert part not in words
    return told


TABLE = {**PROMISES, **EXPLAINED, **SAID_ROLES}


@pytest.mark.parametrize("name", TABLE)
def test_what_a_command_gives(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checked(TABLE[name], tmp_path, capsys)


WINNERS = "left,right,winner\na,b,1\na,c,1\nb,c,0\nb,a,0\n"
LABELS = {
    "": ["a beats b", "a beats c", "c beats b", "a beats b"],
    "a,b,0.5\n": ["a beats b", "a beats c", "c beats b", "a beats b", "a ties b"],
}
SIDES = {"left": "left", "right": "right", "winner": "winner"}
DOORS: dict[str, Callable[[Path, dict[str, list[str]]], Observations]] = {
    "a file": lambda file, _: read(file, **SIDES),
    "columns": lambda _, columns: read(columns, **SIDES),
    "an engine": lambda file, _: read(duckdb_rows(file), **SIDES),
}


def duckdb_rows(file: Path) -> object:
    need("duckdb", os.environ.get("CI", "").lower() in {"1", "true"})
    import duckdb

    return duckdb.read_csv(str(file))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("more", LABELS)
def test_0_and_1_are_the_share_that_the_left_side_won(
    door: str, more: str, tmp_path: Path
) -> None:
    file = tmp_path / "data.csv"
    file.write_text(WINNERS + more, encoding="utf-8")
    header, *rows = (line.split(",") for line in (WINNERS + more).splitlines())
    columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    units = DOORS[door](file, columns).units
    counted = Counter(dict(zip(units.labels, units.counts.tolist(), strict=True)))
    assert counted == Counter(LABELS[more])


def test_a_page_names_the_condition_of_its_promise(tmp_path: Path) -> None:
    file, page = tmp_path / "data.csv", tmp_path / "page.html"
    for text, conditional in ((LONE_ITEM, True), (SHARED_ITEM, False)):
        file.write_text(text, encoding="utf-8")
        command = ["report", str(file), "-k", "1", "-o", str(page), *RATED.split()]
        assert main(command) == 0
        shown = page.read_text(encoding="utf-8").partition("<script")[0]
        assert (SOME in shown) == conditional


@pytest.mark.parametrize("scorer", ["instant-runoff", "borda", "copeland"])
@pytest.mark.parametrize("ballots", [[["a", "b"]] * 2, [["a", "b"], ["b", "a"]]])
def test_explanations_show_in_every_view(ballots: list[list[str]], scorer: str) -> None:
    found = Study(Ballots(ballots), scorer).explain(1)
    assert found.sentence in " ".join(str(found).split())
    assert "favour" in found._repr_html_()
    assert len(found.to_frame("pandas")) == len(found.findings()["rows"])


COMMANDS = (
    f"topk FILE -k 1 {RATED}",
    f"explain FILE a -k 1 {RATED}",
    f"rank FILE {RATED}",
    "topk --help",
)
NO_WIDTHS = ("", "0", "-5", "wide", "²")


@pytest.mark.parametrize("width", NO_WIDTHS)
@pytest.mark.parametrize("command", COMMANDS)
def test_columns_that_say_no_width_count_as_not_set(
    command: str, width: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = Row(SHARED_ITEM, command, ())
    usual = checked(row, tmp_path, capsys)
    assert checked(row, tmp_path, capsys, width) == usual
    assert len(usual.splitlines()) > 5


@pytest.mark.parametrize("width", ["1", "007", "39"])
@pytest.mark.parametrize("command", COMMANDS)
def test_columns_that_hold_no_text_count_as_forty(
    command: str, width: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = Row(SHARED_ITEM, command, ())
    narrow = checked(row, tmp_path, capsys, "40")
    assert checked(row, tmp_path, capsys, width) == narrow


INTERRUPTING = """
import os, runpy, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
sys.argv = ["steadyrank", "topk", {file!r}, "-k", "1", "--item", "item"]
sys.argv += ["--rating", "rating", "--unit", "user"]
runpy.run_module("steadyrank", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(
    "module",
    ["steadyrank.cli", "steadyrank.cli.output", "steadyrank.errors", "duckdb", "numpy"],
)
def test_an_interruption_while_modules_are_loaded(module: str, tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text(SHARED_ITEM, encoding="utf-8")
    script = INTERRUPTING.format(module=module, file=str(file))
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    told = (done.returncode, done.stdout, done.stderr)
    assert told == (130, "", "steadyrank: interrupted.\n")

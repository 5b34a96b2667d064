"""What ``inspect`` says is what is read: its command gives the answer of the file itself."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from rich.cells import cell_len

from steadyrank import read_any
from steadyrank.errors import SteadyrankError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Any]

FILES = {
    "votes.csv": "candidate,votes\nann,5\nbob,3\ncy,3\n",
    "ballots.csv": "ballot,count\na>b>c,3\nb>a,2\nc,1\n",
    "entries.tsv": "voter\tcandidate\trank\n1\ta\t1\n1\tb\t2\n2\tb\t1\n2\ta\t2\n",
    "ratings.csv": "who,what,stars\nu,a,5\nu,b,3\nv,a,4\nv,b,2\n",
    "battles.csv": "Model A;Model B;Winner;judge id\nx;y;tie;1\ny;z;tie;1\nx;z;model_b;2\nx;y;tie;2\n",
    "wins.csv": "winner,loser,-session\nx,y,p\ny,z,p\nz,x,q\n",
    "wide.csv": "judge,it's x,y z,v\na,1,2,3\na,3,4,2\nb,5,1,1\n",
    "board.csv": "model,news wer,call wer,film wer,license\np,1,2,2,mit\nq,3,4,1,gpl\nr,5,1,2,mit\n",
    "wide too.csv": "x,y,worker_id,z\n1,2,7,2\n3,4,7,4\n5,1,8,3\n",
    "regression.csv": "x1,x2,y\n1,2,3\n4,5,7\n7,8,8\n2,1,4\n",
    "lines.jsonl": '{"user": 1, "item": "a", "rating": 3}\n{"user": 2, "item": "b", "rating": 4}\n',
    "order.soc": "# TITLE: t\n# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: a\n"
    "# ALTERNATIVE NAME 2: b\n3: 1,2\n2: 2,1\n",
}
OPTIONS = {"ratings.csv": ("--user", "who", "--item", "what")}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_the_command_reads_what_was_told(run: Command, files: Path, name: str) -> None:
    found = run("inspect", files / name, *OPTIONS.get(name, ()), "--json").json
    data = read_any(
        files / name,
        **dict(zip(("user", "item"), OPTIONS.get(name, ())[1::2], strict=False)),
    )
    assert found["problem"] is None
    assert (found["kind"], found["n_items"], found["n_units"]) == (
        data.kind.name,
        data.n_items,
        data.n_units,
    )
    commands = {None: found["command"]}
    commands |= {one["column"]: one["command"] for one in found["unit_candidates"]}
    assert tuple(commands)[1:] == tuple(column for column, _ in data.unit_candidates)
    for unit, command in commands.items():
        program, *arguments = shlex.split(command)
        assert program == "steadyrank"
        told = run(*arguments, "--json")
        if (
            "There is an answer with --scorer" in told.err
        ):  # it was read, and the scores say no
            continue
        assert told.code == 0, told.err
        assert told.json["unit"] == (unit or found["unit"])
        assert not [
            note
            for note in told.json["notes"]
            if "read as the" in note and "format" not in note
        ]


def test_roles_units_and_rows(run: Command, battles: Path) -> None:
    found = run("inspect", battles, "--json").json
    assert (found["document"], found["format"], found["rows"]) == (
        "inspection",
        "csv",
        900,
    )
    assert {one["column"]: one["role"] for one in found["columns"]} == {
        "left": "left", "right": "right", "winner": "winner", "judge": None,
    }  # fmt: skip
    assert [(one["column"], one["values"]) for one in found["unit_candidates"]] == [
        ("judge", 40)
    ]
    named = run("inspect", battles, "--unit", "judge", "--json").json
    assert (named["n_units"], named["unit"], named["unit_candidates"]) == (
        40,
        "judge",
        [],
    )


def test_one_file_of_those_that_engines_scan_is_inspected(
    run: Command, battles: Path, tmp_path: Path
) -> None:
    path = tmp_path / "battles.parquet"
    pytest.importorskip("duckdb").read_csv(str(battles)).write_parquet(str(path))
    for asked in (
        [tmp_path / "*.parquet"],
        [path, "--engine", "duckdb"],
        [path, "--memory-limit", "1GB"],
    ):
        done = run("inspect", *asked)
        assert (
            done.code,
            "Inspect one of the files, with --engine memory" in done.err,
        ) == (2, True)
    here, there = (
        run("inspect", path, "--json", *more).json
        for more in ((), ("--engine", "memory"))
    )
    assert here == there


FAILING = {
    "nothing.csv": (
        "colour,shape\nred,round\n",
        None,
        "or numbers beside names. Otherwise give --kind ...",
    ),
    "names.csv": ("name,x,y\nj,1,2\nk,3,1\n", None, "--items-in rows"),
    "twice.csv": ("user,item,rating\nu,a,1\nu,a,2\n", "ratings", "--duplicates last"),
    "gaps.csv": ("task,x,y,z\ns,1,2,2\nt,,3,1\n", "scores", "--missing drop"),
    "words.csv": ("user,item,rating\nu,a,good\n", "ratings", "'good' is not a number"),
    "header.csv": ("user,item,rating\n", "ratings", "there are no"),
}


@pytest.mark.parametrize("name", FAILING)
def test_what_cannot_be_read_is_explained(
    run: Command, tmp_path: Path, name: str
) -> None:
    text, kind, help_ = FAILING[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(SteadyrankError):
        read_any(tmp_path / name)
    shown = run("inspect", tmp_path / name)
    assert (shown.code, shown.err) == (0, "")
    assert help_ in " ".join(shown.out.split())
    found = run("inspect", tmp_path / name, "--json").json
    assert (found["kind"], found["command"], found["n_items"]) == (kind, None, None)
    assert found["problem"]


def test_another_kind_that_fits_is_named(run: Command, tmp_path: Path) -> None:
    file = tmp_path / "ranks.csv"
    file.write_text("voter,candidate,rank\n1,a,1\n1,b,2\n2,b,1\n2,a,2\n")
    said = " ".join(run("inspect", file).out.split())
    assert "That gives 2 items and 2 ballots." in said
    assert "Or as votes, 2 items: a, b" in said
    assert "--kind votes --choice candidate" in said
    assert run("inspect", file, "--kind", "votes", "--json").json["n_units"] == 4


def test_a_file_that_is_none_is_an_error(run: Command, tmp_path: Path) -> None:
    assert run("inspect", tmp_path / "gone.csv").code == 2
    assert (
        "kind must be one of"
        in run("inspect", tmp_path / "gone.csv", "--kind", "poll").err
    )
    (tmp_path / "torn.csv").write_text("a,b\n1\n")
    assert "line 2" in run("inspect", tmp_path / "torn.csv").err


@pytest.mark.parametrize("width", [40, 57, 80])
def test_a_command_on_several_lines_is_one_to_a_shell(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    folder = tmp_path / ("a folder of the name " * 4).strip()
    folder.mkdir()
    file = folder / "it's 漢字 $HOME.csv"
    file.write_text("left,right,winner,the judge of the whole affair who is called a judge\nx,y,left,1\n"
                    "x,z,left,1\ny,z,left,2\n")  # fmt: skip
    command = run("inspect", file, "--json").json["unit_candidates"][0]["command"]
    monkeypatch.setenv("COLUMNS", str(width))
    shown = run("inspect", file).out
    assert max(map(cell_len, shown.splitlines())) <= width
    copied = re.split(r"\) ?:|values\):", shown)[1].split("With each")[0].strip()
    script = f'steadyrank() {{ printf "%s\\0" "$@"; }}\n{copied}\n'
    taken = subprocess.run(
        ["sh", "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert taken.split("\0")[:-1] == shlex.split(command)[1:]


def test_hostile_columns_steer_nothing(run: Command, tmp_path: Path) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_text(
        json.dumps({"left": "a", "right": "b", "winner": "left", "\x1b[2Jjudge": "j"})
        + "\n"
    )
    assert "\x1b" not in run("inspect", file).out
    assert "\\x1b[2Jjudge" in run("inspect", file).out


def test_every_field_is_documented(run: Command, battles: Path) -> None:
    from docs.page_examples import DOCS

    page = (
        (DOCS / "reference" / "json-schema.md")
        .read_text(encoding="utf-8")
        .partition('## `"inspection"`')[2]
    )
    for name in run("inspect", battles, "--json").json:
        assert f"`{name}`" in page or name in {
            "schema_version",
            "document",
            "software",
        }, name

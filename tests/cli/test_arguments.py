"""What is typed, and what becomes of it: values, refusals with the nearest name, the help."""

from __future__ import annotations

import shlex
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank.cli.options import COMMANDS, OPTIONS, rows_of
from steadyrank.cli.parser import parsed
from steadyrank.demo import NAMES, demo_file
from steadyrank.errors import InvalidValueError, SteadyrankError
from steadyrank.reading.roles import ROLES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Any]

VALUES = [
    ("topk x.csv", {"words": ["x.csv"], "k": None, "said": {}, "form": "text"}),
    ("topk x.csv -k 3", {"k": 3}),
    ("topk -k3 x.csv", {"k": 3, "words": ["x.csv"]}),
    ("topk -k=3 x.csv", {"k": 3}),
    ("topk -k -1 x.csv", {"k": -1}),
    ("topk x.csv --eps=-1e-3", {"eps": -0.001}),
    ("topk x.csv --delta .5", {"delta": 0.5}),
    ("topk -k 3 -- -x.csv", {"words": ["-x.csv"], "k": 3}),
    ("topk - -vq", {"words": ["-"], "verbose": True, "quiet": True}),
    ("topk x.csv --item A --score B", {"said": {"item": "A", "score": "B"}}),
    ("topk x.csv --left-score A", {"said": {"left_score": "A"}}),
    ("topk x.csv --wide --items 'a,\"b,c\"'", {"said": {"wide": True, "items": 'a,"b,c"'}}),
    ("topk x.csv --lower-is-better --unit u", {"said": {"lower_is_better": True, "unit": "u"}}),
    ("topk x.csv --unit=-u", {"said": {"unit": "-u"}}),
    ("topk x.csv --unit '- u'", {"said": {"unit": "- u"}}),
    ("topk x.csv --unit ''", {"said": {"unit": ""}}),
    ("topk x.csv --sql 'FROM data' --delimiter ';'", {"said": {"sql": "FROM data", "delimiter": ";"}}),
    ("topk x.csv --table a=1 --table b=c=2", {"said": {"tables": {"a": "1", "b": "c=2"}}}),
    ("topk x.csv --memory-limit 2GB", {"said": {"memory_limit": "2GB"}}),
    ("topk x.csv --json", {"form": "json"}),
    ("topk x.csv -o y.JSON", {"form": "json", "output": "y.JSON"}),
    ("topk x.csv --csv -o y", {"form": "csv"}),
    ("topk x.csv -o y.md --markdown", {"form": "markdown"}),
    ("compare x.csv y.csv -o z.html", {"form": "html", "words": ["x.csv", "y.csv"]}),
    ("report x.csv", {"form": "html", "output": None}),
    ("audit x.csv -k 3,5", {"k": [3, 5]}),
    ("explain x.csv -k 3 'an item'", {"words": ["x.csv", "an item"], "k": 3}),
    ("rank x.csv", {"confidence": None}),
    ("rank x.csv --confidence", {"confidence": 0.95}),
    ("rank --confidence 0.9 x.csv", {"confidence": 0.9, "words": ["x.csv"]}),
    ("check x.csv --max-delta 0.1 --min-margin 2", {"max_delta": 0.1, "min_margin": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "values"), VALUES)
def test_what_is_typed_becomes_values(line: str, values: dict[str, Any]) -> None:
    command, *words = shlex.split(line)
    found = vars(parsed(command, words))
    assert {name: found[name] for name in values} == values


REFUSED = [
    ("topk", "topk needs FILE. Type: steadyrank topk FILE [options]."),
    ("compare x.csv", "compare needs NEW. Type: steadyrank compare OLD NEW [options]."),
    ("topk x.csv y.csv", "topk does not know what to do with 'y.csv'."),
    ("topk x.csv --scorr mean", "there is no option '--scorr'. Did you mean --scorer?"),
    ("topk x.csv --scor x", "there is no option '--scor'. Did you mean --score?"),
    ("topk x.csv --uint=u", "there is no option '--uint'. Did you mean --unit?"),
    ("topk x.csv --max-delta 1", "there is no option '--max-delta'."),
    ("topk x.csv --zzz", "there is no option '--zzz'. See: steadyrank topk --help."),
    ("topk x.csv -z", "there is no option '-z'."),
    ("topk x.csv -k", "-k needs a value: K."),
    ("topk x.csv --unit --item i", "--unit needs a value: COLUMN. Write one that begins"),
    ("topk x.csv --wide=1", "--wide takes no value. Omit the value."),
    ("topk x.csv -k many", "-k must be a whole number, but is 'many'."),
    ("topk x.csv -k 2.5", "-k must be a whole number, but is '2.5'."),
    ("topk x.csv --eps wide", "--eps must be a number, but is 'wide'."),
    ("audit x.csv -k 3,x", "-k must be a whole number, but is 'x'."),
    ("rank --confidence x.csv", "--confidence must be a number, but is 'x.csv'."),
    ("topk x.csv -k 3 -k 4", "-k was given 2 times. Give it once."),
    ("topk x.csv --all --all --all", "--all was given 3 times. Give it once."),
    ("topk x.csv --unit a --unit=b", "--unit was given 2 times. Give it once."),
    ("topk x.csv --json --csv", "--json and --csv cannot go together. Give one."),
    ("topk x.csv --table y.csv", "--table must be NAME=FILE, but is 'y.csv'."),
    ("topk x.csv --table a=x --table a=y", "two further tables have the same name."),
    ("topk x.csv --delimiter \udc80", "--delimiter must be UTF-8, but is '\\udc80'."),
    ("topk x.csv -o y.html", "'y.html' ends in .html, but the result is text or json"),
    ("topk x.csv --json -o y.csv", "'y.csv' ends in .csv, but the result is json."),
    ("report x.csv -o y.txt", "'y.txt' ends in .txt, but the result is html."),
    ("demo x.csv", "demo does not know what to do with 'x.csv'."),
    ("demo -o y.txt", "Let its name end in .html, or give it no ending."),
    ("tokp", "there is no command or file 'tokp'. Did you mean topk?"),
    ("inspect x.csv", "there is no command or file 'inspect'."),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message"), REFUSED)
def test_what_cannot_be_is_refused_before_any_file_is_looked_for(
    run: Command, line: str, message: str
) -> None:
    found = run(*shlex.split(line))
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert message in found.err
    assert found.err.startswith("steadyrank: ")


@pytest.mark.parametrize("first", ["x.csv", "./x", "data/*.parquet", "-", "--unit"])
def test_without_a_command_it_is_topk(
    run: Command, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr("steadyrank.cli.commands.topk", asked.append)
    assert run(first, *["u", "x.csv"] * (first == "--unit")).code == 0
    assert asked[0].words == [first if first != "--unit" else "x.csv"]


def test_a_file_may_be_called_as_it_likes(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr("steadyrank.cli.commands.topk", asked.append)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes").touch()
    assert run("votes").code == 0
    assert asked[0].words == ["votes"]


def test_every_role_is_an_option_of_every_command_that_reads() -> None:
    for command, told in COMMANDS.items():
        names = [row.name for row in rows_of(command)]
        assert len(set(names)) == len(names)
        assert (set(ROLES) <= set(names)) == bool(told.takes)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_fits_a_screen(run: Command, command: str) -> None:
    lines = run(command, "--help").out.splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 80
    assert run(command, "-h").out.splitlines() == lines
    assert run(command, "x.csv", "-k", "many", "--help").out.splitlines() == lines
    said = "\n".join(lines)
    for row in rows_of(command):
        assert f"  {row.shown()} " in said
    headings = [heading for heading in OPTIONS if f"\n{heading}\n" in said]
    assert len(headings) == (1 if command == "demo" else 4)


def test_the_overview_and_the_version(run: Command) -> None:
    overview = run("--help")
    assert (overview.code, overview.err) == (0, "")
    assert overview.out == run().out == run("-h").out
    assert max(map(len, overview.out.splitlines())) <= 80
    for name, told in COMMANDS.items():
        assert f"\n  {name:<21} {told.says}\n" in overview.out
    assert run("--version").out == run("-V").out
    assert run("--version").out.startswith("steadyrank 0.")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_example_of_the_help_runs(
    run: Command, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in NAMES:
        with demo_file(file) as path:
            shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    shown = run(command, "--help").out.partition("\nFor example\n")[2].splitlines()
    assert len(shown) >= 2
    assert [line.strip() for line in shown] == [*COMMANDS[command].examples]
    for line in shown:
        program, *words = shlex.split(line)
        assert program == "steadyrank"
        done = run(*words)
        assert done.code == 0 or (command, done.code) == ("check", 1), done.err
        assert done.err == ""
        assert done.out or "-o" in words


def test_errors_are_those_of_the_library() -> None:
    with pytest.raises(InvalidValueError):
        parsed("topk", ["x.csv", "-k", "x"])
    with pytest.raises(SteadyrankError, match="Did you mean --item"):
        parsed("topk", ["x.csv", "--itme", "x"])

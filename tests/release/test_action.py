"""The action and the hook, run as GitHub and pre-commit run them; only the installation is replaced."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from release.repository import ROOT, script, settings_in
from steadyrank.cli import main
from steadyrank.demo import demo_file

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")

ACTION = settings_in("action.yml")
PYTHON = f"""#!/usr/bin/env bash
# Stands for Python: what would be installed is noted, and everything else is run.
if [ "$2" = venv ]; then mkdir -p "$3/bin" && cp "$0" "$3/bin/python"
elif [ "$2" = pip ]; then printf '%s' "${{@: -1}}" > "$RUNNER_TEMP/installed"
else exec {shlex.quote(sys.executable)} "$@"; fi
"""
NO_PYTHON = PYTHON.replace("exec", "exit 2; :")
"""The same, but runs nothing: what is left is the shell."""
EXPRESSION = re.compile(r"\$\{\{ (inputs|steps)\.([\w.-]+) \}\}")


@dataclass(frozen=True)
class Ran:
    """What an action left behind."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str
    folder: Path

    @property
    def obeyed(self) -> list[str]:
        """Lines of the log that a runner takes for commands, but for those that switch it off and on."""
        found, token = [], None
        for line in self.log.splitlines():
            stop = re.fullmatch(r"::stop-commands::(.+)", line)
            if token is None and stop:
                token = stop[1]
            elif line == f"::{token}::":
                token = None
            elif token is None and (line.lstrip().startswith("::") or "##[" in line):
                found.append(line)
        return found


def outputs_of(text: str) -> dict[str, str]:
    """Return what a step handed on, in both forms that the runner takes."""
    found, lines = {}, iter(text.splitlines())
    for line in lines:
        name, heredoc, end = line.partition("<<")
        if heredoc:
            parts: list[str] = []
            for part in lines:
                if part == end:
                    break
                parts.append(part)
            found[name] = "\n".join(parts)
        else:
            name, _, value = line.partition("=")
            found[name] = value
    return found


def filled_in(text: str, known: dict[str, str]) -> str:
    """Return a text of the action with the values of its expressions."""
    return EXPRESSION.sub(lambda found: known.get(f"{found[1]}.{found[2]}", ""), text)


def run_action(folder: Path, text: str = PYTHON, **inputs: str) -> Ran:
    """Run the steps of the action in order, until one fails, with the variables that GitHub sets."""
    temporary = folder / "runner temp"
    temporary.mkdir()
    python = folder / "python"
    python.write_text(text, encoding="utf-8")
    python.chmod(0o755)
    asked = {name.replace("_", "-"): value for name, value in inputs.items()} | {
        "python": str(python)
    }
    assert set(asked) <= set(ACTION["inputs"])
    given = {
        name: asked.get(name, str(one.get("default", "")))
        for name, one in ACTION["inputs"].items()
    }
    known = {f"inputs.{name}": value for name, value in given.items()}
    summary, code, log = folder / "summary.md", 0, ""
    for number, step in enumerate(ACTION["runs"]["steps"]):
        handed_on = temporary / f"output {number}"
        handed_on.touch()
        variables = {
            name: filled_in(value, known) for name, value in step["env"].items()
        }
        script = temporary / f"step {number}.sh"
        script.write_text(step["run"], encoding="utf-8")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script],
            cwd=folder,
            env={
                **os.environ,
                **variables,
                "GITHUB_ACTION_PATH": str(ROOT),
                "GITHUB_OUTPUT": str(handed_on),
                "GITHUB_STEP_SUMMARY": str(summary),
                "RUNNER_TEMP": str(temporary),
                "PYTHONPATH": str(ROOT / "src"),
                "PYTHONIOENCODING": "utf-8",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        code, log = done.returncode, log + done.stdout
        outputs = outputs_of(handed_on.read_text(encoding="utf-8"))
        known |= {
            f"steps.{step['id']}.outputs.{name}": value
            for name, value in outputs.items()
        }
        if code:
            break
    told = {
        name: filled_in(one["value"], known) for name, one in ACTION["outputs"].items()
    }
    written = summary.read_text(encoding="utf-8") if summary.exists() else ""
    return Ran(code, log, told, written, folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("benchmark.csv", "chat_battles.csv"):
        with demo_file(name) as path:
            (tmp_path / name).write_bytes(path.read_bytes())
    return tmp_path


def test_a_stable_table_passes(folder: Path) -> None:
    ran = run_action(
        folder, file="benchmark.csv", k="3", min_margin="2", report="our report.html"
    )
    assert (ran.code, ran.obeyed) == (0, [])
    assert ran.outputs == {
        "stable": "true",
        "exit-code": "0",
        "report": "our report.html",
    }
    assert "STABLE: top 3\n" in ran.log
    assert "The margin is at least 6; 2 asked for: enough." in ran.log
    assert ran.summary.startswith("\n### STABLE: top 3, `benchmark.csv`\n")
    assert (folder / "our report.html").stat().st_size > 10_000
    assert (folder / "runner temp" / "installed").read_text(
        encoding="utf-8"
    ) == f"{ROOT}[cli]"


def test_an_unstable_one_fails_and_no_name_gives_the_runner_a_command(
    folder: Path,
) -> None:
    names = [
        "::error::broken",
        f"{'x' * 79} ::add-mask::a",
        "##[group]x",
        "::stop-commands::y",
    ]
    rows = [
        f"{name},{turn % 5}" for turn, name in enumerate(3 * names[:3] + 2 * names[3:])
    ]
    (folder / "votes.csv").write_text(
        "choice,place\n" + "\n".join(rows) + "\n", encoding="utf-8"
    )
    ran = run_action(
        folder,
        file="votes.csv",
        k="2",
        unit="place",
        arguments="--choice choice --verbose",
    )
    assert (ran.code, ran.obeyed) == (1, [])
    assert ran.outputs == {"stable": "false", "exit-code": "1", "report": ""}
    assert "UNSTABLE: top 2" in ran.log
    assert "::add-mask::a" in ran.log
    assert "of the 5 ballots" in ran.summary
    planted = Ran(
        0, "::stop-commands::t\n::error::x\n::t::\n::error::y\n", {}, "", folder
    )
    assert planted.obeyed == ["::error::y"]


def test_no_input_is_run_by_a_shell(folder: Path) -> None:
    hostile = "$(touch run) `touch run` '; touch run; ' \"; touch run; \" | touch run & touch run"
    every = {
        name.replace("-", "_"): hostile for name in ACTION["inputs"] if name != "python"
    }
    ran = run_action(folder, NO_PYTHON, **every)
    assert (ran.code, ran.outputs) == (2, {"stable": "", "exit-code": "", "report": ""})
    assert (folder / "runner temp" / "installed").read_text(
        encoding="utf-8"
    ) == f"{ROOT}[{hostile}]"
    assert list(folder.rglob("run")) == []


@pytest.mark.parametrize(
    ("inputs", "stable"),
    [
        ({"file": "no such file.csv"}, None),
        ({"file": "--help"}, None),
        ({"arguments": "--help"}, None),
        ({"arguments": "--csv"}, None),
        ({"arguments": "--"}, None),
        ({"arguments": "-o other.json --version"}, None),
        ({"arguments": "--unit $(touch run)"}, None),
        ({"arguments": "--unit 'no end"}, None),
        ({"arguments": "--unit", "max-delta": "0.5"}, None),
        ({"k": ""}, None),
        ({"k": "3 --help"}, None),
        ({"max-delta": "--help"}, None),
        ({"report": "nowhere/report.html"}, True),
        ({"report": "report.txt"}, True),
    ],
    ids=str,
)
def test_what_is_no_success_ends_with_2(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    inputs: dict[str, str],
    stable: bool | None,
) -> None:
    made = script("github_action")
    monkeypatch.setattr(made, "run", lambda words: main(words[3:]))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GITHUB_OUTPUT", str(folder / "output"))
    for name, value in {"file": "benchmark.csv", "k": "3", **inputs}.items():
        monkeypatch.setenv(f"STEADYRANK_{name.upper().replace('-', '_')}", value)
    assert made.main() == 2
    told = outputs_of((folder / "output").read_text(encoding="utf-8"))
    assert told == {"stable": "true" if stable else "", "exit-code": "2", "report": ""}
    assert not (folder / "run").exists()


@pytest.mark.parametrize("code", [0, 1, 2, -9, 130])
def test_a_check_that_leaves_no_verdict_is_not_called_unstable(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    made = script("github_action")
    monkeypatch.setattr(made, "run", lambda words: code)
    monkeypatch.setenv("GITHUB_OUTPUT", str(folder / "output"))
    assert made.main() == 2
    told = outputs_of((folder / "output").read_text(encoding="utf-8"))
    assert told == {"stable": "", "exit-code": "2", "report": ""}


def test_no_stranger_knows_what_ends_a_silence_or_a_value(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = script("github_action")
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    for _ in range(2):
        with made.nothing_obeyed():
            pass
        made.tell({"report": "x", "stable": "y"})
    silences = re.findall(
        r"^::stop-commands::(.+)$", capsys.readouterr().out, re.MULTILINE
    )
    ends = re.findall(
        r"^\w+<<(.+)$", (tmp_path / "output").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert (len(set(silences)), len(set(ends))) == (2, 4)
    assert min(map(len, silences + ends)) >= 32


def test_every_input_reaches_the_check_and_the_report(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made, ran = script("github_action"), []

    def run(words: list[str]) -> int:
        ran.append(words[3:])
        (tmp_path / "check.json").write_text('{"stable": true}', encoding="utf-8")
        return 0

    monkeypatch.setattr(made, "run", run)
    names = (
        "file",
        "k",
        "unit",
        "scorer",
        "max-delta",
        "min-margin",
        "arguments",
        "report",
    )
    given = {name: f"<{name}>" for name in names}
    assert set(names) == set(ACTION["inputs"]) - {"python", "extras"}
    made.verdict(given, tmp_path)
    made.write_report(given)
    both = ["--unit=<unit>", "--scorer=<scorer>"]
    check = [*both, "--max-delta=<max-delta>", "--min-margin=<min-margin>"]
    end = ["--", "<file>"]
    assert ran == [
        [
            "check",
            "<arguments>",
            "-k<k>",
            *check,
            f"--output={tmp_path / 'check.json'}",
            *end,
        ],
        [
            "report",
            "<arguments>",
            "-k<k>",
            *both,
            "--delta=<max-delta>",
            "--output=<report>",
            *end,
        ],
    ]


def test_an_input_counts_where_the_arguments_say_the_same() -> None:
    names = (
        "file",
        "k",
        "unit",
        "scorer",
        "max-delta",
        "min-margin",
        "arguments",
        "report",
    )
    given = dict.fromkeys(names, "") | {
        "file": "x.csv",
        "k": "3",
        "arguments": "-k 9 --max-delta=0.9",
    }
    words = script("github_action").command(
        "check", given, ["--max-delta=0"], "out.json"
    )
    assert words[4:] == ["-k", "9", "--max-delta=0.9", "-k3", "--max-delta=0", "--output=out.json",
                         "--", "x.csv"]  # fmt: skip


def test_the_hook_runs_the_command_that_it_names(folder: Path) -> None:
    [hook] = settings_in(".pre-commit-hooks.yaml")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    program, *first = shlex.split(hook["entry"])
    assert project["scripts"][program] == "steadyrank.__main__:main"
    [extra] = [
        re.fullmatch(r"\.\[(\w+)\]", one) for one in hook["additional_dependencies"]
    ]
    assert extra is not None
    assert extra[1] in project["optional-dependencies"]
    assert hook["pass_filenames"] is False
    for k, code in ((3, 0), (4, 1)):
        assert main([*first, str(folder / "benchmark.csv"), "-k", str(k)]) == code

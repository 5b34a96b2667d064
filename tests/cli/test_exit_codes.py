"""Exit codes are never mistaken: 1 is a check that failed, and nothing else, whatever happens."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from signals import signals_as_usual
from steadyrank.cli.endings import MEANINGS, ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable

    Command = Callable[..., Any]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")

DOCS = Path(__file__).resolve().parents[2] / "docs"

PLANTED = """
import json, os, sys
import steadyrank.cli.commands
import steadyrank.cli.inputs as inputs
from steadyrank.cli import main

class PanicException(BaseException):
    pass

def recurse():  # without arguments: Python 3.13.0 sees no end of functions that take any
    recurse()

before = inputs.read
folder, file, failures = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
for number, failure in enumerate(failures):
    child = os.fork()
    if not child:
        for stream in (1, 2):
            os.dup2(os.open(f"{folder}/{number}.{stream}", os.O_WRONLY | os.O_CREAT), stream)
        exec(f"def fail(*_, **said):\\n    {failure}")
        inputs.read = fail
        sys.exit(main(["check", file, "-k", "4"]))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
NOISE = "import numpy; numpy.float64(1) / 0"
KILL = "import signal, os; os.kill(os.getpid(), signal."
FAILURES = {
    "return before(*_, **said)": 1,
    "raise RuntimeError('odd')": 2,
    "raise MemoryError": 2,
    "recurse()": 2,  # RecursionError
    "raise PanicException('a library')": 2,
    "raise SystemExit(1)": 2,
    "raise SystemExit(0)": 2,
    "raise KeyboardInterrupt": 130,
    "raise GeneratorExit": 2,
    "raise BrokenPipeError(32, 'Broken pipe', 'x')": 0,  # a reader that has gone
    "raise StopIteration": 2,
    f"{KILL}SIGINT); recurse()": 130,
    f"{KILL}SIGTERM); recurse()": 143,
    f"{KILL}SIGHUP); recurse()": 129,
    f"{NOISE}; raise ValueError": 2,
    f"{NOISE}; return before(*_, **said)": 1,
}


def planted(
    benchmark: Path, folder: Path, failures: list[str], **environment: str
) -> list[int]:
    """Let each failure happen in a process of its own, and return how they ended."""
    command = [
        sys.executable,
        "-c",
        PLANTED,
        str(folder),
        str(benchmark),
        json.dumps(failures),
    ]
    found = {**os.environ, **environment}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        env=found,
        preexec_fn=signals_as_usual,
    )
    return [int(code) for code in done.stdout.split()]


def test_whatever_is_raised(benchmark: Path, tmp_path: Path) -> None:
    assert planted(benchmark, tmp_path, list(FAILURES)) == list(FAILURES.values())
    for number, code in enumerate(FAILURES.values()):
        said = (tmp_path / f"{number}.2").read_text(encoding="utf-8")
        assert "Traceback" not in said
        assert "Warning" not in said
        assert said.count("\n") == (code > 1)
        assert ((tmp_path / f"{number}.1").stat().st_size > 0) == (code == 1)


def test_warnings_are_shown_if_asked_for(benchmark: Path, tmp_path: Path) -> None:
    noisy = [failure for failure in FAILURES if failure.startswith(NOISE)]
    codes = planted(
        benchmark, tmp_path, noisy, PYTHONWARNINGS="default::RuntimeWarning"
    )
    assert codes == [FAILURES[failure] for failure in noisy]
    for number in range(len(noisy)):
        assert "RuntimeWarning" in (tmp_path / f"{number}.2").read_text(
            encoding="utf-8"
        )


HERE = {
    "check {file} -k 3": 0,
    "check {file} -k 4": 1,
    "check {file} -k 4 -o {file}": 2,
    "check {file} -k 4 -o no/such/folder": 2,
    "check {file} -k 99": 2,
    "nonsense": 2,
}
"""What needs no shell: a process of one's own would do nothing else."""
SHELL = {
    "check {file} -k 4 < /dev/null": 1,
    "check {file} -k 4 2>&-": 1,
    "check {file} -k 4 <&-": 1,
    "check {file} -k 4 | true": 1,
    "check {file} -k 4 --json | head -c 1": 1,
    "check {file} -k 4 -o /dev/stdout | true": 1,
    "check {file} -k 4 2> /dev/full": 1,
    "check {file} -k 4 > /dev/full": 2,
    "check {file} -k 4 >&-": 2,
    "check {file} -k 4 -o /dev/full": 2,
    "check {file} -k 99 >&- 2>&- <&-": 2,
    "check - -k 4 <&-": 2,
    "{file} -k 4 | true": 0,
    "--help | true": 0,
    "--help >&-": 2,
    "check --help | head -1": 0,
}


def test_every_way_to_end_without_a_shell(
    run: Command, benchmark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = benchmark.read_bytes()
    found = {command: run(*command.format(file=benchmark).split()) for command in HERE}
    assert {command: ended.code for command, ended in found.items()} == HERE
    for ended in found.values():
        lines = ended.err.splitlines()
        assert len(lines) == (ended.code == ExitCode.FAILED)
        assert all(line.startswith("steadyrank: ") for line in lines)
    assert benchmark.read_bytes() == before
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="needs a device that is always full"
)
def test_every_way_to_end(benchmark: Path, tmp_path: Path) -> None:
    """One shell runs them all, each in a process of its own."""
    run = f"{sys.executable} -m steadyrank"
    lines = [
        f"{run} {command.format(file=benchmark)} >> /dev/null; echo code ${{PIPESTATUS[0]}} >&3"
        if ">" not in command and "|" not in command
        else f"{run} {command.format(file=benchmark)}; echo code ${{PIPESTATUS[0]}} >&3"
        for command in SHELL
    ]
    script = "exec 3>codes\n" + "\n".join(lines)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    found = [
        int(code)
        for code in re.findall(r"code (\d+)", (tmp_path / "codes").read_text())
    ]
    assert dict(zip(SHELL, found, strict=True)) == SHELL
    assert "Traceback" not in done.stderr
    assert "should not" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert all(line.startswith("steadyrank: ") for line in done.stderr.splitlines())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["codes"]


def test_the_help_and_the_documents_say_the_codes(run: Command) -> None:
    said = run("--help").out.partition("\nExit codes\n")[2]
    told = dict(re.findall(r"^ +(\d+)  (.+)$", said, re.MULTILINE))
    assert told == {str(int(code)): meaning for code, meaning in MEANINGS.items()}
    page = (DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
    assert dict(re.findall(r"^\| (\d+) \| (.+?) \|$", page, re.MULTILINE)) == told
    assert set(MEANINGS) == set(ExitCode)

"""What ``action.yml`` runs: one check; inputs come as variables, so that no shell takes them for code.

Prints what the check says, tells the workflow how it ended (``stable``, ``exit-code``, ``report``), and
ends with the exit code of the check; 2 if there is no verdict.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FAILED = 2
CODES = {True: 0, False: 1, None: FAILED}
"""How a check ends; of categories, some may have no answer and none be unstable."""
SHARED = ("unit", "scorer")
"""Inputs that are options of ``check`` and of ``report``."""


def options(given: Mapping[str, str], names: tuple[str, ...]) -> list[str]:
    """Return the inputs that are not empty as options; no value can be taken for another option."""
    return [f"--{name}={given[name]}" for name in names if given[name]]


def command(
    what: str, given: Mapping[str, str], asked: list[str], output: Path | str
) -> list[str]:
    """Return a command; of two that say the same an input counts, and the file is never an option."""
    more = shlex.split(
        given["arguments"]
    )  # were their last word to want a value, no k would be left
    last = [f"-k{given['k']}", *asked, f"--output={output}", "--", given["file"]]
    return [sys.executable, "-m", "steadyrank", what, *more, *last]


def run(words: list[str]) -> int:
    """Run a command without a shell and return its exit code."""
    return subprocess.run(words, check=False).returncode  # noqa: S603 (our own program)


@contextmanager
def nothing_obeyed() -> Iterator[None]:
    """Let the runner take no line of the log for a command: names in the data come from strangers."""
    token = token_hex(16)
    sys.stdout.write(f"::stop-commands::{token}\n")
    sys.stdout.flush()
    try:
        yield
    finally:
        sys.stdout.write(f"\n::{token}::\n")
        sys.stdout.flush()


def verdict(
    given: Mapping[str, str], folder: Path
) -> tuple[int, dict[str, Any] | None]:
    """Run the check; return its exit code and its document, or 2 and none where there is no verdict."""
    file = folder / "check.json"
    asked = options(given, (*SHARED, "max-delta", "min-margin"))
    code = run(command("check", given, asked, file))
    if (
        not file.is_file()
    ):  # as after --help, which ends with 0, or a fault, with which Python ends as 1
        return FAILED, None
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return (code, found) if code == CODES[found["stable"]] else (FAILED, None)


def write_report(given: Mapping[str, str]) -> int:
    """Write the report of the same top k and return the exit code."""
    delta = [f"--delta={given['max-delta']}"] if given["max-delta"] else []
    asked = [*options(given, SHARED), *delta]
    return run(command("report", given, asked, given["report"]))


def tell(outputs: Mapping[str, str]) -> None:
    """Hand outputs to the workflow; what stands in a value ends it no sooner than it should."""
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
        for name, value in outputs.items():
            end = token_hex(16)
            file.write(f"{name}<<{end}\n{value}\n{end}\n")


def main() -> int:
    """Run what the environment asks for."""
    from steadyrank.report.text import plain_text

    names = ("file", "k", *SHARED, "max-delta", "min-margin", "arguments", "report")
    given = {
        name: os.environ.get(f"STEADYRANK_{name.upper().replace('-', '_')}", "")
        for name in names
    }
    with nothing_obeyed(), tempfile.TemporaryDirectory() as folder:
        try:
            code, found = verdict(given, Path(folder))
        except ValueError as error:  # a quotation that does not end
            sys.stdout.write(f"arguments: {error}\n")
            code, found = FAILED, None
        if found is not None:
            sys.stdout.write(plain_text(found) + "\n")
            sys.stdout.flush()
        written = given["report"] if found is not None and given["report"] else ""
        if written and write_report(given):
            code, written = FAILED, ""
    stable = (
        "" if found is None or found["stable"] is None else str(found["stable"]).lower()
    )
    tell({"stable": stable, "exit-code": str(code), "report": written})
    return code


if __name__ == "__main__":
    sys.exit(main())

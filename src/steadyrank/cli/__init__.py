"""The command ``steadyrank``: parse, call the library, show. Nothing is computed here."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from steadyrank.cli.output import (
    ExitCode,
    open_standard_streams,
    run_guarded,
    say,
    settle_width,
)
from steadyrank.errors import MissingPackageError

if TYPE_CHECKING:
    from collections.abc import Sequence

NEEDED = ("typer", "rich")
ALONE = {"--lower-is-better": "all", "--standardise": "z"}
"""Options that may stand without a value, and what they mean then."""
COMPLETING = "_STEADYRANK_COMPLETE"
"""Set by shells that ask how a line may go on."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code (:class:`~steadyrank.cli.output.ExitCode`)."""
    open_standard_streams()
    settle_width()
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        needed = f"the command line needs {' and '.join(missing)}"
        return say(str(MissingPackageError(needed, "cli")), ExitCode.FAILED)
    given = (sys.argv[1:] if arguments is None else list(arguments)) or ["--help"]
    return run_guarded(lambda: _run(with_values(given)), given)


def with_values(given: Sequence[str]) -> list[str]:
    """Give options that may stand alone the value that they mean then.

    Examples
    --------
    >>> with_values(["topk", "a.csv", "--lower-is-better", "-k", "3"])
    ['topk', 'a.csv', '--lower-is-better', 'all', '-k', '3']
    """
    following = [*given[1:], "-"]
    return [
        part
        for one, after in zip(given, following, strict=True)
        for part in (
            [one, ALONE[one]] if one in ALONE and after.startswith("-") else [one]
        )
    ]


def _run(given: list[str]) -> int | None:
    from steadyrank.cli.app import COMMANDS, make_app

    asked, completing = given[0] in COMMANDS, COMPLETING in os.environ
    name = ["steadyrank", given[0]] if asked and not completing else ["steadyrank"]
    app = make_app(COMMANDS if completing else name[1:], alone=len(name) > 1)
    try:
        code: Any = app(
            args=given[len(name) - 1 :], prog_name=" ".join(name), standalone_mode=False
        )
    except (
        SystemExit
    ) as ended:  # how the parser ends when it has told a shell what it asked
        if asked or ended.__context__ is not None:
            raise
        code = ended.code
    # Only a check of ours ends with 1, never a shell that is not known.
    return code if isinstance(code, ExitCode) or code != 1 else ExitCode.FAILED

"""The command ``steadyrank``: parse, call the library, show. Nothing is computed here.

words -> options -> study of the file -> result -> document -> view
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from steadyrank import __version__
from steadyrank.cli.endings import open_standard_streams, run_guarded
from steadyrank.cli.options import COMMANDS, ROWS
from steadyrank.cli.output import deliver
from steadyrank.cli.parser import (
    HELP,
    VERSION,
    command_help,
    overview,
    parsed,
    parted,
    unknown,
)
from steadyrank.errors import SteadyrankError, typed_name


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    words : sequence of str, optional
        What was typed after the name of the program; that of this process if not given.

    Returns
    -------
    int
        One of :class:`~steadyrank.cli.endings.ExitCode`.
    """
    open_standard_streams()
    typed = [*(sys.argv[1:] if words is None else words)]
    return run_guarded(lambda: _run(typed))


def _run(words: list[str]) -> int | None:
    if not words or words[0] in HELP:
        deliver(overview())
        return None
    if words[0] in VERSION:
        deliver(f"steadyrank {__version__}")
        return None
    command, rest = _command_in(words)
    if set(HELP) & set(parted(rest)[0]):
        deliver(command_help(command))
        return None
    try:
        asked = parsed(command, rest)
        # Its imports take longer than all that was done so far.
        run = getattr(import_module("steadyrank.cli.commands"), command)
        code: int | None = run(asked)
    except SteadyrankError as error:
        error.problem = as_typed(error.problem)
        raise
    return code


def _command_in(words: list[str]) -> tuple[str, list[str]]:
    """Return the command, topk if it is left out, and the words after it."""
    first = words[0]
    if first in COMMANDS:
        return first, words[1:]
    if first.isidentifier() and not Path(first).exists():  # no path looks like that
        raise unknown("command or file", first, COMMANDS)
    return "topk", words


def as_typed(problem: str) -> str:
    """Return a problem of the library with its arguments as the command line has them.

    Names with an underscore are no English words; others are meant only where a rule
    begins. In quotes stands what is in the data.

    Examples
    --------
    >>> as_typed("k must be 1"), as_typed("'k': left_score must be said with right_score")
    ('-k must be 1', "'k': --left-score must be said with --right-score")
    """
    names = {row.name for row in ROWS}
    joined = "|".join(name for name in names if "_" in name)
    rule = re.compile(
        rf"(?<!['\"\w-])(?:{joined})(?!['\"\w=])|(?:(?<=^)|(?<=: ))(?:{'|'.join(names)})(?= must )"
    )
    return rule.sub(lambda found: typed_name(found[0]), problem)

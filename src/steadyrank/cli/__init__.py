"""The command ``steadyrank``: parse, call the library, show. Nothing is computed here."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

NEEDED = ("typer", "rich")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0: fine. 1: ``check`` found the answer unstable, and nothing else. 2: bad input, a result that
    cannot be written, or any other failure. 130: interrupted.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        sys.stderr.write(
            f"steadyrank: the command line needs {' and '.join(missing)}. "
            'Install it with: pip install "steadyrank[cli]"\n'
        )
        return 2
    from steadyrank.cli.failures import run_guarded

    given = (sys.argv[1:] if arguments is None else list(arguments)) or ["--help"]
    return run_guarded(given)

"""Run an experiment: ``python -m paper regression`` or ``python -m paper netflix``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from steadyrank.errors import MissingPackageError, SteadyrankError

if TYPE_CHECKING:
    from collections.abc import Sequence

BAD_INPUT = 2


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; what goes wrong is one message, not a traceback."""
    try:
        return _run(arguments)
    except SteadyrankError as error:
        sys.stderr.write(f"paper: {error}\n")
        return BAD_INPUT


def _run(arguments: Sequence[str]) -> int:
    try:
        from paper.commands import run
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            f"the paper's experiments need {error.name}", "plot"
        ) from error
    try:
        run(arguments)
    except SystemExit as finished:  # argparse leaves by it, and knows the exit code
        return int(finished.code or 0)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

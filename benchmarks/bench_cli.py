"""How fast the command line starts: its overview, beside the mere import of NumPy."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from measure import at_most

LIMIT = 1.0


def command(*arguments: str) -> Any:
    """Return a function that runs a fresh Python process, output thrown away."""

    def call() -> None:
        subprocess.run(
            [sys.executable, *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            env={**os.environ},
        )

    return call


def run(quick: bool) -> list[dict[str, Any]]:
    repeats = 5 if quick else 15
    row = at_most(
        "steadyrank --help",
        command("-c", "import numpy"),
        command("-m", "steadyrank", "--help"),
        LIMIT,
        repeats=repeats,
        note='baseline: python -c "import numpy"; whole processes, the best of each',
    )
    return [row.to_dict()]

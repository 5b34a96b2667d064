"""Measure the walk of a file: what ``steadyrank topk restaurants.csv -k 5`` loads, calls and costs.

Modules of ours that are loaded, changes from one of our packages to another (helpers at the top not
counted), and processor time beside that of importing NumPy and DuckDB: the median of several
runs, one after the other, each with compiled bytecode.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from inspect import CO_OPTIMIZED
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType, FrameType

FILE = (
    Path(__file__).resolve().parents[1]
    / "src"
    / "steadyrank"
    / "demo"
    / "restaurants.csv"
)
ROLES = "--item restaurant --rating stars --unit reviewer"
COMMAND = ["topk", str(FILE), "-k", "5", *ROLES.split()]
BESIDE = "import numpy, duckdb"
MOST_MODULES, MOST_CHANGES, MOST_TIME = 90, 150, 1.7
"""How much of each is wanted at most; of time, as often as what is imported beside."""


LOADING = "loading"


def room_of(module: str) -> str:
    """Return the package of a module of ours; nothing for others and for helpers at the top."""
    parts = module.split(".")
    return parts[1] if parts[0] == "steadyrank" and len(parts) > 2 else ""


class Walk:
    """Counts the calls of functions that go from one of our packages into another.

    What runs while a module is loaded is no call of anybody's.
    """

    def __init__(self) -> None:
        self.changes = Counter[tuple[str, str]]()
        self._rooms: dict[CodeType, str] = {}

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Take note of a call whose caller is in another package; others and helpers are passed over."""
        room = self._room(frame) if event == "call" else ""
        if room in {"", LOADING}:
            return
        caller = frame.f_back
        while caller is not None and not self._room(caller):
            caller = caller.f_back
        before = "" if caller is None else self._room(caller)
        if before not in {room, LOADING}:
            self.changes[before, room] += 1

    def _room(self, frame: FrameType) -> str:
        code = frame.f_code
        if code not in self._rooms:
            found = room_of(str(frame.f_globals.get("__name__", "")))
            loading = (
                code.co_name == "<module>" or not code.co_flags & CO_OPTIMIZED
            )  # or a class
            self._rooms[code] = LOADING if loading and found else found
        return self._rooms[code]


def walked(arguments: list[str]) -> tuple[int, Walk, list[str]]:
    """Run the command here; return its exit code, the changes, and the modules of ours."""
    from steadyrank.cli import main

    walk = Walk()
    sys.setprofile(walk)
    try:
        code = main(arguments)
    finally:
        sys.setprofile(None)
    return (
        code,
        walk,
        sorted(name for name in sys.modules if name.split(".")[0] == "steadyrank"),
    )


def processor_time(command: list[str], cache: str) -> float:
    """Return the seconds of processor time that a program takes."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = os.times()
    subprocess.run(  # noqa: S603 (one of our own)
        [sys.executable, *command],
        env=environment,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def times(runs: int) -> tuple[float, float]:
    """Return the processor time of the command, and of the imports beside it."""
    commands = [["-m", "steadyrank", *COMMAND], ["-c", BESIDE]]
    taken: list[list[float]] = [[], []]
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(runs + 1):  # the first ones compile
            for place, command in enumerate(commands):
                taken[place].append(processor_time(command, cache))
    return statistics.median(taken[0][1:]), statistics.median(taken[1][1:])


def main() -> None:
    """Print what the walk loads, changes and costs."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    cost, beside = times(runs)
    _, walk, modules = walked(COMMAND)
    sys.stdout.write(f"\nmodules of ours: {len(modules)} (at most {MOST_MODULES})\n")
    for room, number in Counter(map(room_of, modules)).most_common():
        sys.stdout.write(f"  {room or '(top)':12}{number:5}\n")
    sys.stdout.write(
        f"changes of package: {walk.changes.total():,} (at most {MOST_CHANGES})\n"
    )
    for (before, after), number in walk.changes.most_common(12):
        sys.stdout.write(f"  {before or '-':>12} -> {after:12}{number:5}\n")
    sys.stdout.write(
        f"processor time: {cost:.2f} s, {cost / beside:.2f} times that of {BESIDE!r}, {beside:.2f} s "
        f"(at most {MOST_TIME})\n"
    )


if __name__ == "__main__":
    main()

"""Compare this tree with a commit: ``python benchmarks/against.py COMMIT [names...] [--quick]``.

Both sides get an environment of their own in a temporary folder, and the commit a git worktree. They run
in turns, new, old, new, old; of each row the least time of a side counts. Both run the scripts of this
tree, so that the work is the same; where these do not run with the package of the commit, it runs its
own, and rows of the same name are compared.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from run import HERE, checked, duration, known

Command = list[str | Path]
Rows = list[dict[str, Any]]
TREE = HERE.parent
EXTRAS = "cli,duckdb,refit"  # what benchmarks need of the package beside its core


class CommandError(Exception):
    """A command failed; the message is the last line of its errors."""


@dataclass(frozen=True)
class Side:
    """A tree, and a Python in which its package is installed."""

    tree: Path
    python: Path

    def rows(self, name: str, quick: bool, scripts: Path = HERE) -> Rows:
        """Run a section of a folder of benchmarks."""
        options: Command = ["--json", "--scripts", scripts]
        if quick:
            options.append("--quick")
        printed = output_of([self.python, HERE / "run.py", name, *options])
        rows: Rows = json.loads(printed.splitlines()[-1])
        return rows


def output_of(command: Command) -> str:
    """Run a command and return what it printed; if we are stopped, so are its children."""
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,  # to be stopped with its children
    )
    try:
        printed, errors = child.communicate()
    except BaseException:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        raise
    if child.returncode:
        raise CommandError((errors.strip().splitlines() or ["no message"])[-1])
    return printed


def commit_of(name: str) -> str:
    revision: Command = ["--verify", "--end-of-options", name + "^{commit}"]
    try:
        return output_of(["git", "-C", TREE, "rev-parse", *revision]).strip()
    except CommandError:
        raise SystemExit(
            f"unknown commit {name!r}; `git log --oneline` lists those of this repository"
        ) from None


@contextmanager
def both_sides(commit: str) -> Iterator[tuple[Side, Side]]:
    """Give this tree and that of the commit, each installed in an environment of its own."""
    with tempfile.TemporaryDirectory(prefix="steadyrank-against-") as place:
        folder = Path(place).resolve()
        tree = folder / "base"
        worktree: Command = ["git", "-C", TREE, "worktree"]
        try:
            output_of([*worktree, "add", "--detach", tree, commit])
            shared = TREE.parent / "shared"
            if shared.exists():  # data beside the repository: the same for both
                (folder / "shared").symlink_to(shared.resolve())
            yield installed(TREE, folder / "new"), installed(tree, folder / "old")
        finally:
            with suppress(CommandError):  # it may not have come into being
                output_of([*worktree, "remove", "--force", "--force", tree])


def installed(tree: Path, environment: Path) -> Side:
    """Install a tree in an environment that sees the libraries of this one, the same for both sides."""
    output_of([sys.executable, "-m", "venv", environment])
    python = environment / "bin" / "python"
    packages = "import sysconfig; print(sysconfig.get_path('purelib'))"
    own = Path(output_of([python, "-c", packages]).strip())
    (own / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip: Command = [python, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    output_of([*pip, "install", "--editable", f"{tree}[{EXTRAS}]"])
    return Side(tree, python)


def in_turns(
    new: Side, old: Side, name: str, turns: int, quick: bool
) -> tuple[list[Rows], list[Rows], str]:
    """Return the rows of each turn of both sides, and a note on the scripts that were run."""
    new_turns = [new.rows(name, quick)]
    scripts, note = HERE, "Both sides run the scripts of this tree."
    try:
        old_turns = [old.rows(name, quick)]
    except CommandError as reason:
        note = f"The commit runs its own scripts; this tree's end with: {reason}"
        scripts = old.tree / "benchmarks"
        try:
            old_turns = [old.rows(name, quick, scripts)]
        except CommandError as own_reason:
            return new_turns, [], f"{note}\nIts own end with: {own_reason}"
    for _ in range(turns - 1):
        new_turns.append(new.rows(name, quick))
        old_turns.append(old.rows(name, quick, scripts))
    return new_turns, old_turns, note


def least(turns: list[Rows], name: str, key: str) -> float:
    """Return the least value of a row over the turns; NaN where it has none."""
    values = [
        row.get(key, math.nan) for rows in turns for row in rows if row["name"] == name
    ]
    return min((value for value in values if not math.isnan(value)), default=math.nan)


def ratio_table(new: list[Rows], old: list[Rows]) -> list[str]:
    """Return the lines of the table: for each row new / old, of the least times and of single turns."""
    lines = [
        "| what | new | old | new / old | single turns | peak memory, new / old |",
        "|---|---|---|---|---|---|",
    ]
    here = [row["name"] for row in new[0]]
    there = [row["name"] for row in old[0]] if old else []
    for name in dict.fromkeys([*here, *there]):
        times = least(new, name, "ours"), least(old, name, "ours")
        peaks = least(new, name, "peak"), least(old, name, "peak")
        cells = [name, duration(times[0]), duration(times[1])]
        if name in here and name in there:
            cells += [shown_ratio(*times), spread(new, old, name), shown_ratio(*peaks)]
        else:
            cells += ["only here" if name in here else "only there", "", ""]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def shown_ratio(new: float, old: float) -> str:
    return "" if math.isnan(new / old) else f"{new / old:.2f}"


def spread(new: list[Rows], old: list[Rows], name: str) -> str:
    """Return the lowest and highest ratio of single turns: what noise there is."""
    pairs = zip(new, old, strict=True)
    ratios = [least([n], name, "ours") / least([o], name, "ours") for n, o in pairs]
    measured = [ratio for ratio in ratios if not math.isnan(ratio)]
    return f"{min(measured):.2f} to {max(measured):.2f}" if measured else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", help="the commit to compare with")
    parser.add_argument("names", nargs="*", help=f"which of: {', '.join(known())}")
    parser.add_argument("--quick", action="store_true", help="small inputs")
    parser.add_argument("--turns", type=int, default=3, help="runs of each side")
    options = parser.parse_args()
    names = checked(options.names)
    commit = commit_of(options.commit)
    os.environ.pop("PYTHONPATH", None)  # it would hide the package of one side
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # folders are removed
    with both_sides(commit) as (new, old):
        print(
            f"# This tree against {commit[:8]}: best of {options.turns} turns",
            flush=True,
        )
        for name in names:
            new_turns, old_turns, note = in_turns(
                new, old, name, options.turns, options.quick
            )
            lines = ratio_table(new_turns, old_turns)
            print(f"\n## {name.capitalize()}\n\n{note}\n", *lines, sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

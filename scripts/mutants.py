"""Would the contracts notice a mistake? ``python scripts/mutants.py [names...] [--few NUMBER]``.

Each row of ``mutants.toml`` is a plausible mistake: a text of one file of the package, and what stands
there instead. It is made in a copy of ``src``, never in the working tree, and the contracts that the
row selects must fail with that copy. A row that no contract can kill gives its reason. Where a row has
neither, all contracts run, and the output names the test to select. ``--few`` tries that many rows,
chosen by the sources: other sources, other rows, and a run can be repeated.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import perf_counter

TREE = Path(__file__).resolve().parents[1]
PACKAGE = TREE / "src" / "steadyrank"
TABLE = Path(__file__).with_suffix(".toml")
CONTRACTS = "tests/contracts"
LIMITS = {"CONTRACT_SEEDS": "7", "STEADYRANK_FUZZ": "1"}  # one case of each shape
RUNAWAY = 600  # seconds; a mutant that loops forever has not been noticed by a contract


class MutantError(Exception):
    """A row of the table that does not fit the source or the contracts."""


@dataclass(frozen=True)
class Mutant:
    """A mistake: `old` becomes `new` in a file of the package.

    `killed_by` selects the tests that notice it, as pytest's ``-k`` does: contracts, unless `tests` is
    another folder. A row that none notices has a `reason` instead.
    """

    name: str
    file: str
    old: str
    new: str
    killed_by: str = ""
    tests: str = CONTRACTS
    reason: str = ""

    def changed(self, source: str) -> str:
        """Return the source with the mistake."""
        found = source.count(self.old)
        if found != 1:
            raise MutantError(
                f"{self.name!r}: its old text stands {found} times in {self.file}, not once; "
                f"mend the row in {TABLE.name}"
            )
        return source.replace(self.old, self.new)


@dataclass(frozen=True)
class Outcome:
    """What the contracts said: the test that failed, if one did, or why there is no answer."""

    killer: str | None
    seconds: float
    remark: str = ""


def mutants() -> list[Mutant]:
    """Return the rows of the table."""
    return [Mutant(**row) for row in tomllib.loads(TABLE.read_text())["mutant"]]


def chosen(names: list[str], few: int | None) -> list[Mutant]:
    """Return the named mutants, or a few that the sources choose, or all."""
    table = {mutant.name: mutant for mutant in mutants()}
    for name in names:
        if name not in table:
            raise MutantError(f"unknown mutant {name!r}; {TABLE.name} lists them")
    if few is None:
        return [table[name] for name in names or table]
    seed = digest_of_sources()
    sys.stdout.write(f"seed: {seed}\n")
    killed = [mutant for mutant in table.values() if mutant.killed_by]
    return random.Random(seed).sample(killed, few)


def digest_of_sources() -> str:
    """Return twelve digits that any change of the package changes."""
    files = sorted(PACKAGE.rglob("*.py"))
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def check_without_mistakes(some: list[Mutant]) -> None:
    """Refuse to go on where a selected test fails anyway: it would seem to kill every mutant."""
    for tests in sorted({mutant.tests for mutant in some}):
        selected = [m.killed_by for m in some if m.tests == tests and m.killed_by]
        if not selected:
            continue
        outcome = outcome_of(tests, " or ".join(f"({words})" for words in selected))
        if outcome.killer:
            raise MutantError(f"{outcome.killer} fails without any mistake")


def outcome_of(tests: str, selection: str, mistake: Mutant | None = None) -> Outcome:
    """Run tests with a copy of the package, in which there may be a mistake."""
    with tempfile.TemporaryDirectory(prefix="steadyrank-mutant-") as place:
        package = Path(place) / PACKAGE.name
        shutil.copytree(PACKAGE, package)
        if mistake:
            path = package / mistake.file
            path.write_text(mistake.changed(path.read_text()))
        command = [sys.executable, "-m", "pytest", tests, "-k", selection]
        command += ["-x", "-q", "--tb=line", "-p", "no:cacheprovider"]
        start = perf_counter()
        try:
            done = subprocess.run(  # noqa: S603 (our own words)
                command,
                cwd=TREE,
                env={**os.environ, **LIMITS, "PYTHONPATH": place},
                capture_output=True,
                text=True,
                timeout=RUNAWAY,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Outcome(None, RUNAWAY, "stopped: it ran away")
        seconds = perf_counter() - start
    if done.returncode == 0:
        return Outcome(None, seconds)
    failed = re.search(r"^FAILED (?:\S*/)?(.+?)(?: - |$)", done.stdout, re.MULTILINE)
    if done.returncode != 1 or failed is None:
        lines = (done.stdout + done.stderr).strip().splitlines()
        raise MutantError(f"-k {selection!r} in {tests} does not run: {lines[-1]}")
    return Outcome(failed[1], seconds)


def verdict(mutant: Mutant, outcome: Outcome) -> tuple[str, bool]:
    """Return what to print of a mutant, and whether its row is right."""
    if outcome.killer is None and mutant.reason:
        return f"alive, since {mutant.reason}", True
    if outcome.killer is None:
        return f"ALIVE: add a test or a reason. {outcome.remark}", False
    if mutant.reason:
        return f"KILLED by {outcome.killer}: replace its reason by killed_by", False
    return f"killed by {outcome.killer}", True


def try_all(some: list[Mutant]) -> int:
    """Try mutants, one after the other, and return whether the row of one is wrong."""
    check_without_mistakes(some)
    wrong = 0
    for mutant in some:
        outcome = outcome_of(mutant.tests, mutant.killed_by, mutant)
        words, is_right = verdict(mutant, outcome)
        wrong += not is_right
        row = f"{mutant.name} ({mutant.file}, {outcome.seconds:.0f} s)"
        sys.stdout.write(f"{row}: {words}\n")
        sys.stdout.flush()
    return int(wrong > 0)


def main() -> int:
    """Read the arguments and try the mutants."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="which mutants; all by default")
    parser.add_argument("--few", type=int, help="how many, chosen by the sources")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the copy is removed
    try:
        return try_all(chosen(options.names, options.few))
    except MutantError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    raise SystemExit(main())

"""Write the table of generated tests into docs/research/tried.md, from the tests themselves.

Run from anywhere: ``python scripts/tried_table.py``.
"""

from __future__ import annotations

import ast
from pathlib import Path

from pages import DOCS, put

TESTS = Path(__file__).resolve().parents[1] / "tests" / "adversary"
PAGE = DOCS / "research" / "tried.md"
FUZZ_TIMES = 25
"""What ``make fuzz`` multiplies the numbers with; a test compares it with the Makefile."""
HEAD = "| what must hold | files `test_….py` | tests | cases |\n|---|---|--:|--:|"
VERDICTS = {
    "**Jumps.** At the very eps where an answer changes, and one float beside it, every route gives "
    "the same answer; sets of rankings are those of listing.": (
        "jumps meeting counting state_limits least_moves long_rankings"
    ),
    "**Answers.** Standings, ranks, shares, flips, moves and contributions are those of removing each "
    "unit and scoring the raw rows anew.": (
        "standings mixtures comparison near_rank paired_audits grouped_units items_left_out "
        "explanations unit_candidates"
    ),
    "**Several removals.** No margin, list or limit says more than every subset of small data, removed "
    "and scored anew.": ("away margins condorcet_margins lists_for_removals"),
    "**Scorers.** Scores with and without each unit are those of fractions, dictionaries, replays and "
    "refits; no unit moves them further than is proved.": (
        "battle_scorers instant_runoff pairwise table_scorers scaled_ties fitted_scores weights "
        "weights_apart extreme_units climbing"
    ),
    "**Sizes.** Huge, subnormal and far-off numbers change no other item's score, or are refused by "
    "name.": "sums counts extremes",
    "**Files.** Damaged files of every format read as a slow reader reads them, or are refused by name; "
    "steps grow with the size.": (
        "reading reading_growth parquet layout_bytes results spellings read_at_once written_and_read"
    ),
    "**Engines.** Odd files, names and types give the study that memory gives, or the same refusal.": (
        "engines_differ"
    ),
    "**Confidence.** Rank sets and intervals are those of loops over pairs and draws.": "confidence",
    "**Views.** No name from a file is a formula, markup or a command; nothing is wider than the "
    "terminal.": "cells markdown narrow_terminals shortened_names",
    "**Targets.** Results go where a shell would write them, whole or not at all.": "output_targets",
}
"""What must hold, with the files that try it; a file that is in none of them stands in a last row."""


def tried(path: Path) -> tuple[int, int, bool]:
    """Return how many tests a file has, how many cases they draw, and whether some depend on a sort."""
    tests = [
        node
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    drawn = [
        getattr(call.args[0], "value", None)
        for test in tests
        for call in ast.walk(test)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "cases"
    ]
    known = [number for number in drawn if isinstance(number, int)]
    return len(tests), sum(known), len(known) < len(drawn)


def table() -> list[str]:
    """Return the lines of the table; a test compares them with the page."""
    left = {
        path.stem.removeprefix("test_"): path
        for path in sorted(TESTS.glob("test_*.py"))
    }
    rows = [row(says, [(name, left.pop(name)) for name in names.split()]) for says, names in
            VERDICTS.items()]  # fmt: skip
    others = [row("What else is tried.", list(left.items()))] if left else []
    return [*HEAD.splitlines(), *rows, *others]


def row(says: str, files: list[tuple[str, Path]]) -> str:
    """Return one row: what must hold, and the sums over its files."""
    tests, cases, more = zip(*(tried(path) for _, path in files), strict=True)
    names = ", ".join(f"`{name}`" for name, _ in files)
    return f"| {says} | {names} | {sum(tests)} | {sum(cases):,}{'+' * any(more)} |"


if __name__ == "__main__":
    put("\n".join(table()), PAGE, "tried_table")

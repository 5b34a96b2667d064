"""Write how many removals change the top k of every real data set beside the checkout.

Run from anywhere: ``python scripts/margins_table.py [FOLDER]``. The folder is that of the real data; by
default ``shared/data`` beside the checkout. The tables of docs/research/margins.md and README.md are
written anew.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pages import DOCS, REAL_DATA, ROOT, put
from real_data_table import CASES, WANTED_K, unbroken

from steadyrank import Study, read

if TYPE_CHECKING:
    from real_data_table import Case

    from steadyrank import Margin

PAGE, README = DOCS / "research" / "margins.md", ROOT / "README.md"
KNOWN = {
    "Chatbot Arena": ("Chatbot Arena", "battles"),
    "TALENT, binary": ("TALENT (tables)", "data sets"),
    "LLMFAO, by prompt": ("LLMFAO", "prompts"),
}
"""Boards that people know: how the README calls them and their units."""
KNOWN_K = 10
KNOWN_HEAD = """| board | unit | removals that change it | units that change it alone | who then enters |
|---|---:|---:|---:|---|"""


def number(margin: Margin) -> str:
    """Return the number of a margin, or its interval."""
    if margin.never:
        return "never"
    if margin.upper is None:
        return f"at least {margin.lower:,}"
    return (
        f"{margin.lower:,}" if margin.exact else f"{margin.lower:,} to {margin.upper:,}"
    )


def named(items: tuple[object, ...]) -> str:
    """Return labels in words, safe in a table."""
    return " and ".join(f"*{str(item).replace('|', '/')}*" for item in items)


def study_of(case: Case, folder: Path) -> Study:
    """Return the study of one case."""
    data: Any = read(folder / case.file, **case.options)
    return Study(data)


def row(case: Case, study: Study) -> str:
    """Return the row of one case: its margin for each k."""
    told = [
        unbroken(number(study.margin(k))) if k < len(study.items) else ""
        for k in WANTED_K
    ]
    unit = unbroken(f"{study.units.kind}, {study.units.total:,}")
    return "| " + " | ".join([case.title, unit, *told]) + " |"


def known_row(case: Case, study: Study) -> str:
    """Return the row of a board that people know."""
    title, units = KNOWN[case.title]
    margin = study.margin(KNOWN_K)
    alone = sum(flip.count for flip in study.flips(KNOWN_K).plain)
    cells = [
        f"{title}, {len(study.items)} items",
        unbroken(f"{study.units.total:,} {units}"),
        unbroken(number(margin)),
        f"{alone:,}",
        named(margin.enters),
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Look at every case and write both pages."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else REAL_DATA
    if not folder.is_dir():
        sys.exit(
            f"there is no folder {folder.name!r} of real data; give its path as the argument."
        )
    studies = [(case, study_of(case, folder)) for case in CASES]
    head = ["data", "unit, n", *(f"k = {k}" for k in WANTED_K)]
    lines = [f"| {' | '.join(head)} |", f"|---|---|{'---:|' * len(WANTED_K)}"]
    put("\n".join([*lines, *(row(*one) for one in studies)]), PAGE, "margins_table")
    known = [known_row(case, study) for case, study in studies if case.title in KNOWN]
    put("\n".join([KNOWN_HEAD, *known]), README, "margins_table")


if __name__ == "__main__":
    main()

"""Say for every real data set beside the checkout how many units must leave, in docs/margins.md.

Run from anywhere: ``python scripts/margins_table.py [FOLDER]``. The folder is that of the real data; by
default ``shared/data`` beside the checkout. The page is rewritten between its two markers.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from real_data_table import CASES, FOLDER, ROOT, WANTED_K, named, unbroken

from steadyrank import Study, read_any

if TYPE_CHECKING:
    from real_data_table import Case

    from steadyrank import Margin

PAGE = ROOT / "docs" / "margins.md"
START, END = "<!-- made by scripts/margins_table.py: start -->", "<!-- end -->"
HEAD = "| data | unit, n | k | must leave | who then enters |\n|---|---|---:|---:|---|"


def number(margin: Margin) -> str:
    """Return the number of a margin, or its interval."""
    if margin.never:
        return "never"
    if margin.upper is None:
        return f"at least {margin.lower:,}"
    return f"{margin.lower:,}" if margin.exact else f"{margin.lower:,} to {margin.upper:,}"


def rows(case: Case, folder: Path) -> list[str]:
    """Return the rows of one case."""
    data: Any = read_any(folder / case.file, **case.options)
    study = Study(data)
    found = []
    for place, k in enumerate(k for k in WANTED_K if k < data.n_items):
        margin = study.margin(k)
        head = ("", "") if place else (case.title, unbroken(f"{data.units.kind}, {data.n_units:,}"))
        who = named(margin.enters) if margin.enters else ""
        cells = [*head, str(k), unbroken(number(margin)), who]
        found.append("| " + " | ".join(cells) + " |")
    return found


def main() -> None:
    """Look at every case and write the page."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    if not folder.is_dir():
        sys.exit(f"there is no folder {folder.name!r} of real data; give its path as the argument.")
    table = "\n".join([HEAD, *(row for case in CASES for row in rows(case, folder))])
    before, rest = PAGE.read_text(encoding="utf-8").split(START)
    text = f"{before}{START}\n\n{table}\n\n{END}{rest.split(END)[1]}"
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

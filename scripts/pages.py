"""Write what a script made into a page of docs/ or into README.md, between the script's two markers."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
REAL_DATA = ROOT.parent / "shared" / "data"
"""The real data, beside the checkout; they are not part of it."""
END = "<!-- end -->"


def start(script: str) -> str:
    """Return the marker before what a script makes.

    Examples
    --------
    >>> start("reading_tables")
    '<!-- made by scripts/reading_tables.py: start -->'
    """
    return f"<!-- made by scripts/{script}.py: start -->"


def put(made: str, page: Path, script: str) -> None:
    """Replace what stands between the markers of a page."""
    before, rest = page.read_text(encoding="utf-8").split(start(script))
    after = rest.split(END, 1)[1]
    page.write_text(
        f"{before}{start(script)}\n\n{made}\n\n{END}{after}", encoding="utf-8"
    )

"""Count the words of README.md and of every page of docs/, and stop where a ceiling is passed.

Run from anywhere: ``python scripts/docs_words.py``. A word is what ``wc -w`` counts: code, output and
the bars of tables are words, too.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IN_ALL, A_GUIDE, README = 40_000, 1_200, 900
SECTIONS = ("start", "guides", "reference", "research")


def words(path: Path) -> int:
    """Return how many words a page has."""
    return len(path.read_text(encoding="utf-8").split())


def counted(docs: Path) -> dict[str, int]:
    """Return the words of each page, by its path inside docs/."""
    return {
        path.relative_to(docs).as_posix(): words(path)
        for path in sorted(docs.rglob("*.md"))
    }


def beyond(pages: dict[str, int], readme: int) -> list[str]:
    """Return the ceilings that are passed, in words.

    Examples
    --------
    >>> beyond({"index.md": 300, "guides/unit.md": 1201}, 900)
    ['guides/unit.md has 1,201 words; a guide has at most 1,200.']
    >>> beyond({"research/theory.md": 40_001}, 901)
    ['README.md has 901 words; at most 900.', 'docs/ has 40,001 words; at most 40,000.']
    """
    found = [f"README.md has {readme:,} words; at most {README:,}."] * (readme > README)
    found += [
        f"{name} has {number:,} words; a guide has at most {A_GUIDE:,}."
        for name, number in pages.items()
        if name.startswith("guides/") and number > A_GUIDE
    ]
    total = sum(pages.values())
    return found + [f"docs/ has {total:,} words; at most {IN_ALL:,}."] * (
        total > IN_ALL
    )


def table(pages: dict[str, int], readme: int) -> list[str]:
    """Return a line for each page, each section and all of docs/."""
    lines = [f"{number:7,}  {name}" for name, number in pages.items()]
    for section in SECTIONS:
        number = sum(
            words for name, words in pages.items() if name.startswith(f"{section}/")
        )
        lines.append(f"{number:7,}  {section}/ in all")
    return [
        *lines,
        f"{sum(pages.values()):7,}  docs/ in all",
        f"{readme:7,}  README.md",
    ]


def main() -> None:
    """Print the table; exit with what is too long."""
    pages, readme = counted(ROOT / "docs"), words(ROOT / "README.md")
    sys.stdout.write("\n".join(table(pages, readme)) + "\n")
    sys.exit("\n".join(beyond(pages, readme)) or 0)


if __name__ == "__main__":
    main()

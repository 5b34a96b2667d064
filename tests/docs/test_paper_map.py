"""Every statement of the paper has code, a test and a page, and all of them are there."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import pytest

from docs.page_examples import DOCS, ROOT

if TYPE_CHECKING:
    from pathlib import Path

RESEARCH = DOCS / "research"
PAGE = (RESEARCH / "paper-map.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("|") and not line.startswith(("| statement", "|---"))
]
STATEMENTS = (
    *(f"Definition {number}" for number in (1, 2, 3, 7)),
    *(f"Theorem {number}" for number in (4, 8)),
    *(f"Proposition {number}" for number in (5, 6, 9, 10, 11, 12)),
    "Lemma 13",
    *(f"Table {number}" for number in (1, 2, 3)),
    "Figure 1",
    *("delta_j", "Jaccard_j", "Size_j"),
    *(
        f"{cited} of Soloff and others"
        for cited in ("Theorem 9", "Proposition 11", "Lemma 15")
    ),
    "Proposition 20 of Soloff and others",
    "The 51/49 example",
    "The remark on Bousquet and Elisseeff",
    *(f"Footnote {number}" for number in range(1, 6)),
)


def file_of(path: str) -> Path:
    """Code is inside the package unless its path names another folder of the repository."""
    outside = path.split("/", maxsplit=1)[0] in {
        "paper",
        "benchmarks",
        "examples",
        "tests",
    }
    return ROOT / path if outside else ROOT / "src" / "steadyrank" / path


def is_there(target: str) -> bool:
    path, _, name = target.partition("::")
    if not file_of(path).is_file():
        return False
    text = file_of(path).read_text(encoding="utf-8")
    return not name or bool(
        re.search(rf"^\s*(?:def|class) {name}\b|^{name}\b.*=", text, re.MULTILINE)
    )


def slug(heading: str) -> str:
    """Return the anchor that Python-Markdown makes of a heading."""
    plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def anchors(page: str) -> set[str]:
    headings = re.findall(
        r"^#+ (.+)$", (RESEARCH / page).read_text(encoding="utf-8"), re.MULTILINE
    )
    return {slug(heading.replace("`", "")) for heading in headings}


def links_to_nowhere(cell: str) -> list[str]:
    return [
        f"{page}#{anchor}"
        for page, anchor in re.findall(r"\]\(([\w/.-]+\.md)#?([^)]*)\)", cell)
        if not (RESEARCH / page).is_file() or (anchor and anchor not in anchors(page))
    ]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_numbered_part_of_the_paper_has_code_a_test_and_a_page(
    statement: str,
) -> None:
    (row,) = [row for row in ROWS if row[0].startswith(f"**{statement}**")]
    assert all(row)
    assert "::test_" in row[2] or row[2].startswith("`tests/")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_target_is_there(row: list[str]) -> None:
    assert len(row) == 4
    targets = re.findall(r"`([^`]+)`", row[1] + row[2])
    assert [target for target in targets if not is_there(target)] == []
    assert links_to_nowhere(row[3]) == []
    assert "](" in row[3]


@pytest.mark.parametrize(
    "planted",
    [
        "operators/nowhere.py",
        "operators/topk_sets.py::no_such",
        "tests/theorems/test_optimality.py::test_x",
    ],
)
def test_a_missing_target_is_seen(planted: str) -> None:
    assert not is_there(planted)


def test_a_missing_anchor_is_seen() -> None:
    assert links_to_nowhere(
        "[x](theory.md#no-such-heading), [y](nowhere.md), [z](theory.md)"
    ) == [
        "theory.md#no-such-heading",
        "nowhere.md#",
    ]

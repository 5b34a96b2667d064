"""The documentation is short, wrapped at one width, and links and names only what is there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from docs.page_examples import DOCS, ROOT
from docs.test_paper_map import slug
from release.repository import script
from steadyrank.cli.options import ROWS
from steadyrank.scorers import named_scorer, scorer_names

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
INCLUDED = {"changelog.md", "contributing.md"}
"""Pages that show a file of the repository."""


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_documentation_keeps_to_its_ceilings() -> None:
    words = script("docs_words")
    assert words.beyond(words.counted(DOCS), words.words(ROOT / "README.md")) == []


def test_every_page_is_in_one_of_four_sections() -> None:
    words = script("docs_words")
    outside = {
        name for name in words.counted(DOCS) if name.split("/")[0] not in words.SECTIONS
    }
    assert outside == {"index.md", *INCLUDED}


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_prose_is_wrapped_at_one_width(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert script("docs_wrap").too_long(text) == [], (
        "Wrap it with: python scripts/docs_wrap.py"
    )


def without_code(text: str) -> str:
    """Return a page without its blocks and spans of code."""
    return re.sub(
        r"`[^`\n]+`",
        "code",
        re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL),
    )


def anchors_of(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {slug(heading.replace("`", "")) for heading in headings}


def dead_links(path: Path, text: str) -> list[str]:
    """Return the links of a page that lead nowhere; reports are made with the site."""
    dead = []
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
        file, _, anchor = target.partition("#")
        if target.startswith("http") or "reports/" in file:
            continue
        place = path.parent / file if file else path
        if not place.exists() or (anchor and anchor not in anchors_of(place)):
            dead.append(target)
    return dead


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_link_leads_somewhere(path: Path) -> None:
    assert dead_links(path, path.read_text(encoding="utf-8")) == []


def test_a_dead_link_is_seen() -> None:
    text = "[a](unit.md) [b](nowhere.md) [c](unit.md#no-such-heading) `[d](nowhere.md)`"
    assert dead_links(DOCS / "guides" / "x.md", text) == [
        "nowhere.md",
        "unit.md#no-such-heading",
    ]


def options() -> set[str]:
    """Return every option of every command."""
    return {"--help", "--version"}.union(*(row.flags for row in ROWS))


OTHERS = {
    "--beta", "--data", "--draws", "--files", "--population", "--seed", "--study", "--ties",
}  # fmt: skip
"""Options of ``python -m paper``."""


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_options_that_a_page_names_are_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    spans = re.findall(r"`([^`\n]+)`", text) + re.findall(
        r"^.*\bsteadyrank [a-z]+ .*$", text, re.MULTILINE
    )
    named = {
        option
        for span in spans
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", span)
    }
    assert sorted(named - options() - OTHERS) == []


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_scorers_that_a_page_names_are_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"--scorer ([a-z][\w:=.-]+)|scorer=\"([^\"]+)\"", text):
        named_scorer("".join(name))


def test_the_guide_to_scorers_names_all_of_them() -> None:
    text = (DOCS / "guides" / "scorers.md").read_text(encoding="utf-8")
    assert [name for name in scorer_names() if f"`{name}`" not in text] == []

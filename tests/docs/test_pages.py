"""Every example of the documentation runs and prints what the page shows."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

import pytest

from docs.page_examples import DOCS, ROOT, alike, examples_of, run_page

if TYPE_CHECKING:
    from pathlib import Path

WITHOUT_EXAMPLES = {
    "changelog.md",
    "guides/your-scorer.md",  # RECIPES
    "contributing.md",
    "reference/json-schema.md",  # fields of a document; tests/study holds them
    "reference/licences.md",  # tests/release holds it, and the next
    "reference/promise.md",
    "research/margins.md",  # proofs, and a table made by scripts/margins_table.py
    "research/paper.md",  # made by `make paper`
    "research/paper-map.md",  # tests/docs/test_paper_map.py holds it
    "research/real-data.md",  # made by scripts/real_data_table.py
    "research/peers.md",  # so it does what this says
    "research/related.md",  # citations
}
PAGES = sorted(
    path
    for path in DOCS.rglob("*.md")
    if path.relative_to(DOCS).as_posix() not in WITHOUT_EXAMPLES
)

RECIPES = DOCS / "guides" / "your-scorer.md"
"""Blocks fenced as ``py`` need other packages: `make peers` runs them all."""


def name_of(path: Path) -> str:
    return path.relative_to(DOCS).as_posix()


@pytest.mark.parametrize("path", [*PAGES, RECIPES], ids=name_of)
def test_the_examples_of_a_page_print_what_it_shows(path: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = run_page(path, tmp_path)
    assert done, "a page of this site shows at least one example"
    for block, printed in done:
        if block.shown is not None:
            assert alike(block.shown, printed), (
                f"{name_of(path)}, line {block.line}, printed:\n{printed}\n"
                f"Write it anew with: python tests/docs/page_examples.py docs/{name_of(path)}"
            )


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_no_example_escapes_the_run(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    fences = re.findall(
        r"^\s*(?:```|~~~)\s*(?:python|py|console|pycon|shell|bash)\b",
        text,
        re.MULTILINE,
    )
    assert len(fences) == len(examples_of(text))


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_code_fits_the_width_of_a_page(path: Path) -> None:
    blocks = examples_of(path.read_text(encoding="utf-8"))
    lines = [
        line
        for block in blocks
        if block.language == "python"
        for line in block.code.splitlines()
    ]
    assert [line for line in lines if len(line) > 88] == []


@pytest.mark.parametrize(
    "name", ["leaderboard", "polls", "features", "recommendations"]
)
def test_a_start_by_person_has_a_claim_a_unit_a_picture_and_the_report_it_writes(
    name: str,
) -> None:
    page = (DOCS / "start" / f"{name}.md").read_text(encoding="utf-8")
    text = " ".join(page.split())
    parts = (
        "You have",
        "You run",
        "You may say:",
        "You may not say",
        "Your unit",
        "You publish",
    )
    assert [part for part in parts if f"**{part}**" not in text] == []
    assert f"(../figures/{name}.svg)" in text
    assert re.search(rf"^\$ steadyrank report .* -o {name}\.html$", page, re.MULTILINE)
    assert f"(../reports/{name}.html)" in text


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_begins_with_its_reader_and_what_they_get(path: Path) -> None:
    """The home page is for everybody and begins with what it is about."""
    _, first, *_ = path.read_text(encoding="utf-8").split("\n\n")
    first = " ".join(first.split())
    assert name_of(path) == "index.md" or re.match(r"For |You get", first), first
    assert name_of(path) == "index.md" or "ou get" in first, first


def test_a_wrong_output_is_noticed(tmp_path: Path) -> None:
    page = DOCS / "index.md"
    [(block, printed), *_] = run_page(page, tmp_path)
    assert block.shown is not None
    assert not alike(block.shown.replace("Tin Roof", "Tin Hat"), printed)


def test_tests_that_the_theory_pages_name_exist() -> None:
    text = "".join(
        path.read_text(encoding="utf-8") for path in (DOCS / "research").glob("*.md")
    )
    named = set(re.findall(r"tests/[\w/]+\.py", text))
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []


def test_parts_of_test_names_on_the_theory_page_occur_in_the_test_file_named_before() -> (
    None
):
    text = (DOCS / "research" / "theory.md").read_text(encoding="utf-8")
    found = re.findall(r"`(tests/[\w/]+\.py)` \(((?:`\w+`(?:,\s)?)+)\)", text)
    assert found
    for name, parts in found:
        tests = (ROOT / name).read_text(encoding="utf-8")
        for part in re.findall(r"`(\w+)`", parts):
            assert part in tests, f"{name} has no test about {part}"

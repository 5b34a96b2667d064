"""The site: every page can be reached, nothing comes from a network, tables are those of the data."""

from __future__ import annotations

import doctest
import re
from typing import TYPE_CHECKING

import pytest

from docs.page_examples import DOCS, ROOT
from release.repository import script

if TYPE_CHECKING:
    from pathlib import Path


def navigation() -> set[str]:
    """Return the pages that the navigation names."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    return set(
        re.findall(
            r"^\s+- [^:\n]+: (\S+\.md)$", text[text.index("\nnav:") :], re.MULTILINE
        )
    )


def test_the_navigation_names_every_page_and_no_other() -> None:
    assert sorted(navigation()) == sorted(
        path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")
    )


def test_pictures_are_local_and_have_a_text_alternative() -> None:
    pictures = 0
    for path in DOCS.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        for words, target in re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", text):
            pictures += 1
            assert words.strip(), f"{path.name}: {target} has no text alternative"
            assert (path.parent / target).is_file(), (
                f"{path.name}: {target} is not there"
            )
    assert pictures >= 3


def test_braces_of_formulas_are_written_in_letters() -> None:
    """Markdown would take an escaped brace out of a formula."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}
    formulas = {name: re.findall(r"\$[^$]+\$", text) for name, text in texts.items()}
    assert any(formulas.values())
    assert [
        (name, one)
        for name, found in formulas.items()
        for one in found
        if re.search(r"\\[{}|]", one)
    ] == []


def test_no_page_loads_anything_from_a_network() -> None:
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "font: false" in settings
    assert "http" not in settings
    loads = re.compile(
        r"""<(?:script|link|img|iframe)[^>]+(?:src|href)=["']?https?:|@import|url\(https?:"""
    )
    for path in [*DOCS.rglob("*.md"), *DOCS.rglob("*.css")]:
        assert not loads.search(path.read_text(encoding="utf-8")), path.name


@pytest.mark.parametrize("part", ["scores/", "ballots/00002", "ratings/", "llmfao"])
def test_the_table_of_real_data_is_what_comes_out(part: str, shared_data: Path) -> None:
    made = script("real_data_table")
    page = (DOCS / "research" / "real-data.md").read_text(encoding="utf-8")
    cases = [case for case in made.CASES if part in case.file]
    assert cases
    for case in cases:
        found = made.look_at(case, shared_data)
        for line in made.table([found]).splitlines():
            assert line in page


def test_what_is_read_off_the_table_of_real_data() -> None:
    page = (DOCS / "research" / "real-data.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines()
            if re.match(r"\|[^|]*\|[^|]*\|[^|]*\| \**\d+\** \| [1-9]", line)]  # fmt: skip
    more = [int(row[7]) - int(row[3].strip("*")) for row in rows]
    told = f"({len(rows)} rows of the table) it has one name more than k in seven cases, and six more"
    assert told in " ".join(page.split())
    assert (more.count(1), max(more)) == (7, 6)


@pytest.mark.parametrize("part", ["scores/", "ballots/00002", "llmfao"])
def test_the_margins_of_real_data_are_what_comes_out(
    part: str, shared_data: Path
) -> None:
    """All of the table, and of the README, but for the largest files."""
    made = script("margins_table")
    page = (DOCS / "research" / "margins.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    cases = [case for case in made.CASES if part in case.file]
    assert cases
    for case in cases:
        study = made.study_of(case, shared_data)
        assert made.row(case, study) in page
        if case.title in made.KNOWN:
            assert made.known_row(case, study) in readme


def test_margins_that_other_pages_repeat_are_those_of_the_table() -> None:
    cells = [line.strip("| ").split(" | ") for line in
             (DOCS / "research" / "margins.md").read_text(encoding="utf-8").splitlines()]  # fmt: skip
    table = {
        row[0]: dict(zip(("1", "3", "5", "10"), row[2:], strict=False)) for row in cells
    }
    guide = (DOCS / "guides" / "margins.md").read_text(encoding="utf-8")
    found = re.findall(
        r"^\| ([\w ]+?), [\d,]+ [\w ]+ \| (\d+) \| ([\d to]+) \|$", guide, re.MULTILINE
    )
    titles = {"TALENT": "TALENT, binary"}
    assert len(found) == 4
    for title, k, told in found:
        assert table[titles.get(title, title)][k].replace("\xa0", " ") == told
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"| {table['Chatbot Arena']['10']} | 0 |" in readme


@pytest.mark.parametrize(
    "name", ["Restaurants", "Chat models", "Benchmark", "TALENT", "Debian 2005"]
)
def test_the_table_of_proved_lists_is_what_comes_out(
    name: str, shared_data: Path
) -> None:
    made = script("proved_table")
    page = (DOCS / "research" / "proved.md").read_text(encoding="utf-8")
    made.BUNDLED = tuple(entry for entry in made.BUNDLED if entry[1].startswith(name))
    made.REAL = tuple(entry for entry in made.REAL if entry[1].startswith(name))
    lines = list(made.lines(shared_data))
    assert lines
    assert [line for line in lines if line not in page] == []


@pytest.mark.parametrize("unit", [None, "worker", "prompt"])
def test_the_table_of_units_is_what_comes_out(
    unit: str | None, shared_data: Path
) -> None:
    from steadyrank import Study

    study = Study(shared_data / "battles" / "llmfao.csv", unit=unit)
    cells = [unit or "battle", f"{study.units.total:,}"]
    for k in (5, 10):
        answer = study.topk(k)
        changing = sum(flip.count for flip in study.flips(k).plain)
        cells += [str(changing), str(len(answer.sure)), str(answer.size)]
    page = (DOCS / "guides" / "unit.md").read_text(encoding="utf-8")
    assert f"| {' | '.join(cells)} |" in page


def test_what_is_said_about_prompts_comes_out(shared_data: Path) -> None:
    from steadyrank import Study, inflated_topk, read

    data = read(shared_data / "battles" / "llmfao.csv", unit="prompt")
    study, without = (
        Study(data),
        Study(data.without([list(data.units.labels).index("16")])),
    )

    def rank(one: Study) -> int:
        return 1 + int((one.scores > one.scores[one.items.index("command")]).sum())

    assert (rank(study), rank(without)) == (3, 15)
    inflated = inflated_topk(study.scores, 10, study.curve(10).smallest_eps(0))
    always = {study.items[i] for i in inflated.always_indices}
    sure = set(study.topk(10).sure)
    assert (len(always), len(always - sure), len(sure)) == (9, 5, 4)


def test_every_real_file_is_in_the_table(shared_data: Path) -> None:
    files = {
        path.relative_to(shared_data).as_posix()
        for path in shared_data.rglob("*")
        if path.is_file()
    }
    # Scores with standard errors have no units to leave out.
    assert files - {"README.md", "scores/pisa2018_math.csv"} == {
        case.file for case in script("real_data_table").CASES
    }


def test_the_tables_of_roles_and_headers_are_those_of_the_reader() -> None:
    page = (DOCS / "guides" / "reading.md").read_text(encoding="utf-8")
    assert script("reading_tables").tables() in page


@pytest.mark.parametrize("name", ["docs_offline", "docs_words", "docs_wrap"])
def test_the_examples_in_the_scripts_run(name: str) -> None:
    done = doctest.testmod(script(name))
    assert done.attempted >= 2
    assert done.failed == 0

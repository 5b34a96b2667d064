"""The HTML report without a browser: what is in the file, and how it gets there."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from browser.examples import (
    HOSTILE,
    close_votes,
    hostile_matrix,
    report_document,
    restaurants,
)
from steadyrank import Study, Votes
from steadyrank.errors import InvalidSettingError
from steadyrank.report.export import to_json
from steadyrank.report.html import packed, render_html
from steadyrank.report.picture import share_image
from steadyrank.study.study import with_names
from steadyrank.writing import write_whole


class Reader(HTMLParser):
    """Collects the elements of a page, with the text of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside = False
        self.scripts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.inside = True
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.scripts[-1] += data


@pytest.fixture(scope="module")
def hostile_page() -> str:
    return render_html(
        report_document(hostile_matrix(), 5), title='"><img src=x onerror=alert(1)>'
    )


def test_the_page_loads_nothing(hostile_page: str) -> None:
    reader = Reader(hostile_page)
    loading = [
        (tag, name, value)
        for tag, attributes in reader.elements
        for name, value in attributes.items()
        if name in {"src", "href", "action", "srcset", "data", "background"}
        or name.startswith("on")
    ]
    assert loading == [("link", "href", "data:,")]
    style = hostile_page.split("<style>")[1].split("</style>", maxsplit=1)[0]
    assert "url(" not in style
    assert "@import" not in style


def test_the_policy_allows_exactly_the_scripts_of_the_page(hostile_page: str) -> None:
    reader = Reader(hostile_page)
    (policy,) = (
        attributes["content"]
        for tag, attributes in reader.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert "unsafe-eval" not in policy
    scripts = [script for script in reader.scripts if not script.startswith("{")]
    hashes = {
        b64encode(sha256(script.encode()).digest()).decode() for script in scripts
    }
    assert set(re.findall(r"'sha256-([^']+)'", policy)) == hashes
    assert len(scripts) == 1
    assert "script-src 'sha256-" in policy


def test_names_are_text_and_come_back_whole(hostile_page: str) -> None:
    reader = Reader(hostile_page)
    data = json.loads(reader.scripts[0])
    assert sorted(data["columns"]["item"]) == sorted(HOSTILE)
    outside = hostile_page.replace(reader.scripts[0], "")
    for name in HOSTILE[:4]:
        assert name not in hostile_page
    assert '"><img' not in outside
    ours = {"div", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi"}
    told = outside.split("<noscript>")[1].split("</noscript>")[0]
    assert {tag for tag, _ in Reader(told).elements} <= ours


def test_what_fills_a_place_cannot_bring_another() -> None:
    document = report_document(Votes(["@@data@@"] * 5 + ["b"] * 2), 1)
    page = render_html(document, title="@@page@@")
    assert "<title>@@page@@</title>" in page
    assert page.count("@@page@@") == 3  # the title, the heading and the share image
    assert to_json(packed(document), indent=None).count("@@data@@") > 0
    assert page.count("@@") == 2 * (page.count("@@page@@") + page.count("@@data@@"))
    assert page.count("report-data") == 2  # one element, and the script that reads it


def test_half_of_a_character_does_not_break_the_page(tmp_path: Path) -> None:
    votes = Votes(["broken \ud800 half"] * 3 + ["\x00 null"] * 2)
    path = Study(votes).report(tmp_path / "report.html", 1, title="\udfff")
    data = json.loads(Reader(path.read_text(encoding="utf-8")).scripts[0])
    assert data["columns"]["item"] == ["broken \ud800 half", "\x00 null"]


def test_packing_loses_nothing() -> None:
    document = report_document(restaurants(), 5)
    page = json.loads(to_json(packed(document), indent=None))
    columns = page.pop("columns")
    rows = [
        dict(zip(columns, values, strict=True))
        for values in zip(*columns.values(), strict=True)
    ]
    assert rows == document["rows"]
    assert page.pop("image") == share_image(document)
    assert page == {name: value for name, value in document.items() if name != "rows"}


def test_a_report_appears_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report.html"
    write_whole("old", target)

    def fail(self: Path, other: Path) -> None:
        raise OSError("disk gone")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk gone"):
        write_whole("new", target)
    monkeypatch.undo()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
    write_whole("new", target)
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o400


def test_a_wrong_k_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettingError):
        Study(close_votes()).report(tmp_path / "report.html", 99)
    assert list(tmp_path.iterdir()) == []


def test_warnings_stand_on_top() -> None:
    document = report_document(close_votes(), 3)
    assert 'id="warnings"' not in render_html(document | {"warnings": []})
    page = render_html(document | {"warnings": ["a & b"]})
    assert "<li>a &amp; b</li>" in page
    assert (
        page.index('id="headline"')
        < page.index('id="warnings"')
        < page.index('id="tiles"')
    )
    # Options are for those who run it.
    shown = re.sub(
        r"<style>.*?</style>", "", page.partition('id="details"')[0], flags=re.DOTALL
    )
    assert "--" not in shown


def test_the_same_data_give_the_same_file() -> None:
    pages = {render_html(report_document(close_votes(), 3)) for _ in range(2)}
    assert len(pages) == 1


def test_items_and_units_are_called_as_their_columns_or_as_asked(
    tmp_path: Path,
) -> None:
    file = tmp_path / "stars.csv"
    rows = [f"guest {n},cafe {n % 3},{n % 5}" for n in range(30)]
    rows += [f"guest {n},cafe {(n + 1) % 3},{(n + 2) % 5}" for n in range(30)]
    file.write_text(
        "reviewer,restaurant_name,stars\n" + "\n".join(rows) + "\n", encoding="utf-8"
    )
    study = Study(file, item="restaurant_name", rating="stars", unit="reviewer")
    page = study.report(tmp_path / "a.html", 1).read_text(encoding="utf-8")
    assert "Stable top 1 of 3 restaurants" in page
    assert "30 reviewers" in page
    page = study.report(
        tmp_path / "b.html", 1, item_name="café", unit_name="guest"
    ).read_text("utf-8")
    assert "Stable top 1 of 3 cafés" in page
    assert "30 guests" in page
    assert study.topk(1).unit == "reviewer"  # the study itself keeps its words


HOW: list[dict[str, Any]] = [
    {}, {"eps": 0.2}, {"delta": 0.1}, {"removals": 2},
    {"proved": True}, {"eps": 9.0},
]  # fmt: skip


@pytest.mark.parametrize("how", HOW, ids=str)
@pytest.mark.parametrize("k", [2, 3])
def test_every_sentence_calls_them_so(how: dict[str, Any], k: int) -> None:
    study = with_names(
        Study(Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 30)), "candidate", "voter"
    )
    found, chance = (
        study.topk(k, **how).findings(),
        study.confidence(draws=100).findings(),
    )
    certificate, margin = found["certificate"], found["margin"] or {}
    told = [
        found["headline"],
        *found["warnings"],
        certificate["promise"],
        certificate["sentence"],
    ]
    told += [margin.get("sentence", ""), chance["sentence"], chance["stability"]]
    told += [study.check(k).findings()["margin"]["sentence"]]
    told += [study.ranking().findings()["headline"], study.compare(study.data).sentence]
    assert not [text for text in told if re.search(r"\b(items?|units?)\b", text)]

"""What is passed on (pictures, tables) is well formed and tells the findings; names are text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from browser.examples import (
    HOSTILE,
    hostile_matrix,
    many_items,
    report_document,
    restaurants,
)
from steadyrank import Mean
from steadyrank.report.picture import ROWS, RankScale, share_image
from steadyrank.report.sharing import COLOURS, table_fragment
from steadyrank.text import is_unsafe, shortened, shown

SVG = "{http://www.w3.org/2000/svg}"
DRAWN = {"svg", "title", "rect", "path", "text"}


def texts(drawn: ET.Element) -> list[str]:
    return ["".join(part.itertext()) for part in drawn.iter(f"{SVG}text")]


def test_a_picture_tells_the_findings() -> None:
    document = report_document(restaurants(), 5)
    drawn = ET.fromstring(share_image(document))
    told = texts(drawn)
    assert told[0] == "Stable top 5 of 20 restaurants"
    assert " ".join(told[2:]).startswith(document["headline"])
    named = texts(
        ET.fromstring(share_image(document, title="Where to eat", date="2026-01-31"))
    )
    assert named[:2] == ["Where to eat", "2026-01-31"]
    for row in document["rows"]:
        assert row["item"] in told
    assert told.count("81.1%") == told.count("18.9%") == 1
    fills = [part.get("fill") for part in drawn.iter(f"{SVG}path")]
    standings = [row["standing"] for row in document["rows"]]
    for standing in (
        "sure",
        "contender",
        "out",
    ):  # one mark each, and one in the legend
        assert fills.count(COLOURS[standing]) == standings.count(standing) + 1


def test_a_picture_shows_the_ranks_around_the_cut() -> None:
    document = report_document(many_items(90, rows=40), 40)
    told = texts(ET.fromstring(share_image(document)))
    around = [
        row["item"] for row in document["rows"] if shortened(row["item"], 34) in told
    ]
    assert len(around) == ROWS
    assert document["rows"][39]["item"] in around
    assert document["rows"][40]["item"] in around


def test_bars_that_go_far_are_cut_off_and_say_so() -> None:
    document = report_document(many_items(60), 10)
    document["rows"][9] = document["rows"][9] | {"worst_rank": 57}
    assert RankScale.of(document["rows"][:20]).high == 30
    assert "to 57" in texts(ET.fromstring(share_image(document)))


@pytest.mark.parametrize("proved", [False, True])
def test_hostile_names_are_text_and_nothing_else(proved: bool) -> None:
    scorer = Mean(value_range=(-9, 9)) if proved else None
    document = report_document(hostile_matrix(), 12, scorer=scorer, proved=proved) | {
        "unit": "<b>",
        "units": '"><script>',
    }
    document["headline"] = f"{document['headline']} {HOSTILE[2]} \ud800 \x00"
    found = ET.fromstring(share_image(document))
    assert {part.tag.removeprefix(SVG) for part in found.iter()} <= DRAWN
    names = {name for part in found.iter() for name in part.attrib}
    assert not {name for name in names if name.startswith("on") or "href" in name}
    page = table_fragment(document)
    tags: list[str] = []
    reader = HTMLParser()
    reader.handle_starttag = lambda tag, attributes: tags.append(tag)  # type: ignore[method-assign]
    reader.feed(page)
    assert set(tags) == {"div", "table", "thead", "tbody", "tr", "th", "td", "bdi", "p"}
    assert not list(filter(is_unsafe, page))


def test_a_table_has_one_line_for_each_item_and_the_claim() -> None:
    document = report_document(many_items(90), 5)
    page = table_fragment(document)
    assert page.count("<tr>") == 26
    assert "65 more not shown" in page
    assert shown(document["certificate"]["promise"]) in page.replace("&#x27;", "'")
    assert re.findall(r"<th[^>]*>(.*?)</th>", page)[3:] == [
        "standing",
        "ranks",
        "in top 5",
        "to flip",
    ]

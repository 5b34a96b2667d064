"""The page of a split in Chromium: the switch shows each category as its own page would."""

from __future__ import annotations

import json
from typing import Any

import pytest

from browser.examples import HOSTILE
from steadyrank import Split

pytestmark = pytest.mark.browser

DRAWN = (
    "#headline",
    "#margin",
    "#claim",
    "#told",
    "#how",
    "#flips-text",
    "#about",
    "#certificate",
)
WIDTHS = (
    "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
)


def split(seed: int = 0) -> Split:
    """Three cities, one of them called by a hostile name, and one without enough items."""
    rows = [
        (item, city, n + 1)
        for n, item in enumerate("abcdefgh")
        for city in ("Bonn", HOSTILE[0])
    ]
    rows = [
        (item, city, 3 + (n * (5 + seed + len(city) % 3)) % 11)
        for item, city, n in rows
    ]
    rows += [
        ("a", "Ulm", 4),
        ("b", "Ulm", 2),
        ("c", "Kiel", 9),
        ("a", "Kiel", 7),
        ("h", "Kiel", 7),
    ]
    columns = zip(*rows, strict=True)
    return Split(
        dict(zip(("choice", "city", "count"), map(list, columns), strict=True)),
        "city",
        choice="choice",
        count="count",
    )


def choose(opened: Any, name: str) -> None:
    opened.page.select_option("#category", name)


def drawn(opened: Any) -> dict[str, Any]:
    found: dict[str, Any] = {part: opened.text(part) for part in DRAWN}
    return found | {
        "rows": opened.rows(),
        "hero": [row["told"] for row in opened.hero()],
    }


def test_each_category_is_drawn_as_on_a_page_of_its_own(open_report: Any) -> None:
    document = split().ask(lambda study: study.topk(2)).findings(source="poll.csv")
    page = open_report(document)
    answered = {
        one["category"] or "": one["findings"] for one in document["categories"]
    }
    assert [one["problem"] is None for one in document["categories"]].count(False) == 1
    failed = next(one for one in document["categories"] if one["problem"])
    assert failed["category"] == "Ulm"
    page.page.click("#split summary")
    assert f"no answer for Ulm: {failed['problem']}" in page.text("#split")
    assert document["headline"] in page.text("#split")
    options = (
        "() => [...document.querySelector('#category').options].map((one) => one.value)"
    )
    names = page.page.evaluate(options)
    assert names == [name for name, found in answered.items() if found is not None]
    alone = {name: drawn(open_report(answered[name])) for name in names}
    for name in [*names[::-1], *names]:
        choose(page, name)
        assert drawn(page) == alone[name]


def test_levers_links_and_downloads_are_those_of_the_category(open_report: Any) -> None:
    document = split().ask(lambda study: study.topk(2)).findings()
    page = open_report(document)
    choose(page, "Kiel")
    assert page.page.evaluate("() => location.hash") == "#k=2&leave=1&category=Kiel"
    page.move(k=1)
    assert page.page.evaluate("() => location.hash") == "#k=1&leave=1&category=Kiel"
    again = open_report(document, at="#k=1&leave=1&category=Kiel")
    assert again.text("#category option:checked") == "Kiel"
    assert drawn(again) == drawn(page)
    page.page.click("#reset")
    with page.page.expect_download() as saved:
        page.page.click("#json")
    kiel = next(one for one in document["categories"] if one["category"] == "Kiel")
    kept = {name: value for name, value in kiel["findings"].items() if name != "audit"}
    assert json.loads(saved.value.path().read_text()) == kept


@pytest.mark.parametrize("width", [390, 768, 1100])
def test_nothing_of_the_page_is_wider_than_the_screen(
    open_report: Any, width: int
) -> None:
    document = split().ask(lambda study: study.topk(2)).findings()
    page = open_report(
        document, viewport={"width": width, "height": 800}, color_scheme="dark"
    )
    for name in ("", "Kiel"):
        choose(page, name)
        inner, outer = page.page.evaluate(WIDTHS)
        assert inner <= outer


def test_a_page_without_scripts_holds_every_category(
    open_report: Any, chromium: Any
) -> None:
    document = split().ask(lambda study: study.topk(2)).findings()
    url = open_report(document).url
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(url)
    assert document["headline"] in page.inner_text("#split")
    assert not page.is_visible("#category")
    shown = page.inner_text("noscript")
    for one in document["categories"]:
        assert one["findings"] is None or one["findings"]["headline"] in shown
        assert one["findings"] is None or (one["category"] or "all rows") in shown
    context.close()


def test_paper_shows_the_chosen_category_and_who_is_sure_where(
    open_report: Any,
) -> None:
    document = split().ask(lambda study: study.topk(2)).findings()
    page = open_report(document)
    choose(page, "Kiel")
    page.page.emulate_media(media="print")
    kiel = next(
        one["findings"] for one in document["categories"] if one["category"] == "Kiel"
    )
    assert page.text("#headline") == kiel["headline"]
    assert page.page.is_visible("#split table")
    assert page.text("#category option:checked") == "Kiel"


def test_moves_have_the_switch_too(open_report: Any) -> None:
    found = split().ask(lambda old, new: old.compare(new, 2), split(3))
    document = found.findings()
    page = open_report(document)
    for one in document["categories"]:
        if one["findings"] is None:
            continue
        choose(page, one["category"] or "")
        alone = open_report(one["findings"])
        for part in ("#headline", "#sentences", "#slopes", "#moves", "#about"):
            assert page.text(part) == alone.text(part)

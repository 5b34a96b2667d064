"""How the report looks: light and dark, wide and narrow, printed, with hostile and long names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from browser.examples import (
    HOSTILE,
    cells_of,
    download,
    hostile_matrix,
    many_items,
    report_document,
    restaurants,
    tied_matrix,
)
from steadyrank import Votes

pytestmark = pytest.mark.browser


PHONE = {
    "viewport": {"width": 360, "height": 740},
    "is_mobile": True,
    "has_touch": True,
}


def test_hostile_names_are_text_everywhere(open_report: Any) -> None:
    document = report_document(hostile_matrix(), 8)
    document["warnings"] = [
        *document["warnings"],
        "<img src=x onerror='window.pwned = 1'>",
    ]
    report = open_report(document, title="<script>window.pwned = 1</script> & co")
    report.move(k=9)
    for name in ("img", "iframe", "object", "script:not([id]):not(:last-child)"):
        assert report.page.locator(f"body {name}").count() == 0, name
    assert report.page.locator("body b").count() == 1  # the k of its lever
    assert "<img src=x onerror='window.pwned = 1'>" in report.text("#warnings")
    assert report.page.title() == "<script>window.pwned = 1</script> & co"
    shown = report.page.evaluate(
        "() => [...document.querySelectorAll('#items td.name')]"
        ".map((cell) => [...cell.querySelectorAll('bdi')].at(-1).textContent)"
    )
    assert sorted(shown) == sorted(HOSTILE)
    directions = report.page.evaluate(
        "() => [...document.querySelectorAll('#items td.name bdi, #hero bdi')].map((name) => name.dir)"
    )
    assert set(directions) == {"auto"}
    cells = [row[1] for row in cells_of(download(report, "#csv"))[1:]]
    assert sorted(cell.removeprefix("'") for cell in cells) == sorted(HOSTILE)
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    download(report, "#png")
    for row in report.page.locator("#hero tbody tr").all():
        row.hover(force=True)
        assert report.text("#tip")
    assert report.page.evaluate("() => window.pwned") is None


def test_long_names_are_cut_and_can_be_opened(open_report: Any) -> None:
    report = open_report(report_document(hostile_matrix(), 8))
    details = report.page.locator("#items details")
    assert details.count() == 1
    assert details.bounding_box()["height"] < 200
    details.locator("summary").click()
    assert details.bounding_box()["height"] > 200
    assert "x" * 10_000 in details.inner_text()
    assert all(len(row["name"]) <= 40 for row in report.hero())


def test_policy_stops_scripts_and_requests(open_report: Any) -> None:
    report = open_report(report_document(tied_matrix(), 4))
    refused: list[tuple[str, str]] = []
    report.page.on(
        "requestfailed", lambda request: refused.append((request.url, request.failure))
    )
    with report.page.expect_event("requestfailed"):
        report.page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.pwned = 1";
                document.body.append(script);
                const add = (markup) => {
                    document.body.insertAdjacentHTML("beforeend", markup);
                    const image = document.body.lastElementChild;
                    return new Promise((done) => image.addEventListener("error", done));
                };
                return Promise.all([
                    add("<img src='http://example.invalid/x.png'>"),
                    add("<img src='data:,' onerror='window.pwned = 1'>"),
                ]);
            }"""
        )
    assert report.page.evaluate("() => window.pwned") is None
    assert refused == [
        ("http://example.invalid/x.png", "csp")
    ]  # asked for, and never sent
    assert any("Content Security Policy" in text for text in report.console)
    report.console.clear()
    report.requests.remove("http://example.invalid/x.png")


def test_a_thousand_items_are_turned_over_page_by_page(
    open_report: Any, tmp_path: Path
) -> None:
    document = report_document(many_items(1000), 20)
    report = open_report(document, **PHONE)
    assert (tmp_path / "report-0.html").stat().st_size < 700_000
    assert report.page.evaluate("() => document.documentElement.scrollHeight") < 15_000
    assert [row["rank"] for row in report.hero()] == list(range(1, 31))
    report.page.click("#page-on")
    assert "31 to 60 of 1,000" in report.text("#page-text")
    assert [row["rank"] for row in report.hero()] == list(range(31, 61))
    report.page.click("#page-cut")
    assert report.hero()[0]["rank"] == 1
    report.move(k=37)
    ranks = [row["rank"] for row in report.hero()]
    assert ranks[0] < 37 < ranks[-1]
    report.page.click("#more")
    assert len(report.rows()) == 300


def _colour(report: Any, selector: str, what: str) -> str:
    return report.page.evaluate(
        "([selector, what]) => getComputedStyle(document.querySelector(selector))[what]",
        [selector, what],
    )


def test_light_dark_and_the_switch(open_report: Any) -> None:
    document = report_document(restaurants(), 5)
    light, dark = open_report(document), open_report(document, color_scheme="dark")
    assert _colour(light, "body", "backgroundColor") == "rgb(245, 246, 248)"
    assert _colour(dark, "body", "backgroundColor") == "rgb(17, 22, 29)"
    mark = ("#hero .sure .mark", "backgroundColor")
    assert _colour(light, *mark) != _colour(dark, *mark)
    dark.page.click("#theme")
    assert _colour(dark, "body", "backgroundColor") == "rgb(245, 246, 248)"
    light.page.emulate_media(
        color_scheme="dark"
    )  # no choice was made: follows the system
    light.page.wait_for_selector("html[data-theme=dark]")
    assert _colour(light, "body", "backgroundColor") == "rgb(17, 22, 29)"


@pytest.mark.parametrize(
    ("make", "width"),
    [
        (restaurants, 360),
        (hostile_matrix, 360),
        (restaurants, 768),
        (lambda: many_items(90), 768),
    ],
)
def test_nothing_is_cut_and_nothing_scrolls_sideways(
    open_report: Any, make: Any, width: int
) -> None:
    made = make()
    document = made if isinstance(made, dict) else report_document(made, 5)
    report = open_report(document, viewport={"width": width, "height": 740})
    report.page.evaluate("() => { document.getElementById('details').open = true; }")
    assert report.page.evaluate("() => document.documentElement.scrollWidth") <= width
    outside = report.page.evaluate(
        """() => [...document.querySelectorAll("main *:not(.hidden):not(.hidden *)")].filter((one) =>
            one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 0.5)
            .map((one) => one.outerHTML.slice(0, 200))"""
    )
    assert outside == []
    wide = report.page.evaluate(
        """() => [...document.querySelectorAll("main table")].filter((table) =>
            table.offsetWidth > document.getElementById("told").offsetWidth + 1)
            .map((table) => table.id)"""
    )
    assert wide == []
    inner = report.page.evaluate(
        """() => [...document.querySelectorAll("#hero th, #hero td.number, #flips td, #items td")]
            .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
            .map((one) => one.outerHTML.slice(0, 200))"""
    )
    assert inner == []


def test_headings_break_between_words_and_downloads_stand_together(
    open_report: Any,
) -> None:
    report = open_report(
        report_document(restaurants(), 5), viewport={"width": 900, "height": 740}
    )
    broken = report.page.evaluate(
        """() => [...document.querySelectorAll("#items th button")].flatMap((button) => {
            const text = button.firstChild;
            return [...text.data.matchAll(/\\S+/g)].filter((word) => {
                const range = document.createRange();
                range.setStart(text, word.index);
                range.setEnd(text, word.index + word[0].length);
                return range.getClientRects().length > 1;
            }).map((word) => word[0]);
        })"""
    )
    assert broken == []
    assert (
        len(
            {
                report.page.locator(button).bounding_box()["y"]
                for button in ("#csv", "#json")
            }
        )
        == 1
    )


def test_one_item_is_not_several(open_report: Any) -> None:
    report = open_report(report_document(Votes(["ann"] * 5), 1))
    assert report.text("h1") == "Stable top 1 of 1 item"
    assert report.text("#claim").startswith("The list has 1 item.")


def test_print_is_light_open_and_without_controls(open_report: Any) -> None:
    report = open_report(report_document(restaurants(), 5), color_scheme="dark")
    report.page.emulate_media(media="print")
    assert _colour(report, "body", "backgroundColor") == "rgb(255, 255, 255)"
    for hidden in ("#controls", "#theme", "#csv", "#png", "#page-on"):
        assert not report.page.is_visible(hidden)
    for heading in ("h2", "h3", "#details summary"):
        assert _colour(report, heading, "breakAfter") == "avoid"
    opened = "() => { window.opened = document.getElementById('details').open; }"
    report.page.evaluate(f"() => window.addEventListener('beforeprint', {opened})")
    assert report.page.pdf().startswith(b"%PDF")
    assert report.page.evaluate("() => window.opened") is True
    assert (
        report.page.evaluate("() => document.getElementById('details').open") is False
    )
    assert report.page.is_visible("#headline")


def test_screenshot_shows_all_standings(open_report: Any, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    report = open_report(report_document(restaurants(), 5))
    path = tmp_path / "report.png"
    report.page.screenshot(path=path, full_page=True)
    with image.open(path) as picture:
        assert picture.height > 1500
        colours = {colour for _, colour in picture.convert("RGB").getcolors(1 << 24)}
    assert {(0, 114, 178), (213, 94, 0), (127, 136, 148)} <= colours

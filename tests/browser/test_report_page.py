"""The report in Chromium: what it shows is what the library computes, and it shows nothing else."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser.deletions import Deletions
from browser.examples import (
    HOSTILE,
    close_votes,
    hostile_matrix,
    many_items,
    report_document,
    restaurants,
    tied_matrix,
)
from steadyrank import Votes, audit
from steadyrank.report.export import to_csv, unguarded
from steadyrank.report.html import render_html
from steadyrank.report.picture import share_image
from steadyrank.writing import write_whole

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}


def names_in(text: str) -> tuple[list[str], int]:
    """The names that a part of a sentence lists, and how many more it counts."""
    more = re.search(r"and (\d+) others?$", text)
    return re.findall(r"item [a-h]", text), int(more[1]) if more else 0


def is_told(text: str, items: set[str]) -> bool:
    """Whether a list of names, some of them counted, is one of exactly these items."""
    named, more = names_in(text)
    return set(named) <= items and len(named) + more == len(items)


def check_sentence(told: str, case: Deletions, k: int, m: int) -> str:
    """Hold a sentence to what taking units away shows, and return its form."""
    told = told.replace("\u2068", "").replace("\u2069", "")
    tops, order, unit = case.tops(k, m), case.order(), f"top {k}"
    plain = set(order[:k])
    dropped, came = set.union(*(plain - top for top in tops)), set.union(*(top - plain for top in tops))
    if told.startswith(f"The {unit} is everything"):
        assert k == len(order)
        return "everything"
    if found := re.fullmatch(rf"Nobody leaves: by score alone, the {unit} is (.*)\.", told):
        assert m == 0
        assert names_in(found[1])[0] == order[: min(k, 4)]
        assert is_told(found[1], plain)
        return "nobody"
    if found := re.fullmatch(rf"Whichever row leaves, the {unit} stays the same: (.*)\.", told):
        assert m == 1
        assert not dropped
        assert is_told(found[1], plain)
        return "calm"
    if found := re.fullmatch(
        r"(?:Whichever row leaves, (\d+) items? (?:is|are) sure|No item is sure) "
        rf"of the {unit}[;:] (.*) "
        r"contends? for (?:the (\d*) ?other places?|it, and which row leaves can decide)\.",
        told,
    ):
        assert m == 1
        assert int(found[1] or 0) == len(set.intersection(*tops))
        assert is_told(found[2], dropped | came)
        assert found[1] is None or int(found[3] or 1) == k - int(found[1])
        return "contended"
    whoever = rf"Whichever {m} of the {len(case.values)} rows leave,"
    if told == f"{whoever} the {unit} stays the same.":
        assert not dropped
        return "calm for several"
    found = re.fullmatch(
        rf"{whoever} at most (\d+) places? of the {unit} can change hands: "
        r"(.*) may drop out, (.*) may come in(?:; its other (\d+) items? stays?)?\.",
        told,
    )
    assert found, told
    assert max(len(plain - top) for top in tops) <= int(found[1])
    out, into = names_in(found[2]), names_in(found[3])
    assert not dropped - set(out[0]) or len(dropped | set(out[0])) <= len(out[0]) + out[1]
    assert not came - set(into[0]) or len(came | set(into[0])) <= len(into[0]) + into[1]
    assert k - int(found[4] or 0) == len(out[0]) + out[1]
    return "several"


EVERY_LEVER = """([items, units]) => {
    const type = (id, value) => {
        const input = document.getElementById(id);
        input.value = value;
        input.dispatchEvent(new Event("input"));
    };
    const found = [];
    for (let k = 1; k <= items; k += 1) for (let m = 0; m < units; m += 1) {
        type("k-number", k);
        type("m-number", m);
        const { k: shown, leave } = document.documentElement.dataset;
        const rows = [...document.querySelectorAll("#hero tbody tr")];
        found.push({
            asked: [k, m], shown: [Number(shown), Number(leave)],
            told: document.getElementById("told").textContent,
            standings: rows.map((row) => [row.querySelector("bdi").textContent, row.classList[0]]),
            ranks: [...document.querySelectorAll("#items tbody tr")].map((row) =>
                ["Item", "Best rank", "Worst rank"].map((name) =>
                    row.querySelector(`[data-title="${name}"]`).textContent)),
        });
    }
    return found;
}"""


@pytest.mark.parametrize("seed", [*range(5), 88, 125, 140])  # the last ones have near items
def test_every_lever_says_what_taking_units_away_shows(open_report: Any, seed: int) -> None:
    case = Deletions.drawn(np.random.default_rng([12, seed]))
    report = open_report(report_document(case.data, 1 + seed % (len(case.names) - 1)))
    order, forms = case.order(), set()
    ranges = {name: (str(best), str(worst)) for name, (best, worst) in case.ranges().items()}
    for found in report.page.evaluate(EVERY_LEVER, [len(order), len(case.values)]):
        k, m = found["shown"]
        assert k == found["asked"][0]
        assert m == found["asked"][1] or 1 <= m < found["asked"][1]  # what is not known is not shown
        forms.add(check_sentence(found["told"], case, k, m))
        standings = dict(found["standings"])
        assert list(standings) == order
        assert {name: (best, worst) for name, best, worst in found["ranks"]} == ranges
        if m == 1:
            assert standings == case.standings(k)
        elif m > 1:
            crossing = set.union(*(set(order[:k]) ^ top for top in case.tops(k, m)))
            assert all(standings[name] == "may" for name in crossing)
    assert {"everything", "nobody"} <= forms
    assert len(forms) > 2


def test_the_oracle_fails_a_sentence_that_says_too_much() -> None:
    case = Deletions(np.array([[2, 1, 0], [1, 2, 0], [2, 1, 0], [1, 2, 0]]))
    decide = "contend for it, and which row leaves can decide."
    check_sentence(f"No item is sure of the top 1: item a and item b {decide}", case, 1, 1)
    for wrong in (
        "Whichever row leaves, the top 1 stays the same: item a.",
        "Whichever row leaves, 1 item is sure of the top 1; item b contends for the other place.",
        "No item is sure of the top 1: item a contends for it, and which row leaves can decide.",
    ):
        with pytest.raises(AssertionError):
            check_sentence(wrong, case, 1, 1)
    with pytest.raises(AssertionError):
        check_sentence("Whichever 2 of the 4 rows leave, the top 1 stays the same.", case, 1, 2)


def test_the_chart_draws_the_ranks_of_the_document(open_report: Any) -> None:
    document = report_document(tied_matrix(), 4)
    report = open_report(document)
    rows = report.hero()
    step = (rows[-1]["mark"][0] - rows[0]["mark"][0]) / (len(rows) - 1)
    assert step > 10
    first = rows[0]["mark"][0] - step

    def place(pixels: float) -> float:
        return (pixels - first) / step

    for shown, row in zip(rows, document["rows"], strict=True):
        middle = sum(shown["mark"]) / 2 - (rows[0]["mark"][1] - rows[0]["mark"][0]) / 2
        assert place(middle) == pytest.approx(row["rank"], abs=0.1)
        half = (rows[0]["mark"][1] - rows[0]["mark"][0]) / 2
        assert place(shown["bar"][0] - half) == pytest.approx(row["best_rank"], abs=0.1)
        assert place(shown["bar"][1] - half) == pytest.approx(row["worst_rank"], abs=0.1)
        assert place(shown["cut"][0] - half) == pytest.approx(4.5, abs=0.15)
        assert shown["standing"] == row["standing"]
        assert f"rank {row['rank']}" in shown["told"]
        assert shown["away"].removeprefix("≥ ") in {str(row["away"]), "all"}
    report.move(leave=0)
    assert all(row["bar"] is None for row in report.hero())
    report.move(k=6)
    assert {row["share"] + row["away"] for row in report.hero()} == {""}


def test_the_end_of_the_list_is_drawn(open_report: Any) -> None:
    case = Deletions.drawn(np.random.default_rng([12, 140]))
    document = report_document(case.data, 2)
    report = open_report(document)
    for k in range(1, len(case.names)):
        report.move(k=k)
        last = max(place for place, row in enumerate(report.hero(), 1) if row["standing"] != "out")
        ends = report.page.evaluate(
            "() => [...document.querySelectorAll('.end')].map((row) => row.dataset.rank)"
        )
        assert ends == ([str(last)] if last > k else [])
        assert k != 2 or last == document["size"]


def test_what_is_blank_stays_blank(open_report: Any) -> None:
    document = report_document(many_items(90), 30)
    blank = dict.fromkeys(("best_rank", "worst_rank", "away", "share", "lowest_score", "highest_score"))
    rows = [row | (blank if row["rank"] > 45 else {}) for row in document["rows"]]
    report = open_report(document | {"rows": rows, "away_beyond": 3})
    assert report.page.get_attribute("#k", "max") == "30"
    assert int(report.page.get_attribute("#m", "max")) == 2
    report.page.click("#page-on")
    shown = {row["rank"]: row for row in report.hero()}
    assert shown[45]["bar"] is not None
    for rank in range(46, max(shown) + 1):
        assert (shown[rank]["bar"], shown[rank]["share"], shown[rank]["away"]) == (None, "", "")
    report.page.hover(f"#hero tr[data-rank='{max(shown)}']")
    assert "null" not in report.text("#tip")
    assert "NaN" not in report.page.content()


def test_a_bar_that_goes_far_does_not_flatten_the_others(open_report: Any) -> None:
    document = report_document(many_items(90), 10)
    rows = [row | ({"worst_rank": 88} if row["rank"] == 9 else {}) for row in document["rows"]]
    report = open_report(document | {"rows": rows})
    shown = report.hero()
    assert shown[1]["mark"][0] - shown[0]["mark"][0] > 5
    assert report.page.locator("#hero tr[data-rank='9'] .beyond").inner_text() == "88 ▸"


def test_levers_move_by_key_and_come_back(open_report: Any) -> None:
    report = open_report(report_document(tied_matrix(), 4))
    seen = {report.text("#told")}
    for key, selector in (("End", "#k"), ("ArrowLeft", "#k"), ("Home", "#m"), ("Home", "#k")):
        report.page.locator(selector).press(key)
        seen.add(report.text("#told"))
    assert len(seen) == 5
    assert report.settings() == (1, 0)
    report.page.click("#reset")
    assert report.settings() == (4, 1)
    assert report.page.is_disabled("#reset")
    report.page.mouse.move(0, 0)
    report.page.focus("#hero-figure")
    report.page.keyboard.press("ArrowDown")
    report.page.keyboard.press("ArrowDown")
    assert report.page.get_attribute("#hero tr.chosen", "data-rank") == "2"
    assert "rank 2" in report.text("#tip")
    report.page.keyboard.press("Escape")
    assert not report.page.is_visible("#tip")


def test_what_is_told_of_an_item_is_in_the_document(open_report: Any) -> None:
    document = report_document(restaurants(), 5)
    report = open_report(document)
    for row in document["rows"]:
        report.page.hover(f"#hero tr[data-rank='{row['rank']}']")
        told = report.text("#tip")
        assert row["item"] in told
        assert row["standing"] in told.splitlines()
        low, high = map(
            float, re.search(r"between (\S+) and (\S+) whichever user leaves", told).groups()
        )
        assert low <= row["lowest_score"] <= row["highest_score"] <= high
        assert high - low < row["highest_score"] - row["lowest_score"] + 3e-4
        if row["standing"] == "contender":
            way = "drops out" if row["rank"] <= 5 else "comes in"
            assert f"1 user must leave before it {way}" in told


def test_a_link_brings_the_levers_back(open_report: Any) -> None:
    document = report_document(restaurants(), 5)
    report = open_report(document)
    report.move(leave=3)
    assert report.page.url.endswith("#k=5&leave=3")
    link = report.page.get_attribute("#permalink", "href")
    again = open_report(document, at=link)
    assert again.settings() == (5, 3)
    assert again.text("#told") == report.text("#told")
    for link, settings in (
        ("#k=7&leave=1", (7, 1)),
        ("#k=x&leave=-3", (5, 0)),
        ("#k=1e9&leave=99", (20, 1)),
        ("#leave=2", (5, 2)),
    ):
        again.page.evaluate(
            "(link) => new Promise((done) => {"
            " addEventListener('hashchange', done, { once: true }); location.hash = link; })",
            link,
        )
        assert again.settings() == settings


def test_table_sorts_and_filters(open_report: Any) -> None:
    data = restaurants()
    report = open_report(report_document(data, 5))
    report.page.click("#items button[data-key=item]")
    names = [row["Item"] for row in report.rows()]
    assert names == sorted(names, key=str.casefold)
    report.page.click("#items button[data-key=item]")
    assert [row["Item"] for row in report.rows()] == names[::-1]
    assert report.page.get_attribute("#items th:nth-child(2)", "aria-sort") == "descending"
    report.page.click("#items button[data-key=score]")
    assert report.rows()[0]["Rank"] == str(len(data.items))
    report.page.fill("#search", "CAFÉ")
    assert [row["Item"] for row in report.rows()] == ["Café Lumière"]
    report.page.fill("#search", "")
    report.page.select_option("#show", "contender")
    assert {row["Standing"] for row in report.rows()} == {"contender"}
    report.page.fill("#search", "nothing has this name")
    assert report.rows() == []
    assert "0 of 20" in report.text("#count")


def _download(report: Any, button: str) -> bytes:
    with report.page.expect_download() as waiting:
        report.page.click(button)
    return Path(waiting.value.path()).read_bytes()


def _cells(text: bytes | str) -> list[list[str]]:
    decoded = text if isinstance(text, str) else text.decode("utf-8")
    return list(csv.reader(io.StringIO(decoded, newline="")))


def _number(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


@pytest.mark.parametrize("make", [restaurants, hostile_matrix])
def test_downloads_hold_the_rows_of_the_library(open_report: Any, make: Any) -> None:
    document = report_document(make(), 5)
    report = open_report(document)
    ours, theirs = _cells(_download(report, "#csv")), _cells(to_csv(document))
    assert ours[0] == theirs[0]
    for mine, row in zip(ours[1:], theirs[1:], strict=True):
        assert mine[1] == row[1]
        assert list(map(_number, mine)) == list(map(_number, row))
    found = json.loads(_download(report, "#json"))
    missing = {"audit"}
    assert found == {name: value for name, value in document.items() if name not in missing}
    report.move(k=6)
    moved = json.loads(_download(report, "#json"))
    assert (moved["k"], moved["leaving"], moved["certificate"]) == (6, 1, None)
    assert {row["share"] for row in moved["rows"]} == {row["away"] for row in moved["rows"]} == {None}


def test_the_share_image_is_that_of_the_library(open_report: Any) -> None:
    document = report_document(restaurants(), 5)
    report = open_report(document)
    assert _download(report, "#svg") == share_image(document)
    picture = _download(report, "#png")
    assert picture.startswith(b"\x89PNG")
    image = pytest.importorskip("PIL.Image")
    with image.open(io.BytesIO(picture)) as drawn:
        assert drawn.width == 2400
        colours = {colour for _, colour in drawn.convert("RGB").getcolors(1 << 24)}
    assert {(0, 114, 178), (213, 94, 0), (127, 136, 148)} <= colours


def test_hostile_names_are_text_everywhere(open_report: Any) -> None:
    document = report_document(hostile_matrix(), 8)
    document["warnings"] = [*document["warnings"], "<img src=x onerror='window.pwned = 1'>"]
    document["suggestions"] = [{"text": "<b>use</b>", "option": "--unit '<script>'"}]
    report = open_report(document, title="<script>window.pwned = 1</script> & co")
    report.move(k=9)
    for name in ("img", "iframe", "object", "script:not([id]):not(:last-child)"):
        assert report.page.locator(f"body {name}").count() == 0, name
    assert report.page.locator("body b").count() == 1  # the k of its lever
    assert "<b>use</b> --unit '<script>'" in report.text("#warnings")
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
    cells = [row[1] for row in _cells(_download(report, "#csv"))[1:]]
    assert sorted(map(unguarded, cells)) == sorted(HOSTILE)
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    _download(report, "#png")
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
    report.page.on("requestfailed", lambda request: refused.append((request.url, request.failure)))
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
    assert refused == [("http://example.invalid/x.png", "csp")]  # asked for, and never sent
    assert any("Content Security Policy" in text for text in report.console)
    report.console.clear()
    report.requests.remove("http://example.invalid/x.png")


def test_a_thousand_items_are_turned_over_page_by_page(open_report: Any, tmp_path: Path) -> None:
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
    light.page.emulate_media(color_scheme="dark")  # no choice was made: follows the system
    light.page.wait_for_selector("html[data-theme=dark]")
    assert _colour(light, "body", "backgroundColor") == "rgb(17, 22, 29)"


@pytest.mark.parametrize(
    ("make", "width"),
    [(restaurants, 360), (hostile_matrix, 360), (restaurants, 768), (lambda: many_items(90), 768)],
)
def test_nothing_is_cut_and_nothing_scrolls_sideways(open_report: Any, make: Any, width: int) -> None:
    report = open_report(report_document(make(), 5), viewport={"width": width, "height": 740})
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
    assert report.page.evaluate("() => document.getElementById('details').open") is False
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


def test_curves_are_those_of_the_document(open_report: Any) -> None:
    data = restaurants()
    document = report_document(data, 5)
    report = open_report(document)
    report.page.click("#details summary")
    found = audit(data, k=5, eps=document["eps"]).curve(5)
    assert f": {int(found.size(document['eps']))} at the eps" in report.text("#size-text")
    assert f": {100 * float(found.delta(document['eps'])):g}% at the eps" in report.text("#delta-text")
    for name in ("delta", "size"):
        path = report.page.get_attribute(f"#{name} path", "d")
        assert "NaN" not in path
        assert path.count("V") >= 1
        assert len(report.page.get_attribute(f"#{name}", "aria-label")) > 20


def test_a_report_without_audit_says_so(open_report: Any) -> None:
    document = report_document(tied_matrix(), 4, eps=0.3, claim="none")
    report = open_report(document)
    assert "plain ranks only" in report.text("#limits")
    assert "does not know" in report.text("#flips-text")
    for hidden in ("#m", "#delta", "#flips"):
        assert not report.page.is_visible(hidden)
    assert report.text("#tiles") == ""
    assert report.text("#told").startswith("Nobody leaves: by score alone, the top 4 is")
    assert all(row["bar"] is None for row in report.hero())
    report.move(k=6)
    assert [row["standing"] for row in report.hero()][4:8] == ["in", "in", "out", "out"]


def test_those_who_decide_are_those_of_the_audit_and_grouped(open_report: Any) -> None:
    data = restaurants()
    document = report_document(data, 5)
    listed = document["flips"]["plain"]["listed"]
    for place, flip in enumerate(listed):
        flip["said"] = ("<i>5</i> against 2", "4 against 3", None)[place % 3]
    report = open_report(document)
    assert report.text("#flips-text") == "Each of 34 users, of 180, changes the top 5 by leaving alone."
    flips = audit(data, k=5, eps=document["eps"]).flips(5).plain
    assert [flip["unit"] for flip in listed] == [flip.unit for flip in flips]
    rows = report.rows("#flips")
    assert [row["users"] for row in rows] == ["12", "11", "11"]
    assert {row["Drops out"] for row in rows} == {", ".join(map(str, flips[0].leaves))}
    assert {row["Said"] for row in rows} == {"<i>5</i> against 2", "4 against 3", ""}
    report.page.evaluate(
        "() => { for (const one of document.querySelectorAll('#flips details')) one.open = true; }"
    )
    who = " ".join(row["Who"] for row in report.rows("#flips"))
    assert all(str(flip.unit) in who for flip in flips)


def test_many_that_decide_are_shown_step_by_step(open_report: Any) -> None:
    document = report_document(restaurants(), 5)
    for place, flip in enumerate(document["flips"]["plain"]["listed"]):
        flip["said"] = f"words {place}"
    report = open_report(document)
    assert len(report.rows("#flips")) == 12
    assert report.text("#flips-more") == "Show 22 more"
    report.page.click("#flips-more")
    assert len(report.rows("#flips")) == 34


def test_tiles_are_the_summary_in_words(open_report: Any) -> None:
    report = open_report(report_document(restaurants(), 5))
    tiles = report.page.evaluate(
        "() => [...document.querySelectorAll('#tiles div')]"
        ".map((tile) => [tile.children[1].innerText, tile.children[0].innerText])"
    )
    assert tiles == [
        ["4", "sure: in the top 5 whichever user leaves"],
        ["2", "contenders: one user can bring in or put out"],
        ["34 of 180", "users that change the top 5, each by leaving alone"],
        ["1", "margin: so many users must leave together before the top 5 changes"],
    ]


def test_the_answer_needs_no_script(chromium: Any, tmp_path: Path) -> None:
    document = report_document(restaurants(), 5)
    document["warnings"] = ["The file may be upside down."]
    path = write_whole(render_html(document), tmp_path / "report.html")
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.inner_text("#headline") == document["headline"]
    promise = document["certificate"]["promise"]
    assert page.inner_text("#claim") == f"The list: the first 6 items by score. {promise}"
    guesses = "; ".join(f"{one['text']} {one['option']}" for one in document["guesses"])
    assert page.inner_text("#guesses") == f"Guessed about the file: {guesses}"
    assert page.inner_text("#warnings") == "The file may be upside down."
    assert page.locator("noscript tbody tr").count() == 20
    assert not page.is_visible("#chart")
    context.close()


@pytest.mark.parametrize(
    ("votes", "k", "told"),
    [
        (["only"] * 3, 1, "The top 1 is everything: there is 1 item in all."),
        (["a", "b", "c", "d"], 4, "The top 4 is everything: there are 4 items in all."),
        (["a"] * 9 + ["b"], 1, "Whichever vote leaves, the top 1 stays the same: a."),
        (
            ["a"] * 3 + ["b"] * 2 + ["c"] * 2,
            2,
            "Whichever vote leaves, 1 item is sure of the top 2; b and c contend for the other place.",
        ),
    ],
)  # fmt: skip
def test_small_cases_in_words(open_report: Any, votes: list[str], k: int, told: str) -> None:
    report = open_report(report_document(Votes(votes), k))
    assert report.text("#told").replace("\u2068", "").replace("\u2069", "") == told


def test_votes_that_may_leave_rule_nothing_out_that_happens(open_report: Any) -> None:
    from itertools import product

    counts = {"ann": 6, "bob": 5, "cyd": 3, "dee": 2}
    data = Votes([name for name, count in counts.items() for _ in range(count)])
    report = open_report(report_document(data, 2))
    most = int(report.page.get_attribute("#m", "max"))
    assert most >= 2
    ways = [
        (16 - sum(left), sorted(counts, key=lambda name: (-left[list(counts).index(name)], name))[:2])
        for left in product(*(range(count + 1) for count in counts.values()))
        if any(left)
    ]
    for m in range(most + 1):
        report.move(leave=m)
        assert report.settings() == (2, m)
        seen = [set(top) for number, top in ways if number <= m]
        crossing = {name for top in seen for name in {"ann", "bob"} ^ top}
        shown = {row["name"] for row in report.hero() if row["standing"] in {"may", "contender"}}
        assert crossing <= shown
        if "stays the same" in report.text("#told"):
            assert not crossing


def test_ties_at_the_cut_are_told_apart_by_place(open_report: Any) -> None:
    document = report_document(close_votes(), 3)
    report = open_report(document)
    assert [row["standing"] for row in report.hero()] == [row["standing"] for row in document["rows"]]

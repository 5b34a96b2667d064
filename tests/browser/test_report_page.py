"""The report in Chromium: what it shows is what the library computes, and it shows nothing else."""

from __future__ import annotations

import csv
import io
import json
from itertools import product
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pytest

from browser.examples import (
    HOSTILE,
    close_votes,
    hostile_matrix,
    many_items,
    report_document,
    restaurants,
    tied_matrix,
)
from steadyrank import Votes, audit, inflated_topk, rank_intervals, stable_topk
from steadyrank.report.export import to_csv, unguarded
from steadyrank.report.html import render_html
from steadyrank.report.text import verdict
from steadyrank.writing import write_whole

pytestmark = pytest.mark.browser

WORDS = {"certain": "surely in", "contender": "contender", "out": "out"}


def expected_rows(data: Any, k: int, eps: float) -> list[dict[str, Any]]:
    """What the library computes for this k and this eps, by rank."""
    scores = stable_topk(data, k, eps=eps, claim="none").scores
    answer = inflated_topk(scores, k, eps)
    certain, members = set(answer.always_indices.tolist()), set(answer.indices.tolist())
    best_rank, worst_rank = rank_intervals(scores, eps)
    order = np.argsort(-scores, kind="stable").tolist()
    return [
        {
            "rank": place + 1,
            "item": str(data.items[index]),
            "standing": WORDS[
                "certain" if index in certain else "contender" if index in members else "out"
            ],
            "best_rank": int(best_rank[index]),
            "worst_rank": int(worst_rank[index]),
        }
        for place, index in enumerate(order)
    ]


CASES = {"ties": (tied_matrix, 4), "votes": (close_votes, 3), "restaurants": (restaurants, 5)}


@pytest.mark.parametrize("case", CASES)
def test_typed_k_and_eps_show_what_the_library_computes(open_report: Any, case: str) -> None:
    make, k = CASES[case]
    data = make()
    document = report_document(data, k)
    report = open_report(document)
    assert report.rows() == expected_rows(data, k, document["eps"])
    limit = document["thresholds"]["limit"]
    boundary = np.sqrt(2) / data.n_units
    audited = audit(data, k=k, eps=document["eps"])
    seen = set()
    for other in {1, 2, k - 1, k, k + 1, min(2 * k, len(data.items))}:
        for eps in (limit / 1e6, limit / 40, boundary, 1.01 * boundary, 2 * boundary, limit / 3, limit):
            report.move(k=other, eps=min(eps, limit))
            assert report.settings() == (other, min(eps, limit))
            rows = report.rows()
            assert rows == expected_rows(data, other, min(eps, limit))
            seen.add(tuple(row["standing"] for row in rows))
            delta = float(audited.curve(other).delta(min(eps, limit)))
            shown = report.page.evaluate(
                "() => [...document.querySelectorAll('#tiles dd')].map((tile) => tile.innerText)"
            )
            assert int(shown[0].replace(",", "")) == sum(row["standing"] != "out" for row in rows)
            assert float(shown[4].rstrip("%")) == pytest.approx(100 * delta, rel=0.01)
    assert len(seen) > 5  # the slider did change the answer


def test_sliders_move_the_answer(open_report: Any) -> None:
    data = tied_matrix()
    report = open_report(report_document(data, 4))
    headlines = {report.text("#headline")}
    for key, selector in (("End", "#eps"), ("ArrowLeft", "#eps"), ("Home", "#k"), ("PageUp", "#k")):
        report.page.locator(selector).press(key)
        report.drawn()
        k, eps = report.settings()
        assert report.rows() == expected_rows(data, k, eps)
        headlines.add(report.text("#headline"))
    assert len(headlines) > 2
    report.page.click("#reset")
    report.drawn()
    assert report.settings() == (4, report_document(data, 4)["eps"])


def test_charts_say_in_words_what_they_show(open_report: Any) -> None:
    report = open_report(report_document(tied_matrix(), 4))

    def words() -> list[str]:
        return report.page.evaluate(
            "() => [...document.querySelectorAll('[role=img]')].filter((one) => one.checkVisibility())"
            ".map((one) => one.getAttribute('aria-label'))"
        )

    before = words()
    assert len(before) == 4
    assert all(len(text) > 20 for text in before)
    report.move(k=6)
    after = words()
    assert all(
        new != old for new, old in zip(after[:1] + after[2:], before[:1] + before[2:], strict=True)
    )
    drawn = report.page.evaluate(
        "() => [...document.querySelectorAll('.chart')].filter((chart) => chart.checkVisibility())"
        ".map((chart) => chart.querySelectorAll('svg path').length)"
    )
    assert all(paths > 3 for paths in drawn)


def test_specifications_are_valid_vega_lite(open_report: Any) -> None:
    specs = open_report(report_document(close_votes(), 3)).page.evaluate("() => SPECS")
    assert sorted(specs) == ["cliff", "delta", "intervals", "overview", "size"]
    for spec in specs.values():
        alt.LayerChart.from_dict(spec)


def test_table_sorts_and_filters(open_report: Any) -> None:
    data = restaurants()
    report = open_report(report_document(data, 5))
    report.page.click("#items button[data-key=item]")
    names = [row["item"] for row in report.rows()]
    assert names == sorted(names, key=str.casefold)
    report.page.click("#items button[data-key=item]")
    assert [row["item"] for row in report.rows()] == names[::-1]
    assert report.page.get_attribute("#items th:nth-child(2)", "aria-sort") == "descending"
    report.page.click("#items button[data-key=score]")
    assert report.rows()[0]["rank"] == len(data.items)
    report.page.fill("#search", "CAFÉ")
    assert [row["item"] for row in report.rows()] == ["Café Lumière"]
    report.page.fill("#search", "")
    report.page.select_option("#show", "contender")
    assert {row["standing"] for row in report.rows()} == {"contender"}
    report.page.fill("#search", "nothing has this name")
    assert report.rows() == []
    assert "0 of 20" in report.text("#count")


def _download(report: Any, button: str) -> str:
    with report.page.expect_download() as waiting:
        report.page.click(button)
    return Path(waiting.value.path()).read_bytes().decode("utf-8")


def _cells(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("make", [restaurants, hostile_matrix])
def test_downloads_hold_the_rows_of_the_library(open_report: Any, make: Any) -> None:
    data = make()
    document = report_document(data, 5)
    report = open_report(document)
    ours, theirs = _cells(_download(report, "#csv")), _cells(to_csv(document))
    assert ours[0] == theirs[0]
    assert [row[1] for row in ours] == [row[1] for row in theirs]
    numbers = [0, 2, 3, 4, 6]
    for mine, row in zip(ours[1:], theirs[1:], strict=True):
        assert [float(mine[place]) for place in numbers] == [float(row[place]) for place in numbers]
        assert mine[5] == row[5]
    found = json.loads(_download(report, "#json"))
    assert found["rows"] == document["rows"]
    assert found["certificate"] == document["certificate"]
    assert found["schema_version"] == document["schema_version"]
    report.move(k=6)
    moved = json.loads(_download(report, "#json"))
    assert (moved["k"], moved["certificate"]) == (6, None)
    standing = [WORDS[row["standing"]] for row in moved["rows"]]
    assert standing == [row["standing"] for row in expected_rows(data, 6, document["eps"])]


def test_hostile_names_are_text_everywhere(open_report: Any) -> None:
    data = hostile_matrix()
    report = open_report(report_document(data, 8), title="<script>window.pwned = 1</script> & co")
    report.move(eps=0.2)
    for name in ("img", "iframe", "object", "b", "script:not([id]):not(:nth-last-child(-n+2))"):
        assert report.page.locator(f"body {name}").count() == (2 if name == "b" else 0), name
    assert report.page.evaluate("() => window.pwned") is None
    assert report.page.title() == "<script>window.pwned = 1</script> & co"
    shown = report.page.evaluate(
        "() => [...document.querySelectorAll('#items td.name')]"
        ".map((cell) => [...cell.querySelectorAll('bdi')].at(-1).textContent)"
    )
    assert sorted(shown) == sorted(HOSTILE)
    directions = report.page.evaluate(
        "() => [...document.querySelectorAll('#items td.name bdi')].map((name) => name.dir)"
    )
    assert set(directions) == {"auto"}
    cells = [row[1] for row in _cells(_download(report, "#csv"))[1:]]
    assert sorted(map(unguarded, cells)) == sorted(HOSTILE)
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    marks = report.page.locator("#cliff .mark-symbol path")
    assert marks.count() > 10
    for mark in marks.all():
        mark.hover(force=True)
    assert report.page.locator("#vg-tooltip-element").inner_text()
    assert report.page.evaluate("() => window.pwned") is None


def test_long_names_are_cut_and_can_be_opened(open_report: Any) -> None:
    report = open_report(report_document(hostile_matrix(), 8))
    details = report.page.locator("#items details")
    assert details.count() == 1
    assert details.bounding_box()["height"] < 200
    details.locator("summary").click()
    assert details.bounding_box()["height"] > 200
    assert "x" * 10_000 in details.inner_text()


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


def test_a_thousand_items_in_two_megabytes(open_report: Any, tmp_path: Path) -> None:
    data = many_items(1000)
    document = report_document(data, 20)
    report = open_report(document)
    size = len(report.page.content().encode())
    assert (tmp_path / "report-0.html").stat().st_size < 2_000_000 < 2 * size
    assert len(report.rows()) == 200
    report.page.click("#more")
    rows = report.rows()
    assert len(rows) == 1000
    k, eps = 23, document["thresholds"]["limit"] / 2
    report.move(k=k, eps=eps)
    covered = document["thresholds"]["last_k"]
    assert covered > 100
    expected = expected_rows(data, *report.settings())
    assert report.rows()[:covered] == expected[:covered]
    assert [row["standing"] for row in report.rows()] == [row["standing"] for row in expected]
    report.page.click("#page-on")
    assert "41 to 80 of 1,000" in report.text("#page-text")
    assert "ranks 41 to 80" in report.text("#intervals-text")


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
    assert _colour(light, "#cliff svg text", "fill") != _colour(dark, "#cliff svg text", "fill")
    dark.page.click("#theme")
    assert _colour(dark, "body", "backgroundColor") == "rgb(245, 246, 248)"
    light.page.emulate_media(color_scheme="dark")  # no choice was made: follows the system
    light.page.wait_for_selector("html[data-theme=dark]")
    assert _colour(light, "body", "backgroundColor") == "rgb(17, 22, 29)"


@pytest.mark.parametrize("make", [restaurants, hostile_matrix, lambda: many_items(90)])
def test_a_phone_needs_no_sideways_scrolling(open_report: Any, make: Any) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
    report = open_report(report_document(make(), 5), **phone)
    report.move(eps=0.05)
    wide = report.page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= 360
    charts = report.page.evaluate(
        "() => [...document.querySelectorAll('.chart svg')]"
        ".map((chart) => chart.getBoundingClientRect().width)"
    )
    assert all(200 < width <= 340 for width in charts)


def test_print_is_light_and_without_controls(open_report: Any) -> None:
    report = open_report(report_document(restaurants(), 5), color_scheme="dark")
    report.page.emulate_media(media="print")
    assert _colour(report, "body", "backgroundColor") == "rgb(255, 255, 255)"
    assert _colour(report, "#cliff svg text", "fill") == "rgb(0, 0, 0)"
    for hidden in ("#controls", "#theme", "#csv"):
        assert not report.page.is_visible(hidden)
    assert report.page.is_visible("#headline")
    assert report.page.pdf().startswith(b"%PDF")


def test_screenshot_shows_something(open_report: Any, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    report = open_report(report_document(restaurants(), 5))
    path = tmp_path / "report.png"
    report.page.screenshot(path=path, full_page=True)
    with image.open(path) as picture:
        assert picture.height > 2000
        colours = {colour for _, colour in picture.convert("RGB").getcolors(1 << 24)}
    assert {(0, 114, 178), (213, 94, 0), (127, 136, 148)} <= colours  # all three standings


def test_a_k_without_a_curve_says_so(open_report: Any) -> None:
    document = report_document(many_items(90), 30)
    report = open_report(document)
    report.move(k=60)
    assert "that of k = 30 is" in report.text("#stability")
    assert "that of k = 30 is" in report.text("#delta-text")
    expected = expected_rows(many_items(90), 60, document["eps"])
    assert report.rows() == expected
    report.page.click("#reset")
    report.drawn()
    assert "left out one at a time" in report.text("#stability")


def test_ranks_beyond_the_windows_are_not_guessed(open_report: Any) -> None:
    data = tied_matrix()
    answer = stable_topk(data, 6, eps=1.0)
    document = answer.findings(budget=3)
    windows = document["thresholds"]
    assert 1 < windows["first_k"] <= 6 == windows["last_k"]
    report = open_report(document)
    assert report.rows() == expected_rows(data, 6, 1.0)  # the chosen eps knows all ranks
    for eps in (0.05, 0.6, windows["limit"]):
        report.move(eps=eps)
        rows, expected = report.rows(), expected_rows(data, 6, eps)
        for shown, exact in zip(rows, expected, strict=True):
            for name in ("best_rank", "worst_rank"):
                assert shown[name] in {None, exact[name]}
            members = {"surely in", "contender"}
            assert (shown["standing"] in members) == (exact["standing"] in members)
            assert shown["standing"] != "surely in" or exact["standing"] == "surely in"
    assert any(row["best_rank"] is None for row in rows)


def test_a_report_without_audit_says_so(open_report: Any) -> None:
    report = open_report(report_document(tied_matrix(), 4, eps=0.3, claim="none"))
    assert "nothing is claimed" in report.text("#stability")
    assert "does not know" in report.text("#flips-text")
    assert not report.page.is_visible("#delta")
    assert report.rows() == expected_rows(tied_matrix(), 4, 0.3)


def test_flips_are_those_of_the_audit(open_report: Any) -> None:
    data = restaurants()
    document = report_document(data, 5)
    report = open_report(document)
    found = audit(data, k=5, eps=document["eps"]).flips(5)
    cells = report.page.evaluate(
        "() => [...document.querySelectorAll('#flips tbody tr')]"
        ".map((row) => [...row.children].map((cell) => cell.innerText))"
    )
    assert cells == [
        [
            str(flip.unit),
            str(flip.count),
            ", ".join(map(str, flip.leaves)),
            ", ".join(map(str, flip.enters)),
        ]
        for flip in found.plain
    ]
    assert len(cells) > 10


def test_the_verdict_needs_no_script(chromium: Any, tmp_path: Path) -> None:
    document = report_document(restaurants(), 5)
    path = write_whole(render_html(document), tmp_path / "report.html")
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.inner_text("#headline") == verdict(document)
    assert page.inner_text("#stability") == document["certificate"]["sentence"]
    assert page.is_visible("noscript")
    context.close()


@pytest.mark.parametrize(
    ("votes", "k", "headline"),
    [
        (["only"] * 3, 1, "The top 1 is everything: there is 1 item in all."),
        (["a", "b", "c", "d"], 4, "The top 4 is everything: there are 4 items in all."),
        (
            ["a", "b", "c", "d"],
            2,
            "The top 2 needs 4 items: none is surely in, 4 contend for the whole top 2.",
        ),
        (["a"] * 9 + ["b"], 1, "A clear first place: no other item comes close enough."),
    ],
)
def test_small_cases_in_words(open_report: Any, votes: list[str], k: int, headline: str) -> None:
    report = open_report(report_document(Votes(votes), k))
    assert report.text("#headline") == headline
    for axis in ("#size", "#intervals"):
        labels = report.page.evaluate(
            "(axis) => [...document.querySelectorAll(`${axis} .role-axis-label text`)]"
            ".map((label) => label.textContent)",
            axis,
        )
        shown = [label for label in labels if label.isdigit()]
        assert len(shown) == len(set(shown))


def test_the_slider_of_those_who_may_leave_rules_nothing_out_that_happens(open_report: Any) -> None:
    counts = {"ann": 6, "bob": 5, "cyd": 3, "dee": 2}
    data = Votes([name for name, count in counts.items() for _ in range(count)])
    report = open_report(report_document(data, 2))
    assert "must leave before the top 2 changes" in report.text("#margin")
    most = int(report.page.get_attribute("#leaving", "max"))
    assert most >= 2
    ways = [
        (16 - sum(left), sorted(counts, key=lambda name: (-left[list(counts).index(name)], name))[:2])
        for left in product(*(range(count + 1) for count in counts.values()))
        if any(left)
    ]
    for m in range(most + 1):
        report.page.fill("#leaving-number", str(m))
        report.page.dispatch_event("#leaving-number", "change")
        told, items = report.text("#leaving-text"), report.text("#leaving-items")
        seen = [set(top) for number, top in ways if number <= m]
        gone = {name for top in seen for name in {"ann", "bob"} - top}
        come = {name for top in seen for name in top - {"ann", "bob"}}
        if gone:
            assert "sure to stay" in told
            assert all(name in items for name in gone | come)
        if "stays as it is" in told:
            assert not gone
            assert items == ""

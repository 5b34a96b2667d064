"""The report in Chromium: what it shows is what the library computes, and it shows nothing else."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser.deletions import Deletions
from browser.examples import (
    cells_of,
    download,
    hostile_matrix,
    many_items,
    report_document,
    restaurants,
    tied_matrix,
)
from steadyrank import Mean, Study
from steadyrank.report.export import to_csv
from steadyrank.report.html import render_html
from steadyrank.report.picture import share_image
from steadyrank.study.study import with_names
from steadyrank.writing import write_whole

pytestmark = pytest.mark.browser


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
        assert place(shown["bar"][1] - half) == pytest.approx(
            row["worst_rank"], abs=0.1
        )
        assert place(shown["cut"][0] - half) == pytest.approx(4.5, abs=0.15)
        assert shown["standing"] == row["standing"]
        assert f"rank {row['rank']}" in shown["told"]
        assert shown["away"].removeprefix("≥ ") in {str(row["away"]), "never"}
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
        last = max(
            place
            for place, row in enumerate(report.hero(), 1)
            if row["standing"] != "out"
        )
        ends = report.page.evaluate(
            "() => [...document.querySelectorAll('.end')].map((row) => row.dataset.rank)"
        )
        assert ends == ([str(last)] if last > k else [])
        listed = [row["rank"] for row in document["rows"] if row["listed"]]
        assert k != 2 or last == max(listed)


def test_what_is_blank_stays_blank(open_report: Any) -> None:
    document = report_document(many_items(90), 30)
    blank = dict.fromkeys(
        ("best_rank", "worst_rank", "away", "share", "lowest_score", "highest_score")
    )
    rows = [row | (blank if row["rank"] > 45 else {}) for row in document["rows"]]
    report = open_report(document | {"rows": rows, "away_beyond": 3})
    assert report.page.get_attribute("#k", "max") == "30"
    assert int(report.page.get_attribute("#m", "max")) == 2
    report.page.click("#page-on")
    shown = {row["rank"]: row for row in report.hero()}
    assert shown[45]["bar"] is not None
    for rank in range(46, max(shown) + 1):
        assert (shown[rank]["bar"], shown[rank]["share"], shown[rank]["away"]) == (
            None,
            "",
            "",
        )
    report.page.hover(f"#hero tr[data-rank='{max(shown)}']")
    assert "null" not in report.text("#tip")
    assert "NaN" not in report.page.content()


def test_a_bar_that_goes_far_does_not_flatten_the_others(open_report: Any) -> None:
    document = report_document(many_items(90), 10)
    rows = [
        row | ({"worst_rank": 88} if row["rank"] == 9 else {})
        for row in document["rows"]
    ]
    report = open_report(document | {"rows": rows})
    shown = report.hero()
    assert shown[1]["mark"][0] - shown[0]["mark"][0] > 5
    assert report.page.locator("#hero tr[data-rank='9'] .beyond").inner_text() == "88 ▸"


def test_what_is_told_of_an_item_is_in_the_document(open_report: Any) -> None:
    document = report_document(restaurants(), 5)
    report = open_report(document)
    for row in document["rows"]:
        report.page.hover(f"#hero tr[data-rank='{row['rank']}']")
        told = report.text("#tip")
        assert row["item"] in told
        assert row["standing"] in told.splitlines()
        low, high = map(
            float,
            re.search(
                r"between (\S+) and (\S+) whichever reviewer is removed", told
            ).groups(),
        )
        assert low <= row["lowest_score"] <= row["highest_score"] <= high
        assert high - low < row["highest_score"] - row["lowest_score"] + 3e-4
        if row["standing"] == "contender":
            way = "pushing it out" if row["rank"] <= 5 else "bringing it in"
            assert f"{way} takes the removal of 1 reviewer" in told


def test_table_sorts_and_filters(open_report: Any) -> None:
    data = restaurants()
    report = open_report(report_document(data, 5))
    report.page.click("#items button[data-key=item]")
    names = [row["Restaurant"] for row in report.rows()]
    assert names == sorted(names, key=str.casefold)
    report.page.click("#items button[data-key=item]")
    assert [row["Restaurant"] for row in report.rows()] == names[::-1]
    assert (
        report.page.get_attribute("#items th:nth-child(2)", "aria-sort") == "descending"
    )
    report.page.click("#items button[data-key=score]")
    assert report.rows()[0]["Rank"] == str(len(data.items))
    report.page.fill("#search", "CAFÉ")
    assert [row["Restaurant"] for row in report.rows()] == ["Café Lumière"]
    report.page.fill("#search", "")
    report.page.select_option("#show", "contender")
    assert {row["Standing"] for row in report.rows()} == {"contender"}
    report.page.fill("#search", "nothing has this name")
    assert report.rows() == []
    assert "0 of 20" in report.text("#count")


def _number(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


@pytest.mark.parametrize("make", [restaurants, hostile_matrix])
def test_downloads_hold_the_rows_of_the_library(open_report: Any, make: Any) -> None:
    document = report_document(make(), 5)
    report = open_report(document)
    ours, theirs = cells_of(download(report, "#csv")), cells_of(to_csv(document))
    assert ours[0] == theirs[0]
    for mine, row in zip(ours[1:], theirs[1:], strict=True):
        assert mine[1] == row[1]
        assert list(map(_number, mine)) == list(map(_number, row))
    found = json.loads(download(report, "#json"))
    assert found == document
    report.move(k=6)
    moved = json.loads(download(report, "#json"))
    assert (moved["k"], moved["leaving"], moved["certificate"]) == (6, 1, None)
    assert (
        {row["share"] for row in moved["rows"]}
        == {row["away"] for row in moved["rows"]}
        == {None}
    )


def test_the_share_image_is_that_of_the_library(open_report: Any) -> None:
    document = report_document(restaurants(), 5)
    report = open_report(document)
    assert download(report, "#svg") == share_image(document).encode()
    picture = download(report, "#png")
    assert picture.startswith(b"\x89PNG")
    image = pytest.importorskip("PIL.Image")
    with image.open(io.BytesIO(picture)) as drawn:
        assert drawn.width == 2400
        colours = {colour for _, colour in drawn.convert("RGB").getcolors(1 << 24)}
    assert {(0, 114, 178), (213, 94, 0), (127, 136, 148)} <= colours


def test_curves_are_those_of_the_document(open_report: Any) -> None:
    data = restaurants()
    document = report_document(data, 5)
    report = open_report(document)
    report.page.click("#details summary")
    chosen = document["curve"]["chosen"]
    found = Study(data).audit(k=5, eps=chosen).curve(5)
    where = "at the smallest eps whose list holds every new top k"
    assert f": {int(found.size(chosen))} {where}" in report.text("#size-text")
    assert f": {100 * float(found.delta(chosen)):g}% {where}" in report.text(
        "#delta-text"
    )
    for name in ("delta", "size"):
        path = report.page.get_attribute(f"#{name} path", "d")
        assert "NaN" not in path
        assert path.count("V") >= 1
        assert len(report.page.get_attribute(f"#{name}", "aria-label")) > 20


def test_a_report_without_audit_says_so(open_report: Any) -> None:
    document = report_document(
        tied_matrix(), 4, proved=True, scorer=Mean(value_range=(0, 6))
    )
    report = open_report(document)
    assert "plain ranks only" in report.text("#limits")
    assert "does not know" in report.text("#flips-text")
    for hidden in ("#m", "#delta", "#flips"):
        assert not report.page.is_visible(hidden)
    assert report.text("#tiles") == ""
    assert report.text("#told").startswith(
        "Nothing is removed: by score alone, the top 4 is"
    )
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
    assert (
        report.text("#flips-text")
        == "Removing any one of 34 of the 180 reviewers changes the top 5."
    )
    flips = Study(data).audit(k=5, eps=document["eps"]).flips(5).plain
    assert [flip["unit"] for flip in listed] == [flip.unit for flip in flips]
    rows = report.rows("#flips")
    assert [row["Reviewers"] for row in rows] == ["12", "11", "11"]
    assert {row["Drops out"] for row in rows} == {", ".join(map(str, flips[0].leaves))}
    said = [row["Who, and what they said"] for row in rows]
    assert {text.partition("more")[2].strip() for text in said} == {
        "<i>5</i> against 2",
        "4 against 3",
        "",
    }
    report.page.evaluate(
        "() => { for (const one of document.querySelectorAll('#flips details')) one.open = true; }"
    )
    who = " ".join(row["Who, and what they said"] for row in report.rows("#flips"))
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
        ["4", "sure: in the top 5, no matter which reviewer is removed"],
        ["2", "contenders: in or out, depending on which reviewer is removed"],
        ["34 of 180", "reviewers: removing any one of them changes the top 5"],
        ["1", "margin: the fewest reviewers whose removal changes the top 5"],
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
    assert page.inner_text("#claim") == f"The list has 6 restaurants. {promise}"
    assert page.inner_text("#warnings") == "The file may be upside down."
    assert page.locator("noscript tbody tr").count() == 20
    assert not page.is_visible("#chart")
    context.close()


def test_the_whole_page_calls_items_and_units_by_their_names(open_report: Any) -> None:
    named = with_names(Study(restaurants()), "café", "guest").topk(5)
    report = open_report(named.findings())
    report.page.evaluate(
        "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
    )
    report.page.evaluate(
        "document.querySelectorAll('#policies').forEach((one) => one.remove())"
    )
    told = report.text("body")
    assert "5 cafés" in told
    assert not re.findall(r".*\b(?:items?|units?|users?)\b.*", told, re.IGNORECASE)

"""The page of a comparison in Chromium: lines, marks and the table say what the findings hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from browser.examples import HOSTILE, hostile_matrix
from steadyrank import ScoreMatrix, Study

pytestmark = pytest.mark.browser

LINES = """() => [...document.querySelectorAll("#slopes path")].map((path) => {
    const box = path.getBoundingClientRect();
    const ends = [0, path.getTotalLength()].map((at) => path.getPointAtLength(at).y + 0.5);
    return {verdict: path.getAttribute("class"), from: Math.round(ends[0]), to: Math.round(ends[1])};
})"""
NAMES = """(side) => [...document.querySelectorAll(`#slopes .${side} li`)].map((entry) =>
    [entry.querySelector(".place").innerText, entry.querySelector("bdi").title, entry.className])"""


def versions(items: int) -> dict[str, Any]:
    """Findings of a board, and of one with more rows, an item more and one less."""
    rng = np.random.default_rng(items)
    names = [
        f"A product with a name that is rather long, edition {place:02d}"
        for place in range(items)
    ]
    values = np.sort(rng.normal(0, 0.5, items))[::-1] + rng.normal(0, 0.4, (60, items))
    more = np.vstack([values, values[:20] + rng.normal(0, 1, (20, items))])
    more[:, -1] += 9  # the new one comes first, so that no rank is a place
    old, new = (
        ScoreMatrix(values, items=names),
        ScoreMatrix(more, items=[*names[:-1], "the new one"]),
    )
    found = Study(old).compare(new, 3).findings(source="old.csv")
    assert {row["verdict"] for row in found["rows"]} >= {"same", "new", "gone"}
    return found


@pytest.mark.parametrize(("items", "width"), [(6, 1100), (60, 390), (6, 768)])
def test_it_draws_the_places_of_the_findings(
    open_report: Any, items: int, width: int
) -> None:
    found = versions(items)
    opened = open_report(
        found, viewport={"width": width, "height": 800}, color_scheme="dark"
    )
    assert opened.text("#headline") == found["headline"]
    assert opened.text("#sentences").split("\n\n") == found["sentences"]
    both = [row for row in found["rows"] if row["old_place"] is not None]
    drawn = {
        (line["from"], line["to"], line["verdict"])
        for line in opened.page.evaluate(LINES)
    }
    assert drawn == {
        (row["old_place"], row["new_place"], row["verdict"]) for row in both
    }
    for side in ("old_place", "new_place"):
        named = opened.page.evaluate(NAMES, side)
        expected = sorted(both, key=lambda row: row[side])
        assert named == [
            [str(row[side]), row["item"], row["verdict"]] for row in expected
        ]
    shown = opened.rows("#moves")
    assert [row["item"] for row in shown] == [row["item"] for row in found["rows"]]
    # on a phone the title of a cell stands before it, as a part of the style
    assert [row["verdict"] for row in shown] == [
        row["verdict"] for row in found["rows"]
    ]
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_fits_on_paper(open_report: Any) -> None:
    paper = 718  # A4 between margins of 1 cm, in pixels of CSS
    opened = open_report(versions(12), viewport={"width": paper, "height": 1000})
    opened.page.emulate_media(media="print")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= paper
    assert opened.page.is_visible("#moves thead")


def test_names_from_strangers_are_text(open_report: Any) -> None:
    old = hostile_matrix()
    opened = open_report(
        Study(old)
        .compare(ScoreMatrix(old.values[:, ::-1], items=list(HOSTILE)))
        .findings()
    )
    assert opened.page.evaluate("window.pwned") is None
    assert len(opened.rows("#moves")) == len(HOSTILE)
    opened.page.click("#theme")
    assert opened.page.get_attribute("html", "data-theme") == "dark"

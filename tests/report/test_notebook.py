"""Results in notebooks: small tables, names escaped."""

from __future__ import annotations

import re
from html import unescape

import pytest

from browser.examples import HOSTILE, hostile_matrix, restaurants
from steadyrank import Mean, Study
from steadyrank.report.export import COLUMNS
from steadyrank.text import LONGEST, shortened

OURS = {"div", "table", "thead", "tbody", "tr", "th", "td", "bdi", "p"}

FIELDS = {name for names in COLUMNS.values() for name in names if "_" in name} | {
    *(
        "n units",
        "lower",
        "upper",
        "exact",
        "passed",
        "passing",
        "method",
        "max delta",
        "stable",
    ),
    *(
        name.replace("_", " ")
        for names in COLUMNS.values()
        for name in names
        if "_" in name
    ),
}
"""What JSON and dataframes call things, and no table for people does."""


def elements(page: str) -> set[str]:
    return set(re.findall(r"<([a-z]+)", page))


def names(page: str) -> list[str]:
    rows = re.findall(r"<tr><td[^>]*><bdi>.*?</tr>", page, flags=re.DOTALL)
    return [
        unescape(re.findall(r"<bdi>(.*?)</bdi>", row, flags=re.DOTALL)[1])
        for row in rows
    ]


def test_hostile_names_stay_text() -> None:
    for page in (
        Study(hostile_matrix()).topk(5)._repr_html_(),
        Study(hostile_matrix()).ranking()._repr_html_(),
    ):
        assert elements(page) <= OURS
        assert set(names(page)) == {shortened(name, LONGEST) for name in HOSTILE}


def test_topk_shows_standing_ranks_share_and_distance() -> None:
    answer = Study(restaurants()).topk(5)
    page = answer._repr_html_()
    shown = [
        [unescape(cell) for cell in re.findall(r"<bdi>(.*?)</bdi>", row)]
        for row in re.findall(r"<tr><td.*?</tr>", page)
    ]
    rows = list(answer.rows())
    assert [row[1] for row in shown] == [str(row.item) for row in rows]
    assert [row[3] for row in shown] == [row.standing for row in rows]
    for cells, row in zip(shown, rows, strict=True):
        best, _, worst = cells[4].partition("–")
        assert (int(best), int(worst or best)) == (row.best_rank, row.worst_rank)
        assert float(cells[5].rstrip("%")) == pytest.approx(100 * row.share, abs=0.05)
        assert cells[6].removeprefix("≥ ") == str(row.away)
    assert answer.findings()["headline"] in unescape(page)
    assert answer.certificate.promise in unescape(page)


def test_what_is_not_known_has_no_column() -> None:
    page = (
        Study(restaurants(), Mean(1.0, value_range=(1, 5)))
        .topk(5, proved=True)
        ._repr_html_()
    )
    assert "None" not in page
    assert "<bdi></bdi>" not in page
    assert re.findall(r"<th style[^>]*>(.*?)</th>", page) == [
        "rank",
        "item",
        "score",
        "ratings",
    ]


@pytest.mark.parametrize("eps", [None, 0.01])
def test_audit_shows_each_method(eps: float | None) -> None:
    result = Study(restaurants()).audit(k=[3, 5], eps=eps)
    page = result._repr_html_()
    assert page.count("<tr>") == len(result.table) + 1
    for row in result.table:
        assert f"<bdi>{row.delta:.4f}</bdi>" in page
    assert ("eps = 0.01" in page) == (eps is not None)


def test_everything_shows_itself_in_one_style() -> None:
    study = Study(restaurants())
    shown = (
        study, study.data, study.topk(5), study.ranking(), study.audit(3, eps=0.01), study.margin(5),
        study.margin(), study.flips(5), study.explain(5), study.curve(5),
        study.check(5),
        study.compare(study.data), study.confidence(draws=50),
    )  # fmt: skip
    for one in shown:
        page = one._repr_html_()
        assert re.match(
            r'<div><p style="[^"]+">[A-Z0-9d\'&].+?</p>(<table |<p )', page
        ), type(one)
        assert page.endswith("</div>")
        heads = re.findall(r"<th [^>]*>(.*?)</th>", page)
        assert not {*heads} & FIELDS, (type(one), heads)
        assert "None" not in page
        assert not re.search(r"<bdi>-?\d+\.\d{7,}", page), type(
            one
        )  # rounded, as people read numbers


def test_hostile_names_stay_text_wherever_they_are_shown() -> None:
    study = Study(hostile_matrix())
    for one in (
        study.data,
        study.flips(5),
        study.explain(5),
        study.margin(5),
        study.confidence(draws=50),
    ):
        assert elements(one._repr_html_()) <= OURS


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_the_library_of_the_data_is_that_of_the_table(library: str) -> None:
    made = pytest.importorskip(library)
    columns = {"choice": ["a"] * 5 + ["b"] * 3}
    frame = made.table(columns) if library == "pyarrow" else made.DataFrame(columns)
    study = Study(frame, choice="choice")
    for one in (
        study.topk(1),
        study.confidence(draws=50),
        study.compare(study.data),
        study.margin(1),
    ):
        assert type(one.to_frame()).__module__.partition(".")[0] == library, type(one)

"""Results in notebooks: the words of a terminal, names escaped."""

from __future__ import annotations

import re
from html import unescape

import pytest

from browser.examples import HOSTILE, hostile_matrix, restaurants
from steadyrank import Study, Votes, stable_ranking, stable_topk
from steadyrank.text import shown


def test_everything_shows_itself_as_it_prints_itself() -> None:
    study = Study(restaurants())
    every = (
        study.topk(5), study.ranking(), study.audit(3, eps=0.01), study.margin(5), study.margin(),
        study.flips(5), study.explain(5), study.curve(5), study.ranking_curve(), study.check(5),
        study.needed(5), study.compare(study.data), study.confidence(draws=50),
        study.audit(5, removals=2, samples=3),
    )  # fmt: skip
    for one in every:
        page = one._repr_html_()
        assert re.fullmatch(r"<pre>[^<>]*</pre>", page), type(one)
        assert unescape(page[5:-6]) == str(one)
        assert "None" not in page


def test_hostile_names_stay_text() -> None:
    for answer in (stable_topk(hostile_matrix(), 5), stable_ranking(hostile_matrix())):
        page = answer._repr_html_()
        assert re.findall(r"<(/?[a-z]+)", page) == ["pre", "/pre"]
        for name in HOSTILE:
            assert shown(name)[:8].strip() in unescape(page)
    assert "<script" not in Study(hostile_matrix()).data._repr_html_()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_the_library_of_the_data_is_that_of_the_table(library: str) -> None:
    made = pytest.importorskip(library)
    columns = {"choice": ["a"] * 5 + ["b"] * 3}
    frame = made.table(columns) if library == "pyarrow" else made.DataFrame(columns)
    study = Study(Votes.from_frame(frame))
    for one in (study.topk(1), study.confidence(draws=50), study.compare(study.data), study.margin(1)):
        assert type(one.to_frame()).__module__.partition(".")[0] == library, type(one)

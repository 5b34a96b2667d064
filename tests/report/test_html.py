"""The HTML report without a browser: what is in the file, and how it gets there."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from browser.examples import (
    HOSTILE,
    close_votes,
    hostile_matrix,
    report_document,
    restaurants,
    tied_matrix,
)
from steadyrank import Votes, write_report
from steadyrank.errors import InvalidKError, MissingPackageError
from steadyrank.report.export import to_json
from steadyrank.report.html import STEPS_OF_OTHERS, chart_runtime, floats, packed, render_html
from steadyrank.report.text import verdict
from steadyrank.writing import write_whole

pytest.importorskip("vl_convert")


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
    return render_html(report_document(hostile_matrix(), 5), title='"><img src=x onerror=alert(1)>')


def test_the_page_loads_nothing(hostile_page: str) -> None:
    reader = Reader(hostile_page)
    loading = [
        (tag, name, value)
        for tag, attributes in reader.elements
        for name, value in attributes.items()
        if name in {"src", "href", "action", "srcset", "data", "background"} or name.startswith("on")
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
    hashes = {b64encode(sha256(script.encode()).digest()).decode() for script in scripts}
    assert set(re.findall(r"'sha256-([^']+)'", policy)) == hashes
    assert len(scripts) == 2
    assert "script-src 'sha256-" in policy


def test_names_are_in_the_data_block_alone_and_come_back_whole(hostile_page: str) -> None:
    reader = Reader(hostile_page)
    data = json.loads(reader.scripts[0])
    assert sorted(data["columns"]["item"]) == sorted(HOSTILE)
    outside = hostile_page.replace(reader.scripts[0], "")
    for name in HOSTILE[:4]:
        assert name not in hostile_page
    assert "pwned" not in outside
    assert '"><img' not in outside


def test_what_fills_a_place_cannot_bring_another() -> None:
    document = report_document(Votes(["@@data@@"] * 5 + ["b"] * 2), 1)
    page = render_html(document, title="@@runtime@@")
    assert "<title>@@runtime@@</title>" in page
    assert page.count("@@runtime@@") == 2  # the title and the heading
    named = to_json(packed(document), indent=None).count("@@data@@")
    assert named > 0
    assert page.count("@@data@@") == named
    assert page.count("@@") == 2 * (2 + named)


def test_half_of_a_character_does_not_break_the_page(tmp_path: Path) -> None:
    votes = Votes(["broken \ud800 half"] * 3 + ["\x00 null"] * 2)
    path = write_report(votes, 1, tmp_path / "report.html", title="\udfff")
    data = json.loads(Reader(path.read_text(encoding="utf-8")).scripts[0])
    assert data["columns"]["item"] == ["broken \ud800 half", "\x00 null"]


@given(st.lists(st.floats(allow_nan=False)))
def test_packed_numbers_are_exact(values: list[float]) -> None:
    back = np.frombuffer(b64decode(floats(values)), dtype="<f8")
    assert back.tolist() == values


def unpacked(parts: dict[str, Any]) -> list[list[float]]:
    values = np.frombuffer(b64decode(parts["values"]), dtype="<f8")
    return [part.tolist() for part in np.split(values, np.cumsum(parts["lengths"]))[:-1]]


def test_packing_loses_nothing_that_the_page_compares_with() -> None:
    document = report_document(restaurants(), 5)
    page = json.loads(json.dumps(packed(document)))
    for family in ("enters", "swaps"):
        assert unpacked(page["thresholds"][family]) == document["thresholds"][family]
    for name in ("score", "critical_eps"):
        values = np.frombuffer(b64decode(page["columns"][name]), dtype="<f8").tolist()
        assert values == [row[name] for row in document["rows"]]


@pytest.mark.parametrize("make", [restaurants, tied_matrix, close_votes])
def test_packed_curves_never_promise_too_much(make: Any) -> None:
    from steadyrank import audit

    data = make()
    document = report_document(data, 3)
    found = audit(data, k=3, eps=document["eps"])
    limit = document["thresholds"]["limit"]
    for curve in packed(document)["curves"]:
        eps, delta = (np.frombuffer(b64decode(curve[name]), dtype="<f8") for name in ("eps", "delta"))
        assert len(eps) <= STEPS_OF_OTHERS or curve["k"] == 3
        tried = np.linspace(limit / 500, limit, 500)
        shown = delta[np.searchsorted(eps, tried, side="left") - 1]
        exact = found.curve(curve["k"]).delta(tried)
        assert (shown >= exact).all()
        if not curve["thinned"]:
            np.testing.assert_array_equal(shown, exact)


def test_thinned_curves_stay_on_the_safe_side() -> None:
    steps = np.linspace(0, 0.9, 2000)
    found = {"k": 7, "eps": steps.tolist(), "delta": (1 - steps).tolist(), "thinned": False}
    document = report_document(close_votes(), 3) | {"curves": [found]}
    document["thresholds"] = document["thresholds"] | {"limit": 0.5}
    (curve,) = packed(document)["curves"]
    eps, delta = (np.frombuffer(b64decode(curve[name]), dtype="<f8") for name in ("eps", "delta"))
    assert curve["thinned"]
    assert len(eps) == STEPS_OF_OTHERS
    tried = np.linspace(0.001, 0.5, 999)
    exact = (1 - steps)[np.searchsorted(steps, tried, side="left") - 1]
    assert (delta[np.searchsorted(eps, tried, side="left") - 1] >= exact).all()


def test_a_report_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    with pytest.raises(InvalidKError):
        write_report(close_votes(), 99, tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_the_runtime_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    chart_runtime.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    with pytest.raises(MissingPackageError, match=r"steadyrank\[report\]"):
        chart_runtime()


def test_the_same_data_give_the_same_file() -> None:
    pages = {render_html(report_document(close_votes(), 3)) for _ in range(2)}
    assert len(pages) == 1


def test_the_verdict_counts_what_the_answer_holds() -> None:
    document = report_document(restaurants(), 5)
    assert verdict(document) == (
        "Top 5 of 20 items: 4 surely in, 2 items contend for the last place. Of 180 users, "
        "34 change the plain answer when left out; 0 break this one."
    )
    clear = report_document(Votes(["a"] * 50 + ["b"] * 3), 1)
    assert verdict(clear).startswith("Top 1 of 2 items: all 1 surely in")
    open_field = report_document(Votes(["a", "b", "c"]), 1, eps=2.0)
    assert "none is surely in, 3 items contend for it" in verdict(open_field)

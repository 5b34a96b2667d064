"""The levers of the report: every position says what taking units away shows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from browser.deletions import Deletions
from browser.examples import close_votes, report_document, restaurants, tied_matrix
from steadyrank import Battles, Votes

pytestmark = pytest.mark.browser


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
    dropped, came = (
        set.union(*(plain - top for top in tops)),
        set.union(*(top - plain for top in tops)),
    )
    if told.startswith(f"The {unit} holds every item"):
        assert k == len(order)
        return "everything"
    if found := re.fullmatch(
        rf"Nothing is removed: by score alone, the {unit} is (.*)\.", told
    ):
        assert m == 0
        assert names_in(found[1])[0] == order[: min(k, 5)]
        assert is_told(found[1], plain)
        return "nobody"
    if found := re.fullmatch(
        rf"No matter which row is removed, the {unit} stays the same: (.*)\.", told
    ):
        assert m == 1
        assert not dropped
        assert is_told(found[1], plain)
        return "calm"
    if found := re.fullmatch(
        r"(?:No matter which row is removed, (\d+) items? (?:is|are) sure|No item is sure) "
        rf"of the {unit}[;:] (.*) "
        r"contends? for (?:the (\d*) ?other places?|it, depending on which row is removed)\.",
        told,
    ):
        assert m == 1
        assert int(found[1] or 0) == len(set.intersection(*tops))
        assert is_told(found[2], dropped | came)
        assert found[1] is None or int(found[3] or 1) == k - int(found[1])
        return "contended"
    whoever = rf"No matter which {m} of the {len(case.values)} rows are removed,"
    if told == f"{whoever} the {unit} stays the same.":
        assert not dropped
        return "calm for several"
    nothing = f"Nothing is known for the removal of {m} of the {len(case.values)} rows: the bounds rule out"  # noqa: E501
    if told == f"{nothing} no change of the {unit}.":
        assert m > 1
        return "nothing"
    found = re.fullmatch(
        rf"{whoever} at most (\d+) places? of the {unit} can change hands: "
        r"(.*) may drop out, (.*) may come in(?:; its other (\d+) items? stays?)?\.",
        told,
    )
    assert found, told
    assert max(len(plain - top) for top in tops) <= int(found[1])
    out, into = names_in(found[2]), names_in(found[3])
    assert (
        not dropped - set(out[0]) or len(dropped | set(out[0])) <= len(out[0]) + out[1]
    )
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
            limits: document.getElementById("limits").textContent,
            standings: rows.map((row) => [row.querySelector("bdi").textContent, row.classList[0]]),
            ranks: [...document.querySelectorAll("#items tbody tr")].map((row) =>
                ["Item", "Best rank", "Worst rank"].map((name) =>
                    row.querySelector(`[data-title="${name}"]`).textContent)),
        });
    }
    return found;
}"""


@pytest.mark.parametrize(
    "seed", [*range(5), 88, 125, 140]
)  # in the last ones, items between contenders are out
def test_every_lever_says_what_taking_units_away_shows(
    open_report: Any, seed: int
) -> None:
    case = Deletions.drawn(np.random.default_rng([12, seed]))
    report = open_report(report_document(case.data, 1 + seed % (len(case.names) - 1)))
    order, forms = case.order(), set()
    ranges = {
        name: (str(best), str(worst)) for name, (best, worst) in case.ranges().items()
    }
    for found in report.page.evaluate(EVERY_LEVER, [len(order), len(case.values)]):
        k, m = found["shown"]
        assert k == found["asked"][0]
        assert (
            m == found["asked"][1] or 1 <= m < found["asked"][1]
        )  # what is not known is not shown
        form = check_sentence(found["told"], case, k, m)
        forms.add(form)
        standings = dict(found["standings"])
        assert (form == "nothing") == (set(standings.values()) == {"may"})
        assert ("not known here; shown is" in found["limits"]) == (
            m < found["asked"][1]
        )
        assert list(standings) == order
        assert {name: (best, worst) for name, best, worst in found["ranks"]} == ranges
        if m == 1:
            assert standings == case.standings(k)
        elif m > 1:
            crossing = set.union(*(set(order[:k]) ^ top for top in case.tops(k, m)))
            assert all(standings[name] == "may" for name in crossing)
    assert {"everything", "nobody"} <= forms
    assert len(forms) > 2


def test_a_number_that_cannot_be_served_is_said(open_report: Any) -> None:
    """Elo has no bounds beyond one battle: two say that nothing is certified, more are not served."""
    battles = [
        ("a", "b"),
        ("b", "c"),
        ("a", "c"),
        ("c", "a"),
        ("a", "b"),
        ("b", "a"),
    ] * 3
    winners, losers = zip(*battles, strict=True)
    data = Battles(winners, losers, ["left"] * len(battles))
    report = open_report(report_document(data, 1, scorer="elo"))
    report.move(leave=2)
    assert report.settings() == (1, 2)
    assert report.text("#told") == (
        "Nothing is known for the removal of 2 of the 18 battles: "
        "the bounds rule out no change of the top 1."
    )
    report.move(leave=9)
    told = "What the removal of 9 battles does is not known here; shown is 2."
    assert report.text("#limits").startswith(told)
    report.move(leave=1)
    assert "not known here; shown" not in report.text("#limits")


def test_the_oracle_fails_a_sentence_that_says_too_much() -> None:
    case = Deletions(np.array([[2, 1, 0], [1, 2, 0], [2, 1, 0], [1, 2, 0]]))
    decide = "contend for it, depending on which row is removed."
    check_sentence(
        f"No item is sure of the top 1: item a and item b {decide}", case, 1, 1
    )
    for wrong in (
        "No matter which row is removed, the top 1 stays the same: item a.",
        (
            "No matter which row is removed, 1 item is sure of the top 1; item b contends for the other "
            "place."
        ),
        "No item is sure of the top 1: item a contends for it, depending on which row is removed.",
    ):
        with pytest.raises(AssertionError):
            check_sentence(wrong, case, 1, 1)
    with pytest.raises(AssertionError):
        check_sentence(
            "Whichever 2 of the 4 rows leave, the top 1 stays the same.", case, 1, 2
        )


def test_levers_move_by_key_and_come_back(open_report: Any) -> None:
    report = open_report(report_document(tied_matrix(), 4))
    seen = {report.text("#told")}
    for key, selector in (
        ("End", "#k"),
        ("ArrowLeft", "#k"),
        ("Home", "#m"),
        ("Home", "#k"),
    ):
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


def test_a_link_brings_the_levers_back(open_report: Any) -> None:
    document = report_document(restaurants(), 5)
    report = open_report(document)
    report.move(leave=3)
    assert (
        report.page.evaluate("location.hash") == "#k=5&leave=3"
    )  # page.url may lag behind
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


@pytest.mark.parametrize(
    ("votes", "k", "told"),
    [
        (["only"] * 3, 1, "The top 1 holds every item: there is 1 item in all."),
        (["a", "b", "c", "d"], 4, "The top 4 holds every item: there are 4 items in all."),
        (["a"] * 9 + ["b"], 1, "No matter which vote is removed, the top 1 stays the same: a."),
        (
            ["a"] * 3 + ["b"] * 2 + ["c"] * 2,
            2,
            ("No matter which vote is removed, 1 item is sure of the top 2; b and c contend for the "
            "other place."),
        ),
    ],
)  # fmt: skip
def test_small_cases_in_words(
    open_report: Any, votes: list[str], k: int, told: str
) -> None:
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
        (
            16 - sum(left),
            sorted(counts, key=lambda name: (-left[list(counts).index(name)], name))[
                :2
            ],
        )
        for left in product(*(range(count + 1) for count in counts.values()))
        if any(left)
    ]
    for m in range(most + 1):
        report.move(leave=m)
        assert report.settings() == (2, m)
        seen = [set(top) for number, top in ways if number <= m]
        crossing = {name for top in seen for name in {"ann", "bob"} ^ top}
        shown = {
            row["name"]
            for row in report.hero()
            if row["standing"] in {"may", "contender"}
        }
        assert crossing <= shown
        if "stays the same" in report.text("#told"):
            assert not crossing


def test_ties_at_the_cut_are_told_apart_by_place(open_report: Any) -> None:
    document = report_document(close_votes(), 3)
    report = open_report(document)
    assert [row["standing"] for row in report.hero()] == [
        row["standing"] for row in document["rows"]
    ]

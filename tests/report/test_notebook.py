"""Results in notebooks: small tables, names escaped."""

from __future__ import annotations

import re
from html import unescape

from browser.examples import HOSTILE, hostile_matrix, restaurants
from steadyrank import audit, stable_ranking, stable_topk
from steadyrank.report.notebook import LONGEST, ROWS
from steadyrank.safe_text import shown

OURS = {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "p"}


def elements(page: str) -> set[str]:
    return set(re.findall(r"<([a-z]+)", page))


def names(page: str) -> list[str]:
    rows = re.findall(r"<tr><td[^>]*><bdi>.*?</tr>", page, flags=re.DOTALL)
    return [unescape(re.findall(r"<bdi>(.*?)</bdi>", row, flags=re.DOTALL)[1]) for row in rows]


def test_hostile_names_stay_text() -> None:
    for page in (
        stable_topk(hostile_matrix(), 5)._repr_html_(),
        stable_ranking(hostile_matrix())._repr_html_(),
    ):
        assert elements(page) <= OURS
        seen = {name.rstrip("…") for name in names(page)}
        assert seen == {
            shown(name)[: LONGEST - 1] if len(name) > LONGEST else shown(name) for name in HOSTILE
        }


def test_topk_shows_all_members_and_the_claim() -> None:
    answer = stable_topk(restaurants(), 5)
    page = answer._repr_html_()
    assert names(page) == [str(row.item) for row in answer.rows(ROWS)]
    assert page.count("surely in") == len(answer.certain) + 1  # and once in the title
    assert page.count(">contender<") == len(answer.contenders)
    assert answer.certificate.sentence in unescape(page)


def test_audit_shows_each_method() -> None:
    result = audit(restaurants(), k=[3, 5], eps=0.01)
    page = result._repr_html_()
    assert page.count("<tr>") == len(result.table) + 1
    for row in result.table:
        assert f"{row.delta:.4g}" in page


def test_results_show_themselves() -> None:
    assert stable_topk(restaurants(), 5)._repr_html_().startswith("<div><table>")
    assert stable_ranking(restaurants())._repr_html_().startswith("<div><table>")
    assert audit(restaurants(), k=3, eps=0.01)._repr_html_().startswith("<div><table>")

"""Where the list of items decides, every view says so: a gate that passes, a ranking that holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from steadyrank import Battles, Study, Votes
from steadyrank.report.text import plain_text

if TYPE_CHECKING:
    from collections.abc import Sequence

PAIRS = (["a", "b", "c", "d"], ["b", "a", "d", "c"], ["tie", "tie", "tie", "tie"])
ALIKE = Study(Battles(*(part * 3 for part in PAIRS)), "bradley-terry:ridge=1")
FIRST = "the one listed first counts as ahead."


def test_a_check_that_passes_by_the_list_of_items_says_so() -> None:
    found = ALIKE.check(2)
    told = f"Ranks 2 and 3 have equal scores (a, b, c and d): {FIRST}"
    assert found.stable
    assert found.findings()["warnings"] == [told]
    assert told in " ".join(plain_text(found.findings()).split())


def test_a_check_that_the_list_does_not_decide_says_nothing() -> None:
    assert ALIKE.check(4).findings()["warnings"] == []


@pytest.mark.parametrize(
    ("votes", "told"),
    [
        ("aaabb", []),
        ("aaabbcc", [f"Some items have equal scores, such as b and c: {FIRST}"]),
        ("aaabbbccddeef", [f"Some items have equal scores, such as a and b: {FIRST}"]),
    ],
)
def test_a_ranking_tells_which_items_are_equal(
    votes: Sequence[str], told: list[str]
) -> None:
    answer = Study(Votes(list(votes))).ranking()
    assert answer.findings()["warnings"] == told
    assert all(said in " ".join(plain_text(answer.findings()).split()) for said in told)


def test_what_a_fit_leaves_of_0_is_shown_as_0() -> None:
    sides = (
        list("aabcccc"),
        list("bbadddd"),
        ["left", "left", "left", "left", "right", "tie", "tie"],
    )
    text = plain_text(
        Study(Battles(*sides), "bradley-terry:ridge=1").ranking().findings()
    )
    shown = [
        re.split(" +", line.strip())[2]
        for line in text.splitlines()
        if re.match(" +[1-4]  ", line)
    ]
    assert shown == ["0.20", "0.00", "0.00", "-0.20"]

"""Unequal coverage: an item of which far less is known than of another says so beside its name."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from steadyrank import Ballots, Battles, Ratings, ScoreMatrix, Study, Votes
from steadyrank.report.html import render_html
from steadyrank.report.markdown import to_markdown
from steadyrank.report.sharing import table_fragment
from steadyrank.report.text import plain_text


def drawn(seed: int) -> tuple[object, Counter[str]]:
    """Some ratings, battles or scores with gaps, and how often each item occurs in the raw rows."""
    rng = np.random.default_rng(seed)
    names = [f"item {letter}" for letter in "abcdef"]
    rows = (
        rng.choice(6, size=40, p=[0.4, 0.2, 0.2, 0.1, 0.05, 0.05]).tolist()
        + [*range(6)] * 2
    )
    if seed % 3 == 0:
        users = [f"u{number % 17}" for number in range(len(rows))]
        rated = {
            (user, names[row]): rng.integers(1, 6)
            for user, row in zip(users, rows, strict=True)
        }
        data = Ratings(
            [user for user, _ in rated], [item for _, item in rated], [*rated.values()]
        )
        return data, Counter(item for _, item in rated)
    if seed % 3 == 1:
        pairs = [
            (names[row], names[(row + 1 + place % 5) % 6])
            for place, row in enumerate(rows)
        ]
        left, right = zip(*pairs, strict=True)
        return Battles(left, right, rng.choice(["left", "right"], len(rows))), Counter(
            [*left, *right]
        )
    values = np.where(
        rng.random((30, 6)) < np.linspace(0.05, 0.8, 6), np.nan, rng.random((30, 6))
    )
    values[:2] = rng.random((2, 6))
    seen = Counter(
        dict(zip(names, (~np.isnan(values)).sum(axis=0).tolist(), strict=True))
    )
    return ScoreMatrix(values, items=names, missing="available"), seen


@pytest.mark.parametrize("seed", range(24))
def test_items_with_fewer_than_half_of_the_most_observations_say_so(seed: int) -> None:
    data, seen = drawn(seed)
    most = max(seen.values())
    for answer in (Study(data).topk(2), Study(data).ranking()):
        found = answer.findings()
        told = {row["item"]: row["coverage"] for row in found["rows"]}
        few = {
            item: f"{seen[item]} of {most}" for item in seen if 2 * seen[item] < most
        }
        assert told == dict.fromkeys(seen) | few
        for item in seen:
            beside = f"{item} ({few[item]})" if item in few else None
            for view in (plain_text(found), to_markdown(found), table_fragment(found)):
                said = re.findall(rf"{item} \(\d+ of \d+\)", view)
                assert set(said) == ({beside} if beside else set())
    assert all(
        text in render_html(Study(data).topk(2).findings()) for text in few.values()
    )


def test_counts_that_are_the_answer_are_no_coverage() -> None:
    for data in (
        Votes(["a"] * 9 + ["b"] * 2),
        Ballots([["a", "b"], ["a"], ["a"], ["a"]]),
    ):
        assert [row["coverage"] for row in Study(data).topk(1).findings()["rows"]] == [
            None,
            None,
        ]


def test_half_is_enough() -> None:
    ratings = [
        ("u", "a"),
        ("v", "a"),
        ("w", "a"),
        ("x", "a"),
        ("u", "b"),
        ("v", "b"),
        ("u", "c"),
    ]
    users, items = zip(*ratings, strict=True)
    rows = (
        Study(Ratings(users, items, [5, 4, 5, 4, 3, 4, 2])).topk(1).findings()["rows"]
    )
    assert {row["item"]: row["coverage"] for row in rows} == {
        "a": None,
        "b": None,
        "c": "1 of 4",
    }

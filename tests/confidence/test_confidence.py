"""Confidence: refusals and views."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from steadyrank import Ratings, ScoreMatrix, Study, Votes
from steadyrank.demo import demo_file
from steadyrank.errors import (
    InvalidValueError,
    TooFewUnitsError,
    TooLargeError,
)
from steadyrank.progress import listening
from steadyrank.report.terminal import Terminal
from steadyrank.report.text import plain_text

if TYPE_CHECKING:
    from collections.abc import Iterator


def restaurants() -> Study:
    with demo_file("restaurants.csv") as path:
        return Study(path, item="restaurant", rating="stars", unit="reviewer")


@pytest.fixture
def restaurants_file() -> Iterator[Path]:
    with demo_file("restaurants.csv") as path:
        yield path


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"level": 0.5}, "a confidence must be between 0.5 and 1"),
        ({"level": 95}, "a confidence must be between 0.5 and 1, but is 95"),
        ({"draws": 39}, "draws must be a whole number from 40 on, but is 39"),
        ({"draws": 10.0}, "draws must be a whole number"),
        ({"seed": -1}, "seed must be a whole number from 0 on"),
    ],
)
def test_settings_that_are_refused(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidValueError, match=re.escape(told)):
        Study(Votes(["a", "b", "a"])).confidence(**asked)


def test_a_draw_without_scores_is_never_dropped() -> None:
    values = np.random.default_rng(0).normal(size=(12, 3))
    values[1:, 2] = np.nan  # one row alone has the third item
    matrix = ScoreMatrix(values, missing="available")
    lost = sum(
        np.random.default_rng([0, which]).multinomial(12, np.full(12, 1 / 12))[0] == 0
        for which in range(100)
    )
    with pytest.raises(
        InvalidValueError, match=f"{lost} of 100 resamples cannot be scored"
    ) as caught:
        Study(matrix).confidence(draws=100)
    assert "; the first: no data for 2." in str(caught.value)
    assert str(caught.value).endswith("few observations by with_min_count(...).")


def test_one_unit_and_too_many_items_are_refused() -> None:
    with pytest.raises(
        TooFewUnitsError, match=r"only one unit \(a vote\), so every draw is the same"
    ):
        Study(Votes(["a"])).confidence()
    with pytest.raises(TooLargeError, match="comparing all pairs of items"):
        Study(Ratings(["u", "v"] * 10_000, range(20_000), [1] * 20_000)).confidence()


def test_draws_beyond_all_memory_are_refused() -> None:
    told = r"100,000,000 draws of 2 scores would take 71\.5 GiB of memory\. Ask for fewer draws"
    with pytest.raises(TooLargeError, match=told):
        Study(Votes(["a", "b", "a"])).confidence(draws=100_000_000)


def test_few_units_are_called_so() -> None:
    for number, few in ((49, True), (50, False)):
        found = Study(Votes(["a", "b"] * 20 + ["b"] * (number - 40))).confidence(
            draws=40
        )
        assert ("rest on few votes" in found.sentence) == few


def test_what_holds_one_by_one_is_called_so() -> None:
    """At each width."""
    found, seen = restaurants().confidence(draws=40).findings(), []
    for width in range(40, 81):
        text = plain_text(found, Terminal(width=width))
        head = next(
            line
            for line in text.splitlines()
            if line.endswith("  ranks, 95% confidence")
        )
        seen.append("interval" in head)
        assert "Interval: each item by itself, not all at once." in " ".join(
            text.split()
        )
    assert [seen[0], seen[-1]] == [False, True]


def test_draws_and_items_are_counted_aloud() -> None:
    heard: list[tuple[int, int, str]] = []
    with listening(lambda *far: heard.append(far)):
        Study(Votes(["ann", "bob", "cyd"] * 3)).confidence(draws=40).findings()
    assert heard == [(n, 40, "resamples") for n in range(1, 41)] + [
        (n, 3, "items") for n in (1, 2, 3)
    ]


def test_bars_of_stability_stand_beside_no_confidence() -> None:
    study = Study(Votes(["ann"] * 9 + ["bob"] * 8 + ["cyd"]))
    assert "●│" in plain_text(study.topk(1).findings(), Terminal(width=120))
    assert "│" not in plain_text(
        study.confidence(draws=40).findings(), Terminal(width=120)
    )


def test_the_best_few_are_named_in_full() -> None:
    found = restaurants().confidence(0.9).asking(5)
    assert all(str(name) in found.top_sentence for name in found.top(5))


def test_a_notebook_shows_the_column() -> None:
    study = Study(Votes(["ann"] * 30 + ["bob"] * 20 + ["cyd"] * 19))
    assert "ranks, 95% confidence" in study.confidence(draws=40)._repr_html_()

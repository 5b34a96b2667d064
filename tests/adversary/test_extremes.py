"""Numbers at the limits of floats, in every kind of data: an answer or a named refusal, no warning."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from steadyrank import (
    Ballots,
    Battles,
    BradleyTerry,
    ConstrainedLeastSquares,
    Mean,
    OrdinaryLeastSquares,
    Ratings,
    Regression,
    Ridge,
    ScoreMatrix,
    SteadyrankError,
    Study,
    Votes,
)
from steadyrank.report.html import render_html
from steadyrank.report.text import plain_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]

SIZES = (
    5e-324,
    1e-310,
    1e-200,
    1e-90,
    1e-3,
    0.1,
    1.0,
    3.0,
    10.0,
    1e3,
    1e5,
    1e90,
    1e155,
    1e200,
    1.7e308,
)


def numbers(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Return numbers of a few sizes, some of them equal, some negative, some 0."""
    sizes = rng.choice(SIZES, int(rng.integers(1, 4)))
    return rng.choice(sizes, shape) * rng.choice([1.0, 1.0, -1.0, 0.0, 0.5], shape)


def matrix(rng: np.random.Generator) -> Study:
    return Study(
        ScoreMatrix(numbers(rng, int(rng.integers(2, 6)), int(rng.integers(2, 5))))
    )


def gaps(rng: np.random.Generator) -> Study:
    values = numbers(rng, 5, 3)
    values[rng.random(values.shape) < 0.2] = np.nan
    return Study(ScoreMatrix(values, missing="available"))


def ratings(rng: np.random.Generator) -> Study:
    users, items = np.nonzero(rng.random((5, 4)) < 0.7)
    shrinkage = float(rng.choice([1.0, 0.1, 1e-300, 1e300]))
    return Study(Ratings(users, items, numbers(rng, len(users))), Mean(shrinkage))


def regression(rng: np.random.Generator) -> Study:
    rows, features = int(rng.integers(3, 8)), int(rng.integers(1, 4))
    penalty = float(rng.choice([1.0, 1e-300, 1e300]))
    scorers = (ConstrainedLeastSquares(), Ridge(penalty), OrdinaryLeastSquares())
    scorer = scorers[int(rng.integers(3))]
    return Study(Regression(numbers(rng, rows, features), numbers(rng, rows)), scorer)


def battles(rng: np.random.Generator) -> Study:
    counts = rng.choice([1, 5, 10**6, 10**12, 2**60], 6)
    left, right = [0, 1, 2, 0, 1, 2], [1, 2, 0, 2, 0, 1]
    ridge = float(rng.choice([0.0, 1e-300, 1.0, 1e300]))
    return Study(Battles(left, right, ["left"] * 6, counts=counts), BradleyTerry(ridge))


def votes(rng: np.random.Generator) -> Study:
    return Study(Votes(["x", "y", "z"], counts=rng.choice([1, 2**40, 2**61, 2**62], 3)))


def ballots(rng: np.random.Generator) -> Study:
    orders = [["x", "y", "z"], ["z", "y"], ["y"]]
    return Study(Ballots(orders, counts=rng.choice([1, 2**40, 2**60, 2**62], 3)))


@pytest.mark.parametrize(
    "make", [matrix, gaps, ratings, regression, battles, votes, ballots]
)
def test_an_answer_or_a_named_refusal(
    make: Callable[[np.random.Generator], Study], cases: Cases
) -> None:
    answered, asked = 0, 0
    for rng in cases(
        5 if make is battles else 15
    ):  # whose fits take hundreds of steps at these sizes
        eps = float(rng.choice(SIZES))
        questions: tuple[Callable[[Study], Any], ...] = (
            lambda study: render_html(study.topk(1).findings()),
            lambda study, eps=eps: plain_text(
                study.topk(len(study.items), eps=eps).findings()
            ),
            lambda study: plain_text(study.ranking().findings()),
            lambda study, eps=eps: plain_text(study.audit(1, eps=eps).findings()),
            lambda study: plain_text(study.check(1).findings()),
        )
        for question in questions:
            asked += 1
            with suppress(SteadyrankError):
                question(make(np.random.default_rng(rng.integers(2**32))))
                answered += 1
    assert answered > asked / 10, "the cases must not all be refused"

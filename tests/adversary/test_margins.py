"""How many units must leave: every subset of small data, taken away and scored anew, says the same."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from steadyrank import (
    Approval,
    Ballots,
    Battles,
    BradleyTerry,
    ConstrainedLeastSquares,
    Mean,
    OrdinaryLeastSquares,
    Ratings,
    Refit,
    Regression,
    Ridge,
    ScoreMatrix,
    SteadyrankError,
    Study,
    Votes,
    topk,
)
from steadyrank.report.text import plain_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]
    Turned = Callable[[np.ndarray], bool]


def votes(rng: np.random.Generator) -> Study:
    return Study(Votes(rng.integers(0, 4, 8), items=range(4)))


def ballots(rng: np.random.Generator) -> Study:
    orders = [rng.permutation(4)[: rng.integers(1, 5)].tolist() for _ in range(7)]
    if rng.random() < 0.3:
        return Study(
            Ballots([set(order) for order in orders], items=range(4), approval=True),
            Approval(),
        )
    return Study(Ballots(orders, items=range(4)))


def matrix(rng: np.random.Generator) -> Study:
    """Whole numbers, quarters, groups of rows."""
    values = rng.integers(0, 4, (7, 3)) / rng.choice([1, 4])
    units = (
        rng.permutation(np.append(np.arange(4), rng.integers(0, 4, 3)))
        if rng.random() < 0.4
        else None
    )
    return Study(ScoreMatrix(values, units=units))


def ratings(rng: np.random.Generator) -> Study:
    users, items = np.nonzero(rng.random((8, 4)) < 0.6)
    given = rng.integers(1, 6, len(users)) / rng.choice([1, 2, 4])
    return Study(
        Ratings(users, items, given, items=range(4)),
        Mean(float(rng.choice([0.5, 1, 2]))),
    )


def full_ratings(rng: np.random.Generator) -> Study:
    """Everybody rates everything, with a shrinkage that is a ratio."""
    users, items = np.nonzero(np.ones((7, 3)))
    given = rng.integers(1, 6, len(users))
    return Study(
        Ratings(users, items, given), Mean(float(rng.choice([0, 0.1, 0.5, 1])))
    )


def thirds(rng: np.random.Generator) -> Study:
    """Values that no float holds: what is a tie within rounding is left open."""
    if rng.random() < 0.5:
        return Study(ScoreMatrix(rng.integers(0, 4, (7, 3)) / 3))
    users, items = np.nonzero(rng.random((8, 4)) < 0.6)
    given = rng.integers(1, 6, len(users)) / 3
    return Study(Ratings(users, items, given, items=range(4)), Mean(1.0))


def gaps(rng: np.random.Generator) -> Study:
    values = rng.integers(0, 4, (8, 3)).astype(float)
    values[rng.random(values.shape) < 0.25] = np.nan
    units = rng.integers(0, 5, 8) if rng.random() < 0.5 else None
    return Study(ScoreMatrix(values, units=units, missing="available"))


def battles(rng: np.random.Generator) -> Study:
    left = rng.integers(0, 4, 9)
    right = (left + rng.integers(1, 4, 9)) % 4
    outcomes = rng.choice(["left", "right", "tie"], 9)
    units = rng.integers(0, 6, 9) if rng.random() < 0.3 else None
    ridge = float(rng.choice([0.1, 0.5, 2.0]))
    return Study(Battles(left, right, outcomes, units=units), BradleyTerry(ridge))


def regression(rng: np.random.Generator) -> Study:
    """Every linear model; with few features many rows can leave before the leverages reach 1."""
    features = int(rng.integers(2, 4))
    X = rng.integers(-3, 4, (8, features)).astype(float)
    y = X @ np.array([1.0, 0.7, -0.3])[:features] + rng.choice(
        [0.01, 0.1, 1.0]
    ) * rng.normal(size=8)
    models = (
        Ridge(float(rng.choice([0.1, 5.0, 100.0]))),
        OrdinaryLeastSquares(),
        ConstrainedLeastSquares(float(rng.choice([0.5, 1.0, 9.0]))),
    )
    return Study(Regression(X, y), models[rng.integers(len(models))])


def refitted(rng: np.random.Generator) -> Study:
    return Study(ScoreMatrix(rng.integers(0, 5, (6, 3)).astype(float)), Refit(medians))


def medians(data: ScoreMatrix) -> np.ndarray:
    return np.median(data.values, axis=0)


EXACT = [votes, ballots, matrix, ratings, full_ratings]
BOUNDED = [thirds, gaps, battles, regression, refitted]


class Subsets:
    """The scores of every subset of the units that leaves somebody."""

    def __init__(self, study: Study) -> None:
        self.units = np.repeat(np.arange(len(study.units)), study.units.counts).tolist()
        self.scores: list[tuple[int, np.ndarray]] = []
        for size in range(1, len(self.units)):
            for leaving in sorted(set(combinations(self.units, size))):
                try:
                    scores = study.scorer.score(study.data.without(leaving))
                except SteadyrankError:
                    continue  # an item without data has no score
                self.scores.append((size, scores))

    def fewest(self, turned: Turned) -> int | None:
        return next((size for size, scores in self.scores if turned(scores)), None)


def questions(study: Study) -> Iterator[tuple[dict[str, object], Turned]]:
    """Yield every question that a small study has, and when its answer has turned."""
    order = np.argsort(-study.scores, kind="stable").tolist()
    yield {}, lambda scores: np.argsort(-scores, kind="stable").tolist() != order
    yield (
        {"pair": (study.items[order[1]], study.items[order[0]])},
        lambda scores: (
            np.argsort(-scores[sorted(order[:2])], kind="stable")[0]
            != sorted(order[:2]).index(order[0])
        ),
    )
    for k in range(1, len(order)):
        inside = set(order[:k])
        yield (
            {"k": k},
            lambda scores, k=k, inside=inside: set(topk(scores, k).tolist()) != inside,
        )
        for item in order:
            yield (
                {"k": k, "item": study.items[item]},
                lambda scores, k=k, item=item, was=item in inside: (
                    (item in topk(scores, k)) != was
                ),
            )


def made(
    make: Callable[[np.random.Generator], Study], rng: np.random.Generator
) -> Study | None:
    try:
        study = make(rng)
        _ = study.facts.leave_one_out
    except SteadyrankError:
        return None
    return study


@pytest.mark.parametrize("make", EXACT)
def test_margins_of_sums_are_exact(
    make: Callable[[np.random.Generator], Study], cases: Cases
) -> None:
    for rng in cases(6):
        study = made(make, rng)
        if study is None:
            continue
        subsets = Subsets(study)
        for asked, turned in questions(study):
            found, truth = study.margin(**asked), subsets.fewest(turned)
            if "item" in asked:  # one item has several rivals at once: an interval
                assert found.lower <= (truth or study.units.total)
                assert found.upper is None or found.upper >= truth
            elif truth is None:
                assert found.never
                assert found.upper is None
            else:
                assert (found.lower, found.upper, found.exact) == (truth, truth, True)


@pytest.mark.parametrize("make", BOUNDED)
def test_other_margins_are_intervals_around_the_truth(
    make: Callable[[np.random.Generator], Study], cases: Cases
) -> None:
    for rng in cases(2):
        study = made(make, rng)
        if study is None:
            continue
        subsets = Subsets(study)
        for asked, turned in questions(study):
            found, truth = study.margin(**asked), subsets.fewest(turned)
            assert found.lower <= (truth or study.units.total)
            assert found.upper is None or truth is None or found.upper >= truth


@pytest.mark.parametrize("make", [*EXACT, *BOUNDED])
def test_the_units_of_a_margin_do_what_it_says(
    make: Callable[[np.random.Generator], Study], cases: Cases
) -> None:
    for rng in cases(5):
        study = made(make, rng)
        if study is None:
            continue
        for asked, turned in questions(study):
            found = study.margin(**asked)
            assert found.sentence in plain_text(found.findings()).replace("\n", " ")
            assert found.exact or "exact" not in found.rule
            if found.upper is None:
                assert found.units == ()
                continue
            assert len(found.units) == found.upper
            scores = study.scorer.score(study.data.without(found.units))
            assert turned(scores)
            if "k" in asked:
                before, after = (
                    set(topk(part, asked["k"]).tolist())
                    for part in (study.scores, scores)
                )
                assert {study.items[item] for item in before - after} == set(
                    found.leaves
                )
                assert {study.items[item] for item in after - before} == set(
                    found.enters
                )

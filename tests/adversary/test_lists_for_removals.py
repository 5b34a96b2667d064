"""Lists that hold against any m removals: every subset of small data, taken away and scored anew."""

from __future__ import annotations

from contextlib import suppress
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from steadyrank import (
    Battles,
    BradleyTerry,
    ScoreMatrix,
    SteadyrankError,
    Study,
    Votes,
    inflated_ranking,
    inflated_topk,
    topk,
)
from steadyrank.errors import InvalidValueError, NoProofError
from steadyrank.report.text import plain_text
from steadyrank.stability import withstanding
from tests.adversary.test_margins import (
    ballots,
    battles,
    gaps,
    made,
    matrix,
    ratings,
    refitted,
    regression,
    thirds,
    votes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Cases = Callable[[int], Iterator[np.random.Generator]]
    Make = Callable[[np.random.Generator], Study]


def many_battles(rng: np.random.Generator) -> Study:
    """So many battles between few items that the bounds say something; equal ones are one unit."""
    first, second = np.triu_indices(4, 1)
    wins = rng.integers(10, 40, (2, len(first)))
    return Study(Battles.from_pairs(first, second, *wins), BradleyTerry(float(rng.choice([0.0, 0.5]))))


MAKERS = [votes, ballots, matrix, ratings, thirds, gaps, battles, many_battles, regression]


def most_of(study: Study) -> int:
    """Return how many units leave here, at most."""
    return min(3, study.units.total - 1) if study.units.total < 50 else 2


def without(study: Study) -> dict[int, list[np.ndarray]]:
    """Return for each number of units the scores without every set of so many, as far as there are some."""
    units = np.repeat(np.arange(len(study.units)), study.units.counts).tolist()
    found: dict[int, list[np.ndarray]] = {}
    for number in range(1, most_of(study) + 1):
        found[number] = []
        for leaving in sorted(set(combinations(units, number))):
            with suppress(SteadyrankError):  # an item without data has no score
                found[number].append(study.scorer.score(study.data.without(leaving)))
    return found


def asked(study: Study) -> Iterator[tuple[int | None, str, int]]:
    for m in range(1, most_of(study) + 1):
        for guarantee in ("overlap", "cover"):
            for k in (None, *range(1, len(study.items) + 1)):
                yield k, guarantee, m


def eps_of(study: Study, k: int | None, guarantee: str, m: int) -> float:
    how = {"removals": m, "guarantee": guarantee}
    return (study.ranking(**how) if k is None else study.topk(k, **how)).eps


def holds(study: Study, scores: np.ndarray, k: int | None, guarantee: str, eps: float) -> bool:
    """Tell whether an answer at eps keeps its promise when the scores become others."""
    if k is None:
        shown = inflated_ranking(study.scores, eps)
        if guarantee == "cover":
            return np.argsort(-scores, kind="stable") in shown
        return shown.intersects(inflated_ranking(scores, eps))
    members = set(inflated_topk(study.scores, k, eps).indices.tolist())
    if guarantee == "cover":
        return set(topk(scores, k).tolist()) <= members
    return len(members & set(inflated_topk(scores, k, eps).indices.tolist())) >= k


@pytest.mark.parametrize("make", MAKERS)
def test_answers_hold_whoever_leaves(make: Make, cases: Cases) -> None:
    for rng in cases(5):
        study = made(make, rng)
        if study is None:
            continue
        others = without(study)
        for k, guarantee, m in asked(study):
            eps = eps_of(study, k, guarantee, m)
            left = (scores for number in range(1, m + 1) for scores in others[number])
            assert all(holds(study, scores, k, guarantee, eps) for scores in left)

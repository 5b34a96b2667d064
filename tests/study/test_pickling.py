"""Studies and results travel between processes, and are copied, with every scorer."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from steadyrank import (
    Ballots,
    Battles,
    Ratings,
    Refit,
    Regression,
    ScoreMatrix,
    Study,
    Votes,
)
from steadyrank.data import Observations
from steadyrank.errors import SteadyrankError
from steadyrank.scorers.registry import NAMED

RNG = np.random.default_rng(0)
LEFT, RIGHT = ["a", "b", "c", "a", "b", "c"] * 2, ["b", "c", "a", "b", "c", "a"] * 2
OUTCOMES = [
    "left",
    "right",
    "left",
    "right",
    "tie",
    "left",
    "left",
    "left",
    "right",
    "right",
    "left",
    "tie",
]
DATA: dict[str, Observations] = {
    "votes": Votes(["a", "b", "a", "c", "b", "a"]),
    "ballots": Ballots([["a", "b", "c"], ["b", "c", "a"], ["a", "b"], ["c", "a", "b"]]),
    "approvals": Ballots([{"a", "b"}, {"a"}, {"c"}, {"b"}], approval=True),
    "ratings": Ratings([1, 1, 2, 2, 3, 3], list("abacbc"), [5, 4, 3, 2, 5, 1]),
    "battles": Battles(LEFT, RIGHT, OUTCOMES),
    "scores": ScoreMatrix(RNG.normal(size=(6, 3)), items=["a", "b", "c"]),
    "regression": Regression(
        RNG.normal(size=(9, 3)), RNG.normal(size=9), items=["a", "b", "c"]
    ),
}


def results(study: Study) -> list[Any]:
    """Return a result of each kind that keeps its study."""
    asked = (
        lambda: study.audit(1),
        lambda: study.margin(1),
        lambda: study.explain(1),
        lambda: study.check(1),
        lambda: study.compare(study, 1),
        lambda: study.confidence(draws=60 if study.data.kind.name == "votes" else 0),
    )
    found = []
    for question in asked:
        try:
            found.append(question())
        except SteadyrankError:  # what is refused of few units
            continue
    return found


@pytest.mark.filterwarnings("ignore")
def test_every_study_and_its_results_say_the_same_elsewhere() -> None:
    tried = set()
    for data in DATA.values():
        for scorer in NAMED:
            given = "ridge:penalty=1" if scorer == "ridge" else scorer
            try:
                study = Study(data, given)
                said = str(study.topk(1))
            except SteadyrankError:
                continue
            assert str(pickle.loads(pickle.dumps(study)).topk(1)) == said
            for one in results(study):
                again = pickle.loads(pickle.dumps(one))
                assert str(again) == str(one), scorer
                tried.add((scorer, type(one).__name__))
    assert {scorer for scorer, _ in tried} >= set(NAMED)
    assert len({kind for _, kind in tried}) == 6


def test_what_took_long_is_not_computed_again_elsewhere() -> None:
    study = Study(DATA["scores"], Refit(medians))
    said = str(study.topk(1))
    again = pickle.loads(pickle.dumps(study))
    assert again.facts.left_out
    assert str(again.topk(1)) == said


def medians(data: ScoreMatrix) -> Any:
    return np.median(data.values, axis=0)


def test_a_copy_of_an_answer_keeps_its_study() -> None:
    for answer in (Study(DATA["scores"]).topk(1), Study(DATA["scores"]).ranking()):
        for same in (copy.copy(answer), copy.deepcopy(answer)):
            assert str(same) == str(answer)
            assert same.study is answer.study

"""A study that took new units is, in every answer, the study of all units from the start."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from steadyrank import Ballots, Battles, Ratings, Regression, ScoreMatrix, Study, Votes
from steadyrank.errors import SteadyrankError
from steadyrank.scorers.registry import NAMED

if TYPE_CHECKING:
    from adversary.conftest import Cases

Rows = dict[str, Any]


def labels(rng: np.random.Generator, size: int) -> list[Any]:
    """Return labels of one kind, in an order of their own: texts, or numbers."""
    numbers = rng.permutation(20)[:size].tolist()
    return numbers if rng.random() < 0.3 else [f"i{number}" for number in numbers]


def people(rng: np.random.Generator, size: int, *, weighted: bool = True) -> Rows:
    found: Rows = {}
    if weighted and rng.random() < 0.4:
        found["weights"] = rng.choice([0.5, 1.0, 1.25, 2.0], size)
    if rng.random() < 0.4:
        found |= {"units": rng.choice(["p", "q", "r", "s"], size), "unit_kind": "judge"}
    return found


def votes(rng: np.random.Generator, size: int) -> tuple[type, Rows, Rows]:
    names = labels(rng, 5)
    rows = {"choices": [names[rng.integers(5)] for _ in range(size)], "counts": rng.integers(0, 4, size)}
    rows["counts"][0] = 1
    return Votes, rows | people(rng, size), {}


def battles(rng: np.random.Generator, size: int) -> tuple[type, Rows, Rows]:
    names = labels(rng, 4)
    sides = np.array([rng.permutation(4)[:2] for _ in range(size)])
    left, right = ([names[place] for place in side] for side in sides.T)
    rows = {"left": left, "right": right, "winner": rng.choice(["left", "right", "tie"], size).tolist()}
    if rng.random() < 0.3:
        rows["covariates"] = rng.integers(-1, 2, (size, 1)).astype(float)
    return Battles, rows | people(rng, size), {}


def ballots(rng: np.random.Generator, size: int) -> tuple[type, Rows, Rows]:
    names, approval = labels(rng, 5), bool(rng.random() < 0.4)
    orders: list[Any] = []
    for row in range(size):
        known = rng.permutation(5 if row > 3 * size // 4 else 4)  # one item comes late
        order = [names[place] for place in known[: rng.integers(1, 6)]]
        tied = not approval and len(order) > 2 and rng.random() < 0.4
        orders.append([tuple(order[:2]), *order[2:]] if tied else order)
    return Ballots, {"ballots": orders} | people(rng, size), {"approval": approval}


def ratings(rng: np.random.Generator, size: int) -> tuple[type, Rows, Rows]:
    names = labels(rng, 5)
    pairs = rng.permutation(8 * 5)[:size]
    users = [f"u{pair // 5}" for pair in pairs]
    stars = values(rng, size)
    rows = {"user": users, "item": [names[pair % 5] for pair in pairs], "score": stars}
    if rng.random() < 0.3:
        rows["weights"] = [(0.5, 1.0, 3.0)[(pair // 5) % 3] for pair in pairs]
    if rng.random() < 0.3:
        rows |= {"units": [f"h{pair // 10}" for pair in pairs], "unit_kind": "household"}
    return Ratings, rows, {}


def scores(rng: np.random.Generator, size: int) -> tuple[type, Rows, Rows]:
    matrix, gaps = values(rng, (size, 4)), bool(rng.random() < 0.4)
    if gaps:
        matrix = matrix.astype(float)
        matrix[rng.random(matrix.shape) < 0.2] = np.nan
        matrix[np.isnan(matrix).all(axis=1), 0] = 1.0
    rows: Rows = {"values": matrix} | people(rng, size)
    if rng.random() < 0.5:
        rows["rows"] = [f"t{row}" for row in range(size)]
    fixed: Rows = {"items": labels(rng, 4), "missing": "available" if gaps else "error"}
    return ScoreMatrix, rows, fixed


def values(rng: np.random.Generator, shape: Any) -> Any:
    """Return whole numbers, half points, short decimals, odd numbers, or first one and then another."""
    forms = [
        rng.integers(1, 6, shape),
        rng.integers(1, 11, shape) / 2,
        rng.integers(0, 10_000, shape) / 10_000,
        rng.normal(size=shape),
        np.abs(rng.normal(size=shape)) * 10.0 ** rng.integers(-3, 4),
    ]
    first, second = (forms[rng.integers(len(forms))].astype(float) for _ in range(2))
    size = shape if isinstance(shape, int) else shape[0]
    late = np.arange(size) >= (3 * size // 4 if rng.random() < 0.5 else size)
    return np.where(late if isinstance(shape, int) else late[:, np.newaxis], second, first)


def regression(rng: np.random.Generator, size: int) -> tuple[type, Rows, Rows]:
    rows = {"X": rng.normal(size=(size, 3)), "y": rng.normal(size=size)}
    return Regression, rows | people(rng, size, weighted=False), {}


def some(rows: Rows, chosen: slice) -> Rows:
    return {name: column if name == "unit_kind" else column[chosen] for name, column in rows.items()}


def answers(study: Study) -> dict[str, Any]:
    """Return what a study says to every question, or how it refuses."""
    k = min(2, len(study.items))
    asked = {
        "items": lambda: study.items,
        "units": lambda: (study.unit, list(study.units.labels), study.units.counts.tolist()),
        "scores": lambda: study.scores.tobytes(),  # noqa: PLW0108 (it may refuse)
        "topk": lambda: study.topk(k).to_frame("polars").to_dict(as_series=False),
        "certificate": lambda: study.topk(k, delta=0.2).certificate,
        "ranking": lambda: study.ranking().to_frame("polars").to_dict(as_series=False),
        "audit": lambda: study.audit(k, eps=0.3).table,
        "margin": lambda: (found := study.margin(k)) and (found.lower, found.upper, found.leaves),
        "explain": lambda: study.explain(k).sentence,
    }
    found: dict[str, Any] = {}
    for name, question in asked.items():
        try:
            found[name] = question()
        except SteadyrankError as error:
            found[name] = (type(error), str(error))
    return found


SCORERS: dict[Any, tuple[Any, ...]] = {
    votes: (None,),
    ballots: (None, "borda", "plurality", "copeland", "condorcet", "instant-runoff"),
    ratings: (None, "mean-rating:shrinkage=0.5"),
    scores: (None, "column-means", "mean-rank", "mean-win-rate", "median", "trimmed-mean"),
    battles: (None, "win-rate", "elo", "pagerank", "eigenvector", "copeland"),
    regression: ("ordinary-least-squares", "ridge:penalty=1", "constrained-least-squares:radius=1"),
}
USUAL = {"plurality", "approval", "mean-rating", "bradley-terry"}


def test_no_scorer_is_passed_over() -> None:
    named = {str(one).partition(":")[0] for those in SCORERS.values() for one in those if one}
    assert named | USUAL == set(NAMED)


@pytest.mark.parametrize("make", SCORERS, ids=lambda make: make.__name__)
def test_an_updated_study_is_the_study_of_everything(make: Any, cases: Cases) -> None:
    compared = 0
    for rng in cases(9 if make is regression else 24):
        kind, rows, fixed = make(rng, int(rng.integers(14, 24)))
        scorer = None if fixed.get("approval") else rng.choice(SCORERS[make])
        size = len(next(iter(rows.values())))
        cuts = np.sort(rng.choice(np.arange(4, size), int(rng.integers(1, 5)), replace=False)).tolist()
        try:
            parts = [
                kind(**some(rows, slice(*span)), **fixed)
                for span in zip([0, *cuts], [*cuts, size], strict=True)
            ]
            study, compared = Study(parts[0], scorer), compared + 1
        except SteadyrankError:  # some part alone is none, or the scorer takes no weights
            continue
        for part in parts[1:]:
            if rng.random() < 0.5:
                with suppress(SteadyrankError):  # a part may have no scores
                    study.scores  # noqa: B018 (somebody may have looked)
            study = study.updated(part)
        assert answers(study) == answers(Study(kind(**rows, **fixed), scorer))
    assert compared


def test_scores_are_added_up_where_they_can_be(cases: Cases) -> None:
    """Most updates of additive scorers look at the new units alone: it is no way that is never taken."""
    taken = asked = 0
    for rng in cases(40):
        make = (votes, ballots, ratings, scores)[rng.integers(4)]
        kind, rows, fixed = make(rng, 20)
        with suppress(SteadyrankError):
            parts = [kind(**some(rows, part), **fixed) for part in (slice(10), slice(10, 20))]
            study = Study(parts[0]).updated(parts[1])
            asked, taken = asked + 1, taken + ("data" not in vars(study))
    assert taken > asked / 3 > 0

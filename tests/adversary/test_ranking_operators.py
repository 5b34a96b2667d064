"""Operators of a user's own that give rankings, against listing both answers for every unit."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from steadyrank import ScoreMatrix, Study, Votes, audit, inflated_ranking
from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from conftest import Cases

ORDERS = list(permutations(range(4)))


def close_orders(scores: np.ndarray, reach: float) -> list[tuple[int, ...]]:
    """Return all orders that put nobody behind an item that it leads by ``reach``."""
    return [
        order
        for order in ORDERS
        if all(
            scores[later] - scores[earlier] < reach
            for place, earlier in enumerate(order)
            for later in order[place + 1 :]
        )
    ]


def test_listed_rankings_and_sets_are_audited_as_by_hand(cases: Cases) -> None:
    for rng in cases(40):
        matrix = ScoreMatrix(rng.integers(0, 4, (int(rng.integers(2, 7)), 4)))
        reach = float(rng.choice([0.1, 0.5, 1.0]))
        study = Study(matrix)
        without = [Study(matrix.without([unit])).scores for unit in range(matrix.n_units)]
        operators = {
            "listed": lambda scores, r=reach: close_orders(scores, r),
            "array": lambda scores, r=reach: np.array(close_orders(scores, r)),
            "set": lambda scores, r=reach: inflated_ranking(scores, r),
        }
        found = study.audit(2, eps=reach, methods=["inflated_ranking"], operators=operators)
        full = set(close_orders(study.scores, reach))
        meets = [bool(full & set(close_orders(v, reach))) for v in without]
        plain = [tuple(np.argsort(-v, kind="stable").tolist()) for v in without]
        for name in ("listed", "array"):
            row = found.row(name)
            assert row.delta == pytest.approx(1 - np.mean(meets))
            assert row.uncovered == pytest.approx(np.mean([order not in full for order in plain]))
            assert (row.size, row.jaccard) == (len(full), None)
            assert row.broken.tolist() == np.flatnonzero(~np.array(meets)).tolist()
        ours, own = found.row("inflated_ranking"), found.row("set")
        assert (own.delta, own.uncovered, own.size) == (ours.delta, ours.uncovered, ours.size)


def test_equal_units_count_as_often_as_they_occur() -> None:
    votes = Votes(["a"] * 3 + ["b"] * 2 + ["c"] * 2)
    row = audit(votes, 1, operators={"plain": lambda w: [np.argsort(-w, kind="stable")]}).row("plain")
    assert row.delta == audit(votes, 1).row("ranking").delta


def test_what_an_answer_cannot_tell_is_not_told() -> None:
    class OnlyMeets:
        def intersects(self, other: Any) -> bool:
            return isinstance(other, OnlyMeets)

    row = audit(Votes([0, 0, 1]), 1, operators={"own": lambda scores: OnlyMeets()}).row("own")
    assert (row.delta, row.uncovered, row.size) == (0.0, None, None)


def test_a_set_too_large_to_count_says_so() -> None:
    votes, tight = Votes(list(range(30)) * 2), {"own": lambda scores: inflated_ranking(scores, 9.0)}
    row = audit(votes, 1, methods=[], operators=tight, max_states=1).row("own")
    assert row.size is None or row.size > 0
    assert row.delta == 0


@pytest.mark.parametrize(
    ("operator", "message"),
    [
        (lambda: [[0, 1]], "must be a function of"),
        ("plain", "must be a function of"),
        (lambda scores: 3, "must give rankings .* but gave 3"),
        (lambda scores: [[0, 0]], "more than once"),
        (lambda scores: [[0]], "must give rankings"),
        (lambda scores: [[0.0, 1.0]], "dtype float64"),
    ],
)
def test_what_is_no_ranking_operator_is_refused(operator: Any, message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        audit(Votes([0, 0, 1]), 1, eps=0.1, operators={"own": operator})


def test_it_is_refused_before_anything_is_left_out() -> None:
    def no_scores(data: object) -> None:
        raise AssertionError("nothing may be scored yet")

    with pytest.raises(InvalidValueError, match="'own' must be a function"):
        audit(Votes([0, 0, 1]), 1, scorer=no_scores, operators={"own": lambda: [[0, 1]]})


def test_random_removals_take_them_too() -> None:
    votes = Votes([0] * 5 + [1] * 4 + [2] * 2)
    rules = {"own": lambda scores: [np.argsort(-scores, kind="stable")]}
    found = audit(votes, 1, removals=2, samples=50, operators=rules)
    assert found.row("own").delta == found.row("ranking").delta
    assert found.row("own").upper is not None

"""Whether sets of full rankings meet: at every eps where that may change, and in every audit."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from adversary.test_jumps import jumps, odd_scores
from oracles import enumeration, exact
from steadyrank import Ratings, ScoreMatrix, Study, critical_eps
from steadyrank.operators.rankings import inflated_ranking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]


def on_edges(rng: np.random.Generator, items: int) -> np.ndarray:
    """Return scores on a coarse grid: many are on the edge of being clipped."""
    grid = rng.integers(0, rng.integers(2, 12), items) / rng.choice([1, 3, 7, 10])
    return grid * rng.choice([1, -1, 1e-160]) + rng.choice([0, 0, 1000.1])


def test_who_is_eligible_stays_so_when_others_go_to_the_last_bit(cases: Cases) -> None:
    """What greedy rests on holds for the floats, not only for what they stand for."""
    for rng in cases(150):
        scores = (
            on_edges(rng, int(rng.integers(3, 14)))
            if rng.integers(3)
            else odd_scores(rng, 12)
        )
        whole = critical_eps(scores, 1)
        for _ in range(25):
            left = rng.random(len(scores)) < 0.7
            if left.any():
                assert (critical_eps(scores[left], 1) <= whole[left]).all()


def meetings(*rows: np.ndarray) -> np.ndarray:
    """Return all eps at which sets of rankings may begin to meet: what any step may cost."""
    items = range(len(rows[0]))
    left = [list(some) for size in items for some in combinations(items, size + 1)]
    costs = [critical_eps(row[some], 1) for row in rows for some in left]
    return np.concatenate(costs)


def test_fractions_say_the_same_on_either_side(cases: Cases) -> None:
    """An oracle without floats lists both sets a little below and a little above each such eps."""
    for rng in cases(25):
        n = int(rng.integers(2, 30))
        w, v = rng.integers(0, 7, (2, int(rng.integers(2, 5))))
        exactly = [tuple(Fraction(int(x), n) for x in scores) for scores in (w, v)]
        steps = meetings(w / n, v / n)
        for meeting in rng.permutation(np.unique(steps[steps > 0]))[:3].tolist():
            for times in (Fraction(999_999, 1_000_000), Fraction(1_000_001, 1_000_000)):
                eps = exact.ExactEps(rational=Fraction(meeting) * times)
                first, second = (
                    set(enumeration.exact_rankings(scores, eps)) for scores in exactly
                )
                both = [inflated_ranking(some / n, float(eps)) for some in (w, v)]
                assert bool(first & second) == both[0].intersects(both[1])


def odd_data(rng: np.random.Generator) -> ScoreMatrix | Ratings:
    """Return data with ties: a matrix, or ratings of which each unit touches a few items."""
    rows, items = int(rng.integers(2, 7)), int(rng.integers(2, 6))
    values = rng.integers(0, 5, (rows, items)) / 4
    if rng.integers(2):
        return ScoreMatrix(values)
    rated = rng.random((rows, items)) < 0.6
    rated[0, 0] = rated[1, 0] = True
    users, movies = np.nonzero(rated)
    return Ratings(users, movies, values[rated], items=range(items))


def test_audit_and_certificate_of_rankings_agree_at_every_jump(cases: Cases) -> None:
    for rng in cases(16):
        study = Study(odd_data(rng))
        scores, units = study.scores, study.units.counts
        rows = [
            block.row(n, scores)
            for block in study.facts.leave_one_out.blocks()
            for n in range(len(block))
        ]
        for eps in rng.permutation(jumps(meetings(scores, *rows)))[:8].tolist():
            listed = {tuple(order.tolist()) for order in inflated_ranking(scores, eps)}
            others = [
                {tuple(order.tolist()) for order in inflated_ranking(row, eps)}
                for row in rows
            ]
            broken = np.array([not listed & other for other in others])
            row = study.audit(1, eps=eps, methods=["inflated_ranking"]).table[0]
            assert row.broken.tolist() == np.flatnonzero(broken).tolist()
            assert row.delta == units[broken].sum() / units.sum()
            assert row.delta == study.ranking(eps=eps).certificate.delta

"""Rank ranges found a chunk at a time, against the obvious ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.operators.inflation import critical_eps
from steadyrank.operators.intervals import certainly_above, eligible_ends, swap_ends
from steadyrank.operators.topk_sets import best_first

if TYPE_CHECKING:
    from conftest import Cases


def drawn_scores(rng: np.random.Generator, size: int) -> np.ndarray:
    """Return scores of one of many shapes: even, heavy-tailed, tied, clustered, huge, tiny."""
    base = rng.random(size)
    shapes = (
        base,
        rng.standard_cauchy(size),
        np.exp(30 * rng.normal(size=size)),
        rng.integers(0, 5, size) / 7,
        1 + 2.0**-52 * rng.integers(0, 4, size),
        np.where(base < 0.5, base * 1e-12, base),
        (2 * base - 1) * 1.7e308,
        base * 1e-300,
        rng.integers(0, 3, size) * 5e-324,
        np.where(base < 0.5, 0.0, -0.0),
        np.sort(base)[:: int(rng.choice([-1, 1]))],
    )
    return shapes[int(rng.integers(len(shapes)))]


def test_many_scores_are_sorted_as_few_are(cases: Cases) -> None:
    for rng in cases(300):
        scores = drawn_scores(rng, int(rng.integers(1, 2000)))
        order, ranked = best_first(scores, long=1)
        plain = sorted(range(len(scores)), key=lambda item: (-scores[item], item))
        assert order.tolist() == plain
        assert ranked.tolist() == scores[plain].tolist()


@np.errstate(over="ignore")  # as wherever the ends are asked for
def test_ends_are_those_of_each_place_by_itself(cases: Cases) -> None:
    """Whatever chunks they are found in: of one start, of some, and where a window is longer."""
    for rng in cases(100):
        scores = drawn_scores(rng, int(rng.integers(1, rng.choice([60, 60, 60, 300]))))
        ranked = -np.sort(-scores)
        gaps = ranked[:-1] - ranked[1:]
        usual = float(np.median(gaps[gaps > 0])) if (gaps > 0).any() else 1.0
        eps = min(
            max(usual * float(rng.choice([0.3, 1, np.sqrt(2), 4, 40])), 5e-324), 1e308
        )
        if rng.random() < 0.5:  # on the very edge of somebody's entry
            entries = critical_eps(ranked[int(rng.integers(len(ranked))) :], 1)
            within = entries[(entries > 0) & (entries <= min(40 * eps, 1e308))]
            eps = float(rng.choice(within)) if len(within) else eps
        eligible = [
            place + int((critical_eps(ranked[place:], 1) < eps).sum())
            for place in range(len(ranked))
        ]
        order = certainly_above(ranked, eps)
        for chunk in (1, int(rng.integers(2, 70)), 1000):
            assert eligible_ends(ranked, eps, chunk).tolist() == eligible
            assert (
                swap_ends(ranked, eps, chunk).tolist()
                == (len(ranked) - order.sum(axis=1)).tolist()
            )

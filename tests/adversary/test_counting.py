"""Counts and the whole state graph against twins that share no code with them.

Scores with many ties, on grids where the boundary of eligibility is hit exactly, and at the critical
eps themselves; small sets are listed from the definition, larger ones walked with a dictionary.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from oracles import enumeration, exact
from steadyrank import errors
from steadyrank.operators import rankings as states
from steadyrank.operators.inflation import critical_eps
from steadyrank.operators.rankings import inflated_ranking
from steadyrank.operators.unplaced import Unplaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]


def tied_scores(rng: np.random.Generator, items: int) -> np.ndarray:
    """Return scores on a grid: few values, so that ties and boundaries are common."""
    steps = int(rng.integers(1, 2 * items))
    scores = rng.integers(0, steps + 1, items) / rng.choice([7, 16, steps])
    return np.asarray(scores + rng.choice([0, 0, 1000]))


def some_eps(rng: np.random.Generator, scores: np.ndarray, reach: float) -> float:
    """Return an inflation: any, or a critical value, or a float beside one."""
    typical = reach * (np.ptp(scores) + 0.1) / len(scores)
    if rng.random() < 0.4:
        return float(typical * rng.uniform(0.2, 1.5))
    critical = critical_eps(scores, int(rng.integers(1, len(scores) + 1)))
    near = critical[(critical > 0) & (critical < 2 * typical)]
    if not len(near):
        return float(typical)
    eps = float(rng.choice(near))
    return float(rng.choice([np.nextafter(eps, 0), eps, np.nextafter(eps, np.inf)]))


def test_counts_are_those_of_the_listed_set(cases: Cases) -> None:
    """Listed from the definition, each comparison decided in integers."""
    for rng in cases(60):
        items = int(rng.integers(1, 7))
        unit = int(rng.integers(1, 12))
        counts = rng.integers(0, int(rng.integers(1, 10)), items)
        eps = exact.ExactEps(root=Fraction(int(rng.integers(1, 8)), unit))
        orders = enumeration.exact_rankings(
            tuple(Fraction(int(n), unit) for n in counts), eps
        )
        rankings = inflated_ranking(counts / unit, float(eps))
        assert rankings.count() == len(orders)


def test_counts_at_the_critical_eps_are_those_of_the_iterated_set(cases: Cases) -> None:
    for rng in cases(120):
        scores = tied_scores(rng, int(rng.integers(1, 7)))
        rankings = inflated_ranking(scores, some_eps(rng, scores, 4.0))
        assert rankings.count() == len(list(rankings))


def walk(scores: np.ndarray, eps: float) -> int:
    """Return the count, over all sets of items left, one after the other.

    What is eligible is asked of the routine behind membership.
    """
    order = np.argsort(-scores, kind="stable")
    layer = {frozenset(order.tolist()): 1}
    for _ in order:
        following: dict[frozenset[int], int] = defaultdict(int)
        for left, count in layer.items():
            unplaced = Unplaced(order, scores[order], eps)
            for item in order.tolist():
                if item not in left:
                    unplaced.remove(item)
            for item in unplaced.eligible():
                following[left - {item}] += count
        layer = dict(following)
    (count,) = layer.values()
    return count


def test_counts_of_longer_rankings_are_those_of_a_walk_over_sets(cases: Cases) -> None:
    for rng in cases(40):
        items = int(rng.integers(8, 15))
        scores = tied_scores(rng, items) if rng.random() < 0.7 else rng.random(items)
        eps = some_eps(rng, scores, 3.0)
        rankings = inflated_ranking(scores, eps)
        assert rankings.count() == walk(scores, eps)
        with pytest.raises(errors.TooLargeError):
            rankings.count(max_states=1)


@pytest.mark.parametrize(
    ("scores", "eps"),
    [
        (np.array([6, 0, 3, 6, 2, 4, 1, 4]) / 7, float.fromhex("0x1.02995b6ed2b1cp+0")),
        (np.arange(6) / -3e160, float.fromhex("0x1.a82962916cf0ep-531")),
    ],
    ids=["sevenths", "tiny"],
)
def test_where_rounding_takes_eligibility_away_the_count_is_still_that_of_the_set(
    scores: np.ndarray, eps: float
) -> None:
    """Here the last bit of two critical eps says that an item is out after another has been placed."""
    rankings = inflated_ranking(scores, eps)
    listed = {tuple(order.tolist()) for order in rankings}
    assert rankings.count() == len(listed) == walk(scores, eps)


def test_a_limit_refuses_exactly_where_there_are_more_states(cases: Cases) -> None:
    for rng in cases(40):
        scores = tied_scores(rng, int(rng.integers(2, 12)))
        rankings = inflated_ranking(scores, some_eps(rng, scores, 4.0))
        graph = states.StateGraph(np.sort(scores)[::-1], rankings.eps)
        number = sum(len(layer.first) for layer in graph.layers())  # all but the first
        assert rankings.count(max_states=number) == rankings.count()
        with pytest.raises(errors.TooLargeError):
            rankings.count(max_states=number - 1)


def test_parts_change_no_count(cases: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    for rng in cases(30):
        scores = tied_scores(rng, int(rng.integers(2, 30)))
        rankings = inflated_ranking(scores, some_eps(rng, scores, 3.0))
        with monkeypatch.context() as patch:
            counts = set()
            for cells in (1, 50, 1 << 18):
                patch.setattr(states, "CELLS", cells)
                counts.add(rankings.count())
        assert len(counts) == 1

"""At the very eps where an answer changes, and one float beside it, all routes give the same answer.

The rule is one comparison of two floats: an item is in exactly if eps exceeds its critical eps.
Operators, audits, curves and certificates are asked at the critical
values themselves, where a rounding of its own would make each of them decide otherwise.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from oracles import exact
from steadyrank import Mean, ScoreMatrix, Study
from steadyrank.operators.inflation import critical_eps
from steadyrank.operators.intervals import certainly_above, rank_intervals, tiers
from steadyrank.operators.rankings import inflated_ranking
from steadyrank.operators.topk_sets import inflated_topk, inflated_topk_mask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]

SIZES = (1.0, 1e-3, 1e6, 1e-160, 1e-310, 1e155, 1e300)


def odd_scores(rng: np.random.Generator, most: int = 9) -> np.ndarray:
    """Return scores with ties, boundaries, near-ties, far outliers or sizes at the limits of floats."""
    items = int(rng.integers(2, most))
    kind = rng.integers(6)
    if kind == 0:
        scores = rng.random(items)
    elif kind == 1:  # votes: many ties, and boundaries that no float hits
        scores = rng.multinomial(rng.integers(2, 60), np.full(items, 1 / items)) / 7
    elif kind == 2:  # ties but for the last digits
        scores = 0.5 + rng.integers(-3, 4, items) * 2.0**-52
    elif kind == 3:  # equal gaps: sums on the boundary of being clipped
        scores = np.arange(items) * rng.integers(1, 4) / 3 + 1000 * rng.integers(0, 2)
    elif kind == 4:  # something far below or above
        far = rng.choice([-1.7e302, -1e200, -1e17, 1e160])
        scores = np.append(rng.random(items - 1), far)
    else:
        scores = rng.integers(0, 5, items) / 4
    return rng.permutation(
        scores * rng.choice(SIZES[:3] if kind == 4 else SIZES) * rng.choice([1, -1])
    )


def jumps(critical: np.ndarray) -> list[float]:
    """Return the critical values, one float below and one above them: where answers may change."""
    values = np.unique(critical[(critical > 0) & np.isfinite(critical)])
    near = np.concatenate(
        [np.nextafter(values, 0), values, np.nextafter(values, np.inf)]
    )
    return [float(eps) for eps in near if 0 < eps < np.inf]


def test_membership_is_the_comparison_at_every_jump(cases: Cases) -> None:
    for rng in cases(60):
        scores = odd_scores(rng)
        for k in range(1, len(scores) + 1):
            critical = critical_eps(scores, k)
            for eps in jumps(critical):
                members = np.flatnonzero(eps > critical)
                mask = inflated_topk_mask(np.stack([scores, scores[::-1]]), k, eps)
                np.testing.assert_array_equal(np.flatnonzero(mask[0]), members)
                answer = inflated_topk(scores, k, eps)
                np.testing.assert_array_equal(np.sort(answer.indices), members)
                assert (answer.size == k) == (len(answer.always_indices) == k)


def test_long_windows_decide_as_short_ones_do(cases: Cases) -> None:
    """More items than a first look holds, many of them on the boundary together."""
    for rng in cases(25):
        scores = rng.integers(0, 6, 300) / 7 + rng.choice([0, 1e5])
        k = int(rng.integers(1, 40))
        critical = critical_eps(scores, k)
        for eps in jumps(critical):
            np.testing.assert_array_equal(
                inflated_topk_mask(scores, k, eps), eps > critical
            )
            best, _ = rank_intervals(scores, eps)
            assert ((best <= k) == (eps > critical)).all()


def test_ranks_order_and_tiers_follow_the_same_comparison(cases: Cases) -> None:
    for rng in cases(15):
        scores = odd_scores(rng)
        items = len(scores)
        entering = np.stack([critical_eps(scores, k) for k in range(1, items + 1)])
        for eps in jumps(entering):
            best, worst = rank_intervals(scores, eps)
            np.testing.assert_array_equal(best, 1 + np.argmax(eps > entering, axis=0))
            above = certainly_above(scores, eps)
            np.testing.assert_array_equal(worst, items - above.sum(axis=1))
            pairs = [[scores[i] > scores[j] and _stay(scores[i], scores[j], eps)
                      for j in range(items)] for i in range(items)]  # fmt: skip
            np.testing.assert_array_equal(above, np.array(pairs))
            sizes = np.cumsum([len(tier) for tier in tiers(scores, eps)])
            order = np.argsort(-scores, kind="stable")
            cuts = [t for t in range(1, items) if above[order[t - 1], order[t]]]
            assert sizes.tolist() == [*cuts, items]


def _stay(above: float, below: float, eps: float) -> bool:
    """Two items alone: the second is never first."""
    return not inflated_topk_mask([above, below], 1, eps)[1]


def test_a_ranking_set_is_one_set_at_every_jump(cases: Cases) -> None:
    """Membership, listing, counting and the ranks: routines of their own, the same set."""
    for rng in cases(25):
        scores = odd_scores(rng, most=6)
        items = len(scores)
        entering = np.concatenate(
            [critical_eps(scores, k) for k in range(1, items + 1)]
        )
        for eps in rng.permutation(jumps(entering))[:6]:
            rankings = inflated_ranking(scores, eps)
            listed = {tuple(order.tolist()) for order in rankings}
            assert rankings.count() == len(listed)
            assert all(order in rankings for order in listed)
            places = np.array([np.argsort(order) + 1 for order in listed])
            best, worst = rank_intervals(scores, eps)
            np.testing.assert_array_equal(best, places.min(axis=0))
            np.testing.assert_array_equal(worst, places.max(axis=0))


def test_two_ranking_sets_meet_where_their_lists_do(cases: Cases) -> None:
    for rng in cases(25):
        w = odd_scores(rng, most=6)
        v = rng.permutation(w)
        entering = np.concatenate([critical_eps(w, k) for k in range(1, len(w) + 1)])
        for eps in rng.permutation(jumps(entering))[:4]:
            first, second = inflated_ranking(w, eps), inflated_ranking(v, eps)
            both = {tuple(o.tolist()) for o in first} & {
                tuple(o.tolist()) for o in second
            }
            assert first.intersects(second) == bool(both)
            common = first.common_ranking(second)
            assert common is None or tuple(common.tolist()) in both


def test_curve_audit_and_certificate_agree_at_every_jump(cases: Cases) -> None:
    for rng in cases(12):
        values = (
            rng.integers(0, 5, (int(rng.integers(2, 7)), int(rng.integers(2, 6)))) / 4
        )
        data = ScoreMatrix(values)
        k = int(rng.integers(1, values.shape[1] + 1))
        curve = Study(data).audit(k=k, eps=0.5, methods=["topk"]).curve(k)
        for eps in rng.permutation(
            jumps(np.append(curve.breaking_eps, curve.critical_eps))
        )[:9]:
            row = Study(data).audit(k=k, eps=eps, methods=["inflated_topk"]).table[0]
            answer = Study(data).topk(k, eps=eps)
            delta = delta_by_hand(values, k, eps)
            assert curve.delta(eps) == row.delta == answer.certificate.delta == delta
            assert curve.size(eps) == row.size == len(answer)
        smallest = curve.smallest_eps(0.0)
        assert delta_by_hand(values, k, smallest) == 0


def delta_by_hand(values: np.ndarray, k: int, eps: float) -> float:
    def members(rows: np.ndarray) -> set[int]:
        means = Mean().score(ScoreMatrix(rows))
        return set(np.flatnonzero(inflated_topk_mask(means, k, eps)).tolist())

    full = members(values)
    without = [np.delete(values, row, axis=0) for row in range(len(values))]
    return sum(len(full & members(rows)) < k for rows in without) / len(values)


def test_far_outliers_change_no_critical_eps(cases: Cases) -> None:
    """The issue's example, and its class: scores below an item never matter to it."""
    assert critical_eps([0.9, 0.8, 0.7, -1.7e308], 1)[1] == pytest.approx(
        0.1414, abs=1e-4
    )
    for rng in cases(60):
        scores = -np.sort(-rng.random(int(rng.integers(2, 8))))
        k = int(rng.integers(1, len(scores)))
        alone = critical_eps(scores, k)
        for depth in (1e3, 1e17, 1e160, 1e200, 1.7e308):
            together = critical_eps(np.append(scores, -depth), k)
            np.testing.assert_array_equal(together[:-1], alone)
            assert together[-1] > depth


def test_sizes_at_the_limits_of_floats_scale(cases: Cases) -> None:
    """A power of two changes nothing but the size, from the smallest floats to the largest."""
    for rng in cases(60):
        scores = rng.integers(0, 2**20, int(rng.integers(2, 8))) * 2.0**-20
        k = int(rng.integers(1, len(scores) + 1))
        expected = critical_eps(scores, k)
        for power in (-1000, -960, -500, -399, -401, 399, 401, 520, 900, 1021):
            found = critical_eps(scores * 2.0**power, k)
            with np.errstate(over="ignore"):
                np.testing.assert_allclose(found, expected * 2.0**power, rtol=1e-12)


def test_the_exact_oracle_decides_away_from_the_boundary(cases: Cases) -> None:
    """Rationals: strictly inside or outside by more than the allowance, and on the boundary out."""
    for rng in cases(40):
        counts = rng.integers(0, 12, int(rng.integers(2, 6)))
        n = int(rng.integers(2, 40))
        scores = tuple(Fraction(int(count), n) for count in counts)
        eps = exact.ExactEps(root=Fraction(int(rng.integers(1, 9)), n))
        for k in range(1, len(counts) + 1):
            expected = exact.inflated_topk(scores, k, eps)
            critical = critical_eps(counts / n, k)
            assert set(np.flatnonzero(float(eps) > critical).tolist()) == expected
            assert (
                set(inflated_topk(counts / n, k, math.sqrt(2) * float(eps.root)))
                == expected
            )

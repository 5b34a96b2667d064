"""The exact eps of full rankings: at it, one float below and one above, sets meet as it says."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from adversary.test_jumps import jumps, odd_scores
from oracles import enumeration, exact
from steadyrank import Ratings, ScoreMatrix, Study, critical_eps, meeting_eps
from steadyrank.operators.intervals import tiers
from steadyrank.operators.meeting import Rival
from steadyrank.operators.rankings import inflated_ranking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]


def on_edges(rng: np.random.Generator, items: int) -> np.ndarray:
    """Return scores on a coarse grid: many are on the edge of being clipped."""
    grid = rng.integers(0, rng.integers(2, 12), items) / rng.choice([1, 3, 7, 10])
    return grid * rng.choice([1, -1, 1e-160]) + rng.choice([0, 0, 1000.1])


def two_scores(rng: np.random.Generator, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two odd score vectors: unrelated, in another order, or alike but for two items."""
    w = (
        odd_scores(rng, most)
        if rng.integers(2)
        else on_edges(rng, int(rng.integers(2, most)))
    )
    kind = rng.integers(3)
    if kind == 0:
        return w, np.resize(odd_scores(rng, most), len(w))
    if kind == 1:
        return w, rng.permutation(w)
    v = w.copy()
    pair = rng.integers(0, len(w), 2)
    v[pair] = v[pair[::-1]]
    return w, v


def beside(value: float) -> list[float]:
    """Return the value, one float below and one above it: those that may be an eps."""
    near = (np.nextafter(value, 0), value, np.nextafter(value, np.inf))
    return [float(eps) for eps in near if 0 < eps < np.inf]


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


def test_sets_share_a_ranking_exactly_above_the_meeting_eps(cases: Cases) -> None:
    for rng in cases(90):
        w, v = two_scores(rng, most=6)
        meeting = meeting_eps(w, v)
        assert meeting == meeting_eps(v, w)
        for eps in beside(meeting):
            first, second = inflated_ranking(w, eps), inflated_ranking(v, eps)
            both = {tuple(o.tolist()) for o in first} & {
                tuple(o.tolist()) for o in second
            }
            assert bool(both) == first.intersects(second) == (eps > meeting)


def test_sets_of_many_items_meet_exactly_there_too(cases: Cases) -> None:
    """Too many rankings to list: bisection on the question whether the two sets intersect."""
    for rng in cases(40):
        w, v = two_scores(rng, most=40)
        if rng.integers(
            2
        ):  # close scores, as without one unit: few pieces, most of them small
            v = w + rng.normal(size=len(w)) * min(np.abs(w).max() / len(w), 1e305)
        meeting = meeting_eps(w, v)
        for eps in beside(meeting):
            assert inflated_ranking(w, eps).intersects(inflated_ranking(v, eps)) == (
                eps > meeting
            )
        if np.isfinite(meeting) and meeting > 0:
            low, high = meeting / 4, min(meeting * 4, np.finfo(float).max)
            for _ in range(20):
                middle = low / 2 + high / 2
                met = inflated_ranking(w, middle).intersects(
                    inflated_ranking(v, middle)
                )
                low, high = (low, middle) if met else (middle, high)
            assert low <= meeting <= high


def test_a_set_that_holds_the_other_ranking_meets_it(cases: Cases) -> None:
    for rng in cases(80):
        w, v = two_scores(rng, most=60)
        meeting = meeting_eps(w, v)
        assert Rival(w).meeting(v) == meeting
        for eps in (value for value in beside(meeting) if value <= meeting):
            assert np.argsort(-v, kind="stable") not in inflated_ranking(w, eps)


def test_few_changes_among_many_items_are_looked_at_alone(cases: Cases) -> None:
    for rng in cases(40):
        w = rng.integers(0, 400, 100) / 7
        v, moved = w.copy(), rng.integers(0, 100, int(rng.integers(1, 6)))
        v[moved] = rng.choice(w, len(moved)) + rng.integers(-1, 2) / 14
        assert Rival(w).meeting(v) == meeting_eps(w, v)


def test_fractions_say_the_same_on_either_side(cases: Cases) -> None:
    """An oracle without floats lists both sets a little below and a little above."""
    for rng in cases(25):
        n = int(rng.integers(2, 30))
        w, v = rng.integers(0, 7, (2, int(rng.integers(2, 5))))
        exactly = [tuple(Fraction(int(x), n) for x in scores) for scores in (w, v)]
        meeting = meeting_eps(w / n, v / n)
        for times in (Fraction(999_999, 1_000_000), Fraction(1_000_001, 1_000_000)):
            if meeting == 0:
                continue
            eps = exact.ExactEps(rational=Fraction(meeting) * times)
            first, second = (
                set(enumeration.exact_rankings(scores, eps)) for scores in exactly
            )
            assert bool(first & second) == (float(eps) > meeting)


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


def test_curve_audit_and_certificate_of_rankings_agree_at_every_jump(
    cases: Cases,
) -> None:
    for rng in cases(16):
        study = Study(odd_data(rng))
        curve, scores = study.ranking_curve(), study.scores
        units = study.units.counts
        rows = [
            block.row(n, scores)
            for block in study.facts.leave_one_out.blocks()
            for n in range(len(block))
        ]
        every = np.concatenate([curve.breaking_eps, curve.tier_eps])
        for eps in rng.permutation(jumps(every))[:8]:
            full = inflated_ranking(scores, eps)
            listed = {tuple(order.tolist()) for order in full}
            others = [
                {tuple(order.tolist()) for order in inflated_ranking(row, eps)}
                for row in rows
            ]
            broken = np.array([not listed & other for other in others])
            row = study.audit(1, eps=eps, methods=["inflated_ranking"]).table[0]
            assert row.broken.tolist() == np.flatnonzero(broken).tolist()
            assert curve.delta(eps) == row.delta == units[broken].sum() / units.sum()
            assert curve.delta(eps) == study.ranking(eps=eps).certificate.delta
            assert (
                curve.tiers(eps)
                == len(tiers(scores, eps))
                == len(study.ranking(eps=eps).tiers)
            )


def test_the_smallest_eps_of_a_curve_keeps_to_its_target(cases: Cases) -> None:
    for rng in cases(20):
        study = Study(odd_data(rng))
        target = float(rng.choice([0, 0.1, 0.3, 0.5]))
        curve = study.ranking_curve()
        answer = study.ranking(eps=curve.smallest_eps(target))
        row = study.audit(1, eps=answer.eps, methods=["inflated_ranking"]).table[0]
        assert row.delta == answer.certificate.delta <= target
        assert (
            answer.eps == curve.tie_eps or curve.delta(answer.eps * (1 - 1e-5)) > target
        )
        assert curve.breaking_eps == pytest.approx(
            np.minimum(curve.breaking_eps, study.facts.shifts)
        )


def test_a_step_of_the_curve_is_where_its_values_change(cases: Cases) -> None:
    for rng in cases(20):
        curve = Study(odd_data(rng)).ranking_curve()
        eps, delta, number = curve.steps()
        for place in range(1, len(eps)):
            assert (curve.delta(eps[place]), curve.tiers(eps[place])) == (
                delta[place - 1],
                number[place - 1],
            )
            above = float(np.nextafter(eps[place], np.inf))
            assert (curve.delta(above), curve.tiers(above)) == (
                delta[place],
                number[place],
            )
            assert (delta[place], number[place]) != (
                delta[place - 1],
                number[place - 1],
            )

"""Thousands of tied items: the narrow rows around rank k against whole rows, refitted for every unit."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from steadyrank import Ballots, Ratings, Study, Votes
from steadyrank.operators.inflation import critical_eps
from steadyrank.operators.rankings import RankingSet
from steadyrank.operators.topk_sets import inflated_topk_mask, topk
from steadyrank.scorers.base import LeaveOneOut
from steadyrank.study.curve import breaking_bounds
from steadyrank.study.standings import FEW, MANY, kth_range


def sparse_ratings(rng, items=60, per_item=2):
    """Return ratings of which each item has a few, and now and then a user who rates almost all."""
    pairs = {
        (int(rng.integers(0, items)), item)
        for item in range(items)
        for _ in range(per_item)
    }
    if rng.random() < 0.3:
        pairs |= {(0, item) for item in range(items - 3)}
    user, item = np.array(sorted(pairs)).T
    scale = rng.integers(0, 3)
    values = (
        rng.integers(1, 6, len(user)),
        rng.integers(1, 11, len(user)) / 2,
        rng.random(len(user)),
    )
    return Ratings(user, item, values[scale], items=range(items))


def some_votes(rng, items=60):
    return Votes(
        rng.integers(0, items, int(rng.integers(2, 4 * items))), items=range(items)
    )


def some_ballots(rng, items=50):
    ballots = [
        rng.permutation(items)[: rng.integers(1, 5)].tolist() for _ in range(int(items))
    ]
    approval = bool(rng.random() < 0.5)
    return Ballots(ballots, items=range(items), approval=approval)


MAKERS = {"ratings": sparse_ratings, "votes": some_votes, "ballots": some_ballots}


def studies(rng, kind):
    """Return a study, its scores without each unit by scoring again, and a k, small or large."""
    data = MAKERS[kind](rng)
    study = Study(data, "approval" if kind == "ballots" and data.approval else None)
    rows = np.array(
        [study.scorer.score(data.without(unit)) for unit in range(len(data.units))]
    )
    return study, rows, int(rng.choice([1, 2, 5, 10, 25, 45]))


@pytest.mark.parametrize("kind", MAKERS)
def test_bounds_of_the_breaking_eps_hold_it(cases, kind):
    settled = 0
    for rng in cases(16):
        study, rows, k = studies(rng, kind)
        if k + 2 > data_items(study):
            continue
        few = int(rng.choice([1, 3, 8]))
        full = critical_eps(study.scores, k)
        both = np.maximum(full, critical_eps(rows, k))
        exact = np.partition(both, k - 1, axis=1)[:, k - 1]
        lower, upper = breaking_bounds(
            study.facts.leave_one_out,
            study.facts.leave_one_out.bounds()[1],
            full,
            k,
            few,
        )
        assert (lower <= exact * (1 + 1e-9)).all()
        assert (exact <= upper * (1 + 1e-9)).all()
        settled += int((lower == upper).sum())
    assert settled


def data_items(study):
    return len(study.items)


@pytest.mark.parametrize("kind", MAKERS)
def test_the_range_of_the_kth_best_score_is_that_of_the_rows(cases, kind):
    for rng in cases(16):
        study, rows, k = studies(rng, kind)
        known = kth_range(
            study.facts.leave_one_out,
            study.facts.leave_one_out.bounds()[1],
            k,
            few=int(rng.choice([2, 8])),
        )
        if known is None:
            continue
        theta, ceiling, many = known
        kth = -np.sort(-np.vstack([rows[~many], study.scores]), axis=1)[:, k - 1]
        assert (theta, ceiling) == (kth.min(), kth.max())


@pytest.mark.parametrize("kind", MAKERS)
def test_audits_of_tied_items_agree_with_whole_rows(cases, kind):
    for rng in cases(10):
        study, rows, k = studies(rng, kind)
        eps = float(rng.choice([1e-6, 0.05, 0.3, 1.0]))
        counts = study.units.counts
        found = study.audit(k, eps=eps, methods=("topk", "inflated_topk"))
        plain = set(topk(study.scores, k).tolist())
        left = [set(topk(row, k).tolist()) for row in rows]
        check(found.row("topk", k), [plain] * len(rows), left, counts, k)
        flips = {flip.unit: flip for flip in found.flips(k)}
        for unit, other in enumerate(left):
            if plain != other:
                flip = flips.pop(study.units.labels[unit])
                assert (set(flip.leaves), set(flip.enters)) == (
                    plain - other,
                    other - plain,
                )
        assert not flips
        whole = set(np.flatnonzero(inflated_topk_mask(study.scores, k, eps)).tolist())
        left = [
            set(np.flatnonzero(mask).tolist())
            for mask in inflated_topk_mask(rows, k, eps)
        ]
        check(found.row("inflated_topk", k), [whole] * len(rows), left, counts, k)


def check(row, full, left, counts, k):
    pairs = list(zip(full, left, counts.tolist(), strict=True))
    assert (
        row.delta
        == sum(n for one, two, n in pairs if len(one & two) < k) / counts.sum()
    )
    similar = (
        sum(n * len(one & two) / len(one | two) for one, two, n in pairs) / counts.sum()
    )
    assert row.jaccard == pytest.approx(similar, rel=1e-12)
    assert row.size == len(full[0])


class Counting(LeaveOneOut):
    """Leave-one-out scores that count how many of them were handed out."""

    def __init__(self, inner):
        self.inner, self.handed_out = inner, 0
        self.scores, self.units = inner.scores, inner.units

    def blocks(self):
        return self.inner.blocks()

    def bounds(self, *, outer=False):
        return self.inner.bounds(outer=outer)

    def shifts(self, settled=None):
        return self.inner.shifts(settled)

    def columns(self, items, among=None, settled=None):
        for units, rows in self.inner.columns(items, among):
            self.handed_out += rows.size
            yield units, rows

    def touching(self, items):
        for block in self.inner.touching(items):
            self.handed_out += block.scores.size
            object.__setattr__(
                block, "untouched", partial(self._untouched, block.untouched)
            )
            yield block

    def _untouched(self, found, numbers, items, base):
        self.handed_out += items.size
        return found(numbers, items, base)


def spent(study, ask):
    study.facts.__dict__["leave_one_out"] = Counting(
        study.scorer.leave_one_out(study.data)
    )
    ask(study)
    return study.facts.leave_one_out.handed_out


def near_ties(items):
    rng = np.random.default_rng(items)
    user = rng.permutation(np.repeat(np.arange(items), 2))
    item = np.repeat(np.arange(items), 2)
    user[1::2] = np.where(user[1::2] == user[::2], (user[::2] + 1) % items, user[1::2])
    return Ratings(user, item, rng.integers(0, 101, 2 * items) / 10, duplicates="last")


def few_votes(items):
    return Votes(np.random.default_rng(items).integers(0, items, 10 * items))


@pytest.mark.parametrize("make", [near_ties, few_votes])
def test_work_for_near_ties_grows_with_the_items_and_not_with_their_square(make):
    def bounds(study):
        critical = critical_eps(study.scores, 10)
        breaking_bounds(
            study.facts.leave_one_out,
            study.facts.leave_one_out.bounds()[1],
            critical,
            10,
        )

    for ask in (
        bounds,
        lambda study: study.audit(10, eps=0.1 / study.units.total, methods="topk"),
    ):
        for items in (
            500,
            2000,
            8000,
        ):  # the square of the last is four times what is allowed
            assert spent(Study(make(items)), ask) < MANY * 4 * items


def test_a_thousand_tied_items_are_not_looked_at_for_every_unit():
    ratings = near_ties(4000)
    tied = Ratings.from_csr(
        ratings.indptr, ratings.rated, np.full(len(ratings.rated), 5), items=4000
    )
    study = Study(tied)
    critical = critical_eps(study.scores, 10)
    numbers = spent(
        study,
        lambda some: breaking_bounds(
            some.facts.leave_one_out, some.facts.leave_one_out.bounds()[1], critical, 10
        ),
    )
    assert numbers < 20 * len(ratings.rated)
    assert FEW < 100


@pytest.mark.parametrize("kind", MAKERS)
def test_rankings_of_units_that_do_the_same_are_looked_at_once(cases, kind):
    for rng in cases(6):
        study, rows, _ = studies(rng, kind)
        eps = float(np.quantile(study.facts.shifts, rng.choice([0.2, 0.9]))) or 0.1
        full = RankingSet(study.scores, eps)
        apart = [not full.intersects(RankingSet(row, eps)) for row in rows]
        found = study.audit(
            1, eps=eps, methods=("ranking", "inflated_ranking"), max_states=1
        )
        np.testing.assert_array_equal(
            found.row("inflated_ranking").broken, np.flatnonzero(apart)
        )
        order = np.argsort(-study.scores, kind="stable")
        plain = [
            not np.array_equal(np.argsort(-row, kind="stable"), order) for row in rows
        ]
        np.testing.assert_array_equal(
            found.row("ranking").broken, np.flatnonzero(plain)
        )

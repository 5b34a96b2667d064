"""Bradley-Terry audits by sketches, against a twin that refits every fold by itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from oracles.decimals import win_counts
from steadyrank import Battles, Study, inflated_ranking
from steadyrank.errors import UndefinedScoresError
from steadyrank.operators.inflation import STEEPEST, critical_eps
from steadyrank.operators.meeting import Rival
from steadyrank.scorers import BradleyTerry, Scorer
from steadyrank.scorers.bradley_terry.folds import BattleFolds
from steadyrank.study import standings


def newton(wins, ridge):
    """Fit by Newton steps, halved where they would climb: dense and plain."""

    def value(x):
        return (wins * np.logaddexp(0.0, x[None, :] - x[:, None])).sum() + ridge / 2 * (
            x @ x
        )

    x, items = np.zeros(len(wins)), len(wins)
    for _ in range(200):
        lose = 1.0 / (1.0 + np.exp(x[:, None] - x[None, :]))
        slope = (wins * lose).sum(axis=1) - (wins * lose).sum(axis=0) - ridge * x
        flow = (wins + wins.T) * lose * lose.T
        step = np.linalg.solve(
            np.diag(flow.sum(axis=1) + ridge) - flow + 1.0 / items, slope
        )
        while np.abs(step).max() > 1e-4 and value(x + step) > value(x):
            step = step / 2
        x = x + step
        if np.abs(step).max() < 1e-13:
            break
    return x - x.mean()


class Twin(Scorer):
    """Bradley-Terry by plain fits, one for each fold; close scores are made equal one by one."""

    name = "twin"
    resolution = 1e-9

    def __init__(self, ridge):
        self.ridge = ridge

    def score(self, data):
        scores = newton(win_counts(data), self.ridge)
        order, found = np.argsort(-scores, kind="stable"), scores.copy()
        for above, below in pairwise(order):
            if scores[above] - scores[below] <= self.resolution:
                found[below] = found[above]
        return found


def league(rng, items, battles, *, spread=1.0, ties=0.0, units=None):
    strength = spread * rng.normal(size=items)
    left = rng.integers(items, size=battles)
    right = (left + rng.integers(1, items, size=battles)) % items
    chance = 1 / (1 + np.exp(strength[right] - strength[left]))
    outcome = np.where(rng.random(battles) < chance, "left", "right")
    outcome[rng.random(battles) < ties] = "tie"
    given = {} if units is None else {"units": rng.integers(units, size=battles)}
    return Battles(left, right, outcome, items=range(items), **given)


def some_league(rng):
    """Return battles and a ridge, of all shapes: many battles each, few, ties, groups, doubles."""
    ridge = float(rng.choice([0.0, 0.01, 0.5]))
    items = int(rng.integers(2, 9))
    ties = float(rng.choice([0.0, 0.3]))
    shape = rng.integers(4)
    if shape == 0:  # many battles each: sketches settle nearly all
        return league(rng, items, int(rng.integers(300, 3000)), ties=ties), ridge
    if (
        shape == 1
    ):  # everybody meets everybody equally often: many exact ties, with and without a unit
        left, right = np.triu_indices(min(items, 5), 1)
        games = int(rng.integers(2, 8))
        wins = rng.binomial(games, 0.5, size=len(left))
        return Battles.from_pairs(left, right, wins, games - wins), ridge
    if shape == 2:
        units = int(rng.integers(3, 30))
        return league(
            rng, items, int(rng.integers(10, 400)), ties=ties, units=units
        ), ridge
    # Doubles: each battle is fought by the doubles of both items, too, so that these are exactly tied.
    left = rng.integers(items, size=60)
    right = (left + rng.integers(1, items, size=60)) % items
    both = np.concatenate([left, left + items]), np.concatenate([right, right + items])
    cross = rng.permutation(2 * items), rng.permutation(2 * items)
    cross = tuple(side[cross[0] != cross[1]] for side in cross)
    sides = [
        np.concatenate(parts) for parts in zip(both, cross, cross[::-1], strict=True)
    ]
    return Battles(*sides, ["left"] * len(sides[0]), items=range(2 * items)), max(
        ridge, 0.01
    )


def joined_without_each(data):
    """Tell whether chains of wins join all items, both ways, on all the data and without each unit."""
    wins, pairs = win_counts(data), data.unit_pairs
    rests = [wins]
    for start, stop in zip(pairs.indptr[:-1], pairs.indptr[1:], strict=True):
        rest, part = wins.copy(), slice(start, stop)
        half = pairs.ties[part] / 2
        np.subtract.at(
            rest, (pairs.winner[part], pairs.loser[part]), pairs.wins[part] + half
        )
        np.subtract.at(rest, (pairs.loser[part], pairs.winner[part]), half)
        rests.append(rest)
    steps = np.eye(len(wins)) + (np.array(rests) > 1e-9)
    return all((np.linalg.matrix_power(step, len(wins)) > 0).all() for step in steps)


def far(study, delta):
    """Return an eps that about such a share of the units moves the scores by."""
    return (1 + 2e-6) * float(np.quantile(study.facts.shifts, 1 - delta))


def test_audits_are_those_of_refitting_every_fold(cases):
    for rng in cases(30):
        data, ridge = some_league(rng)
        if not ridge and not joined_without_each(data):
            with pytest.raises(UndefinedScoresError):
                BradleyTerry().leave_one_out(data)
            continue
        quick, slow = Study(data, BradleyTerry(ridge)), Study(data, Twin(ridge))
        delta = float(rng.choice([0.0, 0.05, 0.5]))
        eps = float(rng.choice([far(slow, delta), 10.0 ** rng.uniform(-4, 0)]))
        ks = sorted({1, int(rng.integers(1, data.n_items + 1))})
        mine, theirs = (study.audit(ks, eps=eps) for study in (quick, slow))
        assert (
            not quick.facts.leave_one_out._kept
        )  # nothing has been refitted throughout
        for row, twin in zip(mine, theirs, strict=True):
            for name in ("method", "k", "delta", "size"):
                assert getattr(row, name) == getattr(twin, name)
            assert row.broken.tolist() == twin.broken.tolist()
            assert row.jaccard == pytest.approx(twin.jaccard, abs=1e-12)
        assert mine.share_reaching_eps == theirs.share_reaching_eps
        flips = [(flip.unit, flip.leaves, flip.enters) for flip in mine.flips(ks[-1])]
        twins = [(flip.unit, flip.leaves, flip.enters) for flip in theirs.flips(ks[-1])]
        assert flips == twins
        assert mine.shifts == pytest.approx(theirs.shifts, abs=1e-9)


def test_sketches_keep_within_their_errors(cases):
    for rng in cases(30):
        items, ridge = int(rng.integers(3, 12)), float(rng.choice([0.0, 0.1]))
        data = league(
            rng,
            items,
            int(rng.integers(20, 200)) * items,
            spread=float(rng.uniform(0, 2)),
        )
        try:
            out = BradleyTerry(ridge).leave_one_out(data)
        except UndefinedScoresError:
            continue
        units, sketch = out.folds.sketch
        exact = out.placed(out.folds.refit(units)) - out.folds.scores
        folds, table = np.arange(len(units)), sketch.inverse
        energy = []
        for moves, missed in (
            sketch.linear(folds, table),
            sketch.quadratic(folds, table, sketch.bent(table)),
        ):
            off = np.abs(moves - exact)
            assert (off <= np.outer(missed, sketch.heights) + 1e-8).all()
            energy.append(off.max())
            lengths = np.linalg.norm(moves - exact, axis=1)
            assert (lengths <= missed * sketch.longest + 1e-8).all()
        assert energy[1] <= energy[0] + 1e-8
        moved = np.abs(exact)
        moved[folds, sketch.folds.first] = moved[folds, sketch.folds.second] = 0.0
        assert (moved.max(axis=1) <= sketch.wandering + 1e-8).all()
        low, high = out.bounds(outer=True)
        exactly = out.bounds()
        assert (low <= exactly[0]).all()
        assert (high >= exactly[1]).all()


def test_second_order_settles_nothing_that_first_order_says_nothing_about():
    data = Battles.from_pairs([0], [1], [1], [2])
    found = Study(data, BradleyTerry(0.5)).audit(1, eps=0.2, methods="ranking")
    assert found.row("ranking").delta == pytest.approx(
        2 / 3
    )  # a tie, which the smaller index wins


def test_audits_of_many_models_are_those_of_all_rows(cases):
    for rng in cases(2):
        data = league(rng, int(rng.integers(20, 50)), 6000, spread=0.5, ties=0.1)
        quick, slow = Study(data), Study(data)
        for _ in slow.facts.leave_one_out.blocks():
            pass
        assert (
            slow.facts.leave_one_out._kept
        )  # now every answer is read off the rows of all folds
        assert not quick.facts.leave_one_out._kept
        for delta in (0.0, 0.05, 0.9):
            eps = far(slow, delta)
            mine, theirs = (study.audit([1, 5, 10], eps=eps) for study in (quick, slow))
            assert mine.share_reaching_eps == theirs.share_reaching_eps
            for row, twin in zip(mine, theirs, strict=True):
                # A mean over units, which are added up in another order.
                assert (row.jaccard or 0.0) == pytest.approx(
                    twin.jaccard or 0.0, rel=1e-13
                )
                assert replace(row, jaccard=twin.jaccard) == twin
                assert row.broken.tolist() == twin.broken.tolist()


def test_few_folds_are_refitted(monkeypatch):
    """Of 60 models and 20,000 battles, a few folds in a hundred are in doubt, by any method."""
    data, refitted = league(np.random.default_rng(5), 60, 20_000), []
    eps, exact = far(Study(data), 0.05), BattleFolds.rows

    def counted(self, units):
        refitted.append(len(units))
        return exact(self, units)

    monkeypatch.setattr(BattleFolds, "rows", counted)
    study = Study(data)
    study.audit(10, eps=eps)
    assert sum(refitted) < 0.05 * len(study.units)


def share_a_ranking(scores, others, eps):
    return inflated_ranking(scores, eps).intersects(inflated_ranking(others, eps))


def test_bounds_of_the_eps_at_which_sets_meet(cases):
    for rng in cases(100):
        items = int(rng.integers(1, 9))
        scores = (
            rng.integers(6, size=items) / 5
            if rng.integers(2)
            else rng.normal(size=items)
        )
        rows = scores + rng.choice([0.05, 1.0]) * rng.normal(size=(7, items)) * (
            rng.random(items) < 0.6
        )
        lower, upper = Rival(scores).meeting_bounds(rows)
        for row, low, high in zip(rows, lower.tolist(), upper.tolist(), strict=True):
            above = high * (1 + 1e-5) + 1e-12
            assert share_a_ranking(scores, row, above)
            below = low * (1 - 1e-5) - 1e-12
            assert below <= 0 or not share_a_ranking(scores, row, below)


def test_how_fast_critical_eps_and_meetings_move(cases):
    for rng in cases(200):
        items = int(rng.integers(2, 9))
        k = int(rng.integers(1, items + 1))
        scores, others = rng.normal(size=(2, items))
        reach = 10.0 ** rng.uniform(-3, 0)
        moved = others + rng.choice([-reach, reach, 0.0], size=items)
        off = np.abs(critical_eps(moved, k) - critical_eps(others, k))
        assert off.max() <= STEEPEST * reach * (1 + 1e-5) + 1e-9
        eps = 10.0 ** rng.uniform(-2, 1)
        wider = eps + STEEPEST * reach * (1 + 1e-5) + 1e-5
        for one, other in ((moved, others), (others, moved)):
            if share_a_ranking(scores, one, eps):
                assert share_a_ranking(scores, other, wider)


def test_ranks_from_nearby_scores_hold_the_exact_ones(
    cases, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = total = 0
    for rng in cases(6):
        strength, number = rng.normal(size=7), 400
        left = rng.integers(0, 7, number)
        right = (left + rng.integers(1, 7, number)) % 7
        won = rng.random(number) < 1 / (1 + np.exp(strength[right] - strength[left]))
        facts = Study(Battles(left, right, np.where(won, "left", "right"))).facts
        exact = standings.rank_ranges(facts, 7)
        monkeypatch.setattr("steadyrank.study.standings.FITTED", 0)
        near = standings.near_rank_ranges(facts, 7)
        monkeypatch.undo()
        assert not near.exact
        assert (near.best <= exact.best).all()
        assert (near.worst >= exact.worst).all()
        same += int(((near.best == exact.best) & (near.worst == exact.worst)).sum())
        total += 7
        wide = standings.Ranks(np.ones(7, dtype=int), np.full(7, 7), exact=False)
        for k in range(
            1, 7
        ):  # whatever is known of ranks, contenders alone cross the cut
            inside = facts.deletions(k).inside[facts.order]
            cut = wide.at_cut(k, inside, facts.units.total)
            assert ((cut.best <= exact.best) & (cut.worst >= exact.worst)).all()
            crossing = (cut.best <= k) & (cut.worst > k)
            assert (crossing == ((exact.best <= k) & (exact.worst > k))).all()
        assert standings.near_rank_ranges(facts, 7).exact
    assert same > 0.8 * total

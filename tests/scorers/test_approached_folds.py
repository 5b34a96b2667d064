"""Bradley-Terry scores on the way to those without a unit, beside exact refits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steadyrank import Battles, Study
from steadyrank.scorers.bradley_terry.folds import Underway
from steadyrank.scorers.bradley_terry.scorer import BradleyTerry


def league(seed, items, battles, *, grouped=False):
    """Return a league with a few equal teams, whose battles, won, lost and tied, are few for some."""
    rng = np.random.default_rng(seed)
    left = np.minimum(rng.geometric(0.15, battles) - 1, items - 1)
    right = (left + rng.integers(1, items, battles)) % items
    left, right = (
        np.append(left, np.arange(items)),
        np.append(right, (np.arange(items) + 1) % items),
    )
    result = rng.choice(["left", "right", "tie"], len(left), p=[0.5, 0.3, 0.2])
    mirrored = np.where(
        result == "left", "right", np.where(result == "right", "left", "tie")
    )
    half = len(left) // 2  # played both ways, so that many scores are exactly equal
    left, right, result = (
        np.concatenate([part[:half], other[:half]])
        for part, other in ((left, left), (right, right), (result, mirrored))
    )
    units = rng.integers(0, 9, len(left)) if grouped else None
    return Battles(left, right, result, items=range(items), units=units)


leagues = st.builds(
    league,
    st.integers(0, 2**32 - 1),
    st.integers(4, 14),
    st.integers(12, 80),
    grouped=st.booleans(),
)
scorers = st.builds(
    BradleyTerry,
    ridge=st.sampled_from([0.01, 1.0]),
    scale=st.sampled_from(["log-odds", "arena"]),
)


def exact_rows(data, scorer):
    """Return the scores without each unit, every one of them refitted by Newton's method."""
    out = scorer.leave_one_out(data)
    return out.placed(out.folds.refit(np.arange(len(out.units))))


@given(
    st.integers(0, 2**32 - 1), st.integers(4, 40), st.sampled_from([1e-3, 0.01, 0.3])
)
def test_sparse_leagues_have_the_scores_of_fits_from_scratch(seed, items, ridge):
    rng = np.random.default_rng(seed)
    left = rng.integers(0, items, 2 * items)
    right = (left + rng.integers(1, items, len(left))) % items
    won = rng.choice(["left", "right", "tie"], len(left), p=[0.6, 0.35, 0.05])
    scorer, every = BradleyTerry(ridge=ridge), np.arange(len(left))
    data = Battles(left, right, won, items=range(items), units=every)
    rows = np.concatenate(
        [block.scores for block in scorer.leave_one_out(data).blocks()]
    )
    found = dict(zip(data.units.labels, rows, strict=True))
    for battle in rng.choice(every, 6, replace=False):
        kept = every != battle
        rest = Battles(left[kept], right[kept], won[kept], items=range(items))
        assert found[battle] == pytest.approx(scorer.score(rest), abs=1e-9)


@given(leagues, scorers)
def test_scores_nearby_and_bounds_hold_the_exact_ones(data, scorer):
    out, exact = scorer.leave_one_out(data), exact_rows(data, scorer)
    (lowest, highest), rounding = out.bounds(outer=True), 1e-11 * out.folds.scale[1]
    assert (lowest - rounding <= exact.min(axis=0)).all()
    assert (highest + rounding >= exact.max(axis=0)).all()
    seen = np.zeros(len(out.units), dtype=int)
    for units, rows, errors in out.nearby(np.arange(len(out.scores))):
        seen[units] += 1
        assert (np.abs(rows - exact[units]) <= errors + rounding).all()
    assert (seen == 1).all()


@given(leagues, scorers, st.integers(0, 2**32 - 1))
def test_what_is_offered_as_settled_is_as_near_as_it_says(data, scorer, seed):
    out, exact = scorer.leave_one_out(data), exact_rows(data, scorer)
    rng, items = np.random.default_rng(seed), np.arange(len(out.scores))
    accepted = {"errors": np.zeros((0, len(items)))}

    def settled(rows, errors):
        fine = rng.random(len(rows)) < 0.4
        accepted["errors"] = errors[fine]
        return fine

    unseen = np.ones(len(out.units), dtype=bool)
    for units, rows in out.columns(items, None, settled):
        assert unseen[units].all()
        unseen[units] = False
        off = np.abs(rows - exact[units])
        errors = accepted["errors"]
        if len(errors) == len(units):
            assert (off <= errors + 1e-11 * out.folds.scale[1]).all()
        accepted["errors"] = np.zeros((0, len(items)))
    assert not unseen.any()


@given(leagues, scorers)
def test_rows_that_nothing_settles_are_exact(data, scorer):
    out, exact = scorer.leave_one_out(data), exact_rows(data, scorer)
    never = lambda rows, _: np.zeros(len(rows), dtype=bool)  # noqa: E731
    for units, rows in out.columns(np.arange(len(out.scores)), None, never):
        assert rows == pytest.approx(exact[units], abs=1e-10 * out.folds.scale[1])
        # What is equal is equal by either way.
        gaps, twins = (
            part[:, :, None] == part[:, None, :] for part in (rows, exact[units])
        )
        assert (gaps == twins).all()


@given(leagues, scorers)
def test_steps_come_as_near_as_they_say(data, scorer):
    out, exact = scorer.leave_one_out(data), exact_rows(data, scorer)
    offset, factor = out.folds.scale
    heights = np.sqrt(np.diag(out.folds.full.inverse))
    way = Underway(out.folds, out.folds.owners)
    for _ in range(4):
        log_odds = (exact[way.units] - offset) / factor
        room, missed = 1e-9 * len(out.scores), np.abs(way.scores - log_odds)
        assert (missed <= np.outer(way.look.missed, heights) + room).all()
        assert (missed.max(axis=1) <= way.look.off + room).all()
        way.step(np.ones(len(way.units), dtype=bool))
        assert np.isfinite(way.look.off).all()


@given(leagues, scorers)
def test_ranks_and_the_top_k_are_those_of_exact_refits(data, scorer):
    study, exact = Study(data, scorer), exact_rows(data, scorer)
    order = study.facts.order
    ranks = (
        np.argsort(
            np.argsort(-np.vstack([study.scores, exact]), axis=1, kind="stable"), axis=1
        )
        + 1
    )
    found = study.facts.ranks(len(order))
    assert found.best.tolist() == ranks.min(axis=0)[order].tolist()
    assert found.worst.tolist() == ranks.max(axis=0)[order].tolist()
    for k in range(1, len(order)):
        inside = data.units.counts @ (ranks[1:] <= k)
        assert study.facts.deletions(k).inside.tolist() == inside.tolist()


@given(leagues, scorers)
def test_units_that_change_the_ranking_are_those_of_exact_refits(data, scorer):
    out, exact = scorer.leave_one_out(data), exact_rows(data, scorer)
    order = np.argsort(-out.scores, kind="stable")
    changed = (np.argsort(-exact, axis=1, kind="stable") != order).any(axis=1)
    assert out.reordered(order).tolist() == np.flatnonzero(changed).tolist()

"""Battles beside evalica, choix and arena-rank: their figures, computed by them in this run."""

from __future__ import annotations

from typing import Any

import choix
import evalica
import numpy as np
import pandas as pd
import pytest
from arena_rank.models.bradley_terry import BradleyTerry as ArenaBradleyTerry
from arena_rank.utils.data_utils import PairDataset
from profiles import battles
from test_recipes import PAGE

from docs.page_examples import examples_of, run_python
from steadyrank import Battles, BradleyTerry, Elo, Study

SEEDS = range(5)
WINNER = {1: evalica.Winner.X, 0: evalica.Winner.Draw, -1: evalica.Winner.Y}


def in_order(data: Battles) -> tuple[list[int], list[int], list[evalica.Winner]]:
    """Return the battles one by one, as evalica takes them."""
    outcomes = [WINNER[int(outcome)] for outcome in data.outcome]
    return data.left.tolist(), data.right.tolist(), outcomes


def half_wins(data: Battles) -> np.ndarray:
    """Return how often each item beat each other, twice over so that a tie is one for both."""
    wins = np.zeros((len(data.items), len(data.items)))
    np.add.at(wins, (data.left, data.right), 1 + data.outcome)
    np.add.at(wins, (data.right, data.left), 1 - data.outcome)
    return wins


@pytest.mark.parametrize("seed", SEEDS)
def test_bradley_terry_is_evalicas(seed: int) -> None:
    data = battles(seed)
    theirs = evalica.bradley_terry(
        *in_order(data), tie_weight=0.5, tolerance=1e-15, limit=10**6
    )
    logs = np.log(theirs.scores.sort_index().to_numpy())
    assert BradleyTerry().score(data) == pytest.approx(logs - logs.mean(), abs=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_bradley_terry_is_choixs_with_half_the_ridge(seed: int) -> None:
    """choix takes alpha times the squared strengths, we half of the ridge times them."""
    data = battles(seed, size=200)
    wins = half_wins(data)
    pairs = [(i, j) for (i, j), n in np.ndenumerate(wins) for _ in range(int(n))]
    theirs = choix.opt_pairwise(len(wins), pairs, alpha=1.0, tol=1e-13)
    ours = BradleyTerry(ridge=1.0).score(
        data
    )  # their data are twice ours: alpha 1 is 2 x 1/2
    assert ours == pytest.approx(theirs - theirs.mean(), abs=1e-6)
    plain = choix.ilsr_pairwise(len(wins), pairs, tol=1e-13)
    assert BradleyTerry().score(data) == pytest.approx(plain - plain.mean(), abs=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_share_is_as_many_wins_and_losses(seed: int) -> None:
    """Peers have no shares: evalica has weights for two results, and of 0.7 choix gets 7 of 10 wins."""
    plain = battles(seed, size=200)
    shares = np.random.default_rng(seed).integers(0, 11, size=len(plain.left)) / 10
    ours = BradleyTerry().score(
        Battles(plain.left, plain.right, shares, items=plain.items)
    )
    left, right = plain.left.tolist(), plain.right.tolist()
    results = [evalica.Winner.X] * len(left) + [evalica.Winner.Y] * len(left)
    parts = [*shares, *(1 - shares)]
    exact = {"tolerance": 1e-15, "limit": 10**6}
    theirs = evalica.bradley_terry(left * 2, right * 2, results, weights=parts, **exact)
    logs = np.log(theirs.scores.sort_index().to_numpy())
    assert ours == pytest.approx(logs - logs.mean(), abs=1e-7)
    tenths = np.stack([10 * shares, 10 - 10 * shares]).round().astype(int).T.tolist()
    pairs = [
        pair
        for one, other, (won, lost) in zip(left, right, tenths, strict=True)
        for pair in [(one, other)] * won + [(other, one)] * lost
    ]
    strengths = choix.ilsr_pairwise(len(plain.items), pairs, tol=1e-13)
    assert ours == pytest.approx(strengths - strengths.mean(), abs=1e-7)


def arena_frame(data: Battles) -> pd.DataFrame:
    """Return the battles as arena-rank reads them."""
    named = {1: "model_a", 0: "tie", -1: "model_b"}
    sides = {"model_a": data.left.astype(str), "model_b": data.right.astype(str)}
    return pd.DataFrame(
        {**sides, "winner": [named[int(outcome)] for outcome in data.outcome]}
    )


def arena_ratings(model: object, dataset: object) -> np.ndarray:
    """Return their ratings in the order of our items, around 1,000."""
    found = model.compute_ratings_and_cis(dataset)  # type: ignore[attr-defined]
    order = np.argsort([int(name) for name in found["competitors"]])
    ratings = np.asarray(found["ratings"])[order]
    return ratings - ratings.mean() + 1000


@pytest.mark.parametrize("seed", SEEDS)
def test_arena_scale_is_arena_ranks(seed: int) -> None:
    """Theirs is 400 over log 10 times the strength, plus 1000; fitted to their own tolerance.

    Their ``hessian_reg`` is for intervals alone: it does not shrink the ratings.
    """
    data = battles(seed)
    dataset = PairDataset.from_pandas(arena_frame(data))
    model = ArenaBradleyTerry(
        n_competitors=len(dataset.competitors), ftol=1e-15, gtol=1e-12
    )
    ours = BradleyTerry(scale="arena").score(data)
    assert ours == pytest.approx(arena_ratings(model, dataset), abs=1e-3)


@pytest.mark.parametrize("seed", SEEDS)
def test_elo_is_evalicas(seed: int) -> None:
    data = battles(seed)
    settings = {"k": 4.0, "initial": 1000.0, "scale": 400.0, "base": 10.0}
    theirs = evalica.elo(*in_order(data), **settings).scores.sort_index()
    assert Elo(**settings).score(data) == pytest.approx(theirs.to_numpy(), rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_pagerank_and_eigenvector_of_the_recipe_are_evalicas(seed: int) -> None:
    """Its eigen passes the scores of winners on to losers, so it is asked with the results turned."""
    recipe: dict[str, Any] = {}
    for block in examples_of(PAGE.read_text(encoding="utf-8")):
        run_python(block.code, recipe, PAGE.name)
    (left, right, won), sure = (
        in_order(battles(seed)),
        {"tolerance": 1e-16, "limit": 10**6},
    )
    theirs = evalica.pagerank(
        left, right, won, damping=0.85, **sure
    ).scores.sort_index()
    ours = Study(battles(seed), recipe["pagerank"]).scores
    assert ours == pytest.approx(theirs.to_numpy(), abs=1e-12)
    turned = evalica.eigen(right, left, won, **sure).scores.sort_index()
    ours = Study(battles(seed), recipe["eigenvector"]).scores
    assert ours == pytest.approx((turned / turned.sum()).to_numpy(), abs=1e-12)


def over_opponents(data: Battles) -> np.ndarray:
    """Return the mean over opponents of the share of battles that were won, a tie as half of one."""
    wins = half_wins(data)
    met = wins + wins.T
    shares = np.divide(wins, met, where=met > 0, out=np.zeros_like(wins))
    return shares.sum(axis=1) / (met > 0).sum(axis=1)


@pytest.mark.parametrize("seed", SEEDS)
def test_win_rates_over_opponents_are_evalicas(seed: int) -> None:
    """A function of one's own is a scorer; this is the one that was a setting of win rates."""
    data = battles(seed)
    theirs = evalica.average_win_rate(*in_order(data)).scores.sort_index()
    ours = Study(data, over_opponents).scores
    assert ours == pytest.approx(theirs.to_numpy(), abs=1e-12)

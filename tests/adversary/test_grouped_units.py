"""Units that are groups where a table names them; test_weights.py holds their numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from oracles.rational import coefficients, fractions
from steadyrank import (
    Ballots,
    Battles,
    Borda,
    ConstrainedLeastSquares,
    Mean,
    OrdinaryLeastSquares,
    Plurality,
    Ratings,
    Regression,
    Ridge,
    SteadyrankError,
    Study,
    Votes,
)
from steadyrank.errors import UndefinedScoresError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]


def test_rows_of_a_regression_leave_together(cases: Cases) -> None:
    for rng in cases(8):
        rows, features = int(rng.integers(8, 14)), int(rng.integers(2, 4))
        X = rng.integers(-3, 4, (rows, features)).astype(float)
        y = rng.integers(-5, 6, rows).astype(float)
        site = rng.integers(0, 4, rows)
        penalty = float(rng.choice([0.0, 0.5, 2.0]))
        scorer = Ridge(penalty) if penalty else OrdinaryLeastSquares()
        data = Regression(X, y, units=site, unit_kind="site")
        assert data.units.kind == "site"
        kept = [site != each for each in np.unique(site)]
        solved = [
            coefficients(
                fractions(X[rest]), [Fraction(v) for v in y[rest]], Fraction(penalty)
            )
            for rest in kept
        ]
        full = np.linalg.matrix_rank(X) == features
        if penalty == 0 and (not full or any(rank < features for _, rank in solved)):
            with pytest.raises(UndefinedScoresError):
                scorer.leave_one_out(data)
            continue
        if len(kept) < 2:
            continue
        out = scorer.leave_one_out(data)
        rows_out = np.concatenate([block.scores for block in out.blocks()])
        exact = np.abs(np.array([[float(b) for b in found] for found, _ in solved]))
        assert np.allclose(rows_out, exact, rtol=1e-7, atol=1e-9)
        assert np.allclose(
            rows_out, [scorer.score(data.without(u)) for u in range(len(kept))]
        )
        found = Study(data, scorer).margin(1)
        turned = (
            np.argsort(-rows_out, axis=1, kind="stable")[:, 0] != np.argmax(out.scores)
        ).any()
        assert (found.lower == 1) == turned


def test_a_bounded_regression_without_each_group(cases: Cases) -> None:
    for rng in cases(4):
        X, site = rng.normal(size=(12, 3)), rng.permutation(np.repeat([0, 1, 2], 4))
        y = X @ [2.0, 1.0, 0.5] + rng.normal(size=12)
        scorer = ConstrainedLeastSquares(float(rng.choice([0.5, 5.0])))
        rows = next(scorer.leave_one_out(Regression(X, y, units=site)).blocks()).scores
        for each in range(3):
            alone = scorer.score(Regression(X[site != each], y[site != each]))
            assert np.allclose(rows[each], alone, atol=1e-9)


def test_what_groups_said() -> None:
    home = ["h", "h", "i"]
    votes = Votes(["x", "y", "x"], counts=[2, 1, 1], units=home, unit_kind="household")
    assert votes.said([0, 1], [(0, 1), (1,)]) == ["x in 2, y in 1 of 3 votes", None]
    ballots = Ballots([["x", "y"], ["y"], ["x"]], units=home)
    assert ballots.said([0, 1], [(0, 1), (1,)]) == ["x in 1, y in 2 of 2 ballots", None]
    ratings = Ratings([1, 2, 3], ["x", "x", "y"], [5, 2, 1], units=home)
    assert ratings.said([0, 1], [(0,), (1,)]) == ["x 3.5 (mean of 2)", "y 1"]
    weighted = Ratings(
        [1, 2, 3], ["x", "x", "y"], [5, 2, 1], units=home, weights=[1, 2, 1]
    )
    assert weighted.said([0], [(0,)]) == ["x 3 (weighted mean)"]
    battles = Battles(
        ["x", "y", "x"], ["y", "z", "z"], ["left"] * 3, counts=[2, 1, 1], units=home
    )
    assert battles.said([0, 1], [(0, 1), (1,)]) == ["x in 2, y in 3 of 3 battles", None]


def test_a_group_that_is_all_there_is_cannot_leave() -> None:
    for data, scorer in (
        (Votes(["x", "y"], units=[1, 1]), Plurality()),
        (Ballots([["x"], ["y"]], units=[1, 1]), Borda()),
        (Ratings([1, 2], ["x", "y"], [1, 2], units=[1, 1]), Mean(1.0)),
    ):
        with pytest.raises(SteadyrankError, match="only one unit"):
            scorer.leave_one_out(data)

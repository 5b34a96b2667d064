"""Many small fits inside a ball at once: the same as the scorer gives one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from paper.in_a_ball import constrained_coefficients
from steadyrank import Regression
from steadyrank.errors import InvalidScoresError, InvalidValueError
from steadyrank.scorers import ConstrainedLeastSquares


def test_a_batch_gives_what_the_scorer_gives() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(20, 8, 3)), rng.normal(size=(20, 8))
    gram, moment = X.transpose(0, 2, 1) @ X, np.einsum("tnl,tn->tl", X, y)
    for radius in (0.1, 1.0, 10.0):
        found = np.abs(constrained_coefficients(gram, moment, radius=radius))
        scorer = ConstrainedLeastSquares(radius)
        one_by_one = [
            scorer.score(Regression(*data)) for data in zip(X, y, strict=True)
        ]
        np.testing.assert_allclose(found, one_by_one, rtol=0, atol=1e-12)


def test_any_batch_shape_is_one_call() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3, 4, 6, 2))
    gram = np.swapaxes(X, -1, -2) @ X
    moment = rng.normal(size=(3, 4, 2))
    found = constrained_coefficients(gram, moment, radius=0.2)
    assert found.shape == (3, 4, 2)
    for place in np.ndindex(3, 4):
        one = constrained_coefficients(gram[place], moment[place], radius=0.2)
        assert found[place] == pytest.approx(one, abs=1e-14)


def test_shapes_that_do_not_fit() -> None:
    with pytest.raises(InvalidScoresError, match=r"\(2, 2\) and \(3,\)"):
        constrained_coefficients(np.eye(2), np.ones(3))


def test_a_gram_matrix_of_such_scales_is_refused() -> None:
    with pytest.raises(InvalidValueError, match=r"gram\[1\] go from 1 to 1e\+10"):
        constrained_coefficients(
            np.array([np.eye(2), np.diag([1e20, 1.0])]), np.ones((2, 2))
        )

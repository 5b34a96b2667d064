"""The curve against its definition: critical eps of all items, for every unit, without any pruning."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.refitting import all_rows
from steadyrank import Ratings, ScoreMatrix, Study, critical_eps
from steadyrank.scorers import ColumnMeans
from steadyrank.scorers.registry import default_scorer


def breaking_eps(data, k):
    """Return b_i of every distinct unit: the k-th smallest over j of max(e_j, e_j^i)."""
    out = default_scorer(data).leave_one_out(data)
    both = np.maximum(critical_eps(out.scores, k), critical_eps(all_rows(out), k))
    return np.sort(both, axis=1)[:, k - 1]


def deep_matrix(rows=50):
    """Without row 0 the leaders fall, past items that are far from the top of all the data.

    A look at the items near the top alone sees the first item fall by 0.8 and come back at that
    eps; but five others lie in between, and it is not enough.
    """
    rest = np.array([-0.8, *[-5.0] * 9, 0.0, -0.1, -0.2, -0.3, -0.5, -0.7])
    full = np.array([1.0, *np.linspace(0.999, 0.99, 9), *rest[10:]])
    return ScoreMatrix(
        np.vstack([rows * full - (rows - 1) * rest, np.tile(rest, (rows - 1, 1))])
    )


def test_a_unit_that_turns_everything_over_needs_a_deeper_look():
    data = deep_matrix()
    curve = Study(data).audit(k=1, eps=1.0, methods=[]).curve(1)
    np.testing.assert_allclose(curve.breaking_eps, breaking_eps(data, 1), rtol=1e-12)
    shallow = np.sqrt(2) * 0.8
    assert curve.breaking_eps[0] > shallow * 1.05


@pytest.mark.parametrize("seed", range(60))
def test_the_breaking_eps_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    rows, items = int(rng.integers(2, 9)), int(rng.integers(9, 60))
    kind = seed % 4
    if kind == 0:  # heavy tails: single rows decide
        values = rng.standard_cauchy((rows, items))
    elif kind == 1:  # ties everywhere
        values = rng.integers(0, 3, (rows, items)).astype(float)
    elif kind == 2:  # one row that turns everything over
        values = rng.normal(size=(rows, items)) * 0.01
        values[0] += rng.permutation(items) * rows
    else:
        values = rng.normal(size=(rows, items)) + np.linspace(0, 3, items)
    data = ScoreMatrix(values)
    result = Study(data).audit(k=1, eps=1.0, methods=[])
    for k in {1, 2, items // 2, items - 1, items}:
        expected = breaking_eps(data, k)
        np.testing.assert_allclose(
            result.curve(k).breaking_eps, expected, rtol=1e-9, atol=1e-13
        )


@pytest.mark.parametrize("seed", range(20))
def test_the_breaking_eps_of_sparse_data_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    users, items = 12, 60
    pairs = np.flatnonzero(rng.random(users * items) < rng.choice([0.03, 0.2, 0.6]))
    data = Ratings(
        pairs // items,
        pairs % items,
        rng.integers(1, 6, len(pairs)),
        items=range(items),
    )
    result = Study(data).audit(k=1, eps=1.0, methods=[])
    for k in (1, 3, 20):
        expected = breaking_eps(data, k)
        np.testing.assert_allclose(
            result.curve(k).breaking_eps, expected, rtol=1e-9, atol=1e-13
        )


def test_the_curve_is_the_audit_on_deep_data():
    data = deep_matrix()
    curve = Study(data).audit(k=1, eps=1.0, methods=[]).curve(1)
    for eps in (0.001, 0.5, 1.0, 1.14, 1.2, 1.3, 1.4, 1.5, 3.0):
        row = (
            Study(data, ColumnMeans())
            .audit(k=1, eps=eps, methods=["inflated_topk"])
            .table[0]
        )
        assert (curve.delta(eps), curve.size(eps)) == (row.delta, row.size)

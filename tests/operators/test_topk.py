"""One vector, a batch and the mask give one answer: at every width, chunk edge and magnitude."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, strategies as st

from oracles import projection
from steadyrank.operators.inflation import eligible_of_few, eligible_prefix
from steadyrank.operators.topk_sets import (
    best_indices,
    inflated_argmax,
    inflated_topk,
    inflated_topk_mask,
    member_mask,
    topk,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


def slow_members(scores: NDArray[np.float64], k: int, eps: float) -> list[int]:
    """Section 2 of the closed form, one score at a time, in sorted order."""
    order = np.argsort(-scores, kind="stable")
    a = scores[order[k - 1 :]] / eps
    d = g = 0.0
    r = 1
    while r < len(a):
        gap = a[r - 1] - a[r]
        d_next, g_next = d + r * gap, g + 2 * gap * d + r * gap * gap
        if d_next**2 + g_next >= 1:
            break
        d, g, r = d_next, g_next, r + 1
    tau = (
        a[r - 1]
        + d / r
        + math.sqrt(0.5)
        - math.sqrt((r + 1) / r * (1 - (g - d * d / r)))
    )
    number = max(r, int((a > tau).sum()))
    return order[: k - 1 + number].tolist()


@pytest.mark.parametrize(
    "items", [1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000, 5000]
)
def test_single_batch_and_mask_agree_at_every_width(items: int) -> None:
    random = np.random.default_rng(items)
    batch = random.random((6, items))
    for k in {1, min(2, items), min(20, items), items // 2 + 1, items}:
        for eps in (1e-6, 0.3 / items, 0.05, 0.5, 5.0):
            mask = inflated_topk_mask(batch, k, eps)
            for row, inside in zip(batch, mask, strict=True):
                expected = slow_members(row, k, eps)
                assert inflated_topk(row, k, eps).indices.tolist() == expected
                assert set(np.flatnonzero(inside).tolist()) == set(expected)
            assert (inflated_topk_mask(batch[0], k, eps) == mask[0]).all()


@pytest.mark.parametrize("near", [30, 31, 32, 33, 34, 300, 900])
def test_near_ties_beyond_the_first_look(near: int) -> None:
    """Hundreds of scores closer to the k-th than rounding matters: the window must be widened."""
    random = np.random.default_rng(near)
    scores = np.concatenate(
        [random.random(500) * 0.5, 0.9 + 1e-9 * random.random(near), [1, 2, 3]]
    )
    random.shuffle(scores)
    for k in (1, 3, 4, 5, near, near + 3):
        for eps in (1e-12, 1e-9, 1e-7, 0.01):
            expected = slow_members(scores, k, eps)
            assert inflated_topk(scores, k, eps).indices.tolist() == expected
            mask = inflated_topk_mask(np.stack([scores, scores[::-1]]), k, eps)
            assert set(np.flatnonzero(mask[0]).tolist()) == set(expected)
            assert (mask[1][::-1] == mask[0]).all()


@pytest.mark.parametrize(
    "shape", [(7,), (1, 7), (3, 7), (2, 3, 7), (2, 1, 3, 7), (0, 7), (2, 0, 7)]
)
def test_a_batch_of_any_leading_shape(shape: tuple[int, ...]) -> None:
    scores = np.random.default_rng(3).integers(0, 9, shape) / 8
    mask = inflated_topk_mask(scores, 3, 0.4)
    assert mask.shape == shape
    assert mask.dtype == np.bool_
    for place in np.ndindex(shape[:-1]):
        expected = set(inflated_topk(scores[place], 3, 0.4).indices.tolist())
        assert set(np.flatnonzero(mask[place]).tolist()) == expected


def test_rows_do_not_depend_on_the_chunk_they_fall_into() -> None:
    random = np.random.default_rng(5)
    batch = random.integers(0, 50, (23, 90)) / 49
    whole = inflated_topk_mask(batch, 4, 0.1)
    for chunk in (1, 89, 90, 91, 270, 23 * 90 - 1, 23 * 90):
        assert (member_mask(batch, 4, 0.1, chunk) == whole).all()


def test_a_batch_that_is_not_contiguous() -> None:
    batch = np.random.default_rng(6).random((40, 30))
    expected = inflated_topk_mask(batch.T.copy(), 3, 0.1)
    assert (inflated_topk_mask(batch.T, 3, 0.1) == expected).all()
    assert (
        inflated_topk_mask(batch.T[::-1, ::-1], 3, 0.1) == expected[::-1, ::-1]
    ).all()


@pytest.mark.parametrize("items", [1, 5, 40, 64, 1000])
def test_all_equal_scores(items: int) -> None:
    for value in (0.0, -0.0, 1.0, -3.5, 1e300):
        scores = np.full(items, value)
        for k in {1, items}:
            assert topk(scores, k).tolist() == list(range(k))
            for eps in (1e-200, 1.0, 1e200):
                assert inflated_topk(scores, k, eps).indices.tolist() == list(
                    range(items)
                )
                assert inflated_topk_mask(scores, k, eps).all()


def test_zero_and_minus_zero_are_equal() -> None:
    assert topk([-0.0, 0.0, -0.0], 2).tolist() == [0, 1]
    assert inflated_argmax([-0.0, 0.0], 1e-300).tolist() == [0, 1]


@pytest.mark.parametrize(
    "size", [1e-300, 1e-200, 1e-100, 1e-3, 1.0, 1e15, 1e100, 1e200, 1e300]
)
def test_magnitude_does_not_matter(size: float) -> None:
    w = np.array([1.0, 0.5, 0.0, 0.9])
    for k in range(1, 5):
        for eps in (0.01, 0.2, 0.6, 1.0, 3.0):
            expected = inflated_topk(w, k, eps).indices.tolist()
            assert inflated_topk(w * size, k, eps * size).indices.tolist() == expected
            found = inflated_topk_mask(np.stack([w, w]) * size, k, eps * size)
            assert set(np.flatnonzero(found[1]).tolist()) == set(expected)


def test_integers_near_1e15_are_told_apart() -> None:
    scores = np.array([10**15, 10**15 - 1, 10**15 - 2])
    assert inflated_argmax(scores, 1.0).tolist() == [0]
    assert inflated_argmax(scores, 1.4142).tolist() == [0]
    assert inflated_argmax(scores, 1.5).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("scores", "eps", "expected"),
    [
        ([1.0, 0.5, 0.0], 1e-200, [0]),
        ([1.0, 0.5, 0.0], 5e-324, [0]),
        ([1.0, 0.5, 0.0], 1e300, [0, 1, 2]),
        ([1e200, 0.0, 1.0], 1e-200, [0]),
        ([1e308, -1e308], 1.0, [0]),
        ([1e308, 1e308, -1e308], 1e308, [0, 1]),
        ([1e308, -1e308], 1.7e308, [0]),
        ([5e-324, 0.0], 5e-324, [0]),
        ([5e-324, 0.0], 1e-320, [0, 1]),
    ],
    ids=str,
)
def test_scores_far_apart_do_not_overflow(
    scores: list[float], eps: float, expected: list[int]
) -> None:
    """Warnings are errors in these tests: no overflow is announced either."""
    assert inflated_argmax(scores, eps).tolist() == expected
    assert np.flatnonzero(inflated_topk_mask(scores, 1, eps)).tolist() == expected


def test_large_offsets_with_many_near_ties() -> None:
    """Multiples of 1/8 at 1e15 are exact, so that their gaps are, and so must be the answer."""
    random = np.random.default_rng(8)
    for _ in range(60):
        scores = random.integers(0, 12, 150) / 8
        k, eps = int(random.integers(1, 20)), float(random.uniform(0.2, 40))
        expected = slow_members(scores, k, eps)
        assert inflated_topk(scores + 1e15, k, eps).indices.tolist() == expected
        found = inflated_topk_mask(scores + 1e15, k, eps)
        assert set(np.flatnonzero(found).tolist()) == set(expected)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.data())
def test_plain_top_k_lets_the_smaller_index_win_a_tie(
    counts: list[int], data: st.DataObject
) -> None:
    k = data.draw(st.integers(1, len(counts)))
    order = sorted(range(len(counts)), key=lambda j: (-counts[j], j))
    assert topk(counts, k).tolist() == order[:k]


@pytest.mark.parametrize("m", [1, 3, 10, 200])
@pytest.mark.parametrize("items", [500, 64 * 20, 64 * 20 + 63, 30_000])
def test_selection_with_ties_at_the_edge(m: int, items: int) -> None:
    for values in (7, 100, 10**6):
        scores = (
            np.random.default_rng(items + m).integers(0, values, items).astype(float)
        )
        order = np.argsort(-scores, kind="stable")
        assert best_indices(scores, m).tolist() == order[:m].tolist()


def test_k_equal_to_the_number_of_items_takes_all_and_is_certain() -> None:
    found = inflated_topk([3.0, 1.0, 2.0], 3, 1.0)
    assert found.indices.tolist() == found.always_indices.tolist() == [0, 2, 1]
    assert found.sometimes_indices.tolist() == []


def test_the_result_remembers_its_settings_and_is_frozen() -> None:
    found = inflated_topk([1.0, 0.5, 0.0], 2, 1)
    assert (found.k, found.eps, found.size) == (2, 1.0, 3)
    assert 2 in found
    assert 7 not in found
    assert len(found) == 3
    assert list(found) == [0, 1, 2]
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.k = 3  # type: ignore[misc]


def test_certain_when_the_window_is_shorter_than_the_scores() -> None:
    """The item of rank k + 1 is looked at even where only k items are members."""
    scores = np.concatenate([[10.0, 9.0, 8.0], np.linspace(5, 0, 500)])
    found = inflated_topk(scores, 3, 0.1)
    assert found.always_indices.tolist() == [0, 1, 2]
    many = np.concatenate([[10.0, 9.0, 8.0], np.full(500, 7.99)])
    found = inflated_topk(many, 3, 0.1)
    assert found.always_indices.tolist() == [0, 1]
    assert found.size == 503


def test_a_long_vector_of_ten_million() -> None:
    scores = np.random.default_rng(1).random(10_000_000)
    found = inflated_topk(scores, 20, 1e-6)
    best = np.argpartition(scores, -100)[-100:]
    best = best[np.argsort(-scores[best], kind="stable")]
    expected = best[slow_members(scores[best], 20, 1e-6)]
    assert found.indices.tolist() == expected.tolist()


def test_a_batch_of_200_by_100_000() -> None:
    batch = np.random.default_rng(2).random((200, 100_000), dtype=np.float32)
    mask = inflated_topk_mask(batch, 20, 1e-4)
    assert mask.shape == batch.shape
    for row in (0, 99, 199):
        expected = inflated_topk(batch[row], 20, 1e-4).indices
        assert sorted(expected.tolist()) == np.flatnonzero(mask[row]).tolist()
    assert (mask.sum(axis=1) >= 20).all()


def test_projection_agrees_on_a_wide_window() -> None:
    """A check of the closed form itself where dozens of scores are lowered at once."""
    random = np.random.default_rng(4)
    for eps in (0.5, 1.0, 2.0):
        w = random.random(60)
        assert set(inflated_argmax(w, eps).tolist()) == projection.inflated_argmax(
            w.tolist(), eps
        )


def test_a_short_row_in_pure_python_is_decided_as_a_batch_is() -> None:
    rng = np.random.default_rng(5)
    for number in range(600):
        size, eps = (
            int(rng.integers(1, 30)),
            float(rng.choice([1e-320, 1e-9, 0.01, 0.3, 1.0, 1e200])),
        )
        grid = rng.integers(0, 6, size) * eps / np.sqrt(2)  # many on the boundary
        scores = np.sort(
            grid if number % 2 else rng.random(size) * 10 ** rng.uniform(-3, 2)
        )[::-1]
        with np.errstate(over="ignore", under="ignore"):
            (prefix,), (depth,) = eligible_prefix(
                (scores[0] - scores)[np.newaxis], scores[:1], eps
            )
        found, reached = eligible_of_few(scores, eps)
        assert found == prefix
        assert reached == pytest.approx(depth, rel=1e-9)

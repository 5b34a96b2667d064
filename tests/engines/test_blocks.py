"""Blocks of leave-one-out scores against their dense twins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steadyrank.errors import InvalidSettingError
from steadyrank.sums.blocks import DenseBlock, SparseBlock, Wanted, bounds_of, shifts_of


@st.composite
def sparse_blocks(draw: st.DrawFn) -> tuple[SparseBlock, np.ndarray]:
    """Draw a block of few units and items, with ties, empty units and items in any order."""
    items, units = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    scores = st.integers(0, 3).map(float)
    touched = [
        draw(st.lists(st.integers(0, items - 1), unique=True, max_size=items))
        for _ in range(units)
    ]
    indptr = np.append(0, np.cumsum([len(mine) for mine in touched]))
    entries = draw(st.lists(scores, min_size=int(indptr[-1]), max_size=int(indptr[-1])))
    base = draw(st.lists(scores, min_size=items, max_size=items))
    flat = np.array([item for mine in touched for item in mine], dtype=np.int64)
    start = draw(st.integers(0, 5))
    return SparseBlock(
        start, indptr, flat, np.array(entries, dtype=np.float64)
    ), np.array(base)


def dense_twin(block: SparseBlock, base: np.ndarray) -> DenseBlock:
    """Fill in the scores one by one."""
    rows = np.repeat(base[np.newaxis], len(block.indptr) - 1, axis=0)
    for unit in range(len(rows)):
        for entry in range(block.indptr[unit], block.indptr[unit + 1]):
            rows[unit, block.items[entry]] = block.scores[entry]
    return DenseBlock(block.start, rows)


@given(sparse_blocks())
def test_both_kinds_say_the_same(drawn: tuple[SparseBlock, np.ndarray]) -> None:
    block, base = drawn
    twin = dense_twin(block, base)
    assert len(block) == len(twin)
    np.testing.assert_array_equal(block.dense(base), twin.dense(base))
    for number in range(len(block)):
        np.testing.assert_array_equal(block.row(number, base), twin.row(number, base))
    np.testing.assert_allclose(block.shifts(base), twin.shifts(base), rtol=1e-14)
    np.testing.assert_array_equal(bounds_of([block], base), bounds_of([twin], base))
    everything = np.vstack([twin.scores, base])
    np.testing.assert_array_equal(
        bounds_of([twin], base), [everything.min(axis=0), everything.max(axis=0)]
    )


@given(sparse_blocks())
def test_reordered_compares_whole_rankings(
    drawn: tuple[SparseBlock, np.ndarray],
) -> None:
    block, base = drawn
    order = np.argsort(-base, kind="stable")
    expected = [
        not np.array_equal(np.argsort(-row, kind="stable"), order)
        for row in block.dense(base)
    ]
    assert block.reordered(base, order).tolist() == expected
    assert dense_twin(block, base).reordered(base, order).tolist() == expected


@given(sparse_blocks(), st.data())
def test_columns_of_wanted_items(
    drawn: tuple[SparseBlock, np.ndarray], data: st.DataObject
) -> None:
    block, base = drawn
    items = np.array(
        data.draw(st.lists(st.integers(0, len(base) - 1), unique=True)), dtype=np.int64
    )
    masks = st.lists(
        st.booleans(),
        min_size=block.start + len(block),
        max_size=block.start + len(block),
    )
    mask = data.draw(st.none() | masks.map(np.array))
    row_numbers = data.draw(st.sampled_from([1, 3, 1 << 18]))
    wanted = replace(Wanted.of(base, items, mask), row_numbers=row_numbers)
    chosen = np.arange(block.start, block.start + len(block))
    if mask is not None:
        chosen = chosen[mask[block.start :]]
    parts = list(block.columns(wanted))
    found = {
        int(unit): row
        for units, rows in parts
        for unit, row in zip(units, rows, strict=True)
    }
    whole = block.dense(base)[:, items]
    for unit in chosen:
        np.testing.assert_array_equal(
            found.pop(int(unit), base[items]), whole[unit - block.start]
        )
    assert not found
    for units, rows in dense_twin(block, base).columns(wanted):
        np.testing.assert_array_equal(units, chosen)
        np.testing.assert_array_equal(rows, whole[chosen - block.start])


@pytest.mark.parametrize("size", [1e-140, 1.0, 1e150])
def test_shifts_of_scores_large_and_small(size: float) -> None:
    base = np.array([size, 2 * size])
    block = DenseBlock(0, np.array([[size, 5 * size], [4 * size, 6 * size]]))
    sparse = SparseBlock(2, np.array([0, 0, 1]), np.array([1]), np.array([6 * size]))
    np.testing.assert_allclose(
        shifts_of([block, sparse], base),
        np.array([3.0, 5.0, 0.0, 4.0]) * size,
        rtol=1e-14,
    )


def test_shifts_whose_squares_no_float_holds_are_refused() -> None:
    with pytest.raises(InvalidSettingError, match="no float holds the square of it"):
        shifts_of([DenseBlock(0, np.array([[1e200, 0.0]]))], np.zeros(2))

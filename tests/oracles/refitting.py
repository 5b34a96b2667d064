"""Leave-one-out scores asked for in every way that there is: all ways must give the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.scorers.base import LeaveOneOut

if TYPE_CHECKING:
    from collections.abc import Callable

    from steadyrank._typing import FloatArray, IntArray


def all_rows(out: LeaveOneOut) -> FloatArray:
    """Return the leave-one-out scores of all distinct units as one matrix."""
    rows, seen = [], 0
    for block in out.blocks():
        assert block.start == seen
        rows.append(block.dense(out.scores))
        seen += len(rows[-1])
    assert seen == len(out.units)
    return np.concatenate(rows)


def column_rows(
    out: LeaveOneOut, items: IntArray, ask: Callable[..., object] | None = None
) -> FloatArray:
    """Return the scores of some items without each distinct unit, through ``columns``."""
    full = np.repeat(out.scores[items][np.newaxis, :], len(out.units), axis=0)
    seen: set[int] = set()
    for units, scores in (ask or type(out).columns)(out, items):
        assert scores.shape == (len(units), len(items))
        assert seen.isdisjoint(units.tolist())
        seen.update(units.tolist())
        full[units] = scores
    return full


def assert_answers_agree(out: LeaveOneOut, rng: np.random.Generator) -> None:
    """Compare the quick answers of a scorer with those of the base class, and with the blocks."""
    rows = all_rows(out)
    everything = np.vstack([rows, out.scores])
    for quick, slow, plain in zip(
        out.bounds(),
        LeaveOneOut.bounds(out),
        (everything.min(axis=0), everything.max(axis=0)),
        strict=True,
    ):
        np.testing.assert_array_equal(quick, slow)
        np.testing.assert_array_equal(quick, plain)
    scale = np.abs(everything).max(initial=1e-300)
    # In units of the largest score: the square of 1e-200 is 0, that of 1e200 infinite.
    exact = scale * np.sqrt((((rows - out.scores) / scale) ** 2).sum(axis=1))
    np.testing.assert_allclose(out.shifts(), exact, rtol=1e-9, atol=1e-14 * scale)
    np.testing.assert_allclose(
        LeaveOneOut.shifts(out), exact, rtol=1e-9, atol=1e-14 * scale
    )
    items = rng.permutation(len(out.scores))[: rng.integers(1, len(out.scores) + 1)]
    np.testing.assert_array_equal(column_rows(out, items), rows[:, items])
    np.testing.assert_array_equal(
        column_rows(out, items, LeaveOneOut.columns), rows[:, items]
    )

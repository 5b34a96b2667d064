"""Sums without rounding, against fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steadyrank import Ratings, ScoreMatrix, Study
from steadyrank.data.observations import Observations
from steadyrank.errors import InvalidSettingError
from steadyrank.sums.exact import exact_form, together

decimals = st.integers(0, 6).flatmap(
    lambda places: st.lists(
        st.integers(-(10**8), 10**8).map(lambda part: part / 10**places),
        min_size=1,
        max_size=30,
    )
)
floats = st.lists(st.floats(-1e3, 1e3, allow_subnormal=False), min_size=1, max_size=30)


@given(decimals)
def test_decimals_become_whole_numbers(values: list[float]) -> None:
    array = np.array(values)
    form = exact_form([array[:3], array[3:]], addends=len(values))
    assert form.whole
    (parts,) = form.parts(array)
    assert (parts == np.rint(parts)).all()
    np.testing.assert_array_equal(parts / form.scale, array)
    assert (form.lowest, form.highest) == (array.min(), array.max())
    meant = [Fraction(repr(value)) * int(form.scale) for value in values]
    assert [Fraction(part) for part in parts.tolist()] == meant


@given(floats, st.data())
def test_totals_without_one_are_correctly_rounded(
    values: list[float], data: st.DataObject
) -> None:
    array = np.array([*values, math.pi])  # so that they are no decimals
    form = exact_form([array], addends=len(array))
    assert not form.whole
    parts = form.parts(array)
    totals = tuple(np.array([part.sum()]) for part in parts)
    out = data.draw(st.integers(0, len(array) - 1))
    left = together(
        tuple(part.sum(keepdims=True) - part[out : out + 1] for part in parts)
    )
    others = np.delete(array, out).tolist()
    assert left[0] / form.scale == pytest.approx(
        math.fsum(others), rel=2.3e-16, abs=1e-18
    )
    assert together(totals)[0] / form.scale == pytest.approx(
        math.fsum(array), rel=2.3e-16, abs=1e-18
    )


@given(floats)
def test_single_precision_is_taken_as_decimals_only_where_it_has_room(
    values: list[float],
) -> None:
    array = np.array(values, dtype=np.float32)
    form = exact_form([array], addends=len(array))
    if form.whole:
        (parts,) = form.parts(array)
        np.testing.assert_array_equal((parts / form.scale).astype(np.float32), array)
        assert form.scale == 1 or np.abs(parts).max() < 1e6
    else:
        largest = np.abs(array).max()
        back = sum(form.parts(array)) / form.scale
        np.testing.assert_allclose(back, array, rtol=1e-15, atol=2.0**-80 * largest)


def test_whole_numbers_that_would_not_fit_are_split() -> None:
    array = np.array([10**15 + 1, 10**15 + 3], dtype=np.int64)
    assert exact_form([array], addends=5).whole
    form = exact_form([array], addends=50)
    assert not form.whole
    totals = tuple(np.array([part.sum()]) for part in form.parts(array))
    assert together(totals)[0] / form.scale == 2 * 10**15 + 4


def test_nothing_at_all_and_only_zeros() -> None:
    assert exact_form([], addends=0).scale == 1.0
    assert exact_form([np.zeros(0), np.zeros(3)], addends=3).whole


SMALL = (1.0, 2.0, 1 / 3, math.pi, 7.5)


def rows_without(
    data: Observations, scorer: str | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the leave-one-out scores, and those of the data scored anew without each unit."""
    study = Study(data, scorer)
    out = study.scorer.leave_one_out(data)
    rows = np.concatenate([block.dense(out.scores) for block in out.blocks()])
    return rows, np.array(
        [study.scorer.score(data.without(unit)) for unit in range(len(data.units))]
    )


@pytest.mark.parametrize("exponent", [9, 20, 38, 100, 119])
def test_one_huge_value_leaves_the_others_as_they_are(exponent: int) -> None:
    rng = np.random.default_rng(exponent)
    for _ in range(12):
        values = rng.choice(SMALL, size=(5, 2))
        values[rng.integers(5), 0] = rng.choice([-3.4, 3.4]) * 10.0**exponent
        users, items = np.repeat(range(5), 2), ["a", "b"] * 5
        for data, scorer in (
            (ScoreMatrix(values), None),
            (ScoreMatrix(values), "trimmed-mean:share=0"),
            (ScoreMatrix(values, units=[0, 0, 1, 1, 2]), None),
            (ScoreMatrix(values, weights=[1, 2, 1, 0.5, 1]), None),
            (Ratings(users, items, values.ravel()), None),
            (Ratings(users, items, values.ravel()), "mean"),
        ):
            rows, anew = rows_without(data, scorer)
            np.testing.assert_allclose(rows, anew, rtol=4e-16)


def test_values_beyond_all_parts_are_refused() -> None:
    with pytest.raises(
        InvalidSettingError, match="too large or too small to be added up exactly"
    ):
        Study(ScoreMatrix([[1.7e308, 1.0], [1e-300, 2.0], [0.4, 1.0]])).topk(1)

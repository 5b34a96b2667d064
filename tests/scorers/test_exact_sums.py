"""Sums without rounding, against fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steadyrank.sums.exact import difference, exact_form, together

decimals = st.integers(0, 6).flatmap(
    lambda places: st.lists(
        st.integers(-(10**8), 10**8).map(lambda part: part / 10**places), min_size=1, max_size=30
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
def test_totals_without_one_are_correctly_rounded(values: list[float], data: st.DataObject) -> None:
    array = np.array([*values, math.pi])  # so that they are no decimals
    form = exact_form([array], addends=len(array))
    assert not form.whole
    parts = form.parts(array)
    totals = tuple(np.array([part.sum()]) for part in parts)
    out = data.draw(st.integers(0, len(array) - 1))
    left = difference(totals, tuple(part[out : out + 1] for part in parts))
    others = np.delete(array, out).tolist()
    assert left[0] / form.scale == pytest.approx(math.fsum(others), rel=2.3e-16, abs=1e-18)
    assert together(totals)[0] / form.scale == pytest.approx(math.fsum(array), rel=2.3e-16, abs=1e-18)


@given(floats)
def test_single_precision_is_taken_as_decimals_only_where_it_has_room(values: list[float]) -> None:
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

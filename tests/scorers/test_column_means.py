"""Column means against averaging again without the unit."""

from __future__ import annotations

import math
from copy import copy
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from oracles.refitting import all_rows, assert_answers_agree
from steadyrank.data import ScoreMatrix, Votes
from steadyrank.errors import (
    InvalidSettingError,
    TooFewUnitsError,
    WrongDataError,
)
from steadyrank.scorers import Mean
from steadyrank.scorers.sensitivity import root_rounded_up
from steadyrank.scorers.sums import SumsOut

CELLS = {
    "right or wrong": st.integers(0, 1),
    "small": st.integers(-2, 2),
    "tenths": st.integers(0, 10).map(lambda part: part / 10),
    "percent": st.integers(0, 10000).map(lambda part: part / 100),
    "huge": st.integers(0, 3).map(lambda part: 1e15 + part),
}
FLOATS = st.floats(-1e6, 1e6).map(lambda value: value if abs(value) > 1e-110 else 0.0)


@st.composite
def matrices(
    draw: st.DrawFn, cells: st.SearchStrategy[float], *, gaps: bool = False
) -> np.ndarray:
    rows, items = draw(st.integers(2, 8)), draw(st.integers(1, 6))
    maybe = cells | st.just(math.nan) if gaps else cells
    values = draw(st.lists(maybe, min_size=rows * items, max_size=rows * items))
    matrix = np.array(values, dtype=np.float64).reshape(rows, items)
    matrix[np.isnan(matrix).all(axis=1), 0] = draw(
        cells
    )  # a row without any value is no row
    return matrix


coarse = st.sampled_from(sorted(CELLS)).flatmap(lambda kind: matrices(CELLS[kind]))
coarse_with_gaps = st.sampled_from(sorted(CELLS)).flatmap(
    lambda kind: matrices(CELLS[kind], gaps=True)
)


def refitted(values: np.ndarray, unit: np.ndarray) -> np.ndarray:
    return np.array(
        [
            Mean().score(ScoreMatrix(values[unit != code], missing="available"))
            for code in range(unit.max() + 1)
        ]
    )


@given(coarse, st.integers(0, 10**6))
def test_leave_one_out_is_averaging_again(values: np.ndarray, seed: int) -> None:
    out = Mean().leave_one_out(ScoreMatrix(values))
    np.testing.assert_array_equal(
        all_rows(out), refitted(values, np.arange(len(values)))
    )
    np.testing.assert_array_equal(out.scores, Mean().score(ScoreMatrix(values)))
    np.testing.assert_allclose(out.scores, values.mean(axis=0), rtol=1e-13, atol=1e-15)
    assert_answers_agree(out, np.random.default_rng(seed))


@given(matrices(FLOATS), st.integers(0, 10**6))
def test_any_floats_agree_with_averaging_again(values: np.ndarray, seed: int) -> None:
    out = Mean().leave_one_out(ScoreMatrix(values))
    again = refitted(values, np.arange(len(values)))
    np.testing.assert_allclose(
        all_rows(out), again, rtol=1e-15, atol=4e-15 * np.abs(values).max()
    )
    assert_answers_agree(out, np.random.default_rng(seed))


@given(coarse_with_gaps, st.integers(0, 10**6))
def test_gaps_are_averaged_over(values: np.ndarray, seed: int) -> None:
    assume((np.isfinite(values).sum(axis=0) >= 2).all())
    out = Mean().leave_one_out(ScoreMatrix(values, missing="available"))
    np.testing.assert_array_equal(
        all_rows(out), refitted(values, np.arange(len(values)))
    )
    np.testing.assert_allclose(
        out.scores, np.nanmean(values, axis=0), rtol=1e-13, atol=1e-15
    )
    assert_answers_agree(out, np.random.default_rng(seed))


@given(st.one_of(coarse, coarse_with_gaps), st.data())
def test_groups_of_rows_leave_together(values: np.ndarray, data: st.DataObject) -> None:
    groups = data.draw(
        st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values))
    )
    labels, unit = np.unique(groups, return_inverse=True)
    left = [
        np.isfinite(values[unit != code]).any(axis=0).all()
        for code in range(len(labels))
    ]
    assume(len(labels) > 1 and all(left))
    matrix = ScoreMatrix(values, units=groups, missing="available")
    out = Mean().leave_one_out(matrix)
    np.testing.assert_array_equal(all_rows(out), refitted(values, unit))
    assert_answers_agree(out, np.random.default_rng(0))


@given(st.one_of(coarse, coarse_with_gaps), st.data())
def test_small_blocks_change_nothing(values: np.ndarray, data: st.DataObject) -> None:
    assume((np.isfinite(values).sum(axis=0) >= 2).all())
    groups = None
    if data.draw(st.booleans()):
        groups = list(np.arange(len(values)) // 2 % 3)
        assume(len(values) > 6 and np.isfinite(values).all())
    matrix = ScoreMatrix(values, units=groups, missing="available")
    whole = all_rows(Mean().leave_one_out(matrix))
    entries = copy(matrix.entries)
    entries.block_entries, entries.scan = (
        data.draw(st.integers(1, 12)),
        data.draw(st.integers(1, 5)),
    )
    sums = entries.sums(Mean.prior)
    out = SumsOut(sums.scores, matrix.units, entries, sums)
    np.testing.assert_array_equal(all_rows(out), whole)
    assert_answers_agree(out, np.random.default_rng(1))


@given(matrices(FLOATS), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(
    values: np.ndarray, random: object
) -> None:
    shuffled = list(range(len(values)))
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, two = ScoreMatrix(values), ScoreMatrix(values[shuffled])
    np.testing.assert_array_equal(Mean().score(one), Mean().score(two))


def test_columns_with_the_same_tenths_in_another_order_tie() -> None:
    values = np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1], [0.7, 0.7]])
    assert values[:3, 0].sum() != values[:3, 1].sum()  # what plain addition would say
    rows = all_rows(Mean().leave_one_out(ScoreMatrix(values)))
    assert rows[3].tolist() == [0.2, 0.2]
    assert rows[0, 0] == 0.4
    scores = Mean().score(ScoreMatrix(values))
    assert scores[0] == scores[1] == 0.325


@pytest.mark.parametrize("size", [1e119, 1.5e15, 1e-119])
def test_sizes_at_the_ends_of_the_floats(size: float) -> None:
    values = np.array([[size, size / 2], [size, size / 4], [size / 2, size]])
    out = Mean().leave_one_out(ScoreMatrix(values))
    np.testing.assert_allclose(all_rows(out)[2], [size, size * 0.375], rtol=1e-14)
    np.testing.assert_allclose(out.scores / size, [2.5 / 3, 1.75 / 3], rtol=1e-14)
    with pytest.raises(
        InvalidSettingError, match=r"too large or too small.* Divide all by one number"
    ):
        Mean().score(ScoreMatrix(values * (1e150 if size > 1e20 else 1e-150)))


def test_a_column_must_keep_some_values() -> None:
    nan = math.nan
    once = ScoreMatrix(
        [[1, nan], [2, 5], [3, nan]],
        items=["x", "y"],
        rows=["p", "q", "r"],
        missing="available",
    )
    assert Mean().score(once).tolist() == [2.0, 5.0]
    assert all_rows(Mean().leave_one_out(once))[1].tolist() == [2.0, 0.0]  # y is last
    assert Mean().remarks_on(once) == [
        "with data from one row alone, and last without that row: 'y'"
    ]
    grouped = ScoreMatrix(
        [[1, nan], [2, 5], [3, 4]], units=["u", "v", "v"], missing="available"
    )
    assert all_rows(Mean().leave_one_out(grouped)).tolist() == [[2.5, 4.5], [1.0, 0.0]]


def test_a_single_unit_and_other_data() -> None:
    with pytest.raises(TooFewUnitsError, match=r"only one unit \(a row\)"):
        Mean().leave_one_out(ScoreMatrix([[1, 2]]))
    with pytest.raises(TooFewUnitsError, match="group"):
        Mean().leave_one_out(ScoreMatrix([[1, 2], [3, 4]], units=["u", "u"]))
    with pytest.raises(
        WrongDataError, match="Mean needs scores or ratings, but was given votes"
    ):
        Mean().score(Votes(["a"]))  # type: ignore[arg-type]


@given(matrices(st.integers(-2, 2)), st.data())
def test_no_unit_moves_more_than_the_proved_bound(
    values: np.ndarray, data: st.DataObject
) -> None:
    groups = data.draw(
        st.none()
        | st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values))
    )
    matrix = ScoreMatrix(values, units=groups)
    assume(matrix.n_units > 1)
    scorer = Mean(value_range=(-2, 2))
    bound = scorer.sensitivity(matrix)
    assert bound is not None
    assert scorer.leave_one_out(matrix).shifts().max() <= bound.eps * (1 + 1e-12)


@given(matrices(st.integers(0, 1), gaps=True))
def test_with_gaps_the_bound_holds_and_is_reached(values: np.ndarray) -> None:
    assume((np.isfinite(values).sum(axis=0) >= 2).all())
    scorer = Mean(value_range=(0, 1))
    bound = scorer.sensitivity(ScoreMatrix(values, missing="available"))
    assert bound is not None
    most = 0.0
    for row in range(
        len(values)
    ):  # this row all 1, the others all 0, gaps where they are
        extreme = np.where(np.isnan(values), math.nan, 0.0)
        extreme[row] += 1
        matrix = ScoreMatrix(extreme, missing="available")
        most = max(most, scorer.leave_one_out(matrix).shifts().max())
    if np.isnan(values).any():
        assert most <= bound.eps
    assert most == pytest.approx(bound.eps, rel=1e-10)


def test_one_end_against_the_other_reaches_the_bound() -> None:
    values = np.full((9, 4), -1.5)
    values[5] = 3.0
    scorer = Mean(value_range=(-1.5, 3.0))
    bound = scorer.sensitivity(ScoreMatrix(values))
    assert bound is not None
    assert bound.eps == root_rounded_up(Fraction(4) * Fraction(9, 2) ** 2 / 81)
    assert bound.eps == 1.0
    assert scorer.leave_one_out(ScoreMatrix(values)).shifts()[5] == pytest.approx(
        1.0, rel=1e-14
    )
    groups = ["u", "v", "v", "u", "u", "w", "w", "w", "w"]
    values[:5], values[5:] = -1.5, 3.0
    grouped = ScoreMatrix(values, units=groups)
    bound = scorer.sensitivity(grouped)
    assert bound is not None
    assert bound.numbers["largest_unit"] == 4
    assert scorer.leave_one_out(grouped).shifts().max() == pytest.approx(
        bound.eps, rel=1e-14
    )


def test_a_proof_needs_a_stated_range_that_holds() -> None:
    matrix = ScoreMatrix([[0, 1], [1, 7]], items=["x", "y"], rows=["p", "q"])
    assert Mean().sensitivity(matrix) is None
    with pytest.raises(
        InvalidSettingError, match="values go from 0 to 7 and leave the stated"
    ):
        Mean(value_range=(0, 1)).leave_one_out(matrix)
    with pytest.raises(InvalidSettingError, match="the smaller one first"):
        Mean(value_range=(1, 0))

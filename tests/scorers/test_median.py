"""Medians and trimmed means: decimals, gaps, groups, refusals, and what is proved."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import trim_mean

from oracles.refitting import all_rows
from steadyrank import Median, ScoreMatrix, Study, TrimmedMean
from steadyrank.errors import (
    InvalidDataError,
    InvalidSettingError,
    TooFewUnitsError,
    UndefinedScoresError,
)

VALUES = np.random.default_rng(3).normal(size=(23, 5))


def test_the_numbers_are_those_of_numpy_and_scipy() -> None:
    np.testing.assert_allclose(
        Median().score(ScoreMatrix(VALUES)), np.median(VALUES, axis=0), rtol=1e-15
    )
    for share in (0.0, 0.1, 0.25, 0.4):
        expected = trim_mean(VALUES, share, axis=0)
        found = TrimmedMean(share).score(ScoreMatrix(VALUES))
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-16)


def test_decimals_tie_as_they_are_written() -> None:
    matrix = ScoreMatrix([[0.1, 0.15], [0.2, 0.15]])
    assert (0.1 + 0.2) / 2 != 0.15
    assert Median().score(matrix).tolist() == [0.15, 0.15]


def test_a_share_is_the_decimal_that_it_is_written_as() -> None:
    assert 0.29 * 100 < 29
    assert TrimmedMean(0.29).trimmed(100) == 29
    assert TrimmedMean(0).trimmed(7) == 0


def test_a_huge_value_takes_no_digits_from_the_middle() -> None:
    matrix = ScoreMatrix([[1e119, 1.0], [2.0, 2.0], [3.0, 4.0], [4.0, 8.0]])
    assert Median().score(matrix).tolist() == [3.5, 3.0]
    assert all_rows(Median().leave_one_out(matrix))[0].tolist() == [3.0, 4.0]


def test_gaps_are_left_out_and_items_must_keep_a_value() -> None:
    gaps = [[1, math.nan], [2, 5], [3, 7]]
    matrix = ScoreMatrix(gaps, missing="available")
    assert Median().score(matrix).tolist() == [2.0, 6.0]
    assert all_rows(Median().leave_one_out(matrix)).tolist() == [
        [2.5, 6.0],
        [2.0, 7.0],
        [1.5, 5.0],
    ]
    with pytest.raises(UndefinedScoresError):
        Median().leave_one_out(
            ScoreMatrix([[1, math.nan], [2, 5]], missing="available")
        )


def test_many_rows_are_left_out_at_once_as_one_after_the_other() -> None:
    rows = all_rows(TrimmedMean(0.2).leave_one_out(ScoreMatrix(VALUES)))
    groups = ScoreMatrix(VALUES, units=range(len(VALUES)))
    np.testing.assert_array_equal(
        all_rows(TrimmedMean(0.2).leave_one_out(groups)), rows
    )


def test_two_rows_reach_the_bound_of_a_median() -> None:
    study = Study(ScoreMatrix([[0, 0, 1], [1, 1, 0]]), Median((0, 1)))
    proved = study.scorer.sensitivity(study.data)
    assert study.facts.shifts.max() == pytest.approx(math.sqrt(3) / 2, rel=1e-15)
    assert study.facts.shifts.max() <= proved.eps < math.sqrt(3) / 2 * (1 + 1e-11)
    assert proved.sentence == (
        "Removing one of 2 row units moves the scores by at most 0.866025, for any values from 0 to 1."
    )
    assert Median().sensitivity(study.data) is None


def test_a_trimmed_mean_is_bounded_as_a_mean_of_what_stays() -> None:
    matrix = ScoreMatrix(np.linspace(0, 1, 20)[:, np.newaxis])
    assert TrimmedMean(0, (0, 1)).sensitivity(matrix).eps == pytest.approx(1 / 20)
    # 20 values less 4, and 19 less 2: the larger number is 17.
    assert TrimmedMean(0.1, (0, 1)).sensitivity(matrix).eps == pytest.approx(1 / 17)
    assert TrimmedMean(0.1, (0, 2)).output_radius_squared(matrix) == 1.0


def test_refusals() -> None:
    matrix = ScoreMatrix([[1, 2], [2, 1], [4, 4]], weights=[1, 2, 1])
    with pytest.raises(
        InvalidDataError,
        match="rows have weights, but a median counts all of them alike",
    ):
        Median().score(matrix)
    with pytest.raises(TooFewUnitsError):
        Median().leave_one_out(ScoreMatrix([[1, 2]]))
    with pytest.raises(InvalidSettingError):
        Median((0, 1)).score(ScoreMatrix([[1, 2], [0, 0]]))
    for share in (0.5, -0.1, math.nan, "many"):
        with pytest.raises(
            InvalidSettingError, match=r"share must be .* from 0 to below 0\.5, but is"
        ):
            TrimmedMean(share)

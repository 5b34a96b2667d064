"""Numbers and counts: what is taken, what is refused, and that inputs stay as they were."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from steadyrank.arrays import as_counts, as_matrix, as_numbers, compact
from steadyrank.errors import (
    InvalidCountError,
    InvalidDataError,
    InvalidScoresError,
    MissingValuesError,
    NotANumberError,
)


def test_numbers_of_several_types() -> None:
    assert as_numbers([1, 2], "v").dtype == np.int64
    assert as_numbers([1, 2.5, Decimal("0.5"), Fraction(1, 4)], "v").tolist() == [
        1,
        2.5,
        0.5,
        0.25,
    ]
    assert as_numbers([True, False], "v").tolist() == [1, 0]
    assert as_numbers([10**15, -(10**15)], "v").tolist() == [10**15, -(10**15)]
    assert as_numbers([1e20, 1], "v").tolist() == [1e20, 1.0]
    with pytest.raises(
        NotANumberError, match="but there is 100000000000000000000, at index 0"
    ):
        as_numbers([10**20, 1], "v")


@pytest.mark.parametrize("wrong", ["3", "x", [1], object()])
def test_what_is_no_number_is_named(wrong: object) -> None:
    with pytest.raises(NotANumberError, match="at index 1"):
        as_numbers([1, wrong], "values")


@pytest.mark.parametrize("wrong", [float("inf"), -np.inf, 10**400])
def test_infinity_is_refused(wrong: float) -> None:
    with pytest.raises(NotANumberError, match=r"(finite|2\^53).*at index 0"):
        as_numbers([wrong, 1.5], "values", missing=True)


def test_missing_numbers_only_where_allowed() -> None:
    assert np.isnan(as_numbers([1, None], "v", missing=True)[1])
    with pytest.raises(MissingValuesError, match="at index 1"):
        as_numbers([1, None], "v")
    with pytest.raises(MissingValuesError, match="at index 1"):
        as_numbers(np.ma.masked_array([1, 2], mask=[False, True]), "v")


@pytest.mark.parametrize("wrong", [-1, 1.5, 1e19])
def test_counts_are_whole_and_not_negative(wrong: float) -> None:
    with pytest.raises(InvalidCountError, match=r"whole numbers from 0 on.*at index 1"):
        as_counts([1, wrong], 2)


def test_counts_of_another_length() -> None:
    with pytest.raises(InvalidScoresError, match="3 values for 2 rows"):
        as_counts([1, 1, 1], 2)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1, 5], "int8"), ([1, 300], "int16"), ([-(2**31), 0], "int32"), ([10**15], "int64"),
        (np.array([2**63], dtype="uint64"), "float64"), (np.array([1.5], dtype="float32"), "float32"),
        (np.array([1.5], dtype="float16"), "float32"), ([1.5], "float64"), (np.array([], int), "int8"),
    ],
)  # fmt: skip
def test_compact_types(values: object, dtype: str) -> None:
    array = np.asarray(values)
    assert compact(array).dtype == dtype
    assert compact(array).tolist() == array.tolist()


def test_matrices() -> None:
    given = np.array([[1, 2], [3, 4]])
    matrix = as_matrix(given, "values")
    matrix[0, 0] = 9
    assert given[0, 0] == 1
    with pytest.raises(InvalidDataError, match=r"shape \(3,\)"):
        as_matrix(np.arange(3), "values")
    with pytest.raises(
        InvalidDataError, match=r"equal length, but has rows of \[1, 2\]"
    ):
        as_matrix([[1], [1, 2]], "values")
    with pytest.raises(NotANumberError, match=r"there is inf.*at index 1"):
        as_matrix([[1, 2], [3, np.inf]], "values", missing=True)
    with pytest.raises(NotANumberError, match="inf in column number 1, at index 0"):
        as_matrix(np.array([[1, np.inf]]), "values", missing=True)
    with pytest.raises(NotANumberError, match="'x' in column number 2, at index 1"):
        as_matrix([[1, 2, 3], [4, 5, "x"]], "values")
    with pytest.raises(NotANumberError, match="'x' in column number 1, at index 1"):
        as_matrix(np.array([[1, 2], [3, "x"]], dtype=object), "values")
    with pytest.raises(InvalidDataError, match="must be a matrix"):
        as_matrix("text", "values")


def test_a_dataframe_is_sent_to_read() -> None:
    pl = pytest.importorskip("polars")
    with pytest.raises(InvalidDataError, match="read it with read"):
        as_matrix(pl.DataFrame({"a": [1]}), "values")

"""Labels get their codes in one place: the order is fixed, and bad labels are named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steadyrank.errors import EmptyDataError, InvalidDataError, InvalidLabelError
from steadyrank.labels import encode, unique_labels

LABELS = st.one_of(
    st.lists(st.integers(-5, 5)),
    st.lists(st.integers(-(2**63), 2**63 - 1)),
    st.lists(st.text(alphabet="ab1 é", min_size=1).filter(str.strip)),
    st.lists(st.sampled_from(["x", 1, 2.5, ("t",), "1"])),
)


def slow_encode(values: list[object]) -> tuple[list[int], list[object]]:
    distinct: list[object] = []
    for value in values:
        if value not in distinct:
            distinct.append(value)
    kinds = {type(value) for value in distinct}
    if len(kinds) == 1 or kinds <= {int, float}:
        distinct.sort()
    return [distinct.index(value) for value in values], distinct


@given(LABELS)
def test_codes_agree_with_the_slow_way(values: list[object]) -> None:
    codes, labels = encode(values)
    assert (codes.tolist(), list(labels)) == slow_encode(values)


@given(
    st.lists(st.integers(-100, 100), min_size=1),
    st.sampled_from(["int8", "int16", "int32", "int64"]),
    st.sampled_from([0, 20]),
)
def test_whole_number_arrays_of_any_width(
    values: list[int], dtype: str, offset: int
) -> None:
    array = np.array(values, dtype=dtype) + np.array(offset, dtype=dtype)
    codes, labels = encode(array)
    assert [labels[code] for code in codes] == array.tolist()
    assert list(labels) == sorted(set(array.tolist()))
    assert all(type(label) is int for label in labels)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64"])
def test_unsigned_labels(dtype: str) -> None:
    codes, labels = encode(np.array([200, 3, 200], dtype=dtype))
    assert codes.tolist() == [1, 0, 1]
    assert labels == (3, 200)


@pytest.mark.parametrize("base", [0, 10**9, 2**62, -(2**62)])
def test_labels_far_from_zero(base: int) -> None:
    assert encode(np.array([base + 2, base]))[1] == (base, base + 2)
    assert encode(np.array([0, base + 7]))[1] == tuple(sorted((0, base + 7)))


def test_labels_beyond_64_bits_are_kept() -> None:
    assert encode([10**30, 1])[1] == (1, 10**30)


def test_numbers_sort_as_numbers_and_text_as_text() -> None:
    assert encode([10, 9])[1] == (9, 10)
    assert encode(["10", "9"])[1] == ("10", "9")


def test_text_that_looks_like_a_number_is_another_label() -> None:
    codes, labels = encode([1, "1", 1])
    assert codes.tolist() == [0, 1, 0]
    assert labels == (1, "1")


def test_unicode_labels_are_not_folded_together() -> None:
    composed, decomposed = "\u00e9", "e\u0301"
    assert len(encode([composed, decomposed, "日本"])[1]) == 3


@pytest.mark.parametrize(
    "gone", [None, float("nan"), np.datetime64("NaT", "ns"), "", "  "]
)
def test_missing_labels_are_named_with_their_rows(gone: object) -> None:
    with pytest.raises(
        InvalidLabelError, match=r"choices must not be missing.*at index 1, 3"
    ):
        encode(["a", gone, "b", gone], what="choices")


def test_missing_labels_of_pandas() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(InvalidLabelError, match="at index 1"):
        encode(pd.Series([1, None], dtype="Int64"))
    with pytest.raises(InvalidLabelError, match="at index 1"):
        encode(pd.Series(["a", None]))


def test_nan_in_a_float_array_is_a_missing_label() -> None:
    with pytest.raises(InvalidLabelError, match="at index 1"):
        encode(np.array([1.0, np.nan]))


def test_unhashable_labels() -> None:
    with pytest.raises(InvalidLabelError, match=r"\[1\].*at index 1"):
        encode(["a", [1]])


def test_truth_values_do_not_merge_with_numbers() -> None:
    assert encode([True, False])[1] == (False, True)
    with pytest.raises(InvalidLabelError, match="truth values"):
        encode([1, True])


def test_known_labels_fix_the_order_and_refuse_others() -> None:
    codes, labels = encode(["b", "a"], known=["c", "b", "a"])
    assert codes.tolist() == [1, 2]
    assert labels == ("c", "b", "a")
    with pytest.raises(
        InvalidLabelError, match=r"'z' not in the given list.*at index 1"
    ):
        encode(["b", "z"], known=["b"])
    with pytest.raises(InvalidLabelError, match="1 and '1' are different"):
        encode([1], known=["1"])


def test_unique_labels_refuses_doubles_and_emptiness() -> None:
    with pytest.raises(
        InvalidLabelError, match=r"'a' occurs again.*index 0, 2 of the list"
    ):
        unique_labels(["a", "b", "a"])
    with pytest.raises(EmptyDataError):
        unique_labels([])


@pytest.mark.parametrize("values", ["abc", b"abc", {"a", "b"}, {"a": 1}, 7, None])
def test_what_is_no_column_is_refused(values: object) -> None:
    with pytest.raises(InvalidDataError, match="one value for each row"):
        encode(values)


def test_two_dimensions_are_refused() -> None:
    with pytest.raises(InvalidDataError, match=r"shape \(2, 2\)"):
        encode(np.ones((2, 2), dtype=int))

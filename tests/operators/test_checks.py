"""What the operators refuse, with which words; and what they take as it is."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import steadyrank
from steadyrank import errors
from steadyrank.operators.checks import check_permutation

if TYPE_CHECKING:
    from collections.abc import Callable

ONE_VECTOR: dict[str, Callable[[Any], Any]] = {
    "inflated_argmax": lambda w: steadyrank.inflated_argmax(w, 0.1),
    "topk": lambda w: steadyrank.topk(w, 1),
    "inflated_topk": lambda w: steadyrank.inflated_topk(w, 1, 0.1),
    "rank_intervals": lambda w: steadyrank.rank_intervals(w, 0.1),
    "certainly_above": lambda w: steadyrank.certainly_above(w, 0.1),
    "tiers": lambda w: steadyrank.tiers(w, 0.1),
    "inflated_ranking": lambda w: steadyrank.inflated_ranking(w, 0.1),
}
BATCH: dict[str, Callable[[Any], Any]] = {
    "inflated_topk_mask": lambda w: steadyrank.inflated_topk_mask(w, 1, 0.1),
    "critical_eps": lambda w: steadyrank.critical_eps(w, 1),
}
EVERY = ONE_VECTOR | BATCH
TAKES_EPS: dict[str, Callable[[Any], Any]] = {
    "inflated_argmax": lambda eps: steadyrank.inflated_argmax([1.0, 0.5], eps),
    "inflated_topk": lambda eps: steadyrank.inflated_topk([1.0, 0.5], 1, eps),
    "inflated_topk_mask": lambda eps: steadyrank.inflated_topk_mask([1.0, 0.5], 1, eps),
    "rank_intervals": lambda eps: steadyrank.rank_intervals([1.0, 0.5], eps),
    "certainly_above": lambda eps: steadyrank.certainly_above([1.0, 0.5], eps),
    "tiers": lambda eps: steadyrank.tiers([1.0, 0.5], eps),
    "inflated_ranking": lambda eps: steadyrank.inflated_ranking([1.0, 0.5], eps),
}
TAKES_K: dict[str, Callable[[Any], Any]] = {
    "topk": lambda k: steadyrank.topk([1.0, 0.5, 0.2], k),
    "inflated_topk": lambda k: steadyrank.inflated_topk([1.0, 0.5, 0.2], k, 0.1),
    "inflated_topk_mask": lambda k: steadyrank.inflated_topk_mask(
        [1.0, 0.5, 0.2], k, 0.1
    ),
    "critical_eps": lambda k: steadyrank.critical_eps([1.0, 0.5, 0.2], k),
}


def said(call: Callable[[Any], Any], given: object) -> str:
    """Return the name and the words of a refusal, or that there is none."""
    try:
        call(given)
    except errors.SteadyrankError as error:
        return f"{type(error).__name__}: {error}"
    return "taken"


def wrongly_said(
    calls: dict[str, Callable[[Any], Any]],
    given: list[Any],
    error: type[Exception],
    *words: str,
) -> list[tuple[str, str, str]]:
    """Return who says something else than all of the words, to which of the given things, and what."""
    found = [
        (name, repr(one)[:20], said(call, one))
        for name, call in calls.items()
        for one in given
    ]
    patterns = [re.compile(f"(?s){error.__name__}: .*(?:{word})") for word in words]
    return [
        one for one in found if not all(pattern.match(one[2]) for pattern in patterns)
    ]


def refused(
    calls: dict[str, Callable[[Any], Any]], given: list[Any]
) -> list[tuple[str, str, str]]:
    """Return who refuses what."""
    found = [
        (name, repr(one)[:20], said(call, one))
        for name, call in calls.items()
        for one in given
    ]
    return [one for one in found if one[2] != "taken"]


def test_a_planted_fault_is_seen() -> None:
    assert wrongly_said(TAKES_K, [2], errors.InvalidSettingError, "")
    assert wrongly_said(TAKES_K, [0], errors.InvalidSettingError, "from 1 to 4")
    assert wrongly_said(TAKES_K, [0], errors.InvalidScoresError, "from 1 to 3")
    assert refused(TAKES_K, [0])


def test_nan_and_infinity_are_named_with_their_positions() -> None:
    words = ("3 of them are not", "nan at position 1", "inf at position 3", "-inf at position 4",
             "Remove these items")  # fmt: skip
    scores = [0.1, math.nan, 0.3, math.inf, -math.inf]
    assert wrongly_said(EVERY, [scores], errors.InvalidScoresError, *words) == []


def test_many_non_finite_scores_are_counted_not_listed() -> None:
    with pytest.raises(errors.InvalidScoresError, match=r"1,000 of them.*and 995 more"):
        steadyrank.topk(np.full(1000, np.nan), 1)


def test_a_batch_names_row_and_column() -> None:
    batch = np.zeros((2, 3, 4))
    batch[1, 2, 3] = np.nan
    words = re.escape("nan at position (1, 2, 3)")
    assert wrongly_said(BATCH, [batch], errors.InvalidScoresError, words) == []


def test_empty_scores() -> None:
    empty = [[], (), np.empty(0), np.empty((3, 0))]
    assert (
        wrongly_said(EVERY, empty, errors.InvalidScoresError, "empty .*nothing to rank")
        == []
    )


def test_two_dimensions_where_one_is_wanted() -> None:
    words = ("one-dimensional", re.escape("(2, 2)"), "inflated_topk_mask")
    scores = [[1.0, 2.0], [3.0, 4.0]]
    assert wrongly_said(ONE_VECTOR, [scores], errors.InvalidScoresError, *words) == []


def test_a_single_number() -> None:
    single = [3.0, np.float64(3.0), np.array(3.0)]
    assert (
        wrongly_said(EVERY, single, errors.InvalidScoresError, "single value .*3") == []
    )


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (["a", "b"], "must be numbers.*'a'"),
        ([1 + 2j, 3], "must be numbers.*complex"),
        ([1.0, None, 2.0], "dtype object .*Convert them to float64 first"),
        (
            [Decimal("0.1"), Decimal("0.2")],
            r"dtype object \(first value Decimal\('0.1'\)\).*float64 first",
        ),
        ([Fraction(1, 3)], "dtype object .*float64 first"),
        ([1.0, "x"], "must be numbers"),
        (np.array([1.0, "x"], dtype=object), "must be numbers"),
        (
            np.array(["2020-01-01"], dtype="datetime64[D]"),
            "must be numbers.*datetime64",
        ),
        ([[1.0, 2.0], [3.0]], "do not form an array"),
        ({"a": 1.0}, "single value|must be numbers|position"),
        (None, "single value|must be numbers|position"),
        (np.array([1, 10**400], dtype=object), "must be numbers"),
        ([2**53 + 1, 1], "position 0 is beyond 2\\*\\*53.*Subtract a constant"),
        (np.array([2**60, 2**60 + 1, 1], dtype=object), "must be numbers"),
    ],
    ids=str,
)
def test_what_is_not_a_number(scores: object, words: str) -> None:
    assert wrongly_said(EVERY, [scores], errors.InvalidScoresError, words) == []


def test_masked_scores_are_refused_with_their_places() -> None:
    scores = np.ma.MaskedArray([1.0, 2.0, 3.0], mask=[False, True, False])
    words = "masked at .*1.*give them a score"
    assert wrongly_said(EVERY, [scores], errors.InvalidScoresError, words) == []
    assert refused(EVERY, [np.ma.MaskedArray([1.0, 2.0, 3.0], mask=False)]) == []


def test_k() -> None:
    for k in (0, -1, 4, 10**30):
        words = rf"from 1 to 3 .*but is {k}\b"
        assert wrongly_said(TAKES_K, [k], errors.InvalidSettingError, words) == []
    for k in (1.0, 1.5, "1", None, np.float64(1), [1], True, False, np.True_):
        words = rf"whole number from 1 to 3 .*but is {re.escape(repr(k))}"
        assert wrongly_said(TAKES_K, [k], errors.InvalidSettingError, words) == []
    assert refused(TAKES_K, [np.int8(2)]) == []


def test_eps() -> None:
    odd = [
        0,
        0.0,
        -0.0,
        -1.0,
        math.nan,
        math.inf,
        -math.inf,
        "0.1",
        None,
        True,
        1j,
        [0.1, 0.2],
        10**400,
    ]
    for eps in odd:
        words = ("positive, finite", re.escape(repr(eps)[:20]), "a tiny one")
        assert wrongly_said(TAKES_EPS, [eps], errors.InvalidSettingError, *words) == []
    real = [1, np.float32(0.5), np.int64(2), Fraction(1, 3), Decimal("0.1")]
    assert refused(TAKES_EPS, real) == []


@pytest.mark.parametrize(
    "order",
    [
        [0, 1], [[0, 1, 2]], [0.0, 1.0, 2.0], ["a", "b", "c"], [0, 1, 3], [0, -1, 2], [0, 2**70, 1],
        [0, 1, 1], [True, False, True], [], 5,
    ],
    ids=str,
)  # fmt: skip
def test_a_permutation_that_is_not_one(order: Any) -> None:
    words = re.escape(f"each of the item indices 0..2 once, but is {order!r}.")
    with pytest.raises(errors.InvalidScoresError, match=words):
        check_permutation(order, 3)
    with pytest.raises(errors.InvalidScoresError, match=words):
        order in steadyrank.inflated_ranking([1.0, 0.5, 0.0], 1.0)  # noqa: B015


def test_a_permutation_of_any_integer_type() -> None:
    for order in ([2, 0, 1], (2, 0, 1), np.array([2, 0, 1], dtype=np.uint8), range(3)):
        assert sorted(check_permutation(order, 3).tolist()) == [0, 1, 2]


def test_every_error_is_a_value_error_and_one_of_ours() -> None:
    for error in (
        errors.InvalidScoresError,
        errors.InvalidScoresError,
        errors.InvalidSettingError,
        errors.InvalidSettingError,
        errors.InvalidScoresError,
        errors.InvalidScoresError,
    ):
        assert issubclass(error, ValueError)
        assert issubclass(error, errors.SteadyrankError)


BASE = [4, 1, 3, 3, 0, 2]
FORMS: dict[str, Callable[[], Any]] = {
    "list": lambda: list(BASE),
    "tuple": lambda: tuple(BASE),
    "int64": lambda: np.array(BASE),
    "int8": lambda: np.array(BASE, dtype=np.int8),
    "uint64": lambda: np.array(BASE, dtype=np.uint64),
    "float16": lambda: np.array(BASE, dtype=np.float16),
    "float32": lambda: np.array(BASE, dtype=np.float32),
    "longdouble": lambda: np.array(BASE, dtype=np.longdouble),
    "big endian": lambda: np.array(BASE, dtype=">f8"),
    "read-only": lambda: _read_only(np.array(BASE, dtype=float)),
    "strided": lambda: np.repeat(np.array(BASE, dtype=float), 3)[::3],
    "reversed": lambda: np.array(BASE[::-1], dtype=float)[::-1],
    "column": lambda: np.array([BASE, BASE], dtype=float).T[:, 0],
    "masked": lambda: np.ma.MaskedArray(BASE, mask=[False] * 6),
    "pandas": lambda: pd.Series(BASE, index=list("fedcba")),
    "pandas nullable": lambda: pd.Series(BASE, dtype="Int64"),
    "pandas float": lambda: pd.Series(BASE, dtype="Float64"),
    "pandas arrow": lambda: pd.Series(BASE, dtype="int64[pyarrow]"),
    "polars": lambda: pl.Series("scores", BASE),
    "polars float32": lambda: pl.Series("scores", BASE, dtype=pl.Float32),
}


def _read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


@pytest.mark.parametrize("make", FORMS.values(), ids=FORMS)
def test_every_form_of_input_gives_the_same_answers_and_is_left_alone(
    make: Callable[[], Any],
) -> None:
    plain = np.array(BASE, dtype=float)
    scores = make()
    assert steadyrank.topk(scores, 3).tolist() == [0, 2, 3]
    assert [*steadyrank.inflated_topk(scores, 2, 1.5)] == [
        *steadyrank.inflated_topk(plain, 2, 1.5)
    ]
    assert steadyrank.inflated_argmax(scores, 1.5).tolist() == [0, 2, 3]
    for found, expected in (
        (
            steadyrank.inflated_topk_mask(scores, 2, 1.5),
            steadyrank.inflated_topk_mask(plain, 2, 1.5),
        ),
        (steadyrank.critical_eps(scores, 2), steadyrank.critical_eps(plain, 2)),
        (steadyrank.rank_intervals(scores, 1.5), steadyrank.rank_intervals(plain, 1.5)),
        (steadyrank.certainly_above(scores, 1.5), _certain(plain)),
    ):
        np.testing.assert_array_equal(found, expected)
    assert [tier.tolist() for tier in steadyrank.tiers(scores, 0.5)] == [
        [0],
        [2, 3],
        [5],
        [1],
        [4],
    ]
    rankings = steadyrank.inflated_ranking(scores, 1.5)
    assert rankings.count() == steadyrank.inflated_ranking(plain, 1.5).count()
    assert list(map(float, scores)) == list(map(float, make()))


def _certain(scores: np.ndarray) -> np.ndarray:
    return steadyrank.certainly_above(scores, 1.5)


@pytest.mark.parametrize(
    "missing",
    [
        pd.Series([1.0, None, 2.0]),
        pd.Series([1, None, 2], dtype="Int64"),
        pl.Series([1.0, None, 2.0]),
    ],
    ids=["pandas", "pandas nullable", "polars"],
)
def test_missing_values_in_a_series_are_refused_with_their_position(
    missing: Any,
) -> None:
    with pytest.raises(errors.InvalidScoresError, match="position 1"):
        steadyrank.inflated_topk(missing, 1, 0.1)


def test_results_do_not_share_memory_with_the_input() -> None:
    scores = np.array(BASE, dtype=float)
    order = steadyrank.certainly_above(scores, 1.5)
    rankings = steadyrank.inflated_ranking(scores, 1.5)
    before = (order.copy(), rankings.count())
    scores[:] = 0
    np.testing.assert_array_equal(order, before[0])
    assert rankings.count() == before[1]


def test_a_matrix_that_fits_no_memory_is_refused_by_name() -> None:
    scores = np.arange(200_000.0)
    with pytest.raises(
        errors.TooLargeError, match=r"order of 200,000 items would take 37.3 GiB"
    ):
        steadyrank.certainly_above(scores, 0.1)

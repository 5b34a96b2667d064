"""Ratings: the sort by user and item, the policies for duplicates, and ready-made arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steadyrank.data import Ratings
from steadyrank.data.rows import in_strict_order
from steadyrank.errors import (
    EmptyDataError,
    InvalidDataError,
    InvalidLabelError,
    InvalidScoresError,
    InvalidSettingError,
    MissingValuesError,
)

TRIPLES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(1, 5)),
    min_size=1,
    max_size=30,
)


def slow_ratings(triples: list[Any], duplicates: str) -> dict[Any, dict[Any, float]]:
    by_user: dict[Any, dict[Any, list[float]]] = {}
    for user, item, value in triples:
        by_user.setdefault(user, {}).setdefault(item, []).append(value)
    pick = (
        (lambda run: run[-1])
        if duplicates == "last"
        else (lambda run: sum(run) / len(run))
    )
    return {user: {item: pick(run) for item, run in sorted(rated.items())}
            for user, rated in sorted(by_user.items())}  # fmt: skip


def as_dict(ratings: Ratings) -> dict[Any, dict[Any, float]]:
    found = {}
    for place, user in enumerate(ratings.user_labels):
        span = slice(ratings.indptr[place], ratings.indptr[place + 1])
        items = [ratings.items[code] for code in ratings.rated[span]]
        found[user] = dict(zip(items, ratings.values[span].tolist(), strict=True))
    return found


@given(TRIPLES, st.sampled_from(["last", "mean"]))
def test_against_dictionaries(triples: list[Any], duplicates: str) -> None:
    users, items, values = (np.array(column) for column in zip(*triples, strict=True))
    ratings = Ratings(users, items, values, duplicates=duplicates)
    found, expected = as_dict(ratings), slow_ratings(triples, duplicates)
    assert found == expected
    assert [list(rated) for rated in found.values()] == [
        list(rated) for rated in expected.values()
    ]
    repeated = len(triples) - len({triple[:2] for triple in triples})
    assert bool(ratings.notes) == bool(repeated)


@given(TRIPLES)
def test_what_is_in_order(triples: list[Any]) -> None:
    users, items, _ = (
        np.array(column, dtype=np.int32) for column in zip(*triples, strict=True)
    )
    pairs = list(zip(users.tolist(), items.tolist(), strict=True))
    assert in_strict_order(users, items) == (pairs == sorted(set(pairs)))


def test_fields_and_types() -> None:
    ratings = Ratings(["v", "u", "v"], [30, 10, 20], [5, 3, 4])
    assert ratings.user_labels == ("u", "v")
    assert ratings.items == (10, 20, 30)
    assert ratings.indptr.tolist() == [0, 1, 3]
    assert ratings.rated.tolist() == [0, 1, 2]
    assert (ratings.rated.dtype, ratings.values.dtype) == (np.int32, np.int8)
    assert ratings.values.tolist() == [3, 4, 5]
    assert (ratings.units.kind, ratings.n_units) == ("user", 2)
    assert (
        Ratings(["u"], ["i"], np.array([0.5], dtype="float32")).values.dtype
        == np.float32
    )
    assert Ratings(["u"], ["i"], [10**15]).values.tolist() == [10**15]


def test_duplicates_are_an_error_with_their_rows() -> None:
    with pytest.raises(
        InvalidDataError, match=r"user 'u' rated 'i' more.*index 2.*last.*mean"
    ):
        Ratings(["u", "v", "u"], ["i", "i", "i"], [1, 2, 3])
    with pytest.raises(InvalidSettingError, match="duplicates must be one of"):
        Ratings(["u"], ["i"], [1], duplicates="first")


def test_full_lists_keep_places() -> None:
    ratings = Ratings(["v"], ["j"], [1], items=["i", "j"], users=["u", "v", "w"])
    assert ratings.indptr.tolist() == [0, 0, 1, 1]
    assert ratings.rated.tolist() == [1]
    assert ratings.n_units == 3
    with pytest.raises(InvalidLabelError, match="'z' not in the given list of 2 items"):
        Ratings(["v"], ["z"], [1], items=["i", "j"])


def test_bad_columns() -> None:
    with pytest.raises(EmptyDataError, match="no ratings"):
        Ratings([], [], [])
    with pytest.raises(InvalidScoresError, match="item has 1 values for 2 rows"):
        Ratings(["u", "v"], ["i"], [1, 2])
    with pytest.raises(
        MissingValuesError, match="score has missing values, at index 1"
    ):
        Ratings(["u", "v"], ["i", "i"], [1, None])
    with pytest.raises(InvalidLabelError, match="users must not be missing"):
        Ratings(["u", None], ["i", "i"], [1, 2])


class TestFromCsr:
    def test_arrays_are_taken_without_copying(self) -> None:
        rated = np.array([0, 2, 1], dtype=np.int32)
        values = np.array([1, 2, 3], dtype=np.int8)
        ratings = Ratings.from_csr(np.array([0, 2, 3]), rated, values, items=4)
        assert np.shares_memory(ratings.rated, rated)
        assert np.shares_memory(ratings.values, values)
        assert rated.flags.writeable
        assert (ratings.n_items, list(ratings.user_labels)) == (4, [0, 1])

    @given(TRIPLES)
    def test_same_as_from_rows(self, triples: list[Any]) -> None:
        users, items, values = zip(*triples, strict=True)
        one = Ratings(users, items, values, duplicates="last")
        two = Ratings.from_csr(
            one.indptr, one.rated, one.values, items=one.items, users=one.user_labels
        )
        assert as_dict(one) == as_dict(two)

    @pytest.mark.parametrize(
        ("arrays", "match"),
        [
            (
                ([0, 2], [1, 0], [1, 1]),
                "must be in increasing order, each once, at index 1",
            ),
            (
                ([0, 2], [1, 1], [1, 1]),
                "must be in increasing order, each once, at index 1",
            ),
            (([0, 3], [0, 1], [1, 1]), "from 0 to the number of entries, 2"),
            (([1, 2], [0, 1], [1, 1]), "from 0 to the number"),
            (([0, 2, 1, 2], [0, 1], [1, 1]), "must go up from 0"),
            (([0, 2], [0, 7], [1, 1]), "must name items 0 to 1, but there is 7"),
            (([0, 2], [-1, 1], [1, 1]), "there is -1"),
            (([0, 2], [0.0, 1.0], [1, 1]), "one whole number for each"),
            (([0, 2], [0, 1], [1]), "values has 1 values for 2"),
        ],
    )
    def test_bad_arrays(self, arrays: Any, match: str) -> None:
        with pytest.raises((InvalidDataError, InvalidScoresError), match=match):
            Ratings.from_csr(*arrays, items=2)

    def test_labels_of_the_wrong_number(self) -> None:
        with pytest.raises(InvalidScoresError, match="3 labels for 1 users"):
            Ratings.from_csr([0, 1], [0], [1], users=["a", "b", "c"])

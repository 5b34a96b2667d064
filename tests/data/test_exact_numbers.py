"""The same numbers are the same numbers, whatever held them; none are merged in silence."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steadyrank import Mean, Ratings, ScoreMatrix, Study, Votes, read
from steadyrank.arrays import as_doubles, as_scores
from steadyrank.errors import NotANumberError, SteadyrankError

SINGLES = st.one_of(
    st.integers(0, 1000).map(lambda cents: np.float32(cents / 100)),
    st.floats(-100, 100, width=32).map(np.float32),
)
BEYOND = 2**53 + 1


@given(st.lists(st.integers(0, 99_999), min_size=1, max_size=30), st.integers(0, 4))
def test_short_floats_are_the_decimals_that_they_are_written_as(
    parts: list[int], places: int
) -> None:
    meant = np.array(parts)[:, np.newaxis] / 10**places
    assert (as_doubles(meant.astype(np.float32)) == meant).all()


@given(st.lists(st.lists(SINGLES, min_size=3, max_size=3), min_size=1, max_size=6))
def test_ratings_and_matrices_agree_on_short_floats(
    rows: list[list[np.float32]],
) -> None:
    matrix = np.array(rows, dtype=np.float32)
    users, items = np.indices(matrix.shape).reshape(2, -1)
    rated = Mean(0.0).score(Ratings(users, items, matrix.ravel()))
    columns = dict(zip("abc", matrix.T, strict=True))
    for wide in (ScoreMatrix(matrix), read(columns, wide=True)):
        assert Mean().score(wide).tolist() == pytest.approx(rated.tolist(), abs=1e-5)
    assert Mean().score(ScoreMatrix(matrix)).tolist() == rated.tolist()


def test_tenths_of_single_precision_tie() -> None:
    single = np.array([[0.1, 0.3], [0.2, 0.0]], dtype=np.float32)
    assert Mean().score(ScoreMatrix(single)).tolist() == [0.15, 0.15]


def test_means_of_repeated_scores_of_single_precision() -> None:
    scores = np.array([0.1, 0.3, 0.2], dtype=np.float32)
    long = {"row": ["r"] * 3, "item": ["x", "x", "y"], "score": scores}
    data = read(long, item="item", score="score", unit="row")
    assert Study(data).scores.tolist() == [0.2, 0.2]
    assert Study(data, "mean-rank").data.values.tolist() == [[0.2, 0.2]]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_single_precision_with_gaps(library: str) -> None:
    arrow = pytest.importorskip("pyarrow")
    found = pytest.importorskip(library)
    short = arrow.table(
        {
            "a": arrow.array([0.1, 0.3, None], arrow.float32()),
            "b": arrow.array([0.2, None, 0.2], arrow.float32()),
        }
    )
    frames = {"pandas": short.to_pandas, "pyarrow": lambda: short}
    frame = frames.get(library, lambda: found.from_arrow(short))()
    assert Mean().score(read(frame, wide=True)).tolist() == [0.2, 0.2]


def ways(numbers: list[Any]) -> dict[str, Any]:
    """Return everything that takes these numbers as scores of two items."""
    names = [f"i{place}" for place in range(len(numbers))]
    rows = [f"u,{n},{v}" for n, v in zip(names, numbers, strict=True)]
    text = "\n".join(["user,item,rating", *rows])
    said = {"unit": "user", "item": "item", "rating": "rating"}
    wide = f"{','.join(names)}\n{','.join(map(str, numbers))}\n"
    frame = {name: [number] for name, number in zip(names, numbers, strict=True)}
    long = {"row": ["r"] * len(names), "item": names, "score": numbers}
    return {
        "ratings": lambda: Ratings(["u"] * len(names), names, numbers).values,
        "matrix": lambda: ScoreMatrix([numbers]).values,
        "array": lambda: ScoreMatrix(np.array([numbers], dtype=object)).values,
        "frame": lambda: read(frame, wide=True).values,
        "long": lambda: read(long, item="item", score="score", unit="row").values,
        "text of ratings": lambda: read(io.BytesIO(text.encode()), **said).values,
        "wide text": lambda: read(io.BytesIO(wide.encode()), items=names).values,
    }


@given(
    st.lists(
        st.one_of(
            st.integers(-5, 5),
            st.integers(-(2**70), 2**70),
            st.sampled_from([2**53, BEYOND]),
        ),
        min_size=2,
        max_size=4,
    )
)
def test_whole_numbers_are_held_exactly_or_refused(numbers: list[int]) -> None:
    exact = all(abs(number) <= 2**53 for number in numbers)
    for name, make in ways(numbers).items():
        if exact:
            assert [
                Fraction(value) for value in np.ravel(make()).tolist()
            ] == numbers, name
        else:
            with pytest.raises(NotANumberError, match=r"2\^53|is not a number"):
                make()


def test_the_place_of_a_number_beyond_floats_is_said() -> None:
    text = f"user,item,rating\nu,a,1\nv,a,{BEYOND}\n"
    said = {"unit": "user", "item": "item", "rating": "rating"}
    with pytest.raises(NotANumberError, match=f"line 3, column 'rating': '{BEYOND}'"):
        read(io.BytesIO(text.encode()), **said)
    with pytest.raises(NotANumberError) as caught:
        ScoreMatrix(np.array([[1, 2], [BEYOND, 3]]))
    assert list(caught.value.rows) == [1]
    with pytest.raises(NotANumberError):
        as_scores(np.array([2**63 + 1], dtype=np.uint64), "score")


def test_counts_may_be_large() -> None:
    votes = Votes(["x", "y"], counts=[BEYOND, 1])
    assert votes.tally.tolist() == [BEYOND, 1]


@pytest.mark.parametrize("digits", [20, 400, 100_000])
def test_long_numbers_are_refused_or_read(digits: int) -> None:
    text = f"user,item,rating\nu,a,{'7' * digits}\n"
    with pytest.raises(SteadyrankError):
        read(io.BytesIO(text.encode()), unit="user", item="item", rating="rating")

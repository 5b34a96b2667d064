"""What is left without a unit, or with other numbers of copies: the right rows, and all the items."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from oracles.medians import MATRIX
from steadyrank.data import Ballots, Battles, Ratings, Regression, ScoreMatrix, Votes
from steadyrank.errors import InvalidScoresError, InvalidValueError, TooFewUnitsError


class TestWithout:
    def test_votes_keep_their_items_and_rows(self):
        data = Votes(["b", "a", "b"], counts=[2, 1, 1], items=["a", "b", "c"])
        rest = data.without(1)
        assert rest.items == ("a", "b", "c")
        assert rest.tally.tolist() == [1, 2, 0]
        assert data.without(0).tally.tolist() == [0, 3, 0]
        assert data.tally.tolist() == [1, 3, 0]

    def test_ballots(self):
        data = Ballots([["a", "b"], ["b", ["a", "c"]], ["a", "b"]])
        rest = data.without(0)
        assert list(rest.units.labels) == ["a > b", "b > a = c"]
        assert rest.counts.tolist() == [1, 1]
        assert list(data.without(1).units.labels) == ["a > b"]

    def test_ratings(self):
        data = Ratings(["u", "v", "u"], ["x", "y", "y"], [1, 2, 3])
        rest = data.without(0)
        assert list(rest.user_labels) == ["v"]
        assert (rest.rated.tolist(), rest.values.tolist()) == ([1], [2])
        twice = data.with_copies(np.array([2, 0]))
        assert twice.values.tolist() == [1, 3, 1, 3]

    def test_battles_of_either_side(self):
        data = Battles(["a", "b", "b"], ["b", "a", "a"], ["left", "right", "tie"])
        place = list(data.units.labels).index("a beats b")
        assert sorted(data.without(place).units.labels) == ["a beats b", "a ties b"]
        other = list(data.units.labels).index("a ties b")
        rest = data.without(other)
        assert rest.units.counts.tolist() == [2]
        assert len(rest.left) == 2

    def test_groups_of_battles_and_rows(self):
        data = Battles(
            ["a", "b", "a"], ["b", "a", "b"], ["left"] * 3, units=["x", "y", "x"]
        )
        rest = data.without(0)
        assert rest.units.labels == ("y",)
        assert rest.n_units == 1
        matrix = ScoreMatrix([[1.0], [2.0], [3.0]], units=["x", "y", "x"])
        assert matrix.without(1).values.ravel().tolist() == [1, 3]
        assert matrix.without(1).n_units == 1

    def test_rows(self):
        assert MATRIX.without(2).row_labels == ("a", "b", "d", "e", "f", "g", "h")
        data = Regression([[1.0], [2.0]], [3.0, 4.0])
        assert data.without(0).y.tolist() == [4.0]

    @given(
        st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3)), min_size=1), st.data()
    )
    def test_any_copies_of_votes(self, rows, draw):
        data = Votes([item for item, _ in rows], counts=[count for _, count in rows])
        copies = draw.draw(
            st.lists(
                st.integers(0, 5), min_size=len(data.units), max_size=len(data.units)
            )
        )
        assert data.with_copies(np.array(copies)).tally.tolist() == copies

    @given(st.integers(0, 2**32 - 1))
    def test_any_copies_of_battles(self, seed):
        rng = np.random.default_rng(seed)
        left = rng.integers(3, size=9)
        right = (left + rng.integers(1, 3, size=9)) % 3
        data = Battles(
            left, right, rng.choice(["left", "tie", "right"], size=9), items=range(3)
        )
        copies = rng.integers(1, 4, size=len(data.units))
        more = data.with_copies(copies)
        assert list(more.units.labels) == list(data.units.labels)
        assert more.units.counts.tolist() == copies.tolist()

    def test_refusals(self):
        with pytest.raises(TooFewUnitsError):
            Votes(["a"]).without(0)
        with pytest.raises(InvalidValueError, match="from 0 to 7"):
            MATRIX.without(8)
        with pytest.raises(InvalidScoresError, match="copies has 3 values for 8"):
            MATRIX.with_copies(np.ones(3))

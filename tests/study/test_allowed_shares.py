"""A share of units that may break an answer, as a number of units."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from steadyrank.study.certificate import allowed_units, exceeded_by_at_most


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9)), min_size=1, max_size=8),
    st.one_of(
        st.floats(0, 0.999), st.sampled_from([0.05, 0.1, 0.29, 0.3, 1 / 3, 0.57])
    ),
)
def test_the_value_that_few_exceed_is_the_smallest_such(pairs, delta):
    values = np.array([value for value, _ in pairs], dtype=float)
    counts = np.array([count for _, count in pairs])
    found = exceeded_by_at_most(delta, values, counts)

    def share_above(threshold):
        return counts[values > threshold].sum() / counts.sum()

    assert share_above(found) <= delta
    assert all(share_above(value) > delta for value in values if value < found)


@given(st.integers(1, 10**6), st.floats(0, 0.9999))
def test_allowed_units_are_as_many_as_the_share_allows(total, delta):
    number = allowed_units(delta, total)
    assert number / total <= delta < (number + 1) / total

"""Rows of count 0 or weight 0, and groups of such rows, are not there: one rule for all kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steadyrank import Ballots, Battles, Ratings, ScoreMatrix, Votes
from steadyrank.data import Observations
from steadyrank.data.observations import shares_of

ITEMS = ["x", "y", "z"]
ROWS = st.lists(
    st.tuples(
        st.permutations(ITEMS),
        st.integers(0, 2),
        st.sampled_from([0.0, 0.5, 2.0]),
        st.sampled_from("uvw"),
    ),
    min_size=1,
    max_size=6,
)
COUNTED = {
    "votes": lambda orders, more: Votes([order[0] for order in orders], items=ITEMS, **more),
    "ballots": lambda orders, more: Ballots(orders, items=ITEMS, **more),
    "approvals": lambda orders, more: Ballots(
        [order[:2] for order in orders], items=ITEMS, approval=True, **more
    ),
    "battles": lambda orders, more: Battles(
        [order[0] for order in orders], [order[1] for order in orders], ["left"] * len(orders),
        items=ITEMS, **more,
    ),
}  # fmt: skip
VALUED = {
    "ratings": lambda orders, more: Ratings(
        [f"r{row}" for row in range(len(orders))], [order[0] for order in orders],
        [ord(order[1]) % 5 for order in orders], items=ITEMS, **more,
    ),
    "scores": lambda orders, more: ScoreMatrix(
        [[ord(item) % 5 for item in order] for order in orders], items=ITEMS, **more
    ),
}  # fmt: skip


def told(data: Any) -> tuple[Any, ...]:
    """Return all that is known of the units of data."""
    shares = shares_of(data)
    sizes = (shares.of_units / shares.scale).tolist()
    every = zip(
        map(str, data.units.labels), data.units.counts.tolist(), sizes, strict=True
    )
    named = (
        data.kind.name != "ratings" and data.unit is None and data.kind.name != "scores"
    )
    listed = (
        list(every) if named or data.unit is not None else [part[1:] for part in every]
    )
    return data.items, data.n_units, listed, data.item_counts.tolist()


@pytest.mark.parametrize("kind", [*COUNTED, *VALUED])
@given(rows=ROWS, weighted=st.booleans(), grouped=st.booleans())
def test_what_counts_for_nothing_is_not_there(
    kind: str, rows: list[Any], weighted: bool, grouped: bool
) -> None:
    counted = kind in COUNTED
    there = [
        row for row in rows if (row[1] or not counted) and (row[2] or not weighted)
    ]
    if not there:
        return

    def made(chosen: list[Any]) -> Any:
        orders, counts, weights, groups = zip(*chosen, strict=True)
        more: dict[str, Any] = {"counts": counts} if counted else {}
        more |= {"weights": weights} if weighted else {}
        more |= {"units": groups, "unit_kind": "street"} if grouped else {}
        return (COUNTED | VALUED)[kind](list(orders), more)

    found, expected = made(rows), made(there)
    assert told(found) == told(expected)
    light = sum(not row[2] for row in rows) if weighted else 0
    assert any("of weight 0 left out" in note for note in found.notes) == bool(light)
    for unit in range(len(found.units)):
        if found.n_units > 1:
            assert found.without(unit).n_units == found.n_units - 1


def test_the_door_of_observations_is_narrow() -> None:
    named = {*dir(Observations), *Observations.__annotations__}
    public = sorted(name for name in named if not name.startswith("_"))
    assert len(public) <= 20, public


def test_a_set_of_units_that_is_seen_can_leave() -> None:
    ratings = Ratings(["a", "b", "c"], ["x", "x", "y"], [1, 2, 3], weights=[0, 1, 2])
    assert (ratings.n_units, np.ravel(ratings.weights).tolist()) == (2, [1.0, 2.0])
    assert ratings.notes == ("1 user of weight 0 left out",)
    assert ratings.without(0).n_units == 1

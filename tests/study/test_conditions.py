"""Which promises name a condition, found again by deleting the rows of each unit from the table."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from engine_makers import need, scan_ratings
from steadyrank import Study
from steadyrank.data import Ballots, Battles, Ratings, ScoreMatrix, Votes
from steadyrank.data.observations import must_keep

if TYPE_CHECKING:
    from steadyrank.data import Observations

SEEDS = range(60)
GROUPS = "xyz"

Named = list[tuple[object, list[str], float]]
"""Of each row: the unit that it leaves with, the items that it names, and its weight."""


def row_units(rng: np.random.Generator, rows: int, *, grouped: bool) -> list[object]:
    return (
        [str(rng.choice([*GROUPS])) for _ in range(rows)] if grouped else [*range(rows)]
    )


def people(rows: Named, *, grouped: bool, weighted: bool) -> dict[str, Any]:
    said: dict[str, Any] = {}
    if grouped:
        said |= {"units": [unit for unit, _, _ in rows], "unit_kind": "group"}
    if weighted:
        said |= {"weights": [weight for _, _, weight in rows]}
    return said


def drawn(
    kind: str, rng: np.random.Generator, *, grouped: bool, weighted: bool
) -> tuple[Observations, Named]:
    """Draw a small table of a kind, and return its data with who named what in which row."""
    size = int(rng.integers(3, 9))
    units = row_units(rng, size, grouped=grouped)
    weights = rng.choice([0.0, 1.0, 2.5], size) if weighted else np.ones(size)
    weights[0] = 1.0
    most = {"votes": 1, "battles": 2}.get(kind, 3)
    least = 2 if kind == "battles" else 1
    named = [
        rng.choice(
            [*"abcd"], int(rng.integers(least, most + 1)), replace=False
        ).tolist()
        for _ in range(size)
    ]
    rows: Named = list(zip(units, named, weights.tolist(), strict=True))
    said = people(rows, grouped=grouped, weighted=weighted)
    match kind:
        case "votes":
            return Votes([one for (one,) in named], **said), rows
        case "ballots":
            return Ballots(named, **said), rows
        case "battles":
            sides = zip(*named, strict=True)
            return Battles(*sides, ["left"] * size, **said), rows
        case "scores":
            items = sorted({item for items in named for item in items})
            cells = [[1.0 if i in row else np.nan for i in items] for row in named]
            return ScoreMatrix(cells, items=items, missing="available", **said), rows
    users = [user for user, items in enumerate(named) for _ in items]
    said = {
        n: [each[u] for u in users] if n != "unit_kind" else each
        for n, each in said.items()
    }
    rated = [item for items in named for item in items]
    return Ratings(users, rated, [1] * len(rated), **said), rows


def counts_of(rows: Named, gone: object = None) -> Counter[str]:
    """Return how many rows that count name each item, once those of a unit are deleted."""
    return Counter(
        item
        for unit, items, weight in rows
        for item in items
        if weight and unit != gone
    )


KINDS = ("votes", "ballots", "battles", "scores", "ratings")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_condition_is_named_where_an_item_would_vanish(
    kind: str, *, grouped: bool, weighted: bool
) -> None:
    seen = set()
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        data, rows = drawn(kind, rng, grouped=grouped, weighted=weighted)
        there = counts_of(rows).keys()
        units = {unit for unit, _, weight in rows if weight}
        vanishes = any(counts_of(rows, unit).keys() != there for unit in units)
        assert must_keep(data, 1) == ("some data" if vanishes else ""), seed
        seen.add(vanishes)
    assert seen == {True, False}


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_condition_is_named_where_an_item_would_fall_below_a_minimum_count(
    kind: str, *, grouped: bool
) -> None:
    seen = set()
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        data, rows = drawn(kind, rng, grouped=grouped, weighted=False)
        there = {item for item, number in counts_of(rows).items() if number >= 2}
        if len(there) < 2 or (kind == "battles" and len(there) < 4):
            continue
        falls = any(counts_of(rows, unit)[i] < 2 for unit, _, _ in rows for i in there)
        kept = must_keep(data.with_min_count(2), 1)
        assert kept.startswith("at least 2 ") == falls, seed
        seen.add(falls)
    assert True in seen


@pytest.mark.parametrize(
    ("more", "kept"),
    [("", "some data"), (", (2, 'b', 1)", "")],
    ids=["alone", "shared"],
)
def test_an_engine_tells_it_too(more: str, kept: str, *, in_ci: bool) -> None:
    need("duckdb", in_ci)
    import duckdb

    rows = f"(values (1, 'a', 5), (2, 'a', 3), (1, 'b', 4){more}) t(user, item, rating)"
    with scan_ratings(duckdb.sql(f"from {rows}")) as ratings:
        assert must_keep(ratings, 1) == kept
        assert ("as long as" in Study(ratings).topk(1).certificate.promise) == bool(
            kept
        )

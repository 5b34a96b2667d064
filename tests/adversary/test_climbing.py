"""Proved rules under attack: small data are changed step by step so that one unit moves them further."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from steadyrank import (
    Ballots,
    Battles,
    Condorcet,
    Elo,
    MeanRank,
    MeanWinRate,
    Median,
    ScoreMatrix,
    SteadyrankError,
    TrimmedMean,
    WinRate,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]
    Arrays = dict[str, np.ndarray]

STEPS = 20
LARGEST_K = 694.87
"""Just below 1,600 over the logarithm of 10, up to which the rule of Elo is proved."""


def people_of(given: Arrays) -> dict[str, Any]:
    return {name: given[name] for name in ("weights", "units") if name in given}


def some_people(
    rng: np.random.Generator, size: int, given: Arrays, *, weighs: bool
) -> Arrays:
    if weighs and rng.random() < 0.3:
        given["weights"] = rng.choice([0.25, 1, 2, 10], size)
    if rng.random() < 0.3:
        given["units"] = rng.integers(0, 3, size)
    return given


def table(given: Arrays) -> ScoreMatrix:
    return ScoreMatrix(given["values"], missing="available", **people_of(given))


def some_table(rng: np.random.Generator, *, weighs: bool) -> Arrays:
    rows, items = int(rng.choice([2, 2, 3, 3, 4, 6])), int(rng.integers(2, 5))
    ends = [0, 1, 0.5, np.nan] if rng.random() < 0.5 else [0, 1, 0.5]
    return some_people(
        rng, rows, {"values": rng.choice(ends, size=(rows, items))}, weighs=weighs
    )


def ballots(given: Arrays) -> Ballots:
    orders = [
        row[:size].tolist()
        for row, size in zip(given["orders"], given["sizes"], strict=True)
    ]
    return Ballots(orders, items=range(given["orders"].shape[1]), **people_of(given))


def some_ballots(rng: np.random.Generator, *, weighs: bool) -> Arrays:
    size, items = int(rng.integers(2, 8)), int(rng.integers(2, 6))
    orders = np.array([rng.permutation(items) for _ in range(size)])
    return some_people(
        rng,
        size,
        {"orders": orders, "sizes": rng.integers(1, items + 1, size)},
        weighs=weighs,
    )


def battles(given: Arrays) -> Battles:
    left = given["left"]
    said = np.array(["left", "tie", "right"])[given["said"]]
    return Battles(
        left, (left + given["further"]) % given["items"][0], said, **people_of(given)
    )


def some_battles(rng: np.random.Generator, *, weighs: bool) -> Arrays:
    size, items = int(rng.integers(2, 12)), int(rng.integers(2, 5))
    given = {
        "left": rng.integers(0, items, size),
        "further": rng.integers(1, items, size),
    }
    given |= {"said": rng.integers(0, 3, size), "items": np.full(size, items)}
    return some_people(rng, size, given, weighs=weighs)


def changed(rng: np.random.Generator, given: Arrays) -> Arrays:
    """Copy something of one row to another, or swap two places of a row: what was valid stays so."""
    found = {name: array.copy() for name, array in given.items()}
    name = str(rng.choice([name for name in found if name != "items"]))
    array = found[name]
    one, other = rng.integers(len(array), size=2)
    if array.ndim == 2 and rng.random() < 0.6:
        places = rng.integers(array.shape[1], size=2)
        array[one, places] = array[one, places[::-1]]
    elif name == "values":
        column = rng.integers(array.shape[1])
        array[one, column] = rng.choice([0.0, 1.0, array[other, column]])
    elif name == "said":
        array[one] = rng.integers(3)
    else:
        array[one] = (
            array[other][::-1]
            if array.ndim == 2 and rng.random() < 0.5
            else array[other]
        )
    return found


def share_of_bound(scorer, make, given: Arrays) -> float:
    try:
        data = scorer.prepared(make(given))
        shift, proved = (
            scorer.leave_one_out(data).shifts().max(),
            scorer.sensitivity(data),
        )
    except SteadyrankError:
        return 0.0
    return float(shift / proved.eps) if proved is not None and proved.eps else 0.0


MIDDLE = [
    Median((0, 1)),
    *(TrimmedMean(share, (0, 1)) for share in (0.1, 0.25, 0.3, 0.4, 0.49)),
]
ATTACKED = [(scorer, table, some_table, True) for scorer in (MeanRank(), MeanWinRate())]
ATTACKED += [(scorer, table, some_table, False) for scorer in MIDDLE]
ATTACKED += [(Condorcet(), ballots, some_ballots, True)]
ATTACKED += [
    (scorer, battles, some_battles, True) for scorer in (Condorcet(), WinRate())
]
ATTACKED += [(Elo(k=k), battles, some_battles, False) for k in (32.0, 300.0, LARGEST_K)]


@pytest.mark.parametrize(
    ("scorer", "make", "some", "weighs"),
    ATTACKED,
    ids=[f"{scorer.name}, {make.__name__}" for scorer, make, *_ in ATTACKED],
)
def test_no_climb_ends_beyond_what_is_proved(
    scorer, make, some, weighs: bool, cases: Cases
) -> None:
    nearest = 0.0
    for rng in cases(3):
        given = some(rng, weighs=weighs)
        reached = share_of_bound(scorer, make, given)
        for _ in range(STEPS):
            other = changed(rng, given)
            found = share_of_bound(scorer, make, other)
            if found >= reached:
                given, reached = other, found
        assert reached <= 1 + 1e-12, (
            given
        )  # a shift is a float, and may be off by its last digits
        nearest = max(nearest, reached)
    assert nearest > 0.3, nearest

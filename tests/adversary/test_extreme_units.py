"""Scores of tables, ballots and battles without each unit, at extremes, against rational numbers.

Values of any size in one column, gaps, weights of 0, groups, and units that hold all of an item's data.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from oracles.counting_again import mean_rank, mean_win_rate, without_ends
from oracles.refitting import all_rows
from oracles.weighing import Person
from steadyrank import (
    Battles,
    BradleyTerry,
    MeanRank,
    MeanWinRate,
    Median,
    ScoreMatrix,
    SteadyrankError,
    TrimmedMean,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]

SIZES = [
    0.0,
    1.0,
    -1.0,
    0.125,
    1e119,
    -1e119,
    1e-300,
    3e-308,
    1e16,
    1e16 + 2,
    1 / 3,
    7e7,
]


def cut_of(share: float | None) -> Callable[[int], int]:
    return lambda number: (
        (number - 1) // 2 if share is None else int(Fraction(str(share)) * number)
    )


SCORERS = [(MeanRank(), mean_rank, True), (MeanWinRate(), mean_win_rate, True)]
SCORERS += [(Median(), without_ends(cut_of(None)), False)]
SCORERS += [
    (TrimmedMean(s), without_ends(cut_of(s)), False) for s in (0.0, 0.2, 0.34, 0.49)
]


@pytest.mark.parametrize(
    ("scorer", "twin", "weighs"), SCORERS, ids=lambda one: getattr(one, "name", "")
)
def test_tables(scorer, twin, weighs: bool, cases: Cases) -> None:
    whole = 0
    for rng in cases(10):
        rows, items = int(rng.integers(2, 9)), int(rng.integers(1, 5))
        values = rng.choice(rng.choice(SIZES, 4), size=(rows, items))
        values[rng.random(values.shape) < rng.choice([0.0, 0.3])] = np.nan
        groups = rng.choice(["x", "y", "z"], rows) if rng.random() < 0.4 else None
        weights = (
            rng.choice([0, 1, 2.5, 1000], rows)
            if weighs and rng.random() < 0.4
            else None
        )
        keys = list(range(rows)) if groups is None else groups.tolist()
        people = [
            (
                key,
                Person(
                    [None if np.isnan(v) else Fraction(float(v)) for v in row],
                    str(weight),
                ),
            )
            for key, row, weight in zip(
                keys, values, [1] * rows if weights is None else weights, strict=True
            )
        ]
        there = [key for key, one in people if one.says != [None] * items and one.share]
        labels = sorted(set(there))  # others are no rows
        exact = [
            twin(items, [one for key, one in people if key != gone]) for gone in labels
        ]
        try:
            data = ScoreMatrix(
                values, missing="available", units=groups, weights=weights
            )
            out = scorer.leave_one_out(data)
        except SteadyrankError as error:
            lacking = (
                None in exact
                or len(labels) < 2
                or None in (twin(items, [p for _, p in people]) or [None])
            )
            assert lacking or "to be added up exactly" in str(error)  # noqa: PT017
            continue
        assert None not in exact
        whole += 1
        found = {
            str(label): row
            for label, row in zip(out.units.labels, all_rows(out), strict=True)
        }
        for place, label in enumerate(labels):
            for item, score in enumerate(found[str(label)].tolist()):
                # What exact sums drop of the largest value of a column, and the last bit.
                largest = max(abs(one.says[item] or 0) for _, one in people) * (
                    not weighs
                )
                true = exact[place][item]
                if true is None:  # no data, so below all that others have
                    assert score == found[str(label)].min()
                    continue
                least = max(abs(true) / 2**52, Fraction(1, 2**1073))
                assert abs(Fraction(score) - true) <= rows**2 * largest / 2**100 + least
    assert whole


@pytest.mark.parametrize("heavy", [1e5, 1e9, 1e10])
def test_a_unit_of_great_weight_leaves_nothing_behind(heavy: float) -> None:
    """Without the first, y lost to x and to z by 0.1 twice, and the two are mirror images: a tie."""
    sides = [*"xxxzzyyyy"], [*"yyyyyxxzz"]
    weights = [heavy, 0.1, 0.1, 0.1, 0.1, 1, 1, 1, 1]
    data = Battles(
        *sides, ["left"] * 9, weights=weights, units=[*"abcdefghi"], items=[*"xyz"]
    )
    for scorer in (BradleyTerry(), BradleyTerry(ridge=0.1)):
        row = all_rows(scorer.leave_one_out(data))[0]
        assert row[0] == row[2]
        assert row.tolist() == pytest.approx(
            scorer.score(data.without(0)).tolist(), abs=1e-12
        )

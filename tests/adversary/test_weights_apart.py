"""Bradley-Terry with weights up to 10^11 apart, against strengths to thirty digits.

Two copies of a league, dealt in any order, have symmetric records: on all the data, items are equal in
pairs, and none may come out ahead by rounding. Without a unit most are not equal any more.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from oracles.decimals import decimal_strengths
from oracles.refitting import all_rows
from steadyrank import Battles, BradleyTerry
from steadyrank.errors import SteadyrankError, UndefinedScoresError
from steadyrank.scorers.bradley_terry import fit
from steadyrank.scorers.bradley_terry.fit import in_two

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]

WIDTH, EQUAL = Decimal("1e-9"), Decimal("1e-25")


def twice_a_league(
    rng: np.random.Generator,
) -> tuple[int, list[tuple[int, int, float, int]]]:
    """Return rows of winner, loser, weight and judge; every row has its mirror image."""
    half, large = int(rng.integers(2, 4)), 10.0 ** int(rng.integers(7, 12))
    weights = [1.0, 2.0, 3.0, large, 3 * large, *([0.1, 0.3] if large < 1e9 else [])]
    rows = []
    for one, other in [(i, j) for i in range(half) for j in range(half)]:
        weight = float(rng.choice(weights))
        for _ in range(int(rng.integers(1, 3)) if one != other else 0):
            rows += [(one, other, weight), (one + half, other + half, weight)]
        if rng.random() < 0.4:
            weight = float(rng.choice(weights))
            rows += [(one, other + half, weight), (other + half, one, weight)]
            rows += [(one + half, other, weight), (other, one + half, weight)]
    place = rng.permutation(2 * half).tolist()
    judges = rng.integers(4, size=len(rows)).tolist()
    dealt = [
        (place[a], place[b], w, judge)
        for (a, b, w), judge in zip(rows, judges, strict=True)
    ]
    return 2 * half, [dealt[row] for row in rng.permutation(len(dealt))]


def exact(
    items: int, rows: list[tuple[int, int, float, int]], ridge: float
) -> list[Decimal]:
    wins = np.zeros((items, items), dtype=object)
    for winner, loser, weight, _ in rows:
        wins[winner, loser] += Decimal(str(weight))
    return decimal_strengths(wins.astype(np.float64), ridge)


def check(found: np.ndarray, strengths: list[Decimal]) -> int:
    """Compare scores with what they are: those linked by less than the resolution are one."""
    off = [
        abs(Decimal(float(score)) - true)
        for score, true in zip(found, strengths, strict=True)
    ]
    assert max(off) <= WIDTH * len(found)
    order = sorted(range(len(found)), key=lambda item: -strengths[item])
    for above, below in pairwise(order):
        gap = strengths[above] - strengths[below]
        if abs(gap - WIDTH) > WIDTH / 100:
            assert (found[above] == found[below]) == (gap < WIDTH)
            assert found[above] >= found[below]
    return sum(strengths[a] - strengths[b] < EQUAL for a, b in pairwise(order))


@pytest.mark.parametrize("solved", ["few", "many", "thin"])
def test_equal_records_have_equal_strengths_however_far_weights_are_apart(
    solved: str, cases: Cases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whichever way the equations are solved: those of few items, of many, and of thin graphs."""
    if solved == "many":
        monkeypatch.setattr(fit, "MANY", 1)
    if solved == "thin":
        monkeypatch.setattr(fit, "THIN", 0)
    equal = rows_compared = 0
    refused: list[str] = []
    for rng in cases(14):
        (items, rows), ridge = twice_a_league(rng), float(rng.choice([0.0, 0.0, 0.5]))
        winner, loser, weights, judges = zip(*rows, strict=True)
        grouped = rng.random() < 0.4
        people = {"weights": weights, "units": judges if grouped else None}
        data = Battles(
            winner, loser, ["left"] * len(rows), items=range(items), **people
        )
        scorer = BradleyTerry(ridge)
        try:
            found = all_rows(scorer.leave_one_out(data))
        except UndefinedScoresError:
            continue
        except (
            SteadyrankError
        ) as error:  # one battle in 10^10 says all that there is to say
            refused.append(str(error))
            continue
        equal += check(scorer.score(data), exact(items, rows, ridge))
        labels = list(data.units.labels) if grouped else []
        unit = (
            [labels.index(judge) for judge in judges]
            if grouped
            else data._distinct[1].tolist()
        )
        for number in rng.permutation(len(found))[:4].tolist():
            mine = [
                row for row, owner in zip(rows, unit, strict=True) if owner == number
            ]
            gone = mine if grouped else mine[:1]
            left = list(rows)
            for row in gone:
                left.remove(row)
            check(found[number], exact(items, left, ridge))
            rows_compared += 1
    assert equal > 14
    assert rows_compared > 25
    assert len(refused) * 50 <= rows_compared
    assert all("lost in rounding" in told for told in refused)


def test_numbers_in_two_parts_add_up_without_rounding(cases: Cases) -> None:
    for rng in cases(100):
        size = int(rng.integers(1, 40))
        values = rng.normal(size=size) * 10.0 ** rng.integers(-3, 13, size=size)
        values = np.concatenate([values, -rng.permutation(values)])
        leading, rest = in_two(values, len(values))
        assert (leading + rest == values).all()
        assert (
            abs(leading.sum() + rest.sum())
            <= len(values) ** 2 * 1e-30 * np.abs(values).max()
        )
        assert sum(map(Fraction, leading.tolist())) == Fraction(leading.sum().item())

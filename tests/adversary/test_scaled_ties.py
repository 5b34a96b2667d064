"""Values on one scale: exact ties stay ties, and the unit of a row changes nothing."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from oracles.scaled import means, order, scaled, sign
from steadyrank import ScoreMatrix, Study

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]

HOW = pytest.mark.parametrize("how", ["z", "range"])


def drawn(rng: np.random.Generator, *, gaps: bool) -> list[list[Fraction | None]]:
    """Hundredths that nearly cancel: few differences, in both directions."""
    items, rows = int(rng.integers(2, 5)), int(rng.integers(3, 8))
    steps = rng.integers(1, 9, size=3)
    found: list[list[Fraction | None]] = []
    for _ in range(rows):
        start, step = int(rng.integers(10, 80)), int(rng.choice(steps))
        values = start + step * rng.integers(0, 3, size=items)
        found.append([Fraction(int(value), 100) for value in values])
    if gaps:
        for row in found[2:]:
            if rng.random() < 0.4:
                row[int(rng.integers(items))] = None
    return found


def read(
    rows: list[list[Fraction | None]], how: str, units: list[int] | None = None
) -> Study:
    times = [1] * len(rows) if units is None else units
    cells = [
        [None if v is None else float(v * by) for v in row]
        for row, by in zip(rows, times, strict=True)
    ]
    frame: dict[str, Any] = {"task": [f"t{n}" for n in range(len(rows))]}
    frame |= {
        f"m{n}": list(column) for n, column in enumerate(zip(*cells, strict=True))
    }
    settings = {"standardise": how, "missing": "available", "lower_is_better": False}
    return Study(ScoreMatrix.from_frame(frame, **settings))


def told(rows: list[list[Fraction | None]], how: str) -> list[Any]:
    return [scaled(row, how) for row in rows]


@HOW
@pytest.mark.parametrize("gaps", [False, True])
def test_every_deletion_is_judged_rightly(how: str, gaps: bool, cases: Cases) -> None:
    ties = 0
    for rng in cases(25):
        rows = drawn(rng, gaps=gaps)
        exact, study = told(rows, how), read(rows, how)
        scores = means(exact)
        without = [means([*exact[:n], *exact[n + 1 :]]) for n in range(len(rows))]
        ties += any(
            not sign(a, b) for each in without for a, b in combinations(each, 2)
        )
        assert [int(i) for i in np.argsort(-study.scores, kind="stable")] == order(
            scores
        )
        for i, j in combinations(range(len(scores)), 2):
            assert np.sign(study.scores[i] - study.scores[j]) == sign(
                scores[i], scores[j]
            )
        k = int(rng.integers(1, len(scores)))
        plain = set(order(scores)[:k])
        changed = [n for n, each in enumerate(without) if set(order(each)[:k]) != plain]
        assert sorted(flip.number for flip in study.flips(k).plain) == changed
        answer = study.topk(k)
        often = [
            sum(item in order(each)[:k] for each in without)
            for item in range(len(scores))
        ]
        assert {study.items.index(item) for item in answer.sure} == {
            item for item in plain if often[item] == len(rows)
        }
    assert ties > 3


@HOW
@pytest.mark.parametrize("gaps", [False, True])
def test_the_unit_of_a_row_changes_nothing(how: str, gaps: bool, cases: Cases) -> None:
    for rng in cases(8):
        rows = drawn(rng, gaps=gaps)
        units = rng.choice([1, 10, 100, 7], size=len(rows)).tolist()
        one, other = read(rows, how), read(rows, how, units)
        k = int(rng.integers(1, len(rows[0])))
        assert one.topk(k).findings() == other.topk(k).findings()
        assert one.margin(k).findings() == other.margin(k).findings()
        assert one.explain(k).findings() == other.explain(k).findings()
        assert one.ranking().findings() == other.ranking().findings()
        for scorer in (
            "median",
            "trimmed-mean:share=0.25",
            "mean-rank",
            "mean-win-rate",
        ):
            found = [
                Study(study.data, scorer).topk(k).findings() for study in (one, other)
            ]
            assert found[0] == found[1]


@HOW
def test_margins_are_sound(how: str, cases: Cases) -> None:
    for rng in cases(15):
        rows = drawn(rng, gaps=False)
        exact, study = told(rows, how), read(rows, how)
        k = int(rng.integers(1, len(rows[0])))
        plain, found = set(order(means(exact))[:k]), study.margin(k)
        for number in range(1, found.upper or len(rows)):
            turned = any(
                set(
                    order(means([row for n, row in enumerate(exact) if n not in gone]))[
                        :k
                    ]
                )
                != plain
                for gone in combinations(range(len(rows)), number)
            )
            assert not turned or found.lower <= number


def test_the_file_of_the_report() -> None:
    rows = [[26, 19], [61, 54], [43, 40], [23, 26], [87, 94]]
    shares = [[Fraction(value, 100) for value in row] for row in rows]
    for how in ("z", "range"):
        one, percent = read(shares, how), read(shares, how, [100] * 5)
        assert one.check(1).stable
        assert one.check(1).findings() == percent.check(1).findings()

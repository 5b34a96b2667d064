"""Mean ranks, win rates, medians and trimmed means against rational numbers, counted again."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from oracles.counting_again import compare, mean_rank, mean_win_rate, without_ends
from oracles.refitting import all_rows
from oracles.weighing import WAYS, Case, Person, a_case
from steadyrank import (
    MeanRank,
    MeanWinRate,
    Median,
    ScoreMatrix,
    SteadyrankError,
    Study,
    TrimmedMean,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]

SHARES = (0.0, 0.1, 0.2, 0.25, 0.29, 0.3, 0.4, 0.49)


def rows_of(
    rng: np.random.Generator, *, weighted: bool = False, grouped: bool = False
) -> Case:
    """Rows on a coarse grid, half of the cases with gaps, from 2 rows and 1 item on."""
    sizes = {"people": int(rng.integers(2, 10)), "items": int(rng.integers(1, 6))}
    case = a_case(rng, "scores", weighted=weighted, grouped=grouped, **sizes)
    if rng.random() < 0.5:
        full = [
            Person(
                [Fraction(value or 0) for value in person.says],
                person.weight,
                person.group,
            )
            for person in case.people
        ]
        case = Case("scores", None, case.items, full, weighted, grouped)
    return case


@WAYS
@pytest.mark.parametrize(
    ("scorer", "twin"),
    [(MeanRank(), mean_rank), (MeanWinRate(), mean_win_rate)],
    ids=["rank", "rate"],
)
def test_points_within_rows(
    scorer, twin, weighted: bool, grouped: bool, cases: Cases
) -> None:
    whole = 0
    for rng in cases(20):
        case = rows_of(rng, weighted=weighted, grouped=grouped)
        if case.people:
            whole += compare(case, scorer, twin, rng)
    assert whole > 5


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("share", [*SHARES, None])
def test_values_in_the_middle(share: float | None, grouped: bool, cases: Cases) -> None:
    def cut(values: int) -> int:
        return (
            (values - 1) // 2 if share is None else int(Fraction(str(share)) * values)
        )

    scorer = Median() if share is None else TrimmedMean(share)
    whole = 0
    for rng in cases(10):
        case = rows_of(rng, grouped=grouped)
        if case.people:
            whole += compare(case, scorer, without_ends(cut), rng)
    assert whole > 0


@pytest.mark.parametrize(
    "scorer", [Median(), TrimmedMean(0.2), MeanRank(), MeanWinRate()]
)
def test_any_floats(scorer, cases: Cases) -> None:
    for rng in cases(12):
        values = rng.normal(
            size=(rng.integers(2, 12), rng.integers(2, 6))
        ) * 10.0 ** rng.integers(-9, 9)
        data = ScoreMatrix(values)
        rows = all_rows(scorer.leave_one_out(data))
        for row, without in enumerate(rows):
            again = scorer.score(ScoreMatrix(np.delete(values, row, axis=0)))
            np.testing.assert_allclose(
                without, again, rtol=1e-13, atol=1e-14 * np.abs(values).max()
            )
        if isinstance(scorer, Median):
            np.testing.assert_allclose(
                scorer.score(data), np.median(values, axis=0), rtol=1e-15
            )


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("kind", ["median", "trimmed", "rank", "rate"])
def test_no_unit_moves_scores_further_than_proved(
    kind: str, grouped: bool, cases: Cases
) -> None:
    """Values at the ends of the range, which move most, and in between."""
    reached = 0.0
    for rng in cases(40):
        case = rows_of(rng, grouped=grouped)
        if rng.random() < 0.7:
            sharp = [
                [
                    None if value is None else Fraction(round(value))
                    for value in person.says
                ]
                for person in case.people
            ]
            people = [
                Person(row, "1", person.group)
                for row, person in zip(sharp, case.people, strict=True)
            ]
            case = Case("scores", None, case.items, people, False, grouped)
        scorer = {
            "median": Median((0, 1)),
            "trimmed": TrimmedMean(float(rng.choice(SHARES)), (0, 1)),
            "rank": MeanRank(),
            "rate": MeanWinRate(),
        }[kind]
        try:
            study = Study(case.data(), scorer)
            shifts, proved = study.facts.shifts, scorer.sensitivity(study.data)
        except SteadyrankError:
            continue  # nobody left
        if proved is None:  # an item loses all that it has with one unit
            continue
        assert shifts.max() <= proved.eps
        reached = max(reached, shifts.max() / proved.eps if proved.eps else 0.0)
    assert reached > 0.7


def test_margins_of_ranks_are_exact(cases: Cases) -> None:
    """The fewest rows whose removal changes the best item, by trying all sets of rows."""
    from itertools import combinations

    for rng in cases(15):
        values = rng.integers(0, 4, size=(rng.integers(3, 7), 3)).astype(float)
        scorer = (MeanRank(), MeanWinRate())[int(rng.integers(2))]
        study = Study(ScoreMatrix(values), scorer)
        best = int(np.argmax(study.scores))

        def changes(gone, values=values, scorer=scorer, best=best) -> bool:
            rest = ScoreMatrix(np.delete(values, gone, axis=0))
            return int(np.argmax(scorer.score(rest))) != best

        rows = range(len(values))
        fewest = next(
            (
                size
                for size in range(1, len(values))
                if any(map(changes, combinations(rows, size)))
            ),
            None,
        )
        found = study.margin(1)
        assert (found.upper if found.upper is not None else None) == fewest
        if fewest is not None:
            assert found.lower == fewest

"""Units that are added or that change: every unit that could be, tried on small data, says the same."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from steadyrank import (
    Approval,
    Ballots,
    Battles,
    BradleyTerry,
    ColumnMeans,
    MeanRating,
    Ratings,
    Refit,
    ScoreMatrix,
    SteadyrankError,
    Study,
    Votes,
    margin,
    topk,
)
from steadyrank.errors import InvalidSettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]
    Made = tuple[Study, list[Any]]

ITEMS = range(3)
MOST = 2
"""So many units are added or changed by trying them all."""


def votes(rng: np.random.Generator) -> Made:
    return Study(Votes(rng.integers(0, 3, 5), items=ITEMS)), list(ITEMS)


def ballots(rng: np.random.Generator) -> Made:
    orders = [rng.permutation(3)[: rng.integers(1, 4)].tolist() for _ in range(4)]
    possible = [
        list(order) for size in (1, 2, 3) for order in permutations(ITEMS, size)
    ]
    return Study(Ballots(orders, items=ITEMS)), possible


def approval(rng: np.random.Generator) -> Made:
    approved = [np.flatnonzero(rng.random(3) < 0.5).tolist() for _ in range(5)]
    possible = [
        list(some) for size in (0, 1, 2, 3) for some in combinations(ITEMS, size)
    ]
    data = Ballots(approved, items=ITEMS, approval=True)
    return Study(data, Approval() if rng.random() < 0.5 else None), possible


def matrix(rng: np.random.Generator) -> Made:
    values = rng.integers(0, 3, (4, 3)).astype(float)
    return Study(ScoreMatrix(values), ColumnMeans((0, 2))), list(
        product((0.0, 2.0), repeat=3)
    )


def ratings(rng: np.random.Generator) -> Made:
    """Ranges above and below 0: shrinkage may hold scores outside of them."""
    low = int(rng.choice([-4, -1, 1]))
    users, items = np.nonzero(rng.random((5, 3)) < 0.7)
    given = rng.integers(low, low + 3, len(users))
    data = Ratings(users, items, given, items=ITEMS)
    possible = [
        {item: value for item, value in enumerate(row) if value is not None}
        for row in product((None, low, low + 2), repeat=3)
    ]
    return Study(data, MeanRating(1.0, (low, low + 2))), [
        unit for unit in possible if unit
    ]


def battles(rng: np.random.Generator) -> Made:
    left = rng.integers(0, 3, 6)
    right = (left + rng.integers(1, 3, 6)) % 3
    data = Battles(left, right, rng.choice(["left", "right", "tie"], 6), items=ITEMS)
    return Study(data, BradleyTerry(0.5)), list(permutations(ITEMS, 2))


def attempts(
    study: Study, possible: list[Any], by: str
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield how many units came or changed, and the scores then: all ways, the smallest first."""
    present = np.repeat(np.arange(len(study.units)), study.units.counts).tolist()
    for number in range(1, MOST + 1):
        groups = sorted(set(combinations(present, number))) if by == "change" else [()]
        for gone in groups:
            copies = study.units.counts - np.bincount(
                gone, minlength=len(study.units)
            ).astype(int)
            for units in combinations_with_replacement(possible, number):
                data = study.data.with_copies(copies)
                for unit in units:
                    data = data.with_added(unit)
                try:
                    yield number, study.scorer.score(data)
                except SteadyrankError:
                    continue


def made(
    make: Callable[[np.random.Generator], Made], rng: np.random.Generator
) -> Made | None:
    try:
        study, possible = make(rng)
        _ = study.facts.leave_one_out
    except SteadyrankError:
        return None
    return study, possible


EXACT = [
    (votes, "add"), (votes, "change"), (ballots, "add"), (ballots, "change"), (approval, "add"),
    (approval, "change"), (matrix, "add"), (matrix, "change"), (ratings, "add"),
]  # fmt: skip
BOUNDED = [(battles, "add"), (battles, "change")]


@pytest.mark.parametrize(("make", "by"), [*EXACT, *BOUNDED])
def test_every_unit_that_could_come(
    make: Callable[[np.random.Generator], Made], by: str, cases: Cases
) -> None:
    for rng in cases(3):
        found = made(make, rng)
        if found is None:
            continue
        study, possible = found
        tried = list(attempts(study, possible, by))
        most = max(number for number, _ in tried)
        for k in (1, 2):
            before = set(topk(study.scores, k).tolist())
            truth = next(
                (
                    number
                    for number, scores in tried
                    if set(topk(scores, k).tolist()) != before
                ),
                None,
            )
            answer = study.margin(k, by=by)
            if truth is None:
                assert answer.upper is None or answer.upper > most
            elif (make, by) in EXACT:
                assert (answer.lower, answer.upper) == (truth, truth)
            else:
                assert answer.lower <= truth <= (answer.upper or truth)
            for item in ITEMS:
                was = item in before
                truth = next(
                    (n for n, scores in tried if (item in topk(scores, k)) != was), None
                )
                answer = study.margin(k, item=item, by=by)
                assert answer.lower <= (truth or most + 1) or answer.lower > most
                assert truth is None or answer.lower <= truth
                assert truth is None or answer.upper is None or answer.upper >= truth


@pytest.mark.parametrize(("make", "by"), [*EXACT, *BOUNDED])
def test_what_is_added_does_what_it_says(
    make: Callable[[np.random.Generator], Made], by: str, cases: Cases
) -> None:
    for rng in cases(8):
        found = made(make, rng)
        if found is None:
            continue
        study, _ = found
        for k in (1, 2):
            answer = study.margin(k, by=by)
            if answer.upper is None:
                continue
            assert len(answer.units) == (answer.upper if by == "change" else 0)
            copies = study.units.counts - np.bincount(
                answer.units, minlength=len(study.units)
            ).astype(int)
            data = study.data.with_copies(copies).with_added(answer.added, answer.upper)
            assert data.n_units == study.data.n_units + (
                answer.upper if by == "add" else 0
            )
            before, after = (
                set(topk(part, k).tolist())
                for part in (study.scores, study.scorer.score(data))
            )
            assert (before - after, after - before) == (
                set(answer.leaves),
                set(answer.enters),
            )
            assert after != before


def test_where_nothing_bounds_a_unit() -> None:
    rows = ScoreMatrix([[1.0, 2.0], [3.0, 1.0], [2.0, 2.0]])
    with pytest.raises(InvalidSettingError, match=r"the values that.*value_range"):
        margin(rows, 1, by="add")
    grouped = ScoreMatrix([[1.0, 2.0], [3.0, 1.0], [2.0, 2.0]], units=["a", "a", "b"])
    with pytest.raises(InvalidSettingError, match="any number of rows"):
        margin(grouped, 1, by="change", scorer=ColumnMeans((0, 3)))
    battles = Battles(
        list("xyxz"), list("yzzx"), ["left", "left", "tie", "left"], units=[1, 2, 2, 1]
    )
    with pytest.raises(InvalidSettingError, match=r"Ask about removals\.$"):
        margin(battles, 1, by="change", scorer="win-rate")  # and none are added, either
    with pytest.raises(InvalidSettingError, match="nothing bounds what a unit"):
        margin(
            rows, 1, by="add", scorer=Refit(lambda data: np.median(data.values, axis=0))
        )
    judged = Battles(list("aab"), list("bcc"), ["left"] * 3, units=[1, 1, 2])
    with pytest.raises(InvalidSettingError, match="any number of battles"):
        margin(judged, 1, by="add", scorer=BradleyTerry(1.0))
    with pytest.raises(SteadyrankError, match=r"by must be.*'remove'.*'stuff'"):
        margin(rows, 1, by="stuff")

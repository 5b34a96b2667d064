"""What units contribute to a border: coalitions, refits and raw columns of small data say the same."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from adversary.test_margins import (
    BOUNDED,
    Subsets,
    ballots,
    full_ratings,
    gaps,
    made,
    matrix,
    votes,
)
from steadyrank import Mean, ScoreMatrix, SteadyrankError, Study, Votes
from steadyrank.report.export import to_csv
from steadyrank.report.text import plain_text
from steadyrank.study.explanation import RIVALS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from steadyrank import Explanation

    Cases = Callable[[int], Iterator[np.random.Generator]]
    Make = Callable[[np.random.Generator], Study]

ADDITIVE = [votes, ballots, matrix, full_ratings]


def some(make: Make, rng: np.random.Generator) -> tuple[Study, int] | None:
    """Return a study with a border, and its k."""
    study = made(make, rng)
    if study is None or len(study.items) < 2:
        return None
    return study, int(rng.integers(1, len(study.items)))


def order_of(study: Study) -> list[int]:
    return sorted(range(len(study.items)), key=lambda item: (-study.scores[item], item))


def gap_of(study: Study, copies: np.ndarray, one: int, other: int) -> float:
    scores = study.scorer.score(study.data.with_copies(copies))
    return float(scores[one] - scores[other])


def weight(study: Study, copies: np.ndarray) -> float:
    """What scores are divided by: units, or rows where units are groups of them."""
    if isinstance(study.data, ScoreMatrix):
        return len(study.data.with_copies(copies).values)
    shrinkage = study.scorer.shrinkage if isinstance(study.scorer, Mean) else 0.0
    return shrinkage + float(copies.sum())


def shapley(study: Study, one: int, other: int) -> list[float]:
    """The mean over all orders of the distinct units of what each adds, one copy of each unit."""
    distinct = len(study.units)

    def value(inside: frozenset[int]) -> float:
        if not inside:
            return 0.0
        copies = np.array([int(unit in inside) for unit in range(distinct)])
        return weight(study, copies) * gap_of(study, copies, one, other)

    known: dict[frozenset[int], float] = {}
    added = [0.0] * distinct
    for order in permutations(range(distinct)):
        before: frozenset[int] = frozenset()
        for unit in order:
            after = before | {unit}
            for part in (before, after):
                if part not in known:
                    known[part] = value(part)
            added[unit] += known[after] - known[before]
            before = after
    return [sum_ / math.factorial(distinct) for sum_ in added]


@pytest.mark.parametrize("make", ADDITIVE)
def test_contributions_are_shapley_values(make: Make, cases: Cases) -> None:
    for rng in cases(6):
        found = some(make, rng)
        if found is None:
            continue
        study, k = found
        if len(study.units) > 6:  # fewer orders: some of the units, all else unchanged
            copies = np.array(study.units.counts)
            copies[6:] = 0
            study = Study(study.data.with_copies(copies), study.scorer)
        told = study.explain(k)
        one, other = order_of(study)[k - 1 : k + 1]
        everybody = weight(study, study.units.counts)
        assert told.additive
        assert told.contributions * everybody == pytest.approx(
            shapley(study, one, other), abs=1e-9
        )


@pytest.mark.parametrize("make", ADDITIVE)
def test_contributions_add_up_to_the_gap(make: Make, cases: Cases) -> None:
    for rng in cases(20):
        found = some(make, rng)
        if found is None:
            continue
        study, k = found
        for item in study.items:
            told = study.explain(k, item)
            # All points and values are quarters (tenths of shrinkage cancel): exact in fractions.
            parts = Fraction(weight(study, study.units.counts)).limit_denominator(10)
            given = [
                round(Fraction(value) * parts * 8)
                for value in told.contributions.tolist()
            ]
            total = sum(
                number * value
                for number, value in zip(
                    study.units.counts.tolist(), given, strict=True
                )
            )
            assert total == round(Fraction(told.gap) * parts * 8)


@pytest.mark.parametrize("make", [*ADDITIVE, *BOUNDED])
def test_gaps_without_units_are_those_of_scoring_anew(make: Make, cases: Cases) -> None:
    for rng in cases(8):
        found = some(make, rng)
        if found is None:
            continue
        study, k = found
        told = study.explain(k, study.items[int(rng.integers(len(study.items)))])
        one, other = (
            study.items.index(item) for item in (told.item, told.rivals[0].item)
        )
        assert told.gap == study.scores[one] - study.scores[other]
        for unit in range(len(study.units)):
            scores = study.scorer.score(study.data.without(unit))
            gap = scores[one] - scores[other]
            assert told.gaps_without[unit] == pytest.approx(gap, abs=1e-8)
            if not told.additive:
                assert told.contributions[unit] == pytest.approx(
                    told.gap - gap, abs=1e-8
                )


@pytest.mark.parametrize("make", [votes, ballots, gaps])
def test_rivals_are_the_nearest_across_the_border(make: Make, cases: Cases) -> None:
    for rng in cases(3):
        found = some(make, rng)
        if found is None:
            continue
        study, k = found
        order, subsets = order_of(study), Subsets(study)
        for rank, item in enumerate(order, start=1):
            told = study.explain(k, study.items[item])
            outside = order[k : k + RIVALS]
            expected = outside if rank <= k else list(reversed(order[:k]))[:RIVALS]
            assert [rival.item for rival in told.rivals] == [
                study.items[other] for other in expected
            ]
            assert (told.rank, told.inside) == (rank, rank <= k)
            for rival, other in zip(told.rivals, expected, strict=True):
                ahead, behind = (item, other) if rank <= k else (other, item)
                fewest = subsets.fewest(
                    lambda scores, pair=(ahead, behind): (
                        (-scores[pair[1]], pair[1]) < (-scores[pair[0]], pair[0])
                    )
                )
                assert rival.rank == order.index(other) + 1
                assert rival.gap == study.scores[item] - study.scores[other]
                assert rival.margin.lower <= (fewest or study.units.total)
                assert (
                    rival.margin.upper is None
                    or fewest is None
                    or rival.margin.upper >= fewest
                )
                assert not rival.margin.exact or fewest in {rival.margin.upper, None}


def sides(told: Explanation) -> tuple[int, int]:
    """Count the units for and against: by scoring each alone, or the data without it."""
    study = told.study
    one, other = (study.items.index(item) for item in (told.item, told.rivals[0].item))
    ours = theirs = 0
    for unit, count in enumerate(study.units.counts.tolist()):
        if told.additive:
            alone = np.zeros(len(study.units), dtype=int)
            alone[unit] = 1
            change = gap_of(study, alone, one, other)
        else:
            scores = study.scorer.score(study.data.without(unit))
            change = told.gap - (scores[one] - scores[other])
        ours += count * (change > 1e-9)
        theirs += count * (change < -1e-9)
    return ours, theirs


@pytest.mark.parametrize("make", [*ADDITIVE, *BOUNDED[1:]])
def test_every_number_in_the_words_is_true(make: Make, cases: Cases) -> None:
    for rng in cases(6):
        found = some(make, rng)
        if found is None:
            continue
        study, k = found
        order = order_of(study)
        item = int(rng.integers(len(order)))
        told = study.explain(k, study.items[item])
        rank = order.index(item) + 1
        other = order[k] if rank <= k else order[k - 1]
        gap = study.scores[item] - study.scores[other]
        lead = (
            f"is {abs(gap):.4g} {'ahead of' if gap > 0 else 'behind'}"
            if gap
            else "is level with"
        )
        name, rival = repr(study.items[item]), repr(study.items[other])
        place = "the first outside" if rank <= k else "the last in"
        ours, theirs = map(int, sides(told))
        start = (
            f"{name} has rank {rank} and {lead} {rival}, {place} the top {k}. Of the "
        )
        assert told.sentence.startswith(f"{start}{study.units.total} ")
        assert f", {ours} favour{'s' * (ours == 1)} {name} and " in told.sentence
        what = (
            "their contributions (Shapley"
            if told.additive
            else "a contribution is the difference now"
        )
        assert (
            f" and {theirs} favour{'s' * (theirs == 1)} {rival}; {what}"
            in told.sentence
        )
        document = told.findings()
        assert (document["units_for"], document["units_against"]) == (ours, theirs)
        shown = plain_text(document)
        assert told.sentence in shown.replace("\n", " ")
        lines = [
            list(map(float, re.findall(r" (-?[\d.]+(?:e[-+]\d+)?)(?= |$)", line)))
            for line in shown.split("\n")
        ]
        for row in document["rows"][:3]:
            numbers = pytest.approx(
                [row["contribution"], row["gap_without"]], rel=1e-2, abs=6e-5
            )
            assert any(
                numbers in (line[n : n + 2] for n in range(len(line))) for line in lines
            )


def test_the_largest_come_first_and_nothing_is_left_out() -> None:
    told = Study(Votes(["a"] * 4 + ["b"] * 3 + ["c"])).explain(1, "b")
    frame = told.to_frame("pandas")
    assert frame["contribution"].tolist() == [0.125, -0.125]
    rows = [(row["unit"], row["count"]) for row in told.rows()]
    assert rows == [("b", 3), ("a", 4)]
    values = np.random.default_rng(0).normal(size=(600, 2))
    found = Study(ScoreMatrix(values)).explain(1)
    signed = [row["contribution"] for row in found.rows()]
    best = np.sort(values[:, found.item] - values[:, found.rivals[0].item])
    expected = [*best[best > 0][::-1], *best[best < 0]]
    assert signed == pytest.approx([value / 600 for value in expected])
    assert len(to_csv(found.findings()).splitlines()) == 601
    assert len(plain_text(found.findings()).splitlines()) < 60
    assert str(found) == plain_text(found.findings())


def test_without_a_k_the_border_is_after_the_items_own_rank() -> None:
    data = Votes(["a"] * 4 + ["b"] * 3 + ["c"])
    found = [
        (
            Study(data).explain(item=item).k,
            Study(data).explain(item=item).rivals[0].item,
        )
        for item in "abc"
    ]
    assert found == [(1, "b"), (2, "c"), (2, "b")]
    assert (Study(data).explain(2).item, Study(data).explain(2).rivals[0].item) == (
        "b",
        "c",
    )


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, "neither a k nor an item was given. Give k=... or item=..."),
        (
            {"k": 3},
            "k = 3 is the last rank of 3: there is no border after it. Give a k from 1 to 2.",
        ),
        ({"k": 0}, "k must be a whole number from 1 to 3"),
        ({"k": 1, "item": "ax"}, "there is no item 'ax'"),
    ],
)
def test_borders_that_are_none_are_refused(
    asked: dict[str, object], words: str
) -> None:
    with pytest.raises(SteadyrankError) as error:
        Study(Votes(["a"] * 4 + ["b"] * 3 + ["c"])).explain(**asked)
    assert str(error.value).startswith(words)


def test_published_numbers(shared_data: Path) -> None:
    file = shared_data / "battles" / "llmfao.csv"
    workers = Study(file, left="left", right="right", winner="winner", unit="worker")
    told = workers.explain(5)
    largest = next(told.rows())
    assert (round(told.gap, 4), largest["unit"]) == (0.0048, "97")
    assert round(largest["gap_without"], 4) == -0.0611

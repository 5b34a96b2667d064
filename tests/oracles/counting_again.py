"""Scores of people in rational numbers, by counting again without each unit: twins of newer scorers.

A twin takes the number of items and the people, and gives a fraction for each item, or None where some
item has no score. Nothing of the package is asked.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from oracles.refitting import all_rows, assert_answers_agree
from steadyrank import SteadyrankError
from steadyrank.scorers.base import RowsOut

if TYPE_CHECKING:
    from collections.abc import Callable

    from oracles.weighing import Case, Person

    Twin = Callable[[int, list[Person]], list[Fraction] | None]

HALF = Fraction(1, 2)


def compare(case: Case, scorer, twin: Twin, rng: np.random.Generator) -> bool:
    """Compare scores with and without each unit with a twin; tell whether every unit could leave.

    Of an item without data (None) the score is less than all values.
    """
    left = [twin(case.items, case.without(unit)) for unit in case.units()]
    exact = twin(case.items, case.people)
    if exact is None or None in exact or None in left or len(left) < 2:
        with pytest.raises(SteadyrankError):
            scorer.leave_one_out(case.data())
        return False
    data = case.data()
    out = scorer.leave_one_out(data)
    lowest = twin.lowest(case.people) if hasattr(twin, "lowest") else -math.inf
    assert floats(out.scores, lowest) == floats(exact)
    assert floats(scorer.score(data), lowest) == floats(exact)
    rows = all_rows(out)
    found: Counter = Counter()
    for unit, count in enumerate(out.units.counts.tolist()):
        without = floats(rows[unit], lowest)
        found[without] += count
        if None not in without:
            assert floats(scorer.score(data.without(unit))) == without
    assert found == Counter(map(floats, left))
    if isinstance(out, RowsOut):
        np.testing.assert_array_equal(all_rows(replace(out, block_numbers=1)), rows)
    if rng.random() < 0.3:  # it asks for everything in several ways
        assert_answers_agree(out, rng)
    return True


def floats(scores, lowest=-math.inf) -> tuple[float | None, ...]:
    return tuple(
        None if score is None or score < lowest else float(score) for score in scores
    )


def over_rows(points) -> Twin:
    """Return the weighted mean of what each row gives to its items, by their values alone."""

    def twin(items, people):
        given = [(person.share, points(person.says)) for person in people]
        found = []
        for item in range(items):
            there = [
                (weight, row[item]) for weight, row in given if row[item] is not None
            ]
            below = sum(weight for weight, _ in there)
            if not below:
                found.append(None)
                continue
            found.append(
                sum(weight * value for weight, value in there) / Fraction(below)
            )
        return None if found == [None] * items else found

    def lowest(people):
        given = (points(person.says) for person in people if person.share)
        return min(value for row in given for value in row if value is not None)

    twin.lowest = lowest
    return twin


def beaten(row, item):
    """Return how many others an item beats, a tie as half, and how many others there are."""
    others = [
        value for place, value in enumerate(row) if place != item and value is not None
    ]
    wins = sum(
        HALF if value == row[item] else Fraction(value < row[item]) for value in others
    )
    return wins, len(others)


def minus_ranks(row):
    counted = [
        None if value is None else beaten(row, item) for item, value in enumerate(row)
    ]
    return [None if found is None else -(1 + found[1] - found[0]) for found in counted]


def win_rates(row):
    counted = [
        None if value is None else beaten(row, item) for item, value in enumerate(row)
    ]
    return [
        None if found is None or not found[1] else found[0] / found[1]
        for found in counted
    ]


mean_rank, mean_win_rate = over_rows(minus_ranks), over_rows(win_rates)


def without_ends(cut) -> Twin:
    """Return the mean of each column, sorted, without so many values at each end."""

    def twin(items, people):
        found = []
        for item in range(items):
            values = sorted(
                person.says[item] for person in people if person.says[item] is not None
            )
            if not values:
                return None
            ends = cut(len(values))
            middle = values[ends : len(values) - ends]
            found.append(sum(middle, Fraction(0)) / len(middle))
        return found

    return twin


def place_on(tiers, item):
    return next((place for place, tier in enumerate(tiers) if item in tier), len(tiers))


def prefers(says, one, other) -> int:
    """Return 1, 0 or -1: what a ballot, an approval or a battle says of two items."""
    if isinstance(says, frozenset):
        return (one in says) - (other in says)
    if isinstance(says, list):
        first, second = place_on(says, one), place_on(says, other)
        return (first < second) - (first > second)
    left, right, outcome = says
    if {left, right} != {one, other} or outcome == "tie":
        return 0
    return 1 if (outcome == "left") == (left == one) else -1


def margin(people, one, other) -> Fraction:
    return sum(
        (person.share * prefers(person.says, one, other) for person in people),
        Fraction(0),
    )


def copeland(items, people):
    if not sum(person.share for person in people):
        return None
    worth = {True: Fraction(1), False: Fraction(0), None: HALF}
    return [
        sum(
            (
                worth[None if not (by := margin(people, one, other)) else by > 0]
                for other in range(items)
                if other != one
            ),
            Fraction(0),
        )
        for one in range(items)
    ]


def worst_margins(items, people):
    total = sum(person.share for person in people)
    if not total:
        return None
    return [
        min(
            (
                margin(people, one, other) / total
                for other in range(items)
                if other != one
            ),
            default=1,
        )
        for one in range(items)
    ]


def runoff_rounds(items, people):
    """Hold an instant-runoff count with a dictionary of votes, round by round."""
    if not sum(person.share for person in people):
        return None
    still, rounds, number = set(range(items)), {}, 0
    while still:
        number += 1
        votes = dict.fromkeys(still, Fraction(0))
        for person in people:
            best = next((tier for tier in person.says if still & set(tier)), [])
            chosen = still & set(best)
            for item in chosen:
                votes[item] += person.share / len(chosen)
        fewest = min(votes.values())
        out = {item for item in still if votes[item] == fewest}
        rounds |= dict.fromkeys(out, number)
        still -= out
    return [Fraction(rounds[item]) for item in range(items)]

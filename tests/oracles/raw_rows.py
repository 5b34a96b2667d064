"""Answers from raw rows and fractions: whoever is left is scored anew, by the definition of each scorer.

Nothing of the package is asked. A case is a list of observations, each with what it says, its weight as
a fraction and the unit that it leaves with; all that is asked of it (scores, order, standings, ranks,
margins, lists against several removals) is found by leaving units out and scoring the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from statistics import median
from typing import Any

from oracles.last import with_last

Scores = list[Fraction] | None
"""One number for each item, or None where some item has none."""


@dataclass(frozen=True)
class Said:
    """One observation: what it gives to items, and who is behind it."""

    gives: Any
    weight: Fraction
    unit: object


def mean_given(
    said: list[Said], items: int, shrinkage: Fraction = Fraction(0)
) -> Scores:
    """Sum of what is given, over how many gave something: a missing entry is no entry.

    Items that nothing is given are last.
    """
    found: list[Fraction | None] = []
    for item in range(items):
        given = [
            (each.weight, each.gives[item])
            for each in said
            if each.gives.get(item) is not None
        ]
        below = shrinkage + sum((weight for weight, _ in given), Fraction(0))
        if not below:
            found.append(None)
            continue
        found.append(
            sum((weight * value for weight, value in given), Fraction(0)) / below
        )
    return with_last(found)


def share_given(said: list[Said], items: int) -> Scores:
    """Sum of what is given, over all who said anything."""
    total = sum((each.weight for each in said), Fraction(0))
    if not total:
        return None
    sums = (
        sum((e.weight * e.gives.get(item, 0) for e in said), Fraction(0))
        for item in range(items)
    )
    return [one / total for one in sums]


def total_given(said: list[Said], items: int) -> Scores:
    """Sum of what is given."""
    return [
        sum((each.weight * each.gives.get(item, 0) for each in said), Fraction(0))
        for item in range(items)
    ]


def mean_ranks(said: list[Said], items: int) -> Scores:
    """The mean, over rows, of minus the rank in the row; equal values share their ranks."""
    ranked = []
    for each in said:
        values = [each.gives[item] for item in range(items)]
        places = {
            item: -(
                1
                + Fraction(sum(v > one for v in values))
                + Fraction(values.count(one) - 1, 2)
            )
            for item, one in enumerate(values)
        }
        ranked.append(Said(places, each.weight, each.unit))
    return mean_given(ranked, items)


def mean_wins(said: list[Said], items: int) -> Scores:
    """The mean, over rows, of the share of the others that an item beats; a tie is half."""
    rates = []
    for each in said:
        values = [each.gives[item] for item in range(items)]
        rate = {
            item: (
                Fraction(sum(v < one for v in values))
                + Fraction(values.count(one) - 1, 2)
            )
            / (items - 1)
            for item, one in enumerate(values)
        }
        rates.append(Said(rate, each.weight, each.unit))
    return mean_given(rates, items)


def medians(said: list[Said], items: int) -> Scores:
    """The middle value of each item, or the mean of the two in the middle; weights are not asked."""
    if not said:
        return None
    return [
        Fraction(median(each.gives[item] for each in said)) for item in range(items)
    ]


SCORED = {
    "share": share_given,
    "total": total_given,
    "mean": mean_given,
    "mean-rank": mean_ranks,
    "mean-win-rate": mean_wins,
    "median": medians,
}


@dataclass(frozen=True)
class Raw:
    """Observations, how many items, and how they are scored."""

    said: list[Said]
    items: int
    scored: str
    shrinkage: Fraction = Fraction(0)

    @property
    def units(self) -> list[object]:
        return list(dict.fromkeys(each.unit for each in self.said))

    def scores(self, gone: tuple[object, ...] = ()) -> Scores:
        left = [each for each in self.said if each.unit not in gone]
        if not left or not any(each.weight for each in left):
            return None
        if self.shrinkage:
            return mean_given(left, self.items, self.shrinkage)
        return SCORED[self.scored](left, self.items)

    def order(self, gone: tuple[object, ...] = ()) -> tuple[int, ...] | None:
        """The items by score, the smaller index first among equal ones."""
        scores = self.scores(gone)
        return (
            None
            if scores is None
            else tuple(sorted(range(self.items), key=lambda i: (-scores[i], i)))
        )

    def defined(self, removals: int = 1) -> bool:
        """Tell whether every item has a score, whoever leaves."""
        return all(self.scores(gone) is not None for gone in self.removed(removals))

    def removed(self, most: int) -> Iterator[tuple[object, ...]]:
        for number in range(most + 1):
            yield from combinations(self.units, number)

    def tops(self, k: int, removals: int = 1) -> list[frozenset[int]]:
        """The top k of all, and of what is left by at most so many removals."""
        orders = (self.order(gone) for gone in self.removed(removals))
        return [frozenset(order[:k]) for order in orders if order is not None]

    def sure(self, k: int) -> frozenset[int]:
        return frozenset.intersection(*self.tops(k))

    def listed(self, k: int, removals: int = 1) -> frozenset[int]:
        return frozenset.union(*self.tops(k, removals))

    def ranks(self, item: int) -> tuple[int, int]:
        places = [self.order(gone).index(item) + 1 for gone in self.removed(1)]  # type: ignore[union-attr]
        return min(places), max(places)

    def fewest(self, changed: Any, upto: int) -> int | None:
        """The fewest units whose leaving makes ``changed(order)`` true, if at most ``upto`` do."""
        for number in range(1, min(upto, len(self.units) - 1) + 1):
            for gone in combinations(self.units, number):
                order = self.order(gone)
                if order is not None and changed(order):
                    return number
        return None

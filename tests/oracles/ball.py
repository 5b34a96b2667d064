"""The ball's list from its definition: who may stay ahead is tried out, and so is who is moved.

Exact, in fractions: squared distances alone.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def squared_distances(scores: Sequence[Fraction | int], k: int) -> list[Fraction]:
    """Return the squared distance from the scores to those by which at most k - 1 are ahead of j."""
    return [_squared(scores, k, item) for item in range(len(scores))]


def _squared(scores: Sequence[Fraction | int], k: int, item: int) -> Fraction:
    """Return the least cost over all choices of k - 1 items that need not come down to ``item``."""
    others = [
        Fraction(score) - scores[item] for j, score in enumerate(scores) if j != item
    ]
    staying = max(0, len(others) - (k - 1))
    return min(
        (
            _cost(gaps, level)
            for gaps in combinations(others, staying)
            for level in _levels(gaps)
        ),
        default=Fraction(0),
    )


def _levels(gaps: Sequence[Fraction]) -> Iterator[Fraction]:
    """Yield every level at which the slope may be 0: the mean of the item and some of the others."""
    yield Fraction(0)
    for number in range(1, len(gaps) + 1):
        for some in combinations(gaps, number):
            yield max(Fraction(0), sum(some, Fraction(0)) / (number + 1))


def _cost(gaps: Sequence[Fraction], level: Fraction) -> Fraction:
    """Return what it costs to lift the item to a level and bring all that are above it down to it."""
    above = sum((max(gap - level, Fraction(0)) ** 2 for gap in gaps), Fraction(0))
    return level**2 + above

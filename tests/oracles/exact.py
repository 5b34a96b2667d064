"""The operators decided in integers: no rounding, boundary cases included.

Scores are rational. The inflation is rational or a rational multiple of sqrt(2), so that
``c = eps / sqrt(2)`` lies in Q(sqrt 2) as well, and so does everything that the definition
compares. A comparison is then the sign of ``a + b sqrt(2)`` with integers a and b, which squaring
decides. Votes with eps = sqrt(2)/n, where a lead of one vote is exactly on the boundary, are of
this kind.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Scores: TypeAlias = tuple[Fraction, ...]


@dataclass(frozen=True)
class ExactEps:
    """The number ``rational + root * sqrt(2)``, one part zero, the other positive."""

    rational: Fraction = Fraction(0)
    root: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        parts = (self.rational, self.root)
        if min(parts) != 0 or max(parts) <= 0:
            raise ValueError(f"one part must be 0 and the other positive: {parts}")

    def __float__(self) -> float:
        return float(self.rational) + float(self.root) * math.sqrt(2)

    @property
    def squared(self) -> Fraction:
        return self.rational**2 + 2 * self.root**2


def sign(a: Fraction | int, b: Fraction | int) -> int:
    """Return the sign of ``a + b sqrt(2)``."""
    if a == 0 and b == 0:
        return 0
    if a >= 0 and b >= 0:
        return 1
    if a <= 0 and b <= 0:
        return -1
    # Opposite signs: the part that is larger in absolute value decides; they are never equal.
    return (1 if a > 0 else -1) if a * a > 2 * b * b else (1 if b > 0 else -1)


def gap_sign(gap: Fraction, eps: ExactEps) -> int:
    """Return the sign of ``gap - c``."""
    return sign(gap - eps.root, -eps.rational / 2)


def closer_than(
    first: Sequence[Fraction], second: Sequence[Fraction], eps: ExactEps
) -> bool:
    """Tell whether the Euclidean distance of two score vectors is below eps."""
    return sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) < eps.squared


def distance_sign(scores: Sequence[Fraction], item: int, eps: ExactEps) -> int:
    """Return the sign of ``dist(scores, C_item) - eps``.

    The nearest point of C_item lowers the others to a common level y, where they are above it,
    and lifts the item to y + c, where it is below that. So the squared distance is the least
    value over y of

        h(y) = sum over l != item of (x_l - y)+^2  +  (y + c - x_item)+^2,

    and the best y has the form (sum of the m largest others + x_item - c) / (m + 1) for some m.
    We do not ask for which one: the smallest h among all of them is the minimum.
    """
    return min(_level_signs(_integers(tuple(scores), eps), item))


def _integers(scores: Scores, eps: ExactEps) -> tuple[tuple[int, ...], int, int]:
    """Return scores and c as integers in one small unit: x, and c = a + b sqrt(2)."""
    parts = [*scores, eps.root, eps.rational]
    unit = 2 * math.lcm(*(part.denominator for part in parts))
    whole = tuple(int(score * unit) for score in scores)
    return whole, int(eps.root * unit), int(eps.rational * unit) // 2


def _level_signs(numbers: tuple[tuple[int, ...], int, int], item: int) -> list[int]:
    """Return the sign of ``h(y_m) - eps^2`` for every m; all terms are scaled by m + 1."""
    x, a, b = numbers
    others = sorted(x[:item] + x[item + 1 :], reverse=True)
    signs = []
    for m in range(len(others) + 1):
        level = sum(others[:m]) + x[item] - a  # and -b sqrt(2)
        terms = [((m + 1) * other - level, b) for other in others]
        terms.append((level + (m + 1) * (a - x[item]), m * b))
        positive = [(p, q) for p, q in terms if sign(p, q) > 0]
        rational = sum(p * p + 2 * q * q for p, q in positive)
        root = sum(2 * p * q for p, q in positive)
        square = 2 * (m + 1) ** 2  # eps^2 = 2 c^2
        signs.append(
            sign(rational - square * (a * a + 2 * b * b), root - square * 2 * a * b)
        )
    return signs


@lru_cache(maxsize=200_000)
def inflated_argmax(scores: Scores, eps: ExactEps) -> frozenset[int]:
    """Return the items whose distance is strictly below eps."""
    numbers = _integers(scores, eps)
    return frozenset(
        item for item in range(len(scores)) if min(_level_signs(numbers, item)) < 0
    )


def boundary_items(scores: Scores, eps: ExactEps) -> frozenset[int]:
    """Return the items whose distance is exactly eps."""
    return frozenset(
        j for j in range(len(scores)) if distance_sign(scores, j, eps) == 0
    )


def plain_ranking(scores: Scores) -> list[int]:
    """Return the items, best first, the smaller index first among equal scores."""
    return sorted(range(len(scores)), key=lambda item: (-scores[item], item))


def inflated_topk(scores: Scores, k: int, eps: ExactEps) -> frozenset[int]:
    """Return the top k - 1 items and the inflated argmax of the others (Prop. 6)."""
    order = plain_ranking(scores)
    rest = order[k - 1 :]
    chosen = inflated_argmax(tuple(scores[item] for item in rest), eps)
    return frozenset(order[: k - 1]) | {rest[place] for place in chosen}

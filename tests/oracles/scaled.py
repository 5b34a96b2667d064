"""Means of values on one scale, exactly: sums of fractions times square roots of whole numbers."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cmp_to_key
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Row = Sequence[Fraction | None]
    Surd = dict[int, Fraction]
    """Fractions by the number without a square factor of whose root they are multiples."""


def scaled(row: Row, how: str) -> list[Surd | None]:
    """Return the values of a row on one scale; None where there is none."""
    there = [value for value in row if value is not None]
    if how == "range":
        start, (factor, root) = (
            min(there),
            (1 / ((max(there) - min(there)) or Fraction(1)), 1),
        )
    else:
        start = sum(there, Fraction(0)) / len(there)
        variance = sum(((value - start) ** 2 for value in there), Fraction(0)) / len(
            there
        )
        factor, root = inverse_root(variance) if variance else (Fraction(1), 1)
    return [
        None if value is None else {root: (value - start) * factor} for value in row
    ]


def inverse_root(square: Fraction) -> tuple[Fraction, int]:
    """Return f and r, without a square factor, such that ``f sqrt(r)`` is ``1 / sqrt(square)``."""
    inside, outside, divisor = square.numerator * square.denominator, 1, 2
    while divisor * divisor <= inside:
        while inside % (divisor * divisor) == 0:
            inside, outside = inside // (divisor * divisor), outside * divisor
        divisor += 1
    return Fraction(outside, square.numerator), inside


def means(rows: Sequence[Sequence[Surd | None]]) -> list[Surd]:
    """Return the mean of each column, over the rows that have it."""
    found = []
    for column in zip(*rows, strict=True):
        there = [value for value in column if value is not None]
        total: Surd = {}
        for value in there:
            for root, factor in value.items():
                total[root] = total.get(root, Fraction(0)) + factor / len(there)
        found.append(total)
    return found


def sign(one: Surd, other: Surd) -> int:
    """Tell which is larger; roots of different such numbers never cancel."""
    roots = one.keys() | other.keys()
    parts = {
        root: one.get(root, Fraction(0)) - other.get(root, Fraction(0))
        for root in roots
    }
    if not any(parts.values()):
        return 0
    with localcontext(prec=80):
        terms = (
            Decimal(f.numerator) / f.denominator * Decimal(root).sqrt()
            for root, f in parts.items()
        )
        return 1 if sum(terms) > 0 else -1


def order(scores: Sequence[Surd]) -> list[int]:
    """Return the items from the best down, the smaller index first where scores are equal."""
    compare = cmp_to_key(lambda i, j: -sign(scores[i], scores[j]) or i - j)
    return sorted(range(len(scores)), key=compare)

"""Linear models in rational numbers: the normal equations, solved by hand and without rounding."""

from __future__ import annotations

import struct
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Matrix = list[list[Fraction]]


def fractions(values: Iterable[Iterable[float]]) -> Matrix:
    return [[Fraction(float(value)) for value in row] for row in values]


def products(first: Matrix, second: Matrix) -> Matrix:
    columns = list(zip(*second, strict=True))
    return [[inner(row, column) for column in columns] for row in first]


def inner(first: Sequence[Fraction], second: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(first, second, strict=True)), Fraction(0))


def some_solution(
    matrix: Matrix, right: Sequence[Fraction]
) -> tuple[list[Fraction], int]:
    """Solve consistent equations by elimination, free unknowns 0, and return the rank, too."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    width, pivots = len(matrix[0]), []
    for column in range(width):
        place = len(pivots)
        found = next((r for r in range(place, len(rows)) if rows[r][column]), None)
        if found is None:
            continue
        rows[place], rows[found] = rows[found], rows[place]
        head = rows[place]
        for r, row in enumerate(rows):
            if r != place and row[column]:
                factor = row[column] / head[column]
                rows[r] = [a - factor * b for a, b in zip(row, head, strict=True)]
        pivots.append(column)
    solution = [Fraction(0)] * width
    for place, column in enumerate(pivots):
        solution[column] = rows[place][width] / rows[place][column]
    return solution, len(pivots)


def coefficients(
    X: Matrix, y: Sequence[Fraction], penalty: Fraction
) -> tuple[list[Fraction], int]:
    """Return the coefficients, those of smallest norm where there is a choice, and the rank of X'X."""
    turned = [list(column) for column in zip(*X, strict=True)]
    gram = products(turned, X)
    for j, row in enumerate(gram):
        row[j] += penalty
    moment = [inner(row, y) for row in turned]
    found, rank = some_solution(gram, moment)
    if rank == len(gram):
        return found, rank
    # b = X'X a is in the span of the rows, which makes it the shortest: solve X'X X'X a = X'y.
    found, _ = some_solution(products(gram, gram), moment)
    return [inner(row, found) for row in gram], rank


def linear_fit(X, y, *, penalty=0.0, radius=None):
    """Return the coefficients in rational numbers, and the rank of X.

    Within a ball they are those of a penalty, which is found by halving the range of all floats.
    """
    X, response = fractions(X), [Fraction(float(value)) for value in y]
    found, rank = coefficients(X, response, Fraction(penalty))
    if radius is None or norm_squared(found) <= Fraction(radius) ** 2:
        return found, rank
    low, high = 0, bits(1e300)
    while high - low > 1:
        middle = (low + high) // 2
        found, _ = coefficients(X, response, Fraction(number(middle)))
        if norm_squared(found) > Fraction(radius) ** 2:
            low = middle
        else:
            high = middle
    return coefficients(X, response, Fraction(number(high)))[0], rank


def norm_squared(values: Sequence[Fraction]) -> Fraction:
    return inner(values, values)


def bits(value: float) -> int:
    """Return the place of a positive float among all of them."""
    return struct.unpack("<q", struct.pack("<d", value))[0]


def number(place: int) -> float:
    return struct.unpack("<d", struct.pack("<q", place))[0]

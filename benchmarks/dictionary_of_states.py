"""Counting an inflated ranking the plain way: a dictionary of states, one Python step at a time.

A state is the best item left and the set of items below it that are already placed, as a bitmask.
This is the baseline for RankingSet.count, and an oracle for it.
"""

from __future__ import annotations

from math import sqrt


def eligible(left: list[float], eps: float) -> int:
    """Return how many of the descending scores are in the inflated argmax."""
    total = square = 0.0
    number = 1
    while number < len(left):
        gap = left[number - 1] - left[number]
        wider = total + number * gap
        larger = square + 2 * gap * total + number * gap * gap
        if wider * wider + larger >= eps * eps:
            break
        total, square, number = wider, larger, number + 1
    spread = square - total * total / number
    reach = sqrt((number + 1) / number * (eps * eps - spread))
    limit = left[number - 1] + total / number + eps / sqrt(2) - reach
    while number < len(left) and left[number] > limit:
        number += 1
    return number


def remaining(ranked: list[float], best: int, placed: int, eps: float) -> list[int]:
    """Return the items left that are within eps of the best one left."""
    items = [best]
    item = best + 1
    while item < len(ranked) and ranked[best] - ranked[item] < eps:
        if not placed >> (item - best - 1) & 1:
            items.append(item)
        item += 1
    return items


def after(best: int, placed: int, item: int) -> tuple[int, int]:
    """Return the state after one more item is placed."""
    if item != best:
        return best, placed | 1 << (item - best - 1)
    best += 1
    while placed & 1:
        best, placed = best + 1, placed >> 1
    return best, placed >> 1


def count_rankings(ranked: list[float], eps: float) -> int:
    """Return the number of rankings of descending scores."""
    layer = {(0, 0): 1}
    for _ in ranked:
        following: dict[tuple[int, int], int] = {}
        for (best, placed), ways in layer.items():
            items = remaining(ranked, best, placed, eps)
            for item in items[: eligible([ranked[one] for one in items], eps)]:
                state = after(best, placed, item)
                following[state] = following.get(state, 0) + ways
        layer = following
    return sum(layer.values())

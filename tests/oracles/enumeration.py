"""The inflated full ranking, listed from its definition, for small numbers of items."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from oracles import exact, projection

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    Ranking = tuple[int, ...]


def rankings(
    items: int, may_be_next: Callable[[Ranking], Collection[int]]
) -> list[Ranking]:
    """Return the permutations each of whose entries may come next among those not yet placed.

    ``may_be_next`` gets the remaining items, ascending, and returns those that are eligible.
    """
    eligible: dict[Ranking, Collection[int]] = {}

    def is_eligible(order: Ranking, place: int) -> bool:
        rest = tuple(sorted(order[place:]))
        if rest not in eligible:
            eligible[rest] = may_be_next(rest)
        return order[place] in eligible[rest]

    return [
        order
        for order in permutations(range(items))
        if all(is_eligible(order, place) for place in range(items))
    ]


def exact_rankings(scores: exact.Scores, eps: exact.ExactEps) -> list[Ranking]:
    """Return the inflated full ranking, every comparison decided in integers."""

    def may_be_next(rest: Ranking) -> Collection[int]:
        chosen = exact.inflated_argmax(tuple(scores[item] for item in rest), eps)
        return {rest[place] for place in chosen}

    return rankings(len(scores), may_be_next)


def projected_rankings(scores: Sequence[float], eps: float) -> list[Ranking]:
    """Return the inflated full ranking by projections in floating point."""

    def may_be_next(rest: Ranking) -> Collection[int]:
        chosen = projection.inflated_argmax([scores[item] for item in rest], eps)
        return {rest[place] for place in chosen}

    return rankings(len(scores), may_be_next)


def rank_ranges(orders: Sequence[Ranking]) -> tuple[list[int], list[int]]:
    """Return the best and the worst rank of every item over the rankings."""
    ranks = [
        [order.index(item) + 1 for order in orders] for item in range(len(orders[0]))
    ]
    return [min(of_item) for of_item in ranks], [max(of_item) for of_item in ranks]

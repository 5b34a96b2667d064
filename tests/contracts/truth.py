"""What is true of a case: remove units, score again, look. Nothing is imported."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, permutations
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction

    from contracts.draws import Case, Unit
    from contracts.oracle import Score, Scores

Order = list[str]


class Removal(NamedTuple):
    """The case without one unit."""

    unit: Unit
    copies: int
    scores: Scores
    order: Order


@dataclass(frozen=True, eq=False)
class Truth:
    """All that can be asked of a case."""

    case: Case
    score: Score

    @cached_property
    def units(self) -> dict[Unit, int]:
        return self.case.units

    @cached_property
    def n_units(self) -> int:
        return sum(self.units.values())

    @cached_property
    def items(self) -> tuple[str, ...]:
        return self.case.items

    @cached_property
    def scores(self) -> Scores | None:
        return self.score(self.case)

    def scores_without(self, removed: tuple[Unit, ...]) -> Scores | None:
        """Score the other rows; the list of items stays, also of those without rows."""
        rest = self.case.without(removed, keep_items=True)
        if not any(row.weight_as_fraction for row in rest.rows):
            return None
        return self.score(rest)

    @cached_property
    def scores_without_each(self) -> dict[Unit, Scores | None]:
        return {unit: self.scores_without((unit,)) for unit in self.units}

    @cached_property
    def defined(self) -> bool:
        """Whether there are scores with all units and without any one of them."""
        return (
            self.scores is not None
            and self.n_units > 1
            and None not in self.scores_without_each.values()
        )

    def ordered(self, scores: Scores) -> Order:
        """Best first; of equal scores the item that is listed first."""
        listed = {item: place for place, item in enumerate(self.items)}
        return sorted(scores, key=lambda item: (-scores[item], listed[item]))

    @cached_property
    def plain(self) -> Order:
        assert self.scores is not None
        return self.ordered(self.scores)

    @cached_property
    def removals(self) -> list[Removal]:
        return [
            Removal(unit, self.units[unit], scores, self.ordered(scores))
            for unit, scores in self.scores_without_each.items()
            if scores is not None
        ]

    @cached_property
    def orders(self) -> list[Order]:
        """The order of all data and those without each unit."""
        return [self.plain, *(removal.order for removal in self.removals)]

    def n_units_without_which(self, holds: Callable[[Order], bool]) -> int:
        """The number of units after whose removal something holds of the order."""
        return sum(r.copies for r in self.removals if holds(r.order))

    def n_changing(self, k: int) -> int:
        topk = set(self.plain[:k])
        return self.n_units_without_which(lambda order: set(order[:k]) != topk)

    @property
    def n_changing_order(self) -> int:
        return self.n_units_without_which(lambda order: order != self.plain)

    def n_missed_by(self, listed: set[str], k: int) -> int:
        """Units without which the top k is not within a list."""
        return self.n_units_without_which(lambda order: not set(order[:k]) <= listed)

    def n_uncovered(self, k: int, size: int) -> int:
        """Units without which the top k is not within the first items by score."""
        return self.n_missed_by(set(self.plain[:size]), k)

    def standing(self, item: str, k: int) -> str:
        inside = [item in order[:k] for order in self.orders]
        if all(inside):
            return "sure"
        return "contender" if any(inside) else "out"

    def listed(self, k: int) -> Order:
        """The sure items and the contenders, by score."""
        return [item for item in self.plain if self.standing(item, k) != "out"]

    def ranks(self, item: str) -> tuple[int, int]:
        places = [order.index(item) + 1 for order in self.orders]
        return min(places), max(places)

    def score_range(self, item: str) -> tuple[float, float]:
        every = [self.scores or {}, *(removal.scores for removal in self.removals)]
        found = [float(scores[item]) for scores in every]
        return min(found), max(found)

    def tier_sizes(self) -> list[int]:
        """Sizes of the blocks that no order mixes."""
        ends = [
            end
            for end in range(1, len(self.plain) + 1)
            if all(set(order[:end]) == set(self.plain[:end]) for order in self.orders)
        ]
        return [end - start for start, end in zip([0, *ends], ends, strict=False)]

    def flips(self, k: int) -> dict[Unit, tuple[frozenset[str], frozenset[str]]]:
        """For each unit that changes the top k: what drops out and what comes in."""
        old = frozenset(self.plain[:k])
        flips = {}
        for removal in self.removals:
            new = frozenset(removal.order[:k])
            if new != old:
                flips[removal.unit] = (old - new, new - old)
        return flips

    @property
    def most_removed(self) -> int:
        """The size of the sets of units that are removed together."""
        return 3 if self.n_units < 7 else 2

    @cached_property
    def orders_without_sets(self) -> list[tuple[int, Order]]:
        """The order without each small set of units that leaves scores."""
        copies = [unit for unit, number in self.units.items() for _ in range(number)]
        found = []
        for number in range(1, self.most_removed + 1):
            different = {
                frozenset(Counter(chosen).items()): chosen
                for chosen in combinations(copies, number)
            }
            for chosen in different.values():
                scores = self.scores_without(chosen)
                if scores is not None:
                    found.append((number, self.ordered(scores)))
        return found

    def margin(self, changed: Callable[[Order], bool]) -> int | None:
        """The fewest units whose removal makes something true; None where more are."""
        numbers = (n for n, order in self.orders_without_sets if changed(order))
        return next(numbers, None)

    @cached_property
    def nearly_tied(self) -> bool:
        """Whether some scores are so near that a solver decides about their order."""
        for scores in (self.scores, *self.scores_without_each.values()):
            assert scores is not None
            scale = max(1, *map(abs, scores.values()))
            for one, other in combinations(scores.values(), 2):
                if 0 < abs(one - other) < 1e-6 * scale:
                    return True
        return False

    def sizes_that_keep_ties_together(self, k: int) -> list[int]:
        assert self.scores is not None
        ordered = [self.scores[item] for item in self.plain]
        n_items = len(ordered)
        return [
            size
            for size in range(k, n_items + 1)
            if size == n_items or ordered[size - 1] != ordered[size]
        ]


def places_among(scores: Scores, items: Order) -> dict[str, tuple[int, int]]:
    """Best and worst place of each item among some, equal scores in either order."""
    places = {}
    for item in items:
        ahead = sum(scores[other] > scores[item] for other in items)
        not_behind = sum(scores[other] >= scores[item] for other in items)
        places[item] = (1 + ahead, not_behind)
    return places


# Operators by their definitions, in floats that keep away from boundaries.


def inflated_topk(scores: Scores, k: int, eps: float) -> tuple[set[str], bool]:
    """The k - 1 best and the inflated argmax of the rest; whether no boundary is near.

    An item is in if the scores are closer than eps to the region where it leads all
    others by eps / sqrt(2). The nearest point there clips the others to one number.
    """
    order = sorted(scores, key=lambda item: -scores[item])
    inside = set(order[: k - 1])
    rest = {item: float(scores[item]) for item in order[k - 1 :]}
    size = max(map(abs, rest.values()))
    clear = True
    for item, own in rest.items():
        others = [score for other, score in rest.items() if other != item]
        distance = distance_to_lead(own, others, eps / math.sqrt(2))
        clear &= abs(distance - eps) > 1e-7 * (eps + size)
        if distance < eps:
            inside.add(item)
    return inside, clear


def distance_to_lead(own: float, others: list[float], lead: float) -> float:
    """How far scores are from the region where one item leads all others."""
    targets = sorted((other + lead for other in others), reverse=True)
    nearest = math.inf
    for n_clipped in range(len(targets) + 1):
        level = (own + sum(targets[:n_clipped])) / (1 + n_clipped)
        clipped = sum(max(0.0, target - level) ** 2 for target in targets)
        nearest = min(nearest, math.sqrt(clipped + (own - level) ** 2))
    return nearest


def inflated_rankings(scores: Scores, eps: float) -> set[tuple[str, ...]]:
    """All orders in which each item is in the inflated argmax of those not yet placed."""

    @cache
    def may_come_first(rest: frozenset[str]) -> set[str]:
        return inflated_topk({item: scores[item] for item in rest}, 1, eps)[0]

    return {
        order
        for order in permutations(scores)
        if all(
            item in may_come_first(frozenset(order[place:]))
            for place, item in enumerate(order)
        )
    }


def eps_at(spread: Fraction, share: float) -> float:
    return (float(spread) or 1.0) * share


def some_eps(truth: Truth) -> Iterator[float]:
    """Three inflations, at odd shares of the range of scores."""
    assert truth.scores is not None
    spread = max(truth.scores.values()) - min(truth.scores.values())
    for share in (0.0413, 0.2171, 0.7373):
        yield eps_at(spread, share)

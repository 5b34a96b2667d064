"""How many units must leave before an answer changes, and which ones.

A top k changes exactly when some item outside passes some item inside, and a ranking exactly when some
neighbours swap. So a margin is a smallest number over pairs, which are scanned in the order of cheap
bounds. What comes out is an interval: ``lower`` is certified by the scorer's rule, ``upper`` is the
size of a set of units that was taken away, after which the data were scored anew and the answer seen
to change.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import SteadyrankError
from steadyrank.operators.topk_sets import topk

if TYPE_CHECKING:
    from collections.abc import Callable

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.scorers.contests import Attack, Contests
    from steadyrank.stability.study import Study

    Bounded = list[tuple[int, tuple[int, int]]]
    """Pairs (ahead, behind), each with a number of units below which it holds."""

    Turned = Callable[[FloatArray], bool]
    """Whether scores give another answer than the one in question."""

ATTACKED = 8
"""How many pairs are attacked where the first attack does not settle the number."""

PAIRS = 1 << 20
"""How many pairs are bounded at once."""


@dataclass(frozen=True)
class Found:
    """How many units must leave.

    Attributes
    ----------
    lower : int
        Fewer never suffice.
    upper : int or None
        So many were seen to suffice; None where no set was found.
    leaving : int array or None
        How many of each distinct unit leave then.
    pair : (int, int)
        The item that is passed and the one that passes it.
    """

    lower: int
    upper: int | None
    leaving: IntArray | None
    pair: tuple[int, int]


class MarginSearch:
    """Looks for margins in one study; what is known about pairs is kept."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._lower: dict[tuple[int, int], int] = {}

    @cached_property
    def contests(self) -> Contests:
        """What the scorer knows about pairs."""
        return self._study.leave_one_out.contests()

    @cached_property
    def order(self) -> IntArray:
        """The plain ranking."""
        return np.argsort(-self._study.scores, kind="stable")

    @property
    def _all(self) -> int:
        return self._study.units.total

    def lower(self, ahead: int, behind: int) -> int:
        """Return how many units must leave at least for one item to pass another."""
        pair = (ahead, behind)
        if pair not in self._lower:
            self._lower[pair] = self.contests.lower(ahead, behind)
        return self._lower[pair]

    def topk(self, k: int) -> Found:
        """Return how many units must leave for the plain top k to change."""
        inside, outside = self.order[:k], self.order[k:]
        before = set(inside.tolist())
        pairs = self._weakest(inside, outside)
        return self._settled(pairs, lambda scores: set(topk(scores, k).tolist()) != before)

    def ranking(self) -> Found:
        """Return how many units must leave for the plain ranking to change."""
        neighbours = list(zip(self.order[:-1].tolist(), self.order[1:].tolist(), strict=True))
        pairs = sorted((self.lower(*pair), pair) for pair in neighbours)
        return self._settled(
            pairs, lambda scores: bool((np.argsort(-scores, kind="stable") != self.order).any())
        )

    def pair(self, ahead: int, behind: int) -> Found:
        """Return how many units must leave for one item to pass another."""
        pairs = [(self.lower(ahead, behind), (ahead, behind))]
        return self._settled(pairs, lambda scores: precedes(scores, behind, ahead))

    def rank(self, item: int) -> int:
        """Return the plain rank of an item."""
        return 1 + int(np.flatnonzero(self.order == item)[0])

    def item(self, item: int, k: int) -> Found:
        """Return how many units an item is away from leaving the top k, or from entering it."""
        rank = self.rank(item)
        if rank > k:  # it must pass so many of those ahead that k - 1 are left
            pairs = self._smallest([(int(other), item) for other in self.order[: rank - 1]], rank - k)
            return self._settled(pairs[::-1], lambda scores: item in topk(scores, k), pairs[-1][0])
        # So many must pass it that k are ahead, and one of them comes from outside.
        behind = self._smallest([(item, int(other)) for other in self.order[rank:]], k + 1 - rank)
        outside = self._smallest([(item, int(other)) for other in self.order[k:]], 1)
        lower = max(behind[-1][0], outside[0][0])
        return self._settled(
            [*outside, *behind[::-1]], lambda scores: item not in topk(scores, k), lower
        )

    def _weakest(self, inside: IntArray, outside: IntArray) -> Bounded:
        """Return pairs by their lower bounds, as many as could have the smallest one."""
        limit = self.lower(int(inside[-1]), int(outside[0]))
        cheap = self._bounded(inside, outside, limit)
        found = []
        for bound, pair in cheap:
            if bound > limit:
                break
            found.append((self.lower(*pair), pair))
            limit = min(limit, found[-1][0])
        return sorted(found)

    def _bounded(self, inside: IntArray, outside: IntArray, limit: int) -> Bounded:
        """Return the pairs whose cheap bound is within a limit, by that bound."""
        found = []
        step = max(1, PAIRS // len(outside))
        for start in range(0, len(inside), step):
            some = inside[start : start + step]
            ahead, behind = np.repeat(some, len(outside)), np.tile(outside, len(some))
            bounds = self.contests.at_least(ahead, behind)
            near = np.flatnonzero(bounds <= limit)
            pairs = zip(ahead[near].tolist(), behind[near].tolist(), strict=True)
            found += list(zip(bounds[near].tolist(), pairs, strict=True))
        return sorted(found)

    def _smallest(self, pairs: list[tuple[int, int]], number: int) -> Bounded:
        """Return the pairs with the smallest lower bounds, so many of them, in order."""
        ahead, behind = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        cheap = self.contests.at_least(ahead, behind)
        known: Bounded = []
        for place in np.argsort(cheap, kind="stable").tolist():
            if len(known) >= number and cheap[place] >= known[number - 1][0]:
                break
            known = sorted([*known, (self.lower(*pairs[place]), pairs[place])])
        return known[:number]

    def _settled(self, pairs: Bounded, turned: Turned, lower: int | None = None) -> Found:
        """Attack the pairs in turn until a set of units is seen to do what the bound allows."""
        lower = pairs[0][0] if lower is None else lower
        best = Found(lower, None, None, pairs[0][1])
        for least, pair in pairs[:ATTACKED]:
            if best.upper is not None and max(least, lower) >= best.upper:
                continue
            limit = self._all - 1 if best.upper is None else best.upper - 1
            leaving = self._fewest(self.contests.attack(*pair), turned, max(least, lower), limit)
            if leaving is not None:
                best = Found(lower, int(leaving.sum()), leaving, pair)
            if best.upper == lower:
                break
        return best

    def _fewest(self, attack: Attack, turned: Turned, least: int, most: int) -> IntArray | None:
        """Return the first units of an attack that turn the answer, as few as are found to."""
        most = min(most, attack.largest)
        failed, number = least - 1, least
        while number <= most and not self._turns(attack, number, turned):
            failed, number = number, min(2 * number, most) if number < most else most + 1
        if number > most:
            return None
        while number - failed > 1:
            middle = (failed + number) // 2
            if self._turns(attack, middle, turned):
                number = middle
            else:
                failed = middle
        return attack.first(number, len(self._study.units))

    def _turns(self, attack: Attack, number: int, turned: Turned) -> bool:
        """Take the units away, score anew, and look."""
        scores = self.scores_without(attack.first(number, len(self._study.units)))
        return scores is not None and turned(scores)

    def scores_without(self, leaving: IntArray) -> FloatArray | None:
        """Return the scores without so many of each distinct unit, None where there are none."""
        study = self._study
        try:
            return study.scorer.score(study.data.with_copies(study.units.counts - leaving))
        except SteadyrankError:  # an item without data, parts without a chain of wins between them
            return None


def precedes(scores: FloatArray, one: int, other: int) -> bool:
    """Tell whether an item is above another; the smaller index wins a tie."""
    return bool(scores[one] > scores[other] or (scores[one] == scores[other] and one < other))

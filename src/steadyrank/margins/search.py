"""How many units must leave before an answer changes, and which ones.

A top k changes exactly when some item outside passes some item inside, and a ranking exactly when some
neighbours swap. So a margin is a smallest number over pairs, which are scanned in the order of cheap
bounds. What comes out is an interval: ``lower`` is certified, ``upper`` is the size of a set of units
that was taken away, after which the data were scored anew and the answer seen to change. Whether a
single unit does it is known to who asks: each was left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.data.observations import Observations, shares_of
from steadyrank.errors import EngineError, SteadyrankError, UnreadableFileError
from steadyrank.margins.known import pair_margins
from steadyrank.margins.pairs import MANY, Removal, last_true
from steadyrank.operators.topk_sets import topk
from steadyrank.scorers.sums import scores_without
from steadyrank.sums.blocks import slices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.margins.pairs import PairMargins, Pairs
    from steadyrank.scorers.base import LeaveOneOut, Scorer

    Bounded = list[tuple[int, tuple[int, int]]]
    """Pairs (ahead, behind), each after a number of units below which it holds."""

    Turned = Callable[[FloatArray], bool]
    """Whether scores give another answer than the one in question."""

TRIED = 4
"""So many units of those that change an answer alone are tried: rounding may hide what one does."""

ATTACKED = 8
"""How many pairs are attacked where the first attack does not settle the number."""

TOGETHER = 64
"""How many pairs are attacked at once, where several must turn."""

LOOKED_AT = 1 << 20
"""How many units of each such attack are looked at."""

PAIRS = 1 << 18
"""How many pairs are bounded at once."""

MOST_PAIRS = 1 << 22
"""How many are for the distances of all items from rank k; where there are more, nothing is said."""

CLOSELY = (200_000, 500_000)
"""How many numbers are looked at for a column of a table: as leaving each out does, within limits."""

LISTED = 5_000
"""How many pairs are looked at closely for a list against removals; of others quick bounds are used."""

FIRST = 32
"""How many of them are made ready at first; twice as many each time, as long as answers are wanted."""


@dataclass(frozen=True)
class Found:
    """How many units must leave.

    Attributes
    ----------
    lower : int
        Fewer never suffice.
    pair : (int, int)
        The item that is to be passed and the one that is to pass it.
    upper : int or None
        So many were seen to suffice; None where no set was found.
    removal : Removal or None
        Its first units leave then.
    """

    lower: int
    pair: tuple[int, int]
    upper: int | None = None
    removal: Removal | None = None


class MarginSearch:
    """Looks for margins of one ranking; what is known about pairs is kept.

    Parameters
    ----------
    data : Observations
        What was scored.
    scorer : Scorer
        How.
    out : LeaveOneOut
        The scores, and those without each unit.

    Questions take the units that change their answer *alone*, where each was left out: where there are
    none, two are certified.
    """

    def __init__(self, data: Observations, scorer: Scorer, out: LeaveOneOut) -> None:
        self._data, self._scorer, self._out = data, scorer, out
        self.total = out.units.total
        self.scores, self.order = out.scores, order_of(out.scores)
        self._lower: dict[tuple[int, int], int] = {}
        self._seen: tuple[Removal, int, FloatArray] | None = None

    @cached_property
    def pairs(self) -> PairMargins:
        """What is known about pairs."""
        return pair_margins(self._out)

    def rank(self, item: int) -> int:
        """Return the plain rank of an item."""
        return 1 + int(np.flatnonzero(self.order == item)[0])

    def fewest(self, pairs: Pairs, most: int = MANY) -> list[int]:
        """Return how many units must leave at least for each pair to turn, told apart up to ``most``."""
        if not self.pairs.certified:  # whether one unit does it is known to who asks
            return [1] * len(pairs)
        new = [pair for pair in pairs if pair not in self._lower]
        found = dict(zip(new, self.pairs.fewest(new, most), strict=True)) if new else {}
        self._lower |= {
            pair: number for pair, number in found.items() if number <= most
        }
        return [
            min(self._lower.get(pair, found.get(pair, MANY)), self.total)
            for pair in pairs
        ]

    def topk(
        self, k: int, alone: IntArray | None = None, *, tried: bool = True
    ) -> Found:
        """Return how many units must leave for the plain top k to change; ``tried``: units do leave."""
        inside, outside = self.order[:k], self.order[k:]
        if not len(outside):
            return Found(self.total, (int(inside[-1]), int(inside[-1])))
        before, border = set(inside.tolist()), (int(inside[-1]), int(outside[0]))

        def near() -> Bounded:
            limit, few = (
                self.fewest([border])[0],
                len(self.order) if self.pairs.certified else ATTACKED,
            )
            return self._weakest(
                self._bounded(inside[-few:], outside[:few], limit), limit
            )

        def turned(scores: FloatArray) -> bool:
            return set(topk(scores, k).tolist()) != before

        return self._settled(border, near, turned, alone, tried=tried)

    def ranking(self, alone: IntArray | None = None, *, tried: bool = True) -> Found:
        """Return how many units must leave for the plain ranking to change; ``tried`` likewise."""
        if len(self.order) == 1:
            return Found(self.total, (0, 0))
        neighbours = list(pairwise(self.order.tolist()))

        def near() -> Bounded:
            cheap = self._cheap(neighbours)
            return self._weakest(cheap, self.fewest([cheap[0][1]])[0])

        def turned(scores: FloatArray) -> bool:
            return bool((order_of(scores) != self.order).any())

        return self._settled(neighbours[0], near, turned, alone, tried=tried)

    def pair(self, ahead: int, behind: int, alone: IntArray | None = None) -> Found:
        """Return how many units must leave for one item to pass another."""
        pair = ahead, behind

        def turned(scores: FloatArray) -> bool:
            return precedes(scores, behind, ahead)

        return self._settled(
            pair, lambda: [(self.fewest([pair])[0], pair)], turned, alone
        )

    def item(self, item: int, k: int, alone: IntArray | None = None) -> Found:
        """Return how many units an item is away from leaving the top k, or from entering it."""
        inside = self.rank(item) <= k
        lower, first, pairs = self._item_pairs(item, k)

        def moved(scores: FloatArray) -> bool:
            return (item in topk(scores, k)) != inside

        if not pairs:  # everything is in
            return Found(lower, (item, item))
        near = [*first, *pairs]
        found = self._settled(near[0][1], lambda: near, moved, alone, lower=lower)
        return self._against_all(found, pairs, moved)

    def _item_pairs(self, item: int, k: int) -> tuple[int, Bounded, Bounded]:
        """Return how far an item is at least from the border, and the pairs that must turn for it."""
        rank = self.rank(item)
        if rank > k:  # it must pass so many of those ahead that k - 1 are left
            ahead = self._cheap(
                [(other, item) for other in self.order[: rank - 1].tolist()]
            )
            pairs = self._smallest(ahead, rank - k)
            return pairs[-1][0], [], pairs[::-1]
        # So many must pass it that k are ahead, and one of them comes from outside.
        behind = self._cheap([(item, other) for other in self.order[rank:].tolist()])
        pairs = self._smallest(behind, k + 1 - rank)
        beyond = set(self.order[k:].tolist())
        outside = self._smallest(
            [bounded for bounded in behind if bounded[1][1] in beyond], 1
        )
        if not outside:
            return self.total, [], []
        return max(pairs[-1][0], outside[0][0]), outside, pairs[::-1]

    def away(self, k: int, moves: BoolArray, least: int) -> IntArray:
        """Return how many units must leave at least for each item to leave the top k, or to enter it.

        ``moves`` tells which items a single unit moves across the border; nobody else crosses it before
        ``least`` units have left. Few items are looked at closely. Of many, one crosses the border only
        if it passes one of the other side, or is passed: all these pairs are bounded together.
        """
        inside, outside = self.order[:k], self.order[k:]
        if not len(outside):
            return np.full(len(self.order), self.total)
        found = np.where(moves, 1, min(max(least, 2), self.total))
        if not self.pairs.certified or len(inside) * len(outside) > MOST_PAIRS:
            return found
        items, units = len(self.order), len(self._out.units)
        if items * (items - 1) <= 2 * (int(np.clip(units * items, *CLOSELY)) // units):
            return np.where(moves, 1, np.maximum(found, self._away_of_all(k)))
        bounds = np.concatenate(
            [bounds for _, bounds in self._at_least(inside, outside)]
        )
        nearest = np.concatenate([bounds.min(axis=1), bounds.min(axis=0)])
        found[self.order] = np.maximum(found[self.order], nearest)
        return np.where(moves, 1, found)

    def _away_of_all(self, k: int) -> IntArray:
        """Return how far each item is from rank k, all pairs looked at closely.

        An item outside must pass so many of those ahead that k - 1 are left; of those behind one inside
        so many must pass it that k are ahead, and one of them comes from outside.
        """
        items, found = len(self.order), np.empty(len(self.order), dtype=np.int64)
        ahead, behind = np.triu_indices(items, 1)
        bounds = np.full((items, items), self.total)
        bounds[ahead, behind] = self.pairs.at_least(
            self.order[ahead], self.order[behind], closely=True
        )
        inside, outside = np.arange(k), np.arange(k, items)
        found[self.order[k:]] = np.sort(bounds, axis=0)[outside - k, outside]
        passed = np.sort(bounds, axis=1)[inside, k - 1 - inside]
        found[self.order[:k]] = np.maximum(passed, bounds[:k, k:].min(axis=1))
        return found

    def _at_least(
        self, inside: IntArray, outside: IntArray
    ) -> Iterator[tuple[slice, IntArray]]:
        """Yield cheap bounds of all pairs: rows of some items inside at a time."""
        for part in slices(len(inside), PAIRS, len(outside)):
            ahead, behind = (
                np.repeat(inside[part], len(outside)),
                np.tile(outside, len(inside[part])),
            )
            yield part, self.pairs.at_least(ahead, behind).reshape(-1, len(outside))

    def _bounded(self, inside: IntArray, outside: IntArray, limit: int) -> Bounded:
        """Return the pairs whose cheap bound is within a limit, by that bound."""
        found: Pairs = []
        for part, bounds in self._at_least(inside, outside):
            row, column = np.nonzero(bounds <= limit)
            found += zip(
                inside[part][row].tolist(), outside[column].tolist(), strict=True
            )
        return self._cheap(found)

    def _cheap(self, pairs: Pairs) -> Bounded:
        """Return pairs with their cheap bounds, the smallest first, and of these the closest."""
        ahead, behind = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        bounds, scores = self.pairs.at_least(ahead, behind), self.scores
        with np.errstate(over="ignore"):  # a gap beyond all floats is one all the same
            order = np.lexsort((scores[ahead] - scores[behind], bounds)).tolist()
        return [(int(bounds[place]), pairs[place]) for place in order]

    def _weakest(self, cheap: Bounded, limit: int) -> Bounded:
        """Return pairs by their best bounds, told apart up to a limit that one of them has."""
        if not self.pairs.certified:
            return cheap
        near = [pair for bound, pair in cheap if bound <= limit]
        return sorted(zip(self.fewest(near, limit), near, strict=True))

    def _smallest(self, cheap: Bounded, number: int) -> Bounded:
        """Return the pairs with the smallest best bounds, so many of them, in order.

        Bounds are worked out up to a limit that grows: most pairs hold against far more units.
        """
        number = min(number, len(cheap))
        limit = cheap[number - 1][0] if number else self.total
        found = self._weakest(cheap, limit)
        while number and found[number - 1][0] > limit and limit < self.total:
            limit = min(4 * limit, self.total)
            found = self._weakest(cheap, limit)
        return found[:number]

    def _settled(
        self,
        pair: tuple[int, int],
        near: Callable[[], Bounded],
        turned: Turned,
        alone: IntArray | None = None,
        *,
        lower: int | None = None,
        tried: bool = True,
    ) -> Found:
        """Attack the pairs near to turning in turn until units are seen to do what the bound allows.

        Where one unit is known to do it, nothing is searched. The smallest bound is that of the first.
        """
        for unit in () if alone is None else alone[:TRIED].tolist():
            removal = Removal(np.array([unit]), np.ones(1, dtype=np.int64))
            if self._turns(removal, 1, turned):
                return Found(1, pair, 1, removal)
        pairs = near()
        lower = pairs[0][0] if lower is None else lower
        if alone is not None:
            lower = 1 if len(alone) else min(max(lower, 2), self.total)
        best = Found(lower, pairs[0][1])
        for bound, other in pairs[:ATTACKED] if tried else ():
            least = max(bound, lower)
            if best.upper is None or least < best.upper:
                best = self._tried(
                    best, self.pairs.remove(*other), other, turned, least
                )
            if best.upper == lower:
                break
        return best

    def _tried(
        self,
        best: Found,
        removal: Removal,
        pair: tuple[int, int],
        turned: Turned,
        least: int,
    ) -> Found:
        """Return a removal of as few units as are found to do if these are fewer than the best's."""
        most = min(
            removal.largest, self.total - 1 if best.upper is None else best.upper - 1
        )
        held = last_true(
            lambda number: not self._turns(removal, number, turned), most, first=least
        )
        return Found(best.lower, pair, held + 1, removal) if held < most else best

    def _against_all(self, best: Found, pairs: Bounded, turned: Turned) -> Found:
        """Attack several pairs at once, the most effective units of each in turn."""
        if best.upper == best.lower or len(pairs) < 2:
            return best
        removals = [
            (lower, self.pairs.remove(*pair)) for lower, pair in pairs[:TOGETHER]
        ]
        most = min(LOOKED_AT, self.total - 1) if best.upper is None else best.upper
        return self._tried(best, merged(removals, most), best.pair, turned, best.lower)

    def _turns(self, removal: Removal, number: int, turned: Turned) -> bool:
        """Take the units away, score again, and look."""
        scores = self.scores_after(removal, number)
        if scores is None or not turned(scores):
            return False
        self._seen = removal, number, scores
        return True

    def leaving(self, removal: Removal, number: int) -> IntArray:
        """Return how many of each distinct unit leave."""
        return removal.first(number, len(self._out.units))

    def scores_after(self, removal: Removal, number: int) -> FloatArray | None:
        """Return the scores when units left, None where there are none."""
        if (
            self._seen is not None
            and self._seen[0] is removal
            and self._seen[1] == number
        ):
            return self._seen[2]
        leaving = self.leaving(removal, number)
        left = self._out.units.counts - leaving
        if self._parts is not None and not self._parts @ left:
            return None  # the units that are left have no weight
        if number == 1 and not self.pairs.certified:  # what refitting gave is known
            rows = self._out.columns(np.arange(len(self.order)), leaving > 0)
            return next((row[0] for _, row in rows), self.scores)
        if (scores := scores_without(self._out, leaving)) is not None:
            return scores
        try:
            return self._scorer.score(self._data.with_copies(left))
        except (EngineError, UnreadableFileError):
            raise
        except (
            SteadyrankError
        ):  # an item without data, parts without a chain of wins between them
            return None

    @cached_property
    def _parts(self) -> IntArray | None:
        """The weight of each distinct unit, in whole parts, where they have weights."""
        return None if self._data.weights is None else shares_of(self._data).of_units


class Withstanding:
    """Which items may be in the top k after any removal of at most so many units.

    An item enters the top k only if fewer than k of the items ahead of it are certain to stay ahead. The
    list holds the top k and all such items, so that whoever is removed, the new plain top k is inside.
    Places are plain ranks, from 0 on.
    """

    def __init__(self, search: MarginSearch, removals: int) -> None:
        self._removals, self._search, self._order = removals, search, search.order
        self._left = LISTED

    def listed(self, k: int) -> IntArray:
        """Return the places of the top k and of all items that may enter it."""
        below, start = np.arange(k, len(self._order)), 0
        stay = np.zeros(len(self._order), dtype=np.int64)
        while len(below) and start < below[-1]:
            ahead = np.arange(
                start, min(start + max(1, PAIRS // len(below)), below[-1])
            )
            stay[below] += (
                ~self._near(ahead, below) & (ahead[:, np.newaxis] < below)
            ).sum(axis=0)
            below, start = below[stay[below] < k], start + len(ahead)
        entering = [
            place for place in below[::-1].tolist() if self._may_enter(place, k)
        ]
        return np.array([*range(k), *entering[::-1]])

    def _near(self, ahead: IntArray, behind: IntArray) -> BoolArray:
        """Return which pairs of places, ahead by behind, may turn by the quick bounds."""
        near: BoolArray = ahead[:, np.newaxis] < behind
        first, second = np.nonzero(near)
        pairs = self._order[ahead[first]], self._order[behind[second]]
        near[first, second] = (
            self._search.pairs.at_least(*pairs, most=self._removals) <= self._removals
        )
        return near

    def _may_enter(self, place: int, k: int) -> bool:
        others = np.flatnonzero(self._near(np.arange(place), np.array([place]))[:, 0])
        stay, most = place - len(others), place
        for stays in self._stay(others, place):  # the best first: the likeliest to stay
            stay, most = stay + stays, most - (not stays)
            if stay >= k or most < k:
                break
        return stay < k

    def _stay(self, others: IntArray, place: int) -> Iterator[bool]:
        """Tell of places whether they are certain to stay ahead of another, more and more at a time."""
        item, start, few = int(self._order[place]), 0, FIRST
        while start < len(others) and self._left > 0:
            stop = min(start + min(few, self._left), len(others))
            pairs = [
                (other, item) for other in self._order[others[start:stop]].tolist()
            ]
            for number in self._search.fewest(pairs, self._removals):
                self._left -= 1
                yield number > self._removals
            start, few = stop, 2 * few
        yield from [False] * (len(others) - start)


def merged(removals: list[tuple[int, Removal]], most: int) -> Removal:
    """Return one removal out of several, each taken as far as the others in parts of what it needs.

    Parameters
    ----------
    removals : list of (int, Removal)
        How many units each needs at least, and its units.
    most : int
        How many units of each are looked at.

    Examples
    --------
    >>> from steadyrank.margins.pairs import Removal
    >>> three = Removal(np.array([4, 2, 7]), np.array([1, 1, 1]))
    >>> six = Removal(np.array([2, 0]), np.array([1, 9]))
    >>> merged([(3, three), (6, six)], 5).units
    array([2, 4, 0, 0, 0, 0, 7])
    """
    places, copies, units = [], [], []
    for needed, removal in removals:
        each = np.minimum(removal.copies, most)
        unit = np.repeat(removal.units, each)[:most]
        first = np.repeat(np.cumsum(each) - each, each)[:most]
        places.append((np.arange(len(unit)) + 1) / needed)
        copies.append(np.arange(len(unit)) - first)
        units.append(unit)
    order = np.argsort(np.concatenate(places), kind="stable")
    named = np.stack([np.concatenate(units), np.concatenate(copies)])[:, order]
    kept = np.sort(np.unique(named, axis=1, return_index=True)[1])
    return Removal(named[0, kept], np.ones(len(kept), dtype=np.int64))


def order_of(scores: FloatArray) -> IntArray:
    """Return the plain ranking by these scores; the smaller index goes first in a tie."""
    return np.argsort(-scores, kind="stable")


def precedes(scores: FloatArray, one: int, other: int) -> bool:
    """Tell whether an item is above another; the smaller index wins a tie."""
    return bool(
        scores[one] > scores[other] or (scores[one] == scores[other] and one < other)
    )

"""How many units must leave before an answer changes, and which ones.

A top k changes exactly when some item outside passes some item inside, and a ranking exactly when some
neighbours swap. So a margin is a smallest number over pairs, which are scanned in the order of cheap
bounds. What comes out is an interval: ``lower`` is certified by the scorer's rule, ``upper`` is the
size of a set of units that was taken away, after which the data were scored anew and the answer seen
to change.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, pairwise, product, takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.data.observations import favouring
from steadyrank.errors import EngineError, SteadyrankError, UnreadableFileError
from steadyrank.margins.pairs import MANY, Attack
from steadyrank.operators.topk_sets import topk
from steadyrank.scorers.sums import scores_without
from steadyrank.sums.blocks import slices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.margins.pairs import Bounded, Contests, OnePair
    from steadyrank.study.facts import Facts

    Turned = Callable[[FloatArray], bool]
    """Whether scores give another answer than the one in question."""

ATTACKED = 8
"""How many pairs are attacked where the first attack does not settle the number."""

ADDED = 64
"""How many times the units that are there may be added at most."""

TOGETHER = 64
"""How many pairs are attacked at once, where several must turn."""

LOOKED_AT = 1 << 20
"""How many units of each such attack are looked at."""

PAIRS = 1 << 20
"""How many pairs are bounded at once."""


NEAREST = 12
"""How many items of each side of rank k are looked at closely."""

CLOSELY = 20_000
"""Distinct units beyond which none are."""

ALL_CLOSELY = 20_000_000
"""Items, squared, times distinct units up to which all of them are."""


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
    attack : Attack or None
        Its first units leave then, or are added.
    """

    lower: int
    pair: tuple[int, int]
    upper: int | None = None
    attack: Attack | None = None


class MarginSearch:
    """Looks for margins in one study; what is known about pairs is kept."""

    def __init__(self, study: Facts, by: str) -> None:
        self.study = study
        self.by = by
        self._lower: dict[tuple[int, int], int] = {}
        self._seen: tuple[Attack, int, FloatArray] | None = None

    @cached_property
    def contests(self) -> Contests:
        """What the scorer knows about pairs."""
        known = self.study.leave_one_out.contests()
        return known if self.by == "remove" else known.stuffed(changing=self.by == "change")

    @property
    def order(self) -> IntArray:
        """The plain ranking."""
        return self.study.order

    @property
    def _most(self) -> int:
        """How many units may leave or change at most: somebody stays. Far more may be added."""
        total = self.study.units.total
        return total - 1 if self.by != "add" else ADDED * total

    @property
    def _never(self) -> int:
        """The number that stands for an order that always holds."""
        return self.study.units.total if self.by != "add" else MANY

    def lower(self, ahead: int, behind: int, most: int = MANY) -> int:
        """Return how many units must leave at least for one item to pass another, up to ``most + 1``."""
        pair = (ahead, behind)
        if pair not in self._lower:
            found = self.contests.lower_upto(ahead, behind, most)
            if found is None:
                return min(most + 1, self._never)
            self._lower[pair] = found
        return self._lower[pair]

    def topk(self, k: int, *, tried: bool = True) -> Found:
        """Return how many units must leave for the plain top k to change; ``tried``: units do leave."""
        inside, outside = self.order[:k], self.order[k:]
        if not len(outside):
            return Found(self.study.units.total, (int(inside[-1]), int(inside[-1])))
        before = set(inside.tolist())
        limit = self.lower(int(inside[-1]), int(outside[0]))
        near = self._bounded(inside, outside, limit)
        pairs = self._weakest(near, limit)
        if not tried:
            return Found(*pairs[0])
        others = [bounded for bounded in near if bounded[0] <= pairs[0][0]]
        return self._settled(pairs, lambda scores: set(topk(scores, k).tolist()) != before, others)

    def away(self, k: int, moves: BoolArray, known: int) -> IntArray:
        """Return how many units must leave at least for each item to leave the top k, or to enter it.

        ``moves`` tells which items a single unit moves across the border. Of the others, those that
        quick bounds put nearest to it are looked at closely, or all where there are few; none where
        that takes long. Nobody crosses it before the top k changes, for which ``known`` must leave.
        """
        inside, outside = self.order[:k], self.order[k:]
        found = np.where(moves, 1, min(2, self.study.units.total))
        if not len(outside):
            return np.full(len(found), self.study.units.total)
        if not self.contests.several:
            return found
        units = len(self.study.units)
        closely = NEAREST if units <= CLOSELY and not self.contests.slow else 0
        if closely and len(self.order) ** 2 * units <= ALL_CLOSELY:
            closely = len(self.order)
        for items, bounds in zip((inside, outside), self._closest(inside, outside), strict=True):
            found[items] = np.where(moves[items], 1, np.maximum(bounds, max(2, known)))
            nearest = items[np.argsort(bounds, kind="stable")][:closely]
            for item in nearest[~moves[nearest]].tolist():
                found[item] = max(found[item], self._item_pairs(item, k)[0])
        return found

    def _closest(self, inside: IntArray, outside: IntArray) -> tuple[IntArray, IntArray]:
        """Return cheap bounds of how far each item is from being passed, or from passing one."""
        rows, columns = (np.full(len(part), self.study.units.total) for part in (inside, outside))
        for part, bounds in self._at_least(inside, outside):
            rows[part] = bounds.min(axis=1, initial=self.study.units.total)
            np.minimum(columns, bounds.min(axis=0), out=columns)
        return rows, columns

    def _at_least(self, inside: IntArray, outside: IntArray) -> Iterator[tuple[slice, IntArray]]:
        """Yield cheap bounds of all pairs: a row for each of some items inside."""
        for part in slices(len(inside), PAIRS, len(outside)):
            some = inside[part]
            pairs = np.repeat(some, len(outside)), np.tile(outside, len(some))
            yield part, self.contests.at_least(*pairs).reshape(len(some), -1)

    def ranking(self, *, tried: bool = True) -> Found:
        """Return how many units must leave for the plain ranking to change; ``tried`` likewise."""
        if len(self.order) == 1:
            return Found(self.study.units.total, (0, 0))
        near = self._cheap(list(pairwise(self.order.tolist())))
        pairs = self._weakest(near, self._smallest(near, 1)[0][0])
        if not tried:
            return Found(*pairs[0])
        return self._settled(pairs, lambda scores: bool((order_of(scores) != self.order).any()), near)

    def neighbours(self, most: int) -> Bounded:
        """Return how many units must leave at least for each item to be passed by the next."""
        runs = self.contests.runs((1, pair) for pair in pairwise(self.order[: most + 1].tolist()))
        return [(self.lower(*pair), pair) for run in runs for _, pair in run]

    def pair(self, ahead: int, behind: int) -> Found:
        """Return how many units must leave for one item to pass another."""
        pairs = [(self.lower(ahead, behind), (ahead, behind))]
        return self._settled(pairs, lambda scores: precedes(scores, behind, ahead))

    def rank(self, item: int) -> int:
        """Return the plain rank of an item."""
        return 1 + int(np.flatnonzero(self.order == item)[0])

    def item(self, item: int, k: int) -> Found:
        """Return how many units an item is away from leaving the top k, or from entering it."""
        inside = self.rank(item) <= k
        lower, first, pairs = self._item_pairs(item, k)

        def moved(scores: FloatArray) -> bool:
            return (item in topk(scores, k)) != inside

        if not pairs:  # everything is in
            return Found(lower, (item, item))
        found = self._settled([*first, *pairs], moved, lower=lower)
        return self._against_all(found, pairs, moved)

    def _item_pairs(self, item: int, k: int) -> tuple[int, Bounded, Bounded]:
        """Return how far an item is at least from the border, and the pairs that must turn for it."""
        rank = self.rank(item)
        if rank > k:  # it must pass so many of those ahead that k - 1 are left
            ahead = self._cheap([(other, item) for other in self.order[: rank - 1].tolist()])
            pairs = self._smallest(ahead, rank - k)
            return pairs[-1][0], [], pairs[::-1]
        # So many must pass it that k are ahead, and one of them comes from outside.
        behind = self._cheap([(item, other) for other in self.order[rank:].tolist()])
        pairs = self._smallest(behind, k + 1 - rank)
        beyond = set(self.order[k:].tolist())
        outside = self._smallest([bounded for bounded in behind if bounded[1][1] in beyond], 1)
        if not outside:
            return self.study.units.total, [], []
        return max(pairs[-1][0], outside[0][0]), outside, pairs[::-1]

    def attacked(self, lower: int, inside: IntArray, outside: IntArray, turned: Turned) -> Found:
        """Look for few units that turn an answer for which several pairs around the border must turn."""
        near = product(inside[-2 * NEAREST :].tolist(), outside[: 2 * NEAREST].tolist())
        pairs = self._smallest(self._cheap(list(near)), NEAREST)
        return self._against_all(self._settled(pairs, turned, lower=lower), pairs, turned)

    def _weakest(self, cheap: Bounded, limit: int) -> Bounded:
        """Return the pairs with the smallest lower bound, which is known not to exceed a limit."""
        found = []
        near = takewhile(lambda bounded: bounded[0] <= limit, cheap)
        for run in self.contests.runs(near):
            for bound, pair in run:
                if bound <= limit:
                    found.append((self.lower(*pair, limit), pair))
                    limit = min(limit, found[-1][0])
        return sorted(bounded for bounded in found if bounded[0] == limit)

    def _cheap(self, pairs: list[tuple[int, int]]) -> Bounded:
        """Return pairs with their cheap bounds, the smallest first."""
        ahead, behind = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        bounds = self.contests.at_least(ahead, behind).tolist()
        return sorted(zip(bounds, pairs, strict=True), key=lambda bounded: bounded[0])

    def _bounded(self, inside: IntArray, outside: IntArray, limit: int) -> Bounded:
        """Return the pairs whose cheap bound is within a limit, by that bound."""
        found = []
        for part, bounds in self._at_least(inside, outside):
            row, column = np.nonzero(bounds <= limit)
            pairs = zip(inside[part][row].tolist(), outside[column].tolist(), strict=True)
            found += list(zip(bounds[row, column].tolist(), pairs, strict=True))
        return sorted(found)

    def _smallest(self, cheap: Bounded, number: int, most: int = MANY) -> Bounded:
        """Return the pairs with the smallest lower bounds, so many of them, in order.

        Bounds are worked out up to a limit that grows: most pairs hold against far more units.
        """
        number = min(number, len(cheap))
        limit = cheap[number - 1][0] if number else most
        known = self._within(cheap, number, limit)
        while number and known[number - 1][0] > limit and limit < most:
            limit = min(4 * limit, most)
            known = self._within(cheap, number, limit)
        return known[:number]

    def _within(self, cheap: Bounded, number: int, limit: int) -> Bounded:
        """Return pairs by their lower bounds up to a limit, until so many are the smallest."""
        known: Bounded = []

        def matters(bounded: OnePair) -> bool:
            return len(known) < number or bounded[0] < min(known[number - 1][0], limit + 1)

        for run in self.contests.runs(takewhile(matters, cheap)):
            for bounded in filter(matters, run):
                insort(known, (self.lower(*bounded[1], limit), bounded[1]))
        return known

    def _settled(
        self, pairs: Bounded, turned: Turned, others: Iterable[OnePair] = (), *, lower: int | None = None
    ) -> Found:
        """Attack the pairs in turn until a set of units is seen to do what the bound allows.

        The ``others`` come after the pairs, by bounds that are worked out no further than they matter.
        """
        lower = pairs[0][0] if lower is None else lower
        best = Found(lower, pairs[0][1])

        def later() -> Iterator[OnePair]:
            first, most = set(pairs), MANY if best.upper is None else best.upper - 1
            rest = [bounded for bounded in others if (lower, bounded[1]) not in first]
            yield from self._smallest(rest, ATTACKED, most)

        for least, pair in islice(chain(pairs, later()), ATTACKED):
            if best.upper is None or max(least, lower) < best.upper:
                best = self._tried(best, self.contests.attack(*pair), pair, turned, max(least, lower))
            if best.upper == lower:
                return best
        return best

    def _tried(
        self, best: Found, attack: Attack, pair: tuple[int, int], turned: Turned, least: int
    ) -> Found:
        """Return the attack by as few units as are found to do if these are fewer than the best's."""
        most = min(attack.largest, self._most if best.upper is None else best.upper - 1)
        held = last_true(lambda number: not self._turns(attack, number, turned), most, first=least)
        return Found(best.lower, pair, held + 1, attack) if held < most else best

    def _against_all(self, best: Found, pairs: Bounded, turned: Turned) -> Found:
        """Attack several pairs at once, the most effective units of each in turn."""
        if best.upper == best.lower or len(pairs) < 2:
            return best
        attacks = [(lower, self.contests.attack(*pair)) for lower, pair in pairs[:TOGETHER]]
        most = min(LOOKED_AT, self._most) if best.upper is None else best.upper
        return self._tried(best, merged(attacks, most), best.pair, turned, best.lower)

    def _turns(self, attack: Attack, number: int, turned: Turned) -> bool:
        """Take the units away or add them, score anew, and look."""
        scores = self.scores_after(attack, number)
        if scores is None or not turned(scores):
            return False
        self._seen = attack, number, scores
        return True

    def saw(self, attack: Attack, scores: FloatArray) -> None:
        """Keep the scores without the one unit of an attack."""
        self._seen = attack, 1, scores

    def leaving(self, attack: Attack, number: int) -> IntArray:
        """Return how many of each distinct unit leave."""
        return attack.first(number, len(self.study.units))

    def added(self, attack: Attack) -> Any:
        """Return the unit that an attack adds, as ``data.with_added`` takes it; None where none is."""
        if attack.favour is None:
            return None
        ahead, behind, low, high = attack.favour
        return favouring(self.study.data, behind, ahead, (low, high))

    def scores_after(self, attack: Attack, number: int) -> FloatArray | None:
        """Return the scores when an attack was carried out, None where there are none."""
        if self._seen is not None and self._seen[0] is attack and self._seen[1] == number:
            return self._seen[2]
        study, added, leaving = self.study, self.added(attack), self.leaving(attack, number)
        if added is None and (scores := scores_without(study.leave_one_out, leaving)) is not None:
            return scores
        try:
            data = study.data.with_copies(study.units.counts - leaving)
            if added is not None:
                data = data.with_added(added, number)
            return study.scorer.score(data)
        except (EngineError, UnreadableFileError):
            raise
        except SteadyrankError:  # an item without data, parts without a chain of wins between them
            return None


def merged(attacks: list[tuple[int, Attack]], most: int) -> Attack:
    """Return one attack out of several, each taken as far as the others in parts of what it needs.

    Parameters
    ----------
    attacks : list of (int, Attack)
        How many units each needs at least, and its units.
    most : int
        How many units of each are looked at.

    Examples
    --------
    >>> from steadyrank.margins.pairs import Attack
    >>> three = Attack(np.array([4, 2, 7]), np.array([1, 1, 1]))
    >>> six = Attack(np.array([2, 0]), np.array([1, 9]))
    >>> merged([(3, three), (6, six)], 5).units
    array([2, 4, 0, 0, 0, 0, 7])
    """
    places, copies, units = [], [], []
    for needed, attack in attacks:
        each = np.minimum(attack.copies, most)
        unit = np.repeat(attack.units, each)[:most]
        first = np.repeat(np.cumsum(each) - each, each)[:most]
        places.append((np.arange(len(unit)) + 1) / needed)
        copies.append(np.arange(len(unit)) - first)
        units.append(unit)
    order = np.argsort(np.concatenate(places), kind="stable")
    named = np.stack([np.concatenate(units), np.concatenate(copies)])[:, order]
    kept = np.sort(np.unique(named, axis=1, return_index=True)[1])
    return Attack(named[0, kept], np.ones(len(kept), dtype=np.int64), attacks[0][1].favour)


def last_true(holds: Callable[[int], bool], most: int, first: int = 1) -> int:
    """Return the last number up to which something holds, asked from ``first`` on; one less if never.

    Examples
    --------
    >>> last_true(lambda number: number < 700, 1000), last_true(lambda number: True, 5)
    (699, 5)
    """
    known, asked = first - 1, first
    while asked <= most and holds(asked):
        known, asked = asked, min(2 * asked, most) if asked < most else most + 1
    while asked - known > 1:
        middle = (known + asked) // 2
        known, asked = (middle, asked) if holds(middle) else (known, middle)
    return known


def order_of(scores: FloatArray) -> IntArray:
    """Return the plain ranking by these scores; the smaller index goes first in a tie."""
    return np.argsort(-scores, kind="stable")


def precedes(scores: FloatArray, one: int, other: int) -> bool:
    """Tell whether an item is above another; the smaller index wins a tie."""
    return bool(scores[one] > scores[other] or (scores[one] == scores[other] and one < other))

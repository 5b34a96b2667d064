r"""Answers that hold against any m removals: the eps that is certified to be enough.

Let w be the scores of all the data, v those without at most m units, and ``G[a, o]`` a bound of the
largest ``v_o - v_a``, as the scorer certifies it (:meth:`~steadyrank.margins.pairs.PairMargins.leads`).
Write ``reach{...}`` for the critical eps (k = 1) of an item that is so far below others.

*Overlap of a top k.* Let S be the list at eps. The list by v shares k items with it if at least k
members a of S have ``reach{ G[a, o]+ : o outside S } < eps``. Proof: if it does not, let a be the best
member by v that it lacks; fewer than k members are ahead of a. So the l-th best outsider has a rank of
at most k - 1 + l, and outsiders are ahead of a by no less than the items from rank k on, which keep a
out: its reach is eps or more, and so is that of all members behind it. These are all of S but at most
k - 1. The condition gets easier as eps grows.

*Overlap of rankings.* Place items in the order of ``(w + v) / 2``. When p is placed, an item o that is
left and better by w has ``v_p - v_o >= w_o - w_p``, and one that is better by v is worse by w, and by no
less than it is then better. So p is eligible by both scores if the two are below eps:
``reach{ w_o - w_p : G[o, p] >= w_o - w_p > 0 }`` and ``reach{ min(G[p, o], w_p - w_o)+ }``.

*Cover.* An item enters the top k only if fewer than k of the items ahead of it are certain to stay
ahead; the list must go down to the last such item. The ranking by v is in the set at eps if each p
reaches all items ahead of it that it can pass. Cover implies overlap: both sets then hold the new plain
answer.
"""

from __future__ import annotations

import math
from bisect import insort
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.margins.pairs import last_true
from steadyrank.margins.search import PAIRS, MarginSearch
from steadyrank.operators.inflation import critical_below, critical_eps
from steadyrank.sums.blocks import slices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.margins.pairs import Pairs

CLOSELY = 5_000
"""How many pairs are looked at closely for cover, and for overlap; of others quick bounds are used."""

FIRST = 32
"""How many pairs are made ready at first; twice as many each time, as long as answers are wanted."""


def reach(gaps: FloatArray) -> float:
    """Return the critical eps of an item that is so far below others.

    Examples
    --------
    >>> round(reach(np.array([0.5, 1.0])), 5), reach(np.array([]))
    (1.54583, 0.0)
    """
    above = np.append(-np.sort(-gaps), 0.0)
    if np.isinf(above[0]):
        return math.inf
    return float(critical_below((above[0] - above)[np.newaxis], above[:1])[0, -1])


class Withstanding:
    """What answers need to withstand any removal of at most so many units.

    Places are plain ranks, from 0 on.
    """

    def __init__(self, search: MarginSearch, removals: int) -> None:
        self._removals, self._search = removals, search
        self._order, self._ranked = search.order, search.scores[search.order]
        self._known: dict[tuple[int, int], float] = {}
        self._left = CLOSELY

    def eps_needed(self, k: int | None, *, cover: bool) -> float:
        """Return the eps above which a top k, or without a k the ranking, withstands."""
        return self.ranking(cover=cover) if k is None else self.topk(k, cover=cover)

    def topk(self, k: int, *, cover: bool) -> float:
        """Return the eps above which a top k withstands."""
        enters = np.append(critical_eps(self._ranked, k), np.inf)
        last = next(self._entering(k), k - 1)
        if cover:
            return float(enters[last])
        self._left = CLOSELY
        # Equal ones enter together.
        sizes = [size for size in range(k, last + 1) if enters[size] > enters[size - 1]]
        needed = cache(partial(self._needed, k))
        short = last_true(
            lambda number: bool(needed(sizes[number - 1]) >= enters[sizes[number - 1]]), len(sizes)
        )
        if short == len(sizes):
            return float(enters[last])
        return float(max(needed(sizes[short]), enters[sizes[short] - 1]))

    def listed(self, k: int) -> IntArray:
        """Return the places of the top k and of all items that may enter it."""
        return np.array([*range(k), *sorted(self._entering(k))])

    def ranking(self, *, cover: bool) -> float:
        """Return the eps above which the ranking withstands."""
        covering = self._dearest(self._to_cover)
        self._left = CLOSELY
        return covering if cover else min(covering, self._dearest(self._to_meet))

    def _near(self, ahead: IntArray, behind: IntArray) -> BoolArray:
        """Return which pairs of places, ahead by behind, may turn by the quick bounds."""
        near: BoolArray = ahead[:, np.newaxis] < behind
        first, second = np.nonzero(near)
        pairs = self._order[ahead[first]], self._order[behind[second]]
        near[first, second] = self._search.pairs.at_least(*pairs, most=self._removals) <= self._removals
        return near

    def _batches(self, ahead: IntArray, behind: IntArray) -> Iterator[tuple[slice, Pairs]]:
        """Yield pairs of places that may be looked at closely, more and more at a time."""
        ends = (self._order[part].tolist() for part in np.broadcast_arrays(ahead, behind))
        pairs, start, few = list(zip(*ends, strict=True)), 0, FIRST
        while start < len(pairs) and self._left > 0:
            part = slice(start, min(start + min(few, self._left), len(pairs)))
            yield part, pairs[part]
            start, few = part.stop, 2 * few

    def _stay(self, ahead: IntArray, behind: IntArray) -> Iterator[bool]:
        """Tell of pairs of places whether their order is certain to stay."""
        looked = 0
        for part, pairs in self._batches(ahead, behind):
            for number in self._search.fewest(pairs, self._removals):
                self._left -= 1
                yield number > self._removals
            looked = part.stop
        yield from [False] * (np.broadcast(ahead, behind).size - looked)

    def _leads(self, ahead: IntArray, behind: IntArray, upto: FloatArray) -> FloatArray:
        """Return the largest lead that each place behind may get, if it is not more than ``upto``."""
        found = upto.copy()
        for part, pairs in self._batches(ahead, behind):
            self._left -= len(pairs)
            new = [
                (pair, most)
                for pair, most in zip(pairs, upto[part].tolist(), strict=True)
                if pair not in self._known
            ]
            if new:
                some, most = map(list, zip(*new, strict=True))
                leads = self._search.pairs.leads(self._removals, some, most)
                self._known |= dict(zip(some, np.minimum(leads, most).tolist(), strict=True))
            found[part] = [self._known[pair] for pair in pairs]
        return found

    def _entering(self, k: int) -> Iterator[int]:
        """Yield the places from which an item may enter the top k, the last one first."""
        below, start = np.arange(k, len(self._order)), 0
        stay = np.zeros(len(self._order), dtype=np.int64)
        while len(below) and start < below[-1]:
            ahead = np.arange(start, min(start + max(1, PAIRS // len(below)), below[-1]))
            stay[below] += (~self._near(ahead, below) & (ahead[:, np.newaxis] < below)).sum(axis=0)
            below, start = below[stay[below] < k], start + len(ahead)
        return (place for place in below[::-1].tolist() if self._may_enter(place, k))

    def _may_enter(self, place: int, k: int) -> bool:
        others = self._near_ahead(place)
        stay, most = place - len(others), place
        for stays in self._stay(others, np.array([place])):  # the best first: the likeliest to stay
            stay, most = stay + stays, most - (not stays)
            if stay >= k or most < k:
                break
        return stay < k

    def _needed(self, k: int, size: int) -> float:
        """Return the k-th smallest reach of the members of a list of so many, as far as we may look."""
        if self._left <= 0:
            return math.inf
        outside = np.arange(size, len(self._order))
        inside, parts = np.arange(size), slices(size, PAIRS, len(outside))
        threats = np.concatenate([self._near(inside[part], outside).sum(axis=1) for part in parts])
        found = [0.0] * int((threats == 0).sum())
        for member in np.argsort(threats, kind="stable")[len(found) :].tolist():
            if len(found) >= k and (self._left <= 0 or not any(found[:k])):
                break
            others = self._near_behind(member, size)
            leads = self._leads(np.array([member]), others, np.full(len(others), np.inf))
            insort(found, reach(leads))
        return found[k - 1]

    def _dearest(self, cost: Callable[[int, bool], float]) -> float:
        """Return the largest cost of a place; its quick bounds order the search."""
        quick = np.array([cost(place, False) for place in range(len(self._order))])
        found = 0.0
        for place in np.argsort(-quick, kind="stable").tolist():
            if quick[place] <= found:
                break
            found = max(found, cost(place, True))
        return found

    def _to_cover(self, place: int, closely: bool) -> float:
        """Return what an item needs to reach all those ahead that it can pass."""
        others = self._near_ahead(place)
        if closely:
            others = others[[not stays for stays in self._stay(others, np.array([place]))]]
        return reach(self._ranked[others] - self._ranked[place])

    def _to_meet(self, place: int, closely: bool) -> float:
        """Return what an item needs to be placed by both scores."""
        ahead, behind = self._near_ahead(place), self._near_behind(place)
        over = self._ranked[ahead] - self._ranked[place]
        under = self._ranked[place] - self._ranked[behind]
        if closely:
            here = np.array([place])
            over = over[self._leads(ahead, here, over) >= over]
            under = self._leads(here, behind, under)
        return max(reach(over), reach(under))

    def _near_ahead(self, place: int) -> IntArray:
        return np.flatnonzero(self._near(np.arange(place), np.array([place]))[:, 0])

    def _near_behind(self, place: int, start: int = 0) -> IntArray:
        behind = np.arange(max(start, place + 1), len(self._order))
        return np.asarray(behind[self._near(np.array([place]), behind)[0]])

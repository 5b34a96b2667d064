r"""Margins of Bradley-Terry scores: a certified number of units below which no order turns.

Write H for the Hessian of the fit (with its ridge) and ``<x, y>`` for ``x' H^-1 y``. A battle between a
and b is the vector ``u = e_a - e_b``, the pair in question ``p = e_j - e_i``, where j is behind i by a
gap D; ``R = <p, p>`` is its effective resistance, ``s = 1 - exp(-D)`` and ``t = 2 s / sqrt(R)``. A
battle that a won with a chance q has the surprise ``r = 1 - q`` and the information ``v = q (1 - q)``
(a tie is half a win each way); let ``w = |r| + s v``. *Taking away a set of battles lets j pass i only
if*

    sum over the set of  min( 4 s w,  2 t z + n )  >=  t^2,

*where* ``z = (r <-u, p> + s v |<u, p>|) / sqrt(R)`` *and n is the sum over the set of* ``w w' |<u, u'>
- <u, p> <u', p> / R|``.

Proof. Let d be the change of the scores and c the same clipped to the range between the changes of i
and j, so that c differs by D between them and by no more between any two. Both fits have gradient 0;
multiplied with c this says: the sum over the battles taken away of ``r (c_b - c_a)``, surprises at the
*old* fit, equals the sum over the battles *kept* of (fall of the chance) times ``c_b - c_a``. The slope
of the logistic function falls on the way by at most the factor ``exp(-|change|)``, and clipping shrinks
differences: a kept battle gives at least ``k v (c_b - c_a)^2`` with ``k = s / D``. Let those taken away
give it, too, and pay for it on the other side, where a difference of c is at most D:

    sum over the set of  r (c_b - c_a) + s v |c_b - c_a|  >=  k c' H c,      with p'c = D.

For some battles use that a difference is at most D (in all ``A D``, with A their sum of w, or of 1
where that is less: the surprise at the *new* fit, of which the energy of that battle need not be paid
for, is below 1), and for the others let g be their signed sum. The largest ``A D + g'c - k c' H c``
over such c is not negative exactly if ``t <= <g, p> / sqrt(R) + sqrt(4 s A + <g, g>)``; split g into
its part along p and the rest, square, and the part along p cancels. With a ridge take c minus its value
nearest to 0: a constant changes no difference, and then ``d (c - o) >= (c - o)^2`` for each item. QED

A battle of weight w counts w times in all of that: its r, v and the 1 are multiplied by w.

So every unit has an effect, and m units suffice at most where the m largest effects do. The n of a
battle is bounded by lengths first, and by its products with the battles that matter to it only where it
is among the most effective.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from steadyrank.margins.pairs import MANY, LeftOutMargins, last_true

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.margins.pairs import Pairs
    from steadyrank.scorers.bradley_terry.folds import BattlesOut

CLOSELY = 512
"""How many battles are looked at closely for one bound; the lengths of all others must do."""

ROUNDING = 1e-13
"""More than what rounding of a resistance amounts to, relative to what cancels in it."""

SURE = 1 + 1e-9
"""Makes what units can do larger than its rounding errors."""


class Ranked(NamedTuple):
    """Units by value, the most valuable first: how many so far, and what they are worth together."""

    units: IntArray
    number: IntArray
    upto: FloatArray

    def top(self, m: int) -> float:
        """Return what the m most valuable units are worth."""
        place = int(np.searchsorted(self.number, m))
        if place == len(self.number):
            return float(self.upto[-1])
        number, worth = (
            (0, 0.0) if not place else (self.number[place - 1], self.upto[place - 1])
        )
        share = (m - number) / (self.number[place] - number)
        return float(worth + share * (self.upto[place] - worth))

    def first(self, m: int) -> IntArray:
        """Return the m most valuable units, equal ones once."""
        return self.units[: int(np.searchsorted(self.number, m)) + 1]


class BradleyTerryMargins(LeftOutMargins):
    """Margins of Bradley-Terry scores.

    Parameters
    ----------
    out : BattlesOut
        The scores without each unit, and the fit itself.
    """

    rule = "certified by effective resistances; seen by an attack on the units that narrow the gap most"
    certified = True

    def __init__(self, out: BattlesOut) -> None:
        super().__init__(out)
        fit = out.folds
        self._full, self._scores, self.inverse = fit.full, fit.scores, fit.full.inverse
        self._steady = fit.full.steady
        # Scores that are linked one to the next become equal, all of them at most.
        self._linked = out.resolution / fit.scale[1] * len(fit.scores)
        self.owner, self.taken = fit.removals.by_pair
        taken = self.taken
        chance = fit.full.win_chance[taken.first, taken.second]
        self.surprise = taken.wins - taken.battles * chance
        self.information = taken.battles * chance * (1 - chance)
        self.resistances = self.resistance(taken.first, taken.second)
        self._heaviest = self.most(
            np.minimum(np.abs(self.surprise) + self.information, taken.battles)
        )

    def resistance(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return the effective resistances of pairs, or what rounding makes a little larger."""
        own = np.einsum("ii->i", self.inverse)
        rounding = ROUNDING * (own[first] + own[second])
        return np.asarray(self._full.resistance(first, second) + rounding)

    def gaps(self, ahead: IntArray, behind: IntArray) -> FloatArray:
        """Return how far scores must move for ties to become possible."""
        return np.maximum(
            self._scores[ahead] - self._scores[behind] - self._linked, 0.0
        )

    def needed(self, ahead: IntArray, behind: IntArray) -> FloatArray:
        """Return how many battles it takes at least to close the gap, whatever they say."""
        if not self._steady:
            return np.zeros(len(ahead))
        moved = -np.expm1(-self.gaps(ahead, behind))
        return np.asarray(moved / self.resistance(ahead, behind))

    def _quick(self, ahead: IntArray, behind: IntArray) -> IntArray:
        """Take every battle for one of the two items."""
        needed = self.needed(ahead, behind)
        number, upto = (np.append(0, part) for part in self._heaviest[1:])
        place = np.searchsorted(upto[1:], needed)
        after = np.minimum(place + 1, len(upto) - 1)
        each = (upto[after] - upto[place]) / np.maximum(
            number[after] - number[place], 1
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            more = np.ceil((needed - upto[place]) / each * (1 - 1e-9))
        found = number[place] + np.maximum(more, 1)
        return np.where(place == len(upto) - 1, self.out.units.total, found).astype(
            np.int64
        )

    def fewest(self, pairs: Pairs, most: int = MANY) -> list[int]:
        """Return the bound of each pair."""
        return [self._of_pair(*pair, most) for pair in pairs]

    def _of_pair(self, ahead: int, behind: int, most: int) -> int:
        """Return the bound of one pair if it is not larger than ``most``, which is one question."""
        if not self._steady:
            return 1
        gap = self.gaps(np.array([ahead]), np.array([behind]))[0]
        effects, total = _Effects(self, ahead, behind, float(gap)), self.out.units.total
        if most < total and not effects.suffice(most):
            return most + 1
        # All units together need not be asked about: that number stands for never, too.
        return 1 + last_true(lambda m: not effects.suffice(m), min(most, total - 1))

    def most(self, values: FloatArray, among: int | None = None) -> Ranked:
        """Return the units by the sum of their battles' values, the most valuable first, or so many."""
        by_unit = np.bincount(self.owner, values, minlength=len(self.out.units))
        if among is None or among >= len(by_unit):
            order = np.argsort(-by_unit, kind="stable")
        else:
            order = np.argpartition(-by_unit, among - 1)[:among]
            order = order[np.argsort(-by_unit[order], kind="stable")]
        counts = self.out.units.counts[order]
        gained = np.asarray(
            counts * np.maximum(by_unit[order], 0.0) * SURE, dtype=np.float64
        )
        return Ranked(order, np.cumsum(counts), np.cumsum(gained))


class _Effects:
    """What each unit can do to move the gap of two items so far."""

    def __init__(
        self, known: BradleyTerryMargins, ahead: int, behind: int, moved: float
    ) -> None:
        self.known, taken = known, known.taken
        root = np.sqrt(known.resistance(np.array([ahead]), np.array([behind]))[0])
        self._s = float(-np.expm1(-moved))
        self._t = 2 * self._s / float(root)
        potential = known.inverse[ahead] - known.inverse[behind]
        self._along = (potential[taken.first] - potential[taken.second]) / root
        self._weight = np.abs(known.surprise) + self._s * known.information
        self._most = np.minimum(self._weight, taken.battles)
        drive = known.surprise * self._along + self._s * known.information * np.abs(
            self._along
        )
        self._drive = 2 * self._t * drive
        # What a battle has besides its part along the pair: its length, times its weight.
        rest = np.sqrt(np.maximum(known.resistances - self._along**2, 0.0))
        self._rest = self._weight * rest
        self._lengths = known.most(self._rest)

    def suffice(self, m: int) -> bool:
        """Tell whether the bound allows m units to do it."""
        known, target = self.known, self._t**2
        beside = self._rest * self._lengths.top(m)
        looked, left = np.zeros(len(beside), dtype=np.bool_), CLOSELY
        while True:
            effects = known.most(
                np.minimum(4 * self._s * self._most, self._drive + beside), m
            )
            suffices = effects.top(m) >= target
            unseen = np.flatnonzero(np.isin(known.owner, effects.first(m)) & ~looked)[
                :left
            ]
            if not suffices or not len(unseen):
                return suffices
            looked[unseen], left = True, left - len(unseen)
            shared = np.array(
                [self._products(battle, m).top(m) for battle in unseen.tolist()]
            )
            beside[unseen] = np.minimum(beside[unseen], shared * self._weight[unseen])

    def _products(self, battle: int, m: int) -> Ranked:
        """Return the m units that share most with a battle, besides the pair."""
        known, taken = self.known, self.known.taken
        potential = (
            known.inverse[taken.first[battle]] - known.inverse[taken.second[battle]]
        )
        shared = potential[taken.first] - potential[taken.second]
        shared -= self._along[battle] * self._along
        return known.most(np.abs(shared) * self._weight, m)

"""Bradley-Terry: strengths from battles, with exact scores without each battle or group."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.engines.blocks import DenseBlock
from steadyrank.errors import InvalidSettingError
from steadyrank.scorers.base import LeaveOneOut, Scorer, check_several
from steadyrank.scorers.paired_curves import Curves, PairFolds
from steadyrank.scorers.paired_fit import CHUNK_NUMBERS, strengths
from steadyrank.scorers.paired_units import Removals, check_connected, check_connected_without_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.data.battles import Battles
    from steadyrank.data.units import Units

BLOCK_NUMBERS = 2_000_000
"""How many leave-one-out scores one block holds (16 MB)."""
KEPT_NUMBERS = 8_000_000
"""Up to this many leave-one-out scores (64 MB) are kept, so that asking again costs nothing."""


@dataclass(frozen=True)
class BradleyTerry(Scorer):
    """Maximum likelihood strengths, as natural log odds with mean 0.

    Item i beats item j with probability ``1 / (1 + exp(s_j - s_i))``; a tie counts as half a
    win for each side. Without a ridge the scores exist only where every two items are joined by
    chains of wins (or ties) in both directions, on all the data and without each unit; anything
    else is refused with an error that lists the groups of items. Leave-one-out scores are those
    of a full refit (to about 1e-12), not of one Newton step.

    Parameters
    ----------
    ridge : float
        Adds ``ridge / 2 * ||scores||^2`` to the negative log likelihood, a Gaussian prior of
        variance ``1 / ridge``. It stays the same when a unit leaves.

    Examples
    --------
    >>> from steadyrank.data import Battles
    >>> battles = Battles.from_pairs(["ann"], ["bob"], [3], [1])
    >>> BradleyTerry().score(battles).round(4)  # odds of 3 : 1
    array([ 0.5493, -0.5493])
    >>> without = BradleyTerry(ridge=1.0).leave_one_out(battles)
    >>> without.shifts().round(4)  # one win of ann less, one win of bob less
    array([0.1983, 0.4306])
    """

    takes = ("battles",)

    ridge: float = 0.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.ridge) and self.ridge >= 0):
            raise InvalidSettingError(
                f"ridge must be 0 or a positive, finite number, but is {self.ridge!r}."
            )

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return f"Bradley-Terry, ridge {self.ridge:g}" if self.ridge else "Bradley-Terry"

    def score(self, data: Battles) -> FloatArray:
        """Return the strengths."""
        self.check(data)
        return self._fit(data, Removals.of(data))[1]

    def leave_one_out(self, data: Battles) -> LeaveOneOut:
        """Return the strengths without each distinct battle, or without each group."""
        self.check(data)
        check_several(data)
        removals = Removals.of(data)
        wins, scores = self._fit(data, removals)
        if not self.ridge:
            check_connected_without_each(wins, removals, data)
        return _BattlesOut(scores, data.units, wins, removals, self.ridge)

    def _fit(self, data: Battles, removals: Removals) -> tuple[FloatArray, FloatArray]:
        wins = removals.wins(data.units.counts, data.n_items)
        if not self.ridge:
            check_connected(wins, data)
        return wins, strengths(wins, self.ridge)


class _BattlesOut(LeaveOneOut):
    """Units of one pair by its curve where that is accurate, all others by Newton's method."""

    def __init__(
        self, scores: FloatArray, units: Units, wins: FloatArray, removals: Removals, ridge: float
    ) -> None:
        self.scores = scores
        self.units = units
        self._wins = wins
        self._removals = removals
        self._ridge = ridge
        self._kept: list[DenseBlock] = []

    @cached_property
    def _pairs(self) -> tuple[IntArray, PairFolds]:
        return self._removals.one_pair(len(self.scores))

    @cached_property
    def _curves(self) -> Curves:
        return Curves(self._wins, self.scores, self._ridge)

    def blocks(self) -> Iterator[DenseBlock]:
        """Yield blocks that cover all distinct units in order."""
        if self._kept:
            yield from self._kept
            return
        keep = len(self.units) * len(self.scores) <= KEPT_NUMBERS
        step = max(1, BLOCK_NUMBERS // len(self.scores))
        kept: list[DenseBlock] = []
        for start in range(0, len(self.units), step):
            stop = min(start + step, len(self.units))
            block = DenseBlock(start, self._without(start, stop))
            if keep:
                kept.append(block)
            yield block
        self._kept = kept

    def _without(self, start: int, stop: int) -> FloatArray:
        found, rest = self._along_curves(start, stop)
        step = max(1, CHUNK_NUMBERS // len(self.scores) ** 2)
        for first in range(0, len(rest), step):
            chosen = rest[first : first + step]
            found[chosen - start] = self._refit(chosen)
        return found

    def _along_curves(self, start: int, stop: int) -> tuple[FloatArray, IntArray]:
        """Return the scores as far as curves give them, and the units that they do not."""
        units, folds = self._pairs
        part = slice(*np.searchsorted(units, [start, stop]))
        single, cut = units[part], folds.part(part)
        if len(single) == stop - start:
            found, sound = self._curves.solve(cut)
            return found, single[~sound]
        # The others are units of several pairs, and units that take nothing away.
        found = np.repeat(self.scores[np.newaxis], stop - start, axis=0)
        rest = self._owners[slice(*np.searchsorted(self._owners, [start, stop]))]
        if len(single):
            found[single - start], sound = self._curves.solve(cut)
            rest = np.setdiff1d(rest, single[sound], assume_unique=True)
        return found, rest

    @cached_property
    def _owners(self) -> IntArray:
        return np.unique(self._removals.owner)

    def _refit(self, chosen: IntArray) -> FloatArray:
        entries, place = self._removals.of_units(chosen)
        wins = np.repeat(self._wins[np.newaxis], len(chosen), axis=0)
        taken = self._removals
        wins[place, taken.winner[entries], taken.loser[entries]] -= taken.weight[entries]
        return strengths(wins, self._ridge, self.scores)

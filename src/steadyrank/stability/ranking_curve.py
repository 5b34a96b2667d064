r"""The whole delta(eps) curve of the full ranking from one pass over the left-out scores.

For each unit i, ``b_i`` is the eps at which the sets with and without it begin to share a ranking, and
``c_i`` that at which the set begins to hold the plain ranking without it, both exactly
(:mod:`steadyrank.operators.meeting`). Units that leave the plain ranking as it is have 0 for both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from steadyrank.operators.intervals import tier_eps
from steadyrank.operators.meeting import Rival
from steadyrank.reading.arrays import frozen
from steadyrank.stability.curve import Curve, Shares, finite_steps, positive
from steadyrank.wording import counted

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.stability.study import Study


@dataclass(frozen=True, eq=False)
class RankingCurve(Curve):
    """Stability of the full ranking bought against its tiers, for every eps at once.

    Attributes
    ----------
    breaking_eps : float array (distinct units,)
        ``b_i``: the sets with and without the unit share a ranking exactly while eps exceeds this.
    covering_eps : float array (distinct units,)
        ``c_i``: the set holds the plain ranking without the unit exactly while eps exceeds this.
    counts : int array (distinct units,)
        How often each distinct unit occurs.
    tier_eps : float array (items - 1,)
        Neighbours in the plain ranking are in one tier exactly while eps exceeds this.
    tie_eps : float
        An eps so small that it adds nothing but exact ties.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, Study
    >>> curve = Study(ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]])).ranking_curve()
    >>> print(curve)
    delta(eps) of the full ranking: 0.25 where only ties are inflated, 0 at eps = 0.471405 with 3 tiers
    >>> curve.delta(0.5), curve.uncovered(0.5), curve.tiers(0.5), curve.tiers(0.8)
    (0.0, 0.25, 3, 2)
    """

    beside = "tiers: blocks that no ranking mixes"

    breaking_eps: FloatArray = field(repr=False)
    covering_eps: FloatArray = field(repr=False)
    counts: IntArray = field(repr=False)
    tier_eps: FloatArray = field(repr=False)
    tie_eps: float

    @cached_property
    def _covering(self) -> Shares:
        return Shares.of(self.covering_eps, self.counts)

    @cached_property
    def _joining(self) -> FloatArray:
        return np.sort(self.tier_eps)

    @overload
    def uncovered(self, eps: float) -> float: ...
    @overload
    def uncovered(self, eps: FloatArray) -> FloatArray: ...
    def uncovered(self, eps: float | FloatArray) -> float | FloatArray:
        """Return the share of units without which the plain ranking is not in the set."""
        return self._covering.reaching(eps)

    @overload
    def tiers(self, eps: float) -> int: ...
    @overload
    def tiers(self, eps: FloatArray) -> IntArray: ...
    def tiers(self, eps: float | FloatArray) -> int | IntArray:
        """Return the exact number of tiers at one eps, or at each of several."""
        joined = np.asarray(np.searchsorted(self._joining, positive(eps), side="left"))
        number: IntArray = 1 + len(self._joining) - joined
        return number if joined.ndim else int(number)

    def steps(self) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return the eps at which delta or tiers change, and the values just above each of them."""
        eps = finite_steps(self.breaking_eps, self.tier_eps)
        above = np.nextafter(eps, np.inf)
        return eps, self.delta(above), self.tiers(above)

    @property
    def near(self) -> float:
        """The eps at which half of all neighbours are in one tier."""
        return float(self._joining[len(self._joining) // 2]) if len(self._joining) else 1.0

    def _in_words(self, eps: float) -> tuple[str, str]:
        return "the full ranking", counted(self.tiers(eps), "tier")


def ranking_curve(study: Study) -> RankingCurve:
    """Compute the curve of the full ranking, from all scores without each unit."""
    loo = study.leave_one_out
    rival = Rival(loo.scores)
    breaking, covering = np.zeros((2, len(loo.units)))
    for block in loo.blocks():
        for number in np.flatnonzero(block.reordered(loo.scores, rival.order)).tolist():
            found = rival.meeting_and_covering(block.row(number, loo.scores))
            breaking[block.start + number], covering[block.start + number] = found
    tiers, ties = tier_eps(loo.scores[rival.order]), study.tie_eps
    return RankingCurve(frozen(breaking), frozen(covering), loo.units.counts, frozen(tiers), ties)

"""Quick bounds of the eps above which the ranking sets of two score vectors share a ranking.

The set of rankings grows with eps, so two sets share a ranking exactly from some eps on.
:meth:`RankingSet.intersects` decides it at one eps; the bounds here settle most pairs without that.
"""

from __future__ import annotations

import numpy as np

from steadyrank._typing import FloatArray

ROOT = float(np.sqrt(2))


class Rival:
    """Scores that other scores of the same items are compared with, often: sorted once."""

    def __init__(self, scores: FloatArray) -> None:
        self.order = np.argsort(-scores, kind="stable")
        self._ranked = scores[self.order]

    @np.errstate(
        over="ignore", invalid="ignore"
    )  # what overflows is settled by nothing
    def meeting_bounds(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return two bounds of the eps above which both sets meet, for each row of other scores.

        Items in strictly opposite order cost at least the cheaper of their two swaps: those are looked
        at that the item passes which rises most, and those that pass the one which falls most. And by
        Theorem 8 a piece between two cuts costs no more than the length of its move, which is at most
        the sum of all the moves in it; two items cost the cheaper swap.
        """
        mine, theirs = self._ranked, rows[:, self.order]
        moves, each = theirs - mine, np.arange(len(rows))[:, np.newaxis]
        lower = np.zeros(len(rows))
        for sign in (1.0, -1.0):
            item = np.argmax(sign * moves, axis=1)[:, np.newaxis]
            passed = np.minimum(
                sign * (mine - mine[item]), sign * (theirs[each, item] - theirs)
            )
            np.maximum(lower, passed.max(axis=1), out=lower)
        begins = np.ones(theirs.shape, dtype=np.bool_)
        lowest = np.minimum.accumulate(theirs, axis=1)
        highest = np.maximum.accumulate(theirs[:, ::-1], axis=1)[:, ::-1]
        begins[:, 1:] = lowest[:, :-1] >= highest[:, 1:]
        starts = np.flatnonzero(begins)
        lengths = np.add.reduceat(np.abs(moves).reshape(-1), starts)
        sizes = np.diff(starts, append=begins.size)
        lengths[sizes == 1] = 0.0
        row, place = np.divmod(starts[sizes == 2], theirs.shape[1])
        swaps = theirs[row, place + 1] - theirs[row, place]
        lengths[sizes == 2] = ROOT * np.minimum(mine[place] - mine[place + 1], swaps)
        firsts = np.searchsorted(starts, each[:, 0] * theirs.shape[1])
        return lower * ROOT, np.maximum.reduceat(lengths, firsts)

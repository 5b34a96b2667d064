"""Scores after random removals of several units at once.

Each removal has a generator of its own, seeded by its number, so that what is drawn depends neither on
how many are drawn nor on who computes the scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.data.units import LazyLabels, Units
from steadyrank.errors import InvalidValueError, SteadyrankError, listing, shorten
from steadyrank.scorers.bagged import Bagged, drawn_copies
from steadyrank.scorers.base import RowsOut, Scorer
from steadyrank.scorers.refit import Refit, progress_of, run_fits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.data.observations import Observations
    from steadyrank.scorers.base import LeaveOneOut

    Tried = tuple[int, FloatArray | str]
    """The number of a removal, and the scores after it, or why there are none."""


@dataclass(frozen=True)
class RandomRemovals:
    """Random sets of units to take away together, each set of this size as likely as any other.

    Parameters
    ----------
    data : Observations
        What they are taken from.
    size : int
        How many units leave together; a unit that occurs several times may leave as often.
    number : int
        How many sets are drawn.
    seed : int
        Where the drawing starts.
    """

    data: Observations
    size: int
    number: int
    seed: int

    def leaving(self, which: int) -> IntArray:
        """Return how many of each distinct unit leave."""
        rng = np.random.default_rng([self.seed, which])
        return drawn_copies(rng, self.data.units.counts, self.size, replace=False)

    def scored(self, scorer: Scorer, scores: FloatArray) -> tuple[LeaveOneOut, dict[int, str]]:
        """Return the scores after each removal, as if each were one unit, and why some have none."""
        self.data.with_copies(self.data.units.counts)  # data in an engine refuse this, before any work
        rows, failed = np.empty((self.number, len(scores))), dict[int, str]()
        for which, found in self._tried(scorer):
            if isinstance(found, str):
                failed[which] = found
            else:
                rows[which] = found
        if len(failed) == self.number:
            raise InvalidValueError(
                f"none of {self.number:,} random removals of {self.size:,} units leaves data that can "
                f"be scored; the first: {failed[0]}",
                way_out="Remove fewer at a time.",
            )
        kept = np.setdiff1d(np.arange(self.number), list(failed))
        labels = LazyLabels(len(kept), lambda place: self.name(int(kept[place])))
        units = Units("random set", np.ones(len(kept), dtype=np.int64), labels)
        return RowsOut(scores, units, rows[kept].__getitem__), failed

    def name(self, which: int) -> str:
        """Return what leaves, in words."""
        units = self.data.units
        leaving = self.leaving(which)
        copies = ((int(leaving[unit]), units.labels[unit]) for unit in np.flatnonzero(leaving).tolist())
        told = (f"{number:,} x " * (number > 1) + shorten(unit) for number, unit in copies)
        return listing(told, int((leaving > 0).sum()))

    def _tried(self, scorer: Scorer) -> Iterator[Tried]:
        """Yield removals in any order; through joblib where leave-one-out is by refitting, too."""
        if isinstance(scorer, Refit | Bagged):
            show = progress_of(scorer)
            alone = replace(scorer, progress=None)  # what shows progress stays in this process
            fits = run_fits(partial(_after, self, alone), range(self.number), scorer.n_jobs)
            for done, tried in enumerate(fits, start=1):
                show(done, self.number)
                yield tried
        elif type(scorer).leave_one_out is Scorer.leave_one_out:
            yield from run_fits(partial(_after, self, scorer), range(self.number), None)
        else:
            yield from map(partial(_after, self, scorer), range(self.number))


def _after(removals: RandomRemovals, scorer: Scorer, which: int) -> Tried:
    """Score the data after one removal; a model of somebody else's may refuse in its own words."""
    try:
        kept = removals.data.with_copies(removals.data.units.counts - removals.leaving(which))
        return which, scorer.score(kept)
    except (SteadyrankError, ValueError, ArithmeticError) as error:
        return which, f"{type(error).__name__}: {error}"

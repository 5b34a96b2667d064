"""Random removals of several units: each set takes the place of one unit, with exact limits for all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.data.units import LazyLabels, Units
from steadyrank.errors import InvalidValueError, Option, listing
from steadyrank.operators.checks import check_whole
from steadyrank.scorers.base import RowsOut
from steadyrank.study.calibration import Calibration
from steadyrank.study.facts import Facts
from steadyrank.study.resampling import draw, scored_draws
from steadyrank.text import LONGEST, shortened

if TYPE_CHECKING:
    from steadyrank._typing import IntArray
    from steadyrank.data.observations import Observations
    from steadyrank.study import AuditRow, Study

SAMPLES = 1000
"""How many removals are drawn where nobody says anything else."""


@dataclass(frozen=True)
class RandomRemovals:
    """Random sets of so many units to take away together, each set as likely as any other."""

    data: Observations
    removals: int
    samples: int
    seed: int

    def leaving(self, which: int) -> IntArray:
        """Return how many of each distinct unit leave."""
        return draw(self.data.units.counts, self.removals, self.seed, which, replace=False)

    def name(self, kept: list[int], place: int) -> str:
        """Return what leaves in one of the removals that were kept, in words."""
        known, leaving = self.data.units.labels, self.leaving(kept[place])
        units = np.repeat(np.arange(len(leaving)), leaving).tolist()
        return listing((shortened(known[unit], LONGEST) for unit in units), len(units))

    def facts(self, known: Facts) -> tuple[Facts, tuple[str, ...]]:
        """Return what is known after each removal, as if of one unit, and why some have no scores."""
        found, reasons = scored_draws(self.data, known.scorer, self._staying, self.samples, "removals")
        kept = list(found)
        if not kept:
            raise InvalidValueError(
                f"none of {self.samples:,} random removals leaves data that can be scored; the first: "
                f"{reasons[0]}",
                way_out=["Remove fewer at a time, with smaller ", Option("removals")],
            )
        rows = np.array(list(found.values()), dtype=np.float64)
        labels = LazyLabels(len(kept), partial(self.name, kept))
        units = Units("random set", np.ones(len(kept), dtype=np.int64), labels)
        out = RowsOut(known.scores, units, rows.__getitem__)
        return Facts(self.data, known.scorer, out), tuple(reasons.values())

    def _staying(self, which: int) -> IntArray:
        return np.asarray(self.data.units.counts - self.leaving(which))


def checked_removals(study: Study, removals: int, samples: int | None, seed: int) -> RandomRemovals:
    """Return what is to be drawn, or complain."""
    if removals == 1 and samples is not None:
        raise InvalidValueError(
            "samples are for several removals at once; single units are all left out in turn, exactly",
            way_out=["Omit ", Option("samples"), ", or give ", Option("removals"), " from 2 on."],
        )
    number = Calibration(study.facts, None).check_removals(removals)
    drawn = check_whole("samples", SAMPLES if samples is None else samples, 1)
    return RandomRemovals(study.data, number, drawn, check_whole("seed", seed, 0))


def limited(row: AuditRow, samples: int, unscored: int, confidence: float) -> AuditRow:
    """Return a row with the share of all samples, and limits whichever way the unscored would go."""
    broken = len(row.broken)
    lower, _ = clopper_pearson(broken, samples, confidence)
    _, upper = clopper_pearson(broken + unscored, samples, confidence)
    return replace(row, delta=broken / samples, lower=lower, upper=upper)


def clopper_pearson(hits: int, trials: int, confidence: float) -> tuple[float, float]:
    """Return exact confidence limits of a share, of which so many of the trials were hits.

    Examples
    --------
    >>> [round(limit, 4) for limit in clopper_pearson(0, 10, 0.95)]
    [0.0, 0.3085]
    """
    from scipy.special import betaincinv  # the quantiles of scipy.stats.beta, without its loading

    tail = (1 - confidence) / 2
    lower = float(betaincinv(hits, trials - hits + 1, tail)) if hits else 0.0
    upper = float(betaincinv(hits + 1, trials - hits, 1 - tail)) if hits < trials else 1.0
    return lower, upper

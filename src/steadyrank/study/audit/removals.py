"""The audit of several removals at once: observed on random ones, with exact limits for all of them.

The methods and what breaks them are those of the exact audit: each random set of units takes the place
of one unit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steadyrank.data.units import LazyLabels, Units
from steadyrank.errors import InvalidValueError, Option, listing, shorten
from steadyrank.operators.checks import check_whole
from steadyrank.scorers.base import RowsOut
from steadyrank.study.audit.audit import Audit
from steadyrank.study.calibration import Calibration
from steadyrank.study.facts import Facts
from steadyrank.study.resampling import draw, scored_draws
from steadyrank.study.results import Result, origin, told
from steadyrank.text import counted, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.data.observations import Observations
    from steadyrank.scorers.base import LeaveOneOut, Scorer
    from steadyrank.study import AuditRow, Study
    from steadyrank.study.audit.audit import Inflation

SAMPLES = 1000
"""How many removals are drawn where nobody says anything else."""


@dataclass(frozen=True, eq=False, repr=False)
class RandomAudit(Audit):
    """What random removals of several units did to each method's answer: observed, not proved.

    In its rows ``delta`` is the share of the removals drawn that break the answer, ``lower`` and
    ``upper`` are exact 95% confidence limits (Clopper-Pearson) of that share among *all* removals of so
    many units, each row by itself, and ``jaccard`` is the mean over the removals that could be scored.
    What the limits allow for is the drawing of removals; the data are taken as they are. ``units``,
    ``shifts``, ``flips``, curves and ``broken`` speak of the random sets that could be scored.

    Attributes
    ----------
    removals : int
        How many units left together.
    samples, seed : int
        How many removals were drawn, and from which seed.
    unscored : int
        How many of them left no scores: an item without data, or a fit that refused. ``lower`` takes
        them for removals that leave the answer whole, ``upper`` for broken ones.
    sentence : str
        What was observed, in plain words.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, audit
    >>> matrix = ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]])
    >>> found = audit(matrix, 2, eps=0.5, removals=2, samples=200, methods=["topk"])
    >>> found.row("topk", 2).lower < 2 / 6 < found.row("topk", 2).upper  # 2 of all 6 sets break it
    True
    """

    document = "random-audit"
    confidence: ClassVar = 0.95

    removals: int
    samples: int
    seed: int
    unscored: int
    sentence: str

    __repr__ = Result.__repr__

    @cached_property
    def share_reaching_eps(self) -> float | None:
        """The share of all removals drawn that move the scores by eps or more; None unless given."""
        return None if self.eps is None else int(self.folds.reaching(self.eps).sum()) / self.samples

    def _found(self) -> dict[str, Any]:
        names = ("removals", "samples", "seed", "unscored", "confidence", "sentence")
        return told(self, *names) | super()._found()


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
        return listing((shorten(known[unit]) for unit in units), len(units))

    def scored(self, scorer: Scorer, scores: FloatArray) -> tuple[LeaveOneOut, tuple[str, ...]]:
        """Return the scores after each removal, as if each were one unit, and why some have none."""
        found, reasons = scored_draws(self.data, scorer, self._staying, self.samples, "removals")
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
        return RowsOut(scores, units, rows.__getitem__), tuple(reasons.values())

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


def random_audit(
    study: Study,
    drawn: RandomRemovals,
    rows: Callable[[Facts], Iterator[AuditRow]],
    inflation: Inflation,
) -> RandomAudit:
    """Take random sets of units away and audit each method; see :func:`steadyrank.audit`."""
    out, reasons = drawn.scored(study.scorer, study.scores)
    sample = Facts(study.data, study.scorer, out)
    samples, failed = drawn.samples, len(reasons)
    sentence = (
        f"Observed on {counted(samples, 'random removal')} of {drawn.removals:,} of the "
        f"{study.units.total:,} {plural(study.facts.unit)} (seed {drawn.seed})."
    )
    if reasons:
        sentence += f" {failed:,} of them left data without scores; the first: {reasons[0]}"
    about = origin(study) | {"removals": drawn.removals, "samples": samples, "seed": drawn.seed}
    return RandomAudit(
        **about,
        table=tuple(_limited(row, samples, failed) for row in rows(sample)),
        inflation=inflation,
        unscored=failed,
        sentence=sentence,
        folds=sample,
    )


def _limited(row: AuditRow, samples: int, unscored: int) -> AuditRow:
    """Return a row with the share of all samples, and limits whichever way the unscored would go."""
    broken = len(row.broken)
    lower, _ = clopper_pearson(broken, samples, RandomAudit.confidence)
    _, upper = clopper_pearson(broken + unscored, samples, RandomAudit.confidence)
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

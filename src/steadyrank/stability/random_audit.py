"""The audit of several removals at once: observed on random ones, with exact limits for all of them.

The methods and what breaks them are those of the exact audit: each random set of units takes the place
of one unit. Each has a generator of its own, seeded by its number, so that what is drawn depends neither
on how many are drawn nor on who computes the scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steadyrank.data.units import LazyLabels, Units
from steadyrank.errors import InvalidValueError, Option, SteadyrankError, listing, shorten
from steadyrank.progress import counting
from steadyrank.scorers.bagged import Bagged, drawn_copies
from steadyrank.scorers.base import RowsOut, Scorer
from steadyrank.scorers.refit import Refit, run_fits
from steadyrank.stability.auditing import Audit, AuditPlan
from steadyrank.stability.findings import told
from steadyrank.stability.results import Result
from steadyrank.wording import counted, plural

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.data.observations import Observations
    from steadyrank.scorers.base import LeaveOneOut
    from steadyrank.stability import AuditRow, Study
    from steadyrank.stability.calibration import Inflation

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
        return None if self.eps is None else int(self._folds.reaching(self.eps).sum()) / self.samples

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
        rng = np.random.default_rng([self.seed, which])
        return drawn_copies(rng, self.data.units.counts, self.removals, replace=False)

    def name(self, which: int) -> str:
        """Return what leaves, in words."""
        known, leaving = self.data.units.labels, self.leaving(which)
        units = np.repeat(np.arange(len(leaving)), leaving).tolist()
        return listing((shorten(known[unit]) for unit in units), len(units))

    def scored(self, scorer: Scorer, scores: FloatArray) -> tuple[LeaveOneOut, tuple[str, ...]]:
        """Return the scores after each removal, as if each were one unit, and why some have none.

        Where leave-one-out is by refitting, they are computed through joblib, too.
        """
        self.data.with_copies(self.data.units.counts)  # data in an engine refuse this, before any work
        jobs = getattr(scorer, "n_jobs", None)
        parallel = refits(scorer)
        if isinstance(scorer, Refit | Bagged):
            scorer = replace(scorer, progress=None)  # it need not travel to other processes
        fit = partial(self._after, scorer)
        which = range(self.samples)
        fits = run_fits(fit, which, jobs) if parallel else map(fit, which)
        found = dict(counting(fits, self.samples, "removals"))
        reasons = {which: why for which, why in found.items() if isinstance(why, str)}
        kept = sorted(found.keys() - reasons.keys())
        if not kept:
            raise InvalidValueError(
                f"none of {self.samples:,} random removals leaves data that can be scored; the first: "
                f"{reasons[0]}",
                way_out=["Remove fewer at a time, with smaller ", Option("removals")],
            )
        rows = np.array([found[which] for which in kept], dtype=np.float64)
        labels = LazyLabels(len(kept), lambda place: self.name(kept[place]))
        units = Units("random set", np.ones(len(kept), dtype=np.int64), labels)
        return RowsOut(scores, units, rows.__getitem__), tuple(reasons[key] for key in sorted(reasons))

    def _after(self, scorer: Scorer, which: int) -> tuple[int, FloatArray | str]:
        """Score the data after one removal; a model of somebody else's may refuse in its own words."""
        try:
            left = self.data.with_copies(self.data.units.counts - self.leaving(which))
            return which, scorer.score(left)
        except (SteadyrankError, ValueError, ArithmeticError) as error:
            return which, f"{type(error).__name__}: {error}"


def refits(scorer: Scorer) -> bool:
    """Tell whether a scorer is fitted again for each unit that is left out."""
    return isinstance(scorer, Refit | Bagged) or type(scorer).leave_one_out is Scorer.leave_one_out


def checked_removals(study: Study, removals: int, samples: int | None, seed: int) -> RandomRemovals:
    """Return what is to be drawn, or complain."""
    if removals == 1 and samples is not None:
        raise InvalidValueError(
            "samples are for several removals at once; single units are all left out in turn, exactly",
            way_out=["Omit ", Option("samples"), ", or give ", Option("removals"), " from 2 on."],
        )
    limits = {"removals": (removals, 1, max(1, study.units.total - 1)), "seed": (seed, 0, None)}
    limits["samples"] = (SAMPLES if samples is None else samples, 1, None)
    for name, (value, least, most) in limits.items():
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or value < least or (most is not None and value > most):
            upto = "on" if most is None else f"to {most:,} (one unit must stay)"
            raise InvalidValueError(
                f"{name} must be a whole number from {least} {upto}, but is {shorten(value)}"
            )
    return RandomRemovals(study.data, int(removals), int(limits["samples"][0]), int(seed))


def random_audit(
    study: Study, drawn: RandomRemovals, plan: AuditPlan, inflation: Inflation, max_states: int
) -> RandomAudit:
    """Take random sets of units away and audit each method; see :func:`steadyrank.audit`."""
    out, reasons = drawn.scored(study.scorer, study.scores)
    sample, samples, failed = study.over(out), drawn.samples, len(reasons)
    sentence = (
        f"Observed on {counted(samples, 'random removal')} of {drawn.removals:,} of the "
        f"{study.units.total:,} {plural(study.unit)} (seed {drawn.seed})."
    )
    if reasons:
        sentence += f" {failed:,} of them left data without scores; the first: {reasons[0]}"
    rows = plan.rows(sample, inflation.eps_of, max_states)
    about = study.about() | {"removals": drawn.removals, "samples": samples, "seed": drawn.seed}
    return RandomAudit(
        **about,
        table=tuple(_limited(row, samples, failed) for row in rows),
        inflation=inflation,
        unscored=failed,
        sentence=sentence,
        _folds=sample,
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

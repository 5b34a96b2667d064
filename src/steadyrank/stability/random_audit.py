"""The audit of several removals at once: observed on random ones, with exact limits for all of them.

The methods and what breaks them are those of the exact audit: each random set of units takes the place
of one unit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steadyrank.errors import InvalidValueError, Option, shorten
from steadyrank.scorers.removals import RandomRemovals
from steadyrank.stability import findings
from steadyrank.stability.auditing import Audit, AuditPlan
from steadyrank.wording import counted, plural

if TYPE_CHECKING:
    from steadyrank.stability.audit_rows import AuditRow
    from steadyrank.stability.study import Study

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
        After how many of them there were no scores: an item without data, or a fit that refused.
        ``lower`` takes them for removals that leave the answer whole, ``upper`` for broken ones.
    unscored_reason : str
        Why, for the first of them.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, audit
    >>> matrix = ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]])
    >>> found = audit(matrix, 2, eps=0.5, removals=2, samples=200, methods=["topk"])
    >>> found.row("topk", 2).lower < 0.5 < found.row("topk", 2).upper  # 3 of all 6 removals break it
    True
    """

    document = "random-audit"
    CONFIDENCE: ClassVar = 0.95

    removals: int
    samples: int
    seed: int
    unscored: int
    unscored_reason: str
    _sample: Study = field(kw_only=True)

    def __repr__(self) -> str:
        methods = list(dict.fromkeys(row.method for row in self))
        return f"RandomAudit({self.sentence!r}, eps={self.eps:.3g}, methods={methods})"

    @property
    def _folds(self) -> Study:
        return self._sample

    @property
    def sentence(self) -> str:
        """What was observed, in plain words."""
        told = (
            f"Observed on {counted(self.samples, 'random removal')} of {self.removals:,} of the "
            f"{self.n_units:,} {plural(self.unit)} (seed {self.seed})."
        )
        if self.unscored:
            told += (
                f" {self.unscored:,} of them left data without scores; the first: {self.unscored_reason}"
            )
        return told

    def _found(self) -> dict[str, Any]:
        return findings.random_audit_findings(self)


def check_drawing(units: int, removals: object, samples: object, seed: object) -> tuple[int, int, int]:
    """Return how many units leave together, how often that is drawn, and from which seed."""
    together = _whole("removals", removals, 1, max(1, units - 1))
    if together == 1 and samples is not None:
        raise InvalidValueError(
            "samples are for several removals at once; single units are all left out in turn, exactly",
            way_out=["Omit ", Option("samples"), ", or give ", Option("removals"), " from 2 on."],
        )
    drawn = SAMPLES if samples is None else _whole("samples", samples, 1)
    return together, drawn, _whole("seed", seed, 0)


def _whole(name: str, value: object, least: int, most: int | None = None) -> int:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        upto = "on" if most is None else f"to {most:,} (one unit must stay)"
        raise InvalidValueError(
            f"{name} must be a whole number from {least} {upto}, but is {shorten(value)}"
        )
    return int(value)  # type: ignore[call-overload, no-any-return]


def random_audit(
    study: Study, plan: AuditPlan, eps: float, max_states: int, drawing: tuple[int, int, int]
) -> RandomAudit:
    """Take random sets of units away and audit each method; see :func:`steadyrank.audit`."""
    removals, samples, seed = drawing
    drawn = RandomRemovals(study.data, removals, samples, seed)
    out, failed = drawn.scored(study.scorer, study.scores)
    sample = study.over(out)
    return RandomAudit(
        **study.about(),
        table=tuple(_limited(row, samples, len(failed)) for row in plan.rows(sample, eps, max_states)),
        eps=eps,
        shifts=sample.shifts,
        units=sample.units,
        removals=removals,
        samples=samples,
        seed=seed,
        unscored=len(failed),
        unscored_reason=failed[min(failed)] if failed else "",
        _sample=sample,
    )


def _limited(row: AuditRow, samples: int, unscored: int) -> AuditRow:
    """Return a row with the share of all samples, and limits whichever way the unscored would go."""
    broken = len(row.broken)
    lower, _ = clopper_pearson(broken, samples, RandomAudit.CONFIDENCE)
    _, upper = clopper_pearson(broken + unscored, samples, RandomAudit.CONFIDENCE)
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

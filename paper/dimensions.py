"""The regression experiment with more features than anybody can enumerate the rankings of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paper import regression as settings
from paper.full_ranking import audited_parts, deltas_of
from paper.regression import regression_trials
from paper.regression_folds import (
    MAX_STATES,
    estimated_log10_rankings,
    number_of_rankings,
    shifts,
)
from paper.summaries import at_least_one, for_json, standard_error
from steadyrank.operators import rank_intervals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paper.array_types import FloatArray
    from paper.full_ranking import AuditedTrials
    from paper.regression import BetaStart

STUDY_FEATURES = (5, 20, 100, 500)
STUDY_TRIALS = 100
COUNTED = 10
"""In how many trials the rankings are counted, or their number estimated."""
PATHS = 100
BATCH = 5


@dataclass(frozen=True)
class DimensionRow:
    """The experiment with one number of features.

    Attributes
    ----------
    features, trials : int
        How many.
    plain_delta, plain_se, inflated_delta, inflated_se : float
        Mean delta of the plain and of the inflated ranking, with standard errors.
    reaching_eps : float
        The share of rows that move the scores by eps or more; Theorem 8 bounds the inflated delta
        by it.
    log10_rankings : float or None
        Mean of log10 of the exact number of inflated rankings, over the first few trials; None
        where it is not counted, since the number of states is out of reach.
    log10_estimate : float
        The same mean from random rankings, which any number of features allows.
    log10_all : float
        log10 of the number of all rankings, for comparison.
    interval_width : float
        How many ranks an item may have, on average; 1 is full certainty.
    certain_pairs : float
        The share of pairs of features that every inflated ranking puts in the same order.
    """

    features: int
    trials: int
    plain_delta: float
    plain_se: float
    inflated_delta: float
    inflated_se: float
    reaching_eps: float
    log10_rankings: float | None
    log10_estimate: float
    log10_all: float
    interval_width: float
    certain_pairs: float


@dataclass(frozen=True)
class DimensionStudy:
    """The regression experiment for several numbers of features; made by `dimension_study`."""

    rows: tuple[DimensionRow, ...]
    beta: BetaStart
    seed: int
    observations: int
    eps: float
    radius: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists, ready for JSON."""
        return {"experiment": "dimensions", **for_json(self)}


def dimension_study(
    *,
    features: Sequence[int] = STUDY_FEATURES,
    trials: int = STUDY_TRIALS,
    beta: BetaStart = "script",
    seed: int = settings.AUTHORS_SEED,
    rows: int = settings.ROWS,
    eps: float = settings.EPS,
    radius: float = settings.RADIUS,
    max_states: int = MAX_STATES,
    progress: Callable[[int], object] | None = None,
) -> DimensionStudy:
    """Repeat the regression experiment for several numbers of features.

    Parameters
    ----------
    features : sequence of int
        The numbers of features.
    trials : int
        How many datasets for each of them.
    beta, seed, rows, eps, radius
        As for `regression_experiment`.
    max_states : int
        A number of rankings that would need more states than this is only estimated.
    progress : callable, optional
        Called with the number of trials that have been finished since the last call.

    Examples
    --------
    >>> study = dimension_study(features=[5, 8], trials=10)
    >>> [row.features for row in study.rows]
    [5, 8]
    >>> all(row.inflated_delta <= row.plain_delta for row in study.rows)
    True
    """
    trials = at_least_one("trials", trials)
    found = []
    for number in features:
        data = regression_trials(
            trials=trials, rows=rows, features=number, beta=beta, seed=seed
        )
        parts = list(
            audited_parts(data, eps=eps, radius=radius, batch=BATCH, progress=progress)
        )
        found.append(_row(parts, eps=eps, seed=seed, max_states=max_states))
    return DimensionStudy(tuple(found), beta, seed, rows, eps, radius)


def _row(
    parts: Sequence[AuditedTrials], *, eps: float, seed: int, max_states: int
) -> DimensionRow:
    scores = np.concatenate([part.scores.full for part in parts])
    plain, inflated = deltas_of(parts)
    trials, features = scores.shape
    intervals = [rank_intervals(row, eps) for row in scores]
    # The highest rank of an item counts itself and all that are not certainly below it.
    certainly_below = [features - highest for _, highest in intervals]
    estimates = [
        estimated_log10_rankings(row, eps, paths=PATHS, seed=seed)
        for row in scores[:COUNTED]
    ]
    return DimensionRow(
        features=features,
        trials=trials,
        plain_delta=float(plain.mean()),
        plain_se=standard_error(plain),
        inflated_delta=float(inflated.mean()),
        inflated_se=standard_error(inflated),
        reaching_eps=float(
            np.concatenate([shifts(part.scores) >= eps for part in parts]).mean()
        ),
        log10_rankings=_mean_log10_count(scores[:COUNTED], eps, max_states),
        log10_estimate=float(np.mean(estimates)),
        log10_all=float(np.log10(np.arange(1, features + 1)).sum()),
        interval_width=float(
            np.mean([highest - lowest + 1 for lowest, highest in intervals])
        ),
        certain_pairs=float(np.mean(certainly_below)) / ((features - 1) / 2),
    )


def _mean_log10_count(scores: FloatArray, eps: float, max_states: int) -> float | None:
    logarithms = []
    for row in scores:
        counted = number_of_rankings(row, eps, max_states=max_states)
        if counted is None:
            return None
        logarithms.append(math.log10(counted))
    return float(np.mean(logarithms))

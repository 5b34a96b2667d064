"""Table 2 of the paper: the stability of the ranking of the features of a regression."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paper import regression as settings
from paper.regression import RegressionTrials, regression_trials
from paper.regression_folds import (
    TrialScores,
    changed_rankings,
    number_of_rankings,
    separated_rankings,
    trial_scores,
)
from paper.summaries import MethodSummary, at_least_one, summary_of
from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paper.array_types import FloatArray
    from paper.regression import BetaStart

RANKING, INFLATED_RANKING = "ranking", "inflated ranking"
BATCH = 50
"""Trials handled between two reports of progress."""


@dataclass(frozen=True)
class RegressionExperiment:
    """The paper's Table 2, made by `regression_experiment`.

    Attributes
    ----------
    methods : dict
        For ``"ranking"`` and ``"inflated ranking"`` the columns of the table.
    beta : {"script", "text"}
        Which coefficients: 0..4 as in the authors' script, or 1..5 as in the paper's text.
    seed, rows, features, eps, radius
        The settings.
    """

    methods: dict[str, MethodSummary]
    beta: BetaStart
    seed: int
    rows: int
    features: int
    eps: float
    radius: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists, ready for JSON."""
        return {
            "experiment": "regression",
            "beta": self.beta,
            "seed": self.seed,
            "rows": self.rows,
            "features": self.features,
            "eps": self.eps,
            "radius": self.radius,
            "methods": {name: summary.to_dict() for name, summary in self.methods.items()},
        }


def regression_experiment(
    *,
    beta: BetaStart = "script",
    trials: int = settings.TRIALS,
    seed: int = settings.AUTHORS_SEED,
    rows: int = settings.ROWS,
    features: int = settings.FEATURES,
    eps: float = settings.EPS,
    radius: float = settings.RADIUS,
    progress: Callable[[int], object] | None = None,
) -> RegressionExperiment:
    """Rank the features of simulated regressions, and see how stable the ranking is.

    With the defaults this is Table 2 of the paper, digit for digit.

    Parameters
    ----------
    beta : {"script", "text"}
        True coefficients proportional to 0, 1, 2... (the printed table) or 1, 2, 3... (the text).
    trials, rows, features : int
        How much data.
    seed : int
        Of NumPy's legacy generator.
    eps, radius : float
        The inflation, and the bound on the norm of the coefficients.
    progress : callable, optional
        Called with the number of trials that have been finished since the last call.

    Examples
    --------
    >>> result = regression_experiment(trials=20)
    >>> round(result.methods["ranking"].mean_delta, 3)
    0.117
    >>> round(result.methods["inflated ranking"].mean_delta, 3)
    0.018
    """
    data = regression_trials(
        trials=at_least_one("trials", trials), rows=rows, features=features, beta=beta, seed=seed
    )
    plain, inflated, sizes = [], [], []
    for part, scores in scored_parts(data, radius, progress):
        changed = changed_rankings(scores)
        plain.append(changed.mean(axis=1))
        inflated.append(separated_rankings(scores, changed, eps).mean(axis=1))
        sizes += [_counted(row, eps, trial) for trial, row in enumerate(scores.full, part.start)]
    return RegressionExperiment(
        methods={
            RANKING: summary_of(np.concatenate(plain), np.ones(trials)),
            INFLATED_RANKING: summary_of(np.concatenate(inflated), sizes),
        },
        beta=beta,
        seed=seed,
        rows=rows,
        features=features,
        eps=eps,
        radius=radius,
    )


def scored_parts(
    data: RegressionTrials,
    radius: float,
    progress: Callable[[int], object] | None,
    *,
    batch: int = BATCH,
) -> Iterator[tuple[slice, TrialScores]]:
    """Yield some trials at a time, with their scores."""
    for start in range(0, len(data.y), batch):
        part = slice(start, min(start + batch, len(data.y)))
        yield part, trial_scores(replace(data, X=data.X[part], y=data.y[part]), radius=radius)
        if progress is not None:
            progress(part.stop - part.start)


def _counted(scores: FloatArray, eps: float, trial: int) -> float:
    counted = number_of_rankings(scores, eps)
    if counted is None:
        raise InvalidValueError(
            f"trial {trial} has too many inflated rankings to count for {len(scores):,} features and "
            f"eps={eps:g}. Use fewer features or a smaller eps, or dimension_study, which leaves such "
            "counts out."
        )
    return float(counted)

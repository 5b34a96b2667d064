"""Table 2 of the paper: the stability of the ranking of the features of a regression."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paper import regression as settings
from paper.regression import RegressionTrials, regression_trials
from paper.regression_folds import (
    MAX_STATES,
    TrialScores,
    changed_rankings,
    furthest_pieces,
    number_of_rankings,
    separated_rankings,
    shifts,
    trial_scores,
)
from paper.summaries import MethodSummary, at_least_one, for_json, summary_of
from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from paper.array_types import BoolArray, FloatArray
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
        return {"experiment": "regression", **for_json(self)}


def regression_experiment(
    *,
    beta: BetaStart = "script",
    trials: int = settings.TRIALS,
    seed: int = settings.AUTHORS_SEED,
    rows: int = settings.ROWS,
    features: int = settings.FEATURES,
    eps: float = settings.EPS,
    radius: float = settings.RADIUS,
    max_states: int = MAX_STATES,
    progress: Callable[[int], object] | None = None,
) -> RegressionExperiment:
    """Rank the features of simulated regressions, and see how stable the ranking is.

    With the defaults this is Table 2 of the paper: every delta digit for digit; the size, 1.766, is that
    of the authors' script, where the paper prints 1.76.

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
    max_states : int
        A number of rankings that would need more states than this is refused.
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
        trials=at_least_one("trials", trials),
        rows=rows,
        features=features,
        beta=beta,
        seed=seed,
    )
    parts = list(
        audited_parts(data, eps=eps, radius=radius, batch=BATCH, progress=progress)
    )
    plain, inflated = deltas_of(parts)
    full = np.concatenate([part.scores.full for part in parts])
    sizes = [_counted(row, eps, max_states, trial) for trial, row in enumerate(full)]
    return RegressionExperiment(
        methods={
            RANKING: summary_of(plain, np.ones(trials)),
            INFLATED_RANKING: summary_of(
                inflated,
                sizes,
                reaching=_share([shifts(part.scores) >= eps for part in parts]),
                local=_share([furthest_pieces(part.scores) >= eps for part in parts]),
            ),
        },
        beta=beta,
        seed=seed,
        rows=rows,
        features=features,
        eps=eps,
        radius=radius,
    )


@dataclass(frozen=True)
class AuditedTrials:
    """The scores of some trials, and the deltas of both methods in each of them."""

    scores: TrialScores
    plain: FloatArray
    inflated: FloatArray


def audited_parts(
    data: RegressionTrials,
    *,
    eps: float,
    radius: float,
    batch: int,
    progress: Callable[[int], object] | None,
) -> Iterator[AuditedTrials]:
    """Leave out every row in turn, for some trials at a time."""
    for start in range(0, len(data.y), batch):
        part = slice(start, start + batch)
        scores = trial_scores(
            replace(data, X=data.X[part], y=data.y[part]), radius=radius
        )
        changed = changed_rankings(scores)
        separated = separated_rankings(scores, changed, eps)
        yield AuditedTrials(scores, changed.mean(axis=1), separated.mean(axis=1))
        if progress is not None:
            progress(len(scores.full))


def deltas_of(parts: Sequence[AuditedTrials]) -> tuple[FloatArray, FloatArray]:
    """Return the deltas of the plain and of the inflated ranking, trial by trial."""
    return (
        np.concatenate([part.plain for part in parts]),
        np.concatenate([part.inflated for part in parts]),
    )


def _share(parts: Sequence[BoolArray]) -> float:
    return float(np.concatenate(parts).mean())


def _counted(scores: FloatArray, eps: float, max_states: int, trial: int) -> float:
    counted = number_of_rankings(scores, eps, max_states=max_states)
    if counted is None:
        raise InvalidValueError(
            f"trial {trial} has too many inflated rankings to count for {len(scores):,} features and "
            f"eps={eps:g}. Use fewer features or a smaller eps, or dimension_study, which leaves such "
            "counts out."
        )
    return float(counted)

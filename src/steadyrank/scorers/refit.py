"""Any function or scikit-learn estimator as a scorer, by refitting without each unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from steadyrank._typing import FloatArray
from steadyrank.data.observations import Observations
from steadyrank.data.units import Units
from steadyrank.engines.backends import needed
from steadyrank.errors import RefitError, SteadyrankError, shorten
from steadyrank.operators.checks import setting
from steadyrank.progress import counting
from steadyrank.scorers.base import (
    LeaveOneOut,
    RowsOut,
    Scorer,
    check_kind,
    check_several,
    snapped,
)
from steadyrank.sums.blocks import slices

if TYPE_CHECKING:
    from steadyrank.scorers.bagged import Bagged
Fit = Callable[[int], FloatArray]
Found = TypeVar("Found")
FULL = -1
"""The unit number of the scores on all the data."""
THESE = "these data"


@dataclass(frozen=True)
class Refit(Scorer):
    """Score by a function or an estimator, leave-one-out by running it again for each unit.

    Units that are equal are computed once. Refits run through joblib, by default one after the
    other; ``with joblib.parallel_config(n_jobs=-1):`` around the call, or any other backend
    named there, makes them parallel, and ``verbose=10`` tells how far they are. A function that
    ``joblib.Memory`` caches keeps what it found if a run is cut off. Every refit gets the same seed,
    so that only the data differ between them, and results do not depend on the number of workers.
    All scores stay in memory: distinct units times items, eight bytes each.

    Parameters
    ----------
    model : callable or scikit-learn estimator
        A callable gets the data, a copy without one unit for each fold with the list of items
        unchanged, and returns one score for each item. An estimator is fitted to a
        :class:`~steadyrank.data.Regression`; the scores are the absolute values of its
        ``coef_``, or its ``feature_importances_`` (of the last step of a pipeline).
    seed : int
        A ``random_state`` of the estimator that is None is set to it. A callable that has a
        parameter called ``seed`` gets it there.
    n_jobs : int, optional
        Number of joblib workers, over what ``parallel_config`` says.
    label : str, optional
        What to call the scorer in a report.
    resolution : float
        Scores closer than this, linked one to the next, are equal, with and without any unit. For a
        model that is fitted: more than its error, so that rounding does not decide ties. Default: 0.

    Examples
    --------
    >>> from steadyrank.data import ScoreMatrix
    >>> data = ScoreMatrix([[1.0, 5.0], [2.0, 0.0], [9.0, 1.0]])
    >>> def medians(data):
    ...     return np.median(data.values, axis=0)
    >>> scorer = Refit(medians)
    >>> scorer.score(data)
    array([2., 1.])
    >>> scorer.leave_one_out(data).shifts().round(3)
    array([3.536, 3.606, 1.581])
    """

    model: Any
    seed: int = 0
    n_jobs: int | None = field(default=None, compare=False)
    label: str | None = None
    resolution: float = setting(0.0)

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        if self.label is not None:
            return self.label
        inner = getattr(self.model, "func", self.model)
        return f"refit of {getattr(inner, '__name__', type(inner).__name__)}"

    def prepared(self, data: Any) -> Any:
        """Complain unless the data are observations, and a regression for an estimator."""
        if not is_estimator(self.model):
            return super().prepared(data)
        _check_regression(self.model, data)
        return data

    def score(self, data: Observations) -> FloatArray:
        """Return the scores on all the data."""
        return snapped(self._fitted(data, FULL), self.resolution)

    def leave_one_out(self, data: Observations) -> LeaveOneOut:
        """Refit without each distinct unit, and return all the scores."""
        return refit_all(partial(self._fitted, data), data, self)

    def _fitted(self, data: Any, unit: int) -> FloatArray:
        """Run the model on the data, or without a unit, and check what it returns."""
        model, data = self.model, data if unit == FULL else data.without(unit)
        if is_estimator(model):
            _check_regression(model, data)
            scores = importances(seeded(model, self.seed).fit(data.X, data.responses))
        else:
            scores = model(data, seed=self.seed) if _takes_seed(model) else model(data)
        found = np.asarray(scores, dtype=np.float64)
        if found.shape != (data.n_items,):
            needed_shape = (
                f"the model must return one score for each of {data.n_items:,} items"
            )
            raise RefitError(
                THESE, f"{needed_shape}, but returned an array of shape {found.shape}."
            )
        if not np.isfinite(found).all():
            place = int(np.flatnonzero(~np.isfinite(found))[0])
            raise RefitError(
                THESE,
                f"the score of item {shorten(data.items[place])} is {found[place]}.",
            )
        return found


def is_estimator(model: object) -> bool:
    """Tell whether a model, or its class, is made as scikit-learn's are."""
    return hasattr(model, "fit") and hasattr(model, "get_params")


def refit_all(fit: Fit, data: Observations, how: Refit | Bagged) -> LeaveOneOut:
    """Run ``fit(unit)`` for every distinct unit, and for FULL, the data as they are."""
    check_several(data)
    data.with_copies(
        data.units.counts
    )  # data in an engine refuse this, before anything is computed
    units = data.units
    scores = np.empty((len(units) + 1, data.n_items))
    fits = run_fits(
        partial(_named_fit, fit, units), range(FULL, len(units)), how.n_jobs
    )
    for number, found in counting(fits, len(scores), "refits"):
        scores[number] = found
    scores = snapped(scores, how.resolution)
    return RowsOut(scores[FULL], units, scores[:FULL].__getitem__)


def run_fits(
    fit: Callable[[int], tuple[int, Found]], todo: Sequence[int], n_jobs: int | None
) -> Iterator[tuple[int, Found]]:
    """Yield (unit, scores) as they are finished, in any order."""
    joblib = needed("joblib", "refitting runs through joblib", "refit")
    jobs, parts = [joblib.delayed(fit)(unit) for unit in todo], iter([slice(None)])
    try:
        parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except (
        ValueError
    ):  # a backend that can only return all at once: give it a little at a time
        parallel = joblib.Parallel(n_jobs=n_jobs)
        parts = slices(len(jobs), 4 * joblib.effective_n_jobs(n_jobs))
    for part in parts:
        yield from parallel(jobs[part])


def _named_fit(fit: Fit, units: Units, number: int) -> tuple[int, FloatArray]:
    """Run one refit; if it fails, say which."""
    try:
        return number, fit(number)
    except Exception as error:
        if (
            number == FULL
            and isinstance(error, SteadyrankError)
            and not isinstance(error, RefitError)
        ):
            raise  # what is wrong with the data themselves is no fault of the model
        why = (
            error.why
            if isinstance(error, RefitError)
            else f"{type(error).__name__}: {error}"
        )
        without = f"the data without {units.kind} {shorten(units.labels[number])}"
        raise RefitError("all the data" if number == FULL else without, why) from error


def _takes_seed(model: Any) -> bool:
    try:
        return "seed" in signature(model).parameters
    except (TypeError, ValueError):  # some built-in functions have no signature
        return False


def _check_regression(model: Any, data: object) -> None:
    classes = getattr(data, "classes", None) is not None and _sklearn().is_classifier(
        model
    )
    check_kind(data, ("regression",), scorer=type(model).__name__, classes=classes)


def _sklearn() -> Any:
    return needed("sklearn.base", "an estimator needs scikit-learn", "refit")


def seeded(model: Any, seed: int) -> Any:
    """Return a fresh copy of an estimator whose random states are set.

    Copied for each fit: a random_state that is a generator starts from the same state each time.
    """
    fresh = _sklearn().clone(model)
    states = fresh.get_params()
    unset = [
        name
        for name in states
        if name.endswith("random_state") and states[name] is None
    ]
    return fresh.set_params(**dict.fromkeys(unset, seed))


def importances(fitted: Any) -> FloatArray:
    """Return the size of each feature's coefficients, added up over classes, or its importance."""
    last = fitted.steps[-1][1] if hasattr(fitted, "steps") else fitted
    for name in ("coef_", "feature_importances_"):
        if hasattr(last, name):
            found = np.abs(np.asarray(getattr(last, name), dtype=np.float64))
            return np.asarray(found.reshape(-1, found.shape[-1]).sum(axis=0))
    neither = f"{type(last).__name__} has neither coef_ nor feature_importances_."
    raise RefitError(
        THESE, f"{neither} Wrap it in a function that returns one score for each item."
    )

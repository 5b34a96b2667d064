"""Scores of data that are made of other numbers of the same units: resampled, or some taken away.

Each draw has a generator of its own, seeded by its number, so that what is drawn depends neither on how
many are drawn nor on who computes the scores.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import FEW_DATA, InvalidValueError, OneUnitError, SteadyrankError
from steadyrank.progress import counting
from steadyrank.scorers.bagged import Bagged, drawn_copies
from steadyrank.scorers.base import Scorer
from steadyrank.scorers.refit import Refit, run_fits

if TYPE_CHECKING:
    from collections.abc import Callable

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.data.observations import Observations


def refits(scorer: Scorer) -> bool:
    """Tell whether a scorer is fitted again for each unit that is left out."""
    return isinstance(scorer, Refit | Bagged) or type(scorer).leave_one_out is Scorer.leave_one_out


def scored_draws(
    data: Observations, scorer: Scorer, copies: Callable[[int], IntArray], draws: int, what: str
) -> tuple[dict[int, FloatArray], dict[int, str]]:
    """Return the scores of each draw by its number, and why the others have none.

    ``copies`` tells of a draw how many copies of each distinct unit it holds. Where leave-one-out is by
    refitting, they are computed through joblib, too.
    """
    data.with_copies(data.units.counts)  # data in an engine refuse this, before any work
    parallel, numbers = refits(scorer), range(draws)
    if isinstance(scorer, Refit | Bagged):
        scorer = replace(scorer, progress=None)  # it need not travel to other processes
    fit = partial(_scored, data, scorer, copies)
    fits = run_fits(fit, numbers, getattr(scorer, "n_jobs", None)) if parallel else map(fit, numbers)
    found = dict(sorted(counting(fits, draws, what)))
    reasons = {which: why for which, why in found.items() if isinstance(why, str)}
    return {which: row for which, row in found.items() if not isinstance(row, str)}, reasons


def _scored(
    data: Observations, scorer: Scorer, copies: Callable[[int], IntArray], which: int
) -> tuple[int, FloatArray | str]:
    """Score one draw; a model of somebody else's may refuse in its own words."""
    try:
        return which, scorer.score(data.with_copies(copies(which)))
    except (SteadyrankError, ValueError, ArithmeticError) as error:
        return which, f"{type(error).__name__}: {error}"


def draw(counts: IntArray, size: int, seed: int, which: int, *, replace: bool) -> IntArray:
    """Draw some units, and return how many copies of each distinct one there are among them."""
    return drawn_copies(np.random.default_rng([seed, which]), counts, size, replace=replace)


def bootstrap_scores(data: Observations, scorer: Scorer, draws: int, seed: int) -> FloatArray:
    """Return the scores (draws, items) of data with units drawn anew; refuse if any draw has none."""
    if data.n_units < 2:
        raise OneUnitError(data.units.kind)
    copies = partial(draw, data.units.counts, data.n_units, seed, replace=True)
    found, reasons = scored_draws(data, scorer, copies, draws, "resamples")
    if reasons:
        why = f"to leave them out would bias the rest; the first: {reasons[min(reasons)]}"
        problem = f"{len(reasons):,} of {draws:,} resamples cannot be scored, and {why}"
        raise InvalidValueError(problem, way_out=FEW_DATA)
    return np.array(list(found.values()), dtype=np.float64)


def rank_percentiles(scores: FloatArray, tail: float) -> tuple[IntArray, IntArray]:
    """Return the ranks of each item that all but a tail of the draws stay within, at either end.

    Equal scores share their ranks: the best of these counts at the low end, the worst at the high one.

    Examples
    --------
    >>> rank_percentiles(np.array([[3.0, 1.0, 1.0], [2.0, 2.0, 1.0]]), 0.25)
    (array([1, 1, 2]), array([2, 3, 3]))
    """
    best = [1 + len(row) - np.searchsorted(np.sort(row), row, side="right") for row in scores]
    worst = [len(row) - np.searchsorted(np.sort(row), row, side="left") for row in scores]
    low = np.quantile(best, tail, axis=0, method="inverted_cdf")
    high = np.quantile(worst, 1 - tail, axis=0, method="inverted_cdf")
    return low.astype(np.int64), high.astype(np.int64)

"""Scores of resampled data: other numbers of the same units.

Each draw has a generator of its own, seeded by its number, so that what is drawn depends neither on how
many are drawn nor on who computes the scores.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import SteadyrankError, listing, shorten
from steadyrank.progress import counting
from steadyrank.scorers.bagged import drawn_copies
from steadyrank.scorers.refit import run_fits
from steadyrank.scorers.sums import scores_of_copies
from steadyrank.study.facts import refits
from steadyrank.sums.blocks import slices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.data.observations import Observations
    from steadyrank.scorers.base import Scorer

    Fit = Callable[[int], tuple[int, FloatArray | str]]

AT_ONCE = 1 << 22
"""How many numbers of copies and scores are handled at a time: 32 MB."""


def scored_draws(
    data: Observations,
    scorer: Scorer,
    copies: Callable[[int], IntArray],
    draws: int,
) -> tuple[dict[int, FloatArray], dict[int, str]]:
    """Return the scores of each draw by its number, and why the others have none.

    ``copies`` tells of a draw how many copies of each distinct unit it holds. Sums are added up for many
    draws at once. Where leave-one-out is by refitting, they are computed through joblib, too.
    """
    data.with_copies(
        data.units.counts
    )  # data in an engine refuse this, before any work
    parallel, numbers = refits(scorer), range(draws)
    fit = partial(_scored, data, scorer, copies)
    fits = (
        run_fits(fit, numbers, getattr(scorer, "n_jobs", None))
        if parallel
        else map(fit, numbers)
    )
    if scorer.sums(data) is not None:
        fits = _added_up(data, scorer, copies, draws, fit)
    found = dict(sorted(counting(fits, draws, "resamples")))
    reasons = {which: why for which, why in found.items() if isinstance(why, str)}
    return {
        which: row for which, row in found.items() if not isinstance(row, str)
    }, reasons


def _added_up(
    data: Observations,
    scorer: Scorer,
    copies: Callable[[int], IntArray],
    draws: int,
    fit: Fit,
) -> Iterator[tuple[int, FloatArray | str]]:
    """Score draws of sums, many at a time; one that lacks an item says so by itself."""
    for part in slices(draws, AT_ONCE, len(data.units) + data.n_items):
        numbers = range(draws)[part]
        rows = scores_of_copies(
            scorer, data, np.stack([copies(which) for which in numbers])
        )
        for which, row in zip(numbers, np.asarray(rows), strict=True):
            without = np.flatnonzero(np.isnan(row))
            if len(without):
                names = listing(shorten(data.items[item]) for item in without)
                yield which, f"no data for {names}"
            else:
                yield (which, row) if np.isfinite(row).all() else fit(which)


def _scored(
    data: Observations, scorer: Scorer, copies: Callable[[int], IntArray], which: int
) -> tuple[int, FloatArray | str]:
    """Score one draw; a model of somebody else's may refuse in its own words."""
    try:
        return which, scorer.score(data.with_copies(copies(which)))
    except (SteadyrankError, ValueError, ArithmeticError) as error:
        return which, f"{type(error).__name__}: {error}"


def draw(counts: IntArray, size: int, seed: int, which: int) -> IntArray:
    """Draw units with replacement, and return how many copies of each distinct one came out."""
    rng = np.random.default_rng([seed, which])
    return drawn_copies(rng, counts, size, replace=True)

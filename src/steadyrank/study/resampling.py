"""Scores of data that are made of other numbers of the same units: resampled, or some taken away.

Each draw has a generator of its own, seeded by its number, so that what is drawn depends neither on how
many are drawn nor on who computes the scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.data.units import Units
from steadyrank.errors import InvalidValueError, Option, SteadyrankError
from steadyrank.operators.checks import check_whole
from steadyrank.progress import counting
from steadyrank.scorers.bagged import drawn_copies
from steadyrank.scorers.base import RowsOut
from steadyrank.scorers.refit import run_fits
from steadyrank.scorers.sums import scores_of_copies
from steadyrank.study.certificate import check_removals
from steadyrank.study.facts import Facts, refits
from steadyrank.sums.blocks import slices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.data.observations import Observations
    from steadyrank.scorers.base import Scorer
    from steadyrank.study import AuditRow, Study

    Fit = Callable[[int], tuple[int, FloatArray | str]]

SAMPLES = 1000
"""How many removals are drawn where nobody says anything else."""

AT_ONCE = 1 << 22
"""How many numbers of copies and scores are handled at a time: 32 MB."""


def scored_draws(
    data: Observations,
    scorer: Scorer,
    copies: Callable[[int], IntArray],
    draws: int,
    what: str,
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
    found = dict(sorted(counting(fits, draws, what)))
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
            yield (which, row) if np.isfinite(row).all() else fit(which)


def _scored(
    data: Observations, scorer: Scorer, copies: Callable[[int], IntArray], which: int
) -> tuple[int, FloatArray | str]:
    """Score one draw; a model of somebody else's may refuse in its own words."""
    try:
        return which, scorer.score(data.with_copies(copies(which)))
    except (SteadyrankError, ValueError, ArithmeticError) as error:
        return which, f"{type(error).__name__}: {error}"


def draw(
    counts: IntArray, size: int, seed: int, which: int, *, replace: bool
) -> IntArray:
    """Draw some units, and return how many copies of each distinct one there are among them."""
    return drawn_copies(
        np.random.default_rng([seed, which]), counts, size, replace=replace
    )


@dataclass(frozen=True)
class RandomRemovals:
    """Random sets of so many units to take away together, each set as likely as any other."""

    data: Observations
    removals: int
    samples: int
    seed: int

    def leaving(self, which: int) -> IntArray:
        """Return how many of each distinct unit leave."""
        return draw(
            self.data.units.counts, self.removals, self.seed, which, replace=False
        )

    def facts(self, known: Facts) -> tuple[Facts, tuple[str, ...]]:
        """Return what is known after each removal, as if of one unit, and why some have no scores."""
        found, reasons = scored_draws(
            self.data, known.scorer, self._staying, self.samples, "removals"
        )
        if not found:
            raise InvalidValueError(
                f"none of {self.samples:,} random removals leaves data that can be scored; the first: "
                f"{reasons[0]}",
                way_out=["Remove fewer at a time, with smaller ", Option("removals")],
            )
        rows = np.array(list(found.values()), dtype=np.float64)
        units = Units(
            "random set", np.ones(len(found), dtype=np.int64), range(len(found))
        )
        out = RowsOut(known.scores, units, rows.__getitem__)
        return Facts(self.data, known.scorer, out), tuple(reasons.values())

    def _staying(self, which: int) -> IntArray:
        return np.asarray(self.data.units.counts - self.leaving(which))


def checked_removals(
    study: Study, removals: int, samples: int | None, seed: int
) -> RandomRemovals:
    """Return what is to be drawn, or complain."""
    if removals == 1 and samples is not None:
        raise InvalidValueError(
            "samples are for several removals at once; single units are all left out in turn, exactly",
            way_out=[
                "Omit ",
                Option("samples"),
                ", or give ",
                Option("removals"),
                " from 2 on.",
            ],
        )
    number = check_removals(study.facts, removals)
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
    from scipy.stats import binomtest  # loads longer than a small audit takes

    low, high = binomtest(hits, trials).proportion_ci(confidence, "exact")
    return float(low), float(high)

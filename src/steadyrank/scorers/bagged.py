"""Bagging: the mean of a scorer over bags of units, which bounds how far one unit can move it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from steadyrank._typing import FloatArray, IntArray
from steadyrank.data.observations import Observations
from steadyrank.errors import InvalidSettingError
from steadyrank.operators.checks import Range, check_whole, setting
from steadyrank.scorers.base import LeaveOneOut, Scorer, declared
from steadyrank.scorers.refit import FULL, refit_all
from steadyrank.scorers.registry import as_scorer


def bagging_constant(
    n: int, size: int, *, replace: bool = False
) -> tuple[float, float, float]:
    """Return p, q and C for bags of ``size`` of ``n`` units.

    Without replacement ``p = m/n`` and ``q = p(1-p)/(n-1)``, so that C is
    ``p / ((1-p)(n-1))``; with replacement ``p = 1 - (1-1/n)^m`` and
    ``q = (1-1/n)^(2m) - (1-2/n)^m``. A bag that always holds every unit, as far as floats can tell, has
    C infinite.

    Examples
    --------
    >>> bagging_constant(101, 50)[2] == 50 / 51 / 100
    True
    >>> [round(number, 6) for number in bagging_constant(100, 100, replace=True)]
    [0.633968, 0.00136, 0.017422]
    """
    _check_size(n, size, replace=replace)
    missed = size * np.log1p(-1 / n) if replace and n > 1 else -np.inf
    stays = float(np.exp(missed)) if replace else 1.0 - size / n
    if stays**2 == 0.0:
        return 1.0, 0.0, float("inf")
    if not replace:
        p = size / n
        return p, p * (1 - p) / (n - 1), size / ((n - size) * (n - 1))
    # (1-1/n)^2m - (1-2/n)^m, as one factor times 1 - exp(tiny), keeps its digits.
    both = size * np.log1p(-1 / (n - 1) ** 2) if n > 2 else -np.inf
    q = stays**2 * -float(np.expm1(both))
    p = -float(np.expm1(missed))
    return p, q, (p / stays + q / stays**2) / n


@dataclass(frozen=True)
class Bagged(Scorer):
    """The mean of a scorer over random bags of units.

    Without unit i the scores are the mean over ``bags`` fresh bags of the same ``size`` from the
    other units. Bags come from ``seed`` and the number of units that they are drawn from: so they are
    the bags that the same ``size`` and ``seed`` give on those data by themselves, and have nothing in
    common with the bags of one unit more. Refits run through joblib as those of
    :class:`~steadyrank.scorers.Refit` do.

    A bag need not be fit for every scorer: one that lacks all battles of an item, say, makes
    Bradley-Terry without a ridge refuse it.

    Parameters
    ----------
    scorer : Scorer, name, function or estimator
        Scores each bag.
    bags : int
        Number of bags. The bound on instability holds ``2 / bags`` beside its main term.
    size : int, optional
        Units in a bag; half of them (rounded down, at least 1) by default.
    replace : bool
        Whether to draw with replacement.
    seed : int
        Fixes all bags.
    radius_squared : float, optional
        The squared radius of a ball that holds every possible output of the scorer, for the
        bound; by default what the scorer declares. Bags whose scores no such ball holds are refused.
    n_jobs
        As for :class:`~steadyrank.scorers.Refit`.

    Examples
    --------
    >>> from steadyrank.data import Votes
    >>> from steadyrank.scorers.voting import Plurality
    >>> votes = Votes(["ann"] * 6 + ["bob"] * 4)
    >>> Bagged(Plurality(), bags=200, size=5, seed=1).score(votes).round(1)
    array([0.6, 0.4])
    """

    scorer: Scorer
    bags: int = 1000
    size: int | None = None
    replace: bool = False
    seed: int = 0
    radius_squared: float | None = setting(None, Range(0.0, optional=True))
    n_jobs: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scorer", as_scorer(self.scorer))
        super().__post_init__()
        check_whole("bags", self.bags, 1)
        check_whole("seed", self.seed, 0)

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return f"{self.scorer.name}, mean of {self.bags:,} bags"

    def prepared(self, data: Any) -> Any:
        """Return the data as the scorer takes them."""
        return self.scorer.prepared(data)

    def bagging_numbers(self, data: Observations) -> dict[str, float] | None:
        """Return what the bound ``eps^2 delta >= radius_squared (C + finite_bags)`` is made of.

        ``finite_bags`` is ``2/bags``. None where nobody says how large the scorer's outputs can be.
        """
        radius = self.radius_squared
        if radius is None:
            radius = declared(self.scorer, "output_radius_squared", data)
        if radius is None:
            return None
        n = data.n_units
        size = self._size(n)
        p, q, constant = bagging_constant(n, size, replace=self.replace)
        bags = {
            "n": n,
            "size": size,
            "bags": self.bags,
            "replace": self.replace,
            "p": p,
            "q": q,
        }
        return bags | {
            "C": constant,
            "finite_bags": 2.0 / self.bags,
            "radius_squared": radius,
        }

    def score(self, data: Observations) -> FloatArray:
        """Return the mean scores over the bags of all the data."""
        return self._mean_without(data, self._size(data.n_units), FULL)

    def apart(self, data: Observations) -> str:
        """Say why bags without a unit are not those of the rest alone; "" if they are."""
        same = self._size(data.n_units) == self._size(data.n_units - 1)
        return (
            ""
            if same
            else "no size of the bags was given, and of the rest alone they are smaller"
        )

    def leave_one_out(self, data: Observations) -> LeaveOneOut:
        """Return the mean scores over bags without each distinct unit."""
        size = self._size(data.n_units)
        if not self.replace and size > data.n_units - 1:
            raise InvalidSettingError(
                f"bags of size={size:,} cannot be drawn without replacement once one of "
                f"{data.n_units:,} units is left out. Use a smaller size, or replace=True."
            )
        return refit_all(partial(self._mean_without, data, size), data, self)

    def _check_ball(self, one: FloatArray, other: FloatArray) -> None:
        """Complain about scores of two bags that no ball of the stated radius holds."""
        if self.radius_squared is None:
            return
        apart, widest = (
            float(np.linalg.norm(one - other)),
            2 * math.sqrt(self.radius_squared),
        )
        if apart > widest * (1 + 1e-9):
            raise InvalidSettingError(
                f"the scores of two bags are {apart:g} apart, and no ball of the stated "
                f"radius_squared={self.radius_squared:g} holds both: it is {widest:g} wide",
                way_out="State that of a ball that holds whatever the scorer can say.",
            )

    def _size(self, n: int) -> int:
        size = max(1, n // 2) if self.size is None else self.size
        _check_size(n, size, replace=self.replace)
        return int(size)

    def _mean_without(self, data: Observations, size: int, unit: int) -> FloatArray:
        """Return the mean over the bags without a unit, or of all the data."""
        kept = data if unit == FULL else data.without(unit)
        rng = np.random.default_rng([self.seed, kept.n_units])
        counts = kept.units.counts
        bags = (
            drawn_copies(rng, counts, size, replace=self.replace)
            for _ in range(self.bags)
        )
        found = (self.scorer.score(kept.with_copies(copies)) for copies in bags)
        total = (first := next(found)) + 0.0
        for scores in found:
            self._check_ball(first, scores)
            total += scores
        return total / self.bags


def drawn_copies(
    rng: np.random.Generator, counts: IntArray, size: int, *, replace: bool
) -> IntArray:
    """Draw a bag: how many copies of each distinct unit it holds.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> int(drawn_copies(rng, np.array([3, 1, 2]), 4, replace=False).sum())
    4
    """
    total = int(counts.sum())
    if replace:
        return rng.multinomial(size, counts / total)
    drawn = rng.choice(total, size=size, replace=False, shuffle=False)
    owner = np.searchsorted(np.cumsum(counts), drawn, side="right")
    return np.bincount(owner, minlength=len(counts))


def _check_size(n: int, size: object, *, replace: bool) -> None:
    why = " (the number of units; more with replace=True)"
    check_whole("size", size, 1, None if replace else n, why)

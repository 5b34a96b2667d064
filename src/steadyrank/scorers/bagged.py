"""Bagging: the mean of a scorer over bags of units, which bounds how far one unit can move it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.data.observations import Observations
from steadyrank.errors import InvalidSettingError, shorten
from steadyrank.operators.checks import check_whole
from steadyrank.scorers.base import LeaveOneOut, RowsOut, Scorer, check_several, declared
from steadyrank.scorers.refit import FULL, Progress, all_fits, refit_all
from steadyrank.scorers.registry import as_scorer
from steadyrank.scorers.settings import Range, setting

NAMED = "bag {:,} of the data"


def bagging_constant(n: int, size: int, *, replace: bool = False) -> tuple[float, float, float]:
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


def reused_term(n: int, bags: int, p: float, constant: float) -> float:
    r"""Return what stands beside C if the bags without a unit serve as its leave-one-out.

    Of B bags M hold unit i, and ``w - w\i`` is M/B times the difference of the mean over these and that
    over the others. Given M, its expected square is at most

        (M/B)^2 ||difference of the expectations||^2 + radius^2 M / (B (B - M)).

    Infinite B bounds the mean over i of p^2 times the first square by radius^2 C, and ``E (M/B)^2`` is
    ``p^2 + p(1-p)/B``. And ``E M / (B - M)``, over M < B, is at most ``p/(1-p) (1 + 3/((B+1)(1-p)))``,
    since ``1/x <= 1/(x+1) + 3/((x+1)(x+2))`` and both parts have closed forms. All of it is given that
    no unit is in every bag, which fails with a probability of at most ``n p^B``.

    Examples
    --------
    >>> round(reused_term(100, 1000, 0.5, bagging_constant(100, 50)[2]), 5)  # fresh bags: 0.002
    0.00102
    """
    rare = 1.0 - n * p**bags
    if not 0 < rare <= 1 or p == 1:
        return math.inf
    noise = p / (1 - p) / bags * (1 + 3 / ((bags + 1) * (1 - p)))
    return (constant * (1 + (1 - p) / (p * bags)) + noise) / rare - constant


@dataclass(frozen=True)
class Bagged(Scorer):
    """The mean of a scorer over random bags of units.

    Without unit i the scores are the mean over ``bags`` fresh bags of the same ``size`` from the
    other units. Bags come from ``seed`` and the number of units that they are drawn from: so they are
    the bags that the same ``size`` and ``seed`` give on those data by themselves, and have nothing in
    common with the bags of one unit more. Refits run through joblib as those of
    :class:`~steadyrank.scorers.Refit` do.

    With ``reuse=True`` the scores without unit i are the mean over those of the ``bags`` that do not
    hold it: a bag that happens not to hold i is a bag drawn from the others. That takes ``bags`` fits in
    all, not so many for each unit. A unit that is in every bag is refused. Of equal units one stands for
    all of them.

    A bag need not be fit for every scorer: one that lacks all battles of an item, say, makes
    Bradley-Terry without a ridge refuse it.

    Parameters
    ----------
    scorer : Scorer, name, class, function or estimator
        Scores each bag.
    bags : int
        Number of bags. The bound on instability holds ``2 / bags`` beside its main term; with ``reuse``
        about ``p / (1-p) / bags``, where p is the share of bags that hold a unit.
    size : int, optional
        Units in a bag; half of them (rounded down, at least 1) by default.
    replace : bool
        Whether to draw with replacement.
    seed : int
        Fixes all bags.
    reuse : bool
        Whether bags without a unit serve as its leave-one-out; fresh ones are drawn otherwise.
    radius_squared : float, optional
        The squared radius of a ball that holds every possible output of the scorer, for the
        bound; by default what the scorer declares. Bags whose scores no such ball holds are refused.
    checkpoint, progress, n_jobs
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
    checkpoint: str | os.PathLike[str] | None = field(default=None, compare=False)
    progress: Progress | bool | None = field(default=None, compare=False)
    n_jobs: int | None = field(default=None, compare=False)
    reuse: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "scorer", as_scorer(self.scorer))
        super().__post_init__()
        check_whole("bags", self.bags, 1, error=InvalidSettingError)
        check_whole("seed", self.seed, 0, error=InvalidSettingError)

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return f"{self.scorer.name}, mean of {self.bags:,} {'reused ' if self.reuse else ''}bags"

    def prepared(self, data: Any) -> Any:
        """Return the data as the scorer takes them."""
        return self.scorer.prepared(data)

    def bagging_numbers(self, data: Observations) -> dict[str, float] | None:
        """Return what the bound ``eps^2 delta >= radius_squared (C + finite_bags)`` is made of.

        ``finite_bags`` is ``2/bags`` for fresh bags, and :func:`reused_term` for reused ones.
        None where nobody says how large the scorer's outputs can be. What is proved of reused bags is
        given that no unit is in all of them, so bags of which that is not true are refused.
        """
        radius = self.radius_squared
        if radius is None:
            radius = declared(self.scorer, "output_radius_squared", data)
        if radius is None:
            return None
        n = data.n_units
        size = self._size(n)
        p, q, constant = bagging_constant(n, size, replace=self.replace)
        finite_bags = reused_term(n, self.bags, p, constant) if self.reuse else 2.0 / self.bags
        if self.reuse and math.isfinite(finite_bags):
            self._times_missing(data, size)
        bags = {"n": n, "size": size, "bags": self.bags, "replace": self.replace, "reuse": self.reuse}
        return bags | {
            "p": p, "q": q, "C": constant, "finite_bags": finite_bags, "radius_squared": radius
        }  # fmt: skip

    def score(self, data: Observations) -> FloatArray:
        """Return the mean scores over the bags of all the data."""
        size = self._size(data.n_units)
        if self.reuse:
            return self._mean(self._bag_scores(data, size, bag) for bag in range(self.bags))
        return self._mean_without(data, size, FULL)

    def apart(self, data: Observations) -> str:
        """Say why bags without a unit are not those of the rest alone; "" if they are."""
        if self.reuse:
            told = "without a unit, scores are means over those bags that do not hold it"
            return f"{told}, not over bags drawn from the rest"
        same = self._size(data.n_units) == self._size(data.n_units - 1)
        return "" if same else "no size of the bags was given, and of the rest alone they are smaller"

    def leave_one_out(self, data: Observations) -> LeaveOneOut:
        """Return the mean scores over bags without each distinct unit."""
        size = self._size(data.n_units)
        if not self.replace and size > data.n_units - 1:
            raise InvalidSettingError(
                f"bags of size={size:,} cannot be drawn without replacement once one of "
                f"{data.n_units:,} units is left out. Use a smaller size, or replace=True."
            )
        if not self.reuse:
            return refit_all(partial(self._mean_without, data, size), data, self)
        check_several(data)
        times = self._times_missing(data, size)
        fit = partial(self._bag_scores, data, size)
        found = all_fits(fit, range(self.bags), NAMED.format, data, self)
        sums = np.zeros((len(data.units), data.n_items))
        for bag, scores in enumerate(found):  # one after the other: equal items have equal sums
            sums[~self._bag(data, size, bag)[0]] += scores
        return RowsOut(self._mean(found), data.units, (sums / times[:, np.newaxis]).__getitem__)

    def _times_missing(self, data: Observations, size: int) -> IntArray:
        """Return how many bags do not hold each unit, or complain about units that are in every bag."""
        times = np.zeros(len(data.units), dtype=np.int64)
        for bag in range(self.bags):
            times += ~self._bag(data, size, bag)[0]
        always = np.flatnonzero(times == 0)
        if len(always):
            p = bagging_constant(data.n_units, size, replace=self.replace)[0]
            way_out = "Use smaller bags."
            if p < 1:
                enough = math.ceil(math.log(1000 * data.n_units) / -math.log(p))
                way_out = f"From {enough:,} bags on that is rarer than 1 in 1,000; or use smaller bags."
            which = f"{data.units.kind} {shorten(data.units.labels[int(always[0])])}"
            raise InvalidSettingError(
                f"no bag tells the scores without a unit that all {self.bags:,} bags hold, as they hold "
                f"{which} ({len(always):,} of {len(times):,} distinct units)",
                way_out=way_out,
            )
        return times

    def _bag(self, data: Observations, size: int, bag: int) -> tuple[BoolArray, IntArray]:
        """Draw a bag: which units' first copies it holds, and how many copies of each unit."""
        rng, counts = np.random.default_rng([self.seed, 0, bag]), data.units.counts
        parted = np.concatenate([np.ones_like(counts), counts - 1])
        first, others = drawn_copies(rng, parted, size, replace=self.replace).reshape(2, -1)
        return first > 0, first + others

    def _bag_scores(self, data: Observations, size: int, bag: int) -> FloatArray:
        return self.scorer.score(data.with_copies(self._bag(data, size, bag)[1]))

    def _mean(self, found: Iterable[FloatArray]) -> FloatArray:
        bags = iter(found)
        first = next(bags)
        total = first + 0.0
        for scores in bags:
            self._check_ball(first, scores)
            total += scores
        return total / self.bags

    def _check_ball(self, one: FloatArray, other: FloatArray) -> None:
        """Complain about scores of two bags that no ball of the stated radius holds."""
        if self.radius_squared is None:
            return
        apart, widest = float(np.linalg.norm(one - other)), 2 * math.sqrt(self.radius_squared)
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
        bags = (drawn_copies(rng, counts, size, replace=self.replace) for _ in range(self.bags))
        return self._mean(self.scorer.score(kept.with_copies(copies)) for copies in bags)


def drawn_copies(rng: np.random.Generator, counts: IntArray, size: int, *, replace: bool) -> IntArray:
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
    check_whole("size", size, 1, None if replace else n, why, error=InvalidSettingError)

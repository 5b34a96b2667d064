r"""Randomised algorithms: instability on average over seeds, and ties that are broken at random.

An algorithm may draw random numbers: a start, bags, an order of equal items. Its instability is then the
probability that leaving out a unit breaks the answer, on average over the units. It has to be said which
numbers are drawn without the unit: the *same* as with it (shared), or others (fresh). With fresh ones an
answer may break although no unit matters at all.

What is proved of one seed holds on average: if at most a share delta of the units, on average over the
seeds, moves the scores by eps, inflated answers break for at most that share, shared or fresh.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.data.kinds import as_observations
from steadyrank.errors import InvalidValueError, shorten
from steadyrank.operators.checks import check_k
from steadyrank.scorers.base import RowsOut
from steadyrank.study.audit.audit import METHODS
from steadyrank.study.audit.rows import AuditRow, rows_of
from steadyrank.study.functions import as_study
from steadyrank.study.study import Study

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from steadyrank._typing import BoolArray, FloatArray


@dataclass(frozen=True)
class RandomisedRow:
    """How one method fared on average over seeds.

    Attributes
    ----------
    method, k
        As in an :class:`AuditRow`.
    shared : bool
        Whether the same seed was used with and without each unit.
    delta : float
        The share of units that break the answer, exactly averaged over the given seeds, or over all
        ordered pairs of two of them.
    standard_error : float or None
        Of delta, for seeds as if drawn at random: shared, the standard deviation over the seeds by the
        root of their number; fresh, by the jackknife over seeds. None for too few seeds.
    deltas : tuple of float
        The share of units for each seed, or for each pair of seeds.

    Examples
    --------
    >>> RandomisedRow("topk", 1, True, 0.25, None, (0.25,)).delta
    0.25
    """

    method: str
    k: int | None
    shared: bool
    delta: float
    standard_error: float | None
    deltas: tuple[float, ...]


def randomised_audit(
    data: Any,
    k: int | Iterable[int],
    make_scorer: Callable[[int], object],
    *,
    seeds: Iterable[int],
    eps: float,
    shared: bool = True,
    methods: Iterable[str] = METHODS,
) -> tuple[RandomisedRow, ...]:
    """Audit a randomised scorer, and average over seeds: one row for each method and k.

    Parameters
    ----------
    data, k, eps, methods
        As for :func:`audit`; eps is the same for all seeds.
    make_scorer : callable
        From a seed to a scorer: ``lambda seed: Refit(model, seed=seed)``. What the scorer does with its
        seed is its own: ``Bagged`` draws bags anew for each unit, unless it reuses them.
    seeds : iterable of int
        Averages over these are exact; they say something of other seeds up to the standard error.
    shared : bool
        Whether the answer without a unit has the seed of the answer with it. Otherwise every two
        different seeds are compared, in either order.

    Examples
    --------
    >>> from steadyrank import Bagged, Votes, randomised_audit
    >>> votes = Votes(["ann"] * 9 + ["bob"] * 8 + ["cyd"] * 4)
    >>> def bagged(seed):
    ...     return Bagged("plurality", bags=20, seed=seed, reuse=True)
    >>> for shared in (True, False):
    ...     row, *_ = randomised_audit(votes, 1, bagged, seeds=range(8), eps=0.1, shared=shared)
    ...     print(row.method, round(row.delta, 3), round(row.standard_error, 3), len(row.deltas))
    topk 0.411 0.068 8
    topk 0.496 0.043 56
    """
    chosen, observed = list(seeds), as_observations(data)
    if len(chosen) < (1 if shared else 2) or len(set(chosen)) < len(chosen):
        raise InvalidValueError(
            f"seeds must be different, one at least, or two for fresh ones, but are {shorten(chosen)}"
        )
    studies = [Study(observed, make_scorer(seed)) for seed in chosen]
    without = [np.array([row for _, row in rows_of(study.leave_one_out)]) for study in studies]
    pairs = [pair for pair in product(range(len(chosen)), repeat=2) if (pair[0] == pair[1]) == shared]
    audits = []
    for one, other in pairs:
        folds = RowsOut(studies[one].scores, studies[one].units, without[other].__getitem__)
        audits.append(studies[one].over(folds).audit(k, eps=eps, methods=methods).table)
    found = []
    for rows in zip(*audits, strict=True):
        deltas = np.array([row.delta for row in rows])
        about, error = (rows[0].method, rows[0].k, shared), _error(deltas, pairs, len(chosen))
        found.append(RandomisedRow(*about, float(deltas.mean()), error, tuple(deltas.tolist())))
    return tuple(found)


def _error(deltas: FloatArray, pairs: list[tuple[int, ...]], seeds: int) -> float | None:
    """Return the standard error of the mean; of pairs by the jackknife, without those of each seed."""
    shared = pairs[0] == (0, 0)
    if seeds < (2 if shared else 3):
        return None
    if shared:
        return float(deltas.std(ddof=1)) / math.sqrt(seeds)
    left = [deltas[[seed not in pair for pair in pairs]].mean() for seed in range(seeds)]
    return float(np.std(left)) * math.sqrt(seeds - 1)


def random_ties(data: Any, k: int, scorer: object = None, *, shared: bool = True) -> AuditRow:
    """Audit the plain top-k whose ties are broken at random, not by the order of the items.

    Among the items that are tied at the k-th score every choice is equally likely: by one random order
    of all items with and without each unit (shared), or by two that are independent (fresh). delta is
    the exact probability that leaving out a random unit changes the top k, from the blocks of ties;
    nothing is drawn.

    Parameters
    ----------
    data, k, scorer
        As for :func:`audit`.
    shared : bool
        Whether the same random order breaks the ties with and without each unit.

    Examples
    --------
    >>> from steadyrank import Votes, random_ties
    >>> votes = Votes(["ann"] * 5 + ["bob"] * 2 + ["cyd"] * 2)
    >>> [round(random_ties(votes, 2, shared=shared).delta, 4) for shared in (True, False)]
    [0.2222, 0.5]
    """
    study = as_study(data, scorer)
    k, out = check_k(k, len(study.items)), study.leave_one_out
    same = [same_topk(out.scores, row, k, shared=shared) for _, row in rows_of(out)]
    broken = np.array([1 - chance for chance in same]) @ out.units.counts.astype(object)
    delta = float(broken / out.units.total)
    note = f"ties broken at random, {'in the same order' if shared else 'anew'} without a unit"
    units = np.flatnonzero([chance < 1 for chance in same])
    return AuditRow("topk_random_ties", k, delta, delta, None, k, note=note, broken=units)


def same_topk(scores: FloatArray, others: FloatArray, k: int, *, shared: bool) -> Fraction:
    """Return the probability that two top-k sets are the same if ties are broken at random.

    A set is possible for both if it holds what is above either border and nothing that is below one:
    some of the items that are tied in both remain to be chosen. Each such set has the same probability.

    Examples
    --------
    >>> same_topk(np.array([1.0, 1.0, 0.0]), np.array([1.0, 1.0, 1.0]), 1, shared=True)
    Fraction(2, 3)
    """
    (above, tied), (over, level) = _border(scores, k), _border(others, k)
    sure, possible = above | over, (above | tied) & (over | level)
    left, free = k - int(sure.sum()), int((tied & level).sum())
    if (sure & ~possible).any() or not 0 <= left <= free:
        return Fraction(0)
    sets = math.comb(free, left)
    if not shared:
        ways = (math.comb(int(t.sum()), k - int(a.sum())) for a, t in ((above, tied), (over, level)))
        return Fraction(sets, math.prod(ways))
    outside = int((tied & ~over & ~level).sum()), free - left, int((level & ~above & ~tied).sum())
    return sets * _in_order((int((tied & over).sum()), left, int((level & above).sum())), outside)


def _border(scores: FloatArray, k: int) -> tuple[BoolArray, BoolArray]:
    """Return which items are above the k-th best score, and which have it."""
    kth = np.partition(scores, len(scores) - k)[len(scores) - k]
    return scores > kth, scores == kth


@cache
def _in_order(chosen: tuple[int, int, int], others: tuple[int, int, int]) -> Fraction:
    """Return the probability that a random order puts the chosen of two blocks before their others.

    Of each there are some in the first block alone, in both, and in the second alone. Either all chosen
    come first; or some others of one block alone come before the last chosen of the other block alone,
    and everything else before or after all of these.
    """
    good = _words(*chosen) * _words(*others)
    for (one, both, last), (early, late, rest) in ((chosen, others), (chosen[::-1], others[::-1])):
        for behind in range(1, last + 1):
            for before in range(1, early + 1):
                mixed = math.comb(behind + before - 2, behind - 1)
                good += _words(one, both, last - behind) * mixed * _words(early - before, late, rest)
    return Fraction(good, _words(*chosen, *others))


def _words(*sizes: int) -> int:
    """Return in how many ways letters, so many of each kind, can be put in a row."""
    return math.factorial(sum(sizes)) // math.prod(map(math.factorial, sizes))

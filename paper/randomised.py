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
from functools import cache, partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from steadyrank import RankingSet, Study, inflated_topk, topk
from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from paper.array_types import BoolArray, FloatArray
    from steadyrank.data import Observations


@dataclass(frozen=True)
class RandomisedRow:
    """How one method fared on average over seeds.

    Attributes
    ----------
    method, k
        As in the rows of an audit.
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
    data: Observations,
    ks: Sequence[int],
    make_scorer: Callable[[int], object],
    *,
    seeds: Sequence[int],
    eps: float,
    shared: bool = True,
) -> tuple[RandomisedRow, ...]:
    """Audit a randomised scorer, and average over seeds: one row for each method and k.

    Parameters
    ----------
    data, ks, eps
        The observations, how many items are wanted, and the inflation, the same for all seeds.
    make_scorer : callable
        From a seed to a scorer: ``lambda seed: Refit(model, seed=seed)``. What the scorer does with its
        seed is its own: ``Bagged`` draws bags anew for each unit.
    seeds : sequence of int
        Averages over these are exact; they say something of other seeds up to the standard error.
    shared : bool
        Whether the answer without a unit has the seed of the answer with it. Otherwise every two
        different seeds are compared, in either order.

    Examples
    --------
    >>> from steadyrank import Bagged, Votes
    >>> votes = Votes(["ann"] * 9 + ["bob"] * 8 + ["cyd"] * 4)
    >>> def bagged(seed):
    ...     return Bagged("plurality", bags=20, seed=seed)
    >>> for shared in (True, False):
    ...     row, *_ = randomised_audit(votes, [1], bagged, seeds=range(8), eps=0.1, shared=shared)
    ...     print(row.method, round(row.delta, 3), round(row.standard_error, 3), len(row.deltas))
    topk 0.435 0.116 8
    topk 0.39 0.072 56
    """
    if len(seeds) < (1 if shared else 2) or len(set(seeds)) < len(seeds):
        raise InvalidValueError(
            f"seeds must be different, one at least, or two for fresh ones, but are {list(seeds)}"
        )
    studies = [Study(data, make_scorer(seed)) for seed in seeds]
    without = [rows_without(study) for study in studies]
    pairs = [
        pair
        for pair in product(range(len(seeds)), repeat=2)
        if (pair[0] == pair[1]) == shared
    ]
    found = []
    for method, k, parts in ways_to_part(ks, eps):
        deltas = np.array([
            data.units.counts @ [parts(studies[one].scores, row) for row in without[other]]
            for one, other in pairs
        ]) / data.n_units  # fmt: skip
        error = _error(deltas, pairs, len(seeds))
        about = (method, k, shared, float(deltas.mean()), error)
        found.append(RandomisedRow(*about, tuple(deltas.tolist())))
    return tuple(found)


def ways_to_part(
    ks: Sequence[int], eps: float
) -> Iterator[tuple[str, int | None, Callable[[FloatArray, FloatArray], bool]]]:
    """Yield each method with its k, and whether its answers by two score vectors part."""
    for k in ks:
        yield "topk", k, partial(_part, partial(topk, k=k), k)
    for k in ks:
        yield (
            "inflated_topk",
            k,
            partial(_part, partial(inflated_topk, k=k, eps=eps), k),
        )
    yield (
        "ranking",
        None,
        lambda w, v: not np.array_equal(topk(w, len(w)), topk(v, len(v))),
    )
    yield (
        "inflated_ranking",
        None,
        lambda w, v: not RankingSet(w, eps).intersects(RankingSet(v, eps)),
    )


def _part(
    answer: Callable[[FloatArray], Iterable[int]], k: int, *scores: FloatArray
) -> bool:
    """Tell whether the answers by two score vectors share fewer than k items."""
    one, other = (set(answer(each)) for each in scores)
    return len(one & other) < k


def rows_without(study: Study) -> FloatArray:
    """Return the scores without each distinct unit, a row for each."""
    out = study.facts.leave_one_out
    return np.array([
        block.row(number, out.scores) for block in out.blocks() for number in range(len(block))
    ])  # fmt: skip


def _error(
    deltas: FloatArray, pairs: list[tuple[int, ...]], seeds: int
) -> float | None:
    """Return the standard error of the mean; of pairs by the jackknife, without those of each seed."""
    shared = pairs[0] == (0, 0)
    if seeds < (2 if shared else 3):
        return None
    if shared:
        return float(deltas.std(ddof=1)) / math.sqrt(seeds)
    left = [
        deltas[[seed not in pair for pair in pairs]].mean() for seed in range(seeds)
    ]
    return float(np.std(left)) * math.sqrt(seeds - 1)


def random_ties(study: Study, k: int, *, shared: bool = True) -> float:
    """Return the instability of the plain top-k whose ties are broken at random.

    Among the items that are tied at the k-th score every choice is equally likely: by one random order
    of all items with and without each unit (shared), or by two that are independent (fresh). It is the
    exact probability that leaving out a random unit changes the top k, from the blocks of ties; nothing
    is drawn.

    Examples
    --------
    >>> from steadyrank import Votes
    >>> study = Study(Votes(["ann"] * 5 + ["bob"] * 2 + ["cyd"] * 2))
    >>> [round(random_ties(study, 2, shared=shared), 4) for shared in (True, False)]
    [0.2222, 0.5]
    """
    same = [
        same_topk(study.scores, row, k, shared=shared) for row in rows_without(study)
    ]
    broken = np.array([1 - chance for chance in same]) @ study.units.counts.astype(
        object
    )
    return float(broken / study.units.total)


def same_topk(
    scores: FloatArray, others: FloatArray, k: int, *, shared: bool
) -> Fraction:
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
        ways = (
            math.comb(int(t.sum()), k - int(a.sum()))
            for a, t in ((above, tied), (over, level))
        )
        return Fraction(sets, math.prod(ways))
    outside = (
        int((tied & ~over & ~level).sum()),
        free - left,
        int((level & ~above & ~tied).sum()),
    )
    return sets * _in_order(
        (int((tied & over).sum()), left, int((level & above).sum())), outside
    )


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
    for (one, both, last), (early, late, rest) in (
        (chosen, others),
        (chosen[::-1], others[::-1]),
    ):
        for behind in range(1, last + 1):
            for before in range(1, early + 1):
                mixed = math.comb(behind + before - 2, behind - 1)
                good += (
                    _words(one, both, last - behind)
                    * mixed
                    * _words(early - before, late, rest)
                )
    return Fraction(good, _words(*chosen, *others))


def _words(*sizes: int) -> int:
    """Return in how many ways letters, so many of each kind, can be put in a row."""
    return math.factorial(sum(sizes)) // math.prod(map(math.factorial, sizes))

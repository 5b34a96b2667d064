r"""Mean ranks, and which items cannot be told apart: by single removals, and by a test. Never mixed.

*Stability.* Let T be an item's sum of ranks, and r its rank in one row. Without the row, item i is ahead
of j if ``T_i - r_i < T_j - r_j``. So i stays ahead, whichever row is removed, if and only if
``T_j - T_i`` is larger than ``r_j - r_i`` in every row. Ranks are halves, and sums of them exact.

*A test.* Friedman's test first; only where it finds a difference are pairs compared: by Nemenyi's, or by
Wilcoxon's signed-rank test with Holm's correction for the number of pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.data.ballots import Ballots
from steadyrank.data.kinds import as_observations
from steadyrank.errors import (
    InvalidDataError,
    InvalidSettingError,
    InvalidValueError,
    MissingValuesError,
    Option,
    not_a_choice,
)
from steadyrank.reading.scales import on_one_scale
from steadyrank.scorers.base import check_kind, check_several
from steadyrank.scorers.settings import Range, check_setting
from steadyrank.scorers.voting import places
from steadyrank.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from steadyrank._typing import BoolArray, FloatArray

TESTS = {"nemenyi": "Nemenyi's test", "holm": "Wilcoxon's test with Holm's correction"}
ALPHA = Range(0.0, 0.5, above=True, below=True)


@dataclass(frozen=True)
class CriticalDifference:
    """Mean ranks of items over rows or ballots, and which of them cannot be told apart, in two meanings.

    Two items are joined if they are in one of the groups, and told apart if they are in none. Groups may
    share items, and a group may pass over an item between its members.

    Attributes
    ----------
    items : tuple
        The labels, by mean rank, the best first.
    mean_ranks : tuple of float
        Theirs; 1 is the best, and equal values of a row share the middle of their ranks.
    joined_by_removals : tuple of tuples
        Groups of items: of any two, removing some one unit changes the order or makes a tie.
    joined_by_test : tuple of tuples
        Groups of items: of any two, the test does not find that they differ.
    test, alpha : str and float
        Which test, and its level.
    friedman : float or None
        The p-value of Friedman's test; None of two items. If it is above alpha, all are joined.
    critical_difference : float or None
        Mean ranks that differ by this much are told apart by Nemenyi's test.
    unit, n_units : str and int
        What one row is, and how many there are.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, critical_difference
    >>> tasks = ScoreMatrix([[9, 8, 1, 2], [8, 9, 2, 1], [9, 7, 0, 1], [9, 8, 2, 1], [9, 8, 1, 0]])
    >>> found = critical_difference(tasks)
    >>> found.mean_ranks, found.joined_by_removals
    ((1.2, 1.8, 3.4, 3.6), ((2, 3),))
    >>> found.joined_by_test, round(found.critical_difference, 2)
    (((0, 1), (1, 2, 3)), 2.1)
    """

    items: tuple[object, ...]
    mean_ranks: tuple[float, ...]
    joined_by_removals: tuple[tuple[object, ...], ...]
    joined_by_test: tuple[tuple[object, ...], ...]
    test: str
    alpha: float
    friedman: float | None
    critical_difference: float | None
    unit: str
    n_units: int

    @property
    def meanings(self) -> tuple[str, str]:
        """What it means to be joined, by single removals and by the test: a sentence or two each."""
        one = f"one of the {counted(self.n_units, self.unit)}"
        removals = f"Joined by single removals: removing {one} can change or tie their order."
        if not self.joined_by_removals:
            removals = f"None joined by single removals: removing {one} changes or ties no order."
        level, name = f"alpha = {self.alpha:g}", TESTS[self.test]
        apart = "no difference found"
        if self.critical_difference is not None:
            apart = f"less than the critical difference of {self.critical_difference:.2f} ranks apart"
        joined = f"Joined by {name}" if self.joined_by_test else f"None joined by {name}"
        if self.friedman is not None:
            small = f"p = {self.friedman:.2g}" if self.friedman >= 1e-4 else "p < 0.0001"
            joined += f" after Friedman's test ({small})"
            if self.friedman > self.alpha:
                joined, apart = "All joined", f"Friedman's test ({small}) finds no difference"
        return f"{removals} Stability is not statistical confidence.", f"{joined}: {apart}, {level}."

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw mean ranks, and a bar for each group, with matplotlib; return the Axes."""
        from steadyrank.report.plots import critical_difference

        return critical_difference(self, ax)


def critical_difference_of(given: Any, test: str, alpha: float) -> CriticalDifference:
    """Return mean ranks, and who is joined; see :func:`steadyrank.critical_difference`."""
    if test not in TESTS:
        raise not_a_choice("test", test, tuple(TESTS))
    check_setting("alpha", alpha, ALPHA)
    data = as_observations(given)
    values = _values(data)
    number, items = values.shape
    if items < 2:
        raise InvalidValueError("one item cannot be compared", way_out="Two items or more can be.")
    if items == 2 and test == "nemenyi":
        raise InvalidSettingError(
            "Friedman's and Nemenyi's tests compare three items or more, but there are two",
            way_out=("Use ", Option("test", "holm")),
        )
    ranks = items + 1.0 - on_one_scale(values, "ranks")
    order = np.argsort(ranks.sum(axis=0), kind="stable")
    ranks, values = ranks[:, order], values[:, order]
    labels = [data.items[place] for place in order]
    friedman, distance, joined = _tested(values, ranks, test, alpha)
    return CriticalDifference(
        items=tuple(labels),
        mean_ranks=tuple(ranks.mean(axis=0).tolist()),
        joined_by_removals=_named(groups(_reordered(ranks)), labels),
        joined_by_test=_named(groups(joined), labels),
        test=test,
        alpha=float(alpha),
        friedman=friedman,
        critical_difference=distance,
        unit=str(data.units.kind),
        n_units=number,
    )


def _values(data: Any) -> FloatArray:
    """Return a row of values for each unit, bigger ones better, or complain."""
    check_kind(data, ("scores", "ballots"), scorer="a critical-difference diagram")
    check_several(data)
    for what, there in (("weights", data.weights), ("groups", data.unit)):
        if there is not None:
            raise InvalidDataError(
                f"the rows have {what}, but the tests take rows that count alike, each by itself",
                way_out=f"Read them without {what}.",
            )
    if not isinstance(data, Ballots):
        if np.isnan(data.values).any():
            way_out = ("Use ", Option("missing", "drop"), " for the rows without gaps.")
            raise MissingValuesError("some values are missing, but the tests need all", way_out=way_out)
        return np.asarray(data.values)
    ahead, tied = places(data)
    listed = np.diff(data.indptr)
    ranks = np.repeat((listed[:, np.newaxis] + data.n_items + 1) / 2, data.n_items, axis=1)
    ranks[np.repeat(np.arange(len(listed)), listed), data.ranked] = ahead + (tied + 1) / 2
    return np.repeat(-ranks, data.counts, axis=0)


def _reordered(ranks: FloatArray) -> BoolArray:
    """Return which pairs some single removal changes the order of, or ties; items come by mean rank."""
    totals, joined = ranks.sum(axis=0), np.zeros((ranks.shape[1],) * 2, dtype=np.bool_)
    for item, total in enumerate(totals):
        joined[item] = totals - total <= (ranks - ranks[:, [item]]).max(axis=0)
    return np.asarray(np.triu(joined, 1))


def _tested(
    values: FloatArray, ranks: FloatArray, test: str, alpha: float
) -> tuple[float | None, float | None, BoolArray]:
    """Return Friedman's p, the critical difference, and which pairs a test does not tell apart."""
    from scipy import stats

    number, items = ranks.shape
    first, second = np.triu_indices(items, 1)
    joined = np.triu(np.ones((items, items), dtype=np.bool_), 1)
    friedman = distance = None
    if items > 2:
        constant = bool((ranks == ranks[:, :1]).all())  # no row prefers anything
        friedman = 1.0 if constant else float(stats.friedmanchisquare(*ranks.T).pvalue)
    if friedman is not None and friedman > alpha:
        return friedman, None, joined
    if test == "nemenyi":
        beyond = stats.studentized_range.ppf(1 - alpha, items, np.inf)
        distance = float(beyond) * math.sqrt(items * (items + 1) / (12 * number))
        means = ranks.mean(axis=0)
        joined[first, second] = means[second] - means[first] < distance
    else:
        halves = values / 2  # whose differences are finite
        found = [_wilcoxon(halves[:, i] - halves[:, j]) for i, j in zip(first, second, strict=True)]
        joined[first, second] = holm(np.array(found)) > alpha
    return friedman, distance, joined


def _wilcoxon(differences: FloatArray) -> float:
    """Return the p-value of differences that are to be on both sides of 0 alike."""
    from scipy.stats import wilcoxon

    largest = np.abs(differences).max()
    if not largest:
        return 1.0
    return float(wilcoxon((differences / largest).round(12)).pvalue)  # 0.3 - 0.2 ties with 0.2 - 0.1


def holm(p_values: FloatArray) -> FloatArray:
    """Return p-values corrected for their number: the least times it, the next times one less...

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).round(3)
    array([0.03, 0.06, 0.06])
    """
    order, number = np.argsort(p_values), len(p_values)
    corrected = np.empty(number)
    steps = p_values[order] * np.arange(number, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


def groups(joined: BoolArray) -> list[list[int]]:
    """Return groups that cover exactly the joined pairs, each as large as it can be.

    Examples
    --------
    >>> pairs = np.array([[0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=bool)
    >>> groups(pairs)
    [[0, 1, 2], [2, 3]]
    """
    left, both, found = joined.copy(), joined | joined.T, []
    while left.any():
        first = int(left.any(axis=1).argmax())
        group = [first, int(np.flatnonzero(left[first])[-1])]
        for item in range(len(joined)):
            if both[item, group].all():
                group.append(item)
        group.sort()
        left[np.ix_(group, group)] = False
        found.append(group)
    return found


def _named(found: list[list[int]], labels: list[object]) -> tuple[tuple[object, ...], ...]:
    return tuple(tuple(labels[place] for place in group) for group in found)

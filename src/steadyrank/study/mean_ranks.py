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

from steadyrank.data.read import as_observations
from steadyrank.data.score_matrix import ScoreMatrix
from steadyrank.errors import InvalidDataError, InvalidValueError, Option, wrong_data
from steadyrank.operators.checks import Range, check_setting
from steadyrank.scorers.base import check_several
from steadyrank.scorers.means import ranks_within_rows
from steadyrank.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from steadyrank._typing import BoolArray, FloatArray

    Groups = tuple[tuple[object, ...], ...]

TESTS = {"nemenyi": "Nemenyi's test", "holm": "Wilcoxon's test with Holm's correction"}
ALPHA, HOLM = Range(0.0, 0.5, above=True, below=True), Option("test", "holm")


@dataclass(frozen=True)
class CriticalDifference:
    """Mean ranks of items over rows, and which of them cannot be told apart, in two meanings.

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
    >>> from steadyrank import CriticalDifference, ScoreMatrix
    >>> tasks = ScoreMatrix([[9, 8, 1, 2], [8, 9, 2, 1], [9, 7, 0, 1], [9, 8, 2, 1], [9, 8, 1, 0]])
    >>> found = CriticalDifference.of(tasks)
    >>> found.mean_ranks, found.joined_by_removals
    ((1.2, 1.8, 3.4, 3.6), ((2, 3),))
    >>> found.joined_by_test, round(found.critical_difference, 2)
    (((0, 1), (1, 2, 3)), 2.1)
    """

    items: tuple[object, ...]
    mean_ranks: tuple[float, ...]
    joined_by_removals: Groups
    joined_by_test: Groups
    test: str
    alpha: float
    friedman: float | None
    critical_difference: float | None
    unit: str
    n_units: int

    @property
    def meanings(self) -> tuple[str, str]:
        """What it means to be joined, by single removals and by the test: a sentence or two each."""
        removals = f"removing one of the {counted(self.n_units, self.unit)}"
        joined = f"Joined by single removals: {removals} can change or tie their order."
        if not self.joined_by_removals:
            joined = (
                f"None joined by single removals: {removals} changes or ties no order."
            )
        some = bool(self.joined_by_test)
        found = "no difference found" if some else "every pair differs"
        if self.critical_difference is not None:
            near = "less than" if some else "all at least"
            found = f"{near} the critical difference of {self.critical_difference:.2f} ranks apart"
        tested = f"{'Joined' if some else 'None joined'} by {TESTS[self.test]}"
        if self.friedman is not None:
            first = "p < 0.0001" if self.friedman < 1e-4 else f"p = {self.friedman:.2g}"
            tested += f" after Friedman's test ({first})"
            if self.friedman > self.alpha:
                tested, found = (
                    "All joined",
                    f"Friedman's test ({first}) finds no difference",
                )
        confidence = f"{tested}: {found}, alpha = {self.alpha:g}."
        return f"{joined} Stability is not statistical confidence.", confidence

    @classmethod
    def of(
        cls, data: Any, *, test: str = "nemenyi", alpha: float = 0.05
    ) -> CriticalDifference:
        """Return mean ranks, and which items cannot be told apart: by single removals, and by a test.

        Draw it with ``.plot()``: the critical-difference diagram of benchmark papers, in which both
        meanings have bars of their own.

        Parameters
        ----------
        data : ScoreMatrix, path or dataframe
            Rows (tasks, data sets) that score all items, without weights, groups and gaps.
        test : {"nemenyi", "holm"}
            What compares pairs where Friedman's test finds a difference: Nemenyi's test, or Wilcoxon's
            signed-rank test with Holm's correction (without Friedman's where there are two items).
        alpha : float
            The level of these tests.

        Examples
        --------
        >>> from steadyrank import CriticalDifference, ScoreMatrix
        >>> tasks = ScoreMatrix([[9, 8, 1, 2], [8, 9, 2, 1], [9, 7, 0, 1], [9, 8, 2, 1], [9, 8, 1, 0]])
        >>> print(CriticalDifference.of(tasks, test="holm").meanings[1])
        Joined by Wilcoxon's test with Holm's correction after Friedman's test (p = 0.0056):
          no difference found, alpha = 0.05.
        """
        check_setting("test", test, tuple(TESTS))
        check_setting("alpha", alpha, ALPHA)
        data = as_observations(data)
        values = _values(data)
        if values.shape[1] < (3 if test == "nemenyi" else 2):
            raise InvalidValueError(
                f"there is too little to compare by {TESTS[test]}: {counted(values.shape[1], 'item')}",
                way_out=(
                    "Nemenyi's test needs three or more; two can be compared with ",
                    HOLM,
                ),
            )
        ranks = values.shape[1] + 1.0 - ranks_within_rows(values)
        order = np.argsort(ranks.sum(axis=0), kind="stable")
        ranks, values = ranks[:, order], values[:, order]
        labels = tuple(data.items[place] for place in order)
        tested, joined = _tested(values, ranks, test, alpha)
        return cls(
            items=labels,
            mean_ranks=tuple(ranks.mean(axis=0).tolist()),
            joined_by_removals=groups(_reordered(ranks), labels),
            joined_by_test=groups(joined, labels),
            test=test,
            alpha=float(alpha),
            **tested,
            unit=str(data.units.kind),
            n_units=len(values),
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw mean ranks, and a bar for each group, with matplotlib; return the Axes."""
        from steadyrank.report.plots import critical_difference

        return critical_difference(self, ax)


def _values(data: Any) -> FloatArray:
    """Return the values of rows that all count the same and have no gaps, or complain."""
    if not isinstance(data, ScoreMatrix):
        way_out = "Of ballots, make a matrix of ranks."
        what = "a critical-difference diagram"
        raise wrong_data(what, "ScoreMatrix", type(data).__name__, way_out=way_out)
    check_several(data)
    if data.weights is not None or data.unit is not None or np.isnan(data.values).any():
        told = "these tests need rows that all count the same and have no gaps"
        way_out = (
            "Read them without weights and groups, and without rows that have gaps."
        )
        raise InvalidDataError(told, way_out=way_out)
    return np.asarray(data.values)


def _reordered(ranks: FloatArray) -> BoolArray:
    """Return which pairs some single removal changes the order of, or ties; items come by mean rank."""
    totals, joined = ranks.sum(axis=0), np.zeros((ranks.shape[1],) * 2, dtype=np.bool_)
    for item, total in enumerate(totals):
        joined[item] = totals - total <= (ranks - ranks[:, [item]]).max(axis=0)
    return np.asarray(np.triu(joined, 1))


def _tested(
    values: FloatArray, ranks: FloatArray, test: str, alpha: float
) -> tuple[dict[str, float | None], BoolArray]:
    """Return Friedman's p and the critical difference, and which pairs a test does not tell apart."""
    from scipy import stats

    rows, items = ranks.shape
    first, second = np.triu_indices(items, 1)
    joined = np.triu(np.ones((items, items), dtype=np.bool_), 1)
    friedman = difference = None
    if items > 2:
        constant = bool((ranks == ranks[:, :1]).all())  # no row prefers anything
        friedman = 1.0 if constant else float(stats.friedmanchisquare(*ranks.T).pvalue)
    if friedman is not None and friedman > alpha:
        pass  # no pair is compared
    elif test == "nemenyi":
        beyond = stats.studentized_range.ppf(1 - alpha, items, np.inf)
        difference = float(beyond) * math.sqrt(items * (items + 1) / (12 * rows))
        means = ranks.mean(axis=0)
        joined[first, second] = means[second] - means[first] < difference
    else:
        halves = values / 2  # whose differences are finite
        found = [
            _wilcoxon(halves[:, i] - halves[:, j])
            for i, j in zip(first, second, strict=True)
        ]
        joined[first, second] = holm(np.array(found)) > alpha
    return {"friedman": friedman, "critical_difference": difference}, joined


def _wilcoxon(differences: FloatArray) -> float:
    """Return the p-value of differences that are to be on both sides of 0 alike."""
    from scipy.stats import wilcoxon

    largest = np.abs(differences).max()
    if not largest:
        return 1.0
    return float(
        wilcoxon((differences / largest).round(12)).pvalue
    )  # 0.3 - 0.2 ties with 0.2 - 0.1


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


def groups(joined: BoolArray, labels: Sequence[object]) -> Groups:
    """Return groups that cover exactly the joined pairs, each as large as it can be.

    Examples
    --------
    >>> pairs = np.array([[0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=bool)
    >>> groups(pairs, "abcd")
    (('a', 'b', 'c'), ('c', 'd'))
    """
    left, both, found = joined.copy(), joined | joined.T, []
    while left.any():
        first = int(left.any(axis=1).argmax())
        group = [first, int(np.flatnonzero(left[first])[-1])]
        for item in range(len(joined)):
            if both[item, group].all():
                group.append(item)
        left[np.ix_(group, group)] = False
        found.append(tuple(labels[place] for place in sorted(group)))
    return tuple(found)

"""Explanations: what each unit contributes to a border of the ranking, and whom an item contends with.

Where scores are means over one and the same number of units, or of rows, what a unit gives to one item
minus what it gives to another, over that number, is its Shapley value of the gap between the two: the
contributions of all units add up to the gap. For any other scorer a contribution is the gap minus the
gap without the unit, which leave-one-out gives exactly; these do not add up to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steadyrank.errors import InvalidValueError, Option, shorten
from steadyrank.operators.checks import check_k
from steadyrank.reading.arrays import frozen
from steadyrank.scorers.contests import SharedContests
from steadyrank.stability import findings
from steadyrank.stability.margin_results import Asked, index_of, margin_of
from steadyrank.stability.results import Result
from steadyrank.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.stability.margin_results import Margin
    from steadyrank.stability.study import Study

RIVALS = 3
"""How many items across the border an explanation looks at."""

ON_A_SCREEN = 10
"""Units of each side that a brief view may show."""

NEGLIGIBLE = 1e-9
"""A unit that changes the gap by less than this part of the largest change is taken for a rounding."""

RULES = {
    True: "exact: Shapley values of the gap, which add up to it",
    False: "exact: the gap minus the gap without the unit, from leave-one-out; these do not add up",
}
"""What contributions are, for additive scorers and for others."""


class Rival(NamedTuple):
    """An item across the border.

    Attributes
    ----------
    item : label
        The rival.
    rank : int
        Its plain rank.
    gap : float
        The score of the explained item minus that of the rival.
    margin : Margin
        How many units must leave before the two change places.
    """

    item: object
    rank: int
    gap: float
    margin: Margin


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """What holds an item on its side of the border between ranks k and k + 1, and what works against it.

    Attributes
    ----------
    k : int
        The border is the one after this rank.
    item : label
        The explained item.
    rank : int
        Its plain rank.
    rivals : tuple of Rival
        The items nearest to the border on its other side, at most three, the nearest first.
    additive : bool
        Whether contributions are Shapley values that add up to the gap; otherwise each is the gap
        minus the gap without the unit.
    contributions : float array (distinct units,)
        What one of each distinct unit adds to the score of the item minus that of the first rival.
    gaps_without : float array (distinct units,)
        That difference without the unit.

    Examples
    --------
    >>> from steadyrank import Votes, explain
    >>> found = explain(Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 2), 1)
    >>> found.item, found.rival.item, round(found.gap, 3), found.contributions
    ('ann', 'bob', 0.2, array([ 0.1, -0.1,  0. ]))
    >>> print(found.sentence)  # doctest: +NORMALIZE_WHITESPACE
    'ann' has rank 1 and is 0.2 ahead of 'bob', the first outside the top 1. Of 10 votes, 5 favour
    'ann' and 3 favour 'bob'; their contributions add up to the difference.
    """

    document = "explanation"

    k: int
    item: object
    rank: int
    rivals: tuple[Rival, ...]
    additive: bool
    contributions: FloatArray
    gaps_without: FloatArray

    def __repr__(self) -> str:
        return f"Explanation({self.sentence!r})"

    @property
    def rival(self) -> Rival:
        """The nearest item across the border."""
        return self.rivals[0]

    @property
    def gap(self) -> float:
        """The score of the item minus that of the first rival."""
        return self.rival.gap

    @property
    def inside(self) -> bool:
        """Whether the item is in the top k."""
        return self.rank <= self.k

    @property
    def rule(self) -> str:
        """What a contribution is."""
        return RULES[self.additive]

    @property
    def units_for(self) -> IntArray:
        """The distinct units that contribute to the item, those that do most first."""
        order = np.argsort(-self.contributions, kind="stable")
        return np.asarray(order[self.contributions[order] > 0])

    @property
    def units_against(self) -> IntArray:
        """The distinct units that contribute to the first rival, those that do most first."""
        order = np.argsort(self.contributions, kind="stable")
        return np.asarray(order[self.contributions[order] < 0])

    @property
    def sentence(self) -> str:
        """The border in plain words."""
        item, rival = shorten(self.item), shorten(self.rival.item)
        lead = "has the same score as"
        if self.gap:
            lead = f"is {abs(self.gap):.4g} {'ahead of' if self.gap > 0 else 'behind'}"
        place = "the first outside" if self.inside else "the last in"
        counts, units = self.study.units.counts, counted(self.n_units, self.unit)
        ours, theirs = (int(counts[side].sum()) for side in (self.units_for, self.units_against))
        if self.additive:
            favour, others = (f"{number:,} favour{'s' * (number == 1)}" for number in (ours, theirs))
            told = f"{favour} {item} and {others} {rival}; their contributions add up to the difference"
        else:
            told = (
                f"{ours:,} would cost {item} ground by leaving alone and {theirs:,} would gain it some"
            )
        return (
            f"{item} has rank {self.rank:,} and {lead} {rival}, {place} the top {self.k:,}. "
            f"Of {units}, {told}."
        )

    def rows(self, most: int | None = None) -> Iterator[dict[str, Any]]:
        """Yield the units for the item, then those against it, all or so many of each side."""
        known = self.study.units
        for unit in (*self.units_for[:most].tolist(), *self.units_against[:most].tolist()):
            yield {
                "unit": known.labels[unit],
                "number": unit,
                "count": int(known.counts[unit]),
                "contribution": float(self.contributions[unit]),
                "gap_without": float(self.gaps_without[unit]),
            }

    def _found(self) -> dict[str, Any]:
        return findings.explanation_findings(self, None)

    def _brief(self) -> dict[str, Any]:
        return findings.about(self) | findings.explanation_findings(self, ON_A_SCREEN)

    def _columns(self) -> dict[str, list[Any]]:
        rows = list(self.rows())
        return {name: [row[name] for row in rows] for name in findings.COLUMNS[self.document]}


def explanation_of(study: Study, k: int | None, item: object) -> Explanation:
    """Return what holds an item on its side of a border; see :func:`steadyrank.explain`."""
    order = study.margin_search().order
    place = None if item is None else index_of(study, item)
    if k is None and place is None:
        raise InvalidValueError(
            "neither a k nor an item to explain", way_out=["Give ", Option("k"), " or ", Option("item")]
        )
    if k is None and place is not None:  # ahead of the next; the last one has only those before it
        k = min(study.margin_search().rank(place), max(1, len(order) - 1))
    k = check_border(k, len(order))
    place = int(order[k - 1]) if place is None else place
    rank = study.margin_search().rank(place)
    across = order[k : k + RIVALS] if rank <= k else order[max(0, k - RIVALS) : k][::-1]
    given, without, additive = contributions_of(study, place, int(across[0]))
    return Explanation(
        **study.about(),
        k=k,
        item=study.items[place],
        rank=rank,
        rivals=tuple(_rival(study, place, other) for other in across.tolist()),
        additive=additive,
        contributions=frozen(given),
        gaps_without=frozen(without),
    )


def _rival(study: Study, place: int, other: int) -> Rival:
    gap = float(study.scores[place] - study.scores[other])
    margin = margin_of(study, Asked(pair=(study.items[place], study.items[other])), "remove")
    return Rival(study.items[other], study.margin_search().rank(other), gap, margin)


def check_border(k: object, items: int) -> int:
    """Return a k that has a rank after it, or complain."""
    number = check_k(k, items)
    if number == items:
        raise InvalidValueError(
            f"k = {number:,} is the last rank of {items:,}: there is no border after it",
            way_out=f"Give a k from 1 to {items - 1:,}." if items > 1 else "Two items are needed.",
        )
    return number


def contributions_of(study: Study, one: int, other: int) -> tuple[FloatArray, FloatArray, bool]:
    """Return what each distinct unit adds to a lead, the lead without it, and whether they add up."""
    out, contests = study.leave_one_out, study.margin_search().contests
    without = out.gaps_without(one, other)
    if isinstance(contests, SharedContests):
        return contests.contributions(one, other), without, True
    change = (out.scores[one] - out.scores[other]) - without
    change[np.abs(change) <= NEGLIGIBLE * np.abs(change).max()] = 0.0
    return change, without, False

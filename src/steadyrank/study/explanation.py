"""Explanations: what each unit contributes to a border of the ranking.

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
from steadyrank.margins.sums import SumMargins
from steadyrank.operators.checks import check_k
from steadyrank.scorers.base import gaps_without
from steadyrank.study.margin import Margin, index_of, margin_of
from steadyrank.study.results import (
    MAX_FLIPS,
    Result,
    label,
    origin,
    told,
)
from steadyrank.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.study.study import Study

RIVALS = 3
"""How many items across the border an explanation looks at."""

NEGLIGIBLE = 1e-9
"""A unit that changes the gap by less than this part of the largest change is taken for a rounding."""


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
    >>> from steadyrank import Study, Votes
    >>> found = Study(Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 2)).explain(1)
    >>> found.item, found.rivals[0].item, round(found.gap, 3), found.contributions
    ('ann', 'bob', 0.2, array([ 0.1, -0.1,  0. ]))
    >>> print(found.sentence)  # doctest: +NORMALIZE_WHITESPACE
    'ann' has rank 1 and is 0.2 ahead of 'bob', the first outside the top 1. Of the 10 votes, 5 favour
    'ann' and 3 favour 'bob'; their contributions (Shapley values) add up to the difference.
    """

    document = "explanation"

    k: int
    item: object
    rank: int
    rivals: tuple[Rival, ...]
    additive: bool
    contributions: FloatArray
    gaps_without: FloatArray

    @property
    def gap(self) -> float:
        """The score of the item minus that of the first rival."""
        return self.rivals[0].gap

    @property
    def inside(self) -> bool:
        """Whether the item is in the top k."""
        return self.rank <= self.k

    def side(self, sign: int) -> IntArray:
        """Return the distinct units for the item (1) or against it (-1), the largest first."""
        given = sign * self.contributions
        order = np.argsort(-given, kind="stable")
        return np.asarray(order[given[order] > 0])

    def number(self, sign: int) -> int:
        """Return how many units are for the item (1) or against it (-1)."""
        return int(self.study.units.counts[self.side(sign)].sum())

    @property
    def sentence(self) -> str:
        """The border in plain words."""
        item, rival, gap = shorten(self.item), shorten(self.rivals[0].item), self.gap
        lead = (
            f"is {abs(gap):.4g} {'ahead of' if gap > 0 else 'behind'}"
            if gap
            else "is level with"
        )
        place = "the first outside" if self.inside else "the last in"
        each = self.number(1), self.number(-1)
        ours, theirs = (f"{number:,} favour{'s' * (number == 1)}" for number in each)
        added = f"a contribution is the difference now minus the difference without the {self.unit}"
        if self.additive:
            added = "their contributions (Shapley values) add up to the difference"
        return (
            f"{item} has rank {self.rank:,} and {lead} {rival}, {place} the top {self.k:,}. Of the "
            f"{counted(self.n_units, self.unit)}, {ours} {item} and {theirs} {rival}; {added}."
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the units for the item, then those against it, with what one of each contributes.

        The first of each side come with what they said of the item and its first rival.
        """
        known, sides = self.study.units, [self.side(sign).tolist() for sign in (1, -1)]
        shown = [unit for side in sides for unit in side[:MAX_FLIPS]]
        pair = [self.items.index(item) for item in (self.item, self.rivals[0].item)]
        words = self.study.data.said(shown, [pair] * len(shown))
        said = dict(zip(shown, words, strict=True))
        for unit in (*sides[0], *sides[1]):
            yield {
                "unit": label(known.labels[unit]),
                "number": unit,
                "count": int(known.counts[unit]),
                "contribution": float(self.contributions[unit]),
                "gap_without": float(self.gaps_without[unit]),
                "said": said.get(unit),
            }

    def _found(self) -> dict[str, Any]:
        rivals = [
            {"item": label(rival.item), **told(rival, "rank", "gap")}
            | told(rival.margin, "lower", "upper", "sentence")
            for rival in self.rivals
        ]
        away = self.study.topk(self.k).away
        return told(self, "k", "rank", "inside", "gap", "additive", "sentence") | {
            "item": label(self.item),
            "away": None if away is None else int(away[self.items.index(self.item)]),
            "rivals": rivals,
            "units_for": self.number(1),
            "units_against": self.number(-1),
            "rows": list(self.rows()),
        }


def explanation_of(study: Study, k: int | None, item: object) -> Explanation:
    """Return what holds an item on its side of a border."""
    search, last = study.facts.margin_search(), max(1, len(study.items) - 1)
    if k is None and item is None:
        raise InvalidValueError(
            "neither a k nor an item was given",
            way_out=["Give ", Option("k"), " or ", Option("item")],
        )
    # Without a k it is ahead of the next; the last one has only those before it.
    k = check_border(
        min(search.rank(index_of(study, item)), last) if k is None else k, study
    )
    place = int(search.order[k - 1]) if item is None else index_of(study, item)
    rank = search.rank(place)
    across = (
        search.order[k : k + RIVALS] if rank <= k else search.order[:k][::-1][:RIVALS]
    )
    given, without, additive = contributions_of(study, place, int(across[0]))

    def rival(other: int) -> Rival:
        pair, gap = (
            (study.items[place], study.items[other]),
            study.scores[place] - study.scores[other],
        )
        return Rival(
            pair[1], search.rank(other), float(gap), margin_of(study, None, pair=pair)
        )

    about = origin(study) | {
        "k": k,
        "item": study.items[place],
        "rank": rank,
        "additive": additive,
    }
    rivals = tuple(map(rival, across.tolist()))
    return Explanation(
        **about, rivals=rivals, contributions=given, gaps_without=without
    )


def check_border(k: object, study: Study) -> int:
    """Return a k that has a rank after it, or complain."""
    number, items = check_k(k, len(study.items)), len(study.items)
    if number == items:
        raise InvalidValueError(
            f"k = {number:,} is the last rank of {items:,}: there is no border after it",
            way_out=f"Give a k from 1 to {items - 1:,}."
            if items > 1
            else "Two items are needed.",
        )
    return number


def contributions_of(
    study: Study, one: int, other: int
) -> tuple[FloatArray, FloatArray, bool]:
    """Return what each distinct unit adds to a lead, the lead without it, and whether they add up."""
    out, known = study.facts.leave_one_out, study.facts.margin_search().pairs
    without = gaps_without(out, one, other)
    if isinstance(known, SumMargins):
        return known.contributions(one, other), without, True
    change = (out.scores[one] - out.scores[other]) - without
    change[np.abs(change) <= NEGLIGIBLE * np.abs(change).max()] = 0.0
    return change, without, False

"""Margins as results: how many units must leave, add or change, which ones, and what then happens."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import InvalidValueError, listing, shorten
from steadyrank.operators.checks import check_k
from steadyrank.operators.topk_sets import topk
from steadyrank.stability import findings
from steadyrank.stability.results import Result
from steadyrank.wording import counted

if TYPE_CHECKING:
    from steadyrank.stability.margins import Found
    from steadyrank.stability.study import Study


@dataclass(frozen=True, eq=False, repr=False)
class Margin(Result):
    """How many units must leave together before an answer changes.

    Attributes
    ----------
    k : int or None
        The k of the top-k in question; None for a pair or for the full ranking.
    item : label or None
        The item in question, if it is one: how far it is from leaving the top k, or from entering it.
    rank : int or None
        Its plain rank.
    lower : int
        Fewer units never suffice. It is the number of all units where the answer never changes.
    upper : int or None
        So many suffice: the units in ``units`` were taken away, the data scored anew, and the answer
        seen to change. None where no such set was found.
    units : tuple of int
        Their numbers, for ``data.without(units)``; a number that occurs again is another copy.
    leaves, enters : tuple of labels
        Of a top k: the items that are then out of it, and those that are then in.
    pair : (label, label)
        The item that is passed, and the one that passes it.
    rule : str
        What ``lower`` rests on.
    assumed : tuple of str
        What is taken for granted, in plain words.

    Examples
    --------
    >>> from steadyrank import Votes, margin
    >>> votes = Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 2)
    >>> found = margin(votes, 1)
    >>> found.lower, found.upper, found.exact, found.leaves, found.enters
    (3, 3, True, ('ann',), ('bob',))
    >>> votes.without(found.units).units.counts
    array([2, 3, 2])
    """

    document = "margin"

    k: int | None
    item: object
    rank: int | None
    lower: int
    upper: int | None
    units: tuple[int, ...]
    leaves: tuple[object, ...]
    enters: tuple[object, ...]
    pair: tuple[object, object]
    rule: str
    assumed: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Margin({self.sentence!r})"

    @property
    def exact(self) -> bool:
        """Whether the number is known: the bounds meet, or no removal ever changes the answer."""
        return self.lower == self.upper or self.never

    @property
    def never(self) -> bool:
        """Whether the answer holds whoever leaves, as long as somebody stays."""
        return self.lower >= self.n_units

    @property
    def unit_labels(self) -> tuple[object, ...]:
        """What the units are called."""
        known = self.study.units.labels
        return tuple(known[unit] for unit in self.units)

    @property
    def question(self) -> str:
        """What has to happen, for sentences."""
        if self.rank is not None and self.k is not None:
            inside = self.rank <= self.k
            return f"{shorten(self.item)} {'leaves' if inside else 'enters'} the top {self.k:,}"
        if self.k is not None:
            return f"the top {self.k:,} changes"
        return "the order changes"

    @property
    def sentence(self) -> str:
        """The margin in plain words."""
        units = counted(self.n_units, self.unit)
        if self.never:
            return f"Whoever of the {units} leaves, it never happens that {self.question}."
        if self.upper is None:
            return f"At least {self.lower:,} of {units} must leave before {self.question}."
        number = f"{self.lower:,}" if self.exact else f"Between {self.lower:,} and {self.upper:,}"
        return f"{number} of {units} must leave before {self.question}."

    def _found(self) -> dict[str, Any]:
        return findings.margin_findings(self)


def margin_of(study: Study, k: int | None, item: object, pair: tuple[object, object] | None) -> Margin:
    """Return the margin of a top k, of one item of it, of a pair, or of the full ranking."""
    search = study.margins
    if pair is not None:
        return _margin(study, search.pair(*_ordered_pair(study, pair)), None, None)
    if k is None:
        return _margin(study, search.ranking(), None, None)
    k = check_k(k, len(study.items))
    if item is None:
        return _margin(study, search.topk(k), k, None)
    return _margin(study, search.item(index_of(study, item), k), k, item)


def index_of(study: Study, label: object) -> int:
    """Return the index of an item, or complain."""
    try:
        return study.items.index(label)
    except ValueError:
        close = get_close_matches(str(label), map(str, study.items), n=3)
        way_out = f"Did you mean {listing(map(shorten, close))}?" if close else ""
        raise InvalidValueError(f"there is no item {shorten(label)}", way_out=way_out) from None


def _ordered_pair(study: Study, pair: tuple[object, object]) -> tuple[int, int]:
    one, other = (index_of(study, label) for label in pair)
    order = study.margins.order.tolist()
    return (one, other) if order.index(one) < order.index(other) else (other, one)


def _margin(study: Study, found: Found, k: int | None, item: object) -> Margin:
    search = study.margins
    units: tuple[int, ...] = ()
    leaves: tuple[object, ...] = ()
    enters: tuple[object, ...] = ()
    if found.leaving is not None:
        units = tuple(np.repeat(np.arange(len(found.leaving)), found.leaving).tolist())
        scores = search.scores_without(found.leaving)
        if k is not None and scores is not None:
            before, after = topk(study.scores, k), topk(scores, k)
            leaves = tuple(study.items[place] for place in before if place not in after)
            enters = tuple(study.items[place] for place in after if place not in before)
    return Margin(
        **study.about(),
        k=k,
        item=item,
        rank=None if item is None else search.rank(index_of(study, item)),
        lower=found.lower,
        upper=found.upper,
        units=units,
        leaves=leaves,
        enters=enters,
        pair=(study.items[found.pair[0]], study.items[found.pair[1]]),
        rule=search.contests.rule,
        assumed=search.contests.assumed,
    )

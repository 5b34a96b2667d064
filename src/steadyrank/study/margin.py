"""Margins as results: how many units must leave, which ones, and what then happens."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypedDict, cast

import numpy as np

from steadyrank._typing import frozen
from steadyrank.data.observations import Observations, numbers_of
from steadyrank.errors import InvalidValueError, Option, shorten
from steadyrank.margins.search import Found, MarginSearch, order_of, precedes
from steadyrank.operators.checks import check_k
from steadyrank.operators.topk_sets import topk
from steadyrank.scorers.base import turning
from steadyrank.study.results import MAX_FLIPS, Result, label, labels, origin, told
from steadyrank.study.standings import plain_changes
from steadyrank.text import counted

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.study.facts import Facts
    from steadyrank.study.study import Study

    Labels = tuple[object, object]

GERUNDS = {
    "change": "Changing",
    "push": "Pushing",
    "bring": "Bringing",
    "put": "Putting",
}


UNBOUNDED = "only single removals were tried; for more, no bound is known"
"""What is taken for granted where only single units were left out."""


@dataclass(frozen=True, eq=False, repr=False)
class Margin(Result):
    """The fewest units whose removal changes an answer.

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
    leaving : int array
        How many of each distinct unit leave then.
    leaves, enters : tuple of labels
        Of a top k: the items that are then out of it, and those that are then in.
    pair : (label, label)
        The item that is then passed, and the one that passes it.
    asked_pair : bool
        Whether the pair itself was in question.
    rule : str
        What ``lower`` rests on.
    assumed : tuple of str
        What is taken for granted, in plain words.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> votes = Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 2)
    >>> found = Study(votes).margin(1)
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
    leaving: IntArray
    leaves: tuple[object, ...]
    enters: tuple[object, ...]
    pair: tuple[object, object]
    rule: str
    assumed: tuple[str, ...]
    asked_pair: bool = False

    @property
    def exact(self) -> bool:
        """Whether the number is known: the bounds meet, or no removal ever changes the answer."""
        return self.lower == self.upper or self.never

    @property
    def never(self) -> bool:
        """Whether the answer holds whoever leaves, as long as somebody stays."""
        return self.lower >= self.n_units

    @property
    def units(self) -> tuple[int, ...]:
        """Their numbers, for ``data.without(units)``; a number that occurs again is another copy."""
        numbers = np.repeat(np.arange(len(self.leaving)), self.leaving).tolist()
        return numbers_of(self.study.data, numbers)

    @property
    def rest(self) -> Observations:
        """The data once these units left.

        Where the scorer has units of its own (Elo: every battle, in its order), these are its data.
        """
        data = self.study.data
        return data.with_copies(data.units.counts - self.leaving)

    @property
    def _question(self) -> tuple[str, str]:
        """What has to happen, for sentences: a verb, and what it is done to."""
        if self.rank is not None and self.k is not None:
            verb, way = ("push", "out of") if self.rank <= self.k else ("bring", "into")
            return verb, f"{shorten(self.item)} {way} the top {self.k:,}"
        if self.asked_pair:
            ahead, behind = map(shorten, self.pair)
            return "put", f"{behind} ahead of {ahead}"
        return "change", "the order" if self.k is None else f"the top {self.k:,}"

    @property
    def sentence(self) -> str:
        """The margin in plain words."""
        verb, what = self._question
        units = counted(self.n_units, self.unit)
        among = f"of the {units}"
        if self.never:
            return f"No removal among the {units}, however many, can {verb} {what}."
        if self.upper == self.lower == 1:
            return f"Removing 1 {among} can {verb} {what}."
        number = f"at least {self.lower:,} {among}"
        if self.upper is not None:
            number = f"{self.lower:,} {among}; fewer are never enough"
        if self.upper is not None and self.upper > self.lower:
            number = f"between {self.lower:,} and {self.upper:,} {among}"
        return f"{GERUNDS[verb]} {what} takes the removal of {number}."

    def _found(self) -> dict[str, Any]:
        return self.parts()

    def parts(self) -> dict[str, Any]:
        """Return how many units it takes, which ones, and what then happens, as plain data."""
        passed, passing = labels(self.pair)
        return {
            "k": self.k,
            "item": None if self.item is None else label(self.item),
            **told(self, "lower", "upper", "exact", "never"),
            "passed": passed,
            "passing": passing,
            "leaves": labels(self.leaves),
            "enters": labels(self.enters),
            "units_removed": self._removed(),
            "rule": self.rule,
            "assumed": list(self.assumed),
            "sentence": self.sentence,
        }

    def _removed(self) -> dict[str, Any]:
        """Return the units of the removal set, the first of them by name and the rest counted."""
        numbers, known = np.flatnonzero(self.leaving), self.study.units.labels
        listed = [
            {
                "unit": label(known[number]),
                "number": number,
                "count": int(self.leaving[number]),
            }
            for number in numbers[:MAX_FLIPS].tolist()
        ]
        return {
            "units": int(self.leaving.sum()),
            "distinct_units": len(numbers),
            "listed": listed,
        }


def known_margin(study: Study, k: int | None) -> Margin:
    """Return the margin of a top k or of the ranking as every view shows it."""
    return study.facts.once(_known_margin, study, k)


def _known_margin(facts: Facts, study: Study, k: int | None) -> Margin:
    return _margin(study, facts.margin_search(), facts.once(known_number, k), k)


def known_number(facts: Facts, k: int | None) -> Found:
    """Return how many must leave; where scoring anew may take long, nobody is taken away for it."""
    search = facts.margin_search()
    return _plain(search, facts, k, tried=search.pairs.certified)


def _plain(
    search: MarginSearch,
    facts: Facts,
    k: int | None,
    item: Any = None,
    pair: Any = None,
    *,
    tried: bool,
) -> Found:
    """Return the margin of a plain answer, given who changes it alone, as leaving each out has shown."""
    out, found, alone = facts.leave_one_out, [np.empty(0, dtype=np.int64)], None
    if facts.units.total > 1:
        if pair is not None:
            ahead, behind = np.array(pair)[:, np.newaxis]
            found += [
                units[turned[:, 0]] for units, turned in turning(out, ahead, behind)
            ]
        elif k is None:
            found.append(out.reordered(facts.order))
        elif item is None:
            found.append(facts.deletions(k).changing)
        else:
            for active, units, old, new in plain_changes(facts, k):
                found.append(units[((new != old) & (active.items == item)).any(axis=1)])
        alone = np.sort(np.concatenate(found))
    if pair is not None:
        return search.pair(pair[0], pair[1], alone)
    if k is None:
        return search.ranking(alone, tried=tried)
    return (
        search.topk(k, alone, tried=tried)
        if item is None
        else search.item(item, k, alone)
    )


class MarginOf(TypedDict, total=False):
    """Which margin is asked for, beside the k."""

    item: object
    pair: Labels | None


def margin_of(
    study: Study,
    k: int | None,
    item: object = None,
    pair: Labels | None = None,
) -> Margin:
    """Return the margin of a top k, of one item of it, of a pair, or of the full ranking."""
    if pair is not None and (k is not None or item is not None):
        raise InvalidValueError(
            "a pair cannot go with a k or an item", way_out="Ask one of them."
        )
    if item is not None and k is None:
        raise InvalidValueError(
            f"how many units {shorten(item)} takes to flip depends on k",
            way_out=["Give ", Option("k")],
        )
    search = study.facts.margin_search()
    k = None if k is None else check_k(k, len(study.items))
    place = None if item is None else index_of(study, item)
    places = None if pair is None else _ordered_pair(study, pair)
    found = _plain(search, study.facts, k, place, places, tried=True)
    return replace(_margin(study, search, found, k, item), asked_pair=pair is not None)


def index_of(study: Study, label: object) -> int:
    """Return the index of an item, or complain."""
    try:
        return study.items.index(label)
    except ValueError:
        raise InvalidValueError(f"there is no item {shorten(label)}") from None


def _ordered_pair(study: Study, pair: Labels) -> tuple[int, int]:
    if len(pair) != 2:
        raise InvalidValueError(f"a pair must be two items, but is {shorten(pair)}")
    one, other = (index_of(study, label) for label in pair)
    if one == other:
        raise InvalidValueError(
            f"a pair must be two items, but both are {shorten(pair[0])}"
        )
    order = study.facts.order.tolist()
    return (one, other) if order.index(one) < order.index(other) else (other, one)


def _margin(
    study: Study, search: MarginSearch, found: Found, k: int | None, item: object = None
) -> Margin:
    leaving = np.zeros(len(study.units), dtype=np.int64)
    leaves: tuple[object, ...] = ()
    enters, pair, removal = leaves, found.pair, found.removal
    if removal is not None and found.upper is not None:
        leaving = search.leaving(removal, found.upper)
        # It was seen to have some.
        scores = cast("FloatArray", search.scores_after(removal, found.upper))
        pair = _passing(study.scores, scores, pair)
        if k is not None:
            before, after = topk(study.scores, k), topk(scores, k)
            leaves = tuple(study.items[place] for place in before if place not in after)
            enters = tuple(study.items[place] for place in after if place not in before)
    return Margin(
        **origin(study),
        k=k,
        item=item,
        rank=None if item is None else search.rank(index_of(study, item)),
        lower=found.lower,
        upper=found.upper,
        leaving=frozen(leaving),
        leaves=leaves,
        enters=enters,
        pair=(study.items[pair[0]], study.items[pair[1]]),
        rule=_rule(search.pairs.rule, found, study.units.total),
        assumed=() if search.pairs.certified else (UNBOUNDED,),
    )


def _rule(rule: str, found: Found, total: int) -> str:
    """Return what a number rests on; where ends are apart, a rule that is exact for pairs bounds it."""
    if found.lower == found.upper or found.lower >= total:
        return rule
    return rule.replace("exact: ", "bounds of pairs: ", 1)


def _passing(
    before: FloatArray, after: FloatArray, aimed: tuple[int, int]
) -> tuple[int, int]:
    """Return the pair that was aimed at if it swapped, else the first neighbours that did."""
    if precedes(after, aimed[1], aimed[0]):
        return aimed
    order = order_of(before).tolist()
    return next(pair for pair in pairwise(order) if precedes(after, pair[1], pair[0]))

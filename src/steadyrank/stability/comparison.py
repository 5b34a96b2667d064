"""Two versions of a ranking: who moved, and whether one unit's leaving could have moved it so far.

Moves are counted among the items in both, by *place*, so that nobody moves because others came or went.
Equal scores in the new data stand in the order of the old ranking (newcomers behind), so that a tie
alone moves nobody, either. A move is *inside* if the new place lies between the best and the worst that
the item has in the old data, whole or without any one unit, equal scores in either order; otherwise it
is *beyond*. There is no eps in that. Pairs and whole orders are held against the old stability set, the
inflated ranking at the old eps. An item that is eligible stays so when others are taken away: of the
items in both, too, that set holds the plain order without each unit that it was made to hold it for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from steadyrank.data.observations import nearly_equal
from steadyrank.errors import NotComparableError, Option, listing, shorten
from steadyrank.operators.checks import check_k
from steadyrank.operators.rankings import RankingSet
from steadyrank.stability import findings
from steadyrank.stability.results import Result
from steadyrank.stability.standings import Ranks, place_ranges
from steadyrank.stability.verdict import named
from steadyrank.stability.views import write_page
from steadyrank.wording import counted, rounded_up

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from steadyrank._typing import IntArray
    from steadyrank.stability.answers import StableRanking, StableTopK
    from steadyrank.stability.study import Study

Verdict = Literal["same", "inside", "beyond", "new", "gone"]

MOST_LEFT_OUT = 500_000_000
"""Distinct units times items in both, up to which moves are judged."""

LONGEST = 200
"""Characters of a scorer in an error."""

MAX_PAIRS = 200
"""Pairs of each kind that a document lists; the rest is counted."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Two versions of a ranking, the old one and the new one.

    What every result has (``items``, ``unit``, ...) is that of the old data.

    Attributes
    ----------
    old, new : StableRanking
        The ranking of each, with its own certificate.
    topk : StableTopK or None
        The old top k, if a k was asked for.
    common : tuple
        The items in both, by old rank.
    new_ranking : tuple
        All items of the new data by rank, equal scores in the order of the old ranking, newcomers last.
    places : int array
        The place in the new data, from 0, of each of the items in both.
    ranges : tuple of two, Ranks or None
        Their best and worst places in the old and in the new data, whole or without any one unit, equal
        scores in either order; None where nobody was left out, or where that would take too long.
    sets : tuple of two RankingSet
        The stability sets of the old and of the new data, of the items in both as ``common`` has them.

    Examples
    --------
    >>> from steadyrank import Votes, compare
    >>> old = Votes(["ann"] * 9 + ["bob"] * 4 + ["cyd"] * 4)
    >>> new = Votes(["cyd"] * 9 + ["bob"] * 7 + ["ann"] * 6 + ["dan"])
    >>> found = compare(old, new, 1)
    >>> print(found.sentence)
    2 of 3 items in both moved further than one vote's leaving could have moved them in the old data.
    >>> [(row["item"], row["old_place"], row["new_place"], row["verdict"]) for row in found.rows()]
    [('cyd', 3, 1, 'beyond'), ('bob', 2, 2, 'same'), ('ann', 1, 3, 'beyond'), ('dan', None, None, 'new')]
    >>> found.entered, found.left, found.covered
    (('cyd',), ('ann',), False)
    >>> list(found.swaps(settled=True)), list(found.swaps(settled=False))
    ([('ann', 'bob'), ('ann', 'cyd')], [('bob', 'cyd')])
    """

    document = "comparison"

    old: StableRanking
    new: StableRanking
    topk: StableTopK | None
    common: tuple[object, ...]
    new_ranking: tuple[object, ...]
    places: IntArray
    ranges: tuple[Ranks | None, Ranks | None]
    sets: tuple[RankingSet, RankingSet]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_study": None}  # it travels light, as answers do

    @property
    def gone(self) -> tuple[object, ...]:
        """The items of the old data alone, by rank."""
        return _without(self.old.ranking, self.common)

    @property
    def arrived(self) -> tuple[object, ...]:
        """The items of the new data alone, by rank."""
        return _without(self.new_ranking, self.common)

    @property
    def k(self) -> int | None:
        """How many items were asked for, if that was."""
        return None if self.topk is None else self.topk.k

    @property
    def entered(self) -> tuple[object, ...]:
        """The items of the new top k that were not in the old one, by rank; none without a k."""
        return _without(self.new_ranking[: self.k or 0], self.old.ranking[: self.k])

    @property
    def left(self) -> tuple[object, ...]:
        """The items of the old top k that are not in the new one, by old rank; none without a k."""
        return _without(self.old.ranking[: self.k or 0], self.new_ranking[: self.k])

    @property
    def covered(self) -> bool | None:
        """Whether the old list, made to hold whichever unit leaves, holds the new plain top k, too."""
        return None if self.topk is None else set(self.new_ranking[: self.k]) <= set(self.topk.members)

    @cached_property
    def is_allowed(self) -> bool:
        """Whether the new order of the items in both is one of the old stability set."""
        return np.argsort(self.places) in self.sets[0]

    @cached_property
    def shares_ranking(self) -> bool:
        """Whether some order of the items in both is in the old and in the new stability set."""
        return self.sets[0].intersects(self.sets[1])

    @cached_property
    def verdicts(self) -> tuple[Verdict | None, ...]:
        """What each of the items in both did; None where it moved and that was not judged."""
        new, ranks = self.places + 1, self.ranges[0]
        judged = np.full(len(new), None)
        if ranks is not None:
            judged = np.where((ranks.best <= new) & (new <= ranks.worst), "inside", "beyond")
        return tuple(np.where(self.places == np.arange(len(new)), "same", judged).tolist())

    @cached_property
    def _lost(self) -> tuple[IntArray, IntArray, IntArray]:
        """Where those begin that each item led for certain; how many passed it; how many of those did."""
        _, ends = self.sets[0].rank_intervals()
        following = np.arange(1, len(self.common) + 1)
        return ends, _passing(self.places, following), _passing(self.places, ends)

    @property
    def swapped_pairs(self) -> int:
        """How many pairs of items in both changed their order."""
        return int(self._lost[1].sum())

    @property
    def settled_pairs(self) -> int:
        """How many of these had their old order in every ranking of the old stability set."""
        return int(self._lost[2].sum())

    def swaps(self, *, settled: bool) -> Iterator[tuple[object, object]]:
        """Yield the pairs that changed order, those settled before or those open; who was ahead first."""
        ends, passing, certain = self._lost
        for ahead in np.flatnonzero(certain if settled else passing - certain).tolist():
            first, last = (ends[ahead], None) if settled else (ahead + 1, ends[ahead])
            for behind in np.flatnonzero(self.places[first:last] < self.places[ahead]).tolist():
                yield self.common[ahead], self.common[first + behind]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield what is known of each item: those of the new data by rank, then those that are gone."""
        blank = dict.fromkeys(findings.COLUMNS[self.document])
        told = {item: {**blank, "item": item} for item in (*self.new_ranking, *self.gone)}
        sides = (("old", self.old, self.old.ranking), ("new", self.new, self.new_ranking))
        for side, answer, ranking in sides:
            scores = dict(zip(answer.items, answer.scores.tolist(), strict=True))
            for rank, item in enumerate(ranking, start=1):
                told[item] |= {f"{side}_rank": rank, f"{side}_score": scores[item]}
                told[item]["verdict"] = "gone" if side == "old" else "new"
        for place, item in enumerate(self.common):
            told[item] |= {"old_place": place + 1, "new_place": int(self.places[place]) + 1}
            told[item]["verdict"] = self.verdicts[place]
        inflated = Ranks(*self.sets[0].rank_intervals())
        for side, ranks in (("old", self.ranges[0]), ("new", self.ranges[1]), ("inflated", inflated)):
            for end in ("best", "worst") if ranks is not None else ():
                for item, place in zip(self.common, getattr(ranks, end).tolist(), strict=True):
                    told[item][f"{side}_{end}"] = place
        for item, standing in ({} if self.topk is None else self.topk.standing_of).items():
            told[item]["standing"] = standing
        return iter(told.values())

    @property
    def sentence(self) -> str:
        """What moved, in one sentence."""
        count, beyond, leaving = self.verdicts.count, self.verdicts.count("beyond"), self._leaving
        moved = len(self.common) - count("same")
        if not moved:
            return f"Nothing moved: {counted(len(self.common), 'item')} in both, in the same order."
        of = f"of {counted(len(self.common), 'item')} in both moved"
        if count(None):
            return f"{moved:,} {of}; whether {leaving} could have done that was not worked out."
        if not beyond:
            whole = f"in the old data, whole or without any one {self.unit}"
            return f"{moved:,} {of}, none out of the range of its places {whole}."
        them = "it" if beyond == 1 else "them"
        return f"{beyond:,} {of} further than {leaving} could have moved {them} in the old data."

    @property
    def _leaving(self) -> str:
        return f"one {self.unit}'s leaving"

    def _sentences(self) -> Iterator[str]:
        """Yield what else is to be said, in the order in which readers ask for it."""
        if "beyond" in self.verdicts:
            inside, same = (self.verdicts.count(name) for name in ("inside", "same"))
            yield f"{inside:,} moved, but within what {self._leaving} could do; {same:,} did not move."
        for what, items in (("New", self.arrived), ("Gone", self.gone)):
            if items:
                yield f"{what}: {named(items, 'and')}."
        if self.topk is not None:
            yield from self._of_topk(self.topk)
        if self.swapped_pairs:
            yield from self._of_pairs()

    def _of_topk(self, old: StableTopK) -> Iterator[str]:
        """Yield who came into the top k and who left it, and whether the old list holds the new one."""
        if not self.entered:
            yield f"The top {old.k:,} holds the same items as before."
            return
        before = {item: f"{standing} before" for item, standing in old.standing_of.items()}
        before |= dict.fromkeys(self.arrived, "new")
        before |= {item: ", ".join([*filter(None, [before.get(item)]), "gone"]) for item in self.gone}
        came, went = (
            named([f"{item} ({before[item]})" if item in before else item for item in items], "and")
            for items in (self.entered, self.left)
        )
        yield f"Into the top {old.k:,} came {came}; out of it went {went}."
        missing = _without(self.new_ranking[: old.k], old.members)
        held = f"lacks {named(missing, 'and')}" if missing else "holds all of the new one"
        yield f"The old list for the top {old.k:,} ({counted(old.size, 'item')}) {held}."

    def _of_pairs(self) -> Iterator[str]:
        """Yield what the old stability set says of pairs and of the new order."""
        told = f"{counted(self.swapped_pairs, 'pair')} changed order; the old stability set "
        told += f"(eps = {rounded_up(self.old.eps)}) had settled {self.settled_pairs:,} of these"
        for pair in islice(self.swaps(settled=True), 1):
            told += ", such as {} ahead of {}".format(*(named([item], "") for item in pair))
        yield f"{told}."
        told = "The new order of the items in both is"
        if self.is_allowed:
            yield f"{told} one of the old stability set."
            return
        common = "have one in common" if self.shares_ranking else "have none in common"
        yield f"{told} not one of the old stability set; the old and the new set {common}."

    def findings(
        self,
        *,
        source: str | None = None,
        policies: Mapping[str, str] | None = None,
        new_source: str | None = None,
    ) -> dict[str, Any]:
        """Return all that views show, as plain data: JSON is this document as it is.

        Parameters
        ----------
        source, new_source : str, optional
            What to call the old and the new data, for example the names of files.
        policies : mapping, optional
            Further policies that were applied, by name, in plain words.
        """
        found = super().findings(source=source, policies=policies)
        found["new"]["source"] = new_source
        return found

    def _found(self) -> dict[str, Any]:
        alike = nearly_equal(list(dict.fromkeys((*self.items, *self.new.items))))
        known = {*self.notes, *self.new.notes}
        return {
            "headline": self.sentence,
            "sentences": list(self._sentences()),
            "warnings": [f"{note}." for note in alike if note not in known],
            **self.old.claimed(),
            **findings.told(self, "k", "covered", "is_allowed", "shares_ranking"),
            **findings.told(self, "swapped_pairs", "settled_pairs"),
            **{name: findings.labels(getattr(self, name)) for name in ("entered", "left")},
            "n_common": len(self.common),
            "moves": {name: self.verdicts.count(name) for name in ("same", "inside", "beyond")},
            "swaps": [
                {"ahead": findings.label(ahead), "behind": findings.label(behind), "settled": settled}
                for settled in (True, False)
                for ahead, behind in islice(self.swaps(settled=settled), MAX_PAIRS)
            ],
            "rows": [row | {"item": findings.label(row["item"])} for row in self.rows()],
            "new": findings.about(self.new) | self.new.claimed(),
        }

    def report(self, path: str | os.PathLike[str], *, title: str | None = None, **about: Any) -> Path:
        """Write the comparison as one HTML file, and return its path; ``about`` is for findings."""
        return write_page(self.findings(**about), path, title)


def comparison_of(old: Study, new: Study, k: int | None, how: Mapping[str, Any]) -> Comparison:
    """Compare two studies; ``how`` is what their stable rankings are asked for with."""
    _check_alike(old, new)
    found = {item: index for index, item in enumerate(new.items)}
    at = np.array([found.get(old.items[index], -1) for index in old.order.tolist()])
    if (at < 0).all():
        some, others = (listing(map(shorten, one.items), len(one.items)) for one in (old, new))
        raise NotComparableError(
            f"the old and the new data have no item in common: {some} against {others}",
            way_out="Call the items alike: nothing is matched by guessing.",
        )
    if k is not None:
        k = check_k(k, min(len(old.items), len(new.items)))
    ties = np.full(len(new.items), len(at))
    ties[at[at >= 0]] = np.flatnonzero(at >= 0)
    order = np.lexsort((ties, -new.scores))
    rank = np.argsort(order)
    before, after = old.order[at >= 0], at[at >= 0]
    rankings = old.ranking(**how), new.ranking(**how)
    return Comparison(
        **old.about(),
        old=rankings[0],
        new=rankings[1],
        topk=None if k is None else old.topk(k, **how),
        common=rankings[0].labels(before),
        new_ranking=rankings[1].labels(order),
        places=np.argsort(np.argsort(rank[after])),
        ranges=(_ranges(rankings[0], before), _ranges(rankings[1], after)),
        sets=(
            RankingSet(old.scores[before], rankings[0].eps),
            RankingSet(new.scores[after], rankings[1].eps),
        ),
    )


def _check_alike(old: Study, new: Study) -> None:
    """Complain unless both are data of one kind, scored in one way."""
    for what, one, other in (
        ("are", old.data.kind.name, new.data.kind.name),
        ("are scored by", repr(old.scorer), repr(new.scorer)),
        ("are scored", *("as they are" if s.data.weights is None else "by weight" for s in (old, new))),
    ):
        if one != other:
            raise NotComparableError(
                f"two versions of a ranking are of one kind and scored in one way, but the old data "
                f"{what} {one[:LONGEST]} and the new data {what} {other[:LONGEST]}",
                way_out=["Give both the same ", Option("kind"), " and ", Option("scorer")],
            )


def _ranges(answer: StableRanking, items: IntArray) -> Ranks | None:
    """Return the places of these items without each unit, unless nobody was left out or too many are."""
    many = answer.n_distinct_units * len(items) > MOST_LEFT_OUT
    return place_ranges(answer.study, items) if answer.told and not many else None


def _without(items: Sequence[object], others: Iterable[object]) -> tuple[object, ...]:
    """Return the items that are not among others, in their order."""
    known = set(others)
    return tuple(item for item in items if item not in known)


def _passing(places: IntArray, begins: IntArray) -> IntArray:
    """Return, for each of some numbers, how many of those from ``begins`` on are smaller.

    The numbers are looked at bit by bit, the highest first, those with a 0 before those with a 1: where
    a number has a 1, all that agree with it so far and have a 0 are smaller. In time n log n.

    Examples
    --------
    >>> _passing(np.array([2, 0, 1]), np.array([1, 2, 3]))
    array([2, 0, 0])
    """
    count, row = np.zeros_like(places), places
    low, high = begins, np.full_like(begins, len(places))
    for bit in reversed(range(len(places).bit_length())):
        is_one = (row >> bit & 1).astype(np.bool_)
        zeros = np.concatenate([[0], np.cumsum(~is_one)])
        larger = (places >> bit & 1).astype(np.bool_)
        count += np.where(larger, zeros[high] - zeros[low], 0)
        low, high = (np.where(larger, zeros[-1] + end - zeros[end], zeros[end]) for end in (low, high))
        row = row[np.argsort(is_one, kind="stable")]
    return count

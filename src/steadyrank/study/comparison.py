"""Two versions of a ranking: who moved, and whether one unit's leaving could have moved it so far.

Moves are counted among the items in both, by *place*, so that nobody moves because others came or went.
Equal scores in the new data stand in the order of the old ranking (newcomers behind), so that a tie
alone moves nobody, either. A move is *inside* if the new place lies between the best and the worst that
the item has in the old data, whole or without any one unit, equal scores in either order; otherwise it
is *beyond*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.data.observations import nearly_equal
from steadyrank.errors import Option, WrongDataError, listing, shorten
from steadyrank.operators.checks import check_k
from steadyrank.report.export import COLUMNS
from steadyrank.study.answers import named
from steadyrank.study.results import Result, about, label, labels, origin, told
from steadyrank.study.standings import Ranks, place_ranges
from steadyrank.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from steadyrank._typing import IntArray
    from steadyrank.study.answers import StableRanking, StableTopK
    from steadyrank.study.study import Study

RULE = (
    "Places count the shared items only, so nobody moves because others come or go. The range holds the "
    "places that each takes in the old data, whole or without any one {unit}, equal scores in either "
    "order. A move within it is inside, any other beyond. This is no test of significance."
)

MOST_LEFT_OUT = 500_000_000
"""Distinct units times items in both, up to which moves are judged."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Two versions of a ranking, the old one and the new one.

    What every result has (``items``, ``unit``, ...) is that of the old data.

    Attributes
    ----------
    old, new : StableRanking
        The ranking of each, with its own certificate.
    k : int or None
        How many items were asked for, if any.
    topk : StableTopK or None
        The old top k, if a k was asked for.
    common : tuple
        The items in both, by old rank.
    new_ranking : tuple
        All items of the new data by rank, equal scores in the order of the old ranking, newcomers last.
    places : dict of lists
        What is told of the items in both, by the names of ``rows()``.
    new_source : str, optional
        What findings call the new data, for example the name of a file.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> old = Votes(["ann"] * 9 + ["bob"] * 4 + ["cyd"] * 4)
    >>> new = Votes(["cyd"] * 9 + ["bob"] * 7 + ["ann"] * 6 + ["dan"])
    >>> found = Study(old).compare(new, 1)
    >>> print(found.sentence)  # doctest: +NORMALIZE_WHITESPACE
    2 of the 3 shared items moved more than removing one vote could explain; 0 moved less, 1 not at all.
    >>> [(row["item"], row["old_place"], row["new_place"], row["verdict"]) for row in found.rows()]
    [('cyd', 3, 1, 'beyond'), ('bob', 2, 2, 'same'), ('ann', 1, 3, 'beyond'), ('dan', None, None, 'new')]
    >>> found.entered, found.left, found.covered
    (('cyd',), ('ann',), False)
    """

    document = "comparison"

    old: StableRanking
    new: StableRanking
    k: int | None
    topk: StableTopK | None
    common: tuple[object, ...]
    new_ranking: tuple[object, ...]
    places: dict[str, list[Any]]
    new_source: str | None = None

    @property
    def gone(self) -> tuple[object, ...]:
        """The items of the old data alone, by rank."""
        return _without(self.old.ranking, self.common)

    @property
    def arrived(self) -> tuple[object, ...]:
        """The items of the new data alone, by rank."""
        return _without(self.new_ranking, self.common)

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
        return (
            None
            if self.topk is None
            else not _without(self.new_ranking[: self.k], self.topk.members)
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield what is known of each item: those of the new data by rank, then those that are gone."""
        blank: dict[str, Any] = dict.fromkeys(COLUMNS[self.document])
        told = {
            item: {**blank, "item": item} for item in (*self.new_ranking, *self.gone)
        }
        stood = {} if self.topk is None else self.topk.standing_of
        sides = {
            "old": (self.old, self.old.ranking, "gone"),
            "new": (self.new, self.new_ranking, "new"),
        }
        for side, (answer, ranking, verdict) in sides.items():
            scores = dict(zip(answer.items, answer.scores.tolist(), strict=True))
            for rank, item in enumerate(ranking, start=1):
                told[item] |= {
                    f"{side}_rank": rank,
                    f"{side}_score": scores[item],
                    "verdict": verdict,
                }
        for place, item in enumerate(self.common):
            told[item] |= {name: column[place] for name, column in self.places.items()}
        return (row | {"standing": stood.get(item)} for item, row in told.items())

    @property
    def standing_of(self) -> dict[object, str | None]:
        """The verdict on each item, by label."""
        return {row["item"]: row["verdict"] for row in self.rows()}

    @property
    def sentence(self) -> str:
        """What moved, in one sentence."""
        count = self.places["verdict"].count
        shared = counted(len(self.common), f"shared {self.item_name}")
        of = f"of the {shared} moved"
        explained = f"removing one {self.unit} could explain"
        if beyond := count("beyond"):
            told = f"{beyond:,} {of} more than {explained}"
            return (
                f"{told}; {count('inside'):,} moved less, {count('same'):,} not at all."
            )
        if inside := count("inside"):
            return f"{inside:,} {of}, none more than {explained}."
        if moved := count(None):
            return f"{moved:,} {of}; whether {explained} that was not worked out."
        return f"Nothing moved: {shared}, in the same order."

    def _sentences(self) -> Iterator[str]:
        """Yield what else is to be said, in the order in which readers ask for it."""
        sides = {"New": self.arrived, "Gone": self.gone}
        yield from (
            f"{what}: {named(items, 'and')}." for what, items in sides.items() if items
        )
        if (old := self.topk) is None:
            return
        before = dict.fromkeys(self.arrived, " (not in the old data)")
        for item, stood in old.standing_of.items():
            before[item] = f" (was {'a ' * (stood == 'contender')}{stood})"
        for what, items in (("New in", self.entered), ("No longer in", self.left)):
            if those := [f"{item}{before.get(item, '')}" for item in items]:
                yield f"{what} the top {old.k:,}: {named(those, 'and')}."
        missing = _without(self.new_ranking[: old.k], old.members)
        held = (
            f"lacks {named(missing, 'and')}" if missing else "holds all of the new top"
        )
        yield f"The old list for the top {old.k:,} ({counted(old.size, self.item_name)}) {held}."

    def _found(self) -> dict[str, Any]:
        alike = nearly_equal(list(dict.fromkeys((*self.items, *self.new.items))))
        return {
            "headline": self.sentence,
            "sentences": list(self._sentences()),
            "rule": RULE.format(unit=self.unit),
            "margin": None,
            "warnings": [
                note for note in alike if note not in {*self.notes, *self.new.notes}
            ],
            **self.old.claimed(),
            **told(self, "k", "covered"),
            **{name: labels(getattr(self, name)) for name in ("entered", "left")},
            "n_common": len(self.common),
            "rows": [row | {"item": label(row["item"])} for row in self.rows()],
            "new": about(self.new, self.new_source) | self.new.claimed(),
        }


def comparison_of(old: Study, new: Study, k: int | None) -> Comparison:
    """Compare two studies of data of one kind, scored in one way."""
    for problem, way_out in _unlike(old, new):
        raise WrongDataError(problem, way_out=way_out)
    k = None if k is None else check_k(k, min(len(old.items), len(new.items)))
    index = {item: number for number, item in enumerate(new.items)}
    found = np.array(
        [index.get(old.items[number], -1) for number in old.facts.order.tolist()]
    )
    places = np.flatnonzero(found >= 0)
    before, after = old.facts.order[places], found[places]
    ties = np.full(len(new.items), len(old.items))
    ties[after] = places
    order = np.lexsort((ties, -new.scores))
    was, now = old.ranking(), new.ranking()
    few = was.n_distinct_units * len(before) <= MOST_LEFT_OUT
    return Comparison(
        **origin(old) | {"_study": None},  # its answers have theirs
        old=was,
        new=now,
        k=k,
        topk=None if k is None else old.topk(k),
        common=was.labels(before),
        new_ranking=now.labels(order),
        places=_judged(
            np.argsort(order)[after], place_ranges(old.facts, before) if few else None
        ),
    )


def _unlike(old: Study, new: Study) -> Iterator[tuple[str, Any]]:
    """Yield what speaks against comparing two studies, and what to do: ways of scoring, items."""
    was, now = (_scored(one) for one in (old, new))
    if (was, repr(old.scorer)) != (now, repr(new.scorer)):
        problem = f"both versions must be of one kind and scored in one way, but are {was} and {now}"
        yield (
            problem,
            [
                "Say the same columns and the same ",
                Option("scorer"),
                " of both.",
            ],
        )
    if not set(old.items) & set(new.items):
        some, others = (
            listing(map(shorten, one.items), len(one.items)) for one in (old, new)
        )
        problem = (
            f"the old and the new data have no item in common: {some} against {others}"
        )
        yield problem, "Call the items alike: nothing is matched by guessing."


def _judged(ranks: IntArray, known: Ranks | None) -> dict[str, list[Any]]:
    """Return the columns of the items in both, given their new ranks in the order of the old ones."""
    old, new = np.arange(1, len(ranks) + 1), 1 + np.argsort(np.argsort(ranks))
    moved: Any = known and np.where(
        (known.best <= new) & (new <= known.worst), "inside", "beyond"
    )
    told = {
        "old_place": old,
        "new_place": new,
        "verdict": np.where(old == new, "same", moved),
    }
    if known is not None:
        told |= {"old_best": known.best, "old_worst": known.worst}
    return {name: column.tolist() for name, column in told.items()}


def _scored(study: Study) -> str:
    """Return the kind of data, with weights if they have some, and how it is scored."""
    weighted = "" if study.data.weights is None else ", weighted"
    return f"{study.data.kind.name} by {study.scorer.name}{weighted}"


def _without(items: Sequence[object], others: Iterable[object]) -> tuple[object, ...]:
    """Return the items that are not among others, in their order."""
    known = set(others)
    return tuple(item for item in items if item not in known)

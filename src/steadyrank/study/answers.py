"""Answers: the stable top-k and the stable ranking of a dataset, with labels and a certificate.

The first sentences of an answer have names in them; each is literally true of these data.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank._typing import frozen
from steadyrank.errors import Option, SteadyrankError
from steadyrank.operators.inflation import critical_eps
from steadyrank.study.certificate import Calibration
from steadyrank.study.margin import known_margin, known_number
from steadyrank.study.results import Result, finite, labels
from steadyrank.study.standings import TopKDeletions
from steadyrank.text import counted, in_words, plural, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from steadyrank._typing import AnyArray, FloatArray, IntArray
    from steadyrank.operators import RankingSet
    from steadyrank.study import Certificate, Margin
    from steadyrank.study.standings import Ranks, Standing

COUNTED = frozenset({"votes", "ballots"})
"""Kinds whose counts are the answer: an item that few name is no item of which little is known."""

NEXT_ON_A_SCREEN = 25
"""Items beyond the members that a brief view may show."""

SUMMARY = (
    "sure", "contenders", "changing_units", "uncovered_units", "changing_share", "uncovered_share",
)  # fmt: skip

PLACES = (
    "First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth",
)  # fmt: skip

NAMES = 5
"""How many items a sentence names; the rest is counted."""

LONGEST_NAME = 40

FIRST_LISTED = "the one listed first counts as ahead."


@dataclass(frozen=True)
class AnswerRow:
    """One item of an answer. What is None is not known, because nobody was left out for it.

    Attributes
    ----------
    rank : int
        Its plain rank.
    item : object
        Its label.
    score : float
        Its score.
    best_rank, worst_rank : int or None
        Its best and worst plain rank, over the data and the data without each unit.
    share : float or None
        The share of the units without which it is in the plain top k.
    listed : bool or None
        Whether it is in the list; None in a full ranking, which has none.
    standing : {"sure", "contender", "out"} or None
        ``sure``: in the plain top k of the data and of the data without any one unit. ``contender``: in
        or out, depending on which unit is left out. ``out``: in none of them. In a full ranking,
        ``sure`` means that its rank is the same without any one unit, ``contender`` that it is not.
    away : int or None
        How many units must leave together, at least, for it to leave the top k or to enter it, if the
        rest can still be scored.
    count : int or None
        How many observations (votes, ratings, battles) are behind its score.
    critical_eps : float or None
        The eps above which it is in the inflated top-k.
    lowest_score, highest_score : float or None
        Its score stays between these, whichever one unit leaves.
    coverage : str or None
        Such as ``20 of 190``: fewer than half as many observations are behind it as behind the item with
        most of them. Not of votes and ballots, where such counts are the answer.
    """

    rank: int
    item: object
    score: float
    best_rank: int | None
    worst_rank: int | None
    share: float | None
    listed: bool | None
    standing: Standing | None
    away: int | None
    count: int | None
    critical_eps: float | None
    lowest_score: float | None
    highest_score: float | None
    coverage: str | None


@dataclass(frozen=True, eq=False, repr=False)
class Answer(Result):
    """What both kinds of answers have in common."""

    k: int | None
    eps: float | None
    certificate: Certificate
    ranks: Ranks | None

    def __getstate__(self) -> dict[str, Any]:
        # An answer travels light: its study may hold gigabytes, and functions that cannot travel.
        kept = {
            name: value for name, value in self.__dict__.items() if name != "margin"
        }
        return kept | {"_study": None}

    @cached_property
    def order(self) -> IntArray:
        """The items by plain rank; the smaller index first among equal scores."""
        return np.argsort(-self.scores, kind="stable")

    @cached_property
    def margin(self) -> Margin:
        """How many units must leave before the plain answer changes."""
        return known_margin(self.study, self.k)

    def rows(self, limit: int | None = None) -> Iterator[AnswerRow]:
        """Yield the items by plain rank, all or the first ``limit``."""
        return map(AnswerRow, *self._table(limit).values())

    def _table(self, limit: int | None = None) -> dict[str, list[Any]]:
        """Return the columns of these rows, by name."""
        shown, none = self.order[:limit], (None, None)
        bounds = (
            self.study.facts.outer_bounds
            if self.ranks is not None and self.has_study
            else none
        )
        known = {
            "score": self.scores,
            "count": self.counts,
            "coverage": self._coverage,
        } | self._told()
        known |= zip(("lowest_score", "highest_score"), bounds, strict=True)
        told: dict[str, list[Any]] = {
            name: column[shown].tolist()
            for name, column in known.items()
            if column is not None
        }
        told |= {
            "rank": list(range(1, len(shown) + 1)),
            "item": list(self.labels(shown)),
        }
        unknown: list[Any] = [None] * len(shown)
        if self.ranks is not None:  # of the first items
            for name, end in (
                ("best_rank", self.ranks.best),
                ("worst_rank", self.ranks.worst),
            ):
                told[name] = [*end[: len(shown)].tolist(), *unknown[len(end) :]]
        return {part.name: told.get(part.name, unknown) for part in fields(AnswerRow)}

    @cached_property
    def _coverage(self) -> AnyArray | None:
        """How many observations items have that have few, of how many that another one has."""
        if self.counts is None or self.kind in COUNTED:
            return None
        most = int(self.counts.max())
        told = (
            f"{count:,} of {most:,}" if 2 * count < most else None
            for count in self.counts.tolist()
        )
        return np.array([*told], dtype=object)

    def _told(self) -> dict[str, AnyArray | None]:
        """Return what answers of this kind know of each item, by name."""
        raise NotImplementedError

    def claimed(self) -> dict[str, Any]:
        """Return what is claimed of the answer, as plain data."""
        made = self.certificate
        numbers = {name: finite(float(value)) for name, value in made.numbers.items()}
        return {"eps": self.eps, "certificate": {**vars(made), "numbers": numbers}}

    def _listed(self, limit: int | None) -> dict[str, Any]:
        """Return the items, all or so many, and what is claimed of the answer."""
        table = self._table(limit)
        table |= {
            "item": labels(table["item"]),
            "critical_eps": [*map(finite, table["critical_eps"])],
        }
        rows = [
            dict(zip(table, row, strict=True))
            for row in zip(*table.values(), strict=True)
        ]
        margin = (
            self.margin.parts() if self.ranks is not None and self.has_study else None
        )
        told = {"margin": margin, "rows": rows}
        return self.claimed() | told

    def _columns(self) -> dict[str, list[Any]]:
        from steadyrank.report.export import (
            COLUMNS,
        )  # what nobody tabulates loads no export

        table = self._table()
        return {name: table[name] for name in COLUMNS[self.document]}


@dataclass(frozen=True, eq=False, repr=False)
class StableTopK(Answer):
    """The list for the top k of a dataset, by label, with its certificate.

    Unless something else is asked for, these are the items that are in the plain top k of the data or of
    the data without some one unit. It has a length, can be iterated over, and knows whether a label is
    ``in`` it. ``print`` shows it as the command line does.

    Attributes
    ----------
    k : int
        How many items were asked for.
    eps : float or None
        The inflation, or the radius of the ball; None where the list needs none.
    indices : int array
        The list by index, best first.
    deletions : TopKDeletions or None
        The plain top k without each unit; None where nobody was left out.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> answer = Study(Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 30)).topk(2)
    >>> answer  # doctest: +ELLIPSIS
    StableTopK('Second place hangs on single votes: remove any one of 30 of the 100, and bob ...')
    >>> answer.sure, answer.contenders
    (('cyd',), ('abe', 'bob'))
    >>> len(answer), "bob" in answer, list(answer)
    (3, True, ['cyd', 'abe', 'bob'])
    """

    document = "top-k"

    k: int
    indices: IntArray
    deletions: TopKDeletions | None

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[object]:
        return iter(self.members)

    @cached_property
    def sentence(self) -> str:
        """Who is in, who contends and how many units decide."""
        return topk_headline(self)

    @property
    def size(self) -> int:
        """How many items the list holds."""
        return len(self.indices)

    @cached_property
    def critical_eps(self) -> FloatArray:
        """The eps above which each item is in the inflated top k."""
        return frozen(critical_eps(self.scores, self.k))

    @cached_property
    def members(self) -> tuple[object, ...]:
        """The labels of all members, best first."""
        return self.labels(self.indices)

    @cached_property
    def last_place(self) -> int:
        """The plain rank of the last item that is in the list or contends."""
        inside = np.isin(self.order, self.indices)
        if self.standings is not None:
            inside |= self.standings[self.order] != "out"
        return 1 + int(np.flatnonzero(inside)[-1])

    @property
    def sure(self) -> tuple[object, ...]:
        """The items that are in the plain top k of the data and of the data without any one unit."""
        return self._standing_at("sure")

    @property
    def contenders(self) -> tuple[object, ...]:
        """The items that are in the top k or out of it, depending on which unit is left out."""
        return self._standing_at("contender")

    def _standing_at(self, standing: Standing) -> tuple[object, ...]:
        if self.standings is None:
            raise SteadyrankError(
                "no unit was removed for this answer, so it is not known where items stand",
                way_out=["Omit ", Option("proved", flag=True), "."],
            )
        return self.labels(self.order[self.standings[self.order] == standing])

    @cached_property
    def standings(self) -> NDArray[np.str_] | None:
        """The standing of each item, by index; None where nobody was left out."""
        if self.deletions is None:
            return None
        inside, plain = self.deletions.inside, np.zeros(len(self.items), dtype=np.bool_)
        plain[self.order[: self.k]] = True
        beyond = np.where(plain | (inside > 0), "contender", "out")
        return np.where(plain & (inside == self.n_units), "sure", beyond)

    @cached_property
    def standing_of(self) -> dict[object, Standing]:
        """Where each item stands, by label, best rank first; nothing where nobody was left out."""
        if self.standings is None:
            return {}
        return dict(
            zip(
                self.labels(self.order),
                self.standings[self.order].tolist(),
                strict=True,
            )
        )

    @cached_property
    def away(self) -> IntArray | None:
        """How many units each item is away from leaving the top k, or from entering it, at least."""
        if self.standings is None or not self.has_study:
            return None
        facts, moves = self.study.facts, self.standings == "contender"
        return frozen(
            facts.margin_search().away(
                self.k, moves, facts.once(known_number, self.k).lower
            )
        )

    def _told(self) -> dict[str, AnyArray | None]:
        listed = np.isin(np.arange(len(self.items)), self.indices)
        told: dict[str, AnyArray | None] = {
            "listed": listed,
            "critical_eps": self.critical_eps,
        }
        if self.deletions is not None:
            told |= {"share": self.deletions.inside / self.n_units, "away": self.away}
        return told | {"standing": self.standings}

    def _found(self) -> dict[str, Any]:
        made = self._listed(None) | self._first()
        return made if self.ranks is None else made | self._audited()

    def _brief(self, everything: bool) -> dict[str, Any]:
        # Nobody is named who changes the answer, nor any other eps.
        limit = (
            None if everything else max(self.size + NEXT_ON_A_SCREEN, self.last_place)
        )
        return self._listed(limit) | self._first()

    def _first(self) -> dict[str, Any]:
        """Return what an answer says first: who is in, who contends, how many decide."""
        known, summary = self.deletions, dict.fromkeys(SUMMARY)
        if known is not None:
            # A list without an eps holds every new top k; any other goes down the order by score.
            uncovered = 0 if self.eps is None else known.uncovered_units(self.size)
            found = (
                len(self.sure),
                len(self.contenders),
                known.changing_units(),
                uncovered,
            )
            shares = (number / self.n_units for number in found[2:])
            summary = dict(zip(SUMMARY, (*found, *shares), strict=True))
        return {
            "headline": self.sentence,
            "warnings": list(border_warnings(self)),
            "k": self.k,
            "size": self.size,
            "summary": {"size": self.size, **summary},
        }

    def _audited(self) -> dict[str, Any]:
        """Return who changes the answer, and what each eps would do."""
        from steadyrank.study.audit.rows import flip_findings

        facts = self.study.facts
        # Without an eps, the smallest whose list holds what this one holds: every new top k.
        chosen = (
            Calibration(facts, self.k).eps_needed(0.0) if self.eps is None else self.eps
        )
        flips = flip_findings(self.study, self.k)
        return {"curve": facts.curve(self.k).findings(chosen), "flips": flips}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the scores around rank k with matplotlib, and return the Axes."""
        from steadyrank.report.plots import standings

        return standings(self, ax)


@dataclass(frozen=True, eq=False, repr=False)
class StableRanking(Answer):
    """The full ranking of a dataset, by label, with the ranks that items have without each unit.

    It has a length and can be iterated over, best item first.

    Attributes
    ----------
    rankings : RankingSet or None
        The inflated ranking at the eps of the answer, by index; None where there is no eps: the claim is
        then about ``ranks``, those of the data and of the data without each unit.
    changing : int or None
        How many units change the plain ranking, each left out alone; None where nobody was.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> Study(Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 30)).ranking().tiers
    (('ann',), ('bob', 'cyd'))
    """

    document = "ranking"

    rankings: RankingSet | None
    changing: int | None

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[object]:
        return iter(self.ranking)

    @cached_property
    def sentence(self) -> str:
        """How many items keep their rank, and how many units change the order."""
        return ranking_headline(self)

    @cached_property
    def ranking(self) -> tuple[object, ...]:
        """The labels in the order of the plain ranking."""
        return self.labels(self.order)

    @cached_property
    def tiers(self) -> tuple[tuple[object, ...], ...]:
        """The blocks of labels that no ranking of the set mixes, best first.

        Without an eps these are the rankings of the data and of the data without each unit: a block ends
        where no item before it ever comes later.
        """
        if self.eps is None:
            places = np.arange(1, len(self.order) + 1)
            if self.ranks is None:  # nothing was removed: equal scores share a block
                ends = places[np.diff(self.scores[self.order], append=-np.inf) != 0]
            else:
                ends = places[np.maximum.accumulate(self.ranks.worst) == places]
            return tuple(map(self.labels, np.split(self.order, ends[:-1])))
        from steadyrank.operators.intervals import tiers

        return tuple(map(self.labels, tiers(self.scores, self.eps)))

    def _told(self) -> dict[str, AnyArray | None]:
        if self.ranks is None:
            return {}
        standings = np.full(len(self.items), None)
        fixed = self.ranks.best == self.ranks.worst
        standings[self.order[: len(fixed)]] = np.where(fixed, "sure", "contender")
        return {"standing": standings}

    def _found(self) -> dict[str, Any]:
        return self._listed(None) | {
            "headline": self.sentence,
            "warnings": list(ranking_warnings(self)),
            "tiers": [labels(tier) for tier in self.tiers],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the ranks that each item may have with matplotlib, and return the Axes."""
        from steadyrank.report.plots import rank_intervals

        return rank_intervals(self, ax)


def topk_headline(answer: StableTopK) -> str:
    """Return who is in, who contends and how many units decide.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> votes = Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 30)
    >>> print(topk_headline(Study(votes).topk(2)))  # doctest: +NORMALIZE_WHITESPACE
    Second place hangs on single votes: remove any one of 30 of the 100, and bob replaces abe.
    >>> topk_headline(Study(votes).topk(1))
    'cyd comes first, no matter which one of the 100 votes is removed.'
    """
    k, units = answer.k, f"the {counted(answer.n_units, answer.unit)}"
    best = named(answer.labels(answer.order[:k]), "and")
    if answer.deletions is None:
        return f"Top {k:,} by score: {best}. No {answer.unit} was removed to see how well that holds."
    if k == len(answer.items):
        every = f"there {'is' if k == 1 else 'are'} {counted(k, answer.item_name)}"
        return f"The top {k:,} holds every {answer.item_name}: {every}."
    changing = answer.deletions.changing_units()
    if not changing:
        what = "comes first" if k == 1 else f"are the top {k:,}"
        return f"{best} {what}, no matter which one of {units} is removed."
    contenders, places = answer.contenders, k - len(answer.sure)
    if places > 1:
        whoever = (
            f"any one of {changing:,} of {units}" if changing > 1 else f"1 of {units}"
        )
        free = "all" if places == k else f"{in_words(places)} of the"
        contend = f"{counted(len(contenders), answer.item_name)} contend for {free} {in_words(k)} places"
        return f"{contend}: {named(contenders, 'and')}. Removing {whoever} changes the top {k:,}."
    # A sure item that comes k-th somewhere takes the last place there itself.
    last = (
        answer.ranks is not None
        and len(answer.ranks) >= k
        and k not in answer.ranks.worst[:k]
    )
    place = f"The top {k:,}"
    if last or k == 1:
        place = (
            f"{PLACES[k - 1]} place"
            if k <= len(PLACES)
            else f"The last place in the top {k:,}"
        )
    holder = answer.items[
        next(index for index in answer.order[:k] if answer.items[index] in contenders)
    ]
    rivals = [item for item in contenders if item != holder]
    hangs = f"one of {units}: remove that one"
    if changing > 1:
        whoever = (
            f"{changing:,} of the {answer.n_units:,}"
            if changing < answer.n_units
            else "them"
        )
        hangs = f"single {plural(answer.unit)}: remove any one of {whoever}"
    rival = (
        named(rivals, "or")
        if len(rivals) <= NAMES
        else f"one of {len(rivals):,} others"
    )
    return f"{place} hangs on {hangs}, and {rival} replaces {named([holder], 'or')}."


def ranking_headline(answer: StableRanking) -> str:
    """Return how many items hold their rank, and how many units change the order.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> votes = Votes(["cyd"] * 4 + ["bob"] * 2 + ["abe"] * 2)
    >>> print(ranking_headline(Study(votes).ranking()))  # doctest: +NORMALIZE_WHITESPACE
    1 of 3 items keeps its rank, no matter which vote is removed; 2 of the 8 votes change the order when
    removed.
    """
    items, units = len(answer.items), f"the {counted(answer.n_units, answer.unit)}"
    if answer.ranks is None:
        every = counted(items, answer.item_name)
        return f"{every} by score. No {answer.unit} was removed to see how well that holds."
    known = len(answer.ranks)
    fixed = int((answer.ranks.best == answer.ranks.worst).sum())
    change = "changes" if answer.changing == 1 else "change"
    if fixed == items:
        each = f"All {counted(items, answer.item_name)} keep their"
        each = f"The only {answer.item_name} keeps its" if items == 1 else each
        return f"{each} rank, no matter which one of {units} is removed."
    among = f"{fixed:,} of {'' if known == items else 'the first '}{counted(known, answer.item_name)}"
    kept = f"{among} {'keeps its' if fixed == 1 else 'keep their'} rank"
    removed = f"{answer.changing:,} of {units} {change} the order when removed"
    return f"{kept}, no matter which {answer.unit} is removed; {removed}."


def named(labels: Sequence[object], last: str, most: int = NAMES) -> str:
    """Return some names as a part of a sentence; of too many the first ones, and how many more.

    Examples
    --------
    >>> named(["a", "b", "c"], "or"), named("abcdefg", "and"), named(["a"], "or")
    ('a, b or c', 'a, b, c, d and 3 more', 'a')
    """
    texts = [shortened(str(label), LONGEST_NAME) for label in labels]
    if len(texts) > most:
        texts[most - 1 :] = [f"{len(texts) - most + 1:,} more"]
        last = "and"
    return (
        texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {last} {texts[-1]}"
    )


def border_warnings(answer: StableTopK) -> Iterator[str]:
    """Yield a warning if the list of items decides who is in the plain top k."""
    k, scores = answer.k, answer.scores[answer.order]
    if k < len(scores) and scores[k - 1] == scores[k]:
        tied = answer.labels(np.flatnonzero(answer.scores == scores[k]))
        yield f"Ranks {k:,} and {k + 1:,} have equal scores ({named(tied, 'and')}): {FIRST_LISTED}"


def ranking_warnings(answer: StableRanking) -> Iterator[str]:
    """Yield a warning if the list of items decides about some of the order."""
    scores, counts = np.unique(answer.scores, return_counts=True)
    if (shared := counts > 1).any():
        tied = named(
            answer.labels(np.flatnonzero(answer.scores == scores[shared][-1])), "and"
        )
        yield f"Some {plural(answer.item_name)} have equal scores, such as {tied}: {FIRST_LISTED}"

"""Answers: the stable top-k and the stable ranking of a dataset, with labels and a certificate."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import Option, SteadyrankError
from steadyrank.operators.intervals import rank_intervals, tiers
from steadyrank.reading.arrays import frozen
from steadyrank.report.export import columns_of
from steadyrank.study import document, headlines
from steadyrank.study.audit.topk import Flips
from steadyrank.study.margin import known_margin, units_away
from steadyrank.study.results import Result, some_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.operators import InflatedTopK, RankingSet
    from steadyrank.study import Audit, Certificate, Confidence, Margin
    from steadyrank.study.standings import Ranks, Standing, TopKDeletions

NEXT_ON_A_SCREEN = 25
"""Items beyond the members that a brief view may show."""


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
    standing : {"sure", "contender", "near", "out"} or None
        ``sure``: in the plain top k of the data and of the data without any one unit. ``contender``:
        leaving out some unit brings it in or puts it out. ``near``: in the list for its score, though no
        single unit brings it in. ``out``: none of these. In a full ranking, ``sure`` means that its rank
        is the same without any one unit, and ``contender`` that it is not.
    away : int or None
        How many units must leave together, at least, for it to leave the top k or to enter it, if the
        rest can still be scored.
    count : int or None
        How many observations (votes, ratings, battles) are behind its score.
    critical_eps : float or None
        The eps above which it is in the inflated top-k.
    inflated_best, inflated_worst : int
        Its best and worst rank over the inflated ranking at the eps of the answer.
    lowest_score, highest_score : float or None
        Its score stays between these, whichever one unit leaves.
    confidence_best, confidence_worst : int or None
        Another question: the best and worst rank that its true score may have, if the units are a random
        sample; None unless asked for (:meth:`Answer.with_confidence`).
    """

    rank: int
    item: object
    score: float
    best_rank: int | None
    worst_rank: int | None
    share: float | None
    standing: Standing | None
    away: int | None
    count: int | None
    critical_eps: float | None
    inflated_best: int
    inflated_worst: int
    lowest_score: float | None
    highest_score: float | None
    confidence_best: int | None
    confidence_worst: int | None


@dataclass(frozen=True, eq=False, repr=False)
class Answer(Result):
    """What both kinds of answers have in common."""

    eps: float
    certificate: Certificate
    ranks: Ranks | None
    confidence: Confidence | None = field(default=None, kw_only=True)

    def __getstate__(self) -> dict[str, Any]:
        # An answer travels light: its study may hold gigabytes, and functions that cannot travel.
        kept = {name: value for name, value in self.__dict__.items() if name not in {"_audit", "margin"}}
        return kept | {"_study": None}

    @property
    def k(self) -> int | None:
        """How many items were asked for, if that was the question."""
        return None

    def with_confidence(self, level: float = 0.95, *, draws: int = 1000, seed: int = 0) -> Self:
        """Return the answer with a :class:`Confidence` beside it, which is about another question."""
        return replace(self, confidence=self.study.confidence(level, draws=draws, seed=seed))

    @cached_property
    def order(self) -> IntArray:
        """The items by plain rank; the smaller index first among equal scores."""
        return np.argsort(-self.scores, kind="stable")

    @cached_property
    def rank_intervals(self) -> tuple[IntArray, IntArray]:
        """The best and worst rank of each item over the inflated ranking."""
        return rank_intervals(self.scores, self.eps)

    @property
    def told(self) -> bool:
        """Whether it is told where items stand without each unit."""
        return self.ranks is not None

    @cached_property
    def margin(self) -> Margin:
        """How many units must leave before the plain answer changes."""
        return known_margin(self.study, self.k)

    @cached_property
    def _score_range(self) -> tuple[FloatArray, FloatArray] | None:
        return self.study.facts.outer_bounds if self.told and self.has_study else None

    def rows(self, limit: int | None = None) -> Iterator[AnswerRow]:
        """Yield the items by plain rank, all or the first ``limit``."""
        best, worst = self.rank_intervals
        ranked = 0 if self.ranks is None else len(self.ranks)
        lowest, highest = self._score_range or (None, None)
        upper, lower = (None, None) if self.confidence is None else self.confidence.simultaneous
        for place, index in enumerate(self.order[:limit].tolist()):
            known = self.ranks if place < ranked else None
            yield AnswerRow(
                place + 1,
                self.items[index],
                float(self.scores[index]),
                best_rank=None if known is None else int(known.best[place]),
                worst_rank=None if known is None else int(known.worst[place]),
                **self._standing(place, index),
                count=None if self.counts is None else int(self.counts[index]),
                inflated_best=int(best[index]),
                inflated_worst=int(worst[index]),
                lowest_score=None if lowest is None else float(lowest[index]),
                highest_score=None if highest is None else float(highest[index]),
                confidence_best=None if upper is None else int(upper[index]),
                confidence_worst=None if lower is None else int(lower[index]),
            )

    def _standing(self, place: int, index: int) -> dict[str, Any]:
        """Return share, standing, away and critical eps of an item, given its place and its index."""
        raise NotImplementedError

    def claimed(self) -> dict[str, Any]:
        """Return what is claimed of the answer, as plain data."""
        made = self.certificate
        numbers = {name: document.finite(float(value)) for name, value in made.numbers.items()}
        return {"eps": self.eps, "certificate": {**vars(made), "numbers": numbers}}

    def _listed(self, limit: int | None) -> dict[str, Any]:
        """Return the items, all or so many, and what is claimed of the answer."""
        beside = None if self.confidence is None else self.confidence.parts()
        rows = [
            {**vars(row), "item": document.label(row.item)}
            | {"critical_eps": document.finite(row.critical_eps)}
            for row in self.rows(limit)
        ]
        return self.claimed() | {"confidence": beside, "rows": rows}

    def _margin_found(self) -> dict[str, Any] | None:
        return self.margin.parts() if self.told and self.has_study else None

    def _columns(self) -> dict[str, list[Any]]:
        names = columns_of(self.document, beside=self.confidence is not None)
        rows = list(self.rows())
        return {name: [getattr(row, name) for row in rows] for name in names}


@dataclass(frozen=True, eq=False, repr=False)
class StableTopK(Answer):
    """The inflated top-k of a dataset, by label, with its certificate.

    It has a length, can be iterated over, and knows whether a label is ``in`` it. ``print`` shows it
    as the command line does.

    Attributes
    ----------
    result : InflatedTopK
        The answer by index.
    critical_eps : float array (items,)
        The eps above which each item is a member.
    deletions : TopKDeletions or None
        The plain top k without each unit; None where nobody was left out.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> answer = stable_topk(Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 30), 2)
    >>> answer
    StableTopK(k=2, members=['cyd', 'abe', 'bob'], sure=1, eps=0.05, certificate='observed')
    >>> answer.sure, answer.contenders, answer.near
    (('cyd',), ('abe', 'bob'), ())
    >>> len(answer), "bob" in answer, list(answer)
    (3, True, ['cyd', 'abe', 'bob'])
    """

    document = "top-k"

    result: InflatedTopK
    critical_eps: FloatArray
    deletions: TopKDeletions | None

    def __repr__(self) -> str:
        sure = f"sure={len(self.sure):,}, " if self.told else ""
        return (
            f"StableTopK(k={self.k}, members={some_of(self.members)}, {sure}"
            f"eps={self.eps:.3g}, certificate={self.certificate.status!r})"
        )

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[object]:
        return iter(self.members)

    def __contains__(self, label: object) -> bool:
        return label in self.members

    @property
    def k(self) -> int:
        """How many items were asked for."""
        return self.result.k

    @property
    def size(self) -> int:
        """How many items the answer holds."""
        return self.result.size

    @cached_property
    def members(self) -> tuple[object, ...]:
        """The labels of all members, best first."""
        return self.labels(self.result.indices)

    @property
    def sure(self) -> tuple[object, ...]:
        """The items that are in the plain top k of the data and of the data without any one unit."""
        return self._standing_at("sure")

    @property
    def contenders(self) -> tuple[object, ...]:
        """The items that leaving out some unit brings into the top k or puts out of it."""
        return self._standing_at("contender")

    @property
    def near(self) -> tuple[object, ...]:
        """The members that are in the list for their score: no single unit brings them in."""
        return self._standing_at("near")

    def _standing_at(self, standing: Standing) -> tuple[object, ...]:
        if self._standings is None:
            raise SteadyrankError(
                "no unit was left out for this answer, so it is not known where items stand",
                way_out=["Ask for it with ", Option("claim", "observed"), "."],
            )
        return tuple(item for item, own in self.standing_of.items() if own == standing)

    @cached_property
    def _standings(self) -> NDArray[np.str_] | None:
        """The standing of each item, by plain rank; None where nobody was left out."""
        if self.deletions is None:
            return None
        inside, places = self.deletions.inside[self.order], np.arange(len(self.order))
        within = np.where(inside == self.n_units, "sure", "contender")
        beyond = np.where(inside > 0, "contender", np.where(places < self.size, "near", "out"))
        return np.where(places < self.k, within, beyond)

    @cached_property
    def standing_of(self) -> dict[object, Standing]:
        """Where each item stands, by label; nothing where nobody was left out."""
        known = () if self._standings is None else self._standings.tolist()
        return {self.items[at]: standing for at, standing in zip(self.order, known, strict=False)}

    @property
    def _last_contender(self) -> int:
        """The plain rank of the last item that is sure or contends; 0 where nobody was left out."""
        if self._standings is None:
            return 0
        ours = np.isin(self._standings, ("sure", "contender"))
        return 1 + int(np.flatnonzero(ours).max(initial=-1))

    @cached_property
    def away(self) -> IntArray | None:
        """How many units each item is away from leaving the top k, or from entering it, at least."""
        if self.deletions is None or not self.has_study:
            return None
        return frozen(units_away(self.study.facts, self.k, self.moves))

    @property
    def moves(self) -> BoolArray:
        """Which items some single deletion brings into the top k, or puts out of it."""
        found = np.zeros(len(self.items), dtype=np.bool_)
        found[self.order] = self._standings == "contender"
        return found

    def _standing(self, place: int, index: int) -> dict[str, Any]:
        told = {"critical_eps": float(self.critical_eps[index])}
        if self.deletions is None or self._standings is None:
            return told | {"share": None, "standing": None, "away": None}
        return told | {
            "share": int(self.deletions.inside[index]) / self.n_units,
            "standing": str(self._standings[place]),
            "away": None if self.away is None else int(self.away[index]),
        }

    def findings(
        self,
        *,
        source: str | None = None,
        policies: Mapping[str, str] | None = None,
        max_rows: int | None = None,
    ) -> dict[str, Any]:
        """Return all that views show, as plain data: JSON is this document as it is.

        It holds an audit of the answer unless nothing was claimed.

        Parameters
        ----------
        source : str, optional
            What to call the data, for example the name of a file without its folder.
        policies : mapping, optional
            Further policies that were applied, by name, in plain words.
        max_rows : int, optional
            How many items to list, by rank; all by default.
        """
        made = document.about(self, source, policies) | self._listed(max_rows) | self._first()
        return made | self._audited() if self.told else made

    def _brief(self, everything: bool) -> dict[str, Any]:
        # Nobody is named who changes the answer, nor any other eps.
        limit = None if everything else max(self.size + NEXT_ON_A_SCREEN, self._last_contender)
        return self._listed(limit) | self._first()

    def _first(self) -> dict[str, Any]:
        """Return what an answer says first: who is in, who contends, how many decide."""
        known = self.deletions
        summary: dict[str, Any] = {"size": self.size}
        for name in ("sure", "contenders", "near"):
            summary[name] = None if known is None else len(getattr(self, name))
        changing = None if known is None else known.changing_units()
        uncovered = None if known is None else known.uncovered_units(self.eps)
        for name, number in (("changing", changing), ("uncovered", uncovered)):
            share = None if number is None else number / self.n_units
            summary |= {f"{name}_units": number, f"{name}_share": share}
        return {
            "headline": headlines.topk_headline(self),
            "warnings": list(headlines.topk_warnings(self)),
            "suggestions": headlines.suggestions(self),
            "k": self.k,
            "size": self.size,
            "summary": summary,
            "margin": self._margin_found(),
        }

    def _audited(self) -> dict[str, Any]:
        """Return who changes the answer, and what each eps would do."""
        flips = document.flip_findings(self._audit.flips(self.k), self.study.data)
        curve = document.curve_findings(self._audit.curve(self.k), self.eps)
        return self._audit.audited() | {"curve": curve, "flips": flips}

    @cached_property
    def _audit(self) -> Audit:
        return self.study.audit(self.k, eps=self.eps, methods=Flips.METHODS)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the scores around rank k with matplotlib, and return the Axes."""
        from steadyrank.report.plots import standings

        return standings(self, ax)


@dataclass(frozen=True, eq=False, repr=False)
class StableRanking(Answer):
    """The inflated full ranking of a dataset, by label, with its certificate.

    It has a length and can be iterated over, best item first.

    Attributes
    ----------
    rankings : RankingSet
        The set of rankings, by index.
    changing : int or None
        How many units change the plain ranking, each left out alone; None where nobody was.

    Examples
    --------
    >>> from steadyrank import Votes, stable_ranking
    >>> stable_ranking(Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 30))
    StableRanking(ranking=['ann', 'bob', 'cyd'], tiers=2, eps=0.0909, certificate='observed')
    """

    document = "ranking"

    rankings: RankingSet
    changing: int | None

    def __repr__(self) -> str:
        return (
            f"StableRanking(ranking={some_of(self.ranking)}, tiers={len(self.tiers):,}, "
            f"eps={self.eps:.3g}, certificate={self.certificate.status!r})"
        )

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[object]:
        return iter(self.ranking)

    def __contains__(self, label: object) -> bool:
        return label in self.items

    @cached_property
    def ranking(self) -> tuple[object, ...]:
        """The labels in the order of the plain ranking."""
        return self.labels(self.order)

    @cached_property
    def tiers(self) -> tuple[tuple[object, ...], ...]:
        """The blocks of labels that no ranking of the set mixes, best first."""
        return tuple(self.labels(block) for block in tiers(self.scores, self.eps))

    def _standing(self, place: int, index: int) -> dict[str, Any]:  # noqa: ARG002 (same call)
        told = dict.fromkeys(("share", "standing", "away", "critical_eps"))
        if self.ranks is None or place >= len(self.ranks):
            return told
        fixed = self.ranks.best[place] == self.ranks.worst[place]
        return told | {"standing": "sure" if fixed else "contender"}

    def _found(self) -> dict[str, Any]:
        return self._listed(None) | {
            "headline": headlines.ranking_headline(self),
            "warnings": list(headlines.ranking_warnings(self)),
            "suggestions": headlines.suggestions(self),
            "tiers": [document.labels(tier) for tier in self.tiers],
            "margin": self._margin_found(),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the ranks that each item may have with matplotlib, and return the Axes."""
        from steadyrank.report.plots import rank_intervals

        return rank_intervals(self, ax)

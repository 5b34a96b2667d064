"""Answers: the stable top-k and the stable ranking of a dataset, with labels and a certificate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from steadyrank.operators.intervals import rank_intervals, tiers
from steadyrank.stability import findings
from steadyrank.stability.results import Result, some_of
from steadyrank.stability.thresholds import BUDGET
from steadyrank.stability.topk_audit import Flips
from steadyrank.stability.views import plot_ranking, plot_topk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from matplotlib.axes import Axes

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.operators.rankings import RankingSet
    from steadyrank.operators.topk_sets import InflatedTopK
    from steadyrank.stability.auditing import Audit
    from steadyrank.stability.certificate import Certificate
    from steadyrank.stability.margin_results import Margin

Standing = Literal["certain", "contender", "out"]

NEXT_ON_A_SCREEN = 25
"""Items beyond the members that a brief view may show."""


@dataclass(frozen=True)
class AnswerRow:
    """One item of an answer.

    Attributes
    ----------
    rank : int
        Its plain rank.
    item : object
        Its label.
    score : float
        Its score.
    best_rank, worst_rank : int
        Its best and worst rank over the inflated ranking at the same eps.
    standing : {"certain", "contender", "out"}
        Whether it is surely in the top k, may be, or is not. In a full ranking, ``certain`` means that
        its rank is the same in every ranking of the set.
    critical_eps : float or None
        The eps above which it is in the inflated top-k.
    """

    rank: int
    item: object
    score: float
    best_rank: int
    worst_rank: int
    standing: Standing
    critical_eps: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Answer(Result):
    """What both kinds of answers have in common."""

    eps: float
    certificate: Certificate

    def __getstate__(self) -> dict[str, Any]:
        # An answer travels light: its study may hold gigabytes, and functions that cannot travel.
        kept = {name: value for name, value in self.__dict__.items() if name != "_audit"}
        return kept | {"_study": None}

    @property
    def k(self) -> int | None:
        """How many items were asked for, if that was the question."""
        return None

    @cached_property
    def order(self) -> IntArray:
        """The items by plain rank; the smaller index first among equal scores."""
        return np.argsort(-self.scores, kind="stable")

    @cached_property
    def rank_intervals(self) -> tuple[IntArray, IntArray]:
        """The best and worst rank of each item over the inflated ranking."""
        return rank_intervals(self.scores, self.eps)

    def rows(self, limit: int | None = None) -> Iterator[AnswerRow]:
        """Yield the items by plain rank, all or the first ``limit``."""
        best, worst = self.rank_intervals
        for rank, index in enumerate(self.order[:limit].tolist(), start=1):
            standing, critical = self._standing(rank, index)
            score, interval = float(self.scores[index]), (int(best[index]), int(worst[index]))
            yield AnswerRow(rank, self.items[index], score, *interval, standing, critical)

    def _standing(self, rank: int, index: int) -> tuple[Standing, float | None]:
        raise NotImplementedError

    def _margin(self, *, audited: bool) -> Margin | None:
        """Return how many units must leave before the plain answer changes, if units were left out."""
        return self.study.known_margin(self.k) if audited else None

    def _found(self) -> dict[str, Any]:
        return findings.answer_findings(self, None)

    def _columns(self) -> dict[str, list[Any]]:
        rows = list(self.rows())
        return {name: [getattr(row, name) for row in rows] for name in findings.COLUMNS[self.document]}


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

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> answer = stable_topk(Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 30), 2, delta=0)
    >>> answer
    StableTopK(k=2, members=['cyd', 'abe', 'bob'], certain=1, eps=0.05, certificate='observed')
    >>> len(answer), "bob" in answer, list(answer)
    (3, True, ['cyd', 'abe', 'bob'])
    """

    document = "top-k"

    result: InflatedTopK
    critical_eps: FloatArray

    def __repr__(self) -> str:
        return (
            f"StableTopK(k={self.k}, members={some_of(self.members)}, certain={len(self.certain):,}, "
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

    @cached_property
    def certain(self) -> tuple[object, ...]:
        """The labels of the members that are in the top k of every ranking of the set."""
        return self.labels(self.result.certain_indices)

    @cached_property
    def contenders(self) -> tuple[object, ...]:
        """The labels of the other members."""
        return self.labels(self.result.contender_indices)

    def _standing(self, rank: int, index: int) -> tuple[Standing, float | None]:
        # Members are the first in the plain order, and the certain ones the first of them.
        inside: Standing = "certain" if rank <= len(self.certain) else "contender"
        return inside if rank <= self.size else "out", float(self.critical_eps[index])

    def findings(
        self,
        *,
        source: str | None = None,
        policies: Mapping[str, str] | None = None,
        max_rows: int | None = None,
        near: int = 0,
        budget: int = BUDGET,
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
        near : int
            How far from k the curves of other k reach that a live view needs. Each takes a pass over
            the units; where that would take too long there are none.
        budget : int
            How many numbers each family of ``thresholds`` may hold.
        """
        audit = None if self.certificate.status == "none" else self._audit
        ks = () if audit is None else self.study.ks_near(self.k, reach=near)
        made = findings.about(self, source, policies) | findings.answer_findings(self, max_rows)
        moves = findings.live_findings(self, audit, ks, budget)
        if near and audit is not None:
            moves |= {"distances": findings.distance_findings(self.study, self.k)}
        return (
            made | findings.topk_findings(self, audit, self._margin(audited=audit is not None)) | moves
        )

    def _brief(self) -> dict[str, Any]:
        audited = self.certificate.status in {"observed", "certified"} and self._study is not None
        made = findings.about(self) | findings.answer_findings(self, self.size + NEXT_ON_A_SCREEN)
        audit = self._audit if audited else None
        return made | findings.topk_findings(self, audit, self._margin(audited=audited))

    @cached_property
    def _audit(self) -> Audit:
        return self.study.audit(self.k, eps=self.eps, methods=Flips.METHODS)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the scores around rank k with matplotlib, and return the Axes."""
        return plot_topk(self, ax)


@dataclass(frozen=True, eq=False, repr=False)
class StableRanking(Answer):
    """The inflated full ranking of a dataset, by label, with its certificate.

    It has a length and can be iterated over, best item first.

    Attributes
    ----------
    rankings : RankingSet
        The set of rankings, by index.

    Examples
    --------
    >>> from steadyrank import Votes, stable_ranking
    >>> stable_ranking(Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 30), delta=0)
    StableRanking(ranking=['ann', 'bob', 'cyd'], tiers=2, eps=0.0909, certificate='observed')
    """

    document = "ranking"

    rankings: RankingSet

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

    def _standing(self, rank: int, index: int) -> tuple[Standing, float | None]:  # noqa: ARG002
        best, worst = self.rank_intervals
        return ("certain" if best[index] == worst[index] else "contender"), None

    def _found(self) -> dict[str, Any]:
        margin = self._margin(audited=self.certificate.status != "none" and self._study is not None)
        return {
            "tiers": [findings.labels(tier) for tier in self.tiers],
            "margin": None if margin is None else findings.margin_findings(margin),
            **super()._found(),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the ranks that each item may have with matplotlib, and return the Axes."""
        return plot_ranking(self, ax)

"""Answers: the stable top-k and the stable ranking of a dataset, with labels and a certificate."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from steadyrank.operators.checks import check_k
from steadyrank.operators.critical import critical_eps
from steadyrank.operators.intervals import rank_intervals, tiers
from steadyrank.operators.rankings import RankingSet
from steadyrank.operators.topk import InflatedTopK, inflated_topk
from steadyrank.reading.arrays import frozen
from steadyrank.stability.calibration import Calibration, Claim
from steadyrank.stability.frames import frame_of
from steadyrank.stability.policies import checked_items, policies
from steadyrank.stability.text import ranking_text, topk_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.scorers.base import Scorer
    from steadyrank.stability.certificate import Certificate

Standing = Literal["certain", "contender", "out"]


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
    lowest, highest : int
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
    lowest: int
    highest: int
    standing: Standing
    critical_eps: float | None


@dataclass(frozen=True, eq=False)
class Answer:
    """What both kinds of answers have in common."""

    items: tuple[object, ...] = field(repr=False)
    scores: FloatArray = field(repr=False)
    eps: float
    certificate: Certificate
    scorer: str
    unit: str
    n_units: int
    notes: tuple[str, ...] = field(repr=False)

    @cached_property
    def order(self) -> IntArray:
        """The items by plain rank; the smaller index first among equal scores."""
        return np.argsort(-self.scores, kind="stable")

    @cached_property
    def rank_intervals(self) -> tuple[IntArray, IntArray]:
        """The lowest and highest rank of each item over the inflated ranking."""
        return rank_intervals(self.scores, self.eps)

    def labels(self, indices: IntArray) -> tuple[object, ...]:
        """Return the labels of items given by index."""
        return tuple(self.items[index] for index in indices)

    def rows(self, limit: int | None = None) -> Iterator[AnswerRow]:
        """Yield the items by plain rank, all or the first ``limit``."""
        lowest, highest = self.rank_intervals
        for place, index in enumerate(self.order[:limit]):
            standing, critical = self._standing(int(index))
            yield AnswerRow(
                rank=place + 1,
                item=self.items[index],
                score=float(self.scores[index]),
                lowest=int(lowest[index]),
                highest=int(highest[index]),
                standing=standing,
                critical_eps=critical,
            )

    def _standing(self, index: int) -> tuple[Standing, float | None]:
        raise NotImplementedError

    def to_frame(self, backend: str | None = None) -> Any:
        """Return all rows as a dataframe (polars, pandas or pyarrow: the first that is installed)."""
        rows = list(self.rows())
        names = ("rank", "item", "score", "lowest", "highest", "standing", "critical_eps")
        return frame_of({name: [getattr(row, name) for row in rows] for name in names}, backend)


@dataclass(frozen=True, eq=False)
class StableTopK(Answer):
    """The inflated top-k of a dataset, by label, with its certificate.

    Attributes
    ----------
    result : InflatedTopK
        The answer by index.
    critical_eps : float array (items,)
        The eps above which each item is a member.
    """

    result: InflatedTopK = field(repr=False)
    critical_eps: FloatArray = field(repr=False)

    def __str__(self) -> str:
        """Show the members and the certificate in plain text."""
        return topk_text(self)

    @property
    def k(self) -> int:
        """How many items were asked for."""
        return self.result.k

    @property
    def size(self) -> int:
        """How many items the answer holds."""
        return self.result.size

    def _repr_html_(self) -> str:
        """Show the answer as a table in a notebook."""
        from steadyrank.report.notebook import topk_html

        return topk_html(self)

    @cached_property
    def members(self) -> tuple[object, ...]:
        """The labels of all members, best first."""
        return self.labels(self.result.indices)

    @cached_property
    def certain(self) -> tuple[object, ...]:
        """The labels of the members that are in the top k of every ranking of the set."""
        return self.labels(self.result.certain)

    @cached_property
    def contenders(self) -> tuple[object, ...]:
        """The labels of the other members."""
        return self.labels(self.result.contenders)

    @cached_property
    def _standing_of(self) -> dict[int, Standing]:
        standing: dict[int, Standing] = dict.fromkeys(self.result.contenders.tolist(), "contender")
        standing.update(dict.fromkeys(self.result.certain.tolist(), "certain"))
        return standing

    def _standing(self, index: int) -> tuple[Standing, float | None]:
        return self._standing_of.get(index, "out"), float(self.critical_eps[index])


@dataclass(frozen=True, eq=False)
class StableRanking(Answer):
    """The inflated full ranking of a dataset, by label, with its certificate.

    Attributes
    ----------
    rankings : RankingSet
        The set of rankings, by index.
    """

    rankings: RankingSet = field(repr=False)

    def __str__(self) -> str:
        """Show the first places and the certificate in plain text."""
        return ranking_text(self)

    def _repr_html_(self) -> str:
        """Show the answer as a table in a notebook."""
        from steadyrank.report.notebook import ranking_html

        return ranking_html(self)

    @cached_property
    def ranking(self) -> tuple[object, ...]:
        """The labels in the order of the plain ranking."""
        return self.labels(self.order)

    @cached_property
    def tiers(self) -> tuple[tuple[object, ...], ...]:
        """The blocks of labels that no ranking of the set mixes, best first."""
        return tuple(self.labels(block) for block in tiers(self.scores, self.eps))

    def _standing(self, index: int) -> tuple[Standing, float | None]:
        lowest, highest = self.rank_intervals
        return ("certain" if lowest[index] == highest[index] else "contender"), None


def stable_topk(
    data: Any,
    k: int,
    *,
    delta: float | None = None,
    eps: float | None = None,
    scorer: Scorer | None = None,
    claim: Claim = "observed",
) -> StableTopK:
    """Return the k best items and those that one unit more or less could put among them.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix or Regression
        The observations.
    k : int
        How many items are wanted.
    delta : float, optional
        The share of units whose removal may break the answer; 0.05 unless eps is given. The tightest
        eps that keeps to it is chosen.
    eps : float, optional
        An inflation of your own instead.
    scorer : Scorer, optional
        How data become scores; by default the usual one for the kind of data.
    claim : {"observed", "proved", "none"}
        What to claim. ``observed`` leaves out every unit of this dataset, unless the eps that you give
        is proved to be large enough for any dataset of this size; ``proved`` takes only rules that
        hold for every such dataset; ``none`` (with eps) checks nothing and claims nothing.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> votes = Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 30)
    >>> answer = stable_topk(votes, k=2, delta=0)
    >>> answer.certain, answer.contenders
    (('cyd',), ('abe', 'bob'))
    """
    calibration = _calibration(data, scorer, k)
    certificate = calibration.certificate(delta=_target(delta, eps), eps=eps, claim=claim)
    scores = calibration.scores()
    return StableTopK(
        **_common(data, calibration, scores, certificate),
        result=inflated_topk(scores, k, certificate.eps),
        critical_eps=frozen(critical_eps(scores, k)),
    )


def stable_ranking(
    data: Any,
    *,
    delta: float | None = None,
    eps: float | None = None,
    scorer: Scorer | None = None,
    claim: Claim = "observed",
) -> StableRanking:
    """Return the rankings that one unit more or less could make the plain one.

    Parameters are those of :func:`stable_topk`. With ``delta``, eps is taken just above the
    (1 - delta)-quantile of the score shifts, so that Theorem 8 bounds the instability.

    Examples
    --------
    >>> from steadyrank import Votes, stable_ranking
    >>> answer = stable_ranking(Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 30), delta=0)
    >>> answer.tiers
    (('ann',), ('bob', 'cyd'))
    """
    calibration = _calibration(data, scorer, None)
    certificate = calibration.certificate(delta=_target(delta, eps), eps=eps, claim=claim)
    scores = calibration.scores()
    return StableRanking(
        **_common(data, calibration, scores, certificate),
        rankings=RankingSet(scores, certificate.eps),
    )


def _target(delta: float | None, eps: float | None) -> float | None:
    return 0.05 if delta is None and eps is None else delta


def _calibration(data: Any, scorer: Scorer | None, k: int | None) -> Calibration:
    from steadyrank.scorers.registry import resolve_scorer

    chosen = resolve_scorer(scorer, data)
    items = checked_items(data, chosen.name)
    return Calibration(data, chosen, None if k is None else check_k(k, len(items)))


def _common(
    data: Any, calibration: Calibration, scores: FloatArray, certificate: Certificate
) -> dict[str, Any]:
    return {
        "items": tuple(data.items),
        "scores": frozen(scores),
        "eps": certificate.eps,
        "certificate": certificate,
        "scorer": calibration.scorer.name,
        "unit": calibration.unit,
        "n_units": data.units.total,
        "notes": policies(data),
    }

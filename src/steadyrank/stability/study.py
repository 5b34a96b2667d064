"""A study: data, a scorer, and the scores without each unit, which are computed once.

The way of the data, top to bottom: data -> scorer -> leave-one-out scores -> operators -> results.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from steadyrank.errors import InvalidValueError, Option
from steadyrank.operators.checks import check_eps, check_k
from steadyrank.operators.critical import critical_eps
from steadyrank.operators.rankings import RankingSet
from steadyrank.operators.states import MAX_STATES
from steadyrank.operators.topk_sets import inflated_topk
from steadyrank.reading.arrays import frozen
from steadyrank.scorers.registry import resolve_scorer
from steadyrank.stability import calibration
from steadyrank.stability.answers import StableRanking, StableTopK
from steadyrank.stability.auditing import METHODS, Audit, AuditPlan, Check, check_ks
from steadyrank.stability.calibration import USUAL_DELTA, Calibration
from steadyrank.stability.curve import StabilityCurve, stability_curve
from steadyrank.stability.explanation import Explanation, Needed, explanation_of, needed_of
from steadyrank.stability.findings import RULES
from steadyrank.stability.margin_results import Asked, Margin, known_margin, margin_of
from steadyrank.stability.margins import MarginSearch
from steadyrank.stability.random_audit import checked_removals, random_audit
from steadyrank.stability.ranking_curve import RankingCurve, ranking_curve
from steadyrank.stability.removal_curve import RemovalCurve, removal_curve
from steadyrank.stability.topk_audit import Flips
from steadyrank.stability.views import write_page

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.data.observations import Observations
    from steadyrank.data.units import Units
    from steadyrank.scorers.base import LeaveOneOut, Scorer, Settled
    from steadyrank.stability.audit_rows import Operator
    from steadyrank.stability.calibration import Claim
    from steadyrank.stability.certificate import Guarantee

AFFORDABLE = 4_000_000
"""Distinct units times items up to which a report has the curves of the k near by, too."""

NEAR = 20
"""How far from k the curves of a report reach."""


class Study:
    """Data and a scorer, to be asked as many questions as you like.

    Nothing is computed before it is needed, and nothing twice: all questions share the scores
    without each unit, which may take hours where a scorer has to be fitted again for each of them.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix or Regression
        The observations.
    scorer : optional
        How data become scores; by default the usual way for the kind of data.

    Attributes
    ----------
    data, scorer
        What the study is about.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> study = Study(Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 30))
    >>> study.topk(2, delta=0).contenders
    ('abe', 'bob')
    >>> print(study.flips(2))
    30 of 100 votes change the plain top 2 when removed; 0 break the inflated one
    """

    def __init__(self, data: Observations, scorer: object = None) -> None:
        self.data = data
        self.scorer: Scorer = resolve_scorer(scorer, data)
        self._curves: dict[int, StabilityCurve] = {}
        self._margins: dict[int | None, Margin] = {}

    def __repr__(self) -> str:
        return f"Study({self.data!r}, {self.scorer!r})"

    @property
    def items(self) -> tuple[object, ...]:
        """The labels of the items."""
        return self.data.items

    @cached_property
    def units(self) -> Units:
        """The distinct units that can be left out, with their counts."""
        return self.data.units

    @property
    def unit(self) -> str:
        """What one unit is called."""
        return str(self.units.kind)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was guessed, which policies were applied, what may leave, how ties are treated."""
        unit = f"the unit that may leave: one {self.unit}, of {self.units.total:,}"
        ties, resolution = RULES["ties"], self.scorer.resolution
        if resolution:
            ties += f"; fitted scores closer than the scorer's resolution, {resolution:g}, are equal"
        return (*self.data.notes, unit, ties)

    @property
    def scores(self) -> FloatArray:
        """The scores on all the data; nothing is left out for them."""
        known = "leave_one_out" in self.__dict__
        return frozen(self.leave_one_out.scores if known else self._scores_alone)

    @cached_property
    def _scores_alone(self) -> FloatArray:
        return self.scorer.score(self.data)

    @cached_property
    def leave_one_out(self) -> LeaveOneOut:
        """The scores without each unit."""
        return self.scorer.leave_one_out(self.data)

    @cached_property
    def shifts(self) -> FloatArray:
        """How far the scores move when each distinct unit is left out."""
        return frozen(self.leave_one_out.shifts())

    @cached_property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The lowest and highest score of each item, over the data and the data without each unit."""
        return self.leave_one_out.bounds()

    @cached_property
    def outer_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Bounds of each item's score that may be a little wider, and so cheaper."""
        return self.leave_one_out.outer_bounds()

    def share(self, units: BoolArray | IntArray) -> float:
        """Return the share of all units that these distinct ones stand for."""
        return int(self.units.counts[units].sum()) / self.units.total

    def reaching(self, eps: float) -> BoolArray:
        """Return which distinct units move the scores by eps or more, up to rounding."""
        shifts = self._shifts_near(calibration.settled_at(eps))
        return calibration.reaching_eps(shifts, self.leave_one_out.scores, eps)

    def eps_for(self, delta: float = USUAL_DELTA) -> float:
        """Return an eps that at most a share ``delta`` of the units move the scores by."""
        target = calibration.check_delta(delta)  # before anything is left out, which may take hours
        ties, counts = calibration.smallest_gap_eps(self.leave_one_out.scores), self.units.counts
        shifts = self._shifts_near(calibration.settled_beside(target, counts))
        return calibration.eps_above(target, shifts, counts, ties)

    def _shifts_near(self, settled: Settled) -> FloatArray:
        """Return the shifts, exact but where a value near them settles a question just as well."""
        known = "shifts" in self.__dict__
        return self.shifts if known else self.leave_one_out.shifts_near(settled)

    def topk(
        self,
        k: int,
        *,
        delta: float | None = None,
        eps: float | None = None,
        claim: Claim = "observed",
        removals: int | None = None,
        guarantee: Guarantee = "overlap",
    ) -> StableTopK:
        """Return the stable top-k; see :func:`steadyrank.stable_topk`."""
        k = check_k(k, len(self.items))
        certificate = Calibration(self, k).certificate(
            delta=delta, eps=eps, claim=claim, removals=removals, guarantee=guarantee
        )
        return StableTopK(
            **self.about(),
            eps=certificate.eps,
            certificate=certificate,
            result=inflated_topk(self.scores, k, certificate.eps),
            critical_eps=frozen(critical_eps(self.scores, k)),
        )

    def ranking(
        self,
        *,
        delta: float | None = None,
        eps: float | None = None,
        claim: Claim = "observed",
        removals: int | None = None,
        guarantee: Guarantee = "overlap",
    ) -> StableRanking:
        """Return the stable ranking; see :func:`steadyrank.stable_ranking`."""
        certificate = Calibration(self, None).certificate(
            delta=delta, eps=eps, claim=claim, removals=removals, guarantee=guarantee
        )
        return StableRanking(
            **self.about(),
            eps=certificate.eps,
            certificate=certificate,
            rankings=RankingSet(self.scores, certificate.eps),
        )

    def audit(
        self,
        k: int | Iterable[int],
        *,
        eps: float | None = None,
        delta: float | None = None,
        methods: Iterable[str] = METHODS,
        operators: Mapping[str, Operator] | None = None,
        max_states: int = MAX_STATES,
        removals: int = 1,
        samples: int | None = None,
        seed: int = 0,
    ) -> Audit:
        """Leave every unit out and audit each method; see :func:`steadyrank.audit`."""
        drawn = checked_removals(self, removals, samples, seed)
        plan = AuditPlan(check_ks(k, len(self.items)), methods, operators or {})
        calibration.check_one_target(delta, eps)
        target = USUAL_DELTA if delta is None else delta
        chosen = self.eps_for(target) if eps is None else check_eps(eps)
        if removals > 1:
            return random_audit(self, drawn, plan, chosen, max_states)
        table = tuple(plan.rows(self, chosen, max_states))
        return Audit(**self.about(), table=table, eps=chosen, units=self.units)

    def over(self, folds: LeaveOneOut) -> Study:
        """Return a study of the same scores that takes these folds for its units."""
        study = Study(self.data, self.scorer)
        study.__dict__ |= {"leave_one_out": folds, "units": folds.units}
        return study

    def curve(self, k: int) -> StabilityCurve:
        """Return the exact step functions delta(eps) and size(eps) of the top-k, for all eps at once."""
        k = check_k(k, len(self.items))
        if k not in self._curves:
            self._curves[k] = stability_curve(self, k)
        return self._curves[k]

    def removal_curve(self, k: int, most: int, *, guarantee: Guarantee = "overlap") -> RemovalCurve:
        """Return the eps and the size of the top-k that hold against any 1, 2, ... ``most`` removals."""
        return removal_curve(self, check_k(k, len(self.items)), most, guarantee)

    def margin_search(self, by: str = "remove") -> MarginSearch:
        """Return the search for how many units must leave, be added or change."""
        return self._searches.setdefault(by, MarginSearch(self, by))

    @cached_property
    def _searches(self) -> dict[str, MarginSearch]:
        return {}

    def margin(
        self,
        k: int | None = None,
        *,
        item: object = None,
        pair: tuple[object, object] | None = None,
        eps: float | None = None,
        by: str = "remove",
    ) -> Margin:
        """Return how many units must leave before an answer changes; see :func:`steadyrank.margin`."""
        return margin_of(self, Asked(k, item, pair, eps), by)

    def known_margin(self, k: int | None) -> Margin:
        """Return the margin that views show of themselves: nothing is refitted for it."""
        if k not in self._margins:
            self._margins[k] = known_margin(self, k)
        return self._margins[k]

    def explain(self, k: int | None = None, item: object = None) -> Explanation:
        """Return what holds an item on its side of a border; see :func:`steadyrank.explain`."""
        return explanation_of(self, k, item)

    def needed(self, k: int, confidence: float = 0.95) -> Needed:
        """Return how many units would settle ranks k and k + 1; see :func:`steadyrank.needed`."""
        return needed_of(self, k, confidence)

    def ranking_curve(self) -> RankingCurve:
        """Return the exact step functions delta(eps) and tiers(eps) of the full ranking."""
        return self._ranking_curve

    @cached_property
    def _ranking_curve(self) -> RankingCurve:
        return ranking_curve(self)

    def flips(self, k: int, *, eps: float | None = None, delta: float | None = None) -> Flips:
        """Return the units that break the plain or the inflated top-k; eps as for :meth:`audit`."""
        return self.audit(k, eps=eps, delta=delta, methods=Flips.METHODS).flips(k)

    def check(
        self,
        k: int,
        *,
        max_delta: float = USUAL_DELTA,
        eps: float | None = None,
        min_margin: int | None = None,
    ) -> Check:
        """Check whether the plain top-k, or the inflated one at eps, is stable enough.

        Parameters
        ----------
        k : int
            How many items are wanted.
        max_delta : float
            The largest share of units whose removal may break the answer.
        eps : float, optional
            The inflation; without it the plain top-k is checked.
        min_margin : int, optional
            The fewest units that must have to leave, for certain, before that answer changes.
        """
        remedy = self.topk(k, delta=max_delta)
        found = self.audit(k, eps=remedy.eps if eps is None else eps, methods=Flips.METHODS)
        return Check(
            **self.about(),
            k=remedy.k,
            eps=None if eps is None else found.eps,
            max_delta=max_delta,
            row=found.row("topk" if eps is None else "inflated_topk", remedy.k),
            flips=found.flips(remedy.k),
            remedy=remedy,
            margin=self.known_margin(remedy.k) if eps is None else self.margin(remedy.k, eps=eps),
            min_margin=min_margin,
        )

    def report(
        self,
        path: str | os.PathLike[str],
        k: int | None = None,
        *,
        delta: float | None = None,
        eps: float | None = None,
        claim: Claim = "observed",
        title: str | None = None,
        source: str | None = None,
        policies: Mapping[str, str] | None = None,
    ) -> Path:
        """Write the report of a stable top-k as one HTML file; see :func:`steadyrank.write_report`.

        Without a k it is 10, or half of fewer than 20 items.
        """
        answer = self.topk(self.usual_k if k is None else k, delta=delta, eps=eps, claim=claim)
        found = answer.findings(source=source, policies=policies, near=NEAR)
        return write_page(found, path, title)

    @property
    def usual_k(self) -> int:
        """The k of a report that nobody asked a k for."""
        return max(1, min(10, len(self.items) // 2))

    def ks_near(self, k: int, *, reach: int, affordable: int = AFFORDABLE) -> Iterable[int]:
        """Return the k around one, whose curves a report has, too; none where that takes too long."""
        if len(self.units) * len(self.items) > affordable:
            return ()
        return range(max(1, k - reach), min(len(self.items), k + reach) + 1)

    def about(self) -> dict[str, Any]:
        """Return what every result of this study says about where it comes from."""
        return {
            "items": tuple(self.items),
            "scores": self.scores,
            "scorer": self.scorer.name,
            "kind": self.data.kind.name,
            "unit": self.unit,
            "n_units": self.units.total,
            "n_distinct_units": len(self.units),
            "notes": self.notes,
            "_study": self,
        }


def as_study(data: Observations | Study, scorer: object = None) -> Study:
    """Return a study of the data, or the study itself, which has its scorer already."""
    if not isinstance(data, Study):
        return Study(data, scorer)
    if scorer is not None:
        raise InvalidValueError(
            f"this study scores by {data.scorer.name} and cannot take another scorer",
            way_out=["Omit ", Option("scorer"), ", or make another study with it."],
        )
    return data


def stable_topk(
    data: Observations | Study,
    k: int,
    *,
    delta: float | None = None,
    eps: float | None = None,
    scorer: object = None,
    claim: Claim = "observed",
    removals: int | None = None,
    guarantee: Guarantee = "overlap",
) -> StableTopK:
    """Return the k best items and those that one unit more or less could put among them.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix, Regression or Study
        The observations, or a study of them.
    k : int
        How many items are wanted.
    delta : float, optional
        The share of units whose removal may break the answer; 0.05 unless eps is given. The tightest
        eps that keeps to it is chosen.
    eps : float, optional
        An inflation of your own instead.
    scorer : optional
        How data become scores; by default the usual way for the kind of data.
    claim : {"observed", "proved", "none"}
        What to claim. ``observed`` leaves out every unit of this dataset, unless the eps that you give
        is proved to be large enough for any dataset of this size; ``proved`` takes only rules that
        hold for every such dataset; ``none`` (with eps) checks nothing and claims nothing.
    removals : int, optional
        Instead of delta: the answer holds whichever units leave, up to so many of them together. For 1
        that is ``delta=0``; for more, eps is the smallest that the scorer's bounds certify, and a
        scorer without such bounds is refused.
    guarantee : {"overlap", "cover"}
        What holds: ``overlap``, the new list shares k items with this one (rankings: a ranking), or
        ``cover``, the new plain top k (the new plain ranking) is inside this answer, whichever units
        leave.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> votes = Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 30)
    >>> answer = stable_topk(votes, k=2, delta=0)
    >>> answer.certain, answer.contenders
    (('cyd',), ('abe', 'bob'))
    >>> [len(stable_topk(votes, k=1, removals=m, guarantee="cover")) for m in (9, 10)]
    [1, 3]
    """
    return as_study(data, scorer).topk(
        k, delta=delta, eps=eps, claim=claim, removals=removals, guarantee=guarantee
    )


def stable_ranking(
    data: Observations | Study,
    *,
    delta: float | None = None,
    eps: float | None = None,
    scorer: object = None,
    claim: Claim = "observed",
    removals: int | None = None,
    guarantee: Guarantee = "overlap",
) -> StableRanking:
    """Return the rankings that one unit more or less could make the plain one.

    Parameters are those of :func:`stable_topk`. With ``delta``, eps is the smallest at which at most
    that share of the units leaves no ranking in common, exactly, on these data.

    Examples
    --------
    >>> from steadyrank import Votes, stable_ranking
    >>> answer = stable_ranking(Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 30), delta=0)
    >>> answer.tiers
    (('ann',), ('bob', 'cyd'))
    """
    return as_study(data, scorer).ranking(
        delta=delta, eps=eps, claim=claim, removals=removals, guarantee=guarantee
    )


def audit(  # noqa: PLR0913 (all but two by name)
    data: Observations | Study,
    k: int | Iterable[int],
    *,
    eps: float | None = None,
    delta: float | None = None,
    scorer: object = None,
    methods: Iterable[str] = METHODS,
    operators: Mapping[str, Operator] | None = None,
    max_states: int = MAX_STATES,
    removals: int = 1,
    samples: int | None = None,
    seed: int = 0,
) -> Audit:
    r"""Leave every unit out in turn and measure how stable each method's answer is.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix, Regression or Study
        The observations, or a study of them.
    k : int or several
        How many items are wanted.
    eps : float, optional
        The inflation. It stays fixed across the data sets D\i.
    delta : float, optional
        Instead of eps: the share of units that may move the scores by eps or more; 0.05 where
        neither is given. eps is then just above the (1 - delta)-quantile of the score shifts.
    scorer : optional
        How data become scores; by default the usual way for the kind of data.
    methods : iterable of str
        Which of ``topk``, ``inflated_topk``, ``ranking``, ``inflated_ranking`` to audit.
    operators : mapping, optional
        Operators of your own by name: functions of (scores, k) that give item indices or a mask.
    max_states : int
        The limit for counting rankings; beyond it the size says "not counted".
    removals : int
        How many units leave together. One: every unit, exactly. Several: random sets of so many, every
        set as likely as any other, and a :class:`RandomAudit` of what was observed. They are scored
        through joblib where the scorer refits, and not kept in its checkpoint.
    samples, seed : int, optional
        How many such sets are drawn (1,000 unless given; refused for one removal) and the seed. What is
        drawn does not depend on the number of workers.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, audit
    >>> for row in audit(ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]]), 2, eps=0.5):
    ...     print(row.method, row.k, row.delta, row.size)
    topk 2 0.25 2
    inflated_topk 2 0.0 2
    ranking None 0.25 1
    inflated_ranking None 0.0 1
    """
    return as_study(data, scorer).audit(
        k,
        eps=eps,
        delta=delta,
        methods=methods,
        operators=operators,
        max_states=max_states,
        removals=removals,
        samples=samples,
        seed=seed,
    )


def write_report(
    data: Observations | Study,
    k: int,
    path: str | os.PathLike[str],
    *,
    delta: float | None = None,
    eps: float | None = None,
    scorer: object = None,
    claim: Claim = "observed",
    title: str | None = None,
    source: str | None = None,
) -> Path:
    """Write the report of a stable top-k as one HTML file, and return its path.

    Parameters
    ----------
    data, k, delta, eps, scorer, claim
        As for :func:`steadyrank.stable_topk`. With ``claim="none"`` no unit is left out, so the report
        has no curve and no flips.
    path : path
        The file to write. It appears complete or not at all.
    title : str, optional
        A heading of your own.
    source : str, optional
        What to call the data, for example the name of a file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from steadyrank import Votes, write_report
    >>> votes = Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 30)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(votes, 2, Path(folder) / "report.html", delta=0).name
    'report.html'
    """
    study = as_study(data, scorer)
    return study.report(path, k, delta=delta, eps=eps, claim=claim, title=title, source=source)


def margin(
    data: Observations | Study,
    k: int | None = None,
    *,
    item: object = None,
    pair: tuple[object, object] | None = None,
    eps: float | None = None,
    by: str = "remove",
    scorer: object = None,
) -> Margin:
    """Return how many units must leave together before the plain answer changes.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix, Regression or Study
        The observations, or a study of them.
    k : int, optional
        The top k in question; without it (and without a pair) the full ranking.
    item : label, optional
        How many units this item is away from leaving the top k, or from entering it.
    pair : two labels, optional
        How many units must leave for the one behind to pass the one ahead.
    eps : float, optional
        Instead of the plain top k, the inflated one: how many units must leave before the old and the
        new one share fewer than k items.
    by : {"remove", "add", "change"}
        What happens to units: they leave; others are added, as in ballot stuffing; or they change. The
        last two where it is known what a unit could say: for votes, ballots and single battles, and for
        values in a stated range.
    scorer : optional
        How data become scores; by default the usual way for the kind of data.

    Examples
    --------
    >>> from steadyrank import Votes, margin
    >>> votes = Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 2)
    >>> print(margin(votes, 2).sentence)
    2 of 10 votes must leave before the top 2 changes.
    >>> margin(votes, 1, item="cyd").lower, margin(votes, pair=("bob", "cyd")).units
    (4, (1, 1))
    >>> margin(votes, 2, by="change").sentence
    '1 of 10 votes must change before the top 2 changes.'
    """
    return as_study(data, scorer).margin(k, item=item, pair=pair, eps=eps, by=by)


def explain(
    data: Observations | Study, k: int | None = None, item: object = None, *, scorer: object = None
) -> Explanation:
    """Return what holds an item on its side of the border between ranks k and k + 1.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix, Regression or Study
        The observations, or a study of them.
    k : int, optional
        The border after this rank; without it the item's own rank, so that the next one is its rival
        (of the last item, the one before it).
    item : label, optional
        The item to explain, from either side of the border; without it the one with rank k.
    scorer : optional
        How data become scores; by default the usual way for the kind of data.

    Examples
    --------
    >>> from steadyrank import Votes, explain
    >>> votes = Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 2)
    >>> found = explain(votes, 1, "cyd")
    >>> [(rival.item, round(rival.gap, 3), rival.margin.lower) for rival in found.rivals]
    [('ann', -0.3, 4)]
    >>> [(row["unit"], row["count"], row["contribution"]) for row in found.rows()]
    [('cyd', 2, 0.1), ('ann', 5, -0.1)]
    """
    return as_study(data, scorer).explain(k, item)


def needed(
    data: Observations | Study, k: int, confidence: float = 0.95, *, scorer: object = None
) -> Needed:
    """Return how many units like those seen would settle ranks k and k + 1: a model, not a proof.

    The model draws units independently from where those seen came from, and takes their mean for
    normal. Where the scorer is no mean over one number of units, what a unit adds is its jackknife
    pseudo-value.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix, Regression or Study
        The observations, or a study of them.
    k : int
        The border is the one after this rank.
    confidence : float
        The probability, between 0.5 and 1, that the right one of the two comes out ahead.
    scorer : optional
        How data become scores; by default the usual way for the kind of data.

    Examples
    --------
    >>> from steadyrank import Votes, needed
    >>> found = needed(Votes(["ann"] * 55 + ["bob"] * 45), 1)
    >>> found.needed, found.tie, needed(Votes(["ann", "bob"]), 1).tie
    (271, False, True)
    """
    return as_study(data, scorer).needed(k, confidence)

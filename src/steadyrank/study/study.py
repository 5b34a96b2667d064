"""A study: data, a scorer, and the scores without each unit, which are computed once.

The way of the data, top to bottom: data -> scorer -> leave-one-out scores -> operators -> results.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from steadyrank.data import Observations, read_any
from steadyrank.errors import InvalidSettingError, SteadyrankError
from steadyrank.operators.checks import check_eps, check_k, check_whole
from steadyrank.operators.critical import critical_eps
from steadyrank.operators.rankings import RankingSet
from steadyrank.operators.states import MAX_STATES
from steadyrank.operators.topk_sets import inflated_topk
from steadyrank.reading.arrays import frozen
from steadyrank.reading.labels import joined_labels
from steadyrank.scorers.base import declared
from steadyrank.scorers.registry import resolve_scorer
from steadyrank.study import calibration
from steadyrank.study.answers import StableRanking, StableTopK
from steadyrank.study.audit.audit import METHODS, Audit, AuditPlan, Check, check_ks
from steadyrank.study.audit.recalibration import check_recalibrated, recalibrated
from steadyrank.study.audit.removals import checked_removals, random_audit
from steadyrank.study.audit.topk import Flips
from steadyrank.study.calibration import Calibration, Inflation
from steadyrank.study.comparison import Comparison, comparison_of
from steadyrank.study.confidence import DRAWS, Confidence, confidence_of
from steadyrank.study.curve import ranking_curve, removal_curve, stability_curve
from steadyrank.study.document import RULES
from steadyrank.study.explanation import Explanation, Needed, explanation_of, needed_of
from steadyrank.study.margin import Asked, Margin, known_margin, margin_of, search_of
from steadyrank.study.resampling import refits
from steadyrank.study.standings import Ranks, TopKDeletions, rank_ranges, topk_deletions, upto_which
from steadyrank.study.views import write_page

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.data import Units
    from steadyrank.margins.search import MarginSearch
    from steadyrank.scorers.base import LeaveOneOut, RunningTotals, Scorer, Settled
    from steadyrank.study.audit.rows import Operator
    from steadyrank.study.calibration import Claim, Claimed
    from steadyrank.study.certificate import Certificate, Guarantee
    from steadyrank.study.curve import RankingCurve, RemovalCurve, StabilityCurve

    Found = TypeVar("Found")


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
    >>> study.topk(2).contenders
    ('abe', 'bob')
    >>> print(study.flips(2))
    30 of 100 votes change the plain top 2 when removed; 0 break the inflated one
    """

    def __init__(self, data: Observations, scorer: object = None) -> None:
        self._pieces: tuple[Observations, ...] = (data,)
        self.scorer: Scorer = resolve_scorer(scorer, data)
        self.data  # noqa: B018 (what the scorer refuses is refused at once)
        self._known: dict[tuple[object, object], Any] = {}
        self._ranks: Ranks | None = None
        self._drawn = False

    def __repr__(self) -> str:
        return f"Study({self.data!r}, {self.scorer!r})"

    def __getstate__(self) -> dict[str, Any]:
        # What is soon made anew stays behind: there are functions in it that cannot travel.
        folds = {"leave_one_out", "units"} if refits(self.scorer) or self._drawn else set()
        kept = vars(self).keys() & {"_pieces", "scorer", "_drawn", *folds}
        return {name: vars(self)[name] for name in kept} | {"_known": {}, "_ranks": None}

    @cached_property
    def data(self) -> Observations:
        """The observations, as the scorer takes them."""
        prepared: Observations = self.scorer.prepared(self._given)
        return prepared

    @property
    def _given(self) -> Observations:
        """The data as they were given; those that were added are put behind when first asked for."""
        first, *added = self._pieces
        if added:  # these among themselves first, so that the many are copied once
            first = first.joined(reduce(lambda one, two: one.joined(two), added))
            self._pieces = (first,)
        return first

    @cached_property
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
        weighted = "" if self.data.weights is None else " with its weight"
        unit = f"the unit that may leave: one {self.unit}{weighted}, of {self.units.total:,}"
        ties, resolution = RULES["ties"], self.scorer.resolution
        if resolution:
            ties += f"; scores closer than the scorer's resolution, {resolution:g}, are equal"
        return (*self.data.notes, unit, ties, *(declared(self.scorer, "remarks", self.scores) or ()))

    @property
    def scores(self) -> FloatArray:
        """The scores on all the data; nothing is left out for them."""
        known = "leave_one_out" in self.__dict__
        return frozen(self.leave_one_out.scores if known else self._scores_alone)

    @cached_property
    def _scores_alone(self) -> FloatArray:
        known: RunningTotals | None = vars(self).get("_totals")
        return self.scorer.score(self.data) if known is None else known.scores

    @cached_property
    def _totals(self) -> RunningTotals | None:
        """What the scores follow from, unless somebody derived a scorer that scores in another way."""
        ways = (
            vars(each).keys() & {"score", "entries", "running_totals"}
            for each in type(self.scorer).__mro__
        )
        last = next(filter(None, ways))
        return self.scorer.running_totals(self.data) if "running_totals" in last else None

    def updated(self, new_units: Any, **arguments: Any) -> Study:
        """Return a study with new units: the same as a study of all units from the start.

        For scorers that add up (plurality, approval, Borda, mean ratings, column means) scores follow
        from the totals so far, in time that grows with the new units and the number of items; what needs
        all units is made when first asked for. All units are scored anew by other scorers, where weights
        or values need finer parts than those before or have a ``value_range``, and where a Borda ballot
        names a new item.

        Items, groups and users are known by their labels. New items take their place in the order of
        labels, or come last where the list had an order of its own; where items were left out
        (``with_min_count``, ``keeping``), they are refused, for they may be among those. A judge who
        votes again is the same unit. A known user may rate further items; to rate one again is refused.
        Rows of scores are new rows, whatever they are called; one that has gaps, where they are allowed,
        has fewer columns.

        Parameters
        ----------
        new_units : data of the same kind, or anything that read_any takes
            The new votes, ballots, ratings, battles or rows. Data in an engine take none.
        **arguments
            As for :func:`steadyrank.read_any`, where the new units are to be read. What was said of the
            first ones as ``lower_is_better``, ``standardise``, ``covariate`` and ``labels`` goes for
            them unless it is said anew.

        Examples
        --------
        >>> from steadyrank import Study, Votes
        >>> study = Study(Votes(["ann"] * 3 + ["bob"] * 2)).updated(Votes(["cyd", "bob", "bob"]))
        >>> study.items, study.scores, study.topk(1).members
        (('ann', 'bob', 'cyd'), array([0.375, 0.5  , 0.125]), ('bob', 'ann'))
        """
        first, new = self._pieces[0], new_units
        if not isinstance(new, Observations):
            new = read_any(new, kind=first.kind.name, **dict(first.scale) | arguments)
        elif arguments:
            raise InvalidSettingError(f"data need no {', '.join(arguments)}: they are not read")
        first.check_joins(new)
        items, mine, its = joined_labels(self.items, new.items)
        totals = None
        if all(piece.joins_unseen(new) for piece in self._pieces):
            with suppress(SteadyrankError):  # what refuses a part may take the whole
                totals = self._totals and self._totals.plus(new.over(items, its), mine)
        if totals is None:
            return Study(self._given.joined(new), self.scorer)
        made = Study(new, self.scorer)
        del made.data
        made.__dict__ |= {"_pieces": (*self._pieces, new), "items": items, "_totals": totals}
        return made

    @cached_property
    def order(self) -> IntArray:
        """The items by plain rank; the smaller index first among equal scores."""
        return frozen(np.argsort(-self.scores, kind="stable"))

    @cached_property
    def tie_eps(self) -> float:
        """An eps so small that it inflates nothing but exact ties."""
        return calibration.smallest_gap_eps(self.scores)

    def critical_eps(self, k: int) -> FloatArray:
        """Return the eps above which each item is in the inflated top k."""
        return self._once(_critical_eps, k)

    def _once(self, find: Callable[[Study, Any], Found], key: object) -> Found:
        """Return what was found before, or find it."""
        if (find, key) not in self._known:
            self._known[find, key] = find(self, key)
        found: Found = self._known[find, key]
        return found

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
        return self.leave_one_out.bounds(outer=True)

    def share(self, units: BoolArray | IntArray) -> float:
        """Return the share of all units that these distinct ones stand for."""
        return self._number(units) / self.units.total

    def _number(self, units: BoolArray | IntArray) -> int:
        return int(self.units.counts[units].sum())

    def reaching(self, eps: float) -> BoolArray:
        """Return which distinct units move the scores by eps or more, up to rounding."""
        shifts = self._shifts_near(calibration.settled_at(eps))
        return calibration.reaching_eps(shifts, self.leave_one_out.scores, eps)

    def eps_for(self, delta: float = 0.05) -> float:
        """Return an eps that at most a share ``delta`` of the units move the scores by."""
        target = calibration.check_delta(delta)  # before anything is left out, which may take hours
        self.leave_one_out  # noqa: B018 (first: it makes the scores, too)
        ties, counts = self.tie_eps, self.units.counts
        shifts = self._shifts_near(calibration.settled_beside(target, counts))
        return calibration.eps_above(target, shifts, counts, ties)

    def _shifts_near(self, settled: Settled) -> FloatArray:
        """Return the shifts, exact but where a value near them settles a question just as well."""
        known = "shifts" in self.__dict__
        return self.shifts if known else self.leave_one_out.shifts(settled)

    def topk(
        self,
        k: int,
        *,
        delta: float = 0.0,
        eps: float | None = None,
        guarantee: Guarantee = "cover",
        claim: Claim = "observed",
        removals: int = 1,
    ) -> StableTopK:
        """Return the stable top-k; see :func:`steadyrank.stable_topk`."""
        k = check_k(k, len(self.items))
        certificate = Calibration(self, k, guarantee).certificate(delta, eps, claim, removals)
        result, told = inflated_topk(self.scores, k, certificate.eps), self._told_of(certificate)
        return StableTopK(
            **self.about(),
            eps=certificate.eps,
            certificate=certificate,
            deletions=self.deletions(k) if told else None,
            ranks=self.ranks(upto_which(self, result.size)) if told else None,
            result=result,
            critical_eps=self.critical_eps(k),
        )

    def ranking(
        self,
        *,
        delta: float = 0.0,
        eps: float | None = None,
        guarantee: Guarantee = "cover",
        claim: Claim = "observed",
        removals: int = 1,
    ) -> StableRanking:
        """Return the stable ranking; see :func:`steadyrank.stable_ranking`."""
        certificate = Calibration(self, None, guarantee).certificate(delta, eps, claim, removals)
        told = self._told_of(certificate)
        return StableRanking(
            **self.about(),
            eps=certificate.eps,
            certificate=certificate,
            ranks=self.ranks(upto_which(self, 0)) if told else None,
            rankings=RankingSet(self.scores, certificate.eps),
            changing=self._number(self.leave_one_out.reordered(self.order)) if told else None,
        )

    def _told_of(self, certificate: Certificate) -> bool:
        """Tell whether an answer says where items stand without each unit.

        Not where nobody asked for anybody to be left out, nor where a proof needed it not and refitting
        may take hours.
        """
        known = "leave_one_out" in self.__dict__
        if certificate.status != "proved":
            return certificate.status != "none"
        return self.units.total > 1 and (known or not refits(self.scorer))

    def deletions(self, k: int) -> TopKDeletions:
        """Return who is among the k best without each unit."""
        return self._once(topk_deletions, k)

    def ranks(self, upto: int) -> Ranks:
        """Return the best and the worst rank of the first items, over all single deletions."""
        if self._ranks is None or len(self._ranks) < upto:
            self._ranks = rank_ranges(self, upto)
        return self._ranks

    def audit(  # noqa: PLR0913 (all but one by name)
        self,
        k: int | Iterable[int],
        *,
        eps: float | None = None,
        delta: float = 0.0,
        guarantee: Guarantee = "cover",
        methods: Iterable[str] = METHODS,
        operators: Mapping[str, Operator] | None = None,
        max_states: int = MAX_STATES,
        removals: int = 1,
        samples: int | None = None,
        seed: int = 0,
        recalibrate: bool = False,
    ) -> Audit:
        """Leave every unit out and audit each method; see :func:`steadyrank.audit`."""
        drawn = checked_removals(self, removals, samples, seed)
        plan = AuditPlan(check_ks(k, len(self.items)), methods, operators or {})
        target = calibration.check_delta(delta)
        calibration.check_one_target(target, eps)
        if recalibrate:
            check_recalibrated(self, eps, removals)
        chosen = None if eps is None else check_eps(eps)
        inflation = Inflation(self, chosen, target, guarantee)
        if removals > 1:
            return random_audit(self, drawn, plan, inflation, max_states)
        table = tuple(plan.rows(self, inflation.eps_of, max_states))
        if recalibrate:
            table = recalibrated(self, inflation, table)
        return Audit(**self.about(), table=table, inflation=inflation, _folds=self)

    def over(self, folds: LeaveOneOut) -> Study:
        """Return a study of the same scores that takes these folds for its units."""
        study = Study(self.data, self.scorer)
        study.__dict__ |= {"leave_one_out": folds, "units": folds.units, "_drawn": True}
        return study

    def curve(self, k: int) -> StabilityCurve:
        """Return the exact step functions delta(eps) and size(eps) of the top-k, for all eps at once."""
        return self._once(stability_curve, check_k(k, len(self.items)))

    def removal_curve(self, k: int, most: int, *, guarantee: Guarantee = "cover") -> RemovalCurve:
        """Return the eps and the size of the top-k that hold against any 1, 2, ... ``most`` removals."""
        return removal_curve(self, check_k(k, len(self.items)), most, guarantee)

    def margin_search(self, by: str = "remove") -> MarginSearch:
        """Return the search for how many units must leave, be added or change."""
        return self._once(search_of, by)

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
        return self._once(known_margin, k)

    def explain(self, k: int | None = None, item: object = None) -> Explanation:
        """Return what holds an item on its side of a border; see :func:`steadyrank.explain`."""
        return explanation_of(self, k, item)

    def needed(self, k: int, confidence: float = 0.95) -> Needed:
        """Return how many units would settle ranks k and k + 1; see :func:`steadyrank.needed`."""
        return needed_of(self, k, confidence)

    def compare(
        self,
        new: Study | Observations,
        k: int | None = None,
        *,
        delta: float = 0.0,
        eps: float | None = None,
        guarantee: Guarantee = "cover",
        claim: Claim = "observed",
    ) -> Comparison:
        """Return who moved from this study to newer data; see :func:`steadyrank.compare`."""
        how: Claimed = {"delta": delta, "eps": eps, "guarantee": guarantee, "claim": claim}
        newer = new if isinstance(new, Study) else Study(new, self.scorer)
        return comparison_of(self, newer, k, how)

    def confidence(self, level: float = 0.95, *, draws: int = DRAWS, seed: int = 0) -> Confidence:
        """Return which ranks the true scores may have; see :func:`steadyrank.confidence`."""
        return confidence_of(self, level, draws, seed)

    def ranking_curve(self) -> RankingCurve:
        """Return the exact step functions delta(eps) and tiers(eps) of the full ranking."""
        return self._ranking_curve

    @cached_property
    def _ranking_curve(self) -> RankingCurve:
        return ranking_curve(self)

    def flips(self, k: int, *, eps: float | None = None, delta: float = 0.0) -> Flips:
        """Return the units that break the plain or the inflated top-k; eps as for :meth:`audit`."""
        return self.audit(k, eps=eps, delta=delta, methods=Flips.METHODS).flips(k)

    def check(
        self, k: int, *, max_delta: float = 0.0, eps: float | None = None, min_margin: int | None = None
    ) -> Check:
        """Check whether the plain top-k, or the inflated one at eps, is stable enough.

        Parameters
        ----------
        k : int
            How many items are wanted.
        max_delta : float
            The largest share of units whose removal may put an item into the top k that the answer does
            not hold.
        eps : float, optional
            The inflation; without it the plain top-k is checked.
        min_margin : int, optional
            The fewest units that must have to leave, for certain, before that answer changes.
        """
        most = calibration.check_delta(max_delta, "max_delta")
        fewest = None if min_margin is None else check_whole("min_margin", min_margin, 0)
        remedy = self.topk(k, delta=most)
        found = self.audit(k, eps=remedy.eps if eps is None else eps, methods=Flips.METHODS)
        return Check(
            **self.about(),
            k=remedy.k,
            eps=None if eps is None else found.eps,
            max_delta=most,
            row=found.row("topk" if eps is None else "inflated_topk", remedy.k),
            flips=found.flips(remedy.k),
            remedy=remedy,
            margin=self.known_margin(remedy.k) if eps is None else self.margin(remedy.k, eps=eps),
            min_margin=fewest,
        )

    def report(  # noqa: PLR0913 (all but two by name)
        self,
        path: str | os.PathLike[str],
        k: int | None = None,
        *,
        delta: float = 0.0,
        eps: float | None = None,
        guarantee: Guarantee = "cover",
        claim: Claim = "observed",
        title: str | None = None,
        source: str | None = None,
        confidence: float | None = None,
        policies: Mapping[str, str] | None = None,
    ) -> Path:
        """Write the report of a stable top-k as one HTML file; see :func:`steadyrank.write_report`.

        Without a k it is 10, or half of fewer than 20 items.
        """
        k = self.usual_k if k is None else k
        answer = self.topk(k, delta=delta, eps=eps, guarantee=guarantee, claim=claim)
        answer = answer if confidence is None else answer.with_confidence(confidence)
        return write_page(answer.findings(source=source, policies=policies), path, title)

    @property
    def usual_k(self) -> int:
        """The k of a report that nobody asked a k for."""
        return max(1, min(10, len(self.items) // 2))

    def about(self) -> dict[str, Any]:
        """Return what every result of this study says about where it comes from."""
        return {
            "items": tuple(self.items),
            "scores": self.scores,
            "scorer": self.scorer.name + ("" if self.data.weights is None else ", weighted"),
            "kind": self.data.kind.name,
            "unit": self.unit,
            "n_units": self.units.total,
            "n_distinct_units": len(self.units),
            "notes": self.notes,
            "counts": self.data.item_counts,
            "counted_as": self.data.count_of,
            "_study": self,
        }


def _critical_eps(study: Study, k: int) -> FloatArray:
    return frozen(critical_eps(study.scores, k))

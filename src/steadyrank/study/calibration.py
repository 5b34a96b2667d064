"""Which list, or which set of rankings, answers a question, with the certificate it earns.

Unless something else is asked for, that is what holds the plain answers without each unit, and nothing
else: no eps is needed. A target delta or the guarantee *overlap* take the tightest eps that does on
these data; for full rankings of many fitted items it comes from how far units move the scores, which
bounds every delta by Theorems 4 and 8. A proof without leaving anybody out takes the ball's list.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict, get_args

import numpy as np

from steadyrank.errors import InvalidValueError, NoProofError, Option, not_a_choice, shorten
from steadyrank.operators.checks import Range, check_eps, check_whole
from steadyrank.operators.inflation import MOST_OF_EPS, effective_eps, just_above
from steadyrank.operators.topk_sets import ball_topk, cover_factor, inflated_topk
from steadyrank.scorers.base import check_several, declared
from steadyrank.study.certificate import Certificate, Claims, Guarantee, unchecked
from steadyrank.text import eps_in_words, plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.study.facts import Facts

Claim = Literal["observed", "proved", "none"]


class Target(TypedDict, total=False):
    """How an answer is made: a target or an eps, and what is claimed."""

    delta: float
    eps: float | None
    guarantee: Guarantee
    claim: Claim


class How(Target, total=False):
    """The same of a list, and how many units may leave together."""

    removals: int


NOTHING: IntArray = np.empty(0, dtype=np.int64)
SHARE = Range(0.0, 1.0, below=True)


def check_delta(delta: object, called: str = "delta") -> float:
    """Return ``delta`` as a float from 0 to below 1."""
    if isinstance(delta, bool) or delta not in SHARE:
        allowed = "a number from 0 to below 1 (the share of units that may break the answer)"
        raise InvalidValueError(f"{called} must be {allowed}, but is {shorten(delta)}")
    return float(delta)  # type: ignore[arg-type]


def check_target(delta: float, eps: float | None) -> tuple[float, float | None]:
    """Return a target delta and an eps, not both of them: one follows from the other."""
    target = check_delta(delta)
    if target and eps is not None:
        told = "take either delta or eps, not both"
        raise InvalidValueError(told, way_out=["Omit ", Option("delta"), " or ", Option("eps")])
    return target, None if eps is None else check_eps(eps)


def check_removals(facts: Facts, removals: int) -> int:
    """Return a number of units that may leave and leave somebody, or complain."""
    check_several(facts.data)
    return check_whole("removals", removals, 1, facts.units.total - 1, " (one unit must stay)")


class Made(NamedTuple):
    """What an answer is made of: the claim, the list (no ranking has one), whether units are left out.

    An answer that is proved without leaving out anybody tells where items stand if that costs little.
    """

    certificate: Certificate
    listed: IntArray
    told: bool


def made(
    facts: Facts,
    k: int | None,
    *,
    delta: float = 0.0,
    eps: float | None = None,
    guarantee: Guarantee = "cover",
    claim: Claim = "observed",
    removals: int = 1,
) -> Made:
    """Return the answer for a target delta, or for an eps that was given."""
    for name, value, known in (("claim", claim, Claim), ("guarantee", guarantee, Guarantee)):
        if value not in get_args(known):
            raise not_a_choice(name, value, get_args(known))
    target, eps = check_target(delta, eps)
    if claim != "none" or not facts.units.total:
        check_several(facts.data)
    found = Calibration(facts, k, guarantee, given=eps is not None)
    usual = claim == "observed" and eps is None and guarantee == "cover" and not target
    if removals != 1 and check_removals(facts, removals) > 1:
        if not usual:
            told = "a list that holds against several removals takes no delta, eps, guarantee or claim"
            raise InvalidValueError(told, way_out=["Omit them, or use ", Option("removals", "1"), "."])
        answer = found.whoever_leaves(removals)
    elif usual:
        answer = found.left_out()
    else:
        answer = found.one_leaves(target, eps, claim)
    return answer._replace(certificate=found.unless_everything(answer))


@dataclass(frozen=True)
class Calibration:
    """Makes the list of the top k, or without a k the set of rankings, of one study.

    The leave-one-out scores of the study are touched only by rules that ask for them: a proved rule,
    or an eps that is given and not to be checked, needs none.
    """

    study: Facts
    k: int | None
    guarantee: Guarantee = "cover"
    given: bool = False

    @property
    def _claims(self) -> Claims:
        study = self.study
        apart = declared(study.scorer, "apart", study.data) or ""
        about = study.units.total, study.unit, self.k, self.guarantee, apart, self.given
        return Claims(*about, study.item_name)

    @property
    def _cover(self) -> bool:
        return self.guarantee == "cover"

    @property
    def _factor(self) -> float:
        """How much larger than a shift of the scores the eps of an inflated answer must be."""
        return cover_factor(len(self.study.items) - (self.k or 1)) if self._cover else 1.0

    def unless_everything(self, made: Made) -> Certificate:
        """Return the certificate; that it says nothing where the answer holds all that there is."""
        found, items = made.certificate, len(self.study.items)
        if found.delta is None or found.vacuous or (self.k is None and items == 1):
            return found
        if self.k == items:
            return found.empty(self.study.item_name)
        everything = len(made.listed) == items
        if self.k is None and found.eps is not None:
            everything = bool((self.study.critical_eps(1) < found.eps).all())
        elif self.k is None:
            ranks = self.study.ranks(items)
            everything = bool((ranks.best == 1).all() and (ranks.worst == items).all())
        return found.empty() if everything else found

    def left_out(self) -> Made:
        """Return what holds the plain answers without each unit, and nothing else."""
        if self.k is None:
            self.study.leave_one_out  # noqa: B018 (first: it makes the scores, too)
            return Made(self._claims.left_out(None), NOTHING, told=True)
        listed = self.study.deletions(self.k).listed(self.study.order, self.k)
        return Made(self._claims.left_out(len(listed)), listed, told=True)

    def _inflated(self, certificate: Certificate, *, told: bool) -> Made:
        if self.k is None or certificate.eps is None:
            return Made(certificate, NOTHING, told)
        return Made(certificate, inflated_topk(self.study.scores, self.k, certificate.eps).indices, told)

    def eps_needed(self, delta: float) -> float:
        """Return the tightest eps on these data that at most a share ``delta`` of the units breaks."""
        if self._by_shifts:
            return just_above(self._factor * self.study.eps_for(delta))
        if self.k is None and self._cover:
            needed = self.study.covering().exceeded(check_delta(delta))
            return just_above(needed) if needed > 0 else self.study.tie_eps
        each = self._each_needs  # first: it makes the scores, too
        return eps_above(check_delta(delta), each, self.study.units.counts, self.study.tie_eps)

    @property
    def _each_needs(self) -> FloatArray:
        """The eps, for each distinct unit, above which leaving it out does not break the answer."""
        study = self.study
        if self._cover and self.k is not None:
            reach = study.deletions(self.k).reach  # first: it makes the scores, too
            return np.asarray(study.critical_eps(self.k)[study.order][reach - 1])
        if self.k is not None:
            return study.curve(self.k).breaking_eps
        return study.ranking_curve().breaking_eps

    @property
    def _by_shifts(self) -> bool:
        """Whether eps comes from how far units move the scores, a bound: all else would take hours.

        That is so of full rankings of many items, the sooner if scores are fitted anew for each unit.
        """
        return self.k is None and self.study.too_many_rankings

    def whoever_leaves(self, removals: int) -> Made:
        """Return the list that holds the top k whichever units leave, up to so many of them together."""
        study, search = self.study, self.study.margin_search()
        if not search.pairs.certified:
            told = f"nothing bounds what {removals:,} {plural(study.unit)} removed together can do"
            way_out = ("Use ", Option("removals", "1"), ", or a scorer whose margins are bounded below.")
            raise NoProofError(study.scorer.name, told, way_out=way_out)
        from steadyrank.margins.lists import Withstanding

        listed = study.order[Withstanding(search, removals).listed(self.k or 1)]
        return Made(self._claims.certified(removals), listed, told=True)

    def one_leaves(self, delta: float, eps: float | None, claim: Claim) -> Made:
        """Return an inflated answer at an eps that was given or is the tightest, or the ball's list."""
        if claim == "none":
            if eps is None:
                told = "a claim of 'none' needs an eps: otherwise units are removed to find one"
                claimed = ", or omit ", Option("claim", "none"), "."
                raise InvalidValueError(told, way_out=["Give ", Option("eps"), *claimed])
            return self._inflated(unchecked(eps, self.guarantee, self.study.unit), told=False)
        if eps is None and claim == "observed":
            return self._inflated(self._observed(self.eps_needed(delta), target=delta), told=True)
        if (bound := self.study.scorer.sensitivity(self.study.data)) is not None:
            if eps is None:
                return self._proved(bound.eps, partial(self._claims.proved_by_sensitivity, bound=bound))
            least = self._factor * bound.eps
            # Above it also after the operators' allowance for rounding.
            if effective_eps(eps, float(np.abs(self.study.scores).max()) + least) > least:
                # Proved for all datasets, so also for this one, and at no cost.
                found = self._claims.proved_by_sensitivity(eps, bound=bound, factor=self._factor)
                return self._inflated(found, told=self._told)
        if eps is not None and claim == "observed":
            return self._inflated(self._observed(eps), told=True)
        return self._proved_by_bagging(delta, eps)

    @property
    def _told(self) -> bool:
        """Whether to tell where items stand though nobody need be left out: refitting may take hours."""
        return self.study.units.total > 1 and self.study.soon_left_out

    def _proved(self, eps: float, certificate: Callable[..., Certificate]) -> Made:
        """Return what holds if no unit moves the scores by more than eps: of lists, the ball's."""
        if self.k is None or not self._cover:
            found = certificate(just_above(self._factor * eps), factor=self._factor)
            return self._inflated(found, told=self._told)
        radius = just_above(eps)
        listed = ball_topk(self.study.scores, self.k, radius)
        return Made(certificate(radius, factor=None), listed, told=self._told)

    def _proved_by_bagging(self, delta: float, eps: float | None) -> Made:
        scorer = self.study.scorer
        numbers = declared(scorer, "bagging_numbers", self.study.data)
        # The bound is one of eps times the root of delta.
        least = math.inf
        if numbers is not None:
            least = math.sqrt(numbers["radius_squared"] * (numbers["C"] + numbers["finite_bags"]))
        if numbers is None or (eps is None and not (delta > 0 and math.isfinite(least))):
            asked = f"delta = {delta:g}" if eps is None else f"anything at eps = {eps_in_words(eps)}"
            raise NoProofError(scorer.name, f"no rule proves {asked}")
        certificate = partial(self._claims.proved_by_bagging, numbers=numbers)
        if eps is None:
            return self._proved(least / math.sqrt(delta), partial(certificate, delta=delta))
        ratio = self._factor * least / (eps * (1 - MOST_OF_EPS))
        # A product, not a power: it may overflow to infinity, which says vacuous.
        found = certificate(eps, delta=ratio * ratio, factor=self._factor)
        return self._inflated(found, told=self._told)

    def _observed(self, eps: float, target: float = 0.0) -> Certificate:
        """Return the certificate of an audit at this eps, which was given or chosen for a target."""
        study = self.study
        broken: BoolArray | IntArray
        if bounded := self._by_shifts:
            broken = study.reaching(eps / self._factor)
        elif self.k is None and not self._cover and self.given:
            from steadyrank.study.audit.rows import units_without_common_ranking

            broken = units_without_common_ranking(study, eps)
        elif self.k is None and self._cover:
            broken = study.covering().reaching(eps)
        else:
            broken = self._each_needs >= eps
        number, ties = int(study.units.counts[broken].sum()), not self.given and eps == study.tie_eps
        found = self._claims.observed(eps, number, ties=ties, target=target)
        return found.by_shifts() if bounded else found


def eps_above(delta: float, values: FloatArray, counts: IntArray, ties: float) -> float:
    """Return an eps just above all of the values but a share ``delta``; ``ties`` where those are 0."""
    needed = exceeded_by_at_most(delta, values, counts)
    return just_above(needed) if needed > 0 else ties


def exceeded_by_at_most(delta: float, values: FloatArray, counts: IntArray) -> float:
    """Return the smallest of the values that at most a share ``delta`` of all exceed."""
    order = np.argsort(-values, kind="stable")
    allowed = allowed_units(delta, int(counts.sum()))
    last = int(np.searchsorted(np.cumsum(counts[order]), allowed, side="right"))
    return float(values[order[last]]) if last < len(order) else 0.0


def allowed_units(delta: float, total: int) -> int:
    """Return the largest number of units whose share, as a float, is at most ``delta``.

    Examples
    --------
    >>> allowed_units(0.29, 100), int(0.29 * 100)
    (29, 28)
    """
    number = round(delta * total)
    return number if number / total <= delta else number - 1

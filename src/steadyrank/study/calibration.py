"""Which list, or which set of rankings, answers a question, with the certificate it earns.

Unless something else is asked for, that is what holds the plain answers without each unit, and nothing
else: no eps is needed. Of a list, a target delta or the guarantee *overlap* take the tightest eps that
does on these data; a ranking at an eps overlaps. A proof without leaving anybody out takes the ball's
list.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict, get_args

import numpy as np

from steadyrank.errors import InvalidValueError, NoProofError, Option, not_a_choice, shorten
from steadyrank.operators.checks import Range, check_eps, check_whole
from steadyrank.operators.inflation import just_above
from steadyrank.operators.topk_sets import ball_topk, cover_factor, inflated_topk
from steadyrank.scorers.base import check_several, declared
from steadyrank.study.certificate import Certificate, Claims, Guarantee
from steadyrank.text import plural

if TYPE_CHECKING:
    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.study.certificate import Numbers
    from steadyrank.study.facts import Facts

Claim = Literal["observed", "proved"]


class Target(TypedDict, total=False):
    """How an answer is made: a target or an eps, and what is claimed."""

    delta: float
    eps: float | None
    guarantee: Guarantee | None
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


def check_ranking(delta: float, eps: float | None, guarantee: Guarantee | None) -> None:
    """Complain about what no ranking promises: at an eps it overlaps, and the eps must be given."""
    if eps is not None and guarantee == "cover":
        told = "rankings at an eps are not promised to hold the new one"
        way_out = ("Omit ", Option("eps"), ": the ranks without each unit hold it.")
        raise InvalidValueError(told, way_out=way_out)
    if eps is None and (delta or guarantee == "overlap"):
        tightest = f"; in Python, study.ranking_curve().smallest_eps({delta:g}) is the tightest."
        told = "rankings that overlap with the new ones are made at an eps, which was not given"
        raise InvalidValueError(told, way_out=["Give ", Option("eps"), tightest])


def check_removals(facts: Facts, removals: int) -> int:
    """Return a number of units that may leave and leave somebody, or complain."""
    check_several(facts.data)
    return check_whole("removals", removals, 1, facts.units.total - 1, " (one unit must stay)")


class Made(NamedTuple):
    """What an answer is made of: the claim, the list (of no ranking), whether units are left out."""

    certificate: Certificate
    listed: IntArray
    told: bool = True


def made(
    facts: Facts,
    k: int | None,
    *,
    delta: float = 0.0,
    eps: float | None = None,
    guarantee: Guarantee | None = None,
    claim: Claim = "observed",
    removals: int = 1,
) -> Made:
    """Return the answer for a target delta, or for an eps that was given."""
    if claim not in get_args(Claim):
        raise not_a_choice("claim", claim, get_args(Claim))
    if guarantee not in {None, *get_args(Guarantee)}:
        raise not_a_choice("guarantee", guarantee, get_args(Guarantee))
    target, eps = check_target(delta, eps)
    if claim == "proved" and eps is not None:
        told = "a proof finds its own eps; one that is given is checked on these data"
        omit = ("Omit ", Option("eps"), " or ", Option("claim", "proved"))
        raise InvalidValueError(told, way_out=omit)
    if k is None and claim == "observed":
        check_ranking(target, eps, guarantee)
    check_several(facts.data)
    promised = guarantee or ("cover" if k is not None or eps is None else "overlap")
    found = Calibration(facts, k, promised, given=eps is not None)
    usual = claim == "observed" and eps is None and promised == "cover" and not target
    if removals != 1 and check_removals(facts, removals) > 1:
        if not usual:
            told = "a list that holds against several removals takes no delta, eps, guarantee or claim"
            raise InvalidValueError(told, way_out=["Omit them, or use ", Option("removals", "1"), "."])
        answer = found.whoever_leaves(removals)
    elif claim == "proved":
        answer = found.proved(target)
    else:
        answer = found.left_out() if usual else found.observed(target, eps)
    if len(answer.listed) == len(facts.items):
        return answer._replace(certificate=answer.certificate.empty())
    return answer


@dataclass(frozen=True)
class Calibration:
    """Makes the list of the top k, or without a k the set of rankings, of one study.

    The leave-one-out scores are touched only by rules that ask for them: a proof needs none.
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

    def left_out(self) -> Made:
        """Return what holds the plain answers without each unit, and nothing else."""
        if self.k is None:
            self.study.leave_one_out  # noqa: B018 (first: it makes the scores, too)
            return Made(self._claims.left_out(None), NOTHING)
        listed = self.study.deletions(self.k).listed(self.study.order, self.k)
        return Made(self._claims.left_out(len(listed)), listed)

    def _inflated(self, certificate: Certificate, eps: float) -> Made:
        if self.k is None:
            return Made(certificate, NOTHING)
        return Made(certificate, inflated_topk(self.study.scores, self.k, eps).indices)

    def eps_needed(self, delta: float) -> float:
        """Return the tightest eps on these data that at most a share ``delta`` of the units breaks."""
        each = self._each_needs  # first: it makes the scores, too
        return eps_above(check_delta(delta), each, self.study.units.counts, self.study.tie_eps)

    @property
    def _each_needs(self) -> FloatArray:
        """The eps, for each distinct unit, above which leaving it out does not break the list."""
        study, k = self.study, self.k or 1
        if not self._cover:
            return study.curve(k).breaking_eps
        reach = study.deletions(k).reach  # first: it makes the scores, too
        return np.asarray(study.critical_eps(k)[study.order][reach - 1])

    def whoever_leaves(self, removals: int) -> Made:
        """Return the list that holds the top k whichever units leave, up to so many of them together."""
        study, search = self.study, self.study.margin_search()
        if not search.pairs.certified:
            told = f"nothing bounds what {removals:,} {plural(study.unit)} removed together can do"
            way_out = ("Use ", Option("removals", "1"), ", or a scorer whose margins are bounded below.")
            raise NoProofError(study.scorer.name, told, way_out=way_out)
        from steadyrank.margins.lists import Withstanding

        listed = study.order[Withstanding(search, removals).listed(self.k or 1)]
        return Made(self._claims.certified(removals), listed)

    def observed(self, target: float, given: float | None) -> Made:
        """Return an inflated answer at an eps that was given, or at the tightest for a target."""
        study, eps = self.study, self.eps_needed(target) if given is None else given
        broken: BoolArray | IntArray
        if self.k is None:
            from steadyrank.study.audit.rows import units_without_common_ranking

            broken = units_without_common_ranking(study, eps)
        else:
            broken = self._each_needs >= eps
        number, ties = int(study.units.counts[broken].sum()), not self.given and eps == study.tie_eps
        return self._inflated(self._claims.observed(eps, number, ties=ties, target=target), eps)

    def proved(self, delta: float) -> Made:
        """Return what holds if no unit moves the scores further than a rule says: the ball's list."""
        study, ball = self.study, self.k is not None and self._cover
        if (bound := study.scorer.sensitivity(study.data)) is not None:
            factor = None if ball else self._factor
            claim = partial(self._claims.proved_by_sensitivity, bound=bound, factor=factor)
            eps = bound.eps
        else:
            eps, numbers = self._bagging(delta)
            claim = partial(self._claims.proved_by_bagging, delta=delta, numbers=numbers)
        if self.k is not None and ball:
            radius = just_above(eps)
            return Made(claim(radius), ball_topk(study.scores, self.k, radius), told=False)
        wide = just_above(self._factor * eps)
        return self._inflated(claim(wide), wide)._replace(told=False)

    def _bagging(self, delta: float) -> tuple[float, Numbers]:
        """Return the eps that bagging proves for a share delta, and the numbers of its bound."""
        scorer = self.study.scorer
        numbers = declared(scorer, "bagging_numbers", self.study.data)
        if numbers is None or not delta:
            raise NoProofError(scorer.name, f"no rule proves delta = {delta:g}")
        radius = math.sqrt(numbers["radius_squared"])
        eps = radius * math.sqrt((numbers["C"] + numbers["finite_bags"]) / delta)
        if just_above(eps) > 2 * radius:
            told = f"at delta = {delta:g} the bound of bagging is so wide that it proves nothing"
            more = "Use more bags, smaller bags or a larger delta."
            raise NoProofError(scorer.name, told, way_out=more)
        return eps, numbers


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

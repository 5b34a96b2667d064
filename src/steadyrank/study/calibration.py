"""Where eps comes from: the tightest one that a rule allows, with the certificate it earns.

Rules that look at these very data take eps from what each unit needs: to be covered, or to overlap. Only
for full rankings of many fitted items it comes from how far units move the scores, which bounds every
delta by Theorems 4 and 8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypedDict, get_args

import numpy as np

from steadyrank.errors import InvalidValueError, NoProofError, Option, shorten
from steadyrank.margins.lists import Withstanding
from steadyrank.operators.boundary import MOST_OF_EPS, effective_eps, just_above
from steadyrank.operators.checks import check_eps, check_whole
from steadyrank.scorers.base import Sketched, check_several, declared
from steadyrank.study.certificate import Certificate, Claims, Guarantee, unchecked
from steadyrank.text import counted, plural, rounded_up

if TYPE_CHECKING:
    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.scorers.base import Settled
    from steadyrank.study.facts import Facts

Claim = Literal["observed", "proved", "none"]


class Claimed(TypedDict):
    """What eps is chosen for, or an eps that is given, and what is to be claimed."""

    delta: float
    eps: float | None
    guarantee: Guarantee
    claim: Claim


COVERS = (2 + math.sqrt(2)) * (1 + 1e-12)
"""If scores move by less than eps, the new plain answer is inside the inflated one at so many eps."""

FITTED = 4_000_000
"""Distinct units times items from which full rankings of fitted scores rest on bounds."""

SUMS = 1e-12
"""More than what rounding of the operators' sums amounts to, relative to eps."""

SMALLEST = float(np.finfo(np.float64).smallest_subnormal)


def check_delta(delta: object, called: str = "delta") -> float:
    """Return ``delta`` as a float from 0 to below 1."""
    if isinstance(delta, bool) or not isinstance(delta, int | float | np.integer | np.floating):
        raise InvalidValueError(f"{called} must be a number from 0 to below 1, but is {shorten(delta)}")
    if not 0 <= float(delta) < 1:
        raise InvalidValueError(
            f"{called} must be from 0 to below 1 (the share of units that may break the answer), "
            f"but is {shorten(delta)}"
        )
    return float(delta)


def check_one_target(delta: float, eps: float | None) -> None:
    """Complain where both a target delta and an eps are given: one follows from the other."""
    if delta and eps is not None:
        raise InvalidValueError(
            "take either delta or eps, not both",
            way_out=["Omit ", Option("delta"), " or ", Option("eps"), "."],
        )


@dataclass(frozen=True)
class Calibration:
    """Chooses an eps for the top-k, or without a k for the full ranking, of one study.

    The leave-one-out scores of the study are touched only by rules that ask for them: a proved rule,
    or an eps that is given and not to be checked, needs none.
    """

    study: Facts
    k: int | None
    guarantee: Guarantee = "cover"

    @property
    def _claims(self) -> Claims:
        return Claims(self.study.units.total, self.study.unit, self.k, self.guarantee)

    @property
    def _cover(self) -> bool:
        return self.guarantee == "cover"

    @property
    def _factor(self) -> float:
        """How much larger than a shift of the scores eps must be."""
        return COVERS if self._cover else 1.0

    def certificate(self, delta: float, eps: float | None, claim: Claim, removals: int) -> Certificate:
        """Return the certificate for a target delta, or for an eps that was given."""
        found = self._found(delta, eps, claim, removals)
        everything = bool((self.study.critical_eps(self.k or 1) < found.eps).all())
        several = len(self.study.items) > (self.k or 1)
        claimed = found.delta is not None and not found.vacuous
        return found.nothing_left_out() if everything and several and claimed else found

    def _found(self, delta: float, eps: float | None, claim: Claim, removals: int) -> Certificate:
        _check_choice("claim", claim, get_args(Claim))
        _check_choice("guarantee", self.guarantee, get_args(Guarantee))
        target = check_delta(delta)
        check_one_target(target, eps)
        if claim != "none" or not self.study.units.total:
            check_several(self.study.data)
        if removals != 1 and self.check_removals(removals) > 1:
            if target:
                raise InvalidValueError(
                    f"an answer that holds whichever units leave has delta = 0, not {delta:g}",
                    way_out=["Omit ", Option("delta"), "."],
                )
            return self._whoever_leaves(removals, eps, claim)
        return self._one_leaves(target, None if eps is None else check_eps(eps), claim)

    def eps_needed(self, delta: float) -> float:
        """Return the tightest eps on these data that at most a share ``delta`` of the units breaks."""
        if self._by_shifts:
            return just_above(self._factor * self.study.eps_for(delta))
        needed = self._each_needs  # first: it makes the scores, too
        return eps_above(check_delta(delta), needed, self.study.units.counts, self.study.tie_eps)

    @property
    def _each_needs(self) -> FloatArray:
        """The eps, for each distinct unit, above which leaving it out does not break the answer."""
        if self._cover and self.k is not None:
            return self.study.deletions(self.k).covering_eps
        if self.k is not None:
            return self.study.curve(self.k).breaking_eps
        curve = self.study.ranking_curve()
        return curve.covering_eps if self._cover else curve.breaking_eps

    @property
    def _by_shifts(self) -> bool:
        """Whether eps comes from how far units move the scores, a bound: all else would take hours.

        That is so of full rankings of many items whose scores are fitted anew without each unit.
        """
        if self.k is not None:
            return False
        loo = self.study.leave_one_out
        return isinstance(loo, Sketched) and len(loo.units) * len(loo.scores) > FITTED

    def _whoever_leaves(self, removals: int, eps: float | None, claim: Claim) -> Certificate:
        study, scorer = self.study, self.study.scorer.name
        if claim != "observed":
            raise InvalidValueError(
                f"what holds against several removals is found on these data: it is not {claim!r}",
                way_out=["Omit ", Option("claim", claim), "."],
            )
        if not study.margin_search().pairs.certified:
            otherwise = ", or a scorer whose margins are bounded below."
            raise NoProofError(
                scorer,
                f"nothing bounds what {removals:,} {plural(study.unit)} that leave together can do",
                way_out=["Use ", Option("removals", "1"), otherwise],
            )
        known = Withstanding(study.margin_search(), removals)
        needed = just_above(known.eps_needed(self.k, cover=self._cover))
        smallest = max(needed, study.tie_eps)
        if eps is not None and check_eps(eps) < needed:
            raise NoProofError(
                scorer,
                f"no rule proves that eps = {eps:.6g} holds against {counted(removals, 'removal')}",
                way_out=["Omit ", Option("eps"), f", or give {rounded_up(smallest)} or more."],
            )
        found = smallest if eps is None else check_eps(eps)
        return self._claims.certified(found, removals, chosen=eps is None)

    def check_removals(self, removals: int) -> int:
        """Return a number of units that may leave and leave somebody, or complain."""
        check_several(self.study.data)
        return check_whole("removals", removals, 1, self.study.units.total - 1, " (one unit must stay)")

    def _one_leaves(self, delta: float, eps: float | None, claim: Claim) -> Certificate:
        """Return what is claimed of an eps that was given, or of the tightest for a target delta."""
        if claim == "none" and eps is None:
            raise InvalidValueError(
                "a claim of 'none' goes with an eps; for a target delta something is checked",
                way_out=["Give ", Option("eps"), ", or omit ", Option("claim", "none"), "."],
            )
        if claim == "none" and eps is not None:
            return unchecked(eps, self.guarantee)
        if eps is None and claim == "observed":
            return self._observed(self.eps_needed(delta), chosen=True)
        bound = self.study.scorer.sensitivity(self.study.data)
        if bound is not None:
            least = self._factor * bound.eps
            if eps is None or self._surely_above(eps, least):
                # Proved for all datasets, so also for this one, and at no cost.
                return self._claims.proved_by_sensitivity(eps or just_above(least), bound)
        if eps is not None and claim == "observed":
            return self._observed(eps, chosen=False)
        return self._proved_by_bagging(delta, eps)

    def _proved_by_bagging(self, delta: float, eps: float | None) -> Certificate:
        scorer = self.study.scorer
        numbers = declared(scorer, "bagging_numbers", self.study.data)
        # The bound is one of eps times the root of delta.
        least = math.inf
        if numbers is not None:
            least = self._factor * math.sqrt(
                numbers["radius_squared"] * (numbers["C"] + numbers["finite_bags"])
            )
        if numbers is None or (eps is None and not (delta > 0 and math.isfinite(least))):
            asked = f"delta = {delta:g}" if eps is None else f"anything at eps = {eps:.6g}"
            raise NoProofError(scorer.name, f"no rule proves {asked}")
        if eps is None:
            return self._claims.proved_by_bagging(
                just_above(least / math.sqrt(delta)), delta, numbers, self._factor
            )
        ratio = least / (eps * (1 - MOST_OF_EPS))
        # A product, not a power: it may overflow to infinity, which says vacuous.
        return self._claims.proved_by_bagging(eps, ratio * ratio, numbers, self._factor)

    def _surely_above(self, eps: float, bound: float) -> bool:
        """Tell whether eps exceeds a bound also after the operators' allowance for rounding."""
        largest = float(np.abs(self.study.scores).max()) + bound
        return bool(effective_eps(eps, largest) > bound)

    def _observed(self, eps: float, *, chosen: bool) -> Certificate:
        """Return the certificate of an audit at this eps."""
        study = self.study
        broken: BoolArray | IntArray
        if bounded := self._by_shifts:
            broken = study.reaching(eps / self._factor)
        elif self.k is None and not self._cover and not chosen:
            from steadyrank.study.audit.rankings import units_without_common_ranking

            broken = units_without_common_ranking(study, eps)
        else:
            broken = self._each_needs >= eps
        number, ties = int(study.units.counts[broken].sum()), chosen and eps == study.tie_eps
        found = self._claims.observed(eps, number, chosen=chosen, ties=ties)
        return found.by_shifts() if bounded else found


@dataclass(frozen=True)
class Inflation:
    """Where the eps of inflated answers comes from: it was given, or is the tightest for a target.

    Attributes
    ----------
    eps : float or None
        The one that was given.
    target : float
        The share of units that may break an answer.
    guarantee : {"cover", "overlap"}
        What breaking means.
    """

    study: Facts
    eps: float | None
    target: float
    guarantee: Guarantee

    def eps_of(self, k: int | None) -> float:
        """Return the eps of the top k, or without a k of the ranking."""
        if self.eps is not None:
            return self.eps
        return Calibration(self.study, k, self.guarantee).eps_needed(self.target)


def _check_choice(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InvalidValueError(f"{name} must be one of {', '.join(known)}, but is {shorten(value)}")


def reaching_eps(shifts: FloatArray, scores: FloatArray, eps: float) -> BoolArray:
    r"""Return which shifts reach ``eps``, those that do up to rounding included.

    The operators lower eps by a slack for rounding. A shift within that slack of eps is on the
    boundary for them, so it must be for the bound, or a delta could exceed its own bound.

    Examples
    --------
    >>> reaching_eps(np.array([0.1, 0.2 - 1e-16, 0.3]), np.array([1.0, 0.5]), eps=0.2)
    array([False,  True,  True])
    """
    largest = float(np.abs(scores).max()) + float(shifts.max(initial=0.0))
    with np.errstate(over="ignore"):
        found: BoolArray = shifts >= effective_eps(eps, largest) * (1 - SUMS)
    return found


def settled_at(eps: float) -> Settled:
    """Return which shifts need not be exact to tell who reaches eps: far from it, not largest."""

    def settled(shifts: FloatArray, errors: FloatArray) -> BoolArray:
        far = np.abs(shifts - eps) > errors + 2 * MOST_OF_EPS * eps
        return np.asarray(far & (shifts + errors < (shifts - errors).max(initial=0.0)))

    return settled


def settled_beside(delta: float, counts: IntArray) -> Settled:
    """Return which shifts need not be exact to tell the one that a share ``delta`` of all exceed."""

    def settled(shifts: FloatArray, errors: FloatArray) -> BoolArray:
        least, most = shifts - errors, shifts + errors
        low, high = (exceeded_by_at_most(delta, bound, counts) for bound in (least, most))
        return np.asarray((most < low) | (least > high))

    return settled


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


def smallest_gap_eps(scores: FloatArray) -> float:
    """Return an eps so small that it inflates nothing but exact ties."""
    halves = np.diff(np.unique(scores) / 2)  # halved before: a gap may overflow
    return max(float(halves.min()), SMALLEST) if len(halves) else 1.0

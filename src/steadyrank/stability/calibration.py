"""Where eps comes from: the tightest one that a rule allows, with the certificate it earns.

Rules that look at these very data take eps from the curve of the top-k or of the full ranking. An audit
of several methods at once takes it from how far units move the scores, which bounds every delta by
Theorems 4 and 8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from steadyrank.errors import InvalidValueError, NoProofError, NothingLeftError, Option, shorten
from steadyrank.operators.boundary import MOST_OF_EPS, effective_eps, just_above
from steadyrank.operators.checks import check_eps
from steadyrank.operators.critical import critical_eps
from steadyrank.stability.audit_rows import units_without_common_ranking
from steadyrank.stability.certificate import (
    Certificate,
    observed,
    proved_by_bagging,
    proved_by_sensitivity,
    unchecked,
    withstanding,
)
from steadyrank.stability.withstanding import Withstanding, covering_one
from steadyrank.wording import counted, plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.scorers.base import Settled
    from steadyrank.scorers.sensitivity import Sensitivity
    from steadyrank.stability.certificate import Guarantee
    from steadyrank.stability.study import Study

Claim = Literal["observed", "proved", "none"]
CLAIMS = ("observed", "proved", "none")
GUARANTEES = ("overlap", "cover")

USUAL_DELTA = 0.05
"""The share of units that may break an answer where nobody says anything else."""

SUMS = 1e-12
"""More than what rounding of the operators' sums amounts to, relative to eps."""

SMALLEST = float(np.finfo(np.float64).smallest_subnormal)


def check_delta(delta: object) -> float:
    """Return ``delta`` as a float from 0 to below 1."""
    if isinstance(delta, bool) or not isinstance(delta, int | float | np.integer | np.floating):
        raise InvalidValueError(f"delta must be a number from 0 to below 1, but is {shorten(delta)}")
    if not 0 <= float(delta) < 1:
        raise InvalidValueError(
            f"delta must be from 0 to below 1 (the share of units that may break the answer), "
            f"but is {shorten(delta)}"
        )
    return float(delta)


def check_one_target(delta: float | None, eps: float | None) -> None:
    """Complain where both a target delta and an eps are given: one follows from the other."""
    if delta is not None and eps is not None:
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

    study: Study
    k: int | None

    @property
    def what(self) -> str:
        """What answers must share, for sentences: a number of items, or a ranking."""
        return "ranking" if self.k is None else str(self.k)

    def certificate(
        self,
        *,
        delta: float | None = None,
        eps: float | None = None,
        claim: Claim = "observed",
        removals: int | None = None,
        guarantee: Guarantee = "overlap",
    ) -> Certificate:
        """Return the certificate for a target delta, 0.05 by default, or for an eps that was given.

        With removals, or for cover, it holds whichever units leave: delta is 0.
        """
        _check_choice("claim", claim, CLAIMS)
        _check_choice("guarantee", guarantee, GUARANTEES)
        check_one_target(delta, eps)
        if claim != "none" and self.study.units.total < 2:
            raise NothingLeftError(self.study.unit)
        if removals is not None or guarantee == "cover":
            most = self.check_removals(1 if removals is None else removals)
            if delta is not None and check_delta(delta):
                raise InvalidValueError(
                    f"an answer that holds whichever units leave has delta = 0, not {delta:g}",
                    way_out=["Omit ", Option("delta"), "."],
                )
            if most > 1 or guarantee == "cover":
                return self._whoever_leaves(most, eps, claim, cover=guarantee == "cover")
            delta = 0.0
        if eps is not None:
            return self._for_eps(check_eps(eps), claim)
        return self._for_delta(check_delta(USUAL_DELTA if delta is None else delta), claim)

    def _whoever_leaves(
        self, removals: int, eps: float | None, claim: Claim, *, cover: bool
    ) -> Certificate:
        study, scorer = self.study, self.study.scorer.name
        if claim != "observed":
            raise InvalidValueError(
                f"cover, and what holds against several removals, is found on these data: it is not "
                f"{claim!r}",
                way_out=["Omit ", Option("claim", claim), "."],
            )
        if removals > 1 and not study.margin_search().contests.several:
            raise NoProofError(
                scorer,
                f"nothing bounds what {removals:,} {plural(study.unit)} that leave together can do",
                way_out=[
                    "Use ",
                    Option("removals", "1"),
                    ", or a scorer whose margins are bounded below.",
                ],
            )
        needed = self._needed(removals, cover=cover)
        smallest = max(just_above(needed), smallest_gap_eps(study.scores))
        if eps is not None and check_eps(eps) < just_above(needed):
            raise NoProofError(
                scorer,
                f"no rule proves that eps = {eps:.6g} holds against {counted(removals, 'removal')}",
                way_out=["Omit ", Option("eps"), f", or give {smallest * 1.00001:.6g} or more."],
            )
        found = smallest if eps is None else check_eps(eps)
        vacuous = bool((critical_eps(study.scores, self.k or 1) < found).all())
        told = removals, study.units.total, study.unit, self.what
        return withstanding(found, *told, cover=cover, chosen=eps is None, vacuous=vacuous)

    def _needed(self, removals: int, *, cover: bool) -> float:
        """Return the eps above which the answer holds, whichever units leave."""
        if removals == 1:
            return covering_one(self.study, self.k)
        known = Withstanding(self.study, removals)
        return known.ranking(cover=cover) if self.k is None else known.topk(self.k, cover=cover)

    def check_removals(self, removals: int) -> int:
        """Return a number of units that may leave and leave somebody, or complain."""
        total = self.study.units.total
        whole = isinstance(removals, int | np.integer) and not isinstance(removals, bool)
        if not (whole and 1 <= removals < total):
            raise InvalidValueError(
                f"removals must be a whole number from 1 to {total - 1:,}: one of the "
                f"{counted(total, self.study.unit)} has to stay. It is {shorten(removals)}"
            )
        return int(removals)

    def _for_delta(self, delta: float, claim: Claim) -> Certificate:
        if claim == "none":
            raise InvalidValueError(
                "a claim of 'none' goes with an eps; for a target delta something is checked",
                way_out=["Give ", Option("eps"), ", or omit ", Option("claim", "none"), "."],
            )
        if claim == "proved":
            return self._proved_for_delta(delta)
        curve = self.study.ranking_curve() if self.k is None else self.study.curve(self.k)
        eps = curve.smallest_eps(delta)
        return self._observed(eps, curve.delta(eps), chosen=True)

    def _for_eps(self, eps: float, claim: Claim) -> Certificate:
        if claim == "none":
            return unchecked(eps)
        bound = self._sensitivity()
        if bound is not None and self._surely_above(eps, bound.eps):
            # Proved for all datasets, so also for this one, and at no cost.
            return proved_by_sensitivity(eps, bound, self.study.unit, self.what)
        if claim == "proved":
            return self._proved_by_bags_at(eps)
        if self.k is not None:
            return self._observed(eps, self.study.curve(self.k).delta(eps))
        broken = units_without_common_ranking(self.study, eps)
        return self._observed(eps, self.study.share(broken))

    def _proved_by_bags_at(self, eps: float) -> Certificate:
        numbers = self._bagging()
        if numbers is None:
            raise NoProofError(self.study.scorer.name, f"no rule proves anything at eps = {eps:.6g}")
        ratio = _bagging_reach(numbers) / (eps * (1 - MOST_OF_EPS))
        # A product, not a power: it may overflow to infinity, which says vacuous.
        return proved_by_bagging(eps, ratio * ratio, numbers, self.study.unit, self.what)

    def _proved_for_delta(self, delta: float) -> Certificate:
        bound = self._sensitivity()
        if bound is not None:
            return proved_by_sensitivity(just_above(bound.eps), bound, self.study.unit, self.what)
        numbers = self._bagging()
        if numbers is not None and delta > 0 and math.isfinite(numbers["C"]):
            eps = just_above(_bagging_reach(numbers) / math.sqrt(delta))
            return proved_by_bagging(eps, delta, numbers, self.study.unit, self.what)
        raise NoProofError(self.study.scorer.name, f"no rule proves delta = {delta:g}")

    def _surely_above(self, eps: float, bound: float) -> bool:
        """Tell whether eps exceeds a bound also after the operators' allowance for rounding."""
        largest = float(np.abs(self.study.scores).max()) + bound
        return bool(effective_eps(eps, largest) > bound)

    def _sensitivity(self) -> Sensitivity | None:
        return self.study.scorer.sensitivity(self.study.data)

    def _bagging(self) -> Mapping[str, float] | None:
        return self.study.scorer.bagging_numbers(self.study.data)

    def _observed(self, eps: float, delta: float, *, chosen: bool = False) -> Certificate:
        units = self.study.units.total, self.study.unit
        return observed(eps, delta, *units, self.what, chosen=chosen)


def _check_choice(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InvalidValueError(f"{name} must be one of {', '.join(known)}, but is {shorten(value)}")


def _bagging_reach(numbers: Mapping[str, float]) -> float:
    """Return ``eps sqrt(delta)`` as the bound on bagged scorers has it."""
    return math.sqrt(numbers["radius_squared"] * (numbers["C"] + numbers["finite_bags"]))


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

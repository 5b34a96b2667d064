"""Where eps comes from: the tightest one that a rule allows, with the certificate it earns."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from steadyrank.errors import InvalidValueError, NoProofError, NothingLeftError, shorten
from steadyrank.operators.checks import check_eps
from steadyrank.operators.inflation import MOST_OF_EPS, effective_eps, just_above
from steadyrank.stability.certificate import (
    Certificate,
    above_bound,
    observed,
    observed_by_shifts,
    proved_by_bagging,
    proved_by_sensitivity,
    unchecked,
)
from steadyrank.stability.curve import (
    StabilityCurve,
    check_delta,
    exceeded_by_at_most,
    smallest_gap_eps,
    stability_curve,
)
from steadyrank.stability.ranking_audit import units_without_common_ranking
from steadyrank.stability.reaching import reaching

if TYPE_CHECKING:
    from collections.abc import Mapping

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.scorers.base import LeaveOneOut, Scorer

Claim = Literal["observed", "proved", "none"]
CLAIMS = ("observed", "proved", "none")


@dataclass
class Calibration:
    """Everything that is needed to choose an eps for one dataset and one scorer.

    Leave-one-out scores are computed when a rule first asks for them: a proved rule, or an eps that
    is given and not to be checked, needs none.
    """

    data: Any
    scorer: Scorer
    k: int | None
    _loo: LeaveOneOut | None = field(default=None, init=False)
    _scores: FloatArray | None = field(default=None, init=False)
    _shifts: FloatArray | None = field(default=None, init=False)
    _curve: StabilityCurve | None = field(default=None, init=False)

    @property
    def what(self) -> str:
        """What answers must share, for sentences: a number of items, or a ranking."""
        return "ranking" if self.k is None else str(self.k)

    @property
    def unit(self) -> str:
        """What is left out."""
        return str(self.data.units.kind)

    def loo(self) -> LeaveOneOut:
        """Return the leave-one-out scores."""
        if self._loo is None:
            self._loo = self.scorer.leave_one_out(self.data)
        return self._loo

    def scores(self) -> FloatArray:
        """Return the scores, without leaving anything out where that was not done anyway."""
        if self._scores is None:
            self._scores = self.scorer.score(self.data) if self._loo is None else self._loo.scores
        return self._scores

    def shifts(self) -> FloatArray:
        """Return how far each distinct unit moves the scores."""
        if self._shifts is None:
            self._shifts = self.loo().shifts()
        return self._shifts

    def curve(self) -> StabilityCurve:
        """Return the delta(eps) curve of the top-k."""
        if self._curve is None:
            assert self.k is not None  # noqa: S101 (only asked for with a k)
            self._curve = stability_curve(self.loo(), self.k, self.shifts())
        return self._curve

    def certificate(self, *, delta: float | None, eps: float | None, claim: Claim) -> Certificate:
        """Return the certificate for a target delta, or for an eps that was given."""
        if claim not in CLAIMS:
            raise InvalidValueError(
                f"claim must be one of {', '.join(CLAIMS)}, but is {shorten(claim)}."
            )
        if (delta is None) == (eps is None):
            raise InvalidValueError(
                f"give either delta or eps, not {'both' if delta is not None else 'none'}."
            )
        if claim != "none" and self.data.units.total < 2:
            raise NothingLeftError(self.unit)
        if eps is not None:
            return self._for_eps(check_eps(eps), claim)
        return self._for_delta(check_delta(delta), claim)

    def _for_delta(self, delta: float, claim: Claim) -> Certificate:
        if claim == "none":
            raise InvalidValueError(
                "claim='none' goes with an eps; for a target delta something is checked."
            )
        if claim == "proved":
            return self._proved_for_delta(delta)
        if self.k is not None:
            eps = self.curve().smallest_eps(delta)
            return self._observed(eps, float(self.curve().delta(eps)), "breaking eps quantile")
        eps = self._shift_quantile(delta)
        share = self._share(reaching(self.shifts(), self.loo().scores, eps))
        return observed_by_shifts(eps, share, self.data.units.total, self.unit, self.what)

    def _for_eps(self, eps: float, claim: Claim) -> Certificate:
        if claim == "none":
            return unchecked(eps)
        bound = self._sensitivity()
        if bound is not None and self._surely_above(eps, bound.eps):
            # Proved for all datasets, so also for this one, and at no cost.
            return proved_by_sensitivity(eps, bound, self.unit, self.what)
        if claim == "proved":
            return self._proved_by_bags_at(eps)
        if self.k is not None:
            return self._observed(eps, float(self.curve().delta(eps)), "audit")
        broken = units_without_common_ranking(self.loo(), eps, self.shifts())
        return self._observed(eps, self._share(broken), "audit")

    def _proved_by_bags_at(self, eps: float) -> Certificate:
        numbers = self._bagging()
        if numbers is None:
            raise NoProofError(self.scorer.name, f"no rule proves anything at eps = {eps:.6g}")
        ratio = _bagging_reach(numbers) / (eps * (1 - MOST_OF_EPS))
        # A product, not a power: it may overflow to infinity, which says vacuous.
        return proved_by_bagging(eps, ratio * ratio, numbers, self.unit, self.what)

    def _proved_for_delta(self, delta: float) -> Certificate:
        bound = self._sensitivity()
        if bound is not None:
            return proved_by_sensitivity(above_bound(bound), bound, self.unit, self.what)
        numbers = self._bagging()
        if numbers is not None and delta > 0 and math.isfinite(numbers["C"]):
            eps = just_above(_bagging_reach(numbers) / math.sqrt(delta))
            return proved_by_bagging(eps, delta, numbers, self.unit, self.what)
        raise NoProofError(self.scorer.name, f"no rule proves delta = {delta:g}")

    def _surely_above(self, eps: float, bound: float) -> bool:
        """Tell whether eps exceeds a bound also after the operators' allowance for rounding."""
        largest = float(np.abs(self.scores()).max()) + bound
        return bool(effective_eps(eps, largest) > bound)

    def _sensitivity(self) -> Any:
        return self.scorer.sensitivity(self.data)

    def _bagging(self) -> Any:
        return self.scorer.bagging_numbers(self.data)

    def _observed(self, eps: float, delta: float, rule: str) -> Certificate:
        return observed(eps, delta, self.data.units.total, self.unit, self.what, rule)

    def _share(self, units: BoolArray | IntArray) -> float:
        """Return the share of all units that these distinct ones stand for."""
        counts = self.loo().units.counts
        return int(counts[units].sum()) / int(counts.sum())

    def _shift_quantile(self, delta: float) -> float:
        """Return an eps just above the (1 - delta)-quantile of the shifts."""
        needed = exceeded_by_at_most(delta, self.shifts(), self.loo().units.counts)
        return just_above(needed) if needed > 0 else smallest_gap_eps(self.loo().scores)


def _bagging_reach(numbers: Mapping[str, float]) -> float:
    """Return ``eps sqrt(delta)`` as the bound on bagged scorers has it."""
    return math.sqrt(numbers["radius_squared"] * (numbers["C"] + numbers["finite_bags"]))

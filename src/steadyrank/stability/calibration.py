"""Where eps comes from: the tightest one that a rule allows, with the certificate it earns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from steadyrank.errors import InvalidValueError, NoProofError, shorten
from steadyrank.operators.checks import check_eps
from steadyrank.operators.inflation import effective_eps, just_above
from steadyrank.stability.certificate import (
    Certificate,
    above_bound,
    observed,
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
from steadyrank.stability.ranking_audit import inflated_ranking_outcome

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray
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
        return self.scorer.score(self.data) if self._loo is None else self._loo.scores

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
        return self._observed(eps, self._share_reaching(eps), "shift quantile")

    def _for_eps(self, eps: float, claim: Claim) -> Certificate:
        proved = self._proved_at(eps)
        if proved is not None:
            return proved
        if claim == "proved":
            raise NoProofError(self.scorer.name, f"no rule proves anything at eps = {eps:.6g}")
        if claim == "none":
            return unchecked(eps)
        if self.k is not None:
            return self._observed(eps, float(self.curve().delta(eps)), "audit")
        outcome = inflated_ranking_outcome(self.loo(), eps, self.shifts(), max_states=0)
        return self._observed(eps, outcome.delta, "audit")

    def _proved_at(self, eps: float) -> Certificate | None:
        bound = self._sensitivity()
        if bound is not None and self._surely_above(eps, bound.eps):
            return proved_by_sensitivity(eps, bound, self.unit, self.what)
        numbers = self._bagging()
        if numbers is not None:
            delta = numbers["radius_squared"] * (numbers["C"] + numbers["finite_bags"]) / eps**2
            return proved_by_bagging(eps, delta, numbers, self.unit, self.what)
        return None

    def _proved_for_delta(self, delta: float) -> Certificate:
        bound = self._sensitivity()
        if bound is not None:
            return proved_by_sensitivity(above_bound(bound), bound, self.unit, self.what)
        numbers = self._bagging()
        if numbers is not None and delta > 0:
            square = numbers["radius_squared"] * (numbers["C"] + numbers["finite_bags"]) / delta
            return proved_by_bagging(float(np.sqrt(square)), delta, numbers, self.unit, self.what)
        raise NoProofError(self.scorer.name, f"no rule proves delta = {delta:g}")

    def _surely_above(self, eps: float, bound: float) -> bool:
        """Tell whether eps exceeds a bound also after the operators' allowance for rounding."""
        return bool(effective_eps(eps, float(np.abs(self.scores()).max())) > bound)

    def _sensitivity(self) -> Any:
        ask = getattr(self.scorer, "sensitivity", None)
        return None if ask is None else ask(self.data)

    def _bagging(self) -> Any:
        ask = getattr(self.scorer, "bagging_numbers", None)
        return None if ask is None else ask(self.data)

    def _observed(self, eps: float, delta: float, rule: str) -> Certificate:
        return observed(eps, delta, self.data.units.total, self.unit, self.what, rule)

    def _share_reaching(self, eps: float) -> float:
        counts = self.loo().units.counts
        return int(counts[self.shifts() >= eps].sum()) / int(counts.sum())

    def _shift_quantile(self, delta: float) -> float:
        """Return an eps just above the (1 - delta)-quantile of the shifts."""
        needed = exceeded_by_at_most(delta, self.shifts(), self.loo().units.counts)
        return just_above(needed) if needed > 0 else smallest_gap_eps(self.loo().scores)

"""Scorers that users wrote without the base class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from steadyrank.scorers.base import Scorer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from steadyrank._typing import FloatArray
    from steadyrank.data.observations import Observations
    from steadyrank.scorers.base import LeaveOneOut
    from steadyrank.scorers.sensitivity import Sensitivity


@dataclass(frozen=True)
class OwnScorer(Scorer):
    """Any object with a name, ``score`` and ``leave_one_out``, with all that a scorer may declare.

    Parameters
    ----------
    own : object
        The object. What else it declares (``sensitivity``, ``output_radius_squared``,
        ``bagging_numbers``) is asked of it; what it does not is answered as for any scorer.
    """

    own: Any

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return str(self.own.name)

    def check(self, data: object) -> None:
        """Leave it to the object: its data may be of its own kind, too."""

    def score(self, data: Observations) -> FloatArray:
        """Return the scores of the object."""
        scores: FloatArray = self.own.score(data)
        return scores

    def leave_one_out(self, data: Observations) -> LeaveOneOut:
        """Return the leave-one-out scores of the object."""
        out: LeaveOneOut = self.own.leave_one_out(data)
        return out

    def sensitivity(self, data: Observations) -> Sensitivity | None:
        """Return the proved bound of the object, if it declares one."""
        return self._declared("sensitivity", data)  # type: ignore[no-any-return]

    def output_radius_squared(self, data: Observations) -> float | None:
        """Return the squared radius of the object's outputs, if it declares one."""
        return self._declared("output_radius_squared", data)  # type: ignore[no-any-return]

    def bagging_numbers(self, data: Observations) -> Mapping[str, float] | None:
        """Return the numbers of a bagged scorer, if the object declares them."""
        return self._declared("bagging_numbers", data)  # type: ignore[no-any-return]

    def _declared(self, ability: str, data: Observations) -> Any:
        return getattr(self.own, ability)(data) if hasattr(self.own, ability) else None

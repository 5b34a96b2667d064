"""A check: whether a top-k is stable enough, and the smallest answer that would be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from steadyrank.stability.findings import check_findings
from steadyrank.stability.results import Result

if TYPE_CHECKING:
    from steadyrank.stability.answers import StableTopK
    from steadyrank.stability.audit_rows import AuditRow
    from steadyrank.stability.flips import Flips


@dataclass(frozen=True, eq=False, repr=False)
class Check(Result):
    """Whether the plain top-k, or the inflated one at a given eps, is stable enough.

    Attributes
    ----------
    k : int
        How many items were asked for.
    eps : float or None
        The eps that was given; None where the plain top-k was checked.
    max_delta : float
        The largest share of units whose removal may break the answer.
    row : AuditRow
        How the answer fared.
    flips : Flips
        Who breaks it.
    remedy : StableTopK
        The smallest answer that keeps to ``max_delta``.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, Study
    >>> study = Study(ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]]))
    >>> found = study.check(2)
    >>> found.stable, found.row.delta, found.remedy.size
    (False, 0.25, 2)
    """

    document = "check"

    k: int
    eps: float | None
    max_delta: float
    row: AuditRow
    flips: Flips
    remedy: StableTopK

    def __repr__(self) -> str:
        return f"Check(stable={self.stable}, max_delta={self.max_delta:.3g}, row={self.row!r})"

    @property
    def stable(self) -> bool:
        """Whether the answer passes."""
        return self.row.delta <= self.max_delta

    def _found(self) -> dict[str, Any]:
        return check_findings(self)

    def _columns(self) -> dict[str, list[Any]]:
        found = self._found()
        names = ("k", "method", "eps", "delta", "breaking_units", "size", "max_delta", "stable")
        return {name: [found[name]] for name in names}

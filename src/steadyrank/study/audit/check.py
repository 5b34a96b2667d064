"""The check: is a top-k stable enough, and if it is not, what would be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from steadyrank.operators.checks import check_whole
from steadyrank.study.calibration import check_delta
from steadyrank.study.deletions import FLIPPED
from steadyrank.study.headlines import border_warnings
from steadyrank.study.margin import known_margin
from steadyrank.study.results import Result, labels, origin, told

if TYPE_CHECKING:
    from steadyrank.study import Audit, AuditRow, Flips, Margin, StableTopK, Study


@dataclass(frozen=True, eq=False, repr=False)
class Check(Result):
    """Whether the plain top-k is stable enough.

    Attributes
    ----------
    k : int
        How many items were asked for.
    max_delta : float
        The largest share of units whose removal may break the answer.
    audit : Audit
        How the plain top k and the inflated one that keeps to ``max_delta`` fared.
    row : AuditRow
        How the plain top k fared.
    flips : Flips
        Who breaks it.
    remedy : StableTopK
        The smallest answer that keeps to ``max_delta``.
    margin : Margin
        The fewest units whose removal changes the top k.
    min_margin : int or None
        The number that it must reach, for certain; an answer that never changes reaches every number.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, Study
    >>> study = Study(ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]]))
    >>> found = study.check(2)
    >>> found.stable, found.row.delta, found.remedy.size
    (False, 0.25, 3)
    """

    document = "check"

    k: int
    max_delta: float
    audit: Audit
    remedy: StableTopK
    margin: Margin
    min_margin: int | None

    def __repr__(self) -> str:
        return f"Check(stable={self.stable}, max_delta={self.max_delta:.3g}, row={self.row!r})"

    @property
    def row(self) -> AuditRow:
        """How the answer fared."""
        return self.audit.row("topk", self.k)

    @cached_property
    def flips(self) -> Flips:
        """Who breaks it."""
        return self.audit.flips(self.k)

    @property
    def stable(self) -> bool:
        """Whether the answer passes."""
        held = self.row.uncovered is not None and self.row.uncovered <= self.max_delta
        return held and (self.margin.never or self.margin.lower >= (self.min_margin or 0))

    def assert_stable(self) -> None:
        """Fail a test unless the answer passes.

        Raises
        ------
        AssertionError
            In the words of the check: who changes the top k, the margin, what would pass.

        Examples
        --------
        >>> from steadyrank import Study, Votes
        >>> study = Study(Votes(["cyd"] * 40 + ["bob"] * 31 + ["abe"] * 30))
        >>> study.check(1, min_margin=9).assert_stable()
        >>> try:
        ...     study.check(2).assert_stable()
        ... except AssertionError as error:
        ...     print(str(error).splitlines()[0])
        UNSTABLE: top 2
        """
        __tracebackhide__ = True  # pytest shows the test that called
        if not self.stable:
            raise AssertionError(str(self))

    def _found(self) -> dict[str, Any]:
        row, remedy = self.row, self.remedy
        found = told(self, "k", "max_delta", "min_margin", "stable")
        return found | {
            **told(row, "delta", "uncovered"),
            "breaking_units": round(row.delta * self.n_units),
            "margin": self.margin.parts(),
            "warnings": list(border_warnings(remedy)),
            "remedy": {
                "size": remedy.size,
                "uncovered": remedy.certificate.delta,
                "items": labels(remedy.members),
            },
            "flips": self.audit.flip_findings(self.k),
        }


def check_of(study: Study, k: int, max_delta: float, min_margin: int | None) -> Check:
    """Check whether the plain top k is stable enough."""
    most = check_delta(max_delta, "max_delta")
    fewest = None if min_margin is None else check_whole("min_margin", min_margin, 0)
    remedy = study.topk(k, delta=most)
    return Check(
        **origin(study),
        k=remedy.k,
        max_delta=most,
        audit=study.audit(k, delta=most, methods=FLIPPED),
        remedy=remedy,
        margin=known_margin(study, remedy.k),
        min_margin=fewest,
    )

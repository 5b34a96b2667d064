"""An audit in which eps is chosen anew without each unit, as somebody would who runs it all again.

A certificate keeps eps fixed while units are left out. Whoever runs the whole job again without a unit
gets another eps, too. A covering list does not mind: both lists hold the new plain top k, so that they
share k items, whatever the new eps is. Lists that are chosen for overlap may part.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import InvalidValueError, Option
from steadyrank.operators.rankings import RankingSet
from steadyrank.operators.topk_sets import inflated_topk
from steadyrank.stability.calibration import Calibration

if TYPE_CHECKING:
    from steadyrank.stability.audit_rows import AuditRow
    from steadyrank.stability.auditing import Audit
    from steadyrank.stability.study import Study


def check_recalibrated(study: Study, eps: float | None, removals: int) -> None:
    """Complain where there is no eps to choose anew."""
    if eps is not None or removals > 1:
        raise InvalidValueError(
            "only an eps that is chosen on the data, for one unit, can be chosen anew without each unit",
            way_out=[
                "Omit ",
                Option("eps"),
                " and ",
                Option("removals"),
                ", or ",
                Option("recalibrate"),
                ".",
            ],
        )
    if study.units.total < 3:
        raise InvalidValueError(
            f"without one of {study.units.total} units nobody is left to leave out, so no eps can be "
            "chosen anew",
            way_out=["Omit ", Option("recalibrate"), "."],
        )


def recalibrated(audit: Audit, table: tuple[AuditRow, ...]) -> tuple[AuditRow, ...]:
    """Return the rows of an audit, the inflated ones with what choosing eps anew does to them."""
    found = {row: _Again(audit, row) for row in table if row.method.startswith("inflated")}
    study = audit.study
    for unit in range(len(study.units)) if found else ():
        without = type(study)(study.data.without([unit]), study.scorer)
        for again in found.values():
            again.add(without, int(study.units.counts[unit]))
    return tuple(found[row].row() if row in found else row for row in table)


class _Again:
    """Running sums of one inflated answer."""

    def __init__(self, audit: Audit, row: AuditRow) -> None:
        self._audit, self._row = audit, row
        self._broken, self._eps = 0, list[float]()
        scores, eps = audit.scores, audit.eps_of(row.k)
        self._rankings = RankingSet(scores, eps) if row.k is None else None
        self._members = np.empty(0) if row.k is None else inflated_topk(scores, row.k, eps).indices

    def add(self, without: Study, count: int) -> None:
        """Take in the data without a unit."""
        eps = Calibration(without, self._row.k, self._audit.guarantee).eps_needed(self._audit.target)
        self._eps.append(eps)
        self._broken += 0 if self._kept(without, eps) else count

    def _kept(self, without: Study, eps: float) -> bool:
        if self._rankings is not None:
            return self._rankings.intersects(RankingSet(without.scores, eps))
        k = self._row.k or 0
        return len(np.intersect1d(self._members, inflated_topk(without.scores, k, eps).indices)) >= k

    def row(self) -> AuditRow:
        """Return the row with what was found."""
        share = self._broken / self._audit.units.total
        return replace(self._row, recalibrated=share, eps_without=(min(self._eps), max(self._eps)))

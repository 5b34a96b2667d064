"""An audit in which eps is chosen anew without each unit, as somebody would who runs it all again.

A certificate keeps eps fixed while units are left out. Whoever runs the whole job again without a unit
gets another eps, too. A covering list does not mind: both lists hold the new plain top k, so that they
share k items, whatever the new eps is. Lists that are chosen for overlap may part.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from steadyrank.errors import InvalidValueError, Option
from steadyrank.operators.rankings import RankingSet
from steadyrank.operators.topk_sets import inflated_topk

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray
    from steadyrank.stability.audit_rows import AuditRow
    from steadyrank.stability.calibration import Inflation
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


def recalibrated(
    study: Study, inflation: Inflation, table: tuple[AuditRow, ...]
) -> tuple[AuditRow, ...]:
    """Return the rows of an audit, the inflated ones with what choosing eps anew does to them."""
    found = {row: _Again(study, row) for row in table if row.method.startswith("inflated")}
    for unit in range(len(study.units)) if found else ():
        without = type(study)(study.data.without([unit]), study.scorer)
        anew = replace(inflation, study=without)
        for row, again in found.items():
            again.add(without.scores, anew.eps_of(row.k), int(study.units.counts[unit]))
    return tuple(found[row].row() if row in found else row for row in table)


class _Again:
    """Running sums of one inflated answer."""

    def __init__(self, study: Study, row: AuditRow) -> None:
        self._row, self._total = row, study.units.total
        self._broken, self._eps = 0, list[float]()
        self._answer = self._answered(study.scores, row.eps or 0.0)

    def _answered(self, scores: FloatArray, eps: float) -> RankingSet | set[int]:
        k = self._row.k
        return RankingSet(scores, eps) if k is None else set(inflated_topk(scores, k, eps))

    def add(self, scores: FloatArray, eps: float, count: int) -> None:
        """Take in the scores without a unit, and the eps that is then chosen."""
        self._eps.append(eps)
        new = self._answered(scores, eps)
        if isinstance(new, RankingSet) and isinstance(self._answer, RankingSet):
            kept = self._answer.intersects(new)
        else:
            kept = len(set(self._answer) & set(new)) >= (self._row.k or 0)
        self._broken += 0 if kept else count

    def row(self) -> AuditRow:
        """Return the row with what was found."""
        ends = min(self._eps), max(self._eps)
        return replace(self._row, recalibrated=self._broken / self._total, eps_without=ends)

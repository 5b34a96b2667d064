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
    from steadyrank.study import AuditRow, Study
    from steadyrank.study.calibration import Inflation


def check_recalibrated(study: Study, eps: float | None, removals: int) -> None:
    """Complain where there is no eps to choose anew."""
    given, several, anew = map(Option, ("eps", "removals", "recalibrate"))
    if eps is not None or removals > 1:
        raise InvalidValueError(
            "only an eps that is chosen on the data, for one unit, can be chosen anew without each unit",
            way_out=["Omit ", given, " and ", several, ", or ", anew, "."],
        )
    if study.units.total < 3:
        raise InvalidValueError(
            f"without one of {study.units.total} units nobody is left to leave out, so no eps can be "
            "chosen anew",
            way_out=["Omit ", anew, "."],
        )


def recalibrated(
    study: Study, inflation: Inflation, table: tuple[AuditRow, ...]
) -> tuple[AuditRow, ...]:
    """Return the rows of an audit, the inflated ones with what choosing eps anew does to them."""
    chosen: dict[AuditRow, list[float]] = {row: [] for row in table if row.method.startswith("inflated")}
    broken = dict.fromkeys(chosen, 0)
    for unit in range(len(study.units)) if chosen else ():
        without = type(study)(study.data.without([unit]), study.scorer)
        anew = replace(inflation, study=without)
        for row, eps in chosen.items():
            eps.append(anew.eps_of(row.k))
            if not _meet(row.k, (study.scores, row.eps or 0.0), (without.scores, eps[-1])):
                broken[row] += int(study.units.counts[unit])
    found = {
        row: replace(row, recalibrated=broken[row] / study.units.total, eps_without=(min(eps), max(eps)))
        for row, eps in chosen.items()
    }
    return tuple(found.get(row, row) for row in table)


def _meet(k: int | None, *answers: tuple[FloatArray, float]) -> bool:
    """Tell whether two inflated answers, each by scores and eps, share k items, or a ranking."""
    if k is None:
        one, other = (RankingSet(*answer) for answer in answers)
        return one.intersects(other)
    first, second = (set(inflated_topk(scores, k, eps)) for scores, eps in answers)
    return len(first & second) >= k

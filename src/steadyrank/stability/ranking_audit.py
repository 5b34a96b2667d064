"""Full rankings under leave-one-out, by intersection and never by listing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import StateLimitError
from steadyrank.operators.rankings import RankingSet
from steadyrank.stability.audit_rows import AuditRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.scorers.base import LeaveOneOut
    from steadyrank.stability.study import Study

NOT_JACCARD = "Jaccard similarity is defined for sets of items, not for sets of rankings"


def ranking_row(study: Study, eps: float, max_states: int) -> AuditRow:  # noqa: ARG001 (same call)
    """Audit the plain ranking: broken wherever any two items change places."""
    loo = study.leave_one_out
    order = np.argsort(-loo.scores, kind="stable")
    changed = [
        block.start + np.flatnonzero(block.reordered(loo.scores, order)) for block in loo.blocks()
    ]
    broken = np.concatenate([np.empty(0, np.int64), *changed])
    return AuditRow("ranking", None, study.share(broken), None, 1, NOT_JACCARD, broken)


def inflated_ranking_row(study: Study, eps: float, max_states: int) -> AuditRow:
    """Audit the inflated ranking: broken where the two sets share no ranking."""
    broken = units_without_common_ranking(study, eps)
    note = NOT_JACCARD
    size: int | None = None
    try:
        size = RankingSet(study.leave_one_out.scores, eps).count(max_states=max_states)
    except StateLimitError as error:
        note = f"{NOT_JACCARD}; size not counted: {error}"
    return AuditRow("inflated_ranking", None, study.share(broken), None, size, note, broken)


def units_without_common_ranking(study: Study, eps: float) -> IntArray:
    """Return the distinct units without which no ranking of the set remains.

    Where scores move by less than eps, Theorem 8 settles it without a look.
    """
    loo = study.leave_one_out
    full = RankingSet(loo.scores, eps)
    broken = [
        unit
        for unit, scores in rows_of(loo, study.reaching(eps))
        if not full.intersects(RankingSet(scores, eps))
    ]
    return np.array(broken, dtype=np.int64)


def rows_of(loo: LeaveOneOut, wanted: BoolArray) -> Iterator[tuple[int, FloatArray]]:
    """Yield (unit, all its scores) for the wanted units only."""
    if not wanted.any():
        return
    for block in loo.blocks():
        stop = block.start + len(block)
        for unit in block.start + np.flatnonzero(wanted[block.start : stop]):
            yield int(unit), block.row(int(unit) - block.start, loo.scores)

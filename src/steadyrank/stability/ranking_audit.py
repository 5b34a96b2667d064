"""Full rankings under leave-one-out, by intersection and never by listing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import StateLimitError
from steadyrank.operators.rankings import RankingSet
from steadyrank.scorers.base import DenseBlock, SparseBlock
from steadyrank.stability.audit_rows import AuditRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.scorers.base import Block, LeaveOneOut
    from steadyrank.stability.study import Study

NOT_JACCARD = "Jaccard similarity is defined for sets of items, not for sets of rankings"


def ranking_row(study: Study, eps: float, max_states: int) -> AuditRow:  # noqa: ARG001 (same call)
    """Audit the plain ranking: broken wherever any two items change places."""
    loo = study.leave_one_out
    order = np.argsort(-loo.scores, kind="stable")
    changed = [
        block.start + np.flatnonzero(_reordered(block, loo.scores, order)) for block in loo.blocks()
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
        stop = block.start + _length(block)
        for unit in block.start + np.flatnonzero(wanted[block.start : stop]):
            yield int(unit), _row(block, int(unit) - block.start, loo.scores)


def _length(block: Block) -> int:
    """Return how many units a block covers."""
    return len(block.scores) if isinstance(block, DenseBlock) else len(block.indptr) - 1


def _row(block: Block, number: int, base: FloatArray) -> FloatArray:
    """Return all scores of one unit of a block."""
    if isinstance(block, DenseBlock):
        return np.asarray(block.scores[number])
    row = base.copy()
    part = slice(block.indptr[number], block.indptr[number + 1])
    row[block.items[part]] = block.scores[part]
    return row


def _reordered(block: Block, base: FloatArray, order: IntArray) -> BoolArray:
    """Return for each unit of a block whether its plain ranking differs from ``order``."""
    if isinstance(block, DenseBlock):
        ranked = block.scores[:, order]
        return np.asarray(
            _out_of_order(ranked[:, :-1], ranked[:, 1:], order[:-1], order[1:]).any(axis=1)
        )
    return _reordered_sparse(block, base, order)


def _out_of_order(
    above: FloatArray, below: FloatArray, item_above: IntArray, item_below: IntArray
) -> BoolArray:
    """Return where two neighbours must change places; the smaller index goes first in a tie."""
    wrong: BoolArray = (above < below) | ((above == below) & (item_above > item_below))
    return wrong


def _reordered_sparse(block: SparseBlock, base: FloatArray, order: IntArray) -> BoolArray:
    """Look only at the neighbours of touched items: all other pairs keep their order."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    owner, where = block.owners(), place[block.items]
    # One key, and entries come owner by owner: a merge sort finds its work half done.
    sorting = np.argsort(owner * len(order) + where, kind="stable")
    owner, where, score = owner[sorting], where[sorting], block.scores[sorting]
    # A touched item is followed by a touched one of the same unit, or by one that kept its score.
    adjacent = (owner[1:] == owner[:-1]) & (where[1:] == where[:-1] + 1)
    after, before = (
        base[order[np.minimum(where + 1, len(order) - 1)]],
        base[order[np.maximum(where - 1, 0)]],
    )
    after[:-1] = np.where(adjacent, score[1:], after[:-1])
    before[1:] = np.where(adjacent, score[:-1], before[1:])
    item, last = order[where], len(order) - 1
    wrong_after = _out_of_order(score, after, item, order[np.minimum(where + 1, last)]) & (where < last)
    wrong_before = _out_of_order(before, score, order[np.maximum(where - 1, 0)], item) & (where > 0)
    changed = np.zeros(len(block.indptr) - 1, dtype=np.bool_)
    changed[owner[wrong_after | wrong_before]] = True
    return changed

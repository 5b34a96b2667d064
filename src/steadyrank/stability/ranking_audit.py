"""Full rankings under leave-one-out, by intersection and never by listing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import StateLimitError
from steadyrank.operators.rankings import RankingSet
from steadyrank.stability.outcomes import Outcome
from steadyrank.stability.reaching import reaching

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.engines.blocks import Block
    from steadyrank.scorers.base import LeaveOneOut

NOT_JACCARD = "Jaccard similarity is defined for sets of items, not for sets of rankings"


def ranking_outcome(loo: LeaveOneOut) -> Outcome:
    """Audit the plain ranking: broken wherever any two items change places."""
    order = np.argsort(-loo.scores, kind="stable")
    changed = [
        block.start + np.flatnonzero(block.reordered(loo.scores, order)) for block in loo.blocks()
    ]
    broken = np.concatenate([np.empty(0, np.int64), *changed])
    return _outcome("ranking", loo, broken, size=1, note=NOT_JACCARD)


def inflated_ranking_outcome(
    loo: LeaveOneOut, eps: float, shifts: FloatArray, max_states: int
) -> Outcome:
    """Audit the inflated ranking: broken where the two sets share no ranking."""
    broken = units_without_common_ranking(loo, eps, shifts)
    note = NOT_JACCARD
    size: int | None = None
    try:
        size = RankingSet(loo.scores, eps).count(max_states=max_states)
    except StateLimitError as error:
        note = f"{NOT_JACCARD}; size not counted: {error}"
    return _outcome("inflated_ranking", loo, broken, size=size, note=note)


def units_without_common_ranking(loo: LeaveOneOut, eps: float, shifts: FloatArray) -> IntArray:
    """Return the distinct units without which no ranking of the set remains.

    Where scores move by less than eps, Theorem 8 settles it without a look.
    """
    full = RankingSet(loo.scores, eps)
    broken = [
        unit
        for unit, scores in _rows_of(loo, reaching(shifts, loo.scores, eps))
        if not full.intersects(RankingSet(scores, eps))
    ]
    return np.array(broken, dtype=np.int64)


def _outcome(method: str, loo: LeaveOneOut, broken: IntArray, size: int | None, note: str) -> Outcome:
    counts = loo.units.counts
    delta = int(counts[broken].sum()) / int(counts.sum())
    return Outcome(method, None, delta, None, size, note, broken)


def _rows_of(loo: LeaveOneOut, wanted: BoolArray) -> Iterator[tuple[int, FloatArray]]:
    """Yield (unit, all its scores) for the wanted units only."""
    if not wanted.any():
        return
    for block in loo.blocks():
        stop = block.start + block_length(block)
        for unit in block.start + np.flatnonzero(wanted[block.start : stop]):
            yield int(unit), row_of(block, int(unit) - block.start, loo.scores)


def block_length(block: Block) -> int:
    """Return how many units a block covers."""
    return len(block)


def row_of(block: Block, number: int, base: FloatArray) -> FloatArray:
    """Return all scores of one unit of a block."""
    return block.row(number, base)

r"""What units that touch few items do near rank k, from those few and their neighbours there alone.

Bounds of single items let thousands of them fall at once, which no unit makes happen that touches few.
A unit that touches t items leaves the order of all others as it is. Let ``u_1, u_2, ...`` be those
others, best first. At most t items pass ``u_m``, so ``u_1 .. u_(k - t - 1)`` stay among the k - 1 best,
and what is k-th best is decided by ``u_(k - t) .. u_k`` and the t touched items alone: at most 2 t + 1
scores, however many items are tied there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.operators.inflation import critical_eps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.scorers.base import LeaveOneOut
    from steadyrank.sums.blocks import SparseBlock

FEW = 32
"""Units that touch more of the items near rank k are looked at in rows of all of these."""


@dataclass(frozen=True)
class NearRows:
    """Scores without each of some units: of the items they touch, then of the others near rank k.

    The k-th best score of all is that of rank ``places`` among them.
    """

    units: IntArray
    items: IntArray
    rows: FloatArray
    places: int


def blocks_near(loo: LeaveOneOut, highest: FloatArray, k: int, few: int) -> Iterator[SparseBlock] | None:
    """Yield what units change among the items that can reach the rank ``few`` below the k-th.

    All other items are behind ``u_k``, with and without a unit that touches few. None where units may
    touch all items, or where there are hardly more.

    Parameters
    ----------
    loo : LeaveOneOut
        The scores with and without each unit.
    highest : float array (items,)
        The highest score of each item, with and without each unit.
    k, few : int
        The rank, and how many items may be touched.
    """
    rank = len(highest) - k - few
    if rank < 0:
        return None
    floor = np.partition(loo.scores, rank)[rank]
    return loo.touching(np.flatnonzero(highest >= floor))


def near_rows(loo: LeaveOneOut, block: SparseBlock, k: int, few: int) -> Iterator[NearRows]:
    """Yield the rows of those units of the block that touch 1 to ``few`` items."""
    order = np.argsort(-loo.scores, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    touched = np.diff(block.indptr)
    for number in np.unique(touched[(touched > 0) & (touched <= few)]).tolist():
        place = np.flatnonzero(touched == number)
        entries = block.indptr[place][:, np.newaxis] + np.arange(number)
        items, units = block.items[entries], place + block.start
        first = max(0, k - number - 1)
        others = order[_untouched(np.sort(rank[items], axis=1), first, k)]
        kept = block.untouched(place, others, loo.scores)
        scores = np.concatenate([block.scores[entries], kept], axis=1)
        yield NearRows(units, np.concatenate([items, others], axis=1), scores, k - first)


def kth_range(
    loo: LeaveOneOut, highest: FloatArray, k: int, few: int = FEW
) -> tuple[float, float, BoolArray] | None:
    """Return the least and the largest k-th best score, and which units touch too many items to tell.

    None where that is unknown of all units.
    """
    blocks = blocks_near(loo, highest, k, few)
    if blocks is None:
        return None
    kth = np.argsort(-loo.scores, kind="stable")[k - 1 : k]
    ends = [float(loo.scores[kth[0]])]
    many = np.zeros(len(loo.units), dtype=np.bool_)
    for block in blocks:
        touched = np.diff(block.indptr)
        many[block.start + np.flatnonzero(touched > few)] = True
        untouched = np.flatnonzero(touched == 0)
        same = np.repeat(kth[np.newaxis], len(untouched), axis=0)
        found = [block.untouched(untouched, same, loo.scores)]
        found += [
            np.partition(near.rows, -near.places, axis=1)[:, -near.places]
            for near in near_rows(loo, block, k, few)
        ]
        ends += [float(end(part)) for part in found if part.size for end in (np.min, np.max)]
    return min(ends), max(ends), many


def _untouched(ranks: IntArray, first: int, last: int) -> IntArray:
    """Return the ranks of ``u_(first + 1) .. u_last``, given those that each unit touches, in order."""
    found = np.repeat(np.arange(first, last)[np.newaxis], len(ranks), axis=0)
    for touched in ranks.T:
        found += touched[:, np.newaxis] <= found
    return found


def breaking_bounds(
    loo: LeaveOneOut, highest: FloatArray, critical: FloatArray, k: int, few: int = FEW
) -> tuple[FloatArray, FloatArray]:
    r"""Return two bounds of each unit's breaking eps; where they are equal, that is what it is.

    It is the k-th smallest of ``max(e_j, e_j^i)``, with ``e_j`` the critical eps of item j on all the
    data and ``e_j^i`` that without unit i. Both grow along ``u_1, u_2, ...``, so that of these the
    first k suffice. A touched item that fell behind ``u_k`` has items before it that are not looked at
    here, which can only raise its critical eps: its own is a lower bound, and the upper one does
    without it.

    Units that touch no item near rank k break nothing; those that touch many may break at any eps.
    """
    lower, upper = np.zeros((2, len(loo.units)))
    blocks = blocks_near(loo, highest, k, few)
    if blocks is None:
        return lower, np.full(len(upper), np.inf)
    for block in blocks:
        upper[block.start + np.flatnonzero(np.diff(block.indptr) > few)] = np.inf
        for near in near_rows(loo, block, k, few):
            both = np.maximum(critical[near.items], critical_eps(near.rows, near.places))
            known = np.where(near.rows >= near.rows[:, -1:], both, np.inf)
            for bound, values in ((lower, both), (upper, known)):
                bound[near.units] = np.partition(values, near.places - 1, axis=1)[:, near.places - 1]
    return lower, upper

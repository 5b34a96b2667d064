"""Top-k under leave-one-out: overlap and Jaccard of every left-out answer with the full one."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from steadyrank.operators.topk_sets import member_cut
from steadyrank.stability.audit_rows import AuditRow
from steadyrank.stability.pruning import Active, active_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.stability.study import Study

Members: TypeAlias = "Callable[[FloatArray, int], BoolArray]"
"""From score rows and a number of places to membership, row by row."""

CHUNK = 1 << 21
"""Entries of the (units, active items) matrix handled at once."""


def plain_members(eps: float) -> Members:  # noqa: ARG001 (same call as the inflated ones)
    """Return the plain top-k as a function of score rows; the smaller index wins a tie.

    Examples
    --------
    >>> plain_members(eps=0.1)(np.array([[1.0, 3.0, 1.0]]), 2)
    array([[ True,  True, False]])
    """

    def members(rows: FloatArray, places: int) -> BoolArray:
        rank = rows.shape[1] - places
        kth = np.partition(rows, rank, axis=1)[:, rank, np.newaxis]
        above = rows > kth
        tied = rows == kth
        free = places - above.sum(axis=1, keepdims=True)
        inside: BoolArray = above | (tied & (np.cumsum(tied, axis=1) <= free))
        return inside

    return members


def inflated_members(eps: float) -> Members:
    """Return the inflated top-k as a function of score rows."""

    @np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
    def members(rows: FloatArray, places: int) -> BoolArray:
        inside: BoolArray = rows >= member_cut(rows, places, eps)[:, np.newaxis]
        return inside

    return members


class TopKAudit:
    """Top-k answers without each unit, for several k at once.

    Parameters
    ----------
    study : Study
        Scores with and without each unit.
    ks : sequence of int
        The values of k.
    eps : float
        The inflation up to which answers are asked for.
    """

    def __init__(self, study: Study, ks: Sequence[int], eps: float) -> None:
        self._study = study
        self._loo = study.leave_one_out
        self._active = {k: active_items(*study.bounds, k, eps) for k in ks}

    def rows(self, methods: dict[str, Members]) -> list[AuditRow]:
        """Audit every method for every k in one pass over the leave-one-out scores."""
        tallies = {
            (name, k): _Tally(name, self._active[k], self._study, members)
            for name, members in methods.items()
            for k in self._active
        }
        for k, units, rows in self._changed_rows():
            for name in methods:
                tallies[name, k].add(units, rows)
        return [tally.row() for tally in tallies.values()]

    def _changed_rows(self) -> Iterator[tuple[int, IntArray, FloatArray]]:
        """Yield (k, units, scores of the active items for k) for all units that change any of them."""
        union = np.unique(np.concatenate([active.items for active in self._active.values()]))
        base = self._loo.scores[union]
        where = {k: np.searchsorted(union, active.items) for k, active in self._active.items()}
        for units, rows in _chunked(self._loo.columns(union)):
            differs = rows != base
            for k, columns in where.items():
                touched = np.flatnonzero(differs[:, columns].any(axis=1))
                if len(touched):
                    yield k, units[touched], rows[np.ix_(touched, columns)]

    def changes(
        self, k: int, members: Members, units: IntArray
    ) -> Iterator[tuple[int, IntArray, IntArray]]:
        """Yield, for each of these units, the items that leave and that enter when it is left out."""
        if not len(units):
            return
        active = self._active[k]
        full = members(self._loo.scores[active.items][np.newaxis], active.places)[0]
        wanted = np.zeros(len(self._loo.units), dtype=np.bool_)
        wanted[units] = True
        for chunk, rows in _chunked(self._loo.columns(active.items, wanted)):
            for unit, left_out in zip(chunk.tolist(), members(rows, active.places), strict=True):
                yield unit, active.items[full & ~left_out], active.items[left_out & ~full]


def _chunked(parts: Iterator[tuple[IntArray, FloatArray]]) -> Iterator[tuple[IntArray, FloatArray]]:
    for units, rows in parts:
        step = max(1, CHUNK // max(1, rows.shape[1]))
        for start in range(0, len(units), step):
            yield units[start : start + step], rows[start : start + step]


class _Tally:
    """Running sums of one method for one k."""

    def __init__(self, name: str, active: Active, study: Study, members: Members) -> None:
        self._name = name
        self._active = active
        self._members = members
        self._study = study
        self._full = members(study.leave_one_out.scores[active.items][np.newaxis], active.places)[0]
        self._broken: list[IntArray] = []
        self._lost_jaccard = 0.0

    def add(self, units: IntArray, rows: FloatArray) -> None:
        inside = self._members(rows, self._active.places)
        common = (inside & self._full).sum(axis=1) + self._active.always_in
        either = (inside | self._full).sum(axis=1) + self._active.always_in
        self._broken.append(units[common < self._active.k])
        self._lost_jaccard += float(np.dot(self._study.units.counts[units], 1 - common / either))

    def row(self) -> AuditRow:
        broken = np.sort(np.concatenate([np.empty(0, np.int64), *self._broken]))
        return AuditRow(
            method=self._name,
            k=self._active.k,
            delta=self._study.share(broken),
            jaccard=1 - self._lost_jaccard / self._study.units.total,
            size=int(self._full.sum()) + self._active.always_in,
            broken=broken,
        )

"""Operators that a user passes, audited by calling them on every left-out score vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from steadyrank.errors import InvalidValueError, shorten
from steadyrank.stability.audit_rows import AuditRow
from steadyrank.stability.ranking_audit import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from steadyrank._typing import BoolArray, FloatArray
    from steadyrank.scorers.base import LeaveOneOut

    Operator: TypeAlias = Callable[[FloatArray, int], ArrayLike]
    """From scores and k to item indices, or to a mask of the items."""


def operator_rows(loo: LeaveOneOut, ks: Sequence[int], name: str, operator: Operator) -> list[AuditRow]:
    """Audit one operator for every k; it sees all the scores, so this takes a call for each unit."""
    full = {k: _mask(operator(loo.scores.copy(), k), len(loo.scores), name) for k in ks}
    counts, total = loo.units.counts, loo.units.total
    broken: dict[int, list[int]] = {k: [] for k in ks}
    jaccard = dict.fromkeys(ks, 0.0)
    for unit, row in rows_of(loo, np.ones(len(loo.units), dtype=np.bool_)):
        for k in ks:
            inside = _mask(operator(row.copy(), k), len(row), name)
            common, either = int((inside & full[k]).sum()), int((inside | full[k]).sum())
            jaccard[k] += int(counts[unit]) * (common / either if either else 1.0)
            if common < k:
                broken[k].append(unit)
    return [
        AuditRow(
            method=name,
            k=k,
            delta=int(counts[broken[k]].sum()) / total,
            jaccard=jaccard[k] / total,
            size=int(full[k].sum()),
            broken=np.array(broken[k], dtype=np.int64),
        )
        for k in ks
    ]


def _mask(answer: ArrayLike, items: int, name: str) -> BoolArray:
    """Return the answer of an operator as a mask; it may be a mask or item indices."""
    given = np.asarray(answer)
    if given.dtype == np.bool_ and given.shape == (items,):
        return given
    if given.ndim != 1 or given.dtype.kind not in "iu" or ((given < 0) | (given >= items)).any():
        raise InvalidValueError(
            f"operator {name!r} must give item indices from 0 to {items - 1} or a mask of {items} "
            f"truth values, but gave {shorten(answer)}"
        )
    mask = np.zeros(items, dtype=np.bool_)
    mask[given] = True
    return mask

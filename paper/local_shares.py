"""The local version of Theorem 4: only a move of scores near the k-th best can break a top k.

docs/research/theory.md proves it. Near is what is by the scores with the unit or without it. The
version for rankings is `regression_folds.furthest_pieces`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from paper.array_types import FloatArray
    from steadyrank import Study

ROUNDING = 1e-9
"""A move that is eps up to this part of it reaches eps; an item that is on the edge up to it is near."""

MOST = 1 << 21
"""Scores that are looked at together."""


def local_share(study: Study, k: int, eps: float) -> float:
    """Return the share of units that move the scores near the k-th best by eps or more.

    It bounds the delta of the inflated answer as the share of all that move the scores by eps does, and
    is never above that.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, Study
    >>> study = Study(ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]]))
    >>> local_share(study, 1, 0.5), local_share(study, 2, 0.5)
    (0.0, 0.25)
    """
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # a move beyond all floats is far enough
        shifts = _shifts_near(study, k, eps)
    reaching = shifts >= eps * (1 - ROUNDING)
    return int(study.units.counts[reaching].sum()) / study.units.total


def _shifts_near(study: Study, k: int, eps: float) -> FloatArray:
    """Return how far each unit moves the items that may decide the top k with or without it."""
    out, c = study.facts.leave_one_out, eps / math.sqrt(2) * (1 + ROUNDING)
    lowest, highest = out.bounds()
    always_in = lowest > np.sort(highest)[-k]
    items = np.flatnonzero(
        (highest >= np.sort(lowest)[-k] - c * (1 + ROUNDING)) & ~always_in
    )
    base, rank = study.scores[items], len(items) - (k - int(always_in.sum()))
    kth, shifts = np.partition(base, rank)[rank], np.zeros(len(study.units))
    for units, rows in out.columns(items):
        for part in np.array_split(np.arange(len(units)), 1 + rows.size // MOST):
            some = rows[part]
            theirs = np.partition(some, rank, axis=1)[:, rank, np.newaxis]
            near = np.maximum(some, base) >= np.minimum(theirs, kth) - c
            near &= np.minimum(some, base) <= np.maximum(theirs, kth)
            shifts[units[part]] = np.linalg.norm(
                np.where(near, some - base, 0.0), axis=1
            )
    return shifts

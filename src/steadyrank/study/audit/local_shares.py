r"""The local versions of Theorems 4 and 8: only a move of scores that are compared can break an answer.

docs/theory.md proves them. For a top k only items near the k-th best count, by the scores with the unit
or without it; for rankings each piece between common cuts of the two orders counts by itself.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.study.audit.topk import MARGIN, active_items, chunked
from steadyrank.study.calibration import reaching_eps

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray
    from steadyrank.study.study import Study


def local_share(study: Study, k: int | None, eps: float) -> float:
    """Return the share of units that move the scores by eps or more where it can matter."""
    with np.errstate(over="ignore", invalid="ignore"):  # a move beyond all floats is far enough
        shifts = _ranking_shifts(study, eps) if k is None else _topk_shifts(study, k, eps)
    return study.share(reaching_eps(shifts, study.scores, eps))


def _topk_shifts(study: Study, k: int, eps: float) -> FloatArray:
    """Return how far each unit moves the items that may decide the top k with or without it."""
    loo, c = study.leave_one_out, eps / math.sqrt(2) * MARGIN
    active, shifts = active_items(*study.bounds, {k: c})[k], np.zeros(len(study.units))
    base, rank = study.scores[active.items], len(active.items) - active.places
    kth = np.partition(base, rank)[rank]
    for units, rows in chunked(loo.columns(active.items)):
        theirs = np.partition(rows, rank, axis=1)[:, rank, np.newaxis]
        near = np.maximum(rows, base) >= np.minimum(theirs, kth) - c
        near &= np.minimum(rows, base) <= np.maximum(theirs, kth)
        shifts[units] = np.linalg.norm(np.where(near, rows - base, 0.0), axis=1)
    return shifts


def _ranking_shifts(study: Study, eps: float) -> FloatArray:
    """Return how far each unit moves the scores of the piece that it moves furthest."""
    items, shifts = np.arange(len(study.items)), np.zeros(len(study.units))
    columns = study.leave_one_out.columns(items, study.reaching(eps))
    for units, rows in chunked(columns):
        shifts[units] = piece_shifts(study.scores, rows)
    return shifts


def piece_shifts(scores: FloatArray, rows: FloatArray) -> FloatArray:
    """Return for each row its distance from the scores on the piece where that is largest.

    Cut the orders by the scores and by the row wherever the same items come before the cut. A piece of
    one item does not count.

    Examples
    --------
    >>> piece_shifts(np.array([9.0, 5, 4, 1]), np.array([[8.0, 5, 4, 0], [9, 4, 5, 1]]))
    array([0.        , 1.41421356])
    """
    order = np.argsort(-scores, kind="stable")
    places = np.argsort(np.argsort(-rows, axis=1, kind="stable"), axis=1)[:, order]
    cut = np.maximum.accumulate(places, axis=1) == np.arange(len(scores))
    piece = (np.cumsum(cut, axis=1) - cut + len(scores) * np.arange(len(rows))[:, np.newaxis]).ravel()
    squares = np.bincount(piece, ((rows - scores)[:, order] ** 2).ravel(), rows.size)
    squares[np.bincount(piece, minlength=rows.size) < 2] = 0.0
    return np.asarray(np.sqrt(squares.reshape(rows.shape).max(axis=1)))

"""Estimates: scores with standard errors that somebody else worked out, and no units to leave out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.arrays import as_matrix, as_numbers, as_scores, check_length
from steadyrank.data.kinds import ESTIMATES
from steadyrank.data.observations import Observations, set_fields
from steadyrank.data.rows import check_some, column_labels
from steadyrank.data.units import Units
from steadyrank.errors import InvalidDataError, InvalidScoresError, InvalidValueError

LEAST = 1e-150
"""Standard errors between this and its inverse have squares that floats can hold."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Estimates(Observations):
    """One score for each item, with its standard error or the covariance of all, and no units.

    Nobody can be left out of them, so every question about stability is refused. What they answer is
    which ranks the true scores may have: :meth:`steadyrank.Study.confidence`.

    Parameters
    ----------
    scores : array, series or iterable
        The estimates; bigger is better.
    errors : array, series or iterable, optional
        Their standard errors; the estimates are then taken to be independent.
    covariance : matrix, optional
        The covariance of the estimates instead.
    items : iterable, optional
        The labels of the items; 0, 1, 2... by default.

    Attributes
    ----------
    scores : float64 array (items,)
    covariance : float64 array (items, items)

    Examples
    --------
    >>> Estimates([491.4, 498.9], errors=[1.9, 3.0], items=["Australia", "Austria"])
    <Estimates: 0 units, 2 items: 'Australia', 'Austria'>
    """

    kind = ESTIMATES

    scores: FloatArray
    covariance: FloatArray

    def __init__(
        self,
        scores: Any,
        *,
        errors: Any = None,
        covariance: Any = None,
        items: Any = None,
    ) -> None:
        found = np.array(as_scores(scores, "scores"), dtype=np.float64)
        check_some(len(found), "scores")
        if (errors is None) == (covariance is None):
            raise InvalidValueError(
                "scores need either errors or a covariance: give one of them"
            )
        if errors is not None:
            own = np.array(as_numbers(errors, "errors"), dtype=np.float64)
            check_length(own, len(found), "errors")
            wrong = (own != 0) & ~((own >= LEAST) & (own <= 1 / LEAST))
            if wrong.any():
                limits = (
                    f"from {LEAST:g} to {1 / LEAST:g}, but there is {own[wrong][0]:g}"
                )
                raise InvalidDataError(
                    f"an error must be 0 or {limits}", rows=wrong, subject="errors"
                )
            covariance = np.diag(own**2)
        matrix, labels = (
            as_matrix(covariance, "covariance"),
            column_labels(items, len(found)),
        )
        _check_covariance(matrix, len(found))
        set_fields(self, items=labels, scores=found, covariance=matrix)

    @property
    def units(self) -> Units:
        """There are none."""
        return Units("unit", np.empty(0, dtype=np.int64), ())

    @property
    def item_counts(self) -> IntArray:
        """One estimate of each item."""
        return np.ones(self.n_items, dtype=np.int64)

    def _of_items(self, kept: BoolArray) -> dict[str, Any]:
        return {
            "scores": self.scores[kept],
            "covariance": self.covariance[np.ix_(kept, kept)],
        }


def _check_covariance(matrix: FloatArray, size: int) -> None:
    """Complain about a matrix that is the covariance of nothing."""
    if matrix.shape != (size, size):
        raise InvalidScoresError(
            f"covariance has shape {matrix.shape} for {size:,} scores"
        )
    uneven, lowest = np.abs(matrix - matrix.T).max(), np.linalg.eigvalsh(matrix)[0]
    if max(uneven, -lowest / size) > 1e-9 * np.abs(matrix).max():
        raise InvalidValueError(
            f"covariance must be symmetric, but entries differ by {uneven:.4g} from those across, and "
            f"have no negative eigenvalue, but the lowest is {lowest:.4g}"
        )

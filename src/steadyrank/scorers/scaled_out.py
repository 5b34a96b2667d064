"""Leave-one-out scores on another scale: an offset plus a positive factor times each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.engines.blocks import DenseBlock
from steadyrank.scorers.base import LeaveOneOut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.data.units import Units
    from steadyrank.engines.blocks import Rows
    from steadyrank.scorers.base import Settled
    from steadyrank.scorers.contests import Contests


@dataclass(frozen=True)
class ScaledOut(LeaveOneOut):
    """The scores of another, rescaled; one that may know scores nearby is asked on its own scale.

    Parameters
    ----------
    inner : LeaveOneOut
        The other; its blocks are dense, and its contests know the factor.
    offset, factor : float
        The new scale.
    """

    scores: FloatArray
    units: Units
    inner: LeaveOneOut
    offset: float
    factor: float

    def _scaled(self, scores: Any) -> FloatArray:
        return np.asarray(self.offset + self.factor * scores)

    def blocks(self) -> Iterator[DenseBlock]:
        """Yield the blocks of the other."""
        scores = self.inner.scores
        return (DenseBlock(part.start, self._scaled(part.dense(scores))) for part in self.inner.blocks())

    def outer_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return the bounds of the other."""
        lowest, highest = self.inner.outer_bounds()
        return self._scaled(lowest), self._scaled(highest)

    def columns_near(self, items: IntArray, among: BoolArray | None, settled: Settled) -> Iterator[Rows]:
        """Yield the rows of the other that settle the question."""
        asked: Settled = lambda rows, off: settled(self._scaled(rows), self.factor * off)  # noqa: E731
        near = self.inner.columns_near(items, among, asked)
        return ((units, self._scaled(rows)) for units, rows in near)

    def shifts_near(self, settled: Settled) -> FloatArray:
        """Return the shifts of the other that settle the question."""
        factor = self.factor
        asked: Settled = lambda shifts, off: settled(factor * shifts, factor * off)  # noqa: E731
        return factor * self.inner.shifts_near(asked)

    def reordered(self, order: IntArray) -> IntArray:
        """Return those of the other: the order is the same."""
        return self.inner.reordered(order)

    def contests(self) -> Contests:
        """Return those of the other."""
        return self.inner.contests()

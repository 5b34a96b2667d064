"""The protocol between data, scorers and the audit.

A scorer turns observations into scores (bigger is better) and knows its exact leave-one-out
scores. The audit asks a :class:`LeaveOneOut` four questions and nothing else, so that a
scorer, or a dataframe engine, that can answer one of them faster only overrides that method.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from steadyrank.errors import WrongDataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
    from steadyrank.data.units import Units


@runtime_checkable
class Scorer(Protocol):
    """Step 1 of every ranking: from data to one number for each item."""

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        ...

    def score(self, data: Any) -> FloatArray:
        """Return one score for each item of ``data.items``, bigger is better."""
        ...

    def leave_one_out(self, data: Any) -> LeaveOneOut:
        """Return the exact scores without each unit of ``data.units``."""
        ...


@dataclass(frozen=True)
class DenseBlock:
    """Leave-one-out scores of the distinct units ``start .. start + len(scores) - 1``."""

    start: int
    scores: FloatArray

    def dense(self, base: FloatArray) -> FloatArray:  # noqa: ARG002 (same call as SparseBlock)
        """Return the scores as a (units, items) matrix."""
        return self.scores


@dataclass(frozen=True)
class SparseBlock:
    """Leave-one-out scores of the items that a unit touches; all other items keep their score.

    Unit ``start + u`` changes the score of ``items[indptr[u]:indptr[u + 1]]`` to the ``scores``
    at the same places. No item occurs twice within a unit.
    """

    start: int
    indptr: IntArray
    items: AnyArray
    scores: FloatArray

    def dense(self, base: FloatArray) -> FloatArray:
        """Return the scores as a (units, items) matrix, the untouched ones from ``base``."""
        full = np.repeat(base[np.newaxis, :], len(self.indptr) - 1, axis=0)
        full[self.owners(), self.items] = self.scores
        return full

    def owners(self) -> IntArray:
        """Return, for each entry, the number of its unit within the block."""
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))


Block = DenseBlock | SparseBlock


class LeaveOneOut(ABC):
    """The exact scores without each unit.

    Attributes
    ----------
    scores : float array (items,)
        The scores on all the data.
    units : Units
        The distinct units and their counts.
    """

    scores: FloatArray
    units: Units

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Yield blocks that cover all distinct units in order; may be called again."""

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        r"""Return, for each item, its lowest and highest score over all data sets D and D\i."""
        lowest, highest = self.scores.copy(), self.scores.copy()
        for block in self.blocks():
            if isinstance(block, DenseBlock):
                np.minimum(lowest, block.scores.min(axis=0), out=lowest)
                np.maximum(highest, block.scores.max(axis=0), out=highest)
            else:
                np.minimum.at(lowest, block.items, block.scores)
                np.maximum.at(highest, block.items, block.scores)
        return lowest, highest

    def shifts(self) -> FloatArray:
        r"""Return ``||w - w\i||_2`` for each distinct unit i."""
        return np.concatenate([_block_shifts(block, self.scores) for block in self.blocks()])

    def columns(
        self, items: IntArray, among: BoolArray | None = None
    ) -> Iterator[tuple[IntArray, FloatArray]]:
        """Yield (units, scores of these items) for every distinct unit that changes one of them.

        The second array has one row for each of the units and one column for each of the
        ``items``. Units that are never yielded leave all of the ``items`` as they are. With
        ``among``, a mask of the distinct units, the others are passed over.
        """
        place = np.full(len(self.scores), -1, dtype=np.int64)
        place[items] = np.arange(len(items))
        base = self.scores[items]
        for block in self.blocks():
            if isinstance(block, DenseBlock):
                rows = np.arange(block.start, block.start + len(block.scores))
                yield from chosen_rows(rows, block.scores[:, items], among)
            else:
                yield from _touching(block, place, base, among)


def _block_shifts(block: Block, base: FloatArray) -> FloatArray:
    size = safe_unit(base)
    if isinstance(block, DenseBlock):
        moves = block.scores - base if size == 1 else block.scores / size - base / size
        return np.asarray(np.sqrt((moves**2).sum(axis=1)) * size)
    squares = (block.scores / size - base[block.items] / size) ** 2
    return np.sqrt(segment_sums(squares, block.indptr)) * size


def safe_unit(scores: FloatArray) -> float:
    """Return 1, or a power of two near scores whose squares would overflow or vanish."""
    largest = float(np.abs(scores).max(initial=0.0))
    if largest == 0 or 1e-100 < largest < 1e100:
        return 1.0
    return float(2.0 ** (np.frexp(largest)[1] - 1))


def segment_sums(values: AnyArray, indptr: IntArray) -> AnyArray:
    """Sum ``values`` between consecutive pointers, in their own type; empty segments give 0.

    Examples
    --------
    >>> segment_sums(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3]))
    array([3., 0., 4.])
    """
    sums = np.zeros(len(indptr) - 1, dtype=values.dtype)
    filled = np.flatnonzero(np.diff(indptr))
    if len(filled):
        sums[filled] = np.add.reduceat(values, indptr[filled])
    return sums


def chosen_rows(
    units: IntArray, rows: FloatArray, among: BoolArray | None
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield the rows of the units that the mask names, if there are any."""
    if among is None:
        yield units, rows
    elif len(chosen := np.flatnonzero(among[units])):
        yield units[chosen], rows[chosen]


def _touching(
    block: SparseBlock, place: IntArray, base: FloatArray, among: BoolArray | None
) -> Iterator[tuple[IntArray, FloatArray]]:
    where = place[block.items]
    kept = np.flatnonzero(where >= 0)
    owners = np.searchsorted(block.indptr, kept, side="right") - 1
    if among is not None:
        chosen = among[owners + block.start]
        kept, owners = kept[chosen], owners[chosen]
    if not len(kept):
        return
    units, row = np.unique(owners, return_inverse=True)
    scores = np.repeat(base[np.newaxis, :], len(units), axis=0)
    scores[row, where[kept]] = block.scores[kept]
    yield units + block.start, scores


def checked_kind(data: object, kind: type, *, scorer: str) -> None:
    """Complain unless ``data`` is of the kind that the scorer can score."""
    if not isinstance(data, kind):
        raise WrongDataError(scorer, kind.__name__, data)

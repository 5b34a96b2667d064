"""Leave-one-out scores, a block of units at a time: what every scorer and every engine hands out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
from steadyrank.errors import InvalidSettingError

Rows: TypeAlias = "tuple[IntArray, FloatArray]"
"""Units, and for each of them a row with the scores of the wanted items."""

ROW_NUMBERS = 1 << 18
"""How many scores of wanted items are handed out at a time: few enough to stay in the cache."""


@dataclass(frozen=True)
class Wanted:
    """The items whose leave-one-out scores are asked for, and the units in question.

    Parameters
    ----------
    items : int array
        The items.
    place : int array
        For every item its place among them, or -1.
    base : float array
        Their scores on all the data.
    among : bool array, optional
        The distinct units in question; all of them by default.
    row_numbers : int
        How many scores are handed out at a time.
    """

    items: IntArray
    place: IntArray
    base: FloatArray
    among: BoolArray | None = None
    row_numbers: int = ROW_NUMBERS

    @classmethod
    def of(
        cls, scores: FloatArray, items: IntArray, among: BoolArray | None = None
    ) -> Wanted:
        """Ask for some of the items that have these scores.

        Examples
        --------
        >>> Wanted.of(np.array([5.0, 6.0, 7.0]), np.array([2, 0])).place
        array([ 1, -1,  0])
        """
        place = np.full(len(scores), -1, dtype=np.int64)
        place[items] = np.arange(len(items))
        return cls(items, place, scores[items], among)

    def part(self, first: int, rows: FloatArray) -> Iterator[Rows]:
        """Yield those rows, of units from ``first`` on, whose units are in question."""
        if self.among is None:
            yield np.arange(first, first + len(rows)), rows
        elif len(chosen := np.flatnonzero(self.among[first : first + len(rows)])):
            yield chosen + first, rows[chosen]

    def of_units(
        self, kept: IntArray, indptr: IntArray, first: int
    ) -> tuple[IntArray, IntArray]:
        """Return those of the kept entries whose units are in question, and pointers into them.

        The unit ``first + u`` has the entries ``indptr[u]:indptr[u + 1]``.
        """
        pointers = np.searchsorted(kept, indptr)
        if self.among is None:
            return kept, pointers
        stays, per_unit = self.among[first : first + len(indptr) - 1], np.diff(pointers)
        return kept[np.repeat(stays, per_unit)], np.append(
            0, np.cumsum(per_unit * stays)
        )

    def filled(self, block: SparseBlock) -> Iterator[Rows]:
        """Yield the base with the scores of a block filled in, for units that have some."""
        places, scores = self.place[block.items], block.scores
        for span in slices(len(block), self.row_numbers, len(self.items)):
            cuts = block.indptr[span.start : span.stop + 1]
            per_unit, part = np.diff(cuts), slice(cuts[0], cuts[-1])
            units = np.flatnonzero(per_unit)
            if len(units):
                rows = np.repeat(self.base[np.newaxis, :], len(units), axis=0)
                rows[
                    np.repeat(np.arange(len(units)), per_unit[units]), places[part]
                ] = scores[part]
                yield units + (block.start + span.start), rows


@dataclass(frozen=True)
class DenseBlock:
    """Leave-one-out scores of the distinct units ``start .. start + len(scores) - 1``.

    Methods that take ``base`` get the scores on all the data, for the sake of blocks in which items
    keep them.
    """

    start: int
    scores: FloatArray

    def __len__(self) -> int:
        return len(self.scores)

    def dense(self, base: FloatArray) -> FloatArray:  # noqa: ARG002 (every item has a score here)
        """Return the scores as a (units, items) matrix: as they are."""
        return self.scores

    def row(self, number: int, base: FloatArray) -> FloatArray:  # noqa: ARG002 (likewise)
        """Return all scores of one unit of the block."""
        return np.asarray(self.scores[number])

    def widen(self, lowest: FloatArray, highest: FloatArray) -> None:
        """Lower and raise the bounds of each item, in place, so that they hold the block."""
        np.minimum(lowest, self.scores.min(axis=0), out=lowest)
        np.maximum(highest, self.scores.max(axis=0), out=highest)

    def shifts(self, base: FloatArray) -> FloatArray:
        r"""Return ``||w - w\i||_2`` for each unit i: the length of each row minus the base."""
        return lengths(self.scores - base)

    def columns(self, wanted: Wanted) -> Iterator[Rows]:
        """Yield (units, scores of the wanted items): every unit may change every item."""
        yield from wanted.part(self.start, self.scores[:, wanted.items])

    def reordered(self, base: FloatArray, order: IntArray) -> BoolArray:  # noqa: ARG002 (likewise)
        """Tell for each unit whether its plain ranking differs from ``order``, that of ``base``."""
        ranked = self.scores[:, order]
        wrong = _out_of_order(ranked[:, :-1], ranked[:, 1:], order[:-1], order[1:])
        return np.asarray(wrong.any(axis=1))


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

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def owners(self) -> IntArray:
        """Return, for each entry, the number of its unit within the block."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    def dense(self, base: FloatArray) -> FloatArray:
        """Return the scores as a matrix, the untouched ones from ``base``."""
        full = np.repeat(base[np.newaxis, :], len(self), axis=0)
        full[self.owners(), self.items] = self.scores
        return full

    def row(self, number: int, base: FloatArray) -> FloatArray:
        """Return all scores of one unit, the untouched ones from ``base``."""
        row = base.copy()
        part = slice(self.indptr[number], self.indptr[number + 1])
        row[self.items[part]] = self.scores[part]
        return row

    def untouched(
        self,
        numbers: IntArray,  # noqa: ARG002 (blocks of rows ask for them)
        items: IntArray,
        base: FloatArray,
    ) -> FloatArray:
        """Return for some units of the block, a row each, the scores of items that they do not touch."""
        return np.asarray(base[items])

    def widen(self, lowest: FloatArray, highest: FloatArray) -> None:
        """Look at the touched items alone: the bounds hold the base already."""
        np.minimum.at(lowest, self.items, self.scores)
        np.maximum.at(highest, self.items, self.scores)

    def shifts(self, base: FloatArray) -> FloatArray:
        """Sum the squares over the touched items."""
        return lengths(self.scores - base[self.items], self.indptr)

    def among(self, wanted: Wanted) -> SparseBlock:
        """Return what units in question change among the wanted items."""
        found = np.flatnonzero(wanted.place[self.items] >= 0)
        kept, pointers = wanted.of_units(found, self.indptr, self.start)
        return SparseBlock(self.start, pointers, self.items[kept], self.scores[kept])

    def columns(self, wanted: Wanted) -> Iterator[Rows]:
        """Fill in the base what each unit changes."""
        return wanted.filled(self.among(wanted))

    def reordered(self, base: FloatArray, order: IntArray) -> BoolArray:
        """Look only at the neighbours of touched items: all other pairs keep their order."""
        last, place = len(order) - 1, np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        owner, where = self.owners(), place[self.items]
        # One key, and entries come owner by owner: a merge sort finds its work half done.
        sorting = np.argsort(owner * len(order) + where, kind="stable")
        owner, where, score = owner[sorting], where[sorting], self.scores[sorting]
        item, next_item = order[where], order[np.minimum(where + 1, last)]
        item_before = order[np.maximum(where - 1, 0)]
        # A touched item is followed by a touched one of the same unit, or by one that kept its score.
        adjacent = (owner[1:] == owner[:-1]) & (where[1:] == where[:-1] + 1)
        after, before = base[next_item], base[item_before]
        after[:-1] = np.where(adjacent, score[1:], after[:-1])
        before[1:] = np.where(adjacent, score[:-1], before[1:])
        wrong = _out_of_order(score, after, item, next_item) & (where < last)
        wrong |= _out_of_order(before, score, item_before, item) & (where > 0)
        changed = np.zeros(len(self), dtype=np.bool_)
        changed[owner[wrong]] = True
        return changed


Block: TypeAlias = DenseBlock | SparseBlock
"""Leave-one-out scores of consecutive distinct units, from ``start`` on."""


def _out_of_order(
    above: FloatArray, below: FloatArray, item_above: IntArray, item_below: IntArray
) -> BoolArray:
    """Return where two neighbours must change places; the smaller index goes first in a tie."""
    wrong: BoolArray = (above < below) | ((above == below) & (item_above > item_below))
    return wrong


def slices(length: int, numbers: int, width: int = 1) -> Iterator[slice]:
    """Cut a length into slices of about so many numbers, each place having ``width`` of them.

    Examples
    --------
    >>> list(slices(5, 7, width=3))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, numbers // max(1, width))
    for start in range(0, length, step):
        yield slice(start, min(start + step, length))


def bounds_of(
    blocks: Iterable[Block], scores: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return, for each item, its lowest and highest score with and without each unit."""
    lowest, highest = scores.copy(), scores.copy()
    for block in blocks:
        block.widen(lowest, highest)
    return lowest, highest


def shifts_of(blocks: Iterable[Block], scores: FloatArray) -> FloatArray:
    """Return how far each unit moves the scores."""
    return np.concatenate([block.shifts(scores) for block in blocks])


def reordered_of(
    blocks: Iterable[Block], scores: FloatArray, order: IntArray
) -> IntArray:
    """Return the units whose plain ranking differs from ``order``, that of the scores."""
    changed = [
        block.start + np.flatnonzero(block.reordered(scores, order)) for block in blocks
    ]
    return np.concatenate([np.empty(0, np.int64), *changed])


def lengths(moves: FloatArray, indptr: IntArray | None = None) -> FloatArray:
    """Return the Euclidean length of each row of moves, or of each part between two pointers.

    Examples
    --------
    >>> lengths(np.array([[3.0, 4.0], [0.0, 2.0]]))
    array([5., 2.])
    """
    with np.errstate(over="ignore"):
        squares = moves**2
        return roots(
            squares.sum(axis=1) if indptr is None else segment_sums(squares, indptr)
        )


def roots(squares: FloatArray) -> FloatArray:
    """Return the lengths that have these squares, which some scores are too large to have."""
    if not np.isfinite(squares).all():
        raise InvalidSettingError(
            "removing one unit moves the scores so far that no float holds the square of it",
            way_out="Divide all values by one number, for example by 1e100.",
        )
    return np.sqrt(squares)


def repeated_spans(indptr: IntArray, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Return pointers and places of the chosen segments, one after the other.

    Examples
    --------
    >>> repeated_spans(np.array([0, 2, 3]), np.array([1, 0, 0]))
    (array([0, 1, 3, 5]), array([2, 0, 1, 0, 1]))
    """
    sizes = np.diff(indptr)[chosen]
    pointers = np.append(0, np.cumsum(sizes))
    places = np.repeat(indptr[:-1][chosen] - pointers[:-1], sizes) + np.arange(
        pointers[-1]
    )
    return pointers, places


def segment_sums(values: AnyArray, indptr: IntArray) -> AnyArray:
    """Sum ``values`` along their first axis between consecutive pointers; empty segments give 0.

    Examples
    --------
    >>> segment_sums(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3]))
    array([3., 0., 4.])
    """
    sums = np.zeros((len(indptr) - 1, *values.shape[1:]), dtype=values.dtype)
    filled = np.flatnonzero(np.diff(indptr))
    if len(filled):
        sums[filled] = np.add.reduceat(values, indptr[filled], axis=0)
    return sums

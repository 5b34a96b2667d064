"""Rows and entries: their counts and names, how they are shared out, sorted and laid end to end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from steadyrank import errors
from steadyrank._typing import AnyArray, IntArray
from steadyrank.arrays import as_counts
from steadyrank.labels import encode, unique_labels


def check_some(size: int, what: str) -> None:
    """Complain about data without a single row."""
    if not size:
        raise errors.EmptyDataError(
            f"there are no {what}", way_out="At least one is needed."
        )


def row_counts(counts: Any, size: int, what: str) -> IntArray:
    """Return how often each row occurs; complain where there are no rows, or all occur 0 times."""
    check_some(size, what)
    found = as_counts(counts, size)
    if not check_total(found, what):
        raise errors.EmptyDataError(f"all counts are 0, so there are no {what}")
    return found


def check_total(counts: IntArray, what: str, times: Any = 1) -> int:
    """Return the exact sum of counts, each taken some times; refuse what 64 bits do not hold.

    Examples
    --------
    >>> check_total(np.array([3, 4]), "battles", np.array([2, 0]))
    6
    """
    most = int(counts.max(initial=0)) * int(np.max(times, initial=0))
    # In Python's whole numbers, which do not overflow, wherever 64 bits might.
    exact = (
        (counts * times)
        if most * len(counts) < errors.MOST_COUNTED
        else counts.astype(object) * times
    )
    total = int(exact.sum())
    if total >= errors.MOST_COUNTED:
        raise errors.counts_too_large(what, total)
    return total


def column_labels(labels: Iterable[object] | None, size: int) -> tuple[object, ...]:
    """Return one unique label for each column of numbers, 0, 1, 2... where none are given."""
    if labels is None:
        return tuple(range(size))
    named = unique_labels(labels)
    if len(named) != size:
        raise errors.InvalidScoresError(
            f"items has {len(named):,} labels for {size:,} columns"
        )
    return named


def row_names(rows: Iterable[object] | None, size: int) -> Sequence[object]:
    """Return a label for each row, 0, 1, 2... where none are given; two rows may share a name."""
    if rows is None:
        return range(size)
    codes, labels = encode(rows, what="rows")
    if len(codes) != size:
        raise errors.InvalidScoresError(
            f"rows has {len(codes):,} labels for {size:,} rows"
        )
    return tuple(map(labels.__getitem__, codes.tolist()))


def some_of(column: Any, rows: IntArray) -> Any:
    """Return some rows of an array or of a sequence of labels."""
    indexed = isinstance(column, np.ndarray)
    return column[rows] if indexed else tuple(column[row] for row in rows.tolist())


def repeated_cells(rows: IntArray, items: IntArray) -> IntArray:
    """Return the places of entries whose row and item an earlier entry has, sorted by these.

    Examples
    --------
    >>> repeated_cells(np.array([1, 0, 1, 1]), np.array([2, 2, 0, 2]))
    array([3])
    """
    cells = rows.astype(np.int64) * (items.max(initial=0) + 1) + items
    order = np.argsort(cells, kind="stable")
    return np.asarray(order[1:][cells[order][1:] == cells[order][:-1]])


def check_spans(indptr: IntArray, codes: AnyArray, size: int) -> None:
    """Complain about pointers that do not lay entries end to end, and codes of no item."""
    whole = codes.dtype.kind in "iu" and codes.ndim == 1
    fits = len(indptr) > 1 and indptr[0] == 0 and indptr[-1] == len(codes)
    if not whole or not fits or (np.diff(indptr) < 0).any():
        raise errors.InvalidDataError(
            f"indptr must go up from 0 to the number of entries, {len(codes):,}, and rated must hold "
            "one whole number for each"
        )
    wrong = np.flatnonzero((codes < 0) | (codes >= size))
    if len(wrong):
        raise errors.InvalidDataError(
            f"rated must name items 0 to {size - 1:,}, but there is {codes[wrong[0]]}",
            rows=np.searchsorted(indptr, wrong, side="right") - 1,
        )


def shared_out(unit: IntArray, counts: IntArray, wanted: IntArray) -> IntArray:
    """Share the wanted copies of each unit out over its rows, first rows first.

    A row gives at most its own count, except the last one of its unit, which gives the rest.

    Parameters
    ----------
    unit, counts : int array (rows,)
        The unit of each row, and how often the row occurs.
    wanted : int array (units,)
        How many copies of each unit there should be.

    Examples
    --------
    >>> shared_out(np.array([0, 1, 0]), np.array([2, 1, 2]), np.array([3, 0]))
    array([2, 0, 1])
    """
    order = np.argsort(unit, kind="stable")
    ordered, available = unit[order], counts[order]
    last = np.append(ordered[1:] != ordered[:-1], True)
    begins = np.flatnonzero(np.append(True, last[:-1]))
    before = np.cumsum(available) - available
    before = before - np.repeat(
        before[begins], np.diff(np.append(begins, len(ordered)))
    )
    left = np.maximum(0, wanted[ordered] - before)
    given = np.empty_like(available)
    given[order] = np.where(last, left, np.minimum(left, available))
    return given


def in_strict_order(users: AnyArray, items: AnyArray) -> bool:
    """Tell whether (user, item) goes up strictly, so that neither sorting nor merging is needed.

    Examples
    --------
    >>> in_strict_order(np.array([0, 0, 1]), np.array([1, 2, 0]))
    True
    >>> in_strict_order(np.array([0, 0]), np.array([1, 1]))
    False
    """
    same = (users[1:] == users[:-1]) & (items[1:] > items[:-1])
    return bool((same | (users[1:] > users[:-1])).all())

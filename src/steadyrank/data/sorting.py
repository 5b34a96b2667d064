"""Sorting ratings by user and item in linear time, for a hundred million of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from steadyrank._typing import AnyArray

STRIDE = 1 << 22
"""How many entries are compared at once, so that a check needs no memory to speak of."""


def in_strict_order(users: AnyArray, items: AnyArray) -> bool:
    """Tell whether (user, item) goes up strictly, so that neither sorting nor merging is needed.

    Examples
    --------
    >>> in_strict_order(np.array([0, 0, 1]), np.array([1, 2, 0]))
    True
    >>> in_strict_order(np.array([0, 0]), np.array([1, 1]))
    False
    """
    for start in range(0, len(users) - 1, STRIDE):
        block = slice(start, start + STRIDE + 1)
        user, item = users[block], items[block]
        up = user[1:] > user[:-1]
        same = user[1:] == user[:-1]
        if not (up | (same & (item[1:] > item[:-1]))).all():
            return False
    return True


def stable_order(users: AnyArray, items: AnyArray, n_users: int, n_items: int) -> AnyArray:
    """Return the permutation that sorts by user, then item, equal entries in their order.

    Two counting sorts, the second key first; a key that is sorted already costs one look.

    Examples
    --------
    >>> stable_order(np.array([1, 0, 1]), np.array([0, 1, 0]), 2, 2).tolist()
    [1, 0, 2]
    """
    if _goes_up(items):
        return counting_order(users, n_users)
    by_item = counting_order(items, n_items)
    return by_item[counting_order(users[by_item], n_users)]


def counting_order(codes: AnyArray, size: int) -> AnyArray:
    """Return the permutation that sorts codes below ``size``, stable, in linear time.

    Turning a one-row sparse matrix from rows to columns is a counting sort in compiled code.

    Examples
    --------
    >>> counting_order(np.array([2, 0, 2, 1]), 3).tolist()
    [1, 3, 0, 2]
    """
    from scipy.sparse import csr_array

    wide = np.int32 if len(codes) < np.iinfo(np.int32).max else np.int64
    places: AnyArray = np.arange(len(codes), dtype=wide)
    ends = np.array([0, len(codes)], dtype=wide)
    matrix = csr_array((places, codes.astype(wide, copy=False), ends), shape=(1, size))
    order: AnyArray = matrix.tocsc().data
    return order


def _goes_up(codes: AnyArray) -> bool:
    for start in range(0, len(codes) - 1, STRIDE):
        block = codes[start : start + STRIDE + 1]
        if (block[1:] < block[:-1]).any():
            return False
    return True

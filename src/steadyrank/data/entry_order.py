"""Sorting entries by user and item, in no more time and memory than their order asks for."""

from __future__ import annotations

import numpy as np

from steadyrank._typing import AnyArray, IntArray
from steadyrank.sums.sparse import unit_ranges

STRIDE = 1 << 22
"""How many entries are compared at once, so that a check needs no memory to speak of."""


def in_strict_order(users: AnyArray, items: AnyArray, stride: int = STRIDE) -> bool:
    """Tell whether (user, item) goes up strictly, so that neither sorting nor merging is needed.

    Examples
    --------
    >>> in_strict_order(np.array([0, 0, 1]), np.array([1, 2, 0]))
    True
    >>> in_strict_order(np.array([0, 0]), np.array([1, 1]))
    False
    """
    for start in range(0, len(users) - 1, stride):
        block = slice(start, start + stride + 1)
        user, item = users[block], items[block]
        up = user[1:] > user[:-1]
        same = user[1:] == user[:-1]
        if not (up | (same & (item[1:] > item[:-1]))).all():
            return False
    return True


def stable_order(
    users: AnyArray, items: AnyArray, n_users: int, n_items: int, stride: int = STRIDE
) -> AnyArray:
    """Return the permutation that sorts by user, then item, equal entries in their order.

    A counting sort by user, unless they go up already; then by item within some users at a time,
    few enough for the cache.

    Examples
    --------
    >>> stable_order(np.array([1, 0, 1]), np.array([0, 1, 0]), 2, 2).tolist()
    [1, 0, 2]
    """
    if goes_up(items, stride):
        return counting_order(users, n_users)
    if not goes_up(users, stride):
        by_user = counting_order(users, n_users)
        return by_user[stable_order(users[by_user], items[by_user], n_users, n_items, stride)]
    order: AnyArray = np.empty(len(users), dtype=_wide(len(users)))
    ends = begins(users, n_users)
    for first, last in unit_ranges(ends, max(1, stride >> 4)):
        part = slice(ends[first], ends[last])
        order[part] = _order_of_pairs(users[part] - first, items[part], n_items) + ends[first]
    return order


def begins(users: AnyArray, n_users: int) -> IntArray:
    """Return where the entries of each user begin, and where the last ones end; users go up."""
    return np.searchsorted(users, np.arange(n_users + 1, dtype=users.dtype)).astype(np.int64)


def _order_of_pairs(users: AnyArray, items: AnyArray, n_items: int) -> AnyArray:
    """Sort by user and item: as one number each that ends with its place, if that fits."""
    size = max(1, len(users))
    if (int(users.max(initial=0)) + 1) * n_items * size >= 2**63:
        return np.lexsort((items, users))
    packed = np.multiply(users, n_items, dtype=np.int64)
    packed += items
    packed *= size
    packed += np.arange(len(users))
    packed.sort()
    return packed % size


def counting_order(codes: AnyArray, size: int) -> AnyArray:
    """Return the permutation that sorts codes below ``size``, stable, in linear time.

    Turning a one-row sparse matrix from rows to columns is a counting sort in compiled code.

    Examples
    --------
    >>> counting_order(np.array([2, 0, 2, 1]), 3).tolist()
    [1, 3, 0, 2]
    """
    from scipy.sparse import csr_array

    wide = _wide(len(codes))
    places: AnyArray = np.arange(len(codes), dtype=wide)
    ends = np.array([0, len(codes)], dtype=wide)
    matrix = csr_array((places, codes.astype(wide, copy=False), ends), shape=(1, size))
    order: AnyArray = matrix.tocsc().data
    return order


def _wide(size: int) -> type[np.int32 | np.int64]:
    """Return the narrower type that holds places up to a size."""
    return np.int32 if size < np.iinfo(np.int32).max else np.int64


def goes_up(codes: AnyArray, stride: int = STRIDE) -> bool:
    """Tell whether no code is less than the one before."""
    for start in range(0, len(codes) - 1, stride):
        block = codes[start : start + stride + 1]
        if (block[1:] < block[:-1]).any():
            return False
    return True

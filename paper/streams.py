"""Random numbers that belong to a key: the same whatever else is drawn, and in whatever order.

A look-alike user must be the same user in a trial of 1,000 and in the whole population, so
each user owns a stream. The numbers are SplitMix64: a fixed mixing of ``key + i * step``,
which is a handful of array operations for any mixture of keys and places.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from paper.array_types import AnyArray, FloatArray

KeyArray: TypeAlias = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)

SLOT_BITS = 15
SHARE_BITS = 32 - SLOT_BITS


def mixed(keys: KeyArray) -> KeyArray:
    """Return 64 well-mixed bits for each key (the finaliser of SplitMix64).

    Examples
    --------
    >>> mixed(np.array([1, 2], dtype=np.uint64))
    array([ 6238072747940578789, 15839785061582574730], dtype=uint64)
    """
    bits = keys ^ (keys >> np.uint64(30))
    bits *= _FIRST
    bits ^= bits >> np.uint64(27)
    bits *= _SECOND
    bits ^= bits >> np.uint64(31)
    return bits


def stream_keys(seed: int, purpose: int, owners: AnyArray) -> KeyArray:
    """Return one key for each owner; different seeds and purposes give unrelated keys."""
    root = np.random.SeedSequence([seed, purpose]).generate_state(1, np.uint64)
    return mixed(mixed(owners.astype(np.uint64) * _STEP + root) + root)


def stream_bits(keys: KeyArray, places: AnyArray) -> KeyArray:
    """Return the 64 bits at the given places of the streams with the given keys."""
    positions = places.astype(np.uint64)
    positions += np.uint64(1)
    positions *= _STEP
    positions += keys
    return mixed(positions)


def uniforms(bits: KeyArray) -> FloatArray:
    """Return numbers in the open interval (0, 1) from 64 random bits each."""
    return ((bits >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


@cache
def _normal_quantiles() -> NDArray[np.float32]:
    from scipy.special import ndtri

    levels = (np.arange(2**16) + 0.5) / 2**16
    return np.asarray(ndtri(levels), dtype=np.float32)


def normals(bits: KeyArray) -> NDArray[np.float32]:
    """Return standard normal numbers on a grid of 65,536 equally likely values.

    The grid is fine enough for what it is used for, numbers that are cut into five stars,
    and a look-up is several times faster than an exact normal.
    """
    return np.asarray(_normal_quantiles()[bits >> np.uint64(48)])


def alias_table(shares: FloatArray) -> NDArray[np.uint32]:
    """Return a table from which one 32-bit number draws an index with the given shares.

    Walker's alias method: every one of ``2 ** SLOT_BITS`` equally likely slots holds at most
    two indices, so a draw is one look-up and one comparison, however uneven the shares.

    Examples
    --------
    >>> table = alias_table(np.array([0.75, 0.25]))
    >>> every_slot = np.arange(2**SLOT_BITS, dtype=np.uint32) << SHARE_BITS
    >>> float(np.mean(draw_from_table(table, every_slot) == 0))
    0.75
    """
    slots = 2**SLOT_BITS
    filled = np.zeros(slots)
    filled[: len(shares)] = shares * (slots / shares.sum())
    alias = np.arange(slots)
    small = np.flatnonzero(filled < 1.0).tolist()
    large = np.flatnonzero(filled >= 1.0).tolist()
    left = filled.tolist()
    while small and large:
        poor, rich = small.pop(), large[-1]
        alias[poor] = rich
        left[rich] -= 1.0 - left[poor]
        if left[rich] < 1.0:
            small.append(large.pop())
    cuts = np.clip(np.rint(np.asarray(left) * 2**SHARE_BITS), 0, 2**SHARE_BITS - 1)
    # What rounding leaves over points to itself, so that a full slot needs no cut at all.
    entries = (cuts.astype(np.uint32) << np.uint32(SLOT_BITS)) | alias.astype(np.uint32)
    return np.asarray(entries, dtype=np.uint32)


def draw_from_table(
    table: NDArray[np.uint32], bits: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    """Return the index that each 32-bit number draws from an :func:`alias_table`."""
    slots = bits >> np.uint32(SHARE_BITS)
    entries = table[slots]
    keeps = (bits & np.uint32(2**SHARE_BITS - 1)) < (entries >> np.uint32(SLOT_BITS))
    return np.where(keeps, slots, entries & np.uint32(2**SLOT_BITS - 1))

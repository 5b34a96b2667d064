"""The parts of a document that come from an audit: outcomes, curves and flips."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.stability.audit import Audit
    from steadyrank.stability.curve import StabilityCurve
    from steadyrank.stability.flips import Flip
    from steadyrank.stability.outcomes import Outcome

MAX_STEPS = 2000
"""Steps of a curve that a document holds; beyond it a part of them, each of them exact."""

MAX_FLIPS = 200
"""Flips of each method that a document lists; the rest is counted."""

EXACT_IN_JSON = 1 << 53
"""Whole numbers up to this are exact in every JSON reader."""


def label(name: object) -> str | int | float | bool:
    """Return a label as JSON can hold it: text and numbers as they are, anything else in words.

    Examples
    --------
    >>> label("x"), label(np.int64(3)), label(("a", 1))
    ('x', 3, "('a', 1)")
    """
    plain = name.item() if isinstance(name, np.generic) else name
    if isinstance(plain, bool | str):
        return plain
    if isinstance(plain, int) and abs(plain) <= EXACT_IN_JSON:
        return plain
    if isinstance(plain, float) and math.isfinite(plain):
        return plain
    return str(plain)


def outcome(row: Outcome) -> dict[str, Any]:
    """Return one row of an audit."""
    size = row.size if row.size is not None and row.size <= EXACT_IN_JSON else None
    return {
        "method": row.method,
        "k": row.k,
        "delta": row.delta,
        "jaccard": row.jaccard,
        "size": size,
        "log10_size": row.log10_size,
        "note": row.note,
    }


def curve(found: StabilityCurve, eps: float, *, max_steps: int = MAX_STEPS) -> dict[str, Any]:
    """Return a curve by its steps: delta and size are those for any eps just above each step."""
    steps, delta, size = found.steps()
    kept = _kept_steps(steps, eps, max_steps)
    return {
        "k": found.k,
        "eps": steps[kept].tolist(),
        "delta": delta[kept].tolist(),
        "size": size[kept].tolist(),
        "n_steps": len(steps),
        "thinned": len(kept) < len(steps),
    }


def _kept_steps(steps: FloatArray, eps: float, most: int) -> IntArray:
    """Choose steps evenly by number and evenly by eps, and all those next to the chosen eps."""
    if len(steps) <= most:
        return np.arange(len(steps))
    by_number = np.linspace(0, len(steps) - 1, most // 2).round().astype(np.int64)
    grid = np.linspace(steps[0], steps[-1], most // 4)
    by_eps = np.searchsorted(steps, grid).clip(0, len(steps) - 1)
    here = int(np.searchsorted(steps, eps))
    near = np.arange(max(0, here - most // 8), min(len(steps), here + most // 8))
    return np.unique(np.concatenate([by_number, by_eps, near]))


def flips(audit: Audit, k: int, *, max_flips: int = MAX_FLIPS) -> dict[str, Any]:
    """Return the units that break each answer, the first of them by name and the rest counted."""
    found = audit.flips(k)
    return {
        "k": k,
        "plain": _flips(found.plain, max_flips),
        "inflated": _flips(found.inflated, max_flips),
    }


def _flips(found: Sequence[Flip], most: int) -> dict[str, Any]:
    return {
        "units": sum(flip.count for flip in found),
        "distinct_units": len(found),
        "listed": [
            {
                "unit": label(flip.unit),
                "count": flip.count,
                "leaves": [label(item) for item in flip.leaves],
                "enters": [label(item) for item in flip.enters],
            }
            for flip in found[:most]
        ],
    }

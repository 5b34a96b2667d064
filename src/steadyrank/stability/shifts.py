"""How far units move the scores: what Theorems 4 and 8 bound every delta by, and the eps from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import InvalidValueError, shorten
from steadyrank.operators.inflation import effective_eps, just_above

if TYPE_CHECKING:
    from steadyrank._typing import BoolArray, FloatArray, IntArray

SUMS = 1e-12
"""More than what rounding of the operators' sums amounts to, relative to eps."""

SMALLEST = float(np.finfo(np.float64).smallest_subnormal)


def reaching_eps(shifts: FloatArray, scores: FloatArray, eps: float) -> BoolArray:
    r"""Return which shifts reach ``eps``, those that do up to rounding included.

    The operators lower eps by a slack for rounding. A shift within that slack of eps is on the
    boundary for them, so it must be for the bound, or a delta could exceed its own bound.

    Examples
    --------
    >>> reaching_eps(np.array([0.1, 0.2 - 1e-16, 0.3]), np.array([1.0, 0.5]), eps=0.2)
    array([False,  True,  True])
    """
    largest = float(np.abs(scores).max()) + float(shifts.max(initial=0.0))
    with np.errstate(over="ignore"):
        found: BoolArray = shifts >= effective_eps(eps, largest) * (1 - SUMS)
    return found


def eps_above(delta: float, values: FloatArray, counts: IntArray, ties: float) -> float:
    """Return an eps just above all of the values but a share ``delta``; ``ties`` where those are 0."""
    needed = exceeded_by_at_most(delta, values, counts)
    return just_above(needed) if needed > 0 else ties


def exceeded_by_at_most(delta: float, values: FloatArray, counts: IntArray) -> float:
    """Return the smallest of the values that at most a share ``delta`` of all exceed."""
    order = np.argsort(-values, kind="stable")
    allowed = allowed_units(delta, int(counts.sum()))
    last = int(np.searchsorted(np.cumsum(counts[order]), allowed, side="right"))
    return float(values[order[last]]) if last < len(order) else 0.0


def allowed_units(delta: float, total: int) -> int:
    """Return the largest number of units whose share, as a float, is at most ``delta``.

    Examples
    --------
    >>> allowed_units(0.29, 100), int(0.29 * 100)
    (29, 28)
    """
    number = round(delta * total)
    return number if number / total <= delta else number - 1


def smallest_gap_eps(scores: FloatArray) -> float:
    """Return an eps so small that it inflates nothing but exact ties."""
    halves = np.diff(np.unique(scores) / 2)  # halved before: a gap may overflow
    return max(float(halves.min()), SMALLEST) if len(halves) else 1.0


def check_delta(delta: object) -> float:
    """Return ``delta`` as a float from 0 to below 1."""
    if isinstance(delta, bool) or not isinstance(delta, int | float | np.integer | np.floating):
        raise InvalidValueError(f"delta must be a number from 0 to below 1, but is {shorten(delta)}")
    if not 0 <= float(delta) < 1:
        raise InvalidValueError(
            f"delta must be from 0 to below 1 (the share of units that may break the answer), "
            f"but is {shorten(delta)}"
        )
    return float(delta)

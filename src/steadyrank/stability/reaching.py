r"""Which units move the scores by eps or more: what Theorems 4 and 8 bound every delta by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.operators.inflation import effective_eps

if TYPE_CHECKING:
    from steadyrank._typing import BoolArray, FloatArray

SUMS = 1e-12
"""More than what rounding of the operators' sums amounts to, relative to eps."""


def reaching(shifts: FloatArray, scores: FloatArray, eps: float) -> BoolArray:
    r"""Return which shifts reach ``eps``, those that do up to rounding included.

    The operators lower eps by a slack for rounding. A shift within that slack of eps is on the
    boundary for them, so it must be for the bound, or a delta could exceed its own bound.

    Examples
    --------
    >>> reaching(np.array([0.1, 0.2 - 1e-16, 0.3]), np.array([1.0, 0.5]), eps=0.2)
    array([False,  True,  True])
    """
    largest = float(np.abs(scores).max()) + float(shifts.max(initial=0.0))
    with np.errstate(over="ignore"):
        found: BoolArray = shifts >= effective_eps(eps, largest) * (1 - SUMS)
    return found

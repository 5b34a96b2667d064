"""How a boundary case is decided: the one rule behind every operator.

An item is eligible exactly if its distance from the scores is *strictly* below eps. Boundaries are
ordinary: votes are multiples of 1/n, and eps = sqrt(2)/n puts a one-vote lead exactly on one. There the
definition says *out*, but neither 1/n nor sqrt(2) is a float, so that rounding would decide at random.

Therefore every item has one float, its *entry eps*: its distance, raised by a little more than what
rounding of the scores and of the sums can amount to (:func:`entry_eps`), and

    an item is in exactly if  eps > entry eps,

as a comparison of two floats. A case on the boundary up to rounding is then out, for every n; cases that
differ from it by more are decided as the exact inequality decides them. The critical eps that users get
are these floats. Routines that answer for one eps take shortcuts with :func:`effective_eps`, which is
the same rule up to rounding, and ask for the entry eps itself wherever that could matter.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from steadyrank._typing import FloatArray

Number = TypeVar("Number", float, "FloatArray")

UNIT = float(np.finfo(np.float64).eps)
FULL_DIGITS = float(np.finfo(np.float64).tiny) / UNIT
"""Above this, a float and a share of it have all their digits."""

ROUNDING = 64 * UNIT
"""Rounding allowed for, relative to the size of the scores."""

MOST_OF_EPS = 1e-6
"""The slack never takes more than this share of eps, however large the scores are."""

C = float(np.sqrt(0.5))
"""The gap c for eps = 1: two items that differ by less than ``C * eps`` may swap."""


def entry_eps(distance: FloatArray, best: FloatArray | float) -> FloatArray:
    """Return the eps above which an item at this distance is in.

    ``best`` is the best score among the items in question: it tells how large rounding may be.
    """
    rounded = (distance + ROUNDING * np.abs(best)) / (1 - ROUNDING)
    return np.minimum(rounded, distance / (1 - MOST_OF_EPS))


def swap_eps(gap: FloatArray, better: FloatArray | float) -> FloatArray:
    """Return the eps above which two items this far apart may swap; ``better`` is the better score."""
    return entry_eps(gap / C, better)


def effective_eps(eps: float | FloatArray, best: float | FloatArray) -> FloatArray:
    """Return the eps that a distance has to stay below: the inverse of :func:`entry_eps`, rounded."""
    slack = np.minimum(ROUNDING * np.abs(best) + ROUNDING * eps, MOST_OF_EPS * np.asarray(eps))
    return np.asarray(eps - slack)


def doubt(clipped: Number, eps: float) -> Number:
    """Return what rounding may do to a shortcut, in units of eps, with so many scores summed.

    Where eps is so small that floats near it have few digits left, anything may be in doubt.
    """
    return 32 * UNIT * (clipped + 4) + (4.0 if eps < FULL_DIGITS else 0.0)


def just_above(eps: Number) -> Number:
    """Return an eps that exceeds the given one by more than any slack, and by next to nothing.

    Scores at a distance of ``eps`` from each other are then surely closer than the effective eps,
    however large they are: what Theorems 4 and 8 promise holds after rounding, too.
    """
    return eps * (1 + 2 * MOST_OF_EPS) + float(np.finfo(np.float64).tiny)

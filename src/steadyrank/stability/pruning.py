r"""Which items can matter at all to a top-k audit: usually k and a few more.

Bound the score of every item over D and all D\i by ``lowest`` and ``highest``. Then no k-th best
score is below ``theta``, the k-th largest lowest score, nor above the k-th largest highest score.
An item that never comes within c of theta is in no answer and in no window; an item that never
falls to the k-th best is in every answer. What is left, the *active* items, decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray, IntArray

MARGIN = 1 + 1e-9
"""Items on the edge are kept: rounding must not prune."""


@dataclass(frozen=True)
class Active:
    """The items that decide a top-k audit.

    Attributes
    ----------
    k : int
        How many items are wanted.
    items : int array
        The active items, in the order of their indices (which settles ties).
    always_in : int
        How many other items are among the k - 1 best of every answer.
    """

    k: int
    items: IntArray
    always_in: int

    @property
    def places(self) -> int:
        """How many of the k places the active items compete for."""
        return self.k - self.always_in


def active_items(lowest: FloatArray, highest: FloatArray, k: int, eps: float) -> Active:
    """Return the items that decide the top-k audit at every inflation up to ``eps``.

    Examples
    --------
    >>> low, high = np.array([9.0, 4.0, 3.0, 0.0]), np.array([9.5, 5.0, 4.5, 0.5])
    >>> active_items(low, high, k=2, eps=0.1)
    Active(k=2, items=array([1, 2]), always_in=1)
    """
    rank = len(lowest) - k
    theta = np.partition(lowest, rank)[rank]
    ceiling = np.partition(highest, rank)[rank]
    with np.errstate(over="ignore"):
        in_reach = highest >= theta - eps * MARGIN
    never_kth = lowest > ceiling
    return Active(k, np.flatnonzero(in_reach & ~never_kth), int(never_kth.sum()))

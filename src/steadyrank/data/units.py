"""Units: what can be left out, each distinct one once, with the number of times it occurs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steadyrank._typing import IntArray


@dataclass(frozen=True)
class Units:
    """The distinct units of a dataset.

    Two units are equal when leaving out either gives the same data. Equal units are scored
    once and weighted by ``counts``.

    Parameters
    ----------
    kind : str
        What one unit is, in the singular: ``"vote"``, ``"user"``, ``"battle"``, ``"row"``...
    counts : int array
        How often each distinct unit occurs.
    labels : sequence
        What to call each distinct unit (same length as ``counts``). May be lazy.
    """

    kind: str
    counts: IntArray
    labels: Sequence[object]

    def __len__(self) -> int:
        """Return the number of distinct units."""
        return len(self.counts)

    @cached_property
    def total(self) -> int:
        """The number n of units, equal ones counted as often as they occur."""
        return int(self.counts.sum())

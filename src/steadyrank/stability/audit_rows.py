"""What leaving units out did to one method: the rows of an audit."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.reading.arrays import frozen
from steadyrank.wording import size_in_words

if TYPE_CHECKING:
    from steadyrank._typing import IntArray


@dataclass(frozen=True, repr=False)
class AuditRow:
    """One row of an audit: a method, and how it fared when each unit was left out.

    Attributes
    ----------
    method : str
        ``topk``, ``inflated_topk``, ``ranking``, ``inflated_ranking``, or a name the user gave.
    k : int or None
        The k of a top-k method, None for full rankings.
    delta : float
        The share of units whose removal leaves fewer than k common items (no common ranking).
    jaccard : float or None
        The mean Jaccard similarity with the full answer; None where it does not apply.
    size : int or None
        How many items (rankings) the full answer holds, exactly; None where it was not counted.
    note : str
        Why a value is missing, in plain words.
    broken : int array
        The distinct units whose removal breaks the answer.
    """

    method: str
    k: int | None
    delta: float
    jaccard: float | None
    size: int | None
    note: str = ""
    broken: IntArray = field(default_factory=lambda: np.empty(0, np.int64), repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "broken", frozen(self.broken))

    def __repr__(self) -> str:
        """Show the row; a size of thousands of digits is shown by its logarithm."""
        jaccard = "not applicable" if self.jaccard is None else f"{self.jaccard:.6g}"
        return (
            f"AuditRow(method={self.method!r}, k={self.k}, delta={self.delta:.6g}, "
            f"jaccard={jaccard}, size={self.size_in_words})"
        )

    @property
    def size_in_words(self) -> str:
        """The size for people: exact, or its logarithm where that is clearer."""
        return size_in_words(self.size, self.log10_size)

    @property
    def log10_size(self) -> float | None:
        """The decimal logarithm of the size, also where the size is beyond any float."""
        return None if self.size is None else log10_of(self.size)


def log10_of(number: int) -> float:
    """Return log10 of a positive integer of any size.

    Examples
    --------
    >>> log10_of(10**400)
    400.0
    """
    excess = max(0, number.bit_length() - 1000)
    return math.log10(number >> excess) + excess * math.log10(2)

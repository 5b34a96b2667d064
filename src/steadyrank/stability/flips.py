"""Flips: which units, once removed, change the answer, and which items leave and enter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from steadyrank.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Flip:
    """One kind of unit that breaks an answer.

    Attributes
    ----------
    method : str
        The method whose answer breaks.
    unit : object
        The label of the unit.
    count : int
        How many such units there are.
    leaves, enters : tuple of labels
        The items that leave and that enter the answer when one such unit is removed.
    """

    method: str
    unit: object
    count: int
    leaves: tuple[object, ...]
    enters: tuple[object, ...]


@dataclass(frozen=True)
class Flips:
    """All units that break the plain or the inflated top-k.

    Iterate over it, or look at ``plain`` and ``inflated`` alone.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, audit
    >>> matrix = ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]], items=["x", "y", "z"])
    >>> flips = audit(matrix, k=2, eps=0.5).flips(2)
    >>> print(flips)
    1 of 4 rows changes the plain top 2 when removed; 0 break the inflated one
    >>> [(flip.unit, flip.leaves, flip.enters) for flip in flips]
    [(2, ('y',), ('z',))]
    """

    k: int
    unit_kind: str
    units: int
    plain: tuple[Flip, ...]
    inflated: tuple[Flip, ...]

    def __iter__(self) -> Iterator[Flip]:
        """Yield the flips of the plain answer, then those of the inflated one."""
        return iter((*self.plain, *self.inflated))

    def __len__(self) -> int:
        """Return the number of distinct units that break either answer, each method by itself."""
        return len(self.plain) + len(self.inflated)

    def __str__(self) -> str:
        """Say how many units break which answer."""
        plain, inflated = (sum(flip.count for flip in part) for part in (self.plain, self.inflated))
        change = "changes" if plain == 1 else "change"
        destroy = "breaks" if inflated == 1 else "break"
        return (
            f"{plain:,} of {counted(self.units, self.unit_kind)} {change} the plain top {self.k} "
            f"when removed; {inflated:,} {destroy} the inflated one"
        )

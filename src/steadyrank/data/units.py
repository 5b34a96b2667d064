"""Units: what can be left out, each distinct one once, with the number of times it occurs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

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


class LazyLabels(Sequence[object]):
    """Labels that are put into words only when somebody looks at them.

    Examples
    --------
    >>> labels = LazyLabels(3, lambda unit: f"ballot {unit}")
    >>> labels[1], len(labels), labels[1:]
    ('ballot 1', 3, ['ballot 1', 'ballot 2'])
    """

    def __init__(self, size: int, name: Callable[[int], object]) -> None:
        self._size = size
        self._name = name

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> object: ...
    @overload
    def __getitem__(self, place: slice) -> list[object]: ...
    def __getitem__(self, place: int | slice) -> object:
        if isinstance(place, slice):
            return [self._name(unit) for unit in range(self._size)[place]]
        return self._name(range(self._size)[place])

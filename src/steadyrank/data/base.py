"""What all kinds of observations have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from steadyrank.data.arrays import frozen
from steadyrank.errors import EmptyDataError, InvalidPolicyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steadyrank.data.units import Units


class Observations(ABC):
    """A frozen set of observations about a fixed list of items.

    Attributes
    ----------
    items : tuple
        The labels of the items. Codes in the other fields are places in this tuple.
    notes : tuple of str
        What was guessed and which policies were applied, in plain words.
    """

    items: tuple[object, ...]
    notes: tuple[str, ...]

    @property
    @abstractmethod
    def units(self) -> Units:
        """The distinct units that can be left out, with their counts."""

    @property
    def n_items(self) -> int:
        """The number L of items."""
        return len(self.items)

    @property
    def n_units(self) -> int:
        """The number n of units, equal ones counted as often as they occur."""
        return self.units.total

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"<{name}: {self.n_units:,} {self.units.kind} units, {self.n_items:,} items>"


Kind = TypeVar("Kind", bound=Observations)


def fill(data: Observations, **fields: Any) -> None:
    """Fill in the fields of a frozen class, arrays as views that nobody can write to."""
    for name, value in fields.items():
        kept = frozen(value) if isinstance(value, np.ndarray) else value
        object.__setattr__(data, name, kept)


def said_first(data: Kind, notes: Sequence[str]) -> Kind:
    """Put the notes about columns before those about policies, and return the data."""
    fill(data, notes=(*notes, *data.notes))
    return data


def check_choice(argument: str, value: object, choices: Sequence[str]) -> None:
    """Complain unless ``value`` is one of ``choices``."""
    if value not in choices:
        raise InvalidPolicyError(argument, value, choices)


def check_some(size: int, what: str) -> None:
    """Complain about data without a single row."""
    if not size:
        raise EmptyDataError(f"there are no {what}", way_out="At least one is needed.")

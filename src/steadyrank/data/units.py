"""Units, what can be left out; and who is behind each row: how much they count, who leaves together.

Weights are whole parts of a decimal unit, so that sums of them, and with them ties, are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any, TypedDict

import numpy as np

from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
from steadyrank.arrays import are_decimals, as_column, as_scores, check_length
from steadyrank.errors import (
    NOBODY_COUNTS,
    EmptyDataError,
    InvalidCountError,
    InvalidDataError,
    shorten,
)
from steadyrank.labels import encode
from steadyrank.sums.exact import EXACT

ROOM = EXACT / 1024
"""Weights add up to fewer parts than this, so that a thousand times as many are exact, too."""

MOST_PLACES = 15


class People(TypedDict, total=False):
    """What may be said about who is behind each row: how much they count, and who leaves together."""

    weights: Any
    units: Any
    unit_kind: str


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
    grouped : bool
        Whether several rows may be one unit, since a column says so.
    """

    kind: str
    counts: IntArray
    labels: Sequence[object]
    grouped: bool = False

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

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self._name(unit) for unit in range(self._size)[place]]
        return self._name(range(self._size)[place])


@dataclass(frozen=True, eq=False)
class Shares:
    """What rows add to units, in whole parts of a weight: for scorers, which add up no floats.

    Attributes
    ----------
    rows : int array
        One row of each distinct unit, or all rows of groups.
    unit : int array
        The distinct unit of each of these rows.
    parts : int array
        How many parts each adds to one of its unit.
    scale : int
        How many parts make a weight of 1.
    counts : int array
        How often each distinct unit occurs.
    """

    rows: IntArray
    unit: IntArray
    parts: IntArray
    scale: int
    counts: IntArray

    @property
    def of_units(self) -> IntArray:
        """The weight of each distinct unit, in parts."""
        found = np.zeros(len(self.counts), dtype=np.int64)
        np.add.at(found, self.unit, self.parts)
        return found

    @property
    def n_alike(self) -> float:
        """How many units of equal weight vary as much as these do together (Kish, 1965)."""
        parts = self.of_units.astype(np.float64)
        return float((parts @ self.counts) ** 2 / (parts * parts @ self.counts))


def as_weights(
    weights: Any, counts: IntArray
) -> tuple[FloatArray | None, tuple[str, ...]]:
    """Return how much each row counts, None where all count 1, and what to say about it.

    Weights are decimals of so few places that sums of them are exact: with more they are rounded.

    Examples
    --------
    >>> as_weights([0.5, 2], np.array([3, 1]))
    (array([0.5, 2. ]), ())
    """
    if weights is None:
        return None, ()
    found = weight_numbers(weights, len(counts))
    total = float(found @ counts)
    if not total:
        raise EmptyDataError(NOBODY_COUNTS)
    places = int(np.clip(np.floor(np.log10(ROOM / total)), 0, MOST_PLACES))
    rounded = np.round(found, places) + 0.0
    lost = np.abs(rounded - found) > found / 1000
    if total >= EXACT or lost.any():
        raise InvalidCountError(
            f"weights from {found[found > 0].min():g} to {found.max():g} that add up to {total:g} are "
            "too far apart to be added up exactly",
            way_out="Divide them by one number, or round the smallest ones.",
        )
    if (found == 1).all():
        return None, ()
    if decimal_places(found) <= places:
        return found, ()
    note = f"weights rounded to {places} decimal places: with more they would not add up exactly"
    return rounded, (note,)


def whole_parts(weights: FloatArray | None) -> tuple[IntArray, int]:
    """Return weights in whole parts, a single 1 where there are none, and how many parts make a 1."""
    if weights is None:
        return np.ones(1, dtype=np.int64), 1
    scale = 10 ** decimal_places(weights)
    return np.rint(weights * float(scale)).astype(np.int64), scale


def weight_numbers(weights: Any, size: int) -> FloatArray:
    """Return so many weights as numbers from 0 on; short ones are the decimals they are written as."""
    column = as_scores(weights, "weights")
    check_length(column, size, "weights")
    short = column.dtype.kind == "f" and column.dtype.itemsize < 8
    found = np.array(column.astype(np.str_) if short else column, dtype=np.float64)
    wrong: BoolArray = found < 0
    if wrong.any():
        raise InvalidCountError(
            f"weights must be numbers from 0 on, but there is {found[wrong][0]:g}",
            rows=wrong,
            subject="weights",
            way_out="Correct these rows.",
        )
    return found


def decimal_places(values: FloatArray) -> int:
    """Return the fewest decimal places that write all values, or one more than is looked for.

    Examples
    --------
    >>> decimal_places(np.array([0.1, 2.25])), decimal_places(np.array([1 / 3]))
    (2, 16)
    """
    tried = range(MOST_PLACES + 1)
    return next((d for d in tried if are_decimals(values, d).all()), MOST_PLACES + 1)


def said_of(people: People, rows: Any, size: int) -> dict[str, Any]:
    """Return what is said about rows, of which there are so many, as said about some of them."""
    found: dict[str, Any] = {**people}
    for what in ("weights", "units"):
        if found.get(what) is not None:
            column = as_column(found[what], what)
            check_length(column, size, what)
            found[what] = column[rows]
    return found


def agreed(people: People, owner: AnyArray, size: int, of: str) -> People:
    """Return what is said about entries as said about their owners; all entries of one must agree."""
    found = people.copy()
    if (weights := people.get("weights")) is not None:
        found["weights"] = _one_each(
            weight_numbers(weights, len(owner)), owner, np.zeros(size), of, "weights"
        )
    if (units := people.get("units")) is not None:
        labels, kind = (
            as_column(units, "units"),
            shorten(people.get("unit_kind", "group")),
        )
        check_length(labels, len(owner), "units")
        found["units"] = _one_each(labels, owner, np.full(size, None), of, kind)
    return found


def _one_each(
    given: AnyArray, owner: AnyArray, each: AnyArray, of: str, what: str
) -> AnyArray:
    each[owner] = given
    if (wrong := each[owner] != given).any():
        raise InvalidDataError(f"entries of one {of} name different {what}", rows=wrong)
    return each


def of_people(
    counts: IntArray, row: str, *, weights: Any = None, units: Any = None, unit_kind: str = "group",
    **unknown: Any,
) -> dict[str, Any]:  # fmt: skip
    """Return the fields that say how much each row counts, which leave together, and what to note.

    Parameters
    ----------
    counts : int array
        How often each row occurs.
    row : str
        What a row is called.
    weights, units, unit_kind
        What was said about the people.
    **unknown
        What no kind of data takes, and is refused.
    """
    if unknown:
        raise InvalidDataError(
            f"there is no argument called {shorten(next(iter(unknown)))} here",
            way_out="Who is behind the rows is said by weights, units and unit_kind.",
        )
    each, notes = as_weights(weights, counts)
    unit, labels = (None, None) if units is None else encode(units, what="units")
    if unit is not None:
        check_length(unit, len(counts), "units")
        row, unit = unit_kind, unit.astype(np.int64)
    return {
        "weights": each,
        "unit": unit,
        "_unit_labels": labels,
        "_unit_kind": row,
        "notes": notes,
    }


def renumbered(kept: BoolArray) -> IntArray:
    """Return for each place the number that it has among those that are kept."""
    return np.asarray(np.cumsum(kept) - 1)


def remaining_groups(
    unit: IntArray | None, labels: Sequence[object] | None, rows: Any
) -> dict[str, Any]:
    """Renumber the groups of some rows; those without any are none any more."""
    if unit is None or labels is None:
        return {"unit": None, "_unit_labels": None}
    stay = np.bincount(unit[rows], minlength=len(labels)) > 0
    return {
        "unit": renumbered(stay)[unit[rows]],
        "_unit_labels": tuple(compress(labels, stay)),
    }

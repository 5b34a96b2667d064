"""The same observations with other numbers of copies of each unit: one less, or a bag of them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from steadyrank.data.arrays import frozen
from steadyrank.errors import InvalidValueError, NothingLeftError, SizeMismatchError

if TYPE_CHECKING:
    from steadyrank._typing import IntArray

Data = TypeVar("Data")


def without(data: Data, unit: int) -> Data:
    """Return the data without one copy of a distinct unit; the list of items stays as it is.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix or Regression
    unit : int
        The number of the unit in ``data.units``.

    Examples
    --------
    >>> from steadyrank.data import Votes
    >>> rest = without(Votes(["ann", "bob", "ann"]), 1)
    >>> rest.items, rest.units.counts
    (('ann', 'bob'), array([2]))
    """
    units = data.units  # type: ignore[attr-defined]
    if not 0 <= unit < len(units):
        raise InvalidValueError(
            f"unit must be a whole number from 0 to {len(units) - 1:,} (the distinct units), "
            f"but is {unit!r}."
        )
    if units.total < 2:
        raise NothingLeftError(units.kind)
    copies = np.array(units.counts, dtype=np.int64)
    copies[unit] -= 1
    return with_copies(data, copies)


def with_copies(data: Data, copies: IntArray) -> Data:
    """Return data that hold ``copies[u]`` copies of each distinct unit u, all else unchanged.

    Rows keep their order. Copies of a user, a row or a group are units of their own where each
    row is a unit; copies of a group of battles count as one group of as many times its battles.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix or Regression
    copies : int array
        One number for each distinct unit of ``data.units``.

    Examples
    --------
    >>> from steadyrank.data import Regression
    >>> data = Regression([[1.0], [2.0], [3.0]], [4.0, 5.0, 6.0])
    >>> with_copies(data, np.array([2, 0, 1])).y
    array([4., 4., 6.])
    """
    copies = np.asarray(copies, dtype=np.int64)
    expected = len(data.units)  # type: ignore[attr-defined]
    if copies.shape != (expected,):
        raise SizeMismatchError(
            f"copies must hold one number for each of the {expected:,} distinct units, "
            f"but has shape {copies.shape}."
        )
    for kind in type(data).__mro__:
        if kind.__name__ in _KINDS:
            return _replaced(data, _KINDS[kind.__name__](data, copies))
    raise InvalidValueError(
        f"only observations have units to take away, but the data are {type(data).__name__}. "
        f"Make one of these first: {', '.join(_KINDS)}."
    )


def _replaced(data: Data, changed: dict[str, Any]) -> Data:
    """Make another object of the same class; what it has cached is not taken over."""
    made = object.__new__(type(data))
    for field in fields(data):  # type: ignore[arg-type]
        value = changed.get(field.name, getattr(data, field.name))
        kept = frozen(value) if isinstance(value, np.ndarray) else value
        object.__setattr__(made, field.name, kept)
    return made


def _votes(data: Any, copies: IntArray) -> dict[str, Any]:
    wanted = np.zeros(data.n_items, dtype=np.int64)
    wanted[data.unit_items] = copies
    return _rows_of_units(data, ("choices",), data.choices, wanted)


def _ballots(data: Any, copies: IntArray) -> dict[str, Any]:
    kept = np.flatnonzero(copies)
    indptr, entries = _repeated_spans(data.indptr, kept)
    return {
        "indptr": indptr,
        "ranked": data.ranked[entries],
        "levels": data.levels[entries],
        "counts": copies[kept],
    }


def _ratings(data: Any, copies: IntArray) -> dict[str, Any]:
    users = np.repeat(np.arange(len(copies)), copies)
    indptr, entries = _repeated_spans(data.indptr, users)
    return {
        "indptr": indptr,
        "rated": data.rated[entries],
        "values": data.values[entries],
        "user_labels": tuple(data.user_labels[user] for user in users.tolist()),
    }


def _battles(data: Any, copies: IntArray) -> dict[str, Any]:
    if data.unit is not None:
        counts = data.counts * copies[data.unit]
        kept = np.flatnonzero(counts)
        rows = ("left", "right", "outcome")
        changed = {name: getattr(data, name)[kept] for name in rows}
        return changed | {"counts": counts[kept]} | _groups(data, data.unit[kept], copies > 0)
    games, size = data.unit_games, data.n_items
    key = (games.winner * size + games.loser) * 2 + (games.wins > 0)
    turned = (data.outcome < 0) | ((data.outcome == 0) & (data.left > data.right))
    winner = np.where(turned, data.right, data.left)
    loser = np.where(turned, data.left, data.right)
    mine = (winner * size + loser) * 2 + (data.outcome != 0)
    wanted = np.zeros(2 * size * size, dtype=np.int64)
    wanted[key] = copies
    return _rows_of_units(data, ("left", "right", "outcome"), mine, wanted)


def _score_matrix(data: Any, copies: IntArray) -> dict[str, Any]:
    times = copies if data.unit is None else copies[data.unit]
    rows = np.repeat(np.arange(len(times)), times)
    changed = {
        "values": data.values[rows],
        "row_labels": tuple(data.row_labels[row] for row in rows.tolist()),
    }
    return changed if data.unit is None else changed | _groups(data, data.unit[rows], copies > 0)


def _regression(data: Any, copies: IntArray) -> dict[str, Any]:
    rows = np.repeat(np.arange(len(copies)), copies)
    labels = tuple(data.row_labels[row] for row in rows.tolist())
    return {"X": data.X[rows], "y": data.y[rows], "row_labels": labels}


_KINDS = {
    "Votes": _votes,
    "Ballots": _ballots,
    "Ratings": _ratings,
    "Battles": _battles,
    "ScoreMatrix": _score_matrix,
    "Regression": _regression,
}


def _rows_of_units(
    data: Any, columns: tuple[str, ...], unit: IntArray, wanted: IntArray
) -> dict[str, Any]:
    """Share out the wanted copies over the rows of each unit, first rows first.

    A row gives at most its own count, except the last one of its unit, which gives the rest.
    """
    order = np.argsort(unit, kind="stable")
    ordered, counts = unit[order], data.counts[order]
    last = np.append(ordered[1:] != ordered[:-1], True)
    begins = np.flatnonzero(np.append(True, last[:-1]))
    before = np.cumsum(counts) - counts
    before = before - np.repeat(before[begins], np.diff(np.append(begins, len(ordered))))
    left = np.maximum(0, wanted[ordered] - before)
    given = np.empty_like(counts)
    given[order] = np.where(last, left, np.minimum(left, counts))
    kept = np.flatnonzero(given)
    return {name: getattr(data, name)[kept] for name in columns} | {"counts": given[kept]}


def _groups(data: Any, unit: IntArray, kept: Any) -> dict[str, Any]:
    """Renumber the groups that are left, so that the others are no units any more."""
    labels = tuple(label for label, stays in zip(data.unit_labels, kept, strict=True) if stays)
    return {"unit": np.cumsum(kept)[unit] - 1, "unit_labels": labels}


def _repeated_spans(indptr: IntArray, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Return pointers and places of the chosen segments, one after the other."""
    sizes = np.diff(indptr)[chosen]
    pointers = np.append(0, np.cumsum(sizes))
    places = np.repeat(indptr[:-1][chosen] - pointers[:-1], sizes) + np.arange(pointers[-1])
    return pointers, places

"""Labels and their codes: the only place where items and units get their numbers.

A label is a text or a number, whole as it was given: none is rounded or folded. Two labels are one
if they are equal in Python: texts letter by letter, numbers by value whatever their types (1 and 1.0), a
text never with a number. Typed sources (dataframes, Parquet, JSON) say which of the two a label is. A
field of a text file is text, blanks around it included. Blanks are trimmed around labels in an order.

The order of the codes is fixed here, before anything is left out: sorted where all labels are
numbers or all are of one sortable type, else in order of first appearance.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from steadyrank import errors
from steadyrank._typing import AnyArray
from steadyrank.arrays import (
    Coded,
    as_column,
    is_hashable,
    numbered,
    sorted_codes,
    written,
)
from steadyrank.errors import (
    NO_BLANKS,
    InvalidLabelError,
    WayOut,
    listing,
    shorten,
)

NOT_LISTED = (
    "Add them to the list, or remove these rows; 1 and '1' are different labels."
)


def encode(
    values: Any, *, known: Iterable[object] | None = None, what: str = "items"
) -> tuple[AnyArray, tuple[object, ...]]:
    """Return the code of each value, and the labels that the codes stand for.

    Parameters
    ----------
    values : array, series or iterable
        One label for each row.
    known : iterable, optional
        The list of labels, in order; without it the distinct values are the list.
    what : str
        What the labels name, for the message of an error.

    Returns
    -------
    codes : int32 array
        Places in ``labels``.
    labels : tuple

    Examples
    --------
    >>> codes, labels = encode(["b", "a", "b"])
    >>> codes.tolist(), labels
    ([1, 0, 1], ('a', 'b'))
    >>> encode([10, 9])[1], encode(["10", "9"])[1], encode(["x", 1])[1]
    ((9, 10), ('10', '9'), ('x', 1))
    """
    column = values.distinct if isinstance(values, Coded) else as_column(values, what)
    whole = column.dtype.kind in "iu"
    codes, distinct = sorted_codes(column) if whole else _encode_objects(column, what)
    codes = values.codes if isinstance(values, Coded) else codes
    if not whole:
        _check_present(codes, distinct, what)
    if known is not None:
        return _match(codes, distinct, unique_labels(known, what), what)
    return (codes, tuple(distinct)) if whole else _in_order(codes, distinct)


def unique_labels(labels: Iterable[object], what: str = "items") -> tuple[object, ...]:
    """Return given labels as a tuple, after checking that each is usable and occurs once.

    Examples
    --------
    >>> unique_labels(["b", "a"])
    ('b', 'a')
    """
    column = as_column(labels, what)
    source = (
        f"the list of {what}"  # so that places in it are not taken for rows of the data
    )
    if not len(column):
        raise errors.EmptyDataError(f"{source} is empty")
    try:
        codes, distinct = _encode_objects(column, what)
        _check_present(codes, distinct, what)
    except InvalidLabelError as error:
        error.place_in(source, None)
        raise
    if len(distinct) < len(column):
        doubled = np.bincount(codes)[codes] > 1
        first = distinct[codes[doubled][0]]
        told = f"{what} must be named once each, but {shorten(first)} occurs again"
        raise InvalidLabelError(
            told, rows=doubled, source=source, way_out="Rename one of them."
        )
    return tuple(distinct)


def _encode_objects(column: AnyArray, what: str) -> tuple[AnyArray, list[object]]:
    listed = column.tolist()
    kinds = set(map(type, listed))
    if len(kinds) > 1 and kinds & {bool, np.bool_}:
        rows = [
            row
            for row, label in enumerate(listed)
            if isinstance(label, bool | np.bool_)
        ]
        told = f"{what} mix truth values with other labels, and True equals 1"
        raise _wrong(told, rows, what, "Turn all of them into text.")
    try:
        codes, distinct = numbered(listed)
    except TypeError:
        wrong = [row for row, label in enumerate(listed) if not is_hashable(label)]
        told = (
            f"{what} must be text or numbers, but there is {shorten(listed[wrong[0]])}"
        )
        raise _wrong(told, wrong, what, ()) from None
    return codes, [_plain(label) for label in distinct]


def _check_present(codes: AnyArray, distinct: list[object], what: str) -> None:
    gone = [code for code, label in enumerate(distinct) if not written(label)]
    if gone:
        told = f"{what} must not be missing or blank, but there is {shorten(distinct[gone[0]])}"
        raise _wrong(told, np.isin(codes, gone), what, NO_BLANKS)


def _wrong(told: str, rows: Any, what: str, way_out: WayOut) -> InvalidLabelError:
    return InvalidLabelError(
        told, rows=rows, subject=what.removesuffix("s"), way_out=way_out
    )


def _plain(label: object) -> object:
    return label.item() if isinstance(label, np.generic) else label


def _in_order(
    codes: AnyArray, distinct: list[Any]
) -> tuple[AnyArray, tuple[object, ...]]:
    """Sort labels that are all numbers, or all of one type, if it has an order."""
    kinds = set(map(type, distinct))
    order = list(range(len(distinct)))
    if len(kinds) == 1 or all(issubclass(kind, numbers.Real) for kind in kinds):
        with suppress(TypeError):
            order = sorted(order, key=distinct.__getitem__)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[codes], tuple(distinct[place] for place in order)


def _match(
    codes: AnyArray, distinct: Sequence[object], known: tuple[object, ...], what: str
) -> tuple[AnyArray, tuple[object, ...]]:
    place = {label: code for code, label in enumerate(known)}
    to_known = np.array([place.get(label, -1) for label in distinct], dtype=np.int32)
    strange = np.flatnonzero(to_known < 0)
    if len(strange):
        names = listing(
            (shorten(distinct[code]) for code in strange[:10]), len(strange)
        )
        told = f"{names} not in the given list of {len(known):,} {what}"
        raise _wrong(told, np.isin(codes, strange), what, NOT_LISTED)
    return to_known[codes], known

"""From whatever a user holds (lists, arrays, series) to one-dimensional numpy arrays.

Nothing is converted between text and numbers here: a list of ``1`` and ``"a"`` stays a list of
two types, which numpy alone would turn into text.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import Any

import numpy as np

from steadyrank import errors
from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
from steadyrank.errors import NO_BLANKS, shorten

NOT_A_COLUMN = (str, bytes, Mapping, AbstractSet)
PLAIN = {int: np.int64, float: np.float64, bool: np.bool_}
WHOLE_DTYPES = (np.int8, np.int16, np.int32, np.int64)
CORRECT = "Turn them into numbers, or correct these rows."
FINITE = "Remove these rows, or give the numbers that you mean."
EXACT = 2**53
"""Whole numbers up to here are all held by floats."""
WIDEST_TABLE = 1 << 27
"""Whole numbers that span at most this much are looked up in a table, not sorted."""
MOST_DECIMALS, SINGLE_DIGITS = 6, 10.0**6
"""How many decimal places are looked for; decimals of up to six digits survive single precision."""


def is_missing(value: object) -> bool:
    """Tell whether a value stands for "nothing here": None, NaN, NaT, pandas' NA.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing(""), is_missing(0)
    (True, True, False, False)
    """
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 (only NaN-like values differ from themselves)
    except (
        TypeError,
        ValueError,
    ):  # pandas' NA refuses to be a truth value, arrays too
        return type(value).__name__ == "NAType"


def written(value: object) -> str:
    """Return a value as one types it, without blanks around it; nothing if it is missing.

    Examples
    --------
    >>> written(" a "), written(7.0), written(None)
    ('a', '7', '')
    """
    if isinstance(value, str):
        return value.strip()
    if is_missing(value):
        return ""
    whole = isinstance(value, float | np.floating) and value.is_integer()
    return str(int(value) if whole else value).strip()  # type: ignore[call-overload]


def objects(values: Iterable[object]) -> AnyArray:
    """Return a one-dimensional object array, even where the values are lists of equal length."""
    return np.fromiter(values, dtype=object)


def is_hashable(value: object) -> bool:
    """Tell whether a value can be a label: lists, and tuples that hold some, cannot."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def numbered(values: Sequence[Any]) -> tuple[AnyArray, list[Any]]:
    """Return a code for each value, and the distinct values, in order of first appearance.

    Examples
    --------
    >>> numbered(["b", "a", "b"])
    (array([0, 1, 0], dtype=int32), ['b', 'a'])
    """
    index = dict(zip(dict.fromkeys(values), count(), strict=False))
    codes = np.fromiter(
        map(index.__getitem__, values), dtype=np.int32, count=len(values)
    )
    return codes, list(index)


def sorted_codes(column: AnyArray) -> tuple[AnyArray, list[Any]]:
    """Return a code for each number, and the distinct numbers in order.

    Examples
    --------
    >>> sorted_codes(np.array([9, 7, 9]))
    (array([1, 0, 1], dtype=int32), [7, 9])
    """
    whole = column.dtype.kind in "iu" and len(column)
    lowest, span = (
        (int(column.min()), int(column.max()) - int(column.min()) + 1)
        if whole
        else (0, 0)
    )
    if not whole or span > min(WIDEST_TABLE, 4 * len(column) + 1024):
        distinct, codes = np.unique(column, return_inverse=True)
        return codes.astype(np.int32), distinct.tolist()
    # Differences may overflow a signed type, but not the unsigned one of the same width.
    shifted = (column - column.dtype.type(lowest)).view(f"u{column.dtype.itemsize}")
    present = np.zeros(span, dtype=bool)
    present[shifted] = True
    if present.all():
        return shifted.astype(np.int32), list(range(lowest, lowest + span))
    code_of: AnyArray = np.cumsum(present, dtype=np.int32) - np.int32(1)
    return code_of[shifted], [
        place + lowest for place in np.flatnonzero(present).tolist()
    ]


@dataclass(frozen=True, eq=False)
class Coded:
    """Labels of rows by code: each distinct one once, in order of first appearance."""

    codes: AnyArray
    distinct: AnyArray

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[object]:
        return iter(self.distinct[self.codes])


def as_column(values: Any, what: str) -> AnyArray:
    """Return ``values`` as a one-dimensional array of numbers, truth values or objects.

    Parameters
    ----------
    values : array, series of any dataframe library, or iterable
        One value for each row.
    what : str
        What the values are, for the message of an error.

    Examples
    --------
    >>> as_column([3, 1], "choices").dtype, as_column([1, "1"], "choices").dtype
    (dtype('int64'), dtype('O'))
    """
    if isinstance(values, Coded):
        return values.distinct[values.codes]
    is_frame = hasattr(values, "columns")
    if is_frame or isinstance(values, NOT_A_COLUMN) or not hasattr(values, "__iter__"):
        shown = "a dataframe" if is_frame else shorten(values)
        raise errors.InvalidDataError(
            f"{what} must hold one value for each row, in order, but is {shown}",
            way_out="Put the values into a list, or read a table with read(...).",
        )
    if isinstance(values, np.ndarray):
        column = _from_numpy(values)
    else:
        column = (
            _from_iterable(values)
            if isinstance(values, list | tuple)
            else _from_foreign(values)
        )
    if column.ndim != 1:
        raise errors.InvalidDataError(
            f"{what} must have one dimension, but has shape {column.shape}"
        )
    return column


def _from_numpy(values: AnyArray) -> AnyArray:
    if isinstance(values, np.ma.MaskedArray):
        return objects(values.tolist())  # masked places come out as None
    if values.dtype.kind in "iufbO":
        return values
    return values.astype(object)


def _from_foreign(values: Any) -> AnyArray:
    """Return a series of any dataframe library, or what else can be gone through."""
    import narwhals as nw  # likewise

    series = nw.from_native(values, allow_series=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return _from_iterable(
            values.to_pylist() if hasattr(values, "to_pylist") else values
        )
    plain = series.dtype.is_numeric() or series.dtype == nw.Boolean
    beyond = series.dtype in (nw.Decimal, nw.Int128, nw.UInt128)
    if plain and not beyond and series.null_count() == 0:
        if series.implementation.is_pyarrow() and len(series):
            if series.dtype == nw.Boolean:  # which is packed
                return _from_arrow(series.to_native().cast("uint8").chunks).view(
                    np.bool_
                )
            return _from_arrow(series.to_native().chunks)
        return _from_numpy(series.to_numpy())
    listed = series.to_list()
    if (
        series.dtype == nw.Float32
    ):  # what they are written as is known of single precision alone
        return np.array(
            [np.nan if is_missing(value) else value for value in listed],
            dtype=np.float32,
        )
    return objects(listed)


def _from_arrow(chunks: Sequence[Any]) -> AnyArray:
    """Return numbers of Arrow as one array; Arrow's own way there imports pandas."""
    arrays = [np.from_dlpack(chunk) for chunk in chunks]
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _from_iterable(values: Iterable[object]) -> AnyArray:
    listed = list(values)
    kinds = set(map(type, listed))
    if len(kinds) == 1 and (plain := PLAIN.get(kinds.pop())) is not None:
        with suppress(OverflowError):  # whole numbers beyond 64 bits stay as they are
            return np.array(listed, dtype=plain)
    return objects(listed)


def as_numbers(values: Any, what: str, *, missing: bool = False) -> AnyArray:
    """Return a numeric column: whole numbers stay whole, all else becomes floating point.

    Parameters
    ----------
    values : array, series or iterable
        One number for each row.
    what : str
        What they are called in an error.
    missing : bool
        Whether missing values may occur (they become NaN); infinity never may.

    Examples
    --------
    >>> as_numbers([1, 2.5, None], "ratings", missing=True)
    array([1. , 2.5, nan])
    """
    column = as_column(values, what)
    if column.dtype == object:
        column = _numbers_of_objects(column, what)
    if column.dtype.kind == "b":
        return column.astype(np.int8)
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        infinite = np.isinf(column)
        if infinite.any():
            told = f"{what} must be finite, but there is {column[infinite][0]}"
            raise errors.NotANumberError(
                told, rows=infinite, subject=what, way_out=FINITE
            )
        if not missing:
            told = f"{what} has missing values"
            raise errors.MissingValuesError(
                told, rows=np.isnan(column), subject=what, way_out=NO_BLANKS
            )
    return column


def as_doubles(matrix: AnyArray) -> FloatArray:
    """Return a matrix in double precision; of a shorter one, columns of decimals are those decimals.

    So the same numbers tie whatever held them: 0.1 in single precision is 0.1. Six digits of decimals
    survive single precision; columns with longer ones stay as they are.

    Examples
    --------
    >>> as_doubles(np.array([[0.1, 2.5], [0.2, np.pi]], dtype=np.float32)).tolist()
    [[0.1, 2.5], [0.2, 3.1415927410125732]]
    """
    found: FloatArray = matrix.astype(np.float64, copy=False)
    if matrix.dtype.itemsize >= 8 or matrix.dtype.kind != "f":
        return found
    left, largest = (
        np.ones(matrix.shape[1], dtype=bool),
        np.nanmax(np.abs(found), axis=0, initial=0.0),
    )
    for places in range(MOST_DECIMALS + 1):
        scale, same = 10.0**places, are_decimals(matrix, places).all(axis=0)
        fits = left & same & (largest * scale < most_digits(places, single=True))
        found, left = (
            np.where(fits, np.rint(found * scale) / scale, found),
            left & ~fits,
        )
    return found


def most_digits(decimals: int, *, single: bool) -> float:
    """Return how large decimals of a precision may be in whole parts of their last place."""
    return SINGLE_DIGITS if single and decimals else EXACT


def are_decimals(values: AnyArray, decimals: int) -> BoolArray:
    """Tell which values are what decimals of so many places are read as; gaps are."""
    if values.dtype.kind in "iub":
        return np.ones(values.shape, dtype=np.bool_)
    scale = 10.0**decimals
    with np.errstate(over="ignore"):  # what is too large for it is no decimal
        scaled = np.multiply(values, scale, dtype=np.float64)
        meant = (np.rint(scaled, out=scaled) / scale).astype(values.dtype)
    same: BoolArray = (meant == values) | np.isnan(values)
    return same


def as_scores(values: Any, what: str, *, missing: bool = False) -> AnyArray:
    """Return numbers to add up and compare; refuse whole ones that floats do not tell apart.

    Examples
    --------
    >>> as_scores([2**53, 1], "score").tolist()
    [9007199254740992, 1]
    """
    column = as_numbers(values, what, missing=missing)
    if (
        column.dtype.kind in "iu"
        and (wrong := (column > EXACT) | (column < -EXACT)).any()
    ):
        raise not_exact(column[wrong][0], wrong, what)
    return column


def not_exact(number: object, rows: Any, what: str) -> errors.NotANumberError:
    """Return the error about whole numbers that floats do not tell from others."""
    return errors.NotANumberError(
        f"{what} must be whole numbers up to 2^53, beyond which different ones become one, or decimals, "
        f"but there is {str(number)[:40]}",
        rows=rows,
        subject=what,
        way_out="Subtract one number from all of them first, or divide them by one.",
    )


def _numbers_of_objects(column: AnyArray, what: str) -> AnyArray:
    real = [isinstance(value, numbers.Real | Decimal) for value in column]
    wrong = [
        row for row, value in enumerate(column) if not (real[row] or is_missing(value))
    ]
    if wrong:
        told = f"{what} must be numbers, but there is {shorten(column[wrong[0]])}"
        raise errors.NotANumberError(told, rows=wrong, way_out=CORRECT)
    whole = [isinstance(value, numbers.Integral) for value in column]
    if whole and all(whole):
        with suppress(OverflowError):
            return column.astype(np.int64)
    large = [
        row
        for row, value in enumerate(column)
        if whole[row] and abs(int(value)) > EXACT
    ]
    if large:
        raise not_exact(column[large[0]], large, what)
    pairs = zip(column, real, strict=True)
    return np.array([float(value) if there else np.nan for value, there in pairs])


def as_counts(values: Any, size: int, what: str = "counts") -> IntArray:
    """Return how often each of ``size`` rows occurs, 1 each where ``values`` is None.

    Examples
    --------
    >>> as_counts([2, 3.0], 2), as_counts(None, 2)
    (array([2, 3]), array([1, 1]))
    """
    if values is None:
        return np.ones(size, dtype=np.int64)
    column = as_numbers(values, what)
    check_length(column, size, what)
    wrong = (column < 0) | (column != np.floor(column))
    if column.dtype != np.int64:
        wrong |= column >= 2.0**63
    if wrong.any():
        raise errors.InvalidCountError(
            f"{what} must be whole numbers from 0 on, below 2^63, but there is {column[wrong][0]}",
            rows=wrong,
            subject=what,
            way_out="Correct these rows.",
        )
    return column.astype(np.int64)


def as_matrix(values: Any, what: str, *, missing: bool = False) -> FloatArray:
    """Return a new float64 matrix; complain about anything that is not a finite number."""
    if hasattr(values, "columns") or hasattr(values, "column_names"):
        told = f"{what} is a dataframe, whose column names would be lost here"
        raise errors.InvalidDataError(
            told, way_out="Pass an array of numbers, or read it with read(...)."
        )
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise errors.InvalidDataError(
            f"{what} must be a matrix, but is {shorten(values)}"
        )
    given = (
        np.asarray(values) if hasattr(values, "__array__") else _stacked(values, what)
    )
    if given.ndim != 2:
        told = f"{what} must be a matrix (rows = units, columns = items), but has shape {given.shape}"
        raise errors.InvalidDataError(
            told, way_out="One column becomes a matrix with values[:, None]."
        )
    try:
        numbers = as_scores(given.reshape(-1), what, missing=missing)
    except errors.InvalidDataError as error:  # places are rows of the matrix
        error.problem += f" in column number {error.rows[0] % given.shape[1]}"
        error.rows = list(
            dict.fromkeys(place // given.shape[1] for place in error.rows)
        )
        error.total = len(error.rows)
        raise
    return as_doubles(np.array(numbers).reshape(given.shape))


def _stacked(values: Iterable[Any], what: str) -> AnyArray:
    """Return rows as one array, of objects unless all of one type."""
    rows = [as_column(row, what) for row in values]
    widths = sorted({len(row) for row in rows})
    if len(widths) > 1:
        told = f"{what} must have rows of equal length, but has rows of {widths} values"
        raise errors.InvalidDataError(told)
    same = len({row.dtype for row in rows}) == 1
    return np.array(rows, dtype=None if same else object).reshape(
        len(rows), -1 if rows else 0
    )


def check_length(column: AnyArray, size: int, what: str) -> None:
    """Complain unless ``column`` has ``size`` rows."""
    if len(column) != size:
        raise errors.InvalidScoresError(
            f"{what} has {len(column):,} values for {size:,} rows."
        )


def compact(values: AnyArray) -> AnyArray:
    """Return whole numbers in the smallest type that holds them; float32 stays, else float64.

    Examples
    --------
    >>> compact(np.array([1, 5])).dtype, compact(np.array([1.5], dtype=np.float32)).dtype
    (dtype('int8'), dtype('float32'))
    """
    if values.dtype.kind == "f":
        small = values.dtype.itemsize <= 4
        return values.astype(np.float32 if small else np.float64, copy=False)
    lowest, highest = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    for dtype in WHOLE_DTYPES:
        if np.iinfo(dtype).min <= lowest and highest <= np.iinfo(dtype).max:
            return values.astype(dtype, copy=False)
    return values.astype(np.float64)

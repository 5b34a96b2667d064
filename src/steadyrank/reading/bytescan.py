"""Fields and whole numbers found in a block of bytes, without a Python step for each line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.reading.text_columns import TextColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steadyrank._typing import AnyArray, IntArray

NEWLINE, MINUS, ZERO = 10, 45, 48
MOST_DIGITS = 18  # all of them fit into 64 bits
MOST_PACKED = 8  # bytes of text that fit into one 64-bit key


def plain_lines(block: bytes) -> bytes | None:
    r"""Return the block with ``\n`` line ends and one at its end; None where that is not certain.

    Examples
    --------
    >>> plain_lines(b"a\r\nb"), plain_lines(b"a\rb")
    (b'a\nb\n', None)
    """
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
        if b"\r" in block:
            return None
    return block if block.endswith(b"\n") else block + b"\n"


def field_bounds(data: AnyArray, delimiter: int, width: int) -> tuple[IntArray, IntArray] | None:
    r"""Return where each field starts and ends, as (lines, width) arrays.

    None where some line has not exactly ``width`` fields.

    Examples
    --------
    >>> data = np.frombuffer(b"a,bc\nd,e\n", dtype=np.uint8)
    >>> field_bounds(data, ord(","), 2)[1].tolist()
    [[1, 4], [6, 8]]
    """
    marks = np.flatnonzero((data == NEWLINE) | (data == delimiter))
    if len(marks) % width:
        return None
    ends = marks.reshape(-1, width)
    if not (data[ends[:, -1]] == NEWLINE).all() or (data[ends[:, :-1]] == NEWLINE).any():
        return None
    starts = np.empty_like(marks)
    starts[0] = 0
    starts[1:] = marks[:-1] + 1
    return starts.reshape(-1, width), ends


def whole_numbers(data: AnyArray, starts: IntArray, ends: IntArray) -> IntArray | None:
    """Return the fields as numbers; None unless each is exactly what a whole number prints as.

    Examples
    --------
    >>> data = np.frombuffer(b"12,-7,007", dtype=np.uint8)
    >>> whole_numbers(data, np.array([0, 3]), np.array([2, 5]))
    array([12, -7])
    >>> whole_numbers(data, np.array([6]), np.array([9])) is None
    True
    """
    if not len(starts):
        return np.zeros(0, dtype=np.int64)
    if (ends <= starts).any():
        return None
    minus = data[starts] == MINUS
    first = starts + minus
    digits = ends - first
    most = int(digits.max())
    leading = data[np.minimum(first, len(data) - 1)]
    odd = (digits < 1) | ((leading == ZERO) & ((digits > 1) | minus))
    if most > MOST_DIGITS or odd.any():
        return None
    values = np.zeros(len(starts), dtype=np.int64)
    for place in range(most):
        inside = digits > place
        digit = data[np.where(inside, ends - 1 - place, starts)] - np.uint8(ZERO)
        if (digit[inside] > 9).any():
            return None
        values += np.where(inside, digit, 0) * np.int64(10**place)
    return np.where(minus, -values, values)


def texts(block: bytes, data: AnyArray, starts: IntArray, ends: IntArray) -> TextColumn:
    """Return the fields as text, each distinct one decoded once.

    Examples
    --------
    >>> block = b"ab,c,ab"
    >>> data = np.frombuffer(block, dtype=np.uint8)
    >>> column = texts(block, data, np.array([0, 3, 5]), np.array([2, 4, 7]))
    >>> [column.words[code] for code in column.codes]
    ['ab', 'c', 'ab']
    """
    sizes = ends - starts
    if int(sizes.max(initial=0)) > MOST_PACKED:
        pieces = [block[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        index = {piece: code for code, piece in enumerate(dict.fromkeys(pieces))}
        found = np.fromiter(map(index.__getitem__, pieces), dtype=np.int32, count=len(pieces))
        return TextColumn(found, [piece.decode() for piece in index])
    # No field holds a NUL byte, so its bytes, padded with zeros, are a key of their own.
    keys = np.zeros(len(starts), dtype=np.uint64)
    for place in range(int(sizes.max(initial=0))):
        inside = sizes > place
        letter = data[np.where(inside, starts + place, 0)].astype(np.uint64)
        keys |= np.where(inside, letter, np.uint64(0)) << np.uint64(8 * place)
    distinct, codes = np.unique(keys, return_inverse=True)
    words = [int(key).to_bytes(8, "little").rstrip(b"\0").decode() for key in distinct]
    return TextColumn(codes.astype(np.int32), words)


def join_columns(parts: Sequence[TextColumn | AnyArray]) -> TextColumn | AnyArray:
    """Join the parts of a column: whole numbers if all parts are, else text.

    Examples
    --------
    >>> join_columns([np.array([7]), TextColumn.of(["x"])]).words
    ['7', 'x']
    """
    arrays = [part for part in parts if not isinstance(part, TextColumn)]
    if len(arrays) == len(parts):
        return np.concatenate(arrays) if arrays else TextColumn.of([])
    index: dict[str, int] = {}
    codes = []
    for part in parts:
        column = part if isinstance(part, TextColumn) else _as_text(part)
        to_joint = [index.setdefault(word, len(index)) for word in column.words]
        codes.append(np.array(to_joint, dtype=np.int32)[column.codes])
    return TextColumn(np.concatenate(codes), list(index))


def _as_text(numbers: AnyArray) -> TextColumn:
    distinct, codes = np.unique(numbers, return_inverse=True)
    return TextColumn(codes.astype(np.int32), [str(number) for number in distinct.tolist()])

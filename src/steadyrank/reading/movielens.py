"""MovieLens ratings: ``u.data`` (tabs) and ``ratings.dat`` (``::``), both without a header.

``ratings.csv`` is an ordinary table.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from steadyrank.reading.delimited import read_delimited

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank.reading.files import OpenFile
    from steadyrank.reading.table import Table

NAMES = ("user", "movie", "rating", "timestamp")
TABBED = re.compile(rb"\d+\t\d+\t\d{1,2}\t\d{8,}\s*\Z")
COLONS = re.compile(rb"\d+::\d+::\d+(\.\d+)?::\d+\s*\Z")


def looks_like_movielens(first_line: bytes) -> bool:
    r"""Tell whether a line is one of MovieLens' files without a header.

    Examples
    --------
    >>> looks_like_movielens(b"196\t242\t3\t881250949"), looks_like_movielens(b"1::1193::5::97")
    (True, True)
    """
    return bool(TABBED.match(first_line) or COLONS.match(first_line))


def read_movielens(file: OpenFile, first_line: bytes) -> Table:
    """Read ``u.data`` or ``ratings.dat`` as a table of user, movie, rating and timestamp."""
    blocks: Iterator[bytes] = file.blocks()
    if COLONS.match(first_line):
        blocks = (block.replace(b"::", b"\t") for block in blocks)
    table = read_delimited(blocks, "\t", source=file.name, names=NAMES)
    table.notes.append("read as MovieLens ratings: user, movie, rating, timestamp")
    return table

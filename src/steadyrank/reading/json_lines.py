"""JSON lines: one object on each line; names are columns. Text stays text, numbers numbers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from steadyrank.errors import EmptyDataError, UnreadableFileError, shorten
from steadyrank.reading.table import GivenColumn, Table

if TYPE_CHECKING:
    from collections.abc import Iterable


def read_json_lines(blocks: Iterable[bytes], source: str = "") -> Table:
    r"""Read a table from blocks of whole lines; a name that a line lacks is a missing value.

    Examples
    --------
    >>> table = read_json_lines([b'{"a": "007"}\n{"a": "8", "b": 1}\n'])
    >>> table.labels("a").tolist(), table.labels("b").tolist()
    (['007', '8'], [None, 1])
    """
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    line = 0
    for block in blocks:
        for text in block.splitlines():
            line += 1
            if text.strip():
                rows.append(_object(text, line, source))
                lines.append(line)
    if not rows:
        raise EmptyDataError(f"{source or 'the text'} holds no rows")
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: GivenColumn([row.get(name) for row in rows], name) for name in names}
    return Table(columns, source, lines)


def _object(text: bytes, line: int, source: str) -> dict[str, Any]:
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        why = str(error)
    else:
        if isinstance(found, dict):
            return found
        why = f"there is {shorten(found)} instead of an object"
    raise UnreadableFileError(
        f"line {line} of {source or 'the text'} is not one JSON object: {why}",
        way_out='Write one object on each line, such as {"choice": "x"}.',
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{min(n for n in names if names.count(n) > 1)!r} is named twice")
    return found

"""Tables that tests write as text and read with said roles."""

from __future__ import annotations

import io
from typing import Any

import pytest

from steadyrank.arrays import Coded
from steadyrank.errors import Option, SteadyrankError
from steadyrank.reading.resolve import resolve
from steadyrank.reading.roles import Reading
from steadyrank.reading.table import open_table


def reading(text: str, **said: Any) -> Reading:
    """Read the text of a CSV file."""
    with open_table(io.BytesIO(text.encode())) as table:
        return resolve(table, said)


def refusal(text: str, **said: Any) -> str:
    """Return why the text of a CSV file is not read, as the command line says it."""
    with pytest.raises(SteadyrankError) as caught:
        reading(text, **said)
    return caught.value.worded(Option.typed)


def values(column: Any) -> Any:
    """Return a column as a list of what stands in it."""
    if isinstance(column, Coded):
        return list(column)
    if isinstance(column, list):
        return [values(part) for part in column]
    return [None if value != value else value for value in column.tolist()]

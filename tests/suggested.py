"""Tables that do not say what they hold: refused, and read by the first command of the refusal."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from steadyrank import read_any
from steadyrank.cli.inputs import withstanding
from steadyrank.data.read import read_checked
from steadyrank.errors import InvalidDataError, NotRecognisedError
from steadyrank.reading.readings import Reading


class Asked:
    """What the command line checks suggestions with."""

    scorer = min_count = None
    k = 2


def offered(columns: dict[str, list[Any]], **given: str) -> list[Reading]:
    """Return what the command line suggests for a table that it refuses."""
    with pytest.raises(InvalidDataError) as caught:
        read_checked(columns, None, None, None, given, partial(withstanding, Asked()))  # type: ignore[arg-type]
    return list(caught.value.readings)


def suggested(source: Any, **given: Any) -> Any:
    """Return the data as the first suggestion reads them, once the table was refused without it."""
    with pytest.raises(NotRecognisedError) as caught:
        read_any(source, **given)
    return caught.value.readings[0].read()

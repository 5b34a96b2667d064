"""Tables that do not say what they hold: refused, and read by the first command of the refusal."""

from __future__ import annotations

from typing import Any

import pytest

from steadyrank import read_any
from steadyrank.errors import NotRecognisedError


def suggested(source: Any, **given: Any) -> Any:
    """Return the data as the first suggestion reads them, once the table was refused without it."""
    with pytest.raises(NotRecognisedError) as caught:
        read_any(source, **given)
    return caught.value.readings[0].read()

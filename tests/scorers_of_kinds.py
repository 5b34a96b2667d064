"""Which of the named scorers take a kind of data, for tests that try them all."""

from __future__ import annotations

from pydoc import locate

from steadyrank.scorers.registry import NAMED


def scorers_for(kind: str) -> tuple[str, ...]:
    """Return the names of the scorers that take a kind of data."""
    return tuple(
        name
        for name, home in NAMED.items()
        if kind in locate(f"steadyrank.scorers.{home}").takes
    )

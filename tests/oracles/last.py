"""Scores where some items have no data: these are last, level with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction


def with_last(scores: Sequence[Fraction | None]) -> list[Fraction] | None:
    """Return scores with some number less than all others in place of None.

    None where no item has data.
    """
    there = [score for score in scores if score is not None]
    if not there:
        return None
    last = min(there) - 1
    return [last if score is None else score for score in scores]

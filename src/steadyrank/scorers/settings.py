"""The settings of scorers: which numbers or words each may be is declared, and checked in one place."""

from __future__ import annotations

import math
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np

from steadyrank.errors import InvalidSettingError, WayOut, shorten


@dataclass(frozen=True)
class Range:
    """Which numbers a setting may be: finite ones from ``least`` to ``most``.

    Parameters
    ----------
    least, most : float
        The ends.
    above, below : bool
        Whether the setting must be above the least, or below the most.
    optional : bool
        Whether None will do.
    way_out
        What to do instead.
    """

    least: float = -math.inf
    most: float = math.inf
    above: bool = False
    below: bool = False
    optional: bool = False
    way_out: WayOut = ""

    def __contains__(self, value: object) -> bool:
        if value is None or not isinstance(value, int | float | np.number):
            return value is None and self.optional
        low = self.least < value if self.above else self.least <= value
        high = value < self.most if self.below else value <= self.most
        return bool(low and high and np.isfinite(value))

    def __str__(self) -> str:
        first = "" if self.least == -math.inf else f" {'above' if self.above else 'from'} {self.least:g}"
        last = f" to {'below ' if self.below else ''}{self.most:g}"
        open_end = " on" if first and not self.above else ""
        return f"a finite number{first}{open_end if self.most == math.inf else last}"


FROM_0 = Range(0.0)


def setting(default: Any = MISSING, allowed: Range | tuple[str, ...] = FROM_0, **more: Any) -> Any:
    """Declare a field of a scorer that only numbers in a range, or some words, are allowed for."""
    return field(default=default, metadata={"allowed": allowed}, **more)


def check_settings(scorer: Any) -> None:
    """Complain about the first setting that is not what its field declares."""
    for part in fields(scorer) if is_dataclass(scorer) else ():
        if "allowed" in part.metadata:
            check_setting(part.name, getattr(scorer, part.name), part.metadata["allowed"])


def check_setting(name: str, value: object, allowed: Range | tuple[str, ...]) -> None:
    """Complain about a value that is not allowed."""
    if value not in allowed:
        words = " or ".join(allowed) if isinstance(allowed, tuple) else str(allowed)
        way_out = getattr(allowed, "way_out", "")
        raise InvalidSettingError(f"{name} must be {words}, but is {shorten(value)}", way_out=way_out)

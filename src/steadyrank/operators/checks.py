"""Arguments are checked here, before any mathematics: those of the operators, settings of scorers."""

from __future__ import annotations

import math
import operator
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steadyrank import errors
from steadyrank._typing import FloatArray, IntArray
from steadyrank.errors import WayOut, listing, shorten

EXACT_INTEGERS = 2**53
"""Integers beyond this one do not all have a float64 of their own."""

LARGEST_SIZE = 8 * 2**30
"""Bytes of the largest table that is built on request, such as a matrix (items, items)."""


def check_scores(scores: ArrayLike) -> FloatArray:
    """Return ``scores`` as a finite, non-empty float64 vector (the input itself where it is one)."""
    values = check_score_batch(scores)
    if values.ndim != 1:
        raise errors.InvalidScoresError(
            f"scores must be one-dimensional, but have shape {values.shape}. "
            "For a batch use inflated_topk_mask or critical_eps, which work along the last axis."
        )
    return values


def check_score_batch(scores: ArrayLike) -> FloatArray:
    """Return ``scores`` as finite float64 with at least one axis and one item on the last axis."""
    values, wrong = _as_floats(scores), ""
    if values.ndim == 0:
        wrong = f"must be an array with one entry for each item, but are the single value {shorten(scores)}"  # noqa: E501
    elif values.shape[-1] == 0:
        wrong = f"are empty (shape {values.shape}): there is nothing to rank"
    elif not (finite := np.isfinite(values)).all():
        places = np.argwhere(~finite)
        shown = [tuple(place.tolist()) for place in places[:6]]
        found = listing(
            (f"{values[place]} at {_where(place)}" for place in shown), len(places)
        )
        wrong = f"must be finite, but {len(places):,} of them are not: {found}. "
        wrong += "Remove these items, or give them the score that you mean"
    if wrong:
        raise errors.InvalidScoresError(f"scores {wrong}.")
    return values


def check_k(k: object, n_items: int) -> int:
    """Return ``k`` as an int from 1 to ``n_items``."""
    return check_whole("k", k, 1, n_items, " (the number of items)")


def check_whole(
    name: str, value: Any, least: int, most: int | None = None, why: str = ""
) -> int:
    """Return a whole number within limits; ``why`` tells what the upper one is for."""
    with suppress(TypeError):
        number = operator.index(value)
        limited = least <= number and (most is None or number <= most)
        if limited and not isinstance(value, bool | np.bool_):
            return number
    limits = f"from {least:,} {'on' if most is None else f'to {most:,}{why}'}"
    raise errors.InvalidSettingError(
        f"{name} must be a whole number {limits}, but is {shorten(value)}"
    )


def check_level(level: object) -> float:
    """Return a level of confidence."""
    if not (isinstance(level, float | np.floating) and 0.5 < level < 1):
        raise errors.InvalidValueError(
            f"a confidence must be between 0.5 and 1, but is {shorten(level)}",
            way_out="Write 95 percent as 0.95.",
        )
    return float(level)


def check_eps(eps: object) -> float:
    """Return ``eps`` as a positive finite float."""
    number = math.nan
    if not isinstance(eps, bool | np.bool_ | str | bytes):
        with suppress(TypeError, ValueError, OverflowError):
            number = float(eps)  # type: ignore[arg-type]
    if math.isfinite(number) and number > 0:
        return number
    raise errors.InvalidSettingError(
        f"eps must be a positive, finite number on the scale of the scores, but is {shorten(eps)}. "
        "For almost no inflation give a tiny one, such as 1e-9."
    )


def check_size(size: int, what: str, way_out: str) -> None:
    """Complain about so many bytes that they were hardly meant."""
    if size > LARGEST_SIZE:
        problem = f"{what} would take {size / 2**30:,.1f} GiB of memory"
        raise errors.TooLargeError(problem, way_out=way_out)


def check_same_items(first: int, second: int, what: str) -> None:
    """Complain about two things that hold different numbers of items."""
    if first != second:
        raise errors.InvalidScoresError(
            f"the two {what} different numbers of items: {first:,} and {second:,}. "
            "Score both on one fixed list of items."
        )


def check_permutation(order: ArrayLike, n_items: int) -> IntArray:
    """Return ``order`` as an int64 permutation of ``0 .. n_items - 1``."""
    raw = np.asarray(order)
    indices = raw.shape == (n_items,) and raw.dtype.kind in "iu"
    if not indices or (np.sort(raw) != np.arange(n_items)).any():
        raise errors.InvalidScoresError(
            f"a ranking must list each of the item indices 0..{n_items - 1} once, "
            f"but is {shorten(order)}."
        )
    return raw.astype(np.int64)


def _as_floats(scores: ArrayLike) -> FloatArray:
    if isinstance(scores, np.ma.MaskedArray) and np.ma.getmaskarray(scores).any():
        places = np.argwhere(np.ma.getmaskarray(scores)).tolist()
        raise errors.InvalidScoresError(
            f"scores are masked at {listing(places)}. Remove these items, or give them a score."
        )
    try:
        raw = np.asarray(scores)
    except ValueError as error:
        raise errors.InvalidScoresError(
            f"scores do not form an array: {error}."
        ) from None
    if raw.dtype.kind not in "biuf":
        raise errors.InvalidScoresError(
            f"scores must be numbers, but have dtype {raw.dtype} "
            f"(first value {shorten(raw.flat[0]) if raw.size else 'none'}). "
            "Convert them to float64 first."
        )
    wide = raw.dtype.kind in "iu" and raw.size and raw.dtype.itemsize == 8
    if wide and (int(raw.max()) > EXACT_INTEGERS or int(raw.min()) < -EXACT_INTEGERS):
        place = tuple(
            np.argwhere((raw > EXACT_INTEGERS) | (raw < -EXACT_INTEGERS))[0].tolist()
        )
        raise errors.InvalidScoresError(
            f"the integer score {raw[place]} at {_where(place)} is beyond 2**53, where float64 would "
            "merge neighbours. Subtract a constant first (rankings do not change), or convert to float "
            "yourself."
        )
    return raw.astype(np.float64, copy=False)


def _where(place: tuple[int, ...]) -> str:
    return f"position {place[0] if len(place) == 1 else place}"


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
        first = (
            ""
            if self.least == -math.inf
            else f" {'above' if self.above else 'from'} {self.least:g}"
        )
        last = f" to {'below ' if self.below else ''}{self.most:g}"
        open_end = " on" if first and not self.above else ""
        return f"a finite number{first}{open_end if self.most == math.inf else last}"


FROM_0 = Range(0.0)


def setting(default: Any = MISSING, allowed: Range | tuple[str, ...] = FROM_0) -> Any:
    """Declare a field of a scorer that only numbers in a range, or some words, are allowed for."""
    return field(default=default, metadata={"allowed": allowed})


def check_settings(scorer: Any) -> None:
    """Complain about the first setting that is not what its field declares."""
    for part in fields(scorer) if is_dataclass(scorer) else ():
        if "allowed" in part.metadata:
            check_setting(
                part.name, getattr(scorer, part.name), part.metadata["allowed"]
            )


def check_setting(name: str, value: object, allowed: Range | tuple[str, ...]) -> None:
    """Complain about a value that is not allowed."""
    if value not in allowed:
        words = " or ".join(allowed) if isinstance(allowed, tuple) else str(allowed)
        way_out = getattr(allowed, "way_out", "")
        raise errors.InvalidSettingError(
            f"{name} must be {words}, but is {shorten(value)}", way_out=way_out
        )

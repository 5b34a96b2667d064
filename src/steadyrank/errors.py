"""Every error that steadyrank raises on purpose.

Each one is built from the offending value, its place and a way out, so that the message
can be acted upon without reading the source. All derive from :class:`SteadyrankError`;
those about a wrong value are also :class:`ValueError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SHOWN = 5
"""How many offending places a message lists before it only counts the rest."""


def shorten(value: object, width: int = 60) -> str:
    """Return ``repr(value)`` cut to ``width`` characters, for messages built from foreign data."""
    text = repr(value)
    return text if len(text) <= width else text[: width - 3] + "..."


def listing(places: Iterable[object], total: int | None = None) -> str:
    """Join the first few places and count the rest.

    Examples
    --------
    >>> listing([3, 5, 8])
    '3, 5, 8'
    >>> listing(range(9))
    '0, 1, 2, 3, 4 and 4 more'
    """
    shown: list[object] = []
    seen = 0
    for place in places:
        seen += 1
        if len(shown) < SHOWN:
            shown.append(place)
        elif total is not None:
            break
    rest = (seen if total is None else total) - len(shown)
    text = ", ".join(str(place) for place in shown)
    return f"{text} and {rest:,} more" if rest > 0 else text


class SteadyrankError(Exception):
    """Base of all errors that steadyrank raises on purpose."""


class InvalidValueError(SteadyrankError, ValueError):
    """A value that cannot be used; the message says which, where, and what to do."""


class InvalidScoresError(InvalidValueError):
    """Scores that are not a non-empty numeric array of the expected shape."""


class NonFiniteScoresError(InvalidScoresError):
    """Scores that hold NaN or infinity."""

    def __init__(self, places: Sequence[object], values: Sequence[object], total: int) -> None:
        self.places = list(places)
        self.total = total
        found = (f"{value} at {place}" for place, value in zip(places, values, strict=True))
        super().__init__(
            f"scores must be finite, but {total:,} of them are not: {listing(found, total)}. "
            "Remove these items, or give them the score that you mean."
        )


class InvalidKError(InvalidValueError):
    """A k that is not a whole number from 1 to the number of items."""

    def __init__(self, k: object, items: int, why: str = "") -> None:
        self.k = k
        super().__init__(
            f"k must be a whole number from 1 to {items:,} (the number of items), "
            f"but is {shorten(k)}{why}."
        )


class InvalidEpsError(InvalidValueError):
    """An eps that is not positive and finite."""

    def __init__(self, eps: object) -> None:
        self.eps = eps
        super().__init__(
            f"eps must be a positive, finite number on the scale of the scores, "
            f"but is {shorten(eps)}. For no inflation at all use top_k, or a tiny eps."
        )


class InvalidPermutationError(InvalidValueError):
    """A sequence that is not a permutation of the item indices."""


class SizeMismatchError(InvalidValueError):
    """Two things that must speak of the same items do not have the same size."""


class StateLimitError(SteadyrankError):
    """Counting, sampling or position shares would need too many states."""

    def __init__(self, limit: int, reached: int, placed: int, items: int, bound: float) -> None:
        self.limit = limit
        self.reached = reached
        self.bound = bound
        super().__init__(
            f"the set of rankings has a state graph of more than max_states={limit:,} states: "
            f"{reached:,} were reached after {placed:,} of {items:,} positions, and the whole "
            f"graph may have up to {bound:.3g}. Membership, iteration, rank intervals, tiers, "
            "intersects and common_ranking do not need it and still work; a smaller eps or a "
            "larger max_states makes this call possible."
        )

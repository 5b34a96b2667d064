"""Who won a battle: the spellings that are understood, and nothing beyond them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import UnknownOutcomeError, shorten
from steadyrank.reading.arrays import as_column, check_length, is_hashable, is_missing, numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steadyrank._typing import AnyArray

LEFT, TIE, RIGHT, UNKNOWN = 1, 0, -1, 2

SPELLINGS: dict[object, int] = {
    **dict.fromkeys(("left", "l", "a", "model_a", "modela", "1", "1.0"), LEFT),
    **dict.fromkeys(("right", "r", "b", "model_b", "modelb", "0", "0.0"), RIGHT),
    **dict.fromkeys(
        (
            "tie", "ties", "tied", "draw", "drawn", "equal", "both", "bothbad", "both_bad",
            "tie (bothbad)", "tie (both bad)", "tie_bothbad", "both bad", "0.5",
        ),
        TIE,
    ),
    1: LEFT,
    0.5: TIE,
    0: RIGHT,
}  # fmt: skip
"""From each known spelling, in lower case, to +1 (left wins), 0 (tie) or -1 (right wins)."""

WAY_OUT = (
    "Outcomes are left/right/tie (also a/b, model_a/model_b, draw, both bad, and the numbers "
    "1/0/0.5 for a left win, a right win and a tie), or the label of the side that won."
)


def read_results(
    values: Any, left: AnyArray, right: AnyArray, items: Sequence[object], *, labels_first: bool = False
) -> tuple[AnyArray, bool]:
    """Return +1, 0 or -1 for each row, and whether the outcomes name the winning item.

    Parameters
    ----------
    values : array, series or iterable
        One outcome for each row.
    left, right : int array
        The items of each row.
    items : sequence
        The labels of the items.
    labels_first : bool
        Whether results that can be read both as a side and as a label are labels; otherwise they are
        refused if that makes a difference.

    Examples
    --------
    >>> left, right = np.array([0, 0]), np.array([1, 1])
    >>> read_results(["Left", "tie"], left, right, ["x", "y"])
    (array([1, 0], dtype=int8), False)
    >>> read_results(["y", "draw"], left, right, ["x", "y"])
    (array([-1,  0], dtype=int8), True)
    """
    column = as_column(values, "outcome")
    check_length(column, len(left), "outcome")
    listed = column.tolist()
    try:
        codes, words = numbered(listed)
    except TypeError:  # lists and the like are no outcome in any case, and None is none either
        codes, words = numbered([word if is_hashable(word) else None for word in listed])
    spelled = np.array([_spelled(word) for word in words], dtype=np.int8)[codes]
    place = {label: code for code, label in enumerate(items)}
    winner = np.array([place.get(word, -1) for word in words], dtype=np.int64)[codes]
    # As the label of the winner; ties keep their spelling.
    readings = [winner == left, winner == right, spelled == TIE]
    named = np.select(readings, [LEFT, RIGHT, TIE], UNKNOWN).astype(np.int8)
    reads_spelled, reads_named = (spelled != UNKNOWN).all(), (named != UNKNOWN).all()
    if reads_named and labels_first:
        return named, bool((spelled != named).any())
    differ = spelled != named
    if reads_spelled and reads_named and differ.any():
        raise UnknownOutcomeError(
            f"outcome {shorten(column[differ][0])} can be read as a side and as "
            "the label of an item, with different winners",
            rows=differ,
            subject="outcome",
            way_out='Say "left", "right" or "tie".',
        )
    if reads_spelled or reads_named:
        return (spelled if reads_spelled else named), not reads_spelled
    unknown = (spelled == UNKNOWN) & (named == UNKNOWN)
    if not unknown.any():  # each is known in one way, but no one way knows all
        unknown = spelled == UNKNOWN
    raise UnknownOutcomeError(
        f"unknown outcome {shorten(column[unknown][0])}",
        rows=unknown,
        subject="outcome",
        way_out=WAY_OUT,
    )


def _spelled(word: Any) -> int:
    if is_missing(word):
        return UNKNOWN
    return SPELLINGS.get(word.strip().casefold() if isinstance(word, str) else word, UNKNOWN)

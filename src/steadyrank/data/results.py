"""Who won each battle, from the words, labels or shares that a list of results holds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from steadyrank._typing import AnyArray, FloatArray, IntArray
from steadyrank.arrays import as_column, check_length, is_hashable, numbered, written
from steadyrank.errors import InvalidDataError, shorten
from steadyrank.reading.spellings import LABEL, MEANS, SHARE, SPELLINGS, TIES

LEFT, TIE, RIGHT = 1, 0, -1
PLACES = 6  # decimal places of the share that the left side won
WAY_OUT = (
    'Say "left", "right" or "tie", the label of the item that won, or the share that the left side '
    "won, from 0 to 1."
)


def read_results(
    values: Any, left: IntArray, right: IntArray, items: Sequence[object]
) -> AnyArray:
    """Return +1 where the left side won, 0 for a tie, -1 where the right side won.

    Of shares that the left side won, from 1 (all) to -1 (nothing), as floats. All results are read in
    one way; where two ways fit and differ, they are refused.

    Parameters
    ----------
    values : array, series or iterable
        One result for each battle.
    left, right : int array
        The items of each battle.
    items : sequence
        The labels of the items.

    Examples
    --------
    >>> left, right = np.array([0, 0]), np.array([1, 1])
    >>> read_results(["Left", "tie"], left, right, ["x", "y"])
    array([1, 0], dtype=int8)
    >>> read_results(["y", "draw"], left, right, ["x", "y"])
    array([-1,  0], dtype=int8)
    >>> read_results([0.75, 1], left, right, ["x", "y"])
    array([0.5, 1. ])
    """
    column = as_column(values, "winner")
    check_length(column, len(left), "winner")
    words = [word if is_hashable(word) else repr(word) for word in column.tolist()]
    codes, distinct = numbered(words)
    readings = _readings(codes, distinct, left, right, items)
    whole = {
        way: outcome for way, outcome in readings.items() if not np.isnan(outcome).any()
    }
    if not whole:
        unknown = np.isnan(np.stack([*readings.values()])).all(axis=0)
        if not unknown.any():  # no one way knows all of them
            unknown = np.isnan(readings[LABEL])
        shown = shorten(distinct[codes[np.flatnonzero(unknown)[0]]])
        raise InvalidDataError(
            f"unknown result {shown}", rows=unknown, subject="winner", way_out=WAY_OUT
        )
    for one, other in combinations(whole, 2):
        differs = whole[one] != whole[other]
        if differs.any():
            row = int(np.flatnonzero(differs)[0])
            meanings = " and ".join(
                f"{MEANS.get(int(whole[way][row]), 'a share')} as {way}"
                for way in (one, other)
            )
            raise InvalidDataError(
                f"result {shorten(distinct[codes[row]])}: {meanings}",
                rows=differs,
                subject="winner",
                way_out=WAY_OUT,
            )
    outcome = next(iter(whole.values()))
    if np.isin(outcome, (LEFT, TIE, RIGHT)).all():
        return outcome.astype(np.int8)
    return outcome


def _readings(
    codes: IntArray,
    distinct: Sequence[object],
    left: IntArray,
    right: IntArray,
    items: Sequence[object],
) -> dict[str, FloatArray]:
    """Return the outcome of each battle by each way of reading, NaN where it does not fit."""
    spelled = [written(word).casefold() for word in distinct]
    ties = np.array([word in TIES for word in spelled], dtype=bool)[codes]
    place: dict[object, int] = {str(label): code for code, label in enumerate(items)}
    place |= {label: code for code, label in enumerate(items)}
    winner = np.array(
        [place.get(word, place.get(str(word), -1)) for word in distinct], dtype=np.int64
    )[codes]
    conditions = [winner == left, winner == right, ties]
    readings = {LABEL: np.select(conditions, [1.0, -1.0, 0.0], np.nan)}
    for way, spellings in SPELLINGS.items():
        meaning = {
            word: float(outcome)
            for outcome, words in zip((LEFT, RIGHT, TIE), spellings, strict=True)
            for word in words
        }
        by_word = np.array([meaning.get(word, np.nan) for word in spelled])
        if not np.isnan(by_word).all():
            readings[way] = by_word[codes]
    shares = np.array([_share(word) for word in distinct])
    readings[SHARE] = (2 * shares.round(PLACES) - 1)[codes]
    return readings


def _share(word: object) -> float:
    """Return a number from 0 to 1, NaN for all else."""
    try:
        share = float(word)  # type: ignore[arg-type]  # texts, and whatever else there is
    except (TypeError, ValueError):
        return float("nan")
    return share if 0 <= share <= 1 else float("nan")

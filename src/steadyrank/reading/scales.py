"""What is better, more or less, and how values on different scales are brought to one.

A row of a score matrix holds what one task, question or measure says of all items. Rows in which less is
better change their sign, so that more is better everywhere; rows on different scales can be brought to
one, each by itself: a row that leaves takes nothing along that another row needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress
from pathlib import PurePath
from typing import Any

import numpy as np

from steadyrank._typing import BoolArray, FloatArray
from steadyrank.errors import InvalidLabelError, Option, listing, shorten
from steadyrank.reading.table import Guess, Table
from steadyrank.reading.words import in_seconds, known, measured_words

SCALES = {
    "z": "The values of each task, over all items, were brought to mean 0 and standard deviation 1; "
    "where all are equal, to 0.",
    "ranks": "The values of each task were replaced by ranks over all items, the most for the best.",
    "range": "The values of each task, over all items, were brought to the range from 0 to 1; where all "
    "are equal, to 0.",
}
"""The ways to bring rows to one scale."""

ALL, NONE = "all", "none"
FAR_APART = 10
"""How many times larger the values of one row must be than those of another to suggest one scale."""


def less_is_better(name: object) -> bool:
    """Tell whether a measure is called like one of which less is better.

    Examples
    --------
    >>> [less_is_better(name) for name in ("test_loss", "WER", "accuracy", "error-rate", "terror")]
    [True, True, False, True, False]
    >>> [less_is_better(name) for name in ("tokens/sec", "load ms per token")]
    [False, True]
    >>> [less_is_better(name) for name in ("Once Upon a Time in Rome", "TimesFM", "run times")]
    [False, False, True]
    >>> [less_is_better(name) for name in ("neg_log_loss", "RecipRank", "error reduction", "gain ms")]
    [False, False, False, True]
    """
    words = measured_words(name)
    if {*words} & {*known("turned_round")} or {*words[-1:]} & {*known("gains")}:
        return False
    last = [word.removesuffix("s") for word in words[-1:]]
    return any(word in known("less_is_better") for word in words + last) or in_seconds(
        words
    )


def told_by_file(source: str) -> str:
    """Return which measure of which less is better a file is called by, in a sentence, or nothing.

    Examples
    --------
    >>> told_by_file("rmse_evaluation.csv"), told_by_file("results.csv")
    ("the name of the file says 'rmse': less is better", '')
    """
    words = measured_words(PurePath(source).stem)
    error = next((word for word in words if word in known("measures_of_error")), None)
    return f"the name of the file says {error!r}: less is better" if error else ""


def turned_rows(table: Table, rows: Sequence[object], given: Any) -> BoolArray:
    """Return the rows in which less is better, as was said or read from names.

    Parameters
    ----------
    table : Table
        Takes the note.
    rows : sequence
        What the rows are called.
    given : bool, str, or sequence of str, optional
        All, none, or some of the rows.
    """
    if given is None:
        return np.zeros(len(rows), dtype=bool)
    asked = _asked_for(rows, given)
    some = listing(map(shorten, compress(rows, asked)), int(asked.sum()))
    shown = "all tasks" if asked.all() and len(rows) > 1 else some
    turned = "the sign is changed, so that more is better"
    if asked.any():
        brief = f"less is better in {shown}"
        table.notes.append(
            Guess(f"{brief}: {turned}", brief, Option("lower_is_better", NONE))
        )
    return asked


def _asked_for(rows: Sequence[object], given: Any) -> BoolArray:
    names = [given] if isinstance(given, str | bool) else list(given)
    for word, answer in ((ALL, True), (NONE, False)):
        if names in ([answer], [word]):
            return np.full(len(rows), answer)
    called = {str(row) for row in rows}
    unknown = [name for name in names if str(name) not in called]
    if unknown:
        raise InvalidLabelError(
            f"there is no measure {shorten(unknown[0])}",
            way_out=[
                f"There are {listing(map(shorten, rows), len(rows))}; or say ",
                Option("lower_is_better", ALL), " or ", Option("lower_is_better", NONE),
            ],
        )  # fmt: skip
    wanted = {str(name) for name in names}
    return np.array([str(row) in wanted for row in rows], dtype=bool)


def on_one_scale(values: FloatArray, how: str) -> FloatArray:
    """Bring each row to one scale; a row whose values are all equal becomes 0, missing ones stay.

    Examples
    --------
    >>> on_one_scale(np.array([[1.0, 2.0, 3.0], [10.0, 10.0, 40.0]]), "range").tolist()
    [[0.0, 0.5, 1.0], [0.0, 0.0, 1.0]]
    >>> on_one_scale(np.array([[1.0, 2.0, np.nan], [10.0, 10.0, 40.0]]), "ranks").tolist()
    [[1.0, 2.0, nan], [1.5, 1.5, 3.0]]
    """
    if how == "ranks":
        from scipy.stats import rankdata

        return np.asarray(rankdata(values, axis=1, nan_policy="omit"), dtype=np.float64)
    values = np.ascontiguousarray(
        values
    )  # sums along strides would take three times as long
    with np.errstate(invalid="ignore", divide="ignore"):
        peaks = np.nanmax(np.abs(values), axis=1, initial=0.0, keepdims=True)
        scaled = np.ldexp(
            values, -np.frexp(peaks)[1]
        )  # squares of the largest floats are none
        scaled -= _mean(scaled) if how == "z" else _least(scaled)
        length = np.sqrt(_mean(scaled**2)) if how == "z" else -_least(-scaled)
        return np.asarray(scaled / np.where(length > 0, length, 1.0))


def _mean(values: FloatArray) -> FloatArray:
    there = ~np.isnan(values)
    sums = np.where(there, values, 0.0).sum(axis=1, keepdims=True)
    return np.asarray(sums / np.maximum(there.sum(axis=1, keepdims=True), 1))


def _least(values: FloatArray) -> FloatArray:
    return np.asarray(np.nanmin(values, axis=1, initial=np.inf, keepdims=True))


def suggestion(values: FloatArray, rows: Sequence[object]) -> Iterable[str]:
    """Yield what to say where rows seem to be on different scales."""
    peaks = np.nanmax(np.abs(values), axis=1, initial=0.0)
    some = np.flatnonzero(peaks)
    if not len(some):
        return
    low, high = some[peaks[some].argmin()], some[peaks[some].argmax()]
    if peaks[high] >= FAR_APART * peaks[low]:
        reach = [f"{shorten(rows[row])} up to {peaks[row]:.4g}" for row in (low, high)]
        note = f"values are used as they are, though on different scales: {' and '.join(reach)}"
        yield Guess(
            note,
            "values of different scales used as they are",
            Option("standardise", "z"),
        )

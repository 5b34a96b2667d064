"""Who won a battle: the spellings that are understood, and nothing beyond them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os.path import commonprefix
from typing import Any

import numpy as np

from steadyrank._typing import AnyArray
from steadyrank.arrays import (
    Coded,
    as_column,
    check_length,
    is_hashable,
    numbered,
    written,
)
from steadyrank.errors import InvalidDataError, shorten
from steadyrank.reading.table import simplify
from steadyrank.reading.text_columns import plain_number
from steadyrank.reading.words import known

LEFT, TIE, RIGHT, UNKNOWN = 1, 0, -1, 2

SIDES, NAMES = "a/b or left/right", "names of the columns"
HOME, TOTO, VIEW = "home/away", "1/X/2", "win/loss of the left side"
POINTS = re.compile(
    r"(?:[wdl]\s*)?(\d{1,3})\s*[-–—:]\s*(\d{1,3})(?![\d/.:–-])(?:\D.*)?"
)
"""Points of both sides in one cell: 2-1, 3:0, W 3-0, 1-1 (4-5 pens)."""
SCORED = "points of the left and the right side"
MOSTLY = 0.7
"""The share of results from which on those that are no points are mistaken."""
MEANS = {LEFT: "left wins", TIE: "a tie", RIGHT: "right wins"}
WAYS = {SIDES: "results_ab", HOME: "results_ha", TOTO: "results_12", VIEW: "results_wl"}
SPELLINGS = {
    family: {
        word: result
        for result, words in zip(
            (LEFT, RIGHT, TIE, TIE), known(name, "result_ties"), strict=True
        )
        for word in words.replace("~", " ").split("|")
    }
    for family, name in WAYS.items()
}
"""Of each way to write results, from its words in lower case to +1 (left wins), 0 (tie) or -1."""
LETTERS = [
    dict(zip(one.split("/"), (LEFT, RIGHT, TIE), strict=True))
    for one in known("results_letters")
]
"""The same of letters in other languages, each with its own."""
DRAWN = {text for text, result in SPELLINGS[HOME].items() if result == TIE}
SHORT = {"home", "away", "host", "guest", "visitor", "white", "black", "left", "right"}
"""Sides that are called by their first letter, too."""


SAY_IT = 'Say "left", "right" or "tie".'
BY_LABEL = "outcomes read as the label of the item that won"
BY_SHARE = "outcomes read as the share that the left side won, to 6 decimals"
BY_SCALE = (
    "outcomes read as a scale: the left side won above 0, or below the middle of a scale that begins "
    "with 1; 0, or the middle, is a tie"
)
LONGEST_SCALE = 10
"""How many steps a scale from 1 on has at most; below three it has no middle."""
PLACES = 6
WAY_OUT = (
    "Outcomes are left/right/tie (also a/b, model_a/model_b, draw, both bad, H/A/D, 1/X/2, 2-1, W/L/D "
    "and true/false of the left side, the numbers 1/0/0.5 for a left win, a right win and a tie, and "
    "the names of the columns of both sides), the label of the side that won, or all of them numbers "
    "from 0 to 1, the share that the left side won."
)


def read_results(
    values: Any,
    left: AnyArray,
    right: AnyArray,
    items: Sequence[object],
    *,
    labels_first: bool = False,
    names: tuple[str, str] | None = None,
) -> tuple[AnyArray, str]:
    """Return +1, 0 or -1 for each row, and how the outcomes were read where that is not plain.

    Of shares that the left side won, from 1 (all) to -1 (nothing), as floats.

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
    names : pair of str, optional
        The names of the columns of both sides, which results may say.

    Examples
    --------
    >>> left, right = np.array([0, 0]), np.array([1, 1])
    >>> read_results(["Left", "tie"], left, right, ["x", "y"])
    (array([1, 0], dtype=int8), '')
    >>> read_results(["y", "draw"], left, right, ["x", "y"])
    (array([-1,  0], dtype=int8), 'outcomes read as the label of the item that won')
    >>> read_results([0.75, 1], left, right, ["x", "y"])[0]
    array([0.5, 1. ])
    >>> read_results(["A", "A"], left, right, ["x", "y"], names=("HomeTeam", "AwayTeam"))[0]
    array([-1, -1], dtype=int8)
    """
    codes, words = _distinct(values)
    check_length(codes, len(left), "winner")
    readings = _readings(words, names)
    whole = {how: found for how, found in readings.items() if UNKNOWN not in found}
    ways = {
        how: np.array(found, dtype=np.int8)[codes]
        for how, found in (whole or readings).items()
    }
    how, spelled = next(iter(ways.items()))
    # Beside "draw", the label 7 of a text file is "7": it must not be taken for a side then.
    place: dict[object, int] = {
        written(label): code for code, label in enumerate(items)
    }
    place |= {label: code for code, label in enumerate(items)}
    hashed = (
        word if is_hashable(word) else None for word in words
    )  # lists are no outcome anyway
    named_by = [place.get(word, place.get(written(word), -1)) for word in hashed]
    winner = np.array(named_by, dtype=np.int64)[codes]
    # As the label of the winner; ties keep their spelling.
    as_labels = [winner == left, winner == right, spelled == TIE]
    named = np.select(as_labels, [LEFT, RIGHT, TIE], UNKNOWN).astype(np.int8)
    reads_spelled, reads_named = (spelled != UNKNOWN).all(), (named != UNKNOWN).all()
    if reads_named and labels_first:
        return named, BY_LABEL if (spelled != named).any() else ""
    for other, found in ways.items() if whole else ():
        differ = found != spelled
        if differ.any():
            one, two = (MEANS[int(way[differ][0])] for way in (spelled, found))
            shown = shorten(words[codes[differ][0]])
            raise _wrong(differ, f"outcome {shown}: {one} as {how}, {two} as {other}")
    differ = spelled != named
    if reads_spelled and reads_named and differ.any():
        both = (
            "can be read as a side and as the label of an item, with different winners"
        )
        raise _wrong(differ, f"outcome {shorten(words[codes[differ][0]])} {both}")
    if reads_spelled:
        return spelled, "" if how in {SIDES, NAMES} else f"outcomes read as {how}"
    if reads_named:
        return named, BY_LABEL
    shares = np.array([plain_number(str(word)) for word in words], dtype=np.float64)
    if ((shares >= 0) & (shares <= 1)).all():
        return 2 * shares.round(PLACES)[codes] - 1, BY_SHARE
    scale = by_scale(words) if (winner < 0).all() else None
    if scale is not None:
        return np.array(scale, dtype=np.int8)[codes], BY_SCALE
    unknown = (spelled == UNKNOWN) & (named == UNKNOWN)
    if not unknown.any():  # each is known in one way, but no one way knows all
        unknown = spelled == UNKNOWN
    raise _wrong(
        unknown, f"unknown outcome {shorten(words[codes[unknown][0]])}", WAY_OUT
    )


def by_scale(words: Sequence[object]) -> list[int] | None:
    """Return whom numbers prefer: above 0, or a half, or below the middle of 1, 2, 3... the left side.

    Examples
    --------
    >>> by_scale(["-2", "0", "3"]), by_scale([1, 2, 3, 4, 5]), by_scale([2, 7])
    ([-1, 0, 1], [1, 1, 0, -1, -1], None)
    """
    numbers = np.array([plain_number(str(word)) for word in words], dtype=np.float64)
    low, high = numbers.min(initial=np.inf), numbers.max(initial=-np.inf)
    steps = bool(
        (numbers == numbers.round()).all()
    )  # 0.7 beside -0.1 may be a share, mistyped
    if (steps and low < 0 < high) or 0 <= low < high <= 1:
        return [*map(int, np.sign(numbers - (low >= 0) / 2))]
    if steps and low == 1 and 2 < high <= LONGEST_SCALE:
        return [*map(int, np.sign(1 + high - 2 * numbers))]
    return None


def meanings(words: Sequence[str], names: tuple[str, str]) -> tuple[list[int], bool]:
    """Return what the words of results mean by themselves, and whether that is plain.

    Examples
    --------
    >>> meanings(["model_1", "model_2", "tie"], ("model_1", "model_2"))
    ([1, -1, 0], True)
    """
    ways = _readings(words, names)
    how = min(ways, key=lambda one: ways[one].count(UNKNOWN))
    if UNKNOWN in ways[how] and (scale := by_scale(words)) is not None:
        return scale, False
    return ways[how], how in {NAMES, SCORED} or any(
        len(word) > 1 for word in words
    )  # a letter may mean either


def _distinct(values: Any) -> tuple[AnyArray, list[Any]]:
    """Return codes of the results, and what they stand for: where some are lists, each has its own."""
    if isinstance(values, Coded):
        return values.codes, values.distinct.tolist()
    listed = as_column(values, "winner").tolist()
    try:
        return numbered(listed)
    except TypeError:
        return np.arange(len(listed)), listed


def _wrong(rows: AnyArray, problem: str, way_out: str = SAY_IT) -> InvalidDataError:
    return InvalidDataError(problem, rows=rows, subject="winner", way_out=way_out)


def _readings(
    words: Sequence[Any], names: tuple[str, str] | None
) -> dict[str, list[int]]:
    """Return what the words mean in each way to write results that may be meant, the likeliest first.

    One letter can mean a side in one and a result in another. Without names of columns, and where no
    other letter tells, it is a side.
    """
    texts = [_text(word) for word in words]
    letters = {*texts}
    told = {
        SIDES: True,
        HOME: names or letters & {"h", "d"},
        TOTO: letters & {"x", "2", "2.0"},
    }
    told |= {VIEW: names or letters & {"w", "d"}}
    found = {
        how: [SPELLINGS[how].get(text, UNKNOWN) for text in texts]
        for how in told
        if told[how]
    }
    if names and UNKNOWN in found[VIEW]:
        ways = ([own.get(text, UNKNOWN) for text in texts] for own in LETTERS)
        both = [one for one in ways if {LEFT, RIGHT} <= {*one}]
        found[VIEW] = min([found[VIEW], *both], key=lambda one: one.count(UNKNOWN))
    if UNKNOWN in found[SIDES] and sum(map(has_points, texts)) > MOSTLY * len(texts):
        ties = dict.fromkeys(DRAWN, TIE)
        return {
            SCORED: [
                by_points(t) if has_points(t) else ties.get(t, UNKNOWN) for t in texts
            ]
        }
    # A letter that may mean a tie means one beside those of wins: alone it is rather a label.
    found = {
        how: one
        for how, one in found.items()
        if how == SIDES or not {LEFT, RIGHT}.isdisjoint(one)
    }
    called = {} if names is None else _sides_called(*names)
    own = [
        called.get(simplify(text), TIE if text in DRAWN else UNKNOWN) for text in texts
    ]
    if UNKNOWN in own or {LEFT, RIGHT}.isdisjoint(own):
        return found
    # Beside D the L of left may be a loss, and the A of model_a be away.
    return {NAMES: own} | {
        how: found[how] for how in (HOME, VIEW) if "d" in letters and how in found
    }


def has_points(text: str) -> bool:
    """Tell whether a cell holds the points of both sides, such as 2-1."""
    return POINTS.fullmatch(text) is not None


def by_points(text: str) -> int:
    """Return who has more points in such a cell.

    Examples
    --------
    >>> by_points("2-1"), by_points("w 0:3"), by_points("1-1 (4-5 pens)")
    (1, -1, 0)
    """
    one, two = map(int, POINTS.findall(text)[0])
    return (one > two) - (one < two)


def _sides_called(left: str, right: str) -> dict[str, int]:
    """Return what results may call the two sides by the names of their columns: whole, or what differs.

    Examples
    --------
    >>> _sides_called("HomeTeam", "AwayTeam") == {
    ...     "hometeam": LEFT, "home": LEFT, "h": LEFT, "awayteam": RIGHT, "away": RIGHT, "a": RIGHT
    ... }
    True
    """
    sides = {LEFT: simplify(left), RIGHT: simplify(right)}
    start = len(commonprefix([*sides.values()]))  # noqa: RUF071 (of letters)
    end = len(commonprefix([name[start:][::-1] for name in sides.values()]))  # noqa: RUF071
    called: dict[str, int] = {}
    for side, name in sides.items():
        part = name[start : len(name) - end]
        short = {one[:1] for one in (name, part) if one in SHORT}
        called |= dict.fromkeys(
            {name, part, name[: len(name) - end], name[start:], *short} - {""}, side
        )
    return called


def _text(word: Any) -> str:
    """Return a result as text in lower case; truth values are 1 and 0, and missing ones nothing."""
    return written(
        float(word) if isinstance(word, bool | np.bool_) else word
    ).casefold()

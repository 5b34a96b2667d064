"""One door for files of any kind: what is in it is told from its columns, and said."""

from __future__ import annotations

import inspect
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from steadyrank.data.ballots import Ballots
from steadyrank.data.battles import Battles
from steadyrank.data.matrix_columns import is_long
from steadyrank.data.observations import Observations, check_choice, said_first
from steadyrank.data.ratings import Ratings
from steadyrank.data.regression import Regression
from steadyrank.data.score_matrix import ScoreMatrix
from steadyrank.data.votes import Votes
from steadyrank.errors import InvalidDataError, NotRecognisedError, listing, shorten
from steadyrank.reading.files import OpenFile, Source, open_source
from steadyrank.reading.formats import detect, table_from
from steadyrank.reading.preflib import read_preflib
from steadyrank.reading.roles import SIDES, WINS, guess, guess_all, guess_pair

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from steadyrank.reading.table import Table

KINDS: dict[str, type[Any]] = {
    "votes": Votes,
    "ballots": Ballots,
    "ratings": Ratings,
    "battles": Battles,
    "scores": ScoreMatrix,
    "regression": Regression,
}

NEEDS = (
    "votes: a column such as choice; ballots: a column such as ballot, or voter, item and rank; "
    "ratings: user, item and rating; battles: left, right and winner, or wins_a and wins_b; "
    "scores: columns of numbers, one for each item; regression: numbers and a column y"
)


@dataclass(frozen=True)
class _Test:
    """A kind, the columns it would need, and how to find them."""

    kind: str
    find: Callable[[_Columns], list[str] | None]


class _Columns:
    """The columns of a table, and those that the user named."""

    def __init__(self, table: Table, options: Mapping[str, Any]) -> None:
        self.table = table
        self.options = options

    def find(self, part: str, taken: list[str]) -> str | None:
        given = self.options.get(part)
        return given if isinstance(given, str) else guess(part, self.table.names, taken)

    def find_all(self, *parts: str) -> list[str] | None:
        given = {part: name for part, name in self.options.items() if isinstance(name, str)}
        return guess_all(parts, self.table.names, given)


def read_any(
    source: Source,
    *,
    kind: str | None = None,
    format: str | None = None,  # noqa: A002 (the word users know from other readers)
    encoding: str = "utf-8",
    **options: Any,
) -> Observations:
    r"""Read observations of any kind; the kind is recognised unless it is given.

    Parameters
    ----------
    source : path or binary stream
        Such as ``sys.stdin.buffer``.
    kind : {"votes", "ballots", "ratings", "battles", "scores", "regression"}, optional
        What the data are.
    format : str, optional
        The format of the file; told from the content where not given.
    encoding : str
        Of a text file.
    **options
        Columns and policies, as for ``from_frame`` of the kind; unknown ones are refused.

    Returns
    -------
    Votes, Ballots, Ratings, Battles, ScoreMatrix or Regression
        Its ``notes`` say what was recognised and guessed.

    Examples
    --------
    >>> import io
    >>> battles = read_any(io.BytesIO(b"left,right,winner\nx,y,left\n"))
    >>> battles, battles.notes[0]
    (<Battles: 1 battle units, 2 items>,
     "recognised as battles by the columns 'left', 'right', 'winner'")
    """
    if kind is not None:
        check_choice("kind", kind, tuple(KINDS))
    given = {name: value for name, value in options.items() if value is not None}
    with closing(open_source(source, encoding=encoding)) as file:
        if detect(file, format) == "preflib":
            return _read_preflib(file, kind, given)
        table = table_from(file, format)
    note: list[str] = []
    if kind is None:
        kind, because = recognise(table, given)
        note = [f"recognised as {kind} {because}"]
    _check_options(kind, given)
    data: Observations = KINDS[kind].from_frame(table, **given)
    return said_first(data, note)


def recognise(table: Table, options: Mapping[str, Any] | None = None) -> tuple[str, str]:
    """Return the kind of data in a table, and why.

    Parameters
    ----------
    table : Table
    options : mapping, optional
        Columns that the user named, by part.

    Examples
    --------
    >>> from steadyrank.reading.table import as_table
    >>> recognise(as_table({"userId": [1], "movieId": [2], "rating": [5]}))
    ('ratings', "by the columns 'userId', 'movieId', 'rating'")
    """
    columns = _Columns(table, options or {})
    for test in TESTS:
        if not set(options or {}) <= _options_of(test.kind):
            continue
        found = test.find(columns)
        if found is not None:
            named = ", ".join(map(shorten, found))
            return test.kind, f"by the columns {named}" if found else "by its columns of numbers"
    error = NotRecognisedError(
        f"the kind of data cannot be told from the columns {listing(map(shorten, table.names))}",
        way_out=f"Give it as kind=..., or name the columns. {NEEDS}.",
    )
    error.place_in(table.source, None)
    raise error


def _battles(columns: _Columns) -> list[str] | None:
    names, options = columns.table.names, columns.options
    if "left" in options and "right" in options:
        sides: tuple[str, str] | None = (options["left"], options["right"])
    else:
        sides = guess_pair(SIDES, names)
    if sides is None:
        return None
    wins = guess_pair(WINS, names)
    outcome = columns.find("outcome", list(sides))
    if wins is not None or "wins_left" in options:
        return [*sides, *(wins or ())]
    if outcome is not None:
        return [*sides, outcome]
    return list(sides) if guess_pair((("winner", "loser"),), names) == sides else None


def _ballots(columns: _Columns) -> list[str] | None:
    if "ranks" in columns.options:
        return list(columns.options["ranks"])
    long_form = columns.find_all("voter", "item", "rank")
    if long_form is not None:
        return long_form
    name = columns.find("ballot", [])
    if name is None or name not in columns.table.names:
        return None
    cells = columns.table.cells(name)
    written = any(isinstance(cell, list | tuple) or _is_order(cell) for cell in cells[:1000])
    return [name] if written or "ballot" in columns.options else None


def _is_order(cell: object) -> bool:
    return isinstance(cell, str) and any(mark in cell for mark in ">{,;|")


def _regression(columns: _Columns) -> list[str] | None:
    name = columns.find("response", [])
    rest = [other for other in columns.table.names if other != name]
    if name is None or not rest or not _all_numbers(columns, rest):
        return None
    return [name]


def _long_scores(columns: _Columns) -> list[str] | None:
    given = columns.options
    if {"item", "value"} & set(given) or is_long(columns.table, given.get("row"), given.get("units")):
        return columns.find_all("row", "item", "value")
    return None


def _votes(columns: _Columns) -> list[str] | None:
    names = columns.table.names
    choice = columns.find("choice", [])
    if choice is not None and (len(names) <= 2 or not _wide_scores(columns)):
        return [choice]
    return names if len(names) == 1 else None


def _wide_scores(columns: _Columns) -> list[str] | None:
    given = columns.options
    apart = {given.get("row"), given.get("units")}
    names = [name for name in columns.table.names if name not in apart]
    rest = names[1:] if len(names) > 1 else names
    return [] if len(names) > 1 and _all_numbers(columns, rest) else None


def _all_numbers(columns: _Columns, names: list[str]) -> bool:
    return len(columns.table) > 0 and all(columns.table.is_numeric(name) for name in names)


TESTS = (
    _Test("battles", _battles),
    _Test("ratings", lambda columns: columns.find_all("user", "item", "rating")),
    _Test("ballots", _ballots),
    _Test("scores", _long_scores),
    _Test("votes", _votes),
    _Test("regression", _regression),
    _Test("scores", _wide_scores),
)


def _options_of(kind: str) -> set[str]:
    return set(inspect.signature(KINDS[kind].from_frame).parameters) - {"frame"}


def _check_options(kind: str, options: Mapping[str, Any]) -> None:
    known = _options_of(kind)
    unknown = sorted(set(options) - known)
    if unknown:
        raise InvalidDataError(
            f"{shorten(unknown[0])} is no option of {kind}",
            way_out=f"The options are {', '.join(sorted(known))}.",
        )


def _read_preflib(file: OpenFile, kind: str | None, options: Mapping[str, Any]) -> Observations:
    if kind not in {None, "ballots"} or set(options) - {"approval"}:
        raise InvalidDataError(
            f"{file.name} is a PrefLib file, which holds ballots and needs no columns",
            way_out="Read it without other options than approval.",
        )
    return read_preflib(Ballots, file, approval=options.get("approval"))

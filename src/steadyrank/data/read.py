"""One door for files of any kind: what is in one is told, and said."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from os import PathLike
from typing import TYPE_CHECKING, Any

from steadyrank.data.kinds import KINDS
from steadyrank.data.observations import Observations, class_of, decision_on, made_of
from steadyrank.errors import (
    InvalidDataError,
    SteadyrankError,
    UnreadableFileError,
    not_a_choice,
)
from steadyrank.reading.deciding import Check, as_they_are
from steadyrank.reading.files import ENCODED, USUAL
from steadyrank.reading.formats import read_table, read_together
from steadyrank.reading.table import Table, as_table, is_frame

if TYPE_CHECKING:
    from steadyrank.engines.backends import Engine


def as_observations(given: Any) -> Any:
    """Read a path, a stream or a dataframe; return data, and anything else, as they are.

    As on the command line, a pattern such as ``"ratings/*.parquet"`` is scanned by an engine, and the
    files of one such as ``"seasons/*.csv"`` are read as one table.

    Examples
    --------
    >>> as_observations({"choice": ["ann", "bob", "ann"]})
    <Votes: 3 votes, 2 items: 'ann', 'bob'>
    """
    if isinstance(given, Observations):
        return given
    together = read_together(given)
    if together == []:
        return scan_any(given)
    return read_any(together or given) if is_source(given) or is_frame(given) else given


def read_any(
    source: Any,
    *,
    kind: str | None = None,
    format: str | None = None,  # noqa: A002 (the word users know from other readers)
    encoding: str | None = None,
    **arguments: Any,
) -> Observations:
    r"""Read observations of any kind; the kind is recognised unless it is given.

    Parameters
    ----------
    source : path, list of paths, binary stream, dataframe or mapping of columns
        Such as ``sys.stdin.buffer``. A folder or a list holds results of one evaluation tool, or files
        of JSON; a list may also hold CSV or TSV files with the rows of one table.
    kind : {"votes", "ballots", "ratings", "battles", "scores", "regression"}, optional
        What the data are.
    format : str, optional
        ``"csv"``, ``"tsv"``, ``"json"``, ``"jsonl"``, ``"parquet"``, ``"excel"``,
        ``"markup"`` (tables of Markdown and LaTeX), ``"movielens"``, ``"pgn"``, ``"preflib"``,
        ``"stv"``, ``"dominion"``, ``"lm-eval"``, ``"helm"``, ``"inspect"``, ``"mteb"``,
        ``"swe-bench"``, ``"alpaca-eval"``, ``"trec-run"`` or ``"trec-eval"``.
        Told from the content where not given.
    encoding : str, optional
        Of a text file. If not given, UTF-8, or UTF-16 by its byte order mark; text that is neither is
        refused.
    **arguments
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
    (<Battles: 1 battle, 2 items: 'x', 'y'>,
     "recognised as battles by the columns 'left', 'right', 'winner'")
    """
    return read_checked(source, kind, format, encoding, arguments)


def read_checked(
    source: Any,
    kind: str | None,
    format: str | None,  # noqa: A002 (as above)
    encoding: str | None,
    arguments: Mapping[str, Any],
    check: Check = as_they_are,
) -> Observations:
    """Do what :func:`read_any` does; a refusal suggests what would work, and passes a check."""
    check_kind(kind)
    try:
        table = table_of(source, arguments, format=format, encoding=encoding)
    except UnreadableFileError as error:
        if (
            error.way_out is ENCODED
            and encoding is None
            and not hasattr(source, "read")
        ):
            with suppress(SteadyrankError):
                table = table_of(source, arguments, format=format, encoding=USUAL)
                table.guessed["encoding"] = USUAL
                error.readings = decision_on(table, kind, arguments, check).considered
        raise
    decision = decision_on(table, kind, arguments, check)
    try:
        return made_of(decision.taken())
    except InvalidDataError as error:
        error.readings = error.readings or decision.mending or decision.considered
        raise


def table_of(source: Any, given: Mapping[str, Any], **layout: Any) -> Table:
    """Return the table of a file, of a format and an encoding if these are told, or of a frame."""
    return (
        read_table(source, given=given, **layout)
        if is_source(source)
        else as_table(source)
    )


def is_source(given: Any) -> bool:
    """Tell whether something is a path, a list of paths or a stream."""
    paths = given if isinstance(given, list | tuple) else [given]
    return all(isinstance(path, str | PathLike) for path in paths) or hasattr(
        given, "readinto"
    )


def scan_any(
    source: Any,
    *,
    kind: str | None = None,
    engine: str | Engine | None = None,
    **arguments: Any,
) -> Observations:
    """Scan observations of any kind; the kind is recognised from the first rows unless it is given.

    Parameters
    ----------
    source : lazy frame or path
        As for ``Ratings.scan``.
    kind : {"ratings", "votes", "battles", "scores"}, optional
        What the data are. Score tables must be in long form (row, item, score).
    engine : str or engine, optional
        As for ``Ratings.scan``.
    **arguments
        Columns and policies, as for ``scan`` of the kind; unknown ones are refused.

    Examples
    --------
    >>> import duckdb
    >>> scan_any(duckdb.sql("from (values (1, 'a', 5), (2, 'a', 3)) t(user, item, rating)")).n_units
    2
    """
    from steadyrank.data.scanned import scanned

    check_kind(kind)
    return scanned(
        None if kind is None else class_of(KINDS[kind]), source, engine, arguments
    )


def check_kind(kind: str | None) -> None:
    """Complain about a kind of data that there is not."""
    if kind is not None and kind not in KINDS:
        raise not_a_choice("kind", kind, tuple(KINDS))

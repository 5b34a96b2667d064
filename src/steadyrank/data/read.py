"""One door for data that stand in files and frames: their columns have the roles that are said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from steadyrank.data.observations import Observations
from steadyrank.engines.backends import needed
from steadyrank.errors import InvalidDataError, Option, TooLargeError, shorten
from steadyrank.reading.roles import ROLES

if TYPE_CHECKING:
    from steadyrank.engines.backends import Engine


def read(  # noqa: PLR0913 (a word for each role)
    source: Any,
    *,
    item: str | None = None,
    score: str | None = None,
    rating: str | None = None,
    unit: str | None = None,
    row: str | None = None,
    wide: bool = False,
    items: str | Sequence[str] | None = None,
    left: str | None = None,
    right: str | None = None,
    winner: str | None = None,
    left_score: str | None = None,
    right_score: str | None = None,
    loser: str | None = None,
    tie: str | None = None,
    choice: str | None = None,
    ranks: str | Sequence[str] | None = None,
    ballot: str | None = None,
    rank: str | None = None,
    response: str | None = None,
    features: str | Sequence[str] | None = None,
    weight: str | None = None,
    count: str | None = None,
    lower_is_better: bool = False,
    catalogue: str | Sequence[str] | None = None,
    sql: str | None = None,
    tables: Mapping[str, Any] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    engine: str | Engine | None = None,
    memory_limit: str | None = None,
) -> Observations:
    """Read data from a file or a dataframe: say once what its columns are, or nothing of a known header.

    The words are those of the command line (``--left-score`` is ``left_score``). What is said decides:
    no name of a column and no value changes how a table is read. Rows with a blank cell in a role
    are skipped and counted.

    Parameters
    ----------
    source : path, list of paths, binary stream, dataframe or mapping of columns
        A file, a folder or a pattern such as ``"seasons/*.csv"``; CSV and other delimited text, JSON,
        JSON lines, Parquet, Excel, PrefLib or ``.blt``, plain or gzipped.
    item, score, rating : str, optional
        What is ranked, and its score or a person's rating, one row each. Scores are scored by the mean,
        ratings by the paper's sum / (1 + count).
    unit : str, optional
        What is removed: rows with equal values go together. Without it each row is a unit.
    row : str, optional
        Rows (tasks) in which scorers such as ``mean-rank`` compare items; the unit unless said.
    wide, items : bool, sequence of str
        A column for each item: every other column, or these.
    left, right, winner, left_score, right_score, loser, tie : str, optional
        Battles: both sides and who won, or their points; or winner and loser, and whether they tied.
    choice, ranks, ballot, rank : str, or sequence of str for ranks
        Ballots: one choice; columns of the first, second, third choice; orders such as ``a > b = c``;
        or the rank of the ``item`` on the ballot of the ``unit``.
    response, features : str, sequence of str
        A regression; the features are all other columns unless said.
    weight, count : str, optional
        How much a unit counts, and how many rows like this one there are.
    lower_is_better : bool
        Whether smaller scores or points are better.
    catalogue : sequence of str, optional
        All items, also those without data; ``"@FILE"`` names a file of them.
    sql : str, optional
        One SELECT statement over the table ``data``, in which cells of text files are text.
    tables : mapping, optional
        Further files for the statement, by the names that it gives them.
    delimiter, encoding, sheet : str, optional
        Of a text file, and the sheet of an Excel file.
    engine : {"duckdb", "spark"} or an engine of steadyrank.engines, optional
        Leave the data where they are, and add them up there. Frames of DuckDB and Spark need none.
    memory_limit : str, optional
        The most memory that DuckDB takes, such as ``"2GB"``.

    Returns
    -------
    Votes, Ballots, Ratings, Battles, ScoreMatrix or Regression

    Examples
    --------
    >>> shop = {"titel": ["x", "y", "x"], "bewertung": [5, 4, 3], "kunde": [1, 1, 2]}
    >>> read(shop, item="titel", rating="bewertung", unit="kunde")
    <Ratings: 2 kundes, 2 items: 'x', 'y'>
    """
    said = dict(locals())
    del said["source"]
    return read_said(source, said)


def read_said(source: Any, said: Mapping[str, Any]) -> Observations:
    """Read data by all that was said: what columns are, and how to open the source."""
    # Data from arrays need no DuckDB.
    needed("duckdb", "reading files and dataframes needs DuckDB", "cli")
    import duckdb

    from steadyrank.data.making import make
    from steadyrank.reading.frames import is_lazy
    from steadyrank.reading.resolve import resolve
    from steadyrank.reading.table import open_table

    roles, opening = opening_of(said)
    engine = opening.pop("engine", None)
    try:
        if engine is not None or is_lazy(source):
            from steadyrank.data.scanned import scanned

            return scanned(source, roles, engine, opening)
        with open_table(source, **opening) as table:
            return make(resolve(table, roles), table)
    except duckdb.OutOfMemoryException as error:
        limit = said.get("memory_limit") or "the memory that DuckDB may take"
        raise TooLargeError(
            f"{limit} is not enough to read these data",
            way_out=["Give more: ", Option("memory_limit", "4GB"), "."],
        ) from error


def opening_of(said: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what was said of columns, and of how to open the source."""
    roles = {name: value for name, value in said.items() if name in ROLES}
    opening = {name: value for name, value in said.items() if name not in ROLES}
    return roles, opening


def as_observations(given: Any, said: Mapping[str, Any]) -> Observations:
    """Return data as they are, and read anything else.

    Examples
    --------
    >>> as_observations({"vote": ["ann", "bob", "ann"]}, {"choice": "vote"})
    <Votes: 3 votes, 2 items: 'ann', 'bob'>
    """
    if not isinstance(given, Observations):
        return read_said(given, said)
    needless = [name for name, value in said.items() if value not in (None, False)]
    if needless:
        raise InvalidDataError(
            f"{needless[0]}={shorten(said[needless[0]])} says how a file or a frame is read, "
            f"and {given!r} is no such thing",
            way_out="Say it to read(...).",
        )
    return given

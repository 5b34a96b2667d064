"""Scan data of any kind: told from the first rows, unless it is given."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from steadyrank.data.observations import check_choice
from steadyrank.data.recognise import KINDS, recognise
from steadyrank.engines.source import Source, opened
from steadyrank.errors import InvalidDataError, shorten
from steadyrank.reading.table import Table
from steadyrank.reading.text_columns import TextColumn

if TYPE_CHECKING:
    from steadyrank.data.observations import Observations
    from steadyrank.engines.settings import Engine

LOOKED_AT = 1000
SCANNED = ("ratings", "votes", "battles", "scores")


def scan_any(
    given: Any, *, kind: str | None = None, engine: str | Engine | None = None, **options: Any
) -> Observations:
    """Scan observations of any kind; the kind is recognised from the first rows unless it is given.

    Parameters
    ----------
    given : lazy frame or path
        As for ``Ratings.scan``.
    kind : {"ratings", "votes", "battles", "scores"}, optional
        What the data are. Score tables must be in long form (row, item, value).
    engine : str or engine, optional
        As for ``Ratings.scan``.
    **options
        Columns and policies, as for ``scan`` of the kind; unknown ones are refused.

    Examples
    --------
    >>> import polars
    >>> scan_any(polars.LazyFrame({"user": [1, 2], "item": ["a", "a"], "rating": [5, 3]}))
    <scanned ratings: 2 user units, 1 items>
    """
    source = opened(given, engine)
    try:
        wanted = {name: value for name, value in options.items() if value is not None}
        if kind is None:
            kind, _ = recognise(_first_rows(source), wanted)
        scan = _scan_of(kind, wanted)
        data: Observations = scan(source, **wanted)
    except BaseException:
        source.close()
        raise
    return data


def _scan_of(kind: str, wanted: dict[str, Any]) -> Any:
    """Return how a kind of data is scanned, after checking that it can be, with these options."""
    check_choice("kind", kind, tuple(KINDS))
    if kind not in SCANNED:
        raise InvalidDataError(
            f"{kind} cannot be scanned in an engine, only {', '.join(SCANNED)}",
            way_out="Read them into memory.",
        )
    scan = KINDS[kind].scan
    known = set(inspect.signature(scan).parameters) - {"source", "engine"}
    unknown = sorted(set(wanted) - known)
    if unknown:
        raise InvalidDataError(
            f"{shorten(unknown[0])} is no option of {kind} in an engine",
            way_out=f"The options are {', '.join(sorted(known))}.",
        )
    return scan


def _first_rows(source: Source) -> Table:
    rows = source.collect(source.frame.head(LOOKED_AT), "the first rows")
    if source.text:
        texts = {
            name: TextColumn.of(str(word or "") for word in column.tolist())
            for name, column in rows.items()
        }
        return Table(dict(texts))
    return Table(dict(rows))

"""Ratings and long score tables that stay in an engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from steadyrank._typing import BoolArray, IntArray
from steadyrank.data import observations
from steadyrank.data.families import EntryObservations
from steadyrank.data.observations import Observations
from steadyrank.data.units import LazyLabels, Units
from steadyrank.engines.backends import Engine
from steadyrank.engines.files import NOT_PARQUET
from steadyrank.engines.frame import Source, Traffic
from steadyrank.engines.lazy_entries import LazyEntries
from steadyrank.engines.scanning import counted_rows, scan_ratings, scan_scores
from steadyrank.errors import (
    IN_MEMORY,
    NO_BLANKS,
    NO_GAPS,
    EmptyDataError,
    InvalidDataError,
)
from steadyrank.reading.declarations import Kind
from steadyrank.reading.roles import Resolved


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ScannedEntries(EntryObservations):
    """Data of a kind whose entries stay in an engine; made by ``Ratings.scan`` and ``ScoreMatrix.scan``.

    Item sums, unit labels and unit shifts are brought back, and the entries of the few items that
    decide an audit or a margin; all else stays where it is. ``traffic`` says how much that was so far.
    Use it as a context manager, or call :meth:`close`, to give up what was opened for it: a
    connection and the temporary files of DuckDB, a Spark session that was started for it.

    Parameters
    ----------
    entries : LazyEntries
        What the units gave to the items.
    kind : Kind
        The kind of data that this is.
    notes : sequence of str
        What was guessed, which policies were applied, and what left the engine while scanning.

    Examples
    --------
    >>> import duckdb
    >>> from steadyrank.data import Ratings
    >>> Ratings.scan(duckdb.sql("from (values (1, 'a', 5), (2, 'b', 3)) t(user, item, rating)"))
    <ScannedEntries: 2 users, 2 items: 'a', 'b'>
    """

    kind: Kind  # type: ignore[misc]  # of the object: one class serves several kinds
    entries: LazyEntries

    def __init__(self, entries: LazyEntries, kind: Kind, notes: Sequence[str]) -> None:
        made = {"items": entries.labels, "entries": entries, "notes": tuple(notes)}
        observations.set_fields(self, kind=kind, **made)

    @property
    def traffic(self) -> Traffic:
        """What left the engine so far, step by step."""
        return self.entries.source.traffic

    @cached_property
    def units(self) -> Units:
        """The units; of each, only its label and its number of entries are here."""
        keys = self.entries.keys
        labels = LazyLabels(len(keys), lambda unit: keys[unit : unit + 1].tolist()[0])
        counts = np.ones(len(keys), dtype=np.int64)
        return Units(self.kind.unit, counts, labels)

    @property
    def values(self) -> NoReturn:
        """Complain: an engine adds values up, and never hands all of them out."""
        raise InvalidDataError(
            "the values stay in an engine, which sums them up", way_out=IN_MEMORY
        )

    def close(self) -> None:
        """Close the engine's connection, if one was opened, and remove temporary files."""
        self.entries.source.close()

    def __exit__(self, *error: object) -> None:
        self.close()

    def _copied(self, copies: IntArray) -> dict[str, Any]:
        if copies.all() or (copies > 1).any():
            raise InvalidDataError(
                "data in an engine can lose units, but cannot be copied, which draws and refits need",
                way_out=IN_MEMORY,
            )
        return {"entries": self.entries.of_units(copies > 0)}

    def _of_items(self, kept: BoolArray) -> dict[str, Any]:
        return {"entries": self.entries.of_items(kept)}


def made_on_engine(found: Resolved) -> Observations:
    """Return the data of a table, of which an engine has shown the first rows, if it can scan such."""
    _check_scannable(found.kind, {**found.reading, **found.settings})
    return observations.made_of(found)


def _check_scannable(kind: Kind, given: Mapping[str, Any]) -> None:
    """Refuse a kind of data that no engine adds up, and rows that it is to leave out or to merge."""
    if kind.on_engine is None:
        raise InvalidDataError(
            f"{kind.name} cannot be scanned in an engine", way_out=IN_MEMORY
        )
    if given.get("drop") is not None:
        raise InvalidDataError(
            "engines cannot drop rows by their answers", way_out=IN_MEMORY
        )
    if given.get("duplicates") in {"last", "mean"}:
        raise InvalidDataError(
            "engines cannot merge repeated values", way_out=IN_MEMORY
        )
    if kind.name == "ratings" and given.get("lower_is_better") is not None:
        raise InvalidDataError(
            "engines take ratings of which more is better", way_out=IN_MEMORY
        )


def scanned(
    made: type[Observations] | None,
    source: Any,
    engine: str | Engine | None,
    arguments: Mapping[str, Any],
) -> Observations:
    """Scan data of a kind as its declaration says; ``Observations.scan`` explains the arguments.

    Which kind they are, the first rows tell where nobody said it, and that is noted first.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    limits = {
        name: given.pop(name) for name in ("max_units", "batch_rows") if name in given
    }
    for name in ("format", "encoding"):
        if given.pop(name, "parquet") != "parquet":
            problem = f"engines scan Parquet files alone, and the {name} given is {arguments[name]!r}"
            raise InvalidDataError(problem, way_out=NOT_PARQUET)
    if made is not None:
        _check_scannable(made.kind, given)
    lazy = Source(source, engine)
    try:
        named = None if made is None else made.kind.name
        found = observations.decision_on(
            lazy.first_rows(), named, given, make=made_on_engine
        ).taken()
        told = [found.table.notes.pop(0)] if made is None else []
        made = made or observations.class_of(found.kind)
        _check_scannable(made.kind, {**found.reading, **found.settings})
        lazy.holds = found.kind.name
        if made.kind.on_engine == "counted":
            with closing(lazy):
                with _without_rows(found):
                    data = observations.from_resolved(made, counted_rows(lazy, found))
                data = observations.with_notes(data, *told, first=True)
                return observations.with_notes(data, lazy.traffic.sentence(lazy.engine))
        scan = scan_scores if "row" in found.kind.roles else scan_ratings
        with _without_rows(found):
            entries, notes = scan(lazy, found, **limits)
            notes += observations.about_items(found, entries.labels)
        notes = [*told, *notes, lazy.traffic.sentence(lazy.engine)]
        return observations.labelled(ScannedEntries(entries, made.kind, notes), found)
    except BaseException:
        lazy.close()
        raise


@contextmanager
def _without_rows(found: Resolved) -> Iterator[None]:
    """Say errors about columns in terms of the table; rows of an engine's answer are not its rows."""
    with found.errors():
        try:
            yield
        except InvalidDataError as error:
            somewhere = (
                isinstance(error, EmptyDataError)
                or (error.column or error.subject) is not None
            )
            error.rows, error.placed = [], error.placed or not somewhere
            if error.way_out is NO_BLANKS:  # an engine drops nothing
                error.way_out = NO_GAPS
            raise

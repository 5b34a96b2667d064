"""Ratings and long score tables that stay in an engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NoReturn, cast

import numpy as np

from steadyrank._typing import BoolArray, IntArray
from steadyrank.data import observations
from steadyrank.data.families import EntryObservations
from steadyrank.data.kinds import RATINGS, SCORES, Kind
from steadyrank.data.making import make
from steadyrank.data.observations import Observations
from steadyrank.data.units import LazyLabels, Units
from steadyrank.engines.backends import DuckDB, Engine
from steadyrank.engines.frame import Source, Traffic
from steadyrank.engines.lazy_entries import LazyEntries
from steadyrank.engines.scanning import counted_rows, scan_scores
from steadyrank.errors import (
    IN_MEMORY,
    InvalidDataError,
    InvalidSettingError,
    shorten,
)
from steadyrank.reading.resolve import resolve, settle
from steadyrank.reading.table import Table, open_table
from steadyrank.text import noun_of


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ScannedEntries(EntryObservations):
    """Data of a kind whose entries stay in an engine; made by ``read(..., engine=...)``.

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
        Which policies were applied, and what left the engine while scanning.

    Examples
    --------
    >>> import duckdb
    >>> from steadyrank import read
    >>> rows = duckdb.sql("from (values (1, 'a', 5), (2, 'b', 3)) t(user, item, rating)")
    >>> read(rows, unit="user", item="item", rating="rating")
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


@dataclass(frozen=True)
class LazyHeader:
    """What roles are told by of a table in an engine: its columns, and their first values."""

    lazy: Source
    types: Mapping[str, str] = field(default_factory=dict)
    said: Mapping[str, str] = field(default_factory=dict)
    source: str = "the table of the engine"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.lazy.columns

    def examples(self, n: int = 3) -> dict[str, list[str]]:
        """Return the first values of each column."""
        return self.lazy.examples(n)


WITHOUT_COLUMN = {"lower_is_better", "catalogue"}
"""Roles that name no column."""
IN_ENGINES = {"long", "choice", "winner", "points", "winner_loser"}
"""Forms of tables that engines add up, or count."""


def scanned(
    source: Any,
    said: Mapping[str, Any],
    engine: str | Engine | None,
    opening: Mapping[str, Any],
) -> Observations:
    """Leave data where they are, and bring back sums, or distinct rows with their counts.

    Parameters
    ----------
    source : lazy frame, path or pattern of Parquet files
    said : mapping
        What columns are.
    engine : str or engine, optional
    opening : mapping
        What else was said of the source; all but a memory limit is refused.
    """
    given = {name: value for name, value in opening.items() if value is not None}
    limit = given.pop("memory_limit", None)
    if given:
        name = next(iter(given))
        raise InvalidDataError(
            f"an engine takes Parquet files and frames as they are, without {name}",
            way_out=IN_MEMORY,
        )
    if limit is not None:
        if engine not in (None, "duckdb"):
            raise InvalidSettingError("memory_limit goes with DuckDB alone")
        engine = DuckDB(memory_limit=limit)
    lazy = Source(source, engine)
    try:
        return _scanned(lazy, said)
    except BaseException:
        lazy.close()
        raise


def _scanned(lazy: Source, said: Mapping[str, Any]) -> Observations:
    settled = settle(cast("Table", LazyHeader(lazy)), said)
    form, roles = settled.form, dict(settled.roles)
    if form.name not in IN_ENGINES:
        raise InvalidDataError(
            f"an engine does not add up {form.kind} of this form", way_out=IN_MEMORY
        )
    lazy.holds = form.kind
    if form.name != "long":
        with closing(lazy):
            columns = {
                role: name for role, name in roles.items() if role not in WITHOUT_COLUMN
            }
            with _without_rows():
                rows = counted_rows(lazy, columns)
            told = {"count": list(rows)[-1], **roles}
            if form.name == "choice" and "unit" in roles and "count" not in roles:
                del told["count"]  # votes of a unit are approvals, which have no counts
                if max(rows[list(rows)[-1]], default=1) > 1:
                    unit, item = shorten(roles["unit"]), shorten(roles["choice"])
                    raise InvalidDataError(
                        f"rows with equal {unit} name an item of {item} twice",
                        way_out="Count it once, as SELECT DISTINCT does in SQL.",
                    )
            with open_table(rows) as table:
                data = make(resolve(table, told), table)
            return observations.with_notes(data, lazy.traffic.sentence(lazy.engine))
    value = "rating" if "rating" in roles else "score"
    extra = [
        role for role in roles if role not in {"item", "unit", value, "lower_is_better"}
    ]
    if extra or "unit" not in roles:
        problem = (
            f"an engine takes {value}s without {extra[0]}"
            if extra
            else f"an engine takes {value}s of units, and no column is the unit"
        )
        raise InvalidDataError(problem, way_out=IN_MEMORY)
    with _without_rows():
        entries, notes = scan_scores(
            lazy,
            {"unit": roles["unit"], "item": roles["item"], "value": roles[value]},
            f"{value}s",
            lower_is_better="lower_is_better" in roles,
        )
    kind = replace(
        RATINGS if value == "rating" else SCORES, unit=noun_of(roles["unit"]) or "unit"
    )
    document = {"header": settled.header, "roles": roles, "skipped": None}
    made = ScannedEntries(entries, kind, [*notes, lazy.traffic.sentence(lazy.engine)])
    return observations.set_fields(made, _origin=observations.Origin(document))


@contextmanager
def _without_rows() -> Iterator[None]:
    """Say no rows in errors: those of an engine's answer are not those of the table."""
    try:
        yield
    except InvalidDataError as error:
        error.rows = []
        raise

"""What a file holds, before anything is made of it: its kind and roles, or why they cannot be told."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw

from steadyrank.data.kinds import KINDS, check_kind, scan_any
from steadyrank.errors import EmptyDataError, SteadyrankError
from steadyrank.reading.formats import read_table
from steadyrank.reading.roles import lacking, recognise, resolve
from steadyrank.reading.unit_columns import sounds_like_a_unit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from steadyrank.data.observations import Observations
    from steadyrank.engines.settings import Engine
    from steadyrank.reading.kinds import Kind
    from steadyrank.reading.table import Table


class Fit(NamedTuple):
    """How a table fits a kind: why it is recognised, if it is, and the roles that no column has."""

    because: str | None
    lacks: list[str]


@dataclass
class Inspection:
    """What was found out about a file, as far as that went.

    Attributes
    ----------
    table : Table
        The columns; on an engine, their first rows.
    rows : int
    fits : dict
        For each kind of data, how the table fits.
    kind : Kind, optional
        What the data are, as given or recognised.
    columns : dict
        From roles to the names of their columns.
    data : Observations, optional
        What would be read.
    problem : SteadyrankError, optional
        Why nothing can be read as things stand.
    helpful_units : list of str
        Where the kind cannot be told: columns with which as the unit it could.
    """

    table: Table
    rows: int
    fits: dict[str, Fit] = field(default_factory=dict)
    kind: Kind | None = None
    columns: dict[str, Any] = field(default_factory=dict)
    data: Observations | None = None
    problem: SteadyrankError | None = None
    helpful_units: list[str] = field(default_factory=list)


def inspect_any(
    source: Any,
    *,
    kind: str | None = None,
    engine: Engine | None = None,
    format: str | None = None,  # noqa: A002 (the word users know from other readers)
    encoding: str = "utf-8",
    **arguments: Any,
) -> Inspection:
    r"""Find out what would be read; the arguments are those of ``read_any`` and ``scan_any``.

    A file that cannot be opened, or is not of its format, is refused as ever; columns that make no data
    are not, they are what one wants to know about.

    Examples
    --------
    >>> import io
    >>> rows = b"left,right,winner,judge\nx,y,left,j\nx,z,left,j\ny,z,left,k\n"
    >>> found = inspect_any(io.BytesIO(rows))
    >>> found.kind.name, found.columns["winner"], found.data.unit_candidates
    ('battles', 'winner', (('judge', 2),))
    """
    check_kind(kind)
    layout: dict[str, Any] = {"format": format, "encoding": encoding}
    if engine is None:
        table = read_table(source, given=arguments, **layout)
        found = Inspection(table, len(table))
    else:
        found = _first_look(source, engine, layout)
    kinds = [known.kind for known in KINDS.values()]
    found.fits = {one.name: _fit(one, found.table, arguments) for one in kinds}
    try:
        found.kind = KINDS[kind].kind if kind else recognise(kinds, found.table, arguments)[0]
        resolved = resolve(found.kind, found.table, arguments)
        found.columns = resolved.columns
        if engine is None:
            found.data = KINDS[found.kind.name].from_resolved(resolved)
        else:
            found.data = scan_any(source, kind=found.kind.name, engine=engine, **layout, **arguments)
    except SteadyrankError as error:
        found.problem = error
        if found.kind is None:
            found.helpful_units = [name for name in found.table.names if _helps(name, found, arguments)]
    else:
        # Where a table has a column for each item, nobody need name them.
        items = [name for name in found.data.items if name in found.table.columns]
        if "items" in found.kind.roles and "item" not in found.columns:
            found.columns = {**found.columns, "items": items}
    return found


def _first_look(source: Any, engine: Engine, layout: Mapping[str, Any]) -> Inspection:
    """Look at the first rows of what an engine scans, and count all of them."""
    from steadyrank.engines.source import opened

    with opened(source, engine, **layout) as lazy:
        table = lazy.first_rows()
        try:
            frame, _ = lazy.picked({"row": table.names[0]}, ())
            return Inspection(table, int(lazy.numbers(frame.select(rows=nw.len()), "rows")["rows"]))
        except EmptyDataError:
            return Inspection(table, 0)


def _helps(name: str, found: Inspection, arguments: Mapping[str, Any]) -> bool:
    """Tell whether the kind of data could be told if this column were the unit."""
    if not sounds_like_a_unit(name):
        return False
    try:
        recognise([known.kind for known in KINDS.values()], found.table, {**arguments, "unit": name})
    except SteadyrankError:
        return False
    return True


def _fit(kind: Kind, table: Table, arguments: Mapping[str, Any]) -> Fit:
    lacks, because = list[str](), None
    with suppress(SteadyrankError):
        lacks = lacking(kind, table, arguments)
        if table.kind in {None, kind.name}:
            because = recognise([kind], table, arguments)[1]
    return Fit(because, lacks)

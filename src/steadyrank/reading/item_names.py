"""Names for items that are ids: from a mapping, a table, or a file such as movies.csv."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steadyrank.errors import ColumnError, InvalidLabelError, Option, listing, shorten
from steadyrank.reading.arrays import is_hashable, written
from steadyrank.reading.formats import read_table
from steadyrank.reading.labels import unique_labels
from steadyrank.reading.table import Table, as_table

NAMES = ("title", "name", "label", "fullname", "displayname", "itemname", "description")
"""What a column of names is called, best first."""


def with_names(items: Sequence[object], given: Any) -> tuple[tuple[object, ...], str]:
    """Return the items under their names, and what to say of it.

    An item without a name keeps its id, and of items with one name each has its id behind it.

    Examples
    --------
    >>> with_names((7, 8, 9), {7: "Heat", 8: "Heat"})
    (('Heat (7)', 'Heat (8)', 9), 'items called by their labels; ids without a name: 1')
    """
    names, source = (given, "their labels") if isinstance(given, Mapping) else _from_table(items, given)
    if not any(item in names for item in items):  # names of columns are text, whatever they look like
        names = {str(one): name for one, name in names.items()}
    found = [written(names.get(item)) for item in items]
    if not any(found):
        raise InvalidLabelError("no item is among those that labels are given for")
    shown = [name or item for name, item in zip(found, items, strict=True)]
    times = Counter(map(str, shown))
    apart = (
        f"{one} ({item})" if times[str(one)] > 1 else one for one, item in zip(shown, items, strict=True)
    )
    lost = found.count("")
    rest = f"; ids without a name: {lost:,}" if lost else ""
    return unique_labels(list(apart), "names"), f"items called by {source}{rest}"


def _from_table(items: Sequence[object], given: Any) -> tuple[dict[object, object], str]:
    table, told = _opened(given)
    for name in told:
        if name not in table.columns:
            raise ColumnError(f"the labels have no column {shorten(name)}", source=table.source)
    ids = told[0] if told else _ids(items, table)
    name = told[1] if len(told) > 1 else _names(table, ids)
    pairs = list(zip(table.labels(ids).tolist(), table.labels(name).tolist(), strict=True))
    found, wanted = dict(pairs), set(items)
    for row, (one, called) in enumerate(pairs):
        if found[one] != called and one in wanted:
            with table.errors():
                raise InvalidLabelError(f"{shorten(one)} has two names", rows=[row], column=ids)
    return found, f"column {shorten(name)} of {table.source or 'the labels'}, found by {shorten(ids)}"


def _opened(given: Any) -> tuple[Table, list[str]]:
    """Return a table, and its columns of ids and names where the user says which."""
    if not isinstance(given, str | os.PathLike):
        return as_table(given), []
    path, _, columns = os.fspath(given).rpartition(":")
    told = Path(path).is_file() and not Path(given).exists()
    return read_table(path if told else given), columns.split(",") if told else []


def _ids(items: Sequence[object], table: Table) -> str:
    """Return the only column that holds all items; or, if none does, the only one that holds half."""
    wanted = set(items)
    values = {name: list(filter(is_hashable, table.labels(name).tolist())) for name in table.names}
    hits = {
        name: len(wanted.intersection(those)) or len(wanted.intersection(map(str, those)))
        for name, those in values.items()
    }
    whole = [name for name, number in hits.items() if number == len(wanted)]
    found = whole or [name for name, number in hits.items() if 2 * number >= len(wanted)]
    if len(found) == 1:
        return found[0]
    which = f"columns {listing(map(shorten, found))} all hold" if found else "no column holds"
    file = table.source or "FILE"
    raise ColumnError(
        f"{which} the ids of the items",
        source=table.source,
        way_out=["Say which columns hold ids and names: ", Option("labels", f"{file}:ID,NAME")],
    )


def _names(table: Table, ids: str) -> str:
    common = [name for one in NAMES for name in table.by_simple_name.get(one, ())]
    texts = (name for name in table.names if not table.is_numeric(name))
    found = next((name for name in (*common, *texts) if name != ids), None)
    if found is None:
        raise ColumnError("no column of the labels holds names", source=table.source)
    return found

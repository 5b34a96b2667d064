"""Equal rows counted in an engine: what comes back is each distinct one once, with its count.

Votes for the same item are equal, and so are battles with the same two items and result. One group-by
leaves so few rows that the rest is done in memory, by the very code that reads files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw

from steadyrank.engines.lazy_columns import picked, with_labels, with_numbers
from steadyrank.errors import InvalidCountError
from steadyrank.reading.table import GivenColumn, Table

if TYPE_CHECKING:
    from steadyrank.engines.source import Source
    from steadyrank.reading.roles import Resolved

FEWER_ROWS = "Group by a column with fewer values, or add the counts up before."
MAX_DISTINCT = 20_000_000
"""How many distinct rows are brought back at most."""


def counted_rows(source: Source, found: Resolved, *, bound: int = MAX_DISTINCT) -> Resolved:
    """Group a lazy table by its labels and add its counts up; return the same roles over the answer."""
    roles = found.kind.roles
    parts = _parts(found)
    holds = {part: roles[part.partition(" ")[0]].holds for part in parts}
    labels = {part: part for part in parts if holds[part] == "labels"}
    results = [part for part in parts if holds[part] == "results"]
    counts = [part for part in parts if holds[part] == "counts"]
    frame = with_labels(source, picked(source, parts), labels, results)
    for part in counts:
        frame = _whole_counts(source, with_numbers(source, frame, part, parts[part]), part)
    sums = [nw.col(part).sum() for part in counts] or [nw.len().alias("count")]
    answer = source.collect_up_to(
        frame.group_by(*labels, *results).agg(*sums), "distinct rows", bound, FEWER_ROWS
    )
    names = parts if counts else {**parts, "count": _free_name(found.table.names)}
    columns = {name: GivenColumn(answer[part], name) for part, name in names.items()}
    table = Table(columns, found.table.source, notes=found.table.notes)
    return found.over(table, {} if counts else {"count": names["count"]})


def _parts(found: Resolved) -> dict[str, str]:
    """Return a name for each column that plays a role: the role, numbered where it has several."""
    parts: dict[str, str] = {}
    for role, name in found.columns.items():
        if isinstance(name, str):
            parts[role] = name
        else:
            parts |= {f"{role} {place}": column for place, column in enumerate(name)}
    return parts


def _free_name(names: list[str]) -> str:
    name = "number of rows"
    while name in names:
        name += "_"
    return name


def _whole_counts(source: Source, frame: nw.LazyFrame[Any], part: str) -> nw.LazyFrame[Any]:
    count = nw.col(part)
    wide = count.cast(nw.Float64)
    fine = (wide >= 0) & (wide < 2.0**53) & (wide.round(0) == wide)
    wrong = frame.filter(count.is_null() | ~fine).select(part).head(1)
    found = source.collect(wrong, "checks of the counts")[part]
    if len(found):
        raise InvalidCountError(
            f"counts must be whole numbers from 0 on, but there is {found[0]}",
            way_out="Correct these rows.",
        )
    return frame.with_columns(count.cast(nw.Int64))

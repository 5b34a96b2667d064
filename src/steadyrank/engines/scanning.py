"""From a lazy table to what is added up in its engine: entries (unit, item, value), or equal rows.

Votes for the same item are equal rows, and so are battles with the same two items and result. One
group-by leaves so few of them that the rest is done in memory, by the very code that reads files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import narwhals as nw

from steadyrank import errors
from steadyrank.arrays import as_counts
from steadyrank.engines import lazy_columns
from steadyrank.engines.frame import Frame, Source
from steadyrank.engines.lazy_entries import (
    MAX_UNITS,
    LazyEntries,
    item_labels,
    unit_keys,
)
from steadyrank.errors import MOST_COUNTED, NO_VALUES, Option, listing, shorten
from steadyrank.reading.roles import Resolved
from steadyrank.reading.scales import ALL, NONE, turned_rows
from steadyrank.reading.table import GivenColumn, Table
from steadyrank.text import counted, counted_are

MAX_DISTINCT = 20_000_000
"""How many distinct rows are brought back at most."""
HALF = 2**32
WHOLE = (True, False, ALL, NONE, [ALL], [NONE])
"""What can be said about all rows of a table of scores."""
MEANS_IN_MEMORY = (
    Option("engine", "memory", python="read or from_frame"),
    " with ",
    Option("duplicates", "mean"),
)
FEWER_ROWS = "Group by a column with fewer values, or add the counts up before."


def scan_ratings(
    source: Source, found: Resolved, *, max_units: int = MAX_UNITS, **further: Any
) -> tuple[LazyEntries, list[str]]:
    """Return ratings as entries, and what to say of them; ``Ratings.scan`` explains the settings."""
    _refuse(found, "weights", "unit")
    columns = found.columns
    if "user" not in columns:
        told = "an engine takes ratings of users, and no column says who rated"
        raise errors.InvalidDataError(
            told, way_out=["Name it as ", Option("user"), ", or read into memory."]
        )
    parts = {
        "unit": columns["user"],
        "item": columns["item"],
        "value": columns["score"],
    }
    frame, notes = source.picked(parts), list(found.table.notes)
    frame = lazy_columns.with_numbers(source, frame, "value", columns["score"])
    lazy_columns.check_numbers(source, frame, "value", columns["score"], exact=True)
    frame = lazy_columns.with_labels(source, frame, {"unit": "users", "item": "items"})
    further |= {"what": "ratings", "known": found.settings.get("items")}
    entries = LazyEntries(
        source, frame, *unit_keys(source, frame, "users", max_units), **further
    )
    if found.settings.get("duplicates") == "trust":
        notes.append("not checked whether a user rated an item more than once")
    elif source.in_strict_order():
        notes.append(
            "the files are in order of user and item, so no rating is repeated"
        )
    elif twice := lazy_columns.repeated_pair(source, frame):
        again, user, item = twice
        raise errors.InvalidDataError(
            f"{counted_are(again, 'rating', 'repeated')}: user {shorten(user)} rated {shorten(item)} "
            "more than once",
            way_out=["Keep one of them, or average them in memory: ", *MEANS_IN_MEMORY],
        )
    return entries, notes


def _refuse(found: Resolved, *roles: str) -> None:
    """Complain about columns that only memory knows what to do with."""
    for role in roles:
        if role in found.columns:
            raise errors.InvalidDataError(
                f"an engine takes {found.kind.name} without a {role.removesuffix('s')}, but the column "
                f"{shorten(found.columns[role])} is one",
                way_out=errors.IN_MEMORY,
            )


def scan_scores(
    source: Source, found: Resolved, *, max_units: int = MAX_UNITS, **further: Any
) -> tuple[LazyEntries, list[str]]:
    """Return a long score table as entries, and what to say of it; ``ScoreMatrix.scan`` explains."""
    _refuse(found, "weights", "unit")
    if "score" not in found.columns:
        raise errors.InvalidDataError(
            "engines scan long tables of scores, one row per score, and this one is wide",
            way_out=[
                "Name the columns ",
                Option("item"),
                " and ",
                Option("score"),
                ", or read it.",
            ],
        )
    turned, columns = _turned(found), found.columns
    parts = {"unit": columns["row"], "item": columns["item"], "value": columns["score"]}
    frame, notes = source.picked(parts), list(found.table.notes)
    frame = lazy_columns.with_labels(source, frame, {"unit": "rows", "item": "items"})
    unit_keys(source, frame, "rows", max_units)
    labels = item_labels(source, frame)
    frame = lazy_columns.with_numbers(source, frame, "value", columns["score"])
    if source.schema(frame)["value"].is_float():
        lazy_columns.check_numbers(
            source, frame, "value", columns["score"], missing=True
        )
    if turned:
        frame = frame.with_columns(nw.col("value") * -1)
    if twice := lazy_columns.repeated_pair(source, frame):
        _, row, item = twice
        raise errors.InvalidDataError(
            f"{shorten(item)} has more than one value in row {shorten(row)}",
            way_out=["Keep one of them, or name another column as ", Option("row")],
        )
    missing = found.settings.get("missing", "error")
    if missing == "available":
        some = item_labels(source, frame.filter(~nw.col("value").is_null()))
        gone = [shorten(label) for label in labels if label not in {*some}]
        notes += [NO_VALUES.format(listing(gone))] if gone and some else []
        labels = some or labels
    frame, said = _without_gaps(source, frame, labels, missing)
    lazy_columns.check_numbers(source, frame, "value", "values", exact=True)
    further |= {"what": "values", "known": labels}
    entries = LazyEntries(
        source, frame, *unit_keys(source, frame, "units", max_units), **further
    )
    return entries, [*notes, *said]


def _turned(found: Resolved) -> bool:
    """Tell whether less is better in all rows; refuse what only the names of rows could tell."""
    lower, row = found.settings.get("lower_is_better"), found.columns["row"]
    if (lower is not None and lower not in WHOLE) or found.settings.get("standardise"):
        raise errors.InvalidDataError(
            "an engine does not look at single rows, to turn them or to bring them to one scale",
            way_out=[
                Option("lower_is_better", ALL),
                " turns all; or read the scores into memory.",
            ],
        )
    return bool(turned_rows(found.table, [row], lower)[0])


def _without_gaps(
    source: Source, frame: Frame, labels: tuple[object, ...], missing: str
) -> tuple[Frame, list[str]]:
    """Return the entries that have a value, and what to say."""
    filled, values = frame.filter(~nw.col("value").is_null()), nw.col("values")
    per_row = frame.group_by("unit").agg(values=nw.col("value").count())
    full = values == len(labels)
    sizes = {
        "rows": nw.len(),
        "all": lazy_columns.how_many(full),
        "values": values.sum(),
    }
    found = {
        name: int(n)
        for name, n in source.numbers(per_row.select(**sizes), "sizes").items()
    }
    cells = found["rows"] * len(labels)
    gaps = cells - found["values"]
    if not gaps:
        return filled, []
    if missing == "error":
        raise errors.MissingValuesError(
            f"{counted_are(gaps, 'value', 'missing')} (of {cells:,})",
            way_out=[
                "Drop these rows with ",
                Option("missing", "drop"),
                *errors.MEANS_OF_REST,
            ],
        )
    left = set(item_labels(source, filled))
    if empty := [label for label in labels if label not in left]:
        raise errors.MissingValuesError(
            f"no values at all for {listing(map(shorten, empty))}",
            way_out="Leave these items out.",
        )
    if missing == "available":
        return filled, [f"{counted(gaps, 'missing value')} left out of the means"]
    if not found["all"]:
        raise errors.MissingValuesError(
            "every row has a missing value, so that dropping them leaves nothing",
            way_out=["Leave out the items with the most gaps", *errors.MEANS_OF_REST],
        )
    dropped = counted(found["rows"] - found["all"], "row")
    kept = filled.join(per_row.filter(full).select("unit"), on="unit", how="semi")
    return kept, [f"{dropped} with {counted(gaps, 'missing value')} dropped"]


def counted_rows(source: Source, found: Resolved) -> Resolved:
    """Group a lazy table by its labels and add its counts up; return the same roles over the answer."""
    parts, roles = _parts(found), found.kind.roles
    holds = {part: roles[part.partition(" ")[0]].holds for part in parts}
    labels = {
        part: roles[part].argument or part for part in parts if holds[part] == "labels"
    }
    results = [part for part in parts if holds[part] == "results"]
    counts = [part for part in parts if holds[part] == "counts"]
    numbers = [part for part in parts if holds[part] == "numbers"]
    frame = source.picked(parts)
    for part in (*counts, *numbers):
        frame = lazy_columns.with_numbers(source, frame, part, parts[part])
        lazy_columns.check_numbers(source, frame, part, parts[part])
    frame = lazy_columns.with_labels(source, frame, labels)
    for part in counts:
        frame = _whole_counts(source, frame, part, labels)
    _check_total(source, frame, counts, found.kind.name)
    sums = [nw.col(part).sum() for part in counts] or [nw.len().alias("count")]
    grouped = frame.group_by(*labels, *results, *numbers).agg(*sums)
    if counts:  # DuckDB adds up in 128 bits, which would come back as floats
        grouped = grouped.with_columns(nw.col(part).cast(nw.Int64) for part in counts)
    answer = source.collect_up_to(grouped, "distinct rows", MAX_DISTINCT, FEWER_ROWS)
    names = parts if counts else {**parts, "count": _free_name(found.table.names)}
    columns = {name: GivenColumn(answer[part], name) for part, name in names.items()}
    notes = list(found.table.notes)
    table = Table(columns, found.table.source, notes=notes, format=found.table.format)
    further = {} if counts else {"count": names["count"]}
    return replace(found, table=table, columns={**found.columns, **further})


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


def _whole_counts(
    source: Source, frame: Frame, part: str, labels: Iterable[str]
) -> Frame:
    count = nw.col(part)
    wide = count.cast(nw.Float64)
    fine = (wide >= 0) & (wide.round(0) == wide)
    if source.schema(frame)[part] != nw.Int64:
        fine = fine & (wide < 2.0**63)
    if wrong := source.example(frame.filter(~fine), part, "checks of the counts"):
        for label in labels:
            item_labels(
                source, frame.select(item=nw.col(label))
            )  # complains about blank ones
        as_counts(wrong, len(wrong))  # complains, as it does in memory
    return frame.with_columns(count.cast(nw.Int64))


def _check_total(source: Source, frame: Frame, counts: list[str], what: str) -> None:
    """Refuse counts whose total 64 bits do not hold, by sums of their halves, which do."""
    total = 0
    for part in counts:
        low = nw.col(part) % HALF
        halves = frame.select(
            low=low, high=((nw.col(part) - low) / HALF).cast(nw.Int64)
        )
        found = source.numbers(
            halves.select(nw.all().sum().cast(nw.Int64)), "the total"
        )
        total += int(found["low"] or 0) + int(found["high"] or 0) * HALF
    if total >= MOST_COUNTED:
        raise errors.counts_too_large(what, total)

"""How each form of a table is read: which columns, and what they become."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from steadyrank.arrays import Coded, objects
from steadyrank.errors import ColumnError, InvalidLabelError, Option, WayOut, shorten
from steadyrank.reading.cells import (
    cell_of,
    check_cell,
    check_numbers,
    trimmed,
)
from steadyrank.reading.codes import label_cells, number_labels
from steadyrank.reading.query import literal
from steadyrank.reading.results import points_outcome, tie_outcome, winner_outcome
from steadyrank.reading.roles import Reading
from steadyrank.reading.rows import PLACE, Rows

NAMES_NOBODY = r"(^|[>=])\s*([>=]|$)"  # two signs, or a sign at an end


def _long(rows: Rows) -> Reading:
    rows.keep()
    rows.add_items({"item": rows.roles["item"]})
    rows.add_number("score" if "score" in rows.roles else "rating")
    rows.add_units()
    columns = rows.fetch()
    return rows.reading("long", columns, columns["item"].distinct)


def _wide(rows: Rows) -> Reading:
    """Read a column for each item; a blank cell is NaN."""
    names = rows.roles.get("items") or rows.others()
    _keep_numbers(rows, names, "items")
    catalogue = rows.catalogue or names
    for name in names:
        if name not in catalogue:
            problem = f"the item {shorten(name)} is not in the catalogue"
            raise InvalidLabelError(
                problem, way_out=["List it in ", Option("catalogue")]
            )
    keys = [f"item {place}" for place in range(len(names))]
    for key, name in zip(keys, names, strict=True):
        rows.add_value(key, rows.number(name))
    rows.need(keys, "items" if "items" in rows.roles else "wide", names)
    rows.add_units()
    columns = rows.fetch()
    scores = {name: columns.pop(key) for key, name in zip(keys, names, strict=True)}
    n_values = sum(int(np.isfinite(values).sum()) for values in scores.values())
    without_data = np.full(len(columns[PLACE]), np.nan)
    columns["items"] = [scores.get(name, without_data) for name in catalogue]
    return rows.reading("wide", columns, catalogue, cells=(n_values, len(names)))


def _wide_rows(rows: Rows) -> Reading:
    """Read a row for each item, whose other columns are units, as a long table."""
    names = rows.others()
    _keep_numbers(rows, names, "wide")
    values = ", ".join(rows.number(name) for name in names)
    rows.set_entries(
        f"select held.rowid as row, unnest([{values}]) as score, "
        f"unnest(range({len(names)})) as unit from held"
    )
    rows.add_items({"item": rows.roles["item"]})
    rows.add_value("unit", "entries.unit::integer")
    rows.add_value("score", "entries.score")
    rows.need(["score"], "wide", names)
    columns = rows.fetch()
    columns["unit"] = Coded(columns["unit"], objects(names))
    cells = (len(columns["score"]), len(names))
    return rows.reading("long", columns, columns["item"].distinct, cells=cells)


def _keep_numbers(rows: Rows, names: Sequence[str], role: str) -> None:
    way_out: WayOut = ()
    if role not in rows.roles:
        way_out = ["Name the columns of numbers with ", Option(role, several=True), "."]
    if role == "wide":  # items in rows: all other columns are units
        exclude = Option("sql", "SELECT * EXCLUDE (...) FROM data")
        way_out = ["Leave out columns that hold no scores with ", exclude, "."]
    if not names:
        problem = f"{rows.table.source} has no columns but those that were said"
        raise ColumnError(problem, source="", way_out=way_out)
    rows.keep(names)
    check_numbers(rows.table, names, way_out)


def _winner(rows: Rows) -> Reading:
    rows.keep()
    left, right, winner = (rows.roles[role] for role in ("left", "right", "winner"))
    rows.add_items({"left": left, "right": right})
    rows.add_value("outcome", winner_outcome(rows.table, left, right, winner))
    rows.need(["outcome"], "winner", [winner])
    return _battles(rows, "winner")


def _points(rows: Rows) -> Reading:
    rows.keep()
    rows.add_items({"left": rows.roles["left"], "right": rows.roles["right"]})
    for role in ("left_score", "right_score"):
        rows.add_number(role)
    outcome = points_outcome(
        rows.table,
        rows.roles["left_score"],
        rows.roles["right_score"],
        lower_is_better="lower_is_better" in rows.roles,
    )
    rows.add_value("outcome", outcome)
    return _battles(rows, "points")


def _winner_loser(rows: Rows) -> Reading:
    rows.keep()
    rows.add_items({"left": rows.roles["winner"], "right": rows.roles["loser"]})
    rows.add_value("outcome", "1")
    if "tie" in rows.roles:
        rows.add_value("outcome", tie_outcome(rows.table, rows.roles["tie"]))
        rows.need(["outcome"], "tie", [rows.roles["tie"]])
    return _battles(rows, "winner_loser")


def _battles(rows: Rows, form: str) -> Reading:
    rows.add_units()
    columns = rows.fetch()
    columns["outcome"] = columns["outcome"].astype(np.int8)
    for points in ("left_score", "right_score"):
        columns.pop(points, None)
    return rows.reading(form, columns, columns["left"].distinct)


def _choice(rows: Rows) -> Reading:
    rows.keep()
    rows.add_items({"choice": rows.roles["choice"]})
    rows.add_units()
    columns = rows.fetch()
    return rows.reading("choice", columns, columns["choice"].distinct)


def _ranks(rows: Rows) -> Reading:
    """Read a column for each choice, the first one first; a blank is no name."""
    names = rows.roles["ranks"]
    rows.keep()
    cells = label_cells(rows.table, names, rows.catalogue)
    blanks = [rows.is_blank(name) for name in names]
    return _orders(
        rows,
        f"select held.rowid as row, unnest([{', '.join(cells)}]) as label, "
        f"unnest(range({len(names)})) as rank from held",
        " and ".join(blanks),
    )


def _ballot(rows: Rows) -> Reading:
    """Read an order in one cell: > between ranks, = between items of one rank."""
    rows.keep()
    column = rows.roles["ballot"]
    ballot = cell_of(column)
    blank = rows.is_blank(column)
    wrong = f"not {blank} and regexp_matches({ballot}, {literal(NAMES_NOBODY)})"
    way_out: WayOut = ["Write ballots as a > b = c with ", Option("sql"), "."]
    check_cell(rows.table, column, wrong, "has a place without a name", way_out)
    levels = f"string_split({ballot}, '>')"
    return _orders(
        rows,
        f"select row, {trimmed('name')} as label, rank from (select row, rank, "
        "unnest(string_split(tied, '=')) as name from (select held.rowid as row, "
        f"unnest({levels}) as tied, unnest(range(len({levels}))) as rank from held))",
        blank,
    )


def _orders(rows: Rows, entries: str, blank: str) -> Reading:
    rows.set_entries(entries)
    labels = number_labels(
        rows.table, "codes_items", "select row, label from entries", rows.catalogue
    )
    rows.add_value("rank", "entries.rank::integer")
    rows.add_codes("item", "codes_items", "entries.label", labels)
    role = "ranks" if "ranks" in rows.roles else "ballot"
    rows.need(["item"], role, rows.columns_of(role), blank)
    rows.add_units()
    columns = rows.fetch()
    places = columns[PLACE]
    columns["ballot"] = np.cumsum(np.diff(places, prepend=places[:1]) != 0)
    return rows.reading(role, columns, columns["item"].distinct)


def _rank(rows: Rows) -> Reading:
    """Read a row for each item of a unit's ballot; smaller ranks are better."""
    rows.keep()
    rows.add_items({"item": rows.roles["item"]})
    rows.add_number("rank")
    rows.add_units()
    columns = rows.fetch()
    columns["ballot"] = columns["unit"].codes.astype(np.int64)
    return rows.reading("rank", columns, columns["item"].distinct)


def _regression(rows: Rows) -> Reading:
    names = rows.roles.get("features") or rows.others()
    _keep_numbers(rows, names, "features")
    rows.add_number("response")
    keys = [f"feature {place}" for place in range(len(names))]
    for key, name in zip(keys, names, strict=True):
        rows.add_value(key, rows.number(name))
        rows.need([key], "features", [name])
    rows.add_units()
    columns = rows.fetch()
    columns["features"] = [columns.pop(key) for key in keys]
    return rows.reading("regression", columns, names)


READERS: Mapping[str, Callable[[Rows], Reading]] = {
    "long": _long,
    "wide": _wide,
    "wide_rows": _wide_rows,
    "winner": _winner,
    "points": _points,
    "winner_loser": _winner_loser,
    "choice": _choice,
    "ranks": _ranks,
    "ballot": _ballot,
    "rank": _rank,
    "regression": _regression,
}

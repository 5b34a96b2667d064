"""From a table whose columns have roles to data: which class holds them, and how they are scored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
from steadyrank.arrays import Coded, compact
from steadyrank.data.ballots import BallotArrays, Ballots
from steadyrank.data.battles import Battles
from steadyrank.data.kinds import RATINGS, SCORES
from steadyrank.data.observations import (
    Observations,
    Origin,
    nearly_equal,
    set_fields,
    with_notes,
)
from steadyrank.data.ratings import LongScores, Ratings, RowScores
from steadyrank.data.regression import Regression, standardised
from steadyrank.data.rows import check_some, in_strict_order, repeated_cells
from steadyrank.data.score_matrix import LEFT_OUT, ScoreMatrix
from steadyrank.data.units import LazyLabels, of_people
from steadyrank.data.votes import Votes
from steadyrank.errors import (
    NO_VALUES,
    InvalidCountError,
    InvalidDataError,
    Option,
    TooLargeError,
    listing,
    shorten,
)
from steadyrank.reading.roles import Reading
from steadyrank.reading.table import Table
from steadyrank.text import counted, noun_of

MOST_ROWS = 1 << 30  # of counted scores, which are written out one by one
TURNED = "the sign of the scores is changed, since less is better"
BATTLES_ALONE = "{} of an item with itself left out"
TWICE = "{} with an item twice: its first place counts"
FEATURES = "features: every other column: {}"
ONLY_PAPER = "mean:shrinkage=1"


def make(reading: Reading, table: Table) -> Observations:
    """Return the data of a table whose columns have roles."""
    with errors_with_places(reading, table):
        data = MAKERS[reading.form](with_agreed_weights(reading, table))
    origin = Origin(
        reading=reading.document(),
        scorer=ONLY_PAPER if "rating" in reading.roles else "",
        library=table.library,
    )
    notes = (*table.notes, *nearly_equal(data.items))
    named = with_notes(data, *notes, first=True)
    return set_fields(named, _origin=origin)


@contextmanager
def errors_with_places(reading: Reading, table: Table) -> Iterator[None]:
    """Say errors about rows in terms of the lines that they stand on."""
    try:
        yield
    except InvalidDataError as error:
        if not error.placed:
            places: list[object] = [
                table.place(int(reading.rows[row])) for row in error.rows
            ]
            source = "" if places else table.source
            error.place_in(source, places, lead="in")
        raise


def with_agreed_weights(reading: Reading, table: Table) -> Reading:
    """Refuse different weights within a unit, and leave out labels that no row has."""
    columns: dict[str, Any] = {
        role: used(column) if role in {"unit", "row"} else column
        for role, column in reading.columns.items()
    }
    unit: Coded | None = columns.get("unit")
    weight: FloatArray | None = columns.get("weight")
    if unit is not None and weight is not None:
        _, first = np.unique(unit.codes, return_index=True)
        first_of_row = first[unit.codes]
        differs = np.flatnonzero(weight != weight[first_of_row])
        if len(differs):
            rows = (int(first_of_row[differs[0]]), int(differs[0]))
            weights = " and ".join(
                f"{weight[row]:g} ({table.place(int(reading.rows[row]))})"
                for row in rows
            )
            label = shorten(unit.distinct[unit.codes[rows[0]]])
            raise InvalidCountError(
                f"{unit_name(reading)} {label} has two weights: {weights}",
                source="",
                way_out="A unit has one weight: correct these rows.",
            )
    return replace(reading, columns=columns)


def used(labels: Coded) -> Coded:
    """Return the same labels without those that no row has.

    Examples
    --------
    >>> found = used(Coded(np.array([2, 0]), np.array(["a", "b", "c"], dtype=object)))
    >>> found.codes, found.distinct.tolist()
    (array([1, 0]), ['a', 'c'])
    """
    present = np.bincount(labels.codes, minlength=len(labels.distinct)) > 0
    if present.all():
        return labels
    renumbered = np.cumsum(present) - 1
    return Coded(renumbered[labels.codes], labels.distinct[present])


def unit_name(reading: Reading) -> str:
    """Return what one unit is called: as its column is."""
    column = reading.roles.get("unit")
    return (noun_of(column) if isinstance(column, str) else "") or "unit"


def row_numbers(rows: IntArray) -> LazyLabels:
    """Return the labels of rows that nothing names: their numbers, from 1."""
    return LazyLabels(len(rows), (rows + 1).item)


def people(reading: Reading, rows: Any = slice(None)) -> dict[str, Any]:
    """Return who is behind some rows, as the classes take it."""
    said: dict[str, Any] = {}
    weight, unit = reading.columns.get("weight"), reading.columns.get("unit")
    if weight is not None:
        said["weights"] = weight[rows]
    if unit is not None:
        said["units"] = used(Coded(unit.codes[rows], unit.distinct))
        said["unit_kind"] = unit_name(reading)
    return said


def turned(values: FloatArray, reading: Reading) -> FloatArray:
    """Return values of which more is better."""
    if not reading.roles.get("lower_is_better"):
        return values
    return 0.0 - values  # not -0.0 for 0


def in_small_type(values: FloatArray) -> AnyArray:
    """Return whole numbers in the smallest type that holds them, all else as it is."""
    if (values == np.rint(values)).all() and (np.abs(values) < 2**53).all():
        return compact(values.astype(np.int64))
    return values


# Scores


def long_scores(reading: Reading) -> Observations:
    """Return scores of one row each: sparse, each unit with its scores."""
    columns = dict(reading.columns)
    rows = reading.rows
    if "count" in columns:
        copies = written_out(columns["count"])
        rows = rows[copies]
        columns = {role: rows_of(column, copies) for role, column in columns.items()}
    role = "rating" if "rating" in columns else "score"
    values = in_small_type(turned(columns[role], reading))
    check_some(len(values), f"{role}s")
    item = columns["item"]
    fields: dict[str, Any] = {"items": reading.items, "rated": item.codes}
    unit, row = columns.get("unit"), columns.get("row")
    made: type[Ratings] = Ratings if role == "rating" else LongScores
    alone = RATINGS.observation if role == "rating" else SCORES.unit
    if row is None and unit is not None:
        order, repeats = _by_cell(unit.codes, item.codes, len(reading.items))
        if not repeats:
            return _of_units(made, order, values, columns, reading)
    fields |= of_people(
        np.ones(len(values), dtype=np.int64),
        alone,
        weights=columns.get("weight"),
        units=unit,
        unit_kind=unit_name(reading),
    )
    if row is not None:
        made = RowScores
        fields |= {"row": row.codes.astype(np.int64), "row_names": _labels(row)}
    fields |= {
        "user_labels": row_numbers(rows),
        "indptr": np.arange(len(values) + 1),
        "values": values,
    }
    data = made.__new__(made)._filled(**fields)  # noqa: SLF001 (fields of checked columns)
    return _with_turned(data, reading)


def _by_cell(
    unit: IntArray, item: IntArray, n_items: int
) -> tuple[IntArray | None, bool]:
    """Return the order by unit and item, None where rows are in it, and whether two are equal."""
    if in_strict_order(unit, item):
        return None, False
    cells = unit.astype(np.int64) * n_items + item
    order = np.argsort(cells, kind="stable")
    ordered = cells[order]
    return order, bool((ordered[1:] == ordered[:-1]).any())


def _of_units(
    made: type[Ratings],
    order: IntArray | None,
    values: AnyArray,
    columns: dict[str, Any],
    reading: Reading,
) -> Observations:
    """Return scores of units that each have at most one of an item, in the order of both."""
    unit = columns["unit"]
    codes, rated = unit.codes, columns["item"].codes
    weights = None
    if "weight" in columns:
        weights = columns["weight"][np.unique(codes, return_index=True)[1]]
    if order is not None:
        codes, rated, values = codes[order], rated[order], values[order]
    ends = np.arange(len(unit.distinct) + 1, dtype=codes.dtype)
    fields = of_people(
        np.ones(len(unit.distinct), dtype=np.int64), unit_name(reading), weights=weights
    )
    data = made.__new__(made)._filled(  # noqa: SLF001 (as above)
        items=reading.items,
        user_labels=_labels(unit),
        indptr=np.searchsorted(codes, ends).astype(np.int64),
        rated=rated.astype(np.int32, copy=False),
        values=values,
        **fields,
    )
    return _with_turned(data, reading)


def _with_turned(data: Observations, reading: Reading) -> Observations:
    return with_notes(data, TURNED) if reading.roles.get("lower_is_better") else data


def _labels(column: Coded) -> tuple[object, ...]:
    return tuple(column.distinct.tolist())


def rows_of(column: Any, rows: IntArray) -> Any:
    """Return some rows of a column, or of several."""
    if isinstance(column, Coded):
        return Coded(column.codes[rows], column.distinct)
    if isinstance(column, list):
        return [each[rows] for each in column]
    return column[rows]


def written_out(counts: IntArray) -> IntArray:
    """Return the number of each row as often as it counts.

    Examples
    --------
    >>> written_out(np.array([2, 0, 1]))
    array([0, 0, 2])
    """
    total = int(counts.sum(dtype=np.float64))
    if total > MOST_ROWS:
        raise TooLargeError(
            f"the counts add up to {total:,} rows, and rows of scores are written out one by one",
            way_out=["Say them as weights, if they are: ", Option("weight")],
        )
    return np.repeat(np.arange(len(counts)), counts)


def wide_scores(reading: Reading) -> Observations:
    """Return scores of a wide table, a column for each item; blank cells are not there."""
    columns = dict(reading.columns)
    rows = reading.rows
    if "count" in columns:
        copies = written_out(columns["count"])
        rows = rows[copies]
        columns = {role: rows_of(column, copies) for role, column in columns.items()}
    values = turned(np.column_stack(columns["items"]), reading)
    present = ~np.isnan(values)
    # Items of the catalogue stay, also those without data.
    some: BoolArray = np.asarray(present.any(axis=0))
    if "catalogue" in reading.roles:
        some = np.ones(len(some), dtype=np.bool_)
    heavy = np.flatnonzero(present.any(axis=1))
    items = tuple(
        label for label, there in zip(reading.items, some, strict=True) if there
    )
    check_some(len(heavy), "scores")
    said = people(replace(reading, columns=columns), heavy)
    names: Any = columns.get("row")
    if names is not None:
        names = list(Coded(names.codes[heavy], names.distinct))
    elif "units" in said and len(said["units"].distinct) == len(heavy):
        names = list(said.pop("units"))  # each row is a unit of its own
    else:
        names = list(row_numbers(rows[heavy]))
    data: Observations = ScoreMatrix(
        values[heavy][:, some], items=items, rows=names, missing="available", **said
    )
    # What was skipped is told of the cells already.
    n_blank = int((~present[heavy][:, some]).sum())
    skipped = LEFT_OUT.format(counted(n_blank, "missing value"))
    notes = tuple(note for note in data.notes if note != skipped)
    data = set_fields(data, notes=notes)
    if not some.all():
        without = (
            shorten(label)
            for label, there in zip(reading.items, some, strict=True)
            if not there
        )
        data = with_notes(data, NO_VALUES.format(listing(without)))
    return _with_turned(data, reading)


# Battles


def battles(reading: Reading) -> Observations:
    """Return battles; those of an item with itself say nothing."""
    columns = reading.columns
    left = columns["left"].codes.astype(np.int64)
    right = columns["right"].codes.astype(np.int64)
    met = np.flatnonzero(left != right)
    check_some(len(met), "battles between two items")
    sides = left[met], right[met], reading.items
    count = columns.get("count")
    made = Battles.__new__(Battles)
    data = made._set(  # noqa: SLF001 (columns were checked)
        sides,
        columns["outcome"][met],
        None if count is None else count[met],
        **people(reading, met),
    )
    if len(met) == len(left):
        return data
    return with_notes(
        data, BATTLES_ALONE.format(counted(len(left) - len(met), "battle"))
    )


# Ballots


def choices(reading: Reading) -> Observations:
    """Return votes; of units with several rows, approved items, unless the rows are counted."""
    columns = reading.columns
    choice = columns["choice"]
    unit = columns.get("unit")
    if unit is None or "count" in columns or len(unit.distinct) == len(unit.codes):
        return Votes(
            choice, counts=columns.get("count"), items=reading.items, **people(reading)
        )
    order = np.argsort(unit.codes, kind="stable")
    arrays = BallotArrays(
        indptr=np.searchsorted(unit.codes[order], np.arange(len(unit.distinct) + 1)),
        ranked=choice.codes[order].astype(np.int64),
        levels=np.zeros(len(order), dtype=np.int64),
    )
    again = repeated_cells(unit.codes, choice.codes)
    if len(again):
        row = int(again[0])
        raise InvalidDataError(
            f"{unit_name(reading)} {shorten(unit.distinct[unit.codes[row]])} names "
            f"{shorten(choice.distinct[choice.codes[row]])} twice",
            rows=np.sort(again),
            way_out=[
                "Approve once with ",
                Option("sql", "SELECT DISTINCT * FROM data"),
                ", or, where each row is a vote, count it with ",
                Option("sql", "SELECT *, 1 AS n FROM data"),
                " and ",
                Option("count", "n"),
                ".",
            ],
        )
    return _ballots(reading, arrays, unit.codes, approval=True)


def orders(reading: Reading) -> Observations:
    """Return ballots from a row for each item of a ballot, with its rank."""
    columns = reading.columns
    item, rank, ballot = columns["item"], columns["rank"], columns["ballot"]
    numbers, owner = np.unique(ballot, return_inverse=True)
    order = np.lexsort((rank, owner))
    codes = item.codes.astype(np.int64)
    later = repeated_cells(owner[order], codes[order])
    n_twice = len(np.unique(owner[order[later]]))
    kept = np.delete(order, later)
    _, levels = np.unique(rank[kept], return_inverse=True)
    indptr = np.searchsorted(owner[kept], np.arange(len(numbers) + 1))
    arrays = BallotArrays(indptr, codes[kept], levels)
    data = _ballots(reading, arrays, owner, approval=False)
    if not n_twice:
        return data
    return with_notes(data, TWICE.format(counted(n_twice, "ballot")))


def _ballots(
    reading: Reading, arrays: BallotArrays, owner: IntArray, *, approval: bool
) -> Observations:
    """Return ballots; ``owner`` is the ballot of each row."""
    first = np.unique(owner, return_index=True)[1]
    said = people(reading, first)
    if approval or reading.form == "rank":
        said.pop("units", None)  # a ballot is a unit
    count = reading.columns.get("count")
    if count is not None:
        differs = count != count[first][owner]
        if differs.any():
            raise InvalidCountError(
                "rows of one ballot have different counts",
                rows=differs,
                way_out="Correct these rows.",
            )
        count = count[first]
    made = Ballots.__new__(Ballots)
    return made._set(  # noqa: SLF001 (columns were checked)
        arrays, count, reading.items, approval=approval, **said
    )


# Regression


def regression(reading: Reading) -> Observations:
    """Return rows of features and a response, all standardised."""
    columns = dict(reading.columns)
    rows = reading.rows
    if "count" in columns:
        copies = written_out(columns["count"])
        rows = rows[copies]
        columns = {role: rows_of(column, copies) for role, column in columns.items()}
    check_some(len(rows), "rows")
    data = Regression(
        np.column_stack(columns["features"]),
        columns["response"],
        items=reading.items,
        rows=list(row_numbers(rows)),
        **people(replace(reading, columns=columns)),
    )
    made = standardised(data)
    if "features" in reading.roles:
        return made
    return with_notes(made, FEATURES.format(listing(map(shorten, reading.items))))


MAKERS: dict[str, Callable[[Reading], Observations]] = {
    "long": long_scores,
    "wide": wide_scores,
    "winner": battles,
    "points": battles,
    "winner_loser": battles,
    "choice": choices,
    "ranks": orders,
    "ballot": orders,
    "rank": orders,
    "regression": regression,
}
"""The form of a table, and what makes data of it."""

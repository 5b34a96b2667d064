"""Score matrices: rows are questions, tasks or judges; columns are items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, Unpack

import numpy as np

from steadyrank import errors
from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
from steadyrank.data.families import EntryObservations
from steadyrank.data.kinds import GAPS, SCORES
from steadyrank.data.observations import set_fields
from steadyrank.data.rows import check_some, column_labels, repeated_cells, row_names
from steadyrank.data.units import People, agreed, of_people, said_of
from steadyrank.errors import MEANS_OF_REST, NO_VALUES, Option, WayOut, listing, shorten
from steadyrank.reading import scales
from steadyrank.reading.arrays import as_doubles, as_matrix, as_scores
from steadyrank.reading.labels import encode
from steadyrank.reading.roles import Resolved
from steadyrank.reading.table import Guess, Table, simplify
from steadyrank.reading.words import known
from steadyrank.sums.exact import whole_rows
from steadyrank.sums.sparse import SparseEntries
from steadyrank.text import counted, counted_are, plural

RESOLUTION = 1e-12
"""How close means of values on one scale are equal: a thousand times what rounding adds up to."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ScoreMatrix(EntryObservations):
    """One number for each row and item. The unit left out is the row, or a group of rows.

    Parameters
    ----------
    values : matrix
        Rows are units, columns are items.
    items : iterable, optional
        The labels of the columns; 0, 1, 2... by default.
    rows : iterable, optional
        The labels of the rows; 0, 1, 2... by default.
    weights : iterable of float, optional
        How much each row counts, from 0 on; 1 each by default.
    units : array, series or iterable, optional
        For each row, the label of the group that leaves together.
    unit_kind : str
        What one such group is, in the singular; without groups, what one row is.
    missing : {"error", "drop", "available"}
        What to do with missing values (NaN): complain and list them, drop their rows, or keep
        them, for scorers that take the mean over the values that are available.
    resolution : float
        How close means of the values are equal, where the values were computed and rounded, as those on
        one scale are; short decimals are exact. Default: 0.

    Attributes
    ----------
    values : float64 array (rows, items)
        NaN only with ``missing="available"``.
    row_labels : sequence
    weights, unit
        As for all observations.

    Examples
    --------
    >>> matrix = ScoreMatrix([[0.9, 0.8], [0.7, 0.9]], items=["x", "y"])
    >>> matrix
    <ScoreMatrix: 2 rows, 2 items: 'x', 'y'>
    """

    kind = SCORES

    _row_fields, _item_fields = ("values", "row_labels"), ("values",)
    values: FloatArray
    row_labels: Sequence[object]
    missing: str
    resolution: float

    def __init__(
        self,
        values: Any,
        *,
        items: Iterable[object] | None = None,
        rows: Iterable[object] | None = None,
        missing: str = "error",
        resolution: float = 0.0,
        **people: Unpack[People],
    ) -> None:
        GAPS.check("missing", missing)
        matrix = as_matrix(values, "values", missing=True)
        check_some(len(matrix), "scores")
        check_some(matrix.shape[1], "items")
        labels = column_labels(items, matrix.shape[1])
        row_labels = row_names(rows, len(matrix))
        gaps = np.isnan(matrix)
        row = (
            "row" if people.get("units") is not None else people.get("unit_kind", "row")
        )
        fields = of_people(np.ones(len(matrix), dtype=np.int64), row, **people)
        fields |= {"missing": missing, "resolution": float(resolution)}
        set_fields(self, items=labels, values=matrix, row_labels=row_labels, **fields)
        if gaps.any():
            kept, notes = without_gaps(missing, gaps, row_labels, labels, row=row)
            set_fields(self, **self._rows(kept), notes=self.notes + notes)
        self._filled()

    @cached_property
    def entries(self) -> SparseEntries:
        """The matrix as values that units give to items, with their sums."""
        return self.entries_of(self.values, resolution=self.resolution)

    def entries_of(
        self, values: FloatArray, parts: int = 1, *, resolution: float = RESOLUTION
    ) -> SparseEntries:
        """Return other values in the same places, such as ranks, as whole numbers of parts of 1.

        Means that no such numbers make exact are equal within the resolution.

        Examples
        --------
        >>> ScoreMatrix([[7.0, 5.0]]).entries_of(np.array([[1 / 3, 2 / 3]]), parts=3).totals
        (array([1., 2.]),)
        """
        there = ~np.isnan(values)
        indptr = np.append(0, np.cumsum(there.sum(axis=1)))
        rated = np.broadcast_to(np.arange(self.n_items, dtype=np.int32), values.shape)[
            there
        ]
        named = {"what": "values", "parts": parts, "resolution": resolution}
        return self._added_up(indptr, rated, values[there], **named)

    def _of_items(self, kept: BoolArray) -> dict[str, Any]:
        values = self.values[:, kept]
        return self._rows(np.flatnonzero(~np.isnan(values).all(axis=1)), values=values)

    @classmethod
    def _from_columns(cls, found: Resolved) -> Self:
        made = _long_matrix(found) if "score" in found.columns else _wide_matrix(found)
        kept = made.pop("kept", None)
        made["values"], resolution = _scaled(found, made["values"], made["rows"])
        missing = found.settings.get("missing", "error")
        if missing == "available":
            made |= _with_values(found.table, made["values"], made["items"])
        with errors.rows_among(kept):
            return cls(**made, missing=missing, resolution=resolution)


def _with_values(table: Table, values: FloatArray, items: Any) -> dict[str, Any]:
    """Return the items that have a value somewhere; the others are noted."""
    some = ~np.isnan(values).all(axis=0)
    if items is None or some.all() or not some.any():
        return {}
    gone = [shorten(items[item]) for item in np.flatnonzero(~some).tolist()]
    table.notes.append(NO_VALUES.format(listing(gone)))
    return {
        "values": values[:, some],
        "items": [items[item] for item in np.flatnonzero(some).tolist()],
    }


def _scaled(
    found: Resolved, values: FloatArray, named: Any
) -> tuple[FloatArray, float]:
    """Return the values so that more is better, on one scale if asked for, and how fine it is."""
    table, settings = found.table, found.settings
    how, rows = (
        settings.get("standardise"),
        range(len(values)) if named is None else list(named),
    )
    values[scales.turned_rows(table, rows, settings.get("lower_is_better"))] *= -1.0
    if how:
        table.notes.append(scales.SCALES[how])
        return scales.on_one_scale(
            whole_rows(values), how
        ), 0.0 if how == "ranks" else RESOLUTION
    table.notes += scales.suggestion(values, rows)
    return values, 0.0


def _wide_matrix(found: Resolved) -> dict[str, Any]:
    """Return the cells of a wide table, items in columns; of rows that sum others up, nothing."""
    table, columns = found.table, found.columns
    in_rows = found.settings.get("items_in") == "rows"
    label, names = columns.get("item" if in_rows else "row"), columns["items"]
    if label is not None:
        table.check_header(label, table.labels(label), droppable=False)
    apart = {label, columns.get("unit"), columns.get("weights")}
    names = names or table.number_columns(apart)  # which refuses texts
    used = {*apart, *names}
    unused = [
        name for name in table.names if name not in used and not table.is_numeric(name)
    ]
    if unused and "items" not in found.given:
        table.notes.append(
            f"columns without numbers not used: {listing(map(shorten, unused))}"
        )
    values = table.matrix(names, missing=True)
    labels = None if label is None else table.labels(label)
    if in_rows:
        for role in (role for role in ("unit", "weights") if role in columns):
            raise errors.ColumnError(
                f"the rows are items, so that {shorten(columns[role])} does not say what is removed: "
                "a column",
                way_out=["Where you named it, omit ", Option(role)],
            )
        if found.settings.get("duplicates") == "mean":
            values, labels = _mean_of_rows(table, values, labels)
        return {
            "values": values.T,
            "items": labels,
            "rows": names,
            "unit_kind": "column",
        }
    rows = np.arange(len(table))
    if label is not None and "items" not in found.given:
        rows = _without_summary_rows(table, label)
    people = said_of(found.people(), rows, len(table))
    named = None if labels is None else labels[rows]
    return {
        "values": values[rows],
        "items": names,
        "rows": named,
        **people,
        "kept": rows,
    }


def _mean_of_rows(
    table: Table, values: FloatArray, labels: Any
) -> tuple[FloatArray, Any]:
    """Return one row for each item: the means of its rows, which are noted."""
    codes, items = encode(labels)
    again = len(codes) - len(items)
    if not again:
        return values, labels
    table.notes.append(
        f"{counted(again, 'repeated row')} averaged, so that each item has one"
    )
    rows, columns = (places.ravel() for places in np.indices(values.shape))
    return _means(
        codes[rows], columns, values.ravel(), (len(items), values.shape[1])
    ), items


def _without_summary_rows(table: Table, labels: str) -> IntArray:
    """Return the rows but for those that sum the others up, and note these."""
    names, words = table.labels(labels).tolist(), {*known("sums")}
    called = {name for name in {*names} if simplify(name) in words}
    sums = [name for name in names if name in called]
    if not sums or len(sums) + 2 > len(names):
        return np.arange(len(names))
    shown = listing(map(shorten, sums))
    note = f"rows not read as scores, but as sums of the others: {shown}"
    table.notes.append(
        Guess(note, f"the rows {shown} left out", Option("items", several=True))
    )
    return np.array([row for row, name in enumerate(names) if name not in called])


def _long_matrix(found: Resolved) -> dict[str, Any]:
    """Lay a long table (row, item, score) out as a matrix; a pair that does not occur is NaN."""
    row_codes, rows = encode(found.values("row"), what="rows")
    item_codes, items = encode(found.values("item"))
    name = found.columns["score"]
    values = as_scores(found.table.numbers(name, missing=True), name, missing=True)
    again = repeated_cells(row_codes, item_codes)
    if len(again) and found.settings.get("duplicates") != "mean":
        row, item = rows[row_codes[again[0]]], items[item_codes[again[0]]]
        raise errors.InvalidDataError(
            f"{shorten(item)} has more than one value in row {shorten(row)}",
            rows=np.sort(again),
            way_out=[
                "Average them with ", Option("duplicates", "mean"),
                ", or name another column as ", Option("row"),
            ],
        )  # fmt: skip
    matrix = np.full(
        (len(rows), len(items)), np.nan, dtype=np.result_type(values, np.float16)
    )
    if len(again):
        exact = as_doubles(values[:, np.newaxis])[:, 0]
        matrix = _means(row_codes, item_codes, exact, matrix.shape)
        found.table.notes.append(
            f"{counted(len(again), 'repeated score')} of an item in a row averaged"
        )
    else:
        matrix[row_codes, item_codes] = values
        matrix = as_doubles(matrix)
    people = agreed(found.people(), row_codes, len(rows), "row")
    return {"values": matrix, "items": items, "rows": rows, **people}


def _means(
    rows: IntArray, items: IntArray, values: FloatArray, shape: tuple[int, int]
) -> FloatArray:
    """Return the mean of the values of each cell, NaN where there is none."""
    there = ~np.isnan(values)
    totals, times = np.zeros(shape), np.zeros(shape)
    np.add.at(totals, (rows[there], items[there]), values[there])
    np.add.at(times, (rows[there], items[there]), 1.0)
    with np.errstate(invalid="ignore"):
        return np.where(times > 0, totals / times, np.nan)


def without_gaps(
    missing: str,
    gaps: AnyArray,
    rows: Sequence[object],
    items: Sequence[object],
    otherwise: WayOut = MEANS_OF_REST,
    row: str = "row",
) -> tuple[IntArray, tuple[str, ...]]:
    """Return which rows stay, and what was done about the gaps; errors say what could be done else.

    What is a row here may be a column of the file, and is called ``row``.
    """
    total, gappy = int(gaps.sum()), np.asarray(gaps.any(axis=1))
    if missing == "error":
        where = [
            f"{row} {shorten(rows[place])} item {shorten(items[item])}"
            for place, item in np.argwhere(gaps)[:5]
        ]
        raise errors.MissingValuesError(
            f"{counted_are(total, 'value', 'missing')} ({listing(where, total)})",
            rows=gappy,
            way_out=[
                f"Drop these {plural(row)} with ",
                Option("missing", "drop"),
                *otherwise,
            ],
        )
    unknown = listing(
        shorten(items[item]) for item in np.flatnonzero(gaps.all(axis=0)).tolist()
    )
    if unknown:
        told = f"no values at all for {unknown}"
        raise errors.MissingValuesError(told, way_out="Leave these items out.")
    if missing == "available":
        there, empty = (~gaps).sum(axis=0), np.asarray(gaps.all(axis=1))
        few = listing(
            f"{shorten(items[item])} in {there[item]:,} of {len(gaps):,} {plural(row)}"
            for item in np.flatnonzero(2 * there < there.max()).tolist()
        )
        notes = [f"{counted(total, 'missing value')} left out of the means"]
        notes += [f"fewer values than others: {few}"] if few else []
        notes += (
            [f"{counted(int(empty.sum()), row)} without any value dropped"]
            if empty.any()
            else []
        )
        return np.flatnonzero(~empty), tuple(notes)
    if gappy.all():
        raise errors.MissingValuesError(
            f"every {row} has a missing value, so that dropping them leaves nothing",
            way_out=["Leave out the items with the most gaps", *otherwise],
        )
    names = listing(shorten(rows[place]) for place in np.flatnonzero(gappy).tolist())
    rows_gone, gone = counted(int(gappy.sum()), row), counted(total, "missing value")
    return np.flatnonzero(~gappy), (f"{rows_gone} with {gone} dropped: {names}",)

"""Score matrices: rows are questions, tasks or judges; columns are items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Unpack

import numpy as np

from steadyrank.data.entry_data import EntryObservations
from steadyrank.data.observations import ITEM_NAMES, check_some, column_labels, row_names, set_fields
from steadyrank.data.people import People, PeopleArguments, agreed, of_people, some_people
from steadyrank.engines.dense_entries import DenseEntries
from steadyrank.errors import (
    InvalidDataError,
    InvalidPolicyError,
    MissingValuesError,
    Option,
    listing,
    shorten,
)
from steadyrank.reading.arrays import as_matrix
from steadyrank.reading.kinds import Form, Kind, Role, Setting
from steadyrank.reading.labels import encode
from steadyrank.reading.table import Table, as_table

if TYPE_CHECKING:
    from typing import Self

    from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
    from steadyrank.data.observations import Ends
    from steadyrank.data.units import Units
    from steadyrank.reading.kinds import Columns
    from steadyrank.reading.roles import Resolved

MISSING = {
    "error": "Missing values are refused.",
    "drop": "Rows with missing values were left out.",
    "available": "Means are over the values that are there.",
}
"""What may be done about missing values."""


ROW = Role(
    "the task, question or row",
    (
        "row", "rowid", "question", "questionid", "task", "taskid", "prompt", "dataset", "judge",
        "benchmark", "id",
    ),
    argument="rows",
)  # fmt: skip
SCORE = Role(
    "the score, one row a score",
    ("value", "score", "rating", "result", "accuracy", "points"),
    holds="numbers",
)
GAPS = Setting(
    "what to do with missing scores: error (the default), drop the row, or use those available", MISSING
)

COMPARED = Role("the columns to compare; all columns of numbers if not given", several=True)


class ScoresArguments(PeopleArguments, total=False):
    """What :meth:`ScoreMatrix.from_frame`, ``read`` and ``scan`` can be told."""

    items: Annotated[Sequence[str] | None, COMPARED]
    row: Annotated[str | None, ROW]
    item: Annotated[str | None, Role("what was scored, one row a score", ITEM_NAMES)]
    score: Annotated[str | None, SCORE]
    missing: Annotated[str | None, GAPS]


def _is_long(table: Table, columns: Columns) -> bool:
    """Tell whether a table has columns of rows, item labels and values, and no others but the unit.

    Columns of numbers are never taken for item labels here: they could be items themselves.
    """
    if set(table.names) - set(columns.values()) or "item" not in columns:
        return False
    return len(table) > 0 and not table.is_numeric(columns["item"])


def _is_wide(table: Table, columns: Columns) -> bool:
    apart = {columns.get(role) for role in ("row", "unit", "weight")}
    names = [name for name in table.names if name not in apart]
    return len(names) > 1 and len(table) > 0 and all(table.is_numeric(name) for name in names[1:])


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
        What one such group is, in the singular.
    missing : {"error", "drop", "available"}
        What to do with missing values (NaN): complain and list them, drop their rows, or keep
        them, for scorers that take the mean over the values that are available.

    Attributes
    ----------
    values : float64 array (rows, items)
        NaN only with ``missing="available"``.
    row_labels : sequence
    weights, unit, unit_labels
        As for all observations.

    Examples
    --------
    >>> matrix = ScoreMatrix([[0.9, 0.8], [0.7, 0.9]], items=["x", "y"])
    >>> matrix
    <ScoreMatrix: 2 rows, 2 items: 'x', 'y'>
    """

    kind: ClassVar[Kind] = Kind(
        name="scores",
        unit="row",
        scorer="column-means",
        arguments=ScoresArguments,
        forms=(
            Form("one row a score", ("row", "item", "score"), decides=("item", "score"), fits=_is_long),
            Form(
                "a column for each item",
                (),
                named=("items", "row"),
                recognised=_is_wide,
                weak=True,
                usual=True,
            ),
        ),
        on_engine="entries",
        observation="score",
    )

    values: FloatArray
    row_labels: Sequence[object]
    missing: str

    def __init__(
        self,
        values: Any,
        *,
        items: Iterable[object] | None = None,
        rows: Iterable[object] | None = None,
        missing: str = "error",
        **people: Unpack[People],
    ) -> None:
        if missing not in MISSING:
            raise InvalidPolicyError("missing", missing, tuple(MISSING))
        matrix = as_matrix(values, "values", missing=True)
        check_some(len(matrix), "rows")
        check_some(matrix.shape[1], "items")
        labels = column_labels(items, matrix.shape[1])
        row_labels = row_names(rows, len(matrix))
        gaps = np.isnan(matrix)
        fields = of_people(np.ones(len(matrix), dtype=np.int64), "row", **people)
        if gaps.any():
            kept, notes = _apply_policy(missing, gaps, row_labels, labels)
            fields |= some_people(kept, **fields) | {"notes": fields["notes"] + notes}
            matrix = matrix[kept]
            row_labels = tuple(row_labels[row] for row in np.flatnonzero(kept).tolist())
        set_fields(self, items=labels, values=matrix, row_labels=row_labels, missing=missing, **fields)

    @cached_property
    def units(self) -> Units:
        """The rows, or the groups of rows."""
        return self._units(self.row_labels)

    @cached_property
    def entries(self) -> DenseEntries:
        """The matrix as values that units give to items, with their sums."""
        weights = None if self.weights is None else self.weight_parts
        return DenseEntries(self.values, self.unit, weights, (self.row_labels, self.items))

    def _copied(self, copies: IntArray) -> dict[str, Any]:
        times = copies if self.unit is None else copies[self.unit]
        return self._rows(self.values, np.repeat(np.arange(len(times)), times))

    def _of_items(self, kept: BoolArray) -> dict[str, Any]:
        values = self.values[:, kept]
        return self._rows(values, np.flatnonzero(~np.isnan(values).all(axis=1)))

    def _rows(self, values: FloatArray, rows: IntArray) -> dict[str, Any]:
        """Return the fields of data that hold these rows of a matrix, and their groups."""
        labels = tuple(self.row_labels[row] for row in rows.tolist())
        return {"values": values[rows], "row_labels": labels, **self._people(rows)}

    def _added(self, unit: Any, times: int) -> dict[str, Any]:
        self._check_addable()
        other = ScoreMatrix([unit], items=self.items, missing=self.missing)
        values = np.vstack([self.values, np.repeat(other.values, times, axis=0)])
        return {"values": values, "row_labels": (*self.row_labels, *["added"] * times)}

    def favouring(self, behind: int, ahead: int, ends: Ends) -> list[float]:
        """Return a row with the largest value for the one and the least, or none, for the others."""
        low, high = (np.nan if end is None else end for end in ends)
        row = np.full(self.n_items, np.nan if np.isnan(self.values).any() else low)
        row[[behind, ahead]] = high, low
        return row.tolist()

    @classmethod
    def from_frame(cls, frame: Any, **arguments: Unpack[ScoresArguments]) -> Self:
        """Take a matrix from a dataframe, wide (a column for each item) or long.

        Parameters
        ----------
        frame : dataframe of any library, or mapping from names to columns
        items : sequence of str, optional
            Wide form: the columns that are items; all columns of numbers by default.
        row : str, optional
            The column of row labels; in wide form, the first column if it is text.
        item, score : str, optional
            Long form (row, item, score): the columns of item labels and of scores. Giving
            either means long form.
        unit : str, optional
            The column whose equal values leave together.
        weight : str, optional
            The column of the weights of rows; guessed from common names where not given.
        missing
            As for the class. In long form, a pair that does not occur is missing.

        Examples
        --------
        >>> frame = {"task": ["t1", "t2"], "x": [1.0, 2.0], "y": [3.0, 4.0]}
        >>> matrix = ScoreMatrix.from_frame(frame)
        >>> matrix.items, matrix.row_labels, matrix.notes
        (('x', 'y'), ('t1', 't2'), ("the first column, 'task', taken as the row labels",))
        """
        return cls.from_table(as_table(frame), arguments)

    @classmethod
    def _from_columns(cls, found: Resolved) -> Self:
        made = _long_matrix(found) if "item" in found.columns else _wide_matrix(found)
        return cls(**made, **found.settings)


def _wide_matrix(found: Resolved) -> dict[str, Any]:
    table, columns = found.table, found.columns
    items, unit, weight = columns.get("items"), columns.get("unit"), columns.get("weight")
    row = columns.get("row") or _first_text(table, unit, items or ())
    names = items or table.number_columns({row, unit, weight})
    rows = None if row is None else table.labels(row)
    columns |= {} if row is None else {"row": row}  # it plays its role though nobody named it
    return {"values": table.matrix(names, missing=True), "items": names, "rows": rows, **found.people()}


def _first_text(table: Table, unit: str | None, items: Sequence[str]) -> str | None:
    first = next((name for name in table.names if name != unit), None)
    if first is None or first in items or not len(table) or table.is_numeric(first):
        return None
    table.notes.append(f"the first column, {shorten(first)}, taken as the row labels")
    return first


def _long_matrix(found: Resolved) -> dict[str, Any]:
    """Lay a long table (row, item, score) out as a matrix; a pair that does not occur is NaN."""
    row_codes, rows = encode(found.values("row"), what="rows")
    item_codes, items = encode(found.values("item"), subject="item")
    values = found.table.numbers(found.columns["score"], missing=True)
    cells = row_codes.astype(np.int64) * len(items) + item_codes
    order = np.argsort(cells, kind="stable")
    again = order[1:][cells[order][1:] == cells[order][:-1]]
    if len(again):
        row, item = rows[row_codes[again[0]]], items[item_codes[again[0]]]
        raise InvalidDataError(
            f"{shorten(item)} has more than one value in row {shorten(row)}",
            rows=np.sort(again),
            way_out=["Keep one of them, or name another column as ", Option("row")],
        )
    matrix = np.full((len(rows), len(items)), np.nan)
    matrix[row_codes, item_codes] = values
    people = agreed(found.people(), row_codes, len(rows), "row")
    return {"values": matrix, "items": items, "rows": rows, **people}


def _apply_policy(
    missing: str, gaps: AnyArray, rows: Sequence[object], items: Sequence[object]
) -> tuple[AnyArray, tuple[str, ...]]:
    """Return which rows stay, and what was done about the gaps."""
    total = int(gaps.sum())
    gappy, empty = np.asarray(gaps.any(axis=1)), np.asarray(gaps.all(axis=1))
    if missing == "error":
        where = [
            f"row {shorten(rows[row])} item {shorten(items[item])}"
            for row, item in np.argwhere(gaps)[:5]
        ]
        raise MissingValuesError(
            f"{total:,} values are missing ({listing(where, total)})",
            rows=gappy,
            way_out=[
                "Drop these rows with ", Option("missing", "drop"),
                ", or take means over the values that are there with ", Option("missing", "available"),
            ],
        )  # fmt: skip
    unknown = np.flatnonzero(gaps.all(axis=0)).tolist()
    if unknown:
        raise MissingValuesError(
            f"no values at all for {listing(shorten(items[item]) for item in unknown)}",
            way_out="Leave these items out.",
        )
    if missing == "available":
        notes = [f"{total:,} missing values left out of the means"]
        if empty.any():
            notes.append(f"{int(empty.sum()):,} rows without any value dropped")
        return ~empty, tuple(notes)
    if gappy.all():
        raise MissingValuesError(
            "every row has a missing value, so that dropping them leaves nothing",
            way_out=[
                "Use ", Option("missing", "available"), ", or leave out the items with the most gaps.",
            ],
        )  # fmt: skip
    names = listing(shorten(rows[row]) for row in np.flatnonzero(gappy).tolist())
    return ~gappy, (f"{int(gappy.sum()):,} rows with {total:,} missing values dropped: {names}",)

"""Score matrices: rows are questions, tasks or judges; columns are items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Annotated, Any, ClassVar, Self, Unpack

import numpy as np

from steadyrank import errors
from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
from steadyrank.data.families import EntryObservations
from steadyrank.data.grids import ROW_NAMES, WAYS, grid_of, is_id, is_nearly_numeric
from steadyrank.data.observations import COUNT, ITEM_NAMES, Ends, from_table, set_fields
from steadyrank.data.rows import check_some, column_labels, repeated_cells, row_names
from steadyrank.data.units import People, PeopleArguments, agreed, of_people, said_of, whole_parts
from steadyrank.errors import MEANS_OF_REST, Option, WayOut, listing, shorten
from steadyrank.reading import scales
from steadyrank.reading.arrays import as_doubles, as_matrix, as_scores
from steadyrank.reading.declarations import Columns, Form, Kind, Role, Setting
from steadyrank.reading.labels import encode
from steadyrank.reading.roles import Resolved
from steadyrank.reading.table import Table, as_table, simplify
from steadyrank.sums.dense import DenseEntries
from steadyrank.text import counted, counted_are, plural

MISSING = {
    "error": "Missing values are refused.",
    "drop": "Rows with missing values were left out.",
    "available": "Means are over the values that are there.",
}
"""What may be done about missing values."""

ROW = Role("the task, question or row; in a wide table, what names the rows", ROW_NAMES, argument="rows")
SCORE = Role(
    "the score, one row a score",
    ("value", "score", "rating", "result", "accuracy", "points"),
    holds="numbers",
    answer=True,
)
GAPS = Setting(
    "what to do with missing scores: error (the default), drop the row, or use those available", MISSING
)

COMPARED = Role("the columns of scores; all columns of numbers but ids if not given", several=True)
WHERE = Setting("where a wide table has its items: rows or columns; told by names if not given", WAYS)
LESS = Setting(
    "measures of which less is better: all, none, or the names of some; told by names if not given",
    several=True,
)
SCALE = Setting(
    "bring each row to one scale: z (scores), ranks, or range (0 to 1); as it is if not", scales.SCALES
)


class ScoresArguments(PeopleArguments, total=False):
    """What :meth:`ScoreMatrix.from_frame`, ``read`` and ``scan`` can be told."""

    items: Annotated[Sequence[str] | None, COMPARED]
    row: Annotated[str | None, ROW]
    item: Annotated[str | None, Role("what was scored, one row a score", ITEM_NAMES, answer=True)]
    score: Annotated[str | None, SCORE]
    missing: Annotated[str | None, GAPS]
    items_in: Annotated[str | None, WHERE]
    lower_is_better: Annotated[bool | str | Sequence[str] | None, LESS]
    standardise: Annotated[str | None, SCALE]


def _is_long(table: Table, columns: Columns) -> bool:
    """Tell whether a table has columns of rows, item labels and values.

    Columns of numbers are never taken for item labels here: they could be items themselves. Where there
    are further columns, items must occur again: a table with a row for each is a wide one.
    """
    if "item" not in columns or not len(table) or table.is_numeric(columns["item"]):
        return False
    if not set(table.names) - set(columns.values()):
        return True
    labels = table.labels(columns["item"]).tolist()
    return len(set(labels)) < len(labels)


def _is_wide(table: Table, columns: Columns) -> bool:
    apart = {columns.get(role) for role in ("row", "unit", "weights")}
    names = [name for name in table.names if name not in apart]
    numbers = [name for name in names if len(table) and is_nearly_numeric(table, name)]
    scores = [name for name in numbers if not is_id(table, name) and simplify(name) not in COUNT.names]
    return len(scores) > 1 or (len(scores) == 1 == len(names) - len(numbers))


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

    kind: ClassVar[Kind] = Kind(
        name="scores",
        unit="row",
        scorer="column-means",
        arguments=ScoresArguments,
        forms=(
            Form(
                "one row a score",
                ("row", "item", "score"),
                decides=("item", "score"),
                only_with={"items_in": None},
                fits=_is_long,
            ),
            Form(
                "a row for each item",
                ("item",),
                named=("items",),
                only_with={"items_in": "rows"},
                people=False,
            ),
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

    _row_fields, _item_fields = ("values", "row_labels"), ("values",)
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
        GAPS.check("missing", missing)
        matrix = as_matrix(values, "values", missing=True)
        check_some(len(matrix), "scores")
        check_some(matrix.shape[1], "items")
        labels = column_labels(items, matrix.shape[1])
        row_labels = row_names(rows, len(matrix))
        gaps = np.isnan(matrix)
        row = "row" if people.get("units") is not None else people.get("unit_kind", "row")
        fields = of_people(np.ones(len(matrix), dtype=np.int64), row, **people)
        set_fields(self, items=labels, values=matrix, row_labels=row_labels, missing=missing, **fields)
        if gaps.any():
            kept, notes = without_gaps(missing, gaps, row_labels, labels, row=row)
            set_fields(self, **self._rows(kept), notes=self.notes + notes)
        self._filled()

    @cached_property
    def entries(self) -> DenseEntries:
        """The matrix as values that units give to items, with their sums."""
        return self.entries_of(self.values)

    def entries_of(self, values: FloatArray, parts: int = 1) -> DenseEntries:
        """Return other values in the same places, such as ranks, as whole numbers of parts of 1.

        Examples
        --------
        >>> ScoreMatrix([[7.0, 5.0]]).entries_of(np.array([[1 / 3, 2 / 3]]), parts=3).totals
        (array([1., 2.]),)
        """
        weights = None if self.weights is None else whole_parts(self.weights)
        return DenseEntries(values, self.unit, weights, (self.row_labels, self.items), parts=parts)

    def _of_items(self, kept: BoolArray) -> dict[str, Any]:
        values = self.values[:, kept]
        return self._rows(np.flatnonzero(~np.isnan(values).all(axis=1)), values=values)

    def _one(self, unit: Any, times: int) -> Self:
        rows = ["added"] * times
        return type(self)([unit] * times, items=self.items, rows=rows, missing=self.missing)

    def _favouring(self, behind: int, ahead: int, ends: Ends) -> list[float]:
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
            The column of row labels; in wide form, what names the rows: one that is called so, the
            first of text, or one of ids.
        item, score : str, optional
            Long form (row, item, score): the columns of item labels and of scores. Giving
            either means long form.
        unit : str, optional
            The column whose equal values leave together.
        weights : str, optional
            The column of the weights of rows; guessed from common names where not given.
        missing
            As for the class. In long form, a pair that does not occur is missing.
        items_in : {"rows", "columns"}, optional
            Wide form: whether a row or a column is an item. Told by names, and said; refused where
            they do not tell.
        lower_is_better : bool, or sequence of str, optional
            The rows (of items in rows: the columns) in which less is better: their sign is changed. By
            default those whose names say so, such as loss or rank.
        standardise : {"z", "ranks", "range"}, optional
            Bring each row to one scale, over all items.

        Examples
        --------
        >>> frame = {"task": ["t1", "t2"], "x": [1.0, 2.0], "y": [3.0, 4.0]}
        >>> matrix = ScoreMatrix.from_frame(frame)
        >>> matrix.items, matrix.row_labels, matrix.notes[0].brief
        (('x', 'y'), ('t1', 't2'), "a column for each item, a row for each task, by the column 'task'")
        """
        return from_table(cls, as_table(frame), arguments)

    @classmethod
    def _from_columns(cls, found: Resolved) -> Self:
        made = _long_matrix(found) if "score" in found.columns else _wide_matrix(found)
        kept, shared = made.pop("kept", None), made.pop("shared", None)
        made["values"] = _scaled(found, made["values"], made["rows"], shared)
        with errors.rows_among(kept):
            return cls(**made, missing=found.settings.get("missing", "error"))


def _scaled(
    found: Resolved, values: FloatArray, named: Any, shared: Sequence[object] | None
) -> FloatArray:
    """Return the values so that more is better, on one scale if that is asked for.

    Whether less is better is told by the names of rows, unless all rows share some names that tell it.
    """
    table, settings = found.table, found.settings
    asked, how = settings.get("lower_is_better"), settings.get("standardise")
    rows = range(len(values)) if named is None else list(named)
    told = rows if shared is None else shared
    turned = scales.turned_rows(table, rows, asked, named=told, shared=shared is not None)
    if asked is None and not turned.any():
        scales.check_no_ranks(values, table.source)
    elif asked is None:
        some = [scales.ALL] if turned.all() else list(compress(rows, turned))
        settings["lower_is_better"] = some
    values[turned] *= -1.0
    if how:
        table.notes.append(scales.SCALES[how])
        return scales.on_one_scale(values, how)
    table.notes += scales.suggestion(values, rows)
    return values


def _wide_matrix(found: Resolved) -> dict[str, Any]:
    table, columns = found.table, found.columns
    grid = grid_of(found)
    values = table.matrix(grid.values, missing=True)
    labels = None if grid.labels is None else table.labels(grid.labels)
    found.settings["items_in"] = grid.items_in
    if grid.items_in == "columns":
        # These play their roles though nobody named them.
        columns |= {"items": grid.values} | ({} if grid.labels is None else {"row": grid.labels})
        measures = simplify(grid.labels or "") in scales.MEASURE_NAMES
        rows = None if labels is None else labels[grid.rows]
        beside = {"shared": None if measures else grid.values, "kept": grid.rows}
        people = said_of(found.people(), grid.rows)
        return {"values": values[grid.rows], "items": grid.values, "rows": rows, **people, **beside}
    for role in (role for role in ("unit", "weights") if role in columns):
        name = columns[role]
        named, guessed = "Where you named it, omit ", "; where it was guessed, pass it over with "
        raise errors.ColumnError(
            f"the rows are items, so that {shorten(name)} says nothing about what leaves: a column",
            way_out=[named, Option(role), guessed, Option("ignore", name)],
        )
    columns |= {"item": grid.labels, "row": grid.values}
    return {"values": values.T, "items": labels, "rows": grid.values, "unit_kind": "column"}


def _long_matrix(found: Resolved) -> dict[str, Any]:
    """Lay a long table (row, item, score) out as a matrix; a pair that does not occur is NaN."""
    row_codes, rows = encode(found.values("row"), what="rows")
    item_codes, items = encode(found.values("item"), subject="item")
    name = found.columns["score"]
    values = as_scores(found.table.numbers(name, missing=True), name, missing=True)
    again = repeated_cells(row_codes, item_codes)
    if len(again):
        row, item = rows[row_codes[again[0]]], items[item_codes[again[0]]]
        raise errors.InvalidDataError(
            f"{shorten(item)} has more than one value in row {shorten(row)}",
            rows=np.sort(again),
            way_out=["Keep one of them, or name another column as ", Option("row")],
        )
    matrix = np.full((len(rows), len(items)), np.nan, dtype=np.result_type(values, np.float16))
    matrix[row_codes, item_codes] = values
    matrix = as_doubles(matrix)
    people = agreed(found.people(), row_codes, len(rows), "row")
    measures = simplify(found.columns["row"]) in scales.MEASURE_NAMES
    shared = None if measures else [found.columns["score"]]
    return {"values": matrix, "items": items, "rows": rows, "shared": shared, **people}


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
    total = int(gaps.sum())
    gappy, empty = np.asarray(gaps.any(axis=1)), np.asarray(gaps.all(axis=1))
    if missing == "error":
        where = [
            f"{row} {shorten(rows[place])} item {shorten(items[item])}"
            for place, item in np.argwhere(gaps)[:5]
        ]
        raise errors.MissingValuesError(
            f"{counted_are(total, 'value', 'missing')} ({listing(where, total)})",
            rows=gappy,
            way_out=[f"Drop these {plural(row)} with ", Option("missing", "drop"), *otherwise],
        )
    unknown = np.flatnonzero(gaps.all(axis=0)).tolist()
    if unknown:
        raise errors.MissingValuesError(
            f"no values at all for {listing(shorten(items[item]) for item in unknown)}",
            way_out="Leave these items out.",
        )
    if missing == "available":
        notes = [f"{counted(total, 'missing value')} left out of the means"]
        if empty.any():
            notes.append(f"{counted(int(empty.sum()), row)} without any value dropped")
        return np.flatnonzero(~empty), tuple(notes)
    if gappy.all():
        raise errors.MissingValuesError(
            f"every {row} has a missing value, so that dropping them leaves nothing",
            way_out=["Leave out the items with the most gaps", *otherwise],
        )
    names = listing(shorten(rows[place]) for place in np.flatnonzero(gappy).tolist())
    rows_gone, gone = counted(int(gappy.sum()), row), counted(total, "missing value")
    return np.flatnonzero(~gappy), (f"{rows_gone} with {gone} dropped: {names}",)
